/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_wish.h - what the files that turn a profile into wants share. */
#ifndef RT_NOS_SONIC_WISH_H
#define RT_NOS_SONIC_WISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nos/sonic_want.h"

struct rt_switch_port;

/* What is being asked for, of which class and port. */
struct sonic_asking {
	const struct rt_nos_wish *wish;
	struct sonic_wants *wants;
	struct rt_err *err;
};

#define for_each_wished_class(class_, asking_)                                  \
	for (const struct rt_class *class_ = (asking_)->wish->profile->classes; \
	     class_ < (asking_)->wish->profile->classes +                       \
			      (asking_)->wish->profile->class_count;            \
	     class_++)

#define for_each_wished_port(port_, asking_)                    \
	for (const char *const *port_ = (asking_)->wish->ports; \
	     port_ < (asking_)->wish->ports + (asking_)->wish->port_count; port_++)

static inline bool sonic_is(const struct rt_setting *setting, uint64_t number)
{
	return rt_setting_known(setting) && setting->number == number;
}

/* The wish's port of this index as the switch's configuration has it, or NULL. */
const struct rt_switch_port *sonic_port_there(const struct sonic_asking *asking,
					      size_t index);

/*
 * What the struct rt_switch_ref at this offset of a port refers to, when that is one
 * and the same object on all the wish's ports; else NULL.
 */
const void *sonic_common_object(const struct sonic_asking *asking, size_t ref_offset);

/*
 * The maps, and the ports' references to them; a map that all ports have already is
 * kept when it maps all that is asked for.  -EINVAL: two classes contradict.
 */
int sonic_want_maps(const struct sonic_asking *asking);

#endif
