/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts of one port by itself: each rule on its evidence, and not on what looks alike. */
#include "scene.h"

struct figure {
	size_t at; /* FIGURE(), PRIO_FIGURE() */
	double value;
};

struct rate {
	enum rt_counter_id id;
	unsigned prio;
	double per_s;
};

struct one {
	const char *label;
	struct figure figures[10];
	struct rate rates[4];
	const char *found; /* ids without "watch-" */
	enum rt_verdict verdict;
};

#define F(member_, value_)              \
	{                               \
		FIGURE(member_), value_ \
	}
#define P(prio_, member_, value_)                   \
	{                                           \
		PRIO_FIGURE(prio_, member_), value_ \
	}
#define R(id_, value_)                               \
	{                                            \
		RT_COUNTER_##id_, SCENE_PORT, value_ \
	}
#define VERDICT(name_)    RT_VERDICT_##name_
/* Frames beside which marks and CNPs are seen. */
#define RX_FRAMES(value_) R(RDMA_RX_FRAMES, value_)
#define TX_FRAMES(value_) R(RDMA_TX_FRAMES, value_)

static const struct one of_nic[] = {
	{ "all is well", { { 0 } }, { { 0 } }, "", VERDICT(OK) },

	/* Loss on a lossless priority. */
	{ "discards on 3",
	  { F(lossless_discards_ps, 0.5), F(discards_ps, 0.5), P(3, discards_ps, 0.5) },
	  { { 0 } },
	  "lossless-loss",
	  VERDICT(LOSS) },
	{ "and it pauses its peer",
	  { F(lossless_discards_ps, 9), F(discards_ps, 9), P(3, discards_ps, 9),
	    P(3, pausing_pct, 20) },
	  { { 0 } },
	  "lossless-loss host-pausing",
	  VERDICT(LOSS) },
	{ "discards with a link that went",
	  { F(lossless_discards_ps, 9), F(discards_ps, 9), F(link_downs_ps, 1) },
	  { { 0 } },
	  "link-damage",
	  VERDICT(LINK) },
	{ "discards of a storm that the NIC ended",
	  { F(lossless_discards_ps, 9), F(discards_ps, 9), P(3, pausing_pct, 60) },
	  { R(STORM_EVENTS, 1) },
	  "pause-storm-source host-pausing",
	  VERDICT(STORM) },

	/* The link. */
	{ "FEC",
	  { F(fec_uncorrectable_ps, 0.1) },
	  { { 0 } },
	  "link-damage",
	  VERDICT(LINK) },
	{ "symbols",
	  { F(symbol_errors_ps, 3) },
	  { { 0 } },
	  "link-damage",
	  VERDICT(LINK) },
	{ "FCS", { F(crc_errors_ps, 3) }, { { 0 } }, "link-damage", VERDICT(LINK) },
	{ "a flap", { F(link_downs_ps, 1) }, { { 0 } }, "link-damage", VERDICT(LINK) },
	{ "what the link loses is not lost in silence",
	  { F(fec_uncorrectable_ps, 5), F(naks_ps, 5), F(out_of_order_ps, 5) },
	  { { 0 } },
	  "link-damage",
	  VERDICT(LINK) },

	/* Storms. */
	{ "stopped, nothing sent, time-outs",
	  { P(3, paused_pct, 99.5), P(3, tx_bps, 0), F(timeouts_ps, 2) },
	  { { 0 } },
	  "pause-storm",
	  VERDICT(STORM) },
	{ "stopped, nothing sent, the NIC waits",
	  { P(3, paused_pct, 99.5), P(3, tx_bps, 0) },
	  { R(XMIT_WAIT, 1000) },
	  "pause-storm",
	  VERDICT(STORM) },
	{ "stopped, nothing sent, queue pairs give up",
	  { P(3, paused_pct, 99.5), P(3, tx_bps, 0) },
	  { R(RETRY_EXCEEDED, 1) },
	  "pause-storm queue-pairs-jammed",
	  VERDICT(STORM) },
	{ "stopped, but nothing waits: occupancy alone",
	  { P(3, paused_pct, 100), P(3, tx_bps, 0) },
	  { R(XMIT_WAIT, 0) },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "stopped, but something is sent",
	  { P(3, paused_pct, 100), P(3, tx_bps, 1) },
	  { R(XMIT_WAIT, 9) },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "99 % is not above it",
	  { P(3, paused_pct, 99), P(3, tx_bps, 0), F(timeouts_ps, 2) },
	  { { 0 } },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "what is sent is not known",
	  { P(3, paused_pct, 100), P(3, tx_bps, NAN), F(timeouts_ps, 2) },
	  { { 0 } },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "frames tell that nothing is sent",
	  { P(3, paused_pct, 100), P(3, tx_bps, NAN), F(timeouts_ps, 2) },
	  { { RT_COUNTER_TX_FRAMES, 3, 0 } },
	  "pause-storm",
	  VERDICT(STORM) },
	{ "the host stops its peer for good",
	  { P(3, pausing_pct, 100), P(3, rx_bps, 0) },
	  { { 0 } },
	  "pause-storm-source host-pausing",
	  VERDICT(STORM) },
	{ "frames tell that nothing comes",
	  { P(3, pausing_pct, 100), P(3, rx_bps, NAN) },
	  { { RT_COUNTER_RX_FRAMES, 3, 0 } },
	  "pause-storm-source host-pausing",
	  VERDICT(STORM) },
	{ "frames tell that something comes",
	  { P(3, pausing_pct, 100), P(3, rx_bps, NAN) },
	  { { RT_COUNTER_RX_FRAMES, 3, 1 }, { RT_COUNTER_TX_FRAMES, 3, 0 } },
	  "host-pausing",
	  VERDICT(HOST) },
	{ "it lets something in",
	  { P(3, pausing_pct, 100), P(3, rx_bps, 5e6) },
	  { { 0 } },
	  "host-pausing",
	  VERDICT(HOST) },
	{ "the NIC counts a storm, but does not pause",
	  { { 0 } },
	  { R(STORM_EVENTS, 1) },
	  "",
	  VERDICT(OK) },

	/* The host. */
	{ "pausing peer",
	  { P(3, pausing_pct, 1.01) },
	  { { 0 } },
	  "host-pausing",
	  VERDICT(HOST) },
	{ "a short burst", { P(3, pausing_pct, 1) }, { { 0 } }, "", VERDICT(OK) },
	{ "pausing the whole link",
	  { F(link_pausing_pct, 30) },
	  { { 0 } },
	  "host-pausing",
	  VERDICT(HOST) },
	{ "marks are then its own doing",
	  { P(3, pausing_pct, 30), F(ce_ps, 9000), F(cnp_tx_ps, 900) },
	  { { 0 } },
	  "host-pausing",
	  VERDICT(HOST) },
	{ "PCIe stalls",
	  { F(pcie_stalls_ps, 0.2) },
	  { { 0 } },
	  "host-pcie",
	  VERDICT(HOST) },
	{ "PCIe reads stall",
	  { { 0 } },
	  { R(PCIE_READ_STALLS, 1) },
	  "host-pcie",
	  VERDICT(HOST) },
	{ "no receive buffer here",
	  { F(rnr_ps, 4) },
	  { R(RNR_NAKS_TX, 4) },
	  "no-receive-buffers",
	  VERDICT(HOST) },
	{ "out of buffer",
	  { F(out_of_buffer_ps, 4) },
	  { { 0 } },
	  "no-receive-buffers",
	  VERDICT(HOST) },
	{ "no receive buffer there",
	  { F(rnr_ps, 4) },
	  { R(RNR_NAKS_RX, 4) },
	  "peer-no-receive-buffers",
	  VERDICT(HOST) },
	{ "at one of both",
	  { F(rnr_ps, 4) },
	  { { 0 } },
	  "peer-no-receive-buffers",
	  VERDICT(HOST) },
	{ "at both",
	  { F(rnr_ps, 8) },
	  { R(RNR_NAKS_RX, 4), R(RNR_NAKS_TX, 4) },
	  "no-receive-buffers peer-no-receive-buffers",
	  VERDICT(HOST) },
	{ "queue pairs die of it",
	  { F(rnr_ps, 4), F(retry_exceeded_ps, 1) },
	  { R(RNR_NAKS_RX, 4), R(RNR_RETRY_EXCEEDED, 1) },
	  "queue-pairs-unready peer-no-receive-buffers",
	  VERDICT(HOST) },
	{ "queue pairs die, and nothing else is seen",
	  { F(retry_exceeded_ps, 1) },
	  { R(RETRY_EXCEEDED, 1) },
	  "queue-pairs-lost",
	  VERDICT(SILENT) },
	{ "after time-outs",
	  { F(retry_exceeded_ps, 1), F(timeouts_ps, 3) },
	  { R(RETRY_EXCEEDED, 1) },
	  "silent-loss queue-pairs-lost",
	  VERDICT(SILENT) },
	{ "while the peer pauses",
	  { F(retry_exceeded_ps, 1), P(3, paused_pct, 30) },
	  { R(RETRY_EXCEEDED, 1) },
	  "queue-pairs-jammed pause-without-marks",
	  VERDICT(NETWORK) },
	{ "of a link that went",
	  { F(retry_exceeded_ps, 1), F(link_downs_ps, 1) },
	  { R(RETRY_EXCEEDED, 1) },
	  "link-damage queue-pairs-lost",
	  VERDICT(LINK) },
	{ "none died", { { 0 } }, { R(RETRY_EXCEEDED, 0) }, "", VERDICT(OK) },
	{ "drops beside the lossless priority",
	  { F(discards_ps, 10.1), P(0, discards_ps, 10.1) },
	  { { 0 } },
	  "host-drops",
	  VERDICT(HOST) },
	{ "few of them",
	  { F(discards_ps, 10), P(0, discards_ps, 10) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "few, and of which priority is not counted",
	  { F(discards_ps, 5), F(lossless_discards_ps, NAN), P(3, discards_ps, NAN) },
	  { { 0 } },
	  "host-drops",
	  VERDICT(HOST) },
	{ "many, and of no priority is it counted",
	  { F(discards_ps, 900), F(lossless_discards_ps, NAN), P(0, discards_ps, NAN),
	    P(1, discards_ps, NAN), P(2, discards_ps, NAN), P(3, discards_ps, NAN),
	    P(4, discards_ps, NAN), P(5, discards_ps, NAN), P(6, discards_ps, NAN),
	    P(7, discards_ps, NAN) },
	  { { 0 } },
	  "host-drops",
	  VERDICT(HOST) },
	{ "none, whatever its priority",
	  { F(discards_ps, 0), F(lossless_discards_ps, NAN), P(3, discards_ps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },

	/* The class. */
	{ "RDMA on 0",
	  { P(0, tx_bps, 40e9), P(3, tx_bps, 0) },
	  { { 0 } },
	  "wrong-class",
	  VERDICT(CLASS) },
	{ "received on 5",
	  { P(5, rx_bps, 10e9), P(3, rx_bps, 30e9) },
	  { { 0 } },
	  "wrong-class",
	  VERDICT(CLASS) },
	{ "what is on 0 is the kernel's",
	  { P(0, tx_bps, 8e9) },
	  { R(NETDEV_TX_BYTES, 1e9) },
	  "",
	  VERDICT(OK) },
	{ "what is on 0 is the kernel's, and sources are not read at one moment",
	  { P(0, tx_bps, 8e9), P(3, tx_bps, 30e9) },
	  { R(NETDEV_TX_BYTES, 1e9) },
	  "",
	  VERDICT(OK) },
	{ "what comes on 0 is the kernel's, too",
	  { P(0, rx_bps, 8e9), P(3, rx_bps, 30e9) },
	  { R(NETDEV_RX_BYTES, 1e9) },
	  "",
	  VERDICT(OK) },
	{ "what the kernel sends does not explain what comes",
	  { P(0, rx_bps, 8e9), P(3, rx_bps, 30e9) },
	  { R(NETDEV_TX_BYTES, 1e9) },
	  "wrong-class",
	  VERDICT(CLASS) },
	{ "1 % of it: control",
	  { P(6, tx_bps, 0.4e9), P(3, tx_bps, 39.6e9) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "more than 1 %",
	  { P(6, tx_bps, 0.41e9), P(3, tx_bps, 39.59e9) },
	  { { 0 } },
	  "wrong-class",
	  VERDICT(CLASS) },
	{ "much of little, but next to nothing of the link: CNPs of a pure receiver",
	  { F(rdma_tx_bps, 100e6), P(6, tx_bps, 99e6), P(3, tx_bps, 1e6) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "CNPs, many",
	  { F(rdma_tx_bps, 1e9), P(6, tx_bps, 0.9e9), P(3, tx_bps, 0.1e9),
	    F(cnp_tx_ps, 1.3e6), F(ce_ps, 2e6) },
	  { RX_FRAMES(1e11) },
	  "",
	  VERDICT(OK) },
	{ "CNPs, many, that come",
	  { F(rdma_rx_bps, 1e9), P(6, rx_bps, 0.9e9), P(3, rx_bps, 0.1e9),
	    F(cnp_rx_ps, 1.3e6) },
	  { TX_FRAMES(1e11) },
	  "",
	  VERDICT(OK) },
	{ "what priorities carry is not known",
	  { P(0, tx_bps, 40e9), P(3, tx_bps, 0), P(7, tx_bps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "RDMA is not known",
	  { P(0, tx_bps, 40e9), P(3, tx_bps, 0), F(rdma_tx_bps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },

	/* Silent loss. */
	{ "NAKs",
	  { F(naks_ps, 1), F(loss_events_ps, 1) },
	  { { 0 } },
	  "silent-loss",
	  VERDICT(SILENT) },
	{ "time-outs",
	  { F(timeouts_ps, 1) },
	  { { 0 } },
	  "silent-loss",
	  VERDICT(SILENT) },
	{ "wrong ICRCs",
	  { { 0 } },
	  { R(ICRC_ERRORS, 2) },
	  "silent-loss",
	  VERDICT(SILENT) },
	{ "NAKs, and CNPs are not readable",
	  { F(naks_ps, 1), F(cnp_rx_ps, NAN), F(ce_ps, NAN), F(cnp_tx_ps, NAN) },
	  { { 0 } },
	  "silent-loss",
	  VERDICT(SILENT) },
	{ "NAKs with CNPs: congestion",
	  { F(naks_ps, 5), F(cnp_rx_ps, 500) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "NAKs with marks: congestion",
	  { F(naks_ps, 5), F(ce_ps, 500), F(cnp_tx_ps, 9) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "time-outs while paused: congestion",
	  { F(timeouts_ps, 5), P(3, paused_pct, 40) },
	  { { 0 } },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "NAKs of a NIC that drops",
	  { F(naks_ps, 5), F(discards_ps, 5), F(lossless_discards_ps, 5) },
	  { { 0 } },
	  "lossless-loss",
	  VERDICT(LOSS) },

	/* The network. */
	{ "paused by peer, and CNPs",
	  { P(3, paused_pct, 1.01), F(cnp_rx_ps, 200) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "paused for a burst", { P(3, paused_pct, 1) }, { { 0 } }, "", VERDICT(OK) },
	{ "paused, and CNPs are not readable",
	  { P(3, paused_pct, 30), F(cnp_rx_ps, NAN) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "the whole link paused",
	  { F(link_paused_pct, 22) },
	  { { 0 } },
	  "pause-without-marks",
	  VERDICT(NETWORK) },
	{ "a hundred pause frames a second, of unknown length: 3 % at most",
	  { P(3, paused_pct, NAN), P(3, paused_fps, 100), F(paused_pct, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "forty that this NIC sent: 1.3 % at most is not that the host is slow",
	  { P(3, pausing_pct, NAN), P(3, pausing_fps, 40), F(pausing_pct, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "ten of them: a third of a per cent",
	  { P(3, paused_pct, NAN), P(3, paused_fps, 10), F(paused_pct, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "frames of all priorities together",
	  { P(3, paused_pct, NAN), P(3, paused_fps, NAN), F(paused_pct, NAN) },
	  { R(PFC_RX_FRAMES, 500) },
	  "pauses-unclear",
	  VERDICT(UNKNOWN) },
	{ "pause frames of the whole link, of unknown length",
	  { F(link_paused_pct, NAN) },
	  { R(PAUSE_RX_FRAMES, 500) },
	  "pauses-unclear",
	  VERDICT(UNKNOWN) },
	{ "and those that it sends",
	  { F(link_pausing_pct, NAN) },
	  { R(PAUSE_TX_FRAMES, 500) },
	  "pauses-unclear",
	  VERDICT(UNKNOWN) },
	{ "CNPs, few beside the frames of the whole port",
	  { F(cnp_rx_ps, 100) },
	  { R(TX_FRAMES, 1e6), R(RX_FRAMES, 1) },
	  "",
	  VERDICT(OK) },
	{ "marks, few beside the frames of the whole port",
	  { F(ce_ps, 100), F(cnp_tx_ps, 5) },
	  { R(TX_FRAMES, 1), R(RX_FRAMES, 1e6) },
	  "",
	  VERDICT(OK) },
	{ "CNPs",
	  { F(cnp_rx_ps, 10.1) },
	  { TX_FRAMES(1e5) },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "few CNPs", { F(cnp_rx_ps, 10) }, { TX_FRAMES(1e3) }, "", VERDICT(OK) },
	{ "CNPs, few beside the frames",
	  { F(cnp_rx_ps, 100) },
	  { TX_FRAMES(1e6) },
	  "",
	  VERDICT(OK) },
	{ "marks",
	  { F(ce_ps, 101), F(cnp_tx_ps, 5) },
	  { RX_FRAMES(1e6) },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "few marks",
	  { F(ce_ps, 2), F(cnp_tx_ps, 1) },
	  { RX_FRAMES(1e6) },
	  "",
	  VERDICT(OK) },
	{ "CNPs of a NIC that never counts marks",
	  { F(ce_ps, 0), F(cnp_tx_ps, 1333) },
	  { RX_FRAMES(1e6) },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "CNPs of its slow restart",
	  { F(ce_ps, 0), F(cnp_tx_ps, 1333), F(slow_restart_cnps_ps, 1330) },
	  { RX_FRAMES(1e3) },
	  "",
	  VERDICT(OK) },
	{ "marks, and nobody answers",
	  { F(ce_ps, 5000), F(cnp_tx_ps, 0) },
	  { { 0 } },
	  "marks-unanswered congestion",
	  VERDICT(NETWORK) },
	{ "marks, and answers are not readable",
	  { F(ce_ps, 5000), F(cnp_tx_ps, NAN) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "CNPs that nobody obeys",
	  { { 0 } },
	  { R(CNP_HANDLED, 3), R(CNP_IGNORED, 500) },
	  "cnps-ignored",
	  VERDICT(NETWORK) },
	{ "some ignored",
	  { { 0 } },
	  { R(CNP_HANDLED, 500), R(CNP_IGNORED, 400) },
	  "",
	  VERDICT(OK) },

	/* Order. */
	{ "came before, and came once more",
	  { F(out_of_order_ps, 5200), F(loss_events_ps, 5200) },
	  { R(DUPLICATES, 2601) },
	  "reorder",
	  VERDICT(REORDER) },
	{ "and the link damages frames",
	  { F(out_of_order_ps, 5200), F(symbol_errors_ps, 3) },
	  { R(DUPLICATES, 2601) },
	  "link-damage",
	  VERDICT(LINK) },
	{ "half of them is not above it",
	  { F(out_of_order_ps, 5200) },
	  { R(DUPLICATES, 2600) },
	  "gaps-unclear",
	  VERDICT(UNKNOWN) },
	{ "gaps: lost or overtaken",
	  { F(out_of_order_ps, 7) },
	  { { 0 } },
	  "gaps-unclear",
	  VERDICT(UNKNOWN) },
	{ "gaps beside congestion",
	  { F(out_of_order_ps, 7), F(ce_ps, 400), F(cnp_tx_ps, 7) },
	  { { 0 } },
	  "congestion",
	  VERDICT(NETWORK) },
	{ "duplicates of a NIC that drops",
	  { F(out_of_order_ps, 7), F(discards_ps, 7), F(lossless_discards_ps, 7) },
	  { R(DUPLICATES, 7) },
	  "lossless-loss",
	  VERDICT(LOSS) },

	/* What is not known. */
	{ "pauses",
	  { P(3, paused_pct, NAN), P(3, paused_fps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "pauses of a priority that is not lossless",
	  { P(4, paused_pct, NAN), P(4, paused_fps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "marks",
	  { F(ce_ps, NAN), F(cnp_tx_ps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "marks, but CNPs for them", { F(ce_ps, NAN) }, { { 0 } }, "", VERDICT(OK) },
	{ "CNPs", { F(cnp_rx_ps, NAN) }, { { 0 } }, "unreadable", VERDICT(UNKNOWN) },
	{ "retransmissions",
	  { F(naks_ps, NAN), F(timeouts_ps, NAN), F(out_of_order_ps, NAN),
	    F(loss_events_ps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "discards",
	  { F(discards_ps, NAN), F(lossless_discards_ps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "idle, and pauses are not readable",
	  { F(rdma_rx_bps, 999999), F(rdma_tx_bps, 0), P(3, paused_pct, NAN),
	    P(3, paused_fps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "who only sends is not idle",
	  { F(rdma_rx_bps, 0), P(3, rx_bps, 0), P(3, paused_pct, NAN),
	    P(3, paused_fps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "no more than that is idle",
	  { F(rdma_rx_bps, 1e6), F(rdma_tx_bps, 0), P(3, paused_pct, NAN),
	    P(3, paused_fps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
	{ "without RDMA's own, the port's",
	  { F(rdma_rx_bps, NAN), F(rdma_tx_bps, NAN), F(rx_bps, 10), F(tx_bps, 10),
	    F(cnp_rx_ps, NAN) },
	  { { 0 } },
	  "",
	  VERDICT(OK) },
	{ "whether it is idle is not known",
	  { F(rdma_rx_bps, NAN), F(rx_bps, 10), F(tx_bps, NAN), F(cnp_rx_ps, NAN) },
	  { { 0 } },
	  "unreadable",
	  VERDICT(UNKNOWN) },
};

static void make_one(struct scene *scene, const struct one *one)
{
	*scene = (struct scene){ .time_ns = SCENE_SEC };
	scene_nic(scene, "mlx5_0/1", "");
	for (size_t i = 0; i < RT_ARRAY_SIZE(one->figures); i++)
		if (one->figures[i].at || !(one->figures[i].value == 0))
			scene_figure(scene, 0, one->figures[i].at,
				     one->figures[i].value);
	for (size_t i = 0; i < RT_ARRAY_SIZE(one->rates); i++)
		if (one->rates[i].id || one->rates[i].prio)
			scene_rate(scene, 0, one->rates[i].id, one->rates[i].prio,
				   one->rates[i].per_s);
}

static void test_verdict_of_a_nic(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(of_nic); i++) {
		const struct one *one = &of_nic[i];
		struct scene scene;
		char text[300];

		make_one(&scene, one);
		scene_tick(&scene, SCENE_SEC);
		scene_found(&scene, 0, text);
		if (strcmp(text, one->found) != 0 ||
		    scene.views[0].verdict != one->verdict) {
			print_message(
				"%s: %s \"%s\", not \"%s\"\n", one->label,
				rt_name_of(rt_verdict_names, scene.views[0].verdict),
				text, one->found);
			failed++;
		}
		scene_end(&scene);
	}
	assert_int_equal(failed, 0);
}

/* What a finding says names the port and holds figures, and no "nan". */
static void test_verdict_findings_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(of_nic); i++) {
		struct scene scene;

		make_one(&scene, &of_nic[i]);
		scene_tick(&scene, SCENE_SEC);
		for (size_t j = 0; j < scene.views[0].findings.count; j++) {
			const struct rt_finding *finding =
				&scene.views[0].findings.items[j];

			print_message("# %s: %s\n", finding->id, finding->evidence);
			assert_string_equal(finding->where, "mlx5_0/1");
			assert_true(strlen(finding->evidence) > 10);
			assert_null(strstr(finding->evidence, "nan"));
		}
		scene_end(&scene);
	}
}

/* What is read by people, word for word. */
static void test_verdict_evidence_reads_well(void **state)
{
	static const struct {
		struct one one;
		const char *evidence;
	} cases[] = {
		{ { .figures = { P(3, paused_pct, 31.4), F(cnp_rx_ps, 250) } },
		  "paused by peer 31.4 % of the time, 250 CNPs to obey a second; the "
		  "root is not visible from this host" },
		{ { .figures = { P(3, paused_pct, NAN), P(3, paused_fps, 600) } },
		  "paused by peer at most 20.1 % of the time, as far as frames tell" },
		{ { .figures = { P(3, pausing_pct, NAN), P(3, pausing_fps, 40) } },
		  "not readable: how long pauses last" },
		{ { .figures = { P(3, pausing_pct, NAN), P(3, pausing_fps, 400),
				 P(3, paused_pct, NAN), P(3, paused_fps, 600) } },
		  "paused by peer at most 20.1 % of the time, pausing peer at most "
		  "13.4 % of the time, as far as frames tell" },
		{ { .figures = { F(link_paused_pct, 22) } },
		  "paused by peer (the whole link) 22 % of the time; the root is not "
		  "visible from this host" },
		{ { .figures = { P(3, paused_pct, 100), P(3, tx_bps, 0) } },
		  "paused by peer 100 % of the time; the root is not visible from this "
		  "host; nothing is sent, whether something waits to be is not known" },
		{ { .figures = { P(0, paused_pct, 99.7), P(0, tx_bps, 0),
				 F(timeouts_ps, 2) } },
		  "priority 0: paused by peer 99.7 % of the time, nothing is sent, and "
		  "something waits to be" },
		{ { .figures = { P(0, pausing_pct, 99.7), P(0, rx_bps, 0) } },
		  "priority 0: pausing peer 99.7 % of the time, and nothing comes" },
		{ { .figures = { P(3, pausing_pct, 7) },
		    .rates = { R(BUFFER_PASSED, 900) } },
		  "pausing peer 7 % of the time, taking 40 Gb/s; its buffer was nearly "
		  "full 900 times a second" },
		{ { .figures = { F(lossless_discards_ps, 9), P(3, discards_ps, 9),
				 F(discards_ps, 9), P(3, pausing_pct, 7) } },
		  "priority 3: 9 frames a second dropped by the NIC, while pausing "
		  "peer "
		  "7 % of the time" },
		{ { .figures = { F(discards_ps, 900), P(0, discards_ps, 900) } },
		  "900 frames a second dropped" },
		{ { .figures = { F(discards_ps, 5), F(lossless_discards_ps, NAN) } },
		  "5 frames a second dropped; of which priority is not readable" },
		{ { .figures = { F(fec_uncorrectable_ps, 5), F(crc_errors_ps, 2) } },
		  "a second 5 blocks that FEC could not repair, 2 frames with a wrong "
		  "FCS" },
		{ { .figures = { F(naks_ps, 5), F(timeouts_ps, 2), F(cnp_rx_ps, NAN),
				 F(ce_ps, NAN), F(cnp_tx_ps, NAN) } },
		  "a second 5 NAKs, 2 time-outs; marks and CNPs are not readable" },
		{ { .figures = { F(naks_ps, 5), F(cnp_rx_ps, NAN) } },
		  "a second 5 NAKs" },
		{ { .figures = { F(naks_ps, 5), P(3, paused_pct, NAN),
				 P(3, paused_fps, NAN) } },
		  "a second 5 NAKs; pauses are not readable" },
		{ { .figures = { F(pcie_stalls_ps, 0.2) },
		    .rates = { R(PCIE_ERRORS, 3) } },
		  "writes waited in 20 % of the seconds, 3 errors of PCIe a second" },
		{ { .figures = { F(pcie_stalls_ps, 1.02) },
		    .rates = { R(PCIE_READ_STALLS, 0.5) } },
		  "writes waited in 100 % of the seconds, reads waited in 50 % of the "
		  "seconds" },
		{ { .figures = { F(out_of_buffer_ps, 400000) } },
		  "400k packets a second found no receive buffer" },
		{ { .figures = { F(out_of_buffer_ps, 999.6) } },
		  "1k packets a second found no receive buffer" },
		{ { .figures = { F(out_of_buffer_ps, 7410) } },
		  "7.41k packets a second found no receive buffer" },
		{ { .figures = { F(out_of_buffer_ps, 1e-5) } },
		  "<0.001 packets a second found no receive buffer" },
		{ { .figures = { P(3, pausing_pct, 7), F(rx_bps, 1.6e12) } },
		  "pausing peer 7 % of the time, taking 1600 Gb/s" },
		{ { .figures = { F(rnr_ps, 4) }, .rates = { R(RNR_NAKS_TX, 4) } },
		  "4 requests a second found no receive buffer" },
		{ { .figures = { F(rnr_ps, 4) }, .rates = { R(RNR_NAKS_RX, 4) } },
		  "4 times a second the peer had no receive buffer" },
		{ { .figures = { F(rnr_ps, 4) },
		    .rates = { R(RNR_NAKS_RX, 4), R(RNR_RETRY_EXCEEDED, 1) } },
		  "1 queue pairs a second gave up: no receive buffer at the other "
		  "end | 4 times a second the peer had no receive buffer; queue pairs "
		  "gave up" },
		{ { .rates = { R(RETRY_EXCEEDED, 2) } },
		  "2 queue pairs a second gave up after their retries" },
		{ { .figures = { P(3, paused_pct, 30) },
		    .rates = { R(RETRY_EXCEEDED, 2) } },
		  "2 queue pairs a second gave up after their retries; here paused by "
		  "peer 30 % of the time" },
		{ { .figures = { P(0, tx_bps, 40e9), P(3, tx_bps, 0) } },
		  "40 of 40 Gb/s of RDMA are sent on priorities that are not lossless, "
		  "most on 0" },
		{ { .figures = { F(ce_ps, 900), F(cnp_tx_ps, 60) } },
		  "900 marks a second; the root is not visible from this host" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene scene;
		char text[700];

		make_one(&scene, &cases[i].one);
		scene_tick(&scene, SCENE_SEC);
		assert_true(scene.views[0].findings.count > 0);
		snprintf(text, sizeof(text), "%s%s%s",
			 scene.views[0].findings.items[0].evidence,
			 strchr(cases[i].evidence, '|') ? " | " : "",
			 strchr(cases[i].evidence, '|')
				 ? scene.views[0].findings.items[1].evidence
				 : "");
		assert_string_equal(text, cases[i].evidence);
		scene_end(&scene);
	}
}

static void discards_are_of(struct scene *scene, unsigned source)
{
	for (size_t i = 0; i < scene->sets[0].count; i++)
		if (scene->sets[0].items[i].counter == RT_COUNTER_TX_DISCARDS)
			scene->sets[0].items[i].source = source;
}

/* What the kernel's qdiscs drop is told as that, and as nothing else; marks are nothing. */
static void test_verdict_of_a_hosts_own_queue(void **state)
{
	static const struct {
		const char *label;
		double drops, naks;
		unsigned source;
		const char *found;
		enum rt_verdict verdict;
	} cases[] = {
		{ "many", 10.1, 0, RT_SOURCE_QDISC, "queue-drops", VERDICT(HOST) },
		{ "as TCP has them", 10, 0, RT_SOURCE_QDISC, "", VERDICT(OK) },
		{ "of RDMA", 1, 3, RT_SOURCE_QDISC, "queue-drops", VERDICT(HOST) },
		{ "none, and resends", 0, 3, RT_SOURCE_QDISC, "silent-loss",
		  VERDICT(SILENT) },
		{ "of another count", 900, 0, RT_SOURCE_NETDEV, "", VERDICT(OK) },
		{ "of another count, and resends", 900, 3, RT_SOURCE_NETDEV,
		  "silent-loss", VERDICT(SILENT) },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene scene = { 0 };

		print_message("# %s\n", cases[i].label);
		scene_nic(&scene, "rxe0/1", "");
		scene_figure(&scene, 0, FIGURE(marks_ps), 9000);
		scene_figure(&scene, 0, FIGURE(naks_ps), cases[i].naks);
		scene_rate(&scene, 0, RT_COUNTER_TX_DISCARDS, SCENE_PORT,
			   cases[i].drops);
		discards_are_of(&scene, cases[i].source);
		scene_tick(&scene, SCENE_SEC);
		assert_found(&scene, 0, cases[i].found, cases[i].verdict);
		scene_end(&scene);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_verdict_of_a_nic),
	     cmocka_unit_test(test_verdict_of_a_hosts_own_queue),
	     cmocka_unit_test(test_verdict_findings_are_whole),
	     cmocka_unit_test(test_verdict_evidence_reads_well))
