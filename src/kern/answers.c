/* SPDX-License-Identifier: BSD-2-Clause */
/* answers.c - the tables of recorded answers, reading and finding them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"
#include "kern/image.h"
#include "rocetune/err.h"

/* --- tables of what the kernel gives -------------------------------------------------- */

#define MAYBE .flags = RT_FIELD_MAYBE
#define QUIET .flags = RT_FIELD_ZERO_QUIET

/* A nested member under a name of its own. */
#define NESTED(owner, kind, name_, member, unit_, help_, ...)               \
	{                                                                   \
		.name = (name_), .help = (help_), .type = RT_FIELD_##kind,  \
		.unit = RT_UNIT_##unit_, .offset = offsetof(owner, member), \
		##__VA_ARGS__                                               \
	}
#define NUMBERS(owner, member, length_, table_, help_, ...) \
	RT_FIELD_ARRAY_OF(owner, member, length_, table_, help_, ##__VA_ARGS__)

static const struct rt_field link_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_link, name, "name of the link"),
	RT_FIELD(struct rt_link, U32, ifindex, NONE, "its number"),
	RT_FIELD(struct rt_link, U32, master_ifindex, NONE,
		 "number of the bond or bridge it belongs to; 0: none", QUIET),
	RT_FIELD(struct rt_link, MAC, mac, NONE, "hardware address", QUIET),
	RT_FIELD_CHARS_OF(struct rt_link, kind, "bond, vlan, ...; null: hardware"),
	RT_FIELD(struct rt_link, U32, mtu_bytes, MTU, "largest packet"),
	RT_FIELD(struct rt_link, BOOL, is_up, NONE, "set up by the administrator",
		 QUIET),
	RT_FIELD(struct rt_link, BOOL, carrier, NONE, "has a carrier", QUIET),
	RT_FIELD(struct rt_link, U32, carrier_changes, COUNT,
		 "how often the carrier came or went", QUIET),
	RT_FIELD(struct rt_link, BOOL, carrier_changes_known, NONE,
		 "whether that was told", QUIET),
};
static RT_TABLE(link_table, rt_link, "link", "Links", "A network link.", link_fields);

static const struct rt_field ets_fields[] = {
	RT_FIELD(struct rt_dcb_ets, U8, willing, NONE, "takes the peer's values",
		 QUIET),
	RT_FIELD(struct rt_dcb_ets, U8, cap, COUNT, "traffic classes it can have"),
	RT_FIELD(struct rt_dcb_ets, U8, cbs, NONE, "has credit-based shapers", QUIET),
	NUMBERS(struct rt_dcb_ets, bw, 8, &rt_plain_u8, "percent by traffic class"),
	NUMBERS(struct rt_dcb_ets, tsa, 8, &rt_plain_u8,
		"by traffic class: 0 strict, 1 credit-based, 2 ETS, 255 vendor"),
	NUMBERS(struct rt_dcb_ets, prio_tc, 8, &rt_plain_u8,
		"traffic class by priority"),
	NUMBERS(struct rt_dcb_ets, reco_bw, 8, &rt_plain_u8,
		"percent recommended to the peer", MAYBE),
	NUMBERS(struct rt_dcb_ets, reco_tsa, 8, &rt_plain_u8,
		"selection recommended to the peer", MAYBE),
	NUMBERS(struct rt_dcb_ets, reco_prio_tc, 8, &rt_plain_u8,
		"classes recommended to the peer", MAYBE),
};
static RT_TABLE(ets_table, rt_dcb_ets, "ets", "ETS",
		"Enhanced transmission selection (struct ieee_ets of linux/dcbnl.h).",
		ets_fields);

static const struct rt_field pfc_fields[] = {
	RT_FIELD(struct rt_dcb_pfc, U8, cap, COUNT, "priorities that can be lossless"),
	RT_FIELD(struct rt_dcb_pfc, U8, mask, NONE, "bit n: priority n is lossless",
		 .flags = RT_FIELD_HEX),
	RT_FIELD(struct rt_dcb_pfc, U8, mbc, NONE, "can bypass MACsec", QUIET),
	RT_FIELD(struct rt_dcb_pfc, U16, delay, NONE,
		 "allowance for the cable, in the driver's unit", QUIET),
	NUMBERS(struct rt_dcb_pfc, requests, 8, &rt_plain_u64,
		"pause frames sent by priority", MAYBE),
	NUMBERS(struct rt_dcb_pfc, indications, 8, &rt_plain_u64,
		"pause frames received by priority", MAYBE),
};
static RT_TABLE(pfc_table, rt_dcb_pfc, "pfc", "PFC",
		"Priority flow control (struct ieee_pfc of linux/dcbnl.h).",
		pfc_fields);

static const struct rt_field buffer_fields[] = {
	NUMBERS(struct rt_dcb_buffer, prio_buffer, 8, &rt_plain_u8,
		"receive buffer by priority"),
	NUMBERS(struct rt_dcb_buffer, size_bytes, 8, &rt_plain_u32,
		"bytes of each buffer"),
	RT_FIELD(struct rt_dcb_buffer, U32, total_bytes, BYTES, "of all together"),
};
static RT_TABLE(buffer_table, rt_dcb_buffer, "buffer", "Buffers",
		"Receive buffers (struct dcbnl_buffer of linux/dcbnl.h).",
		buffer_fields);

static const struct rt_field app_fields[] = {
	RT_FIELD(struct rt_dcb_app, U8, selector, NONE,
		 "1 EtherType, 2 TCP, 3 UDP, 4 any port, 5 DSCP, 255 PCP"),
	RT_FIELD(struct rt_dcb_app, U8, priority, NONE, "the priority it gets"),
	RT_FIELD(struct rt_dcb_app, U16, protocol, NONE, "EtherType, port or DSCP"),
};
static RT_TABLE(app_table, rt_dcb_app, "app", "APP entries",
		"What gets which priority (struct dcb_app of linux/dcbnl.h).",
		app_fields);

static const struct rt_field info_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_ethtool_info, driver, "name of the driver"),
	RT_FIELD_CHARS_OF(struct rt_ethtool_info, version, "its version"),
	RT_FIELD_CHARS_OF(struct rt_ethtool_info, firmware, "the NIC's firmware"),
	RT_FIELD_CHARS_OF(struct rt_ethtool_info, bus, "PCI address"),
};
static RT_TABLE(info_table, rt_ethtool_info, "driver", "Driver",
		"Driver and firmware (ethtool -i).", info_fields);

static const struct rt_field pause_fields[] = {
	RT_FIELD(struct rt_link_pause, BOOL, autoneg, NONE, "negotiated with the peer"),
	RT_FIELD(struct rt_link_pause, BOOL, rx, NONE, "obeys the peer's pauses"),
	RT_FIELD(struct rt_link_pause, BOOL, tx, NONE, "pauses the peer"),
};
static RT_TABLE(pause_table, rt_link_pause, "pause", "Pause",
		"Pauses of the whole link (ethtool -a).", pause_fields);

static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_rdma_port, ibdev, "RDMA device"),
	RT_FIELD(struct rt_rdma_port, U32, dev_index, NONE, "its number"),
	RT_FIELD(struct rt_rdma_port, U32, port, NONE, "port, from 1"),
	RT_FIELD_CHARS_OF(struct rt_rdma_port, netdev, "its network device"),
	RT_FIELD(struct rt_rdma_port, U32, ifindex, NONE, "number of that; 0: none",
		 QUIET),
	RT_FIELD_CHARS_OF(struct rt_rdma_port, firmware, "the device's firmware"),
	RT_FIELD_CHARS_OF(struct rt_rdma_port, protocol, "roce, ib, iw, opa, usnic"),
	RT_FIELD(struct rt_rdma_port, U8, state, NONE,
		 "1 down, 2 init, 3 armed, 4 active"),
	RT_FIELD(struct rt_rdma_port, U8, phys_state, NONE,
		 "5 link up, 3 disabled, 2 polling; 0: not told", QUIET),
	RT_FIELD(struct rt_rdma_port, U64, node_guid, NONE, "GUID of the device",
		 QUIET),
};
static RT_TABLE(port_table, rt_rdma_port, "rdma_port", "RDMA ports", "An RDMA port.",
		port_fields);

static const struct rt_field use_fields[] = {
	RT_FIELD(struct rt_rdma_use, U32, qps, COUNT,
		 "queue pairs that are not its own"),
	RT_FIELD(struct rt_rdma_use, U32, connected, COUNT, "of these in RTR or RTS"),
	RT_FIELD_CHARS_OF(struct rt_rdma_use, who, "whose they are"),
};
static RT_TABLE(use_table, rt_rdma_use, "rdma_use", "Use",
		"Queue pairs of an RDMA device.", use_fields);

static const struct rt_field flag_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_answer_flag, name, "name of the flag"),
	RT_FIELD(struct rt_answer_flag, BOOL, on, NONE, "whether it is set"),
};
static RT_TABLE(flag_table, rt_answer_flag, "priv_flag", "Private flags",
		"A flag of the driver's own.", flag_fields);

/* --- tables of the rows ------------------------------------------------------------------ */

#define HEAD(owner, about)                                                    \
	NESTED(owner, TEXT, "name", head.name, NONE, about),                  \
		NESTED(owner, CHARS, "error", head.error, NONE,               \
		       "errno's name of the refusal; null: there is a value", \
		       .length = sizeof(((struct rt_answer *)0)->error)),     \
		NESTED(owner, TEXT, "message", head.message, NONE,            \
		       "what the refusal said")

#define ROWS(noun, struct_name, title_, help_, ...)                          \
	static const struct rt_field noun##_row_fields[] = { __VA_ARGS__ };  \
	static RT_TABLE(noun##_row_table, struct_name, #noun, title_, help_, \
			noun##_row_fields)

ROWS(links, rt_answer_links, "Links", "All network links.",
     HEAD(struct rt_answer_links, "null"),
     { .name = "items",
       .help = "the links",
       .type = RT_FIELD_LIST,
       .offset = offsetof(struct rt_answer_links, links.items),
       .count_offset = offsetof(struct rt_answer_links, links.count),
       .table = &link_table });

ROWS(ports, rt_answer_ports, "RDMA ports", "All RDMA ports.",
     HEAD(struct rt_answer_ports, "null"),
     { .name = "items",
       .help = "the ports",
       .type = RT_FIELD_LIST,
       .offset = offsetof(struct rt_answer_ports, ports.items),
       .count_offset = offsetof(struct rt_answer_ports, ports.count),
       .table = &port_table });

ROWS(dcb, rt_answer_dcb, "DCB", "DCB state of network devices.",
     HEAD(struct rt_answer_dcb, "network device"),
     RT_FIELD_CHARS_OF(struct rt_answer_dcb, has,
		       "the parts that the driver gave, blanks between: ets pfc "
		       "maxrate buffer app dcbx peer_ets peer_pfc peer_app trust"),
     NESTED(struct rt_answer_dcb, STRUCT, "ets", dcb.ets, NONE, "ETS", MAYBE,
	    .table = &ets_table),
     NESTED(struct rt_answer_dcb, STRUCT, "pfc", dcb.pfc, NONE, "PFC", MAYBE,
	    .table = &pfc_table),
     NESTED(struct rt_answer_dcb, ARRAY, "maxrate_bps", dcb.maxrate_bps, BPS,
	    "rate limit by traffic class; 0: none", MAYBE, .table = &rt_plain_u64,
	    .length = 8),
     NESTED(struct rt_answer_dcb, STRUCT, "buffer", dcb.buffer, NONE, "receive buffers",
	    MAYBE, .table = &buffer_table),
     RT_FIELD_LIST_OF(struct rt_answer_dcb, app, app_count, &app_table, "APP entries"),
     NESTED(struct rt_answer_dcb, U8, "dcbx", dcb.dcbx, NONE,
	    "1 host, 2 firmware, 4 CEE, 8 IEEE, 16 static",
	    .flags = RT_FIELD_ZERO_QUIET | RT_FIELD_HEX),
     NESTED(struct rt_answer_dcb, STRUCT, "peer_ets", dcb.peer_ets, NONE,
	    "the peer's ETS", MAYBE, .table = &ets_table),
     NESTED(struct rt_answer_dcb, STRUCT, "peer_pfc", dcb.peer_pfc, NONE,
	    "the peer's PFC", MAYBE, .table = &pfc_table),
     RT_FIELD_LIST_OF(struct rt_answer_dcb, peer_app, peer_app_count, &app_table,
		      "the peer's APP entries"),
     NESTED(struct rt_answer_dcb, ARRAY, "trust", dcb.trust, NONE,
	    "trusted selectors, the first counts most", MAYBE, .table = &rt_plain_u8,
	    .length = 8),
     NESTED(struct rt_answer_dcb, U8, "trust_count", dcb.trust_count, COUNT,
	    "how many of these", QUIET));

ROWS(driver, rt_answer_info, "Drivers", "Drivers of network devices.",
     HEAD(struct rt_answer_info, "network device"),
     RT_FIELD_STRUCT_OF(struct rt_answer_info, info, &info_table, "driver and firmware",
			MAYBE));

ROWS(speed, rt_answer_speed, "Speeds", "Speeds of network devices.",
     HEAD(struct rt_answer_speed, "network device"),
     RT_FIELD(struct rt_answer_speed, OPT_U64, speed_bps, BPS, "speed"));

ROWS(pause, rt_answer_pause, "Pause", "Pauses of the whole link.",
     HEAD(struct rt_answer_pause, "network device"),
     RT_FIELD_STRUCT_OF(struct rt_answer_pause, pause, &pause_table, "what is on",
			MAYBE));

ROWS(storm, rt_answer_storm, "Pause storm prevention",
     "Time-outs after which a NIC stops pausing its peer.",
     HEAD(struct rt_answer_storm, "network device"),
     RT_FIELD(struct rt_answer_storm, U16, timeout_ms, NONE,
	      "milliseconds; 0: off, 65535: automatic", QUIET));

ROWS(priv_flags, rt_answer_flags, "Private flags", "Flags of drivers' own.",
     HEAD(struct rt_answer_flags, "network device"),
     RT_FIELD_LIST_OF(struct rt_answer_flags, flags, flag_count, &flag_table,
		      "the flags in their order"));

ROWS(rdma_use, rt_answer_use, "RDMA in use", "Who uses RDMA devices.",
     HEAD(struct rt_answer_use, "RDMA device"),
     RT_FIELD_STRUCT_OF(struct rt_answer_use, use, &use_table, "queue pairs", MAYBE));

ROWS(eswitch, rt_answer_eswitch, "Embedded switches", "Modes of embedded switches.",
     HEAD(struct rt_answer_eswitch, "PCI address"),
     RT_FIELD_CHARS_OF(struct rt_answer_eswitch, mode, "legacy or switchdev"));

ROWS(path, rt_answer, "Paths", "What was asked of paths.",
     RT_FIELD(struct rt_answer, TEXT, name, NONE, "absolute path"),
     RT_FIELD_CHARS_OF(struct rt_answer, error,
		       "errno's name of the refusal; null: it may be"),
     RT_FIELD(struct rt_answer, TEXT, message, NONE, "what the refusal said"));

ROWS(refusal, rt_answer, "Refusals", "What was asked and refused.",
     RT_FIELD(struct rt_answer, TEXT, name, NONE, "what it is about"),
     RT_FIELD_CHARS_OF(struct rt_answer, error, "errno's name of the refusal"),
     RT_FIELD(struct rt_answer, TEXT, message, NONE, "what the refusal said"));

ROWS(port_name, rt_answer, "Ports", "RDMA ports.",
     RT_FIELD(struct rt_answer, TEXT, name, NONE, "RDMA device and port"));

#define LIST(member, table_, help_) \
	RT_FIELD_LIST_OF(struct rt_answers, member, member##_count, table_, help_)

static const struct rt_field answers_fields[] = {
	LIST(links, &links_row_table, "network links: one row, or none if not asked"),
	LIST(rdma_ports, &ports_row_table, "RDMA ports: one row, or none if not asked"),
	LIST(rdma_use, &rdma_use_row_table, "queue pairs by RDMA device"),
	LIST(driver, &driver_row_table, "driver and firmware by network device"),
	LIST(dcb, &dcb_row_table, "DCB state by network device"),
	LIST(speed, &speed_row_table, "speed by network device"),
	LIST(pause, &pause_row_table, "pauses of the whole link by network device"),
	LIST(storm, &storm_row_table, "pause storm time-out by network device"),
	LIST(priv_flags, &priv_flags_row_table, "private flags by network device"),
	LIST(eswitch, &eswitch_row_table, "mode of the embedded switch by PCI address"),
	LIST(files, &path_row_table, "paths that are there and could not be read"),
	LIST(readable, &path_row_table, "paths that may not be read"),
	LIST(writable, &path_row_table,
	     "paths of which it was asked if they may be "
	     "written"),
	LIST(only, &port_name_row_table,
	     "RDMA ports that were asked about; none: all of the host"),
	LIST(unread, &path_row_table, "paths that are there and were not read"),
	LIST(ethtool_stats, &refusal_row_table,
	     "network devices whose statistics could not be read"),
	LIST(standard_stats, &refusal_row_table,
	     "network devices whose standard statistics could not be read"),
	LIST(rdma_stats, &refusal_row_table,
	     "RDMA ports (mlx5_0/1) whose counters could not be read"),
	LIST(qdisc_stats, &refusal_row_table,
	     "network devices whose queueing disciplines could not be read"),
};
RT_TABLE(rt_answers_table, rt_answers, "answers", "Recorded answers",
	 "What a host's kernel answered when a snapshot was made of it: the file "
	 "rocetune/answers.json of a bundle.",
	 answers_fields);

/* --- errors ------------------------------------------------------------------------------ */

#define ERRNO_MAX 134 /* the last of asm-generic/errno.h is 133 */

/* 0: there is no such name. */
static int errno_by_name(const char *name)
{
	for (int i = 1; i < ERRNO_MAX; i++) {
		const char *have = strerrorname_np(i);

		if (have && strcmp(have, name) == 0)
			return i;
	}
	return 0;
}

int rt_answer_code(const struct rt_answer *answer, const char *doing,
		   struct rt_err *err)
{
	int code;

	if (!*answer->error)
		return 0;
	code = -errno_by_name(answer->error);
	if (code == 0)
		return rt_err_set(err, -EINVAL, "%s: '%s' is no errno", answer->name,
				  answer->error);
	if (answer->message)
		return rt_err_set(err, code, "%s", answer->message);
	return *doing ? rt_err_sys(err, code, "%s: %s", answer->name, doing)
		      : rt_err_sys(err, code, "%s", answer->name);
}

int rt_answer_note(struct rt_answer *answer, int code, const struct rt_err *why)
{
	const char *name = code < 0 ? strerrorname_np(-code) : "";

	/* An errno without a name is a driver's own joke. */
	snprintf(answer->error, sizeof(answer->error), "%s", name ? name : "EPROTO");
	if (code == 0 || !why->code)
		return 0;
	answer->message = strdup(why->msg);
	return answer->message ? 0 : -ENOMEM;
}

/* --- rows -------------------------------------------------------------------------------- */

/* Where name stands, or would. */
static size_t bound(const char *rows, size_t count, size_t size, const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct rt_answer *head = (const void *)(rows + middle * size);

		if (strcmp(head->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *rt_answer_find(void *rows, size_t count, size_t size, const char *name)
{
	const size_t i = bound(rows, count, size, name);
	struct rt_answer *row;

	if (i == count)
		return NULL;
	row = (void *)((char *)rows + i * size);
	return strcmp(row->name, name) == 0 ? row : NULL;
}

void *rt_answer_add(void **rows, size_t *count, size_t size, const char *name)
{
	char *copy = strdup(name), *grown, *at;

	if (*count == RT_RECORD_MAX_ITEMS || !copy)
		goto full;
	grown = realloc(*rows, (*count + 1) * size);
	if (!grown)
		goto full;
	*rows = grown;
	at = grown + bound(grown, *count, size, name) * size;
	memmove(at + size, at, (size_t)(grown + *count * size - at));
	memset(at, 0, size);
	((struct rt_answer *)(void *)at)->name = copy;
	++*count;
	return at;
full:
	free(copy);
	return NULL;
}

/* --- parts of rows that have no table of their own ------------------------------------------ */

static const struct rt_name has_names[] = {
	{ "ets", RT_DCB_ETS, "" },
	{ "pfc", RT_DCB_PFC, "" },
	{ "maxrate", RT_DCB_MAXRATE, "" },
	{ "buffer", RT_DCB_BUFFER, "" },
	{ "app", RT_DCB_APP, "" },
	{ "dcbx", RT_DCB_DCBX, "" },
	{ "peer_ets", RT_DCB_PEER_ETS, "" },
	{ "peer_pfc", RT_DCB_PEER_PFC, "" },
	{ "peer_app", RT_DCB_PEER_APP, "" },
	{ "trust", RT_DCB_TRUST, "" },
	{ 0 },
};

static struct rt_dcb_app *copy_apps(const struct rt_dcb_apps *apps)
{
	struct rt_dcb_app *copy = calloc(apps->count + 1, sizeof(*copy));

	if (copy)
		memcpy(copy, apps->items, apps->count * sizeof(*copy));
	return copy;
}

int rt_answer_from_dcb(const struct rt_dcb *dcb, struct rt_answer_dcb *row)
{
	size_t used = 0;

	row->dcb = *dcb;
	row->app = copy_apps(&dcb->app);
	row->peer_app = copy_apps(&dcb->peer_app);
	if (!row->app || !row->peer_app)
		return -ENOMEM;
	row->app_count = dcb->app.count;
	row->peer_app_count = dcb->peer_app.count;
	for (const struct rt_name *name = has_names; name->name; name++)
		if (dcb->has & name->value)
			used += (size_t)snprintf(row->has + used,
						 sizeof(row->has) - used, "%s%s",
						 used ? " " : "", name->name);
	return 0;
}

static int take_apps(const struct rt_dcb_app *items, size_t count,
		     struct rt_dcb_apps *ret)
{
	if (count > RT_DCB_APP_MAX)
		return -EINVAL;
	if (count)
		memcpy(ret->items, items, count * sizeof(*items));
	ret->count = count;
	return 0;
}

/* What was read into the row's lists and words, into its struct rt_dcb. */
static int complete_dcb(struct rt_answer_dcb *row, struct rt_err *err)
{
	char words[sizeof(row->has)], *rest = words, *word;

	memcpy(words, row->has, sizeof(words));
	while ((word = strsep(&rest, " ")) != NULL) {
		const struct rt_name *name = rt_name_find(has_names, word);

		if (*word && !name)
			return rt_err_set(err, -EINVAL,
					  "dcb of %s: '%s' is no part of it",
					  row->head.name, word);
		row->dcb.has |= *word ? name->value : 0;
	}
	if (take_apps(row->app, row->app_count, &row->dcb.app) < 0 ||
	    take_apps(row->peer_app, row->peer_app_count, &row->dcb.peer_app) < 0)
		return rt_err_set(err, -EINVAL, "dcb of %s: more than %u APP entries",
				  row->head.name, RT_DCB_APP_MAX);
	if (row->dcb.trust_count > sizeof(row->dcb.trust))
		return rt_err_set(err, -EINVAL, "dcb of %s: trust_count %u is above 8",
				  row->head.name, row->dcb.trust_count);
	return 0;
}

int rt_answer_from_flags(const struct rt_priv_flags *flags, struct rt_answer_flags *row)
{
	row->flags = calloc(flags->count + 1, sizeof(*row->flags));
	if (!row->flags)
		return -ENOMEM;
	row->flag_count = flags->count;
	for (size_t i = 0; i < flags->count; i++) {
		memcpy(row->flags[i].name, flags->name[i], sizeof(flags->name[i]));
		row->flags[i].on = flags->value >> i & 1;
	}
	return 0;
}

void rt_answer_to_flags(const struct rt_answer_flags *row,
			struct rt_priv_flags *ret_flags)
{
	struct rt_priv_flags flags = { .count = row->flag_count };

	for (size_t i = 0; i < row->flag_count; i++) {
		memcpy(flags.name[i], row->flags[i].name, sizeof(flags.name[i]));
		flags.value |= (uint64_t)row->flags[i].on << i;
	}
	*ret_flags = flags;
}

/* --- the whole ------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const struct rt_answer *one = a, *two = b;

	return strcmp(one->name, two->name);
}

/* Each list of rows: names that are missing are "", errors have to be errnos. */
static int complete_list(const struct rt_field *field, struct rt_answers *answers,
			 struct rt_err *err)
{
	char *rows = *(char **)((char *)answers + field->offset);
	const size_t count = *(size_t *)((char *)answers + field->count_offset);
	const size_t size = field->table->size;

	for (size_t i = 0; i < count; i++) {
		struct rt_answer *head = (void *)(rows + i * size);

		if (!head->name)
			head->name = strdup("");
		if (!head->name)
			return rt_err_sys(err, -ENOMEM, "%s", field->name);
		if (*head->error && errno_by_name(head->error) == 0)
			return rt_err_set(err, -EINVAL,
					  "%s of '%.60s': '%s' is no errno (such as "
					  "EOPNOTSUPP)",
					  field->name, head->name, head->error);
	}
	if (count)
		qsort(rows, count, size, compare_rows);
	for (size_t i = 1; i < count; i++)
		if (compare_rows(rows + (i - 1) * size, rows + i * size) == 0)
			return rt_err_set(
				err, -EINVAL, "%s: '%.60s' stands twice", field->name,
				((struct rt_answer *)(void *)(rows + i * size))->name);
	return 0;
}

static int complete(struct rt_answers *answers, struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < rt_answers_table.count && r == 0; i++)
		r = complete_list(&answers_fields[i], answers, err);
	for (size_t i = 0; i < answers->dcb_count && r == 0; i++)
		r = complete_dcb(&answers->dcb[i], err);
	for (size_t i = 0; i < answers->priv_flags_count && r == 0; i++)
		if (answers->priv_flags[i].flag_count > RT_PRIV_FLAG_MAX)
			r = rt_err_set(
				err, -EINVAL, "priv_flags of %s: more than %u flags",
				answers->priv_flags[i].head.name, RT_PRIV_FLAG_MAX);
	return r;
}

int rt_answers_parse(const char *name, const char *text, size_t bytes,
		     struct rt_answers *ret_answers, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_answers answers;
	struct rt_err why = { 0 };
	int r = rt_doc_parse(name, text, bytes, &doc, err);

	if (r == 0)
		r = rt_record_read_envelope(doc, &rt_answers_table, &answers, err);
	if (r < 0)
		return r;
	r = complete(&answers, &why);
	if (r < 0) {
		rt_answers_free(&answers);
		return rt_err_set(err, r, "%s: %s", name, why.msg);
	}
	*ret_answers = answers;
	return 0;
}

struct rt_json *rt_answers_json(const struct rt_answers *answers)
{
	return rt_record_envelope(&rt_answers_table, answers);
}

void rt_answers_free(struct rt_answers *answers)
{
	rt_record_free(&rt_answers_table, answers);
}
