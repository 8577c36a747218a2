/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fabric_config.h - how switches and NICs of a fabric behave: the parameters of the
 * laws in cc, of every port role and priority.
 *
 * Made of a scenario and a profile; the simulator runs it in packet time, the lab in
 * real time.
 */
#ifndef RT_MODEL_FABRIC_CONFIG_H
#define RT_MODEL_FABRIC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "cc/buffer.h"
#include "cc/dcqcn.h"
#include "cc/rc.h"
#include "cc/red.h"
#include "cc/sched.h"
#include "rocetune/frame.h"
#include "rocetune/scenario.h"

struct rt_err;

#define RT_PORT_ROLES 4 /* enum rt_port_role of model/topology.h */

/* Bytes of each kind of frame; frame is what buffers count. */
struct rt_wire_format {
	uint32_t data_overhead; /* frame - payload */
	uint32_t first_extra;   /* of a WRITE's first packet (RETH) */
	uint32_t imm_bytes;     /* immediate data, of a message's last packet */
	uint32_t ack_bytes, cnp_bytes, pfc_bytes;
	uint32_t lead_bytes; /* before a frame: preamble and SFD */
	uint32_t gap_bytes;  /* after it: the inter-frame gap */
};

/* In the order of enum rt_wire_id. */
extern const struct rt_wire_format rt_wire_formats[];

/* A class of the profile, as flows need it. */
struct rt_fabric_class {
	char name[RT_WORKLOAD_NAME_BYTES];
	uint64_t dscp_mask; /* bit n: DSCP n is of this class; 0: not said */
	uint8_t prio;
	uint8_t dscp; /* that its flows carry */
	bool not_ect;
};

#define RT_FABRIC_CLASSES 16u

struct rt_fabric_config {
	struct rt_wire_format wire;
	unsigned options; /* enum rt_model_option */
	uint32_t mtu_bytes;
	uint64_t window_bytes; /* 0: none */
	uint8_t data_prio, cnp_prio;
	struct rt_opt_u64 ack_prio; /* unknown: that of the data */
	uint8_t other_prios; /* bit n: priority n is neither, and a class of its own */
	uint8_t data_dscp, cnp_dscp; /* in captures */
	bool not_ect;                /* data cannot be marked */
	struct rt_fabric_class classes[RT_FABRIC_CLASSES];
	unsigned class_count; /* 0 without a profile */
	struct rt_rp_params rp;
	struct rt_np_params np;
	struct rt_rc_params rc;
	bool ecn[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_red red[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_pg_params pg[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_egress_params egress; /* of lossy classes */
	struct rt_queue_config queues[RT_QUEUES];
	uint64_t buffer_bytes;          /* of a switch */
	uint64_t shared_headroom_bytes; /* 0: every ingress and priority has its own */
	/* Of each group's headroom, what lies beside the buffer (lab/scale.h). */
	uint64_t headroom_beside_bytes[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_opt_u64 pool_bytes; /* unknown: buffer less all guarantees */
	uint16_t pause_quanta;
	uint64_t pause_refresh_ps;         /* 0: half of the quanta's time */
	struct rt_opt_u64 pfc_reaction_ps; /* unknown: 60 quanta of the link */
	char assumed[160]; /* for the result: what a profile left open */
};

/*
 * Defaults for a scenario's links: DCQCN and ECN as HPCC's authors scale them
 * with speed, a 32 MiB shared buffer at alpha 1/8, headroom for the longest
 * cable, PFC on the data priority.
 */
void rt_fabric_config_init(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario);

/*
 * Classes as they are by default: data lossless and marked, CNPs strict before
 * all else unless they share the data's priority.  Those of other_prios are left.
 */
void rt_fabric_config_classes(struct rt_fabric_config *config);

/* Bit n: priority n must not lose anything on hosts' links, since PFC is on for it. */
uint8_t rt_fabric_config_lossless(const struct rt_fabric_config *config);

/* The priority that a DSCP is given on the path: by class, else its upper three bits. */
uint8_t rt_fabric_config_prio(const struct rt_fabric_config *config, uint8_t dscp);
/* And the DSCP that is usual for a priority. */
uint8_t rt_fabric_config_dscp(const struct rt_fabric_config *config, uint8_t prio);

/* What the data of a workload's flows carries. */
struct rt_flow_marks {
	uint8_t prio, dscp;
	uint8_t ecn; /* enum rt_ecn */
};

/*
 * Of workload index of the scenario, under a config that is complete.  Without class,
 * prio and dscp its flows are data.  Everybody who makes traffic of a scenario asks
 * here, so that one file means the same everywhere.
 * -EINVAL: no such class; a DSCP that is not of the priority.
 */
int rt_fabric_config_marks(const struct rt_fabric_config *config,
			   const struct rt_scenario *scenario, size_t index,
			   struct rt_flow_marks *ret_marks, struct rt_err *err);

/*
 * Let the scenario's model section have the last word.
 * -EINVAL: an unknown dcqcn set, or parameters that contradict one another.
 */
int rt_fabric_config_model(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario, struct rt_err *err);

#endif
