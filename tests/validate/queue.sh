#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The DCQCN authors' ns-3 model at 40 Gb/s, long flows: the mean queue after 20 ms over
# the time that the reference ran.  It ran one seed, so its range holds as far as one
# seed spreads: five seeds show how far.
. tests/validate/common.sh
cases="2:300ms:19.1:21.1 4:100ms:43.2:44.4 8:300ms:68:96 16:100ms:59:64 20:300ms:65.2:66"

plan() {
	for case in $cases; do
		IFS=: read -r senders time _ <<<"$case"
		for seed in 1 2 3 4 5; do
			sed "s/senders: [0-9]*/senders: $senders/; s/^duration: .*/duration: $time/" \
				tests/scenarios/msft-40g.yaml >"$work/n$senders.$seed.yaml"
			echo "seed: $seed" >>"$work/n$senders.$seed.yaml"
		done
	done
}

judge() {
	for case in $cases; do
		IFS=: read -r senders time low high <<<"$case"
		for seed in 1 2 3 4 5; do of "n$senders.$seed" queue_mean_bytes; done |
			awk -v low="$low" -v high="$high" '{
					v = $1 / 1000; s += v; q += v * v
					if (NR == 1 || v < min) min = v
					if (v > max) max = v }
				END { m = s / NR; d = sqrt((q - NR * m * m) / (NR - 1))
					printf "%d %.1f %.1f %.1f %.1f %.1f %.1f\n",
						(NR == 5 && m >= low - d && m <= high + d),
						m, min, max, d, low - d, high + d }' >"$work/case"
		read -r good mean min max spread from to <"$work/case"
		row "$good" "$senders:1, $time, mean queue in KB, 5 seeds ($min to $max)" "$mean" \
			"$low to $high" "$from to $to: wider by one seed's spread, $spread" "n$senders.1"
	done
}
"$1"
