#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Parts that are opened at run time: what they carry, and what is said when one cannot
# be opened.  The tool looks for a module as the program does, beside itself.
set -u
. tests/tap.sh
B=${B:-build}
CC=${CC:-gcc}
box=$(mktemp -d)
trap 'rm -rf "$box" "$tap_log"' EXIT
cp "$B/tests/tools/verbspair" "$box/"

for module in "$B"/rocetune-*.so; do
	tap "${module##*/} exports rt_module and nothing else" \
		[ "$(nm -D --defined-only "$module" | awk '{ print $NF }')" = rt_module ]
done
tap "the program needs no RDMA library" bash -c \
	"! readelf -d $B/rocetune | grep -E 'NEEDED.*(ibverbs|rdmacm|pmix)'"

opened() { # PATTERN: how the tool ends that opens rocetune-verbs.so
	local said
	said=$("$box/verbspair" -t 1 any:any 2>&1)
	# shellcheck disable=SC2053
	[[ $said == $1 ]] || { echo "it says: $said"; false; }
}
fake() { # TEXT: a module of this C text
	printf '%s\n' "$1" >"$box/fake.c"
	"$CC" -shared -fPIC -o "$box/rocetune-verbs.so" "$box/fake.c" "${@:2}"
}
tap "one that is not there" opened \
	'*rocetune-verbs.so is neither beside the program nor in */rocetune:*'
fake 'int x;' && tap "one without the symbol" opened '*is of another version of rocetune*'
fake 'const unsigned rt_module[8] = { 4000000000u };' &&
	tap "one of another version" opened '*is of another version of rocetune*'
"$CC" -shared -fPIC -o "$box/libibverbs.so.1" -Wl,-soname,libibverbs.so.1 -x c /dev/null
fake 'int x;' -Wl,--no-as-needed "$box/libibverbs.so.1" && rm "$box/libibverbs.so.1" &&
	tap "libraries that are here are found" opened '*is of another version*'
"$CC" -shared -fPIC -o "$box/libibverbs.so.9" -Wl,-soname,libibverbs.so.9 -x c /dev/null
fake 'int x;' -Wl,--no-as-needed "$box/libibverbs.so.9" && rm "$box/libibverbs.so.9" &&
	tap "a library that is missing is named with its package" opened \
		'*verbs needs libibverbs.so.9, which is not here: apt-get install libibverbs1*'
"$CC" -shared -fPIC -o "$box/libother.so.9" -Wl,-soname,libother.so.9 -x c /dev/null
fake 'int x;' -Wl,--no-as-needed "$box/libother.so.9" && rm "$box/libother.so.9" &&
	tap "or by itself" opened '*verbs needs libother.so.9, which is not here'
fake 'int no_such(void); int (*x)(void) = no_such;' &&
	tap "one that does not fit what is here" opened '*cannot be used: *undefined symbol*'
head -c 4096 /dev/zero >"$box/rocetune-verbs.so"
tap "one that is no module at all" opened '*cannot be used: *'
cp "$B/rocetune-verbs.so" "$box/"
[ -e /sys/class/infiniband ] ||
	tap "the real one, on a host without RDMA" opened '*there is no RDMA device here*'
tap_done
