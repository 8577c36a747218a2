/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nos.h - switch systems: configuration text to and from struct rt_switch.
 *
 * One row and one file (or two) each.  Text may be hostile: size, count of objects
 * and work are bounded, and whatever is refused is refused with its place.
 */
#ifndef RT_NOS_NOS_H
#define RT_NOS_NOS_H

#include <stdbool.h>
#include <stddef.h>

struct rt_err;
struct rt_findings;
struct rt_json;
struct rt_nos_wish;
struct rt_switch;

#define RT_NOS_MAX_BYTES (4u << 20)

struct rt_nos {
	const char *name; /* as switch.nos of a profile */
	const char *help;
	/* Whether the text looks like this system's. */
	bool (*recognise)(const char *text, size_t bytes);
	/*
	 * Fill sw, which is new.  What does not keep the rest from being read is
	 * added to complaints (may be NULL).  -EINVAL: no text of this system, with
	 * place and reason.  -EFBIG: too much of something.
	 */
	int (*parse)(struct rt_switch *sw, const char *text, size_t bytes,
		     struct rt_findings *complaints, struct rt_err *err);
	/*
	 * The configuration of a wish as the system's own tool takes it; NULL: this
	 * system is only read.
	 */
	int (*export)(const struct rt_nos_wish *wish, struct rt_json **ret_config,
		      struct rt_err *err);
};

/* All systems, ends with NULL. */
extern const struct rt_nos *const rt_nos_list[];
extern const struct rt_nos rt_nos_sonic, rt_nos_eos;

/* The system of this name, or NULL. */
const struct rt_nos *rt_nos_find(const char *name);

/* A headroom table beside the configuration. */
struct rt_nos_table {
	const char *name; /* for messages */
	const char *text;
	size_t bytes;
};

/*
 * Read a configuration: nos NULL finds out which system's it is; headroom NULL: no
 * table beside it.  name is for messages; the text is not kept.  The caller frees
 * *ret_sw.  -EINVAL: of no system known, or what parse() said.
 */
int rt_nos_parse(const struct rt_nos *nos, const char *name, const char *text,
		 size_t bytes, const struct rt_nos_table *headroom,
		 struct rt_findings *complaints, struct rt_switch **ret_sw,
		 struct rt_err *err);

/* The same from files; headroom_path NULL: no table.  Otherwise what open said. */
int rt_nos_read(const struct rt_nos *nos, const char *path, const char *headroom_path,
		struct rt_findings *complaints, struct rt_switch **ret_sw,
		struct rt_err *err);

#endif
