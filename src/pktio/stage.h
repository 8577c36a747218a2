/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stage.h - levels of compression, each of which takes its bytes from the one below.
 *
 * gzip and xz are decompressed by zlib and liblzma themselves, so that every check sum
 * is looked at and all that comes before damage is handed over; the rest by libarchive.
 */
#ifndef RT_PKTIO_STAGE_H
#define RT_PKTIO_STAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rt_err;

/* Whoever has bytes to give. */
struct rt_supply {
	/*
	 * How many there are at *ret_data, until the next call; 0 at the end;
	 * negative errno (-EBADMSG: damage), after which there are no more calls.
	 */
	ssize_t (*next)(struct rt_supply *supply, const uint8_t **ret_data,
			struct rt_err *err);
	/* That of a stage closes what lies below, too. */
	void (*close)(struct rt_supply *supply);
};

/* The compression that bytes which begin so have, or NULL. */
const char *rt_stage_compression(const uint8_t *data, size_t bytes);

/*
 * Decompress what from gives, beginning with bytes of data, which it gave last and
 * whose compression is known.  from is taken on success.  -EBADMSG, -ENOMEM.
 */
int rt_stage_open(struct rt_supply *from, const uint8_t *data, size_t bytes,
		  struct rt_supply **ret_stage, struct rt_err *err);

#endif
