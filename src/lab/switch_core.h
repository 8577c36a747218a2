/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_core.h - the soft switch without sockets and clock: frames in at an instant,
 * frames out at theirs.
 *
 * Time is picoseconds from an origin of the caller's and never goes back.  The caller
 * gives what has come in, in the order and with the times of its arrival, and lets the
 * time advance; both may be late.  What happened meanwhile then happens in its order
 * and with its own times, so that queues, marks and pauses are those of a switch that
 * was never late: only the frames leave late, all that are due at once.
 *
 * A frame is stored when its last byte has come, leaves the buffer when its first byte
 * goes on the wire and is handed out when its last byte has; so does the simulator
 * (src/fabric/switch.c, port.c), whose laws and order of decisions these are.  Bytes in
 * buffers and queues are of frames with FCS.
 *
 * Internal to lab.  switch_open.c makes it, switch_core.c moves frames, switch_pause.c
 * pauses and resumes, switch_counters.c tells what happened.
 */
#ifndef RT_LAB_SWITCH_CORE_H
#define RT_LAB_SWITCH_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/rng.h"
#include "cc/sched.h"
#include "lab/switch.h"
#include "lab/switch_forward.h"
#include "lab/switch_queue.h"

struct rt_err;

/* Frames of a port that are handed out at once, at most. */
#define RT_LAB_OUT_MAX 64u

/* Beside the priorities': pause frames, which go before all. */
#define RT_LAB_QUEUE_FIRST RT_QUEUES

/*
 * Hand out frames that leave a port towards a host, by the topology's number of it.
 * Returns how many were taken: the rest is offered again.  Negative errno: the run ends.
 */
typedef int rt_lab_send_fn(void *user, uint32_t port, const struct iovec *frames,
			   unsigned count, struct rt_err *err);

struct rt_lab_port {
	const struct rt_pg_params *pg; /* by priority: what comes in */
	const struct rt_red *red;      /* by priority: what goes out */
	uint64_t speed_bps;
	uint64_t free_ps; /* the next frame may start */
	uint64_t done_ps; /* last bit of the frame under way; RT_PS_NEVER: none */
	uint64_t
		retry_ps; /* a maximum rate lets the next go; RT_PS_NEVER: none waits */
	uint64_t timer_ps; /* earliest of the two below; RT_PS_NEVER: none */
	uint8_t sending;   /* queue of the frame under way */
	uint8_t pause_due; /* bit: tell the peer whether this priority must stop */
	uint8_t role;      /* enum rt_port_role */
	uint8_t mac[6];    /* source of pause frames */
	uint32_t
		peer; /* index of the port at the other end; RT_LAB_PORT_NONE: a host */
	uint32_t at_switch; /* index */
	struct rt_sched sched;
	struct rt_lab_queue queues[RT_QUEUES + 1];
	struct rt_pg pgs[RT_PRIO_COUNT];
	uint64_t pause_end_ps[RT_PRIO_COUNT]; /* quanta run out; NEVER: not paused */
	uint64_t paused_from_ps[RT_PRIO_COUNT];
	uint64_t refresh_ps[RT_PRIO_COUNT]; /* send XOFF again; NEVER: not pausing */
	uint64_t pausing_from_ps[RT_PRIO_COUNT];
	/* Left and not handed out yet: the queues they lie in. */
	uint8_t out[RT_LAB_OUT_MAX];
	unsigned out_count;
	bool is_busy; /* stands in the list of ports that have some */
	struct rt_lab_switch_port counts;
};

struct rt_lab_pools {
	struct rt_buffer_pool pool, egress;
};

struct rt_lab_core {
	const struct rt_topology *topology; /* borrowed */
	struct rt_fabric_config laws;
	struct rt_sched_params sched;
	uint8_t prio_of_dscp[64];
	struct rt_rng rng;
	uint64_t now_ps, until_ps; /* until: of the real world */
	uint32_t port_count;       /* of switches; port i is the topology's hosts + i */
	uint32_t busy_count;       /* ports with frames to hand out */
	struct rt_lab_port *ports;
	uint64_t *due_ps; /* of each port: something happens there then */
	uint16_t *busy;   /* which ports they are */
	struct rt_lab_pools *pools;
	struct rt_lab_macs *macs;
	rt_lab_send_fn *send;
	void *send_user;
	int failed; /* negative errno: the run must end, */
	struct rt_err *err;
};

/*
 * config's netdevs are not looked at.  -EINVAL: laws that no switch can have, more than
 * RT_LAB_MAX_PORTS ports.  -ENOMEM.
 */
int rt_lab_core_open(const struct rt_lab_switch_config *config, rt_lab_send_fn *send,
		     void *send_user, struct rt_lab_core **ret_core,
		     struct rt_err *err);
void rt_lab_core_close(struct rt_lab_core *core); /* NULL is fine */

/* Index of a port by the topology's number. */
static inline struct rt_lab_port *rt_lab_core_port(struct rt_lab_core *core,
						   uint32_t port)
{
	return &core->ports[port - core->topology->hosts];
}

/* A frame that has come in; without FCS. */
struct rt_lab_arrival {
	uint32_t port; /* the topology's number */
	uint64_t time_ps;
	const uint8_t *data; /* borrowed for the call */
	uint32_t bytes;
	bool tagged;   /* a tag was taken out of data, behind the addresses: */
	uint16_t vlan; /* PCP, DEI, VID */
	uint16_t tpid; /* its EtherType; 0: that of 802.1Q */
};

/*
 * All that is due before it happens, then the frame comes in; a time that has passed
 * is now.  Here and below an errno, of sending or -ENOMEM, ends the run.
 */
int rt_lab_core_arrive(struct rt_lab_core *core, const struct rt_lab_arrival *arrival,
		       struct rt_err *err);

/* All that is due until then, until_ps included. */
int rt_lab_core_advance(struct rt_lab_core *core, uint64_t until_ps,
			struct rt_err *err);

/*
 * It is now_ps by the real clock: from here on lateness is counted by it.  If the core
 * is behind by more than most_ps, the lab stood still for what is more.
 */
void rt_lab_core_wake(struct rt_lab_core *core, uint64_t now_ps, uint64_t most_ps);

/* Hand out what has left since the last call. */
int rt_lab_core_flush(struct rt_lab_core *core, struct rt_err *err);

/* When something will happen by itself; RT_PS_NEVER: nothing will. */
uint64_t rt_lab_core_next_ps(const struct rt_lab_core *core);

/* Counters of all ports as of now; as rt_lab_switch_counters(). */
void rt_lab_core_counters(const struct rt_lab_core *core,
			  struct rt_lab_switch_counters *counters);

/* --- between switch_core.c and switch_pause.c --------------------------- */

static inline uint64_t rt_lab_wire_ps(uint64_t bytes, uint64_t speed_bps)
{
	/* Below 2^64 up to two megabytes. */
	return bytes * 8 * UINT64_C(1000000000000) / speed_bps;
}

/* Work out when something happens at port next. */
void rt_lab_port_due(struct rt_lab_core *core, uint32_t index);

/* A MAC control frame has come in. */
void rt_lab_pause_came(struct rt_lab_core *core, uint32_t index, const uint8_t *data,
		       uint32_t bytes);
/* This port's peer must stop sending prio, or may go on. */
void rt_lab_pause_tell(struct rt_lab_core *core, uint32_t index, unsigned prio);
/* Quanta ran out, or XOFF must be sent again. */
void rt_lab_pause_timers(struct rt_lab_core *core, struct rt_lab_port *port);
/* The pause frame that port sends now, into its first queue; false: no memory. */
bool rt_lab_pause_build(struct rt_lab_core *core, struct rt_lab_port *port);

#endif
