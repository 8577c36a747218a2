/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drivers.h - the rows of all drivers, and what several of them share: shorthands
 * for rows, conversions, rows of the kernel's own interfaces.
 */
#ifndef RT_HOST_DRIVERS_H
#define RT_HOST_DRIVERS_H

#include <errno.h>

#include "base/own.h"
#include "host/access.h"
#include "host/driver.h"

extern const struct rt_driver rt_driver_mlx5, rt_driver_mlx4, rt_driver_bnxt_re,
	rt_driver_irdma, rt_driver_hns_roce, rt_driver_ionic, rt_driver_qedr,
	rt_driver_cxgb4;
/* Nothing can be tuned. */
extern const struct rt_driver rt_driver_i40e, rt_driver_efa, rt_driver_erdma,
	rt_driver_mana, rt_driver_rxe, rt_driver_siw;

/* ROW(PFC_MASK, pfc, FLAP, "command", "source", ...): a knob by an access. */
#define ROW(id, access_, impact_, command_, source_, ...)             \
	{                                                             \
		.knob = RT_KNOB_##id, .access = &rt_access_##access_, \
		.impact = RT_IMPACT_##impact_, .command = (command_), \
		.source = (source_), __VA_ARGS__                      \
	}
/* A fact: read, and set by nobody. */
#define FACT(id, access_, source_, ...) \
	ROW(id, access_, LIVE, NULL, source_, .flags = RT_ROW_READ_ONLY, __VA_ARGS__)
/* FILE_ROW: a knob in a file; RAW: a vendor's knob, in the vendor's unit. */
#define FILE_ROW(id, access_, path_, source_, ...) \
	ROW(id, access_, LIVE, NULL, source_, .path = (path_), __VA_ARGS__)
#define RAW(name_, access_, path_, source_, ...)                                 \
	{                                                                        \
		.raw = (name_), .access = &rt_access_##access_, .path = (path_), \
		.source = (source_), __VA_ARGS__                                 \
	}
/* One whose unit nobody documents, or texts contradict. */
#define UNSURE(name_, access_, path_, source_, ...) \
	RAW(name_, access_, path_, source_, .flags = RT_ROW_UNSURE, __VA_ARGS__)

/* A parameter of a module: set when it is loaded, for the whole host. */
#define LOADED(module_, name_, source_)                                           \
	.path = "/sys/module/" module_ "/parameters/" name_, .source = (source_), \
	.access = &rt_access_module, .impact = RT_IMPACT_RELOAD,                  \
	.scope = RT_SCOPE_HOST,                                                   \
	.command = "options " module_ " " name_ "={value}    in /etc/modprobe.d"
#define LOADED_ROW(id, module_, name_, source_, ...)             \
	{                                                        \
		.knob = RT_KNOB_##id, .flags = RT_ROW_READ_ONLY, \
		LOADED(module_, name_, source_), __VA_ARGS__     \
	}
#define LOADED_RAW(module_, name_, source_, flags_)                   \
	{                                                             \
		.raw = (name_), .flags = RT_ROW_READ_ONLY | (flags_), \
		LOADED(module_, name_, source_)                       \
	}

#define US      .scale = 1000     /* microseconds */
#define MBPS    .scale = 1000000  /* megabits per second */
#define PERCENT .scale = 10000000 /* ppb */
#define OF_1024 .to_neutral = rt_conv_from_1024, .to_raw = rt_conv_to_1024
#define BIT     .max = 1

/* Parts of 1024, as ppb. */
int rt_conv_from_1024(uint64_t raw, uint64_t *ret_ppb);
int rt_conv_to_1024(uint64_t ppb, uint64_t *ret_raw);

/* Owner by a mode byte (linux/dcbnl.h): HOST, or LLD_MANAGED; else -EINVAL. */
int rt_conv_from_mode(uint64_t mode, uint64_t *ret_owner);

/* Settings of rdma_cm, which are the kernel's own and the same for every NIC. */
#define CM_PATH   "/sys/kernel/config/rdma_cm/{ib}/ports/{port}/"
#define CM_SOURCE "Linux Documentation/ABI/testing/configfs-rdma_cm"
extern const struct rt_name rt_cm_mode_words[];
#define RDMA_CM_ROWS                                                             \
	ROW(CM_TOS, configfs, LIVE, "cma_roce_tos -d {ib} -p {port} -t {value}", \
	    CM_SOURCE, .path = CM_PATH "default_roce_tos", .max = 255),          \
		ROW(CM_MODE, configfs_word, LIVE,                                \
		    "cma_roce_mode -d {ib} -p {port} -m {raw}", CM_SOURCE,       \
		    .path = CM_PATH "default_roce_mode", .min = 1, .max = 2,     \
		    .words = rt_cm_mode_words)

/* Lines of iproute2's dcb, for drivers whose own tool says no more. */
#define DCB_PFC \
	"dcb pfc set dev {net} prio-pfc all:off{pairs}" /* a blank before each */
#define DCB_PRIO_TC "dcb ets set dev {net} prio-tc {pairs}"
#define DCB_TSA     "dcb ets set dev {net} tc-tsa {pairs}"
#define DCB_BW      "dcb ets set dev {net} tc-bw {pairs}"
#define DCB_RATE    "dcb maxrate set dev {net} tc-maxrate {pairs}"
#define DCB_DSCP    "dcb app replace dev {net} dscp-prio {pairs}"
#define ETHTOOL_RX  "ethtool -A {net} rx {onoff}"
#define ETHTOOL_TX  "ethtool -A {net} tx {onoff}"

/*
 * Counters; ETHTOOL_FROM and RDMA_FROM of a file say where their names come from.
 * STAT(PFC_RX_FRAMES, "rx_prio%_pause"), HW_COUNTER(CNP_TX, "np_cnp_sent").
 */
#define COUNTER(id, source_, name_, ...)                                   \
	{                                                                  \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_##source_, \
		.name = (name_), __VA_ARGS__                               \
	}
#define STAT(id, name_, ...) \
	COUNTER(id, ETHTOOL, name_, .from = ETHTOOL_FROM, __VA_ARGS__)
#define HW_COUNTER(id, name_, ...) \
	COUNTER(id, RDMA, name_, .from = RDMA_FROM, __VA_ARGS__)
/* Only of drivers that fill them: what others leave alone reads as 0. */
#define DCB_COUNTERS(from_)                                             \
	COUNTER(PFC_RX_FRAMES, DCB, "indications[%]", .from = (from_)), \
		COUNTER(PFC_TX_FRAMES, DCB, "requests[%]", .from = (from_))
#define COUNTERS(rows_) .counters = { (rows_), RT_ARRAY_SIZE(rows_) }

/* What was before this change cannot be had again, and why. */
void rt_change_one_way(struct rt_plan *plan, struct rt_change *change, const char *why);

/*
 * -EPERM when the plan writes DCB that the NIC's firmware owns and keeps; remedy is
 * said behind it.
 */
int rt_refuse_firmware_dcb(const struct rt_host_port *port, const struct rt_plan *plan,
			   const char *remedy, struct rt_err *err);

/* The first change that DCB carries, or NULL: a plan without is none of DCB's. */
const struct rt_change *rt_plan_dcb_change(const struct rt_plan *plan);

/* The plan's step that changes this knob, or NULL. */
struct rt_step *rt_plan_step_of(struct rt_plan *plan, enum rt_knob_id id);

/* A host that owns DCB does not listen to the peer: willing follows from the owner. */
void rt_infer_willing(struct rt_qos *qos);

/* Trust is by DSCP while there is any entry; from the map (mlx5, ice). */
void rt_infer_trust(struct rt_qos *qos);

#endif
