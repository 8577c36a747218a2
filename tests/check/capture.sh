#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune capture on interfaces of a network namespace of its own: what it keeps, what it
# leaves out, how it ends, what it refuses.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build}
rocetune=$B/rocetune

skip() { echo "ok 1 - capturing # SKIP $1"; echo 1..1; exit 0; }
if [ "${1:-}" != inside ]; then
	command -v ip >/dev/null || skip "no ip"
	unshare -Urn true 2>/dev/null || skip "no namespace of one's own"
	exec unshare -Urn "$PWD/tests/check/capture.sh" inside
fi
. tests/tap.sh
ip link add va type veth peer name vb 2>/dev/null || skip "no veth"
ip link set va up && ip link set vb up && ip addr add 192.0.2.1/24 dev va || exit 1
ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev va

# A BTH of an RC SEND to QP 7, four bytes of data and a wrong ICRC; to RoCE's port or not.
send() { # PORT
	printf '\004\000\377\377\000\000\000\007\000\000\000\001dataicrc' >"/dev/udp/192.0.2.2/$1"
}
begin() { # ARGUMENT...: until it is capturing
	"$rocetune" capture "$@" >"$tap_log/report" 2>"$tap_log/said" &
	pid=$!
	for ((i = 0; i < 100; i++)); do grep -q capturing "$tap_log/said" && return || sleep 0.05; done
	cat "$tap_log/said"
	false
}
# It is told to end when it has had time to see what was sent before.
end() { # EXIT
	sleep 0.3
	kill -INT "$pid"
	wait "$pid"
	local rc=$?
	[ $rc -eq "$1" ] || { echo "exit code $rc"; cat "$tap_log/report" "$tap_log/said"; false; }
}
has() { grep -q -- "$2" "$tap_log/$1" || { cat "$tap_log/$1"; false; }; }
fails() { # EXIT ARGUMENT...
	local want=$1
	shift
	"$rocetune" capture "$@" >"$tap_log/report" 2>"$tap_log/said"
	local rc=$?
	[ $rc -eq "$want" ] || { echo "exit code $rc"; cat "$tap_log/said"; false; }
}

tap "it begins" begin va vb -w "$tap_log/x.pcapng" --json
send 4791; send 4791; send 4791; send 9999
tap "ends when told to" end 0
counted() { # INTERFACE FRAMES
	tr -d ' \n' <"$tap_log/report" | grep -q "\"name\":\"$1\",[^}]*\"frames\":$2,[^}]*\"roce\":$2,[^}]*\"dropped\":0}" ||
		{ cat "$tap_log/report"; false; }
}
tap "three frames on this end" counted va 3
tap "and on the other, without what is no RoCE" counted vb 3
"$rocetune" analyze --json "$tap_log/x.pcapng" >"$tap_log/analysis"
tap "the file holds them" grep -q '"frames": 6' "$tap_log/analysis"
tap "and that none was lost" grep -q '"dropped": 0' "$tap_log/analysis"
tap "it replaces a capture" begin va -w "$tap_log/x.pcapng" --time 300ms
tap "and ends by itself" wait "$pid"
echo text >"$tap_log/notes.txt"
tap "but not what is none" fails 3 va -w "$tap_log/notes.txt" --time 1s
tap "saying why" has said 'is no capture'
tap "an analysis without a file" begin va --analyze --json
send 4791
tap "ends" end 0
tap "and is one" has report '"kind": "analysis"'
tap "of what came" has report '"frames": 1'
tap "to standard output" begin va -w - --time 300ms
wait "$pid"
tap "goes the capture alone" grep -q rocetune "$tap_log/report"
tap "and the report elsewhere" has said 'frames'
tap "an interface that is not there" fails 3 nothere -w "$tap_log/y.pcapng" --time 1s
tap "is named" has said nothere
tap "nothing to do with it is an error of usage" fails 2 va
tap "an interface twice is, too" fails 2 va va --analyze
tap "one that is not there" fails 3 nosuch0 -w "$tap_log/y.pcapng"
tap "leaves no file" test ! -e "$tap_log/y.pcapng"
cp "$tap_log/x.pcapng" "$tap_log/z.pcapng"
tap "and one that is not there" fails 3 nosuch0 -w "$tap_log/z.pcapng"
tap "nor empties one" cmp "$tap_log/x.pcapng" "$tap_log/z.pcapng"
as_before() { ip -d link show va | grep -q 'promiscuity 0 ' || { ip -d link show va; false; }; }
tap "the interface is as it was" as_before
tap_done
