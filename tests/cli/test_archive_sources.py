#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""archive --sources takes the source files of the lines that samples and callers hit, and no others; annotate and
script show them out of the archive and next to an unpacked recording, before the files on this machine."""
import os
import re
import shutil
import sys
import tarfile

from checks import PFX, check, finish
from annotating import build, make, run, symbol
from libraries import built_in

LEAF = """volatile unsigned sink;
__attribute__((noinline)) void leaf(unsigned n)
{
	sink += n; /* the old text */
}
"""
MAIN = """#include "sub/../leaf.h"
#include "caller.h"
#include "other.h"
int main(int argc, char **argv)
{
	caller(argc);
	other(argc);
	return 0;
}
"""
OTHER = "__attribute__((noinline)) void NAME(unsigned n) { leaf(n + 1); sink = n; }\n"
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
comm pid=10 tid=10 "prog"
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def must(*words, **kw):
    done = run(*words, **kw)
    check(not done.returncode, f"{words}: {done.stderr}")
    return done


def prepare():
    os.makedirs("src/sub")
    os.chdir("src")
    write("leaf.h", LEAF)
    for name in ("caller", "other"):
        write(f"{name}.h", OTHER.replace("NAME", name))
    build("prog", MAIN, "-O1", "-fno-pie", "-no-pie", "-Wl,--build-id")
    shutil.move("prog", "../prog")
    os.chdir("..")
    leaf, caller = symbol("prog", "leaf")[0], symbol("prog", "caller")[0]
    path = os.path.abspath("prog")
    ident = must(PFX, "buildid-list", "-i", "prog").stdout.split()[0]
    at = caller + 6
    make("perf.data", HEAD + f'dso "{path}" build_id={ident}\n'
         f'mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 "{path}"\n'
         f"sample ip={leaf:#x} pid=10 time=1000 period=1 chain=user,{leaf:#x},{at:#x}\nround\n")


def shows(data, text, absent):
    done = must(PFX, "annotate", "-i", data, "leaf")
    check(text in done.stdout and absent not in done.stdout, f"{data}: {done.stdout} {done.stderr}")


def main():
    if not built_in("libdw"):
        print("SKIP: libdw is not there")
        sys.exit(77)
    shutil.rmtree("work", ignore_errors=True)
    os.makedirs("work")
    os.chdir("work")
    prepare()
    done = must(PFX, "archive", "--sources", "-v", "-o", "all.tar")
    taken = sorted(re.findall(r"source: .*/([a-z.]+)\n", done.stderr))
    check(taken == ["caller.h", "leaf.h"], f"taken: {done.stderr}")
    check("and 2 source files" in done.stderr, f"counted: {done.stderr}")
    with tarfile.open("all.tar") as tar:
        names = [n for n in tar.getnames() if n.startswith(".sources/")]
    check(sorted(names) == sorted(f".sources{os.path.abspath('src')}/{n}" for n in taken), f"names: {names}")
    write("src/leaf.h", LEAF.replace("the old text", "changed since"))
    shows("perf.data", "changed since", "the old text")
    shows("all.tar", "the old text", "changed since")
    code = must(PFX, "script", "-i", "all.tar", "-F", "ip,sym,srccode").stdout
    check("|" in code, f"srccode: {code}")
    done = must(PFX, "--buildid-dir", os.path.abspath("cache"), "archive", "--unpack", "-o", "copy", "all.tar")
    check("unpacked 2 source files into 'copy.sources'" in done.stderr, f"unpacked: {done.stderr}")
    shows("copy", "the old text", "changed since")
    must(PFX, "archive", "--sources", "-i", "copy", "-o", "again.tar")
    shows("again.tar", "the old text", "changed since")
    must(PFX, "archive", "-o", "without.tar")
    with tarfile.open("without.tar") as tar:
        check(not [n for n in tar.getnames() if ".sources" in n], "sources only when asked for")
    finish()


main()
