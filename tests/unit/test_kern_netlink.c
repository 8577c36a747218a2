/* SPDX-License-Identifier: BSD-2-Clause */
/* Netlink datagrams: what ends an answer, the kernel's own words, hostile ones. */
#include "unit.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "kern/netlink.h"
#include "rocetune/err.h"

struct seen {
	unsigned count;
	int answer;
};

static int take(void *context, const void *bytes, size_t count, struct rt_err *err)
{
	struct seen *seen = context;

	(void)bytes;
	(void)count;
	seen->count++;
	return seen->answer < 0 ? rt_err_set(err, seen->answer, "not this") : 0;
}

/* Append a message to buf; returns the bytes used. */
static size_t add(char *buf, size_t used, unsigned type, unsigned flags, uint32_t seq,
		  const void *body, size_t bytes)
{
	const struct nlmsghdr header = { .nlmsg_len = (uint32_t)(NLMSG_HDRLEN + bytes),
					 .nlmsg_type = (uint16_t)type,
					 .nlmsg_flags = (uint16_t)flags,
					 .nlmsg_seq = seq };

	memcpy(buf + used, &header, sizeof(header));
	memcpy(buf + used + NLMSG_HDRLEN, body, bytes);
	return used + NLMSG_HDRLEN + NLMSG_ALIGN(bytes);
}

static size_t add_error(char *buf, size_t used, unsigned flags, int code,
			const char *words)
{
	char body[256] = { 0 };
	struct nlmsgerr error = { .error = code, .msg = { .nlmsg_len = 24 } };
	struct nlattr attr = { .nla_type = NLMSGERR_ATTR_MSG };
	size_t bytes = sizeof(error);

	memcpy(body, &error, sizeof(error));
	if (!(flags & NLM_F_CAPPED))
		bytes += 24 - NLMSG_HDRLEN;
	if (words) {
		attr.nla_len = (uint16_t)(NLA_HDRLEN + strlen(words) + 1);
		memcpy(body + bytes, &attr, sizeof(attr));
		strcpy(body + bytes + NLA_HDRLEN, words);
		bytes += attr.nla_len;
	}
	return add(buf, used, NLMSG_ERROR, flags, 9, body, bytes);
}

static void test_walk_reads_up_to_the_ack(void **state)
{
	_Alignas(4) char buf[1024] = { 0 };
	struct seen seen = { 0 };
	const struct rt_nl_answer answer_ = { .type = 79,
					      .take = take,
					      .context = &seen };
	struct rt_nl_walk walk = { .answer = &answer_, .seq = 9 };
	size_t used = add(buf, 0, 79, 0, 8, "xxxx", 4); /* somebody else's */

	(void)state;
	used = add(buf, used, 79, 0, 9, "xxxx", 4);
	assert_int_equal(rt_nl_walk(&walk, buf, used, NULL), 0);
	assert_int_equal(seen.count, 1);
	assert_false(walk.finished);

	used = add_error(buf, 0, NLM_F_CAPPED, 0, NULL);
	assert_int_equal(rt_nl_walk(&walk, buf, used, NULL), 0);
	assert_true(walk.finished);
	assert_int_equal(walk.result, 0);
}

static void test_walk_keeps_the_kernels_words(void **state)
{
	static const unsigned flags[] = { NLM_F_ACK_TLVS,
					  NLM_F_ACK_TLVS | NLM_F_CAPPED };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(flags); i++) {
		_Alignas(4) char buf[1024] = { 0 };
		struct rt_nl_answer none = { 0 };
		struct rt_nl_walk walk = { .answer = &none, .seq = 9 };
		const size_t used = add_error(buf, 0, flags[i], -EINVAL,
					      "bandwidth must sum to 100");

		assert_int_equal(rt_nl_walk(&walk, buf, used, NULL), 0);
		assert_true(walk.finished);
		assert_int_equal(walk.result, -EINVAL);
		assert_string_equal(walk.extack, "bandwidth must sum to 100");
		for (size_t n = 0; n < used; n++) { /* cut off anywhere */
			struct rt_nl_walk cut = { .answer = &none, .seq = 9 };
			char *part = malloc(n ? n : 1);

			memcpy(part, buf, n);
			rt_nl_walk(&cut, part, n, NULL);
			free(part);
		}
	}
}

static void test_walk_tells_of_changed_dumps_and_nonsense(void **state)
{
	static const int done = 0, wild = 7, enotsupp = -524;
	static const struct {
		const char *label;
		unsigned type, flags;
		const void *body;
		size_t bytes;
		int r, result;
		bool finished, interrupted;
	} cases[] = {
		{ "end", NLMSG_DONE, 0, &done, 4, 0, 0, true, false },
		{ "end, changed", NLMSG_DONE, NLM_F_DUMP_INTR, &done, 4, 0, 0, true,
		  true },
		{ "end without code", NLMSG_DONE, 0, "", 0, 0, 0, true, false },
		{ "ENOTSUPP", NLMSG_DONE, 0, &enotsupp, 4, 0, -EOPNOTSUPP, true,
		  false },
		{ "positive error", NLMSG_ERROR, 0, &wild, 4, -EPROTO, 0, true, false },
		{ "error cut off", NLMSG_ERROR, 0, "xx", 2, -EPROTO, 0, false, false },
		{ "lost", NLMSG_OVERRUN, 0, "", 0, -EPROTO, 0, false, false },
		{ "other type", 80, 0, "xxxx", 4, -EPROTO, 0, false, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		_Alignas(4) char buf[64] = { 0 };
		struct seen seen = { 0 };
		const struct rt_nl_answer answer_ = { .type = 79,
						      .take = take,
						      .context = &seen };
		struct rt_nl_walk walk = { .answer = &answer_, .seq = 9 };
		const size_t used = add(buf, 0, cases[i].type, cases[i].flags, 9,
					cases[i].body, cases[i].bytes);

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_nl_walk(&walk, buf, used, NULL), cases[i].r);
		assert_int_equal(walk.result, cases[i].result);
		assert_int_equal(walk.finished, cases[i].finished);
		assert_int_equal(walk.interrupted, cases[i].interrupted);
	}
}

static void test_walk_reads_on_after_a_refusal(void **state)
{
	_Alignas(4) char buf[256] = { 0 };
	struct seen seen = { .answer = -EPROTO };
	const struct rt_nl_answer answer_ = { .type = 79,
					      .take = take,
					      .context = &seen };
	struct rt_nl_walk walk = { .answer = &answer_, .seq = 9 };
	struct rt_err err = { 0 };
	static const int done = 0;
	size_t used = add(buf, 0, 79, 0, 9, "xxxx", 4);

	(void)state;
	used = add(buf, used, 79, 0, 9, "xxxx", 4);
	used = add(buf, used, NLMSG_DONE, 0, 9, &done, 4);
	assert_int_equal(rt_nl_walk(&walk, buf, used, &err), 0);
	assert_true(walk.finished);
	assert_int_equal(seen.count, 1);
	assert_int_equal(walk.result, -EPROTO);
	assert_string_equal(err.msg, "not this");
}

RT_UNIT_MAIN(cmocka_unit_test(test_walk_reads_up_to_the_ack),
	     cmocka_unit_test(test_walk_keeps_the_kernels_words),
	     cmocka_unit_test(test_walk_tells_of_changed_dumps_and_nonsense),
	     cmocka_unit_test(test_walk_reads_on_after_a_refusal))
