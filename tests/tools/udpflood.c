/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udpflood: UDP datagrams of 1000 bytes, one behind the other as fast as they go, with a
 * traffic class: what a queue of the kernel marks or drops.
 *
 *	udpflood ADDRESS PORT COUNT TOS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT_MAX 10000

static int flood(int fd, const struct sockaddr_in *to, long count)
{
	static const char data[1000];

	for (long i = 0; i < count; i++)
		if (sendto(fd, data, sizeof(data), 0, (const struct sockaddr *)to,
			   sizeof(*to)) < 0 &&
		    errno != ENOBUFS)
			return -errno;
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	const long count = argc == 5 ? strtol(argv[3], NULL, 0) : 0;
	const int tos = argc == 5 ? (int)strtol(argv[4], NULL, 0) : -1;
	int fd, r;

	if (count < 1 || count > COUNT_MAX || tos < 0 || tos > 255 ||
	    inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fputs("usage: udpflood ADDRESS PORT COUNT TOS\n", stderr);
		return 2;
	}
	to.sin_port = htons((uint16_t)strtol(argv[2], NULL, 0));
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) < 0) {
		perror("udpflood");
		return 1;
	}
	r = flood(fd, &to, count);
	if (r < 0)
		fprintf(stderr, "udpflood: %s\n", strerror(-r));
	close(fd);
	return r < 0;
}
