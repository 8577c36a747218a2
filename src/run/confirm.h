/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confirm.h - changes that last only if somebody still reaches the host to say so:
 * when that is the default, and who keeps the clock.
 */
#ifndef RT_RUN_CONFIRM_H
#define RT_RUN_CONFIRM_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_device;
struct rt_err;
struct rt_kern;

#define RT_CONFIRM_DEFAULT_NS (300 * UINT64_C(1000000000))

/*
 * The local address of the session that the user came by: the third word of
 * $SSH_CONNECTION (sshd(8)).  False: there is no such session.
 */
bool rt_session_address(const char *ssh_connection, struct rt_ip *ret_address);

/* Name of the interface that has the address, of this host; false: none has. */
bool rt_address_interface(const struct rt_ip *address, char *buf, size_t capacity);

/* True when interface is netdev, or stands on it (a bond, a VLAN, a bridge). */
bool rt_stands_on(struct rt_kern *kern, const char *interface, const char *netdev);

/*
 * True when the user's own session goes through the port: by $SSH_CONNECTION, here or
 * of the processes that we stem from (bounded), or by a remote login among them of
 * which nobody tells the address.
 */
bool rt_carries_session(struct rt_kern *kern, const struct rt_device *device);

/*
 * Have systemd call `rocetune recover --overdue ID` after wait_ns, with a transient
 * timer.  -ENOENT: systemd does not run here.  -EIO: it refused.
 */
int rt_confirm_arm(const char *id, const char *state_folder, uint64_t wait_ns,
		   struct rt_err *err);

#endif
