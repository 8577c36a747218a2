/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tosfwd: a wire between two interfaces that does to IP packets what devices on a path
 * do, for the tests of probes.
 *
 *	tosfwd THERE-IF BACK-IF [DIRECTION:]WORD...
 *	    dscp=N  ecn=N  clear (ECT to not ECT)  mark (ECT to CE)  noce (CE to ECT(0))
 *	    max=BYTES (drops larger IP packets)  noect (drops ECT)  seconds=N
 *
 * DIRECTION is `there` (from the first interface) or `back`; without it both.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct way {
	int dscp, ecn; /* -1: leave */
	bool clear, mark, noce, noect;
	unsigned long max;
};

static uint8_t frame[65536 + 64];

static unsigned long sum_words(const uint8_t *at, size_t bytes, unsigned long sum)
{
	for (size_t i = 0; i + 1 < bytes; i += 2)
		sum += (unsigned long)at[i] << 8 | at[i + 1];
	if (bytes % 2)
		sum += (unsigned long)at[bytes - 1] << 8;
	return sum;
}

static uint16_t fold(unsigned long sum)
{
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint8_t change(const struct way *way, uint8_t tos)
{
	uint8_t dscp = tos >> 2, ecn = tos & 3;

	if (way->dscp >= 0)
		dscp = (uint8_t)way->dscp;
	if (way->ecn >= 0)
		ecn = (uint8_t)way->ecn;
	if (way->clear && ecn != 3)
		ecn = 0;
	if (way->mark && ecn)
		ecn = 3;
	if (way->noce && ecn == 3)
		ecn = 2;
	return (uint8_t)(dscp << 2 | ecn);
}

/* What a sender left for its NIC to do: veth hands packets over without checksums. */
static void finish_udp(uint8_t *ip, size_t header, size_t bytes, bool ipv6)
{
	uint8_t *udp = ip + header;
	unsigned long sum;

	if (bytes < header + 8 || (ipv6 ? ip[6] : ip[9]) != 17)
		return;
	put(udp + 6, 0);
	sum = sum_words(ip + (ipv6 ? 8 : 12), ipv6 ? 32 : 8, 17 + bytes - header);
	put(udp + 6, fold(sum_words(udp, bytes - header, sum)));
}

/* False: the packet is dropped. */
static bool treat(const struct way *way, uint8_t *ip, size_t bytes, unsigned type)
{
	size_t header = 40;
	uint8_t tos;

	if (type == ETHERTYPE_IP && bytes >= 20) {
		header = (size_t)(ip[0] & 15) * 4;
		bytes = (size_t)ip[2] << 8 | ip[3];
		tos = ip[1];
		ip[1] = change(way, tos);
		put(ip + 10, 0);
		put(ip + 10, fold(sum_words(ip, header, 0)));
	} else if (type == ETHERTYPE_IPV6 && bytes >= 40) {
		tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
		bytes = 40 + ((size_t)ip[4] << 8 | ip[5]);
		ip[0] = (uint8_t)(0x60 | change(way, tos) >> 4);
		ip[1] = (uint8_t)(change(way, tos) << 4 | (ip[1] & 15));
	} else {
		return true;
	}
	if ((way->max && bytes > way->max) || (way->noect && tos & 3))
		return false;
	finish_udp(ip, header, bytes, type == ETHERTYPE_IPV6);
	return true;
}

static int open_if(const char *name)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex(name) };
	const struct packet_mreq all = { .mr_ifindex = at.sll_ifindex,
					 .mr_type = PACKET_MR_PROMISC };
	const int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0) {
		perror(name);
		exit(1);
	}
	return fd;
}

static void carry(int from, int to, const struct way *way)
{
	struct sockaddr_ll at;
	socklen_t bytes = sizeof(at);
	const ssize_t got = recvfrom(from, frame, sizeof(frame), 0,
				     (struct sockaddr *)&at, &bytes);

	if (got < 14 || at.sll_pkttype == PACKET_OUTGOING)
		return;
	if (treat(way, frame + 14, (size_t)got - 14,
		  (unsigned)frame[12] << 8 | frame[13]) &&
	    send(to, frame, (size_t)got, 0) < 0)
		perror("send");
}

static bool read_word(const char *word, struct way *way, unsigned *seconds)
{
	unsigned number;

	if (sscanf(word, "dscp=%u", &number) == 1)
		way->dscp = (int)number;
	else if (sscanf(word, "ecn=%u", &number) == 1)
		way->ecn = (int)number;
	else if (sscanf(word, "max=%u", &number) == 1)
		way->max = number;
	else if (sscanf(word, "seconds=%u", &number) == 1)
		*seconds = number;
	else if (strcmp(word, "clear") == 0)
		way->clear = true;
	else if (strcmp(word, "mark") == 0)
		way->mark = true;
	else if (strcmp(word, "noce") == 0)
		way->noce = true;
	else if (strcmp(word, "noect") == 0)
		way->noect = true;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct way ways[2] = { { .dscp = -1, .ecn = -1 }, { .dscp = -1, .ecn = -1 } };
	struct pollfd fds[2];
	unsigned seconds = 60;
	time_t end;

	if (argc < 3)
		return 2;
	for (int i = 3; i < argc; i++) {
		const bool there = strncmp(argv[i], "there:", 6) == 0;
		const bool back = strncmp(argv[i], "back:", 5) == 0;
		const char *word = argv[i] + (there ? 6 : back ? 5 : 0);

		if ((!back && !read_word(word, &ways[0], &seconds)) ||
		    (!there && !read_word(word, &ways[1], &seconds))) {
			fprintf(stderr, "tosfwd: what is %s?\n", argv[i]);
			return 2;
		}
	}
	for (int i = 0; i < 2; i++)
		fds[i] = (struct pollfd){ .fd = open_if(argv[1 + i]),
					  .events = POLLIN };
	puts("ready");
	fflush(stdout);
	end = time(NULL) + seconds;
	while (time(NULL) < end && poll(fds, 2, 1000) >= 0)
		for (int i = 0; i < 2; i++)
			if (fds[i].revents & POLLIN)
				carry(fds[i].fd, fds[!i].fd, &ways[i]);
	return 0;
}
