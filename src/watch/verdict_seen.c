/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_seen.c - who is whose peer, and what the network as a whole shows. */
#include "watch/verdict_seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* --- peers ------------------------------------------------------------------------------- */

/* Ports by their names: a table of twice as many places, tried one after the other. */
struct places {
	size_t *ports; /* owned; SIZE_MAX: free */
	size_t mask;
};

static size_t place_of(const struct places *places, const struct rt_watch_view *views,
		       const char *name)
{
	size_t at = rt_hash_bytes(name, strlen(name)) & places->mask;

	while (places->ports[at] != SIZE_MAX &&
	       strcmp(views[places->ports[at]].port->name, name) != 0)
		at = (at + 1) & places->mask;
	return at;
}

static int make_places(const struct rt_watch_view *views, size_t count,
		       struct places *places)
{
	size_t room = 2;

	while (room < 2 * count)
		room *= 2;
	places->mask = room - 1;
	places->ports = malloc(room * sizeof(*places->ports));
	if (!places->ports)
		return -ENOMEM;
	memset(places->ports, 0xff, room * sizeof(*places->ports));
	for (size_t i = 0; i < count; i++)
		places->ports[place_of(places, views, views[i].port->name)] = i;
	return 0;
}

static bool any_peer(const struct rt_watch_view *views, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*views[i].port->peer)
			return true;
	return false;
}

int rt_verdict_peers(const struct rt_watch_view *views, size_t count,
		     size_t **ret_peers)
{
	size_t *peers = malloc((count + 1) * sizeof(*peers));
	struct places places;

	if (!peers)
		return -ENOMEM;
	memset(peers, 0xff, (count + 1) * sizeof(*peers));
	*ret_peers = peers;
	if (!any_peer(views, count))
		return 0;
	if (make_places(views, count, &places) < 0) {
		free(peers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		if (*views[i].port->peer)
			peers[i] = places.ports[place_of(&places, views,
							 views[i].port->peer)];
	free(places.ports);
	return 0;
}

/* --- the network ------------------------------------------------------------------------- */

static void keep_worst(const struct rt_watch_view **kept, double *most,
		       const struct rt_watch_view *view, double how_much)
{
	if (how_much <= *most)
		return;
	*most = how_much;
	*kept = view;
}

/* A NIC that pauses its peer, told by either end: they are not read at one moment. */
static bool is_slow(const struct rt_watch_view *view, const struct rt_watch_view *peer)
{
	return rt_look_is_nic(view) &&
	       (rt_look_is_pausing(view) || (peer && rt_look_is_paused(peer)));
}

void rt_verdict_remember(struct rt_watch_view *views, size_t count, const size_t *peers,
			 struct rt_look_moment now)
{
	for (size_t i = 0; i < count; i++) {
		struct rt_watch_view *view = &views[i];
		const struct rt_watch_view *peer = peers[i] == SIZE_MAX
							   ? NULL
							   : &views[peers[i]];

		rt_look_note(&view->memory.linked,
			     rt_look_has_link(view) || rt_look_is_used(view), now);
		rt_look_note(&view->memory.notified,
			     rt_look_is_nic(view) &&
				     rt_look_or_0(rt_look_cnps(view)) > 0,
			     now);
		rt_look_note(&view->memory.slow, is_slow(view, peer), now);
		rt_look_note(&view->memory.lossy, rt_look_lossy_drops(view) > 0, now);
		rt_look_note(&view->memory.lost,
			     rt_look_above(view->figures.lossless_discards_ps, 0), now);
		rt_look_note(&view->memory.stopped,
			     rt_look_standstill(view, RT_LOOK_PAUSED) >= 0, now);
		rt_look_note(&view->memory.stopping,
			     rt_look_standstill(view, RT_LOOK_PAUSING) >= 0, now);
	}
}

/* How much of something there is; also above 0 when it only was a moment ago. */
static double how_much(const struct rt_watch_spell *spell, struct rt_look_moment now,
		       double rate)
{
	return rt_look_is_recent(spell, now) ? 1 + rate : 0;
}

static double how_slow(const struct rt_watch_view *nic,
		       const struct rt_watch_view *peer, struct rt_look_moment now)
{
	const double here = rt_look_pause(nic, RT_LOOK_PAUSING).pct;
	const double there = rt_look_pause(peer, RT_LOOK_PAUSED).pct;

	return how_much(&nic->memory.slow, now, here > there ? here : there);
}

/* A queue that is full though nobody stops it: what congestion begins with. */
static double how_congested(const struct rt_watch_view *port,
			    const struct rt_watch_view *peer, struct rt_look_moment now)
{
	if (rt_look_is_paused(port) || rt_look_is_recent(&peer->memory.slow, now))
		return 0;
	return rt_look_or_0(rt_look_marks(port)) + rt_look_lossy_drops(port);
}

/* It has not begun to count, or its peer knows that it sends next to nothing. */
static bool is_silent(const struct rt_watch_view *nic, const struct rt_watch_view *peer)
{
	return rt_look_extent(nic) == RT_LOOK_NOT_YET ||
	       (peer->figures.rx_bps.known && peer->figures.rx_bps.value < RT_IDLE_BPS);
}

struct worst {
	double slow, holding, congested, full, lossy, lost, overtaken, marked;
};

static void look_at(const struct rt_watch_view *view, const struct rt_watch_view *peer,
		    struct rt_look_moment now, struct worst *most,
		    struct rt_verdict_seen *seen)
{
	keep_worst(&seen->lossy, &most->lossy, view,
		   how_much(&view->memory.lossy, now, rt_look_lossy_drops(view)));
	keep_worst(&seen->lost, &most->lost, view,
		   how_much(&view->memory.lost, now,
			    rt_look_or_0(view->figures.lossless_discards_ps)));
	keep_worst(&seen->marked, &most->marked, view,
		   rt_look_or_0(rt_look_marks(view)));
	if (!rt_look_is_nic(view)) {
		keep_worst(&seen->holding, &most->holding, view,
			   rt_look_pause(view, RT_LOOK_PAUSING).pct);
		keep_worst(&seen->congested, &most->congested, view,
			   how_congested(view, peer, now));
		if (!rt_look_is_paused(view) &&
		    rt_look_above(view->figures.tx_pct, RT_FULL_PCT))
			keep_worst(&seen->full, &most->full, view,
				   view->figures.tx_pct.value);
		return;
	}
	keep_worst(&seen->slow, &most->slow, view, how_slow(view, peer, now));
	keep_worst(&seen->marked, &most->marked, view,
		   rt_look_or_0(rt_look_cnps(view)));
	if (rt_look_is_overtaken(view))
		keep_worst(&seen->overtaken, &most->overtaken, view,
			   view->figures.out_of_order_ps.value);
	seen->resends |= rt_look_resends(view);
	seen->told &= rt_look_resends(view) || rt_look_resends_nothing(view) ||
		      is_silent(view, peer);
}

void rt_verdict_look_around(const struct rt_watch_view *views, size_t count,
			    const size_t *peers, struct rt_look_moment now,
			    struct rt_verdict_seen *ret_seen)
{
	struct worst most = { 0 };

	*ret_seen = (struct rt_verdict_seen){ .told = true };
	for (size_t i = 0; i < count; i++)
		if (peers[i] != SIZE_MAX)
			look_at(&views[i], &views[peers[i]], now, &most, ret_seen);
	/* Without marks: the one with no room, if that is why others are held back. */
	if (!ret_seen->slow && ret_seen->holding && !ret_seen->congested)
		ret_seen->congested = ret_seen->full;
}
