/* SPDX-License-Identifier: BSD-2-Clause */
/* test_nos_eos.c - EOS's files: what is known of published ones, and its lines. */
#include "switches.h"

#include <errno.h>

static const struct truth avd[] = {
	/* PFC is only in a profile that no interface has, and is off for all. */
	{ "test_with_pfc", ASK_PFC_LIST, 0, "0 on 1" },
	{ "test_with_pfc", ASK_WATCHDOG, 0,
	  "1 detect 50ms restore 1.11s poll auto action 0" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_UNATTACHED, "3" },
	{ NULL, ASK_PFC_OFF, 0, "1" },
	{ NULL, ASK_PFC_PORTS, 0, "6" },
	{ "Ethernet1", ASK_PFC, 0, "none/none" },
	{ NULL, ASK_DEFAULT_WATCHDOG, 0,
	  "detect 50ms restore 1.22s poll 10.001s action 1" },
	{ "test", ASK_WRED, 2, "test tx-queue 2 ecn 0 320000 320000 90%" },
	{ "Ethernet1", ASK_WRED, 2, "test tx-queue 2 ecn 0 320000 320000 90%" },
	{ "Ethernet1", ASK_SCHED, 2, "strict 10" },
	{ "Ethernet1", ASK_SCHED, 1, "dwrr 50" },
	{ "test", ASK_WRED, 4,
	  "test tx-queue 4 ecn 0 320 segments 320 segments 100%*" },
	{ "uc_mc_queues_test", ASK_WRED, 1,
	  "uc_mc_queues_test tx-queue 1 ecn 0 3 milliseconds 9 milliseconds 90%" },
	{ "wred_queues_test", ASK_WRED, 1,
	  "wred_queues_test tx-queue 1 ecn none 1000 10000 100%" },
	{ "wred_uc_queues_test", ASK_WRED, 1,
	  "wred_uc_queues_test tx-queue 1 ecn none 1 microseconds 10 microseconds "
	  "90%" },
	/* multicast queues are others */
	{ "wred_queues_test", ASK_SCHED, 1, "dwrr 50" },
	{ "Ethernet1", ASK_TC_OF_DSCP, 26, "4" },
	{ "Ethernet1", ASK_TC_OF_DSCP, 46, "5" },
	{ "Ethernet1", ASK_TC_OF_DSCP, 8, "1" },
	{ "Ethernet1", ASK_TC_OF_DSCP, 48, "6*" }, /* in no line of qos map dscp */
	{ "Ethernet1", ASK_TC_OF_DSCP, 56, "7*" }, /* rewritten on egress only */
	{ "Ethernet1", ASK_TC_OF_DSCP, 0, "1*" },
	{ "Ethernet1", ASK_QUEUE_OF_TC, 6, "2" },
	{ "Ethernet1", ASK_QUEUE_OF_TC, 4, "4*" },
	{ "Ethernet1", ASK_TRUST, 0, "0" },
	{ "Ethernet6", ASK_TRUST, 0, "1" },
	{ "Ethernet3", ASK_TRUST, 0, "1*" }, /* switched: CoS */
	{ "no_qos_trust", ASK_TRUST, 0, "3" },
	{ "Ethernet6", ASK_TC_OF_DSCP, 26, "?" }, /* trusts CoS */
	{ "Ethernet1", ASK_LINK, 0, "? 1500 ?" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "4" }, /* ports with a policy */
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_DANGLING, "0" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "0" },
};

static void test_eos_avd(void **state)
{
	(void)state;
	hold_truths("eos-avd-qos.cfg", NULL, avd, RT_ARRAY_SIZE(avd));
}

static const struct truth rocm[] = {
	{ "Ethernet2/5/1", ASK_PFC, 0, "3/3" },
	{ "Et2/5/5", ASK_PFC, 0, "3/3" },
	{ NULL, ASK_PFC_PORTS, 1u << 3, "2" },
	{ "Ethernet2/5/1", ASK_WRED, 3,
	  "QOS_ROCE_DCQCN tx-queue 3 ecn 0 2000 segments 10000 segments 20%" },
	{ "Ethernet2/5/1", ASK_SCHED, 3, "-" },
	{ "Ethernet2/5/1", ASK_SCHED, 7, "-" }, /* no strict queue for CNPs */
	/* "to dscp" rewrites: classification is EOS's own */
	{ "Ethernet2/5/1", ASK_TC_OF_DSCP, 26, "3*" },
	{ "Ethernet2/5/1", ASK_TC_OF_DSCP, 48, "6*" },
	{ "Ethernet2/5/1", ASK_DSCPS_OF_TC, 7, "56-63" },
	{ "Ethernet2/5/1", ASK_WATCHDOG, 0, "0* detect ? restore ? poll ? action 3" },
	{ "Ethernet2/5/1", ASK_LINK, 0, "200Gb/s 9214 ?" },
	{ "Ethernet2/5/1", ASK_TRUST, 0, "0" },
	{ "Ethernet2/5/1", ASK_LOSSLESS, 26, "unknown" },
	{ "Ethernet2/5/1", ASK_LOSSLESS, 0, "no" },
	{ NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "0" },
};

static void test_eos_rocm(void **state)
{
	(void)state;
	hold_truths("eos-rocm-7388-dcqcn.cfg", NULL, rocm, RT_ARRAY_SIZE(rocm));
}

static void test_eos_cells(void **state)
{
	struct rt_switch *sw = read_shared("eos-rocm-7388-dcqcn.cfg", NULL, NULL);
	const struct truth truth = {
		"Ethernet2/5/1", ASK_WRED, 3,
		"QOS_ROCE_DCQCN tx-queue 3 ecn 0 508000* 2540000* 20%"
	};
	char is[200];

	(void)state;
	rt_switch_set_cell(sw, 254);
	answer(sw, &truth, NULL, is, sizeof(is));
	assert_string_equal(is, truth.is);
	rt_switch_free(sw);
}

/* --- lines -------------------------------------------------------------------------- */

#define ON_PORT(lines) "interface Ethernet1\n   no switchport\n" lines
static const struct {
	const char *label, *text;
	struct truth truth;
} lines[] = {
	{ "list without the switch",
	  ON_PORT("   priority-flow-control priority 3 no-drop\n"),
	  { "Ethernet1", ASK_PFC, 0, "none/none" } },
	{ "switch without a list",
	  ON_PORT("   priority-flow-control on\n"),
	  { "Ethernet1", ASK_PFC, 0, "none/none" } },
	{ "both",
	  ON_PORT("   priority-flow-control on\n"
		  "   priority-flow-control priority 3 no-drop\n"
		  "   priority-flow-control priority 4 no-drop\n"),
	  { "Ethernet1", ASK_PFC, 0, "3,4/3,4" } },
	{ "the old form",
	  ON_PORT("   priority-flow-control mode on\n"
		  "   priority-flow-control priority 3 no-drop\n"),
	  { "Ethernet1", ASK_PFC, 0, "3/3" } },
	{ "off for all",
	  ON_PORT("   priority-flow-control on\n"
		  "   priority-flow-control priority 3 no-drop\n"
		  "priority-flow-control all off\n"),
	  { "Ethernet1", ASK_PFC, 0, "none/none" } },
	{ "negated lines are defaults",
	  ON_PORT("   priority-flow-control on\n"
		  "   no priority-flow-control priority 3\n"
		  "   tx-queue 3\n      no random-detect ecn\n"),
	  { "Ethernet1", ASK_WRED, 3, "-" } },
	{ "interface over profile",
	  "qos profile p\n   qos trust cos\n" ON_PORT("   service-profile p\n"
						      "   qos trust dscp\n"),
	  { "Ethernet1", ASK_TRUST, 0, "0" } },
	{ "profile after the interface",
	  ON_PORT("   service-profile p\n") "qos profile p\n   qos trust cos\n",
	  { "Ethernet1", ASK_TRUST, 0, "1" } },
	{ "profile that is not there",
	  ON_PORT("   service-profile p\n"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_DANGLING, "1" } },
	{ "a routed port looks at DSCP",
	  ON_PORT(""),
	  { "Ethernet1", ASK_TRUST, 0, "0*" } },
	{ "a map",
	  ON_PORT("") "qos map dscp 24 25 26 to traffic-class 4\n",
	  { "Ethernet1", ASK_TC_OF_DSCP, 26, "4" } },
	{ "a range",
	  ON_PORT("") "qos map dscp 0-7 16-23 to traffic-class 4\n",
	  { "Ethernet1", ASK_DSCPS_OF_TC, 4, "0-7,16-23,32-39" } },
	{ "a list with commas",
	  ON_PORT("") "qos map dscp 0,9-10, 63 , 62 to traffic-class 4\n",
	  { "Ethernet1", ASK_DSCPS_OF_TC, 4, "0,9,10,32-39,62,63" } },
	{ "lists are no errors",
	  ON_PORT("") "qos map dscp 0,9-10, 63 , 62 to traffic-class 4\n",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "0" } },
	{ "classes in a range",
	  ON_PORT("") "qos map traffic-class 2-3,5 to tx-queue 1\n",
	  { "Ethernet1", ASK_QUEUE_OF_TC, 5, "1" } },
	{ "a range from high to low",
	  ON_PORT("") "qos map dscp 7-0 to traffic-class 4\n",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "a range beyond the last",
	  ON_PORT("") "qos map dscp 60-64 to traffic-class 4\n",
	  { "Ethernet1", ASK_DSCPS_OF_TC, 4, "32-39" } },
	{ "a range without an end",
	  ON_PORT("") "qos map dscp 0- to traffic-class 4\n",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "a rewrite is no map",
	  ON_PORT("") "qos map traffic-class 4 to dscp 26\n",
	  { "Ethernet1", ASK_TC_OF_DSCP, 26, "3*" } },
	{ "DSCP 64",
	  ON_PORT("") "qos map dscp 64 to traffic-class 4\n",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "a map without a target",
	  ON_PORT("") "qos map dscp 24 25\n",
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "1" } },
	{ "a line of a queue that is not known",
	  ON_PORT("   tx-queue 3\n      random-detect colour blue\n"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "1" } },
	{ "a line that is not about QoS",
	  ON_PORT("   lldp transmit\n"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "0" } },
	{ "blocks of others are skipped",
	  "router bgp 65001\n   qos blue\n" ON_PORT(""),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "0" } },
	{ "cut within a line",
	  ON_PORT("   mtu 92"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_NOT_READ, "1" } },
	{ "nothing is taken from a cut line",
	  ON_PORT("   mtu 92"),
	  { "Ethernet1", ASK_LINK, 0, "? ? ?" } },
	{ "an end without a line's end",
	  ON_PORT("   mtu 9214\nend"),
	  { "Ethernet1", ASK_LINK, 0, "? 9214 ?" } },
	{ "carriage returns",
	  "interface Ethernet1\r\n   mtu 9214\r\n",
	  { "Ethernet1", ASK_LINK, 0, "? 9214 ?" } },
	{ "a unit that is none",
	  ON_PORT("   tx-queue 3\n      random-detect ecn minimum-threshold 1 stones "
		  "maximum-threshold 2 stones\n"),
	  { NULL, ASK_COMPLAINTS, RT_SWITCH_BAD_VALUE, "2" } },
};

static void test_eos_lines(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(lines); i++) {
		struct rt_findings complaints = { 0 };
		struct rt_switch *sw = NULL;
		struct rt_err err = { 0 };
		char is[300] = "";

		if (rt_nos_parse(&rt_nos_eos, "t.cfg", lines[i].text,
				 strlen(lines[i].text), NULL, &complaints, &sw,
				 &err) == 0)
			answer(sw, &lines[i].truth, &complaints, is, sizeof(is));
		if (strcmp(is, lines[i].truth.is) != 0) {
			wrong++;
			print_message("# %s: '%s' is not '%s' %s\n", lines[i].label, is,
				      lines[i].truth.is, err.msg);
		}
		rt_findings_free(&complaints);
		rt_switch_free(sw);
	}
	assert_int_equal(wrong, 0);
}

static void test_eos_default_map(void **state)
{
	static const char text[] = ON_PORT("");
	struct rt_switch *sw = NULL;

	(void)state;
	assert_int_equal(rt_nos_parse(&rt_nos_eos, "t.cfg", text, strlen(text), NULL,
				      NULL, &sw, NULL),
			 0);
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		const unsigned tc = dscp < 8 ? 1 : dscp < 16 ? 0 : dscp / 8;
		const struct rt_setting *is = rt_switch_dscp_to_tc(sw, &sw->ports[0],
								   dscp);

		assert_int_equal(is->state, RT_SETTING_AUTO);
		assert_int_equal(is->number, tc);
	}
	rt_switch_free(sw);
}

static const struct {
	const char *text;
	size_t bytes; /* 0: up to its end mark */
	const char *says;
} refused[] = {
	{ "", 0, "t.cfg:1:1: no interface" },
	{ "hello\n", 0, "t.cfg:1:1: no interface" },
	{ "interface Ethernet1\n   mtu \0 9\n", 31, "t.cfg:2:8: byte 0x00" },
	{ "interface Ethernet1\n\x1b[2J\n", 0, "t.cfg:2:1: byte 0x1b" },
};

static void test_eos_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(refused); i++) {
		const size_t bytes = refused[i].bytes ? refused[i].bytes
						      : strlen(refused[i].text);
		struct rt_switch *sw = NULL;
		struct rt_err err = { 0 };

		assert_int_equal(rt_nos_parse(&rt_nos_eos, "t.cfg", refused[i].text,
					      bytes, NULL, NULL, &sw, &err),
				 -EINVAL);
		if (!strstr(err.msg, refused[i].says))
			print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, refused[i].says));
	}
}

/* Files cut within a line: what is wrong is told, at the last line. */
static void test_eos_cut_files(void **state)
{
	static const char *const files[] = { "eos-avd-qos.cfg",
					     "eos-rocm-7388-dcqcn.cfg" };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		char path[300], text[16384];
		FILE *file;
		size_t bytes;

		snprintf(path, sizeof(path), "%s/switch-configs/%s", rt_test_shared(),
			 files[i]);
		RT_NEED_SHARED(path);
		file = fopen(path, "r");
		assert_non_null(file);
		bytes = fread(text, 1, sizeof(text), file);
		fclose(file);
		for (size_t end = bytes / 3; end < bytes; end += bytes / 13) {
			struct rt_findings complaints = { 0 };
			struct rt_switch *sw = NULL;
			size_t cut = end;

			while (cut > 2 &&
			       (text[cut - 1] == '\n' || text[cut - 1] == ' ' ||
				text[cut - 1] == '!'))
				cut--;
			if (memrchr(text, '!', cut) > memrchr(text, '\n', cut))
				continue; /* a comment says nothing, cut or not */
			assert_int_equal(rt_nos_parse(&rt_nos_eos, "cut", text, cut,
						      NULL, &complaints, &sw, NULL),
					 0);
			assert_true(sw->not_read > 0);
			assert_true(complaints.count > 0);
			rt_findings_free(&complaints);
			rt_switch_free(sw);
		}
	}
}

/* Files of other systems are not taken for EOS's or SONiC's. */
static void test_eos_is_not_others(void **state)
{
	static const char *const files[] = {
		"nxos-azlocal-tor-1a.cfg",      "nxos-rocm-n9364e-dcqcn.cfg",
		"os10-azlocal-fc-full.cfg",     "dell-sonic-iscli-rocm-z9664f.cfg",
		"junos-evo-qfx5240-dcqcn.conf", "nvue-roce-custom-profiles.nvset",
		"cumulus-traffic.conf",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		char path[300];
		struct rt_switch *sw = NULL;

		snprintf(path, sizeof(path), "%s/switch-configs/%s", rt_test_shared(),
			 files[i]);
		RT_NEED_SHARED(path);
		assert_int_equal(rt_nos_read(NULL, path, NULL, NULL, &sw, NULL),
				 -EINVAL);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_eos_avd), cmocka_unit_test(test_eos_rocm),
	     cmocka_unit_test(test_eos_cells), cmocka_unit_test(test_eos_lines),
	     cmocka_unit_test(test_eos_default_map),
	     cmocka_unit_test(test_eos_refusals), cmocka_unit_test(test_eos_cut_files),
	     cmocka_unit_test(test_eos_is_not_others))
