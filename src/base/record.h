/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.h - structs to JSON and back by their field tables: what the program
 * writes for itself to read again (journals, recorded answers).
 *
 * What goes out comes back the same, but for two spellings: bytes that are no
 * UTF-8 return as the text \xNN, and unknown returns as unknown whatever its
 * value was.  Flags of fields mean nothing here, but RT_FIELD_ZERO_QUIET and
 * RT_FIELD_MAYBE (below) and, in envelopes, RT_FIELD_META.
 */
#ifndef RT_BASE_RECORD_H
#define RT_BASE_RECORD_H

#include <stddef.h>

struct rt_doc;
struct rt_err;
struct rt_json;
struct rt_node;
struct rt_table;

/* Elements of one list, and bytes they take; a longer one is refused. */
#define RT_RECORD_MAX_ITEMS 65536u
#define RT_RECORD_MAX_BYTES (64u << 20)

/* An object of all fields; the caller frees it or puts it into another. */
struct rt_json *rt_record_json(const struct rt_table *table, const void *object);

/* {"rocetune": 1, "kind": table->name, ...fields, "meta": {...}}, as results have it. */
struct rt_json *rt_record_envelope(const struct rt_table *table, const void *object);

/*
 * Read a map into *object, all of which is written, and only on success.  A key that
 * stands nowhere: unknown or empty where the type can say so (optional numbers, F64,
 * texts, addresses, lists), 0 where the field is RT_FIELD_ZERO_QUIET or _MAYBE (a
 * struct: all of it), else an error, as are unknown keys, numbers outside their
 * type's range, texts that do not fit, and arrays of another length.
 *
 * *object owns the lists and RT_FIELD_TEXT texts it got: rt_record_free().
 * -EINVAL: it is not such a record; the text has the place.  -ENOMEM.
 */
int rt_record_read(const struct rt_doc *doc, const struct rt_node *node,
		   const struct rt_table *table, void *object, struct rt_err *err);

/* The same of a whole document with its envelope; "meta" may be missing. */
int rt_record_read_envelope(const struct rt_doc *doc, const struct rt_table *table,
			    void *object, struct rt_err *err);

/* Frees lists and texts that rt_record_read() made; object itself is zero after. */
void rt_record_free(const struct rt_table *table, void *object);

#endif
