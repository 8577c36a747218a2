#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# All of `make validate`, with the docs left alone: the simulator, then the analyser.
set -u
{ tests/validate.sh; echo "rc $?"; tests/validate-analyser.sh; echo "rc $?"; } | awk '
	/^1\.\./ { next }
	/^rc / { if ($2) failed = 1; next }
	/^(not )?ok / { n++; sub(/ok [0-9]+/, "ok " n) }
	{ print; fflush() }
	END { print "1.." n; exit failed }'
