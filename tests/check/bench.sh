#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A benchmark that cannot measure says why, and takes no fault for a lack of namespaces.
# Nothing is measured here.
set -u
. tests/tap.sh

ends() { # RC PATTERN FOLDER BENCH: a benchmark with the programs of a folder
	local rc=0
	B=$3 "$4" >"$tap_log/said" 2>&1 || rc=$?
	cat "$tap_log/said"
	[ "$rc" -eq "$1" ] && grep -q -- "$2" "$tap_log/said"
}
for bench in tests/bench/{analyze,list,sim,soft,switch}.sh; do
	tap "${bench##*/} names the program that it lacks" \
		ends 1 ' is not built: make bench$' "$tap_log/none" "$bench"
done

# Programs that end as those do.
stand_in() { # FOLDER COMMANDS
	mkdir -p "$1/tests/bench"
	for name in soft_pps switch_pps; do
		printf '#!/bin/sh\n%s\n' "$2" >"$1/tests/bench/$name"
		chmod +x "$1/tests/bench/$name"
	done
}
stand_in "$tap_log/without" 'exit 77'
stand_in "$tap_log/ill" 'echo its own words >&2; exit 1'
for bench in tests/bench/{soft,switch}.sh; do
	tap "${bench##*/} is skipped without namespaces" \
		ends 0 'skipped, no network namespaces here' "$tap_log/without" "$bench"
	tap "${bench##*/} hands on what its program says" \
		ends 1 'its own words' "$tap_log/ill" "$bench"
done
tap_done
