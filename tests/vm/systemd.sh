#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What stands in for systemd and udev in the guest does what tests of --confirm and
# persist need: a timer that runs or is ended, and a unit started when a NIC appears.
set -u
. "$RT_LAB/guest/lib.sh"
tap "process 1 is not systemd" not eval '[[ $(cat /proc/1/comm) == systemd ]]'
lab_systemd
tap "a timer is made" systemd-run --unit=later --on-active=200ms --timer-property=AccuracySec=10ms \
	-- sh -c 'echo $0 >/tmp/later' fired
tap "it has not run yet" not test -e /tmp/later
tap "it is active" reads active systemctl is-active later.timer
tap "it runs" soon test -e /tmp/later
tap "and is active no longer" soon eval '! systemctl is-active later.timer'
tap "its command got its words" grep -qx fired /tmp/later
rm -f /tmp/later
systemd-run --unit=never --on-active=1s touch /tmp/later 2>&-
tap "a timer is stopped" systemctl stop never.timer
tap "and is active no longer" reads inactive systemctl is-active never.timer
sleep 1.3
tap "and does not run" not test -e /tmp/later
tap "calls are written down" reads 'systemd-run --unit=never --on-active=1s touch /tmp/later' calls
tap "without a time a command runs at once" systemd-run --unit=now touch /tmp/now
tap "and is seen to" soon test -e /tmp/now
tap "an unknown option is an error" not systemd-run --on-moonrise=1 true

mkdir -p /etc/systemd/system /etc/udev/rules.d
cat >'/etc/systemd/system/lab-persist@.service' <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'cat /sys/class/net/%i/address >/tmp/persist-%i'
END
cat >/etc/udev/rules.d/90-lab.rules <<'END'
# a rule over two lines
ACTION=="add", SUBSYSTEM=="net", KERNEL=="rnic*", DRIVERS=="mlx5_core", \
	TAG+="systemd", ENV{SYSTEMD_WANTS}+="lab-persist@%k.service"
END
lab_load pairs=2 kind=mlx5,ice
tap "a NIC that appears" uevent add net rnic0
tap "has its unit started" reads 02:72:74:00:00:00 cat /tmp/persist-rnic0
uevent add net rnic2
tap "one of another driver has not" not test -e /tmp/persist-rnic2
uevent remove net rnic1
tap "nor one that goes" not test -e /tmp/persist-rnic1
rm -f /tmp/persist-rnic0
rmmod rtnic
lab_load pairs=1
tap "after a reload of the module it appears anew" uevent add net rnic0
tap "and its unit is started again" test -e /tmp/persist-rnic0
tap "a unit that does not exist is an error" not systemctl start nobody@rnic0.service
tap_done
