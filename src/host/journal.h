/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * journal.h - what is written down before a port is changed, so that whoever comes
 * after a failure, a signal or a dead process can put back what was there.
 *
 * A journal is a flat record of texts: which host, boot and NIC it is of, all that
 * the port was, and for each knob that is written or disturbed what it held, what it
 * shall hold, and what it may hold in between.  A file may be hostile or cut short:
 * reading one gives a whole journal or an error with its place, and touches nothing.
 */
#ifndef RT_HOST_JOURNAL_H
#define RT_HOST_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/plan.h"
#include "model/qos.h"
#include "rocetune/field.h"

struct rt_err;

/* Only these ways lead on: planned, writing, then committed, or rolled back, or
 * unconfirmed and then one of the two; closed is what a person gave up. */
enum rt_journal_status {
	RT_JOURNAL_PLANNED,     /* nothing is written yet */
	RT_JOURNAL_WRITING,     /* anything between old and new */
	RT_JOURNAL_UNCONFIRMED, /* all is new; old again at the deadline */
	RT_JOURNAL_COMMITTED,
	RT_JOURNAL_ROLLED_BACK,
	RT_JOURNAL_CLOSED, /* it could not be undone, and somebody was told so */
};
extern const struct rt_name rt_journal_status_names[];

/* True while the port may be neither what it was nor what it shall be. */
static inline bool rt_journal_pending(unsigned status)
{
	return status <= RT_JOURNAL_UNCONFIRMED;
}

#define RT_JOURNAL_NAME_BYTES 64

/* A value, as rt_knob_format() writes it; of raw knobs a decimal number. */
struct rt_journal_value {
	char knob[RT_JOURNAL_NAME_BYTES];
	char value[RT_KNOB_TEXT_BYTES];
};

/* A knob that a step writes, or disturbs (then step is the first that does). */
struct rt_journal_write {
	uint32_t step; /* from 1 */
	char knob[RT_JOURNAL_NAME_BYTES];
	char old_value[RT_KNOB_TEXT_BYTES]; /* "unknown": cannot be put back */
	char new_value[RT_KNOB_TEXT_BYTES];
	char inverse[RT_KNOB_TEXT_BYTES]; /* the line that would undo it by hand */
	bool disturbed;                   /* not written for its own sake */
	bool one_way;
};

#define RT_JOURNAL_WRITES_MOST (RT_PLAN_CHANGE_MAX + RT_KNOB_COUNT)
#define RT_JOURNAL_VERSION     1
#define RT_BOOT_ID_BYTES       40

struct rt_journal {
	uint32_t version; /* RT_JOURNAL_VERSION */
	unsigned status;  /* enum rt_journal_status */
	char id[96];      /* of its file; "" before it has one */
	char boot_id[RT_BOOT_ID_BYTES];
	char pci[16]; /* "": a device without */
	uint8_t mac[6];
	char ibdev[RT_IBNAME_BYTES];
	uint32_t port;
	char netdev[RT_IFNAME_BYTES];
	char driver[32];
	char profile[256];
	char undoes[96]; /* the journal whose change this one undoes; "" */
	/* CLOCK_BOOTTIME; of an unconfirmed one. */
	struct rt_opt_u64 deadline_ns;
	struct rt_journal_write *writes; /* owned, as the next ones */
	size_t write_count;
	struct rt_journal_value *between; /* what a knob may hold for a while */
	size_t between_count;
	struct rt_journal_value *old; /* every readable knob */
	size_t old_count;
	char began[32], ended[32]; /* wall clock, UTC, for people */
	char result[512];          /* how it ended, in words; "": as status says */
};

extern const struct rt_table rt_journal_table, rt_journal_write_table;

/* The wall clock's time of day, UTC, as journals have it. */
void rt_journal_now(char text[32]);

/* CLOCK_BOOTTIME, in which deadlines are: it goes on while the host sleeps. */
uint64_t rt_boottime_ns(void);

/* Which boot this is: /proc/sys/kernel/random/boot_id.  As rt_kern_line(). */
int rt_boot_id(struct rt_kern *kern, char buf[RT_BOOT_ID_BYTES], struct rt_err *err);

/* NULL is fine; leaves an empty one. */
void rt_journal_free(struct rt_journal *journal);

/*
 * The journal of a plan: planned, without id.
 * -ENOMEM; what reading the boot id said.
 */
int rt_journal_fill(const struct rt_host_port *port, const struct rt_plan *plan,
		    const char *profile, struct rt_journal *ret_journal,
		    struct rt_err *err);

/*
 * The journal in bytes of text; name is for messages.
 * -EINVAL: not a whole journal of this version; the text has the place.
 */
int rt_journal_parse(const char *name, const char *text, size_t bytes,
		     struct rt_journal *ret_journal, struct rt_err *err);

/* The write of this knob, or NULL. */
struct rt_journal_write *rt_journal_find(const struct rt_journal *journal,
					 const char *knob);

/* A knob's value as journals have it; buf. */
char *rt_journal_text(const struct rt_qos *qos, const char *knob,
		      char buf[RT_KNOB_TEXT_BYTES]);

/* What the knobs that were written or disturbed held; the others are not known. */
int rt_journal_old(const struct rt_journal *journal, const struct rt_driver *driver,
		   struct rt_qos *ret_old, struct rt_err *err);

/*
 * Whether every element of those knobs holds what it was, what it shall be, or what
 * it may be in between.  0, or -ESTALE and *err names the first that does not.
 */
int rt_journal_holds(const struct rt_journal *journal, const struct rt_driver *driver,
		     const struct rt_qos *now, struct rt_err *err);

/*
 * Whether those knobs still hold what was written.  0, or -ESTALE and *err names the
 * first that does not.
 */
int rt_journal_kept(const struct rt_journal *journal, const struct rt_driver *driver,
		    const struct rt_qos *now, struct rt_err *err);

/*
 * From now on these values are allowed, too: those of the plan's side effects; what
 * the port holds of the knobs that the step wrote (0: any step), since drivers keep
 * what they like.
 * -ENOMEM.
 */
int rt_journal_allow_effects(struct rt_journal *journal, const struct rt_plan *plan,
			     struct rt_err *err);
int rt_journal_allow_kept(struct rt_journal *journal, const struct rt_driver *driver,
			  const struct rt_qos *now, uint32_t step, struct rt_err *err);

/*
 * True when the journal is of device's port: by PCI address, which keeps when devices
 * are renamed, and by the RDMA device's name only where there is no such address.
 */
bool rt_journal_is_at(const struct rt_journal *journal, const struct rt_device *device);

/*
 * Whether this is the boot, and device the NIC (by PCI address and MAC), of the
 * journal: 0, or -ESTALE and *err says what differs.  What reading the boot id said.
 */
int rt_journal_is_of(const struct rt_journal *journal, struct rt_kern *kern,
		     const struct rt_device *device, struct rt_err *err);

#endif
