/* SPDX-License-Identifier: BSD-2-Clause */
/* devlink.c - the embedded switch of a PCI device (linux/devlink.h). */
#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>

#include "kern/live.h"
#include "rocetune/err.h"

int rt_devlink_parse_eswitch(const void *payload, size_t bytes, const char **ret_mode,
			     struct rt_err *err)
{
	static const struct nla_policy policy[DEVLINK_ATTR_ESWITCH_MODE + 1] = {
		[DEVLINK_ATTR_ESWITCH_MODE] = { .type = NLA_U16 },
	};
	struct nlattr *attrs[DEVLINK_ATTR_ESWITCH_MODE + 1];
	unsigned mode;

	if (bytes < GENL_HDRLEN ||
	    rt_nl_attrs((const char *)payload + GENL_HDRLEN, bytes - GENL_HDRLEN,
			policy, DEVLINK_ATTR_ESWITCH_MODE, attrs) < 0)
		return rt_err_set(err, -EPROTO, "an answer that makes no sense");
	if (!attrs[DEVLINK_ATTR_ESWITCH_MODE])
		return rt_err_set(err, -EOPNOTSUPP, "no mode in the answer");
	mode = nla_get_u16(attrs[DEVLINK_ATTR_ESWITCH_MODE]);
	if (mode != DEVLINK_ESWITCH_MODE_LEGACY &&
	    mode != DEVLINK_ESWITCH_MODE_SWITCHDEV)
		return rt_err_set(err, -EPROTO, "mode %u is none", mode);
	*ret_mode = mode == DEVLINK_ESWITCH_MODE_LEGACY ? "legacy" : "switchdev";
	return 0;
}

static int take_mode(void *context, const void *payload, size_t bytes,
		     struct rt_err *err)
{
	return rt_devlink_parse_eswitch(payload, bytes, context, err);
}

static struct nl_msg *request(uint16_t family, const char *pci)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0,
				 DEVLINK_CMD_ESWITCH_GET, DEVLINK_GENL_VERSION) ||
		    nla_put_string(msg, DEVLINK_ATTR_BUS_NAME, "pci") < 0 ||
		    nla_put_string(msg, DEVLINK_ATTR_DEV_NAME, pci) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int rt_live_eswitch_mode(struct rt_kern *kern, const char *pci, char *buf,
			 size_t capacity, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	const char *mode = NULL;
	struct rt_nl_answer answer = { .take = take_mode, .context = &mode };
	char doing[RT_DOING_BYTES];
	int r = 0;

	if (live->devlink_id == 0)
		r = rt_nl_family(&live->generic, DEVLINK_GENL_NAME, &live->devlink_id,
				 err);
	if (r < 0)
		return r;
	answer.type = live->devlink_id;
	r = rt_nl_ask(&live->generic, NETLINK_GENERIC, request(live->devlink_id, pci),
		      rt_doing(doing, pci, "cannot read the mode of its switch"),
		      &answer, err);
	if (r < 0)
		return r;
	if (!mode)
		return rt_err_set(err, -EPROTO, "%s: no mode", pci);
	snprintf(buf, capacity, "%s", mode);
	return 0;
}
