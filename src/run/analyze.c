/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/analyze.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/diagnosis.h"
#include "base/own.h"
#include "model/finding.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

struct analyzed {
	char file[512];
	char verdict[200];
	char format[32];
	struct rt_opt_u64 file_bytes, unpacked_bytes;
	struct rt_findings findings;
	struct rt_analysis analysis;
};

/* The sections stand at the top of the result, not under "analysis". */
#define SECTION(part, help_, flags_)                                     \
	{                                                                \
		.name = #part, .help = (help_), .type = RT_FIELD_STRUCT, \
		.offset = offsetof(struct analyzed, analysis.part),      \
		.table = &rt_analysis_##part##_table, .flags = (flags_)  \
	}

static const struct rt_field fields[] = {
	RT_FIELD_CHARS_OF(struct analyzed, file, "what was read, as named by the user"),
	RT_FIELD_CHARS_OF(struct analyzed, format, "of the file, with its compression",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct analyzed, OPT_U64, file_bytes, BYTES,
		 "read of the file, as it is: compressed bytes of a compressed one",
		 .flags = RT_FIELD_DATA),
	RT_FIELD(struct analyzed, OPT_U64, unpacked_bytes, BYTES,
		 "read of what a compressed file holds", .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(struct analyzed, verdict, "the findings in one line"),
	SECTION(capture, "what was read", 0),
	SECTION(roce, "the RoCE frames", RT_FIELD_ZERO_QUIET),
	SECTION(connections, "who connected to whom", RT_FIELD_ZERO_QUIET),
	SECTION(pauses, "who stopped whom", 0),
	SECTION(marks, "ECN marks and CNPs", RT_FIELD_ZERO_QUIET),
	SECTION(sequence, "gaps, rewinds, NAKs", RT_FIELD_ZERO_QUIET),
	SECTION(throughput, "who delivers how much to whom", RT_FIELD_ZERO_QUIET),
	{
		.name = "findings",
		.help = "what the rules say, worst first",
		.type = RT_FIELD_LIST,
		.offset = offsetof(struct analyzed, findings.items),
		.table = &rt_finding_table,
		.count_offset = offsetof(struct analyzed, findings.count),
		.flags = RT_FIELD_DATA, /* in text by rt_cmd_show_findings() */
	},
};

RT_TABLE(rt_analyze_table, analyzed, "analysis", "Analysis",
	 "What a capture says about a RoCE network, and what is wrong with it.",
	 fields);

static void release(void *object)
{
	struct analyzed *analyzed = object;

	rt_findings_free(&analyzed->findings);
	rt_analysis_free(&analyzed->analysis);
	free(analyzed);
}

static void auto_release(struct analyzed **analyzed)
{
	if (*analyzed)
		release(*analyzed);
}

/* Findings of one severity: rules that fired, and how often. */
struct tally {
	unsigned kinds, places;
	bool more; /* places that one finding sums up, nobody knows how many */
};

/* The list is sorted by severity, and within it by rule. */
static void count_findings(const struct rt_findings *findings,
			   struct tally tallies[RT_SEVERITY_ERROR + 1])
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *finding = &findings->items[i];
		struct tally *tally = &tallies[finding->severity];
		const bool first = i == 0 || findings->items[i - 1].id != finding->id;
		const bool sum = !first && finding->where[0] == '\0';

		tally->kinds += first;
		tally->places += finding->folded ? (unsigned)finding->folded : !sum;
		tally->more = tally->more || (sum && !finding->folded);
	}
}

/* "2 kinds of problem in 16 places" */
static void write_problems(const struct tally *wrong, const struct tally *suspect,
			   char *buf, size_t bytes)
{
	const unsigned kinds = wrong->kinds + suspect->kinds;
	const unsigned places = wrong->places + suspect->places;
	int used = snprintf(buf, bytes, "%u %s of problem", kinds,
			    kinds == 1 ? "kind" : "kinds");

	if (places > kinds || wrong->more || suspect->more)
		used += snprintf(buf + used, bytes - (size_t)used, " in %u places%s",
				 places,
				 wrong->more || suspect->more ? " and more" : "");
	snprintf(buf + used, bytes - (size_t)used, " (%u wrong, %u suspect)",
		 wrong->kinds, suspect->kinds);
}

static void write_verdict(struct analyzed *analyzed)
{
	struct tally tallies[RT_SEVERITY_ERROR + 1] = { 0 };
	const struct tally *hidden = &tallies[RT_SEVERITY_UNKNOWN];
	const struct tally *notes = &tallies[RT_SEVERITY_INFO];
	const struct rt_findings *findings = &analyzed->findings;
	char problems[96], rest[64];

	count_findings(findings, tallies);
	snprintf(rest, sizeof(rest), "%u not visible, %u %s", hidden->kinds,
		 notes->kinds, notes->kinds == 1 ? "note" : "notes");
	if (tallies[RT_SEVERITY_ERROR].places + tallies[RT_SEVERITY_WARN].places == 0) {
		snprintf(analyzed->verdict, sizeof(analyzed->verdict), "%s (%s)",
			 analyzed->analysis.roce.frames
				 ? "nothing wrong was seen at this tap"
				 : "no RoCE to judge",
			 rest);
		return;
	}
	write_problems(&tallies[RT_SEVERITY_ERROR], &tallies[RT_SEVERITY_WARN],
		       problems, sizeof(problems));
	snprintf(analyzed->verdict, sizeof(analyzed->verdict), "%s, %s; first: %s",
		 problems, rest, findings->items[0].title);
}

static int read_all(struct rt_source *source, const struct rt_analyze_options *options,
		    struct analyzed *analyzed, struct rt_err *err)
{
	const struct rt_analysis_config config = { .link_speed_bps =
							   options->link_speed_bps };

	return rt_analysis_of_source(source, &config, &analyzed->analysis, err);
}

static void take_notes(const struct rt_capture_notes *notes, struct analyzed *analyzed)
{
	snprintf(analyzed->format, sizeof(analyzed->format), "%s%s%s", notes->format,
		 notes->compression ? ", " : "",
		 notes->compression ? notes->compression : "");
	analyzed->file_bytes = RT_KNOWN_U64(notes->file_bytes);
	if (notes->compression)
		analyzed->unpacked_bytes = RT_KNOWN_U64(notes->bytes);
	if (notes->ends_early)
		analyzed->analysis.capture.ends_at_bytes = RT_KNOWN_U64(
			notes->ends_at_bytes);
}

/* Judge and hand over; *analyzed is taken on success. */
static int judge(const char *name, struct analyzed **analyzed,
		 struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct analyzed *object = *analyzed;
	int r = rt_diagnose(&object->analysis, &object->findings, err);

	if (r < 0)
		return r;
	snprintf(object->file, sizeof(object->file), "%s", name);
	rt_findings_sort(&object->findings);
	write_verdict(object);
	*ret_outcome = (struct rt_outcome){ .table = &rt_analyze_table,
					    .object = rt_steal(analyzed),
					    .findings = &object->findings,
					    .release = release };
	return 0;
}

int rt_analyze_file(const char *path, const struct rt_analyze_options *options,
		    struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(auto_release) struct analyzed *analyzed = calloc(1, sizeof(*analyzed));
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	const unsigned flags = (options->no_icrc ? 0 : RT_DECODE_ICRC) |
			       (options->keep_duplicates ? 0 : RT_DECODE_DIGEST);
	int r;

	if (!analyzed)
		return rt_err_sys(err, -ENOMEM, "cannot start the analysis");
	r = rt_capture_open(path, flags, &source, err);
	if (r == 0)
		r = read_all(source, options, analyzed, err);
	if (r < 0)
		return r;
	take_notes(rt_capture_notes(source), analyzed);
	return judge(path, &analyzed, ret_outcome, err);
}

int rt_analyze_source(struct rt_source *source, const char *name,
		      const struct rt_analyze_options *options,
		      struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(auto_release) struct analyzed *analyzed = calloc(1, sizeof(*analyzed));
	int r;

	if (!analyzed)
		return rt_err_sys(err, -ENOMEM, "cannot start the analysis");
	r = read_all(source, options, analyzed, err);
	return r < 0 ? r : judge(name, &analyzed, ret_outcome, err);
}
