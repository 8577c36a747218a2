#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A port is made as a profile says, all or nothing, and back again: what the program says
# is held against the card's own state, its log of writes, iproute2 and ethtool.
set -u
. "$RT_LAB/guest/lib.sh"
. "$RT_LAB/guest/apply.sh"
need_apply
apply() { rt apply rnic0 -p /tmp/lab.yaml "$@"; }
sed '/^host:/a\  buffers: [20000B, 400000B]' /tmp/lab.yaml >/tmp/sizes.yaml
as_lab() { # the card holds what /tmp/lab.yaml says
	reads 'pfc 0x08' nic rnic0 state && reads 'cable_m 30' nic rnic0 state &&
		reads 'trust dscp' nic rnic0 state && reads 'dscp_mapped 64' nic rnic0 state
}

lab_load pairs=1
nics_up 0 1
before=$(whole rnic0)
forget rnic0

tap "a dry run shows the plan" reads '*none -> 3*' apply --dry-run
tap "and writes nothing" [ "$(nic rnic0 writes)" = 0 ]
nic rnic0 qps 2
nic rnic0 flaps 0
tap "with connections in use a flap is refused" not apply
tap "with the reason" reads '*apply-in-use*' apply
tap "nothing was written" [ "$(nic rnic0 writes)" = 0 ]
nic rnic0 qps 0

tap "the profile is applied" apply
tap "the card holds it" as_lab
tap "the link went down once" [ "$(nic rnic0 flaps)" = 1 ]
tap "and is up when apply ends" carrier rnic0
tap "dcb reads PFC" reads 'prio-pfc * 3:on 4:off *' dcb pfc show dev rnic0
tap "and the cable" reads '*delay 30' dcb pfc show dev rnic0
tap "and the classes" reads 'prio-tc 0:0 * 3:3 * 5:5 *' dcb ets show dev rnic0
tap "and their kinds" reads 'tc-tsa 0:ets * 3:ets * 5:strict *' dcb ets show dev rnic0
tap "and their shares" reads 'tc-bw 0:40 * 3:60 *' dcb ets show dev rnic0
tap "and the map of DSCPs" reads '*AF31:3*' dcb app show dev rnic0
tap "and DCBX" reads 'host *' dcb dcbx show dev rnic0
tap "the rate limit is there" reads '*,*,*,40000000,*' "$raw" rnic0 get=maxrate
tap "ethtool reads pause off" reads 'RX: off' ethtool -a rnic0
tap "and the time-out for storms" reads '*200*' ethtool --get-tunable rnic0 pfc-prevention-tout
cc=$debug/mlx5/0001:01:00.0/cc_params
tap "additive increase is there" reads 20 cat $cc/rp_ai_rate
tap "g is there, in the card's own number" reads 1016 cat $cc/rp_dce_tcp_g
tap "the priority of CNPs too" reads 5 cat $cc/np_cnp_prio

forget rnic0
nic rnic0 flaps 0
tap "applied again" apply
tap "it writes nothing" [ "$(nic rnic0 writes)" = 0 ]
tap "and the link stays up" [ "$(nic rnic0 flaps)" = 0 ]
nic rnic0 qps 1
tap "also with connections in use" apply
nic rnic0 qps 0

tap "it is rolled back" rt rollback rnic0
link_up rnic0
after=$(whole rnic0)
tap "all is as it was before" [ "$before" = "$after" ]
tap "to roll back again is refused" not rt rollback rnic0

forget rnic0
nic rnic0 flaps 0
tap "congestion control alone" apply --only cc
tap "is written alone" not eval "nic rnic0 log | grep -vE ' (rp|np)_'"
tap "without a flap" [ "$(nic rnic0 flaps)" = 0 ]
rt rollback rnic0 >/dev/null

# A write that fails, or is not kept, and all is as it was: the long loop has them all.
forget rnic0
nic rnic0 fault '4 errno 5'
tap "write 4 fails, and so does apply" not apply
nic rnic0 fault clear
link_up rnic0
after=$(whole rnic0)
tap "and nothing has changed" [ "$before" = "$after" ]
nic rnic0 fault 'absent pfc'
tap "a setter is absent, and apply fails" not apply
nic rnic0 fault clear
link_up rnic0
after=$(whole rnic0)
tap "and nothing has changed then" [ "$before" = "$after" ]
forget rnic0
nic rnic0 fault '5 kill'
apply >/dev/null 2>&1
nic rnic0 fault clear
back() { [ "$(whole rnic0)" = "$before" ]; }
tap "the writer is killed at write 5: its supervisor puts all back" soon back
forget rnic0
nic rnic0 fault '5 killall-after'
apply >/dev/null 2>&1
nic rnic0 fault clear
tap "both are killed: something is left" not back
tap "recover puts it back" rt recover
link_up rnic0
tap "and nothing has changed after that" back
tap "history tells of it" reads '*lab.yaml*' rt history

# Buffers by hand cannot be made automatic again.
tap "sizes of buffers are refused, for there is no way back" not rt apply rnic0 -p /tmp/sizes.yaml
tap "unless that is wanted" rt apply rnic0 -p /tmp/sizes.yaml --one-way
tap "then they are there" reads '*0:20000b 1:400000b*' dcb buffer show dev rnic0

# A change that is to be confirmed; what becomes of one that is not takes 10 s at least:
# tests/vm/long/confirm.sh.
lab_load pairs=1
nics_up 0 1
lab_systemd
tap "a change that is to be confirmed" apply --confirm 10s
tap "sets systemd's clock" reads 'systemd-run *' calls
tap "the profile is there" as_lab
tap "another change has to wait" not rt apply rnic1 -p /tmp/lab.yaml
tap "it is confirmed" rt confirm rnic0

# A driver is loaded anew: what is persistent is applied again.
tap "a profile is made persistent" rt persist rnic0 -p /tmp/lab.yaml
rmmod rtnic
lab_load pairs=1
nics_up 0 1
tap "after a reload the card has forgotten it" reads 'pfc 0x00' nic rnic0 state
tap "when udev sees its RDMA device" uevent add infiniband mlx5_0
tap "it is applied" as_lab
tap "it is no longer persistent" rt persist rnic0 --remove
tap "and nothing of it is left" not eval "ls /etc/udev/rules.d/*rocetune* 2>&-"
tap_done
