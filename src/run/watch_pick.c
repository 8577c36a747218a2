/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_pick.c - a source between a source and its reader, which keeps back the ports
 * that nobody asked for.
 */
#include "run/watch_pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "run/watch_want.h"
#include "watch/sample.h"
#include "watch/source.h"

#define NAMES_TOLD 8u

struct pick {
	struct rt_watch_source source; /* first */
	struct rt_watch_source_ops ops;
	struct rt_watch_source *from;           /* owned */
	const struct rt_watch_request *request; /* borrowed */
	struct rt_watch_sample all;
	size_t *places; /* owned: in all, by port that is handed over */
	size_t count, capacity;
	size_t seen; /* ports of all that were judged */
};

static struct pick *of(struct rt_watch_source *source)
{
	return (struct pick *)source;
}

/* What was handed over last lies in the reader's sample: it goes back, and forth. */
static void swap_ports(struct pick *pick, struct rt_watch_sample *sample)
{
	for (size_t i = 0; i < pick->count && i < sample->count; i++) {
		struct rt_watch_input *ours = &pick->all.items[pick->places[i]];
		const struct rt_watch_input kept = *ours;

		*ours = sample->items[i];
		sample->items[i] = kept;
	}
}

static void swap_flows(struct pick *pick, struct rt_watch_sample *sample)
{
	const struct rt_watch_flows kept = pick->all.flows;

	pick->all.flows = sample->flows;
	sample->flows = kept;
}

static int choose_ports(struct pick *pick, struct rt_watch_sample *sample)
{
	for (; pick->seen < pick->all.count; pick->seen++) {
		const struct rt_watch_port *port;
		size_t *grown;

		port = &pick->all.items[pick->seen].port;
		if (!rt_watch_wants(pick->request, port->name, port->netdev))
			continue;
		grown = rt_grow(pick->places, pick->count, &pick->capacity,
				sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		pick->places = grown;
		grown[pick->count++] = pick->seen;
	}
	while (sample->count < pick->count)
		if (!rt_watch_sample_add(sample))
			return -ENOMEM;
	return 0;
}

static int pick_sample(struct rt_watch_source *source, struct rt_watch_sample *sample,
		       struct rt_err *err)
{
	struct pick *pick = of(source);
	int r, chosen;

	swap_ports(pick, sample);
	swap_flows(pick, sample);
	r = pick->from->ops->sample(pick->from, &pick->all, err);
	chosen = choose_ports(pick, sample);
	swap_ports(pick, sample);
	swap_flows(pick, sample);
	if (r < 0)
		return r;
	if (chosen < 0)
		return rt_err_sys(err, chosen, "cannot hold the ports");
	sample->time_ns = pick->all.time_ns;
	sample->wall_ns = pick->all.wall_ns;
	return 0;
}

static int pick_next_ns(struct rt_watch_source *source, int64_t *ret_ns)
{
	return of(source)->from->ops->next_ns(of(source)->from, ret_ns);
}

static int pick_seek(struct rt_watch_source *source, int64_t time_ns,
		     struct rt_err *err)
{
	return of(source)->from->ops->seek(of(source)->from, time_ns, err);
}

static void pick_close(struct rt_watch_source *source)
{
	struct pick *pick = of(source);

	pick->from->ops->close(pick->from);
	rt_watch_sample_free(&pick->all);
	free(pick->places);
	free(pick);
}

/* --- opening ------------------------------------------------------------------------------ */

/* As far as it takes to find one: a recording may have its ports later. */
static int find_any(struct pick *pick, struct rt_err *err)
{
	const struct rt_watch_source_ops *ops = pick->from->ops;
	struct rt_watch_sample none = { 0 };
	int64_t first_ns;
	int r;

	if (ops->next_ns(pick->from, &first_ns) < 0)
		return 0; /* it is empty, which is told by reading it */
	do {
		r = ops->sample(pick->from, &pick->all, NULL);
		if (r != -ENODATA && r != -ENOMEM)
			r = choose_ports(pick, &none);
		/* A demonstration has no end, and all of its ports from the first on. */
	} while (r == 0 && !pick->count && !pick->request->demo);
	rt_watch_sample_free(&none);
	if (r < 0 && r != -ENODATA)
		return rt_err_sys(err, r, "cannot hold the ports");
	return ops->seek(pick->from, first_ns, err);
}

static int none_is_left(const struct pick *pick, struct rt_err *err)
{
	char names[160] = "";
	struct rt_line line = { names, sizeof(names), 0 };

	for (size_t i = 0; i < pick->all.count && i < NAMES_TOLD; i++)
		rt_line_put(&line, "%s%s", i ? ", " : "", pick->all.items[i].port.name);
	if (pick->all.count > NAMES_TOLD)
		rt_line_put(&line, " and %zu more", pick->all.count - NAMES_TOLD);
	return rt_err_set(err, -ENODEV,
			  "%.120s: no port is left by what was said to be watched and "
			  "excluded; there are %s",
			  pick->from->title, names);
}

static bool asks_for_all(const struct rt_watch_request *request)
{
	return !(request->ports && *request->ports) &&
	       !(request->exclude && *request->exclude);
}

int rt_watch_pick_open(struct rt_watch_source *source,
		       const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err)
{
	struct pick *pick;
	int r;

	if (asks_for_all(request)) {
		*ret_source = source;
		return 0;
	}
	pick = calloc(1, sizeof(*pick));
	if (!pick) {
		source->ops->close(source);
		return rt_err_sys(err, -ENOMEM, "cannot watch");
	}
	pick->from = source;
	pick->request = request;
	/* It is what the source is, and can what that can. */
	pick->ops = (struct rt_watch_source_ops){
		.name = source->ops->name,
		.help = source->ops->help,
		.sample = pick_sample,
		.next_ns = source->ops->next_ns ? pick_next_ns : NULL,
		.seek = source->ops->seek ? pick_seek : NULL,
		.close = pick_close,
	};
	pick->source.ops = &pick->ops;
	memcpy(pick->source.title, source->title, sizeof(pick->source.title));
	r = find_any(pick, err);
	if (r == 0 && pick->all.count && !pick->count)
		r = none_is_left(pick, err);
	if (r < 0) {
		pick_close(&pick->source);
		return r;
	}
	*ret_source = &pick->source;
	return 0;
}
