#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Help, man pages and completion: complete, well-formed, and true.
set -u
B=${B:-build}
. tests/tap.sh

pages=$tap_log/man
mkdir -p "$pages"
tap "man pages can be written" "$B/rocetune" help --write-man "$pages"
lint() { mandoc -T lint -W warning "$1" | grep -v 'outdated mandoc.db\|unknown manual'; }
for page in $("$B/rocetune" help --list-man); do
	if command -v mandoc >/dev/null; then
		tap_empty "$page is well-formed" lint "$pages/$page"
	else
		tap_skip "$page is well-formed" "no mandoc"
	fi
done
for command in $("$B/rocetune" help --list-man | sed -n 's/^rocetune-\(.*\)\.1$/\1/p'); do
	tap "$command --help works" "$B/rocetune" "$command" --help
	every_option() { # each option of --help stands on the man page
		local word
		for word in $("$B/rocetune" "$command" --help | grep -o -- '  --[a-z-]*\|, --[a-z-]*' | tr -d ' ,'); do
			grep -q -- "$(printf '%s' "$word" | sed 's/-/\\\\-/g')" "$pages/rocetune-$command.1" ||
				{ echo "$word is not on the page"; return 1; }
		done
	}
	tap "$command: every option stands on its man page" every_option
done
# No line of text is longer than 80 columns where there is no terminal; usage and examples
# are for the clipboard, and stay whole.
narrow() {
	local command
	for command in $("$B/rocetune" help --list-man | sed -n 's/^rocetune-\(.*\)\.1$/\1/p'); do
		"$B/rocetune" "$command" --help | sed '/^Examples:/,$d; /^Usage:/d' | awk 'length > 80'
	done
	"$B/rocetune" stress incast --help | sed '/^Examples:/,$d; /^Usage:/d' | awk 'length > 80'
	"$B/rocetune" --help | awk 'length > 80'
}
tap_empty "help is at most 80 columns wide" narrow
completes() {
	bash -c '. <("$0" help --completion bash); COMP_WORDS=(rocetune ""); COMP_CWORD=1
		_rocetune; printf "%s\n" "${COMPREPLY[@]}" | grep -qx tos' "$B/rocetune"
}
tap "bash completion offers the commands" completes
nowhere() {
	"$B/rocetune" help --write-man "$tap_log/none" 2>"$tap_log/err"
	[ $? -eq 3 ] && grep -q "rocetune.1.*No such file" "$tap_log/err" || { cat "$tap_log/err"; return 1; }
}
tap "pages for a folder that is none are an error that says so" nowhere
tap_done
