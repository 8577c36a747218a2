/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldp.h - LLDP frames (IEEE 802.1AB), as far as a RoCE network is told by them:
 * who is at the other end of the link, and what it says by DCBX about priorities,
 * in any of its dialects: IEEE (802.1Qaz, annex D), CEE (DCBX base protocol 1.01)
 * and the one before it (CIN: Cisco, Intel, Nuova).
 *
 * A struct rt_lldp is a plain value that outlives the bytes.  Decoding never fails:
 * a TLV that contradicts itself is left out and noted as a fault with its offset
 * and the reason, and all others are read.
 */
#ifndef RT_WIRE_LLDP_H
#define RT_WIRE_LLDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

#define RT_LLDP_ETHERTYPE 0x88CC
#define RT_DCBX_PRIOS     8

/* --- DCBX -------------------------------------------------------------------- */

enum rt_dcbx_dialect {
	RT_DCBX_IEEE,
	RT_DCBX_CEE,
	RT_DCBX_CIN,
	RT_DCBX_DIALECT_COUNT,
};

extern const struct rt_name rt_dcbx_dialect_names[];

/* Transmission selection algorithms (802.1Q table 8-5). */
enum rt_dcbx_tsa {
	RT_DCBX_TSA_STRICT = 0,
	RT_DCBX_TSA_CBS = 1,
	RT_DCBX_TSA_ETS = 2,
	RT_DCBX_TSA_VENDOR = 255,
};

/* CEE's and CIN's group without a limit: its priorities are served first. */
#define RT_DCBX_PGID_STRICT 15

struct rt_dcbx_ets {
	bool present;
	bool willing, cbs;
	bool enabled, error;            /* CEE, CIN; IEEE: enabled is always true */
	uint8_t tc_count;               /* that there can be, 1..8; 0: not told */
	uint8_t prio_tc[RT_DCBX_PRIOS]; /* 0..15, as on the wire; CEE, CIN: groups */
	uint8_t bw_percent[8];          /* of each class */
	uint8_t tsa[8]; /* enum rt_dcbx_tsa; CEE, CIN: RT_DCBX_TSA_ETS */
};

struct rt_dcbx_pfc {
	bool present;
	bool willing, mbc; /* mbc: MACsec bypass, IEEE */
	bool enabled, error;
	uint8_t prio_mask; /* bit n: priority n is paused */
	uint8_t tc_count;  /* that can be lossless at once; 0: not told, or none */
};

/* Selectors of application entries (802.1Q table D-9); 5 came with 802.1Qcd. */
enum rt_dcbx_selector {
	RT_DCBX_ETHERTYPE = 1,
	RT_DCBX_STREAM = 2,   /* TCP or SCTP port */
	RT_DCBX_DATAGRAM = 3, /* UDP or DCCP port */
	RT_DCBX_PORT = 4,     /* any of them */
	RT_DCBX_DSCP = 5,
};

struct rt_dcbx_app {
	uint8_t selector;  /* enum rt_dcbx_selector, also for CEE and CIN */
	uint8_t prio_mask; /* IEEE: one bit; CEE, CIN: as many as announced */
	uint16_t protocol;
};

/* What one length field has room for (IEEE: (511 - 5) / 3). */
#define RT_DCBX_APP_MAX 168

struct rt_dcbx_apps {
	bool present;
	bool willing; /* CEE, CIN */
	bool enabled, error;
	uint16_t count;
	struct rt_dcbx_app items[RT_DCBX_APP_MAX];
};

/* The control sub-TLV of CEE and CIN. */
struct rt_dcbx_control {
	bool present;
	uint8_t oper_version, max_version;
	uint32_t sequence, acknowledged;
};

/* What an LLDPDU says in one dialect. */
struct rt_dcbx {
	bool present; /* there is at least one TLV of it */
	struct rt_dcbx_control control;
	struct rt_dcbx_ets ets;
	struct rt_dcbx_ets reco; /* IEEE: what the other end should use */
	struct rt_dcbx_pfc pfc;
	struct rt_dcbx_apps apps;
};

/* --- the LLDPDU ---------------------------------------------------------------- */

/* Subtypes of chassis and port ids that are not text (802.1AB 8.5.2, 8.5.3). */
enum rt_lldp_id_kind {
	RT_LLDP_CHASSIS_MAC = 4,
	RT_LLDP_CHASSIS_NETWORK = 5,
	RT_LLDP_CHASSIS_IFNAME = 6,
	RT_LLDP_CHASSIS_LOCAL = 7,
	RT_LLDP_PORT_MAC = 3,
	RT_LLDP_PORT_NETWORK = 4,
	RT_LLDP_PORT_IFNAME = 5,
	RT_LLDP_PORT_LOCAL = 7,
};

struct rt_lldp_id {
	uint8_t kind; /* subtype; 0: there is none */
	uint8_t bytes;
	uint8_t value[255];
};

#define RT_LLDP_TEXT_BYTES 256

struct rt_lldp_fault {
	uint16_t offset;    /* of the TLV, in the frame */
	uint8_t type;       /* of the TLV */
	uint8_t subtype;    /* 127: as announced; in DCBX: of the sub-TLV */
	uint32_t oui;       /* 127 */
	const char *tlv;    /* its name; NULL: not one of those that are read */
	const char *reason; /* a static text */
};

#define RT_LLDP_FAULT_MAX 16

struct rt_lldp {
	uint8_t eth_src[6];
	struct rt_lldp_id chassis, port;
	struct rt_opt_u64 ttl_s;
	/* "": not told; control characters and what is no UTF-8 are question marks. */
	char port_description[RT_LLDP_TEXT_BYTES];
	char system_name[RT_LLDP_TEXT_BYTES];
	char system_description[RT_LLDP_TEXT_BYTES];
	struct rt_ip management;           /* the first address */
	struct rt_opt_u64 max_frame_bytes; /* 802.3: with header and FCS */
	struct rt_dcbx dcbx[RT_DCBX_DIALECT_COUNT];

	struct rt_lldp_fault faults[RT_LLDP_FAULT_MAX];
	unsigned fault_count; /* may be more than are kept */
	unsigned tlv_count;   /* all of them, End excluded */
};

/*
 * Decode an Ethernet frame, with at most two VLAN tags, of which bytes were captured.
 * False: it is no LLDP, and nothing was written.
 */
bool rt_lldp_decode(const uint8_t *frame, size_t bytes, struct rt_lldp *ret_lldp);

/*
 * One organisation-specific TLV (type 127), as other programs hand them on: bytes of
 * value follow OUI and subtype.  False: it is none of those that are read; faults
 * are noted with offset 0.
 */
bool rt_lldp_decode_org(struct rt_lldp *lldp, uint32_t oui, uint8_t subtype,
			const uint8_t *value, size_t bytes);

/*
 * The frame that says what lldp holds, to 01-80-C2-00-00-0E; what is not present is
 * left out (802.1AB wants chassis, port and ttl_s to be there).  Returns its length,
 * at least the Ethernet minimum of 60; writes as much as there is room for.
 */
#define RT_LLDP_FRAME_MAX 4096
size_t rt_lldp_build(const struct rt_lldp *lldp, uint8_t *frame, size_t room);

/* An id as text: a MAC or network address, a name, or bytes in hexadecimal. */
#define RT_LLDP_ID_TEXT_BYTES 520
char *rt_lldp_chassis_text(const struct rt_lldp_id *chassis,
			   char buf[RT_LLDP_ID_TEXT_BYTES]);
char *rt_lldp_port_text(const struct rt_lldp_id *port, char buf[RT_LLDP_ID_TEXT_BYTES]);

/* True when both are one and the same. */
bool rt_lldp_id_equal(const struct rt_lldp_id *a, const struct rt_lldp_id *b);

#endif
