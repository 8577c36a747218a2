# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests of the lab: a folder of their own for its notes, and what is left.

lab_folder=$(mktemp -d) || exit 1
export ROCETUNE_RUN=$lab_folder

# The lab's process; empty: there is no lab of this name.
lab_pid() { # NAME
	jq -r '.pid // empty' "$lab_folder/lab/$1/state.json" 2>/dev/null
}

# Namespaces that a lab holds, one a line: "net:[4026532]".
lab_spaces() { # PID
	{
		readlink "/proc/$1/ns/net" "/proc/$1/ns/pid"
		find "/proc/$1/fd" -lname 'net:*' -printf '%l\n'
	} 2>/dev/null | sort -u
}

# Processes that live in one of these namespaces or hold one, by number.
lab_holders() { # SPACES
	find /proc/[0-9]*/ns /proc/[0-9]*/fd -maxdepth 1 -type l -printf '%p %l\n' 2>/dev/null |
		grep -wF "$1" | cut -d/ -f3 | sort -un | while read -r pid; do
		grep -q '^State:	Z' "/proc/$pid/status" 2>/dev/null || echo "$pid"
	done
}

# Links of veth pairs in the namespace of the test: the lab must have none here.
lab_links() { ip -o link show type veth 2>/dev/null; }

# Within two seconds nobody holds the namespaces and the cables are gone.
lab_nothing_left() { # SPACES
	local i
	for i in $(seq 20); do
		[ -n "$(lab_holders "$1")" ] || break
		sleep 0.1
	done
	local left
	left=$(lab_holders "$1")
	[ -z "$left" ] || {
		echo "still there:"
		# shellcheck disable=SC2086
		ps -o pid,stat,args -p "$(echo $left | tr ' ' ,)"
		return 1
	}
	[ -z "$(lab_links)" ] || { lab_links; return 1; }
}

# At the end of a test, also of one that failed in the middle.
lab_end_all() {
	local state
	for state in "$lab_folder"/lab/*/state.json; do
		[ -f "$state" ] && "$rocetune" lab down --name "$(basename "$(dirname "$state")")" >/dev/null
	done
	rm -rf "$lab_folder"
}
