/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldpcli.c - what lldpd heard, from the JSON of its lldpcli.
 *
 * Its two JSON writers (src/client/json_writer.c of lldpd) differ: the one makes every
 * element a list, the other leaves out lists of one and uses names as keys.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/text.h"
#include "model/dcbx.h"
#include "rocetune/err.h"
#include "wire/lldp_peers.h"

struct reader {
	const struct rt_doc *doc;
	struct rt_lldp_peers *peers;
	struct rt_err *err;
};

/* An element, whether it stands in a list of one or of several, or alone. */
static const struct rt_node *first_of(const struct rt_node *node)
{
	return node && node->kind == RT_NODE_SEQ ? node->child : node;
}

static const struct rt_node *after(const struct rt_node *parent,
				   const struct rt_node *item)
{
	return parent->kind == RT_NODE_SEQ ? item->next : NULL;
}

#define for_each_item(item, node)                                       \
	for (const struct rt_node *item = first_of(node); item != NULL; \
	     item = after((node), item))

/* "x", {"value": "x"}, or a list of either, whose first counts; NULL: none. */
static const struct rt_node *scalar(const struct rt_node *node)
{
	node = first_of(node);
	if (node && node->kind == RT_NODE_MAP)
		node = first_of(rt_node_get(node, "value"));
	return node && node->kind == RT_NODE_SCALAR ? node : NULL;
}

static const char *text_at(const struct rt_node *node, const char *key)
{
	const struct rt_node *value = scalar(rt_node_get(node, key));

	return value ? value->text : "";
}

static struct rt_opt_u64 number_at(const struct rt_node *node, const char *key)
{
	const char *text = text_at(node, key);
	char *end;
	const unsigned long number = strtoul(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && number <= UINT16_MAX
		       ? RT_KNOWN_U64(number)
		       : (struct rt_opt_u64){ 0 };
}

static void copy_text(char to[RT_LLDP_TEXT_BYTES], const char *from)
{
	snprintf(to, RT_LLDP_TEXT_BYTES, "%s", from);
	rt_text_clean(to);
}

/* --- ids ---------------------------------------------------------------------------- */

struct id_kind {
	const char *type; /* lldpd's word */
	uint8_t chassis, port;
};

static const struct id_kind id_kinds[] = {
	{ "mac", RT_LLDP_CHASSIS_MAC, RT_LLDP_PORT_MAC },
	{ "ip", RT_LLDP_CHASSIS_NETWORK, RT_LLDP_PORT_NETWORK },
	{ "ifname", RT_LLDP_CHASSIS_IFNAME, RT_LLDP_PORT_IFNAME },
	{ "local", RT_LLDP_CHASSIS_LOCAL, RT_LLDP_PORT_LOCAL },
	{ "ifalias", 2, 1 },
};

static bool take_mac(const char *text, struct rt_lldp_id *id)
{
	unsigned byte[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2],
		   &byte[3], &byte[4], &byte[5], &end) != 6 ||
	    text[end])
		return false;
	for (unsigned i = 0; i < 6; i++)
		id->value[i] = (uint8_t)byte[i];
	id->bytes = 6;
	return true;
}

static bool parse_ip(const char *text, struct rt_ip *ret_ip)
{
	struct rt_ip ip = { 0 };

	if (inet_pton(AF_INET, text, ip.bytes) == 1)
		ip.version = 4;
	else if (inet_pton(AF_INET6, text, ip.bytes) == 1)
		ip.version = 6;
	else
		return false;
	*ret_ip = ip;
	return true;
}

/* Addresses in an id stand behind their IANA family: 1 is IPv4, 2 IPv6. */
static bool take_ip(const char *text, struct rt_lldp_id *id)
{
	struct rt_ip ip;
	size_t bytes;

	if (!parse_ip(text, &ip))
		return false;
	bytes = ip.version == 4 ? 4 : 16;
	id->value[0] = ip.version == 4 ? 1 : 2;
	memcpy(id->value + 1, ip.bytes, bytes);
	id->bytes = (uint8_t)(bytes + 1);
	return true;
}

static void take_text(const char *text, struct rt_lldp_id *id)
{
	id->bytes = (uint8_t)strnlen(text, sizeof(id->value));
	memcpy(id->value, text, id->bytes);
}

static void take_id(const struct rt_node *owner, bool is_chassis, struct rt_lldp_id *id)
{
	const struct rt_node *node = first_of(rt_node_get(owner, "id"));
	const char *type = text_at(node, "type"), *text = text_at(node, "value");
	const struct id_kind *row = &id_kinds[3];

	if (!*text)
		return;
	for (size_t i = 0; i < RT_ARRAY_SIZE(id_kinds); i++)
		if (strcmp(id_kinds[i].type, type) == 0)
			row = &id_kinds[i];
	id->kind = is_chassis ? row->chassis : row->port;
	if (row == &id_kinds[0] ? take_mac(text, id)
				: row == &id_kinds[1] && take_ip(text, id))
		return;
	if (row <= &id_kinds[1]) /* no address after all */
		id->kind = is_chassis ? RT_LLDP_CHASSIS_LOCAL : RT_LLDP_PORT_LOCAL;
	take_text(text, id);
}

/* --- TLVs that lldpd does not know --------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "00,80,C2"; the count of bytes, or -1. */
static int take_hex(const char *text, uint8_t *bytes, size_t room)
{
	size_t count = 0;

	if (!*text)
		return 0;
	for (;; text++) {
		const int high = hex_digit(text[0]);
		const int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || count == room)
			return -1;
		bytes[count++] = (uint8_t)(high << 4 | low);
		text += 2;
		if (!*text)
			return (int)count;
		if (*text != ',')
			return -1;
	}
}

static int take_unknown(const struct reader *reader, const struct rt_node *node,
			struct rt_lldp *said)
{
	const struct rt_opt_u64 subtype = number_at(node, "subtype");
	uint8_t oui[3], value[507];
	const int oui_bytes = take_hex(text_at(node, "oui"), oui, sizeof(oui));
	const int bytes = take_hex(text_at(node, "value"), value, sizeof(value));

	if (oui_bytes != 3 || bytes < 0 || !subtype.known || subtype.value > 255)
		return rt_node_err(reader->err, -EINVAL, reader->doc, node,
				   "no TLV as lldpcli writes them: oui and value are "
				   "bytes in hexadecimal with commas between, subtype "
				   "is a number");
	rt_lldp_decode_org(said, (uint32_t)oui[0] << 16 | oui[1] << 8 | oui[2],
			   (uint8_t)subtype.value, value, (size_t)bytes);
	return 0;
}

static int take_unknowns(const struct reader *reader, const struct rt_node *neighbor,
			 struct rt_lldp *said)
{
	const struct rt_node *group = first_of(rt_node_get(neighbor, "unknown-tlvs"));
	const struct rt_node *list = rt_node_get(group, "unknown-tlv");

	for_each_item (item, list) {
		int r = take_unknown(reader, item, said);

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- neighbours ---------------------------------------------------------------------- */

/* {"leaf-1": {"id": ...}} or {"id": ..., "name": ...}. */
static void take_chassis(const struct rt_node *neighbor, struct rt_lldp *said)
{
	const struct rt_node *chassis = first_of(rt_node_get(neighbor, "chassis"));

	if (!chassis || chassis->kind != RT_NODE_MAP)
		return;
	if (!rt_node_get(chassis, "id") && chassis->child) {
		chassis = chassis->child;
		copy_text(said->system_name, chassis->key);
	} else {
		copy_text(said->system_name, text_at(chassis, "name"));
	}
	take_id(chassis, true, &said->chassis);
	copy_text(said->system_description, text_at(chassis, "descr"));
	parse_ip(text_at(chassis, "mgmt-ip"), &said->management);
	said->ttl_s = number_at(chassis, "ttl"); /* before lldpd 1.0 */
}

static void take_port(const struct rt_node *neighbor, struct rt_lldp *said)
{
	const struct rt_node *port = first_of(rt_node_get(neighbor, "port"));
	const struct rt_opt_u64 ttl_s = number_at(port, "ttl");

	take_id(port, false, &said->port);
	copy_text(said->port_description, text_at(port, "descr"));
	said->max_frame_bytes = number_at(port, "mfs");
	if (ttl_s.known)
		said->ttl_s = ttl_s;
}

static int take_neighbor(const struct reader *reader, const char *interface,
			 const struct rt_node *node)
{
	struct rt_lldp said = { 0 };
	int r;

	if (node->kind != RT_NODE_MAP)
		return rt_node_err(reader->err, -EINVAL, reader->doc, node,
				   "what was heard on %s must be a map, here is %s",
				   interface, rt_node_kind_name(node->kind));
	if (*text_at(node, "via") && strcmp(text_at(node, "via"), "LLDP") != 0)
		return 0; /* CDP and others know no DCBX */
	take_chassis(node, &said);
	take_port(node, &said);
	r = take_unknowns(reader, node, &said);
	return r < 0 ? r
		     : rt_lldp_peers_add(reader->peers, interface, &said, reader->err);
}

/* {"name": "eth0", ...}, or {"eth0": {...}, ...}. */
static int take_interface(const struct reader *reader, const struct rt_node *node)
{
	if (node->kind != RT_NODE_MAP)
		return rt_node_err(reader->err, -EINVAL, reader->doc, node,
				   "an interface must be a map, here is %s",
				   rt_node_kind_name(node->kind));
	if (rt_node_get(node, "chassis") || rt_node_get(node, "port"))
		return take_neighbor(reader, text_at(node, "name"), node);
	rt_node_for_each (child, node) {
		int r = take_neighbor(reader, child->key, child);

		if (r < 0)
			return r;
	}
	return 0;
}

int rt_lldpcli_read(const struct rt_doc *doc, struct rt_lldp_peers *peers,
		    struct rt_err *err)
{
	const struct reader reader = { doc, peers, err };
	const struct rt_node *lldp = rt_node_get(doc->root, "lldp");
	const struct rt_node *list;

	if (!lldp)
		return rt_err_set(err, -EINVAL,
				  "%s: no output of `lldpcli -f json show neighbors "
				  "details`: it has no \"lldp\"",
				  doc->name);
	list = rt_node_get(first_of(lldp), "interface");
	for_each_item (item, list) {
		int r = take_interface(&reader, item);

		if (r < 0)
			return r;
	}
	return 0;
}
