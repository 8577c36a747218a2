#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A host's tree of NICs that count: each with 200 counters, as mlx5 names them, in the files
# that the kernel has them in; what ethtool tells is a list of its own.  Made by hand.
#   watch_tree.sh FOLDER [DEVICES]
set -eu
top=$1 devices=${2:-64}
here=$(cd "$(dirname "$0")" && pwd)
"$here/../trees/many.sh" "$top" "$devices" 4

pma="port_rcv_data port_rcv_packets port_xmit_data port_xmit_packets port_xmit_wait
	symbol_error link_downed"
hw="np_cnp_sent np_ecn_marked_roce_packets rp_cnp_handled rp_cnp_ignored
	roce_slow_restart_cnps out_of_sequence packet_seq_err implied_nak_seq_err
	local_ack_timeout_err req_transport_retries_exceeded rnr_nak_retry_err
	req_rnr_retries_exceeded duplicate_request roce_adp_retrans out_of_buffer
	rx_icrc_encapsulated"
netdev="rx_bytes rx_packets rx_dropped rx_errors tx_bytes tx_packets tx_dropped tx_errors"
of_prio="rx_@_bytes rx_@_packets tx_@_bytes tx_@_packets rx_@_pause rx_@_pause_duration
	rx_@_pause_transition tx_@_pause tx_@_pause_duration rx_@_discards rx_@_buf_discard
	rx_@_cong_discard rx_@_marked"
of_port="rx_pause_ctrl_phy tx_pause_ctrl_phy rx_global_pause_duration
	tx_global_pause_duration tx_pause_storm_warning_events tx_pause_storm_error_events
	rx_bytes_phy rx_packets_phy tx_bytes_phy tx_packets_phy rx_discards_phy
	tx_discards_phy rx_crc_errors_phy rx_symbol_err_phy link_down_events_phy
	rx_buffer_passed_thres_phy outbound_pci_stalled_wr_events"

put() { printf '%s\n' "$2" >"$1"; }
stats() { # NUMBER: a line each, and others to make 200 counters of the device
	local name prio used=0
	for name in $of_port; do
		printf '     %s: %d\n' "$name" $((1000000007 * ($1 + ++used)))
	done
	for prio in 0 1 2 3 4 5 6 7; do
		for name in $of_prio; do
			printf '     %s: %d\n' "${name/@/prio$prio}" $((1000000 + 7919 * ($1 + ++used)))
		done
	done
	while ((used + 31 < 200)); do
		printf '     ch%d_packets: %d\n' $used $((1000000 + ++used))
	done
}
mkdir -p "$top/rocetune/stats/ethtool"
for ((n = 0; n < devices; n++)); do
	port=$top/sys/class/infiniband/mlx5_$n/ports/1
	net=$top/sys/class/net/eth$n/statistics
	mkdir -p "$port/counters" "$port/hw_counters" "$net"
	for name in $pma; do
		put "$port/counters/$name" 1234567
	done
	for name in $hw; do
		put "$port/hw_counters/$name" 1098765
	done
	put "$port/hw_counters/lifespan" 10
	for name in $netdev; do
		put "$net/$name" 1234567890123
	done
	put "$top/sys/class/net/eth$n/carrier_changes" 2
	stats "$n" >"$top/rocetune/stats/ethtool/eth$n"
done
