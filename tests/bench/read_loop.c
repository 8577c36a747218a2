/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_loop.c - a floor for readers: read(2) takes a file through one buffer and
 * nothing is done with the bytes.  Prints the number of bytes and the CPU seconds.
 *
 *   read_loop FILE [BUFFER_BYTES]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Of 32 KiB to 4 MiB the quickest here. */
#define BUFFER_BYTES (128u << 10)

int main(int argc, char **argv)
{
	const size_t room = argc > 2 ? strtoul(argv[2], NULL, 0) : BUFFER_BYTES;
	const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	char *buffer = malloc(room);
	unsigned long long bytes = 0;
	struct timespec spent;
	ssize_t got = 0;

	if (fd < 0 || !buffer) {
		fprintf(stderr, "read_loop: wants a file\n");
		return 2;
	}
	while ((got = read(fd, buffer, room)) > 0)
		bytes += (unsigned long long)got;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	printf("%llu %.6f\n", bytes,
	       (double)spent.tv_sec + (double)spent.tv_nsec / 1e9);
	free(buffer);
	close(fd);
	return got < 0 ? 3 : 0;
}
