#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The exporter as a program: what it answers to whom, what it refuses, how it ends; and
# that alert rules, dashboard and unit file are about what there is.
set -u
B=${B:-build}
. tests/tap.sh
. tests/exporter.sh

# --- the files of docs ------------------------------------------------------------------

names() { grep -oh 'rocetune_[a-z0-9_]*' "$@" | sort -u; }
known() { grep -o '^| `rocetune_[a-z0-9_]*`' docs/metrics.md | tr -d '|` ' | sort -u; }
unknown_names() { comm -23 <(names "$@") <(known); }
probe_names() { [ "$(echo 'rate(rocetune_rx_bytes_total[5m]) + rocetune_made_up' >"$tap_log/x"; unknown_names "$tap_log/x")" = rocetune_made_up ]; }
tap "a name that is none would be seen" probe_names
for file in docs/alerts.yaml docs/grafana.json docs/exporter.md; do
	tap_empty "$file names only metrics that there are" unknown_names "$file"
done

# Each alert has a row that it fires in: without it the rows do not hold.
unfired() {
	local name
	cp docs/alerts.yaml "$tap_log/alerts.yaml"
	sed "s#[^ ]*docs/alerts.yaml#$tap_log/alerts.yaml#" tests/check/exporter-alerts.yaml >"$tap_log/alerts-test.yaml"
	promtool test rules "$tap_log/alerts-test.yaml" >/dev/null || echo "the copy does not hold"
	[ "$(grep -c '^ *- alert: ' docs/alerts.yaml)" -ge 16 ] || echo "which alerts there are is not seen"
	for name in $(sed -n 's/^ *- alert: //p' docs/alerts.yaml); do
		# A rule, to the next one or the next group.
		awk -v name="$name" '/^ *- (alert|name): /{ skip = $NF == name } !skip' docs/alerts.yaml >"$tap_log/alerts.yaml"
		promtool check rules "$tap_log/alerts.yaml" 2>&1 | grep -q ' 15 rules found' || echo "without $name they are not read"
		! promtool test rules "$tap_log/alerts-test.yaml" >/dev/null 2>&1 || echo "$name never fires"
	done
}

# Expressions of the dashboard, with its variables as Grafana has them.
queries() {
	jq '[.. | .expr? // empty | gsub("\\$__rate_interval"; "5m") | gsub("\\$[a-z]+"; ".+")]' docs/grafana.json
}
dashboard_rules() {
	queries | jq -c '{groups: [{name: "dashboard", rules: [to_entries[] | {record: "x:\(.key)", expr: .value}]}]}' >"$tap_log/dashboard.json"
	[ "$(jq '.groups[0].rules | length' "$tap_log/dashboard.json")" -gt 30 ] && promtool check rules "$tap_log/dashboard.json"
}
# tests_of SERIES ROWS: of promtool, after half an hour.
tests_of() {
	jq -n --argjson series "$1" --argjson rows "$2" '{evaluation_interval: "1m", tests: [{interval: "1m",
		input_series: $series, promql_expr_test: [$rows[] | {expr, eval_time: "20m", exp_samples: .is}]}]}' >"$tap_log/queries.json"
	promtool test rules "$tap_log/queries.json"
}
# What the exporter of the demonstration tells, where counters grow.
demo_series() {
	"$B/rocetune" exporter --demo --textfile "$tap_log/demo.prom" -d 0.1 2>/dev/null &
	local pid=$! tries=0
	until grep -q '^rocetune_port_finding' "$tap_log/demo.prom" 2>/dev/null || [ $((tries += 1)) -gt 200 ]; do sleep 0.05; done
	kill "$pid" && wait "$pid"
	sed -nE '/^[^#]/s/^(([^{ ]*)(\{.*\})?) ([^ ]*)$/\2\t\1\t\4/p' "$tap_log/demo.prom" |
		jq -Rn '[inputs | split("\t") | {series: (.[1] | rtrimstr("}") |
			. + (if contains("{") then "," else "{" end) + "instance=\"h\"}"), values: (.[2] + (if .[0] | endswith("_total") then "+60" else "" end) + "x30")}]'
}
answered() { # each query has series, and so names and labels that there are; hosts have no switch's
	demo_series >"$tap_log/series.json"
	[ "$(jq length "$tap_log/series.json")" -gt 1000 ] || { echo "the demonstration is not told"; return 1; }
	jq '{evaluation_interval: "1m", tests: [{interval: "1m", input_series: ., promql_expr_test: [$queries[0][] |
		select(startswith("rate(rocetune_prio_tx_discards_total") | not) | {expr: "count(\(.)) > bool 0", eval_time: "20m", exp_samples: [{labels: "{}", value: 1}]}]}]}' \
		--slurpfile queries <(queries) "$tap_log/series.json" >"$tap_log/queries.json"
	promtool test rules "$tap_log/queries.json"
}
# A number is of something: where nothing is known, nothing is shown.
unknown_is_none() { tests_of '[]' "$(queries | jq '[.[] | {expr: ., is: []}]')"; }
legends() { jq -r '.. | .legendFormat? // empty' docs/grafana.json | grep -o '{{[a-z]*}}' | tr -d '{}' | sort -u; }
labels() { { echo instance; sed -nE 's/^\| `rocetune_[^|]*\|[^|]*\| ([^|]*) \|.*/\1/p' docs/metrics.md | tr -d ' ' | tr ',' '\n'; } | sort -u; }
strange_legends() {
	[ "$(legends | wc -l)" -gt 3 ] || echo "no legends are seen"
	comm -23 <(legends) <(labels)
}
# Drops by all that NICs call them, each once: rx is the sum of the others where it is told.
drops() { # DEVICE: the series of one
	local query
	query=$(jq -r '.panels[] | select(.title == "Drops on lossless priorities").targets[0].expr |
		gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; "h")' docs/grafana.json)
	series() { # DEVICE PRIO NAME VALUES
		printf '{"series": "rocetune_prio_%s{instance=\\"h\\",device=\\"%s\\",port=\\"1\\",prio=\\"%s\\"}", "values": "%s"}\n' "$3" "$1" "$2" "$4"
	}
	tests_of "$({
		for device in all parts none unknown; do series $device 3 lossless 1x30; done
		series all 0 lossless 0x30
		series all 3 rx_discards_total 0+120x30
		series all 3 rx_buffer_discards_total 0+60x30
		series all 3 rx_congestion_discards_total 0+60x30
		series all 3 tx_discards_total 0+60x30
		series all 0 rx_discards_total 0+600x30
		series parts 3 rx_buffer_discards_total 0+240x30
		series parts 3 rx_congestion_discards_total 0+60x30
		series none 3 rx_discards_total 7x30
	} | jq -s .)" "$(jq -n --arg query "$query" '[["all", 3], ["parts", 5], ["none", 0], ["unknown", null]] |
		[.[] | {expr: (.[0] as $device | $query | gsub("\\$device"; $device)),
		        is: (if .[1] == null then [] else [{labels: "{}", value: .[1]}] end)}]')"
}
while IFS=@ read -r name check; do
	if ! command -v promtool >/dev/null; then
		tap_skip "$name" "no promtool"
	else
		case $check in unfired) tap_empty "$name" $check ;; *) tap "$name" $check ;; esac
	fi
done <<-'ROWS'
	promtool check rules docs/alerts.yaml@promtool check rules docs/alerts.yaml
	alerts fire when they should, and not otherwise@promtool test rules tests/check/exporter-alerts.yaml
	every alert is seen to fire@unfired
	the dashboard's queries can be read@dashboard_rules
	each of them has an answer, of the demonstration@answered
	none of them makes a number of what is not known@unknown_is_none
	drops on lossless priorities are all of them, each once@drops
ROWS
tap_empty "the dashboard's legends are of labels that there are" strange_legends

unit() {
	sed "s#/usr/local/bin/rocetune#$PWD/$B/rocetune#" docs/rocetune-exporter.service >"$tap_log/rocetune-exporter.service"
	systemd-analyze verify --man=no "$tap_log/rocetune-exporter.service"
}
exposed() { systemd-analyze security --offline=true --threshold=20 "$tap_log/rocetune-exporter.service"; }
if command -v systemd-analyze >/dev/null; then
	tap_empty "systemd takes the unit as it is" unit
	tap "the unit is shut in: an exposure of 2.0 at most" exposed
else
	tap_skip "systemd takes the unit as it is" "no systemd-analyze"
	tap_skip "the unit is shut in: an exposure of 2.0 at most" "no systemd-analyze"
fi

# The unit's filter lets everything through that it calls here.
allowed() { # GROUP
	local name
	systemd-analyze syscall-filter "$1" | sed -n 's/^    \([@a-z0-9_-]*\)$/\1/p' | while read -r name; do
		case $name in @*) allowed "$name" ;; *) echo "$name" ;; esac
	done
}
called() {
	timeout -s INT 1.5 strace -f -o "$tap_log/trace" "$B/rocetune" exporter -d 0.2 --listen :0 2>/dev/null
	grep -q 'epoll_wait\|ppoll' "$tap_log/trace" || echo "nothing was seen"
	comm -23 <(sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' "$tap_log/trace" | sort -u) \
		<(allowed "$(sed -n 's/^SystemCallFilter=//p' docs/rocetune-exporter.service)" | sort -u)
}
if command -v systemd-analyze >/dev/null && strace -o /dev/null true 2>/dev/null; then
	tap_empty "it calls nothing that the unit forbids" called
else
	tap_skip "it calls nothing that the unit forbids" "no systemd-analyze, or no strace"
fi

# --- options and files ------------------------------------------------------------------

refused() { # CODE WORDS ARGUMENTS...
	local code=$1 words=$2
	shift 2
	timeout 20 "$B/rocetune" exporter --demo "$@" >/dev/null 2>"$tap_log/err"
	[ $? -eq "$code" ] && grep -qF -- "$words" "$tap_log/err" || { cat "$tap_log/err"; return 1; }
}
tap "a file that node_exporter would not read is refused" refused 2 x.txt.prom --textfile "$tap_log/x.txt"
tap "--once wants a file" refused 2 --textfile --once
tap "one place to serve at" refused 2 "one of them" --listen :0 --socket "$tap_log/s"
tap "an address that is none" refused 2 "no address to listen at" --listen 1.2.3.4.5
tap "an interval that is none" refused 2 "100ms to 60s" -d 90
tap "a user that is none" refused 3 "no user" --listen :0 --user no-such-user
tap "nor is it waited for a folder" refused 3 "No such file" --textfile "$tap_log/none/x.prom"
tap "a folder that is none" refused 3 "No such file" --once --textfile "$tap_log/none/x.prom"
echo short >"$tap_log/token"
chmod 600 "$tap_log/token"
tap "a token that is no secret" refused 3 "a token has" --listen :0 --token-file "$tap_log/token"

once() {
	(umask 077 && "$B/rocetune" exporter --demo --once --textfile "$tap_log/x.prom" 2>/dev/null) &&
		[ "$(stat -c %a "$tap_log/x.prom")" = 644 ] && [ -z "$(find "$tap_log" -name '.x*')" ] &&
		grep -qx 'rocetune_samples_total 1' "$tap_log/x.prom" && ! grep -q 'EOF\|UNIT' "$tap_log/x.prom"
}
tap "--once writes a file that node_exporter may read" once
too_large() { # the text is, and is not left half written
	mkdir "$tap_log/small"
	(ulimit -f 8 && "$B/rocetune" exporter --demo --once --textfile "$tap_log/small/x.prom" 2>"$tap_log/err")
	[ $? -eq 3 ] && grep -q 'cannot write .*x.prom: File too large' "$tap_log/err" && [ -z "$(ls -A "$tap_log/small")" ]
}
tap "a text that is larger than a file may be is an error" too_large
no_pipe() { # becomes a file
	mkfifo "$tap_log/pipe.prom"
	refused 3 "not a regular file" --once --textfile "$tap_log/pipe.prom" && [ -p "$tap_log/pipe.prom" ]
}
tap "what is there and is no file stays" no_pipe
tidies() { # what a process left that is no more; not that of others
	local dead name program
	program=$(realpath "$B/rocetune")
	mkdir "$tap_log/parts"
	sh -c 'echo $$' >"$tap_log/dead" && dead=$(cat "$tap_log/dead")
	for name in .x.prom.$dead .x.prom.$$ .x.prom.${dead}y .x.prom. .xx.prom.$dead x.prom.$dead; do
		echo >"$tap_log/parts/$name"
	done
	(cd "$tap_log/parts" && "$program" exporter --demo --once --textfile x.prom 2>/dev/null) || return
	ls -A "$tap_log/parts" | sort >"$tap_log/left"
	printf '%s\n' .x.prom.$$ .x.prom.${dead}y .x.prom. .xx.prom.$dead x.prom.$dead x.prom | sort | diff - "$tap_log/left" &&
		"$B/rocetune" exporter --demo --once --textfile "$tap_log/parts/x.prom" 2>/dev/null &&
		echo >"$tap_log/parts/.x.prom.$dead" &&
		"$B/rocetune" exporter --demo --once --textfile "$tap_log/parts/x.prom" 2>/dev/null &&
		[ ! -e "$tap_log/parts/.x.prom.$dead" ]
}
tap "parts of the file that dead processes left are removed" tidies
# Every counter of top is a sample, with its value, and there is no other.
as_top() { # TREE
	"$B/rocetune" exporter --once --sysroot "$1" --textfile "$tap_log/z.prom" 2>/dev/null &&
		"$B/rocetune" top --json --all -n 0 --sysroot "$1" >"$tap_log/top.json"
	# Bytes and counts; times are told in another unit.
	jq -r '.ports[] | .name as $port | .counters[]? | select(.counter | test("_ns$") | not) |
		"\($port) \(.counter) \(.prio // "-") \(.value)"' "$tap_log/top.json" | sort >"$tap_log/of-top"
	sed -nE 's/^rocetune_(prio_)?(.*)_total\{device="([^"]*)",port="([^"]*)",netdev="[^"]*"(,prio="(.)")?\} (.*)/\3 \4 \2 \6 \7/p' "$tap_log/z.prom" |
		awk 'NF == 4 { $5 = $4; $4 = "-" } { $1 = $1 "/" $2; $2 = ""; print }' | tr -s ' ' | grep -v _seconds | sort >"$tap_log/of-exporter"
	[ "$(wc -l <"$tap_log/of-top")" -gt 40 ] && diff "$tap_log/of-top" "$tap_log/of-exporter"
}
tap "the counters are those of top: two rails" as_top tests/trees/two-rails
tap "the counters are those of top: one NIC of each driver" as_top tests/trees/zoo
replayed() { # to its end
	"$B/rocetune" top --demo --speed 0 -n 30 -d 0.1 -w "$tap_log/x.rtw" -b >/dev/null
	timeout 20 "$B/rocetune" exporter -r "$tap_log/x.rtw" --textfile "$tap_log/r.prom" -d 0.1 2>"$tap_log/err" &&
		grep -q '^rocetune_port_verdict{.*} 1$' "$tap_log/r.prom"
}
tap "a recording is told to its end" replayed
as_it_ends() { # SOURCE: the last sample of all, with its verdicts
	"$B/rocetune" top --json --all --speed 0 "$@" >"$tap_log/all.json" &&
		timeout 60 "$B/rocetune" exporter "$@" --once --textfile "$tap_log/end.prom" 2>/dev/null || return
	[ "$(grep -c '^rocetune_port_verdict{.*} 1$' "$tap_log/end.prom")" -gt 2 ] &&
		grep -qx 'rocetune_sample_success 1' "$tap_log/end.prom" || return
	jq -rs 'last | .ports[] | .name as $port | .counters[]? | select(.counter == "tx_bytes" and .prio == null) |
		"\($port) \(.value)"' "$tap_log/all.json" | sort >"$tap_log/of-top"
	sed -nE 's/^rocetune_tx_bytes_total\{device="([^"]*)",port="([^"]*)",[^}]*\} (.*)/\1\/\2 \3/p' "$tap_log/end.prom" |
		sed 's#/ # #' | sort | diff "$tap_log/of-top" - && grep -q ' [1-9][0-9]*$' "$tap_log/of-top"
}
tap "--once tells a scenario as it ends" as_it_ends --scenario tests/scenarios/incast16-100g.yaml
tap "--once tells a recording as it ends" as_it_ends -r "$tap_log/x.rtw"
damaged() { # and the sample that cannot be read as none
	sed '6s/"port":0/"port":99/' "$tap_log/x.rtw" >"$tap_log/bad.rtw"
	timeout 20 "$B/rocetune" exporter -r "$tap_log/bad.rtw" --once --textfile "$tap_log/bad.prom" 2>"$tap_log/err"
	[ $? -eq 3 ] ||
		return 1
	grep -q 'bad.rtw:6: ' "$tap_log/err" && grep -q 'says that the sample failed' "$tap_log/err" && grep -qx 'rocetune_sample_success 0' "$tap_log/bad.prom" &&
		! grep -q device= "$tap_log/bad.prom"
}
tap "a damaged one is told as a sample that failed" damaged
goes_on() {
	exporter_start -d 0.1 --textfile "$tap_log/y.prom" || return
	local tries=0
	until awk '$1 == "rocetune_samples_total" && $2 > 5 { ok = 1 } END { exit !ok }' "$tap_log/y.prom"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
	exporter_end && grep -q '^rocetune_port_verdict{.*} 1$' "$tap_log/y.prom"
}
tap "a file is written again and again, until SIGTERM" goes_on

again() { # the folder goes and comes back
	mkdir "$tap_log/folder"
	exporter_start -d 0.1 --textfile "$tap_log/folder/x.prom" || return
	rm -r "$tap_log/folder" || return
	local tries=0
	until grep -q 'cannot write' "$said"; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.05
	done
	sleep 0.4
	mkdir "$tap_log/folder"
	until [ -s "$tap_log/folder/x.prom" ]; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
	[ "$(grep -c 'cannot write' "$said")" -eq 1 ] && exporter_end
}
tap "a file that could not be written is said once, and tried again" again

if ! command -v curl >/dev/null; then
	tap_skip "what is served" "no curl"
	tap_done
	exit
fi

# --- answers ----------------------------------------------------------------------------

answers() {
	exporter_start -d 60 --listen 127.0.0.1:0 || return
	status 200 "$url" && header "content-type: text/plain; version=0.0.4; charset=utf-8" &&
		header "age: [0-9]*" && cp "$tap_log/body" "$tap_log/text" &&
		status 200 -H 'Accept: application/openmetrics-text;version=1.0.0' "$url" &&
		header "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8" &&
		[ "$(tail -n 1 "$tap_log/body")" = "# EOF" ] &&
		status 200 -I "$url" && [ ! -s "$tap_log/body" -o "$(grep -c rocetune_ "$tap_log/body")" = 0 ] &&
		status 200 "${url%metrics}" && grep -q 'href="/metrics"' "$tap_log/body"
}
tap "metrics in both formats, and a page that says where" answers
refusals() {
	status 404 "${url}x" && status 404 "${url%/metrics}/../etc/passwd" --path-as-is &&
		status 405 -X DELETE "$url" && header "allow: GET, HEAD" &&
		status 405 -d "$(head -c 100000 /dev/zero | tr '\0' x)" "$url" &&
		status 413 -X GET -d x "$url" && status 405 -T - "$url" </dev/null
}
tap "other paths, methods and bodies are refused" refusals
same() { # an interval is a minute: all scrapes are of one sample
	storm 200 50 && status 200 "$url" && cmp "$tap_log/body" "$tap_log/text" &&
		grep -qx 'rocetune_samples_total 1' "$tap_log/body"
}
tap "200 requests of 50 clients: all answered, from one sample" same
if command -v promtool >/dev/null; then
	tap_empty "promtool check metrics" promtool check metrics <"$tap_log/text"
else
	tap_skip "promtool check metrics" "no promtool"
fi

exporter_end || echo "# it did not end well"
newer() { # samples go on, and so does what is served; each thing is said once
	exporter_start -d 0.1 --listen 127.0.0.1:0 || return
	local first last tries=0
	count() { ask "$url" | sed -n 's/^rocetune_samples_total //p'; }
	first=$(count)
	until last=$(count) && [ "$last" -gt "$first" ]; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.05
	done
	sleep 0.5
	grep -q '^rocetune exporter: hns_0/1: nothing can be read' "$said" && [ -z "$(sort "$said" | uniq -d)" ] ||
		{ cat "$said"; return 1; }
}
tap "the next sample is told, and what cannot be read" newer

# --- junk -------------------------------------------------------------------------------

noise() { # SEED BYTES: always the same ones
	LC_ALL=C awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); while (n--) printf "%c", 1 + int(rand() * 255) }'
}
junk() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		{ noise "$i" $((i * 300)); printf '\r\n\r\n'; } | RAW_SECONDS=0.3 raw >"$tap_log/raw"
		! grep -aq ' 200 ' "$tap_log/raw" || { echo "noise $i is answered"; return 1; }
	done
	{ printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nX: '; head -c 100000 /dev/zero | tr '\0' x; printf '\r\n\r\n'; } |
		raw >"$tap_log/raw"
	! grep -aq ' 200 ' "$tap_log/raw" || { echo "a header of 100 kB is taken"; return 1; }
	printf 'GET /metrics HTTP/1.1\r\nHost: a\r\nHost' | RAW_SECONDS=0.3 raw >"$tap_log/raw"
	[ ! -s "$tap_log/raw" ] || { echo "half a request is answered"; return 1; }
	printf 'GET /%%00metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' | raw >"$tap_log/raw"
	grep -aq '^HTTP/1.1 404' "$tap_log/raw" || { cat "$tap_log/raw"; return 1; }
	printf 'GET /metrics HTTP/9.9\r\n\r\n' | RAW_SECONDS=0.3 raw >/dev/null
	for i in 'junk junk' 'GET /metrics' 'GET /metrics JUNK/1.1' '\001 \002 \003'; do
		printf "$i\r\n\r\n" | raw >"$tap_log/raw"
		grep -aq '^HTTP/1.[01] 400' "$tap_log/raw" || { echo "$i:"; cat "$tap_log/raw"; return 1; }
	done
	# Without a blank it is no request line to libmicrohttpd, which closes the connection.
	printf 'junk\r\n\r\n' | raw >"$tap_log/raw"
	! grep -aq ' 200 ' "$tap_log/raw" || { echo "a word is answered"; return 1; }
	status 200 "$url"
}
tap "junk, huge headers and half requests are refused, junk with a 400, and others served on" junk
rights() {
	grep -qx 'CapEff:.0000000000000000' "/proc/$pid/status" &&
		grep -qx 'CapPrm:.0000000000000000' "/proc/$pid/status" &&
		grep -qx 'NoNewPrivs:.1' "/proc/$pid/status"
}
tap "it has no capabilities left" rights
tap "SIGINT ends it well" exporter_end INT

# --- tokens, users, sockets -------------------------------------------------------------

echo "0123456789abcdefSECRET" >"$tap_log/token"
token() {
	exporter_start -d 60 --listen 127.0.0.1:0 --token-file "$tap_log/token" || return
	status 401 "$url" && header 'www-authenticate: Bearer realm="rocetune"' && status 401 "${url%metrics}" &&
		status 401 -H 'Authorization: Bearer 0123456789abcdefSECREt' "$url" && status 401 -u a:b "$url" &&
		status 200 -H 'Authorization: Bearer 0123456789abcdefSECRET' "$url" && exporter_end
}
tap "with a token, only who shows it is answered" token

socket() {
	exporter_start -d 60 --socket "$tap_log/s" || return
	[ "$(stat -c %a "$tap_log/s")" = 660 ] && url=http://x/metrics &&
		status 200 --unix-socket "$tap_log/s" "$url" &&
		refused 3 "somebody listens" --socket "$tap_log/s" || return
	exporter_end KILL
	# What it left is taken over; at its end it goes.
	exporter_start -d 60 --socket "$tap_log/s" && status 200 --unix-socket "$tap_log/s" http://x/metrics &&
		exporter_end && [ ! -e "$tap_log/s" ]
}
tap "a unix socket, for owner and group" socket
socket_goes() { # also where it ends before it serves anybody
	head -n 1 "$tap_log/x.rtw" >"$tap_log/empty.rtw"
	timeout 20 "$B/rocetune" exporter -r "$tap_log/empty.rtw" --socket "$tap_log/e" 2>"$tap_log/err"
	[ $? -eq 3 ] && grep -q 'nothing to tell' "$tap_log/err" && [ ! -e "$tap_log/e" ]
}
tap "it goes with an exporter that has nothing to tell" socket_goes
user() {
	exporter_start -d 0.1 --listen 127.0.0.1:0 --user nobody || return
	[ "$(awk '$1 == "Uid:" { print $2, $3, $4 }' "/proc/$pid/status")" = "$(id -u nobody) $(id -u nobody) $(id -u nobody)" ] &&
		[ -z "$(awk '$1 == "Groups:" { print $2 }' "/proc/$pid/status")" ] && rights &&
		status 200 "$url" && exporter_end
}
if [ "$(id -u)" -eq 0 ]; then
	tap "as another user, without any rights" user
else
	tap_skip "as another user, without any rights" "not root"
fi
tap_done
