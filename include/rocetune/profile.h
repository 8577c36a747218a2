/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - what a RoCE network is meant to be: classes, switches, hosts.
 *
 * struct rt_profile is one picture for all vendors.  Every knob is a struct
 * rt_setting, which says whether anybody set it, to what (always in the unit of
 * its row in the parameter table), and in which file, line and column, so that
 * whoever complains can name the place.  "Not set" is a state, never a zero.
 *
 * Priority (the PFC number), traffic class, priority group and queue are four
 * things; nothing here assumes that they are equal.
 *
 * A profile owns the texts its settings point to: free it last.  It holds no
 * pointers into itself, so rt_profile_rail() can copy it plainly.
 */
#ifndef ROCETUNE_PROFILE_H
#define ROCETUNE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;
struct rt_findings;
struct rt_node;

/* Where in which file; line 0: nowhere (computed, or not set). */
struct rt_place {
	const char *file; /* borrowed from the profile */
	unsigned line, column;
};

enum rt_setting_state {
	RT_SETTING_UNSET, /* nobody said anything */
	RT_SETTING_VALUE,
	RT_SETTING_AUTO, /* to be computed; see computed */
	RT_SETTING_KEEP, /* leave the device or platform as it is */
};

struct rt_setting {
	uint64_t number;  /* in the row's unit; valid if rt_setting_known() */
	const char *text; /* the value as written (lists joined by ", ") */
	unsigned times;   /* a breakout's children, or how many a list has; else 0 */
	enum rt_setting_state state;
	bool computed;  /* AUTO: number was computed; text says from what */
	unsigned layer; /* which file or rail set it; later ones win */
	struct rt_place place;
};

/* True when number holds: set, or auto and computed. */
static inline bool rt_setting_known(const struct rt_setting *setting)
{
	return setting->state == RT_SETTING_VALUE ||
	       (setting->state == RT_SETTING_AUTO && setting->computed);
}

/* The number, or what to take when there is none. */
static inline uint64_t rt_setting_or(const struct rt_setting *setting,
				     uint64_t otherwise)
{
	return rt_setting_known(setting) ? setting->number : otherwise;
}

/* --- words --------------------------------------------------------------- */

enum rt_profile_status {
	RT_STATUS_VENDOR,
	RT_STATUS_OPERATOR,
	RT_STATUS_RESEARCH,
	RT_STATUS_SIMULATED,
};

enum rt_load_balancing {
	RT_LB_ECMP,
	RT_LB_DLB,
	RT_LB_SPRAY
};

enum rt_class_kind {
	RT_CLASS_DATA,
	RT_CLASS_CONTROL, /* small messages that must not wait behind data */
	RT_CLASS_CNP,
};

enum rt_ect {
	RT_ECT_NO,
	RT_ECT_NIC,    /* the NIC sets the ECN bits itself */
	RT_ECT_TCLASS, /* whoever sets the traffic class byte must set them */
};

/* Ports of one kind: a leaf's to hosts, a leaf's to spines, a spine's. */
enum rt_role {
	RT_ROLE_HOST,
	RT_ROLE_UP,
	RT_ROLE_SPINE
};
#define RT_ROLE_COUNT 3

enum rt_trust {
	RT_TRUST_DSCP,
	RT_TRUST_PCP,
	RT_TRUST_BOTH,
	RT_TRUST_PORT
};

enum rt_dcbx_owner {
	RT_DCBX_HOST,
	RT_DCBX_FIRMWARE
};

enum rt_watchdog_action {
	RT_WATCHDOG_DROP,
	RT_WATCHDOG_FORWARD,
	RT_WATCHDOG_ALERT,
	RT_WATCHDOG_ERRDISABLE,
};

enum rt_cc_algorithm {
	RT_CC_NONE,
	RT_CC_DCQCN,
	RT_CC_DCQCN_P, /* Broadcom's probabilistic mode */
	RT_CC_DCQCN_D, /* Broadcom's deterministic (DCTCP-like) mode */
	RT_CC_RTTCC,   /* NVIDIA ZTR-RTTCC */
	RT_CC_DCTCP,
	RT_CC_TIMELY,
	RT_CC_HPCC,
};

/* --- the parts ------------------------------------------------------------- */

#define RT_CLASS_MAX      16
#define RT_CLASS_NAME_MAX 32
#define RT_PAIR_MAX       64
#define RT_RAIL_MAX       64
#define RT_BUFFER_COUNT   8

/*
 * One class on the ports of one role.  xoff is the filling of a priority group
 * at which PAUSE is sent, headroom the room above it (SONiC calls that "xoff").
 */
struct rt_class_role {
	struct rt_setting headroom;     /* bytes */
	struct rt_setting buffer_alpha; /* ppb: XOFF = alpha * free shared pool */
	struct rt_setting xoff, xon;    /* bytes, static thresholds */
	struct rt_setting kmin, kmax;   /* bytes in the egress queue */
	struct rt_setting pmax;         /* ppb */
};

struct rt_profile_sched {
	struct rt_setting ets;       /* percent of the ETS classes, 0..100 */
	struct rt_setting dwrr;      /* weight */
	struct rt_setting strict;    /* rank among strict classes, 1 = first */
	struct rt_setting max_rate;  /* bits per second */
	struct rt_setting max_share; /* ppb of the port's speed */
};

struct rt_class {
	char name[RT_CLASS_NAME_MAX];
	struct rt_place place;  /* where it was first named */
	struct rt_setting kind; /* enum rt_class_kind; unset: data */
	struct rt_setting dscp; /* mask, bit n = DSCP n; `rest` is computed */
	struct rt_setting prio; /* PFC number, 0..7 */
	struct rt_setting tc, pg, queue;
	struct rt_setting lossless; /* bool; unset: false */
	struct rt_setting ect;      /* enum rt_ect */
	struct rt_profile_sched sched;
	struct rt_setting shares_with; /* text */
	struct rt_class_role at[RT_ROLE_COUNT];
};

struct rt_role_ports {
	struct rt_setting ports;    /* how many such ports one switch has */
	struct rt_setting speed;    /* bits per second, of a port after breakout */
	struct rt_setting breakout; /* number: speed of a child; times: children */
	struct rt_setting cable;    /* millimetres */
};

struct rt_profile_pool {
	struct rt_setting buffer;   /* bytes, all of the packet buffer */
	struct rt_setting lossless; /* bytes lossless classes share, above headroom */
	struct rt_setting shared_headroom;  /* bytes; set: headroom is shared */
	struct rt_setting oversubscription; /* ppb */
	struct rt_setting partitions;       /* equal parts that cannot lend */
};

struct rt_watchdog {
	struct rt_setting classes;               /* mask of class indices */
	struct rt_setting detect, restore, poll; /* ns */
	struct rt_setting action;                /* enum rt_watchdog_action */
};

struct rt_profile_np {
	struct rt_setting enable;       /* bool */
	struct rt_setting cnp_interval; /* ns */
	struct rt_setting cnp_dscp, cnp_prio;
};

/* The reaction point; names as in the DCQCN paper's text. */
struct rt_profile_rp {
	struct rt_setting enable;             /* bool */
	struct rt_setting g;                  /* ppb */
	struct rt_setting initial_alpha;      /* ppb */
	struct rt_setting alpha_timer;        /* ns, K */
	struct rt_setting rate_timer;         /* ns, T */
	struct rt_setting byte_counter;       /* bytes, B */
	struct rt_setting fast_recovery;      /* rounds, F */
	struct rt_setting ai, hai;            /* bits per second */
	struct rt_setting min_rate, max_rate; /* bits per second */
	struct rt_setting min_dec;            /* ppb: smallest new/old ratio of a cut */
	struct rt_setting reduce_gap;         /* ns between two cuts */
	struct rt_setting first_cnp_rate;     /* bits per second */
	struct rt_setting clamp_target;       /* bool */
	struct rt_setting clamp_after_timer;  /* bool */
};

/* Entries under keys that the user chose: variables, vendor knobs. */
struct rt_pair {
	const char *group; /* the driver of a raw knob; NULL elsewhere */
	const char *name;
	struct rt_setting value; /* text; number too where it is one */
};

struct rt_pairs {
	struct rt_pair items[RT_PAIR_MAX];
	size_t count;
};

enum rt_rail_select {
	RT_RAIL_INDEX,
	RT_RAIL_NETDEV,
	RT_RAIL_PCI,
	RT_RAIL_IBDEV
};

struct rt_rail {
	struct rt_place place;
	const char *select; /* as written: "rail 0-7", "netdev stor*" */
	enum rt_rail_select kind;
	const char *pattern;       /* behind the word: a glob, or "0-7" */
	const char *leaf;          /* NULL: not said */
	const struct rt_node *set; /* what differs; NULL: nothing */
	const char *set_file;
};

struct rt_profile {
	struct rt_setting name, extends, source, description;
	struct rt_setting status; /* enum rt_profile_status */

	struct {
		struct rt_setting driver, chip;     /* text */
		struct rt_setting speed;            /* bits per second */
		struct rt_setting roce_mtu, l2_mtu; /* bytes */
	} match;

	struct rt_setting load_balancing; /* enum rt_load_balancing */

	struct rt_class classes[RT_CLASS_MAX];
	size_t class_count;

	struct rt_setting app_scope; /* text list: verbs, devx */
	struct rt_pairs app;

	struct {
		struct rt_setting nos;            /* text */
		struct rt_setting mtu;            /* bytes */
		struct rt_setting headroom_model; /* index of rt_headroom_models */
		struct rt_profile_pool pool;
		struct rt_role_ports roles[RT_ROLE_COUNT];
		struct rt_watchdog watchdog;
	} sw;

	struct {
		struct rt_setting trust;        /* enum rt_trust */
		struct rt_setting dcbx_owner;   /* enum rt_dcbx_owner */
		struct rt_setting dcbx_willing; /* bool */
		struct rt_setting global_pause; /* bool */
		struct rt_setting
			buffers[RT_BUFFER_COUNT];      /* bytes; [0] has the state */
		struct rt_setting cable;               /* millimetres */
		struct rt_setting pause_storm_timeout; /* ns; 0: off */
		struct rt_setting algorithm;           /* enum rt_cc_algorithm */
		struct rt_profile_np np;
		struct rt_profile_rp rp;
		struct rt_pairs raw, firmware_expect;
	} host;

	struct rt_rail rails[RT_RAIL_MAX];
	size_t rail_count;

	struct rt_profile_store *store; /* files and texts; shared with rails */
};

/* --- reading ----------------------------------------------------------------- */

/*
 * Where a profile that is given or extended by name is looked for: NAME.yaml,
 * .yml or .json in each folder.  Before them comes the folder of the file that
 * extends.  Ends with NULL.
 */
struct rt_profile_search {
	const char *folders[9];
};

/* Bytes before the ending that makes a file's name a profile's; 0: it has none. */
size_t rt_profile_stem_bytes(const char *file);

/*
 * Read a profile by name, or by path when it has a '/' or one of the endings
 * ("-" is standard input), with all it extends.  What is wrong is collected in
 * *complaints (may be NULL; at most 100) with its place, as findings of
 * rt_profile_reader_rules; *err has the first and how many there are.
 * -ENOENT: no such profile.  -EINVAL: complaints.  Otherwise as rt_doc_read().
 * The caller frees *ret_profile.
 */
int rt_profile_read(const char *name, const struct rt_profile_search *search,
		    struct rt_findings *complaints, struct rt_profile **ret_profile,
		    struct rt_err *err);

/* As above from memory; name is for messages, text is not kept. */
int rt_profile_parse(const char *name, const char *text, size_t bytes,
		     const struct rt_profile_search *search,
		     struct rt_findings *complaints, struct rt_profile **ret_profile,
		     struct rt_err *err);

/*
 * The profile as it holds on one rail (index below rail_count): a copy with what
 * the rail sets.  It shares the store: free it before the original.
 */
int rt_profile_rail(const struct rt_profile *profile, size_t rail,
		    struct rt_profile **ret_profile, struct rt_err *err);

/* NULL is fine. */
void rt_profile_free(struct rt_profile *profile);
void rt_auto_profile_free(struct rt_profile **profile);

/*
 * The i-th file that the profile was read from: itself, then what it extends.  NULL:
 * there are no more.  "-" is standard input.
 */
const char *rt_profile_file(const struct rt_profile *profile, size_t i);

/* --- questions ------------------------------------------------------------- */

/* The class of this name, or NULL. */
const struct rt_class *rt_profile_class(const struct rt_profile *profile,
					const char *name);

/* The first class whose DSCP set has dscp, or NULL. */
const struct rt_class *rt_profile_class_of_dscp(const struct rt_profile *profile,
						unsigned dscp);

/* The first class of this kind, or NULL. */
const struct rt_class *rt_profile_class_of_kind(const struct rt_profile *profile,
						enum rt_class_kind kind);

bool rt_class_is_lossless(const struct rt_class *which);

/* How many distinct priorities are lossless; unknown ones count as distinct. */
unsigned rt_profile_lossless_count(const struct rt_profile *profile);

/* "file:line:column", or "" when there is no place.  Returns buf. */
#define RT_PLACE_TEXT_BYTES 160
char *rt_place_format(const struct rt_place *place, char buf[RT_PLACE_TEXT_BYTES]);

#endif
