/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fields.c - the result described, field by field: reports in every form, the
 * schema and the documentation walk these tables.
 */
#include "analysis/fields.h"
#include "base/text.h"
#include "rocetune/analysis.h"

/* A row for a member of a struct inside, shown as if it stood outside. */
#define PART(owner, outer, part, label_, help_, flags_)                  \
	{                                                                \
		.name = #part, .label = (label_), .help = (help_),       \
		.type = RT_FIELD_U64, .unit = RT_UNIT_COUNT,             \
		.offset = offsetof(owner, outer.part), .flags = (flags_) \
	}

#define ECN_PARTS(owner, flags)                                                     \
	PART(owner, ecn, not_ect, "not-ECT", "frames that can't be marked", flags), \
		PART(owner, ecn, ect1, "ECT(1)", "frames marked ECT(1)", flags),    \
		PART(owner, ecn, ect0, "ECT(0)", "frames marked ECT(0)", flags),    \
		PART(owner, ecn, ce, "CE", "frames marked congestion experienced",  \
		     flags)

/* --- capture --------------------------------------------------------------- */

#define OWNER struct rt_analysis_if
static const struct rt_field if_fields[] = {
	RT_FIELD(OWNER, U64, index, NONE, "index of the interface in the capture"),
	RT_FIELD_CHARS_OF(OWNER, name, "its name, where the capture tells it",
			  .flags = QUIET),
	RT_FIELD(OWNER, U32, link_type, NONE, "LINKTYPE_ value (tcpdump.org)",
		 .flags = DATA),
	RT_FIELD_CHARS_OF(OWNER, link, "kind of link, by its LINKTYPE_",
			  .label = "link type"),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS,
		 "link speed, of the file or the option"),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames captured on it"),
	RT_FIELD(OWNER, U64, copies, COUNT,
		 "of these copies of a frame captured before, left out of flows",
		 .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, dropped, COUNT,
		 "frames the capturing tool says it lost; tools often count none"),
};
static RT_TABLE(if_table, rt_analysis_if, "interface", "Interfaces",
		"An interface of the capture.", if_fields);
#undef OWNER

static const struct rt_field count_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_analysis_count, name, "what is counted"),
	RT_FIELD(struct rt_analysis_count, U64, frames, COUNT, "how many frames"),
};
static RT_TABLE(count_table, rt_analysis_count, "count", "Counts", "Frames by a name.",
		count_fields);

static const struct rt_field vlan_fields[] = {
	RT_FIELD(struct rt_analysis_vlan, U16, vid, NONE, "VLAN of the outer tag",
		 .label = "VLAN"),
	RT_FIELD(struct rt_analysis_vlan, U8, pcp, NONE, "priority in the outer tag",
		 .label = "priority"),
	RT_FIELD(struct rt_analysis_vlan, U64, frames, COUNT, "how many frames"),
};
static RT_TABLE(vlan_table, rt_analysis_vlan, "vlan", "VLAN tags",
		"Frames by VLAN and priority of the outer tag.", vlan_fields);

#define OWNER struct rt_analysis_content
static const struct rt_field content_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, name, "what the frames are"),
	RT_FIELD(OWNER, U16, ethertype, NONE, "Ethertype after VLAN tags; 0: none",
		 .flags = RT_FIELD_HEX),
	RT_FIELD(OWNER, OPT_U64, ip_proto, NONE, "IP protocol number",
		 .label = "IP protocol"),
	RT_FIELD(OWNER, OPT_U64, port, NONE, "the lower of the two port numbers"),
	RT_FIELD(OWNER, U64, frames, COUNT, "how many frames"),
	RT_FIELD(OWNER, U64, bytes, BYTES, "their size on the wire"),
};
static RT_TABLE(content_table, rt_analysis_content, "content", "Other frames",
		"Frames that are neither RoCE nor pauses, by what they are.",
		content_fields);
#undef OWNER

#define OWNER struct rt_analysis_capture
static const struct rt_field capture_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, note, "what to know before reading on",
			  .flags = QUIET),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames read"),
	RT_FIELD(OWNER, U64, wire_bytes, BYTES, "their size on the wire",
		 .label = "on the wire"),
	RT_FIELD(OWNER, U64, captured_bytes, BYTES, "bytes of them in the capture",
		 .label = "captured"),
	RT_FIELD(OWNER, U64, truncated, COUNT, "frames cut off by the capture",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, malformed, COUNT, "frames whose lengths contradict them",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, fragments, COUNT, "IP fragments; RoCE must not be one",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, no_time, COUNT, "frames without a time stamp",
		 .label = "without time", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, span_ns, NS, "from the earliest to the latest stamp",
		 .label = "time span"),
	RT_FIELD(OWNER, I64, start_ns, NS, "earliest time stamp since 1970",
		 .flags = DATA),
	RT_FIELD(OWNER, U64, times_back, COUNT,
		 "frames stamped earlier than the one before them in the file",
		 .label = "time goes back", .flags = QUIET),
	RT_FIELD(OWNER, U64, longest_back_ns, NS, "the farthest such step",
		 .label = "... farthest by", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, damage,
			  "why reading stopped before the end; unknown: it did not",
			  .flags = DATA),
	RT_FIELD(OWNER, OPT_U64, ends_at_bytes, NONE,
		 "offset of a last record that is cut off; unknown: none is",
		 .flags = DATA),
	RT_FIELD(OWNER, U64, content_overflow, COUNT,
		 "frames of more kinds than are told apart", .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, interfaces, interface_count, &if_table,
			 "its interfaces"),
	RT_FIELD_LIST_OF(OWNER, kinds, kind_count, &count_table, "frames by kind",
			 .label = "Kinds of frames"),
	RT_FIELD_LIST_OF(OWNER, encaps, encap_count, &count_table, "frames by tunnel",
			 .label = "Tunnels"),
	RT_FIELD_LIST_OF(OWNER, vlans, vlan_count, &vlan_table, "frames by VLAN"),
	RT_FIELD_LIST_OF(OWNER, contents, content_count, &content_table,
			 "frames that are no RoCE, by what they are"),
};
RT_TABLE(rt_analysis_capture_table, rt_analysis_capture, "capture", "Capture",
	 "What was read.", capture_fields);
#undef OWNER

/* --- RoCE ------------------------------------------------------------------- */

static const struct rt_field opcode_fields[] = {
	RT_FIELD(struct rt_analysis_opcode, U8, opcode, NONE, "the opcode byte",
		 .flags = RT_FIELD_HEX),
	RT_FIELD(struct rt_analysis_opcode, TEXT, name, NONE, "what it means"),
	RT_FIELD(struct rt_analysis_opcode, U64, frames, COUNT, "how many frames"),
};
static RT_TABLE(opcode_table, rt_analysis_opcode, "opcode", "Opcodes",
		"RoCE frames by opcode.", opcode_fields);

static const struct rt_field dscp_fields[] = {
	RT_FIELD(struct rt_analysis_dscp, U8, dscp, NONE, "code point",
		 .label = "DSCP"),
	ECN_PARTS(struct rt_analysis_dscp, 0),
};
static RT_TABLE(dscp_table, rt_analysis_dscp, "dscp", "ECN by DSCP",
		"RoCE frames by DSCP and ECN.", dscp_fields);

#define OWNER struct rt_analysis_direction
static const struct rt_field direction_fields[] = {
	RT_FIELD(OWNER, U64, interface, NONE, "interface where they were counted",
		 .label = "if", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, src, "from this address", .label = "from"),
	RT_FIELD_CHARS_OF(OWNER, dst, "to this address", .label = "to"),
	RT_FIELD(OWNER, U64, frames, COUNT, "RoCE frames"),
	RT_FIELD(OWNER, U64, wire_bytes, BYTES, "their size on the wire",
		 .label = "bytes"),
	ECN_PARTS(OWNER, 0),
};
static RT_TABLE(direction_table, rt_analysis_direction, "direction", "ECN by direction",
		"RoCE frames from one address to another.", direction_fields);
#undef OWNER

#define OWNER struct rt_analysis_roce
static const struct rt_field roce_fields[] = {
	RT_FIELD(OWNER, U64, frames, COUNT, "RoCE frames"),
	RT_FIELD(OWNER, U64, v2, COUNT, "RoCEv2 frames", .label = "RoCEv2",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, v1, COUNT, "RoCEv1 frames", .label = "RoCEv1",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, ib, COUNT, "native InfiniBand packets",
		 .label = "InfiniBand", .flags = QUIET),
	RT_FIELD(OWNER, U64, bth_cut, COUNT, "frames cut off before the BTH ends",
		 .label = "BTH cut off", .flags = QUIET),
	RT_FIELD(OWNER, U64, unknown_opcodes, COUNT, "frames with an unknown opcode",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, dest_qps, COUNT, "distinct destination QP numbers",
		 .label = "QP numbers", .flags = QUIET),
	RT_FIELD(OWNER, U64, dest_ip_qps, COUNT,
		 "distinct (destination address, QP): both ends of a connection count",
		 .label = "QPs", .flags = QUIET),
	RT_FIELD(OWNER, U64, udp_sports, COUNT, "distinct UDP source ports",
		 .label = "UDP source ports", .flags = QUIET),
	RT_FIELD(
		OWNER, OPT_U64, mtu_bytes, NONE,
		"largest path MTU in use, from the payload of First and Middle packets",
		.label = "path MTU in bytes"),
	RT_FIELD(OWNER, U64, ackreq, COUNT, "frames that ask for an ACK",
		 .label = "ACK requested", .flags = QUIET),
	RT_FIELD(OWNER, U64, becn, COUNT, "frames with the BECN bit", .label = "BECN",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, fecn, COUNT, "frames with the FECN bit", .label = "FECN",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, icrc_ok, COUNT, "invariant CRC is right",
		 .label = "ICRC right", .flags = QUIET),
	RT_FIELD(OWNER, U64, icrc_bad, COUNT, "invariant CRC is wrong",
		 .label = "ICRC wrong", .flags = QUIET),
	RT_FIELD(OWNER, U64, icrc_cut, COUNT,
		 "invariant CRC can't be checked: the packet is not all there",
		 .label = "ICRC cut off", .flags = QUIET),
	RT_FIELD(OWNER, U64, icrc_unchecked, COUNT, "invariant CRC not looked at",
		 .label = "ICRC not checked", .flags = QUIET),
	RT_FIELD(OWNER, U64, copies, COUNT,
		 "copies of frames captured before: left out of all that is not a "
		 "count of frames",
		 .label = "copies left out", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, lookalikes, COUNT,
		 "frames the same as one before, which can't be told from resends: "
		 "kept",
		 .label = "copies or resends", .flags = QUIET),
	ECN_PARTS(OWNER, QUIET),
	RT_FIELD_LIST_OF(OWNER, opcodes, opcode_count, &opcode_table, "by opcode"),
	RT_FIELD_LIST_OF(OWNER, syndromes, syndrome_count, &count_table,
			 "acknowledgements by syndrome; READ responses carry them too",
			 .label = "Acknowledgements"),
	RT_FIELD_LIST_OF(OWNER, pads, pad_count, &count_table, "by pad count",
			 .label = "Pad bytes", .flags = DETAIL),
	RT_FIELD_LIST_OF(OWNER, dscps, dscp_count, &dscp_table, "ECN by DSCP"),
	RT_FIELD_LIST_OF(OWNER, directions, direction_count, &direction_table,
			 "ECN by direction"),
	RT_FIELD(OWNER, U64, direction_copies, COUNT,
		 "frames of the same directions that are copies, or at other "
		 "interfaces",
		 .label = "seen elsewhere too", .flags = QUIET),
	RT_FIELD(OWNER, U64, direction_overflow, COUNT,
		 "frames between more addresses than are told apart", .flags = QUIET),
};
RT_TABLE(rt_analysis_roce_table, rt_analysis_roce, "roce", "RoCE",
	 "The RoCE frames of the capture.", roce_fields);
#undef OWNER

/* --- pauses ------------------------------------------------------------------ */

static const struct rt_name pause_kind_names[] = {
	{ "PFC", RT_PAUSE_PFC, "priority flow control, 802.1Qbb" },
	{ "802.3x", RT_PAUSE_802_3X, "pause of the whole link" },
	{ 0 },
};

static const struct rt_name pauser_names[] = {
	{ "switch?", RT_PAUSER_UNKNOWN,
	  "the port sends nothing else here: a switch that stops a host, or a host "
	  "that is silent" },
	{ "host", RT_PAUSER_HOST,
	  "its RoCE frames pass here too: a receiver that stops the network" },
	{ 0 },
};

#define OWNER struct rt_analysis_pause
static const struct rt_field pause_fields[] = {
	RT_FIELD(OWNER, U64, interface, NONE, "index of the interface", .label = "if"),
	RT_FIELD(OWNER, MAC, source, NONE,
		 "the port that sent the pauses: it is congested, the other end stops",
		 .label = "sent by"),
	RT_FIELD(OWNER, ENUM, pauser, NONE,
		 "which way it goes: a host stops the network, a switch a host",
		 .label = "who", .names = pauser_names),
	RT_FIELD(OWNER, ENUM, kind, NONE, "which kind", .names = pause_kind_names),
	RT_FIELD(OWNER, OPT_U64, priority, NONE, "priority that stops; unknown: all",
		 .label = "prio"),
	RT_FIELD(OWNER, U64, xoff, COUNT, "requests to stop", .label = "XOFF"),
	RT_FIELD(OWNER, U64, xon, COUNT, "requests to go on", .label = "XON"),
	RT_FIELD(OWNER, OPT_U64, refreshes, COUNT,
		 "XOFFs while the last was still running; unknown without a speed"),
	RT_FIELD(OWNER, OPT_U64, longest_refreshes, COUNT, "of these in a row",
		 .label = "in a row"),
	RT_FIELD(OWNER, U64, quanta, QUANTA, "sum of what was asked for"),
	RT_FIELD(OWNER, U64, max_quanta, QUANTA, "the most that one XOFF asked for",
		 .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS, "link speed that times are made with",
		 .label = "link"),
	RT_FIELD(OWNER, OPT_U64, intervals, COUNT, "pieces of paused time"),
	RT_FIELD(OWNER, OPT_U64, paused_ns, NS, "paused time: the union of the pieces"),
	RT_FIELD(OWNER, OPT_U64, longest_ns, NS, "the longest piece"),
	RT_FIELD(OWNER, OPT_F64, share_pct, PCT, "paused share of the time span"),
	RT_FIELD(OWNER, OPT_U64, open_ns, NS, "still to run when the capture ends",
		 .label = "open at end"),
};
static RT_TABLE(pause_table, rt_analysis_pause, "pause", "Pausing ports",
		"Pauses that one port sent for one priority.", pause_fields);
#undef OWNER

#define OWNER struct rt_analysis_pauses
static const struct rt_field pauses_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, note, "why something is unknown", .flags = QUIET),
	RT_FIELD(
		OWNER, OPT_U64, frames, COUNT,
		"pause frames seen; unknown when there are none, since taps hide them; "
		"one PFC frame may speak for several priorities, so XOFF and XON are "
		"more"),
	RT_FIELD(OWNER, OPT_U64, pfc_frames, COUNT, "of these PFC",
		 .label = "PFC frames", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, pause_frames, COUNT, "of these 802.3x",
		 .label = "802.3x frames", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, xoff, COUNT, "requests to stop, per priority",
		 .label = "XOFF"),
	RT_FIELD(OWNER, OPT_U64, xon, COUNT, "requests to go on, per priority",
		 .label = "XON"),
	RT_FIELD(OWNER, OPT_U64, paused_ns, NS,
		 "paused time summed over ports and priorities: may exceed the time "
		 "span",
		 .label = "paused, all ports"),
	RT_FIELD(OWNER, OPT_U64, longest_ns, NS,
		 "paused time of the port and priority that was paused most",
		 .label = "paused, most of one port", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, longest_port, "which sent these pauses",
			  .label = "... by", .flags = QUIET),
	RT_FIELD(OWNER, U64, overflow, COUNT,
		 "pause frames of more ports than are kept", .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, ports, port_count, &pause_table,
			 "by interface, source and priority"),
};
RT_TABLE(rt_analysis_pauses_table, rt_analysis_pauses, "pauses", "Pauses",
	 "Who stopped whom, and for how long.", pauses_fields);
#undef OWNER

/* --- marks ------------------------------------------------------------------- */

static const struct rt_name cnp_match_names[] = {
	{ "no flow seen", RT_CNP_UNMATCHED,
	  "no stream that it could slow was captured" },
	{ "by ACKs", RT_CNP_PAIRED,
	  "the QP that gets the stream's ACKs, or is its connection's" },
	{ "only flow", RT_CNP_ONLY_FLOW, "the only data stream between the addresses" },
	{ "same number", RT_CNP_SAME_NUMBER,
	  "a guess: a stream whose destination QP has the same number" },
	{ "guess", RT_CNP_GUESSED,
	  "a guess: the likeliest of several streams whose ACKs may go there" },
	{ "ambiguous", RT_CNP_AMBIGUOUS,
	  "several streams may get their ACKs there, none is likelier" },
	{ 0 },
};

#define OWNER struct rt_analysis_cnp
static const struct rt_field cnp_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, from, "the receiver that got marks"),
	RT_FIELD_CHARS_OF(OWNER, to, "the sender that shall slow down"),
	RT_FIELD(OWNER, U32, dest_qp, NONE, "its QP", .label = "QP"),
	RT_FIELD(OWNER, U64, cnps, COUNT, "how many", .label = "CNPs"),
	RT_FIELD(OWNER, OPT_U64, min_interval_ns, NS, "shortest time between two",
		 .label = "min interval"),
	RT_FIELD(OWNER, OPT_U64, mean_interval_ns, NS, "mean time between two",
		 .label = "mean interval"),
	RT_FIELD(OWNER, ENUM, match, NONE, "how the stream was found",
		 .names = cnp_match_names),
	RT_FIELD(OWNER, OPT_U64, flow_dest_qp, NONE, "destination QP of that stream",
		 .label = "flow to QP"),
	RT_FIELD(OWNER, OPT_U64, flow_ce, COUNT, "CE marks seen on that stream",
		 .label = "its CE"),
};
static RT_TABLE(cnp_table, rt_analysis_cnp, "cnp", "CNPs",
		"Congestion notifications by the QP they slow.", cnp_fields);
#undef OWNER

#define OWNER struct rt_analysis_marks
static const struct rt_field marks_fields[] = {
	RT_FIELD(OWNER, U64, data_frames, COUNT,
		 "of SEND, WRITE and READ responses; requests that only ask "
		 "(READ, atomics) bring none"),
	RT_FIELD(OWNER, U64, data_ce, COUNT, "of these CE-marked",
		 .label = "CE-marked"),
	RT_FIELD(OWNER, U64, data_not_ect, COUNT, "of these not-ECT: never markable",
		 .label = "not-ECT"),
	RT_FIELD(OWNER, U64, cnps, COUNT, "CNPs", .label = "CNPs"),
	RT_FIELD(OWNER, U64, cnps_unmatched, COUNT, "CNPs whose stream was not seen",
		 .label = "CNPs without flow", .flags = QUIET),
	RT_FIELD(OWNER, U64, cnps_unsure, COUNT,
		 "CNPs that fit several streams: in no row of one",
		 .label = "CNPs that fit several", .flags = QUIET),
	RT_FIELD(OWNER, U64, flows_ce, COUNT, "streams with CE marks",
		 .label = "flows marked"),
	RT_FIELD(OWNER, U64, flows_ce_no_cnp, COUNT, "streams with CE but no CNP seen",
		 .label = "... without CNP", .flags = QUIET),
	RT_FIELD(OWNER, U64, ce_no_cnp_visible, COUNT,
		 "of these with frames captured the other way",
		 .label = "... return path seen", .flags = QUIET),
	RT_FIELD(OWNER, U64, flows_cnp_no_ce, COUNT,
		 "streams slowed by CNPs without a CE seen: marked behind the tap",
		 .label = "CNPs without marks", .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, cnp_rows, cnp_row_count, &cnp_table, "CNPs by QP"),
};
RT_TABLE(rt_analysis_marks_table, rt_analysis_marks, "marks", "Marks and CNPs",
	 "ECN marks and the notifications that answer them.", marks_fields);
#undef OWNER

/* --- sequence ---------------------------------------------------------------- */

static const struct rt_name stream_names[] = {
	{ "req", RT_FLOW_REQUEST, "requests" },
	{ "resp", RT_FLOW_RESPONSE, "READ responses" },
	{ 0 },
};

static const struct rt_name answered_names[] = {
	{ "not seen", RT_FLOW_UNANSWERED, "no ACK was seen that could answer it" },
	{ "sure", RT_FLOW_ANSWERED, "they can answer no other stream" },
	{ "guess", RT_FLOW_GUESSED, "the likeliest of several QPs" },
	{ "ambiguous", RT_FLOW_AMBIGUOUS, "several QPs, none of them likelier" },
	{ 0 },
};

static const struct rt_name pairing_names[] = {
	{ "none", RT_FLOW_UNPAIRED, "the sender's QP is not known" },
	{ "in the packet", RT_FLOW_IN_PACKET, "UD names its sender" },
	{ "CM exchange", RT_FLOW_BY_CM, "from the messages that made the connection" },
	{ "inferred", RT_FLOW_INFERRED, "from where the ACKs go" },
	{ 0 },
};

#define OWNER struct rt_analysis_flow
static const struct rt_field flow_fields[] = {
	RT_FIELD(OWNER, U64, interface, NONE, "interface where it was looked at",
		 .label = "if", .flags = QUIET),
	RT_FIELD(OWNER, TEXT, src, NONE, "sender", .label = "from"),
	RT_FIELD(OWNER, TEXT, dst, NONE, "receiver", .label = "to"),
	RT_FIELD(OWNER, U32, dest_qp, NONE, "destination QP; of RD the EE context",
		 .label = "QP"),
	RT_FIELD(OWNER, OPT_U64, src_qp, NONE,
		 "QP at the sender: by UD itself, by CM messages, or inferred",
		 .flags = DETAIL),
	RT_FIELD(OWNER, ENUM, pairing, NONE, "how the QP at the sender is known",
		 .names = pairing_names, .flags = DETAIL),
	RT_FIELD(OWNER, ENUM, answered, NONE,
		 "how sure it is which ACKs and CNPs answer it", .label = "answers",
		 .names = answered_names, .flags = DETAIL),
	RT_FIELD(OWNER, ENUM, stream, NONE, "requests or READ responses",
		 .names = stream_names),
	RT_FIELD(OWNER, ENUM, transport, NONE, "transport service", .label = "type",
		 .names = rt_transport_names),
	RT_FIELD(OWNER, U64, first_frame, NONE, "number of its first frame",
		 .flags = DETAIL),
	RT_FIELD(OWNER, U8, dscp, NONE, "DSCP of its first frame", .label = "DSCP"),
	RT_FIELD(OWNER, U16, udp_sport, NONE, "UDP source port of its first frame",
		 .label = "UDP port", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, NONE, "path MTU", .label = "MTU",
		 .flags = DETAIL),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames"),
	RT_FIELD(OWNER, U64, messages, COUNT, "messages that begin", .label = "msgs"),
	RT_FIELD(OWNER, U64, payload_bytes, BYTES, "payload, resent too",
		 .label = "payload"),
	RT_FIELD(OWNER, U64, resent_bytes, BYTES,
		 "payload of frames that had been seen before", .label = "resent",
		 .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, goodput_bps, BPS,
		 "payload less what was resent or damaged, over its duration",
		 .label = "goodput"),
	RT_FIELD(OWNER, U64, start_ns, NS, "first frame, from the start of the capture",
		 .flags = DETAIL),
	RT_FIELD(OWNER, U64, duration_ns, NS, "from its first to its last frame",
		 .flags = DETAIL),
	RT_FIELD(OWNER, U64, p_gaps, COUNT, "frames ahead of the one before",
		 .label = "gaps", .flags = QUIET),
	RT_FIELD(OWNER, U64, p_skipped, COUNT, "PSNs skipped by these",
		 .label = "skipped", .flags = QUIET),
	RT_FIELD(OWNER, U64, p_rewinds, COUNT, "frames behind the one before",
		 .label = "rewinds", .flags = QUIET),
	RT_FIELD(OWNER, U64, h_gaps, COUNT, "frames ahead of the highest PSN",
		 .label = "H-gaps", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, h_skipped, COUNT, "PSNs skipped by these",
		 .label = "H-skipped", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, h_episodes, COUNT, "runs of frames behind the highest PSN",
		 .label = "episodes", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, h_behind, COUNT, "frames behind the highest PSN",
		 .label = "behind", .flags = QUIET),
	RT_FIELD(OWNER, U64, reordered, COUNT,
		 "gaps that late frames filled while nothing was sent again",
		 .label = "late", .flags = QUIET),
	RT_FIELD(OWNER, U64, repaired, COUNT,
		 "gaps that were filled by a sender that went back",
		 .label = "gaps sent again", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, between_gaps, COUNT,
		 "gaps between READ responses where requests of other kinds may have "
		 "the PSNs: no loss",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, bad_gaps, COUNT,
		 "gaps at or behind a frame with a wrong ICRC: its PSN may be wrong",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, bad_h_gaps, COUNT, "H-gaps at or behind such a frame",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, bad_bytes, BYTES, "payload of such frames, not delivered",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, undecided, COUNT,
		 "gaps filled by late frames or by a sender that went back: can't be "
		 "told",
		 .label = "gaps filled either way", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, holes_given_up, COUNT,
		 "gaps not watched to the end: resent is at most, delivered at least "
		 "what is said",
		 .label = "gaps given up", .flags = QUIET),
	RT_FIELD(OWNER, U64, acked_holes, COUNT,
		 "gaps that the receiver acknowledged over: it got what the tap missed",
		 .label = "capture holes", .flags = QUIET),
	RT_FIELD(OWNER, U64, acked_psns, COUNT, "PSNs in these", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, acks, COUNT, "ACKs that answer it",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, whole_at, NONE,
		 "interface that it passed without the gaps it has at its own",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, BOOL, return_seen, NONE,
		 "frames the other way were seen: NAKs are visible", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, naks, COUNT, "NAKs for a PSN sequence error",
		 .label = "NAKs", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, rnr_naks, COUNT, "NAKs: receiver not ready",
		 .label = "RNR", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, rnr_wait_ns, NS, "sum of the waits these asked for",
		 .label = "RNR wait", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, rnr_longest_ns, NS, "the longest of these waits",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, rnr_silence_ns, NS,
		 "idle time before rewinds after RNR NAKs, from 1 ms on",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, other_naks, COUNT, "NAKs for errors that end the QP",
		 .label = "fatal NAKs", .flags = QUIET),
	RT_FIELD(OWNER, U64, rewinds_nak, COUNT, "rewinds after a NAK",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, rewinds_rnr, COUNT, "rewinds after an RNR NAK",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, rewinds_alone, COUNT,
		 "rewinds without a NAK: time-outs, copies, or the NAK was not seen",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, silence_ns, NS, "idle time before rewinds, from 1 ms on",
		 .label = "silence", .flags = QUIET),
	RT_FIELD(OWNER, U64, longest_silence_ns, NS, "the longest of these",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, timeouts, COUNT,
		 "rewinds of requests without a NAK after a silence of 1 ms or more; "
		 "unknown where NAKs are not visible or frames come late",
		 .label = "time-outs", .flags = QUIET),
	RT_FIELD(OWNER, U64, timeout_silence_ns, NS, "the silence before these",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, nak_to_resend_ns, NS, "mean time from NAK to rewind",
		 .flags = DETAIL | QUIET),
	ECN_PARTS(OWNER, DETAIL),
	RT_FIELD(OWNER, OPT_U64, cnps, COUNT,
		 "CNPs that slow it; unknown: its return path is not known",
		 .label = "CNPs", .flags = QUIET),
	RT_FIELD(OWNER, U64, icrc_ok, COUNT, "frames whose ICRC is right",
		 .label = "ICRC right", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, icrc_bad, COUNT, "frames whose ICRC is wrong",
		 .label = "ICRC wrong", .flags = QUIET),
	RT_FIELD(OWNER, U64, copies, COUNT,
		 "frames of it captured once more, left out here",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, lookalikes, COUNT,
		 "frames the same as one before: copies or resends, kept",
		 .label = "copies or resends", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, seen_before, COUNT,
		 "frames with PSN and IP id of one before, for no NAK: copies, but not "
		 "for sure, kept",
		 .label = "seen before", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, OPT_U64, seen_lag_ns, NS,
		 "how far behind the first of them such frames are, at most",
		 .label = "seen before, lag", .flags = DETAIL | QUIET),
};
static RT_TABLE(flow_table, rt_analysis_flow, "flow", "Flows",
		"One stream: (destination, QP), requests or READ responses.",
		flow_fields);
#undef OWNER

#define OWNER struct rt_analysis_sequence
static const struct rt_field sequence_fields[] = {
	RT_FIELD(OWNER, U64, streams, COUNT, "streams"),
	RT_FIELD(OWNER, U64, frames, COUNT, "their frames"),
	RT_FIELD(OWNER, U64, messages, COUNT, "messages that begin"),
	RT_FIELD(OWNER, U64, payload_bytes, BYTES, "payload, resent too"),
	RT_FIELD(OWNER, U64, resent_bytes, BYTES,
		 "payload of frames that had been seen before", .label = "resent"),
	RT_FIELD(OWNER, U64, p_gaps, COUNT, "frames ahead of the one before",
		 .label = "gaps"),
	RT_FIELD(OWNER, U64, p_skipped, COUNT, "PSNs skipped by these",
		 .label = "PSNs skipped", .flags = QUIET),
	RT_FIELD(OWNER, U64, p_rewinds, COUNT, "frames behind the one before",
		 .label = "rewinds"),
	RT_FIELD(OWNER, U64, rewinds_nak, COUNT, "rewinds after a NAK",
		 .label = "... after a NAK", .flags = QUIET),
	RT_FIELD(OWNER, U64, rewinds_rnr, COUNT, "rewinds after an RNR NAK",
		 .label = "... after an RNR NAK", .flags = QUIET),
	RT_FIELD(OWNER, U64, rewinds_alone, COUNT, "rewinds without a NAK",
		 .label = "... without a NAK", .flags = QUIET),
	RT_FIELD(OWNER, U64, h_gaps, COUNT, "frames ahead of the highest PSN",
		 .label = "gaps over the highest PSN", .flags = QUIET),
	RT_FIELD(OWNER, U64, h_skipped, COUNT, "PSNs skipped by these",
		 .label = "PSNs skipped there", .flags = QUIET),
	RT_FIELD(OWNER, U64, h_episodes, COUNT, "runs of frames behind the highest PSN",
		 .label = "episodes behind it", .flags = QUIET),
	RT_FIELD(OWNER, U64, h_behind, COUNT, "frames behind the highest PSN",
		 .label = "frames behind it", .flags = QUIET),
	RT_FIELD(OWNER, U64, reordered, COUNT,
		 "gaps that late frames filled while nothing was sent again",
		 .label = "gaps filled by late frames", .flags = QUIET),
	RT_FIELD(OWNER, U64, repaired, COUNT,
		 "gaps that were filled by a sender that went back",
		 .label = "gaps sent again", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, undecided, COUNT,
		 "gaps filled by late frames or by a sender that went back: can't be "
		 "told",
		 .label = "gaps filled either way", .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, holes_given_up, COUNT,
		 "gaps not watched to the end: resent is at most, delivered at least "
		 "what is said",
		 .label = "gaps given up", .flags = QUIET),
	RT_FIELD(OWNER, U64, acked_holes, COUNT,
		 "gaps that the receiver acknowledged over",
		 .label = "holes of the capture", .flags = QUIET),
	RT_FIELD(OWNER, U64, acked_psns, COUNT, "PSNs in these",
		 .label = "PSNs in them", .flags = QUIET),
	RT_FIELD(OWNER, U64, naks, COUNT, "NAKs for a PSN sequence error",
		 .label = "NAKs (sequence)"),
	RT_FIELD(OWNER, U64, rnr_naks, COUNT, "NAKs: receiver not ready",
		 .label = "NAKs (not ready)", .flags = QUIET),
	RT_FIELD(OWNER, U64, other_naks, COUNT, "NAKs for errors that end the QP",
		 .label = "NAKs (fatal)", .flags = QUIET),
	RT_FIELD(OWNER, U64, rnr_wait_ns, NS, "sum of the waits RNR NAKs asked for",
		 .label = "RNR wait asked for", .flags = QUIET),
	RT_FIELD(OWNER, U64, silence_ns, NS, "idle time before rewinds, from 1 ms on",
		 .label = "silence before rewinds", .flags = QUIET),
	RT_FIELD(OWNER, U64, timeouts, COUNT,
		 "rewinds without a NAK after a silence of 1 ms or more",
		 .label = "time-outs", .flags = QUIET),
	RT_FIELD(OWNER, U64, overflow, COUNT, "frames of more flows than are kept",
		 .label = "frames not followed", .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, flows, flow_count, &flow_table, "the streams"),
	RT_FIELD_LIST_OF(OWNER, copies, copy_count, &flow_table,
			 "the same streams at other interfaces they passed",
			 .label = "Flows at other interfaces", .flags = DETAIL),
};
RT_TABLE(rt_analysis_sequence_table, rt_analysis_sequence, "sequence", "Streams",
	 "Packet sequence numbers: gaps, rewinds, NAKs.", sequence_fields);
#undef OWNER

/* --- throughput --------------------------------------------------------------- */

/* What was delivered, in a receiver's row and in that of one of its senders. */
#define DATA_PARTS(owner, start_flags)                                                 \
	RT_FIELD(owner, U64, payload_bytes, BYTES, "payload, resent too",              \
		 .flags = DETAIL),                                                     \
		RT_FIELD(owner, U64, good_bytes, BYTES,                                \
			 "payload seen for the first time", .label = "delivered"),     \
		RT_FIELD(owner, U64, wire_bytes, BYTES,                                \
			 "size of the frames on the wire", .flags = DETAIL),           \
		RT_FIELD(owner, U64, start_ns, NS,                                     \
			 "first data, from the start of the capture",                  \
			 .label = "start", .flags = (start_flags)),                    \
		RT_FIELD(owner, U64, duration_ns, NS,                                  \
			 "from the first to the last data", .label = "time"),          \
		RT_FIELD(owner, OPT_U64, goodput_bps, BPS, "delivered over that time", \
			 .label = "goodput")

#define OWNER struct rt_analysis_receiver
static const struct rt_field receiver_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, receiver, "the address"),
	RT_FIELD(OWNER, U64, senders, COUNT, "senders of data to it"),
	DATA_PARTS(OWNER, DETAIL),
	RT_FIELD(OWNER, OPT_U64, wire_bps, BPS, "wire bytes over that time",
		 .label = "on the wire"),
	RT_FIELD(OWNER, OPT_U64, peak_wire_bps, BPS, "the same in the fullest window",
		 .label = "peak"),
	RT_FIELD(OWNER, U64, max_fan_in, COUNT, "senders active in one window, at most",
		 .label = "fan-in"),
	RT_FIELD(OWNER, OPT_F64, mean_fan_in, NONE, "the mean over windows with data",
		 .label = "mean"),
	RT_FIELD(OWNER, OPT_F64, jain, NONE,
		 "Jain index of the senders' rates while they had company; 1 is fair",
		 .label = "Jain"),
	RT_FIELD_CHARS_OF(OWNER, slowest, "slowest sender under contention",
			  .label = "slowest sender", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, slowest_bps, BPS, "its rate", .label = "at"),
	RT_FIELD(OWNER, OPT_U64, fastest_bps, BPS, "the rate of the fastest",
		 .label = "fastest at", .flags = DETAIL),
};
static RT_TABLE(receiver_table, rt_analysis_receiver, "receiver", "Receivers",
		"Data that arrives at one address.", receiver_fields);
#undef OWNER

#define OWNER struct rt_analysis_sender
static const struct rt_field sender_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, receiver, "to this address"),
	RT_FIELD_CHARS_OF(OWNER, sender, "from this address"),
	DATA_PARTS(OWNER, 0),
	RT_FIELD(OWNER, OPT_U64, contended_bps, BPS,
		 "rate over the windows in which another sender was active too",
		 .label = "under contention"),
	RT_FIELD(OWNER, OPT_F64, ce_pct, PCT, "CE-marked share of its data frames",
		 .label = "CE"),
};
static RT_TABLE(sender_table, rt_analysis_sender, "sender", "Senders",
		"Data from one address to another.", sender_fields);
#undef OWNER

#define OWNER struct rt_analysis_window
static const struct rt_field window_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, receiver, "to this address"),
	RT_FIELD_CHARS_OF(OWNER, sender, "from this address; unknown: all senders"),
	RT_FIELD(OWNER, U64, start_ns, NS, "from the first frame of the capture"),
	RT_FIELD(OWNER, U64, good_bytes, BYTES, "payload seen for the first time"),
	RT_FIELD(OWNER, U64, wire_bytes, BYTES, "size of the frames on the wire"),
	RT_FIELD(OWNER, U64, senders, COUNT, "senders active"),
	RT_FIELD(OWNER, U64, ce, COUNT, "CE-marked data frames"),
};
static RT_TABLE(window_table, rt_analysis_window, "window", "Windows",
		"Data in one window of time; empty windows are left out.",
		window_fields);
#undef OWNER

#define OWNER struct rt_analysis_throughput
static const struct rt_field throughput_fields[] = {
	RT_FIELD(OWNER, U64, window_ns, NS, "width of a window of time",
		 .label = "window"),
	RT_FIELD(OWNER, U64, series_overflow, COUNT,
		 "senders beyond the limit: not in fan-in, fairness and windows",
		 .label = "senders not followed", .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, receivers, receiver_count, &receiver_table,
			 "by receiver"),
	RT_FIELD_LIST_OF(OWNER, senders, sender_count, &sender_table,
			 "by sender and receiver"),
	RT_FIELD_LIST_OF(OWNER, windows, window_count, &window_table,
			 "over time, for the first receivers and their largest senders",
			 .flags = DATA),
};
RT_TABLE(rt_analysis_throughput_table, rt_analysis_throughput, "throughput",
	 "Throughput and incast", "Who delivers how much to whom.", throughput_fields);
#undef OWNER

static const struct rt_field analysis_fields[] = {
	RT_FIELD_STRUCT_OF(struct rt_analysis, capture, &rt_analysis_capture_table,
			   "what was read"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, roce, &rt_analysis_roce_table,
			   "the RoCE frames"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, connections,
			   &rt_analysis_connections_table, "who connected to whom"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, pauses, &rt_analysis_pauses_table,
			   "who stopped whom"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, marks, &rt_analysis_marks_table,
			   "ECN marks and CNPs"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, sequence, &rt_analysis_sequence_table,
			   "gaps, rewinds, NAKs"),
	RT_FIELD_STRUCT_OF(struct rt_analysis, throughput,
			   &rt_analysis_throughput_table, "who delivers how much"),
};
RT_TABLE(rt_analysis_table, rt_analysis, "analysis", "Analysis",
	 "What the frames of a capture say about a RoCE network.", analysis_fields);
