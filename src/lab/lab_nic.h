/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_nic.h - what the endpoints of a lab's hosts count, live: a file of the lab's
 * folder for each host, written by who plays its NIC, read by who watches.
 *
 * A file is replaced as a whole, so that a reader has one moment's counters or none.
 * It is gone when nobody plays the NIC.  Both sides are this program on this machine;
 * what a file holds is judged all the same.
 */
#ifndef RT_LAB_LAB_NIC_H
#define RT_LAB_LAB_NIC_H

#include <stdbool.h>
#include <stddef.h>

#include "model/counters.h"

struct rt_err;
struct rt_lab_nic;
struct rt_lab_store;

/* As often as the switch writes its own. */
#define RT_LAB_PUBLISH_NS INT64_C(50000000)

/* host: "h0".  folder: of the lab.  -EINVAL: that is no host's name.  -ENOMEM. */
int rt_lab_nic_open(const char *folder, const char *host, struct rt_lab_nic **ret_nic,
		    struct rt_err *err);
/*
 * Nobody waits for it: what cannot be written is missed until the next time, and
 * nothing is written when the lab's state is gone.
 */
void rt_lab_nic_write(struct rt_lab_nic *nic, const struct rt_counter_set *set);
void rt_lab_nic_close(struct rt_lab_nic *nic); /* removes the file; NULL is fine */

/*
 * What a host's NIC counted last; *set is zero or of the last call, and on an error has
 * no items.  -ENOENT: nobody plays it.  -EINVAL: the file holds something else.
 */
int rt_lab_nic_read(const struct rt_lab_store *store, const char *lab, const char *host,
		    struct rt_counter_set *set, struct rt_err *err);

/* Judge a copy of such a file; as above. */
int rt_lab_nic_parse(const char *name, const void *bytes, size_t count,
		     struct rt_counter_set *set, struct rt_err *err);

/* Whether a file of a lab's folder is one of these, or half of one. */
bool rt_lab_nic_is_file(const char *file);

#endif
