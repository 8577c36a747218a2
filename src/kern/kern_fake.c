/* SPDX-License-Identifier: BSD-2-Clause */
/* kern_fake.c - the back end in shared memory: its faults, its ports. */
#include "kern/kern_fake.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/own.h"
#include "kern/fake_back.h"
#include "kern/fake_quirks.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* --- faults ---------------------------------------------------------------------------- */

static const struct rt_fake_fault *fault_at(const struct rt_fake *fake, unsigned write)
{
	for (size_t i = 0; i < RT_FAKE_FAULTS; i++)
		if (fake->faults[i].at == write)
			return &fake->faults[i];
	return NULL;
}

bool rt_fake_has(const struct rt_fake_attempt *attempt, enum rt_fake_fault_kind kind)
{
	return attempt->fault && attempt->fault->kind == kind;
}

static void die(const struct rt_fake_fault *fault)
{
	if (fault->too > 0)
		kill(fault->too, SIGKILL);
	kill(getpid(), SIGKILL);
	pause();
}

int rt_fake_begin(struct rt_fake *fake, struct rt_fake_attempt *ret, const char *fmt,
		  ...)
{
	va_list args;

	if (fake->writes < RT_FAKE_LOG) {
		va_start(args, fmt);
		vsnprintf(fake->log[fake->writes], sizeof(fake->log[0]), fmt, args);
		va_end(args);
	}
	*ret = (struct rt_fake_attempt){ fake, fault_at(fake, ++fake->writes) };
	if (rt_fake_has(ret, RT_FAKE_KILL_BEFORE))
		die(ret->fault);
	return rt_fake_has(ret, RT_FAKE_FAIL) ? ret->fault->code : 0;
}

void rt_fake_end(const struct rt_fake_attempt *attempt, bool changed)
{
	attempt->fake->effective += changed;
	if (rt_fake_has(attempt, RT_FAKE_KILL_AFTER))
		die(attempt->fault);
}

static void end_port(const struct rt_fake_attempt *attempt,
		     const struct rt_fake_port *port, const struct rt_fake_port *before)
{
	rt_fake_end(attempt, memcmp(port, before, sizeof(*port)) != 0);
}

/* --- ports ----------------------------------------------------------------------------- */

struct rt_fake_port *rt_fake_port_of(struct rt_fake *fake, const char *netdev)
{
	for (size_t i = 0; i < fake->port_count; i++)
		if (strcmp(fake->ports[i].link.name, netdev) == 0)
			return &fake->ports[i];
	return NULL;
}

/* -ENODEV, or -EOPNOTSUPP where has is false. */
static int find_port(struct rt_fake *fake, const char *netdev, const char *doing,
		     struct rt_fake_port **ret_port, struct rt_err *err)
{
	struct rt_fake_port *port = rt_fake_port_of(fake, netdev);

	if (!port)
		return rt_err_sys(err, -ENODEV, "%s: %s", netdev, doing);
	*ret_port = port;
	return 0;
}

static int lacks(const char *netdev, const char *doing, struct rt_err *err)
{
	return rt_err_sys(err, -EOPNOTSUPP, "%s: %s", netdev, doing);
}

static int refused(int code, const char *netdev, const char *doing, struct rt_err *err)
{
	return rt_err_sys(err, code, "%s: %s: the driver refused", netdev, doing);
}

static int add_link(struct rt_links *links, const struct rt_link *link)
{
	struct rt_link *grown = rt_grow(links->items, links->count, &links->capacity,
					sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	links->items = grown;
	grown[links->count++] = *link;
	return 0;
}

static int fake_links(struct rt_kern *kern, struct rt_links *ret_links,
		      struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);
	struct rt_links links = { 0 };
	int r = 0;

	for (size_t i = 0; i < fake->port_count && r == 0; i++)
		r = add_link(&links, &fake->ports[i].link);
	for (size_t i = 0; i < fake->link_count && r == 0; i++)
		r = add_link(&links, &fake->links[i]);
	if (r < 0) {
		rt_links_free(&links);
		return rt_err_sys(err, r, "links");
	}
	*ret_links = links;
	return 0;
}

static int fake_rdma_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			   struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);
	struct rt_rdma_ports ports = { 0 };

	ports.items = calloc(fake->port_count + 1, sizeof(*ports.items));
	if (!ports.items)
		return rt_err_sys(err, -ENOMEM, "ports");
	ports.capacity = fake->port_count + 1;
	for (size_t i = 0; i < fake->port_count; i++)
		if (*fake->ports[i].rdma.ibdev)
			ports.items[ports.count++] = fake->ports[i].rdma;
	*ret_ports = ports;
	return 0;
}

static int fake_rdma_use(struct rt_kern *kern, const char *ibdev,
			 struct rt_rdma_use *ret_use, struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);

	for (size_t i = 0; i < fake->port_count; i++)
		if (strcmp(fake->ports[i].rdma.ibdev, ibdev) == 0) {
			*ret_use = fake->ports[i].use;
			return 0;
		}
	return rt_err_set(err, -ENODEV, "%s: no such RDMA device", ibdev);
}

static int fake_eswitch_mode(struct rt_kern *kern, const char *pci, char *buf,
			     size_t capacity, struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);

	for (size_t i = 0; i < fake->port_count; i++)
		if (strcmp(fake->ports[i].pci, pci) == 0 && *fake->ports[i].eswitch) {
			snprintf(buf, capacity, "%s", fake->ports[i].eswitch);
			return 0;
		}
	return lacks(pci, "cannot read the mode of its switch", err);
}

static int fake_rdma_homes(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
			   struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);
	struct rt_rdma_homes homes = { .exclusive = true,
				       .partial = fake->homes_partial };

	if (fake->homes_code)
		return rt_err_sys(err, fake->homes_code, "network namespaces");
	homes.items = calloc(RT_FAKE_HOMES, sizeof(*homes.items));
	if (!homes.items)
		return rt_err_sys(err, -ENOMEM, "network namespaces");
	homes.count = fake->home_count;
	homes.capacity = RT_FAKE_HOMES;
	memcpy(homes.items, fake->homes, sizeof(fake->homes));
	*ret_homes = homes;
	return 0;
}

/* --- DCB ------------------------------------------------------------------------------- */

static int find_dcb(struct rt_fake *fake, const char *netdev, const char *doing,
		    struct rt_fake_port **ret_port, struct rt_err *err)
{
	int r = find_port(fake, netdev, doing, ret_port, err);

	return r == 0 && !(*ret_port)->dcb.has ? lacks(netdev, doing, err) : r;
}

static int fake_dcb_get(struct rt_kern *kern, const char *netdev,
			struct rt_dcb *ret_dcb, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_dcb(rt_fake_from(kern), netdev, "cannot read the DCB state", &port,
			 err);

	if (r == 0)
		rt_fake_show(port, ret_dcb);
	return r;
}

/* Counters, and how many there can be, are not set. */
static void take_part(struct rt_fake_port *port, unsigned part,
		      const struct rt_dcb_set *set)
{
	const uint8_t ets_cap = port->dcb.ets.cap;

	switch (part) {
	case RT_DCB_ETS:
		port->dcb.ets = set->ets;
		port->dcb.ets.cap = ets_cap;
		port->ets_set = true;
		break;
	case RT_DCB_MAXRATE:
		memcpy(port->dcb.maxrate_bps, set->maxrate_bps,
		       sizeof(set->maxrate_bps));
		break;
	case RT_DCB_PFC:
		port->dcb.pfc.mask = set->pfc.mask;
		port->dcb.pfc.mbc = set->pfc.mbc;
		port->dcb.pfc.delay = set->pfc.delay;
		port->pfc_set = true;
		break;
	case RT_DCB_BUFFER:
		memcpy(port->dcb.buffer.prio_buffer, set->buffer.prio_buffer, 8);
		memcpy(port->dcb.buffer.size_bytes, set->buffer.size_bytes,
		       sizeof(set->buffer.size_bytes));
		break;
	}
}

/* What is there is near what was asked for. */
static void bend_part(struct rt_fake_port *port, unsigned part)
{
	switch (part) {
	case RT_DCB_ETS: port->dcb.ets.prio_tc[0] ^= 1; break;
	case RT_DCB_MAXRATE: port->dcb.maxrate_bps[0] += 1000000000; break;
	case RT_DCB_PFC: port->dcb.pfc.mask ^= 0x80; break;
	case RT_DCB_BUFFER: port->dcb.buffer.size_bytes[0] += 256; break;
	}
}

/* In the kernel's order (dcbnl_ieee_set()). */
static const struct {
	unsigned part;
	const char *name;
} dcb_parts[] = {
	{ RT_DCB_ETS, "ETS" },
	{ RT_DCB_MAXRATE, "rate limits" },
	{ RT_DCB_PFC, "PFC" },
	{ RT_DCB_BUFFER, "buffers" },
};

/* Stops at the first that is refused; what was before it stays. */
static int set_parts(struct rt_fake *fake, struct rt_fake_port *port,
		     const struct rt_dcb_set *set, bool bend)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(dcb_parts); i++) {
		const unsigned part = dcb_parts[i].part;
		const struct rt_fake_port before = *port;
		int r;

		if (!(set->has & part & port->setters) || rt_fake_is_deaf(port, part))
			continue;
		r = rt_fake_may_set(port, part, set);
		if (r < 0)
			return r;
		take_part(port, part, set);
		rt_fake_after_set(fake, port, part, &before);
		if (bend)
			bend_part(port, part);
	}
	return 0;
}

static int fake_dcb_set(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_set *set, struct rt_err *err)
{
	static const char doing[] = "cannot set DCB";
	struct rt_fake_port *port, before;
	struct rt_fake_attempt attempt;
	char names[64] = "";
	int r = find_dcb(rt_fake_from(kern), netdev, doing, &port, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < RT_ARRAY_SIZE(dcb_parts); i++)
		if (set->has & dcb_parts[i].part) {
			strcat(names, " ");
			strcat(names, dcb_parts[i].name);
		}
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt, "%s%s", netdev, names);
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE))
		r = set_parts(rt_fake_from(kern), port, set,
			      rt_fake_has(&attempt, RT_FAKE_BEND));
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : r;
}

/* The core's own list (dcb_ieee_setapp(), dcb_ieee_delapp()). */
static int change_list(struct rt_dcb_apps *apps, const struct rt_dcb_app *app, bool add)
{
	size_t at = 0;

	while (at < apps->count && (apps->items[at].selector != app->selector ||
				    apps->items[at].priority != app->priority ||
				    apps->items[at].protocol != app->protocol))
		at++;
	if (add && at < apps->count)
		return -EEXIST;
	if (!add && at == apps->count)
		return -ENOENT;
	if (add && apps->count == RT_DCB_APP_MAX)
		return -ENOMEM;
	if (add)
		apps->items[apps->count++] = *app;
	else {
		apps->items[at] = apps->items[--apps->count];
		memset(&apps->items[apps->count], 0, sizeof(*apps->items));
	}
	return 0;
}

static int change_app(struct rt_kern *kern, const char *netdev,
		      const struct rt_dcb_app *app, bool add, struct rt_err *err)
{
	const char *doing = add ? "cannot add an APP entry"
				: "cannot delete an APP entry";
	struct rt_fake_port *port, before;
	struct rt_dcb_app taken = *app;
	struct rt_fake_attempt attempt;
	int r = find_dcb(rt_fake_from(kern), netdev, doing, &port, err);

	if (r < 0)
		return r;
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt, "%s APP %s %u/%u:%u", netdev,
			  add ? "add" : "delete", app->selector, app->protocol,
			  app->priority);
	if (rt_fake_has(&attempt, RT_FAKE_BEND))
		taken.priority ^= 1;
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE)) {
		if (port->setters & RT_DCB_APP)
			r = rt_fake_before_app(port, &taken, add);
		if (r == 0)
			r = change_list(&port->dcb.app, &taken, add);
		if (r == 0 && port->setters & RT_DCB_APP)
			r = rt_fake_after_app(port, add, &before);
	}
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : r;
}

static int fake_app_add(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_app *app, struct rt_err *err)
{
	return change_app(kern, netdev, app, true, err);
}

static int fake_app_delete(struct rt_kern *kern, const char *netdev,
			   const struct rt_dcb_app *app, struct rt_err *err)
{
	return change_app(kern, netdev, app, false, err);
}

static int fake_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
			 struct rt_err *err)
{
	static const char doing[] = "cannot set the DCBX mode";
	struct rt_fake_port *port, before;
	struct rt_fake_attempt attempt;
	int r = find_dcb(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !(port->setters & RT_DCB_DCBX))
		r = lacks(netdev, doing, err);
	if (r < 0)
		return r;
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt, "%s DCBX 0x%02x", netdev, mode);
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE)) {
		r = rt_fake_dcbx(port, mode);
		if (r >= 0)
			port->dcb.dcbx = (uint8_t)r;
		if (r >= 0 && rt_fake_has(&attempt, RT_FAKE_BEND))
			port->dcb.dcbx ^= RT_DCBX_MODE_STATIC;
	}
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : 0;
}

/* --- ethtool --------------------------------------------------------------------------- */

static int fake_ethtool_info(struct rt_kern *kern, const char *netdev,
			     struct rt_ethtool_info *ret_info, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, "cannot read driver and firmware",
			  &port, err);

	if (r == 0)
		*ret_info = port->info;
	return r;
}

static int fake_speed_get(struct rt_kern *kern, const char *netdev,
			  struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, "cannot read the speed", &port,
			  err);

	if (r == 0)
		*ret_bps = port->speed_bps;
	return r;
}

static int fake_pause_get(struct rt_kern *kern, const char *netdev,
			  struct rt_link_pause *ret_pause, struct rt_err *err)
{
	static const char doing[] = "cannot read pause";
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_pause)
		return lacks(netdev, doing, err);
	if (r == 0)
		*ret_pause = port->pause;
	return r;
}

static int fake_pause_set(struct rt_kern *kern, const char *netdev,
			  const struct rt_link_pause *pause_, struct rt_err *err)
{
	static const char doing[] = "cannot set pause";
	struct rt_fake_port *port, before;
	struct rt_fake_attempt attempt;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_pause)
		r = lacks(netdev, doing, err);
	if (r < 0)
		return r;
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt,
			  "%s pause rx %d tx %d autoneg %d", netdev, pause_->rx,
			  pause_->tx, pause_->autoneg);
	if (r == 0)
		r = rt_fake_may_pause(port);
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE)) {
		port->pause = *pause_;
		rt_fake_after_pause(port);
		if (rt_fake_has(&attempt, RT_FAKE_BEND))
			port->pause.rx = !port->pause.rx;
	}
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : 0;
}

static int fake_storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
			  struct rt_err *err)
{
	static const char doing[] = "cannot read pfc-prevention-tout";
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_storm)
		return lacks(netdev, doing, err);
	if (r == 0)
		*ret_ms = port->storm_ms;
	return r;
}

static int fake_storm_set(struct rt_kern *kern, const char *netdev, uint16_t ms,
			  struct rt_err *err)
{
	static const char doing[] = "cannot set pfc-prevention-tout";
	struct rt_fake_port *port, before;
	struct rt_fake_attempt attempt;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_storm)
		r = lacks(netdev, doing, err);
	if (r < 0)
		return r;
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt, "%s storm %u", netdev, ms);
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE))
		port->storm_ms = (uint16_t)(ms + rt_fake_has(&attempt, RT_FAKE_BEND));
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : 0;
}

static int fake_flags_get(struct rt_kern *kern, const char *netdev,
			  struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	static const char doing[] = "cannot read private flags";
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_flags)
		return lacks(netdev, doing, err);
	if (r == 0)
		*ret_flags = port->flags;
	return r;
}

/* The flag's bit; 0: none has the name. */
static uint64_t flag_bit(const struct rt_priv_flags *flags, const char *flag)
{
	for (size_t i = 0; i < flags->count; i++)
		if (strcmp(flags->name[i], flag) == 0)
			return UINT64_C(1) << i;
	return 0;
}

static int fake_flag_set(struct rt_kern *kern, const char *netdev, const char *flag,
			 bool on, struct rt_err *err)
{
	static const char doing[] = "cannot set a private flag";
	struct rt_fake_port *port, before;
	struct rt_fake_attempt attempt;
	uint64_t bit = 0;
	int r = find_port(rt_fake_from(kern), netdev, doing, &port, err);

	if (r == 0 && !port->has_flags)
		r = lacks(netdev, doing, err);
	if (r < 0)
		return r;
	before = *port;
	r = rt_fake_begin(rt_fake_from(kern), &attempt, "%s flag %.40s %s", netdev,
			  flag, on ? "on" : "off");
	if (r == 0) {
		bit = flag_bit(&port->flags, flag);
		r = bit ? rt_fake_may_flag(port, flag, on) : -EINVAL;
	}
	if (r == 0 && !rt_fake_has(&attempt, RT_FAKE_IGNORE)) {
		if (rt_fake_has(&attempt, RT_FAKE_BEND))
			on = !on;
		port->flags.value = on ? port->flags.value | bit
				       : port->flags.value & ~bit;
		rt_fake_after_flag(port, flag, on);
	}
	end_port(&attempt, port, &before);
	return r < 0 ? refused(r, netdev, doing, err) : 0;
}

/* --- statistics ------------------------------------------------------------------------ */

bool rt_fake_set_stat(struct rt_fake_stats *stats, const char *name, uint64_t value)
{
	size_t at = 0;

	while (at < stats->count && strcmp(stats->items[at].name, name) != 0)
		at++;
	if (at == RT_FAKE_STATS)
		return false;
	snprintf(stats->items[at].name, sizeof(stats->items[at].name), "%s", name);
	stats->items[at].value = value;
	if (at == stats->count)
		stats->count++;
	return true;
}

static int tell_stats(const struct rt_fake_stats *stats, const char *name,
		      struct rt_stats *ret_stats, struct rt_err *err)
{
	const int code = stats->code || stats->count ? stats->code : -EOPNOTSUPP;
	int r = code;

	rt_stats_begin(ret_stats);
	for (size_t i = 0; i < stats->count && r == 0; i++)
		r = rt_stats_add(ret_stats, stats->items[i].name,
				 sizeof(stats->items[i].name), stats->items[i].value);
	r = rt_stats_end(ret_stats, r);
	return r < 0 ? rt_err_sys(err, r, "%s: cannot read its statistics", name) : 0;
}

static int fake_ethtool_stats(struct rt_kern *kern, const char *netdev,
			      struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev, "cannot read its statistics",
			  &port, err);

	ret_stats->count = 0;
	return r < 0 ? r : tell_stats(&port->ethtool_stats, netdev, ret_stats, err);
}

static int fake_standard_stats(struct rt_kern *kern, const char *netdev,
			       struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev,
			  "cannot read its standard statistics", &port, err);

	rt_stats_begin(ret_stats);
	return r < 0 ? r : tell_stats(&port->standard_stats, netdev, ret_stats, err);
}

static int fake_qdisc_stats(struct rt_kern *kern, const char *netdev,
			    struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_fake_port *port;
	int r = find_port(rt_fake_from(kern), netdev,
			  "cannot read its queueing disciplines", &port, err);

	rt_stats_begin(ret_stats);
	return r < 0 ? r : tell_stats(&port->qdisc_stats, netdev, ret_stats, err);
}

static int fake_rdma_stats(struct rt_kern *kern, const char *ibdev, unsigned port,
			   struct rt_stats *ret_stats, struct rt_err *err)
{
	const struct rt_fake *fake = rt_fake_from(kern);

	ret_stats->count = 0;
	for (size_t i = 0; i < fake->port_count; i++)
		if (strcmp(fake->ports[i].rdma.ibdev, ibdev) == 0 &&
		    fake->ports[i].rdma.port == port)
			return tell_stats(&fake->ports[i].rdma_stats, ibdev, ret_stats,
					  err);
	return rt_err_set(err, -ENODEV, "%s/%u: no such RDMA port", ibdev, port);
}

/* --- opening --------------------------------------------------------------------------- */

static void fake_close(struct rt_kern *kern)
{
	struct rt_fake *fake = rt_fake_from(kern);

	rt_bundle_free(fake->tree);
	munmap(fake, sizeof(*fake));
}

static const struct rt_kern_ops fake_ops = {
	.name = "fake",
	.writable = true,
	.links = fake_links,
	.file_read = rt_fake_file_read,
	.file_write = rt_fake_file_write,
	.folder_read = rt_fake_folder_read,
	.symlink_read = rt_fake_symlink_read,
	.folder_make = rt_fake_folder_make,
	.folder_remove = rt_fake_folder_remove,
	.access = rt_fake_access,
	.dcb_get = fake_dcb_get,
	.dcb_set = fake_dcb_set,
	.dcb_app_add = fake_app_add,
	.dcb_app_delete = fake_app_delete,
	.dcbx_set = fake_dcbx_set,
	.ethtool_info = fake_ethtool_info,
	.speed_get = fake_speed_get,
	.pause_get = fake_pause_get,
	.pause_set = fake_pause_set,
	.storm_get = fake_storm_get,
	.storm_set = fake_storm_set,
	.priv_flags_get = fake_flags_get,
	.priv_flag_set = fake_flag_set,
	.rdma_ports = fake_rdma_ports,
	.rdma_use = fake_rdma_use,
	.ethtool_stats = fake_ethtool_stats,
	.standard_stats = fake_standard_stats,
	.rdma_stats = fake_rdma_stats,
	.qdisc_stats = fake_qdisc_stats,
	.eswitch_mode = fake_eswitch_mode,
	.rdma_homes = fake_rdma_homes,
	.close = fake_close,
};

int rt_fake_new(struct rt_fake **ret_fake, struct rt_err *err)
{
	struct rt_fake *fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (fake == MAP_FAILED)
		return rt_err_sys(err, -errno, "fake host");
	fake->kern.ops = &fake_ops;
	fake->tree = rt_bundle_new();
	if (!fake->tree) {
		munmap(fake, sizeof(*fake));
		return rt_err_sys(err, -ENOMEM, "fake host");
	}
	*ret_fake = fake;
	return 0;
}
