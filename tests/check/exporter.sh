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

# Expressions of the dashboard as rules, with its variables as Grafana has them.
dashboard_rules() {
	jq -c '[.. | .expr? // empty | gsub("\\$__rate_interval"; "5m") | gsub("\\$[a-z]+"; ".*")] |
		{groups: [{name: "dashboard", rules: [to_entries[] | {record: "x:\(.key)", expr: .value}]}]}' docs/grafana.json >"$tap_log/dashboard.json"
	[ "$(jq '.groups[0].rules | length' "$tap_log/dashboard.json")" -gt 20 ] && promtool check rules "$tap_log/dashboard.json"
}
if command -v promtool >/dev/null; then
	tap "promtool check rules docs/alerts.yaml" promtool check rules docs/alerts.yaml
	tap "alerts fire when they should, and not otherwise" promtool test rules tests/check/exporter-alerts.yaml
	tap "the dashboard's queries can be read" dashboard_rules
else
	for name in "promtool check rules docs/alerts.yaml" "alerts fire when they should, and not otherwise" "the dashboard's queries can be read"; do
		tap_skip "$name" "no promtool"
	done
fi

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
	status 200 "$url"
}
tap "junk, huge headers and half requests are refused, and others served on" junk
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
