/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settings.c - what a device is and how its firmware is set: mlxconfig, ibv_devinfo,
 * show_gids.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/dumps/parts.h"

/* The next word of *rest, which is moved behind it; NULL: none is left. */
static char *next_word(char **rest)
{
	char *word;

	while ((word = strsep(rest, " \t")))
		if (*word)
			return word;
	return NULL;
}

/* --- mlxconfig --------------------------------------------------------------------------- */

/* CNP_DSCP_P1: capitals, digits and an underscore. */
static bool is_setting(const char *word)
{
	size_t bytes = 0;

	while (isupper((unsigned char)word[bytes]) ||
	       isdigit((unsigned char)word[bytes]) || word[bytes] == '_')
		bytes++;
	return bytes > 2 && strchr(word, '_') && (!word[bytes] || isblank(word[bytes]));
}

bool rt_dump_fits_mlxconfig(const struct rt_dump_block *block)
{
	size_t settings = 0, lines = 0;

	if (rt_dump_has(block, "Configurations:") && rt_dump_has(block, "Next Boot"))
		return true;
	for (size_t i = 0; i < block->count; i++) {
		const char *line = block->lines[i] + strspn(block->lines[i], " \t");

		lines += *line != '\0';
		settings += is_setting(line);
	}
	return settings && settings == lines;
}

/* "True(1)", "_8_TCs(0)": the number is in brackets. */
static void add_setting(struct rt_dumping *to, const char *where, const char *name,
			const char *text)
{
	const size_t before = to->dump->count, bytes = strlen(text);
	const char *open = strrchr(text, '(');
	struct rt_dump_value *value;
	char inside[24];

	snprintf(to->where, sizeof(to->where), "%s", where);
	rt_dump_add(to, name, text);
	if (!open || text[bytes - 1] != ')' || to->dump->count == before)
		return;
	value = &to->dump->values[before];
	snprintf(inside, sizeof(inside), "%.*s", (int)(text + bytes - 2 - open),
		 open + 1);
	value->number.known = rt_dump_number(inside, &value->number.value);
	if (!value->number.known)
		value->number.value = 0;
}

/*
 * Columns are as the heading says: what the next boot brings, and (when something is
 * being set) what it is to become.
 */
void rt_dump_read_mlxconfig(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		char *rest = block->lines[i], *name, *next, *new;

		rest += strspn(rest, " \t");
		if (!is_setting(rest))
			continue;
		name = next_word(&rest);
		next = next_word(&rest);
		new = next_word(&rest);
		if (next)
			add_setting(to, "next boot", name, next);
		if (new)
			add_setting(to, "new", name, new);
	}
}

/* --- ibv_devinfo ------------------------------------------------------------------------- */

bool rt_dump_fits_devinfo(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "hca_id:") || rt_dump_has(block, "GID[");
}

/* "GID[  3]: ::ffff:192.0.2.1, RoCE v2" */
static void read_gid(struct rt_dumping *to, char *line)
{
	char *close = strstr(line, "]:"), name[24];
	unsigned index;

	if (!close || sscanf(line, "GID[ %u]", &index) != 1)
		return;
	snprintf(name, sizeof(name), "GID[%u]", index);
	rt_dump_add(to, name, rt_dump_trim(close + 2));
}

static void enter_port(struct rt_dumping *to, const char *device, const char *port)
{
	snprintf(to->where, sizeof(to->where), "%.50s%s%.8s", device,
		 *device ? "/" : "", port);
}

void rt_dump_read_devinfo(struct rt_dumping *to, const struct rt_dump_block *block)
{
	char device[48] = "";

	for (size_t i = 0; i < block->count; i++) {
		char *line = rt_dump_trim(block->lines[i]), *colon, *text;

		if (strncmp(line, "GID[", 4) == 0) {
			read_gid(to, line);
			continue;
		}
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		text = rt_dump_trim(colon + 1);
		if (strcmp(line, "hca_id") == 0) {
			snprintf(device, sizeof(device), "%s", text);
			snprintf(to->where, sizeof(to->where), "%s", device);
		} else if (strcmp(line, "port") == 0) {
			enter_port(to, device, text);
		} else if (*text) {
			rt_dump_add(to, rt_dump_trim(line), text);
		}
	}
}

/* --- show_gids --------------------------------------------------------------------------- */

bool rt_dump_fits_gids(const struct rt_dump_block *block)
{
	return rt_dump_has(block, "DEV") && rt_dump_has(block, "INDEX") &&
	       rt_dump_has(block, "GID");
}

/* DEV PORT INDEX GID [IPv4] VER NETDEV */
static void read_gid_row(struct rt_dumping *to, char *line)
{
	char *words[8], *rest = line, name[24], text[160];
	size_t count = 0;
	uint64_t index;

	while (count < RT_ARRAY_SIZE(words) && (words[count] = next_word(&rest)))
		count++;
	if (count < 6 || count > 7 || !rt_dump_number(words[2], &index) ||
	    words[count - 2][0] != 'v')
		return;
	enter_port(to, words[0], words[1]);
	snprintf(name, sizeof(name), "GID[%u]", (unsigned)index);
	snprintf(text, sizeof(text), "%.60s, %.8s, %.20s", words[3], words[count - 2],
		 words[count - 1]);
	rt_dump_add(to, name, text);
	if (count < 7)
		return;
	snprintf(name, sizeof(name), "IPv4[%u]", (unsigned)index);
	rt_dump_add(to, name, words[4]);
}

void rt_dump_read_gids(struct rt_dumping *to, const struct rt_dump_block *block)
{
	for (size_t i = 0; i < block->count; i++)
		read_gid_row(to, block->lines[i]);
}
