# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests that watch a lab at work.  Wants $rocetune, tests/tap.sh, tests/lab.sh.

# A lab run, watched from its beginning to its end at 100 ms: $tap_log/NAME.run.json is
# the run's report, $tap_log/NAME.json an object a line for each interval.
watch_run() { # NAME ARGUMENT...
	local name=$1 run top
	shift
	"$rocetune" lab run --name "$name" --json "$@" >"$tap_log/$name.run.json" 2>"$tap_log/$name.err" &
	run=$!
	until "$rocetune" lab show --name "$name" >/dev/null 2>&1; do
		kill -0 $run 2>/dev/null || break
		sleep 0.02
	done
	"$rocetune" top --lab "$name" --json --all -d 100ms \
		>"$tap_log/$name.json" 2>"$tap_log/$name.top.err" &
	top=$!
	wait $run
	local code=$?
	# What is gone is seen, too; in five seconds, or it never is.
	local i
	for i in $(seq 50); do
		tail -n 1 "$tap_log/$name.json" | grep -q '"state":"up"' || break
		sleep 0.1
	done
	kill -INT $top 2>/dev/null
	wait $top
	local watched=$?
	[ "$code" -le 1 ] || { echo "the run: exit $code"; cat "$tap_log/$name.err"; return 1; }
	[ "$watched" -le 1 ] || { echo "top: exit $watched"; cat "$tap_log/$name.top.err"; return 1; }
}

# What two sets of ports have counted of the same, in the intervals that all of them know:
# figures are rates, over the time they are of.
watch_sums='
	def added(names; figure): . as $tick | [.ports[] | select(.name | test("^(" + names + ")$")) |
		.figures | figure] | if any(. == null) or . == [] then null
		else add * $tick.elapsed_ns / 1e9 end;
	def sums(a; f; b; g): [inputs | [added(a; f), added(b; g)] |
		select(.[0] != null and .[1] != null)] |
		[(map(.[0]) | add // 0), (map(.[1]) | add // 0)];
	def differ: if max == 0 then 0 else ((.[0] - .[1]) | fabs) / max * 100 end;
'

# Within PERCENT of the larger one, and something at all.
watch_agrees() { # NAME PERCENT PORTS FIGURE PORTS FIGURE
	jq -n -c "$watch_sums"'sums("'"$3"'"; '"$4"'; "'"$5"'"; '"$6"') |
		{sums: ., differ: differ}' "$tap_log/$1.json" >"$tap_log/agrees" || return 1
	sed "s/^/# $1, $3 and $5: /" "$tap_log/agrees" >&3
	jq -e ".sums[0] > 0 and .differ <= $2" "$tap_log/agrees" >/dev/null || {
		cat "$tap_log/agrees"
		return 1
	}
}

# A run that has to show each of these; once in three the machine is quiet enough.
watch_tries() { # NAME "ARGUMENT..." TEST ARGUMENT... [-- TEST ARGUMENT...]
	local name=$1 arguments=$2 try bad
	shift 2
	for try in 1 2 3; do
		echo "# $name, run $try" >&3
		# shellcheck disable=SC2086
		watch_run "$name" $arguments || return 1
		bad=
		local all=("$@") one=()
		for word in "${all[@]}" --; do
			if [ "$word" != -- ]; then
				one+=("$word")
				continue
			fi
			"${one[0]}" "$name" "${one[@]:1}" >"$tap_log/why" || {
				bad+="not so: ${one[*]}"$'\n'$(cat "$tap_log/why")$'\n'
				head -n 3 "$tap_log/why" | sed "s/^/# not so: /" >&3
			}
			one=()
		done
		[ -n "$bad" ] || return 0
	done
	echo "$bad"
	return 1
}

# Verdicts of ports while their traffic ran, with how many intervals had each.
watch_verdicts='
	def verdicts(names): [inputs | .ports[] | select((.name | test("^(" + names + ")$")) and
		(.figures.rx_bps // 0) + (.figures.tx_bps // 0) > 0) | .verdict] |
		group_by(.) | map({(.[0]): length}) | add // {};
'

# Each of these ports has the verdict for two fifths of the time at least: CNPs of a sender
# come some tens of milliseconds apart, so that it has intervals without.
watch_says() { # NAME PORT... VERDICT
	local name=$1 verdict=${*: -1} port
	shift
	for port in "${@:1:$#-1}"; do
		jq -n -c "$watch_verdicts"'verdicts("'"$port"'")' "$tap_log/$name.json" >"$tap_log/says"
		sed "s/^/# $name, $port: /" "$tap_log/says" >&3
		jq -e --arg v "$verdict" '.[$v] // 0 | . > 0 and . >= 0.4 * $all' \
			--argjson all "$(jq 'add // 0' "$tap_log/says")" "$tap_log/says" >/dev/null || {
			echo "$port: $(cat "$tap_log/says")"
			return 1
		}
	done
}

# None of these ports ever has one of these verdicts: "host|network"; while it is there, for
# the lab ends before its watching does.
watch_never() { # NAME PORTS VERDICTS
	jq -n -c -r --arg bad "^($3)$" --arg names "^($2)$" '[inputs | .time_ns as $at | .ports[] |
		select((.name | test($names)) and (.verdict | test($bad)) and .facts.state != "gone") |
		"\($at) \(.name) \(.verdict): \(.findings[0].evidence? // "")"] | .[:8][],
		(if . == [] then empty else "\(length) in all" end)' "$tap_log/$1.json" >"$tap_log/never"
	[ ! -s "$tap_log/never" ] || {
		cat "$tap_log/never"
		return 1
	}
}
