/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_host_read.c - what every driver's rows make of what is there: files of
 * vendors' own packages and of kernels to come, texts that are no value, units.
 */
#include "plans.h"

#include <errno.h>

#include "base/own.h"
#include "host/access.h"

#define OFED "/sys/class/net/eth0/"
#define OOT  "/sys/kernel/config/bnxt_re/mlx4_0"
#define MOD  "/sys/module/irdma/parameters/"
#define IRD  "/sys/kernel/config/irdma/irdma0"
#define ION  "/sys/kernel/debug/ionic/0000:3b:00.0/dcqcn/"
#define HNS  "/sys/class/infiniband/hns_0/ports/1/"
#define QED  "/sys/module/qed/parameters/"

struct expected {
	const char *knob;
	const char *text; /* NULL: unknown, and why says: */
	const char *why;
};

struct reading {
	const char *label;
	/* Whose files stand around, and (when it is another) who drives the port. */
	const char *personality, *kernel_driver;
	struct {
		const char *path, *text;
		enum rt_fake_file_kind kind;
	} files[24];
	struct expected knobs[16];
	struct {
		const char *name;
		int64_t number; /* -1: unknown */
	} raw[8];
};

static const struct reading readings[] = {
	{ "mlx5 of the kernel",
	  "mlx5",
	  NULL,
	  { { 0 } },
	  { { "trust", "pcp", NULL },
	    { "pfc.cap", "8", NULL },
	    { "pfc.cable", "7m", NULL },
	    { "ets.prio_tc", "0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7", NULL },
	    { "dcbx.owner", "host", NULL },
	    { "dcbx.willing", "off", NULL },
	    { "buffer.auto", NULL, "does not tell whether sizes were set by hand" },
	    { "cc.rp.g", "0.004882813", NULL }, /* 5/1024 */
	    { "cc.rp.initial_alpha", "0.999023438", NULL },
	    { "cc.rp.rate_timer", "300us", NULL },
	    { "cc.rp.ai", "5Mb/s", NULL },
	    { "cc.rp.min_dec", "50%", NULL },
	    { "cc.np.enable", NULL, "this driver or its version has it not" },
	    { "cc.algorithm", NULL, "ROCE_CC_LEGACY_DCQCN" },
	    { "tos.tclass", NULL, "not forced" },
	    { "tos.rdma_cm", NULL, "its configfs folder is not made" } },
	  { { "rp_gd", 11 }, { "np_cnp_prio_mode", 1 } } },
	{ "mlx5 of NVIDIA's package",
	  "mlx4",
	  "mlx5_core",
	  { { OFED "qos/trust", "dscp\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_np/cnp_dscp", "48\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/min_time_between_cnps", "4\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/dce_tcp_g", "1020\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/rpg_ai_rate", "10\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/rpg_gd", "10\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/0", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/1", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/2", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/3", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/4", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/5", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/6", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_np/enable/7", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/0", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/1", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/2", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/3", "1\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/4", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/5", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/6", "0\n", RT_FAKE_NUMBER },
	    { OFED "ecn/roce_rp/enable/7", "0\n", RT_FAKE_NUMBER },
	    { "/sys/class/infiniband/mlx4_0/tc/1/traffic_class", "Global tclass=106\n",
	      RT_FAKE_TEXT } },
	  { { "trust", "dscp", NULL },
	    { "cc.np.cnp_dscp", "48", NULL },
	    { "cc.np.cnp_interval", "4us", NULL },
	    { "cc.rp.g", "1/256", NULL },
	    { "cc.rp.ai", "10Mb/s", NULL },
	    { "cc.np.enable", "on", NULL },
	    { "cc.rp.enable", NULL, "on for some priorities only: 3" },
	    { "tos.tclass", "106", NULL } },
	  { { "rp_gd", 10 }, { "np_cnp_prio_mode", -1 } } },
	{ "texts that are no value",
	  "mlx4",
	  "mlx5_core",
	  { { OFED "qos/trust", "both of them\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_np/cnp_dscp", "N/A (no PMA)\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_np/min_time_between_cnps", "4 us\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/dce_tcp_g", "70000\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/rpg_ai_rate", "18446744073709551615\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/rpg_hai_rate", "0x32\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/rpg_threshold", "-1\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/rpg_min_rate", "\n", RT_FAKE_TEXT },
	    { OFED "ecn/roce_rp/rpg_time_reset", "  0300  \n", RT_FAKE_TEXT },
	    { "/sys/class/infiniband/mlx4_0/tc/1/traffic_class", "Global tclass=4096\n",
	      RT_FAKE_TEXT } },
	  { { "trust", NULL, "trust says 'both of them'" },
	    { "cc.np.cnp_dscp", NULL, "which is no number" },
	    { "cc.np.cnp_interval", NULL, "'4 us', which is no number" },
	    { "cc.rp.g", NULL, "dce_tcp_g is 70000, which is no value of it" },
	    { "cc.rp.ai", NULL, "which is no value of it" },
	    { "cc.rp.hai", "50Mb/s", NULL },
	    { "cc.rp.fast_recovery", NULL, "'-1', which is no number" },
	    { "cc.rp.min_rate", NULL, "which is no number" },
	    { "cc.rp.rate_timer", "300us", NULL },
	    { "tos.tclass", NULL, "holds no byte" } },
	  { { 0 } } },
	{ "bnxt of the kernel",
	  "bnxt",
	  NULL,
	  { { 0 } },
	  { { "pfc.mask", "none", NULL },
	    { "cc.algorithm", "dcqcn-p", NULL },
	    { "cc.rp.enable", "on", NULL },
	    { "cc.np.cnp_dscp", "48", NULL },
	    { "cc.np.cnp_prio", "7", NULL },
	    { "tos.data_dscp", "0", NULL },
	    { "tos.data_prio", "none", NULL },
	    { "pause_storm_timeout", NULL, "no pause storm prevention" },
	    { "max_rate", NULL, "niccli can" } },
	  { { "run_avg_weight_g", 6 }, { "tos_ecn", 1 }, { "time_pph", -1 } } },
	{ "bnxt of Broadcom's package, its folder made",
	  "mlx4",
	  "bnxt_en",
	  { { OOT "/ports/1/cc/cc_mode", "0x0\n", RT_FAKE_TEXT },
	    { OOT "/ports/1/cc/cnp_dscp", "0x2e\n", RT_FAKE_TEXT },
	    { OOT "/ports/1/cc/roce_dscp", "0x1a\n", RT_FAKE_TEXT },
	    { OOT "/ports/1/cc/min_time_bet_cnp", "0x32\n", RT_FAKE_TEXT },
	    { OOT "/ports/1/cc/ecn_marking", "0x1\n", RT_FAKE_TEXT },
	    { OOT "/ports/1/cc/time_pph", "0x7\n", RT_FAKE_TEXT } },
	  { { "cc.algorithm", "dcqcn-d", NULL },
	    { "cc.np.cnp_dscp", "46", NULL },
	    { "tos.data_dscp", "26", NULL },
	    { "cc.np.cnp_interval", "50us", NULL } },
	  { { "tos_ecn", 1 }, { "time_pph", 7 } } },
	{ "irdma of the kernel",
	  "ice",
	  NULL,
	  { { 0 } },
	  { { "dcbx.owner", "host", NULL },
	    { "dcbx.willing", "off", NULL },
	    { "ets.cap", "4", NULL },
	    { "cc.rp.enable", NULL, "the kernel's irdma has no DCQCN" },
	    { "cc.algorithm", NULL, "the kernel's irdma has no DCQCN" } },
	  { { "dcqcn_cc_cfg_valid", -1 } } },
	{ "irdma of Intel's package",
	  "ice",
	  NULL,
	  { { MOD "dcqcn_enable", "Y\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_cc_cfg_valid", "Y\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_F", "5\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_T", "55\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_B", "150000\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_min_dec_factor", "1\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_rai_factor", "1\n", RT_FAKE_TEXT } },
	  { { "cc.rp.enable", "on", NULL },
	    { "cc.algorithm", "dcqcn", NULL },
	    { "cc.rp.fast_recovery", "5", NULL },
	    { "cc.rp.rate_timer", "55us", NULL },
	    { "cc.rp.byte_counter", "150KB", NULL },
	    { "cc.rp.min_dec", "1%", NULL },
	    { "cc.rp.ai", NULL, "the kernel's irdma has no DCQCN" } },
	  { { "dcqcn_rai_factor", 1 }, { "dcqcn_cc_cfg_valid", 1 } } },
	{ "irdma's parameters that its module ignores, and the switch that is off",
	  "ice",
	  NULL,
	  { { MOD "dcqcn_cc_cfg_valid", "N\n", RT_FAKE_TEXT },
	    { MOD "dcqcn_T", "55\n", RT_FAKE_TEXT },
	    { IRD "/roce_dcqcn_enable", "0\n", RT_FAKE_NUMBER },
	    { IRD "/roce_timely_enable", "1\n", RT_FAKE_NUMBER } },
	  { { "cc.rp.rate_timer", NULL, "dcqcn_cc_cfg_valid is 0" },
	    { "cc.rp.enable", "off", NULL },
	    { "cc.algorithm", "timely", NULL } },
	  { { "roce_timely_enable", 1 } } },
	{ "hns_roce of openEuler",
	  "hns3",
	  NULL,
	  { { HNS "dcqcn_cc_param/ai", "6\n", RT_FAKE_TEXT },
	    { HNS "dip_cc_param/ai", "7\n", RT_FAKE_TEXT },
	    { HNS "ldcp_cc_param/cwd0", "9\n", RT_FAKE_TEXT } },
	  { { "cc.rp.ai", NULL, "units are not documented" },
	    { "trust", "pcp", NULL } },
	  { { "dcqcn_ai", 6 },
	    { "dip_ai", 7 },
	    { "ldcp_cwd0", 9 },
	    { "hc3_max_stage", -1 } } },
	{ "ionic of the kernel",
	  "ionic",
	  NULL,
	  { { 0 } },
	  { { "pfc.mask", NULL, "nicctl update qos pfc" },
	    { "dscp_prio", NULL, "nicctl update qos dscp-to-priority" },
	    { "ets.bw", NULL, "nicctl update qos scheduling" },
	    { "cc.rp.ai", NULL, "nicctl update dcqcn" },
	    { "pause.rx", "on", NULL } },
	  { { 0 } } },
	{ "ionic of the patches",
	  "ionic",
	  NULL,
	  { { ION "match_default", "1\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_np/cnp_dscp", "46\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_rp/dce_tcp_rtt", "2\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_rp/time_reset", "100\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_rp/initial_alpha_value", "64\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_rp/ai_rate", "160\n", RT_FAKE_TEXT } },
	  { { "cc.np.cnp_dscp", "46", NULL },
	    { "cc.rp.alpha_timer", "2us", NULL },
	    { "cc.rp.rate_timer", "200us", NULL },
	    { "cc.rp.initial_alpha", "1/16", NULL },
	    { "cc.rp.ai", NULL, "" } },
	  { { "ai_rate", 160 }, { "time_reset", 100 } } },
	{ "ionic, another profile in use",
	  "ionic",
	  NULL,
	  { { ION "match_default", "2\n", RT_FAKE_TEXT },
	    { ION "profiles/1/roce_np/cnp_dscp", "46\n", RT_FAKE_TEXT } },
	  { { "cc.np.cnp_dscp", NULL, "another DCQCN profile" } },
	  { { "match_default", 2 } } },
	{ "qedr of Marvell's package",
	  "cxgb4",
	  "qede",
	  { { QED "dcqcn_enable", "1\n", RT_FAKE_TEXT },
	    { QED "dcqcn_reaction_point", "1\n", RT_FAKE_TEXT },
	    { QED "dcqcn_notification_point", "0\n", RT_FAKE_TEXT },
	    { QED "dcqcn_rl_r_ai", "40\n", RT_FAKE_TEXT },
	    { QED "dcqcn_k_us", "55\n", RT_FAKE_TEXT } },
	  { { "cc.algorithm", "dcqcn", NULL },
	    { "cc.rp.enable", "on", NULL },
	    { "cc.np.enable", "off", NULL },
	    { "cc.rp.ai", "40Mb/s", NULL },
	    { "cc.rp.alpha_timer", "55us", NULL },
	    { "dscp_prio", NULL, "cannot delete them" } },
	  { { "dcqcn_gd", -1 } } },
	{ "cxgb4",
	  "cxgb4",
	  NULL,
	  { { 0 } },
	  { { "pfc.cap", "8", NULL },
	    { "ets.cap", "8", NULL },
	    { "cc.rp.enable", NULL, "the adapter's TCP" } },
	  { { 0 } } },
};

static void check_knob(const struct rt_qos *qos, const struct expected *expected)
{
	const struct rt_knob *row = rt_knob_find(expected->knob);
	char buf[RT_KNOB_TEXT_BYTES];
	const struct rt_knob_value *value;

	if (!row)
		fail_msg("no knob %s", expected->knob);
	value = &qos->knobs[row - rt_knobs];
	print_message("# %s: %s (%s)\n", row->name, rt_knob_format(row, value, buf),
		      value->why);
	assert_string_equal(buf, expected->text ? expected->text : "unknown");
	if (!expected->text && !strstr(value->why, expected->why))
		fail_msg("'%s' does not say '%s'", value->why, expected->why);
}

static void test_readings(void **state)
{
	static struct rt_qos qos;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(readings); i++) {
		const struct reading *item = &readings[i];
		struct fake_host host;

		print_message("# --- %s\n", item->label);
		fake_host_open(item->personality, &host);
		if (item->kernel_driver)
			host.port.driver = rt_driver_find(item->kernel_driver);
		for (size_t f = 0; f < 24 && item->files[f].path; f++)
			assert_non_null(rt_fake_add_file(host.fake, item->files[f].path,
							 item->files[f].kind,
							 item->files[f].text));
		fake_host_read(&host, &qos);
		for (size_t k = 0; k < 16 && item->knobs[k].knob; k++)
			check_knob(&qos, &item->knobs[k]);
		for (size_t r = 0; r < 8 && item->raw[r].name; r++) {
			const struct rt_raw_value *raw = rt_qos_raw(&qos,
								    item->raw[r].name);

			assert_non_null(raw);
			assert_int_equal(raw->known, item->raw[r].number >= 0);
			if (raw->known)
				assert_int_equal(raw->number, item->raw[r].number);
		}
		fake_host_close(&host);
	}
}

/* Broadcom's folder: hexadecimal numbers, one `apply` after all of them. */
static void test_bnxt_configfs_is_written_in_hexadecimal(void **state)
{
	static const char *const wants[] = { "cc.np.cnp_dscp=26", "cc.np.cnp_prio=6",
					     NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want, now;
	struct fake_host host;

	(void)state;
	fake_host_open("mlx4", &host);
	host.port.driver = rt_driver_find("bnxt_en");
	assert_non_null(rt_fake_add_file(host.fake, OOT "/ports/1/cc/cnp_dscp",
					 RT_FAKE_HEX, "0x30\n"));
	assert_non_null(rt_fake_add_file(host.fake, OOT "/ports/1/cc/cnp_prio",
					 RT_FAKE_STAGED, "7\n"));
	assert_non_null(rt_fake_add_file(host.fake, OOT "/ports/1/cc/apply",
					 RT_FAKE_APPLY, ""));
	fake_host_read(&host, &have);
	want_texts(wants, &want);
	make_plan(&host.port, &have, &want, &plan);
	show_plan(&host.port, &plan);
	assert_int_equal(plan.step_count, 1);
	assert_int_equal(rt_step_write(&host.port, &plan, &plan.steps[0], NULL), 0);
	fake_host_read(&host, &now);
	assert_int_equal(now.knobs[RT_KNOB_NP_CNP_DSCP].number[0], 26);
	assert_int_equal(now.knobs[RT_KNOB_NP_CNP_PRIO].number[0], 6);
	fake_host_close(&host);
}

/* Module parameters are shown, and how they are set by hand is said. */
static void test_read_only_rows_say_how_by_hand(void **state)
{
	static const char *const wants[] = { "cc.rp.rate_timer=120us", NULL };
	static struct rt_plan plan;
	static struct rt_qos have, want;
	struct fake_host host;

	(void)state;
	fake_host_open("ice", &host);
	assert_non_null(
		rt_fake_add_file(host.fake, MOD "dcqcn_T", RT_FAKE_TEXT, "55\n"));
	fake_host_read(&host, &have);
	want_texts(wants, &want);
	make_plan(&host.port, &have, &want, &plan);
	assert_int_equal(plan.step_count, 0);
	assert_int_equal(plan.missing_count, 1);
	assert_non_null(strstr(plan.missing[0].why, "options irdma dcqcn_T=120 "));
	fake_host_close(&host);
}

static void test_two_entries_of_one_dscp(void **state)
{
	static struct rt_qos qos;
	struct fake_host host;

	(void)state;
	fake_host_open("bnxt", &host);
	host.state->dcb.app.count = 3;
	host.state->dcb.app.items[0] = (struct rt_dcb_app){ RT_APP_DSCP, 3, 26 };
	host.state->dcb.app.items[1] = (struct rt_dcb_app){ RT_APP_DSCP, 4, 26 };
	host.state->dcb.app.items[2] = (struct rt_dcb_app){ RT_APP_DSCP, 6, 48 };
	fake_host_read(&host, &qos);
	assert_int_equal(qos.knobs[RT_KNOB_DSCP_PRIO].known, ~(1ull << 26));
	assert_int_equal(qos.knobs[RT_KNOB_DSCP_PRIO].small[48], 6);
	assert_string_equal(qos.knobs[RT_KNOB_DSCP_PRIO].why,
			    "DSCP 26 has two priorities");
	fake_host_close(&host);
}

static void test_no_driver(void **state)
{
	static struct rt_qos qos;
	struct fake_host host;
	struct rt_err err = { 0 };

	(void)state;
	fake_host_open("mlx5", &host);
	host.port.driver = NULL;
	assert_int_equal(rt_host_read(&host.port, &qos, &err), -EOPNOTSUPP);
	assert_null(rt_driver_find("e1000e"));
	fake_host_close(&host);
}

/* --- the tables ------------------------------------------------------------------------- */

static bool has_stand_in(const char *text, const char *word)
{
	return strstr(text, word) != NULL;
}

static void check_row(const struct rt_driver *driver, const struct rt_driver_row *row)
{
	const char *name = row->raw ? row->raw : rt_knobs[row->knob].name;
	const bool is_file = strcmp(row->access->interface, "dcbnl") != 0 &&
			     strcmp(row->access->interface, "ethtool") != 0;

	if (!row->source || !*row->source)
		fail_msg("%s %s: no source", driver->name, name);
	if (is_file != (row->path != NULL))
		fail_msg("%s %s: a path, or none", driver->name, name);
	if (!row->access->read ||
	    (!(row->flags & RT_ROW_READ_ONLY) && !row->access->write))
		fail_msg("%s %s: no function", driver->name, name);
	if (!is_file && !(row->flags & RT_ROW_READ_ONLY) && !row->command)
		fail_msg("%s %s: no command", driver->name, name);
	if (row->max && row->min > row->max)
		fail_msg("%s %s: range", driver->name, name);
	if (row->to_raw && !row->to_neutral)
		fail_msg("%s %s: converts one way", driver->name, name);
	if (!row->raw && rt_knobs[row->knob].flags & RT_KNOB_FACT &&
	    !(row->flags & RT_ROW_READ_ONLY))
		fail_msg("%s %s: a fact is written", driver->name, name);
	if (row->flags & RT_ROW_UNSURE && !row->raw)
		fail_msg("%s %s: an unsure unit in a neutral knob", driver->name, name);
	if (row->command && has_stand_in(row->command, "{prio}"))
		fail_msg("%s %s: no such stand-in in commands", driver->name, name);
}

/* Every number that the range allows comes back from its neutral twin as it was. */
static void check_conversion(const struct rt_driver *driver,
			     const struct rt_driver_row *row)
{
	const uint64_t top = row->max && row->max < 131072 ? row->max : 131072;

	for (uint64_t raw = row->min; raw <= top; raw += raw < 2048 ? 1 : 997) {
		uint64_t neutral, back;

		if (row->words || (row->access == NULL) ||
		    row->knob == RT_KNOB_MAX_RATE || row->knob == RT_KNOB_DCBX_OWNER)
			return;
		if (rt_row_to_neutral(row, raw, &neutral) < 0)
			continue;
		if (!row->to_raw && row->to_neutral)
			return;
		if (rt_row_to_raw(row, neutral, &back, NULL) < 0 || back != raw)
			fail_msg("%s %s: %llu becomes %llu", driver->name,
				 rt_row_vendor(row), (unsigned long long)raw,
				 (unsigned long long)back);
	}
}

static void test_rows(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct rt_driver *const *at = rt_drivers; *at; at++) {
		size_t raws = 0;

		assert_true((*at)->cannot || (*at)->row_count);
		assert_non_null((*at)->help);
		assert_ptr_equal(rt_driver_find((*at)->kernel[0]), *at);
		for (size_t i = 0; i < (*at)->row_count; i++) {
			check_row(*at, &(*at)->rows[i]);
			if (!(*at)->rows[i].raw)
				check_conversion(*at, &(*at)->rows[i]);
			raws += (*at)->rows[i].raw != NULL;
			count++;
		}
		assert_true(raws <= RT_QOS_RAW_MAX);
		for (const struct rt_group_why *lacks = (*at)->lacks;
		     lacks && lacks->why; lacks++)
			assert_true(strlen(lacks->why) < RT_KNOB_WHY_BYTES);
	}
	print_message("# %zu rows\n", count);
}

RT_UNIT_MAIN(cmocka_unit_test(test_readings),
	     cmocka_unit_test(test_bnxt_configfs_is_written_in_hexadecimal),
	     cmocka_unit_test(test_read_only_rows_say_how_by_hand),
	     cmocka_unit_test(test_two_entries_of_one_dscp),
	     cmocka_unit_test(test_no_driver), cmocka_unit_test(test_rows))
