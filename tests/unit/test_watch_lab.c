/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lab as a source of samples: this process plays the lab, so that nothing but its
 * folder is needed.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "lab/lab_board.h"
#include "lab/lab_nic.h"
#include "lab/lab_state.h"
#include "rocetune/err.h"
#include "run/watch.h"
#include "run/watch_lab.h"
#include "watch/sample.h"
#include "watch/source.h"

#define HOSTS 2

struct lab {
	char path[64];
	struct rt_lab_store store;
	struct rt_lab_claim claim;
	struct rt_lab_board *board;
	struct rt_lab_switch_port ports[HOSTS];
	struct rt_lab_host hosts[HOSTS];
	unsigned count; /* of hosts that there are */
};

/* As a lab's process would, of itself. */
static int note(struct lab *lab)
{
	struct rt_lab_state state = { .version = RT_LAB_STATE_VERSION,
				      .name = "a",
				      .pid = (uint32_t)getpid(),
				      .rate_bps = 200000000,
				      .mtu_bytes = 4188,
				      .lossless = RT_KNOWN_U64(1 << 3),
				      .rdma_prios = RT_KNOWN_U64(1 << 3),
				      .cnp_gap_ns = RT_KNOWN_U64(50000),
				      .hosts = lab->hosts,
				      .host_count = lab->count };

	if (rt_lab_start_ticks(getpid(), &state.start_ticks) < 0 ||
	    rt_lab_boot_id(state.boot_id) < 0)
		return -1;
	return rt_lab_state_write(&lab->claim, &state, NULL);
}

static int be_lab(struct lab *lab)
{
	char removed[160];

	for (unsigned i = 0; i < HOSTS; i++) {
		lab->hosts[i] = (struct rt_lab_host){
			.ip = { { 10, 0, 0, (uint8_t)(i + 1) }, 4 }, .netns_fd = 3
		};
		snprintf(lab->hosts[i].name, 16, "h%u", i);
		snprintf(lab->hosts[i].switch_port, 16, "s0p%u", i);
		snprintf(lab->ports[i].name, 32, "s0p%u", i);
		snprintf(lab->ports[i].peer, 32, "h%u", i);
		lab->ports[i].speed_bps = 200000000;
	}
	if (rt_lab_claim(&lab->store, "a", removed, &lab->claim, NULL) < 0 ||
	    rt_lab_board_create(lab->claim.folder_fd, RT_LAB_COUNTERS_FILE, lab->count,
				&lab->board, NULL) < 0)
		return -1;
	return note(lab);
}

static void write_board(struct lab *lab, uint64_t time_ns)
{
	const struct rt_lab_switch_counters counters = { time_ns, lab->ports,
							 lab->count };

	rt_lab_board_write(lab->board, &counters);
}

static void end_lab(struct lab *lab)
{
	rt_lab_board_close(lab->board);
	rt_lab_claim_remove(&lab->claim);
	rt_lab_claim_close(&lab->claim);
}

static int make(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	lab->count = HOSTS;
	strcpy(lab->path, "/tmp/rt-watch-XXXXXX");
	if (!mkdtemp(lab->path))
		return -1;
	setenv("ROCETUNE_RUN", lab->path, 1);
	*state = lab;
	return rt_lab_store_open(true, &lab->store, NULL);
}

static int unmake(void **state)
{
	struct lab *lab = *state;
	char folder[80];

	rt_lab_store_close(&lab->store);
	snprintf(folder, sizeof(folder), "%s/lab", lab->path);
	/* What a test left is a failure of it. */
	if (rmdir(folder) < 0 || rmdir(lab->path) < 0)
		return -1;
	free(lab);
	return 0;
}

static const struct rt_watch_input *find(const struct rt_watch_sample *sample,
					 const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	fail_msg("no port %s", name);
	return NULL;
}

static uint64_t value(const struct rt_watch_input *input, enum rt_counter_id id,
		      unsigned prio)
{
	const struct rt_opt_u64 known = rt_counter_value(&input->set, id, prio);

	assert_true(known.known);
	return known.value;
}

static void put(struct rt_counter_set *set, enum rt_counter_id id, unsigned prio,
		uint64_t number)
{
	const struct rt_counter_reading reading = { .counter = id,
						    .prio = (uint8_t)prio,
						    .bits = 64,
						    .source = RT_SOURCE_ENGINE,
						    .value = number,
						    .scale = 1 };

	assert_int_equal(rt_counter_set_add(set, &reading), 0);
}

static void write_nic(struct rt_lab_nic *nic, uint64_t ce)
{
	struct rt_counter_set set = { .time_ns = 77, .netdev = "h0" };

	put(&set, RT_COUNTER_PFC_RX_FRAMES, 3, 4);
	put(&set, RT_COUNTER_CE_RX, RT_COUNTER_NO_PRIO, ce);
	rt_lab_nic_write(nic, &set);
	rt_counter_set_free(&set);
}

static void write_file(const struct lab *lab, const void *bytes, size_t count)
{
	const int fd = openat(lab->claim.folder_fd, "nic-h0",
			      O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, count), count);
	close(fd);
}

/* --- what is read ---------------------------------------------------------------------- */

static void test_switch_and_nic_have_the_catalogues_names(void **state)
{
	const struct rt_watch_request request = { 0 };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	const struct rt_watch_input *port;
	struct rt_lab_nic *nic;
	char folder[320];

	assert_int_equal(be_lab(lab), 0);
	lab->ports[1].prios[3] = (struct rt_lab_switch_prio){ .rx_frames = 1,
							      .rx_bytes = 2,
							      .tx_frames = 3,
							      .tx_bytes = 4,
							      .tx_ce = 5,
							      .drops = 6,
							      .drop_bytes = 7,
							      .rx_xoff = 8,
							      .rx_xon = 9,
							      .tx_xoff = 10,
							      .tx_xon = 11,
							      .rx_paused_ns = 12,
							      .tx_paused_ns = 13 };
	lab->ports[1].prios[0] = (struct rt_lab_switch_prio){ .tx_bytes = 100,
							      .drops = 3 };
	write_board(lab, 5);
	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
	write_nic(nic, 42);
	assert_int_equal(rt_watch_lab_open("", &request, &source, NULL), 0);
	assert_string_equal(source->title, "lab a");
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.count, 2 * HOSTS);

	port = find(&sample, "s0p1");
	assert_int_equal(port->port.role, RT_WATCH_SWITCH);
	assert_int_equal(port->port.state, RT_WATCH_UP);
	assert_string_equal(port->port.peer, "h1");
	assert_int_equal(port->port.lossless.value, 1 << 3);
	assert_int_equal(port->set.time_ns, 5);
	assert_int_equal(rt_counter_set_check(&port->set, NULL), 0);
	assert_int_equal(value(port, RT_COUNTER_PFC_RX_FRAMES, 3), 17);
	assert_int_equal(value(port, RT_COUNTER_PFC_RX_NS, 3), 12);
	assert_int_equal(value(port, RT_COUNTER_PFC_TX_FRAMES, 3), 21);
	assert_int_equal(value(port, RT_COUNTER_PFC_TX_NS, 3), 13);
	assert_int_equal(value(port, RT_COUNTER_RX_FRAMES, 3), 1);
	assert_int_equal(value(port, RT_COUNTER_RX_BYTES, RT_COUNTER_NO_PRIO), 2);
	assert_int_equal(value(port, RT_COUNTER_TX_BYTES, RT_COUNTER_NO_PRIO), 104);
	assert_int_equal(value(port, RT_COUNTER_SWITCH_MARKED, 3), 5);
	/* Lossless drops are of what came in, lossy ones of what would leave. */
	assert_int_equal(value(port, RT_COUNTER_RX_DISCARDS, 3), 6);
	assert_int_equal(value(port, RT_COUNTER_RX_DISCARDS, 0), 0);
	assert_int_equal(value(port, RT_COUNTER_TX_DISCARDS, 3), 0);
	assert_int_equal(value(port, RT_COUNTER_TX_DISCARDS, 0), 3);

	port = find(&sample, "h0");
	assert_int_equal(port->port.role, RT_WATCH_NIC);
	assert_string_equal(port->port.peer, "s0p0");
	assert_int_equal(port->port.speed_bps.value, 200000000);
	assert_int_equal(port->port.cnp_gap_ns.value, 50000);
	assert_int_equal(port->port.rdma_prios.value, 1 << 3);
	assert_int_equal(port->set.looks[RT_SOURCE_ENGINE].state, RT_LOOK_READ);
	assert_string_equal(port->port.note, "");
	assert_int_equal(port->set.time_ns, 77);
	assert_int_equal(value(port, RT_COUNTER_CE_RX, RT_COUNTER_NO_PRIO), 42);
	assert_int_equal(port->set.items[0].source, RT_SOURCE_ENGINE);

	/* Nobody plays h1; its port is there, and says so. */
	port = find(&sample, "h1");
	assert_int_equal(port->set.count, 0);
	assert_non_null(strstr(port->port.note, "nobody counts"));
	assert_int_equal(port->set.looks[RT_SOURCE_ENGINE].state, RT_LOOK_NONE);

	/* Nor h0 after its endpoints have ended. */
	rt_lab_nic_close(nic);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(find(&sample, "h0")->set.count, 0);
	assert_int_equal(sample.count, 2 * HOSTS);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	end_lab(lab);
}

static void test_only_ports_that_were_asked_for(void **state)
{
	static const char *const wanted[] = { "s0p*", NULL };
	static const char *const not_wanted[] = { "*1", NULL };
	static const char *const none[] = { "eth*", NULL };
	struct rt_watch_request request = { .ports = wanted, .exclude = not_wanted };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	struct rt_err err = { 0 };

	assert_int_equal(be_lab(lab), 0);
	write_board(lab, 5);
	assert_int_equal(rt_watch_lab_open("a", &request, &source, NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.count, 1);
	assert_string_equal(sample.items[0].port.name, "s0p0");
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	request.ports = none;
	assert_int_equal(rt_watch_lab_open("a", &request, &source, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "h0 to h1"));
	end_lab(lab);
}

/* --- coming and going ------------------------------------------------------------------- */

static void wait_byte(int fd)
{
	char byte;

	assert_int_equal(read(fd, &byte, 1), 1);
}

/* A process that is a lab until it is killed. */
static pid_t start_lab(struct lab *lab)
{
	int up[2];
	pid_t pid;

	assert_int_equal(pipe(up), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (be_lab(lab) < 0)
			_exit(1);
		write_board(lab, 5);
		if (write(up[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	wait_byte(up[0]);
	close(up[0]);
	close(up[1]);
	return pid;
}

static void kill_lab(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_ports_of_a_lab_that_ends_are_gone_and_come_back(void **state)
{
	const struct rt_watch_request request = { 0 };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);
	pid_t pid = start_lab(lab);
	unsigned up = 0;

	assert_int_equal(rt_watch_lab_open("a", &request, &source, NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.items[0].port.state, RT_WATCH_UP);
	kill_lab(pid);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.count, 2 * HOSTS);
	for (size_t i = 0; i < sample.count; i++) {
		assert_int_equal(sample.items[i].port.state, RT_WATCH_GONE);
		assert_int_equal(sample.items[i].set.count, 0);
	}
	pid = start_lab(lab);
	while (!up && rt_monotonic_ns() < until_ns) {
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
		up = sample.items[0].port.state == RT_WATCH_UP;
		usleep(20000);
	}
	assert_true(up);
	assert_int_equal(sample.count, 2 * HOSTS);
	kill_lab(pid);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	assert_int_equal(rt_lab_forget(&lab->store, "a", NULL), 0);
}

/* What the lab itself lost is in no counter, and a file that is none is no zero. */
static void test_what_is_wrong_is_noted(void **state)
{
	const struct rt_watch_request request = { 0 };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	const struct rt_watch_input *port;
	struct rt_lab_nic *nic;
	char folder[320];

	assert_int_equal(be_lab(lab), 0);
	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
	lab->ports[1].ring_drops = 5;
	write_board(lab, 5);
	write_file(lab, "nothing", 7);
	assert_int_equal(rt_watch_lab_open("a", &request, &source, NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_string_equal(find(&sample, "s0p0")->port.note, "");
	assert_non_null(
		strstr(find(&sample, "s0p1")->port.note, " 5 frames were lost"));
	port = find(&sample, "h0");
	assert_int_equal(port->set.looks[RT_SOURCE_ENGINE].state, RT_LOOK_FAILED);
	assert_non_null(strstr(port->port.note, "no counters"));
	assert_string_equal(port->set.looks[RT_SOURCE_ENGINE].why, port->port.note);
	assert_int_equal(port->set.count, 0);
	/* Both pass. */
	lab->ports[1].ring_drops = 0;
	write_board(lab, 6);
	write_nic(nic, 1);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_string_equal(find(&sample, "s0p1")->port.note, "");
	assert_string_equal(find(&sample, "h0")->port.note, "");
	assert_int_equal(find(&sample, "h0")->set.looks[RT_SOURCE_ENGINE].state,
			 RT_LOOK_READ);
	rt_lab_nic_close(nic);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	end_lab(lab);
}

/* Another lab took the name, with fewer hosts. */
static void test_ports_that_the_next_lab_has_not_are_gone(void **state)
{
	const struct rt_watch_request request = { 0 };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	const int64_t until_ns = rt_monotonic_ns() + INT64_C(20000000000);
	pid_t pid = start_lab(lab);

	assert_int_equal(rt_watch_lab_open("a", &request, &source, NULL), 0);
	assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	assert_int_equal(sample.count, 2 * HOSTS);
	kill_lab(pid);
	lab->count = 1;
	pid = start_lab(lab);
	do {
		usleep(20000);
		assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
	} while (find(&sample, "s0p0")->port.state != RT_WATCH_UP &&
		 rt_monotonic_ns() < until_ns);
	assert_int_equal(find(&sample, "s0p0")->port.state, RT_WATCH_UP);
	assert_int_equal(find(&sample, "h0")->port.state, RT_WATCH_UP);
	assert_int_equal(find(&sample, "s0p1")->port.state, RT_WATCH_GONE);
	assert_int_equal(find(&sample, "s0p1")->set.count, 0);
	assert_int_equal(find(&sample, "h1")->port.state, RT_WATCH_GONE);
	kill_lab(pid);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	assert_int_equal(rt_lab_forget(&lab->store, "a", NULL), 0);
}

static void test_labs_that_cannot_be_watched(void **state)
{
	const struct rt_watch_request request = { 0 };
	struct lab *lab = *state;
	struct rt_watch_source *source = NULL;
	struct rt_err err = { 0 };

	assert_int_equal(rt_watch_lab_open(NULL, &request, &source, &err), -ENOENT);
	assert_int_equal(rt_watch_lab_open("a", &request, &source, &err), -ENOENT);
	assert_int_equal(rt_watch_lab_open("../a", &request, &source, &err), -EINVAL);
	kill_lab(start_lab(lab));
	assert_int_equal(rt_watch_lab_open("", &request, &source, &err), -ESRCH);
	assert_int_equal(rt_lab_forget(&lab->store, "a", NULL), 0);
	/* Two: one must be named. */
	assert_int_equal(mkdirat(lab->store.fd, "b", 0700), 0);
	assert_int_equal(mkdirat(lab->store.fd, "c", 0700), 0);
	assert_int_equal(rt_watch_lab_open("", &request, &source, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "b or c"));
	unlinkat(lab->store.fd, "b", AT_REMOVEDIR);
	unlinkat(lab->store.fd, "c", AT_REMOVEDIR);
}

/* --- files of NICs ---------------------------------------------------------------------- */

/* Every byte of a good file changed, and every length of it: an error or a set. */
static void test_a_hostile_file_is_an_error(void **state)
{
	struct lab *lab = *state;
	struct rt_counter_set set = { 0 };
	struct rt_lab_nic *nic;
	struct rt_err err = { 0 };
	uint8_t good[4096], bad[4096];
	unsigned refused = 0;
	char folder[320];
	ssize_t n;
	int fd;

	assert_int_equal(be_lab(lab), 0);
	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	assert_int_equal(rt_lab_nic_open(folder, "../x", &nic, &err), -EINVAL);
	assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
	write_nic(nic, 42);
	fd = openat(lab->claim.folder_fd, "nic-h0", O_RDONLY);
	n = read(fd, good, sizeof(good));
	close(fd);
	assert_true(n > 0);
	for (ssize_t i = 0; i < n; i++) {
		memcpy(bad, good, (size_t)n);
		bad[i] ^= 0x80;
		write_file(lab, bad, (size_t)n);
		if (rt_lab_nic_read(&lab->store, "a", "h0", &set, &err) == 0) {
			assert_int_equal(rt_counter_set_check(&set, NULL), 0);
			continue;
		}
		refused++;
		assert_int_equal(set.count, 0);
		assert_non_null(strstr(err.msg, "nic-h0"));
	}
	assert_true(refused > 20);
	for (ssize_t i = 0; i < n; i++) {
		write_file(lab, good, (size_t)i);
		assert_int_equal(rt_lab_nic_read(&lab->store, "a", "h0", &set, &err),
				 -EINVAL);
	}
	write_file(lab, good, (size_t)n);
	assert_int_equal(rt_lab_nic_read(&lab->store, "a", "h0", &set, &err), 0);
	assert_int_equal(set.count, 2);
	/* What a killed writer left goes with the lab. */
	fd = openat(lab->claim.folder_fd, "nic-h1.new", O_WRONLY | O_CREAT, 0600);
	close(fd);
	rt_counter_set_free(&set);
	end_lab(lab);
	rt_lab_nic_close(nic);
}

#define READS 30000u

/* Whoever looks while a file is replaced has the one or the other. */
static void test_reads_are_whole_while_files_are_replaced(void **state)
{
	struct lab *lab = *state;
	struct rt_counter_set set = { 0 };
	struct rt_lab_nic *nic;
	struct rt_err err = { 0 };
	char folder[320];
	pid_t writer;

	assert_int_equal(be_lab(lab), 0);
	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
	write_nic(nic, 1);
	writer = fork();
	if (writer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			write_nic(nic, 2);
	}
	for (unsigned i = 0; i < READS; i++) {
		if (rt_lab_nic_read(&lab->store, "a", "h0", &set, &err) < 0)
			fail_msg("read %u: %s", i, err.msg);
		assert_int_equal(set.count, 2);
	}
	kill_lab(writer);
	rt_counter_set_free(&set);
	rt_lab_nic_close(nic);
	end_lab(lab);
}

/* A file that has another name as well is somebody else's: it is not read. */
static void test_a_second_name_is_refused(void **state)
{
	struct lab *lab = *state;
	struct rt_counter_set set = { 0 };
	struct rt_lab_nic *nic;
	char folder[320], other[80];

	assert_int_equal(be_lab(lab), 0);
	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	snprintf(other, sizeof(other), "%s/other", lab->path);
	assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
	write_nic(nic, 1);
	assert_int_equal(linkat(lab->claim.folder_fd, "nic-h0", AT_FDCWD, other, 0), 0);
	assert_int_equal(rt_lab_nic_read(&lab->store, "a", "h0", &set, NULL), -ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rt_lab_nic_read(&lab->store, "a", "h0", &set, NULL), 0);
	rt_counter_set_free(&set);
	rt_lab_nic_close(nic);
	end_lab(lab);
}

/* Whoever writes all the time does not keep the lab's folder. */
static void test_a_writer_keeps_no_folder(void **state)
{
	struct lab *lab = *state;
	char folder[320];

	snprintf(folder, sizeof(folder), "%s/a", lab->store.path);
	for (unsigned i = 0; i < 20; i++) {
		struct rt_lab_nic *nic;
		int ready[2];
		pid_t writer;

		assert_int_equal(be_lab(lab), 0);
		assert_int_equal(rt_lab_nic_open(folder, "h0", &nic, NULL), 0);
		assert_int_equal(pipe(ready), 0);
		writer = fork();
		if (writer == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			write_nic(nic, 1);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				write_nic(nic, 2);
		}
		wait_byte(ready[0]);
		end_lab(lab);
		assert_int_equal(access(folder, F_OK), -1);
		kill_lab(writer);
		rt_lab_nic_close(nic);
		close(ready[0]);
		close(ready[1]);
	}
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, make, unmake)
RT_UNIT_MAIN(TEST(test_switch_and_nic_have_the_catalogues_names),
	     TEST(test_only_ports_that_were_asked_for),
	     TEST(test_ports_of_a_lab_that_ends_are_gone_and_come_back),
	     TEST(test_what_is_wrong_is_noted),
	     TEST(test_ports_that_the_next_lab_has_not_are_gone),
	     TEST(test_labs_that_cannot_be_watched),
	     TEST(test_a_hostile_file_is_an_error),
	     TEST(test_reads_are_whole_while_files_are_replaced),
	     TEST(test_a_second_name_is_refused), TEST(test_a_writer_keeps_no_folder))
