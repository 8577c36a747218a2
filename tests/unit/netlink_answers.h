/* SPDX-License-Identifier: BSD-2-Clause */
/* netlink_answers.h - answers of the kernel made by hand, and what hostile ones do. */
#ifndef RT_TESTS_NETLINK_ANSWERS_H
#define RT_TESTS_NETLINK_ANSWERS_H

#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

/* An answer whose fixed part is head; attributes are put behind it. */
static inline struct nl_msg *answer(const void *head, size_t bytes)
{
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, 0, 1, 77, 0, 0);
	if (bytes)
		nlmsg_append(msg, (void *)(uintptr_t)head, bytes, NLMSG_ALIGNTO);
	return msg;
}

static inline const char *payload(struct nl_msg *msg, size_t *ret_bytes)
{
	*ret_bytes = (size_t)nlmsg_datalen(nlmsg_hdr(msg));
	return nlmsg_data(nlmsg_hdr(msg));
}

typedef int parser(const void *bytes, size_t count);

/* Each prefix in memory of its own, so that a byte too far is seen; then bytes changed. */
static inline void check_hostile(struct nl_msg *msg, parser *parse)
{
	size_t bytes;
	const char *whole = payload(msg, &bytes);

	for (size_t n = 0; n <= bytes; n++) {
		char *part = malloc(n ? n : 1);

		memcpy(part, whole, n);
		parse(part, n);
		for (size_t i = 0; i < n; i++) {
			const char was = part[i];

			part[i] = (char)(was ^ 0x7f);
			parse(part, n);
			part[i] = (char)0xff;
			parse(part, n);
			part[i] = was;
		}
		free(part);
	}
}

#endif
