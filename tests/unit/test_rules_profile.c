/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rules_profile.c - each rule fires, stays silent, and says what it lacks. */
#include "profiles.h"

#include <inttypes.h>

#include "base/own.h"
#include "model/rules_profile.h"

/* A leaf whose numbers are all known: 64 MB of pool, alpha 1/8, 32 ports. */
#define LEAF(kmin, kmax)                                                               \
	"match: {roce_mtu: 4096, l2_mtu: 9000}\n"                                      \
	"classes: {a: {dscp: [26], prio: 3, lossless: yes, ect: nic}}\n"               \
	"switch:\n"                                                                    \
	"  pool: {lossless: 64MB, buffer: 80MB}\n"                                     \
	"  roles: {host: {ports: 32, headroom: {a: 100KB}, buffer_alpha: {a: 1/8}}}\n" \
	"  ecn: {a: {host: {kmin: " kmin ", kmax: " kmax "}}}\n"                       \
	"  watchdog: {classes: [a], detect: 200ms}\n"                                  \
	"host: {pause_storm_timeout: 100ms}\n"

#define PARTITIONS(kmin)                                                         \
	MTU "classes: {a: {prio: 3, lossless: yes, ect: nic}}\n"                 \
	    "switch:\n"                                                          \
	    "  pool: {lossless: 64MB, partitions: 2}\n"                          \
	    "  roles: {host: {ports: 32, headroom: {a: 1KB}, buffer_alpha: {a: " \
	    "1/8}}}\n"                                                           \
	    "  ecn: {a: {host: {kmin: " kmin "}}}\n"

#define MTU      "match: {roce_mtu: 1024, l2_mtu: 1500}\n"
#define LOSSLESS MTU "classes: {a: {prio: 3, lossless: yes}}\n"
#define ROOM     "  roles: {host: {headroom: {a: platform}}}\n"

struct row {
	const char *label, *id;
	unsigned findings, not_judged; /* of this rule */
	const char *text;
	const char *says; /* in the evidence, NULL: none */
};

static const struct row rows[] = {
	{ "all is well", "ecn-kmin-above-kmax", 0, 0, LEAF("100KB", "1MB"), NULL },
	{ "a step", "ecn-kmin-above-kmax", 0, 0, LEAF("100KB", "100KB"), NULL },
	{ "above", "ecn-kmin-above-kmax", 1, 0, LEAF("101KB", "100KB"),
	  "kmin 101KB, kmax 100KB" },

	/* One ingress is paused at 64 MB / 9 = 7 111 111. */
	{ "below XOFF", "ecn-kmin-above-xoff", 0, 0, LEAF("7111110B", "8MB"), NULL },
	{ "at XOFF", "ecn-kmin-above-xoff", 1, 0, LEAF("7111111B", "8MB"),
	  "alpha 1/8 of 64MB" },
	{ "static XOFF", "ecn-kmin-above-xoff", 1, 0,
	  LOSSLESS "switch: {roles: {host: {headroom: {a: 1B}, xoff: {a: 50KB}}}, "
		   "ecn: {a: {host: {kmin: 50KB}}}}\n",
	  "50KB (xoff)" },
	{ "below static XOFF", "ecn-kmin-above-xoff", 0, 0,
	  LOSSLESS "switch: {roles: {host: {headroom: {a: 1B}, xoff: {a: 50KB}}}, "
		   "ecn: {a: {host: {kmin: 49KB}}}}\n",
	  NULL },
	{ "the other role's XOFF is earlier", "ecn-kmin-above-xoff", 1, 0,
	  LOSSLESS
	  "switch: {pool: {lossless: 9MB}, roles: {host: {buffer_alpha: {a: 8}}, "
	  "up: {buffer_alpha: {a: 1/8}}}, ecn: {a: {host: {kmin: 1MB}}}}\n",
	  "one up port is paused at 1MB" },
	{ "a spine is another switch", "ecn-kmin-above-xoff", 0, 0,
	  LOSSLESS
	  "switch: {pool: {lossless: 9MB}, roles: {host: {buffer_alpha: {a: 8}}, "
	  "spine: {buffer_alpha: {a: 1/8}}}, ecn: {a: {host: {kmin: 1MB}}}}\n",
	  NULL },
	{ "a pool in two parts", "ecn-kmin-above-xoff", 1, 0,
	  LOSSLESS "switch: {pool: {lossless: 18MB, partitions: 2}, roles: {host: "
		   "{buffer_alpha: {a: 1/8}}}, ecn: {a: {host: {kmin: 1MB}}}}\n",
	  "of 9MB" },
	{ "no pool", "ecn-kmin-above-xoff", 0, 1,
	  LOSSLESS "switch: {roles: {host: {buffer_alpha: {a: 1}}}, "
		   "ecn: {a: {host: {kmin: 1MB}}}}\n",
	  "neither lossless nor buffer" },
	{ "no alpha", "ecn-kmin-above-xoff", 0, 1,
	  LOSSLESS "switch: {pool: {lossless: 9MB}, ecn: {a: {host: {kmin: 1MB}}}}\n",
	  "neither buffer_alpha nor xoff" },
	{ "one role lacks alpha", "ecn-kmin-above-xoff", 0, 1,
	  LOSSLESS
	  "switch: {pool: {lossless: 9MB}, roles: {host: {buffer_alpha: {a: 1}}, "
	  "up: {cable: 5m}}, ecn: {a: {host: {kmin: 1MB}}}}\n",
	  "neither buffer_alpha nor xoff" },
	{ "a lossy class is never paused", "ecn-kmin-above-xoff", 0, 0,
	  MTU "classes: {a: {prio: 3}}\nswitch: {ecn: {a: {host: {kmin: 1MB}}}}\n",
	  NULL },

	{ "no headroom at all", "pfc-no-headroom", 1, 0, LOSSLESS, "no role gives it" },
	{ "headroom 0", "pfc-no-headroom", 1, 0,
	  LOSSLESS "switch: {roles: {host: {headroom: {a: 0}}}}\n", "headroom 0" },
	{ "by the platform", "pfc-no-headroom", 0, 0, LOSSLESS "switch:\n" ROOM, NULL },
	{ "silent for up", "pfc-no-headroom", 0, 1,
	  LOSSLESS "switch: {roles: {host: {headroom: {a: 1KB}}, up: {cable: 3m}}}\n",
	  "nothing is said for up" },
	{ "auto without a model", "pfc-no-headroom", 0, 1,
	  LOSSLESS
	  "switch: {roles: {host: {speed: 100G, cable: 5m, headroom: {a: auto}}}}\n",
	  "headroom_model is unknown" },
	{ "auto without a speed", "pfc-no-headroom", 0, 1,
	  LOSSLESS "switch: {headroom_model: ieee, roles: {up: {cable: 5m, headroom: "
		   "{a: auto}}}}\n",
	  "up ports: auto, but switch.roles.up.speed is unknown" },
	{ "auto without a cable", "pfc-no-headroom", 0, 1,
	  LOSSLESS "switch: {headroom_model: ieee, roles: {up: {speed: 100G, headroom: "
		   "{a: auto}}}}\n",
	  "switch.roles.up.cable is unknown" },
	{ "auto where the model has no answer", "pfc-no-headroom", 0, 1,
	  LOSSLESS
	  "switch: {headroom_model: ieee, roles: {host: {speed: 400G, cable: 5m, "
	  "headroom: {a: auto}}}}\n",
	  "model ieee at 400Gb/s, 5m: the source has no delays for this speed" },
	{ "auto with a model", "pfc-no-headroom", 0, 0,
	  LOSSLESS
	  "switch: {headroom_model: ieee, roles: {host: {speed: 100G, cable: 5m, "
	  "headroom: {a: auto}}}}\n",
	  NULL },

	{ "DSCP once", "class-dscp-twice", 0, 0,
	  MTU "classes: {a: {dscp: [1]}, b: {dscp: [2]}, c: {dscp: rest}}\n", NULL },
	{ "DSCP twice", "class-dscp-twice", 1, 0,
	  MTU "classes: {a: {dscp: [1-3]}, b: {dscp: [3-5]}}\n",
	  "DSCP 3 is in class b, and in class a" },

	{ "ETS 100", "sched-ets-not-100", 0, 0,
	  MTU "classes: {a: {sched: {ets: 60}}, b: {sched: {ets: 40}}}\n", NULL },
	{ "ETS 90", "sched-ets-not-100", 1, 0,
	  MTU "classes: {a: {sched: {ets: 60}}, b: {sched: {ets: 30}}}\n",
	  "a 60 + b 30 = 90" },
	{ "strict classes do not count", "sched-ets-not-100", 0, 0,
	  MTU "classes: {a: {sched: {ets: 100}}, b: {sched: {strict: 1}}}\n", NULL },
	{ "weights need no sum", "sched-ets-not-100", 0, 0,
	  MTU "classes: {a: {sched: {dwrr: 7}}, b: {sched: {dwrr: 9}}}\n", NULL },
	{ "a share that is kept", "sched-ets-not-100", 0, 1,
	  MTU "classes: {a: {sched: {ets: 60}}, b: {sched: {ets: keep}}}\n",
	  "class b is not a number" },
	{ "on a rail only", "sched-ets-not-100", 1, 0,
	  MTU "classes: {a: {sched: {ets: 60}}, b: {sched: {ets: 40}}}\n"
	      "rails: [{select: rail 1, set: {classes.a.sched.ets: 50}}]\n",
	  "on rail 1: a 50 + b 40 = 90" },
	{ "everywhere, said once", "sched-ets-not-100", 1, 0,
	  MTU "classes: {a: {sched: {ets: 60}}}\nrails: [{select: rail 1}]\n",
	  "a 60 = 60" },

	{ "fits", "mtu-over-link", 0, 0, "match: {roce_mtu: 4096, l2_mtu: 4192}\n",
	  NULL },
	{ "one byte too large", "mtu-over-link", 1, 0,
	  "match: {roce_mtu: 4096, l2_mtu: 4191}\n", "4096 + 96" },
	{ "over the switch", "mtu-over-link", 1, 0,
	  "match: {roce_mtu: 4096, l2_mtu: 9000}\nswitch: {mtu: 8999}\n", "8999" },
	{ "as large as the switch's", "mtu-over-link", 0, 0,
	  "match: {roce_mtu: 4096, l2_mtu: 9000}\nswitch: {mtu: 9000}\n", NULL },
	{ "MTU not said", "mtu-over-link", 0, 1, "match: {roce_mtu: 4096}\n",
	  "l2_mtu is not said" },

	/* 1/8 / (1 + 1/8) * 64 MB / 32 = 222 222.2 */
	{ "below the bound", "ecn-kmin-above-bound", 0, 0, LEAF("222222B", "1MB"),
	  NULL },
	{ "at the bound", "ecn-kmin-above-bound", 1, 0, LEAF("222223B", "1MB"),
	  "32 ports, 1 lossless priorities" },
	{ "static bound", "ecn-kmin-above-bound", 1, 0,
	  LOSSLESS "switch: {roles: {host: {ports: 10, headroom: {a: 1B}, xoff: {a: "
		   "50KB}}}, ecn: {a: {host: {kmin: 5KB}}}}\n",
	  "bound 5KB" },
	{ "ports not said", "ecn-kmin-above-bound", 0, 1,
	  LOSSLESS "switch: {roles: {host: {headroom: {a: 1B}, xoff: {a: 50KB}}}, "
		   "ecn: {a: {host: {kmin: 5KB}}}}\n",
	  "how many ports" },

	{ "CNP lossy", "cnp-on-lossless", 0, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {kind: cnp, prio: 6}}\n",
	  NULL },
	{ "CNP lossless", "cnp-on-lossless", 1, 0,
	  MTU "classes: {c: {kind: cnp, prio: 6, lossless: yes}}\n",
	  "class c is lossless" },
	{ "CNP on a paused priority", "cnp-on-lossless", 1, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {kind: cnp, prio: 3}}\n",
	  "paused for class a" },

	{ "control on a priority of its own", "class-shares-paused-prio", 0, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {kind: control, prio: 5}}\n",
	  NULL },
	{ "control on a paused priority", "class-shares-paused-prio", 1, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {kind: control, prio: 3}}\n",
	  "class c is for control, not lossless and has priority 3, which is paused "
	  "for class a (line 2)" },
	{ "best effort on a paused priority", "class-shares-paused-prio", 1, 0,
	  MTU "classes: {c: {lossless: no, prio: 3}, a: {prio: 3, lossless: yes}}\n",
	  "class c is not lossless and has priority 3" },
	{ "two lossless classes", "class-shares-paused-prio", 0, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {prio: 3, lossless: yes}}\n",
	  NULL },
	{ "CNPs have a rule of their own", "class-shares-paused-prio", 0, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {kind: cnp, prio: 3}}\n",
	  NULL },
	{ "whether lossless is kept", "class-shares-paused-prio", 0, 1,
	  MTU "classes: {a: {prio: 3, lossless: yes}, c: {lossless: keep, prio: 3}}\n",
	  "class c: lossless is not said" },
	{ "control that is lossless", "control-on-lossless", 1, 0,
	  MTU "classes: {c: {kind: control, prio: 3, lossless: yes}}\n",
	  "class c is for control (line 2), and lossless" },
	{ "data that is lossless", "control-on-lossless", 0, 0,
	  MTU "classes: {c: {prio: 3, lossless: yes}}\n", NULL },

	{ "rates in order", "rp-rates-crossed", 0, 0,
	  MTU "host: {cc: {rp: {min_rate: 1G, max_rate: 1G}}}\n", NULL },
	{ "rates crossed", "rp-rates-crossed", 1, 0,
	  MTU "host: {cc: {rp: {min_rate: 2G, max_rate: 1G}}}\n",
	  "min_rate 2Gb/s, max_rate 1Gb/s (line 2)" },
	{ "0 is line rate", "rp-rates-crossed", 0, 0,
	  MTU "host: {cc: {rp: {min_rate: 2G, max_rate: 0}}}\n", NULL },
	{ "above the port's speed", "rp-rates-crossed", 1, 0,
	  "match: {speed: 100G, roce_mtu: 1024, l2_mtu: 1500}\n"
	  "host: {cc: {rp: {min_rate: 101G, max_rate: 0}}}\n",
	  "match.speed 100Gb/s (line 1)" },

	{ "a byte of a class", "app-tc-no-class", 0, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {NCCL_IB_TC: 106}\n", NULL },
	{ "the name of a class", "app-tc-no-class", 0, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {NCCL_IB_TC: a}\n", NULL },
	{ "a byte of no class", "app-tc-no-class", 1, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {NCCL_IB_TC: 100}\n",
	  "NCCL_IB_TC 100 is DSCP 25, which no class has" },
	{ "a byte in hex", "app-tc-no-class", 1, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {UCX_IB_TRAFFIC_CLASS: 0x64}\n",
	  "UCX_IB_TRAFFIC_CLASS 100 is DSCP 25" },
	{ "a byte of the rest", "app-tc-no-class", 1, 0,
	  MTU "classes: {a: {dscp: 26}, b: {dscp: rest}}\napp: {NCCL_IB_TC: 100}\n",
	  "class b has only by `dscp: rest`" },
	{ "all is lossless", "app-tc-no-class", 0, 0,
	  MTU "classes: {a: {dscp: rest, prio: 3, lossless: yes}}\n"
	      "app: {NCCL_IB_TC: 100}\n",
	  NULL },
	{ "DSCPs are kept", "app-tc-no-class", 0, 1,
	  MTU "classes: {a: {dscp: keep}}\napp: {NCCL_IB_TC: 100}\n",
	  "the DSCPs of class a are not said" },
	{ "no traffic class", "app-tc-no-class", 0, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {NCCL_IB_QPS: 100}\n", NULL },

	{ "the byte says ECT", "app-tc-not-ect", 0, 0,
	  MTU "classes: {a: {dscp: 26, ect: tclass}}\napp: {NCCL_IB_TC: 106}\n", NULL },
	{ "the byte lacks ECT", "app-tc-not-ect", 1, 0,
	  MTU "classes: {a: {dscp: 26, ect: tclass}}\napp: {NCCL_IB_TC: 104}\n",
	  "NCCL_IB_TC 104 is not ECT, and class a has ect: tclass (line 2): use 106" },
	{ "the NIC sets ECT", "app-tc-not-ect", 0, 0,
	  MTU "classes: {a: {dscp: 26, ect: nic}}\napp: {NCCL_IB_TC: 104}\n", NULL },
	{ "the byte says CE", "app-tc-not-ect", 1, 0,
	  MTU "classes: {a: {dscp: 26}}\napp: {NCCL_IB_TC: 107}\n",
	  "says CE, which only switches set: use 106" },

	{ "no watchdog", "pfc-no-watchdog", 1, 0, LOSSLESS,
	  "switch.watchdog is not set" },
	{ "watches another class", "pfc-no-watchdog", 1, 0,
	  MTU "classes: {a: {prio: 3, lossless: yes}, b: {prio: 4, lossless: yes}}\n"
	      "switch: {watchdog: {classes: [b]}}\n",
	  "the watchdog has b" },
	{ "watches nothing", "pfc-no-watchdog", 1, 0,
	  LOSSLESS "switch: {watchdog: {classes: []}}\n", "no class" },
	{ "watches all", "pfc-no-watchdog", 0, 0,
	  LOSSLESS "switch: {watchdog: {detect: 200ms}}\n", NULL },
	{ "watchdog kept", "pfc-no-watchdog", 0, 1,
	  LOSSLESS "switch: {watchdog: keep}\n", "kept as it is" },
	{ "nothing to watch", "pfc-no-watchdog", 0, 0, MTU "classes: {a: {prio: 3}}\n",
	  NULL },

	{ "not ECT", "ecn-class-not-ect", 1, 0,
	  MTU "classes: {a: {ect: no}}\nswitch: {ecn: {a: {up: {kmin: 1KB}}}}\n",
	  "class a has ect: no" },
	{ "ECT", "ecn-class-not-ect", 0, 0,
	  MTU "classes: {a: {ect: tclass}}\nswitch: {ecn: {a: {up: {kmin: 1KB}}}}\n",
	  NULL },
	{ "ECT not said", "ecn-class-not-ect", 0, 1,
	  MTU "classes: {a: {prio: 1}}\nswitch: {ecn: {a: {up: {kmin: 1KB}}}}\n",
	  "ect is not said" },
	{ "not ECT and no ECN", "ecn-class-not-ect", 0, 0,
	  MTU "classes: {a: {ect: no}}\n", NULL },

	{ "pause beside PFC", "pfc-with-global-pause", 1, 0,
	  LOSSLESS "host: {global_pause: yes}\n", "class a is lossless" },
	{ "PFC alone", "pfc-with-global-pause", 0, 0,
	  LOSSLESS "host: {global_pause: no}\n", NULL },
	{ "pause kept", "pfc-with-global-pause", 0, 0,
	  LOSSLESS "host: {global_pause: keep}\n", NULL },
	{ "pause alone", "pfc-with-global-pause", 0, 0,
	  MTU "classes: {a: {lossless: no}}\nhost: {global_pause: yes}\n", NULL },

	{ "NIC gives up first", "pfc-storm-timeout-not-shorter", 0, 0,
	  LOSSLESS
	  "switch: {watchdog: {detect: 200ms}}\nhost: {pause_storm_timeout: 199ms}\n",
	  NULL },
	{ "both at once", "pfc-storm-timeout-not-shorter", 1, 0,
	  LOSSLESS
	  "switch: {watchdog: {detect: 200ms}}\nhost: {pause_storm_timeout: 200ms}\n",
	  "after 200ms" },
	{ "NIC never gives up", "pfc-storm-timeout-not-shorter", 1, 0,
	  LOSSLESS
	  "switch: {watchdog: {detect: 200ms}}\nhost: {pause_storm_timeout: 0}\n",
	  "never stops pausing" },
	{ "NIC not said", "pfc-storm-timeout-not-shorter", 0, 1,
	  LOSSLESS "switch: {watchdog: {detect: 200ms}}\n", "pause_storm_timeout" },
	{ "switch kept", "pfc-storm-timeout-not-shorter", 0, 1,
	  LOSSLESS
	  "switch: {watchdog: {detect: keep}}\nhost: {pause_storm_timeout: 1ms}\n",
	  "watchdog.detect" },

	/* 1/9 of 32 MB over 16 ports: what one of two partitions has. */
	{ "below the bound of a partition", "ecn-kmin-above-bound", 0, 0,
	  PARTITIONS("222222B"), NULL },
	{ "at the bound of a partition", "ecn-kmin-above-bound", 1, 0,
	  PARTITIONS("222223B"), "16 ports, 1 lossless priorities, a pool of 32MB" },
	{ "headroom is all there is", "ecn-kmin-above-xoff", 0, 1,
	  LOSSLESS
	  "switch: {pool: {buffer: 10MB}, roles: {host: {ports: 10, headroom: {a: "
	  "1MB}, buffer_alpha: {a: 1}}}, ecn: {a: {host: {kmin: 1KB}}}}\n",
	  "headroom leaves nothing of the buffer" },

	{ "headroom fits", "pfc-headroom-over-pool", 0, 0,
	  LOSSLESS
	  "switch: {pool: {buffer: 10MB}, roles: {host: {ports: 10, headroom: {a: "
	  "1MB}}}}\n",
	  NULL },
	{ "headroom over", "pfc-headroom-over-pool", 1, 0,
	  LOSSLESS
	  "switch: {pool: {buffer: 10MB}, roles: {host: {ports: 8, headroom: {a: "
	  "1MB}}, up: {ports: 3, headroom: {a: 1MB}}}}\n",
	  "leaf: headroom of all ports and lossless classes is 11MB, the pool 10MB" },
	{ "a spine over", "pfc-headroom-over-pool", 1, 0,
	  LOSSLESS
	  "switch: {pool: {buffer: 10MB}, roles: {spine: {ports: 11, headroom: {a: "
	  "1MB}}}}\n",
	  "spine: " },
	{ "shared", "pfc-headroom-over-pool", 0, 0,
	  LOSSLESS "switch: {pool: {buffer: 10MB, shared_headroom: 2MB}, roles: {host: "
		   "{ports: 11, headroom: {a: 1MB}}}}\n",
	  NULL },
	{ "no number of ports", "pfc-headroom-over-pool", 0, 1,
	  LOSSLESS
	  "switch: {pool: {buffer: 10MB}, roles: {host: {headroom: {a: 1MB}}}}\n",
	  "is not a number" },
};

/* Those of the rule itself, and those that say it lacked something. */
static void count(const struct rt_findings *findings, const struct row *row,
		  unsigned *ret_found, unsigned *ret_not_judged, bool *ret_says)
{
	*ret_found = *ret_not_judged = 0;
	*ret_says = row->says == NULL;
	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *f = &findings->items[i];
		const bool own = strcmp(f->id, row->id) == 0;
		const bool lacks = strcmp(f->id, "profile-not-judged") == 0 &&
				   strncmp(f->evidence, row->id, strlen(row->id)) == 0;

		*ret_found += own;
		*ret_not_judged += lacks;
		if ((own || lacks) && row->says && strstr(f->evidence, row->says))
			*ret_says = true;
	}
}

static void test_each_rule_fires_and_stays_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_profile *profile = good_profile(rows[i].text);
		struct rt_findings findings = { 0 };
		unsigned found, not_judged;
		bool says;

		print_message("# --- %s: %s\n", rows[i].id, rows[i].label);
		assert_int_equal(rt_profile_check(profile, &findings, NULL), 0);
		print_findings(&findings);
		count(&findings, &rows[i], &found, &not_judged, &says);
		assert_int_equal(found, rows[i].findings);
		assert_int_equal(not_judged, rows[i].not_judged);
		assert_true(says);
		rt_findings_free(&findings);
		rt_profile_free(profile);
	}
}

/* Every rule of the table has a row above in which it fires. */
static void test_every_rule_was_seen_firing(void **state)
{
	(void)state;
	for (size_t r = 0; r < rt_profile_rule_count; r++) {
		const struct rt_rule *rule = &rt_profile_rules[r];
		bool seen = strcmp(rule->id, "profile-not-judged") == 0;

		for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
			seen |= rows[i].findings && strcmp(rows[i].id, rule->id) == 0;
		print_message("# %s\n", rule->id);
		assert_true(seen);
		assert_non_null(rule->title);
		assert_non_null(rule->explain);
		assert_non_null(rule->remedy);
	}
}

static void test_findings_name_their_place(void **state)
{
	struct rt_profile *profile = good_profile(LEAF("2MB", "1MB"));
	struct rt_findings findings = { 0 };

	(void)state;
	assert_int_equal(rt_profile_check(profile, &findings, NULL), 0);
	assert_string_equal(findings.items[0].id, "ecn-kmin-above-kmax");
	assert_string_equal(findings.items[0].where, "t.yaml:6:26");
	assert_int_equal(findings.items[0].severity, RT_SEVERITY_ERROR);
	rt_findings_free(&findings);
	rt_profile_free(profile);
}

/*
 * The paper's switch: 12 MB, 32 ports, 8 priorities, 22.4 KB of headroom; its
 * bound at beta 8 is 21.75 KB, and 12.24, 16.32, 19.58 and 23.04 at 1, 2, 4, 16.
 */
static void test_paper_bound_comes_out(void **state)
{
	static const struct {
		unsigned beta;
		uint64_t highest; /* kmin that is below the bound */
	} cases[] = {
		{ 1, 12237 }, { 2, 16316 }, { 4, 19579 }, { 8, 21755 }, { 16, 23035 }
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		for (unsigned above = 0; above < 2; above++) {
			char text[4096];
			size_t used = 0;
			struct rt_profile *profile;
			struct rt_findings findings = { 0 };

			used += (size_t)sprintf(text, MTU "classes: {");
			for (unsigned p = 0; p < 8; p++)
				used += (size_t)sprintf(
					text + used,
					"p%u: {prio: %u, lossless: yes, ect: nic}, ", p,
					p);
			used += (size_t)sprintf(
				text + used,
				"}\nswitch:\n  pool: {buffer: 12MB}\n  roles: "
				"{host: {ports: 32, headroom: {");
			for (unsigned p = 0; p < 8; p++)
				used += (size_t)sprintf(text + used, "p%u: 22.4KB, ",
							p);
			sprintf(text + used,
				"}, buffer_alpha: {p0: %u}}}\n"
				"  ecn: {p0: {host: {kmin: %" PRIu64 "B}}}\n",
				cases[i].beta, cases[i].highest + above);
			profile = good_profile(text);
			assert_int_equal(rt_profile_check(profile, &findings, NULL), 0);
			print_message("# beta %u, above %u\n", cases[i].beta, above);
			print_findings(&findings);
			assert_int_equal(count_id(&findings, "ecn-kmin-above-bound"),
					 above);
			rt_findings_free(&findings);
			rt_profile_free(profile);
		}
}

/* 64 MB, alpha 1/8: 7.1 MB for one ingress, 42.7 MB for 16. */
static void test_fan_in_table(void **state)
{
	static const struct {
		uint32_t fan_in;
		uint64_t queue;
		enum rt_first first;
	} cases[] = {
		{ 1, 7111111, RT_FIRST_PFC },   { 2, 12800000, RT_FIRST_PFC },
		{ 4, 21333333, RT_FIRST_ECN },  { 8, 32000000, RT_FIRST_ECN },
		{ 16, 42666666, RT_FIRST_ECN }, { 32, 51200000, RT_FIRST_ECN },
	};
	struct rt_profile *profile = good_profile(LEAF("1MB", "12.8MB"));
	struct rt_fan_ins rows_of = { 0 };

	(void)state;
	assert_int_equal(rt_fan_in_rows(profile, &rows_of, NULL), 0);
	assert_int_equal(rows_of.count, RT_ARRAY_SIZE(cases));
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(rows_of.items[i].fan_in, cases[i].fan_in);
		assert_int_equal(rows_of.items[i].xoff_queue_bytes, cases[i].queue);
		assert_int_equal(rows_of.items[i].first, cases[i].first);
		assert_int_equal(rows_of.items[i].kmax_bytes, 12800000);
	}
	rt_fan_ins_free(&rows_of);
	rt_profile_free(profile);
}

/* What is shipped must be right, and its warnings those of what was published. */
static void test_shipped_profiles_have_no_errors(void **state)
{
	static const struct {
		const char *name, *warnings; /* ids, "" none */
	} cases[] = {
		{ "roce-base", "" },
		/* Papers say nothing of watchdogs. */
		{ "dcqcn-paper-40g", "pfc-no-watchdog " },
		{ "hpcc-25g", "pfc-no-watchdog " },
		{ "hpcc-100g", "pfc-no-watchdog " },
		{ "nvidia-lossless-100g", "" },
		{ "nvidia-lossless-200g", "" },
		{ "nvidia-lossless-400g", "" },
		{ "azure-sonic", "" },
		{ "dell-sonic", "" },
		{ "thor2-400g-sonic", "" },
		{ "cx7-400g-eos", "" },
		{ "intel-e810-100g", "" },
		{ "lossy-multi-tc-400g", "" },
		{ "lossy-multi-tc-800g", "" },
		{ "juniper-qfx5240", "" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile = NULL;
		struct rt_findings findings = { 0 };
		struct rt_err err = { 0 };
		char warnings[512] = "";

		print_message("# %s\n", cases[i].name);
		assert_int_equal(rt_profile_read(cases[i].name, &shipped_search, NULL,
						 &profile, &err),
				 0);
		assert_int_equal(rt_profile_check(profile, &findings, &err), 0);
		print_findings(&findings);
		for (size_t f = 0; f < findings.count; f++) {
			assert_int_not_equal(findings.items[f].severity,
					     RT_SEVERITY_ERROR);
			if (findings.items[f].severity != RT_SEVERITY_WARN)
				continue;
			strcat(warnings, findings.items[f].id);
			strcat(warnings, " ");
		}
		assert_string_equal(warnings, cases[i].warnings);
		assert_string_equal(profile->name.text, cases[i].name);
		rt_findings_free(&findings);
		rt_profile_free(profile);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_each_rule_fires_and_stays_silent),
	     cmocka_unit_test(test_every_rule_was_seen_firing),
	     cmocka_unit_test(test_findings_name_their_place),
	     cmocka_unit_test(test_paper_bound_comes_out),
	     cmocka_unit_test(test_fan_in_table),
	     cmocka_unit_test(test_shipped_profiles_have_no_errors))
