#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune probe over a path of our own: host - wire - router - wire - host, in network
# namespaces; the wires are tests/tools/tosfwd, which does to packets what devices do.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build}
rocetune=$B/rocetune

skip() { echo "ok 1 - probes # SKIP $1"; echo 1..1; exit 0; }
[ -x "$B/tests/tools/tosfwd" ] || { echo "not ok 1 - tosfwd is not built"; echo 1..1; exit 1; }
if [ "${1:-}" != inside ]; then
	command -v ip >/dev/null || skip "no ip"
	command -v nsenter >/dev/null || skip "no nsenter"
	unshare -Urn true 2>/dev/null || skip "no namespace of one's own"
	exec unshare -Urn "$PWD/tests/check/probe.sh" inside
fi
. tests/tap.sh

# --- the path -------------------------------------------------------------------------------
# Here: the prober.  A namespace lives as long as the process that has it.
pids=
end() {
	local pid
	for pid in $pids; do kill "$pid" 2>/dev/null; done
	rm -rf "$tap_log"
}
trap end EXIT
space() { # NAME: a namespace, whose process is $NAME
	unshare -n sleep 600 &
	eval "$1=$!"
	pids="$pids $!"
}
space wire
space router
space far
at() { # PID COMMAND...
	local pid=$1
	shift
	nsenter -t "$pid" -n "$@"
}
# Until unshare has made it.
apart() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
for pid in $wire $router $far; do
	for ((i = 0; i < 100; i++)); do apart "$pid" && break || sleep 0.05; done
done
pair() { # IF PID IF PID
	ip link add "$1" type veth peer name "$3" 2>/dev/null || skip "no veth"
	[ -z "$2" ] || ip link set "$1" netns "$2"
	[ -z "$4" ] || ip link set "$3" netns "$4"
}
pair a0 "" w0 "$wire"
pair w1 "$wire" r0 "$router"
pair r1 "$router" w2 "$wire"
pair w3 "$wire" f0 "$far"
up() { # PID IF ADDRESS...
	local pid=$1 dev=$2
	shift 2
	nsenter ${pid:+-t "$pid" -n} ip link set "$dev" up mtu 9000
	for address; do nsenter ${pid:+-t "$pid" -n} ip addr add "$address" dev "$dev" $(case $address in *:*) echo nodad ;; esac); done
}
ip link set lo up
at "$far" ip link set lo up
up "" a0 192.0.2.1/24 2001:db8:1::1/64
up "$router" r0 192.0.2.2/24 2001:db8:1::2/64
up "$router" r1 198.51.100.2/24 2001:db8:2::2/64
up "$far" f0 198.51.100.1/24 2001:db8:2::1/64
for dev in w0 w1 w2 w3; do up "$wire" "$dev"; done
ip route add default via 192.0.2.2
ip -6 route add default via 2001:db8:1::2
at "$far" ip route add default via 198.51.100.2
at "$far" ip -6 route add default via 2001:db8:2::2
sysctls() { # PID NAME VALUE
	at "$1" sh -c "echo $3 >/proc/sys/net/$2" 2>/dev/null || skip "sysctl $2 cannot be set"
}
sysctls "$router" ipv4/ip_forward 1
sysctls "$router" ipv6/conf/all/forwarding 1
for pid in $router $far; do
	sysctls "$pid" ipv4/icmp_ratelimit 0
	sysctls "$pid" ipv6/icmp/ratelimit 0
done

# wires FIRST SECOND: what the wire to the router, and the one behind it, do.
forwarders=
wires() {
	local pid out
	for pid in $forwarders; do kill "$pid"; wait "$pid" 2>/dev/null; done
	forwarders=
	for out in "w0 w1 $1" "w2 w3 $2"; do
		# shellcheck disable=SC2086
		nsenter -t "$wire" -n "$B/tests/tools/tosfwd" $out seconds=120 >"$tap_log/wire" &
		forwarders="$forwarders $!"
		pids="$pids $!"
		for ((i = 0; i < 100; i++)); do grep -q ready "$tap_log/wire" && break || sleep 0.05; done
		: >"$tap_log/wire"
	done
}
listener=
listen() { # [OPTION...]: on the far host
	nsenter -t "$far" -n "$rocetune" probe --listen --duration 120s "$@" >"$tap_log/listener" 2>&1 &
	listener=$!
	pids="$pids $!"
	for ((i = 0; i < 100; i++)); do grep -q listening "$tap_log/listener" && return || sleep 0.05; done
	false
}
unlisten() {
	kill "$listener"
	wait "$listener" 2>/dev/null
	listener=
}

probe() { # EXIT HOST ARGUMENT...
	local want=$1 rc
	shift
	"$rocetune" probe "$@" --json >"$tap_log/out.json" 2>"$tap_log/err"
	rc=$?
	[ $rc -eq "$want" ] || { echo "exit code $rc"; cat "$tap_log/err" "$tap_log/out.json"; false; }
}
finds() { # ID...: exactly these, but for what could not be known
	local got
	got=$(sed -n 's/.*"id": "\(probe-[^"]*\)".*/\1/p' "$tap_log/out.json" | grep -v probe-unknown | sort -u | tr '\n' ' ')
	[ "$got" = "${*:+$* }" ] || { echo "findings: $got"; cat "$tap_log/out.json"; false; }
}
reads() { # HOST ARGUMENT...: words for people, on a page of 80 columns
	"$rocetune" probe "$@" >"$tap_log/text"
	cat "$tap_log/text"
	grep -q '26 ECT(0)  *26 ECT(0)' "$tap_log/text" && ! grep -q 'ect0\|_back\|_came' "$tap_log/text" &&
		awk 'length > 79 { exit 1 }' "$tap_log/text"
}
has() { grep -q -- "$1" "$tap_log/out.json" || { echo "no $1 in"; cat "$tap_log/out.json"; false; }; }

# --- without a listener ----------------------------------------------------------------------
wires "" ""
tap "a sound path, told by quotes" probe 0 198.51.100.1
tap "is sound" finds
tap "two links" has '"hop_count": 2'
tap "of its whole MTU" has '"path_mtu_bytes": 9000'
tap "told by quotes" has '"way": "quotes"'
tap "of the way back it knows nothing" has '"dscp_back": null'
# Neighbours are found when link-local addresses are no longer tentative.
for ((i = 0; i < 40; i++)); do probe 0 2001:db8:2::1 >/dev/null && finds >/dev/null && break || sleep 0.1; done
tap "IPv6" probe 0 2001:db8:2::1
tap "is sound as well" finds
tap "its path MTU, too" has '"path_mtu_bytes": 9000'

wires "" "there:dscp=0"
tap "a DSCP rewritten" probe 1 198.51.100.1 --dscp 26 --hops
tap "is found" finds probe-dscp-rewritten
tap "as it arrived" has 'DSCP 26 arrives as 0'
tap "behind the router" has '"where": "before hop 2, 198.51.100.1"'
wires "there:dscp=8" ""
tap "rewritten before the router" probe 1 198.51.100.1 --hops
tap "it is before hop 1" has '"where": "before hop 1, 192.0.2.2"'
tap "IPv6" probe 1 2001:db8:2::1 --hops
tap "finds it, too" has '"where": "before hop 1, 2001:db8:1::2"'

wires "" "there:clear"
tap "ECT cleared" probe 1 198.51.100.1
tap "is bleached, and changed of ECT(1)" finds probe-ecn-bleached probe-ecn-changed
wires "" "there:noce"
tap "CE cleared" probe 1 198.51.100.1
tap "is found" finds probe-ce-cleared
wires "" "there:noect"
tap "ECT dropped" probe 1 198.51.100.1
tap "is told from loss" has probe-ect-lost
wires "" "there:mark"
tap "a path that marks" probe 0 198.51.100.1 --load 400ms
tap "is seen to" finds probe-ce-seen
wires "" ""
tap "one that does not" probe 0 198.51.100.1 --load 300ms
tap "is no fault" finds probe-ce-never

# --- sizes --------------------------------------------------------------------------------------
nsenter -t "$router" -n ip link set r1 mtu 2500
tap "a narrow link behind a router" probe 1 198.51.100.1
tap "which tells" finds probe-mtu-small
tap "who" has '"where": "192.0.2.2"'
tap "and how narrow" has '"path_mtu_bytes": 2500'
tap "so what fits" has '"roce_mtu_bytes": 2048'
tap "IPv6" probe 1 2001:db8:2::1
tap "the same" has '"path_mtu_bytes": 2500'
nsenter -t "$router" -n ip link set r1 mtu 9000
ip route flush cache
wires "" "there:max=1500"
tap "a switch that is narrower and says nothing" probe 1 198.51.100.1
tap "is found" finds probe-mtu-silent probe-mtu-small
tap "to the RoCE MTU" has '"roce_mtu_bytes": 1024'

# Our own link is the narrow one: nobody else's fault, and nothing is known of larger packets.
wires "" ""
ip link set a0 mtu 1500
printf 'name: wide\nextends: roce-base\nmatch: {roce_mtu: 4096}\n' >"$tap_log/wide.yaml"
tap "a link of our own that is narrower than the profile" probe 1 198.51.100.1 --profile "$tap_log/wide.yaml"
tap "is named, and not the path" finds probe-mtu-own
tap "as what it is" has 'packets of 1500 bytes, its MTU, arrive: RoCE MTU 1024 fits, 4096 is wanted'
ip link set a0 mtu 9000
ip route flush cache

# --- without CAP_NET_RAW -------------------------------------------------------------------------
wires "" "there:dscp=0"
limited() {
	setpriv --bounding-set=-net_raw --inh-caps=-net_raw "$rocetune" probe 198.51.100.1 --json \
		--load 300ms \
		>"$tap_log/out.json" 2>"$tap_log/err"
	[ $? -eq 0 ] || { cat "$tap_log/err" "$tap_log/out.json"; false; }
}
tap "an unprivileged user probes" limited
tap "hears of closed ports" has '"path_mtu_bytes": 9000'
tap "sees no quotes, so no DSCP" has '"dscp_came": null'
tap "nor how its packets came under load" has '"load_came": null'
tap "though it says that they did" has 'its port is closed: it arrived'
tap "and is told why" has 'needs CAP_NET_RAW'
tap "nothing is taken for fine" has probe-unknown

# --- with one -----------------------------------------------------------------------------------
wires "" ""
tap "a listener" listen --bind 0.0.0.0
tap "a sound path, told by it" probe 0 198.51.100.1
tap "is sound" finds
tap "told by the listener" has '"way": "listener"'
tap "both ways" has '"dscp_back": 26'
tap "and sizes" has '"path_mtu_back_bytes": 9000'
tap "people read words" reads 198.51.100.1 --hops
wires "" "back:dscp=0"
tap "the way back is another one" probe 0 198.51.100.1
tap "is found" finds probe-asymmetric
wires "" "dscp=10"
tap "rewritten both ways" probe 1 198.51.100.1
tap "is not asymmetric" finds probe-dscp-rewritten
unlisten
tap "an interrupted listener tells what came" grep -q 'requests' "$tap_log/listener"

# --- nobody ----------------------------------------------------------------------------------------
at "$far" ip link set f0 down
tap "nobody there" probe 1 198.51.100.1
tap "is no answer" finds probe-silence
# The router speaks for a host that it has no way to.
tap "a router that refuses" probe 1 203.0.113.9
tap "is not the host" finds probe-silence
tap "and is named" has '"refused_by": "192.0.2.2"'
tap "RoCE's own port is refused" probe 2 198.51.100.1 --port 4791
for bad in "nosuchhost.invalid" "198.51.100.1 --source 192.0.2.77"; do
	# shellcheck disable=SC2086
	tap "refused: $bad" probe 3 $bad
done
tap_done
