#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The main job, end to end: an incast of 16 senders on a simulated 100G switch under a
# shipped profile, its packets as a capture, and the report that the analyser makes of it.
set -eu
cd "$(dirname "$0")/.."
B=${1:-build}
export ROCETUNE_PROFILES=profiles
profile=nvidia-lossless-100g
capture=$B/demo.pcapng
say() { printf '\n== %s\n' "$*"; }

say "The profile, checked: rocetune profile check $profile"
"$B/rocetune" profile check "$profile" || true
say "16 senders into one port: rocetune sim --incast 16 --size 1MB --speed 100G --profile $profile --pcap $capture"
"$B/rocetune" sim --incast 16 --size 1MB --speed 100G --profile "$profile" --pcap "$capture"
say "What the packets say: rocetune analyze $capture"
"$B/rocetune" analyze "$capture" --fail-on error || [ $? -eq 1 ]
