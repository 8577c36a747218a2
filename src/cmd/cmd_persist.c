/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_persist.c - a profile for every time a NIC appears. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/host_options.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/apply.h"
#include "run/knob_names.h"
#include "run/outcome.h"
#include "run/persist.h"
#include "run/recover.h"

struct persist_options {
	const char *profile, *only, *allow_missing, *root;
	bool one_way, remove, start;
};

static const struct rt_option persist_options[] = {
	{ .name = "profile",
	  .letter = 'p',
	  .arg = "PROFILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct persist_options, profile),
	  .help = "what the ports shall be whenever the NIC appears" },
	{ .name = "remove",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct persist_options, remove),
	  .help = "undo just that; the NIC stays as it is" },
	{ .name = "only",
	  .arg = "GROUP,...",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct persist_options, only),
	  .help = "as for `rocetune apply`" },
	{ .name = "allow-missing",
	  .arg = "KNOB,...",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct persist_options, allow_missing),
	  .help = "as for `rocetune apply`" },
	{ .name = "one-way",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct persist_options, one_way),
	  .help = "as for `rocetune apply`" },
	{ .name = "root",
	  .arg = "FOLDER",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct persist_options, root),
	  .help = "below this folder, of an image; DEV is then a PCI address" },
	{ .name = "start",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct persist_options, start),
	  .help = "apply what was made persistent; what the unit calls" },
};

/* What persist.json says, as a wish of apply; nobody sits there to confirm. */
static int apply_persistent(struct rt_cmd *cmd, const struct rt_persistent *how)
{
	const char *const device = how->device;
	struct rt_apply_wish wish = {
		.devices = &device,
		.device_count = 1,
		.profile = how->profile,
		.one_way = how->one_way,
		.yes = true,
		.confirm_ns = RT_KNOWN_U64(0),
		.lock_wait_ms = RT_CHANGES_WAIT_MS,
		.closes_earlier = true,
		.planned = cmd->common.json ? NULL : rt_cmd_show_plan,
		.context = cmd,
	};
	struct rt_outcome outcome = { 0 };
	struct rt_words words = { 0 };
	struct rt_err err = { 0 };
	int code;

	if (rt_groups_parse(*how->only ? how->only : NULL, &wish.groups, &err) < 0 ||
	    rt_words_split(*how->allow_missing ? how->allow_missing : NULL, &words,
			   &err) < 0)
		return rt_cmd_fail(cmd, &err);
	wish.allow_missing = words.items;
	if (rt_run_apply(&rt_this_host, &wish, &outcome, &err) < 0)
		code = rt_cmd_fail(cmd, &err);
	else
		code = rt_cmd_show_applied(cmd, &outcome);
	rt_outcome_release(&outcome);
	free(words.text);
	return code;
}

static int start(struct rt_cmd *cmd, const struct persist_options *wanted,
		 const char *device)
{
	struct rt_persistent how;
	struct rt_err err = { 0 };
	char name[RT_PERSIST_NAME_BYTES], instance[RT_PERSIST_NAME_BYTES];

	if (rt_persist_instance(device, name, instance, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (rt_persistent_read(wanted->root, instance, &how, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	return apply_persistent(cmd, &how);
}

/* A mistake is told now, not at the next boot. */
static int check_words(struct rt_cmd *cmd, const struct persist_options *wanted)
{
	struct rt_words words = { 0 };
	struct rt_err err = { 0 };
	unsigned groups;
	int r;

	if (rt_groups_parse(wanted->only, &groups, &err) < 0 ||
	    rt_words_split(wanted->allow_missing, &words, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	r = rt_knob_names_check(words.items, &err);
	free(words.text);
	return r < 0 ? rt_cmd_usage(cmd, "%s", err.msg) : RT_EXIT_OK;
}

static int run_persist(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct persist_options *wanted = options;
	const struct rt_persist_wish wish = { .root = wanted->root,
					      .device = argv[0],
					      .profile = wanted->profile,
					      .allow_missing = wanted->allow_missing,
					      .only = wanted->only,
					      .one_way = wanted->one_way,
					      .remove = wanted->remove };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	if ((wanted->profile != NULL) + wanted->remove + wanted->start != 1)
		return rt_cmd_usage(cmd, "wants --profile, or --remove");
	if (wanted->start)
		return start(cmd, wanted, argv[0]);
	code = check_words(cmd, wanted);
	if (code != RT_EXIT_OK)
		return code;
	if (rt_run_persist(&rt_this_host, &wish, &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show(cmd, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_persist = {
	.name = "persist",
	.operands = "DEV",
	.summary = "apply a profile whenever its NIC appears",
	.describe =
		"A NIC forgets what it was set to when the host boots or its driver is "
		"loaded anew. This copies the profile with all it extends to "
		"/etc/rocetune, and has systemd apply it as soon as udev sees the "
		"NIC's "
		"RDMA device: unit rocetune@PCI-ADDRESS.service, wanted by a rule of "
		"udev. What is changed in the profile later changes nothing; call it "
		"again.\n\n"
		"The unit applies as `rocetune apply` does, with the same reasons "
		"against it: `systemctl status` tells which. It never goes through "
		"with "
		"a link that goes down while connections are in use. "
		"rocetune-recover.service closes at boot the journal of a change that "
		"died half way: the NIC came up anew, so there is nothing to put back, "
		"and until it is closed it stands against others. The unit of a NIC "
		"does so, too, and says so; and it waits for those of other NICs, 10 "
		"minutes at most.\n\n"
		"Nothing is applied now: `rocetune apply` does that, or `systemctl "
		"start` of the unit.",
	.examples = "rocetune persist mlx5_0 --profile my.yaml\n    for every boot to "
		    "come\n"
		    "rocetune persist mlx5_0 --remove\n    no longer\n",
	RT_OPTIONS(persist_options, persist_options),
	.min_operands = 1,
	.max_operands = 1,
	.run = run_persist,
};
