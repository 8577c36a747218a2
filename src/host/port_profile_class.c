/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port_profile_class.c - a port's priorities as classes of a profile.
 *
 * A class for each priority says its DSCPs, traffic class, share and whether PFC
 * pauses it.  The DSCP that applications are made to use, and that of CNPs, get
 * classes of their own, since a profile names those by the class.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/port_profile_parts.h"
#include "rocetune/profile.h"

struct class
{
	char name[16];
	uint64_t dscps; /* mask */
	uint64_t prio, tc;
	const char *kind, *ect; /* NULL: not said */
};

#define CLASS_MAX (RT_CLASS_MAX + 8)

struct classes {
	struct class items[CLASS_MAX];
	size_t count;
};

static struct class *add_class(struct classes *classes,
			       const struct rt_profile_writer *w, const char *name,
			       uint64_t prio)
{
	struct class *class = &classes->items[classes->count++];

	*class = (struct class){ .prio = prio, .tc = RT_NOT_THERE };
	snprintf(class->name, sizeof(class->name), "%s", name);
	if (prio < 8)
		class->tc = rt_qos_element(w->qos, RT_KNOB_ETS_PRIO_TC, (unsigned)prio);
	return class;
}

/* The one DSCP whose byte the port puts on RoCE packets with ECT(0), or RT_NOT_THERE. */
static uint64_t roce_dscp(const struct rt_profile_writer *w, const char **ret_ect)
{
	const uint64_t tclass = rt_qos_scalar(w->qos, RT_KNOB_TCLASS),
		       cm = rt_qos_scalar(w->qos, RT_KNOB_CM_TOS),
		       data = rt_qos_scalar(w->qos, RT_KNOB_DATA_DSCP),
		       prio = rt_qos_scalar(w->qos, RT_KNOB_DATA_PRIO);

	*ret_ect = NULL;
	if (!w->map)
		return RT_NOT_THERE;
	if (tclass == cm && tclass < 256 && (tclass & 3) == 2) {
		*ret_ect = "tclass";
		return tclass >> 2;
	}
	if (data > 63 ||
	    rt_qos_element(w->qos, RT_KNOB_DSCP_PRIO, (unsigned)data) != prio)
		return RT_NOT_THERE;
	*ret_ect = "nic";
	return data;
}

/* A DSCP taken out of its priority's class, to be one of its own. */
static void add_single(struct classes *classes, const struct rt_profile_writer *w,
		       const char *name, uint64_t dscp, const char *kind,
		       const char *ect)
{
	const uint64_t prio = w->map && dscp < 64
				      ? rt_qos_element(w->qos, RT_KNOB_DSCP_PRIO,
						       (unsigned)dscp)
				      : RT_NOT_THERE;
	struct class *class;

	if (prio > 7)
		return;
	for (size_t i = 0; i < classes->count; i++)
		if (classes->items[i].dscps >> dscp & 1)
			return;
	class = add_class(classes, w, name, prio);
	class->dscps = (uint64_t)1 << dscp;
	class->kind = kind;
	class->ect = ect;
}

/* A NIC may give CNPs another priority than their DSCP has; a profile's class cannot. */
static void add_cnp(struct classes *classes, const struct rt_profile_writer *w)
{
	const uint64_t dscp = rt_qos_scalar(w->qos, RT_KNOB_NP_CNP_DSCP),
		       prio = rt_qos_scalar(w->qos, RT_KNOB_NP_CNP_PRIO);

	if (dscp < 64 &&
	    (prio == RT_NOT_THERE ||
	     prio == rt_qos_element(w->qos, RT_KNOB_DSCP_PRIO, (unsigned)dscp)))
		add_single(classes, w, "cnp", dscp, "cnp", NULL);
}

static void add_priority(struct classes *classes, const struct rt_profile_writer *w,
			 unsigned prio)
{
	uint64_t dscps = 0, taken = 0;
	char name[16];

	for (size_t i = 0; i < classes->count; i++)
		taken |= classes->items[i].dscps;
	for (unsigned dscp = 0; w->map && dscp < 64; dscp++)
		if (rt_qos_element(w->qos, RT_KNOB_DSCP_PRIO, dscp) == prio)
			dscps |= (uint64_t)1 << dscp;
	if (!(dscps & ~taken) &&
	    (dscps ||
	     (rt_qos_element(w->qos, RT_KNOB_ETS_PRIO_TC, prio) == RT_NOT_THERE &&
	      rt_qos_scalar(w->qos, RT_KNOB_PFC_MASK) == RT_NOT_THERE)))
		return;
	snprintf(name, sizeof(name), "prio%u", prio);
	add_class(classes, w, name, prio)->dscps = dscps & ~taken;
}

/* A traffic class with a share that no priority has would lose it. */
static void add_idle(struct classes *classes, const struct rt_profile_writer *w,
		     unsigned tc)
{
	char name[16];

	for (unsigned prio = 0; prio < 8; prio++)
		if (rt_qos_element(w->qos, RT_KNOB_ETS_PRIO_TC, prio) == tc)
			return;
	if (rt_qos_element(w->qos, RT_KNOB_ETS_BW, tc) == 0)
		return;
	snprintf(name, sizeof(name), "tc%u", tc);
	add_class(classes, w, name, RT_NOT_THERE)->tc = tc;
}

/*
 * Shares can be said when every traffic class has one that a profile gives the same:
 * what is no ETS has none, and the rest sums to 100.
 */
static bool can_say_shares(const struct rt_qos *qos)
{
	uint64_t sum = 0, ets = 0;

	for (unsigned tc = 0; tc < 8; tc++) {
		const uint64_t tsa = rt_qos_element(qos, RT_KNOB_ETS_TSA, tc),
			       bw = rt_qos_element(qos, RT_KNOB_ETS_BW, tc);

		if (tsa == RT_NOT_THERE || bw == RT_NOT_THERE || bw > 100 ||
		    (tsa != RT_TSA_ETS && bw))
			return false;
		ets += tsa == RT_TSA_ETS;
		sum += bw;
	}
	return ets == 0 || sum == 100;
}

static void collect(struct rt_profile_writer *w, struct classes *classes)
{
	const char *ect;
	const uint64_t roce = roce_dscp(w, &ect);
	size_t priorities;

	add_single(classes, w, "roce", roce, NULL, ect);
	add_cnp(classes, w);
	for (unsigned prio = 0; prio < 8; prio++)
		add_priority(classes, w, prio);
	priorities = classes->count;
	w->shares = can_say_shares(w->qos);
	for (unsigned tc = 0; w->shares && tc < 8; tc++)
		add_idle(classes, w, tc);
	if (classes->count > RT_CLASS_MAX) {
		classes->count = priorities;
		w->shares = false;
	}
}

static void put_dscps(const struct rt_profile_writer *w, uint64_t mask)
{
	const char *before = "";

	fputs("dscp: [", w->to);
	for (unsigned first = 0; first < 64; first++) {
		unsigned last = first;

		if (!(mask >> first & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		fprintf(w->to, "%s%u", before, first);
		if (last > first)
			fprintf(w->to, "-%u", last);
		before = ", ";
		first = last;
	}
	fputs("], ", w->to);
}

static void put_lossless(const struct rt_profile_writer *w, uint64_t prio)
{
	const uint64_t mask = rt_qos_scalar(w->qos, RT_KNOB_PFC_MASK);

	fprintf(w->to, "lossless: %s",
		mask == RT_NOT_THERE ? "keep"
		: mask >> prio & 1   ? "yes"
				     : "no");
}

/* 802.1Qaz serves strict traffic classes from the highest number down. */
static unsigned rank_of(const struct rt_profile_writer *w, uint64_t tc)
{
	unsigned rank = 1;

	for (unsigned above = (unsigned)tc + 1; above < 8; above++)
		rank += rt_qos_element(w->qos, RT_KNOB_ETS_TSA, above) == RT_TSA_STRICT;
	return rank;
}

/* The first class of a traffic class speaks for all of them. */
static void put_sched(struct rt_profile_writer *w, uint64_t tc)
{
	char text[RT_UNIT_TEXT_BYTES];
	uint64_t tsa, max;
	const char *before = "";

	if (tc > 7 || w->scheduled >> tc & 1)
		return;
	w->scheduled |= (uint64_t)1 << tc;
	tsa = w->shares ? rt_qos_element(w->qos, RT_KNOB_ETS_TSA, (unsigned)tc)
			: RT_NOT_THERE;
	max = rt_qos_element(w->qos, RT_KNOB_MAX_RATE, (unsigned)tc);
	if (max == RT_NOT_THERE || !rt_param_takes("classes.<class>.sched.max", max))
		max = 0;
	if (tsa != RT_TSA_ETS && tsa != RT_TSA_STRICT && !max) {
		fputs(", sched: keep", w->to);
		return;
	}
	fputs(", sched: {", w->to);
	if (tsa == RT_TSA_ETS)
		fprintf(w->to, "ets: %" PRIu64,
			rt_qos_element(w->qos, RT_KNOB_ETS_BW, (unsigned)tc));
	else if (tsa == RT_TSA_STRICT)
		fprintf(w->to, "strict: %u", rank_of(w, tc));
	if (tsa == RT_TSA_ETS || tsa == RT_TSA_STRICT)
		before = ", ";
	if (max)
		fprintf(w->to, "%smax: %s", before,
			rt_unit_format_exact(RT_UNIT_BPS, max, text));
	fputc('}', w->to);
}

static void put_class(struct rt_profile_writer *w, const struct class *class)
{
	fprintf(w->to, "  %s: {", class->name);
	if (class->kind)
		fprintf(w->to, "kind: %s, ", class->kind);
	if (class->dscps)
		put_dscps(w, class->dscps);
	if (class->prio < 8) {
		fprintf(w->to, "prio: %" PRIu64 ", ", class->prio);
		put_lossless(w, class->prio);
	} else {
		fputs("lossless: no", w->to);
	}
	if (class->tc < 8)
		fprintf(w->to, ", tc: %" PRIu64, class->tc);
	if (class->ect)
		fprintf(w->to, ", ect: %s", class->ect);
	put_sched(w, class->tc);
	fputs("}\n", w->to);
}

/* What the switch does is the switch's to say: rules then judge nothing of it. */
static void put_switch(const struct rt_profile_writer *w, const struct classes *classes)
{
	const uint64_t mask = rt_qos_scalar(w->qos, RT_KNOB_PFC_MASK);
	const char *before = "switch:\n  roles: {host: {headroom: {";
	bool any = false;

	for (size_t i = 0; i < classes->count && mask != RT_NOT_THERE; i++) {
		const struct class *class = &classes->items[i];

		if (class->prio > 7 || !(mask >> class->prio & 1))
			continue;
		fprintf(w->to, "%s%s: platform", before, class->name);
		before = ", ";
		any = true;
	}
	if (any)
		fputs("}}}\n  watchdog: keep\n", w->to);
}

void rt_put_profile_classes(struct rt_profile_writer *w)
{
	struct classes classes = { 0 };
	const uint64_t cm = rt_qos_scalar(w->qos, RT_KNOB_CM_TOS),
		       data = rt_qos_scalar(w->qos, RT_KNOB_DATA_DSCP);

	collect(w, &classes);
	if (classes.count)
		fputs("classes:\n", w->to);
	for (size_t i = 0; i < classes.count; i++)
		put_class(w, &classes.items[i]);
	/* Of a NIC that marks by itself, what connections by rdma_cm carry. */
	for (size_t i = 0; i < classes.count; i++)
		if (classes.items[i].ect && strcmp(classes.items[i].ect, "nic") == 0 &&
		    cm == (data << 2 | 2))
			fputs("app: {scope: [verbs, rdma_cm]}\n", w->to);
	put_switch(w, &classes);
}
