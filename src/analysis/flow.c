/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/pages.h"
#include "rocetune/err.h"

/*
 * A directory is an open-addressed array of slots with linear probing: the
 * upper 32 bits of the hash and, plus one, the index; 0 is an empty slot.  It is
 * at most half full.  A search gives up after MAX_STEPS slots: only made up keys
 * pile up that far, and they count as overflow.
 */
#define MAX_STEPS       256u
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
	const struct rt_directory old = *directory;
	const uint32_t mask = old.mask * 2 + 1;
	uint64_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	directory->slots = slots;
	directory->mask = mask;
	for (uint32_t i = 0; i <= old.mask; i++) {
		const uint32_t index = (uint32_t)old.slots[i] - 1;
		uint64_t hash;
		uint32_t step = 0;

		if (old.slots[i] == 0)
			continue;
		hash = hash_of(flows, index);
		while (step < MAX_STEPS && slots[(hash + step) & mask])
			step++;
		if (step < MAX_STEPS)
			slots[(hash + step) & mask] = slot_of(hash, index);
	}
	free(old.slots);
	return 0;
}

static bool is_full(const struct rt_directory *directory)
{
	return directory->count * 2 > directory->mask;
}

static uint64_t flow_hash_at(const struct rt_flows *flows, uint32_t index)
{
	const struct rt_flow *flow = rt_flow_at(flows, index);
	const struct rt_flow_key key = {
		.dst = flow->dst,
		.dest_qp = flow->dest_qp,
		.src_qp = flow->src_qp,
		.interface = flow->interface,
		.stream = flow->stream,
		.dst_version = flow->version,
	};

	return rt_flow_hash(&key);
}

const struct rt_flow_events *rt_flow_events_of(const struct rt_flow_more *more)
{
	static const struct rt_flow_events none;

	return more->events ? more->events : &none;
}

int rt_flow_need_events(struct rt_flow_more *more, struct rt_err *err)
{
	if (!more->events)
		more->events = calloc(1, sizeof(*more->events));
	return more->events ? 0 : rt_err_sys(err, -ENOMEM, "cannot follow more flows");
}

int rt_flows_init(struct rt_flows *flows, uint32_t max, struct rt_err *err)
{
	int r;

	*flows = (struct rt_flows){ .max = max };
	r = directory_init(&flows->directory, err);
	if (r == 0)
		r = directory_init(&flows->pair_directory, err);
	if (r == 0)
		r = directory_init(&flows->root_directory, err);
	flows->sightings = rt_sightings_new();
	if (r == 0 && !flows->sightings)
		r = rt_err_sys(err, -ENOMEM, "cannot start the flow table");
	return r;
}

void rt_flows_free(struct rt_flows *flows)
{
	for (uint32_t i = 0; i < flows->count; i++) {
		struct rt_flow_events *events = rt_flow_more_at(flows, i)->events;

		free(rt_flow_more_at(flows, i)->pairing);
		if (!events)
			continue;
		free(events->waits);
		rt_holes_free(events->holes);
		free(events);
	}
	rt_hole_pool_free(&flows->hole_pool);
	for (size_t i = 0; i < flows->pair_count; i++)
		free(flows->pairs[i].windows);
	rt_pages_free(flows->flow, flows->capacity * sizeof(*flows->flow));
	rt_pages_free(flows->more, flows->capacity * sizeof(*flows->more));
	rt_pages_free(flows->pairs, flows->pair_capacity * sizeof(*flows->pairs));
	free(flows->sightings);
	rt_connections_free(flows->connections);
	free(flows->directory.slots);
	free(flows->pair_directory.slots);
	free(flows->root_directory.slots);
	*flows = (struct rt_flows){ 0 };
}

/* --- pairs ----------------------------------------------------------------- */

#define ANY_INTERFACE UINT32_MAX

struct pair_key {
	struct rt_flow_addr src, dst;
	uint32_t interface; /* ANY_INTERFACE: in the directory of roots */
	uint8_t version;
};

/* Where a search ended: the pair, or where it would go. */
struct pair_place {
	uint64_t hash;
	uint32_t step, index;
};

static uint64_t pair_hash(const struct pair_key *key)
{
	return rt_hash_pair(key->src.low + rt_hash_u64(key->src.high),
			    key->dst.low + rt_hash_u64(~key->dst.high) +
				    key->interface * UINT64_C(0x9E3779B97F4A7C15));
}

static struct pair_key pair_key_at(const struct rt_flows *flows, uint32_t index)
{
	const struct rt_pair *pair = &flows->pairs[index];

	return (struct pair_key){ pair->src, pair->dst, pair->interface,
				  pair->dst_version };
}

static uint64_t pair_hash_at(const struct rt_flows *flows, uint32_t index)
{
	const struct pair_key key = pair_key_at(flows, index);

	return pair_hash(&key);
}

static uint64_t root_hash_at(const struct rt_flows *flows, uint32_t index)
{
	struct pair_key key = pair_key_at(flows, index);

	key.interface = ANY_INTERFACE;
	return pair_hash(&key);
}

static bool pair_is(const struct rt_pair *pair, const struct pair_key *key)
{
	return rt_flow_addr_equal(pair->src, key->src) &&
	       rt_flow_addr_equal(pair->dst, key->dst) &&
	       pair->dst_version == key->version &&
	       (key->interface == ANY_INTERFACE || pair->interface == key->interface);
}

static struct pair_place pair_search(const struct rt_flows *flows,
				     const struct pair_key *key)
{
	const struct rt_directory *directory = key->interface == ANY_INTERFACE
						       ? &flows->root_directory
						       : &flows->pair_directory;
	struct pair_place place = { .hash = pair_hash(key) };

	do
		place.index = directory_next(directory, place.hash, &place.step);
	while (place.index != RT_NO_INDEX && !pair_is(&flows->pairs[place.index], key));
	return place;
}

/*
 * The pair the other way: at the same interface, or, since a tap may have one for
 * each direction, at any.
 */
static void link_reverse(struct rt_flows *flows, uint32_t index)
{
	struct rt_pair *pair = &flows->pairs[index];
	struct pair_key back = { pair->dst, pair->src, pair->interface,
				 pair->src_version };
	uint32_t found = pair_search(flows, &back).index;

	if (found != RT_NO_INDEX) {
		flows->pairs[found].reverse = index;
	} else {
		back.interface = ANY_INTERFACE;
		found = pair_search(flows, &back).index;
		if (found != RT_NO_INDEX && flows->pairs[found].reverse == RT_NO_INDEX)
			flows->pairs[found].reverse = index;
	}
	pair->reverse = found;
}

/* The first pair with these addresses is their root. */
static int link_root(struct rt_flows *flows, uint32_t index, struct rt_err *err)
{
	struct pair_key key = pair_key_at(flows, index);
	struct pair_place place;

	key.interface = ANY_INTERFACE;
	place = pair_search(flows, &key);
	flows->pairs[index].root = place.index != RT_NO_INDEX ? place.index : index;
	if (place.index != RT_NO_INDEX) {
		flows->several = true;
		return 0;
	}
	if (place.step < MAX_STEPS)
		directory_put(&flows->root_directory, place.hash, place.step, index);
	if (is_full(&flows->root_directory))
		return directory_grow(&flows->root_directory, flows, root_hash_at, err);
	return 0;
}

static int pairs_grow(struct rt_flows *flows, struct rt_err *err)
{
	const size_t wanted = flows->pair_capacity ? flows->pair_capacity * 2 : 64;
	struct rt_pair *pairs = rt_pages_grow(flows->pairs,
					      flows->pair_capacity * sizeof(*pairs),
					      wanted * sizeof(*pairs), true);

	if (!pairs)
		return rt_err_sys(err, -ENOMEM, "cannot hold more addresses");
	flows->pairs = pairs;
	flows->pair_capacity = wanted;
	return 0;
}

static int pair_find(struct rt_flows *flows, const struct rt_flow_key *key,
		     uint32_t *ret_pair, struct rt_err *err)
{
	const struct pair_key wanted = { key->src, key->dst, key->interface,
					 key->dst_version };
	const struct pair_place place = pair_search(flows, &wanted);
	int r;

	*ret_pair = place.index;
	if (place.index != RT_NO_INDEX || flows->pair_count >= RT_ANALYSIS_MAX_PAIRS ||
	    place.step >= MAX_STEPS)
		return 0;
	r = flows->pair_count < flows->pair_capacity ? 0 : pairs_grow(flows, err);
	if (r < 0)
		return r;
	*ret_pair = (uint32_t)flows->pair_count++;
	flows->pairs[*ret_pair] = (struct rt_pair){
		.src = key->src,
		.dst = key->dst,
		.src_version = key->src_version,
		.dst_version = key->dst_version,
		.interface = key->interface,
		.last_flow = RT_NO_INDEX,
		.window = RT_NO_WINDOW,
	};
	directory_put(&flows->pair_directory, place.hash, place.step, *ret_pair);
	r = link_root(flows, *ret_pair, err);
	link_reverse(flows, *ret_pair);
	if (r == 0 && is_full(&flows->pair_directory))
		r = directory_grow(&flows->pair_directory, flows, pair_hash_at, err);
	return r;
}

uint32_t rt_pairs_find(const struct rt_flows *flows, struct rt_flow_addr src,
		       struct rt_flow_addr dst, uint8_t dst_version, uint16_t interface)
{
	const struct pair_key key = { src, dst, interface, dst_version };

	return pair_search(flows, &key).index;
}

/* --- flows ----------------------------------------------------------------- */

#define FLOWS_FIRST 512u /* a power of two */

/* Twice as many; what moved and what did not are both valid when it fails. */
static int flows_grow(struct rt_flows *flows, struct rt_err *err)
{
	const uint32_t wanted = flows->capacity ? flows->capacity * 2 : FLOWS_FIRST;
	struct rt_flow *flow;
	struct rt_flow_more *more;

	flow = rt_pages_grow(flows->flow, flows->capacity * sizeof(*flow),
			     wanted * sizeof(*flow), true);
	if (!flow)
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	flows->flow = flow;
	more = rt_pages_grow(flows->more, flows->capacity * sizeof(*more),
			     wanted * sizeof(*more), true);
	if (!more) {
		rt_pages_grow(flow, wanted * sizeof(*flow),
			      flows->capacity * sizeof(*flow), false);
		return rt_err_sys(err, -ENOMEM, "cannot hold more flows");
	}
	flows->more = more;
	flows->capacity = wanted;
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
		.src = flows->pairs[pair].src,
		.stream = key->stream,
		.version = key->dst_version,
		.interface = key->interface,
		.transport = frame->bth.opcode >> 5,
		.dscp = frame->dscp,
		.udp_sport = frame->udp_sport,
		.last_ns = frame->time_ns,
		.ids = { .last = (uint16_t)~frame->ip_id },
	};
	*more = (struct rt_flow_more){
		.first_frame = frame->number,
		.first_ns = frame->time_ns,
		.next_in_pair = flows->pairs[pair].last_flow,
		.peer = RT_NO_INDEX,
		.connection = RT_NO_INDEX,
	};
	memcpy(more->eth_src, frame->eth_src, sizeof(more->eth_src));
	flows->pairs[pair].last_flow = index;
	flows->pairs[pair].flow_count++;
	return index;
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
	if (is_full(&flows->directory))
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
	       !rt_flow_is(rt_flow_at(flows, found.flow), key));
	if (found.flow != RT_NO_INDEX)
		found.pair = rt_flow_at(flows, found.flow)->pair;
	/* A stream is its destination's: its packets may come from elsewhere. */
	if (found.pair == RT_NO_INDEX ||
	    !rt_flow_addr_equal(rt_flow_at(flows, found.flow)->src, key->src)) {
		r = pair_find(flows, key, &found.pair, err);
		flows->pair_overflow += found.pair == RT_NO_INDEX;
	}
	if (r == 0 && found.flow == RT_NO_INDEX)
		r = !has_room(flows, step, found.pair) ? 1
		    : flows->count < flows->capacity   ? 0
						       : flows_grow(flows, err);
	if (r == 0 && found.flow == RT_NO_INDEX) {
		found.flow = flow_add(flows, key, frame, found.pair);
		r = flow_put(flows, key->hash, step, found.flow, err);
	}
	if (r < 0)
		return r;
	*ret_found = found;
	return 0;
}

void rt_flows_settle(struct rt_flows *flows)
{
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);

		for (unsigned ecn = 0; ecn < 4; ecn++)
			flows->pairs[flow->pair].ecn[ecn] += flow->ecn[ecn];
	}
	for (size_t i = 0; i < flows->pair_count; i++) {
		struct rt_pair *pair = &flows->pairs[i];

		rt_pair_flush(pair);
		for (unsigned w = 0; pair->windows && w < RT_ANALYSIS_WINDOWS; w++) {
			pair->data_frames += pair->windows[w].frames;
			pair->data_ce += pair->windows[w].ce;
			pair->good_bytes += pair->windows[w].good_bytes;
			pair->data_wire_bytes += pair->windows[w].wire_bytes;
		}
		pair->payload_bytes = pair->good_bytes + pair->again_bytes;
		pair->wire_bytes = pair->data_wire_bytes + pair->other_wire_bytes;
	}
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
