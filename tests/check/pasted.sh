#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# show --from: outputs of other tools as a user gives them, and the firmware settings
# that a profile expects.
set -u
B=${B:-build}
program=$B/rocetune
. tests/tap.sh
tmp=$tap_log/pasted
mkdir "$tmp"
printf 'Configurations:            Next Boot\n   ROCE_CC_PRIO_MASK_P1    255\n   CLAMP_TGT_RATE_P1   False(0)\n' >"$tmp/mlxconfig"
printf 'host: {firmware_expect: {ROCE_CC_PRIO_MASK: has 3, CLAMP_TGT_RATE: false}}\n' >"$tmp/fine.yaml"
printf 'host: {firmware_expect: {ROCE_CC_PRIO_MASK: has 3, CLAMP_TGT_RATE: true}}\n' >"$tmp/other.yaml"
printf 'host: {firmware_expect: {NOT_THERE: 1}}\n' >"$tmp/unknown.yaml"
printf 'Lorem ipsum\n' >"$tmp/prose"

answers() { # CODE WORD ARGUMENT...: exits with CODE, output has WORD
	local code=$1 word=$2 out rc
	shift 2
	out=$("$program" show "$@" 2>&1 <"$tmp/mlxconfig") && rc=0 || rc=$?
	echo "exit code $rc, wanted $code and '$word' in:"
	head -n 20 <<<"$out"
	[ "$rc" -eq "$code" ] && grep -qF -- "$word" <<<"$out"
}

tap "what mlxconfig says is shown" answers 0 "CLAMP_TGT_RATE_P1" --from "$tmp/mlxconfig"
tap "from standard input, too" answers 0 "mlxconfig" --from -
tap "settings as expected" answers 0 "as expected" --from "$tmp/mlxconfig" --profile "$tmp/fine.yaml"
tap "another setting is told by the exit code" answers 1 "other" --from "$tmp/mlxconfig" --profile "$tmp/other.yaml"
tap "what the output has not is unknown" answers 0 "unknown" --from "$tmp/mlxconfig" --profile "$tmp/unknown.yaml"
printf 'host: {trust: dscp}\n' >"$tmp/none.yaml"
tap "a profile that expects nothing" answers 0 "host.firmware_expect" --from "$tmp/mlxconfig" --profile "$tmp/none.yaml"
{ cat "$tmp/mlxconfig"; sed 's/255/8/' "$tmp/mlxconfig"; } >"$tmp/twice"
tap "two queries are told apart" answers 0 "CLAMP_TGT_RATE_P1     False(0)      2" --from "$tmp/twice"
tap "and do not agree" answers 1 "several" --from "$tmp/twice" --profile "$tmp/fine.yaml"
sole() { ! answers 0 "query" --from "$tmp/mlxconfig"; }
tap "one query needs no number" sole
tap "prose is no output" answers 3 "prose: this is no output known here" --from "$tmp/prose"
tap "a device or a file" answers 2 "say a device, or --from FILE"
tap "not both" answers 2 "say a device, or --from FILE" mlx5_0 --from "$tmp/mlxconfig"
tap "a profile needs --from" answers 2 "--profile goes with --from" mlx5_0 --profile "$tmp/fine.yaml"
json() {
	"$program" show --json --from "$tmp/mlxconfig" --profile "$tmp/fine.yaml" |
		jq -e '.kind == "pasted" and .values[0].number == 255 and
			.settings[0].verdict == "as expected"'
}
tap "JSON has numbers as numbers" json
tap_done
