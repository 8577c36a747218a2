/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_align_switch.c - the switch's port against the host's. */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/rules_align.h"

/* --- PFC ---------------------------------------------------------------------------- */

/* False, and said so, when one of the two is not known. */
static bool both_masks(const struct rt_rule *rule, const struct rt_align *align,
		       uint64_t *host, uint64_t *config, struct rt_findings *findings)
{
	const struct rt_opt_u64 ours = rt_align_host(align, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 theirs = rt_align_switch_pfc(align);

	if (!align->host || !align->port)
		return false;
	if (!ours.known)
		rt_align_lacks(findings, rule, align,
			       "pfc.mask of the host is not known");
	if (!theirs.known)
		rt_align_lacks(findings, rule, align, "PFC of %s is not known",
			       align->port->id.name);
	*host = ours.value;
	*config = theirs.value;
	return ours.known && theirs.known;
}

static void tell_masks(const struct rt_rule *rule, const struct rt_align *align,
		       uint64_t host, uint64_t config, struct rt_findings *findings)
{
	char ours[RT_SWITCH_MASK_BYTES], theirs[RT_SWITCH_MASK_BYTES];

	align_found(findings, rule, align, "PFC",
		    "the host has priority %.40s, %s of the switch %.40s",
		    rt_align_mask(host, ours), align->port->id.name,
		    rt_align_mask(config, theirs));
}

void rt_align_pfc_host_only(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	uint64_t host, config;

	if (both_masks(rule, align, &host, &config, findings) && host & ~config)
		tell_masks(rule, align, host, config, findings);
}

void rt_align_pfc_switch_only(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	uint64_t host, config;

	/* what is not known was told by the other rule */
	if (both_masks(rule, align, &host, &config, NULL) && config & ~host)
		tell_masks(rule, align, host, config, findings);
}

/* --- trust ---------------------------------------------------------------------------- */

static const char *trust_name(uint64_t trust)
{
	return rt_name_of(rt_knobs[RT_KNOB_TRUST].names, (unsigned)trust);
}

static bool by_dscp(uint64_t trust)
{
	return trust == RT_TRUST_DSCP || trust == RT_TRUST_BOTH;
}

void rt_align_trust(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	struct rt_opt_u64 ours = rt_align_host(align, RT_KNOB_TRUST);
	const char *who = "the host";
	const struct rt_setting *theirs;

	if (!align->port)
		return;
	if (!ours.known) {
		ours = rt_align_want(align, RT_KNOB_TRUST);
		who = "the profile";
	}
	if (!ours.known)
		return;
	theirs = &align->port->trust;
	if (rt_setting_known(theirs)) {
		if (by_dscp(ours.value) != by_dscp(theirs->number))
			align_found(findings, rule, align, "",
				    "%s trusts %s, %s of the switch %s", who,
				    trust_name(ours.value), align->port->id.name,
				    trust_name(theirs->number));
		return;
	}
	if (by_dscp(ours.value) && align->sw->has_ports &&
	    !rt_switch_map_of(align->sw, align->port, RT_SWITCH_DSCP_TC) &&
	    rt_switch_map_of(align->sw, align->port, RT_SWITCH_PCP_TC))
		align_found(findings, rule, align, "",
			    "%s trusts %s, %s of the switch has only a map of PCP", who,
			    trust_name(ours.value), align->port->id.name);
	else
		rt_align_lacks(findings, rule, align,
			       "what %s of the switch trusts is not in the file",
			       align->port->id.name);
}

/* --- link ------------------------------------------------------------------------------ */

void rt_align_link_down(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	if (align->link_up.known && !align->link_up.value)
		align_found(findings, rule, align, "", "the host's port has no link");
	if (align->port && rt_setting_known(&align->port->enabled) &&
	    !align->port->enabled.number)
		align_found(findings, rule, align, "",
			    "%s of the switch is shut down in its configuration",
			    align->port->id.name);
}

/* IPv6, UDP, BTH, RETH and ICRC around what a RoCE MTU holds. */
#define ROCE_OVERHEAD_BYTES (40 + 8 + 12 + 16 + 4)

/* The largest packet that the host may send, and why. */
static struct rt_opt_u64 sent_mtu(const struct rt_align *align, const char **ret_what)
{
	const struct rt_setting *want;

	*ret_what = "the host's MTU";
	if (align->mtu_bytes.known)
		return align->mtu_bytes;
	if (!align->profile)
		return align->mtu_bytes;
	*ret_what = "the profile's l2_mtu";
	want = &align->profile->match.l2_mtu;
	if (rt_setting_known(want))
		return RT_KNOWN_U64(want->number);
	*ret_what = "the profile's roce_mtu with its headers";
	want = &align->profile->match.roce_mtu;
	if (rt_setting_known(want))
		return RT_KNOWN_U64(want->number + ROCE_OVERHEAD_BYTES);
	return (struct rt_opt_u64){ 0 };
}

void rt_align_mtu(const struct rt_rule *rule, const void *subject,
		  struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);
	const char *what;
	const struct rt_opt_u64 sent = sent_mtu(align, &what);

	if (!sent.known)
		return;
	if (align->port && !rt_setting_known(&align->port->mtu))
		rt_align_lacks(findings, rule, align,
			       "the MTU of %s is not in the file",
			       align->port->id.name);
	else if (align->port && align->port->mtu.number < sent.value)
		align_found(findings, rule, align, "MTU",
			    "%s is %" PRIu64 ", %s of the switch has %" PRIu64, what,
			    sent.value, align->port->id.name, align->port->mtu.number);
	/*
	 * A frame has header and FCS (802.3 79.3.4), but some agents announce the MTU;
	 * and 0 when they do not know.
	 */
	if (peer && peer->max_frame_bytes.known && peer->max_frame_bytes.value &&
	    peer->max_frame_bytes.value < sent.value)
		align_found(findings, rule, align, "MTU",
			    "%s is %" PRIu64
			    ", the switch announces frames of at most %" PRIu64,
			    what, sent.value, peer->max_frame_bytes.value);
}

void rt_align_speed(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_setting *config;
	struct rt_opt_u64 ours = align->speed_bps;
	const char *who = "the host's link";
	char is[RT_UNIT_TEXT_BYTES], theirs[RT_UNIT_TEXT_BYTES];

	if (!ours.known && align->profile &&
	    rt_setting_known(&align->profile->match.speed)) {
		ours = RT_KNOWN_U64(align->profile->match.speed.number);
		who = "the profile";
	}
	if (!align->port || !ours.known)
		return;
	config = &align->port->speed;
	if (!rt_setting_known(config))
		rt_align_lacks(findings, rule, align,
			       "the speed of %s is not in the file",
			       align->port->id.name);
	else if (config->number != ours.value)
		align_found(findings, rule, align, "", "%s has %s, %s of the switch %s",
			    who, rt_unit_format(RT_UNIT_BPS, ours.value, is),
			    align->port->id.name,
			    rt_unit_format(RT_UNIT_BPS, config->number, theirs));
}

/* The cable as each says it; the headroom of either end is reckoned from it. */
void rt_align_cable(const struct rt_rule *rule, const void *subject,
		    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 nic = rt_align_host(align, RT_KNOB_PFC_CABLE);
	const struct rt_setting *role;
	struct rt_opt_u64 config = { 0 }, wanted = { 0 };
	char is[RT_UNIT_TEXT_BYTES], other[RT_UNIT_TEXT_BYTES];

	if (align->port && rt_setting_known(&align->port->cable))
		config = RT_KNOWN_U64(align->port->cable.number);
	if (align->profile) {
		role = &align->profile->sw.roles[RT_ROLE_HOST].cable;
		if (rt_setting_known(role))
			wanted = RT_KNOWN_U64(role->number);
	}
	/* where headroom is the platform's, no file speaks of cables */
	if (wanted.known && align->port && !config.known && !align->sw->pause_by_class)
		rt_align_lacks(findings, rule, align,
			       "the length of the cable at %s is not in the file",
			       align->port->id.name);
	if (config.known && wanted.known && config.value < wanted.value)
		align_found(findings, rule, align, "",
			    "%s of the switch has a cable of %s, the profile %s",
			    align->port->id.name,
			    rt_unit_format(RT_UNIT_LENGTH, config.value, is),
			    rt_unit_format(RT_UNIT_LENGTH, wanted.value, other));
	if (nic.known && config.known && nic.value < config.value)
		align_found(findings, rule, align, "",
			    "the NIC reckons with a cable of %s, %s of the switch with "
			    "%s",
			    rt_unit_format(RT_UNIT_LENGTH, nic.value, is),
			    align->port->id.name,
			    rt_unit_format(RT_UNIT_LENGTH, config.value, other));
}

/* --- watchdog ----------------------------------------------------------------------------- */

static bool watchdog_on(const struct rt_align *align)
{
	const struct rt_switch_watchdog *watchdog = &align->port->watchdog;

	return rt_setting_known(&watchdog->on) && watchdog->on.number;
}

static void judge_watchdog(const struct rt_rule *rule, const struct rt_align *align,
			   const char *name, enum rt_unit unit,
			   const struct rt_setting *want, const struct rt_setting *is,
			   struct rt_findings *findings)
{
	char have[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (!rt_setting_known(want))
		return;
	if (!rt_setting_known(is))
		rt_align_lacks(findings, rule, align,
			       "the watchdog's %s of %s is not in the file", name,
			       align->port->id.name);
	else if (want->number != is->number)
		align_found(findings, rule, align, "watchdog",
			    "%s of %s is %s, wanted is %s", name, align->port->id.name,
			    rt_unit_format(unit, is->number, have),
			    rt_unit_format(unit, want->number, wanted));
}

void rt_align_watchdog(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_watchdog *want;
	const struct rt_switch_watchdog *is;

	if (!align->port || !align->profile)
		return;
	want = &align->profile->sw.watchdog;
	is = &align->port->watchdog;
	if (!rt_setting_known(&want->classes) || !want->classes.number)
		return;
	if (!rt_setting_known(&is->on)) {
		rt_align_lacks(findings, rule, align,
			       "whether %s has a watchdog is not in the file",
			       align->port->id.name);
		return;
	}
	if (!is->on.number) {
		align_found(findings, rule, align, "watchdog",
			    "%s has none, the profile wants one", align->port->id.name);
		return;
	}
	judge_watchdog(rule, align, "detection time", RT_UNIT_NS, &want->detect,
		       &is->detect, findings);
	judge_watchdog(rule, align, "restoration time", RT_UNIT_NS, &want->restore,
		       &is->restore, findings);
	judge_watchdog(rule, align, "action", RT_UNIT_NONE, &want->action, &is->action,
		       findings);
}

/* Priorities that the profile's watchdog is for, a mask. */
static uint64_t watched_by_profile(const struct rt_profile *profile)
{
	const struct rt_setting *classes = &profile->sw.watchdog.classes;
	uint64_t mask = 0;

	for (size_t i = 0; i < profile->class_count && i < 64; i++) {
		const struct rt_setting *prio = &profile->classes[i].prio;

		if (rt_setting_known(classes) && classes->number >> i & 1 &&
		    rt_setting_known(prio) && prio->number < RT_SWITCH_PRIOS)
			mask |= UINT64_C(1) << prio->number;
	}
	return mask;
}

/* A storm of a priority that is paused and not watched is not ended. */
void rt_align_watchdog_prios(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	char missing[RT_SWITCH_MASK_BYTES], watched[RT_SWITCH_MASK_BYTES];
	const struct rt_setting *prios;
	uint64_t wanted = 0;

	if (!align->port || !watchdog_on(align))
		return;
	prios = &align->port->watchdog_prios;
	if (align->profile)
		wanted = watched_by_profile(align->profile);
	if (rt_setting_known(&align->port->pfc_tx))
		wanted |= align->port->pfc_tx.number;
	if (!rt_setting_known(prios))
		rt_align_lacks(findings, rule, align,
			       "which priorities the watchdog of %s watches is not in "
			       "the file",
			       align->port->id.name);
	else if (wanted & ~prios->number)
		align_found(findings, rule, align, "watchdog",
			    "%s watches priority %.40s, and not %.40s",
			    align->port->id.name, rt_switch_mask_text(prios, watched),
			    rt_align_mask(wanted & ~prios->number, missing));
}

/* A NIC that pauses for ever should give up before the switch drops what it gets. */
void rt_align_watchdog_storm(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 storm = rt_align_host(align, RT_KNOB_STORM_TIMEOUT);
	const struct rt_setting *detect;
	char ours[RT_UNIT_TEXT_BYTES], theirs[RT_UNIT_TEXT_BYTES];

	if (!align->port || !storm.known || !storm.value || !watchdog_on(align))
		return;
	detect = &align->port->watchdog.detect;
	if (rt_setting_known(detect) && storm.value >= detect->number)
		align_found(findings, rule, align, "watchdog",
			    "the NIC stops pausing after %s, the watchdog of %s acts "
			    "after %s",
			    rt_unit_format(RT_UNIT_NS, storm.value, ours),
			    align->port->id.name,
			    rt_unit_format(RT_UNIT_NS, detect->number, theirs));
}

void rt_align_unguarded(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 storm = rt_align_host(align, RT_KNOB_STORM_TIMEOUT);
	const struct rt_opt_u64 pfc = rt_align_switch_pfc(align);
	const struct rt_setting *on;

	if (!align->port || !storm.known || storm.value || !pfc.known || !pfc.value)
		return;
	on = &align->port->watchdog.on;
	if (rt_setting_known(on) && !on->number)
		align_found(findings, rule, align, "watchdog",
			    "the NIC never stops pausing, and %s has no watchdog",
			    align->port->id.name);
}
