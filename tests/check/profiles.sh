#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The profile commands as a user meets them: exit codes, output, and the table in
# docs/profiles.md, which must be what the program writes.
#   tests/check/profiles.sh --write   brings the table up to date
set -u
B=${B:-build}
doc=docs/profiles.md
program=$B/rocetune
export ROCETUNE_PROFILES=./profiles # not those of an older installation
. tests/tap.sh

if [ "${1:-}" = --write ]; then
	{ sed '/<!-- knobs: begin -->/q' $doc; "$program" profile knobs --markdown
		sed -n '/<!-- knobs: end -->/,$p' $doc; } >$doc.new && mv $doc.new $doc
	exit
fi

table_is_the_programs() {
	diff <(sed -n '/<!-- knobs: begin -->/,/<!-- knobs: end -->/p' $doc | sed '1d;$d') \
		<("$program" profile knobs --markdown)
}
tap "the table of $doc is the program's (tests/check/profiles.sh --write)" table_is_the_programs

# Exits with CODE, and its output has WORD, in a line or where lines are put together.
answers() { # CODE WORD COMMAND...
	local code=$1 word=$2 out rc
	shift 2
	out=$("$program" "$@" 2>&1) && rc=0 || rc=$?
	echo "exit code $rc, wanted $code and '$word' in:"
	head -n 20 <<<"$out"
	[ "$rc" -eq "$code" ] && grep -qF -- "$word" <<<"$out
$(tr -s ' \n' ' ' <<<"$out")"
}

expect() { # CODE NAME WORD COMMAND...
	local code=$1 name=$2
	shift 2
	tap "$name" answers "$code" "$@"
}
tmp=$tap_log/profiles
mkdir "$tmp"
printf 'classes: {a: {dscp: 1, sched: {ets: 50}}}\n' >"$tmp/ets.yaml"
printf 'clases: {}\nhost: {trust: dcsp}\n' >"$tmp/wrong.yaml"
printf 'a: [\n' >"$tmp/broken.yaml"
cat >"$tmp/rails.yaml" <<-EOF
	extends: nvidia-lossless-400g
	rails:
	  - {select: "netdev stor*", leaf: "leaf{rail}", set: {classes.roce.sched.dwrr: 51}}
	  - {select: "rail 0-3", set: {classes.roce.dscp: [30]}}
	  - {select: "pci 0000:1?:*"}
EOF
sed 's/dwrr: 51/dwrr: 52/; /0-3/d' "$tmp/rails.yaml" >"$tmp/rails2.yaml"
printf 'name: mine\nextends: dell-sonic\n' >"$tmp/mine.yaml"

expect 0 "list shows what is shipped" nvidia-lossless-400g profile list
if [ ! -d "$("$program" profile list --json | sed -n 's/.*"searched": "[^,]*, \([^,]*\), .*/\1/p')" ]; then
	tap "an empty list names what was searched" bash -c "cd '$tmp' &&
		ROCETUNE_PROFILES=/nowhere:/nor/here '$PWD/$program' profile list 2>&1 |
		grep 'no profile in /nowhere, /nor/here, .*, ./profiles: '"
else
	tap_skip "an empty list names what was searched" "profiles are installed"
fi
expect 0 "show tells values and places" profiles/nvidia-lossless-400g.yaml: profile show nvidia-lossless-400g
expect 0 "show as JSON" '"kind": "profile"' profile show --json nvidia-lossless-400g
expect 3 "show of nothing fails" "no profile 'nowhere'" profile show nowhere
expect 3 "show of a wrong file fails with its place" "wrong.yaml:1:1" profile show "$tmp/wrong.yaml"
expect 0 "check passes a shipped profile" "0 errors" profile check azure-sonic
expect 1 "check fails on an error" sched-ets-not-100 profile check "$tmp/ets.yaml"
expect 1 "check lists all that is wrong" "wrong.yaml:2:15" profile check "$tmp/wrong.yaml"
expect 1 "check finds a broken file" profile-not-readable profile check "$tmp/broken.yaml"
expect 1 "check judges several" "azure-sonic: 0 errors" profile check azure-sonic "$tmp/ets.yaml"
expect 3 "check goes on after a missing one" "azure-sonic: 0 errors" profile check nowhere azure-sonic
expect 3 "and says which it was" "no profile 'nowhere'" profile check azure-sonic nowhere "$tmp/ets.yaml"
expect 3 "in JSON as well" '"failed": "no profile' profile check --json azure-sonic nowhere
printf 'classes: {a: {lossless: yes, sched: {ets: 50, strict: 1}}}\nrails: [{select: rail 1, set: {classes.a.sched: {strict: 1, dwrr: 3}}}]\n' >"$tmp/both.yaml"
expect 1 "contradictions come with the rest" pfc-no-watchdog profile check "$tmp/both.yaml"
expect 1 "and with those of rails" "strict excludes dwrr" profile check "$tmp/both.yaml"
expect 3 "an error as JSON has the file" '"file": "nowhere"' profile show --json nowhere
expect 3 "that of a capture, too" '"file": "/nonexistent.pcap"' analyze --json /nonexistent.pcap
expect 3 "check of nothing fails" "no profile 'nowhere'" profile check nowhere
expect 0 "warnings are no failure" "1 warning," profile check hpcc-100g
expect 1 "warnings are, when asked" "1 warning," profile check --fail-on warn hpcc-100g
expect 1 "so is what was not judged" "Not judged" profile check --fail-on unknown azure-sonic
expect 0 "check shows the fan-in table" "queue at XOFF" profile check dcqcn-paper-40g
expect 1 "check as JSON has findings" '"id": "sched-ets-not-100"' profile check --json "$tmp/ets.yaml"
expect 0 "diff shows both places" switch.ecn.rdma.host.kmin profile diff hpcc-25g hpcc-100g
expect 0 "diff of a profile with itself is empty" "differences  0" profile diff azure-sonic azure-sonic
expect 2 "diff wants two" "wants PROFILE PROFILE" profile diff azure-sonic
expect 0 "extends finds the shipped ones" "371.348KB" profile show "$tmp/mine.yaml"
ROCETUNE_PROFILES=/nowhere:$tmp:./profiles expect 0 "the search path is searched" "371.348KB" profile show mine
expect 0 "headroom shows every model" " 283648 " headroom 400G 40m
expect 0 "headroom as JSON" '"kind": "headroom"' headroom --json 100G 5m
expect 0 "headroom takes an MTU" " 49725 " headroom 100G 5m --mtu 4200
expect 2 "headroom wants a speed" "is not a rate" headroom fast 5m
expect 2 "headroom wants the unit of a length" "40 of what? write 40m" headroom 100G 40
expect 2 "headroom takes no megametres" "write 40m" headroom 100G 40M
expect 2 "headroom wants the unit of a speed" "100 of what? write 100Gb/s or 100Mb/s" headroom 100 40m
expect 2 "headroom takes no rate in bytes" "or 800Gb/s if bytes are meant" headroom 100GB/s 40m
expect 2 "headroom wants an MTU above 0" "64B at least" headroom 100G 40m --mtu 0
expect 2 "headroom wants an MTU below 64 KiB" "65535B at most" headroom 100G 40m --mtu 65536
expect 2 "a link speed without unit is refused" "100 of what?" analyze --link-speed 100 x.pcap
expect 2 "a link speed that is none is refused" "1Mb/s at least" analyze --link-speed 100kb/s x.pcap
expect 2 "a simulated size wants its unit" "1000 of what? write 1000B or 1000KB" sim --incast 2 --size 1000
expect 0 "show lists rails" "1  netdev stor*   classes.roce.sched.dwrr  51" profile show "$tmp/rails.yaml"
expect 0 "and their leaves" "1  netdev stor*   leaf                     leaf{rail}" profile show "$tmp/rails.yaml"
expect 0 "and those that set nothing" "3  pci 0000:1?:*                           nothing differs" profile show "$tmp/rails.yaml"
expect 0 "rails are in JSON" '"select": "rail 0-3"' profile show --json "$tmp/rails.yaml"
expect 0 "what is computed anew on a rail is told" "classes.be.dscp          0-29, 31-" profile show "$tmp/rails.yaml"
expect 0 "show for a rail says which" "rail     rail 0-3" profile show --rail 2 "$tmp/rails.yaml"
expect 3 "a rail that is not there" "the profile has 3 rails, there is no entry 4" profile show --rail 4 "$tmp/rails.yaml"
expect 0 "diff compares rails" "rails[netdev stor*].classes.roce.sched.dwrr  51 " profile diff "$tmp/rails.yaml" "$tmp/rails2.yaml"
expect 0 "a rail that one lacks differs" "rails[rail 0-3].classes.roce.dscp            unset" profile diff "$tmp/rails2.yaml" "$tmp/rails.yaml"
expect 0 "rails like each other do not" "differences  0" profile diff "$tmp/rails.yaml" "$tmp/rails.yaml"
expect 0 "tos takes a rail" "rail 0-3  roce" tos 122 --profile "$tmp/rails.yaml" --rail 2
expect 2 "a rail is of a profile" "say --profile" tos 122 --rail 2
expect 2 "rails count from 1" "1 at least" profile show --rail 0 azure-sonic
expect 0 "tos takes a byte apart" "ECT(0)" tos 106
expect 0 "tos finds the class" lossless tos 106 --profile nvidia-lossless-400g
expect 0 "tos says when a class marks and the byte does not allow it" "use 106" tos 104 --profile nvidia-lossless-400g
expect 0 "tos says when no class matches" unclassified tos 40 --profile "$tmp/ets.yaml"
expect 0 "tos does not claim what is kept" "so this may be one" tos 106 --profile intel-e810-100g
expect 0 "tos takes hexadecimal" "ECT(0)" tos 0x6a
expect 2 "tos takes no fraction" "'106.5' is not a whole number" tos 106.5
expect 0 "tos says that applications set no CE" "do not set CE yourself, only switches do: use 106" tos 107
expect 0 "tos says what slows a lossless class that is not marked" "never marked, PFC is all that slows it" tos 104 --profile nvidia-lossless-400g
expect 0 "headroom keeps its columns where nothing is known" "XON, bytes  group, bytes" headroom 1T 40m
expect 2 "tos wants a byte" "is no byte" tos 256
tap_done
