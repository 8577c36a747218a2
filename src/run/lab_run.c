/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_run.c - the journey: make a lab, send through it, look, and take it away. */
#include "run/lab_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/diagnosis.h"
#include "base/own.h"
#include "kern/netns.h"
#include "lab/lab.h"
#include "model/workload.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "run/lab_capture.h"
#include "run/lab_run_parts.h"
#include "run/sim_capture.h"
#include "run/stress_rules.h"
#include "traffic/engine.h"
#include "traffic/tcp.h"

/* A run under way. */
struct work {
	const struct rt_lab_run_request *request;
	struct rt_lab_plan plan;
	struct rt_lab_store store;
	char name[RT_LAB_NAME_BYTES];
	char folder[sizeof(((struct rt_lab_store *)0)->path) + RT_LAB_NAME_BYTES];
	struct rt_lab_state state;
	struct rt_lab_picture before; /* what was counted before the traffic */
	bool up;
	/* A stream socket for each host: the root's ends, the hosts'. */
	int root_fds[RT_LAB_MAX_HOSTS], host_fds[RT_LAB_MAX_HOSTS];
	const char *names[RT_LAB_MAX_HOSTS]; /* the topology's */
	const char *ports[RT_LAB_MAX_HOSTS + 1];
	char port_text[200]; /* that ports lie in */
	struct rt_sink *sink;
	struct rt_lab_capture *capture;
	struct rt_rendezvous *root;
	char lost[160]; /* the first host that was, and why; "" */
};

/* --- a host's process ------------------------------------------------------------------ */

/*
 * The root speaks first: until all of the lab stands it serves nobody, however long that
 * takes, and an agent that had joined would take it for lost.  A root that is gone is
 * readable, too.
 */
static void await_root(int fd)
{
	struct pollfd look = { .fd = fd, .events = POLLIN };

	while (poll(&look, 1, -1) < 0 && errno == EINTR)
		;
}

static int be_agent(void *context, uint32_t host, int fd)
{
	const struct work *work = context;
	const struct rt_topology *topology = &work->plan.topology;
	struct rt_agent_options options = {
		.engine = &rt_engine_soft,
		.config = { .laws = &work->plan.laws,
			    .faults = rt_lab_faults_of_host(
				    &work->plan.faults, work->names[host],
				    topology->ports[host].speed_bps),
			    .mtu_bytes = work->plan.laws.mtu_bytes,
			    .line_rate_bps = topology->ports[host].speed_bps },
		.lab_folder = work->folder,
		.lab_host = work->names[host],
	};
	struct rt_rendezvous *agent;
	int r;

	await_root(fd);
	r = rt_tcp_join_fd(
		fd, &(struct rt_tcp_member){ host, topology->hosts, work->names[host] },
		&agent, NULL);
	if (r < 0)
		return r;
	snprintf(options.config.netdev, sizeof(options.config.netdev), "%.15s",
		 work->names[host]);
	r = rt_agent_run(agent, &options, NULL);
	agent->ops->close(agent);
	return r;
}

static void close_all(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static int make_sockets(struct work *work, struct rt_err *err)
{
	for (uint32_t i = 0; i < work->plan.topology.hosts; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
			return rt_err_sys(err, -errno, "no sockets for the hosts");
		work->root_fds[i] = pair[0];
		work->host_fds[i] = pair[1];
		work->names[i] = work->plan.topology.ports[i].name;
	}
	return 0;
}

/* --- up -------------------------------------------------------------------------------- */

static int start_lab(struct work *work, char note[160], struct rt_err *err)
{
	const struct rt_lab_request *request = &work->request->lab;
	struct rt_lab_setup setup = {
		.name = request->name ? request->name : work->name,
		.topology = &work->plan.topology,
		.laws = &work->plan.laws,
		.seed = work->plan.scenario.seed,
		.profile = work->plan.scenario.profile,
		.said = work->plan.scale.said,
		.faults = request->faults,
		.owned = true,
		.host = be_agent,
		.context = work,
		.host_fds = work->host_fds,
	};
	int r = rt_netns_prepare(&setup.user_namespace, err);

	if (r < 0)
		return r;
	/* Beside a lab that lives on its own, and other runs. */
	snprintf(work->name, sizeof(work->name), "run-%ld", (long)getpid());
	snprintf(work->folder, sizeof(work->folder), "%s/%s", work->store.path,
		 setup.name);
	memcpy(setup.prio_of_dscp, work->plan.prio_of_dscp, sizeof(setup.prio_of_dscp));
	r = rt_lab_start(&work->store, &setup, note, &work->state, err);
	work->up = r == 0;
	close_all(work->host_fds, work->plan.topology.hosts);
	return r;
}

/* --- the capture ------------------------------------------------------------------------ */

static int add_port(struct work *work, const char *name, size_t *count,
		    struct rt_err *err)
{
	const struct rt_lab_host *host = rt_lab_host_at(&work->state, name);

	if (host && *count < RT_LAB_MAX_HOSTS) {
		work->ports[(*count)++] = host->switch_port;
		return 0;
	}
	return rt_err_set(err, -EDOM,
			  "--ports: %.40s is no port of a switch towards a host: %s to "
			  "%s",
			  name, work->state.hosts[0].switch_port,
			  work->state.hosts[work->state.host_count - 1].switch_port);
}

static int choose_ports(struct work *work, struct rt_err *err)
{
	const char *wanted = work->request->ports;
	size_t count = 0;
	char *rest;
	int r = 0;

	if (!wanted || strcmp(wanted, "all") == 0) {
		for (size_t i = 0; i < work->state.host_count; i++)
			work->ports[count++] = work->state.hosts[i].switch_port;
		snprintf(work->port_text, sizeof(work->port_text), "all");
		return 0;
	}
	if (strlen(wanted) >= sizeof(work->port_text))
		return rt_err_set(err, -EDOM, "--ports: too many");
	snprintf(work->port_text, sizeof(work->port_text), "%s", wanted);
	for (char *name = strtok_r(work->port_text, ",", &rest); name && r == 0;
	     name = strtok_r(NULL, ",", &rest))
		r = add_port(work, name, &count, err);
	snprintf(work->port_text, sizeof(work->port_text), "%s", wanted);
	return r == 0 && count == 0 ? rt_err_set(err, -EDOM, "--ports: none") : r;
}

static int start_capture(struct work *work, struct rt_err *err)
{
	struct rt_lab_capture_config config = {
		.state = &work->state,
		.ports = work->ports,
		.speed_bps = work->state.rate_bps,
	};
	int r = choose_ports(work, err);

	if (r == 0 && work->request->pcap)
		r = rt_sim_capture_create(
			work->request->pcap, work->request->lab.scenario,
			work->plan.scenario.profile, &work->sink, err);
	config.sink = work->sink;
	return r < 0 ? r : rt_lab_capture_start(&config, &work->capture, err);
}

/* --- traffic ------------------------------------------------------------------------------ */

#define MESSAGE_BYTES UINT64_C(65536) /* as stress has it */
#define MOST_POSTED   16u
/* What is posted when time is up still passes before the agents stop listening. */
#define POSTED_NS     UINT64_C(350000000)

/* Messages of a queue pair under way: at a lab's rate few of them last long. */
static struct rt_opt_u64 choose_outstanding(const struct work *work)
{
	const struct rt_lab_run_request *request = work->request;
	const struct rt_scenario *scenario = &work->plan.scenario;
	const uint64_t bytes = request->message_bytes.known
				       ? request->message_bytes.value
				       : MESSAGE_BYTES;
	const double room = (double)work->state.rate_bps / 8e9 * (double)POSTED_NS;
	uint64_t flows = 0, most;

	for (size_t i = 0; i < scenario->workload_count; i++) {
		if (scenario->workloads[i].outstanding)
			return request->outstanding;
		flows += rt_workload_flow_count(&scenario->workloads[i],
						(uint32_t)work->state.host_count);
	}
	if (request->outstanding.known || !flows)
		return request->outstanding;
	if (request->qps.known)
		flows *= request->qps.value;
	most = (uint64_t)(room / ((double)bytes * (double)flows));
	return RT_KNOWN_U64(most < 1 ? 1 : most > MOST_POSTED ? MOST_POSTED : most);
}

static struct rt_stress_wish make_wish(const struct work *work)
{
	const struct rt_lab_run_request *request = work->request;
	const struct rt_scenario *scenario = &work->plan.scenario;

	return (struct rt_stress_wish){
		.scenario = request->lab.scenario,
		.pattern = RT_WORKLOAD_INCAST,
		.senders = request->lab.scenario ? (struct rt_opt_u64){ 0 }
						 : request->incast,
		.message_bytes = request->message_bytes,
		.qps = request->qps,
		.outstanding = choose_outstanding(work),
		.time_ns = request->time_ns,
		.ramp_ns = RT_KNOWN_U64(0),
		.seed = request->lab.seed,
		.profile = *scenario->profile ? scenario->profile : NULL,
		.prio = request->lab.scenario ? (struct rt_opt_u64){ 0 }
					      : RT_KNOWN_U64(work->plan.laws.data_prio),
		.lossless = RT_KNOWN_U64(rt_fabric_config_lossless(&work->plan.laws)),
		.dscp = request->lab.scenario ? (struct rt_opt_u64){ 0 }
					      : RT_KNOWN_U64(work->plan.laws.data_dscp),
		.engine = rt_engine_soft.name,
		.laws = &work->plan.laws,
		/* There are no bystanders in a lab. */
		.no_abort = true,
		/* The switch knows more than the endpoints. */
		.checks_later = true,
	};
}

/* The first: where one is lost others follow. */
static void note_lost(void *context, const char *text)
{
	struct work *work = context;

	if (!*work->lost)
		snprintf(work->lost, sizeof(work->lost), "%.159s", text);
}

static int send_traffic(struct work *work, struct rt_outcome *ret_stress,
			struct rt_err *err)
{
	const struct rt_tcp_serve config = { .size = work->plan.topology.hosts,
					     .names = work->names,
					     .note = note_lost,
					     .context = work };
	const struct rt_stress_wish wish = make_wish(work);
	const struct rt_stress_watch watch = {
		.progress = work->request->progress,
		.user = work->request->user,
		.cancelled = work->request->cancelled,
	};
	const struct rt_stress_asked asked = { &wish, NULL, &watch };
	struct rt_err why = { 0 };
	int r = rt_tcp_serve_fds(&config, work->root_fds, &work->root, err);

	/* They are the rendezvous's now, or closed. */
	for (uint32_t i = 0; i < work->plan.topology.hosts; i++)
		work->root_fds[i] = -1;
	if (r < 0)
		return r;
	r = rt_run_stress(work->root, &asked, ret_stress, &why);
	if (r == -EPIPE && *work->lost)
		return rt_err_set(err, r, "%s (%s)", why.msg, work->lost);
	return r < 0 ? rt_err_set(err, r, "%s", why.msg) : 0;
}

/* The last frames leave, and the switch writes its counters once more. */
static void settle(void)
{
	const struct timespec moment = { .tv_nsec = 250000000 };

	nanosleep(&moment, NULL);
}

static int take_picture(const struct work *work, struct rt_lab_picture *ret_picture,
			struct rt_err *err)
{
	struct rt_lab_state state = { 0 };
	int r = rt_lab_find(&work->store, work->state.name, &state, err);

	if (r == 0)
		r = rt_lab_picture_take(&work->store, &state, ret_picture, err);
	rt_lab_state_free(&state);
	return r;
}

static int collect(struct work *work, struct rt_lab_run *run, struct rt_err *err)
{
	struct rt_lab_capture *capture = rt_steal(&work->capture);
	int r, c;

	settle();
	r = take_picture(work, &run->lab, err);
	if (r == 0)
		rt_lab_picture_since(&run->lab, &work->before);
	c = rt_lab_capture_end(capture, &run->analysis, r < 0 ? NULL : err);
	return r < 0 ? r : c;
}

/* --- down ----------------------------------------------------------------------------------- */

/* Its process is a child of ours and stays as a zombie until it is asked for. */
static void stop_lab(struct work *work)
{
	bool killed;

	if (work->root)
		work->root->ops->close(work->root);
	work->root = NULL;
	if (!work->up)
		return;
	rt_lab_stop(&work->store, &work->state, &killed, NULL);
	waitpid((pid_t)work->state.pid, NULL, 0);
	work->up = false;
}

/* What failed failed since the lab is gone, whatever it said. */
static int name_death(struct work *work, int r, struct rt_err *err)
{
	const pid_t pid = (pid_t)work->state.pid;
	siginfo_t end = { 0 };

	if (!work->up ||
	    waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    end.si_pid != pid)
		return r;
	return rt_err_set(err, -ECHILD,
			  "the lab's process died in the middle of the "
			  "run: nothing of it is left");
}

static int close_sink(struct work *work, struct rt_err *err)
{
	struct rt_sink *sink = rt_steal(&work->sink);

	return sink ? sink->ops->close(sink, err) : 0;
}

static void end_work(struct work *work)
{
	struct rt_analysis nobody = { 0 };

	if (work->capture)
		rt_lab_capture_end(work->capture, &nobody, NULL);
	rt_analysis_free(&nobody);
	close_sink(work, NULL);
	stop_lab(work);
	close_all(work->root_fds, work->plan.topology.hosts);
	close_all(work->host_fds, work->plan.topology.hosts);
	rt_lab_picture_free(&work->before);
	rt_lab_state_free(&work->state);
	rt_lab_store_close(&work->store);
	rt_lab_plan_free(&work->plan);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Once more, now that it is known what the machine did to the fabric. */
static int judge_stress(struct work *work, struct rt_lab_run *run, struct rt_err *err)
{
	struct rt_findings *findings = &run->stress_findings;
	int r = rt_rules_run(rt_stress_rules, rt_stress_rule_count, &run->stress,
			     findings, err);

	if (r == 0)
		r = rt_lab_run_check(run, &work->plan, err);
	if (r < 0)
		return r;
	rt_lab_run_excuse(run, findings);
	rt_findings_sort(findings);
	rt_stress_write_verdict(findings, &run->stress);
	run->stress.findings = findings->items;
	run->stress.finding_count = findings->count;
	return rt_findings_append(&run->findings, findings);
}

/*
 * What a capture elsewhere has to say of its place; here the tap is the switch, and its
 * ports are stamped one after the other.
 */
static const char *const not_of_labs[] = { "pfc-not-visible", "capture-time-back" };

static bool is_of_labs(const struct rt_finding *finding)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(not_of_labs); i++)
		if (strcmp(finding->id, not_of_labs[i]) == 0)
			return false;
	return true;
}

static int judge_capture(struct rt_lab_run *run, struct rt_err *err)
{
	struct rt_findings findings = { 0 };
	size_t kept = 0;
	int r = rt_diagnose(&run->analysis, &findings, err);

	for (size_t i = 0; i < findings.count; i++)
		if (is_of_labs(&findings.items[i]))
			findings.items[kept++] = findings.items[i];
	findings.count = kept;
	if (r == 0)
		r = rt_findings_append(&run->findings, &findings);
	rt_findings_free(&findings);
	return r;
}

/* In the words of stress, of everybody's findings. */
static void write_verdict(struct rt_lab_run *run)
{
	struct rt_stress_result all = run->stress; /* its hosts and rates */

	rt_stress_write_verdict(&run->findings, &all);
	snprintf(run->verdict, sizeof(run->verdict), "%.*s",
		 (int)sizeof(run->verdict) - 1, all.verdict);
}

static int judge(struct work *work, struct rt_lab_run *run, struct rt_err *err)
{
	const struct rt_stress_result *stress = run->stress_outcome.object;
	int r;

	run->stress = *stress; /* its lists stay where they are */
	/* Once is enough, and the lab is gone: it has no name any more. */
	run->lab.state.said[0] = run->lab.state.name[0] = '\0';
	run->lab.state.profile[0] = '\0';
	snprintf(run->profile, sizeof(run->profile), "%s",
		 *work->plan.scenario.profile ? work->plan.scenario.profile
					      : "none: the simulator's defaults");
	snprintf(run->assumed, sizeof(run->assumed), "%s", work->plan.laws.assumed);
	snprintf(run->said, sizeof(run->said), "%s", work->plan.scale.said);
	snprintf(run->ports, sizeof(run->ports), "%s", work->port_text);
	snprintf(run->pcap, sizeof(run->pcap), "%s",
		 work->request->pcap ? work->request->pcap : "");
	rt_lab_run_sum_machine(run);
	r = rt_lab_cross_make(run, err);
	if (r == 0)
		r = judge_stress(work, run, err);
	if (r == 0)
		rt_lab_run_sum_up(run, &work->plan);
	if (r == 0)
		r = rt_rules_run(rt_lab_run_rules, rt_lab_run_rule_count, run,
				 &run->findings, err);
	if (r == 0)
		r = judge_capture(run, err);
	if (r < 0)
		return rt_err_sys(err, r, "cannot judge the run");
	rt_lab_run_excuse(run, &run->findings);
	rt_findings_sort(&run->findings);
	write_verdict(run);
	return 0;
}

static int run_all(struct work *work, struct rt_lab_run *run, struct rt_err *err)
{
	const struct rt_lab_run_request *request = work->request;
	char note[160];
	int r = rt_lab_plan_make(&request->lab,
				 request->incast.known ? (uint32_t)request->incast.value
						       : 0,
				 &work->plan, err);

	if (r == 0)
		r = rt_lab_store_open(true, &work->store, err);
	if (r == 0)
		r = make_sockets(work, err);
	if (r == 0)
		r = start_lab(work, note, err);
	if (r == 0)
		settle();
	if (r == 0)
		r = take_picture(work, &work->before, err);
	if (r == 0)
		r = start_capture(work, err);
	if (r == 0)
		r = send_traffic(work, &run->stress_outcome, err);
	if (r == 0)
		r = collect(work, run, err);
	if (r < 0)
		return r;
	stop_lab(work);
	r = close_sink(work, err);
	return r < 0 ? r : judge(work, run, err);
}

int rt_run_lab_run(const struct rt_lab_run_request *request,
		   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct work *work = calloc(1, sizeof(*work));
	struct rt_lab_run *run = calloc(1, sizeof(*run));
	int r = work && run ? 0 : rt_err_sys(err, -ENOMEM, "the run");

	if (r == 0) {
		work->request = request;
		work->store.fd = -1;
		for (unsigned i = 0; i < RT_LAB_MAX_HOSTS; i++)
			work->root_fds[i] = work->host_fds[i] = -1;
		r = run_all(work, run, err);
		if (r < 0)
			r = name_death(work, r, err);
		end_work(work);
	}
	free(work);
	if (r < 0) {
		if (run)
			rt_lab_run_free(run);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_lab_run_table,
					    .object = run,
					    .findings = &run->findings,
					    .release = rt_lab_run_free };
	return 0;
}
