/* SPDX-License-Identifier: BSD-2-Clause */
/* eos_rows.c - EOS's commands about QoS, one row each. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "nos/eos.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

static const char *word_of(const struct eos_line *line, unsigned capture)
{
	return line->words[line->captured[capture]];
}

static struct rt_place place_of(const struct eos_reader *reader,
				const struct eos_line *line, unsigned capture)
{
	return eos_place(reader, line, line->captured[capture]);
}

static const char *keep(struct eos_reader *reader, const char *text)
{
	const char *copy = rt_switch_text(reader->sw, text, strlen(text));

	if (!copy)
		reader->failed = -ENOMEM;
	return copy;
}

/* The captured number times scale; complained of when it is above most. */
static struct rt_setting number_at(struct eos_reader *reader,
				   const struct eos_line *line, unsigned capture,
				   uint64_t most, uint64_t scale)
{
	const char *word = word_of(line, capture);
	const struct rt_place place = place_of(reader, line, capture);
	uint64_t number;

	if (rt_unit_parse(RT_UNIT_COUNT, word, &number, NULL) == 0 && number <= most)
		return rt_switch_said(number * scale, keep(reader, word), place);
	rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
		       "'%.40s' is not a whole number of at most %llu", word,
		       (unsigned long long)most);
	return rt_setting_unknown;
}

/* 0.05: seconds, which EOS writes with decimals. */
static struct rt_setting seconds_at(struct eos_reader *reader,
				    const struct eos_line *line, unsigned capture)
{
	const char *word = word_of(line, capture);
	const struct rt_place place = place_of(reader, line, capture);
	char text[40];
	uint64_t time_ns;

	snprintf(text, sizeof(text), "%.30ss", word);
	if (rt_unit_parse(RT_UNIT_NS, text, &time_ns, NULL) == 0)
		return rt_switch_said(time_ns, keep(reader, text), place);
	rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
		       "'%.30s' is no time in seconds", word);
	return rt_setting_unknown;
}

/* A value that the line's words stand for. */
static struct rt_setting said_by(struct eos_reader *reader, const struct eos_line *line,
				 uint64_t value)
{
	char text[120] = "";
	size_t used = 0;

	for (unsigned i = 0; i < line->count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? " " : "", line->words[i]);
	return rt_switch_said(value, keep(reader, text), eos_place(reader, line, 0));
}

/* Where a row of a port (or, at the top, of the switch) puts its value. */
static struct rt_setting *home_of(struct eos_reader *reader, const struct eos_row *row)
{
	struct rt_switch_port *port = eos_port(reader);
	char *owner = port ? (char *)port : (char *)reader->sw;

	return (struct rt_setting *)(owner + row->offset);
}

static void on_value(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	*home_of(reader, row) = said_by(reader, line, row->value);
}

static void on_number(struct eos_reader *reader, const struct eos_row *row,
		      const struct eos_line *line)
{
	*home_of(reader, row) = number_at(reader, line, 0, row->most, 1);
}

static void on_seconds(struct eos_reader *reader, const struct eos_row *row,
		       const struct eos_line *line)
{
	*home_of(reader, row) = seconds_at(reader, line, 0);
}

static void on_word(struct eos_reader *reader, const struct eos_row *row,
		    const struct eos_line *line)
{
	*home_of(reader, row) = rt_switch_said(0, keep(reader, word_of(line, 0)),
					       place_of(reader, line, 0));
}

/* --- blocks --------------------------------------------------------------------- */

static void open_port(struct eos_reader *reader, const struct eos_line *line,
		      enum rt_switch_kind kind)
{
	const struct rt_place place = eos_place(reader, line, 0);
	struct rt_switch *sw = reader->sw;
	struct rt_err why = { 0 };
	struct rt_switch_port *port;
	char name[160] = "";
	size_t used = 0;

	/* interface Ethernet 1/1 is the same as Ethernet1/1 */
	for (unsigned i = line->captured[0]; i < line->count && used < sizeof(name);
	     i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "%s",
					 line->words[i]);
	port = rt_switch_make(sw, kind, name, strlen(name), &place, &why);
	if (!port) {
		reader->failed = rt_err_set(reader->err, why.code, "%s", why.msg);
		return;
	}
	eos_open(reader, line,
		 (struct eos_block){
			 .context = EOS_PORT,
			 .kind = kind,
			 .index = (size_t)(port - (kind == RT_SWITCH_PORT
							   ? sw->ports
							   : sw->templates)),
		 });
}

static void on_interface(struct eos_reader *reader, const struct eos_row *row,
			 const struct eos_line *line)
{
	const char *name = word_of(line, 0);

	(void)row;
	/* Others have no queues of their own. */
	if (strncmp(name, "Et", 2) == 0 || strncmp(name, "Port-Channel", 12) == 0)
		open_port(reader, line, RT_SWITCH_PORT);
	else
		eos_open(reader, line, (struct eos_block){ .context = EOS_OTHER });
}

static void on_profile(struct eos_reader *reader, const struct eos_row *row,
		       const struct eos_line *line)
{
	(void)row;
	open_port(reader, line, RT_SWITCH_TEMPLATE);
}

static void on_queue(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	struct eos_block block = *eos_block(reader);
	const struct rt_setting queue = number_at(reader, line, 0, RT_SWITCH_QUEUES - 1,
						  1);

	(void)row;
	block.context = rt_setting_known(&queue) ? EOS_QUEUE : EOS_OTHER;
	block.queue = (unsigned)queue.number;
	eos_open(reader, line, block);
}

static void on_other(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	(void)row;
	eos_open(reader, line, (struct eos_block){ .context = EOS_OTHER });
}

/* --- maps ------------------------------------------------------------------------- */

/* qos map WHAT n n n to TARGET m ...: index of "to"; 0: there is none. */
static unsigned find_to(const struct eos_line *line)
{
	for (unsigned i = 3; i + 2 < line->count; i++)
		if (strcmp(line->words[i], "to") == 0)
			return i;
	return 0;
}

static void tell_map(struct eos_reader *reader, const struct eos_line *line,
		     unsigned word)
{
	const struct rt_place place = eos_place(reader, line, word);

	rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
		       "'%.40s' does not fit qos map %.20s NUMBERS to ...",
		       line->words[word], line->words[2]);
}

/* 0-7 and 16,18-23: as a mask; false: it is no list of numbers below limit. */
static bool read_list(const char *word, unsigned limit, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	for (;;) {
		unsigned long low, high;
		char *end;

		word += strspn(word, ",");
		if (!*word)
			break;
		low = high = strtoul(word, &end, 10);
		if (!isdigit((unsigned char)*word))
			return false;
		if (*end == '-') {
			word = end + 1;
			high = strtoul(word, &end, 10);
			if (!isdigit((unsigned char)*word))
				return false;
		}
		if ((*end && *end != ',') || low > high || high >= limit)
			return false;
		for (unsigned long i = low; i <= high; i++)
			mask |= 1ull << i;
		word = end;
	}
	*ret_mask = mask;
	return true;
}

static void read_map(struct eos_reader *reader, const struct eos_line *line,
		     enum rt_switch_kind kind, unsigned numbers, unsigned targets)
{
	struct rt_switch_map *map = eos_map(reader, kind);
	const unsigned to = find_to(line);
	const char *literal;
	uint64_t target, mask;

	if (!map)
		return;
	if (!to ||
	    rt_unit_parse(RT_UNIT_COUNT, line->words[to + 2], &target, NULL) < 0 ||
	    target >= targets) {
		tell_map(reader, line, to ? to + 2 : line->count - 1);
		return;
	}
	literal = keep(reader, line->words[to + 2]);
	for (unsigned i = 3; i < to; i++) {
		if (!read_list(line->words[i], numbers, &mask)) {
			tell_map(reader, line, i);
			continue;
		}
		for (unsigned from = 0; from < numbers; from++)
			if (mask >> from & 1)
				map->to[from] = rt_switch_said(
					target, literal, eos_place(reader, line, i));
	}
}

/* Running-config prints numbers with blanks between; ranges and commas are typed. */
static void on_map(struct eos_reader *reader, const struct eos_row *row,
		   const struct eos_line *line)
{
	read_map(reader, line, (enum rt_switch_kind)row->value, (unsigned)row->most,
		 RT_SWITCH_PRIOS);
}

/* To a tx-queue it schedules; to dscp or cos it rewrites what leaves. */
static void on_map_class(struct eos_reader *reader, const struct eos_row *row,
			 const struct eos_line *line)
{
	const unsigned to = find_to(line);
	const char *target = to ? line->words[to + 1] : "";

	(void)row;
	if (strcmp(target, "tx-queue") == 0 || strcmp(target, "uc-tx-queue") == 0)
		read_map(reader, line, RT_SWITCH_TC_QUEUE, RT_SWITCH_PRIOS,
			 RT_SWITCH_QUEUES);
	else if (strcmp(target, "dscp") != 0 && strcmp(target, "cos") != 0 &&
		 strcmp(target, "mc-tx-queue") != 0 && strcmp(target, "exp") != 0)
		tell_map(reader, line, to ? to + 1 : line->count - 1);
}

/* --- the port ------------------------------------------------------------------------ */

static void on_description(struct eos_reader *reader, const struct eos_row *row,
			   const struct eos_line *line)
{
	char text[256] = "";
	size_t used = 0;

	(void)row;
	for (unsigned i = 1; i < line->count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i > 1 ? " " : "", line->words[i]);
	eos_port(reader)->description = rt_switch_said(0, keep(reader, text),
						       eos_place(reader, line, 1));
}

/* 200g-4, 100gfull, auto 25gfull, forced 10000full: what stands before the g. */
static void on_speed(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	const char *word = line->words[line->count - 1];
	char *end;
	unsigned long number;

	(void)row;
	errno = 0;
	number = strtoul(word, &end, 10);
	if (errno || end == word || number == 0 || number > 1000000)
		return; /* auto: what is negotiated is not written */
	if (*end == 'g')
		number *= 1000;
	eos_port(reader)->speed = rt_switch_said(
		number * 1000000ull, keep(reader, word),
		eos_place(reader, line, line->count - 1));
}

static void on_service_profile(struct eos_reader *reader, const struct eos_row *row,
			       const struct eos_line *line)
{
	(void)row;
	eos_port(reader)->profile = (struct rt_switch_ref){
		.name = keep(reader, word_of(line, 0)),
		.place = place_of(reader, line, 0),
	};
}

static void on_priority(struct eos_reader *reader, const struct eos_row *row,
			const struct eos_line *line)
{
	const struct rt_setting prio = number_at(reader, line, 0, RT_SWITCH_PRIOS - 1,
						 1);
	struct rt_setting *pfc = &eos_port(reader)->pfc;

	if (!rt_setting_known(&prio))
		return;
	if (pfc->state == RT_SETTING_UNSET)
		*pfc = rt_switch_said(0, "priority-flow-control priority", prio.place);
	pfc->number &= ~(1ull << prio.number);
	pfc->number |= row->value << prio.number;
}

/* --- the watchdog ------------------------------------------------------------------------ */

static void on_timer(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	struct rt_switch_watchdog *watchdog = &eos_port(reader)->watchdog;

	(void)row;
	watchdog->detect = seconds_at(reader, line, 0);
	watchdog->restore = seconds_at(reader, line, 2);
	if (strcmp(word_of(line, 1), "auto") == 0)
		watchdog->poll = rt_switch_literal("auto", place_of(reader, line, 1));
	else
		watchdog->poll = seconds_at(reader, line, 1);
}

/* --- one queue ------------------------------------------------------------------------------ */

/* The scheduler or ECN of a queue has no name in EOS: it gets the queue's. */
static void *queue_object(struct eos_reader *reader, const struct eos_line *line,
			  enum rt_switch_kind kind, struct rt_switch_ref *ref)
{
	const struct eos_block *block = eos_block(reader);
	const struct rt_place place = eos_place(reader, line, 0);
	struct rt_switch_object *object;
	struct rt_err why = { 0 };
	char name[220];
	int bytes;

	bytes = snprintf(name, sizeof(name), "%.160s tx-queue %u",
			 eos_port(reader)->id.name, block->queue);
	object = rt_switch_make(reader->sw, kind, name, (size_t)bytes, &place, &why);
	if (!object) {
		reader->failed = rt_err_set(reader->err, why.code, "%s", why.msg);
		return NULL;
	}
	ref->name = object->name;
	ref->place = place;
	return object;
}

static struct rt_switch_queue *queue_of(struct eos_reader *reader)
{
	return &eos_port(reader)->queues[eos_block(reader)->queue];
}

static struct rt_switch_sched *sched_of(struct eos_reader *reader,
					const struct eos_line *line)
{
	return queue_object(reader, line, RT_SWITCH_SCHED, &queue_of(reader)->sched);
}

static struct rt_switch_wred *wred_of(struct eos_reader *reader,
				      const struct eos_line *line)
{
	return queue_object(reader, line, RT_SWITCH_WRED, &queue_of(reader)->wred);
}

static void on_sched_type(struct eos_reader *reader, const struct eos_row *row,
			  const struct eos_line *line)
{
	struct rt_switch_sched *sched = sched_of(reader, line);

	if (sched)
		sched->type = rt_switch_said(row->value, "priority",
					     eos_place(reader, line, 0));
}

static void on_sched_number(struct eos_reader *reader, const struct eos_row *row,
			    const struct eos_line *line)
{
	struct rt_switch_sched *sched = sched_of(reader, line);

	if (sched)
		*(struct rt_setting *)((char *)sched + row->offset) = number_at(
			reader, line, 0, row->most, row->value);
}

/* A threshold in bytes; in cells or time it stays a literal. */
static struct rt_setting threshold_at(struct eos_reader *reader,
				      const struct eos_line *line, unsigned capture)
{
	static const struct {
		const char *unit;
		uint64_t scale; /* 0: it is not told how many bytes that is */
	} units[] = {
		{ "bytes", 1 },    { "kbytes", 1000 },    { "mbytes", 1000000 },
		{ "segments", 0 }, { "milliseconds", 0 }, { "microseconds", 0 },
	};
	const char *unit = word_of(line, capture + 1);
	const struct rt_place place = place_of(reader, line, capture + 1);
	struct rt_setting number = number_at(reader, line, capture, 1000000000000ull,
					     1);
	char literal[80];

	if (!rt_setting_known(&number))
		return number;
	snprintf(literal, sizeof(literal), "%.40s %.20s", word_of(line, capture), unit);
	number.text = keep(reader, literal);
	for (size_t i = 0; i < RT_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) != 0)
			continue;
		number.number *= units[i].scale;
		return units[i].scale ? number
				      : rt_switch_literal(number.text, number.place);
	}
	rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
		       "'%.20s' is no unit of a threshold", unit);
	return rt_setting_unknown;
}

/* What may stand behind the thresholds: a word and its number. */
static void read_options(struct eos_reader *reader, const struct eos_line *line,
			 struct rt_switch_wred *wred, struct rt_setting *pmax)
{
	unsigned at = line->captured[3] + 1;

	for (; at + 1 < line->count; at += 2) {
		struct eos_line shifted = { .count = line->count };

		shifted.words[0] = line->words[at + 1];
		shifted.columns[0] = line->columns[at + 1];
		shifted.number = line->number;
		if (strcmp(line->words[at], "max-mark-probability") == 0 ||
		    strcmp(line->words[at], "drop-probability") == 0)
			*pmax = number_at(reader, &shifted, 0, 100, RT_PPB / 100);
		else if (strcmp(line->words[at], "weight") == 0)
			wred->weight = number_at(reader, &shifted, 0, 15, 1);
		else
			break;
	}
	if (at < line->count) {
		const struct rt_place place = eos_place(reader, line, at);

		reader->sw->not_read++;
		rt_switch_tell(reader->complaints, RT_SWITCH_NOT_READ, &place,
			       "'%.40s' of random-detect is not known",
			       line->words[at]);
	}
}

static void on_ecn(struct eos_reader *reader, const struct eos_row *row,
		   const struct eos_line *line)
{
	struct rt_switch_wred *wred = wred_of(reader, line);
	struct rt_switch_wred_colour *green;

	(void)row;
	if (!wred)
		return;
	green = &wred->colour[RT_GREEN];
	wred->ecn = rt_switch_said(1u << RT_GREEN, "random-detect ecn",
				   eos_place(reader, line, 0));
	green->enable = rt_switch_implied(1, "random-detect");
	green->kmin = threshold_at(reader, line, 0);
	green->kmax = threshold_at(reader, line, 2);
	read_options(reader, line, wred, &green->pmax);
	rt_switch_default(&green->pmax, RT_PPB,
			  "EOS marks up to 100 % without max-mark-probability");
}

/* WRED without marks: of the drop precedence, which is the colour. */
static void on_drop_curve(struct eos_reader *reader, const struct eos_row *row,
			  const struct eos_line *line)
{
	struct rt_switch_wred *wred = wred_of(reader, line);
	struct rt_switch_wred_colour *colour;

	if (!wred)
		return;
	colour = &wred->colour[row->value];
	rt_switch_default(&wred->ecn, 0, "random-detect drop marks nothing");
	colour->enable = rt_switch_implied(1, "random-detect");
	colour->kmin = threshold_at(reader, line, 0);
	colour->kmax = threshold_at(reader, line, 2);
	read_options(reader, line, wred, &colour->pmax);
}

static void on_count(struct eos_reader *reader, const struct eos_row *row,
		     const struct eos_line *line)
{
	queue_of(reader)->counts = said_by(reader, line, row->value);
}

#define PFC      "priority-flow-control "
#define WATCHDOG PFC "pause watchdog "
#define CURVE    "minimum-threshold # $ maximum-threshold # $ *"

#define ROW(context_, pattern_, ...)                                           \
	{                                                                      \
		.contexts = EOS_##context_, .pattern = pattern_, ##__VA_ARGS__ \
	}
#define AT(owner, member, ...) .offset = offsetof(struct owner, member), ##__VA_ARGS__
#define SWITCH_VALUE(member, value_) \
	.handle = on_value, AT(rt_switch, member, .value = (value_))
#define PORT_VALUE(member, value_) \
	.handle = on_value, AT(rt_switch_port, member, .value = (value_))
#define SCHED(member, most_, scale_) \
	.handle = on_sched_number,   \
	AT(rt_switch_sched, member, .most = (most_), .value = (scale_))
#define SECONDS(owner, member) .handle = on_seconds, AT(owner, member)

const struct eos_row eos_rows[] = {
	ROW(TOP, "hostname $", .handle = on_word, AT(rt_switch, hostname)),
	ROW(TOP, "interface $ *", .handle = on_interface),
	ROW(TOP, "qos profile $", .handle = on_profile),
	ROW(TOP, "qos map dscp *", .handle = on_map, .value = RT_SWITCH_DSCP_TC,
	    .most = RT_SWITCH_DSCPS),
	ROW(TOP, "qos map cos *", .handle = on_map, .value = RT_SWITCH_PCP_TC,
	    .most = RT_SWITCH_PRIOS),
	ROW(TOP, "qos map traffic-class *", .handle = on_map_class),
	ROW(TOP, "qos map exp *"),
	ROW(TOP, "qos rewrite *"),
	ROW(TOP, "qos random-detect ecn allow non-ect *", SWITCH_VALUE(non_ect, 1)),
	ROW(TOP, PFC "all off", SWITCH_VALUE(pfc_off, 1)),
	ROW(TOP, "no " PFC "all off"),
	ROW(TOP, WATCHDOG "default timeout $", SECONDS(rt_switch, watchdog.detect)),
	ROW(TOP, WATCHDOG "default recovery-time $ *",
	    SECONDS(rt_switch, watchdog.restore)),
	ROW(TOP, WATCHDOG "default polling-interval $",
	    SECONDS(rt_switch, watchdog.poll)),
	ROW(TOP, WATCHDOG "action drop",
	    SWITCH_VALUE(watchdog.action, RT_WATCHDOG_DROP)),
	ROW(TOP, WATCHDOG "action no-drop",
	    SWITCH_VALUE(watchdog.action, RT_WATCHDOG_FORWARD)),
	ROW(TOP, WATCHDOG "action notify-only",
	    SWITCH_VALUE(watchdog.action, RT_WATCHDOG_ALERT)),
	ROW(TOP, WATCHDOG "action errdisable",
	    SWITCH_VALUE(watchdog.action, RT_WATCHDOG_ERRDISABLE)),
	ROW(TOP, "no " WATCHDOG "*"),
	ROW(TOP, "class-map type qos *", .handle = on_other),
	ROW(TOP, "policy-map type quality-of-service *", .handle = on_other),
	ROW(TOP, "policy-map type qos *", .handle = on_other),

	ROW(PORT, "qos trust dscp", PORT_VALUE(trust, RT_TRUST_DSCP)),
	ROW(PORT, "qos trust cos", PORT_VALUE(trust, RT_TRUST_PCP)),
	ROW(PORT, "no qos trust", PORT_VALUE(trust, RT_TRUST_PORT)),
	ROW(PORT, "qos cos #"),
	ROW(PORT, "qos dscp #"),
	ROW(PORT, "service-profile $", .handle = on_service_profile),
	ROW(PORT, "service-policy type qos input $", .handle = on_word,
	    AT(rt_switch_port, policy)),
	ROW(PORT, "service-policy type quality-of-service input $", .handle = on_word,
	    AT(rt_switch_port, policy)),
	ROW(PORT, PFC "on", PORT_VALUE(pfc_on, 1)),
	ROW(PORT, PFC "off", PORT_VALUE(pfc_on, 0)),
	ROW(PORT, PFC "mode on", PORT_VALUE(pfc_on, 1)),
	ROW(PORT, PFC "mode off", PORT_VALUE(pfc_on, 0)),
	ROW(PORT, "no " PFC "mode *"),
	ROW(PORT, PFC "priority # no-drop", .handle = on_priority, .value = 1),
	ROW(PORT, PFC "priority # drop", .handle = on_priority, .value = 0),
	ROW(PORT, "no " PFC "priority *"),
	ROW(PORT, "no priority-flow-control"),
	ROW(PORT, PFC "pause watchdog", PORT_VALUE(watchdog.on, 1)),
	ROW(PORT, "no " PFC "pause watchdog", PORT_VALUE(watchdog.on, 0)),
	ROW(PORT, "no " WATCHDOG "port *"),
	ROW(PORT, WATCHDOG "port action drop",
	    PORT_VALUE(watchdog.action, RT_WATCHDOG_DROP)),
	ROW(PORT, WATCHDOG "port action notify-only",
	    PORT_VALUE(watchdog.action, RT_WATCHDOG_ALERT)),
	ROW(PORT, WATCHDOG "port action errdisable",
	    PORT_VALUE(watchdog.action, RT_WATCHDOG_ERRDISABLE)),
	ROW(PORT, WATCHDOG "port timer timeout $ polling-interval $ recovery-time $ *",
	    on_timer),
	ROW(PORT, "dcbx mode $", .handle = on_word, AT(rt_switch_port, dcbx)),
	ROW(PORT, "no dcbx *"),
	ROW(PORT, "tx-queue #", .handle = on_queue),
	ROW(PORT, "uc-tx-queue #", .handle = on_queue),
	ROW(PORT, "mc-tx-queue #", .handle = on_other),
	ROW(PORT, "mtu #", .handle = on_number, AT(rt_switch_port, mtu, .most = 65535)),
	ROW(PORT, "speed *", .handle = on_speed),
	ROW(PORT, "description *", .handle = on_description),
	ROW(PORT, "shutdown", PORT_VALUE(enabled, 0)),
	ROW(PORT, "no shutdown", PORT_VALUE(enabled, 1)),
	ROW(PORT, "no switchport", PORT_VALUE(routed, 1)),
	ROW(PORT, "ip address *", PORT_VALUE(routed, 1)),
	ROW(PORT, "ipv6 address *", PORT_VALUE(routed, 1)),
	ROW(PORT, "switchport", PORT_VALUE(routed, 0)),
	ROW(PORT, "shape rate *"),
	ROW(PORT, "no shape rate"),

	ROW(QUEUE, "priority strict", .handle = on_sched_type,
	    .value = RT_SCHED_STRICT),
	ROW(QUEUE, "no priority", .handle = on_sched_type, .value = RT_SCHED_DWRR),
	ROW(QUEUE, "bandwidth percent #", SCHED(weight, 100, 1)),
	ROW(QUEUE, "bandwidth guaranteed percent #", SCHED(weight, 100, 1)),
	ROW(QUEUE, "no bandwidth *"),
	ROW(QUEUE, "shape rate # percent", SCHED(max_share, 100, RT_PPB / 100)),
	/* in kbit/s where no unit follows */
	ROW(QUEUE, "shape rate #", SCHED(max_rate, 10000000000ull, 1000)),
	ROW(QUEUE, "shape rate # kbps", SCHED(max_rate, 10000000000ull, 1000)),
	ROW(QUEUE, "no shape rate"),
	ROW(QUEUE, "random-detect ecn count", .handle = on_count, .value = 1),
	ROW(QUEUE, "random-detect ecn " CURVE, .handle = on_ecn),
	ROW(QUEUE, "random-detect drop drop-precedence 0 " CURVE,
	    .handle = on_drop_curve, .value = RT_GREEN),
	ROW(QUEUE, "random-detect drop drop-precedence 1 " CURVE,
	    .handle = on_drop_curve, .value = RT_YELLOW),
	ROW(QUEUE, "random-detect drop drop-precedence 2 " CURVE,
	    .handle = on_drop_curve, .value = RT_RED),
	ROW(QUEUE, "random-detect drop " CURVE, .handle = on_drop_curve,
	    .value = RT_GREEN),
	ROW(QUEUE, "no random-detect *"),
};

const size_t eos_row_count = RT_ARRAY_SIZE(eos_rows);
