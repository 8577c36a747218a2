#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The analyser against the figures that an independent script found in captures of a real
# stack ($SHARED/captures/rxe/truth.json): one row a file, with the command that made it.
#
# Figures of frames are those of all frames; those of streams hold each packet once, so
# that of a capture in which every frame stands N times they are an Nth, and none is a
# rewind.  With --keep-duplicates they are those of the reference as well.
set -u
B=${B:-build}
SHARED=${SHARED:-../shared}
. tests/tap.sh
truth=$SHARED/captures/rxe/truth.json
if ! command -v jq >/dev/null || ! [ -r "$truth" ]; then
	tap_skip "the analyser against the reference" "needs jq and $truth"
	tap_done
	exit
fi
work=$tap_log

# One "figure value" a line, from the reference.
reference() { # FILE
	jq -r --arg f "$1" '.[$f] |
		("frames truncated roce dest_qps dest_ip_qp udp_sports ackreq becn cnp" |
			split(" ")[]) as $k | "\($k) \(.[$k])"' "$truth"
	jq -r --arg f "$1" '.[$f] |
		(.opcodes | to_entries[] | "opcode \(.key[0:4]) \(.value)"),
		(.ecn | to_entries[] | "ecn \(.key) \(.value)"),
		(.dscp | to_entries[] | "dscp \(.key) \(.value)"),
		(.padcnt | to_entries[] | "pad \(.key) \(.value)"),
		(.icrc | to_entries[] | "icrc \(.key) \(.value)"),
		(.aeth | to_entries[] | "aeth \(.key) \(.value)"),
		(.vlan | to_entries[] | "vlan \(.key) \(.value)"),
		(.encap | to_entries[] | "encap \(.key) \(.value)"),
		(.pfc | to_entries[] | "pfc \(.key) \(.value)")' "$truth"
	jq -r --arg f "$1" '.[$f] |
		("frames bytes msgs pgap pmiss prew hgap hmiss hrew hbehind" |
			split(" ")) as $keys |
		([.dirs[]] | sort_by(.qp, .stream, .frames, .bytes)[] | . as $d |
			"stream \(.qp) \(.stream) \($keys | map($d[.]) | join(" "))"),
		(.total as $t | "total \($keys | map($t[.]) | join(" "))")' "$truth"
}

# The same from the analyser's result.
ours() { # RESULT
	jq -r '
		def streams: [.p_gaps, .p_skipped, .p_rewinds, .h_gaps, .h_skipped,
			.h_episodes, .h_behind] | join(" ");
		"frames \(.capture.frames)", "truncated \(.capture.truncated)",
		"roce \(.roce.frames)", "dest_qps \(.roce.dest_qps)",
		"dest_ip_qp \(.roce.dest_ip_qps)", "udp_sports \(.roce.udp_sports)",
		"ackreq \(.roce.ackreq)", "becn \(.roce.becn)", "cnp \(.marks.cnps)",
		(.roce.opcodes[] | "opcode 0x" + ("0123456789abcdef" as $h |
			.opcode | [$h[. / 16 | floor:][:1], $h[. % 16:][:1]] | add) +
			" \(.frames)"),
		(.roce | "ecn not-ECT \(.not_ect)", "ecn ECT1 \(.ect1)", "ecn ECT0 \(.ect0)",
			"ecn CE \(.ce)"),
		(.roce.dscps[] | "dscp \(.dscp) \(.not_ect + .ect1 + .ect0 + .ce)"),
		(.roce.pads[] | "pad \(.name) \(.frames)"),
		(.roce | ("ok \(.icrc_ok)", "bad \(.icrc_bad)", "cut \(.icrc_cut)") |
			select(endswith(" 0") | not) | "icrc " + .),
		(.roce.syndromes[] | "aeth \(.name | sub(" \\(.*"; "")) \(.frames)"),
		(.capture.vlans[] | "vlan vid \(.vid) pcp \(.pcp) \(.frames)"),
		(.capture.encaps[] | "encap \(.name | sub(" session .*"; "")) \(.frames)"),
		(if .pauses.frames then "pfc frames \(.pauses.frames)" else empty end),
		([.pauses.ports[]] | group_by(.priority)[] |
			("prio\(.[0].priority) XOFF \(map(.xoff) | add)",
			"prio\(.[0].priority) XON \(map(.xon) | add)") |
			select(endswith(" 0") | not) | "pfc " + .),
		([.sequence.flows[] | {qp: .dest_qp, stream: (.stream | .[0:4] |
			if . == "req" then . else "resp" end), frames, bytes: .payload_bytes,
			msgs: .messages, rest: streams}] |
			sort_by(.qp, .stream, .frames, .bytes)[] |
			"stream \(.qp) \(.stream) \(.frames) \(.bytes) \(.msgs) \(.rest)"),
		(.sequence | "total \(.frames) \(.payload_bytes) \(.messages) \(streams)")' "$1"
}

compare() { # FILE
	local file=$SHARED/captures/rxe/$1
	"$B/rocetune" analyze --json --keep-duplicates "$file" >"$work/all.json"
	[ $? -le 1 ] || return 1
	reference "$1" | sort >"$work/reference"
	ours "$work/all.json" | sort >"$work/ours"
	diff "$work/reference" "$work/ours"
}

# How often each packet is in the file, by what was left out of its streams.
once() { # FILE TIMES
	local file=$SHARED/captures/rxe/$1
	"$B/rocetune" analyze --json "$file" >"$work/once.json"
	[ $? -le 1 ] || return 1
	# --keep-duplicates looks for none, and so knows of no lookalikes
	jq -e --argjson n "$2" --slurpfile all "$work/all.json" '
		def seen: walk(if type == "object" then del(.lookalikes) else . end);
		$all[0] as $a |
		.roce.frames == $a.roce.frames and .roce.opcodes == $a.roce.opcodes and
		.roce.copies * $n == .roce.frames * ($n - 1) and .roce.lookalikes == 0 and
		.sequence.frames * $n == $a.sequence.frames and
		.sequence.payload_bytes * $n == $a.sequence.payload_bytes and
		($n == 1 and (.sequence | seen) == ($a.sequence | seen) or
		 $n > 1 and .sequence.p_rewinds + .sequence.p_gaps == 0)' "$work/once.json"
}

for name in $(jq -r 'keys[]' "$truth"); do
	case $name in
	*double-mirror*) times=2 ;;
	*any-sll2*) times=4 ;;
	*) times=1 ;;
	esac
	tap "$name: as the reference counts" compare "$name"
	echo "#   $(wc -l <"$work/reference") figures; $B/rocetune analyze --json --keep-duplicates $SHARED/captures/rxe/$name"
	tap "$name: each packet once of $times" once "$name" "$times"
	echo "#   $(jq -r '"\(.roce.copies) copies left out"' "$work/once.json"); $B/rocetune analyze --json $SHARED/captures/rxe/$name"
done
tap_done
