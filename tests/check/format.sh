#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What every file keeps: licence line, formatting, sizes.
set -u
. tests/tap.sh
mapfile -t sources < <(find src include tests -name '*.[ch]' | sort)
# The lab's kernel module says GPL-2.0 too: it is linked to the kernel.
no_licence() { grep -LE 'SPDX-License-Identifier: (GPL-2.0 OR )?BSD-2-Clause' "$@"; }
tap_empty "every source names its licence" no_licence "${sources[@]}" \
	$(find tests .ci -name '*.sh' -o -name run -type f -path '*/tests/*' -o -path .ci/run -o -path .ci/deps)
tap_empty "every document and profile names its licence" no_licence README.md CONTRIBUTING.md \
	$(find docs profiles tests -name '*.yaml' -o -name '*.md' ! -name findings.md)
if command -v clang-format >/dev/null; then
	tap "sources are formatted (clang-format -i)" clang-format --dry-run -Werror "${sources[@]}"
else
	tap_skip "sources are formatted" "no clang-format"
fi
too_long() { wc -l "$@" | awk '$2 != "total" && $1 > 800 { print $2 " has " $1 " lines" }'; }
tap_empty "no source is longer than 800 lines" too_long "${sources[@]}"
long_functions() {
	awk '/^[a-z].*[^;]$/ && !/^(struct|enum|union|static const|const|extern|typedef).*[{=]$/ { head = $0 }
		/^{/ { start = FNR; name = head; file = FILENAME }
		/^}/ && start { if (FNR - start > 60) print file ":" start ": " FNR - start " lines"; start = 0 }' "$@"
}
tap_empty "no function is longer than 60 lines" long_functions $(find src -name '*.c' | sort)
blanks() { grep -nE '[[:blank:]]+$' "$@"; }
tap_empty "no line ends in blanks" blanks "${sources[@]}" Makefile README.md docs/*.md
tap_done
