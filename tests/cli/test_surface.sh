#!/bin/bash
# SPDX-License-Identifier: MIT
# The program around the commands: help, version, unknown words and their exit codes, completion,
# configuration, pipes that close.
set -u
export LC_ALL=C PFX_CONFIG=/dev/null
unset PFX_PAGER PAGER PERF_PAGER
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# expect CODE WORDS...: runs pfx and keeps its output in out and err
expect() {
	local code=$1 got
	shift
	"$PFX" "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$code" ] || fail "pfx $*: exit code $got, not $code ($(head -1 err))"
}

# says FILE TEXT: a line of the last run contains it
says() {
	grep -qF -e "$2" "$1" || fail "no '$2' in: $(head -3 "$1")"
}

silent() {
	[ ! -s "$1" ] || fail "unexpected: $(head -2 "$1")"
}

# version
for words in --version -v version; do
	expect 0 $words
	grep -qxE 'pfx version [0-9][0-9.]*' out || fail "pfx $words: $(cat out)"
	silent err
done
expect 0 version --build-options
grep -qE '^ +libelf: \[ on  \]  # ' out || fail "no build options: $(head -3 out)"
[ "$(wc -l <out)" -gt 5 ] || fail "few build options"

# help
expect 1
says out 'Usage: pfx'
for words in help --help -h; do
	expect 0 $words
	says out 'Usage: pfx'
	says out '    script '
done
commands=$("$PFX" --list-cmds)
for command in $commands; do
	expect 0 "$command" -h
	says out "Usage: pfx $command"
	silent err
	expect 0 help "$command"
	expect 0 --help "$command"
	expect 129 "$command" --no-such-option-at-all
	says err "pfx $command: unknown option '--no-such-option-at-all'"
	silent out
	expect 130 "$command" --list-opts
	grep -q "	$command" <<<"$("$PFX" completion bash)" || fail "$command is not completed"
done
expect 0 script -h fields
says out '--fields'
! grep -q -e '--max-stack' out || fail "-h WORD shows other options"
expect 0 help config
for key in call-graph.record-mode report.children buildid.dir pager.CMD color.ui; do
	says out "$key"
done
expect 1 help scrip
says err "did you mean 'script'?"
expect 0 --list-opts
says out '--no-pager'

# manual pages tell of every option
for command in $commands; do
	page=$PFX_SOURCE_DIR/Documentation/pfx-$command.1
	[ -f "$page" ] || continue
	for option in $("$PFX" "$command" --list-opts); do
		sed 's/\\-/-/g' "$page" | grep -qE -e "$option([^a-z-]|\$)" ||
			fail "$(basename "$page") does not know $option"
	done
done

# wrong words
expect 1 scrpt
says err "pfx: 'scrpt' is not a command of pfx"
says err "did you mean 'script'?"
silent out
for command in trace probe mem c2c kmem kwork lock sched kvm bench test ftrace timechart; do
	expect 1 $command
	says err "pfx: pfx has no '$command' yet"
	silent out
done
expect 1 mem
says err "pfx "
expect 1 help c2c
says err "pfx has no 'c2c' yet"
expect 1 $'evil\e[31m'
says err 'evil\x1b[31m'
expect 129 --no-such
says err "unknown option '--no-such'"
expect 129 -x script
expect 129 record -gdwarf -- true
says err "-g takes no value: write --call-graph dwarf"
expect 129 record -gdwarf,1024 -- true
says err "write --call-graph dwarf,1024"
expect 129 record -gx -- true
says err "unknown option '-x'"
silent out
expect 0 record --dry-run --call-graph dwarf, -- true
expect 129 record --dry-run --call-graph dwarf,0 -- true
says err "'0' is not a valid stack dump size"
expect 129 script --inptu=x
says err "did you mean '--input'?"
expect 129 script --show
says err 'is not unique'
expect 129 script -i
says err 'needs a value'
expect 129 script --header=1
says err 'takes no value'
expect 129 script -F comm,tme
says err "'tme' is not a field"
says err "did you mean 'time'?"
expect 129 script -F what:comm
says err "'what' is not a kind of event"
expect 129 script -F comm,+ip
expect 129 script extra
expect 129 script --reltime --deltatime
expect 129 script --pid x
for words in "--pid 12,x1" "--tid 12,1y" "--pid 12,99999999999"; do
	for command in report script; do
		expect 129 "$command" $words
		says err "'${words#* }' is not a list of numbers separated by commas"
		says err '   ^ for example: 4711,4712'
	done
done
for command in report script; do
	expect 129 "$command" -C 1-
	says err "'1-' is not a list of CPUs"
	says err '  ^ for example: -C 0,4-7'
done
for words in "-C 0,3-1" "--parallelism 1,8x" "--pid 1,2x" "-w 8,-1"; do
	expect 129 report $words
	says err "${words#* }"
	says err '  ^ for example: '
done
expect 129 report --symfs /,flta
says err "did you mean 'flat'?"
expect 255 report --symfs /nowhere,flat
says err "'/nowhere' is not a directory"
expect 255 script --kallsyms /nowhere
says err "--kallsyms: cannot read '/nowhere'"
expect 129 script --time 2,1
says err "the span ends before it begins"
expect 129 script report syscall-count
says err "did you mean 'syscall-counts'?"
expect 129 script syscall-count
says err "did you mean 'syscall-counts'?"
expect 129 script -s syscall-count
says err "did you mean 'syscall-counts'?"
expect 129 script record
says err "'record' needs the name of a script"
expect 129 script --addr-range 4
says err "--addr-range is about addresses"
expect 129 completion
expect 129 completion fish

# inject refuses before it writes anything
expect 129 inject --strip
says err "--strip removes events that decoded trace data (--itrace) replaces"
silent out
expect 129 inject stray.data
says err "'stray.data' is not expected here"
says err "the recording is named with -i"
expect 129 inject -b -B
says err "not into both"
for words in --known-build-ids=abcd --vmlinux=/nowhere --kallsyms=/nowhere; do
	expect 129 inject "$words"
	says err "says which build ids to add: it needs -b"
done
"$PFX_KIT" "$PFX_SOURCE_DIR/tests/golden/deferred.txt" any.data || fail "no recording"
for words in nonsense 'x /bin/x' '0 /bin/x' 'abcd' 'abcd ' 'abcd /bin/x,nonsense'; do
	expect 255 inject -i any.data -b -o injected.data --known-build-ids "$words"
	says err "is not a build id and path"
	says err "--known-build-ids takes pairs like '0123abcd /usr/bin/demo', or file://FILE"
done
expect 255 inject -i any.data -b -o injected.data --known-build-ids file:///nowhere
says err "'/nowhere'"
[ ! -e injected.data ] || fail "inject left a file"

# recordings that cannot be read
expect 255 script -i nowhere.data
says err "nowhere.data"
silent out
: >empty.data
expect 255 script -i empty.data
echo 'this is a text' >text.data
expect 255 script -i text.data
silent out
rm -f perf.data
expect 255 script
says err "pfx record"

# a reader that leaves
"$PFX" help 2>err | head -1 >out
says out 'Usage'
silent err
"$PFX" completion bash 2>err | true
silent err

# output that cannot be written
for words in version help "help config" "script -h" --list-cmds "completion bash"; do
	"$PFX" $words >/dev/full 2>err
	[ $? -eq 255 ] || fail "pfx $words into a full disk: exit code"
	says err 'cannot write to standard output: No space left on device'
	"$PFX" $words >&- 2>err
	[ $? -eq 255 ] || fail "pfx $words with standard output closed: exit code"
	says err 'cannot write to standard output: Bad file descriptor'
done

# configuration
printf '[broken\n' >broken
PFX_CONFIG=broken expect 0 help config
PFX_CONFIG=broken "$PFX" script -i nowhere.data 2>err
says err "line 1 of 'broken' is not a valid setting"
PFX_CONFIG=nowhere "$PFX" script -i nowhere.data 2>err
says err "cannot read the configuration 'nowhere'"

# completion is a script that bash takes, and it completes
"$PFX" completion bash >complete.bash || fail "completion bash"
complete_words() {
	bash --norc -c 'source ./complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pfx
		printf "%s\n" "${COMPREPLY[@]}"' complete "$@"
}
[ "$(complete_words pfx scr)" = script ] || fail "commands: $(complete_words pfx scr)"
[ "$(complete_words pfx script --max-s)" = --max-stack ] || fail "options are not completed"
[ "$(complete_words pfx --no-pager script --max-s)" = --max-stack ] || fail "behind an option"
[ "$(complete_words pfx script -i tex)" = text.data ] || fail "files are not completed"
[ "$(complete_words pfx --no)" = --no-pager ] || fail "own options are not completed"
[ "$(complete_words pfx script --no-inl)" = --no-inline ] || fail "opposites are not completed"
complete_line() { # words of an event: the line counts, not how readline cuts it
	local words
	read -ra words <<<"$1"
	bash --norc -c 'source ./complete.bash; COMP_LINE=$1; COMP_POINT=${#1}; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pfx
		printf "%s\n" "${COMPREPLY[@]}"' complete "$1" "${words[@]}"
}
[ "$(complete_line "$PFX record -e page-f")" = page-faults ] || fail "events are not completed"
[ "$(complete_line "$PFX record --event=cs,minor-f")" = cs,minor-faults ] ||
	fail "a second event is not completed"
[ "$(complete_line "$PFX record -e {cs,minor-f")" = "{cs,minor-faults" ] ||
	fail "an event of a group is not completed"
"$PFX" list --raw-dump sw | grep -qx context-switches || fail "list --raw-dump"
[ "$(complete_words pfx help vers)" = version ] || fail "topics are not completed"

# An alias stands for a command and its options; other words follow it.
printf '[alias]\n\tlist-ours = help --nonsense\n\tabout = version\n\tlost = nothing here\n' >alias.config
PFX_CONFIG=alias.config expect 0 about
says out "pfx version"
PFX_CONFIG=alias.config expect 129 list-ours
says err "'--nonsense'"
PFX_CONFIG=alias.config expect 1 lost
says err "'nothing' is not a command"

if [ $failures -ne 0 ]; then
	echo "$failures checks failed"
	exit 1
fi
echo "all checks passed"
