#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs of the HPCC authors' ns-3 model, repeated with the random numbers and the order
# of simultaneous events of ns-3: the same completions to the nanosecond, marks seen by
# senders, cuts and pauses.  Runs without PFC are left out: that model has no time-out,
# and most of them never end.
. tests/validate/common.sh

runs() {
	for folder in "$reference"/hpcc/*/; do
		folder=${folder%/}
		[ -r "$folder/fct.txt" ] && grep -q '^QBB_ENABLED 1' "$folder/config.txt" &&
			echo "$folder"
	done
}

plan() {
	for folder in $(runs); do
		hpcc_scenario "${folder##*/}" "$folder" </dev/null
		awk '$1 == "SEED_RUN" { print "seed: " $2 }' "$folder/config.txt" \
			>>"$work/${folder##*/}.yaml"
	done
}

judge() {
	for folder in $(runs); do
		name=${folder##*/} pass=0
		theirs="$(known "$folder/summary.json" cnp_rx) $(known "$folder/summary.json" dec)"
		theirs+=" $(known "$folder/summary.json" pause)"
		ours="$(of "$name" marks) $(of "$name" cuts) $(of "$name" pfc_xoff)"
		awk '{ print $7 }' "$folder/fct.txt" | sort -n |
			cmp -s - "$work/$name.fct" && [ "$ours" = "$theirs" ] && pass=1
		row $pass "$name, last completion in ns; marks, cuts, pauses" \
			"$(tail -n 1 "$work/$name.fct" 2>/dev/null); $ours" \
			"$(awk '{ print $7 }' "$folder/fct.txt" | sort -n | tail -n 1); $theirs" \
			"all completions and counts equal" "$name"
	done
}

# Runs by variant and topology.
table() {
	echo "| variant | topology | buffer | runs | the same |"
	echo "|---|---|---|---|---|"
	awk -F'\t' '{ split($2, part, ","); name = part[1]
			variant = name; sub(/_(n[0-9]|ls).*/, "", variant)
			key = variant "\t" (name ~ /_ls/ ? "leaf-spine" : "star") "\t" \
				(name ~ /buffer_size4/ ? "4 MiB" : "32 MiB")
			if (!(key in runs)) order[++n] = key
			runs[key]++; same[key] += $1 }
		END { for (i = 1; i <= n; i++) { key = order[i]; row = key; gsub(/\t/, " | ", row)
				printf "| %s | %d | %d |\n", row, runs[key], same[key]; all += runs[key]
				equal += same[key] }
			printf "| all | | | %d | %d |\n", all, equal }' "$work/rows"
}
"$1"
