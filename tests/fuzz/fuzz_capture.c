/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_capture.c - any bytes as a capture file: read to the end, all decoded. */
#include <stdlib.h>

#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_frame frames[7];
	struct rt_err err = { 0 };
	uint64_t number = 0;
	size_t count = 1, interfaces;
	int r = rt_capture_open_memory(data, bytes, RT_DECODE_ICRC, &source, &err);

	if (r < 0) {
		HOLDS(err.code == r && err.msg[0]);
		return 0;
	}
	while (count) {
		r = source->ops->read(source, frames, RT_ARRAY_SIZE(frames), &count,
				      &err);
		if (r < 0) {
			HOLDS(err.code == r && err.msg[0]);
			break;
		}
		HOLDS(count <= RT_ARRAY_SIZE(frames));
		source->ops->interfaces(source, &interfaces);
		for (size_t i = 0; i < count; i++) {
			HOLDS(frames[i].number == ++number);
			HOLDS(frames[i].interface < interfaces);
			HOLDS(frames[i].cap_bytes <= bytes);
			HOLDS(frames[i].kind < RT_FRAME_KIND_COUNT);
		}
	}
	HOLDS(rt_capture_notes(source)->bytes <= bytes);
	return 0;
}
