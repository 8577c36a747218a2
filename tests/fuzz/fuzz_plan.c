/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_plan.c - a kernel that answers anything: every driver reads it, plans to what
 * another such kernel has, and says in words what it would do.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/driver.h"
#include "host/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
	struct rt_kern kern;
	const uint8_t *data;
	size_t left;
};

/* Bytes that are left, then zeros. */
static void take(struct rt_kern *kern, void *to, size_t bytes)
{
	struct source *source = (struct source *)kern;
	const size_t got = source->left < bytes ? source->left : bytes;

	memset(to, 0, bytes);
	if (got)
		memcpy(to, source->data, got);
	source->data += got;
	source->left -= got;
}

static uint8_t byte(struct rt_kern *kern)
{
	uint8_t value;

	take(kern, &value, 1);
	return value;
}

static int file_read(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		     size_t *ret_bytes, struct rt_err *err)
{
	const size_t bytes = byte(kern) % 24;

	(void)path;
	(void)err;
	if (bytes == 0)
		return -ENOENT;
	take(kern, buf, bytes < capacity ? bytes : capacity - 1);
	buf[bytes < capacity ? bytes : capacity - 1] = '\0';
	*ret_bytes = strlen(buf);
	return 0;
}

static int may_access(struct rt_kern *kern, const char *path, bool for_writing)
{
	(void)path;
	(void)for_writing;
	return byte(kern) & 1 ? 0 : -ENOENT;
}

static int dcb_get(struct rt_kern *kern, const char *netdev, struct rt_dcb *ret_dcb,
		   struct rt_err *err)
{
	(void)netdev;
	(void)err;
	memset(ret_dcb, 0, sizeof(*ret_dcb));
	ret_dcb->has = byte(kern) | RT_DCB_BUFFER;
	take(kern, &ret_dcb->ets, sizeof(ret_dcb->ets));
	take(kern, &ret_dcb->pfc, offsetof(struct rt_dcb_pfc, requests));
	take(kern, ret_dcb->maxrate_bps, 16);
	take(kern, &ret_dcb->buffer, 20);
	ret_dcb->dcbx = byte(kern);
	ret_dcb->app.count = byte(kern) % 8;
	take(kern, ret_dcb->app.items,
	     ret_dcb->app.count * sizeof(ret_dcb->app.items[0]));
	return 0;
}

static int pause_get(struct rt_kern *kern, const char *netdev,
		     struct rt_link_pause *ret_pause, struct rt_err *err)
{
	const uint8_t bits = byte(kern);

	(void)netdev;
	(void)err;
	*ret_pause = (struct rt_link_pause){ .rx = bits & 1, .tx = bits & 2 };
	return bits & 4 ? -EOPNOTSUPP : 0;
}

static int storm_get(struct rt_kern *kern, const char *netdev, uint16_t *ret_ms,
		     struct rt_err *err)
{
	(void)netdev;
	(void)err;
	take(kern, ret_ms, sizeof(*ret_ms));
	return 0;
}

static int priv_flags_get(struct rt_kern *kern, const char *netdev,
			  struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	(void)netdev;
	(void)err;
	*ret_flags = (struct rt_priv_flags){ .name = { "fw-lldp-agent" }, .count = 1 };
	ret_flags->value = byte(kern);
	return 0;
}

static const struct rt_kern_ops ops = {
	.name = "anything",
	.file_read = file_read,
	.access = may_access,
	.dcb_get = dcb_get,
	.pause_get = pause_get,
	.storm_get = storm_get,
	.priv_flags_get = priv_flags_get,
};

static void say(const struct rt_host_port *port, const struct rt_plan *plan)
{
	char buf[RT_KNOB_TEXT_BYTES];

	for (size_t i = 0; i < plan->change_count; i++) {
		const struct rt_change *change = &plan->changes[i];

		if (strlen(rt_change_old(plan, change, buf)) >= sizeof(buf) ||
		    strlen(rt_change_new(plan, change, buf)) >= sizeof(buf) ||
		    strlen(rt_change_command(port, plan, change, buf)) >= sizeof(buf) ||
		    !rt_change_name(plan, change))
			abort();
	}
}

/* Steps hold every change once, in the order of the changes. */
static void check(const struct rt_plan *plan)
{
	size_t next = 0;

	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].first != next || plan->steps[i].count == 0)
			abort();
		next += plan->steps[i].count;
	}
	if (next != plan->change_count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rt_plan plan, again;
	static struct rt_qos have, want;
	struct source source = { .kern.ops = &ops, .data = data, .left = size };
	struct rt_device device = {
		.ibdev = "mlx5_0", .port = 1, .netdev = "eth0", .pci = "0000:3b:00.0"
	};
	struct rt_host_port port = { .kern = &source.kern, .device = &device };
	size_t count = 0;

	while (rt_drivers[count])
		count++;
	port.driver = rt_drivers[byte(&source.kern) % count];
	if (rt_host_read(&port, &have, NULL) < 0 ||
	    rt_host_read(&port, &want, NULL) < 0 ||
	    rt_plan_make(&port, &have, &want, NULL, &plan, NULL) < 0)
		return 0;
	check(&plan);
	say(&port, &plan);
	/* What a plan aims at is reached: from there nothing is left to do. */
	if (rt_plan_make(&port, &plan.target, &want, NULL, &again, NULL) == 0 &&
	    again.step_count)
		abort();
	return 0;
}
