/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_nic.c - counters of a host's endpoints in a file. */
#include "lab/lab_nic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab_state.h"
#include "model/counters_fill.h"
#include "rocetune/err.h"

#define PREFIX     "nic-"
#define NEW_SUFFIX ".new"
#define FILE_BYTES 24
#define HOST_BYTES 16 /* of struct rt_lab_host */

#define MAGIC   UINT64_C(0x63696e2d656e7574) /* "tune-nic" */
#define VERSION 1u

struct header {
	uint64_t magic;
	uint32_t version, count;
	int64_t time_ns;
	char netdev[16];
};

struct row {
	uint64_t value;
	uint16_t counter;
	uint8_t prio, unused[5];
};

#define MOST_ROWS (RT_COUNTER_COUNT * 9u) /* a port and eight priorities */

/* What a file holds at most. */
struct content {
	struct header header;
	struct row rows[MOST_ROWS];
};

struct rt_lab_nic {
	int folder_fd;
	char file[FILE_BYTES], file_new[FILE_BYTES + sizeof(NEW_SUFFIX)];
	struct content content;
};

/* --- names ---------------------------------------------------------------------------- */

static bool is_host(const char *text, size_t bytes)
{
	return bytes > 0 && bytes < HOST_BYTES &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") >= bytes;
}

static int name_file(const char *host, char file[FILE_BYTES], struct rt_err *err)
{
	if (!is_host(host, strlen(host)))
		return rt_err_set(err, -EINVAL, "'%.20s' is no host of a lab", host);
	snprintf(file, FILE_BYTES, PREFIX "%s", host);
	return 0;
}

bool rt_lab_nic_is_file(const char *file)
{
	const size_t prefix = strlen(PREFIX), suffix = strlen(NEW_SUFFIX);
	size_t bytes = strlen(file);

	if (strncmp(file, PREFIX, prefix) != 0)
		return false;
	if (bytes > suffix && strcmp(file + bytes - suffix, NEW_SUFFIX) == 0)
		bytes -= suffix;
	return bytes > prefix && is_host(file + prefix, bytes - prefix);
}

/* --- writing -------------------------------------------------------------------------- */

int rt_lab_nic_open(const char *folder, const char *host, struct rt_lab_nic **ret_nic,
		    struct rt_err *err)
{
	struct rt_lab_nic *nic = calloc(1, sizeof(*nic));
	int r = nic ? name_file(host, nic->file, err)
		    : rt_err_sys(err, -ENOMEM, "cannot hold counters");

	if (r < 0) {
		free(nic);
		return r;
	}
	snprintf(nic->file_new, sizeof(nic->file_new), "%s" NEW_SUFFIX, nic->file);
	nic->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (nic->folder_fd < 0) {
		r = rt_err_sys(err, -errno, "%s: cannot open the lab's folder", folder);
		free(nic);
		return r;
	}
	*ret_nic = nic;
	return 0;
}

static size_t content_bytes(uint32_t count)
{
	return sizeof(struct header) + count * sizeof(struct row);
}

static void fill(struct content *content, const struct rt_counter_set *set)
{
	content->header = (struct header){ .magic = MAGIC,
					   .version = VERSION,
					   .time_ns = set->time_ns };
	memcpy(content->header.netdev, set->netdev, sizeof(content->header.netdev));
	for (size_t i = 0; i < set->count && i < MOST_ROWS; i++) {
		const struct rt_counter_reading *item = &set->items[i];

		content->rows[content->header.count++] =
			(struct row){ .value = item->value,
				      .counter = (uint16_t)item->counter,
				      .prio = item->prio };
	}
}

void rt_lab_nic_write(struct rt_lab_nic *nic, const struct rt_counter_set *set)
{
	size_t bytes;
	ssize_t n;
	int fd;

	/* The lab is going, and its folder with it. */
	if (faccessat(nic->folder_fd, RT_LAB_STATE_FILE, F_OK, 0) < 0)
		return;
	fill(&nic->content, set);
	bytes = content_bytes(nic->content.header.count);
	fd = openat(nic->folder_fd, nic->file_new,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return;
	n = write(fd, &nic->content, bytes);
	if (close(fd) == 0 && n == (ssize_t)bytes)
		(void)renameat(nic->folder_fd, nic->file_new, nic->folder_fd,
			       nic->file);
}

void rt_lab_nic_close(struct rt_lab_nic *nic)
{
	if (!nic)
		return;
	unlinkat(nic->folder_fd, nic->file, 0);
	unlinkat(nic->folder_fd, nic->file_new, 0);
	close(nic->folder_fd);
	free(nic);
}

/* --- reading -------------------------------------------------------------------------- */

static int check_header(const char *name, const struct header *header, size_t count,
			struct rt_err *err)
{
	if (header->magic != MAGIC)
		return rt_err_set(err, -EINVAL, "%s: no counters of a host", name);
	if (header->version != VERSION)
		return rt_err_set(err, -EINVAL, "%s: of another rocetune (version %u)",
				  name, header->version);
	if (header->count > MOST_ROWS || count != content_bytes(header->count))
		return rt_err_set(err, -EINVAL, "%s: %u counters do not make %zu bytes",
				  name, header->count, count);
	if (header->time_ns < 0 ||
	    !memchr(header->netdev, '\0', sizeof(header->netdev)))
		return rt_err_set(err, -EINVAL, "%s: no time, or a name without end",
				  name);
	return 0;
}

int rt_lab_nic_parse(const char *name, const void *bytes, size_t count,
		     struct rt_counter_set *set, struct rt_err *err)
{
	struct rt_counter_fill to;
	struct rt_err why = { 0 };
	struct header header;
	int r;

	set->count = 0;
	if (count < sizeof(header))
		return rt_err_set(err, -EINVAL, "%s: no counters of a host", name);
	memcpy(&header, bytes, sizeof(header));
	r = check_header(name, &header, count, err);
	if (r < 0)
		return r;
	to = rt_counter_fill_begin(set, RT_SOURCE_ENGINE, header.time_ns);
	for (uint32_t i = 0; i < header.count && r == 0; i++) {
		struct row row;

		memcpy(&row, (const char *)bytes + content_bytes(i), sizeof(row));
		if (row.counter < RT_COUNTER_COUNT)
			rt_counter_put(&to, row.counter, row.prio, row.value);
		else
			r = rt_err_set(err, -EINVAL, "%s: no counter %u", name,
				       row.counter);
	}
	if (rt_counter_fill_end(&to) < 0)
		r = rt_err_sys(err, -ENOMEM, "%s", name);
	else if (r == 0 && rt_counter_set_check(set, &why) < 0)
		r = rt_err_set(err, -EINVAL, "%s: %s", name, why.msg);
	if (r < 0)
		set->count = 0;
	else
		memcpy(set->netdev, header.netdev, sizeof(set->netdev));
	return r;
}

int rt_lab_nic_read(const struct rt_lab_store *store, const char *lab, const char *host,
		    struct rt_counter_set *set, struct rt_err *err)
{
	struct content content;
	char file[FILE_BYTES];
	int fd = -1, r = name_file(host, file, err);
	ssize_t n;

	set->count = 0;
	if (r == 0)
		r = rt_lab_file_open(store, lab, file, &fd, err);
	if (r < 0)
		return r;
	n = read(fd, &content, sizeof(content));
	r = n < 0 ? -errno : 0;
	close(fd);
	if (r < 0)
		return rt_err_sys(err, r, "%s", file);
	return rt_lab_nic_parse(file, &content, (size_t)n, set, err);
}
