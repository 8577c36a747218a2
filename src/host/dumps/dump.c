/* SPDX-License-Identifier: BSD-2-Clause */
/* dump.c - blocks of pasted text, the list of formats, values. */
#include "host/dumps/dump.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/text.h"
#include "host/dumps/parts.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

#define FORMAT(noun, name_, help_)                                             \
	{                                                                      \
		.name = (name_), .help = (help_), .fits = rt_dump_fits_##noun, \
		.read = rt_dump_read_##noun                                    \
	}

/* The first that fits is taken: those that are sure of themselves come first. */
const struct rt_dump_format rt_dump_formats[] = {
	FORMAT(json, "json", "rdma -j, nicctl -j"),
	FORMAT(mlnx_qos, "mlnx_qos", "mlnx_qos -i DEV"),
	FORMAT(tclass, "tclass", "cat .../tc/1/traffic_class"),
	FORMAT(tlv, "802.1Qaz", "lldptool -ti, niccli get_qos"),
	FORMAT(dscp2prio, "dscp2prio", "niccli get_dscp2prio"),
	FORMAT(pri2cos, "pri2cos", "niccli dump pri2cos"),
	FORMAT(mlxconfig, "mlxconfig", "mlxconfig query, mstconfig query"),
	FORMAT(devinfo, "ibv_devinfo", "ibv_devinfo -v"),
	FORMAT(gids, "show_gids", "show_gids"),
	FORMAT(info, "ethtool -i", "ethtool -i DEV"),
	FORMAT(ip_link, "ip link", "ip -s -s link show DEV"),
	FORMAT(rdma, "rdma", "rdma link, rdma statistic"),
	FORMAT(table, "SONiC table",
	       "show pfc counters, show pfcwd stats and the like"),
	FORMAT(counters, "counters", "ethtool -S, hw_counters, show_counters"),
	{ 0 },
};

/* --- values ---------------------------------------------------------------------------- */

bool rt_dump_number(const char *text, uint64_t *ret_number)
{
	const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t number = 0;

	if (hex) {
		char *end;

		errno = 0;
		number = strtoull(text + 2, &end, 16);
		if (!isxdigit((unsigned char)text[2]) || *end || errno)
			return false;
		*ret_number = number;
		return true;
	}
	if (!isdigit((unsigned char)*text))
		return false;
	for (; *text; text++) {
		const unsigned digit = (unsigned)(*text - '0');

		if (*text == ',' && isdigit((unsigned char)text[1]))
			continue;
		if (digit > 9 || number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return true;
}

void rt_dump_add(struct rt_dumping *to, const char *name, const char *text)
{
	struct rt_dump *dump = to->dump;
	struct rt_dump_value *value, *grown;

	if (to->failed)
		return;
	if (dump->count == RT_DUMP_VALUES_MAX) {
		to->failed = -E2BIG;
		return;
	}
	grown = rt_grow(dump->values, dump->count, &dump->capacity, sizeof(*value));
	if (!grown) {
		to->failed = -ENOMEM;
		return;
	}
	dump->values = grown;
	value = &dump->values[dump->count++];
	*value = (struct rt_dump_value){ 0 };
	snprintf(value->where, sizeof(value->where), "%s", to->where);
	snprintf(value->name, sizeof(value->name), "%s", name);
	snprintf(value->text, sizeof(value->text), "%s", text);
	rt_text_clean(value->where);
	rt_text_clean(value->name);
	rt_text_clean(value->text);
	value->number.known = rt_dump_number(text, &value->number.value);
	if (!value->number.known)
		value->number.value = 0;
}

const struct rt_dump_value *rt_dump_find(const struct rt_dump *dump, const char *where,
					 const char *name)
{
	for (size_t i = 0; i < dump->count; i++)
		if (strcmp(dump->values[i].name, name) == 0 &&
		    (!where || strcmp(dump->values[i].where, where) == 0))
			return &dump->values[i];
	return NULL;
}

void rt_dump_free(struct rt_dump *dump)
{
	free(dump->values);
	*dump = (struct rt_dump){ 0 };
}

/* --- small readers --------------------------------------------------------------------- */

char *rt_dump_trim(char *text)
{
	size_t bytes;

	while (isspace((unsigned char)*text))
		text++;
	bytes = strlen(text);
	while (bytes && isspace((unsigned char)text[bytes - 1]))
		text[--bytes] = '\0';
	return text;
}

const char *rt_dump_after(const char *line, const char *label)
{
	const char *at = strstr(line, label);

	if (!at)
		return NULL;
	at += strlen(label);
	while (isblank((unsigned char)*at))
		at++;
	return at;
}

bool rt_dump_has(const struct rt_dump_block *block, const char *word)
{
	for (size_t i = 0; i < block->count; i++)
		if (strstr(block->lines[i], word))
			return true;
	return false;
}

int rt_dump_digit(const char **at, unsigned limit)
{
	unsigned number = 0;
	const char *from = *at;

	while (isdigit((unsigned char)**at) && number < limit)
		number = number * 10 + (unsigned)(*(*at)++ - '0');
	if (*at == from || number >= limit || isdigit((unsigned char)**at))
		return -1;
	return (int)number;
}

/* --- blocks ---------------------------------------------------------------------------- */

/* A line that asks: "$ cmd", "# cmd", "`cmd`", "user@host:~$ cmd"; else NULL. */
static char *command_of(char *line)
{
	char *at = strchr(line, '@'), *prompt;
	const size_t bytes = strlen(line);

	if ((line[0] == '$' || line[0] == '#') && line[1] == ' ')
		return rt_dump_trim(line + 2);
	if (line[0] == '`' && bytes > 2 && line[bytes - 1] == '`')
		return line + 1;
	if (!at || memchr(line, ' ', (size_t)(at - line)))
		return NULL;
	prompt = at + strcspn(at, "$# ");
	if ((*prompt != '$' && *prompt != '#') || prompt[1] != ' ')
		return NULL;
	return rt_dump_trim(prompt + 1);
}

static void note_format(struct rt_dump *dump, const char *name)
{
	const size_t used = strlen(dump->formats);

	if (!strstr(dump->formats, name))
		snprintf(dump->formats + used, sizeof(dump->formats) - used, "%s%s",
			 used ? ", " : "", name);
}

static void read_block(struct rt_dumping *to, const struct rt_dump_block *block)
{
	const struct rt_dump_format *format = rt_dump_formats;

	while (format->name && !format->fits(block))
		format++;
	if (!format->name)
		return;
	to->where[0] = '\0';
	note_format(to->dump, format->name);
	format->read(to, block);
}

static void read_blocks(struct rt_dumping *to, char **lines, size_t count)
{
	struct rt_dump_block block = { .command = "", .lines = lines };

	for (size_t i = 0; i < count; i++) {
		char *command = command_of(lines[i]);

		if (!command) {
			block.count++;
			continue;
		}
		if (block.count)
			read_block(to, &block);
		block = (struct rt_dump_block){ command, lines + i + 1, 0 };
	}
	if (block.count)
		read_block(to, &block);
}

/* The text in lines, each a string; NULs and carriage returns are no text. */
static char **split(char *text, size_t bytes, size_t *ret_count)
{
	size_t count = 1, at = 0;
	char **lines;

	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '\n')
			count++;
		else if (text[i] == '\0')
			text[i] = '?';
		else if (text[i] == '\r')
			text[i] = ' ';
	}
	lines = calloc(count, sizeof(*lines));
	if (!lines)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		lines[i] = text + at;
		at += strcspn(text + at, "\n");
		text[at++] = '\0';
	}
	*ret_count = count;
	return lines;
}

static int read_text(struct rt_dumping *to, const char *text, size_t bytes)
{
	RT_AUTO(rt_auto_free) char *copy = malloc(bytes + 1);
	RT_AUTO(rt_auto_free) char **lines = NULL;
	size_t count = 0;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	lines = split(copy, bytes, &count);
	if (!lines)
		return -ENOMEM;
	read_blocks(to, lines, count);
	return to->failed;
}

/* By place and name, those alike in the order of the text. */
static int compare_values(const void *a, const void *b)
{
	const struct rt_dump_value *x = *(const struct rt_dump_value *const *)a;
	const struct rt_dump_value *y = *(const struct rt_dump_value *const *)b;
	int order = strcmp(x->where, y->where);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

static bool are_alike(const struct rt_dump_value *a, const struct rt_dump_value *b)
{
	return strcmp(a->where, b->where) == 0 && strcmp(a->name, b->name) == 0;
}

/* A text of several queries has names several times. */
static int count_times(struct rt_dump *dump)
{
	RT_AUTO(rt_auto_free)
	struct rt_dump_value **order = calloc(dump->count + 1,
					      sizeof(struct rt_dump_value *));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < dump->count; i++)
		order[i] = &dump->values[i];
	qsort(order, dump->count, sizeof(struct rt_dump_value *), compare_values);
	for (size_t i = 1; i < dump->count; i++) {
		struct rt_opt_u64 *before = &order[i - 1]->time;

		if (!are_alike(order[i - 1], order[i]))
			continue;
		if (!before->known)
			*before = RT_KNOWN_U64(1);
		order[i]->time = RT_KNOWN_U64(before->value + 1);
	}
	return 0;
}

int rt_dump_read(const char *text, size_t bytes, struct rt_dump *ret_dump,
		 struct rt_err *err)
{
	struct rt_dump dump = { 0 };
	struct rt_err why = { 0 };
	struct rt_dumping to = { .dump = &dump, .err = &why };
	int r;

	if (bytes > RT_DUMP_BYTES_MAX)
		return rt_err_set(err, -EFBIG, "more than %u MiB: no such output",
				  RT_DUMP_BYTES_MAX >> 20);
	r = read_text(&to, text, bytes);
	if (r == 0 && !*dump.formats)
		r = rt_err_set(&why, -EINVAL,
			       "this is no output known here (ethtool, rdma, mlnx_qos, "
			       "mlxconfig, niccli, nicctl, ...)");
	if (r == 0)
		r = count_times(&dump);
	if (r < 0) {
		rt_dump_free(&dump);
		return why.code ? rt_err_set(err, r, "%s", why.msg)
				: rt_err_sys(err, r, "the output cannot be read");
	}
	*ret_dump = dump;
	return 0;
}

/* --- firmware ----------------------------------------------------------------------------- */

static const struct rt_dump_value *firmware_value(const struct rt_dump *dump,
						  const char *name, unsigned port)
{
	const struct rt_dump_value *value = rt_dump_find(dump, "next boot", name);
	char of_port[96];

	if (value)
		return value;
	snprintf(of_port, sizeof(of_port), "%.80s_P%u", name, port);
	return rt_dump_find(dump, "next boot", of_port);
}

/* "True(1)" is also "true", "yes", "on" and 1; "ECN(0)" also ECN. */
static bool means(const struct rt_dump_value *value, const char *text)
{
	static const struct {
		const char *word;
		uint64_t number;
	} words[] = { { "true", 1 },  { "yes", 1 }, { "on", 1 },
		      { "false", 0 }, { "no", 0 },  { "off", 0 } };
	const size_t name = strcspn(value->text, "(");
	uint64_t number;

	if (strlen(text) == name && strncasecmp(value->text, text, name) == 0)
		return true;
	if (!value->number.known)
		return false;
	for (size_t i = 0; i < RT_ARRAY_SIZE(words); i++)
		if (strcasecmp(words[i].word, text) == 0)
			return value->number.value == words[i].number;
	return rt_unit_parse(RT_UNIT_NONE, text, &number, NULL) == 0 &&
	       number == value->number.value;
}

static bool is_one_value(const struct rt_dump *dump, const struct rt_dump_value *value)
{
	for (size_t i = 0; value->time.known && i < dump->count; i++)
		if (are_alike(&dump->values[i], value) &&
		    strcmp(dump->values[i].text, value->text) != 0)
			return false;
	return true;
}

enum rt_firmware_verdict rt_firmware_check(const struct rt_pair *expect,
					   const struct rt_dump *dump, unsigned port,
					   const struct rt_dump_value **ret_value)
{
	const struct rt_dump_value *value = firmware_value(dump, expect->name, port);
	const char *text = expect->value.text;
	bool fine;

	*ret_value = value;
	if (!value || expect->value.state != RT_SETTING_VALUE || !text)
		return RT_FIRMWARE_UNKNOWN;
	if (!is_one_value(dump, value))
		return RT_FIRMWARE_SEVERAL;
	if (strncmp(text, "has ", 4) == 0) {
		const char *at = text + 4;
		const int bit = rt_dump_digit(&at, 64);

		if (bit < 0 || *at || !value->number.known)
			return RT_FIRMWARE_UNKNOWN;
		fine = value->number.value >> bit & 1;
	} else {
		fine = means(value, text);
	}
	return fine ? RT_FIRMWARE_AS_EXPECTED : RT_FIRMWARE_OTHER;
}
