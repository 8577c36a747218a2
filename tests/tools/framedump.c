/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * framedump.c - what the decoder makes of a capture, a line a frame, in the words
 * and number formats of `tshark -T fields`, to hold one against the other.
 *
 *   framedump FILE      a line a frame, fields parted by tabs
 *   framedump --fields  tshark's names of the fields, a line each; then ours,
 *                       in brackets, which tshark does not have
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

enum format {
	DECIMAL,
	HEX8,
	HEX16,
	HEX24,
	HEX32,
	HEX64,
	WORD,
};

/* Gives the value; false: this frame has none. */
typedef bool get_fn(const struct rt_frame *frame, uint64_t *ret_value);

static bool has_bth(const struct rt_frame *frame)
{
	return frame->kind == RT_FRAME_ROCE && !(frame->flags & RT_FRAME_BTH_CUT);
}

static bool has_ext(const struct rt_frame *frame, unsigned ext)
{
	return has_bth(frame) && frame->bth.ext & ext;
}

#define GET(name, condition, value)                                               \
	static bool get_##name(const struct rt_frame *frame, uint64_t *ret_value) \
	{                                                                         \
		if (!(condition))                                                 \
			return false;                                             \
		*ret_value = (value);                                             \
		return true;                                                      \
	}

#define BTH(name, value)      GET(name, has_bth(frame), value)
#define EXT(name, ext, value) GET(name, has_ext(frame, ext), value)

GET(number, true, frame->number)
BTH(opcode, frame->bth.opcode)
BTH(dest_qp, frame->bth.dest_qp)
BTH(psn, frame->bth.psn)
BTH(pad, frame->bth.pad_bytes)
BTH(ackreq, !!(frame->bth.bits & RT_BTH_ACKREQ))
BTH(solicited, !!(frame->bth.bits & RT_BTH_SOLICITED))
BTH(migreq, !!(frame->bth.bits & RT_BTH_MIGREQ))
BTH(pkey, frame->bth.pkey)
BTH(tver, frame->bth.tver)
EXT(syndrome, RT_EXT_AETH, frame->bth.syndrome)
EXT(msn, RT_EXT_AETH, frame->bth.msn)
EXT(va, RT_EXT_RETH | RT_EXT_ATOMICETH, frame->bth.va)
EXT(rkey, RT_EXT_RETH | RT_EXT_ATOMICETH, frame->bth.rkey)
EXT(dma_bytes, RT_EXT_RETH, frame->bth.dma_bytes)
EXT(qkey, RT_EXT_DETH, frame->bth.qkey)
EXT(src_qp, RT_EXT_DETH, frame->bth.src_qp)
EXT(immediate, RT_EXT_IMMDT, frame->bth.immediate)
EXT(ieth, RT_EXT_IETH, frame->bth.rkey)
EXT(swap, RT_EXT_ATOMICETH, frame->bth.swap_add)
EXT(compare, RT_EXT_ATOMICETH, frame->bth.compare)
EXT(original, RT_EXT_ATOMICACKETH, frame->bth.swap_add)
GET(icrc, frame->icrc == RT_ICRC_OK || frame->icrc == RT_ICRC_BAD, 1)
GET(dscp4, frame->src.version == 4, frame->dscp)
GET(ecn4, frame->src.version == 4, frame->ecn)
GET(dscp6, frame->src.version == 6 && !(frame->flags & RT_FRAME_GRH), frame->dscp)
GET(ecn6, frame->src.version == 6 && !(frame->flags & RT_FRAME_GRH), frame->ecn)
GET(tclass, frame->flags &RT_FRAME_GRH, frame->dscp << 2 | frame->ecn)
GET(slid, frame->version == RT_ROCE_IB, frame->slid_dlid >> 16)
GET(dlid, frame->version == RT_ROCE_IB, frame->slid_dlid & 0xFFFF)
GET(mac_opcode, frame->kind == RT_FRAME_PFC || frame->kind == RT_FRAME_PAUSE,
    frame->kind == RT_FRAME_PFC ? 0x0101 : 0x0001)
GET(enable, frame->kind == RT_FRAME_PFC, frame->pause.enable)
GET(pause, frame->kind == RT_FRAME_PAUSE, frame->pause.quanta[0])

#define QUANTA(n) GET(quanta##n, frame->kind == RT_FRAME_PFC, frame->pause.quanta[n])
QUANTA(0)
QUANTA(1)
QUANTA(2)
QUANTA(3)
QUANTA(4)
QUANTA(5)
QUANTA(6)
QUANTA(7)

GET(vid, frame->vlan_tags == 1, frame->vlan & 0xFFF)
GET(pcp, frame->vlan_tags == 1, frame->vlan >> 13)
GET(sport, frame->ip_proto == 17 && (frame->udp_sport || frame->udp_dport),
    frame->udp_sport)
GET(dport, frame->ip_proto == 17 && (frame->udp_sport || frame->udp_dport),
    frame->udp_dport)
#define CM(name, what, bits, value) \
	GET(name, is_cm(frame, RT_CM_##what, RT_CM_KNOWS_##bits), value)

static bool is_cm(const struct rt_frame *frame, enum rt_cm_kind kind, unsigned known)
{
	return frame->flags & RT_FRAME_CM && frame->bth.cm.kind == kind &&
	       frame->bth.cm.known & known;
}

CM(req_id, REQ, IDS, frame->bth.cm.local_id)
CM(req_qpn, REQ, QP, frame->bth.cm.qpn)
CM(req_psn, REQ, PSN, frame->bth.cm.psn)
CM(req_resources, REQ, PSN, frame->bth.cm.resources)
CM(req_depth, REQ, PSN, frame->bth.cm.depth)
CM(req_retries, REQ, PSN, frame->bth.cm.retries)
CM(req_mtu, REQ, PATH, frame->bth.cm.mtu_code)
CM(req_rnr, REQ, PATH, frame->bth.cm.rnr_retries)
CM(req_timeout, REQ, PATH, frame->bth.cm.ack_timeout)
CM(req_sport, REQ, IP, frame->bth.cm.src_port)
CM(rep_id, REP, IDS, frame->bth.cm.local_id)
CM(rep_remote, REP, IDS, frame->bth.cm.remote_id)
CM(rep_qpn, REP, QP, frame->bth.cm.qpn)
CM(rep_psn, REP, PSN, frame->bth.cm.psn)
CM(rep_resources, REP, PSN, frame->bth.cm.resources)
CM(rep_depth, REP, PSN, frame->bth.cm.depth)
CM(rep_rnr, REP, PSN, frame->bth.cm.rnr_retries)
CM(rtu_id, RTU, IDS, frame->bth.cm.local_id)
CM(rtu_remote, RTU, IDS, frame->bth.cm.remote_id)
CM(rej_reason, REJ, REASON, frame->bth.cm.reason)
CM(dreq_qpn, DREQ, QP, frame->bth.cm.qpn)
GET(kind, true, frame->kind)
GET(version, true, frame->version)
GET(proto, true, frame->ip_proto)
GET(encap, true, frame->encap)
GET(encap_id, true, frame->encap_id)
GET(verdict, true, frame->icrc)
BTH(becn, !!(frame->bth.bits & RT_BTH_BECN))
BTH(fecn, !!(frame->bth.bits & RT_BTH_FECN))
BTH(payload, frame->bth.payload_bytes)
GET(flags, true, frame->flags)

static const struct {
	const char *name;
	enum format format;
	get_fn *get;
} fields[] = {
	{ "frame.number", DECIMAL, get_number },
	{ "infiniband.bth.opcode", DECIMAL, get_opcode },
	{ "infiniband.bth.destqp", HEX24, get_dest_qp },
	{ "infiniband.bth.psn", DECIMAL, get_psn },
	{ "infiniband.bth.padcnt", DECIMAL, get_pad },
	{ "infiniband.bth.a", DECIMAL, get_ackreq },
	{ "infiniband.bth.se", DECIMAL, get_solicited },
	{ "infiniband.bth.m", DECIMAL, get_migreq },
	{ "infiniband.bth.p_key", DECIMAL, get_pkey },
	{ "infiniband.bth.tver", DECIMAL, get_tver },
	{ "infiniband.aeth.syndrome", DECIMAL, get_syndrome },
	{ "infiniband.aeth.msn", DECIMAL, get_msn },
	{ "infiniband.reth.va", HEX64, get_va },
	{ "infiniband.reth.r_key", HEX32, get_rkey },
	{ "infiniband.reth.dmalen", DECIMAL, get_dma_bytes },
	{ "infiniband.deth.q_key", HEX64, get_qkey },
	{ "infiniband.deth.srcqp", HEX32, get_src_qp },
	{ "infiniband.immdt", WORD, get_immediate },
	{ "infiniband.ieth", WORD, get_ieth },
	{ "infiniband.atomiceth.swapdt", DECIMAL, get_swap },
	{ "infiniband.atomiceth.cmpdt", DECIMAL, get_compare },
	{ "infiniband.atomicacketh.origremdt", DECIMAL, get_original },
	{ "infiniband.invariant.crc", DECIMAL, get_icrc },
	{ "ip.dsfield.dscp", DECIMAL, get_dscp4 },
	{ "ip.dsfield.ecn", DECIMAL, get_ecn4 },
	{ "ipv6.tclass.dscp", DECIMAL, get_dscp6 },
	{ "ipv6.tclass.ecn", DECIMAL, get_ecn6 },
	{ "infiniband.grh.tclass", DECIMAL, get_tclass },
	{ "infiniband.lrh.slid", DECIMAL, get_slid },
	{ "infiniband.lrh.dlid", DECIMAL, get_dlid },
	{ "macc.opcode", HEX16, get_mac_opcode },
	{ "macc.cbfc.enbv", HEX16, get_enable },
	{ "macc.cbfc.pause_time.c0", DECIMAL, get_quanta0 },
	{ "macc.cbfc.pause_time.c1", DECIMAL, get_quanta1 },
	{ "macc.cbfc.pause_time.c2", DECIMAL, get_quanta2 },
	{ "macc.cbfc.pause_time.c3", DECIMAL, get_quanta3 },
	{ "macc.cbfc.pause_time.c4", DECIMAL, get_quanta4 },
	{ "macc.cbfc.pause_time.c5", DECIMAL, get_quanta5 },
	{ "macc.cbfc.pause_time.c6", DECIMAL, get_quanta6 },
	{ "macc.cbfc.pause_time.c7", DECIMAL, get_quanta7 },
	{ "macc.pause_time", DECIMAL, get_pause },
	{ "vlan.id", DECIMAL, get_vid },
	{ "vlan.priority", DECIMAL, get_pcp },
	{ "udp.srcport", DECIMAL, get_sport },
	{ "udp.dstport", DECIMAL, get_dport },
	{ "infiniband.cm.req", HEX32, get_req_id },
	{ "infiniband.cm.req.localqpn", HEX24, get_req_qpn },
	{ "infiniband.cm.req.startpsn", HEX24, get_req_psn },
	{ "infiniband.cm.req.responderres", HEX8, get_req_resources },
	{ "infiniband.cm.req.initdepth", HEX8, get_req_depth },
	{ "infiniband.cm.req.retrcount", HEX8, get_req_retries },
	{ "infiniband.cm.req.pppmtu", HEX8, get_req_mtu },
	{ "infiniband.cm.req.rnrretrcount", HEX8, get_req_rnr },
	{ "infiniband.cm.req.prim_localacktout", HEX8, get_req_timeout },
	{ "infiniband.cm.req.ip_cm.sport", HEX16, get_req_sport },
	{ "infiniband.cm.rep", HEX32, get_rep_id },
	{ "infiniband.cm.rep.remotecommid", HEX32, get_rep_remote },
	{ "infiniband.cm.rep.localqpn", HEX24, get_rep_qpn },
	{ "infiniband.cm.rep.startpsn", HEX24, get_rep_psn },
	{ "infiniband.cm.rep.respres", HEX8, get_rep_resources },
	{ "infiniband.cm.rep.initdepth", HEX8, get_rep_depth },
	{ "infiniband.cm.rep.rnrretrcount", HEX8, get_rep_rnr },
	{ "infiniband.cm.rtu.localcommid", HEX32, get_rtu_id },
	{ "infiniband.cm.rtu.remotecommid", HEX32, get_rtu_remote },
	{ "infiniband.cm.rej.reason", HEX16, get_rej_reason },
	{ "infiniband.cm.req.remoteqpneecn", HEX24, get_dreq_qpn },
	{ "[kind]", DECIMAL, get_kind },
	{ "[version]", DECIMAL, get_version },
	{ "[ip_proto]", DECIMAL, get_proto },
	{ "[encap]", DECIMAL, get_encap },
	{ "[encap_id]", DECIMAL, get_encap_id },
	{ "[icrc]", DECIMAL, get_verdict },
	{ "[becn]", DECIMAL, get_becn },
	{ "[fecn]", DECIMAL, get_fecn },
	{ "[payload]", DECIMAL, get_payload },
	{ "[flags]", DECIMAL, get_flags },
};

static void print_value(enum format format, uint64_t value)
{
	static const char *const formats[] = {
		[DECIMAL] = "%" PRIu64,   [HEX8] = "0x%02" PRIx64,
		[HEX16] = "0x%04" PRIx64, [HEX24] = "0x%06" PRIx64,
		[HEX32] = "0x%08" PRIx64, [HEX64] = "0x%016" PRIx64,
		[WORD] = "%08" PRIx64,
	};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	printf(formats[format], value);
#pragma GCC diagnostic pop
}

static void print_frame(const struct rt_frame *frame)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(fields); i++) {
		uint64_t value;

		if (i)
			putchar('\t');
		if (fields[i].get(frame, &value))
			print_value(fields[i].format, value);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_frame frames[16];
	struct rt_err err = { 0 };
	size_t count;
	int r;

	if (argc == 2 && strcmp(argv[1], "--fields") == 0) {
		for (size_t i = 0; i < RT_ARRAY_SIZE(fields); i++)
			puts(fields[i].name);
		return 0;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: framedump FILE | --fields\n");
		return 2;
	}
	r = rt_capture_open(argv[1], RT_DECODE_ICRC, &source, &err);
	while (r == 0) {
		r = source->ops->read(source, frames, RT_ARRAY_SIZE(frames), &count,
				      &err);
		if (r < 0 || count == 0)
			break;
		for (size_t i = 0; i < count; i++)
			print_frame(&frames[i]);
	}
	if (r < 0)
		fprintf(stderr, "framedump: %s\n", err.msg);
	return r < 0 ? 3 : 0;
}
