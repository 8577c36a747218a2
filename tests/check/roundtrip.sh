#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Through bytes and back: what the simulator counted, what tshark counts in its capture,
# and what the analyser says of it, field by field, for 24 seeded scenarios.
#
# Each scenario runs twice: captured where switches send to hosts (what arrives), and at
# the hosts' NICs (what was sent, before any loss: there a resend is a frame behind).
set -u
B=${B:-build}
. tests/tap.sh
if ! command -v tshark >/dev/null || ! command -v jq >/dev/null; then
	for seed in $(seq 24); do tap_skip "scenario $seed" "needs tshark and jq"; done
	tap_done
	exit
fi
work=$tap_log

# A scenario of each kind for every fourth seed, with sizes that depend on the seed.
scenario() { # SEED
	local s=$1 n=$((2 + $1 % 7)) qps=$((1 + $1 / 4 % 2))
	# The last ones are all of the lossy kind.
	[ "$s" -le 20 ] || set -- $((4 * s + 2)) && s=$1
	echo "name: roundtrip-$s"
	echo "seed: $s"
	case $((s % 4)) in
	0) # plenty of buffer: marks and CNPs
		echo "workload: {senders: $n, qps: $qps, size: $((100 + 13 * s))KB, jitter: ${s}us}"
		echo "model: {kmin: 50KB, kmax: 200KB, pmax: 20%}"
		;;
	1) # little buffer: pauses
		echo "topology: {speed: 40G}"
		echo "workload: {senders: $((n + 2)), size: $((120 + 11 * s))KB}"
		echo "model: {buffer: 700KB, headroom: 40KB, mtu: $((s % 8 == 1 ? 2048 : 1024))}"
		;;
	2) # no PFC: losses, NAKs, go-back-N
		echo "workload: {senders: $((n + 3)), qps: $qps, size: $((90 + 7 * s))KB}"
		if [ "$s" -le 20 ]; then
			echo "model: {options: [no_pfc], buffer: $((150 + 10 * s))KB, rto: 200us}"
		else # selective repeat
			echo "model: {options: [no_pfc, selective_repeat], window: 60KB, rto: 300us,"
			echo "  rto_low: 100us, buffer: $((150 + 10 * s))KB}"
		fi
		;;
	3) # two tiers, several workloads at once
		echo "topology: {kind: leaf-spine, hosts: 4, leaves: 2, spines: 2, speed: 25G}"
		echo "workload:"
		echo "  - {kind: permutation, size: $((40 + s))KB}"
		echo "  - {senders: 5, size: 60KB, start: 20us, stagger: 3us}"
		echo "model: {buffer: 1MB, headroom: 60KB, kmin: 60KB, kmax: 150KB, pmax: 50%}"
		;;
	esac
}

# Frames of a capture by interface as tshark sees them: name, kind, count lines.
# Kinds: data ack nak cnp xoff xon ce bytes.
tshark_counts() { # CAPTURE
	tshark -n -r "$1" -T fields -E separator=, -E occurrence=f \
		-e frame.interface_name -e frame.len -e ip.dsfield.ecn \
		-e infiniband.bth.opcode -e infiniband.aeth.syndrome.opcode \
		-e macc.opcode -e macc.cbfc.pause_time.c0 -e macc.cbfc.pause_time.c1 \
		-e macc.cbfc.pause_time.c2 -e macc.cbfc.pause_time.c3 \
		-e macc.cbfc.pause_time.c4 -e macc.cbfc.pause_time.c5 \
		-e macc.cbfc.pause_time.c6 -e macc.cbfc.pause_time.c7 2>/dev/null |
		awk -F, '
		{ n[$1 " bytes"] += $2 }
		$6 != "" { sum = 0; for (i = 7; i <= 14; i++) sum += $i
			n[$1 (sum ? " xoff" : " xon")]++; next }
		$4 == 129 { n[$1 " cnp"]++; next }
		$4 == 17 { n[$1 ($5 == 3 ? " nak" : " ack")]++; next }
		$4 != "" { n[$1 " data"]++; if ($3 == 3) n[$1 " ce"]++; next }
		{ n[$1 " other"]++ }
		END { for (k in n) if (n[k]) print k, n[k] }' | sort
}

# The same from the simulator's counters; its bytes include the FCS of each frame.
sim_counts() { # RESULT ROLE
	jq -r --arg role "$2" '.ports[] | select(.role == $role) | .name as $name | .tx |
		(.data + .ack + .nak + .cnp + .pfc_xoff + .pfc_xon) as $frames |
		{ data, ack, nak, cnp, xoff: .pfc_xoff, xon: .pfc_xon, ce,
		  bytes: (.bytes - 4 * $frames) } |
		to_entries[] | select(.value != 0) | "\($name) \(.key) \(.value)"' "$1" | sort
}

# Sums the simulator and the analyser must agree on, as "name value" lines.
sim_sums() { # RESULT ROLE
	jq -r --arg role "$2" '[.ports[] | select(.role == $role)] as $ports |
		def sum(f): [$ports[].tx | f] | add;
		{ frames: .captured_frames, data: sum(.data), ack: sum(.ack), nak: sum(.nak),
		  cnp: sum(.cnp), ce: sum(.ce), xoff: sum(.pfc_xoff), xon: sum(.pfc_xon),
		  wire: (sum(.bytes) - 4 * .captured_frames) } |
		to_entries[] | "\(.key) \(.value)"' "$1" | sort
}

analyser_sums() { # RESULT
	jq -r '{ frames: .capture.frames, data: .marks.data_frames, ce: .marks.data_ce,
		ack: ([.roce.syndromes[]? | select(.name == "ACK") | .frames] | add // 0),
		nak: (.sequence.naks // 0), cnp: .marks.cnps,
		xoff: (.pauses.xoff // 0), xon: (.pauses.xon // 0),
		wire: .capture.wire_bytes } | to_entries[] | "\(.key) \(.value)"' "$1" | sort
}

# Pauses per port and priority: what the frames ask for, by both.
sim_pauses() { # RESULT
	jq -r '[.ports[] | select(.role == "host") | .name] as $captured |
		.pauses[] | select(.direction == "pausing peer") |
		select(.port | IN($captured[])) |
		"\(.port) \(.prio) \(.xoff) \(.xon) \(.asked_ns)"' "$1" | sort
}

analyser_pauses() { # RESULT
	jq -r '[.capture.interfaces[].name] as $names | .pauses.ports[]? |
		"\($names[.interface]) \(.priority) \(.xoff) \(.xon) \(.paused_ns)"' "$1" | sort
}

# Per flow at the NICs: frames, and those that were sent again.
sim_flows() { # RESULT
	jq -r '.flows[] | "\(.dst_qp) \(.packets_sent) \(.resent)"' "$1" | sort
}

analyser_flows() { # RESULT
	jq -r '.sequence.flows[] | "\(.dest_qp) \(.frames) \(.h_behind)"' "$1" | sort
}

# What arrived of each flow, once, behind the points of loss; and in all.
sim_delivered() { # RESULT
	jq -r '(.flows[] | "\(.dst_qp) \(.delivered_bytes)"),
		"all \([.flows[].delivered_bytes] | add)"' "$1" | sort
}

analyser_delivered() { # RESULT
	jq -r '(.sequence.flows[] | "\(.dest_qp) \(.payload_bytes - .resent_bytes)"),
		"all \([.throughput.receivers[].good_bytes] | add)"' "$1" | sort
}

# At the NICs what is sent again is all that is sent beyond the size of a flow.
sim_sizes() { # RESULT
	jq -r '.flows[] | "\(.dst_qp) \(.bytes)"' "$1" | sort
}

analyser_sizes() { # RESULT
	jq -r '.sequence.flows[] | "\(.dest_qp) \(.payload_bytes - .resent_bytes)"' "$1" | sort
}

# CNPs and the sender's QP of the flows whose pairing is sure, and how many these are.
sim_cnps() { # RESULT ANALYSIS
	jq -r --slurpfile a "$2" '[$a[0].sequence.flows[] | select(.answered == "sure") |
		.dest_qp] as $sure | .flows[] | select(.dst_qp | IN($sure[])) |
		"\(.dst_qp) from \(.src_qp) \(.cnps_received)"' "$1" | sort
}

analyser_cnps() { # ANALYSIS
	jq -r '.sequence.flows[] | select(.answered == "sure") |
		"\(.dest_qp) from \(.src_qp) \(.cnps)"' "$1" | sort
}

same() { # WHAT A B: two lists of lines
	diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >"$work/diff" && return
	echo "$1 differ (< simulator, > the other):"
	cat "$work/diff"
	return 1
}

round_trip() { # SEED
	local s=$1 bad=0 hosts
	scenario "$s" >"$work/s.yaml"
	"$B/rocetune" sim "$work/s.yaml" --json --pcap "$work/in.pcapng" >"$work/in.json" || return 1
	hosts=$(jq -r '[.ports[] | select(.role == "nic") | .name + ":tx"] | join(",")' "$work/in.json")
	"$B/rocetune" sim "$work/s.yaml" --json --pcap "$work/out.pcapng" --pcap-ports "$hosts" \
		>"$work/out.json" || return 1
	for c in in out; do
		"$B/rocetune" analyze "$work/$c.pcapng" --all --json >"$work/$c.analysis.json"
		[ $? -le 1 ] || return 1
	done
	same "frames at hosts' switch ports, tshark" "$(sim_counts "$work/in.json" host)" \
		"$(tshark_counts "$work/in.pcapng")" || bad=1
	same "frames at the NICs, tshark" "$(sim_counts "$work/out.json" nic)" \
		"$(tshark_counts "$work/out.pcapng")" || bad=1
	same "sums at hosts' switch ports, analyser" "$(sim_sums "$work/in.json" host)" \
		"$(analyser_sums "$work/in.analysis.json")" || bad=1
	same "sums at the NICs, analyser" "$(sim_sums "$work/out.json" nic)" \
		"$(analyser_sums "$work/out.analysis.json")" || bad=1
	same "pauses, analyser" "$(sim_pauses "$work/in.json")" \
		"$(analyser_pauses "$work/in.analysis.json")" || bad=1
	same "flows, analyser" "$(sim_flows "$work/out.json")" \
		"$(analyser_flows "$work/out.analysis.json")" || bad=1
	same "delivered, analyser" "$(sim_delivered "$work/in.json")" \
		"$(analyser_delivered "$work/in.analysis.json")" || bad=1
	same "sizes at the NICs, analyser" "$(sim_sizes "$work/out.json")" \
		"$(analyser_sizes "$work/out.analysis.json")" || bad=1
	same "CNPs of flows, analyser" "$(sim_cnps "$work/in.json" "$work/in.analysis.json")" \
		"$(analyser_cnps "$work/in.analysis.json")" || bad=1
	jq -r '"# pairing sure for \([.sequence.flows[] | select(.answered == "sure")] | length)" +
		" of \(.sequence.flows | length) flows"' "$work/in.analysis.json" >>"$work/seen"
	jq -r '"# \(.captured_frames) frames, CE \(.marks), CNP \(.cnps_received), XOFF " +
		"\(.pfc_xoff), drops \(.drops), NAK \(.naks), resent \(.resent)"' "$work/in.json" >>"$work/seen"
	return $bad
}

: >"$work/seen"
for seed in $(seq 24); do
	tap "scenario $seed: simulator = tshark = analyser" round_trip "$seed"
	tail -n 2 "$work/seen"
done
# Scenarios without a mark, a pause or a loss would prove little.
variety() {
	awk '/CE [1-9]/ { ce++ } /XOFF [1-9]/ { x++ } /drops [1-9]/ { d++ } /resent [1-9]/ { r++ }
		/CNP [1-9]/ { c++ }
		/pairing sure/ { sure += $5; flows += $7 }
		END { print sure + 0, "of", flows + 0, "flows paired;", ce + 0, "with marks,", c + 0, "with CNPs,", x + 0, "with pauses,", d + 0,
			"with drops,", r + 0, "with resends"
			exit !(2 * sure >= flows && ce >= 5 && c >= 5 && x >= 5 && d >= 4 && r >= 4) }' "$work/seen"
}
tap "the scenarios have marks, CNPs, pauses, drops and resends" variety
tap_done
