# SPDX-License-Identifier: BSD-2-Clause
# Sourced by checks of stress traffic: runs whose agents are processes of this host,
# with the engine that moves nothing.
export ROCETUNE_TOKEN=a-token-of-the-tests

# stress_begin AGENTS ARGUMENTS...: starts all; $stress_root and $stress_agents are their
# process ids, $tap_log/stress.{out,err} what the root prints.
stress_begin() {
	local count=$1 place i
	shift
	stress_agents=()
	: >"$tap_log/stress.err" # of an earlier run, in which the place is another
	"$B/rocetune" stress "$@" --agents "$count" --listen 127.0.0.1:0 --engine null \
		>"$tap_log/stress.out" 2>>"$tap_log/stress.err" &
	stress_root=$!
	for i in {1..200}; do
		place=$(sed -n 's/.*agent --join //p' "$tap_log/stress.err")
		[ -n "$place" ] && break
		kill -0 "$stress_root" 2>/dev/null || break
		sleep 0.05
	done
	[ -n "$place" ] || return 0
	for ((i = 0; i < count; i++)); do
		"$B/rocetune" agent --join "$place" --name "n$i" \
			>"$tap_log/agent$i" 2>&1 &
		stress_agents+=($!)
	done
}

# The exit status is the root's; $stress_codes has those of the agents.
stress_end() {
	local code agent
	wait "$stress_root"
	code=$?
	stress_codes=
	for agent in "${stress_agents[@]}"; do
		wait "$agent"
		stress_codes="$stress_codes$? "
	done
	return "$code"
}

stress_run() { # AGENTS ARGUMENTS...
	stress_begin "$@"
	stress_end
}
