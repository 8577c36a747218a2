#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Seeing hosts: a snapshot says what the host said, byte for byte; a shown profile is
# one; differences of a fleet are found, whatever the hosts' folders and files are.
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=profiles
R=$B/rocetune
trees=tests/trees

names() { # SYSROOT: its ports
	"$R" list --json --sysroot "$1" | jq -r '.devices[] | "\(.ibdev)/\(.port)"'
}
same() { # SYSROOT SYSROOT ARGUMENTS...: the same text of both
	diff <("$R" "${@:3}" --sysroot "$1" 2>&1) <("$R" "${@:3}" --sysroot "$2" 2>&1)
}
bundle_is_host() { # TREE
	local tar=$tap_log/$1.tar device way
	"$R" snapshot all --sysroot "$trees/$1" -o "$tar" || return
	same "$trees/$1" "$tar" list && same "$trees/$1" "$tar" list --json || return
	for device in $(names "$trees/$1"); do
		for way in "" --json --yaml; do
			# shellcheck disable=SC2086
			same "$trees/$1" "$tar" show "$device" $way || return
		done
	done
	# And a snapshot of the snapshot is the snapshot.
	"$R" snapshot all --sysroot "$tar" -o "$tar.2" && cmp "$tar" "$tar.2"
}
checked() { # check says the same of a bundle as of its host
	diff <("$R" check -p nvidia-lossless-100g --sysroot $trees/two-rails 2>&1) \
		<("$R" check -p nvidia-lossless-100g --sysroot "$tap_log/two-rails.tar" 2>&1)
}
one_port() { # a snapshot of one port serves to show it
	"$R" snapshot mlx5_1 --sysroot $trees/two-rails -o "$tap_log/one.tar" &&
		same $trees/two-rails "$tap_log/one.tar" show mlx5_1 &&
		same $trees/two-rails "$tap_log/one.tar" show mlx5_1 --json &&
		! tar -tf "$tap_log/one.tar" | grep "0000:3b:00.0/cc_params"
}
others_are_not_in_it() { # and are neither listed as without knobs nor compared
	"$R" snapshot all --sysroot $trees/two-rails -o "$tap_log/all.tar" &&
		"$R" list --sysroot "$tap_log/one.tar" >"$tap_log/one.out" &&
		grep -q "mlx5_0/1, mlx5_2/1 *not in this bundle" "$tap_log/one.out" &&
		! grep -q neither "$tap_log/one.out" &&
		"$R" show mlx5_0 --sysroot "$tap_log/one.tar" | grep "not in this bundle" &&
		"$R" diff "$tap_log/one.tar" "$tap_log/all.tar" | grep "all the same" &&
		"$R" snapshot all --sysroot "$tap_log/one.tar" -o "$tap_log/two.tar" &&
		diff "$tap_log/one.out" <("$R" list --sysroot "$tap_log/two.tar") &&
		"$R" snapshot mlx5_1 --sysroot "$tap_log/one.tar" -o "$tap_log/two.tar" &&
		cmp "$tap_log/one.tar" "$tap_log/two.tar"
}
whole_or_old() { # a bundle that cannot be written leaves the old one
	echo old >"$tap_log/old.tar"
	! "$R" snapshot nosuch --sysroot $trees/zoo -o "$tap_log/old.tar" 2>/dev/null &&
		[ "$(cat "$tap_log/old.tar")" = old ] &&
		! "$R" snapshot all --sysroot $trees/zoo -o /nonexistent/x.tar 2>/dev/null &&
		[ -z "$(ls "$tap_log"/old.tar?* 2>/dev/null)" ]
}
no_device() { # becomes a file: this pipe stands for /dev/null, which root may replace
	mkfifo "$tap_log/pipe"
	"$R" snapshot all --sysroot $trees/zoo -o "$tap_log/pipe" 2>"$tap_log/said"
	[ $? -eq 3 ] && grep -q "pipe: not a regular file" "$tap_log/said" && [ -p "$tap_log/pipe" ]
}
profiles_are() { # TREE: what show --yaml writes is understood
	local device
	for device in $(names "$trees/$1"); do
		"$R" show "$device" --yaml --sysroot "$trees/$1" >"$tap_log/shown.yaml" &&
			"$R" profile check "$tap_log/shown.yaml" || { echo "$device"; return 1; }
	done
}
for tree in two-rails zoo; do
	tap "list and show of a bundle: $tree" bundle_is_host $tree
	tap "show --yaml is a profile: $tree" profiles_are $tree
done
tap "check of a bundle" checked
fits() { ! "$R" list --sysroot $trees/zoo | grep ".\{81\}"; } # a terminal of 80 columns
tap "list fits a terminal" fits
to_stdout() { # and what is said of it goes elsewhere
	"$R" snapshot mlx5_1 --sysroot $trees/two-rails -o - >"$tap_log/out.tar" 2>"$tap_log/said" &&
		"$R" snapshot mlx5_1 --sysroot $trees/two-rails -o "$tap_log/one.tar" &&
		cmp "$tap_log/out.tar" "$tap_log/one.tar" && grep -q "RDMA ports *1" "$tap_log/said" || return
	[ ! -e ./- ]
}
not_to_a_terminal() {
	script -qec "'$R' snapshot mlx5_1 --sysroot $trees/two-rails -o -" /dev/null </dev/null |
		grep "no text for a terminal"
}
tap "a snapshot to standard output" to_stdout
if has_terminals; then
	tap "but to no terminal" not_to_a_terminal
else
	tap_skip "but to no terminal" "no pseudo-terminal can be had here"
fi
tap "a snapshot of one port" one_port
tap "of the others it is said that they are not in it" others_are_not_in_it
tap "a snapshot that fails leaves what was there" whole_or_old
tap "what is there and is no file is refused, and stays" no_device

# --- a fleet ------------------------------------------------------------------------
cc=sys/kernel/debug/mlx5
mkdir -p "$tap_log/fleet"
for host in h1 h2 h3 h4; do
	cp -a $trees/two-rails "$tap_log/fleet/$host"
done
echo 0 >"$tap_log/fleet/h2/$cc/0000:3b:00.0/cc_params/np_cnp_dscp"
rm "$tap_log/fleet/h3/$cc/0000:3b:00.0/cc_params/rp_ai_rate"
"$R" snapshot all --sysroot "$tap_log/fleet/h4" -o "$tap_log/fleet/h4.tar" >/dev/null
rm -r "$tap_log/fleet/h4"
echo "no host" >"$tap_log/fleet/README"
mkdir "$tap_log/elsewhere" && mv "$tap_log/fleet/h1" "$tap_log/elsewhere/" # hosts may be links
ln -s ../elsewhere/h1 "$tap_log/fleet/h1"
ln -s README "$tap_log/fleet/README2"

finds() { # LINE...: in what diff says of the fleet
	local line
	"$R" diff "$tap_log/fleet" >"$tap_log/said" || return
	for line in "$@"; do
		grep -qxF -- "$line" "$tap_log/said" || { echo "no line: $line"; cat "$tap_log/said"; return 1; }
	done
}
tap "the odd hosts of a folder are found" finds \
	"4 hosts, 3 RDMA ports matched by name: 2 differences" \
	"  cc.np.cnp_dscp is 48 on 3 of 4 hosts; the others:" "    0           h2" \
	"  cc.rp.ai is 5Mb/s on 3 of 4 hosts; the others:" "    unknown     h3"
as_json() {
	"$R" diff --json "$tap_log/fleet" |
		jq -e '.differences[] | select(.knob == "cc.np.cnp_dscp") |
			.device == "mlx5_0/1" and .majority == "48" and .majority_hosts == 3 and
			(.odd == [{"host": "h2", "value": "0"}])'
}
tap "and in JSON" as_json
exits() { # STATUS ARGUMENTS...
	local wanted=$1 rc
	shift
	"$R" "$@" >/dev/null 2>"$tap_log/err"
	rc=$?
	[ "$rc" -eq "$wanted" ] || { echo "exit status $rc instead of $wanted"; cat "$tap_log/err"; return 1; }
}
leads_nowhere() { # is told, as any host that cannot be read
	mkdir "$tap_log/broken" && cp "$tap_log/fleet/h4.tar" "$tap_log/broken/" &&
		cp "$tap_log/fleet/h4.tar" "$tap_log/broken/h5.tar" &&
		ln -s /nowhere/h1 "$tap_log/broken/h1" || return
	exits 3 diff "$tap_log/broken" && grep "broken/h1" "$tap_log/err"
}
tap "a link that leads nowhere" leads_nowhere
twins() { # bundles of one name, in two folders
	mkdir -p "$tap_log/r1" "$tap_log/r2" && cp "$tap_log/fleet/h4.tar" "$tap_log/r1/h.tar" &&
		cp "$tap_log/zoo.tar" "$tap_log/r2/h.tar" || return
	"$R" diff "$tap_log/r1/h.tar" "$tap_log/r2/h.tar" >"$tap_log/said" &&
		grep -q "  h$" "$tap_log/said" && grep -q "r2/h.tar" "$tap_log/said"
}
tap "bundles of one name are told apart" twins
tap "differences are findings when asked for" exits 1 diff --fail-on warn "$tap_log/fleet"
tap "equal hosts are none" exits 0 diff --fail-on warn $trees/zoo $trees/zoo
broken() { # one that cannot be read: the others are compared, and it is named
	head -c 5000 "$tap_log/fleet/h4.tar" >"$tap_log/cut.tar"
	exits 3 diff "$tap_log/fleet" "$tap_log/cut.tar" && grep cut.tar "$tap_log/err" || return
	"$R" diff "$tap_log/fleet" "$tap_log/cut.tar" 2>/dev/null | grep -q "^4 hosts"
}
tap "a bundle that is damaged is named, and the rest compared" broken
tap "one host is no comparison" exits 3 diff $trees/zoo
tap "no such host" exits 3 list --sysroot /nonexistent
tap "a folder that is no host" exits 3 list --sysroot docs
no_host() {
	tar -cf "$tap_log/docs.tar" docs/hosts.md
	exits 3 list --sysroot "$tap_log/docs.tar" && grep "is no host" "$tap_log/err"
}
tap "an archive that is no host" no_host
oversize() { # is told in own words, with the file it is in
	cp -a $trees/two-rails "$tap_log/big" && truncate -s 5M "$tap_log/big/rocetune/answers.json" &&
		exits 3 list --sysroot "$tap_log/big" &&
		grep "big/rocetune/answers.json: larger than 4 MiB" "$tap_log/err" || return
	tar -czf "$tap_log/big.tgz" -C "$tap_log/big" rocetune && exits 3 list --sysroot "$tap_log/big.tgz" &&
		grep "big.tgz: rocetune/answers.json: larger than 4 MiB" "$tap_log/err" || return
	truncate -s 65M "$tap_log/big/rocetune/answers.json" &&
		tar -czf "$tap_log/big.tgz" -C "$tap_log/big" rocetune &&
		exits 3 list --sysroot "$tap_log/big.tgz" &&
		grep "big.tgz: 'rocetune/answers.json' is larger, unpacked, than the 64 MiB" "$tap_log/err"
}
tap "what is too large" oversize

# --- changes that were not finished ---------------------------------------------------
pending() { # said on stderr, and no part of the answer
	mkdir -p "$tap_log/state" && echo '{' >"$tap_log/state/1.journal"
	ROCETUNE_STATE=$tap_log/state "$R" list >"$tap_log/out1" 2>"$tap_log/err" &&
		grep "rocetune list: note: " "$tap_log/err" &&
		"$R" list 2>/dev/null | cmp - "$tap_log/out1" &&
		ROCETUNE_STATE=$tap_log/state "$R" list --sysroot $trees/zoo 2>&1 >/dev/null | cmp - /dev/null
}
tap "a change that was not finished is told" pending
tap_done
