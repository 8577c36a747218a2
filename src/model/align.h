/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * align.h - whether the two ends of a link mean the same: what a host port has, what
 * the profile of its rail wants, what the switch's configuration says of the port at
 * the other end, and what that switch announces by LLDP.
 *
 * Each side may be absent.  Rules compare what there is; they say that something could
 * not be judged only where a side that was asked for lacks it.
 */
#ifndef RT_MODEL_ALIGN_H
#define RT_MODEL_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "model/dcbx.h"
#include "model/finding.h"
#include "model/qos.h"
#include "model/switch.h"
#include "rocetune/profile.h"

enum rt_align_side {
	RT_ALIGN_HOST,
	RT_ALIGN_PROFILE,
	RT_ALIGN_SWITCH,
	RT_ALIGN_LLDP,
	RT_ALIGN_SIDES,
};

struct rt_align {
	const char *where; /* the port, for findings: "mlx5_0 (ens1f0np0)" */
	/* By side: it was asked for; and why it is not there, NULL when it is. */
	bool asked[RT_ALIGN_SIDES];
	const char *missing[RT_ALIGN_SIDES];

	const struct rt_qos *host;
	const char *driver; /* as in profiles; NULL: not known */
	const char *chip;   /* NULL: not known */
	struct rt_opt_u64 speed_bps, mtu_bytes, roce_mtu_bytes;
	struct rt_opt_u64 link_up; /* bool: of the host's port */

	/* Of the rail; want as the port can have it.  Both or none. */
	const struct rt_profile *profile;
	const struct rt_qos_want *want;
	const char *leaf; /* that the rail names; NULL: none */

	/* Both or none. */
	const struct rt_switch *sw;
	const struct rt_switch_port *port;

	/* Who was heard on the port; and other agents of this host itself. */
	const struct rt_dcbx_peer *const *peers, *const *selves;
	size_t peer_count, self_count;
};

/* Of those who were heard the one that speaks DCBX, else the first; NULL: none. */
const struct rt_dcbx_peer *rt_align_peer(const struct rt_align *align);

/* The port that the peer says it is, by its ID or else its description; or NULL. */
const struct rt_switch_port *rt_align_heard_port(const struct rt_switch *sw,
						 const struct rt_dcbx_peer *peer);

/* Their subject is a struct rt_align. */
extern const struct rt_rule rt_align_rules[];
extern const size_t rt_align_rule_count;

/* --- side by side ------------------------------------------------------------------ */

#define RT_ALIGN_TEXT_BYTES 256

/* One property; "": not known on that side, or the side has none. */
struct rt_align_row {
	char property[96];
	char host[RT_ALIGN_TEXT_BYTES], profile[RT_ALIGN_TEXT_BYTES];
	char config[RT_ALIGN_TEXT_BYTES], lldp[RT_ALIGN_TEXT_BYTES];
};

struct rt_align_rows {
	struct rt_align_row *items; /* owned */
	size_t count, capacity;
};

extern const struct rt_table rt_align_row_table;

/* Every property that one side at least knows.  -ENOMEM. */
int rt_align_rows_fill(const struct rt_align *align, struct rt_align_rows *ret_rows,
		       struct rt_err *err);
void rt_align_rows_free(struct rt_align_rows *rows);

#endif
