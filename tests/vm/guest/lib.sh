# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts of tests/vm, in the guest: TAP, and words for the lab.
#
# Starting a program takes 10 ms here: what is used in every test does without.
. tests/tap.sh
debug=/sys/kernel/debug
B=${B:-build}

# lab_load ARGUMENT...: the module afresh, with these parameters.
lab_load() {
	modprobe ib_core
	! grep -q '^rtnic ' /proc/modules || rmmod rtnic
	insmod "$RT_VM/module/rtnic.ko" "$@"
}

# A pair that can see one another, with an address on the first: nics_up 0 1
nics_up() {
	ip link set "rnic$1" up
	ip link set "rnic$2" up
	ip addr add "10.0.$1.1/24" dev "rnic$1"
	link_up "rnic$1"
}

# soon [-t SECONDS] COMMAND...: true as soon as the command is, false when it is not in
# 5 s or what is said.
soon() {
	local end=$((SECONDS + 6))
	if [ "$1" = -t ]; then
		end=$((SECONDS + $2 + 1))
		shift 2
	fi
	while [ "$SECONDS" -lt "$end" ]; do
		! "$@" 2>/dev/null || return 0
		sleep 0.02
	done
	return 1
}

carrier() { [ "$(<"/sys/class/net/$1/carrier")" = 1 ]; }
link_up() { soon carrier "$1"; }

# The files of a NIC in debugfs, by name: nic rnic0 log; nic rnic0 fault "3 keep"
nic() {
	if [ $# -eq 2 ]; then
		echo "$(<"$debug/rtnic/$1/$2")"
	else
		echo "$3" >"$debug/rtnic/$1/$2"
	fi
}

# The count of writes and the log begin anew.
forget() { nic "$1" writes 0; }

# said NIC PATTERN: the last write to the NIC reads like that in its log.
said() {
	local last
	last=$(nic "$1" log)
	last=${last##*$'\n'}
	# shellcheck disable=SC2053
	[[ $last == $2 ]] || { echo "the log says: $last"; false; }
}

# reads PATTERN COMMAND...: a line of what the command prints, blanks squeezed, matches.
reads() {
	local pattern=$1 text
	local -a words
	shift
	text=$("$@" 2>&1)
	while read -ra words; do
		# shellcheck disable=SC2053
		[[ ${words[*]} != $pattern ]] || return 0
	done <<<"$text"
	echo "$text"
	return 1
}

not() { ! "$@"; }

# systemd stands in from here on: systemd-run, systemctl and uevent of guest/systemd.
lab_systemd() {
	PATH=$RT_LAB/guest/systemd:$PATH
	mkdir -p /run/systemd/system
	rm -rf /run/lab-systemd
}
calls() { cat /run/lab-systemd/calls; }

# --- soft RDMA devices (rdma_rxe) ---------------------------------------------------
# All in the first namespace: rdma_rxe of 6.1 moves no frame in another.  A socket of
# it routes by its own interface, so two of them on one host do talk over the wire.
rxe_begin() {
	modprobe rdma_rxe
	local where
	for where in all default; do
		echo 1 >/proc/sys/net/ipv4/conf/$where/accept_local
		echo 0 >/proc/sys/net/ipv4/conf/$where/rp_filter
		echo 1 >/proc/sys/net/ipv4/conf/$where/arp_ignore
		echo 2 >/proc/sys/net/ipv4/conf/$where/arp_announce
		echo 1 >/proc/sys/net/ipv6/conf/$where/disable_ipv6
	done
	# A veth's receiver drops what comes in a burst of more than that: whole READs.
	echo 100000 >/proc/sys/net/core/netdev_max_backlog
}

# rxe_on NETDEV DEVICE ADDRESS
rxe_on() {
	ip addr add "$3/24" dev "$1"
	ip link set "$1" up
	rdma link add "$2" type rxe netdev "$1"
}

# Two ends of one cable: rxa on va (10.0.0.1), rxb on vb (10.0.0.2).
rxe_pair() {
	rxe_begin
	ip link add va type veth peer name vb
	ip link set vb up
	rxe_on va rxa 10.0.0.1
	rxe_on vb rxb 10.0.0.2
}

# N hosts at a bridge: rx0 on h0 (10.1.0.10), rx1 on h1 (10.1.0.11), ...; the bridge's
# ports are p0, p1, ...
rxe_star() {
	local i
	rxe_begin
	ip link add br0 type bridge
	ip link set br0 up
	for ((i = 0; i < $1; i++)); do
		ip link add "h$i" type veth peer name "p$i"
		ip link set "p$i" master br0
		ip link set "p$i" up
		rxe_on "h$i" "rx$i" "10.1.0.$((10 + i))"
	done
}

# The tools that open a module want it beside them.  libibverbs loads every driver's
# library, a quarter of a second: one is enough here.
rxe_tools() {
	local driver
	for driver in /etc/libibverbs.d/*; do
		[[ $driver == */rxe.driver ]] || rm "$driver"
	done
	mkdir -p /tmp/verbs
	cp "$B/rocetune-verbs.so" "$B/tests/tools/verbspair" /tmp/verbs/
}

# nudge ADDRESS: a frame (ARP for an address nobody has): dumpcap keeps the last ones to
# itself until another comes.
nudge() { echo >"/dev/udp/$1/9"; } 2>/dev/null

# slow_port PORT MBIT: what leaves there is held to that rate and marked when it waits:
# htb and RED of Linux.  rdma_rxe ignores CE and has some 64 packets of a QP under way, so
# the queue's limit holds all of them.
slow_port() {
	modprobe -a sch_htb sch_red
	tc qdisc add dev "$1" root handle 1: htb default 1
	tc class add dev "$1" parent 1: classid 1:1 htb rate "$2mbit" burst 64k cburst 64k
	tc qdisc add dev "$1" parent 1:1 handle 10: red limit 2000000 min 15000 max 45000 \
		avpkt 1100 burst 30 ecn probability 0.2 bandwidth "$2mbit"
}
marked_at() { tc -s -j qdisc show dev "$1" | jq '.[] | select(.kind == "red") | .marked'; }
