/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tap.c - frames of captured ports, as bytes.
 *
 * Hosts are 10.0.0.1 and up with locally administered addresses; a switch has
 * one address per port, which is the source of its pause frames.  What comes in
 * is stamped with the time of its last bit, what goes out with that of its first:
 * both are event times, so a capture is in order.  Frames have the lengths of
 * real ones, also where the model counts others (model.wire).
 */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "fabric/state.h"
#include "rocetune/err.h"
#include "wire/build.h"

#define HOST_IP_FIRST         0x0A000001u
#define QP_OF_FLOW            0x100u
#define RKEY                  0x1000u
#define VA_OF_FLOW            UINT64_C(0x7F0000000000)
#define TTL                   64
#define PKEY                  0xFFFF
#define OPCODE_WRITE_LAST_IMM 0x09
#define OPCODE_WRITE_ONLY_IMM 0x0B
#define OPCODE_UC             0x20 /* of unreliable connections, beside those of RC */
#define AETH_ACK              0x1F /* no credit count (IBTA 9.7.5.2.4) */
#define AETH_NAK_SEQUENCE     0x60

static void port_mac(const struct rt_fabric *fab, uint32_t index, uint8_t mac[6])
{
	const bool nic = fab->ports[index].is_nic;

	mac[0] = 0x02;
	mac[1] = mac[2] = 0;
	mac[3] = nic ? 0 : 1;
	mac[4] = (uint8_t)(index >> 8);
	mac[5] = (uint8_t)index;
}

static struct rt_ip host_ip(uint32_t host)
{
	const uint32_t address = HOST_IP_FIRST + host;

	return (struct rt_ip){ .bytes = { (uint8_t)(address >> 24),
					  (uint8_t)(address >> 16),
					  (uint8_t)(address >> 8), (uint8_t)address },
			       .version = 4 };
}

/* UDP source ports carry a flow's entropy; the two ways have ports of their own. */
static uint16_t udp_port(const struct rt_fabric *fab, uint32_t flow, bool back)
{
	return (uint16_t)(0xC000 | (rt_hash_pair(fab->scenario->seed, 2 * flow + back) &
				    0x3FFF));
}

/* --- opening ------------------------------------------------------------ */

/* Directions of a port, as seen from it. */
enum tap_way {
	TAP_RX = 1 << 0,
	TAP_TX = 1 << 1,
};

static int declare_port(struct rt_fabric *fab, uint32_t index, struct rt_err *err)
{
	const struct rt_topo_port *port = &fab->topology.ports[index];
	struct rt_capture_if interface = { .speed_bps = port->speed_bps,
					   .link_type = RT_LINK_ETHERNET,
					   .units_per_s = 1000000000 };

	memcpy(interface.name, port->name, sizeof(port->name));
	return fab->sink->ops->add_interface(fab->sink, &interface, err);
}

/* One interface a port, whichever directions of it are captured. */
static int open_port(struct rt_fabric *fab, uint32_t index, unsigned ways,
		     struct rt_err *err)
{
	struct rt_fab_port *port = &fab->ports[index];
	int16_t tap = port->tap_rx >= 0 ? port->tap_rx : port->tap_tx;
	int r;

	if (tap < 0) {
		r = declare_port(fab, index, err);
		if (r < 0)
			return r;
		tap = (int16_t)fab->tap_count++;
	}
	if (ways & TAP_RX)
		port->tap_rx = tap;
	if (ways & TAP_TX)
		port->tap_tx = tap;
	port->watched_rx |= port->tap_rx >= 0;
	port->watched_tx |= port->tap_tx >= 0;
	return 0;
}

static int open_hosts(struct rt_fabric *fab, unsigned ways, struct rt_err *err)
{
	for (uint32_t i = 0; i < fab->port_count; i++) {
		int r = fab->ports[i].role == RT_PORT_HOST
				? open_port(fab, i, ways, err)
				: 0;

		if (r < 0)
			return r;
	}
	return 0;
}

#define EVERY_HOST UINT32_MAX

/*
 * "s0p3", "s0p3:rx", "s0p3:tx" to a port and directions of it; "hosts" stands for
 * every port towards a host: EVERY_HOST.
 */
static int find_port(const struct rt_topology *topology, const char *word,
		     uint32_t *ret_index, unsigned *ret_ways, struct rt_err *err)
{
	const size_t bytes = strcspn(word, ":");
	const char *way = word + bytes;

	*ret_ways = TAP_RX | TAP_TX;
	*ret_index = EVERY_HOST;
	if (strcmp(way, ":rx") == 0)
		*ret_ways = TAP_RX;
	else if (strcmp(way, ":tx") == 0)
		*ret_ways = TAP_TX;
	else if (*way)
		return rt_err_set(err, -EINVAL,
				  "%s: a port's direction is :rx or :tx, not %s", word,
				  way);
	if (bytes == 5 && memcmp(word, "hosts", 5) == 0)
		return 0;
	for (uint32_t i = 0; i < topology->port_count; i++)
		if (strlen(topology->ports[i].name) == bytes &&
		    memcmp(topology->ports[i].name, word, bytes) == 0) {
			*ret_index = i;
			return 0;
		}
	return rt_err_set(
		err, -EINVAL,
		"no port is called %.*s: %s is the first of this topology, %s "
		"the last, hosts are all towards hosts",
		(int)bytes, word, topology->ports[0].name,
		topology->ports[topology->port_count - 1].name);
}

int rt_fabric_check_ports(const struct rt_scenario *scenario, const char *const *ports,
			  struct rt_err *err)
{
	struct rt_topology topology;
	uint32_t index;
	unsigned ways;
	int r = rt_topology_build(&scenario->topology, &topology, err);

	if (r < 0)
		return r;
	for (const char *const *name = ports; *name && r == 0; name++)
		r = find_port(&topology, *name, &index, &ways, err);
	rt_topology_free(&topology);
	return r;
}

static int open_named(struct rt_fabric *fab, const char *word, struct rt_err *err)
{
	uint32_t index;
	unsigned ways;
	int r = find_port(&fab->topology, word, &index, &ways, err);

	if (r < 0)
		return r;
	return index == EVERY_HOST ? open_hosts(fab, ways, err)
				   : open_port(fab, index, ways, err);
}

int rt_tap_open(struct rt_fabric *fab, const struct rt_fabric_run *run,
		struct rt_err *err)
{
	int r = 0;

	if (!fab->sink)
		return 0;
	fab->frame = malloc(fab->config.mtu_bytes + RT_BUILD_HEADER_MAX + 8);
	if (!fab->frame)
		return rt_err_sys(err, -ENOMEM, "cannot hold a frame");
	if (!run->ports)
		return open_hosts(fab, TAP_TX, err);
	for (const char *const *name = run->ports; *name && r == 0; name++)
		r = open_named(fab, *name, err);
	return r;
}

/* --- frames ------------------------------------------------------------- */

/* By op, and place in the message: neither end, first, last, both (IBTA 9.2). */
static const uint8_t opcodes[][4] = {
	[RT_TRAFFIC_WRITE] = { RT_OP_RC_WRITE_MIDDLE, RT_OP_RC_WRITE_FIRST,
			       RT_OP_RC_WRITE_LAST, RT_OP_RC_WRITE_ONLY },
	[RT_TRAFFIC_WRITE_IMM] = { RT_OP_RC_WRITE_MIDDLE, RT_OP_RC_WRITE_FIRST,
				   OPCODE_WRITE_LAST_IMM, OPCODE_WRITE_ONLY_IMM },
	[RT_TRAFFIC_SEND] = { RT_OP_RC_SEND_MIDDLE, RT_OP_RC_SEND_FIRST,
			      RT_OP_RC_SEND_LAST, RT_OP_RC_SEND_ONLY },
};

static uint8_t data_opcode(const struct rt_fab_flow *flow,
			   const struct rt_packet *packet)
{
	const unsigned place = (packet->flags & RT_PACKET_FIRST ? 1 : 0) |
			       (packet->flags & RT_PACKET_LAST ? 2 : 0);
	const uint8_t opcode = opcodes[flow->op][place];

	return flow->shape.datagrams ? opcode | OPCODE_UC : opcode;
}

/* Only the last packet of a message may be short, and that of the flow shorter yet. */
static uint32_t payload_bytes(const struct rt_fab_flow *flow,
			      const struct rt_packet *packet, uint32_t sequence,
			      uint32_t mtu)
{
	if (!(packet->flags & RT_PACKET_LAST))
		return mtu;
	return sequence == ((flow->packets - 1) & RT_PSN_MASK)
		       ? flow->last_bytes
		       : flow->message_last_bytes;
}

static void fill_data(const struct rt_fabric *fab, const struct rt_packet *packet,
		      struct rt_build *build)
{
	const struct rt_fab_flow *flow = &fab->flows[packet->flow];
	const uint64_t mtu = fab->config.mtu_bytes;
	const uint32_t sequence = rt_psn_distance(packet->psn, flow->tx.first_psn);
	uint64_t message = flow->message_packets * mtu;

	if (flow->message_last_bytes != mtu || flow->spec.stop_ps)
		message = flow->spec.message_bytes;
	else if (flow->packets <= flow->message_packets)
		message = flow->spec.bytes;
	build->dscp = flow->marks.dscp;
	build->ecn = packet->flags & RT_PACKET_CE ? RT_ECN_CE : flow->marks.ecn;
	build->bth.opcode = data_opcode(flow, packet);
	build->bth.dest_qp = QP_OF_FLOW + 2 * packet->flow + 1;
	build->bth.psn = packet->psn;
	build->bth.payload_bytes = payload_bytes(flow, packet, sequence, (uint32_t)mtu);
	if (packet->flags & RT_PACKET_ACKREQ)
		build->bth.bits |= RT_BTH_ACKREQ;
	build->bth.va = VA_OF_FLOW + sequence * mtu;
	build->bth.rkey = RKEY + packet->flow;
	build->bth.dma_bytes = (uint32_t)message;
}

/* The AETH counts messages the receiver has completed. */
static uint32_t msn_of(const struct rt_fab_flow *flow, uint64_t packets)
{
	uint64_t messages = packets / flow->message_packets;

	if (packets == flow->packets && packets % flow->message_packets)
		messages++;
	return (uint32_t)messages & 0xFFFFFF;
}

static void fill_reply(const struct rt_fabric *fab, const struct rt_packet *packet,
		       struct rt_build *build)
{
	const struct rt_fab_flow *flow = &fab->flows[packet->flow];
	uint32_t sequence;

	build->dscp = flow->ack_dscp;
	build->bth.dest_qp = QP_OF_FLOW + 2 * packet->flow;
	if (packet->kind == RT_PACKET_CNP) {
		build->dscp = fab->config.cnp_dscp;
		build->bth.opcode = RT_OP_CNP;
		build->bth.bits |= RT_BTH_BECN;
		return;
	}
	/* What a NAK of selective repeat says besides has no place in these headers. */
	sequence = rt_psn_distance(packet->psn, flow->tx.first_psn);
	build->bth.opcode = RT_OP_RC_ACK;
	build->bth.psn = packet->psn & RT_PSN_MASK;
	if (packet->kind == RT_PACKET_NAK) {
		build->bth.syndrome = AETH_NAK_SEQUENCE;
		build->bth.msn = msn_of(flow, sequence);
	} else {
		build->bth.syndrome = AETH_ACK;
		build->bth.msn = msn_of(flow, sequence + 1);
	}
}

static size_t build_roce(struct rt_fabric *fab, const struct rt_packet *packet,
			 size_t room)
{
	const struct rt_fab_flow *flow = &fab->flows[packet->flow];
	const bool back = packet->kind != RT_PACKET_DATA;
	const uint32_t from = back ? flow->spec.to : flow->spec.from;
	const uint32_t to = back ? flow->spec.from : flow->spec.to;
	struct rt_build build = {
		.src = host_ip(from),
		.dst = host_ip(to),
		.ttl = TTL,
		.ip_id = (uint16_t)packet->psn,
		.udp_sport = udp_port(fab, packet->flow, back),
		.bth = { .bits = RT_BTH_MIGREQ, .pkey = PKEY },
	};

	port_mac(fab, from, build.eth_src);
	port_mac(fab, to, build.eth_dst);
	if (back)
		fill_reply(fab, packet, &build);
	else
		fill_data(fab, packet, &build);
	return rt_build_roce(&build, fab->frame, room);
}

static size_t build_pause(struct rt_fabric *fab, uint32_t sender,
			  const struct rt_packet *packet, size_t room)
{
	struct rt_pause pause = { .enable = (uint8_t)(1u << packet->prio) };
	uint8_t mac[6];

	pause.quanta[packet->prio] = (uint16_t)packet->psn;
	port_mac(fab, sender, mac);
	return rt_build_pfc(mac, &pause, fab->frame, room);
}

void rt_tap_frame(struct rt_fabric *fab, const struct rt_fab_port *port,
		  const struct rt_packet *packet, bool outgoing)
{
	const size_t room = fab->config.mtu_bytes + RT_BUILD_HEADER_MAX + 8;
	const int64_t time_ns = (int64_t)(fab->events.now_ps / 1000);
	size_t bytes, kept;
	int r;

	if (packet->kind == RT_PACKET_PFC)
		bytes = build_pause(fab,
				    outgoing ? rt_port_index(fab, port) : port->peer,
				    packet, room);
	else
		bytes = build_roce(fab, packet, room);
	kept = bytes < room ? bytes : room;
	r = fab->sink->ops->write(
		fab->sink, (unsigned)(outgoing ? port->tap_tx : port->tap_rx), time_ns,
		fab->frame, (uint32_t)kept, (uint32_t)bytes, fab->err);
	if (r < 0)
		rt_fabric_fail(fab, r);
	fab->captured++;
}
