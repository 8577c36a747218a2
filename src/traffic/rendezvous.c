/* SPDX-License-Identifier: BSD-2-Clause */
#include "traffic/rendezvous.h"

#include <stdlib.h>

void rt_texts_free(struct rt_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	*texts = (struct rt_texts){ 0 };
}
