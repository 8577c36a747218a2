/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo_ports.c - the ports of the made-up host, each with its trouble.
 *
 * A cycle of a minute: all is well for five seconds, then each trouble has its time.
 * Between 20 s and 30 s all of them are there, but those of coming and going, which have
 * the second half.
 */
#include "base/own.h"
#include "watch/demo_drivers.h"

/* From and until are in seconds of the cycle. */
#define SPAN(from_, until_) .from_ms = (from_)*1000, .until_ms = (until_)*1000
#define ACT(what_, prio_, amount_, shape_, from_, until_)                      \
	{                                                                      \
		.what = RT_DEMO_##what_, .prio = (prio_), .amount = (amount_), \
		.shape = RT_DEMO_##shape_, SPAN(from_, until_)                 \
	}
#define COUNT(counter_, amount_, shape_, from_, until_)                                \
	{                                                                              \
		.what = RT_DEMO_COUNT, .amount = (amount_), .shape = RT_DEMO_##shape_, \
		.counter = RT_COUNTER_##counter_, SPAN(from_, until_)                  \
	}
/* What the kernel itself says all the time: ssh, metrics. */
#define SMALL_TALK ACT(LAN_RX, 0, 4, WAVE, 0, 60), ACT(LAN_TX, 0, 2, WAVE, 0, 60)

/* Receiver of an 8:1 incast: marks come in, CNPs go out. */
static const struct rt_demo_act receiver[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 120, WAVE, 0, 5),
	ACT(RDMA_RX, 3, 372, WAVE, 5, 50),
	ACT(RDMA_RX, 3, 120, WAVE, 50, 60),
	ACT(RDMA_TX, 3, 30, WAVE, 0, 60),
	COUNT(CE_RX, 410000, WAVE, 5, 50),
	COUNT(CNP_TX, 62000, WAVE, 5, 50),
	COUNT(SLOW_RESTART_CNPS, 40, WAVE, 5, 50),
};

/* One of its senders: stopped by the switch, and cut by CNPs. */
static const struct rt_demo_act sender[] = {
	SMALL_TALK,
	ACT(RDMA_TX, 3, 310, WAVE, 0, 5),
	ACT(RDMA_TX, 3, 46, WAVE, 5, 50),
	ACT(RDMA_TX, 3, 310, WAVE, 50, 60),
	ACT(RDMA_RX, 3, 25, WAVE, 0, 60),
	ACT(PAUSED, 3, 180, HILL, 5, 50),
	COUNT(CNP_HANDLED, 7600, WAVE, 5, 50),
	COUNT(CNP_RX, 7600, WAVE, 5, 50),
	COUNT(XMIT_WAIT, 900000, HILL, 5, 50),
};

/* The host does not take what the NIC has: its memory is on the other socket. */
static const struct rt_demo_act slow_host[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 110, WAVE, 0, 5),
	ACT(RDMA_RX, 3, 205, FLAT, 5, 50),
	ACT(RDMA_RX, 3, 110, WAVE, 50, 60),
	ACT(RDMA_TX, 3, 15, WAVE, 0, 60),
	ACT(PAUSING, 3, 310, WAVE, 5, 50),
	COUNT(PCIE_STALLS, 1, FLAT, 5, 50),
	COUNT(BUFFER_PASSED, 5200, WAVE, 5, 50),
	COUNT(CE_RX, 30000, WAVE, 5, 50),
	COUNT(CNP_TX, 11000, WAVE, 5, 50),
};

/* Its headroom is too small: frames of the lossless priority are dropped. */
static const struct rt_demo_act dropper[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 90, WAVE, 0, 60),
	ACT(RDMA_TX, 3, 90, WAVE, 0, 60),
	ACT(PAUSING, 3, 60, WAVE, 5, 40),
	ACT(DISCARD, 3, 340, HILL, 5, 40),
	COUNT(OUT_OF_SEQUENCE, 320, HILL, 5, 40),
	COUNT(DUPLICATES, 60, HILL, 5, 40),
	COUNT(SEQ_NAKS_RX, 6, WAVE, 5, 40),
	COUNT(BUFFER_PASSED, 900, WAVE, 5, 40),
};

/* A peer that pauses and never lets go: something to send, and nothing sent. */
static const struct rt_demo_act stormed[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 60, WAVE, 0, 15),
	ACT(RDMA_TX, 3, 80, WAVE, 0, 15),
	ACT(PAUSED, 3, 1000, FLAT, 15, 35),
	COUNT(XMIT_WAIT, 260000000, FLAT, 15, 35),
	COUNT(ACK_TIMEOUTS, 12, WAVE, 17, 35),
	COUNT(RETRY_EXCEEDED, 2, FLAT, 32, 34),
	ACT(RDMA_RX, 3, 60, WAVE, 36, 60),
	ACT(RDMA_TX, 3, 80, WAVE, 36, 60),
};

/* Lost in the network, which neither marked nor paused. */
static const struct rt_demo_act silent[] = {
	SMALL_TALK,
	ACT(RDMA_TX, 3, 52, WAVE, 0, 60),
	ACT(RDMA_RX, 3, 48, WAVE, 0, 60),
	COUNT(SEQ_NAKS_RX, 85, WAVE, 8, 48),
	COUNT(ACK_TIMEOUTS, 4, WAVE, 8, 48),
	COUNT(OUT_OF_SEQUENCE, 70, WAVE, 8, 48),
	COUNT(DUPLICATES, 9, WAVE, 8, 48),
};

/* Packets take several ways and overtake each other; all of them come. */
static const struct rt_demo_act reordered[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 70, WAVE, 0, 60),
	ACT(RDMA_TX, 3, 8, WAVE, 0, 60),
	COUNT(OUT_OF_SEQUENCE, 5200, WAVE, 10, 55),
	COUNT(DUPLICATES, 5100, WAVE, 10, 55),
};

/* A QP without its traffic class: RDMA on priority 0, where nothing protects it. */
static const struct rt_demo_act wrong_class[] = {
	SMALL_TALK,
	ACT(RDMA_TX, 3, 40, WAVE, 0, 5),
	ACT(RDMA_TX, 0, 85, WAVE, 5, 60),
	ACT(RDMA_RX, 0, 20, WAVE, 5, 60),
	COUNT(SEQ_NAKS_RX, 20, WAVE, 12, 40),
};

/* A dirty connector, in a slot too narrow: blocks beyond repair, and the link goes at 30 s. */
static const struct rt_demo_act bad_link[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 75, WAVE, 0, 30),
	ACT(RDMA_TX, 3, 75, WAVE, 0, 30),
	COUNT(FEC_UNCORRECTABLE, 26, HILL, 6, 30),
	COUNT(SYMBOL_ERRORS, 9000, HILL, 6, 30),
	COUNT(CRC_ERRORS, 11, HILL, 6, 30),
	COUNT(OUT_OF_SEQUENCE, 11, HILL, 6, 30),
	COUNT(LINK_DOWNS, 1, FLAT, 30, 31),
	ACT(RDMA_RX, 3, 75, WAVE, 33, 60),
	ACT(RDMA_TX, 3, 75, WAVE, 33, 60),
};

/* A mark now and then is no trouble. */
static const struct rt_demo_act healthy[] = {
	SMALL_TALK,
	ACT(RDMA_RX, 3, 61, WAVE, 0, 60),
	ACT(RDMA_TX, 3, 58, WAVE, 0, 60),
	COUNT(CE_RX, 2, WAVE, 0, 60),
	COUNT(CNP_TX, 1, WAVE, 0, 60),
};

static const struct rt_demo_act plain[] = {
	ACT(LAN_RX, 0, 900, WAVE, 0, 60),
	ACT(LAN_TX, 0, 700, WAVE, 0, 60),
	COUNT(RDMA_RX_FRAMES, 52000, WAVE, 0, 60),
	COUNT(RDMA_TX_FRAMES, 41000, WAVE, 0, 60),
};

#define ACTS(acts_)     .acts = (acts_), .act_count = RT_ARRAY_SIZE(acts_)
/* PCIe 5.0 x16, 4.0 x16 and its half.  PCI-SIG base specifications: 128b/130b. */
#define PCIE(now, most) .pcie_gbps = (now), .pcie_max_gbps = (most)
#define PRIO_3          .lossless = 1 << 3, .rdma_prios = 1 << 3

const struct rt_demo_port rt_demo_ports[] = {
	{ "mlx5_0/1", "ens1f0np0", &rt_demo_mlx5, 1, 400, PCIE(504, 504), PRIO_3,
	  .cnp_gap_us = 4, ACTS(receiver) },
	{ "mlx5_1/1", "ens1f1np1", &rt_demo_mlx5, 2, 400, PCIE(504, 504), PRIO_3,
	  .cnp_gap_us = 4, ACTS(sender) },
	{ "mlx5_2/1", "ens2np0", &rt_demo_mlx5, 3, 400, PCIE(504, 504), PRIO_3,
	  .cnp_gap_us = 4, ACTS(slow_host) },
	{ "mlx5_3/1", "ens3np0", &rt_demo_mlx5, 4, 200, PCIE(252, 252), PRIO_3,
	  .cnp_gap_us = 4, ACTS(dropper), .wrap_ms = 12000 },
	{ "mlx5_4/1", "ens4np0", &rt_demo_mlx5, 5, 200, PCIE(252, 252), PRIO_3,
	  .cnp_gap_us = 4, ACTS(stormed) },
	{ "mlx5_5/1", "ens5np0", &rt_demo_mlx5, 6, 100, PCIE(126, 126), PRIO_3,
	  .cnp_gap_us = 4, ACTS(silent) },
	{ "mlx5_6/1", "ens6np0", &rt_demo_mlx5, 7, 100, PCIE(126, 126), PRIO_3,
	  .cnp_gap_us = 4, ACTS(reordered) },
	{ "mlx5_7/1", "ens9np0", &rt_demo_mlx5, 8, 100, PCIE(126, 126), PRIO_3,
	  .cnp_gap_us = 4, ACTS(healthy) },
	{ "bnxt_re0/1", "ens7f0np0", &rt_demo_bnxt, 9, 200, PCIE(252, 252), PRIO_3,
	  ACTS(wrong_class) },
	{ "bnxt_re1/1", "ens7f1np1", &rt_demo_bnxt, 10, 200, PCIE(126, 252), PRIO_3,
	  ACTS(bad_link), .down = { SPAN(30, 33) } },
	{ "irdma0/1", "ens8f0", &rt_demo_irdma, 11, 100, PCIE(126, 126), PRIO_3,
	  ACTS(healthy), .reset_ms = 35000 },
	{ "rxe0/1", "eno1", &rt_demo_rxe, 12, 25, .lossless = -1, .rdma_prios = -1,
	  ACTS(plain), .gone = { SPAN(40, 48) },
	  .note = "no PFC and no driver counters: eno1 has neither" },
	{ "hns_0/1", "enp189s0f0", &rt_demo_hns, 13, 100, .lossless = -1,
	  .rdma_prios = -1, .why = "Operation not permitted",
	  .note = "nothing can be read: ethtool and RDMA counters need CAP_NET_ADMIN "
		  "here" },
};
const size_t rt_demo_port_count = RT_ARRAY_SIZE(rt_demo_ports);

/* Eight that send to mlx5_0/1, the last one slower than the others; and what else is. */
#define INCAST(host_, qp_, mbps_, ce_, cnps_)                                        \
	{                                                                            \
		.src = { 1, (host_) }, .dst = 1, .qp = (qp_), .prio = 3, .dscp = 26, \
		.mbps = (mbps_), .ce_pct = (ce_), .cnps_ps = (cnps_), SPAN(5, 50)    \
	}
const struct rt_demo_flow rt_demo_flows[] = {
	INCAST(11, 0x1a1, 50100, 3, 7900),
	INCAST(12, 0x1a2, 49800, 3, 7800),
	INCAST(13, 0x1a3, 49500, 3, 7800),
	INCAST(14, 0x1a4, 49200, 3, 7700),
	INCAST(15, 0x1a5, 48900, 3, 7700),
	INCAST(16, 0x1a6, 48500, 3, 7600),
	INCAST(17, 0x1a7, 48000, 3, 7600),
	INCAST(18, 0x1a8, 28000, 5, 7900),
	{ .src = { 1, 31 },
	  .dst = 3,
	  .qp = 0x2c0,
	  .prio = 3,
	  .dscp = 26,
	  .mbps = 102000,
	  .ce_pct = 1,
	  .cnps_ps = 5500,
	  SPAN(0, 60) },
	{ .src = { 1, 32 },
	  .dst = 3,
	  .qp = 0x2c1,
	  .prio = 3,
	  .dscp = 26,
	  .mbps = 99000,
	  .ce_pct = 1,
	  .cnps_ps = 5400,
	  SPAN(0, 60) },
	{ .src = { 1, 41 },
	  .dst = 4,
	  .qp = 0x311,
	  .prio = 3,
	  .dscp = 26,
	  .mbps = 90000,
	  .resent_kbps = 41000,
	  .naks_ps = 320,
	  SPAN(0, 60) },
	{ .src = { 1, 51 },
	  .dst = 7,
	  .qp = 0x090,
	  .prio = 3,
	  .dscp = 26,
	  .mbps = 70000,
	  .naks_ps = 5200,
	  SPAN(0, 60) },
};
const size_t rt_demo_flow_count = RT_ARRAY_SIZE(rt_demo_flows);
