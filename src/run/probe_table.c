/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_table.c - the tables of a probe: its questions, its result. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "run/probe.h"
#include "run/probe_text.h"
#include "traffic/probe.h"

#define LISTENER RT_PROBE_BY_LISTENER
#define QUOTES   RT_PROBE_BY_QUOTES
#define EITHER   (LISTENER | QUOTES)

const struct rt_name rt_probe_way_names[] = {
	{ "nothing", RT_PROBE_BY_NOTHING, "nothing told how packets arrive" },
	{ "listener", RT_PROBE_BY_LISTENER, "`rocetune probe --listen` there" },
	{ "quotes", RT_PROBE_BY_QUOTES, "what ICMP errors quote" },
	{ 0 },
};

const struct rt_probe_question_row rt_probe_questions[RT_PROBE_ASK_COUNT] = {
	[RT_PROBE_ASK_REACHED] = { "reached", "does the host answer", EITHER, "" },
	[RT_PROBE_ASK_DSCP] = { "dscp", "does the DSCP arrive as it was sent", EITHER,
				"" },
	[RT_PROBE_ASK_ECN] = { "ecn", "do ECT and CE arrive as they were sent", EITHER,
			       "" },
	[RT_PROBE_ASK_DSCP_BACK] = { "dscp_back",
				     "does the DSCP come back as it was sent", LISTENER,
				     "" },
	[RT_PROBE_ASK_ECN_BACK] = { "ecn_back",
				    "do ECT and CE come back as they were sent",
				    LISTENER, "" },
	[RT_PROBE_ASK_MTU] = { "mtu", "which sizes arrive unfragmented", EITHER, "" },
	[RT_PROBE_ASK_MTU_BACK] = { "mtu_back", "which sizes come back unfragmented",
				    LISTENER, "" },
	[RT_PROBE_ASK_CE] = { "ce", "does the path mark while it is loaded", EITHER,
			      "--load" },
	[RT_PROBE_ASK_HOP] = { "hop", "at which hop marks change", EITHER, "--hops" },
};

void rt_probe_ecn_text(uint64_t bits, char text[RT_PROBE_ECN_BYTES])
{
	/* By enum rt_ecn. */
	static const char *const words[] = { "not-ect", "ect1", "ect0", "ce" };

	snprintf(text, RT_PROBE_ECN_BYTES, "%s", words[bits & 3]);
}

const char *rt_probe_ecn_label(const char *text)
{
	static const char *const words[][2] = { { "not-ect", "Not-ECT" },
						{ "ect0", "ECT(0)" },
						{ "ect1", "ECT(1)" },
						{ "ce", "CE" } };

	for (size_t i = 0; i < RT_ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], text) == 0)
			return words[i][1];
	return text;
}

void rt_probe_tos_text(uint64_t tos, char text[RT_PROBE_TOS_BYTES])
{
	char ecn[RT_PROBE_ECN_BYTES];

	rt_probe_ecn_text(tos, ecn);
	snprintf(text, RT_PROBE_TOS_BYTES, "%u %s", (unsigned)(tos >> 2 & 63),
		 rt_probe_ecn_label(ecn));
}

const char *rt_probe_outcome(unsigned event)
{
	for (const struct rt_name *row = rt_probe_event_names; row->name; row++)
		if (row->value == event)
			return row->help;
	return "";
}

static bool any_back(const struct rt_probed *probed)
{
	for (size_t i = 0; i < probed->mark_count; i++)
		if (probed->marks[i].dscp_back.known)
			return true;
	return false;
}

static bool any_came(const struct rt_probed *probed)
{
	for (size_t i = 0; i < probed->mark_count; i++)
		if (probed->marks[i].dscp_came.known)
			return true;
	return false;
}

static bool any_hop(const struct rt_probed *probed)
{
	for (size_t i = 0; i < probed->hop_rows; i++)
		if (probed->hops[i].dscp.known)
			return true;
	return false;
}

static bool is_told(const struct rt_probed *probed, enum rt_probe_question question)
{
	switch (question) {
	case RT_PROBE_ASK_REACHED: return probed->rtt_ns.known;
	case RT_PROBE_ASK_DSCP:
	case RT_PROBE_ASK_ECN: return any_came(probed);
	case RT_PROBE_ASK_DSCP_BACK:
	case RT_PROBE_ASK_ECN_BACK: return any_back(probed);
	case RT_PROBE_ASK_MTU: return probed->path_mtu_bytes.known;
	case RT_PROBE_ASK_MTU_BACK: return probed->path_mtu_back_bytes.known;
	case RT_PROBE_ASK_CE: return probed->load_ce.known;
	case RT_PROBE_ASK_HOP: return any_hop(probed);
	default: return false;
	}
}

static void write_why_not(const struct rt_probed *probed,
			  const struct rt_probe_question_row *row,
			  struct rt_probe_told *told)
{
	if (!told->asked)
		snprintf(told->how, sizeof(told->how), "not asked: %s", row->asked_by);
	else if (!probed->rtt_ns.known)
		snprintf(told->how, sizeof(told->how), "the host does not answer");
	else if (!(row->ways & QUOTES) && probed->way != LISTENER)
		snprintf(told->how, sizeof(told->how),
			 "only a listener tells: `rocetune probe --listen` there");
	else if (*probed->icmp_why)
		snprintf(told->how, sizeof(told->how), "%.150s", probed->icmp_why);
	else
		snprintf(told->how, sizeof(told->how), "no packet that says so came");
}

void rt_probe_fill_told(const struct rt_probe_request *request,
			struct rt_probed *probed)
{
	probed->told_count = RT_PROBE_ASK_COUNT;
	for (unsigned i = 0; i < RT_PROBE_ASK_COUNT; i++) {
		const struct rt_probe_question_row *row = &rt_probe_questions[i];
		struct rt_probe_told *told = &probed->told[i];

		told->question = row->name;
		told->help = row->help;
		told->asked = i == RT_PROBE_ASK_CE    ? request->load_ns.known
			      : i == RT_PROBE_ASK_HOP ? request->hops
						      : true;
		told->told = told->asked && is_told(probed, i);
		if (!told->told)
			write_why_not(probed, row, told);
		else
			snprintf(told->how, sizeof(told->how), "%s",
				 probed->way == LISTENER && i != RT_PROBE_ASK_HOP
					 ? "the listener"
					 : "ICMP errors");
	}
}

/* --- tables ----------------------------------------------------------------------- */

#define OWNER struct rt_probe_mark
static const struct rt_field mark_fields[] = {
	RT_FIELD(OWNER, U32, dscp, NONE, "DSCP as sent", .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, ecn, "ECN bits as sent", .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, sent_as, "both in words"),
	RT_FIELD(OWNER, OPT_U64, dscp_came, NONE, "DSCP as it arrived",
		 .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, ecn_came, "ECN bits as they arrived",
			  .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, came_as, "both in words", .flags = RT_FIELD_KEEP),
	RT_FIELD(OWNER, OPT_U64, dscp_back, NONE, "DSCP as the answer arrived here",
		 .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, ecn_back, "ECN bits as the answer arrived here",
			  .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, back_as, "both in words"),
	RT_FIELD(OWNER, U64, sent, COUNT, "packets sent"),
	RT_FIELD(OWNER, ENUM, event, NONE, "what came of the last",
		 .names = rt_probe_event_names, .flags = RT_FIELD_DATA),
	RT_FIELD(OWNER, TEXT, outcome, NONE, "the same in words"),
	RT_FIELD(OWNER, OPT_U64, rtt_ns, NS, "time to the answer", .label = "RTT"),
};
static RT_TABLE(mark_table, rt_probe_mark, "probe_mark", "Marks: DSCP and ECN",
		"A marking that was sent, and how it arrived.", mark_fields);
#undef OWNER

#define OWNER struct rt_probe_size
static const struct rt_field size_fields[] = {
	RT_FIELD(OWNER, U32, ip_bytes, MTU, "size of the IP packet", .label = "size"),
	RT_FIELD(OWNER, ENUM, event, NONE, "what came of it",
		 .names = rt_probe_event_names, .flags = RT_FIELD_DATA),
	RT_FIELD(OWNER, TEXT, outcome, NONE, "the same in words"),
	RT_FIELD(OWNER, IP, from, NONE, "who told"),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, MTU, "MTU that a router told",
		 .label = "told MTU"),
	RT_FIELD(OWNER, OPT_U64, back_bytes, MTU, "size of the answer",
		 .label = "back"),
};
static RT_TABLE(size_table, rt_probe_size, "probe_size", "Sizes",
		"A size that was sent unfragmented, and what came of it.", size_fields);
#undef OWNER

#define OWNER struct rt_probe_hop
static const struct rt_field hop_fields[] = {
	RT_FIELD(OWNER, U32, hop, NONE, "hops from here"),
	RT_FIELD(OWNER, IP, from, NONE, "who quoted the packet"),
	RT_FIELD(OWNER, OPT_U64, dscp, NONE, "DSCP as it arrived there",
		 .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, ecn, "ECN bits as they arrived there",
			  .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(OWNER, came_as, "both in words"),
	RT_FIELD_CHARS_OF(OWNER, changed, "what is not as it was sent"),
};
static RT_TABLE(hop_table, rt_probe_hop, "probe_hop", "Hops",
		"How a packet arrived at each hop.", hop_fields);
#undef OWNER

#define OWNER struct rt_probe_told
static const struct rt_field told_fields[] = {
	RT_FIELD(OWNER, TEXT, question, NONE, "what is to be known",
		 .flags = RT_FIELD_DATA),
	RT_FIELD(OWNER, TEXT, help, NONE, "in words", .label = "question"),
	RT_FIELD(OWNER, BOOL, asked, NONE, "whether it was asked",
		 .flags = RT_FIELD_DATA),
	RT_FIELD(OWNER, BOOL, told, NONE, "whether it is known"),
	RT_FIELD_CHARS_OF(OWNER, how, "who told, or why nobody did"),
};
static RT_TABLE(told_table, rt_probe_told, "probe_told", "What is known",
		"A question of a probe, and whether it is answered.", told_fields);
#undef OWNER

#define OWNER struct rt_probed
static const struct rt_field probed_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, host, "as it was named"),
	RT_FIELD(OWNER, IP, address, NONE, "its address"),
	RT_FIELD(OWNER, IP, source, NONE, "our address"),
	RT_FIELD(OWNER, IP, refused_by, NONE,
		 "who answered instead of it: the host itself did not",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(OWNER, netdev, "our network device"),
	RT_FIELD(OWNER, ENUM, way, NONE, "what told how packets arrive",
		 .label = "told by", .names = rt_probe_way_names),
	RT_FIELD(OWNER, U32, dscp, NONE, "DSCP of data", .label = "DSCP"),
	RT_FIELD(OWNER, OPT_U64, rtt_ns, NS, "time to the fastest answer",
		 .label = "RTT"),
	RT_FIELD(OWNER, OPT_U64, hop_count, COUNT, "links to the host, from its TTL",
		 .label = "hops"),
	RT_FIELD(OWNER, OPT_U64, path_mtu_bytes, MTU,
		 "largest IP packet that arrived unfragmented", .label = "path MTU"),
	RT_FIELD(OWNER, OPT_U64, mtu_below_bytes, MTU, "smallest that did not",
		 .label = "too large"),
	RT_FIELD(OWNER, BOOL, mtu_silent, NONE,
		 "too large packets vanish without an ICMP error",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, OPT_U64, path_mtu_back_bytes, MTU,
		 "largest answer that arrived here", .label = "path MTU back"),
	RT_FIELD(OWNER, OPT_U64, local_mtu_bytes, MTU, "MTU of our own link",
		 .label = "our MTU"),
	RT_FIELD(OWNER, OPT_U64, roce_mtu_bytes, MTU,
		 "largest RoCE MTU whose packets fit the path", .label = "RoCE MTU"),
	RT_FIELD(OWNER, OPT_U64, roce_mtu_wanted_bytes, MTU,
		 "RoCE MTU that will be used", .label = "RoCE MTU wanted"),
	RT_FIELD(OWNER, TEXT, roce_mtu_from, NONE, "who wants it",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(OWNER, OPT_U64, load_sent, COUNT, "packets sent under load",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, OPT_U64, load_came, COUNT,
		 "of which it is known how they came; null: those that came do not "
		 "tell"),
	RT_FIELD(OWNER, OPT_U64, load_ce, COUNT, "of these, marked CE",
		 .label = "load CE", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, U64, packets, COUNT, "packets sent in all"),
	RT_FIELD_LIST_OF(OWNER, marks, mark_count, &mark_table, "marks"),
	RT_FIELD_LIST_OF(OWNER, sizes, size_count, &size_table, "sizes"),
	RT_FIELD_LIST_OF(OWNER, hops, hop_rows, &hop_table, "hops"),
	RT_FIELD_LIST_OF(OWNER, told, told_count, &told_table, "what is known"),
	{ .name = "findings",
	  .help = "what is wrong with the path",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(OWNER, findings) + offsetof(struct rt_findings, items),
	  .table = &rt_finding_table,
	  .count_offset = offsetof(OWNER, findings) +
			  offsetof(struct rt_findings, count),
	  .flags = RT_FIELD_DATA },
};
RT_TABLE(rt_probed_table, rt_probed, "probe", "Probe",
	 "Whether marks and sizes get through to a host.", probed_fields);
#undef OWNER

#define OWNER struct rt_probe_listening
static const struct rt_field listening_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, address, "where it listened"),
	RT_FIELD(OWNER, U32, port, NONE, "UDP port"),
	RT_FIELD(OWNER, U64, requests, COUNT, "probes that came"),
	RT_FIELD(OWNER, U64, answers, COUNT, "answers sent"),
	RT_FIELD(OWNER, U64, limited, COUNT, "probes beyond the rate, not answered"),
	RT_FIELD(OWNER, U64, others, COUNT, "packets that are no probes"),
};
RT_TABLE(rt_probe_listening_table, rt_probe_listening, "probe_listener", "Listener",
	 "What came to a listener for probes.", listening_fields);
#undef OWNER
