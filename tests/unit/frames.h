/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.h - decoded frames made by hand, for tests of what is behind the decoder. */
#ifndef RT_TESTS_FRAMES_H
#define RT_TESTS_FRAMES_H

#include <arpa/inet.h>
#include <string.h>

#include "rocetune/analysis.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"

#define MADE_MAX 4096

/* A capture that grows frame by frame. */
struct made {
	struct rt_frame frames[MADE_MAX];
	size_t count;
	struct rt_capture_if interface;
	int64_t now_ns; /* stamp of the next frame */
};

static inline struct rt_ip made_ip(const char *text)
{
	struct rt_ip ip = { .version = strchr(text, ':') ? 6 : 4 };

	assert_int_equal(
		inet_pton(ip.version == 4 ? AF_INET : AF_INET6, text, ip.bytes), 1);
	return ip;
}

static inline struct rt_frame *made_frame(struct made *made, enum rt_frame_kind kind)
{
	struct rt_frame *frame = &made->frames[made->count];

	assert_true(made->count < MADE_MAX);
	*frame = (struct rt_frame){ .time_ns = made->now_ns,
				    .number = ++made->count,
				    .link_type = RT_LINK_ETHERNET,
				    .kind = (uint8_t)kind,
				    .wire_bytes = 64,
				    .cap_bytes = 64 };
	return frame;
}

/* RoCEv2 over IPv4 or IPv6, ECT(0), DSCP 26, ICRC right; headers take 62 bytes. */
static inline struct rt_frame *made_roce(struct made *made, const char *src,
					 const char *dst, uint8_t opcode, uint32_t qp,
					 uint32_t psn, uint32_t payload_bytes)
{
	struct rt_frame *frame = made_frame(made, RT_FRAME_ROCE);

	frame->version = RT_ROCE_V2;
	frame->icrc = RT_ICRC_OK;
	frame->ethertype = 0x0800;
	frame->ip_proto = 17;
	frame->dscp = 26;
	frame->ecn = RT_ECN_ECT0;
	frame->udp_sport = 49152;
	frame->udp_dport = RT_ROCE_UDP_PORT;
	frame->src = made_ip(src);
	frame->dst = made_ip(dst);
	frame->wire_bytes = frame->cap_bytes = payload_bytes + 62;
	frame->bth = (struct rt_bth){ .opcode = opcode,
				      .ext = rt_ops[opcode].ext,
				      .dest_qp = qp,
				      .psn = psn & 0xFFFFFF,
				      .payload_bytes = payload_bytes };
	return frame;
}

static inline struct rt_frame *made_ack(struct made *made, const char *src,
					const char *dst, uint32_t qp, uint32_t psn,
					uint8_t syndrome)
{
	struct rt_frame *frame = made_roce(made, src, dst, RT_OP_RC_ACK, qp, psn, 0);

	frame->bth.syndrome = syndrome;
	return frame;
}

static inline struct rt_frame *made_read(struct made *made, const char *src,
					 const char *dst, uint32_t qp, uint32_t psn,
					 uint32_t dma_bytes)
{
	struct rt_frame *frame = made_roce(made, src, dst, RT_OP_RC_READ_REQUEST, qp,
					   psn, 0);

	frame->bth.dma_bytes = dma_bytes;
	return frame;
}

/* PFC for one priority from a port whose MAC ends in port. */
static inline struct rt_frame *made_pfc(struct made *made, uint8_t port, unsigned prio,
					uint16_t quanta)
{
	struct rt_frame *frame = made_frame(made, RT_FRAME_PFC);

	frame->eth_src[5] = port;
	frame->pause.enable = (uint8_t)(1u << prio);
	frame->pause.quanta[prio] = quanta;
	return frame;
}

/* What the frames say; the caller frees *ret_analysis. */
static inline void made_analyse(const struct made *made,
				const struct rt_analysis_config *config,
				struct rt_analysis *ret_analysis)
{
	struct rt_analyzer *analyzer = NULL;
	struct rt_err err = { 0 };

	if (rt_analyzer_new(config, &analyzer, &err) < 0)
		fail_msg("%s", err.msg);
	rt_analyzer_interfaces(analyzer, &made->interface, 1);
	if (rt_analyzer_feed(analyzer, made->frames, made->count, &err) < 0 ||
	    rt_analyzer_finish(analyzer, ret_analysis, &err) < 0)
		fail_msg("%s", err.msg);
	rt_analyzer_free(analyzer);
}

#endif
