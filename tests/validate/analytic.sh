#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Sums done by hand.
#   M/D/1  Poisson arrivals of one packet each, from 999 hosts to one: the mean wait is
#          rho / (2 (1 - rho)) service times (Pollaczek-Khinchine); ten seeds, others at
#          each load, 2 %: 600,000 arrivals leave a standard error of half a per cent
#   Lindley  the same without that error: the waits that the arrivals of one seed must
#          give, one by one (w' = max(0, w + service - gap)), within 0.2 %
#   fluid  the DCQCN fluid model (Zhu et al., CoNEXT 2016, equation 11), solved in
#          $SHARED/sim-reference/fluid for the authors' 40G parameters: the mean queue is
#          its fixed point at 2 and 4 flows, within the 10 % that the authors' own packet
#          model leaves, and a limit cycle around 60 to 75 KB at 16 and 20.  Its queue is
#          what RED sees there, one cell of 1030 bytes less than all that waits.
#   share  two equal flows over 10 s: each its half within 2 %, the worst of five seeds
. tests/validate/common.sh
fluid="2:19.0:23.2:21.07 4:39.4:48.2:43.8 16:60:75:none 20:60:75:none"

long() { # SENDERS DURATION SEED
	sed "s/senders: [0-9]*/senders: $1/; s/^duration: .*/duration: $2/" \
		tests/scenarios/msft-40g.yaml
	echo "seed: $3"
}

# A packet of 1000 bytes is a frame of 1078 and keeps a link of 100G for 87.84 ns.
plan() {
	for rho in 10 20 30 40 50; do
		for seed in 1 2 3 4 5 6 7 8 9 10; do
			{
				echo "seed: $((rho + seed))"
				echo "topology: {hosts: 1000, speed: 100G, delay: 1us}"
				echo "workload: {kind: poisson-incast, arrivals: 60000, size: 1000B,"
				awk -v r=$rho 'BEGIN { printf "  load: %.6f%%}\n", r * 1000 / 1098 }'
				echo "model: {options: [no_cc, no_ecn]}"
			} >"$work/md1_$rho.$seed.yaml"
		done
	done
	for seed in 1 2 3 4 5; do
		for n in 2 4 16 20; do long $n 300ms $seed >"$work/fluid_$n.$seed.yaml"; done
		long 2 10s $seed >"$work/share.$seed.yaml"
	done
}

judge() {
	local pass ours theirs
	for rho in 10 20 30 40 50; do
		for seed in 1 2 3 4 5 6 7 8 9 10; do
			echo "$(of md1_$rho.$seed queue_mean_bytes) $(of md1_$rho.$seed simulated_ns)"
		done | awk -v rho=$rho 'NF == 2 { n++; waiting += $1 * $2 / 1078; packets += 60000 }
			END { wait = waiting / packets / 87.84; want = rho / 2 / (100 - rho)
				dev = 100 * (wait / want - 1)
				printf "%d\t%.4f\t%.4f, %+.1f %%\n", (n == 10 && dev > -2 && dev < 2),
					wait, want, dev }' >"$work/case"
		IFS=$'\t' read -r pass ours theirs <"$work/case"
		row "$pass" "M/D/1 at a load of 0.$((rho / 10)), mean wait in service times" "$ours" \
			"$theirs" "within 2 %" "md1_$rho.1"
		"$B/rocetune" sim "$work/md1_$rho.1.yaml" --json |
			awk -v ours="$(of md1_$rho.1 queue_mean_bytes) $(of md1_$rho.1 simulated_ns)" '
			/"start_ns"/ { sub(/,/, "", $2)
				if (n++) { w += 87.84 - ($2 - last); if (w < 0) w = 0 }
				last = $2; sum += w }
			END { split(ours, q, " "); wait = q[1] * q[2] / 1078 / n / 87.84; want = sum / n / 87.84
				dev = 100 * (wait / want - 1)
				printf "%d\t%.4f\t%.4f, %+.2f %%\n", (n == 60000 && dev > -0.2 && dev < 0.2),
					wait, want, dev }' >"$work/case"
		IFS=$'\t' read -r pass ours theirs <"$work/case"
		row "$pass" "Lindley at a load of 0.$((rho / 10)), mean wait in service times" "$ours" \
			"$theirs" "within 0.2 %" "md1_$rho.1"
	done
	for case in $fluid; do
		IFS=: read -r n low high point <<<"$case"
		for seed in 1 2 3 4 5; do of "fluid_$n.$seed" queue_mean_bytes; done |
			awk -v low="$low" -v high="$high" '{ s += ($1 - 1030) / 1000 }
				END { printf "%d\t%.1f\n", (NR == 5 && s / NR >= low && s / NR <= high), s / NR }' \
				>"$work/case"
		IFS=$'\t' read -r pass ours <"$work/case"
		row "$pass" "fluid model, $n flows, mean queue in KB, 5 seeds" "$ours" \
			"fixed point $point" "$low to $high" "fluid_$n.1"
	done
	for seed in 1 2 3 4 5; do
		"$B/rocetune" sim "$work/share.$seed.yaml" --json |
			awk '/"delivered_bytes"/ { sub(/,/, "", $2); printf "%s ", $2 } END { print "" }'
	done | awk 'NF == 2 { n++; off = 100 * ($1 - $2) / ($1 + $2); if (off < 0) off = -off
			if (off > worst) worst = off }
		END { printf "%d\t%.2f %%\n", (n == 5 && worst < 2), worst }' >"$work/case"
	IFS=$'\t' read -r pass ours <"$work/case"
	row "$pass" "two flows over 10 s, largest deviation from half in five seeds" "$ours" \
		"0 %" "within 2 %" "share.1"
}
"$1"
