# SPDX-License-Identifier: MIT
"""A recording with its binaries in one file, read where the binaries are not; the build-id cache."""
import glob
import os
import shutil
import subprocess
import tarfile

from live import DEMO, PERF, PFX, check, equal, finish, need_recording, run, wait_for

CACHE = os.path.abspath("cache")


def pfx(home, *argv):
    os.makedirs("tmp", exist_ok=True)
    return run("env", f"HOME={os.path.abspath(home)}", f"TMPDIR={os.path.abspath('tmp')}", PFX, *argv)


def report(home, data, *options):
    return pfx(home, "report", "--stdio", "-i", data, *options).stdout


def code(home, data):
    """The code of the functions of the program and of its libraries."""
    return pfx(home, "annotate", "-i", data, "-d", "program,libc.so.6").stdout


def archive():
    for left in ("here", "there", "third", "tmp", CACHE):
        shutil.rmtree(left, ignore_errors=True)
    for left in glob.glob("*.tar*") + glob.glob("*.data"):
        os.unlink(left)
    for home in ("here", "there"):
        os.makedirs(home)
    shutil.copy(DEMO, "program")
    done = pfx("here", "record", "-e", "cpu-clock", "-F", "999", "-g", "-o", "x.data", "--",
               "./program", "0.3")
    equal(done.returncode, 0, f"record: {done.stderr[:300]}")
    expected = report("here", "x.data")
    check(expected.count("\n") > 20, "the report before")
    expected_code = code("here", "x.data")
    check("Disassembly of program" in expected_code, "the code before")
    done = pfx("here", "archive", "-i", "x.data")
    equal(done.returncode, 0, f"archive: {done.stderr[:300]}")
    pfx("here", "archive", "-i", "x.data", "-o", "plain.tar", "--no-data")
    os.unlink("program")
    shutil.rmtree("here")
    check(report("there", "x.data") != expected, "symbols without the program")
    check(report("there", "x.data.tar.zst") == expected, "the archive in place")
    check("Disassembly of program" not in code("there", "x.data"), "code without the program")
    check(code("there", "x.data.tar.zst") == expected_code, "code from the archive in place")
    check(not os.path.exists("there/.debug"), "the archive stays in the cache")
    wait_for(lambda: not os.listdir("tmp"), "the removal of the unpacked archive")
    check("pfx archive --unpack" in pfx("there", "report", "-i", "plain.tar").stderr,
          "an archive without a recording")
    killed()
    done = pfx("there", "archive", "--unpack", "x.data.tar.zst", "-o", "unpacked.data")
    equal(done.returncode, 0, f"unpack: {done.stderr[:300]}")
    check(report("there", "unpacked.data") == expected, "the archive unpacked")
    check(code("there", "unpacked.data") == expected_code, "code from the cache")
    done = pfx("there", "archive", "--unpack", "x.data.tar.zst", "-o", "unpacked.data")
    equal(done.returncode, 255, "a recording is overwritten")
    with_tar(expected)


def killed():
    """Nothing is left of a report that is killed while it writes into a pipe that is full."""
    env = dict(os.environ, HOME=os.path.abspath("there"), TMPDIR=os.path.abspath("tmp"))
    with subprocess.Popen([PFX, "script", "-D", "-i", "x.data.tar.zst"], env=env,
                          stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        check(glob.glob("tmp/pfx-archive-*"), "TMPDIR is not used")
        process.kill()
    wait_for(lambda: not os.listdir("tmp"), "the removal of what a killed report unpacked")


def with_tar(expected):
    if not shutil.which("zstd"):
        print("zstd is not installed: tar is not tried")
        return
    os.makedirs("third/.debug")
    done = run("tar", "-xf", "x.data.tar.zst", "-C", "third/.debug")
    equal(done.returncode, 0, f"tar: {done.stderr[:300]}")
    check(report("third", "third/.debug/perf.data") == expected, "unpacked by tar")


SHARED = """
#include <map>
#include <string>
int main() {
    std::map<int, std::string> m;
    for (int i = 0; i < 5000000; i++) {
        std::string &s = m[i % 100];
        s += 'x';
        if (s.size() > 99) s.clear();
    }
}
"""


def start_anew():
    """The folders of two machines and of what is gone, empty, and the source of a program."""
    for left in ("here", "there", "away"):
        shutil.rmtree(left, ignore_errors=True)
        os.makedirs(left)
    with open("shared.cc", "w", encoding="utf-8") as file:
        file.write(SHARED)


def shared():
    """Debug information that several programs share is taken along, once."""
    if not shutil.which("dwz") or not shutil.which("g++"):
        print("dwz or g++ are not installed: shared debug information is not tried")
        return
    start_anew()
    for program in ("prog", "other"):
        equal(run("g++", "-O2", "-g", f"-DX={program}", "-Wl,--build-id", "-o", program,
                  "shared.cc").returncode, 0, "g++")
    done = run("dwz", "-m", "common.debug", "prog", "other")
    equal(done.returncode, 0, f"dwz: {done.stderr[:300]}")
    done = pfx("here", "record", "-e", "cpu-clock", "-F", "999", "-g", "-o", "shared.data", "--",
               "./prog")
    equal(done.returncode, 0, f"record: {done.stderr[:300]}")
    expected = report("here", "shared.data", "-s", "sym,srcline", "-g", "none")
    check("std::map" in expected and "(inlined)" in expected, f"inlined: {expected[:500]}")
    equal(pfx("here", "archive", "-i", "shared.data").returncode, 0, "archive")
    for left in ("prog", "other", "common.debug"):
        os.rename(left, f"away/{left}")
    shutil.rmtree("here")
    check(report("there", "shared.data.tar.zst", "-s", "sym,srcline", "-g", "none") == expected,
          "lines and inlined functions out of what programs share")


def carried(what, programs):
    """Record prog, take it along, move the programs and all of their files away: the report is the same."""
    done = pfx("here", "record", "-e", "cpu-clock", "-F", "999", "-g", "-o", "split.data", "--",
               "./prog")
    equal(done.returncode, 0, f"{what}: record: {done.stderr[:300]}")
    shown = ("-s", "sym,srcline", "-g", "none")
    expected = report("here", "split.data", *shown)
    check("(inlined)" in expected and "shared.cc:" in expected, f"{what}: {expected[:500]}")
    equal(pfx("here", "archive", "-i", "split.data").returncode, 0, "archive")
    for left in programs + glob.glob("*.dwo"):
        os.rename(left, f"away/{left}")
    shutil.rmtree("here")
    check(report("there", "split.data", *shown) != expected, f"{what}: found without the archive")
    equal(report("there", "split.data.tar.zst", *shown), expected, f"{what}: lines and inlined")
    equal(pfx("there", "archive", "--unpack", "split.data.tar.zst", "-o", "there/again.data").returncode,
          0, "unpack")
    equal(report("there", "there/again.data", *shown), expected, f"{what}: unpacked")
    equal(pfx("there", "archive", "-i", "there/again.data", "-o", "again.tar").returncode, 0, "again")
    shutil.rmtree("there")
    os.makedirs("there")
    equal(report("there", "again.tar", *shown), expected, f"{what}: taken along twice")


def separate():
    """Files with debug information beside the program are taken along: that of a link, and those of units."""
    if not shutil.which("g++") or not shutil.which("objcopy"):
        print("there is no compiler: separate debug information is not tried")
        return
    for split in ("", "-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf",
                  "-gdwarf-5 -gdwarf64 -gsplit-dwarf"):
        for stripped in (False, True):
            if not split and not stripped:
                continue
            start_anew()
            equal(run("g++", "-O2", "-g", *split.split(), "-Wl,--build-id", "-o", "prog",
                      "shared.cc").returncode, 0, f"g++ {split}")
            files = ["prog"]
            if stripped:
                for words in (["--only-keep-debug", "prog", "prog.debug"],
                              ["--strip-all", "--add-gnu-debuglink=prog.debug", "prog"]):
                    equal(run("objcopy", *words).returncode, 0, "objcopy")
                files.append("prog.debug")
            carried(f"g++ {split}{', stripped' if stripped else ''}", files)


def packaged():
    """A package of split debug information is taken along."""
    if not shutil.which("llvm-dwp") or not shutil.which("g++"):
        print("llvm-dwp or g++ are not installed: split debug information is not tried")
        return
    start_anew()
    equal(run("g++", "-O2", "-gdwarf-4", "-gsplit-dwarf", "-Wl,--build-id", "-o", "prog",
              "shared.cc").returncode, 0, "g++")
    if run("llvm-dwp", "-e", "prog", "-o", "prog.dwp").returncode:
        print("llvm-dwp cannot read what g++ makes")
        return
    for left in glob.glob("*.dwo"):
        os.unlink(left)
    carried("a package", ["prog", "prog.dwp"])


def cache():
    os.makedirs("cache", exist_ok=True)
    shutil.copy("/bin/true", "one")
    shutil.copy("/bin/false", "two")
    tools = [PFX] + ([PERF] if PERF else [])
    for putter in tools:
        for remover in tools:
            one, two = os.path.abspath("one"), os.path.abspath("two")
            run(putter, "--buildid-dir", CACHE, "buildid-cache", "-a", f"{one},{two}")
            lists = [run(tool, "--buildid-dir", CACHE, "buildid-cache", "-l").stdout
                     for tool in tools]
            equal(lists[0], lists[-1], f"{putter}: the lists of pfx and perf")
            equal(lists[0].count("\n"), 2, f"{putter}: both are there")
            run(remover, "--buildid-dir", CACHE, "buildid-cache", "-r", one)
            left = run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-l").stdout
            check(one not in left and two in left, f"{remover} removes what {putter} put: {left}")
            run(remover, "--buildid-dir", CACHE, "buildid-cache", "-p", two)
            left = run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-l").stdout
            equal(left, "", f"{remover} purges what {putter} put")
    failed = run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-a", "none,one")
    equal(failed.returncode, 255, "a file that is not there")
    check("one" in run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-l").stdout,
          "the file behind one that is not there")
    missing = run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-M", "x.data").stdout
    check("program" in missing, f"missing: {missing!r}")
    equal(run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-P").returncode, 0, "purge all")
    equal(run(PFX, "--buildid-dir", CACHE, "buildid-cache", "-l").stdout, "", "all is purged")


def doors():
    """A binary that is not the build that it is filed under enters by no door, and what is there and wrong
    is replaced by whatever is right."""
    start_anew()
    shutil.rmtree(CACHE, ignore_errors=True)
    # A name that does not fit into a block of the archive: it comes as an attribute of POSIX.
    os.makedirs("n" * 120)
    program = os.path.join("n" * 120, "prog")
    shutil.copy(DEMO, program)
    path = os.path.abspath(program)
    own = run(PFX, "buildid-list", "-i", program).stdout.strip()
    with tarfile.open("wrong.tar", "w") as tar:
        tar.add("/bin/true", f"{path[1:]}/{own}/elf", filter=as_file)
    with tarfile.open("right.tar", "w") as tar:
        tar.add(program, f"{path[1:]}/{own}/elf", filter=as_file)
    kept = os.path.join(CACHE, ".build-id", own[:2], own[2:], "elf")

    def is_right():
        return run(PFX, "buildid-list", "-i", kept).stdout.strip() == own

    done = run(PFX, "--buildid-dir", CACHE, "archive", "--unpack", "wrong.tar")
    equal(done.returncode, 0, f"unpack: {done.stderr}")
    check("left out what is not the build that it is named as: 1 of the archive's files, the first is "
          f"'{path}'" in done.stderr, f"a wrong file: {done.stderr!r}")
    check(not os.path.exists(kept), "a wrong file is in the cache")
    for words in (["buildid-cache", "-a", program], ["archive", "--unpack", "right.tar"],
                  ["record", "-e", "cpu-clock", "-F", "999", "-o", "doors.data", "--", program, "0.2"]):
        run(PFX, "--buildid-dir", CACHE, *words)
        check(is_right(), f"{words}: it is not kept")
        os.unlink(kept)
        shutil.copy("/bin/true", kept)
        said = run(PFX, "--buildid-dir", CACHE, *words).stderr
        check(is_right() and "replaced" in said and path in said, f"{words}: what is wrong stays: {said}")
        said = run(PFX, "--buildid-dir", CACHE, *words).stderr
        check("replaced" not in said, f"{words}: what is right is replaced: {said}")


def as_file(entry):
    """Without owner and mode of what is packed."""
    entry.uid = entry.gid = 0
    return entry


need_recording()
doors()
archive()
shared()
separate()
packaged()
cache()
finish()
