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

# Of a program that is not there no figure can be had, and none is missing quietly.
need_built() { # PROGRAM...
	local program
	for program in "$@"; do
		[ -x "$program" ] || { echo "$program is not built: make bench" >&2; exit 1; }
	done
}

# Ends the benchmark unless COMMAND, which needs network namespaces (else it ends with
# 77), works here; what else may be wrong with it is an error, in its own words.
need_namespaces() { # TITLE COMMAND...
	local title=$1 rc=0
	shift
	need_built "$1"
	"$@" >"$work/tried" 2>&1 || rc=$?
	case $rc in
	0) return ;;
	77) echo "$title: skipped, no network namespaces here"; exit 0 ;;
	esac
	cat "$work/tried" >&2
	echo "$title: $* ended with $rc" >&2
	exit 1
}
