/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dcbx.h - what the other end of a link announces, in the terms of a host port's
 * knobs (model/qos.h), whatever dialect it speaks: an announcement compares with a
 * host, a profile and another announcement knob by knob.
 */
#ifndef RT_MODEL_DCBX_H
#define RT_MODEL_DCBX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/qos.h"
#include "rocetune/field.h"
#include "wire/lldp.h"

struct rt_doc;
struct rt_err;
struct rt_lldp_peer;
struct rt_lldp_peers;

/*
 * The knobs that an announcement speaks of: PFC (mask, how many), ETS, DSCPs of the
 * application entries, willing.  What it leaves out stays unknown; so does the class
 * of a priority that CEE puts into the group without a limit, and why says so.  A
 * feature that CEE or CIN announce as disabled is off.
 */
void rt_dcbx_to_qos(const struct rt_dcbx *dcbx, enum rt_dcbx_dialect dialect,
		    struct rt_qos *ret_qos);

/*
 * The other way round, IEEE: what a port with these knobs would announce.  ETS and PFC
 * are present when all of theirs is known, application entries for every DSCP with a
 * priority of its own (RT_DCBX_APP_MAX fit).
 */
void rt_dcbx_of_qos(const struct rt_qos *qos, struct rt_dcbx *ret_dcbx);

/* How an announcement may name RoCE other than by DSCP. */
enum rt_dcbx_roce {
	RT_DCBX_ROCE_V2, /* UDP port 4791 */
	RT_DCBX_ROCE_V1, /* Ethertype 0x8915 */
	RT_DCBX_ROCE_COUNT,
};

/* The priorities announced for it, a mask; 0: it is not announced. */
uint8_t rt_dcbx_roce_prios(const struct rt_dcbx *dcbx, enum rt_dcbx_roce which);

/* --- a peer, for showing and judging (some 60 KB: on the heap) ----------------------- */

struct rt_dcbx_app_row {
	unsigned selector; /* enum rt_dcbx_selector */
	uint32_t protocol;
	char priorities[24];
};
extern const struct rt_name rt_dcbx_selector_names[];

struct rt_dcbx_fault_row {
	uint32_t offset_bytes; /* of the TLV, in the frame */
	char tlv[48];
	const char *reason;
};

/* "ets.bw" and its value. */
struct rt_dcbx_value_row {
	const char *knob;
	char value[RT_KNOB_TEXT_BYTES];
};
#define RT_DCBX_VALUE_MAX 8

struct rt_dcbx_peer {
	char interface[64]; /* of ours; "": not told */
	char chassis[RT_LLDP_ID_TEXT_BYTES], port[RT_LLDP_ID_TEXT_BYTES];
	char system_name[RT_LLDP_TEXT_BYTES]; /* "": not told */
	char port_description[RT_LLDP_TEXT_BYTES];
	struct rt_ip management;
	struct rt_opt_u64 ttl_s, max_frame_bytes;
	uint64_t frames;

	bool speaks[RT_DCBX_DIALECT_COUNT];
	bool dcbx;        /* it speaks one at least, and then: */
	unsigned dialect; /* the newest, which what follows is of */
	char dialects[24];
	bool error; /* CEE, CIN: it says that it could not agree with us */
	struct rt_qos said, recommended; /* recommended: IEEE, ETS only */
	uint8_t roce_prios[RT_DCBX_ROCE_COUNT];

	struct rt_dcbx_value_row value_rows[RT_DCBX_VALUE_MAX];
	struct rt_dcbx_app_row app_rows[RT_DCBX_APP_MAX];
	struct rt_dcbx_fault_row fault_rows[RT_LLDP_FAULT_MAX];
	/* Inside the struct, which must not be moved; for the table. */
	const struct rt_dcbx_value_row *values; /* of said, known ones */
	const struct rt_dcbx_app_row *apps;
	const struct rt_dcbx_fault_row *faults;
	size_t value_count, app_count, fault_count;
	uint32_t faults_in_all; /* more than are kept, perhaps */
};

extern const struct rt_table rt_dcbx_peer_table;

void rt_dcbx_peer_of(const struct rt_lldp_peer *heard, struct rt_dcbx_peer *ret_peer);

/* --- lldpd -------------------------------------------------------------------------- */

/*
 * What `lldpcli -f json show neighbors details` or `-f json0` wrote (lldpd 0.9 to
 * 1.0), in every shape it has: interfaces as a list or as the one that there is,
 * under their names or with them inside; the same for chassis; a value alone or in a
 * list.  DCBX comes as TLVs that lldpd does not know, in hexadecimal.  Adds to *peers.
 * -EINVAL: not such a document; the text has the place.
 */
int rt_lldpcli_read(const struct rt_doc *doc, struct rt_lldp_peers *peers,
		    struct rt_err *err);

#endif
