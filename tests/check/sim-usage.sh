#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the command line of sim says wrongly is a usage error (2); what a file says
# wrongly, or a file that must not be overwritten, is a failure (3).
set -u
B=${B:-build}
. tests/tap.sh
sim=("$B/rocetune" sim)
out=$tap_log/out.pcapng

exits() { # STATUS ARGUMENTS...
	local wanted=$1
	shift
	"${sim[@]}" "$@" >"$tap_log/text" 2>&1
	local rc=$?
	[ "$rc" -eq "$wanted" ] && return
	echo "exit status $rc instead of $wanted:"
	cat "$tap_log/text"
	return 1
}

while read -r status arguments; do
	# shellcheck disable=SC2086
	tap "sim $arguments: $status" exits "$status" $arguments
done <<-LINES
	0 --incast 2 --size 2KB
	2 --incast 0
	2 --incast 5000
	2 --incast -3
	2 --incast 2 --size 0
	2 --incast 2 --size 10000GB
	2 --incast 2 --speed 5
	2 --incast 2 --duration 2000s
	2 --incast 2 --pcap $out --pcap-ports s9p9
	2 --incast 2 --pcap $out --pcap-ports ,
	2 --incast 2 --pcap $out --pcap-ports h0,
	2 --incast 2 --pcap-ports h0
	3 no-such.yaml
LINES
tap "a wrong port leaves no capture behind" test ! -e "$out"

printf 'workload: {senders: 2, size: 2KB}\n' >"$tap_log/s.yaml"
cp "$tap_log/s.yaml" "$tap_log/copy"
tap "a capture over its own scenario: 2" exits 2 "$tap_log/s.yaml" --pcap "$tap_log/s.yaml"
tap "a capture over another file: 3" exits 3 --incast 2 --pcap "$tap_log/s.yaml"
tap "the scenario is as it was" cmp "$tap_log/s.yaml" "$tap_log/copy"

cat >"$tap_log/small.yaml" <<-LINES
	topology: {hosts: 17, delay: 3us}
	workload: {senders: 16, size: 500KB}
	model: {buffer: 2MB, headroom: 4KB, options: [no_cc]}
LINES
tap "a lossless class that drops: 1" exits 1 "$tap_log/small.yaml"

# Lists in a file of their own, which is looked for beside the scenario.
mkdir "$tap_log/lists"
printf -- '- {from: 1, to: 0, size: 2KB}\n- {from: 2, to: 0, size: 2KB, start: 5us}\n' \
	>"$tap_log/lists/flows.yaml"
printf 'workload: {kind: flows, flows: flows.yaml}\n' >"$tap_log/lists/s.yaml"
printf -- '- {from: 1, to: 0}\n' >"$tap_log/lists/wrong.yaml"
list() { # STATUS WHAT TEXT [ARGUMENT...]: a workload of this text says what is wrong
	local status=$1 wanted=$2
	printf 'topology: {hosts: 4}\nworkload: {%s}\n' "$3" >"$tap_log/lists/t.yaml"
	shift 3
	exits "$status" "$tap_log/lists/t.yaml" "$@" || return
	grep -qF -- "$wanted" "$tap_log/text" || { cat "$tap_log/text"; return 1; }
}
tap "flows from a file: 0" exits 0 "$tap_log/lists/s.yaml"
tap "a file of flows that is not there: 3" list 3 "t.yaml:2:32: $tap_log/lists/no: cannot be opened" \
	"kind: flows, flows: no"
tap "a file of flows that is wrong: 3" list 3 "wrong.yaml:1:3: workload.flows: needs the key 'size'" \
	"kind: flows, flows: wrong.yaml"
tap "a device as a file of flows: 3" list 3 "t.yaml:2:32: /dev/zero is not a regular file" "kind: flows, flows: /dev/zero"
tap "standard input as a list: 3" list 3 "'-' is not the name of a file" "kind: flows, flows: '-'"
tap "no such distribution: 3" list 3 "published distributions are web-search" \
	"kind: poisson, size_cdf: websearch"
tap "--size of a distribution: 2" list 2 "workload 1 has sizes of its own" \
	"kind: poisson, size_cdf: hadoop" --size 2KB
tap_done
