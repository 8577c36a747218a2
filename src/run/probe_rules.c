/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_rules.c - what is wrong with a path, as a probe saw it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/probe.h"
#include "run/probe_text.h"
#include "traffic/probe.h"

#define OBSERVED RT_BASIS_OBSERVED

static bool is_sent_as(const struct rt_probe_mark *mark, const char *ecn)
{
	return strcmp(mark->ecn, ecn) == 0;
}

static bool is_as_sent(const struct rt_probe_mark *mark)
{
	return *mark->ecn_came && strcmp(mark->ecn, mark->ecn_came) == 0;
}

/* Of the data's DSCP. */
static const struct rt_probe_mark *mark_of(const struct rt_probed *probed,
					   const char *ecn)
{
	for (size_t i = 0; i < probed->mark_count; i++)
		if (probed->marks[i].dscp == probed->dscp &&
		    is_sent_as(&probed->marks[i], ecn))
			return &probed->marks[i];
	return NULL;
}

/* "at hop 2, 192.0.2.1" where it is known; "". */
static void write_hop(const struct rt_probed *probed, bool dscp, char *where,
		      size_t bytes)
{
	char ip[RT_IP_TEXT_BYTES];

	where[0] = '\0';
	for (size_t i = 0; i < probed->hop_rows; i++) {
		const struct rt_probe_hop *hop = &probed->hops[i];
		const bool changed = dscp ? hop->dscp.known &&
						     hop->dscp.value != probed->dscp
					  : *hop->ecn && strcmp(hop->ecn, "ect0") != 0;

		if (!changed)
			continue;
		snprintf(where, bytes, "before hop %u, %s", hop->hop,
			 rt_ip_format(&hop->from, ip));
		return;
	}
}

static void check_silence(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	char by[RT_IP_TEXT_BYTES];

	if (probed->rtt_ns.known)
		return;
	if (probed->refused_by.version)
		rt_findings_add(findings, rule, probed->host,
				"%" PRIu64 " packets sent; %s says that they cannot "
				"get there, and the host itself says nothing",
				probed->packets, rt_ip_format(&probed->refused_by, by));
	else
		rt_findings_add(findings, rule, probed->host,
				"%" PRIu64 " packets sent, nothing came back%s%s",
				probed->packets, *probed->icmp_why ? "; " : "",
				probed->icmp_why);
}

static void check_dscp(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;
	char changed_at[96];

	write_hop(probed, true, changed_at, sizeof(changed_at));
	for (size_t i = 0; i < probed->mark_count; i++) {
		const struct rt_probe_mark *mark = &probed->marks[i];

		/* Hops saw packets of the data's DSCP only. */
		const char *where = mark->dscp == probed->dscp ? changed_at : "";

		/* One DSCP, one finding: its first row. */
		if (mark->dscp_came.known && mark->dscp_came.value != mark->dscp &&
		    (i == 0 || probed->marks[i - 1].dscp != mark->dscp))
			rt_findings_add(findings, rule, where,
					"DSCP %u arrives as %" PRIu64, mark->dscp,
					mark->dscp_came.value);
	}
}

static void check_bleached(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;
	const struct rt_probe_mark *mark = mark_of(probed, "ect0");
	char where[96];

	if (!mark || strcmp(mark->ecn_came, "not-ect") != 0)
		return;
	write_hop(probed, false, where, sizeof(where));
	rt_findings_add(findings, rule, where, "DSCP %u, ECT(0) arrives as not ECT",
			mark->dscp);
}

static void check_changed(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	for (size_t i = 0; i < probed->mark_count; i++) {
		const struct rt_probe_mark *mark = &probed->marks[i];

		if (!*mark->ecn_came || is_as_sent(mark) || is_sent_as(mark, "ce") ||
		    strcmp(mark->ecn_came, "ce") == 0 ||
		    (is_sent_as(mark, "ect0") &&
		     strcmp(mark->ecn_came, "not-ect") == 0))
			continue;
		rt_findings_add(findings, rule, "", "DSCP %u, %s arrives as %s",
				mark->dscp, rt_probe_ecn_label(mark->ecn),
				rt_probe_ecn_label(mark->ecn_came));
	}
}

static void check_cleared(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probe_mark *mark = mark_of(subject, "ce");

	if (mark && *mark->ecn_came && !is_as_sent(mark))
		rt_findings_add(findings, rule, "", "DSCP %u, CE arrives as %s",
				mark->dscp, rt_probe_ecn_label(mark->ecn_came));
}

static bool has_come(const struct rt_probe_mark *mark)
{
	return mark && (mark->event == RT_PROBE_ANSWERED ||
			mark->event == RT_PROBE_PORT_CLOSED);
}

static void check_ect_lost(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_probe_mark *ect = mark_of(subject, "ect0");
	const struct rt_probe_mark *plain = mark_of(subject, "not-ect");

	if (ect && ect->event == RT_PROBE_SILENCE && has_come(plain))
		rt_findings_add(findings, rule, "",
				"DSCP %u: %" PRIu64 " packets with ECT(0), none came; "
				"without ECT they do",
				ect->dscp, ect->sent);
}

static void check_ce_seen(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;
	const struct rt_probe_mark *mark = mark_of(probed, "ect0");

	if (probed->load_ce.known && probed->load_ce.value)
		rt_findings_add(findings, rule, "",
				"%" PRIu64 " of %" PRIu64 " packets under load came "
				"marked",
				probed->load_ce.value, probed->load_came.value);
	else if (mark && strcmp(mark->ecn_came, "ce") == 0)
		rt_findings_add(findings, rule, "",
				"a single packet with ECT(0) came marked");
}

static void check_ce_never(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	if (probed->load_ce.known && !probed->load_ce.value)
		rt_findings_add(findings, rule, "",
				"none of %" PRIu64 " packets came marked",
				probed->load_came.value);
}

/* What is wanted does not fit into what arrives. */
static bool is_narrow(const struct rt_probed *probed)
{
	return probed->path_mtu_bytes.known && probed->roce_mtu_wanted_bytes.known &&
	       (!probed->roce_mtu_bytes.known ||
		probed->roce_mtu_bytes.value < probed->roce_mtu_wanted_bytes.value);
}

/* "RoCE MTU 1024 fits, 4096 is wanted (the profile's roce_mtu)". */
static const char *write_fit(const struct rt_probed *probed, char text[160])
{
	char have[40] = "no RoCE MTU";

	if (probed->roce_mtu_bytes.known)
		snprintf(have, sizeof(have), "RoCE MTU %" PRIu64,
			 probed->roce_mtu_bytes.value);
	snprintf(text, 160, "%s fits, %" PRIu64 " is wanted (%s)", have,
		 probed->roce_mtu_wanted_bytes.value, probed->roce_mtu_from);
	return text;
}

static void check_mtu(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;
	char where[64] = "", ip[RT_IP_TEXT_BYTES], fit[160];

	if (!is_narrow(probed) || !probed->mtu_below_bytes.known)
		return;
	for (size_t i = 0; i < probed->size_count; i++)
		if (probed->sizes[i].event == RT_PROBE_TOO_BIG)
			snprintf(where, sizeof(where), "%s",
				 rt_ip_format(&probed->sizes[i].from, ip));
	rt_findings_add(findings, rule, where,
			"packets of %" PRIu64 " bytes arrive, of %" PRIu64
			" do not: %s",
			probed->path_mtu_bytes.value, probed->mtu_below_bytes.value,
			write_fit(probed, fit));
}

/* All that our link lets through arrives: what the path does with more is not known. */
static void check_mtu_own(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;
	char fit[160];

	if (is_narrow(probed) && !probed->mtu_below_bytes.known &&
	    probed->local_mtu_bytes.known)
		rt_findings_add(findings, rule, probed->netdev,
				"packets of %" PRIu64 " bytes, its MTU, arrive: %s",
				probed->local_mtu_bytes.value, write_fit(probed, fit));
}

static void check_mtu_silent(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	if (probed->mtu_silent && probed->path_mtu_bytes.known)
		rt_findings_add(
			findings, rule, "",
			"packets of %" PRIu64 " bytes vanish, of %" PRIu64 " arrive",
			probed->mtu_below_bytes.value, probed->path_mtu_bytes.value);
}

static void check_back(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	for (size_t i = 0; i < probed->mark_count; i++) {
		const struct rt_probe_mark *mark = &probed->marks[i];

		if (!mark->dscp_back.known || !mark->dscp_came.known ||
		    strcmp(mark->ecn_back, "ce") == 0 ||
		    strcmp(mark->ecn_came, "ce") == 0 ||
		    (mark->dscp_back.value == mark->dscp_came.value &&
		     strcmp(mark->ecn_back, mark->ecn_came) == 0))
			continue;
		rt_findings_add(
			findings, rule, "",
			"DSCP %u, %s arrives there as %" PRIu64
			", %s, and back here as %" PRIu64 ", %s",
			mark->dscp, rt_probe_ecn_label(mark->ecn),
			mark->dscp_came.value, rt_probe_ecn_label(mark->ecn_came),
			mark->dscp_back.value, rt_probe_ecn_label(mark->ecn_back));
		return;
	}
}

static void check_unknown(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_probed *probed = subject;

	for (size_t i = 0; i < probed->told_count && probed->rtt_ns.known; i++)
		if (probed->told[i].asked && !probed->told[i].told)
			rt_findings_add(findings, rule, probed->told[i].help, "%s",
					probed->told[i].how);
	if (is_narrow(probed) && !probed->mtu_below_bytes.known &&
	    !probed->local_mtu_bytes.known)
		rt_findings_add(findings, rule, "",
				"no packet above %" PRIu64 " bytes was tried: %" PRIu64
				" is wanted as RoCE MTU",
				probed->path_mtu_bytes.value,
				probed->roce_mtu_wanted_bytes.value);
}

const struct rt_rule rt_probe_rules[] = {
	{ "probe-silence", RT_SEVERITY_ERROR, OBSERVED, "The host does not answer",
	  "Neither a listener answers, nor does an ICMP error come back: the host may "
	  "be "
	  "down or unreachable, or a firewall may drop UDP or ICMP. Nothing is known "
	  "of "
	  "the path.",
	  "Run `rocetune probe --listen` on the host, and let its port through.",
	  check_silence },
	{ "probe-dscp-rewritten", RT_SEVERITY_ERROR, OBSERVED,
	  "The path rewrites the DSCP",
	  "Switches choose the class of RoCE traffic by its DSCP (RFC 2474). What "
	  "arrives "
	  "with another one was, from some hop on, in another class: without PFC and "
	  "without its ECN thresholds.",
	  "Set the ports on the way to trust DSCP, and take remarking policies away; "
	  "--hops tells where it changes.",
	  check_dscp },
	{ "probe-ecn-bleached", RT_SEVERITY_ERROR, OBSERVED, "The path clears ECT",
	  "A packet without ECT is never marked: where the queue is long, RED drops it "
	  "instead (RFC 3168, 5), and DCQCN never slows its sender down.",
	  "Find the device that clears the ECN bits (--hops): often one that writes "
	  "the "
	  "whole ToS byte where it means the DSCP.",
	  check_bleached },
	{ "probe-ecn-changed", RT_SEVERITY_WARN, OBSERVED, "The path changes ECN bits",
	  "No device but one that marks CE may change them (RFC 3168, 5).",
	  "Find the device that changes them (--hops).", check_changed },
	{ "probe-ce-cleared", RT_SEVERITY_ERROR, OBSERVED, "The path clears CE",
	  "A mark that was set before it is lost: the receiver sends no CNP, and the "
	  "congestion goes on until PFC stops it (RFC 3168, 5).",
	  "Find the device that clears it; tunnels are suspects (RFC 6040).",
	  check_cleared },
	{ "probe-ect-lost", RT_SEVERITY_ERROR, OBSERVED,
	  "Packets with ECT do not get through",
	  "Those of the same DSCP without ECT do: some device drops by the ECN bits.",
	  "Look for filters that match the whole ToS byte.", check_ect_lost },
	{ "probe-ce-seen", RT_SEVERITY_INFO, OBSERVED, "The path marks",
	  "A queue of the path was above its ECN threshold, and marked.",
	  "Nothing to do: it is what ECN is for.", check_ce_seen },
	{ "probe-ce-never", RT_SEVERITY_INFO, OBSERVED, "No mark under load",
	  "Either no queue of this class was long enough, or no device marks it; a "
	  "probe "
	  "cannot tell which.",
	  "If the load was large, look at the ECN settings and queue counters of the "
	  "switches.",
	  check_ce_never },
	{ "probe-mtu-small", RT_SEVERITY_ERROR, OBSERVED,
	  "The path is too narrow for the RoCE MTU",
	  "RoCE packets are never fragmented: full packets of this MTU do not arrive, "
	  "and "
	  "queue pairs time out (InfiniBand Architecture Specification, annex A17).",
	  "Raise the MTU of the links and switches on the way, or lower the path MTU "
	  "of "
	  "the queue pairs.",
	  check_mtu },
	{ "probe-mtu-own", RT_SEVERITY_ERROR, OBSERVED,
	  "Our own interface is too small for the RoCE MTU",
	  "All that this host's interface sends arrives, and a full RoCE packet is "
	  "larger: queue pairs get a smaller MTU, or none. What the rest of the path "
	  "does with larger packets is not known.",
	  "Raise the MTU of this host's interface, then probe again.", check_mtu_own },
	{ "probe-mtu-silent", RT_SEVERITY_WARN, OBSERVED,
	  "Too large packets vanish without a word",
	  "No router says that they are too large (RFC 1191, RFC 4821): a switch, or a "
	  "filter that drops ICMP.",
	  "Compare the MTUs of all ports on the way.", check_mtu_silent },
	{ "probe-asymmetric", RT_SEVERITY_WARN, OBSERVED,
	  "The way back treats marks differently",
	  "Answers, CNPs and the data of RDMA READ travel it: they need the same "
	  "classes "
	  "as the way there.",
	  "Probe from the other end with --hops.", check_back },
	{ "probe-unknown", RT_SEVERITY_UNKNOWN, OBSERVED, "Not known",
	  "Nothing that came back tells it, so it is not judged.",
	  "Run `rocetune probe --listen` on the host, and probe as root.",
	  check_unknown },
};
const size_t rt_probe_rule_count = sizeof(rt_probe_rules) / sizeof(rt_probe_rules[0]);
