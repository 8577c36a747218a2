#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The whole tree with clang and gcc, every warning an error.
set -u
. tests/tap.sh
for cc in "${CLANG:-clang}" gcc; do
	tap "builds with $cc -Werror" make --no-print-directory -s all tests CC="$cc" \
		WERROR=-Werror B="build-werror-$cc"
done
tap_done
