#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Documentation that is made from the tables: docs/schema/*.json, docs/findings.md
# docs/nics.md, docs/counters.md and docs/metrics.md.  Without --write the committed text is compared (TAP).
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
. tests/tap.sh

make_docs() { # FOLDER
	mkdir -p "$1/schema"
	"$B/rocetune" help --findings >"$1/findings.md" || return 1
	"$B/rocetune" help --nics >"$1/nics.md" || return 1
	"$B/rocetune" help --counters >"$1/counters.md" || return 1
	"$B/rocetune" help --metrics >"$1/metrics.md" || return 1
	local kind
	for kind in $("$B/rocetune" help --list-schemas); do
		"$B/rocetune" help --schema "$kind" >"$1/schema/$kind.json" || return 1
	done
}

if [ "${1:-}" = --write ]; then
	rm -rf docs/schema
	make_docs docs
	exit
fi
made=$tap_log/docs
tap "tables can be written as documentation" make_docs "$made"
tap "docs/findings.md is what the rules say (make docs)" diff "$made/findings.md" docs/findings.md
tap "docs/nics.md is what the drivers' rows say (make docs)" diff "$made/nics.md" docs/nics.md
tap "docs/counters.md is what the counter tables say (make docs)" diff "$made/counters.md" docs/counters.md
tap "docs/metrics.md is what the exporter tells (make docs)" diff "$made/metrics.md" docs/metrics.md
tap "docs/schema is what the field tables say (make docs)" diff -r "$made/schema" docs/schema
tap_done
