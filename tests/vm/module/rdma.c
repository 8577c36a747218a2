// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * An RDMA device on a NIC: to be listed, read, and to have connections counted.
 *
 * No programs' verbs and no traffic.  The operations are the kernel's mandatory ones,
 * so that rdma_cm takes the device (its configfs, default TOS) and so that QPs of the
 * kernel's own can be made: those are "connections in use".
 */
#include <linux/module.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>

#include "rtnic.h"

#define QPS_MAX 64

struct rtnic_rdma {
	struct ib_device ib;
	struct rtnic *nic;
	struct mutex lock; /* of what follows */
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp[QPS_MAX];
	unsigned int qp_count;
};

/* The kernel's objects with nothing of our own in them. */
struct rtnic_pd {
	struct ib_pd ib;
};

struct rtnic_cq {
	struct ib_cq ib;
};

struct rtnic_qp {
	struct ib_qp ib;
};

static struct rtnic_rdma *rdma_of(struct ib_device *ib)
{
	return container_of(ib, struct rtnic_rdma, ib);
}

static int query_device(struct ib_device *ib, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	struct rtnic *nic = rdma_of(ib)->nic;

	*attr = (struct ib_device_attr){
		.sys_image_guid = ib->node_guid,
		.vendor_id = nic->kind->vendor,
		.vendor_part_id = nic->kind->device,
		.kernel_cap_flags = IBK_LOCAL_DMA_LKEY,
		.max_pkeys = 1,
		.max_qp = QPS_MAX,
		.max_qp_wr = 16,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.max_sge_rd = 1,
		.max_cq = 1,
		.max_cqe = 16,
		.max_pd = 1,
	};
	return 0;
}

static int query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *dev = rdma_of(ib)->nic->dev;
	bool up = netif_running(dev) && netif_carrier_ok(dev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP
			      : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = iboe_get_mtu(dev->mtu);
	attr->gid_tbl_len = 256;
	attr->pkey_tbl_len = 1;
	attr->ip_gids = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = rtnic_speed_mbps >= 400000   ? IB_SPEED_NDR
			     : rtnic_speed_mbps >= 200000 ? IB_SPEED_HDR
							  : IB_SPEED_EDR;
	return 0;
}

static int get_port_immutable(struct ib_device *ib, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 256;
	immutable->pkey_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP |
				    RDMA_CORE_CAP_IB_CM | RDMA_CORE_CAP_ETH_AH |
				    RDMA_CORE_CAP_IB_GRH_REQUIRED;
	return 0;
}

static int query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static void get_dev_fw_str(struct ib_device *ib, char *str)
{
	/* Only the first word: the RDMA side says no board's name. */
	const char *firmware = rdma_of(ib)->nic->kind->firmware;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%.*s", (int)strcspn(firmware, " /"),
		 firmware);
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

/* Programs have nothing here; without it the kernel moves no device to a namespace. */
static void disassociate_ucontext(struct ib_ucontext *context)
{
}

static struct rdma_hw_stats *alloc_stats(struct ib_device *ib, u32 port)
{
	const struct rtnic_kind *kind = rdma_of(ib)->nic->kind;

	return rdma_alloc_hw_stats_struct(kind->counters, kind->counter_count,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		     int index)
{
	struct rtnic *nic = rdma_of(ib)->nic;

	if (!port)
		return -EINVAL;
	memcpy(stats->value, nic->hw_counter, nic->kind->counter_count * sizeof(u64));
	return nic->kind->counter_count;
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	cq->cqe = attr->cqe;
	return 0;
}

static int destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return 0;
}

static int poll_cq(struct ib_cq *cq, int count, struct ib_wc *wc)
{
	return 0;
}

static int req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

static int create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
		     struct ib_udata *udata)
{
	/* Numbers as a card's: they start beyond the two that management owns. */
	qp->qp_num = 0x100 + rdma_of(qp->device)->qp_count;
	return 0;
}

static int modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
{
	return 0;
}

static int query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	attr->qp_state = IB_QPS_RTS;
	attr->path_mtu = IB_MTU_1024;
	attr->dest_qp_num = qp->qp_num;
	return 0;
}

static int destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	return 0;
}

static int post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad)
{
	*bad = wr;
	return -EOPNOTSUPP;
}

static int post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad)
{
	*bad = wr;
	return -EOPNOTSUPP;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int flags)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 addr,
				 int flags, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return 0;
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = query_device,
	.query_port = query_port,
	.query_pkey = query_pkey,
	.get_port_immutable = get_port_immutable,
	.get_link_layer = get_link_layer,
	.get_dev_fw_str = get_dev_fw_str,
	.add_gid = add_gid,
	.del_gid = del_gid,
	.alloc_hw_port_stats = alloc_stats,
	.get_hw_stats = get_stats,
	.disassociate_ucontext = disassociate_ucontext,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.create_cq = create_cq,
	.destroy_cq = destroy_cq,
	.poll_cq = poll_cq,
	.req_notify_cq = req_notify_cq,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.query_qp = query_qp,
	.destroy_qp = destroy_qp,
	.post_send = post_send,
	.post_recv = post_recv,
	.get_dma_mr = get_dma_mr,
	.reg_user_mr = reg_user_mr,
	.dereg_mr = dereg_mr,
	INIT_RDMA_OBJ_SIZE(ib_pd, rtnic_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, rtnic_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, rtnic_qp, ib),
};

static void qps_end(struct rtnic_rdma *rdma)
{
	if (rdma->cq)
		ib_destroy_cq(rdma->cq);
	if (rdma->pd)
		ib_dealloc_pd(rdma->pd);
	rdma->cq = NULL;
	rdma->pd = NULL;
}

static int qps_begin(struct rtnic_rdma *rdma)
{
	const struct ib_cq_init_attr attr = { .cqe = 16 };

	rdma->pd = ib_alloc_pd(&rdma->ib, 0);
	if (IS_ERR(rdma->pd)) {
		int r = PTR_ERR(rdma->pd);

		rdma->pd = NULL;
		return r;
	}
	rdma->cq = ib_create_cq(&rdma->ib, NULL, NULL, NULL, &attr);
	if (IS_ERR(rdma->cq)) {
		int r = PTR_ERR(rdma->cq);

		rdma->cq = NULL;
		qps_end(rdma);
		return r;
	}
	return 0;
}

static int qp_add(struct rtnic_rdma *rdma)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC,
		.port_num = 1,
		.send_cq = rdma->cq,
		.recv_cq = rdma->cq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ib_qp *qp = ib_create_qp(rdma->pd, &attr);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	rdma->qp[rdma->qp_count++] = qp;
	return 0;
}

int rtnic_rdma_qps(struct rtnic *nic, unsigned int count)
{
	struct rtnic_rdma *rdma = nic->rdma;
	int r = 0;

	if (count > QPS_MAX)
		return -ENOSPC;
	mutex_lock(&rdma->lock);
	if (count && !rdma->pd)
		r = qps_begin(rdma);
	while (!r && rdma->qp_count < count)
		r = qp_add(rdma);
	while (rdma->qp_count > count)
		ib_destroy_qp(rdma->qp[--rdma->qp_count]);
	if (!rdma->qp_count)
		qps_end(rdma);
	mutex_unlock(&rdma->lock);
	return r;
}

unsigned int rtnic_rdma_qp_count(const struct rtnic *nic)
{
	return READ_ONCE(nic->rdma->qp_count);
}

struct kobject *rtnic_rdma_kobj(struct rtnic *nic)
{
	return &nic->rdma->ib.dev.kobj;
}

int rtnic_rdma_add(struct rtnic *nic)
{
	struct rtnic_rdma *rdma = ib_alloc_device(rtnic_rdma, ib);
	int err;

	if (!rdma)
		return -ENOMEM;
	rdma->nic = nic;
	nic->rdma = rdma;
	mutex_init(&rdma->lock);
	rdma->ib.phys_port_cnt = 1;
	rdma->ib.node_type = RDMA_NODE_IB_CA;
	rdma->ib.num_comp_vectors = 1;
	rdma->ib.dev.parent = &nic->pdev->dev;
	addrconf_addr_eui48((u8 *)&rdma->ib.node_guid, nic->dev->dev_addr);
	ib_set_device_ops(&rdma->ib, &ops);
	err = ib_device_set_netdev(&rdma->ib, nic->dev, 1);
	if (!err)
		err = ib_register_device(&rdma->ib, nic->kind->rdma, NULL);
	if (err)
		ib_dealloc_device(&rdma->ib);
	return err;
}

void rtnic_rdma_remove(struct rtnic *nic)
{
	rtnic_rdma_qps(nic, 0);
	ib_unregister_device(&nic->rdma->ib);
	ib_dealloc_device(&nic->rdma->ib);
}
