#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What queueing disciplines of a plain port mark and drop: as `tc -s qdisc` has it, in
# `show`, `top`, the exporter and a snapshot; of a tree drops once and marks of all; not of
# a NIC that RDMA bypasses them on.
set -u
. "$RT_LAB/guest/lib.sh"
rocetune=$B/rocetune

# Network devices are watched where there is no RDMA device.
! grep -q '^rtnic ' /proc/modules || rmmod rtnic
modprobe -r rdma_rxe
modprobe -a ib_core sch_htb sch_red sch_fq_codel cls_u32
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip netns add far
ip link add qa type veth peer name qb netns far
ip addr add 10.7.0.1/24 dev qa
ip link set qa up
ip -n far link set qb up
carrier qa || soon carrier qa
# Nothing but the floods passes the queues: no ARP.
ip neigh add 10.7.0.2 lladdr 02:00:00:00:00:07 dev qa nud permanent

# counted PORT COUNTER [OPTION...]: value and source as top has them; "unknown".
counted() {
	"$rocetune" top -b --json --all -n 0 --port "$1" "${@:3}" 2>/tmp/said | jq -r --arg c "$2" '
		[.ports[].counters[] | select(.counter == $c and .prio == null)][0] |
		if . then "\(.value) \(.source)" else "unknown" end'
}
# tc_sum FILTER: of the qdiscs of qa.
tc_sum() { tc -s -j qdisc show dev qa | jq "[.[] | $1] | add // 0"; }
root_drops() { tc_sum 'select(.root) | .drops'; }
all_marks() { tc_sum '(.marked // 0) + (.ecn_mark // 0) + (.ce_mark // 0)'; }
is() { # WANTED COMMAND...
	local got
	got=$("${@:2}")
	[ "$got" = "$1" ] || { echo "${*:2}: $got, not $1"; cat /tmp/said; false; }
}
more() { [ "$1" -gt "$2" ] || { echo "$1 is not more than $2"; false; }; }
drained() { is 0 tc_sum .backlog >/dev/null; }

tap "without a queue nothing marks" is unknown counted qa switch_marked
tap "and what is dropped is the device's" is "0 netdev" counted qa tx_discards

"$rocetune" top -b --json --all --port qa -d 500ms >/tmp/seen 2>/tmp/seen.said &
top=$!
trap 'kill "$top" 2>/dev/null' EXIT
lines() { [ "$(wc -l </tmp/seen)" -ge "$1" ]; }
soon -t 60 lines 1

slow_port qa 20
"$B/tests/tools/udpflood" 10.7.0.2 9001 1500 2
soon drained
marks=$(all_marks)
tap "RED marks what can be marked" more "$marks" 0
tap "the marks are those of tc" is "$marks qdisc" counted qa switch_marked
tap "and the drops" is "$(root_drops) qdisc" counted qa tx_discards

"$B/tests/tools/udpflood" 10.7.0.2 9001 1500 0
soon drained
drops=$(root_drops)
tap "it drops what cannot be marked" more "$drops" 0
tap "HTB has the drops of its leaf in its own" is "$drops" tc_sum 'select(.kind == "red") | .drops'
tap "they are counted once" is "$drops qdisc" counted qa tx_discards
tap "the device itself dropped none" is "0 netdev" counted qa netdev_tx_dropped

tc class add dev qa parent 1: classid 1:2 htb rate 20mbit burst 64k cburst 64k
tc qdisc add dev qa parent 1:2 handle 20: fq_codel limit 30 flows 1 ecn ce_threshold 100us
tc filter add dev qa parent 1: protocol ip u32 match ip dport 9002 0xffff flowid 1:2
"$B/tests/tools/udpflood" 10.7.0.2 9002 1500 2
soon drained
tap "fq_codel marks, too" more "$(tc_sum 'select(.kind == "fq_codel") | .ce_mark + .ecn_mark')" 0
tap "what it drops for want of room is in the root's" more "$(root_drops)" "$drops"
tap "marks of both are added up" is "$(all_marks) qdisc" counted qa switch_marked
tap "drops are still counted once" is "$(root_drops) qdisc" counted qa tx_discards

exports() {
	"$rocetune" exporter --textfile /tmp/seen.prom --once >/tmp/said 2>&1
	grep -q "^rocetune_$1{.*netdev=\"qa\".*} $2\$" /tmp/seen.prom || {
		cat /tmp/said
		grep "$1" /tmp/seen.prom
		false
	}
}
tap "the exporter has them" exports switch_marked_total "$(all_marks)"

# seen FILTER: of some line that the top that ran all the while wrote.
seen() { jq -se "any(.[]; $1)" /tmp/seen >/dev/null; }
of() { echo "any(.ports[].counters[]; .counter == \"$1\" and .source == \"$2\" and .value == $3)"; }
tap "who watched before the queue was there sees it" soon -t 60 seen "$(of switch_marked qdisc "$(all_marks)")"
tap "and whose drops they are" soon -t 60 seen \
	'any(.ports[]; .verdict == "host" and any(.findings[]; .id == "watch-queue-drops"))'
tap "and called a host's own queue no congestion of the network" not seen \
	'any(.ports[]; .verdict == "network")'
kill "$top"
unsaid() { [ ! -s /tmp/seen.said ] || { cat /tmp/seen.said; false; }; }
tap "without a complaint" unsaid

modprobe rdma_rxe
rdma link add rxq type rxe netdev qa
tap "of soft RoCE there is the same" is "$(all_marks) qdisc" counted rxq/1 switch_marked
shown() { # COUNTER VALUE
	"$rocetune" show rxq --all >/tmp/out 2>&1
	grep -q "^ *$1  *$2  *.* qdisc\$" /tmp/out || { sed -n '/^counters/,$p' /tmp/out; false; }
}
tap "show has it" shown switch_marked "$(all_marks)"
tap "and what was dropped" shown tx_discards "$(root_drops)"
"$rocetune" snapshot rxq -o /tmp/qdisc.tar >/tmp/said 2>&1
marks=$(all_marks)
tc qdisc del dev qa root
tap "a queue that is gone counts no more" is unknown counted rxq/1 switch_marked
tap "a snapshot keeps it" is "$marks qdisc" counted rxq/1 switch_marked --sysroot /tmp/qdisc.tar

lab_load pairs=1 kind=mlx5
nics_up 0 1
tc qdisc add dev rnic0 root red limit 200000 min 15000 max 45000 avpkt 1000 burst 30 ecn \
	bandwidth 1gbit
bypassed() {
	"$rocetune" show rnic0 --all >/tmp/out 2>&1
	grep -q '^counters' /tmp/out && ! grep -q ' qdisc$' /tmp/out || { cat /tmp/out; false; }
}
tap "a NIC that RDMA bypasses them on is not asked" bypassed

tc qdisc del dev rnic0 root
rdma link del rxq
ip link del qa
ip netns del far
tap_done
