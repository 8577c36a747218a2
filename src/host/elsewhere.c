/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elsewhere.c - what three views of a host have together: its network namespaces,
 * programs' verbs, PCI.
 *
 * Files: Documentation/ABI/stable/sysfs-class-infiniband (infiniband_verbs).  The folder
 * "infiniband" of a PCI function is there while its driver has an RDMA device, and shows
 * it only in that device's namespace (drivers/base/core.c class_dir_create_and_add(),
 * drivers/infiniband/core/device.c ib_class): empty, it is another's.
 */
#include "host/elsewhere.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "host/device.h"
#include "host/device_read.h"
#include "host/driver.h"
#include "rocetune/err.h"

#define VERBS "/sys/class/infiniband_verbs"
#define PCI   "/sys/bus/pci/devices"

#define QUIET RT_FIELD_ZERO_QUIET

#define OWNER struct rt_elsewhere
static const struct rt_field elsewhere_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, netdev, "its network device", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, pci, "PCI address", .label = "PCI", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, driver, "kernel driver", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, netns, "name of its network namespace (ip-netns(8))",
			  .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, netns_id, NONE,
		 "number of its network namespace: net:[number]", .flags = QUIET),
	RT_FIELD(OWNER, OPT_U64, pid, NONE, "a process in it", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, where, "where it is"),
	RT_FIELD_CHARS_OF(OWNER, remedy, "how it can be read"),
};
RT_TABLE(rt_elsewhere_table, rt_elsewhere, "elsewhere", "In other network namespaces",
	 "An RDMA device that another network namespace has.", elsewhere_fields);
#undef OWNER

struct search {
	struct rt_kern *kern;
	const struct rt_devices *here;
	struct rt_elsewheres found;
	int homes_result; /* of rt_kern_rdma_homes() */
	bool partial;
	bool unplaced; /* some are known by name alone */
};

/* --- finding --------------------------------------------------------------------------- */

static bool is_here(const struct rt_devices *here, const char *ibdev)
{
	for (size_t i = 0; i < here->count; i++)
		if (strcmp(here->items[i].ibdev, ibdev) == 0)
			return true;
	return false;
}

static struct rt_elsewhere *find(struct rt_elsewheres *found, const char *ibdev,
				 const char *pci)
{
	for (size_t i = 0; i < found->count; i++) {
		struct rt_elsewhere *at = &found->items[i];

		if ((*ibdev && strcmp(at->device, ibdev) == 0) ||
		    (*pci && strcmp(at->pci, pci) == 0))
			return at;
	}
	return NULL;
}

static struct rt_elsewhere *add(struct search *search, const char *ibdev,
				const char *pci)
{
	struct rt_elsewheres *found = &search->found;
	struct rt_elsewhere *grown = rt_grow(found->items, found->count,
					     &found->capacity, sizeof(*grown));

	if (!grown)
		return NULL;
	found->items = grown;
	grown = &grown[found->count++];
	*grown = (struct rt_elsewhere){ 0 };
	snprintf(grown->device, sizeof(grown->device), "%s", ibdev);
	snprintf(grown->pci, sizeof(grown->pci), "%s", pci);
	return grown;
}

/* It becomes part of a command: no word of a shell but itself. */
static bool is_plain(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
			return false;
	return *name && *name != '-';
}

static int take_homes(struct search *search, const struct rt_rdma_homes *homes)
{
	for (size_t i = 0; i < homes->count; i++) {
		const struct rt_rdma_home *home = &homes->items[i];
		struct rt_elsewhere *at;
		char pci[16] = "";

		if (is_here(search->here, home->ibdev))
			continue;
		(void)rt_pci_of_path(home->pci, pci);
		at = add(search, home->ibdev, pci);
		if (!at)
			return -ENOMEM;
		memcpy(at->netdev, home->netdev, sizeof(at->netdev));
		at->netns_id = RT_KNOWN_U64(home->netns);
		if (is_plain(home->netns_name))
			memcpy(at->netns, home->netns_name, sizeof(at->netns));
		if (home->pid)
			at->pid = RT_KNOWN_U64(home->pid);
	}
	return 0;
}

static int take_verbs(struct search *search, const char *entry)
{
	char path[RT_PATH_BYTES], ibdev[RT_IBNAME_BYTES], link[512], pci[16] = "";
	struct rt_kern *kern = search->kern;
	struct rt_elsewhere *at;

	snprintf(path, sizeof(path), VERBS "/%.60s/ibdev", entry);
	if (rt_kern_line(kern, path, ibdev, sizeof(ibdev), NULL) < 0 || !*ibdev ||
	    is_here(search->here, ibdev))
		return 0;
	snprintf(path, sizeof(path), VERBS "/%.60s", entry);
	if (kern->ops->symlink_read(kern, path, link, sizeof(link), NULL) == 0)
		(void)rt_pci_of_path(link, pci);
	at = find(&search->found, ibdev, "");
	if (!at)
		at = add(search, ibdev, "");
	if (!at)
		return -ENOMEM;
	if (*pci)
		memcpy(at->pci, pci, sizeof(at->pci));
	return 0;
}

static bool is_pci_here(const struct rt_devices *here, const char *pci)
{
	for (size_t i = 0; i < here->count; i++)
		if (strcmp(here->items[i].pci, pci) == 0)
			return true;
	return false;
}

static bool has_hidden_device(struct rt_kern *kern, const char *pci)
{
	struct rt_names names = { 0 };
	char path[RT_PATH_BYTES];
	bool hidden;

	snprintf(path, sizeof(path), PCI "/%.60s/infiniband", pci);
	if (kern->ops->folder_read(kern, path, &names, NULL) < 0)
		return false;
	hidden = names.count == 0;
	rt_names_free(&names);
	return hidden;
}

/* The driver of the function at pci, when it is one that makes RDMA devices. */
static bool read_driver(struct rt_kern *kern, const char *pci, char ret_driver[32])
{
	char path[RT_PATH_BYTES], link[256];
	const char *name;

	snprintf(path, sizeof(path), PCI "/%.60s/driver", pci);
	if (kern->ops->symlink_read(kern, path, link, sizeof(link), NULL) < 0)
		return false;
	name = strrchr(link, '/');
	snprintf(ret_driver, 32, "%.31s", name ? name + 1 : link);
	return rt_driver_find(ret_driver) != NULL;
}

static int take_function(struct search *search, const char *entry)
{
	char driver[32], pci[16];

	if (!rt_pci_of_path(entry, pci) || !read_driver(search->kern, pci, driver) ||
	    is_pci_here(search->here, pci) || find(&search->found, "", pci) ||
	    !has_hidden_device(search->kern, pci))
		return 0;
	return add(search, "", pci) ? 0 : -ENOMEM;
}

/* take() of each name in a folder; a folder that is not there has none. */
static int each_of(struct search *search, const char *folder,
		   int (*take)(struct search *search, const char *entry))
{
	struct rt_names names = { 0 };
	int r = 0;

	if (search->kern->ops->folder_read(search->kern, folder, &names, NULL) < 0)
		return 0;
	for (size_t i = 0; i < names.count && r == 0; i++)
		r = take(search, names.items[i]);
	rt_names_free(&names);
	return r;
}

/* --- telling ----------------------------------------------------------------------------- */

/*
 * How one gets there.  sysfs shows what the namespace of who mounted it has: ip-netns(8)
 * mounts it anew, and for a process without a name of its namespace so must we.
 */
static void write_enter(struct rt_elsewhere *at)
{
	if (*at->netns)
		snprintf(at->enter, sizeof(at->enter), "ip netns exec %s", at->netns);
	else if (at->pid.known)
		snprintf(at->enter, sizeof(at->enter),
			 "nsenter -t %llu -n unshare -m sh -c 'mount -t sysfs sysfs "
			 "/sys && exec \"$@\"' sh",
			 (unsigned long long)at->pid.value);
}

static void write_where(const struct search *search, struct rt_elsewhere *at)
{
	const size_t room = sizeof(at->where);

	if (*at->netns)
		snprintf(at->where, room, "in network namespace %s", at->netns);
	else if (at->pid.known)
		snprintf(at->where, room, "in the network namespace of process %llu",
			 (unsigned long long)at->pid.value);
	else if (!*at->device && search->unplaced)
		snprintf(at->where, room,
			 "its RDMA device is in another network namespace, one of "
			 "those named here without a PCI address");
	else
		snprintf(at->where, room, "in another network namespace");
}

/* One of those named apart needs none of its own. */
static void write_remedy(const struct search *search, struct rt_elsewhere *at)
{
	const size_t room = sizeof(at->remedy);

	if (*at->enter)
		snprintf(at->remedy, room, "%s rocetune top", at->enter);
	else if (search->homes_result == -EPERM)
		snprintf(at->remedy, room, "as root rocetune can say in which");
	else if (search->partial)
		snprintf(at->remedy, room,
			 "not all namespaces could be asked: lsns -t net lists them");
	else if (*at->device || !search->unplaced)
		snprintf(at->remedy, room,
			 "no process and no name leads there from here: lsns -t net on "
			 "the host shows more");
}

static void describe_all(struct search *search)
{
	struct rt_elsewheres *found = &search->found;

	for (size_t i = 0; i < found->count; i++) {
		struct rt_elsewhere *at = &found->items[i];

		if (*at->device && !*at->pci)
			search->unplaced = true;
		if (*at->pci)
			(void)read_driver(search->kern, at->pci, at->driver);
	}
	for (size_t i = 0; i < found->count; i++) {
		write_enter(&found->items[i]);
		write_where(search, &found->items[i]);
		write_remedy(search, &found->items[i]);
	}
}

int rt_elsewhere_read(struct rt_kern *kern, const struct rt_devices *here,
		      struct rt_elsewheres *ret_elsewheres, struct rt_err *err)
{
	struct search search = { .kern = kern, .here = here };
	struct rt_rdma_homes homes = { 0 };
	int r = 0;

	search.homes_result = rt_kern_rdma_homes(kern, &homes, NULL);
	search.partial = homes.partial;
	/* Shared by all, or no running host: nothing is hidden. */
	if (search.homes_result == -EPERM || homes.exclusive) {
		r = take_homes(&search, &homes);
		if (r == 0)
			r = each_of(&search, VERBS, take_verbs);
		if (r == 0)
			r = each_of(&search, PCI, take_function);
	}
	rt_rdma_homes_free(&homes);
	if (r < 0) {
		rt_elsewheres_free(&search.found);
		return rt_err_sys(err, r, "cannot hold the devices");
	}
	describe_all(&search);
	*ret_elsewheres = search.found;
	return 0;
}

void rt_elsewheres_free(struct rt_elsewheres *elsewheres)
{
	free(elsewheres->items);
	*elsewheres = (struct rt_elsewheres){ 0 };
}

/* "mlx5_2", "mlx5_2/1", "eth2", "0000:3b:00.2": as rt_device_find(). */
static bool answers_to(const struct rt_elsewhere *at, const char *name)
{
	const size_t length = strcspn(name, "/");

	return (*at->device && strlen(at->device) == length &&
		strncmp(at->device, name, length) == 0) ||
	       (*at->netdev && strcmp(at->netdev, name) == 0) ||
	       (*at->pci && strlen(at->pci) == length &&
		strncasecmp(at->pci, name, length) == 0);
}

bool rt_elsewhere_tell(struct rt_kern *kern, const struct rt_devices *here,
		       const char *name, const char *command, struct rt_err *err)
{
	struct rt_elsewheres all = { 0 };
	const struct rt_elsewhere *found = NULL;

	if (rt_elsewhere_read(kern, here, &all, NULL) < 0)
		return false;
	for (size_t i = 0; i < all.count && !found; i++)
		if (!name || answers_to(&all.items[i], name))
			found = &all.items[i];
	if (found && *found->enter)
		rt_err_set(err, -ENODEV, "%s is %s: %s rocetune %s",
			   name ? name : found->device, found->where, found->enter,
			   command);
	else if (found)
		rt_err_set(err, -ENODEV, "%s: %s; %s",
			   name             ? name
			   : *found->device ? found->device
					    : found->pci,
			   found->where, found->remedy);
	rt_elsewheres_free(&all);
	return found != NULL;
}
