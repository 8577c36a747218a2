#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The program in hostile hands: names that steer terminals, streams that are closed
# or full, files that are none.
set -u
B=${B:-build}
. tests/tap.sh
R=$(realpath "$B")/rocetune
export ROCETUNE_PROFILES=profiles
evil=$'x\e[2J\xc2\x9b2J\x9b2J\x7f\xe2\x80\xae'

# No control character but the newline in what the program says, on either stream, and
# none that turns the direction of text or hides in it.
says_no_control() { # ARGUMENTS...
	"$R" "$@" >"$tap_log/said" 2>&1 </dev/null
	! LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xef\xbb\xbf' \
		"$tap_log/said" &&
		iconv -f UTF-8 -t UTF-8 "$tap_log/said" >/dev/null
}
evil_files() { # every command that reads a file of such a name and content
	mkdir -p "$tap_log/$evil" || return
	printf 'rocetune: 1\nextends: "%s"\n' '\e[2J\x9b' >"$tap_log/$evil/p.yaml"
	printf 'name: "%s"\nworkload: {size: 1KB}\n' '\e[2J\x9b2J' >"$tap_log/$evil/s.yaml"
	printf '"%s": 1\n' '\e[2J\x9b2J' >"$tap_log/$evil/k.yaml"
	printf '{"DSCP_TO_TC_MAP":{"M":{"1":"1"}},"PORT_QOS_MAP":{"\\u001b[2J\\u009b":
		{"dscp_to_tc_map":"M","pfc_enable":"\\u001b3","\\u009b":"x"}}}' >"$tap_log/$evil/q.json"
	printf 'interface Ethernet1\n qos %s\n' "$evil" >"$tap_log/$evil/q.cfg"
	says_no_control profile show "$tap_log/$evil/p.yaml" &&
		says_no_control profile check "$tap_log/$evil/p.yaml" &&
		says_no_control profile check "$tap_log/$evil/none.yaml" &&
		says_no_control profile show "$tap_log/$evil/k.yaml" &&
		says_no_control profile import "$tap_log/$evil/q.json" &&
		says_no_control profile import --nos eos "$tap_log/$evil/q.cfg" &&
		says_no_control profile export azure-sonic --nos "$evil" --port "$evil" &&
		says_no_control profile export azure-sonic --nos sonic --port "$evil" &&
		says_no_control sim "$tap_log/$evil/s.yaml" &&
		says_no_control sim "$tap_log/$evil/k.yaml" &&
		says_no_control sim --incast 2 --pcap "$tap_log/$evil/none/x" &&
		"$R" sim --incast 2 --size 1KB --pcap "$tap_log/$evil/c" >/dev/null &&
		says_no_control analyze "$tap_log/$evil/c" &&
		says_no_control analyze "$tap_log/$evil/s.yaml"
}
for words in "$evil" "sim $evil" "sim --$evil" "tos $evil" "headroom $evil 3m" \
	"profile $evil" "profile show $evil" "analyze $evil" "help $evil"; do
	# shellcheck disable=SC2086
	tap "a terminal survives: rocetune $(printf %q "$words")" says_no_control $words
done
tap "a terminal survives names and contents of files" evil_files

exits() { # STATUS COMMAND...
	local wanted=$1 rc
	shift
	"$@"
	rc=$?
	[ "$rc" -eq "$wanted" ] || { echo "exit status $rc, not $wanted"; return 1; }
}
fails() { # COMMAND...: with 3, and says something
	exits 3 "$@" 2>"$tap_log/err" && [ -s "$tap_log/err" ]
}
to_closed() { timeout 20 "$@" >&-; }
tap "output that is closed is no success" fails to_closed "$R" tos 106
no_report_in_capture() { # with standard output closed, a capture holds packets only
	local rc
	"$R" sim --incast 2 --size 1KB --pcap "$tap_log/c1" >/dev/null &&
		{ "$R" sim --incast 2 --size 1KB --pcap "$tap_log/c2" >&-; rc=$?; } 2>/dev/null
	[ "$rc" -eq 3 ] && cmp "$tap_log/c1" "$tap_log/c2"
}
tap "a closed standard output is not taken for a capture" no_report_in_capture
nothing_but_a_capture() { # through a pipe; the report goes the other way
	"$R" sim --incast 2 --size 1KB --pcap "$tap_log/c1" >/dev/null &&
		"$R" sim --incast 2 --size 1KB --pcap - 2>"$tap_log/report" |
		cmp - "$tap_log/c1" && grep -q "throughput" "$tap_log/report"
}
tap "a capture on standard output has no report behind it" nothing_but_a_capture
broken_off() { # the more often, the likelier within a write
	local try pid status
	for try in 1 2 3 4 5; do
		rm -f "$tap_log/cut"
		"$R" sim --incast 64 --size 20MB --pcap "$tap_log/cut" &
		pid=$!
		until [ "$(stat -c %s "$tap_log/cut" 2>/dev/null || echo 0)" -gt 4000000 ] ||
			! kill -0 $pid; do :; done
		kill -TERM $pid
		wait $pid
		status=$?
		[ $status -eq 143 ] || { echo "exit status $status"; return 1; }
		"$R" analyze --json "$tap_log/cut" >"$tap_log/cut.json"
		grep '"ends_at_bytes": null' "$tap_log/cut.json" || return
	done
}
tap "a run that is broken off leaves a whole capture" broken_off
evil_host() { # names and answers of a kernel that is none
	printf '{"DEVICE_METADATA": {"localhost": {"hostname": "%s"}}, "PORT": {"Ethernet0": {}}}' \
		'l\u001b[2J\u009b' >"$tap_log/evil.json"
	mkdir -p "$tap_log/evil/rocetune" "$tap_log/evil/sys/class/infiniband/m/ports/1/gids"
	printf '%s\n' 'fe80::1' >"$tap_log/evil/sys/class/infiniband/m/ports/1/gids/0"
	ln -s "$evil" "$tap_log/evil/sys/class/infiniband/m/device"
	printf '{"rocetune": 1, "kind": "answers",
		"links": [{"name": "", "items": [{"name": "e\\u001b[2J\\u009b", "ifindex": 2, "mtu_bytes": 1}]}],
		"rdma_ports": [{"name": "", "items": [{"ibdev": "m", "dev_index": 0, "port": 1, "state": 9,
			"netdev": "e\\u001b[2J\\u009b", "protocol": "\\u001b[2J", "firmware": "\\u001b[2J\\u202e\\ufeff\\u007f"}]}]}' \
		>"$tap_log/evil/rocetune/answers.json"
	"$R" list --sysroot "$tap_log/evil" >"$tap_log/listed" && grep -q "m/1" "$tap_log/listed" &&
		says_no_control list --sysroot "$tap_log/evil" &&
		says_no_control list --json --sysroot "$tap_log/evil" &&
		"$R" list --json --sysroot "$tap_log/evil" | jq -e '.devices[0].firmware | test("\u202e\ufeff\u007f")' &&
		says_no_control show m --sysroot "$tap_log/evil" &&
		says_no_control show "$evil" --sysroot "$tap_log/evil" &&
		says_no_control show m --yaml --sysroot "$tap_log/evil" &&
		says_no_control diff "$tap_log/evil" tests/trees/zoo &&
		says_no_control check m -p nvidia-lossless-100g --sysroot "$tap_log/evil" &&
		says_no_control check m -p nvidia-lossless-100g --sysroot "$tap_log/evil" \
			--switch "$tap_log/evil.json" --port Ethernet0 &&
		says_no_control apply m -p nvidia-lossless-100g --sysroot "$tap_log/evil" \
			--dry-run &&
		says_no_control snapshot all --sysroot "$tap_log/evil" -o "$tap_log/$evil/x.tar"
}
tap "a terminal survives what a host is called" evil_host
no_way_out() { # a folder's links do not lead to this machine's files
	mkdir -p "$tap_log/leads/sys/class/infiniband/m/ports"
	ln -s / "$tap_log/leads/sys/class/infiniband/m/ports/1"
	ln -s /etc/passwd "$tap_log/leads/sys/class/infiniband/m/fw_ver"
	"$R" list --json --sysroot "$tap_log/leads" >"$tap_log/listed" && ! grep root: "$tap_log/listed"
}
tap "a folder's links lead to nothing outside of it" no_way_out
list_with_pipe() {
	mkdir -p "$tap_log/folder" && mkfifo "$tap_log/folder/pipe.yaml" &&
		cp profiles/roce-base.yaml "$tap_log/folder" &&
		ROCETUNE_PROFILES=$tap_log/folder timeout 20 "$R" profile list
}
tap "a pipe among the profiles does not hold their list" list_with_pipe
named_pipe() { # found by the name that a file extends
	printf 'name: q\nextends: pipe\n' >"$tap_log/folder/q.yaml"
	ROCETUNE_PROFILES=$tap_log/folder timeout 20 "$R" profile show q 2>"$tap_log/err"
	[ $? -eq 3 ] && grep -q "pipe" "$tap_log/err"
}
tap "nor does one that a profile extends" named_pipe
hosts_with_pipe() {
	mkdir -p "$tap_log/hosts" && cp -r tests/trees/two-rails "$tap_log/hosts/h1" &&
		cp -r tests/trees/two-rails "$tap_log/hosts/h2" &&
		mkfifo "$tap_log/hosts/p.tar" &&
		timeout 20 "$R" diff "$tap_log/hosts" | grep "^2 hosts"
}
tap "nor one among hosts" hosts_with_pipe
no_such_folder() { # nor ./profiles, nor what is installed
	(cd "$tap_log" && ROCETUNE_PROFILES=$tap_log/nowhere fails "$R" profile list) &&
		grep "$tap_log/nowhere.*ROCETUNE_PROFILES" "$tap_log/err"
}
if [ -d /usr/local/share/rocetune/profiles ]; then
	tap_skip "a search path without profiles is no empty list" "some are installed"
else
	tap "a search path without profiles is no empty list" no_such_folder
fi
small_memory() { # a megabyte of items, of open lists and maps, and more than is allowed
	{ printf 'a: ['; yes 1, | head -c 1000000; } >"$tap_log/items.yaml"
	yes '[' | head -c 1000000 >"$tap_log/open.yaml"
	yes '{a:' | head -c 1000000 >"$tap_log/maps.yaml"
	yes -- '- 1' | head -c 4400000 >"$tap_log/large.yaml"
	local file
	for file in items open maps large; do
		(ulimit -v 400000 && fails "$R" sim "$tap_log/$file.yaml") &&
			! grep -i memory "$tap_log/err" || return
	done
	grep "larger than" "$tap_log/err"
}
tap "a hostile document takes little memory" small_memory
names_files() { # what is wrong only together says where it stands
	printf 'workload: {size: 1KB}\nmodel: {byte_counter: 3GB}\n' >"$tap_log/b.yaml"
	printf 'workload: {size: 1KB}\nmodel: {buffer: 10KB}\n' >"$tap_log/m.yaml"
	fails "$R" sim "$tap_log/b.yaml" && grep "b.yaml: " "$tap_log/err" &&
		fails "$R" sim "$tap_log/m.yaml" --profile hpcc-100g &&
		grep "m.yaml under profile hpcc-100g: " "$tap_log/err"
}
tap "settings that do not go together name their files" names_files
tap_done
