#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A host that is watched while its NICs change: counters that are added to, names that come
# and go, one that starts anew at 32 bits, one that cannot be read, a NIC that goes away.
# One process watches all the time, so that what it holds open is what is tested.
set -u
. "$RT_LAB/guest/lib.sh"
rocetune=$B/rocetune

lab_load pairs=1 kind=mlx5
nics_up 0 1
# Of this file reading gives EIO, as of a register that the card refuses.
mount --bind /proc/1/mem /sys/class/net/rnic1/statistics/tx_errors
nic rnic0 count "np_cnp_sent 41"
nic rnic0 count "out_of_sequence 4294967290"
"$rocetune" top -b --json --all -d 500ms >/tmp/seen 2>/tmp/said &
top=$!
trap 'kill "$top" 2>/dev/null' EXIT

# now FILTER: of the last whole line; ports by their network device.
now() {
	tail -n 2 /tmp/seen | head -n 1 | jq -e "
		def port(\$n): .ports[] | select(.facts.netdev == \$n);
		def counter(\$n; \$c; \$p): [port(\$n).counters[]? |
			select(.counter == \$c and .prio == \$p)][0];
		$1" >/tmp/now
}
# shows FILTER: soon it is so.  Two lines have to come first.
shows() {
	local end=$((SECONDS + 60))
	until now "$1" 2>/dev/null; do
		if [ "$SECONDS" -ge "$end" ]; then
			head -c 600 /tmp/said
			tail -n 2 /tmp/seen | head -n 1 | jq -c '.ports[] | [.name, .facts.state,
				.facts.note, (.counters | length)]'
			return 1
		fi
		sleep 0.3
	done
}

tap "a counter has the value that the NIC was told" \
	shows 'counter("rnic0"; "cnp_tx"; null) | .value == 41 and .source == "hw_counters"'
nic rnic0 count "np_cnp_sent 9"
tap "and another one when it is told more" shows 'counter("rnic0"; "cnp_tx"; null).value == 50'
tap "other ports are not touched" now '[port("rnic1").counters[] | select(.counter == "cnp_tx").value] == [0]'

# exports PATTERN: a metric reads like that.
exports() {
	"$rocetune" exporter --textfile /tmp/seen.prom --once >/tmp/said.exporter 2>&1 &&
		grep -q "$1" /tmp/seen.prom || { grep "${1%%\{*}" /tmp/seen.prom; false; }
}
tap "the exporter tells the same" exports '^rocetune_cnp_tx_total{.*netdev="rnic0".*} 50$'
tap "and of the file that can be read" \
	exports '^rocetune_netdev_rx_bytes_total{.*netdev="rnic0".*} [0-9]*$'
tap "of the one that cannot nothing, and not 0" not grep -q \
	'^rocetune_netdev_rx_bytes_total{.*netdev="rnic1"' /tmp/seen.prom

grew() { # it grew by 16 in some line, and never by more: no rate of billions
	jq -se '[.[].ports[] | select(.facts.netdev == "rnic0").counters[]? |
		select(.counter == "out_of_sequence").per_s | select(. != null)] |
		any(. > 0) and all(. >= 0 and . < 1000)' /tmp/lines >/tmp/now
}
# 16 more: 2^64 - 2^32 + 16, as the module's counters have 64 bits.
nic rnic0 count "out_of_sequence 18446744069414584336"
tap "a counter of 32 bits starts anew" shows 'counter("rnic0"; "out_of_sequence"; null).value == 10'
sleep 1
head -n -1 /tmp/seen >/tmp/lines
tap "and goes on" grew

tap "without PFC dcbnl tells of pauses" \
	now 'counter("rnic0"; "pfc_rx_frames"; 3).source == "dcbnl"'
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
soon carrier rnic0
nic rnic0 count "rx_prio3_pause 9"
tap "with it the NIC's own names are there" \
	shows 'counter("rnic0"; "pfc_rx_frames"; 3) | .value == 9 and .source == "ethtool"'
tap "the port has what it was set to" shows 'port("rnic0").facts.lossless == 8'
"$B/tests/tools/rawdcb" rnic0 pfc=0x10 >/dev/null
soon carrier rnic0
tap "another priority, as many names: not mixed up" shows '
	counter("rnic0"; "pfc_rx_frames"; 4).value == 0 and
	(counter("rnic0"; "pfc_rx_frames"; 3) | .value == 9 and .source == "dcbnl")'
"$B/tests/tools/rawdcb" rnic0 pfc=0x08 >/dev/null
soon carrier rnic0
tap "and back" shows 'counter("rnic0"; "pfc_rx_frames"; 3).source == "ethtool"'

tap "a file that cannot be read takes its source with it" now '
	(port("rnic1").sources[] | select(.source == "netdev").state == "failed") and
	counter("rnic1"; "netdev_rx_bytes"; null) == null'
tap "which is said" now 'port("rnic1").facts.note | test("tx_errors")'
tap "and the others go on" now 'counter("rnic1"; "rx_bytes"; 3) != null'
umount /sys/class/net/rnic1/statistics/tx_errors
sleep 1
tap "it is not asked again" now 'port("rnic1").sources[] | select(.source == "netdev").state == "failed"'

rmmod rtnic
tap "a NIC whose driver is gone is gone" \
	shows 'port("rnic0") | .facts.state == "gone" and (.counters | length) == 0'
tap "which is an error" now 'port("rnic0") | .verdict == "link" and
	([.findings[] | .id + " " + .severity] == ["watch-port-gone error"])'
insmod "$RT_VM/module/rtnic.ko" pairs=1 kind=mlx5
nics_up 0 1
nic rnic0 count "np_cnp_sent 3"
tap "and is back with it, under the same name" \
	shows '(counter("rnic0"; "cnp_tx"; null).value == 3) and port("rnic0").facts.state == "up"'
tap "there are as many ports as before" \
	shows '[.ports[] | select(.facts.netdev // "" | startswith("rnic"))] | length == 2'
negative() {
	head -n -1 /tmp/seen | jq -se '[.[].ports[].counters[]?.per_s | select(. != null and . < 0)] == []' >/tmp/now
}
tap "no rate was negative at any time" negative
tap "it is still the same process" kill -0 "$top"
tap "nothing was written" [ "$(nic rnic1 writes)" = 0 ]
tap_done
