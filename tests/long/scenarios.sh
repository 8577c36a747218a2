#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The scenarios of tests/check/scenarios.sh again, with other seeds: their checks hold of
# the fabric, not of one run.
set -u
export LC_ALL=C
B=${B:-build}
. tests/tap.sh

for file in tests/scenarios/sonic/*.yaml; do
	grep -q '^checks:' "$file" || continue
	for seed in $(seq 2 17); do
		tap "$file, seed $seed" "$B/rocetune" sim "$file" --seed "$seed"
	done
done
tap_done
