/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_questions.h - read a switch configuration and ask it everything. */
#ifndef RT_TESTS_SWITCH_QUESTIONS_H
#define RT_TESTS_SWITCH_QUESTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/rules_switch.h"
#include "model/switch_build.h"
#include "model/switch_profile.h"
#include "nos/nos.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A chain never claims to be lossless with PFC off, and says why it is not. */
static inline void ask_port(const struct rt_switch *sw,
			    const struct rt_switch_port *port)
{
	struct rt_switch_path path;
	char text[RT_SWITCH_MASK_BYTES];

	for (unsigned dscp = 0; dscp < RT_SWITCH_DSCPS; dscp++) {
		rt_switch_path_of_dscp(sw, port, dscp, &path);
		if ((path.lossless == RT_LOSSLESS_YES) != !*path.why ||
		    (path.lossless == RT_LOSSLESS_YES && !path.prios.number))
			abort();
	}
	rt_switch_mask_text(&port->pfc_tx, text);
}

/* What a port is as a profile has classes whose DSCPs do not meet. */
static inline void make_profile(const struct rt_switch *sw,
				const struct rt_switch_port *port)
{
	struct rt_profile *profile = NULL;
	uint64_t seen = 0;

	if (rt_switch_profile(sw, port, RT_ROLE_HOST, &profile, NULL) < 0)
		return;
	for (size_t i = 0; i < profile->class_count; i++) {
		if (seen & profile->classes[i].dscp.number)
			abort();
		seen |= profile->classes[i].dscp.number;
	}
	rt_profile_free(profile);
}

static inline void fuzz_switch(const struct rt_nos *nos, const char *text, size_t bytes)
{
	static const char rows[] = "100000 5m 1 2 3 -3\n40000 300m 1 2 3 0 5\n";
	const struct rt_nos_table table = { "t.ini", rows, sizeof(rows) - 1 };
	struct rt_findings complaints = { 0 };
	struct rt_switch *sw = NULL;
	struct rt_err err = { 0 };
	int r = rt_nos_parse(nos, "fuzz", text, bytes, &table, &complaints, &sw, &err);

	/* A refusal says where. */
	if ((r == 0) != (sw != NULL) || (r < 0 && strncmp(err.msg, "fuzz:", 5) != 0))
		abort();
	for (size_t i = 0; sw && i < sw->port_count && i < 8; i++)
		ask_port(sw, &sw->ports[i]);
	if (sw && sw->port_count)
		make_profile(sw, &sw->ports[0]);
	if (sw) {
		rt_switch_set_cell(sw, 254);
		rt_switch_check(sw, NULL, &complaints, NULL);
	}
	rt_findings_free(&complaints);
	rt_switch_free(sw);
}

#endif
