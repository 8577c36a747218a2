/* SPDX-License-Identifier: BSD-2-Clause */
/* managers.c - who else sets these knobs here, and what this process may do. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "kern/kern.h"
#include "run/gate.h"

#define DCB                                                               \
	(1u << RT_GROUP_TRUST | 1u << RT_GROUP_PFC | 1u << RT_GROUP_ETS | \
	 1u << RT_GROUP_RATE | 1u << RT_GROUP_BUFFER | 1u << RT_GROUP_DCBX)
#define TOS (1u << RT_GROUP_TOS)
#define CC  (1u << RT_GROUP_CC)

const struct rt_manager rt_managers[] = {
	{ .name = "lldpad",
	  .comm = "lldpad",
	  .groups = DCB,
	  .does = "negotiates DCBX and writes what it agrees on, or its own file",
	  .remedy =
		  "stop it (systemctl disable --now lldpad.socket lldpad.service), or "
		  "let it own DCB and leave these groups out with --only",
	  .source = "github.com/intel/openlldp, issues 34 and 42, pull request 41" },
	{ .name = "nic-configuration-operator",
	  .comm = "nic-configurati",
	  .groups = DCB | TOS | CC,
	  .does = "sets trust, PFC and ToS from Kubernetes templates again and again",
	  .remedy = "change its NicConfigurationTemplate, or take this node out of it",
	  .source = "github.com/Mellanox/nic-configuration-operator, README" },
	{ .name = "tuned",
	  .comm = "tuned",
	  .active = "/etc/tuned/active_profile",
	  .path = "/etc/tuned/%s/tuned.conf",
	  .words = { "mlnx_qos", "cma_roce", "pause" },
	  .groups = DCB | TOS | 1u << RT_GROUP_PAUSE,
	  .does = "sets the NIC from its active profile",
	  .remedy = "take the NIC's settings out of the tuned profile, or choose "
		    "another (tuned-adm profile NAME)",
	  .source = "tuned-profiles(7)" },
	{ .name = "tuned",
	  .comm = "tuned",
	  .active = "/etc/tuned/active_profile",
	  .path = "/usr/lib/tuned/%s/tuned.conf",
	  .words = { "mlnx_qos", "cma_roce", "pause" },
	  .groups = DCB | TOS | 1u << RT_GROUP_PAUSE,
	  .does = "sets the NIC from its active profile",
	  .remedy = "choose another tuned profile (tuned-adm profile NAME)",
	  .source = "tuned-profiles(7)" },
	{ .name = "openibd",
	  .path = "/etc/infiniband/post-start-hook.sh",
	  .words = { "mlnx_qos" },
	  .groups = DCB,
	  .does = "calls mlnx_qos whenever it loads the driver",
	  .remedy = "take mlnx_qos out of /etc/infiniband/post-start-hook.sh",
	  .source = "NVIDIA MLNX_OFED user manual, openibd's hooks" },
	{ .name = "openibd",
	  .path = "/etc/infiniband/post-start-hook.sh",
	  .words = { "cma_roce_tos" },
	  .groups = TOS,
	  .does = "calls cma_roce_tos whenever it loads the driver",
	  .remedy = "take cma_roce_tos out of /etc/infiniband/post-start-hook.sh",
	  .source = "NVIDIA MLNX_OFED user manual, openibd's hooks" },
	{ 0 },
};

static bool is_number(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isdigit((unsigned char)*at))
			return false;
	return *name != '\0';
}

/* Bits of the managers whose process this is. */
static uint32_t managers_of_process(struct rt_kern *kern, const char *pid)
{
	char path[64], comm[64];
	uint32_t found = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if (rt_kern_line(kern, path, comm, sizeof(comm), NULL) < 0)
		return 0;
	for (unsigned i = 0; rt_managers[i].name; i++)
		if (rt_managers[i].comm && strcmp(rt_managers[i].comm, comm) == 0)
			found |= 1u << i;
	return found;
}

static uint32_t running(struct rt_kern *kern)
{
	struct rt_names names = { 0 };
	uint32_t found = 0;

	if (kern->ops->folder_read(kern, "/proc", &names, NULL) < 0)
		return 0;
	for (size_t i = 0; i < names.count; i++)
		if (is_number(names.items[i]))
			found |= managers_of_process(kern, names.items[i]);
	rt_names_free(&names);
	return found;
}

#define FILE_MOST_BYTES 65536

/* Lines that begin with # say nothing. */
static bool file_has(struct rt_kern *kern, const char *path, const char *const *words)
{
	RT_AUTO(rt_auto_free) char *text = malloc(FILE_MOST_BYTES);
	char *rest = text, *line;
	size_t bytes;

	if (!text ||
	    kern->ops->file_read(kern, path, text, FILE_MOST_BYTES, &bytes, NULL) < 0)
		return false;
	while ((line = strsep(&rest, "\n")))
		for (unsigned i = 0; i < RT_MANAGER_WORDS && words[i]; i++)
			if (line[strspn(line, " \t")] != '#' && strstr(line, words[i]))
				return true;
	return false;
}

/* Its file, with the name of what is active in it; false: nothing is active. */
static bool path_of(struct rt_kern *kern, const struct rt_manager *row, char path[256])
{
	char active[64] = "";
	const char *at = strstr(row->path, "%s");

	if (!row->active)
		return snprintf(path, 256, "%s", row->path) > 0;
	if (rt_kern_line(kern, row->active, active, sizeof(active), NULL) < 0 ||
	    !*active || strchr(active, '/'))
		return false;
	snprintf(path, 256, "%.*s%s%s", (int)(at - row->path), row->path, active,
		 at + 2);
	return true;
}

static bool owns(struct rt_kern *kern, const struct rt_manager *row, bool runs)
{
	char path[256];

	if (row->comm && !runs)
		return false;
	return !row->path ||
	       (path_of(kern, row, path) && file_has(kern, path, row->words));
}

uint32_t rt_managers_find(struct rt_kern *kern)
{
	const uint32_t processes = running(kern);
	uint32_t found = 0;

	for (unsigned i = 0; rt_managers[i].name; i++)
		if (owns(kern, &rt_managers[i], processes >> i & 1))
			found |= 1u << i;
	return found;
}

/* --- rights -------------------------------------------------------------------------- */

#define CAP_NET_ADMIN_BIT 12 /* linux/capability.h */

void rt_rights_read(struct rt_kern *kern, struct rt_rights *ret_rights)
{
	struct rt_rights rights = { 0 };
	char text[8192], *at;
	unsigned long inside, outside, count;
	size_t bytes;

	*ret_rights = rights;
	if (kern->ops->file_read(kern, "/proc/self/status", text, sizeof(text), &bytes,
				 NULL) < 0)
		return;
	at = strstr(text, "\nCapEff:");
	if (!at)
		return;
	rights.net_admin = strtoull(at + 8, NULL, 16) >> CAP_NET_ADMIN_BIT & 1;
	if (rt_kern_line(kern, "/proc/self/uid_map", text, sizeof(text), NULL) < 0 ||
	    sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3)
		return;
	/* All of them mapped onto themselves: user_namespaces(7), the first one. */
	rights.first_user_ns = inside == 0 && outside == 0 && count == 4294967295ul;
	rights.known = true;
	*ret_rights = rights;
}
