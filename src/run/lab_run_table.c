/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_run_table.c - a lab's run as a result: its fields, its sums, its rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/lab_run_parts.h"

/* --- fields ------------------------------------------------------------------------------ */

const struct rt_name rt_lab_agreement_names[] = {
	{ "no", RT_LAB_AGREE_NO, "they contradict each other" },
	{ "yes", RT_LAB_AGREE_YES, "two at least, and the same" },
	{ "one witness", RT_LAB_AGREE_ONE, "nobody else knows it: not checked" },
	{ "unknown", RT_LAB_AGREE_NOBODY, "nobody knows it" },
	{ "not judged", RT_LAB_AGREE_UNSURE,
	  "the machine was too late to tell a difference from its own" },
	{ 0 },
};

#define CROSS(type_, member_, help_, ...) \
	RT_FIELD(struct rt_lab_cross, type_, member_, NONE, help_, ##__VA_ARGS__)
static const struct rt_field cross_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_cross, figure, "what is counted"),
	CROSS(OPT_U64, endpoints, "by the hosts", .flags = RT_FIELD_KEEP),
	CROSS(OPT_U64, capture, "in the capture; unknown where it lost frames",
	      .flags = RT_FIELD_KEEP),
	{ .name = "switch",
	  .help = "by the switch",
	  .type = RT_FIELD_OPT_U64,
	  .offset = offsetof(struct rt_lab_cross, sw),
	  .flags = RT_FIELD_KEEP },
	CROSS(OPT_F64, differ_pct, "the most less the least, of the most",
	      .label = "differ by %"),
	CROSS(ENUM, agrees, "within 1 %, or three, or what why says",
	      .names = rt_lab_agreement_names),
	RT_FIELD_CHARS_OF(
		struct rt_lab_cross, why,
		"what explains a difference; told late: by a process, as "
		"late_mean_ns has it; lost at hosts: as endpoint_drops has it; under "
		"way: passed the switch when endpoints no longer counted"),
};
RT_TABLE(rt_lab_cross_table, rt_lab_cross, "lab_cross", "Counted three times",
	 "One figure as endpoints, capture and switch have it.", cross_fields);

#define RUN(type_, member_, unit_, help_, ...) \
	RT_FIELD(struct rt_lab_run, type_, member_, unit_, help_, ##__VA_ARGS__)
static const struct rt_field run_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_run, verdict, "of the run, in one line"),
	RT_FIELD_CHARS_OF(struct rt_lab_run, profile, "whose settings the switch had"),
	RT_FIELD_CHARS_OF(
		struct rt_lab_run, assumed,
		"what neither profile nor scenario sets: the simulator's defaults",
		.flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_lab_run, said,
			  "how the laws were brought to the lab's rate; Kmin: the "
			  "least of the data's; headroom: what it holds, of the rate, "
			  "which is not scaled",
			  .label = "scale"),
	RT_FIELD_CHARS_OF(struct rt_lab_run, ports, "of the switch that were captured"),
	RT_FIELD_CHARS_OF(struct rt_lab_run, pcap, "where the frames are kept",
			  .flags = RT_FIELD_ZERO_QUIET),
	RUN(OPT_U64, goodput_bps, BPS, "of all receivers while all were to send"),
	RUN(OPT_U64, goodput_most_bps, BPS,
	    "payload that the receivers' links have room for, between headers and gaps",
	    .label = "possible goodput"),
	RUN(OPT_F64, link_use_pct, NONE,
	    "the one of the other; `of link` of receivers is of the link's whole rate",
	    .label = "of possible %"),
	RUN(OPT_U64, marks, COUNT, "frames that the switch marked",
	    .label = "CE marks"),
	RUN(OPT_U64, cnps, COUNT, "CNPs that receivers sent", .label = "CNPs"),
	RUN(OPT_U64, rate_cuts, COUNT, "of all senders"),
	RUN(OPT_U64, naks, COUNT, "that receivers sent", .label = "NAKs"),
	RUN(OPT_U64, drops, COUNT, "frames for which the switch had no room"),
	RUN(OPT_U64, xoff, COUNT, "PFC frames of the switch that stop a host",
	    .label = "XOFF to hosts"),
	RUN(OPT_F64, paused_pct, PCT,
	    "of the run that the host paused most was told to stand still by the "
	    "switch",
	    .label = "host paused"),
	RT_FIELD_CHARS_OF(struct rt_lab_run, paused_host, "that host",
			  .label = "which host", .flags = RT_FIELD_ZERO_QUIET),
	RUN(OPT_U64, xoff_by_hosts, COUNT,
	    "PFC frames of hosts that stop the switch: they are slow",
	    .label = "XOFF from hosts"),
	RUN(OPT_F64, paused_by_host_pct, PCT,
	    "of the run that the port paused most was told to stand still by its host",
	    .label = "port paused"),
	RT_FIELD_CHARS_OF(struct rt_lab_run, pausing_host, "that host",
			  .label = "by host", .flags = RT_FIELD_ZERO_QUIET),
	RUN(U64, ring_drops, COUNT,
	    "frames the kernel lost before the switch: the machine's, not the fabric's",
	    .flags = RT_FIELD_ZERO_QUIET),
	RUN(U64, endpoint_drops, COUNT, "and before the hosts' endpoints",
	    .flags = RT_FIELD_ZERO_QUIET),
	RUN(U64, capture_drops, COUNT, "and before the capture",
	    .flags = RT_FIELD_ZERO_QUIET),
	RUN(U64, late_max_ns, NS, "how late a frame left the switch at worst",
	    .flags = RT_FIELD_META),
	RUN(U64, late_mean_ns, NS, "how late frames left the switch on average",
	    .flags = RT_FIELD_META),
	RT_FIELD_LIST_OF(struct rt_lab_run, cross, cross_count, &rt_lab_cross_table,
			 "endpoints, capture and switch side by side"),
	RT_FIELD_STRUCT_OF(struct rt_lab_run, stress, &rt_stress_table,
			   "the traffic, as `stress` tells it"),
	RT_FIELD_STRUCT_OF(struct rt_lab_run, lab, &rt_lab_picture_table,
			   "the lab and its switch's counters at the end"),
	{ .name = "capture",
	  .help = "the captured frames, as `analyze` tells it",
	  .type = RT_FIELD_STRUCT,
	  .offset = offsetof(struct rt_lab_run, analysis),
	  .table = &rt_analysis_table,
	  .flags = RT_FIELD_DATA },
	{ .name = "findings",
	  .help = "what the rules say, worst first",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(struct rt_lab_run, findings.items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(struct rt_lab_run, findings.count),
	  .flags = RT_FIELD_DATA },
};
RT_TABLE(rt_lab_run_table, rt_lab_run, "lab_run", "Lab run",
	 "Traffic through a lab, as endpoints, capture and switch saw it.", run_fields);

void rt_lab_run_free(void *object)
{
	struct rt_lab_run *run = object;

	rt_outcome_release(&run->stress_outcome);
	rt_findings_free(&run->findings);
	rt_findings_free(&run->stress_findings);
	rt_criteria_free(&run->criteria);
	rt_analysis_free(&run->analysis);
	rt_lab_picture_free(&run->lab);
	free(run->cross);
	free(run);
}

/* --- sums --------------------------------------------------------------------------------- */

static const struct rt_lab_cross *figure(const struct rt_lab_run *run, const char *name)
{
	for (size_t i = 0; i < run->cross_count; i++)
		if (strcmp(run->cross[i].figure, name) == 0)
			return &run->cross[i];
	return NULL;
}

static struct rt_opt_u64 sum_cuts(const struct rt_stress_result *stress)
{
	struct rt_opt_u64 cuts = { 0 };

	for (size_t i = 0; i < stress->qp_count; i++)
		if (stress->qps[i].rate_cuts.known)
			cuts = RT_KNOWN_U64(cuts.value +
					    stress->qps[i].rate_cuts.value);
	return cuts;
}

/* A full frame's payload, of its time on the wire. */
static uint64_t payload_bps(const struct rt_lab_plan *plan, uint64_t rate_bps)
{
	const struct rt_wire_format *wire = &plan->laws.wire;
	const double payload = plan->laws.mtu_bytes;

	return (uint64_t)((double)rate_bps * payload /
			  (payload + wire->data_overhead + wire->lead_bytes +
			   wire->gap_bytes));
}

static void sum_goodput(struct rt_lab_run *run, const struct rt_lab_plan *plan)
{
	const struct rt_stress_result *stress = &run->stress;

	if (stress->hold_to_ns <= stress->hold_from_ns || !stress->receiver_count ||
	    !stress->goodput_bps.known)
		return;
	run->goodput_bps = stress->goodput_bps;
	run->goodput_most_bps = RT_KNOWN_U64(
		stress->receiver_count * payload_bps(plan, run->lab.state.rate_bps));
	run->link_use_pct = RT_KNOWN_F64(100.0 * (double)stress->goodput_bps.value /
					 (double)run->goodput_most_bps.value);
}

void rt_lab_run_sum_machine(struct rt_lab_run *run)
{
	const struct rt_analysis_capture *capture = &run->analysis.capture;
	uint64_t frames = 0, late_ns = 0;

	for (size_t i = 0; i < run->lab.port_count; i++) {
		frames += run->lab.ports[i].tx_frames;
		late_ns += run->lab.ports[i].late_sum_ns;
		run->ring_drops += run->lab.ports[i].ring_drops;
		if (run->lab.ports[i].late_max_ns > run->late_max_ns)
			run->late_max_ns = run->lab.ports[i].late_max_ns;
	}
	for (size_t i = 0; i < run->lab.queue_count; i++)
		frames += run->lab.queues[i].tx_xoff + run->lab.queues[i].tx_xon;
	run->late_mean_ns = frames ? late_ns / frames : 0;
	for (size_t i = 0; i < capture->interface_count; i++)
		run->capture_drops += capture->interfaces[i].dropped.value;
	for (size_t i = 0; i < run->stress.host_count; i++)
		run->endpoint_drops += run->stress.hosts[i].ring_drops.value;
	run->stress.fabric_lost = RT_KNOWN_U64(run->ring_drops);
	run->stress.fabric_late_ns = RT_KNOWN_U64(run->late_max_ns);
}

/* One way between hosts and the switch: frames, and the longest pause and whose. */
struct stops {
	uint64_t xoff, most_ns;
	const struct rt_lab_host *host; /* NULL: nobody's */
};

static void add_stop(struct stops *stops, const struct rt_lab_host *host, uint64_t xoff,
		     uint64_t paused_ns)
{
	stops->xoff += xoff;
	if (paused_ns <= stops->most_ns)
		return;
	stops->most_ns = paused_ns;
	stops->host = host;
}

static struct rt_opt_f64 share_of_run(const struct rt_lab_run *run, uint64_t paused_ns)
{
	const uint64_t ran_ns = run->stress.ran_ns;

	if (!ran_ns)
		return (struct rt_opt_f64){ 0 };
	/* What was posted passes, and is paused, a little behind the run's end. */
	return RT_KNOWN_F64(100.0 * (double)(paused_ns < ran_ns ? paused_ns : ran_ns) /
			    (double)ran_ns);
}

/* The switch's word for it: what it told hosts, and what they told it. */
static void sum_pauses(struct rt_lab_run *run)
{
	struct stops told = { 0 }, heard = { 0 };

	for (size_t i = 0; i < run->lab.queue_count; i++) {
		const struct rt_lab_queue *queue = &run->lab.queues[i];
		const struct rt_lab_host *host = rt_lab_host_at(&run->lab.state,
								queue->port);

		if (!host)
			continue;
		add_stop(&told, host, queue->tx_xoff, queue->tx_paused_ns);
		add_stop(&heard, host, queue->rx_xoff, queue->rx_paused_ns);
	}
	run->xoff = RT_KNOWN_U64(told.xoff);
	run->xoff_by_hosts = RT_KNOWN_U64(heard.xoff);
	run->paused_pct = share_of_run(run, told.most_ns);
	run->paused_by_host_pct = share_of_run(run, heard.most_ns);
	if (told.host)
		memcpy(run->paused_host, told.host->name, sizeof(run->paused_host));
	if (heard.host)
		memcpy(run->pausing_host, heard.host->name, sizeof(run->pausing_host));
}

void rt_lab_run_sum_up(struct rt_lab_run *run, const struct rt_lab_plan *plan)
{
	run->marks = figure(run, "CE marks")->sw;
	run->cnps = figure(run, "CNPs")->endpoints;
	run->naks = figure(run, "NAKs")->endpoints;
	run->drops = figure(run, "data frames lost")->sw;
	run->rate_cuts = sum_cuts(&run->stress);
	sum_goodput(run, plan);
	sum_pauses(run);
}

/* --- rules --------------------------------------------------------------------------------- */

/* Longer than this, and queues are filled by waiting for the machine. */
#define LATE_NS UINT64_C(5000000)

static void check_slow(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_lab_run *run = subject;

	if (run->ring_drops)
		rt_findings_add(findings, rule, "",
				"%llu frames lost between kernel and switch; a frame "
				"left up to %llu us late",
				(unsigned long long)run->ring_drops,
				(unsigned long long)run->late_max_ns / 1000);
}

static void check_late(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_lab_run *run = subject;

	if (run->late_max_ns > LATE_NS && !run->ring_drops)
		rt_findings_add(findings, rule, "",
				"a frame left up to %llu us late, none was lost",
				(unsigned long long)run->late_max_ns / 1000);
}

static void check_capture(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_lab_run *run = subject;

	if (run->capture_drops)
		rt_findings_add(findings, rule, run->ports,
				"%llu frames passed that the capture does not have",
				(unsigned long long)run->capture_drops);
}

static void check_cross(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_lab_run *run = subject;

	for (size_t i = 0; i < run->cross_count; i++) {
		const struct rt_lab_cross *row = &run->cross[i];
		char seen[3][24] = { "unknown", "unknown", "unknown" };
		const struct rt_opt_u64 *const by[] = { &row->endpoints, &row->capture,
							&row->sw };

		if (row->agrees != RT_LAB_AGREE_NO)
			continue;
		for (size_t j = 0; j < RT_ARRAY_SIZE(by); j++)
			if (by[j]->known)
				snprintf(seen[j], sizeof(seen[j]), "%llu",
					 (unsigned long long)by[j]->value);
		rt_findings_add(findings, rule, row->figure,
				"endpoints %s, capture %s, switch %s: %.2f %% apart",
				seen[0], seen[1], seen[2], row->differ_pct.value);
	}
}

static void check_lossless(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_lab_run *run = subject;

	for (size_t i = 0; i < run->lab.queue_count; i++) {
		const struct rt_lab_queue *queue = &run->lab.queues[i];
		char where[64];

		if (!queue->drops || !run->stress.lossless.known ||
		    !(run->stress.lossless.value >> queue->prio & 1))
			continue;
		snprintf(where, sizeof(where), "%s priority %u", queue->port,
			 queue->prio);
		rt_findings_add(findings, rule, where,
				"%llu frames found no room; up to %llu bytes lay in "
				"the headroom",
				(unsigned long long)queue->drops,
				(unsigned long long)queue->headroom_max_bytes);
	}
}

const struct rt_rule rt_lab_run_rules[] = {
	{ .id = "lab-too-slow",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the machine could not keep up with the lab",
	  .explain = "Frames were lost in the kernel's ring in front of the switch, "
		     "before the switch saw them. To the endpoints that is loss like "
		     "any other, but no fabric of this profile would have it.",
	  .remedy = "Lower --rate, have fewer hosts, capture fewer --ports, or stop "
		    "what else keeps the processors busy.",
	  .check = check_slow },
	{ .id = "lab-late",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the switch was not always in time",
	  .explain = "A port stood still although it had frames and was not paused, "
		     "since the machine did something else. Queues, marks and pauses "
		     "of that moment are the machine's doing.",
	  .remedy = "Lower --rate, or stop what else keeps the processors busy; a "
		    "repeat on a quiet machine shows what is the fabric's.",
	  .check = check_late },
	{ .id = "lab-capture-lost",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the capture missed frames",
	  .explain = "The kernel's ring in front of the capture was full. What the "
		     "capture counts is too low, and gaps in it are no loss.",
	  .remedy = "Capture fewer --ports, or lower --rate.",
	  .check = check_capture },
	{ .id = "lab-figures-disagree",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "endpoints, capture and switch disagree",
	  .explain = "They count the same frames apart from one another and should "
		     "agree within 1 %. Where they do not, frames were lost outside "
		     "the switch's queues, or one of them counts wrong.",
	  .remedy = "Look for lab-too-slow and lab-capture-lost first; without them, "
		    "keep the frames (--pcap) and report it.",
	  .check = check_cross },
	{ .id = "lab-lossless-drop",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the switch dropped frames of a lossless priority",
	  .explain = "PFC asked the senders to stop and more came than the headroom "
		     "had room for: XOFF comes too late, or the senders heed it late. "
		     "In a lab senders are processes and may need milliseconds.",
	  .remedy = "More headroom in the profile; see rocetune headroom.",
	  .check = check_lossless },
};
const size_t rt_lab_run_rule_count = RT_ARRAY_SIZE(rt_lab_run_rules);
