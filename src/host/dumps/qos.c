/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qos.c - outputs that tell knobs: mlnx_qos, lldptool and niccli, the traffic class.
 * Elements that are not printed stay unknown.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "host/dumps/parts.h"

static void set(struct rt_dumping *to, enum rt_knob_id id, unsigned element,
		uint64_t number)
{
	rt_knob_set(&to->dump->qos, id, element, number);
}

static void skip(const char **at, const char *what)
{
	*at += strspn(*at, what);
}

/* --- mlnx_qos -------------------------------------------------------------------------- */

bool rt_dump_fits_mlnx_qos(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "Priority trust state:") ||
	       (rt_dump_has(block, "PFC configuration:") &&
		rt_dump_has(block, "dscp2prio mapping:"));
}

/* "prio:0 dscp:07,06,..." any number of times on one line; "..." is no DSCP. */
static void read_prio_dscps(struct rt_dumping *to, const char *line)
{
	const char *at = line;

	while ((at = rt_dump_after(at, "prio:"))) {
		const int prio = rt_dump_digit(&at, 8);

		skip(&at, " \t");
		if (prio < 0 || strncmp(at, "dscp:", 5) != 0)
			continue;
		at += 5;
		for (;;) {
			const int dscp = rt_dump_digit(&at, 64);

			if (dscp >= 0)
				set(to, RT_KNOB_DSCP_PRIO, (unsigned)dscp,
				    (uint64_t)prio);
			else if (*at != '.')
				break;
			if (!strchr(",.", *at) || !*at)
				break;
			skip(&at, ",.");
		}
	}
}

/* Eight numbers behind label, blanks or commas between. */
static bool eight(const char *line, const char *label, uint64_t numbers[8],
		  const char **ret_rest)
{
	const char *at = rt_dump_after(line, label);

	for (unsigned i = 0; i < 8; i++) {
		char *end;

		if (!at || !isdigit((unsigned char)*at))
			return false;
		numbers[i] = strtoull(at, &end, 10);
		at = end;
		skip(&at, ", \t");
	}
	*ret_rest = at;
	return true;
}

static void read_pfc(struct rt_dumping *to, const char *line)
{
	uint64_t numbers[8], mask = 0;
	const char *rest;

	if (eight(line, "enabled", numbers, &rest)) {
		for (unsigned i = 0; i < 8; i++)
			mask |= (uint64_t)(numbers[i] != 0) << i;
		set(to, RT_KNOB_PFC_MASK, 0, mask);
	} else if (strncmp(line + strspn(line, " \t"), "buffer", 6) == 0 &&
		   eight(line, "buffer", numbers, &rest)) {
		for (unsigned i = 0; i < 8; i++)
			if (numbers[i] < 8)
				set(to, RT_KNOB_PRIO_BUFFER, i, numbers[i]);
	}
}

static void read_buffers(struct rt_dumping *to, const char *line)
{
	uint64_t numbers[8], total;
	const char *rest, *max;

	if (!eight(line, "Receive buffer size (bytes):", numbers, &rest))
		return;
	for (unsigned i = 0; i < 8; i++)
		set(to, RT_KNOB_BUFFER_SIZE, i, numbers[i]);
	max = rt_dump_after(rest, "max_buffer_size=");
	if (max && rt_dump_number(max, &total))
		set(to, RT_KNOB_BUFFER_TOTAL, 0, total);
}

/* "tc: 0 ratelimit: unlimited, tsa: ets, bw: 9%": which class, or -1. */
static int read_tc(struct rt_dumping *to, const char *line)
{
	const char *at = rt_dump_after(line, "tc: ");
	const char *tsa = rt_dump_after(line, "tsa: "),
		   *bw = rt_dump_after(line, "bw: ");
	const char *rate = rt_dump_after(line, "ratelimit: ");
	int tc = at ? rt_dump_digit(&at, 8) : -1, percent;
	double gbps;

	if (tc < 0)
		return -1;
	if (tsa)
		for (const struct rt_name *name = rt_tsa_names; name->name; name++)
			if (strncmp(tsa, name->name, strlen(name->name)) == 0)
				set(to, RT_KNOB_ETS_TSA, (unsigned)tc, name->value);
	percent = bw ? rt_dump_digit(&bw, 101) : -1;
	if (percent >= 0 && *bw == '%')
		set(to, RT_KNOB_ETS_BW, (unsigned)tc, (uint64_t)percent);
	if (rate && strncmp(rate, "unlimited", 9) == 0)
		set(to, RT_KNOB_MAX_RATE, (unsigned)tc, 0);
	else if (rate && sscanf(rate, "%lf Gbps", &gbps) == 1 && gbps > 0 && gbps < 1e6)
		set(to, RT_KNOB_MAX_RATE, (unsigned)tc, (uint64_t)(gbps * 1e9 + 0.5));
	return tc;
}

static void read_mlnx_scalar(struct rt_dumping *to, const char *line)
{
	const char *mode = rt_dump_after(line, "DCBX mode:");
	const char *trust = rt_dump_after(line, "Priority trust state:");
	const char *cable = rt_dump_after(line, "Cable len:");
	const int metres = cable ? rt_dump_digit(&cable, 1000) : -1;

	if (mode)
		set(to, RT_KNOB_DCBX_OWNER, 0,
		    strncmp(mode, "OS", 2) == 0 ? RT_DCBX_HOST : RT_DCBX_FIRMWARE);
	if (trust && strncmp(trust, "dscp", 4) == 0)
		set(to, RT_KNOB_TRUST, 0, RT_TRUST_DSCP);
	else if (trust && strncmp(trust, "pcp", 3) == 0)
		set(to, RT_KNOB_TRUST, 0, RT_TRUST_PCP);
	if (metres >= 0)
		set(to, RT_KNOB_PFC_CABLE, 0, (uint64_t)metres * 1000);
}

void rt_dump_read_mlnx_qos(struct rt_dumping *to, const struct rt_dump_block *block)
{
	int tc = -1;

	for (size_t i = 0; i < block->count; i++) {
		const char *line = block->lines[i];
		const char *prios = rt_dump_after(line, "priority:");

		read_mlnx_scalar(to, line);
		read_prio_dscps(to, line);
		read_buffers(to, line);
		read_pfc(to, line);
		if (strncmp(line, "tc: ", 4) == 0) {
			tc = read_tc(to, line);
			continue;
		}
		while (prios && tc >= 0 && isdigit((unsigned char)*prios)) {
			const int prio = rt_dump_digit(&prios, 8);

			if (prio < 0)
				break;
			set(to, RT_KNOB_ETS_PRIO_TC, (unsigned)prio, (uint64_t)tc);
			skip(&prios, ", \t");
		}
	}
}

/* --- the traffic class ----------------------------------------------------------------- */

bool rt_dump_fits_tclass(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "Global tclass=");
}

void rt_dump_read_tclass(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		const char *at = rt_dump_after(block->lines[i], "Global tclass=");
		const int byte = at ? rt_dump_digit(&at, 256) : -1;

		if (byte >= 0)
			set(to, RT_KNOB_TCLASS, 0, (uint64_t)byte);
	}
}

/* --- 802.1Qaz in words: lldptool, niccli ----------------------------------------------- */

bool rt_dump_fits_tlv(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "IEEE 8021QAZ");
}

/* "0:ets 1:strict": words or numbers by index. */
static void read_map(struct rt_dumping *to, const char *at, enum rt_knob_id id)
{
	while (at && *at) {
		const int index = rt_dump_digit(&at, 8);
		const size_t bytes = strcspn(at + (*at == ':'), " \t");
		char word[16];
		const char *number = word;
		const struct rt_name *name;

		if (index < 0 || *at != ':' || bytes >= sizeof(word))
			return;
		snprintf(word, sizeof(word), "%.*s", (int)bytes, at + 1);
		name = rt_name_find(rt_tsa_names, word);
		if (id == RT_KNOB_ETS_TSA && name)
			set(to, id, (unsigned)index, name->value);
		else if (id != RT_KNOB_ETS_TSA && isdigit((unsigned char)*word)) {
			const int value = rt_dump_digit(&number, 8);

			if (value >= 0)
				set(to, id, (unsigned)index, (uint64_t)value);
		}
		at += 1 + bytes;
		skip(&at, " \t");
	}
}

static void read_bandwidth(struct rt_dumping *to, const char *at)
{
	for (unsigned i = 0; i < 8 && at && *at; i++) {
		const int percent = rt_dump_digit(&at, 101);

		if (percent < 0 || *at != '%')
			return;
		set(to, RT_KNOB_ETS_BW, i, (uint64_t)percent);
		skip(&at, "% \t");
	}
}

/* "3" is priority 3, "none" none; several are listed with blanks or commas. */
static void read_enabled(struct rt_dumping *to, const char *at)
{
	uint64_t mask = 0;

	if (strncmp(at, "none", 4) != 0)
		while (isdigit((unsigned char)*at)) {
			const int prio = rt_dump_digit(&at, 8);

			if (prio < 0)
				return;
			mask |= (uint64_t)1 << prio;
			skip(&at, ", \t");
		}
	set(to, RT_KNOB_PFC_MASK, 0, mask);
}

static void read_count(struct rt_dumping *to, const char *at, enum rt_knob_id id)
{
	const int count = at ? rt_dump_digit(&at, 9) : -1;

	if (count > 0)
		set(to, id, 0, (uint64_t)count);
}

/* An application entry is three lines; the last one tells what it is about. */
struct app {
	int priority, selector;
};

static void read_app(struct rt_dumping *to, const char *line, struct app *app)
{
	const char *priority = rt_dump_after(line, "Priority:");
	const char *selector = rt_dump_after(line, "Sel:");
	const char *dscp = rt_dump_after(line, "DSCP:");
	const char *udp = rt_dump_after(line, "UDP or DCCP:");
	int number;

	if (priority)
		*app = (struct app){ rt_dump_digit(&priority, 8), -1 };
	else if (selector)
		app->selector = rt_dump_digit(&selector, 8);
	if (app->priority < 0)
		return;
	number = dscp ? rt_dump_digit(&dscp, 64) : -1;
	if (number >= 0 && app->selector == 5)
		set(to, RT_KNOB_DSCP_PRIO, (unsigned)number, (uint64_t)app->priority);
	number = udp ? rt_dump_digit(&udp, 65536) : -1;
	if (number == 4791 && app->selector == 3)
		set(to, RT_KNOB_DATA_PRIO, 0, (uint64_t)app->priority);
}

void rt_dump_read_tlv(struct rt_dumping *to, const struct rt_dump_block *block)
{
	struct app app = { -1, -1 };
	bool in_ets = false;

	for (size_t i = 0; i < block->count; i++) {
		const char *line = block->lines[i];
		const char *enabled = rt_dump_after(line, "PFC enabled:");
		const char *willing = rt_dump_after(line, "Willing:");

		if (strstr(line, "TLV"))
			in_ets = strstr(line, "ETS Configuration") != NULL;
		read_map(to, rt_dump_after(line, "PRIO_MAP:"), RT_KNOB_ETS_PRIO_TC);
		read_map(to, rt_dump_after(line, "TSA_MAP:"), RT_KNOB_ETS_TSA);
		read_bandwidth(to, rt_dump_after(line, "TC Bandwidth:"));
		read_count(to, rt_dump_after(line, "MAX_TCS:"), RT_KNOB_ETS_CAP);
		read_count(to, rt_dump_after(line, "PFC capable traffic classes:"),
			   RT_KNOB_PFC_CAP);
		if (enabled)
			read_enabled(to, enabled);
		if (willing && in_ets)
			set(to, RT_KNOB_DCBX_WILLING, 0,
			    strncmp(willing, "yes", 3) == 0);
		read_app(to, line, &app);
	}
}

/* --- niccli's other tables ------------------------------------------------------------- */

bool rt_dump_fits_dscp2prio(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "dscp2prio mapping:") &&
	       rt_dump_has(block, "priority:");
}

void rt_dump_read_dscp2prio(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		const char *at = rt_dump_after(block->lines[i], "priority:");
		const int prio = at ? rt_dump_digit(&at, 8) : -1;
		int dscp;

		at = rt_dump_after(block->lines[i], "dscp:");
		dscp = at ? rt_dump_digit(&at, 64) : -1;
		if (prio >= 0 && dscp >= 0)
			set(to, RT_KNOB_DSCP_PRIO, (unsigned)dscp, (uint64_t)prio);
	}
}

bool rt_dump_fits_pri2cos(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "Priority   TC   Queue ID");
}

void rt_dump_read_pri2cos(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		unsigned prio, tc, queue;
		char text[16];

		if (sscanf(block->lines[i], "%u %u %u", &prio, &tc, &queue) != 3 ||
		    prio > 7 || tc > 7)
			continue;
		set(to, RT_KNOB_ETS_PRIO_TC, prio, tc);
		snprintf(to->where, sizeof(to->where), "priority %u", prio);
		snprintf(text, sizeof(text), "%u", queue);
		rt_dump_add(to, "Queue ID", text);
	}
}
