#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fabric in one box: it comes up, hosts see each other, and nothing of it is left,
# however it ends.  Nothing here depends on how fast the machine is.
set -u
B=${B:-build}
rocetune=$PWD/$B/rocetune
. tests/tap.sh
. tests/lab.sh
trap 'rm -rf "$tap_log"; lab_end_all' EXIT

# The lab's namespaces are below ours, so that "no veth pair here" is about this test.
if [ "${1:-}" != inside ]; then
	# Root, or a user who may be root of namespaces of their own.
	rm -rf "$lab_folder"
	if unshare -n true 2>/dev/null; then exec unshare -n "$0" inside; fi
	if unshare -rn true 2>/dev/null; then exec unshare -rn "$0" inside; fi
	tap_skip "the lab" "no namespaces of one's own"
	tap_done
	exit
fi

says() { # WANTED COMMAND...: it succeeds, and its output has the words
	local wanted=$1 out
	shift
	out=$("$@" 2>&1) || { echo "exit $?: $out"; return 1; }
	case $out in *"$wanted"*) ;; *) echo "no '$wanted' in: $out"; return 1 ;; esac
}

fails() { # CODE WANTED COMMAND...
	local code=$1 wanted=$2 out
	shift 2
	out=$("$@" 2>&1)
	local got=$?
	[ "$got" = "$code" ] || { echo "exit $got, not $code: $out"; return 1; }
	case $out in *"$wanted"*) ;; *) echo "no '$wanted' in: $out"; return 1 ;; esac
}

# --- up, exec, show, down -----------------------------------------------------
up() {
	"$rocetune" lab up --name a --hosts 3 >"$tap_log/up" || return 1
	spaces=$(lab_spaces "$(lab_pid a)")
	# The switch's, three hosts', and the PID namespace.
	[ "$(echo "$spaces" | wc -l)" = 5 ] || { echo "namespaces: $spaces"; return 1; }
}
tap "a lab comes up" up
tap "it has three hosts with addresses" says 10.0.0.3 "$rocetune" lab show --name a
tap "a second one of its name is refused" fails 3 "is up" "$rocetune" lab up --name a
tap "another name is not" says "10.0.0.2" "$rocetune" lab up --name b --hosts 2
tap "both are listed" says "b" "$rocetune" lab list
tap "a command's exit code is passed on" fails 7 "" "$rocetune" lab exec --name a h0 sh -c 'exit 7'
tap "and the signal that ended it" fails 143 "" "$rocetune" lab exec --name a h0 sh -c 'kill $$'
tap "its options are its own" says "--json" "$rocetune" lab exec --name a h0 echo --json
tap "a program that is not there: 127" fails 127 "no-such" "$rocetune" lab exec --name a h0 no-such
tap "a host that is not there is said" fails 3 "h0 to h2" "$rocetune" lab exec --name a h7 true
tap "a host has its interface and no other" says "h1 lo" \
	"$rocetune" lab exec --name a h1 sh -c 'echo $(ls /sys/class/net)'
tap "a host has an address" says "10.0.0.2/24" "$rocetune" lab exec --name a h1 ip -o -4 address show h1
tap "and no other family's" says "[]" "$rocetune" lab exec --name a h1 ip -j -6 address
tap "the switch has one end of each cable" says "s0p0 s0p1 s0p2" \
	"$rocetune" lab exec --name a switch sh -c 'echo $(ls /sys/class/net)'
tap "the lab has no links here" test -z "$(lab_links)"
tap "counters are JSON of three ports" \
	sh -c "'$rocetune' lab show --name a --json | jq -e '.kind == \"lab\" and (.ports | length) == 3'"

ended() { # COMMAND...: ends lab a; nothing is left
	"$rocetune" lab exec --name a h2 sh -c 'sleep 1000 & exec sleep 1000' &
	local exec_pid=$!
	"$rocetune" lab exec --name a h1 setsid sh -c '(sleep 1000 &) ; :'
	sleep 0.2
	[ "$(lab_holders "$spaces" | wc -l)" -ge 4 ] || { echo "no sleeper"; return 1; }
	"$@" || return 1
	wait "$exec_pid"
	lab_nothing_left "$spaces"
}
tap "down ends all that runs in it" ended "$rocetune" lab down --name a
tap_empty "and its notes are gone" sh -c "'$rocetune' lab list | grep -w a"
tap "the other lab is still up" says "yes" "$rocetune" lab exec --name b h0 echo yes
tap "down of no lab is said" fails 3 "there is no lab a" "$rocetune" lab down --name a
tap "until it is ended, too" says "asked to end" "$rocetune" lab down --name b

# --- it dies ----------------------------------------------------------------------
killed() { # SIGNAL
	up || return 1
	ended kill "-$1" "$(lab_pid a)"
}
tap "killed: nothing is left but notes" killed KILL
tap "they are told" fails 3 "its process died" "$rocetune" lab show --name a
tap "no command runs there" fails 3 "its process died" "$rocetune" lab exec --name a h0 true
tap "down removes them" says "notes were removed" "$rocetune" lab down --name a
tap "killed again" killed KILL
tap "up removes them and says so" says "removed what a lab a had left" "$rocetune" lab up --name a
tap "down" says "asked to end" "$rocetune" lab down --name a
tap "asked to end by a signal, it takes its notes along" killed TERM
tap_empty "none are left" ls "$lab_folder/lab"

stopped() {
	up || return 1
	kill -STOP "$(lab_pid a)"
	says "was killed" "$rocetune" lab down --name a && lab_nothing_left "$spaces"
}
tap "one that does not answer is killed by down" stopped

# --- notes that somebody else wrote ---------------------------------------------
forged() { # JQ-FILTER: it is up, its state is changed, no command goes by it
	up || return 1
	local state=$lab_folder/lab/a/state.json pid
	pid=$(lab_pid a)
	cp "$state" "$tap_log/state"
	jq "$1" "$tap_log/state" >"$state"
	"$rocetune" lab down --name a >"$tap_log/down" 2>&1
	"$rocetune" lab exec --name a h0 true >>"$tap_log/down" 2>&1 &&
		{ echo "it was entered"; return 1; }
	kill -0 "$pid" && kill -0 "$bystander" || { echo "somebody was killed"; return 1; }
	cp "$tap_log/state" "$state"
	says "asked to end" "$rocetune" lab down --name a
}
sleep 1000 &
bystander=$!
sleep 0.1 # or it began in the same tick as the lab, and is told from it by nothing
tap "a state with another's pid ends nobody" forged ".pid = $bystander"
tap "nor one of pid 1" forged '.pid = 1'
tap "nor one of another boot" forged '.boot_id = "x"'
kill "$bystander"

# --- numbers that make no lab ------------------------------------------------------
tap "hosts are bounded" fails 2 "too much" "$rocetune" lab up --hosts 1000
tap "names lead nowhere" fails 3 "no name for a lab" "$rocetune" lab up --name ../x
tap "an unknown profile is said" fails 3 "no-such" "$rocetune" lab up --profile no-such
tap_empty "and nothing is left of them" ls "$lab_folder/lab"
tap_done
