/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sim_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/fabric_config.h"
#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "rocetune/scenario.h"
#include "run/profile.h"

#define PS_PER_MM       5 /* light in fibre and copper alike: 5 ns a metre */
#define CNP_BURST_BYTES 8192

/* --- which class, which priority ---------------------------------------- */

static bool is_data(const struct rt_class *class)
{
	return rt_setting_or(&class->kind, RT_CLASS_DATA) == RT_CLASS_DATA;
}

static const struct rt_class *data_class(const struct rt_profile *profile)
{
	const struct rt_class *marked = NULL, *first = NULL;

	for (size_t i = 0; i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		if (!is_data(class))
			continue;
		if (rt_class_is_lossless(class))
			return class;
		if (!marked && rt_setting_known(&class->at[RT_ROLE_HOST].kmin))
			marked = class;
		if (!first)
			first = class;
	}
	return marked ? marked : first;
}

/* Of a lossless class its PFC number; else whatever tells it from the others. */
static uint8_t prio_of(const struct rt_class *class, uint8_t otherwise)
{
	uint64_t prio = rt_setting_or(&class->queue, otherwise);

	prio = rt_setting_or(&class->tc, prio);
	prio = rt_setting_or(&class->prio, prio);
	return (uint8_t)(prio & 7);
}

static uint8_t dscp_of(const struct rt_class *class, uint8_t otherwise)
{
	const uint64_t mask = rt_setting_or(&class->dscp, 0);

	return mask ? (uint8_t)__builtin_ctzll(mask) : otherwise;
}

/* --- the laws ----------------------------------------------------------- */

static void take(uint64_t *to, const struct rt_setting *from, uint64_t scale)
{
	if (rt_setting_known(from))
		*to = from->number * scale;
}

static void take_share(double *to, const struct rt_setting *from)
{
	if (rt_setting_known(from))
		*to = (double)from->number / RT_PPB;
}

/*
 * A NIC whose alpha moves more often than it cuts works on timers, as NVIDIA's
 * firmware does; where both have the pace of CNPs, each CNP cuts, as in the
 * paper.  Without a byte counter increases are counted in one stage.
 */
static void take_form(const struct rt_profile_rp *from, struct rt_rp_params *rp)
{
	if (rt_setting_known(&from->alpha_timer) &&
	    rt_setting_known(&from->reduce_gap)) {
		const bool timers = from->alpha_timer.number < from->reduce_gap.number;

		rp->reaction = timers ? RT_RP_MLX : RT_RP_PAPER;
		rp->clamp = timers ? RT_RP_CLAMP_AFTER_INCREASE : RT_RP_CLAMP_ALWAYS;
	}
	if (rt_setting_known(&from->byte_counter))
		rp->increase = from->byte_counter.number ? RT_RP_COUNTERS
							 : RT_RP_STAGES;
	if (rt_setting_known(&from->clamp_target) && from->clamp_target.number)
		rp->clamp = RT_RP_CLAMP_ALWAYS;
}

static void take_rp(const struct rt_profile_rp *from, struct rt_rp_params *rp)
{
	uint64_t rounds = rp->fast_recovery;

	take_share(&rp->g, &from->g);
	take_share(&rp->rp_alpha, &from->initial_alpha);
	take(&rp->alpha_interval_ps, &from->alpha_timer, 1000);
	take(&rp->increase_interval_ps, &from->rate_timer, 1000);
	take(&rp->decrease_interval_ps, &from->reduce_gap, 1000);
	take(&rp->byte_counter_bytes, &from->byte_counter, 1);
	take(&rounds, &from->fast_recovery, 1);
	rp->fast_recovery = (uint32_t)rounds;
	take(&rp->ai_rate_bps, &from->ai, 1);
	take(&rp->hai_rate_bps, &from->hai, 1);
	take(&rp->min_rate_bps, &from->min_rate, 1);
	take(&rp->rate_on_first_cnp_bps, &from->first_cnp_rate, 1);
	take_share(&rp->min_keep, &from->min_dec);
	take_form(from, rp);
}

static int take_host(const struct rt_profile *profile, struct rt_fabric_config *config,
		     struct rt_err *err)
{
	const struct rt_setting *algorithm = &profile->host.algorithm;
	const struct rt_setting *interval = &profile->host.np.cnp_interval;

	switch (rt_setting_or(algorithm, RT_CC_DCQCN)) {
	case RT_CC_NONE: config->options |= RT_MODEL_NO_CC; break;
	case RT_CC_DCQCN:
	case RT_CC_DCQCN_P: break;
	default:
		return rt_err_set(
			err, -EOPNOTSUPP,
			"the profile's algorithm %s is not simulated, only dcqcn "
			"and none are",
			algorithm->text ? algorithm->text : "");
	}
	take_rp(&profile->host.rp, &config->rp);
	if (rt_setting_known(interval)) {
		config->np.interval_ps = interval->number * 1000;
		config->np.pacing = config->rp.reaction == RT_RP_PAPER ? RT_NP_PAPER
								       : RT_NP_MIN_GAP;
		if (!interval->number)
			config->np.pacing = RT_NP_EVERY;
	}
	if (profile->host.rp.enable.state == RT_SETTING_VALUE &&
	    !profile->host.rp.enable.number)
		config->options |= RT_MODEL_NO_CC;
	return 0;
}

/* --- the switch --------------------------------------------------------- */

static void take_role(const struct rt_class *class, const struct rt_class_role *from,
		      struct rt_pg_params *pg, struct rt_red *red)
{
	pg->lossless = rt_class_is_lossless(class);
	take(&pg->headroom_bytes, &from->headroom, 1);
	if (rt_setting_known(&from->buffer_alpha)) {
		pg->dynamic = true;
		pg->alpha_q32 = rt_buffer_alpha_from_ppb(from->buffer_alpha.number);
	}
	if (rt_setting_known(&from->xoff)) {
		pg->dynamic = false;
		pg->xoff_bytes = from->xoff.number;
		if (rt_setting_known(&from->xon) && from->xon.number <= pg->xoff_bytes)
			pg->xon_bytes = pg->xoff_bytes - from->xon.number;
	}
	if (rt_setting_known(&from->kmin) && rt_setting_known(&from->kmax))
		rt_red_init(red, from->kmin.number, from->kmax.number,
			    rt_setting_or(&from->pmax, RT_PPB));
}

static void take_class(const struct rt_class *class, unsigned prio,
		       struct rt_fabric_config *config)
{
	static const unsigned roles[RT_ROLE_COUNT] = { [RT_ROLE_HOST] = RT_PORT_HOST,
						       [RT_ROLE_UP] = RT_PORT_UP,
						       [RT_ROLE_SPINE] =
							       RT_PORT_SPINE };

	for (unsigned i = 0; i < RT_ROLE_COUNT; i++)
		take_role(class, &class->at[i], &config->pg[roles[i]][prio],
			  &config->red[roles[i]][prio]);
}

static void take_sched(const struct rt_class *class, struct rt_queue_config *queue,
		       uint64_t speed_bps)
{
	uint64_t weight = rt_setting_or(&class->sched.ets, 1);

	weight = rt_setting_or(&class->sched.dwrr, weight);
	queue->strict = rt_setting_known(&class->sched.strict);
	queue->weight = weight ? (uint32_t)weight : 1;
	take(&queue->max_rate_bps, &class->sched.max_rate, 1);
	if (rt_setting_known(&class->sched.max_share))
		queue->max_rate_bps = (uint64_t)((double)speed_bps *
						 (double)class->sched.max_share.number /
						 RT_PPB);
	if (queue->max_rate_bps)
		queue->burst_bytes = CNP_BURST_BYTES;
}

static void take_pool(const struct rt_profile *profile, struct rt_fabric_config *config)
{
	const struct rt_profile_pool *pool = &profile->sw.pool;
	const uint64_t partitions = rt_setting_or(&pool->partitions, 1);

	take(&config->buffer_bytes, &pool->buffer, 1);
	take(&config->shared_headroom_bytes, &pool->shared_headroom, 1);
	if (rt_setting_known(&pool->lossless))
		config->pool_bytes = RT_KNOWN_U64(pool->lossless.number);
	/* The fabric's switches have few ports: they lie in one partition. */
	config->buffer_bytes /= partitions;
	config->shared_headroom_bytes /= partitions;
	config->pool_bytes.value /= partitions;
}

static void take_cnp(const struct rt_profile *profile, struct rt_fabric_config *config)
{
	const struct rt_class *class = rt_profile_class_of_kind(profile, RT_CLASS_CNP);
	const struct rt_profile_np *np = &profile->host.np;

	if (rt_setting_known(&np->cnp_prio))
		config->cnp_prio = (uint8_t)(np->cnp_prio.number & 7);
	if (rt_setting_known(&np->cnp_dscp))
		config->cnp_dscp = (uint8_t)(np->cnp_dscp.number & 63);
	if (!class)
		return;
	config->cnp_prio = prio_of(class, config->cnp_prio);
	config->cnp_dscp = dscp_of(class, config->cnp_dscp);
	if (config->cnp_prio != config->data_prio)
		take_sched(class, &config->queues[config->cnp_prio],
			   config->rp.line_rate_bps);
}

/* --- the other classes ------------------------------------------------------ */

static bool is_not_ect(const struct rt_class *class)
{
	return rt_setting_or(&class->ect, RT_ECT_NIC) == RT_ECT_NO;
}

/* Where a class has no number for its priority, its DSCP has, or nobody. */
static void list_classes(const struct rt_profile *profile,
			 struct rt_fabric_config *config)
{
	_Static_assert(RT_FABRIC_CLASSES >= RT_CLASS_MAX, "every class is listed");

	for (size_t i = 0; i < profile->class_count; i++) {
		const struct rt_class *from = &profile->classes[i];
		struct rt_fabric_class *to = &config->classes[config->class_count++];
		const uint8_t selector = dscp_of(from, 0) >> 3;

		snprintf(to->name, sizeof(to->name), "%s", from->name);
		to->dscp_mask = rt_setting_or(&from->dscp, 0);
		to->prio = prio_of(from, selector);
		to->dscp = dscp_of(from, (uint8_t)(to->prio << 3));
		to->not_ect = is_not_ect(from);
	}
}

/* Bit n: flows of a workload, or ACKs, are of priority n, and data's is another. */
static int other_prios(const struct rt_fabric_config *config,
		       const struct rt_scenario *scenario, unsigned *ret_mask,
		       struct rt_err *err)
{
	const struct rt_opt_u64 *ack_prio = &scenario->model.ack_prio;
	unsigned mask = ack_prio->known ? 1u << ack_prio->value : 0;

	for (size_t i = 0; i < scenario->workload_count; i++) {
		struct rt_flow_marks marks;
		int r = rt_fabric_config_marks(config, scenario, i, &marks, err);

		if (r < 0)
			return r;
		mask |= 1u << marks.prio;
	}
	*ret_mask = mask & ~(1u << config->data_prio);
	return 0;
}

/*
 * What else sends is treated as the profile has it: PFC, thresholds, its turn at the
 * port.  Classes that nobody sends in are left out, as if the switch had none.
 */
static int take_others(const struct rt_profile *profile,
		       const struct rt_scenario *scenario,
		       struct rt_fabric_config *config, struct rt_err *err)
{
	unsigned mask = 0;
	int r = other_prios(config, scenario, &mask, err);

	for (size_t i = 0; r == 0 && i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];
		const unsigned prio = config->classes[i].prio;

		if (!(mask >> prio & 1))
			continue;
		mask &= ~(1u << prio); /* the first class of a priority has it */
		config->other_prios |= (uint8_t)(1u << prio);
		take_class(class, prio, config);
		for (unsigned role = 0; role < RT_PORT_ROLES; role++)
			config->ecn[role][prio] = rt_setting_known(
				&class->at[RT_ROLE_HOST].kmin);
		if (prio != config->cnp_prio)
			take_sched(class, &config->queues[prio],
				   config->rp.line_rate_bps);
	}
	return r;
}

void rt_sim_profile_links(const struct rt_profile *profile,
			  struct rt_scenario *scenario)
{
	const struct rt_role_ports *host = &profile->sw.roles[RT_ROLE_HOST];
	struct rt_topology_spec *topology = &scenario->topology;

	take(&topology->speed_bps, &profile->match.speed, 1);
	take(&topology->speed_bps, &host->speed, 1);
	take(&topology->delay_ps, &host->cable, PS_PER_MM);
}

/*
 * "ECN thresholds, buffer": what profile and class do not say, less what the model
 * section sets or has no use for.
 */
static void list_assumed(const struct rt_profile *profile, const struct rt_class *class,
			 const struct rt_model_spec *model, char *assumed, size_t bytes)
{
	const struct rt_class_role *host = &class->at[RT_ROLE_HOST];
	const struct rt_profile_rp *rp = &profile->host.rp;
	const unsigned options = model->options;
	const bool lossless = rt_class_is_lossless(class) &&
			      !(options & RT_MODEL_NO_PFC);
	const bool dcqcn = !*model->dcqcn && !(options & RT_MODEL_NO_CC);
	const bool cnps = dcqcn && !(options & RT_MODEL_ECN_ECHO_IN_ACK);
	const struct {
		bool open;
		const char *what;
	} parts[] = {
		{ !(options & RT_MODEL_NO_ECN) && !rt_setting_known(&host->kmin) &&
			  !(model->kmin_bytes.known && model->kmax_bytes.known),
		  "ECN thresholds" },
		{ dcqcn && !rt_setting_known(&rp->rate_timer) && !model->timer_ps.known,
		  "DCQCN reaction point" },
		{ cnps && !rt_setting_known(&profile->host.np.cnp_interval) &&
			  !model->cnp_interval_ps.known,
		  "CNP interval" },
		{ !rt_setting_known(&profile->sw.pool.buffer) &&
			  !model->buffer_bytes.known,
		  "buffer" },
		{ lossless && !rt_setting_known(&host->headroom) &&
			  !model->headroom_bytes.known,
		  "headroom" },
		{ lossless && !rt_setting_known(&host->buffer_alpha) &&
			  !rt_setting_known(&host->xoff) &&
			  !model->buffer_alpha_ppb.known && !model->xoff_bytes.known,
		  "XOFF threshold" },
	};
	size_t used = 0;

	*assumed = '\0';
	for (size_t i = 0; i < RT_ARRAY_SIZE(parts) && used < bytes; i++)
		if (parts[i].open)
			used += (size_t)snprintf(assumed + used, bytes - used, "%s%s",
						 used ? ", " : "", parts[i].what);
}

int rt_sim_profile_config(const struct rt_profile *profile,
			  const struct rt_scenario *scenario,
			  struct rt_fabric_config *config, struct rt_err *err)
{
	const struct rt_class *class = data_class(profile);
	int r;

	if (!class)
		return rt_err_set(
			err, -EINVAL,
			"the profile has no class for data, so nothing can be "
			"simulated with it");
	config->data_prio = prio_of(class, config->data_prio);
	config->data_dscp = dscp_of(class, config->data_dscp);
	if (rt_setting_known(&profile->match.roce_mtu) &&
	    profile->match.roce_mtu.number >= 64 &&
	    profile->match.roce_mtu.number <= 9000)
		config->mtu_bytes = (uint32_t)profile->match.roce_mtu.number;
	r = take_host(profile, config, err);
	if (r < 0)
		return r;
	take_cnp(profile, config);
	rt_fabric_config_classes(config);
	config->not_ect = is_not_ect(class);
	take_class(class, config->data_prio, config);
	if (config->cnp_prio != config->data_prio)
		take_sched(class, &config->queues[config->data_prio],
			   config->rp.line_rate_bps);
	take_cnp(profile, config);
	take_pool(profile, config);
	list_assumed(profile, class, &scenario->model, config->assumed,
		     sizeof(config->assumed));
	list_classes(profile, config);
	return take_others(profile, scenario, config, err);
}

/* --- for journeys ---------------------------------------------------------- */

int rt_sim_profile_read(const char *name, bool take_links, struct rt_scenario *scenario,
			struct rt_profile **ret_profile, struct rt_err *err)
{
	int r;

	if (name) {
		if (strlen(name) >= sizeof(scenario->profile))
			return rt_err_set(err, -EINVAL,
					  "the profile's name is too long");
		snprintf(scenario->profile, sizeof(scenario->profile), "%s", name);
	}
	if (!*scenario->profile)
		return 0;
	r = rt_run_profile_read(scenario->profile, ret_profile, err);
	if (r == 0 && take_links)
		rt_sim_profile_links(*ret_profile, scenario);
	return r;
}

int rt_sim_profile_laws(const struct rt_scenario *scenario,
			const struct rt_profile *profile,
			struct rt_fabric_config *config, struct rt_err *err)
{
	int r = 0;

	rt_fabric_config_init(config, scenario);
	if (profile)
		r = rt_sim_profile_config(profile, scenario, config, err);
	return r < 0 ? r : rt_fabric_config_model(config, scenario, err);
}
