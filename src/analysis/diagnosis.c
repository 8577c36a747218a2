/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diagnosis.c - the rules over an analysis, one row each.
 *
 * All rest on what was observed at one tap.  Where the same picture can have an
 * innocent cause, or the cause lies out of sight, the row says so.
 */
#include "analysis/diagnosis.h"

#include <errno.h>
#include <inttypes.h>

#include "analysis/rules.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

#define RULE(id_, severity_, title_, explain_, remedy_, check_)                       \
	{                                                                             \
		.id = (id_), .severity = RT_SEVERITY_##severity_,                     \
		.basis = RT_BASIS_OBSERVED, .title = (title_), .explain = (explain_), \
		.remedy = (remedy_), .check = (check_)                                \
	}

const struct rt_rule rt_diagnosis_rules[] = {
	/* --- the capture itself --- */
	RULE("capture-no-roce", UNKNOWN, "there is no RoCE in this capture",
	     "RDMA goes past the kernel, so a capture on the netdev of a NIC, or on a "
	     "switch's CPU port, shows none of it.",
	     "capture on a mirror port or tap, or on the RDMA device itself (tcpdump "
	     "-i "
	     "mlx5_0, with a libpcap that knows verbs)",
	     rt_check_no_roce),
	RULE("capture-dropped", UNKNOWN,
	     "the capture lost frames: what the network lost cannot be told",
	     "Whoever captured counted frames that it had no room for. A gap may be "
	     "theirs, "
	     "and so may a missing mark, CNP or pause; counts are lower bounds.",
	     "capture with a larger ring, fewer interfaces or cut frames (a snap "
	     "length), "
	     "or at a slower rate",
	     rt_check_dropped),
	RULE("capture-not-judged", UNKNOWN,
	     "what frames that the capture lost may explain is not judged",
	     "These rules conclude from what is not in the capture: an answer, a mark, "
	     "an "
	     "XON, the frames of a sender. Where whoever captured lost frames it may "
	     "be "
	     "among those. What is seen, like a resend or an RNR NAK, is judged.",
	     "capture without losing frames; until then look at the counters of NIC "
	     "and switch",
	     rt_check_not_judged),
	RULE("capture-damaged", ERROR,
	     "the file is damaged and was not read to its end",
	     "Everything in this report is about the part before the damage; what is "
	     "said not to be verified may hold frames that never were.",
	     "copy or record the capture again", rt_check_damage),
	RULE("capture-frames-twice", WARN, "the capture holds frames more than once",
	     "A mirror of both directions of several ports, or a capture on all "
	     "interfaces, shows a packet at each place it passes. Here copies can't be "
	     "told from resends for sure: ids of IP packets that do not change, or "
	     "copies that come too far behind. Rewinds, resent bytes and throughput of "
	     "these flows are then those of the copies.",
	     "mirror each packet once, or keep one interface of the capture; do not "
	     "merge files of two places into one interface (mergecap without -F pcap "
	     "keeps an interface for each)",
	     rt_check_frames_twice),
	RULE("capture-copies", INFO, "copies of frames were left out",
	     "A mirror of both directions of several ports, or a capture on all "
	     "interfaces, shows a packet at each place it passes. Flows, directions, "
	     "marks and throughput hold each packet once; counts of frames, opcodes "
	     "and "
	     "acknowledgements are of all that was captured. Pause frames have nothing "
	     "that tells a copy from a repetition: they all count.",
	     "none needed; --keep-duplicates counts them all", rt_check_copies),
	RULE("capture-hole", WARN,
	     "packets are missing in the capture, not in the network",
	     "The receiver acknowledged PSNs that this capture does not hold, and "
	     "nobody "
	     "sent them again: they arrived, the tap missed them. Mirrors drop under "
	     "load, and a capture started amid traffic has a hole near its beginning.",
	     "do not take gaps of this capture for loss; check the drop counters of "
	     "the "
	     "mirror and of the capturing host",
	     rt_check_capture_hole),
	RULE("capture-too-short", UNKNOWN,
	     "frames are cut before their transport header",
	     "A RoCEv2 frame needs 54 bytes over IPv4 and 74 over IPv6 to the end of "
	     "the "
	     "BTH, plus 16 for lengths and syndromes, plus tags and tunnels.",
	     "capture at least 128 bytes of each frame, 192 through a tunnel",
	     rt_check_snap_short),
	RULE("capture-ends-early", INFO, "the file ends inside a record",
	     "The capturing program was stopped hard or the copy is not complete. The "
	     "end "
	     "of such a file is no stall of the traffic.",
	     "none needed; copy the file again if it should be longer",
	     rt_check_file_cut),
	RULE("capture-time-back", INFO, "time stamps go back in places",
	     "Kernels stamp received and sent frames at different points, and merged "
	     "files "
	     "interleave. File order is taken as the order of events.",
	     "none; do not read too much into single microseconds", rt_check_time_back),
	RULE("capture-overflow", UNKNOWN,
	     "there is more in the capture than is followed",
	     "Tables are bounded so that no capture can exhaust the memory. Totals "
	     "include "
	     "everything, the lists do not.",
	     "split the capture, for example by address", rt_check_overflow),
	RULE("ip-fragments", WARN, "there are IP fragments beside RoCE",
	     "RoCEv2 packets must not be fragmented (IBTA A17.3.1); NICs drop such "
	     "packets. The fragments may be of other traffic.",
	     "check that the link MTU holds the RoCE MTU and its headers everywhere",
	     rt_check_fragments),

	/* --- connections --- */
	RULE("cm-refused", WARN, "connections were refused",
	     "The communication manager of the other side answered REJ; its reason "
	     "says why (IBTA 12.6.7.2).",
	     "no such service: start the server, check its port; stale connection or "
	     "no "
	     "QP: the other side ran out of queue pairs or was restarted",
	     rt_check_cm_refused),
	RULE("cm-contradiction", WARN,
	     "messages about connections contradict each other",
	     "Two that speak of one connection name other queue pairs or PSNs, or the "
	     "packets use another path MTU or transport than was agreed on. The first "
	     "word stands; of two living connections with one queue pair neither is "
	     "believed, and the pairing is inferred. A queue pair that is used again "
	     "without a DREQ in the capture looks the same.",
	     "look whether the capture mixes hosts with the same address, or whether "
	     "somebody forges messages",
	     rt_check_cm_contradiction),

	/* --- loss --- */
	RULE("loss-go-back-n", ERROR, "packets are lost and sent again",
	     "A responder that misses a PSN sends one NAK and drops all that follows "
	     "until "
	     "the missing one comes (IBTA 9.7.5.2.4): each loss costs a window of "
	     "packets. "
	     "Losses in one window share a NAK, so NAKs are fewer than losses. A "
	     "damaged "
	     "packet looks the same.",
	     "find where it drops: discards of the queue and the priority group, "
	     "headroom, "
	     "ICRC and FEC errors; check that the traffic is in a lossless class or "
	     "that "
	     "ECN acts before the queue is full",
	     rt_check_loss),
	RULE("loss-timeout", ERROR, "a sender waits for its time-out",
	     "Rewinds without a NAK after a silence: the last packets of a message, an "
	     "ACK "
	     "or a NAK got lost, and only the local ACK time-out (4.096 us * 2^code, "
	     "often "
	     "67 ms) brings it back. Not to be told apart from here: a sender that was "
	     "idle and repeats for a reason out of sight.",
	     "remove the loss; where that can't be, a smaller time-out code",
	     rt_check_timeouts),
	RULE("reordering-not-loss", WARN, "packets come late, not never",
	     "Gaps were filled by packets that had not been sent again. Plain "
	     "go-back-N "
	     "takes that for loss, NAKs and resends. Packets that a NIC resends one by "
	     "one "
	     "(selective repeat) look the same.",
	     "look for spraying, adaptive routing or links of a bundle that differ; "
	     "turn "
	     "it off for this traffic, or use NICs that place out of order",
	     rt_check_reordering),
	RULE("gap-unanswered", UNKNOWN, "gaps that nobody reacted to",
	     "No NAK, no rewind, and no ACK beyond the gap was seen: the packets may "
	     "be "
	     "lost, with the repair outside the capture, or only missed by the tap.",
	     "compare with the sequence error counters of the receiver",
	     rt_check_gap_unanswered),
	RULE("loss-unreliable", WARN, "packets of an unreliable connection are missing",
	     "UC has neither ACK nor resend: a gap is the only trace of a loss, and a "
	     "hole "
	     "of the capture looks the same. Each one costs a whole message.",
	     "compare with the receiver's counters; look for discards on the way",
	     rt_check_unreliable_gap),
	RULE("rnr-stall", ERROR, "the receiver is not ready and stalls the sender",
	     "An RNR NAK makes the sender wait as long as it says (timer code 0 is 655 "
	     "ms). That is the application or the host of the receiver, not the "
	     "network. "
	     "NAKs for a sequence error right behind an RNR NAK are its consequence.",
	     "post receives earlier and more of them; check the receiver's CPU; set "
	     "min_rnr_timer to fit",
	     rt_check_rnr_stall),
	RULE("rnr", WARN, "the receiver was not ready at times",
	     "RNR NAKs say that a SEND found no receive buffer. Nothing was lost in "
	     "the "
	     "network.",
	     "post more receive buffers", rt_check_rnr_wait),
	RULE("nak-no-stream", WARN,
	     "a receiver misses packets of streams not seen here",
	     "A NAK for a sequence error says that a PSN did not come, or came late. "
	     "The stream it speaks of is not in the capture, as on a tap of one "
	     "direction, or could not be told: what was lost, and what it cost, is "
	     "out of sight. Behind RNR NAKs these are their consequence.",
	     "capture the other direction as well; compare with the receiver's "
	     "counter of packets out of sequence",
	     rt_check_naks_alone),
	RULE("nak-fatal", ERROR, "a NAK says that a request is wrong",
	     "NAK codes above 0 (invalid request, remote access, remote operation) end "
	     "the "
	     "connection; they are programming or registration errors, not congestion.",
	     "look at the application: keys, lengths, permissions of memory regions",
	     rt_check_fatal_nak),
	RULE("icrc-some", ERROR, "some packets are damaged",
	     "The invariant CRC is wrong in some packets of a stream: payload or "
	     "headers "
	     "were changed on the way. NICs drop these without a word, which then "
	     "looks "
	     "like loss.",
	     "check FEC and symbol errors and the memory of switches on the path",
	     rt_check_icrc_some),
	RULE("icrc-all", WARN, "no packet of a stream has a right ICRC",
	     "Wrong in all packets is no corruption: a box rewrites addresses or "
	     "ports, or "
	     "the sender does not compute it and the receiver does not check.",
	     "if the receiver drops them, take the rewriting box out of the path",
	     rt_check_icrc_all),

	/* --- marks --- */
	RULE("ecn-not-ect", WARN, "data can never be marked",
	     "A queue marks only ECT packets and drops the others instead, so "
	     "congestion "
	     "control by ECN can't work for these flows (RFC 3168). Right where the "
	     "fabric "
	     "is meant to use PFC alone. Not visible from here: whether a box on the "
	     "way "
	     "cleared the bits.",
	     "set ECN on the sender: traffic class with low bits 10 (106 = DSCP 26 and "
	     "ECT(0)), or enable the reaction point for the priority",
	     rt_check_not_ect),
	RULE("ecn-all-ce", WARN, "every frame of a flow is CE-marked",
	     "Either a queue stands above its marking limit for good, or the sender "
	     "itself "
	     "sends CE: low bits 11 in an application's traffic class do that.",
	     "look at the bits before the first switch; then at the queue and its "
	     "limits",
	     rt_check_all_ce),
	RULE("cnp-missing", WARN, "marks are not answered by CNPs",
	     "Marked data arrives, ACKs go back, but no CNP does: the notification "
	     "point is "
	     "off, or its CNPs take a path that this tap does not see, or another "
	     "algorithm than DCQCN runs and needs none. Soft-RoCE sends none.",
	     "check that the notification point is enabled for this priority, and its "
	     "counters of marked packets and sent CNPs",
	     rt_check_ce_no_cnp),
	RULE("cnp-not-visible", UNKNOWN, "whether marks are answered is not visible",
	     "Marked data was captured without its return path, where CNPs would be.",
	     "capture both directions", rt_check_ce_no_return),
	RULE("cnp-without-mark", INFO, "CNPs for flows that carry no marks here",
	     "The marks were made between this tap and the receiver. A NIC may also "
	     "make "
	     "CNPs by itself (slow restart).",
	     "look for the queue behind this tap", rt_check_cnp_no_ce),
	RULE("cnp-without-flow", INFO, "CNPs for flows that were not captured",
	     "Their data takes a path that this tap does not see.", "none",
	     rt_check_cnp_no_flow),

	/* --- pauses --- */
	RULE("pfc-not-visible", UNKNOWN, "pauses are not visible at this tap",
	     "The port that receives a pause frame consumes it; hosts and most mirrors "
	     "never show any. None here does not mean none on the wire.",
	     "read the pause counters of NIC and switch, or use an optical tap",
	     rt_check_pause_hidden),
	RULE("pause-untimed", UNKNOWN, "pauses have no time without a link speed",
	     "A quantum is 512 bit times; pcap files do not tell the speed.",
	     "give --link-speed", rt_check_pause_untimed),
	RULE("pause-storm", ERROR, "a port pauses its peer for very long",
	     "Pauses refreshed again and again without an XON stop everything "
	     "upstream; a "
	     "watchdog takes it for a deadlock or a stuck NIC. The port that is paused "
	     "itself only passes on what comes from elsewhere: the root may not be "
	     "visible from here.",
	     "find the first port that pauses without being paused; enable the PFC "
	     "watchdog and the NIC's storm prevention",
	     rt_check_pause_storm),
	RULE("pause-share", WARN, "a priority is paused for a good part of the time",
	     "More than one per cent of the time. Either the receiver is slow, or ECN "
	     "starts too late and PFC does its work.",
	     "a NIC that pauses: look at its host (PCIe, memory, CPU); a switch: lower "
	     "Kmin and Kmax or check that data is ECT",
	     rt_check_pause_share),
	RULE("pause-priority", WARN,
	     "pauses on priorities that should hardly be lossless",
	     "RoCE networks have one or two lossless priorities. Pauses on priority 0, "
	     "on "
	     "more than two, or on one that no tagged frame uses, come from a PFC mask "
	     "that is too wide or a mapping that differs. Which priorities were meant "
	     "to "
	     "be lossless can't be seen here.",
	     "compare the PFC masks and the DSCP to priority maps at both ends",
	     rt_check_pause_priority),
	RULE("pause-global", WARN, "802.3x PAUSE beside RoCE",
	     "It stops all priorities of the link, the lossy ones and CNPs too.",
	     "turn global pause off and use PFC", rt_check_pause_global),

	/* --- shares --- */
	RULE("incast-unfair", WARN, "senders to one receiver get unequal shares",
	     "Judged over the time in which at least two of them were active, of "
	     "receivers that got 64 KiB at least. Senders "
	     "that "
	     "had less to send look slower than they are.",
	     "compare congestion control settings of the senders; pauses on a shared "
	     "upstream port hit its senders alike",
	     rt_check_unfair),
	RULE("ecmp-few-ports", WARN, "few UDP source ports for many flows",
	     "Switches spread flows by the source port; flows that share one share a "
	     "path.",
	     "let the NIC derive the port from the flow label or the QP numbers",
	     rt_check_few_ports),
};

const size_t rt_diagnosis_rule_count = RT_ARRAY_SIZE(rt_diagnosis_rules);

/* Rules that conclude from frames that are not there. */
static rt_rule_check *const needs_all_frames[] = {
	rt_check_reordering,  rt_check_unreliable_gap, rt_check_timeouts,
	rt_check_ce_no_cnp,   rt_check_cnp_no_ce,      rt_check_cnp_no_flow,
	rt_check_pause_storm, rt_check_pause_share,    rt_check_unfair,
};

static bool needs_all(const struct rt_rule *rule)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(needs_all_frames); i++)
		if (rule->check == needs_all_frames[i])
			return true;
	return false;
}

static const struct rt_rule *find_rule(rt_rule_check *check)
{
	for (size_t i = 0; i < rt_diagnosis_rule_count; i++)
		if (rt_diagnosis_rules[i].check == check)
			return &rt_diagnosis_rules[i];
	return NULL;
}

/* What it finds counts as not judged, and is named. */
static void refuse(const struct rt_rule *rule, const struct rt_analysis *analysis,
		   struct rt_line *names, struct rt_findings *findings)
{
	struct rt_findings refused = { 0 };

	rule->check(rule, analysis, &refused);
	if (refused.count)
		rt_line_put(names, "%s%s", names->used ? ", " : "", rule->id);
	findings->out_of_memory |= refused.out_of_memory;
	rt_findings_free(&refused);
}

int rt_diagnose(const struct rt_analysis *analysis, struct rt_findings *findings,
		struct rt_err *err)
{
	const uint64_t lost = rt_lost_by_capture(analysis);
	char text[240] = "";
	struct rt_line names = { .text = text, .capacity = sizeof(text) };

	for (size_t i = 0; i < rt_diagnosis_rule_count; i++) {
		const struct rt_rule *rule = &rt_diagnosis_rules[i];

		if (lost && needs_all(rule))
			refuse(rule, analysis, &names, findings);
		else
			rule->check(rule, analysis, findings);
	}
	if (names.used)
		rt_findings_add(findings, find_rule(rt_check_not_judged), "",
				"%" PRIu64
				" frames lost by the capture; not judged: %s",
				lost, text);
	if (findings->out_of_memory)
		return rt_err_sys(err, -ENOMEM, "cannot hold the findings");
	return 0;
}
