#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the commands that read say of the lab's NICs, field by field, that they write
# nothing, and which NICs are refused.
set -u
. "$RT_LAB/guest/lib.sh"
rt() { "$B/rocetune" "$@"; }
lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
for n in 0 2 4 6; do nics_up $n $((n + 1)); done
nic rnic0 qps 3
echo 1 >/sys/bus/pci/devices/0001:01:00.1/sriov_numvfs
devlink dev eswitch set pci/0001:01:00.1 mode switchdev
raw="$B/tests/tools/rawdcb"
ethtool -A rnic0 rx off tx off # pause of the whole link excludes PFC
"$raw" rnic0 pfc=0x08,25 add=5:26:3 >/dev/null
"$raw" rnic2 ets=00010020,eessssss,50:50 pfc=0x08 >/dev/null
link_up rnic0
for n in 0 1 2 3 4 5 6 7; do forget rnic$n; done

rt list --json >/tmp/list.json
of() { # DEVICE FIELD
	jq -r ".devices[] | select(.ibdev == \"$1\") | .$2" /tmp/list.json
}
tap "nine devices are listed, a virtual function among them" reads 9 jq '.devices | length' /tmp/list.json
tap "with their network devices" reads rnic0 of mlx5_0 netdev
tap "their drivers" reads bnxt_en of bnxt_re0 kernel_driver
tap "their PCI addresses" reads 0001:01:02.0 of irdma0 pci
tap "their speed" reads 100000000000 of mlx4_0 speed_bps
tap "connections in use" reads 3 of mlx5_0 qps
tap "the virtual function is one" reads VF of mlx5_2 function
tap "the embedded switch's mode" reads switchdev of mlx5_1 eswitch
tap "in text too" reads 'mlx5_0/1 rnic0 ethernet active *' rt list

show() { rt show "$@"; }
tap "show reads PFC" reads 'mask 3 flap *' show rnic0
tap "the cable" reads 'cable 25m *' show mlx5_0
tap "trust, which no interface tells" reads 'trust dscp*' show 0001:01:00.0
tap "the map of DSCPs" reads 'dscp_prio *26:3*' show rnic0
tap "DCQCN in units, the vendor's name and number" reads \
	'rp.alpha_timer 1us live rp_dce_tcp_rtt 1' show rnic0
tap "bnxt's classes" reads 'prio_tc *3:1*' show rnic2
tap "a device that is not there is an error" not show rnic99

rt show rnic0 --yaml >/tmp/golden.yaml
tap "show --yaml is a profile" rt profile check /tmp/golden.yaml
tap "that changes nothing when it is applied" rt apply rnic0 -p /tmp/golden.yaml
tap "a bundle of the host is written" rt snapshot all -o /tmp/host.tar
same() { cmp <(rt "$@") <(rt "$@" --sysroot /tmp/host.tar); }
tap "list says the same of it" same list
for device in rnic0 rnic2 rnic4 rnic6; do
	tap "show says the same of $device" same show $device
done
written=0
for n in 0 1 2 3 4 5 6 7; do written=$((written + $(nic rnic$n writes))); done
tap "none of this has written to a NIC" [ $written = 0 ]

# What must not be changed, and why.
cat >/tmp/any.yaml <<'END'
name: any
status: operator
classes:
  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, sched: keep}
END
refused() { # DEVICE WORDS: apply says no, and says them
	local text
	text=$(rt apply "$1" -p /tmp/any.yaml --dry-run 2>&1) && { echo "$text"; return 1; }
	[[ $text == *"$2"* ]] || { echo "$text"; return 1; }
}
tap "a virtual function is refused" refused rnic1v0 'irtual function'
tap "a port of an embedded switch is" refused rnic1 switchdev
ethtool --set-priv-flags rnic4 fw-lldp-agent on
tap "a NIC whose firmware owns DCB is" refused rnic4 firmware
tap_done
