#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts in Perl, which run in a process of perl, and folders as perf has them ($PERF_EXEC_PATH): perf's own scripts
where they are installed, beside perf 6.1."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import perfs_scripts
import script_world as world
from test_script_perfs import FAILURES, PERFS, SAME, SORTED, check, perf_61, plain

SCRIPT = r"""
use strict;
use Perf::Trace::Core;
use Perf::Trace::Context;
use Perf::Trace::Util;
my $word = shift;
my %seen;
sub trace_begin { print "begin $word @ARGV\n"; }
sub sched::sched_switch {
	my ($event, $context, $cpu, $secs, $nsecs, $pid, $comm, $chain, $prev_comm, $prev_pid, $prev_prio, $state,
	    $next_comm, $next_pid, $next_prio) = @_;
	print "$event cpu $cpu ", nsecs_str(nsecs($secs, $nsecs)), " pid $pid $comm: $prev_comm:$prev_pid ",
		flag_str($event, "prev_state", $state), " $next_comm:$next_pid pc ", common_pc($context), " flags ",
		trace_flag_str(common_flags($context)), " depth ", common_lock_depth($context), " frames ", scalar(@$chain), "\n";
}
sub irq::softirq_entry { print "vector ", symbol_str($_[0], "vec", $_[8]), "\n"; }
sub raw_syscalls::sys_exit { print "ret $_[9]\n"; }
sub trace_unhandled { $seen{$_[0]}++; }
sub trace_end { print "$_ $seen{$_}\n" for sort keys %seen; print "end\n"; }
"""
EXPECTED = ("begin one two words\n", "ret -9\n", "vector NET_RX\n", "skb::kfree_skb 3\n", "\nend\n",
            "sched::sched_switch cpu 0     1.000100700 pid 0 swapper: swapper/0:0  one:10 pc 2 flags IRQS_OFF | NEED_RESCHED "
            "depth 0 frames 0\n", "two:11 S swapper/0:0 ")
# perf's scripts: name, arguments, comparison
PERL = (("failed-syscalls", (), SORTED), ("rw-by-file", ("one",), SORTED), ("rw-by-pid", (), SORTED), ("wakeup-latency", (), SORTED))
PYTHON = (("netdev-times", ("tx",)), ("compaction-times", ()), ("futex-contention", ()), ("syscall-counts-by-pid", ()),
          ("check-perf-trace", ()), ("powerpc-hcalls", ()))


def check_own():
    with open("own.pl", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    for words in (("-s", "own.pl"), ("-s", "Perl:own.pl"), ("own.pl",)):
        code, out, err = world.run("-i", "trace.data", *words, "one", "two words")
        check(code == 0 and not err, f"{words}: {code} {err}")
        for text in EXPECTED:
            check(text in out, f"{words}: no {text!r} in {out}")
    code, out, err = world.run("-i", "trace.data", "-g", "perl")
    check((code, out) == (0, "generated Perl script: perf-script.pl\n"), f"-g perl: {out} {err}")
    code, out, err = world.run("-i", "trace.data", "-s", "perf-script.pl")
    check(code == 0 and not err and out.count("\n") > 80 and "sched::sched_switch " in out, f"perf-script.pl: {out[:300]} {err}")
    for text, sentence in (("sub {", "the script failed in perl"), ("die 'on purpose';", "on purpose"),
                           ("sub trace_begin { die \"\\e[31mred\\n\"; }", "\\x1b[31mred\n"),
                           ("sub trace_begin { die \"a\\xc2\\x9b1m \\xe2\\x80\\xae\\xc3\\xa4\\n\"; }", "a\\xc2\\x9b1m \\xe2\\x80\\xae\u00e4\n"),
                           ("sub trace_begin { die \"a\\x9b\\xc3\\xa4\\n\"; }", "a\\x9b\\xc3\\xa4\n"),
                           ("sub trace_begin { warn \"\\e[32m\\n\"; kill 9, $$; }", "\\x1b[32m\n")):
        with open("bad.pl", "w", encoding="utf-8") as file:
            file.write(text)
        code, out, err = world.run("-i", "trace.data", "-s", "bad.pl")
        check(code == 255 and sentence in err, f"{text}: {code} {out} {err}")
    for text in ("sub trace_end { exit 3; }", "sub trace_begin { exit 3; }"):
        with open("bad.pl", "w", encoding="utf-8") as file:
            file.write(text)
        check(world.run("-i", "trace.data", "-s", "bad.pl") == (3, "", ""), f"{text}: {world.run('-i', 'trace.data', '-s', 'bad.pl')}")
    code, _, err = world.run("-i", "trace.data", "-s", "own.pl", PATH="/nowhere")
    check(code == 255 and "perl is not installed" in err, f"without perl: {err}")


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def start_busy(text):
    """pfx with a script that says which process it is; its pid and what it wrote first."""
    with open("busy.pl", "w", encoding="utf-8") as file:
        file.write("$| = 1; sub trace_begin { print \"$$\\n\"; " + text)
    # pylint: disable-next=consider-using-with
    pfx = subprocess.Popen([world.PFX, "script", "-i", "trace.data", "-s", "busy.pl"], stdout=subprocess.PIPE, text=True,
                           start_new_session=True)
    return pfx, int(pfx.stdout.readline())


def check_ends():
    """The interpreter ends with pfx, and Ctrl-C lets it call trace_end()."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        pfx, perl = start_busy("sleep 1 while 1; }")
        pfx.send_signal(number)
        check(pfx.wait(timeout=60) == -number, f"{number}: {pfx.returncode}")
        end = time.monotonic() + 60
        while is_running(perl) and time.monotonic() < end:
            time.sleep(0.01)
        check(not is_running(perl), f"{number}: perl runs on")
        pfx.stdout.close()
    pfx, perl = start_busy("} sub trace_end { print \"over\\n\"; } sub sched::sched_switch { unless ($n++) { print \"event\\n\"; sleep 1; } }")
    check(pfx.stdout.readline() == "event\n", "Ctrl-C: the first event")
    os.killpg(pfx.pid, signal.SIGINT)
    check(pfx.stdout.read().endswith("over\n") and pfx.wait(timeout=60) == 0, "Ctrl-C: trace_end")
    pfx.stdout.close()
    # to pfx alone: the event that is being handled is the last one
    pfx, _ = start_busy("my $old = $SIG{INT}; $SIG{INT} = sub { $got = 1; $old->(); }; } sub trace_end { print \"over $n\\n\"; } "
                        "sub sched::sched_switch { print \"event\\n\" unless $n++; select(undef, undef, undef, 0.01) until $got; }")
    check(pfx.stdout.readline() == "event\n", "SIGINT: the first event")
    pfx.send_signal(signal.SIGINT)
    check(pfx.stdout.read() == "over 1\n" and pfx.wait(timeout=60) == 0, "SIGINT to pfx alone: trace_end")
    pfx.stdout.close()


BYTES = r"""
sub trace_begin { print "begin\n"; }
sub process_event {
	my ($event, $attr, $sample, $raw_data) = @_;
	my ($type, $misc, $size) = unpack("LSS", $event);
	my @attr = unpack("LLQQQQ", $attr);
	my @sample = unpack("QLLQQQQQQQQQLLQQ", $sample);
	print "$type $misc $size ", length($event), " attr @attr[0..4] sample @sample raw ",
		substr(unpack("H*", $raw_data), 0, 32), " ", length($raw_data) || "", "\n";
}
"""


def check_bytes(perf):
    """process_event() has the bytes of every sample, as in perf."""
    with open("bytes.pl", "w", encoding="utf-8") as file:
        file.write(BYTES)
    for name, nr in (("clock", 4), ("places", 6), ("trace", 80)):
        words = ("-i", f"{name}.data", "-s", "bytes.pl")
        code, out, err = world.run(*words)
        check(code == 0 and not err and out.startswith("begin\n9 ") and out.count("\n") > nr, f"{name}: {out[:300]} {err}")
        if perf:
            done = subprocess.run([perf, "script", *words], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)
            check(done.stdout == out, f"{name}:\n{out[:600]}\nperf's:\n{done.stdout[:600]}")


def make_folder():
    """A folder as perf's: scripts, and shell scripts beside them."""
    os.makedirs("root/scripts/python/bin")
    os.makedirs("root/scripts/perl/bin")
    with open("root/scripts/python/theirs.py", "w", encoding="utf-8") as file:
        file.write("import os, sys\nsys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/x')\n"
                   "def trace_end():\n\tprint('theirs', sys.argv[1:])\n")
    shutil.copy("own.pl", "root/scripts/perl/perls.pl")
    for name, text in (("python/bin/theirs-record", "#!/bin/bash\n(perf record -e task-clock -c 1000 \\\n\t-e \"dummy\" $@ || true)\n"),
                       ("python/bin/theirs-report", "#!/bin/bash\n# description: of theirs\n# args: [word]\nperf script $@\n"),
                       ("perl/bin/perls-report", "#!/bin/bash\n#description: in Perl\nperf script $@\n")):
        with open(f"root/scripts/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def check_folder():
    make_folder()
    env = {"PERF_EXEC_PATH": os.path.abspath("root")}
    _, out, _ = world.run("-l", **env)
    check("  theirs [word] " in out and "of theirs\n" in out and "in Perl\n" in out, out)
    code, out, err = world.run("-i", "trace.data", "report", "theirs", "a", **env)
    check((code, out) == (0, "theirs ['a']\n"), f"{out} {err}")
    code, out, err = world.run("-i", "trace.data", "report", "perls", "a", **env)
    check(code == 0 and out.startswith("begin a "), f"{out} {err}")
    code, _, err = world.run("record", "theirs", "-q", "-o", "theirs.data", "true", **env)
    if code:
        print(f"recording is not possible here: {err.strip()}")
        return
    events = subprocess.run([world.PFX, "evlist", "-i", "theirs.data"], text=True, capture_output=True, check=False).stdout
    check(events == "task-clock\ndummy\n", f"record theirs: {events}")


def check_perfs(perf):
    """perf's own files, unchanged, with the modules beside them."""
    nr = 0
    for name, args, how in (*PERL, *((name, args, SAME) for name, args in PYTHON)):
        language = "perl" if (name, args, how) in PERL else "python"
        script = os.path.join(PERFS, language, name + (".pl" if language == "perl" else ".py"))
        if not os.path.exists(script):
            continue
        words = ("-i", "trace.data", "-s", script, "--", *args)
        code, out, err = world.run(*words, PERF_EXEC_PATH=os.path.dirname(PERFS))
        check(code == 0, f"{script}: {code} {err}")
        done = subprocess.run([perf, "script", *words], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        mine, other = plain(out, how), plain(done.stdout, how)
        check(done.returncode == 0 and mine == other, f"{script}:\n{mine}\nperf's:\n{other}")
        nr += 1
    print(f"{nr} scripts of perf")


def main():
    if not shutil.which("perl"):
        print("perl is not installed")
        sys.exit(world.SKIP)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        perfs_scripts.write("trace.data")
        perfs_scripts.write_others()
        check_own()
        check_ends()
        check_bytes(perf_61())
        if world.has_python():
            check_folder()
        perf = perf_61()
        if perf and world.has_python():
            check_perfs(perf)
        os.chdir("/")
    sys.exit(bool(FAILURES))


main()
