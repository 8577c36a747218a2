#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exit codes where several things happen: the worst file counts, whatever the order,
# and output that did not reach its place is a failure.
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=./profiles
capture=$tap_log/incast.pcapng
"$B/rocetune" sim tests/scenarios/incast16-100g.yaml --pcap "$capture" >/dev/null || exit 1

exits() { # CODE ARGUMENTS...
	local want=$1 code
	shift
	"$B/rocetune" "$@" >"$tap_log/stdout" 2>"$tap_log/stderr"
	code=$?
	[ "$code" -eq "$want" ] || { echo "exit code $code of: $*"; cat "$tap_log/stderr"; false; }
}
code() { # CODE ARGUMENTS...
	tap "exit code $1: ${*:2}" exits "$@"
}
full() { # ARGUMENTS...
	"$B/rocetune" "$@" >/dev/full 2>"$tap_log/stderr"
	[ $? -eq 3 ] && grep -q 'No space left' "$tap_log/stderr"
}

code 0 analyze "$capture"
code 1 analyze "$capture" --fail-on warn
code 3 analyze /nonexistent "$capture"
code 3 analyze "$capture" /nonexistent
code 3 analyze --json /nonexistent "$capture"
kinds() { [ "$(tr -d ' ' <"$tap_log/stdout" | grep '^"kind":"[ae]' | tr -d '\n')" = '"kind":"error","kind":"analysis",' ]; }
tap "several files are an array in the order of the operands" kinds
code 0 profile check azure-sonic hpcc-100g
code 1 profile check azure-sonic hpcc-100g --fail-on warn
code 1 profile check hpcc-100g azure-sonic --fail-on warn
code 3 profile check no-such azure-sonic
code 3 sim --incast 2 --size 1KB --pcap /nonexistent/x.pcapng
refused="apply mlx5_1 --dry-run --sysroot tests/trees/two-rails"
code 0 $refused -p nvidia-lossless-100g
code 3 $refused -p nvidia-lossless-400g
code 3 $refused -p nvidia-lossless-400g --json
code 2 sim
code 2 probe 127.0.0.1 --port 4791
code 2 probe --listen --port 4791
code 2 probe 127.0.0.1 --source zz
code 2 probe --listen --bind zz
code 2 agent --join :99999
code 2 lab up --leaves 3
code 2 lab run --incast 2:1 --spines 2
code 2 stress incast 2:1 --agents 3 --sport 65534 --qps 4
code 2 sim --incast 2 scenario.yaml
code 2 analyze --link-speed 0 "$capture"
tap "a full disk is a failure: text" full tos 106
tap "a full disk is a failure: JSON" full analyze --json "$capture"
too_large() { # OPTION NAME ARGUMENTS...: what is written may have 8 KiB; it is told, not died of
	local folder=$tap_log/$2
	mkdir "$folder"
	(ulimit -f 8 && exec "$B/rocetune" "${@:3}" "$1" "$folder/$2" >/dev/null 2>"$tap_log/stderr")
	[ $? -eq 3 ] && grep -q 'File too large' "$tap_log/stderr" && [ -z "$(ls -A "$folder" | grep -vx "$2")" ] ||
		{ cat "$tap_log/stderr"; ls -A "$folder"; return 1; }
}
tap "so is a file that is as large as it may be: sim" too_large --pcap x.pcapng sim tests/scenarios/incast16-100g.yaml
tap "so is a file that is as large as it may be: snapshot" too_large -o x.tar snapshot all --sysroot tests/trees/zoo
tap_done
