/* SPDX-License-Identifier: BSD-2-Clause */
/* test_profile.c - reading profiles: values, places, complaints, inheritance. */
#include "profiles.h"

#include <errno.h>

#include "base/own.h"
#include "model/params.h"

static const char whole[] =
	"name: whole\n"
	"status: operator\n"
	"source: [one, two]\n"
	"match: {driver: mlx5, speed: 400G, roce_mtu: 4096, l2_mtu: 9000}\n"
	"fabric: {load_balancing: spray}\n"
	"classes:\n"
	"  coll: {dscp: [24-26, 30], prio: 3, tc: 1, pg: 5, queue: 4, lossless: yes,\n"
	"         ect: tclass, sched: {ets: 60}}\n"
	"  stor: {dscp: 34, prio: 4, lossless: on, ect: nic, sched: {ets: 40%}}\n"
	"  ctrl: {kind: control, dscp: [40], prio: 5, ect: no, sched: {strict: 2}}\n"
	"  cnp: {kind: cnp, dscp: [48], prio: 6, sched: {strict: 1, max: 5%}}\n"
	"  be: {dscp: rest, prio: 0, tc: auto}\n"
	"app: {NCCL_IB_TC: coll, UCX_IB_TRAFFIC_CLASS: 106, scope: [verbs, devx]}\n"
	"switch:\n"
	"  nos: sonic\n"
	"  headroom_model: sonic-spectrum4\n"
	"  pool: {lossless: 64MB, shared_headroom: 20MB, oversubscription: 2, "
	"partitions: 2}\n"
	"  roles:\n"
	"    host: {breakout: 2x400G, cable: 5m, ports: 48,\n"
	"           headroom: {coll: auto, stor: platform}, buffer_alpha: {coll: "
	"1/8}}\n"
	"    up: {speed: 800G, cable: 40m, headroom: {coll: 362496B}, xoff: {coll: "
	"1MB},\n"
	"         xon: {coll: 990KB}}\n"
	"  ecn: {coll: {host: {kmin: 400KB, kmax: 1.6MB, pmax: 20%}}}\n"
	"  watchdog: {classes: [coll, stor], detect: 200ms, action: errdisable}\n"
	"host:\n"
	"  global_pause: off\n"
	"  buffers: [256KB, 128KB]\n"
	"  cable: auto\n"
	"  cc:\n"
	"    np: {cnp_interval: 4us, cnp_dscp: 48, cnp_prio: 6}\n"
	"    rp: keep\n"
	"    raw: {mlx5: {rp_gd: 11}}\n"
	"  firmware_expect: {ROCE_CC_PRIO_MASK: has 3}\n"
	"rails:\n"
	"  - {select: \"rail 0-7\", leaf: \"leaf{rail}\"}\n"
	"  - {select: \"netdev stor*\", set: {classes.coll.sched.ets: 50,\n"
	"                                     classes: {stor: {sched: {ets: 50}}},\n"
	"                                     switch.roles.host.cable: 3m}}\n";

/* Every path with the text of its value, as the table writes it. */
static void test_every_kind_of_value_is_read(void **state)
{
	static const struct {
		const char *path, *value;
	} cases[] = {
		{ "name", "whole" },
		{ "status", "operator" },
		{ "source", "one, two" },
		{ "match.speed", "400Gb/s" },
		{ "match.roce_mtu", "4096B" },
		{ "fabric.load_balancing", "spray" },
		{ "classes.coll.dscp", "24-26, 30" },
		{ "classes.coll.prio", "3" },
		{ "classes.coll.tc", "1" },
		{ "classes.coll.pg", "5" },
		{ "classes.coll.queue", "4" },
		{ "classes.coll.lossless", "yes" },
		{ "classes.coll.ect", "tclass" },
		{ "classes.coll.sched.ets", "60%" },
		{ "classes.stor.dscp", "34" },
		{ "classes.stor.sched.ets", "40%" },
		{ "classes.ctrl.kind", "control" },
		{ "classes.ctrl.ect", "no" },
		{ "classes.cnp.sched.strict", "1" },
		{ "classes.cnp.sched.max", "5%" },
		{ "classes.be.dscp", "0-23, 27-29, 31-33, 35-39, 41-47, 49-63" },
		{ "classes.be.tc", "0" },
		{ "app.NCCL_IB_TC", "coll" },
		{ "app.scope", "verbs, devx" },
		{ "switch.headroom_model", "sonic-spectrum4" },
		{ "switch.pool.lossless", "64MB" },
		{ "switch.pool.oversubscription", "2" },
		{ "switch.pool.partitions", "2" },
		{ "switch.roles.host.breakout", "2x400Gb/s" },
		{ "switch.roles.host.speed", "400Gb/s" },
		{ "switch.roles.host.headroom.coll", "231.424KB" },
		{ "switch.roles.host.headroom.stor", "keep" },
		{ "switch.roles.host.buffer_alpha.coll", "1/8" },
		{ "switch.roles.up.xoff.coll", "1MB" },
		{ "switch.ecn.coll.host.kmin", "400KB" },
		{ "switch.ecn.coll.host.kmax", "1.6MB" },
		{ "switch.ecn.coll.host.pmax", "20%" },
		{ "switch.ecn.coll.up.kmin", "unset" },
		{ "switch.watchdog.classes", "coll, stor" },
		{ "switch.watchdog.action", "errdisable" },
		{ "host.global_pause", "no" },
		{ "host.buffers", "256KB, 128KB" },
		{ "host.cable", "5m" },
		{ "host.cc.np.cnp_interval", "4us" },
		{ "host.cc.rp.ai", "keep" },
		{ "host.cc.rp.clamp_after_timer", "keep" },
		{ "host.cc.raw.mlx5.rp_gd", "11" },
		{ "host.firmware_expect.ROCE_CC_PRIO_MASK", "has 3" },
	};
	struct rt_profile *profile = good_profile(whole);

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_param_cursor cursor = { 0 };
		struct rt_param_value at;
		char text[RT_PARAM_TEXT_BYTES] = "no such path";

		/* Of two rows with one path the one that is set counts. */
		while (rt_param_next(profile, &cursor, &at)) {
			if (strcmp(at.path, cases[i].path) != 0)
				continue;
			rt_param_format(profile, at.row, at.setting, text);
			if (at.setting->state != RT_SETTING_UNSET)
				break;
		}
		print_message("# %s\n", cases[i].path);
		assert_string_equal(text, cases[i].value);
	}
	rt_profile_free(profile);
}

static void test_four_numbers_of_a_class_stay_apart(void **state)
{
	struct rt_profile *profile = good_profile(whole);
	const struct rt_class *coll = rt_profile_class(profile, "coll");

	(void)state;
	assert_int_equal(coll->prio.number, 3);
	assert_int_equal(coll->tc.number, 1);
	assert_int_equal(coll->pg.number, 5);
	assert_int_equal(coll->queue.number, 4);
	assert_int_equal(rt_profile_lossless_count(profile), 2);
	assert_ptr_equal(rt_profile_class_of_dscp(profile, 25), coll);
	assert_string_equal(rt_profile_class_of_dscp(profile, 0)->name, "be");
	assert_null(rt_profile_class_of_dscp(profile, 64));
	assert_string_equal(rt_profile_class_of_kind(profile, RT_CLASS_CNP)->name,
			    "cnp");
	assert_null(rt_profile_class(profile, "none"));
	rt_profile_free(profile);
}

static void test_settings_know_state_and_place(void **state)
{
	struct rt_profile *profile = good_profile(whole);
	const struct rt_class *coll = rt_profile_class(profile, "coll");
	const struct rt_setting *kmin = &coll->at[RT_ROLE_HOST].kmin;
	const struct rt_setting *headroom = &coll->at[RT_ROLE_HOST].headroom;
	char place[RT_PLACE_TEXT_BYTES];

	(void)state;
	assert_string_equal(rt_place_format(&kmin->place, place), "t.yaml:23:29");
	assert_int_equal(kmin->state, RT_SETTING_VALUE);
	assert_int_equal(coll->at[RT_ROLE_UP].kmin.state, RT_SETTING_UNSET);
	assert_string_equal(rt_place_format(&coll->at[RT_ROLE_UP].kmin.place, place),
			    "");
	assert_int_equal(headroom->state, RT_SETTING_AUTO);
	assert_true(headroom->computed);
	assert_string_equal(headroom->text, "sonic-spectrum4, 400Gb/s, 5m, MTU 9216");
	assert_int_equal(profile->host.rp.ai.state, RT_SETTING_KEEP);
	assert_false(rt_setting_known(&profile->host.rp.ai));
	assert_true(rt_setting_or(&profile->host.rp.ai, 7) == 7);
	assert_int_equal(profile->host.trust.state, RT_SETTING_UNSET);
	rt_profile_free(profile);
}

static void test_long_places_keep_their_end(void **state)
{
	char name[400], text[RT_PLACE_TEXT_BYTES];
	struct rt_place place = { name, 4294967295u, 4294967295u };

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	rt_place_format(&place, text);
	assert_int_equal(strlen(text), RT_PLACE_TEXT_BYTES - 1);
	assert_memory_equal(text, "...x", 4);
	assert_non_null(strstr(text, "x:4294967295:4294967295"));
	place.line = 0;
	assert_string_equal(rt_place_format(&place, text), "");
}

static void test_auto_stays_open_without_a_model(void **state)
{
	struct rt_profile *profile = good_profile(
		"classes: {a: {prio: 3, lossless: yes}}\n"
		"switch: {roles: {up: {speed: 100G, cable: 5m, headroom: {a: auto}}}}\n"
		"host: {buffers: auto}\n");
	const struct rt_setting *headroom =
		&profile->classes[0].at[RT_ROLE_UP].headroom;

	(void)state;
	assert_int_equal(headroom->state, RT_SETTING_AUTO);
	assert_false(headroom->computed);
	assert_false(rt_setting_known(headroom));
	assert_int_equal(profile->host.buffers[0].state, RT_SETTING_AUTO);
	rt_profile_free(profile);
}

static void test_rails_lay_over_a_copy(void **state)
{
	struct rt_profile *profile = good_profile(whole), *rail = NULL;

	(void)state;
	assert_int_equal(profile->rail_count, 2);
	assert_int_equal(profile->rails[0].kind, RT_RAIL_INDEX);
	assert_string_equal(profile->rails[0].pattern, "0-7");
	assert_string_equal(profile->rails[0].leaf, "leaf{rail}");
	assert_string_equal(profile->rails[1].pattern, "stor*");
	assert_int_equal(rt_profile_rail(profile, 1, &rail, NULL), 0);
	assert_int_equal(rail->classes[0].sched.ets.number, 50);
	assert_int_equal(rail->classes[1].sched.ets.number, 50);
	assert_int_equal(rail->sw.roles[RT_ROLE_HOST].cable.number, 3000);
	/* What was computed from the cable is computed anew. */
	assert_true(rail->classes[0].at[RT_ROLE_HOST].headroom.number <
		    profile->classes[0].at[RT_ROLE_HOST].headroom.number);
	assert_int_equal(profile->classes[0].sched.ets.number, 60);
	assert_int_equal(rt_profile_rail(profile, 2, &rail, NULL), -ERANGE);
	rt_profile_free(rail);
	rt_profile_free(profile);
}

/* What a rail takes the ground from is not computed on that rail. */
static void test_rails_forget_what_was_computed(void **state)
{
	struct rt_profile *profile = good_profile(
		"classes: {a: {prio: 3, lossless: yes, dscp: 26}, b: {dscp: rest}}\n"
		"switch: {headroom_model: ieee, roles: {host: {breakout: 4x100G, "
		"cable: 5m, "
		"headroom: {a: auto}}}}\n"
		"rails: [{select: rail 1, set: {switch.roles.host.cable: keep,\n"
		"  switch.roles.host.breakout: keep, classes.a.dscp: keep}}]\n");
	struct rt_profile *rail = NULL;

	(void)state;
	assert_int_equal(profile->classes[0].at[RT_ROLE_HOST].headroom.number, 59757);
	assert_int_equal(rt_profile_rail(profile, 0, &rail, NULL), 0);
	assert_false(rt_setting_known(&rail->classes[0].at[RT_ROLE_HOST].headroom));
	assert_int_equal(rail->sw.roles[RT_ROLE_HOST].speed.state, RT_SETTING_UNSET);
	assert_false(rt_setting_known(&rail->classes[1].dscp));
	assert_true(rt_setting_known(&profile->classes[1].dscp));
	rt_profile_free(rail);
	rt_profile_free(profile);
}

/* --- complaints --------------------------------------------------------------- */

struct complaint {
	const char *label, *text, *where, *id, *says;
};

#define TWO "classes: {a: {dscp: [26], prio: 3}, b: {dscp: [27], prio: 4}}\n"

static const struct complaint complaints[] = {
	{ "key at the top", "clases: {}\n", "t.yaml:1:1", "profile-unknown-key",
	  "did you mean 'classes'?" },
	{ "key inside", "host:\n  trusted: dscp\n", "t.yaml:2:3", "profile-unknown-key",
	  "did you mean 'trust'?" },
	{ "key unlike any", "xyzzy: 1\n", "t.yaml:1:1", "profile-unknown-key",
	  "here may stand name" },
	{ "role", "switch: {roles: {hots: {ports: 1}}}\n", "t.yaml:1:18",
	  "profile-unknown-key", "did you mean 'host'?" },
	{ "class", TWO "switch: {ecn: {c: {host: {kmin: 1B}}}}\n", "t.yaml:2:16",
	  "profile-no-such-name", "unknown class 'c'" },
	{ "class name", "classes: {\"a b\": {prio: 1}}\n", "t.yaml:1:12",
	  "profile-unknown-key", "cannot name a class" },
	{ "unit", "match: {speed: 400Q}\n", "t.yaml:1:16", "profile-bad-value",
	  "not a rate such as 400G" },
	{ "bytes for bits", "match: {speed: 400GB}\n", "t.yaml:1:16",
	  "profile-bad-value", "write 400Gb/s, or 3.2Tb/s" },
	{ "bits for bytes", "switch: {pool: {buffer: 64Mb}}\n", "t.yaml:1:25",
	  "profile-bad-value", "write 64MB" },
	{ "no unit of a time", "host: {cc: {np: {cnp_interval: 4}}}\n", "t.yaml:1:32",
	  "profile-bad-value", "4 of what? write 4us or 4ms" },
	{ "no unit of a size", TWO "switch: {ecn: {a: {up: {kmin: 400}}}}\n",
	  "t.yaml:2:31", "profile-bad-value", "400 of what? write 400KB or 400B" },
	{ "no unit of a rate", "host: {cc: {rp: {ai: 40}}}\n", "t.yaml:1:22",
	  "profile-bad-value", "40 of what? write 40Gb/s or 40Mb/s" },
	{ "no unit of a cap", "classes: {a: {sched: {max: 5}}}\n", "t.yaml:1:28",
	  "profile-bad-value", "5 of what?" },
	{ "no unit of a length", "host: {cable: 5}\n", "t.yaml:1:15",
	  "profile-bad-value", "5 of what? write 5m" },
	{ "megametres", "host: {cable: 5M}\n", "t.yaml:1:15", "profile-bad-value",
	  "write 5m" },
	{ "an MTU in KB, bare", "switch: {mtu: 9}\n", "t.yaml:1:15",
	  "profile-out-of-range", "is a unit missing?" },
	{ "no unit in a list of sizes", "host: {buffers: [256KB, 128]}\n",
	  "t.yaml:1:25", "profile-bad-value", "128 of what?" },
	{ "bytes for time", "host: {cc: {np: {cnp_interval: 4KB}}}\n", "t.yaml:1:32",
	  "profile-bad-value", "not a time" },
	{ "fraction for percent", TWO "switch: {ecn: {a: {up: {pmax: 0.2}}}}\n",
	  "t.yaml:2:31", "profile-bad-value", "did you mean 20%?" },
	{ "enum", "fabric: {load_balancing: ecpm}\n", "t.yaml:1:26",
	  "profile-bad-value", "did you mean 'ecmp'?" },
	{ "bool", "host: {global_pause: maybe}\n", "t.yaml:1:22", "profile-bad-value",
	  "neither yes nor no" },
	{ "list for number", "match: {speed: [1, 2]}\n", "t.yaml:1:16",
	  "profile-bad-value", "not a list" },
	{ "scalar for map", "match: fast\n", "t.yaml:1:8", "profile-bad-value",
	  "wants a map" },
	{ "priority", "classes: {a: {prio: 8}}\n", "t.yaml:1:21",
	  "profile-out-of-range", "0 to 7" },
	{ "DSCP that is a byte", "classes: {a: {dscp: [104]}}\n", "t.yaml:1:22",
	  "profile-out-of-range", "four times the DSCP" },
	{ "DSCP range reversed", "classes: {a: {dscp: [9-3]}}\n", "t.yaml:1:22",
	  "profile-out-of-range", "9-3" },
	{ "DSCP twice in a list", "classes: {a: {dscp: [26, 26]}}\n", "t.yaml:1:26",
	  "profile-bad-value", "DSCP 26 is in the list twice" },
	{ "DSCP in a range as well", "classes: {a: {dscp: [24-31, 26]}}\n",
	  "t.yaml:1:29", "profile-bad-value", "DSCP 26 is in the list twice" },
	{ "DSCP no number", "classes: {a: {dscp: [ef]}}\n", "t.yaml:1:22",
	  "profile-bad-value", "is no DSCP" },
	{ "cap", "classes: {a: {sched: {max: 120%}}}\n", "t.yaml:1:28",
	  "profile-out-of-range", "120%" },
	{ "ets", "classes: {a: {sched: {ets: 101}}}\n", "t.yaml:1:28",
	  "profile-out-of-range", "0 to 100" },
	{ "breakout without unit", "switch: {roles: {up: {breakout: 2x400}}}\n",
	  "t.yaml:1:33", "profile-bad-value", "2x400Gb/s" },
	{ "breakout", "switch: {roles: {up: {breakout: 400G}}}\n", "t.yaml:1:33",
	  "profile-bad-value", "breakout such as 2x400G" },
	{ "nine buffers", "host: {buffers: [1B, 2B, 3B, 4B, 5B, 6B, 7B, 8B, 9B]}\n",
	  "t.yaml:1:50", "profile-out-of-range", "more than 8" },
	{ "watchdog class", TWO "switch: {watchdog: {classes: [a, bb]}}\n",
	  "t.yaml:2:34", "profile-no-such-name", "no class 'bb'" },
	{ "app class", TWO "app: {NCCL_IB_TC: aa}\n", "t.yaml:2:19",
	  "profile-no-such-name", "neither a class nor a byte" },
	{ "key twice", "host: {trust: dscp}\nname: x\nhost: {trust: pcp}\n",
	  "t.yaml:3:1", "profile-contradiction",
	  "key 'host' stands twice, first at line 1 column 1: keep one" },
	{ "key twice, inside", "host: {trust: dscp, trust: pcp}\n", "t.yaml:1:21",
	  "profile-contradiction", "first at line 1 column 8" },
	{ "rails twice", "rails: []\nrails: []\n", "t.yaml:2:1",
	  "profile-contradiction", "'rails' stands twice" },
	{ "ets and strict", "classes: {a: {sched: {ets: 1, strict: 1}}}\n",
	  "t.yaml:1:39", "profile-contradiction", "strict excludes ets" },
	{ "alpha and xoff",
	  TWO "switch: {roles: {up: {buffer_alpha: {a: 1}, xoff: {a: 1MB}}}}\n",
	  "t.yaml:2:55", "profile-contradiction", "xoff excludes buffer_alpha" },
	{ "two rests", "classes: {a: {dscp: rest}, b: {dscp: rest}}\n", "t.yaml:1:38",
	  "profile-contradiction", "rest" },
	{ "two CNP classes", "classes: {a: {kind: cnp}, b: {kind: cnp}}\n",
	  "t.yaml:1:37", "profile-contradiction", "both the CNP class" },
	{ "lossless without priority", "classes: {a: {lossless: yes}}\n", "t.yaml:1:25",
	  "profile-contradiction", "has no prio" },
	{ "cnp_dscp",
	  "classes: {c: {kind: cnp, dscp: 48}}\nhost: {cc: {np: {cnp_dscp: 46}}}\n",
	  "t.yaml:2:28", "profile-contradiction", "not a DSCP of class c" },
	{ "cnp_prio",
	  "classes: {c: {kind: cnp, prio: 6}}\nhost: {cc: {np: {cnp_prio: 7}}}\n",
	  "t.yaml:2:28", "profile-contradiction", "not the priority of class c" },
	{ "breakout and speed",
	  "switch: {roles: {up: {breakout: 2x400G, speed: 800G}}}\n", "t.yaml:1:48",
	  "profile-contradiction", "not that of breakout" },
	{ "xon over xoff",
	  TWO "switch: {roles: {up: {xoff: {a: 1KB}, xon: {a: 2KB}}}}\n", "t.yaml:2:48",
	  "profile-contradiction", "more than xoff" },
	{ "pool over buffer", "switch: {pool: {buffer: 1MB, lossless: 2MB}}\n",
	  "t.yaml:1:40", "profile-contradiction", "pool.buffer" },
	{ "rail key", "rails: [{select: rail 1, sett: {}}]\n", "t.yaml:1:26",
	  "profile-unknown-key", "did you mean set" },
	{ "rail select", "rails: [{select: port 1}]\n", "t.yaml:1:18",
	  "profile-bad-value", "wants rail 0-7" },
	{ "rail index", "rails: [{select: rail one}]\n", "t.yaml:1:18",
	  "profile-bad-value", "wants rail 0-7" },
	{ "rail without select", "rails: [{leaf: x}]\n", "t.yaml:1:9",
	  "profile-bad-value", "without select" },
	{ "rail's class", TWO "rails: [{select: rail 1, set: {classes.c.prio: 1}}]\n",
	  "t.yaml:2:32", "profile-no-such-name", "unknown class 'c'" },
	{ "rail's value", TWO "rails: [{select: rail 1, set: {classes.a.prio: 9}}]\n",
	  "t.yaml:2:48", "profile-out-of-range", "0 to 7" },
	{ "rail that extends", "rails: [{select: rail 1, set: {extends: x}}]\n",
	  "t.yaml:1:31", "profile-unknown-key", "cannot extend" },
	{ "rail below a value", TWO "rails: [{select: rail 1, set: {name.x: 9}}]\n",
	  "t.yaml:2:32", "profile-unknown-key", "goes on below a value" },
	{ "rail's empty part", TWO "rails: [{select: rail 1, set: {host..cc: 9}}]\n",
	  "t.yaml:2:32", "profile-unknown-key", "no dotted path" },
	{ "rail's contradiction",
	  "classes: {a: {sched: {ets: 100}}}\n"
	  "rails: [{select: rail 1, set: {classes.a.sched: {strict: 1, dwrr: 3}}}]\n",
	  "t.yaml:2:58", "profile-contradiction", "strict excludes dwrr" },
	{ "extends nothing", "extends: no-such-profile\n", "t.yaml:1:10",
	  "profile-no-such-name", "no profile 'no-such-profile'" },
	{ "extends with an ending", "extends: right.yaml\n", "t.yaml:1:10",
	  "profile-bad-value", "without .yaml: right" },
	{ "extends a path", "extends: ../x\n", "t.yaml:1:10", "profile-bad-value",
	  "name of one profile" },
	{ "a list", "[1, 2]\n", "t.yaml:1:1", "profile-not-readable", "map of keys" },
};

static void test_complaints_have_place_and_advice(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(complaints); i++) {
		const struct complaint *c = &complaints[i];
		struct rt_findings found = { 0 };
		struct rt_profile *profile = NULL;
		struct rt_err err = { 0 };
		int r = rt_profile_parse("t.yaml", c->text, strlen(c->text), &no_search,
					 &found, &profile, &err);

		print_message("# --- %s: %s\n", c->label, err.msg);
		print_findings(&found);
		assert_int_equal(r, -EINVAL);
		assert_null(profile);
		assert_int_equal(found.count, 1);
		assert_string_equal(found.items[0].where, c->where);
		assert_string_equal(found.items[0].id, c->id);
		assert_non_null(strstr(found.items[0].evidence, c->says));
		assert_non_null(strstr(err.msg, c->where));
		rt_findings_free(&found);
	}
}

static void test_all_complaints_of_a_file_are_collected(void **state)
{
	static const char text[] = "clases: {}\n"
				   "match: {speed: fast, l2_mtu: 9000000}\n"
				   "host: {trust: dcsp}\n"
				   "rails: [{select: x}]\n";
	struct rt_findings found = { 0 };
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_profile_parse("t.yaml", text, strlen(text), &no_search,
					  &found, &profile, &err),
			 -EINVAL);
	print_findings(&found);
	assert_int_equal(found.count, 5);
	assert_non_null(strstr(err.msg, "4 more"));
	rt_findings_free(&found);
}

static void test_complaints_are_bounded(void **state)
{
	RT_AUTO(rt_auto_free) char *text = malloc(200000);
	struct rt_findings found = { 0 };
	struct rt_profile *profile = NULL;
	size_t used = 0;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 5000; i++)
		used += (size_t)sprintf(text + used, "wrong%d: 1\n", i);
	assert_int_equal(rt_profile_parse("t.yaml", text, used, &no_search, &found,
					  &profile, NULL),
			 -EINVAL);
	assert_int_equal(found.count, 100);
	rt_findings_free(&found);
}

static void test_too_many_of_a_kind_is_refused(void **state)
{
	static const struct {
		const char *before, *each, *after;
		unsigned good;
	} cases[] = {
		{ "classes: {", "c%u: {prio: 1},", "}", RT_CLASS_MAX },
		{ "app: {", "V%u: 1,", "}", RT_PAIR_MAX },
		{ "rails: [", "{select: rail %u},", "]", RT_RAIL_MAX },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		for (unsigned more = 0; more < 2; more++) {
			char text[8192];
			size_t used = (size_t)sprintf(text, "%s", cases[i].before);
			struct rt_profile *profile = NULL;
			struct rt_err err = { 0 };
			int r;

			for (unsigned n = 0; n < cases[i].good + more; n++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
				used += (size_t)sprintf(text + used, cases[i].each, n);
#pragma GCC diagnostic pop
			}
			used += (size_t)sprintf(text + used, "%s\n", cases[i].after);
			r = rt_profile_parse("t.yaml", text, used, &no_search, NULL,
					     &profile, &err);
			print_message("# %s %u: %s\n", cases[i].before, more, err.msg);
			assert_int_equal(r, more ? -EINVAL : 0);
			rt_profile_free(profile);
		}
}

/* --- extends -------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void remove_folder(const char *folder, const char *const *names, size_t count)
{
	char path[512];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void test_extends_merges_key_by_key(void **state)
{
	static const char *const names[] = { "base.yaml", "middle.json", "top.yaml" };
	char folder[] = "/tmp/rocetune-test-XXXXXX", path[512];
	struct rt_profile_search search = { { folder, NULL } };
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };
	const struct rt_class *a;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_file(folder, "base.yaml",
		   "name: base\nstatus: vendor\n"
		   "classes:\n"
		   "  a: {dscp: [1, 2], prio: 3, sched: {ets: 100, max: 1G}}\n"
		   "  b: {prio: 1}\n"
		   "host: {trust: dscp, cc: {rp: {ai: 5Mb/s, hai: 50Mb/s}}}\n"
		   "rails: [{select: rail 0}, {select: rail 1}]\n");
	write_file(folder, "middle.json",
		   "{\"extends\": \"base\", \"classes\": {\"a\": {\"sched\": "
		   "{\"strict\": 1}},"
		   " \"c\": {\"prio\": \"2\"}}, \"host\": {\"cc\": {\"rp\": "
		   "\"keep\"}}}\n");
	write_file(folder, "top.yaml",
		   "name: top\nextends: middle\n"
		   "classes: {a: {dscp: [9], prio:, sched: {max: 5%}}}\n"
		   "host: {cc: {rp: {hai: 7Mb/s}}}\n"
		   "rails: [{select: rail 5}]\n");
	assert_int_equal(rt_profile_read("top", &search, NULL, &profile, &err), 0);
	assert_string_equal(profile->name.text, "top");
	assert_int_equal(profile->status.number, RT_STATUS_VENDOR);
	assert_int_equal(profile->class_count, 3);
	a = rt_profile_class(profile, "a");
	/* A list replaces a list; null unsets; another choice replaces the choice. */
	assert_true(a->dscp.number == 1ull << 9);
	assert_int_equal(a->prio.state, RT_SETTING_UNSET);
	assert_int_equal(a->sched.ets.state, RT_SETTING_UNSET);
	assert_int_equal(a->sched.strict.number, 1);
	assert_int_equal(a->sched.max_rate.state, RT_SETTING_UNSET);
	assert_int_equal(a->sched.max_share.number, 50000000);
	assert_int_equal(profile->host.rp.ai.state, RT_SETTING_KEEP);
	assert_int_equal(profile->host.rp.hai.number, 7000000);
	assert_int_equal(profile->rail_count, 1);
	assert_string_equal(profile->rails[0].pattern, "5");
	snprintf(path, sizeof(path), "%s/middle.json", folder);
	assert_string_equal(a->sched.strict.place.file, path);
	assert_int_equal(a->sched.strict.place.line, 1);
	rt_profile_free(profile);
	remove_folder(folder, names, RT_ARRAY_SIZE(names));
}

static void test_extends_stops_at_circles_and_long_chains(void **state)
{
	static const char *const names[] = { "p0.yaml", "p1.yaml",   "p2.yaml",
					     "p3.yaml", "p4.yaml",   "p5.yaml",
					     "p6.yaml", "p7.yaml",   "p8.yaml",
					     "p9.yaml", "self.yaml", "broken.yaml" };
	char folder[] = "/tmp/rocetune-test-XXXXXX";
	struct rt_profile_search search = { { folder, NULL } };
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 10; i++) {
		char name[16], text[64];

		snprintf(name, sizeof(name), "p%d.yaml", i);
		snprintf(text, sizeof(text), i ? "extends: p%d\n" : "name: p%d\n",
			 i ? i - 1 : 0);
		write_file(folder, name, text);
	}
	write_file(folder, "self.yaml", "extends: self\n");
	write_file(folder, "broken.yaml", "extends: p0\nname: [\n");
	assert_int_equal(rt_profile_read("p8", &search, NULL, &profile, &err), 0);
	rt_profile_free(profile);
	profile = NULL;
	assert_int_equal(rt_profile_read("p9", &search, NULL, &profile, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "chain too long"));
	assert_int_equal(rt_profile_read("self", &search, NULL, &profile, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "in turn"));
	assert_int_equal(rt_profile_read("broken", &search, NULL, &profile, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "broken.yaml:"));
	assert_int_equal(rt_profile_read("absent", &search, NULL, &profile, &err),
			 -ENOENT);
	assert_int_equal(rt_profile_read("absent.yaml", &search, NULL, &profile, &err),
			 -ENOENT);
	assert_null(profile);
	remove_folder(folder, names, RT_ARRAY_SIZE(names));
}

/* --- whole files ---------------------------------------------------------------- */

static void test_outside_examples_load_as_they_stand(void **state)
{
	static const char *const names[] = { "cx7-400g-eos.yaml",
					     "thor2-400g-sonic.yaml" };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		struct rt_profile *profile = NULL;
		struct rt_findings found = { 0 };
		struct rt_err err = { 0 };
		char path[512];
		int r;

		snprintf(path, sizeof(path), "%s/examples/%s", rt_test_shared(),
			 names[i]);
		RT_NEED_SHARED(path);
		r = rt_profile_read(path, &shipped_search, &found, &profile, &err);
		print_findings(&found);
		assert_int_equal(r, 0);
		assert_int_equal(profile->class_count, 4);
		for (size_t rail = 0; rail < profile->rail_count; rail++) {
			struct rt_profile *on_rail = NULL;

			assert_int_equal(rt_profile_rail(profile, rail, &on_rail, &err),
					 0);
			rt_profile_free(on_rail);
		}
		rt_profile_free(profile);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_every_kind_of_value_is_read),
	     cmocka_unit_test(test_four_numbers_of_a_class_stay_apart),
	     cmocka_unit_test(test_settings_know_state_and_place),
	     cmocka_unit_test(test_long_places_keep_their_end),
	     cmocka_unit_test(test_auto_stays_open_without_a_model),
	     cmocka_unit_test(test_rails_lay_over_a_copy),
	     cmocka_unit_test(test_rails_forget_what_was_computed),
	     cmocka_unit_test(test_complaints_have_place_and_advice),
	     cmocka_unit_test(test_all_complaints_of_a_file_are_collected),
	     cmocka_unit_test(test_complaints_are_bounded),
	     cmocka_unit_test(test_too_many_of_a_kind_is_refused),
	     cmocka_unit_test(test_extends_merges_key_by_key),
	     cmocka_unit_test(test_extends_stops_at_circles_and_long_chains),
	     cmocka_unit_test(test_outside_examples_load_as_they_stand))
