#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What commands write as JSON against docs/schema, and the schemas against the draft.
set -u
B=${B:-build}
. tests/tap.sh
. tests/link.sh
. tests/stress.sh
export ROCETUNE_PROFILES=profiles
if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	tap_skip "JSON against its schemas" "no python3-jsonschema"
	tap_done
	exit
fi
validate() { # KIND EXIT ARGUMENTS...
	local kind=$1 wanted=$2
	shift 2
	"$B/rocetune" "$@" --json >"$tap_log/x.json"
	local rc=$?
	[ "$rc" -eq "$wanted" ] || { echo "exit status $rc instead of $wanted"; return 1; }
	/usr/bin/python3 - "docs/schema/$kind.json" "$tap_log/x.json" <<'P'
import json, sys, jsonschema
schema, data = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(data)
P
}
covered=" "
case_of() { # KIND EXIT ARGUMENTS...
	covered="$covered$1 "
	tap "rocetune ${*:3} --json is of kind $1" validate "$@"
}
case_of tos 0 tos 106
case_of headroom 0 headroom 400G 40m
case_of profile_list 0 profile list
case_of profile 0 profile show nvidia-lossless-100g
case_of profile_check 0 profile check roce-base nvidia-lossless-100g
case_of profile_diff 0 profile diff nvidia-lossless-100g nvidia-lossless-400g
case_of profile_knobs 0 profile knobs
case_of switch_port 0 profile import tests/fuzz/seeds/sonic/nested.json
case_of sim 0 sim --incast 4 --size 100KB --pcap "$tap_log/x.pcapng"
case_of scenario_keys 0 sim --keys
case_of analysis 0 analyze "$tap_log/x.pcapng"
case_of list 0 list --sysroot tests/trees/zoo
case_of show 0 show mlx5_0 --sysroot tests/trees/two-rails
case_of show 0 show mlx5_0 --all --sysroot tests/trees/two-rails
case_of show 0 show rxe0 --sysroot tests/trees/zoo
case_of pasted 0 show --from tests/fuzz/seeds/dump/mlxconfig
case_of snapshot 0 snapshot all --sysroot tests/trees/zoo -o "$tap_log/zoo.tar"
case_of host_diff 0 diff tests/trees/two-rails "$tap_log/zoo.tar"
tar -xf "$tap_log/zoo.tar" -C "$tap_log" rocetune/answers.json
written() { # KIND FILE
	/usr/bin/python3 -c 'import json, sys, jsonschema
schema, data = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft202012Validator(schema).validate(data)' "docs/schema/$1.json" "$2"
}
covered="$covered answers "
tap "what a bundle holds is of kind answers" written answers "$tap_log/rocetune/answers.json"
link_make "$tap_log/link"
case_of check 0 check --sysroot "$tap_log/link/host" -p "$tap_log/link/profile.yaml" \
	--switch "$tap_log/link/leaf-1.json" --lldp "$tap_log/link/said.json"
export ROCETUNE_STATE=$tap_log/state
mkdir -p "$ROCETUNE_STATE"
cp tests/fuzz/seeds/journal/one.json "$ROCETUNE_STATE/000001-mlx5_0-1.journal"
case_of apply 0 apply mlx5_0 --dry-run -p nvidia-lossless-100g --only cc \
	--sysroot tests/trees/two-rails
case_of history 0 history
case_of recovered 0 recover --forget 000001-mlx5_0-1
case_of persist 0 persist 0000:3b:00.0 -p roce-base --root "$tap_log/root"
case_of probe 0 probe 127.0.0.1
case_of probe_listener 0 probe --listen --duration 100ms
case_of watch 0 top --sysroot tests/trees/two-rails -n 0 --all
covered="${covered}recording sample "
lines_of() { # KIND
	grep "\"kind\":\"$1\"" "$tap_log/x.rtw" | head -n 1 >"$tap_log/line.json"
	written "$1" "$tap_log/line.json"
}
"$B/rocetune" top --demo --speed 0 -n 2 -w "$tap_log/x.rtw" >"$tap_log/out" 2>&1
tap "heads of recordings are of kind recording" lines_of recording
tap "samples of recordings are of kind sample" lines_of sample
if [ "$(id -u)" = 0 ]; then
	case_of capture 0 capture lo -w "$tap_log/lo.pcapng" --time 100ms
else
	covered="${covered}capture "
	tap_skip "rocetune capture --json is of kind capture" "needs CAP_NET_RAW"
fi
covered="${covered}stress "
stress_kind() {
	stress_run 3 incast --json --time 300ms --ramp 0s || { cat "$tap_log/stress.err"; return 1; }
	/usr/bin/python3 -c 'import json, sys, jsonschema
schema, data = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(data)' docs/schema/stress.json "$tap_log/stress.out"
}
tap "rocetune stress --json is of kind stress" stress_kind
rocetune=$PWD/$B/rocetune
. tests/lab.sh
trap 'rm -rf "$tap_log"; lab_end_all' EXIT
if unshare -n true 2>/dev/null || unshare -rn true 2>/dev/null; then
	case_of lab 0 lab up --hosts 2
	covered="${covered}lab_state "
	tap "what a lab notes of itself is of kind lab_state" \
		written lab_state "$lab_folder/lab/lab/state.json"
	case_of lab_list 0 lab list
	case_of lab_down 0 lab down
	lab_run_kind() { # also when this machine is too slow for it: exit code 1
		"$rocetune" lab run --incast 2:1 --rate 20Mbps --time 300ms --json >"$tap_log/run.json"
		[ $? -le 1 ] && written lab_run "$tap_log/run.json"
	}
	covered="${covered}lab_run "
	tap "rocetune lab run --json is of kind lab_run" lab_run_kind
else
	covered="${covered}lab lab_state lab_list lab_down lab_run "
	tap_skip "rocetune lab --json is of its kinds" "no namespaces of one's own"
fi
tap_empty "a field whose name says its unit has that one" \
	/usr/bin/python3 tests/check/schema_units.py docs/schema/*.json
uncovered() {
	local kind
	for kind in $("$B/rocetune" help --list-schemas); do
		case $covered in *" $kind "*) ;; *) echo "$kind" ;; esac
	done
}
tap_empty "every kind of result is covered here" uncovered
tap_done
