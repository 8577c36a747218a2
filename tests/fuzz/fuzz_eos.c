/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_eos.c - any bytes as a running-config, with all that is asked of a switch. */
#include "switch_questions.h"

#include "nos/nos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_switch(&rt_nos_eos, (const char *)data, bytes);
	return 0;
}
