/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch.h - one switch's QoS configuration as a value, whatever system wrote it.
 *
 * A packet's way through a switch is a chain of maps, and this is all of it:
 *
 *     DSCP or PCP --> traffic class --> egress queue    (scheduler, ECN)
 *                                  \--> priority group  (headroom, XOFF, alpha)
 *     PFC priority --> queue it stops (PAUSE received)
 *     PFC priority --> group whose filling sends it (PAUSE sent)
 *
 * None of these numbers is assumed to equal another.  Every value is a struct
 * rt_setting: VALUE is what the configuration says; AUTO is what the system takes
 * where it says nothing, and text tells why; AUTO that is not computed is a literal
 * whose number cannot be known from here (a threshold in cells of unknown size);
 * UNSET is unknown.  Maps and profiles stand once and ports refer to them, so that
 * a switch of many ports stays small.
 *
 * The switch owns everything its pointers reach; nothing here prints or reads files.
 * The readers of src/nos fill it through switch_build.h.
 */
#ifndef RT_MODEL_SWITCH_H
#define RT_MODEL_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "rocetune/profile.h"

#define RT_SWITCH_QUEUES 16 /* SONiC maps to TC 0..15; CPU ports have more queues */
#define RT_SWITCH_GROUPS 8
#define RT_SWITCH_PRIOS  8
#define RT_SWITCH_TCS    16
#define RT_SWITCH_DSCPS  64

/* What a name of the configuration can stand for. */
enum rt_switch_kind {
	RT_SWITCH_PORT,
	RT_SWITCH_TEMPLATE, /* EOS: a qos profile, in the shape of a port */
	RT_SWITCH_DSCP_TC,  /* the kinds of maps, here to RT_SWITCH_PFC_PG */
	RT_SWITCH_PCP_TC,
	RT_SWITCH_TC_QUEUE,
	RT_SWITCH_TC_PG,
	RT_SWITCH_PFC_QUEUE,
	RT_SWITCH_PFC_PG,
	RT_SWITCH_WRED,
	RT_SWITCH_SCHED,
	RT_SWITCH_BUFFER,
	RT_SWITCH_POOL,
};
#define RT_SWITCH_KINDS     (RT_SWITCH_POOL + 1)
#define RT_SWITCH_MAP_KINDS (RT_SWITCH_PFC_PG - RT_SWITCH_DSCP_TC + 1)

/* "DSCP map", "WRED profile": for messages. */
extern const char *const rt_switch_kind_names[RT_SWITCH_KINDS];

/* Every object begins with this. */
struct rt_switch_object {
	const char *name;
	struct rt_place place; /* where it is defined; line 0: only referred to */
};

/* A reference by name.  object NULL: nothing is referred to, or name dangles. */
struct rt_switch_ref {
	const char *name;   /* NULL: none */
	const void *object; /* of the kind that the member says */
	struct rt_place place;
};

struct rt_switch_map {
	struct rt_switch_object id;
	enum rt_switch_kind kind;
	struct rt_setting to[RT_SWITCH_DSCPS]; /* by the number that is mapped */
};

enum rt_switch_colour {
	RT_GREEN, /* what RoCE is, unless something meters it */
	RT_YELLOW,
	RT_RED
};
#define RT_SWITCH_COLOURS 3

struct rt_switch_wred_colour {
	struct rt_setting enable;     /* bool */
	struct rt_setting kmin, kmax; /* bytes */
	struct rt_setting pmax;       /* ppb */
};

struct rt_switch_wred {
	struct rt_switch_object id;
	struct rt_switch_wred_colour colour[RT_SWITCH_COLOURS];
	struct rt_setting ecn; /* mask of colours that are marked, not dropped */
	struct rt_setting weight;
};

enum rt_switch_sched_type {
	RT_SCHED_DWRR,
	RT_SCHED_WRR,
	RT_SCHED_STRICT,
};
extern const struct rt_name rt_switch_sched_names[];

struct rt_switch_sched {
	struct rt_switch_object id;
	struct rt_setting type;      /* enum rt_switch_sched_type */
	struct rt_setting weight;    /* relative: SONiC 1..100; EOS percent */
	struct rt_setting max_rate;  /* bits per second */
	struct rt_setting max_share; /* ppb of the port's speed */
};

struct rt_switch_pool {
	struct rt_switch_object id;
	struct rt_setting ingress; /* bool */
	struct rt_setting dynamic; /* bool: thresholds are alphas */
	struct rt_setting size;    /* bytes */
	struct rt_setting xoff;    /* bytes of headroom that ports share */
};

struct rt_switch_buffer {
	struct rt_switch_object id;
	struct rt_switch_ref pool;
	struct rt_setting size, xon, xon_offset; /* bytes */
	struct rt_setting xoff;                  /* bytes of headroom above XOFF */
	struct rt_setting alpha;                 /* ppb, 2^dynamic_th */
	struct rt_setting threshold;             /* bytes, static */
	struct rt_setting computed; /* bool: the switch computes headroom itself */
};

struct rt_switch_queue {
	struct rt_switch_ref sched, wred, buffer;
	struct rt_setting counts; /* bool: marks are counted */
};

struct rt_switch_pg {
	struct rt_switch_ref buffer;
	/* VALUE: it is bound without a profile (SONiC's NULL), text is the literal. */
	struct rt_setting unnamed;
};

struct rt_switch_watchdog {
	struct rt_setting on;                    /* bool */
	struct rt_setting detect, restore, poll; /* ns */
	struct rt_setting action;                /* enum rt_watchdog_action */
};

struct rt_switch_port {
	struct rt_switch_object id;
	struct rt_setting alias, description; /* text */
	struct rt_setting enabled;            /* bool: admin_status, no shutdown */
	struct rt_setting speed;              /* bits per second */
	struct rt_setting mtu;                /* bytes */
	struct rt_setting cable;              /* millimetres */
	struct rt_setting index;  /* of the front panel: children of one share it */
	struct rt_setting trust;  /* enum rt_trust */
	struct rt_setting routed; /* bool: an IP interface; decides EOS's trust */
	struct rt_setting policy; /* text: classes that overrule the maps, not read */
	struct rt_setting dcbx;   /* text */
	struct rt_switch_ref maps[RT_SWITCH_MAP_KINDS]; /* by rt_switch_map_slot() */
	struct rt_switch_ref sched, profile;            /* profile: a template */
	struct rt_setting pfc;        /* mask, as the configuration lists priorities */
	struct rt_setting pfc_on;     /* bool: EOS has a switch for the whole list */
	struct rt_setting pfc_tx;     /* mask of priorities it may send PAUSE for */
	struct rt_setting pfc_rx;     /* mask of priorities whose PAUSE it obeys */
	struct rt_setting asymmetric; /* bool */
	struct rt_setting watchdog_prios; /* mask */
	struct rt_switch_watchdog watchdog;
	struct rt_switch_queue queues[RT_SWITCH_QUEUES];
	struct rt_switch_pg groups[RT_SWITCH_GROUPS];
	bool remote; /* of another line card: only what is queued towards it */
};

/* A row of the platform's headroom table: exact speed and cable only. */
struct rt_switch_headroom {
	uint64_t speed_bps, cable_mm;
	uint64_t size_bytes, xon_bytes, xoff_bytes;
	struct rt_opt_u64 xon_offset_bytes;
	int threshold; /* exponent of alpha */
	struct rt_place place;
};

struct rt_switch_headrooms {
	const char *file; /* NULL: no table was given */
	struct rt_switch_headroom *rows;
	size_t count, capacity;
};

struct rt_switch {
	const char *nos;  /* name of its row in src/nos */
	const char *file; /* for messages */
	struct rt_setting hostname, hwsku, platform, role; /* text */
	struct rt_setting buffer_model;                    /* text */

	struct rt_switch_port *ports, *templates;
	struct rt_switch_map *maps;
	struct rt_switch_wred *wreds;
	struct rt_switch_sched *scheds;
	struct rt_switch_buffer *buffers;
	struct rt_switch_pool *pools;
	size_t port_count, template_count, map_count, wred_count, sched_count,
		buffer_count, pool_count;

	struct rt_switch_ref global_dscp;   /* DSCP map of ports that have none */
	struct rt_switch_watchdog watchdog; /* of the whole switch, and defaults */
	struct rt_setting pfc_off;          /* bool: EOS can turn all of it off */
	struct rt_setting default_watchdog; /* bool: SONiC starts it on every port */
	struct rt_setting oversubscription; /* ppb: headroom promised over what is */
	struct rt_setting non_ect; /* bool: EOS spares what is not ECN-capable */
	/* PFC priority n is sent for traffic class n: EOS shows no priority groups. */
	bool pause_by_class;
	bool has_ports, has_groups; /* the text speaks of them at all */

	struct rt_switch_headrooms headroom;
	unsigned not_read; /* lines or fields about QoS that were not understood */

	struct rt_switch_store *store;
};

/* NULL is fine. */
void rt_switch_free(struct rt_switch *sw);
void rt_auto_switch_free(struct rt_switch **sw);

/* --- questions --------------------------------------------------------------- */

extern const struct rt_setting rt_setting_unknown;

/*
 * The port of this name, or else of this alias (hundredGigE1/1), or else with the
 * usual short form of its name (Et1/1 for Ethernet1/1); NULL when there is none.
 */
const struct rt_switch_port *rt_switch_port_find(const struct rt_switch *sw,
						 const char *name);

/* The map that holds on the port (the global one where it has none), or NULL. */
const struct rt_switch_map *rt_switch_map_of(const struct rt_switch *sw,
					     const struct rt_switch_port *port,
					     enum rt_switch_kind kind);

/*
 * One step of the chain; rt_setting_unknown where no map is bound, or it does not
 * have the number.  Never NULL.
 */
const struct rt_setting *rt_switch_mapped(const struct rt_switch *sw,
					  const struct rt_switch_port *port,
					  enum rt_switch_kind kind, unsigned number);
const struct rt_setting *rt_switch_dscp_to_tc(const struct rt_switch *sw,
					      const struct rt_switch_port *port,
					      unsigned dscp);

/* The DSCPs that the port puts into a traffic class: a mask, bit n = DSCP n. */
uint64_t rt_switch_dscps_of_tc(const struct rt_switch *sw,
			       const struct rt_switch_port *port, unsigned tc);

enum rt_switch_lossless {
	RT_LOSSLESS_NO,
	RT_LOSSLESS_UNKNOWN,
	RT_LOSSLESS_YES,
};
extern const struct rt_name rt_switch_lossless_names[];

/* Where a traffic class of one port goes, and whether it is really lossless. */
struct rt_switch_path {
	struct rt_setting tc, queue, pg;
	/* Priorities that the class's filling pauses, and that pause its queue. */
	struct rt_setting tx_prios, rx_prios; /* masks, whether PFC is on or not */
	struct rt_setting prios;              /* mask: those of both that PFC has on */
	const struct rt_switch_queue *queue_at; /* NULL: unknown */
	const struct rt_switch_pg *pg_at;
	const struct rt_switch_wred *wred; /* NULL: none, or unknown */
	const struct rt_switch_sched *sched;
	const struct rt_switch_buffer *buffer;
	enum rt_switch_lossless lossless;
	char why[160]; /* the missing link; "" when it is lossless */
};

void rt_switch_path_of_tc(const struct rt_switch *sw, const struct rt_switch_port *port,
			  unsigned tc, struct rt_switch_path *ret_path);
/* As above from the DSCP; tc is unknown when the DSCP's is. */
void rt_switch_path_of_dscp(const struct rt_switch *sw,
			    const struct rt_switch_port *port, unsigned dscp,
			    struct rt_switch_path *ret_path);

/*
 * The PFC priorities that pause this DSCP on the port, as a mask: on, in both
 * directions.  Unknown when a map or the list of priorities is.
 */
struct rt_setting rt_switch_pfc_of_dscp(const struct rt_switch *sw,
					const struct rt_switch_port *port,
					unsigned dscp);

/* Whether ECN marks green packets: what orchagent and EOS would program. */
bool rt_switch_wred_marks(const struct rt_switch_wred *wred);

/*
 * Thresholds that were written in cells ("2000 segments") become bytes, now that the
 * size of a cell is known.
 */
void rt_switch_set_cell(struct rt_switch *sw, unsigned cell_bytes);

/* The row for exactly this speed and cable, or NULL. */
const struct rt_switch_headroom *
rt_switch_headroom_find(const struct rt_switch_headrooms *table, uint64_t speed_bps,
			uint64_t cable_mm);

/* "3,4", "24-31,48", "none"; "unknown".  Returns buf. */
#define RT_SWITCH_MASK_BYTES 256
char *rt_switch_mask_text(const struct rt_setting *mask,
			  char buf[RT_SWITCH_MASK_BYTES]);

#endif
