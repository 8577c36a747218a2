#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make install into a folder, a program built against what it holds, uninstall.
set -u
B=${B:-build}
CC=${CC:-gcc}
. tests/tap.sh
root=$tap_log/root
tap "make install" make --no-print-directory -s install B="$B" DESTDIR="$root" PREFIX=/usr/local
cat >"$tap_log/user.c" <<'C'
#include <rocetune/err.h>
#include <rocetune/units.h>
#include <stdio.h>
int main(void)
{
	uint64_t rate = 0;
	struct rt_err err = { 0 };
	if (rt_unit_parse(RT_UNIT_BPS, "400G", &rate, &err) < 0)
		return 1;
	printf("%llu\n", (unsigned long long)rate);
	return rate != 400000000000u;
}
C
export PKG_CONFIG_PATH=$root/usr/local/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
links_shared() {
	$CC "$tap_log/user.c" $(pkg-config --cflags --libs rocetune) -o "$tap_log/user" &&
		LD_LIBRARY_PATH=$root/usr/local/lib "$tap_log/user"
}
links_static() {
	PKG_CONFIG_SYSROOT_DIR= $CC "$tap_log/user.c" -I"$root/usr/local/include" \
		"$root/usr/local/lib/librocetune.a" $(pkg-config --libs libfyaml jansson libarchive zlib liblzma nettle) -lm -o "$tap_log/user" &&
		"$tap_log/user"
}
tap "a program links with the shared library through pkg-config" links_shared
tap "a program links with the static library" links_static
exports() { nm -D --defined-only "$root/usr/local/lib/librocetune.so.0" | awk '$3 !~ /^rt_/ { print $3 }'; }
tap_empty "the shared library exports only rt_ names" exports
looks_there() { grep -aq /usr/local/share/rocetune/profiles "$root/usr/local/bin/rocetune"; }
tap "the installed program looks for profiles where they are" looks_there
tap "the installed program runs" "$root/usr/local/bin/rocetune" tos 106
starts_it() { grep -q '^ExecStart=/usr/local/bin/rocetune exporter' "$root/usr/local/lib/systemd/system/rocetune-exporter.service"; }
tap "the exporter's unit starts the installed program" starts_it
tap "make uninstall" make --no-print-directory -s uninstall DESTDIR="$root" PREFIX=/usr/local
left() { find "$root" -type f -o -type l; }
tap_empty "uninstall leaves nothing behind" left
tap_done
