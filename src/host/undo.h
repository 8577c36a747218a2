/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * undo.h - giving a port back what a journal says it was.
 *
 * Undoing is a plan like any other, from what is there now to what was: the driver's
 * rules of order and inverse hold for it, and it is read back.  It is made only when
 * every knob holds what was, what was written, or what may be in between; where
 * somebody else wrote since, nothing is touched.
 */
#ifndef RT_HOST_UNDO_H
#define RT_HOST_UNDO_H

#include "host/journal.h"
#include "host/plan.h"

struct rt_err;
struct rt_state;

/*
 * Put the journal's knobs back, in range or not, and read them back; a write that
 * fails is tried again from what is there then, and the last time the others are
 * written all the same.  journal gets the values that may be seen on the way, is
 * saved to state before each attempt, and is rolled back on success, with a remark in
 * result when what was cannot be had in full.
 *
 * -ESTALE: a knob holds something else; nothing was written.  -EIO: it could not be
 * put back.  -ENOTSUP: a knob cannot be written (any more).  The journal then keeps
 * its status, and so stays to be recovered.
 *
 * RT_UNDO_UNSAVED: all is back, and the journal could not be written (*err says why);
 * it keeps its status, since that is what the disk has.
 */
#define RT_UNDO_UNSAVED 1
int rt_undo(const struct rt_host_port *port, struct rt_state *state,
	    struct rt_journal *journal, struct rt_err *err);

/*
 * Whether the plan of this journal has a way back, before its first write.
 * -ENOTSUP: something could not be put back.  -ENOMEM.
 */
int rt_undo_check(const struct rt_host_port *port, const struct rt_plan *plan,
		  const struct rt_journal *journal, struct rt_err *err);

#endif
