/* SPDX-License-Identifier: BSD-2-Clause */
/* persist.c - a NIC's profile for every boot. */
#include "run/persist.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "host/device.h"
#include "run/outcome.h"
#include "run/persist_files.h"
#include "run/persist_units.h"
#include "run/profile.h"
#include "run/program.h"

#define FOLDER  RT_PERSIST_FOLDER
#define COPIES  "/files" /* only ours, so that a copy may be called anything */
#define VERSION 1

#define TELL_MOST_MS 90000 /* systemd's own patience with a reload */

/* --- tables ------------------------------------------------------------------------- */

static const struct rt_field file_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_persisted_file, path, "below the root"),
	RT_FIELD(struct rt_persisted_file, TEXT, done, NONE,
		 "written, as before, removed, or left since it is not ours"),
};

static RT_TABLE(file_table, rt_persisted_file, "persist_file", "Files",
		"A file that is part of it.", file_fields);

static const struct rt_field persisted_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_persisted, instance,
			  "the NIC, as systemd's instances are called"),
	RT_FIELD_CHARS_OF(struct rt_persisted, unit, "that applies the profile"),
	RT_FIELD_LIST_OF(struct rt_persisted, files, count, &file_table,
			 "what was done"),
	RT_FIELD_CHARS_OF(struct rt_persisted, note, "what is left to do",
			  .flags = RT_FIELD_ZERO_QUIET),
};

RT_TABLE(rt_persisted_table, rt_persisted, "persist", "Persist",
	 "What has a profile applied whenever its NIC appears.", persisted_fields);

static const struct rt_field persistent_fields[] = {
	RT_FIELD(struct rt_persistent, U32, version, NONE, "of this format"),
	RT_FIELD_CHARS_OF(struct rt_persistent, device, "what apply is given"),
	RT_FIELD_CHARS_OF(struct rt_persistent, profile, "path of the copy"),
	RT_FIELD_CHARS_OF(struct rt_persistent, allow_missing, "as for apply"),
	RT_FIELD_CHARS_OF(struct rt_persistent, only, "as for apply"),
	RT_FIELD(struct rt_persistent, BOOL, one_way, NONE, "as for apply"),
	RT_FIELD_CHARS_OF(struct rt_persistent, files, "copies, with '/' between"),
};

static RT_TABLE(persistent_table, rt_persistent, "persistent", "Persistent",
		"How a profile is applied when its NIC appears.", persistent_fields);

static void free_persisted(void *object)
{
	struct rt_persisted *persisted = object;

	if (persisted)
		free(persisted->files);
	free(persisted);
}

/* --- names ---------------------------------------------------------------------------- */

int rt_unit_escape(const char *text, char *buf, size_t capacity)
{
	size_t used = 0;

	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;
		const bool plain = isalnum(c) || c == ':' || c == '_' ||
				   (c == '.' && at > text);
		char part[8];
		const int n = snprintf(part, sizeof(part), "%c", c == '/' ? '-' : c);
		const int m = plain || c == '/'
				      ? n
				      : snprintf(part, sizeof(part), "\\x%02x", c);

		if (used + (size_t)m >= capacity)
			return -ENAMETOOLONG;
		memcpy(buf + used, part, (size_t)m);
		used += (size_t)m;
	}
	buf[used] = '\0';
	return 0;
}

/* "0000:3b:00.0", a domain of up to 8 digits; 0: it does not begin so. */
static size_t pci_bytes(const char *text)
{
	static const char shape[] = ":xx:xx.x";
	const size_t domain = strspn(text, "0123456789abcdefABCDEF");

	if (domain < 4 || domain > 8)
		return 0;
	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)text[domain + i])
				    : text[domain + i] != shape[i])
			return 0;
	return domain + sizeof(shape) - 1;
}

/* The same, or with the port behind it: "0000:3b:00.0/2". */
static bool is_pci_address(const char *text)
{
	const char *rest = text + pci_bytes(text);

	if (rest == text)
		return false;
	if (*rest == '/')
		return rest[1] >= '1' && rest[1] <= '9' &&
		       strlen(rest + 1) == strspn(rest + 1, "0123456789") &&
		       strlen(rest + 1) <= 3;
	return !*rest;
}

int rt_persist_instance(const char *name, char device[RT_PERSIST_NAME_BYTES],
			char instance[RT_PERSIST_NAME_BYTES], struct rt_err *err)
{
	static const char letters[] =
		":/_-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *plain = is_pci_address(name) ? letters : letters + 1;
	char text[RT_PERSIST_NAME_BYTES];

	if (snprintf(text, sizeof(text), "%s", name) >= (int)sizeof(text))
		return rt_err_sys(err, -ENAMETOOLONG, "%.80s", name);
	/* The kernel writes addresses small, and udev compares letters. */
	for (char *at = text; is_pci_address(text) && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	/* No letter that a rule or a unit would take for more than itself. */
	if (!isalnum((unsigned char)*text) || text[strspn(text, plain)])
		return rt_err_set(err, -EINVAL,
				  "\"%.80s\" is no name that udev's rules could tell",
				  name);
	memcpy(device, text, sizeof(text));
	return rt_unit_escape(text, instance, RT_PERSIST_NAME_BYTES) < 0
		       ? rt_err_sys(err, -ENAMETOOLONG, "%s", text)
		       : 0;
}

/* The first of its names that is its alone and lasts longest, for the next boot. */
static int lasting_name(struct rt_devices *devices, const struct rt_device *found,
			char name[RT_PERSIST_NAME_BYTES], struct rt_err *err)
{
	const char *const places[] = { found->pci, found->ibdev };

	for (size_t i = 0; i < 2 * RT_ARRAY_SIZE(places); i++) {
		const char *place = places[i / 2];

		if (!*place)
			continue;
		snprintf(name, RT_PERSIST_NAME_BYTES, i % 2 ? "%s/%u" : "%s", place,
			 found->port);
		if (rt_device_find(devices, name, NULL) == found)
			return 0;
	}
	return rt_err_set(err, -EINVAL, "%s has no name of its own", found->ibdev);
}

/* What the unit gives to apply, whatever the device is called after the next boot. */
static int find_device(const struct rt_apply_host *host,
		       const struct rt_persist_wish *wish,
		       char name[RT_PERSIST_NAME_BYTES], struct rt_err *err)
{
	/* Taken as it is of an image, and when it goes or has yet to come. */
	const bool is_address = is_pci_address(wish->device);
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	struct rt_devices devices = { 0 };
	const struct rt_device *found = NULL;
	struct rt_err why = { 0 };
	int r;

	snprintf(name, RT_PERSIST_NAME_BYTES, "%s", wish->device);
	if (is_address && (wish->root || wish->remove))
		return 0;
	r = host->kern_open(host->context, &kern, &why);
	if (r == 0)
		r = rt_devices_read(kern, 0, &devices, &why);
	if (r == 0)
		found = rt_device_find(&devices, wish->device, &why);
	if (found)
		r = lasting_name(&devices, found, name, &why);
	else if (r == 0 && !(is_address && why.code == -ENODEV))
		r = why.code;
	rt_devices_free(&devices);
	if (r < 0 && !(is_address && r == -EOPNOTSUPP))
		return rt_err_set(err, r, "%s", why.msg);
	return 0;
}

/* --- making ------------------------------------------------------------------------------ */

struct persisting {
	const struct rt_persist_wish *wish;
	struct rt_persist_files files;
	struct rt_persisted *persisted;
	struct rt_persistent persistent;
	char folder[192]; /* of the instance */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int path_of_copy(const struct persisting *persisting, const char *name,
			char path[512])
{
	return snprintf(path, 512, "%s" COPIES "/%s", persisting->folder, name) < 512
		       ? 0
		       : -ENAMETOOLONG;
}

static int copy_file(struct persisting *persisting, const char *from,
		     struct rt_err *err)
{
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(from, "re");
	RT_AUTO(rt_auto_free) char *text = malloc(RT_DOC_MAX_BYTES);
	char *names = persisting->persistent.files, path[512];
	const char *name = base_name(from);
	const size_t used = strlen(names);
	size_t bytes;

	if (!file || !text)
		return rt_err_sys(err, file ? -ENOMEM : -errno, "%s", from);
	bytes = fread(text, 1, RT_DOC_MAX_BYTES, file);
	if (ferror(file))
		return rt_err_sys(err, -EIO, "%s", from);
	if (used + strlen(name) + 2 > sizeof(persisting->persistent.files))
		return rt_err_sys(err, -ENAMETOOLONG, "%s", from);
	snprintf(names + used, sizeof(persisting->persistent.files) - used, "%s%s",
		 used ? "/" : "", name);
	if (path_of_copy(persisting, name, path) < 0)
		return rt_err_sys(err, -ENAMETOOLONG, "%s", from);
	return rt_persist_write(&persisting->files, path, text, bytes, false, err);
}

/* In one folder each extends finds what it found before, if no two are called alike. */
static int check_names(const struct rt_profile *profile, struct rt_err *err)
{
	const char *a, *b;

	for (size_t i = 0; (a = rt_profile_file(profile, i)); i++) {
		if (strcmp(a, "-") == 0)
			return rt_err_set(err, -EINVAL,
					  "a profile from standard input cannot be "
					  "kept: write it to a file");
		for (size_t j = 0; j < i; j++) {
			b = rt_profile_file(profile, j);
			if (strcmp(base_name(a), base_name(b)) == 0)
				return rt_err_set(err, -EINVAL,
						  "%s and %s cannot lie in one folder: "
						  "rename one",
						  a, b);
		}
	}
	return 0;
}

static int copy_profile(struct persisting *persisting, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	int r = rt_run_profile_read(persisting->wish->profile, &profile, err);

	if (r == 0)
		r = check_names(profile, err);
	for (size_t i = 0; r == 0 && rt_profile_file(profile, i); i++)
		r = copy_file(persisting, rt_profile_file(profile, i), err);
	if (r < 0)
		return r;
	return path_of_copy(persisting, base_name(rt_profile_file(profile, 0)),
			    persisting->persistent.profile);
}

static int write_how(struct persisting *persisting, struct rt_err *err)
{
	struct rt_persistent *how = &persisting->persistent;
	const struct rt_persist_wish *wish = persisting->wish;
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct rt_json *json;
	char path[256];
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int r;

	if (!to)
		return rt_err_sys(err, -ENOMEM, "persist.json");
	how->version = VERSION;
	how->one_way = wish->one_way;
	snprintf(how->allow_missing, sizeof(how->allow_missing), "%s",
		 wish->allow_missing ? wish->allow_missing : "");
	snprintf(how->only, sizeof(how->only), "%s", wish->only ? wish->only : "");
	json = rt_record_envelope(&persistent_table, how);
	r = rt_json_write(json, to, err);
	rt_json_free(json);
	fclose(to);
	snprintf(path, sizeof(path), "%s/persist.json", persisting->folder);
	return r < 0 ? r
		     : rt_persist_write(&persisting->files, path, text, bytes, false,
					err);
}

static bool is_listed(const char *files, const char *name)
{
	const size_t bytes = strlen(name);

	for (const char *at = files; at;
	     at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (strncmp(at, name, bytes) == 0 && (!at[bytes] || at[bytes] == '/'))
			return true;
	return false;
}

/* Copies of files (which is taken apart), but those that keep lists, too. */
static int remove_copies(struct persisting *persisting, char *files, const char *keep,
			 struct rt_err *err)
{
	char *rest = files, *name, path[512];
	int r = 0;

	while (r == 0 && (name = strsep(&rest, "/"))) {
		if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    is_listed(keep, name) || path_of_copy(persisting, name, path) < 0)
			continue;
		r = rt_persist_remove(&persisting->files, path, false, err);
	}
	return r;
}

static int make(struct persisting *persisting, struct rt_err *err)
{
	struct rt_persistent before;
	const bool again = rt_persistent_read(persisting->files.root,
					      persisting->persisted->instance, &before,
					      NULL) == 0;
	int r = copy_profile(persisting, err);

	if (r == 0)
		r = write_how(persisting, err);
	if (r == 0)
		r = rt_persist_units(&persisting->files, err);
	if (r == 0)
		r = rt_persist_rule(&persisting->files, persisting->persistent.device,
				    persisting->persisted, err);
	/* An earlier profile may have had files that this one does without. */
	return r == 0 && again ? remove_copies(persisting, before.files,
					       persisting->persistent.files, err)
			       : r;
}

/* --- removing ------------------------------------------------------------------------------- */

int rt_persistent_read(const char *root, const char *instance,
		       struct rt_persistent *ret_persistent, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	char path[1024];
	int r;

	if (snprintf(path, sizeof(path), "%s" FOLDER "/%s/persist.json",
		     root ? root : "", instance) >= (int)sizeof(path))
		return rt_err_sys(err, -ENAMETOOLONG, "%s", instance);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return rt_err_set(err, -ENOENT, "%s is not persistent: there is no %s",
				  instance, path);
	r = rt_doc_read_within(path, 65536, &doc, err);
	return r < 0 ? r
		     : rt_record_read_envelope(doc, &persistent_table, ret_persistent,
					       err);
}

/* Any instance but ours that still needs the units. */
static bool others_left(const struct persisting *persisting)
{
	char path[1024];
	struct rt_persistent other;
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "%s" FOLDER, persisting->files.root);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = *entry->d_name != '.' &&
			strcmp(entry->d_name, persisting->persisted->instance) != 0 &&
			rt_persistent_read(persisting->files.root, entry->d_name,
					   &other, NULL) != -ENOENT;
	if (folder)
		closedir(folder);
	return found;
}

static int unmake(struct persisting *persisting, struct rt_err *err)
{
	char path[512];
	int r = rt_persistent_read(persisting->files.root,
				   persisting->persisted->instance,
				   &persisting->persistent, err);

	if (r < 0)
		return r;
	/* First what would start it. */
	r = rt_persist_rule_remove(&persisting->files, persisting->persisted, err);
	if (r == 0)
		r = remove_copies(persisting, persisting->persistent.files, "", err);
	for (size_t i = 0; r == 0 && i < 3; i++) {
		static const char *const rest[] = { COPIES, "/persist.json", "" };

		snprintf(path, sizeof(path), "%s%s", persisting->folder, rest[i]);
		r = rt_persist_remove(&persisting->files, path, false, err);
		/* Somebody keeps files of his own there. */
		if (i != 1 && r == -ENOTEMPTY)
			r = 0;
	}
	if (r == 0 && !others_left(persisting))
		r = rt_persist_units_remove(&persisting->files, err);
	return r;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Whoever reads these files must be told that they are others now. */
static void tell_host(struct persisting *persisting)
{
	static const char *const reload[] = { "systemctl", "daemon-reload", NULL };
	static const char *const rules[] = { "udevadm", "control", "--reload", NULL };
	struct rt_err err = { 0 };

	if (*persisting->files.root)
		return;
	if (rt_program_run(reload, TELL_MOST_MS, &err) < 0 ||
	    rt_program_run(rules, TELL_MOST_MS, &err) < 0)
		snprintf(persisting->persisted->note,
			 sizeof(persisting->persisted->note),
			 "%.300s: it holds from the next boot on", err.msg);
}

static int name_it(struct persisting *persisting, const char *name, struct rt_err *err)
{
	struct rt_persisted *persisted = persisting->persisted;
	int r = rt_persist_instance(name, persisting->persistent.device,
				    persisted->instance, err);

	if (r < 0)
		return r;
	snprintf(persisted->unit, sizeof(persisted->unit), "rocetune@%s.service",
		 persisted->instance);
	snprintf(persisting->folder, sizeof(persisting->folder), FOLDER "/%s",
		 persisted->instance);
	return 0;
}

/* Once to see whether it can be, and again to do it. */
static int carry_out(struct persisting *persisting, struct rt_err *err)
{
	int (*const work)(struct persisting * persisting, struct rt_err * err) =
		persisting->wish->remove ? unmake : make;
	const struct rt_persistent before = persisting->persistent;
	int r;

	persisting->files.only_check = true;
	r = work(persisting, err);
	persisting->files.only_check = false;
	persisting->persistent = before;
	return r < 0 ? r : work(persisting, err);
}

/* All as it was, or it is said what is not. */
static void give_up(struct persisting *persisting, struct rt_err *err)
{
	const struct rt_err why = err ? *err : (struct rt_err){ 0 };
	struct rt_err stuck = { 0 };

	if (rt_persist_undo(&persisting->files, &stuck) < 0)
		rt_err_set(err, why.code, "%.200s; and not all is as it was: %.200s",
			   why.msg, stuck.msg);
}

int rt_run_persist(const struct rt_apply_host *host, const struct rt_persist_wish *wish,
		   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct persisting persisting = { .wish = wish };
	char name[RT_PERSIST_NAME_BYTES];
	int r;

	persisting.persisted = calloc(1, sizeof(*persisting.persisted));
	if (!persisting.persisted)
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	persisting.files.root = wish->root ? wish->root : "";
	persisting.files.to = persisting.persisted;
	r = find_device(host, wish, name, err);
	if (r == 0)
		r = name_it(&persisting, name, err);
	if (r == 0)
		r = carry_out(&persisting, err);
	if (r < 0)
		give_up(&persisting, err);
	rt_persist_forget(&persisting.files);
	if (r < 0) {
		free_persisted(persisting.persisted);
		return r;
	}
	tell_host(&persisting);
	*ret_outcome = (struct rt_outcome){ .table = &rt_persisted_table,
					    .object = persisting.persisted,
					    .release = free_persisted };
	return 0;
}
