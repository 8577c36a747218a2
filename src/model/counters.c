/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - the counter catalogue. */
#include "model/counters.h"

#include "base/text.h"

/*
 * Meanings: IEEE 802.1Qbb and 802.3 annex 31B (pauses); Linux
 * Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst and NVIDIA
 * "Understanding mlx5 Linux Counters" (RDMA, loss); InfiniBand Architecture
 * Specification 1.4 volume 1, 9.7.3 to 9.7.5 (retransmission), 16.1.3 (port counters).
 */
#define ROWS(ROW)                                                                      \
	ROW(PFC_RX_FRAMES, "pfc_rx_frames", PAUSE, COUNT, BOTH, "rx",                  \
	    "paused by peer, frames", "PFC frames received: the peer stops us")        \
	ROW(PFC_RX_NS, "pfc_rx_ns", PAUSE, NS, PRIO, "rx", "paused by peer, time",     \
	    "how long the peer kept us from sending")                                  \
	ROW(PFC_RX_TRANSITIONS, "pfc_rx_transitions", PAUSE, COUNT, PRIO, "rx",        \
	    "paused by peer, times", "how often the peer stopped us and let go again") \
	ROW(PFC_TX_FRAMES, "pfc_tx_frames", PAUSE, COUNT, BOTH, "tx",                  \
	    "pausing peer, frames", "PFC frames sent: we stop the peer")               \
	ROW(PFC_TX_NS, "pfc_tx_ns", PAUSE, NS, PRIO, "tx", "pausing peer, time",       \
	    "how long we kept the peer from sending")                                  \
	ROW(PFC_TX_TRANSITIONS, "pfc_tx_transitions", PAUSE, COUNT, PRIO, "tx",        \
	    "pausing peer, times", "how often we stopped the peer and let go again")   \
	ROW(PAUSE_RX_FRAMES, "pause_rx_frames", PAUSE, COUNT, PORT, "rx",              \
	    "link paused by peer, frames",                                             \
	    "802.3x pause frames received: the peer stops the whole link")             \
	ROW(PAUSE_RX_NS, "pause_rx_ns", PAUSE, NS, PORT, "rx",                         \
	    "link paused by peer, time",                                               \
	    "how long the whole link was stopped by the peer")                         \
	ROW(PAUSE_RX_TRANSITIONS, "pause_rx_transitions", PAUSE, COUNT, PORT, "rx",    \
	    "link paused by peer, times",                                              \
	    "how often the peer stopped the whole link and let go again")              \
	ROW(PAUSE_TX_FRAMES, "pause_tx_frames", PAUSE, COUNT, PORT, "tx",              \
	    "pausing peer's link, frames",                                             \
	    "802.3x pause frames sent: we stop the whole link")                        \
	ROW(PAUSE_TX_NS, "pause_tx_ns", PAUSE, NS, PORT, "tx",                         \
	    "pausing peer's link, time", "how long we stopped the whole link")         \
	ROW(STORM_WARNINGS, "storm_warnings", PAUSE, COUNT, PORT, "tx",                \
	    "pause storm warnings",                                                    \
	    "times the NIC saw itself pause the peer for long")                        \
	ROW(STORM_EVENTS, "storm_events", PAUSE, COUNT, PORT, "tx",                    \
	    "pause storms ended",                                                      \
	    "times the NIC stopped pausing the peer because it had for too long")      \
	ROW(RX_BYTES, "rx_bytes", TRAFFIC, BYTES, BOTH, "rx", "received",              \
	    "received at the port, RDMA included")                                     \
	ROW(RX_FRAMES, "rx_frames", TRAFFIC, COUNT, BOTH, "rx", "frames received",     \
	    "received at the port, RDMA included")                                     \
	ROW(TX_BYTES, "tx_bytes", TRAFFIC, BYTES, BOTH, "tx", "sent",                  \
	    "sent at the port, RDMA included")                                         \
	ROW(TX_FRAMES, "tx_frames", TRAFFIC, COUNT, BOTH, "tx", "frames sent",         \
	    "sent at the port, RDMA included")                                         \
	ROW(RDMA_RX_BYTES, "rdma_rx_bytes", TRAFFIC, BYTES, PORT, "rx",                \
	    "RDMA received", "received by RDMA")                                       \
	ROW(RDMA_RX_FRAMES, "rdma_rx_frames", TRAFFIC, COUNT, PORT, "rx",              \
	    "RDMA frames received", "received by RDMA")                                \
	ROW(RDMA_TX_BYTES, "rdma_tx_bytes", TRAFFIC, BYTES, PORT, "tx", "RDMA sent",   \
	    "sent by RDMA, resends included")                                          \
	ROW(RDMA_TX_FRAMES, "rdma_tx_frames", TRAFFIC, COUNT, PORT, "tx",              \
	    "RDMA frames sent", "sent by RDMA, resends included")                      \
	ROW(CE_RX, "ce_rx", NOTIFICATION, COUNT, PORT, "rx", "CE-marked RoCE packets", \
	    "RoCE packets that came marked by a switch; some NICs never count them")   \
	ROW(CNP_TX, "cnp_tx", NOTIFICATION, COUNT, PORT, "tx", "CNPs sent",            \
	    "congestion notifications sent; paced, so fewer than marks")               \
	ROW(CNP_RX, "cnp_rx", NOTIFICATION, COUNT, PORT, "rx", "CNPs received",        \
	    "congestion notifications received")                                       \
	ROW(CNP_HANDLED, "cnp_handled", NOTIFICATION, COUNT, PORT, "rx",               \
	    "CNPs handled", "congestion notifications that cut a rate")                \
	ROW(CNP_IGNORED, "cnp_ignored", NOTIFICATION, COUNT, PORT, "rx",               \
	    "CNPs ignored",                                                            \
	    "congestion notifications without effect: reaction is switched off, or "   \
	    "no "                                                                      \
	    "such queue pair")                                                         \
	ROW(SLOW_RESTART_CNPS, "slow_restart_cnps", NOTIFICATION, COUNT, PORT, "tx",   \
	    "CNPs of slow restart",                                                    \
	    "CNPs that the NIC sent for its own slow restart, not for a mark")         \
	ROW(NIC_MARKED, "nic_marked", NOTIFICATION, COUNT, PRIO, "rx",                 \
	    "marked by the NIC",                                                       \
	    "received packets that the NIC itself marked, its buffer being full")      \
	ROW(SWITCH_MARKED, "switch_marked", NOTIFICATION, COUNT, BOTH, "tx",           \
	    "marked in sending",                                                       \
	    "sent frames that this port's queue marked: a switch's, or a qdisc")       \
	ROW(OUT_OF_SEQUENCE, "out_of_sequence", RETRANSMISSION, COUNT, PORT, "rx",     \
	    "out of sequence", "packets that came before one that was missing")        \
	ROW(SEQ_NAKS_RX, "seq_naks_rx", RETRANSMISSION, COUNT, PORT, "tx",             \
	    "sequence NAKs received", "times the peer told that a packet was missing") \
	ROW(IMPLIED_NAKS, "implied_naks", RETRANSMISSION, COUNT, PORT, "tx",           \
	    "implied NAKs", "answers of reads or atomics that were missing")           \
	ROW(ACK_TIMEOUTS, "ack_timeouts", RETRANSMISSION, COUNT, PORT, "tx",           \
	    "ACK time-outs", "times no answer came and all was sent again")            \
	ROW(RETRY_EXCEEDED, "retry_exceeded", RETRANSMISSION, COUNT, PORT, "tx",       \
	    "retries exceeded", "queue pairs that gave up after their retries")        \
	ROW(RNR_NAKS_RX, "rnr_naks_rx", RETRANSMISSION, COUNT, PORT, "tx",             \
	    "RNR NAKs received", "times the peer had no receive buffer posted")        \
	ROW(RNR_NAKS_TX, "rnr_naks_tx", RETRANSMISSION, COUNT, PORT, "rx",             \
	    "RNR NAKs sent", "times we had no receive buffer posted")                  \
	ROW(RNR_RETRY_EXCEEDED, "rnr_retry_exceeded", RETRANSMISSION, COUNT, PORT,     \
	    "tx", "RNR retries exceeded",                                              \
	    "queue pairs that gave up waiting for a receive buffer")                   \
	ROW(DUPLICATES, "duplicates", RETRANSMISSION, COUNT, PORT, "rx",               \
	    "duplicate requests", "requests that had come before")                     \
	ROW(ADAPTIVE_RETRANS, "adaptive_retrans", RETRANSMISSION, COUNT, PORT, "tx",   \
	    "adaptive retransmissions", "retransmissions by the NIC's adaptive timer") \
	ROW(OUT_OF_BUFFER, "out_of_buffer", LOSS, COUNT, PORT, "rx", "out of buffer",  \
	    "packets for which no receive buffer was posted")                          \
	ROW(RX_DISCARDS, "rx_discards", LOSS, COUNT, BOTH, "rx", "discarded",          \
	    "received frames dropped for want of buffers in the NIC")                  \
	ROW(RX_BUFFER_DISCARDS, "rx_buffer_discards", LOSS, COUNT, PRIO, "rx",         \
	    "discarded, buffer full",                                                  \
	    "received frames dropped because the priority's buffer was full")          \
	ROW(RX_CONGESTION_DISCARDS, "rx_congestion_discards", LOSS, COUNT, PRIO, "rx", \
	    "discarded, congestion",                                                   \
	    "received frames dropped by the NIC's congestion control")                 \
	ROW(TX_DISCARDS, "tx_discards", LOSS, COUNT, BOTH, "tx",                       \
	    "discarded in sending", "frames dropped before they were sent")            \
	ROW(RDMA_RX_DISCARDS, "rdma_rx_discards", LOSS, COUNT, PORT, "rx",             \
	    "RDMA discarded", "received RDMA packets that were dropped")               \
	ROW(RDMA_TX_DISCARDS, "rdma_tx_discards", LOSS, COUNT, PORT, "tx",             \
	    "RDMA discarded in sending", "RDMA packets dropped before they were sent") \
	ROW(ICRC_ERRORS, "icrc_errors", LOSS, COUNT, PORT, "rx", "ICRC errors",        \
	    "RoCE packets whose invariant CRC was wrong")                              \
	ROW(CRC_ERRORS, "crc_errors", LINK, COUNT, PORT, "rx", "CRC errors",           \
	    "received frames whose FCS was wrong")                                     \
	ROW(SYMBOL_ERRORS, "symbol_errors", LINK, COUNT, PORT, "rx", "symbol errors",  \
	    "received symbols that are none")                                          \
	ROW(FEC_CORRECTED, "fec_corrected", LINK, COUNT, PORT, "rx", "FEC corrected",  \
	    "blocks that error correction repaired")                                   \
	ROW(FEC_CORRECTED_BITS, "fec_corrected_bits", LINK, COUNT, PORT, "rx",         \
	    "FEC corrected, bits", "bits that error correction repaired")              \
	ROW(FEC_UNCORRECTABLE, "fec_uncorrectable", LINK, COUNT, PORT, "rx",           \
	    "FEC uncorrectable", "blocks that error correction could not repair")      \
	ROW(LINK_DOWNS, "link_downs", LINK, COUNT, PORT, "", "link downs",             \
	    "times the link went down")                                                \
	ROW(BUFFER_PASSED, "buffer_passed", LINK, COUNT, PORT, "rx",                   \
	    "buffer nearly full", "times the receive buffer was nearly full")          \
	ROW(PCIE_STALLS, "pcie_stalls", LINK, COUNT, PORT, "rx", "PCIe stalls",        \
	    "seconds in which the host let the NIC's writes wait")                     \
	ROW(PCIE_READ_STALLS, "pcie_read_stalls", LINK, COUNT, PORT, "tx",             \
	    "PCIe read stalls",                                                        \
	    "seconds in which the NIC's reads from the host waited for credits")       \
	ROW(PCIE_DISCARDS, "pcie_discards", LINK, COUNT, PORT, "rx",                   \
	    "discarded before PCIe",                                                   \
	    "received frames dropped because the way to the host was full")            \
	ROW(PCIE_ERRORS, "pcie_errors", LINK, COUNT, PORT, "", "PCIe errors",          \
	    "errors of PCIe's physical layer, both directions")                        \
	ROW(XMIT_WAIT, "xmit_wait", LINK, COUNT, PORT, "tx", "waited to send",         \
	    "ticks, of unknown length, with data and nothing sent")                    \
	ROW(NETDEV_RX_BYTES, "netdev_rx_bytes", NETDEV, BYTES, PORT, "rx",             \
	    "kernel received", "received by the kernel, without RDMA")                 \
	ROW(NETDEV_RX_PACKETS, "netdev_rx_packets", NETDEV, COUNT, PORT, "rx",         \
	    "kernel packets received", "received by the kernel, without RDMA")         \
	ROW(NETDEV_RX_DROPPED, "netdev_rx_dropped", NETDEV, COUNT, PORT, "rx",         \
	    "kernel dropped", "received packets the kernel or driver had no room for") \
	ROW(NETDEV_RX_ERRORS, "netdev_rx_errors", NETDEV, COUNT, PORT, "rx",           \
	    "kernel receive errors", "bad packets received")                           \
	ROW(NETDEV_TX_BYTES, "netdev_tx_bytes", NETDEV, BYTES, PORT, "tx",             \
	    "kernel sent", "sent by the kernel, without RDMA")                         \
	ROW(NETDEV_TX_PACKETS, "netdev_tx_packets", NETDEV, COUNT, PORT, "tx",         \
	    "kernel packets sent", "sent by the kernel, without RDMA")                 \
	ROW(NETDEV_TX_DROPPED, "netdev_tx_dropped", NETDEV, COUNT, PORT, "tx",         \
	    "kernel dropped in sending", "packets dropped before they were sent")      \
	ROW(NETDEV_TX_ERRORS, "netdev_tx_errors", NETDEV, COUNT, PORT, "tx",           \
	    "kernel send errors", "packets that could not be sent")

#define COUNTER(id_, name_, group_, unit_, scope_, direction_, label_, help_) \
	[RT_COUNTER_##id_] = {                                                \
		.name = (name_),                                              \
		.group = RT_COUNTERS_##group_,                                \
		.unit = RT_UNIT_##unit_,                                      \
		.scope = RT_COUNTER_##scope_,                                 \
		.label = (label_),                                            \
		.direction = (direction_),                                    \
		.help = (help_),                                              \
	},
const struct rt_counter rt_counters[RT_COUNTER_COUNT] = { ROWS(COUNTER) };

#define NAME(id_, name_, group_, unit_, scope_, direction_, label_, help_) \
	{ name_, RT_COUNTER_##id_, help_ },
const struct rt_name rt_counter_names[] = { ROWS(NAME){ 0 } };

const struct rt_name rt_counter_group_names[] = {
	{ "pause", RT_COUNTERS_PAUSE, "pauses" },
	{ "traffic", RT_COUNTERS_TRAFFIC, "what passes the port" },
	{ "notification", RT_COUNTERS_NOTIFICATION, "marks and CNPs" },
	{ "retransmission", RT_COUNTERS_RETRANSMISSION, "loss as RDMA saw it" },
	{ "loss", RT_COUNTERS_LOSS, "what was dropped here" },
	{ "link", RT_COUNTERS_LINK, "the link and the host" },
	{ "netdev", RT_COUNTERS_NETDEV, "the kernel's own traffic" },
	{ 0 },
};

const struct rt_name rt_counter_source_names[] = {
	{ "ethtool", RT_SOURCE_ETHTOOL, "statistics of the driver, `ethtool -S`" },
	{ "hw_counters", RT_SOURCE_RDMA, "of the RDMA port, `rdma statistic`" },
	{ "device", RT_SOURCE_DEVICE, "hw_counters of the RDMA device, all ports" },
	{ "counters", RT_SOURCE_PMA, "of the InfiniBand port, in sysfs" },
	{ "dcbnl", RT_SOURCE_DCB, "IEEE PFC by dcbnl" },
	{ "netdev", RT_SOURCE_NETDEV, "statistics of the network device" },
	{ "standard", RT_SOURCE_STANDARD,
	  "ethtool netlink, the same for all drivers: pauses, FEC, MAC" },
	{ "qdisc", RT_SOURCE_QDISC,
	  "queueing disciplines of the network device, `tc -s qdisc`" },
	{ "engine", RT_SOURCE_ENGINE, "soft endpoints, of their own frames" },
	{ "switch", RT_SOURCE_SWITCH, "the switch of a lab" },
	{ "simulator", RT_SOURCE_SIM, "a simulated port" },
	{ 0 },
};

const struct rt_name rt_counter_look_names[] = {
	{ "none", RT_LOOK_NONE, "there was nothing to look for" },
	{ "read", RT_LOOK_READ, "it was read" },
	{ "failed", RT_LOOK_FAILED, "it could not be read" },
	{ 0 },
};
