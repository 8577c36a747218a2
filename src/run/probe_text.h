/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_text.h - words of a probe's result. */
#ifndef RT_RUN_PROBE_TEXT_H
#define RT_RUN_PROBE_TEXT_H

#include <stdint.h>

#include "run/probe.h"

/* The word for ECN bits. */
void rt_probe_ecn_text(uint64_t bits, char text[RT_PROBE_ECN_BYTES]);

/* The words of the RFCs for that word: "ECT(0)". */
const char *rt_probe_ecn_label(const char *text);

/* The whole byte for people, by RFC 2474 and RFC 3168: "26 ECT(0)". */
void rt_probe_tos_text(uint64_t tos, char text[RT_PROBE_TOS_BYTES]);

/* What came of a packet, by enum rt_probe_event, in words. */
const char *rt_probe_outcome(unsigned event);

/* Which of the questions are answered, and why the others are not. */
void rt_probe_fill_told(const struct rt_probe_request *request,
			struct rt_probed *probed);

#endif
