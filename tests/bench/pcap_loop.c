/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap_loop.c - a floor for analysers: libpcap reads a file and nothing is done
 * with its packets.  Prints the number of packets and the CPU seconds.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	char why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const unsigned char *data;
	struct timespec spent;
	unsigned long packets = 0, bytes = 0;
	pcap_t *file = argc == 2 ? pcap_open_offline(argv[1], why) : NULL;

	if (!file) {
		fprintf(stderr, "pcap_loop: %s\n", argc == 2 ? why : "wants a file");
		return 2;
	}
	while (pcap_next_ex(file, &header, &data) == 1) {
		packets++;
		bytes += header->caplen;
	}
	pcap_close(file);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	printf("%lu %.6f %lu\n", packets,
	       (double)spent.tv_sec + (double)spent.tv_nsec / 1e9, bytes);
	return 0;
}
