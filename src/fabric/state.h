/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - the state of a running fabric, and who calls whom:
 *
 *   build.c, build_flows.c  the state before the first event, and its end
 *   fabric.c  takes events and hands them out
 *   port.c    what every port does: choose, send, be paused; pause frames
 *   switch.c  a frame that came into a switch; a packet that leaves it
 *   nic.c     a frame that came to a host; flows that want to send
 *   shape.c   how flows send beside the laws: rates, messages, ends, datagrams
 *   nic_look.c  whose turn it is, as ns-3 models find it
 *   detail.c  what is counted by priority, when a scenario asks
 *   tap.c     frames of captured ports, as bytes
 *   result.c  counters to results
 *   steps.c   a run that is looked at between events
 */
#ifndef RT_FABRIC_STATE_H
#define RT_FABRIC_STATE_H

#include "base/mrg32k3a.h"
#include "base/rng.h"
#include "fabric/events.h"
#include "fabric/fabric.h"
#include "model/topology.h"
#include "model/workload.h"
#include "rocetune/sim.h"

/* At most 16; the target is a port, a flow, or port * 8 + priority. */
enum rt_event_types {
	RT_EV_ARRIVE,    /* switch port: the last bit of packet has come */
	RT_EV_RECEIVE,   /* NIC: the same */
	RT_EV_TX_DONE,   /* port: free again, and something waits */
	RT_EV_PAUSE,     /* port: packet is a pause frame that takes effect */
	RT_EV_PORT_FREE, /* slot, port: the same, for what came meanwhile */
	RT_EV_SEND,      /* slot, flow: may send now */
	RT_EV_INCREASE,  /* slot, flow */
	RT_EV_DECREASE,  /* slot, flow */
	RT_EV_RTO,       /* slot, flow */
	RT_EV_NP,        /* slot, flow: its receiver's CNP is due */
	RT_EV_PAUSE_END, /* slot, port and priority: the quanta ran out */
	RT_EV_REFRESH,   /* slot, port and priority: send XOFF again */
	RT_EV_SAMPLE,
	RT_EV_WARM,
	RT_EV_STOP, /* flow: begins no message any more */
};

/* Slots beside the busy ones, which are one a flow (SEND) and one a port. */
enum {
	RT_FLOW_SLOTS = 4, /* INCREASE, DECREASE, RTO, NP */
	RT_PORT_SLOTS = 2 * RT_PRIO_COUNT,
};

#define RT_FLOW_NONE UINT32_MAX

/* Of a flow that sends until its time is over, before it is. */
#define RT_PACKETS_TIMED (UINT64_C(1) << 62)

/* Time of one frame size over one kind of link. */
struct rt_link_delay {
	uint32_t bytes; /* 0: unused */
	struct rt_event_ring *done_ring, *arrive_ring;
	uint64_t done_ps;   /* until the next may start */
	uint64_t arrive_ps; /* until the last bit is at the other end */
};

#define RT_LINK_DELAYS 16u

struct rt_link {
	uint64_t speed_bps, delay_ps;
	uint64_t reaction_ps; /* to a pause frame */
	struct rt_event_ring *reaction_ring;
	uint64_t refresh_ps;
	struct rt_link_delay delays[RT_LINK_DELAYS];
};

struct rt_port_pause {
	uint64_t since_ps; /* stopped since; when the bit in paused_mask is set */
	struct rt_sim_pause paused, pausing;
	int64_t paused_open_ns, pausing_open_ns; /* what frames ask for: since, */
	int64_t paused_end_ns, pausing_end_ns;   /* and until; open < 0: closed */
};

/* What a switch port had no room for; of a priority. */
struct rt_port_loss {
	uint64_t frames, bytes;
	uint64_t refused_bytes; /* since XOFF, until XON */
	uint64_t asked_bytes;   /* most that was used and refused together; 0: never */
};

/* What a port has of each priority: one cache line. */
struct rt_port_prio {
	struct rt_packet_queue queue;
	uint64_t queued_bytes; /* switch: what the egress holds */
	struct rt_pg pg;       /* switch: ingress accounting */
	/* NIC: flows that may send now, in turn; linked by next_ready. */
	uint32_t ready_first, ready_last;
};

/*
 * Frames by enum rt_packet_kind.  Only what is sent is counted: what a port has
 * received its peer has sent and is not under way.  32 bits hold it, for a frame
 * takes two events at least, and RT_FABRIC_EVENT_LIMIT bounds those.
 */
struct rt_port_counts {
	uint32_t kind[RT_PACKET_KIND_COUNT];
	uint32_t ce, resent;
	uint64_t bytes;
};

#define RT_CACHE_LINE 64

/* In the order of use: a frame on its way touches three lines, and its priority's. */
struct rt_fab_port {
	uint64_t free_ps;
	struct rt_link *link;
	struct rt_fab_switch *in_switch; /* NULL: a NIC */
	const struct rt_pg_params *pg;   /* by priority: what comes in */
	uint64_t total_bytes;            /* queued, all priorities */
	uint64_t queue_max_bytes;
	uint32_t arrive_what;   /* rt_event_what() of a frame at the peer */
	uint32_t done_what;     /* of RT_EV_TX_DONE */
	int16_t tap_rx, tap_tx; /* interface in the capture, by direction, or -1 */
	uint8_t role;
	bool waiting; /* a TX_DONE or PORT_FREE is on its way */
	bool is_nic;
	bool looks : 1;      /* NIC, option ns3_order: rt_nic_look() */
	bool tells_done : 1; /* the same: TX_DONE comes though nothing waits */
	bool watched_rx : 1; /* captured, or counted in detail */
	bool watched_tx : 1;

	struct rt_packet_queue first; /* pause frames; goes before all */
	struct rt_sched sched;

	_Alignas(RT_CACHE_LINE) struct rt_port_counts sent;
	double area; /* byte picoseconds */
	uint64_t area_from_ps, busy_ps;

	uint32_t peer, node;
	uint32_t xon_sent; /* of the PFC frames */
	uint64_t drops, marked;
	struct rt_port_pause *pauses; /* RT_PRIO_COUNT of them; NULL: none yet */
	struct rt_port_loss *losses;  /* the same */
	_Alignas(RT_CACHE_LINE) struct rt_port_prio prios[RT_PRIO_COUNT];
};

/* What few flows have: a rate of their own, bursts, a sample of their latency. */
struct rt_flow_shape {
	uint64_t cap_bps; /* of all bytes on the wire; 0: none */
	uint64_t due_ps;  /* by the cap, not before */
	uint64_t late_ps; /* datagrams: of this one, at random */
	bool datagrams;   /* nothing answers, nothing is sent again */
};

/* In the order of use as well. */
struct rt_fab_flow {
	/* Sender. */
	_Alignas(RT_CACHE_LINE) struct rt_rc_sender tx;
	uint64_t next_ps; /* not before */
	uint64_t gap_ps;  /* a full packet takes at the current rate */
	uint64_t sent_ps; /* start of the last packet */
	uint64_t packets, message_packets;
	uint32_t sent_bytes;             /* of the last packet, on the wire */
	uint32_t last_bytes;             /* payload of the flow's last packet */
	uint32_t message_last_bytes;     /* and of each message's */
	uint8_t first_extra, last_extra; /* headers of a message's ends */
	uint8_t op;                      /* enum rt_traffic_op */
	uint32_t next_ready;
	bool ready;                 /* linked in its port's ready list */
	bool called, started, done; /* called: ns3_order, starts when all else has */
	uint8_t prio;
	uint8_t data_flags;   /* of packets: may they be marked? */
	uint16_t port;        /* of the sender */
	bool shaped;          /* looks at shape, or at bursts */
	uint32_t outstanding; /* messages, at most; 0: any */
	_Alignas(RT_CACHE_LINE) struct rt_rp rp;
	/* Receiver. */
	struct rt_rc_receiver rx;
	struct rt_np np;
	uint64_t received; /* packets in order */
	uint64_t last_ps;  /* when the last of them came */
	bool echo;         /* a mark waits for the next ACK */
	uint8_t ack_prio, ack_dscp;
	uint64_t arrived, arrived_bytes; /* of datagrams, in any order */
	/* Both. */
	struct rt_flow_shape shape;
	struct rt_flow_marks marks;
	struct rt_flow_spec spec;
	uint64_t done_ps;
	struct rt_sim_flow stats; /* packets_sent is made of tx at the end */
};

/* What left an egress queue, of any port and priority. */
struct rt_queue_counts {
	uint64_t wire_bytes; /* preamble and gap too */
	uint64_t cold_bytes; /* of these before the warm-up was over */
	uint64_t drops;      /* frames that wanted in */
	uint64_t received;   /* NIC: data frames */
	uint32_t kind[RT_PACKET_KIND_COUNT];
	uint32_t ce;
};

/* How long packets of a flow are under way: of one at a time, so no list is kept. */
struct rt_flow_probe {
	uint64_t sent_ps; /* RT_PS_NEVER: none is timed now */
	uint64_t count, sum_ps, min_ps, max_ps;
	uint32_t psn;
};

struct rt_detail {
	bool on;
	struct rt_queue_counts *queues; /* port * RT_PRIO_COUNT + priority */
	struct rt_flow_probe *probes;   /* by flow */
};

/* Ports that send a flow's packets, NIC first. */
struct rt_fab_route {
	uint16_t ports[2][RT_TOPOLOGY_HOPS + 1]; /* data; what comes back */
};

struct rt_fab_switch {
	struct rt_buffer_pool pool, egress;
};

/* Option ns3_order: the flows of a host in order of their start. */
struct rt_nic_look {
	uint32_t *flows; /* borrowed of rt_fabric.look_flows */
	uint32_t count, last;
};

struct rt_fabric {
	const struct rt_scenario *scenario;
	struct rt_fabric_config config;
	struct rt_events events;
	struct rt_rng rng, shape_rng;
	struct rt_topology topology;
	struct rt_sched_params sched;
	struct rt_link links[4];
	unsigned link_count;
	struct rt_fab_port *ports;
	uint32_t port_count;
	struct rt_fab_flow *flows;
	struct rt_fab_route *routes; /* by flow */
	uint32_t flow_count, flows_open;
	struct rt_fab_switch *switches; /* by node - hosts */
	uint32_t full_bytes;            /* of a full data frame on the wire */
	uint64_t stop_ps;
	uint64_t cuts;
	uint64_t headroom_max_bytes;
	/* To repeat runs of ns-3 models. */
	unsigned random; /* enum rt_random_id; not own: marks are drawn from ns3_rng */
	bool tick_first; /* a tick of alpha goes before a CNP of the same time */
	struct rt_mrg32k3a ns3_rng;
	/* Under selective repeat: of all flows, and their bitmaps. */
	struct rt_rc_selective *selective;
	uint64_t *bitmaps;
	struct rt_nic_look *looks; /* by host; NULL without ns3_order */
	uint32_t *look_flows;
	/* Samples of one queue. */
	uint32_t sample_port;
	uint64_t sample_ps;
	struct rt_sim_sample *samples;
	size_t sample_count;
	uint64_t warm_ps;
	struct rt_detail detail;
	/* Capture. */
	struct rt_sink *sink;
	uint8_t *frame; /* being built */
	uint64_t captured;
	unsigned tap_count; /* interfaces declared so far */
	int failed;         /* negative errno: the run must end */
	bool large;         /* more ports than a cache holds */
	bool over;          /* it failed, or every flow is done */
	bool looked_at;     /* between events: all is counted */
	struct rt_err *err;
};

#define RT_SIM_SAMPLES_MAX 2048u

/* Where each timer is; the order is that of build_slots(). */
static inline uint32_t rt_send_slot(uint32_t flow)
{
	return flow;
}

static inline uint32_t rt_port_slot(const struct rt_fabric *fab, uint32_t port)
{
	return fab->flow_count + port;
}

static inline uint32_t rt_flow_slot(const struct rt_fabric *fab, uint32_t flow,
				    unsigned type)
{
	return fab->flow_count + fab->port_count + flow * RT_FLOW_SLOTS +
	       (type - RT_EV_INCREASE);
}

static inline uint32_t rt_pause_end_slot(const struct rt_fabric *fab, uint32_t port,
					 unsigned prio)
{
	return fab->port_count + fab->flow_count * (1 + RT_FLOW_SLOTS) +
	       port * RT_PORT_SLOTS + prio;
}

static inline uint32_t rt_refresh_slot(const struct rt_fabric *fab, uint32_t port,
				       unsigned prio)
{
	return rt_pause_end_slot(fab, port, RT_PRIO_COUNT + prio);
}

static inline uint32_t rt_port_index(const struct rt_fabric *fab,
				     const struct rt_fab_port *port)
{
	return (uint32_t)(port - fab->ports);
}

/* --- build.c, build_flows.c --------------------------------------------- */

/* Zeroed, on the borders of cache lines; NULL: no memory. */
void *rt_fabric_lines(size_t count, size_t size);
/*
 * All of it, of a state that holds what the run was told.  -EINVAL, -EOPNOTSUPP: what
 * cannot be simulated.  -ENOMEM.  rt_fabric_teardown() also when it fails.
 */
int rt_fabric_build(struct rt_fabric *fab, const struct rt_fabric_run *run,
		    struct rt_err *err);
void rt_fabric_teardown(struct rt_fabric *fab);
/* Parts of it. */
int rt_fabric_build_flows(struct rt_fabric *fab, struct rt_err *err);
int rt_fabric_build_selective(struct rt_fabric *fab, struct rt_err *err);

/* --- fabric.c ----------------------------------------------------------- */

/*
 * Picoseconds that bytes take at a rate.  With truncated_serialisation whole
 * nanoseconds, one less where the division is exact: so do ns-3 models, whose
 * double of the quotient lies below it.
 */
uint64_t rt_fabric_wire_ps(const struct rt_fabric *fab, uint64_t bytes,
			   uint64_t rate_bps);

/* Handle all events up to until_ps, as long as the run is not over. */
void rt_fabric_until(struct rt_fabric *fab, uint64_t until_ps);

/* End the run with an error of code; the text was set where it arose. */
static inline void rt_fabric_fail(struct rt_fabric *fab, int code)
{
	if (!fab->failed)
		fab->failed = code;
	fab->over = true;
}

/* --- port.c ------------------------------------------------------------- */

/* Let port send if it can. */
void rt_port_kick(struct rt_fabric *fab, struct rt_fab_port *port);
/* The time it was busy until has come. */
void rt_port_free(struct rt_fabric *fab, struct rt_fab_port *port);
/* Put packet into port's queue of its priority, or send it; may mark it. */
void rt_port_queue(struct rt_fabric *fab, struct rt_fab_port *port,
		   struct rt_packet *packet);
/* The same before all else: an ACK under ack_high_prio. */
void rt_port_queue_first(struct rt_fabric *fab, struct rt_fab_port *port,
			 const struct rt_packet *packet);
/* A NIC's data: port is free, and it is this packet's turn. */
void rt_port_send_data(struct rt_fabric *fab, struct rt_fab_port *port,
		       const struct rt_packet *packet);
/* Send a pause frame: quanta 0 is XON. */
void rt_port_send_pause(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio,
			bool xoff);
/* A pause frame has come. */
void rt_port_pause_arrived(struct rt_fabric *fab, struct rt_fab_port *port,
			   const struct rt_packet *packet);
/* It takes effect. */
void rt_port_pause_now(struct rt_fabric *fab, struct rt_fab_port *port,
		       const struct rt_packet *packet);
void rt_port_pause_end(struct rt_fabric *fab, uint32_t port_prio);
void rt_port_refresh(struct rt_fabric *fab, uint32_t port_prio);

/* A packet of prio may go now, and nothing else is there that may. */
static inline bool rt_port_idle(const struct rt_fabric *fab,
				const struct rt_fab_port *port, unsigned prio)
{
	return !port->waiting && fab->events.now_ps >= port->free_ps &&
	       !rt_sched_ready(&port->sched) && rt_packet_queue_empty(&port->first) &&
	       !(port->sched.paused_mask >> prio & 1) && !fab->sched.capped_mask;
}

/* Bring the time integral of port's queue up to now. */
static inline void rt_port_area(struct rt_fabric *fab, struct rt_fab_port *port)
{
	port->area += (double)(int64_t)port->total_bytes *
		      (double)(int64_t)(fab->events.now_ps - port->area_from_ps);
	port->area_from_ps = fab->events.now_ps;
}

/* --- switch.c ----------------------------------------------------------- */

void rt_switch_arrive(struct rt_fabric *fab, uint32_t port, struct rt_packet *packet);
/* packet was taken from port's queue; may mark it. */
void rt_switch_leave(struct rt_fabric *fab, struct rt_fab_port *port,
		     struct rt_packet *packet);

/* --- nic.c -------------------------------------------------------------- */

void rt_nic_arrive(struct rt_fabric *fab, const struct rt_packet *packet);
/* The next packet of the flow whose turn it is; false: none may go now. */
bool rt_nic_take(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio,
		 struct rt_packet *ret_packet);
/* The data packet just taken starts now; its port is busy from here on. */
void rt_nic_sent(struct rt_fabric *fab, const struct rt_packet *packet);
void rt_flow_start(struct rt_fabric *fab, uint32_t index);
void rt_flow_may_send(struct rt_fabric *fab, uint32_t index);
void rt_flow_increase(struct rt_fabric *fab, uint32_t index);
void rt_flow_decrease(struct rt_fabric *fab, uint32_t index);
void rt_flow_timeout(struct rt_fabric *fab, uint32_t index);
void rt_flow_cnp_due(struct rt_fabric *fab, uint32_t index);
/* There is something to send, and the window lets it. */
bool rt_flow_can_send(const struct rt_fabric *fab, const struct rt_fab_flow *flow);
/* Stand in line at the port. */
void rt_flow_make_ready(struct rt_fabric *fab, uint32_t index);

/* All of it is acknowledged, settled, or given up. */
void rt_flow_finish(struct rt_fabric *fab, uint32_t index);

/* --- shape.c ------------------------------------------------------------ */

/* Move the time of the next send as a shaped flow asks for. */
void rt_flow_keep_shape(struct rt_fab_flow *flow);
/* The same when a packet was sent, which counts. */
void rt_flow_shape_sent(struct rt_fabric *fab, struct rt_fab_flow *flow);
/* Let the transport have what there is to send and may be outstanding. */
void rt_flow_post(struct rt_fab_flow *flow);
/* Payload of a flow's first packets. */
uint64_t rt_flow_bytes(const struct rt_fabric *fab, const struct rt_fab_flow *flow,
		       uint64_t packets);
/* Its time is over: it begins no message any more. */
void rt_flow_stop(struct rt_fabric *fab, uint32_t index);
/* Datagrams: done when what was sent has arrived or is lost. */
void rt_flow_settle(struct rt_fabric *fab, uint32_t index);
void rt_flow_datagram(struct rt_fabric *fab, const struct rt_packet *packet);
/* A switch had no room for a data packet. */
void rt_flow_lost(struct rt_fabric *fab, const struct rt_packet *packet);

/* --- nic_look.c --------------------------------------------------------- */

/* -ENOMEM. */
int rt_nic_look_build(struct rt_fabric *fab, struct rt_err *err);
/* A flow starts. */
void rt_nic_look_add(struct rt_fabric *fab, uint32_t flow);
/* Make ready whose turn it is, or set the port's slot for when somebody may send. */
void rt_nic_look(struct rt_fabric *fab, struct rt_fab_port *port);

/* --- detail.c ----------------------------------------------------------- */

/* After the flows are built.  -ENOMEM. */
int rt_detail_build(struct rt_fabric *fab, struct rt_err *err);
void rt_detail_free(struct rt_detail *detail);
/* Only when it is on: a port sends, a host receives, a switch has no room. */
void rt_detail_sent(struct rt_fabric *fab, const struct rt_fab_port *port,
		    const struct rt_packet *packet);
void rt_detail_received(struct rt_fabric *fab, const struct rt_fab_port *port,
			const struct rt_packet *packet);
void rt_detail_lost(struct rt_fabric *fab, const struct rt_fab_port *out,
		    const struct rt_packet *packet);
void rt_detail_warm(struct rt_fabric *fab);
void rt_detail_flow(const struct rt_fabric *fab, uint32_t index,
		    struct rt_sim_flow *ret);
/* Nothing when it is off.  -ENOMEM. */
int rt_detail_queues(const struct rt_fabric *fab, struct rt_sim_result *result,
		     struct rt_err *err);

/* --- tap.c -------------------------------------------------------------- */

/* Declare the captured ports to the sink. */
int rt_tap_open(struct rt_fabric *fab, const struct rt_fabric_run *run,
		struct rt_err *err);
/* A frame passes a captured port. */
void rt_tap_frame(struct rt_fabric *fab, const struct rt_fab_port *port,
		  const struct rt_packet *packet, bool outgoing);

/* --- result.c ----------------------------------------------------------- */

/* -ENOMEM; takes the samples. */
int rt_fabric_result(struct rt_fabric *fab, struct rt_sim_result *ret_result,
		     struct rt_err *err);

#endif
