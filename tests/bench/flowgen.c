/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flowgen.c - a large capture for the benchmarks of the analyser, by a seed.
 *
 *   flowgen FILE BYTES FLOWS BURST SNAP_BYTES [KIND]
 *
 * What a tap at 100 Gb/s sees of RC connections that WRITE 16 KiB messages with a
 * path MTU of 1024: clients send to servers in bursts of BURST frames of a flow, each
 * message is acknowledged a round trip later, 1 frame in 50 is marked CE and some of
 * these draw a CNP, ports of the switch send PFC.  1 frame in 10,000 is lost before the
 * tap: the receiver refuses the next one of the flow by a NAK, drops what follows, and
 * the sender goes back a round trip later.  SNAP_BYTES 0: whole frames with a right
 * ICRC.  The file is pcap with nanoseconds, at least BYTES long.  KIND is one of kinds[].
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "wire/build.h"
#include "wire/bytes.h"

enum {
	MTU = 1024,
	MESSAGE_FRAMES = 16,
	ROUND_TRIP_NS = 4000,
	CE_ONE_IN = 50,
	CNP_ONE_IN = 10,     /* of the frames with CE */
	LOST_ONE_IN = 10000, /* of those that are sent for the first time */
	PFC_ONE_IN = 500,
	SERVERS = 16,
	QPS_EACH = 25, /* between a client and a server, when there are so many */
	ANSWERS = 4096,
	ACK = 0x1F, /* syndromes */
	NAK_SEQUENCE = 0x60,
};

struct flow {
	uint32_t psn;      /* the sender's next */
	uint32_t sent;     /* how many from it on were sent before */
	uint32_t first;    /* PSN of all */
	uint32_t expected; /* the receiver's next */
	uint32_t msn;
	uint16_t at;  /* in its message, of psn */
	bool refused; /* the NAK for expected is on its way, or came */
};

/* What the frames are, and which get lost. */
static const struct kind {
	const char *name;
	bool tagged, ipv6;
	bool second; /* the second frame of each flow gets lost, and no other */
} kinds[] = {
	{ .name = "plain" },
	{ .name = "tagged", .tagged = true },
	{ .name = "ipv6", .ipv6 = true },
	{ .name = "second-lost", .second = true },
};

/* An ACK, NAK or CNP on its way back. */
struct answer {
	uint64_t due_ns;
	uint32_t flow, psn, msn;
	uint8_t opcode, syndrome;
};

struct gen {
	FILE *file;
	const struct kind *kind;
	uint64_t bytes, now_ns, frames;
	uint32_t flow_count, client_count, burst, snap_bytes;
	struct flow *flows;
	struct answer answers[ANSWERS]; /* a ring, in the order of their times */
	uint32_t first, last;
	struct rt_rng rng;
};

static bool one_in(struct gen *gen, uint64_t n)
{
	return rt_rng_below(&gen->rng, n) == 0;
}

/* On the wire there are preamble, FCS and gap as well. */
static void put_frame(struct gen *gen, const uint8_t *frame, size_t bytes)
{
	const size_t kept = gen->snap_bytes && bytes > gen->snap_bytes ? gen->snap_bytes
								       : bytes;
	uint8_t record[16];

	rt_put_le32(record, (uint32_t)(gen->now_ns / 1000000000));
	rt_put_le32(record + 4, (uint32_t)(gen->now_ns % 1000000000));
	rt_put_le32(record + 8, (uint32_t)kept);
	rt_put_le32(record + 12, (uint32_t)bytes);
	fwrite(record, 1, sizeof(record), gen->file);
	fwrite(frame, 1, kept, gen->file);
	gen->bytes += sizeof(record) + kept;
	gen->frames++;
	gen->now_ns += (bytes + 24) * 8 / 100;
}

/* Hosts are 10.1.x.y (clients) and 10.2.0.y (servers), or fd00::1:x:y and so on. */
static struct rt_ip host(const struct gen *gen, unsigned net, uint32_t index)
{
	if (gen->kind->ipv6)
		return (struct rt_ip){
			.bytes = { 0xFD, [11] = (uint8_t)net,
				   [13] = (uint8_t)(index >> 8),
				   [15] = (uint8_t)index },
			.version = 6,
		};
	return (struct rt_ip){
		.bytes = { 10, (uint8_t)net, (uint8_t)(index >> 8), (uint8_t)index },
		.version = 4,
	};
}

/* A packet of a flow; back: from the server to the client. */
static struct rt_build packet_of(const struct gen *gen, uint32_t index, bool back)
{
	const uint32_t client = index % gen->client_count;
	const uint32_t server = index / gen->client_count % SERVERS;
	const struct rt_ip ends[2] = { host(gen, 1, client), host(gen, 2, server) };

	return (struct rt_build){
		.eth_src = { 2, 0, 0, (uint8_t)back, (uint8_t)(client >> 8),
			     (uint8_t)client },
		.eth_dst = { 2, 0, 0, !back, 0, (uint8_t)server },
		.tagged = gen->kind->tagged,
		.vlan = 3 << 13 | 100,
		.src = ends[back],
		.dst = ends[!back],
		.dscp = 26,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.ip_id = (uint16_t)gen->frames,
		.udp_sport = (uint16_t)(0xC000 | (index * 2654435761u >> 18)),
		.bth = { .pkey = 0xFFFF,
			 .dest_qp = back ? 0x10000 + index * 5 : 0x100 + index },
	};
}

static void send(struct gen *gen, const struct rt_build *packet)
{
	uint8_t frame[RT_BUILD_HEADER_MAX + MTU];
	const size_t room = gen->snap_bytes ? gen->snap_bytes : sizeof(frame);

	put_frame(gen, frame, rt_build_roce(packet, frame, room));
}

/* False: too many are under way. */
static bool answer_later(struct gen *gen, uint32_t index, uint8_t opcode, uint32_t psn,
			 uint8_t syndrome)
{
	if (gen->last - gen->first == ANSWERS)
		return false;
	gen->answers[gen->last++ % ANSWERS] = (struct answer){
		.due_ns = gen->now_ns + ROUND_TRIP_NS,
		.flow = index,
		.psn = psn,
		.msn = gen->flows[index].msn,
		.opcode = opcode,
		.syndrome = syndrome,
	};
	return true;
}

/* To the frame that the receiver has refused to go on without. */
static void go_back(struct flow *flow, uint32_t psn)
{
	const uint32_t back = (flow->psn - psn) & 0xFFFFFF;

	flow->at = (uint16_t)((flow->at + MESSAGE_FRAMES * 4096u - back) %
			      MESSAGE_FRAMES);
	flow->sent += back;
	flow->psn = psn;
}

/* Those that are due; a NAK takes the sender back. */
static void send_answers(struct gen *gen)
{
	while (gen->first != gen->last &&
	       gen->answers[gen->first % ANSWERS].due_ns <= gen->now_ns) {
		const struct answer *answer = &gen->answers[gen->first++ % ANSWERS];
		struct rt_build packet = packet_of(gen, answer->flow, true);

		packet.bth.opcode = answer->opcode;
		packet.bth.psn = answer->psn;
		packet.bth.syndrome = answer->syndrome;
		packet.bth.msn = answer->msn;
		if (answer->opcode == RT_OP_CNP) {
			packet.dscp = 48;
			packet.bth.bits = RT_BTH_BECN;
		}
		send(gen, &packet);
		if (answer->opcode == RT_OP_RC_ACK && answer->syndrome == NAK_SEQUENCE)
			go_back(&gen->flows[answer->flow], answer->psn);
	}
}

/* The receiver's part; a NAK is sent once for each gap (IBTA 9.7.5.2.4). */
static void receive(struct gen *gen, uint32_t index, const struct rt_build *packet)
{
	struct flow *flow = &gen->flows[index];
	const bool ends = packet->bth.bits & RT_BTH_ACKREQ;

	if (packet->ecn == RT_ECN_CE && one_in(gen, CNP_ONE_IN))
		answer_later(gen, index, RT_OP_CNP, 0, 0);
	if (packet->bth.psn != flow->expected) {
		if (!flow->refused)
			flow->refused = answer_later(gen, index, RT_OP_RC_ACK,
						     flow->expected, NAK_SEQUENCE);
		return;
	}
	flow->refused = false;
	flow->expected = (flow->expected + 1) & 0xFFFFFF;
	flow->msn = (flow->msn + ends) & 0xFFFFFF;
	if (ends)
		answer_later(gen, index, RT_OP_RC_ACK, packet->bth.psn, ACK);
}

/* What is sent again is not lost again, which would take a timeout to mend. */
static bool gets_lost(struct gen *gen, struct flow *flow)
{
	if (flow->sent) {
		flow->sent--;
		return false;
	}
	if (gen->kind->second)
		return ((flow->psn - flow->first) & 0xFFFFFF) == 1;
	return one_in(gen, LOST_ONE_IN);
}

static void send_data(struct gen *gen, uint32_t index)
{
	struct flow *flow = &gen->flows[index];
	struct rt_build packet = packet_of(gen, index, false);
	const bool ends = flow->at == MESSAGE_FRAMES - 1;

	packet.bth.opcode = flow->at == 0 ? RT_OP_RC_WRITE_FIRST
			    : ends        ? RT_OP_RC_WRITE_LAST
					  : RT_OP_RC_WRITE_MIDDLE;
	packet.bth.bits = ends ? RT_BTH_ACKREQ : 0;
	packet.bth.psn = flow->psn;
	packet.bth.payload_bytes = MTU;
	packet.bth.dma_bytes = MESSAGE_FRAMES * MTU;
	packet.ecn = one_in(gen, CE_ONE_IN) ? RT_ECN_CE : RT_ECN_ECT0;
	if (!gets_lost(gen, flow)) {
		send(gen, &packet);
		receive(gen, index, &packet);
	}
	flow->psn = (flow->psn + 1) & 0xFFFFFF;
	flow->at = (uint16_t)((flow->at + 1) % MESSAGE_FRAMES);
}

/* XOFF and, the next time, XON of a port of the switch. */
static void send_pfc(struct gen *gen, uint64_t count)
{
	const uint8_t port[6] = { 2, 0, 0, 2, 0, (uint8_t)(count / 2 % SERVERS) };
	const struct rt_pause pause = {
		.enable = 1 << 3,
		.quanta = { 0, 0, 0, (uint16_t)(count % 2 ? 0 : 0xFFFF) },
	};
	uint8_t frame[RT_BUILD_PAUSE_BYTES];

	put_frame(gen, frame, rt_build_pfc(port, &pause, frame, sizeof(frame)));
}

/* Bursts go to all flows in turn, in an order that no cache likes. */
static void generate(struct gen *gen, uint64_t bytes)
{
	uint64_t pfc = 0, turn = 0;

	while (gen->bytes < bytes) {
		const uint32_t index = (uint32_t)(turn++ * 2654435761u %
						  gen->flow_count);

		for (uint32_t i = 0; i < gen->burst; i++) {
			send_data(gen, index);
			send_answers(gen);
			if (one_in(gen, PFC_ONE_IN))
				send_pfc(gen, pfc++);
		}
	}
}

static void put_file_header(struct gen *gen)
{
	uint8_t header[24] = { 0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0 };

	rt_put_le32(header + 16, gen->snap_bytes ? gen->snap_bytes : 262144);
	rt_put_le32(header + 20, RT_LINK_ETHERNET);
	fwrite(header, 1, sizeof(header), gen->file);
	gen->bytes = sizeof(header);
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

int main(int argc, char **argv)
{
	static struct gen gen;

	gen.kind = argc == 6 || argc == 7 ? find_kind(argc == 7 ? argv[6] : "plain")
					  : NULL;
	if (!gen.kind) {
		fprintf(stderr,
			"usage: flowgen FILE BYTES FLOWS BURST SNAP_BYTES [KIND]\n");
		return 2;
	}
	gen.flow_count = (uint32_t)strtoul(argv[3], NULL, 0);
	gen.burst = (uint32_t)strtoul(argv[4], NULL, 0);
	gen.snap_bytes = (uint32_t)strtoul(argv[5], NULL, 0);
	gen.client_count = gen.flow_count / (SERVERS * QPS_EACH);
	if (gen.client_count < 8)
		gen.client_count = 8;
	gen.now_ns = UINT64_C(1700000000000000000);
	rt_rng_init(&gen.rng, 1, 0);
	gen.flows = calloc(gen.flow_count, sizeof(*gen.flows));
	gen.file = fopen(argv[1], "wb");
	if (!gen.flows || !gen.file) {
		fprintf(stderr, "flowgen: cannot write %s\n", argv[1]);
		return 3;
	}
	for (uint32_t i = 0; i < gen.flow_count; i++)
		gen.flows[i].psn = gen.flows[i].first = gen.flows[i].expected =
			(uint32_t)rt_rng_below(&gen.rng, 1 << 24);
	put_file_header(&gen);
	generate(&gen, strtoull(argv[2], NULL, 0));
	free(gen.flows);
	if (fclose(gen.file) != 0) {
		fprintf(stderr, "flowgen: cannot write %s\n", argv[1]);
		return 3;
	}
	printf("%llu\n", (unsigned long long)gen.frames);
	return 0;
}
