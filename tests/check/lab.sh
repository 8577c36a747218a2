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
	"$rocetune" lab exec --name a h1 sh -c 'echo $(ip -br link | sed "s/[@ ].*//" | sort)'
tap "a host has an address" says "10.0.0.2/24" "$rocetune" lab exec --name a h1 ip -o -4 address show h1
tap "and no other family's" says "[]" "$rocetune" lab exec --name a h1 ip -j -6 address
tap "the switch has one end of each cable" says "s0p0 s0p1 s0p2" \
	"$rocetune" lab exec --name a switch sh -c 'echo $(ip -br link | sed "s/[@ ].*//" | sort)'
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
tap "down of no lab is said" fails 3 "there is no lab 'a'" "$rocetune" lab down --name a
tap "until it is ended, too" says "asked to end" "$rocetune" lab down --name b

# --- agents on its hosts ----------------------------------------------------------
# They know the lab's rate and names, whatever the veth pair claims.
agents() {
	"$rocetune" lab up --name t --hosts 3 --rate 100Mbps --profile hpcc-25g >/dev/null || return 1
	local host pids=()
	export ROCETUNE_TOKEN=0123456789abcdef0123456789abcdef
	for host in h0 h1 h2; do
		"$rocetune" lab exec --name t "$host" "$rocetune" agent --join 10.0.0.1 &
		pids+=($!)
	done
	"$rocetune" lab exec --name t h0 "$rocetune" incast 2:1 --hosts 'h[0-2]' --json \
		--listen 10.0.0.1:18525 --time 1s >"$tap_log/agents.json" 2>"$tap_log/agents.err"
	[ $? -le 1 ] || cat "$tap_log/agents.err"
	wait "${pids[@]}"
	jq -e '[.hosts[] | .name] == ["h0", "h1", "h2"] and
		all(.hosts[]; .speed_bps == 100000000 and (.chosen | contains("of a lab"))) and
		.receivers[0].share_pct > 30' "$tap_log/agents.json" ||
		{ jq '.hosts, .receivers' "$tap_log/agents.json"; return 1; }
}
tap "agents on its hosts know its rate and their names" agents
unset ROCETUNE_TOKEN
captured() {
	"$rocetune" lab exec --name t switch "$rocetune" capture s0p0 --analyze --time 200ms --json \
		2>/dev/null | jq -e '.capture.interfaces[0].speed_bps == 100000000'
}
tap "and so does a capture at its switch" captured
fits() { # COMMAND...: no line of its text is longer than a page is wide
	"$@" >"$tap_log/text" || return 1
	cat "$tap_log/text"
	grep -q '^Priorities' "$tap_log/text" && awk 'length > 79 { exit 1 }' "$tap_log/text"
}
tap "its ports and priorities fit 80 columns" fits "$rocetune" lab show --name t
tap "another's environment is refused" fails 3 "no rate of a lab" env ROCETUNE_LAB=h0 \
	ROCETUNE_TOKEN=0123456789abcdef0123456789abcdef "$rocetune" agent --join 127.0.0.1
tap "and down" says "asked to end" "$rocetune" lab down --name t

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
tap "up removes them and says so" says "removed what a lab 'a' had left" "$rocetune" lab up --name a
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
	kill -STOP "$pid" # or it would write it again
	jq "$1" "$tap_log/state" >"$state"
	"$rocetune" lab down --name a >"$tap_log/down" 2>&1
	"$rocetune" lab exec --name a h0 true >>"$tap_log/down" 2>&1 &&
		{ echo "it was entered"; return 1; }
	"$rocetune" lab list --json | jq -e '.labs[] | select(.name == "a") | .state != "up"' ||
		{ echo "it is listed as up"; return 1; }
	kill -0 "$pid" && kill -0 "$bystander" || { echo "somebody was killed"; return 1; }
	kill -CONT "$pid"
	sleep 0.3
	cmp "$state" "$tap_log/state" && says "asked to end" "$rocetune" lab down --name a
}
sleep 1000 &
bystander=$!
sleep 0.1 # or it began in the same tick as the lab, and is told from it by nothing
tap "a state with another's pid ends nobody" forged ".pid = $bystander"
tap "nor one of pid 1" forged '.pid = 1'
tap "nor one of another boot" forged '.boot_id = "x"'
kill "$bystander"

# --- files that somebody else cut, removed, or put there ---------------------------
cut_off() { # the lab lives on, and its counters are whole again
	up || return 1
	: >"$lab_folder/lab/a/counters"
	sleep 0.3
	says "s0p2" "$rocetune" lab show --name a && says "yes" "$rocetune" lab exec --name a h0 echo yes
}
tap "counters that were cut off are whole again" cut_off
state_gone() {
	rm "$lab_folder/lab/a/state.json" && sleep 0.3 && says "asked to end" "$rocetune" lab down --name a &&
		lab_nothing_left "$spaces"
}
tap "a state that was removed is written again" state_gone
state_spoilt() {
	up && echo '{' >"$lab_folder/lab/a/state.json" && touch "$lab_folder/lab/a/state.new" && sleep 0.3 &&
		says "asked to end" "$rocetune" lab down --name a && lab_nothing_left "$spaces"
}
tap "one that was spoilt, too" state_spoilt
folder_gone() {
	up && rm -r "$lab_folder/lab/a" && sleep 0.5 && lab_nothing_left "$spaces"
}
tap "a lab that nobody can name any more ends" folder_gone
foreign() {
	up && touch "$lab_folder/lab/a/mine" && kill -KILL "$(lab_pid a)" && sleep 0.2 || return 1
	fails 3 "not rocetune's" "$rocetune" lab down --name a || return 1
	[ -e "$lab_folder/lab/a/mine" ] || { echo "it was removed"; return 1; }
	rm -r "$lab_folder/lab/a"
}
tap "a file of somebody else stays, and down says so" foreign
foreign_of_living() {
	up && touch "$lab_folder/lab/a/mine" || return 1
	fails 3 "not rocetune's" "$rocetune" lab down --name a && lab_nothing_left "$spaces" || return 1
	[ -e "$lab_folder/lab/a/mine" ] || { echo "it was removed"; return 1; }
	rm -r "$lab_folder/lab/a"
}
tap "also where the lab lived until then" foreign_of_living
interrupted_exec() { # a signal to the command's front alone reaches it
	up || return 1
	local front code
	env --default-signal=INT "$rocetune" lab exec --name a h0 \
		sh -c 'trap "exit 7" INT; echo >"$1"; while :; do sleep 0.1; done' - "$tap_log/trapped" &
	front=$!
	for _ in $(seq 100); do
		[ -e "$tap_log/trapped" ] && break
		sleep 0.05
	done
	kill -INT "$front"
	wait "$front"
	code=$?
	"$rocetune" lab down --name a >/dev/null
	[ "$code" = 7 ] || { echo "exit $code"; return 1; }
}
tap "SIGINT to lab exec alone is passed on to the command" interrupted_exec

# --- a run: traffic, capture, analysis ----------------------------------------------
report=$tap_log/run.json

# Once in three runs the machine is not too busy; a lab that is wrong is so in each.
run() { # FILTER...: of the report of an incast
	local try filter bad
	for try in 1 2 3; do
		bad=
		"$rocetune" lab run --incast 4:1 --rate 100Mbps --time 1500ms --profile hpcc-25g \
			--pcap "$tap_log/run.pcapng" --json >"$report" 2>"$tap_log/run.err"
		[ $? -le 1 ] || { cat "$tap_log/run.err"; return 1; }
		for filter in "$@"; do
			jq -e "$filter" "$report" >/dev/null || bad+="not so: $filter"$'\n'
		done
		[ -n "$bad" ] || return 0
	done
	echo "$bad"
	jq '{verdict, cross, findings: [.findings[] | {id, where, evidence}]}' "$report"
	return 1
}
tap "an incast is marked, told and lossless, and three agree on every figure" run \
	'.marks > 0' '.cnps > 0' '.drops == 0' '.naks == 0' \
	'[.cross[] | select(.agrees == "no")] == []' \
	'[.cross[] | select(.figure == "data frames to receivers")][0] |
		.endpoints > 1000 and .capture > 1000 and .switch > 1000'
# The verdict counts what every part found, and that of the traffic its own.
verdicts='def says(n; w): if (n | length) + (w | length) == 0
		then startswith("nothing wrong")
		else startswith("\(n | length) wrong, \(w | length) suspect") end;
	def verdict_fits: .findings as $all
		| [$all[] | select(.severity == "error")] as $n
		| [$all[] | select(.severity == "warn")] as $w
		| .verdict | says($n; $w);
	verdict_fits and (.stress | verdict_fits)'
tap "the verdict is of all its findings" jq -e "$verdicts" "$report"
tap "every sender has its share of it" jq -e '.stress.jain > 0.5' "$report"
analysed_again() {
	"$rocetune" analyze --json "$tap_log/run.pcapng" >"$tap_log/again.json"
	jq -n -e --slurpfile live "$report" --slurpfile file "$tap_log/again.json" \
		'$live[0].capture.marks.data_frames == $file[0].marks.data_frames and
		 $live[0].capture.roce.icrc_bad == 0 and $file[0].roce.icrc_bad == 0 and
		 $file[0].roce.icrc_ok > 1000' ||
		jq .roce "$tap_log/again.json"
}
wide() { # lines of a run's text that are longer than a page
	printf '%s\n' "topology: {kind: leaf-spine, speed: 100G, leaves: 2, spines: 2, hosts: 2}" \
		"workload: {kind: incast, senders: 3, duration: 1s}" \
		"duration: 1s" >"$tap_log/leaf.yaml"
	"$rocetune" lab run "$tap_log/leaf.yaml" >"$tap_log/text" 2>&1
	[ $? -le 1 ] && grep -q '^  spine1p1 ' "$tap_log/text" && awk 'length > 80' "$tap_log/text" &&
		"$rocetune" lab run --incast 3:1 --time 500ms --fault slow-receiver@h0 >"$tap_log/text" 2>&1
	[ $? -le 1 ] && grep -q 'pausing' "$tap_log/text" && awk 'length > 80' "$tap_log/text"
}
tap_empty "a run's tables fit 80 columns, with long names and with pauses" wide
tap "the kept frames say the same, and each ICRC is right" analysed_again
tap_empty "nothing is left of it" ls "$lab_folder/lab"
tap "an empty list says so" says "there is no lab" "$rocetune" lab list
tap "it says whose settings it had, the scale once, and no name of a lab that is gone" jq -e \
	'.profile == "hpcc-25g" and (.said | contains("Kmin")) and .lab.said == null and .lab.name == null' \
	"$report"
told() {
	says "none: the simulator's defaults" "$rocetune" lab run --incast 1:1 --rate 50Mbps --time 300ms
}
tap "and that there was no profile" told

# A reader asks with frames that are no data: three still agree.
reads() {
	local try
	printf '%s\n' "topology: {kind: star, speed: 100G, delay: 1us, hosts: 3}" \
		"workload: {kind: incast, senders: 2, duration: 1s, op: read}" \
		"duration: 1s" >"$tap_log/read.yaml"
	for try in 1 2 3; do
		"$rocetune" lab run "$tap_log/read.yaml" --json >"$report" 2>"$tap_log/run.err"
		[ $? -le 1 ] && jq -e '[.cross[] | select(.agrees == "no")] == [] and
			([.cross[] | select(.figure == "data frames to receivers")][0] |
				.endpoints > 1000 and .capture == .endpoints) and
			.capture.marks.data_not_ect == 0' "$report" && return 0
	done
	cat "$tap_log/run.err"
	jq '{verdict, cross, marks: .capture.marks}' "$report"
	return 1
}
tap "READs are counted alike: requests that ask are no data" reads

# Preparing forty ports takes longer than an agent waits for a root that is silent.
many() {
	"$rocetune" lab run --incast 40:1 --time 300ms --profile nvidia-lossless-100g --json \
		>"$report" 2>"$tap_log/run.err"
	[ $? -le 1 ] && jq -e '.stress.ranks == 41 and .stress.ranks_lost == 0' "$report" ||
		{ cat "$tap_log/run.err"; jq '{verdict, findings}' "$report"; return 1; }
}
tap "a lab of many hosts loses none before it stands" many

# A pause that is one: the senders' ports are not looked at, and the verdict is the capture's.
partly() {
	"$rocetune" lab run tests/scenarios/lab-pfc-only.yaml --time 1s --ports s0p1 --json \
		>"$report" 2>"$tap_log/run.err"
	[ $? -le 1 ] && jq -e "($verdicts)"' and ([.findings[] | .id] |
		(contains(["pause-share"]) and (contains(["pfc-not-visible"]) | not) and
		 (contains(["lab-figures-disagree"]) | not))) and
		[.cross[] | select(.figure == "XOFF, both ways") | .agrees] == ["one witness"] and
		.verdict != .stress.verdict' "$report" ||
		{ cat "$tap_log/run.err"; jq '{verdict, cross, findings}' "$report"; return 1; }
}
tap "a capture of one port contradicts nobody; what it found is in the verdict" partly

# --- a run in the middle of which somebody dies -----------------------------------------
begin() { # ARGUMENT...: a run is under way: $runner, its lab $lab, $spaces
	"$rocetune" lab run --name r --incast 3:1 --rate 50Mbps --json "$@" \
		>"$report" 2>"$tap_log/run.err" &
	runner=$!
	local i
	for i in $(seq 100); do
		lab=$(lab_pid r)
		[ -z "$lab" ] || break
		sleep 0.05
	done
	sleep 1
	spaces=$(lab_spaces "$lab")
	[ "$(lab_holders "$spaces" | wc -l)" -ge 5 ] || { echo "no lab with its hosts"; return 1; }
}

runner_dies() {
	begin --time 60s || return 1
	kill -KILL "$runner"
	wait "$runner" 2>/dev/null
	lab_nothing_left "$spaces"
}
tap "the command is killed: the lab goes, too" runner_dies

lab_dies() {
	begin --time 60s || return 1
	local start=$SECONDS code
	kill -KILL "$lab"
	wait "$runner"
	code=$?
	lab_nothing_left "$spaces" || return 1
	[ "$code" = 3 ] && [ $((SECONDS - start)) -le 3 ] ||
		{ echo "exit $code after $((SECONDS - start)) s"; cat "$tap_log/run.err"; return 1; }
	"$rocetune" lab list | grep -w r && return 1
	cat "$tap_log/run.err"
	grep -q "the lab's process died" "$tap_log/run.err"
}
tap "the lab is killed: the command ends and says so" lab_dies

host_dies() {
	begin --time 4s || return 1
	# A child of the lab's process: one of its hosts.
	kill -KILL "$(lab_holders "$spaces" | grep -vwe "$lab" -e "$runner" | tail -n 1)"
	wait "$runner"
	[ $? = 1 ] || { echo "not exit 1"; cat "$tap_log/run.err"; return 1; }
	lab_nothing_left "$spaces" &&
		jq -e '[.findings[] | select(.id == "stress-rank-lost")] != [] and
			.stress.ranks_lost == 1' "$report"
}
tap "a host is killed: the run goes on and names it" host_dies
receiver_dies() {
	begin --time 4s || return 1
	sleep 1
	# Hosts were started in their order.
	kill -KILL "$(ps -o pid= --ppid "$lab" | sort -n | head -n 1)"
	wait "$runner"
	jq -e '[.findings[] | select(.severity == "error") | .id] == ["stress-rank-lost"] and
		[.findings[] | select(.id == "stress-oscillating")] == []' "$report" ||
		{ jq '[.findings[] | {severity, id, where}]' "$report"; return 1; }
}
tap "the receiver is killed: what follows from that is no error of its own" receiver_dies
lab_stands() {
	begin --time 3s || return 1
	sleep 0.5
	kill -STOP "$lab" && sleep 1 && kill -CONT "$lab"
	wait "$runner"
	jq -e '[.findings[] | select(.severity == "error")] == [] and
		[.findings[] | select(.id == "lab-late")] != []' "$report" ||
		{ jq '[.findings[] | {severity, id, where}]' "$report"; return 1; }
}
tap "the lab is stopped for a second: it is told, and nothing else is wrong" lab_stands

interrupted() { # SIGNAL
	begin --time 60s || return 1
	kill "-$1" "$runner"
	wait "$runner"
	[ $? -le 1 ] || { echo "exit code"; cat "$tap_log/run.err"; return 1; }
	lab_nothing_left "$spaces" && jq -e '.stress.cut_short and
		[.findings[] | select(.id == "stress-nothing-moved")] == []' "$report"
}
tap "SIGTERM: a report of what there was" interrupted TERM
tap "SIGINT: the same" interrupted INT
tap_empty "no notes are left but of what was killed" sh -c "ls '$lab_folder/lab' | grep -vx r"

# --- without root -----------------------------------------------------------------------
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" = 0 ] && $nobody "$rocetune" help >/dev/null 2>&1 && $nobody unshare -U true 2>/dev/null; then
	theirs=$(mktemp -d) && chown 65534 "$theirs"
	as_nobody() { ROCETUNE_RUN=$theirs $nobody "$rocetune" "$@"; }
	tap "a user who is not root has a lab, too" says "user namespace  yes" as_nobody lab up --hosts 2
	tap "and is root on its hosts" says "0" as_nobody lab exec h1 id -u
	tap "root keeps out of folders of others" fails 3 "not yours alone" \
		env ROCETUNE_RUN="$theirs" "$rocetune" lab show
	tap "and ends it" says "asked to end" as_nobody lab down
	tap_empty "nothing is left" ls "$theirs/lab"
	rm -rf "$theirs"
else
	tap_skip "a lab without root" "no other user who may have namespaces and read $rocetune"
fi
if unshare -Ur true 2>/dev/null; then
	tap "where that is not allowed, the remedy is told" fails 3 "run it with sudo" unshare -Ur sh -c \
		"echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all '$rocetune' lab up"
else # as in a chroot
	tap_skip "where that is not allowed, the remedy is told" "nobody here has user namespaces to take away"
fi

# --- numbers that make no lab ------------------------------------------------------
tap "hosts are bounded" fails 2 "too much" "$rocetune" lab up --hosts 1000
tap "names lead nowhere" fails 3 "no name for a lab" "$rocetune" lab up --name ../x
tap "an unknown profile is said" fails 3 "no-such" "$rocetune" lab up --profile no-such
tap "an incast of none" fails 2 "senders" "$rocetune" lab run --incast 0:1
tap "to two" fails 2 "8:1" "$rocetune" lab run --incast 3:2
tap "a port that is not there" fails 2 "s0p9" "$rocetune" lab run --incast 2:1 --ports s0p9
tap_empty "and nothing is left of them" sh -c "ls '$lab_folder/lab' | grep -vx r"
tap_done
