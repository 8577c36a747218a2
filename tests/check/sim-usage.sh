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
tap_done
