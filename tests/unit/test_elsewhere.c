/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_elsewhere.c - RDMA devices of other network namespaces: which there are, whose
 * they are, how one gets there, and what can be told without being root.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bundle.h"
#include "host/device.h"
#include "host/elsewhere.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"

#define FUNCTION "sys/devices/pci0000:3a/0000:3b:02."

struct elsewhere_case {
	struct rt_fake *fake;
	struct rt_devices here;
};

static void link_to(struct rt_fake *fake, const char *path, const char *target)
{
	assert_int_equal(rt_bundle_add_symlink(fake->tree, path, target, NULL), 0);
}

/* A function of mlx5_core whose RDMA device is not seen here; verbs: programs' name. */
static void add_function(struct rt_fake *fake, unsigned n, const char *ibdev)
{
	char path[120], target[120];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/0000:3b:02.%u", n);
	snprintf(target, sizeof(target), "../../../devices/pci0000:3a/0000:3b:02.%u",
		 n);
	link_to(fake, path, target);
	snprintf(path, sizeof(path), FUNCTION "%u/driver", n);
	link_to(fake, path, "../../../bus/pci/drivers/mlx5_core");
	snprintf(path, sizeof(path), FUNCTION "%u/infiniband", n);
	assert_int_equal(rt_bundle_add_folder(fake->tree, path, NULL), 0);
	if (!ibdev)
		return;
	snprintf(path, sizeof(path), "sys/class/infiniband_verbs/uverbs%u", n);
	snprintf(target, sizeof(target),
		 "../../devices/pci0000:3a/0000:3b:02.%u/infiniband_verbs/uverbs%u", n,
		 n);
	link_to(fake, path, target);
	snprintf(path, sizeof(path), FUNCTION "%u/infiniband_verbs/uverbs%u/ibdev", n,
		 n);
	assert_int_equal(
		rt_bundle_add_file(fake->tree, path, ibdev, strlen(ibdev), NULL), 0);
}

static void begin(struct elsewhere_case *at)
{
	*at = (struct elsewhere_case){ 0 };
	assert_int_equal(rt_fake_new(&at->fake, NULL), 0);
	assert_non_null(rt_fake_add_port(at->fake, "mlx5"));
	assert_int_equal(rt_devices_read(&at->fake->kern, 0, &at->here, NULL), 0);
	assert_int_equal(at->here.count, 1);
}

static void end(struct elsewhere_case *at)
{
	assert_int_equal(at->fake->writes, 0);
	rt_devices_free(&at->here);
	rt_kern_close(&at->fake->kern);
}

static struct rt_elsewheres read_all(struct elsewhere_case *at)
{
	struct rt_elsewheres found = { 0 };
	struct rt_err err = { 0 };

	if (rt_elsewhere_read(&at->fake->kern, &at->here, &found, &err) < 0)
		fail_msg("%s", err.msg);
	return found;
}

static void set_home(struct rt_fake *fake, const char *ibdev, const char *pci,
		     const char *name, uint32_t pid)
{
	struct rt_rdma_home *home = &fake->homes[fake->home_count++];

	home->netns = 4026532000 + fake->home_count;
	home->pid = pid;
	snprintf(home->ibdev, sizeof(home->ibdev), "%s", ibdev);
	snprintf(home->pci, sizeof(home->pci), "%s", pci);
	snprintf(home->netns_name, sizeof(home->netns_name), "%s", name);
}

static void test_elsewhere_has_a_way_there(void **state)
{
	static const struct {
		const char *label, *pci, *name;
		uint32_t pid;
		const char *where,
			*remedy; /* "": none; of an own command its beginning */
	} cases[] = {
		{ "a name", "0000:3b:00.7", "pod1", 71, "in network namespace pod1",
		  "ip netns exec pod1 rocetune top" },
		{ "a process", "", "", 71, "in the network namespace of process 71",
		  "nsenter -t 71 -n " },
		{ "a name that a shell would take apart", "", "a;reboot", 71,
		  "in the network namespace of process 71", "nsenter -t 71 -n " },
		{ "one that an option looks like", "", "-all", 71,
		  "in the network namespace of process 71", "nsenter -t 71 -n " },
		{ "no way", "", "$(x)", 0, "in another network namespace",
		  "no process and no name" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_elsewheres found;
		struct elsewhere_case at;
		const char *remedy;

		print_message("# %s\n", cases[i].label);
		begin(&at);
		set_home(at.fake, "mlx5_7", cases[i].pci, cases[i].name, cases[i].pid);
		found = read_all(&at);
		assert_int_equal(found.count, 1);
		remedy = found.items[0].remedy;
		assert_string_equal(found.items[0].device, "mlx5_7");
		assert_string_equal(found.items[0].pci, cases[i].pci);
		assert_string_equal(found.items[0].where, cases[i].where);
		assert_memory_equal(remedy, cases[i].remedy, strlen(cases[i].remedy));
		assert_int_equal(found.items[0].netns_id.value, 4026532001);
		rt_elsewheres_free(&found);
		end(&at);
	}
}

static void test_elsewhere_is_not_what_is_here(void **state)
{
	struct rt_elsewheres found;
	struct elsewhere_case at;

	(void)state;
	begin(&at);
	/* Both in one namespace, as where devices become shared meanwhile. */
	set_home(at.fake, "mlx5_0", "0000:3b:00.0", "pod1", 0);
	found = read_all(&at);
	assert_int_equal(found.count, 0);
	rt_elsewheres_free(&found);
	/* A driver that made no RDMA device has no folder of them. */
	link_to(at.fake, "sys/bus/pci/devices/0000:3b:03.0",
		"../../../devices/pci0000:3a/0000:3b:03.0");
	link_to(at.fake, "sys/devices/pci0000:3a/0000:3b:03.0/driver",
		"../../../bus/pci/drivers/mlx5_core");
	found = read_all(&at);
	assert_int_equal(found.count, 0);
	rt_elsewheres_free(&found);
	end(&at);
}

static void test_elsewhere_joins_what_is_known(void **state)
{
	struct rt_elsewheres found;
	struct elsewhere_case at;

	(void)state;
	begin(&at);
	set_home(at.fake, "mlx5_2", "", "pod2", 0); /* its PCI address: by verbs */
	set_home(at.fake, "mlx5_3", "0000:3b:02.3", "pod3", 0);
	add_function(at.fake, 2, "mlx5_2\n");
	add_function(at.fake, 3, NULL);
	found = read_all(&at);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.items[0].pci, "0000:3b:02.2");
	assert_string_equal(found.items[0].driver, "mlx5_core");
	assert_string_equal(found.items[0].netns, "pod2");
	assert_string_equal(found.items[1].driver, "mlx5_core");
	rt_elsewheres_free(&found);

	/* Of two that are not joined none is said to be lost. */
	set_home(at.fake, "mlx5_4", "", "pod4", 0);
	add_function(at.fake, 4, NULL);
	found = read_all(&at);
	assert_int_equal(found.count, 4);
	assert_string_equal(found.items[3].pci, "0000:3b:02.4");
	assert_non_null(strstr(found.items[3].where, "one of those"));
	assert_string_equal(found.items[3].remedy, "");
	rt_elsewheres_free(&found);
	end(&at);
}

static void test_elsewhere_without_root(void **state)
{
	struct rt_elsewheres found;
	struct elsewhere_case at;

	(void)state;
	begin(&at);
	at.fake->homes_code = -EPERM;
	add_function(at.fake, 2, "mlx5_2\n");
	add_function(at.fake, 3, NULL);
	found = read_all(&at);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.items[0].device, "mlx5_2");
	assert_string_equal(found.items[0].pci, "0000:3b:02.2");
	assert_string_equal(found.items[1].pci, "0000:3b:02.3");
	for (size_t i = 0; i < found.count; i++) {
		assert_string_equal(found.items[i].where,
				    "in another network namespace");
		assert_string_equal(found.items[i].remedy,
				    "as root rocetune can say in which");
		assert_false(found.items[i].netns_id.known);
	}
	rt_elsewheres_free(&found);
	/* Where the question is none, nothing is made of what sysfs has. */
	at.fake->homes_code = -EOPNOTSUPP;
	found = read_all(&at);
	assert_int_equal(found.count, 0);
	rt_elsewheres_free(&found);
	end(&at);
}

static void test_elsewhere_says_when_not_all_were_asked(void **state)
{
	struct rt_elsewheres found;
	struct elsewhere_case at;

	(void)state;
	begin(&at);
	at.fake->homes_partial = true;
	add_function(at.fake, 2, "mlx5_2\n");
	found = read_all(&at);
	assert_int_equal(found.count, 1);
	assert_non_null(strstr(found.items[0].remedy, "not all namespaces"));
	rt_elsewheres_free(&found);
	end(&at);
}

static void test_elsewhere_is_told_by_any_name(void **state)
{
	static const struct {
		const char *name;
		const char *said; /* NULL: it is not there */
	} cases[] = {
		{ "mlx5_7",
		  "mlx5_7 is in network namespace pod1: ip netns exec pod1 rocetune "
		  "show it" },
		{ "mlx5_7/1",
		  "mlx5_7/1 is in network namespace pod1: ip netns exec pod1 rocetune "
		  "show it" },
		{ "0000:3B:02.7",
		  "0000:3B:02.7 is in network namespace pod1: ip netns exec pod1 "
		  "rocetune show it" },
		{ NULL,
		  "mlx5_7 is in network namespace pod1: ip netns exec pod1 rocetune "
		  "show it" },
		{ "mlx5_70", NULL },
		{ "mlx5", NULL },
		{ "mlx5_0", NULL },
		{ "", NULL },
	};
	struct elsewhere_case at;

	(void)state;
	begin(&at);
	set_home(at.fake, "mlx5_7", "0000:3b:02.7", "pod1", 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_err err = { .msg = "as it was" };
		const bool told = rt_elsewhere_tell(&at.fake->kern, &at.here,
						    cases[i].name, "show it", &err);

		print_message("# %s: %s\n", cases[i].name ? cases[i].name : "any",
			      err.msg);
		assert_int_equal(told, cases[i].said != NULL);
		assert_string_equal(err.msg, told ? cases[i].said : "as it was");
	}
	end(&at);
}

RT_UNIT_MAIN(cmocka_unit_test(test_elsewhere_has_a_way_there),
	     cmocka_unit_test(test_elsewhere_is_not_what_is_here),
	     cmocka_unit_test(test_elsewhere_joins_what_is_known),
	     cmocka_unit_test(test_elsewhere_without_root),
	     cmocka_unit_test(test_elsewhere_says_when_not_all_were_asked),
	     cmocka_unit_test(test_elsewhere_is_told_by_any_name))
