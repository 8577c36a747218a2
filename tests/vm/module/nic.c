// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The netdev: life, link, frames to the peer, and what the buffers are at load.
 */
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#include "rtnic.h"

/* The receive buffer of a port, and the unit that it is handed out in. */
#define BUFFER_BYTES 4151520
#define BUFFER_CELL  144
#define BUFFER_LOSSY 19872
#define CABLE_M      7

static struct rtnic *nics[RTNIC_NICS_MAX];

/* What leaves while an XOFF travels and is obeyed, and a frame begun on each end. */
u32 rtnic_buffer_need(const struct rtnic *nic)
{
	u64 bits_per_us = rtnic_speed_mbps;
	u32 flight = div_u64(2 * 5 * nic->card.cable_m * bits_per_us, 8 * 1000);
	u32 answer = div_u64(3 * bits_per_us, 8);

	return roundup(flight + answer + 2 * nic->dev->mtu, BUFFER_CELL);
}

void rtnic_buffer_fit(struct rtnic *nic)
{
	struct dcbnl_buffer *b = &nic->card.buffer;
	unsigned int i;

	if (nic->card.buffer_manual)
		return;
	memset(b, 0, sizeof(*b));
	b->total_size = BUFFER_BYTES;
	b->buffer_size[0] = BUFFER_LOSSY;
	if (nic->card.pfc_en)
		b->buffer_size[1] = rtnic_buffer_need(nic);
	for (i = 0; i < RTNIC_PRIOS; i++)
		b->prio2buffer[i] = !!(nic->card.pfc_en & BIT(i));
}

void rtnic_card_reset(struct rtnic *nic)
{
	struct rtnic_card *card = &nic->card;
	unsigned int i;

	memset(card, 0, sizeof(*card));
	card->cable_m = CABLE_M;
	card->dcbx = rtnic_fw_dcbx ? nic->kind->fw_dcbx : nic->kind->dcbx;
	card->fw_lldp = rtnic_fw_dcbx;
	card->rx_pause = card->tx_pause = nic->kind->pause;
	for (i = 0; i < RTNIC_DSCPS; i++)
		card->dscp_prio[i] = i / 8;
	/* Where nothing is known before it is set, one strict class is all there is. */
	if (!nic->kind->blank_until_set) {
		card->ets.tc_tx_bw[0] = 100;
		card->ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	}
	for (i = 0; i < RTNIC_PRIOS && nic->kind->vendor_ets; i++) {
		card->ets.tc_tx_bw[i] = 100;
		card->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		card->ets.prio_tc[i] = i < 2 ? !i : i;
	}
	rtnic_buffer_fit(nic);
}

static void carrier_set(struct rtnic *nic)
{
	struct net_device *peer = nic->peer;
	bool up = netif_running(nic->dev) &&
		  (nic->pdev->is_virtfn || (peer && netif_running(peer)));

	(up ? netif_carrier_on : netif_carrier_off)(nic->dev);
	if (peer)
		(up ? netif_carrier_on : netif_carrier_off)(peer);
}

static void link_up(struct work_struct *work)
{
	struct rtnic *nic = container_of(to_delayed_work(work), struct rtnic, link_up);

	rtnl_lock();
	/* Gone: nothing may hold it any more. */
	if (nic->dev->reg_state == NETREG_REGISTERED)
		carrier_set(nic);
	rtnl_unlock();
}

void rtnic_flap(struct rtnic *nic)
{
	ASSERT_RTNL();
	nic->flaps++;
	netif_carrier_off(nic->dev);
	if (nic->peer)
		netif_carrier_off(nic->peer);
	mod_delayed_work(system_wq, &nic->link_up, msecs_to_jiffies(rtnic_flap_ms));
}

static int nic_open(struct net_device *dev)
{
	netif_start_queue(dev);
	carrier_set(rtnic_of(dev));
	return 0;
}

static int nic_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	carrier_set(rtnic_of(dev));
	return 0;
}

static int nic_change_mtu(struct net_device *dev, int mtu)
{
	dev->mtu = mtu;
	rtnic_buffer_fit(rtnic_of(dev));
	return 0;
}

static unsigned int prio_of(const struct rtnic *nic, const struct sk_buff *skb)
{
	const struct vlan_ethhdr *vlan = (const void *)skb->data;
	const struct iphdr *ip = (const void *)(skb->data + ETH_HLEN);

	if (skb->protocol == htons(ETH_P_8021Q) && skb->len >= sizeof(*vlan))
		return ntohs(vlan->h_vlan_TCI) >> VLAN_PRIO_SHIFT;
	if (nic->card.dscp_trust && skb->protocol == htons(ETH_P_IP) &&
	    skb->len >= ETH_HLEN + sizeof(*ip))
		return nic->card.dscp_prio[ip->tos >> 2];
	return 0;
}

/* A pause of 802.3x (opcode 1) or of 802.1Qbb (0x0101): counted, not obeyed. */
static void count_control(struct rtnic *from, struct rtnic *to,
			  const struct sk_buff *skb)
{
	const u8 *d = skb->data;
	unsigned int i;

	from->port_cell[RTNIC_TX_PAUSE_PHY - RTNIC_PRIO_CELLS]++;
	to->port_cell[RTNIC_RX_PAUSE_PHY - RTNIC_PRIO_CELLS]++;
	if (skb->len < 34 || d[14] != 1 || d[15] != 1)
		return;
	for (i = 0; i < RTNIC_PRIOS; i++) {
		u64 quanta = d[18 + 2 * i] << 8 | d[19 + 2 * i];

		if (!(d[17] & BIT(i)))
			continue;
		from->cell[i][RTNIC_TX_PAUSE]++;
		to->cell[i][RTNIC_RX_PAUSE]++;
		to->cell[i][RTNIC_RX_PAUSE_US] += div_u64(quanta * 512,
							  rtnic_speed_mbps);
	}
}

static void count_frame(struct rtnic *from, struct rtnic *to, const struct sk_buff *skb)
{
	unsigned int prio;

	if (skb->protocol == htons(ETH_P_PAUSE)) {
		count_control(from, to, skb);
		return;
	}
	prio = prio_of(from, skb);
	from->cell[prio][RTNIC_TX_PACKETS]++;
	from->cell[prio][RTNIC_TX_BYTES] += skb->len;
	prio = prio_of(to, skb);
	to->cell[prio][RTNIC_RX_PACKETS]++;
	to->cell[prio][RTNIC_RX_BYTES] += skb->len;
}

static netdev_tx_t nic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct rtnic *nic = rtnic_of(dev);
	unsigned int length = skb->len;

	if (!nic->peer || !netif_running(nic->peer) || skb_linearize(skb)) {
		dev->stats.tx_dropped++;
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	skb->protocol = eth_hdr(skb)->h_proto;
	count_frame(nic, rtnic_of(nic->peer), skb);
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += length;
	if (dev_forward_skb(nic->peer, skb) == NET_RX_SUCCESS) {
		nic->peer->stats.rx_packets++;
		nic->peer->stats.rx_bytes += length;
	} else {
		nic->peer->stats.rx_dropped++;
	}
	return NETDEV_TX_OK;
}

static const struct net_device_ops nic_ops = {
	.ndo_open = nic_open,
	.ndo_stop = nic_stop,
	.ndo_start_xmit = nic_xmit,
	.ndo_change_mtu = nic_change_mtu,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void nic_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &nic_ops;
	dev->max_mtu = 9978;
}

/* rnic0, rnic1, ...; the virtual functions of the first are rnic0v0, rnic0v1, ... */
static void nic_name(const struct pci_dev *pdev, unsigned int index, char *name)
{
	if (pdev->is_virtfn)
		snprintf(name, IFNAMSIZ, "rnic%uv%u", index,
			 PCI_FUNC(pdev->devfn) / 2 - 1);
	else
		snprintf(name, IFNAMSIZ, "rnic%u", index);
}

/* A virtual function has neither DCB nor pause: its port is not its own. */
static struct rtnic *nic_new(struct pci_dev *pdev)
{
	unsigned int index = 2 * PCI_SLOT(pdev->devfn) + PCI_FUNC(pdev->devfn) % 2;
	u8 mac[ETH_ALEN] = { 0x02, 'r', 't', 0, PCI_FUNC(pdev->devfn) / 2, index };
	char name[IFNAMSIZ];
	struct net_device *dev;
	struct rtnic *nic;

	nic_name(pdev, index, name);
	dev = alloc_netdev(sizeof(*nic), name, NET_NAME_USER, nic_setup);
	if (!dev)
		return NULL;
	SET_NETDEV_DEV(dev, &pdev->dev);
	dev->dev_port = index % 2;
	eth_hw_addr_set(dev, mac);
	nic = rtnic_of(dev);
	nic->dev = dev;
	nic->pdev = pdev;
	nic->index = index;
	nic->kind = rtnic_kind_of(index);
	rtnic_dcb_fill(nic);
	if (!pdev->is_virtfn)
		dev->dcbnl_ops = &nic->dcb;
	rtnic_ethtool_fill(nic);
	dev->ethtool_ops = &nic->ethtool;
	INIT_DELAYED_WORK(&nic->link_up, link_up);
	rtnic_card_reset(nic);
	netif_carrier_off(dev);
	return nic;
}

static void peers_join(struct rtnic *nic)
{
	struct rtnic *other = nics[nic->index ^ 1];

	rtnl_lock();
	nics[nic->index] = nic;
	if (other) {
		nic->peer = other->dev;
		other->peer = nic->dev;
	}
	rtnl_unlock();
}

/* After this nobody sends to nic's netdev: a sender holds the transmit lock. */
static void peers_part(struct rtnic *nic)
{
	rtnl_lock();
	nics[nic->index] = NULL;
	if (nic->peer) {
		struct rtnic *other = rtnic_of(nic->peer);

		netif_carrier_off(other->dev);
		netif_tx_disable(other->dev);
		other->peer = NULL;
		if (netif_running(other->dev))
			netif_tx_wake_all_queues(other->dev);
	}
	rtnl_unlock();
}

/* What only the card itself has, not its virtual functions. */
static int port_add(struct rtnic *nic)
{
	bool ofed = rtnic_with_ofed && nic->kind->ofed;
	int err = rtnic_eswitch_add(nic);

	if (err)
		return err;
	rtnic_knobs_reset(nic);
	if (ofed)
		err = rtnic_ofed_add(nic);
	else
		rtnic_knobs_add(nic);
	if (err) {
		rtnic_eswitch_remove(nic);
		return err;
	}
	peers_join(nic);
	return 0;
}

static void port_remove(struct rtnic *nic)
{
	pci_disable_sriov(nic->pdev);
	rtnic_ofed_remove(nic);
	debugfs_remove_recursive(nic->knob_files);
	peers_part(nic);
	rtnic_eswitch_remove(nic);
}

int rtnic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct rtnic *nic = nic_new(pdev);
	int err;

	if (!nic)
		return -ENOMEM;
	err = register_netdev(nic->dev);
	if (err)
		goto free;
	err = rtnic_rdma_add(nic);
	if (err)
		goto unregister;
	err = pdev->is_virtfn ? 0 : port_add(nic);
	if (err)
		goto rdma;
	pci_set_drvdata(pdev, nic);
	rtnic_files_add(nic);
	return 0;

rdma:
	rtnic_rdma_remove(nic);
unregister:
	unregister_netdev(nic->dev);
free:
	free_netdev(nic->dev);
	return err;
}

void rtnic_remove(struct pci_dev *pdev)
{
	struct rtnic *nic = pci_get_drvdata(pdev);

	debugfs_remove_recursive(nic->files);
	if (!pdev->is_virtfn)
		port_remove(nic);
	rtnic_rdma_remove(nic);
	unregister_netdev(nic->dev);
	cancel_delayed_work_sync(&nic->link_up);
	free_netdev(nic->dev);
}
