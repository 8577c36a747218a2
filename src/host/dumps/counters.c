/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.c - names with numbers: ethtool -S, hw_counters in all their spellings,
 * ethtool -i, ip link, rdma link and statistic.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/dumps/parts.h"

/* --- NAME: NUMBER ---------------------------------------------------------------------- */

/* The number behind the last colon ("[0]: rx_ucast_packets: 10"), or NULL. */
static char *number_of(char *line, uint64_t *ret_number)
{
	char *colon = strrchr(line, ':');
	char copy[32];

	if (!colon ||
	    snprintf(copy, sizeof(copy), "%s", colon + 1) >= (int)sizeof(copy))
		return NULL;
	return rt_dump_number(rt_dump_trim(copy), ret_number) ? colon : NULL;
}

bool rt_dump_fits_counters(const struct rt_dump_block *block)
{
	size_t fit = 0, other = 0;
	uint64_t number;

	for (size_t i = 0; i < block->count; i++) {
		if (number_of(block->lines[i], &number))
			fit++;
		else if (*block->lines[i])
			other++;
	}
	return fit > 0 && other <= 1 + fit / 8;
}

/* ".../infiniband/mlx5_0/ports/1/hw_counters/NAME": of mlx5_0/1. */
static const char *name_of_path(struct rt_dumping *to, const char *path)
{
	const char *device = rt_dump_after(path, "/infiniband/");
	const char *port = rt_dump_after(path, "/ports/");

	if (device && port)
		snprintf(to->where, sizeof(to->where), "%.*s/%.*s",
			 (int)strcspn(device, "/"), device, (int)strcspn(port, "/"),
			 port);
	return strrchr(path, '/') + 1;
}

void rt_dump_read_counters(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *line = block->lines[i], *name;
		uint64_t number;
		char *colon = number_of(line, &number);
		unsigned port;

		if (!colon) {
			if (sscanf(line, "Port %u hw counters:", &port) == 1)
				snprintf(to->where, sizeof(to->where), "port %u", port);
			continue;
		}
		*colon = '\0';
		name = rt_dump_trim(line);
		rt_dump_add(to, name[0] == '/' ? name_of_path(to, name) : name,
			    rt_dump_trim(colon + 1));
	}
}

/* --- ethtool -i ------------------------------------------------------------------------ */

bool rt_dump_fits_info(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "driver: ") &&
	       rt_dump_has(block, "firmware-version:");
}

void rt_dump_read_info(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *colon = strchr(block->lines[i], ':');

		if (!colon)
			continue;
		*colon = '\0';
		rt_dump_add(to, rt_dump_trim(block->lines[i]), rt_dump_trim(colon + 1));
	}
}

/* --- ip -s link ------------------------------------------------------------------------ */

bool rt_dump_fits_ip_link(const struct rt_dump_block *block)
{
	return rt_dump_has(block, " mtu ") && rt_dump_has(block, "link/");
}

/* "RX:  bytes packets" over " 12 34": RX bytes is 12. */
static void read_pair_of_lines(struct rt_dumping *to, char *names, char *numbers)
{
	char *colon = strchr(names, ':'), *rest = colon + 1, *name, *number;
	char full[96];

	*colon = '\0';
	while ((name = strsep(&rest, " \t"))) {
		if (!*name)
			continue;
		do
			number = strsep(&numbers, " \t");
		while (number && !*number);
		if (!number)
			return;
		snprintf(full, sizeof(full), "%.40s %.40s", rt_dump_trim(names), name);
		rt_dump_add(to, full, number);
	}
}

static void read_heading(struct rt_dumping *to, char *line)
{
	const char *name = rt_dump_after(line, ": ");
	char *mtu = strstr(line, " mtu "), *rest, *number;

	if (!name || !mtu)
		return;
	snprintf(to->where, sizeof(to->where), "%.*s", (int)strcspn(name, ":@"), name);
	rest = mtu + strlen(" mtu ");
	number = strsep(&rest, " ");
	rt_dump_add(to, "mtu", number);
}

void rt_dump_read_ip_link(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *line = rt_dump_trim(block->lines[i]);

		if (isdigit((unsigned char)line[0]) && strstr(line, " mtu "))
			read_heading(to, line);
		else if ((strncmp(line, "RX", 2) == 0 || strncmp(line, "TX", 2) == 0) &&
			 strchr(line, ':') && i + 1 < block->count)
			read_pair_of_lines(to, line, block->lines[++i]);
	}
}

/* --- rdma ------------------------------------------------------------------------------ */

bool rt_dump_fits_rdma(const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++)
		if (*block->lines[i])
			return strncmp(block->lines[i], "link ", 5) == 0 &&
			       strchr(block->lines[i], '/');
	return false;
}

/* NAME VALUE, as many as there are. */
static void read_words(struct rt_dumping *to, char *rest)
{
	const char *name = NULL;
	char *word;

	while ((word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (name) {
			rt_dump_add(to, name, word);
			name = NULL;
		} else {
			name = word;
		}
	}
}

/* On the link's line, or indented below it (-p). */
void rt_dump_read_rdma(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *rest = block->lines[i];

		if (strncmp(rest, "link ", 5) == 0) {
			rest += 5;
			snprintf(to->where, sizeof(to->where), "%s",
				 strsep(&rest, " \t"));
		}
		if (rest && *to->where)
			read_words(to, rest);
	}
}
