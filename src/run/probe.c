/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - what is sent to a host, and in which order. */
#include "run/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "rocetune/profile.h"
#include "run/outcome.h"
#include "run/probe_text.h"
#include "run/profile.h"
#include "traffic/probe.h"
#include "wire/probe.h"

#define SECOND_NS    INT64_C(1000000000)
#define WAIT_NS      (SECOND_NS / 2)
#define LOAD_WAIT_NS (SECOND_NS / 5)
/* Hosts send few ICMP errors: Linux one a second to one peer, six at once. */
#define TRIES        3u
#define PACE_NS      (SECOND_NS / 20)
#define LOAD_PPS     RT_PROBE_MAX_PPS
#define DSCP_USUAL   26u
#define SILENT_HOPS  4u

/* IP, UDP, BTH, RETH, immediate data, ICRC: the largest headers of full packets. */
#define ROCE_BYTES_V4 (20u + 8 + 12 + 16 + 4 + 4)
#define ROCE_BYTES_V6 (40u + 8 + 12 + 16 + 4 + 4)

struct probing {
	const struct rt_probe_request *request;
	struct rt_prober *prober;
	struct rt_prober_about about;
	struct rt_probed *probed;
	bool listener;
	struct rt_err *err;
};

static int send_one(struct probing *probing, struct rt_probe_send send,
		    struct rt_probe_reply *reply)
{
	send.to_listener = probing->listener && !send.ttl;
	probing->probed->packets++;
	return rt_prober_send(probing->prober, &send, probing->request->stop_fd, reply,
			      probing->err);
}

static bool has_arrived(const struct rt_probe_reply *reply)
{
	return reply->event == RT_PROBE_ANSWERED ||
	       reply->event == RT_PROBE_PORT_CLOSED;
}

/* --- is there anybody --------------------------------------------------------------------- */

/* The listener's port first: closed, it tells as well as another. */
static int find_way(struct probing *probing)
{
	struct rt_probed *probed = probing->probed;
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	for (unsigned i = 0; i < TRIES && r == 0 && !has_arrived(&reply); i++) {
		probing->listener = i != 1;
		r = send_one(probing, (struct rt_probe_send){ .wait_ns = WAIT_NS },
			     &reply);
		if (reply.event == RT_PROBE_UNREACHABLE)
			probed->refused_by = reply.from;
	}
	probing->listener = reply.event == RT_PROBE_ANSWERED;
	if (r < 0 || !has_arrived(&reply))
		return r;
	probed->refused_by = (struct rt_ip){ 0 };
	probed->rtt_ns = RT_KNOWN_U64(reply.rtt_ns);
	if (probing->listener)
		probed->way = RT_PROBE_BY_LISTENER;
	else if (reply.tos.known)
		probed->way = RT_PROBE_BY_QUOTES;
	/* TTLs begin at 64. */
	if (reply.ttl.known && reply.ttl.value <= 64)
		probed->hop_count = RT_KNOWN_U64(65 - reply.ttl.value);
	return 0;
}

/* --- marks -------------------------------------------------------------------------------- */

static void take_mark(const struct rt_probe_reply *reply, struct rt_probe_mark *mark)
{
	mark->event = reply->event;
	mark->outcome = rt_probe_outcome(reply->event);
	if (!has_arrived(reply))
		return;
	mark->rtt_ns = RT_KNOWN_U64(reply->rtt_ns);
	if (reply->tos.known) {
		mark->dscp_came = RT_KNOWN_U64(reply->tos.value >> 2);
		rt_probe_ecn_text(reply->tos.value, mark->ecn_came);
		rt_probe_tos_text(reply->tos.value, mark->came_as);
	}
	if (reply->back_tos.known) {
		mark->dscp_back = RT_KNOWN_U64(reply->back_tos.value >> 2);
		rt_probe_ecn_text(reply->back_tos.value, mark->ecn_back);
		rt_probe_tos_text(reply->back_tos.value, mark->back_as);
	}
}

/* A host that was silent once may have said enough for this second. */
static int try_mark(struct probing *probing, unsigned dscp, unsigned ecn)
{
	struct rt_probed *probed = probing->probed;
	struct rt_probe_mark *mark = &probed->marks[probed->mark_count];
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	if (probed->mark_count == RT_PROBE_MARKS)
		return 0;
	probed->mark_count++;
	mark->dscp = dscp;
	rt_probe_ecn_text(ecn, mark->ecn);
	rt_probe_tos_text(dscp << 2 | ecn, mark->sent_as);
	for (unsigned i = 0; i < TRIES && r == 0 && !has_arrived(&reply); i++) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(dscp << 2 | ecn),
			.wait_ns = i ? SECOND_NS : WAIT_NS,
		};

		mark->sent++;
		r = send_one(probing, send, &reply);
	}
	if (r == 0)
		take_mark(&reply, mark);
	return r;
}

/* What the profile's classes send, beside the data; bits. */
static uint64_t other_dscps(const struct rt_profile *profile, unsigned data)
{
	uint64_t mask = 0;

	for (size_t i = 0; profile && i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		/* Not those of a class that is the rest. */
		if (rt_setting_known(&class->dscp) &&
		    __builtin_popcountll(class->dscp.number) <= 4)
			mask |= class->dscp.number;
	}
	return mask & ~(UINT64_C(1) << data);
}

static int try_marks(struct probing *probing, const struct rt_profile *profile)
{
	const unsigned data = probing->probed->dscp;
	const uint64_t others = other_dscps(profile, data);
	int r = try_mark(probing, data, RT_ECN_ECT0);

	if (r == 0)
		r = try_mark(probing, data, RT_ECN_NOT_ECT);
	if (r == 0)
		r = try_mark(probing, data, RT_ECN_ECT1);
	if (r == 0)
		r = try_mark(probing, data, RT_ECN_CE);
	for (unsigned dscp = 0; dscp < 64 && r == 0; dscp++)
		if (others >> dscp & 1)
			r = try_mark(probing, dscp, RT_ECN_ECT0);
	return r;
}

/* --- sizes -------------------------------------------------------------------------------- */

/* The data's marks, unless these do not get through at any size. */
static uint8_t size_tos(const struct rt_probed *probed)
{
	const bool lost = probed->mark_count && !probed->marks[0].rtt_ns.known;

	return (uint8_t)(probed->dscp << 2 | (lost ? RT_ECN_NOT_ECT : RT_ECN_ECT0));
}

static int try_size(struct probing *probing, uint32_t ip_bytes,
		    struct rt_probe_size *ret_size)
{
	const struct rt_probe_send send = {
		.tos = size_tos(probing->probed),
		.ip_bytes = ip_bytes,
		.large_answer = true,
		.wait_ns = SECOND_NS,
	};
	struct rt_probe_reply reply = { 0 };
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0 && reply.event == RT_PROBE_SILENCE; i++)
		r = send_one(probing, send, &reply);
	*ret_size = (struct rt_probe_size){ .ip_bytes = ip_bytes,
					    .event = reply.event,
					    .outcome = rt_probe_outcome(reply.event),
					    .from = reply.from,
					    .mtu_bytes = reply.mtu_bytes,
					    .back_bytes = reply.back_bytes };
	return r;
}

/* The largest that is below: of RoCE MTUs with their headers. */
static uint32_t next_size(const struct probing *probing, uint32_t below)
{
	const uint32_t headers = probing->about.address.version == 6 ? ROCE_BYTES_V6
								     : ROCE_BYTES_V4;

	for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2)
		if (mtu + headers < below)
			return mtu + headers;
	return 0;
}

/* From our own link's size downwards, until one arrives; what routers tell is tried. */
static int try_sizes(struct probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const uint64_t local = probed->local_mtu_bytes.known
				       ? probed->local_mtu_bytes.value
				       : 1500;
	uint32_t bytes = local > 65535 ? 65535 : (uint32_t)local;
	int r = 0;

	while (bytes && probed->size_count < RT_PROBE_SIZES && r == 0) {
		struct rt_probe_size *size = &probed->sizes[probed->size_count];

		r = try_size(probing, bytes, size);
		if (r < 0)
			break;
		probed->size_count++;
		if (size->event == RT_PROBE_ANSWERED ||
		    size->event == RT_PROBE_PORT_CLOSED) {
			probed->path_mtu_bytes = RT_KNOWN_U64(bytes);
			break;
		}
		probed->mtu_below_bytes = RT_KNOWN_U64(bytes);
		if (size->event == RT_PROBE_SILENCE)
			probed->mtu_silent = true;
		if (size->mtu_bytes.known && size->mtu_bytes.value < bytes &&
		    size->mtu_bytes.value >= RT_PROBE_SMALL_BYTES)
			bytes = (uint32_t)size->mtu_bytes.value;
		else
			bytes = next_size(probing, bytes);
	}
	return r;
}

static void reckon_mtus(struct probing *probing, const struct rt_profile *profile)
{
	struct rt_probed *probed = probing->probed;
	const uint32_t headers = probing->about.address.version == 6 ? ROCE_BYTES_V6
								     : ROCE_BYTES_V4;

	for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2) {
		if (!probed->roce_mtu_bytes.known && probed->path_mtu_bytes.known &&
		    mtu + headers <= probed->path_mtu_bytes.value)
			probed->roce_mtu_bytes = RT_KNOWN_U64(mtu);
		if (!probed->roce_mtu_wanted_bytes.known &&
		    probed->local_mtu_bytes.known &&
		    mtu + headers <= probed->local_mtu_bytes.value) {
			probed->roce_mtu_wanted_bytes = RT_KNOWN_U64(mtu);
			probed->roce_mtu_from = "our own link allows it";
		}
	}
	if (profile && rt_setting_known(&profile->match.roce_mtu)) {
		probed->roce_mtu_wanted_bytes = RT_KNOWN_U64(
			profile->match.roce_mtu.number);
		probed->roce_mtu_from = "the profile's roce_mtu";
	}
	for (size_t i = 0; i < probed->size_count; i++)
		if (probed->sizes[i].back_bytes.known)
			probed->path_mtu_back_bytes = probed->sizes[i].back_bytes;
}

/* --- hops and load ------------------------------------------------------------------------ */

static void take_hop(const struct probing *probing, const struct rt_probe_reply *reply,
		     struct rt_probe_hop *hop)
{
	const unsigned dscp = probing->probed->dscp;

	hop->from = reply->from;
	if (!reply->tos.known)
		return;
	hop->dscp = RT_KNOWN_U64(reply->tos.value >> 2);
	rt_probe_ecn_text(reply->tos.value, hop->ecn);
	rt_probe_tos_text(reply->tos.value, hop->came_as);
	if (hop->dscp.value != dscp)
		snprintf(hop->changed, sizeof(hop->changed), "DSCP %u became %u", dscp,
			 (unsigned)hop->dscp.value);
	else if (strcmp(hop->ecn, "ect0") != 0)
		snprintf(hop->changed, sizeof(hop->changed), "ECT(0) became %s",
			 rt_probe_ecn_label(hop->ecn));
}

static int try_hops(struct probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const uint64_t last = probed->hop_count.known ? probed->hop_count.value
						      : RT_PROBE_HOPS;
	unsigned silent = 0;
	bool end = false;
	int r = 0;

	for (uint32_t ttl = 1; ttl <= last && ttl <= RT_PROBE_HOPS && r == 0 && !end &&
			       silent < SILENT_HOPS;
	     ttl++) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(probed->dscp << 2 | RT_ECN_ECT0),
			.ttl = (uint8_t)ttl,
			.wait_ns = WAIT_NS,
		};
		struct rt_probe_hop *hop = &probed->hops[probed->hop_rows];
		struct rt_probe_reply reply = { 0 };

		for (unsigned i = 0; i < 2 && r == 0 && !reply.from.version; i++)
			r = send_one(probing, send, &reply);
		if (r < 0)
			break;
		probed->hop_rows++;
		hop->hop = ttl;
		take_hop(probing, &reply, hop);
		silent = reply.from.version ? 0 : silent + 1;
		end = has_arrived(&reply) || reply.event == RT_PROBE_UNREACHABLE;
	}
	return r;
}

/* Many of them, while something else loads the path. */
static int try_load(struct probing *probing)
{
	struct rt_probed *probed = probing->probed;
	const int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) +
				 (int64_t)probing->request->load_ns.value;
	uint64_t sent = 0, came = 0, marked = 0;
	int r = 0;

	while (rt_clock_ns(CLOCK_MONOTONIC) < until_ns && r == 0) {
		const struct rt_probe_send send = {
			.tos = (uint8_t)(probed->dscp << 2 | RT_ECN_ECT0),
			.wait_ns = LOAD_WAIT_NS,
		};
		struct rt_probe_reply reply = { 0 };

		sent++;
		r = send_one(probing, send, &reply);
		if (r == 0 && has_arrived(&reply) && reply.tos.known) {
			came++;
			marked += (reply.tos.value & 3) == RT_ECN_CE;
		}
	}
	probed->load_sent = RT_KNOWN_U64(sent);
	probed->load_came = RT_KNOWN_U64(came);
	if (came)
		probed->load_ce = RT_KNOWN_U64(marked);
	return r;
}

/* --- the journey -------------------------------------------------------------------------- */

static int send_all(struct probing *probing, const struct rt_profile *profile)
{
	struct rt_probed *probed = probing->probed;
	int r = find_way(probing);

	/* Nobody there: routers may still tell of the way. */
	if (r == 0 && probed->rtt_ns.known)
		r = try_marks(probing, profile);
	if (r == 0 && probed->rtt_ns.known)
		r = try_sizes(probing);
	reckon_mtus(probing, profile);
	if (r == 0 && probing->request->hops && probing->about.sees_quotes)
		r = try_hops(probing);
	if (r == 0 && probing->request->load_ns.known && probed->rtt_ns.known)
		r = try_load(probing);
	return r;
}

static unsigned data_dscp(const struct rt_probe_request *request,
			  const struct rt_profile *profile)
{
	if (request->dscp.known)
		return (unsigned)request->dscp.value;
	for (size_t i = 0; profile && i < profile->class_count; i++) {
		const struct rt_class *class = &profile->classes[i];

		if (rt_class_is_lossless(class) && rt_setting_known(&class->dscp) &&
		    class->dscp.number)
			return (unsigned)__builtin_ctzll(class->dscp.number);
	}
	return DSCP_USUAL;
}

static int read_source(const char *text, struct rt_ip *ret_ip, struct rt_err *err)
{
	struct rt_ip ip = { .version = 4 };

	if (inet_pton(AF_INET, text, ip.bytes) != 1) {
		ip.version = 6;
		if (inet_pton(AF_INET6, text, ip.bytes) != 1)
			return rt_err_set(err, -EINVAL, "'%.60s' is no IP address",
					  text);
	}
	*ret_ip = ip;
	return 0;
}

static int run(const struct rt_probe_request *request, struct rt_probed *probed,
	       struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	struct probing probing = { .request = request, .probed = probed, .err = err };
	struct rt_prober_config config = {
		.host = request->host,
		.family = request->family,
		.port = (uint16_t)(request->port.known ? request->port.value
						       : RT_PROBE_PORT),
		.pps = request->load_ns.known ? LOAD_PPS : SECOND_NS / PACE_NS,
	};
	int r = 0;

	if (request->profile)
		r = rt_run_profile_read(request->profile, &profile, err);
	if (r == 0 && request->source)
		r = read_source(request->source, &config.source, err);
	if (r == 0)
		r = rt_prober_open(&config, &probing.prober, err);
	if (r < 0)
		return r;
	rt_prober_about(probing.prober, &probing.about);
	snprintf(probed->host, sizeof(probed->host), "%.127s", request->host);
	probed->address = probing.about.address;
	probed->source = probing.about.source;
	memcpy(probed->netdev, probing.about.netdev, sizeof(probed->netdev));
	memcpy(probed->icmp_why, probing.about.why, sizeof(probed->icmp_why));
	probed->local_mtu_bytes = probing.about.mtu_bytes;
	probed->dscp = data_dscp(request, profile);
	r = send_all(&probing, profile);
	rt_prober_close(probing.prober);
	return r;
}

static void release(void *object)
{
	struct rt_probed *probed = object;

	free(probed->marks);
	free(probed->sizes);
	free(probed->hops);
	free(probed->told);
	rt_findings_free(&probed->findings);
	free(probed);
}

static struct rt_probed *new_probed(void)
{
	struct rt_probed *probed = calloc(1, sizeof(*probed));

	if (!probed)
		return NULL;
	probed->marks = calloc(RT_PROBE_MARKS, sizeof(*probed->marks));
	probed->sizes = calloc(RT_PROBE_SIZES, sizeof(*probed->sizes));
	probed->hops = calloc(RT_PROBE_HOPS, sizeof(*probed->hops));
	probed->told = calloc(RT_PROBE_ASK_COUNT, sizeof(*probed->told));
	if (probed->marks && probed->sizes && probed->hops && probed->told)
		return probed;
	release(probed);
	return NULL;
}

int rt_run_probe(const struct rt_probe_request *request, struct rt_outcome *ret_outcome,
		 struct rt_err *err)
{
	struct rt_probed *probed = new_probed();
	int r = probed ? run(request, probed, err)
		       : rt_err_sys(err, -ENOMEM, "%s", request->host);

	if (r == 0) {
		rt_probe_fill_told(request, probed);
		r = rt_rules_run(rt_probe_rules, rt_probe_rule_count, probed,
				 &probed->findings, err);
	}
	if (r < 0) {
		if (probed)
			release(probed);
		return r;
	}
	rt_findings_sort(&probed->findings);
	*ret_outcome = (struct rt_outcome){ .table = &rt_probed_table,
					    .object = probed,
					    .findings = &probed->findings,
					    .release = release };
	return 0;
}

/* --- the other end ------------------------------------------------------------------------ */

#define LISTEN_NS (600 * SECOND_NS)

int rt_run_probe_listen(const char *bind, struct rt_opt_u64 port,
			struct rt_opt_u64 for_ns, int stop_fd,
			void (*ready)(void *user), void *user,
			struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_probe_listener_config config = {
		.port = (uint16_t)(port.known ? port.value : RT_PROBE_PORT),
		.until_ns = rt_clock_ns(CLOCK_MONOTONIC) +
			    (for_ns.known ? (int64_t)for_ns.value : LISTEN_NS),
		.stop_fd = stop_fd,
		.ready = ready,
		.user = user,
	};
	struct rt_probe_listened listened = { 0 };
	struct rt_probe_listening *listening;
	int r = bind ? read_source(bind, &config.bind, err) : 0;

	if (r == 0)
		r = rt_probe_listen(&config, &listened, err);
	if (r < 0)
		return r;
	listening = calloc(1, sizeof(*listening));
	if (!listening)
		return rt_err_sys(err, -ENOMEM, "probe");
	snprintf(listening->address, sizeof(listening->address), "%.45s",
		 bind ? bind : "127.0.0.1");
	listening->port = config.port;
	listening->requests = listened.requests;
	listening->answers = listened.answers;
	listening->limited = listened.limited;
	listening->others = listened.others;
	*ret_outcome = (struct rt_outcome){ .table = &rt_probe_listening_table,
					    .object = listening,
					    .release = free };
	return 0;
}
