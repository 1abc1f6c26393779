# SPDX-License-Identifier: MIT
"""libpfx as other programs get it: installed into an empty prefix, found by pkg-config and CMake, with the examples of
the documentation built and run against it. The headers, the export map and the symbols of the library name the same
functions; a program outside of the tree counts the samples of every recording of the corpus."""
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import corpus
from checks import KIT, check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
PREFIX = os.path.abspath("prefix")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
KALLSYMS = """ffffffff81000000 T _text
ffffffff81000000 T start
ffffffff81000100 T leaf
ffffffff81000400 T _etext
"""
RECORDING = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature arch str=x86_64
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 prog
sample ip=0xffffffff81000110 pid=7 tid=7 time=100 period=30 misc=1 chain=kernel,0xffffffff81000110,0xffffffff81000010
sample ip=0xffffffff81000010 pid=7 tid=7 time=200 period=10 misc=1 chain=kernel,0xffffffff81000010
round
"""
COUNTER = """#include <pfx/pfx.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		struct pfx_input_options options = PFX_INIT(struct pfx_input_options);
		struct pfx_losses losses = PFX_INIT(struct pfx_losses);
		struct pfx_input *input;
		int rc;

		options.flags = PFX_INPUT_FORCE | PFX_INPUT_INLINES;
		rc = pfx_input_open(&input, argv[i], &options, NULL);
		while (rc >= 0 && (rc = pfx_input_next_sample(input, NULL)) > 0)
			pfx_input_nr_frames(input, pfx_input_stack(input));
		if (input)
			pfx_input_losses(input, &losses);
		printf("%llu\\n", (unsigned long long)losses.nr_samples);
		pfx_input_close(input);
	}
	return 0;
}
"""
NAMES = """#include <pfx/pfx.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int inlined(int n) { volatile int sink = n; return sink * 2; }
__attribute__((noinline)) int outer(int n) { return inlined(n) + 1; }
static void show(struct pfx_symbols *symbols, uint64_t address)
{
	uint32_t nr = pfx_symbols_find(symbols, address), i;

	printf("%u", nr);
	for (i = 0; i < nr; i++) {
		struct pfx_frame frame = PFX_INIT(struct pfx_frame);

		pfx_symbols_frame(symbols, i, &frame);
		printf(" %s:%u", frame.symbol ? frame.symbol : "?", frame.line);
	}
	printf("\\n");
	pfx_symbols_free(symbols);
}
int main(int argc, char **argv)
{
	struct pfx_symbols_options options = PFX_INIT(struct pfx_symbols_options);
	struct pfx_stack_state state = PFX_INIT(struct pfx_stack_state);
	struct pfx_symbols *symbols;
	struct pfx_error err = {0};
	int i;

	options.flags = PFX_INPUT_INLINES | PFX_INPUT_LINES;
	for (i = 2; i < argc; i++)
		if (!pfx_symbols_of_file(&symbols, argv[1], &options, &err))
			show(symbols, strtoull(argv[i], NULL, 16));
	if (!pfx_symbols_of_process(&symbols, getpid(), &options, &err))
		show(symbols, (uint64_t)(uintptr_t)outer);
	if (!pfx_symbols_of_file(&symbols, argv[1], NULL, &err))
		printf("%u\\n", pfx_symbols_unwind(symbols, &state));
	pfx_symbols_free(symbols);
	printf("%d %s\\n", pfx_symbols_of_file(&symbols, "names.c", NULL, &err), err.text);
	printf("%d %s\\n", pfx_symbols_of_process(&symbols, 1 << 30, NULL, &err), err.text);
	return outer(argc) < 0 || symbols;
}
"""
CPLUSPLUS = """#include <pfx/pfx.h>
#include <cstdio>
int main()
{
	pfx_query query = PFX_INIT(pfx_query);
	pfx_input *input = nullptr;
	pfx_error err = {};

	query.dso = "libc.so.6";
	std::printf("%s %d\\n", pfx_version(), pfx_input_open(&input, "/no/such", nullptr, &err));
	return query.size != sizeof(query) || query.focus;
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(pfx 0.1 REQUIRED)
add_executable(user counter.c)
target_link_libraries(user PRIVATE pfx::pfx)
"""


def must(*words, **more):
    done = run(*words, **more)
    check(done.returncode == 0, f"{' '.join(words)[:300]}: {done.stdout[-500:]} {done.stderr[-1500:]}")
    return done.stdout


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def install():
    shutil.rmtree(PREFIX, ignore_errors=True)
    done = run("cmake", "--install", BUILD, "--prefix", PREFIX)
    if done.returncode:
        print("FAIL: install:", done.stderr)
        sys.exit(1)
    os.environ["PKG_CONFIG_PATH"] = os.path.dirname(glob.glob(f"{PREFIX}/**/pfx.pc", recursive=True)[0])
    library = os.path.dirname(glob.glob(f"{PREFIX}/**/libpfx.so", recursive=True)[0])
    os.environ["LD_LIBRARY_PATH"] = library
    return library


def pkg_config(*words):
    return must("pkg-config", *words, "pfx").split()


def declared():
    names = set()
    for path in glob.glob(f"{PREFIX}/include/pfx/*.h"):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r"^PFX_API\b[^;]*?\b(pfx_\w+)\(", file.read(), re.M))
    return names


def check_names(library):
    with open(f"{SOURCE}/lib/api/libpfx.map", encoding="utf-8") as file:
        mapped = set(re.findall(r"^\t(pfx_\w+);", file.read(), re.M))
    listed = must("nm", "-D", "--defined-only", f"{library}/libpfx.so")
    exported = set(re.findall(r" [TBDR] (\w+)(?:@@PFX_\d+)?$", listed, re.M))
    check(len(mapped) > 60 and mapped == declared(), f"map and headers differ: {mapped ^ declared()}")
    check(exported == mapped, f"library and map differ: {exported ^ mapped}")
    loaded = ctypes.CDLL(f"{library}/libpfx.so")
    loaded.pfx_version.restype = ctypes.c_char_p
    version = loaded.pfx_version().decode()
    check(version == must("pkg-config", "--modversion", "pfx").strip(), f"version {version}")
    parts = [int(part) for part in version.split(".")]
    check(loaded.pfx_version_number() == parts[0] * 10000 + parts[1] * 100 + parts[2], "version as a number")


def check_page():
    """The page of the API in Documentation/libpfx.md has every function, and their number."""
    with open(f"{SOURCE}/Documentation/libpfx.md", encoding="utf-8") as file:
        page = file.read().split("## The API on one page")[1].split("\n## ")[0]
    named = set()
    for words in (re.findall(r"`(\w+)`", row.split("|")[2]) for row in page.splitlines() if row.startswith("| ")):
        prefix = words.pop(0) if words and words[0].endswith("_") else ""
        named |= {prefix + word for word in words}
    named.discard("")
    check(named == declared(), f"the page and the headers differ: {named ^ declared()}")
    check(page.strip().startswith(f"{len(named)} functions"), f"the page does not count {len(named)} functions")


ENGINES = ("pfx_recording_open pfx_recording_next pfx_filter_thread pfx_profile_read pfx_selection_make pfx_table_make "
           "pfx_view_tree_make pfx_timeline_make pfx_diff_new pfx_recorder_new pfx_recorder_start pfx_events_parse "
           "pfx_stack_words_parse pfx_chain_frames pfx_synth_process").split()


def sources(*folders):
    for folder in folders:
        for path in glob.glob(f"{SOURCE}/{folder}/**/*.c", recursive=True):
            with open(path, encoding="utf-8") as file:
                yield file.read()


def check_engines():
    """The doors call what the program calls."""
    doors = "\n".join(sources("lib/api"))
    program = "\n".join(sources("cmd", *(f"lib/{name}" for name in "out export screen script live hist record diff".split())))
    missing = [name for name in ENGINES for text in (doors, program) if not re.search(rf"\b{name}\(", text)]
    check(not missing, f"only the program or only the doors call {missing}")
    shared = [name for name in ("pfx_set_out_of_memory", "pfx_use_environment", "pfx_version", "pfx_input_open",
                                "pfx_input_find_binaries", "pfx_input_binary", "pfx_input_losses")
              if not re.search(rf"\b{name}\(", program)]
    check(not shared, f"the program does not use {shared}")


def build(language, standard, source, out, *more):
    must(language, f"-std={standard}", *WARNINGS, source, *more, "-o", out)


def check_examples(flags):
    write("kallsyms", KALLSYMS)
    write("made.txt", RECORDING)
    must(KIT, "made.txt", "made.data")
    for path in sorted(glob.glob(f"{SOURCE}/Documentation/examples/*.c")):
        name = os.path.basename(path)[:-2]
        with open(path, encoding="utf-8") as file:
            lines = len(file.read().split("\n"))
        check(lines <= 41, f"{name} has {lines} lines")
        build("cc", "gnu11", path, f"./{name}", "-g", *flags)
    printed = must("./print_samples", "made.data")
    check(printed.startswith("prog 7/7 100\n\tffffffff81000110 "), f"print_samples: {printed[:200]}")
    top = json.loads(must("./top_functions", "made.data"))
    check([row["share"] for row in top] == [0.75, 0.25], f"top_functions: {top}")
    if os.uname().machine == "x86_64":
        frames = must("./unwind_stack").split()
        check(frames[0].startswith("main+0x") and frames[-1].startswith("_start+"), f"unwind_stack: {frames}")
    bare = run("./count_records")
    check((bare.returncode, bare.stderr) == (2, "usage: count_records COMMAND [ARGUMENT...]\n"), f"count_records: {bare}")
    bad = run("./print_samples", "/no/such/file")
    check(bad.returncode == 1 and "'/no/such/file'" in bad.stderr, f"print_samples of no file: {bad}")


def check_symbols(flags):
    """Addresses of a binary and of the process itself, with inlined functions and lines; errors."""
    write("names.c", NAMES)
    build("cc", "gnu11", "names.c", "./names", "-O1", "-g", "-fno-ipa-icf", *flags)
    outer = next(line.split()[0] for line in must("nm", "names").splitlines() if line.endswith(" outer"))
    lines = must("./names", "./names", outer, "7fffffff").splitlines()
    good = len(lines) == 6 and re.fullmatch(r"[12] (inlined:5 )?outer:6", lines[0]) and lines[1] == "0"
    check(good and re.fullmatch(r"[12] (inlined:5 )?outer:6", lines[2]) and lines[3] == "0", f"names: {lines}")
    check(lines[4:] == ["-74 'names.c' is not an ELF file", lines[5]] and lines[5].startswith("-3 "), f"names: {lines}")


def check_other_builds(flags):
    write("counter.c", COUNTER)
    write("user.cpp", CPLUSPLUS)
    for compiler in ("g++", "clang++"):
        if shutil.which(compiler):
            build(compiler, "c++17", "user.cpp", "./user", *flags)
            check(must("./user") == "0.1.0 -2\n", f"{compiler}: the program prints something else")
    archive = glob.glob(f"{PREFIX}/**/libpfx.a", recursive=True)[0]
    others = [word for word in pkg_config("--static", "--libs") if word != "-lpfx"]
    build("cc", "c11", "counter.c", "./static", f"-I{PREFIX}/include", archive, *others)
    check(must("./static", "made.data") == "2\n", "the archive counts something else")
    os.makedirs("user-tree", exist_ok=True)
    write("user-tree/CMakeLists.txt", CMAKE)
    shutil.copy("counter.c", "user-tree")
    must("cmake", "-S", "user-tree", "-B", "user-build", f"-DCMAKE_PREFIX_PATH={PREFIX}")
    must("cmake", "--build", "user-build")
    check(must("user-build/user", "made.data") == "2\n", "the CMake program counts something else")


def check_corpus():
    recordings = [r for r in corpus.recordings("public", "recorded") if not r.is_broken] if os.path.isdir(
        corpus.CORPUS) else []
    if not recordings:
        return
    counts = must("user-build/user", *(r.path for r in recordings)).split()
    wrong = [r.name for r, count in zip(recordings, counts) if int(count) != r.samples]
    check(len(counts) == len(recordings) > 100 and not wrong, f"counts of the corpus differ: {wrong}")


def main():
    library = install()
    check_names(library)
    places = [os.path.realpath(flag[2:]) for flag in pkg_config("--cflags")]
    check(places == [os.path.realpath(f"{PREFIX}/include")], f"more than the folder of the headers: {places}")
    check_page()
    check_engines()
    flags = pkg_config("--cflags", "--libs")
    check_examples(flags)
    check_symbols(flags)
    check_other_builds(flags)
    check_corpus()
    finish()


if __name__ == "__main__":
    main()
