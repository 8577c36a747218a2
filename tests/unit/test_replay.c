/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays logs of two public ns-3 models through the reaction point: hpcc
 * (alibaba-edu/High-Precision-Congestion-Control) and msft (bobzhuyb/ns3-rdma).
 *
 * A log has one line per event of a sender, with the values after it:
 *	hpcc: t_ns node cnp|alpha|dec|inc target rate alpha stage
 *	msft: t_ns node cnp|alpha|inc target rate alpha byte_stage time_stage
 * Only CNPs (and, in msft, that a byte event happened) are taken from it.  When
 * each timer is due and what target, rate, alpha and stage become is compared:
 * rates to half the last printed digit (5e-7 Gb/s), alpha to 5e-10, times exact.
 */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "cc/dcqcn.h"

enum {
	NODES = 256,
	PATH_BYTES = 1024
};

struct replay {
	struct rt_rp_params params;
	struct rt_rp rp[NODES];
	unsigned long lines;
	unsigned long events[4]; /* cnp, alpha, dec, inc */
	unsigned long byte_events;
	unsigned long bad;
	bool quiet;
};

struct line {
	uint64_t t_ps;
	unsigned node;
	char event[8];
	uint64_t target_bps; /* as printed: a multiple of 1000 */
	uint64_t rate_bps;
	double alpha;
	unsigned stage[2]; /* hpcc: the stage, unused; msft: bytes, time */
};

/* Decimal text to an integer in units of 10^-digits, without rounding. */
static uint64_t fixed(const char *text, unsigned digits)
{
	uint64_t value = 0;

	while (*text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	if (*text == '.')
		text++;
	for (; digits; digits--)
		value = value * 10 +
			(*text >= '0' && *text <= '9' ? (uint64_t)(*text++ - '0') : 0);
	return value;
}

/* The value of a key in config.txt, as text; false when there is none. */
static bool config(const char *dir, const char *key, char ret_text[64])
{
	char path[PATH_BYTES + 16], line[512], name[64], text[64];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/config.txt", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %63s", name, text) == 2 && !strcmp(name, key)) {
			memcpy(ret_text, text, sizeof(text));
			found = true;
		}
	fclose(file);
	return found;
}

static double config_number(const char *dir, const char *key)
{
	char text[64];

	if (!config(dir, key, text))
		fail_msg("%s: no %s in config.txt", dir, key);
	return atof(text); /* a unit such as Mb/s may follow */
}

static uint64_t config_us(const char *dir, const char *key)
{
	return (uint64_t)(config_number(dir, key) * 1000) * RT_PS_PER_NS;
}

static uint64_t config_mbps(const char *dir, const char *key)
{
	return (uint64_t)(config_number(dir, key) * 1e6);
}

/* Third line of topology.txt on: "from to RATEGbps delay errors". */
static uint64_t line_rate_bps(const char *dir)
{
	char path[PATH_BYTES + 16], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/topology.txt", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	for (unsigned word = 0; word < 7; word++)
		assert_int_equal(fscanf(file, "%63s", text), 1);
	fclose(file);
	assert_non_null(strstr(text, "Gbps"));
	return fixed(text, 9);
}

static void common_params(const char *dir, struct rt_rp_params *ret_params)
{
	*ret_params = (struct rt_rp_params){
		.line_rate_bps = line_rate_bps(dir),
		.ai_rate_bps = config_mbps(dir, "RATE_AI"),
		.hai_rate_bps = config_mbps(dir, "RATE_HAI"),
		.alpha_interval_ps = config_us(dir, "ALPHA_RESUME_INTERVAL"),
		.increase_interval_ps = config_us(dir, "RP_TIMER"),
		.cut_scale = 0.5,
		.fast_recovery = (uint32_t)config_number(dir, "FAST_RECOVERY_TIMES"),
	};
}

static void hpcc_params(const char *dir, struct rt_rp_params *params)
{
	common_params(dir, params);
	params->min_rate_bps = config_mbps(dir, "MIN_RATE");
	params->decrease_interval_ps = config_us(dir, "RATE_DECREASE_INTERVAL");
	params->decrease_offset_ps = RT_PS_PER_NS;
	params->g = config_number(dir, "EWMA_GAIN");
	params->rp_alpha = 1;
	params->reaction = RT_RP_MLX;
	params->increase = RT_RP_STAGES;
	params->clamp = config_number(dir, "CLAMP_TARGET_RATE") != 0
				? RT_RP_CLAMP_ALWAYS
				: RT_RP_CLAMP_AFTER_INCREASE;
	params->options = RT_RP_ALWAYS_ARMED;
}

static void msft_params(const char *dir, struct rt_rp_params *params)
{
	common_params(dir, params);
	params->min_rate_bps = 100000000;
	params->byte_counter_bytes = (uint64_t)config_number(dir, "BYTE_COUNTER");
	params->g = config_number(dir, "DCTCP_GAIN");
	params->rp_alpha = 0.5;
	params->reaction = RT_RP_ALPHA_FIRST;
	params->options = RT_RP_TARGET_EIGHTH | RT_RP_HYPER_HALF |
			  RT_RP_HYPER_BY_TIMER | RT_RP_TARGET_FREE;
	assert_true(config_number(dir, "CLAMP_TARGET_RATE") == 1);
}

static bool near(uint64_t ours_bps, uint64_t printed_bps)
{
	return ours_bps + 500 >= printed_bps && ours_bps <= printed_bps + 500;
}

static bool same_values(const struct rt_rp *rp, const struct line *line)
{
	const double off = rp->alpha - line->alpha;

	return near(rp->rate_bps, line->rate_bps) &&
	       near(rp->target_bps, line->target_bps) && off < 5.00001e-10 &&
	       off > -5.00001e-10;
}

/* Nothing of ours was due earlier: the log would have shown it. */
static bool nothing_missed(const struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t t_ps)
{
	return rp->mode == RT_RP_UNLIMITED ||
	       (rp->increase_at_ps >= t_ps && rp->decrease_at_ps >= t_ps &&
		rp->alpha_from_ps + params->alpha_interval_ps >= t_ps);
}

static bool replay_alpha(struct rt_rp *rp, const struct rt_rp_params *params,
			 uint64_t t_ps)
{
	const bool due = rp->alpha_from_ps + params->alpha_interval_ps == t_ps;

	rt_rp_alpha_until(rp, params, t_ps);
	return due;
}

static bool replay_hpcc(struct replay *replay, const struct line *line)
{
	struct rt_rp *rp = &replay->rp[line->node];
	unsigned stage = line->stage[0];
	bool good = nothing_missed(rp, &replay->params, line->t_ps);

	if (!strcmp(line->event, "cnp")) {
		replay->events[0]++;
		rt_rp_on_cnp(rp, &replay->params, line->t_ps);
	} else if (!strcmp(line->event, "alpha")) {
		replay->events[1]++;
		good &= replay_alpha(rp, &replay->params, line->t_ps);
	} else if (!strcmp(line->event, "dec")) {
		replay->events[2]++;
		good &= rp->decrease_at_ps == line->t_ps;
		rt_rp_on_decrease(rp, &replay->params, line->t_ps);
	} else {
		replay->events[3]++;
		good &= rp->increase_at_ps == line->t_ps;
		rt_rp_on_increase(rp, &replay->params, line->t_ps);
		stage++; /* printed before it is counted up */
	}
	return good && rp->timer_count == stage && same_values(rp, line);
}

/* A byte event: hand over what is missing to the next one. */
static void replay_bytes(struct replay *replay, struct rt_rp *rp)
{
	uint64_t due_bytes = replay->params.byte_counter_bytes;

	if (rp->phase == RT_RP_HYPER)
		due_bytes /= 2;
	replay->byte_events++;
	rt_rp_on_bytes_sent(rp, &replay->params, (uint32_t)(due_bytes - rp->bytes));
}

static bool replay_msft(struct replay *replay, const struct line *line)
{
	struct rt_rp *rp = &replay->rp[line->node];
	bool good = nothing_missed(rp, &replay->params, line->t_ps);

	if (!strcmp(line->event, "cnp")) {
		replay->events[0]++;
		rt_rp_on_cnp(rp, &replay->params, line->t_ps);
	} else if (!strcmp(line->event, "alpha")) {
		replay->events[1]++;
		good &= replay_alpha(rp, &replay->params, line->t_ps);
	} else {
		replay->events[3]++;
		if (line->stage[0] == rp->byte_count + 1u) {
			replay_bytes(replay, rp);
		} else {
			good &= rp->increase_at_ps == line->t_ps;
			rt_rp_on_increase(rp, &replay->params, line->t_ps);
		}
	}
	return good && rp->byte_count == line->stage[0] &&
	       rp->timer_count == line->stage[1] && same_values(rp, line);
}

static bool read_line(const char *text, bool hpcc, struct line *ret_line)
{
	unsigned long long t_ns;
	char target[24], rate[24], alpha[24];
	int n = sscanf(text, "%llu %u %7s %23s %23s %23s %u %u", &t_ns, &ret_line->node,
		       ret_line->event, target, rate, alpha, &ret_line->stage[0],
		       &ret_line->stage[1]);

	ret_line->t_ps = t_ns * RT_PS_PER_NS;
	ret_line->target_bps = fixed(target, 9);
	ret_line->rate_bps = fixed(rate, 9);
	ret_line->alpha = atof(alpha);
	return n == (hpcc ? 7 : 8) && ret_line->node < NODES;
}

static void replay_file(struct replay *replay, const char *dir, bool hpcc)
{
	char path[PATH_BYTES + 16], text[256];
	struct line line;
	FILE *file;

	snprintf(path, sizeof(path), "%s/qplog.txt", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(rt_rp_params_check(&replay->params, NULL), 0);
	for (unsigned node = 0; node < NODES; node++)
		rt_rp_init(&replay->rp[node], &replay->params);
	while (fgets(text, sizeof(text), file)) {
		bool good = read_line(text, hpcc, &line) &&
			    (hpcc ? replay_hpcc(replay, &line)
				  : replay_msft(replay, &line));

		replay->lines++;
		if (!good && replay->bad++ < 3 && !replay->quiet)
			print_message("# %s: differs at %s", dir, text);
	}
	fclose(file);
}

/* Every folder of form with a qplog.txt; g_scale spoils g when it is not 1. */
static void replay_form(const char *form, double g_scale, unsigned *ret_files,
			struct replay *total)
{
	static struct replay replay;
	char root[PATH_BYTES / 2], dir[PATH_BYTES];
	bool hpcc = !strcmp(form, "hpcc");
	struct dirent *entry;
	DIR *listing;

	snprintf(root, sizeof(root), "%s/sim-reference/%s", rt_test_shared(), form);
	RT_NEED_SHARED(root);
	listing = opendir(root);
	assert_non_null(listing);
	while ((entry = readdir(listing))) {
		snprintf(dir, sizeof(dir), "%s/%s/qplog.txt", root, entry->d_name);
		if (access(dir, R_OK) != 0)
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", root, entry->d_name);
		memset(&replay, 0, sizeof(replay));
		(hpcc ? hpcc_params : msft_params)(dir, &replay.params);
		replay.params.g *= g_scale;
		replay.quiet = g_scale != 1;
		replay_file(&replay, dir, hpcc);
		print_message("# %s: %lu lines, %lu differ\n", entry->d_name,
			      replay.lines, replay.bad);
		++*ret_files;
		total->lines += replay.lines;
		total->bad += replay.bad;
		total->byte_events += replay.byte_events;
		for (unsigned i = 0; i < 4; i++)
			total->events[i] += replay.events[i];
	}
	closedir(listing);
	print_message("# %s: %u files, %lu lines (%lu CNPs, %lu alpha, %lu cuts, "
		      "%lu increases, %lu of them by bytes), %lu differ\n",
		      form, *ret_files, total->lines, total->events[0],
		      total->events[1], total->events[2], total->events[3],
		      total->byte_events, total->bad);
}

static void test_replay_hpcc_logs_line_by_line(void **state)
{
	static struct replay total;
	unsigned files = 0;

	(void)state;
	replay_form("hpcc", 1, &files, &total);
	assert_true(files > 0 && total.lines > 0);
	for (unsigned i = 0; i < 4; i++)
		assert_true(total.events[i] > 0);
	assert_int_equal(total.bad, 0);
}

static void test_replay_msft_logs_line_by_line(void **state)
{
	static struct replay total;
	unsigned files = 0;

	(void)state;
	replay_form("msft", 1, &files, &total);
	assert_true(files > 0 && total.lines > 0);
	assert_true(total.events[0] && total.events[1] && total.events[3]);
	assert_true(total.byte_events > 0);
	assert_int_equal(total.bad, 0);
}

/* The comparison is sharp: g one part in a million off is seen. */
static void test_replay_notices_a_wrong_g(void **state)
{
	static struct replay total;
	unsigned files = 0;

	(void)state;
	replay_form("msft", 1.000001, &files, &total);
	assert_true(files > 0);
	assert_true(total.bad > 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_replay_hpcc_logs_line_by_line),
	     cmocka_unit_test(test_replay_msft_logs_line_by_line),
	     cmocka_unit_test(test_replay_notices_a_wrong_g))
