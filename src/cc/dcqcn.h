/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dcqcn.h - DCQCN: the reaction point (RP, sender) and notification point (NP,
 * receiver) of RoCEv2 congestion control.
 *
 * Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM
 * 2015, section 3; what NICs and public simulators do otherwise is an option,
 * named after what it changes (docs/laws.md lists them and who needs which).
 *
 * Pure: a function reads parameters, changes the state it is given and says
 * which deadline moved.  The caller keeps the deadlines in its event queue and
 * calls back at that time.  No clock, no allocation, no errors: parameters are
 * checked once by rt_rp_params_check().  Rates are whole bits per second, each
 * step rounded down, as in both public ns-3 models; alpha is a double.
 */
#ifndef RT_CC_DCQCN_H
#define RT_CC_DCQCN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cc/ps.h"

struct rt_err;

/* --- reaction point ------------------------------------------------------- */

/* When and with which alpha a CNP cuts the rate. */
enum rt_rp_reaction {
	RT_RP_PAPER,       /* at the CNP, with the alpha of before; then raise it */
	RT_RP_ALPHA_FIRST, /* at the CNP: raise alpha, cut with the new one */
	RT_RP_MLX,         /* at a periodic check; alpha has a period of its own */
};

/* How the increase events are counted. */
enum rt_rp_increase {
	RT_RP_COUNTERS, /* timer and byte counter count apart (paper, figure 7) */
	RT_RP_STAGES,   /* one stage; equal to F: additive, above: hyper (hpcc) */
};

/* When a cut first lowers the target rate to the current rate. */
enum rt_rp_clamp {
	RT_RP_CLAMP_ALWAYS,         /* at every cut (paper; clamp_tgt_rate) */
	RT_RP_CLAMP_AFTER_INCREASE, /* only if an increase came since the last cut */
};

/* Model options, each a bit of rt_rp_params.options. */
enum rt_rp_option {
	RT_RP_F_INCLUSIVE = 1 << 0,    /* a count equal to F is fast recovery still */
	RT_RP_TARGET_EIGHTH = 1 << 1,  /* first increase: RT > 10 RC gives RT / 8 */
	RT_RP_HYPER_HALF = 1 << 2,     /* hyper: half the timer (whole us) and bytes */
	RT_RP_HYPER_BY_TIMER = 1 << 3, /* only a timer event enters hyper increase */
	RT_RP_TARGET_FREE = 1 << 4,    /* the target may exceed the line rate */
	RT_RP_KEEP_BYTES = 1 << 5,     /* a cut does not restart the byte counter */
	RT_RP_ALWAYS_ARMED = 1 << 6,   /* the timer runs on at line rate */
	RT_RP_CHECKS_RUN = 1 << 7,     /* RT_RP_MLX: checks come without CNPs too */
};

struct rt_rp_params {
	uint64_t line_rate_bps;
	uint64_t min_rate_bps;
	uint64_t rate_on_first_cnp_bps; /* 0: stay at the current rate */
	uint64_t ai_rate_bps;           /* R_AI */
	uint64_t hai_rate_bps;          /* R_HAI */
	uint64_t alpha_interval_ps;     /* K; dce_tcp_rtt */
	uint64_t decrease_interval_ps;  /* RT_RP_MLX: between checks */
	uint64_t decrease_offset_ps;    /* RT_RP_MLX: phase of the checks */
	uint64_t increase_interval_ps;  /* T; 0: no timer */
	uint64_t byte_counter_bytes;    /* B, below 2^31; 0: no byte counter */
	double g;                       /* weight of the newest observation */
	double rp_alpha;                /* before the first CNP; RT_RP_MLX: at it */
	double cut_scale;               /* a cut keeps 1 - alpha * cut_scale; 0.5 */
	double min_keep;                /* a cut keeps at least this share; 0: none */
	uint32_t fast_recovery;         /* F */
	enum rt_rp_reaction reaction;
	enum rt_rp_increase increase;
	enum rt_rp_clamp clamp;
	unsigned options; /* bits of enum rt_rp_option */
};

enum rt_rp_phase {
	RT_RP_FAST,
	RT_RP_ADDITIVE,
	RT_RP_HYPER
};

enum rt_rp_mode {
	RT_RP_UNLIMITED, /* no CNP yet: line rate, no timer */
	RT_RP_LIMITED,
	RT_RP_RELEASED, /* back at line rate: alpha decays, nothing else runs */
};

/*
 * One flow's reaction point, one cache line.  Read rate, target, alpha and deadlines.
 * The counts stop at RT_RP_COUNT_MAX, where R_HAI times the count is long beyond any
 * line rate.
 */
struct rt_rp {
	uint64_t rate_bps;         /* RC, what the pacer must keep */
	uint64_t target_bps;       /* RT */
	uint64_t increase_at_ps;   /* call rt_rp_on_increase() then; RT_PS_NEVER: off */
	uint64_t decrease_at_ps;   /* call rt_rp_on_decrease() then; RT_PS_NEVER: off */
	double alpha;              /* as of alpha_from_ps: rt_rp_alpha_until() first */
	uint64_t alpha_from_ps;    /* last tick, or start of the alpha timer */
	uint64_t check_from_ps;    /* RT_RP_MLX: the checks' origin */
	uint32_t bytes;            /* since the last byte event */
	uint32_t timer_count : 13; /* T events since the cut; RT_RP_STAGES: the stage */
	uint32_t byte_count : 13;
	uint32_t cnp_seen : 1; /* RT_RP_MLX: since the last alpha tick */
	uint32_t phase : 2;    /* enum rt_rp_phase */
	uint32_t mode : 2;     /* enum rt_rp_mode */
	uint32_t cut_due : 1;  /* RT_RP_MLX: the next check cuts */
};

#define RT_RP_COUNT_MAX 8191

_Static_assert(sizeof(struct rt_rp) == 64, "one cache line");

/* What a call changed; or-ed together. */
enum rt_rp_change {
	RT_RP_RATE = 1 << 0,         /* rate_bps: move a pending send */
	RT_RP_ARM_INCREASE = 1 << 1, /* increase_at_ps: (re)arm, or stop at NEVER */
	RT_RP_ARM_DECREASE = 1 << 2, /* decrease_at_ps: the same */
};

/*
 * -EINVAL: a parameter cannot work, and the text says which and why.  The other
 * functions expect parameters that passed.
 */
int rt_rp_params_check(const struct rt_rp_params *params, struct rt_err *err);

/* At line rate, unlimited, every timer off. */
void rt_rp_init(struct rt_rp *rp, const struct rt_rp_params *params);

/* Parts of the inline functions below; not for callers. */
void rt_rp_alpha_ticks(struct rt_rp *rp, const struct rt_rp_params *params,
		       uint64_t ticks);
unsigned rt_rp_cnp(struct rt_rp *rp, const struct rt_rp_params *params,
		   uint64_t now_ps);
unsigned rt_rp_byte_events(struct rt_rp *rp, const struct rt_rp_params *params);

/*
 * Bring alpha up to until_ps: the alpha timer needs no events.  Ticks due at
 * until_ps itself are included.  Each tick is one multiplication, so that alpha
 * is, bit for bit, what a timer would have made of it (a table of powers would
 * not be); a decay that can no longer change any result ends at exactly 0.
 */
static inline void rt_rp_alpha_until(struct rt_rp *rp,
				     const struct rt_rp_params *params,
				     uint64_t until_ps)
{
	if (rp->mode == RT_RP_UNLIMITED ||
	    until_ps < rp->alpha_from_ps + params->alpha_interval_ps)
		return;
	rt_rp_alpha_ticks(rp, params,
			  (until_ps - rp->alpha_from_ps) / params->alpha_interval_ps);
}

/*
 * A CNP has come.  An alpha tick due at now_ps itself comes after the CNP, unless
 * the caller asked rt_rp_alpha_until(now_ps) before.  Returns enum rt_rp_change
 * bits.
 */
static inline unsigned rt_rp_on_cnp(struct rt_rp *rp, const struct rt_rp_params *params,
				    uint64_t now_ps)
{
	if (params->reaction == RT_RP_MLX && rp->cut_due &&
	    now_ps <= rp->alpha_from_ps + params->alpha_interval_ps) {
		rp->cnp_seen = 1;
		return 0;
	}
	return rt_rp_cnp(rp, params, now_ps);
}

/*
 * The check of RT_RP_MLX is due (now_ps == decrease_at_ps): cut, when cut_due.  It is
 * armed only while a CNP waits for it, on the grid of checks that began at the first
 * CNP; with RT_RP_CHECKS_RUN always.
 */
unsigned rt_rp_on_decrease(struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t now_ps);

/* The increase timer is due (now_ps == increase_at_ps). */
unsigned rt_rp_on_increase(struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t now_ps);

/*
 * bytes more (below 2^31) were handed to the wire; counted only while the byte counter
 * runs, from the first cut to the release at line rate.
 */
static inline unsigned
rt_rp_on_bytes_sent(struct rt_rp *rp, const struct rt_rp_params *params, uint32_t bytes)
{
	if (!params->byte_counter_bytes || rp->mode != RT_RP_LIMITED)
		return 0;
	rp->bytes += bytes;
	if (rp->bytes < params->byte_counter_bytes && rp->phase != RT_RP_HYPER)
		return 0;
	return rt_rp_byte_events(rp, params);
}

/* --- notification point --------------------------------------------------- */

enum rt_np_pacing {
	RT_NP_PAPER,   /* at once, then at most one at the end of each interval */
	RT_NP_MIN_GAP, /* at once, marks within the gap are forgotten (mlx5) */
	RT_NP_TICK,    /* a free-running tick a flow sends what was marked (msft) */
	RT_NP_EVERY,   /* no pacing: every mark is told (hpcc's echo in the ACK) */
};

struct rt_np_params {
	uint64_t interval_ps; /* N; min_time_between_cnps; the tick */
	enum rt_np_pacing pacing;
};

/* One flow's notification point; RT_NP_MIN_GAP may share one for a port. */
struct rt_np {
	uint64_t open_ps;   /* a CNP may go at once from here; RT_NP_TICK: origin */
	uint64_t cnp_at_ps; /* call rt_np_on_timer() then; RT_PS_NEVER: off */
};

/* start_ps: the flow's first packet, the origin of RT_NP_TICK's ticks. */
static inline void rt_np_init(struct rt_np *np, const struct rt_np_params *params,
			      uint64_t start_ps)
{
	np->open_ps = params->pacing == RT_NP_TICK ? start_ps : 0;
	np->cnp_at_ps = RT_PS_NEVER;
}

/*
 * A CE-marked packet has come.  True: send a CNP now.  False: cnp_at_ps may have
 * become a deadline; arm it if it was RT_PS_NEVER before.
 */
static inline bool rt_np_on_mark(struct rt_np *np, const struct rt_np_params *params,
				 uint64_t now_ps)
{
	if (params->pacing == RT_NP_EVERY)
		return true;
	if (np->cnp_at_ps != RT_PS_NEVER)
		return false;
	if (params->pacing == RT_NP_TICK) {
		uint64_t ticks = (now_ps - np->open_ps) / params->interval_ps + 1;

		np->cnp_at_ps = np->open_ps + ticks * params->interval_ps;
		return false;
	}
	if (now_ps >= np->open_ps) {
		np->open_ps = now_ps + params->interval_ps;
		return true;
	}
	if (params->pacing == RT_NP_PAPER)
		np->cnp_at_ps = np->open_ps;
	return false;
}

/* now_ps == cnp_at_ps: send a CNP now (always true); the deadline is off again. */
static inline bool rt_np_on_timer(struct rt_np *np, const struct rt_np_params *params,
				  uint64_t now_ps)
{
	np->cnp_at_ps = RT_PS_NEVER;
	if (params->pacing == RT_NP_PAPER)
		np->open_ps = now_ps + params->interval_ps;
	return true;
}

/* --- named parameter sets ------------------------------------------------- */

struct rt_dcqcn_set {
	const char *name;
	const char *source; /* public: paper, repository and commit, vendor page */
	struct rt_rp_params rp;
	struct rt_np_params np;
};

/* Ends with a row whose name is NULL. */
extern const struct rt_dcqcn_set rt_dcqcn_sets[];

/* NULL: no set has exactly this name. */
const struct rt_dcqcn_set *rt_dcqcn_set_find(const char *name);

#endif
