/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_scenario.c - any bytes as a scenario: read or refused, never more. */
#include <stddef.h>
#include <stdint.h>

#include "rocetune/err.h"
#include "rocetune/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	if (rt_scenario_parse("fuzz", (const char *)data, size, &scenario, &err) == 0)
		rt_scenario_free(&scenario);
	return 0;
}
