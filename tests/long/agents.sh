#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Two hundred agents and nine ranks of mpirun, on this host, with the engine that moves
# nothing: barrier, start and collecting, how long it takes beside the traffic itself,
# and how soon all traffic has ended when the coordinator is killed.
set -u
B=${B:-build}
. tests/tap.sh
. tests/stress.sh
count=${AGENTS:-200}

result() { # JQ EXPRESSION over the report
	jq -e "$1" "$tap_log/stress.out" || { cat "$tap_log/stress.err"; false; }
}
since() { # SECONDS, as bash's EPOCHREALTIME
	awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

run_all() {
	local start=$EPOCHREALTIME
	stress_run "$count" incast $((count - 1)):1 --json --time 1s --ramp 0s --lossless 3 \
		--rate 10Mbps || { cat "$tap_log/stress.err"; return 1; }
	since "$start" >"$tap_log/took"
}
tap "$count agents meet, start and report" run_all
echo "# $(cat "$tap_log/took") s in all, 1 s of it traffic (bar: 5 s beside it)"
tap "none is lost" result ".ranks == $count and .ranks_lost == 0"
tap "each sender reports its bytes" result \
	"(.senders | length) == $((count - 1)) and ([.senders[].bytes] | min) > 1000000"
tap "all have names of their own" result \
	"([.hosts[].name] | unique | length) == $count"
tap "the receiver has the sum of them" result \
	'.receivers[0].bytes == ([.senders[].bytes] | add)'
echo "# clocks within $(jq .clock_error_ns "$tap_log/stress.out") ns"

# Traffic lives in the agents: where all are gone there is none.
coordinator_dies() {
	local start
	stress_begin "$count" incast $((count - 1)):1 --time 60s --lossless 3 --rate 10Mbps
	sleep 5
	kill -0 "${stress_agents[@]}" || return 1
	start=$EPOCHREALTIME
	kill -KILL "$stress_root"
	wait "$stress_root"
	for agent in "${stress_agents[@]}"; do
		wait "$agent"
		[ $? -eq 3 ] || return 1
	done 2>/dev/null
	since "$start" >"$tap_log/took"
	grep -q 'coordinator is lost: .' "$tap_log/agent0"
}
tap "a coordinator is killed: all $count agents end and say so" coordinator_dies
echo "# the last after $(cat "$tap_log/took") s"
tap "within 2 s" awk '{ exit !($1 < 2) }' "$tap_log/took"

# The same when it does not die but hangs, which no connection tells.
coordinator_hangs() {
	local start
	stress_begin 9 incast 8:1 --time 60s --lossless 3 --rate 10Mbps
	sleep 3
	kill -STOP "$stress_root"
	start=$EPOCHREALTIME
	for agent in "${stress_agents[@]}"; do
		wait "$agent"
		[ $? -eq 3 ] || return 1
	done
	since "$start" >"$tap_log/took"
	kill -KILL "$stress_root"
	wait "$stress_root" 2>/dev/null
	grep -q 'coordinator is lost: it says nothing any more' "$tap_log/agent0"
}
tap "a coordinator hangs: all end and say so" coordinator_hangs
echo "# the last after $(cat "$tap_log/took") s"
tap "within 2 s" awk '{ exit !($1 < 2) }' "$tap_log/took"

# As docs/cluster.md has it, but for ssh: clush runs its command here, once a host.
by_clush() {
	local root place
	"$B/rocetune" stress incast 8:1 --hosts 'n[0-8]' --listen 127.0.0.1:0 --json \
		--engine null --time 1s --lossless 3 >"$tap_log/stress.out" \
		2>"$tap_log/stress.err" &
	root=$!
	for _ in {1..200}; do
		place=$(sed -n 's/.*agent --join //p' "$tap_log/stress.err")
		[ -n "$place" ] && break
		sleep 0.05
	done
	clush -R exec -w 'n[0-8]' "$B/rocetune" agent --join "$place" --name %h
	wait "$root" || { cat "$tap_log/stress.err"; return 1; }
}
if command -v clush >/dev/null; then
	tap "clush starts nine agents" by_clush
	tap "their ranks are in the order of the list" result \
		'[.hosts[].name] == ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"]'
else
	tap_skip "clush starts nine agents" "no clush"
fi

if ! command -v mpirun >/dev/null; then
	tap_skip "nine ranks of mpirun" "no mpirun"
	tap_done
	exit
fi
ranks() {
	local start=$EPOCHREALTIME
	TMPDIR=$tap_log timeout -k 1 50 mpirun --allow-run-as-root --oversubscribe -quiet \
		-n 9 "$B/rocetune" incast --engine null --json --time 1s --ramp 0s \
		--lossless 3 --rate 10Mbps </dev/null >"$tap_log/stress.out" \
		2>"$tap_log/stress.err" || { cat "$tap_log/stress.err"; return 1; }
	since "$start" >"$tap_log/took"
}
tap "nine ranks of mpirun meet, start and report" ranks
echo "# $(cat "$tap_log/took") s in all, 1 s of it traffic (bar: 5 s beside it)"
tap "none is lost" result '.ranks == 9 and .ranks_lost == 0 and (.senders | length) == 8'
tap_done
