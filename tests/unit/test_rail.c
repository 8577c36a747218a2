/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rail.c - which entry of rails means which device. */
#include "profiles.h"

#include <errno.h>

#include "base/own.h"
#include "host/device.h"
#include "run/rails.h"

/* In the order of the kernel, which is not that of the slots. */
static struct rt_device items[] = {
	{ .ibdev = "mlx5_0",
	  .netdev = "stor1",
	  .pci = "0000:3b:00.1",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LAYER_ETHERNET },
	{ .ibdev = "mlx5_1",
	  .netdev = "stor0",
	  .pci = "0000:3b:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LAYER_ETHERNET },
	{ .ibdev = "mlx5_2",
	  .netdev = "v0",
	  .pci = "0000:3b:00.2",
	  .port = 1,
	  .function = RT_FUNCTION_VF,
	  .link_layer = RT_LAYER_ETHERNET },
	{ .ibdev = "mlx5_3",
	  .netdev = "",
	  .pci = "0000:3c:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LAYER_INFINIBAND },
	{ .ibdev = "mlx5_4",
	  .netdev = "gpu0",
	  .pci = "0000:5e:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LAYER_ETHERNET },
	{ .ibdev = "rxe0",
	  .netdev = "eth0",
	  .pci = "",
	  .port = 1,
	  .function = RT_FUNCTION_SOFT,
	  .link_layer = RT_LAYER_ETHERNET },
};
static const struct rt_devices devices = { .items = items,
					   .count = RT_ARRAY_SIZE(items) };

static void test_rail_numbers_follow_the_slots(void **state)
{
	static const int numbers[RT_ARRAY_SIZE(items)] = { 1, 0, -1, -1, 2, -1 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(items); i++) {
		const struct rt_opt_u64 number = rt_rail_number(&devices, &items[i]);

		print_message("# %s\n", items[i].ibdev);
		assert_int_equal(number.known, numbers[i] >= 0);
		if (number.known)
			assert_int_equal(number.value, numbers[i]);
	}
}

static void test_rail_entry_that_selects_holds(void **state)
{
	static const struct {
		const char *select;
		bool selects[RT_ARRAY_SIZE(items)];
	} cases[] = {
		{ "rail 0", { [1] = true } },
		{ "rail 1-2", { [0] = true, [4] = true } },
		{ "rail 0,2", { [1] = true, [4] = true } },
		{ "rail -", { false } },
		{ "netdev stor*", { [0] = true, [1] = true } },
		{ "pci 0000:5e:*", { [4] = true } },
		{ "ibdev rxe0", { [5] = true } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile;
		char text[256];

		print_message("# %s\n", cases[i].select);
		snprintf(text, sizeof(text), "name: t\nrails:\n  - {select: \"%s\"}\n",
			 cases[i].select);
		profile = good_profile(text);
		for (size_t d = 0; d < RT_ARRAY_SIZE(items); d++) {
			size_t rail = 7;

			assert_int_equal(rt_rail_select(profile, &devices, &items[d],
							&rail, NULL),
					 0);
			assert_int_equal(rail, cases[i].selects[d] ? 0 : RT_RAIL_NONE);
		}
		rt_profile_free(profile);
	}
}

static void test_rail_two_entries_for_one_port_contradict(void **state)
{
	struct rt_profile *profile = good_profile(
		"name: t\nrails:\n  - {select: rail 0}\n  - {select: netdev stor*}\n");
	struct rt_err err = { 0 };
	size_t rail;

	(void)state;
	assert_int_equal(rt_rail_select(profile, &devices, &items[1], &rail, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "\"rail 0\" and \"netdev stor*\""));
	assert_int_equal(rt_rail_select(profile, &devices, &items[0], &rail, &err), 0);
	assert_int_equal(rail, 1);
	rt_profile_free(profile);
}

static void test_rail_leaf_has_the_number(void **state)
{
	struct rt_rail rail = { .leaf = "leaf{rail}-a" };
	char text[32];

	(void)state;
	assert_string_equal(rt_rail_leaf(&rail, RT_KNOWN_U64(3), text, sizeof(text)),
			    "leaf3-a");
	assert_string_equal(
		rt_rail_leaf(&rail, (struct rt_opt_u64){ 0 }, text, sizeof(text)), "");
	rail.leaf = "leaf";
	assert_string_equal(
		rt_rail_leaf(&rail, (struct rt_opt_u64){ 0 }, text, sizeof(text)),
		"leaf");
	rail.leaf = NULL;
	assert_string_equal(rt_rail_leaf(&rail, RT_KNOWN_U64(3), text, sizeof(text)),
			    "");
}

RT_UNIT_MAIN(cmocka_unit_test(test_rail_numbers_follow_the_slots),
	     cmocka_unit_test(test_rail_entry_that_selects_holds),
	     cmocka_unit_test(test_rail_two_entries_for_one_port_contradict),
	     cmocka_unit_test(test_rail_leaf_has_the_number))
