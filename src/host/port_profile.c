/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port_profile.c - a port's state as a profile.
 *
 * A class for each priority says its DSCPs, traffic class, share and whether PFC
 * pauses it.  The DSCP that applications are made to use, and that of CNPs, get
 * classes of their own, since a profile names those by the class.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/port_profile.h"
#include "model/params.h"
#include "model/qos.h"
#include "rocetune/err.h"

#define NOT_THERE UINT64_MAX

struct writer {
	FILE *to;
	const struct rt_device *device;
	const struct rt_qos *qos;
	bool map;           /* DSCPs decide, and their map is known */
	bool shares;        /* how all traffic classes are scheduled can be said */
	uint64_t scheduled; /* traffic classes that a class has said it of */
};

/* One element, or NOT_THERE: unknown, or no entry. */
static uint64_t element(const struct rt_qos *qos, enum rt_knob_id id, unsigned at)
{
	const struct rt_knob_value *value = &qos->knobs[id];
	const uint64_t number = rt_knob_number(&rt_knobs[id], value, at);

	if (!(value->known >> at & 1) ||
	    (rt_knobs[id].flags & RT_KNOB_MAY_LACK && number == RT_NO_PRIO))
		return NOT_THERE;
	return number;
}

static uint64_t scalar(const struct rt_qos *qos, enum rt_knob_id id)
{
	return element(qos, id, 0);
}

/* A word that YAML takes for one, whatever is in it. */
static void put_word(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || *text < ' ')
			fputc('?', to);
		else
			fputc(*text, to);
	fputc('"', to);
}

/* --- what it is for ------------------------------------------------------------- */

static bool fits(const char *path, uint64_t number)
{
	for (size_t i = 0; i < rt_param_count; i++)
		if (strcmp(rt_params[i].path, path) == 0)
			return number >= rt_params[i].min &&
			       (!rt_params[i].max || number <= rt_params[i].max);
	return false;
}

static bool is_profile_driver(const char *name)
{
	for (size_t i = 0; i < rt_param_count && name; i++)
		if (strcmp(rt_params[i].path, "match.driver") == 0)
			return rt_name_find(rt_params[i].names, name) != NULL;
	return false;
}

static void put_match(const struct writer *w, const char *path, enum rt_unit unit,
		      struct rt_opt_u64 number, const char **before)
{
	char text[RT_UNIT_TEXT_BYTES];

	if (!number.known || !fits(path, number.value))
		return;
	fprintf(w->to, "%s%s: %s", *before, strchr(path, '.') + 1,
		rt_unit_format_exact(unit, number.value, text));
	*before = ", ";
}

static void put_head(const struct writer *w)
{
	const struct rt_device *device = w->device;
	const char *before = "";

	fprintf(w->to,
		"# What a port has, as a profile: applied to the port it changes "
		"nothing.\n"
		"# keep: the port does not tell, or no profile can say it.\n"
		"name: ");
	put_word(w->to, *device->netdev ? device->netdev : device->ibdev);
	fputs("\nstatus: operator\nmatch: {", w->to);
	if (is_profile_driver(device->driver_name)) {
		fprintf(w->to, "driver: %s", device->driver_name);
		before = ", ";
	}
	if (*device->chip) {
		fprintf(w->to, "%schip: ", before);
		put_word(w->to, device->chip);
		before = ", ";
	}
	put_match(w, "match.speed", RT_UNIT_BPS, device->speed_bps, &before);
	put_match(w, "match.roce_mtu", RT_UNIT_MTU, device->roce_mtu_bytes, &before);
	put_match(w, "match.l2_mtu", RT_UNIT_MTU, device->mtu_bytes, &before);
	fputs("}\n", w->to);
}

/* --- classes --------------------------------------------------------------------- */

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

static struct class *add_class(struct classes *classes, const struct writer *w,
			       const char *name, uint64_t prio)
{
	struct class *class = &classes->items[classes->count++];

	*class = (struct class){ .prio = prio, .tc = NOT_THERE };
	snprintf(class->name, sizeof(class->name), "%s", name);
	if (prio < 8)
		class->tc = element(w->qos, RT_KNOB_ETS_PRIO_TC, (unsigned)prio);
	return class;
}

/* The one DSCP whose byte the port puts on RoCE packets with ECT(0), or NOT_THERE. */
static uint64_t roce_dscp(const struct writer *w, const char **ret_ect)
{
	const uint64_t tclass = scalar(w->qos, RT_KNOB_TCLASS),
		       cm = scalar(w->qos, RT_KNOB_CM_TOS),
		       data = scalar(w->qos, RT_KNOB_DATA_DSCP),
		       prio = scalar(w->qos, RT_KNOB_DATA_PRIO);

	*ret_ect = NULL;
	if (!w->map)
		return NOT_THERE;
	if (tclass == cm && tclass < 256 && (tclass & 3) == 2) {
		*ret_ect = "tclass";
		return tclass >> 2;
	}
	if (data > 63 || element(w->qos, RT_KNOB_DSCP_PRIO, (unsigned)data) != prio)
		return NOT_THERE;
	*ret_ect = "nic";
	return data;
}

/* A DSCP taken out of its priority's class, to be one of its own. */
static void add_single(struct classes *classes, const struct writer *w,
		       const char *name, uint64_t dscp, const char *kind,
		       const char *ect)
{
	const uint64_t prio = w->map && dscp < 64 ? element(w->qos, RT_KNOB_DSCP_PRIO,
							    (unsigned)dscp)
						  : NOT_THERE;
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
static void add_cnp(struct classes *classes, const struct writer *w)
{
	const uint64_t dscp = scalar(w->qos, RT_KNOB_NP_CNP_DSCP),
		       prio = scalar(w->qos, RT_KNOB_NP_CNP_PRIO);

	if (dscp < 64 && (prio == NOT_THERE ||
			  prio == element(w->qos, RT_KNOB_DSCP_PRIO, (unsigned)dscp)))
		add_single(classes, w, "cnp", dscp, "cnp", NULL);
}

static void add_priority(struct classes *classes, const struct writer *w, unsigned prio)
{
	uint64_t dscps = 0, taken = 0;
	char name[16];

	for (size_t i = 0; i < classes->count; i++)
		taken |= classes->items[i].dscps;
	for (unsigned dscp = 0; w->map && dscp < 64; dscp++)
		if (element(w->qos, RT_KNOB_DSCP_PRIO, dscp) == prio)
			dscps |= (uint64_t)1 << dscp;
	if (!(dscps & ~taken) &&
	    (dscps || (element(w->qos, RT_KNOB_ETS_PRIO_TC, prio) == NOT_THERE &&
		       scalar(w->qos, RT_KNOB_PFC_MASK) == NOT_THERE)))
		return;
	snprintf(name, sizeof(name), "prio%u", prio);
	add_class(classes, w, name, prio)->dscps = dscps & ~taken;
}

/* A traffic class with a share that no priority has would lose it. */
static void add_idle(struct classes *classes, const struct writer *w, unsigned tc)
{
	char name[16];

	for (unsigned prio = 0; prio < 8; prio++)
		if (element(w->qos, RT_KNOB_ETS_PRIO_TC, prio) == tc)
			return;
	if (element(w->qos, RT_KNOB_ETS_BW, tc) == 0)
		return;
	snprintf(name, sizeof(name), "tc%u", tc);
	add_class(classes, w, name, NOT_THERE)->tc = tc;
}

/*
 * Shares can be said when every traffic class has one that a profile gives the same:
 * what is no ETS has none, and the rest sums to 100.
 */
static bool can_say_shares(const struct rt_qos *qos)
{
	uint64_t sum = 0, ets = 0;

	for (unsigned tc = 0; tc < 8; tc++) {
		const uint64_t tsa = element(qos, RT_KNOB_ETS_TSA, tc),
			       bw = element(qos, RT_KNOB_ETS_BW, tc);

		if (tsa == NOT_THERE || bw == NOT_THERE || bw > 100 ||
		    (tsa != RT_TSA_ETS && bw))
			return false;
		ets += tsa == RT_TSA_ETS;
		sum += bw;
	}
	return ets == 0 || sum == 100;
}

static void collect(struct writer *w, struct classes *classes)
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

static void put_dscps(const struct writer *w, uint64_t mask)
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

static void put_lossless(const struct writer *w, uint64_t prio)
{
	const uint64_t mask = scalar(w->qos, RT_KNOB_PFC_MASK);

	fprintf(w->to, "lossless: %s",
		mask == NOT_THERE  ? "keep"
		: mask >> prio & 1 ? "yes"
				   : "no");
}

/* 802.1Qaz serves strict traffic classes from the highest number down. */
static unsigned rank_of(const struct writer *w, uint64_t tc)
{
	unsigned rank = 1;

	for (unsigned above = (unsigned)tc + 1; above < 8; above++)
		rank += element(w->qos, RT_KNOB_ETS_TSA, above) == RT_TSA_STRICT;
	return rank;
}

/* The first class of a traffic class speaks for all of them. */
static void put_sched(struct writer *w, uint64_t tc)
{
	char text[RT_UNIT_TEXT_BYTES];
	uint64_t tsa, max;
	const char *before = "";

	if (tc > 7 || w->scheduled >> tc & 1)
		return;
	w->scheduled |= (uint64_t)1 << tc;
	tsa = w->shares ? element(w->qos, RT_KNOB_ETS_TSA, (unsigned)tc) : NOT_THERE;
	max = element(w->qos, RT_KNOB_MAX_RATE, (unsigned)tc);
	if (max == NOT_THERE || !fits("classes.<class>.sched.max", max))
		max = 0;
	if (tsa != RT_TSA_ETS && tsa != RT_TSA_STRICT && !max) {
		fputs(", sched: keep", w->to);
		return;
	}
	fputs(", sched: {", w->to);
	if (tsa == RT_TSA_ETS)
		fprintf(w->to, "ets: %" PRIu64,
			element(w->qos, RT_KNOB_ETS_BW, (unsigned)tc));
	else if (tsa == RT_TSA_STRICT)
		fprintf(w->to, "strict: %u", rank_of(w, tc));
	if (tsa == RT_TSA_ETS || tsa == RT_TSA_STRICT)
		before = ", ";
	if (max)
		fprintf(w->to, "%smax: %s", before,
			rt_unit_format_exact(RT_UNIT_BPS, max, text));
	fputc('}', w->to);
}

static void put_class(struct writer *w, const struct class *class)
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
static void put_switch(const struct writer *w, const struct classes *classes)
{
	const uint64_t mask = scalar(w->qos, RT_KNOB_PFC_MASK);
	const char *before = "switch:\n  roles: {host: {headroom: {";
	bool any = false;

	for (size_t i = 0; i < classes->count && mask != NOT_THERE; i++) {
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

static void put_classes(struct writer *w)
{
	struct classes classes = { 0 };
	const uint64_t cm = scalar(w->qos, RT_KNOB_CM_TOS),
		       data = scalar(w->qos, RT_KNOB_DATA_DSCP);

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

/* --- the host -------------------------------------------------------------------- */

/* Sizes are the driver's own, or somebody's, or not told. */
static void put_buffers(const struct writer *w)
{
	const struct rt_knob_value *sizes = &w->qos->knobs[RT_KNOB_BUFFER_SIZE];
	char text[RT_UNIT_TEXT_BYTES];

	if (scalar(w->qos, RT_KNOB_BUFFER_AUTO) == 1) {
		fputs("auto", w->to);
		return;
	}
	if (sizes->known != 0xff || scalar(w->qos, RT_KNOB_BUFFER_AUTO) == NOT_THERE) {
		fputs("keep", w->to);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		fprintf(w->to, "%s%s", i ? ", " : "[",
			rt_unit_format_exact(RT_UNIT_BYTES, sizes->number[i], text));
	fputc(']', w->to);
}

/* What a NIC holds may be none of the words there are. */
static bool has_words(const struct rt_knob *row, uint64_t number)
{
	if (row->type == RT_KNOB_BOOL)
		return number <= 1;
	return row->type != RT_KNOB_ENUM || rt_name_of(row->names, (unsigned)number);
}

/* All knobs of the parameter as one text: they agree, or it is kept. */
static void put_param(const struct writer *w, const char *path)
{
	char text[RT_KNOB_TEXT_BYTES] = "keep", one[RT_KNOB_TEXT_BYTES];
	bool any = false;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *row = &rt_knobs[id];
		const uint64_t number = scalar(w->qos, id);

		if (!row->param || strcmp(row->param, path) != 0)
			continue;
		rt_knob_format(row, &w->qos->knobs[id], one);
		if (number == NOT_THERE || !fits(path, number) ||
		    !has_words(row, number) || (any && strcmp(text, one) != 0)) {
			fputs("keep", w->to);
			return;
		}
		memcpy(text, one, sizeof(text));
		any = true;
	}
	fputs(text, w->to);
}

/* "cc.np.enable" behind "cc.np.cnp_dscp": the maps it is in, opened where they differ. */
static void put_key(const struct writer *w, const char *path, const char *last)
{
	const char *key = path;
	unsigned depth = 1;

	for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
		const size_t bytes = (size_t)(dot - path) + 1;

		if (strncmp(path, last, bytes) != 0)
			fprintf(w->to, "%*s%.*s:\n", (int)depth * 2, "",
				(int)(dot - key), key);
		depth++;
	}
	fprintf(w->to, "%*s%s: ", (int)depth * 2, "", key);
}

#define HOST "host."

static bool is_host_knob(const struct rt_knob *row, const char *last)
{
	return row->param && strncmp(row->param, HOST, strlen(HOST)) == 0 &&
	       strcmp(row->param + strlen(HOST), last) != 0;
}

/* Raw knobs go into the last map that was opened: host.cc comes last. */
static void put_raw(const struct writer *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->qos->raw_count && count < RT_PAIR_MAX; i++) {
		const struct rt_raw_value *raw = &w->qos->raw[i];

		if (!raw->known || !is_profile_driver(w->device->driver_name))
			continue;
		if (count++ == 0)
			fprintf(w->to, "    raw:\n      %s:\n", w->device->driver_name);
		fprintf(w->to, "        %s: %" PRIu64 "\n", raw->name, raw->number);
	}
}

static void put_host(const struct writer *w)
{
	const char *last = "";

	fputs("host:\n", w->to);
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *row = &rt_knobs[id];

		if (!is_host_knob(row, last))
			continue;
		put_key(w, row->param + strlen(HOST), last);
		last = row->param + strlen(HOST);
		if (strcmp(last, "buffers") == 0)
			put_buffers(w);
		else
			put_param(w, row->param);
		fputc('\n', w->to);
	}
	put_raw(w);
}

int rt_port_profile(const struct rt_device *device, const struct rt_qos *qos,
		    char **ret_yaml, struct rt_err *err)
{
	struct writer w = { .device = device, .qos = qos };
	const uint64_t trust = scalar(qos, RT_KNOB_TRUST);
	char *yaml = NULL;
	size_t bytes = 0;
	bool failed;

	w.map = trust == RT_TRUST_DSCP || trust == RT_TRUST_BOTH;
	w.to = open_memstream(&yaml, &bytes);
	if (!w.to)
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	put_head(&w);
	put_classes(&w);
	put_host(&w);
	failed = ferror(w.to);
	if (fclose(w.to) != 0 || failed) {
		free(yaml);
		return rt_err_sys(err, -ENOMEM, "cannot hold the profile");
	}
	*ret_yaml = yaml;
	return 0;
}
