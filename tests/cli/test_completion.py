# SPDX-License-Identifier: MIT
"""Completion in a real bash on a terminal: what Tab makes of a line. Every value that is offered is one
that the command takes."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

from checks import KIT, PFX, check, finish, run

DESCRIPTION = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,cpu,period,callchain
feature hostname str=testhost
comm pid=10 tid=10 "prog"
sample ip=0x400010 pid=10 time=1000 period=1 chain=user,0x400010
round
"""
PATIENCE = 60  # seconds
# Ctrl-X p shows the line between marks that nothing else prints, and empties it.
SETUP = """PS1=; PS2=; unset HISTFILE; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'
bind 'set completion-query-items 0'; bind 'set page-completions off'
show_line() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }
bind -x '"\\C-xp": show_line'
source <(pfx completion bash); echo re""ady
"""
LINES = (
    ("pfx rep\t", "pfx report "),
    ("pfx report --max-s\t", "pfx report --max-stack "),
    ("pfx report -s comm_\t", "pfx report -s comm_nodigit "),
    ("pfx report -scomm_\t", "pfx report -scomm_nodigit "),
    ("pfx report -s dso,comm_\t", "pfx report -s dso,comm_nodigit "),
    ("pfx report --sort srcf\t", "pfx report --sort srcfile "),
    ("pfx report --sort=srcf\t", "pfx report --sort=srcfile "),
    ("pfx report --sort=comm,srcf\t", "pfx report --sort=comm,srcfile "),
    ("pfx report -s +srcf\t", "pfx report -s +srcfile "),
    ("pfx report -F overhead_ch\t", "pfx report -F overhead_children "),
    ("pfx report -F overhead,peri\t", "pfx report -F overhead,period "),
    ("pfx report -g fracta\t", "pfx report -g fractal "),
    ("pfx report --call-graph=flat,calle\t", "pfx report --call-graph=flat,calle"),
    ("pfx report --call-graph=flat,callee\t", "pfx report --call-graph=flat,callee "),
    ("pfx report --unwind-style libd\t", "pfx report --unwind-style libdw "),
    ("pfx report -i x.da\t", "pfx report -i x.data "),
    ("pfx report x.da\t", "pfx report x.data "),
    ("pfx script -F comm,ti\t", "pfx script -F comm,ti"),
    ("pfx script -F comm,tim\t", "pfx script -F comm,time "),
    ("pfx script -F +srcl\t", "pfx script -F +srcline "),
    ("pfx script -F sw:brstacki\t", "pfx script -F sw:brstackinsn"),
    ("pfx script -F sw:retire\t", "pfx script -F sw:retire_lat "),
    ("pfx script -s flameg\t", "pfx script -s flamegraph "),
    ("pfx script flameg\t", "pfx script flamegraph "),
    ("pfx script -i x.data flameg\t", "pfx script -i x.data flamegraph "),
    ("pfx script record flameg\t", "pfx script record flamegraph "),
    ("pfx script report flameg\t-i x.d\t", "pfx script report flamegraph -i x.data "),
    ("pfx help flameg\t", "pfx help flamegraph "),
    ("pfx record --call-graph dw\t", "pfx record --call-graph dwarf "),
    ("pfx record --call-graph dwarf,16\t", "pfx record --call-graph dwarf,16384 "),
    ("pfx record --call-graph dwarf,dw\t", "pfx record --call-graph dwarf,dw"),
    ("pfx record --call-graph=dwarf,655\t", "pfx record --call-graph=dwarf,65528 "),
    ("pfx record --call-graph fp,de\t", "pfx record --call-graph fp,defer "),
    ("pfx report -s comm_nodigit,comm_\t", "pfx report -s comm_nodigit,comm_"),
    ("pfx report -s srcfile,dso,srcf\t", "pfx report -s srcfile,dso,srcf"),
    ("pfx stat rec\t", "pfx stat record "),
    ("pfx stat rep\t", "pfx stat report "),
    ("pfx data con\t", "pfx data convert "),
    ("pfx export fold\t", "pfx export folded "),
    ("pfx check fea\t", "pfx check feature "),
    ("pfx check feature debugi\t", "pfx check feature debuginfod "),
    ("pfx check -q feature libelf,debugi\t", "pfx check -q feature libelf,debuginfod "),
    ("pfx check --quiet fea\t", "pfx check --quiet feature "),
    ("pfx config annotate.hid\t", "pfx config annotate.hide_src_code "),
    ("pfx config --user call-graph.dum\t", "pfx config --user call-graph.dump-size "),
    ("pfx flamegraph --off-cpu-t\t", "pfx flamegraph --off-cpu-thresh "),
    ("pfx flamegraph --foc\t", "pfx flamegraph --focus "),
    ("pfx data m\t", "pfx data merge "),
    ("pfx list tracep\t", "pfx list tracepoint "),
    ("pfx list hw metricg\t", "pfx list hw metricgroup "),
    ("pfx list context-sw\t", "pfx list context-switches "),
    ("pfx script record flamegr\t", "pfx script record flamegraph "),
    ("pfx script report flamegr\t", "pfx script report flamegraph "),
    ("pfx record -- pfx-ki\t", "pfx record -- pfx-kit-program "),
    ("pfx record -g -- pfx-ki\t", "pfx record -g -- pfx-kit-program "),
    ("pfx record -g pfx-ki\t", "pfx record -g pfx-kit-program "),
    ("pfx record -ag pfx-ki\t", "pfx record -ag pfx-kit-program "),
    ("pfx record --no-inherit pfx-ki\t", "pfx record --no-inherit pfx-kit-program "),
    ("pfx record -m pfx-ki\t", "pfx record -m pfx-ki"),
    ("pfx record -F 99 pfx-ki\t", "pfx record -F 99 pfx-kit-program "),
    ("pfx stat -- pfx-ki\t", "pfx stat -- pfx-kit-program "),
    ("pfx stat pfx-ki\t", "pfx stat pfx-kit-program "),
    ("pfx record -u roo\t", "pfx record -u root "),
    ("pfx record --call-graph=lb\t", "pfx record --call-graph=lbr "),
    ("pfx record -j any_c\t", "pfx record -j any_call "),
    ("pfx record -k monotonic_\t", "pfx record -k monotonic_raw "),
    ("pfx record -e context-sw\t", "pfx record -e context-switches "),
    ("pfx record -e cs,context-sw\t", "pfx record -e cs,context-switches "),
    ("pfx record -econtext-sw\t", "pfx record -econtext-switches "),
    ("pfx record --event=context-sw\t", "pfx record --event=context-switches "),
    ("pfx stat -e page-fa\t", "pfx stat -e page-faults "),
    ("pfx record -F 99 -o x.d\t", "pfx record -F 99 -o x.data "),
)


class Bash:
    """An interactive bash that has our completion, on a terminal wide enough for one line."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {"PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}", "HOME": os.getcwd(), "TERM": "dumb",
                   "PFX_CONFIG": "/dev/null", "COLUMNS": "4000", "LC_ALL": "C",
                   **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], env)
        os.write(self.fd, SETUP.encode())
        self.until(rb"\nready")

    def until(self, pattern):
        got = b""
        while not re.search(pattern, got, re.S):
            if not select.select([self.fd], [], [], PATIENCE)[0]:
                check(False, f"bash says nothing more: {got[-300:]!r}")
                finish()
            got += os.read(self.fd, 4096)
        return got

    def complete(self, line):
        os.write(self.fd, line.encode() + b"\x18p")
        return re.search(rb"<<(.*?)>>", self.until(rb"<<.*?>>"), re.S).group(1).decode()

    def end(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def offered():
    """The lists of the completion script: (command, option, words)."""
    text = run(PFX, "completion", "bash").stdout
    body = text[text.index("_pfx_values() {"):]
    for line in body[:body.index("\n}\n")].splitlines():
        row = re.match(r"\t([\w-]+):(\S+)\) echo '(.*)';;$", line)
        if row:
            yield row.group(1), row.group(2).split("|")[-1].split(":")[-1], row.group(3).split()


def replies(line):
    """What completion offers at the end of a line."""
    words = line.split(" ")
    script = (f'PATH=$PWD/bin:$PATH; source <(pfx completion bash); COMP_WORDS=({" ".join(x or chr(39) * 2 for x in words)}); '
              f'COMP_CWORD={len(words) - 1}; COMP_LINE="{line}"; COMP_POINT={len(line)}; _pfx; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return run("bash", "--norc", "-c", script).stdout.split()


def test_offers():
    for line in ("pfx record -p ", "pfx record --pid ", "pfx stat -p "):
        check(str(os.getpid()) in replies(line), f"{line}: {replies(line)}")
    got = replies("pfx record --call-graph dwarf,")
    check(got == [f"dwarf,{size}" for size in (8192, 16384, 32768, 65528)], f"sizes: {got}")
    got = replies("pfx report -s comm,")
    check("comm,dso" in got and "comm,comm" not in got, f"keys: {got}")
    got = replies("pfx list ")
    check(set("hw sw cache tracepoint pmu metric".split()) <= set(got), f"list: {got}")
    got = replies("pfx script report ")
    check("flamegraph" in got and "x.data" not in got, f"script report: {got}")
    check(replies("pfx stat rec") == ["record"], f"stat rec: {replies('pfx stat rec')}")


def test_the_name_perf():
    """Completed where it is a link to pfx, and left to others elsewhere."""
    script = 'PATH=$PWD/$1:$PWD/bin:$PATH; source <(pfx completion bash); complete -p perf 2>/dev/null; COMP_WORDS=(perf ev); '\
             'COMP_CWORD=1 COMP_LINE="perf ev" COMP_POINT=7 _pfx; echo "${COMPREPLY[@]}"'
    os.mkdir("named")
    os.mkdir("others")
    os.symlink(os.path.abspath(PFX), "named/perf")
    with open("others/perf", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod("others/perf", 0o755)
    for folder, wanted in (("named", "complete -o bashdefault -o filenames -F _pfx perf\nevlist\n"), ("others", "evlist\n")):
        got = run("bash", "--norc", "-c", script, "-", folder)
        check(got.stdout == wanted, f"{folder}: {got}")


def test_values_are_taken():
    nr = 0
    for command, option, words in offered():
        for word in words:
            if word.startswith("@"):
                continue
            nr += 1
            given = f"{option}={word}" if option.startswith("--") else option + word
            rest = {"record": ["-o", "y.data", "--", "true"], "diff": ["x.data"],
                    "flamegraph": ["-o", "y.svg", "--", "true"],
                    "top": ["-p", "999999999"]}.get(command, ["-i", "x.data"])
            if command == "export":
                rest.append("folded")
            said = run(PFX, command, given, *rest)
            check(said.returncode != 129 or "needs" in said.stderr or "not supported" in said.stderr or
                  "is a key for" in said.stderr or "names no column" in said.stderr,
                  f"{command} {given} is offered and refused: {said.stderr}")
    check(nr > 150, f"only {nr} values are offered")


def main():
    if not shutil.which("bash"):
        print("SKIP: there is no bash")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("bin")
        os.symlink(PFX, "bin/pfx")
        os.symlink("/bin/true", "bin/pfx-kit-program")
        with open("description", "w", encoding="utf-8") as f:
            f.write(DESCRIPTION)
        subprocess.run([KIT, "--le", "description", "x.data"], check=True)
        bash = Bash()
        for typed, wanted in LINES:
            got = bash.complete(typed)
            check(got == wanted, f"{typed!r} becomes {got!r}, not {wanted!r}")
        bash.end()
        test_offers()
        test_the_name_perf()
        test_values_are_taken()
        os.chdir("/")


main()
finish()
