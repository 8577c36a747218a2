/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a lab notes of itself, read as if somebody else had written it; and who may
 * have which name.
 */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/own.h"
#include "lab/lab_board.h"
#include "lab/lab_state.h"
#include "rocetune/err.h"

/* --- a state as text --------------------------------------------------------------------- */

#define HOST                                                                     \
	"{\"name\":\"h0\",\"switch_port\":\"s0p0\",\"ip\":\"10.0.0.1\",\"mac\":" \
	"\"02:6c:61:62:00:01\",\"netns_fd\":7}"
#define STATE(version, name, pid, hosts)                                              \
	"{\"rocetune\":1,\"kind\":\"lab_state\",\"version\":" version                 \
	",\"name\":\"" name "\",\"pid\":" pid ",\"start_ticks\":5,\"boot_id\":\"b\"," \
	"\"user_namespace\":false,\"topology\":\"star\",\"rate_bps\":200000000,"      \
	"\"mtu_bytes\":1500,\"profile\":\"\",\"said\":\"\",\"hosts\":[" hosts "]}"

#define ZEROS "00000000000000000000000000000000000000000000000000000000" /* 56 */
#define PRIOS(prios)                                                             \
	"{\"rocetune\":1,\"kind\":\"lab_state\",\"dscp_prios\":\"" prios         \
	"\",\"version\":1"                                                       \
	",\"name\":\"lab-1\",\"pid\":4711,\"start_ticks\":5,\"boot_id\":\"b\","  \
	"\"user_namespace\":false,\"topology\":\"star\",\"rate_bps\":200000000," \
	"\"mtu_bytes\":1500,\"profile\":\"\",\"said\":\"\",\"hosts\":[" HOST "]}"

static void test_priorities_are_by_dscp(void **state)
{
	(void)state;
	assert_false(rt_lab_prio_of("", 24).known); /* an older lab's */
	assert_true(rt_lab_prio_of(ZEROS "33333335", 0).known);
	assert_int_equal(rt_lab_prio_of(ZEROS "33333335", 0).value, 0);
	assert_int_equal(rt_lab_prio_of(ZEROS "33333335", 56).value, 3);
	assert_int_equal(rt_lab_prio_of(ZEROS "33333335", 63).value, 5);
	assert_false(rt_lab_prio_of(ZEROS "33333335", 64).known);
}

static void test_state_lets_through_only_what_a_lab_can_be(void **state)
{
	static const struct {
		const char *label, *text;
		int r;
	} cases[] = {
		{ "whole", STATE("1", "lab-1", "4711", HOST), 0 },
		{ "of later", STATE("2", "lab-1", "4711", HOST), -EINVAL },
		{ "all processes", STATE("1", "lab-1", "0", HOST), -EINVAL },
		{ "init", STATE("1", "lab-1", "1", HOST), -EINVAL },
		{ "a group", STATE("1", "lab-1", "4294967295", HOST), -EINVAL },
		{ "minus", STATE("1", "lab-1", "-5", HOST), -EINVAL },
		{ "a path", STATE("1", "../x", "4711", HOST), -EINVAL },
		{ "no name", STATE("1", "", "4711", HOST), -EINVAL },
		{ "priorities", PRIOS(ZEROS "33333333"), 0 },
		{ "too few", PRIOS(ZEROS "3333333"), -EINVAL },
		{ "a ninth priority", PRIOS(ZEROS "33333338"), -EINVAL },
		{ "nobody", STATE("1", "lab-1", "4711", ""), -EINVAL },
		{ "a host with a path",
		  STATE("1", "lab-1", "4711",
			"{\"name\":\"../h0\",\"switch_port\":\"s0p0\",\"ip\":"
			"\"10.0.0.1\",\"mac\":\"02:6c:61:62:00:01\",\"netns_fd\":7}"),
		  -EINVAL },
		{ "a negative file",
		  STATE("1", "lab-1", "4711",
			"{\"name\":\"h0\",\"switch_port\":\"s0p0\",\"ip\":\"10.0.0.1\","
			"\"mac\":\"02:6c:61:62:00:01\",\"netns_fd\":4294967295}"),
		  -EINVAL },
		{ "no text", "", -EINVAL },
		{ "cut short", "{\"rocetune\":1,\"kind\":\"lab_state\",\"ver",
		  -EINVAL },
		{ "of another kind", "{\"rocetune\":1,\"kind\":\"journal\"}", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lab_state read = { 0 };
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_lab_state_parse("s", cases[i].text,
						    strlen(cases[i].text), &read, &err),
				 cases[i].r);
		if (cases[i].r == 0) {
			assert_int_equal(read.pid, 4711);
			assert_int_equal(read.host_count, 1);
			assert_int_equal(read.hosts[0].netns_fd, 7);
		} else {
			assert_true(*err.msg);
		}
		rt_lab_state_free(&read);
	}
}

/* --- folders ------------------------------------------------------------------------------- */

struct folder {
	char path[64];
	struct rt_lab_store store;
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	strcpy(folder->path, "/tmp/rt-lab-XXXXXX");
	if (!mkdtemp(folder->path))
		return -1;
	setenv("ROCETUNE_RUN", folder->path, 1);
	*state = folder;
	return rt_lab_store_open(true, &folder->store, NULL);
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	char lab[80];

	rt_lab_store_close(&folder->store);
	snprintf(lab, sizeof(lab), "%s/lab", folder->path);
	/* What a test left is a failure of it. */
	if (rmdir(lab) < 0 || rmdir(folder->path) < 0)
		return -1;
	free(folder);
	return 0;
}

/* Of this process, as a lab would write it of itself. */
static struct rt_lab_state own_state(const char *name, struct rt_lab_host *host)
{
	struct rt_lab_state state = { .version = RT_LAB_STATE_VERSION,
				      .pid = (uint32_t)getpid(),
				      .hosts = host,
				      .host_count = 1 };

	*host = (struct rt_lab_host){ .name = "h0",
				      .switch_port = "s0p0",
				      .ip = { { 10, 0, 0, 1 }, 4 },
				      .netns_fd = 3 };
	snprintf(state.name, sizeof(state.name), "%s", name);
	assert_int_equal(rt_lab_start_ticks(getpid(), &state.start_ticks), 0);
	assert_int_equal(rt_lab_boot_id(state.boot_id), 0);
	return state;
}

static void test_store_gives_a_name_once(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_claim claim, other;
	struct rt_lab_state mine, found;
	struct rt_lab_host host;
	char removed[160];
	struct rt_err err = { 0 };

	assert_int_equal(rt_lab_find(&folder->store, "a", &found, &err), -ENOENT);
	assert_int_equal(rt_lab_claim(&folder->store, "a", removed, &claim, &err), 0);
	assert_string_equal(removed, "");
	assert_int_equal(rt_lab_claim(&folder->store, "a", removed, &other, &err),
			 -EEXIST);
	/* Between the folder and the state it is being made. */
	assert_int_equal(rt_lab_find(&folder->store, "a", &found, &err), -EAGAIN);
	mine = own_state("a", &host);
	assert_int_equal(rt_lab_state_write(&claim, &mine, &err), 0);
	assert_int_equal(rt_lab_find(&folder->store, "a", &found, &err), 0);
	assert_int_equal(found.pid, getpid());
	assert_int_equal(rt_lab_forget(&folder->store, "a", &err), -EBUSY);
	rt_lab_state_free(&found);
	rt_lab_claim_remove(&claim);
	rt_lab_claim_close(&claim);
	assert_int_equal(rt_lab_find(&folder->store, "a", &found, &err), -ENOENT);
}

/* A process takes the name, notes itself, and dies without a word. */
static void die_as_lab(const struct rt_lab_store *store, const char *name)
{
	const pid_t pid = fork();
	struct rt_lab_claim claim;
	struct rt_lab_state mine;
	struct rt_lab_host host;
	char removed[160];
	int status;

	if (pid == 0) {
		if (rt_lab_claim(store, name, removed, &claim, NULL) < 0)
			_exit(1);
		mine = own_state(name, &host);
		rt_lab_write_end(&claim, "an interface went away");
		_exit(rt_lab_state_write(&claim, &mine, NULL) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_store_knows_the_dead_and_removes_them(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_claim claim;
	struct rt_lab_state found;
	struct rt_names names;
	char removed[160];
	struct rt_err err = { 0 };

	die_as_lab(&folder->store, "b");
	assert_int_equal(rt_lab_find(&folder->store, "b", &found, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "an interface went away"));
	assert_int_equal(rt_lab_store_names(&folder->store, &names, &err), 0);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "b");
	rt_names_free(&names);
	assert_int_equal(rt_lab_claim(&folder->store, "b", removed, &claim, &err), 0);
	assert_non_null(strstr(removed, "died"));
	rt_lab_claim_remove(&claim);
	rt_lab_claim_close(&claim);
	die_as_lab(&folder->store, "b");
	assert_int_equal(rt_lab_forget(&folder->store, "b", &err), 0);
	assert_int_equal(rt_lab_forget(&folder->store, "b", &err), -ENOENT);
}

#define LIVES 150u

/* A lab again and again, which finds that it is whole as long as it is; 0: always. */
static int live_and_die(const struct rt_lab_store *store)
{
	for (unsigned lives = 0; lives < LIVES;) {
		struct rt_lab_claim claim;
		struct rt_lab_state mine;
		struct rt_lab_host host;
		char removed[160];
		int r = rt_lab_claim(store, "x", removed, &claim, NULL);

		if (r == -EEXIST) { /* whoever has it needs the processor, too */
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
			continue;
		}
		if (r < 0)
			return 1;
		lives++;
		mine = own_state("x", &host);
		if (rt_lab_state_write(&claim, &mine, NULL) < 0)
			return 2;
		for (unsigned look = 0; look < 5; look++) {
			sched_yield();
			if (!rt_lab_state_is_ours(&claim) ||
			    faccessat(claim.folder_fd, RT_LAB_LOCK_FILE, F_OK, 0) < 0)
				return 3;
		}
		rt_lab_claim_remove(&claim);
		rt_lab_claim_close(&claim);
	}
	return 0;
}

/* Whoever takes a name that is just being given up keeps what it writes. */
static void test_store_takes_nothing_from_the_next_one(void **state)
{
	const struct folder *folder = *state;
	pid_t pids[3];

	for (unsigned i = 0; i < RT_ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(live_and_die(&folder->store));
	}
	for (unsigned i = 0; i < RT_ARRAY_SIZE(pids); i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

/* A lab whose state is not a file of ours but a link to one that others wrote. */
static void test_store_follows_no_links(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_claim claim;
	struct rt_lab_state found;
	char removed[160], target[128];
	struct rt_err err = { 0 };
	const char text[] = STATE("1", "c", "4711", HOST);
	int fd;

	assert_int_equal(rt_lab_claim(&folder->store, "c", removed, &claim, &err), 0);
	snprintf(target, sizeof(target), "%s/elsewhere", folder->path);
	fd = open(target, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(symlinkat(target, claim.folder_fd, "state.json"), 0);
	assert_int_equal(rt_lab_find(&folder->store, "c", &found, &err), -ELOOP);
	unlinkat(claim.folder_fd, "state.json", 0);
	/* A pipe must not hold who opens it. */
	assert_int_equal(mkfifoat(claim.folder_fd, "state.json", 0600), 0);
	assert_int_equal(rt_lab_find(&folder->store, "c", &found, &err), -ELOOP);
	unlinkat(claim.folder_fd, "state.json", 0);
	/* Nor a second name of a file that somebody else has, too. */
	assert_int_equal(linkat(AT_FDCWD, target, claim.folder_fd, "state.json", 0), 0);
	assert_int_equal(rt_lab_find(&folder->store, "c", &found, &err), -ELOOP);
	unlink(target);
	rt_lab_claim_remove(&claim);
	rt_lab_claim_close(&claim);
	/* The folder of a lab as a link. */
	assert_int_equal(symlinkat("/tmp", folder->store.fd, "c"), 0);
	assert_true(rt_lab_claim(&folder->store, "c", removed, &claim, &err) < 0);
	assert_true(rt_lab_find(&folder->store, "c", &found, &err) < 0);
	unlinkat(folder->store.fd, "c", 0);
}

static void test_store_is_private(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_store other;
	struct rt_err err = { 0 };
	char path[80];

	snprintf(path, sizeof(path), "%s/lab", folder->path);
	chmod(path, 0770);
	assert_int_equal(rt_lab_store_open(false, &other, &err), -EPERM);
	chmod(path, 0700);
	assert_int_equal(rt_lab_store_open(false, &other, &err), 0);
	rt_lab_store_close(&other);
}

/* A lab's process leaves the folder that it was started in, its notes stay there. */
static void test_store_is_found_from_any_folder(void **state)
{
	const struct folder *folder = *state;
	const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct rt_lab_store other;
	char path[sizeof(other.path)];

	assert_int_equal(chdir(folder->path), 0);
	setenv("ROCETUNE_RUN", ".", 1);
	assert_int_equal(rt_lab_store_open(false, &other, NULL), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(access(other.path, F_OK), 0);
	rt_lab_store_close(&other);
	/* What the path has no room for. */
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	setenv("ROCETUNE_RUN", path, 1);
	assert_int_equal(rt_lab_store_open(false, &other, NULL), -ENAMETOOLONG);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

static void test_pidfd_is_of_no_other_process(void **state)
{
	struct rt_lab_host host;
	struct rt_lab_state mine = own_state("d", &host);
	struct rt_err err = { 0 };
	int fd = -1;
	int r;

	(void)state;
	r = rt_lab_pidfd(&mine, &fd, &err);
	if (r == -ENOSYS) {
		print_message("# skipped: no pidfd_open() here\n");
		skip(); /* valgrind */
	}
	assert_int_equal(r, 0);
	close(fd);
	mine.start_ticks++;
	assert_int_equal(rt_lab_pidfd(&mine, &fd, &err), -ESRCH);
	mine.start_ticks--;
	mine.boot_id[0] ^= 1;
	assert_int_equal(rt_lab_pidfd(&mine, &fd, &err), -ESRCH);
}

/* --- counters ------------------------------------------------------------------------------- */

#define PORTS 3

static void test_board_gives_back_what_was_written(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_switch_port ports[PORTS] = { { .name = "s0p0", .peer = "h0" },
						   { .name = "s0p1", .peer = "h1" },
						   { .name = "s0p2", .peer = "h2" } };
	struct rt_lab_switch_counters written = { 5, ports, PORTS }, read;
	struct rt_lab_board *board = NULL;
	struct rt_err err = { 0 };
	int fd;

	ports[1].prios[3].tx_ce = UINT64_MAX;
	assert_int_equal(
		rt_lab_board_create(folder->store.fd, "board", PORTS, &board, &err), 0);
	rt_lab_board_write(board, &written);
	fd = openat(folder->store.fd, "board", O_RDWR);
	assert_int_equal(rt_lab_board_read(fd, &read, &err), 0);
	assert_int_equal(read.time_ns, 5);
	assert_int_equal(read.port_count, PORTS);
	assert_memory_equal(read.ports, ports, sizeof(ports));
	free(read.ports);
	/* Cut short under the reader, and longer than it says. */
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(rt_lab_board_read(fd, &read, &err), -EINVAL);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(rt_lab_board_read(fd, &read, &err), -EINVAL);
	/* Whoever cut it off: the next counters are whole, and nobody got a signal. */
	assert_int_equal(ftruncate(fd, 0), 0);
	rt_lab_board_write(board, &written);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	rt_lab_board_write(board, &written);
	assert_int_equal(rt_lab_board_read(fd, &read, &err), 0);
	assert_int_equal(read.port_count, PORTS);
	free(read.ports);
	close(fd);
	rt_lab_board_close(board);
	unlinkat(folder->store.fd, "board", 0);
}

static void test_board_is_read_whole_while_it_is_written(void **state)
{
	const struct folder *folder = *state;
	struct rt_lab_switch_port ports[PORTS] = { 0 };
	struct rt_lab_switch_counters counters = { 0, ports, PORTS };
	struct rt_lab_board *board = NULL;
	pid_t writer;
	int fd;

	assert_int_equal(
		rt_lab_board_create(folder->store.fd, "board", PORTS, &board, NULL), 0);
	writer = fork();
	if (writer == 0)
		for (;;) {
			counters.time_ns++;
			for (unsigned i = 0; i < PORTS; i++)
				ports[i].prios[7].headroom_max_bytes = counters.time_ns;
			rt_lab_board_write(board, &counters);
		}
	fd = openat(folder->store.fd, "board", O_RDONLY);
	for (unsigned i = 0; i < 300; i++) {
		struct rt_lab_switch_counters read;
		/* A writer that never rests may win; what is given is whole. */
		const int r = rt_lab_board_read(fd, &read, NULL);

		if (r == -EAGAIN)
			continue;
		assert_int_equal(r, 0);
		for (unsigned p = 0; p < PORTS; p++)
			assert_true(read.ports[p].prios[7].headroom_max_bytes ==
				    read.time_ns);
		free(read.ports);
	}
	close(fd);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	rt_lab_board_close(board);
	unlinkat(folder->store.fd, "board", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_lets_through_only_what_a_lab_can_be),
		cmocka_unit_test(test_priorities_are_by_dscp),
		cmocka_unit_test_setup_teardown(test_store_gives_a_name_once,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_store_knows_the_dead_and_removes_them, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(
			test_store_takes_nothing_from_the_next_one, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(test_store_follows_no_links,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_store_is_private, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_store_is_found_from_any_folder,
						make_folder, remove_folder),
		cmocka_unit_test(test_pidfd_is_of_no_other_process),
		cmocka_unit_test_setup_teardown(test_board_gives_back_what_was_written,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_board_is_read_whole_while_it_is_written, make_folder,
			remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
