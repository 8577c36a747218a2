#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# mpirun over three hosts that are network namespaces of this one: a daemon of the
# launcher on each, and the side channel over a bridge.
set -u
B=${B:-build}
. tests/tap.sh
skip() { tap_skip "ranks on several hosts" "$1"; tap_done; exit; }
[ "$(id -u)" -eq 0 ] || skip "not root"
command -v mpirun >/dev/null || skip "no mpirun"
command -v ip >/dev/null || skip "no ip"
if [ "${1:-}" != inside ]; then
	# Namespaces, mounts and processes that end with this script.
	trap - EXIT
	rm -rf "$tap_log"
	exec unshare -mnpf --mount-proc "$0" inside
fi
cp "$B/tests/tools/meetprobe" "$B/rocetune-pmix.so" "$tap_log/" || exit 1

mount -t tmpfs none /run && mkdir -p /run/netns || skip "no mounts"
ip link set lo up
ip link add br0 type bridge 2>/dev/null || skip "no bridge"
ip addr add 10.77.0.1/24 dev br0 && ip link set br0 up
cp /etc/hosts "$tap_log/hosts"
for i in 1 2 3; do
	ip netns add "h$i" && ip link add "v$i" type veth peer name e0 netns "h$i" ||
		skip "no namespaces"
	ip link set "v$i" master br0 up
	ip -n "h$i" link set lo up
	ip -n "h$i" addr add "10.77.0.1$i/24" dev e0 && ip -n "h$i" link set e0 up
	echo "10.77.0.1$i h$i" >>"$tap_log/hosts"
	echo "h$i slots=2" >>"$tap_log/hostfile"
done
mount --bind "$tap_log/hosts" /etc/hosts

# In ssh's place: HOST COMMAND...
cat >"$tap_log/rsh" <<'EOF'
#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare -u sh -c "hostname $host; $*"
EOF
chmod +x "$tap_log/rsh"
on_hosts() { # COMMAND...
	TMPDIR=$tap_log timeout -k 1 60 mpirun --allow-run-as-root -quiet \
		--mca plm_rsh_agent "$tap_log/rsh" --mca oob_tcp_if_include 10.77.0.0/24 \
		--hostfile "$tap_log/hostfile" --map-by ppr:2:node "$@" </dev/null
}
says() { # PATTERN COUNT ARGUMENT...
	local got
	got=$(on_hosts "$tap_log/meetprobe" "${@:3}" 2>&1)
	printf '%s\n' "$got"
	[ "$(printf '%s\n' "$got" | grep -c -- "$1")" -eq "$2" ]
}
incast() {
	on_hosts "$PWD/$B/rocetune" incast --engine null --json --time 1s --ramp 0s \
		--lossless 3 --rate 10Mbps >"$tap_log/incast.json"
}
tap "six ranks on three hosts hand texts round" says '^rank [0-5]: h[123]\(:2\)\? offset' 6
tap "texts of several pieces arrive whole" says '^rank [0-5]: ' 6 1500000
tap "a rank stops those on other hosts" says 'stop "it is enough" from 4$' 5 stop 4
tap "rank 0 that breathes no more is noticed" says 'it says nothing any more' 5 mute

tap "six ranks of the program make an incast" incast
tap "each reported, from three hosts" jq -e '.ranks == 6 and .ranks_lost == 0 and
	(.senders | length) == 5 and ([.hosts[].name] | unique | length) == 6' \
	"$tap_log/incast.json"
tap_done
