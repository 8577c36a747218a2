# SPDX-License-Identifier: BSD-2-Clause
# What the benchmarks share; sourced.  B is the build folder, RUNS how often each pair
# of commands is run in alternation.
B=${B:-build}
RUNS=${RUNS:-11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

cpu_of() { # COMMAND...: CPU seconds of the whole process, user and system
	local t
	t=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1)
	awk -v t="$t" 'BEGIN { split(t, v, " "); print v[1] + v[2] }'
}
