/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "run/agent_work.h"
#include "run/stress_rates.h"
#include "traffic/rendezvous.h"

#define NS_PER_S      INT64_C(1000000000)
/* Until the root has all hosts and a job; if it is lost meanwhile, that is noticed. */
#define JOB_NS        (86400 * NS_PER_S)
#define STEP_NS       (30 * NS_PER_S) /* until its next word */
#define SLICE_NS      (NS_PER_S / 10)
#define ANSWER_NS     (NS_PER_S / 100)
#define START_MOST_NS (60 * NS_PER_S) /* ahead */

int rt_agent_new(const struct rt_agent_options *options,
		 struct rt_rendezvous *rendezvous, struct rt_agent **ret_agent,
		 struct rt_err *err)
{
	struct rt_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return rt_err_sys(err, -ENOMEM, "cannot hold an agent");
	agent->options = options;
	agent->rendezvous = rendezvous;
	agent->rank = rendezvous->rank;
	*ret_agent = agent;
	return 0;
}

static void close_engine(struct rt_agent *agent)
{
	if (agent->engine)
		agent->ops->close(agent->engine);
	agent->engine = NULL;
}

void rt_agent_free(struct rt_agent *agent)
{
	if (!agent)
		return;
	close_engine(agent);
	rt_agent_close_port(agent);
	for (size_t i = 0; agent->ends && i < agent->job.flow_count; i++) {
		free(agent->ends[i].series);
		free(agent->ends[i].causes);
		free(agent->ends[i].latency);
		free(agent->ends[i].alone);
	}
	free(agent->ends);
	free(agent->away);
	rt_record_free(&rt_stress_job_table, &agent->job);
	free(agent);
}

void rt_agent_keep_alive(struct rt_agent *agent)
{
	struct rt_rendezvous_news news = { 0 };

	if (agent->rendezvous->ops->poll(agent->rendezvous, &news, NULL) < 0 ||
	    !news.stop || agent->told_early)
		return;
	agent->told_early = true;
	memcpy(agent->early_reason, news.reason, sizeof(agent->early_reason));
}

/* --- ready ------------------------------------------------------------------------ */

/* What this host says goes before what the root says. */
static struct rt_engine_config engine_config(const struct rt_agent *agent)
{
	const struct rt_engine_config *own = &agent->options->config;
	struct rt_engine_config config = agent->job.config;

	if (*own->device || *own->netdev) {
		memcpy(config.device, own->device, sizeof(config.device));
		memcpy(config.netdev, own->netdev, sizeof(config.netdev));
	}
	if (own->ip.version)
		config.ip = own->ip;
	if (own->gid_index.known)
		config.gid_index = own->gid_index;
	if (own->mtu_bytes)
		config.mtu_bytes = own->mtu_bytes;
	if (own->ack_timeout_code)
		config.ack_timeout_code = own->ack_timeout_code;
	if (own->retry_count.known)
		config.retry_count = own->retry_count;
	config.use_cm |= own->use_cm;
	if (own->line_rate_bps)
		config.line_rate_bps = own->line_rate_bps;
	config.faults = own->faults;
	config.laws = own->laws              ? own->laws
		      : agent->job.with_laws ? &agent->job.laws
					     : NULL;
	return config;
}

static int make_end(struct rt_agent *agent, size_t i)
{
	struct rt_agent_end *end = &agent->ends[i];
	const struct rt_traffic_flow *flow = &agent->job.flows[i];

	end->flow = flow;
	end->sends = flow->from == agent->rank;
	end->drives = rt_stress_drives(flow, agent->rank);
	if (end->sends || end->drives) {
		end->causes = calloc(agent->series_count, sizeof(*end->causes));
		if (!end->causes)
			return -ENOMEM;
	}
	if (!end->drives)
		return 0;
	end->series = calloc(agent->series_count, sizeof(*end->series));
	end->latency = calloc(1, sizeof(*end->latency));
	if (flow->victim && agent->job.alone_ns)
		end->alone = calloc(1, sizeof(*end->alone));
	if (!end->series || !end->latency ||
	    (flow->victim && agent->job.alone_ns && !end->alone))
		return -ENOMEM;
	return 0;
}

static int make_ends(struct rt_agent *agent, struct rt_err *err)
{
	const struct rt_stress_job *job = &agent->job;
	int r = 0;

	/* One more for what is not whole. */
	agent->series_count = job->total_ns / job->interval_ns + 1;
	if (agent->series_count > RT_RECORD_MAX_ITEMS)
		return rt_err_set(err, -EPROTO, "%zu intervals are too many",
				  agent->series_count);
	agent->away = calloc(agent->series_count, sizeof(*agent->away));
	agent->ends = calloc(job->flow_count + 1, sizeof(*agent->ends));
	for (size_t i = 0; agent->ends && i < job->flow_count && r == 0; i++)
		r = make_end(agent, i);
	if (!agent->ends || !agent->away || r < 0)
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu flows",
				  job->flow_count);
	return 0;
}

static void add_place(struct rt_engine_about *about, const char *place)
{
	const size_t used = strlen(about->chosen);

	snprintf(about->chosen + used, sizeof(about->chosen) - used, "%s%s",
		 used ? "; " : "", place);
}

/* What the engine tells of itself, and what this host knows better. */
static void tell_about(const struct rt_agent *agent,
		       const struct rt_engine_config *config,
		       struct rt_engine_about *ret_about)
{
	agent->ops->about(agent->engine, ret_about);
	/* What an engine is held to is its link, whatever the cable could do. */
	if (config->line_rate_bps)
		ret_about->speed_bps = RT_KNOWN_U64(config->line_rate_bps);
	if (agent->options->place)
		add_place(ret_about, agent->options->place);
}

/* Shares of the sender's link are rates once there is one; others are told later. */
static int take_shares(struct rt_agent *agent, const struct rt_engine_about *about,
		       struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < agent->job.flow_count && r == 0; i++) {
		const struct rt_agent_end *end = &agent->ends[i];
		struct rt_traffic_flow *flow = &agent->job.flows[i];

		if (flow->rate_share_ppb && end->sends)
			r = rt_stress_share_bps(flow, about, &flow->rate_bps, err);
	}
	return r;
}

static int open_engine(struct rt_agent *agent, struct rt_stress_ready *ready,
		       struct rt_err *err)
{
	const struct rt_engine_config config = engine_config(agent);
	const struct rt_stress_job *job = &agent->job;
	int r;

	if (!job->flow_count) /* who has nothing to do needs no engine */
		return 0;
	r = rt_agent_engine(agent->options, job->engine, &agent->ops, err);
	if (r == 0)
		r = agent->ops->open(&config, &agent->engine, err);
	if (r < 0)
		return r;
	rt_agent_look_around(agent);
	rt_agent_open_nic(agent);
	tell_about(agent, &config, &ready->about);
	r = take_shares(agent, &ready->about, err);
	ready->addresses = calloc(job->flow_count + 1, sizeof(*ready->addresses));
	if (!ready->addresses)
		return rt_err_sys(err, -ENOMEM, "cannot hold addresses");
	for (size_t i = 0; i < job->flow_count && r == 0; i++) {
		struct rt_agent_end *end = &agent->ends[i];

		r = agent->ops->qp_create(agent->engine, end->flow, end->sends,
					  &end->index, &ready->addresses[i], err);
		ready->addresses[i].flow = end->flow->flow;
		if (end->sends && end->flow->rate_share_ppb)
			ready->addresses[i].rate_bps = end->flow->rate_bps;
		ready->address_count = i + 1;
		rt_agent_keep_alive(agent);
	}
	if (r == 0) /* it knows more now, of memory */
		tell_about(agent, &config, &ready->about);
	ready->connected = agent->connected;
	memcpy(ready->users, agent->users, sizeof(ready->users));
	return r;
}

static int take_job(struct rt_agent *agent, const char *text, struct rt_err *err)
{
	int r = rt_stress_read("job", text, &rt_stress_job_table, &agent->job, err);

	if (r == 0 && *agent->job.refused)
		return rt_err_set(err, -ECANCELED, "%s", agent->job.refused);
	if (r == 0)
		r = rt_stress_job_check(&agent->job, err);
	if (r == 0 && agent->job.rank != agent->rank)
		r = rt_err_set(err, -EPROTO, "the job is for rank %u, this is %u",
			       agent->job.rank, agent->rank);
	return r == 0 ? make_ends(agent, err) : r;
}

static void fail(char failed[400], const struct rt_err *why)
{
	snprintf(failed, 400, "%.399s", why->msg);
}

int rt_agent_prepare(struct rt_agent *agent, const char *job, char **ret_ready,
		     struct rt_err *err)
{
	struct rt_stress_ready ready = { 0 };
	struct rt_err why = { 0 };
	int r = take_job(agent, job, &why);

	if (r == -ECANCELED || r == -ENOMEM)
		return rt_err_set(err, r, "%s", why.msg);
	/* The root is told, and calls it off with the reason. */
	agent->rejected = r < 0;
	if (r == 0)
		r = open_engine(agent, &ready, &why);
	if (r < 0) {
		fail(ready.failed, &why);
		close_engine(agent);
	}
	r = rt_stress_write(&rt_stress_ready_table, &ready, ret_ready, err);
	rt_record_free(&rt_stress_ready_table, &ready);
	return r;
}

static void connect_all(struct rt_agent *agent, const struct rt_stress_peers *peers,
			struct rt_stress_connected *connected)
{
	struct rt_err why = { 0 };
	int r = 0;

	if (!agent->engine && agent->job.flow_count)
		r = rt_err_set(&why, -EPROTO, "there is no engine to connect");
	for (size_t i = 0; i < agent->job.flow_count && r == 0; i++) {
		rt_traffic_flow_heed(&agent->job.flows[i], &peers->addresses[i]);
		r = agent->ops->qp_connect(agent->engine, agent->ends[i].index,
					   &peers->addresses[i], &why);
		rt_agent_keep_alive(agent);
	}
	if (r < 0)
		fail(connected->failed, &why);
}

int rt_agent_connect(struct rt_agent *agent, const char *text, char **ret_connected,
		     struct rt_err *err)
{
	struct rt_stress_connected connected = { 0 };
	struct rt_stress_peers peers = { 0 };
	struct rt_err why = { 0 };
	int r = rt_stress_read("peers", text, &rt_stress_peers_table, &peers, &why);

	if (r == 0 && *peers.refused)
		r = rt_err_set(&why, -ECANCELED, "%s", peers.refused);
	if (r == 0 && agent->rejected)
		r = rt_err_set(&why, -EPROTO, "the job made no sense");
	if (r == 0)
		r = rt_stress_peers_check(&peers, &agent->job, &why);
	if (r == 0)
		connect_all(agent, &peers, &connected);
	rt_record_free(&rt_stress_peers_table, &peers);
	if (r == -ECANCELED || r == -ENOMEM)
		return rt_err_set(err, r, "%s", why.msg);
	agent->rejected |= r < 0;
	if (r < 0)
		fail(connected.failed, &why);
	return rt_stress_write(&rt_stress_connected_table, &connected, ret_connected,
			       err);
}

int rt_agent_start(struct rt_agent *agent, const char *text,
		   struct rt_rendezvous *rendezvous, struct rt_err *err)
{
	struct rt_stress_start start = { 0 };
	int64_t offset_ns = 0, ahead_ns;
	int r = rt_stress_read("start", text, &rt_stress_start_table, &start, err);

	if (r == 0 && *start.refused)
		r = rt_err_set(err, -ECANCELED, "%s", start.refused);
	if (r == 0 && (agent->rejected || (!agent->engine && agent->job.flow_count)))
		r = rt_err_set(err, -EPROTO, "there is no engine to start");
	if (r < 0)
		return r;
	rendezvous->ops->clock(rendezvous, &offset_ns, &agent->clock_error_ns);
	if (__builtin_sub_overflow(start.start_ns, offset_ns, &agent->start_ns) ||
	    __builtin_sub_overflow(agent->start_ns, rt_monotonic_ns(), &ahead_ns) ||
	    ahead_ns > START_MOST_NS || ahead_ns < -START_MOST_NS)
		return rt_err_set(err, -EPROTO, "the start is not near");
	agent->end_ns = agent->start_ns + (int64_t)agent->job.total_ns +
			RT_AGENT_DRAIN_NS;
	rt_agent_read_counters(agent, &agent->before);
	agent->looked_ns = agent->start_ns;
	if (agent->engine)
		agent->ops->begin(agent->engine, agent->start_ns);
	return 0;
}

/* --- traffic ---------------------------------------------------------------------- */

static uint64_t elapsed(const struct rt_agent *agent, int64_t now_ns)
{
	return now_ns > agent->start_ns ? (uint64_t)(now_ns - agent->start_ns) : 0;
}

/* The time of the run is over: what completes from here on is of no rate. */
static void end_time(struct rt_agent *agent, uint64_t ran_ns)
{
	if (agent->over)
		return;
	agent->over = true;
	agent->ran_ns = ran_ns < agent->job.total_ns ? ran_ns : agent->job.total_ns;
	for (size_t i = 0; i < agent->job.flow_count; i++) {
		struct rt_qp_totals totals;

		agent->ops->totals(agent->engine, agent->ends[i].index, &totals);
		agent->ends[i].timely_bytes = totals.bytes;
	}
}

/* Nothing is posted any more; what was may complete. */
static void stop(struct rt_agent *agent, const char *why)
{
	const int64_t now_ns = rt_monotonic_ns();

	if (agent->stopping)
		return;
	agent->stopping = true;
	snprintf(agent->why, sizeof(agent->why), "%s", why);
	end_time(agent, elapsed(agent, now_ns));
	for (size_t i = 0; i < agent->job.flow_count; i++)
		agent->ops->qp_stop(agent->engine, agent->ends[i].index);
	if (now_ns + RT_AGENT_DRAIN_NS < agent->end_ns)
		agent->end_ns = now_ns + RT_AGENT_DRAIN_NS;
}

/* Everybody is to stop, because of what happened here. */
static void stop_all(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		     const char *why)
{
	if (agent->stopping)
		return;
	agent->asked = true;
	rendezvous->ops->stop(rendezvous, why, NULL);
	stop(agent, why);
}

static int hear(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		struct rt_err *err)
{
	struct rt_rendezvous_news news = { 0 };
	int r = rendezvous->ops->poll(rendezvous, &news, err);

	if (r == 0 && news.root_lost)
		r = rt_err_set(err, -ECONNRESET, "%s",
			       *news.reason && !news.stop ? news.reason
							  : "the coordinator is lost");
	if (r < 0)
		return r;
	if (agent->told_early && !news.stop) {
		news.stop = true;
		memcpy(news.reason, agent->early_reason, sizeof(news.reason));
	}
	if (news.stop)
		stop(agent, *news.reason ? news.reason : "asked to stop");
	if (agent->options->cancelled && *agent->options->cancelled)
		stop_all(agent, rendezvous, "interrupted");
	return 0;
}

static void look(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		 int64_t now_ns)
{
	char why[160];

	rt_agent_sample(agent, elapsed(agent, now_ns));
	if (agent->job.with_abort && !agent->stopping &&
	    (rt_agent_damaged(agent, why) || rt_agent_port_damaged(agent, now_ns, why)))
		stop_all(agent, rendezvous, why);
	if (rt_agent_is_done(agent) && now_ns + RT_AGENT_DRAIN_NS < agent->end_ns) {
		end_time(agent, elapsed(agent, now_ns));
		agent->end_ns = now_ns + RT_AGENT_DRAIN_NS;
	}
}

/* The next end of an interval. */
static int64_t next_look(const struct rt_agent *agent)
{
	return agent->start_ns + (int64_t)((agent->ticks + 1) * agent->job.interval_ns);
}

static void wait_until(int64_t until_ns, int fd)
{
	struct pollfd look = { .fd = fd, .events = POLLIN };
	const int64_t left_ns = until_ns - rt_monotonic_ns();

	if (left_ns > 0)
		poll(&look, 1, (int)(left_ns / 1000000) + 1);
}

/* One slice; 0 to go on. */
static int work_slice(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		      struct rt_err *err)
{
	struct rt_err why = { 0 };
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t over_ns = agent->start_ns + (int64_t)agent->job.total_ns;
	const int64_t publish_ns = rt_agent_publish(agent, now_ns);
	int64_t until_ns = now_ns + SLICE_NS;

	if (over_ns > now_ns && over_ns < until_ns)
		until_ns = over_ns;
	if (next_look(agent) < until_ns)
		until_ns = next_look(agent);
	if (publish_ns < until_ns)
		until_ns = publish_ns;
	if (agent->end_ns < until_ns)
		until_ns = agent->end_ns > now_ns ? agent->end_ns : now_ns + ANSWER_NS;
	if (!agent->engine) {
		wait_until(until_ns, rendezvous->fd);
	} else if (agent->ops->work(agent->engine, until_ns, rendezvous->fd, &why) <
		   0) {
		stop_all(agent, rendezvous, why.msg);
		agent->end_ns = rt_monotonic_ns();
	}
	return hear(agent, rendezvous, err);
}

/* What is posted does not outlive the drain, where the engine can help it. */
static void cut(struct rt_agent *agent)
{
	if (agent->cut || !agent->engine || !agent->ops->qp_cut ||
	    rt_monotonic_ns() < agent->end_ns)
		return;
	agent->cut = true;
	for (size_t i = 0; i < agent->job.flow_count; i++)
		agent->ops->qp_cut(agent->engine, agent->ends[i].index);
}

/*
 * The cap on time: end_ns only ever comes nearer.  Where frames get lost, what was posted
 * in time may take a while longer; after a stop it gets no more.
 */
static bool is_over(const struct rt_agent *agent)
{
	const int64_t late_ns = rt_monotonic_ns() - agent->end_ns;

	if (late_ns < 0)
		return false;
	return agent->stopping || !agent->engine || late_ns >= RT_AGENT_LINGER_NS ||
	       rt_agent_is_settled(agent);
}

int rt_agent_work(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		  void (*tick)(void *user, uint64_t elapsed_ns), void *user,
		  struct rt_err *err)
{
	int64_t now_ns;
	uint64_t elapsed_ns;
	int r = 0;

	while (r == 0 && !is_over(agent)) {
		r = work_slice(agent, rendezvous, err);
		cut(agent);
		if (elapsed(agent, rt_monotonic_ns()) >= agent->job.total_ns)
			end_time(agent, agent->job.total_ns);
		if (r < 0 || rt_monotonic_ns() < next_look(agent))
			continue;
		look(agent, rendezvous, rt_monotonic_ns());
		if (tick)
			tick(user, elapsed(agent, rt_monotonic_ns()));
	}
	if (r < 0) {
		close_engine(agent);
		return r;
	}
	now_ns = rt_monotonic_ns();
	agent->publish_ns = 0;
	rt_agent_publish(agent, now_ns);
	elapsed_ns = elapsed(agent, now_ns);
	rt_agent_sample(agent, elapsed_ns);
	end_time(agent, elapsed_ns);
	return 0;
}

/* --- the report ------------------------------------------------------------------- */

static int report_causes(const struct rt_agent *agent, const struct rt_agent_end *end,
			 struct rt_stress_end *row)
{
	size_t count = 0;

	for (size_t i = 0; i < agent->series_count; i++)
		count += rt_agent_is_cause(&end->causes[i]);
	row->causes = calloc(count + 1, sizeof(*row->causes));
	if (!row->causes)
		return -ENOMEM;
	for (size_t i = 0; i < agent->series_count; i++) {
		if (!rt_agent_is_cause(&end->causes[i]))
			continue;
		row->causes[row->cause_count] = end->causes[i];
		row->causes[row->cause_count++].interval = (uint32_t)i;
	}
	return 0;
}

static int report_end(struct rt_agent *agent, size_t i, struct rt_stress_end *row,
		      struct rt_histogram *load)
{
	const struct rt_agent_end *end = &agent->ends[i];
	size_t count = agent->ticks + 1 < agent->series_count ? agent->ticks + 1
							      : agent->series_count;

	row->flow = end->flow->flow;
	row->sends = end->sends;
	agent->ops->totals(agent->engine, end->index, &row->totals);
	if (row->totals.bytes.known && end->timely_bytes.known &&
	    row->totals.bytes.value >= end->timely_bytes.value)
		row->late_bytes = RT_KNOWN_U64(row->totals.bytes.value -
					       end->timely_bytes.value);
	if (end->causes && report_causes(agent, end, row) < 0)
		return -ENOMEM;
	if (!end->drives)
		return 0;
	row->alone_bytes = end->alone_bytes;
	rt_agent_summarise(end->latency, &row->latency);
	if (end->alone)
		rt_agent_summarise(end->alone, &row->alone);
	if (!end->flow->victim)
		rt_histogram_merge(load, end->latency);
	while (count > 0 && !end->series[count - 1])
		count--;
	row->series = calloc(count + 1, sizeof(*row->series));
	if (!row->series)
		return -ENOMEM;
	memcpy(row->series, end->series, count * sizeof(*row->series));
	row->series_count = count;
	return 0;
}

static int report_health(const struct rt_agent *agent, struct rt_stress_report *report)
{
	size_t count = agent->series_count;

	report->late_most_ns = agent->late_most_ns;
	report->ring_drops = agent->ring_drops;
	report->strays = agent->strays;
	report->engine_late_ns = agent->engine_late_ns;
	while (count > 0 && !agent->away[count - 1])
		count--;
	report->away = calloc(count + 1, sizeof(*report->away));
	if (!report->away)
		return -ENOMEM;
	memcpy(report->away, agent->away, count * sizeof(*report->away));
	report->away_count = count;
	return 0;
}

static int fill_report(struct rt_agent *agent, struct rt_stress_report *report)
{
	RT_AUTO(rt_auto_free) struct rt_histogram *load = NULL;
	int r = 0;

	load = calloc(1, sizeof(*load));
	report->ends = calloc(agent->job.flow_count + 1, sizeof(*report->ends));
	if (!load || !report->ends)
		return -ENOMEM;
	report->end_count = agent->job.flow_count;
	for (size_t i = 0; i < report->end_count && r == 0; i++)
		r = report_end(agent, i, &report->ends[i], load);
	rt_agent_summarise(load, &report->latency);
	return r < 0 ? r : report_health(agent, report);
}

int rt_agent_report(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		    char **ret_report, struct rt_err *err)
{
	struct rt_stress_report report = { .asked = agent->asked,
					   .ran_ns = agent->ran_ns };
	uint64_t error_ns = agent->clock_error_ns;
	int64_t offset_ns;
	int r;

	rt_agent_take_health(agent, agent->ticks, 1);
	r = fill_report(agent, &report);
	rt_agent_read_counters(agent, &agent->after);
	report.before = agent->before;
	report.after = agent->after;
	memcpy(report.why, agent->why, sizeof(report.why));
	rendezvous->ops->clock(rendezvous, &offset_ns, &error_ns);
	report.clock_error_ns = RT_KNOWN_U64(
		error_ns > agent->clock_error_ns ? error_ns : agent->clock_error_ns);
	if (r < 0)
		rt_err_sys(err, r, "cannot hold the report");
	else
		r = rt_stress_write(&rt_stress_report_table, &report, ret_report, err);
	/* These stay the agent's. */
	report.before = report.after = (struct rt_counter_set){ 0 };
	rt_record_free(&rt_stress_report_table, &report);
	return r;
}

/* --- the whole -------------------------------------------------------------------- */

static int hear_text(struct rt_rendezvous *rendezvous, int64_t patience_ns,
		     char **ret_text, struct rt_err *err)
{
	return rendezvous->ops->scatter(rendezvous, NULL,
					rt_monotonic_ns() + patience_ns, ret_text, err);
}

/* Takes text. */
static int answer(struct rt_rendezvous *rendezvous, int64_t patience_ns, char *text,
		  struct rt_err *err)
{
	int r = rendezvous->ops->gather(rendezvous, text,
					rt_monotonic_ns() + patience_ns, NULL, err);

	free(text);
	return r;
}

static int make_ready(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
		      struct rt_err *err)
{
	int (*const steps[])(struct rt_agent *, const char *, char **,
			     struct rt_err *) = { rt_agent_prepare, rt_agent_connect };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RT_ARRAY_SIZE(steps); i++) {
		RT_AUTO(rt_auto_free) char *text = NULL;
		char *reply;

		r = hear_text(rendezvous, i ? STEP_NS : JOB_NS, &text, err);
		if (r == 0)
			r = steps[i](agent, text, &reply, err);
		if (r == 0)
			r = answer(rendezvous, STEP_NS, reply, err);
	}
	return r;
}

/*
 * While this rank waits for a word, others may still send, and want an answer.  False:
 * nobody can be answered, or the way has no descriptor to be woken by (PMIx alone), and
 * can only be waited for.
 */
static bool answer_others(const struct rt_agent *agent, int64_t until_ns)
{
	const int fd = agent->rendezvous->fd;
	const int64_t now_ns = rt_monotonic_ns();

	if (!agent->engine || fd < 0 || now_ns >= until_ns)
		return false;
	return agent->ops->work(agent->engine, now_ns + ANSWER_NS, fd, NULL) == 0;
}

int rt_agent_gather(struct rt_agent *agent, const char *mine, int64_t until_ns,
		    struct rt_texts *ret_all, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = agent->rendezvous;
	int r = -ETIMEDOUT;

	while (r == -ETIMEDOUT && answer_others(agent, until_ns))
		r = rendezvous->ops->gather(rendezvous, mine, rt_monotonic_ns(),
					    ret_all, err);
	if (r != -ETIMEDOUT)
		return r;
	return rendezvous->ops->gather(rendezvous, mine, until_ns, ret_all, err);
}

/* The root's next word. */
static int answer_until_told(const struct rt_agent *agent, int64_t until_ns,
			     char **ret_text, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = agent->rendezvous;
	int r = -ETIMEDOUT;

	while (r == -ETIMEDOUT && answer_others(agent, until_ns)) {
		struct rt_rendezvous_news news = { 0 };

		r = rendezvous->ops->poll(rendezvous, &news, err);
		if (r == 0)
			r = rendezvous->ops->scatter(rendezvous, NULL,
						     rt_monotonic_ns(), ret_text, err);
	}
	if (r != -ETIMEDOUT)
		return r;
	return rendezvous->ops->scatter(rendezvous, NULL, until_ns, ret_text, err);
}

/*
 * Until nobody sends any more: who only answers may have ended long before, and its
 * counters go on.
 */
static int await_others(const struct rt_agent *agent, struct rt_rendezvous *rendezvous,
			struct rt_err *err)
{
	const int64_t patience_ns = (int64_t)agent->job.total_ns + STEP_NS;
	const struct rt_stress_connected ended = { 0 };
	RT_AUTO(rt_auto_free) char *go_on = NULL;
	char *text;
	int r = rt_stress_write(&rt_stress_connected_table, &ended, &text, err);

	if (r == 0)
		r = answer(rendezvous, patience_ns, text, err);
	if (r < 0)
		return r;
	return answer_until_told(agent, rt_monotonic_ns() + patience_ns, &go_on, err);
}

static int run(struct rt_agent *agent, struct rt_rendezvous *rendezvous,
	       struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *start = NULL;
	RT_AUTO(rt_auto_free) char *bye = NULL;
	char *report;
	int r = make_ready(agent, rendezvous, err);

	if (r == 0)
		r = hear_text(rendezvous, STEP_NS, &start, err);
	if (r == 0)
		r = rt_agent_start(agent, start, rendezvous, err);
	if (r == 0)
		r = rt_agent_work(agent, rendezvous, NULL, NULL, err);
	if (r == 0)
		r = await_others(agent, rendezvous, err);
	if (r == 0)
		r = rt_agent_report(agent, rendezvous, &report, err);
	if (r == 0)
		r = answer(rendezvous, STEP_NS, report, err);
	/* Until the root has all reports, the last frames may still need our NIC. */
	if (r == 0 && hear_text(rendezvous, STEP_NS, &bye, NULL) < 0)
		return 0;
	return r;
}

int rt_agent_run(struct rt_rendezvous *rendezvous,
		 const struct rt_agent_options *options, struct rt_err *err)
{
	struct rt_agent *agent;
	int r = rt_agent_new(options, rendezvous, &agent, err);

	if (r < 0)
		return r;
	r = run(agent, rendezvous, err);
	rt_agent_free(agent);
	return r;
}
