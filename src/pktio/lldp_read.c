/* SPDX-License-Identifier: BSD-2-Clause */
/* lldp_read.c - the LLDP frames of a capture file. */
#include "base/own.h"
#include "pktio/lldp_listen.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

struct reading {
	struct rt_source *source;
	struct rt_lldp_peers *peers;
	int failed;
	struct rt_err err;
};

static void take_frame(void *context, const struct rt_frame *frame, const uint8_t *data)
{
	struct reading *reading = context;
	const struct rt_capture_if *interfaces;
	struct rt_lldp said;
	size_t count;

	if (reading->failed || frame->link_type != RT_LINK_ETHERNET ||
	    frame->encap != RT_ENCAP_NONE ||
	    !rt_lldp_decode(data, frame->cap_bytes, &said))
		return;
	interfaces = reading->source->ops->interfaces(reading->source, &count);
	reading->failed = rt_lldp_peers_add(reading->peers,
					    interfaces[frame->interface].name, &said,
					    &reading->err);
}

int rt_lldp_read_capture(const char *path, struct rt_lldp_peers *peers,
			 struct rt_err *err)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct reading reading = { .peers = peers };
	struct rt_frame frames[32];
	size_t count = 1;
	int r = rt_capture_open(path, 0, &source, err);

	if (r < 0)
		return r;
	reading.source = source;
	rt_capture_tap(source, RT_FRAME_LLDP, take_frame, &reading);
	while (count) {
		r = source->ops->read(source, frames, RT_ARRAY_SIZE(frames), &count,
				      err);
		if (r < 0)
			return r;
		if (reading.failed)
			return rt_err_set(err, reading.failed, "%s", reading.err.msg);
	}
	return 0;
}
