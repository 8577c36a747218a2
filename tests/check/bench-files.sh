#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The captures that the benchmarks make hold what docs/performance.md says: packets that
# are lost, a NAK for each, and a go-back-N by time, whatever the rate of a flow.
set -u
B=${B:-build}
. tests/tap.sh
make --no-print-directory -s "$B/tests/bench/flowgen" B="$B" >&2 || exit 1

holds() { # FLOWS BURST KIND: gaps, NAKs for them and rewinds, but for the last at the end
	"$B/tests/bench/flowgen" "$tap_log/x.pcap" 20000000 "$1" "$2" 128 "$3" &&
		"$B/rocetune" analyze --no-icrc --json "$tap_log/x.pcap" >"$tap_log/x.json"
	[ $? -le 1 ] && jq -c '[.capture.malformed, .sequence | .p_gaps?, .naks?, .rewinds_nak?,
		.rewinds_alone?, .timeouts?]' "$tap_log/x.json" &&
		jq -e '.capture.malformed == 0 and (.sequence |
			.p_gaps >= 3 and .p_gaps - .naks <= 1 and .naks - .rewinds_nak <= 1 and
			.rewinds_alone == 0 and .timeouts == 0)' "$tap_log/x.json"
}
for kind in plain tagged ipv6; do
	tap "packets are lost and sent again: 64 flows, $kind" holds 64 1 $kind
done
tap "packets are lost and sent again: 64 flows in bursts" holds 64 16 plain
tap "packets are lost and sent again: each second one of 20,000 flows" holds 20000 3 second-lost
tap_done
