#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The analyser on large captures: CPU of the whole process against floors that run in
# alternation with it on the same core, files in the page cache.  SIZE is the length of
# the files in bytes (default a gigabyte); they are made here and deleted.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
need_built "$B/rocetune" "$B"/tests/bench/{spend,flowgen,pcap_loop,read_loop}
SIZE=${SIZE:-1000000000}
pin=
! command -v taskset >/dev/null || pin="taskset -c $(($(nproc) - 1))"

spent() { $pin "$B/tests/bench/spend" "$@" | cut -d' ' -f1; }
make_file() { # NAME BYTES FLOWS BURST SNAP [KIND]
	file=$work/$1.pcap
	frames=$("$B/tests/bench/flowgen" "$file" "${@:2}")
}
report() { # NAME RATIO COMPARISON BAR WHAT; bar -: for information
	awk -v name="$1" -v ratio="$2" -v cmp="$3" -v bar="$4" -v what="$5" 'BEGIN {
		met = cmp == "<=" ? ratio <= bar : ratio >= bar
		if (bar == "-")
			printf "%-40s %9.2f  no bar\n", name, ratio
		else
			printf "%-40s %9.2f  bar %s %s  %s\n", name, ratio, cmp, bar,
				met ? "met" : "not met"
		printf "    %s\n", what
	}'
}

# OURS against a FLOOR, both commands; medians of both, then their ratio.
against() { # NAME BAR FLOOR_NAME FLOOR... -- OURS...
	local name=$1 bar=$2 floor_name=$3 floor=() i
	shift 3
	while [ "$1" != -- ]; do floor+=("$1"); shift; done
	shift
	: >"$work/ours"
	: >"$work/floor"
	for i in $(seq "$RUNS"); do
		spent "${floor[@]}" >>"$work/floor"
		spent "$@" >>"$work/ours"
	done
	local ours_s floor_s
	ours_s=$(median <"$work/ours") floor_s=$(median <"$work/floor")
	report "$name" "$(awk "BEGIN { print $ours_s / $floor_s }")" "<=" "$bar" \
		"${*//$work\//}: $ours_s s; $floor_name: $floor_s s; $frames frames"
}
pcap() { # NAME BAR OURS...
	against "$1" "$2" "null libpcap loop" "$B/tests/bench/pcap_loop" "$file" -- "${@:3}"
}

make_file s64 "$SIZE" 64 1 128
pcap "128 bytes, 64 flows" 0.6 "$B/rocetune" analyze --no-icrc "$file"
rm "$file"
make_file tagged "$SIZE" 64 1 128 tagged
pcap "128 bytes, 64 flows, VLAN tags" - "$B/rocetune" analyze --no-icrc "$file"
rm "$file"
make_file ipv6 "$SIZE" 64 1 128 ipv6
pcap "128 bytes, 64 flows, IPv6" - "$B/rocetune" analyze --no-icrc "$file"
rm "$file"
make_file s100k "$SIZE" 100000 16 128
pcap "128 bytes, 100,000 flows" 0.8 "$B/rocetune" analyze --no-icrc "$file"
rm "$file"
make_file w64 "$SIZE" 64 1 0
against "whole frames, 64 flows" 1.25 "bare read(2) loop" "$B/tests/bench/read_loop" "$file" -- \
	"$B/rocetune" analyze --no-icrc "$file"
pcap "whole frames, 64 flows, ICRC" 1.2 "$B/rocetune" analyze "$file"
rm "$file"
make_file w100k "$SIZE" 100000 16 0
against "whole frames, 100,000 flows" 1.25 "bare read(2) loop" "$B/tests/bench/read_loop" "$file" \
	-- "$B/rocetune" analyze --no-icrc "$file"
pcap "whole frames, 100,000 flows, ICRC" 1.2 "$B/rocetune" analyze "$file"
rm "$file"

# tshark takes a minute for a gigabyte: half of one will do, and CPU per frame.  Its
# start is counted, as ours is, and told.
if command -v tshark >/dev/null; then
	shark() {
		spent tshark -n -q -r "$file" -z \
			io,stat,0,infiniband.bth.opcode==0x81,ip.dsfield.ecn==3,macc.opcode==0x101
	}
	make_file few 1000 64 1 128
	start_s=$(shark)
	make_file shark $((SIZE / 2)) 64 1 128
	tshark_s=$(shark)
	many=$frames
	make_file s64 "$SIZE" 64 1 128
	for _ in 1 2 3; do spent "$B/rocetune" analyze --no-icrc "$file"; done >"$work/ours"
	ours_s=$(median <"$work/ours")
	report "tshark, per frame" \
		"$(awk "BEGIN { print $tshark_s / $many / ($ours_s / $frames) }")" ">=" 60 \
		"tshark -n -q -z io,stat with filters for CNPs, CE and PFC: $tshark_s s, its start-up of $start_s s with it, for $many frames of the same kind"
	rm "$work/few.pcap" "$work/shark.pcap" "$file"
fi

# Two frames and a half of each flow on average would take the generator long: one is enough.
# Where each flow has a loss, its NAK makes a second million, that of the ways back.
peak() { # NAME BAR OUTPUT
	local kib
	kib=$( { "$B/tests/bench/spend" sh -c "\"$B/rocetune\" analyze --no-icrc --json \"$file\" >$3"; } | cut -d' ' -f2)
	report "$1" "$(awk "BEGIN { print $kib * 1.024 / 1000 }")" "<=" "$2" \
		"rocetune analyze --json to ${3##*/}; $frames frames"
}
make_file million 150000000 1000000 1 96
for to in /dev/null "$work/million.json"; do
	peak "MB at most, a million flows" 1000 "$to"
done
rm "$file" "$work/million.json"
make_file lossy 640000000 1000000 3 96 second-lost
peak "MB, a gap, NAK and rewind in each" - /dev/null
rm "$file"

# Instructions do not depend on how busy the machine is.
if command -v valgrind >/dev/null; then
	count() { # FILE: instructions
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$B/rocetune" \
			analyze --no-icrc "$1" 2>&1 >/dev/null | awk '/Collected/ { print $NF }'
	}
	make_file i1 20000000 64 1 128
	few=$frames few_count=$(count "$file")
	make_file i2 40000000 64 1 128
	awk -v i=$(($(count "$file") - few_count)) -v n=$((frames - few)) \
		'BEGIN { printf "%-40s %9.1f\n", "instructions a frame, 128 bytes", i / n }'
fi
