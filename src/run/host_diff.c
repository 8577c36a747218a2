/* SPDX-License-Identifier: BSD-2-Clause */
/* host_diff.c - many hosts' bundles, and who differs from the rest. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/text.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/fleet.h"
#include "run/outcome.h"

/* --- results ---------------------------------------------------------------------- */

#define OWNER struct rt_odd_host
static const struct rt_field odd_fields[] = {
	RT_FIELD(OWNER, TEXT, host, NONE, "the host's name: that of its bundle"),
	RT_FIELD(OWNER, TEXT, value, NONE, "what it has"),
};
static RT_TABLE(odd_table, rt_odd_host, "odd_host", "Odd hosts",
		"A host that has another value than most.", odd_fields);
#undef OWNER

#define OWNER struct rt_host_difference
static const struct rt_field difference_fields[] = {
	RT_FIELD(OWNER, TEXT, device, NONE, "RDMA port, by name or by place"),
	RT_FIELD(OWNER, TEXT, knob, NONE, "knob or fact"),
	RT_FIELD(OWNER, TEXT, majority, NONE,
		 "what most hosts have; unknown: no value is the most frequent"),
	RT_FIELD(OWNER, U64, majority_hosts, COUNT, "how many have it"),
	RT_FIELD(OWNER, U64, hosts, COUNT, "hosts that have such a port"),
	RT_FIELD_LIST_OF(OWNER, odd, odd_count, &odd_table, "the others"),
};
static RT_TABLE(difference_table, rt_host_difference, "host_difference", "Differences",
		"A knob or fact that is not the same on all hosts.", difference_fields);
#undef OWNER

#define OWNER struct rt_unread_host
static const struct rt_field unread_fields[] = {
	RT_FIELD(OWNER, TEXT, file, NONE, "as asked for"),
	RT_FIELD(OWNER, TEXT, why, NONE, "why"),
};
static RT_TABLE(unread_table, rt_unread_host, "unread_host", "Not read",
		"A host that could not be read.", unread_fields);
#undef OWNER

#define OWNER struct rt_host_diff
static const struct rt_field diff_fields[] = {
	RT_FIELD(OWNER, U64, hosts, COUNT, "hosts that were compared"),
	RT_FIELD(OWNER, U64, devices, COUNT, "RDMA ports that were matched"),
	RT_FIELD(OWNER, ENUM, matched_by, NONE, "how ports were matched",
		 .names = rt_match_by_names),
	RT_FIELD_LIST_OF(OWNER, differences, difference_count, &difference_table,
			 "what is not the same everywhere, by port"),
	RT_FIELD_LIST_OF(OWNER, unread, unread_count, &unread_table,
			 "hosts that could not be read"),
};
RT_TABLE(rt_host_diff_table, rt_host_diff, "host_diff", "Hosts compared",
	 "Per knob what most hosts have, and who has something else.", diff_fields);
#undef OWNER

static void release_diff(void *object)
{
	struct rt_host_diff *diff = object;

	for (size_t i = 0; i < diff->difference_count; i++) {
		free(diff->differences[i].odd);
		free(diff->differences[i].values);
	}
	for (size_t i = 0; i < diff->unread_count; i++) {
		free(diff->unread[i].file);
		free(diff->unread[i].why);
	}
	free(diff->differences);
	free(diff->unread);
	rt_fleet_close(diff->fleet);
	free(diff);
}

/* --- reading ------------------------------------------------------------------------ */

static int add_unread(struct rt_host_diff *diff, const char *file, const char *why)
{
	struct rt_unread_host *items = rt_grow(diff->unread, diff->unread_count,
					       &diff->unread_capacity, sizeof(*items));
	struct rt_unread_host *unread;

	if (!items)
		return -ENOMEM;
	diff->unread = items;
	unread = &items[diff->unread_count];
	unread->file = strdup(file);
	unread->why = strdup(why);
	if (!unread->file || !unread->why) {
		free(unread->file);
		free(unread->why);
		return -ENOMEM;
	}
	diff->unread_count++;
	return 0;
}

/* "racks/host7.tar" is host7. */
static void name_host(const char *path, char *name, size_t bytes)
{
	size_t length = strlen(path);
	const char *from, *dot;

	while (length > 1 && path[length - 1] == '/')
		length--;
	for (from = path + length; from > path && from[-1] != '/';)
		from--;
	snprintf(name, bytes, "%.*s", (int)(path + length - from), from);
	dot = strstr(name, ".tar");
	if (dot && dot > name)
		name[dot - name] = '\0';
}

static int add_host(struct rt_host_diff *diff, const char *path, struct rt_err *err)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_err why = { 0 };
	char name[256];
	int r = rt_run_open_host(path, &kern, &why);

	name_host(path, name, sizeof(name));
	if (rt_fleet_has(diff->fleet, name)) /* rack1/h7.tar and rack2/h7.tar */
		snprintf(name, sizeof(name), "%s", path);
	rt_text_clean(name);
	if (r == 0)
		r = rt_fleet_add(diff->fleet, name, kern, &why);
	if (r < 0 && r != -ENOMEM)
		r = add_unread(diff, path, why.msg);
	return r < 0 ? rt_err_sys(err, r, "cannot hold the hosts") : 0;
}

static bool has(const char *folder, const char *name)
{
	char path[4096];
	struct stat info;

	return snprintf(path, sizeof(path), "%s/%s", folder, name) <
		       (int)sizeof(path) &&
	       stat(path, &info) == 0;
}

/* A folder that looks like the root of one host. */
static bool is_host(const char *folder)
{
	return has(folder, "rocetune/answers.json") || has(folder, "sys");
}

/* Some file systems do not tell the type. */
static int choose_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_LNK ||
		entry->d_type == DT_UNKNOWN || strstr(entry->d_name, ".tar"));
}

/*
 * Bundles, and folders that may be hosts, by links as well; whatever lies beside them
 * is none, and a pipe without a writer must not hold us: nobody named it.  A link that
 * leads nowhere is told of when it is opened.
 */
static bool may_be_host(const char *path, const char *name)
{
	struct stat info;

	if (stat(path, &info) != 0 || S_ISDIR(info.st_mode))
		return true;
	return S_ISREG(info.st_mode) && strstr(name, ".tar");
}

static int add_folder(struct rt_host_diff *diff, const char *folder, struct rt_err *err)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, choose_entry, versionsort);
	char path[4096];
	int r = 0;

	if (count < 0)
		return add_unread(diff, folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (r == 0 &&
		    snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
			    (int)sizeof(path) &&
		    may_be_host(path, entries[i]->d_name))
			r = add_host(diff, path, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int add_operand(struct rt_host_diff *diff, const char *path, struct rt_err *err)
{
	struct stat info;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) && !is_host(path))
		return add_folder(diff, path, err);
	return add_host(diff, path, err);
}

int rt_run_host_diff(const char *const *names, size_t count, enum rt_match_by by,
		     struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_host_diff *diff = calloc(1, sizeof(*diff));
	int r;

	if (!diff)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts");
	r = rt_fleet_open(&diff->fleet, err);
	for (size_t i = 0; i < count && r == 0; i++)
		r = add_operand(diff, names[i], err);
	if (r == 0)
		r = rt_fleet_compare(diff->fleet, by, diff, err);
	if (r == 0 && diff->hosts < 2)
		r = diff->unread_count
			    ? rt_err_set(err, -EINVAL, "%s", diff->unread[0].why)
			    : rt_err_set(err, -EINVAL,
					 "comparing takes two hosts: there %s",
					 diff->hosts ? "is one" : "is none");
	if (r < 0) {
		release_diff(diff);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_host_diff_table,
					    .object = diff,
					    .release = release_diff };
	return 0;
}
