#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The main job, end to end: an incast of 16 senders on a simulated 100G switch under a
# shipped profile, its packets as a capture, and the report the analyser makes of them.
set -eu
cd "$(dirname "$0")/.."
B=${1:-build}
export ROCETUNE_PROFILES=profiles
scenario=tests/scenarios/incast16-100g.yaml
capture=$B/demo.pcapng

run() { # findings (exit status 1) are part of the show
	printf '\n$ rocetune %s\n' "$*"
	"$B/rocetune" "$@" || [ $? -eq 1 ]
}

run profile check nvidia-lossless-100g
run sim "$scenario" --pcap "$capture"
run analyze "$capture"
printf '\nA 16:1 incast at 100 Gb/s, simulated, captured and analysed. Next: README.md, or\n'
printf '  ROCETUNE_PROFILES=profiles %s/rocetune --help\n' "$B"
