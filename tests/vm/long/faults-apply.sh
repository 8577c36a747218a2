#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fault loop: each write of an apply fails, is not kept, becomes a third value, or is
# its writer's last, before or after it, alone or with its supervisor.  Whatever happens,
# the card is wholly as it was; and a journal that no longer fits is left alone.
set -u
. "$RT_LAB/guest/lib.sh"
. "$RT_LAB/guest/apply.sh"
need_apply
# One DSCP a class: as many kinds of writes, and few of each.
sed -i '/^  be:/d; s/dwrr: 60/dwrr: 100/' /tmp/lab.yaml
apply() { rt apply rnic0 -p /tmp/lab.yaml; }
back() { [ "$(whole rnic0)" = "$before" ]; }
lab_load pairs=1 flap_ms=20
nics_up 0 1
before=$(whole rnic0)
forget rnic0
tap "without a fault it is applied" apply
count=$(nic rnic0 writes)
new=$(whole rnic0)
tap "in at least ten writes ($count)" [ "$count" -ge 10 ]
rt rollback rnic0 >/dev/null
link_up rnic0
tap "and rolled back" back

try() { # N FAULT
	local failed
	forget rnic0
	nic rnic0 fault "$1 $2"
	apply >/tmp/apply.log 2>&1
	failed=$?
	nic rnic0 fault clear
	# Done is done: a value that was there already may be kept.
	if [ $failed -eq 0 ]; then
		diff <(echo "$new") <(whole rnic0) || { nic rnic0 log; return 1; }
		rt rollback rnic0 >/dev/null
	fi
	case $2 in
	killall*) rt recover >/tmp/recover.log 2>&1 || { cat /tmp/recover.log; return 1; } ;;
	kill*) soon back || { nic rnic0 log; return 1; } ;;
	esac
	soon back || { diff <(echo "$before") <(whole rnic0); nic rnic0 log; cat /tmp/apply.log; return 1; }
	link_up rnic0
}
# One that fails does not spoil the next.
one() {
	try "$@" && return
	rm -rf /var/lib/rocetune
	lab_load pairs=1 flap_ms=20
	nics_up 0 1
	return 1
}
for ((n = 1; n <= count; n++)); do
	for fault in 'errno 5' 'errno 22' keep twist kill kill-after killall killall-after; do
		tap "write $n: $fault" one "$n" "$fault"
	done
done

# A knob that somebody has changed since then: reported, and nothing is touched.
cc=$debug/mlx5/0001:01:00.0/cc_params
forget rnic0
nic rnic0 fault "$count killall-after"
apply >/dev/null 2>&1
nic rnic0 fault clear
echo 77 >$cc/rp_ai_rate
forget rnic0
tap "a knob was changed by hand: recover says no" not rt recover
tap "and touches nothing" [ "$(nic rnic0 writes)" = 0 ]
tap_done
