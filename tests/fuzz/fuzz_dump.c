/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_dump.c - pasted outputs of ethtool, rdma, mlnx_qos and the like. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/dumps/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rt_pair expect = { .name = "ROCE_CC_PRIO_MASK",
					.value = { .state = RT_SETTING_VALUE,
						   .text = "has 3" } };
	const struct rt_dump_value *value;
	struct rt_dump dump;

	if (rt_dump_read((const char *)data, size, &dump, NULL) < 0)
		return 0;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		if (dump.qos.knobs[id].known & ~rt_knob_all(&rt_knobs[id]))
			abort();
	for (size_t i = 0; i < dump.count; i++)
		if (!rt_dump_find(&dump, dump.values[i].where, dump.values[i].name) ||
		    i > 100)
			break;
	(void)rt_firmware_check(&expect, &dump, 1, &value);
	rt_dump_free(&dump);
	return 0;
}
