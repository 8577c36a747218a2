#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator: its speed in packet-hops per heap hold, its memory, how it grows.
#
# Speed is CPU of the whole process, start and report with it, against
# tests/bench/heap_holds run in turn on the same core; a hop is a data packet, an ACK
# or a CNP that arrives, and what is run here resends nothing.  The scenarios stay in
# $B/bench, so that each command can be run again.  WRITE=1 puts the instruction counts
# into docs/simulator.md.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
need_built "$B/rocetune" "$B"/tests/bench/{spend,heap_holds}
CORE=${CORE:-$(($(nproc) - 1))}
pin=()
if taskset -c "$CORE" true 2>/dev/null; then
	pin=(taskset -c "$CORE")
fi
bench=$B/bench
mkdir -p "$bench"

# --- scenarios ----------------------------------------------------------------
scenario() { # NAME TOPOLOGY WORKLOAD [BASE]
	sed "s/^topology: .*/topology: {$2}/; s/^workload: .*/workload: {$3}/" \
		"tests/scenarios/${4:-hpcc-mlx}.yaml" >"$bench/$1.yaml"
}
star='kind: star, speed: 100G, delay: 1us'
small='kind: leaf-spine, leaves: 4, spines: 2, hosts: 4, speed: 100G'
large='kind: leaf-spine, leaves: 32, spines: 16, hosts: 32, speed: 100G'
scenario incast16 "$star" 'kind: incast, senders: 16, size: 1MB'
scenario incast32 "$star" 'kind: incast, senders: 32, size: 10MB'
scenario incast64 "$star" 'kind: incast, senders: 64, size: 10MB'
scenario pfconly64 "$star" 'kind: incast, senders: 64, size: 10MB' hpcc-pfconly
scenario alltoall "$small" 'kind: alltoall, size: 1MB'
scenario hosts16 "$small" 'kind: permutation, size: 10MB'
scenario hosts1024 "$large" 'kind: permutation, size: 400KB'
printf 'workload: {senders: 16, size: 1MB}\n' >"$bench/default16.yaml"

hops_of() { # NAME: arrivals of frames that are no pauses, resends not counted
	"$B/rocetune" sim "$bench/$1.yaml" --json --fail-on error |
		jq '.hops - ([.ports[].rx.resent] | add)'
}
report() { # TITLE FIGURE UNIT COMPARISON BAR COMMAND
	awk -v title="$1" -v figure="$2" -v unit="$3" -v cmp="$4" -v bar="$5" \
		-v command="$6" 'BEGIN {
		met = cmp == "<" ? figure < bar : figure >= bar
		printf "%-34s %9.2f %s  bar %s %s  %s\n    %s\n", title, figure, unit,
			cmp, bar, met ? "met" : "not met", command
	}'
}
cpu_and_kib() { "${pin[@]}" "$B/tests/bench/spend" "$B/rocetune" sim "$bench/$1.yaml"; }

# --- speed, memory, growth ----------------------------------------------------
speed() { # NAME BAR TITLE
	local hops cpu holds i
	hops=$(hops_of "$1")
	: >"$work/ratios"
	for i in $(seq "$RUNS"); do
		holds=$("${pin[@]}" "$B/tests/bench/heap_holds" | cut -d' ' -f1)
		cpu=$(cpu_and_kib "$1" | cut -d' ' -f1)
		awk -v hops="$hops" -v cpu="$cpu" -v holds="$holds" \
			'BEGIN { print hops / cpu / holds }' >>"$work/ratios"
	done
	report "$3" "$(median <"$work/ratios")" "hops per heap hold" '>=' "$2" \
		"$B/rocetune sim $bench/$1.yaml ($hops hops)"
}
memory() { # NAME BAR TITLE
	report "$3" "$(cpu_and_kib "$1" | awk '{ print $2 * 1024 / 1e6 }')" "MB at most" \
		'<' "$2" "$B/rocetune sim $bench/$1.yaml"
}
growth() { # SMALL LARGE BAR TITLE
	local name i
	for name in "$1" "$2"; do
		hops_of "$name" >"$work/hops.$name"
		: >"$work/cpu.$name"
	done
	for i in $(seq "$RUNS"); do
		for name in "$1" "$2"; do
			cpu_and_kib "$name" | cut -d' ' -f1 >>"$work/cpu.$name"
		done
	done
	for name in "$1" "$2"; do
		awk -v cpu="$(median <"$work/cpu.$name")" '{ print cpu / $1 * 1e9 }' \
			"$work/hops.$name" >"$work/ns.$name"
	done
	report "$4" "$(paste "$work/ns.$1" "$work/ns.$2" | awk '{ print $2 / $1 }')" \
		"times as long a hop" '<' "$3" "$B/rocetune sim $bench/$1.yaml and $2.yaml, $(
			paste "$work/ns.$1" "$work/ns.$2" | awk '{ printf "%.1f and %.1f ns", $1, $2 }')"
}
speed incast32 0.9 "sim, 32:1, 10 MB each"
speed alltoall 0.6 "sim, leaf-spine all-to-all, 1 MB"
memory incast64 32 "sim, 64:1, 10 MB each, DCQCN"
memory pfconly64 32 "sim, 64:1, 10 MB each, PFC only"
growth hosts16 hosts1024 1.6 "sim, from 16 to 1024 hosts"

# --- instructions: they do not depend on how busy the machine is ----------------
counted() { # NAME TITLE: a row of the table in docs/simulator.md
	local hops
	hops=$(hops_of "$1")
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$B/rocetune" sim \
		"$bench/$1.yaml" 2>&1 >/dev/null |
		awk -v hops="$hops" -v name="$1" -v title="$2" '/Collected/ {
			printf "| %s | %s | %d | %.0f |\n", name, title, hops, $NF / hops }'
}
if ! command -v valgrind >/dev/null; then
	echo "instructions per hop: no valgrind"
	exit
fi
{
	echo '| scenario | what | hops | instructions per hop |'
	echo '|---|---|---|---|'
	counted default16 '16:1 incast, 1 MB each, defaults'
	counted incast16 '16:1 incast, 1 MB each, `hpcc-mlx`'
	counted incast32 '32:1 incast, 10 MB each, `hpcc-mlx`'
	counted alltoall 'leaf-spine of 16 hosts, all to all, 1 MB each, `hpcc-mlx`'
	counted hosts16 'leaf-spine of 16 hosts, permutation, 10 MB each, `hpcc-mlx`'
	counted hosts1024 'leaf-spine of 1024 hosts, permutation, 400 KB each, `hpcc-mlx`'
} | tee "$work/table"
if [ "${WRITE:-}" = 1 ]; then
	awk -v table="$work/table" '
		/<!-- end instructions -->/ { skip = 0 }
		!skip
		/<!-- begin instructions -->/ {
			skip = 1
			while ((getline line < table) > 0)
				print line
		}' docs/simulator.md >"$work/simulator.md"
	cp "$work/simulator.md" docs/simulator.md
fi
