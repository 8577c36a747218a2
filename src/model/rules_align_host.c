/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_align_host.c - what a host port has against what the profile wants of it. */
#include <string.h>

#include "base/own.h"
#include "model/rules_align.h"

static const char *const side_names[RT_ALIGN_SIDES] = { "host", "profile", "switch",
							"lldp" };

void rt_align_sides(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	for (unsigned side = 0; side < RT_ALIGN_SIDES; side++)
		if (align->asked[side] && align->missing[side])
			align_found(findings, rule, align, "", "%s: %s",
				    side_names[side], align->missing[side]);
}

/* No NIC can hold two values in one place, whichever of them it is asked for. */
void rt_align_contradiction(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	if (align->contradiction)
		align_found(findings, rule, align, "", "%s", align->contradiction);
}

/* --- knob by knob ------------------------------------------------------------------- */

/* Knobs that have a rule of their own, which says more. */
static bool has_own_rule(unsigned id)
{
	static const enum rt_knob_id own[] = {
		RT_KNOB_DCBX_WILLING,  RT_KNOB_PAUSE_RX, RT_KNOB_PAUSE_TX,
		RT_KNOB_TCLASS,        RT_KNOB_CM_TOS,   RT_KNOB_NP_CNP_DSCP,
		RT_KNOB_STORM_TIMEOUT,
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(own); i++)
		if (own[i] == id)
			return true;
	return false;
}

/* Only the elements of mask, as text. */
static const char *some(const struct rt_knob *row, const struct rt_knob_value *value,
			uint64_t mask, char buf[RT_KNOB_TEXT_BYTES])
{
	struct rt_knob_value part = *value;

	part.known &= mask;
	return rt_knob_format(row, &part, buf);
}

/* What the host has not as it is wanted, and means something once it is. */
static uint64_t differing(const struct rt_align *align, unsigned id)
{
	const struct rt_qos *host = align->host, *want = &align->want->qos;
	const uint64_t differs = rt_knob_differs(&rt_knobs[id], &host->knobs[id],
						 &want->knobs[id]);
	const uint64_t told = want->knobs[RT_KNOB_ETS_TSA].known;

	if (id != RT_KNOB_ETS_BW)
		return differs;
	/* Where the profile does not say how a class is scheduled, the host does. */
	return differs & ~rt_qos_shareless(want) & ~(rt_qos_shareless(host) & ~told);
}

static void judge_knob(const struct rt_rule *rule, const struct rt_align *align,
		       unsigned id, struct rt_findings *findings)
{
	const struct rt_knob *row = &rt_knobs[id];
	const struct rt_knob_value *have = &align->host->knobs[id];
	const struct rt_knob_value *want = &align->want->qos.knobs[id];
	const uint64_t differs = differing(align, id);
	char is[RT_KNOB_TEXT_BYTES], wanted[RT_KNOB_TEXT_BYTES];
	char place[RT_PLACE_TEXT_BYTES];

	if (differs & ~have->known)
		rt_align_lacks(findings, rule, align, "%s of the host is not known%s%s",
			       row->name, *have->why ? ": " : "", have->why);
	if (!(differs & have->known))
		return;
	align_found(findings, rule, align, row->name,
		    "host %.100s, profile %.100s (%s)",
		    some(row, have, differs & have->known, is),
		    some(row, want, differs & have->known, wanted),
		    rt_place_format(&align->want->place[id], place));
}

/* Congestion control and limits hurt less than a wrong classification. */
static bool is_soft(unsigned id)
{
	const enum rt_knob_group group = rt_knobs[id].group;

	return group == RT_GROUP_CC || group == RT_GROUP_RATE ||
	       group == RT_GROUP_BUFFER || id == RT_KNOB_PFC_CABLE;
}

static void judge_knobs(const struct rt_rule *rule, const struct rt_align *align,
			bool soft, struct rt_findings *findings)
{
	if (!align->host || !align->want)
		return;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (!has_own_rule(id) && is_soft(id) == soft)
			judge_knob(rule, align, id, findings);
}

void rt_align_differs(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	judge_knobs(rule, subject, false, findings);
}

void rt_align_cc_differs(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	judge_knobs(rule, subject, true, findings);
}

/* --- what the profile is for ------------------------------------------------------------ */

void rt_align_other_port(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_setting *driver, *chip, *speed;
	char is[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (!align->profile)
		return;
	driver = &align->profile->match.driver;
	chip = &align->profile->match.chip;
	speed = &align->profile->match.speed;
	if (rt_setting_known(driver) && align->driver &&
	    strcmp(driver->text, align->driver) != 0)
		align_found(findings, rule, align, "",
			    "the profile is for driver %.40s, the port has %.40s",
			    driver->text, align->driver);
	if (rt_setting_known(chip) && align->chip &&
	    !strcasestr(align->chip, chip->text))
		align_found(findings, rule, align, "",
			    "the profile is for %.40s, the port is a %.60s", chip->text,
			    align->chip);
	if (rt_setting_known(speed) && align->speed_bps.known &&
	    speed->number != align->speed_bps.value)
		align_found(findings, rule, align, "",
			    "the profile is for %s, the link has %s",
			    rt_unit_format(RT_UNIT_BPS, speed->number, wanted),
			    rt_unit_format(RT_UNIT_BPS, align->speed_bps.value, is));
}

/* --- bytes on packets ------------------------------------------------------------------ */

/* Some class of the profile is meant for RoCE data and has this DSCP by name. */
static bool is_data_dscp(const struct rt_profile *profile, unsigned dscp)
{
	const struct rt_class *class = rt_profile_class_of_dscp(profile, dscp);

	if (!class || !rt_align_is_data(class))
		return false;
	return rt_class_is_lossless(class) || class->dscp.state == RT_SETTING_VALUE;
}

static void judge_byte(const struct rt_rule *rule, const struct rt_align *align,
		       enum rt_knob_id id, struct rt_findings *findings)
{
	const struct rt_opt_u64 have = rt_align_host(align, id);
	const struct rt_opt_u64 want = rt_align_want(align, id);

	if (!align->host || !align->profile)
		return;
	if (!have.known) {
		if (want.known)
			rt_align_lacks(findings, rule, align,
				       "%s of the host is not known",
				       rt_knobs[id].name);
		return;
	}
	if (want.known && have.value != want.value)
		align_found(findings, rule, align, rt_knobs[id].name,
			    "host %" PRIu64 " (DSCP %" PRIu64 "), profile %" PRIu64
			    " (DSCP %" PRIu64 ")",
			    have.value, have.value >> 2, want.value, want.value >> 2);
	else if (!want.known && align->profile->class_count &&
		 !is_data_dscp(align->profile, (unsigned)(have.value >> 2 & 63)))
		align_found(findings, rule, align, rt_knobs[id].name,
			    "host %" PRIu64 " is DSCP %" PRIu64
			    ", which no data class of the profile has by name",
			    have.value, have.value >> 2);
}

void rt_align_tclass(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	judge_byte(rule, subject, RT_KNOB_TCLASS, findings);
}

void rt_align_cm_tos(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	judge_byte(rule, subject, RT_KNOB_CM_TOS, findings);
}

static bool has_variable(const struct rt_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->app.count; i++)
		if (strcmp(profile->app.items[i].name, name) == 0)
			return true;
	return false;
}

static bool uses_devx(const struct rt_profile *profile)
{
	const struct rt_setting *scope = &profile->app_scope;

	return scope->state == RT_SETTING_VALUE && scope->text &&
	       strstr(scope->text, "devx");
}

/* The forced byte reaches QPs that the kernel makes; GPUs and DevX make their own. */
void rt_align_devx(const struct rt_rule *rule, const void *subject,
		   struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 forced = rt_align_host(align, RT_KNOB_TCLASS);
	const char *lacks = NULL;

	if (!align->profile || !forced.known || !forced.value)
		return;
	if (!has_variable(align->profile, "NCCL_IB_TC"))
		lacks = "NCCL_IB_TC";
	else if (uses_devx(align->profile) &&
		 !has_variable(align->profile, "NCCL_GIN_IB_TC"))
		lacks = "NCCL_GIN_IB_TC";
	if (lacks)
		align_found(findings, rule, align, rt_knobs[RT_KNOB_TCLASS].name,
			    "the host forces %" PRIu64 " (DSCP %" PRIu64
			    "), app of the profile has no %s",
			    forced.value, forced.value >> 2, lacks);
}

/* What profile check says of it, where the job is about to run. */
void rt_align_app(const struct rt_rule *rule, const void *subject,
		  struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	if (align->profile)
		rt_check_app_class(rule, align->profile, findings);
}

/* --- CNPs ---------------------------------------------------------------------------------- */

void rt_align_cnp_dscp(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 sent = rt_align_host(align, RT_KNOB_NP_CNP_DSCP);
	const struct rt_opt_u64 want = rt_align_want(align, RT_KNOB_NP_CNP_DSCP);
	const struct rt_class *cnp;
	char mask[RT_SWITCH_MASK_BYTES];

	if (!align->host || !align->profile)
		return;
	cnp = rt_profile_class_of_kind(align->profile, RT_CLASS_CNP);
	if (!sent.known) {
		if (want.known || cnp)
			rt_align_lacks(findings, rule, align,
				       "the DSCP of the host's CNPs is not known");
		return;
	}
	if (want.known && sent.value != want.value)
		align_found(findings, rule, align, "CNP",
			    "the host sends CNPs with DSCP %" PRIu64
			    ", profile: %" PRIu64,
			    sent.value, want.value);
	else if (!want.known && cnp && rt_setting_known(&cnp->dscp) &&
		 (sent.value > 63 || !(cnp->dscp.number >> sent.value & 1)))
		align_found(findings, rule, align, "CNP",
			    "the host sends CNPs with DSCP %" PRIu64
			    ", class %s of the profile has %s",
			    sent.value, cnp->name,
			    rt_align_mask(cnp->dscp.number, mask));
}

/* The priority of the host's CNPs: what is set for it, or what their DSCP maps to. */
static struct rt_opt_u64 cnp_prio(const struct rt_align *align)
{
	struct rt_opt_u64 prio = rt_align_host(align, RT_KNOB_NP_CNP_PRIO);
	const struct rt_opt_u64 dscps = rt_align_cnp_dscps(align);
	const struct rt_opt_u64 trust = rt_align_host(align, RT_KNOB_TRUST);

	if (dscps.known && dscps.value && trust.known && trust.value == RT_TRUST_DSCP) {
		const struct rt_opt_u64 mapped = rt_align_prio_of_dscp(
			align, (unsigned)__builtin_ctzll(dscps.value));

		if (mapped.known)
			prio = mapped;
	}
	return prio;
}

void rt_align_cnp_paused(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 mask = rt_align_host(align, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 prio = cnp_prio(align);
	char text[RT_SWITCH_MASK_BYTES];

	if (mask.known && prio.known && prio.value < 8 && mask.value >> prio.value & 1)
		align_found(findings, rule, align, "CNP",
			    "CNPs have priority %" PRIu64
			    ", PFC of the host is on for %s",
			    prio.value, rt_align_mask(mask.value, text));
}

/* --- the port ---------------------------------------------------------------------------- */

void rt_align_global_pause(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 rx = rt_align_host(align, RT_KNOB_PAUSE_RX);
	const struct rt_opt_u64 tx = rt_align_host(align, RT_KNOB_PAUSE_TX);
	const struct rt_opt_u64 mask = rt_align_host(align, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 want = rt_align_want(align, RT_KNOB_PAUSE_RX);
	const bool on = (rx.known && rx.value) || (tx.known && tx.value);
	const bool pfc = mask.known && mask.value;
	char text[RT_SWITCH_MASK_BYTES];

	if (!align->host)
		return;
	if (!rx.known && !tx.known && want.known)
		rt_align_lacks(findings, rule, align,
			       "802.3x pause of the host is not known");
	if (!on || (!pfc && !(want.known && !want.value)))
		return;
	align_found(findings, rule, align, "",
		    "802.3x pause is on (rx %s, tx %s), PFC is on for %s",
		    !rx.known  ? "unknown"
		    : rx.value ? "on"
			       : "off",
		    !tx.known  ? "unknown"
		    : tx.value ? "on"
			       : "off",
		    mask.known ? rt_align_mask(mask.value, text) : "unknown");
}

void rt_align_willing(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 have = rt_align_host(align, RT_KNOB_DCBX_WILLING);
	const struct rt_opt_u64 want = rt_align_want(align, RT_KNOB_DCBX_WILLING);

	if (!align->host || !want.known)
		return;
	if (!have.known)
		rt_align_lacks(findings, rule, align,
			       "whether the host is willing is not known");
	else if (have.value != want.value)
		align_found(findings, rule, align, "",
			    "the host is %swilling, the profile wants it %s",
			    have.value ? "" : "not ",
			    want.value ? "willing" : "static");
}

void rt_align_host_mtu(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_setting *l2, *roce;

	if (!align->host || !align->profile)
		return;
	l2 = &align->profile->match.l2_mtu;
	roce = &align->profile->match.roce_mtu;
	if (rt_setting_known(l2) && align->mtu_bytes.known &&
	    align->mtu_bytes.value < l2->number)
		align_found(findings, rule, align, "MTU",
			    "the netdev has %" PRIu64 ", the profile wants %" PRIu64,
			    align->mtu_bytes.value, l2->number);
	if (rt_setting_known(roce) && align->roce_mtu_bytes.known &&
	    align->roce_mtu_bytes.value != roce->number)
		align_found(findings, rule, align, "RoCE MTU",
			    "active are %" PRIu64 ", the profile wants %" PRIu64,
			    align->roce_mtu_bytes.value, roce->number);
}

void rt_align_storm_timeout(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const enum rt_knob_id id = RT_KNOB_STORM_TIMEOUT;
	const struct rt_opt_u64 have = rt_align_host(align, id);
	const struct rt_opt_u64 want = rt_align_want(align, id);
	char is[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (!align->host || !want.known)
		return;
	if (!have.known)
		rt_align_lacks(findings, rule, align, "%s of the host is not known%s%s",
			       rt_knobs[id].name,
			       *align->host->knobs[id].why ? ": " : "",
			       align->host->knobs[id].why);
	else if (have.value != want.value)
		align_found(findings, rule, align, rt_knobs[id].name,
			    "host %s, profile %s",
			    rt_unit_format(RT_UNIT_NS, have.value, is),
			    rt_unit_format(RT_UNIT_NS, want.value, wanted));
}
