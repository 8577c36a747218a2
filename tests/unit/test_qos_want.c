/* SPDX-License-Identifier: BSD-2-Clause */
/* test_qos_want.c - what profiles ask of a host's port. */
#include "profiles.h"

#include <errno.h>

#include "base/own.h"
#include "model/qos.h"

static const struct rt_qos_port mlx5_400g = { .driver = "mlx5",
					      .speed_bps = { 400000000000, true },
					      .pfc_cap = { 8, true } };

/* The text of one knob of what is wanted. */
static const char *wanted(const struct rt_qos_want *want, const char *knob,
			  char buf[RT_KNOB_TEXT_BYTES])
{
	const struct rt_knob *row = rt_knob_find(knob);

	assert_non_null(row);
	return rt_knob_format(row, &want->qos.knobs[row - rt_knobs], buf);
}

struct expected {
	const char *knob, *text;
};

static void check_knobs(const struct rt_qos_want *want, const struct expected *rows)
{
	char buf[RT_KNOB_TEXT_BYTES];

	for (; rows->knob; rows++) {
		print_message("# %s: %s\n", rows->knob, wanted(want, rows->knob, buf));
		assert_string_equal(buf, rows->text);
	}
}

static void read_and_want(const char *path, const struct rt_qos_port *port,
			  struct rt_qos_want *ret_want, struct rt_profile **ret_profile)
{
	struct rt_err err = { 0 };

	if (rt_profile_read(path, &shipped_search, NULL, ret_profile, &err) < 0 ||
	    rt_qos_want(*ret_profile, port, ret_want, &err) < 0)
		fail_msg("%s: %s", path, err.msg);
}

static void test_shipped_profiles(void **state)
{
	static const struct {
		const char *name, *driver;
		struct expected rows[12];
		size_t notes;
	} cases[] = {
		{ "roce-base",
		  NULL,
		  { { "trust", "dscp" },
		    { "dcbx.owner", "host" },
		    { "dcbx.willing", "off" },
		    { "pause.rx", "off" },
		    { "pause.tx", "off" },
		    { "dscp_prio", "unknown" },
		    { "pfc.mask", "unknown" } },
		  0 },
		{ "nvidia-lossless-400g",
		  "mlx5",
		  { { "dscp_prio", "0-23:0 24-31:3 32-47:0 48-55:6 56-63:0" },
		    { "pfc.mask", "3" },
		    { "ets.prio_tc", "0:0 3:3 6:6" },
		    { "ets.tsa", "0:ets 3:ets 6:strict" },
		    { "ets.bw", "0:50 1-2:0 3:50 4-7:0" },
		    { "pause_storm_timeout", "100ms" },
		    { "cc.np.cnp_dscp", "48" },
		    { "cc.np.cnp_interval", "unknown" },
		    { "cc.rp.ai", "unknown" },
		    { "tos.tclass", "unknown" } },
		  1 }, /* eight DSCPs: which one is the applications' choice */
		{ "azure-sonic",
		  NULL,
		  { { "dscp_prio", "3:3 4:4" },
		    { "pfc.mask", "3 4" },
		    { "ets.prio_tc", "3:3 4:4" },
		    { "ets.bw", "0-2:14 3-4:15 5-6:14 7:0" } },
		  5 }, /* classes without a priority */
		{ "dell-sonic",
		  "bnxt_re",
		  { { "dscp_prio", "4:4 24:3 26:3" },
		    { "pfc.mask", "3 4" },
		    { "ets.tsa", "0:ets 3-4:ets 6:strict" },
		    /* 50:50:50 rounded so that it sums to 100 */
		    { "ets.bw", "0:34 1-2:0 3-4:33 5-7:0" } },
		  2 },
		{ "juniper-qfx5240",
		  NULL,
		  { { "dscp_prio", "26:3" },
		    { "pfc.mask", "3" },
		    { "ets.prio_tc", "unknown" },
		    { "ets.tsa", "unknown" },
		    { "max_rate", "unknown" } },
		  4 },
		{ "lossy-multi-tc-400g",
		  "mlx5",
		  { { "pfc.mask", "none" },
		    { "dscp_prio", "unknown" },
		    { "ets.bw", "0:4 1:8 2:19 3-5:23 6-7:0" } },
		  6 },
		{ "hpcc-25g",
		  "mlx5",
		  { { "dscp_prio", "0-25:0 26:3 27-63:0" },
		    { "cc.rp.g", "1/256" },
		    { "cc.rp.rate_timer", "300us" },
		    { "cc.rp.min_rate", "1Gb/s" },
		    { "cc.rp.byte_counter", "off" },
		    { "ets.bw", "unknown" } },
		  0 },
		{ "dcqcn-paper-40g",
		  "mlx5",
		  { { "cc.np.cnp_interval", "50us" },
		    { "cc.rp.initial_alpha", "1" },
		    { "cc.rp.byte_counter", "10MB" },
		    { "cc.rp.ai", "40Mb/s" } },
		  0 },
		{ "intel-e810-100g",
		  "irdma",
		  { { "pfc.mask", "unknown" },
		    { "dscp_prio", "unknown" },
		    { "ets.prio_tc", "0:0" },
		    { "cc.algorithm", "dcqcn" } },
		  1 },
		{ "thor2-400g-sonic",
		  "bnxt_re",
		  { { "cc.algorithm", "dcqcn-p" },
		    { "cc.np.cnp_prio", "7" },
		    { "dscp_prio", "4:4 24:3 26:3 48:7" },
		    { "tos.data_dscp", "unknown" },
		    { "tos.rdma_cm", "unknown" } },
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_qos_port port = { .driver = cases[i].driver,
						  .speed_bps = { 400000000000, true } };
		struct rt_profile *profile = NULL;
		struct rt_qos_want want;

		print_message("# %s\n", cases[i].name);
		read_and_want(cases[i].name, &port, &want, &profile);
		check_knobs(&want, cases[i].rows);
		for (size_t n = 0; n < want.note_count; n++)
			print_message("# note %s: %s\n", want.notes[n].param,
				      want.notes[n].text);
		assert_int_equal(want.note_count, cases[i].notes);
		rt_profile_free(profile);
	}
}

static void test_every_shipped_profile_is_understood(void **state)
{
	static const char *const names[] = {
		"azure-sonic",
		"cx7-400g-eos",
		"dcqcn-paper-40g",
		"dell-sonic",
		"hpcc-100g",
		"hpcc-25g",
		"intel-e810-100g",
		"juniper-qfx5240",
		"lossy-multi-tc-400g",
		"lossy-multi-tc-800g",
		"nvidia-lossless-100g",
		"nvidia-lossless-200g",
		"nvidia-lossless-400g",
		"roce-base",
		"thor2-400g-sonic",
	};
	static const char *const drivers[] = { "mlx5", "bnxt_re", "irdma", NULL };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++)
		for (size_t d = 0; d < RT_ARRAY_SIZE(drivers); d++) {
			const struct rt_qos_port port = { .driver = drivers[d] };
			struct rt_profile *profile = NULL;
			struct rt_qos_want want;
			uint64_t sum = 0;

			read_and_want(names[i], &port, &want, &profile);
			for (unsigned tc = 0; tc < 8; tc++)
				sum += want.qos.knobs[RT_KNOB_ETS_BW].number[tc];
			if (want.qos.knobs[RT_KNOB_ETS_BW].known)
				assert_int_equal(sum, 100);
			assert_true(want.qos.knobs[RT_KNOB_TRUST].known);
			rt_profile_free(profile);
		}
}

/* The two profiles that operators wanted to be able to write. */
static void test_examples(void **state)
{
	static const struct expected eos[] = {
		{ "dscp_prio", "0-25:0 26:3 27-39:0 40:5 41-47:0 48:6 49-63:0" },
		{ "pfc.mask", "3" },
		{ "pfc.cable", "3m" },
		{ "ets.prio_tc", "0:1 3:3 5:5 6:6" },
		{ "ets.tsa", "1:ets 3:ets 5-6:strict" },
		{ "ets.bw", "0:0 1:10 2:0 3:90 4-7:0" },
		{ "max_rate", "6:20Gb/s" },
		{ "tos.tclass", "106" },
		{ "tos.rdma_cm", "106" },
		{ "cc.np.cnp_interval", "4us" },
		{ 0 },
	};
	static const struct expected thor[] = {
		{ "dscp_prio", "0-25:0 26:3 27-33:0 34:4 35-47:0 48:7 49-63:0" },
		{ "pfc.mask", "3 4" },
		{ "ets.prio_tc", "0:0 3:3 4:4 7:6" },
		{ "ets.bw", "0:10 1-2:0 3:60 4:30 5-7:0" },
		{ "max_rate", "6:4Gb/s" },
		{ "dcbx.willing", "off" },
		{ "pause.tx", "off" },
		{ "cc.algorithm", "dcqcn-p" },
		{ "tos.data_dscp", "unknown" },
		{ 0 },
	};
	static const struct rt_qos_port bnxt = { .driver = "bnxt_re",
						 .speed_bps = { 400000000000, true } };
	struct rt_profile *profile = NULL;
	struct rt_qos_want want;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/examples/cx7-400g-eos.yaml", rt_test_shared());
	RT_NEED_SHARED(path);
	read_and_want(path, &mlx5_400g, &want, &profile);
	check_knobs(&want, eos);
	rt_profile_free(profile);

	snprintf(path, sizeof(path), "%s/examples/thor2-400g-sonic.yaml",
		 rt_test_shared());
	read_and_want(path, &bnxt, &want, &profile);
	check_knobs(&want, thor);
	assert_int_equal(want.qos.raw_count, 2);
	assert_string_equal(want.qos.raw[0].name, "cc_mode");
	assert_int_equal(want.raw_place[1].line, want.raw_place[0].line);
	rt_profile_free(profile);
}

/* Unset, keep, auto and a value are four things; only values are wanted. */
static void test_states(void **state)
{
	static const struct {
		const char *label, *text;
		struct expected rows[4];
		size_t notes;
	} cases[] = {
		{ "unset", "host: {trust: dscp}\n", { { "cc.rp.ai", "unknown" } }, 0 },
		{ "keep",
		  "host: {trust: keep, cc: {rp: {ai: keep}}}\n",
		  { { "trust", "unknown" }, { "cc.rp.ai", "unknown" } },
		  0 },
		{ "buffers auto",
		  "host: {trust: dscp, buffers: auto}\n",
		  { { "buffer.size", "unknown" } },
		  1 },
		{ "buffers keep",
		  "host: {trust: dscp, buffers: keep}\n",
		  { { "buffer.size", "unknown" } },
		  0 },
		{ "buffers",
		  "host: {trust: dscp, buffers: [20KB, 200KB]}\n",
		  { { "buffer.size", "0:20KB 1:200KB" } },
		  0 },
		{ "cable auto",
		  "switch: {roles: {host: {cable: 5m}}}\nhost: {cable: auto}\n",
		  { { "pfc.cable", "5m" } },
		  0 },
		{ "trust pcp",
		  "classes: {a: {dscp: [26], prio: 3, lossless: yes}}\n"
		  "host: {trust: pcp}\n",
		  { { "trust", "pcp" },
		    { "dscp_prio", "unknown" },
		    { "pfc.mask", "3" } },
		  1 },
		{ "lossless keep",
		  "classes: {a: {dscp: [26], prio: 3, lossless: keep}}\n"
		  "host: {trust: dscp}\n",
		  { { "pfc.mask", "unknown" }, { "dscp_prio", "26:3" } },
		  1 },
		{ "tc auto",
		  "classes: {a: {dscp: [26], prio: 3, tc: auto}}\nhost: {trust: "
		  "dscp}\n",
		  { { "ets.prio_tc", "3:3" } },
		  0 },
		{ "tc beyond the NIC",
		  "classes: {a: {prio: 3, tc: 9}}\n",
		  { { "ets.prio_tc", "unknown" } },
		  2 }, /* and trust is not said */
		{ "share of an unknown speed",
		  "classes: {a: {prio: 3, tc: 3, sched: {max: 5%}}}\n",
		  { { "max_rate", "unknown" } },
		  2 },
		{ "ranks that the NIC serves the other way round",
		  "classes: {a: {tc: 3, sched: {strict: 1}},"
		  " b: {tc: 5, sched: {strict: 2}}}\nhost: {trust: dscp}\n",
		  { { "ets.tsa", "3:strict 5:strict" }, { "ets.bw", "3:0 5:0" } },
		  1 },
		{ "percents and weights",
		  "classes: {a: {tc: 0, sched: {ets: 40}}, b: {tc: 1, sched: {dwrr: "
		  "2}},"
		  " c: {tc: 2, sched: {dwrr: 1}}}\nhost: {trust: dscp}\n",
		  { { "ets.bw", "0-1:40 2:20 3-7:0" } },
		  0 },
		{ "rdma_cm",
		  "classes: {a: {dscp: [26], prio: 3, ect: nic}}\n"
		  "app: {scope: [verbs, rdma_cm]}\nhost: {trust: dscp}\n",
		  { { "tos.rdma_cm", "106" }, { "tos.tclass", "unknown" } },
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile = good_profile(cases[i].text);
		struct rt_qos_port port = { 0 };
		struct rt_qos_want want;
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		if (rt_qos_want(profile, &port, &want, &err) < 0)
			fail_msg("%s", err.msg);
		check_knobs(&want, cases[i].rows);
		assert_int_equal(want.note_count, cases[i].notes);
		rt_profile_free(profile);
	}
}

static void test_places(void **state)
{
	struct rt_profile *profile = good_profile(
		"classes:\n  a: {dscp: [26], prio: 3, lossless: yes}\n"
		"host:\n  trust: dscp\n  cc: {raw: {mlx5: {rp_gd: 11}}}\n");
	struct rt_qos_want want;

	(void)state;
	assert_int_equal(rt_qos_want(profile, &mlx5_400g, &want, NULL), 0);
	assert_int_equal(want.place[RT_KNOB_DSCP_PRIO].line, 2);
	assert_int_equal(want.place[RT_KNOB_PFC_MASK].line, 2);
	assert_int_equal(want.place[RT_KNOB_TRUST].line, 4);
	assert_int_equal(want.place[RT_KNOB_PFC_CABLE].line, 0);
	assert_int_equal(want.qos.raw_count, 1);
	assert_int_equal(want.raw_place[0].line, 5);
	assert_int_equal(want.qos.raw[0].number, 11);
	rt_profile_free(profile);
}

static void test_contradictions(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "classes: {a: {dscp: [26], prio: 3}, b: {dscp: [26], prio: 4}}\n"
		  "host: {trust: dscp}\n",
		  "class b wants dscp_prio[26] to be 4, class a" },
		{ "classes: {a: {prio: 3, tc: 3}, b: {prio: 3, tc: 4}}\n",
		  "class b wants ets.prio_tc[3] to be 4, class a" },
		{ "classes: {a: {tc: 3, sched: {ets: 50}},"
		  " b: {tc: 3, sched: {strict: 1}}}\n",
		  "class b wants ets.tsa[3] to be 0, class a" },
		{ "classes: {a: {tc: 3, sched: {dwrr: 50}},"
		  " b: {tc: 3, sched: {dwrr: 20}}}\n",
		  "want different shares of it" },
		{ "classes: {a: {tc: 3, sched: {max: 1G}},"
		  " b: {tc: 3, sched: {max: 2G}}}\n",
		  "class b wants max_rate[3] to be 2000000000, class a" },
		{ "host: {cc: {raw: {mlx5: {rp_gd: eleven}}}}\n",
		  "rp_gd: 'eleven' is no whole number" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile = good_profile(cases[i].text);
		struct rt_qos_want want = { .note_count = 77 };
		struct rt_err err = { 0 };

		assert_int_equal(rt_qos_want(profile, &mlx5_400g, &want, &err),
				 -EINVAL);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, cases[i].says));
		assert_non_null(strstr(err.msg, "t.yaml:1:"));
		assert_int_equal(want.note_count, 77);
		rt_profile_free(profile);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_shipped_profiles),
	     cmocka_unit_test(test_every_shipped_profile_is_understood),
	     cmocka_unit_test(test_examples), cmocka_unit_test(test_states),
	     cmocka_unit_test(test_places), cmocka_unit_test(test_contradictions))
