/* SPDX-License-Identifier: BSD-2-Clause */
/* confirm.c - the user's own session, and systemd as a clock. */
#include "run/confirm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "host/device.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/program.h"

/* --- the session ------------------------------------------------------------------- */

static bool parse_ip(const char *text, struct rt_ip *ip)
{
	*ip = (struct rt_ip){ 0 };
	if (inet_pton(AF_INET, text, ip->bytes) == 1)
		ip->version = 4;
	else if (inet_pton(AF_INET6, text, ip->bytes) == 1)
		ip->version = 6;
	return ip->version != 0;
}

bool rt_session_address(const char *ssh_connection, struct rt_ip *ret_address)
{
	char local[64];
	struct rt_ip ip;

	if (!ssh_connection || sscanf(ssh_connection, "%*s %*s %63s", local) != 1)
		return false;
	local[strcspn(local, "%")] = '\0'; /* the zone of a link-local address */
	if (!parse_ip(local, &ip))
		return false;
	/* What a listener for both families sees of IPv4: RFC 4291, 2.5.5.2. */
	if (ip.version == 6 && IN6_IS_ADDR_V4MAPPED((struct in6_addr *)ip.bytes)) {
		memmove(ip.bytes, ip.bytes + 12, 4);
		ip.version = 4;
	}
	*ret_address = ip;
	return true;
}

static bool is_address(const struct sockaddr *at, const struct rt_ip *ip)
{
	if (!at)
		return false;
	if (at->sa_family == AF_INET && ip->version == 4)
		return memcmp(&((const struct sockaddr_in *)at)->sin_addr, ip->bytes,
			      4) == 0;
	return at->sa_family == AF_INET6 && ip->version == 6 &&
	       memcmp(&((const struct sockaddr_in6 *)at)->sin6_addr, ip->bytes, 16) ==
		       0;
}

bool rt_address_interface(const struct rt_ip *address, char *buf, size_t capacity)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all) < 0)
		return false;
	for (struct ifaddrs *at = all; at && !found; at = at->ifa_next)
		if (is_address(at->ifa_addr, address)) {
			snprintf(buf, capacity, "%s", at->ifa_name);
			found = true;
		}
	freeifaddrs(all);
	return found;
}

#define STACK_MOST 8 /* a VLAN on a bridge on a bond, and some */

static bool stands_on(struct rt_kern *kern, const char *interface, const char *netdev,
		      unsigned depth)
{
	struct rt_names names = { 0 };
	bool found = false;
	char path[64];

	if (strcmp(interface, netdev) == 0)
		return true;
	snprintf(path, sizeof(path), "/sys/class/net/%.16s", interface);
	if (depth == STACK_MOST || kern->ops->folder_read(kern, path, &names, NULL) < 0)
		return false;
	for (size_t i = 0; i < names.count && !found; i++)
		if (strncmp(names.items[i], "lower_", 6) == 0)
			found = stands_on(kern, names.items[i] + 6, netdev, depth + 1);
	rt_names_free(&names);
	return found;
}

bool rt_stands_on(struct rt_kern *kern, const char *interface, const char *netdev)
{
	return *netdev && stands_on(kern, interface, netdev, 0);
}

/* --- whose session it is ------------------------------------------------------------- */

enum session {
	SESSION_LOCAL,
	SESSION_REMOTE, /* by which address is not known */
	SESSION_KNOWN,
};

#define ANCESTORS_MOST     32
#define ENVIRON_MOST_BYTES (256u << 10)

/* What a session from elsewhere hangs on, as /proc/PID/stat names it. */
static const struct rt_name servers[] = {
	{ "sshd", 0, NULL },       { "sshd-session", 0, NULL },
	{ "dropbear", 0, NULL },   { "mosh-server", 0, NULL },
	{ "in.telnetd", 0, NULL }, { "telnetd", 0, NULL },
	{ "tailscaled", 0, NULL }, { 0 },
};

/* proc(5): "77 (a name) S 1 ...", and the name may have anything in it. */
static long parent_of(struct rt_kern *kern, long pid, bool *ret_serves)
{
	char path[64], line[512], *name, *end;
	long parent;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (rt_kern_line(kern, path, line, sizeof(line), NULL) < 0)
		return 0;
	name = strchr(line, '(');
	end = strrchr(line, ')');
	if (!name || !end || end < name || sscanf(end + 1, " %*c %ld", &parent) != 1)
		return 0;
	*end = '\0';
	*ret_serves = rt_name_find(servers, name + 1) != NULL;
	return parent;
}

/* $SSH_CONNECTION as the process was started with it. */
static bool address_of(struct rt_kern *kern, long pid, struct rt_ip *ret_address)
{
	static const char word[] = "SSH_CONNECTION=";
	RT_AUTO(rt_auto_free) char *text = malloc(ENVIRON_MOST_BYTES);
	size_t bytes = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/environ", pid);
	if (!text || kern->ops->file_read(kern, path, text, ENVIRON_MOST_BYTES, &bytes,
					  NULL) < 0)
		return false;
	for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
		if (strncmp(text + at, word, sizeof(word) - 1) == 0)
			return rt_session_address(text + at + sizeof(word) - 1,
						  ret_address);
	return false;
}

/* sudo(8) and the like pass no $SSH_CONNECTION on, and the shell before them has it. */
static enum session find_session(struct rt_kern *kern, struct rt_ip *ret_address)
{
	long pid = getppid();
	bool serves = false;

	if (rt_session_address(getenv("SSH_CONNECTION"), ret_address))
		return SESSION_KNOWN;
	for (unsigned i = 0; i < ANCESTORS_MOST && pid > 1 && !serves; i++) {
		if (address_of(kern, pid, ret_address))
			return SESSION_KNOWN;
		pid = parent_of(kern, pid, &serves);
	}
	return serves ? SESSION_REMOTE : SESSION_LOCAL;
}

bool rt_carries_session(struct rt_kern *kern, const struct rt_device *device)
{
	char interface[IF_NAMESIZE];
	struct rt_ip address;
	const enum session session = find_session(kern, &address);

	/* From elsewhere, and nobody tells which way: it may be this one. */
	if (session != SESSION_KNOWN)
		return session == SESSION_REMOTE;
	return rt_address_interface(&address, interface, sizeof(interface)) &&
	       rt_stands_on(kern, interface, device->netdev);
}

/* --- the clock ------------------------------------------------------------------------ */

/* Meanwhile the journal is open and the lock taken: a bus that hangs is no clock. */
#define CLOCK_MOST_MS 10000

int rt_confirm_arm(const char *id, const char *state_folder, uint64_t wait_ns,
		   struct rt_err *err)
{
	char self[4096], when[64], unit[160], where[4200];
	const char *const argv[] = { "systemd-run",
				     "--quiet",
				     "--collect",
				     when,
				     "--timer-property=AccuracySec=1s",
				     unit,
				     where,
				     self,
				     "recover",
				     "--overdue",
				     id,
				     NULL };
	int r = rt_program_self(self, sizeof(self), err);

	if (r < 0)
		return r;
	/* sd_booted(3). */
	if (access("/run/systemd/system", F_OK) < 0)
		return rt_err_set(err, -ENOENT, "systemd does not run here");
	snprintf(when, sizeof(when), "--on-active=%" PRIu64 "ms", wait_ns / 1000000);
	snprintf(unit, sizeof(unit), "--unit=rocetune-confirm-%s", id);
	snprintf(where, sizeof(where), "--setenv=ROCETUNE_STATE=%s", state_folder);
	return rt_program_run(argv, CLOCK_MOST_MS, err);
}
