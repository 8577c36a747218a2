#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel lab: every script of tests/vm in one guest, one boot.
set -u
lab=tests/vm
why=$("$lab/setup" 2>&1)
made=$?
if [ "$made" -eq 77 ]; then
	n=0
	for script in "$lab"/*.sh; do
		n=$((n + 1))
		echo "ok $n - kernel lab: ${script##*/} # SKIP ${why##*: }"
	done
	echo "1..$n"
	exit 0
fi
if [ "$made" -ne 0 ]; then
	echo "not ok 1 - the kernel lab can be made"
	printf '%s\n' "$why" | sed 's/^/# /'
	echo 1..1
	exit 1
fi
# One numbering for all; a script whose plan does not come has died.
"$lab/run" -t "${VM_SECONDS:-300}" env B="${B:-build}" SHARED="${SHARED:-../shared}" \
	bash "$lab/guest/all" 2>&1 | awk '
	function planned() { # the plan came and held
		if (seen > 0) { printf "not ok %d - %s: it ran to its end\n", ++n, script; bad = 1 }
	}
	/^== / { planned(); script = $2; seen = 1; next }
	/^1\.\./ { if (substr($0, 4) == seen - 1) seen = 0; next }
	/^(not )?ok / { n++; seen++; sub(/ok [0-9]+ - /, "ok " n " - " script ": ")
		if (/^not/) bad = 1 }
	/^lab: all done$/ { whole = 1; next }
	{ print; fflush() }
	END { planned(); if (!whole) { printf "not ok %d - the guest lived to the end\n", ++n; bad = 1 }
		print "1.." n; exit bad }'
exit "${PIPESTATUS[1]}"
