/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_excuse.c - what is found in a run and is nobody's fault in it: since the lab's
 * process stood still, or since a host was lost or did not get a processor in time.
 *
 * Such a finding stays, with its numbers, but could not be judged.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "lab/scale.h"
#include "run/lab_run_parts.h"

enum excuse {
	BY_LATENESS = 1 << 0, /* of the lab's process */
	BY_ABSENCE = 1 << 1,  /* of a host that where names */
};

static const struct {
	const char *id;
	unsigned by; /* enum excuse */
} excused[] = {
	{ "loss-go-back-n", BY_LATENESS | BY_ABSENCE },
	{ "loss-timeout", BY_LATENESS | BY_ABSENCE },
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

/* NULL, or why this host cannot have answered in time. */
static const char *absence(const struct rt_stress_host *host)
{
	if (host->lost)
		return "was lost";
	return host->engine_late_ns.value > RT_LAB_TIMEOUT_PS / RT_PS_PER_NS
		       ? "stood still"
		       : NULL;
}

/* Of a host that a finding is about, "h0 was lost", in why; false: of none. */
static bool tell_absence(const struct rt_lab_run *run, const struct rt_finding *finding,
			 char why[48])
{
	const struct rt_lab_state *lab = &run->lab.state;

	for (size_t i = 0; i < run->stress.host_count && i < lab->host_count; i++) {
		const char *absent = absence(&run->stress.hosts[i]);
		char ip[RT_IP_TEXT_BYTES];

		if (!absent ||
		    !names(finding->where, rt_ip_format(&lab->hosts[i].ip, ip)))
			continue;
		snprintf(why, 48, "%.15s %s", lab->hosts[i].name, absent);
		return true;
	}
	return false;
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

static void excuse_one(const struct rt_lab_run *run, struct rt_finding *finding)
{
	const unsigned by = excuses_of(finding);
	char why[48] = "the lab stood still";

	if ((by & BY_ABSENCE && tell_absence(run, finding, why)) ||
	    (by & BY_LATENESS && stood_still(run)))
		excuse(finding, why);
}

/* What sums up further places has none: it is as the places that are told. */
static void excuse_fold(const struct rt_findings *findings, struct rt_finding *fold)
{
	bool any = false;

	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *told = &findings->items[i];

		if (told->folded || strcmp(told->id, fold->id) != 0)
			continue;
		if (told->severity > RT_SEVERITY_UNKNOWN)
			return;
		any = true;
	}
	if (any)
		excuse(fold, "as those before");
}

void rt_lab_run_excuse(const struct rt_lab_run *run, struct rt_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].severity > RT_SEVERITY_UNKNOWN)
			excuse_one(run, &findings->items[i]);
	for (size_t i = 0; i < findings->count; i++) {
		struct rt_finding *fold = &findings->items[i];

		if (fold->folded && fold->severity > RT_SEVERITY_UNKNOWN &&
		    excuses_of(fold) & BY_ABSENCE)
			excuse_fold(findings, fold);
	}
}
