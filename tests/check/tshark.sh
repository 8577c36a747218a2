#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The decoder against tshark, frame by frame and field by field, over every
# capture of the reference folder: one test a file.
#
# tests/tools/framedump prints fields under tshark's names and in its formats.
# Where the two may differ stands below, each exception with its reason; any
# other difference fails.
set -u
B=${B:-build}
SHARED=${SHARED:-../shared}
dump=$B/tests/tools/framedump
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

skip() { echo "ok 1 - tshark comparison # SKIP $1"; echo 1..1; exit 0; }
command -v tshark >/dev/null || skip "no tshark"
[ -d "$SHARED/captures" ] || skip "no $SHARED/captures"
[ -x "$dump" ] || { echo "not ok 1 - $dump is not built"; echo 1..1; exit 1; }

# The last column is tshark's own, for the exceptions.
mapfile -t names < <("$dump" --fields | grep -v '^\[')
options=()
for name in "${names[@]}"; do options+=(-e "$name"); done

compare() { # FILE: differences on stdout, "frames fields" in $work/count
	"$dump" "$1" >"$work/ours" || return
	# tftp takes frames whose source port is 69 (a queue pair number on some
	# NICs); RPC over RDMA is tried on any payload and, when that is short, ends
	# the packet before its ICRC; of nested headers the innermost counts.
	tshark -r "$1" --disable-protocol tftp --disable-heuristic rpcrdma_infiniband \
		-T fields -E separator=/t -E occurrence=l "${options[@]}" \
		-e frame.interface_id -e frame.protocols \
		>"$work/theirs" 2>"$work/log" || { cat "$work/log"; return; }
	awk -F'\t' -v count="$work/count" -v shared="${#names[@]}" \
		-v list="$("$dump" --fields | tr '\n' ' ')" '
	BEGIN { split(list, name, " "); for (i in name) col[name[i]] = i }
	function ours(n) { return our[col[n]] }
	function is(i, prefix) { return index(name[i], prefix) == 1 }

	# Why tshark may say something else in this field; "" when it may not.
	function excuse(i,    op, network) {
		op = ours("infiniband.bth.opcode")
		# It shows the ICRC as a number, we whether it was there to check.
		if (name[i] == "infiniband.invariant.crc" && our[i] && their[i])
			return "value"
		# CNP, XRC, FLUSH and ATOMIC WRITE: it knows neither headers nor ICRC;
		# RD (0x40 on) it reads as a vendor transport with other headers.
		if ((op == 129 || op >= 160 || (op >= 64 && op < 96) || op == 28 ||
		     op == 29) && is(i, "infiniband.") && !is(i, "infiniband.bth."))
			return "opcode"
		network = is(i, "ip.") || is(i, "ipv6.") || is(i, "udp.")
		# It dissects IP inside InfiniBand, ICMP and PIM; we stop at these.
		if ((ours("[version]") == 3 || protocols ~ /:(icmp|pim)/) && network)
			return "payload"
		# In a tunnel that carries no IP or no UDP it shows the outer one.
		if (ours("[encap]") && our[i] == "" && network) return "tunnel"
		# Its Ethernet-over-InfiniBand heuristic reads into empty UD payloads and
		# gives up before the ICRC.
		if (name[i] == "infiniband.invariant.crc" && op >= 96 && op < 128 &&
		    ours("[payload]") == 0) return "empty"
		# A cut extension header: it shows none of its fields, or those in part;
		# of RD in cut frames, which it takes to be longer, not even the BTH.
		if (int(ours("[flags]") / 64) % 2 && is(i, "infiniband.") &&
		    !is(i, "infiniband.bth.")) return "cut"
		if (ours("[flags]") % 2 && op >= 64 && op < 96 && is(i, "infiniband."))
			return "cut"
		# Of a CM message that was cut we give what is there, it nothing.
		if (ours("[flags]") % 2 && is(i, "infiniband.cm.")) return "cut"
		# Two tags: its field is the inner one, framedump shows neither.
		if (is(i, "vlan.") && our[i] == "" &&
		    protocols ~ /(ieee8021ad|vlan):.*vlan/) return "QinQ"
		return ""
	}
	function next_theirs(    line, n) {
		do {
			if ((getline line < theirs) <= 0) return 0
			n = split(line, their, "\t")
			# pcapng blocks that are no packets are frames to it.
		} while (their[n - 1] == "" && ng)
		protocols = their[n]
		return 1
	}
	BEGIN { theirs = ARGV[2]; ng = ARGV[3] ~ /pcapng$/; ARGC = 2 }
	{
		split($0, our, "\t")
		frames++
		if (!next_theirs()) {
			print "frame " frames " is missing in tshark"
			exit
		}
		for (i = 2; i <= shared; i++) {
			# as text: numbers of 64 bits do not fit
			if (our[i] "" == their[i] "") { fields += our[i] != ""; continue }
			if (excuse(i) != "") continue
			if (++bad <= 5) print "frame " frames " " name[i] ": ours " our[i] \
				", tshark " their[i]
		}
	}
	END {
		if (next_theirs()) print "tshark has frames that we lack after " frames
		if (bad > 5) print "and " bad - 5 " more"
		print frames + 0, fields + 0 >count
	}' "$work/ours" "$work/theirs" "$1"
}

# Every frame that can be built, whole and as snap lengths cut it.
for snap in 0 54 62 74 96; do
	"$B/tests/tools/framegen" "$work/built-s$snap.pcapng" $snap || exit 1
done
n=0 total=0
for file in "$work"/built-*.pcapng "$SHARED"/captures/*.pcap* \
	"$SHARED"/captures/rxe/*.pcap*; do
	[ -e "$file" ] || continue
	n=$((n + 1))
	echo "0 0" >"$work/count"
	bad=$(compare "$file" 2>&1)
	read -r frames fields <"$work/count"
	[ -n "$bad" ] || [ "$frames" -gt 0 ] || bad="nothing was compared"
	total=$((total + fields))
	if [ -z "$bad" ]; then
		echo "ok $n - ${file##*/}: $frames frames, $fields fields"
	else
		echo "not ok $n - ${file##*/}"
		printf '%s\n' "$bad" | sed 's/^/# /'
	fi
done
# A comparison that finds nothing to compare would pass for ever.
n=$((n + 1))
if [ "$total" -gt 100000 ]; then echo "ok $n - $total fields compared"; else
	echo "not ok $n - only $total fields compared"; fi
echo "1..$n"
