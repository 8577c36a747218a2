#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A port is made as a profile says, and given back what it was: apply, the second
# apply, rollback, refusals, --confirm with and without systemd, persist.
set -u
. "$RT_LAB/guest/lib.sh"
export ROCETUNE_STATE=/tmp/transaction
rocetune=$B/rocetune
mkdir -p /tmp/p
cat >/tmp/p/base.yaml <<'END'
name: base
status: operator
classes:
  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, ect: nic, sched: {ets: 50}}
  cnp: {kind: cnp, dscp: [48], prio: 6, tc: 6, sched: {strict: 1}}
  be: {dscp: [0], prio: 0, tc: 0, sched: {ets: 50}}
host: {trust: dscp, global_pause: no}
END
cat >/tmp/p/mlx.yaml <<'END'
name: mlx
extends: base
match: {driver: mlx5, speed: 100G}
classes:
  roce: {sched: {ets: 50, max: 50Gb/s}}
host: {cable: 20m, pause_storm_timeout: 100ms, cc: {rp: {ai: 10Mb/s}}}
END
sed 's/^status: .*/status: research/' /tmp/p/base.yaml >/tmp/p/paper.yaml
sed 's/speed: 100G/speed: 400G/' /tmp/p/mlx.yaml >/tmp/p/fast.yaml
sed 's/driver: mlx5/driver: bnxt_re/' /tmp/p/mlx.yaml >/tmp/p/other.yaml
sed "/^match/d" /tmp/p/mlx.yaml >/tmp/p/any.yaml

run() { # EXIT ARGUMENT...: rocetune ends with this code
	local want=$1 got
	shift
	"$rocetune" "$@" >/tmp/out 2>&1
	got=$?
	[ $got -eq "$want" ] || { echo "exit code $got of: $*"; cat /tmp/out; false; }
}
printed() { grep -q -- "$1" /tmp/out || { cat /tmp/out; false; }; }
state() { nic "$1" state; }
is_old() { [ "$(state "$1")" = "$old" ] || { diff <(echo "$old") <(state "$1"); false; }; }
writes() { [ "$(nic "$1" writes)" = "$2" ] || { nic "$1" log; false; }; }
flaps() { [ $(($(<"/sys/class/net/$1/carrier_changes") - from)) = "$2" ]; }

lab_load pairs=4 kind=mlx5,bnxt,ice,mlx5
nics_up 0 1
nics_up 2 3
nics_up 4 5
nics_up 6 7
old=$(state rnic0)
from=$(</sys/class/net/rnic0/carrier_changes)

# --- the plan
forget rnic0
tap "the plan of an mlx5" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml --dry-run
tap "says old and new" printed 'pfc.mask  *none -> 3 *\[flap\]'
tap "where the profile says so" printed 'from /tmp/p/base.yaml:4:'
tap "and the line of the vendor" printed 'mlnx_qos -i rnic0 --pfc 0,0,0,1,0,0,0,0'
tap "and writes nothing" writes rnic0 0

tap "check finds what is not so" run 1 check mlx5_0 -p /tmp/p/mlx.yaml
tap "and names the rule" printed '\[align-host-differs\]'
tap "and writes nothing, too" writes rnic0 0

# --- apply
tap "apply" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml
tap "is committed" printed 'committed'
tap "the link flapped once" flaps rnic0 2
tap "PFC is on, says dcb" reads 'prio-pfc * 3:on *' dcb pfc show dev rnic0
tap "for a cable of 20 m" reads '*delay 20*' dcb pfc show dev rnic0
tap "ETS is, too" reads 'tc-tsa 0:ets * 3:ets * 6:strict *' dcb ets show dev rnic0
tap "with its shares" reads 'tc-bw 0:50 * 3:50 *' dcb ets show dev rnic0
# iproute2 of Debian 12 takes the kernel's kbit/s for byte/s: 50 Gb/s reads as 400 Mb/s.
tap "and the rate" reads '* 3:390625Kibit *' dcb -i maxrate show dev rnic0
tap "DSCPs have their priorities" reads 'dscp-prio 0:0 AF31:3 CS6:6' dcb app show dev rnic0 dscp-prio
tap "pause is off, says ethtool" reads 'RX: off' ethtool -a rnic0
tap "the congestion control file holds 10" reads 10 cat $debug/mlx5/0001:01:00.0/cc_params/rp_ai_rate
new=$(state rnic0)

forget rnic0
tap "check finds no error any more" run 0 check mlx5_0 -p /tmp/p/mlx.yaml
from=$(</sys/class/net/rnic0/carrier_changes)
tap "apply again" run 0 apply rnic0 -p /tmp/p/mlx.yaml
tap "says that it writes nothing" printed 'nothing was written'
tap "and writes nothing" writes rnic0 0
tap "and the link stays" flaps rnic0 0
tap "check in JSON" run 0 apply 0001:01:00.0 -p /tmp/p/mlx.yaml --dry-run --json
tap "no knob changes" not printed '"changed": true'

# --- rollback
tap "rollback" run 0 rollback mlx5_0
tap "all is old" is_old rnic0
tap "the history has both" run 0 history
tap "and which undid which" printed 'rolled-back .*undone by 000002-mlx5_0-1'
tap "no change is left to be undone" run 3 rollback mlx5_0

# --- refusals
refused() { # RULE ARGUMENT...
	local rule=$1 n
	shift
	forget rnic0
	run 3 apply "$@" && printed "\[$rule\]" && writes rnic0 0
}
nic rnic0 qps 3
from=$(</sys/class/net/rnic0/carrier_changes)
tap "a flap is refused while connections are in use" refused apply-in-use mlx5_0 -p /tmp/p/mlx.yaml
tap "and the link stays" flaps rnic0 0
tap "what does not flap is not" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml --only cc
tap "--disrupt goes on" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml --disrupt
nic rnic0 qps 0
tap "two changes are undone" run 0 rollback mlx5_0
tap "one by one" run 0 rollback mlx5_0
tap "all is old" is_old rnic0
tap "a profile for another speed" refused apply-other-speed mlx5_0 -p /tmp/p/fast.yaml
tap "or driver" refused apply-other-driver mlx5_0 -p /tmp/p/other.yaml
tap "a profile of research" refused apply-status mlx5_0 -p /tmp/p/paper.yaml
tap "--yes takes it" run 0 apply mlx5_0 -p /tmp/p/paper.yaml --yes --dry-run
cp "$(command -v sleep)" /tmp/lldpad
/tmp/lldpad 60 &
lldpad=$!
tap "lldpad runs" refused apply-manager mlx5_0 -p /tmp/p/mlx.yaml
tap "who only sets DCB" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml --only cc --dry-run
kill $lldpad
tap "a knob that the port lacks" refused apply-missing bnxt_re0 -p /tmp/p/any.yaml
tap "no rights" run 3 apply nothing -p /tmp/p/mlx.yaml

# --- several: one at a time, none after one that failed
nic rnic0 fault '3 errno 5'
forget rnic6
tap "a write fails on the first of two" run 3 apply mlx5_0 mlx5_1 -p /tmp/p/mlx.yaml
tap "which is undone" printed 'mlx5_0 .*undone'
tap "the second is not reached" printed 'mlx5_1 .*not-reached'
tap "and not written" writes rnic6 0
nic rnic0 fault clear
tap "all is old" is_old rnic0

# --- the clock of --confirm, with and without systemd
lab_systemd
tap "--confirm with systemd" run 0 apply mlx5_0 -p /tmp/p/mlx.yaml --confirm 10s
tap "says who keeps the clock" printed 'systemd keeps the'
tap "all is new" eval '[ "$(state rnic0)" = "$new" ]'
tap "which is told by commands that change" run 3 apply mlx5_0 -p /tmp/p/mlx.yaml
tap "with what to do" printed 'apply-pending'
rm -rf /run/systemd/system
old6=$(state rnic6) old2=$(state rnic2)
at() { # STATE ARGUMENT...: with a folder of its own
	ROCETUNE_STATE=/tmp/$1 "$rocetune" "${@:2}" >/tmp/out 2>&1 || { cat /tmp/out; false; }
}
tap "--confirm without systemd" at state6 apply mlx5_1 -p /tmp/p/mlx.yaml --confirm 10s
tap "says who keeps the clock" printed 'a process of *rocetune keeps'
tap "another that waits" at state2 apply bnxt_re0 -p /tmp/p/base.yaml --confirm 10s
tap "is confirmed" at state2 confirm
undone() { [ "$(state rnic0)" = "$old" ] && [ "$(state rnic6)" = "$old6" ]; }
tap "none is undone before its time" not undone
sleep 9
tap "the two are undone when it is over" soon undone
tap "and the history says so" soon eval "$rocetune history | grep -q 'rolled-back'"
tap "the confirmed one stays" not eval '[ "$(state rnic2)" = "$old2" ]'

# --- persist
mkdir -p /run/systemd/system /etc/systemd/system /etc/udev/rules.d
tap "persist" run 0 persist mlx5_0 -p /tmp/p/mlx.yaml
tap "copies the profile and what it extends" test -e /etc/rocetune/0001:01:00.0/files/base.yaml
rm -rf /tmp/p
rmmod rtnic
lab_load pairs=1
nics_up 0 1
tap "the driver is loaded anew" is_old rnic0
tap "udev sees the RDMA device" uevent add infiniband mlx5_0
tap "and all is new" eval '[ "$(state rnic0)" = "$new" ] || { cat /run/lab-systemd/*.log; false; }'
tap "persist --remove" run 0 persist mlx5_0 --remove
tap "leaves nothing" not eval 'ls -d /etc/rocetune /etc/udev/rules.d/*rocetune* /etc/systemd/system/rocetune*'
tap_done
