#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator against what public simulators gave for the same cases, and against
# sums done by hand.
#
#   tests/validate.sh [--write|--write-anyway] [GROUP...]    TAP, of all groups or of some
#
# Groups are the files of tests/validate, where each says what it holds.  Reference
# figures are read in place from $SHARED/sim-reference.  The scenarios of a group stay
# in $B/validate/GROUP, and each row ends with the command that made it.  --write: the
# tables into docs/simulator.md, unless a row fails (--write-anyway: also then).  JOBS runs go at once, as many as there are cores.
set -u
export LC_ALL=C
export B=${B:-build}
export SHARED=${SHARED:-../shared}
JOBS=${JOBS:-$(nproc)}
write=0 groups=
for word; do
	case $word in
	--write) write=1 ;;
	--write-anyway) write=2 ;;
	*) groups+=" $word" ;;
	esac
done
groups=${groups:-defaults exact seeds sweep lossy queue analytic}
n=0 failed=0
if ! [ -r "$SHARED/sim-reference/README.md" ]; then
	echo "ok 1 - the simulator against reference runs # SKIP no $SHARED/sim-reference"
	echo 1..1
	exit
fi

# keys_of LIST: of `sim --keys --json`, as a table
keys_of() {
	if [ "$1" = keys ]; then
		echo "| key | takes | bounds | default | meaning |"
		echo "|---|---|---|---|---|"
	elif [ "$1" = figures ]; then
		echo "| figure | looks like | of what it is, and what it counts |"
		echo "|---|---|---|"
	else
		echo "| option | what it does |"
		echo "|---|---|"
	fi
	"$B/rocetune" sim --keys --json | awk -v list="$1" '
		$0 ~ "^  \"" list "\": \\[" { inside = 1 }
		inside && /^  \]/ { exit }
		inside && /^      "/ { line = $0; sub(/^ *"[a-z]*": /, "", line); sub(/,$/, "", line)
			key = $0; sub(/^ *"/, "", key); sub(/".*/, "", key)
			gsub(/^"|"$/, "", line); if (line == "null") line = ""; v[key] = line }
		inside && /^    }/ {
			if (list == "keys") { name = v["name"]
				if (v["section"] != "") name = v["section"] "." name
				bounds = v["low"] == "" ? "" : v["low"] " to " v["high"]
				print "| `" name "` | " v["value"] " | " bounds " | " v["def"] " | " v["help"] " |"
			} else if (list == "figures")
				print "| `" v["name"] "` | " v["value"] " | " v["help"] " |"
			else print "| `" v["name"] "` | " v["help"] " |" }'
}
# put_table NAME FILE: between the marks of that name in docs/simulator.md
put_table() {
	awk -v name="$1" -v file="$2" '
		$0 == "<!-- end " name " -->" { inside = 0 }
		!inside { print }
		$0 == "<!-- begin " name " -->" { inside = 1
			while ((getline line < file) > 0) print line }' \
		docs/simulator.md >"$B/validate/doc" && cp "$B/validate/doc" docs/simulator.md
}

for group in $groups; do
	work=$B/validate/$group
	rm -rf "$work"
	mkdir -p "$work"
	"tests/validate/$group.sh" plan || exit 1
	find "$work" -name '*.yaml' | sort | xargs -P "$JOBS" -n 1 tests/validate/run.sh
	"tests/validate/$group.sh" judge >"$work/rows"
	while IFS=$'\t' read -r pass what ours theirs bar name; do
		n=$((n + 1))
		case $pass in
		1) echo "ok $n - $group: $what: $ours, reference $theirs, bar: $bar" ;;
		known) echo "not ok $n - $group: $what: $ours, reference $theirs, bar: $bar # TODO known, see docs/simulator.md" ;;
		info) echo "ok $n - $group: $what: $ours, reference $theirs, for information" ;;
		missed) echo "ok $n - $group: $what: $ours, reference $theirs, misses $bar, for information" ;;
		*) echo "not ok $n - $group: $what: $ours, reference $theirs, bar: $bar"
			failed=1 ;;
		esac
		echo "#   $B/rocetune sim $work/$name.yaml"
	done <"$work/rows"
done
if [ $write = 1 ] && [ $failed = 1 ]; then
	echo "# rows failed: docs/simulator.md stays as it was (--write-anyway writes it)"
elif [ $write != 0 ]; then
	out=$B/validate
	keys_of keys >"$out/keys.md"
	keys_of options >"$out/options.md"
	keys_of figures >"$out/figures.md"
	for group in $groups; do "tests/validate/$group.sh" table >"$out/$group.md"; done
	for table in keys options figures $groups; do put_table "$table" "$out/$table.md"; done
fi
echo "1..$n"
exit $failed
