#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Stress runs as a user starts them: what the command line says wrongly, whole runs of
# agents over loopback, and what happens when somebody dies or has had enough.
set -u
B=${B:-build}
. tests/tap.sh
. tests/stress.sh
export ROCETUNE_PROFILES=profiles

usage() { # WORDS ARGUMENTS...
	local words=$1
	shift
	timeout 20 "$B/rocetune" "$@" >"$tap_log/text" 2>&1
	[ $? -eq 2 ] && grep -q -e "$words" "$tap_log/text" || { cat "$tap_log/text"; false; }
}
tap "without hosts the ways to them are named" usage 'mpirun' stress incast
tap "the lab, too" usage 'lab run' incast
tap "an agent wants a coordinator" usage '--join' agent
tap "a ring has no N:1" usage 'every host takes part' stress ring 8:1
tap "a ToS byte and a DSCP" usage 'leave --dscp' stress incast --tos 106 --dscp 26
tap "a burst is two times" usage 'ON/OFF' stress incast --burst 10ms
tap "a priority is below 8" usage 'priorities 0 to 7' stress incast --lossless 3,8
tap "no such victim" usage 'victim' stress incast --victim me

# What is wrong is told before any host is waited for: these wait for a minute, else.
early() { # WORDS ARGUMENTS...
	local words=$1
	shift
	usage "$words" stress "$@" --wait 60s
}
tap "no time" early '--time' incast 2:1 --agents 3 --time 0s
tap "no bytes" early '--size' incast 2:1 --agents 3 --size 0
tap "a DSCP of seven bits" early '--dscp 64' incast 2:1 --agents 3 --dscp 64
tap "ECN bits are two" early '--ecn 4' incast 2:1 --agents 3 --ecn 4
tap "no such engine" early "no 'foo'" incast 2:1 --agents 3 --engine foo
tap "no queue pair" early '--qps 0' incast 2:1 --agents 3 --qps 0
tap "no such rank" early '--receiver 3' incast 2:1 --agents 3 --receiver 3
tap "an MTU of Ethernet" early '--mtu 1500' incast 2:1 --agents 3 --mtu 1500
tap "a time-out has five bits" usage 'ack-timeout' agent --join n0 --ack-timeout 32
tap "retries have three" early 'retries' incast 2:1 --agents 3 --retries 8
tap "a burst of two days" early '--burst 172800s' incast 2:1 --agents 3 --burst 10ms/48h
tap "no rate" early '--rate' incast 2:1 --agents 3 --rate 0
tap "two receivers" early 'N:1' incast 8:2 --agents 10
tap "too few hosts" early '8:1 wants 9 hosts' incast 8:1 --hosts 'n[0-3]'
tap "a range that falls" early '--hosts' incast 2:1 --hosts 'n[8-0]'
tap "a host twice" early '--hosts' incast --hosts n1,n1
tap "no such port" early '--listen' incast 2:1 --listen 127.0.0.1:99999

printf 'workload: {kind: incast, senders: 2, duration: 500ms}\n' >"$tap_log/incast.yaml"
tap "a ring is no incast" early 'is incast, and not ring' ring "$tap_log/incast.yaml" --agents 3

late() { # WORDS ARGUMENTS...: a file, which is no usage
	local words=$1
	shift
	timeout 20 "$B/rocetune" stress "$@" --wait 60s >"$tap_log/text" 2>&1
	[ $? -eq 3 ] && grep -q -e "$words" "$tap_log/text" || { cat "$tap_log/text"; false; }
}
tap "no such profile" late nosuch incast 2:1 --agents 3 -p nosuch
tap "no such scenario" late foo.yaml incast foo.yaml --agents 3

same() { # FILE JQ-LIKE PYTHON EXPRESSION over the result r
	/usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
ok = eval(sys.argv[2])
ok or print(json.dumps({k: v for k, v in r.items() if not isinstance(v, list)}, indent=1))
sys.exit(not ok)' "$tap_log/stress.out" "$1"
}

sound() {
	stress_run 5 incast 4:1 --json --time 800ms --ramp 0s --lossless 3 --rate 100Mbps \
		--ack-timeout 16 --retries 3 --cm \
		--victim lossy || { cat "$tap_log/stress.err"; return 1; }
	[ "$stress_codes" = "0 0 0 0 0 " ] || { echo "agents: $stress_codes"; return 1; }
}
tap "four senders, a victim" sound
tap "all report" same 'r["ranks"] == 5 and r["ranks_lost"] == 0'
tap "each sent about what it was to" same \
	'len(r["senders"]) == 4 and all(6e6 < s["bytes"] < 8e6 for s in r["senders"])'
tap "the receiver has the sum" same \
	'r["receivers"][0]["senders"] == 4 and r["receivers"][0]["bytes"] == sum(s["bytes"] for s in r["senders"])'
tap "the victim was alone for a fourth" same \
	'r["alone_ns"] == 200000000 and len(r["victims"]) == 1'
tap "both ends of a queue pair are known" same \
	'all(q["src_qp"] and q["dest_qp"] for q in r["qps"])'

scenario() {
	printf 'duration: 500ms\nworkload:\n- {kind: incast, senders: 2, duration: 500ms, message: 16KiB, rate: 50Mbps}\n- {kind: ring, dscp: 0, duration: 500ms, rate: 10Mbps}\n' \
		>"$tap_log/s.yaml"
	stress_run 3 incast "$tap_log/s.yaml" --json --lossless 3 || { cat "$tap_log/stress.err"; return 1; }
}
tap "workloads of a scenario" scenario
tap "two and a ring of three" same \
	'len(r["qps"]) == 5 and sorted(q["prio"] for q in r["qps"]) == [0, 0, 0, 3, 3]'

# What a pipe says is said once, and is the run's.
piped() {
	stress_run 3 incast <(cat "$tap_log/s.yaml") --json --lossless 3 \
		-p <(cat profiles/nvidia-lossless-100g.yaml) ||
		{ cat "$tap_log/stress.err"; return 1; }
}
tap "a scenario and a profile from pipes" piped
tap "are those of the run" same '"DSCP 24" in r["marking"] and len(r["qps"]) == 5'

tap "the null engine is told first" same \
	'r["engine"] == "null: no traffic, a rehearsal" and list(r).index("engine") < 6'
tap "what was not sent is no success" same '"nothing was sent" in r["verdict"]'

# The root is told to end; agents end by themselves, and what there is is reported.
interrupted() {
	stress_begin 3 incast --json --time 60s --lossless 3
	for _ in {1..100}; do
		[ "$(grep -c . "$tap_log/stress.err")" -ge 1 ] && sleep 1.5 && break
		sleep 0.1
	done
	kill -INT "$stress_root"
	stress_end || { cat "$tap_log/stress.err"; return 1; }
	[ "$stress_codes" = "0 0 0 " ] || { echo "agents: $stress_codes"; return 1; }
}
tap "an interrupt ends all" interrupted
tap "and is reported as cut short" same 'r["cut_short"] and r["cut_why"] == "interrupted"'

agent_dies() {
	stress_begin 3 incast --json --time 4s --lossless 3
	sleep 2
	kill -KILL "${stress_agents[1]}"
	stress_end
	[ $? -eq 1 ] || { cat "$tap_log/stress.err"; return 1; }
}
tap "an agent dies: the run goes on, 1" agent_dies
tap "and names it" same \
	'r["ranks_lost"] == 1 and any(f["id"] == "stress-rank-lost" for f in r["findings"])'

root_dies() {
	local code
	stress_begin 3 incast --time 60s --lossless 3
	sleep 2
	kill -KILL "$stress_root"
	wait "$stress_root" 2>/dev/null
	for agent in "${stress_agents[@]}"; do
		timeout 10 tail --pid="$agent" -f /dev/null || return 1
		wait "$agent"
		code=$?
		[ "$code" -eq 3 ] || { echo "agent: $code"; return 1; }
	done
	grep -q . "$tap_log/agent0"
}
tap "the coordinator dies: agents end, and say so" root_dies
tap_done
