#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What cannot be undone, and what must not be: sizes of buffers have no way back, and a
# journal that no longer fits is left alone.
set -u
. "$RT_LAB/guest/lib.sh"
export ROCETUNE_STATE=/tmp/stale
rt() { "$B/rocetune" "$@"; }
cat >/tmp/stale.yaml <<'END'
name: stale
status: operator
match: {driver: mlx5}
classes:
  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, sched: keep}
host:
  trust: dscp
  cc: {rp: {ai: 20Mb/s, rate_timer: 100us}}
END
sed '/^host:/a\  buffers: [20000B, 400000B]' /tmp/stale.yaml >/tmp/sizes.yaml
lab_load pairs=1
nics_up 0 1
cc=$debug/mlx5/0001:01:00.0/cc_params

# Writer and supervisor die at the last write, after it was done.
dies() {
	forget rnic0
	rt apply rnic0 -p /tmp/stale.yaml >/dev/null || return 1
	count=$(nic rnic0 writes)
	rt rollback rnic0 >/dev/null || return 1
	link_up rnic0
	old=$(nic rnic0 state)
	forget rnic0
	nic rnic0 fault "$count killall-after"
	rt apply rnic0 -p /tmp/stale.yaml >/dev/null 2>&1
	nic rnic0 fault clear
	link_up rnic0
	[ "$(nic rnic0 state)" != "$old" ]
}
tap "writer and supervisor die: a journal is left" dies
forget rnic0
tap "history knows it" reads '* writing *' rt history
tap "and writes nothing" [ "$(nic rnic0 writes)" = 0 ]
echo 77 >$cc/rp_ai_rate
forget rnic0
tap "a knob was changed by hand since: recover says no" not rt recover
tap "and touches nothing" [ "$(nic rnic0 writes)" = 0 ]
tap "nor is anything new begun" not rt apply rnic0 -p /tmp/stale.yaml
echo 20 >$cc/rp_ai_rate
tap "it is as it was left: recover puts all back" rt recover
tap "and all is old" [ "$(nic rnic0 state)" = "$old" ]

dies
lab_load pairs=1
nics_up 0 1
fresh=$(nic rnic0 state)
forget rnic0
rt recover >/tmp/recover.log 2>&1
tap "the driver was loaded anew: what it holds is left alone" [ "$(nic rnic0 state)" = "$fresh" ]
rm -rf "$ROCETUNE_STATE"

forget rnic0
tap "sizes of buffers are refused, for there is no way back" not rt apply rnic0 -p /tmp/sizes.yaml
tap "and nothing is written" [ "$(nic rnic0 writes)" = 0 ]
tap "--one-way takes them" rt apply rnic0 -p /tmp/sizes.yaml --one-way
link_up rnic0
tap "dcb reads them" reads '*0:20000b 1:400000b*' dcb buffer show dev rnic0
tap_done
