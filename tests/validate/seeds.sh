#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The HPCC authors' ns-3 model under DCQCN, as a user would run it: rocetune's own random
# numbers, ten seeds.
#   paper timers    the mean of medians within 1 % (1 MB) or 5 % (10 MB) of the
#                   reference's mean over its seeds
#   mlx timers      the same inside the range of its seeds widened by 5 %; where it ran
#                   one seed, that is taken 5 % to each side
#   marks and cuts  within 10 % of its mean, or of its range of seeds
#   leaf-spine      median and last completion within 5 %, or the spread of ten seeds
# Where the reference ran one seed and ten of ours spread, so far is allowed too.
. tests/validate/common.sh
seeds="1 2 3 4 5 6 7 8 9 10"
variants="mlx paper paper_vwin"

cases() {
	for v in $variants; do
		for n in 2 4 8 16 32 64; do
			echo "${v}_n${n}_1000KB" "${v}_n${n}_10000KB" "${v}_n${n}_1000KB_buffer_size4"
		done
		for w in incast a2a; do
			echo "${v}_ls4x2x4_${w}_100KB" "${v}_ls4x2x4_${w}_1000KB" \
				"${v}_ls4x2x4_${w}_1000KB_buffer_size4"
		done
	done | tr ' ' '\n' | while read -r name; do
		[ -r "$reference/hpcc/$name/summary.json" ] && echo "$name"
	done
}

plan() {
	for name in $(cases); do
		for seed in $seeds; do
			hpcc_scenario "$name.$seed" "$reference/hpcc/$name" all </dev/null
			echo "seed: $seed" >>"$work/$name.$seed.yaml"
		done
	done
}

# theirs NAME KEY: of each seed that the reference ran
theirs() {
	local file
	for file in "$reference/hpcc/$1/summary.json" "$reference/hpcc/$1"_seed_run*/summary.json; do
		[ -r "$file" ] && known "$file" "$2"
	done
}

# held NAME OURS THEIRS SCALE SHARE RANGE: is our mean in the bar?  A line
# "pass mean low high reference deviation bar"
compare() {
	{
		for seed in $seeds; do echo "ours $(of "$1.$seed" "$2")"; done
		theirs "$1" "$3" | sed 's/^/theirs /'
	} | awk -v scale="$4" -v share="$5" -v ranged="$6" '
		NF < 2 { next }
		$1 == "ours" { v = $2 / scale; n++; s += v; q += v * v
			if (n == 1 || v < low) low = v
			if (v > high) high = v }
		$1 == "theirs" { m++; t += $2
			if (m == 1 || $2 < from) from = $2
			if (m == 1 || $2 > to) to = $2 }
		END {
			mean = s / n; ref = t / m; spread = sqrt((q - n * mean * mean) / (n - 1))
			a = (ranged ? from : ref) * (1 - share); b = (ranged ? to : ref) * (1 + share)
			how = "within"
			# One seed of theirs lies anywhere among the seeds.
			if (!(mean >= a && mean <= b) && m == 1 && ref >= low && ref <= high) {
				a = low; b = high; mean = ref; how = "reference inside the seeds" }
			pass = (n == 10 && mean >= a && mean <= b)
			printf "%d\t%.1f (%.1f to %.1f)\t%.1f%s (%+.1f %%)\t%s %.1f to %.1f\n", pass, s / n,
				low, high, ref, (m > 1 ? sprintf(" of %d seeds, %.1f to %.1f", m, from, to) : ""),
				(ref ? 100 * (s / n / ref - 1) : 0), how, a, b }'
}

judge() {
	local name share ranged
	for name in $(cases); do
		share=0.05 ranged=1
		case $name in paper_n*_1000KB) share=0.01 ranged= ;; paper_n*) ranged= ;; esac
		{
			compare "$name" median_completion_ps fct_med 1000 $share "$ranged" | sed 's/^/median, ns\t/'
			case $name in *_ls4*)
				compare "$name" last_completion_ps fct_max 1000 0.05 1 | sed 's/^/last, ns\t/' ;;
			esac
			compare "$name" marks cnp_rx 1 0.1 1 | sed 's/^/marks\t/'
			compare "$name" cuts dec 1 0.1 1 | sed 's/^/cuts\t/'
		} | while IFS=$'\t' read -r what pass ours theirs bar; do
			row "$pass" "$name, $what" "$ours" "$theirs" "$bar" "$name.1"
		done
	done
}
"$1"
