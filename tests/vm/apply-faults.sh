#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fault loop in the kernel: write n of an apply fails, is kept as it was, gets
# another value, or its writer, or writer and supervisor, are killed before or after
# it, for every n.  Then the port is wholly old, or after a commit wholly new.
set -u
. "$RT_LAB/guest/lib.sh"
export ROCETUNE_STATE=/tmp/state
rocetune=$B/rocetune
mkdir -p /tmp/p
cat >/tmp/p/small.yaml <<'END'
name: small
status: operator
classes:
  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: 50}}
  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 50}}
host: {trust: dscp, global_pause: no}
END
# A knob of each group, for the long run (tests/long/vm-apply.sh).
cat >/tmp/p/full.yaml <<'END'
name: full
extends: small
match: {driver: mlx5}
classes:
  roce: {sched: {ets: 50, max: 40G}}
  cnp: {kind: cnp, dscp: [48], prio: 5, tc: 5, sched: {strict: 1}}
host:
  cable: 30m
  pause_storm_timeout: 200ms
  cc:
    np: {cnp_dscp: 48, cnp_prio: 5, cnp_interval: 8us}
    rp: {ai: 20Mb/s, g: 0.0078125, rate_timer: 100us}
END
# ice has its own table of traffic classes once there is an entry for a DSCP.
cat >/tmp/p/ice.yaml <<'END'
name: ice
status: operator
classes:
  roce: {dscp: [26], prio: 1, lossless: yes, ect: nic}
  be: {dscp: [0], prio: 0}
host: {trust: dscp, global_pause: no}
END

state() { nic "$1" state; }
free() { ! "$rocetune" history | grep -q '^Just now'; }
committed() { "$rocetune" history | tail -n 1 | grep -q ' committed '; }

# one NIC DEV FAULT: apply, wait for the supervisor, recover, look.
one() {
	rm -rf "$ROCETUNE_STATE"
	forget "$1"
	nic "$1" fault "$3"
	"$rocetune" apply "$2" -p "$profile" >/tmp/out 2>&1
	soon free
	nic "$1" fault clear
	"$rocetune" recover >>/tmp/out 2>&1 || { echo "recover: $?"; return 1; }
	if committed; then
		[ "$(state "$1")" = "$new" ] || return 1
		"$rocetune" rollback "$2" >>/tmp/out 2>&1
	fi
	[ "$(state "$1")" = "$old" ]
}

# all NIC DEV PROFILE
all() {
	local n how
	profile=/tmp/p/$3.yaml
	old=$(state "$1")
	forget "$1"
	"$rocetune" apply "$2" -p "$profile" >/tmp/out 2>&1 || { cat /tmp/out; return 1; }
	new=$(state "$1") writes=$(nic "$1" writes)
	"$rocetune" rollback "$2" >/dev/null
	[ "$(state "$1")" = "$old" ] || { echo "rollback"; return 1; }
	for how in 'errno 5' keep twist kill kill-after killall killall-after; do
		for ((n = 1; n <= writes; n++)); do
			one "$1" "$2" "$n $how" || {
				echo "write $n, $how:"
				cat /tmp/out
				diff <(echo "$old") <(state "$1")
				return 1
			}
			cases=$((cases + 1))
		done
	done
	echo "$2: $writes writes"
}

cases=0
lab_load pairs=3 kind=mlx5,bnxt,ice
nics_up 0 1
nics_up 2 3
nics_up 4 5
tap "mlx5: one fault anywhere" all rnic0 mlx5_0 small
# The rest takes minutes: tests/long/vm-apply.sh.
if [ -n "${VM_FULL:-}" ]; then
	tap "mlx5, every group: one fault anywhere" all rnic0 mlx5_0 full
	tap "bnxt: one fault anywhere" all rnic2 bnxt_re0 small
	tap "ice: one fault anywhere" all rnic4 irdma0 ice
fi
echo "# $cases cases"
tap_done
