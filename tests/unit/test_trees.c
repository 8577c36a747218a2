/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_trees.c - the hosts made by hand: what is read of them, and that the profile
 * that is shown of each port asks it for nothing but what it has.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/driver.h"
#include "host/port_profile.h"
#include "kern/kern.h"
#include "model/qos.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"

static const char *const trees[] = { "tests/trees/two-rails", "tests/trees/zoo" };

/* What is known of a port, and how much of it its profile says. */
static const struct {
	const char *port, *driver;
	unsigned known; /* knobs, raw ones too */
	unsigned asked;
} ports[] = {
	{ "two-rails/mlx5_0", "mlx5", 42, 30 },
	{ "two-rails/mlx5_1", "mlx5", 42, 28 },
	{ "two-rails/mlx5_2", "mlx5", 0, 0 },
	{ "zoo/mlx5_0", "mlx5", 38, 22 },
	{ "zoo/mlx5_bond_0", "mlx5", 38, 24 },
	{ "zoo/bnxt_re0", "bnxt_re", 25, 16 },
	{ "zoo/rocep4s0", "irdma", 11, 8 },
	{ "zoo/hns_0", "hns_roce", 8, 5 },
	{ "zoo/ionic_0", "ionic", 2, 2 },
	{ "zoo/qedr0", "qedr", 8, 5 },
	{ "zoo/mlx4_0", "mlx4", 9, 5 },
	{ "zoo/rdmap9s0", "efa", 0, 0 },
	{ "zoo/erdma_0", "erdma", 0, 0 },
	{ "zoo/mana_0", "mana", 0, 0 },
	{ "zoo/cxgb4_0", "cxgb4", 8, 0 },
	{ "zoo/iwp12s0f0", "i40e", 0, 0 },
	{ "zoo/rxe0", "rxe", 0, 0 },
	{ "zoo/siw0", "siw", 0, 0 },
};

struct counts {
	unsigned known, asked;
};

static struct counts compare(const char *port, const struct rt_qos *have,
			     const struct rt_qos *want)
{
	struct counts counts = { 0 };

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		if (rt_knob_differs(&rt_knobs[id], &have->knobs[id], &want->knobs[id]))
			fail_msg("%s: %s would change", port, rt_knobs[id].name);
		counts.known += have->knobs[id].known != 0;
		counts.asked += want->knobs[id].known != 0;
	}
	for (size_t i = 0; i < have->raw_count; i++)
		counts.known += have->raw[i].known;
	for (size_t i = 0; i < want->raw_count; i++) {
		const struct rt_raw_value *raw = rt_qos_raw(have, want->raw[i].name);

		if (!raw || !raw->known || raw->number != want->raw[i].number)
			fail_msg("%s: %s would change", port, want->raw[i].name);
		counts.asked++;
	}
	return counts;
}

static struct counts shown_and_asked(struct rt_kern *kern,
				     const struct rt_device *device, const char *port)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	RT_AUTO(rt_auto_free) char *yaml = NULL;
	struct rt_device at;
	const struct rt_host_port open = { kern, &at, device->driver };
	struct rt_qos_port asked = { .driver = device->driver_name,
				     .speed_bps = device->speed_bps };
	struct rt_qos have = { 0 }, resolved;
	struct rt_qos_want want;
	struct rt_err err = { 0 };

	rt_device_enter_bond(device, &at);
	if (device->driver->row_count && device->link_layer != RT_LAYER_INFINIBAND &&
	    rt_host_read(&open, &have, &err) < 0)
		fail_msg("%s: %s", port, err.msg);
	asked.pfc_cap = rt_qos_number(&have, RT_KNOB_PFC_CAP);
	if (rt_port_profile(device, &have, &yaml, &err) < 0 ||
	    rt_profile_parse(port, yaml, strlen(yaml), NULL, NULL, &profile, &err) <
		    0 ||
	    rt_qos_want(profile, &asked, &want, &err) < 0 ||
	    rt_driver_resolve(device->driver, &want.qos, &resolved, &err) < 0)
		fail_msg("%s: %s\n%s", port, err.msg, yaml);
	return compare(port, &have, &resolved);
}

static void check_port(struct rt_kern *kern, const struct rt_device *device,
		       const char *tree)
{
	char port[120];
	struct counts counts;

	snprintf(port, sizeof(port), "%s/%s", strrchr(tree, '/') + 1, device->ibdev);
	assert_non_null(device->driver);
	counts = shown_and_asked(kern, device, port);
	print_message("# %s: %u known, %u asked\n", port, counts.known, counts.asked);
	for (size_t i = 0; i < RT_ARRAY_SIZE(ports); i++) {
		if (strcmp(ports[i].port, port) != 0)
			continue;
		assert_string_equal(device->driver_name, ports[i].driver);
		assert_true(counts.known >= ports[i].known);
		assert_true(counts.asked >= ports[i].asked);
	}
}

static void test_a_shown_profile_changes_nothing(void **state)
{
	(void)state;
	RT_NEED_OPENAT2();
	for (size_t i = 0; i < RT_ARRAY_SIZE(trees); i++) {
		RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
		struct rt_devices devices;
		struct rt_err err = { 0 };

		if (rt_kern_open_folder(trees[i], &kern, &err) < 0 ||
		    rt_devices_read(kern, RT_DEVICE_GROUPS, &devices, &err) < 0)
			fail_msg("%s", err.msg);
		assert_true(devices.count > 2);
		for (size_t d = 0; d < devices.count; d++)
			check_port(kern, &devices.items[d], trees[i]);
		rt_devices_free(&devices);
	}
}

static void test_every_driver_has_a_port(void **state)
{
	(void)state;
	for (size_t d = 0; rt_drivers[d]; d++) {
		bool found = false;

		for (size_t i = 0; i < RT_ARRAY_SIZE(ports); i++)
			found |= strcmp(ports[i].driver, rt_drivers[d]->name) == 0;
		if (!found)
			fail_msg("no port of %s", rt_drivers[d]->name);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_shown_profile_changes_nothing),
	     cmocka_unit_test(test_every_driver_has_a_port))
