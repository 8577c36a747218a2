#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Two soft engines over a veth pair: both ends, the wire and tshark tell the same.
set -u
B=${B:-build}
. tests/tap.sh
pair=$B/tests/tools/softpair
dump=$B/tests/tools/framedump

tap_skip_all() { tap_skip "soft engines over a link" "$1"; tap_done; exit 0; }
"$pair" total=1000 >"$tap_log/first" 2>&1
case $? in
0) ;;
77) tap_skip_all "no network namespaces here" ;;
*) sed 's/^/# /' "$tap_log/first"; echo "not ok 1 - soft engines over a link"; echo 1..1; exit 1 ;;
esac

# Frames of the capture as the ends count them, and nothing that the analyser minds.
ends_agree() { # KEY=VALUE...
	"$pair" capture="$tap_log/x.pcapng" "$@" >"$tap_log/x.json" || return
	"$B/rocetune" analyze --json "$tap_log/x.pcapng" >"$tap_log/wire.json"
	[ $? -le 1 ] || return
	jq -n --slurpfile ends "$tap_log/x.json" --slurpfile wire "$tap_log/wire.json" '
		def ops($which): [$wire[0].roce.opcodes[] | select(.name | test($which)) | .frames]
			| add // 0;
		$ends[0] as {$sender, $receiver} | {
		bytes: $receiver.qps[0].bytes, messages: $receiver.qps[0].messages,
		ends: [$sender.qps[0].data_frames_tx, $receiver.qps[0].data_frames_rx],
		strays: [$sender, $receiver | .bad_icrc, .malformed, .unknown_qp, .ring_dropped] | add,
		icrc: $wire[0].roce | [.icrc_ok, .icrc_bad, .frames],
		data: ops("WRITE|SEND|READ Resp"), acks: ops("RC ACK"),
		ends_acks: ($receiver.qps[0].ack_tx // 0) }' >"$tap_log/both.json" || return
	cat "$tap_log/both.json"
	jq -e '.bytes == 300000 and .messages == 30 and .ends == [300, 300] and .data == 300 and
		.strays == 0 and .icrc[0] == .icrc[2] and (.icrc[1] // 0) == 0 and
		.acks == .ends_acks' "$tap_log/both.json"
}

# The fields that both tools have, frame by frame.
fields=(infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn infiniband.bth.padcnt
	infiniband.bth.a infiniband.bth.p_key infiniband.aeth.syndrome infiniband.aeth.msn
	infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen infiniband.immdt
	ip.dsfield.dscp ip.dsfield.ecn udp.srcport udp.dstport)
tshark_agrees() {
	local options=() columns name
	for name in "${fields[@]}"; do options+=(-e "$name"); done
	columns=$(for name in "${fields[@]}"; do "$dump" --fields | grep -nxF "$name" | cut -d: -f1
		done | paste -sd' ')
	tshark -r "$tap_log/x.pcapng" -Y _ws.malformed 2>/dev/null | grep . && return 1
	tshark -r "$tap_log/x.pcapng" --disable-heuristic rpcrdma_infiniband -T fields \
		-E separator=/t -E occurrence=l "${options[@]}" >"$tap_log/theirs" 2>/dev/null
	"$dump" "$tap_log/x.pcapng" | awk -F'\t' -v columns="$columns" '{
		n = split(columns, c, " "); line = $c[1]
		for (i = 2; i <= n; i++) line = line "\t" $c[i]
		print line }' >"$tap_log/ours"
	[ -s "$tap_log/ours" ] && diff "$tap_log/ours" "$tap_log/theirs"
}

common=(message=10000 total=300000 ms=10000)
for op in write write-imm send read; do
	tap "$op: both ends and the wire count the same" ends_agree op="$op" "${common[@]}"
	if command -v tshark >/dev/null; then
		tap "$op: tshark reads the same frames" tshark_agrees
	else
		tap_skip "$op: tshark reads the same frames" "no tshark"
	fi
done
tap "IPv6: both ends and the wire count the same" ends_agree ip=6 "${common[@]}"
tap_done
