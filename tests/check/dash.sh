#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The dashboard on a real terminal, tmux's: what it shows is what was drawn, cell by
# cell, whatever the size, the locale and the colours; and the terminal is as before.
set -u
B=${B:-build}
. tests/tap.sh
dashdemo=$PWD/$B/tests/tools/dashdemo
rocetune=$PWD/$B/rocetune
program=$dashdemo

command -v tmux >/dev/null || { tap_skip "the dashboard" "no tmux here"; tap_done; exit 0; }
has_terminals || { tap_skip "the dashboard" "no terminals here"; tap_done; exit 0; }

# A server of its own, with nothing of the user's, that ends with this script.
cat >"$tap_log/tmux.conf" <<'CONF'
set -g status off
set -g escape-time 0
set -g default-terminal screen-256color
CONF
tm() { timeout 20 env -u TMUX tmux -u -S "$tap_log/tmux" -f "$tap_log/tmux.conf" "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$tap_log"' EXIT

# Without a session the server would leave, and race with the next one.
tm new-session -d -s stay "sleep 580" || { echo "not ok 1 - tmux"; echo 1..1; exit 1; }

pane() { tm capture-pane -p -t x; }

# Until COMMAND succeeds; half a minute is more than any machine needs.
until_true() {
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.05
	done
}

# The terminal shows exactly this file, whose blanks at line ends are cut.
shows_file() { pane | diff -q - "$1" >/dev/null; }
same_as() { # FILE: wait for it; else say how it differs
	until_true shows_file "$1" && return
	pane | diff - "$1"
	return 1
}

shows() { pane | grep -qF -- "$1"; }
gone() { [ -s "$tap_log/end" ]; }

# A shell that notes how the terminal was before and after, and how it ended.
start() { # COLUMNS ROWS ENVIRONMENT ARGUMENTS...
	local columns=$1 rows=$2 environment=$3
	shift 3
	rm -f "$tap_log/end" "$tap_log/pid"
	cat >"$tap_log/go" <<GO
stty -a >"$tap_log/before"
cd "$tap_log"
env LC_ALL=C.UTF-8 HOME="$tap_log/home" XDG_CONFIG_HOME= $environment \
	sh -c 'echo \$\$ >"$tap_log/pid"; exec $program $*'
echo "exit \$?" >"$tap_log/end.new"
stty -a >"$tap_log/after"
mv "$tap_log/end.new" "$tap_log/end"
exec sleep 60
GO
	tm kill-session -t x 2>/dev/null
	tm new-session -d -s x -x "$columns" -y "$rows" "sh $tap_log/go" || return
	until_true test -s "$tap_log/pid"
}

drawn() { "$dashdemo" print "$@" >"$tap_log/drawn"; }

# --- every screen, by size and characters ---------------------------------------------------

every_screen() { # COLUMNS ROWS LOCALE WORDS...
	local columns=$1 rows=$2 locale=$3 keys=
	shift 3
	start "$columns" "$rows" "LC_ALL=$locale" || return
	for key in 1 2 3 4 5 6 1; do
		keys+=$key
		tm send-keys -t x "$key"
		drawn "size=${columns}x$rows" keys="$keys" "$@" && same_as "$tap_log/drawn" ||
			return
	done
	tm send-keys -t x Enter
	drawn "size=${columns}x$rows" keys="$keys"$'\r' "$@" && same_as "$tap_log/drawn" || return
	tm send-keys -t x '?'
	drawn "size=${columns}x$rows" keys="$keys"$'\r?' "$@" && same_as "$tap_log/drawn"
}

tap "80x24, UTF-8" every_screen 80 24 C.UTF-8
tap "80x24, the C locale: ASCII" every_screen 80 24 C ascii
tap "132x43, UTF-8" every_screen 132 43 C.UTF-8
tap "132x43, the C locale: ASCII" every_screen 132 43 C ascii

too_small() {
	start 20 5 LC_ALL=C || return
	until_true shows "need 80x24," && shows "have 20x5" || return
	tm resize-window -t x -x 80 -y 24
	drawn ascii && same_as "$tap_log/drawn"
}
tap "20x5 says what it needs, and goes on" too_small

# --- colours --------------------------------------------------------------------------------

# Colours of the picture: sequences that set one.
colours() { tm capture-pane -p -e -t x | grep -cE $'\033''\[([0-9;]*;)?(3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;5;[0-9]+)(;[0-9;]*)?m'; }

with_terminal() { # TERM WANTS-COLOURS ENVIRONMENT
	infocmp "$1" >/dev/null 2>&1 || { echo "no such terminal $1"; return 1; }
	start 80 24 "TERM=$1 ${3:-}" || return
	drawn && same_as "$tap_log/drawn" || return
	if [ "$2" = yes ]; then [ "$(colours)" -gt 0 ]; else [ "$(colours)" -eq 0 ]; fi
}
tap "256 colours" with_terminal screen-256color yes
tap "8 colours" with_terminal screen yes
tap "a terminal without colours" with_terminal vt220 no
no_color() { # VALUE WANTS-COLOURS
	program="$rocetune top"
	start 80 24 "TERM=screen-256color NO_COLOR=$1" --demo && until_true shows mlx5_0/1 || return
	if [ "$2" = yes ]; then [ "$(colours)" -gt 0 ]; else [ "$(colours)" -eq 0 ]; fi
}
tap "NO_COLOR" no_color 1 no
tap "NO_COLOR that is empty is none" no_color "" yes
program=$dashdemo

dumb() {
	start 80 24 TERM=dumb || return
	until_true gone && grep -qx "exit 1" "$tap_log/end" && until_true shows "no terminal here"
}
tap "TERM=dumb is refused, and says why" dumb

# --- keys that terminals send as several characters ------------------------------------------

# The terminal after KEYS of tmux is as drawn after the characters TEXT.
keys_are() { # TEXT KEYS...
	local text=$1
	shift
	start 80 24 LC_ALL=C.UTF-8 || return
	drawn && same_as "$tap_log/drawn" || return
	tm send-keys -t x "$@"
	drawn keys="$text" && same_as "$tap_log/drawn"
}
tap "arrows" keys_are jjkl Down Down Up Right
tap "End and Home" keys_are Gk End Up
tap "Shift-Tab and Tab" keys_are 6 Tab BTab BTab
tap "F1 and Esc" keys_are '2' F1 Escape 2
tap "F6" keys_are s F6
tap "Ctrl-Z does not stop the program" keys_are $'\032' C-z
tap "Backspace" keys_are /bn / b n x BSpace

# --- resizing --------------------------------------------------------------------------------

# A picture after many sizes is the one of a terminal that always had the last; and
# drawing all of it again changes nothing.
resized() {
	local i columns rows
	RANDOM=7
	start 80 24 LC_ALL=C.UTF-8 || return
	for i in $(seq 100); do
		columns=$((10 + RANDOM % 160)) rows=$((3 + RANDOM % 60))
		tm resize-window -t x -x "$columns" -y "$rows" || return
		[ $((i % 7)) -eq 0 ] || continue
		drawn "size=${columns}x$rows" && same_as "$tap_log/drawn" || return
		tm send-keys -t x C-l
		sleep 0.1
		same_as "$tap_log/drawn" || return
	done
	tm resize-window -t x -x 100 -y 30
	drawn size=100x30 && same_as "$tap_log/drawn"
}
tap "resized a hundred times without a stale cell" resized

# --- leaving ---------------------------------------------------------------------------------

# How it ended, and the terminal: its settings, screen and cursor.
as_before() { # EXIT
	until_true gone || { echo "it goes on"; return 1; }
	grep -qx "exit $1" "$tap_log/end" || { cat "$tap_log/end"; return 1; }
	diff "$tap_log/before" "$tap_log/after" || return
	[ "$(tm display-message -p -t x '#{alternate_on} #{cursor_flag} #{keypad_flag}')" = "0 1 0" ]
}
leaves_by_key() {
	start 80 24 LC_ALL=C.UTF-8 && until_true shows mlx5_0 || return
	tm send-keys -t x "$1"
	as_before 0
}
leaves_by_signal() {
	start 80 24 LC_ALL=C.UTF-8 && until_true shows mlx5_0 || return
	kill -"$1" "$(cat "$tap_log/pid")"
	as_before 0
}
tap "q leaves the terminal as it was" leaves_by_key q
tap "Ctrl-C too" leaves_by_key C-c
tap "F10 too" leaves_by_key F10
for signal in TERM INT HUP QUIT; do
	tap "SIG$signal too" leaves_by_signal "$signal"
done

hangs_up() { # WORDS...: of env, that it is started with
	local pid
	start 80 24 "$*" && until_true shows mlx5_0 || return
	pid=$(cat "$tap_log/pid")
	tm kill-session -t x
	ended() { ! kill -0 "$pid" 2>/dev/null; }
	until_true ended
}
tap "it ends with its terminal" hangs_up LC_ALL=C.UTF-8
tap "also where nobody is told of that" hangs_up env --ignore-signal=HUP

# A layout that nobody writes: it is said, and not waited for.
layout_is_a_pipe() {
	mkdir -p "$tap_log/piped/rocetune" && mkfifo "$tap_log/piped/rocetune/top" || return
	program="$rocetune top"
	start 80 24 "XDG_CONFIG_HOME=$tap_log/piped" --demo && until_true shows "not a regular" ||
		return
	tm send-keys -t x q
	as_before 0
}
tap "a layout that is a pipe holds nothing up" layout_is_a_pipe
new_layout_is_a_pipe() { # left there by whoever: the layout is saved all the same
	mkdir -p "$tap_log/aside/rocetune" && mkfifo "$tap_log/aside/rocetune/top.new" || return
	program="$rocetune top"
	start 80 24 "XDG_CONFIG_HOME=$tap_log/aside" --demo && until_true shows mlx5_0/1 || return
	tm send-keys -t x w
	until_true shows "layout saved" || return
	tm send-keys -t x q
	as_before 0 && [ -f "$tap_log/aside/rocetune/top" ] &&
		[ -z "$(ls "$tap_log/aside/rocetune" | grep new)" ]
}
tap "what is saved goes through no pipe" new_layout_is_a_pipe
program=$dashdemo

# --- time ------------------------------------------------------------------------------------

# Sampling goes on while the picture is paused: what is seen afterwards is of later.
pauses() {
	local before
	start 80 24 LC_ALL=C.UTF-8 speed=20 && until_true shows "08:01" || return
	tm send-keys -t x Space
	until_true shows PAUSED || return
	before=$(pane | head -1)
	until_true shows "PAUSED 2 s" || return
	[ "$(pane | head -1)" = "$before" ] || return
	tm send-keys -t x Space
	sleep 0.5
	! shows PAUSED && [ "$(pane | head -1)" != "$before" ]
}
tap "the picture pauses, sampling goes on" pauses

# --- the program itself ------------------------------------------------------------------------

# What is shown is written as batch output has it; what is recorded plays back.
program="$rocetune top"
writes() {
	local snapshot
	rm -f "$tap_log"/rocetune-*
	start 80 24 LC_ALL=C.UTF-8 --demo && until_true shows mlx5_0/1 || return
	tm send-keys -t x E
	until_true shows REC || return
	until_true shows "08:00:03" || return
	tm send-keys -t x E
	until_true shows "recorded to" || return
	tm send-keys -t x e
	until_true shows "snapshot written" || return
	tm send-keys -t x 4 w
	until_true shows "layout saved" || return
	tm send-keys -t x q
	as_before 0 || return
	snapshot=$(echo "$tap_log"/rocetune-*.json)
	jq -e '.kind == "watch" and (.ports | length) == 13' "$snapshot" || return
	"$rocetune" top -r "$(echo "$tap_log"/rocetune-*.rtw)" --json | jq -se 'length > 0'
}
tap "snapshots, recordings and layouts are written" writes

# The saved layout begins with screen 4.
replays() {
	start 80 24 LC_ALL=C.UTF-8 -r "$(echo "$tap_log"/rocetune-*.rtw)" --speed 0 || return
	until_true shows "[4 Errors]" && until_true shows END || return
	tm send-keys -t x 1 '['
	until_true shows mlx5_0/1 || return
	tm send-keys -t x q
	as_before 0
}
tap "a recording is played to its end, and back" replays

options() {
	start 80 24 LC_ALL=C.UTF-8 --demo --ascii --mono --screen 2 || return
	until_true shows "[2 Pauses]" && [ "$(colours)" -eq 0 ] && ! pane | grep -q '[^ -~]'
}
tap "--ascii, --mono and --screen" options

# What is over in some milliseconds is slow enough to be seen, and tells its own time.
simulates() {
	start 80 24 "LC_ALL=C.UTF-8 ROCETUNE_PROFILES=$PWD/profiles" \
		--scenario "$PWD/tests/scenarios/incast16-100g.yaml" ||
		return
	until_true shows "speed 1/5000" && until_true shows "after 100 us" &&
		until_true shows "after 200 us" && ! shows UTC
}
tap "a simulation is watched in its own time" simulates

full_disk() { # told on the screen, and by the exit code
	rm -f "$tap_log/full.rtw"
	program="prlimit --fsize=100000 $rocetune top"
	start 80 24 LC_ALL=C.UTF-8 --demo -w full.rtw && until_true shows "the recording ends" ||
		return
	tm send-keys -t x q
	as_before 3 && until_true shows "full.rtw: cannot be written"
}
tap "a recording that was lost is no success" full_disk
program="$rocetune top"

pipes() {
	start 80 100 TERM=dumb --demo -n 1 --speed 0 || return
	until_true gone && until_true shows mlx5_0/1
}
tap "TERM=dumb gets batch output" pipes

tap_done
