/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verbspair: the verbs engine alone, for the kernel lab: a process a device, addresses
 * over socket pairs, a common start, totals of both ends of every queue pair as JSON.
 *
 *	verbspair [OPTION...] FROM:TO...	device names, or any; data goes FROM -> TO
 *	    -o write|write-imm|send|read  -q QPS  -s BYTES  -n OUTSTANDING
 *	    -t MS (how long)  -b BYTES (in all, a QP)  -r BPS  -B ON_MS,OFF_MS
 *	    -d DSCP  -e ECN  -p FIRST_UDP_SPORT  -l BYTES,BYTES (sizes, evenly)
 *	    -x GID_INDEX  -a IPV4  -m MTU  -g REGION  -T TIMEOUT_CODE  -R RETRIES
 *	    -c (librdmacm)  -k DEVICE:MS (that process is killed then)  -w (why chosen)
 *
 * The module is looked for as the program does, beside this file: copy both.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/histogram.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/engine.h"
#include "traffic/module.h"

#define MOST_RANKS 16
#define MOST_FLOWS 512
#define MS         INT64_C(1000000)

struct setup {
	struct rt_engine_config config;
	struct rt_traffic_flow flow; /* all alike */
	struct rt_size_point sizes[4];
	unsigned qps, kill_rank;
	int64_t kill_ms;
	bool why;
	char devices[MOST_RANKS][64];
	size_t ranks, flows;
	uint32_t from[MOST_FLOWS], to[MOST_FLOWS];
};

/* One end of a flow, as its process tells it at the end. */
struct result {
	uint32_t flow;
	bool sends;
	struct rt_qp_totals totals;
	uint64_t content; /* hash of the first message's bytes in the region */
	struct rt_opt_u64 p50_ns, p99_ns;
	uint64_t latencies;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void all(bool write_it, int fd, void *data, size_t bytes)
{
	char *at = data;

	while (bytes) {
		const ssize_t n = write_it ? write(fd, at, bytes) : read(fd, at, bytes);

		if (n <= 0)
			_exit(4); /* the other side is gone */
		at += n;
		bytes -= (size_t)n;
	}
}

/* --- a rank: one device -------------------------------------------------------------- */

struct end {
	uint32_t flow;
	bool sends;
	unsigned index;
	struct rt_qp_address own, peer;
};

static struct rt_traffic_flow flow_of(const struct setup *setup, uint32_t number)
{
	struct rt_traffic_flow flow = setup->flow;

	flow.flow = number;
	flow.from = setup->from[number];
	flow.to = setup->to[number];
	if (flow.udp_sport)
		flow.udp_sport = (uint16_t)(flow.udp_sport + number);
	return flow;
}

static size_t ends_of(const struct setup *setup, uint32_t rank, struct end *ends)
{
	size_t count = 0;

	for (uint32_t i = 0; i < setup->flows; i++)
		if (setup->from[i] == rank || setup->to[i] == rank)
			ends[count++] = (struct end){ .flow = i,
						      .sends = setup->from[i] == rank };
	return count;
}

/* Whether it can go on: to the root, with why not. */
static void say(int fd, int r, const struct rt_err *err)
{
	struct rt_err copy = *err;

	all(true, fd, &r, sizeof(r));
	if (r < 0) {
		all(true, fd, &copy, sizeof(copy));
		_exit(1);
	}
}

static bool all_posted(struct rt_engine *engine, const struct end *ends, size_t count,
		       bool reads)
{
	for (size_t i = 0; i < count; i++) {
		struct rt_qp_totals totals;

		engine->ops->totals(engine, ends[i].index, &totals);
		if (ends[i].sends != reads && totals.state < RT_QP_DONE)
			return false;
	}
	return true;
}

static void tell_result(struct rt_engine *engine, const struct setup *setup,
			const struct end *end, int fd)
{
	static struct rt_histogram latency;
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)end->own.va;
	struct result result = { .flow = end->flow,
				 .sends = end->sends,
				 .content = 14695981039346656037u };

	engine->ops->totals(engine, end->index, &result.totals);
	latency = (struct rt_histogram){ 0 };
	engine->ops->latency(engine, end->index, &latency);
	result.p50_ns = rt_histogram_quantile(&latency, 500000000);
	result.p99_ns = rt_histogram_quantile(&latency, 990000000);
	result.latencies = latency.count;
	for (uint64_t i = 0; i < setup->flow.message_bytes; i++)
		result.content = (result.content ^ bytes[i]) * 1099511628211u;
	all(true, fd, &result, sizeof(result));
}

static void rank_main(const struct setup *setup, uint32_t rank, int fd)
{
	static struct end ends[MOST_FLOWS];
	const size_t count = ends_of(setup, rank, ends);
	const bool reads = setup->flow.op == RT_TRAFFIC_READ;
	struct rt_engine_config config = setup->config;
	const struct rt_module *module = NULL;
	struct rt_engine *engine = NULL;
	struct rt_engine_about about;
	struct rt_err err = { 0 };
	int64_t epoch;
	bool told = false;
	int r = rt_module_open("verbs", &module, &err);

	memcpy(config.device, setup->devices[rank], sizeof(config.device));
	if (!strcmp(config.device, "any"))
		config.device[0] = '\0';
	if (r == 0)
		r = module->engine->open(&config, &engine, &err);
	for (size_t i = 0; i < count && r == 0; i++) {
		struct rt_traffic_flow flow = flow_of(setup, ends[i].flow);

		r = module->engine->qp_create(engine, &flow, ends[i].sends,
					      &ends[i].index, &ends[i].own, &err);
	}
	say(fd, r, &err);
	engine->ops->about(engine, &about);
	all(true, fd, &about, sizeof(about));
	for (size_t i = 0; i < count; i++)
		all(true, fd, &ends[i].own, sizeof(ends[i].own));
	for (size_t i = 0; i < count; i++)
		all(false, fd, &ends[i].peer, sizeof(ends[i].peer));
	for (size_t i = 0; i < count && r == 0; i++)
		r = engine->ops->qp_connect(engine, ends[i].index, &ends[i].peer, &err);
	say(fd, r, &err);
	all(false, fd, &epoch, sizeof(epoch));
	engine->ops->begin(engine, epoch);
	for (;;) {
		struct pollfd stop = { .fd = fd, .events = POLLIN };

		r = engine->ops->work(engine, now_ns() + 20 * MS, fd, &err);
		if (r < 0 || poll(&stop, 1, 0) > 0)
			break;
		if (!told && all_posted(engine, ends, count, reads)) {
			all(true, fd, "D", 1);
			told = true;
		}
	}
	if (!told)
		all(true, fd, "D", 1);
	say(fd, r, &err);
	for (size_t i = 0; i < count; i++)
		tell_result(engine, setup, &ends[i], fd);
	engine->ops->close(engine);
	_exit(0);
}

/* --- the root ------------------------------------------------------------------------ */

struct rank {
	pid_t pid;
	int fd;
	bool dead, done;
	struct end ends[MOST_FLOWS];
	size_t count;
	struct rt_engine_about about;
};

static int hear(const struct setup *setup, struct rank *ranks, size_t i)
{
	struct rt_err err;
	int r;

	all(false, ranks[i].fd, &r, sizeof(r));
	if (r == 0)
		return 0;
	all(false, ranks[i].fd, &err, sizeof(err));
	fprintf(stderr, "%s: %s\n", setup->devices[i], err.msg);
	for (size_t k = 0; k < setup->ranks; k++)
		kill(ranks[k].pid, SIGKILL);
	exit(1);
}

static void start_ranks(const struct setup *setup, struct rank *ranks)
{
	for (uint32_t i = 0; i < setup->ranks; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
			exit(3);
		ranks[i].pid = fork();
		if (ranks[i].pid == 0) {
			for (uint32_t k = 0; k < i; k++)
				close(ranks[k].fd);
			close(pair[0]);
			rank_main(setup, i, pair[1]);
		}
		close(pair[1]);
		ranks[i].fd = pair[0];
		ranks[i].count = ends_of(setup, i, ranks[i].ends);
	}
}

static void exchange(const struct setup *setup, struct rank *ranks)
{
	static struct rt_qp_address address[MOST_FLOWS][2]; /* [][1]: of who sends */

	for (size_t i = 0; i < setup->ranks; i++) {
		hear(setup, ranks, i);
		all(false, ranks[i].fd, &ranks[i].about, sizeof(ranks[i].about));
		for (size_t e = 0; e < ranks[i].count; e++)
			all(false, ranks[i].fd,
			    &address[ranks[i].ends[e].flow][ranks[i].ends[e].sends],
			    sizeof(address[0][0]));
	}
	for (size_t i = 0; i < setup->ranks; i++)
		for (size_t e = 0; e < ranks[i].count; e++)
			all(true, ranks[i].fd,
			    &address[ranks[i].ends[e].flow][!ranks[i].ends[e].sends],
			    sizeof(address[0][0]));
	for (size_t i = 0; i < setup->ranks; i++)
		hear(setup, ranks, i);
}

static void wait_done(const struct setup *setup, struct rank *ranks, int64_t epoch)
{
	const int64_t kill_at = epoch + setup->kill_ms * MS;
	bool killed = !setup->kill_ms;
	size_t open = setup->ranks;

	while (open) {
		struct pollfd fds[MOST_RANKS];
		char mark;

		for (size_t i = 0; i < setup->ranks; i++)
			fds[i] = (struct pollfd){ .fd = ranks[i].done || ranks[i].dead
								? -1
								: ranks[i].fd,
						  .events = POLLIN };
		poll(fds, setup->ranks, 20);
		if (!killed && now_ns() >= kill_at) {
			struct rank *victim = &ranks[setup->kill_rank];

			kill(victim->pid, SIGKILL);
			killed = victim->dead = true;
			open -= !victim->done;
			continue;
		}
		for (size_t i = 0; i < setup->ranks; i++)
			if (fds[i].revents) {
				all(false, ranks[i].fd, &mark, 1);
				ranks[i].done = true;
				open--;
			}
	}
}

static void print_opt(const char *name, const struct rt_opt_u64 *value)
{
	if (value->known)
		printf(", \"%s\": %" PRIu64, name, value->value);
	else
		printf(", \"%s\": null", name);
}

static void print_result(const struct setup *setup, uint32_t rank,
			 const struct result *result)
{
	static const char *const states[] = { "waiting", "running", "done", "stopped" };
	const struct rt_qp_totals *totals = &result->totals;

	printf("{\"flow\": %u, \"end\": \"%s\", \"device\": \"%s\", \"state\": \"%s\"",
	       result->flow, result->sends ? "tx" : "rx", setup->devices[rank],
	       states[totals->state]);
	print_opt("bytes", &totals->bytes);
	print_opt("messages", &totals->messages);
	print_opt("first_ns", &totals->first_ns);
	print_opt("last_ns", &totals->last_ns);
	print_opt("p50_ns", &result->p50_ns);
	print_opt("p99_ns", &result->p99_ns);
	print_opt("error_ns", &totals->error_ns);
	printf(", \"latencies\": %" PRIu64 ", \"error\": \"%s\", \"content\": "
	       "\"%016" PRIx64 "\"}\n",
	       result->latencies, totals->error, result->content);
}

static int root_main(const struct setup *setup)
{
	static struct rank ranks[MOST_RANKS];
	int64_t epoch;

	start_ranks(setup, ranks);
	exchange(setup, ranks);
	if (setup->why)
		for (size_t i = 0; i < setup->ranks; i++)
			printf("# %s\n", ranks[i].about.chosen);
	epoch = now_ns() + 50 * MS;
	for (size_t i = 0; i < setup->ranks; i++)
		all(true, ranks[i].fd, &epoch, sizeof(epoch));
	wait_done(setup, ranks, epoch);
	for (size_t i = 0; i < setup->ranks; i++)
		if (!ranks[i].dead)
			all(true, ranks[i].fd, "S", 1);
	for (uint32_t i = 0; i < setup->ranks; i++) {
		if (ranks[i].dead)
			continue;
		hear(setup, ranks, i);
		for (size_t e = 0; e < ranks[i].count; e++) {
			struct result result;

			all(false, ranks[i].fd, &result, sizeof(result));
			print_result(setup, i, &result);
		}
	}
	while (wait(NULL) > 0)
		continue;
	return 0;
}

/* --- options ------------------------------------------------------------------------- */

static uint32_t rank_of(struct setup *setup, const char *device, size_t length)
{
	for (uint32_t i = 0; i < setup->ranks; i++)
		if (strlen(setup->devices[i]) == length &&
		    memcmp(setup->devices[i], device, length) == 0)
			return i;
	if (setup->ranks == MOST_RANKS)
		exit(2);
	snprintf(setup->devices[setup->ranks], 64, "%.*s", (int)length, device);
	return (uint32_t)setup->ranks++;
}

static void add_pair(struct setup *setup, const char *word)
{
	const size_t length = strcspn(word, ":");
	const uint32_t from = rank_of(setup, word, length);
	const uint32_t to = rank_of(setup, word + length + 1,
				    strlen(word + length + 1));

	for (unsigned q = 0; q < setup->qps && setup->flows < MOST_FLOWS; q++) {
		setup->from[setup->flows] = from;
		setup->to[setup->flows++] = to;
	}
}

static unsigned op_of(const char *word)
{
	static const char *const names[] = { "write", "write-imm", "send", "read" };

	for (unsigned i = 0; i < RT_ARRAY_SIZE(names); i++)
		if (!strcmp(word, names[i]))
			return i;
	exit(2);
}

/* Two sizes, each of half of the messages. */
static void take_sizes(struct setup *setup, const char *word)
{
	char *rest;
	const uint64_t low = strtoull(word, &rest, 0),
		       high = strtoull(rest + 1, NULL, 0);
	const struct rt_size_point points[] = { { low, 0 },
						{ low, 500000000 },
						{ high, 500000000 },
						{ high, 1000000000 } };

	memcpy(setup->sizes, points, sizeof(points));
	setup->flow.sizes = setup->sizes;
	setup->flow.size_count = 4;
	setup->flow.message_bytes = high;
}

static void take_engine(struct setup *setup, int option, const char *value)
{
	struct rt_engine_config *config = &setup->config;
	const unsigned long number = strtoul(value ? value : "0", NULL, 0);

	switch (option) {
	case 'x': config->gid_index = RT_KNOWN_U64(number); break;
	case 'a':
		config->ip.version = 4;
		if (inet_pton(AF_INET, value, config->ip.bytes) != 1)
			exit(2);
		break;
	case 'm': config->mtu_bytes = (uint32_t)number; break;
	case 'g': config->region_bytes = (uint32_t)number; break;
	case 'T': config->ack_timeout_code = (uint8_t)number; break;
	case 'R': config->retry_count = RT_KNOWN_U64(number); break;
	case 'c': config->use_cm = true; break;
	default: fprintf(stderr, "verbspair: see its source\n"); exit(2);
	}
}

static void take(struct setup *setup, int option, const char *value)
{
	struct rt_traffic_flow *flow = &setup->flow;
	const unsigned long long number = strtoull(value ? value : "0", NULL, 0);

	switch (option) {
	case 'o': flow->op = op_of(value); break;
	case 'q': setup->qps = (unsigned)number; break;
	case 's': flow->message_bytes = number; break;
	case 'l': take_sizes(setup, value); break;
	case 'n': flow->outstanding = (uint32_t)number; break;
	case 't': flow->stop_ns = number * MS; break;
	case 'b': flow->total_bytes = number; break;
	case 'r': flow->rate_bps = number; break;
	case 'B':
		flow->on_ns = number * MS;
		flow->off_ns = strtoull(strchr(value, ',') + 1, NULL, 0) * MS;
		break;
	case 'd': flow->dscp = (uint8_t)number; break;
	case 'e': flow->ecn = (uint8_t)number; break;
	case 'p': flow->udp_sport = (uint16_t)number; break;
	case 'w': setup->why = true; break;
	default: take_engine(setup, option, value);
	}
}

int main(int argc, char **argv)
{
	static struct setup setup = { .qps = 1,
				      .flow = { .message_bytes = 65536,
						.outstanding = 16,
						.dscp = 26,
						.ecn = 2,
						.prio = 3 } };
	const char *kill_word = NULL;
	int option;

	while ((option = getopt(argc, argv,
				"o:q:s:l:n:t:b:r:B:d:e:p:x:a:m:g:T:R:k:cw")) > 0) {
		if (option == 'k')
			kill_word = optarg;
		else
			take(&setup, option, optarg);
	}
	if (optind == argc)
		return 2;
	for (; optind < argc; optind++)
		add_pair(&setup, argv[optind]);
	if (kill_word) {
		setup.kill_rank = rank_of(&setup, kill_word, strcspn(kill_word, ":"));
		setup.kill_ms = atoll(strchr(kill_word, ':') + 1);
	}
	signal(SIGPIPE, SIG_IGN);
	return root_main(&setup);
}
