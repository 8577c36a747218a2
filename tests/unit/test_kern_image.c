/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts that are not here: folders, bundles, and what a recorder makes of one. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bundle.h"
#include "base/own.h"
#include "kern/image.h"
#include "kern/kern.h"
#include "rocetune/err.h"

/* --- a small host -------------------------------------------------------------------- */

static const char answers_json[] =
	"{\"rocetune\": 1, \"kind\": \"answers\",\n"
	" \"links\": [{\"items\": [{\"name\": \"eth0\", \"ifindex\": 2,\n"
	"   \"mac\": \"02:00:00:00:00:01\", \"mtu_bytes\": 9000, \"is_up\": true,\n"
	"   \"carrier\": true}]}],\n"
	" \"rdma_ports\": [{\"items\": [{\"ibdev\": \"mlx5_0\", \"dev_index\": 0,\n"
	"   \"port\": 1, \"netdev\": \"eth0\", \"protocol\": \"roce\", \"state\": "
	"4}]}],\n"
	" \"rdma_use\": [{\"name\": \"mlx5_0\", \"use\": {\"qps\": 3, \"connected\": "
	"2,\n"
	"   \"who\": \"nccl\"}}],\n"
	" \"driver\": [{\"name\": \"eth0\", \"info\": {\"driver\": \"mlx5_core\"}}],\n"
	" \"dcb\": [{\"name\": \"eth0\", \"has\": \"ets pfc app dcbx trust\",\n"
	"   \"ets\": {\"cap\": 8, \"bw\": [50,50,0,0,0,0,0,0],\n"
	"     \"tsa\": [2,2,0,0,0,0,0,0], \"prio_tc\": [0,0,0,1,0,0,0,0]},\n"
	"   \"pfc\": {\"cap\": 8, \"mask\": 8, \"delay\": 7},\n"
	"   \"app\": [{\"selector\": 5, \"priority\": 3, \"protocol\": 26}],\n"
	"   \"dcbx\": 9, \"trust\": [5,0,0,0,0,0,0,0], \"trust_count\": 1}],\n"
	" \"speed\": [{\"name\": \"eth0\", \"speed_bps\": 400000000000}],\n"
	" \"pause\": [{\"name\": \"eth0\", \"pause\": {\"autoneg\": false,\n"
	"   \"rx\": true, \"tx\": false}}],\n"
	" \"storm\": [{\"name\": \"eth0\", \"error\": \"EOPNOTSUPP\",\n"
	"   \"message\": \"eth0: no storm prevention\"}],\n"
	" \"priv_flags\": [{\"name\": \"eth0\", \"flags\": [{\"name\": \"a\", \"on\": "
	"false},\n"
	"   {\"name\": \"b\", \"on\": true}]}],\n"
	" \"eswitch\": [{\"name\": \"0000:3b:00.0\", \"mode\": \"legacy\"}],\n"
	" \"files\": [{\"name\": \"/sys/bad\", \"error\": \"EIO\"}],\n"
	" \"writable\": [{\"name\": \"/sys/class/net/eth0/mtu\"},\n"
	"   {\"name\": \"/sys/bad\", \"error\": \"EACCES\"}],\n"
	" \"unread\": [{\"name\": \"/sys/class/net/eth0/speed\"}]}\n";

static struct rt_bundle *host_bundle(void)
{
	struct rt_bundle *bundle = rt_bundle_new();

	rt_bundle_add_file(bundle, "sys/devices/eth0/mtu", "9000\n", 5, NULL);
	rt_bundle_add_symlink(bundle, "sys/class/net/eth0", "../../devices/eth0", NULL);
	rt_bundle_add_symlink(bundle, "sys/up", "/../../../etc/hostname", NULL);
	rt_bundle_add_symlink(bundle, "sys/out", "../../../../../../etc/hostname",
			      NULL);
	rt_bundle_add_file(bundle, RT_ANSWERS_PATH, answers_json,
			   sizeof(answers_json) - 1, NULL);
	return bundle;
}

/* The same tree in a folder. */
static void write_tree(struct rt_bundle *bundle, const char *folder)
{
	char path[512];

	for (size_t i = 0; i < rt_bundle_count(bundle); i++) {
		const struct rt_bundle_entry *entry = rt_bundle_at(bundle, i);
		int fd;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->path);
		if (entry->kind == RT_BUNDLE_FOLDER) {
			assert_int_equal(mkdir(path, 0755), 0);
		} else if (entry->kind == RT_BUNDLE_SYMLINK) {
			assert_int_equal(symlink(entry->data, path), 0);
		} else {
			fd = open(path, O_CREAT | O_WRONLY, 0644);
			assert_int_equal(write(fd, entry->data, entry->bytes),
					 entry->bytes);
			close(fd);
		}
	}
}

static void remove_tree(struct rt_bundle *bundle, const char *folder)
{
	char path[512];

	for (size_t i = rt_bundle_count(bundle); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			 rt_bundle_at(bundle, i)->path);
		remove(path);
	}
	rmdir(folder);
}

/* --- what both back ends must say ------------------------------------------------------ */

static void check_files(struct rt_kern *kern)
{
	struct rt_names names = { 0 };
	struct rt_err err = { 0 };
	char text[64];
	size_t bytes = 0;

	assert_int_equal(
		rt_kern_line(kern, "/sys/class/net/eth0/mtu", text, sizeof(text), &err),
		0);
	assert_string_equal(text, "9000");
	assert_int_equal(kern->ops->symlink_read(kern, "/sys/class/net/eth0", text,
						 sizeof(text), &err),
			 0);
	assert_string_equal(text, "../../devices/eth0");
	assert_int_equal(kern->ops->symlink_read(kern, "/sys/class/net", text,
						 sizeof(text), &err),
			 -EINVAL);
	assert_int_equal(kern->ops->file_read(kern, "/sys/class", text, sizeof(text),
					      &bytes, &err),
			 -EISDIR);
	assert_int_equal(kern->ops->file_read(kern, "/sys/class/net/eth0/mtu", text, 5,
					      &bytes, &err),
			 -EFBIG);
	assert_int_equal(kern->ops->file_read(kern, "/sys/bad", text, sizeof(text),
					      &bytes, &err),
			 -EIO);
	assert_int_equal(
		kern->ops->folder_read(kern, "/sys/class/net/eth0", &names, &err), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "mtu");
	assert_string_equal(names.items[1], "speed");
	rt_names_free(&names);
	assert_int_equal(kern->ops->access(kern, "/sys/class/net/eth0/mtu", false), 0);
	assert_int_equal(kern->ops->access(kern, "/sys/class/net/eth0/speed", false),
			 0);
	assert_int_equal(kern->ops->access(kern, "/sys/class/net/eth0/mtu", true), 0);
	assert_int_equal(kern->ops->access(kern, "/sys/bad", true), -EACCES);
	assert_int_equal(kern->ops->access(kern, "/sys/devices/eth0/mtu", true),
			 -EROFS);
	assert_int_equal(kern->ops->access(kern, "/sys/none", false), -ENOENT);
}

/* This machine has the file, the image does not. */
static void check_nothing_leads_out(struct rt_kern *kern)
{
	static const char *const ways[] = { "/sys/up", "/sys/out",
					    "/../../../../../../../etc/hostname",
					    "/sys/../../../../etc/hostname",
					    "/proc/self/root/etc/hostname" };
	char text[64];
	size_t bytes;

	assert_int_equal(access("/etc/hostname", R_OK), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(ways); i++) {
		struct rt_names names;

		assert_int_equal(kern->ops->file_read(kern, ways[i], text, sizeof(text),
						      &bytes, NULL),
				 -ENOENT);
		assert_int_equal(kern->ops->access(kern, ways[i], false), -ENOENT);
		assert_int_equal(kern->ops->folder_read(kern, ways[i], &names, NULL),
				 -ENOENT);
	}
}

static void check_answers(struct rt_kern *kern)
{
	struct rt_err err = { 0 };
	struct rt_ethtool_info info;
	struct rt_priv_flags flags;
	struct rt_links links;
	struct rt_rdma_ports ports;
	struct rt_rdma_use use;
	struct rt_opt_u64 bps;
	struct rt_link_pause pause;
	struct rt_dcb dcb;
	char mode[16];
	uint16_t ms;

	assert_int_equal(kern->ops->links(kern, &links, &err), 0);
	assert_int_equal(links.count, 1);
	assert_int_equal(links.items[0].mtu_bytes, 9000);
	rt_links_free(&links);
	assert_int_equal(kern->ops->rdma_ports(kern, &ports, &err), 0);
	assert_string_equal(ports.items[0].netdev, "eth0");
	rt_rdma_ports_free(&ports);
	assert_int_equal(kern->ops->rdma_use(kern, "mlx5_0", &use, &err), 0);
	assert_int_equal(use.connected, 2);
	assert_int_equal(kern->ops->ethtool_info(kern, "eth0", &info, &err), 0);
	assert_string_equal(info.driver, "mlx5_core");
	assert_int_equal(kern->ops->dcb_get(kern, "eth0", &dcb, &err), 0);
	assert_int_equal(dcb.has, RT_DCB_ETS | RT_DCB_PFC | RT_DCB_APP | RT_DCB_DCBX |
					  RT_DCB_TRUST);
	assert_int_equal(dcb.ets.prio_tc[3], 1);
	assert_int_equal(dcb.pfc.mask, 8);
	assert_int_equal(dcb.app.count, 1);
	assert_int_equal(dcb.app.items[0].protocol, 26);
	assert_int_equal(dcb.dcbx, 9);
	assert_int_equal(dcb.trust_count, 1);
	assert_int_equal(kern->ops->speed_get(kern, "eth0", &bps, &err), 0);
	assert_true(bps.known && bps.value == 400000000000);
	assert_int_equal(kern->ops->pause_get(kern, "eth0", &pause, &err), 0);
	assert_true(pause.rx && !pause.tx);
	assert_int_equal(kern->ops->storm_get(kern, "eth0", &ms, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg, "eth0: no storm prevention");
	assert_int_equal(kern->ops->priv_flags_get(kern, "eth0", &flags, &err), 0);
	assert_int_equal(flags.count, 2);
	assert_true(flags.value == 2);
	assert_int_equal(
		kern->ops->eswitch_mode(kern, "0000:3b:00.0", mode, sizeof(mode), &err),
		0);
	assert_string_equal(mode, "legacy");
	/* Not asked, and no such device. */
	assert_int_equal(
		kern->ops->eswitch_mode(kern, "0000:3b:00.1", mode, sizeof(mode), &err),
		-EOPNOTSUPP);
	assert_int_equal(kern->ops->pause_get(kern, "eth1", &pause, &err), -ENODEV);
}

static void check_read_only(struct rt_kern *kern)
{
	const struct rt_dcb_set set = { .has = RT_DCB_PFC };
	const struct rt_dcb_app app = { RT_APP_DSCP, 3, 26 };
	const struct rt_link_pause pause = { 0 };
	const struct rt_kern_ops *ops = kern->ops;
	struct rt_err err = { 0 };

	assert_false(ops->writable);
	assert_int_equal(ops->file_write(kern, "/sys/class/net/eth0/mtu", "1", &err),
			 -EROFS);
	assert_int_equal(ops->folder_make(kern, "/x", &err), -EROFS);
	assert_int_equal(ops->folder_remove(kern, "/sys/class", &err), -EROFS);
	assert_int_equal(ops->dcb_set(kern, "eth0", &set, &err), -EROFS);
	assert_int_equal(ops->dcb_app_add(kern, "eth0", &app, &err), -EROFS);
	assert_int_equal(ops->dcb_app_delete(kern, "eth0", &app, &err), -EROFS);
	assert_int_equal(ops->dcbx_set(kern, "eth0", 9, &err), -EROFS);
	assert_int_equal(ops->pause_set(kern, "eth0", &pause, &err), -EROFS);
	assert_int_equal(ops->storm_set(kern, "eth0", 1, &err), -EROFS);
	assert_int_equal(ops->priv_flag_set(kern, "eth0", "a", true, &err), -EROFS);
	assert_non_null(strstr(err.msg, "nothing is written"));
}

static void check_all(struct rt_kern *kern)
{
	check_files(kern);
	check_nothing_leads_out(kern);
	check_answers(kern);
	check_read_only(kern);
}

static void test_image_of_a_bundle(void **state)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	(void)state;
	if (rt_kern_open_bundle(host_bundle(), &kern, &err) < 0)
		fail_msg("%s", err.msg);
	check_all(kern);
}

static void test_image_of_a_folder(void **state)
{
	char folder[] = "/tmp/rt-image-XXXXXX";
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = NULL;
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	(void)state;
	RT_NEED_OPENAT2();
	bundle = host_bundle();
	assert_non_null(mkdtemp(folder));
	write_tree(bundle, folder);
	if (rt_kern_open_folder(folder, &kern, &err) < 0)
		fail_msg("%s", err.msg);
	check_all(kern);
	remove_tree(bundle, folder);
}

static void test_image_reads_plain_files_only(void **state)
{
	char folder[] = "/tmp/rt-image-XXXXXX", path[64], text[64];
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	size_t bytes;

	(void)state;
	RT_NEED_OPENAT2();
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink("pipe", path), 0);
	assert_int_equal(rt_kern_open_folder(folder, &kern, NULL), 0);
	assert_int_equal(
		kern->ops->file_read(kern, "/pipe", text, sizeof(text), &bytes, NULL),
		-EINVAL);
	assert_int_equal(
		kern->ops->file_read(kern, "/link", text, sizeof(text), &bytes, NULL),
		-EINVAL);
	unlink(path);
	snprintf(path, sizeof(path), "%s/pipe", folder);
	unlink(path);
	rmdir(folder);
}

static void test_image_refuses_bad_answers(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{ "{", "rocetune/answers.json:" },
		{ "{}", "not a file of rocetune" },
		{ "{\"rocetune\":1,\"kind\":\"answers\",\"pauses\":[]}",
		  "unknown key 'pauses' in answers: did you mean 'pause'?" },
		{ "{\"rocetune\":1,\"kind\":\"answers\",\"pause\":[{\"name\":\"a\","
		  "\"error\":\"ENOPE\"}]}",
		  "pause of 'a': 'ENOPE' is no errno" },
		{ "{\"rocetune\":1,\"kind\":\"answers\",\"pause\":[{\"name\":\"a\"},"
		  "{\"name\":\"a\"}]}",
		  "pause: 'a' stands twice" },
		{ "{\"rocetune\":1,\"kind\":\"answers\",\"dcb\":[{\"name\":\"a\","
		  "\"has\":\"pfc sst\"}]}",
		  "dcb of a: 'sst' is no part of it" },
		{ "{\"rocetune\":1,\"kind\":\"answers\",\"dcb\":[{\"name\":\"a\","
		  "\"trust_count\":9}]}",
		  "trust_count 9 is above 8" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = rt_bundle_new();
		struct rt_kern *kern = NULL;
		struct rt_err err = { 0 };

		rt_bundle_add_file(bundle, RT_ANSWERS_PATH, cases[i].json,
				   strlen(cases[i].json), NULL);
		assert_int_equal(rt_kern_open_bundle(bundle, &kern, &err), -EINVAL);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("'%s' lacks '%s'", err.msg, cases[i].says);
	}
}

static void test_image_without_answers_is_one(void **state)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };
	struct rt_link_pause pause;

	(void)state;
	assert_int_equal(rt_kern_open_bundle(rt_bundle_new(), &kern, NULL), 0);
	assert_int_equal(kern->ops->pause_get(kern, "eth0", &pause, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg, "eth0: cannot read pause: it was not recorded");
	assert_int_equal(rt_kern_open_folder("/nowhere", &kern, &err), -ENOENT);
}

/* --- the recorder ------------------------------------------------------------------------ */

/* Asks everything of a small host; text of all that was said, errors too. */
static char *interview(struct rt_kern *kern)
{
	static const char *const files[] = {
		"/sys/class/net/eth0/mtu",   "/sys/bad", "/sys/none", "/sys/class",
		"/sys/class/net/eth0/speed", "/sys/up"
	};
	static const char *const folders[] = { "/sys/class/net/eth0", "/sys", "/",
					       "/sys/bad", "/none" };
	struct rt_names names = { 0 };
	struct rt_err err = { 0 };
	struct rt_priv_flags flags = { 0 };
	struct rt_ethtool_info info = { 0 };
	struct rt_rdma_ports ports = { 0 };
	struct rt_links links = { 0 };
	struct rt_rdma_use use = { 0 };
	struct rt_opt_u64 bps = { 0 };
	struct rt_link_pause pause = { 0 };
	struct rt_dcb dcb = { 0 };
	char *said = NULL, text[256];
	size_t bytes;
	uint16_t ms = 0;
	FILE *to = open_memstream(&said, &bytes);

#define SAY(call, fmt, ...)                                 \
	do {                                                \
		const int r = (call);                       \
		fprintf(to, "%d ", r);                      \
		if (r == 0)                                 \
			fprintf(to, fmt "\n", __VA_ARGS__); \
		else                                        \
			fprintf(to, "%s\n", err.msg);       \
		err = (struct rt_err){ 0 };                 \
	} while (0)

	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		size_t got;

		SAY(kern->ops->file_read(kern, files[i], text, sizeof(text), &got,
					 &err),
		    "%s", text);
		SAY(kern->ops->symlink_read(kern, files[i], text, sizeof(text), NULL),
		    "%s", text);
		fprintf(to, "%d %d\n", kern->ops->access(kern, files[i], false),
			kern->ops->access(kern, files[i], true));
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(folders); i++) {
		SAY(kern->ops->folder_read(kern, folders[i], &names, &err), "%zu",
		    names.count);
		for (size_t j = 0; j < names.count; j++)
			/* what holds the answers is in recorded hosts only */
			if (strcmp(names.items[j], "rocetune") != 0)
				fprintf(to, "  %s\n", names.items[j]);
		rt_names_free(&names);
	}
	SAY(kern->ops->links(kern, &links, &err), "%zu %s", links.count,
	    links.items[0].name);
	SAY(kern->ops->rdma_ports(kern, &ports, &err), "%zu %s", ports.count,
	    ports.items[0].ibdev);
	for (int i = 0; i < 2; i++) {
		const char *netdev = i ? "eth1" : "eth0";

		SAY(kern->ops->rdma_use(kern, i ? "none" : "mlx5_0", &use, &err),
		    "%u %s", use.qps, use.who);
		SAY(kern->ops->ethtool_info(kern, netdev, &info, &err), "%s",
		    info.driver);
		SAY(kern->ops->dcb_get(kern, netdev, &dcb, &err), "%x %x %zu %x",
		    dcb.has, dcb.pfc.mask, dcb.app.count, dcb.dcbx);
		SAY(kern->ops->speed_get(kern, netdev, &bps, &err), "%d %lu", bps.known,
		    (unsigned long)bps.value);
		SAY(kern->ops->pause_get(kern, netdev, &pause, &err), "%d%d", pause.rx,
		    pause.tx);
		SAY(kern->ops->storm_get(kern, netdev, &ms, &err), "%u", ms);
		SAY(kern->ops->priv_flags_get(kern, netdev, &flags, &err), "%zu %lx %s",
		    flags.count, (unsigned long)flags.value, flags.name[0]);
		SAY(kern->ops->eswitch_mode(kern, i ? "none" : "0000:3b:00.0", text,
					    sizeof(text), &err),
		    "%s", text);
	}
	rt_links_free(&links);
	rt_rdma_ports_free(&ports);
	fclose(to);
	return said;
}

static void test_recorder_makes_a_host_that_says_the_same(void **state)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *host = NULL, *copy = NULL;
	RT_AUTO(rt_auto_bundle_free) struct rt_bundle *bundle = rt_bundle_new();
	RT_AUTO(rt_auto_free) char *first = NULL, *recorded = NULL, *again = NULL;
	struct rt_kern *recorder = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_kern_open_bundle(host_bundle(), &host, &err), 0);
	first = interview(host);
	assert_int_equal(rt_kern_open_recorder(host, bundle, &recorder, &err), 0);
	check_read_only(recorder);
	recorded = interview(recorder);
	if (rt_kern_recorder_finish(recorder, &err) < 0)
		fail_msg("%s", err.msg);
	rt_kern_close(recorder);
	assert_string_equal(first, recorded);

	if (rt_kern_open_bundle(bundle, &copy, &err) < 0)
		fail_msg("%s", err.msg);
	bundle = NULL; /* taken */
	again = interview(copy);
	assert_string_equal(first, again);
}

RT_UNIT_MAIN(cmocka_unit_test(test_image_of_a_bundle),
	     cmocka_unit_test(test_image_of_a_folder),
	     cmocka_unit_test(test_image_reads_plain_files_only),
	     cmocka_unit_test(test_image_refuses_bad_answers),
	     cmocka_unit_test(test_image_without_answers_is_one),
	     cmocka_unit_test(test_recorder_makes_a_host_that_says_the_same))
