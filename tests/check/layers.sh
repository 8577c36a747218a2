#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# src/LAYERS against the includes of every source and against the symbols of
# every object: what a room leaves undefined must be defined in a room it may use.
set -u
B=${B:-build}
layers=src/LAYERS
n=0
t() { # RESULT NAME: one TAP line; RESULT empty is good
	n=$((n + 1))
	if [ -z "$1" ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		printf '%s\n' "$1" | sed 's/^/# /'
	fi
}

# The tables themselves: rooms exist, no circle.
edges=$(awk '$1 == "room" { for (i = 4; i <= NF; i++) print $i, $2 }' "$layers")
t "$(printf '%s\n' "$edges" | tsort 2>&1 >/dev/null)" "the rooms have no circle"
t "$(for d in src/*/; do d=${d#src/}; d=${d%/}
	grep -q "^room $d :" "$layers" || echo "src/$d stands in no row of $layers"; done)" \
	"every folder is a room"

# Includes, with blanks anywhere a compiler takes them.
scan() {
	awk -v layers="$layers" '
	BEGIN {
		while ((getline line < layers) > 0) {
			k = split(line, f, " ")
			if (f[1] == "room") for (i = 4; i <= k; i++) may[f[2], f[i]] = 1
			if (f[1] == "room") room[f[2]] = 1
			if (f[1] == "public") for (i = 4; i <= k; i++) home[f[i]] = f[2]
			if (f[1] == "library") for (i = 4; i <= k; i++) lib[f[i]] = f[2]
		}
	}
	/^[ \t]*#[ \t]*include/ {
		from = FILENAME
		if (from ~ /^include\//) { sub(/.*\//, "", from); here = home[from]
			if (here == "") { print FILENAME ": stands in no public row"; next } }
		else { sub(/^src\//, "", from); here = from; sub(/\/.*/, "", here)
			if (from !~ /\//) here = "cmd" }
		inc = $0; sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", inc); sub(/[>"].*/, "", inc)
		if (inc ~ /^rocetune\//) { name = inc; sub(/.*\//, "", name); to = home[name]
			if (to == "") { print FILENAME ":" FNR ": " inc " stands in no public row"; next } }
		else if (inc in lib) {
			if (lib[inc] != here) print FILENAME ":" FNR ": " inc " belongs to " lib[inc]
			next }
		else { to = inc; if (to !~ /\//) next; sub(/\/.*/, "", to); if (!(to in room)) next }
		if (to != here && !((here, to) in may))
			print FILENAME ":" FNR ": room " here " may not include " to
	}' "$@"
}
mapfile -t files < <(find src include -name '*.[ch]' | sort)
t "$(scan "${files[@]}")" "includes go only where the table allows"

# The check must be able to fail: a forbidden include is found in each spelling.
probe=$(mktemp -d)
mkdir -p "$probe/src/base"
printf '#include "cmd/cmd.h"\n#  include  "run/run.h"\n\t# include <jansson.h>\n' >"$probe/src/base/x.c"
mkdir -p "$probe/src/wire"; printf ' # include <jansson.h>\n' >"$probe/src/wire/y.c"
here=$PWD
found=$(cd "$probe" && layers=$here/src/LAYERS && scan src/base/x.c src/wire/y.c | wc -l)
t "$([ "$found" -eq 3 ] || echo "found $found of 3")" "forbidden includes are found"
rm -rf "$probe"

# Symbols.
symbols() { # KIND ROOM
	find "$B/src/$2" -name '*.o' -exec nm -A $1 {} + 2>/dev/null
}
rooms=$(awk '$1 == "room" { print $2 }' "$layers")
defined=$(for r in $rooms; do
	symbols --defined-only "$r" | awk -v r="$r" '$(NF-1) ~ /[A-TV-Z]/ { print $NF, r }'; done)
bad=$(for r in $rooms; do
	symbols --undefined-only "$r" | awk -v r="$r" -v layers="$layers" -v defs="$defined" '
	BEGIN {
		while ((getline line < layers) > 0) { k = split(line, f, " ")
			if (f[1] == "room" && f[2] == r) for (i = 4; i <= k; i++) may[f[i]] = 1 }
		k = split(defs, d, "\n")
		for (i = 1; i <= k; i++) { split(d[i], p, " "); home[p[1]] = p[2] }
	}
	($NF in home) && home[$NF] != r && !(home[$NF] in may) {
		print $1 " uses " $NF " of room " home[$NF] }'; done)
t "$bad" "symbols come only from rooms the table allows"
t "$([ "$(printf '%s\n' "$defined" | wc -l)" -gt 20 ] || echo "hardly any symbols in $B")" \
	"there were symbols to look at"
echo "1..$n"
