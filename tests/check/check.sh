#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune check over a host, a switch and an announcement in files: what it finds,
# how it ends, and that it leaves everything as it was.
set -u
B=${B:-build}
. tests/tap.sh
. tests/link.sh

new_link() {
	rm -rf "$tap_log/link"
	link_make "$tap_log/link"
	cd_link="$tap_log/link"
}
new_link

check() { # ARGUMENTS...: of the host, with its profile
	"$B/rocetune" check --sysroot "$cd_link/host" -p "$cd_link/profile.yaml" "$@"
}
with_all() { check --switch "$cd_link/leaf-1.json" --lldp "$cd_link/said.json" "$@"; }

ends() { # STATUS COMMAND...
	local wanted=$1
	shift
	"$@"
	local rc=$?
	[ "$rc" -eq "$wanted" ] || { echo "exit status $rc instead of $wanted"; return 1; }
}
says() { # STATUS WORDS COMMAND...
	local words=$2
	ends "$1" "${@:3}" >"$tap_log/said" 2>&1 || { cat "$tap_log/said"; return 1; }
	# lines are broken at blanks
	tr -s '\n ' '  ' <"$tap_log/said" | grep -qF -- "$words" || {
		echo "'$words' is missing in:"
		cat "$tap_log/said"
		return 1
	}
}
finds() { # ID COMMAND...: among the findings of the JSON
	local id=$1
	shift
	"$@" --json >"$tap_log/x.json"
	jq -e --arg id "$id" '[.ports[].findings[].id] | index($id) != null' "$tap_log/x.json" ||
		{ jq '.ports[].findings' "$tap_log/x.json"; return 1; }
}
edit() { # FILE SED-SCRIPT: which has to change something
	cp "$1" "$1.old"
	sed -i "$2" "$1"
	cmp -s "$1" "$1.old" && { echo "not ok - $2 changes nothing in $1"; exit 1; }
	rm "$1.old"
}
sums() { find "$cd_link" -type f -exec cksum {} + | sort; }

# --- what fits ------------------------------------------------------------------
sums >"$tap_log/before"
tap "four sides that fit have no finding" \
	says 0 "leaf-1 Ethernet0: 0 errors, 0 warnings, 0 not judged" with_all --fail-on unknown
tap "the port is found by what was heard" \
	says 0 "leaf-1 Ethernet0: 0 errors" check --switch-dir "$cd_link" --lldp "$cd_link/said.json"
tap "a device may be named" says 0 "mlx5_0 (ens1)" with_all ens1
tap "JSON has the sides of every property" eval \
	'with_all --json | jq -e ".ports[0].rows[] | select(.property == \"pfc.mask\") |
	.host == \"3\" and .profile == \"3\" and .config == \"3\" and .lldp == \"3\""'
narrow() { # and nothing is lost by it: the words of every cell are there
	check --switch-dir "$cd_link" --lldp "$cd_link/said.json" >"$tap_log/narrow"
	! awk 'length > 79' "$tap_log/narrow" | grep -v '\[align-\|, profile ' &&
		! comm -23 <(with_all --json | jq -r '.ports[0].rows[] | .[] // empty' |
			tr -s ' ' '\n' | sort -u) \
			<(tr -s ' ' '\n' <"$tap_log/narrow" | sort -u) | grep .
}
tap "text stays within 80 columns" narrow
tap "what was read is as it was" eval 'sums | diff "$tap_log/before" -'

# --- what does not ---------------------------------------------------------------
link_said 00 >"$cd_link/said.json"
tap "PFC that is announced off is found" ends 1 with_all
tap "by its id" finds align-not-applied with_all
new_link
edit "$cd_link/host/rocetune/answers.json" 's/"mask": 8/"mask": 0/'
tap "PFC that is off at the host is found" finds align-pfc-switch-only with_all
new_link
edit "$cd_link/host/rocetune/answers.json" 's/"carrier": true/"carrier": false/'
tap "a host without a link is found" finds align-link-down with_all
new_link
edit "$cd_link/leaf-1.json" 's/"26": "3"/"26": "0"/'
tap "a lossless class that the switch drops is found" finds align-class-lossy with_all
new_link
echo 0 >"$cd_link/host/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
tap "rdma_cm without a class is found" finds align-rdma-cm-tos check
new_link
edit "$cd_link/profile.yaml" 's/leaf: "leaf-1"/leaf: "leaf{rail}"/'
tap "a cable to another leaf is found" finds align-wrong-port with_all

# --- several rails ----------------------------------------------------------------
rails() { # each to the first port of a leaf of its own
	rm -rf "$cd_link"
	link_make "$cd_link" 2
	sed 's/leaf-1/leaf-2/' "$cd_link/leaf-1.json" >"$cd_link/leaf-2.json"
	edit "$cd_link/leaf-2.json" 's/"pfc_enable": "3"/"pfc_enable": "4"/'
	edit "$cd_link/profile.yaml" 's/select: rail 0-7, leaf: "leaf-1"/select: rail 0-7, leaf: "leaf-{rail}"/'
	jq --argjson more "$(sed 's/leaf-1/leaf-2.example.net/; s/"ens1"/"ens11"/' "$cd_link/said.json")" \
		'.lldp.interface = [.lldp.interface, $more.lldp.interface]' "$cd_link/said.json" \
		>"$tap_log/both.json"
	mv "$tap_log/both.json" "$cd_link/said.json"
}
rails
rail_json() { check --switch-dir "$cd_link" --lldp "$cd_link/said.json" --json; }
tap "each rail is compared with its own switch" eval \
	'[ "$(rail_json | jq -c "[.ports[] | [.device, .switch_name, .switch_port]]")" = \
	"[[\"mlx5_0\",\"leaf-1\",\"Ethernet0\"],[\"mlx5_1\",\"leaf-2\",\"Ethernet0\"]]" ]'
tap "and only the one that differs has the finding" eval \
	'[ "$(rail_json | jq -c "[.ports[] | [.findings[].id] | index(\"align-pfc-host-only\") != null]")" = \
	"[false,true]" ]'
tap "leaves have the number of the rail" eval \
	'rail_json | jq -e ".ports[0].findings[] | select(.id == \"align-wrong-port\") |
	.evidence | test(\"leaf-0\")"'

# --- a bond ---------------------------------------------------------------------------
bond() { # each slave to a leaf of its own
	new_link
	sed 's/leaf-1/leaf-2/' "$cd_link/leaf-1.json" >"$cd_link/leaf-2.json"
	jq --argjson more "$(sed 's/leaf-1/leaf-2/; s/00:01/00:02/; s/"ens1"/"eth3"/' "$cd_link/said.json")" \
		'.lldp.interface = [{"eth2": .lldp.interface.ens1}, $more.lldp.interface]' \
		"$cd_link/said.json" >"$tap_log/both.json"
}
bond
bond_json() {
	"$B/rocetune" check "$@" -p "$cd_link/profile.yaml" --sysroot tests/trees/zoo --json \
		--switch-dir "$cd_link" --lldp "$tap_log/both.json" >"$tap_log/bond.json"
	jq "$filter" "$tap_log/bond.json"
}
bond_is() { # WANTED FILTER DEV
	local filter=$2
	local is
	is=$(bond_json "$3" | jq -c .)
	[ "$is" = "$1" ] || { echo "$is"; return 1; }
}
tap "each slave of a bond is a link of its own" bond_is \
	'[["eth2","leaf-1","Ethernet0","3"],["eth3","leaf-2","Ethernet0","none"]]' \
	'[.ports[] | [.netdev, .switch_name, .switch_port,
		(.rows[] | select(.property == "pfc.mask").host)]]' mlx5_bond_0
tap "two leaves are not two agents" bond_is 'false' \
	'[.ports[].findings[].id] | index("align-two-agents") != null' mlx5_bond_0
tap "one slave may be named" bond_is '["eth3"]' '[.ports[].netdev]' eth3
tap "findings name the slave" bond_is 'true' \
	'[.ports[1].findings[] | .where | test("eth3")] | any' mlx5_bond_0

# --- what is not there --------------------------------------------------------------
new_link
tap "a switch without its port is not judged" \
	says 0 "which port of the switch?" check --switch "$cd_link/leaf-1.json"
tap "and that is a failure where it is asked for" \
	ends 1 check --switch "$cd_link/leaf-1.json" --fail-on unknown
tap "the leaf of the rail names the file" \
	says 0 "which port of the switch?" check --switch-dir "$cd_link"
mv "$cd_link/leaf-1.json" "$cd_link/leaf-2.json"
tap "a switch that has no file is not judged" \
	says 0 "has no configuration of leaf-1" check --switch-dir "$cd_link" --lldp "$cd_link/said.json"
tap "a switch file that is not there is a failure" \
	says 3 "leaf-1.json" check --switch "$cd_link/leaf-1.json" --port Ethernet0
tap "a folder that is not there is a failure" \
	says 3 "--switch-dir $cd_link/nowhere: No such file" check --switch-dir "$cd_link/nowhere"
tap "nor is a file a folder" says 3 "is no folder" check --switch-dir "$cd_link/leaf-2.json"
echo '{"PORT": ' >"$cd_link/leaf-1.json"
tap "a file of the folder that is not understood is a failure" \
	says 3 "leaf-1.json:" check --switch-dir "$cd_link"
rm "$cd_link/leaf-1.json"
mkfifo "$cd_link/leaf-1.json"
tap "a pipe in the folder holds nobody" \
	says 0 "has no configuration of leaf-1" timeout 10 "$B/rocetune" check \
	--sysroot "$cd_link/host" -p "$cd_link/profile.yaml" --switch-dir "$cd_link"
rm "$cd_link/leaf-1.json"
tap "a port that the switch does not have is a failure, with the nearest" \
	says 3 "no port 'Ethernet00': did you mean Ethernet0?" \
	check --switch "$cd_link/leaf-2.json" --port Ethernet00
edit "$cd_link/said.json" 's/"etp1"/"etp9"/'
tap "a port that was heard and is not in the file is not judged" \
	says 0 "no port 'etp9'" check --switch "$cd_link/leaf-2.json" --lldp "$cd_link/said.json"
echo '{"lldp": {}}' >"$cd_link/none.json"
tap "a file without any LLDP is a failure" \
	says 3 "there is no LLDP in it" check --lldp "$cd_link/none.json"
edit "$cd_link/said.json" 's/"ens1"/"ens2"/'
tap "nobody heard is not judged" says 0 "nobody was heard on ens1" check --lldp "$cd_link/said.json"
echo '{"lldp": 3' >"$cd_link/said.json"
tap "what was heard and is not understood has its place" \
	says 3 "said.json:" check --lldp "$cd_link/said.json"
tap "a device that is not there is named" says 3 "mlx5_9" check mlx5_9
tap "a profile that is not there is named" says 3 "nothere" \
	"$B/rocetune" check --sysroot "$cd_link/host" -p nothere

# --- usage -----------------------------------------------------------------------------
tap "a profile has to be said" ends 2 "$B/rocetune" check
tap "one switch or a folder of them" ends 2 check --switch a --switch-dir b
tap "a port needs its switch" ends 2 check --port Ethernet0
rails
tap "one port of the switch is not the other end of every rail" says 2 "say DEV" \
	check --switch "$cd_link/leaf-1.json" --port Ethernet0
tap "but of the one that is named" ends 0 check ens1 --switch "$cd_link/leaf-1.json" --port Ethernet0
tap "nor does it matter that it is named twice" \
	ends 0 check ens1 mlx5_0 --switch "$cd_link/leaf-1.json" --port Ethernet0
tap "a headroom table needs its switch" ends 2 check --headroom x.ini
tap "nobody can be listened to in a folder" ends 2 check --lldp live
tap_done
