/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernask: questions and writes through the live back end, for the kernel lab.
 *
 *	kernask DEV WORD...	one line a word; writes print 0 or the errno, and why
 *	    pfc=MASK  ets=BW0,BW1  maxrate=BPS  add=SEL:PROTO:PRIO  del=SEL:PROTO:PRIO
 *	    dcbx=MODE  pause=RX,TX  storm=MS  flag=NAME,0|1
 *	    state  links  info  speed  pauses  tout  flags  use=IBDEV  ports  eswitch=PCI
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/kern.h"
#include "rocetune/err.h"

static int done(int r, const struct rt_err *err)
{
	printf("%d %s\n", r, r < 0 ? err->msg : "");
	return r;
}

static unsigned long number(const char *text)
{
	return strtoul(text, NULL, 0);
}

/* --- writes -------------------------------------------------------------------------- */

static int set_part(struct rt_kern *kern, const char *dev, const char *word,
		    const char *value, struct rt_err *err)
{
	struct rt_dcb_set set = { 0 };
	struct rt_dcb now;
	int r = kern->ops->dcb_get(kern, dev, &now, err);

	if (r < 0)
		return r;
	set.pfc = now.pfc;
	set.ets = now.ets;
	memcpy(set.maxrate_bps, now.maxrate_bps, sizeof(set.maxrate_bps));
	if (*word == 'p') {
		set.has = RT_DCB_PFC;
		set.pfc.mask = (uint8_t)number(value);
	} else if (*word == 'm') {
		set.has = RT_DCB_MAXRATE;
		set.maxrate_bps[0] = strtoull(value, NULL, 0);
	} else {
		const char *comma = strchr(value, ',');

		set.has = RT_DCB_ETS;
		memset(set.ets.bw, 0, 8);
		memset(set.ets.tsa, 0, 8);
		set.ets.tsa[0] = set.ets.tsa[1] = 2;
		set.ets.bw[0] = (uint8_t)number(value);
		set.ets.bw[1] = comma ? (uint8_t)number(comma + 1) : 0;
	}
	return kern->ops->dcb_set(kern, dev, &set, err);
}

static int change_app(struct rt_kern *kern, const char *dev, const char *word,
		      const char *value, struct rt_err *err)
{
	unsigned selector, protocol, priority;
	struct rt_dcb_app app;

	if (sscanf(value, "%u:%u:%u", &selector, &protocol, &priority) != 3)
		return rt_err_set(err, -22, "kernask: %s?", value);
	app = (struct rt_dcb_app){ (uint8_t)selector, (uint8_t)priority,
				   (uint16_t)protocol };
	return *word == 'a' ? kern->ops->dcb_app_add(kern, dev, &app, err)
			    : kern->ops->dcb_app_delete(kern, dev, &app, err);
}

static int set_dcbx(struct rt_kern *kern, const char *dev, const char *word,
		    const char *value, struct rt_err *err)
{
	(void)word;
	return kern->ops->dcbx_set(kern, dev, (uint8_t)number(value), err);
}

static int set_pause(struct rt_kern *kern, const char *dev, const char *word,
		     const char *value, struct rt_err *err)
{
	const struct rt_link_pause pause = { .rx = value[0] == '1',
					     .tx = strchr(value, ',') &&
						   strchr(value, ',')[1] == '1' };

	(void)word;
	return kern->ops->pause_set(kern, dev, &pause, err);
}

static int set_storm(struct rt_kern *kern, const char *dev, const char *word,
		     const char *value, struct rt_err *err)
{
	(void)word;
	return kern->ops->storm_set(kern, dev, (uint16_t)number(value), err);
}

static int set_flag(struct rt_kern *kern, const char *dev, const char *word,
		    const char *value, struct rt_err *err)
{
	char name[32];
	const char *comma = strchr(value, ',');

	(void)word;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, ","), value);
	return kern->ops->priv_flag_set(kern, dev, name, comma && comma[1] == '1', err);
}

/* --- questions ----------------------------------------------------------------------- */

static int state(struct rt_kern *kern, const char *dev, const char *value,
		 struct rt_err *err)
{
	struct rt_dcb dcb;
	int r = kern->ops->dcb_get(kern, dev, &dcb, err);

	(void)value;
	if (r < 0)
		return r;
	printf("has %x pfc %02x cap %u delay %u dcbx %02x", dcb.has, dcb.pfc.mask,
	       dcb.pfc.cap, dcb.pfc.delay, dcb.dcbx);
	printf(" bw %u,%u rate %" PRIu64 " buffer %u apps", dcb.ets.bw[0],
	       dcb.ets.bw[1], dcb.maxrate_bps[0], dcb.buffer.total_bytes);
	for (size_t i = 0; i < dcb.app.count; i++)
		printf(" %u:%u:%u", dcb.app.items[i].selector,
		       dcb.app.items[i].protocol, dcb.app.items[i].priority);
	printf("\n");
	return 0;
}

static int links(struct rt_kern *kern, const char *dev, const char *value,
		 struct rt_err *err)
{
	struct rt_links found = { 0 };
	int r = kern->ops->links(kern, &found, err);

	(void)value;
	for (size_t i = 0; i < found.count; i++)
		if (strcmp(found.items[i].name, dev) == 0)
			printf("%s mtu %u carrier %d changes %u\n", dev,
			       found.items[i].mtu_bytes, found.items[i].carrier,
			       found.items[i].carrier_changes);
	rt_links_free(&found);
	return r;
}

static int info(struct rt_kern *kern, const char *dev, const char *value,
		struct rt_err *err)
{
	struct rt_ethtool_info got;
	int r = kern->ops->ethtool_info(kern, dev, &got, err);

	(void)value;
	if (r == 0)
		printf("driver %s firmware %s bus %s\n", got.driver, got.firmware,
		       got.bus);
	return r;
}

static int speed(struct rt_kern *kern, const char *dev, const char *value,
		 struct rt_err *err)
{
	struct rt_opt_u64 bps;
	int r = kern->ops->speed_get(kern, dev, &bps, err);

	(void)value;
	if (r == 0)
		printf("speed %s %" PRIu64 "\n", bps.known ? "known" : "unknown",
		       bps.value);
	return r;
}

static int pauses(struct rt_kern *kern, const char *dev, const char *value,
		  struct rt_err *err)
{
	struct rt_link_pause pause;
	int r = kern->ops->pause_get(kern, dev, &pause, err);

	(void)value;
	if (r == 0)
		printf("pause rx %d tx %d autoneg %d\n", pause.rx, pause.tx,
		       pause.autoneg);
	return r;
}

static int tout(struct rt_kern *kern, const char *dev, const char *value,
		struct rt_err *err)
{
	uint16_t ms;
	int r = kern->ops->storm_get(kern, dev, &ms, err);

	(void)value;
	if (r == 0)
		printf("storm %u\n", ms);
	return r;
}

static int flags(struct rt_kern *kern, const char *dev, const char *value,
		 struct rt_err *err)
{
	struct rt_priv_flags got;
	int r = kern->ops->priv_flags_get(kern, dev, &got, err);

	(void)value;
	for (size_t i = 0; r == 0 && i < got.count; i++)
		printf("flag %s %d\n", got.name[i], (int)(got.value >> i & 1));
	return r;
}

static int ports(struct rt_kern *kern, const char *dev, const char *value,
		 struct rt_err *err)
{
	struct rt_rdma_ports found = { 0 };
	int r = kern->ops->rdma_ports(kern, &found, err);

	(void)dev;
	(void)value;
	for (size_t i = 0; i < found.count; i++)
		printf("port %s/%u %s %s state %u\n", found.items[i].ibdev,
		       found.items[i].port, found.items[i].netdev,
		       found.items[i].protocol, found.items[i].state);
	rt_rdma_ports_free(&found);
	return r;
}

static int use(struct rt_kern *kern, const char *dev, const char *value,
	       struct rt_err *err)
{
	struct rt_rdma_use got;
	int r = kern->ops->rdma_use(kern, value, &got, err);

	(void)dev;
	if (r == 0)
		printf("qps %u connected %u who %s\n", got.qps, got.connected, got.who);
	return r;
}

static int eswitch(struct rt_kern *kern, const char *dev, const char *value,
		   struct rt_err *err)
{
	char mode[16];
	int r = kern->ops->eswitch_mode(kern, value, mode, sizeof(mode), err);

	(void)dev;
	if (r == 0)
		printf("eswitch %s\n", mode);
	return r;
}

static const struct {
	const char *word;
	int (*write)(struct rt_kern *kern, const char *dev, const char *word,
		     const char *value, struct rt_err *err);
	int (*ask)(struct rt_kern *kern, const char *dev, const char *value,
		   struct rt_err *err);
} words[] = {
	{ "pfc", set_part, NULL },     { "ets", set_part, NULL },
	{ "maxrate", set_part, NULL }, { "add", change_app, NULL },
	{ "del", change_app, NULL },   { "dcbx", set_dcbx, NULL },
	{ "pause", set_pause, NULL },  { "storm", set_storm, NULL },
	{ "flag", set_flag, NULL },    { "state", NULL, state },
	{ "links", NULL, links },      { "info", NULL, info },
	{ "speed", NULL, speed },      { "pauses", NULL, pauses },
	{ "tout", NULL, tout },        { "flags", NULL, flags },
	{ "ports", NULL, ports },      { "use", NULL, use },
	{ "eswitch", NULL, eswitch },
};

static void do_word(struct rt_kern *kern, const char *dev, const char *word)
{
	const size_t bytes = strcspn(word, "=");
	const char *value = word[bytes] ? word + bytes + 1 : "";
	struct rt_err err = { 0 };
	int r;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != bytes ||
		    strncmp(words[i].word, word, bytes) != 0)
			continue;
		r = words[i].write ? words[i].write(kern, dev, word, value, &err)
				   : words[i].ask(kern, dev, value, &err);
		if (words[i].write || r < 0)
			done(r, &err);
		return;
	}
	fprintf(stderr, "kernask: what is '%s'?\n", word);
	exit(2);
}

int main(int argc, char **argv)
{
	struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	if (argc < 3 || rt_kern_open_live(&kern, &err) < 0) {
		fprintf(stderr, "kernask: %s\n", argc < 3 ? "DEV WORD..." : err.msg);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		do_word(kern, argv[1], argv[i]);
	rt_kern_close(kern);
	return 0;
}
