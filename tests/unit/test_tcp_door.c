/* SPDX-License-Identifier: BSD-2-Clause */
/* The coordinator's door over TCP: agents come in, everybody else is told why not. */
#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "meeting.h"
#include "rocetune/err.h"
#include "traffic/tcp_wire.h"

static const struct rt_token token = { "the token of this test" };

struct dialler {
	struct rt_tcp_join config;
	struct rt_rendezvous *agent;
	struct rt_err err;
	int r;
	pthread_t thread;
};

static void *dial(void *context)
{
	struct dialler *dialler = context;

	dialler->r = rt_tcp_join(&dialler->config, &dialler->agent, &dialler->err);
	return NULL;
}

static uint16_t port_of(const struct rt_rendezvous *root)
{
	return (uint16_t)atoi(strrchr(rt_tcp_address(root), ':') + 1);
}

static void dial_start(struct dialler *dialler, uint16_t port, const char *name)
{
	memset(dialler, 0, sizeof(*dialler));
	dialler->config = (struct rt_tcp_join){
		.host = "127.0.0.1",
		.port = port,
		.token = &token,
		.name = name,
		.deadline_ns = soon(),
	};
	assert_int_equal(pthread_create(&dialler->thread, NULL, dial, dialler), 0);
}

/* Let the root work until there are so many notes. */
static void work_until_notes(struct rt_rendezvous *root, const struct notes *notes,
			     unsigned count)
{
	const int64_t until_ns = soon();

	while (notes->count < count && rt_monotonic_ns() < until_ns)
		assert_int_equal(
			rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 50, NULL),
			-ETIMEDOUT);
	assert_int_equal(notes->count, count);
}

static struct rt_rendezvous *serve(uint32_t size, const char *const *names,
				   struct notes *notes)
{
	const struct rt_tcp_serve config = {
		.size = size,
		.names = names,
		.token = &token,
		.note = take_note,
		.context = notes,
	};
	struct rt_rendezvous *root;
	struct rt_err err = { 0 };

	memset(notes, 0, sizeof(*notes));
	if (rt_tcp_serve(&config, &root, &err) < 0)
		fail_msg("%s", err.msg);
	return root;
}

static void dial_end(struct dialler *dialler)
{
	pthread_join(dialler->thread, NULL);
	if (dialler->agent)
		dialler->agent->ops->close(dialler->agent);
}

static void test_agents_of_one_name_are_told_apart(void **state)
{
	struct dialler diallers[3];
	struct notes notes;
	struct rt_rendezvous *root = serve(3, NULL, &notes);
	unsigned seen = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		dial_start(&diallers[i], port_of(root), "n01");
	assert_int_equal(rt_tcp_meet(root, soon(), NULL), 0);
	assert_int_equal(rt_tcp_joined(root), 3);
	assert_string_equal(root->ops->rank_name(root, 0), "n01");
	assert_string_equal(root->ops->rank_name(root, 1), "n01:2");
	assert_string_equal(root->ops->rank_name(root, 2), "n01:3");
	for (unsigned i = 0; i < 3; i++) {
		int64_t offset_ns;
		uint64_t error_ns;

		pthread_join(diallers[i].thread, NULL);
		assert_int_equal(diallers[i].r, 0);
		seen |= 1u << diallers[i].agent->rank;
		assert_int_equal(diallers[i].agent->size, 3);
		diallers[i].agent->ops->clock(diallers[i].agent, &offset_ns, &error_ns);
		/* One clock in truth: the measure holds within what it says. */
		assert_true((uint64_t)llabs(offset_ns) <= error_ns);
		assert_true(error_ns < (uint64_t)SECOND);
	}
	assert_int_equal(seen, 7);
	assert_int_equal(notes.count, 0);
	root->ops->close(root);
	for (unsigned i = 0; i < 3; i++)
		diallers[i].agent->ops->close(diallers[i].agent);
}

static void test_hosts_by_name_have_their_rank(void **state)
{
	static const char *const names[] = { "n01", "n02.site" };
	struct dialler second, first, stranger, twin;
	struct rt_err err = { 0 };
	struct notes notes;
	struct rt_rendezvous *root = serve(2, names, &notes);

	(void)state;
	dial_start(&second, port_of(root), "N02");
	assert_int_equal(rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 20, &err),
			 -ETIMEDOUT);
	while (rt_tcp_joined(root) < 1)
		(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 20, &err);
	assert_string_equal(err.msg, "1 of 2 agents have not joined: n01");
	dial_start(&stranger, port_of(root), "n03");
	work_until_notes(root, &notes, 1);
	assert_non_null(
		strstr(notes.text, "n03 is not one of this run's hosts: --name "));
	dial_start(&twin, port_of(root), "n02");
	while (notes.count < 1)
		(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 20, NULL);
	pthread_join(stranger.thread, NULL);
	assert_int_equal(stranger.r, -EEXIST);
	/* The same reason from the same address is told once, the agent each time. */
	for (unsigned i = 0; i < 20; i++)
		(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 50, NULL);
	pthread_join(twin.thread, NULL);
	assert_int_equal(twin.r, -EEXIST);
	assert_non_null(strstr(twin.err.msg, "n02 has joined already"));
	assert_int_equal(notes.count, 1);
	dial_start(&first, port_of(root), "n01.elsewhere");
	assert_int_equal(rt_tcp_meet(root, soon(), NULL), 0);
	pthread_join(first.thread, NULL);
	pthread_join(second.thread, NULL);
	assert_int_equal(first.agent->rank, 0);
	assert_int_equal(second.agent->rank, 1);
	root->ops->close(root);
	first.agent->ops->close(first.agent);
	second.agent->ops->close(second.agent);
}

/* A whole name goes before a short one, which must be one host's alone. */
static void test_short_names_take_nobody_elses_rank(void **state)
{
	static const char *const names[] = { "n01", "n01.b", "n02.a", "n02.b" };
	static const struct {
		const char *name;
		uint32_t rank; /* RT_RANK_NONE: refused */
	} rows[] = { { "n01.b", 1 },          { "n01", 0 },
		     { "n02", RT_RANK_NONE }, { "n02.c", RT_RANK_NONE },
		     { "n02.B", 3 },          { "n02.a", 2 } };
	struct dialler diallers[RT_ARRAY_SIZE(rows)];
	struct notes notes;
	struct rt_rendezvous *root = serve(4, names, &notes);
	uint32_t joined = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const bool comes = rows[i].rank != RT_RANK_NONE;

		print_message("# %s\n", rows[i].name);
		dial_start(&diallers[i], port_of(root), rows[i].name);
		joined += comes;
		for (unsigned k = 0; k < 500 && !diallers[i].agent && !diallers[i].r;
		     k++)
			(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 50, NULL);
		pthread_join(diallers[i].thread, NULL);
		assert_int_equal(rt_tcp_joined(root), joined);
		if (comes)
			assert_int_equal(diallers[i].agent->rank, rows[i].rank);
		else
			assert_int_equal(diallers[i].r, -EEXIST);
	}
	assert_non_null(strstr(diallers[2].err.msg,
			       "n02 may be several of this run's hosts: --name "));
	assert_non_null(strstr(diallers[3].err.msg, "n02.c is not one of this run's"));
	root->ops->close(root);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (diallers[i].agent)
			diallers[i].agent->ops->close(diallers[i].agent);
}

static void test_wrong_token_is_refused_and_the_run_goes_on(void **state)
{
	static const struct rt_token wrong = { "the token of another test" };
	struct dialler dialler, late;
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes);

	(void)state;
	memset(&dialler, 0, sizeof(dialler));
	dialler.config = (struct rt_tcp_join){
		.host = "127.0.0.1",
		.port = port_of(root),
		.token = &wrong,
		.name = "n01",
		.deadline_ns = soon(),
	};
	assert_int_equal(pthread_create(&dialler.thread, NULL, dial, &dialler), 0);
	work_until_notes(root, &notes, 1);
	assert_non_null(strstr(notes.text, "is refused: wrong token"));
	pthread_join(dialler.thread, NULL);
	assert_int_equal(dialler.r, -EACCES);
	assert_non_null(strstr(dialler.err.msg, "wrong token"));

	dial_start(&dialler, port_of(root), "n01");
	assert_int_equal(rt_tcp_meet(root, soon(), NULL), 0);
	dial_start(&late, port_of(root), "n02");
	for (const int64_t until_ns = soon();
	     notes.count < 2 && rt_monotonic_ns() < until_ns;)
		(void)news_of(root);
	pthread_join(late.thread, NULL);
	assert_int_equal(late.r, -EALREADY);
	assert_non_null(strstr(late.err.msg, "all 1 agents"));
	while (!dialler.agent && !dialler.r)
		(void)news_of(root);
	root->ops->close(root);
	dial_end(&dialler);
}

static int raw_dial(const struct rt_rendezvous *root)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(port_of(root)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* All that comes until the end, and the refusal at its end. */
static void read_refusal(int fd, unsigned *ret_why, char text[RT_TCP_REASON_BYTES])
{
	const size_t challenge = RT_TCP_HEAD_BYTES + RT_TOKEN_NONCE_BYTES;
	struct rt_tcp_refused refused;
	struct rt_tcp_head head;
	uint8_t bytes[1024];
	size_t used = 0;
	ssize_t got;

	while ((got = recv(fd, bytes + used, sizeof(bytes) - used, 0)) > 0)
		used += (size_t)got;
	assert_true(used > challenge + RT_TCP_HEAD_BYTES);
	assert_int_equal(rt_tcp_head_read(bytes + challenge, RT_TCP_ROOT,
					  RT_TCP_MEETING, &head, NULL),
			 0);
	assert_int_equal(head.type, RT_TCP_REFUSED);
	assert_int_equal(used, challenge + RT_TCP_HEAD_BYTES + head.bytes);
	rt_tcp_refused_read(bytes + challenge + RT_TCP_HEAD_BYTES, head.bytes,
			    &refused);
	*ret_why = refused.why;
	memcpy(text, refused.text, RT_TCP_REASON_BYTES);
}

static void test_garbage_on_the_port_is_refused(void **state)
{
	static const struct {
		const char *label, *bytes;
		size_t count;
		unsigned why;
		const char *note;
	} cases[] = {
		{ "HTTP", "GET / HTTP/1.1\r\nHost: n01\r\n\r\n", 27, RT_TCP_BAD_BYTES,
		  "it does not speak this protocol but HTTP" },
		{ "TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00", 12,
		  RT_TCP_BAD_BYTES, "but TLS" },
		{ "noise", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6\xf5\xf4", 12,
		  RT_TCP_BAD_BYTES, "but something else" },
		{ "version 2", "RT\2\2\0\0\0\0\0\0\0\101", 12, RT_TCP_BAD_VERSION,
		  "it speaks version 2" },
		{ "a hello of 4 GiB", "RT\1\2\0\0\0\0\377\377\377\377", 12,
		  RT_TCP_BAD_BYTES, "4294967295 bytes where" },
		{ "a text", "RT\1\5\0\0\0\1\0\0\0\1", 12, RT_TCP_BAD_BYTES,
		  "\"gather\" that does not belong here" },
		{ "a hello too slow", "RT\1\2\0\0\0\0\0\0\0\101abc", 15,
		  RT_TCP_TOO_SLOW, "did not say in 2 s" },
		{ "nothing", "", 0, RT_TCP_TOO_SLOW, "did not say in 2 s" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct notes notes;
		struct rt_rendezvous *root = serve(2, NULL, &notes);
		const int fd = raw_dial(root);
		char text[RT_TCP_REASON_BYTES];
		unsigned why;

		print_message("# %s\n", cases[i].label);
		assert_int_equal(send(fd, cases[i].bytes, cases[i].count, 0),
				 cases[i].count);
		work_until_notes(root, &notes, 1);
		assert_non_null(strstr(notes.text, cases[i].note));
		read_refusal(fd, &why, text);
		assert_int_equal(why, cases[i].why);
		assert_non_null(strstr(text, cases[i].note));
		assert_int_equal(rt_tcp_joined(root), 0);
		close(fd);
		root->ops->close(root);
	}
}

/* Whoever only looks whether the port is open is nobody's concern. */
static void test_open_port_may_be_looked_at(void **state)
{
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		close(raw_dial(root));
		assert_int_equal(rt_tcp_meet(root, rt_monotonic_ns(), NULL),
				 -ETIMEDOUT);
	}
	for (unsigned i = 0; i < 10; i++)
		(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 100, NULL);
	assert_int_equal(notes.count, 0);
	root->ops->close(root);
}

static unsigned type_of_first(int fd)
{
	uint8_t bytes[RT_TCP_HEAD_BYTES];

	assert_int_equal(recv(fd, bytes, sizeof(bytes), MSG_PEEK | MSG_WAITALL),
			 sizeof(bytes));
	return bytes[3];
}

/* Of those who say nothing, each that was sent away dials again. */
static void redial(const struct rt_rendezvous *root, int *crowd, unsigned count)
{
	uint8_t bytes[1024];

	for (unsigned i = 0; i < count; i++) {
		ssize_t got;

		do {
			got = recv(crowd[i], bytes, sizeof(bytes), MSG_DONTWAIT);
		} while (got > 0);
		if (got < 0 && errno == EAGAIN)
			continue;
		close(crowd[i]);
		crowd[i] = raw_dial(root);
	}
}

/* Strangers keep nobody out, however often they come: the oldest of them goes. */
static void test_crowd_makes_room_for_newcomers(void **state)
{
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes);
	char text[RT_TCP_REASON_BYTES];
	struct dialler dialler;
	int crowd[40], newcomer;
	int64_t until_ns;
	unsigned why;

	(void)state;
	/* As many as there is room for, and one. */
	for (unsigned i = 0; i < 17; i++)
		crowd[i] = raw_dial(root);
	newcomer = raw_dial(root);
	work_until_notes(root, &notes, 1);
	assert_non_null(strstr(notes.text, "too many connections at a time"));
	assert_int_equal(type_of_first(newcomer), RT_TCP_CHALLENGE);
	read_refusal(crowd[0], &why, text);
	assert_int_equal(why, RT_TCP_CROWDED);
	close(newcomer);

	for (unsigned i = 17; i < RT_ARRAY_SIZE(crowd); i++)
		crowd[i] = raw_dial(root);
	dial_start(&dialler, port_of(root), "n01");
	until_ns = soon();
	while (rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 1000, NULL) < 0 &&
	       rt_monotonic_ns() < until_ns)
		redial(root, crowd, RT_ARRAY_SIZE(crowd));
	pthread_join(dialler.thread, NULL);
	assert_int_equal(dialler.r, 0);
	for (unsigned i = 0; i < RT_ARRAY_SIZE(crowd); i++)
		close(crowd[i]);
	root->ops->close(root);
	dialler.agent->ops->close(dialler.agent);
}

static void test_second_coordinator_is_told_so(void **state)
{
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes), *second;
	const struct rt_tcp_serve config = {
		.port = port_of(root),
		.size = 1,
		.token = &token,
	};
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_tcp_serve(&config, &second, &err), -EADDRINUSE);
	assert_non_null(strstr(err.msg, "another coordinator"));
	root->ops->close(root);
}

static void test_open_door_is_said(void **state)
{
	struct notes notes = { 0 };
	const struct rt_tcp_serve config = {
		.host = "0.0.0.0",
		.size = 1,
		.token = &token,
		.note = take_note,
		.context = &notes,
	};
	struct rt_rendezvous *root;

	(void)state;
	assert_int_equal(rt_tcp_serve(&config, &root, NULL), 0);
	assert_non_null(strstr(notes.text, "is not encrypted"));
	root->ops->close(root);
}

/* What answers at the port is something else. */
struct impostor {
	int listen_fd;
	uint8_t says[64];
	size_t bytes;
};

static void *impostor_run(void *context)
{
	struct impostor *impostor = context;
	const int fd = accept(impostor->listen_fd, NULL, NULL);
	uint8_t waste[1024];

	if (fd < 0)
		return NULL;
	(void)!write(fd, impostor->says, impostor->bytes);
	while (recv(fd, waste, sizeof(waste), 0) > 0)
		if (impostor->bytes == RT_TCP_HEAD_BYTES + RT_TOKEN_NONCE_BYTES) {
			static const struct rt_tcp_welcome welcome = { .size = 1 };
			struct rt_tcp_small frame;

			rt_tcp_welcome_write(&welcome, &frame);
			(void)!write(fd, frame.bytes, frame.used);
		}
	close(fd);
	return NULL;
}

static void test_agent_joins_no_impostor(void **state)
{
	static const uint8_t nonce[RT_TOKEN_NONCE_BYTES] = { 9 };
	struct rt_tcp_small challenge, newer;
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);

	(void)state;
	rt_tcp_challenge_write(nonce, &challenge);
	newer = challenge;
	newer.bytes[2] = 2;
	const struct {
		const char *label, *says;
		const uint8_t *bytes;
		size_t count;
		int r;
	} cases[] = {
		{ "SSH", "but SSH", (const uint8_t *)"SSH-2.0-OpenSSH_9.2\r\n", 21,
		  -EPROTO },
		{ "version 2", "speaks version 2, this rocetune version 1", newer.bytes,
		  newer.used, -EPROTONOSUPPORT },
		{ "no token", "does not know the token", challenge.bytes,
		  challenge.used, -EACCES },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct impostor impostor = { .listen_fd = socket(AF_INET, SOCK_STREAM,
								 0),
					     .bytes = cases[i].count };
		struct dialler dialler;
		pthread_t thread;

		print_message("# %s\n", cases[i].label);
		memcpy(impostor.says, cases[i].bytes, cases[i].count);
		at.sin_port = 0;
		assert_int_equal(
			bind(impostor.listen_fd, (struct sockaddr *)&at, sizeof(at)),
			0);
		assert_int_equal(listen(impostor.listen_fd, 5), 0);
		assert_int_equal(getsockname(impostor.listen_fd, (struct sockaddr *)&at,
					     &length),
				 0);
		pthread_create(&thread, NULL, impostor_run, &impostor);
		dial_start(&dialler, ntohs(at.sin_port), "n01");
		pthread_join(dialler.thread, NULL);
		pthread_join(thread, NULL);
		close(impostor.listen_fd);
		assert_int_equal(dialler.r, cases[i].r);
		assert_non_null(strstr(dialler.err.msg, cases[i].says));
	}
}

static void test_nobody_there_is_said(void **state)
{
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes), *agent;
	struct rt_tcp_join config = {
		.host = "127.0.0.1",
		.port = port_of(root),
		.token = &token,
		.name = "n01",
		.deadline_ns = rt_monotonic_ns() + SECOND / 2,
	};
	struct rt_err err = { 0 };

	(void)state;
	root->ops->close(root);
	assert_int_equal(rt_tcp_join(&config, &agent, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.msg, "cannot reach the coordinator at 127.0.0.1:"));
	assert_non_null(strstr(err.msg, "Connection refused"));
	config.name = "two words";
	assert_int_equal(rt_tcp_join(&config, &agent, &err), -EINVAL);
}

/* "coord" is a name of two addresses; others are as they are. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret_found)
{
	int (*const real)(const char *, const char *, const struct addrinfo *,
			  struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
	int r;

	if (!node || strcmp(node, "coord") != 0)
		return real(node, service, hints, ret_found);
	r = real("127.0.0.2", service, hints, ret_found);
	return r ? r : real("127.0.0.1", service, hints, &(*ret_found)->ai_next);
}

/* A place whose queue is full answers no more: as behind a filter that drops. */
static void swallow(uint16_t port, int fds[3])
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = inet_addr("127.0.0.2") };

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fds[0], (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fds[0], 0), 0);
	for (unsigned i = 1; i < 3; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fds[i], (const struct sockaddr *)&at, sizeof(at));
	}
}

static void test_second_address_is_tried_in_time(void **state)
{
	struct dialler dialler = { 0 };
	struct notes notes;
	struct rt_rendezvous *root = serve(1, NULL, &notes);
	int fds[3];

	(void)state;
	swallow(port_of(root), fds);
	dialler.config = (struct rt_tcp_join){
		.host = "coord",
		.port = port_of(root),
		.token = &token,
		.name = "n01",
		.deadline_ns = rt_monotonic_ns() + 3 * SECOND,
	};
	assert_int_equal(pthread_create(&dialler.thread, NULL, dial, &dialler), 0);
	(void)rt_tcp_meet(root, dialler.config.deadline_ns, NULL);
	pthread_join(dialler.thread, NULL);
	print_message("# %s\n", dialler.err.msg);
	assert_int_equal(dialler.r, 0);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
	root->ops->close(root);
	dialler.agent->ops->close(dialler.agent);
}

/*
 * A place that comes free before the run begins may be taken again, and what was sent
 * from it before is nothing of who comes then.
 */
static void test_agent_that_leaves_early_may_come_again(void **state)
{
	struct dialler dialler, second;
	struct notes notes;
	struct rt_rendezvous *root = serve(2, NULL, &notes);
	struct rt_texts all;

	(void)state;
	dial_start(&dialler, port_of(root), "n01");
	while (!dialler.agent && !dialler.r)
		(void)rt_tcp_meet(root, rt_monotonic_ns() + SECOND / 100, NULL);
	pthread_join(dialler.thread, NULL);
	assert_int_equal(dialler.r, 0);
	assert_int_equal(
		dialler.agent->ops->gather(dialler.agent, "old", soon(), NULL, NULL),
		0);
	shutdown(dialler.agent->fd, SHUT_RDWR);
	work_until_notes(root, &notes, 1);
	assert_non_null(strstr(notes.text, "n01 left before the run began"));
	assert_int_equal(rt_tcp_joined(root), 0);
	dialler.agent->ops->close(dialler.agent);

	dial_start(&dialler, port_of(root), "n01");
	dial_start(&second, port_of(root), "n02");
	assert_int_equal(rt_tcp_meet(root, soon(), NULL), 0);
	pthread_join(dialler.thread, NULL);
	pthread_join(second.thread, NULL);
	assert_int_equal(
		dialler.agent->ops->gather(dialler.agent, "new", soon(), NULL, NULL),
		0);
	assert_int_equal(
		second.agent->ops->gather(second.agent, "two", soon(), NULL, NULL), 0);
	assert_int_equal(root->ops->gather(root, NULL, soon(), &all, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(
			all.items[i],
			strncmp(root->ops->rank_name(root, (uint32_t)i), "n01", 3) == 0
				? "new"
				: "two");
	rt_texts_free(&all);
	root->ops->close(root);
	dialler.agent->ops->close(dialler.agent);
	second.agent->ops->close(second.agent);
}

RT_UNIT_MAIN(cmocka_unit_test(test_agents_of_one_name_are_told_apart),
	     cmocka_unit_test(test_hosts_by_name_have_their_rank),
	     cmocka_unit_test(test_short_names_take_nobody_elses_rank),
	     cmocka_unit_test(test_wrong_token_is_refused_and_the_run_goes_on),
	     cmocka_unit_test(test_garbage_on_the_port_is_refused),
	     cmocka_unit_test(test_open_port_may_be_looked_at),
	     cmocka_unit_test(test_crowd_makes_room_for_newcomers),
	     cmocka_unit_test(test_second_coordinator_is_told_so),
	     cmocka_unit_test(test_open_door_is_said),
	     cmocka_unit_test(test_agent_joins_no_impostor),
	     cmocka_unit_test(test_nobody_there_is_said),
	     cmocka_unit_test(test_second_address_is_tried_in_time),
	     cmocka_unit_test(test_agent_that_leaves_early_may_come_again))
