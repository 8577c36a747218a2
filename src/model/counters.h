/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - the counter catalogue: one row per neutral counter of a port, and what
 * was read of them at one time.
 *
 * Pauses have two directions that people confuse.  Received pause frames: the peer
 * stops us (*paused by peer*).  Sent ones: we stop the peer (*pausing peer*), because
 * this NIC or host is slow.
 *
 * A set holds what is known and nothing else: a counter that a NIC does not have, or
 * that could not be read, is not in it, and is never 0.  All rows count upwards.
 */
#ifndef RT_MODEL_COUNTERS_H
#define RT_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "rocetune/units.h"

struct rt_err;

/* In the order of the table. */
enum rt_counter_id {
	/* Priority flow control (IEEE 802.1Qbb). */
	RT_COUNTER_PFC_RX_FRAMES,
	RT_COUNTER_PFC_RX_NS,
	RT_COUNTER_PFC_RX_TRANSITIONS,
	RT_COUNTER_PFC_TX_FRAMES,
	RT_COUNTER_PFC_TX_NS,
	RT_COUNTER_PFC_TX_TRANSITIONS,
	/* Pause of the whole link (IEEE 802.3 annex 31B). */
	RT_COUNTER_PAUSE_RX_FRAMES,
	RT_COUNTER_PAUSE_RX_NS,
	RT_COUNTER_PAUSE_RX_TRANSITIONS,
	RT_COUNTER_PAUSE_TX_FRAMES,
	RT_COUNTER_PAUSE_TX_NS,
	RT_COUNTER_STORM_WARNINGS,
	RT_COUNTER_STORM_EVENTS,
	/* What passes the port, RDMA included. */
	RT_COUNTER_RX_BYTES,
	RT_COUNTER_RX_FRAMES,
	RT_COUNTER_TX_BYTES,
	RT_COUNTER_TX_FRAMES,
	RT_COUNTER_RDMA_RX_BYTES,
	RT_COUNTER_RDMA_RX_FRAMES,
	RT_COUNTER_RDMA_TX_BYTES,
	RT_COUNTER_RDMA_TX_FRAMES,
	/* Congestion notification. */
	RT_COUNTER_CE_RX,
	RT_COUNTER_CNP_TX,
	RT_COUNTER_CNP_RX,
	RT_COUNTER_CNP_HANDLED,
	RT_COUNTER_CNP_IGNORED,
	RT_COUNTER_SLOW_RESTART_CNPS,
	RT_COUNTER_NIC_MARKED,
	RT_COUNTER_SWITCH_MARKED,
	/* Retransmission. */
	RT_COUNTER_OUT_OF_SEQUENCE,
	RT_COUNTER_SEQ_NAKS_RX,
	RT_COUNTER_IMPLIED_NAKS,
	RT_COUNTER_ACK_TIMEOUTS,
	RT_COUNTER_RETRY_EXCEEDED,
	RT_COUNTER_RNR_NAKS_RX,
	RT_COUNTER_RNR_NAKS_TX,
	RT_COUNTER_RNR_RETRY_EXCEEDED,
	RT_COUNTER_DUPLICATES,
	RT_COUNTER_ADAPTIVE_RETRANS,
	/* Loss. */
	RT_COUNTER_OUT_OF_BUFFER,
	RT_COUNTER_RX_DISCARDS,
	RT_COUNTER_RX_BUFFER_DISCARDS,
	RT_COUNTER_RX_CONGESTION_DISCARDS,
	RT_COUNTER_TX_DISCARDS,
	RT_COUNTER_RDMA_RX_DISCARDS,
	RT_COUNTER_RDMA_TX_DISCARDS,
	RT_COUNTER_ICRC_ERRORS,
	/* The link and the host. */
	RT_COUNTER_CRC_ERRORS,
	RT_COUNTER_SYMBOL_ERRORS,
	RT_COUNTER_FEC_CORRECTED,
	RT_COUNTER_FEC_CORRECTED_BITS,
	RT_COUNTER_FEC_UNCORRECTABLE,
	RT_COUNTER_LINK_DOWNS,
	RT_COUNTER_BUFFER_PASSED,
	RT_COUNTER_PCIE_STALLS,
	RT_COUNTER_PCIE_READ_STALLS,
	RT_COUNTER_PCIE_DISCARDS,
	RT_COUNTER_PCIE_ERRORS,
	RT_COUNTER_XMIT_WAIT,
	/* The network device alone: what the kernel itself sent and received. */
	RT_COUNTER_NETDEV_RX_BYTES,
	RT_COUNTER_NETDEV_RX_PACKETS,
	RT_COUNTER_NETDEV_RX_DROPPED,
	RT_COUNTER_NETDEV_RX_ERRORS,
	RT_COUNTER_NETDEV_TX_BYTES,
	RT_COUNTER_NETDEV_TX_PACKETS,
	RT_COUNTER_NETDEV_TX_DROPPED,
	RT_COUNTER_NETDEV_TX_ERRORS,
	RT_COUNTER_COUNT,
};

enum rt_counter_scope {
	RT_COUNTER_PORT = 1,
	RT_COUNTER_PRIO = 2,
	RT_COUNTER_BOTH = RT_COUNTER_PORT | RT_COUNTER_PRIO,
};

enum rt_counter_group {
	RT_COUNTERS_PAUSE,
	RT_COUNTERS_TRAFFIC,
	RT_COUNTERS_NOTIFICATION,
	RT_COUNTERS_RETRANSMISSION,
	RT_COUNTERS_LOSS,
	RT_COUNTERS_LINK,
	RT_COUNTERS_NETDEV,
};

struct rt_counter {
	const char *name; /* "pfc_rx_frames" */
	enum rt_counter_group group;
	enum rt_unit unit; /* COUNT, BYTES or NS */
	enum rt_counter_scope scope;
	const char *label;     /* for people: "paused by peer, frames" */
	const char *direction; /* "rx", "tx"; "": neither */
	const char *help;      /* one sentence, without a full stop */
};

/* By enum rt_counter_id. */
extern const struct rt_counter rt_counters[RT_COUNTER_COUNT];
/* The same as words of JSON; end with a NULL name. */
extern const struct rt_name rt_counter_names[], rt_counter_group_names[];

/* Where a value was read. */
enum rt_counter_source {
	RT_SOURCE_ETHTOOL,  /* statistics of the driver, `ethtool -S` */
	RT_SOURCE_RDMA,     /* hw_counters of the port, `rdma statistic` */
	RT_SOURCE_DEVICE,   /* hw_counters of the RDMA device, for all its ports */
	RT_SOURCE_PMA,      /* counters of an InfiniBand port */
	RT_SOURCE_DCB,      /* dcbnl, IEEE PFC */
	RT_SOURCE_NETDEV,   /* statistics of the network device */
	RT_SOURCE_STANDARD, /* ethtool netlink: the same for all drivers */
	RT_SOURCE_QDISC,    /* queueing disciplines of the network device */
	RT_SOURCE_ENGINE,   /* soft endpoints, of the frames they sent and took */
	RT_SOURCE_SWITCH,   /* the switch of a lab */
	RT_SOURCE_SIM,      /* a simulated port */
	RT_SOURCE_COUNT,
};
extern const struct rt_name rt_counter_source_names[];

#define RT_COUNTER_NO_PRIO    255u /* of the port */
#define RT_COUNTER_NAME_BYTES 96

struct rt_counter_reading {
	unsigned counter; /* enum rt_counter_id */
	uint8_t prio;     /* or RT_COUNTER_NO_PRIO */
	uint8_t bits;     /* the value starts anew at 2^bits * scale; 64: never */
	unsigned source;  /* enum rt_counter_source */
	uint64_t value;   /* in the row's unit */
	uint32_t scale;   /* value = what was read * scale */
	char name[RT_COUNTER_NAME_BYTES]; /* as the driver calls it */
};

enum rt_counter_look_state {
	RT_LOOK_NONE, /* there was nothing to look for */
	RT_LOOK_READ,
	RT_LOOK_FAILED,
};
extern const struct rt_name rt_counter_look_names[];

/* How reading a source went. */
struct rt_counter_look {
	unsigned source; /* enum rt_counter_source */
	unsigned state;  /* enum rt_counter_look_state */
	char why[160];   /* when it failed */
};

/* When a source was last read, and what that took. */
struct rt_counter_pace {
	int64_t read_ns; /* CLOCK_MONOTONIC, when it began; 0: never */
	uint64_t cost_ns;
	uint64_t
		filled; /* of a layout, the same number: the same values; 0: not told */
};

/* An item of a set, and its value. */
struct rt_counter_move {
	uint64_t value;
	uint32_t item;
};

/* What was read of one port at one time; or the difference of two such. */
struct rt_counter_set {
	int64_t time_ns;    /* CLOCK_MONOTONIC, when reading began */
	int64_t elapsed_ns; /* of a difference: between both; of a reading: 0 */
	char device[80];    /* "mlx5_0/1"; "": a network device only */
	char netdev[16];
	char driver[16]; /* whose rows were used; "": the kernel's own only */
	struct rt_opt_u64 refresh_ms;     /* hw_counters in sysfs are this old */
	struct rt_counter_reading *items; /* owned; by counter, then priority */
	size_t count, capacity;
	struct rt_counter_look looks[RT_SOURCE_COUNT]; /* by source */
	/*
	 * Not of records: by source; and numbers that change with which items there are,
	 * and with looks; 0: not told.
	 */
	struct rt_counter_pace paces[RT_SOURCE_COUNT];
	uint64_t layout, looked;
	/*
	 * Owned: all items whose values are others than at the filling before, which had
	 * the number below this one; each maybe twice.  0: not told.
	 */
	struct rt_counter_move *moved;
	size_t moved_count, moved_capacity;
	uint64_t filling;
};

/* For records (base/record.h): agents hand sets to the root. */
extern const struct rt_table rt_counter_set_table, rt_counter_reading_table,
	rt_counter_look_table;

void rt_counter_set_free(struct rt_counter_set *set);

/* A copy without items: it owns nothing. */
struct rt_counter_set rt_counter_set_head(const struct rt_counter_set *set);

/* Append; readings come in the order of counter and priority.  -ENOMEM. */
int rt_counter_set_add(struct rt_counter_set *set,
		       const struct rt_counter_reading *reading);

/* Of a priority, or of the port (RT_COUNTER_NO_PRIO); NULL: unknown. */
const struct rt_counter_reading *rt_counter_find(const struct rt_counter_set *set,
						 enum rt_counter_id id, unsigned prio);

/* The same as a number. */
struct rt_opt_u64 rt_counter_value(const struct rt_counter_set *set,
				   enum rt_counter_id id, unsigned prio);

/*
 * Of the port; where only priorities are known, all eight of them together.  Unknown
 * when one of them is.
 */
struct rt_opt_u64 rt_counter_total(const struct rt_counter_set *set,
				   enum rt_counter_id id);

/* Whether both are readings of the same thing, so that their values can be compared. */
bool rt_counter_same(const struct rt_counter_reading *a,
		     const struct rt_counter_reading *b);

/* As rt_counter_added(), of a value that is lower than before. */
bool rt_counter_passed_end(const struct rt_counter_reading *now, uint64_t before,
			   uint64_t *ret_added);

/*
 * What was added to a counter since its value was before, passing its end included.
 * False: it went backwards, so it began anew, and with it all of its source: a driver
 * that was loaded anew has begun them all again.
 */
static inline bool rt_counter_added(const struct rt_counter_reading *now,
				    uint64_t before, uint64_t *ret_added)
{
	uint64_t passed; /* of its own, so that *ret_added may stay in a register */

	if (now->value >= before) {
		*ret_added = now->value - before;
		return true;
	}
	if (!rt_counter_passed_end(now, before, &passed))
		return false;
	*ret_added = passed;
	return true;
}

/*
 * What happened between two readings of one port.  A counter that is not in both, or
 * was read from elsewhere, is unknown.  So is one that went backwards, and with it all
 * of its source.  A counter of 32 bits may start anew once: it is taken to have, when
 * nothing else of its source went backwards and it is less than half of its range ahead.
 * Never negative.
 * *ret_set is the caller's to free.  -EINVAL: they are of different ports, or after is
 * before.  -ENOMEM.
 */
int rt_counters_diff(const struct rt_counter_set *before,
		     const struct rt_counter_set *after, struct rt_counter_set *ret_set,
		     struct rt_err *err);

/* A set that came from elsewhere: in range, in order, each once.  -EINVAL. */
int rt_counter_set_check(const struct rt_counter_set *set, struct rt_err *err);

#endif
