#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The soft switch from one veth pair to another against a bare loop that gives what a
# TPACKET_V3 ring holds to sendmmsg(); the ratio of each pair of runs, and its median.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
MS=${MS:-400}
pps="$B/tests/bench/switch_pps"
need_namespaces "soft switch" "$pps" bare 1086 10
for bytes in 1086 128; do
	: >"$work/switch"
	: >"$work/bare"
	for _ in $(seq "$RUNS"); do
		"$pps" switch "$bytes" "$MS" >>"$work/switch"
		"$pps" bare "$bytes" "$MS" >>"$work/bare"
	done
	paste "$work/switch" "$work/bare" >"$work/both"
	awk -v bytes="$bytes" \
		-v soft="$(cut -d' ' -f1 "$work/switch" | median)" \
		-v bare="$(cut -d' ' -f1 "$work/bare" | median)" \
		-v ratio="$(awk '{ print $1 / $3 }' "$work/both" | median)" \
		-v cpu="$(awk '{ print $2 / $4 }' "$work/both" | median)" 'BEGIN {
		printf "%-34s %9.3f of a bare loop  bar >= 0.8  %s\n",
			"soft switch, frames of " bytes " bytes", ratio, (ratio >= 0.8) ? "met" : "not met"
		printf "    %d frames a second, bare %d; by processor time %.3f of it\n", soft, bare, cpu }'
	printf '    %s switch|bare %d %d\n' "$pps" "$bytes" "$MS"
done
