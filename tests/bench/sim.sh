#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator: packet-hops per heap hold.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh

simulate() { # NAME SCENARIO
	local hops i
	hops=$("$B/rocetune" sim "$2" --json | jq .hops)
	: >"$work/ratios"
	for i in $(seq "$RUNS"); do
		holds=$("$B/tests/bench/heap_holds" | cut -d' ' -f1)
		awk -v hops="$hops" -v cpu="$(cpu_of "$B/rocetune" sim "$2")" -v holds="$holds" \
			'BEGIN { print hops / cpu / holds }' >>"$work/ratios"
	done
	printf '%-34s %9d hops  %6.2f hops per heap hold\n' "$1" "$hops" "$(median <"$work/ratios")"
}
sed 's/senders: 16, size: 1MB/senders: 32, size: 10MB/' tests/scenarios/hpcc-mlx.yaml >"$work/mlx.yaml"
sed 's/^topology: .*/topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 4, speed: 100G}/
	s/^workload: .*/workload: {kind: alltoall, size: 1MB}/' tests/scenarios/hpcc-mlx.yaml >"$work/a2a.yaml"
simulate "sim, 32:1, 10 MB each" "$work/mlx.yaml"
simulate "sim, leaf-spine all-to-all, 1 MB" "$work/a2a.yaml"

# Instructions do not depend on how busy the machine is.
if command -v valgrind >/dev/null; then
	hops=$("$B/rocetune" sim tests/scenarios/hpcc-mlx.yaml --json | jq .hops)
	instructions=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$B/rocetune" sim tests/scenarios/hpcc-mlx.yaml 2>&1 >/dev/null |
		awk '/Collected/ { print $NF }')
	printf '%-34s %9d hops  %6.1f instructions per hop\n' "sim, 16:1, 1 MB each" "$hops" \
		"$(awk -v i="$instructions" -v h="$hops" 'BEGIN { print i / h }')"
fi
