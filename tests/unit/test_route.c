/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes and neighbours as the kernel tells them, made by hand, and hostile ones. */
#include "unit.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/own.h"
#include "kern/route.h"
#include "rocetune/err.h"

static const uint8_t v4[4] = { 10, 0, 0, 254 };
static const uint8_t v6[16] = { 0xFD, [15] = 9 };

struct answer {
	struct nl_msg *msg;
	const char *bytes;
	size_t count;
};

/* A fixed part, and one attribute behind it (bytes 0: none), with an interface. */
static struct answer make(const void *head, size_t head_bytes, int type,
			  const void *data, int bytes)
{
	struct answer answer = { .msg = nlmsg_alloc() };

	nlmsg_put(answer.msg, 0, 1, 77, 0, 0);
	nlmsg_append(answer.msg, (void *)(uintptr_t)head, head_bytes, NLMSG_ALIGNTO);
	if (bytes)
		nla_put(answer.msg, type, bytes, data);
	nla_put_u32(answer.msg, RTA_OIF, 7);
	answer.count = (size_t)nlmsg_datalen(nlmsg_hdr(answer.msg));
	answer.bytes = nlmsg_data(nlmsg_hdr(answer.msg));
	return answer;
}

/* family and address */
static int via6(uint8_t bytes[18])
{
	const uint16_t family = AF_INET6;

	memcpy(bytes, &family, 2);
	memcpy(bytes + 2, v6, 16);
	return 18;
}

static void test_route_is_read(void **state)
{
	uint8_t via[18];
	const int via_bytes = via6(via);
	const struct {
		const char *label;
		uint8_t family, kind;
		int type;
		const void *data;
		int bytes, result;
		uint8_t gateway; /* version */
	} cases[] = {
		{ "on link", AF_INET, RTN_UNICAST, 0, NULL, 0, 0, 0 },
		{ "gateway", AF_INET, RTN_UNICAST, RTA_GATEWAY, v4, 4, 0, 4 },
		{ "gateway of IPv6", AF_INET6, RTN_UNICAST, RTA_GATEWAY, v6, 16, 0, 6 },
		{ "IPv4 by IPv6", AF_INET, RTN_UNICAST, RTA_VIA, via, via_bytes, 0, 6 },
		{ "gateway too short", AF_INET, RTN_UNICAST, RTA_GATEWAY, v4, 3,
		  -EPROTO, 0 },
		{ "gateway too long", AF_INET, RTN_UNICAST, RTA_GATEWAY, v6, 16,
		  -EPROTO, 0 },
		{ "via cut", AF_INET, RTN_UNICAST, RTA_VIA, via, 9, -EPROTO, 0 },
		{ "via nothing", AF_INET, RTN_UNICAST, RTA_VIA, via, 1, -EPROTO, 0 },
		{ "this host", AF_INET, RTN_LOCAL, 0, NULL, 0, -EHOSTUNREACH, 0 },
		{ "black hole", AF_INET, RTN_BLACKHOLE, 0, NULL, 0, -EHOSTUNREACH, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rtmsg head = { .rtm_family = cases[i].family,
					    .rtm_type = cases[i].kind };
		struct answer answer = make(&head, sizeof(head), cases[i].type,
					    cases[i].data, cases[i].bytes);
		struct rt_route route = { 0 };
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		assert_int_equal(
			rt_route_parse(answer.bytes, answer.count, &route, &err),
			cases[i].result);
		assert_int_equal(err.code, cases[i].result);
		if (!cases[i].result)
			assert_int_equal(route.ifindex, 7);
		assert_int_equal(route.gateway.version, cases[i].gateway);
		if (cases[i].gateway == 6)
			assert_memory_equal(route.gateway.bytes, v6, 16);
		nlmsg_free(answer.msg);
	}
}

static void test_neighbour_is_read(void **state)
{
	static const uint8_t mac[20] = { 2, 0, 0, 0, 0, 9 };
	static const struct {
		uint16_t state;
		int bytes, result;
	} cases[] = {
		{ NUD_REACHABLE, 6, 0 },    { NUD_STALE, 6, 0 },
		{ NUD_PERMANENT, 6, 0 },    { NUD_INCOMPLETE, 0, -ENOENT },
		{ NUD_FAILED, 6, -ENOENT }, { NUD_REACHABLE, 0, -ENOENT },
		{ NUD_NOARP, 20, -ENOENT }, /* IPoIB */
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct ndmsg head = { .ndm_family = AF_INET,
					    .ndm_state = cases[i].state };
		struct answer answer = make(&head, sizeof(head), NDA_LLADDR, mac,
					    cases[i].bytes);
		uint8_t got[6] = { 0 };

		assert_int_equal(
			rt_neighbour_parse(answer.bytes, answer.count, got, NULL),
			cases[i].result);
		if (!cases[i].result)
			assert_memory_equal(got, mac, 6);
		nlmsg_free(answer.msg);
	}
}

/* Each prefix in memory of its own, so that a byte too far is seen. */
static void test_what_is_cut_off_is_refused(void **state)
{
	const struct rtmsg head = { .rtm_family = AF_INET, .rtm_type = RTN_UNICAST };
	struct answer answer = make(&head, sizeof(head), RTA_GATEWAY, v4, 4);

	(void)state;
	for (size_t n = 0; n < answer.count; n++) {
		struct rt_route route;
		struct rt_err err = { 0 };
		uint8_t mac[6];
		char *part = malloc(n ? n : 1);

		memcpy(part, answer.bytes, n);
		assert_true(rt_route_parse(part, n, &route, &err) < 0);
		assert_true(*err.msg);
		assert_true(rt_neighbour_parse(part, n, mac, &err) < 0);
		free(part);
	}
	nlmsg_free(answer.msg);
}

RT_UNIT_MAIN(cmocka_unit_test(test_route_is_read),
	     cmocka_unit_test(test_neighbour_is_read),
	     cmocka_unit_test(test_what_is_cut_off_is_refused))
