#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The manners of each driver, one test each: what a program that sets congestion control
# has to live with.  Set by a raw message (its verdict), read back by iproute2 and ethtool.
set -u
. "$RT_LAB/guest/lib.sh"
raw="$B/tests/tools/rawdcb"
set_is() { # VERDICT DEV WORD...: the kernel's verdict on it
	local want=$1 got
	shift
	got=$("$raw" "$@")
	[ "$got" = "$want" ] || { echo "$*: $got, not $want"; false; }
}
flaps_are() { [ "$(nic "$1" flaps)" = "$2" ]; }
pfc() { dcb pfc show dev "$1"; }
ets() { dcb ets show dev "$1"; }
app() { dcb app show dev "$1"; }
buffers() { dcb buffer show dev "$1"; }
state() { nic "$1" state; }
dcbx() { state "$1"; }

# --- mlx5 ---------------------------------------------------------------------
lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
nics_up 0 1
nic rnic0 flaps 0
tap "mlx5: a new PFC mask is taken" set_is 0 rnic0 pfc=0x08
tap "mlx5: and takes the link down" not carrier rnic0
tap "mlx5: on both ends" not carrier rnic1
tap "mlx5: it comes up by itself" link_up rnic0
tap "mlx5: dcb reads the mask" reads 'prio-pfc * 3:on 4:off *' pfc rnic0
tap "mlx5: the same mask again is taken" set_is 0 rnic0 pfc=0x08
tap "mlx5: and the link stays up" carrier rnic0
tap "mlx5: so it flapped once" flaps_are rnic0 1

tap "mlx5: delay is metres of cable" set_is 0 rnic0 pfc=0x08,100
tap "mlx5: dcb reads it" reads '*delay 100' pfc rnic0
tap "mlx5: 1000 m are taken" set_is 0 rnic0 pfc=0x08,1000
tap "mlx5: and not looked at" reads '*delay 100' pfc rnic0

tap "mlx5: buffers are sized by the card" reads 'buffers auto' state rnic0
tap "mlx5: a lossless priority has the lossless one" reads 'prio-buffer * 3:1 *' buffers rnic0
size() { buffers "$1" | sed -n 's/.*buffer-size.* 1:\([0-9]*\)b.*/\1/p'; }
before=$(size rnic0)
ip link set rnic0 mtu 9000
tap "mlx5: a greater MTU makes it greater" [ "$(size rnic0)" -gt "$before" ]
before=$(size rnic0)
set_is 0 rnic0 pfc=0x08,300
tap "mlx5: so does a longer cable" [ "$(size rnic0)" -gt "$before" ]
before=$(size rnic0)
tap "mlx5: sizes that are there already are taken" set_is 0 rnic0 buffer=00010000,19872:"$before"
tap "mlx5: and change nothing" reads 'buffers auto' state rnic0
tap "mlx5: another size is taken" set_is 0 rnic0 buffer=00010000,19872:400000
tap "mlx5: and goes manual" reads 'buffers manual' state rnic0
tap "mlx5: dcb reads it" reads '*1:400000b*' buffers rnic0
ip link set rnic0 mtu 1500
tap "mlx5: then MTU does not touch it" reads '*1:400000b*' buffers rnic0
set_is 0 rnic0 pfc=0x00
tap "mlx5: nor does PFC" reads '*1:400000b*' buffers rnic0
tap "mlx5: nor the map" reads 'prio-buffer * 3:1 *' buffers rnic0
set_is 0 rnic0 pfc=0x08
tap "mlx5: a lossless buffer too small is refused (ENOMEM)" set_is -12 rnic0 \
	buffer=00010000,19872:20000
tap "mlx5: more than there is is refused (EINVAL)" set_is -22 rnic0 \
	buffer=00010000,4000000:400000
tap "mlx5: neither has changed anything" reads '*0:19872b 1:400000b*' buffers rnic0
link_up rnic0

tap "mlx5: shares that make 90 are refused" set_is -22 rnic0 ets=00010000,eessssss,50:40
tap "mlx5: a credit-based shaper is not supported" set_is -95 rnic0 ets=00010000,cessssss,0:100
tap "mlx5: two ETS classes and strict ones are taken" set_is 0 rnic0 ets=00010020,eessssss,60:40
tap "mlx5: dcb reads the classes" reads 'prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:0' ets rnic0
tap "mlx5: a strict class's share reads as 100" reads 'tc-bw 0:60 1:40 2:100 *' ets rnic0

tap "mlx5: a first DSCP entry is taken" set_is 0 rnic0 add=5:26:3
tap "mlx5: and makes the port trust DSCP" reads 'trust dscp' state rnic0
tap "mlx5: dcb reads it" reads 'dscp-prio AF31:3' app rnic0
tap "mlx5: the same DSCP again is taken" set_is 0 rnic0 add=5:26:4
tap "mlx5: in place of the first" reads 'dscp-prio AF31:4' app rnic0
tap "mlx5: deleting it with the old priority is refused" set_is -2 rnic0 del=5:26:3
tap "mlx5: with the right one it goes" set_is 0 rnic0 del=5:26:4
tap "mlx5: and with it the trust" reads 'trust pcp' state rnic0
tap "mlx5: an entry that is no DSCP is refused" set_is -22 rnic0 add=3:4791:3
tap "mlx5: several in one message are all taken" set_is 0 rnic0 add=5:26:3 add=5:48:6 add=5:0:0
tap "mlx5: three are mapped" reads 'dscp_mapped 3' state rnic0

tap "mlx5: rates are taken" set_is 0 rnic0 maxrate=0,150000,26900000,50000
kbit() { "$raw" "$1" get=maxrate; }
tap "mlx5: and become steps of 100 Mb/s or 1 Gb/s" reads '0,100000,26000000,100000,0,0,0,0' kbit rnic0
tap "mlx5: above 255 Gb/s it is refused" set_is -22 rnic0 maxrate=256000000

tap "mlx5: DCBX is the host's at load" reads 'dcbx 0x0d' dcbx rnic0
tap "mlx5: IEEE by the host is taken" set_is 0 rnic0 dcbx=0x09
tap "mlx5: and reads as it was given" reads 'host ieee' dcb dcbx show dev rnic0
tap "mlx5: the firmware bit is refused" set_is 1 rnic0 dcbx=0x0b
set_is 0 rnic0 dcbx=0x0d
tap "mlx5: 0 gives DCBX to firmware" set_is 0 rnic0 dcbx=0
tap "mlx5: which then reads as 0x0c" reads 'dcbx 0x0c' dcbx rnic0
tap "mlx5: which it refuses" set_is 1 rnic0 dcbx=0x0c
tap "mlx5: a PFC mask is then taken" set_is 0 rnic0 pfc=0x30
tap "mlx5: and has no effect" reads 'prio-pfc * 3:on 4:off 5:off *' pfc rnic0
tap "mlx5: as is ETS" set_is 0 rnic0 ets=00000000,essssss,100
tap "mlx5: without effect" reads 'prio-tc * 6:2 7:0' ets rnic0
tap "mlx5: the host takes it back" set_is 0 rnic0 dcbx=0x0d

tap "mlx5: pause by negotiation is refused" not ethtool -A rnic0 autoneg on
ethtool -A rnic0 rx off tx off
tap "mlx5: pause is set" reads 'RX: off' ethtool -a rnic0
ethtool -A rnic0 rx on tx on
tap "mlx5: it does not mind PFC" reads 'prio-pfc * 3:on *' pfc rnic0

storm() { ethtool --get-tunable "$1" pfc-prevention-tout; }
tap "mlx5: the time-out for storms is set" ethtool --set-tunable rnic0 pfc-prevention-tout 200
tap "mlx5: and reads so" reads '*pfc-prevention-tout*200*' storm rnic0
tap "mlx5: less than 80 ms is refused" not ethtool --set-tunable rnic0 pfc-prevention-tout 79
tap "mlx5: automatic is taken" ethtool --set-tunable rnic0 pfc-prevention-tout 65535
tap "mlx5: and reads as 100" reads '*pfc-prevention-tout*100*' storm rnic0

cc=$debug/mlx5/0001:01:00.0/cc_params
to() { echo "$1" 2>&- >"$cc/$2"; }
tap "mlx5: a congestion parameter out of range is refused" not to 1024 rp_dce_tcp_g
tap "mlx5: and stays" reads 1019 cat $cc/rp_dce_tcp_g
tap "mlx5: a CNP priority is written" to 5 np_cnp_prio
tap "mlx5: which makes it the fixed one" reads 0 cat $cc/np_cnp_prio_mode
tap "mlx5: a DSCP of round-trip answers is written" to 40 rtt_resp_dscp
tap "mlx5: which makes it valid" reads 1 cat $cc/rtt_resp_dscp_valid

# --- bnxt ---------------------------------------------------------------------
nics_up 2 3
tap "bnxt: ETS reads as zeros before it was set" reads 'tc-bw 0:0 1:0 *' ets rnic2
tap "bnxt: PFC before ETS is refused" set_is -22 rnic2 pfc=0x08
tap "bnxt: ETS is taken" set_is 0 rnic2 ets=00010020,eessssss,50:50
tap "bnxt: and reads as set" reads 'prio-tc * 3:1 *' ets rnic2
tap "bnxt: then PFC is taken" set_is 0 rnic2 pfc=0x08
tap "bnxt: dcb reads it" reads 'pfc-cap 2 *' pfc rnic2
tap "bnxt: more lossless classes than it has are refused" set_is -22 rnic2 pfc=0x49
tap "bnxt: more lossless priorities are not, in as many classes" set_is 0 rnic2 pfc=0x0f
tap "bnxt: RoCE's port is an entry too" set_is 0 rnic2 add=3:4791:3
tap "bnxt: dcb reads it" reads 'dgram-port-prio 4791:3' app rnic2
cc=$debug/bnxt_re/0001:01:01.0/cc_config
tap "bnxt: a value out of range reports success" to 70000 rtt
tap "bnxt: and is not taken" reads 40 cat $cc/rtt
tap "bnxt: tx_queue cannot be read" not cat $cc/tx_queue
tap "bnxt: nor written" not to 1 tx_queue

# --- ice ----------------------------------------------------------------------
nics_up 4 5
set_is 0 rnic4 ets=00010000,eeeeeeee,60:40 && link_up rnic4
tap "ice: PFC is taken and resets the link" set_is 0 rnic4 pfc=0x08
link_up rnic4
tap "ice: pause is refused while there is PFC" not ethtool -A rnic4 rx on tx on
nic rnic4 flaps 0
tap "ice: a first DSCP entry is taken" set_is 0 rnic4 add=5:26:3
tap "ice: and has reset ETS" reads 'tc-bw 0:100 1:0 *' ets rnic4
tap "ice: a priority is its class now" reads 'prio-tc 0:0 1:1 2:2 3:3 4:0 *' ets rnic4
tap "ice: the link went down" flaps_are rnic4 1
tap "ice: a second entry answers +1" set_is 1 rnic4 add=5:48:2
tap "ice: and was taken" reads 'dscp_mapped 2' state rnic4
tap "ice: without another flap" flaps_are rnic4 1
tap "ice: several in one message stop after the first" set_is 1 rnic4 add=5:10:1 add=5:11:1
tap "ice: so three are mapped, not four" reads 'dscp_mapped 3' state rnic4
tap "ice: a mapped DSCP is not mapped anew" set_is -22 rnic4 add=5:26:1
tap "ice: and keeps its priority" reads '*AF31:3*' app rnic4
tap "ice: a priority beyond its four classes is refused" set_is -22 rnic4 add=5:46:4
tap "ice: an entry that is no DSCP is refused" set_is -22 rnic4 add=3:4791:3
tap "ice: ETS is taken, shares only" set_is 0 rnic4 ets=01000000,eessssss,30:70
tap "ice: the classes stay" reads 'prio-tc 0:0 1:1 2:2 3:3 4:0 *' ets rnic4
tap "ice: the shares are new" reads 'tc-bw 0:30 1:70 *' ets rnic4
tap "ice: no agent in firmware in that mode" not ethtool --set-priv-flags rnic4 fw-lldp-agent on
tap "ice: DCBX stays as it is" set_is 1 rnic4 dcbx=0x05
tap "ice: deleting answers +2" set_is 2 rnic4 del=5:48:2
set_is 2 rnic4 del=5:10:1
tap "ice: the last one gone resets the port" set_is 0 rnic4 del=5:26:3
tap "ice: PFC is off" reads 'prio-pfc * 3:off *' pfc rnic4
tap "ice: the port trusts VLAN again" reads 'trust pcp' state rnic4
tap "ice: the agent is started" ethtool --set-priv-flags rnic4 fw-lldp-agent on
tap "ice: DCBX is firmware's" reads 'lld-managed ieee' dcb dcbx show dev rnic4
tap "ice: PFC is refused then" set_is -22 rnic4 pfc=0x08
tap "ice: ETS too" set_is -22 rnic4 ets=00010000,eessssss,60:40
tap "ice: and a DSCP entry" set_is -22 rnic4 add=5:26:3
tap "ice: and DCBX" set_is 1 rnic4 dcbx=0x09
tap "ice: the agent is stopped" ethtool --set-priv-flags rnic4 fw-lldp-agent off
tap "ice: DCBX is the host's" reads 'host ieee' dcb dcbx show dev rnic4
tap "ice: to which it says no when asked for again" set_is 1 rnic4 dcbx=0x09

# --- mlx4 ---------------------------------------------------------------------
nics_up 6 7
tap "mlx4: PFC is taken" set_is 0 rnic6 pfc=0x08
tap "mlx4: and has ended global pause" reads 'RX: off' ethtool -a rnic6
ethtool -A rnic6 rx on tx on
tap "mlx4: global pause ends PFC" reads 'prio-pfc * 3:off *' pfc rnic6
forget rnic6
tap "mlx4: an entry goes to the kernel's list" set_is 0 rnic6 add=5:26:3
tap "mlx4: which dcb reads" reads 'dscp-prio AF31:3' app rnic6
tap "mlx4: and no further" [ "$(nic rnic6 writes)" = 0 ]
tap "mlx4: another priority stands beside the first" set_is 0 rnic6 add=5:26:4
tap "mlx4: the same one is there already" set_is -17 rnic6 add=5:26:4

# --- firmware runs DCBX at load -------------------------------------------------
lab_load pairs=3 kind=mlx5,bnxt,ice fw_dcbx=1
tap "firmware's at load: mlx5 says 0x0c" reads 'dcbx 0x0c' dcbx rnic0
tap "firmware's at load: bnxt says so" reads 'lld-managed ieee' dcb dcbx show dev rnic2
tap "firmware's at load: bnxt refuses ETS" set_is -22 rnic2 ets=00000000,esssssss,100
tap "firmware's at load: bnxt does not give it up" set_is 1 rnic2 dcbx=0x09
tap "firmware's at load: ice shows its agent" reads 'fw-lldp-agent*: on' ethtool --show-priv-flags rnic4

# --- NVIDIA's own driver package ------------------------------------------------
lab_load pairs=2 kind=mlx5,bnxt ofed=1
ecn=/sys/class/net/rnic0/ecn
tap "ofed: no cc_params" not test -e $debug/mlx5
tap "ofed: its names instead" reads 1019 cat $ecn/roce_rp/dce_tcp_g
tap "ofed: which are written" eval "echo 20 >$ecn/roce_rp/rpg_ai_rate && grep -qx 20 $ecn/roce_rp/rpg_ai_rate"
tap "ofed: and refused" not eval "echo 1024 2>&- >$ecn/roce_rp/dce_tcp_g"
tap "ofed: enabled for each priority" reads 8 eval "cat $ecn/roce_np/enable/* | grep -cx 1"
echo 0 >$ecn/roce_np/enable/3
tap "ofed: or not" reads 7 eval "cat $ecn/roce_np/enable/* | grep -cx 1"
echo dscp >/sys/class/net/rnic0/qos/trust
tap "ofed: trust is a file" reads 'trust dscp' state rnic0
tc=/sys/class/infiniband/mlx5_0/tc/1/traffic_class
tap "ofed: no traffic class is an empty file" [ -z "$(cat $tc)" ]
echo 106 >$tc
tap "ofed: one reads with words around it" reads 'Global tclass=106' cat $tc
tap "ofed: each of these writes is counted" reads '5 traffic_class 106' nic rnic0 log
tap "ofed: another vendor's NIC keeps its files" test -e $debug/bnxt_re/0001:01:01.0/cc_config/cc_mode
tap_done
