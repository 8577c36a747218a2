/* SPDX-License-Identifier: BSD-2-Clause */
/* The far end of a probe over loopback: whom it answers, and whom not. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "traffic/probe.h"
#include "wire/probe.h"

#define SECOND INT64_C(1000000000)

static struct sockaddr_in at_port(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int socket_at(uint16_t port)
{
	const struct sockaddr_in at = at_port(port);
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* One that nobody has now. */
static uint16_t free_port(void)
{
	const int fd = socket_at(0);
	struct sockaddr_in at;
	socklen_t length = sizeof(at);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
	close(fd);
	return ntohs(at.sin_port);
}

struct far_end {
	struct rt_probe_listener_config config;
	struct rt_probe_listened listened;
	struct rt_err err;
	int r, ready[2], stop[2];
	pthread_t thread;
};

static void tell_ready(void *user)
{
	const struct far_end *end = user;

	assert_int_equal(write(end->ready[1], "", 1), 1);
}

static void *listen_at(void *context)
{
	struct far_end *end = context;

	end->r = rt_probe_listen(&end->config, &end->listened, &end->err);
	if (end->r < 0)
		tell_ready(end);
	return NULL;
}

static void start(struct far_end *end)
{
	char ready;

	memset(end, 0, sizeof(*end));
	assert_int_equal(pipe(end->ready), 0);
	assert_int_equal(pipe(end->stop), 0);
	end->config = (struct rt_probe_listener_config){
		.port = free_port(),
		.until_ns = rt_monotonic_ns() + 20 * SECOND,
		.stop_fd = end->stop[0],
		.ready = tell_ready,
		.user = end,
	};
	assert_int_equal(pthread_create(&end->thread, NULL, listen_at, end), 0);
	assert_int_equal(read(end->ready[0], &ready, 1), 1);
}

static void stop(struct far_end *end)
{
	assert_int_equal(write(end->stop[1], "", 1), 1);
	pthread_join(end->thread, NULL);
	print_message("# %s\n", end->err.msg);
	assert_int_equal(end->r, 0);
	for (unsigned i = 0; i < 2; i++) {
		close(end->ready[i]);
		close(end->stop[i]);
	}
}

static void ask(int fd, const struct far_end *end, uint8_t type)
{
	const struct rt_probe_packet packet = { .type = type, .sequence = 7 };
	const struct sockaddr_in to = at_port(end->config.port);
	uint8_t bytes[RT_PROBE_BYTES];

	rt_probe_write(&packet, bytes);
	assert_int_equal(sendto(fd, bytes, sizeof(bytes), 0,
				(const struct sockaddr *)&to, sizeof(to)),
			 sizeof(bytes));
}

static bool has_answer(int fd, int flags)
{
	struct rt_probe_packet packet;
	uint8_t bytes[RT_PROBE_BYTES + 1];
	const ssize_t got = recv(fd, bytes, sizeof(bytes), flags);

	if (got < 0)
		return false;
	assert_true(rt_probe_read(bytes, (size_t)got, &packet));
	assert_int_equal(packet.type, RT_PROBE_ANSWER);
	assert_int_equal(packet.sequence, 7);
	return true;
}

/* Packets of loopback come in order: the second answer is there after the first would be. */
static void test_nothing_is_sent_to_the_port_of_roce(void **state)
{
	const int roce = socket_at(RT_ROCE_UDP_PORT), other = socket_at(0);
	struct far_end end;

	(void)state;
	if (roce < 0) {
		close(other);
		print_message("# skipped: UDP port 4791 is somebody's here\n");
		skip();
	}
	start(&end);
	ask(roce, &end, RT_PROBE_REQUEST);
	ask(other, &end, RT_PROBE_ANSWER);
	ask(other, &end, RT_PROBE_REQUEST);
	assert_true(has_answer(other, 0));
	assert_false(has_answer(other, MSG_DONTWAIT));
	assert_false(has_answer(roce, MSG_DONTWAIT));
	stop(&end);
	assert_int_equal(end.listened.requests, 1);
	assert_int_equal(end.listened.answers, 1);
	assert_int_equal(end.listened.others, 2);
	close(roce);
	close(other);
}

static void test_the_port_of_roce_is_no_listeners(void **state)
{
	const struct rt_probe_listener_config config = { .port = RT_ROCE_UDP_PORT,
							 .stop_fd = -1 };
	struct rt_probe_listened listened;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_probe_listen(&config, &listened, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "4791"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_nothing_is_sent_to_the_port_of_roce),
	     cmocka_unit_test(test_the_port_of_roce_is_no_listeners))
