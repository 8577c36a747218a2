#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What people asked in public of tools that watch RDMA, and the tests that answer.  Unit
# tests and scripts that are named here have to be there (they are run with the others);
# what can be seen by a command is asked of the program below.
set -u
B=${B:-build}
R=$B/rocetune
. tests/tap.sh

# number | what was asked, and where
asks='
24 | mlx5 shows no traffic: its bytes are in counters/, in words (uccl-project/rdmatop 12)
25 | reading a port that refuses floods the log (prometheus/node_exporter 3434)
26 | one port without counters/, or with "N/A", and all fail (procfs 687, node_exporter 966)
27 | lifespan_seconds is 0: milliseconds divided (prometheus/node_exporter)
28 | what cannot be read is 0, and only port 1 is shown (OCI rdma_counters_exporter)
29 | a device in another network namespace is not seen (spidernet-io/spiderpool 3790)
30 | show_gids takes minutes where there are many NICs (Mellanox/mlnx-tools 58)
31 | how is offloaded RoCE captured (Mellanox/ibdump 40, libpcap 585)
'
# number | tests/unit/NAME.c, the test in it; or a script, the name of its test; or "here",
# a test of this script
tests='
24 | test_watch_host | test_sysroot_shows_each_driver_with_what_it_has
24 | here | mlx5 has bytes, four for each word
25 | test_watch_host_ports | test_host_asks_a_port_that_refuses_once
25 | test_counter_port | test_port_drops_a_source_at_its_first_error
25 | test_host_counters | test_counters_ask_a_source_that_refuses_once
25 | tests/vm/watch.sh | a file that cannot be read takes its source with it
25 | here | a file that refuses is read once, and that is said once
25 | here | what is excluded is not read
26 | test_watch_host | test_sysroot_shows_each_driver_with_what_it_has
26 | test_counter_port | test_port_reads_numbers_and_nothing_else
26 | here | each port of each driver is there
26 | here | no metric is invented for what cannot be read
27 | test_watch_host | test_sysroot_says_that_counters_are_older_than_the_interval
27 | test_watch_refresh | test_refresh_tells_the_age_of_what_is_shown
27 | here | a lifespan is told in milliseconds
28 | test_host_counters | test_counters_that_lack_are_unknown_and_never_0
28 | here | N/A is in no output a 0
28 | here | a device with two ports has both
29 | test_elsewhere | test_elsewhere_has_a_way_there
29 | test_elsewhere | test_elsewhere_without_root
29 | tests/vm/netns.sh | that command shows it
30 | tests/check/readonly.sh | types of empty GIDs are not read
30 | tests/bench/list.sh | list, 64 NICs of 256 GIDs
30 | here | system calls of list grow as NICs do
31 | tests/vm/capture.sh | says before it begins that RDMA passes by
31 | test_capture_drops | test_drops_of_a_capture_are_found
31 | test_analysis_rules | test_rules_refuse_where_the_capture_lost_frames
31 | here | capture tells by which way, and what it cannot see
31 | here | of a capture with drops nothing is concluded from what lacks
'

# --- the list itself ------------------------------------------------------------------
rows() { sed 's/^ *//; s/ *| */|/g; /^$/d' <<<"$1"; }
is_there() { # WHERE NAME
	case $1 in
	here) grep -qE "^[^0-9]*(tap|want_[a-z]*) \"$2\"" tests/check/asks.sh ;;
	test_*) grep -q "^static void $2(" "tests/unit/$1.c" &&
		grep -q "cmocka_unit_test($2)" "tests/unit/$1.c" ;;
	*) [ -x "$1" ] && grep -qF "\"$2\"" "$1" ;;
	esac || { echo "no test '$2' in $1"; return 1; }
}
named() {
	local number where name bad=0
	while IFS='|' read -r number where name; do
		is_there "$where" "$name" || bad=1
	done < <(rows "$tests")
	return $bad
}
answered() {
	diff <(rows "$asks" | cut -d'|' -f1) <(rows "$tests" | cut -d'|' -f1 | uniq) &&
		diff <(seq 24 31) <(rows "$asks" | cut -d'|' -f1)
}
tap "every ask has its tests" answered
tap "and every test that is named is there" named
misses() { ! is_there test_watch_host test_that_there_is_not && ! is_there here "no such"; }
tap "one that is not there would be missed" misses

# --- a host with NICs of many kinds ------------------------------------------------------
zoo=$tap_log/zoo
cp -a tests/trees/zoo "$zoo"
port() { echo "$zoo/sys/class/infiniband/$1/ports/${2:-1}"; }
put() { # FILE TEXT
	mkdir -p "${1%/*}"
	printf '%s\n' "$2" >"$1"
}
put "$(port mlx5_0)/counters/port_xmit_data" 1000
put "$(port mlx5_0)/counters/port_rcv_data" "N/A (no PMA)"
put "$(port mlx5_0)/hw_counters/np_cnp_sent" 9
put "$(port mlx5_0)/hw_counters/out_of_sequence" "N/A"
put "$(port mlx5_0)/hw_counters/lifespan" 12
put "$(port rxe0)/hw_counters/sent_pkts" 4
put "$(port rocep4s0)/hw_counters/cnpSent" 5
put "$(port mlx4_0)/hw_counters/rq_num_oos" 1
put "$(port mlx4_0 2)/hw_counters/rq_num_oos" 2
put "$zoo/rocetune/stats/rdma/bnxt_re0/1" "rx_ecn_marked_pkts: 8"

watch() { "$R" top --sysroot "$zoo" --fail-on error "$@" 2>"$tap_log/err" || [ $? -eq 1 ]; }
watch -n 0 --json --all >"$tap_log/zoo.json"
shows() { # FILTER: of that, with counter(port; name)
	jq -e "def counter(\$port; \$name): [.ports[] | select(.name == \$port).counters[] |
		select(.counter == \$name and .prio == null)][0]; $1" "$tap_log/zoo.json" ||
		{ jq -c '.ports[] | [.name, [.counters[].counter]]' "$tap_log/zoo.json" | head -n 20; false; }
}

# 24
tap "mlx5 has bytes, four for each word" shows 'counter("mlx5_0/1"; "rdma_tx_bytes").value == 4000'

# 25: what refuses here is a folder where a file should be; reading it is an error.
broken=$tap_log/broken
cp -a "$zoo" "$broken"
file=$broken/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent
rm "$file"
mkdir "$file"
opened() { # PATTERN ARGUMENTS...: how often top opens what has such a path
	local pattern=$1
	shift
	strace --seccomp-bpf -f -y -o "$tap_log/trace" -e trace=open,openat,openat2 "$R" top --sysroot "$broken" \
		-n 5 -d 100ms --json "$@" >"$tap_log/five" 2>/dev/null
	grep -cE "$pattern" "$tap_log/trace"
}
refuses_once() { # in five rounds
	[ "$(opened 'mlx5_0/ports/1/hw_counters/np_cnp_sent"')" -eq 1 ] ||
		{ grep np_cnp_sent "$tap_log/trace"; return 1; }
	jq -r '.ports[] | select(.name == "mlx5_0/1") | .facts.note' "$tap_log/five" | sort -u >"$tap_log/notes"
	[ "$(wc -l <"$tap_log/notes")" -eq 1 ] && grep -q 'no hw_counters: .*np_cnp_sent' "$tap_log/notes" ||
		{ cat "$tap_log/notes"; return 1; }
}
excluded() {
	[ "$(opened 'hw_counters|/counters' --exclude 'mlx5_0')" -gt 0 ] &&
		! grep -E '(mlx5_0|0000:01:00.0).*counters' "$tap_log/trace" &&
		opened . >/dev/null && grep -qE 'mlx5_0.*counters' "$tap_log/trace"
}
calls() { # DEVICES: system calls of list
	tests/trees/many.sh "$tap_log/many$1" "$1" 256
	strace -f -c -o "$tap_log/calls" "$R" list --json --sysroot "$tap_log/many$1" >/dev/null &&
		awk '$NF == "total" { print $4 }' "$tap_log/calls"
}
linear() { # without what a run costs that lists nothing: three trees
	local one two four
	one=$(calls 2) && two=$(calls 4) && four=$(calls 8) || return
	echo "$one $two $four"
	# 2 more cost half of what 4 more cost, to a hundredth; each of 256 GIDs is opened,
	# looked at, read and closed once, and all else of a NIC is less than 256 calls.
	[ $((200 * (two - one))) -le $((101 * (four - two))) ] &&
		[ $((202 * (two - one))) -ge $((100 * (four - two))) ] &&
		[ $(((four - two) / 4)) -ge $((4 * 256)) ] && [ $(((four - two) / 4)) -lt $((5 * 256)) ]
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	tap "a file that refuses is read once, and that is said once" refuses_once
	tap "what is excluded is not read" excluded
else
	tap_skip "a file that refuses is read once, and that is said once" "no strace"
	tap_skip "what is excluded is not read" "no strace"
fi

# 26
ports='["bnxt_re0/1","cxgb4_0/1","erdma_0/1","hns_0/1","ionic_0/1","iwp12s0f0/1","mana_0/1","mlx4_0/1","mlx4_0/2","mlx5_0/1","mlx5_1/1","mlx5_bond_0/1","qedr0/1","rdmap9s0/1","rocep4s0/1","rxe0/1","siw0/1"]'
tap "each port of each driver is there" shows "([.ports[].name] | sort) == $ports and
	counter(\"bnxt_re0/1\"; \"ce_rx\").value == 8 and counter(\"rocep4s0/1\"; \"cnp_tx\").value == 5 and
	counter(\"rxe0/1\"; \"rdma_tx_frames\").value == 4 and counter(\"mlx5_0/1\"; \"rdma_rx_bytes\") == null and
	counter(\"bnxt_re0/1\"; \"rdma_rx_bytes\") == null"
metrics() {
	"$R" exporter --sysroot "$zoo" --textfile "$tap_log/x.prom" --once 2>"$tap_log/err" ||
		{ cat "$tap_log/err"; return 1; }
	grep -E '^rocetune_cnp_tx_total\{device="mlx5_0",[^}]*\} 9$' "$tap_log/x.prom" &&
		grep -E '^rocetune_rdma_tx_bytes_total\{device="mlx5_0",[^}]*\} 4000$' "$tap_log/x.prom" &&
		! grep -E '^rocetune_(rdma_rx_bytes|out_of_sequence)_total\{device="mlx5_0",' "$tap_log/x.prom"
}
tap "no metric is invented for what cannot be read" metrics

# 27
lifespan() {
	watch -n 1 -d 100ms --json --port mlx5_0 >"$tap_log/said"
	! grep -q 'counter refresh' "$tap_log/said" || { cat "$tap_log/said"; return 1; }
	put "$(port mlx5_0)/hw_counters/lifespan" 10000
	watch -n 1 -d 100ms --json --port mlx5_0 >"$tap_log/said"
	grep -q '"note":"[^"]*counter refresh 10000 ms' "$tap_log/said" || { cat "$tap_log/said"; return 1; }
}
tap "a lifespan is told in milliseconds" lifespan

# 28
no_zero() { # in text, JSON and CSV
	shows 'counter("mlx5_0/1"; "out_of_sequence") == null and counter("mlx5_0/1"; "rdma_rx_bytes") == null' &&
		shows '.ports[] | select(.name == "mlx5_0/1").figures |
			.rdma_rx_bps == null and .out_of_order_ps == null' &&
		watch -n 1 -d 100ms --csv --port mlx5_0 >"$tap_log/csv" &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rdma_rx_bps") at = i }
			NR > 1 { rows++; bad += $at != "" } END { exit !(at && rows && !bad) }' "$tap_log/csv" &&
		"$R" show mlx5_0 --all --sysroot "$zoo" >"$tap_log/shown" &&
		! grep -E '^ *(out_of_sequence|rdma_rx_bytes) ' "$tap_log/shown"
}
tap "N/A is in no output a 0" no_zero
tap "a device with two ports has both" shows 'counter("mlx4_0/1"; "out_of_sequence").value == 1 and
	counter("mlx4_0/2"; "out_of_sequence").value == 2'

# 30
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	tap "system calls of list grow as NICs do" linear
else
	tap_skip "system calls of list grow as NICs do" "no strace"
fi

# 31
ways() {
	"$R" capture --help | tr -s '\n ' '  ' >"$tap_log/help"
	for words in 'AF_PACKET' 'passes by the kernel' 'rdmasniff' 'reports no losses' \
		'mirror port' 'refuses to judge'; do
		grep -qF "$words" "$tap_log/help" || { echo "'$words' is missing"; return 1; }
	done
}
tap "capture tells by which way, and what it cannot see" ways

# A pcapng of one interface: a block of statistics behind the frames says what was lost.
le32() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"; }
with_drops() { # CAPTURE DROPS
	cat "$1"
	# type 5, length, interface 0, time, isb_ifdrop (5) of 8 bytes, end of options, length
	le32 5; le32 40; le32 0; le32 0; le32 0; printf '\5\0\10\0'; le32 "$2"; le32 0; le32 0; le32 40
}
ids() { "$R" analyze --json "$1" | jq -c '[.findings[].id] | unique'; }
lossy() { # of the same frames: with none lost one rests on every XON being there
	local whole=$tap_log/whole.pcapng lost=$tap_log/lost.pcapng
	"$R" sim tests/scenarios/incast16-100g.yaml --pcap "$whole" >/dev/null || return
	with_drops "$whole" 0 >"$lost"
	[ "$(ids "$whole")" = '["pause-share"]' ] && [ "$(ids "$lost")" = '["pause-share"]' ] ||
		{ ids "$whole"; ids "$lost"; return 1; }
	with_drops "$whole" 5 >"$lost"
	[ "$(ids "$lost")" = '["capture-dropped","capture-not-judged"]' ] || { ids "$lost"; return 1; }
	"$R" analyze --json "$lost" | jq -e '.findings[] | select(.id == "capture-not-judged").evidence ==
		"5 frames lost by the capture; not judged: pause-share"'
}
tap "of a capture with drops nothing is concluded from what lacks" lossy
tap_done
