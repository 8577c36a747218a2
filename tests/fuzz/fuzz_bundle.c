/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_bundle.c - any bytes as a bundle of a host: first byte even, a tar archive;
 * odd, the recorded answers in one.  What opens is asked everything.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "kern/image.h"
#include "kern/kern.h"
#include "pktio/tarball.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void ask_about(struct rt_kern *kern, const char *name)
{
	struct rt_ethtool_info info;
	struct rt_priv_flags flags;
	struct rt_rdma_use use;
	struct rt_opt_u64 bps;
	struct rt_link_pause pause;
	struct rt_dcb dcb;
	char mode[16];
	uint16_t ms;

	if (kern->ops->dcb_get(kern, name, &dcb, NULL) == 0 &&
	    (dcb.app.count > RT_DCB_APP_MAX || dcb.trust_count > sizeof(dcb.trust)))
		abort();
	if (kern->ops->priv_flags_get(kern, name, &flags, NULL) == 0 &&
	    flags.count > RT_PRIV_FLAG_MAX)
		abort();
	kern->ops->ethtool_info(kern, name, &info, NULL);
	kern->ops->speed_get(kern, name, &bps, NULL);
	kern->ops->pause_get(kern, name, &pause, NULL);
	kern->ops->storm_get(kern, name, &ms, NULL);
	kern->ops->rdma_use(kern, name, &use, NULL);
	kern->ops->eswitch_mode(kern, name, mode, sizeof(mode), NULL);
}

static void ask_path(struct rt_kern *kern, const char *path)
{
	struct rt_names names = { 0 };
	char text[256];
	size_t bytes;

	kern->ops->file_read(kern, path, text, sizeof(text), &bytes, NULL);
	kern->ops->symlink_read(kern, path, text, sizeof(text), NULL);
	kern->ops->access(kern, path, false);
	if (kern->ops->folder_read(kern, path, &names, NULL) == 0)
		rt_names_free(&names);
}

static void ask_all(struct rt_kern *kern)
{
	static const char *const names[] = { "", "a", "eth0" };
	static const char *const paths[] = { "/", "/a", "/a/b", "/../a", "/rocetune" };
	struct rt_rdma_ports ports = { 0 };
	struct rt_links links = { 0 };

	if (kern->ops->links(kern, &links, NULL) == 0)
		rt_links_free(&links);
	if (kern->ops->rdma_ports(kern, &ports, NULL) == 0)
		rt_rdma_ports_free(&ports);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ask_about(kern, names[i]);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		ask_path(kern, paths[i]);
}

/* Takes bundle. */
static void open_and_ask(struct rt_bundle *bundle)
{
	struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	if (rt_kern_open_bundle(bundle, &kern, &err) < 0) {
		if (!*err.msg)
			abort();
		rt_bundle_free(bundle);
		return;
	}
	ask_all(kern);
	rt_kern_close(kern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_bundle *bundle = NULL;
	struct rt_err err = { 0 };

	if (bytes == 0)
		return 0;
	if (data[0] & 1) {
		bundle = rt_bundle_new();
		if (rt_bundle_add_file(bundle, RT_ANSWERS_PATH, data + 1, bytes - 1,
				       NULL) < 0)
			abort();
	} else if (rt_tarball_parse("fuzz", data + 1, bytes - 1, &bundle, &err) < 0) {
		if (!*err.msg)
			abort();
		return 0;
	}
	open_and_ask(bundle);
	return 0;
}
