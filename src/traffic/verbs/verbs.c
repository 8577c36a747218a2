/* SPDX-License-Identifier: BSD-2-Clause */
/* verbs.c - the verbs engine: traffic of an RDMA device, and the module it comes in. */
#include "traffic/verbs/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <rdma/rdma_cma.h>

#include "base/histogram.h"
#include "rocetune/err.h"
#include "traffic/module.h"

/*
 * 67 ms, six times.  Seven is as usual, but rdma_rxe takes it as for ever (Linux 6.1,
 * drivers/infiniband/sw/rxe/rxe_comp.c), and a sender without a receiver must end.
 */
#define ACK_TIMEOUT_CODE 14
#define RETRY_COUNT      6

static int take_config(struct verbs_engine *engine,
		       const struct rt_engine_config *config, struct rt_err *err)
{
	struct rt_engine_config *own = &engine->config;

	*own = *config;
	if (!own->ack_timeout_code)
		own->ack_timeout_code = ACK_TIMEOUT_CODE;
	if (!own->retry_count.known)
		own->retry_count = RT_KNOWN_U64(RETRY_COUNT);
	if (own->ack_timeout_code > 31 || own->retry_count.value > 7)
		return rt_err_set(err, -EINVAL,
				  "ack timeout code %u, %llu retries: 1 to 31, 0 to 7",
				  own->ack_timeout_code,
				  (unsigned long long)own->retry_count.value);
	return 0;
}

static int do_not_block(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

static int make_shared(struct verbs_engine *engine, struct rt_err *err)
{
	const char *device = engine->about.device;

	engine->pd = ibv_alloc_pd(engine->context);
	engine->channel = ibv_create_comp_channel(engine->context);
	if (!engine->pd || !engine->channel)
		return rt_err_sys(err, -errno, "%s", device);
	if (do_not_block(engine->channel->fd) < 0 ||
	    do_not_block(engine->context->async_fd) < 0)
		return rt_err_sys(err, -errno, "%s", device);
	if (!engine->config.use_cm)
		return 0;
	engine->cm = rdma_create_event_channel();
	if (!engine->cm)
		return rt_err_sys(err, -errno,
				  "no connections by librdmacm (modprobe rdma_ucm)");
	if (do_not_block(engine->cm->fd) < 0)
		return rt_err_sys(err, -errno, "librdmacm");
	return 0;
}

static void verbs_close(struct rt_engine *base)
{
	struct verbs_engine *engine = verbs_of(base);

	for (size_t i = 0; i < engine->qp_count; i++)
		verbs_qp_free(engine->qps[i]);
	for (size_t i = 0; i < engine->cq_count; i++) {
		ibv_destroy_cq(engine->cqs[i]->cq);
		free(engine->cqs[i]);
	}
	free(engine->qps);
	free(engine->cqs);
	if (engine->cm)
		rdma_destroy_event_channel(engine->cm);
	if (engine->channel)
		ibv_destroy_comp_channel(engine->channel);
	if (engine->pd)
		ibv_dealloc_pd(engine->pd);
	if (engine->context && !engine->config.use_cm)
		ibv_close_device(engine->context);
	free(engine);
}

static int verbs_open(const struct rt_engine_config *config,
		      struct rt_engine **ret_engine, struct rt_err *err);

static void verbs_about(const struct rt_engine *base, struct rt_engine_about *ret_about)
{
	*ret_about = verbs_of(base)->about;
}

static void verbs_qp_stop(struct rt_engine *base, unsigned index)
{
	struct verbs_engine *engine = verbs_of(base);

	engine->qps[index]->halt = true;
	engine->qps[index]->due_ns = INT64_MIN;
	engine->due_ns = INT64_MIN;
}

/* Who is written to or read from is told nothing. */
static bool counts(const struct verbs_qp *qp)
{
	return qp->posts || qp->takes;
}

static void verbs_totals(const struct rt_engine *base, unsigned index,
			 struct rt_qp_totals *ret_totals)
{
	const struct verbs_qp *qp = verbs_of(base)->qps[index];

	*ret_totals = qp->totals;
	ret_totals->bytes.known = ret_totals->messages.known = counts(qp);
}

static void verbs_latency(struct rt_engine *base, unsigned index,
			  struct rt_histogram *into)
{
	struct verbs_qp *qp = verbs_of(base)->qps[index];

	if (!qp->latency)
		return;
	rt_histogram_merge(into, qp->latency);
	*qp->latency = (struct rt_histogram){ 0 };
}

static const struct rt_engine_ops verbs_ops = {
	.name = "verbs",
	.help = "queue pairs of an RDMA device (libibverbs)",
	.open = verbs_open,
	.about = verbs_about,
	.qp_create = verbs_qp_create,
	.qp_connect = verbs_qp_connect,
	.begin = verbs_begin,
	.work = verbs_work,
	.qp_stop = verbs_qp_stop,
	.totals = verbs_totals,
	.latency = verbs_latency,
	.close = verbs_close,
};

static int verbs_open(const struct rt_engine_config *config,
		      struct rt_engine **ret_engine, struct rt_err *err)
{
	struct verbs_engine *engine = calloc(1, sizeof(*engine));
	int r;

	if (!engine)
		return rt_err_set(err, -ENOMEM, "no memory for an engine");
	engine->base.ops = &verbs_ops;
	engine->due_ns = VERBS_NEVER;
	r = take_config(engine, config, err);
	if (r == 0)
		r = verbs_device_open(engine, err);
	if (r == 0)
		r = make_shared(engine, err);
	if (r < 0) {
		verbs_close(&engine->base);
		return r;
	}
	*ret_engine = &engine->base;
	return 0;
}

extern const struct rt_module rt_module;
const struct rt_module rt_module = {
	.abi = RT_MODULE_ABI,
	.name = "verbs",
	.engine = &verbs_ops,
};
