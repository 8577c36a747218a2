/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawdcb: one DCB message as it is given, and the kernel's own verdict.
 *
 * The kernel lab holds the program against it, so it shares no code with the program.
 * iproute2's dcb cannot serve: its 6.1 takes the acknowledgement of its read for the
 * answer to its write, so that a refused write looks like one that was done.
 *
 *	rawdcb DEV WORD...		one RTM_SETDCB with all of this, in this order:
 *	    pfc=MASK[,DELAY]		ets=PRIO_TC[,TSA,BW]	(eight digits; TSA s e v c)
 *	    buffer=PRIO_BUFFER,BYTES[:BYTES...]
 *	    maxrate=KBIT[,KBIT...]	add=SEL:PROTO:PRIO	del=SEL:PROTO:PRIO
 *	    dcbx=MODE			(alone; del alone with its like)
 *	rawdcb DEV get=maxrate		the rates, kbit/s: dcb 6.1 is wrong by 125 both ways
 *
 * Prints the verdict as a number: 0, or what the driver answered, below 0 an errno.
 */
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PRIOS 8

struct message {
	struct nlmsghdr head;
	struct dcbmsg dcb;
	uint8_t body[2048];
};

static void die(const char *what)
{
	fprintf(stderr, "rawdcb: %s\n", what);
	exit(2);
}

static struct nlattr *put(struct message *m, unsigned type, const void *data,
			  size_t length)
{
	struct nlattr *attr = (struct nlattr *)((uint8_t *)m +
						NLMSG_ALIGN(m->head.nlmsg_len));
	size_t end = NLMSG_ALIGN(m->head.nlmsg_len) + NLA_HDRLEN + NLA_ALIGN(length);

	if (end > sizeof(*m))
		die("too much for one message");
	attr->nla_type = (uint16_t)type;
	attr->nla_len = (uint16_t)(NLA_HDRLEN + length);
	if (length)
		memcpy(attr + 1, data, length);
	m->head.nlmsg_len = (uint32_t)end;
	return attr;
}

/* What was put since then lies in that attribute. */
static void close_nest(const struct message *m, struct nlattr *nest)
{
	nest->nla_len = (uint16_t)((const uint8_t *)m + m->head.nlmsg_len -
				   (const uint8_t *)nest);
}

static void put_pfc(struct message *m, const char *text)
{
	struct ieee_pfc pfc = { 0 };
	char *end;

	pfc.pfc_en = (uint8_t)strtoul(text, &end, 0);
	if (*end == ',')
		pfc.delay = (uint16_t)strtoul(end + 1, NULL, 0);
	put(m, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
}

/* ets=00120000,ssevssss,0:0:100 is eight classes by digit, a letter each, and shares. */
static void put_ets(struct message *m, const char *text)
{
	struct ieee_ets ets = { 0 };

	if (strlen(text) < PRIOS)
		die("ets wants eight digits");
	for (unsigned i = 0; i < PRIOS; i++)
		ets.prio_tc[i] = (uint8_t)(text[i] - '0');
	text += PRIOS;
	for (unsigned i = 0; *text == ',' && i < PRIOS && text[1 + i]; i++)
		ets.tc_tsa[i] = text[1 + i] == 'e'   ? IEEE_8021QAZ_TSA_ETS
				: text[1 + i] == 'c' ? IEEE_8021QAZ_TSA_CB_SHAPER
				: text[1 + i] == 'v' ? 255
						     : IEEE_8021QAZ_TSA_STRICT;
	text = *text ? strchr(text + 1, ',') : NULL;
	for (unsigned i = 0; text && i < PRIOS; i++) {
		ets.tc_tx_bw[i] = (uint8_t)strtoul(text + 1, NULL, 0);
		text = strchr(text + 1, ':');
	}
	put(m, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
}

static void put_buffer(struct message *m, const char *text)
{
	struct dcbnl_buffer buffer = { 0 };

	if (strlen(text) < PRIOS + 1)
		die("buffer wants eight digits and sizes");
	for (unsigned i = 0; i < PRIOS; i++)
		buffer.prio2buffer[i] = (uint8_t)(text[i] - '0');
	text += PRIOS;
	for (unsigned i = 0; text && i < PRIOS; i++) {
		buffer.buffer_size[i] = (uint32_t)strtoul(text + 1, NULL, 0);
		text = strchr(text + 1, ':');
	}
	put(m, DCB_ATTR_DCB_BUFFER, &buffer, sizeof(buffer));
}

static void put_maxrate(struct message *m, const char *text)
{
	struct ieee_maxrate rates = { 0 };

	for (unsigned i = 0; text && i < PRIOS; i++) {
		rates.tc_maxrate[i] = strtoull(text, NULL, 0);
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
	put(m, DCB_ATTR_IEEE_MAXRATE, &rates, sizeof(rates));
}

static void put_app(struct message *m, const char *text)
{
	struct dcb_app app;
	unsigned selector, protocol, priority;

	if (sscanf(text, "%u:%u:%u", &selector, &protocol, &priority) != 3)
		die("an entry is SEL:PROTO:PRIO");
	app.selector = (uint8_t)selector;
	app.protocol = (uint16_t)protocol;
	app.priority = (uint8_t)priority;
	put(m, DCB_ATTR_IEEE_APP, &app, sizeof(app));
}

static const struct {
	const char *word;
	void (*fill)(struct message *m, const char *text);
	bool app;
} words[] = {
	{ "pfc=", put_pfc, false },         { "ets=", put_ets, false },
	{ "maxrate=", put_maxrate, false }, { "buffer=", put_buffer, false },
	{ "add=", put_app, true },          { "del=", put_app, true },
};

/* Entries stand in a table of their own: neighbours share one. */
static void fill(struct message *m, char **words_given)
{
	struct nlattr *ieee = put(m, DCB_ATTR_IEEE | NLA_F_NESTED, NULL, 0),
		      *table = NULL;

	for (; *words_given; words_given++) {
		size_t i = 0;

		while (strncmp(*words_given, words[i].word, strlen(words[i].word)) != 0)
			if (++i == sizeof(words) / sizeof(words[0]))
				die("unknown word");
		if (words[i].app && !table)
			table = put(m, DCB_ATTR_IEEE_APP_TABLE, NULL, 0);
		words[i].fill(m, *words_given + strlen(words[i].word));
		if (table)
			close_nest(m, table);
		if (!words[i].app)
			table = NULL;
	}
	close_nest(m, ieee);
}

static void show_maxrate(const struct message *in)
{
	const uint8_t *at = in->body, *end = (const uint8_t *)in + in->head.nlmsg_len;
	struct ieee_maxrate rates;
	struct nlattr attr;

	while (at + NLA_HDRLEN <= end) {
		memcpy(&attr, at, sizeof(attr));
		at += NLA_HDRLEN;
		if (attr.nla_len < NLA_HDRLEN)
			break;
		if ((attr.nla_type & NLA_TYPE_MASK) == DCB_ATTR_IEEE)
			continue; /* into it */
		if (attr.nla_type == DCB_ATTR_IEEE_MAXRATE) {
			memcpy(&rates, at, sizeof(rates));
			for (unsigned i = 0; i < PRIOS; i++)
				printf("%s%llu", i ? "," : "",
				       (unsigned long long)rates.tc_maxrate[i]);
			printf("\n");
			return;
		}
		at += NLA_ALIGN(attr.nla_len) - NLA_HDRLEN;
	}
	die("no rates");
}

/* The answer comes first and holds the driver's verdict; then the acknowledgement. */
static int ask(struct message *m, unsigned attribute)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), verdict = 0;

	if (fd < 0 || send(fd, m, m->head.nlmsg_len, 0) < 0)
		die("cannot speak to the kernel");
	for (;;) {
		struct message in;
		struct nlattr attr;
		ssize_t n = recv(fd, &in, sizeof(in), 0);

		if (n < (ssize_t)NLMSG_HDRLEN)
			die("no answer");
		if (in.head.nlmsg_type == NLMSG_ERROR) {
			int error;

			memcpy(&error, NLMSG_DATA(&in.head), sizeof(error));
			close(fd);
			return error ? error : verdict;
		}
		if (m->dcb.cmd == DCB_CMD_IEEE_GET) {
			show_maxrate(&in);
			continue;
		}
		memcpy(&attr, in.body, sizeof(attr));
		if ((attr.nla_type & NLA_TYPE_MASK) == attribute)
			verdict = (int8_t)in.body[NLA_HDRLEN];
	}
}

int main(int argc, char **argv)
{
	struct message m = { .head = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct dcbmsg)),
				       .nlmsg_type = RTM_SETDCB,
				       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
			     .dcb = { .cmd = DCB_CMD_IEEE_SET } };
	unsigned attribute = DCB_ATTR_IEEE;

	if (argc < 3)
		die("rawdcb DEV WORD...");
	put(&m, DCB_ATTR_IFNAME, argv[1], strlen(argv[1]) + 1);
	if (strcmp(argv[2], "get=maxrate") == 0) {
		m.head.nlmsg_type = RTM_GETDCB;
		m.dcb.cmd = DCB_CMD_IEEE_GET;
		return ask(&m, attribute) != 0;
	}
	if (strncmp(argv[2], "dcbx=", 5) == 0) {
		uint8_t mode = (uint8_t)strtoul(argv[2] + 5, NULL, 0);

		m.dcb.cmd = DCB_CMD_SDCBX;
		attribute = DCB_ATTR_DCBX;
		put(&m, DCB_ATTR_DCBX, &mode, sizeof(mode));
	} else {
		if (strncmp(argv[2], "del=", 4) == 0)
			m.dcb.cmd = DCB_CMD_IEEE_DEL;
		fill(&m, argv + 2);
	}
	printf("%d\n", ask(&m, attribute));
	return 0;
}
