/* SPDX-License-Identifier: BSD-2-Clause */
/* test_check_sources.c - where a check takes switches and announcements from. */
#include "alignments.h"

#include <errno.h>
#include <sys/stat.h>

#include "run/check_parts.h"

static char folder[] = "/tmp/rt-check-XXXXXX";

static void put_file(const char *name, const char *text, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	chmod(path, mode);
}

static int make_folder(void **state)
{
	static const char lldpcli[] =
		"#!/bin/sh\n"
		"[ \"$*\" = '-f json show neighbors details' ] || exit 1\n"
		"echo '{\"lldp\":{\"interface\":{\"eth7\":{\"chassis\":{\"leaf-1\":{"
		"\"id\":{\"type\":\"local\",\"value\":\"c\"}}},\"port\":{\"id\":{"
		"\"type\":\"ifname\",\"value\":\"Ethernet0\"}}}}}}'\n";
	struct pair *pair = pair_new(NULL, NULL, NULL, NULL);

	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file("leaf-1.json", pair->text, 0600);
	put_file("leaf-2", pair->text, 0600);
	put_file("broken.cfg", "{\"PORT\": ", 0600);
	put_file("lldpcli", lldpcli, 0700);
	pair_free(pair);
	return 0;
}

static int drop_folder(void **state)
{
	static const char *const names[] = { "leaf-1.json", "leaf-2", "broken.cfg",
					     "lldpcli", "said.json" };
	char path[256];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static void test_check_switch_is_found_by_its_name(void **state)
{
	static const struct {
		const char *label, *name;
		int result;
		const char *is;
	} cases[] = {
		{ "with an ending", "leaf-1", 0, "leaf-1" },
		{ "without", "leaf-2", 0, "leaf-1" }, /* as it calls itself */
		{ "with a domain", "leaf-1.example.net", 0, "leaf-1" },
		{ "not there", "leaf-9", -ENOENT, NULL },
		{ "not understood", "broken", -EINVAL, NULL },
		/* names come from the network */
		{ "out of the folder", "../leaf-1", -ENOENT, NULL },
		{ "from the root", "/etc/passwd", -ENOENT, NULL },
		{ "the folder itself", ".", -ENOENT, NULL },
		{ "of nothing", "", -ENOENT, NULL },
	};
	struct rt_check_switches switches = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_check_switch *item = NULL;
		struct rt_err err = { 0 };
		int r = rt_check_switch_named(&switches, folder, cases[i].name, &item,
					      &err);

		print_message("# %s: %d %s\n", cases[i].label, r, err.msg);
		assert_int_equal(r, cases[i].result);
		if (cases[i].is)
			assert_string_equal(item->name, cases[i].is);
	}
	assert_int_equal(switches.count, 2); /* each read once */
	rt_check_switches_free(&switches);
}

static void hear(const char *lldp, const char *path, struct rt_lldp_peers *peers)
{
	const struct rt_check_request request = { .lldp = path ? path : lldp };
	const char *const netdevs[] = { "eth7" };
	struct rt_err err = { 0 };

	if (rt_check_hear(&request, netdevs, 1, peers, &err) < 0)
		fail_msg("%s", err.msg);
}

static void test_check_hears_from_files_of_both_kinds(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	char path[512];

	(void)state;
	put_file("said.json",
		 " \n{\"lldp\":{\"interface\":{\"eth0\":{\"port\":{\"id\":{\"type\":"
		 "\"ifname\",\"value\":\"p\"}}}}}}",
		 0600);
	snprintf(path, sizeof(path), "%s/said.json", folder);
	hear(NULL, path, &peers);
	assert_int_equal(peers.count, 1);
	assert_string_equal(peers.items[0].interface, "eth0");
	rt_lldp_peers_free(&peers);

	snprintf(path, sizeof(path), "%s/captures/lldp-connectx-nic.pcap",
		 rt_test_shared());
	RT_NEED_SHARED(path);
	hear(NULL, path, &peers);
	assert_int_equal(peers.count, 1);
	rt_lldp_peers_free(&peers);
}

static void test_check_asks_lldpd_first(void **state)
{
	struct rt_lldp_peers peers = { 0 };
	char *before = strdup(getenv("PATH"));
	char path[4096];

	(void)state;
	assert_non_null(before);
	snprintf(path, sizeof(path), "%s:%s", folder, before);
	setenv("PATH", path, 1);
	/* lldpd knows eth7, so there is nothing to listen for */
	hear("live", NULL, &peers);
	assert_int_equal(peers.count, 1);
	assert_string_equal(peers.items[0].interface, "eth7");
	assert_string_equal(peers.items[0].said.system_name, "leaf-1");
	rt_lldp_peers_free(&peers);
	put_file("lldpcli", "#!/bin/sh\necho no daemon\nexit 1\n", 0700);
	assert_true(rt_check_ask_lldpd(&peers, NULL) < 0);
	put_file("lldpcli", "#!/bin/sh\necho nonsense\n", 0700);
	assert_true(rt_check_ask_lldpd(&peers, NULL) < 0);
	assert_int_equal(peers.count, 0);
	setenv("PATH", before, 1);
	free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_switch_is_found_by_its_name),
		cmocka_unit_test(test_check_hears_from_files_of_both_kinds),
		cmocka_unit_test(test_check_asks_lldpd_first),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
