#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator against what public simulators gave for the same cases.
#
#   tests/validate.sh          TAP
#   tests/validate.sh --write  and the tables into docs/simulator.md
#
# Scenarios are those of tests/scenarios, run by the real command; reference
# figures are read in place from $SHARED/sim-reference.  What is held:
#   - PFC only (HPCC authors' ns-3 model): the last completion to the nanosecond,
#     pause frames within 10 %;
#   - the DCQCN authors' 40G model: the mean queue of long flows.
# For information: medians of the HPCC model's two DCQCN variants.
set -u
export LC_ALL=C
B=${B:-build}
SHARED=${SHARED:-../shared}
reference=$SHARED/sim-reference
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0 failed=0

ok() { # RESULT NAME: RESULT 1 is good
	n=$((n + 1))
	if [ "$1" = 1 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		failed=1
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# simulate SCENARIO SENDERS SIZE SEED [DURATION]: a run of N:1, JSON to $work/out
simulate() {
	sed "s/senders: [0-9]*/senders: $2/; s/size: [0-9A-Z]*/size: $3/" \
		"tests/scenarios/$1.yaml" >"$work/scenario.yaml"
	[ -z "${5:-}" ] || sed -i "s/^duration: .*/duration: $5/" "$work/scenario.yaml"
	"$B/rocetune" sim "$work/scenario.yaml" --seed "$4" --json --fail-on error \
		>"$work/out" || { sed 's/^/# /' "$work/out"; return 1; }
}
# value KEY: of the result's own keys, not those of its parts
value() { sed -n "s/^  \"$1\": \([-0-9.e+]*\),*$/\1/p" "$work/out"; }
# known FOLDER KEY: of a reference run's summary
known() { grep -o "\"$2\": [-0-9.]*" "$reference/$1/summary.json" | sed 's/.*: //'; }
within() { awk -v a="$1" -v b="$2" -v share="$3" 'BEGIN { d = a - b; if (d < 0) d = -d
	print d <= share * b ? 1 : 0 }'; }

echo "| senders | packets each | last completion, ns | 83 N P + 4091 | pause frames | reference |" >"$work/pfc"
echo "|---|---|---|---|---|---|" >>"$work/pfc"
pfc_only() { # SENDERS PACKETS
	local case=pfconly_n$1_$2KB last want pauses theirs=-
	want=$((83 * $1 * $2 + 4091))
	simulate hpcc-pfconly "$1" "${2}000B" 1
	last=$(($(value last_completion_ps) / 1000))
	pauses=$(value pfc_xoff)
	ok "$((last == want))" "PFC only, $1:1, $2 packets: last completion $last ns, want $want"
	if [ -r "$reference/hpcc/$case/summary.json" ]; then
		theirs=$(known "hpcc/$case" pause_tx)
		ok "$(within "$pauses" "$theirs" 0.1)" \
			"PFC only, $1:1, $2 packets: $pauses pause frames, reference $theirs"
	else
		skip "PFC only, $1:1, $2 packets: pause frames" "no $reference/hpcc/$case"
	fi
	echo "| $1 | $2 | $last | $want | $pauses | $theirs |" >>"$work/pfc"
}

# The reference ran one seed: a range of it holds as far as seeds spread.
echo "| senders | time | mean queue, KB (5 seeds) | of one seed | spread | reference range | range used |" >"$work/queue"
echo "|---|---|---|---|---|---|---|" >>"$work/queue"
mean_queue() { # SENDERS DURATION LOW HIGH
	local queues= row seed
	for seed in 1 2 3 4 5; do
		simulate msft-40g "$1" 10GB "$seed" "$2"
		queues+="$(value queue_mean_bytes) "
	done
	row=$(echo "$queues" | awk -v low="$3" -v high="$4" '{
		for (i = 1; i <= NF; i++) { v = $i / 1000; s += v; q += v * v
			if (i == 1 || v < min) min = v; if (v > max) max = v }
		m = s / NF; d = sqrt((q - NF * m * m) / (NF - 1)); lo = low - d; hi = high + d
		good = (m >= lo && m <= hi) ? 1 : 0
		printf "%d %.1f %.1f %.1f %.1f %.1f %.1f\n", good, m, min, max, d, lo, hi }')
	read -r good mean min max spread lo hi <<<"$row"
	ok "$good" "40G authors' model, $1:1, $2: mean queue $mean KB, range $3 to $4, used $lo to $hi"
	echo "| $1 | $2 | $mean | $min to $max | $spread | $3 to $4 | $lo to $hi |" >>"$work/queue"
}

echo "| variant | senders | packets each | median completion, us (3 seeds) | reference | deviation |" >"$work/median"
echo "|---|---|---|---|---|---|" >>"$work/median"
median() { # VARIANT SENDERS PACKETS
	local case=$1_n$2_$3KB medians= theirs seed
	[ -r "$reference/hpcc/$case/summary.json" ] || return
	theirs=$(known "hpcc/$case" fct_med)
	for seed in 1 2 3; do
		simulate "hpcc-$1" "$2" "${3}000B" "$seed"
		medians+="$(value median_completion_ps) "
	done
	echo "$medians" | awk -v v="$1" -v s="$2" -v p="$3" -v r="$theirs" '{
		m = ($1 + $2 + $3) / 3e6; r /= 1e3
		printf "| %s | %d | %d | %.1f | %.1f | %+.1f %% |\n", v, s, p, m, r, 100 * (m / r - 1) }' \
		>>"$work/median"
}

for packets in 1000 10000; do
	for senders in 2 4 8 16 32 64; do pfc_only $senders $packets; done
done
mean_queue 2 300ms 19.1 21.1
mean_queue 4 100ms 43.2 44.4
mean_queue 8 300ms 68 96
mean_queue 16 100ms 59 64
mean_queue 20 300ms 65.2 66

if [ "${1:-}" = --write ]; then
	for variant in mlx paper; do
		for packets in 1000 10000; do
			for senders in 2 4 8 16 32 64; do median $variant $senders $packets; done
		done
	done
	keys_of() { # LIST HEADER: rows of a list of `sim --keys --json` as a table
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
				} else print "| `" v["name"] "` | " v["help"] " |" }'
	}
	{ echo "| key | takes | bounds | default | meaning |"; echo "|---|---|---|---|---|"
		keys_of keys; } >"$work/keys"
	{ echo "| option | what it does |"; echo "|---|---|"; keys_of options; } >"$work/options"
	for table in keys options pfc queue median; do
		awk -v name="$table" -v file="$work/$table" '
			$0 == "<!-- end " name " -->" { inside = 0 }
			!inside { print }
			$0 == "<!-- begin " name " -->" { inside = 1
				while ((getline line < file) > 0) print line }' \
			docs/simulator.md >"$work/doc" && cp "$work/doc" docs/simulator.md
	done
	sed 's/^/# /' "$work/median"
fi
echo "1..$n"
exit $failed
