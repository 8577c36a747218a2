#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What commands print, against tests/golden/NAME.out.  A line of tests/golden/LIST:
#   NAME EXIT ARGUMENTS...
# WRITE=1 writes them; else the committed text is compared (TAP).
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
. tests/tap.sh

run_line() { # EXIT ARGUMENTS...
	local wanted=$1
	shift
	"$B/rocetune" "$@" 2>&1 </dev/null
	local rc=$?
	[ "$rc" -eq "$wanted" ] || echo "exit status $rc instead of $wanted"
}

compare() { # NAME EXIT ARGUMENTS...
	local name=$1
	shift
	run_line "$@" >"$tap_log/made"
	diff "tests/golden/$name.out" "$tap_log/made"
}

export ROCETUNE_PROFILES=profiles
# A capture for the lines that read one; its name stands in what they print.
capture=build/golden.pcapng
mkdir -p build
"$B/rocetune" sim tests/scenarios/incast16-100g.yaml --pcap "$capture" >/dev/null || exit 1
while read -r name code rest; do
	case $name in '' | \#*) continue ;; esac
	eval "set -- $rest"
	if [ -n "${WRITE:-}" ]; then
		run_line "$code" "$@" >"tests/golden/$name.out"
	else
		tap "rocetune $rest" compare "$name" "$code" "$@"
	fi
done <tests/golden/LIST
[ -n "${WRITE:-}" ] || tap_done
