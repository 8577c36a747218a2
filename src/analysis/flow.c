/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "rocetune/err.h"

/*
 * A directory is an open-addressed array of slots with linear probing: the
 * upper 32 bits of the hash and, plus one, the index; 0 is an empty slot.  It is
 * at most half full.  A search gives up after MAX_STEPS slots: only made up keys
 * pile up that far, and they count as overflow.
 */
#define MAX_STEPS       64u
#define DIRECTORY_FIRST 1024u

static int directory_init(struct rt_directory *directory, struct rt_err *err)
{
	directory->slots = calloc(DIRECTORY_FIRST, sizeof(*directory->slots));
	if (!directory->slots)
		return rt_err_sys(err, -ENOMEM, "cannot start the flow table");
	directory->mask = DIRECTORY_FIRST - 1;
	return 0;
}

static inline uint64_t slot_of(uint64_t hash, uint32_t index)
{
	return (hash & 0xFFFFFFFF00000000u) | (index + 1);
}

/*
 * The next index whose tag is that of hash, at *step or later; RT_NO_INDEX at an
 * empty slot, where *step stays for directory_put(), or when steps run out.
 */
static inline uint32_t directory_next(const struct rt_directory *directory,
				      uint64_t hash, uint32_t *step)
{
	for (; *step < MAX_STEPS; (*step)++) {
		const uint64_t slot =
			directory->slots[(hash + *step) & directory->mask];

		if (slot == 0)
			break;
		if ((slot ^ hash) >> 32 == 0) {
			(*step)++;
			return (uint32_t)slot - 1;
		}
	}
	return RT_NO_INDEX;
}

static void directory_put(struct rt_directory *directory, uint64_t hash, uint32_t step,
			  uint32_t index)
{
	directory->slots[(hash + step) & directory->mask] = slot_of(hash, index);
	directory->count++;
}

/*
 * Rebuild at twice the size.  hash_of gives the hash of an index again, since a
 * slot keeps only half of it.  An index that finds no slot is lost to searches,
 * which MAX_STEPS makes as good as impossible for honest keys.
 */
static int directory_grow(struct rt_directory *directory, const struct rt_flows *flows,
			  uint64_t (*hash_of)(const struct rt_flows *flows,
					      uint32_t index),
			  struct rt_err *err)
{
	const uint32_t mask = directory->mask * 2 + 1, count = directory->count;
	uint64_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	free(directory->slots);
	*directory = (struct rt_directory){ .slots = slots, .mask = mask };
	for (uint32_t index = 0; index < count; index++) {
		const uint64_t hash = hash_of(flows, index);
		uint32_t step = 0;

		while (step < MAX_STEPS && slots[(hash + step) & mask])
			step++;
		if (step < MAX_STEPS)
			slots[(hash + step) & mask] = slot_of(hash, index);
		directory->count++;
	}
	return 0;
}

static uint64_t flow_hash(struct rt_flow_addr dst, uint32_t dest_qp, uint32_t src_qp,
			  uint8_t stream, uint8_t version)
{
	return rt_hash_pair(dst.low + (dst.high ^ (uint64_t)version << 56),
			    (uint64_t)src_qp << 32 | (uint32_t)stream << 24 | dest_qp);
}

static uint64_t pair_hash(const struct rt_flow_addr *src,
			  const struct rt_flow_addr *dst)
{
	return rt_hash_pair(src->low + rt_hash_u64(src->high),
			    dst->low + rt_hash_u64(~dst->high));
}

static uint64_t flow_hash_at(const struct rt_flows *flows, uint32_t index)
{
	const struct rt_flow *flow = rt_flow_at(flows, index);

	return flow_hash(flow->dst, flow->dest_qp, flow->src_qp, flow->stream,
			 flow->version);
}

static uint64_t pair_hash_at(const struct rt_flows *flows, uint32_t index)
{
	return pair_hash(&flows->pairs[index].src, &flows->pairs[index].dst);
}

/* Bytes that an IPv4 address does not use are not looked at. */
static struct rt_flow_addr addr_of(const struct rt_ip *ip, uint16_t lid)
{
	struct rt_flow_addr addr = { 0 };

	if (ip->version == 4) {
		memcpy(&addr.low, ip->bytes, 4);
	} else if (ip->version == 6) {
		memcpy(&addr.high, ip->bytes, 8);
		memcpy(&addr.low, ip->bytes + 8, 8);
	} else {
		addr.low = lid;
	}
	return addr;
}

void rt_flow_key_of(const struct rt_frame *frame, struct rt_flow_key *key)
{
	const struct rt_bth *bth = &frame->bth;

	key->src = addr_of(&frame->src, (uint16_t)(frame->slid_dlid >> 16));
	key->dst = addr_of(&frame->dst, (uint16_t)frame->slid_dlid);
	key->src_version = frame->src.version;
	key->dst_version = frame->dst.version;
	key->dest_qp = bth->dest_qp;
	key->src_qp = bth->ext & RT_EXT_DETH ? bth->src_qp : 0;
	key->stream = rt_ops[bth->opcode].stream;
	key->hash = flow_hash(key->dst, key->dest_qp, key->src_qp, key->stream,
			      key->dst_version);
}

static inline bool addr_equal(struct rt_flow_addr a, struct rt_flow_addr b)
{
	return a.low == b.low && a.high == b.high;
}

int rt_flows_init(struct rt_flows *flows, uint32_t max, struct rt_err *err)
{
	const size_t chunks = (max + RT_FLOW_CHUNK - 1) / RT_FLOW_CHUNK;
	int r;

	*flows = (struct rt_flows){ .max = max };
	flows->chunks = calloc(chunks, sizeof(*flows->chunks));
	flows->more_chunks = calloc(chunks, sizeof(*flows->more_chunks));
	r = directory_init(&flows->directory, err);
	if (r == 0)
		r = directory_init(&flows->pair_directory, err);
	if (r == 0 && (!flows->chunks || !flows->more_chunks))
		r = rt_err_sys(err, -ENOMEM, "cannot start the flow table");
	return r;
}

void rt_flows_free(struct rt_flows *flows)
{
	const uint32_t chunks = (flows->count + RT_FLOW_CHUNK - 1) / RT_FLOW_CHUNK;

	for (uint32_t i = 0; flows->more_chunks && i < flows->count; i++)
		free(rt_flow_more_at(flows, i)->waits);
	for (uint32_t i = 0; i < chunks; i++) {
		free(flows->chunks[i]);
		free(flows->more_chunks[i]);
	}
	for (size_t i = 0; i < flows->pair_count; i++)
		free(flows->pairs[i].windows);
	free(flows->chunks);
	free(flows->more_chunks);
	free(flows->pairs);
	free(flows->directory.slots);
	free(flows->pair_directory.slots);
	*flows = (struct rt_flows){ 0 };
}

/* --- pairs ----------------------------------------------------------------- */

static uint32_t pair_search(const struct rt_flows *flows, struct rt_flow_addr src,
			    struct rt_flow_addr dst, uint64_t *ret_hash,
			    uint32_t *ret_step)
{
	const uint64_t hash = pair_hash(&src, &dst);
	uint32_t step = 0, index;

	while ((index = directory_next(&flows->pair_directory, hash, &step)) !=
	       RT_NO_INDEX)
		if (addr_equal(flows->pairs[index].src, src) &&
		    addr_equal(flows->pairs[index].dst, dst))
			break;
	*ret_hash = hash;
	*ret_step = step;
	return index;
}

static int pair_find(struct rt_flows *flows, const struct rt_flow_key *key,
		     uint32_t *ret_pair, struct rt_err *err)
{
	struct rt_pair *pairs, *pair;
	uint64_t hash, back_hash;
	uint32_t step, back_step, index;

	*ret_pair = pair_search(flows, key->src, key->dst, &hash, &step);
	if (*ret_pair != RT_NO_INDEX)
		return 0;
	if (flows->pair_count >= RT_ANALYSIS_MAX_PAIRS || step >= MAX_STEPS)
		return 0;
	pairs = rt_grow(flows->pairs, flows->pair_count, &flows->pair_capacity,
			sizeof(*pairs));
	if (!pairs)
		return rt_err_sys(err, -ENOMEM, "cannot hold more addresses");
	flows->pairs = pairs;
	index = (uint32_t)flows->pair_count++;
	pair = &pairs[index];
	*pair = (struct rt_pair){
		.src = key->src,
		.dst = key->dst,
		.src_version = key->src_version,
		.dst_version = key->dst_version,
		.last_flow = RT_NO_INDEX,
		.reverse = pair_search(flows, key->dst, key->src, &back_hash,
				       &back_step),
	};
	if (pair->reverse != RT_NO_INDEX)
		pairs[pair->reverse].reverse = index;
	directory_put(&flows->pair_directory, hash, step, index);
	*ret_pair = index;
	if (flows->pair_directory.count * 2 > flows->pair_directory.mask)
		return directory_grow(&flows->pair_directory, flows, pair_hash_at, err);
	return 0;
}

/* --- flows ----------------------------------------------------------------- */

static int add_chunk(struct rt_flows *flows, struct rt_err *err)
{
	const uint32_t chunk = flows->count >> RT_FLOW_CHUNK_BITS;

	if (flows->chunks[chunk])
		return 0;
	flows->more_chunks[chunk] = calloc(RT_FLOW_CHUNK, sizeof(struct rt_flow_more));
	if (!flows->more_chunks[chunk])
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	flows->chunks[chunk] = aligned_alloc(128,
					     RT_FLOW_CHUNK * sizeof(struct rt_flow));
	if (!flows->chunks[chunk]) {
		free(rt_steal(&flows->more_chunks[chunk]));
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	}
	return 0;
}

static uint32_t flow_add(struct rt_flows *flows, const struct rt_flow_key *key,
			 const struct rt_frame *frame, uint32_t pair)
{
	const uint32_t index = flows->count++;
	struct rt_flow_more *more = rt_flow_more_at(flows, index);

	*rt_flow_at(flows, index) = (struct rt_flow){
		.dst = key->dst,
		.dest_qp = key->dest_qp,
		.src_qp = key->src_qp,
		.pair = pair,
		.stream = key->stream,
		.version = key->dst_version,
		.transport = frame->bth.opcode >> 5,
		.dscp = frame->dscp,
		.udp_sport = frame->udp_sport,
		.first_ns = frame->time_ns,
		.last_ns = frame->time_ns,
	};
	*more = (struct rt_flow_more){
		.first_frame = frame->number,
		.next_in_pair = flows->pairs[pair].last_flow,
		.peer = RT_NO_INDEX,
	};
	flows->pairs[pair].last_flow = index;
	return index;
}

static bool flow_is(const struct rt_flow *flow, const struct rt_flow_key *key)
{
	return flow->dest_qp == key->dest_qp && flow->stream == key->stream &&
	       addr_equal(flow->dst, key->dst) && flow->src_qp == key->src_qp &&
	       flow->version == key->dst_version;
}

/* Counts what it refuses. */
static bool has_room(struct rt_flows *flows, uint32_t step, uint32_t pair)
{
	const bool room = flows->count < flows->max && step < MAX_STEPS &&
			  pair != RT_NO_INDEX;

	flows->overflow += !room;
	return room;
}

/* Put a new flow in at step of its hash. */
static int flow_put(struct rt_flows *flows, uint64_t hash, uint32_t step,
		    uint32_t index, struct rt_err *err)
{
	directory_put(&flows->directory, hash, step, index);
	if (flows->directory.count * 2 > flows->directory.mask)
		return directory_grow(&flows->directory, flows, flow_hash_at, err);
	return 0;
}

int rt_flows_find(struct rt_flows *flows, const struct rt_flow_key *key,
		  const struct rt_frame *frame, struct rt_flow_found *ret_found,
		  struct rt_err *err)
{
	struct rt_flow_found found = { RT_NO_INDEX, RT_NO_INDEX };
	uint32_t step = 0;
	int r = 0;

	do
		found.flow = directory_next(&flows->directory, key->hash, &step);
	while (found.flow != RT_NO_INDEX &&
	       !flow_is(rt_flow_at(flows, found.flow), key));
	if (found.flow != RT_NO_INDEX)
		found.pair = rt_flow_at(flows, found.flow)->pair;
	/* A stream is its destination's: its packets may come from elsewhere. */
	if (found.pair == RT_NO_INDEX ||
	    !addr_equal(flows->pairs[found.pair].src, key->src)) {
		r = pair_find(flows, key, &found.pair, err);
		flows->pair_overflow += found.pair == RT_NO_INDEX;
	}
	if (r == 0 && found.flow == RT_NO_INDEX)
		r = has_room(flows, step, found.pair) ? add_chunk(flows, err) : 1;
	if (r == 0 && found.flow == RT_NO_INDEX) {
		found.flow = flow_add(flows, key, frame, found.pair);
		r = flow_put(flows, key->hash, step, found.flow, err);
	}
	if (r < 0)
		return r;
	*ret_found = found;
	return 0;
}

void rt_flow_addr_format(struct rt_flow_addr addr, uint8_t version,
			 char buf[RT_IP_TEXT_BYTES])
{
	struct rt_ip ip = { .version = version };

	if (version == 4) {
		memcpy(ip.bytes, &addr.low, 4);
	} else if (version == 6) {
		memcpy(ip.bytes, &addr.high, 8);
		memcpy(ip.bytes + 8, &addr.low, 8);
	} else {
		snprintf(buf, RT_IP_TEXT_BYTES, "LID %u", (unsigned)addr.low);
		return;
	}
	rt_ip_format(&ip, buf);
}
