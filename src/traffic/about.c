/* SPDX-License-Identifier: BSD-2-Clause */
/* about.c - what an engine chose describes itself. */
#include "traffic/engine.h"

#define ABOUT(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_engine_about, kind, member, unit, help, ##__VA_ARGS__)
#define WORD(member, help, ...) \
	RT_FIELD_CHARS_OF(struct rt_engine_about, member, help, ##__VA_ARGS__)

static const struct rt_field about_fields[] = {
	WORD(engine, "what moves the bytes: verbs, soft, null"),
	WORD(device, "RDMA device"),
	WORD(netdev, "interface"),
	ABOUT(IP, ip, NONE, "local address", .label = "address"),
	ABOUT(OPT_U64, gid_index, NONE, "which of the port's GIDs", .label = "GID"),
	WORD(gid_type, "kind of that GID", .label = "GID type"),
	WORD(chosen, "why this device, address and GID"),
	ABOUT(U32, mtu_bytes, MTU, "path MTU", .label = "MTU"),
	ABOUT(OPT_U64, speed_bps, BPS, "of the link"),
	ABOUT(BOOL, huge_pages, NONE, "buffers lie on huge pages"),
	WORD(transport, "in words"),
};

RT_TABLE(rt_engine_about_table, rt_engine_about, "engine_about", "Engine",
	 "What an engine chose, on one host.", about_fields);
