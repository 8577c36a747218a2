#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The verbs engine against perftest over rdma_rxe, by the interfaces' counters: WRITE,
# SEND, READ with 1 and 16 QPs, alternating, median of RUNS (5).  At least 0.95 of it.
# Then a rate cap within 2 %, and 7:1 incast through a queue that marks.
#
# The guest's clock goes by instructions (run -i): what is compared is what moving a
# byte costs the one CPU of both ends.
set -u
. "$RT_LAB/guest/lib.sh"
rxe_pair
rxe_tools
runs=${RUNS:-5}

sum() { # what both interfaces sent, and when
	bytes=$(($(</sys/class/net/va/statistics/tx_bytes) + $(</sys/class/net/vb/statistics/tx_bytes)))
	at=${EPOCHREALTIME/./}
}
measure() { # kB/s into $rate, once it moves
	local start then
	sum
	start=$bytes
	moving() { sum; [ "$bytes" -gt $((start + 1000000)) ]; }
	soon moving || { rate=0; return; }
	sleep 0.3
	sum
	start=$bytes then=$at
	sleep 1.2
	sum
	rate=$(((bytes - start) * 1000 / (at - then)))
}
ours() { # OP QPS
	timeout 60 /tmp/verbs/verbspair -o "$1" -q "$2" -T 20 -n 128 -t 2000 rxa:rxb >/tmp/ours &
	measure
	wait
}
theirs() {
	local words=(-u 20 -x 1 -F --tclass=106 -s 65536 -q "$2" -D 2 -f 0)
	timeout 60 "ib_$1_bw" -d rxb "${words[@]}" >/tmp/server 2>&1 &
	soon reads '*:18515*' ss -Hltn 'sport = :18515'
	timeout 60 "ib_$1_bw" -d rxa "${words[@]}" 127.0.0.1 >/tmp/client 2>&1 &
	measure
	wait
}
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

command -v ib_write_bw >/dev/null || { tap_skip "against perftest" "no perftest here"; runs=0; }
for op in write send read; do
	for qps in 1 16; do
		a=() b=()
		for ((i = 0; i < runs; i++)); do
			ours $op $qps
			a+=("$rate")
			theirs $op $qps
			# It fails to start now and then: once more.
			[ "$rate" -gt 0 ] || theirs $op $qps
			b+=("$rate")
		done
		[ "$runs" -gt 0 ] || continue
		m=$(median "${a[@]}") p=$(median "${b[@]}")
		echo "# $op, $qps QPs: $m kB/s, perftest $p: $((m * 100 / (p + (p == 0)))) % (${a[*]} / ${b[*]})"
		tap "$op, $qps QPs: at least 0.95 of ib_${op}_bw" [ "$((m * 100))" -ge "$((p * 95))" ]
	done
done

capped() { # BPS BYTES: of the payload counted in 3 s
	timeout 60 /tmp/verbs/verbspair -T 20 -r "$1" -s "$2" -t 3000 rxa:rxb |
		jq -s '.[0].bytes' >/tmp/bytes
	local wanted=$(($1 * 3 / 8)) got
	got=$(</tmp/bytes)
	echo "# a cap of $1 b/s, messages of $2: $((got * 10000 / wanted)) of 10000"
	tap "a cap of $1 b/s with messages of $2 holds within 2 %" \
		[ $((got * 100)) -ge $((wanted * 98)) -a $((got * 100)) -le $((wanted * 102)) ]
}
capped 8000000 4096
capped 40000000 65536
capped 200000000 65536
timeout 60 /tmp/verbs/verbspair -T 20 -B 100,400 -s 4096 -t 2000 rxa:rxb | jq -s .[0] >/tmp/burst
tap "bursts end by the clock" jq -e '.last_ns > 1500000000 and .last_ns < 1900000000' /tmp/burst

# --- incast -------------------------------------------------------------------------
rxe_star 8
slow_port p0 50
dumpcap -q -B 64 -i h0 -w /tmp/incast.pcapng 2>/tmp/dumpcap.log &
tap=$!
soon [ -s /tmp/incast.pcapng ]
timeout 120 /tmp/verbs/verbspair -T 20 -s 16384 -t 3000 \
	rx1:rx0 rx2:rx0 rx3:rx0 rx4:rx0 rx5:rx0 rx6:rx0 rx7:rx0 | jq -s . >/tmp/incast.json
caught() {
	nudge 10.1.0.99
	"$B/rocetune" analyze --json /tmp/incast.pcapng >/tmp/analysis.json
	jq -e ".roce.frames >= $frames" /tmp/analysis.json >/dev/null
}
counter() { rdma -j statistic show link rx0/1 | jq ".[0].$1"; }
frames=$(($(counter rcvd_pkts) + $(counter sent_pkts)))
soon -t 30 caught
kill $tap
wait $tap
caught
sent=$(jq '[.[] | select(.end == "tx") | .bytes] | add' /tmp/incast.json)
marked=$(marked_at p0)
echo "# 7:1: $sent bytes, $frames frames at the receiver, $marked marked"
is() { # FILTER
	jq -e --slurpfile ends /tmp/incast.json "$1" /tmp/analysis.json >/dev/null ||
		{ jq -c '.roce | del(.opcodes)' /tmp/analysis.json; jq -c '.[]' /tmp/incast.json; false; }
}
tap "7:1: all seven run to the end" is '[$ends[0][] | select(.end == "tx") | .state] | unique == ["done"]'
tap "7:1: the capture has every packet of the receiver" is ".roce.frames == $frames"
tap "7:1: and every byte the senders counted, once" is \
	".sequence.payload_bytes - .sequence.resent_bytes == $sent and .sequence.resent_bytes == 0"
tap "7:1: CE is what the queue marked" is ".roce.ce == $marked and .roce.ce > 1000"
tap "7:1: each invariant CRC is right, marked or not" is ".roce.icrc_ok == .roce.frames"
tap "7:1: nobody gets less than half of the best" is \
	'[$ends[0][] | select(.end == "tx") | .bytes] | min * 2 > max'
tap_done
