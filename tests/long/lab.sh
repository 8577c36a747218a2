#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The lab's figures on a machine that keeps time: an incast of eight with a sound
# profile, with PFC alone, and with neither PFC nor ECN; two senders that oscillate.
# Each is told what it has to be, by the report, whatever else the machine does.
set -u
B=${B:-build}
rocetune=$PWD/$B/rocetune
. tests/tap.sh
. tests/lab.sh
trap 'rm -rf "$tap_log"; lab_end_all' EXIT

if ! unshare -n true 2>/dev/null && ! unshare -rn true 2>/dev/null; then
	tap_skip "the lab's figures" "no namespaces of one's own"
	tap_done
	exit
fi

# A run that has to show each of these; once in three the machine is quiet enough.
run() { # NAME "ARGUMENT..." FILTER...
	local name=$1 arguments=$2 try start code filter bad
	shift 2
	for try in 1 2 3; do
		start=$SECONDS bad=
		# shellcheck disable=SC2086
		"$rocetune" lab run --json $arguments >"$tap_log/$name.json" 2>"$tap_log/$name.err"
		code=$?
		took=$((SECONDS - start))
		[ "$code" -le 1 ] || { echo "exit $code"; cat "$tap_log/$name.err"; return 1; }
		for filter in "$@"; do
			jq -e "$filter" "$tap_log/$name.json" >/dev/null || bad+="not so: $filter"$'\n'
		done
		figures "$name" | sed "s/^/# $name, run $try: /" >&3
		[ -n "$bad" ] || return 0
	done
	echo "$bad"
	jq -c '{verdict, cross: [.cross[] | select(.agrees == "no")],
		findings: [.findings[] | "\(.severity) \(.id) \(.where) \(.evidence)"]}' "$tap_log/$name.json"
	return 1
}

figures() { # NAME
	jq -c '{link_use_pct, marks, cnps, rate_cuts, naks, drops, xoff, paused_pct, ring_drops,
		capture_drops, jain: .stress.jain, jain_least: .stress.jain_least,
		dips: .stress.dip_count, late: .meta.late_max_ns}' "$tap_log/$1.json"
}

agree='[.cross[] | select(.agrees == "no")] == []'
in_time='.ring_drops == 0'

exec 3>&1

# --- a sound profile ------------------------------------------------------------
tap "8:1, sound: fair, marked, told, not paused, not lost, the link used, all agree" \
	run sound "--incast 8:1 --time 5s --profile nvidia-lossless-100g" \
	"$in_time" '.capture_drops == 0' '.stress.jain >= 0.95' '.stress.jain_least >= 0.85' \
	'.marks > 0' '.cnps > 0' '.rate_cuts > 0' '.paused_pct < 1' '.drops == 0' '.naks == 0' \
	'.link_use_pct >= 90' "$agree"
tap "in less than 20 s" test "$took" -lt 20

# --- PFC alone --------------------------------------------------------------------
tap "8:1, PFC alone: paused, not marked, not lost, all agree" \
	run pfc "tests/scenarios/lab-pfc-only.yaml --time 5s" \
	"$in_time" '.capture_drops == 0' '.xoff > 0' '.paused_pct > 0' '.marks == 0' '.cnps == 0' \
	'.drops == 0' "$agree"

# --- neither ----------------------------------------------------------------------
tap "8:1, neither: lost, asked for again, all agree" \
	run neither "tests/scenarios/lab-lossy.yaml --time 5s" \
	"$in_time" '.capture_drops == 0' '.drops > 0' '.naks > 0' '.marks == 0' '.xoff == 0' "$agree"
goodput() { jq '.goodput_bps // 0' "$tap_log/$1.json"; }
tap "goodput falls" test "$(goodput neither)" -lt $(($(goodput sound) * 9 / 10))

# --- two senders that oscillate (perftest issues 130 and 219) -----------------------
named='[.findings[] | select(.id == "stress-unfair" or .id == "stress-oscillating")] != []'
oscillates='[.findings[] | select(.id == "stress-oscillating")] != []'
tap "2:1 without congestion control: the report names the collapse" \
	run oscillates "tests/scenarios/lab-oscillates.yaml --time 5s" "$in_time" "$oscillates"
tap "2:1, sound: it names none" \
	run two "--incast 2:1 --time 5s --profile nvidia-lossless-100g" "$in_time" "$named | not"

# --- as many hosts as a lab has ---------------------------------------------------
tap "127:1: nobody is lost, whatever the machine does to the rest" \
	run all "--incast 127:1 --time 500ms --profile nvidia-lossless-100g" \
	'.stress.ranks == 128 and .stress.ranks_lost == 0'

# The same beside processes that want all processors: dips of hosts that wait are theirs.
busy=()
for ((i = 0; i < $(nproc) + 1; i++)); do
	timeout 120 sh -c 'while :; do :; done' &
	busy+=($!)
done
tap "on a busy machine the collapse is named" \
	run oscillates "tests/scenarios/lab-oscillates.yaml --time 5s" "$in_time" "$oscillates"
tap "and a sound run is not" \
	run two "--incast 2:1 --time 5s --profile nvidia-lossless-100g" "$in_time" "$named | not"
kill "${busy[@]}" 2>/dev/null

tap_done
