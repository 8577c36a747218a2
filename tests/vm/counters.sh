#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Counters as the kernel gives them: by ethtool, rdma netlink, dcbnl; names that come and
# go; of a recording the same.
set -u
. "$RT_LAB/guest/lib.sh"
rocetune=$B/rocetune

lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
nics_up 0 1
nics_up 2 3
nics_up 4 5
nics_up 6 7
for n in 0 2 4 6; do
	forget rnic$n
done

# has NIC COUNTER PRIO VALUE SOURCE: the counter is known, and read there; - for no priority
has() {
	"$rocetune" show "$1" --all ${from:+--sysroot "$from"} >/tmp/out 2>&1
	awk -v c="$2" -v p="${3#-}" -v v="$4" -v s="$5" '
		/^counters:/ { inside = 1 }
		inside && $1 == c && $NF == s {
			prio = NF == 5 ? $2 : ""
			value = NF == 5 ? $3 : $2
			if (prio == p && value == v) found = 1
		}
		END { exit !found }' /tmp/out || { sed -n '/^counters/,$p' /tmp/out; false; }
}
hasnt() { ! has "$@" >/dev/null; }
from=

nic rnic0 count "rx_prio3_discards 5"
nic rnic0 count "rx_discards_phy 7"
nic rnic0 count "np_cnp_sent 41"
nic rnic0 count "rp_cnp_handled 6"
nic rnic0 count "rp_cnp_ignored 2"
tap "mlx5 by ethtool, of a priority" has rnic0 rx_discards 3 5 ethtool
tap "and of the port" has rnic0 rx_discards - 7 ethtool
tap "by rdma netlink" has rnic0 cnp_tx - 41 hw_counters
tap "a sum" has rnic0 cnp_rx - 8 hw_counters
tap "what the NIC has not is unknown" hasnt rnic0 nic_marked 3 0 ethtool

tap "without PFC its names are not there: dcbnl tells" hasnt rnic0 pfc_rx_frames 3 9 ethtool
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
soon carrier rnic0
nic rnic0 count "rx_prio3_pause 9"
nic rnic0 count "rx_prio3_pause_duration 1500"
tap "with it they are" has rnic0 pfc_rx_frames 3 9 ethtool
tap "times are in microseconds" has rnic0 pfc_rx_ns 3 1.5ms ethtool
"$B/tests/tools/rawdcb" rnic0 pfc=0x10 >/dev/null
soon carrier rnic0
tap "another priority, as many names: not mixed up" hasnt rnic0 pfc_rx_frames 4 9 ethtool
tap "and dcbnl keeps the first" has rnic0 pfc_rx_frames 3 9 dcbnl

nic rnic2 count "rx_pfc_ena_frames_pri5 3"
nic rnic2 count "pfc_pri5_rx_duration_us 2000"
nic rnic2 count "rx_ecn_marked_pkts 12"
tap "bnxt" has rnic2 pfc_rx_frames 5 3 ethtool
tap "its times" has rnic2 pfc_rx_ns 5 2ms ethtool
tap "its marks" has rnic2 ce_rx - 12 hw_counters
nic rnic4 count "rx_priority_2_xoff.nic 4"
nic rnic4 count "rx_priority_2_xon.nic 3"
nic rnic4 count "cnpSent 5"
tap "ice counts xon apart, which stops nobody" has rnic4 pfc_rx_frames 2 4 ethtool
tap "its CNPs" has rnic4 cnp_tx - 5 hw_counters
nic rnic0 count "fec-uncorrectable_blocks 6"
nic rnic0 count "eth-mac-FrameCheckSequenceErrors 8"
nic rnic6 count "pause-rx_pause_frames 11"
tap "FEC, where the driver has no name for it" has rnic0 fec_uncorrectable - 6 standard
tap "what it repaired, too" has rnic0 fec_corrected - 0 standard
tap "bad frames by the MAC" has rnic0 crc_errors - 8 standard
# Without pause frames of the link mlx4 has no name for them.
ethtool -A rnic6 rx off tx off && forget rnic6
tap "pauses of the link" has rnic6 pause_rx_frames - 11 standard
nic rnic6 count "sq_num_to 3"
tap "mlx4" has rnic6 ack_timeouts - 3 hw_counters

tap "a snapshot" "$rocetune" snapshot all -o /tmp/counters.tar
nic rnic0 count "np_cnp_sent 1"
tap "the host goes on" has rnic0 cnp_tx - 42 hw_counters
from=/tmp/counters.tar
tap "the snapshot does not" has rnic0 cnp_tx - 41 hw_counters
tap "nor in what ethtool told" has rnic2 pfc_rx_ns 5 2ms ethtool
tap "or ethtool netlink" has rnic0 fec_uncorrectable - 6 standard
unwritten() {
	for n in 2 4 6; do
		[ "$(nic rnic$n writes)" = 0 ] || { nic rnic$n log; return 1; }
	done
}
tap "nothing was written" unwritten
tap_done
