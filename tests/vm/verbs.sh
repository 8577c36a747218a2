#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The verbs engine over rdma_rxe: every way to move data moves exactly what was asked,
# the bits of the IP header are those of the flow in all frames, who loses its peer stops
# with the verbs name and the others go on, and what is asked wrongly is refused in words.
set -u
. "$RT_LAB/guest/lib.sh"
rxe_pair
rxe_tools
pair() { timeout 30 /tmp/verbs/verbspair -T 20 "$@"; }

# --- what moves ---------------------------------------------------------------------
# 200001 bytes in messages of 30000 are seven, the last one shorter.
command -v dumpcap >/dev/null && dumpcap -q -B 64 -i va -w /tmp/verbs.pcapng 2>/tmp/dumpcap.log &
soon [ -s /tmp/verbs.pcapng ]

both() { # OP QPS: both ends of every flow, in one JSON list
	pair -o "$1" -q "$2" -b 200001 -s 30000 "${@:3}" rxa:rxb | jq -s . >/tmp/verbs.json
}
ends() { # FILTER
	jq -e "$1" /tmp/verbs.json >/dev/null || { jq -c '.[]' /tmp/verbs.json; false; }
}
posted='[.[] | select(.end == $who) | [.state, .bytes, .messages, .latencies, .error]] |
	unique == [["done", 200001, 7, 7, ""]]'
same='group_by(.flow) | all(map(.content) | unique | length == 1)'
qps=0
moves() { # OP QPS END-THAT-POSTS WHAT-THE-OTHER-COUNTS OPTION...
	local op=$1 n=$2 end=$3 other=$4
	shift 4
	both "$op" "$n" "$@"
	qps=$((qps + n))
	tap "$op, $n QPs: all bytes, all messages, each with its time" \
		ends "\"$end\" as \$who | length == 2 * $n and ($posted)"
	tap "$op, $n QPs: the memory is the same at both ends" ends "$same"
	tap "$op, $n QPs: the other end counts what it can see" \
		ends "[.[] | select(.end != \"$end\") | [.bytes, .messages]] | unique == [$other]"
}
moves write 1 tx '[null, null]' -d 26 -e 2
moves write 4 tx '[null, null]' -d 26 -e 2
moves write-imm 1 tx '[200001, 7]' -d 10 -e 0
moves write-imm 4 tx '[200001, 7]' -d 10 -e 0
moves send 1 tx '[200001, 7]' -d 46 -e 1
moves send 4 tx '[200001, 7]' -d 46 -e 1
moves read 1 rx '[null, null]' -d 63 -e 2
moves read 4 rx '[null, null]' -d 63 -e 2
pair -o send -s 64 -n 128 -b 64000 -d 0 -e 3 -p 50001 rxa:rxb | jq -s . >/tmp/verbs.json
tap "a thousand messages of 64 bytes" ends '[.[].messages] == [1000, 1000]'
moved=$((qps * 200001 + 64000))

# --- what was on the wire -----------------------------------------------------------
sent() { # DEVICE: packets, by the device's own counter
	rdma -j statistic show link "$1/1" | jq '.[0].sent_pkts'
}
frames=$(($(sent rxa) + $(sent rxb)))
if command -v dumpcap >/dev/null; then
	caught() {
		nudge 10.0.0.99
		"$B/rocetune" analyze --json /tmp/verbs.pcapng >/tmp/analysis.json
		jq -e ".roce.frames >= $frames" /tmp/analysis.json >/dev/null
	}
	soon -t 30 caught
	kill %1
	wait %1
	caught
	analysis() { # FILTER
		jq -e "$1" /tmp/analysis.json >/dev/null ||
			{ jq -c '.roce | del(.opcodes)' /tmp/analysis.json; false; }
	}
	tap "the capture has every packet that the devices sent" analysis ".roce.frames == $frames"
	tap "each with its invariant CRC right" analysis \
		".roce.icrc_ok == $frames and .roce.icrc_bad == 0"
	tap "the payload on the wire is what the ends counted" analysis \
		".sequence.payload_bytes - .sequence.resent_bytes == $moved"
	tap "nothing was sent twice" analysis '.sequence.resent_bytes == 0'
	tap "DSCP and ECN are the flow's, in requests and answers" analysis \
		'[.roce.dscps[] | [.dscp, (.not_ect > 0), (.ect1 > 0), (.ect0 > 0), (.ce > 0)]] | sort == [
			[0, false, false, false, true], [10, true, false, false, false],
			[26, false, false, true, false], [46, false, true, false, false],
			[63, false, false, true, false]]'
	# It takes seconds to start here: once, for all questions.
	tshark -r /tmp/verbs.pcapng -Y udp.dstport==4791 -T fields -e ip.dsfield -e ip.src \
		-e udp.srcport >/tmp/verbs.fields 2>/dev/null
	bytes() { cut -f 1 /tmp/verbs.fields | sort -u | tr '\n' ' '; }
	ports() { awk '$1 == "0x03" && $2 == "10.0.0.1" { print $3 }' /tmp/verbs.fields | sort -u; }
	tap "tshark sees as many" [ "$(wc -l </tmp/verbs.fields)" = "$frames" ]
	tap "and reads the same bytes" reads '0x03 0x28 0x6a 0xb9 0xfe' bytes
	tap "the UDP source port is the one asked for" reads 50001 ports
else
	tap_skip "what was on the wire" "no dumpcap here"
fi

# --- how much, and when -------------------------------------------------------------
# No less would be a question to the host of this guest: tests/vm/long/verbs.sh asks it.
pair -r 8000000 -s 4096 -t 500 rxa:rxb | jq -s . >/tmp/verbs.json
tap "a rate cap is not exceeded" ends '.[0] | .bytes > 0 and .bytes <= 504096'
pair -l 100,9000 -b 400000 rxa:rxb | jq -s . >/tmp/verbs.json
tap "sizes come from a list" ends '.[0] | .bytes == 400000 and .messages > 60 and .messages < 130'
modprobe rdma_ucm
for op in write send read; do
	both $op 3 -c
	tap "librdmacm connects, $op" ends "map(select(.state == \"done\" and .bytes == 200001)) |
		length >= 3"
	tap "librdmacm: the memory is the same, $op" ends "$same"
done

# --- what is refused ----------------------------------------------------------------
refused() { # PATTERN OPTION...
	local said
	said=$(pair -t 10 "${@:2}" 2>&1) && { echo "it is taken: $said"; return 1; }
	# shellcheck disable=SC2053
	[[ $said == $1 ]] || { echo "it says: $said"; false; }
}
tap "the GID is chosen by address, and it says which" reads \
	'# rxa/1, as named; GID 1 (10.0.0.1), the first IPv4 one' pair -w -t 10 rxa:rxb
tap "an address in the same subnet will do" reads \
	'*GID 1 (10.0.0.2), in the subnet of the address asked for' pair -w -t 10 -a 10.0.0.77 rxa:rxb
tap "another subnet will not" refused '*no RoCE v2 GID of 10.8.0.1*it has 0: fe80::*' -a 10.8.0.1 rxa:rxb
tap "a GID that is not there" refused '*has no GID 200; it has *' -x 200 rxa:rxb
tap "a device that is not there" refused '*no RDMA device '"'rxz'"'; there are: *rxa/1*' rxa:rxz
tap "no device named, and several there" refused '*several RDMA ports could be meant*' any:rxb
tap "an MTU that does not go through" refused '*raise the MTU of va (4192 at least)*' -m 4096 rxa:rxb
tap "an MTU that is none" refused '*1000 bytes is no path MTU*' -m 1000 rxa:rxb
tap "a source port no device makes" refused '*stays within 49152 to 65535*' -p 4000 rxa:rxb
ip link set vb down
tap "a port that is down" refused '*rxa/1 is DOWN: bring its interface up*' rxa:rxb
ip link set vb up
soon reads '*ACTIVE*' rdma link show rxa/1
unprivileged() {
	setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock bash -c \
		"ulimit -l $1; timeout 30 /tmp/verbs/verbspair -T 20 -b 65536 -q 4 rxa:rxb" 2>&1
}
tap "memory that may not be locked" reads \
	'*65536B more of memory must be locked for RDMA; 131.072KB are already, and the limit is 131.072KB: *ulimit -l*LimitMEMLOCK=*limits.d*' \
	unprivileged 128
tap "just enough of it" reads '*"bytes": 65536*' unprivileged 256

# --- a peer that vanishes -----------------------------------------------------------
rxe_star 3
timeout 30 /tmp/verbs/verbspair -T 14 -R 2 -n 4 -t 1500 -k rx0:300 rx1:rx0 rx1:rx2 |
	jq -s . >/tmp/verbs.json
tap "who is left without a peer stops, by its verbs name" ends \
	'.[] | select(.flow == 0 and .end == "tx") | .state == "stopped" and
	 .error == "IBV_WC_RETRY_EXC_ERR"'
tap "with the time, after more than one timeout of 67 ms" ends \
	'.[] | select(.flow == 0 and .end == "tx") | .error_ns - .last_ns > 100000000 and
	 .error_ns > 300000000'
tap "and the others go on" ends \
	'.[] | select(.flow == 1 and .end == "tx") | .state == "done" and 
	 .last_ns > 700000000'
timeout 30 /tmp/verbs/verbspair -c -T 14 -R 6 -n 4 -t 60000 -k rx0:300 rx1:rx0 |
	jq -s . >/tmp/verbs.json
tap "librdmacm tells at once" ends '.[0].error == "RDMA_CM_EVENT_DISCONNECTED"'
timeout 30 /tmp/verbs/verbspair -T 14 -R 2 -n 4 -t 60000 rx1:rx2 >/tmp/verbs.raw &
sender=$!
moves_on() { [ "$(</sys/class/net/h1/statistics/tx_packets)" -gt $((before + 1000)) ]; }
before=$(</sys/class/net/h1/statistics/tx_packets)
soon moves_on
ip link set h1 down
wait $sender
jq -s . </tmp/verbs.raw >/tmp/verbs.json
tap "a port that goes down is named with the error" ends \
	'.[] | select(.end == "tx") | .error | test("^(IBV_WC_[A-Z_]+_ERR|no completion), IBV_EVENT_PORT_ERR$")'
tap_done
