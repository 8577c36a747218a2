/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/wordbook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

/* The slot of text, or the free one where it belongs. */
static uint32_t *find_slot(const struct rt_wordbook *words, const char *text)
{
	size_t at = rt_hash_bytes(text, strlen(text)) & (words->slot_count - 1);

	while (words->slots[at] &&
	       strcmp(words->items[words->slots[at] - 1], text) != 0)
		at = (at + 1) & (words->slot_count - 1);
	return &words->slots[at];
}

/* At least half of the slots stay free. */
static int make_room(struct rt_wordbook *words)
{
	const size_t wanted = words->slot_count ? words->slot_count * 2 : 256;
	uint32_t *slots;

	if (words->count * 2 < words->slot_count)
		return 0;
	slots = calloc(wanted, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(words->slots);
	words->slots = slots;
	words->slot_count = wanted;
	for (size_t i = 0; i < words->count; i++)
		*find_slot(words, words->items[i]) = (uint32_t)i + 1;
	return 0;
}

int rt_wordbook_number(struct rt_wordbook *words, const char *text,
		       uint32_t *ret_number)
{
	uint32_t *slot;
	char **items, *copy;

	if (make_room(words) < 0)
		return -ENOMEM;
	slot = find_slot(words, text);
	if (*slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	items = rt_grow(words->items, words->count, &words->capacity, sizeof(*items));
	copy = strdup(text);
	if (items)
		words->items = items;
	if (!items || !copy || words->count >= UINT32_MAX - 1) {
		free(copy);
		return -ENOMEM;
	}
	items[words->count] = copy;
	*ret_number = (uint32_t)words->count++;
	*slot = *ret_number + 1;
	return 0;
}

void rt_wordbook_free(struct rt_wordbook *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	free(words->slots);
	*words = (struct rt_wordbook){ 0 };
}
