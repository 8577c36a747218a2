/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_state.c - what a state file may say, and whose process it names. */
#include "lab/lab_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"

static const struct rt_field host_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_host, name, "of the host and of its interface"),
	RT_FIELD_CHARS_OF(struct rt_lab_host, switch_port,
			  "the switch's interface at the other end"),
	RT_FIELD(struct rt_lab_host, IP, ip, NONE, "of the interface"),
	RT_FIELD(struct rt_lab_host, MAC, mac, NONE, "of the interface",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_lab_host, U32, netns_fd, NONE,
		 "file descriptor of its network namespace in the lab's process",
		 .flags = RT_FIELD_DATA),
};
RT_TABLE(rt_lab_host_table, rt_lab_host, "lab_host", "Hosts", "A host of a lab.",
	 host_fields);

static const struct rt_field state_fields[] = {
	RT_FIELD(struct rt_lab_state, U32, version, NONE, "of this file's form"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, name, "of the lab"),
	RT_FIELD(struct rt_lab_state, U32, pid, NONE, "of the lab's process"),
	RT_FIELD(struct rt_lab_state, U64, start_ticks, NONE,
		 "when that began, in clock ticks since the boot"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, boot_id, "of the boot this was"),
	RT_FIELD(struct rt_lab_state, BOOL, user_namespace, NONE,
		 "made without root, in a user namespace"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, topology, "kind"),
	RT_FIELD(struct rt_lab_state, U64, rate_bps, BPS, "of the hosts' links"),
	RT_FIELD(struct rt_lab_state, U32, mtu_bytes, BYTES, "of the interfaces"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, profile, "whose settings it has"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, scenario, "file that it was made of"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, said, "how they were scaled"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, faults, "what is wrong on purpose"),
	RT_FIELD(struct rt_lab_state, OPT_U64, lossless, NONE,
		 "bit n: PFC is on for priority n"),
	RT_FIELD(struct rt_lab_state, OPT_U64, rdma_prios, NONE,
		 "bit n: RDMA is meant to be on priority n"),
	RT_FIELD(struct rt_lab_state, OPT_U64, cnp_gap_ns, NS,
		 "least time between two CNPs of a flow"),
	RT_FIELD_CHARS_OF(struct rt_lab_state, dscp_prios,
			  "the priority of each DSCP from 0 on, a digit each"),
	RT_FIELD_LIST_OF(struct rt_lab_state, hosts, host_count, &rt_lab_host_table,
			 "in it"),
};
RT_TABLE(rt_lab_state_table, rt_lab_state, "lab_state", "Lab",
	 "A lab that is up: who holds it and what it is made of.", state_fields);

void rt_lab_state_free(struct rt_lab_state *state)
{
	rt_record_free(&rt_lab_state_table, state);
}

const struct rt_lab_host *rt_lab_host_at(const struct rt_lab_state *state,
					 const char *switch_port)
{
	for (size_t i = 0; i < state->host_count; i++)
		if (strcmp(state->hosts[i].switch_port, switch_port) == 0)
			return &state->hosts[i];
	return NULL;
}

struct rt_opt_u64 rt_lab_prio_of(const char *dscp_prios, uint8_t dscp)
{
	if (strlen(dscp_prios) <= dscp)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64((uint64_t)(dscp_prios[dscp] - '0'));
}

int rt_lab_name_check(const char *name, struct rt_err *err)
{
	const size_t bytes = strlen(name);

	if (bytes == 0 || bytes >= RT_LAB_NAME_BYTES ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != bytes ||
	    name[0] == '-')
		return rt_err_set(err, -EINVAL,
				  "'%.40s' is no name for a lab: small letters, digits "
				  "and dashes, %u at most",
				  name, RT_LAB_NAME_BYTES - 1);
	return 0;
}

/* --- the file ------------------------------------------------------------------------- */

/* Of interfaces as topologies name them; nothing that could lead elsewhere. */
static bool is_word(const char *text)
{
	const size_t bytes = strlen(text);

	return bytes > 0 &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") == bytes;
}

static int check_hosts(const char *name, const struct rt_lab_state *state,
		       struct rt_err *err)
{
	if (state->host_count == 0 || state->host_count > RT_LAB_MAX_HOSTS)
		return rt_err_set(err, -EINVAL, "%s: %zu hosts: a lab has 1 to %u",
				  name, state->host_count, RT_LAB_MAX_HOSTS);
	for (size_t i = 0; i < state->host_count; i++) {
		const struct rt_lab_host *host = &state->hosts[i];

		if (!is_word(host->name) || !is_word(host->switch_port) ||
		    host->ip.version != 4 || host->netns_fd > INT32_MAX)
			return rt_err_set(err, -EINVAL,
					  "%s: host %zu: no name, IPv4 address and "
					  "namespace",
					  name, i);
	}
	return 0;
}

static int check_state(const char *name, const struct rt_lab_state *state,
		       struct rt_err *err)
{
	if (state->version != RT_LAB_STATE_VERSION)
		return rt_err_set(err, -EINVAL,
				  "%s: version %u: this rocetune knows %u", name,
				  state->version, RT_LAB_STATE_VERSION);
	/* Signals go to it: 0 and 1 are never a lab. */
	if (state->pid < 2 || state->pid > INT32_MAX)
		return rt_err_set(err, -EINVAL, "%s: %u is no process of a lab", name,
				  state->pid);
	if (rt_lab_name_check(state->name, NULL) < 0)
		return rt_err_set(err, -EINVAL, "%s: no name of a lab in it", name);
	if (*state->dscp_prios &&
	    strspn(state->dscp_prios, "01234567") != RT_LAB_DSCP_BYTES - 1)
		return rt_err_set(err, -EINVAL,
				  "%s: dscp_prios: 64 priorities of 0 to 7 are wanted",
				  name);
	return check_hosts(name, state, err);
}

int rt_lab_state_parse(const char *name, const char *text, size_t bytes,
		       struct rt_lab_state *ret_state, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_lab_state state = { 0 };
	int r = rt_doc_parse(name, text, bytes, &doc, err);

	if (r == 0)
		r = rt_record_read_envelope(doc, &rt_lab_state_table, &state, err);
	if (r < 0)
		return r;
	r = check_state(name, &state, err);
	if (r < 0)
		rt_lab_state_free(&state);
	else
		*ret_state = state;
	return r;
}

/* --- its process ------------------------------------------------------------------------ */

static int read_small(const char *path, char *buf, size_t capacity)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, buf, capacity - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

int rt_lab_start_ticks(pid_t pid, uint64_t *ret_ticks)
{
	char path[64], text[1024];
	unsigned long long ticks;
	const char *behind;
	int r;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	r = read_small(path, text, sizeof(text));
	if (r < 0)
		return r;
	/* The name stands in brackets and may hold anything. */
	behind = strrchr(text, ')');
	if (!behind ||
	    sscanf(behind + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %*s %*s %llu",
		   &ticks) != 1)
		return -EPROTO;
	*ret_ticks = ticks;
	return 0;
}

int rt_lab_boot_id(char buf[RT_LAB_BOOT_BYTES])
{
	const int r = read_small("/proc/sys/kernel/random/boot_id", buf,
				 RT_LAB_BOOT_BYTES);

	if (r == 0)
		buf[strcspn(buf, "\n")] = '\0';
	return r;
}

int rt_lab_pidfd(const struct rt_lab_state *state, int *ret_fd, struct rt_err *err)
{
	char boot_id[RT_LAB_BOOT_BYTES] = "";
	uint64_t ticks = 0;
	const int fd = pidfd_open((pid_t)state->pid, 0);

	if (fd < 0)
		return rt_err_sys(err, -errno, "process %u of lab '%s'", state->pid,
				  state->name);
	/* Read behind pidfd_open(), so that what is compared is what was opened. */
	if (rt_lab_start_ticks((pid_t)state->pid, &ticks) < 0 ||
	    ticks != state->start_ticks || rt_lab_boot_id(boot_id) < 0 ||
	    strcmp(boot_id, state->boot_id) != 0) {
		close(fd);
		return rt_err_set(err, -ESRCH,
				  "process %u is another one than lab '%s' had",
				  state->pid, state->name);
	}
	*ret_fd = fd;
	return 0;
}
