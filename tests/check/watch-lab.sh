#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A lab and a simulation, watched: which ports there are, who counts, what passes, and
# that what goes away is told.  How well both sides agree is tests/long/watch-lab.sh's.
set -u
B=${B:-build}
rocetune=$PWD/$B/rocetune
. tests/tap.sh
. tests/lab.sh
. tests/watch-lab.sh
trap 'rm -rf "$tap_log"; lab_end_all' EXIT
exec 3>&1

says() { # WANTED COMMAND...
	local wanted=$1 out
	shift
	out=$("$@" 2>&1)
	case $out in *"$wanted"*) ;; *) echo "no '$wanted' in: $out"; return 1 ;; esac
}

# --- a simulation: the same every time --------------------------------------------
scenario=tests/scenarios/incast16-100g.yaml
simulated() { # NAME ARGUMENT...
	local name=$1
	shift
	"$rocetune" top --scenario $scenario --json -d 100ms "$@" >"$tap_log/$name.json" 2>"$tap_log/err"
	[ $? -le 1 ] || { cat "$tap_log/err"; return 1; }
}
tap "a simulation is watched to its end" simulated one
tap "the same again" simulated two
same() { cmp <(jq -c 'del(.meta)' "$tap_log/one.json") <(jq -c 'del(.meta)' "$tap_log/two.json"); }
tap "gives the same" same
tap "the receiver's link is full" jq -n -e '[inputs | .ports[] | select(.name == "h0") |
	.figures.rx_pct] | max > 95' "$tap_log/one.json"
tap "marks come in and CNPs go out" jq -n -e '[inputs | .ports[] | select(.name == "h0") |
	.figures | select(.ce_ps > 0 and .cnp_tx_ps > 0)] | length > 3' "$tap_log/one.json"
tap "it is congestion" jq -n -e '[inputs | .ports[] | select(.name == "h0") | .verdict] |
	unique == ["network", "ok"]' "$tap_log/one.json"
by_itself() { # without an interval it is seen all the same, pauses included
	"$rocetune" top --scenario $scenario --json >"$tap_log/own.json" || return 1
	jq -n -e '[inputs] | length > 50 and
		any(.[].ports[]; .name == "h0" and .verdict == "network") and
		any(.[].ports[]; .name == "s0p14" and .figures.pausing_pct > 50)' "$tap_log/own.json"
}
tap "without an interval it is congestion as well, from the first event on" by_itself
tap "only some of its ports" simulated some --port 'h0,s0p[12]' --exclude s0p2
tap "are those" jq -n -e 'input | [.ports[].name] == ["h0", "s0p1"]' "$tap_log/some.json"
tap "no such scenario is said" says "nowhere.yaml" "$rocetune" top --scenario nowhere.yaml -n 1
tap "frames of a simulation pass nowhere" says "--capture" \
	"$rocetune" top --scenario $scenario --capture eth0 -n 1

# --- a lab ------------------------------------------------------------------------
tap "no lab is said" says "no lab" "$rocetune" top --lab nobody -n 1
if ! unshare -n true 2>/dev/null && ! unshare -rn true 2>/dev/null; then
	tap_skip "a lab" "no namespaces of one's own"
	tap_done
	exit
fi
tap "a lab comes up, something wrong with it" \
	"$rocetune" lab up --name quiet --hosts 2 --fault slow-receiver@h1=50%
tap "that is shown" says "slow-receiver@h1=50%" "$rocetune" lab show --name quiet
tap "its commands know" says "slow-receiver@h1=50%" \
	"$rocetune" lab exec --name quiet h1 printenv ROCETUNE_LAB_FAULTS
tap "a host that it does not have is refused" says "h0 to h1" \
	"$rocetune" lab up --name other --hosts 2 --fault slow-receiver@h2
quiet() {
	"$rocetune" top --lab quiet --json -n 1 -d 100ms >"$tap_log/quiet.json" || return 1
	jq -e '[.ports[] | {name, peer: .facts.peer, role: .facts.role, state: .facts.state}] == [
		{name: "h0", peer: "s0p0", role: "nic", state: "up"},
		{name: "h1", peer: "s0p1", role: "nic", state: "up"},
		{name: "s0p0", peer: "h0", role: "switch", state: "up"},
		{name: "s0p1", peer: "h1", role: "switch", state: "up"}]' "$tap_log/quiet.json" >/dev/null &&
		jq -e '[.ports[] | select(.facts.role == "nic") | .facts.note | test("nobody counts")] | all' \
			"$tap_log/quiet.json" >/dev/null || { jq -c . "$tap_log/quiet.json"; return 1; }
}
tap "it is watched: all ports, and nobody counts for its hosts" quiet
# Agents that somebody starts on the hosts count there as well.
by_hand() {
	ROCETUNE_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
	export ROCETUNE_TOKEN
	local host top
	for host in h0 h1; do
		"$rocetune" lab exec --name quiet $host "$rocetune" agent --join 10.0.0.1 >/dev/null 2>&1 &
	done
	"$rocetune" top --lab quiet --json -d 100ms --port 'h?' >"$tap_log/hand.json" 2>"$tap_log/err" &
	top=$!
	"$rocetune" lab exec --name quiet h0 "$rocetune" incast 1:1 --hosts 'h[0-1]' \
		--listen 10.0.0.1:18525 --time 1s >"$tap_log/incast" 2>&1
	kill -INT $top
	wait
	jq -n -e '[inputs | .ports[] | select(.name == "h0" and .figures.rdma_rx_bps > 1e6)] | length > 2' \
		"$tap_log/hand.json" >/dev/null || { tail -n 3 "$tap_log/incast" "$tap_log/err"; return 1; }
}
tap "agents on its hosts are watched" by_hand
tap "it is the only one" says "h1" "$rocetune" top --lab '' -b -n 1 -d 100ms
"$rocetune" lab down --name quiet >/dev/null

# --- with traffic -----------------------------------------------------------------
tap "a run is watched" watch_run busy --incast 2:1 --time 2s --profile nvidia-lossless-100g
both='[inputs | .ports[]] | [.[] | select(.name == "h0" and .figures.rx_bps > 0)] as $host |
	[.[] | select(.name == "s0p0" and .figures.tx_bps > 0)] as $port | '
tap "host and switch both count" jq -n -e "$both"'($host | length > 3) and ($port | length > 3)' \
	"$tap_log/busy.json"
tap "each under its own name" jq -n -e "$both"'
	([$host[].counters[]? | select(.name? == "cnp_tx" or .counter? == "cnp_tx")] != [])' "$tap_log/busy.json"
tap "in the end its ports are gone" jq -s -e '[last.ports[].facts.state] | unique == ["gone"]' \
	"$tap_log/busy.json"

flows() {
	"$rocetune" lab run --name flows --json --incast 2:1 --time 3s >"$tap_log/run" 2>&1 &
	local run=$!
	until "$rocetune" lab show --name flows >/dev/null 2>&1; do
		kill -0 $run 2>/dev/null || { cat "$tap_log/run"; return 1; }
		sleep 0.02
	done
	"$rocetune" top --lab flows --capture s0p0 --json -d 200ms >"$tap_log/flows.json" 2>"$tap_log/err" &
	local top=$!
	wait $run
	kill -INT $top
	wait $top
	[ $? -le 1 ] || { cat "$tap_log/err"; return 1; }
	jq -n -e '[inputs | .flows | select(.known and .total == 2 and .where == "s0p0") |
		select([.items[].dst] | unique == ["10.0.0.1"]) |
		select([.items[].prio] | unique == [3]) |
		select(.fans[0].senders == 2 and .fans[0].jain > 0.5)] | length > 3' "$tap_log/flows.json" >/dev/null ||
		{ tail -3 "$tap_log/flows.json" | jq -c .flows; return 1; }
}
# Entering another's network wants more than its user namespace gives.
if [ "$(id -u)" = 0 ]; then
	tap "flows at a port of its switch: two senders of one receiver" flows
else
	tap_skip "flows at a port of its switch" "not root"
fi
tap_done
