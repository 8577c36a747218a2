/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump.h - what people paste: outputs of ethtool, rdma, mlnx_qos, mlxconfig, niccli
 * and the like, as values with names, and as knobs where they tell knobs.
 *
 * A text may hold the outputs of several commands, one after the other, with their
 * prompts or without.  Every format is a row: how it is recognised, how it is read.
 * Input may be hostile: sizes are bounded, nothing is guessed, and what is no number
 * is no number.
 */
#ifndef RT_HOST_DUMP_H
#define RT_HOST_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/qos.h"
#include "rocetune/field.h"
#include "rocetune/profile.h"

struct rt_err;

#define RT_DUMP_BYTES_MAX  (4u << 20)
#define RT_DUMP_VALUES_MAX 100000u

struct rt_dump_value {
	char where[64]; /* of what: "mlx5_0/1", "Ethernet4:UC3"; "": not said */
	char name[96];
	char text[160];           /* as written, blanks at its ends cut off */
	struct rt_opt_u64 number; /* where the text is one */
	struct rt_opt_u64 time;   /* stands several times: this is the first, ... */
};

struct rt_dump {
	struct rt_dump_value *values; /* owned */
	size_t count, capacity;
	struct rt_qos qos; /* what mlnx_qos, niccli or lldptool told of knobs */
	char formats[160]; /* which were recognised, ", " between */
};

/*
 * Read a text of that many bytes.  -EINVAL: none of it is an output known here.
 * -EFBIG: larger than RT_DUMP_BYTES_MAX.  -E2BIG: too many values.  -ENOMEM.
 * The caller frees *ret_dump.
 */
int rt_dump_read(const char *text, size_t bytes, struct rt_dump *ret_dump,
		 struct rt_err *err);
void rt_dump_free(struct rt_dump *dump);

/* The first value of this name, of where (NULL: of anything); NULL: none. */
const struct rt_dump_value *rt_dump_find(const struct rt_dump *dump, const char *where,
					 const char *name);

/* What a profile expects of the firmware, against mlxconfig's answer. */
enum rt_firmware_verdict {
	RT_FIRMWARE_UNKNOWN, /* the dump does not have the setting */
	RT_FIRMWARE_AS_EXPECTED,
	RT_FIRMWARE_OTHER,
	RT_FIRMWARE_SEVERAL, /* it stands several times, and not with one value */
};

/*
 * One entry of host.firmware_expect: a number, a word, yes or no, or `has N` (bit N
 * of a mask).  A setting of a port (NAME_P1) is found by its bare name.
 * *ret_value: what the dump has, NULL when it is unknown.
 */
enum rt_firmware_verdict rt_firmware_check(const struct rt_pair *expect,
					   const struct rt_dump *dump, unsigned port,
					   const struct rt_dump_value **ret_value);

#endif
