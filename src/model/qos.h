/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qos.h - the congestion-control state of one port of a host, for all vendors,
 * and the table of its knobs.
 *
 * A knob is a row: name, group, unit, how many elements, help.  A value says
 * element by element what is known: unknown is a bit, never a zero, and carries
 * why.  The same struct is what a device has (read by host), what a profile wants
 * (rt_qos_want()) and what a journal remembers; show, diff, check, apply and JSON
 * walk the rows.
 *
 * Plain values: copy, compare, throw away.  Texts they point to are of tables.
 */
#ifndef RT_MODEL_QOS_H
#define RT_MODEL_QOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rocetune/profile.h"
#include "rocetune/units.h"

/* What --only takes; a group is read and written by one kind of interface. */
enum rt_knob_group {
	RT_GROUP_TRUST,
	RT_GROUP_PFC,
	RT_GROUP_ETS,
	RT_GROUP_RATE,
	RT_GROUP_BUFFER,
	RT_GROUP_DCBX,
	RT_GROUP_PAUSE,
	RT_GROUP_STORM,
	RT_GROUP_TOS,
	RT_GROUP_CC,
};
#define RT_GROUP_COUNT 10
extern const struct rt_name rt_group_names[];

/* In the order in which show prints them. */
enum rt_knob_id {
	RT_KNOB_TRUST,
	RT_KNOB_DSCP_PRIO,
	RT_KNOB_PFC_MASK,
	RT_KNOB_PFC_CAP,
	RT_KNOB_PFC_CABLE,
	RT_KNOB_ETS_PRIO_TC,
	RT_KNOB_ETS_TSA,
	RT_KNOB_ETS_BW,
	RT_KNOB_ETS_CAP,
	RT_KNOB_MAX_RATE,
	RT_KNOB_PRIO_BUFFER,
	RT_KNOB_BUFFER_SIZE,
	RT_KNOB_BUFFER_TOTAL,
	RT_KNOB_BUFFER_AUTO,
	RT_KNOB_DCBX_OWNER,
	RT_KNOB_DCBX_MODE,
	RT_KNOB_DCBX_WILLING,
	RT_KNOB_PAUSE_RX,
	RT_KNOB_PAUSE_TX,
	RT_KNOB_STORM_TIMEOUT,
	RT_KNOB_TCLASS,
	RT_KNOB_CM_TOS,
	RT_KNOB_CM_MODE,
	RT_KNOB_DATA_DSCP, /* that the NIC itself puts on RoCE (bnxt_re) */
	RT_KNOB_DATA_PRIO,
	RT_KNOB_CC_ALGORITHM,
	RT_KNOB_NP_ENABLE,
	RT_KNOB_NP_CNP_INTERVAL,
	RT_KNOB_NP_CNP_DSCP,
	RT_KNOB_NP_CNP_PRIO,
	RT_KNOB_RP_ENABLE,
	RT_KNOB_RP_G,
	RT_KNOB_RP_INITIAL_ALPHA,
	RT_KNOB_RP_ALPHA_TIMER,
	RT_KNOB_RP_RATE_TIMER,
	RT_KNOB_RP_BYTE_COUNTER,
	RT_KNOB_RP_FAST_RECOVERY,
	RT_KNOB_RP_AI,
	RT_KNOB_RP_HAI,
	RT_KNOB_RP_MIN_RATE,
	RT_KNOB_RP_MAX_RATE,
	RT_KNOB_RP_MIN_DEC,
	RT_KNOB_RP_REDUCE_GAP,
	RT_KNOB_RP_FIRST_CNP_RATE,
	RT_KNOB_RP_CLAMP_TARGET,
	RT_KNOB_RP_CLAMP_AFTER_TIMER,
};
#define RT_KNOB_COUNT (RT_KNOB_RP_CLAMP_AFTER_TIMER + 1)

enum rt_knob_type {
	RT_KNOB_NUMBER,
	RT_KNOB_BOOL,
	RT_KNOB_ENUM,
	RT_KNOB_MASK, /* bit n: priority n; text is a list of priorities */
};

enum rt_knob_flags {
	RT_KNOB_FACT = 1,     /* what the device is, nobody sets it */
	RT_KNOB_INFERRED = 2, /* no interface of its own: follows from other knobs */
	RT_KNOB_DETAIL = 4,   /* text shows it only when asked for more */
	RT_KNOB_MAY_LACK = 8, /* RT_NO_PRIO stands for no entry */
};

/* Weight of DCB's transmission selection algorithms, IEEE 802.1Q table 34-1. */
enum rt_tsa {
	RT_TSA_STRICT = 0,
	RT_TSA_CBS = 1,
	RT_TSA_ETS = 2,
	RT_TSA_VENDOR = 255,
};
extern const struct rt_name rt_tsa_names[];

struct rt_knob {
	const char *name; /* "pfc.mask", "cc.rp.ai" */
	enum rt_knob_group group;
	enum rt_knob_type type;
	enum rt_unit unit;
	unsigned length; /* elements: 1, 8 (by priority or class) or 64 (by DSCP) */
	const struct rt_name *names;
	unsigned flags;
	const char *zero;  /* what 0 means, a word for it; NULL: a number like others */
	const char *param; /* the profile's knob it serves (model/params); or NULL */
	const char *help;
};

extern const struct rt_knob rt_knobs[RT_KNOB_COUNT];

/* The row of this name, or NULL. */
const struct rt_knob *rt_knob_find(const char *name);

/* Priority of a DSCP without an entry of its own. */
#define RT_NO_PRIO 0xff

#define RT_KNOB_WHY_BYTES 96

struct rt_knob_value {
	uint64_t known; /* bit i: element i holds */
	union {
		uint64_t number[8];
		uint8_t small[64]; /* of knobs with 64 elements */
	};
	/* Where it comes from, for show; of tables, may be NULL. */
	const char *interface; /* "dcbnl", "debugfs" */
	const char *vendor;    /* the vendor's own name: "rp_ai_rate" */
	uint64_t raw;          /* in the vendor's own unit */
	bool raw_known;
	char why[RT_KNOB_WHY_BYTES]; /* unknown: why; known: a remark; or "" */
};

/* A vendor's knob without a neutral twin, in the vendor's unit. */
struct rt_raw_value {
	const char *name; /* of the driver's row */
	bool known;
	uint64_t number;
	const char *interface; /* NULL: there is none here */
	char why[RT_KNOB_WHY_BYTES];
};
#define RT_QOS_RAW_MAX 96

struct rt_qos {
	struct rt_knob_value knobs[RT_KNOB_COUNT];
	struct rt_raw_value raw[RT_QOS_RAW_MAX];
	size_t raw_count;
};

/* --- values ------------------------------------------------------------------- */

static inline uint64_t rt_knob_number(const struct rt_knob *row,
				      const struct rt_knob_value *value,
				      unsigned element)
{
	return row->length > 8 ? value->small[element] : value->number[element];
}

/* Bits of all elements. */
static inline uint64_t rt_knob_all(const struct rt_knob *row)
{
	return row->length == 64 ? UINT64_MAX : ((uint64_t)1 << row->length) - 1;
}

/* Set one element and mark it known. */
void rt_knob_set(struct rt_qos *qos, enum rt_knob_id id, unsigned element,
		 uint64_t number);

/* Not known, and why (may be NULL); keeps nothing of the old value. */
void rt_knob_unknown(struct rt_qos *qos, enum rt_knob_id id, const char *why);

/* A scalar's number, if known. */
struct rt_opt_u64 rt_qos_number(const struct rt_qos *qos, enum rt_knob_id id);

/* The raw knob of this name, or NULL. */
const struct rt_raw_value *rt_qos_raw(const struct rt_qos *qos, const char *name);

/*
 * As text, exact, with units: "0-25:0 26:3 27-47:0 48:6" for maps (only what is
 * known), "3 4" for masks, the row's word for 0, "unknown".  rt_knob_parse() reads it
 * back, and 0 with its unit as well; -EINVAL.
 */
#define RT_KNOB_TEXT_BYTES 512
char *rt_knob_format(const struct rt_knob *row, const struct rt_knob_value *value,
		     char buf[RT_KNOB_TEXT_BYTES]);
int rt_knob_parse(const struct rt_knob *row, const char *text,
		  struct rt_knob_value *ret_value, struct rt_err *err);

/*
 * Elements that want knows and have does not have so: different, or unknown there.
 * 0: have is as wanted.
 */
uint64_t rt_knob_differs(const struct rt_knob *row, const struct rt_knob_value *have,
			 const struct rt_knob_value *want);

/*
 * Traffic classes (bits) whose share means nothing: only those that are scheduled by
 * share have one (802.1Qaz 37.3), and drivers put what they like beside the others.
 * Who compares RT_KNOB_ETS_BW leaves these out.
 */
uint64_t rt_qos_shareless(const struct rt_qos *target);

/* have with every element that want knows. */
void rt_qos_merge(const struct rt_qos *have, const struct rt_qos *want,
		  struct rt_qos *ret_both);

/* --- what a profile asks of a host --------------------------------------------- */

/* What of the port decides how a profile is read. */
struct rt_qos_port {
	const char *driver;          /* as in profiles: "mlx5"; NULL: not known */
	struct rt_opt_u64 speed_bps; /* caps that are shares need it */
	struct rt_opt_u64 pfc_cap;
};

/* Something of the profile that does not become a knob, and why. */
struct rt_qos_note {
	char param[80]; /* path in the profile */
	char text[200];
	struct rt_place place;
};
#define RT_QOS_NOTE_MAX 32

struct rt_qos_want {
	struct rt_qos qos; /* known: wanted so */
	/* Where in the profile each knob comes from; line 0: nowhere. */
	struct rt_place place[RT_KNOB_COUNT], raw_place[RT_QOS_RAW_MAX];
	struct rt_qos_note notes[RT_QOS_NOTE_MAX];
	size_t note_count;
};

/*
 * The knobs that profile (of the port's rail) sets; what it leaves unset, keeps,
 * or leaves to automatics is not known in the result.
 *
 * One class with one DSCP that wants ECT from the traffic class byte, or whose
 * applications use rdma_cm, gives TCLASS and CM_TOS (DSCP << 2 | ECT(0)); several
 * such classes give a note instead.  ETS shares of dwrr weights are rounded so
 * that they sum to 100.
 * Names of raw knobs are borrowed from the profile, as places are.
 * -EINVAL: the profile contradicts itself (two priorities for one DSCP), or a raw
 * knob is no whole number.  -ENOMEM.
 */
int rt_qos_want(const struct rt_profile *profile, const struct rt_qos_port *port,
		struct rt_qos_want *ret_want, struct rt_err *err);

#endif
