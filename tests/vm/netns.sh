#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# RDMA devices in other network namespaces, as containers have them (rdma system: netns
# exclusive): the host says which namespace has each, and the command it names shows it.
set -u
. "$RT_LAB/guest/lib.sh"
rocetune=$B/rocetune

run() { # EXIT ARGUMENT...: rocetune ends with this code
	local want=$1 got
	shift
	"$rocetune" "$@" >/tmp/out 2>&1
	got=$?
	[ $got -eq "$want" ] || { echo "exit code $got of: $*"; cat /tmp/out; false; }
}
printed() { tr -s '\n ' '  ' </tmp/out | grep -q -- "$1" || { cat /tmp/out; false; }; }
listed() { # FILTER: of the JSON
	"$rocetune" list --json >/tmp/json && jq -e "$1" /tmp/json >/tmp/now ||
		{ jq -c '[.devices[].ibdev], .elsewhere' /tmp/json; false; }
}
says_to() { # COMMAND: what list said to do, done; rocetune is not on PATH here
	local command
	command=$(jq -r ".elsewhere[] | select(.device == \"$1\").remedy" /tmp/json)
	command=${command%rocetune top}
	[ -n "$command" ] || { echo "no command"; return 1; }
	eval "$command \"\$rocetune\" ${*:2}" >/tmp/out 2>&1 || { echo "$command"; cat /tmp/out; false; }
}

modprobe ib_core
rdma system set netns exclusive
lab_load pairs=3 kind=mlx5
nics_up 0 1
nics_up 2 3
tap "what is here is not elsewhere" listed '.elsewhere == [] and (.devices | length) == 6'

# pod1 has a NIC with its network device; a process one in a namespace without a name; a
# third is gone without its network device.
ip netns add pod1
rdma dev set mlx5_0 netns pod1
ip link set rnic0 netns pod1
ip -n pod1 link set rnic0 up
unshare -n sleep 1000 &
pod=$!
trap 'kill "$pod"' EXIT
other() { [ "$(readlink /proc/$pod/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
soon other
ip netns attach tmp "$pod"
rdma dev set mlx5_2 netns tmp
ip link set rnic2 netns tmp
rdma dev set mlx5_4 netns tmp
umount /run/netns/tmp
rm /run/netns/tmp

tap "those of other namespaces are listed apart" \
	listed '[.devices[].ibdev] == ["mlx5_1", "mlx5_3", "mlx5_5"] and ([.elsewhere[].device // "" | select(. != "")] | sort) == ["mlx5_0", "mlx5_2", "mlx5_4"]'
tap "with the namespace's name" listed '.elsewhere[] | select(.device == "mlx5_0") |
	.netns == "pod1" and .netdev == "rnic0" and .pci == "0001:01:00.0" and .driver == "mlx5_core"'
tap "or its process" listed ".elsewhere[] | select(.device == \"mlx5_2\") |
	.pid == $pod and .pci == \"0001:01:01.0\""
tap "text says so" run 0 list
tap "with the command" printed \
	'mlx5_0 (0001:01:00.0) in network namespace pod1: ip netns exec pod1 rocetune top'
tap "that command shows it" says_to mlx5_0 list --json
tap "and is right" jq -e '.devices[0] | .ibdev == "mlx5_0" and .netdev == "rnic0" and
	.pci == "0001:01:00.0" and .driver_name == "mlx5"' /tmp/out
tap "top does there what it does here" says_to mlx5_0 top -b -n 1 --json --all
tap "and has counters" jq -e '[.ports[] | select(.name == "mlx5_0/1").counters[] |
	select(.source == "hw_counters")] | length > 0' /tmp/out
tap "the command of a process does as well" says_to mlx5_2 list --json
tap "and is right, with sysfs" jq -e '.devices[0] | .ibdev == "mlx5_2" and .driver_name == "mlx5" and
	.chip != "" and .link_layer == "ethernet"' /tmp/out

tap "show says where a device is" run 3 show mlx5_0
tap "and how to get there" printed 'mlx5_0 is in network namespace pod1: ip netns exec pod1 rocetune show mlx5_0'
tap "of a network device, too" run 3 show rnic0
tap "the same" printed 'rnic0 is in network namespace pod1'
tap "one that there is nowhere is told as before" run 3 show mlx5_9
tap "with those that are here" printed 'there are mlx5_1/1'
tap "top says it of a port that was asked for" run 3 top -b -n 1 --port mlx5_2
tap "with the process" printed "network namespace of process $pod"
tap "a function whose device is known by name alone" \
	listed '.elsewhere[] | select(.pci == "0001:01:02.0") | .where | test("another network namespace")'
nobody() { setpriv --reuid 65534 --clear-groups --bounding-set -all "$rocetune" "$@"; }
tap "who is not root learns that they are there" eval \
	'nobody list --json >/tmp/json && jq -e "[.elsewhere[].pci] == [\"0001:01:00.0\", \"0001:01:01.0\", \"0001:01:02.0\"] and
	all(.elsewhere[]; .remedy | test(\"as root\"))" /tmp/json'
tap "and nothing was moved" listed '[.elsewhere[] | select(.device == "mlx5_0").netns] == ["pod1"]'

ip -n pod1 link set rnic0 netns 1
trap - EXIT
kill "$pod"
wait "$pod" 2>/dev/null
ip netns del pod1
back() { "$rocetune" list --json >/tmp/json && [ "$(jq '.elsewhere | length' /tmp/json)" = 0 ]; }
tap "devices of a namespace that is gone are here again" soon -t 20 back
rmmod rtnic
tap "shared again" rdma system set netns shared
tap_done
