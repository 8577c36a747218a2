/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.h - decompression on a thread of its own.
 *
 * The thread fills a few blocks ahead of the reader and waits when they are full;
 * the reader takes bytes from the oldest and waits when there are none.  Between the
 * two are the blocks, and one lock.
 */
#ifndef RT_PKTIO_UNPACK_H
#define RT_PKTIO_UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rt_err;
struct rt_unpack;

/*
 * Unpack what begins with bytes of data, of which rt_stage_compression() is known, and
 * goes on in fd (borrowed until close).  name is for messages, kept by reference.
 * -EINVAL: it cannot be read as what it looks like.
 */
int rt_unpack_open(int fd, const uint8_t *data, size_t bytes, const char *name,
		   struct rt_unpack **ret_unpack, struct rt_err *err);

/*
 * Up to bytes more; 0 at the end; -EBADMSG: damaged.  What was unpacked before the
 * damage is given first.
 */
ssize_t rt_unpack_read(struct rt_unpack *unpack, uint8_t *to, size_t bytes,
		       struct rt_err *err);

/* Bytes of the file that were read so far; all, once rt_unpack_read() gave 0. */
uint64_t rt_unpack_packed_bytes(struct rt_unpack *unpack);

/* At any time; the thread is stopped, also amid reading.  NULL is fine. */
void rt_unpack_close(struct rt_unpack *unpack);

#endif
