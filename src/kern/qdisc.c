/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qdisc.c - queueing disciplines of network devices: RTM_GETQDISC of rtnetlink
 * (linux/rtnetlink.h, linux/gen_stats.h, linux/pkt_sched.h).
 *
 * Drops are the root's alone: a classful one counts again what those below it drop, at
 * once (net/sched/sch_htb.c htb_enqueue(), sch_prio.c, sch_tbf.c) or later (sch_api.c
 * qdisc_tree_reduce_backlog()), and those of queues add up what is below them when they
 * are asked (sch_mq.c mq_dump(), sch_mqprio.c).  Marks each counts for itself, and no
 * other one counts them again, so they are summed over all.
 */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/live.h"
#include "kern/stats.h"
#include "rocetune/err.h"

#define DEVICES_MAX 65536u

/* --- where each kind tells of marks ------------------------------------------------------ */

#define ANY       UINT16_MAX /* whatever type: the number of a traffic class */
#define STEPS_MAX 5

/* A number in an attribute in nests: their types from the outside in; a kind may have several. */
struct teller {
	const char *kind;
	uint16_t steps[STEPS_MAX]; /* 0: no more */
	uint8_t offset, bytes;
	bool typed; /* it begins with what it is, 0: of the qdisc (fq_codel) */
};

#define APP TCA_STATS2, TCA_STATS_APP
#define FIELD(kind_, type, member, ...)                                  \
	{                                                                \
		.kind = (kind_), .steps = { APP },                       \
		.offset = offsetof(struct type, member),                 \
		.bytes = sizeof(((struct type *)0)->member), __VA_ARGS__ \
	}
#define OPTION(kind_, type, member)                         \
	{                                                   \
		.kind = (kind_), .steps = { TCA_OPTIONS },  \
		.offset = offsetof(struct type, member),    \
		.bytes = sizeof(((struct type *)0)->member) \
	}
#define NEST(kind_, ...)                                                             \
	{                                                                            \
		.kind = (kind_), .steps = { __VA_ARGS__ }, .bytes = sizeof(uint32_t) \
	}

/*
 * dump_stats(), of sfq and gred dump(), of net/sched/sch_KIND.c.  A frame over both of
 * codel's thresholds is in both of its numbers (include/net/codel_impl.h).
 */
static const struct teller tellers[] = {
	FIELD("red", tc_red_xstats, marked),
	FIELD("choke", tc_choke_xstats, marked),
	FIELD("sfb", tc_sfb_xstats, marked),
	FIELD("codel", tc_codel_xstats, ecn_mark),
	FIELD("codel", tc_codel_xstats, ce_mark),
	FIELD("fq_codel", tc_fq_codel_xstats, qdisc_stats.ecn_mark, .typed = true),
	FIELD("fq_codel", tc_fq_codel_xstats, qdisc_stats.ce_mark, .typed = true),
	FIELD("fq", tc_fq_qd_stats, ce_mark),
	FIELD("pie", tc_pie_xstats, ecn_mark),
	FIELD("fq_pie", tc_fq_pie_xstats, ecn_mark),
	OPTION("sfq", tc_sfq_qopt_v1, stats.prob_mark),
	OPTION("sfq", tc_sfq_qopt_v1, stats.forced_mark),
	OPTION("sfq", tc_sfq_qopt_v1, stats.prob_mark_head),
	OPTION("sfq", tc_sfq_qopt_v1, stats.forced_mark_head),
	NEST("gred", TCA_OPTIONS, TCA_GRED_VQ_LIST, TCA_GRED_VQ_ENTRY,
	     TCA_GRED_VQ_STAT_PROB_MARK),
	NEST("gred", TCA_OPTIONS, TCA_GRED_VQ_LIST, TCA_GRED_VQ_ENTRY,
	     TCA_GRED_VQ_STAT_FORCED_MARK),
	NEST("cake", APP, TCA_CAKE_STATS_TIN_STATS, ANY,
	     TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS),
};

/* An older kernel's is shorter, and has no such marks either. */
static void add_field(const struct teller *teller, const char *data, size_t bytes,
		      struct rt_qdisc *qdisc)
{
	uint64_t wide;
	uint32_t value, type;

	if (bytes < (size_t)teller->offset + teller->bytes)
		return;
	memcpy(&type, data, sizeof(type));
	if (teller->typed && type != TCA_FQ_CODEL_XSTATS_QDISC)
		return;
	if (teller->bytes == sizeof(wide)) {
		memcpy(&wide, data + teller->offset, sizeof(wide));
		value = (uint32_t)wide;
	} else {
		memcpy(&value, data + teller->offset, sizeof(value));
	}
	qdisc->marks = true;
	qdisc->marked += value;
}

/* All that is at the end of these steps. */
static void add_marks(const struct teller *teller, unsigned step, const char *data,
		      int bytes, struct rt_qdisc *qdisc)
{
	const struct nlattr *attr = (const void *)data;

	if (step == STEPS_MAX || !teller->steps[step]) {
		add_field(teller, data, (size_t)bytes, qdisc);
		return;
	}
	for (; nla_ok(attr, bytes); attr = nla_next(attr, &bytes))
		if (teller->steps[step] == ANY || teller->steps[step] == nla_type(attr))
			add_marks(teller, step + 1, nla_data(attr), nla_len(attr),
				  qdisc);
}

/* --- one answer ---------------------------------------------------------------------------- */

static int read_queue(const struct nlattr *stats, struct rt_qdisc *qdisc)
{
	struct nlattr *attrs[TCA_STATS_MAX + 1], *attr;
	struct gnet_stats_queue queue;

	if (rt_nl_nested(stats, NULL, TCA_STATS_MAX, attrs) < 0)
		return -EPROTO;
	attr = attrs[TCA_STATS_QUEUE];
	if (!attr)
		return 0;
	if (nla_len(attr) < (int)sizeof(queue))
		return -EPROTO;
	memcpy(&queue, nla_data(attr), sizeof(queue));
	qdisc->root = true;
	qdisc->drops = queue.drops;
	qdisc->requeues = queue.requeues;
	qdisc->overlimits = queue.overlimits;
	return 0;
}

int rt_qdisc_parse(const void *payload, size_t bytes, struct rt_qdisc *ret_qdisc,
		   struct rt_err *err)
{
	const size_t start = NLMSG_ALIGN(sizeof(struct tcmsg));
	struct nlattr *attrs[TCA_MAX + 1];
	struct rt_qdisc qdisc = { 0 };
	char kind[RT_IFNAME_BYTES];
	struct tcmsg head;
	int r = 0;

	if (bytes < start ||
	    rt_nl_attrs((const char *)payload + start, bytes - start, NULL, TCA_MAX,
			attrs) < 0 ||
	    !attrs[TCA_KIND])
		return rt_err_set(err, -EPROTO,
				  "a queueing discipline that makes no sense");
	memcpy(&head, payload, sizeof(head));
	rt_nl_text(attrs[TCA_KIND], kind, sizeof(kind));
	qdisc.ifindex = (unsigned)head.tcm_ifindex;
	qdisc.ingress = head.tcm_parent == TC_H_INGRESS;
	if (head.tcm_parent == TC_H_ROOT && attrs[TCA_STATS2] &&
	    strcmp(kind, "noqueue") != 0)
		r = read_queue(attrs[TCA_STATS2], &qdisc);
	if (r < 0)
		return rt_err_set(err, r,
				  "a queueing discipline (%s) whose statistics "
				  "make no sense",
				  kind);
	for (size_t i = 0; i < RT_ARRAY_SIZE(tellers); i++)
		if (strcmp(tellers[i].kind, kind) == 0)
			add_marks(&tellers[i], 0, (const char *)payload + start,
				  (int)(bytes - start), &qdisc);
	*ret_qdisc = qdisc;
	return 0;
}

/* --- devices ------------------------------------------------------------------------------- */

static struct rt_qdisc *add_device(struct rt_qdiscs *qdiscs, unsigned ifindex,
				   struct rt_err *err)
{
	struct rt_qdisc *grown;

	if (qdiscs->count == DEVICES_MAX) {
		rt_err_set(err, -E2BIG, "queueing disciplines of more than %u devices",
			   DEVICES_MAX);
		return NULL;
	}
	grown = rt_grow(qdiscs->items, qdiscs->count, &qdiscs->capacity,
			sizeof(*grown));
	if (!grown) {
		rt_err_sys(err, -ENOMEM, "queueing disciplines");
		return NULL;
	}
	qdiscs->items = grown;
	grown[qdiscs->count] = (struct rt_qdisc){ .ifindex = ifindex };
	return &grown[qdiscs->count++];
}

int rt_qdiscs_add(struct rt_qdiscs *qdiscs, const struct rt_qdisc *qdisc,
		  struct rt_err *err)
{
	struct rt_qdisc *device = qdiscs->count ? &qdiscs->items[qdiscs->count - 1]
						: NULL;
	struct rt_err why = { 0 };

	if (!device || device->ifindex != qdisc->ifindex)
		device = add_device(qdiscs, qdisc->ifindex, &why);
	if (!device)
		return rt_err_set(err, why.code, "%s", why.msg);
	if (qdisc->ingress)
		return 0;
	if (qdisc->root) {
		device->root = true;
		device->drops = qdisc->drops;
		device->requeues = qdisc->requeues;
		device->overlimits = qdisc->overlimits;
	}
	device->marks |= qdisc->marks;
	device->marked += qdisc->marked;
	return 0;
}

int rt_qdisc_add_stats(const struct rt_qdisc *device, struct rt_stats *stats)
{
	const struct {
		const char *name;
		bool known;
		uint32_t value;
	} all[] = {
		{ "drops", device->root, device->drops },
		{ "requeues", device->root, device->requeues },
		{ "overlimits", device->root, device->overlimits },
		{ "marked", device->marks, device->marked },
	};
	int r = 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(all) && r == 0; i++)
		if (all[i].known)
			r = rt_stats_add(stats, all[i].name, RT_STAT_NAME_BYTES,
					 all[i].value);
	return r;
}

/* --- asking ---------------------------------------------------------------------------------- */

/*
 * There is no dump of one device: whatever tcm_ifindex says, the kernel tells of all
 * (sch_api.c tc_dump_qdisc()), and asked for one qdisc it tells all who listen for
 * changes, too (qdisc_get_notify()).  So ports that are asked one after the other share a
 * dump, of which each takes its numbers once.
 */
#define SHARED_NS 20000000

static int take_qdisc(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	struct rt_qdisc qdisc;
	int r = rt_qdisc_parse(payload, bytes, &qdisc, err);

	return r < 0 ? r : rt_qdiscs_add(context, &qdisc, err);
}

static void restart_qdiscs(void *context)
{
	struct rt_qdiscs *qdiscs = context;

	qdiscs->count = qdiscs->next = 0;
}

static int dump(struct rt_live *live, const char *netdev, struct rt_err *err)
{
	const struct tcmsg head = { .tcm_family = AF_UNSPEC };
	const struct rt_nl_answer answer = { .type = RTM_NEWQDISC,
					     .take = take_qdisc,
					     .restart = restart_qdiscs,
					     .context = &live->qdiscs };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETQDISC, NLM_F_DUMP);
	const int64_t now_ns = rt_monotonic_ns();
	char doing[RT_DOING_BYTES];
	int r;

	if (msg && nlmsg_append(msg, (void *)(uintptr_t)&head, sizeof(head),
				NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	r = rt_nl_ask(&live->route, NETLINK_ROUTE, msg,
		      rt_doing(doing, netdev, "cannot read its queueing disciplines"),
		      &answer, err);
	live->qdiscs_ns = r < 0 ? 0 : now_ns;
	return r;
}

/* Ports are mostly asked in the order in which the kernel has them. */
static struct rt_qdisc *find(struct rt_qdiscs *qdiscs, unsigned ifindex)
{
	for (size_t i = 0; i < qdiscs->count; i++) {
		const size_t at = (qdiscs->next + i) % qdiscs->count;

		if (qdiscs->items[at].ifindex == ifindex) {
			qdiscs->next = at + 1;
			return &qdiscs->items[at];
		}
	}
	return NULL;
}

/* Of a dump that is new enough, and that was not asked about the device before. */
static int find_device(struct rt_live *live, const char *netdev, unsigned ifindex,
		       struct rt_qdisc **ret_device, struct rt_err *err)
{
	struct rt_qdisc *device = find(&live->qdiscs, ifindex);
	const bool fresh = live->qdiscs_ns &&
			   rt_monotonic_ns() - live->qdiscs_ns < SHARED_NS;
	struct rt_err why = { 0 };
	int r;

	if (!fresh || (device && device->taken)) {
		r = dump(live, netdev, err);
		if (r < 0)
			return r;
		device = find(&live->qdiscs, ifindex);
	}
	if (!device) /* never up: it has none */
		device = add_device(&live->qdiscs, ifindex, &why);
	if (!device)
		return rt_err_set(err, why.code, "%s", why.msg);
	*ret_device = device;
	return 0;
}

int rt_live_qdisc_stats(struct rt_kern *kern, const char *netdev,
			struct rt_stats *ret_stats, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct rt_qdisc *device;
	unsigned ifindex;
	int r = rt_ifname_check(netdev, err);

	rt_stats_begin(ret_stats);
	if (r < 0)
		return r;
	ifindex = if_nametoindex(netdev);
	if (ifindex == 0)
		return rt_err_sys(err, -ENODEV, "%s", netdev);
	r = find_device(live, netdev, ifindex, &device, err);
	if (r < 0)
		return rt_stats_end(ret_stats, r);
	device->taken = true;
	r = rt_stats_end(ret_stats, rt_qdisc_add_stats(device, ret_stats));
	return r < 0 ? rt_err_sys(err, r, "%s: queueing disciplines", netdev) : 0;
}
