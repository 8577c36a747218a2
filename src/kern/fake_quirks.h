/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_quirks.h - what the drivers of the fake do about a write, by their quirks.
 *
 * "may" and "before": 0, or why the driver refuses, a negative errno.  "after": the
 * write is in the port, which was as before says; the driver adds to it or undoes.
 */
#ifndef RT_KERN_FAKE_QUIRKS_H
#define RT_KERN_FAKE_QUIRKS_H

#include "kern/kern_fake.h"

/* One part (enum rt_dcb_has) of a set; the parts before it are in the port. */
int rt_fake_may_set(const struct rt_fake_port *port, unsigned part,
		    const struct rt_dcb_set *set);
void rt_fake_after_set(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		       const struct rt_fake_port *before);

/* Before may take away what the entry replaces. */
int rt_fake_before_app(struct rt_fake_port *port, const struct rt_dcb_app *app,
		       bool add);
/* What the driver answers: 0, or (ice) its own positive code. */
int rt_fake_after_app(struct rt_fake_port *port, bool add,
		      const struct rt_fake_port *before);

/* The mode that is kept when mode is set, or -ECANCELED. */
int rt_fake_dcbx(const struct rt_fake_port *port, uint8_t mode);

int rt_fake_may_pause(const struct rt_fake_port *port);
void rt_fake_after_pause(struct rt_fake_port *port);
int rt_fake_may_flag(const struct rt_fake_port *port, const char *flag, bool on);
void rt_fake_after_flag(struct rt_fake_port *port, const char *flag, bool on);

/* What reading shows of the port. */
void rt_fake_show(const struct rt_fake_port *port, struct rt_dcb *dcb);

#endif
