#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The README's tour is true: every line it shows below a `$ rocetune ...` is a line that
# the command prints ("..." stands for what was left out).
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=profiles
top=$PWD
awk '/^```/ { inside = !inside; shown = 0; next }
	inside && /^\$ rocetune / { n++; file = sprintf("'"$tap_log"'/%d", n)
		print substr($0, 12) >file; shown = 1; next }
	inside && shown && $0 !~ /^ *\.\.\.$/ && NF { print >file }' README.md
mkdir -p "$tap_log/here"
ln -s "$top/tests" "$top/profiles" "$tap_log/here/"
is_true() { # FILE: the arguments, then lines
	local arguments missing
	arguments=$(head -n 1 "$1")
	# shellcheck disable=SC2086
	(cd "$tap_log/here" && "$top/$B/rocetune" $arguments) >"$1.out" 2>&1
	missing=$(tail -n +2 "$1" | grep -vxFf "$1.out")
	[ -z "$missing" ] || { printf 'not printed by rocetune %s:\n%s\n' "$arguments" "$missing"; return 1; }
}
count=0
for file in $(ls "$tap_log" | grep -x '[0-9]*' | sort -n); do
	tap "README: rocetune $(head -n 1 "$tap_log/$file")" is_true "$tap_log/$file"
	count=$((count + 1))
done
tap "the README has a tour" [ "$count" -ge 4 ]
tap_done
