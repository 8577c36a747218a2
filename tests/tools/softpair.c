/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * softpair.c - two soft engines on the two ends of a veth pair, in namespaces of their
 * own; prints what became of their queue pairs as JSON.
 *
 *   softpair [KEY=VALUE...]   op=write|write-imm|send|read  message=65536  qps=1
 *                             outstanding=4  ms=1000  line=1000000000  cap=0  mtu=0
 *                             ecn=2  total=0  on=0  off=0  ip=4|6  linkmtu=1500
 *                             capture=FILE (of the sender's interface, both ways)
 *
 * It ends when all that was posted is done, ms after the start or with total bytes.
 * Rates are bits per second, sizes bytes, times milliseconds (on and off nanoseconds).
 * Exit code 77: no namespaces here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "model/fabric_config.h"
#include "pktio/live.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "traffic/engine.h"
#include "traffic/soft.h"
#include "traffic/soft_engine.h"
#include "veth.h"

#define LIMIT_NS INT64_C(30000000000) /* after its end all must be over */
#define STEP_NS  INT64_C(10000000)

static const struct rt_name op_names[] = { { "write", RT_TRAFFIC_WRITE, NULL },
					   { "write-imm", RT_TRAFFIC_WRITE_IMM, NULL },
					   { "send", RT_TRAFFIC_SEND, NULL },
					   { "read", RT_TRAFFIC_READ, NULL },
					   { 0 } };

enum key {
	KEY_MESSAGE,
	KEY_QPS,
	KEY_OUTSTANDING,
	KEY_MS,
	KEY_LINE,
	KEY_CAP,
	KEY_MTU,
	KEY_ECN,
	KEY_TOTAL,
	KEY_ON,
	KEY_OFF,
	KEY_IP,
	KEY_LINKMTU,
	KEY_COUNT,
};

static const struct {
	const char *name;
	uint64_t value;
} keys[KEY_COUNT] = {
	{ "message", 65536 },   { "qps", 1 }, { "outstanding", 4 }, { "ms", 1000 },
	{ "line", 1000000000 }, { "cap", 0 }, { "mtu", 0 },         { "ecn", 2 },
	{ "total", 0 },         { "on", 0 },  { "off", 0 },         { "ip", 4 },
	{ "linkmtu", 1500 },
};

struct pair {
	uint64_t value[KEY_COUNT];
	unsigned op;
	const char *capture; /* NULL: none */
	int64_t epoch_ns;
	struct rt_fabric_config laws;
};

static int fail(const char *what, int r, const struct rt_err *err)
{
	fprintf(stderr, "softpair: %s: %d %s\n", what, r, err ? err->msg : "");
	return 1;
}

static int parse(struct pair *pair, const char *word)
{
	const char *value = strchr(word, '=');
	const size_t bytes = value ? (size_t)(value++ - word) : 0;

	if (bytes == 2 && memcmp(word, "op", 2) == 0) {
		const struct rt_name *name = rt_name_find(op_names, value);

		pair->op = name ? name->value : 0;
		return name ? 0 : -EINVAL;
	}
	if (bytes == 7 && memcmp(word, "capture", 7) == 0) {
		pair->capture = value;
		return 0;
	}
	for (unsigned i = 0; bytes && i < KEY_COUNT; i++)
		if (strlen(keys[i].name) == bytes &&
		    memcmp(keys[i].name, word, bytes) == 0) {
			pair->value[i] = strtoull(value, NULL, 10);
			return 0;
		}
	return -EINVAL;
}

static struct rt_traffic_flow flow_of(const struct pair *pair, uint32_t number)
{
	return (struct rt_traffic_flow){
		.flow = number,
		.to = 1,
		.op = pair->op,
		.message_bytes = pair->value[KEY_MESSAGE],
		.outstanding = (uint32_t)pair->value[KEY_OUTSTANDING],
		.total_bytes = pair->value[KEY_TOTAL],
		.rate_bps = pair->value[KEY_CAP],
		.stop_ns = pair->value[KEY_MS] * 1000000,
		.on_ns = pair->value[KEY_ON],
		.off_ns = pair->value[KEY_OFF],
		.dscp = pair->laws.data_dscp,
		.ecn = (uint8_t)pair->value[KEY_ECN],
		.prio = pair->laws.data_prio,
	};
}

static int connect_all(struct rt_engine *engine, const struct pair *pair, unsigned end,
		       int peer_fd, struct rt_err *err)
{
	struct rt_qp_address address;
	unsigned index;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < pair->value[KEY_QPS]; i++) {
		const struct rt_traffic_flow flow = flow_of(pair, i);

		r = engine->ops->qp_create(engine, &flow, end == 0, &index, &address,
					   err);
		if (r == 0 && write(peer_fd, &address, sizeof(address)) < 0)
			r = -errno;
		if (r == 0 && read(peer_fd, &address, sizeof(address)) !=
				      (ssize_t)sizeof(address))
			r = -EPIPE;
		if (r == 0)
			r = engine->ops->qp_connect(engine, index, &address, err);
	}
	return r;
}

static struct rt_json *result_of(struct rt_engine *engine, const struct pair *pair)
{
	struct rt_json *end = rt_json_object(), *qps = rt_json_array();
	struct rt_histogram *latency = calloc(1, sizeof(*latency));
	struct rt_engine_about about;
	struct rt_soft_strays strays;
	uint64_t dropped;

	engine->ops->about(engine, &about);
	rt_json_set(end, "about", rt_record_json(&rt_engine_about_table, &about));
	for (unsigned i = 0; i < pair->value[KEY_QPS]; i++) {
		struct rt_qp_totals totals;

		engine->ops->totals(engine, i, &totals);
		engine->ops->latency(engine, i, latency);
		rt_json_append(qps, rt_record_json(&rt_qp_totals_table, &totals));
	}
	rt_json_set(end, "qps", qps);
	rt_json_set(end, "latency_p50_ns",
		    rt_json_u64(rt_histogram_quantile(latency, RT_PPB / 2).value));
	rt_json_set(
		end, "latency_p99_ns",
		rt_json_u64(rt_histogram_quantile(latency, RT_PPB / 100 * 99).value));
	rt_soft_engine_strays(engine, &strays, &dropped);
	rt_json_set(end, "ring_dropped", rt_json_u64(dropped));
	rt_json_set(end, "bad_icrc", rt_json_u64(strays.bad_icrc));
	rt_json_set(end, "unknown_qp", rt_json_u64(strays.unknown_qp));
	rt_json_set(end, "malformed", rt_json_u64(strays.malformed));
	rt_json_set(end, "other", rt_json_u64(strays.other));
	free(latency);
	return end;
}

static bool all_over(struct rt_engine *engine, const struct pair *pair)
{
	for (unsigned i = 0; i < pair->value[KEY_QPS]; i++) {
		struct rt_qp_totals totals;

		engine->ops->totals(engine, i, &totals);
		if (totals.state < RT_QP_DONE)
			return false;
	}
	return true;
}

/* Whoever posts the messages knows when all is done, and tells the other end. */
static int work(struct rt_engine *engine, const struct pair *pair, unsigned end,
		int peer_fd, struct rt_err *err)
{
	const int64_t limit_ns = pair->epoch_ns +
				 (int64_t)pair->value[KEY_MS] * 1000000 + LIMIT_NS;
	int r = 0;

	engine->ops->begin(engine, pair->epoch_ns);
	if (end != (pair->op == RT_TRAFFIC_READ))
		return engine->ops->work(engine, limit_ns, peer_fd, err);
	while (r == 0 && rt_monotonic_ns() < limit_ns && !all_over(engine, pair))
		r = engine->ops->work(engine, rt_monotonic_ns() + STEP_NS, -1, err);
	return write(peer_fd, "", 1) < 0 ? -errno : r;
}

static int run_end(const struct pair *pair, unsigned end, int peer_fd, FILE *to)
{
	struct rt_engine_config config = { .mtu_bytes = (uint32_t)pair->value[KEY_MTU],
					   .laws = &pair->laws,
					   .line_rate_bps = pair->value[KEY_LINE] };
	const bool v6 = pair->value[KEY_IP] == 6;
	const char *netdev = end ? "rtb" : "rta";
	char text[32];
	struct rt_engine *engine;
	struct rt_json *result;
	struct rt_err err = { 0 };
	int r;

	snprintf(text, sizeof(text), v6 ? "fd00::%u" : "10.0.0.%u", end + 1);
	r = veth_up(netdev, (uint32_t)pair->value[KEY_LINKMTU]);
	if (r == 0)
		r = veth_address(netdev, text, v6 ? 64 : 24);
	if (r < 0)
		return fail(netdev, r, NULL);
	/* The other end's address has no MAC as long as its interface is down. */
	snprintf(config.netdev, sizeof(config.netdev), "%s", netdev);
	if (v6)
		config.ip = (struct rt_ip){
			.version = 6, .bytes = { 0xFD, [15] = (uint8_t)(end + 1) }
		};
	r = rt_engine_soft.open(&config, &engine, &err);
	if (r == 0)
		r = connect_all(engine, pair, end, peer_fd, &err);
	if (r < 0)
		return fail(netdev, r, &err);
	r = work(engine, pair, end, peer_fd, &err);
	if (r < 0)
		return fail("work", r, &err);
	result = result_of(engine, pair);
	engine->ops->close(engine);
	r = rt_json_write(result, to, &err);
	rt_json_free(result);
	return r < 0 ? fail("write", r, &err) : fclose(to) != 0;
}

/* All that passes the sender's interface, until stop_fd is readable. */
static int capture(const struct pair *pair, int ready_fd, int stop_fd)
{
	static const char *const netdevs[] = { "rta", NULL };
	struct rt_live_config config = { .netdevs = netdevs,
					 .speed_bps = pair->value[KEY_LINE],
					 .until_ns = INT64_MAX,
					 .stop_fd = stop_fd };
	struct rt_frame frames[64];
	struct rt_source *source;
	struct rt_err err = { 0 };
	size_t count = 1;
	int r = rt_capture_create(pair->capture, 0, &config.sink, &err);

	if (r == 0)
		r = rt_live_open(&config, &source, &err);
	if (r < 0 || write(ready_fd, "", 1) < 0)
		return fail(pair->capture, r, &err);
	while (r == 0 && count)
		r = source->ops->read(source, frames, RT_ARRAY_SIZE(frames), &count,
				      &err);
	if (r == 0 && source->ops->interfaces(source, &count)->dropped.value)
		r = rt_err_set(&err, -ENOBUFS, "frames were lost");
	rt_source_close(source);
	if (config.sink->ops->close(config.sink, r ? NULL : &err) < 0 || r < 0)
		return fail(pair->capture, r, &err);
	return 0;
}

/* A process that captures; *ret_stop_fd ends it.  Returns when it is ready. */
static int start_capture(const struct pair *pair, int *ret_stop_fd)
{
	int ready[2], stop[2];
	char byte;

	if (pipe(ready) < 0 || pipe(stop) < 0)
		return -errno;
	if (fork() == 0) {
		close(ready[0]);
		exit(capture(pair, ready[1], stop[0]));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		return -EIO;
	*ret_stop_fd = stop[1];
	return 0;
}

static int wait_for(unsigned count)
{
	int status, failed = 0;

	while (count-- && wait(&status) > 0)
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	return failed;
}

static void copy_out(FILE *from)
{
	char text[4096];
	size_t bytes;

	rewind(from);
	while ((bytes = fread(text, 1, sizeof(text), from)) > 0)
		fwrite(text, 1, bytes, stdout);
}

int main(int argc, char **argv)
{
	static struct pair pair;
	struct rt_scenario scenario;
	FILE *results[2] = { tmpfile(), tmpfile() };
	int ends[2], other, stop_fd = -1, failed;

	for (unsigned i = 0; i < KEY_COUNT; i++)
		pair.value[i] = keys[i].value;
	for (int i = 1; i < argc; i++)
		if (parse(&pair, argv[i]) < 0)
			return fail(argv[i], -EINVAL, NULL);
	rt_scenario_init(&scenario);
	scenario.topology.speed_bps = scenario.topology.fabric_speed_bps =
		pair.value[KEY_LINE];
	rt_fabric_config_init(&pair.laws, &scenario);
	if (veth_unshare() < 0)
		return 77;
	other = veth_namespace();
	if (other < 0 || veth_make("rta", "rtb", other) < 0 || !results[0] ||
	    !results[1] || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return 77;
	if (pair.capture && (veth_up("rta", (uint32_t)pair.value[KEY_LINKMTU]) < 0 ||
			     start_capture(&pair, &stop_fd) < 0))
		return fail(pair.capture, -EIO, NULL);
	pair.epoch_ns = rt_monotonic_ns() + 300000000;
	for (unsigned end = 0; end < 2; end++)
		if (fork() == 0) {
			if (end && setns(other, CLONE_NEWNET) < 0)
				return fail("setns", -errno, NULL);
			close(ends[!end]);
			return run_end(&pair, end, ends[end], results[end]);
		}
	close(ends[0]);
	close(ends[1]);
	failed = wait_for(2);
	if (pair.capture)
		failed |= write(stop_fd, "", 1) < 0 || wait_for(1);
	if (failed)
		return 1;
	printf("{\n\"sender\": ");
	copy_out(results[0]);
	printf(",\n\"receiver\": ");
	copy_out(results[1]);
	printf("}\n");
	return 0;
}
