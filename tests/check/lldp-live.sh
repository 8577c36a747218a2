#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Listening for LLDP on a device, over a pair of veth in a network namespace of its
# own: what is heard, when listening ends, and why it cannot begin.
set -u
B=${B:-build}
dump=$B/tests/tools/lldpdump

skip() { echo "ok 1 - listening for LLDP # SKIP $1"; echo 1..1; exit 0; }
[ -x "$dump" ] || { echo "not ok 1 - $dump is not built"; echo 1..1; exit 1; }
if [ "${1:-}" != inside ]; then
	command -v ip >/dev/null || skip "no ip"
	unshare -Urn true 2>/dev/null || skip "no namespace of one's own"
	exec unshare -Urn "$0" inside
fi
ip link add va type veth peer name vb 2>/dev/null || skip "no veth"
ip link set va up && ip link set vb up

n=0
t() { # WANTED GOT NAME
	n=$((n + 1))
	if [ "$1" = "$2" ]; then echo "ok $n - $3"; else
		echo "not ok $n - $3"
		printf 'wanted %s\ngot %s\n' "$1" "$2" | sed 's/^/# /'
	fi
}

# Frames are sent again and again, since nothing says when the listener is ready.
send() { while "$dump" --send vb; do sleep 0.1; done; }
send &
sender=$!
# It would go on for ten minutes if it did not end by itself.
heard=$(timeout 60 "$dump" --listen va 600000 2>&1)
kill "$sender"
wait "$sender" 2>/dev/null
# shellcheck disable=SC2086
t "va mute 00 va leaf 08" "$(echo $heard)" "it ends when somebody speaks DCBX, and has heard both"
t "" "$("$dump" --listen va 300 2>&1)" "nobody is heard when nobody speaks"
{ sleep 0.3; "$dump" --send va; } &
t "" "$("$dump" --listen va 1000 2>&1)" "what this end sends is not heard"
wait
ip link set va down
t "" "$("$dump" --listen va 300 2>&1)" "nobody is heard on a device that is down"
case $("$dump" --listen nothere 300 2>&1) in
*nothere:\ cannot\ listen*) got=yes ;; *) got=no ;;
esac
t yes "$got" "a device that is not there is named"
echo "1..$n"
