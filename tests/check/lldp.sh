#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# LLDP and DCBX against tshark, field by field: captures of others, and frames with
# all that we can send.
set -u
B=${B:-build}
SHARED=${SHARED:-../shared}
dump=$B/tests/tools/lldpdump
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

skip() { echo "ok 1 - LLDP against tshark # SKIP $1"; echo 1..1; exit 0; }
command -v tshark >/dev/null || skip "no tshark"
[ -x "$dump" ] || { echo "not ok 1 - $dump is not built"; echo 1..1; exit 1; }

mapfile -t names < <("$dump" --fields)
options=()
for name in "${names[@]}"; do options+=(-e "$name"); done

compare() { # FILE: differences on stdout; counts in $work/count
	"$dump" "$1" >"$work/ours" || return
	tshark -r "$1" -Y lldp -T fields -E separator=/t -E occurrence=a -E aggregator=, \
		"${options[@]}" >"$work/theirs" 2>"$work/log" || { cat "$work/log"; return; }
	awk -F'\t' -v list="${names[*]}" -v count="$work/count" -v theirs="$work/theirs" '
	BEGIN { n = split(list, name, " ") }
	{
		frames++
		split($0, our, "\t")
		if ((getline line < theirs) <= 0) { print "frame " frames " is missing"; exit }
		split(line, their, "\t")
		for (i = 1; i <= n; i++) {
			if (our[i] "" == their[i] "") { fields += our[i] != ""; continue }
			if (++bad <= 5) print "frame " frames " " name[i] ": ours " our[i] \
				", tshark " their[i]
		}
	}
	END {
		if ((getline line < theirs) > 0) print "tshark has more than " frames " frames"
		print frames + 0, fields + 0 >count
	}' "$work/ours"
}

n=0 total=0
"$dump" --build "$work/built.pcapng" || exit 1
for file in "$work/built.pcapng" "$SHARED"/captures/dcbx-*.pcap \
	"$SHARED"/captures/lldp-connectx-nic.pcap; do
	[ -e "$file" ] || continue
	n=$((n + 1))
	echo "0 0" >"$work/count"
	bad=$(compare "$file" 2>&1)
	read -r frames fields <"$work/count"
	total=$((total + fields))
	[ -n "$bad" ] || [ "$frames" -gt 0 ] || bad="nothing was compared"
	if [ -z "$bad" ]; then
		echo "ok $n - ${file##*/}: $frames frames, $fields fields"
	else
		echo "not ok $n - ${file##*/}"
		printf '%s\n' "$bad" | sed 's/^/# /'
	fi
done
n=$((n + 1))
if [ "$total" -gt 5000 ]; then echo "ok $n - $total fields compared"; else
	echo "not ok $n - only $total fields compared"; fi
echo "1..$n"
