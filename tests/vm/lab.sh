#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The lab shows what a host with RoCE NICs shows: PCI, netdev, DCB, ethtool, RDMA.
set -u
. "$RT_LAB/guest/lib.sh"
tap "the module loads" lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
nics_up 0 1
ib=/sys/class/infiniband

driver() { basename "$(readlink "/sys/class/net/$1/device/driver")"; }
i=0
for driver in mlx5_core bnxt_en ice mlx4_core; do
	tap "rnic$i is driven by $driver, says sysfs" reads "$driver" driver rnic$i
	tap "rnic$i is driven by $driver, says ethtool" reads "driver: $driver" ethtool -i rnic$i
	i=$((i + 2))
done
tap "a NIC has a PCI address" reads 'bus-info: 0001:01:00.0' ethtool -i rnic0
tap "a vendor" reads 0x15b3 cat /sys/class/net/rnic0/device/vendor
tap "a PCI link speed" reads '16.0 GT/s PCIe' cat /sys/class/net/rnic0/device/current_link_speed
tap "a PCI link width" reads 16 cat /sys/class/net/rnic0/device/current_link_width
tap "a NUMA node" reads 0 cat /sys/class/net/rnic0/device/numa_node
tap "a speed" reads 'Speed: 100000Mb/s' ethtool rnic0
tap "a firmware" reads 'firmware-version: 28.39.1002*' ethtool -i rnic0

tap "its RDMA device stands on it" reads 'link mlx5_0/1 state ACTIVE * netdev rnic0' rdma link
tap "the other drivers' have their names" reads '*bnxt_re0/1*' rdma link
tap "and so has irdma" reads '*irdma0/1*' rdma link
tap "it has a GID of its address" reads '0000:*:ffff:0a00:0001' cat $ib/mlx5_0/ports/1/gids/1
tap "of RoCE v2" reads 'RoCE v2' cat $ib/mlx5_0/ports/1/gid_attrs/types/1
nic rnic0 count 'rp_cnp_handled 42'
tap "a counter of RDMA can be set" reads 42 cat $ib/mlx5_0/ports/1/hw_counters/rp_cnp_handled
tap "and is read by netlink" reads '* rp_cnp_handled 42 *' rdma statistic show link mlx5_0/1

nic rnic0 qps 3
tap "connections in use can be made" reads '*mlx5_0: * qp 3 *' rdma resource show
tap "one by one they name device and port" reads 'link mlx5_0/1 lqpn * type RC state RTS *' \
	rdma resource show qp
nic rnic0 qps 0
tap "and ended" reads '*mlx5_0: * qp 0 *' rdma resource show

tap "ETS reads as mlx5 leaves it at load" reads 'prio-tc 0:1 1:0 2:2 *' dcb ets show dev rnic0
tap "maxrate can be read" reads 'tc-maxrate 0:*' dcb maxrate show dev rnic0
tap "bnxt has no buffers to read" not dcb buffer show dev rnic2
tap "pause can be read" reads 'RX: on' ethtool -a rnic0
nic rnic0 count 'rx_prio3_packets 7'
tap "counters of a priority can be set" reads 'rx_prio3_packets: 7' ethtool -S rnic0
tap "pauses have no name without PFC" not reads 'rx_prio3_pause: *' ethtool -S rnic0
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
tap "and have one with it" reads 'rx_prio3_pause: 0' ethtool -S rnic0
tap "of that priority only" not reads 'rx_prio4_pause: *' ethtool -S rnic0
link_up rnic0
cc=$debug/mlx5/0001:01:00.0/cc_params
tap "cc_params has 22 files" reads 22 eval "ls $cc | wc -l"
tap "they are read" reads 1019 cat $cc/rp_dce_tcp_g
tap "they are written" eval "echo 0x7b >$cc/rp_ai_rate && grep -qx 123 $cc/rp_ai_rate"
tap "bnxt has cc_config" reads 1 cat "$debug/bnxt_re/0001:01:01.0/cc_config/enable_cc"

modprobe rdma_cm
cm=/sys/kernel/config/rdma_cm/mlx5_0
tap "rdma_cm takes the device" mkdir "$cm"
tap "its default TOS is kept" eval "echo 106 >$cm/ports/1/default_roce_tos &&
	grep -qx 106 $cm/ports/1/default_roce_tos"
rmdir "$cm"

ping -c 1 -W 2 -I rnic0 10.0.0.9 >/dev/null 2>&1
tap "frames reach the peer" reads 'rx_packets: [1-9]*' eval \
	"echo rx_packets: \$(cat /sys/class/net/rnic1/statistics/rx_packets)"
tap "writing to a file that is only read is refused" not eval "echo 1 2>&- >$debug/rtnic/rnic0/log"
# What a program must recognise and keep its hands off.
vfs=/sys/bus/pci/devices/0001:01:00.0/sriov_numvfs
tap "virtual functions are made" eval "echo 2 >$vfs"
tap "the first is a NIC" reads 'bus-info: 0001:01:00.2' ethtool -i rnic0v0
tap "that names its physical function" reads '../0001:01:00.0' readlink \
	/sys/class/net/rnic0v0/device/physfn
tap "with an RDMA device" reads '*netdev rnic0v1' rdma link
tap "but without DCB" not dcb pfc show dev rnic0v0
tap "and without pause" not ethtool -a rnic0v0
tap "they go again" eval "echo 0 >$vfs && ! ls -d /sys/class/net/rnic0v* 2>&-"
eswitch() { devlink dev eswitch show pci/0001:01:00.0; }
tap "the embedded switch is in legacy mode" reads '* mode legacy*' eswitch
devlink dev eswitch set pci/0001:01:00.0 mode switchdev
tap "or in switchdev mode" reads '* mode switchdev*' eswitch
modprobe bonding
ip link add bond9 type bond mode 802.3ad
ip link set rnic2 master bond9
tap "a NIC can be in a bond" reads '* master bond9 *' ip link show rnic2
ip link del bond9

rebind() {
	local drivers=/sys/bus/pci/drivers/mlx5_core
	echo 0001:01:00.0 >$drivers/unbind && [ ! -e /sys/class/net/rnic0 ] &&
		echo 0001:01:00.0 >$drivers/bind && [ -e /sys/class/net/rnic0 ]
}
tap "one NIC is taken from its driver and given back" rebind
tap "which has forgotten everything" reads 'prio-pfc * 3:off *' dcb pfc show dev rnic0
tap "the module unloads" rmmod rtnic
tap "nothing of it stays" not eval "ls -d /sys/class/net/rnic* $debug/rtnic $debug/mlx5"
tap_done
