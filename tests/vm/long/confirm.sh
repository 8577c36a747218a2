#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --confirm: what is not confirmed in time is undone, what is stays.  Without systemd a
# process of the program keeps the time, with it a transient unit.
set -u
. "$RT_LAB/guest/lib.sh"
. "$RT_LAB/guest/apply.sh"
need_apply
lab_load pairs=1
nics_up 0 1
before=$(whole rnic0)
back() { [ "$(whole rnic0)" = "$before" ]; }
held() { reads 'pfc 0x08' nic rnic0 state; }
apply() { rt apply rnic0 -p /tmp/lab.yaml --confirm 10s; }
no_timer() { ! ls /run/lab-systemd/*.timer >/dev/null 2>&1; }
both() { # HOW
	tap "$1: a change that is to be confirmed" apply
	tap "$1: the profile is there" held
	tap "$1: it is undone when its time is over" soon -t 60 back
	link_up rnic0
	tap "$1: another one" apply
	tap "$1: is confirmed" rt confirm rnic0
	sleep 12
	tap "$1: no clock runs any more" soon no_timer
	tap "$1: it is there beyond its time" held
	rt rollback rnic0 >/dev/null
	link_up rnic0
}
both "without systemd"
lab_systemd
both "with systemd"
tap "with systemd: its clock was used twice" [ "$(calls | grep -c '^systemd-run')" -eq 2 ]
tap_done
