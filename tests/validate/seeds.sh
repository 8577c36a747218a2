#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The HPCC authors' ns-3 model under DCQCN with rocetune's own random numbers and order:
# ten seeds (40 of two and four senders), against as many of theirs.  ns-3 itself ran one
# of these, or five of stars at 1 MB; the others are replays: rocetune with the random
# numbers of ns-3, which the group "exact" shows to be the same wherever ns-3 ran.
#   paper timers    mean of the medians within 1 % (1 MB) or 5 % (10 MB) of theirs
#   other timers    the same inside the range of theirs, widened by 5 %
#   leaf-spine      medians and last completions inside the range, widened by 5 %
#   marks and cuts  mean within 10 % of theirs, or inside their range
# And against what ns-3 itself ran, without replays: the median of our seeds' medians inside
# the range of the five recorded, widened by 5 %; under the paper's timers within 1 % (1 MB)
# or 5 % (10 MB) of their mean.  For information where one run is all and bounds nothing.
. tests/validate/common.sh

# Few flows spread most, and cost least.
seeds_of() { # NAME
	case $1 in *_n[24]_*) seq 40 ;; *) seq 10 ;; esac
}
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
		for seed in $(seeds_of "$name"); do
			hpcc_scenario "$name.$seed" "$reference/hpcc/$name" all </dev/null
			hpcc_scenario "$name.ns3-$seed" "$reference/hpcc/$name" </dev/null
			for side in "" ns3-; do
				echo "seed: $seed" >>"$work/$name.$side$seed.yaml"
			done
		done
	done
}

# compare NAME KEY SCALE SHARE HOW: our mean within SHARE of the mean or the range of
# theirs; a line "pass ours theirs bar"
compare() {
	for seed in $(seeds_of "$1"); do
		echo "$(of "$1.$seed" "$2") $(of "$1.ns3-$seed" "$2")"
	done | awk -v scale="$3" -v share="$4" -v how="$5" '
		NF == 2 { n++; x = $1 / scale; y = $2 / scale; s += x; t += y
			if (n == 1 || x < low) low = x
			if (n == 1 || y < from) from = y
			if (x > high) high = x
			if (y > to) to = y }
		END {
			if (n < 10) exit
			a = t / n * (1 - share); b = t / n * (1 + share)
			if (how == "range") { a = from * (1 - share); b = to * (1 + share) }
			if (how == "either" && from < a) a = from
			if (how == "either" && to > b) b = to
			printf "%d\t%.1f (%.1f to %.1f)\t%.1f (%.1f to %.1f), %+.1f %%\t%.1f to %.1f\n",
				(s / n >= a && s / n <= b), s / n, low, high, t / n, from, to,
				(t ? 100 * (s / t - 1) : 0), a, b }'
}

# recorded NAME: our median against the runs of ns-3 itself, a line as of compare
recorded() {
	local least=5 share=0.05
	case $1 in
	paper_n*_10000KB) least=1 ;;
	paper_n*_1000KB) least=1 share=0.01 ;;
	esac
	{
		for file in "$reference/hpcc/$1/summary.json" "$reference/hpcc/$1"_seed_run*/summary.json; do
			[ ! -r "$file" ] || echo "theirs $(known "$file" fct_med)"
		done
		for seed in $(seeds_of "$1"); do of "$1.$seed" median_completion_ps; done | sort -n
	} | awk -v least=$least -v share=$share '
		$1 == "theirs" { y = $2 / 1e3; n++; t += y
			if (n == 1 || y < from) from = y
			if (y > to) to = y
			next }
		{ x[++m] = $1 / 1e6 }
		END {
			if (m < 10 || !n) exit
			if (least == 1) from = to = t / n
			a = from * (1 - share); b = to * (1 + share)
			mid = (x[int((m + 1) / 2)] + x[int(m / 2) + 1]) / 2
			pass = n < least ? "info" : (mid >= a && mid <= b)
			printf "%s\t%.1f\t%.1f to %.1f, %+.1f %%\t%.1f to %.1f\t%d\n", pass, mid, from, to,
				100 * (mid * n / t - 1), a, b, n }'
}

judge() {
	local name share how
	for name in $(cases); do
		share=0.05 how=range
		case $name in
		paper_n*_10000KB) how=mean ;;
		paper_n*_1000KB) share=0.01 how=mean ;;
		esac
		{
			compare "$name" median_completion_ps 1e6 $share $how | sed 's/^/median completion, us\t/'
			compare "$name" last_completion_ps 1e6 0.05 range | sed 's/^/last completion, us\t/'
			compare "$name" marks 1 0.1 either | sed 's/^/marks\t/'
			compare "$name" cuts 1 0.1 either | sed 's/^/cuts\t/'
		} | while IFS=$'\t' read -r what pass ours theirs bar; do
			row "$pass" "$name, $what" "$ours" "$theirs" "$bar" "$name.1"
		done
		recorded "$name" | while IFS=$'\t' read -r pass ours theirs bar n; do
			row "$pass" "$name, recorded by ns-3, $n seeds, median of medians, us" \
				"$ours" "$theirs" "$bar" "$name.1"
		done
	done
}

# The worst deviation of each figure, by variant.
table() {
	echo "| variant | cases | median | last | marks | cuts | rows held | recorded alone | rows held |"
	echo "|---|---|---|---|---|---|---|---|---|"
	awk -F'\t' '{ split($2, part, ", "); name = part[1]; figure = part[2]
			key = name; sub(/_n[0-9]+/, ", star", key); sub(/_ls4x2x4_(incast|a2a)/, ", leaf-spine", key)
			sub(/_buffer_size4/, ", 4 MiB", key); sub(/_1000KB/, ", 1 MB", key)
			sub(/_10000KB/, ", 10 MB", key); sub(/_100KB/, ", 100 KB", key)
			if (!(key in rows)) order[++n] = key
			if (figure ~ /^recorded/) { figure = "recorded"
				if ($1 != "info") { judged[key]++; kept[key] += $1 }
			} else rows[key]++
			if (figure != "recorded") held[key] += $1
			cases[key] += figure ~ /^median/
			dev = $4; sub(/.*, /, "", dev); sub(/ %.*/, "", dev); dev += 0
			sub(/ .*/, "", figure); at = key SUBSEP figure
			if (dev * dev >= worst[at] * worst[at]) worst[at] = dev }
		END { for (i = 1; i <= n; i++) { k = order[i]
			printf "| %s | %d | %+.1f %% | %+.1f %% | %+.1f %% | %+.1f %% | %d of %d | %+.1f %% | %s |\n", k, cases[k],
				worst[k, "median"], worst[k, "last"], worst[k, "marks"], worst[k, "cuts"],
				held[k], rows[k], worst[k, "recorded"],
				judged[k] ? kept[k] + 0 " of " judged[k] : "one run each" } }' "$work/rows"
}
"$1"
