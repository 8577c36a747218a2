#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A lab watched at 100 ms while traffic runs: what hosts count and what the switch counts
# of the same agree within 2 %.  Hosts count for themselves (soft endpoints), the switch
# for itself, and both pass through the sampler.
set -u
B=${B:-build}
rocetune=$PWD/$B/rocetune
. tests/tap.sh
. tests/lab.sh
. tests/watch-lab.sh
trap 'rm -rf "$tap_log"; lab_end_all' EXIT

if ! unshare -n true 2>/dev/null && ! unshare -rn true 2>/dev/null; then
	tap_skip "a lab that is watched" "no namespaces of one's own"
	tap_done
	exit
fi
exec 3>&1

profile=nvidia-lossless-100g

# --- what both sides count --------------------------------------------------------
# CNPs travel at a priority of their own, 6.
tap "8:1: marks and CNPs agree within 2 %" \
	watch_tries marks "--incast 8:1 --time 6s --profile $profile" \
	watch_agrees 2 h0 .ce_ps s0p0 .marks_ps -- \
	watch_agrees 2 h0 .cnp_tx_ps 'h[1-8]' .cnp_rx_ps -- \
	watch_agrees 2 h0 '.prios[6].tx_bps' s0p0 '.prios[6].rx_bps' -- \
	watch_agrees 2 h0 .rx_bps s0p0 .tx_bps -- \
	watch_agrees 2 'h[1-8]' .tx_bps 's0p[1-8]' .rx_bps
tap "8:1, PFC alone: the senders' pauses agree within 2 %" \
	watch_tries pauses "tests/scenarios/lab-pfc-only.yaml --time 5s" \
	watch_agrees 2 'h[1-8]' '.prios[3].paused_pct' 's0p[1-8]' '.prios[3].pausing_pct' -- \
	watch_agrees 2 'h[1-8]' '.prios[3].paused_fps' 's0p[1-8]' '.prios[3].pausing_fps'
tap "a slow receiver: its pauses agree within 2 %, and so do marks" \
	watch_tries slow "--incast 2:1 --time 5s --profile $profile --fault slow-receiver@h0" \
	watch_agrees 2 h0 '.prios[3].pausing_pct' s0p0 '.prios[3].paused_pct' -- \
	watch_agrees 2 h0 '.prios[3].pausing_fps' s0p0 '.prios[3].paused_fps' -- \
	watch_agrees 2 h0 .ce_ps s0p0 .marks_ps
tap_done
