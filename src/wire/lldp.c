/* SPDX-License-Identifier: BSD-2-Clause */
/* lldp.c - LLDP frames: the walk over the TLVs, and those of 802.1AB and 802.3. */
#include "wire/lldp.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "wire/bytes.h"
#include "wire/lldp_rows.h"

#define ETH_BYTES     14
#define ETH_MIN_BYTES 60

/* IANA address family numbers. */
enum {
	FAMILY_IPV4 = 1,
	FAMILY_IPV6 = 2,
};

/* --- values ------------------------------------------------------------------ */

static const char *get_id(struct rt_lldp_id *id, struct rt_rd *value)
{
	struct rt_lldp_id got = { .kind = rt_rd_u8(value) };

	if (id->kind)
		return RT_LLDP_TWICE;
	if (!got.kind)
		return "its subtype is 0, which is reserved";
	got.bytes = (uint8_t)rt_rd_left(value);
	memcpy(got.value, rt_rd_take(value, got.bytes), got.bytes);
	*id = got;
	return NULL;
}

static bool put_id(const struct rt_lldp_id *id, struct rt_wr *value)
{
	rt_wr_u8(value, id->kind);
	rt_wr_bytes(value, id->value, id->bytes);
	return id->kind;
}

static const char *get_chassis(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_id(&lldp->chassis, value);
}

static bool put_chassis(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_id(&lldp->chassis, value);
}

static const char *get_port(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_id(&lldp->port, value);
}

static bool put_port(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_id(&lldp->port, value);
}

static const char *get_ttl(struct rt_lldp *lldp, struct rt_rd *value)
{
	if (lldp->ttl_s.known)
		return RT_LLDP_TWICE;
	lldp->ttl_s = RT_KNOWN_U64(rt_rd_be16(value));
	return NULL;
}

static bool put_ttl(const struct rt_lldp *lldp, struct rt_wr *value)
{
	rt_wr_be16(value, (uint16_t)lldp->ttl_s.value);
	return lldp->ttl_s.known;
}

static const char *get_text(char text[RT_LLDP_TEXT_BYTES], struct rt_rd *value)
{
	const size_t bytes = rt_rd_left(value);

	if (*text)
		return RT_LLDP_TWICE;
	memcpy(text, rt_rd_take(value, bytes), bytes);
	/* a zero within would hide what follows it */
	for (size_t i = 0; i < bytes; i++)
		if (!text[i])
			text[i] = '?';
	text[bytes] = 0;
	rt_text_clean(text); /* which may shorten it */
	memset(text + strlen(text), 0, RT_LLDP_TEXT_BYTES - strlen(text));
	return NULL;
}

static bool put_text(const char *text, struct rt_wr *value)
{
	rt_wr_bytes(value, text, strnlen(text, RT_LLDP_TEXT_BYTES - 1));
	return *text;
}

static const char *get_port_description(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_text(lldp->port_description, value);
}

static bool put_port_description(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_text(lldp->port_description, value);
}

static const char *get_system_name(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_text(lldp->system_name, value);
}

static bool put_system_name(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_text(lldp->system_name, value);
}

static const char *get_system_description(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_text(lldp->system_description, value);
}

static bool put_system_description(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_text(lldp->system_description, value);
}

static size_t address_bytes(unsigned family)
{
	switch (family) {
	case FAMILY_IPV4: return 4;
	case FAMILY_IPV6: return 16;
	default: return 0; /* of no family that is read */
	}
}

/*
 * 802.1AB 8.5.9: length of what follows with its family, the address; how the
 * interface is numbered and its number; an object identifier with its length.
 * A port may have several.
 */
static const char *get_management(struct rt_lldp *lldp, struct rt_rd *value)
{
	const uint8_t bytes = rt_rd_u8(value), family = rt_rd_u8(value);
	const uint8_t *address = bytes ? rt_rd_take(value, bytes - 1u) : NULL;
	const size_t wanted = address_bytes(family);

	rt_rd_take(value, 5);
	rt_rd_take(value, rt_rd_u8(value));
	if (value->bad || !address)
		return "its lengths contradict each other";
	if (wanted && wanted != bytes - 1u)
		return "its address has not the length that its family has";
	if (wanted && !lldp->management.version) {
		memcpy(lldp->management.bytes, address, wanted);
		lldp->management.version = wanted == 4 ? 4 : 6;
	}
	return NULL;
}

static bool put_management(const struct rt_lldp *lldp, struct rt_wr *value)
{
	const struct rt_ip *ip = &lldp->management;
	const size_t bytes = ip->version == 4 ? 4 : 16;

	rt_wr_u8(value, (unsigned)bytes + 1);
	rt_wr_u8(value, ip->version == 4 ? FAMILY_IPV4 : FAMILY_IPV6);
	rt_wr_bytes(value, ip->bytes, bytes);
	rt_wr_u8(value, 1); /* the number of the interface is unknown: 0 */
	rt_wr_be32(value, 0);
	rt_wr_u8(value, 0);
	return ip->version;
}

static const char *get_max_frame(struct rt_lldp *lldp, struct rt_rd *value)
{
	if (lldp->max_frame_bytes.known)
		return RT_LLDP_TWICE;
	lldp->max_frame_bytes = RT_KNOWN_U64(rt_rd_be16(value));
	return NULL;
}

static bool put_max_frame(const struct rt_lldp *lldp, struct rt_wr *value)
{
	rt_wr_be16(value, (uint16_t)lldp->max_frame_bytes.value);
	return lldp->max_frame_bytes.known;
}

/* 802.1AB table 8-1 with the lengths of 8.5; 802.3 79.3.4. */
static const struct rt_lldp_row rows[] = {
	{ "Chassis ID", 1, 0, 0, 2, 256, get_chassis, put_chassis },
	{ "Port ID", 2, 0, 0, 2, 256, get_port, put_port },
	{ "Time To Live", 3, 0, 0, 2, 511, get_ttl, put_ttl },
	{ "Port Description", 4, 0, 0, 0, 255, get_port_description,
	  put_port_description },
	{ "System Name", 5, 0, 0, 0, 255, get_system_name, put_system_name },
	{ "System Description", 6, 0, 0, 0, 255, get_system_description,
	  put_system_description },
	{ "Management Address", 8, 0, 0, 9, 167, get_management, put_management },
	{ "Maximum Frame Size", RT_LLDP_ORG, 4, RT_OUI_8023, 2, 2, get_max_frame,
	  put_max_frame },
};

/* --- reading ------------------------------------------------------------------- */

void rt_lldp_fault(struct rt_lldp *lldp, size_t offset, const struct rt_lldp_row *row,
		   uint8_t type, const char *reason)
{
	const unsigned at = lldp->fault_count++;

	if (at < RT_LLDP_FAULT_MAX)
		lldp->faults[at] = (struct rt_lldp_fault){
			.offset = (uint16_t)offset,
			.type = type,
			.subtype = row ? row->subtype : 0,
			.oui = row ? row->oui : 0,
			.tlv = row ? row->name : NULL,
			.reason = reason,
		};
}

static const struct rt_lldp_row *find_in(const struct rt_lldp_row *table, size_t count,
					 uint8_t type, uint32_t oui, uint8_t subtype)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].type == type && table[i].oui == oui &&
		    table[i].subtype == subtype)
			return &table[i];
	return NULL;
}

static const struct rt_lldp_row *find_row(uint8_t type, uint32_t oui, uint8_t subtype)
{
	const struct rt_lldp_row *row = find_in(rows, RT_ARRAY_SIZE(rows), type, oui,
						subtype);

	return row ? row
		   : find_in(rt_lldp_dcbx_rows, rt_lldp_dcbx_row_count, type, oui,
			     subtype);
}

static void take_value(struct rt_lldp *lldp, const struct rt_lldp_row *row,
		       struct rt_rd value, size_t offset)
{
	const char *why;

	if (rt_rd_left(&value) < row->min) {
		rt_lldp_fault(lldp, offset, row, row->type, "is too short");
		return;
	}
	if (rt_rd_left(&value) > row->max) {
		rt_lldp_fault(lldp, offset, row, row->type, "is too long");
		return;
	}
	why = row->get(lldp, &value);
	if (!why && value.bad)
		why = "ends within a field";
	if (why)
		rt_lldp_fault(lldp, offset, row, row->type, why);
}

static void take_tlv(struct rt_lldp *lldp, uint8_t type, struct rt_rd value,
		     size_t offset)
{
	const struct rt_lldp_row *row;
	uint32_t key = 0;

	if (type == RT_LLDP_ORG) {
		key = rt_rd_be32(&value);
		if (value.bad) {
			rt_lldp_fault(lldp, offset, NULL, type,
				      "is too short for OUI and subtype");
			return;
		}
	}
	row = find_row(type, key >> 8, (uint8_t)key);
	if (row)
		take_value(lldp, row, value, offset);
}

/* What 802.1AB 8.2 wants of every LLDPDU. */
static void check_mandatory(struct rt_lldp *lldp, size_t offset)
{
	static const char missing[] = "is missing: every LLDPDU has one";

	if (!lldp->chassis.kind)
		rt_lldp_fault(lldp, offset, &rows[0], 1, missing);
	if (!lldp->port.kind)
		rt_lldp_fault(lldp, offset, &rows[1], 2, missing);
	if (!lldp->ttl_s.known)
		rt_lldp_fault(lldp, offset, &rows[2], 3, missing);
}

static void take_pdu(struct rt_lldp *lldp, struct rt_rd pdu)
{
	while (rt_rd_left(&pdu) >= 2) {
		const size_t offset = rt_rd_offset(&pdu);
		const uint16_t head = rt_rd_be16(&pdu);
		const size_t bytes = head & RT_LLDP_VALUE_MAX;
		const uint8_t type = (uint8_t)(head >> 9);
		const uint8_t *value = rt_rd_take(&pdu, bytes);

		if (type == 0)
			break;
		lldp->tlv_count++;
		if (!value) {
			rt_lldp_fault(lldp, offset, NULL, type,
				      "says it is longer than the rest of the frame");
			break;
		}
		take_tlv(lldp, type,
			 (struct rt_rd){ value, value + bytes, false, pdu.origin },
			 offset);
	}
}

bool rt_lldp_decode(const uint8_t *frame, size_t bytes, struct rt_lldp *ret_lldp)
{
	struct rt_rd rd = { frame, frame + bytes, false, frame };
	uint16_t ethertype;

	if (!rt_rd_take(&rd, 12))
		return false;
	ethertype = rt_rd_be16(&rd);
	for (unsigned tags = 0;
	     tags < 2 && (ethertype == 0x8100 || ethertype == 0x88A8); tags++) {
		rt_rd_be16(&rd);
		ethertype = rt_rd_be16(&rd);
	}
	if (rd.bad || ethertype != RT_LLDP_ETHERTYPE)
		return false;
	*ret_lldp = (struct rt_lldp){ 0 };
	memcpy(ret_lldp->eth_src, frame + 6, 6);
	take_pdu(ret_lldp, rd);
	check_mandatory(ret_lldp, rt_rd_offset(&rd));
	return true;
}

bool rt_lldp_decode_org(struct rt_lldp *lldp, uint32_t oui, uint8_t subtype,
			const uint8_t *value, size_t bytes)
{
	const struct rt_lldp_row *row = find_row(RT_LLDP_ORG, oui, subtype);

	if (!row)
		return false;
	lldp->tlv_count++;
	take_value(lldp, row, (struct rt_rd){ value, value + bytes, false, value }, 0);
	return true;
}

/* --- writing ------------------------------------------------------------------- */

static void put_tlvs(const struct rt_lldp *lldp, const struct rt_lldp_row *table,
		     size_t count, struct rt_wr *wr)
{
	for (const struct rt_lldp_row *row = table; row < table + count; row++) {
		uint8_t value[RT_LLDP_VALUE_MAX];
		struct rt_wr to = { value, value + sizeof(value), false };

		if (row->type == RT_LLDP_ORG)
			rt_wr_be32(&to, row->oui << 8 | row->subtype);
		if (!row->put(lldp, &to))
			continue;
		rt_wr_be16(wr, (unsigned)row->type << 9 | (unsigned)(to.at - value));
		rt_wr_bytes(wr, value, (size_t)(to.at - value));
	}
}

size_t rt_lldp_build(const struct rt_lldp *lldp, uint8_t *frame, size_t room)
{
	static const uint8_t nearest_bridge[6] = { 0x01, 0x80, 0xC2, 0, 0, 0x0E };
	uint8_t built[RT_LLDP_FRAME_MAX] = { 0 };
	struct rt_wr wr = { built, built + sizeof(built), false };
	size_t bytes;

	rt_wr_bytes(&wr, nearest_bridge, 6);
	rt_wr_bytes(&wr, lldp->eth_src, 6);
	rt_wr_be16(&wr, RT_LLDP_ETHERTYPE);
	put_tlvs(lldp, rows, RT_ARRAY_SIZE(rows), &wr);
	put_tlvs(lldp, rt_lldp_dcbx_rows, rt_lldp_dcbx_row_count, &wr);
	rt_wr_be16(&wr, 0);
	bytes = (size_t)(wr.at - built);
	if (bytes < ETH_MIN_BYTES)
		bytes = ETH_MIN_BYTES;
	memcpy(frame, built, bytes < room ? bytes : room);
	return bytes;
}

/* --- ids ------------------------------------------------------------------------- */

static void mac_text(const uint8_t *mac, char *buf)
{
	snprintf(buf, RT_LLDP_ID_TEXT_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static void hex_text(const struct rt_lldp_id *id, char *buf)
{
	*buf = 0;
	for (unsigned i = 0; i < id->bytes; i++)
		snprintf(buf + 2 * i, 3, "%02x", id->value[i]);
}

static bool is_text(const struct rt_lldp_id *id)
{
	for (unsigned i = 0; i < id->bytes; i++)
		if (id->value[i] < 0x20 || id->value[i] == 0x7F)
			return false;
	return rt_text_utf8_length((const char *)id->value, id->bytes) == id->bytes;
}

static char *id_text(const struct rt_lldp_id *id, unsigned mac_kind,
		     unsigned network_kind, char *buf)
{
	const size_t address = id->bytes ? address_bytes(id->value[0]) : 0;

	if (id->kind == mac_kind && id->bytes == 6) {
		mac_text(id->value, buf);
	} else if (id->kind == network_kind && address && id->bytes == address + 1) {
		struct rt_ip ip = { .version = address == 4 ? 4 : 6 };

		memcpy(ip.bytes, id->value + 1, address);
		rt_ip_format(&ip, buf);
	} else if (id->kind != mac_kind && id->kind != network_kind && is_text(id)) {
		memcpy(buf, id->value, id->bytes);
		buf[id->bytes] = 0;
		rt_text_clean(buf);
	} else {
		hex_text(id, buf);
	}
	return buf;
}

char *rt_lldp_chassis_text(const struct rt_lldp_id *chassis,
			   char buf[RT_LLDP_ID_TEXT_BYTES])
{
	return id_text(chassis, RT_LLDP_CHASSIS_MAC, RT_LLDP_CHASSIS_NETWORK, buf);
}

char *rt_lldp_port_text(const struct rt_lldp_id *port, char buf[RT_LLDP_ID_TEXT_BYTES])
{
	return id_text(port, RT_LLDP_PORT_MAC, RT_LLDP_PORT_NETWORK, buf);
}

bool rt_lldp_id_equal(const struct rt_lldp_id *a, const struct rt_lldp_id *b)
{
	return a->kind == b->kind && a->bytes == b->bytes &&
	       memcmp(a->value, b->value, a->bytes) == 0;
}
