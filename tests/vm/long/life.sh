#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Load and unload with the link on its way up, QPs in use, virtual functions, a driver
# taken away, frames on their way.  What the kernel complains of is seen after the last script.
set -u
. "$RT_LAB/guest/lib.sh"
raw="$B/tests/tools/rawdcb"
free_kib() { awk '/^MemFree|^Cached|^SReclaimable/ { n += $2 } END { print n }' /proc/meminfo; }
cycle() {
	local kinds=(mlx5 bnxt ice mlx4) k=$1 n
	lab_load pairs=3 kind="${kinds[k % 4]},${kinds[(k + 1) % 4]},mlx5" flap_ms=$((k % 3 * 40)) \
		fw_dcbx=$((k % 5 == 0)) ofed=$((k % 2)) || return 1
	for n in 0 2 4; do
		nics_up $n $((n + 1)) || return 1
		"$raw" rnic$n ets=00010000,eessssss,50:50 pfc=0x08 >/dev/null || return 1
		nic rnic$n qps 5 || return 1
	done
	echo 2 >/sys/bus/pci/devices/0001:01:02.0/sriov_numvfs || return 1
	ip link set rnic4v0 up
	case $((k % 3)) in
	0) echo 0001:01:02.1 >/sys/bus/pci/drivers/mlx5_core/unbind || return 1 ;;
	1) ping -c 2 -i 0.2 -W 1 -I rnic0 10.0.0.9 >/dev/null 2>&1 & ;;
	2) "$raw" rnic4 pfc=0x10 >/dev/null ;;
	esac
	# A file of the module that is open keeps it; one of sysfs does not.
	exec 8</sys/class/net/rnic2/mtu
	rmmod rtnic || return 1
	exec 8<&-
	wait
}
cycle 0
before=$(free_kib)
for ((i = 1; i <= ${CYCLES:-40}; i++)); do
	tap "cycle $i" cycle "$i"
done
after=$(free_kib)
tap "no more than 4 MiB have gone ($before KiB, then $after)" [ $((before - after)) -lt 4096 ]
tap_done
