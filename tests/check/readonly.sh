#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Commands that only read open nothing for writing, change no file, and ask the kernel
# for nothing but to tell: shown by strace.  Also, of a GID table with 256 entries only
# those that hold an address are looked at twice.
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=profiles
calls='%file,%desc,%net,ioctl,sethostname,mount,umount2,init_module,finit_module,delete_module'

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	for name in list show snapshot diff check; do
		tap_skip "$name only reads" "no strace, or not allowed"
	done
	tap_done
	exit
fi

# What writes: opens for writing, makes, renames, removes, changes rights or times;
# messages of netlink that set; writes to what is neither output nor a socket.
writes() { # TRACE [FILE that may be written]
	grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)|^[0-9]* *(mkdir|mknod|rename|unlink|rmdir|link|symlink|ch(mod|own)|fch(mod|own)|lch|truncate|ftruncate|utime|futime|setxattr|fsetxattr|mount|umount|init_module|finit_module|delete_module)' "$1" |
		grep -v "O_RDWR.*= -1 ENOENT" | grep -vF -- "${2:-no such file}"
	grep -E '(sendto|sendm?msg)\(.*nlmsg_type=(RTM_(SET|NEW|DEL)|RDMA_NL_[A-Z]*_SET)' "$1"
	grep -E '^[0-9]* *p?write(v|64)?\(' "$1" | grep -vE '^[0-9]* *write\([12][<,]' |
		grep -vF -- "${2:-no such file}"
}
traced() { # ARGUMENTS...
	strace -f -y -e trace="$calls" -o "$tap_log/trace" "$B/rocetune" "$@" >/dev/null 2>"$tap_log/err"
}
only_reads() { # EXIT FILE ARGUMENTS...: FILE, if not "", may be written
	local wanted=$1 file=$2
	shift 2
	traced "$@"
	local rc=$?
	[ "$rc" -eq "$wanted" ] || { echo "exit status $rc instead of $wanted"; cat "$tap_log/err"; return 1; }
	writes "$tap_log/trace" "$file" >"$tap_log/writes"
	cat "$tap_log/writes"
	[ ! -s "$tap_log/writes" ]
}
# The check can fail.
probe() {
	strace -f -y -e trace="$calls" -o "$tap_log/trace" sh -c "echo x >$tap_log/x; rm $tap_log/x"
	writes "$tap_log/trace" | grep -q O_WRONLY && writes "$tap_log/trace" | grep -q unlink
}
tap "a write would be seen" probe

tests/trees/many.sh "$tap_log/many" 4 256
tests/trees/many.sh "$tap_log/few" 4 4
tap "list only reads: this machine" only_reads 0 "" list
tap "list only reads: a folder" only_reads 0 "" list --sysroot "$tap_log/many"
tap "show only reads" only_reads 0 "" show mlx5_0 --sysroot "$tap_log/many"
tap "show --yaml only reads" only_reads 0 "" show mlx5_0 --yaml --sysroot "$tap_log/many"
tap "snapshot writes its file and nothing else" only_reads 0 "$tap_log/host.tar" snapshot all \
	--sysroot "$tap_log/few" -o "$tap_log/host.tar"
tap "show only reads: a bundle" only_reads 0 "" show eth1 --sysroot "$tap_log/host.tar"
tap "check only reads" only_reads 1 "" check --profile nvidia-lossless-100g \
	--sysroot tests/trees/two-rails
tap "top only reads: this machine" only_reads 0 "" top -n 2 -d 100ms
tap "top only reads: a folder" only_reads 0 "" top -n 2 -d 100ms --sysroot "$tap_log/many"
tap "top writes its recording and nothing else" only_reads 0 "$tap_log/x.rtw" top -n 2 -d 100ms \
	--sysroot tests/trees/two-rails -w "$tap_log/x.rtw"
tap "exporter writes its file and nothing else" only_reads 0 x.prom exporter --once \
	--sysroot tests/trees/two-rails --textfile "$tap_log/x.prom"
tap "diff only reads" only_reads 0 "" diff "$tap_log/many" "$tap_log/few"

# --- what is zero is passed over ----------------------------------------------------
# 4 ports with 256 entries each, 4 of them addresses; without rdma netlink the first
# also names the network device.
gids_once() {
	traced list --json --sysroot "$tap_log/many" || return
	local part opened
	for part in gids:1024 types:16 ndevs:20; do
		opened=$(grep -cE "^[0-9]* *open(at|at2)?\(.*/${part%:*}(>, |/)\"?[0-9]+\"" "$tap_log/trace")
		[ "$opened" -eq "${part#*:}" ] ||
			{ echo "$opened files of ${part%:*} opened instead of ${part#*:}"; return 1; }
	done
}
tap "types of empty GIDs are not read" gids_once
tap_done
