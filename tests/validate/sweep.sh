#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Does the simulator rank settings as the HPCC authors' ns-3 model does?  154 settings
# on each of four workloads, with rocetune's own random numbers: Spearman's rank
# correlation of mean completion (bar 0.95) and of pauses (0.9).  For information the
# same where hosts let flows queue as they do by default, and whether the bar is missed.  And with the random numbers
# of ns-3 the runs themselves again: the same mean completion and pauses.
. tests/validate/common.sh
table=$reference/hpcc/sweep.jsonl
workloads="incast16x1MB mix16_load60 ls_a2a_200KB ls_incast8_plus_victims"

plan() {
	local id workload own
	export config=$reference/hpcc/mlx_n2_1000KB/config.txt
	jq -r '. as $run | (.params + { SEED: 1 }) | to_entries[] |
		"\($run.id)@\($run.workload) \(.key) \(.value)"' "$table" |
		awk -v work="$work" '{ file = work "/" $1 ".changes"; sub(/^[^ ]* /, "")
			if (file != last) { close(last); last = file }
			print >file }'
	for changes in "$work"/*.changes; do
		id=$(basename "$changes" .changes)
		for own in "" random all; do
			hpcc_scenario "$id${own:+@$own}" "$reference/hpcc/sweep_workloads/${id#*@}" \
				$own <"$changes"
		done
	done
}

# spearman: of lines "ours theirs", ties share their mean rank
spearman() {
	awk 'function rank(v, i,   k, below, same) {
			below = 0; same = 0
			for (k = 1; k <= NR; k++) {
				if (v[k] < v[i]) below++
				if (v[k] == v[i]) same++
			}
			return below + (same + 1) / 2
		}
		{ a[NR] = $1 + 0; b[NR] = $2 + 0 }
		END {
			for (i = 1; i <= NR; i++) {
				x = rank(a, i); y = rank(b, i)
				sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y
			}
			d = (NR * xx - sx * sx) * (NR * yy - sy * sy)
			printf "%.4f\n", (d > 0 ? (NR * xy - sx * sy) / sqrt(d) : 0)
		}'
}

# pairs WORKLOAD KEY FIELD [SUFFIX]: ours and theirs of every setting
pairs() {
	jq -r --arg w "$1" --arg f "$3" 'select(.workload == $w) | "\(.id) \(.[$f])"' "$table" |
		while read -r id theirs; do echo "$(of "$id@$1${4:-}" "$2") $theirs"; done
}

ranks() { # WORKLOAD OWN WHAT [PASS]: rows of both correlations
	local rho key pass
	for key in mean:mean_completion_ps:fct_mean:0.95 pause:pfc_xoff:pause:0.9; do
		IFS=: read -r what ours theirs least <<<"$key"
		pairs "$1" "$ours" "$theirs" "@$2" >"$work/$1.$2.$what"
		rho=$(spearman <"$work/$1.$2.$what")
		pass=$(awk -v r="$rho" -v b="$least" 'BEGIN { print (r >= b) }')
		[ -z "${4:-}" ] || pass=$([ "$pass" = 1 ] && echo info || echo missed)
		row "$pass" \
			"$1: rank correlation of ${what/mean/mean completion}, $3" \
			"$rho" 1 "at least $least" "mlx@$1@$2"
	done
}

judge() {
	local w same of
	for w in $workloads; do
		ranks "$w" random "own random numbers"
		ranks "$w" all "own random numbers and turns of flows" info
		paste -d' ' <(pairs "$w" mean_completion_ps fct_mean) <(pairs "$w" pfc_xoff pause) |
			awk '{ d = $1 / 1000 - $2; if (d > -0.01 && d < 0.01 && $3 == $4) n++ }
				END { print n + 0, NR }' >"$work/$w.same"
		read -r same of <"$work/$w.same"
		row "$((same >= of - 1))" \
			"$w: with the numbers of ns-3, runs of equal mean completion and pauses" \
			"$same" "$of" "all but one" "mlx@$w"
	done
}
"$1"
