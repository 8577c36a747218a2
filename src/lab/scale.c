/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scale.h"

#include <errno.h>
#include <stdio.h>

#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

#define BITS_PS 8e12 /* of a byte, at one bit a second */

/* --- one number ------------------------------------------------------------ */

static uint64_t over(uint64_t value, double by)
{
	const double quotient = (double)value / by + 0.5;

	return quotient < 1 ? value != 0 : (uint64_t)quotient;
}

/* No size falls below least_bytes that was not below it before. */
static void shrink(uint64_t *bytes, double sizes, uint64_t least_bytes)
{
	const uint64_t scaled = over(*bytes, sizes);

	if (least_bytes > *bytes)
		least_bytes = *bytes;
	*bytes = scaled > least_bytes ? scaled : least_bytes;
}

static void stretch(uint64_t *ps, double times)
{
	*ps = (uint64_t)((double)*ps * times + 0.5);
}

/* --- the parts of the laws --------------------------------------------------- */

static void scale_rp(struct rt_rp_params *rp, const struct rt_lab_scale *scale,
		     uint32_t frame_bytes)
{
	const double rates = scale->sizes * scale->times;

	rp->line_rate_bps = over(rp->line_rate_bps, rates);
	rp->min_rate_bps = over(rp->min_rate_bps, rates);
	rp->rate_on_first_cnp_bps = over(rp->rate_on_first_cnp_bps, rates);
	rp->ai_rate_bps = over(rp->ai_rate_bps, rates);
	rp->hai_rate_bps = over(rp->hai_rate_bps, rates);
	stretch(&rp->alpha_interval_ps, scale->times);
	stretch(&rp->decrease_interval_ps, scale->times);
	stretch(&rp->decrease_offset_ps, scale->times);
	stretch(&rp->increase_interval_ps, scale->times);
	shrink(&rp->byte_counter_bytes, scale->sizes, frame_bytes);
}

/* A time-out must be longer than a process may be kept from answering. */
static void scale_rc(struct rt_rc_params *rc, const struct rt_lab_scale *scale)
{
	stretch(&rc->timeout_ps, scale->times);
	stretch(&rc->timeout_low_ps, scale->times);
	stretch(&rc->nak_repeat_ps, scale->times);
	if (rc->timeout_ps && rc->timeout_ps < RT_LAB_TIMEOUT_PS)
		rc->timeout_ps = RT_LAB_TIMEOUT_PS;
	if (rc->timeout_low_ps && rc->timeout_low_ps < RT_LAB_TIMEOUT_PS)
		rc->timeout_low_ps = RT_LAB_TIMEOUT_PS;
}

static void scale_red(struct rt_red *red, double sizes)
{
	red->kmin_bytes = over(red->kmin_bytes, sizes);
	red->kmax_bytes = over(red->kmax_bytes, sizes);
	red->slope_per_byte *= sizes;
}

/* What a peer still sends while its process is not there to be told. */
static uint64_t reaction_bytes(const struct rt_lab_scale *scale, uint32_t frame_bytes)
{
	return (uint64_t)((double)RT_LAB_REACTION_PS * (double)scale->to_bps /
			  BITS_PS) +
	       2 * frame_bytes;
}

/* False: the scaled headroom is enough as it is. */
static bool scale_pg(struct rt_pg_params *pg, uint64_t *beside_bytes, bool shared,
		     const struct rt_lab_scale *scale, uint32_t frame_bytes)
{
	const uint64_t needs_bytes = reaction_bytes(scale, frame_bytes);
	const uint64_t own_bytes = over(pg->headroom_bytes, scale->sizes);

	pg->reserved_bytes = over(pg->reserved_bytes, scale->sizes);
	shrink(&pg->xoff_bytes, scale->sizes, 2 * frame_bytes);
	shrink(&pg->xon_bytes, scale->sizes, frame_bytes);
	pg->headroom_bytes = own_bytes;
	*beside_bytes = 0;
	if (!pg->lossless)
		return false;
	if (own_bytes < needs_bytes)
		pg->headroom_bytes = needs_bytes;
	*beside_bytes = pg->headroom_bytes - (shared ? 0 : own_bytes);
	return own_bytes < needs_bytes;
}

/* True: some headroom was raised. */
static bool scale_ports(struct rt_fabric_config *laws, const struct rt_lab_scale *scale,
			uint32_t frame_bytes)
{
	const bool shared = laws->shared_headroom_bytes != 0;
	bool raised = false;

	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			scale_red(&laws->red[role][prio], scale->sizes);
			raised |= scale_pg(&laws->pg[role][prio],
					   &laws->headroom_beside_bytes[role][prio],
					   shared, scale, frame_bytes);
		}
	return raised;
}

static void scale_switch(struct rt_fabric_config *laws,
			 const struct rt_lab_scale *scale, uint32_t frame_bytes)
{
	const double rates = scale->sizes * scale->times;

	laws->buffer_bytes = over(laws->buffer_bytes, scale->sizes);
	laws->pool_bytes.value = over(laws->pool_bytes.value, scale->sizes);
	/* Shared headroom could not hold what each peer may need: see scale_pg(). */
	if (!laws->pool_bytes.known)
		laws->buffer_bytes -= over(laws->shared_headroom_bytes, scale->sizes);
	laws->shared_headroom_bytes = 0;
	laws->egress.reserved_bytes = over(laws->egress.reserved_bytes, scale->sizes);
	shrink(&laws->egress.limit_bytes, scale->sizes, 2 * frame_bytes);
	for (unsigned q = 0; q < RT_QUEUES; q++) {
		struct rt_queue_config *queue = &laws->queues[q];
		uint64_t burst_bytes = queue->burst_bytes;

		queue->max_rate_bps = over(queue->max_rate_bps, rates);
		shrink(&burst_bytes, scale->sizes, frame_bytes);
		queue->burst_bytes = (uint32_t)burst_bytes;
	}
}

/* Quanta are bit times: they last K times as long by themselves, D times is meant. */
static void scale_pause(struct rt_fabric_config *laws, const struct rt_lab_scale *scale)
{
	const double quantum_ps = 512e12 / (double)scale->to_bps;
	double quanta = laws->pause_quanta / scale->sizes;

	if (quanta * quantum_ps < (double)RT_LAB_PAUSE_PS)
		quanta = (double)RT_LAB_PAUSE_PS / quantum_ps;
	laws->pause_quanta = quanta > UINT16_MAX ? UINT16_MAX
						 : (uint16_t)(quanta + 0.5);
	stretch(&laws->pause_refresh_ps, scale->times);
	if ((double)laws->pause_refresh_ps > laws->pause_quanta * quantum_ps / 2)
		laws->pause_refresh_ps = 0;
	stretch(&laws->pfc_reaction_ps.value, scale->times);
}

/* --- how much of each ------------------------------------------------------- */

/* Where thresholds begin: the least Kmin of the data's, also when nothing is marked. */
static uint64_t least_kmin(const struct rt_fabric_config *laws)
{
	uint64_t least = UINT64_MAX;

	for (unsigned role = RT_PORT_HOST; role < RT_PORT_ROLES; role++)
		if (laws->red[role][laws->data_prio].kmin_bytes < least)
			least = laws->red[role][laws->data_prio].kmin_bytes;
	return least;
}

static void choose(const struct rt_fabric_config *laws, uint32_t frame_bytes,
		   struct rt_lab_scale *scale)
{
	const double rates = (double)scale->from_bps / (double)scale->to_bps;
	const double few = RT_LAB_KMIN_PACKETS * (double)frame_bytes;
	double keeps = (double)RT_LAB_KMIN_PS * (double)scale->to_bps / BITS_PS;

	if (keeps < few)
		keeps = few;
	scale->sizes = (double)least_kmin(laws) / keeps;
	if (scale->sizes < rates / RT_LAB_TIMES_MAX)
		scale->sizes = rates / RT_LAB_TIMES_MAX;
	if (scale->sizes > rates)
		scale->sizes = rates;
	if (scale->sizes < 1)
		scale->sizes = 1;
	scale->times = rates / scale->sizes;
}

static void say(struct rt_lab_scale *scale, const struct rt_fabric_config *laws,
		bool raised)
{
	char from[RT_UNIT_TEXT_BYTES], to[RT_UNIT_TEXT_BYTES], kmin[RT_UNIT_TEXT_BYTES];
	size_t said;

	rt_unit_format(RT_UNIT_BPS, scale->from_bps, from);
	rt_unit_format(RT_UNIT_BPS, scale->to_bps, to);
	rt_unit_format(RT_UNIT_BYTES, least_kmin(laws), kmin);
	said = (size_t)snprintf(scale->said, sizeof(scale->said),
				"%s as %s: rates / %.6g, sizes / %.3g, times x %.3g; "
				"Kmin %s",
				from, to, scale->sizes * scale->times, scale->sizes,
				scale->times, kmin);
	if (raised)
		snprintf(scale->said + said, sizeof(scale->said) - said,
			 "; headroom %u ms",
			 (unsigned)(RT_LAB_REACTION_PS / RT_PS_PER_MS));
}

int rt_lab_scale(struct rt_fabric_config *laws, uint64_t from_bps, uint64_t to_bps,
		 struct rt_lab_scale *ret_scale, struct rt_err *err)
{
	const uint32_t frame_bytes = laws->mtu_bytes + laws->wire.data_overhead;
	struct rt_lab_scale scale = { .from_bps = from_bps, .to_bps = to_bps };
	struct rt_fabric_config scaled = *laws;
	bool raised;
	int r;

	if (!to_bps || to_bps > from_bps)
		return rt_err_set(
			err, -EINVAL,
			"a lab of %llu b/s for a fabric of %llu b/s: a lab is "
			"slower than what it shows",
			(unsigned long long)to_bps, (unsigned long long)from_bps);
	choose(laws, frame_bytes, &scale);
	raised = scale_ports(&scaled, &scale, frame_bytes);
	scale_rp(&scaled.rp, &scale, frame_bytes);
	stretch(&scaled.np.interval_ps, scale.times);
	scale_rc(&scaled.rc, &scale);
	shrink(&scaled.window_bytes, scale.sizes, RT_LAB_KMIN_PACKETS * frame_bytes);
	scale_switch(&scaled, &scale, frame_bytes);
	scale_pause(&scaled, &scale);
	r = rt_rp_params_check(&scaled.rp, err);
	if (r < 0)
		return r;
	say(&scale, &scaled, raised);
	*laws = scaled;
	*ret_scale = scale;
	return 0;
}
