#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A host's tree of many NICs, for counting and timing: sysfs and debugfs as the kernel
# lays them out, GID tables of which all entries but four are zero.  Made by hand.
#   many.sh FOLDER [DEVICES [GIDS]]
set -eu
top=$1 devices=${2:-64} gids=${3:-256}
zero=0000:0000:0000:0000:0000:0000:0000:0000
mkdir -p "$top/sys/class/infiniband" "$top/sys/class/net" "$top/sys/bus/pci/devices" \
	"$top/sys/bus/pci/drivers/mlx5_core"

put() { printf '%s\n' "$2" >"$1"; }
gid_table() { # FOLDER NETDEV NUMBER
	local i
	mkdir -p "$1/gids" "$1/gid_attrs/types" "$1/gid_attrs/ndevs"
	for ((i = 4; i < gids; i++)); do
		put "$1/gids/$i" $zero
		: >"$1/gid_attrs/types/$i"
		: >"$1/gid_attrs/ndevs/$i"
	done
	for i in 0 1 2 3; do
		put "$1/gid_attrs/ndevs/$i" "$2"
	done
	put "$1/gids/0" "$(printf 'fe80:0000:0000:0000:0200:00ff:fe00:%04x' "$3")"
	put "$1/gids/1" "$(printf 'fe80:0000:0000:0000:0200:00ff:fe00:%04x' "$3")"
	put "$1/gids/2" "$(printf '0000:0000:0000:0000:0000:ffff:c633:%04x' "$3")"
	put "$1/gids/3" "$(printf '0000:0000:0000:0000:0000:ffff:c633:%04x' "$3")"
	put "$1/gid_attrs/types/0" 'IB/RoCE v1'
	put "$1/gid_attrs/types/1" 'RoCE v2'
	put "$1/gid_attrs/types/2" 'IB/RoCE v1'
	put "$1/gid_attrs/types/3" 'RoCE v2'
}
pci_function() { # FOLDER NUMA
	put "$1/vendor" 0x15b3
	put "$1/device" 0x1021
	put "$1/current_link_speed" '32.0 GT/s PCIe'
	put "$1/max_link_speed" '32.0 GT/s PCIe'
	put "$1/current_link_width" 16
	put "$1/max_link_width" 16
	put "$1/numa_node" "$2"
	ln -sf ../../../bus/pci/drivers/mlx5_core "$1/driver"
}
cc_params() { # FOLDER
	local row
	mkdir -p "$1"
	for row in np_cnp_dscp=48 np_cnp_prio=6 np_min_time_between_cnps=4 np_cnp_prio_mode=0 \
		rp_clamp_tgt_rate=0 rp_clamp_tgt_rate_ati=1 rp_time_reset=300 \
		rp_byte_reset=32767 rp_threshold=1 rp_max_rate=0 rp_ai_rate=5 rp_hai_rate=50 \
		rp_min_dec_fac=50 rp_min_rate=1 rp_rate_to_set_on_first_cnp=0 \
		rp_dce_tcp_g=1019 rp_dce_tcp_rtt=1 rp_rate_reduce_monitor_period=4 \
		rp_initial_alpha_value=1023 rp_gd=11; do
		put "$1/${row%=*}" "${row#*=}"
	done
}
for ((n = 0; n < devices; n++)); do
	pci=$(printf '0000:%02x:00.0' $((n + 1)))
	function=$top/sys/devices/pci0000:00/$pci
	port=$function/infiniband/mlx5_$n/ports/1
	mkdir -p "$port" "$function/net/eth$n"
	gid_table "$port" "eth$n" "$n"
	put "$port/state" '4: ACTIVE'
	put "$port/link_layer" Ethernet
	put "$port/rate" '400 Gb/sec (4X NDR)'
	put "$function/infiniband/mlx5_$n/fw_ver" 28.39.3560
	put "$function/net/eth$n/mtu" 9000
	put "$function/net/eth$n/speed" 400000
	pci_function "$function" $((n * 2 / devices))
	cc_params "$top/sys/kernel/debug/mlx5/$pci/cc_params"
	ln -sf "../../devices/pci0000:00/$pci/infiniband/mlx5_$n" "$top/sys/class/infiniband/"
	ln -sf "../../devices/pci0000:00/$pci/net/eth$n" "$top/sys/class/net/"
	ln -sf "../../../devices/pci0000:00/$pci" "$top/sys/bus/pci/devices/"
done
