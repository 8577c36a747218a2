/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rail.c - which entry of rails means which device. */
#include "profiles.h"

#include "base/own.h"
#include "host/rail.h"

/* In the order of the kernel, which is not that of the slots. */
static struct rt_device items[] = {
	{ .ibdev = "mlx5_0",
	  .netdev = "stor1",
	  .pci = "0000:3b:00.1",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LINK_ETHERNET },
	{ .ibdev = "mlx5_1",
	  .netdev = "stor0",
	  .pci = "0000:3b:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LINK_ETHERNET },
	{ .ibdev = "mlx5_2",
	  .netdev = "v0",
	  .pci = "0000:3b:00.2",
	  .port = 1,
	  .function = RT_FUNCTION_VF,
	  .link_layer = RT_LINK_ETHERNET },
	{ .ibdev = "mlx5_3",
	  .netdev = "",
	  .pci = "0000:3c:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LINK_INFINIBAND },
	{ .ibdev = "mlx5_4",
	  .netdev = "gpu0",
	  .pci = "0000:5e:00.0",
	  .port = 1,
	  .function = RT_FUNCTION_PF,
	  .link_layer = RT_LINK_ETHERNET },
	{ .ibdev = "rxe0",
	  .netdev = "eth0",
	  .pci = "",
	  .port = 1,
	  .function = RT_FUNCTION_SOFT,
	  .link_layer = RT_LINK_ETHERNET },
};
static const struct rt_devices devices = { .items = items,
					   .count = RT_ARRAY_SIZE(items) };

static void test_rail_numbers_follow_the_slots(void **state)
{
	static const int numbers[RT_ARRAY_SIZE(items)] = { 1, 0, -1, -1, 2, -1 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(items); i++) {
		const struct rt_opt_u64 number = rt_device_rail(&devices, &items[i]);

		print_message("# %s\n", items[i].ibdev);
		assert_int_equal(number.known, numbers[i] >= 0);
		if (number.known)
			assert_int_equal(number.value, numbers[i]);
	}
}

static void test_rail_first_entry_that_selects_counts(void **state)
{
	static const struct {
		const char *select;
		int entry[RT_ARRAY_SIZE(items)]; /* 0: selects it */
	} cases[] = {
		{ "rail 0", { -1, 0, -1, -1, -1, -1 } },
		{ "rail 1-2", { 0, -1, -1, -1, 0, -1 } },
		{ "rail 0,2", { -1, 0, -1, -1, 0, -1 } },
		{ "rail -", { -1, -1, -1, -1, -1, -1 } },
		{ "netdev stor*", { 0, 0, -1, -1, -1, -1 } },
		{ "pci 0000:5e:*", { -1, -1, -1, -1, 0, -1 } },
		{ "ibdev rxe0", { -1, -1, -1, -1, -1, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile;
		char text[256];

		print_message("# %s\n", cases[i].select);
		snprintf(text, sizeof(text),
			 "name: t\nrails:\n  - {select: \"%s\"}\n  - {select: \"netdev "
			 "*\"}\n",
			 cases[i].select);
		profile = good_profile(text);
		for (size_t d = 0; d < RT_ARRAY_SIZE(items); d++)
			assert_int_equal(rt_rail_of(profile, &devices, &items[d]),
					 cases[i].entry[d] == 0 ? 0 : 1);
		rt_profile_free(profile);
	}
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
	     cmocka_unit_test(test_rail_first_entry_that_selects_counts),
	     cmocka_unit_test(test_rail_leaf_has_the_number))
