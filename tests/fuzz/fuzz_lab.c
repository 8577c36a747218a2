/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_lab.c - any bytes as what a lab notes of itself: its state, its counters, and
 * those of a host's NIC.  The first byte says which.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab_board.h"
#include "lab/lab_nic.h"
#include "lab/lab_state.h"
#include "rocetune/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Whatever is let through can be signalled, entered and named. */
static void read_state(const char *text, size_t bytes)
{
	struct rt_lab_state state;
	struct rt_err err = { 0 };

	if (rt_lab_state_parse("fuzz", text, bytes, &state, &err) < 0) {
		if (!*err.msg)
			abort();
		return;
	}
	if (state.pid < 2 || state.host_count == 0 ||
	    state.host_count > RT_LAB_MAX_HOSTS ||
	    rt_lab_name_check(state.name, NULL) < 0 || strchr(state.name, '/'))
		abort();
	rt_lab_state_free(&state);
}

static void read_board(const void *data, size_t bytes)
{
	struct rt_lab_switch_counters counters;
	struct rt_err err = { 0 };
	const int r = rt_lab_board_parse(data, bytes, &counters, &err);

	if (r < 0) {
		if (r != -EAGAIN && !*err.msg)
			abort();
		return;
	}
	for (size_t i = 0; i < counters.port_count; i++)
		if (strlen(counters.ports[i].name) >= sizeof(counters.ports[i].name))
			abort();
	free(counters.ports);
}

static void read_nic(const void *data, size_t bytes)
{
	struct rt_counter_set set = { 0 };
	struct rt_err err = { 0 };
	const int r = rt_lab_nic_parse("fuzz", data, bytes, &set, &err);

	if (r < 0 ? !*err.msg || set.count : rt_counter_set_check(&set, NULL) < 0)
		abort();
	rt_counter_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes == 0)
		return 0;
	if (data[0] & 2)
		read_nic(data + 1, bytes - 1);
	else if (data[0] & 1)
		read_state((const char *)data + 1, bytes - 1);
	else
		read_board(data + 1, bytes - 1);
	return 0;
}
