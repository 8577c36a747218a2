# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests of the exporter, after tests/tap.sh: start one, ask it, end it.
exporter_pids=
trap 'for p in $exporter_pids; do kill -9 "$p" 2>/dev/null; done; rm -rf "$tap_log"' EXIT

# exporter_start ARGUMENTS...: sets pid, url (what it says it is at) and said (its stderr).
exporter_start() {
	said=$tap_log/said.$RANDOM$RANDOM
	"$B/rocetune" exporter "${demo:---demo}" "$@" >/dev/null 2>"$said" &
	pid=$!
	exporter_pids="$exporter_pids $pid"
	local tries=0
	until url=$(sed -n 's/^rocetune: metrics are at //p' "$said") && [ -n "$url" ]; do
		kill -0 "$pid" 2>/dev/null && [ $tries -lt 400 ] || { cat "$said"; return 1; }
		tries=$((tries + 1))
		sleep 0.05
	done
}

# exporter_end [SIGNAL]: its exit status.
exporter_end() {
	kill "-${1:-TERM}" "$pid"
	wait "$pid"
}

ask() { curl -s --noproxy '*' --max-time 20 "$@"; }
status() { # CODE CURL ARGUMENTS...: the answer has this status
	local wanted=$1 got
	shift
	got=$(ask -o "$tap_log/body" -D "$tap_log/head" -w '%{http_code}' "$@")
	[ "$got" = "$wanted" ] || { echo "status $got instead of $wanted: $*"; cat "$tap_log/head"; return 1; }
}
header() { tr -d '\r' <"$tap_log/head" | grep -qix -- "$1" || { cat "$tap_log/head"; return 1; }; }

# So many requests of so many clients at a time; what did not come back whole is printed.
storm() { # REQUESTS CLIENTS
	seq "$1" | sed "s#.*#url=\"$url\"\noutput=\"/dev/null\"#" >"$tap_log/storm"
	ask --max-time 60 --no-progress-meter --parallel --parallel-immediate --parallel-max "$2" \
		-K "$tap_log/storm" -w '%{http_code} %{size_download}\n' >"$tap_log/answers" 2>&1
	[ "$(grep -c '^200 [1-9][0-9][0-9][0-9][0-9]' "$tap_log/answers")" -eq "$1" ] ||
		{ sort "$tap_log/answers" | uniq -c | head; return 1; }
}

# Bytes as they are to the exporter; what it answers, a second at most.
raw() {
	local at=${url#http://}
	exec 3<>"/dev/tcp/${at%%:*}/$(echo "$at" | sed 's/.*:\([0-9]*\).*/\1/')" || return 1
	cat >&3 2>/dev/null
	timeout "${RAW_SECONDS:-1}" cat <&3
	exec 3>&- 3<&-
}
