/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_host.c - samples of a host: which ports, when each source is read, what is gone. */
#include "run/watch_host.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/own.h"
#include "host/counters.h"
#include "host/device.h"
#include "host/elsewhere.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "watch/sample.h"
#include "watch/source.h"

#define LOOK_NS      5000000000ll  /* between looks at what ports there are */
#define LOOK_SOON_NS 500000000ll   /* after something was seen to change */
#define SCAN_NS      30000000000ll /* all of them anew, though nothing was seen */
/* Reading a source takes at most a tenth of the time: that is the whole policy. */
#define SLOWER       10u

struct host_port {
	struct rt_device device;
	struct rt_counter_port *counters; /* NULL: it is gone */
	struct rt_watch_port facts;
	int changes_fd; /* carrier_changes; -1: none */
	uint64_t changes;
	uint64_t cost_ns[RT_SOURCE_COUNT];  /* of the last reading; 0: none yet */
	uint64_t usual_ns[RT_SOURCE_COUNT]; /* the lesser of the last two */
	unsigned noted;                     /* what the note is about, as bits */
	bool seen;                          /* by this scan */
	bool told;                          /* its facts are in the sample */
};

struct host {
	struct rt_watch_source source; /* first */
	struct rt_kern *kern;          /* owned */
	char **ports, **exclude;       /* owned; end with NULL; NULL: none said */
	struct host_port **items;      /* owned, and stay where they are */
	size_t count, capacity;
	int64_t looked_ns, scanned_ns; /* when that was last */
	uint64_t print;                /* of what ports there are, by their names */
	int64_t sampled_ns;            /* the last sample; 0: none */
	bool changed;                  /* ports are to be looked for soon */
};

static struct host *host_of(struct rt_watch_source *source)
{
	return (struct host *)source;
}

/* --- which ports ------------------------------------------------------------------------- */

static bool matches(char *const *patterns, const struct rt_device *device)
{
	char name[sizeof(device->ibdev) + 16];

	snprintf(name, sizeof(name), "%s/%u", device->ibdev, device->port);
	for (; *patterns; patterns++)
		if ((*device->ibdev && (fnmatch(*patterns, name, 0) == 0 ||
					fnmatch(*patterns, device->ibdev, 0) == 0)) ||
		    (*device->netdev && fnmatch(*patterns, device->netdev, 0) == 0) ||
		    (*device->pci && fnmatch(*patterns, device->pci, 0) == 0))
			return true;
	return false;
}

static bool is_wanted(const struct host *host, const struct rt_device *device)
{
	if (host->exclude && matches(host->exclude, device))
		return false;
	if (host->ports)
		return matches(host->ports, device);
	return device->link_layer != RT_LAYER_INFINIBAND;
}

/* RDMA ports, or network devices where there is none at all. */
static int find_devices(struct rt_kern *kern, struct rt_devices *ret_devices,
			struct rt_err *err)
{
	struct rt_err why = { 0 };
	int r = rt_devices_read(kern, 0, ret_devices, &why);

	if (r == 0 && ret_devices->count)
		return 0;
	if (r == 0)
		rt_devices_free(ret_devices);
	if (r < 0 && r != -EOPNOTSUPP)
		return rt_err_set(err, r, "%s", why.msg);
	r = rt_counters_netdevs(kern, ret_devices, err);
	/* A tree that somebody copied tells no links. */
	if (r == -EOPNOTSUPP || r == -ENOENT) {
		*ret_devices = (struct rt_devices){ 0 };
		r = 0;
	}
	return r;
}

static bool is_same(const struct rt_device *a, const struct rt_device *b)
{
	return strcmp(a->netdev, b->netdev) == 0 && a->ifindex == b->ifindex &&
	       strcmp(a->bond, b->bond) == 0 && strcmp(a->slaves, b->slaves) == 0 &&
	       a->driver == b->driver && a->function == b->function;
}

/* --- a port ------------------------------------------------------------------------------ */

static void shut_port(struct host_port *port)
{
	rt_counter_port_close(port->counters);
	port->counters = NULL;
	if (port->changes_fd >= 0)
		close(port->changes_fd);
	port->changes_fd = -1;
}

static void lose_port(struct host_port *port)
{
	shut_port(port);
	port->facts.state = RT_WATCH_GONE;
	port->facts.note[0] = '\0';
	port->noted = 0;
	port->told = false;
}

static bool read_changes(const struct host_port *port, uint64_t *ret_changes)
{
	char text[24] = "";

	if (port->changes_fd < 0 ||
	    pread(port->changes_fd, text, sizeof(text) - 1, 0) <= 0)
		return false;
	*ret_changes = strtoull(text, NULL, 10);
	return true;
}

static int open_port(struct host *host, struct host_port *port, struct rt_err *err)
{
	char path[80];
	int r = rt_counter_port_open(host->kern, &port->device, &port->counters, err);

	if (r < 0)
		return r;
	memset(port->cost_ns, 0, sizeof(port->cost_ns));
	memset(port->usual_ns, 0, sizeof(port->usual_ns));
	if (*port->device.netdev) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/carrier_changes",
			 port->device.netdev);
		port->changes_fd = rt_kern_file_open(host->kern, path, NULL);
	}
	if (!read_changes(port, &port->changes))
		port->changes = 0;
	return 0;
}

/* What is known of it now; opened when it is new, or another one than before. */
static int renew_port(struct host *host, struct host_port *port,
		      const struct rt_device *device, struct rt_err *err)
{
	const bool same = port->counters && is_same(&port->device, device);
	int r = 0;

	port->seen = true;
	port->told = false;
	if (!same)
		shut_port(port);
	port->device = *device;
	if (!same)
		r = open_port(host, port, err);
	if (r == 0 && rt_watch_host_facts(host->kern, device, &port->facts) < 0)
		r = rt_err_sys(err, -ENOMEM, "%s", port->facts.name);
	return r;
}

static int add_port(struct host *host, const struct rt_device *device,
		    struct rt_err *err)
{
	struct host_port **grown, *port;
	int r;

	if (host->count == RT_WATCH_MAX_PORTS)
		return 0;
	grown = rt_grow(host->items, host->count, &host->capacity, sizeof(*grown));
	port = grown ? calloc(1, sizeof(*port)) : NULL;
	if (grown)
		host->items = grown;
	if (!port)
		return rt_err_sys(err, -ENOMEM, "cannot hold the ports");
	port->changes_fd = -1;
	host->items[host->count++] = port;
	r = renew_port(host, port, device, err);
	if (r == 0 && *device->ibdev)
		r = rt_watch_host_address(host->kern, device, &port->facts, err);
	return r;
}

static struct host_port *find_port(struct host *host, const struct rt_device *device)
{
	for (size_t i = 0; i < host->count; i++) {
		struct host_port *port = host->items[i];

		if (port->device.port == device->port &&
		    strcmp(port->device.ibdev, device->ibdev) == 0 &&
		    (*device->ibdev ||
		     strcmp(port->device.netdev, device->netdev) == 0))
			return port;
	}
	return NULL;
}

/* Look for ports: those that are new, gone, back, or have changed. */
static int scan(struct host *host, int64_t now_ns, struct rt_err *err)
{
	struct rt_devices devices;
	int r = find_devices(host->kern, &devices, err);

	host->looked_ns = host->scanned_ns = now_ns;
	host->changed = false;
	if (r < 0)
		return r;
	for (size_t i = 0; i < host->count; i++)
		host->items[i]->seen = false;
	for (size_t i = 0; i < devices.count && r == 0; i++) {
		const struct rt_device *device = &devices.items[i];
		struct host_port *port = find_port(host, device);

		if (port)
			r = renew_port(host, port, device, err);
		else if (is_wanted(host, device))
			r = add_port(host, device, err);
	}
	rt_devices_free(&devices);
	for (size_t i = 0; i < host->count && r == 0; i++)
		if (!host->items[i]->seen)
			lose_port(host->items[i]);
	return r;
}

static uint64_t print_text(uint64_t print, const char *text)
{
	return rt_hash_pair(print, rt_hash_bytes(text, strlen(text)));
}

static uint64_t print_links(struct rt_kern *kern, uint64_t print)
{
	struct rt_links links;

	if (kern->ops->links(kern, &links, NULL) < 0)
		return print;
	for (size_t i = 0; i < links.count; i++) {
		const struct rt_link *link = &links.items[i];

		print = print_text(print, link->name);
		print = rt_hash_pair(print, link->ifindex);
		print = rt_hash_pair(print, link->master_ifindex);
		print = rt_hash_pair(print,
				     (uint64_t)link->mtu_bytes << 1 | link->carrier);
	}
	rt_links_free(&links);
	return print;
}

/* Another number when ports or links came, went, or changed what can be seen at once. */
static uint64_t print_of(struct rt_kern *kern)
{
	uint64_t print = print_links(kern, 0);
	struct rt_rdma_ports ports;

	if (kern->ops->rdma_ports(kern, &ports, NULL) < 0)
		return print;
	for (size_t i = 0; i < ports.count; i++) {
		const struct rt_rdma_port *port = &ports.items[i];

		print = print_text(print, port->ibdev);
		print = print_text(print, port->netdev);
		print = rt_hash_pair(print, (uint64_t)port->dev_index << 32 |
						    port->port << 8 | port->state);
	}
	rt_rdma_ports_free(&ports);
	return print;
}

/*
 * Two questions tell whether all is as it was; then only what cannot be seen by them is
 * read of each port.  Reading all of a host takes ten times as long.
 */
static int look_again(struct host *host, int64_t now_ns, struct rt_err *err)
{
	const uint64_t print = print_of(host->kern);
	int r = 0;

	if (host->changed || print != host->print ||
	    now_ns - host->scanned_ns >= SCAN_NS) {
		host->print = print;
		return scan(host, now_ns, err);
	}
	host->looked_ns = now_ns;
	for (size_t i = 0; i < host->count && r == 0; i++) {
		struct host_port *port = host->items[i];

		if (!port->counters)
			continue;
		port->told = false;
		r = rt_watch_host_facts(host->kern, &port->device, &port->facts);
	}
	return r < 0 ? rt_err_sys(err, r, "cannot look at the ports") : 0;
}

/* --- when, and what ---------------------------------------------------------------------- */

/*
 * Sources whose turn it is: with what reading them usually takes, a tenth of the time
 * since the last one is not passed.  Half an interval early is in time.
 */
static unsigned due_sources(const struct host_port *port,
			    const struct rt_counter_set *set, int64_t now_ns,
			    int64_t interval_ns)
{
	unsigned due = 0;

	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		const int64_t since_ns = now_ns + interval_ns / 2 -
					 set->paces[i].read_ns;

		if (since_ns >= 0 && (uint64_t)since_ns >= port->usual_ns[i] * SLOWER)
			due |= 1u << i;
	}
	return due;
}

/* One reading that was held up (by another process) is not what it usually takes. */
static void note_costs(struct host_port *port, const struct rt_counter_set *set,
		       int64_t began_ns)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		const struct rt_counter_pace *pace = &set->paces[i];

		if (pace->read_ns < began_ns)
			continue;
		if (port->cost_ns[i])
			port->usual_ns[i] = pace->cost_ns < port->cost_ns[i]
						    ? pace->cost_ns
						    : port->cost_ns[i];
		port->cost_ns[i] = pace->cost_ns;
	}
}

#define NOTE_REFRESH (1u << 31)

/* Sources that failed, and counters that are older than they look, as bits. */
static unsigned what_to_note(const struct rt_counter_set *set, int64_t interval_ns)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (set->looks[i].state == RT_LOOK_FAILED)
			bits |= 1u << i;
	if (set->refresh_ms.known && interval_ns &&
	    (uint64_t)interval_ns / 1000000 < set->refresh_ms.value)
		bits |= NOTE_REFRESH;
	return bits;
}

static void write_note(struct host_port *port, const struct rt_counter_set *set)
{
	char *note = port->facts.note;
	const size_t room = sizeof(port->facts.note);
	size_t used = 0;

	*note = '\0';
	if (port->noted & NOTE_REFRESH)
		used += (size_t)snprintf(note, room, "counter refresh %llu ms",
					 (unsigned long long)set->refresh_ms.value);
	for (unsigned i = 0; i < RT_SOURCE_COUNT && used < room; i++)
		if (port->noted >> i & 1)
			used += (size_t)snprintf(note + used, room - used,
						 "%sno %s: %s", used ? "; " : "",
						 rt_counter_source_names[i].name,
						 set->looks[i].why);
}

/* Nothing is known of a port that went away. */
static void empty_set(struct rt_counter_set *set)
{
	if (set->count)
		set->layout++;
	set->count = 0;
	memset(set->paces, 0, sizeof(set->paces));
}

static int read_port(struct host *host, struct host_port *port,
		     struct rt_counter_set *set, int64_t interval_ns,
		     struct rt_err *err)
{
	const int64_t now_ns = rt_monotonic_ns();
	unsigned bits;
	int r;

	if (!port->counters) {
		empty_set(set);
		return 0;
	}
	r = rt_counter_port_read(port->counters,
				 due_sources(port, set, now_ns, interval_ns), set, err);
	if (r == -ENODEV) {
		lose_port(port);
		empty_set(set);
		host->changed = true;
		return 0;
	}
	if (r < 0)
		return r;
	note_costs(port, set, now_ns);
	bits = what_to_note(set, interval_ns);
	if (bits != port->noted) {
		port->noted = bits;
		port->told = false;
		write_note(port, set);
	}
	return 0;
}

/* --- the source -------------------------------------------------------------------------- */

static void look_at_carriers(struct host *host)
{
	for (size_t i = 0; i < host->count; i++) {
		struct host_port *port = host->items[i];
		uint64_t changes;

		if (!read_changes(port, &changes) || changes == port->changes)
			continue;
		port->changes = changes;
		host->changed = true;
	}
}

static bool is_look_due(const struct host *host, int64_t now_ns)
{
	const int64_t since_ns = now_ns - host->looked_ns;

	return since_ns >= (host->changed ? LOOK_SOON_NS : LOOK_NS);
}

static int sample(struct rt_watch_source *source, struct rt_watch_sample *sample_,
		  struct rt_err *err)
{
	struct host *host = host_of(source);
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t interval_ns = host->sampled_ns ? now_ns - host->sampled_ns : 0;
	struct rt_watch_input *item;
	int r = 0;

	look_at_carriers(host);
	/* Ports that cannot be listed just now are read as they were. */
	if (is_look_due(host, now_ns) && look_again(host, now_ns, err) == -ENOMEM)
		return -ENOMEM;
	host->sampled_ns = now_ns;
	sample_->time_ns = now_ns;
	sample_->wall_ns = rt_clock_ns(CLOCK_REALTIME);
	for (size_t i = 0; i < host->count && r == 0; i++) {
		struct host_port *port = host->items[i];

		if (i == sample_->count) {
			port->told = false;
			item = rt_watch_sample_add(sample_);
			if (!item)
				return rt_err_sys(err, -ENOMEM, "cannot hold a sample");
		}
		item = &sample_->items[i];
		r = read_port(host, port, &item->set, interval_ns, err);
		if (!port->told)
			item->port = port->facts;
		port->told = true;
	}
	return r;
}

static void free_words(char **words)
{
	for (char **at = words; at && *at; at++)
		free(*at);
	free(words);
}

static void close_host(struct rt_watch_source *source)
{
	struct host *host = host_of(source);

	for (size_t i = 0; i < host->count; i++) {
		shut_port(host->items[i]);
		free(host->items[i]);
	}
	free(host->items);
	free_words(host->ports);
	free_words(host->exclude);
	rt_kern_close(host->kern);
	free(host);
}

static const struct rt_watch_source_ops host_ops = {
	.name = "host",
	.help = "this host",
	.sample = sample,
	.close = close_host,
};

static const struct rt_watch_source_ops sysroot_ops = {
	.name = "sysroot",
	.help = "a picture of a host: a folder, or a bundle of a snapshot",
	.sample = sample,
	.close = close_host,
};

/* --- opening ----------------------------------------------------------------------------- */

/* A copy of a list that ends with NULL; an empty one is none. */
static int copy_words(const char *const *words, char ***ret_words)
{
	size_t count = 0;
	char **copy;

	while (words && words[count])
		count++;
	if (count == 0)
		return 0;
	copy = calloc(count + 1, sizeof(*copy));
	*ret_words = copy;
	for (size_t i = 0; copy && i < count; i++) {
		copy[i] = strdup(words[i]);
		if (!copy[i])
			return -ENOMEM;
	}
	return copy ? 0 : -ENOMEM;
}

/*
 * Dozens of files a port stay open, more than the usual 1024 of a process where there are
 * many; without, files are opened for each reading.
 */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Among those that were asked for, or any where all were. */
static bool tell_elsewhere(const struct host *host, struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	bool told = false;

	if (rt_devices_read(host->kern, 0, &devices, NULL) < 0)
		return false;
	if (!host->ports)
		told = rt_elsewhere_tell(host->kern, &devices, NULL, "top", err);
	for (char *const *name = host->ports; name && *name && !told; name++)
		told = rt_elsewhere_tell(host->kern, &devices, *name, "top", err);
	rt_devices_free(&devices);
	return told;
}

static int nothing(const struct host *host, const char *where, struct rt_err *err)
{
	if (tell_elsewhere(host, err))
		return -ENODEV;
	if (host->ports || host->exclude)
		return rt_err_set(err, -ENODEV,
				  "%s: no port is left by what was said to be watched "
				  "and excluded; `rocetune list` names them all",
				  where);
	return rt_err_set(err, -ENODEV,
			  "%s: nothing to watch: there is neither a RoCE port nor, "
			  "without RDMA, a network device with a driver; a lab "
			  "(--lab) or --demo can be watched",
			  where);
}

int rt_watch_host_open(struct rt_kern *kern, const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err)
{
	struct host *host = calloc(1, sizeof(*host));
	char name[65] = "this host";
	int r;

	if (!host) {
		rt_kern_close(kern);
		return rt_err_sys(err, -ENOMEM, "cannot watch this host");
	}
	host->source.ops = request->sysroot ? &sysroot_ops : &host_ops;
	host->kern = kern;
	if (!request->sysroot)
		(void)gethostname(name, sizeof(name) - 1);
	snprintf(host->source.title, sizeof(host->source.title), "%s %.110s",
		 host->source.ops->name, request->sysroot ? request->sysroot : name);
	raise_file_limit();
	r = copy_words(request->ports, &host->ports);
	if (r == 0)
		r = copy_words(request->exclude, &host->exclude);
	host->print = print_of(kern);
	r = r < 0 ? rt_err_sys(err, r, "cannot watch this host")
		  : scan(host, rt_monotonic_ns(), err);
	if (r == 0 && host->count == 0)
		r = nothing(host, host->source.title, err);
	if (r < 0) {
		close_host(&host->source);
		return r;
	}
	*ret_source = &host->source;
	return 0;
}
