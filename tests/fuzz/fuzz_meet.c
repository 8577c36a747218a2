/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_meet.c - any bytes as what an agent says to its coordinator, and the other way
 * round, in pieces: byte 0 chooses side, phase and how the stream is cut.  And as where
 * a coordinator is and which hosts take part.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "rocetune/err.h"
#include "traffic/tcp.h"
#include "traffic/tcp_line.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void look(const struct rt_tcp_frame *frame)
{
	const size_t bytes = frame->head.bytes;
	struct rt_tcp_claim_text text;
	struct rt_tcp_refused refused;
	struct rt_tcp_welcome welcome;
	struct rt_tcp_hello hello;
	struct rt_tcp_stop stop;

	HOLDS(bytes <= RT_RENDEZVOUS_TEXT_BYTES);
	switch (frame->head.type) {
	case RT_TCP_HELLO:
		if (rt_tcp_hello_read(frame->payload, bytes, &hello, NULL) == 0)
			HOLDS(rt_tcp_name_is_fine(hello.name));
		break;
	case RT_TCP_WELCOME:
		rt_tcp_welcome_read(frame->payload, &welcome);
		HOLDS(strlen(rt_tcp_welcome_text(&welcome, &text)) < sizeof(text.text));
		break;
	case RT_TCP_REFUSED:
		rt_tcp_refused_read(frame->payload, bytes, &refused);
		HOLDS(strlen(refused.text) < sizeof(refused.text));
		HOLDS(rt_tcp_refusal_errno(refused.why) < 0);
		break;
	case RT_TCP_STOP:
		rt_tcp_stop_read(frame->payload, bytes, &stop);
		HOLDS(strlen(stop.reason) < sizeof(stop.reason));
		break;
	case RT_TCP_PROBE: (void)rt_tcp_time_read(frame->payload, 0); break;
	case RT_TCP_ECHO: (void)rt_tcp_time_read(frame->payload, 1); break;
	default: break;
	}
}

/* The stream, step bytes at a time; whole frames come out the same for any step. */
static size_t frames_of(const uint8_t *data, size_t bytes, enum rt_tcp_side peer,
			enum rt_tcp_phase phase, size_t step)
{
	struct rt_tcp_budget budget = { .most = SIZE_MAX };
	struct rt_tcp_line line = {
		.fd = -1,
		.budget = &budget,
		.peer = peer,
		.phase = phase,
	};
	struct rt_tcp_frame frame;
	struct rt_err err;
	size_t frames = 0;
	int r = 0;

	line.in.bytes = malloc(bytes + 1);
	HOLDS(line.in.bytes);
	line.in.capacity = budget.used = bytes + 1;
	for (size_t at = 0; at < bytes && r >= 0; at += step) {
		const size_t piece = bytes - at < step ? bytes - at : step;

		if (!line.in.bytes)
			break; /* it was large, read, and given back */
		memcpy(line.in.bytes + line.in.end, data + at, piece);
		line.in.end += piece;
		while ((r = rt_tcp_line_next(&line, &frame, &err)) == 1) {
			frames++;
			look(&frame);
		}
	}
	rt_tcp_line_close(&line);
	HOLDS(budget.used == 0);
	return frames;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_tcp_place place;
	struct rt_hostlist list;
	char text[300];
	enum rt_tcp_side peer;
	enum rt_tcp_phase phase;

	if (!bytes || bytes > 65536)
		return 0;
	peer = data[0] & 1 ? RT_TCP_ROOT : RT_TCP_AGENT;
	phase = data[0] & 2 ? RT_TCP_RUNNING : RT_TCP_MEETING;
	HOLDS(frames_of(data + 1, bytes - 1, peer, phase, bytes) ==
	      frames_of(data + 1, bytes - 1, peer, phase, (data[0] >> 2) + 1u));
	if (bytes < sizeof(text)) {
		memcpy(text, data + 1, bytes - 1);
		text[bytes - 1] = '\0';
		if (rt_tcp_place_read(text, true, &place, NULL) == 0)
			HOLDS(strlen(place.host) < sizeof(place.host));
		if (rt_hostlist_read(text, 64, &list, NULL) == 0) {
			HOLDS(list.count && list.count <= 64);
			rt_hostlist_free(&list);
		}
	}
	return 0;
}
