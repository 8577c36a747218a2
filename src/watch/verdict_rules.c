/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict_rules.c - the rules, the gravest first.
 *
 * Sources: IEEE 802.1Qbb and 802.3 annex 31B; IBTA volume 1 release 1.4, 9.7.5 and annex
 * A17; Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst;
 * NVIDIA "Understanding mlx5 Linux Counters"; Zhu et al., "Congestion Control for
 * Large-Scale RDMA Deployments" (SIGCOMM 2015); issues and pull requests by number.
 */
#include "watch/verdict_rules.h"

#include "base/own.h"
#include "watch/verdict.h"

#define ROWS(ROW)                                                                      \
	ROW(LOSS, "lossless-loss", ERROR, loss,                                        \
	    "this port drops frames of a lossless priority",                           \
	    "A priority with PFC is to lose nothing (IEEE 802.1Qbb). It does when "    \
	    "XOFF "                                                                    \
	    "comes too late for what is still under way: headroom below what cable, "  \
	    "speed and MTU ask for, a pool that gives this port too little "           \
	    "(buffer_alpha), or a peer that does not obey. Takes one discard in a "    \
	    "tick; drops with a link that goes, or of a NIC that ends a storm of its " \
	    "own, are not meant.",                                                     \
	    "`rocetune headroom` for this speed and cable; `rocetune check` against "  \
	    "the profile; look whether the peer has PFC on for the same priority.")    \
	ROW(LOSS, "lost-elsewhere", ERROR, lost_elsewhere,                             \
	    "packets are missing that another port dropped",                           \
	    "Gaps, NAKs or time-outs here, while a port that is seen drops frames of " \
	    "a lossless priority: that is the loss, and this what follows. Takes "     \
	    "one here in a tick, and one there in it or in the second before.",        \
	    "Mend the port that is named: its headroom, its share of the buffer.")     \
	ROW(LINK, "port-gone", ERROR, gone, "the port went away",                      \
	    "It was there, with a link or in use, and is not any more: the driver "    \
	    "let "                                                                     \
	    "it go, the device fell off PCIe, a virtual function or a network device " \
	    "was taken away, a lab ended. What ran over it has failed. Holds until "   \
	    "it "                                                                      \
	    "is back.",                                                                \
	    "`dmesg` for the device (a reset, a fatal health report, PCIe errors); "   \
	    "`rocetune devices` for what is there.")                                   \
	ROW(LINK, "link-lost", ERROR, link_lost, "the port has no link any more",      \
	    "It is down, and had a link while this ran, or queue pairs of its device " \
	    "are connected that can send nothing. Counters that stand still are then " \
	    "no sign of health. Holds until the link is back.",                        \
	    "Look at cable, optics and the other end; at who took it down (`ip "       \
	    "link`); whether the switch shut the port.")                               \
	ROW(LINK, "link-damage", ERROR, damage, "the link damages frames",             \
	    "Blocks that FEC cannot repair, symbol errors, frames with a wrong FCS "   \
	    "and a link that goes lose frames whatever congestion control does (mlx5 " \
	    "counters.rst, rx_symbol_err_phy, rx_crc_errors_phy). Blocks that FEC "    \
	    "did "                                                                     \
	    "repair are none of these. Takes one in a tick.",                          \
	    "Clean or exchange connector, cable and optics; look at the same "         \
	    "counters at the other end; compare FEC of both ends.")                    \
	ROW(LINK, "pcie-below-link", WARN, slot, "PCIe is slower than the link",       \
	    "More can come in than the slot takes away, so the NIC's buffer fills "    \
	    "and "                                                                     \
	    "it pauses its peer or drops. A slot of half the lanes, or one that "      \
	    "trained at a lower speed, looks like congestion to all others. Rests "    \
	    "on what PCIe says of width and speed, not on a counter.",                 \
	    "Seat the card again, or take a slot with all lanes; look for a riser or " \
	    "a BIOS setting that holds the speed down.")                               \
	ROW(STORM, "pause-storm", ERROR, storm, "a priority is stopped for good",      \
	    "Paused by the peer for over 99 % of half a second, nothing sent, and "    \
	    "something "                                                               \
	    "waiting (waits counted, time-outs, or peers that the switch holds back "  \
	    "in turn). All three: the share alone gave false alarms "                  \
	    "(sonic-net/sonic-swss pull request 3036).",                               \
	    "Follow the pauses to the port that sends them and is not paused itself; " \
	    "have the watchdog on (switch) and storm prevention (NIC).")               \
	ROW(STORM, "pause-storm-source", ERROR, storm_source,                          \
	    "this host stops its peer for good",                                       \
	    "Pausing its peer for over 99 % of half a second with nothing coming, or " \
	    "a NIC "                                                                   \
	    "that ended its own pauses after too long (mlx5: "                         \
	    "tx_pause_storm_error_events): the host behind it takes nothing any "      \
	    "more. The whole lossless class of the network can stand still for it.",   \
	    "Find what hangs on this host: driver, PCIe, memory; shut the port until " \
	    "then.")                                                                   \
	ROW(HOST, "queue-pairs-unready", ERROR, queue_pairs_unready,                   \
	    "queue pairs died waiting for a receive buffer",                           \
	    "A receiver had no receive posted for so long that its senders' RNR "      \
	    "retries ran out: the queue pair is in error, and with it the job (mlx5 "  \
	    "req_rnr_retries_exceeded). No fault of the network. Takes one in a "      \
	    "tick.",                                                                   \
	    "Look at the receivers of this host's flows; an RNR retry count of 7 "     \
	    "waits without end.")                                                      \
	ROW(HOST, "host-pausing", WARN, pausing, "the host does not take what comes",  \
	    "A NIC pauses its peer when its own buffer fills (tx pause): PCIe, "       \
	    "memory or a cold IOMMU hold it up, not the network. Marks and CNPs are "  \
	    "then what follows of it. Takes more than 1 % of a tick; shorter bursts "  \
	    "are what PFC is for.",                                                    \
	    "Look at the slot's width, NUMA node, IOMMU, CPU idle states and memory "  \
	    "load of this host.")                                                      \
	ROW(HOST, "host-pcie", WARN, pcie, "PCIe holds the NIC up",                    \
	    "Seconds in which the NIC's writes or reads waited for PCIe credits, "     \
	    "frames dropped because the way to the host was full, or errors of "       \
	    "PCIe itself (mlx5 counters.rst, outbound_pci_stalled_wr_events and the "  \
	    "others of its PCIe group). Takes one in a tick.",                         \
	    "Look at the slot, the IOMMU, and what else is behind the same root "      \
	    "port.")                                                                   \
	ROW(HOST, "no-receive-buffers", WARN, no_buffers,                              \
	    "no receive buffer was posted here",                                       \
	    "What came found no receive posted by the application, which answers RNR " \
	    "NAK or drops (IBTA 9.7.5.2.8; mlx5 out_of_buffer). The senders wait for " \
	    "the time that the NAK asks. No fault of the network. Takes one in a "     \
	    "tick; a few at the start of a job are usual.",                            \
	    "Post more receives, earlier; look for a receiver whose CPU is late.")     \
	ROW(HOST, "peer-no-receive-buffers", WARN, peer_no_buffers,                    \
	    "a receiver had no receive buffer posted",                                 \
	    "RNR NAKs came in: this sender waits for a receiver that has no receive "  \
	    "posted (IBTA 9.7.5.2.8). No fault of the network. Takes one in a tick; "  \
	    "a few at the start of a job are usual.",                                  \
	    "Look at the receivers of this host's flows: out of buffer grows there.")  \
	ROW(HOST, "host-drops", WARN, drops,                                           \
	    "the NIC drops what the host does not take",                               \
	    "Frames were dropped for want of buffers in the NIC, on priorities that "  \
	    "have no PFC: the host was too slow for them. Takes more than ten a "      \
	    "second; of fewer a short burst is the reason. Where the priority is not " \
	    "readable, as drivers differ in what they count (bnxt_re, irdma, ionic, "  \
	    "cxgb4: of the port alone), it may be a lossless one, and one in a tick "  \
	    "is enough. What the kernel drops (rx_dropped) is not meant: it has in "   \
	    "it what nobody listens for.",                                             \
	    "As for host-pausing; look which priorities RDMA uses.")                   \
	ROW(HOST, "queue-drops", WARN, queue_drops,                                    \
	    "this host's own queue drops what it sends",                               \
	    "The queueing discipline of a port that no RDMA hardware bypasses (soft "  \
	    "RoCE, or no RDMA) drops frames: more is sent than its rate or its limit " \
	    "lets out. It is a queue of this host, and none of the network's. Takes "  \
	    "more than ten a second, or one in a tick where RDMA sends again.",        \
	    "`tc -s qdisc show dev` the port; raise its limit or its rate, or let it " \
	    "mark (red ecn, fq_codel), where senders heed that.")                      \
	ROW(HOST, "receiver-slow", WARN, receiver_slow,                                \
	    "a slow receiver is behind it",                                            \
	    "A NIC that is seen here pauses its peer: its host does not take what "    \
	    "comes. The queue in front of it fills, is marked, and stops others; "     \
	    "what this port shows follows from that and is no congestion of the "      \
	    "network. Takes more than 1 % of a tick of pausing there, now or in the "  \
	    "second before.",                                                          \
	    "Mend the host that is named.")                                            \
	ROW(CLASS, "wrong-class", WARN, class,                                         \
	    "RDMA travels on a priority that is not lossless",                         \
	    "PFC is on, and RDMA goes beside it: a queue pair without its traffic "    \
	    "class (NVIDIA/nccl issue 2383: queue pairs of GPUs do not have the "      \
	    "port's default), or a DSCP that is mapped otherwise. Takes over 1 % of "  \
	    "the RDMA bytes of a tick and 0.1 % of the link, by what lossless "        \
	    "priorities do not carry and others do beside the kernel's own; CNPs "     \
	    "and connection management are there by right.",                           \
	    "Set the traffic class of the application (NCCL_IB_TC, "                   \
	    "UCX_IB_TRAFFIC_CLASS, ...; `rocetune tos`); compare trust and DSCP map "  \
	    "(`rocetune check`).")                                                     \
	ROW(SILENT, "silent-loss", WARN, silent,                                       \
	    "packets are lost, and no mark or pause is seen",                          \
	    "Something is sent again without a CNP, a pause, a drop or damage that "   \
	    "is seen here, or was a second before: frames are lost where no counter "  \
	    "of these ports tells. "                                                   \
	    "Drops in a switch without ECN, an MTU that does not fit, a filter, a "    \
	    "full table, damage behind a cut-through switch. Takes one NAK, time-out " \
	    "or wrong ICRC in a tick.",                                                \
	    "Look for drops at the switches on the way, `rocetune probe` for the "     \
	    "MTU, `rocetune analyze` on a capture of the senders.")                    \
	ROW(SILENT, "queue-pairs-lost", ERROR, queue_pairs_lost,                       \
	    "queue pairs died: nothing answered their retries",                        \
	    "A request was sent again until its retries ran out: the queue pair is "   \
	    "in error, and with it the job (mlx5 req_transport_retries_exceeded). "    \
	    "The "                                                                     \
	    "other end is gone, or the way to it loses all, and no jam is seen here. " \
	    "Takes one in a tick.",                                                    \
	    "Look whether the other end is up and its address right; `rocetune "       \
	    "probe` the way; look at link and routes for the time that time-out and "  \
	    "retry count make together.")                                              \
	ROW(NETWORK, "queue-pairs-jammed", ERROR, queue_pairs_jammed,                  \
	    "queue pairs died in a jam",                                               \
	    "As queue-pairs-lost, but this port is paused, or its packets are marked " \
	    "or dropped, at the same time or up to a second before: answers came too " \
	    "late, or not at all, for a full queue. Takes one in a tick.",             \
	    "Mend the jam first; a time-out that is shorter than pauses last makes "   \
	    "it worse.")                                                               \
	ROW(NETWORK, "marks-unanswered", WARN, unanswered,                             \
	    "marked packets come, and no CNP goes out",                                \
	    "The notification point is off, or for another priority: senders never "   \
	    "slow down and PFC is all that is left. Another algorithm than DCQCN may " \
	    "not need CNPs. Takes more than ten marks a second, and one in ten "       \
	    "thousand packets, and no CNP in a tick.",                                 \
	    "`rocetune show`: cc.algorithm, np.enable; set the profile (`rocetune "    \
	    "apply`).")                                                                \
	ROW(NETWORK, "cnps-ignored", WARN, ignored, "CNPs come and are not obeyed",    \
	    "The reaction point is off for the priority, or the queue pairs are not "  \
	    "of a kind that reacts (mlx5 rp_cnp_ignored). Takes more than ten a "      \
	    "second, and more than are obeyed.",                                       \
	    "`rocetune show`: rp.enable; set the profile (`rocetune apply`).")         \
	ROW(NETWORK, "pause-victim", WARN, victim, "paused for the sake of others",    \
	    "The peer pauses this port, but its own flows get no CNP while others "    \
	    "do: they pass no full queue. PFC stops a priority, not a flow, so that "  \
	    "those who have nothing to do with a jam stand in it. Takes more than "    \
	    "1 % of ticks that make 0.3 s, and a second without a CNP of its own.",    \
	    "Find the full queue; ECN thresholds that act before PFC, or a priority "  \
	    "of its own.")                                                             \
	ROW(NETWORK, "pause-without-marks", WARN, unmarked,                            \
	    "paused by the peer, and nothing is marked",                               \
	    "Either this port is the victim of a jam that its own flows have no part " \
	    "in, or ECN is off, or comes too late: PFC then does alone what "          \
	    "congestion control is for. Takes more than 1 % of ticks that make "       \
	    "0.3 s, with CNPs "                                                        \
	    "readable and none there.",                                                \
	    "Look at Kmin and Kmax of the switch against its XOFF (`rocetune profile " \
	    "check`), and whether senders are ECT (`rocetune tos`).")                  \
	ROW(NETWORK, "congestion", WARN, congestion, "a queue in the network is full", \
	    "A NIC is paused by its peer, or gets marks or CNPs, those of its own "    \
	    "slow restart taken off (sonic-net/sonic-buildimage issue 21891); or a "   \
	    "switch's port marks, drops what may be lost, or pauses its peer. A slow " \
	    "receiver does the same: where neither the other end nor the switch is "   \
	    "watched, the root is not visible. Takes, for 0.3 s, more than 1 % of "    \
	    "a tick of "                                                               \
	    "pauses, or more than ten marks or CNPs a second and one in ten thousand " \
	    "frames.",                                                                 \
	    "Look at the switch's queue towards the receiver, and how many send to "   \
	    "it (`rocetune top`, flows); watch the receiver as well.")                 \
	ROW(REORDER, "reorder", INFO, reorder,                                         \
	    "packets overtake each other, none is lost",                               \
	    "Packets come before others that come, too: several paths (spraying, "     \
	    "adaptive routing, a bond). A NIC that puts them in order loses nothing; " \
	    "one of go-back-N asks for them again (IBTA 9.7.5.1.2), and throughput "   \
	    "falls. Takes one in a tick, and that all senders are seen and none "      \
	    "sends again, or that half of them came twice.",                           \
	    "Nothing where nothing is sent again; else one path for a flow, or NICs "  \
	    "that order packets themselves.")                                          \
	ROW(UNKNOWN, "gaps-unclear", WARN, gaps,                                       \
	    "packets come before others: lost or overtaken",                           \
	    "A receiver sees gaps. Whether what was missing had to be sent again is "  \
	    "what its senders count, which are not seen here; nothing else here "      \
	    "tells. Takes one in a tick.",                                             \
	    "Watch a sender of it, or capture (`rocetune analyze`).")                  \
	ROW(UNKNOWN, "pauses-unclear", WARN, unclear,                                  \
	    "it may be held up by pauses, or hold its peer up",                        \
	    "Pause frames are counted, and how long they stop anybody is not (E810, "  \
	    "i40e, switches of frame counters). Each could for 65535 quanta of 512 "   \
	    "bit "                                                                     \
	    "times (IEEE 802.1Qbb), and most are taken back much sooner: what is "     \
	    "said "                                                                    \
	    "is a bound and not a measure. Takes more than 10 % of a tick by that "    \
	    "bound, so that a tenth of it would matter; below, and above 1 %, the "    \
	    "port "                                                                    \
	    "is not judged.",                                                          \
	    "Look at the other end, which may count the time; at throughput and CNPs " \
	    "of the same moment; at what host-pausing and congestion say.")            \
	ROW(UNKNOWN, "no-link", INFO, no_link, "the port has no link",                 \
	    "It is down, or not there yet, had no link while this ran, and no queue "  \
	    "pair of its device is known to be connected: a port that nobody uses, "   \
	    "it "                                                                      \
	    "seems. Nothing can be said of it.",                                       \
	    "Nothing where the port is not meant to be used; else as for link-lost.")  \
	ROW(UNKNOWN, "no-rates", UNKNOWN, not_yet,                                     \
	    "there are no rates yet to judge by",                                      \
	    "Counters were read, but a rate takes two readings between which the "     \
	    "source gave new values. A first sample has none; a copy of a host's "     \
	    "files "                                                                   \
	    "that nobody writes to (--sysroot, a bundle) never has. Where another "    \
	    "finding tells of the port this one does not.",                            \
	    "Wait for the next interval; of a copy, take two and let something "       \
	    "write them, or look at the host itself.")                                 \
	ROW(UNKNOWN, "unreadable", UNKNOWN, unknown,                                   \
	    "not enough can be read to say that all is well",                          \
	    "Nothing wrong is seen, but something wrong would not be: counters of "    \
	    "the kinds that are named are missing, by the driver or for want of "      \
	    "permission. A port that carries next to nothing is idle, and well.",      \
	    "`rocetune top` on the port tells where each counter is read, and why "    \
	    "not; run it as root; newer drivers have more.")

#define RULE(verdict_, id_, severity_, check_, title_, explain_, remedy_) \
	{                                                                 \
		.id = "watch-" id_,                                       \
		.severity = RT_SEVERITY_##severity_,                      \
		.basis = RT_BASIS_OBSERVED,                               \
		.title = (title_),                                        \
		.explain = (explain_),                                    \
		.remedy = (remedy_),                                      \
		.check = rt_verdict_check_##check_,                       \
	},
const struct rt_rule rt_watch_rules[] = { ROWS(RULE) };
const size_t rt_watch_rule_count = RT_ARRAY_SIZE(rt_watch_rules);

#define VERDICT(verdict_, ...) RT_VERDICT_##verdict_,
const unsigned char rt_watch_rule_verdicts[] = { ROWS(VERDICT) };
