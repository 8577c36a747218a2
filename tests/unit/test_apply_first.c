/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_apply_first.c - the first change of what lies in configfs: its folder is made to
 * learn the old value, and is gone again when nothing was written.
 */
#include "unit.h"

#include <errno.h>

#include "apply_folder.h"
#include "base/own.h"
#include "deadly_host.h"
#include "run/outcome.h"

#define FOLDER "/sys/kernel/config/rdma_cm/mlx5_0"
#define TOS    FOLDER "/ports/1/default_roce_tos"
#define TCLASS                                                              \
	"classes:\n"                                                        \
	"  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: tclass, " \
	"sched: {ets: 60}}\n"                                               \
	"  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 40}}\n"             \
	"host: {trust: dscp, global_pause: no}\n"

static struct rt_apply_host host;

static void begin(void)
{
	fake_host_new(&host);
	assert_non_null(rt_fake_add_port(deaths->fake, "mlx5"));
	memset(deaths->fake->ports[0].dcb.ets.bw, 100, 8);
	/* The kernel's driver: NVIDIA's own alone has this file. */
	for (size_t i = 0; i < deaths->fake->file_count; i++) {
		struct rt_fake_file *file = &deaths->fake->files[i];

		if (!strstr(file->path, "/traffic_class"))
			continue;
		strcpy(file->made_with, file->path);
		file->hidden = true;
	}
	write_profile(TCLASS);
}

static const struct rt_applied *run(struct rt_apply_wish wish,
				    struct rt_outcome *outcome)
{
	static const char *const device = "mlx5_0";
	struct rt_err err = { 0 };

	wish.devices = &device;
	wish.device_count = 1;
	wish.profile = profile;
	wish.confirm_ns = RT_KNOWN_U64(0);
	*outcome = (struct rt_outcome){ 0 };
	if (rt_run_apply(&host, &wish, outcome, &err) < 0)
		fail_msg("%s", err.msg);
	return outcome->object;
}

static const struct rt_applied_knob *tos_of(const struct rt_applied *applied)
{
	for (size_t i = 0; i < applied->ports[0].knob_count; i++)
		if (strcmp(applied->ports[0].knobs[i].knob, "tos.rdma_cm") == 0)
			return &applied->ports[0].knobs[i];
	fail_msg("no tos.rdma_cm: %s", applied->ports[0].reason);
	return NULL;
}

static bool is_made(void)
{
	return rt_fake_file_of(deaths->fake, TOS) != NULL;
}

static void test_dry_run_says_that_it_will_be_read(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin();
	applied = run((struct rt_apply_wish){ .dry_run = true }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_PLANNED);
	assert_string_equal(tos_of(applied)->have, "unknown");
	assert_false(tos_of(applied)->one_way);
	assert_non_null(strstr(tos_of(applied)->note, "read before it is written"));
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_old_value_is_known_and_can_be_had_again(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin();
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_string_equal(tos_of(applied)->have, "0");
	assert_false(tos_of(applied)->one_way);
	assert_true(is_made());
	assert_string_equal(rt_fake_file_of(deaths->fake, TOS)->text, "106\n");
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* Refused, failed and undone, or as wanted already. */
static void test_folder_is_gone_when_nothing_was_written(void **state)
{
	static const struct {
		const char *label;
		bool in_use, is_so;
		unsigned fail_at;
		enum rt_apply_end end;
	} cases[] = {
		{ "refused", true, false, 0, RT_APPLY_REFUSED },
		{ "undone", false, false, 4, RT_APPLY_UNDONE },
		{ "as wanted", false, true, 0, RT_APPLY_UNCHANGED },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_applied *applied;
		struct rt_outcome outcome;
		struct rt_apply_wish wish = { 0 };

		print_message("# %s\n", cases[i].label);
		begin();
		if (cases[i].in_use)
			deaths->fake->ports[0].use =
				(struct rt_rdma_use){ .qps = 2, .connected = 2 };
		if (cases[i].is_so) {
			for (size_t f = 0; f < deaths->fake->file_count; f++)
				if (strcmp(deaths->fake->files[f].path, TOS) == 0)
					strcpy(deaths->fake->files[f].text, "106\n");
			wish.groups = 1u << RT_GROUP_TOS;
		}
		if (cases[i].fail_at)
			deaths->fake->faults[0] =
				(struct rt_fake_fault){ .at = cases[i].fail_at,
							.kind = RT_FAKE_FAIL,
							.code = -EIO };
		applied = run(wish, &outcome);
		print_message("# %s\n", applied->ports[0].reason);
		assert_int_equal(applied->ports[0].end, cases[i].end);
		assert_string_equal(deaths->fake->log[0], "mkdir " FOLDER);
		assert_false(is_made());
		rt_outcome_release(&outcome);
		fake_host_free();
	}
}

/* What cannot be read even so is one-way, as ever. */
static void test_folder_that_cannot_be_made_is_one_way(void **state)
{
	const struct rt_applied *applied;
	struct rt_outcome outcome;

	(void)state;
	begin();
	deaths->fake->faults[0] =
		(struct rt_fake_fault){ .at = 1, .kind = RT_FAKE_FAIL, .code = -EPERM };
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_true(tos_of(applied)->one_way);
	assert_false(is_made());
	rt_outcome_release(&outcome);
	fake_host_free();
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_dry_run_says_that_it_will_be_read),
	     T(test_old_value_is_known_and_can_be_had_again),
	     T(test_folder_is_gone_when_nothing_was_written),
	     T(test_folder_that_cannot_be_made_is_one_way))
