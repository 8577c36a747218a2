#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ranks that Open MPI's mpirun starts meet by PMIx, without any MPI: texts, a stop, and
# what becomes of them when rank 0 falls silent or dies.
set -u
B=${B:-build}
. tests/tap.sh

command -v mpirun >/dev/null || { tap_skip "ranks of mpirun" "no mpirun"; tap_done; exit; }
[ -x "$B/tests/tools/meetprobe" ] || {
	echo "not ok 1 - $B/tests/tools/meetprobe is not built"; echo 1..1; exit 1; }
cp "$B/tests/tools/meetprobe" "$B/rocetune-pmix.so" "$tap_log/" || exit 1
# Session folders of their own, taken along at the end whatever mpirun leaves.
export TMPDIR=$tap_log OMPI_MCA_rmaps_base_oversubscribe=1

# mpirun may hang when it is ill.
probe() { # N ARGUMENT...
	timeout -k 1 50 mpirun --allow-run-as-root --oversubscribe -quiet -n "$1" \
		"$tap_log/meetprobe" "${@:2}" </dev/null
}

says() { # PATTERN COUNT N ARGUMENT...: so many lines of the output have it
	local got
	got=$(probe "${@:3}" 2>&1)
	printf '%s\n' "$got"
	[ "$(printf '%s\n' "$got" | grep -c -- "$1")" -eq "$2" ]
}

tap "two ranks hand texts round" says '^rank [01]: ' 2 2
tap "nine ranks do" says '^rank [0-8]: ' 9 9
tap "one rank does" says '^rank 0: ' 1 1
tap "texts of several pieces arrive whole" says '^rank [0-2]: ' 3 3 2500000
tap "and by fences alone, where rank 0 may not listen" says '^rank [0-2]: ' 3 3 fences 2500000
tap "a rank stops all others" says 'stop "it is enough" from 2$' 4 5 stop 2
tap "rank 0 stops all others" says 'stop "it is enough" from -1$' 4 5 stop 0
tap "a rank 0 that breathes no more is noticed" says 'it says nothing any more' 4 5 mute
tap "a rank that does not answer is given up" says '^rank 2: given up$' 1 5 late 2
tap "and costs nobody else's text" says '^rank [0134]: here$' 4 5 late 2
# By its launcher, or because they noticed: 137 is of the rank that was killed.
ends_all() {
	probe 5 die 0
	[ $? -eq 137 ] && ! pgrep -f "$tap_log/meetprobe"
}
tap "the end of rank 0 ends all" ends_all
tap "without a launcher nothing is begun" bash -c "
	! '$tap_log/meetprobe' 2>'$tap_log/err' && grep -q 'PMIX_RANK is not set' '$tap_log/err'"
tap "a launcher that is not there is said" bash -c "
	! PMIX_RANK=0 timeout 20 '$tap_log/meetprobe' >'$tap_log/err' 2>&1 &&
	grep -q 'no launcher answers' '$tap_log/err'"

# The same with the program itself: rank 0 reports, the others are silent.
incast() {
	TMPDIR=$tap_log timeout -k 1 50 mpirun --allow-run-as-root --oversubscribe -quiet \
		-n 9 "$B/rocetune" incast --engine null --json --time 500ms --ramp 0s \
		--lossless 3 --rate 10Mbps </dev/null >"$tap_log/incast.json"
}
tap "an incast of nine ranks" incast
tap "each of them reported" jq -e '.ranks == 9 and .ranks_lost == 0 and
	(.senders | length) == 8 and .receivers[0].bytes == ([.senders[].bytes] | add) and
	([.hosts[].name] | unique | length) == 9' "$tap_log/incast.json"

# What a rank is started with is its own, and goes before what rank 0 was.
own_options() {
	TMPDIR=$tap_log timeout -k 1 50 mpirun --allow-run-as-root --oversubscribe -quiet \
		-n 3 bash -c '"$0" incast --engine null --json --time 500ms --ramp 0s \
		--lossless 3 --rate 10Mbps --mtu $((1024 << PMIX_RANK))' "$B/rocetune" \
		</dev/null >"$tap_log/own.json" &&
		jq -e '[.hosts[].mtu_bytes] == [1024, 2048, 4096]' "$tap_log/own.json"
}
tap "a rank's own options are heeded" own_options
tap_done
