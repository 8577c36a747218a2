/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap_loop.c - a floor for analysers: libpcap reads a file and nothing is done
 * with its packets.  Prints the number of packets and the CPU seconds.
 *
 * By pcap_loop(), which is a tenth quicker than pcap_next_ex().
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <time.h>

struct count {
	unsigned long packets, bytes;
};

static void take(unsigned char *count, const struct pcap_pkthdr *header,
		 const unsigned char *data)
{
	struct count *sum = (struct count *)(void *)count;

	(void)data;
	sum->packets++;
	sum->bytes += header->caplen;
}

int main(int argc, char **argv)
{
	char why[PCAP_ERRBUF_SIZE];
	struct count count = { 0 };
	struct timespec spent;
	pcap_t *file = argc == 2 ? pcap_open_offline(argv[1], why) : NULL;

	if (!file) {
		fprintf(stderr, "pcap_loop: %s\n", argc == 2 ? why : "wants a file");
		return 2;
	}
	pcap_loop(file, -1, take, (unsigned char *)&count);
	pcap_close(file);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	printf("%lu %.6f %lu\n", count.packets,
	       (double)spent.tv_sec + (double)spent.tv_nsec / 1e9, count.bytes);
	return 0;
}
