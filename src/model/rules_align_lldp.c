/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_align_lldp.c - what is announced on the link against all other sides. */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/rules_align.h"

/* DCBX mode bits of a host, linux/dcbnl.h: DCB_CAP_DCBX_VER_CEE, _IEEE, _STATIC. */
#define MODE_CEE  0x04
#define MODE_IEEE 0x08

/* --- agents --------------------------------------------------------------------------- */

static void judge_agents(const struct rt_rule *rule, const struct rt_align *align,
			 const struct rt_dcbx_peer *const *agents, size_t count,
			 const char *who, struct rt_findings *findings)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(agents[i]->chassis, agents[0]->chassis) != 0) {
			align_found(findings, rule, align, "",
				    "%s: chassis %.60s (%.40s) and chassis %.60s "
				    "(%.40s)",
				    who, agents[0]->chassis, agents[0]->system_name,
				    agents[i]->chassis, agents[i]->system_name);
			return;
		}
}

void rt_align_two_agents(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	judge_agents(rule, align, align->peers, align->peer_count,
		     "the other end of the link", findings);
	judge_agents(rule, align, align->selves, align->self_count, "this host",
		     findings);
}

void rt_align_no_dcbx(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	if (peer && !peer->dcbx)
		align_found(findings, rule, align, "", "%.60s, port %.60s",
			    *peer->system_name ? peer->system_name : peer->chassis,
			    peer->port);
}

/* What the configuration says that the switch will speak. */
static void judge_config_dialect(const struct rt_rule *rule,
				 const struct rt_align *align, uint64_t mode,
				 struct rt_findings *findings)
{
	static const struct {
		const char *word;
		uint64_t mode;
	} dialects[] = { { "cee", MODE_CEE }, { "ieee", MODE_IEEE } };
	const struct rt_setting *config = &align->port->dcbx;

	for (size_t i = 0; config->text && i < RT_ARRAY_SIZE(dialects); i++)
		if (strcasecmp(config->text, dialects[i].word) == 0 &&
		    !(mode & dialects[i].mode))
			align_found(findings, rule, align, "",
				    "the host is set to %s, the configuration of %s to "
				    "%s",
				    mode & MODE_IEEE ? "ieee" : "cee",
				    align->port->id.name, config->text);
}

void rt_align_dialect(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);
	const struct rt_opt_u64 mode = rt_align_host(align, RT_KNOB_DCBX_MODE);
	bool agreed;

	if (!mode.known || !(mode.value & (MODE_CEE | MODE_IEEE)))
		return;
	if (align->port)
		judge_config_dialect(rule, align, mode.value, findings);
	if (!peer || !peer->dcbx)
		return;
	agreed = (mode.value & MODE_IEEE && peer->speaks[RT_DCBX_IEEE]) ||
		 (mode.value & MODE_CEE && peer->speaks[RT_DCBX_CEE]);
	if (!agreed)
		align_found(findings, rule, align, "",
			    "the host is set to %s%s%s, the switch speaks %s",
			    mode.value & MODE_IEEE ? "ieee" : "",
			    (mode.value & (MODE_CEE | MODE_IEEE)) ==
					    (MODE_CEE | MODE_IEEE)
				    ? " or "
				    : "",
			    mode.value & MODE_CEE ? "cee" : "", peer->dialects);
}

void rt_align_malformed(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_align *align = subject;

	for (size_t i = 0; i < align->peer_count; i++) {
		const struct rt_dcbx_peer *peer = align->peers[i];

		for (size_t f = 0; f < peer->fault_count; f++)
			align_found(findings, rule, align, "LLDP",
				    "%.60s: %s at byte %" PRIu32 " %s", peer->chassis,
				    peer->faults[f].tlv, peer->faults[f].offset_bytes,
				    peer->faults[f].reason);
	}
}

void rt_align_peer_error(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	if (peer && peer->error)
		align_found(findings, rule, align, "", "%.60s, in %s",
			    *peer->system_name ? peer->system_name : peer->chassis,
			    rt_name_of(rt_dcbx_dialect_names, peer->dialect));
}

/* "leaf-1" and "leaf-1.example.net" are one; two domains are two. */
static bool same_host(const char *a, const char *b)
{
	const size_t a_bytes = strcspn(a, "."), b_bytes = strcspn(b, ".");

	if (a[a_bytes] && b[b_bytes])
		return strcasecmp(a, b) == 0;
	return a_bytes == b_bytes && strncasecmp(a, b, a_bytes) == 0;
}

/* The leaf that the rail names, and the switch whose file it is, against who was heard. */
static void judge_names(const struct rt_rule *rule, const struct rt_align *align,
			const struct rt_dcbx_peer *peer, struct rt_findings *findings)
{
	const char *hostname = align->sw && rt_setting_known(&align->sw->hostname)
				       ? align->sw->hostname.text
				       : NULL;
	const bool leaf_differs = align->leaf &&
				  !same_host(align->leaf, peer->system_name);

	if (leaf_differs)
		align_found(findings, rule, align, "",
			    "the rail's leaf is %.60s, %.60s was heard", align->leaf,
			    peer->system_name);
	/* one finding for one cable, when the file is the leaf's */
	if (hostname && !same_host(hostname, peer->system_name) &&
	    !(leaf_differs && same_host(hostname, align->leaf)))
		align_found(findings, rule, align, "",
			    "compared with the configuration of %.60s, %.60s was heard",
			    hostname, peer->system_name);
}

void rt_align_wrong_port(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);
	const struct rt_switch_port *heard;

	if (!peer)
		return;
	if (*peer->system_name)
		judge_names(rule, align, peer, findings);
	if (!align->port || (!*peer->port && !*peer->port_description))
		return;
	/* Names of ports differ in form, so the switch is asked which one it is. */
	heard = rt_align_heard_port(align->sw, peer);
	if (!heard)
		rt_align_lacks(findings, rule, align,
			       "compared with %s; %.60s was heard, which is no port of "
			       "%.60s",
			       align->port->id.name,
			       *peer->port ? peer->port : peer->port_description,
			       align->sw->file);
	else if (heard != align->port)
		align_found(findings, rule, align, "",
			    "compared with %s, but %s was heard", align->port->id.name,
			    heard->id.name);
}

/* --- PFC ------------------------------------------------------------------------------- */

static void tell_masks(const struct rt_rule *rule, const struct rt_align *align,
		       const char *who, uint64_t mask, uint64_t announced,
		       struct rt_findings *findings)
{
	char ours[RT_SWITCH_MASK_BYTES], theirs[RT_SWITCH_MASK_BYTES];

	align_found(findings, rule, align, "PFC",
		    "%s has priority %.40s, the switch announces %.40s", who,
		    rt_align_mask(mask, ours), rt_align_mask(announced, theirs));
}

/* Willing to take what the other end sets, which is not (802.1Q 38.4.1). */
static bool takes_over(const struct rt_align *align)
{
	const struct rt_opt_u64 ours = rt_align_host(align, RT_KNOB_DCBX_WILLING);
	const struct rt_opt_u64 theirs = rt_align_said(align, RT_KNOB_DCBX_WILLING);

	return ours.known && ours.value && theirs.known && !theirs.value;
}

/* The host's mask and the announced one, where they differ. */
static bool masks_differ(const struct rt_align *align, uint64_t *ours, uint64_t *theirs)
{
	const struct rt_opt_u64 host = rt_align_host(align, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 said = rt_align_said(align, RT_KNOB_PFC_MASK);

	*ours = host.value;
	*theirs = said.value;
	return host.known && said.known && host.value != said.value;
}

void rt_align_pfc_announced(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	uint64_t ours, theirs;

	if (masks_differ(align, &ours, &theirs) && !takes_over(align))
		tell_masks(rule, align, "the host", ours, theirs, findings);
}

void rt_align_pfc_oper(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	uint64_t ours, theirs;

	if (masks_differ(align, &ours, &theirs) && takes_over(align))
		tell_masks(rule, align, "the host is willing; it", ours, theirs,
			   findings);
}

void rt_align_not_applied(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 said = rt_align_said(align, RT_KNOB_PFC_MASK);
	const struct rt_opt_u64 config = rt_align_switch_pfc(align);

	if (said.known && config.known && said.value != config.value)
		tell_masks(rule, align, "the configuration of the switch", config.value,
			   said.value, findings);
}

void rt_align_both_willing(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_opt_u64 ours = rt_align_host(align, RT_KNOB_DCBX_WILLING);
	const struct rt_opt_u64 theirs = rt_align_said(align, RT_KNOB_DCBX_WILLING);

	if (ours.known && ours.value && theirs.known && theirs.value)
		align_found(findings, rule, align, "",
			    "the host and %.60s are both willing",
			    rt_align_peer(align)->chassis);
}

/* --- ETS and applications ----------------------------------------------------------------- */

/* The share of a priority's class, when its class is one of shares. */
static struct rt_opt_u64 share_of(const struct rt_qos *qos, unsigned prio)
{
	const struct rt_knob_value *tcs = &qos->knobs[RT_KNOB_ETS_PRIO_TC];
	const struct rt_knob_value *tsa = &qos->knobs[RT_KNOB_ETS_TSA];
	const struct rt_knob_value *bw = &qos->knobs[RT_KNOB_ETS_BW];
	unsigned tc;

	if (!(tcs->known >> prio & 1) || tcs->number[prio] > 7)
		return (struct rt_opt_u64){ 0 };
	tc = (unsigned)tcs->number[prio];
	if (!(tsa->known >> tc & 1) || !(bw->known >> tc & 1) ||
	    tsa->number[tc] != RT_TSA_ETS)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(bw->number[tc]);
}

void rt_align_ets_announced(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);

	if (!peer || !peer->dcbx || !align->host)
		return;
	for (unsigned prio = 0; prio < 8; prio++) {
		const struct rt_opt_u64 ours = share_of(align->host, prio);
		const struct rt_opt_u64 theirs = share_of(&peer->said, prio);
		char part[24];

		if (!ours.known || !theirs.known || ours.value == theirs.value)
			continue;
		snprintf(part, sizeof(part), "priority %u", prio);
		align_found(findings, rule, align, part,
			    "the host gives it %" PRIu64 " %%, the switch %" PRIu64
			    " %%",
			    ours.value, theirs.value);
	}
}

/* The priority of a lossless class of data: the host's for its DSCP, else the profile's. */
static struct rt_opt_u64 prio_of_class(const struct rt_align *align,
				       const struct rt_class *class)
{
	struct rt_opt_u64 prio = { 0 };

	if (rt_setting_known(&class->dscp) && class->dscp.number)
		prio = rt_align_prio_of_dscp(
			align, (unsigned)__builtin_ctzll(class->dscp.number));
	if (!prio.known && rt_setting_known(&class->prio))
		prio = RT_KNOWN_U64(class->prio.number);
	return prio;
}

/* The priorities of all lossless classes of data, a mask; 0: none is known. */
static uint64_t lossless_prios(const struct rt_align *align)
{
	uint64_t mask = 0;

	if (!align->profile)
		return 0;
	for_each_class (class, align->profile) {
		const struct rt_opt_u64 prio = prio_of_class(align, class);

		if (rt_align_is_data(class) && rt_class_is_lossless(class) &&
		    prio.known && prio.value < 8)
			mask |= UINT64_C(1) << prio.value;
	}
	return mask;
}

static void judge_roce(const struct rt_rule *rule, const struct rt_align *align,
		       const struct rt_dcbx_peer *peer, struct rt_findings *findings)
{
	static const char *const names[RT_DCBX_ROCE_COUNT] = {
		[RT_DCBX_ROCE_V2] = "UDP port 4791",
		[RT_DCBX_ROCE_V1] = "Ethertype 0x8915",
	};
	const uint64_t ours = lossless_prios(align);
	char is[RT_SWITCH_MASK_BYTES], announced[RT_SWITCH_MASK_BYTES];

	for (size_t i = 0; ours && i < RT_DCBX_ROCE_COUNT; i++)
		if (peer->roce_prios[i] && !(peer->roce_prios[i] & ours))
			align_found(findings, rule, align, names[i],
				    "the lossless class has priority %.40s here, the "
				    "switch announces %.40s",
				    rt_align_mask(ours, is),
				    rt_align_mask(peer->roce_prios[i], announced));
}

void rt_align_app_announced(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_align *align = subject;
	const struct rt_dcbx_peer *peer = rt_align_peer(align);
	const struct rt_knob_value *map;
	char part[24];

	if (!peer || !peer->dcbx)
		return;
	judge_roce(rule, align, peer, findings);
	map = &peer->said.knobs[RT_KNOB_DSCP_PRIO];
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		const struct rt_opt_u64 ours = rt_align_prio_of_dscp(align, dscp);

		if (!(map->known >> dscp & 1) || !ours.known ||
		    ours.value == map->small[dscp])
			continue;
		snprintf(part, sizeof(part), "DSCP %u", dscp);
		align_found(findings, rule, align, part,
			    "priority %" PRIu64 " here, the switch announces %u",
			    ours.value, map->small[dscp]);
	}
}
