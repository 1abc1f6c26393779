# SPDX-License-Identifier: MIT
"""Names, lines and frames of every kind of program: however it was linked, stripped, loaded and packed."""
import os
import shutil

from live import PACKED_NAMES, PFX, check, equal, finish, need_recording, run, skip

PROGRAM = """
#ifdef LOADS
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*work)(void) = library ? (void (*)(void))dlsym(library, "start_work") : 0;

	if (!work)
		return 1;
	work();
	return 0;
}
#else
static volatile unsigned long sink;

__attribute__((noinline)) static void hot_function(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		sink += i * i; /* HOT */
}

__attribute__((noinline)) static void warm_function(void)
{
	hot_function(120000000);
	sink++;
}

#ifdef LIBRARY
void start_work(void);
void start_work(void)
{
	warm_function();
	sink++;
}
#else
int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < (argc > 1 ? 3 : 1); i++)
		warm_function();
	sink++;
	return 0;
}
#endif
#endif
"""
HOT = "kinds.c:%d" % (PROGRAM.split("\n").index("\t\tsink += i * i; /* HOT */") + 1)
LOOP = "kinds.c:%d" % (int(HOT.split(":")[1]) - 1)
CACHE = os.path.abspath("kept")


def build(name, *options, defines=()):
    return run("cc", "-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", *options,
               *(f"-D{d}" for d in defines), "-o", name, "kinds.c")


def tool(*words):
    done = run(*words)
    equal(done.returncode, 0, " ".join(words) + done.stderr[:300])


def look(what, *command, lines=True, options=()):
    """Record it, and look for the function where nearly all time goes, its line and its callers."""
    done = run(PFX, "record", "-N", "-e", "cpu-clock:u", "-F", "999", "--call-graph",
               "dwarf,4096", "-o", "kinds.data", "--", *command)
    equal(done.returncode, 0, f"{what}: {done.stderr[:300]}")
    shown = run(PFX, "--buildid-dir", CACHE, "script", "-F", "ip,sym,srcline", "-i", "kinds.data",
                *options).stdout
    chains = [c for c in shown.split("\n\n") if c.strip()]
    hot = [c for c in chains if c.split()[1:2] == ["hot_function"]]
    check(len(hot) > 0.8 * len(chains), f"{what}: {len(hot)} of {len(chains)}, others: {[c for c in chains if c not in hot][:3]}")
    called = [c for c in hot if "warm_function" in c and (" main" in c or "start_work" in c)]
    check(len(called) > 0.9 * len(hot), f"{what}: callers of {len(called)} of {len(hot)}: {hot[:1]}")
    if lines:
        there = [c for c in hot if HOT in c or LOOP in c.strip().split("\n\t")[0]]
        check(len(there) > 0.9 * len(hot) and any(HOT in c for c in there),
              f"{what}: lines of {len(there)} of {len(hot)}: {hot[:1]}")


def linked():
    for name, options in (("pie", ["-fPIE", "-pie"]), ("fixed", ["-fno-pie", "-no-pie"]),
                          ("static", ["-static"]), ("static-pie", ["-static-pie", "-fPIE"]),
                          ("packed", ["-gz=zlib"]), ("dwarf4", ["-gdwarf-4"]),
                          ("split", ["-gsplit-dwarf"]), ("split4", ["-gdwarf-4", "-gsplit-dwarf"]),
                          ("dwarf64", ["-gdwarf64"]), ("split64", ["-gdwarf64", "-gsplit-dwarf"]),
                          ("frames64", ["-gdwarf64", "-fno-dwarf2-cfi-asm", "-fomit-frame-pointer",
                                        "-fno-asynchronous-unwind-tables"]),
                          ("gold", ["-fuse-ld=gold"]), ("md5-id", ["-Wl,--build-id=md5"]),
                          ("no-id", ["-Wl,--build-id=none"]), ("text-far", ["-Wl,-z,separate-code"]),
                          ("one-segment", ["-Wl,-z,noseparate-code"]),
                          ("huge-pages", ["-Wl,-z,max-page-size=0x200000"])):
        if build(name, *options).returncode:
            print(f"{name}: the compiler cannot do it")
            continue
        look(name, f"./{name}")


def stripped():
    tool("cc", "-v")
    equal(build("whole").returncode, 0, "cc")
    tool("objcopy", "--only-keep-debug", "whole", "whole.debug")
    ident = run(PFX, "buildid-list", "-i", "whole").stdout.strip()
    for where in ("linked.debug", ".debug/linked.debug"):
        os.makedirs(os.path.dirname(where) or ".", exist_ok=True)
        shutil.copy("whole.debug", where)
        tool("objcopy", "--strip-all", f"--add-gnu-debuglink={where}", "whole", "linked")
        look(f"stripped, {where}", "./linked")
        os.unlink(where)
    tool("objcopy", "--strip-all", "whole", "linked")
    kept = os.path.join(CACHE, ".build-id", ident[:2], ident[2:])
    os.makedirs(kept)
    shutil.copy("whole.debug", f"{kept}/debug")
    look("stripped, in the build-id cache", "./linked")
    shutil.rmtree(CACHE)
    system = f"tree/usr/lib/debug/.build-id/{ident[:2]}"
    os.makedirs(system, exist_ok=True)
    shutil.copy("whole.debug", f"{system}/{ident[2:]}.debug")
    os.makedirs("tree" + os.getcwd(), exist_ok=True)
    shutil.copy("linked", "tree" + os.getcwd())
    os.rename("linked", "other")
    shutil.copy("other", "linked")
    look("stripped, below --symfs", "./linked", options=("--symfs", "tree"))
    shutil.rmtree("tree")
    os.makedirs("flat", exist_ok=True)
    shutil.copy("linked", "flat/linked")
    shutil.copy("whole.debug", "flat/linked.debug")
    look("stripped, all files in one folder", "./linked", options=("--symfs", "flat,flat"))
    shutil.rmtree("flat")


def mini():
    """Only names, packed inside of the stripped program."""
    if not shutil.which("xz"):
        return
    tool("objcopy", "-S", "--keep-symbol=hot_function", "--keep-symbol=warm_function",
         "--keep-symbol=main", "whole.debug", "mini")
    tool("xz", "-f", "mini")
    tool("objcopy", "--strip-all", "--add-section", ".gnu_debugdata=mini.xz", "whole", PACKED_NAMES)
    look("with .gnu_debugdata", f"./{PACKED_NAMES}", lines=False)


def loaded():
    if build("loader", "-ldl", defines=["LOADS"]).returncode:
        skip("there is no dlopen() here")
    equal(build("library.so", "-fPIC", "-shared", defines=["LIBRARY"]).returncode, 0, "a library")
    look("dlopen'd", "./loader", "./library.so")
    os.makedirs("gone", exist_ok=True)
    shutil.copy("library.so", "gone/library.so")


def narrow():
    for words in (["cc", "-m32"], ["i686-linux-gnu-gcc"]):
        if shutil.which(words[0]) and not run(*words, "-O1", "-g", "-static", "-o", "narrow",
                                              "-fno-omit-frame-pointer", "kinds.c").returncode:
            look("i386", "./narrow")
            return
    print("there is no compiler for i386")


def elsewhere():
    """A program that only a container has, in a root directory of its own."""
    if run("unshare", "-m", "true").returncode or build("inside", "-static").returncode:
        print("containers are not possible here")
        return
    os.makedirs("root/bin", exist_ok=True)
    os.makedirs("root/old", exist_ok=True)
    os.rename("inside", "root/bin/only-here")
    shutil.copy("root/bin/only-here", "root/bin/again")
    for how in ("chroot . /bin/only-here long",
                "pivot_root . old && exec /bin/only-here long"):
        done = run(PFX, "--buildid-dir", CACHE, "record", "-e", "cpu-clock", "-F", "999", "-g", "-o",
                   "root.data", "--", "unshare", "-m", "sh", "-c",
                   f"mount -t tmpfs none {os.getcwd()}/root/old && mount --bind root root && "
                   f"cd root && {how}")
        if done.returncode:
            print(f"{how}: {done.stderr[:200]}")
            continue
        shown = run(PFX, "--buildid-dir", CACHE, "report", "--stdio", "-i", "root.data").stdout
        check("hot_function" in shown, f"{how}: names of a program in another root: {shown[:600]}")


def main():
    need_recording()
    if not shutil.which("cc") or not shutil.which("objcopy"):
        skip("there is no compiler")
    for left in (CACHE, "root", "tree", ".debug"):
        shutil.rmtree(left, ignore_errors=True)
    with open("kinds.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    linked()
    stripped()
    mini()
    loaded()
    narrow()
    elsewhere()
    finish()


main()
