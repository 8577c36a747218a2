/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_excuse.c - what is found in a run and is nobody's fault in it: since the lab's
 * process stood still, or since a host was lost.
 *
 * Such a finding stays, with its numbers, but could not be judged.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "lab/scale.h"
#include "run/lab_run_parts.h"

enum excuse {
	BY_LATENESS = 1 << 0,  /* of the lab's process */
	BY_LOST_HOST = 1 << 1, /* that where names */
};

static const struct {
	const char *id;
	unsigned by; /* enum excuse */
} excused[] = {
	{ "loss-go-back-n", BY_LATENESS | BY_LOST_HOST },
	{ "loss-timeout", BY_LATENESS | BY_LOST_HOST },
	{ "loss-unreliable", BY_LATENESS },
	{ "pause-storm", BY_LATENESS },
	{ "pause-share", BY_LATENESS },
	{ "incast-unfair", BY_LATENESS },
	{ "stress-lossless-loss", BY_LATENESS },
	{ "stress-loss", BY_LATENESS },
	{ "stress-timeouts", BY_LATENESS },
	{ "stress-unfair", BY_LATENESS },
	{ "stress-oscillating", BY_LATENESS },
	{ "stress-victim-hurt", BY_LATENESS },
	{ "stress-paused", BY_LATENESS },
	{ "stress-receiver-paused", BY_LATENESS },
	{ "stress-pause-without-mark", BY_LATENESS },
	{ "lab-figures-disagree", BY_LATENESS },
	{ "lab-lossless-drop", BY_LATENESS },
};

static unsigned excuses_of(const struct rt_finding *finding)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(excused); i++)
		if (strcmp(excused[i].id, finding->id) == 0)
			return excused[i].by;
	return 0;
}

/* "10.0.0.1", and not of "10.0.0.12". */
static bool names(const char *where, const char *ip)
{
	const size_t bytes = strlen(ip);

	for (const char *at = strstr(where, ip); at; at = strstr(at + 1, ip))
		if ((at == where || at[-1] == ' ') &&
		    (at[bytes] == ' ' || at[bytes] == '\0'))
			return true;
	return false;
}

/* The host, of those that were lost, that a finding is about; NULL: none. */
static const char *lost_host(const struct rt_lab_run *run,
			     const struct rt_finding *finding)
{
	const struct rt_lab_state *lab = &run->lab.state;

	for (size_t i = 0; i < run->stress.host_count && i < lab->host_count; i++) {
		char ip[RT_IP_TEXT_BYTES];

		if (run->stress.hosts[i].lost &&
		    names(finding->where, rt_ip_format(&lab->hosts[i].ip, ip)))
			return lab->hosts[i].name;
	}
	return NULL;
}

/* Longer than what its headroom, pauses and time-outs are made for. */
static bool stood_still(const struct rt_lab_run *run)
{
	return run->late_max_ns > RT_LAB_REACTION_PS / RT_PS_PER_NS;
}

static void excuse(struct rt_finding *finding, const char *why)
{
	char evidence[sizeof(finding->evidence)];

	memcpy(evidence, finding->evidence, sizeof(evidence));
	finding->severity = RT_SEVERITY_UNKNOWN;
	snprintf(finding->evidence, sizeof(finding->evidence), "%s: %.260s", why,
		 evidence);
}

void rt_lab_run_excuse(const struct rt_lab_run *run, struct rt_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct rt_finding *finding = &findings->items[i];
		const unsigned by = excuses_of(finding);
		const char *host = by & BY_LOST_HOST ? lost_host(run, finding) : NULL;
		char why[48] = "the lab stood still";

		if (finding->severity <= RT_SEVERITY_UNKNOWN)
			continue;
		if (host)
			snprintf(why, sizeof(why), "%.15s was lost", host);
		if (host || (by & BY_LATENESS && stood_still(run)))
			excuse(finding, why);
	}
}
