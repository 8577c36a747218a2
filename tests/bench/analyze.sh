#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The analyser: CPU per frame against a libpcap loop that does nothing.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh

analyse() { # NAME CAPTURE ARGUMENTS...
	local name=$1 file=$2 i
	shift 2
	: >"$work/ratios"
	for i in $(seq "$RUNS"); do
		awk -v floor="$(cpu_of "$B/tests/bench/pcap_loop" "$file")" \
			-v ours="$(cpu_of "$B/rocetune" analyze "$file" "$@")" \
			'BEGIN { print ours / floor }' >>"$work/ratios"
	done
	printf '%-34s %9d frames %5.2f of a libpcap loop\n' "$name" \
		"$("$B/tests/bench/pcap_loop" "$file" | cut -d' ' -f1)" "$(median <"$work/ratios")"
}
printf 'workload: {senders: 16, size: 16MB}\nmodel: {mtu: 1024}\n' >"$work/s.yaml"
"$B/rocetune" sim "$work/s.yaml" --pcap "$work/x.pcapng" >/dev/null
analyse "analyze, whole frames, ICRC" "$work/x.pcapng"
analyse "analyze, whole frames, no ICRC" "$work/x.pcapng" --no-icrc
