#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The exporter on the kernel's own counters, as somebody without any rights: values, names
# that come and go, a device that does.
set -u
. "$RT_LAB/guest/lib.sh"

lab_load pairs=2 kind=mlx5,bnxt
nics_up 0 1
nics_up 2 3
forget rnic0
forget rnic2
nic rnic0 count "np_cnp_sent 41"
nic rnic2 count "rx_pfc_ena_frames_pri5 3"
nic rnic2 count "pfc_pri5_rx_duration_us 2000"

mkdir -m 777 /tmp/prom
"$B/rocetune" exporter -d 100ms --textfile /tmp/prom/x.prom --user nobody 2>/tmp/said &
pid=$!
trap 'kill -9 $pid 2>/dev/null' EXIT

text() { cat /tmp/prom/x.prom; }
has() { # METRIC DEVICE VALUE [LABEL]
	text | grep -qE "^rocetune_$1\{device=\"$2\"[^}]*${4:-}[^}]*\} $3\$"
}
hasnt() { text | grep -q '^rocetune_sample_success 1' && ! text | grep -qE "^rocetune_$1\{device=\"$2\"[^}]*${3:-}"; }
knows() { # NAME, then as has
	local name=$1
	shift
	tap "$name" soon -t 20 has "$@"
}
nobody() { [ "$(awk '$1 == "Uid:" { print $3 }' /proc/$pid/status)" = "$(id -u nobody)" ] && grep -q 'CapEff:.0*$' /proc/$pid/status; }
tap "it is nobody, and may do nothing" soon -t 20 nobody

knows "rdma netlink" cnp_tx_total mlx5_0 41
knows "ethtool, by priority" prio_pfc_rx_frames_total bnxt_re0 3 'prio="5"'
knows "microseconds are seconds" prio_pfc_rx_seconds_total bnxt_re0 0.002 'prio="5"'
nic rnic0 count "np_cnp_sent 1000000"
knows "it counts on" cnp_tx_total mlx5_0 1000041
# Nearly all of 32 bits; then 16 more, which the module's counters of 64 have to be told.
nic rnic0 count "out_of_sequence 4294967290"
knows "a counter of 32 bits near its end" out_of_sequence_total mlx5_0 4294967290
nic rnic0 count "out_of_sequence 18446744069414584336"
knows "passes it, and goes on for Prometheus" out_of_sequence_total mlx5_0 4294967306
knows "every source was read" source_success mlx5_0 1 'source="ethtool"'
knows "the link" port_up mlx5_0 1
knows "its speed" port_speed_bytes_per_second mlx5_0 12500000000

tap "without PFC there is no counter of its time" soon hasnt prio_pfc_rx_seconds_total mlx5_0 'prio="3"'
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
soon carrier rnic0
nic rnic0 count "rx_prio3_pause_duration 1500"
knows "with PFC there is" prio_pfc_rx_seconds_total mlx5_0 0.0015 'prio="3"'
knows "and the priority is lossless" prio_lossless mlx5_0 1 'prio="3"'
"$B/tests/tools/rawdcb" rnic0 pfc=0 >/dev/null
soon carrier rnic0
tap "without it again there is none" soon -t 20 hasnt prio_pfc_rx_seconds_total mlx5_0 'prio="3"'

ip link set rnic0 down
knows "the link goes down" port_up mlx5_0 0
knows "which is an error" port_finding mlx5_0 1 'rule="watch-link-lost",severity="error"'
ip link set rnic0 up
knows "and up" port_up mlx5_0 1

rmmod rtnic
knows "the devices go" port_present mlx5_0 0
tap "and all their counters" soon -t 20 hasnt cnp_tx_total mlx5_0
lab_load pairs=2 kind=mlx5,bnxt
nics_up 0 1
nic rnic0 count "np_cnp_sent 7"
knows "they come back" port_present mlx5_0 1
knows "and have begun anew" cnp_tx_total mlx5_0 7
kill $pid
ended() { wait $pid; }
tap "SIGTERM ends it well" ended
tap "it missed no right" awk '/denied|permitted/ { bad = 1; print } END { exit bad }' /tmp/said
tap_done
