#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One seed is one result with any compiler: the same runs in this build (gcc,
# optimised) and in the sanitizer build (clang), compared byte for byte, results
# and captures.
set -u
B=${B:-build}
other=build-address-undefined/rocetune
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

cat >"$work/fabric.yaml" <<'YAML'
topology: {kind: leaf-spine, hosts: 4, leaves: 4, spines: 2}
workload:
  - {kind: permutation, size: 300KB, jitter: 5us}
  - {kind: incast, senders: 9, receiver: 5, size: 200KB, burst_on: 20us, burst_off: 7us}
model: {buffer: 1500KB}
seed: 42
YAML
cat >"$work/lossy.yaml" <<'YAML'
workload: {senders: 16, size: 500KB}
model: {options: [no_pfc], buffer: 1MB, rto: 500us}
YAML
sed 's/senders: 16/senders: 24/' tests/scenarios/hpcc-mlx.yaml >"$work/mlx.yaml"
sed "s/^duration: .*/duration: 5ms/; s/^warmup: .*/warmup: 1ms/" tests/scenarios/msft-40g.yaml >"$work/msft.yaml"

# Several classes; datagrams under PFC and without it.
cp tests/scenarios/sonic/equal-weights.yaml "$work"
sed 's/5ms/2ms/' tests/scenarios/sonic/rv-2-q3q4-mixed.yaml >"$work/classes.yaml"
sed 's/10ms/1ms/; s/20ms/2ms/' tests/scenarios/sonic/m2o-3.yaml >"$work/datagrams.yaml"

run() { # PROGRAM NAME SIDE
	"$1" sim "$work/$2.yaml" --json --pcap "$work/$2.$3.pcapng" --fail-on error |
		sed '/^  "meta": {/,$d' >"$work/$2.$3.json"
}
for name in fabric lossy mlx msft classes datagrams; do
	n=$((n + 1))
	if [ ! -x "$other" ]; then
		echo "not ok $n - $name: $other is not built: make asan-built"
		continue
	fi
	run "$B/rocetune" "$name" a
	run "$other" "$name" b
	if [ "$(wc -l <"$work/$name.a.json")" -gt 50 ] && cmp "$work/$name.a.json" "$work/$name.b.json" &&
		cmp "$work/$name.a.pcapng" "$work/$name.b.pcapng"; then
		echo "ok $n - $name: two compilers, one result"
	else
		echo "not ok $n - $name: two compilers, one result"
	fi
	rm -f "$work/$name".*.pcapng
done
echo "1..$n"
