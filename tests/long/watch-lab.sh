#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A lab watched at 100 ms while traffic runs.  What hosts count and what the switch counts
# of the same agree within 2 %: hosts count for themselves (soft endpoints), the switch for
# itself, and both pass through the sampler.  And of what is wrong on purpose each port
# says so first, and nothing else.
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

# --- what is wrong ----------------------------------------------------------------
all='h[0-9]|s0p[0-9]'
# All that say what is wrong, but for these; unknown is right while nobody counts.
others() { # VERDICT...
	local verdict out=
	for verdict in loss link storm host class silent network reorder; do
		case " $* " in *" $verdict "*) ;; *) out+="|$verdict" ;; esac
	done
	echo "${out#|}"
}
senders='h1 h2 h3 h4 h5 h6 h7 h8'

# shellcheck disable=SC2086
tap "8:1: network, and nothing else" \
	watch_tries incast "--incast 8:1 --time 4s --profile $profile" \
	watch_says h0 s0p0 $senders network -- watch_never "$all" "$(others network)"
tap "a slow receiver that gets marks: host, and network nowhere" \
	watch_tries receiver "--incast 2:1 --time 4s --profile $profile --fault slow-receiver@h0" \
	watch_says h0 h1 h2 s0p0 host -- watch_never "$all" "$(others host)"
tap "no receive buffers: host, and network nowhere" \
	watch_tries buffers "tests/scenarios/lab-rnr.yaml --time 4s --fault no-receive-buffers@h0" \
	watch_says h0 h1 host -- watch_never "$all" "$(others host)"
# shellcheck disable=SC2086
tap "a victim: network at its sender, nothing at its receiver" \
	watch_tries victim "tests/scenarios/lab-victim.yaml --time 4s" \
	watch_says $senders network -- watch_says h9 s0p9 ok -- \
	watch_never "$all" "$(others network)"
tap "small headroom: loss where it is lost" \
	watch_tries headroom "tests/scenarios/lab-pfc-only.yaml --time 4s --fault small-headroom" \
	watch_says s0p1 s0p2 s0p3 s0p4 s0p5 s0p6 s0p7 s0p8 loss -- \
	watch_never "$all" "$(others loss network)"
tap "packets that overtake each other: reorder, and nothing else" \
	watch_tries reorder "--incast 1:1 --time 4s --profile $profile --fault reorder@h0" \
	watch_says h0 reorder -- watch_says h1 s0p0 s0p1 ok -- watch_never "$all" "$(others reorder)"
tap_done
