/* SPDX-License-Identifier: BSD-2-Clause */
/* lldp_listen.c - LLDP frames as they come in. */
#include "pktio/lldp_listen.h"

#include <errno.h>
#include <pcap.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"

#define SNAP_BYTES 9216 /* LLDPDUs may fill a jumbo frame */

struct ear {
	const char *device;
	pcap_t *pcap;
	bool satisfied;
};

struct ears {
	struct ear *items;
	struct pollfd *fds;
	size_t count;
	struct rt_lldp_peers *peers;
};

static void close_ears(struct ears *ears)
{
	for (size_t i = 0; ears->items && i < ears->count; i++)
		if (ears->items[i].pcap)
			pcap_close(ears->items[i].pcap);
	free(ears->items);
	free(ears->fds);
}

static int why_not(int status)
{
	switch (status) {
	case PCAP_ERROR_NO_SUCH_DEVICE: return -ENODEV;
	case PCAP_ERROR_PERM_DENIED: return -EPERM;
	default: return -EIO;
	}
}

static int fail(const struct ear *ear, int status, struct rt_err *err)
{
	const char *text = pcap_geterr(ear->pcap);

	return rt_err_set(err, why_not(status), "%s: cannot listen: %s%s%s",
			  ear->device, pcap_statustostr(status), *text ? ": " : "",
			  text);
}

/*
 * Only what comes in: agents of this host send through the same device.  A device
 * that is down hears nobody, which is no failure.
 */
static int open_ear(struct ear *ear, struct pollfd *fd, struct rt_err *err)
{
	char text[PCAP_ERRBUF_SIZE] = "";
	struct bpf_program program;
	int r;

	ear->pcap = pcap_create(ear->device, text);
	if (!ear->pcap)
		return rt_err_set(err, -EIO, "%s: cannot listen: %s", ear->device,
				  text);
	pcap_set_snaplen(ear->pcap, SNAP_BYTES);
	pcap_set_immediate_mode(ear->pcap, 1);
	/* LLDP goes to a group address that NICs drop unless asked */
	pcap_set_promisc(ear->pcap, 1);
	r = pcap_activate(ear->pcap);
	if (r == PCAP_ERROR_IFACE_NOT_UP) {
		ear->satisfied = true;
		return 0;
	}
	if (r < 0)
		return fail(ear, r, err);
	if (pcap_datalink(ear->pcap) != DLT_EN10MB)
		return rt_err_set(err, -EOPNOTSUPP, "%s: is no Ethernet device",
				  ear->device);
	r = pcap_compile(ear->pcap, &program, "ether proto 0x88cc", 1,
			 PCAP_NETMASK_UNKNOWN);
	if (r == 0) {
		r = pcap_setfilter(ear->pcap, &program);
		pcap_freecode(&program);
	}
	if (r == 0)
		r = pcap_setdirection(ear->pcap, PCAP_D_IN);
	if (r < 0)
		return fail(ear, r, err);
	if (pcap_setnonblock(ear->pcap, 1, text) < 0)
		return rt_err_set(err, -EIO, "%s: cannot listen: %s", ear->device,
				  text);
	*fd = (struct pollfd){ .fd = pcap_get_selectable_fd(ear->pcap),
			       .events = POLLIN };
	return 0;
}

static bool speaks_dcbx(const struct rt_lldp *said)
{
	for (unsigned i = 0; i < RT_DCBX_DIALECT_COUNT; i++)
		if (said->dcbx[i].present)
			return true;
	return false;
}

static int drain(struct ears *ears, struct ear *ear, struct rt_err *err)
{
	struct pcap_pkthdr *header;
	const uint8_t *data;
	struct rt_lldp said;
	int r;

	while ((r = pcap_next_ex(ear->pcap, &header, &data)) > 0) {
		if (!rt_lldp_decode(data, header->caplen, &said))
			continue;
		r = rt_lldp_peers_add(ears->peers, ear->device, &said, err);
		if (r < 0)
			return r;
		ear->satisfied |= speaks_dcbx(&said);
	}
	return r == PCAP_ERROR ? fail(ear, r, err) : 0;
}

static bool all_satisfied(const struct ears *ears)
{
	for (size_t i = 0; i < ears->count; i++)
		if (!ears->items[i].satisfied)
			return false;
	return true;
}

static int64_t now_ms(void)
{
	return rt_monotonic_ns() / 1000000;
}

static int listen_until(struct ears *ears, int64_t end_ms, struct rt_err *err)
{
	while (!all_satisfied(ears)) {
		const int64_t left_ms = end_ms - now_ms();
		int r;

		if (left_ms <= 0)
			return 0;
		r = poll(ears->fds, ears->count, (int)left_ms);
		if (r < 0)
			return rt_err_sys(err, -errno, "cannot listen for LLDP");
		for (size_t i = 0; i < ears->count; i++) {
			r = ears->fds[i].revents ? drain(ears, &ears->items[i], err)
						 : 0;
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int rt_lldp_listen(const char *const *devices, size_t count, unsigned most_ms,
		   struct rt_lldp_peers *peers, struct rt_err *err)
{
	RT_AUTO(close_ears)
	struct ears ears = { .items = calloc(count + 1, sizeof(struct ear)),
			     .fds = calloc(count + 1, sizeof(struct pollfd)),
			     .count = count,
			     .peers = peers };
	const int64_t end_ms = now_ms() + most_ms;

	if (!ears.items || !ears.fds)
		return rt_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		int r;

		ears.items[i].device = devices[i];
		ears.fds[i].fd = -1; /* poll(2) passes over it */
		r = open_ear(&ears.items[i], &ears.fds[i], err);
		if (r < 0)
			return r;
	}
	return listen_until(&ears, end_ms, err);
}
