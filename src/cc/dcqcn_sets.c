/* SPDX-License-Identifier: BSD-2-Clause */
/* dcqcn_sets.c - parameter sets by name. */
#include "cc/dcqcn.h"

#include <string.h>

#define MBPS 1000000ull
#define GBPS 1000000000ull
#define US   RT_PS_PER_US

/* The parts of the hpcc rows that do not differ. */
#define HPCC_RP                                                            \
	.line_rate_bps = 100 * GBPS, .min_rate_bps = 1000 * MBPS,          \
	.ai_rate_bps = 20 * MBPS, .hai_rate_bps = 200 * MBPS,              \
	.decrease_offset_ps = RT_PS_PER_NS, .g = 1.0 / 256, .rp_alpha = 1, \
	.cut_scale = 0.5, .fast_recovery = 1, .reaction = RT_RP_MLX,       \
	.increase = RT_RP_STAGES, .clamp = RT_RP_CLAMP_AFTER_INCREASE

const struct rt_dcqcn_set rt_dcqcn_sets[] = {
	{ .name = "paper-40g",
	  .source = "Zhu et al., SIGCOMM 2015, sections 3 and 6; floor 100 Mb/s and "
		    "R_HAI 200 Mb/s from bobzhuyb/ns3-rdma",
	  .rp = { .line_rate_bps = 40 * GBPS,
		  .min_rate_bps = 100 * MBPS,
		  .ai_rate_bps = 40 * MBPS,
		  .hai_rate_bps = 200 * MBPS,
		  .alpha_interval_ps = 55 * US,
		  .increase_interval_ps = 55 * US,
		  .byte_counter_bytes = 10000000,
		  .g = 1.0 / 256,
		  .rp_alpha = 1,
		  .cut_scale = 0.5,
		  .fast_recovery = 5,
		  .reaction = RT_RP_PAPER },
	  .np = { .interval_ps = 50 * US, .pacing = RT_NP_PAPER } },
	{ .name = "msft-40g",
	  .source = "bobzhuyb/ns3-rdma at e8a27d0, the authors' simulator",
	  .rp = { .line_rate_bps = 40 * GBPS,
		  .min_rate_bps = 100 * MBPS,
		  .ai_rate_bps = 40 * MBPS,
		  .hai_rate_bps = 200 * MBPS,
		  .alpha_interval_ps = 55 * US,
		  .increase_interval_ps = 55 * US,
		  .byte_counter_bytes = 10000000,
		  .g = 1.0 / 256,
		  .rp_alpha = 0.5,
		  .cut_scale = 0.5,
		  .fast_recovery = 5,
		  .reaction = RT_RP_ALPHA_FIRST,
		  .options = RT_RP_TARGET_EIGHTH | RT_RP_HYPER_HALF |
			     RT_RP_HYPER_BY_TIMER | RT_RP_TARGET_FREE },
	  .np = { .interval_ps = 50 * US, .pacing = RT_NP_TICK } },
	{ .name = "hpcc-mlx-100g",
	  .source = "alibaba-edu/High-Precision-Congestion-Control at 9f4be2a, run.py "
		    "--cc dcqcn --bw 100",
	  .rp = { HPCC_RP, .alpha_interval_ps = 1 * US, .decrease_interval_ps = 4 * US,
		  .increase_interval_ps = 300 * US },
	  .np = { .pacing = RT_NP_EVERY } },
	{ .name = "hpcc-paper-100g",
	  .source = "alibaba-edu/High-Precision-Congestion-Control at 9f4be2a, run.py "
		    "--cc dcqcn_paper --bw 100",
	  .rp = { HPCC_RP, .alpha_interval_ps = 50 * US,
		  .decrease_interval_ps = 50 * US, .increase_interval_ps = 55 * US },
	  .np = { .pacing = RT_NP_EVERY } },
	{ .name = "nvidia-100g",
	  .source = "NVIDIA DOCA documentation, DCQCN CC Parameters (defaults of a "
		    "recent firmware; they move, read them from the device); the "
		    "unit of rpg_byte_reset is taken as bytes",
	  .rp = { .line_rate_bps = 100 * GBPS,
		  .min_rate_bps = 1 * MBPS,
		  .ai_rate_bps = 5 * MBPS,
		  .hai_rate_bps = 50 * MBPS,
		  .alpha_interval_ps = 1 * US,
		  .decrease_interval_ps = 4 * US,
		  .increase_interval_ps = 300 * US,
		  .byte_counter_bytes = 32767,
		  .g = 5.0 / 1024,
		  .rp_alpha = 1023.0 / 1024,
		  .cut_scale = 0.5,
		  .min_keep = 0.5,
		  .fast_recovery = 1,
		  .reaction = RT_RP_MLX,
		  .clamp = RT_RP_CLAMP_AFTER_INCREASE },
	  .np = { .interval_ps = 4 * US, .pacing = RT_NP_MIN_GAP } },
	{ 0 },
};

const struct rt_dcqcn_set *rt_dcqcn_set_find(const char *name)
{
	for (const struct rt_dcqcn_set *set = rt_dcqcn_sets; set->name; set++)
		if (!strcmp(set->name, name))
			return set;
	return NULL;
}
