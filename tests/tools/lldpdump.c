/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldpdump.c - the LLDP frames of a capture, a line each, in the words of
 * `tshark -T fields -E occurrence=a -E aggregator=,`, to hold one against the other.
 *
 *   lldpdump FILE          a line a frame, fields parted by tabs
 *   lldpdump --fields      tshark's names of the fields, a line each
 *   lldpdump --build FILE  a capture of frames with all that can be sent
 *   lldpdump --send DEV    one frame without DCBX and one with, to a device
 *   lldpdump --listen DEV MS  who is heard, a line each
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_packet.h>
#include <net/if.h>

#include "base/own.h"
#include "base/rng.h"
#include "pktio/lldp_listen.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "wire/lldp.h"
#include "wire/lldp_peers.h"

/* Values of one field, as they stand in the frame. */
struct cell {
	char text[8192];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
add(struct cell *cell, const char *fmt, ...)
{
	va_list args;

	if (cell->used)
		cell->text[cell->used++] = ',';
	va_start(args, fmt);
	cell->used += (size_t)vsnprintf(cell->text + cell->used,
					sizeof(cell->text) - cell->used, fmt, args);
	va_end(args);
}

/* The old dialects; tshark shows both under the same names. */
#define for_each_old(dcbx, said)                                      \
	for (const struct rt_dcbx *dcbx = &(said)->dcbx[RT_DCBX_CEE]; \
	     dcbx <= &(said)->dcbx[RT_DCBX_CIN]; dcbx++)

static void ttl(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	if (said->ttl_s.known)
		add(cell, "%u", (unsigned)said->ttl_s.value);
}

static void text(const char *of, struct cell *cell)
{
	if (*of)
		add(cell, "%s", of);
}

static void system_name(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	text(said->system_name, cell);
}

static void port_description(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	text(said->port_description, cell);
}

static void max_frame(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	if (said->max_frame_bytes.known)
		add(cell, "%u", (unsigned)said->max_frame_bytes.value);
}

static void ieee_willing(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx *ieee = &said->dcbx[RT_DCBX_IEEE];

	(void)i;
	if (ieee->ets.present)
		add(cell, "%d", ieee->ets.willing);
	if (ieee->pfc.present)
		add(cell, "%d", ieee->pfc.willing);
}

static void ieee_tcs(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_ets *ets = &said->dcbx[RT_DCBX_IEEE].ets;

	(void)i;
	if (ets->present)
		add(cell, "%u", ets->tc_count & 7);
}

/* IEEE's ETS and its recommendation, and the groups of CEE, share names. */
static void ets_of(const struct rt_lldp *said, unsigned i, struct cell *cell,
		   const uint8_t *(*of)(const struct rt_dcbx_ets *))
{
	const struct rt_dcbx *ieee = &said->dcbx[RT_DCBX_IEEE];
	const struct rt_dcbx *cee = &said->dcbx[RT_DCBX_CEE];

	if (ieee->ets.present)
		add(cell, "%u", of(&ieee->ets)[i]);
	if (ieee->reco.present)
		add(cell, "%u", of(&ieee->reco)[i]);
	if (cee->ets.present)
		add(cell, "%u", of(&cee->ets)[i]);
}

static const uint8_t *prio_tc(const struct rt_dcbx_ets *ets)
{
	return ets->prio_tc;
}

static const uint8_t *bw(const struct rt_dcbx_ets *ets)
{
	return ets->bw_percent;
}

static void group(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	ets_of(said, i, cell, prio_tc);
}

static void share(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	ets_of(said, i, cell, bw);
}

static void tsa(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx *ieee = &said->dcbx[RT_DCBX_IEEE];

	if (ieee->ets.present)
		add(cell, "%u", ieee->ets.tsa[i]);
	if (ieee->reco.present)
		add(cell, "%u", ieee->reco.tsa[i]);
}

static void pfc(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	for (unsigned d = 0; d < RT_DCBX_DIALECT_COUNT; d++)
		if (said->dcbx[d].pfc.present)
			add(cell, "%u", said->dcbx[d].pfc.prio_mask >> i & 1u);
}

static void pfc_tcs(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_pfc *of = &said->dcbx[RT_DCBX_IEEE].pfc;

	(void)i;
	if (of->present)
		add(cell, "%u", of->tc_count);
}

static void pfc_tcs_cee(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_pfc *of = &said->dcbx[RT_DCBX_CEE].pfc;

	(void)i;
	if (of->present)
		add(cell, "0x%02x", of->tc_count);
}

static void app_prio(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_apps *apps = &said->dcbx[RT_DCBX_IEEE].apps;

	(void)i;
	for (unsigned a = 0; a < apps->count; a++)
		add(cell, "%d", __builtin_ctz(apps->items[a].prio_mask));
}

static void app_selector(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_apps *apps = &said->dcbx[RT_DCBX_IEEE].apps;

	(void)i;
	for (unsigned a = 0; a < apps->count; a++)
		add(cell, "%u", apps->items[a].selector);
}

static void app_protocol(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	for (unsigned d = 0; d < RT_DCBX_CIN; d++)
		for (unsigned a = 0; a < said->dcbx[d].apps.count; a++)
			add(cell, "0x%04x", said->dcbx[d].apps.items[a].protocol);
}

static void app_prio_cee(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	const struct rt_dcbx_apps *apps = &said->dcbx[RT_DCBX_CEE].apps;

	(void)i;
	for (unsigned a = 0; a < apps->count; a++)
		add(cell, "%d", __builtin_ctz(apps->items[a].prio_mask));
}

static void sequence(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	for_each_old (dcbx, said)
		if (dcbx->control.present)
			add(cell, "%u", dcbx->control.sequence);
}

static void enabled(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	for_each_old (dcbx, said) {
		if (dcbx->ets.present)
			add(cell, "%d", dcbx->ets.enabled);
		if (dcbx->pfc.present)
			add(cell, "%d", dcbx->pfc.enabled);
		if (dcbx->apps.present)
			add(cell, "%d", dcbx->apps.enabled);
	}
}

static void willing(const struct rt_lldp *said, unsigned i, struct cell *cell)
{
	(void)i;
	for_each_old (dcbx, said) {
		if (dcbx->ets.present)
			add(cell, "%d", dcbx->ets.willing);
		if (dcbx->pfc.present)
			add(cell, "%d", dcbx->pfc.willing);
		if (dcbx->apps.present)
			add(cell, "%d", dcbx->apps.willing);
	}
}

/* %u in a name stands for 0 to 7. */
static const struct {
	const char *name;
	void (*get)(const struct rt_lldp *said, unsigned i, struct cell *cell);
} columns[] = {
	{ "lldp.time_to_live", ttl },
	{ "lldp.tlv.system.name", system_name },
	{ "lldp.port.desc", port_description },
	{ "lldp.ieee.802_3.max_frame_size", max_frame },
	{ "lldp.dcbx.ieee.willing", ieee_willing },
	{ "lldp.dcbx.ieee.ets.maxtcs", ieee_tcs },
	{ "lldp.dcbx.feature.pg.pgid_prio%u", group },
	{ "lldp.dcbx.feature.pg.per%u", share },
	{ "lldp.dcbx.ieee.ets.tsa%u", tsa },
	{ "lldp.dcbx.feature.pfc.prio%u", pfc },
	{ "lldp.dcbx.ieee.pfc.numtcs", pfc_tcs },
	{ "lldp.dcbx.feature.pfc.numtcs", pfc_tcs_cee },
	{ "lldp.dcbx.ieee.app.prio", app_prio },
	{ "lldp.dcbx.iee.app.sf", app_selector },
	{ "lldp.dcbx.feature.app.proto", app_protocol },
	{ "lldp.dcbx.feature.app.prio", app_prio_cee },
	{ "lldp.dcbx.control.seq", sequence },
	{ "lldp.dcbx.feature.enabled", enabled },
	{ "lldp.dcbx.feature.willing", willing },
};

static unsigned elements(const char *name)
{
	return strchr(name, '%') ? 8 : 1;
}

static void list_fields(void)
{
	for (size_t c = 0; c < RT_ARRAY_SIZE(columns); c++)
		for (unsigned i = 0; i < elements(columns[c].name); i++) {
			const char *at = strchr(columns[c].name, '%');

			if (at)
				printf("%.*s%u\n", (int)(at - columns[c].name),
				       columns[c].name, i);
			else
				puts(columns[c].name);
		}
}

static void dump(void *context, const struct rt_frame *frame, const uint8_t *data)
{
	static struct rt_lldp said;
	unsigned *n = context;

	if (!rt_lldp_decode(data, frame->cap_bytes, &said))
		return;
	++*n;
	for (size_t c = 0; c < RT_ARRAY_SIZE(columns); c++)
		for (unsigned i = 0; i < elements(columns[c].name); i++) {
			struct cell cell = { 0 };

			columns[c].get(&said, i, &cell);
			printf("%s%s", c + i ? "\t" : "", cell.text);
		}
	putchar('\n');
}

static int dump_file(const char *path)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_err err = { 0 };
	struct rt_frame frames[32];
	unsigned n = 0;
	size_t count = 1;
	int r = rt_capture_open(path, 0, &source, &err);

	if (r == 0)
		rt_capture_tap(source, RT_FRAME_LLDP, dump, &n);
	while (r == 0 && count)
		r = source->ops->read(source, frames, RT_ARRAY_SIZE(frames), &count,
				      &err);
	if (r < 0)
		fprintf(stderr, "lldpdump: %s\n", err.msg);
	return r < 0;
}

/* --- building ------------------------------------------------------------------- */

static void some_bytes(struct rt_rng *rng, uint8_t *at, size_t count, unsigned below)
{
	for (size_t i = 0; i < count; i++)
		at[i] = (uint8_t)(rt_rng_u64(rng) % below);
}

static bool perhaps(struct rt_rng *rng)
{
	return rt_rng_u64(rng) & 1;
}

static void some_ets(struct rt_rng *rng, struct rt_dcbx_ets *ets, unsigned groups)
{
	ets->present = perhaps(rng);
	ets->willing = perhaps(rng);
	ets->enabled = perhaps(rng);
	ets->tc_count = (uint8_t)(1 + rt_rng_u64(rng) % 8);
	some_bytes(rng, ets->prio_tc, 8, groups);
	some_bytes(rng, ets->bw_percent, 8, 101);
	some_bytes(rng, ets->tsa, 8, 3);
}

static void some_dcbx(struct rt_rng *rng, struct rt_dcbx *dcbx, enum rt_dcbx_dialect is)
{
	const bool old = is != RT_DCBX_IEEE;

	dcbx->present = perhaps(rng);
	if (!dcbx->present)
		return;
	if (is != RT_DCBX_CIN)
		some_ets(rng, &dcbx->ets, 16);
	if (!old)
		some_ets(rng, &dcbx->reco, 16);
	dcbx->control.present = old;
	dcbx->control.sequence = (uint32_t)rt_rng_u64(rng);
	dcbx->pfc = (struct rt_dcbx_pfc){ .present = perhaps(rng),
					  .willing = perhaps(rng),
					  .enabled = perhaps(rng),
					  .prio_mask = (uint8_t)rt_rng_u64(rng),
					  .tc_count = rt_rng_u64(rng) & 7 };
	dcbx->apps.present = perhaps(rng) && is != RT_DCBX_CIN;
	dcbx->apps.count = dcbx->apps.present ? rt_rng_u64(rng) % 7 : 0;
	for (unsigned i = 0; i < dcbx->apps.count; i++)
		dcbx->apps.items[i] = (struct rt_dcbx_app){
			.selector = (uint8_t)(1 + (old ? 0 : rt_rng_u64(rng) % 5)),
			.prio_mask = (uint8_t)(1u << (rt_rng_u64(rng) & 7)),
			.protocol = (uint16_t)(0x0900 + rt_rng_u64(rng) % 999),
		};
}

static struct rt_lldp some_lldp(struct rt_rng *rng)
{
	struct rt_lldp said = {
		.eth_src = { 2, 0, 0, 0, 0, 1 },
		.chassis = { RT_LLDP_CHASSIS_MAC, 6, { 2, 0, 0, 0, 0, 1 } },
		.port = { RT_LLDP_PORT_IFNAME, 4, "Eth1" },
		.ttl_s = RT_KNOWN_U64(rt_rng_u64(rng) % 65536),
		.system_name = "leaf-1",
		.port_description = "to a host",
		.management = { { 192, 0, 2, 1 }, 4 },
	};

	if (perhaps(rng))
		said.max_frame_bytes = RT_KNOWN_U64(9236);
	for (unsigned i = 0; i < RT_DCBX_DIALECT_COUNT; i++)
		some_dcbx(rng, &said.dcbx[i], i);
	return said;
}

static int build(const char *path)
{
	const struct rt_capture_if interface = { .name = "eth0",
						 .link_type = RT_LINK_ETHERNET,
						 .units_per_s = 1000000000 };
	struct rt_sink *sink;
	struct rt_err err = { 0 };
	struct rt_rng rng;
	int r = rt_capture_create(path, 0, &sink, &err);

	if (r < 0) {
		fprintf(stderr, "lldpdump: %s\n", err.msg);
		return 1;
	}
	rt_rng_init(&rng, 1, 0);
	r = sink->ops->add_interface(sink, &interface, &err);
	for (unsigned i = 0; r == 0 && i < 200; i++) {
		const struct rt_lldp said = some_lldp(&rng);
		uint8_t frame[RT_LLDP_FRAME_MAX];
		const size_t bytes = rt_lldp_build(&said, frame, sizeof(frame));

		r = sink->ops->write(sink, 0, i * 1000, frame, (uint32_t)bytes,
				     (uint32_t)bytes, &err);
	}
	r = sink->ops->close(sink, r ? NULL : &err) < 0 ? -1 : r;
	if (r < 0)
		fprintf(stderr, "lldpdump: %s\n", err.msg);
	return r < 0;
}

/* --- a device --------------------------------------------------------------------- */

static int send_frame(int fd, const struct sockaddr_ll *to, const struct rt_lldp *said)
{
	uint8_t frame[RT_LLDP_FRAME_MAX];
	const size_t bytes = rt_lldp_build(said, frame, sizeof(frame));

	return sendto(fd, frame, bytes, 0, (const void *)to, sizeof(*to)) ==
			       (ssize_t)bytes
		       ? 0
		       : 1;
}

static int send_to(const char *device)
{
	const struct sockaddr_ll to = { .sll_family = AF_PACKET,
					.sll_ifindex = (int)if_nametoindex(device) };
	const int fd = socket(AF_PACKET, SOCK_RAW, 0);
	struct rt_lldp said = {
		.eth_src = { 2, 0, 0, 0, 0, 9 },
		.chassis = { RT_LLDP_CHASSIS_LOCAL, 4, "mute" },
		.port = { RT_LLDP_PORT_LOCAL, 1, "1" },
		.ttl_s = RT_KNOWN_U64(120),
	};
	int r;

	if (fd < 0)
		return 1;
	r = send_frame(fd, &to, &said);
	memcpy(said.chassis.value, "leaf", 4);
	snprintf(said.system_name, sizeof(said.system_name), "leaf-1");
	said.dcbx[RT_DCBX_IEEE].pfc = (struct rt_dcbx_pfc){ .present = true,
							    .prio_mask = 8 };
	r |= send_frame(fd, &to, &said);
	close(fd);
	return r;
}

static int listen_on(const char *device, unsigned most_ms)
{
	struct rt_lldp_peers peers = { 0 };
	struct rt_err err = { 0 };
	int r = rt_lldp_listen(&device, 1, most_ms, &peers, &err);

	for (size_t i = 0; i < peers.count; i++) {
		const struct rt_lldp_peer *peer = &peers.items[i];
		char chassis[RT_LLDP_ID_TEXT_BYTES];

		printf("%s %s %02x\n", peer->interface,
		       rt_lldp_chassis_text(&peer->said.chassis, chassis),
		       peer->said.dcbx[RT_DCBX_IEEE].pfc.prio_mask);
	}
	rt_lldp_peers_free(&peers);
	if (r < 0)
		fprintf(stderr, "lldpdump: %s\n", err.msg);
	return r < 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--fields") == 0) {
		list_fields();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--build") == 0)
		return build(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--send") == 0)
		return send_to(argv[2]);
	if (argc == 4 && strcmp(argv[1], "--listen") == 0)
		return listen_on(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 2)
		return dump_file(argv[1]);
	fputs("usage: lldpdump FILE | --fields | --build FILE | --send DEV | "
	      "--listen DEV MS\n",
	      stderr);
	return 2;
}
