/* SPDX-License-Identifier: BSD-2-Clause */
/* switches.h - what tests ask a switch configuration, and its answers as text. */
#ifndef RT_TESTS_SWITCHES_H
#define RT_TESTS_SWITCHES_H

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/params.h"
#include "model/switch_build.h"
#include "nos/nos.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

/* A question about a port (NULL: about the switch) and a number. */
enum ask {
	ASK_TC_OF_DSCP,
	ASK_DSCPS_OF_TC,
	ASK_QUEUE_OF_TC,
	ASK_GROUP_OF_TC,
	ASK_WRED,    /* of a queue */
	ASK_SCHED,   /* of a queue */
	ASK_BUFFER,  /* of a priority group */
	ASK_PFC,     /* tx/rx */
	ASK_WATCHED, /* priorities */
	ASK_WATCHDOG,
	ASK_LINK, /* speed, MTU, cable */
	ASK_TRUST,
	ASK_LOSSLESS,  /* of a DSCP */
	ASK_PFC_PORTS, /* how many ports have the mask */
	ASK_PORTS,
	ASK_POOL,     /* by name in port */
	ASK_PROFILE,  /* a buffer profile by name in port */
	ASK_GLOBAL,   /* of the whole switch */
	ASK_PFC_LIST, /* what a template lists, and whether it is on */
	ASK_PFC_OFF,
	ASK_DEFAULT_WATCHDOG,
	ASK_COMPLAINTS, /* of the kind */
};

struct truth {
	const char *port;
	enum ask ask;
	unsigned number;
	const char *is;
};

/* A setting in its unit; an effective default has a star, an unknown is "?". */
static inline const char *say(const struct rt_setting *setting, enum rt_unit unit,
			      char buf[RT_UNIT_TEXT_BYTES + 2])
{
	char number[RT_UNIT_TEXT_BYTES];

	if (!rt_setting_known(setting))
		snprintf(buf, RT_UNIT_TEXT_BYTES + 2, "%.30s",
			 setting->text ? setting->text : "?");
	else
		snprintf(buf, RT_UNIT_TEXT_BYTES + 2, "%s%s",
			 rt_unit_format_exact(unit, setting->number, number),
			 setting->state == RT_SETTING_AUTO ? "*" : "");
	return buf;
}
#define SAY(setting, unit) \
	say(&(setting), RT_UNIT_##unit, (char[RT_UNIT_TEXT_BYTES + 2]){ 0 })
#define SAY_MASK(mask) rt_switch_mask_text(&(mask), (char[RT_SWITCH_MASK_BYTES]){ 0 })

static inline const char *said_name(const struct rt_name *names,
				    const struct rt_setting *setting)
{
	return rt_setting_known(setting) ? rt_name_of(names, (unsigned)setting->number)
					 : "?";
}

static inline void answer_queue(const struct truth *truth,
				const struct rt_switch_port *port, char *buf,
				size_t bytes)
{
	const struct rt_switch_queue *queue = &port->queues[truth->number];
	const struct rt_switch_wred *wred = queue->wred.object;
	const struct rt_switch_sched *sched = queue->sched.object;

	if (truth->ask == ASK_WRED && wred)
		snprintf(buf, bytes, "%s ecn %s %s %s %s", wred->id.name,
			 SAY_MASK(wred->ecn), SAY(wred->colour[RT_GREEN].kmin, NONE),
			 SAY(wred->colour[RT_GREEN].kmax, NONE),
			 SAY(wred->colour[RT_GREEN].pmax, PCT));
	else if (truth->ask == ASK_SCHED && sched)
		snprintf(buf, bytes, "%s %s",
			 said_name(rt_switch_sched_names, &sched->type),
			 SAY(sched->weight, COUNT));
}

static inline void answer_buffer(const struct rt_switch_buffer *buffer, char *buf,
				 size_t bytes)
{
	if (buffer)
		snprintf(buf, bytes, "%s size %s xon %s xoff %s alpha %s",
			 buffer->id.name, SAY(buffer->size, NONE),
			 SAY(buffer->xon, NONE), SAY(buffer->xoff, NONE),
			 SAY(buffer->alpha, RATIO));
}

static inline void answer_port(const struct rt_switch *sw, const struct truth *truth,
			       const struct rt_switch_port *port, char *buf,
			       size_t bytes)
{
	const unsigned number = truth->number;
	struct rt_switch_path path;
	struct rt_setting dscps;

	switch (truth->ask) {
	case ASK_TC_OF_DSCP:
		snprintf(buf, bytes, "%s",
			 SAY(*rt_switch_dscp_to_tc(sw, port, number), NONE));
		break;
	case ASK_DSCPS_OF_TC:
		dscps = rt_switch_implied(rt_switch_dscps_of_tc(sw, port, number), "");
		snprintf(buf, bytes, "%s", SAY_MASK(dscps));
		break;
	case ASK_QUEUE_OF_TC:
		snprintf(buf, bytes, "%s",
			 SAY(*rt_switch_mapped(sw, port, RT_SWITCH_TC_QUEUE, number),
			     NONE));
		break;
	case ASK_GROUP_OF_TC:
		snprintf(buf, bytes, "%s",
			 SAY(*rt_switch_mapped(sw, port, RT_SWITCH_TC_PG, number),
			     NONE));
		break;
	case ASK_WRED:
	case ASK_SCHED: answer_queue(truth, port, buf, bytes); break;
	case ASK_BUFFER:
		answer_buffer(port->groups[number].buffer.object, buf, bytes);
		if (!*buf && port->groups[number].unnamed.text)
			snprintf(buf, bytes, "%s", port->groups[number].unnamed.text);
		break;
	case ASK_PFC:
		snprintf(buf, bytes, "%s/%s", SAY_MASK(port->pfc_tx),
			 SAY_MASK(port->pfc_rx));
		break;
	case ASK_WATCHED:
		snprintf(buf, bytes, "%s", SAY_MASK(port->watchdog_prios));
		break;
	case ASK_WATCHDOG:
		snprintf(buf, bytes, "%s detect %s restore %s poll %s action %" PRIu64,
			 SAY(port->watchdog.on, NONE), SAY(port->watchdog.detect, NS),
			 SAY(port->watchdog.restore, NS), SAY(port->watchdog.poll, NS),
			 port->watchdog.action.number);
		break;
	case ASK_LINK:
		snprintf(buf, bytes, "%s %s %s", SAY(port->speed, BPS),
			 SAY(port->mtu, NONE), SAY(port->cable, LENGTH));
		break;
	case ASK_PFC_LIST:
		snprintf(buf, bytes, "%s on %s", SAY_MASK(port->pfc),
			 SAY(port->pfc_on, NONE));
		break;
	case ASK_TRUST: snprintf(buf, bytes, "%s", SAY(port->trust, NONE)); break;
	case ASK_LOSSLESS:
		rt_switch_path_of_dscp(sw, port, number, &path);
		snprintf(buf, bytes, "%s",
			 rt_name_of(rt_switch_lossless_names, path.lossless));
		break;
	default: break;
	}
}

static inline void answer_switch(const struct rt_switch *sw, const struct truth *truth,
				 char *buf, size_t bytes)
{
	unsigned count = 0;
	const char *name = truth->port ? truth->port : "";
	const struct rt_switch_pool *pool;

	switch (truth->ask) {
	case ASK_PFC_PORTS:
		for (size_t i = 0; i < sw->port_count; i++)
			count += rt_setting_known(&sw->ports[i].pfc_tx) &&
				 sw->ports[i].pfc_tx.number == truth->number;
		snprintf(buf, bytes, "%u", count);
		break;
	case ASK_PORTS: snprintf(buf, bytes, "%zu", sw->port_count); break;
	case ASK_POOL:
		pool = rt_switch_object(sw, RT_SWITCH_POOL, name, strlen(name));
		if (pool)
			snprintf(buf, bytes, "size %s xoff %s", SAY(pool->size, NONE),
				 SAY(pool->xoff, NONE));
		break;
	case ASK_PROFILE:
		answer_buffer(
			rt_switch_object(sw, RT_SWITCH_BUFFER, name, strlen(name)), buf,
			bytes);
		break;
	case ASK_GLOBAL:
		snprintf(buf, bytes, "%s dscp %s poll %s oversubscription %s",
			 sw->hostname.text ? sw->hostname.text : "?",
			 sw->global_dscp.name ? sw->global_dscp.name : "?",
			 SAY(sw->watchdog.poll, NS), SAY(sw->oversubscription, RATIO));
		break;
	case ASK_PFC_OFF: snprintf(buf, bytes, "%s", SAY(sw->pfc_off, NONE)); break;
	case ASK_DEFAULT_WATCHDOG:
		snprintf(buf, bytes, "detect %s restore %s poll %s action %" PRIu64,
			 SAY(sw->watchdog.detect, NS), SAY(sw->watchdog.restore, NS),
			 SAY(sw->watchdog.poll, NS), sw->watchdog.action.number);
		break;
	default: break;
	}
}

/* What the switch says to the question; "-" when it has nothing of the kind. */
static inline void answer(const struct rt_switch *sw, const struct truth *truth,
			  const struct rt_findings *complaints, char *buf, size_t bytes)
{
	const struct rt_switch_port *port = NULL;
	unsigned count = 0;

	*buf = '\0';
	if (truth->ask == ASK_COMPLAINTS) {
		for (size_t i = 0; i < complaints->count; i++)
			count += complaints->items[i].id ==
				 rt_switch_reader_rules[truth->number].id;
		snprintf(buf, bytes, "%u", count);
		return;
	}
	if (truth->port)
		port = rt_switch_port_find(sw, truth->port);
	if (!port && truth->port) /* a template is asked the same way */
		port = rt_switch_object(sw, RT_SWITCH_TEMPLATE, truth->port,
					strlen(truth->port));
	if (port)
		answer_port(sw, truth, port, buf, bytes);
	else
		answer_switch(sw, truth, buf, bytes);
	if (!*buf)
		snprintf(buf, bytes, "-");
}

static inline struct rt_switch *read_shared(const char *file, const char *headroom,
					    struct rt_findings *complaints)
{
	char path[300], table[300];
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };
	int r;

	snprintf(path, sizeof(path), "%s/switch-configs/%s", rt_test_shared(), file);
	snprintf(table, sizeof(table), "%s/switch-configs/%s", rt_test_shared(),
		 headroom ? headroom : "");
	RT_NEED_SHARED(path);
	r = rt_nos_read(NULL, path, headroom ? table : NULL, complaints, &sw, &err);
	if (r < 0)
		print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	return sw;
}

/* One test: all truths about one file. */
static inline void hold_truths(const char *file, const char *headroom,
			       const struct truth *truths, size_t count)
{
	struct rt_findings complaints = { 0 };
	struct rt_switch *sw = read_shared(file, headroom, &complaints);
	unsigned wrong = 0;

	for (size_t i = 0; i < count; i++) {
		char is[400];

		answer(sw, &truths[i], &complaints, is, sizeof(is));
		if (strcmp(is, truths[i].is) == 0)
			continue;
		wrong++;
		print_message("# %s, row %zu (%s, %u): '%s' is not '%s'\n", file, i,
			      truths[i].port ? truths[i].port : "switch",
			      truths[i].number, is, truths[i].is);
	}
	rt_findings_free(&complaints);
	rt_switch_free(sw);
	assert_int_equal(wrong, 0);
}

#endif
