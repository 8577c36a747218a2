#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Scenarios that bring their own pass criteria (tests/scenarios/sonic): all of their
# checks pass, and whatever breaks a scenario is seen by the check that is for it.
set -u
export LC_ALL=C
B=${B:-build}
. tests/tap.sh
at=tests/scenarios/sonic

# verdicts FILE: a line a check, "verdict number name"
verdicts() {
	jq -r '.checks[] | "\(.verdict | gsub(" "; "-")) \(.number) \(.name)"' "$1"
}

passes() { # FILE
	"$B/rocetune" sim "$1" --json >"$tap_log/json" 2>"$tap_log/err"
	local rc=$?
	verdicts "$tap_log/json" >"$tap_log/verdicts"
	if [ $rc -ne 0 ] || ! [ -s "$tap_log/verdicts" ] || grep -v '^passed ' "$tap_log/verdicts"; then
		echo "exit status $rc"
		cat "$tap_log/err"
		return 1
	fi
}

# The broken copy lies beside the profiles that it may name.
cp "$at/equal-weights.yaml" "$tap_log"
cat >"$tap_log/swapped.yaml" <<-LINES
	name: swapped
	extends: azure-sonic
	classes: {rdma3: {sched: {dwrr: 14}}, rdma4: {sched: {dwrr: 3}}, low: {sched: {dwrr: 30}},
	          be: {sched: {dwrr: 7}}}
LINES
cat >"$tap_log/first.yaml" <<-LINES
	name: first
	extends: azure-sonic
	classes: {rdma3: {sched: {dwrr: 40}}, rdma4: {sched: {dwrr: 40}}}
LINES

fails() { # FILE SED CHECK: with that edit the check of this name fails
	sed -e "$2" "$at/$1.yaml" >"$tap_log/broken.yaml"
	if cmp -s "$at/$1.yaml" "$tap_log/broken.yaml"; then
		echo "the edit changes nothing"
		return 1
	fi
	"$B/rocetune" sim "$tap_log/broken.yaml" --json >"$tap_log/json" 2>"$tap_log/err"
	local rc=$?
	verdicts "$tap_log/json" >"$tap_log/verdicts"
	if [ $rc -ne 1 ] || ! grep -v '^passed ' "$tap_log/verdicts" | grep -qF -- " $3"; then
		echo "exit status $rc; not passed:"
		grep -v '^passed ' "$tap_log/verdicts"
		cat "$tap_log/err"
		return 1
	fi
}

for file in "$at"/*.yaml; do
	if grep -q '^checks:' "$file"; then
		tap "$file passes" passes "$file"
	fi
done

while IFS='|' read -r file what edit check; do
	tap "$file, $what: '$check' fails" fails "$file" "$edit" "$check"
done <<'LINES'
rv-1|two pairs meet at one host|s/from: 2, to: 3/from: 2, to: 1/|3 latency on average
rv-1|two pairs meet at one host|s/from: 2, to: 3/from: 2, to: 1/|10 no PFC from the switch on 3
rv-1|a buffer too small for lossy pairs that meet|s/from: 5, to: 4/from: 3, to: 5/; s/mtu: 4096/mtu: 4096, buffer: 400KB, headroom: 10KB/|1 no frame is missing
rv-1|retries run out|s/from: 5, to: 4/from: 3, to: 5/; s/mtu: 4096/mtu: 4096, buffer: 400KB, headroom: 10KB, retries: 0/|1 no message fails
rv-1|a long cable|s/delay: 100ns/delay: 3us/|3 latency on average
rv-1|ACKs in the queue of the data|s/, ack_prio: 6//|11 ACKs sent pass queue 6
rv-1|ACKs in the queue of the data|s/, ack_prio: 6//|12 ACKs of lossy per port
rv-1|the wrong queue for lossy|s/class: low/class: be/|13 data of 0 left its queue per port
rv-1|congestion that is marked|s/from: 2, to: 3/from: 2, to: 1/; s/, ecn: not-ect//; s/options: .no_cc., //|5 no CE on lossless 3
rv-1|congestion that is told|s/from: 2, to: 3/from: 2, to: 1/; s/, ecn: not-ect//; s/options: .no_cc., //|6 no CNP for lossless 3
rv-2-q3-single|PFC off|s/no_ecn/no_ecn, no_pfc/; /^  headroom/d|1 lossless loses nothing
rv-2-q3-single|PFC off|s/no_ecn/no_ecn, no_pfc/; /^  headroom/d|2 no NAK
rv-2-q3-single|PFC off|s/no_ecn/no_ecn, no_pfc/; /^  headroom/d|6 PFC on lossless 3
rv-2-q3-single|headroom cut|s/headroom: 60KB/headroom: 4KB/|1 lossless loses nothing
rv-2-q3-single|weights swapped|s/^profile: .*/profile: swapped.yaml/|9 by weights of 15 and 14
rv-2-q3-single|WRED not detached|s/, no_ecn//; s/buffer: 4MB/buffer: 32MB/|4 no CE
rv-2-q3-single|WRED and DCQCN on|s/no_cc, no_ecn//; s/buffer: 4MB/buffer: 32MB/|5 no CNP
rv-2-q3-single|lossy under PFC|s/class: low/class: rdma4/|8 lossy 0 loses
rv-2-q3-single|lossy stops|s/retries: 60000/retries: 2/|9 each queue has its share by weight
rv-2-q3q4-same|PFC off|s/no_ecn/no_ecn, no_pfc/; /^  headroom/d|6 PFC on lossless 4
rv-2-q3q4-same|headroom cut|s/headroom: 60KB/headroom: 4KB/|1 lossless loses nothing
rv-2-q3q4-same|weights swapped|s/^profile: .*/profile: swapped.yaml/|9 by weights of 15 and 14
rv-2-q3q4-same|half as much lossy|s/rate_share: 50%/rate_share: 20%/|8 lossy 1 loses
rv-2-q3q4-mixed|PFC off|s/no_ecn/no_ecn, no_pfc/; /^  headroom/d|2 no sequence error
rv-2-q3q4-mixed|headroom cut|s/headroom: 60KB/headroom: 4KB/|1 lossless loses nothing
rv-2-q3q4-mixed|weights swapped|s/^profile: .*/profile: swapped.yaml/|9 by weights of 15 and 14
rv-3|ECN off|s/mtu: 4096/mtu: 4096, options: [no_ecn]/|CE on lossless 3
rv-3|ECN off|s/mtu: 4096/mtu: 4096, options: [no_ecn]/|CNPs sent pass queue 5
rv-3|DCQCN off|s/mtu: 4096/mtu: 4096, options: [no_cc]/|CNPs are sent
rv-3|DCQCN off, a shallow buffer|s/mtu: 4096/mtu: 4096, options: [no_cc], buffer: 4MB, headroom: 60KB/|PFC is low
rv-3|CNPs in another queue|s/mtu: 4096/mtu: 4096, cnp_prio: 2/|CNPs sent pass queue 5
rv-3|one rank has half the rate|s/name: q3, class: rdma3, senders: 8/name: q3, class: rdma3, senders: 8, stagger: 1ms/|ranks are treated alike
rv-3|PFC off, a shallow buffer|s/mtu: 4096/mtu: 4096, options: [no_pfc], buffer: 1MB/|lossless loses nothing
rv-4-a|PFC off|s/no_cc/no_cc, no_pfc/; s/, headroom: 60KB//|lossless loses nothing
rv-4-a|PFC off|s/no_cc/no_cc, no_pfc/; s/, headroom: 60KB//|PFC to every sender
rv-4-a|headroom cut|s/headroom: 60KB/headroom: 4KB/|no NAK
rv-4-a|DCQCN on|s/options: .no_cc., //; s/buffer: 4MB/buffer: 32MB/|no CNP
rv-4-b|DCQCN off|s/mtu: 4096/options: [no_cc], mtu: 4096/|few or no PFC
rv-4-b|DCQCN off|s/mtu: 4096/options: [no_cc], mtu: 4096/|CNPs
rv-4-b|ECN off|s/mtu: 4096/options: [no_ecn], mtu: 4096/|CE
m2o-1|PFC off|s/headroom: 20KB/options: [no_pfc]/|5a lossless streams miss nothing
m2o-1|headroom cut|s/headroom: 20KB/headroom: 2KB/|5a lossless streams miss nothing
m2o-1|lossless first|s/^profile: .*/profile: first.yaml/|5b lossy streams miss nothing
m2o-1|weights swapped|s/^profile: .*/profile: swapped.yaml/|3 each stream has 25 %
m2o-1|not too much|s/rate_share: 30%/rate_share: 24%/|3 PFC to the sender on 3
m2o-1-cable|headroom of a short cable|s/headroom: 160KB/headroom: 20KB/|5a lossless streams miss nothing
m2o-2|lossy under PFC|s/class: low/class: rdma3/|5b a sixth of lossy 0 is lost
m2o-2|more is sent|s/rate_share: 30%/rate_share: 35%/|6 the switch accounts for it
m2o-2|weights swapped|s/^profile: .*/profile: swapped.yaml/|3 each stream has 25 %
m2o-2|lossless is too much as well|s/rate_share: 25%/rate_share: 28%/|no PFC at all
m2o-3|PFC off|s/headroom: 20KB/options: [no_pfc]/|3 lossless 40 % loses nothing
m2o-3|all at once|s/start: 10ms, //|5 the switch drops 5 %
m2o-3|weights swapped|s/^profile: .*/profile: swapped.yaml/|no PFC to the stream of 20 %
m2o-3|the other stream is too much|s/rate_share: 40%/rate_share: 10%/|3 PFC to the stream of 40 %
LINES
tap_done
