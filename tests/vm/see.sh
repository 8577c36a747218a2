#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Hosts are seen as the kernel shows them: list, show, snapshot; nothing is written, and
# what show writes as a profile changes nothing when it is applied.
set -u
. "$RT_LAB/guest/lib.sh"
export ROCETUNE_STATE=/tmp/state
rocetune=$B/rocetune

lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
nics_up 0 1
nics_up 2 3
nics_up 4 5
nics_up 6 7
modprobe rdma_cm
ip addr add 10.0.0.7/24 dev rnic0
mtu() { ip link set rnic0 mtu 4200; }
tap "a larger MTU" mtu
nic rnic0 qps 3

run() { # EXIT ARGUMENT...: rocetune ends with this code
	local want=$1 got
	shift
	"$rocetune" "$@" >/tmp/out 2>&1
	got=$?
	[ $got -eq "$want" ] || { echo "exit code $got of: $*"; cat /tmp/out; false; }
}
printed() { grep -q -- "$1" /tmp/out || { cat /tmp/out; false; }; }
unwritten() { # no NIC was written to
	local n
	for n in 0 1 2 3 4 5 6 7; do
		[ "$(nic rnic$n writes)" = 0 ] || { nic rnic$n log; return 1; }
	done
}
for n in 0 1 2 3 4 5 6 7; do
	forget rnic$n
done

tap "list" run 0 list
tap "names port, netdev, link, MTUs, queue pairs" printed \
	'mlx5_0/1 *rnic0 *ethernet *active *100Gb/s *4200B *4096B *3 *3$'
tap "NIC, driver, firmware" printed 'mlx5_0/1 *ConnectX.* mlx5_core *28.39.1002'
tap "PCI, NUMA, PCIe" printed 'mlx5_0/1 *0001:01:00.0 *0 *Gen4 x16'
tap "addresses of RoCE v2" printed 'mlx5_0/1 .*: 10.0.0.1'
tap "and what can be set" printed 'read, written *trust pfc ets rate buffer dcbx (dcbnl)'
tap "show by RDMA device" run 0 show mlx5_0
tap "has what the vendor calls it" printed 'np.cnp_dscp *48 *live *np_cnp_dscp *48'
tap "and what a write does" printed 'mask *none *flap'
tap "show by netdev" run 0 show rnic2
tap "show by PCI address" run 0 show 0001:01:02.0
tap "an unknown device" run 3 show mlx5_9
tap "nothing was written" unwritten

same() { diff <("$rocetune" "$@" 2>&1) <("$rocetune" "$@" --sysroot /tmp/host.tar 2>&1); }
all_same() {
	local way
	for way in "" --json --yaml; do
		# shellcheck disable=SC2086
		same show rnic0 $way && same show rnic2 $way && same show rnic4 $way &&
			same show rnic6 $way || return
	done
}
tap "snapshot" run 0 snapshot all -o /tmp/host.tar
tap "lists as the host does" same list
tap "in JSON, too" same list --json
tap "and shows as the host does" all_same
tap "nothing was written" unwritten

# --- a shown profile changes nothing ------------------------------------------------------
unchanged() { # NIC RDMA-DEVICE
	run 0 show "$1" --yaml && cp /tmp/out "/tmp/$1.yaml" &&
		run 0 profile check "/tmp/$1.yaml" || return
	forget "$1"
	"$rocetune" apply "$2" -p "/tmp/$1.yaml" >/tmp/out 2>&1
	local rc=$?
	[ "$(nic "$1" writes)" = 0 ] || { nic "$1" log; cat /tmp/out; return 1; }
	[ $rc -eq 0 ] || { cat /tmp/out "/tmp/$1.yaml"; return 1; }
}
nic rnic0 qps 0
tap "applied, what an mlx5 has is left" unchanged rnic0 mlx5_0
tap "what a bnxt_en has" unchanged rnic2 bnxt_re0
tap "what an ice has" unchanged rnic4 irdma0
tap "what an mlx4 has" unchanged rnic6 mlx4_0
ethtool -A rnic0 rx off tx off # pause of the whole link excludes PFC
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
dcb app add dev rnic0 dscp-prio 26:3 48:6
dcb ets set dev rnic0 tc-tsa all:ets tc-bw 0:50 3:50 prio-tc 0:0 3:3 >/dev/null 2>&1
soon carrier rnic0
tap "with PFC and a map, what an mlx5 has" unchanged rnic0 mlx5_0
tap "of which the profile tells" grep -q 'dscp: \[26.*prio: 3, lossless: yes' /tmp/rnic0.yaml

# --- others --------------------------------------------------------------------------------
bond_up() {
	modprobe bonding max_bonds=0 &&
		ip link set rnic0 down && ip link set rnic1 down &&
		ip link add bond7 type bond mode active-backup &&
		ip link set rnic0 master bond7 && ip link set bond7 up
}
if bond_up 2>/dev/null; then
	tap "list with a bond" run 0 list
	tap "tells its slaves" printed 'mlx5_0/1 *bond7 of rnic0'
	ip link del bond7
else
	tap_skip "list with a bond" "no bonding in this kernel"
fi
vf() { echo 1 >/sys/bus/pci/devices/0001:01:00.0/sriov_numvfs; }
if vf 2>/dev/null; then
	tap "list with a virtual function" run 0 list
	tap "tells that it is one" printed 'a VF: trust, PFC'
	echo 0 >/sys/bus/pci/devices/0001:01:00.0/sriov_numvfs
fi
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$rocetune" "$@" >/tmp/out 2>&1; }
tap "list for everybody" nobody list
tap "show for everybody" nobody show mlx5_0
tap "says what root alone may read" printed 'only root may read it'
no_rdma() { rmmod rtnic && run 0 list && printed 'No RDMA devices'; }
tap "a host without RDMA devices is an empty list" no_rdma
tap_done
