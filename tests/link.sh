# SPDX-License-Identifier: BSD-2-Clause
# Sourced by check scripts: the two ends of a link that fit, as files.
#
#   link_make FOLDER [NICS]  host/ (ConnectX in a folder), profile.yaml, leaf-1.json
#                            (SONiC), said.json (as lldpcli writes what leaf-1 announces)

link_dscps() { # FORMAT: one item a DSCP, of DSCP and priority or class
	for ((dscp = 0; dscp < 64; dscp++)); do
		local to=0
		[ "$dscp" -eq 26 ] && to=3
		[ "$dscp" -eq 48 ] && to=6
		[ "$dscp" -eq 0 ] || printf ', '
		# shellcheck disable=SC2059
		printf "$1" "$dscp" "$to"
	done
}

# The n-th NIC is mlx5_n, ens1n (ens1 the first), in slot 3b, 3c, ...
link_net() { [ "$1" -eq 0 ] && echo ens1 || echo "ens1$1"; }

link_nic() { # FOLDER N
	local slot ib net
	slot=0000:$(printf %02x $((0x3b + $2))):00.0
	ib=$1/sys/devices/$slot/infiniband/mlx5_$2 net=$1/sys/devices/$slot/net/$(link_net "$2")
	mkdir -p "$ib"/{ports/1,tc/1} "$net/ecn/roce_np" "$1"/sys/class/{infiniband,net} \
		"$1/sys/kernel/config/rdma_cm/mlx5_$2/ports/1"
	ln -sfn "../../devices/$slot/infiniband/mlx5_$2" "$1/sys/class/infiniband/mlx5_$2"
	ln -sfn "../../devices/$slot/net/$(link_net "$2")" "$1/sys/class/net/$(link_net "$2")"
	ln -sfn "../../../$slot" "$ib/device"
	ln -sfn "../../../$slot" "$net/device"
	echo Ethernet >"$ib/ports/1/link_layer"
	echo "4: ACTIVE" >"$ib/ports/1/state"
	echo "Global tclass=106" >"$ib/tc/1/traffic_class"
	echo 106 >"$1/sys/kernel/config/rdma_cm/mlx5_$2/ports/1/default_roce_tos"
	echo 9000 >"$net/mtu"
	echo 48 >"$net/ecn/roce_np/cnp_dscp"
	echo 6 >"$net/ecn/roce_np/cnp_802p_prio"
}

link_each() { # NICS TEMPLATE: with %n for the number and %i for the netdev, commas between
	local n row
	for ((n = 0; n < $1; n++)); do
		row=${2//%n/$n}
		[ "$n" -eq 0 ] || printf ', '
		printf '%s' "${row//%i/$(link_net "$n")}"
	done
}

link_host() { # FOLDER NICS
	local n apps
	for ((n = 0; n < $2; n++)); do link_nic "$1" "$n"; done
	apps=$(link_dscps '{"selector": 5, "protocol": %d, "priority": %d}')
	mkdir -p "$1/rocetune"
	cat >"$1/rocetune/answers.json" <<-J
	{"rocetune": 1, "kind": "answers",
	 "links": [{"items": [$(link_each "$2" '{"name": "%i", "ifindex": 2%n,
	   "mac": "02:00:00:00:00:0%n", "mtu_bytes": 9000, "is_up": true, "carrier": true}')]}],
	 "rdma_ports": [{"items": [$(link_each "$2" '{"ibdev": "mlx5_%n", "dev_index": %n, "port": 1,
	   "netdev": "%i", "ifindex": 2%n, "protocol": "roce", "state": 4}')]}],
	 "driver": [$(link_each "$2" '{"name": "%i", "info": {"driver": "mlx5_core"}}')],
	 "speed": [$(link_each "$2" '{"name": "%i", "speed_bps": 100000000000}')],
	 "pause": [$(link_each "$2" '{"name": "%i", "pause": {"autoneg": false, "rx": false,
	   "tx": false}}')],
	 "storm": [$(link_each "$2" '{"name": "%i", "timeout_ms": 100}')],
	 "dcb": [$(link_each "$2" '{"name": "%i", "has": "ets pfc app dcbx",
	   "ets": {"cap": 8, "bw": [50, 0, 0, 50, 0, 0, 0, 0],
	     "tsa": [2, 0, 0, 2, 0, 0, 0, 0], "prio_tc": [0, 0, 0, 3, 0, 0, 6, 0]},
	   "pfc": {"cap": 8, "mask": 8, "delay": 7}, "dcbx": 9, "app": ['"$apps"']}')]}
	J
}

link_profile() {
	cat <<-Y
	name: t
	status: vendor
	match: {driver: mlx5, speed: 100G, l2_mtu: 9000}
	classes:
	  roce: {dscp: [26], prio: 3, tc: 3, pg: 3, queue: 3, lossless: yes, ect: tclass, sched: {dwrr: 50}}
	  cnp: {kind: cnp, dscp: [48], prio: 6, tc: 6, pg: 0, queue: 6, sched: {strict: 1}}
	  be: {dscp: rest, prio: 0, tc: 0, pg: 0, queue: 0, sched: {dwrr: 50}}
	app: {NCCL_IB_TC: 106}
	switch:
	  nos: sonic
	  mtu: 9216
	  roles: {host: {cable: 5m, headroom: {roce: 113664B}}}
	  ecn: {roce: {host: {kmin: 1MiB, kmax: 2MiB, pmax: 5%}}}
	  watchdog: {classes: [roce], detect: 200ms, restore: 200ms, action: drop}
	host:
	  trust: dscp
	  dcbx: {owner: host, willing: no}
	  global_pause: off
	  pause_storm_timeout: 100ms
	  cc: {np: {cnp_dscp: 48, cnp_prio: 6}}
	rails:
	  - {select: rail 0-7, leaf: "leaf-1"}
	Y
}

link_switch() {
	cat <<-J
	{"DEVICE_METADATA": {"localhost": {"hostname": "leaf-1"}},
	"PORT": {"Ethernet0": {"alias": "etp1", "speed": "100000", "mtu": "9216", "index": "1"}},
	"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
	"DSCP_TO_TC_MAP": {"ROCE": {$(link_dscps '"%d": "%d"')}},
	"TC_TO_QUEUE_MAP": {"ROCE": {"0": "0", "3": "3", "6": "6"}},
	"TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {"0": "0", "3": "3", "6": "0"}},
	"MAP_PFC_PRIORITY_TO_QUEUE": {"ROCE": {"3": "3"}},
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"ROCE": {"3": "3"}},
	"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "ROCE", "tc_to_queue_map": "ROCE",
	  "tc_to_pg_map": "ROCE", "pfc_to_queue_map": "ROCE", "pfc_to_pg_map": "ROCE",
	  "pfc_enable": "3", "pfcwd_sw_enable": "3"}},
	"WRED_PROFILE": {"ROCE": {"ecn": "ecn_all", "wred_green_enable": "true",
	  "green_min_threshold": "1048576", "green_max_threshold": "2097152",
	  "green_drop_probability": "5"}},
	"SCHEDULER": {"half": {"type": "DWRR", "weight": "50"}, "first": {"type": "STRICT"}},
	"QUEUE": {"Ethernet0|0": {"scheduler": "half"},
	  "Ethernet0|3": {"scheduler": "half", "wred_profile": "ROCE"},
	  "Ethernet0|6": {"scheduler": "first"}},
	"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic",
	  "size": "100000000"}},
	"BUFFER_PROFILE": {"pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool",
	  "size": "133120", "xon": "19456", "xoff": "113664", "dynamic_th": "0"}},
	"BUFFER_PG": {"Ethernet0|3": {"profile": "pg_lossless_100000_5m_profile"}},
	"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"action": "drop",
	  "detection_time": "200", "restoration_time": "200"}}}
	J
}

link_said() { # PFC priorities, two hexadecimal digits
	cat <<-J
	{"lldp": {"interface": {"ens1": {"via": "LLDP",
	  "chassis": {"leaf-1": {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}},
	  "port": {"id": {"type": "local", "value": "etp1"}, "ttl": "120", "mfs": "9234"},
	  "unknown-tlvs": {"unknown-tlv": {"oui": "00,80,C2", "subtype": "11", "len": "2",
	    "value": "04,$1"}}}}}}
	J
}

link_make() { # FOLDER [NICS]
	link_host "$1/host" "${2:-1}"
	link_profile >"$1/profile.yaml"
	link_switch >"$1/leaf-1.json"
	link_said 08 >"$1/said.json"
}
