/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brief.h - frames of a flow that was seen before, known without decoding them.
 *
 * Most frames have the addresses, ports and queue pair of one a moment ago, are plain
 * (plain.h) and usual (usual.h), but that their ICRC may have been checked.  Templates
 * hold, by a hash of just these bytes, what the wire had there and which flow that was.
 * A record that compares equal, and whose lengths and ICRC are right, belongs to that
 * flow; the few fields that counting it needs are taken from the wire.  Whenever more
 * is wanted of it, it is decoded like all others: so nothing but the flow's index is
 * ever taken from an earlier frame.
 */
#ifndef RT_ANALYSIS_BRIEF_H
#define RT_ANALYSIS_BRIEF_H

#include "analysis/flow.h"
#include "analysis/overview.h"
#include "analysis/throughput.h"
#include "analysis/usual.h"
#include "wire/plain.h"

#define RT_BRIEF_SLOT_BITS 12
#define RT_BRIEF_SLOTS     (1u << RT_BRIEF_SLOT_BITS)

/* Offsets in an untagged plain frame. */
enum {
	RT_BRIEF_ETHERTYPE = 12,
	RT_BRIEF_TOS = 15,
	RT_BRIEF_TOTAL = 16, /* length of the IP packet */
	RT_BRIEF_IP_ID = 18,
	RT_BRIEF_FRAGMENT = 20, /* with TTL and protocol */
	RT_BRIEF_TTL = 22,
	RT_BRIEF_ADDRESSES = 26,
	RT_BRIEF_PORTS = 34,
	RT_BRIEF_UDP_LENGTH = 38,
	RT_BRIEF_BTH = 42,
	RT_BRIEF_PSN = 50,
	RT_BRIEF_BEHIND = 54,
};

/* What the wire has where frames of a flow are alike. */
struct rt_brief_key {
	uint64_t addresses;
	uint64_t bth; /* bits, P_Key, queue pair; enum rt_stream for the opcode */
	uint32_t ports;
};

#define RT_BRIEF_NONE UINT64_C(0xFF) /* for bth: equal to none */

struct rt_brief {
	uint64_t addresses, bth;
	uint32_t ports;
	/*
	 * Of templates of this batch: RT_BRIEF_PENDING plus the place of the frame
	 * that is to be looked up.
	 */
	uint32_t flow;
	uint64_t pair; /* to be fetched ahead */
};

#define RT_BRIEF_PENDING (RT_NO_INDEX - RT_RECORDS_MAX)

_Static_assert(RT_ANALYSIS_MAX_FLOWS < RT_BRIEF_PENDING, "no flow has that index");

/* What an opcode asks of a brief frame. */
struct rt_brief_op {
	uint8_t usual;        /* enum rt_usual_op; 0: it is none */
	uint8_t stream;       /* enum rt_stream */
	uint16_t least_bytes; /* all headers and the ICRC, from the IP header on */
};

struct rt_briefs {
	struct rt_brief_op ops[256];
	struct rt_brief at[RT_BRIEF_SLOTS];
};

static inline void rt_briefs_init(struct rt_briefs *briefs)
{
	for (unsigned i = 0; i < 256; i++)
		briefs->ops[i] = (struct rt_brief_op){
			.usual = rt_usual_op(&rt_ops[i]),
			.stream = rt_ops[i].stream,
			.least_bytes = RT_PLAIN_BTH + RT_BTH_BYTES +
				       rt_ops[i].ext_bytes + RT_ICRC_BYTES,
		};
	for (unsigned i = 0; i < RT_BRIEF_SLOTS; i++)
		briefs->at[i].bth = RT_BRIEF_NONE;
}

/* There are RT_PLAIN_MIN bytes. */
static inline struct rt_brief_key rt_brief_key_of(const struct rt_briefs *briefs,
						  const uint8_t *data)
{
	return (struct rt_brief_key){
		.addresses = rt_get_le64(data + RT_BRIEF_ADDRESSES),
		.bth = (rt_get_le64(data + RT_BRIEF_BTH) & ~UINT64_C(0xFF)) |
		       briefs->ops[data[RT_BRIEF_BTH]].stream,
		.ports = rt_get_le32(data + RT_BRIEF_PORTS),
	};
}

static inline struct rt_brief *rt_brief_at(struct rt_briefs *briefs,
					   const struct rt_brief_key *key)
{
	const uint64_t sum = key->addresses * UINT64_C(0x9FB21C651E98DF25) +
			     key->bth * UINT64_C(0x9E3779B97F4A7C15);

	return &briefs->at[sum >> (64 - RT_BRIEF_SLOT_BITS)];
}

static inline bool rt_brief_is(const struct rt_brief *brief,
			       const struct rt_brief_key *key)
{
	return brief->addresses == key->addresses && brief->bth == key->bth &&
	       brief->ports == key->ports;
}

/*
 * A frame that rt_plain_decode() took may stand for others: what the long way would
 * count for each of those must be told by their own bytes.
 */
static inline bool rt_brief_is_template(const struct rt_frame *frame,
					const uint8_t usual_ops[256])
{
	return rt_is_usual_but_icrc(frame, usual_ops) && frame->icrc != RT_ICRC_BAD &&
	       frame->bth.pad_bytes == 0 &&
	       !(frame->bth.bits & (RT_BTH_FECN | RT_BTH_BECN));
}

/*
 * Look at records from i on as long as they have templates, in time; returns the
 * place of the first that has none.
 */
uint32_t rt_briefs_see(struct rt_briefs *briefs, struct rt_stage_context *context,
		       struct overview *overview, struct rt_batch *batch, uint32_t i,
		       struct rt_overview_sums *sums);

/*
 * Count brief frames from i on as long as each is the next of its stream and lies in
 * the window of time of the one before; returns the place of the first that does not,
 * or that is not brief.
 */
uint32_t rt_briefs_take(const struct rt_briefs *briefs,
			const struct rt_stage_context *context,
			const struct throughput *throughput,
			const struct rt_batch *batch, uint32_t i);

#endif
