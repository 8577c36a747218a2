/* SPDX-License-Identifier: BSD-2-Clause */
/* pcaps.h - pcap files (little endian) taken apart and put together, record by record. */
#ifndef RT_TESTS_PCAPS_H
#define RT_TESTS_PCAPS_H

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

#define PCAP_HEADER 24
#define PCAP_RECORD 16

/* Bytes that grow. */
struct bytes {
	uint8_t *at; /* owned */
	size_t count, capacity;
};

static inline void pcap_auto_free(struct bytes *bytes)
{
	free(bytes->at);
}

static inline void pcap_append(struct bytes *bytes, const void *data, size_t count)
{
	if (bytes->count + count > bytes->capacity) {
		bytes->capacity = (bytes->count + count) * 2;
		bytes->at = realloc(bytes->at, bytes->capacity);
		assert_non_null(bytes->at);
	}
	memcpy(bytes->at + bytes->count, data, count);
	bytes->count += count;
}

static inline void pcap_read(const char *path, struct bytes *bytes)
{
	uint8_t block[65536];
	size_t got;

	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "rb");
	assert_non_null(file);
	while ((got = fread(block, 1, sizeof(block), file)) > 0)
		pcap_append(bytes, block, got);
}

static inline uint32_t pcap_le32(const uint8_t *at)
{
	return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 |
	       at[0];
}

static inline void pcap_append_le32(struct bytes *out, uint32_t value)
{
	const uint8_t raw[4] = { (uint8_t)value, (uint8_t)(value >> 8),
				 (uint8_t)(value >> 16), (uint8_t)(value >> 24) };

	pcap_append(out, raw, 4);
}

static inline void pcap_analyse(const struct bytes *file,
				struct rt_analysis *ret_analysis)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	const struct rt_analysis_config config = { 0 };
	struct rt_err err = { 0 };

	if (rt_capture_open_memory(file->at, file->count,
				   RT_DECODE_ICRC | RT_DECODE_DIGEST, &source,
				   &err) < 0 ||
	    rt_analysis_of_source(source, &config, ret_analysis, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void pcap_load(const char *name, struct bytes *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/captures/rxe/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	pcap_read(path, file);
}

#endif
