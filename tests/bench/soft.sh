#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The soft engine over a veth pair against a bare sendmmsg() loop with frames of the same
# size into the same receiver; the ratio of each pair of runs, and its median.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
MS=${MS:-500}
pps="$B/tests/bench/soft_pps"
need_namespaces "soft engine" "$pps" bare 1024 10
for mtu in 1024 4096; do
	: >"$work/engine"
	: >"$work/bare"
	for _ in $(seq "$RUNS"); do
		"$pps" engine "$mtu" "$MS" >>"$work/engine"
		"$pps" bare "$mtu" "$MS" >>"$work/bare"
	done
	paste "$work/engine" "$work/bare" >"$work/both"
	awk -v mtu="$mtu" \
		-v engine="$(cut -d' ' -f1 "$work/engine" | median)" \
		-v bare="$(cut -d' ' -f1 "$work/bare" | median)" \
		-v ratio="$(awk '{ print $1 / $3 }' "$work/both" | median)" \
		-v cpu="$(awk '{ print $2 / $4 }' "$work/both" | median)" 'BEGIN {
		printf "%-34s %9.3f of a bare loop  bar >= 0.8  %s\n",
			"soft engine, path MTU " mtu, ratio, (ratio >= 0.8) ? "met" : "not met"
		printf "    %d frames a second, bare %d; by processor time %.3f of it\n", engine, bare, cpu }'
	printf '    %s engine|bare %d %d\n' "$pps" "$mtu" "$MS"
done
