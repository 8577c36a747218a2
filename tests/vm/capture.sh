#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune capture on a NIC with an RDMA device: its RDMA passes by, and that is said; the
# NIC is not written to.
set -u
. "$RT_LAB/guest/lib.sh"
rocetune=$B/rocetune

lab_load pairs=1 kind=mlx5
nics_up 0 1
ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev rnic0
forget rnic0
capture() { "$rocetune" capture rnic0 -w /tmp/x.pcapng --time 1s --json >/tmp/out 2>/tmp/said; }
capture &
soon grep -q capturing /tmp/said
printf '\004\000\377\377\000\000\000\007\000\000\000\001dataicrc' >/dev/udp/10.0.0.2/4791
tap "a capture" wait $!
said() { grep -q -- "$1" "$2" || { cat "$2"; false; }; }
tap "says before it begins that RDMA passes by" said 'rnic0 is mlx5_0.s: its RDMA passes by' /tmp/said
tap "and in its result" said '"note": "rnic0 is mlx5_0' /tmp/out
tap "what the kernel sends is seen" said '"roce": 1' /tmp/out
tap "with the link's speed" said '"speed_bps": 100000000000' /tmp/out
tap "nothing was written to the NIC" [ "$(nic rnic0 writes)" = 0 ]
tap_done
