/* SPDX-License-Identifier: BSD-2-Clause */
#include "pktio/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/own.h"
#include "pktio/input.h"
#include "rocetune/err.h"

#define PACKED_BYTES RT_CHUNK_BYTES /* the first is what was read already */
#define BLOCK_BYTES  (256u << 10)
#define BLOCKS       4u

struct block {
	ssize_t bytes; /* 0: the end; negative: damage, see why */
	uint8_t data[BLOCK_BYTES];
};

struct rt_unpack {
	/* The thread's, once there is one. */
	struct archive *archive;
	int fd;
	size_t packed_bytes; /* in packed, before anything was read from fd */
	uint8_t packed[PACKED_BYTES];
	char why[128]; /* written before the block that says so is handed over */

	/* The reader's. */
	const char *name;
	size_t taken; /* of the block at hand */
	bool running;
	pthread_t thread;

	/* Of both: numbers of blocks, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, emptied;
	bool stop;
	int stop_fd; /* readable when stop is set, for who waits for fd */
	struct block blocks[BLOCKS];
};

static const struct {
	const char *name;
	uint8_t magic[6];
	uint8_t magic_bytes;
	int (*support)(struct archive *archive);
} compressions[] = {
	{ "gzip", { 0x1F, 0x8B }, 2, archive_read_support_filter_gzip },
	{ "bzip2", { 'B', 'Z', 'h' }, 3, archive_read_support_filter_bzip2 },
	{ "xz", { 0xFD, '7', 'z', 'X', 'Z', 0 }, 6, archive_read_support_filter_xz },
	{ "zstd", { 0x28, 0xB5, 0x2F, 0xFD }, 4, archive_read_support_filter_zstd },
	{ "lz4", { 0x04, 0x22, 0x4D, 0x18 }, 4, archive_read_support_filter_lz4 },
};

static size_t find_compression(const uint8_t *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < RT_ARRAY_SIZE(compressions); i++)
		if (bytes >= compressions[i].magic_bytes &&
		    memcmp(data, compressions[i].magic, compressions[i].magic_bytes) ==
			    0)
			break;
	return i;
}

const char *rt_unpack_compression(const uint8_t *data, size_t bytes)
{
	const size_t row = find_compression(data, bytes);

	return row < RT_ARRAY_SIZE(compressions) ? compressions[row].name : NULL;
}

/* --- the thread --------------------------------------------------------------- */

/* A pipe may never have more to say, so that close must be heard meanwhile. */
static ssize_t read_packed(struct rt_unpack *unpack)
{
	struct pollfd waits[] = { { .fd = unpack->fd, .events = POLLIN },
				  { .fd = unpack->stop_fd, .events = POLLIN } };
	ssize_t got;

	do {
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (waits[1].revents)
			return 0;
		got = read(unpack->fd, unpack->packed, PACKED_BYTES);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* libarchive asks for the next packed bytes; the first ones are there already. */
static la_ssize_t feed(struct archive *archive, void *context, const void **ret_packed)
{
	struct rt_unpack *unpack = context;
	ssize_t got = (ssize_t)unpack->packed_bytes;

	if (got == 0)
		got = read_packed(unpack);
	unpack->packed_bytes = 0;
	if (got < 0) {
		archive_set_error(archive, (int)-got, "%s", strerror((int)-got));
		return -1;
	}
	*ret_packed = unpack->packed;
	return got;
}

/* Fill a block; what comes before damage is a block of its own. */
static ssize_t unpack_block(struct rt_unpack *unpack, struct block *block)
{
	size_t bytes = 0;

	while (bytes < BLOCK_BYTES) {
		const la_ssize_t got = archive_read_data(
			unpack->archive, block->data + bytes, BLOCK_BYTES - bytes);
		const char *why;

		if (got == 0 || (got < 0 && bytes > 0))
			break;
		if (got < 0) {
			why = archive_error_string(unpack->archive);
			snprintf(unpack->why, sizeof(unpack->why), "%s",
				 why ? why : "damaged");
			return -EIO;
		}
		bytes += (size_t)got;
	}
	return (ssize_t)bytes;
}

static void *run(void *context)
{
	struct rt_unpack *unpack = context;
	struct block *block;
	bool on = true;

	while (on) {
		pthread_mutex_lock(&unpack->lock);
		while (!unpack->stop && unpack->filled - unpack->emptied == BLOCKS)
			pthread_cond_wait(&unpack->changed, &unpack->lock);
		block = &unpack->blocks[unpack->filled % BLOCKS];
		on = !unpack->stop;
		pthread_mutex_unlock(&unpack->lock);
		if (!on)
			break;
		block->bytes = unpack_block(unpack, block);
		on = block->bytes > 0;
		pthread_mutex_lock(&unpack->lock);
		unpack->filled++;
		pthread_cond_signal(&unpack->changed);
		pthread_mutex_unlock(&unpack->lock);
	}
	return NULL;
}

/* --- the reader ---------------------------------------------------------------- */

/* Signals are for the thread that started us. */
static int start(struct rt_unpack *unpack, struct rt_err *err)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&unpack->thread, NULL, run, unpack);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r != 0)
		return rt_err_sys(err, -r, "cannot start a thread to decompress");
	unpack->running = true;
	return 0;
}

static int look_inside(struct rt_unpack *unpack, size_t row, struct rt_err *err)
{
	struct archive_entry *entry;
	const char *why;

	if (compressions[row].support(unpack->archive) >= ARCHIVE_WARN &&
	    archive_read_support_format_raw(unpack->archive) == ARCHIVE_OK &&
	    archive_read_open(unpack->archive, unpack, NULL, feed, NULL) ==
		    ARCHIVE_OK &&
	    archive_read_next_header(unpack->archive, &entry) == ARCHIVE_OK)
		return 0;
	why = archive_error_string(unpack->archive);
	return rt_err_set(err, -EINVAL,
			  "%s: looks like %s, but cannot be read as it: %s",
			  unpack->name, compressions[row].name, why ? why : "damaged");
}

int rt_unpack_open(int fd, const uint8_t *data, size_t bytes, const char *name,
		   struct rt_unpack **ret_unpack, struct rt_err *err)
{
	struct rt_unpack *unpack = calloc(1, sizeof(*unpack));
	int r = 0;

	if (!unpack || bytes > PACKED_BYTES) {
		free(unpack);
		return rt_err_set(err, -ENOMEM, "out of memory");
	}
	unpack->fd = fd;
	unpack->name = name;
	unpack->packed_bytes = bytes;
	memcpy(unpack->packed, data, bytes);
	pthread_mutex_init(&unpack->lock, NULL);
	pthread_cond_init(&unpack->changed, NULL);
	unpack->archive = archive_read_new();
	unpack->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!unpack->archive || unpack->stop_fd < 0)
		r = rt_err_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = look_inside(unpack, find_compression(data, bytes), err);
	if (r == 0)
		r = start(unpack, err);
	if (r < 0) {
		rt_unpack_close(unpack);
		return r;
	}
	*ret_unpack = unpack;
	return 0;
}

/* The block at hand, when it is filled. */
static const struct block *wait_for_block(struct rt_unpack *unpack)
{
	const struct block *block;

	pthread_mutex_lock(&unpack->lock);
	while (unpack->filled == unpack->emptied)
		pthread_cond_wait(&unpack->changed, &unpack->lock);
	block = &unpack->blocks[unpack->emptied % BLOCKS];
	pthread_mutex_unlock(&unpack->lock);
	return block;
}

static void give_back(struct rt_unpack *unpack)
{
	pthread_mutex_lock(&unpack->lock);
	unpack->emptied++;
	pthread_cond_signal(&unpack->changed);
	pthread_mutex_unlock(&unpack->lock);
	unpack->taken = 0;
}

ssize_t rt_unpack_read(struct rt_unpack *unpack, uint8_t *to, size_t bytes,
		       struct rt_err *err)
{
	/* the last block, which says that it is, is never given back */
	const struct block *block = wait_for_block(unpack);
	size_t left;

	if (block->bytes < 0)
		return rt_err_set(err, (int)block->bytes,
				  "%s: cannot decompress: %s; decompress it with its "
				  "own tool to see how far it is whole",
				  unpack->name, unpack->why);
	left = (size_t)block->bytes - unpack->taken;
	if (bytes > left)
		bytes = left;
	memcpy(to, block->data + unpack->taken, bytes);
	unpack->taken += bytes;
	if (bytes == left && block->bytes > 0)
		give_back(unpack);
	return (ssize_t)bytes;
}

void rt_unpack_close(struct rt_unpack *unpack)
{
	const uint64_t one = 1;

	if (!unpack)
		return;
	if (unpack->running) {
		pthread_mutex_lock(&unpack->lock);
		unpack->stop = true;
		pthread_cond_signal(&unpack->changed);
		pthread_mutex_unlock(&unpack->lock);
		while (write(unpack->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(unpack->thread, NULL);
	}
	archive_read_free(unpack->archive);
	if (unpack->stop_fd >= 0)
		close(unpack->stop_fd);
	pthread_cond_destroy(&unpack->changed);
	pthread_mutex_destroy(&unpack->lock);
	free(unpack);
}
