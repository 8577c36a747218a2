/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pasted.h - the journey of outputs that people paste (ethtool, rdma, mlnx_qos,
 * mlxconfig, ...): what they say in rocetune's words, and whether the firmware is set
 * as a profile expects.
 */
#ifndef RT_RUN_PASTED_H
#define RT_RUN_PASTED_H

#include "host/dumps/dump.h"
#include "rocetune/field.h"

struct rt_err;
struct rt_outcome;

struct rt_pasted_knob {
	const char *knob, *help;
	char value[RT_KNOB_TEXT_BYTES];
};

struct rt_pasted_setting {
	char name[96];
	char expected[64], is[64]; /* is "": the output does not have it */
	unsigned verdict;          /* enum rt_firmware_verdict */
};

struct rt_pasted {
	char file[256];
	struct rt_dump dump;
	struct rt_pasted_knob *knobs; /* owned */
	size_t knob_count;
	struct rt_pasted_setting *settings; /* owned */
	size_t setting_count;
	const char *note; /* what was not compared; or NULL */
};

extern const struct rt_table rt_pasted_table;

/*
 * Kind pasted: what file ("-": standard input) says.  profile (may be NULL): its
 * host.firmware_expect is compared with what mlxconfig says of this port.
 * -EINVAL: none of it is an output known here.  Otherwise as reading said.
 */
int rt_run_pasted(const char *file, const char *profile, unsigned port,
		  struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
