#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `rocetune incast 7:1` with eight agents, each on an RDMA device of its own, through a
# port that marks: the report against the capture, the devices' and the queue's counters.
set -u
. "$RT_LAB/guest/lib.sh"
rxe_star 8
rxe_tools
slow_port p0 50
cp "$B/rocetune" /tmp/verbs/
export ROCETUNE_TOKEN=0123456789abcdef0123456789abcdef
rt() { /tmp/verbs/rocetune "$@"; }

dumpcap -q -B 64 -i h0 -w /tmp/incast.pcapng 2>/tmp/dumpcap.log &
tap=$!
soon [ -s /tmp/incast.pcapng ]
# Two messages of 16 KiB a sender wait 37 ms at most there: less than the time-out.
timeout 200 /tmp/verbs/rocetune incast 7:1 --hosts 'h[0-7]' --engine verbs --size 16KiB --outstanding 2 \
	--ramp 0s --time 3s --json >/tmp/stress.json 2>/tmp/stress.err &
root=$!
agents=()
for i in 0 1 2 3 4 5 6 7; do
	timeout 200 /tmp/verbs/rocetune agent --join 127.0.0.1 --name "h$i" --device "rx$i" >/tmp/agent$i 2>&1 &
	agents+=($!)
done
wait $root
code=$?
ended=0
for agent in "${agents[@]}"; do wait "$agent" || ended=1; done
echo "# $(jq -r .verdict /tmp/stress.json)"

counter() { rdma -j statistic show link rx0/1 | jq ".[0].$1"; }
frames=$(($(counter rcvd_pkts) + $(counter sent_pkts)))
caught() {
	nudge 10.1.0.99
	rt analyze --json /tmp/incast.pcapng >/tmp/analysis.json
	jq -e ".roce.frames >= $frames" /tmp/analysis.json >/dev/null
}
soon -t 30 caught
kill $tap
wait $tap
caught
says() { # FILTER: of the report, with the analysis of the capture beside it
	jq -e --slurpfile capture /tmp/analysis.json "$1" /tmp/stress.json >/dev/null ||
		{ jq -c '.qps[] | [.state, .tx_bytes, .error]' /tmp/stress.json
			jq -c '.roce | del(.opcodes)' /tmp/analysis.json
			jq -c '.sequence | del(.flows)' /tmp/analysis.json; false; }
}
tap "the run is done" [ "$code" -le 1 ]
tap "and so are its agents" [ $ended = 0 ]
tap "every queue pair ran to the end" says '[.qps[].state] == ["done", "done", "done", "done", "done", "done", "done"]'
tap "from the device and to the address that were meant" says \
	'[.qps[].dest_ip] | unique == ["10.1.0.10"]'
tap "the capture has every packet of the receiver" says "\$capture[0].roce.frames == $frames"
tap "and every byte the report tells of" says \
	'([.qps[].tx_bytes] | add) == $capture[0].sequence.payload_bytes - $capture[0].sequence.resent_bytes'
tap "CE is what the queue marked" says "\$capture[0].roce.ce == $(marked_at p0) and \$capture[0].roce.ce > 1000"
tap "DSCP 26 and ECT or CE on all" says \
	'[$capture[0].roce.dscps[] | [.dscp, .not_ect, .ect1]] == [[26, 0, 0]]'
tap "each invariant CRC is right" says '$capture[0].roce.icrc_ok == $capture[0].roce.frames'
tap "all got much the same" says '.jain > 0.9'
tap_done
