#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The exporter under a storm, beside clients that hold connections, and scraped by a real
# Prometheus that has the alert rules.
set -u
B=${B:-build}
. tests/tap.sh
. tests/exporter.sh

if ! command -v curl >/dev/null; then
	tap_skip "the exporter under a storm" "no curl"
	tap_done
	exit
fi

most_kb() { awk '$1 == "VmHWM:" { print $2 }' "/proc/$pid/status"; }
small() { [ "$(most_kb)" -lt $((50 * 1024)) ] || { echo "$(most_kb) kB"; return 1; }; }

# --- a storm ----------------------------------------------------------------------------

exporter_start -d 0.1 --listen 127.0.0.1:0 || exit 1
scraped() { # one more than the storm, which is to be served meanwhile
	storm 1000 50 &
	local storm=$!
	sleep 0.1
	status 200 "$url" && wait $storm
}
tap "a scrape during 1,000 requests of 50 clients; none is lost" scraped
tap "it stays under 50 MB" small
echo "# most memory: $(most_kb) kB"
tap "it ends well" exporter_end

tests/bench/watch_tree.sh "$tap_log/tree" 64 >/dev/null || exit 1
large() {
	demo=--sysroot=$tap_log/tree exporter_start -d 1 --listen 127.0.0.1:0 || return
	status 200 "$url" && [ "$(grep -c '^rocetune_[a-z_]*_total{' "$tap_log/body")" -gt 9000 ] &&
		storm 1000 50 && small && echo "$(stat -c %s "$tap_log/body") $(most_kb)" >"$tap_log/large" && exporter_end
}
tap "the same of 64 devices with 200 counters each, 9,000 of them exported" large
echo "# bytes of its text, most memory in kB: $(cat "$tap_log/large")"

# --- clients that hold connections ------------------------------------------------------

exporter_start -d 1 --listen 127.0.0.1:0 || exit 1
at=${url#http://}
at=/dev/tcp/${at%%:*}/$(echo "$at" | sed 's/.*:\([0-9]*\).*/\1/')

slow() { # a byte each half second, until the other end has had enough
	local start=$SECONDS
	(
		exec 3<>"$at"
		printf 'GET /metrics HTTP/1.1\r\nX: ' >&3
		while printf x >&3 && sleep 0.5; do :; done
	) 2>/dev/null &
	local held=$!
	sleep 1
	status 200 "$url" || return
	while kill -0 $held 2>/dev/null && [ $((SECONDS - start)) -lt 40 ]; do sleep 0.5; done
	! kill $held 2>/dev/null && [ $((SECONDS - start)) -ge 15 ]
}
tap "who sends a byte now and then is ended, after 20 seconds" slow

flood() {
	local i fd
	for i in $(seq 300); do
		exec {fd}<>"$at" || return
		fds="$fds $fd"
	done
	# Another address is served meanwhile, this one when silence has ended it.
	status 200 --interface 127.0.0.2 "$url" || return
	sleep 12
	status 200 "$url" && small
}
fds=
tap "300 silent connections keep nobody out" flood
for fd in $fds; do exec {fd}>&-; done
tap "it ends well after them" exporter_end

# --- Prometheus -------------------------------------------------------------------------

if ! command -v prometheus >/dev/null; then
	tap_skip "a real Prometheus" "no prometheus"
	tap_done
	exit
fi
echo "0123456789abcdefSECRET" >"$tap_log/token"
chmod 600 "$tap_log/token"
exporter_start -d 1 --listen 127.0.0.1:0 --token-file "$tap_log/token" || exit 1
at=${url#http://}
cat >"$tap_log/prometheus.yml" <<YML
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [ "$PWD/docs/alerts.yaml" ]
scrape_configs:
  - job_name: rocetune
    static_configs: [ { targets: [ "${at%/metrics}" ] } ]
    authorization: { credentials_file: "$tap_log/token" }
YML
port=$((20000 + RANDOM % 10000))
prometheus --config.file="$tap_log/prometheus.yml" --storage.tsdb.path="$tap_log/tsdb" \
	--web.listen-address=127.0.0.1:$port >"$tap_log/prometheus.log" 2>&1 &
exporter_pids="$exporter_pids $!"
api=http://127.0.0.1:$port/api/v1
query() { ask -G --data-urlencode "query=$1" "$api/query" | jq -r '.data.result[].value[1]'; }
soon() { # COMMAND...: within a minute
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 120 ] || { tail -n 5 "$tap_log/prometheus.log"; return 1; }
		sleep 0.5
	done
}
at_least() { # NUMBER QUERY
	[ "$(query "$2" | awk -v n="$1" '$1 >= n { ok = 1 } END { print ok + 0 }')" = 1 ]
}
tap "a real Prometheus scrapes it" soon at_least 1 'up{job="rocetune"}'
tap "all samples of the text, none refused" soon at_least 1500 'scrape_samples_post_metric_relabeling{job="rocetune"}'
tap "rates of counters" soon at_least 1000000000 'rate(rocetune_rx_bytes_total{device="mlx5_0"}[20s])'
tap "shares of time" soon at_least 0.01 'rate(rocetune_prio_pfc_tx_seconds_total[20s])'
tap "verdicts" soon at_least 1 'sum(rocetune_port_verdict{verdict!~"ok|unknown"})'
types() { # of OpenMetrics, which it asked for
	[ "$(ask "$api/metadata?metric=rocetune_port" | jq -r '.data.rocetune_port[0].type')" = info ] &&
		[ "$(ask "$api/metadata?metric=rocetune_rx_bytes" | jq -r '.data.rocetune_rx_bytes[0].unit')" = bytes ]
}
tap "types and units of OpenMetrics" types
rules() { [ "$(ask "$api/rules" | jq '[.data.groups[].rules[] | select(.health == "ok")] | length')" -ge 16 ]; }
tap "every alert rule can be evaluated" soon rules
no_rule_fails() { ask "$api/rules" | jq -r '.data.groups[].rules[] | select(.health == "err") | .name + ": " + .lastError'; }
tap_empty "and none fails" no_rule_fails
unanswered() { # what it says of the dashboard's queries, with its variables as Grafana has them
	local expr asked=0
	while read -r expr; do
		ask -G --data-urlencode "query=$expr" "$api/query" >"$tap_log/answer"
		[ "$(jq -r .status "$tap_log/answer")" = success ] || { echo "$expr:"; cat "$tap_log/answer"; }
		asked=$((asked + 1))
	done < <(jq -r '.. | .expr? // empty | gsub("\\$__rate_interval"; "20s") | gsub("\\$[a-z]+"; ".+")' docs/grafana.json)
	[ "$asked" -gt 30 ] || echo "$asked queries"
}
tap_empty "it takes every query of the dashboard" unanswered
complaints() { grep -E 'level=(warn|error)' "$tap_log/prometheus.log" | grep -v 'TSDB\|Stopping'; }
tap_empty "Prometheus has nothing to complain of" complaints
gone() { at_least 1 'rocetune_port_present == bool 0'; }
tap "a port that goes away is told" soon gone
tap_done
