/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_lldpcli.c - any text as what lldpcli wrote. */
#include <stdlib.h>

#include "base/doc.h"
#include "model/dcbx.h"
#include "rocetune/err.h"
#include "wire/lldp_peers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct rt_dcbx_peer peer;
	struct rt_lldp_peers peers = { 0 };
	struct rt_err err = { 0 };
	struct rt_doc *doc = NULL;
	int r = rt_doc_parse("fuzz", (const char *)data, bytes, &doc, &err);

	if (r == 0)
		r = rt_lldpcli_read(doc, &peers, &err);
	if (r < 0 && !*err.msg)
		abort();
	for (size_t i = 0; i < peers.count; i++)
		rt_dcbx_peer_of(&peers.items[i], &peer);
	rt_lldp_peers_free(&peers);
	rt_doc_free(doc);
	return 0;
}
