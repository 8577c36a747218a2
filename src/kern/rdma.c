/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdma.c - RDMA devices, ports and queue pairs by rdma netlink
 * (rdma/rdma_netlink.h, drivers/infiniband/core/nldev.c).
 */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "kern/live.h"
#include "rocetune/err.h"

#define NLDEV_TYPE(command) RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command)

#define DEVICES_MAX 4096u
#define PORTS_MAX   65536u

/* enum ib_qp_type and ib_qp_state of the kernel's rdma/ib_verbs.h. */
#define QP_TYPE_GSI  1 /* and SMI, 0: the management's own */
#define QP_STATE_RTR 2
#define QP_STATE_RTS 3

/* Those above are newer than the headers; we read none of them. */
#define ATTR_MAX (RDMA_NLDEV_ATTR_MAX - 1)

static const struct nla_policy policy[ATTR_MAX + 1] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_NAME] = { .type = NLA_STRING },
	[RDMA_NLDEV_ATTR_PORT_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_NODE_GUID] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_PORT_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_PORT_PHYS_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_NDEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_TYPE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_STATE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_RES_PID] = { .type = NLA_U32 },
};

/* --- what answers say ------------------------------------------------------------------ */

static int nonsense(struct rt_err *err, const char *what)
{
	return rt_err_set(err, -EPROTO, "%s that makes no sense", what);
}

int rt_rdma_parse_device(const void *payload, size_t bytes,
			 struct rt_rdma_device *ret_device, struct rt_err *err)
{
	struct nlattr *attrs[ATTR_MAX + 1];
	struct rt_rdma_device device = { 0 };

	if (rt_nl_attrs(payload, bytes, policy, ATTR_MAX, attrs) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_INDEX] || !attrs[RDMA_NLDEV_ATTR_DEV_NAME])
		return nonsense(err, "an RDMA device");
	device.index = nla_get_u32(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]);
	rt_nl_text(attrs[RDMA_NLDEV_ATTR_DEV_NAME], device.name, sizeof(device.name));
	rt_nl_text(attrs[RDMA_NLDEV_ATTR_FW_VERSION], device.firmware,
		   sizeof(device.firmware));
	rt_nl_text(attrs[RDMA_NLDEV_ATTR_DEV_PROTOCOL], device.protocol,
		   sizeof(device.protocol));
	if (attrs[RDMA_NLDEV_ATTR_NODE_GUID])
		device.node_guid = nla_get_u64(attrs[RDMA_NLDEV_ATTR_NODE_GUID]);
	*ret_device = device;
	return 0;
}

int rt_rdma_parse_port(const void *payload, size_t bytes,
		       const struct rt_rdma_device *device,
		       struct rt_rdma_port *ret_port, struct rt_err *err)
{
	struct nlattr *attrs[ATTR_MAX + 1];
	struct rt_rdma_port port = { 0 };

	if (rt_nl_attrs(payload, bytes, policy, ATTR_MAX, attrs) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_PORT_INDEX])
		return nonsense(err, "an RDMA port");
	memcpy(port.ibdev, device->name, sizeof(port.ibdev));
	memcpy(port.firmware, device->firmware, sizeof(port.firmware));
	memcpy(port.protocol, device->protocol, sizeof(port.protocol));
	port.dev_index = device->index;
	port.node_guid = device->node_guid;
	port.port = nla_get_u32(attrs[RDMA_NLDEV_ATTR_PORT_INDEX]);
	rt_nl_text(attrs[RDMA_NLDEV_ATTR_NDEV_NAME], port.netdev, sizeof(port.netdev));
	if (attrs[RDMA_NLDEV_ATTR_NDEV_INDEX])
		port.ifindex = nla_get_u32(attrs[RDMA_NLDEV_ATTR_NDEV_INDEX]);
	if (attrs[RDMA_NLDEV_ATTR_PORT_STATE])
		port.state = nla_get_u8(attrs[RDMA_NLDEV_ATTR_PORT_STATE]);
	if (attrs[RDMA_NLDEV_ATTR_PORT_PHYS_STATE])
		port.phys_state = nla_get_u8(attrs[RDMA_NLDEV_ATTR_PORT_PHYS_STATE]);
	*ret_port = port;
	return 0;
}

static void add_owner(struct rt_rdma_owners *owners, uint32_t pid, const char *name)
{
	for (size_t i = 0; i < owners->count; i++)
		if (owners->pid[i] == pid && strcmp(owners->name[i], name) == 0)
			return;
	if (owners->count == RT_RDMA_OWNERS_MAX) {
		owners->more = true;
		return;
	}
	owners->pid[owners->count] = pid;
	snprintf(owners->name[owners->count], RT_IBNAME_BYTES, "%s", name);
	owners->count++;
}

static int parse_qp(const struct nlattr *nest, struct rt_rdma_use *use,
		    struct rt_rdma_owners *owners)
{
	struct nlattr *attrs[ATTR_MAX + 1];
	char name[RT_IBNAME_BYTES];
	uint8_t state = 0;

	if (rt_nl_nested(nest, policy, ATTR_MAX, attrs) < 0 ||
	    !attrs[RDMA_NLDEV_ATTR_RES_TYPE])
		return -EPROTO;
	if (nla_get_u8(attrs[RDMA_NLDEV_ATTR_RES_TYPE]) <= QP_TYPE_GSI)
		return 0;
	if (attrs[RDMA_NLDEV_ATTR_RES_STATE])
		state = nla_get_u8(attrs[RDMA_NLDEV_ATTR_RES_STATE]);
	use->qps++;
	if (state == QP_STATE_RTR || state == QP_STATE_RTS)
		use->connected++;
	rt_nl_text(attrs[RDMA_NLDEV_ATTR_RES_KERN_NAME], name, sizeof(name));
	/* A process of another PID namespace has the PID 0. */
	if (attrs[RDMA_NLDEV_ATTR_RES_PID])
		add_owner(owners, nla_get_u32(attrs[RDMA_NLDEV_ATTR_RES_PID]), "");
	else
		add_owner(owners, 0, name);
	return 0;
}

int rt_rdma_parse_qps(const void *payload, size_t bytes, struct rt_rdma_use *use,
		      struct rt_rdma_owners *owners, struct rt_err *err)
{
	struct nlattr *attrs[ATTR_MAX + 1], *entry;
	int left;

	if (rt_nl_attrs(payload, bytes, policy, ATTR_MAX, attrs) < 0)
		return nonsense(err, "a list of queue pairs");
	if (!attrs[RDMA_NLDEV_ATTR_RES_QP])
		return 0;
	left = nla_len(attrs[RDMA_NLDEV_ATTR_RES_QP]);
	for (entry = nla_data(attrs[RDMA_NLDEV_ATTR_RES_QP]); nla_ok(entry, left);
	     entry = nla_next(entry, &left))
		if (nla_type(entry) == RDMA_NLDEV_ATTR_RES_QP_ENTRY &&
		    parse_qp(entry, use, owners) < 0)
			return nonsense(err, "a queue pair");
	return 0;
}

/* --- asking ------------------------------------------------------------------------------ */

static struct nl_msg *dump_request(unsigned command, const uint32_t *dev_index)
{
	struct nl_msg *msg = nlmsg_alloc_simple(NLDEV_TYPE(command), NLM_F_DUMP);

	if (msg && dev_index &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, *dev_index) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/*
 * To open a socket of NETLINK_RDMA makes the kernel load the modules, which a command
 * that only reads must not cause: without the class in sysfs nobody has loaded them.
 */
static int check_rdma(struct rt_live *live, struct rt_err *err)
{
	const int r = rt_root_access(&live->root, "/sys/class/infiniband", false);

	if (r < 0 && r != -ENOENT)
		return rt_err_sys(err, r,
				  "/sys/class/infiniband: cannot tell whether it is "
				  "there");
	if (r < 0)
		return rt_err_set(err, -EOPNOTSUPP,
				  "this kernel has no RDMA, or its modules are not "
				  "loaded (there is no /sys/class/infiniband)");
	return 0;
}

static int ask(struct rt_live *live, unsigned command, const uint32_t *dev_index,
	       const char *doing, struct rt_nl_answer *answer, struct rt_err *err)
{
	int r;

	answer->type = (uint16_t)NLDEV_TYPE(command);
	r = rt_nl_ask(&live->rdma, NETLINK_RDMA, dump_request(command, dev_index),
		      doing, answer, err);
	return r == -EPROTONOSUPPORT
		       ? rt_err_set(err, -EOPNOTSUPP, "this kernel has no rdma netlink")
		       : r;
}

static int take_device(void *context, const void *payload, size_t bytes,
		       struct rt_err *err)
{
	struct rt_rdma_devices *devices = context;
	struct rt_rdma_device *grown;
	int r;

	if (devices->count == DEVICES_MAX)
		return rt_err_set(err, -E2BIG, "more than %u devices", DEVICES_MAX);
	grown = rt_grow(devices->items, devices->count, &devices->capacity,
			sizeof(*grown));
	if (!grown)
		return rt_err_sys(err, -ENOMEM, "devices");
	devices->items = grown;
	r = rt_rdma_parse_device(payload, bytes, &grown[devices->count], err);
	if (r == 0)
		devices->count++;
	return r;
}

static void restart_devices(void *context)
{
	((struct rt_rdma_devices *)context)->count = 0;
}

/* Keeps what there is in live->devices. */
static int list_devices(struct rt_live *live, struct rt_err *err)
{
	struct rt_nl_answer answer = { .take = take_device,
				       .restart = restart_devices,
				       .context = &live->devices };
	int r = check_rdma(live, err);

	if (r == 0)
		r = ask(live, RDMA_NLDEV_CMD_GET, NULL, "cannot list RDMA devices",
			&answer, err);
	if (r < 0)
		live->devices.count = 0;
	return r;
}

struct port_list {
	const struct rt_rdma_device *device;
	struct rt_rdma_ports *ports;
	size_t first; /* of the device */
};

static int take_port(void *context, const void *payload, size_t bytes,
		     struct rt_err *err)
{
	struct port_list *list = context;
	struct rt_rdma_ports *ports = list->ports;
	struct rt_rdma_port *grown;
	int r;

	if (ports->count == PORTS_MAX)
		return rt_err_set(err, -E2BIG, "more than %u ports", PORTS_MAX);
	grown = rt_grow(ports->items, ports->count, &ports->capacity, sizeof(*grown));
	if (!grown)
		return rt_err_sys(err, -ENOMEM, "ports");
	ports->items = grown;
	r = rt_rdma_parse_port(payload, bytes, list->device, &grown[ports->count], err);
	if (r == 0)
		ports->count++;
	return r;
}

static void restart_ports(void *context)
{
	struct port_list *list = context;

	list->ports->count = list->first;
}

static int list_ports(struct rt_live *live, const struct rt_rdma_device *device,
		      struct rt_rdma_ports *ports, struct rt_err *err)
{
	struct port_list list = { device, ports, ports->count };
	struct rt_nl_answer answer = { .take = take_port,
				       .restart = restart_ports,
				       .context = &list };
	char doing[RT_DOING_BYTES];

	return ask(live, RDMA_NLDEV_CMD_PORT_GET, &device->index,
		   rt_doing(doing, device->name, "cannot list its ports"), &answer,
		   err);
}

int rt_live_rdma_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
		       struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct rt_rdma_ports ports = { 0 };
	int r = list_devices(live, err);

	for (size_t i = 0; i < live->devices.count && r == 0; i++) {
		r = list_ports(live, &live->devices.items[i], &ports, err);
		/* Gone in between, as devices may be. */
		if (r == -ENODEV || r == -EINVAL)
			r = 0;
	}
	if (r < 0) {
		rt_rdma_ports_free(&ports);
		return r;
	}
	*ret_ports = ports;
	return 0;
}

void rt_rdma_ports_free(struct rt_rdma_ports *ports)
{
	free(ports->items);
	*ports = (struct rt_rdma_ports){ 0 };
}

/* --- who uses a device ---------------------------------------------------------------------- */

struct use {
	struct rt_rdma_use use;
	struct rt_rdma_owners owners;
};

static int take_qps(void *context, const void *payload, size_t bytes,
		    struct rt_err *err)
{
	struct use *use = context;

	return rt_rdma_parse_qps(payload, bytes, &use->use, &use->owners, err);
}

static void restart_use(void *context)
{
	*(struct use *)context = (struct use){ 0 };
}

static const struct rt_rdma_device *find_device(const struct rt_live *live,
						const char *name)
{
	for (size_t i = 0; i < live->devices.count; i++)
		if (strcmp(live->devices.items[i].name, name) == 0)
			return &live->devices.items[i];
	return NULL;
}

/* "nccl-test", "[ksmbd]", "process 71" when it has no name (any more). */
static void owner_name(struct rt_live *live, const struct rt_rdma_owners *owners,
		       size_t i, char buf[RT_IBNAME_BYTES])
{
	char path[40], comm[40];
	size_t bytes;

	if (*owners->name[i]) {
		snprintf(buf, RT_IBNAME_BYTES, "[%.60s]", owners->name[i]);
		return;
	}
	if (owners->pid[i] == 0) {
		snprintf(buf, RT_IBNAME_BYTES, "another container's process");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", owners->pid[i]);
	if (rt_root_read(&live->root, path, comm, sizeof(comm), &bytes, NULL) < 0) {
		snprintf(buf, RT_IBNAME_BYTES, "process %u", owners->pid[i]);
		return;
	}
	comm[strcspn(comm, "\n")] = '\0';
	snprintf(buf, RT_IBNAME_BYTES, "%s", comm);
}

static void name_owners(struct rt_live *live, const struct rt_rdma_owners *owners,
			char *who, size_t capacity)
{
	char name[RT_IBNAME_BYTES];
	bool more = owners->more;
	size_t used = 0;

	who[0] = '\0';
	for (size_t i = 0; i < owners->count; i++) {
		owner_name(live, owners, i, name);
		if (rt_text_lists(who, name))
			continue;
		/* Room for a last ", ..." stays. */
		if (used + strlen(name) + 8 > capacity) {
			more = true;
			continue;
		}
		used += (size_t)snprintf(who + used, capacity - used, "%s%s",
					 used ? ", " : "", name);
	}
	if (more)
		snprintf(who + used, capacity - used, "%s...", used ? ", " : "");
}

int rt_live_rdma_index(struct rt_live *live, const char *ibdev, uint32_t *ret_index,
		       struct rt_err *err)
{
	const struct rt_rdma_device *device = find_device(live, ibdev);
	int r = device ? 0 : list_devices(live, err);

	if (r < 0)
		return r;
	if (!device)
		device = find_device(live, ibdev);
	if (!device)
		return rt_err_set(err, -ENODEV, "%s: no such RDMA device", ibdev);
	*ret_index = device->index;
	return 0;
}

int rt_live_rdma_use(struct rt_kern *kern, const char *ibdev,
		     struct rt_rdma_use *ret_use, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct use use = { 0 };
	struct rt_nl_answer answer = { .take = take_qps,
				       .restart = restart_use,
				       .context = &use };
	char doing[RT_DOING_BYTES];
	uint32_t index;
	int r = rt_live_rdma_index(live, ibdev, &index, err);

	if (r == 0)
		r = ask(live, RDMA_NLDEV_CMD_RES_QP_GET, &index,
			rt_doing(doing, ibdev, "cannot count its queue pairs"), &answer,
			err);
	if (r < 0)
		return r;
	name_owners(live, &use.owners, use.use.who, sizeof(use.use.who));
	*ret_use = use.use;
	return 0;
}
