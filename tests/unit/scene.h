/* SPDX-License-Identifier: BSD-2-Clause */
/* scene.h - ports as the sampler shows them, made by hand, and what is said of them. */
#ifndef RT_TESTS_SCENE_H
#define RT_TESTS_SCENE_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "watch/verdict.h"
#include "watch/watch.h"

#define SCENE_PORTS 8
#define SCENE_ITEMS 64
#define SCENE_SEC   INT64_C(1000000000)
#define SCENE_PORT  RT_COUNTER_NO_PRIO

struct scene {
	struct rt_watch_port ports[SCENE_PORTS];
	struct rt_counter_set sets[SCENE_PORTS];
	float per_s[SCENE_PORTS][SCENE_ITEMS];
	struct rt_watch_view views[SCENE_PORTS];
	size_t count;
	struct rt_watch_flows flows;
	int64_t time_ns;
};

/* A figure, by its place in struct rt_watch_figures. */
#define FIGURE(member_) offsetof(struct rt_watch_figures, member_)
#define PRIO_FIGURE(n_, name_)                      \
	(offsetof(struct rt_watch_figures, prios) + \
	 (n_) * sizeof(struct rt_watch_prio) + offsetof(struct rt_watch_prio, name_))

/* NaN: unknown. */
static inline void scene_figure(struct scene *scene, size_t port, size_t figure,
				double value)
{
	struct rt_opt_f64 *at = (void *)((char *)&scene->views[port].figures + figure);

	*at = isnan(value) ? (struct rt_opt_f64){ 0 } : RT_KNOWN_F64(value);
}

/* The rate of a counter that the port's set then has. */
static inline void scene_rate(struct scene *scene, size_t port, enum rt_counter_id id,
			      unsigned prio, double rate)
{
	struct rt_counter_set *set = &scene->sets[port];
	const struct rt_counter_reading reading = {
		.counter = id, .prio = (uint8_t)prio, .bits = 64, .scale = 1
	};
	float *rates = scene->per_s[port];
	size_t at = 0;

	while (at < set->count &&
	       (set->items[at].counter < id ||
		(set->items[at].counter == id && set->items[at].prio < prio)))
		at++;
	if (at == set->count || set->items[at].counter != id ||
	    set->items[at].prio != prio) {
		assert_true(set->count < SCENE_ITEMS);
		assert_int_equal(rt_counter_set_add(set, &reading), 0);
		memmove(&set->items[at + 1], &set->items[at],
			(set->count - at - 1) * sizeof(*set->items));
		memmove(&rates[at + 1], &rates[at],
			(set->count - at - 1) * sizeof(*rates));
		set->items[at] = reading;
	}
	rates[at] = (float)rate;
}

static inline size_t scene_port(struct scene *scene, const char *name, unsigned role,
				const char *peer)
{
	const size_t at = scene->count++;
	struct rt_watch_port *port = &scene->ports[at];

	assert_true(at < SCENE_PORTS);
	*port = (struct rt_watch_port){ .role = role,
					.state = RT_WATCH_UP,
					.speed_bps = RT_KNOWN_U64(100000000000),
					.lossless = RT_KNOWN_U64(1 << 3),
					.rdma_prios = RT_KNOWN_U64(1 << 3) };
	snprintf(port->name, sizeof(port->name), "%s", name);
	snprintf(port->peer, sizeof(port->peer), "%s", peer);
	scene->views[at] = (struct rt_watch_view){ .port = port,
						   .set = &scene->sets[at],
						   .per_s = scene->per_s[at] };
	return at;
}

/* All that a NIC of a healthy host tells, at 40 Gb/s in both directions. */
static inline size_t scene_nic(struct scene *scene, const char *name, const char *peer)
{
	static const size_t quiet[] = {
		FIGURE(paused_pct),
		FIGURE(pausing_pct),
		FIGURE(link_paused_pct),
		FIGURE(link_pausing_pct),
		FIGURE(ce_ps),
		FIGURE(cnp_tx_ps),
		FIGURE(cnp_rx_ps),
		FIGURE(slow_restart_cnps_ps),
		FIGURE(loss_events_ps),
		FIGURE(out_of_order_ps),
		FIGURE(naks_ps),
		FIGURE(timeouts_ps),
		FIGURE(rnr_ps),
		FIGURE(retry_exceeded_ps),
		FIGURE(discards_ps),
		FIGURE(lossless_discards_ps),
		FIGURE(out_of_buffer_ps),
		FIGURE(symbol_errors_ps),
		FIGURE(fec_uncorrectable_ps),
		FIGURE(crc_errors_ps),
		FIGURE(link_downs_ps),
		FIGURE(pcie_stalls_ps),
	};
	static const size_t busy[] = {
		FIGURE(rx_bps),      FIGURE(tx_bps),         FIGURE(rdma_rx_bps),
		FIGURE(rdma_tx_bps), PRIO_FIGURE(3, rx_bps), PRIO_FIGURE(3, tx_bps),
	};
	const size_t at = scene_port(scene, name, RT_WATCH_NIC, peer);

	for (unsigned prio = 0; prio < 8; prio++)
		for (size_t i = 0; i < sizeof(struct rt_watch_prio);
		     i += sizeof(struct rt_opt_f64))
			scene_figure(scene, at, PRIO_FIGURE(prio, paused_pct) + i, 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(quiet); i++)
		scene_figure(scene, at, quiet[i], 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(busy); i++)
		scene_figure(scene, at, busy[i], 40e9);
	scene_rate(scene, at, RT_COUNTER_NETDEV_RX_BYTES, SCENE_PORT, 0);
	scene_rate(scene, at, RT_COUNTER_NETDEV_TX_BYTES, SCENE_PORT, 0);
	return at;
}

/* And a switch's port, which knows of no losses but its own. */
static inline size_t scene_switch(struct scene *scene, const char *name,
				  const char *peer)
{
	static const size_t not_its[] = {
		FIGURE(ce_ps),       FIGURE(cnp_tx_ps),      FIGURE(cnp_rx_ps),
		FIGURE(naks_ps),     FIGURE(timeouts_ps),    FIGURE(out_of_order_ps),
		FIGURE(rnr_ps),      FIGURE(loss_events_ps), FIGURE(out_of_buffer_ps),
		FIGURE(rdma_rx_bps), FIGURE(rdma_tx_bps),
	};
	const size_t at = scene_nic(scene, name, peer);

	scene->ports[at].role = RT_WATCH_SWITCH;
	for (size_t i = 0; i < RT_ARRAY_SIZE(not_its); i++)
		scene_figure(scene, at, not_its[i], NAN);
	scene_figure(scene, at, FIGURE(marks_ps), 0);
	return at;
}

/* What is found is found without words, and with them it is the same. */
static inline void scene_explain(struct scene *scene, int64_t elapsed_ns)
{
	struct rt_watch_view *briefly = calloc(SCENE_PORTS, sizeof(*briefly));
	struct rt_findings found[SCENE_PORTS] = { { 0 } };

	assert_non_null(briefly);
	memcpy(briefly, scene->views, sizeof(scene->views));
	for (size_t i = 0; i < scene->count; i++)
		assert_int_equal(
			rt_findings_append(&found[i], &scene->views[i].findings), 0);
	assert_int_equal(rt_verdicts_explain(scene->views, scene->count, &scene->flows,
					     scene->time_ns, (uint64_t)elapsed_ns),
			 0);
	assert_memory_equal(briefly, scene->views, sizeof(scene->views));
	for (size_t i = 0; i < scene->count; i++)
		for (size_t j = 0; j < found[i].count; j++) {
			const struct rt_finding *brief = &found[i].items[j];
			struct rt_finding *told = &scene->views[i].findings.items[j];

			assert_string_equal(brief->evidence, "");
			assert_string_not_equal(told->evidence, "");
			assert_ptr_equal(brief->id, told->id);
			assert_string_equal(brief->where, told->where);
			assert_string_equal(brief->where, scene->ports[i].name);
			assert_int_equal(brief->severity, told->severity);
		}
	for (size_t i = 0; i < scene->count; i++)
		rt_findings_free(&found[i]);
	free(briefly);
}

/* A tick of so long. */
static inline void scene_tick(struct scene *scene, int64_t elapsed_ns)
{
	scene->time_ns += elapsed_ns;
	assert_int_equal(rt_verdicts(scene->views, scene->count, &scene->flows,
				     scene->time_ns, (uint64_t)elapsed_ns),
			 0);
	scene_explain(scene, elapsed_ns);
}

/* Ids of what was found, without "watch-", blanks between. */
static inline const char *scene_found(const struct scene *scene, size_t port,
				      char text[300])
{
	struct rt_line line = { text, 300, 0 };

	text[0] = '\0';
	for (size_t i = 0; i < scene->views[port].findings.count; i++)
		rt_line_put(&line, "%s%s", line.used ? " " : "",
			    scene->views[port].findings.items[i].id + strlen("watch-"));
	return text;
}

static inline void assert_found(struct scene *scene, size_t port, const char *found,
				enum rt_verdict verdict)
{
	char text[300];

	print_message("# %s: %s\n", scene->ports[port].name,
		      scene->views[port].findings.count
			      ? scene->views[port].findings.items[0].evidence
			      : "");
	assert_string_equal(scene_found(scene, port, text), found);
	assert_int_equal(scene->views[port].verdict, verdict);
}

static inline void scene_end(struct scene *scene)
{
	for (size_t i = 0; i < scene->count; i++) {
		rt_findings_free(&scene->views[i].findings);
		rt_counter_set_free(&scene->sets[i]);
	}
}

#endif
