#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Watching a host of 64 NICs with 200 counters each, beside a bare loop that has the same
# files open and reads them: CPU of a tick, of a second at 1 Hz, memory over 10,000 ticks.
# In memory, as sysfs is: what reading real NICs takes comes on top, in both.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/lib.sh
need_built "$B/tests/bench/watch_ticks"
[ -d /dev/shm ] && tree=$(mktemp -d /dev/shm/rt-watch-XXXXXX) || tree=$work/tree
trap 'rm -rf "$work" "$tree"' EXIT
ulimit -n "$(ulimit -Hn)"
tests/bench/watch_tree.sh "$tree" 64

"$B/tests/bench/watch_ticks" "$tree" "$RUNS" 100 >"$work/costs"
"$B/tests/bench/watch_ticks" "$tree" memory 10000 >"$work/memory"
awk '
	$1 == "cost" { by_source = by_source sprintf(" %s %.0f", $2, $3); next }
	{ v[$1] = $2 }
	END {
		ratio = v["watch_ratio"]
		printf "%-34s %9.2f x floor    bar <= 1.3  %s\n", "watch, 64 NICs, CPU of a tick", ratio,
			ratio <= 1.3 ? "met" : "not met"
		printf "    floor %.0f us (%d files), source %.0f us (%.2f), with the sampler %.0f us\n",
			v["floor"], v["files"], v["source"], v["source_ratio"], v["watch"]
		printf "    %d ports, %d neutral counters; time by source, us:%s\n", v["ports"],
			v["counters"], by_source
		printf "    at 1 Hz %.2f %% of a core, looks at what ports there are left out\n",
			v["watch"] / 1e4
		printf "    memory %d KiB after 100 ticks, %d KiB after 10,000\n", v["early"], v["late"]
	}' "$work/costs" "$work/memory"
printf '    %s/tests/bench/watch_ticks FOLDER of tests/bench/watch_tree.sh FOLDER 64\n' "$B"
