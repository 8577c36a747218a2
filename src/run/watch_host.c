/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_host.c - samples of a host: which ports, when each source is read, what is gone. */
#include "run/watch_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/counters.h"
#include "host/device.h"
#include "host/elsewhere.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "run/watch_host_parts.h"

/* Reading a source takes at most a tenth of the time: that is the whole policy. */
#define SLOWER 10u

static struct rt_watch_host *host_of(struct rt_watch_source *source)
{
	return (struct rt_watch_host *)source;
}

/* --- when, and what ---------------------------------------------------------------------- */

/*
 * Sources whose turn it is: with what reading them usually takes, a tenth of the time
 * since the last one is not passed.  Half an interval early is in time.
 */
static unsigned due_sources(const struct rt_watch_host_port *port,
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
static void note_costs(struct rt_watch_host_port *port,
		       const struct rt_counter_set *set, int64_t began_ns)
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

/* --- pictures ---------------------------------------------------------------------------- */

/*
 * What stands still in a picture says nothing of how fast it was: a source stays of the
 * time of its first reading until one of its values is seen to change, as in a folder
 * that something writes to.  Its rates are over the time since then.
 */
static void hold_still(struct rt_watch_host_port *port, struct rt_counter_set *set)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		const struct rt_counter_pace now = set->paces[i];

		if (now.read_ns == 0)
			continue;
		if (port->first[i].read_ns == 0)
			port->first[i] = now;
		port->moves |= (unsigned)(now.filled != port->first[i].filled) << i;
		if (!(port->moves >> i & 1))
			set->paces[i].read_ns = port->first[i].read_ns;
	}
}

/* --- notes ------------------------------------------------------------------------------- */

#define NOTE_REFRESH (1u << 31)

/* Sources that failed, and counters that are older than they look, as bits. */
static unsigned what_to_note(const struct rt_watch_host_port *port,
			     const struct rt_counter_set *set, int64_t interval_ns)
{
	const bool older = set->refresh_ms.known && interval_ns &&
			   (uint64_t)interval_ns / 1000000 < set->refresh_ms.value;

	return port->failed | (older ? NOTE_REFRESH : 0);
}

static void note_failed(struct rt_watch_host_port *port,
			const struct rt_counter_set *set)
{
	port->looked = set->looked;
	port->failed = 0;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (set->looks[i].state == RT_LOOK_FAILED)
			port->failed |= 1u << i;
}

static void write_note(struct rt_watch_host_port *port,
		       const struct rt_counter_set *set)
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

static int read_port(struct rt_watch_host *host, struct rt_watch_host_port *port,
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
		rt_watch_host_lose(port);
		empty_set(set);
		host->changed = true;
		return 0;
	}
	if (r < 0)
		return r;
	note_costs(port, set, now_ns);
	if (host->is_picture)
		hold_still(port, set);
	if (port->looked != set->looked)
		note_failed(port, set);
	bits = what_to_note(port, set, interval_ns);
	if (bits != port->noted) {
		port->noted = bits;
		port->told = false;
		write_note(port, set);
	}
	return 0;
}

/* --- the source -------------------------------------------------------------------------- */

static int sample(struct rt_watch_source *source, struct rt_watch_sample *sample_,
		  struct rt_err *err)
{
	struct rt_watch_host *host = host_of(source);
	const int64_t now_ns = rt_monotonic_ns();
	const int64_t interval_ns = host->sampled_ns ? now_ns - host->sampled_ns : 0;
	struct rt_watch_input *item;
	int r = 0;

	/* Ports that cannot be listed just now are read as they were. */
	if (rt_watch_host_look_if_due(host, now_ns, err) == -ENOMEM)
		return -ENOMEM;
	host->sampled_ns = now_ns;
	sample_->time_ns = now_ns;
	sample_->wall_ns = rt_clock_ns(CLOCK_REALTIME);
	for (size_t i = 0; i < host->count && r == 0; i++) {
		struct rt_watch_host_port *port = host->items[i];

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
	struct rt_watch_host *host = host_of(source);

	for (size_t i = 0; i < host->count; i++) {
		rt_watch_host_shut(host->items[i]);
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
static bool tell_elsewhere(const struct rt_watch_host *host, struct rt_err *err)
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

static int nothing(const struct rt_watch_host *host, const char *where,
		   struct rt_err *err)
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
	struct rt_watch_host *host = calloc(1, sizeof(*host));
	char name[65] = "this host";
	int r;

	if (!host) {
		rt_kern_close(kern);
		return rt_err_sys(err, -ENOMEM, "cannot watch this host");
	}
	host->source.ops = request->sysroot ? &sysroot_ops : &host_ops;
	host->kern = kern;
	host->is_picture = request->sysroot;
	if (!request->sysroot)
		(void)gethostname(name, sizeof(name) - 1);
	snprintf(host->source.title, sizeof(host->source.title), "%s %.110s",
		 host->source.ops->name, request->sysroot ? request->sysroot : name);
	raise_file_limit();
	r = copy_words(request->ports, &host->ports);
	if (r == 0)
		r = copy_words(request->exclude, &host->exclude);
	host->changed = true;
	r = r < 0 ? rt_err_sys(err, r, "cannot watch this host")
		  : rt_watch_host_look(host, rt_monotonic_ns(), err);
	if (r == 0 && host->count == 0)
		r = nothing(host, host->source.title, err);
	if (r < 0) {
		close_host(&host->source);
		return r;
	}
	*ret_source = &host->source;
	return 0;
}
