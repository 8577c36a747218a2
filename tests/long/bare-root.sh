#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A fresh clone in a bare Debian root: `make demo` and `make check`, each in a root
# of its own, so that neither lives on what the other installed.
# BARE_ROOT_CACHE names a folder to keep the root in; MIRROR the Debian mirror.
set -u
. tests/tap.sh
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	tap_skip "make demo in a bare root" "needs root and debootstrap"
	tap_skip "make check in a bare root" "needs root and debootstrap"
	tap_done
	exit
fi
base=${BARE_ROOT_CACHE:-$tap_log/base}
bootstrap() {
	[ -e "$base/etc/debian_version" ] && return
	debootstrap --variant=minbase --include=ca-certificates bookworm "$base" ${MIRROR:-}
}
tap "a bare root can be made" bootstrap
top=$PWD
in_root() { # NAME TARGET
	local root=$tap_log/$1
	cp -a "$base" "$root"
	# The host's way to its packages, whatever it is.
	cp -a /etc/apt/. "$root/etc/apt/"
	cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
	[ ! -d /usr/local/share/ca-certificates ] ||
		cp -a /usr/local/share/ca-certificates "$root/usr/local/share/"
	git clone -q "$top" "$root/src"
	[ ! -d "${SHARED:-../shared}" ] || cp -r "$(realpath "${SHARED:-../shared}")" "$root/shared"
	# A slave: what is taken away below it stays where it came from.
	mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
		mount --make-rslave "$root/dev" || return 1
	chroot "$root" /bin/sh -c "unset SHARED; export DEBIAN_FRONTEND=noninteractive HOME=/root
		cd /src && apt-get update -qq && apt-get install -y -qq make >/dev/null && make $2" \
		>"$tap_log/$1.log" 2>&1
	local rc=$?
	umount -R "$root/dev"
	umount "$root/proc"
	[ -z "${KEEP_LOGS:-}" ] || cp "$tap_log/$1.log" "$KEEP_LOGS/"
	tail -n 25 "$tap_log/$1.log"
	rm -rf "$root"
	return $rc
}
tap "make demo in a bare root" in_root demo demo
tap "make check in a bare root" in_root check check
tap_done
