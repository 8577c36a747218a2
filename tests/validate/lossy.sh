#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# conweave-project/conweave-ns3, a fork of the HPCC authors' model with another switch
# and a time-out: N:1 of 1 MB without PFC, under go-back-N and under selective repeat
# (IRN).  It ran one seed; ours is the mean of the medians of ten, and the bar 10 %.
# Where nothing is lost its run itself again, with its random numbers: every completion
# to the nanosecond, and its marks and cuts.
# For information its runs with PFC, whose switch drops by egress thresholds as well.
. tests/validate/common.sh
seeds="1 2 3 4 5 6 7 8 9 10"
modes="gbn_nopfc irn_nopfc pfc h_pfc"

# model MODE SENDERS [ns3]: ports promise eight queues a packet of 1048 bytes each.  A
# queue's first packet counts neither for marks nor for its share.
model() {
	local kmin=100KB kmax=400KB rai=40Mb/s rhai=100Mb/s least=100Mb/s buffer=9000000
	local options="truncated_serialisation, pause_on_off, ack_high_prio"
	options+=", ecn_echo_in_ack, nak_cuts"
	if [ -n "${3:-}" ]; then options+=", ns3_order" kmin=101049B kmax=401049B
	else options+=", pending_send_stays"; fi
	case $1 in
	h_pfc) kmin=400KB kmax=1600KB rai=20Mb/s rhai=200Mb/s least=1Gb/s buffer=33554432 ;;
	*_nopfc) options+=", no_pfc" buffer=$((buffer - ($2 + 1) * 8 * 1048)) ;;
	esac
	[ "$1" != irn_nopfc ] || options+=", selective_repeat"
	echo "model:"
	echo "  options: [$options]"
	printf '  %s\n' "wire: hpcc" "dcqcn: hpcc-mlx-100g" "mtu: 1000" "ack_packets: 1" \
		"kmin: $kmin" "kmax: $kmax" "pmax: 20%" "buffer: ${buffer}B" \
		"rai: $rai" "rhai: $rhai" "min_rate: $least" "retries: 60000"
	[ -z "${3:-}" ] || echo "  random: conweave"
	case $1 in
	irn_nopfc) printf '  %s\n' "window: 52KB" "rto: 320us" "rto_low: 100us" ;;
	gbn_nopfc) printf '  %s\n' "rto: 4ms" "nak_repeat: 4us" ;;
	*) printf '  %s\n' "rto: 4ms" "nak_repeat: 4us" "buffer_alpha: 1/16" \
		"headroom: 27096B" "reserve: 8384B" "xon_offset: 2096B" "pfc_reaction: 0ns" ;;
	esac
}

plan() {
	for mode in $modes; do
		for n in 2 4 8 16 32 64; do
			for seed in $seeds; do
				{
					echo "seed: $seed"
					echo "workload: {kind: incast, senders: $n, size: 1MB}"
					model $mode $n
				} >"$work/${mode}_n$n.$seed.yaml"
			done
			case ${mode}_n$n in
			gbn_nopfc_n32 | gbn_nopfc_n64) ;;
			*_nopfc_*)
				{
					echo "workload: {kind: incast, senders: $n, size: 1MB}"
					model $mode $n ns3
				} >"$work/${mode}_n$n.ns3.yaml"
				;;
			esac
		done
	done
}

same() { # NAME SUMMARY: a row of the run with the random numbers of ns-3
	local pass=0 fct=${2%/*}/fct.txt
	local theirs="$(known "$2" marked) $(known "$2" dec)"
	local ours="$(of "$1.ns3" marks) $(of "$1.ns3" cuts)"
	awk '{ print $7 }' "$fct" | sort -n | cmp -s - "$work/$1.ns3.fct" &&
		[ "$ours" = "$theirs" ] && pass=1
	row $pass "$1 with the numbers of ns-3, last completion in ns; marks, cuts" \
		"$(tail -n 1 "$work/$1.ns3.fct"); $ours" \
		"$(awk '{ print $7 }' "$fct" | sort -n | tail -n 1); $theirs" \
		"all completions and counts equal" "$1.ns3"
}

judge() {
	local pass
	for mode in $modes; do
		for n in 2 4 8 16 32 64; do
			name=${mode}_n$n
			file=$reference/conweave/${name}_1000KB/summary.json
			for seed in $seeds; do
				for key in median_completion_ps drops resent timeouts pfc_xoff; do
					printf '%s ' "$(of "$name.$seed" $key)"
				done
				echo
			done | awk -v ref="$(known "$file" fct_med)" '
				NF == 5 { n++; m = $1 / 1e6; s += m; d += $2; r += $3; t += $4; p += $5
					if (n == 1 || m < low) low = m
					if (m > high) high = m }
				END { ref /= 1e3; dev = 100 * (s / n / ref - 1)
					printf "%d\t%.1f (%.1f to %.1f), drops %.0f, resent %.0f, time-outs %.0f, pauses %.0f\t%.1f, %+.1f %%\n",
						(n == 10 && dev >= -10 && dev <= 10), s / n, low, high, d / n,
						r / n, t / n, p / n, ref, dev }' >"$work/case"
			IFS=$'\t' read -r pass ours theirs <"$work/case"
			case $name:$pass in
			pfc_* | h_pfc_*) pass=info ;;
			gbn_nopfc_n64:0) pass=known ;;
			esac
			row "$pass" "$name, median completion, us" "$ours" "$theirs" "within 10 %" "$name.1"
			[ ! -e "$work/$name.ns3.yaml" ] || same "$name" "$file"
		done
	done
}
"$1"
