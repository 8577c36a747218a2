/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_access_late.c - hns_roce's files: what is written reaches the NIC, and what is
 * read back is the NIC's.  The driver here does as openEuler's hns_roce_sysfs.c does.
 */
#include "plans.h"

#include <errno.h>
#include <time.h>

#include "base/own.h"

#define HC3 "/sys/class/infiniband/hns_0/ports/1/hc3_cc_param/"

/* One law with one parameter; times in ms. */
static struct {
	unsigned kept, nic; /* of the driver, of the hardware */
	unsigned lifespan_ms;
	int64_t asked_ms, due_ms; /* due 0: nothing is to be sent */
	bool refuses;
	const struct rt_kern_ops *below;
} driver;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void work(void)
{
	if (driver.due_ms && now_ms() >= driver.due_ms) {
		if (!driver.refuses)
			driver.nic = driver.kept;
		driver.due_ms = 0;
	}
}

static bool is_fresh(void)
{
	return now_ms() - driver.asked_ms < driver.lifespan_ms;
}

static int file_read(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		     size_t *ret_bytes, struct rt_err *err)
{
	int bytes;

	if (strcmp(path, HC3 "bandwidth") != 0)
		return driver.below->file_read(kern, path, buf, capacity, ret_bytes,
					       err);
	work();
	if (!is_fresh()) {
		driver.asked_ms = now_ms();
		driver.kept = driver.nic;
	}
	bytes = snprintf(buf, capacity, "%u\n", driver.kept);
	*ret_bytes = (size_t)bytes;
	return 0;
}

static int file_write(struct rt_kern *kern, const char *path, const char *text,
		      struct rt_err *err)
{
	(void)kern;
	(void)err;
	assert_string_equal(path, HC3 "bandwidth");
	work();
	driver.kept = (unsigned)atoi(text);
	if (!is_fresh()) {
		driver.asked_ms = now_ms();
		driver.due_ms = driver.asked_ms + driver.lifespan_ms;
	}
	return 0;
}

static int write_bandwidth(const char *lifespan, bool refuses, unsigned *ret_seen,
			   struct rt_err *err)
{
	static struct rt_plan plan;
	static struct rt_qos have, want, now;
	struct rt_kern_ops ops;
	struct fake_host host;
	int r;

	fake_host_open("hns3", &host);
	driver.below = host.fake->kern.ops;
	driver.kept = driver.nic = 5000;
	driver.lifespan_ms = (unsigned)atoi(lifespan);
	driver.asked_ms = driver.due_ms = 0;
	driver.refuses = refuses;
	ops = *driver.below;
	ops.file_read = file_read;
	ops.file_write = file_write;
	host.fake->kern.ops = &ops;
	if (*lifespan)
		assert_non_null(rt_fake_add_file(host.fake, HC3 "lifespan",
						 RT_FAKE_TEXT, lifespan));
	want = (struct rt_qos){ 0 };
	want_raw(&want, "hc3_bandwidth", 9000);
	fake_host_read(&host, &have);
	make_plan(&host.port, &have, &want, &plan);
	assert_int_equal(plan.step_count, 1);
	r = rt_step_write(&host.port, &plan, &plan.steps[0], err);
	fake_host_read(&host, &now);
	*ret_seen = (unsigned)rt_qos_raw(&now, "hc3_bandwidth")->number;
	host.fake->kern.ops = driver.below;
	fake_host_close(&host);
	return r;
}

static void test_it_reaches_the_nic(void **state)
{
	static const char *const lifespans[] = { "0", "40", "200" };
	struct rt_err err = { 0 };
	unsigned seen;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(lifespans); i++) {
		if (write_bandwidth(lifespans[i], false, &seen, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(driver.nic, 9000);
		assert_int_equal(seen, 9000);
	}
}

/* The driver says nothing of it; only what the NIC holds does. */
static void test_what_the_nic_refuses_is_seen(void **state)
{
	struct rt_err err = { 0 };
	unsigned seen;

	(void)state;
	assert_int_equal(write_bandwidth("40", true, &seen, &err), 0);
	assert_int_equal(seen, 5000);
}

static void test_nobody_waits_long(void **state)
{
	struct rt_err err = { 0 };
	unsigned seen;

	(void)state;
	assert_int_equal(write_bandwidth("1001", false, &seen, &err), -ERANGE);
	assert_non_null(strstr(err.msg, "set it to 1000 or less first"));
	assert_int_equal(driver.nic, 5000);
	assert_int_equal(write_bandwidth("soon", false, &seen, &err), -EPROTO);
	assert_int_equal(write_bandwidth("", false, &seen, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "hc3_cc_param/lifespan"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_it_reaches_the_nic),
	     cmocka_unit_test(test_what_the_nic_refuses_is_seen),
	     cmocka_unit_test(test_nobody_waits_long))
