#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The model without any setting, which no other group runs, against sums done by hand.
# At 100 Gb/s a byte takes 80 ps; a packet of 1024 bytes is a frame of 1086 and keeps the
# link for 1106 bytes, 88.48 ns, the first of a message (with its RETH) for 89.76 ns.
#   alone     one packet and its ACK: 2 (88.8 + 1000) + 2 (5.92 + 1000) ns
#   pfc N     N:1 of 1000 packets without ECN: the receiver's link never idles, so the last
#             ACK comes at 1088.8 + N (89.76 + 999 * 88.48) - 0.96 + 1000 + 2011.84 ns
#   headroom  the frame that asks for XOFF; those that arrive while that travels (5.76 +
#             1000 ns), the peer reacts (60 quanta, 307.2 ns) and the cable empties (1000
#             ns), 26 whole ones; one that had begun: 28 of 1086 bytes (802.1Qbb annex N),
#             give or take one
#   marks     16:1 of 1000 packets, rates held up (min_rate 50G) so that the queue stands
#             until the end.  It grows by 15 frames of 1086 bytes a packet: Kmin (400 KB)
#             after 25, Kmax (1600 KB) after 99; and the last 1474 leave less than Kmax
#             behind, the last 368 less than Kmin: 14427 to 15607 marks
#   first     a mark after 24 to 99 packets is a CNP 1088.8 + n 88.48 + 1087.52 ns after
#             the start: none at 4.29 us, some at 10.94 us
#   CNPs      all that time every packet of a flow is marked; it gets every 16th turn or
#             so, 1416 ns apart, twice that where its rate is half: a CNP every 4 to 6.83
#             us from 10.94 us to 1419.8 us less the last 1474 packets
#   pacing    the same, rates free: never more than one CNP every 4 us and flow, and one
. tests/validate/common.sh

plan() {
	echo "workload: {senders: 1, size: 1024B}" >"$work/alone.yaml"
	for n in 2 16 32 64; do
		printf '%s\n' "workload: {senders: $n, size: 1024000B}" \
			"model: {options: [no_ecn]}" >"$work/pfc_$n.yaml"
	done
	echo "workload: {senders: 16, size: 1024000B}" >"$work/pacing.yaml"
	{ cat "$work/pacing.yaml" && echo "model: {min_rate: 50G}"; } >"$work/held.yaml"
	for end in 4290ns 10940ns; do
		{ cat "$work/pacing.yaml" && echo "duration: $end"; } >"$work/first_$end.yaml"
	done
}

# between WHAT LOW HIGH VALUE BAR NAME
between() {
	row "$(awk -v a="$2" -v b="$3" -v x="$4" 'BEGIN { print (x != "" && x + 0 >= a && x + 0 <= b) }')" \
		"$1" "$4" "$([ "$2" = "$3" ] && echo "$2" || echo "$2 to $3")" "$5" "$6"
}

judge() {
	local want most
	between "one packet, completion in ps" 4189440 4189440 "$(of alone last_completion_ps)" equal alone
	for n in 2 16 32 64; do
		want=$(awk -v n=$n 'BEGIN { printf "%.0f", 1088800 + n * (89760 + 999 * 88480) - 960 + \
			1000000 + 2011840 }')
		between "$n:1 under PFC alone, last completion in ps" "$want" "$want" \
			"$(of pfc_$n last_completion_ps)" equal pfc_$n
	done
	for n in 32 64; do
		between "$n:1 under PFC alone, most headroom in use, bytes" $((27 * 1086)) $((29 * 1086)) \
			"$(of pfc_$n headroom_max_bytes)" "28 frames, give or take one" pfc_$n
	done
	between "16:1, rates held up, marks" 14427 15607 "$(of held marks)" between held
	between "16:1, CNPs before Kmin can be reached" 0 0 "$(of first_4290ns cnps_sent)" none first_4290ns
	between "16:1, CNPs when Kmax is passed" 1 16 "$(of first_10940ns cnps_sent)" \
		"at least one" first_10940ns
	between "16:1, rates held up, CNPs" 2994 5680 "$(of held cnps_sent)" \
		"one every 4 to 6.83 us and flow" held
	most=$("$B/rocetune" sim "$work/pacing.yaml" --json | jq -r '(.simulated_ns / 4000 + 1 | floor) as $most |
		[(.flows | map(.cnps_sent) | max), $most] | join(" ")')
	between "16:1, most CNPs of one flow" 1 "${most#* }" "${most% *}" "one every 4 us" pacing
}
"$1"
