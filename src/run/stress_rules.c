/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/units.h"
#include "run/stress.h"
#include "run/stress_checks.h"
#include "traffic/engine.h"

/* --- the rows --------------------------------------------------------------------- */

#define ROW(id_, severity_, check_, title_, explain_, remedy_)                        \
	{                                                                             \
		.id = "stress-" id_, .severity = RT_SEVERITY_##severity_,             \
		.basis = RT_BASIS_OBSERVED, .title = (title_), .explain = (explain_), \
		.remedy = (remedy_), .check = rt_stress_check_##check_                \
	}

const struct rt_rule rt_stress_rules[] = {
	ROW("rank-lost", ERROR, rank_lost, "a host did not report",
	    "Its agent ended, hung or was cut off from the coordinator, or what it "
	    "reported was refused. What the others report is of the run, what it sent "
	    "or received is missing.",
	    "Look at its agent's last words; run again."),
	ROW("nothing-moved", ERROR, nothing_moved, "no data moved at all",
	    "Queue pairs were made and connected, so the hosts talk to each other, but "
	    "not by RoCE: UDP port 4791 is filtered, the GIDs are of different "
	    "networks, or the MTU is too large for the path.",
	    "Try `rocetune probe`; compare addresses and GIDs of the hosts (--all)."),
	ROW("sender-stopped", ERROR, sender_stopped, "a sender was stopped by an error",
	    "A queue pair that runs out of retries goes to the error state (IBTA "
	    "9.9.2) and sends no more. On a class that may drop this is what a long "
	    "overload ends in, and which sender it hits is chance; on a lossless one "
	    "it is damage. RETRY_EXC: nothing came back in time. RNR_RETRY_EXC: the "
	    "receiver had no receive posted.",
	    "Find the loss. Where drops are meant to be, give more retries or a longer "
	    "time-out."),
	ROW("lossless-loss", ERROR, lossless_loss, "a lossless priority lost frames",
	    "Receivers saw gaps in packet sequence numbers. PFC is there so that this "
	    "never is: headroom too small, PFC off on one hop, or a DSCP that one hop "
	    "maps to another class. A path that reorders (spraying) looks the same "
	    "from here, and so does a watchdog that drops.",
	    "Compare the hops' discard counters; `rocetune headroom`; `rocetune "
	    "check`."),
	ROW("lossless-discards", ERROR, lossless_discards,
	    "a NIC dropped frames of a lossless priority",
	    "Its receive buffer for the priority was full although PFC is on: the "
	    "headroom that is set is too small for the cable and the speed, or the "
	    "switch does not obey.",
	    "`rocetune headroom`; give the priority's buffer that much (`rocetune "
	    "apply`)."),
	ROW("watchdog", ERROR, watchdog, "a NIC's pause storm watchdog acted",
	    "The port had paused its peer for so long that the NIC took the pauses "
	    "back, and drops what comes.",
	    "Find what stalls the host: PCIe, memory, a hung receiver."),
	ROW("receiver-slow", WARN, receiver_slow, "the receiver is the bottleneck",
	    "A receiver that pauses its peer while its link is not full cannot take "
	    "what comes: PCIe, memory, or the NIC itself. Marks and CNPs are then a "
	    "consequence, not the cause.",
	    "Look at PCIe width and speed, NUMA placement, and what else uses the "
	    "host's memory."),
	ROW("loss", WARN, loss, "frames were lost",
	    "Receivers saw gaps in packet sequence numbers, on priorities that are "
	    "allowed to drop or of which that is not known. Each gap costs everything "
	    "sent after it (go-back-N).",
	    "Lower Kmin so that senders slow down earlier, or put the class under "
	    "PFC."),
	ROW("loss-unknown", UNKNOWN, loss_unknown,
	    "whether frames were lost is not known",
	    "Neither the queue pairs nor the ports of their hosts count gaps in packet "
	    "sequence numbers: that no loss is told does not mean that there was none.",
	    "Look at the discard counters of the switches (`rocetune probe`)."),
	ROW("timeouts", WARN, timeouts, "senders went back after silence",
	    "No ACK came in time, and no receiver missed anything: the ACK was lost, "
	    "or the last frames were, or the sender stood paused for longer than its "
	    "time-out (which is no loss).",
	    "Compare with pauses; raise the local ACK time-out where they are long "
	    "(--ack-timeout 16: 268 ms), or the number of --retries."),
	ROW("cut-short", WARN, cut_short, "the run ended before its time",
	    "By default a run ends at the first sign of damage: loss on a lossless "
	    "priority, a victim slowed beyond its bound, a sender paused for more "
	    "than half of a second. That is an error, and an interrupt by somebody is "
	    "none. Figures are of the time until then.",
	    "Mend what is named, or go on in spite of it with --no-abort."),
	ROW("not-all-time", INFO, not_all_time, "the run ended before its flows did",
	    "A run lasts as long as its longest workload, or until all bytes are sent, "
	    "60 s at most. --time, or the scenario's own duration, says less than "
	    "that, "
	    "or the network was slower than the bytes want.",
	    "Give it more --time, or leave --time out."),
	ROW("late", WARN, late, "traffic outlived its time",
	    "When its time is over nothing is posted any more, but an RDMA device "
	    "sends "
	    "what was posted before: of each queue pair --outstanding messages of "
	    "--size bytes. Of that more came than the 0.4 s for it allow, and figures "
	    "of the time do not have it.",
	    "Fewer --outstanding, or a smaller --size."),
	ROW("unfair", WARN, unfair, "senders got very different shares",
	    "Jain's index is 1 when all are equal and 1/n when one has all. Judged "
	    "only where all had the same to do; senders that an error stopped are "
	    "left out.",
	    "Look at the slowest sender: its path, its pauses, its CNPs."),
	ROW("oscillating", WARN, oscillating, "senders' rates swing",
	    "A sender fell below half of its median rate more than once, or its "
	    "intervals vary by more than half, and it had lost frames, cut its rate "
	    "or stood paused just then: the collapse that two senders into one "
	    "receiver show without working congestion control (perftest issues 130 "
	    "and 219), where each loss costs a window. Where no such cause is seen "
	    "(verbs tell of none), two senders must have fallen three times each, or "
	    "one vary by more than its mean. Intervals in which a host was not there "
	    "are left out.",
	    "Is ECN marking on, do CNPs come, do rates go down smoothly? Then look "
	    "for loss."),
	ROW("host-too-slow", UNKNOWN, host_too_slow, "a host lost frames by itself",
	    "Its kernel had no more room for what came, since the agent did not fetch "
	    "it in time. The transport repairs that as any other loss, but the "
	    "network did not lose these: loss, time-outs, dips and unequal shares "
	    "that this may explain are not told.",
	    "Give the agent a core of its own, or lower the rate (--rate, or the "
	    "lab's)."),
	ROW("host-busy", UNKNOWN, host_busy, "a host was too busy to keep time",
	    "Its agent looked at its queue pairs late, so that an interval of its "
	    "series has bytes of the next, or its engine was not there when frames "
	    "were due: dips in such intervals are not judged.",
	    "Give the agent a core of its own."),
	ROW("hold-short", UNKNOWN, hold_short, "too short to judge fairness",
	    "There must be some intervals in which all senders were to send.",
	    "Run longer (--time), or without steps (--ramp 0s)."),
	ROW("victim-hurt", WARN, victim_hurt, "a bystander suffers",
	    "The factor by which a flow that does not load is slower beside the load "
	    "than alone, as GPCNeT measures it. Told from 3 on, and on the load's own "
	    "queue, where waiting is natural, from 10. One that completes nothing at "
	    "all under load starves, which is an error.",
	    "Same priority: mark earlier (Kmin). Another priority: look at the "
	    "scheduler's weights. Another receiver: pauses spread; mark before XOFF."),
	ROW("victim-silent", UNKNOWN, victim_silent, "the victim could not be measured",
	    "It completed no message alone, or none under load.",
	    "Run longer, or let the victim send smaller messages."),
	ROW("paused", WARN, paused, "senders were paused for a good part of the time",
	    "More than one per cent of the run, as pause-share of analyze has it: "
	    "ECN starts too late, and PFC does its work. Who is paused stops its own "
	    "upstream, bystanders included.",
	    "Lower Kmin and Kmax, or give the switch more buffer before XOFF."),
	ROW("receiver-paused", WARN, receiver_paused,
	    "a receiver was paused, and its ACKs with it",
	    "More than one per cent of the run. Senders whose ACKs do not come go back "
	    "after their time-out, and in the end run out of retries (RETRY_EXC), "
	    "though nothing was lost.",
	    "Find who sends pauses to it: its switch port, or a storm behind that."),
	ROW("pause-without-mark", WARN, pause_without_mark,
	    "PFC stopped senders, but nothing was marked",
	    "Congestion control should act before flow control (SIGCOMM 2015, section "
	    "4). Either marking is not set up on the congested queue, or Kmin lies "
	    "above XOFF, or somebody on the way clears the bits. Under a profile of "
	    "PFC alone it is as it should be.",
	    "Set up ECN on the egress queue; compare Kmin with XOFF (`rocetune profile "
	    "check`)."),
	ROW("mark-without-cnp", WARN, mark_without_cnp,
	    "frames come marked, but the receiver tells nobody",
	    "A notification point sends a CNP for the first marked frame of a flow at "
	    "once, whatever its pacing.",
	    "Turn the notification point on for this priority (cc.np.enable)."),
	ROW("cnp-lost", WARN, cnp_lost, "CNPs do not reach the senders",
	    "Less than half of them came. They have no class of their own on the way "
	    "back, or are dropped in it.",
	    "Give the CNPs' DSCP a strict class on every hop."),
	ROW("cnp-without-cut", WARN, cnp_without_cut,
	    "CNPs come, but no sender slows down",
	    "The reaction point is off for this priority, or another algorithm than "
	    "DCQCN runs.",
	    "Turn the reaction point on (cc.rp.enable); look at cc.algorithm."),
	ROW("not-ect", INFO, not_ect, "load that can never be marked",
	    "Not-ECT frames are dropped where others would be marked (RFC 3168).",
	    "Set the ECN bits: a byte of 106 is DSCP 26 and ECT(0)."),
	ROW("all-ce", WARN, all_ce, "load that looks marked from the start",
	    "A sender sets CE, so every frame looks as if a switch had marked it.",
	    "Only switches set CE: --ecn 2."),
	ROW("cap-missed", WARN, cap_missed, "a rate cap was not kept within 2 %",
	    "The engine paces in software. Told only where no mark, CNP, pause or "
	    "resend held the sender back.",
	    "Smaller messages pace better; give the agent a core of its own."),
	ROW("start-skew", WARN, start_skew, "senders did not start together",
	    "First bytes left at different times after their planned start, by more "
	    "than a twentieth of the time that is judged and than the clocks' error.",
	    "Look for a busy host; give the agents cores of their own."),
	ROW("clock-unsure", UNKNOWN, clock_unsure, "the clocks are not well known",
	    "The offset of a host's clock is measured by the fastest of several round "
	    "trips; half of that one is the error.",
	    "Use a quieter way between the hosts (--listen on another network)."),
	ROW("lossless-unknown", UNKNOWN, lossless_unknown,
	    "which priorities are lossless is not known",
	    "A loss is damage only where there must be none.",
	    "Say --profile, or --lossless 3."),
};

const size_t rt_stress_rule_count = RT_ARRAY_SIZE(rt_stress_rules);

/* Every engine that some host worked with, once; true: none of them sends. */
static bool tell_engine(struct rt_stress_result *result)
{
	struct rt_line line = { result->engine, sizeof(result->engine), 0 };
	bool sends = false;

	*result->engine = '\0';
	for (size_t i = 0; i < result->host_count; i++) {
		const char *name = result->hosts[i].engine;
		bool told = !*name;

		for (size_t k = 0; k < i && !told; k++)
			told = strcmp(result->hosts[k].engine, name) == 0;
		if (!told)
			rt_line_put(&line, "%s%s", line.used ? ", " : "", name);
		sends |= *name && strcmp(name, rt_engine_null.name) != 0;
	}
	if (!line.used || sends)
		return false;
	rt_line_put(&line, ": no traffic, a rehearsal");
	return true;
}

/* Flows that end after their bytes are rated over their own time. */
static void tell_rates(struct rt_stress_result *result)
{
	char interval[RT_UNIT_TEXT_BYTES];

	if ((result->goodput_bps.known && result->goodput_bps.value) ||
	    result->hold_to_ns > result->hold_from_ns)
		return;
	snprintf(result->no_rates, sizeof(result->no_rates),
		 "not measured: there was no whole interval of %s to judge",
		 rt_unit_format(RT_UNIT_NS, result->interval_ns, interval));
}

void rt_stress_write_verdict(const struct rt_findings *findings,
			     struct rt_stress_result *result)
{
	unsigned counts[RT_SEVERITY_ERROR + 1] = { 0 };
	const bool is_rehearsal = tell_engine(result);

	tell_rates(result);
	for (size_t i = 0; i < findings->count; i++)
		counts[findings->items[i].severity]++;
	if (!counts[RT_SEVERITY_ERROR] && !counts[RT_SEVERITY_WARN])
		snprintf(result->verdict, sizeof(result->verdict), "%s%s",
			 is_rehearsal ? "nothing was sent: this says nothing about the "
					"network"
			 : *result->no_rates ? "too short to judge"
					     : "nothing wrong",
			 is_rehearsal                  ? ""
			 : counts[RT_SEVERITY_UNKNOWN] ? ", but not all could be judged"
						       : "");
	else
		snprintf(result->verdict, sizeof(result->verdict),
			 "%s%u wrong, %u suspect; first: %s%s%s",
			 is_rehearsal ? "nothing was sent; " : "",
			 counts[RT_SEVERITY_ERROR], counts[RT_SEVERITY_WARN],
			 findings->items[0].title,
			 *findings->items[0].where ? ": " : "",
			 findings->items[0].where);
}
