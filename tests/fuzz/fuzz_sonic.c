/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_sonic.c - any bytes as a config_db, with all that is asked of a switch; and as
 * the configuration that an export is compared with.
 */
#include "switch_questions.h"

#include "base/json.h"
#include "nos/nos.h"
#include "nos/wish.h"

static const char profile_text[] =
	"classes:\n"
	"  a: {dscp: [26], tc: 3, queue: 3, pg: 3, prio: 3, lossless: yes}\n"
	"  b: {dscp: rest, tc: 0, queue: 0, sched: {dwrr: 15}}\n"
	"switch:\n"
	"  roles: {host: {cable: 5m, headroom: {a: 2000B}, xon: {a: 1000B}, "
	"buffer_alpha: "
	"{a: 1/8}}}\n"
	"  ecn: {a: {host: {kmin: 1000B, kmax: 2000B, pmax: 5%}}}\n"
	"  watchdog: {detect: 200ms, poll: 200ms}\n";

static void fuzz_export(const char *text, size_t bytes)
{
	static const struct rt_profile_search nowhere = { { NULL } };
	static const char *const ports[] = { "Ethernet0", "Ethernet4" };
	struct rt_nos_wish wish = { .ports = ports,
				    .port_count = 2,
				    .against_name = "fuzz",
				    .against = text,
				    .against_bytes = bytes };
	struct rt_profile *profile = NULL;
	struct rt_switch *sw = NULL;
	struct rt_json *patch = NULL;

	if (rt_profile_parse("p", profile_text, strlen(profile_text), &nowhere, NULL,
			     &profile, NULL) < 0)
		abort();
	wish.profile = profile;
	if (rt_nos_parse(&rt_nos_sonic, "fuzz", text, bytes, NULL, NULL, &sw, NULL) ==
	    0) {
		wish.there = sw;
		rt_nos_sonic.export(&wish, &patch, NULL);
	}
	rt_json_free(patch);
	rt_switch_free(sw);
	rt_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_switch(&rt_nos_sonic, (const char *)data, bytes);
	fuzz_export((const char *)data, bytes);
	return 0;
}
