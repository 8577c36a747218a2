// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every write to a card passes here: it is counted, logged, and spoilt where a fault
 * says so.
 */
#include <linux/mm_types.h>
#include <linux/rtnetlink.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "rtnic.h"

/* A kept value's answer between rtnic_write() and rtnic_wrote(): no rule gives it. */
#define KEPT 0x4b

static const char *const how_names[] = {
	[RTNIC_FAIL] = "errno",
	[RTNIC_KEEP] = "keep",
	[RTNIC_TWIST] = "twist",
	[RTNIC_KILL_BEFORE] = "kill",
	[RTNIC_KILL_AFTER] = "kill-after",
};

/* What `absent` can take away. */
static const struct {
	const char *name;
	size_t offset; /* in struct dcbnl_rtnl_ops */
} setters[] = {
	{ "ets", offsetof(struct dcbnl_rtnl_ops, ieee_setets) },
	{ "pfc", offsetof(struct dcbnl_rtnl_ops, ieee_setpfc) },
	{ "maxrate", offsetof(struct dcbnl_rtnl_ops, ieee_setmaxrate) },
	{ "buffer", offsetof(struct dcbnl_rtnl_ops, dcbnl_setbuffer) },
	{ "setapp", offsetof(struct dcbnl_rtnl_ops, ieee_setapp) },
	{ "delapp", offsetof(struct dcbnl_rtnl_ops, ieee_delapp) },
	{ "dcbx", offsetof(struct dcbnl_rtnl_ops, setdcbx) },
};

static const void *program_of(struct task_struct *task)
{
	const void *inode = NULL;
	struct file *exe;

	task_lock(task);
	if (task->mm) {
		exe = rcu_dereference(task->mm->exe_file);
		inode = exe ? file_inode(exe) : NULL;
	}
	task_unlock(task);
	return inode;
}

/* SIGKILL takes effect on the way back to user space: what was begun here is ended. */
static void kill_writer(bool all)
{
	const void *program;
	struct task_struct *task;

	rcu_read_lock();
	program = program_of(current);
	if (all && program)
		for_each_process(task) if (task != current &&
					   program_of(task) == program)
			send_sig(SIGKILL, task, 1);
	rcu_read_unlock();
	send_sig(SIGKILL, current, 1);
}

static const struct rtnic_fault *fault_now(const struct rtnic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->fault_count; i++)
		if (!nic->fault[i].at || nic->fault[i].at == nic->writes)
			return &nic->fault[i];
	return NULL;
}

static int spoil(const struct rtnic_fault *fault, u8 *value)
{
	switch (fault->how) {
	case RTNIC_FAIL: return -fault->error;
	case RTNIC_KEEP: return KEPT;
	case RTNIC_TWIST:
		if (value)
			*value ^= 1;
		return 0;
	case RTNIC_KILL_BEFORE: kill_writer(fault->all); return -EINTR;
	case RTNIC_KILL_AFTER: kill_writer(fault->all); return 0;
	}
	return 0;
}

int rtnic_write(struct rtnic *nic, const char *what, u8 *value, const char *fmt, ...)
{
	struct rtnic_log *log = &nic->log[nic->writes % RTNIC_LOG_MAX];
	const struct rtnic_fault *fault;
	va_list args;
	int n;

	ASSERT_RTNL();
	nic->writes++;
	fault = fault_now(nic);
	n = scnprintf(log->text, sizeof(log->text), "%u %s ", nic->writes, what);
	va_start(args, fmt);
	n += vscnprintf(log->text + n, sizeof(log->text) - n, fmt, args);
	va_end(args);
	if (!fault)
		return 0;
	scnprintf(log->text + n, sizeof(log->text) - n, " [%s]", how_names[fault->how]);
	return spoil(fault, value);
}

int rtnic_wrote(struct rtnic *nic, int r)
{
	struct rtnic_log *log = &nic->log[(nic->writes - 1) % RTNIC_LOG_MAX];
	size_t n = strlen(log->text);

	if (r == KEPT)
		r = 0;
	if (r)
		scnprintf(log->text + n, sizeof(log->text) - n, " = %d", r);
	return r;
}

static int take_away(struct rtnic *nic, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(setters); i++)
		if (!strcmp(setters[i].name, name)) {
			*(void **)((char *)&nic->dcb + setters[i].offset) = NULL;
			return 0;
		}
	if (strcmp(name, "pause"))
		return -ENOENT;
	nic->ethtool.set_pauseparam = NULL;
	return 0;
}

int rtnic_fault_set(struct rtnic *nic, char *text)
{
	struct rtnic_fault fault = { .error = EIO };
	char how[16], name[16];
	int which;

	ASSERT_RTNL();
	if (!strcmp(strim(text), "clear")) {
		nic->fault_count = 0;
		rtnic_dcb_fill(nic);
		rtnic_ethtool_fill(nic);
		return 0;
	}
	if (sscanf(text, "absent %15s", name) == 1)
		return take_away(nic, name);
	if (nic->fault_count == RTNIC_FAULTS_MAX)
		return -ENOSPC;
	if (sscanf(text, "%u %15s %d", &fault.at, how, &fault.error) < 2)
		return -EINVAL;
	fault.all = str_has_prefix(how, "killall");
	if (fault.all)
		memmove(how + 4, how + 7, strlen(how + 7) + 1);
	which = match_string(how_names, ARRAY_SIZE(how_names), how);
	if (which < 0 || fault.error <= 0 || fault.error > 127)
		return -EINVAL;
	fault.how = which;
	nic->fault[nic->fault_count++] = fault;
	return 0;
}
