/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_fault.c - the kinds of faults, their words, and what they change. */
#include "run/lab_fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/fabric_config.h"
#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/units.h"
#include "traffic/faults.h"

const struct rt_lab_fault_kind rt_lab_fault_kinds[] = {
	[RT_LAB_SLOW_RECEIVER] = { "slow-receiver",
				   "the host takes data at this share of its link, and "
				   "stops its peer by PFC",
				   true, 300000000 },
	[RT_LAB_NO_RECEIVE_BUFFERS] = { "no-receive-buffers",
					"this share of its messages finds none: RNR "
					"NAKs, for SEND and WRITE with immediate data",
					true, 100000000 },
	[RT_LAB_SMALL_HEADROOM] = { "small-headroom",
				    "the switch has this share of its headroom", false,
				    0 },
	[RT_LAB_REORDER] = { "reorder",
			     "this share of data frames is overtaken in front of the "
			     "host, which keeps what comes early",
			     true, 20000000 },
	{ 0 },
};

/* --- words ---------------------------------------------------------------------------- */

static int unknown(const char *word, struct rt_err *err)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; rt_lab_fault_kinds[i].name; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 i ? ", " : "", rt_lab_fault_kinds[i].name);
	return rt_err_set(err, -EDOM, "there is no fault '%.40s': %s", word, known);
}

static int read_share(const char *word, const char *text, uint64_t *ret_ppb,
		      struct rt_err *err)
{
	if (rt_unit_parse(RT_UNIT_PCT, text, ret_ppb, NULL) < 0 || *ret_ppb > RT_PPB)
		return rt_err_set(err, -EDOM,
				  "%.40s=%.20s: a share of 0%% to 100%% is wanted",
				  word, text);
	return 0;
}

/* "slow-receiver@h0=30%"; word is written to. */
static int read_fault(char *word, struct rt_lab_fault *fault, struct rt_err *err)
{
	char *share = strchr(word, '='), *host = strchr(word, '@');
	const struct rt_lab_fault_kind *kind = rt_lab_fault_kinds;

	if (share)
		*share++ = '\0';
	if (host)
		*host++ = '\0';
	while (kind->name && strcmp(kind->name, word) != 0)
		kind++;
	if (!kind->name)
		return unknown(word, err);
	if (host && (!kind->of_host || !*host || strlen(host) >= sizeof(fault->host)))
		return rt_err_set(err, -EDOM, "%s@%.20s: %s", word, host,
				  kind->of_host ? "that is no host"
						: "it is of the lab and of no host");
	*fault = (struct rt_lab_fault){ .kind = (unsigned)(kind - rt_lab_fault_kinds),
					.share_ppb = kind->share_ppb };
	if (host)
		strcpy(fault->host, host);
	if (share && read_share(word, share, &fault->share_ppb, err) < 0)
		return -EDOM;
	if (fault->kind == RT_LAB_SLOW_RECEIVER && fault->share_ppb == 0)
		return rt_err_set(err, -EDOM, "%s=0%%: who takes nothing is dead",
				  word);
	return 0;
}

int rt_lab_faults_read(const char *text, struct rt_lab_faults *ret_faults,
		       struct rt_err *err)
{
	char copy[RT_LAB_FAULTS_BYTES], *rest = NULL;
	struct rt_lab_faults faults = { 0 };
	int r = 0;

	if (text && strlen(text) >= sizeof(copy))
		return rt_err_set(err, -EDOM, "faults: more than %zu letters of them",
				  sizeof(copy) - 1);
	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	for (char *word = strtok_r(copy, ",", &rest); word && r == 0;
	     word = strtok_r(NULL, ",", &rest))
		r = faults.count == RT_LAB_MAX_FAULTS
			    ? rt_err_set(err, -EDOM, "more than %u faults",
					 RT_LAB_MAX_FAULTS)
			    : read_fault(word, &faults.items[faults.count++], err);
	if (r == 0)
		*ret_faults = faults;
	return r;
}

int rt_lab_faults_check(const struct rt_lab_faults *faults,
			const struct rt_topology *topology, struct rt_err *err)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct rt_lab_fault *fault = &faults->items[i];
		uint32_t host = 0;

		while (*fault->host && host < topology->hosts &&
		       strcmp(topology->ports[host].name, fault->host) != 0)
			host++;
		if (host == topology->hosts)
			return rt_err_set(err, -EDOM,
					  "%s@%s: the lab's hosts are %s to %s",
					  rt_lab_fault_kinds[fault->kind].name,
					  fault->host, topology->ports[0].name,
					  topology->ports[topology->hosts - 1].name);
	}
	return 0;
}

/* --- what they change ------------------------------------------------------------------ */

static uint64_t share_of(uint64_t value, uint64_t share_ppb)
{
	return (uint64_t)((unsigned __int128)value * share_ppb / RT_PPB);
}

static void cut_headroom(struct rt_fabric_config *laws, uint64_t share_ppb)
{
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			uint64_t *own = &laws->pg[role][prio].headroom_bytes;
			uint64_t *beside = &laws->headroom_beside_bytes[role][prio];

			*own = share_of(*own, share_ppb);
			*beside = share_of(*beside, share_ppb);
		}
	laws->shared_headroom_bytes = share_of(laws->shared_headroom_bytes, share_ppb);
}

void rt_lab_faults_of_laws(const struct rt_lab_faults *faults,
			   struct rt_fabric_config *laws)
{
	for (size_t i = 0; i < faults->count; i++)
		if (faults->items[i].kind == RT_LAB_SMALL_HEADROOM)
			cut_headroom(laws, faults->items[i].share_ppb);
}

struct rt_engine_faults rt_lab_faults_of_host(const struct rt_lab_faults *faults,
					      const char *host, uint64_t rate_bps)
{
	struct rt_engine_faults of = { 0 };

	for (size_t i = 0; i < faults->count; i++) {
		const struct rt_lab_fault *fault = &faults->items[i];

		if (*fault->host && strcmp(fault->host, host) != 0)
			continue;
		switch (fault->kind) {
		case RT_LAB_SLOW_RECEIVER:
			of.receive_bps = share_of(rate_bps, fault->share_ppb);
			break;
		case RT_LAB_NO_RECEIVE_BUFFERS: of.refuse_ppb = fault->share_ppb; break;
		case RT_LAB_REORDER:
			of.overtake_ppb = fault->share_ppb;
			of.keep_early = true;
			break;
		default: break;
		}
	}
	return of;
}
