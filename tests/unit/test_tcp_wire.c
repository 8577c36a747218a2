/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames between coordinator and agents as bytes; tokens and places as people write. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/tcp.h"
#include "traffic/tcp_line.h"

static void test_heads_let_pass_what_belongs_there(void **state)
{
	static const struct {
		const char *label;
		uint8_t bytes[RT_TCP_HEAD_BYTES];
		enum rt_tcp_side from;
		enum rt_tcp_phase phase;
		int r;
		const char *says; /* part of the error */
	} cases[] = {
		{ "challenge",
		  { 'R', 'T', 1, RT_TCP_CHALLENGE, 0, 0, 0, 0, 0, 0, 0, 32 },
		  RT_TCP_ROOT,
		  RT_TCP_MEETING,
		  0,
		  NULL },
		{ "an agent's challenge",
		  { 'R', 'T', 1, RT_TCP_CHALLENGE, 0, 0, 0, 0, 0, 0, 0, 32 },
		  RT_TCP_AGENT,
		  RT_TCP_MEETING,
		  -EPROTO,
		  "does not belong here" },
		{ "text before welcome",
		  { 'R', 'T', 1, RT_TCP_GATHER, 0, 0, 0, 1, 0, 0, 0, 5 },
		  RT_TCP_AGENT,
		  RT_TCP_MEETING,
		  -EPROTO,
		  "does not belong here" },
		{ "text of 16 MiB",
		  { 'R', 'T', 1, RT_TCP_GATHER, 0, 0, 0, 1, 1, 0, 0, 0 },
		  RT_TCP_AGENT,
		  RT_TCP_RUNNING,
		  0,
		  NULL },
		{ "text of a byte more",
		  { 'R', 'T', 1, RT_TCP_GATHER, 0, 0, 0, 1, 1, 0, 0, 1 },
		  RT_TCP_AGENT,
		  RT_TCP_RUNNING,
		  -EMSGSIZE,
		  "0 to 16777216" },
		{ "text of 4 GiB",
		  { 'R', 'T', 1, RT_TCP_SCATTER, 0, 0, 0, 1, 255, 255, 255, 255 },
		  RT_TCP_ROOT,
		  RT_TCP_RUNNING,
		  -EMSGSIZE,
		  "4294967295" },
		{ "hello without a name",
		  { 'R', 'T', 1, RT_TCP_HELLO, 0, 0, 0, 0, 0, 0, 0, 64 },
		  RT_TCP_AGENT,
		  RT_TCP_MEETING,
		  -EMSGSIZE,
		  "65 to" },
		{ "another version",
		  { 'R', 'T', 2, RT_TCP_HELLO, 0, 0, 0, 0, 0, 0, 0, 70 },
		  RT_TCP_AGENT,
		  RT_TCP_MEETING,
		  -EPROTONOSUPPORT,
		  "speaks version 2, this rocetune version 1" },
		{ "unknown type",
		  { 'R', 'T', 1, 77 },
		  RT_TCP_AGENT,
		  RT_TCP_RUNNING,
		  -EPROTO,
		  "unknown type 77" },
		{ "type 0",
		  { 'R', 'T', 1, 0 },
		  RT_TCP_AGENT,
		  RT_TCP_RUNNING,
		  -EPROTO,
		  "unknown type 0" },
		{ "a numbered probe",
		  { 'R', 'T', 1, RT_TCP_PROBE, 0, 0, 0, 9, 0, 0, 0, 8 },
		  RT_TCP_AGENT,
		  RT_TCP_RUNNING,
		  -EPROTO,
		  "with a number" },
		{ "HTTP", "GET / HTTP/1", RT_TCP_AGENT, RT_TCP_MEETING, -EPROTO,
		  "but HTTP" },
		{ "SSH", "SSH-2.0-Open", RT_TCP_ROOT, RT_TCP_MEETING, -EPROTO,
		  "but SSH" },
		{ "noise", "............", RT_TCP_ROOT, RT_TCP_MEETING, -EPROTO,
		  "but something else" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		struct rt_tcp_head head;

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_tcp_head_read(cases[i].bytes, cases[i].from,
						  cases[i].phase, &head, &err),
				 cases[i].r);
		if (cases[i].says)
			assert_non_null(strstr(err.msg, cases[i].says));
	}
}

static void test_names_of_agents(void **state)
{
	char name[RT_TCP_NAME_BYTES + 1];

	(void)state;
	assert_true(rt_tcp_name_is_fine("n01.cluster.local"));
	assert_false(rt_tcp_name_is_fine(""));
	assert_false(rt_tcp_name_is_fine("n 1"));
	assert_false(rt_tcp_name_is_fine("n\0331"));
	assert_false(rt_tcp_name_is_fine("n\xC3\xBC"));
	memset(name, 'n', sizeof(name));
	name[RT_TCP_NAME_BYTES - 1] = '\0';
	assert_true(rt_tcp_name_is_fine(name));
	name[RT_TCP_NAME_BYTES - 1] = 'n';
	name[RT_TCP_NAME_BYTES] = '\0';
	assert_false(rt_tcp_name_is_fine(name));
}

/* What is read is what was written, and no more than fits. */
static void test_small_frames_go_and_come(void **state)
{
	const struct rt_tcp_stop stop = { .rank = 7, .reason = "too hot" };
	struct rt_tcp_refused refused = { .why = 99 }, was_refused;
	struct rt_tcp_small frame;
	struct rt_tcp_stop stopped;
	struct rt_tcp_hello hello;
	struct rt_tcp_head head;

	(void)state;
	rt_tcp_stop_write(&stop, &frame);
	assert_int_equal(rt_tcp_head_read(frame.bytes, RT_TCP_AGENT, RT_TCP_RUNNING,
					  &head, NULL),
			 0);
	assert_int_equal(frame.used, RT_TCP_HEAD_BYTES + head.bytes);
	rt_tcp_stop_read(frame.bytes + RT_TCP_HEAD_BYTES, head.bytes, &stopped);
	assert_int_equal(stopped.rank, 7);
	assert_string_equal(stopped.reason, "too hot");

	memset(refused.text, '\033', sizeof(refused.text) - 1);
	rt_tcp_refused_write(&refused, &frame);
	assert_int_equal(
		rt_tcp_head_read(frame.bytes, RT_TCP_ROOT, RT_TCP_MEETING, &head, NULL),
		0);
	rt_tcp_refused_read(frame.bytes + RT_TCP_HEAD_BYTES, head.bytes, &was_refused);
	assert_int_equal(was_refused.why, RT_TCP_BAD_BYTES);
	assert_int_equal(strlen(was_refused.text), sizeof(refused.text) - 1);
	assert_null(strchr(was_refused.text, '\033'));

	memset(&hello, 0, sizeof(hello));
	memset(hello.name, 'x', sizeof(hello.name) - 1);
	rt_tcp_hello_write(&hello, &frame);
	assert_true(frame.used <= sizeof(frame.bytes));
	frame.bytes[frame.used - 3] = '\0';
	assert_int_equal(rt_tcp_head_read(frame.bytes, RT_TCP_AGENT, RT_TCP_MEETING,
					  &head, NULL),
			 0);
	assert_int_equal(rt_tcp_hello_read(frame.bytes + RT_TCP_HEAD_BYTES, head.bytes,
					   &hello, NULL),
			 -EPROTO);
}

static void test_places_as_people_write_them(void **state)
{
	static const struct {
		const char *text, *host; /* NULL: refused */
		uint16_t port;
	} cases[] = {
		{ "n01", "n01", RT_TCP_PORT },
		{ "n01:7000", "n01", 7000 },
		{ "10.0.0.1:65535", "10.0.0.1", 65535 },
		{ "[fe80::1%eth0]:7", "fe80::1%eth0", 7 },
		{ "[::]", "::", RT_TCP_PORT },
		{ ":7000", "", 7000 },
		{ "7000", "", 7000 },
		{ "70000", NULL, 0 },
		{ "", NULL, 0 },
		{ "n01:", NULL, 0 },
		{ "n01:0", NULL, 0 },
		{ "n01:65536", NULL, 0 },
		{ "n01:7000x", NULL, 0 },
		{ "n01:-1", NULL, 0 },
		{ "n01:000007", NULL, 0 },
		{ "::1", NULL, 0 },
		{ "[::1", NULL, 0 },
		{ "[::1]7", NULL, 0 },
		{ "[]", NULL, 0 },
	};
	char long_name[RT_TCP_HOST_BYTES + 1];
	struct rt_tcp_place place;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		const int r = rt_tcp_place_read(cases[i].text, false, &place, &err);

		print_message("# \"%s\": %s\n", cases[i].text, err.msg);
		if (!cases[i].host) {
			assert_int_equal(r, -EINVAL);
			continue;
		}
		assert_int_equal(r, 0);
		assert_string_equal(place.host, cases[i].host);
		assert_int_equal(place.port, cases[i].port);
	}
	assert_int_equal(rt_tcp_place_read("n01:0", true, &place, NULL), 0);
	memset(long_name, 'n', sizeof(long_name));
	long_name[RT_TCP_HOST_BYTES] = '\0';
	assert_int_equal(rt_tcp_place_read(long_name, false, &place, NULL), -EINVAL);
}

static void test_tokens(void **state)
{
	struct rt_token a, b;
	char path[] = "/tmp/rt-token-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_int_equal(rt_token_new(&a, NULL), 0);
	assert_int_equal(rt_token_new(&b, NULL), 0);
	assert_int_equal(strlen(a.text), 32);
	assert_string_not_equal(a.text, b.text);
	assert_int_equal(rt_token_set("1234567", &b, NULL), -EINVAL);
	assert_int_equal(rt_token_set("1234 5678", &b, NULL), -EINVAL);
	assert_int_equal(rt_token_set("12345678", &b, NULL), 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "from-a-file\r\nsecond line\n", 25), 25);
	close(fd);
	assert_int_equal(rt_token_read(path, &b, NULL), 0);
	assert_string_equal(b.text, "from-a-file");
	unlink(path);
	assert_int_equal(rt_token_read(path, &b, NULL), -ENOENT);
	unsetenv(RT_TOKEN_ENVIRONMENT);
	assert_int_equal(rt_token_read(NULL, &b, NULL), -ENOENT);
	setenv(RT_TOKEN_ENVIRONMENT, "from-the-environment", 1);
	assert_int_equal(rt_token_read(NULL, &b, NULL), 0);
	assert_string_equal(b.text, "from-the-environment");
	unsetenv(RT_TOKEN_ENVIRONMENT);
}

/* A proof holds for its token, its role, its numbers and its text only. */
static void test_proofs_are_of_one_thing_only(void **state)
{
	const uint8_t ones[RT_TOKEN_NONCE_BYTES] = { 1 },
		      twos[RT_TOKEN_NONCE_BYTES] = { 2 };
	const struct rt_token_claim claims[] = {
		{ "agent", ones, twos, "n01" }, { "root", ones, twos, "n01" },
		{ "agent", twos, twos, "n01" }, { "agent", ones, ones, "n01" },
		{ "agent", ones, twos, "n02" },
	};
	uint8_t proofs[RT_ARRAY_SIZE(claims) + 1][RT_SHA256_BYTES];
	struct rt_token token = { "a token of ours" }, other = { "a token of theirs" };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(claims); i++)
		rt_token_proof(&token, &claims[i], proofs[i]);
	rt_token_proof(&other, &claims[0], proofs[RT_ARRAY_SIZE(claims)]);
	for (size_t i = 0; i < RT_ARRAY_SIZE(proofs); i++)
		for (size_t j = 0; j < i; j++)
			assert_false(rt_digest_equal(proofs[i], proofs[j]));
}

RT_UNIT_MAIN(cmocka_unit_test(test_heads_let_pass_what_belongs_there),
	     cmocka_unit_test(test_names_of_agents),
	     cmocka_unit_test(test_small_frames_go_and_come),
	     cmocka_unit_test(test_places_as_people_write_them),
	     cmocka_unit_test(test_tokens),
	     cmocka_unit_test(test_proofs_are_of_one_thing_only))
