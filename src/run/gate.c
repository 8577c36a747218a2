/* SPDX-License-Identifier: BSD-2-Clause */
/* gate.c - the rules of the gate. */
#include "run/gate.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/apply.h"

#define GATE(name)                                                        \
	static void name(const struct rt_rule *rule, const void *subject, \
			 struct rt_findings *findings)

static unsigned groups_of(const struct rt_plan *plan)
{
	unsigned groups = 0;

	for (size_t i = 0; plan && i < plan->change_count; i++)
		groups |= 1u << (plan->changes[i].raw == SIZE_MAX
					 ? rt_knobs[plan->changes[i].knob].group
					 : RT_GROUP_CC);
	return groups;
}

/* --- what the port is ---------------------------------------------------------------- */

GATE(virtual_function)
{
	const struct rt_gate *gate = subject;

	if (gate->device->function == RT_FUNCTION_VF)
		rt_findings_add(findings, rule, gate->where,
				"%s is a virtual function: its physical function has "
				"these knobs",
				gate->device->ibdev);
}

GATE(not_tunable)
{
	const struct rt_gate *gate = subject;

	if (*gate->device->untunable && gate->device->function != RT_FUNCTION_VF)
		rt_findings_add(findings, rule, gate->where, "%s",
				gate->device->untunable);
}

GATE(other_nic)
{
	const struct rt_gate *gate = subject;
	const struct rt_device *device = gate->device;

	if (gate->is_foreign)
		rt_findings_add(findings, rule, gate->where,
				"%s is in %s, too, and is of another NIC (%s, driver "
				"%s)",
				device->netdev, device->bond,
				*device->pci ? device->pci : "PCI address not told",
				*device->kernel_driver ? device->kernel_driver
						       : "not told");
}

GATE(in_switchdev)
{
	const struct rt_gate *gate = subject;

	if (strcmp(gate->device->eswitch, "switchdev") == 0)
		rt_findings_add(findings, rule, gate->where,
				"the e-switch of %s is in switchdev mode",
				gate->device->pci);
}

GATE(no_rights)
{
	const struct rt_gate *gate = subject;

	if (!gate->rights.known)
		return;
	if (!gate->rights.first_user_ns)
		rt_findings_add(findings, rule, gate->where,
				"this process is not in the first user namespace");
	else if (!gate->rights.net_admin)
		rt_findings_add(findings, rule, gate->where,
				"this process lacks CAP_NET_ADMIN");
}

/* --- who else ------------------------------------------------------------------------- */

GATE(another_manager)
{
	const struct rt_gate *gate = subject;
	const unsigned groups = groups_of(gate->plan);

	for (unsigned i = 0; rt_managers[i].name; i++)
		if (gate->managers >> i & 1 && rt_managers[i].groups & groups)
			rt_findings_add(findings, rule, gate->where, "%s %s: %s",
					rt_managers[i].name, rt_managers[i].does,
					rt_managers[i].remedy);
}

GATE(firmware_owns)
{
	const struct rt_gate *gate = subject;

	if (gate->no_plan && gate->no_plan->code == -EPERM)
		rt_findings_add(findings, rule, gate->where, "%s", gate->no_plan->msg);
}

GATE(pending)
{
	const struct rt_gate *gate = subject;

	if (gate->pending)
		rt_findings_add(findings, rule, gate->where, "%s", gate->pending);
}

GATE(closed)
{
	const struct rt_gate *gate = subject;

	if (gate->closed)
		rt_findings_add(findings, rule, gate->where, "%s", gate->closed);
}

/* --- the profile ------------------------------------------------------------------------ */

static bool setting_is_set(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_VALUE && setting->text;
}

GATE(other_driver)
{
	const struct rt_gate *gate = subject;
	const struct rt_setting *wants = &gate->profile->match.driver;
	const char *has = gate->device->driver_name;

	if (setting_is_set(wants) && has && strcmp(wants->text, has) != 0)
		rt_findings_add(findings, rule, gate->where,
				"the profile is for driver %s, the port has %s",
				wants->text, has);
}

GATE(other_chip)
{
	const struct rt_gate *gate = subject;
	const struct rt_setting *wants = &gate->profile->match.chip;

	if (setting_is_set(wants) && *gate->device->chip &&
	    !strcasestr(gate->device->chip, wants->text))
		rt_findings_add(findings, rule, gate->where,
				"the profile is for %s, the port is a %s", wants->text,
				gate->device->chip);
}

GATE(other_speed)
{
	const struct rt_gate *gate = subject;
	const struct rt_setting *wants = &gate->profile->match.speed;
	const struct rt_opt_u64 *has = &gate->device->speed_bps;
	char want[RT_UNIT_TEXT_BYTES], have[RT_UNIT_TEXT_BYTES];

	if (!rt_setting_known(wants) || !has->known || wants->number == has->value)
		return;
	rt_findings_add(findings, rule, gate->where,
			"the profile is for %s, the link runs at %s",
			rt_unit_format(RT_UNIT_BPS, wants->number, want),
			rt_unit_format(RT_UNIT_BPS, has->value, have));
}

GATE(match_unknown)
{
	const struct rt_gate *gate = subject;
	char want[RT_UNIT_TEXT_BYTES];

	if (rt_setting_known(&gate->profile->match.speed) &&
	    !gate->device->speed_bps.known)
		rt_findings_add(findings, rule, gate->where,
				"the profile is for %s, and the link tells no speed",
				rt_unit_format(RT_UNIT_BPS,
					       gate->profile->match.speed.number,
					       want));
	if (setting_is_set(&gate->profile->match.chip) && !*gate->device->chip)
		rt_findings_add(findings, rule, gate->where,
				"the profile is for %s, and which chip it is is not "
				"known",
				gate->profile->match.chip.text);
}

GATE(other_mtu)
{
	const struct rt_gate *gate = subject;
	const struct rt_setting *wants = &gate->profile->match.roce_mtu;
	const struct rt_opt_u64 *has = &gate->device->roce_mtu_bytes;

	if (rt_setting_known(wants) && has->known && wants->number != has->value)
		rt_findings_add(findings, rule, gate->where,
				"the profile is for a RoCE MTU of %llu, the port has "
				"%llu",
				(unsigned long long)wants->number,
				(unsigned long long)has->value);
}

GATE(status_asks)
{
	const struct rt_gate *gate = subject;
	const struct rt_setting *status = &gate->profile->status;

	if (!gate->wish->yes && rt_setting_known(status) &&
	    (status->number == RT_STATUS_RESEARCH ||
	     status->number == RT_STATUS_SIMULATED))
		rt_findings_add(findings, rule, gate->where, "the status of %s is %s",
				gate->wish->profile,
				status->number == RT_STATUS_RESEARCH ? "research"
								     : "simulated");
}

/* --- the plan ------------------------------------------------------------------------------ */

static uint64_t lossless_mask(const struct rt_qos *qos)
{
	return qos && qos->knobs[RT_KNOB_PFC_MASK].known
		       ? qos->knobs[RT_KNOB_PFC_MASK].number[0]
		       : 0;
}

/* How many priorities the NIC can keep lossless, when more are wanted; 0: no more are. */
static unsigned lossless_bound(const struct rt_gate *gate)
{
	const int wanted = __builtin_popcountll(lossless_mask(gate->want));
	struct rt_opt_u64 cap = { 0 };

	if (gate->have && !gate->undoes)
		cap = rt_qos_number(gate->have, RT_KNOB_PFC_CAP);
	return cap.known && (uint64_t)wanted > cap.value ? (unsigned)cap.value : 0;
}

GATE(too_many_lossless)
{
	const struct rt_gate *gate = subject;
	const unsigned bound = lossless_bound(gate);

	if (bound)
		rt_findings_add(findings, rule, gate->where,
				"the profile has %d lossless priorities, the NIC can "
				"do %u",
				__builtin_popcountll(lossless_mask(gate->want)), bound);
}

/* Of a change that is to be undone: boot, NIC or values are not the journal's. */
GATE(changed_since)
{
	const struct rt_gate *gate = subject;

	if (gate->no_plan && gate->no_plan->code == -ESTALE)
		rt_findings_add(findings, rule, gate->where, "%s", gate->no_plan->msg);
}

static void judge_no_plan(const struct rt_rule *rule, const struct rt_gate *gate,
			  struct rt_findings *findings)
{
	const int code = gate->no_plan ? gate->no_plan->code : 0;

	if (code && code != -EPERM && code != -ESTALE && !lossless_bound(gate))
		rt_findings_add(findings, rule, gate->where, "%s", gate->no_plan->msg);
}

GATE(no_plan)
{
	const struct rt_gate *gate = subject;

	if (!gate->undoes)
		judge_no_plan(rule, gate, findings);
}

GATE(no_plan_back)
{
	const struct rt_gate *gate = subject;

	if (gate->undoes)
		judge_no_plan(rule, gate, findings);
}

static void judge_missing(const struct rt_rule *rule, const struct rt_gate *gate,
			  struct rt_findings *findings)
{
	for (size_t i = 0; gate->plan && i < gate->plan->missing_count; i++)
		if (!gate->plan->missing[i].allowed)
			rt_findings_add(findings, rule, gate->where, "%s: %s",
					gate->plan->missing[i].name,
					gate->plan->missing[i].why);
}

GATE(missing_knobs)
{
	const struct rt_gate *gate = subject;

	if (!gate->undoes)
		judge_missing(rule, gate, findings);
}

GATE(missing_back)
{
	const struct rt_gate *gate = subject;

	if (gate->undoes)
		judge_missing(rule, gate, findings);
}

GATE(one_way)
{
	const struct rt_gate *gate = subject;

	for (size_t i = 0; gate->plan && i < gate->plan->change_count; i++) {
		const struct rt_change *change = &gate->plan->changes[i];

		if (change->one_way && !gate->wish->one_way)
			rt_findings_add(findings, rule, gate->where, "%s%s%s",
					rt_change_name(gate->plan, change),
					*change->note ? ": " : "", change->note);
	}
}

GATE(in_use)
{
	const struct rt_gate *gate = subject;
	const struct rt_device *device = gate->device;

	if (!gate->plan || gate->wish->disrupt || gate->plan->impact < RT_IMPACT_FLAP)
		return;
	if (!device->connected.known)
		rt_findings_add(findings, rule, gate->where,
				"the change is a %s, and whether connections are in "
				"use cannot be told",
				rt_name_of(rt_impact_names, gate->plan->impact));
	else if (device->connected.value)
		rt_findings_add(findings, rule, gate->where,
				"the change is a %s, and %llu connections are in use "
				"(%s)",
				rt_name_of(rt_impact_names, gate->plan->impact),
				(unsigned long long)device->connected.value,
				*device->users ? device->users : "by whom is not told");
}

GATE(needs_reload)
{
	const struct rt_gate *gate = subject;

	if (gate->plan && gate->plan->impact >= RT_IMPACT_RELOAD &&
	    !gate->wish->disrupt)
		rt_findings_add(findings, rule, gate->where,
				"some change takes effect only after a %s",
				rt_name_of(rt_impact_names, gate->plan->impact));
}

/* --- what is only told ------------------------------------------------------------------------ */

static bool writes_cc(const struct rt_plan *plan)
{
	return groups_of(plan) & 1u << RT_GROUP_CC;
}

GATE(algorithm_unknown)
{
	const struct rt_gate *gate = subject;

	if (gate->have && writes_cc(gate->plan) &&
	    !rt_qos_number(gate->have, RT_KNOB_CC_ALGORITHM).known)
		rt_findings_add(findings, rule, gate->where,
				"cc.algorithm is not known here%s%s",
				*gate->have->knobs[RT_KNOB_CC_ALGORITHM].why ? ": "
									     : "",
				gate->have->knobs[RT_KNOB_CC_ALGORITHM].why);
}

GATE(algorithm_other)
{
	const struct rt_gate *gate = subject;
	struct rt_opt_u64 runs = { 0 };
	char text[RT_KNOB_TEXT_BYTES];

	if (gate->plan && writes_cc(gate->plan))
		runs = rt_qos_number(&gate->plan->target, RT_KNOB_CC_ALGORITHM);
	if (runs.known && runs.value != RT_CC_DCQCN && runs.value != RT_CC_DCQCN_P &&
	    runs.value != RT_CC_DCQCN_D)
		rt_findings_add(
			findings, rule, gate->where, "cc.algorithm is %s",
			rt_knob_format(&rt_knobs[RT_KNOB_CC_ALGORITHM],
				       &gate->plan->target.knobs[RT_KNOB_CC_ALGORITHM],
				       text));
}

#define REFUSES(id_, basis_, check_, title_, explain_, remedy_)                       \
	{                                                                             \
		.id = (id_), .severity = RT_SEVERITY_ERROR,                           \
		.basis = RT_BASIS_##basis_, .title = (title_), .explain = (explain_), \
		.remedy = (remedy_), .check = (check_)                                \
	}

const struct rt_rule rt_gate_rules[] = {
	REFUSES("apply-vf", OBSERVED, virtual_function,
		"A virtual function has no such knobs",
		"Trust, PFC, ETS and congestion control belong to the port, and only "
		"the "
		"physical function may set them (kernel mlx5 en_dcbnl.c registers them "
		"there alone).",
		"Run rocetune on the host, on the physical function."),
	REFUSES("apply-not-tunable", OBSERVED, not_tunable,
		"The device cannot be tuned",
		"Some RDMA devices have nothing of RoCE's congestion control that a "
		"host "
		"could set.",
		"Nothing is to be done on this host; `rocetune list` tells what each "
		"device can."),
	REFUSES("apply-other-nic", OBSERVED, other_nic,
		"The bond has a port of another NIC",
		"Knobs and their rows belong to one NIC and its driver; a bond of "
		"which one half is set drops what comes by the other.",
		"Take that port out of the bond, or set each NIC by its own RDMA "
		"device outside of a bond."),
	REFUSES("apply-switchdev", OBSERVED, in_switchdev,
		"The NIC is in switchdev mode",
		"Its ports are representors then, and classification is the "
		"e-switch's: "
		"knobs of the port are not what packets see.",
		"Set it from the orchestrator that owns the e-switch, or go back to "
		"legacy: devlink dev eswitch set pci/ADDRESS mode legacy."),
	REFUSES("apply-rights", OBSERVED, no_rights,
		"The kernel would refuse the writes",
		"DCB is written only with CAP_NET_ADMIN in the first user namespace, "
		"whoever is root in a container (kernel net/dcb/dcbnl.c).",
		"Run it as root on the host."),
	REFUSES("apply-manager", OBSERVED, another_manager,
		"Another program sets these knobs",
		"Two that write the same knobs undo each other, at the latest at the "
		"next "
		"negotiation or restart.",
		"Let only one of them own the knobs."),
	REFUSES("apply-driver", OBSERVED, firmware_owns,
		"The driver or its firmware does not let us",
		"While firmware owns DCB, drivers refuse what the host sets, or take "
		"it "
		"and ignore it.",
		"Give DCB to the host as the message tells."),
	REFUSES("apply-pending", OBSERVED, pending, "An earlier change is not finished",
		"Until it is confirmed or undone nobody knows what the port shall be.",
		"rocetune confirm, rocetune rollback DEV, or rocetune recover; one "
		"that "
		"cannot be read, rocetune recover --forget CHANGE."),
	REFUSES("apply-other-driver", CONFIGURED, other_driver,
		"The profile is for another driver",
		"Its numbers were made for another NIC.",
		"Take a profile for this one: rocetune profile list."),
	REFUSES("apply-other-chip", CONFIGURED, other_chip,
		"The profile is for another chip",
		"Its numbers were made for another NIC.",
		"Take a profile for this one: rocetune profile list."),
	REFUSES("apply-other-speed", OBSERVED, other_speed,
		"The profile is for another speed",
		"Rates, timers and headroom follow from the speed of the link.",
		"Take a profile for this speed, or find out why the link runs slower "
		"(cable, peer, lanes)."),
	REFUSES("apply-status", CONFIGURED, status_asks,
		"The profile is not from a vendor or an operator",
		"Values of papers and simulations were never run on this NIC.",
		"Say --yes if that is what you want."),
	REFUSES("apply-lossless-count", CONFIGURED, too_many_lossless,
		"More lossless priorities than the NIC has",
		"The driver refuses the mask (IEEE 802.1Qbb, PFC Cap).",
		"Make fewer classes lossless."),
	REFUSES("rollback-stale", OBSERVED, changed_since,
		"The port is not as the change left it",
		"What another boot, another card or another hand made of it is not "
		"ours to undo.",
		"Apply the profile that the port shall have."),
	REFUSES("rollback-impossible", OBSERVED, no_plan_back,
		"What was cannot be put back",
		"The driver cannot have the old values now, or they could not be read.",
		"See to what the message names and try again, or apply the profile "
		"that the port shall have."),
	REFUSES("rollback-missing", OBSERVED, missing_back,
		"The port lacks a knob that the change wrote",
		"A change of which half is undone is neither old nor new; a driver "
		"or kernel that was replaced since may have other knobs.",
		"Give the port the driver back that the change was made with, or apply "
		"the profile that it shall have."),
	REFUSES("apply-impossible", CONFIGURED, no_plan,
		"What is wanted cannot be planned",
		"A value is out of the NIC's range, or could not be read.",
		"Change the profile as the message tells."),
	REFUSES("apply-missing", OBSERVED, missing_knobs,
		"The port lacks a knob that the profile sets",
		"A profile of which half is applied is another profile.",
		"Name it with --allow-missing if the rest makes sense without it."),
	REFUSES("apply-one-way", OBSERVED, one_way,
		"The change cannot be undone in full",
		"What it was before cannot be had again by writing, only by loading "
		"the "
		"driver anew or resetting the NIC.",
		"Say --one-way if that is acceptable."),
	REFUSES("apply-in-use", OBSERVED, in_use,
		"Connections are in use and the link would go down",
		"RDMA connections end when retries do, some milliseconds to seconds "
		"after their port went down.",
		"Stop the jobs first, or say --disrupt."),
	REFUSES("apply-reload", OBSERVED, needs_reload,
		"The change needs a reload or a reset",
		"Until then the NIC goes on as it was.",
		"Say --disrupt, and reload the driver or reset the firmware in a "
		"maintenance window."),
	{ .id = "apply-closed",
	  .severity = RT_SEVERITY_INFO,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "A change that another boot left was closed",
	  .explain = "Its program died with the host. The NIC came up with its own "
		     "defaults since, so there is nothing to put back.",
	  .remedy = "Nothing is to be done; `rocetune history` has it.",
	  .check = closed },
	{ .id = "apply-match-unknown",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "Whether the profile is for this port is not known",
	  .explain = "Without carrier a port tells no speed; of some chips only the "
		     "numbers of their vendors are known.",
	  .remedy = "Bring the link up first; compare the chip by `rocetune list`.",
	  .check = match_unknown },
	{ .id = "apply-mtu",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "The RoCE MTU is not the profile's",
	  .explain =
		  "The RoCE MTU is the largest of 256 to 4096 that fits the MTU of the "
		  "network device; both ends of a connection use the smaller one.",
	  .remedy = "Set the MTU of the network device, and of the switch before it.",
	  .check = other_mtu },
	{ .id = "apply-cc-unknown",
	  .severity = RT_SEVERITY_INFO,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "DCQCN parameters are written; whether DCQCN runs is not known",
	  .explain = "NICs take the parameters of an algorithm that they do not run.",
	  .remedy = "Ask the vendor's tool which algorithm runs.",
	  .check = algorithm_unknown },
	{ .id = "apply-cc-other",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "DCQCN parameters are written, and another algorithm runs",
	  .explain = "NICs take the parameters of an algorithm that they do not run.",
	  .remedy = "Choose DCQCN with the vendor's tool if that is what is meant.",
	  .check = algorithm_other },
};

const size_t rt_gate_rule_count = RT_ARRAY_SIZE(rt_gate_rules);
