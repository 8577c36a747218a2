/* SPDX-License-Identifier: BSD-2-Clause */
/* choose.c - a port and a GID out of those there are. */
#include "traffic/verbs/choose.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static bool is_ipv4(const uint8_t gid[16])
{
	return memcmp(gid, mapped, sizeof(mapped)) == 0;
}

/* fe80::/10 (RFC 4291, 2.5.6). */
static bool is_link_local(const uint8_t gid[16])
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

static bool is_none(const uint8_t gid[16])
{
	static const uint8_t zero[16];

	return memcmp(gid, zero, sizeof(zero)) == 0;
}

struct rt_ip verbs_gid_ip(const uint8_t gid[16])
{
	struct rt_ip ip = { .version = 6 };

	if (is_ipv4(gid)) {
		ip.version = 4;
		memcpy(ip.bytes, gid + 12, 4);
	} else {
		memcpy(ip.bytes, gid, 16);
	}
	return ip;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	const unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

/* How well a GID fits, best first; what is below FIT_NONE is taken. */
enum fit {
	FIT_ASKED,  /* by its index */
	FIT_EXACT,  /* the address asked for */
	FIT_SUBNET, /* in the subnet of the address asked for */
	FIT_IPV4,
	FIT_IPV6,
	FIT_NONE,
};

static const char *const fit_words[] = {
	[FIT_ASKED] = "as asked",
	[FIT_EXACT] = "the address asked for",
	[FIT_SUBNET] = "in the subnet of the address asked for",
	[FIT_IPV4] = "the first IPv4 one",
	[FIT_IPV6] = "the first IPv6 one, there is no IPv4",
};

static enum fit fit_of(const struct verbs_gid *gid, const struct verbs_wish *wish)
{
	const struct rt_ip ip = verbs_gid_ip(gid->bytes);
	const unsigned most = ip.version == 4 ? 32 : 128;

	if (wish->ifindex && gid->ifindex != wish->ifindex)
		return FIT_NONE;
	if (wish->gid_index.known)
		return gid->index == wish->gid_index.value ? FIT_ASKED : FIT_NONE;
	if (gid->kind != VERBS_GID_ROCE_V2 || is_none(gid->bytes))
		return FIT_NONE;
	if (wish->ip.version) {
		if (wish->ip.version != ip.version)
			return FIT_NONE;
		if (same_bits(ip.bytes, wish->ip.bytes, most))
			return FIT_EXACT;
		if (is_link_local(gid->bytes) || !gid->prefix_bits ||
		    gid->prefix_bits > most)
			return FIT_NONE;
		return same_bits(ip.bytes, wish->ip.bytes, gid->prefix_bits)
			       ? FIT_SUBNET
			       : FIT_NONE;
	}
	if (is_link_local(gid->bytes))
		return FIT_NONE;
	return ip.version == 4 ? FIT_IPV4 : FIT_IPV6;
}

static enum fit best_gid(const struct verbs_port *port, const struct verbs_wish *wish,
			 size_t *ret_gid)
{
	enum fit best = FIT_NONE;

	for (size_t i = 0; i < port->gid_count; i++) {
		const enum fit fit = fit_of(&port->gids[i], wish);

		if (fit < best) {
			best = fit;
			*ret_gid = i;
		}
	}
	return best;
}

/* --- ports ------------------------------------------------------------------------ */

static bool named(const struct verbs_port *port, const char *device)
{
	const size_t length = strcspn(device, "/");
	char number[8];

	if (!*device)
		return true;
	snprintf(number, sizeof(number), "/%u", port->number);
	return strlen(port->device) == length &&
	       memcmp(port->device, device, length) == 0 &&
	       (!device[length] || strcmp(device + length, number) == 0);
}

static bool lies_on(const struct verbs_port *port, uint32_t ifindex)
{
	for (size_t i = 0; i < port->gid_count; i++)
		if (port->gids[i].ifindex == ifindex)
			return true;
	return !ifindex;
}

static void list_ports(const struct verbs_port *ports, size_t count,
		       struct rt_line *line)
{
	for (size_t i = 0; i < count && i < 8; i++)
		rt_line_put(line, "%s%s/%u", i ? ", " : "", ports[i].device,
			    ports[i].number);
	if (count > 8)
		rt_line_put(line, " and %zu more", count - 8);
	if (!count)
		rt_line_put(line, "none");
}

static int no_port(const struct verbs_port *ports, size_t count,
		   const struct verbs_wish *wish, struct rt_err *err)
{
	char text[256];
	struct rt_line line = { .text = text, .capacity = sizeof(text) };

	list_ports(ports, count, &line);
	if (*wish->device && *wish->netdev)
		return rt_err_set(err, -ENODEV,
				  "no RDMA device '%s' lies on interface '%s'; there "
				  "are: %s",
				  wish->device, wish->netdev, text);
	if (*wish->netdev)
		return rt_err_set(
			err, -ENODEV,
			"no RDMA device lies on interface '%s'; there are: %s "
			"(rocetune list shows which lies where)",
			wish->netdev, text);
	return rt_err_set(err, -ENODEV, "there is no RDMA device '%s'; there are: %s",
			  wish->device, text);
}

static void list_gids(const struct verbs_port *port, struct rt_line *line)
{
	static const char *const kinds[] = { "IB", "RoCE v1", "RoCE v2" };
	char text[RT_IP_TEXT_BYTES];
	size_t shown = 0;

	for (size_t i = 0; i < port->gid_count && shown < 6; i++) {
		const struct verbs_gid *gid = &port->gids[i];
		const struct rt_ip ip = verbs_gid_ip(gid->bytes);

		if (is_none(gid->bytes))
			continue;
		rt_line_put(line, "%s%u: %s %s", shown++ ? ", " : "", gid->index,
			    rt_ip_format(&ip, text), kinds[gid->kind]);
	}
	if (!shown)
		rt_line_put(line, "none");
}

static int no_gid(const struct verbs_port *port, const struct verbs_wish *wish,
		  struct rt_err *err)
{
	char text[256], address[RT_IP_TEXT_BYTES];
	struct rt_line line = { .text = text, .capacity = sizeof(text) };

	list_gids(port, &line);
	if (wish->gid_index.known)
		return rt_err_set(err, -EADDRNOTAVAIL,
				  "%s/%u has no GID %llu; it has %s", port->device,
				  port->number,
				  (unsigned long long)wish->gid_index.value, text);
	if (wish->ip.version)
		return rt_err_set(err, -EADDRNOTAVAIL,
				  "%s/%u has no RoCE v2 GID of %s or of its subnet; it "
				  "has %s",
				  port->device, port->number,
				  rt_ip_format(&wish->ip, address), text);
	return rt_err_set(err, -EADDRNOTAVAIL,
			  "%s/%u has no RoCE v2 GID but link-local ones (%s): give its "
			  "interface an address, or name the GID's index",
			  port->device, port->number, text);
}

static int usable(const struct verbs_port *port, struct rt_err *err)
{
	if (!port->ethernet)
		return rt_err_set(err, -EPROTONOSUPPORT,
				  "%s/%u is an InfiniBand port; this is for RoCE",
				  port->device, port->number);
	if (!port->active)
		return rt_err_set(err, -ENETDOWN,
				  "%s/%u is %s: bring its interface up (ip link set "
				  "DEV up) and look at the cable (ethtool DEV)",
				  port->device, port->number, port->state);
	return 0;
}

/* Of the ports that were not named the one that alone can be meant. */
struct search {
	size_t fits; /* ports that the wish allows */
	size_t good; /* of them active ones with a GID that fits */
	size_t last; /* the last that the wish allows */
	enum fit best;
	bool several; /* as good as the best */
};

static void look(const struct verbs_port *ports, size_t count,
		 const struct verbs_wish *wish, struct search *search,
		 struct verbs_choice *choice)
{
	*search = (struct search){ .best = FIT_NONE };
	for (size_t i = 0; i < count; i++) {
		size_t gid = 0;
		enum fit fit;

		if (!named(&ports[i], wish->device) ||
		    !lies_on(&ports[i], wish->ifindex))
			continue;
		search->fits++;
		search->last = i;
		fit = best_gid(&ports[i], wish, &gid);
		if (fit == FIT_NONE || !ports[i].active || !ports[i].ethernet)
			continue;
		search->good++;
		if (fit < search->best) {
			search->several = false;
			search->best = fit;
			choice->port = i;
			choice->gid = gid;
		} else if (fit == search->best) {
			search->several = true;
		}
	}
}

static void explain(const struct verbs_port *ports, const struct verbs_wish *wish,
		    const struct search *search, struct verbs_choice *choice)
{
	const struct verbs_port *port = &ports[choice->port];
	const struct verbs_gid *gid = &port->gids[choice->gid];
	const struct rt_ip ip = verbs_gid_ip(gid->bytes);
	struct rt_line line = { .text = choice->why, .capacity = sizeof(choice->why) };
	char text[RT_IP_TEXT_BYTES];

	rt_line_put(&line, "%s/%u, ", port->device, port->number);
	if (*wish->device)
		rt_line_put(&line, "as named");
	else if (*wish->netdev)
		rt_line_put(&line, "which lies on %s", wish->netdev);
	else if (search->good == 1)
		rt_line_put(&line, "the one that is usable");
	else
		rt_line_put(&line, "which has the best address");
	rt_line_put(&line, "; GID %u (%s), %s", gid->index, rt_ip_format(&ip, text),
		    fit_words[search->best]);
}

int verbs_choose(const struct verbs_port *ports, size_t count,
		 const struct verbs_wish *wish, struct verbs_choice *ret_choice,
		 struct rt_err *err)
{
	struct verbs_choice choice = { 0 };
	struct search search;
	char text[256];
	struct rt_line line = { .text = text, .capacity = sizeof(text) };
	int r;

	look(ports, count, wish, &search, &choice);
	if (!search.fits)
		return no_port(ports, count, wish, err);
	if (!search.good && search.fits > 1) {
		list_ports(ports, count, &line);
		return rt_err_set(err, -EADDRNOTAVAIL,
				  "no active RoCE port has a GID that fits; there are "
				  "%s: name one to hear what it lacks",
				  text);
	}
	if (!search.good) {
		r = usable(&ports[search.last], err);
		return r < 0 ? r : no_gid(&ports[search.last], wish, err);
	}
	if (search.several) {
		list_ports(ports, count, &line);
		return rt_err_set(
			err, -ENOTUNIQ,
			"several RDMA ports could be meant (%s): name one, or "
			"an address of it",
			text);
	}
	if (ports[choice.port].gids[choice.gid].kind != VERBS_GID_ROCE_V2)
		return rt_err_set(
			err, -EADDRNOTAVAIL,
			"GID %u of %s is not RoCE v2; rocetune speaks only that",
			ports[choice.port].gids[choice.gid].index,
			ports[choice.port].device);
	explain(ports, wish, &search, &choice);
	*ret_choice = choice;
	return 0;
}
