#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A profile's patch, applied by RFC 6902 to a switch's configuration, makes the switch
# do what the profile says: nothing is left to patch, and no rule finds an error.
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=profiles
if ! /usr/bin/python3 -c '' 2>/dev/null; then
	tap_skip "patches applied to configurations" "no python3"
	tap_done
	exit
fi

# Strict: a parent has to be there, and what is replaced too; values are strings.
apply() { # CONFIGURATION PATCH
	/usr/bin/python3 - "$1" "$2" <<'P'
import json, sys
config, patch = (json.load(open(name)) for name in sys.argv[1:])
def strings(value):
    return isinstance(value, str) or all(strings(item) for item in value.values())
for op in patch:
    parts = [p.replace("~1", "/").replace("~0", "~") for p in op["path"].split("/")[1:]]
    at = config
    for part in parts[:-1]:
        at = at[part]
    assert op["op"] == "remove" or op["op"] in ("add", "replace") and strings(op["value"]), op
    assert (parts[-1] in at) == (op["op"] != "add"), op
    if op["op"] == "remove":
        del at[parts[-1]]
        assert all(config.values()), op # SONiC takes no empty table
    else:
        at[parts[-1]] = op["value"]
json.dump(config, sys.stdout, indent=1)
P
}
echo '{"PORT": {"Ethernet0": {"speed": "400000"}, "Ethernet4": {"speed": "400000"}}}' \
	>"$tap_log/bare.json"
echo '{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "1", "x": "y"}, "Ethernet4": {}},
"QUEUE": {"Ethernet0,Ethernet4|3-4": {"scheduler": "s"}, "Ethernet0|6": {"scheduler": "[SCHEDULER|s]"}},
"SCHEDULER": {"s": {"type": "DWRR", "weight": "15"}}, "CABLE_LENGTH": {"AZURE": {"Ethernet8": "40m"}}}' \
	>"$tap_log/lists.json"

patched() { # PROFILE CONFIGURATION BYTES: the patch is larger
	"$B/rocetune" profile export "$1" --nos sonic --port Ethernet0,Ethernet4 --against "$2" \
		>"$tap_log/patch.json" 2>/dev/null &&
		apply "$2" "$tap_log/patch.json" >"$tap_log/after.json" || return
	[ "$(wc -c <"$tap_log/patch.json")" -gt "$3" ] || return
	"$B/rocetune" profile export "$1" --nos sonic --port Ethernet0,Ethernet4 \
		--against "$tap_log/after.json" 2>/dev/null >"$tap_log/again.json"
	[ "$(cat "$tap_log/again.json")" = "[]" ] || { cat "$tap_log/again.json"; return 1; }
	"$B/rocetune" profile import "$tap_log/after.json" --port Ethernet4 >"$tap_log/p.yaml" &&
		"$B/rocetune" profile check "$tap_log/p.yaml"
}
# What a lossless profile left behind: PFC, its maps and a watchdog.
watched() {
	"$B/rocetune" profile export azure-sonic --nos sonic --port Ethernet0,Ethernet4 \
		--against "$tap_log/bare.json" >"$tap_log/patch.json" 2>/dev/null &&
		apply "$tap_log/bare.json" "$tap_log/patch.json" >"$tap_log/watched.json" &&
		grep -q PFC_WD "$tap_log/watched.json" &&
		echo '[{"op": "remove", "path": "/PFC_WD/GLOBAL"}]' >"$tap_log/patch.json" &&
		apply "$tap_log/watched.json" "$tap_log/patch.json" >"$tap_log/ports.json"
}
tap "a configuration that has PFC and a watchdog" watched
exporting=$(for file in profiles/*.yaml; do
	name=$(basename "$file" .yaml)
	"$B/rocetune" profile export "$name" --nos sonic --port Ethernet0 >"$tap_log/all.json" 2>&1 &&
		echo "$name"
done)
some() { # this test would say nothing of profiles that do not export
	local name
	for name in azure-sonic dell-sonic thor2-400g-sonic lossy-multi-tc-400g; do
		grep -qx "$name" <<<"$exporting" || return 1
	done
}
tap "shipped profiles are exported" some
for config in bare:1000 lists:1000 watched:1 ports:1; do
	for profile in $exporting; do
		tap "the patch of $profile over ${config%:*} leaves nothing to patch" \
			patched "$profile" "$tap_log/${config%:*}.json" "${config#*:}"
	done
done
keeps_others() { # what the patch does not speak of is still there
	patched azure-sonic "$tap_log/lists.json" 1000 && grep -q '"Ethernet8": "40m"' "$tap_log/after.json" && grep -q '"x": "y"' "$tap_log/after.json"
}
# What the refusal says to write is what helps.
refused_profiles() {
	local name lines seen=0
	for name in nvidia-lossless-400g cx7-400g-eos; do
		lines=$("$B/rocetune" profile export "$name" --nos sonic --port Ethernet0 2>&1) && return 1
		sed -n 's/.*with `\(.*\)` and `\(.*\)`$/\1\n\2/p' <<<"$lines" >"$tap_log/pg.yaml"
		"$B/rocetune" profile export "$tap_log/pg.yaml" --nos sonic --port Ethernet0 2>/dev/null |
			grep -q '"path": "/TC_TO_PRIORITY_GROUP_MAP/ROCE"' || return
		seen=$((seen + 1))
	done
	[ "$seen" -eq 2 ]
}
tap "a profile without groups says how to add them" refused_profiles
unknown_is_said() { # of PFC without headroom, in the profile as in JSON
	"$B/rocetune" profile export azure-sonic --nos sonic --port Ethernet0 >"$tap_log/u.json" &&
		"$B/rocetune" profile import "$tap_log/u.json" --json | grep '"lossless": "unknown"' &&
		"$B/rocetune" profile import "$tap_log/u.json" 2>/dev/null |
		grep "lossless: yes   # has PFC; not known if kept lossless"
}
tap "a class that may not be lossless is so commented" unknown_is_said
tap "what a patch does not speak of stays" keeps_others
tap_done
