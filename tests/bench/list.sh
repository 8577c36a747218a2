#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `rocetune list` on a host with many NICs and long GID tables, of which nearly all
# entries are zero; beside it what reading the same GIDs costs at least.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
need_built "$B/rocetune"
tests/trees/many.sh "$work/many" 64 256
mapfile -t gids < <(find "$work/many" -path '*/gids/*' -type f)

elapsed_of() { # COMMAND...: seconds
	local t
	t=$( { TIMEFORMAT=%R; time "$@" >/dev/null 2>&1; } 2>&1)
	echo "$t"
}
list=("$B/rocetune" list --sysroot "$work/many")
floor=(cat "${gids[@]}")
for name in cpu elapsed floor; do
	: >"$work/$name"
done
for _ in $(seq "$RUNS"); do
	cpu_of "${list[@]}" >>"$work/cpu"
	cpu_of "${floor[@]}" >>"$work/floor"
	elapsed_of "${list[@]}" >>"$work/elapsed"
done
awk -v cpu="$(median <"$work/cpu")" -v floor="$(median <"$work/floor")" \
	-v elapsed="$(median <"$work/elapsed")" 'BEGIN {
	printf "%-34s %9.3f s elapsed  bar < 0.2  %s\n", "list, 64 NICs of 256 GIDs", elapsed,
		elapsed < 0.2 ? "met" : "not met"
	printf "    CPU %.3f s; cat of the same %d GIDs alone: %.3f s, ratio %.2f\n", cpu, 64 * 256,
		floor, cpu / floor }'
printf '    %s/rocetune list --sysroot FOLDER of tests/trees/many.sh FOLDER 64 256\n' "$B"
