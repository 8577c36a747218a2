/* SPDX-License-Identifier: BSD-2-Clause */
#include "pktio/unpack.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pktio/input.h"
#include "pktio/stage.h"
#include "rocetune/err.h"

#define PACKED_BYTES RT_CHUNK_BYTES /* the first is what was read already */
#define BLOCK_BYTES  (256u << 10)
#define BLOCKS       4u

/* Compressions in each other that are seen through. */
#define STAGES_MAX 4

struct block {
	ssize_t bytes; /* 0: the end; negative: damage, see why */
	uint8_t data[BLOCK_BYTES];
};

struct rt_unpack {
	/* The thread's, once there is one. */
	struct rt_supply file;  /* the packed bytes */
	struct rt_supply *from; /* the last stage, which the others hang on */
	const uint8_t *data;    /* what it gave last, not yet in a block */
	size_t bytes;
	int fd;
	uint8_t packed[PACKED_BYTES];
	int failed; /* written before the block that says so is handed over */
	struct rt_err why;

	/* The reader's. */
	const char *name;
	size_t taken; /* of the block at hand */
	bool running;
	pthread_t thread;

	/* Of both: numbers of blocks, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, emptied;
	uint64_t packed_bytes; /* read of the file */
	bool stop;
	int stop_fd; /* readable when stop is set, for who waits for fd */
	struct block blocks[BLOCKS];
};

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

static ssize_t next_packed(struct rt_supply *supply, const uint8_t **ret_data,
			   struct rt_err *err)
{
	struct rt_unpack *unpack =
		(struct rt_unpack *)((char *)supply - offsetof(struct rt_unpack, file));
	const ssize_t got = read_packed(unpack);

	if (got < 0)
		return rt_err_sys(err, (int)got, "cannot read");
	pthread_mutex_lock(&unpack->lock);
	unpack->packed_bytes += (uint64_t)got;
	pthread_mutex_unlock(&unpack->lock);
	*ret_data = unpack->packed;
	return got;
}

static void close_packed(struct rt_supply *supply)
{
	(void)supply; /* the file is whose it was */
}

/* Fill a block; what comes before damage is a block of its own. */
static ssize_t unpack_block(struct rt_unpack *unpack, struct block *block)
{
	size_t bytes = 0, some;
	ssize_t got;

	while (bytes < BLOCK_BYTES && !unpack->failed) {
		if (unpack->bytes == 0) {
			got = unpack->from->next(unpack->from, &unpack->data,
						 &unpack->why);
			if (got == 0)
				break;
			unpack->failed = got < 0 ? (int)got : 0;
			unpack->bytes = got < 0 ? 0 : (size_t)got;
		}
		some = BLOCK_BYTES - bytes;
		if (some > unpack->bytes)
			some = unpack->bytes;
		memcpy(block->data + bytes, unpack->data, some);
		unpack->data += some;
		unpack->bytes -= some;
		bytes += some;
	}
	return bytes == 0 && unpack->failed ? unpack->failed : (ssize_t)bytes;
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

/* Set up the stages, by the first bytes of what each of them gives. */
static int look_inside(struct rt_unpack *unpack, struct rt_err *err)
{
	for (unsigned stages = 0; stages < STAGES_MAX; stages++) {
		const char *compression = rt_stage_compression(unpack->data,
							       unpack->bytes);
		struct rt_err why = { 0 };
		ssize_t got;

		if (!compression)
			break;
		got = rt_stage_open(unpack->from, unpack->data, unpack->bytes,
				    &unpack->from, &why);
		if (got == 0)
			got = unpack->from->next(unpack->from, &unpack->data, &why);
		if (got < 0)
			return rt_err_set(err, got == -EBADMSG ? -EINVAL : (int)got,
					  "%s: looks like %s, but cannot be read as "
					  "it: %s",
					  unpack->name, compression, why.msg);
		unpack->bytes = (size_t)got;
	}
	return 0;
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
	unpack->packed_bytes = unpack->bytes = bytes;
	unpack->data = memcpy(unpack->packed, data, bytes);
	unpack->file = (struct rt_supply){ next_packed, close_packed };
	unpack->from = &unpack->file;
	pthread_mutex_init(&unpack->lock, NULL);
	pthread_cond_init(&unpack->changed, NULL);
	unpack->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (unpack->stop_fd < 0)
		r = rt_err_sys(err, -errno, "cannot start to decompress");
	if (r == 0)
		r = look_inside(unpack, err);
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
		return rt_err_set(err, (int)block->bytes, "%s: cannot decompress: %s",
				  unpack->name, unpack->why.msg);
	left = (size_t)block->bytes - unpack->taken;
	if (bytes > left)
		bytes = left;
	memcpy(to, block->data + unpack->taken, bytes);
	unpack->taken += bytes;
	if (bytes == left && block->bytes > 0)
		give_back(unpack);
	return (ssize_t)bytes;
}

uint64_t rt_unpack_packed_bytes(struct rt_unpack *unpack)
{
	uint64_t bytes;

	pthread_mutex_lock(&unpack->lock);
	bytes = unpack->packed_bytes;
	pthread_mutex_unlock(&unpack->lock);
	return bytes;
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
	unpack->from->close(unpack->from);
	if (unpack->stop_fd >= 0)
		close(unpack->stop_fd);
	pthread_cond_destroy(&unpack->changed);
	pthread_mutex_destroy(&unpack->lock);
	free(unpack);
}
