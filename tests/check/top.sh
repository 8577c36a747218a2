#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune top without a screen: text, JSON lines and CSV of trees, of the demonstration
# and of recordings; what a recording plays back; exit codes; ends that come early.
set -u
B=${B:-build}
. tests/tap.sh
export ROCETUNE_PROFILES=profiles LC_ALL=C.UTF-8
R=$PWD/$B/rocetune
demo="--demo --speed 0"

gives() { # STATUS ARGUMENTS...: that exit status, standard output in out, standard error in err
	local wanted=$1 rc
	shift
	"$R" top "$@" >"$tap_log/said" 2>"$tap_log/err" </dev/null
	rc=$?
	[ "$rc" -eq "$wanted" ] || {
		echo "exit status $rc instead of $wanted: top $*"
		head -n 5 "$tap_log/err"
		return 1
	}
}

# --- files that would hold whoever opens them ---------------------------------------------

mkfifo -m 600 "$tap_log/pipe"
no_pipe() { # COMMAND...: at once, and says why
	timeout 20 "$R" "$@" >"$tap_log/said" 2>"$tap_log/err" </dev/null
	[ $? -eq 3 ] && grep -q "pipe: not a regular file" "$tap_log/err" ||
		{ cat "$tap_log/err"; return 1; }
}
for option in --replay --scenario --sysroot; do
	tap "a pipe is none for $option" no_pipe top "$option" "$tap_log/pipe" -b -n 1
done
tap "a pipe is none for --token-file" \
	no_pipe exporter --demo --listen 127.0.0.1:0 --token-file "$tap_log/pipe"

# --- text --------------------------------------------------------------------------------

fits_80_columns() {
	local longest
	longest=$(awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$1")
	[ "$longest" -le 80 ] || { echo "a line of $longest characters"; return 1; }
}
tree_is_watched() { # TREE: each RoCE port that list shows has a line, no rates, and is not well
	gives 0 --sysroot "$1" -n 2 -d 100ms || return
	fits_80_columns "$tap_log/said" || return
	"$R" list --sysroot "$1" --json >"$tap_log/list.json" || return
	/usr/bin/python3 - "$tap_log/list.json" "$tap_log/said" <<'P'
import json, sys
ports = json.load(open(sys.argv[1]))["devices"]
lines = {l.split()[0][:14]: l.split() for l in open(sys.argv[2]) if l.strip()}
for port in ports:
    name = "%s/%s" % (port["ibdev"], port["port"]) if port.get("ibdev") else port["netdev"]
    if port["link_layer"] == "infiniband":
        continue
    assert name[:14] in lines, "no line of " + name
    # A picture never changes, which says nothing of how fast its host was.
    assert len(lines[name[:14]]) == 12, lines[name[:14]]
    assert set(lines[name[:14]][2:11]) == {"-"}, lines[name[:14]]
    assert "ok" not in lines[name[:14]], lines[name[:14]]
P
}
for tree in tests/trees/two-rails tests/trees/zoo; do
	tap "every port of $tree has a line of 80 columns at most" tree_is_watched "$tree"
done
first_is_unknown() {
	gives 0 --sysroot tests/trees/two-rails -n 0 --csv &&
		/usr/bin/python3 - "$tap_log/said" <<'P'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    for name, value in row.items():
        if name.endswith(("_bps", "_ps", "_pct", "_fps")) and name not in (
                "speed_bps", "pcie_bps", "pcie_max_bps"):
            assert value == "", (name, value)
P
}
tap "the first sample has no rates, and no zeros for them" first_is_unknown
demo_fits() {
	gives 1 $demo -n 100 --fail-on warn && fits_80_columns "$tap_log/said" &&
		[ "$(grep -c '^mlx5_0/1 ' "$tap_log/said")" -eq 100 ]
}
tap "a hundred intervals of the demonstration fit 80 columns" demo_fits

# --- JSON and CSV ----------------------------------------------------------------------------

lines_are() { # KIND FILE COUNT: so many lines, each of that kind; COUNT -: any number
	/usr/bin/python3 - "$@" <<'P'
import json, sys
try:
    import jsonschema
    schema = json.load(open("docs/schema/%s.json" % sys.argv[1]))
    validate = jsonschema.Draft202012Validator(schema).validate
except ImportError:
    validate = lambda line: None
lines = [json.loads(line) for line in open(sys.argv[2])]
lines = [line for line in lines if line["kind"] == sys.argv[1]]
assert lines, "no line of kind " + sys.argv[1]
assert sys.argv[3] == "-" or len(lines) == int(sys.argv[3]), len(lines)
for line in lines:
    validate(line)
P
}
json_lines() {
	gives 1 $demo -n 40 --json --fail-on warn && lines_are watch "$tap_log/said" 40 &&
		[ "$(wc -l <"$tap_log/said")" -eq 40 ]
}
tap "--json is a line of kind watch for each interval" json_lines
json_counters() {
	gives 0 --sysroot tests/trees/two-rails -n 0 --json --all &&
		lines_are watch "$tap_log/said" 1 &&
		/usr/bin/python3 - "$tap_log/said" <<'P'
import json, sys
tick = json.loads(open(sys.argv[1]).read())
assert tick["elapsed_ns"] is None
for port in tick["ports"]:
    named = {(c["counter"], c["prio"]): c for c in port["counters"]}
    assert named, port["name"]
    assert all(c["per_s"] is None for c in named.values())
P
}
tap "-n 0 --all is what is there, without rates" json_counters
events_once() { # numbers go up by one from line to line, from the first event on
	gives 1 $demo -n 200 --json --fail-on warn && /usr/bin/python3 - "$tap_log/said" <<'P'
import json, sys
numbers = [e["number"] for line in open(sys.argv[1]) for e in json.loads(line)["events"]]
assert len(numbers) > 20, len(numbers)
assert numbers == list(range(1, len(numbers) + 1)), numbers
P
}
tap "each event is in one line" events_once
csv_rows() {
	gives 1 $demo -n 40 --csv --fail-on warn && /usr/bin/python3 - "$tap_log/said" <<'P'
import csv, math, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
head, rows = rows[0], rows[1:]
assert len(set(head)) == len(head), "a column stands twice"
assert len(rows) % 40 == 0 and rows
for row in rows:
    assert len(row) == len(head), row
    for name, value in zip(head, row):
        assert not value or not name.endswith("_bps") or math.isfinite(float(value)), name
for name in "name verdict rx_bps paused_pct prio3_paused_pct prio7_discards_ps".split():
    assert name in head, name
assert any("" == v for row in rows for v in row), "all is known?"
P
}
tap "--csv is a row for each port and interval under one header" csv_rows
picked() { # PATTERNS EXCLUDE WANTED...
	gives 0 $demo -n 2 --csv --port "$1" --exclude "$2" || return
	tail -n +2 "$tap_log/said" | cut -d, -f6 | sort -u | tr '\n' ' ' >"$tap_log/ports"
	[ "$(cat "$tap_log/ports")" = "$3 " ] || { cat "$tap_log/ports"; return 1; }
}
tap "--port and --exclude pick ports" picked 'mlx5_*' 'mlx5_[1-9]/*' 'mlx5_0/1'
"$R" top $demo -n 1 --port 'rxe*' -w "$tap_log/rxe.rtw" >/dev/null 2>&1
no_such_port() { # SOURCE...: 3, and which ports there are
	gives 3 "$@" -n 1 --port 'nosuch*' && [ ! -s "$tap_log/said" ] &&
		grep -q "no port is left.*there are rxe0/1\|there are mlx5_0/1.*more$\|no such port" \
			"$tap_log/err" || { cat "$tap_log/err"; return 1; }
	"$R" exporter "$@" --port 'nosuch*' --once --textfile "$tap_log/none.prom" 2>/dev/null
	[ $? -eq 3 ] && [ ! -e "$tap_log/none.prom" ]
}
tap "--port of none is an error: --demo" no_such_port --demo
tap "--port of none is an error: --replay" no_such_port -r "$tap_log/rxe.rtw"
tap "--port of none is an error: --scenario" no_such_port \
	--scenario tests/scenarios/incast16-100g.yaml
came_later() { # a port of the second part of a recording that was joined
	"$R" top $demo -n 9 -w "$tap_log/long.rtw" >/dev/null 2>&1
	"$R" top -r "$tap_log/long.rtw" --seek 5s --port mlx5_0/1 -w "$tap_log/late.rtw" \
		>/dev/null 2>&1
	cat "$tap_log/rxe.rtw" "$tap_log/late.rtw" >"$tap_log/two.rtw"
	gives 0 -r "$tap_log/two.rtw" --csv --port mlx5_0/1 || return
	cut -d, -f6 "$tap_log/said" | sort -u | grep -q mlx5_0/1
}
tap "--port of one that comes later is none" came_later
tap "--port knows network devices" picked 'ens1f0np0,rxe*' none 'mlx5_0/1 rxe0/1'

# --- recordings -----------------------------------------------------------------------------------

without_meta() {
	/usr/bin/python3 -c 'import json, sys
for line in sys.stdin:
    line = json.loads(line)
    line.pop("meta")
    print(json.dumps(line, sort_keys=True))'
}
plays_back() { # OPTION...: what came while recording comes again
	rm -f "$tap_log/x.rtw"
	"$R" top $demo -n 150 "$@" -w "$tap_log/x.rtw" >"$tap_log/live"
	"$R" top -r "$tap_log/x.rtw" "$@" >"$tap_log/again"
	[ $? -le 1 ]
}
same_json() {
	plays_back --json --all
	without_meta <"$tap_log/live" >"$tap_log/live.j"
	without_meta <"$tap_log/again" >"$tap_log/again.j"
	[ "$(wc -l <"$tap_log/live.j")" -eq 150 ] && diff "$tap_log/live.j" "$tap_log/again.j"
}
tap "a recording plays back the same JSON, line by line" same_json
same_csv() {
	plays_back --csv && diff "$tap_log/live" "$tap_log/again" && [ -s "$tap_log/again" ]
}
tap "a recording plays back the same CSV" same_csv
same_text() {
	plays_back && [ "$(wc -l <"$tap_log/live")" -gt 2000 ] &&
		diff <(tail -n +2 "$tap_log/live") <(tail -n +2 "$tap_log/again")
}
tap "a recording plays back the same text below its title" same_text
same_host() {
	rm -f "$tap_log/h.rtw"
	"$R" top -n 3 -d 100ms --csv -w "$tap_log/h.rtw" >"$tap_log/live" || return
	"$R" top -r "$tap_log/h.rtw" --csv >"$tap_log/again"
	diff "$tap_log/live" "$tap_log/again"
}
tap "so does a recording of this host" same_host
lines_of_recording() {
	lines_are recording "$tap_log/x.rtw" - && lines_are sample "$tap_log/x.rtw" 151
}
tap "its lines are of kinds recording and sample" lines_of_recording
recorded_again() {
	rm -f "$tap_log/y.rtw"
	"$R" top -r "$tap_log/x.rtw" -w "$tap_log/y.rtw" --csv >"$tap_log/again"
	[ "$(wc -l <"$tap_log/again")" -gt 1000 ] &&
		"$R" top -r "$tap_log/y.rtw" --csv | diff "$tap_log/again" -
}
tap "a recording of a recording is one" recorded_again
simulated() { # as recorded: what passed since its beginning, and no date of 1970
	"$R" top --scenario tests/scenarios/incast16-100g.yaml --port h0 -n 3 \
		-w "$tap_log/sim.rtw" >"$tap_log/said" &&
		grep '^[0-9]' "$tap_log/said" | diff - <(printf '%d.000 us\n' 20 40 60) &&
		"$R" top -r "$tap_log/sim.rtw" | grep '^[0-9]' |
		diff - <(printf '%d.000 us\n' 20 40 60)
}
tap "times of a simulation are told from its beginning" simulated
unread() { # a source of which nothing was read has no time
	sed 's/"layouts":\[/"layouts":[7,/' "$tap_log/sim.rtw" >"$tap_log/head.rtw"
	gives 3 -r "$tap_log/head.rtw" && grep -q '^- .*layout: wants a map' "$tap_log/said"
}
tap "what was never read has no time" unread
sought() { # TIME LINES
	local lines
	lines=$("$R" top -r "$tap_log/x.rtw" --json --seek "$1" | wc -l)
	[ "$lines" -eq "$2" ] || { echo "$lines lines"; return 1; }
}
tap "--seek leaves out what is before" sought 100s 50
one_is_no_rate() { # ARGUMENTS...: and silence is no answer
	gives 3 "$@" -b && grep -q "rates take two samples" "$tap_log/err" || return
	gives 3 "$@" --csv && grep -q "rates take two samples" "$tap_log/err" || return
	gives 3 "$@" --json && jq -e '.message | contains("rates take two")' "$tap_log/said"
}
beyond() {
	one_is_no_rate -r "$tap_log/x.rtw" --seek 9999s &&
		gives 0 -r "$tap_log/x.rtw" --json --seek 9999s -n 0 &&
		lines_are watch "$tap_log/said" 1
}
tap "--seek beyond the end leaves the last sample, which has no rates" beyond
# Nor has a recording of one sample, or one whose time goes back.
head -n 2 "$tap_log/sim.rtw" >"$tap_log/one.rtw"
tap "a recording of one sample says why it shows nothing" one_is_no_rate -r "$tap_log/one.rtw"
head -n 3 "$tap_log/sim.rtw" | sed '3s/"time_ns":20000,/"time_ns":0,/' >"$tap_log/back.rtw"
tap "a recording whose time stands still, too" one_is_no_rate -r "$tap_log/back.rtw"
cut_recording() {
	head -c "$(($(wc -c <"$tap_log/x.rtw") - 7))" "$tap_log/x.rtw" | tail -c +300 >"$tap_log/cut.rtw"
	"$R" top -r "$tap_log/cut.rtw" --json >"$tap_log/said" 2>"$tap_log/err"
	[ "$(wc -l <"$tap_log/said")" -gt 80 ] || { cat "$tap_log/err"; return 1; }
}
tap "a recording that was cut at both ends plays on" cut_recording
damaged() { # FORM: line 6 names a port that there is not
	rm -f "$tap_log/b.rtw"
	"$R" top $demo -n 6 -w "$tap_log/b.rtw" >/dev/null 2>&1
	sed '6s/"port":0/"port":99/' "$tap_log/b.rtw" >"$tap_log/bad.rtw"
	gives 0 -r "$tap_log/bad.rtw" "$1"
}
damaged_json() { # the line that says so has nothing else
	damaged --json && /usr/bin/python3 - "$tap_log/said" <<'P'
import json, sys
ticks = [json.loads(line) for line in open(sys.argv[1])]
said = [t for t in ticks if t["said"]]
assert len(said) == 1 and "damaged" in said[0]["said"], said
assert said[0]["ports"] == [] and said[0]["elapsed_ns"] is None, said
assert not said[0].get("flows"), said
assert all(t["ports"] for t in ticks if not t["said"]), ticks
P
}
tap "an interval that failed has no figures: --json" damaged_json
damaged_csv() { # no row comes twice, and why there are none is said once
	damaged --csv || return
	[ "$(grep -c damaged "$tap_log/err")" -eq 1 ] &&
		[ "$(grep -c mlx5_0/1 "$tap_log/said")" -ge 3 ] &&
		[ -z "$(sort "$tap_log/said" | uniq -d)" ]
}
tap "an interval that failed has no figures: --csv" damaged_csv
damaged_text() {
	damaged -b && [ "$(grep -c 'Z .*damaged' "$tap_log/said")" -eq 1 ]
}
tap "an interval that failed has no figures: text" damaged_text
no_control() {
	sed 's/mlx5_0\/1/\\u001b[2J\\u009b/g' "$tap_log/x.rtw" >"$tap_log/evil.rtw"
	for form in -b --csv --json; do
		"$R" top -r "$tap_log/evil.rtw" $form >"$tap_log/said" 2>&1
		! tr -d '\r' <"$tap_log/said" |
			LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' || return
		grep -q 'mlx5_1/1' "$tap_log/said" || return
	done
}
tap "names in a recording do not steer a terminal" no_control

# --- flows ------------------------------------------------------------------------------------------

# A recording with PROGRAM's flows: python that changes f, the flows of each sample.
with_flows() { # PROGRAM
	"$R" top $demo -n 3 -w "$tap_log/flows-0.rtw" >/dev/null 2>&1
	/usr/bin/python3 - "$1" "$tap_log/flows-0.rtw" >"$tap_log/flows.rtw" <<'P'
import json, sys
for line in open(sys.argv[2]):
    line = json.loads(line)
    f = line.get("flows")
    if f:
        exec(sys.argv[1])
    print(json.dumps(line, separators=(",", ":")))
P
	rm "$tap_log/flows-0.rtw"
	"$R" top -r "$tap_log/flows.rtw" -b >"$tap_log/said" 2>"$tap_log/err"
}
incast_is_told() { # though receivers of one sender got more
	with_flows 'f["fans"] = [dict(f["fans"][0], dst="10.7.7.%d" % i, senders=1, jain=None,
		bytes=10**12) for i in range(9)] + f["fans"]' || return
	grep -q "^to 10.0.0.3 from 2: " "$tap_log/said" && ! grep -q "^to 10.7.7" "$tap_log/said"
}
tap "receivers of one sender do not crowd out an incast" incast_is_told
no_window() { # no rate of it, which is not 0
	with_flows 'f["window_ns"] = 0' || return
	grep -q "^to 10.0.0.3 from 2: - Gb/s" "$tap_log/said" &&
		grep -q "qp 704: - Gb/s" "$tap_log/said"
}
tap "flows of a window without a length have no rate" no_window
no_prio() { # is null, and one that is known is itself
	with_flows 'f["items"][0]["prio"] = None' || return
	"$R" top -r "$tap_log/flows.rtw" --json |
		jq -se 'all(.[].flows.items; .[0].prio == null and .[1].prio == 3)'
}
tap "a flow whose frames tell no priority has none" no_prio
little_is_not_nothing() {
	with_flows 'for i in f["items"]: i["bytes"] = 1000; i["ce"] = 1' || return
	grep -q "qp 704: <.0001 Gb/s, CE <.1 %" "$tap_log/said"
}
tap "what is more than nothing is not written as 0" little_is_not_nothing

# --- exit codes and mistakes ------------------------------------------------------------------------

down_ports() { # the one that is in use fails, and the one that is not does not
	local tree=$tap_log/down use=mlx5_0/1 no_use=mlx5_1/1
	cp -r tests/trees/two-rails "$tree" &&
		sed -i 's/"state": 4/"state": 1/' "$tree/rocetune/answers.json" || return
	gives 1 --sysroot "$tree" -b -n 1 -d 100ms --fail-on error --port $use &&
		grep -q "watch-link-lost" "$tap_log/said" &&
		grep -q "32 queue pairs are" "$tap_log/said" || return
	gives 0 --sysroot "$tree" -b -n 1 -d 100ms --fail-on unknown --port $no_use &&
		grep -q "watch-no-link" "$tap_log/said" && ! grep -q " ok$" "$tap_log/said"
}
tap "a link that is down is not ok, and an error where it is used" down_ports
no_rates() {
	gives 1 --sysroot tests/trees/two-rails -b -n 1 -d 100ms --fail-on unknown \
		--port mlx5_0/1 && grep -q "no rate yet of pauses" "$tap_log/said"
}
tap "a copy that nobody writes to has no rates, and is not judged" no_rates
rates_begin() { # they have, and what they say is what counts
	local tree=$tap_log/begins top n=0 rc from=tests/trees/two-rails/rocetune/stats
	cp -r tests/trees/two-rails "$tree" || return
	"$R" top --sysroot "$tree" -b -n 8 -d 500ms --fail-on unknown --port mlx5_0/1 \
		>"$tap_log/said" 2>"$tap_log/err" </dev/null &
	top=$!
	until grep -q " unknown$" "$tap_log/said"; do
		kill -0 $top 2>/dev/null || break
		sleep 0.05
	done
	while kill -0 $top 2>/dev/null; do
		n=$((n + 1))
		for file in ethtool/ens1f0np0 rdma/mlx5_0/1; do
			sed "s/np_cnp_sent: .*/np_cnp_sent: $((1052612 + n))/
				s/rx_bytes_phy: .*/rx_bytes_phy: $((88178050526295 + n))/" \
				"$from/$file" >"$tap_log/new" &&
				cp "$tap_log/new" "$tree/rocetune/stats/$file"
		done
		sleep 0.2
	done
	wait $top
	rc=$?
	[ $rc -eq 0 ] && ! grep -q "no rate yet" "$tap_log/said" || { cat "$tap_log/said"; return 1; }
}
tap "rates that only begin late are no finding in the end" rates_begin
no_victims() { # senders of the very incast, some of whose ticks of 20 us have no CNP
	gives 1 --scenario tests/scenarios/incast16-100g.yaml --speed 0 --json --fail-on warn &&
		grep -q '"id":"watch-congestion"' "$tap_log/said" &&
		! grep -q '"id":"watch-pause-victim"' "$tap_log/said"
}
tap "who causes a jam is no victim of it between two CNPs" no_victims
gone_port() { # in the demonstration, from 40 s to 48 s
	gives 1 $demo -n 45 --port rxe0/1 --fail-on error && grep -q "watch-port-gone" "$tap_log/said"
}
tap "a port that goes away is an error" gone_port
tap "findings below --fail-on: 0" gives 0 $demo -n 1 --port rxe0/1
tap "findings at --fail-on in any interval: 1" gives 1 $demo -n 60 --fail-on warn
tap "no such folder: 3" gives 3 --sysroot "$tap_log/nowhere"
tap "no such recording: 3" gives 3 -r "$tap_log/nowhere"
tap "a recording that is none: 3" gives 3 -r Makefile
tap "a file to record into that is there: 3" gives 3 $demo -n 1 -w Makefile
tap "no such lab: 3" gives 3 --lab no-such-lab-here -n 1
error_line() {
	gives 3 -r Makefile --json && lines_are error "$tap_log/said" 1 2>/dev/null ||
		[ "$(/usr/bin/python3 -c 'import json, sys
print(json.loads(sys.stdin.readline())["kind"])' <"$tap_log/said")" = error ]
}
tap "with --json an error is a line, too" error_line
bad() { # TEXT ARGUMENTS...: a mistake, which the message tells
	local text=$1
	shift
	gives 2 "$@" && grep -qF -- "$text" "$tap_log/err" || { cat "$tap_log/err"; return 1; }
}
tap "two sources are a mistake" bad "one thing is watched at a time" --demo -r x
tap "--seek without a recording is a mistake" bad "it wants --replay" --demo --seek 1s
tap "--speed of this host is a mistake" bad "--speed" --speed 2
tap "--json with --csv is a mistake" bad "one of them" --json --csv
tap "an interval below 100ms is a mistake" bad "100ms to 60s" -d 99ms
tap "an interval above 60s is a mistake" bad "100ms to 60s" -d 61
tap "a bare number is seconds" gives 0 --sysroot tests/trees/two-rails -n 1 -d 0.1
tap "a screen that there is not is a mistake" bad "--screen" --demo --screen 7
tap "operands are a mistake" bad "takes no operands" --demo eth0

dumb_terminal() { # a terminal that cannot be drawn on gets text
	TERM=$1 script -qec "$R top -r $tap_log/x.rtw --seek 140s" /dev/null </dev/null >"$tap_log/said"
	tr -d '\r' <"$tap_log/said" | grep -q '^mlx5_0/1 .* up ' &&
		! grep -q $'\e' "$tap_log/said"
}
if has_terminals; then
	tap "TERM=dumb gets text" dumb_terminal dumb
	tap "a terminal that nobody knows gets text" dumb_terminal no-such-terminal
else
	tap_skip "TERM=dumb gets text" "no script"
fi

# --- ends ---------------------------------------------------------------------------------------------

reader_leaves() { # FORM: quietly, and with an exit code of its own
	local codes
	"$R" top $demo "$1" 2>"$tap_log/err" | head -n 3 >/dev/null
	codes=("${PIPESTATUS[@]}")
	[ "${codes[0]}" -le 1 ] && [ ! -s "$tap_log/err" ] || { echo "${codes[0]}"; cat "$tap_log/err"; return 1; }
}
for form in -b --json --csv; do
	tap "a reader that goes away ends $form quietly" reader_leaves "$form"
done
full() { # FORM: said once
	"$R" top $demo -n 3 "$1" >/dev/full 2>"$tap_log/err"
	[ $? -eq 3 ] && grep -q 'No space' "$tap_log/err" &&
		[ "$(wc -l <"$tap_log/err")" -eq 1 ] || { cat "$tap_log/err"; return 1; }
}
for form in -b --json --csv; do
	tap "output that cannot be written: 3, $form" full "$form"
done
full_disk() { # recording ends, which is told, and what there is plays back
	rm -f "$tap_log/f.rtw"
	(ulimit -f 512 && exec "$R" top $demo -n 1000 --json -w "$tap_log/f.rtw") 2>"$tap_log/err" |
		wc -l >"$tap_log/lines"
	[ "${PIPESTATUS[0]}" -eq 3 ] && grep -q 'f.rtw.*too large' "$tap_log/err" || {
		cat "$tap_log/err"
		return 1
	}
	"$R" top -r "$tap_log/f.rtw" --json | wc -l >"$tap_log/again"
	[ "$(cat "$tap_log/again")" -ge 5 ] &&
		[ "$(cat "$tap_log/again")" -eq "$(($(cat "$tap_log/lines") - 2))" ]
}
tap "a disk that is full ends the recording: 3" full_disk
stopped() { # SIGNAL FORM: after a first line, in the middle of waiting
	: >"$tap_log/said"
	"$R" top --sysroot tests/trees/two-rails "$2" -d 100ms >"$tap_log/said" 2>"$tap_log/err" &
	local pid=$! rc
	until [ -s "$tap_log/said" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	kill -s "$1" "$pid"
	wait "$pid"
	rc=$?
	[ "$rc" -eq 0 ] && [ ! -s "$tap_log/err" ] && [ -z "$(tail -c 1 "$tap_log/said")" ] ||
		{ echo "exit status $rc"; cat "$tap_log/err"; return 1; }
}
tap "SIGINT ends it well" stopped INT -b
tap "SIGTERM ends it well" stopped TERM --json
tap_done
