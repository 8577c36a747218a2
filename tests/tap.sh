# SPDX-License-Identifier: BSD-2-Clause
# Sourced by check scripts: TAP lines and the plan.
tap_count=0
tap_failed=0
tap_log=$(mktemp -d) || exit 1
trap 'rm -rf "$tap_log"' EXIT

# tap NAME COMMAND...: passes when the command succeeds; its output explains a failure.
tap() {
	local name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$tap_log/out" 2>&1; then
		echo "ok $tap_count - $name"
	else
		tap_failed=1
		echo "not ok $tap_count - $name"
		head -n 40 "$tap_log/out" | sed 's/^/# /'
	fi
}

# tap_empty NAME COMMAND...: passes when the command prints nothing.
tap_empty() {
	local name=$1
	shift
	tap_count=$((tap_count + 1))
	if [ -z "$("$@" 2>&1 | tee "$tap_log/out")" ]; then
		echo "ok $tap_count - $name"
	else
		tap_failed=1
		echo "not ok $tap_count - $name"
		head -n 40 "$tap_log/out" | sed 's/^/# /'
	fi
}

tap_skip() { # NAME REASON
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# Whether pseudo-terminals can be made here: a chroot may have none.
has_terminals() {
	command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1
}

# The last command of a script: false when something failed.
tap_done() {
	echo "1..$tap_count"
	return "$tap_failed"
}
