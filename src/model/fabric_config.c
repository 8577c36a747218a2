/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fabric_config.c - what a fabric is like when nobody says otherwise, and how a
 * scenario's model section changes it.
 *
 * Defaults: ECN thresholds and increase steps grow with the link speed as in
 * alibaba-edu/High-Precision-Congestion-Control (Kmin 100 KB, Kmax 400 KB, Pmax
 * 20 %, R_AI 5 Mb/s, R_HAI 50 Mb/s per 25 Gb/s); the timers are those of its
 * Mellanox model; CNPs are real packets at most every 4 us per flow
 * (min_time_between_cnps of NVIDIA firmware).
 */
#include <errno.h>
#include <stdio.h>

#include "model/fabric_config.h"
#include "model/topology.h"
#include "rocetune/err.h"

#define KB   UINT64_C(1000)
#define MIB  (UINT64_C(1) << 20)
#define MBPS UINT64_C(1000000)
#define GBPS UINT64_C(1000000000)

#define DEFAULT_MTU        1024
#define DEFAULT_RESERVE    4096
#define DEFAULT_XON_OFFSET 3072
#define DEFAULT_QUANTA     65535
#define IRN_FEW_PACKETS    3 /* in flight: IRN's N (SIGCOMM 2018, section 3.1) */

const struct rt_wire_format rt_wire_formats[] = {
	/*
	 * Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4; RETH 16; ImmDt 4;
	 * AETH 4; a CNP carries 16 reserved bytes (IBTA A17.9.3); pause frames are padded
	 * to 64; preamble and start 8, gap 12 (IEEE 802.3).
	 */
	[RT_WIRE_ETHERNET] = { .data_overhead = 62,
			       .first_extra = 16,
			       .imm_bytes = 4,
			       .ack_bytes = 66,
			       .cnp_bytes = 78,
			       .pfc_bytes = 64,
			       .lead_bytes = 8,
			       .gap_bytes = 12 },
	/* PPP 14, IPv4 20, UDP 8, sequence header 6; a pause header of 12. */
	[RT_WIRE_HPCC] = { .data_overhead = 48,
			   .ack_bytes = 60,
			   .cnp_bytes = 60,
			   .pfc_bytes = 46 },
	[RT_WIRE_NS3_RDMA] = { .data_overhead = 20,
			       .ack_bytes = 28,
			       .cnp_bytes = 28,
			       .pfc_bytes = 28 },
};

static uint64_t speed_of(const struct rt_topology_spec *spec, unsigned role)
{
	return role == RT_PORT_UP || role == RT_PORT_SPINE ? spec->fabric_speed_bps
							   : spec->speed_bps;
}

static uint64_t scaled(uint64_t at_25g, uint64_t speed_bps)
{
	return at_25g * (speed_bps / MBPS) / 25000;
}

/* In flight both ways and while the peer reacts, and a frame just begun at each end. */
static uint64_t headroom_of(const struct rt_topology_spec *spec, unsigned role)
{
	const uint64_t speed_bps = speed_of(spec, role);
	const uint64_t delay_ps = role == RT_PORT_HOST ? spec->delay_ps
						       : spec->fabric_delay_ps;
	const uint64_t flight = (uint64_t)((unsigned __int128)delay_ps * 2 * speed_bps /
					   8000000000000);

	return flight + 60 * 64 + 3 * (DEFAULT_MTU + 128);
}

/* Ports of the largest switch, to size a buffer by. */
static uint64_t most_ports(const struct rt_topology_spec *spec)
{
	if (spec->kind == RT_TOPOLOGY_STAR)
		return spec->hosts;
	return spec->hosts + spec->spines > spec->leaves ? spec->hosts + spec->spines
							 : spec->leaves;
}

static void init_ports(struct rt_fabric_config *config,
		       const struct rt_scenario *scenario)
{
	const struct rt_topology_spec *spec = &scenario->topology;
	uint64_t largest = 0;

	for (unsigned role = RT_PORT_HOST; role < RT_PORT_ROLES; role++) {
		const uint64_t speed_bps = speed_of(spec, role);

		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			struct rt_pg_params *pg = &config->pg[role][prio];

			rt_red_init(&config->red[role][prio],
				    scaled(100 * KB, speed_bps),
				    scaled(400 * KB, speed_bps), 200000000);
			*pg = (struct rt_pg_params){
				.form = RT_BUFFER_SPLIT,
				.dynamic = true,
				.reserved_bytes = DEFAULT_RESERVE,
				.headroom_bytes = headroom_of(spec, role),
				.alpha_q32 = RT_BUFFER_ALPHA_ONE / 8,
				.xon_bytes = DEFAULT_XON_OFFSET,
			};
			if (pg->headroom_bytes > largest)
				largest = pg->headroom_bytes;
		}
	}
	config->egress = (struct rt_egress_params){ .dynamic = true,
						    .alpha_q32 = RT_BUFFER_ALPHA_ONE };
	config->buffer_bytes = 32 * MIB;
	if (most_ports(spec) * (largest + DEFAULT_RESERVE) * 2 > config->buffer_bytes)
		config->buffer_bytes = most_ports(spec) * (largest + DEFAULT_RESERVE) *
				       2;
}

static void init_laws(struct rt_fabric_config *config, uint64_t speed_bps)
{
	const struct rt_dcqcn_set *set = rt_dcqcn_set_find("hpcc-mlx-100g");

	config->rp = set->rp;
	config->rp.line_rate_bps = speed_bps;
	config->rp.min_rate_bps = speed_bps / 100;
	config->rp.ai_rate_bps = scaled(5 * MBPS, speed_bps);
	config->rp.hai_rate_bps = scaled(50 * MBPS, speed_bps);
	config->np = (struct rt_np_params){ .interval_ps = 4 * RT_PS_PER_US,
					    .pacing = RT_NP_MIN_GAP };
	config->rc = (struct rt_rc_params){ .ack_every = 16,
					    .retry_limit = 7,
					    .timeout_ps = rt_rc_timeout_ps(10) };
}

void rt_fabric_config_classes(struct rt_fabric_config *config)
{
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (config->other_prios >> prio & 1 && prio != config->data_prio &&
		    prio != config->cnp_prio)
			continue;
		for (unsigned role = 0; role < RT_PORT_ROLES; role++) {
			config->pg[role][prio].lossless = prio == config->data_prio;
			config->ecn[role][prio] = prio == config->data_prio;
		}
		config->queues[prio] = (struct rt_queue_config){
			.strict = prio == config->cnp_prio && prio != config->data_prio,
			.weight = 1,
		};
	}
}

void rt_fabric_config_init(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario)
{
	*config = (struct rt_fabric_config){
		.wire = rt_wire_formats[RT_WIRE_ETHERNET],
		.mtu_bytes = DEFAULT_MTU,
		.data_prio = 3,
		.cnp_prio = 6,
		.data_dscp = 26,
		.cnp_dscp = 48,
		.pause_quanta = DEFAULT_QUANTA,
	};
	init_ports(config, scenario);
	init_laws(config, scenario->topology.speed_bps);
	rt_fabric_config_classes(config);
}

/* --- the model section -------------------------------------------------- */

static void take_u64(uint64_t *to, const struct rt_opt_u64 *from)
{
	if (from->known)
		*to = from->value;
}

static void take_u32(uint32_t *to, const struct rt_opt_u64 *from)
{
	if (from->known)
		*to = (uint32_t)from->value;
}

static void take_share(double *to, const struct rt_opt_u64 *from)
{
	if (from->known)
		*to = (double)from->value / RT_PPB;
}

/*
 * Gains are powers of two in NICs and models, and the smaller ones are no whole number
 * of ppb: what comes nearest to one is meant to be it.
 */
static void take_gain(double *to, const struct rt_opt_u64 *from)
{
	take_share(to, from);
	for (unsigned bits = 0; from->known && bits <= 16; bits++) {
		const double power = 1.0 / (double)(1u << bits);
		const double off_ppb = (double)from->value - RT_PPB * power;

		if (off_ppb > -1 && off_ppb < 1)
			*to = power;
	}
}

static int take_set(struct rt_fabric_config *config, const struct rt_model_spec *model,
		    struct rt_err *err)
{
	const uint64_t line_rate_bps = config->rp.line_rate_bps;
	const struct rt_dcqcn_set *set;

	if (!*model->dcqcn)
		return 0;
	set = rt_dcqcn_set_find(model->dcqcn);
	if (!set)
		return rt_err_set(err, -EINVAL, "no DCQCN set is called '%s'",
				  model->dcqcn);
	config->rp = set->rp;
	config->np = set->np;
	config->rp.line_rate_bps = line_rate_bps;
	return 0;
}

static void take_options(struct rt_fabric_config *config, unsigned options)
{
	config->options |= options;
	if (options & RT_MODEL_NS3_ORDER)
		config->rp.options |= RT_RP_CHECKS_RUN;
	if (options & RT_MODEL_NS3_ORDER)
		config->options |= RT_MODEL_PENDING_SEND_STAYS;
	if (options & RT_MODEL_ALPHA_FIRST)
		config->rp.reaction = RT_RP_ALPHA_FIRST;
	if (options & RT_MODEL_MLX_TIMERS) {
		config->rp.reaction = RT_RP_MLX;
		config->rp.increase = RT_RP_STAGES;
		config->rp.clamp = RT_RP_CLAMP_AFTER_INCREASE;
		config->rp.byte_counter_bytes = 0;
	}
	if (options & RT_MODEL_NP_TICK)
		config->np.pacing = RT_NP_TICK;
	if (options & RT_MODEL_QCN_HERITAGE)
		config->rp.options |= RT_RP_TARGET_EIGHTH | RT_RP_HYPER_HALF |
				      RT_RP_HYPER_BY_TIMER | RT_RP_TARGET_FREE;
}

/* An interval asked for is kept, also where a set or a profile paces nothing. */
static void take_pace(struct rt_fabric_config *config, const struct rt_opt_u64 *from)
{
	take_u64(&config->np.interval_ps, from);
	if (from->known && from->value && config->np.pacing == RT_NP_EVERY)
		config->np.pacing = config->rp.reaction == RT_RP_PAPER ? RT_NP_PAPER
								       : RT_NP_MIN_GAP;
}

static void take_laws(struct rt_fabric_config *config,
		      const struct rt_model_spec *model)
{
	struct rt_rp_params *rp = &config->rp;

	take_u32(&config->mtu_bytes, &model->mtu_bytes);
	take_u32(&config->rc.ack_every, &model->ack_packets);
	take_u64(&config->rc.timeout_ps, &model->rto_ps);
	take_u64(&config->window_bytes, &model->window_bytes);
	take_u64(&config->rc.timeout_low_ps, &model->rto_low_ps);
	take_u64(&config->rc.nak_repeat_ps, &model->nak_repeat_ps);
	take_u32(&config->rc.retry_limit, &model->retries);
	if (model->options & RT_MODEL_SELECTIVE_REPEAT) {
		config->rc.recovery = RT_RC_SELECTIVE_REPEAT;
		config->rc.window_packets = rt_rc_bitmap_bits(
			(uint32_t)(config->window_bytes / config->mtu_bytes + 1));
		config->rc.timeout_low_packets = IRN_FEW_PACKETS;
	}
	take_pace(config, &model->cnp_interval_ps);
	take_gain(&rp->g, &model->g_ppb);
	take_share(&rp->rp_alpha, &model->initial_alpha_ppb);
	take_u64(&rp->alpha_interval_ps, &model->alpha_interval_ps);
	take_u64(&rp->decrease_interval_ps, &model->cut_interval_ps);
	take_u64(&rp->increase_interval_ps, &model->timer_ps);
	take_u64(&rp->byte_counter_bytes, &model->byte_counter_bytes);
	take_u32(&rp->fast_recovery, &model->fast_recovery);
	take_u64(&rp->ai_rate_bps, &model->rai_bps);
	take_u64(&rp->hai_rate_bps, &model->rhai_bps);
	take_u64(&rp->min_rate_bps, &model->min_rate_bps);
}

static void take_red(struct rt_red *red, const struct rt_model_spec *model)
{
	uint64_t kmin = red->kmin_bytes, kmax = red->kmax_bytes;
	double pmax = red->slope_per_byte * (double)(kmax - kmin);

	take_u64(&kmin, &model->kmin_bytes);
	take_u64(&kmax, &model->kmax_bytes);
	take_share(&pmax, &model->pmax_ppb);
	rt_red_init(red, kmin, kmax, (uint64_t)(pmax * RT_PPB + 0.5));
}

/* Where the model sets one threshold, profile or defaults have the other. */
static int check_red(const struct rt_fabric_config *config,
		     const struct rt_model_spec *model, struct rt_err *err)
{
	const struct rt_opt_u64 *kmin = &model->kmin_bytes, *kmax = &model->kmax_bytes;

	for (unsigned role = RT_PORT_HOST; role < RT_PORT_ROLES; role++) {
		const struct rt_red *red = &config->red[role][config->data_prio];
		char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];

		if (kmin->known == kmax->known ||
		    (kmin->known ? kmin->value <= red->kmax_bytes
				 : kmax->value >= red->kmin_bytes))
			continue;
		return rt_err_set(
			err, -EINVAL,
			"model.%s: kmin %s is above kmax %s, %s from the "
			"profile or the simulator: set both",
			kmin->known ? "kmin" : "kmax",
			rt_unit_format(RT_UNIT_BYTES,
				       kmin->known ? kmin->value : red->kmin_bytes,
				       low),
			rt_unit_format(RT_UNIT_BYTES,
				       kmax->known ? kmax->value : red->kmax_bytes,
				       high),
			kmin->known ? "the latter" : "the former");
	}
	return 0;
}

static void take_pg(struct rt_pg_params *pg, const struct rt_model_spec *model)
{
	if (model->options & RT_MODEL_POOL_COUNTS_ALL)
		pg->form = RT_BUFFER_COUNTED;
	if (model->buffer_alpha_ppb.known)
		pg->alpha_q32 = rt_buffer_alpha_from_ppb(model->buffer_alpha_ppb.value);
	if (model->xoff_bytes.known) {
		pg->dynamic = false;
		pg->xoff_bytes = model->xoff_bytes.value;
	}
	take_u64(&pg->headroom_bytes, &model->headroom_bytes);
	take_u64(&pg->reserved_bytes, &model->reserve_bytes);
	take_u64(&pg->xon_bytes, &model->xon_offset_bytes);
}

static void take_switch(struct rt_fabric_config *config,
			const struct rt_model_spec *model)
{
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			take_red(&config->red[role][prio], model);
			take_pg(&config->pg[role][prio], model);
		}
	take_u64(&config->buffer_bytes, &model->buffer_bytes);
	if (model->pool_bytes.known)
		config->pool_bytes = model->pool_bytes;
	if (model->pause_quanta.known)
		config->pause_quanta = (uint16_t)model->pause_quanta.value;
	take_u64(&config->pause_refresh_ps, &model->pause_refresh_ps);
	if (model->pfc_reaction_ps.known)
		config->pfc_reaction_ps = model->pfc_reaction_ps;
}

static void take_classes(struct rt_fabric_config *config,
			 const struct rt_model_spec *model)
{
	if (model->data_prio.known)
		config->data_prio = (uint8_t)model->data_prio.value;
	if (model->cnp_prio.known)
		config->cnp_prio = (uint8_t)model->cnp_prio.value;
	config->ack_prio = model->ack_prio;
	if (model->data_prio.known || model->cnp_prio.known)
		rt_fabric_config_classes(config);
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			if (model->options & RT_MODEL_NO_PFC)
				config->pg[role][prio].lossless = false;
			if (model->options & RT_MODEL_NO_ECN)
				config->ecn[role][prio] = false;
		}
}

/* A cut must be able to lower a rate; who set the floor is not known here. */
static int check_floor(const struct rt_rp_params *rp, struct rt_err *err)
{
	char min[RT_UNIT_TEXT_BYTES], line[RT_UNIT_TEXT_BYTES];

	if (rp->min_rate_bps < rp->line_rate_bps)
		return 0;
	return rt_err_set(err, -EINVAL,
			  "min_rate %s, of the profile or the DCQCN set, is not below "
			  "the line rate %s: no cut would have an effect; set "
			  "model.min_rate",
			  rt_unit_format(RT_UNIT_BPS, rp->min_rate_bps, min),
			  rt_unit_format(RT_UNIT_BPS, rp->line_rate_bps, line));
}

/* Keys that have no effect on the laws as profile, set and options leave them. */
static int check_laws(struct rt_fabric_config *config,
		      const struct rt_model_spec *model, struct rt_err *err)
{
	if (config->np.pacing == RT_NP_TICK && !config->np.interval_ps)
		return rt_err_set(err, -EINVAL,
				  "model: np_tick with a cnp_interval of 0");
	if (model->cut_interval_ps.known && config->rp.reaction != RT_RP_MLX)
		return rt_err_set(err, -EINVAL,
				  "model.cut_interval: every CNP cuts, no timer does: "
				  "leave it out or add option mlx_timers");
	if (!(config->options & RT_MODEL_NO_CC))
		return check_floor(&config->rp, err);
	if (config->rp.min_rate_bps > config->rp.line_rate_bps)
		config->rp.min_rate_bps = config->rp.line_rate_bps;
	return 0;
}

/* Where the model sets one of pool and buffer, the profile may have the other. */
static int check_pool(const struct rt_fabric_config *config,
		      const struct rt_model_spec *model, struct rt_err *err)
{
	char pool[RT_UNIT_TEXT_BYTES], buffer[RT_UNIT_TEXT_BYTES];

	if (!config->pool_bytes.known ||
	    config->pool_bytes.value <= config->buffer_bytes)
		return 0;
	return rt_err_set(
		err, -EINVAL,
		"%s: pool %s is above buffer %s: set both model.pool and model.buffer",
		model->pool_bytes.known     ? "model.pool"
		: model->buffer_bytes.known ? "model.buffer"
					    : "the profile's pool",
		rt_unit_format(RT_UNIT_BYTES, config->pool_bytes.value, pool),
		rt_unit_format(RT_UNIT_BYTES, config->buffer_bytes, buffer));
}

int rt_fabric_config_model(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario, struct rt_err *err)
{
	const struct rt_model_spec *model = &scenario->model;
	int r = take_set(config, model, err);

	if (r == 0)
		r = check_red(config, model, err);
	if (r < 0)
		return r;
	config->wire = rt_wire_formats[model->wire];
	take_options(config, model->options);
	take_laws(config, model);
	take_switch(config, model);
	take_classes(config, model);
	if (model->data_prio.known != model->cnp_prio.known &&
	    config->data_prio == config->cnp_prio)
		return rt_err_set(err, -EINVAL,
				  "model.%s: data and CNPs would share priority %u: "
				  "set both data_prio and cnp_prio",
				  model->data_prio.known ? "data_prio" : "cnp_prio",
				  config->data_prio);
	r = check_pool(config, model, err);
	if (r == 0)
		r = check_laws(config, model, err);
	return r < 0 ? r : rt_rp_params_check(&config->rp, err);
}
