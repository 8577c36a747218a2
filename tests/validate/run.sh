#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Run one planned scenario: PATH.yaml [SEED] gives PATH[.SEED].sum and .fct.
export LC_ALL=C
base=${1%.yaml}${2:+.$2}
"${B:-build}/rocetune" sim "$1" ${2:+--seed "$2"} --json 2>"$base.err" |
	awk -v base="$base" '
	/^  "[a-z_]*": [-0-9.e+]+,?$/ { key = $1; gsub(/[":]/, "", key)
		sub(/,$/, "", $2); print key, $2 >(base ".sum") }
	/^      "completion_ps": [0-9]/ { sub(/,$/, "", $2); n++; sum += $2; print $2 / 1000 | sorted }
	BEGIN { sorted = "sort -n >" base ".fct" }
	END { if (n) printf "mean_completion_ps %.0f\n", sum / n >(base ".sum") }'
[ -s "$base.err" ] || rm -f "$base.err"
