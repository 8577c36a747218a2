/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "traffic/rendezvous.h"

/* --- tables ----------------------------------------------------------------------- */

#define CONFIG(kind, member, unit, help) \
	RT_FIELD(struct rt_engine_config, kind, member, unit, help)

static const struct rt_field config_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_engine_config, device, "RDMA device"),
	RT_FIELD_CHARS_OF(struct rt_engine_config, netdev, "interface"),
	CONFIG(IP, ip, NONE, "local address"),
	CONFIG(OPT_U64, gid_index, NONE, "which GID"),
	CONFIG(U32, mtu_bytes, MTU, "path MTU; 0: the engine's choice"),
	CONFIG(U32, region_bytes, BYTES, "memory of a queue pair"),
	CONFIG(BOOL, use_cm, NONE, "connect by librdmacm"),
	CONFIG(U8, ack_timeout_code, NONE, "4.096 us * 2^code; 0: the engine's choice"),
	CONFIG(OPT_U64, retry_count, COUNT, "retries until it gives up"),
	CONFIG(U64, line_rate_bps, BPS, "of the link; 0: as the laws say"),
};

static RT_TABLE(config_table, rt_engine_config, "engine_config", "Engine",
		"What an engine is opened with.", config_fields);

#define RP(kind, member, unit, help) \
	RT_FIELD(struct rt_rp_params, kind, member, unit, help)
/* Plain enums travel as their numbers; rt_stress_job_check() bounds them. */
#define RP_ENUM(member, help) RP(U32, member, NONE, help)

static const struct rt_field rp_fields[] = {
	RP(U64, line_rate_bps, BPS, "of the link"),
	RP(U64, min_rate_bps, BPS, "least rate"),
	RP(U64, rate_on_first_cnp_bps, BPS, "at the first CNP; 0: the current"),
	RP(U64, ai_rate_bps, BPS, "additive step"),
	RP(U64, hai_rate_bps, BPS, "hyper step"),
	RP(U64, alpha_interval_ps, PS, "between decays of alpha"),
	RP(U64, decrease_interval_ps, PS, "between checks for a cut"),
	RP(U64, decrease_offset_ps, PS, "phase of these checks"),
	RP(U64, increase_interval_ps, PS, "of the timer of increases"),
	RP(U64, byte_counter_bytes, BYTES, "between increases"),
	RP(F64, g, NONE, "weight of the newest observation"),
	RP(F64, rp_alpha, NONE, "alpha at the beginning"),
	RP(F64, cut_scale, NONE, "of alpha in a cut"),
	RP(F64, min_keep, NONE, "least share that a cut keeps"),
	RP(U32, fast_recovery, COUNT, "rounds of fast recovery"),
	RP_ENUM(reaction, "form of the reaction"),
	RP_ENUM(increase, "form of the increase"),
	RP_ENUM(clamp, "when the target is clamped"),
	RP_ENUM(options, "bits"),
};

static RT_TABLE(rp_table, rt_rp_params, "rp_params", "Reaction point",
		"Parameters of DCQCN's reaction point.", rp_fields);

static const struct rt_field np_fields[] = {
	RT_FIELD(struct rt_np_params, U64, interval_ps, PS, "between CNPs"),
	RT_FIELD(struct rt_np_params, U32, pacing, NONE, "form of the pacing"),
};

static RT_TABLE(np_table, rt_np_params, "np_params", "Notification point",
		"Parameters of DCQCN's notification point.", np_fields);

#define RC(kind, member, unit, help) \
	RT_FIELD(struct rt_rc_params, kind, member, unit, help)

static const struct rt_field rc_fields[] = {
	RC(U32, recovery, NONE, "go-back-N or selective repeat"),
	RC(U32, window_packets, COUNT, "most unacknowledged"),
	RC(U32, ack_every, COUNT, "packets that one ACK answers"),
	RC(U32, retry_limit, COUNT, "retries without progress"),
	RC(U64, timeout_ps, PS, "of retransmission"),
	RC(U64, nak_repeat_ps, PS, "between NAKs of an episode"),
	RC(U64, timeout_low_ps, PS, "the shorter time-out"),
	RC(U32, timeout_low_packets, COUNT, "in flight, below which it holds"),
};

static RT_TABLE(rc_table, rt_rc_params, "rc_params", "Transport",
		"Parameters of reliable connections.", rc_fields);

#define LAWS(kind, member, unit, help) \
	RT_FIELD(struct rt_fabric_config, kind, member, unit, help)

static const struct rt_field laws_fields[] = {
	LAWS(U32, options, NONE, "bits of the model's options"),
	LAWS(U32, mtu_bytes, MTU, "payload of a packet"),
	LAWS(U64, window_bytes, BYTES, "most in flight; 0: no bound"),
	LAWS(U8, data_prio, NONE, "priority of data"),
	LAWS(U8, cnp_prio, NONE, "priority of CNPs"),
	LAWS(U8, data_dscp, NONE, "DSCP of data"),
	LAWS(U8, cnp_dscp, NONE, "DSCP of CNPs"),
	LAWS(BOOL, not_ect, NONE, "data cannot be marked"),
	RT_FIELD_STRUCT_OF(struct rt_fabric_config, rp, &rp_table, "reaction point"),
	RT_FIELD_STRUCT_OF(struct rt_fabric_config, np, &np_table,
			   "notification point"),
	RT_FIELD_STRUCT_OF(struct rt_fabric_config, rc, &rc_table, "transport"),
};

static RT_TABLE(laws_table, rt_fabric_config, "laws", "Laws",
		"What end points need of a fabric's laws.", laws_fields);

#define JOB(kind, member, unit, help) \
	RT_FIELD(struct rt_stress_job, kind, member, unit, help)

static const struct rt_field job_fields[] = {
	JOB(U32, rank, NONE, "whose job it is"),
	JOB(U32, ranks, COUNT, "ranks of the run"),
	RT_FIELD_CHARS_OF(struct rt_stress_job, refused, "why there is no run"),
	RT_FIELD_CHARS_OF(struct rt_stress_job, engine, "its name"),
	RT_FIELD_STRUCT_OF(struct rt_stress_job, config, &config_table,
			   "what it is opened with"),
	JOB(BOOL, with_laws, NONE, "laws are given"),
	RT_FIELD_STRUCT_OF(struct rt_stress_job, laws, &laws_table,
			   "laws of engines that run them themselves",
			   .flags = RT_FIELD_MAYBE),
	JOB(U64, total_ns, NS, "end of the traffic, since the start"),
	JOB(U64, alone_ns, NS, "end of the victim's time alone"),
	JOB(U64, interval_ns, NS, "of the time series"),
	JOB(OPT_U64, lossless, NONE, "mask of priorities that must not lose"),
	JOB(BOOL, with_abort, NONE, "stop at the first damage"),
	JOB(U64, victim_bound_ppb, RATIO, "slow-down that is damage"),
	RT_FIELD_LIST_OF(struct rt_stress_job, flows, flow_count,
			 &rt_traffic_flow_table, "flows that it sends or receives"),
};

RT_TABLE(rt_stress_job_table, rt_stress_job, "stress_job", "Job",
	 "What a rank of a stress run is to do.", job_fields);

static const struct rt_field ready_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_ready, failed, "why it cannot"),
	RT_FIELD_STRUCT_OF(struct rt_stress_ready, about, &rt_engine_about_table,
			   "what the engine chose", .flags = RT_FIELD_MAYBE),
	RT_FIELD(struct rt_stress_ready, OPT_U64, connected, COUNT,
		 "RDMA connections of others"),
	RT_FIELD_CHARS_OF(struct rt_stress_ready, users, "whose they are"),
	RT_FIELD_LIST_OF(struct rt_stress_ready, addresses, address_count,
			 &rt_qp_address_table, "of each flow of the job, in order"),
};

RT_TABLE(rt_stress_ready_table, rt_stress_ready, "stress_ready", "Ready",
	 "What a rank made ready.", ready_fields);

static const struct rt_field peers_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_peers, refused, "why there is no run"),
	RT_FIELD_LIST_OF(struct rt_stress_peers, addresses, address_count,
			 &rt_qp_address_table, "of the other ends, in order"),
};

RT_TABLE(rt_stress_peers_table, rt_stress_peers, "stress_peers", "Peers",
	 "Where the other ends of a rank's flows are.", peers_fields);

static const struct rt_field connected_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_connected, failed, "why it cannot"),
};

RT_TABLE(rt_stress_connected_table, rt_stress_connected, "stress_connected",
	 "Connected", "That a rank's queue pairs are connected.", connected_fields);

static const struct rt_field start_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_start, refused, "why there is no run"),
	RT_FIELD(struct rt_stress_start, I64, start_ns, NS, "in the root's clock"),
};

RT_TABLE(rt_stress_start_table, rt_stress_start, "stress_start", "Start",
	 "The instant at which all ranks start.", start_fields);

#define LATENCY(member, help, label_) \
	RT_FIELD(struct rt_stress_latency, OPT_U64, member, NS, help, .label = label_)

static const struct rt_field latency_fields[] = {
	RT_FIELD(struct rt_stress_latency, U64, count, COUNT, "messages"),
	LATENCY(avg_ns, "mean", "average"),
	LATENCY(min_ns, "the shortest", "least"),
	LATENCY(p50_ns, "half took no longer", "p50"),
	LATENCY(p90_ns, "90 % took no longer", "p90"),
	LATENCY(p99_ns, "99 % took no longer", "p99"),
	LATENCY(p999_ns, "99.9 % took no longer", "p99.9"),
	LATENCY(max_ns, "the longest", "most"),
};

RT_TABLE(rt_stress_latency_table, rt_stress_latency, "stress_latency", "Latency",
	 "Of messages, from post to completion; within 0.8 % but for least and most.",
	 latency_fields);

#define CAUSE(kind, member, unit, help) \
	RT_FIELD(struct rt_stress_cause, kind, member, unit, help)

static const struct rt_field cause_fields[] = {
	CAUSE(U32, interval, NONE, "which, from 0"),
	CAUSE(U64, losses, COUNT, "frames sent again, NAKs received and time-outs"),
	CAUSE(U64, cuts, COUNT, "of the rate"),
	CAUSE(U64, paused_ns, NS, "time that PFC kept it from sending"),
};

RT_TABLE(rt_stress_cause_table, rt_stress_cause, "stress_cause", "Causes",
	 "What the transport did in an interval that explains why little came.",
	 cause_fields);

#define END(kind, member, unit, help) \
	RT_FIELD(struct rt_stress_end, kind, member, unit, help)

static const struct rt_field end_fields[] = {
	END(U32, flow, NONE, "number of the flow"),
	END(BOOL, sends, NONE, "data comes from this end"),
	RT_FIELD_STRUCT_OF(struct rt_stress_end, totals, &rt_qp_totals_table,
			   "what it did"),
	RT_FIELD_STRUCT_OF(struct rt_stress_end, latency, &rt_stress_latency_table,
			   "of its messages, a victim's under load",
			   .flags = RT_FIELD_MAYBE),
	RT_FIELD_STRUCT_OF(struct rt_stress_end, alone, &rt_stress_latency_table,
			   "of a victim without load", .flags = RT_FIELD_MAYBE),
	END(U64, alone_bytes, BYTES, "of a victim without load"),
	END(OPT_U64, late_bytes, BYTES, "of its bytes, after the time of the run"),
	RT_FIELD_LIST_OF(struct rt_stress_end, series, series_count, &rt_plain_u64,
			 "bytes of each interval"),
	RT_FIELD_LIST_OF(struct rt_stress_end, causes, cause_count,
			 &rt_stress_cause_table,
			 "intervals in which its transport lost or was held back"),
};

static RT_TABLE(end_table, rt_stress_end, "stress_end", "Ends",
		"One end of a flow as it ended.", end_fields);

#define REPORT(kind, member, unit, help) \
	RT_FIELD(struct rt_stress_report, kind, member, unit, help)

static const struct rt_field report_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_report, why, "why it ended early"),
	REPORT(BOOL, asked, NONE, "the rank asked for that itself"),
	REPORT(U64, ran_ns, NS, "how long there was traffic"),
	REPORT(OPT_U64, clock_error_ns, NS, "how far its clock may be off"),
	REPORT(U64, late_most_ns, NS, "how late it looked, at most"),
	REPORT(OPT_U64, ring_drops, COUNT, "frames its kernel had no room for"),
	REPORT(OPT_U64, strays, COUNT, "frames of RoCE that no queue pair took"),
	REPORT(OPT_U64, engine_late_ns, NS, "how late its engine was, at most"),
	RT_FIELD_LIST_OF(struct rt_stress_report, away, away_count, &rt_plain_u64,
			 "nanoseconds of each interval in which it was not there"),
	RT_FIELD_STRUCT_OF(struct rt_stress_report, latency, &rt_stress_latency_table,
			   "of all flows that load and that it drives",
			   .flags = RT_FIELD_MAYBE),
	RT_FIELD_LIST_OF(struct rt_stress_report, ends, end_count, &end_table,
			 "of each flow of the job, in order"),
	RT_FIELD_STRUCT_OF(struct rt_stress_report, before, &rt_counter_set_table,
			   "counters before the start", .flags = RT_FIELD_MAYBE),
	RT_FIELD_STRUCT_OF(struct rt_stress_report, after, &rt_counter_set_table,
			   "counters after the end", .flags = RT_FIELD_MAYBE),
};

RT_TABLE(rt_stress_report_table, rt_stress_report, "stress_report", "Report",
	 "What became of a rank's flows.", report_fields);

/* --- to text and back ------------------------------------------------------------- */

int rt_stress_write(const struct rt_table *table, const void *record, char **ret_text,
		    struct rt_err *err)
{
	struct rt_json *json = rt_record_envelope(table, record);
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int r = to && json ? rt_json_write(json, to, NULL) : -ENOMEM;

	rt_json_free(json);
	if (to && fclose(to) != 0)
		r = -ENOMEM;
	if (r < 0) {
		free(text);
		return rt_err_sys(err, -ENOMEM, "cannot hold a record");
	}
	*ret_text = text;
	return 0;
}

int rt_stress_read(const char *name, const char *text, const struct rt_table *table,
		   void *record, struct rt_err *err)
{
	struct rt_doc *doc;
	int r = rt_doc_parse_within(name, text, strlen(text), RT_RENDEZVOUS_TEXT_BYTES,
				    &doc, err);

	if (r == 0) {
		r = rt_record_read_envelope(doc, table, record, err);
		rt_doc_free(doc);
	}
	if (r == 0 || r == -ENOMEM)
		return r;
	if (err)
		err->code = -EPROTO;
	return -EPROTO;
}

/* --- whether they make sense ------------------------------------------------------ */

static bool laws_are_known(const struct rt_fabric_config *laws)
{
	return (unsigned)laws->rp.reaction <= RT_RP_MLX &&
	       (unsigned)laws->rp.increase <= RT_RP_STAGES &&
	       (unsigned)laws->rp.clamp <= RT_RP_CLAMP_AFTER_INCREASE &&
	       (unsigned)laws->np.pacing <= RT_NP_EVERY &&
	       (unsigned)laws->rc.recovery <= RT_RC_SELECTIVE_REPEAT;
}

static bool laws_are_sane(const struct rt_fabric_config *laws)
{
	return laws_are_known(laws) && rt_rp_params_check(&laws->rp, NULL) == 0 &&
	       laws->mtu_bytes >= 64 && laws->mtu_bytes <= 9000 &&
	       laws->data_prio < 8 && laws->cnp_prio < 8 && laws->data_dscp < 64 &&
	       laws->cnp_dscp < 64;
}

/* As rt_sizes_at() wants them: from a share of 0 to all, and both rise. */
static bool sizes_are_sane(const struct rt_traffic_flow *flow)
{
	struct rt_size_point before = { 0 };

	if (flow->size_count > RT_SIM_MAX_SIZES)
		return false;
	if (flow->size_count && flow->sizes[0].share_ppb)
		return false;
	for (size_t i = 0; i < flow->size_count; i++) {
		const struct rt_size_point *point = &flow->sizes[i];

		if (point->share_ppb > RT_PPB || point->share_ppb < before.share_ppb ||
		    point->bytes > RT_STRESS_MAX_MESSAGE || point->bytes < before.bytes)
			return false;
		before = *point;
	}
	return !flow->size_count || before.share_ppb == RT_PPB;
}

/* Engines divide by the two, and a flow that is only silent is none. */
static bool bursts_are_sane(const struct rt_traffic_flow *flow)
{
	return flow->on_ns <= RT_STRESS_MAX_TIME_NS &&
	       flow->off_ns <= RT_STRESS_MAX_TIME_NS && (flow->on_ns || !flow->off_ns);
}

static bool flow_is_sane(const struct rt_traffic_flow *flow,
			 const struct rt_stress_job *job)
{
	return flow->from < job->ranks && flow->to < job->ranks &&
	       flow->from != flow->to &&
	       (flow->from == job->rank || flow->to == job->rank) &&
	       flow->message_bytes >= 1 &&
	       flow->message_bytes <= RT_STRESS_MAX_MESSAGE && flow->outstanding >= 1 &&
	       flow->outstanding <= RT_STRESS_MAX_OUTSTANDING && flow->dscp < 64 &&
	       flow->ecn < 4 && flow->prio < 8 && flow->start_ns < flow->stop_ns &&
	       flow->stop_ns <= job->total_ns && flow->rate_share_ppb <= RT_PPB &&
	       bursts_are_sane(flow) && sizes_are_sane(flow);
}

int rt_stress_job_check(const struct rt_stress_job *job, struct rt_err *err)
{
	if (job->ranks > RT_RENDEZVOUS_MAX_RANKS || job->rank >= job->ranks)
		return rt_err_set(err, -EPROTO, "the job is for rank %u of %u",
				  job->rank, job->ranks);
	if (!job->total_ns || job->total_ns > RT_STRESS_MAX_TIME_NS ||
	    job->alone_ns > job->total_ns || job->interval_ns < 1000000 ||
	    job->interval_ns > RT_STRESS_MAX_TIME_NS ||
	    job->config.ack_timeout_code > 31 || job->config.retry_count.value > 7)
		return rt_err_set(err, -EPROTO, "the times of the job make no sense");
	if (job->with_laws && !laws_are_sane(&job->laws))
		return rt_err_set(err, -EPROTO, "the laws of the job make no sense");
	if (job->flow_count > RT_STRESS_MAX_ENDS)
		return rt_err_set(err, -EPROTO, "%zu flows are too many for one rank",
				  job->flow_count);
	for (size_t i = 0; i < job->flow_count; i++)
		if (!flow_is_sane(&job->flows[i], job))
			return rt_err_set(err, -EPROTO,
					  "flow %u of the job makes no sense",
					  job->flows[i].flow);
	return 0;
}

static int check_addresses(const struct rt_qp_address *addresses, size_t count,
			   const struct rt_stress_job *job, struct rt_err *err)
{
	if (count != job->flow_count)
		return rt_err_set(err, -EPROTO, "%zu addresses for %zu flows", count,
				  job->flow_count);
	for (size_t i = 0; i < count; i++)
		if (addresses[i].flow != job->flows[i].flow || addresses[i].qpn >> 24 ||
		    addresses[i].psn >> 24)
			return rt_err_set(err, -EPROTO,
					  "address %zu is not that of flow %u", i,
					  job->flows[i].flow);
	return 0;
}

int rt_stress_ready_check(const struct rt_stress_ready *ready,
			  const struct rt_stress_job *job, struct rt_err *err)
{
	if (*ready->failed)
		return 0;
	return check_addresses(ready->addresses, ready->address_count, job, err);
}

int rt_stress_peers_check(const struct rt_stress_peers *peers,
			  const struct rt_stress_job *job, struct rt_err *err)
{
	if (*peers->refused)
		return 0;
	return check_addresses(peers->addresses, peers->address_count, job, err);
}

/* Sums over all ranks, of values that hosts tell, must not run over. */
#define MOST     (UINT64_C(1) << 50)
/* A rank may linger, wait for others and report for so long behind the end of its job. */
#define SLACK_NS UINT64_C(120000000000)

/* The last instant a report can tell of, and the longest time it can have taken. */
static uint64_t most_ns(const struct rt_stress_job *job)
{
	return job->total_ns + SLACK_NS;
}

/* What is not known is 0. */
static bool all_within(const struct rt_opt_u64 *const *values, size_t count,
		       uint64_t most)
{
	for (size_t i = 0; i < count; i++)
		if (values[i]->value > most)
			return false;
	return true;
}

static bool latency_is_sane(const struct rt_stress_latency *latency, uint64_t most)
{
	const struct rt_opt_u64 *const times[] = {
		&latency->avg_ns, &latency->min_ns,  &latency->p50_ns, &latency->p90_ns,
		&latency->p99_ns, &latency->p999_ns, &latency->max_ns,
	};

	return latency->count <= MOST && all_within(times, RT_ARRAY_SIZE(times), most);
}

static bool causes_are_sane(const struct rt_stress_end *end,
			    const struct rt_stress_job *job, uint64_t intervals)
{
	for (size_t i = 0; i < end->cause_count; i++) {
		const struct rt_stress_cause *cause = &end->causes[i];

		if (cause->interval >= intervals || cause->losses > MOST ||
		    cause->cuts > MOST || cause->paused_ns > most_ns(job) ||
		    (i && cause->interval <= cause[-1].interval))
			return false;
	}
	return true;
}

/* Intervals that a report may tell of. */
static uint64_t most_intervals(const struct rt_stress_job *job)
{
	return job->total_ns / job->interval_ns + 2;
}

static bool health_is_sane(const struct rt_stress_report *report,
			   const struct rt_stress_job *job)
{
	if (report->ring_drops.value > MOST || report->strays.value > MOST ||
	    report->engine_late_ns.value > most_ns(job) ||
	    report->late_most_ns > most_ns(job) ||
	    report->away_count > most_intervals(job))
		return false;
	for (size_t i = 0; i < report->away_count; i++)
		if (report->away[i] > most_ns(job))
			return false;
	return true;
}

static bool totals_are_sane(const struct rt_qp_totals *totals,
			    const struct rt_stress_job *job)
{
	const struct rt_opt_u64 *const times[] = {
		&totals->first_ns,
		&totals->last_ns,
		&totals->error_ns,
		&totals->paused_ns,
	};
	const struct rt_opt_u64 *const counts[] = {
		&totals->bytes,
		&totals->messages,
		&totals->data_frames_tx,
		&totals->data_frames_rx,
		&totals->data_frames_retransmitted,
		&totals->frame_sequence_error,
		&totals->ecn_ce_rx,
		&totals->cnp_tx,
		&totals->cnp_rx,
		&totals->ack_tx,
		&totals->ack_rx,
		&totals->nak_tx,
		&totals->nak_rx,
		&totals->timeouts,
		&totals->rate_cuts,
		&totals->rate_bps,
	};

	return all_within(times, RT_ARRAY_SIZE(times), most_ns(job)) &&
	       all_within(counts, RT_ARRAY_SIZE(counts), MOST);
}

/* Every message has a byte at least, but where sizes that are drawn may be 0. */
static bool messages_are_sane(const struct rt_qp_totals *totals,
			      const struct rt_traffic_flow *flow)
{
	if (flow->size_count && !flow->sizes[0].bytes)
		return true;
	return totals->messages.value <= totals->bytes.value;
}

static bool series_is_sane(const struct rt_stress_end *end, uint64_t intervals)
{
	uint64_t left = end->totals.bytes.value;

	if (end->series_count > intervals)
		return false;
	for (size_t i = 0; i < end->series_count; i++) {
		if (end->series[i] > left)
			return false;
		left -= end->series[i];
	}
	return true;
}

static bool end_is_sane(const struct rt_stress_end *end,
			const struct rt_traffic_flow *flow,
			const struct rt_stress_job *job)
{
	return end->flow == flow->flow && end->sends == (flow->from == job->rank) &&
	       totals_are_sane(&end->totals, job) &&
	       messages_are_sane(&end->totals, flow) &&
	       end->alone_bytes <= end->totals.bytes.value &&
	       end->late_bytes.value <= end->totals.bytes.value - end->alone_bytes &&
	       latency_is_sane(&end->latency, most_ns(job)) &&
	       latency_is_sane(&end->alone, most_ns(job)) &&
	       series_is_sane(end, most_intervals(job)) &&
	       causes_are_sane(end, job, most_intervals(job));
}

/* Of a run; memory and rows of a report grow with these. */
static int check_times(const struct rt_stress_report *report,
		       const struct rt_stress_job *job, struct rt_err *err)
{
	if (report->ran_ns > job->total_ns)
		return rt_err_set(err, -EPROTO,
				  "it says that it ran for %llu ns of %llu",
				  (unsigned long long)report->ran_ns,
				  (unsigned long long)job->total_ns);
	if (report->clock_error_ns.value > most_ns(job))
		return rt_err_set(err, -EPROTO,
				  "the error of its clock makes no sense");
	if (!latency_is_sane(&report->latency, most_ns(job)))
		return rt_err_set(err, -EPROTO, "its latencies make no sense");
	return 0;
}

int rt_stress_report_check(const struct rt_stress_report *report,
			   const struct rt_stress_job *job, struct rt_err *err)
{
	if (report->end_count != job->flow_count)
		return rt_err_set(err, -EPROTO, "%zu reports of %zu flows",
				  report->end_count, job->flow_count);
	if (check_times(report, job, err) < 0)
		return -EPROTO;
	if (!health_is_sane(report, job))
		return rt_err_set(err, -EPROTO, "what an engine lost makes no sense");
	for (size_t i = 0; i < report->end_count; i++)
		if (!end_is_sane(&report->ends[i], &job->flows[i], job))
			return rt_err_set(err, -EPROTO,
					  "the report of flow %u makes no sense",
					  job->flows[i].flow);
	if ((report->before.count && rt_counter_set_check(&report->before, err) < 0) ||
	    (report->after.count && rt_counter_set_check(&report->after, err) < 0))
		return -EPROTO;
	return 0;
}
