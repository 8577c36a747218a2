/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts.c - who is where, and what time it is there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "traffic/pmix/parts.h"

#define NAME           "host"
/* What the kernel counts while nobody sets its clock: NTP's phase limit, 16 s. */
#define UNSET_ERROR_NS UINT64_C(16000000000)

/* What a link of /proc/self/ns says, or a file of one line: one word. */
static void read_word(const char *path, char word[PMIX_PARTS_WORD_BYTES])
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	ssize_t length = readlink(path, word, PMIX_PARTS_WORD_BYTES - 1);
	size_t bytes;

	if (length < 0 && rt_file_read(path, 1 << 20, &text, &bytes, NULL) == 0) {
		length = bytes < PMIX_PARTS_WORD_BYTES ? (ssize_t)bytes
						       : PMIX_PARTS_WORD_BYTES - 1;
		memcpy(word, text, (size_t)length);
	}
	word[length > 0 ? length : 0] = '\0';
	word[strcspn(word, " \n")] = '\0';
	if (!*word)
		strcpy(word, "?");
}

static void own_host(struct pmix_host *host)
{
	struct timex timex = { 0 };
	const int state = adjtimex(&timex);

	if (gethostname(host->host, sizeof(host->host) - 1) < 0 || !*host->host)
		snprintf(host->host, sizeof(host->host), "host");
	read_word("/proc/sys/kernel/random/boot_id", host->boot);
	read_word("/proc/self/ns/time", host->time);
	read_word("/proc/self/ns/net", host->net);
	host->day_ns = rt_clock_ns(CLOCK_REALTIME) - rt_monotonic_ns();
	host->error_ns = state < 0 || state == TIME_ERROR || timex.maxerror < 0
				 ? UNSET_ERROR_NS
				 : (uint64_t)timex.maxerror * 1000;
}

static int host_read(const char *text, uint32_t rank, struct pmix_host *ret_host,
		     struct rt_err *err)
{
	struct pmix_host host = { 0 };
	long long day_ns;
	unsigned long long error_ns;

	if (sscanf(text, "%255s %63s %63s %63s %lld %llu", host.host, host.boot,
		   host.time, host.net, &day_ns, &error_ns) != 6)
		return rt_err_set(err, -EPROTO, "rank %u does not tell its host", rank);
	host.day_ns = day_ns;
	host.error_ns = error_ns;
	rt_text_clean(host.host);
	*ret_host = host;
	return 0;
}

/* Where the boot is not known nothing is the same. */
static bool same(const struct pmix_host *a, const struct pmix_host *b,
		 const char *space_a, const char *space_b)
{
	return strcmp(a->boot, "?") != 0 && strcmp(a->boot, b->boot) == 0 &&
	       strcmp(space_a, space_b) == 0;
}

bool pmix_hosts_one_clock(const struct pmix_meeting *meeting)
{
	const struct pmix_host *own = &meeting->own, *root = &meeting->root;

	return same(own, root, own->time, root->time);
}

/* Its host, and behind a colon which of that host's it is. */
static void name_rank(struct pmix_meeting *meeting, uint32_t rank, const char *host)
{
	uint32_t alike = 1;

	for (uint32_t i = 0; i < rank; i++)
		alike += rt_tcp_name_is_of(meeting->names[i], host);
	rt_tcp_name_nth(host, alike, meeting->names[rank]);
}

int pmix_hosts_meet(struct pmix_meeting *meeting, int64_t deadline_ns,
		    struct rt_err *err)
{
	struct pmix_host *own = &meeting->own;
	char text[512];
	int r;

	own_host(own);
	snprintf(text, sizeof(text), "%s %s %s %s %lld %llu", own->host, own->boot,
		 own->time, own->net, (long long)own->day_ns,
		 (unsigned long long)own->error_ns);
	r = pmix_publish(meeting, NAME, text, err);
	if (r == 0)
		r = pmix_fence(meeting, deadline_ns, err);
	meeting->names = r == 0 ? calloc(meeting->base.size, sizeof(*meeting->names))
				: NULL;
	if (r == 0 && !meeting->names)
		r = rt_err_sys(err, -ENOMEM, "cannot hold the names of ranks");
	meeting->one_host = true;
	for (uint32_t i = 0; r == 0 && i < meeting->base.size; i++) {
		RT_AUTO(rt_auto_free) char *told = NULL;
		struct pmix_host host;

		r = pmix_look(meeting, i, NAME, &told, err);
		if (r == 0)
			r = host_read(told, i, &host, err);
		if (r < 0)
			break;
		name_rank(meeting, i, host.host);
		if (i == 0)
			meeting->root = host;
		meeting->one_host &= same(&host, own, host.net, own->net);
	}
	return r;
}

void pmix_hosts_clock(const struct pmix_meeting *meeting, int64_t *ret_offset_ns,
		      uint64_t *ret_error_ns)
{
	const struct pmix_host *own = &meeting->own, *root = &meeting->root;
	const bool one = pmix_hosts_one_clock(meeting);

	*ret_offset_ns = one ? 0 : own->day_ns - root->day_ns;
	*ret_error_ns = one ? 0 : own->error_ns + root->error_ns;
}
