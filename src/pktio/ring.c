/* SPDX-License-Identifier: BSD-2-Clause */
/* ring.c - frames in by a ring mapped from the kernel, out by sendmmsg(). */
#include "pktio/ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"

#define BATCH              64u
#define RING_BYTES_DEFAULT (4u << 20)
#define BLOCK_BYTES        (1u << 16)
#define LINK_BYTES_MAX     32u /* of header and tags in front of what the MTU counts */
#define SLOT_BYTES_MAX     BLOCK_BYTES
#define SEND_BUFFER_BYTES  (1u << 20)

/* The group address of PFC and PAUSE (802.1Q, table 8-1). */
static const uint8_t mac_control[6] = { 0x01, 0x80, 0xC2, 0x00, 0x00, 0x01 };

struct rt_ring {
	char netdev[IFNAMSIZ];
	int fd;
	unsigned ifindex;
	uint8_t mac[6];
	uint32_t mtu_bytes;
	bool outgoing;
	uint8_t *map; /* NULL: sends only */
	size_t map_bytes;
	uint32_t slot_bytes, slots_per_block, slots;
	uint32_t next; /* slot to read */
	uint32_t held; /* slots before it that were not released */
	struct rt_ring_stats stats;
	struct mmsghdr batch[BATCH];
};

/* --- which frames come in ------------------------------------------------- */

/* X is how far a VLAN tag that stands in the frame moves all behind it. */
static const struct sock_filter roce_only[] = {
	BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021Q, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021AD, 0, 1),
	BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 4),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 12),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_PAUSE, 18, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 12, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 15),
	/* IPv4: UDP, the first of its fragments, behind any options */
	BPF_STMT(BPF_LD | BPF_B | BPF_IND, 14 + 9),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 13),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 14 + 6),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1FFF, 11, 0),
	BPF_STMT(BPF_LD | BPF_B | BPF_IND, 14),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x0F),
	BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2),
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
	BPF_STMT(BPF_MISC | BPF_TAX, 0),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 14 + 2),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RT_ROCE_UDP_PORT, 5, 4),
	/* IPv6 */
	BPF_STMT(BPF_LD | BPF_B | BPF_IND, 14 + 6),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 2),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 14 + 40 + 2),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RT_ROCE_UDP_PORT, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
};

static int filter(const struct rt_ring *ring, struct rt_err *err)
{
	const struct sock_fprog program = {
		.len = RT_ARRAY_SIZE(roce_only),
		.filter = (struct sock_filter *)(uintptr_t)roce_only,
	};

	if (setsockopt(ring->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		       sizeof(program)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot filter frames",
				  ring->netdev);
	return 0;
}

/* --- open ----------------------------------------------------------------- */

static int ask(struct rt_ring *ring, unsigned long what, struct ifreq *request,
	       struct rt_err *err)
{
	const int r = ioctl(ring->fd, what, request) < 0 ? -errno : 0;

	if (r == -ENODEV)
		return rt_err_set(err, r, "%s: there is no such interface here",
				  ring->netdev);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot ask about it", ring->netdev);
	return 0;
}

static int look(struct rt_ring *ring, struct rt_err *err)
{
	struct ifreq request = { 0 };
	int r;

	memcpy(request.ifr_name, ring->netdev, IFNAMSIZ);
	r = ask(ring, SIOCGIFINDEX, &request, err);
	if (r < 0)
		return r;
	ring->ifindex = (unsigned)request.ifr_ifindex;
	r = ask(ring, SIOCGIFMTU, &request, err);
	if (r < 0)
		return r;
	ring->mtu_bytes = (uint32_t)request.ifr_mtu;
	r = ask(ring, SIOCGIFHWADDR, &request, err);
	if (r < 0)
		return r;
	if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
	    request.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return rt_err_set(err, -EOPNOTSUPP, "%s: is no Ethernet interface",
				  ring->netdev);
	memcpy(ring->mac, request.ifr_hwaddr.sa_data, sizeof(ring->mac));
	return 0;
}

static int option(const struct rt_ring *ring, int level, int name, int value,
		  const char *doing, struct rt_err *err)
{
	if (setsockopt(ring->fd, level, name, &value, sizeof(value)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot %s", ring->netdev, doing);
	return 0;
}

/* A slot holds the kernel's header and the longest frame, but not what was merged. */
static struct tpacket_req shape(struct rt_ring *ring, size_t ring_bytes)
{
	size_t slot = TPACKET_ALIGN(TPACKET2_HDRLEN + LINK_BYTES_MAX + ring->mtu_bytes);
	size_t blocks;

	if (slot > SLOT_BYTES_MAX)
		slot = SLOT_BYTES_MAX;
	if (!ring_bytes)
		ring_bytes = RING_BYTES_DEFAULT;
	blocks = (ring_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
	ring->slot_bytes = (uint32_t)slot;
	ring->slots_per_block = BLOCK_BYTES / ring->slot_bytes;
	ring->slots = (uint32_t)blocks * ring->slots_per_block;
	ring->map_bytes = blocks * BLOCK_BYTES;
	return (struct tpacket_req){ .tp_block_size = BLOCK_BYTES,
				     .tp_block_nr = (unsigned)blocks,
				     .tp_frame_size = ring->slot_bytes,
				     .tp_frame_nr = ring->slots };
}

static int map(struct rt_ring *ring, size_t ring_bytes, struct rt_err *err)
{
	const struct tpacket_req request = shape(ring, ring_bytes);
	void *mapped;
	int r = option(ring, SOL_PACKET, PACKET_VERSION, TPACKET_V2, "set up a ring",
		       err);

	if (r < 0)
		return r;
	if (setsockopt(ring->fd, SOL_PACKET, PACKET_RX_RING, &request,
		       sizeof(request)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot set up a ring of %zu bytes",
				  ring->netdev, ring->map_bytes);
	mapped = mmap(NULL, ring->map_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	if (mapped == MAP_FAILED)
		return rt_err_sys(err, -errno, "%s: cannot map its ring", ring->netdev);
	ring->map = mapped;
	return 0;
}

static int join(const struct rt_ring *ring, unsigned kind, struct rt_err *err)
{
	struct packet_mreq request = { .mr_ifindex = (int)ring->ifindex,
				       .mr_type = (unsigned short)kind,
				       .mr_alen = sizeof(mac_control) };

	memcpy(request.mr_address, mac_control, sizeof(mac_control));
	if (setsockopt(ring->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request,
		       sizeof(request)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot ask for %s", ring->netdev,
				  kind == PACKET_MR_PROMISC ? "all frames"
							    : "pause frames");
	return 0;
}

static int attach(struct rt_ring *ring, bool receive, struct rt_err *err)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = receive ? htons(ETH_P_ALL) : 0,
		.sll_ifindex = (int)ring->ifindex,
	};

	if (bind(ring->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot bind to it", ring->netdev);
	return 0;
}

static int open_receiver(struct rt_ring *ring, const struct rt_ring_config *config,
			 struct rt_err *err)
{
	int r = config->filter == RT_RING_ROCE ? filter(ring, err) : 0;

	if (r == 0 && !config->outgoing)
		r = option(ring, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1,
			   "leave out what this host sends", err);
	if (r == 0)
		r = map(ring, config->ring_bytes, err);
	if (r == 0 && config->promiscuous)
		r = join(ring, PACKET_MR_PROMISC, err);
	if (r == 0 && config->filter == RT_RING_ROCE)
		r = join(ring, PACKET_MR_MULTICAST, err);
	return r;
}

/* The socket has no protocol before bind(): nothing comes in that is not filtered. */
static int open_ring(struct rt_ring *ring, const struct rt_ring_config *config,
		     struct rt_err *err)
{
	const bool receive = config->filter != RT_RING_NONE;
	const int room = SEND_BUFFER_BYTES;
	int r;

	ring->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ring->fd < 0 && errno == EPERM)
		return rt_err_set(err, -EPERM,
				  "%s: raw frames need CAP_NET_RAW: run as root, or "
				  "setcap cap_net_raw+ep on the program",
				  ring->netdev);
	if (ring->fd < 0)
		return rt_err_sys(err, -errno, "%s: cannot open a packet socket",
				  ring->netdev);
	r = look(ring, err);
	if (r == 0 && receive)
		r = open_receiver(ring, config, err);
	if (r == 0 && config->bypass)
		r = option(ring, SOL_PACKET, PACKET_QDISC_BYPASS, 1,
			   "send past its queueing discipline", err);
	/* Without CAP_NET_ADMIN the system's limit stays, which is a matter of speed. */
	if (r == 0)
		(void)setsockopt(ring->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room,
				 sizeof(room));
	return r == 0 ? attach(ring, receive, err) : r;
}

int rt_ring_open(const struct rt_ring_config *config, struct rt_ring **ret_ring,
		 struct rt_err *err)
{
	const size_t length = strlen(config->netdev);
	struct rt_ring *ring;
	int r;

	if (!length || length >= IFNAMSIZ)
		return rt_err_set(err, -ENODEV, "'%s': no interface can be called so",
				  config->netdev);
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return rt_err_set(err, -ENOMEM, "out of memory");
	memcpy(ring->netdev, config->netdev, length + 1);
	ring->outgoing = config->outgoing;
	r = open_ring(ring, config, err);
	if (r < 0) {
		rt_ring_close(ring);
		return r;
	}
	for (unsigned i = 0; i < BATCH; i++)
		ring->batch[i].msg_hdr.msg_iovlen = 1;
	*ret_ring = ring;
	return 0;
}

void rt_ring_close(struct rt_ring *ring)
{
	if (!ring)
		return;
	if (ring->map)
		munmap(ring->map, ring->map_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring);
}

int rt_ring_fd(const struct rt_ring *ring)
{
	return ring->fd;
}

unsigned rt_ring_ifindex(const struct rt_ring *ring)
{
	return ring->ifindex;
}

uint32_t rt_ring_mtu_bytes(const struct rt_ring *ring)
{
	return ring->mtu_bytes;
}

void rt_ring_mac(const struct rt_ring *ring, uint8_t ret_mac[6])
{
	memcpy(ret_mac, ring->mac, sizeof(ring->mac));
}

/* --- receive -------------------------------------------------------------- */

static struct tpacket2_hdr *slot_at(const struct rt_ring *ring, uint32_t slot)
{
	uint8_t *block = ring->map +
			 (size_t)(slot / ring->slots_per_block) * BLOCK_BYTES;

	return (struct tpacket2_hdr *)(void *)(block +
					       (size_t)(slot % ring->slots_per_block) *
						       ring->slot_bytes);
}

static void take(struct rt_ring_frame *frame, const struct tpacket2_hdr *slot,
		 uint32_t status, bool outgoing)
{
	*frame = (struct rt_ring_frame){
		.data = (const uint8_t *)slot + slot->tp_mac,
		.bytes = slot->tp_snaplen,
		.wire_bytes = slot->tp_len,
		.time_ns = (int64_t)slot->tp_sec * 1000000000 + slot->tp_nsec,
		.outgoing = outgoing,
		.tagged = status & TP_STATUS_VLAN_VALID,
		.vlan = slot->tp_vlan_tci,
		/* Kernels before 3.14 know of no other tag. */
		.tpid = status & TP_STATUS_VLAN_TPID_VALID ? slot->tp_vlan_tpid
							   : ETH_P_8021Q,
	};
}

unsigned rt_ring_receive(struct rt_ring *ring, struct rt_ring_frame *frames,
			 unsigned max)
{
	unsigned count = 0;

	while (count < max && ring->map && ring->held < ring->slots) {
		struct tpacket2_hdr *slot = slot_at(ring, ring->next);
		const uint32_t status = __atomic_load_n(&slot->tp_status,
							__ATOMIC_ACQUIRE);
		const struct sockaddr_ll *from =
			(const void *)((const uint8_t *)slot +
				       TPACKET_ALIGN(sizeof(*slot)));

		if (!(status & TP_STATUS_USER))
			break;
		take(&frames[count++], slot, status,
		     from->sll_pkttype == PACKET_OUTGOING);
		ring->held++;
		if (++ring->next == ring->slots)
			ring->next = 0;
	}
	return count;
}

void rt_ring_release(struct rt_ring *ring)
{
	uint32_t slot = ring->next >= ring->held
				? ring->next - ring->held
				: ring->next + ring->slots - ring->held;

	for (; ring->held; ring->held--) {
		__atomic_store_n(&slot_at(ring, slot)->tp_status, TP_STATUS_KERNEL,
				 __ATOMIC_RELEASE);
		if (++slot == ring->slots)
			slot = 0;
	}
}

/* --- send ----------------------------------------------------------------- */

/* What an errno of the socket says about the interface. */
static int broken(const struct rt_ring *ring, int code, struct rt_err *err)
{
	switch (code) {
	case 0: return 0;
	case ENETDOWN:
		return rt_err_set(err, -ENETDOWN, "%s: the link is down", ring->netdev);
	case ENXIO:
	case ENODEV:
		return rt_err_set(err, -ENODEV, "%s: the interface is gone",
				  ring->netdev);
	default: return rt_err_sys(err, -code, "%s: cannot send", ring->netdev);
	}
}

/* packet(7), net/packet/af_packet.c packet_snd(): no memory, or no place in a queue. */
static bool is_full(int code)
{
	return code == EAGAIN || code == ENOBUFS || code == ENOMEM;
}

static int send_some(struct rt_ring *ring, const struct iovec *frames, unsigned count)
{
	int r;

	for (unsigned i = 0; i < count; i++)
		ring->batch[i].msg_hdr.msg_iov = (struct iovec *)(uintptr_t)&frames[i];
	do
		r = sendmmsg(ring->fd, ring->batch, count, MSG_DONTWAIT);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

/*
 * sendmmsg() tells an error only of the first frame: a batch that ends early is looked
 * at again from where it ended.
 */
int rt_ring_send(struct rt_ring *ring, const struct iovec *frames, unsigned count,
		 struct rt_err *err)
{
	unsigned done = 0;

	while (done < count) {
		const unsigned left = count - done;
		const int r = send_some(ring, frames + done,
					left < BATCH ? left : BATCH);

		if (r > 0) {
			done += (unsigned)r;
		} else if (r == -EMSGSIZE || r == -EINVAL) {
			ring->stats.refused++;
			done++;
		} else if (is_full(-r) || done) {
			break;
		} else {
			return broken(ring, -r, err);
		}
	}
	return (int)done;
}

int rt_ring_error(struct rt_ring *ring, struct rt_err *err)
{
	int code = 0;
	socklen_t bytes = sizeof(code);

	if (getsockopt(ring->fd, SOL_SOCKET, SO_ERROR, &code, &bytes) < 0)
		code = errno;
	if (code == ENETDOWN) {
		struct ifreq request = { .ifr_ifindex = (int)ring->ifindex };

		/* Gone looks the same but for the interface. */
		if (ioctl(ring->fd, SIOCGIFNAME, &request) < 0)
			code = ENODEV;
	}
	return broken(ring, code, err);
}

void rt_ring_stats(struct rt_ring *ring, struct rt_ring_stats *ret_stats)
{
	struct tpacket_stats now = { 0 };
	socklen_t bytes = sizeof(now);

	/* The kernel starts at 0 again after each answer; packets has the drops. */
	if (ring->map &&
	    getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &now, &bytes) == 0) {
		ring->stats.received += now.tp_packets - now.tp_drops;
		ring->stats.dropped += now.tp_drops;
	}
	*ret_stats = ring->stats;
}
