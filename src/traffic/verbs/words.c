/* SPDX-License-Identifier: BSD-2-Clause */
/* words.c - verbs' numbers in words, and the limit of locked memory. */
#include "traffic/verbs/choose.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

#define NAMED(word)               \
	{                         \
#word, word, NULL \
	}

static const struct rt_name status_names[] = {
	NAMED(IBV_WC_SUCCESS),
	NAMED(IBV_WC_LOC_LEN_ERR),
	NAMED(IBV_WC_LOC_QP_OP_ERR),
	NAMED(IBV_WC_LOC_EEC_OP_ERR),
	NAMED(IBV_WC_LOC_PROT_ERR),
	NAMED(IBV_WC_WR_FLUSH_ERR),
	NAMED(IBV_WC_MW_BIND_ERR),
	NAMED(IBV_WC_BAD_RESP_ERR),
	NAMED(IBV_WC_LOC_ACCESS_ERR),
	NAMED(IBV_WC_REM_INV_REQ_ERR),
	NAMED(IBV_WC_REM_ACCESS_ERR),
	NAMED(IBV_WC_REM_OP_ERR),
	NAMED(IBV_WC_RETRY_EXC_ERR),
	NAMED(IBV_WC_RNR_RETRY_EXC_ERR),
	NAMED(IBV_WC_LOC_RDD_VIOL_ERR),
	NAMED(IBV_WC_REM_INV_RD_REQ_ERR),
	NAMED(IBV_WC_REM_ABORT_ERR),
	NAMED(IBV_WC_INV_EECN_ERR),
	NAMED(IBV_WC_INV_EEC_STATE_ERR),
	NAMED(IBV_WC_FATAL_ERR),
	NAMED(IBV_WC_RESP_TIMEOUT_ERR),
	NAMED(IBV_WC_GENERAL_ERR),
	{ 0 },
};

static const struct rt_name event_names[] = {
	NAMED(IBV_EVENT_CQ_ERR),
	NAMED(IBV_EVENT_QP_FATAL),
	NAMED(IBV_EVENT_QP_REQ_ERR),
	NAMED(IBV_EVENT_QP_ACCESS_ERR),
	NAMED(IBV_EVENT_PATH_MIG_ERR),
	NAMED(IBV_EVENT_DEVICE_FATAL),
	NAMED(IBV_EVENT_PORT_ACTIVE),
	NAMED(IBV_EVENT_PORT_ERR),
	NAMED(IBV_EVENT_GID_CHANGE),
	NAMED(IBV_EVENT_LID_CHANGE),
	NAMED(IBV_EVENT_CLIENT_REREGISTER),
	{ 0 },
};

const char *verbs_status_name(unsigned status)
{
	const char *name = rt_name_of(status_names, status);

	return name ? name : "IBV_WC_(not known)";
}

const char *verbs_event_name(unsigned event)
{
	const char *name = rt_name_of(event_names, event);

	return name ? name : "IBV_EVENT_(not known)";
}

unsigned verbs_mtu_code(uint32_t bytes)
{
	for (unsigned code = IBV_MTU_256; code <= IBV_MTU_4096; code++)
		if (bytes == 128u << code)
			return code;
	return 0;
}

uint32_t verbs_mtu_bytes(unsigned code)
{
	return code >= IBV_MTU_256 && code <= IBV_MTU_4096 ? 128u << code : 0;
}

/*
 * Codes of PortInfo's LinkSpeedActive with its extensions and of LinkWidthActive (IBTA
 * 14.2.5.6; rdma-core gives them on as they are).  Mb/s of data a lane.
 */
struct rt_opt_u64 verbs_speed_bps(unsigned speed_code, unsigned width_code)
{
	static const struct {
		unsigned code;
		uint64_t value;
	} lane_mbps
		[] = { { 1, 2500 },   { 2, 5000 },   { 4, 10000 },  { 8, 10000 },
		       { 16, 14000 }, { 32, 25000 }, { 64, 50000 }, { 128, 100000 } },
       lanes[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } };
	uint64_t mbps = 0, width = 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(lane_mbps); i++)
		if (lane_mbps[i].code == speed_code)
			mbps = lane_mbps[i].value;
	for (size_t i = 0; i < RT_ARRAY_SIZE(lanes); i++)
		if (lanes[i].code == width_code)
			width = lanes[i].value;
	return (struct rt_opt_u64){ .value = mbps * width * 1000000,
				    .known = mbps && width };
}

/* --- locked memory ---------------------------------------------------------------- */

/* A bit of CapEff (capabilities(7)). */
#define CAP_IPC_LOCK_BIT 14

static uint64_t number_after(const char *text, const char *word, int base)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, base) : 0;
}

void verbs_lock_room_read(const char *status, struct verbs_lock_room *room)
{
	room->pinned_bytes = number_after(status, "\nVmPin:", 10) * 1024;
	room->exempt = number_after(status, "\nCapEff:", 16) >> CAP_IPC_LOCK_BIT & 1;
}

int verbs_lock_check(const struct verbs_lock_room *room, uint64_t need_bytes,
		     struct rt_err *err)
{
	char need[RT_UNIT_TEXT_BYTES], limit[RT_UNIT_TEXT_BYTES],
		pinned[RT_UNIT_TEXT_BYTES];

	if (room->exempt || room->limit_bytes == UINT64_MAX)
		return 0;
	if (need_bytes <= room->limit_bytes &&
	    room->pinned_bytes <= room->limit_bytes - need_bytes)
		return 0;
	return rt_err_set(err, -ENOMEM,
			  "%s more of memory must be locked for RDMA; %s are already, "
			  "and the limit is %s: raise it by `ulimit -l unlimited`, by "
			  "LimitMEMLOCK=infinity in the systemd unit (slurmd's, for "
			  "jobs), or by '* - memlock unlimited' in "
			  "/etc/security/limits.d/rdma.conf and a new login",
			  rt_unit_format(RT_UNIT_BYTES, need_bytes, need),
			  rt_unit_format(RT_UNIT_BYTES, room->pinned_bytes, pinned),
			  rt_unit_format(RT_UNIT_BYTES, room->limit_bytes, limit));
}
