# SPDX-License-Identifier: BSD-2-Clause
# Sourced by scripts that apply a profile to the lab's mlx5: the profile, with a knob of
# each group, and what the card holds.
cat >/tmp/lab.yaml <<'END'
# SPDX-License-Identifier: BSD-2-Clause
name: lab
status: operator
match: {driver: mlx5}
classes:
  roce: {dscp: [26], prio: 3, tc: 3, lossless: yes, sched: {dwrr: 60, max: 40G}}
  cnp: {kind: cnp, dscp: [48], prio: 5, tc: 5, sched: {strict: 1}}
  be: {dscp: rest, prio: 0, tc: 0, sched: {dwrr: 40}}
host:
  trust: dscp
  global_pause: off
  pause_storm_timeout: 200ms
  cable: 30m
  dcbx: {owner: host, willing: no}
  cc:
    algorithm: keep
    np: {cnp_dscp: 48, cnp_prio: 5, cnp_interval: 8us}
    rp: {ai: 20Mb/s, g: 0.0078125, rate_timer: 100us}
END
raw="$B/tests/tools/rawdcb"
rt() { "$B/rocetune" "$@"; }

need_apply() {
	! "$B/rocetune" apply --help >/dev/null 2>&1 || return 0
	tap_skip "apply" "the program has no such command"
	tap_done
	exit
}

# All that the card is asked for, in one text: equal means nothing has changed.
whole() {
	nic "$1" state
	dcb ets show dev "$1"
	dcb pfc show dev "$1"
	dcb app show dev "$1"
	dcb buffer show dev "$1"
	"$raw" "$1" get=maxrate
	ethtool -a "$1"
	ethtool --get-tunable "$1" pfc-prevention-tout
	grep -r . "$debug/mlx5/$(basename "$(readlink "/sys/class/net/$1/device")")"
}
