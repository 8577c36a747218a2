#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a test can do to a NIC: count writes, spoil one of them, take a setter away.
set -u
. "$RT_LAB/guest/lib.sh"
raw="$B/tests/tools/rawdcb"
verdict() { # VERDICT DEV WORD...
	local want=$1 got
	shift
	got=$("$raw" "$@")
	[ "$got" = "$want" ] || { echo "$*: $got, not $want"; false; }
}
pfc() { dcb pfc show dev rnic0; }
mask_is() { nic rnic0 state | grep -qx "pfc 0x$1"; }
writes_are() { [ "$(nic rnic0 writes)" = "$1" ] || { nic rnic0 log; false; }; }
lab_load
nics_up 0 1
cc=$debug/mlx5/0001:01:00.0/cc_params

forget rnic0
tap "no write is counted at first" writes_are 0
pfc >/dev/null
ethtool -S rnic0 >/dev/null
cat $cc/* >/dev/null
tap "reading is not counted" writes_are 0
"$raw" rnic0 pfc=0x08 >/dev/null
echo 7 >$cc/rp_ai_rate
ethtool -A rnic0 rx off tx off
ethtool --set-tunable rnic0 pfc-prevention-tout 100
"$raw" rnic0 add=5:26:3 >/dev/null
tap "DCB, congestion, pause and storm writes are counted" writes_are 5
"$raw" rnic0 pfc=0x08 >/dev/null
tap "so is one that changes nothing" writes_are 6
"$raw" rnic0 add=3:4791:3 >/dev/null
tap "so is one that is refused" writes_are 7
tap "the log has a line for each" [ "$(nic rnic0 log | wc -l)" = 7 ]
tap "with what was written" reads '1 pfc 0x08 0' nic rnic0 log
tap "to which knob" reads '2 rp_ai_rate 7' nic rnic0 log
tap "and how it was refused" reads '7 setapp 3:4791:3 = -22' nic rnic0 log
forget rnic0
tap "the count can be set to 0" writes_are 0
tap "which empties the log" [ -z "$(nic rnic0 log)" ]

nic rnic0 fault '2 errno 5'
tap "write 1 is done" verdict 0 rnic0 pfc=0x10
tap "write 2 fails with EIO" verdict -5 rnic0 pfc=0x20
tap "and has changed nothing" mask_is 10
tap "write 3 is done" verdict 0 rnic0 pfc=0x30
nic rnic0 fault clear
nic rnic0 fault '0 errno 16'
tap "or each fails, with EBUSY" verdict -16 rnic0 pfc=0x40
tap "a file's too" not eval "echo 9 2>&- >$cc/rp_ai_rate"
tap "and ethtool's" not ethtool -A rnic0 rx on
nic rnic0 fault clear
tap "until faults are cleared" verdict 0 rnic0 pfc=0x08

forget rnic0
nic rnic0 fault '1 keep'
tap "a write is said to be done" verdict 0 rnic0 pfc=0x01
tap "and the old value stays" mask_is 08
nic rnic0 fault '2 twist'
tap "another is said to be done" verdict 0 rnic0 pfc=0x04
tap "and a third value is there" mask_is 05
nic rnic0 fault '3 twist'
echo 40 >$cc/np_cnp_dscp
tap "in a file as well" reads 41 cat $cc/np_cnp_dscp
nic rnic0 fault clear

nic rnic0 fault 'absent pfc'
forget rnic0
tap "without a setter a write is said to be done" verdict 0 rnic0 pfc=0x80
tap "reaches nobody" writes_are 0
tap "and changes nothing" mask_is 05
nic rnic0 fault 'absent pause'
tap "ethtool's setter can be absent too" not ethtool -A rnic0 rx on
nic rnic0 fault clear
tap "both come back" eval 'verdict 0 rnic0 pfc=0x08 && ethtool -A rnic0 rx on tx on'

# The writer dies at its write: before the value changes, or after.
forget rnic0
nic rnic0 fault '1 kill'
killed() { "$@" >/dev/null 2>&1; [ $? -eq 137 ]; }
tap "a writer is killed at write 1" killed "$raw" rnic0 pfc=0x02
tap "which has changed nothing" mask_is 08
nic rnic0 fault '2 kill-after'
tap "one is killed at write 2" killed "$raw" rnic0 pfc=0x02
tap "which is done" mask_is 02
nic rnic0 fault '3 kill'
writer() { bash -c "echo 3 >$cc/rp_threshold; sleep 9"; }
tap "a writer of a file is killed too" killed writer
# Who watches the writer is the same program: a copy of the shell, with a name of its own.
cp /bin/bash /tmp/twin
(
	/tmp/twin -c 'sleep 60; true'
	echo $? >/tmp/watcher
) 2>/dev/null &
nic rnic0 fault '4 killall'
tap "and, if wanted, all that run its program" killed /tmp/twin -c "echo 3 >$cc/rp_threshold; sleep 9"
tap "as the one that watches it" soon grep -qx 137 /tmp/watcher
tap "and nobody else" kill -0 $$
nic rnic0 fault clear

tap "nonsense is refused" not eval "nic rnic0 fault 'pfc breaks' 2>&-"
tap "so is a setter that does not exist" not eval "nic rnic0 fault 'absent legs' 2>&-"
tap "the other NIC has had no faults and no writes" [ "$(nic rnic1 writes)" = 0 ]
tap_done
