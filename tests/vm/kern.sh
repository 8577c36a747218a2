#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The live back end against a kernel that has everything it asks for: what it reads is
# what iproute2 and ethtool read, and each refusal comes back as the driver gave it.
set -u
. "$RT_LAB/guest/lib.sh"
ask() { "$B/tests/tools/kernask" "$@"; }

lab_load pairs=4 kind=mlx5,bnxt,ice,mlx4
nics_up 0 1
nics_up 2 3
nics_up 4 5
nics_up 6 7

# --- reading ----------------------------------------------------------------------
tap "a link with its MTU and carrier" reads 'rnic0 mtu 1500 carrier 1 changes *' ask rnic0 links
tap "its driver" reads 'driver mlx5_core firmware 28.39.1002* bus 0001:01:00.0' ask rnic0 info
tap "its speed" reads 'speed known 100000000000' ask rnic0 speed
ip link set rnic7 down
tap "a speed that nobody told is unknown, and no error" reads 'speed unknown 0' ask rnic7 speed
ip link set rnic7 up
tap "its pause" reads 'pause rx 1 tx 1 autoneg 0' ask rnic0 pauses
tap "its RDMA port" reads 'port mlx5_0/1 rnic0 roce state 4' ask rnic0 ports
tap "the mode of its switch" reads 'eswitch legacy' ask rnic0 eswitch=0001:01:00.0
tap "a switch that is not there" reads '-19 *' ask rnic0 eswitch=0001:07:00.0
tap "mlx5 has ETS, PFC, rates, buffers, APP and DCBX" reads 'has 3f *' ask rnic0 state
tap "bnxt has neither rates nor buffers" reads 'has 33 *' ask rnic2 state
tap "a device without DCB says so" reads '-95 lo: cannot read the DCB state: *' ask lo state
tap "a device that is not there" reads '-19 none0: cannot read the DCB state: *' ask none0 state

# --- connections --------------------------------------------------------------------
tap "nobody uses it" reads 'qps 0 connected 0 who' ask rnic0 use=mlx5_0
nic rnic0 qps 3
tap "three kernel QPs in use" reads 'qps 3 connected 3 who \[*\]' ask rnic0 use=mlx5_0
nic rnic0 qps 0
tap "and nobody again" reads 'qps 0 *' ask rnic0 use=mlx5_0
tap "an RDMA device that is not there" reads '-19 none_0: no such RDMA device' ask rnic0 use=none_0

# --- writing, read back by others -----------------------------------------------------
pfc() { dcb pfc show dev "$1"; }
app() { dcb app show dev "$1"; }
tap "a PFC mask is set" reads '0' ask rnic0 pfc=0x08
tap "dcb reads it" reads 'prio-pfc * 3:on 4:off *' pfc rnic0
tap "so do we" reads '* pfc 08 *' ask rnic0 state
link_up rnic0
tap "ETS that sums to 90 is refused" \
	reads '-22 rnic0: cannot set ETS: the driver refused: Invalid argument' ask rnic0 ets=50,40
tap "the refusal did not answer the next question" reads '* pfc 08 *' ask rnic0 state
tap "refused and taken in turn" [ "$(ask rnic0 ets=50,40 ets=50,50 ets=50,40 ets=60,40 |
	cut -d' ' -f1 | tr '\n' ' ')" = "-22 0 -22 0 " ]
tap "dcb reads the last" reads 'tc-bw 0:60 1:40 *' dcb ets show dev rnic0
tap "a rate in bits per second" reads '0' ask rnic0 maxrate=25000000000
tap "is kbit/s for the kernel" reads '25000000,*' "$B/tests/tools/rawdcb" rnic0 get=maxrate
tap "and bits per second when read" reads '* rate 25000000000 *' ask rnic0 state
tap "a DSCP entry" reads '0' ask rnic0 add=5:26:3
tap "dcb reads it" reads 'dscp-prio AF31:3' app rnic0
tap "deleted with another priority" reads '-2 rnic0: cannot delete APP entry 5/26 *' ask rnic0 del=5:26:4
tap "deleted" reads '0' ask rnic0 del=5:26:3
tap "DCBX to firmware" reads '0' ask rnic0 dcbx=0
tap "DCBX with firmware's bit" reads '-125 rnic0: cannot set DCBX mode 0x0c: the driver refused' \
	ask rnic0 dcbx=0x0c
tap "DCBX to the host" reads '0' ask rnic0 dcbx=0x09
tap "dcb reads it" reads 'host ieee' dcb dcbx show dev rnic0
tap "pause off" reads '0' ask rnic0 pause=0,1
tap "ethtool reads it" reads 'RX: off' ethtool -a rnic0
tap "pause beside PFC" reads '-95 rnic4: cannot set pause: *' ask rnic4 pfc=0x08 pause=1,1
tap "a storm time-out" reads 'storm 200' ask rnic0 storm=200 tout
tap "one out of range" reads '-22 rnic0: cannot set pfc-prevention-tout: *' ask rnic0 storm=7
tap "bnxt has none" reads '-95 rnic2: cannot read pfc-prevention-tout: *' ask rnic2 tout

# --- the drivers' own answers -------------------------------------------------------
tap "bnxt refuses PFC before ETS" \
	reads '-22 rnic2: cannot set PFC: the driver refused: Invalid argument' ask rnic2 pfc=0x08
link_up rnic4
ask rnic4 pfc=0 >/dev/null
link_up rnic4
tap "ice answers 0, 1 and 2" [ "$(ask rnic4 add=5:26:3 add=5:48:2 del=5:48:2 |
	cut -d' ' -f1 | tr '\n' ' ')" = "0 1 2 " ]
tap "ice does not map a DSCP anew" reads '-22 *' ask rnic4 add=5:26:1
ask rnic4 del=5:26:3 >/dev/null
link_up rnic4
tap "a private flag by name" reads 'flag fw-lldp-agent 0' ask rnic4 flags
tap "is set" reads 'flag fw-lldp-agent 1' ask rnic4 flag=fw-lldp-agent,1 flags
tap "ethtool reads it" reads 'fw-lldp-agent*: on' ethtool --show-priv-flags rnic4
tap "is cleared" reads 'flag fw-lldp-agent 0' ask rnic4 flag=fw-lldp-agent,0 flags
tap "one that is not there, in the kernel's words" \
	reads '-95 rnic4: cannot set private flag nothing: bit name not found: *' \
	ask rnic4 flag=nothing,1
tap "mlx5 has none here" reads '-95 rnic0: cannot read private flags: *' ask rnic0 flags
nic rnic0 fault 'absent pfc'
tap "a setter that is absent says done" reads '0' ask rnic0 pfc=0x30
tap "and did nothing" reads '* pfc 08 *' ask rnic0 state
nic rnic0 fault clear
ip link add rt0 type veth peer name rt1 2>/dev/null &&
	tap "veth has no DCB" reads '-95 *' ask rt0 state

# --- asked by nobody in particular ----------------------------------------------------
unprivileged() { setpriv --reuid=65534 --clear-groups --inh-caps=-all "$B/tests/tools/kernask" "$@"; }
tap "anybody may read" reads '* pfc 08 *' unprivileged rnic0 state
tap "and count connections" reads 'qps 0 *' unprivileged rnic0 use=mlx5_0
tap "nobody else may write" reads '-1 rnic0: cannot set PFC: *' unprivileged rnic0 pfc=0
tap_done
