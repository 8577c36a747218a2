/* SPDX-License-Identifier: BSD-2-Clause */
/* overview_result.c - the counts of the overview as rows of the result. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/overview.h"
#include "analysis/syndrome.h"
#include "base/own.h"
#include "rocetune/err.h"

static const char *const kind_names[RT_FRAME_KIND_COUNT] = {
	[RT_FRAME_OTHER] = "other",
	[RT_FRAME_ROCE] = "RoCE",
	[RT_FRAME_PFC] = "PFC",
	[RT_FRAME_PAUSE] = "PAUSE",
	[RT_FRAME_LLDP] = "LLDP",
	[RT_FRAME_ARP] = "ARP",
	[RT_FRAME_SHORT] = "too short to tell",
};

static const char *const encap_names[RT_ENCAP_COUNT] = {
	[RT_ENCAP_ERSPAN1] = "ERSPAN I",   [RT_ENCAP_ERSPAN2] = "ERSPAN II",
	[RT_ENCAP_ERSPAN3] = "ERSPAN III", [RT_ENCAP_GRE_TEB] = "GRE Ethernet",
	[RT_ENCAP_VXLAN] = "VXLAN",        [RT_ENCAP_GENEVE] = "GENEVE",
};

/* calloc that never asks for 0 bytes. */
static int rows(void *ret_rows, size_t count, size_t size, struct rt_err *err)
{
	void *made = calloc(count + 1, size);

	if (!made)
		return rt_err_sys(err, -ENOMEM, "cannot hold the overview");
	*(void **)ret_rows = made;
	return 0;
}

static void link_name(unsigned link_type, char *buf, size_t bytes)
{
	static const struct {
		unsigned link_type;
		const char *name;
	} names[] = {
		{ RT_LINK_NULL, "BSD loopback" }, { RT_LINK_ETHERNET, "Ethernet" },
		{ RT_LINK_RAW, "raw IP" },        { RT_LINK_LOOP, "OpenBSD loopback" },
		{ RT_LINK_SLL, "Linux SLL" },     { RT_LINK_ERF, "ERF" },
		{ RT_LINK_IPV4, "raw IPv4" },     { RT_LINK_IPV6, "raw IPv6" },
		{ RT_LINK_IPOIB, "IPoIB" },       { RT_LINK_INFINIBAND, "InfiniBand" },
		{ RT_LINK_SLL2, "Linux SLL2" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++)
		if (names[i].link_type == link_type) {
			snprintf(buf, bytes, "%s", names[i].name);
			return;
		}
	snprintf(buf, bytes, "LINKTYPE %u", link_type);
}

static int finish_interfaces(const struct rt_stage_context *context,
			     struct rt_analysis_capture *capture, struct rt_err *err)
{
	int r = rows(&capture->interfaces, context->interface_count,
		     sizeof(*capture->interfaces), err);

	if (r < 0)
		return r;
	capture->interface_count = context->interface_count;
	for (size_t i = 0; i < context->interface_count; i++) {
		const struct rt_capture_if *from = &context->interfaces[i];
		struct rt_analysis_if *row = &capture->interfaces[i];

		row->index = i;
		snprintf(row->name, sizeof(row->name), "%s", from->name);
		row->link_type = from->link_type;
		link_name(from->link_type, row->link, sizeof(row->link));
		row->frames = from->frames;
		row->dropped = from->dropped;
		if (context->link_speed_bps.known)
			row->speed_bps = context->link_speed_bps;
		else if (from->speed_bps)
			row->speed_bps = RT_KNOWN_U64(from->speed_bps);
	}
	return 0;
}

/* Copies by the interface that they were seen at, and all together. */
static void count_copies(const struct rt_flows *flows, struct rt_analysis *result)
{
	const struct rt_analysis_capture *capture = &result->capture;
	uint64_t lookalikes = 0;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow_more *more = rt_flow_more_at(flows, i);
		const uint16_t interface = rt_flow_at(flows, i)->interface;

		result->roce.copies += more->copies;
		lookalikes += more->lookalikes;
		if (interface < capture->interface_count)
			capture->interfaces[interface].copies += more->copies;
	}
	if (rt_sightings_any(flows->sightings))
		result->roce.lookalikes = RT_KNOWN_U64(lookalikes);
	result->roce.direction_copies += result->roce.copies;
}

static int finish_kinds(const struct overview *overview,
			struct rt_analysis_capture *capture, struct rt_err *err)
{
	int r = rows(&capture->kinds, RT_FRAME_KIND_COUNT, sizeof(*capture->kinds),
		     err);

	if (r < 0)
		return r;
	for (unsigned kind = 0; kind < RT_FRAME_KIND_COUNT; kind++) {
		struct rt_analysis_count *row = &capture->kinds[capture->kind_count];

		if (overview->kinds[kind] == 0)
			continue;
		snprintf(row->name, sizeof(row->name), "%s", kind_names[kind]);
		row->frames = overview->kinds[kind];
		capture->kind_count++;
	}
	return 0;
}

static int finish_encaps(const struct overview *overview,
			 struct rt_analysis_capture *capture, struct rt_err *err)
{
	const bool more = overview->encaps[ENCAPS].frames > 0;
	int r = rows(&capture->encaps, overview->encap_count + 1,
		     sizeof(*capture->encaps), err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < overview->encap_count + more; i++) {
		const struct encap *from = &overview->encaps[i];
		struct rt_analysis_count *row = &capture->encaps[i];

		row->frames = from->frames;
		if (i == ENCAPS)
			snprintf(row->name, sizeof(row->name), "more tunnels");
		else if (from->kind == RT_ENCAP_ERSPAN1) /* has no session */
			snprintf(row->name, sizeof(row->name), "%s",
				 encap_names[from->kind]);
		else if (from->kind == RT_ENCAP_VXLAN || from->kind == RT_ENCAP_GENEVE)
			snprintf(row->name, sizeof(row->name), "%s vni %" PRIu32,
				 encap_names[from->kind], from->id);
		else
			snprintf(row->name, sizeof(row->name), "%s %s %" PRIu32,
				 encap_names[from->kind % RT_ENCAP_COUNT],
				 from->kind == RT_ENCAP_GRE_TEB ? "key" : "session",
				 from->id);
	}
	capture->encap_count = overview->encap_count + more;
	return 0;
}

static int finish_vlans(const struct overview *overview,
			struct rt_analysis_capture *capture, struct rt_err *err)
{
	size_t count = 0;
	int r;

	for (unsigned key = 0; key < VLAN_KEYS; key++)
		count += overview->vlans[key] > 0;
	r = rows(&capture->vlans, count, sizeof(*capture->vlans), err);
	if (r < 0)
		return r;
	for (unsigned key = 0; key < VLAN_KEYS; key++)
		if (overview->vlans[key])
			capture->vlans[capture->vlan_count++] =
				(struct rt_analysis_vlan){
					.vid = (uint16_t)(key >> 3),
					.pcp = key & 7,
					.frames = overview->vlans[key],
				};
	return 0;
}

/* Words for what people meet in captures that hold no RoCE. */
static const struct {
	uint16_t ethertype; /* 0: any IP */
	uint8_t proto;
	uint16_t port;
	const char *name;
} content_names[] = {
	{ 0, 6, 22, "TCP: SSH" },
	{ 0, 6, 443, "TCP: HTTPS" },
	{ 0, 6, 80, "TCP: HTTP" },
	{ 0, 6, 18515, "TCP: RDMA test tools exchange addresses" },
	{ 0, 6, 4420, "TCP: NVMe over TCP" },
	{ 0, 17, 53, "UDP: DNS" },
	{ 0, 17, 4789, "UDP: VXLAN" },
	{ 0, 1, 0, "ICMP" },
	{ 0, 2, 0, "IGMP" },
	{ 0, 58, 0, "ICMPv6" },
	{ 0, 89, 0, "OSPF" },
	{ 0, 103, 0, "PIM" },
	{ 0, 47, 0, "GRE" },
	{ 0x0806, 0, 0, "ARP" },
	{ 0x8809, 0, 0, "LACP" },
	{ 0x88F7, 0, 0, "PTP" },
};

static void content_name(const struct content *content, char *buf, size_t bytes)
{
	const uint16_t ethertype = (uint16_t)(content->key >> 16);
	const uint8_t proto = (uint8_t)(content->key >> 8);

	for (size_t i = 0; i < RT_ARRAY_SIZE(content_names); i++) {
		if (content_names[i].port != content->port ||
		    content_names[i].proto != proto)
			continue;
		if (content_names[i].ethertype != ethertype &&
		    !(content_names[i].ethertype == 0 && proto))
			continue;
		snprintf(buf, bytes, "%s", content_names[i].name);
		return;
	}
	if ((proto == 6 || proto == 17) && content->port == 0)
		snprintf(buf, bytes, "%s, ports not seen", proto == 6 ? "TCP" : "UDP");
	else if (proto == 6 || proto == 17)
		snprintf(buf, bytes, "%s port %u", proto == 6 ? "TCP" : "UDP",
			 content->port);
	else if (proto)
		snprintf(buf, bytes, "IP protocol %u", proto);
	else if (ethertype)
		snprintf(buf, bytes, "Ethertype 0x%04x", ethertype);
	else
		snprintf(buf, bytes, "no known header");
}

static int by_frames(const void *a, const void *b)
{
	const struct rt_analysis_content *first = a, *second = b;

	if (first->frames != second->frames)
		return first->frames < second->frames ? 1 : -1;
	return strcmp(first->name, second->name);
}

static int finish_contents(const struct overview *overview,
			   struct rt_analysis_capture *capture, struct rt_err *err)
{
	int r = rows(&capture->contents, overview->content_count,
		     sizeof(*capture->contents), err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < CONTENT_SLOTS; i++) {
		const struct content *from = &overview->contents[i];
		const uint8_t proto = (uint8_t)(from->key >> 8);
		struct rt_analysis_content *row;

		if (from->key == 0)
			continue;
		row = &capture->contents[capture->content_count++];
		content_name(from, row->name, sizeof(row->name));
		row->ethertype = (uint16_t)(from->key >> 16);
		if (proto)
			row->ip_proto = RT_KNOWN_U64(proto);
		/* later fragments and cut frames have none */
		if ((proto == 6 || proto == 17) && from->port)
			row->port = RT_KNOWN_U64(from->port);
		row->frames = from->frames;
		row->bytes = from->bytes;
	}
	qsort(capture->contents, capture->content_count, sizeof(*capture->contents),
	      by_frames);
	return 0;
}

/* What most of a capture without RoCE is. */
static const char *most_of(const struct overview *overview,
			   const struct rt_analysis_capture *capture)
{
	const char *most = "nothing that was decoded";
	uint64_t frames = 0;

	if (capture->content_count) {
		most = capture->contents[0].name;
		frames = capture->contents[0].frames;
	}
	for (unsigned kind = RT_FRAME_PFC; kind < RT_FRAME_KIND_COUNT; kind++)
		if (overview->kinds[kind] > frames) {
			most = kind_names[kind];
			frames = overview->kinds[kind];
		}
	return most;
}

/* The first thing a reader must know when there is nothing to analyse. */
static void write_note(const struct overview *overview,
		       struct rt_analysis_capture *capture)
{
	if (capture->frames == 0)
		snprintf(capture->note, sizeof(capture->note),
			 "the capture holds no frames");
	else if (overview->kinds[RT_FRAME_ROCE] == 0)
		snprintf(capture->note, sizeof(capture->note),
			 "no RoCE in this capture; most of it is: %s",
			 most_of(overview, capture));
}

static int finish_opcodes(const struct overview *overview,
			  struct rt_analysis_roce *roce, struct rt_err *err)
{
	int r = rows(&roce->opcodes, 256, sizeof(*roce->opcodes), err);

	if (r < 0)
		return r;
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		if (overview->opcodes[opcode] == 0)
			continue;
		roce->opcodes[roce->opcode_count++] = (struct rt_analysis_opcode){
			.opcode = (uint8_t)opcode,
			.name = rt_ops[opcode].name,
			.frames = overview->opcodes[opcode],
		};
		if (!rt_ops[opcode].name)
			roce->unknown_opcodes += overview->opcodes[opcode];
	}
	return 0;
}

static int finish_syndromes(const struct overview *overview,
			    struct rt_analysis_roce *roce, struct rt_err *err)
{
	uint64_t counts[RT_SYNDROME_NAMES] = { 0 };
	int r = rows(&roce->syndromes, RT_SYNDROME_NAMES, sizeof(*roce->syndromes),
		     err);

	if (r < 0)
		return r;
	for (unsigned syndrome = 0; syndrome < 256; syndrome++)
		counts[rt_syndrome_index((uint8_t)syndrome)] +=
			overview->syndromes[syndrome];
	for (unsigned i = 0; i < RT_SYNDROME_NAMES; i++) {
		struct rt_analysis_count *row = &roce->syndromes[roce->syndrome_count];

		if (counts[i] == 0)
			continue;
		snprintf(row->name, sizeof(row->name), "%s", rt_syndrome_name(i));
		row->frames = counts[i];
		roce->syndrome_count++;
	}
	return 0;
}

static int finish_pads(const struct overview *overview, struct rt_analysis_roce *roce,
		       struct rt_err *err)
{
	int r = rows(&roce->pads, 4, sizeof(*roce->pads), err);

	if (r < 0)
		return r;
	for (unsigned pad = 0; pad < 4; pad++) {
		struct rt_analysis_count *row = &roce->pads[roce->pad_count];

		if (overview->pads[pad] == 0)
			continue;
		snprintf(row->name, sizeof(row->name), "%u", pad);
		row->frames = overview->pads[pad];
		roce->pad_count++;
	}
	return 0;
}

static struct rt_analysis_ecn ecn_of(const uint64_t counts[4])
{
	return (struct rt_analysis_ecn){ .not_ect = counts[RT_ECN_NOT_ECT],
					 .ect1 = counts[RT_ECN_ECT1],
					 .ect0 = counts[RT_ECN_ECT0],
					 .ce = counts[RT_ECN_CE] };
}

static int finish_dscps(const struct overview *overview, struct rt_analysis_roce *roce,
			struct rt_err *err)
{
	uint64_t total[4] = { 0 };
	int r = rows(&roce->dscps, 64, sizeof(*roce->dscps), err);

	if (r < 0)
		return r;
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		const uint64_t *ecn = overview->ecn[dscp];

		for (unsigned i = 0; i < 4; i++)
			total[i] += ecn[i];
		if (ecn[0] + ecn[1] + ecn[2] + ecn[3])
			roce->dscps[roce->dscp_count++] = (struct rt_analysis_dscp){
				.dscp = (uint8_t)dscp, .ecn = ecn_of(ecn)
			};
	}
	roce->ecn = ecn_of(total);
	return 0;
}

static int by_direction(const void *a, const void *b)
{
	const struct rt_analysis_direction *first = a, *second = b;

	if (first->frames != second->frames)
		return first->frames < second->frames ? 1 : -1;
	if (strcmp(first->src, second->src) != 0)
		return strcmp(first->src, second->src);
	return strcmp(first->dst, second->dst);
}

static void fill_direction(const struct rt_pair *pair,
			   struct rt_analysis_direction *row)
{
	rt_flow_addr_format(pair->src, pair->src_version, row->src);
	rt_flow_addr_format(pair->dst, pair->dst_version, row->dst);
	row->interface = pair->interface;
	row->ecn = ecn_of(pair->ecn);
	row->frames = rt_ecn_sum(pair->ecn);
	row->wire_bytes = pair->wire_bytes;
}

static int finish_directions(const struct rt_flows *flows,
			     struct rt_analysis_roce *roce, struct rt_err *err)
{
	int r = rows(&roce->directions, flows->pair_count, sizeof(*roce->directions),
		     err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < flows->pair_count; i++) {
		const struct rt_pair *pair = &flows->pairs[i];

		if (pair->mtu > roce->mtu_bytes.value)
			roce->mtu_bytes = RT_KNOWN_U64(pair->mtu);
		if (rt_pair_counts(flows, i))
			fill_direction(pair,
				       &roce->directions[roce->direction_count++]);
		else
			roce->direction_copies += rt_ecn_sum(pair->ecn);
	}
	roce->direction_overflow = flows->pair_overflow;
	qsort(roce->directions, roce->direction_count, sizeof(*roce->directions),
	      by_direction);
	return 0;
}

/* A flow by its QP: the number above, the index of the flow below. */
#define QP_OF(entry)   ((uint32_t)((entry) >> 32))
#define FLOW_OF(entry) ((uint32_t)(entry))

#define DIGIT_BITS 12
#define DIGITS     (1u << DIGIT_BITS)

/* Both arrays hold count entries; the sorted ones are in the first again. */
static void sort_by_qp(uint64_t *entries, uint64_t *spare, uint32_t count)
{
	for (unsigned shift = 32; shift < 56; shift += DIGIT_BITS) {
		uint32_t at[DIGITS] = { 0 }, sum = 0;
		uint64_t *const sorted = spare;

		for (uint32_t i = 0; i < count; i++)
			at[entries[i] >> shift & (DIGITS - 1)]++;
		for (unsigned digit = 0; digit < DIGITS; digit++) {
			const uint32_t many = at[digit];

			at[digit] = sum;
			sum += many;
		}
		for (uint32_t i = 0; i < count; i++)
			sorted[at[entries[i] >> shift & (DIGITS - 1)]++] = entries[i];
		spare = entries;
		entries = sorted;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct rt_flow *first = *(const struct rt_flow *const *)a;
	const struct rt_flow *second = *(const struct rt_flow *const *)b;

	if (first->version != second->version)
		return first->version < second->version ? -1 : 1;
	return memcmp(&first->dst, &second->dst, sizeof(first->dst));
}

/* Distinct destinations of count flows with one QP number; sorts them. */
static uint64_t count_addresses(const struct rt_flow **sorted, uint32_t count)
{
	uint64_t addresses = 1;

	if (count > 1)
		qsort(sorted, count, sizeof(*sorted), by_address);
	for (uint32_t i = 1; i < count; i++)
		addresses += by_address(&sorted[i - 1], &sorted[i]) != 0;
	return addresses;
}

/* Distinct QP numbers, and distinct (destination, QP), over all flows. */
static int count_qps(const struct rt_flows *flows, struct rt_analysis_roce *roce,
		     struct rt_err *err)
{
	const uint32_t count = flows->count;
	RT_AUTO(rt_auto_free) uint64_t *entries = NULL, *spare = NULL;
	const struct rt_flow **same;
	int r = rows(&entries, count, sizeof(*entries), err);

	r = r < 0 ? r : rows(&spare, count, sizeof(*spare), err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (uint64_t)rt_flow_at(flows, i)->dest_qp << 32 | i;
	sort_by_qp(entries, spare, count);
	same = (const struct rt_flow **)spare;
	for (uint32_t from = 0, to; from < count; from = to) {
		for (to = from;
		     to < count && QP_OF(entries[to]) == QP_OF(entries[from]); to++)
			same[to - from] = rt_flow_at(flows, FLOW_OF(entries[to]));
		roce->dest_qps++;
		roce->dest_ip_qps += count_addresses(same, to - from);
	}
	return 0;
}

static void finish_roce_counts(const struct overview *overview,
			       struct rt_analysis_roce *roce)
{
	roce->frames = overview->kinds[RT_FRAME_ROCE];
	roce->v2 = overview->versions[RT_ROCE_V2];
	roce->v1 = overview->versions[RT_ROCE_V1];
	roce->ib = overview->versions[RT_ROCE_IB];
	roce->icrc_unchecked = overview->icrc[RT_ICRC_NONE];
	roce->icrc_ok = overview->icrc[RT_ICRC_OK];
	roce->icrc_bad = overview->icrc[RT_ICRC_BAD];
	roce->icrc_cut = overview->icrc[RT_ICRC_CUT];
	for (unsigned i = 0; i < PORTS / 64; i++)
		roce->udp_sports += (unsigned)__builtin_popcountll(
			overview->sport_seen[i]);
}

int rt_overview_result(const struct overview *overview,
		       const struct rt_stage_context *context,
		       struct rt_analysis *result, struct rt_err *err)
{
	struct rt_analysis_capture *capture = &result->capture;
	struct rt_analysis_roce *roce = &result->roce;
	int r;

	*capture = overview->capture;
	*roce = overview->roce;
	if (context->has_time) {
		capture->start_ns = context->min_ns;
		capture->span_ns = RT_KNOWN_U64(
			rt_elapsed_ns(context->min_ns, context->max_ns));
	}
	finish_roce_counts(overview, roce);
	r = finish_interfaces(context, capture, err);
	r = r < 0 ? r : finish_kinds(overview, capture, err);
	r = r < 0 ? r : finish_encaps(overview, capture, err);
	r = r < 0 ? r : finish_vlans(overview, capture, err);
	r = r < 0 ? r : finish_contents(overview, capture, err);
	r = r < 0 ? r : finish_opcodes(overview, roce, err);
	r = r < 0 ? r : finish_syndromes(overview, roce, err);
	r = r < 0 ? r : finish_pads(overview, roce, err);
	r = r < 0 ? r : finish_dscps(overview, roce, err);
	r = r < 0 ? r : finish_directions(&context->flows, roce, err);
	r = r < 0 ? r : count_qps(&context->flows, roce, err);
	if (r < 0)
		return r;
	count_copies(&context->flows, result);
	write_note(overview, capture);
	return 0;
}
