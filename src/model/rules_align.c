/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_align.c - the rules over the two ends of a link. */
#include "model/rules_align.h"
#include "base/own.h"

/* Found by the other rules, through rt_align_lacks(). */
static void check_nothing(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	(void)rule;
	(void)subject;
	(void)findings;
}

const struct rt_rule rt_align_rules[] = {
	{
		.id = "align-side-missing",
		.severity = RT_SEVERITY_UNKNOWN,
		.title = "A side that was asked for is not there",
		.explain = "Host, profile, switch and announcement are compared two by "
			   "two; without one of them the rules about it had nothing to "
			   "look at.",
		.remedy = "Do what the text says, or do not ask for that side.",
		.check = rt_align_sides,
	},
	[RT_ALIGN_NOT_JUDGED] = {
		.id = "align-not-judged",
		.severity = RT_SEVERITY_UNKNOWN,
		.title = "A comparison lacks a value",
		.explain = "One side does not tell what the named rule compares, so it "
			   "was not checked: that is neither good nor bad.",
		.remedy = "Give the value, or read it where it can be read (as root, "
			  "on the host itself, from the whole configuration).",
		.check = check_nothing,
	},
	{
		.id = "align-other-port",
		.severity = RT_SEVERITY_ERROR,
		.title = "The profile is for another port",
		.explain = "Its numbers were chosen for another NIC or speed; what "
			   "follows compares with them all the same.",
		.remedy = "Choose a profile for this port, or a rail of the profile.",
		.check = rt_align_other_port,
	},
	{
		.id = "align-host-differs",
		.severity = RT_SEVERITY_ERROR,
		.title = "The host is not as its profile says",
		.explain = "Classification, PFC, traffic classes or bytes on packets "
			   "differ from what the rail's profile wants: packets meet "
			   "another queue, or no PAUSE.",
		.remedy = "rocetune apply DEV --profile P --dry-run shows what would "
			  "change.",
		.check = rt_align_differs,
	},
	{
		.id = "align-host-tuning",
		.severity = RT_SEVERITY_WARN,
		.title = "Congestion control, rates or buffers of the host differ",
		.explain = "Traffic takes the right way but is slowed down, limited or "
			   "buffered in another way than the profile says.",
		.remedy = "rocetune apply DEV --profile P --only cc,rate,buffer "
			  "--dry-run shows what would change.",
		.check = rt_align_cc_differs,
	},
	{
		.id = "align-tclass",
		.severity = RT_SEVERITY_ERROR,
		.title = "The traffic class that the host forces is another class",
		.explain = "tc/1/traffic_class of sysfs overrides the byte of every QP "
			   "that the kernel makes, so that all of its RoCE goes to the "
			   "class of that DSCP (kvcache-ai/Mooncake issue 1699).",
		.remedy = "Set it to the byte of the profile's class (`rocetune tos "
			  "BYTE --profile P`), or to none and let applications say "
			  "theirs.",
		.check = rt_align_tclass,
	},
	{
		.id = "align-tclass-devx",
		.severity = RT_SEVERITY_WARN,
		.title = "The forced traffic class does not reach DevX queue pairs",
		.explain = "GPU-driven queue pairs (DevX, GDAKI) are made past the "
			   "kernel and go out as DSCP 0 unless the application says "
			   "otherwise; on a lossless network they then lose packets "
			   "and hang (NVIDIA/nccl issue 2383).",
		.remedy = "Set NCCL_IB_TC, and NCCL_GIN_IB_TC where GPUs drive the "
			  "NIC, to the same byte, and write them in the profile's "
			  "app.",
		.check = rt_align_devx,
	},
	{
		.id = "align-app-variable",
		.severity = RT_SEVERITY_ERROR,
		.title = "An application's traffic class is of no class",
		.explain = "NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS and the like are the whole "
			   "byte, DSCP * 4 + ECN; with another DSCP the job runs as "
			   "best effort, beside an idle lossless class.",
		.remedy = "Set the variable to the byte of a class: `rocetune tos BYTE "
			  "--profile P`.",
		.check = rt_align_app,
	},
	{
		.id = "align-rdma-cm-tos",
		.severity = RT_SEVERITY_ERROR,
		.title = "rdma_cm gives connections the wrong class",
		.explain = "Connections by rdma_cm get default_roce_tos of the port, 0 "
			   "unless it is set: storage traffic then is best effort "
			   "whatever the switch does (chimera-nas/chimera pull 617).",
		.remedy = "cma_roce_tos -d DEV -t BYTE, or rocetune apply --only tos.",
		.check = rt_align_cm_tos,
	},
	{
		.id = "align-cnp-dscp",
		.severity = RT_SEVERITY_ERROR,
		.title = "CNPs have another DSCP than the profile's class",
		.explain = "CNPs that are queued with ordinary traffic come late or "
			   "are dropped, and senders slow down too late. Vendors "
			   "differ: 48 (NVIDIA, Broadcom) and 46 (Azure; sonic-mgmt "
			   "pull 25347).",
		.remedy = "Set cnp_dscp of the NIC to the profile's, or take the "
			  "NIC's DSCP into the class of kind cnp.",
		.check = rt_align_cnp_dscp,
	},
	{
		.id = "align-cnp-paused",
		.severity = RT_SEVERITY_ERROR,
		.title = "PFC pauses the host's CNPs",
		.explain = "A CNP that waits behind a paused priority tells the sender "
			   "too late, just when the network is congested.",
		.remedy = "Give CNPs a priority without PFC.",
		.check = rt_align_cnp_paused,
	},
	{
		.id = "align-cnp-queue",
		.severity = RT_SEVERITY_ERROR,
		.title = "The switch does not keep CNPs apart",
		.explain = "CNPs belong to a queue of their own, not paused and served "
			   "first; in the queue of the data they wait for the very "
			   "congestion they report.",
		.remedy = "Map the DSCP of the CNPs to the traffic class of the CNP "
			  "queue on the switch, or set the NIC's CNP DSCP to one that "
			  "is there.",
		.check = rt_align_cnp_queue,
	},
	{
		.id = "align-cnp-shared",
		.severity = RT_SEVERITY_INFO,
		.title = "Other traffic shares the traffic class of the CNPs",
		.explain = "Which of the DSCPs of a traffic class CNPs carry cannot be "
			   "told from the switch, and what shares their queue delays "
			   "them.",
		.remedy = "Give CNPs a traffic class of their own.",
		.check = rt_align_cnp_shared,
	},
	{
		.id = "align-global-pause",
		.severity = RT_SEVERITY_ERROR,
		.title = "Pause of the whole link is on",
		.explain = "802.3x pause stops all priorities, and no drop shows that "
			   "it does; it took 22 % of a 400G link (NVIDIA/daqiri issue "
			   "250). With PFC on some NICs treat every buffer as "
			   "lossless.",
		.remedy = "ethtool -A DEV rx off tx off, then set PFC.",
		.check = rt_align_global_pause,
	},
	{
		.id = "align-willing",
		.severity = RT_SEVERITY_ERROR,
		.title = "The host is willing, the profile is static (or the reverse)",
		.explain = "A willing port takes what the peer announces, also when "
			   "that is nothing: PFC then is off although it was set "
			   "(Azure/AzureLocal-Supportability pull 297).",
		.remedy = "Set willing as the profile says; a static profile wants "
			  "host-owned DCB.",
		.check = rt_align_willing,
	},
	{
		.id = "align-host-mtu",
		.severity = RT_SEVERITY_ERROR,
		.title = "The host's MTU is not the profile's",
		.explain = "The RoCE MTU is the largest of 256 to 4096 that fits into "
			   "the netdev's; peers take the smaller one, or do not "
			   "connect.",
		.remedy = "ip link set DEV mtu MTU, then check active_mtu of the RDMA "
			  "device.",
		.check = rt_align_host_mtu,
	},
	{
		.id = "align-storm-timeout",
		.severity = RT_SEVERITY_WARN,
		.title = "The NIC's pause storm time-out is not the profile's",
		.explain = "How long a NIC may pause its link before it gives up "
			   "decides whether a hung host stops a fabric.",
		.remedy = "rocetune apply DEV --profile P --only storm.",
		.check = rt_align_storm_timeout,
	},
	{
		.id = "align-pfc-host-only",
		.severity = RT_SEVERITY_ERROR,
		.title = "PFC is on at the host and not at the switch",
		.explain = "The host pauses and is not heard: its receive buffer "
			   "overflows and drops; and what it sends is dropped in the "
			   "switch (NVIDIA/nccl issues 378 and 306).",
		.remedy = "Turn PFC on for the priority at the port of the switch, or "
			  "off at the host.",
		.check = rt_align_pfc_host_only,
	},
	{
		.id = "align-pfc-switch-only",
		.severity = RT_SEVERITY_WARN,
		.title = "PFC is on at the switch and not at the host",
		.explain = "The switch pauses a priority that the host does not stop: "
			   "what the host sends with it overflows the headroom and is "
			   "dropped. A priority that the profile wants paused is an "
			   "error of the host besides.",
		.remedy = "Turn PFC on for the priority at the host, or off at the "
			  "port.",
		.check = rt_align_pfc_switch_only,
	},
	{
		.id = "align-trust",
		.severity = RT_SEVERITY_ERROR,
		.title = "Host and switch classify by different fields",
		.explain = "The one looks at the DSCP, the other at the VLAN priority, "
			   "which is 0 where there is no tag: classes meet only by "
			   "chance.",
		.remedy = "Set both to the same; routed RoCE needs DSCP.",
		.check = rt_align_trust,
	},
	{
		.id = "align-link-down",
		.severity = RT_SEVERITY_WARN,
		.title = "The link is down",
		.explain = "Nothing crosses it, and what a link settles when it comes up "
			   "(speed, DCBX) was not there to be compared.",
		.remedy = "Bring up both ends (ip link set DEV up; config interface "
			  "startup, no shutdown) and check again; or leave out a port "
			  "that is not used.",
		.check = rt_align_link_down,
	},
	{
		.id = "align-mtu",
		.severity = RT_SEVERITY_ERROR,
		.title = "The switch carries smaller packets than the host sends",
		.explain = "Packets over the port's MTU are dropped without PAUSE and "
			   "without a mark: connections hang at the first full-sized "
			   "message.",
		.remedy = "Raise the MTU of the port (9216 or 9214 is usual), or "
			  "lower the host's.",
		.check = rt_align_mtu,
	},
	{
		.id = "align-speed",
		.severity = RT_SEVERITY_ERROR,
		.title = "Host and switch say different speeds",
		.explain = "The link is not the one that the configuration means, or a "
			   "breakout was not applied; headroom and thresholds hold for "
			   "another speed.",
		.remedy = "Compare the port of the switch with where the cable goes.",
		.check = rt_align_speed,
	},
	{
		.id = "align-cable",
		.severity = RT_SEVERITY_WARN,
		.title = "The cable is reckoned shorter than it is",
		.explain = "Headroom for a shorter cable overflows: what is on the "
			   "longer one when PAUSE is sent has no room.",
		.remedy = "Set the cable length on the switch (CABLE_LENGTH) and on "
			  "the NIC (pfc.delay on mlx5) to the real one.",
		.check = rt_align_cable,
	},
	{
		.id = "align-watchdog",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch's watchdog is not the profile's",
		.explain = "A watchdog that acts too early drops RoCE traffic at a "
			   "link flap or one late PAUSE (sonic-swss pull 3036); one "
			   "that is not there lets one host stop a fabric.",
		.remedy = "Set it as the profile says (pfcwd start on SONiC).",
		.check = rt_align_watchdog,
	},
	{
		.id = "align-watchdog-prios",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch's watchdog does not watch a paused priority",
		.explain = "pfcwd_sw_enable names the priorities that are watched, apart "
			   "from pfc_enable: a storm of another one is not ended, and "
			   "stops all that send to this host.",
		.remedy = "Make pfcwd_sw_enable of the port's PORT_QOS_MAP equal to "
			  "pfc_enable.",
		.check = rt_align_watchdog_prios,
	},
	{
		.id = "align-watchdog-first",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch's watchdog acts before the NIC gives up",
		.explain = "A NIC that hangs should stop pausing by itself; if the "
			   "switch is first, it drops the traffic of that port, and "
			   "healthy peers lose packets.",
		.remedy = "Make the NIC's time-out shorter than the detection time of "
			  "the switch.",
		.check = rt_align_watchdog_storm,
	},
	{
		.id = "align-no-storm-guard",
		.severity = RT_SEVERITY_WARN,
		.title = "Nothing ends a pause storm",
		.explain = "With neither a watchdog on the port nor a time-out in the "
			   "NIC, one host that pauses for ever stops all that send to "
			   "it, and then those that send to them.",
		.remedy = "Turn on one of them at least.",
		.check = rt_align_unguarded,
	},
	{
		.id = "align-class-lossy",
		.severity = RT_SEVERITY_ERROR,
		.title = "A lossless class is lossy on the switch",
		.explain = "The DSCPs of the class lead to a traffic class without "
			   "PFC, headroom, or both: no PAUSE is sent and packets are "
			   "dropped. With SONiC's default map DSCP 24 and 26 are "
			   "lossy.",
		.remedy = "Map the DSCPs to the traffic class that is lossless on "
			  "this port; maps differ between ports that face hosts and "
			  "uplinks.",
		.check = rt_align_lossless_class,
	},
	{
		.id = "align-class-paused",
		.severity = RT_SEVERITY_WARN,
		.title = "A lossy class is paused on the switch",
		.explain = "Traffic that does not need it shares a paused priority and "
			   "can pause the data, or be paused with it.",
		.remedy = "Map its DSCPs to another traffic class, or make the class "
			  "lossless in the profile.",
		.check = rt_align_lossy_class,
	},
	{
		.id = "align-rest-paused",
		.severity = RT_SEVERITY_INFO,
		.title = "DSCPs that no class has by name are paused on the switch",
		.explain = "They share the traffic class of a lossless class, as "
			   "whole ranges do in the default map of EOS: harmless while "
			   "nobody sends them.",
		.remedy = "Give the lossless class these DSCPs too, or map them "
			  "elsewhere.",
		.check = rt_align_rest_paused,
	},
	{
		.id = "align-class-prio",
		.severity = RT_SEVERITY_ERROR,
		.title = "Host and switch pause a class by different priorities",
		.explain = "A PAUSE for one priority does not stop traffic that is "
			   "sent with another: the switch's headroom overflows "
			   "although PFC is on at both ends.",
		.remedy = "Make the host's priority of the DSCP the one that pauses "
			  "it on the switch.",
		.check = rt_align_class_prio,
	},
	{
		.id = "align-queue",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch puts a class elsewhere than the profile says",
		.explain = "What the profile says of the queue (ECN, shares, headroom) "
			   "then holds for other traffic.",
		.remedy = "Change the map of the switch, or the profile.",
		.check = rt_align_queue,
	},
	{
		.id = "align-ecn-missing",
		.severity = RT_SEVERITY_ERROR,
		.title = "The switch does not mark where the profile wants it",
		.explain = "Without marks DCQCN has nothing to react to; PFC alone "
			   "then holds every congestion (sonic-buildimage issue "
			   "21891).",
		.remedy = "Bind a WRED profile with ecn to the queue, and see that it "
			  "is enabled.",
		.check = rt_align_ecn,
	},
	{
		.id = "align-ecn-thresholds",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch marks at other thresholds",
		.explain = "Kmin, Kmax and Pmax decide together with PFC's XOFF "
			   "whether senders slow down before they are paused.",
		.remedy = "Set the profile's numbers on the switch, or the switch's "
			  "in the profile.",
		.check = rt_align_thresholds,
	},
	{
		.id = "align-not-ect",
		.severity = RT_SEVERITY_WARN,
		.title = "Packets that cannot be marked meet ECN thresholds",
		.explain = "What is not ECN-capable is dropped where ECT would be "
			   "marked: Kmin and Kmax are drop thresholds then (sonic-swss "
			   "issue 4718).",
		.remedy = "Set ECT in the traffic class byte (106 instead of 104 for "
			  "DSCP 26), or let the NIC set it.",
		.check = rt_align_ect,
	},
	{
		.id = "align-headroom",
		.severity = RT_SEVERITY_ERROR,
		.title = "The port has less headroom than the profile",
		.explain = "What is on the way when PAUSE is sent has no room and is "
			   "dropped; a profile of another speed or cable is the usual "
			   "reason (sonic-swss pull 4004).",
		.remedy = "Bind the profile for this speed and cable.",
		.check = rt_align_headroom,
	},
	{
		.id = "align-scheduling",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch schedules a class otherwise",
		.explain = "Strict and weighted service, or other weights, decide what "
			   "is left for the data when queues fill.",
		.remedy = "Bind the scheduler that the profile describes.",
		.check = rt_align_sched,
	},
	{
		.id = "align-two-agents",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "Two LLDP agents speak on one link",
		.explain = "An agent in the NIC's firmware and one of the system both "
			   "announce; switches then turn DCBX off for several peers, "
			   "and PFC with it (Azure/AzureLocal-Supportability pull 297 "
			   "and issue 291).",
		.remedy = "Turn one off: the firmware's (LLDP_NB_DCBX, fw-lldp-agent) "
			  "or the host's (lldpad, lldpd).",
		.check = rt_align_two_agents,
	},
	{
		.id = "align-no-dcbx",
		.severity = RT_SEVERITY_INFO,
		.basis = RT_BASIS_OBSERVED,
		.title = "The switch announces no DCBX",
		.explain = "Nothing of it can be compared by LLDP; a static "
			   "configuration at both ends needs none.",
		.remedy = "Give --switch to compare with its configuration.",
		.check = rt_align_no_dcbx,
	},
	{
		.id = "align-dialect",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "Host and switch speak different dialects of DCBX",
		.explain = "Neither understands the other: a willing host gets "
			   "nothing, and a switch may turn PFC off (microsoft/SDN "
			   "issue 253).",
		.remedy = "Set both to IEEE, or the one to what the other speaks.",
		.check = rt_align_dialect,
	},
	{
		.id = "align-lldp-malformed",
		.severity = RT_SEVERITY_WARN,
		.basis = RT_BASIS_OBSERVED,
		.title = "What the switch announces contradicts itself",
		.explain = "A TLV of a wrong length or with parts outside of itself "
			   "was not taken; other receivers may take it otherwise.",
		.remedy = "Report it to the vendor with the frame (`tcpdump -w FILE "
			  "ether proto 0x88cc`).",
		.check = rt_align_malformed,
	},
	{
		.id = "align-peer-error",
		.severity = RT_SEVERITY_WARN,
		.basis = RT_BASIS_OBSERVED,
		.title = "The switch says that it could not agree",
		.explain = "CEE and CIN have a bit by which one end says that the "
			   "other's settings are not compatible with its own.",
		.remedy = "Make the settings equal, or one end willing.",
		.check = rt_align_peer_error,
	},
	{
		.id = "align-pfc-announced",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "The switch announces PFC for other priorities",
		.explain = "What runs at the other end is not what the host pauses and "
			   "obeys, whatever the files say.",
		.remedy = "Find out which of the two is as the profile says.",
		.check = rt_align_pfc_announced,
	},
	{
		.id = "align-pfc-operational",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "PFC in force is not PFC as set",
		.explain = "A willing host takes the announcement of a peer that is "
			   "not: the mask that was set is not the one that holds (IEEE "
			   "802.1Q clause 38.4.1).",
		.remedy = "Make the host not willing, or the switch announce what is "
			  "wanted.",
		.check = rt_align_pfc_oper,
	},
	{
		.id = "align-not-applied",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "The switch announces other PFC than its configuration",
		.explain = "The file is of another port, was not applied, or did not "
			   "take effect: an empty pfc_enable once left PFC running "
			   "(sonic-swss pull 1055).",
		.remedy = "Compare with the running state of the switch; load the "
			  "configuration again.",
		.check = rt_align_not_applied,
	},
	{
		.id = "align-both-willing",
		.severity = RT_SEVERITY_WARN,
		.basis = RT_BASIS_OBSERVED,
		.title = "Both ends are willing",
		.explain = "Then the lower MAC address decides, and neither side's "
			   "settings hold for sure (IEEE 802.1Q clause 38.4.1).",
		.remedy = "Make one of them not willing: the host, where the profile "
			  "is static.",
		.check = rt_align_both_willing,
	},
	{
		.id = "align-ets-announced",
		.severity = RT_SEVERITY_WARN,
		.basis = RT_BASIS_OBSERVED,
		.title = "Host and switch share the link differently",
		.explain = "Each schedules its own direction; different shares for one "
			   "priority are seldom meant.",
		.remedy = "Set the same shares at both ends.",
		.check = rt_align_ets_announced,
	},
	{
		.id = "align-app-announced",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "The switch announces another priority for RoCE",
		.explain = "By a DSCP, by the UDP port of RoCEv2 (4791) or by the "
			   "Ethertype of RoCEv1 (0x8915): the two ends put its packets "
			   "into different priorities, so PAUSE stops the wrong ones.",
		.remedy = "Make the maps equal.",
		.check = rt_align_app_announced,
	},
	{
		.id = "align-wrong-port",
		.severity = RT_SEVERITY_ERROR,
		.basis = RT_BASIS_OBSERVED,
		.title = "The cable goes elsewhere",
		.explain = "Compared was one port, and another one is at the other end "
			   "of the link: what was found holds for a link that is not "
			   "there.",
		.remedy = "Give the port that was heard, or --switch-dir to have it "
			  "found; or change the cable.",
		.check = rt_align_wrong_port,
	},
};

const size_t rt_align_rule_count = RT_ARRAY_SIZE(rt_align_rules);
