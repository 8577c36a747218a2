/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_net.c - a topology's hosts as namespaces, its cables as veth pairs. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <net/if_arp.h>
#include <netinet/if_ether.h>
#include <stdio.h>
#include <string.h>

#include "kern/netdev.h"
#include "kern/netlink.h"
#include "kern/netns.h"
#include "lab/lab_parts.h"
#include "model/topology.h"
#include "pktio/ring.h"
#include "rocetune/err.h"

#define PREFIX_BITS 24

uint32_t rt_lab_mtu(const struct rt_fabric_config *laws)
{
	/* IPv6, UDP, BTH, the longest extension and ICRC: 40 + 8 + 12 + 28 + 4. */
	const uint32_t need = laws->mtu_bytes + 92;

	return need < 1500 ? 1500 : need;
}

/* Locally administered: 02, "lab", which side, which host. */
static void give_mac(uint8_t mac[6], uint8_t side, uint32_t host)
{
	const uint8_t bytes[6] = { 0x02, 'l', 'a', 'b', side, (uint8_t)(host + 1) };

	memcpy(mac, bytes, sizeof(bytes));
}

static void describe_host(const struct rt_topology *topology, uint32_t i,
			  struct rt_lab_host *host)
{
	const struct rt_topo_port *nic = &topology->ports[i];

	*host = (struct rt_lab_host){
		.ip = { .bytes = { 10, 0, 0, (uint8_t)(i + 1) }, .version = 4 },
	};
	snprintf(host->name, sizeof(host->name), "%.15s", nic->name);
	snprintf(host->switch_port, sizeof(host->switch_port), "%.15s",
		 topology->ports[nic->peer].name);
	give_mac(host->mac, 0, i);
}

/* Both ends are there; the host's own is set up from inside. */
static int set_host(const struct rt_lab_host *host, struct rt_err *err)
{
	struct rt_nl nl = { 0 };
	int r = rt_netdev_no_offload(host->name, err);

	if (r == 0)
		r = rt_netdev_up(&nl, "lo", err);
	if (r == 0)
		r = rt_netdev_address(&nl, host->name, &host->ip, PREFIX_BITS, err);
	if (r == 0)
		r = rt_netdev_up(&nl, host->name, err);
	rt_nl_close(&nl);
	return r;
}

/* From the switch's namespace, into the new one and back. */
static int make_host(struct rt_nl *nl, uint32_t mtu_bytes, uint32_t i,
		     struct rt_lab_net *net, struct rt_err *err)
{
	struct rt_lab_host *host = &net->hosts[i];
	struct rt_veth veth = { .name = host->switch_port,
				.peer = host->name,
				.mtu_bytes = mtu_bytes };
	int r = rt_netns_create(&net->netns_fd[i], err);

	if (r < 0)
		return r;
	host->netns_fd = (uint32_t)net->netns_fd[i];
	veth.peer_netns_fd = net->netns_fd[i];
	give_mac(veth.mac, 1, i);
	memcpy(veth.peer_mac, host->mac, sizeof(veth.peer_mac));
	r = rt_netns_enter(net->netns_fd[i], err);
	if (r < 0)
		return r;
	/* Before there is an interface that would announce itself; if it may not be
	 * forbidden, a few frames more pass. */
	rt_netns_without_ipv6(NULL);
	r = rt_netns_enter(net->switch_netns_fd, err);
	if (r == 0)
		r = rt_veth_add(nl, &veth, err);
	if (r == 0)
		r = rt_netdev_no_offload(veth.name, err);
	if (r == 0)
		r = rt_netdev_up(nl, veth.name, err);
	if (r == 0)
		r = rt_netns_enter(net->netns_fd[i], err);
	if (r == 0)
		r = set_host(host, err);
	return r < 0 ? r : rt_netns_enter(net->switch_netns_fd, err);
}

int rt_lab_net_make(const struct rt_topology *topology, uint32_t mtu_bytes,
		    struct rt_lab_net *net, struct rt_err *err)
{
	struct rt_nl nl = { 0 };
	int r;

	*net = (struct rt_lab_net){ .host_count = topology->hosts };
	r = rt_netns_current(&net->switch_netns_fd, err);
	if (r < 0)
		return r;
	rt_netns_without_ipv6(NULL);
	for (uint32_t i = 0; r == 0 && i < topology->hosts; i++) {
		describe_host(topology, i, &net->hosts[i]);
		r = make_host(&nl, mtu_bytes, i, net, err);
		net->netdevs[topology->ports[i].peer] = net->hosts[i].switch_port;
	}
	rt_nl_close(&nl);
	return r;
}

/* --- hosts make themselves known ------------------------------------------------------ */

/* "Here is 10.0.0.3", to all (RFC 5227, 2.3). */
struct announcement {
	struct ether_header ethernet;
	struct ether_arp arp;
	uint8_t padding[18]; /* to the least that Ethernet carries */
};

static void make_announcement(const struct rt_lab_host *host,
			      struct announcement *announcement)
{
	struct ether_arp *arp = &announcement->arp;

	*announcement = (struct announcement){ 0 };
	memset(announcement->ethernet.ether_dhost, 0xFF, ETH_ALEN);
	memcpy(announcement->ethernet.ether_shost, host->mac, ETH_ALEN);
	announcement->ethernet.ether_type = htons(ETH_P_ARP);
	arp->arp_hrd = htons(ARPHRD_ETHER);
	arp->arp_pro = htons(ETH_P_IP);
	arp->arp_hln = ETH_ALEN;
	arp->arp_pln = 4;
	arp->arp_op = htons(ARPOP_REQUEST);
	memcpy(arp->arp_sha, host->mac, ETH_ALEN);
	memcpy(arp->arp_spa, host->ip.bytes, 4);
	memcpy(arp->arp_tpa, host->ip.bytes, 4);
}

static int announce(const struct rt_lab_host *host, struct rt_err *err)
{
	const struct rt_ring_config config = { .netdev = host->name,
					       .filter = RT_RING_NONE };
	struct announcement announcement;
	const struct iovec frame = { &announcement, sizeof(announcement) };
	struct rt_ring *ring;
	int r = rt_ring_open(&config, &ring, err);

	if (r < 0)
		return r;
	make_announcement(host, &announcement);
	r = rt_ring_send(ring, &frame, 1, err);
	rt_ring_close(ring);
	return r < 0 ? r : 0;
}

int rt_lab_net_announce(const struct rt_lab_net *net, struct rt_err *err)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < net->host_count; i++) {
		r = rt_netns_enter(net->netns_fd[i], err);
		if (r == 0)
			r = announce(&net->hosts[i], err);
	}
	return r < 0 ? r : rt_netns_enter(net->switch_netns_fd, err);
}
