# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the groups of tests/validate: scenarios from reference runs, and rows.
#
# A group is a file of functions: plan writes scenarios to $work; judge reads what became
# of each and prints rows; table makes of these, in $work/rows, one for the docs.  Of
# each scenario there are NAME.sum, lines "key value" of the result, and NAME.fct, every
# completion in ns, sorted.  NAME.yaml stays, so that a row's command can be repeated.
export LC_ALL=C
B=${B:-build}
SHARED=${SHARED:-../shared}
reference=$SHARED/sim-reference
work=$B/validate/$(basename "$0" .sh)

# of NAME KEY: from a result; nothing when it did not come about
of() { awk -v key="$2" '$1 == key { print $2 }' "$work/$1.sum" 2>/dev/null; }
# known FILE KEY: a number of a reference run's summary
known() { grep -o "\"$2\": [-0-9.]*" "$1" | head -n 1 | sed 's/.*: //'; }

# row PASS WHAT OURS REFERENCE BAR NAME: PASS 1 is good, 0 fails, known is a bounded miss, info and missed
# (a bar not reached) only inform; NAME is the scenario's
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"; }

# Every row as it is.
table() {
	echo "| case | rocetune | reference | bar | |"
	echo "|---|---|---|---|---|"
	awk -F'\t' 'BEGIN { held["1"] = "held"; held["info"] = "for information"
			held["missed"] = "**missed**, for information"
			held["known"] = held["0"] = "**not held**" }
		{ printf "| %s | %s | %s | %s | %s |\n", $2, $3, $4, ($5 == "-" ? "" : $5), held[$1] }' \
		"$work/rows"
}

# hpcc_scenario NAME FOLDER [OWN]: a reference run of the HPCC model as $work/NAME.yaml
# and its flows beside it; changes of its config come on stdin; OWN as hpcc.awk has it.
# ns-3 cuts a start to whole nanoseconds.
hpcc_scenario() {
	local window=52000 list tiers=0
	list=$(cd "$2" && pwd -P | sed 's,.*/,,').flows
	[ "$(awk 'NR == 1 { print $2 }' "$2/topology.txt")" = 1 ] || tiers=1
	[ -e "$work/$list" ] || awk -v tiers=$tiers 'NR > 1 && NF >= 6 {
		printf "- {from: %d, to: %d, size: %dB, start: %dns", $1, $2, $5, int(($6 - 2) * 1e9)
		if (tiers) printf ", sport: %d, dport: %d", 10000 + n[$1 " " $2]++, $4
		print "}" }' \
		"$2/flow.txt" >"$work/$list"
	{
		echo "name: $1"
		if [ $tiers = 0 ]; then
			awk 'NR == 1 { print "topology: {hosts: " $1 - 1 ", speed: 100G, delay: 1us}" }' \
				"$2/topology.txt"
		else
			window=104000
			echo "topology: {kind: leaf-spine, hosts: 4, leaves: 4, spines: 2}"
		fi
		echo "workload: {kind: flows, flows: $list}"
		awk -v window=$window -v tiers=$tiers -v own="${3:-}" -f tests/validate/hpcc.awk \
			"${config:-$2/config.txt}" -
	} >"$work/$1.yaml"
}
