/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots as metrics: names, numbers, labels, and that what is unknown is not there. */
#include "hand_source.h"

#include <malloc.h>

#include "base/own.h"
#include "base/text.h"
#include "export/export.h"
#include "export/families.h"
#include "export/totals.h"

#define PORT RT_COUNTER_NO_PRIO

/* --- numbers and names --------------------------------------------------------------------- */

static void test_values_are_exact(void **state)
{
	static const struct {
		const char *label;
		enum rt_metric_type type;
		enum rt_unit unit;
		const char *name, *text;
		uint64_t value;
	} cases[] = {
		{ "a count", RT_METRIC_COUNTER, RT_UNIT_COUNT, "cnp_tx",
		  "rocetune_x_cnp_tx_total 0", 0 },
		{ "the most there is", RT_METRIC_COUNTER, RT_UNIT_BYTES, "rx_bytes",
		  "rocetune_x_rx_bytes_total 18446744073709551615", UINT64_MAX },
		{ "beyond what a double holds", RT_METRIC_COUNTER, RT_UNIT_COUNT, "n",
		  "rocetune_x_n_total 9007199254740993", 9007199254740993 },
		{ "a nanosecond", RT_METRIC_COUNTER, RT_UNIT_NS, "pfc_rx_ns",
		  "rocetune_x_pfc_rx_seconds_total 0.000000001", 1 },
		{ "a second", RT_METRIC_COUNTER, RT_UNIT_NS, "pfc_rx_ns",
		  "rocetune_x_pfc_rx_seconds_total 1", 1000000000 },
		{ "no zeros at the end", RT_METRIC_GAUGE, RT_UNIT_NS, "gap_ns",
		  "rocetune_x_gap_seconds 12.03", 12030000000 },
		{ "the longest time", RT_METRIC_GAUGE, RT_UNIT_NS, "gap_ns",
		  "rocetune_x_gap_seconds 18446744073.709551615", UINT64_MAX },
		{ "bits a second", RT_METRIC_GAUGE, RT_UNIT_BPS, "speed_bps",
		  "rocetune_x_speed_bytes_per_second 50000000000", 400000000000 },
		{ "an eighth", RT_METRIC_GAUGE, RT_UNIT_BPS, "speed_bps",
		  "rocetune_x_speed_bytes_per_second 0.125", 1 },
		{ "seven eighths", RT_METRIC_GAUGE, RT_UNIT_BPS, "speed_bps",
		  "rocetune_x_speed_bytes_per_second 1.875", 15 },
		{ "a name that is its unit", RT_METRIC_GAUGE, RT_UNIT_NS, "_ns",
		  "rocetune_x__ns_seconds 0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_metric metric = { cases[i].type, cases[i].unit, "x_",
						  cases[i].name, "help",        "" };
		char text[400] = "", *last;
		struct rt_metrics metrics = { .to = fmemopen(text, sizeof(text), "w") };

		rt_metrics_family(&metrics, &metric);
		rt_metrics_sample(&metrics, "", cases[i].value);
		fclose(metrics.to);
		text[strlen(text) - 1] = '\0';
		last = strrchr(text, '\n') + 1;
		print_message("# %s: %s\n", cases[i].label, last);
		assert_string_equal(last, cases[i].text);
	}
}

static void test_labels_are_escaped(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{ "", "a=\"\"" },
		{ "plain", "a=\"plain\"" },
		{ "a\"b\\c\nd", "a=\"a\\\"b\\\\c\\nd\"" },
		{ "K\xc3\xa4se", "a=\"K\xc3\xa4se\"" },
		{ "bad\xff", "a=\"bad\\\\xff\"" },
		{ "\xc3", "a=\"\\\\xc3\"" },
		{ "x\xed\xa0\x80y", "a=\"x\\\\xed\\\\xa0\\\\x80y\"" },
		/* What terminals obey, and what turns or hides text (base/text.h). */
		{ "\x1b[31mred\a\t", "a=\"\\\\x1b[31mred\\\\x07\\\\x09\"" },
		{ "\x7f\xc2\x9bx", "a=\"\\\\x7f\\\\xc2\\\\x9bx\"" },
		{ "\xe2\x80\xaetxt", "a=\"\\\\xe2\\\\x80\\\\xaetxt\"" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char labels[80] = "";

		rt_metrics_label(labels, sizeof(labels), "a", cases[i].value);
		assert_string_equal(labels, cases[i].text);
		assert_int_equal(rt_text_utf8_length(labels, strlen(labels)),
				 strlen(labels));
	}
}

static void test_labels_that_do_not_fit_are_left_out_whole(void **state)
{
	char labels[24] = "";

	(void)state;
	rt_metrics_label(labels, sizeof(labels), "a", "bb");
	assert_string_equal(labels, "a=\"bb\"");
	rt_metrics_label(labels, sizeof(labels), "c", "\n\n\n\n");
	assert_string_equal(labels, "a=\"bb\"");
}

/* --- families ------------------------------------------------------------------------------ */

struct names {
	char seen[400][RT_METRIC_NAME_BYTES];
	size_t count;
};

/* Prometheus' data model: [a-zA-Z_:][a-zA-Z0-9_:]*; a unit of ours is not in a name. */
static void take_name(void *context, const struct rt_metric *metric)
{
	struct names *names = context;
	char name[RT_METRIC_NAME_BYTES];

	rt_metric_sample_name(metric, name);
	assert_true(names->count < RT_ARRAY_SIZE(names->seen));
	assert_true(strncmp(name, RT_METRICS_PREFIX, strlen(RT_METRICS_PREFIX)) == 0);
	assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
			 strlen(name));
	assert_null(strstr(name, "_ns_"));
	assert_null(strstr(name, "bps"));
	for (size_t i = 0; i < names->count; i++)
		assert_string_not_equal(names->seen[i], name);
	strcpy(names->seen[names->count++], name);
}

static void test_each_name_is_good_and_there_once(void **state)
{
	static struct names names;

	(void)state;
	rt_export_each(take_name, &names);
	assert_true(names.count > RT_COUNTER_COUNT + RT_OWN_COUNT);
}

static bool has_gauge(const struct rt_gauge *gauges, size_t count, const char *field)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(gauges[i].field, field) == 0)
			return true;
	return false;
}

/* A number that is added to a table is exported too, or somebody says why not. */
static void test_every_number_of_the_tables_is_exported(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_watch_port_table.count; i++) {
		const struct rt_field *field = &rt_watch_port_table.fields[i];

		if (field->type == RT_FIELD_OPT_U64)
			assert_true(has_gauge(rt_port_gauges, rt_port_gauge_count,
					      field->name) ||
				    has_gauge(rt_mask_gauges, rt_mask_gauge_count,
					      field->name));
	}
	for (size_t i = 0; i < rt_watch_pace_table.count; i++) {
		const struct rt_field *field = &rt_watch_pace_table.fields[i];

		if (field->type == RT_FIELD_OPT_U64 || field->type == RT_FIELD_U64 ||
		    field->type == RT_FIELD_BOOL)
			assert_true(has_gauge(rt_source_gauges, rt_source_gauge_count,
					      field->name));
	}
}

/* --- snapshots ----------------------------------------------------------------------------- */

static char *text_of(struct rt_watch *watch, const struct rt_totals *totals, bool open)
{
	char *text = NULL;
	size_t bytes = 0;

	assert_int_equal(
		rt_export_text(rt_watch_look(watch), totals, open, &text, &bytes, NULL),
		0);
	assert_int_equal(strlen(text), bytes);
	assert_int_equal(rt_text_utf8_length(text, bytes), bytes);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	const size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}

static void expect(struct rt_watch *watch, bool open, const char *line, bool there)
{
	char *text = text_of(watch, NULL, open);

	if (has_line(text, line) != there)
		print_message("# %s: %s\n%s", there ? "missing" : "there", line, text);
	assert_int_equal(has_line(text, line), there);
	free(text);
}

static void expect_none(struct rt_watch *watch, const char *part)
{
	char *text = text_of(watch, NULL, true);

	if (strstr(text, part))
		print_message("# there: %s\n%s", part, text);
	assert_null(strstr(text, part));
	free(text);
}

static void test_what_is_known_is_told_and_nothing_else(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	const struct rt_watch_view *view;
	struct rt_watch *watch;

	(void)state;
	strcpy(input->port.netdev, "eth0");
	strcpy(input->port.driver, "mlx5");
	input->port.speed_bps = RT_KNOWN_U64(400000000000);
	input->port.lossless = RT_KNOWN_U64(1u << 3);
	hand_add(input, RT_COUNTER_PFC_RX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64, 7);
	hand_add(input, RT_COUNTER_PFC_RX_FRAMES, PORT, RT_SOURCE_ETHTOOL, 64, 9);
	hand_add(input, RT_COUNTER_PFC_RX_NS, 3, RT_SOURCE_ETHTOOL, 64, 1500);
	hand_add(input, RT_COUNTER_TX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 0);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
#define L "device=\"mlx5_0\",port=\"1\",netdev=\"eth0\""
	expect(watch, true, "rocetune_port_info{" L ",driver=\"mlx5\",role=\"nic\"} 1",
	       true);
	expect(watch, true, "rocetune_port_up{" L "} 1", true);
	expect(watch, true, "rocetune_port_speed_bytes_per_second{" L "} 50000000000",
	       true);
	expect(watch, true, "rocetune_prio_lossless{" L ",prio=\"3\"} 1", true);
	expect(watch, true, "rocetune_prio_lossless{" L ",prio=\"4\"} 0", true);
	expect(watch, true, "rocetune_pfc_rx_frames_total{" L "} 9", true);
	expect(watch, true, "rocetune_prio_pfc_rx_frames_total{" L ",prio=\"3\"} 7",
	       true);
	expect(watch, true,
	       "rocetune_prio_pfc_rx_seconds_total{" L ",prio=\"3\"} 0.0000015", true);
	expect(watch, true, "rocetune_tx_bytes_total{" L "} 0", true);
	expect(watch, true, "rocetune_source_success{" L ",source=\"ethtool\"} 1",
	       true);
	/* Unknown: not 0, and no header either. */
	expect_none(watch, "rocetune_rx_bytes");
	expect_none(watch, "rocetune_port_mtu");
	expect_none(watch, "rocetune_prio_rdma");
	expect_none(watch, "prio=\"5\"} 7");
	/* Of rates, of which there are none yet. */
	expect_none(watch, "verdict");
	hand_wait(&hand, HAND_SEC);
	view = hand_tick(watch, 0);
	for (const struct rt_name *name = rt_verdict_names; name->name; name++) {
		char line[200];

		snprintf(line, sizeof(line),
			 "rocetune_port_verdict{" L ",verdict=\"%s\"} %d", name->name,
			 view->verdict == name->value);
		expect(watch, true, line, true);
	}
#undef L
	hand_end(&hand, watch);
}

static void test_formats_differ_where_they_should(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch;

	(void)state;
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_NETDEV, 64, 1);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect(watch, true, "# TYPE rocetune_rx_bytes counter", true);
	expect(watch, true, "# UNIT rocetune_rx_bytes bytes", true);
	expect(watch, true, "# TYPE rocetune_port info", true);
	expect(watch, true, "# EOF", true);
	expect(watch, false, "# TYPE rocetune_rx_bytes_total counter", true);
	expect(watch, false, "# UNIT rocetune_rx_bytes bytes", false);
	expect(watch, false, "# TYPE rocetune_port_info gauge", true);
	expect(watch, false, "# EOF", false);
	expect(watch, false,
	       "rocetune_rx_bytes_total{device=\"eth0\",port=\"\",netdev=\"\"} 1",
	       true);
	hand_end(&hand, watch);
}

/* How old a sample is cannot be told by a clock that is not this world's. */
static void test_times_of_other_worlds_are_not_told(void **state)
{
	(void)state;
	for (unsigned own = 0; own < 2; own++) {
		struct hand hand = { .has_clock = own };
		struct rt_watch *watch;

		hand_port(&hand, "eth0");
		hand.next.wall_ns = 5 * HAND_SEC;
		watch = hand_open(&hand, HAND_SEC);
		hand_tick(watch, 0);
		if (own)
			expect_none(watch, "timestamp");
		else
			expect(watch, true, "rocetune_sample_timestamp_seconds 5",
			       true);
		hand_end(&hand, watch);
	}
}

static void test_a_failed_sample_tells_nothing_of_ports(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch;

	(void)state;
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_NETDEV, 64, 1);
	watch = hand_open(&hand, HAND_SEC);
	expect(watch, true, "rocetune_sample_success 0", true);
	expect_none(watch, "timestamp");
	hand_tick(watch, 0);
	expect(watch, true, "rocetune_sample_success 1", true);
	expect(watch, true, "rocetune_samples_total 1", true);
	/* Whose source does not know the time of day. */
	expect_none(watch, "timestamp");
	hand.result = -EIO;
	assert_int_equal(rt_watch_tick(watch, NULL), 0);
	expect(watch, true, "rocetune_sample_success 0", true);
	expect(watch, true, "rocetune_samples_total 1", true);
	expect_none(watch, "eth0");
	hand.result = 0;
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect(watch, true, "rocetune_sample_success 1", true);
	expect(watch, true, "rocetune_samples_total 2", true);
	hand_end(&hand, watch);
}

static void test_a_port_that_is_gone_is_said_to_be(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch;

	(void)state;
	input->port.speed_bps = RT_KNOWN_U64(8);
	input->port.lossless = RT_KNOWN_U64(8);
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_NETDEV, 64, 1);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
#define L "{device=\"eth0\",port=\"\",netdev=\"\","
	/* Nor is one well whose link is down, though it counts no trouble. */
	hand.next.items[0].port.state = RT_WATCH_DOWN;
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect(watch, true, "rocetune_port_verdict" L "verdict=\"link\"} 1", true);
	expect(watch, true, "rocetune_port_verdict" L "verdict=\"ok\"} 0", true);
	expect(watch, true,
	       "rocetune_port_finding" L
	       "rule=\"watch-link-lost\",severity=\"error\"} 1",
	       true);
#undef L
	hand.next.items[0].port.state = RT_WATCH_GONE;
	hand.next.items[0].set.count = 0;
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
#define L "{device=\"eth0\",port=\"\",netdev=\"\"}"
	expect(watch, true, "rocetune_port_present" L " 0", true);
	expect(watch, true, "rocetune_port_up" L " 0", true);
#undef L
	expect_none(watch, "rocetune_rx_bytes");
	expect_none(watch, "speed");
	expect_none(watch, "lossless");
#define L "{device=\"eth0\",port=\"\",netdev=\"\","
	expect(watch, true, "rocetune_port_verdict" L "verdict=\"link\"} 1", true);
	expect(watch, true, "rocetune_port_verdict" L "verdict=\"ok\"} 0", true);
	expect(watch, true,
	       "rocetune_port_finding" L
	       "rule=\"watch-port-gone\",severity=\"error\"} 1",
	       true);
#undef L
	hand_end(&hand, watch);
}

struct sought {
	const char *name;
	struct rt_metric metric; /* help NULL: it was not found */
};

static void seek_name(void *context, const struct rt_metric *metric)
{
	struct sought *sought = context;
	char name[RT_METRIC_NAME_BYTES];

	if (strcmp(rt_metric_sample_name(metric, name), sought->name) == 0)
		sought->metric = *metric;
}

/* Names of a sample's labels, as docs/metrics.md has them. */
static void label_names(const char *labels, char names[200])
{
	names[0] = '\0';
	while (labels && *labels && strchr("{,", *labels)) {
		labels++;
		sprintf(names + strlen(names), "%s%.*s", *names ? ", " : "",
			(int)strcspn(labels, "="), labels);
		/* No value of the demonstration has a quote in it. */
		labels = strchr(strchr(labels, '"') + 1, '"') + 1;
	}
}

static struct rt_watch *open_demo(void)
{
	struct rt_watch_source *source;
	struct rt_watch *watch;

	assert_int_equal(rt_watch_demo_open(HAND_SEC, &source, NULL), 0);
	assert_int_equal(rt_watch_open(source, HAND_SEC, &watch, NULL), 0);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
	return watch;
}

static void test_samples_are_as_the_rows_say(void **state)
{
	struct rt_watch *watch = open_demo();
	char *text = text_of(watch, NULL, false), *line, *rest = text;

	(void)state;
	while ((line = strsep(&rest, "\n")) && rest) {
		struct sought sought = { .name = line };
		char *end = line + strcspn(line, "{ "), names[200];

		if (*line == '#')
			continue;
		label_names(*end == '{' ? end : NULL, names);
		*end = '\0';
		rt_export_each(seek_name, &sought);
		assert_non_null(sought.metric.help);
		/* Facts that are unknown have no label. */
		if (sought.metric.type == RT_METRIC_INFO)
			assert_true(strncmp(sought.metric.labels, names,
					    strlen(names)) == 0);
		else
			assert_string_equal(names, sought.metric.labels);
	}
	free(text);
	rt_watch_close(watch);
}

/* Each family's samples stand together, and no sample is there twice. */
static void test_families_are_of_one_piece(void **state)
{
	struct rt_watch *watch = open_demo();
	char *text, *line, *rest, family[160] = "";
	size_t samples = 0;

	(void)state;
	text = text_of(watch, NULL, true);
	rest = text;
	while ((line = strsep(&rest, "\n")) && rest) {
		if (strncmp(line, "# TYPE ", 7) == 0) {
			snprintf(family, sizeof(family), "%.*s",
				 (int)strcspn(line + 7, " "), line + 7);
			continue;
		}
		if (*line == '#')
			continue;
		samples++;
		assert_int_equal(strncmp(line, family, strlen(family)), 0);
		/* All that follows has other labels or another name. */
		*strrchr(line, ' ') = '\0';
		assert_null(strstr(rest, line));
	}
	assert_true(samples > 1000);
	free(text);
	rt_watch_close(watch);
}

/* --- views by hand ------------------------------------------------------------------------- */

static char *text_of_view(const struct rt_watch_view *view)
{
	const struct rt_watch_flows flows = { 0 };
	const struct rt_watch_snapshot snapshot = { .title = "by hand",
						    .ticks = 2,
						    .elapsed_ns = HAND_SEC,
						    .views = view,
						    .count = 1,
						    .flows = &flows };
	char *text = NULL;
	size_t bytes;

	assert_int_equal(rt_export_text(&snapshot, NULL, true, &text, &bytes, NULL), 0);
	return text;
}

static void test_devices_and_ports(void **state)
{
	static const struct {
		const char *name, *labels;
	} cases[] = {
		{ "mlx5_0/1", "device=\"mlx5_0\",port=\"1\"" },
		{ "eth0", "device=\"eth0\",port=\"\"" },
		{ "a/b/2", "device=\"a/b\",port=\"2\"" },
		{ "a/", "device=\"a/\",port=\"\"" },
		{ "/1", "device=\"\",port=\"1\"" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_counter_set set = { 0 };
		struct rt_watch_port port = { .state = RT_WATCH_UP };
		const struct rt_watch_view view = { .port = &port, .set = &set };
		char *text, line[120];

		strcpy(port.name, cases[i].name);
		text = text_of_view(&view);
		snprintf(line, sizeof(line), "rocetune_port_up{%s,netdev=\"\"} 1",
			 cases[i].labels);
		assert_true(has_line(text, line));
		free(text);
	}
}

/* A rule that holds in several places is one sample. */
static void test_findings_are_told_by_rule(void **state)
{
	struct rt_finding items[] = {
		{ .id = "watch-a",
		  .severity = RT_SEVERITY_ERROR,
		  .where = "priority 3" },
		{ .id = "watch-b", .severity = RT_SEVERITY_WARN, .where = "port" },
		{ .id = "watch-a",
		  .severity = RT_SEVERITY_ERROR,
		  .where = "priority 4" },
		{ .id = "watch-a", .severity = RT_SEVERITY_ERROR, .folded = 5 },
	};
	struct rt_counter_set set = { 0 };
	struct rt_watch_port port = { .name = "p", .state = RT_WATCH_UP };
	const struct rt_watch_view view = {
		.port = &port,
		.set = &set,
		.findings = { .items = items, .count = 4, .capacity = 4 }
	};
	char *text = text_of_view(&view);
#define FINDING "rocetune_port_finding{device=\"p\",port=\"\",netdev=\"\",rule="

	(void)state;
	assert_true(has_line(text, FINDING "\"watch-a\",severity=\"error\"} 7"));
	assert_true(has_line(text, FINDING "\"watch-b\",severity=\"warn\"} 1"));
	assert_null(strstr(strstr(text, "\"watch-a\"") + 1, "\"watch-a\""));
	free(text);
}

static void test_sources_that_failed_have_no_age(void **state)
{
	struct rt_counter_set set = { 0 };
	struct rt_watch_port port = { .name = "p", .state = RT_WATCH_UP };
	const struct rt_watch_view view = {
		.port = &port,
		.set = &set,
		.paces = { { .source = RT_SOURCE_ETHTOOL,
			     .state = RT_LOOK_FAILED,
			     .age_ns = RT_KNOWN_U64(5) },
			   { .source = RT_SOURCE_RDMA,
			     .state = RT_LOOK_READ,
			     .age_ns = RT_KNOWN_U64(1500000000) },
			   { .source = RT_SOURCE_DCB, .state = RT_LOOK_NONE } },
		.pace_count = 3,
	};
	char *text = text_of_view(&view);
#define SOURCE(name) "{device=\"p\",port=\"\",netdev=\"\",source=\"" name "\"} "

	(void)state;
	assert_true(has_line(text, "rocetune_source_success" SOURCE("ethtool") "0"));
	assert_true(
		has_line(text, "rocetune_source_success" SOURCE("hw_counters") "1"));
	assert_true(has_line(
		text, "rocetune_source_age_seconds" SOURCE("hw_counters") "1.5"));
	assert_null(strstr(text, "rocetune_source_age_seconds" SOURCE("ethtool")));
	assert_null(strstr(text, "rocetune_source_duration_seconds" SOURCE("ethtool")));
	assert_null(strstr(text, "dcbnl"));
	free(text);
}

/* --- narrow counters ----------------------------------------------------------------------- */

static void expect_total(struct rt_watch *watch, struct rt_totals *totals,
			 const char *line)
{
	char *text;

	assert_int_equal(rt_totals_follow(totals, rt_watch_look(watch)), 0);
	text = text_of(watch, totals, false);
	if (!has_line(text, line))
		print_message("# missing: %s\n%s", line, text);
	assert_true(has_line(text, line));
	free(text);
}

#define NAKS "rocetune_seq_naks_rx_total{device=\"p\",port=\"\",netdev=\"\"} "

static void naks_are(struct hand *hand, struct rt_watch *watch, uint32_t value)
{
	struct rt_counter_reading *item = hand_find(hand, 0, RT_COUNTER_SEQ_NAKS_RX,
						    PORT);

	item->value = value;
	hand_wait(hand, HAND_SEC);
	hand_tick(watch, 0);
}

static void test_a_counter_that_passes_its_end_goes_on(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "p");
	struct rt_totals *totals = rt_totals_new();
	struct rt_watch *watch;

	(void)state;
	hand_add(input, RT_COUNTER_SEQ_NAKS_RX, PORT, RT_SOURCE_RDMA, 32, 4294967290);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect_total(watch, totals, NAKS "4294967290");
	naks_are(&hand, watch, 4);
	expect_total(watch, totals, NAKS "4294967300");
	naks_are(&hand, watch, 4);
	expect_total(watch, totals, NAKS "4294967300");
	naks_are(&hand, watch, 4000000000);
	expect_total(watch, totals, NAKS "8294967296");
	naks_are(&hand, watch, 4294967295);
	naks_are(&hand, watch, 5);
	/* Two ticks, of which only one was followed: passing its end is passing it. */
	expect_total(watch, totals, NAKS "8589934597");
	rt_totals_free(totals);
	hand_end(&hand, watch);
}

static void test_a_counter_that_begins_anew_does_so(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "p");
	struct rt_totals *totals = rt_totals_new();
	struct rt_watch *watch;

	(void)state;
	hand_add(input, RT_COUNTER_SEQ_NAKS_RX, PORT, RT_SOURCE_RDMA, 32, 4294967290);
	hand_add(input, RT_COUNTER_DUPLICATES, PORT, RT_SOURCE_RDMA, 32, 100);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect_total(watch, totals, NAKS "4294967290");
	/* Another of its source went back: the driver was loaded anew. */
	hand_find(&hand, 0, RT_COUNTER_DUPLICATES, PORT)->value = 0;
	naks_are(&hand, watch, 4);
	expect_total(watch, totals, NAKS "4");
	rt_totals_free(totals);
	hand_end(&hand, watch);
}

static void test_a_narrow_counter_that_comes_back_is_the_same(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "p");
	struct rt_totals *totals = rt_totals_new();
	struct rt_watch *watch;

	(void)state;
	hand_add(input, RT_COUNTER_SEQ_NAKS_RX, PORT, RT_SOURCE_RDMA, 32, 4294967290);
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect_total(watch, totals, NAKS "4294967290");
	naks_are(&hand, watch, 4);
	expect_total(watch, totals, NAKS "4294967300");
	/* Its string vanishes, as mlx5's do, and comes again. */
	hand.next.items[0].set.count = 0;
	hand.next.items[0].set.layout++;
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	assert_int_equal(rt_totals_follow(totals, rt_watch_look(watch)), 0);
	expect_none(watch, "seq_naks");
	hand_add(&hand.next.items[0], RT_COUNTER_SEQ_NAKS_RX, PORT, RT_SOURCE_RDMA, 32,
		 10);
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	expect_total(watch, totals, NAKS "4294967306");
	rt_totals_free(totals);
	hand_end(&hand, watch);
}

/* Of a set that does not number its layouts; each is told from the others by all it is. */
static void test_narrow_counters_are_not_mixed_up(void **state)
{
	struct rt_counter_reading items[] = {
		{ .counter = RT_COUNTER_NIC_MARKED,
		  .prio = 3,
		  .bits = 32,
		  .scale = 1,
		  .source = RT_SOURCE_ETHTOOL,
		  .value = 10,
		  .name = "n" },
		{ .counter = RT_COUNTER_NIC_MARKED,
		  .prio = 4,
		  .bits = 32,
		  .scale = 1,
		  .source = RT_SOURCE_ETHTOOL,
		  .value = UINT32_MAX,
		  .name = "n" },
	};
	const float rates[] = { 1, 1 };
	struct rt_counter_set set = { .items = items, .count = 2 };
	struct rt_watch_port port = { .name = "p" };
	const struct rt_watch_view view = { .port = &port,
					    .set = &set,
					    .per_s = rates };
	const struct rt_watch_snapshot snapshot = { .views = &view, .count = 1 };
	struct rt_totals *totals = rt_totals_new();

	(void)state;
	assert_int_equal(rt_totals_follow(totals, &snapshot), 0);
	items[1].value = 0;
	assert_int_equal(rt_totals_follow(totals, &snapshot), 0);
	assert_int_equal(rt_totals_passed(totals, 0, 0), 0);
	assert_int_equal(rt_totals_passed(totals, 0, 1), UINT64_C(1) << 32);
	/* The same places, and other counters in them. */
	items[0].prio = 4;
	items[0].value = 1;
	items[1].prio = 5;
	assert_int_equal(rt_totals_follow(totals, &snapshot), 0);
	assert_int_equal(rt_totals_passed(totals, 0, 0), UINT64_C(1) << 32);
	assert_int_equal(rt_totals_passed(totals, 0, 1), 0);
	/* The same counter, read elsewhere. */
	items[0].source = RT_SOURCE_RDMA;
	assert_int_equal(rt_totals_follow(totals, &snapshot), 0);
	assert_int_equal(rt_totals_passed(totals, 0, 0), 0);
	assert_int_equal(rt_totals_passed(totals, 0, 2), 0);
	assert_int_equal(rt_totals_passed(totals, 1, 0), 0);
	rt_totals_free(totals);
}

/* --- long runs ----------------------------------------------------------------------------- */

/* Everything of the made-up host comes again after a minute. */
#define CYCLE 60u

static void test_what_is_told_leaves_nothing(void **state)
{
	struct rt_totals *totals = rt_totals_new();
	struct rt_watch *watch = open_demo();
	size_t before, after, grown = 0;

	(void)state;
	for (unsigned i = 0; i < 10 * CYCLE; i++) {
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		before = mallinfo2().uordblks;
		assert_int_equal(rt_totals_follow(totals, rt_watch_look(watch)), 0);
		free(text_of(watch, totals, i % 2));
		after = mallinfo2().uordblks;
		if (i >= 2 * CYCLE)
			grown += after > before ? after - before : 0;
	}
	/* The allocator's own caches move a little; the least leak a tick would be more. */
	assert_true(grown < 8 * CYCLE * 24);
	rt_totals_free(totals);
	rt_watch_close(watch);
}

RT_UNIT_MAIN(cmocka_unit_test(test_values_are_exact),
	     cmocka_unit_test(test_labels_are_escaped),
	     cmocka_unit_test(test_labels_that_do_not_fit_are_left_out_whole),
	     cmocka_unit_test(test_each_name_is_good_and_there_once),
	     cmocka_unit_test(test_every_number_of_the_tables_is_exported),
	     cmocka_unit_test(test_what_is_known_is_told_and_nothing_else),
	     cmocka_unit_test(test_formats_differ_where_they_should),
	     cmocka_unit_test(test_times_of_other_worlds_are_not_told),
	     cmocka_unit_test(test_a_failed_sample_tells_nothing_of_ports),
	     cmocka_unit_test(test_a_port_that_is_gone_is_said_to_be),
	     cmocka_unit_test(test_devices_and_ports),
	     cmocka_unit_test(test_findings_are_told_by_rule),
	     cmocka_unit_test(test_sources_that_failed_have_no_age),
	     cmocka_unit_test(test_narrow_counters_are_not_mixed_up),
	     cmocka_unit_test(test_samples_are_as_the_rows_say),
	     cmocka_unit_test(test_families_are_of_one_piece),
	     cmocka_unit_test(test_a_counter_that_passes_its_end_goes_on),
	     cmocka_unit_test(test_a_counter_that_begins_anew_does_so),
	     cmocka_unit_test(test_a_narrow_counter_that_comes_back_is_the_same),
	     cmocka_unit_test(test_what_is_told_leaves_nothing))
