#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A tree that was built for one PREFIX and is installed under another: the program must
# look for its profiles where they were installed.
set -u
. tests/tap.sh
root=$tap_log/root
B=build-prefix
tap "builds for the default prefix" make --no-print-directory -s all B="$B"
tap "installs under another" make --no-print-directory -s install B="$B" DESTDIR="$root" PREFIX=/opt/rt
looks_there() { strings -a "$root/opt/rt/bin/rocetune" | grep -x /opt/rt/share/rocetune/profiles; }
tap "the program looks where its profiles are" looks_there
tap "so does pkg-config" grep -qx prefix=/opt/rt "$root/opt/rt/lib/pkgconfig/rocetune.pc"
starts_there() { grep -q '^ExecStart=/opt/rt/bin/rocetune ' "$root/opt/rt/lib/systemd/system/rocetune-exporter.service"; }
tap "so does the exporter's unit" starts_there
again() { ! make --no-print-directory all B="$B" PREFIX=/opt/rt | grep 'CC '; }
tap "nothing is made anew when nothing has changed" again
rm -rf "$B"
tap_done
