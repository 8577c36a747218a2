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
