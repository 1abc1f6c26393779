# SPDX-License-Identifier: MIT
"""The binary interface of libpfx is that of the last release (lib/api/libpfx-0.*), and scripts/abi sees what breaks
programs: planted breaks are refused, additions that the rules allow are not, and another soname allows everything."""
import os
import shutil
import sys

from checks import check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
RELEASED = f"{SOURCE}/lib/api/libpfx-0"
MAP, SHARED = "lib/api/libpfx.map", "scripts/cmake/PfxShared.cmake"
QUERY, INPUT, COMMON = (f"lib/include/pfx/{name}.h" for name in ("query", "input", "common"))
REMOVED = (INPUT, "PFX_API uint64_t pfx_input_time(", "uint64_t pfx_input_time("), (MAP, "\tpfx_input_time;\n", "")

# What is changed (file, text, its replacement), and whether programs break.
CHANGES = {
    "nothing": ([], False),
    "a function is gone": (REMOVED, True),
    "another type of a parameter": ([(INPUT, "pfx_input_nr_frames(struct pfx_input *input, uint32_t stack)",
                                      "pfx_input_nr_frames(struct pfx_input *input, uint64_t stack)")], True),
    "another type of a result": ([(INPUT, "PFX_API int32_t pfx_input_pid(", "PFX_API int64_t pfx_input_pid(")], True),
    "a member in the middle": ([(INPUT, "uint64_t from, to;  /* only", "uint64_t more, from, to;  /* only")], True),
    "a member is gone": ([(QUERY, "\tbool named_only;", "\t")], True),
    "a member of a struct without size": ([(COMMON, "\tchar known[256];", "\tchar known[256];\n\tint more;")], True),
    "another value of an enumerator": ([(QUERY, "\tPFX_BY_FUNCTION,", "\tPFX_BY_NOTHING,\n\tPFX_BY_FUNCTION,")], True),
    "another flag": ([(INPUT, "PFX_INPUT_LINES = 1 << 1", "PFX_INPUT_LINES = 1 << 7")], True),
    "another version of a symbol": ([(MAP, "PFX_0 {", "PFX_9 {")], True),
    "a member at the end": ([(QUERY, "NULL: all stacks */\n", "NULL: all stacks */\n\tuint32_t more;\n")], False),
    "an enumerator at the end": ([(QUERY, "\tPFX_BY_CPU,\n", "\tPFX_BY_CPU,\n\tPFX_BY_MORE,\n")], False),
    "another function": ([(COMMON, "PFX_API void pfx_set_threads(", "PFX_API int pfx_more(int);\nPFX_API void pfx_set_threads("),
                          (MAP, "\tpfx_version;\n", "\tpfx_version;\n\tpfx_more;\n")], False),
    "another soname": ([*REMOVED, (SHARED, "set(PFX_SOVERSION 0)", "set(PFX_SOVERSION 1)")], False),
}


def plant(changes):
    shutil.rmtree("tree", ignore_errors=True)
    shutil.copytree(f"{SOURCE}/lib/include", "tree/lib/include")
    for path in (MAP, SHARED):
        os.makedirs(os.path.dirname(f"tree/{path}"), exist_ok=True)
        shutil.copy(f"{SOURCE}/{path}", f"tree/{path}")
    for path, old, new in changes:
        with open(f"tree/{path}", encoding="utf-8") as file:
            text = file.read()
        check(text.count(old) == 1, f"'{old}' is {text.count(old)} times in {path}")
        with open(f"tree/{path}", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))


def main():
    done = run(f"{SOURCE}/scripts/abi", "check", RELEASED, f"{BUILD}/lib/libpfx.so")
    if done.returncode == 77:
        print(done.stdout)
        sys.exit(77)
    check(done.returncode == 0, f"the interface of the last release: {done.stderr}")
    for name, (changes, breaks) in CHANGES.items():
        plant(changes)
        done = run(f"{SOURCE}/scripts/abi", "check", "--source", os.path.abspath("tree"), RELEASED)
        check(done.returncode == breaks, f"{name}: {done.returncode} {done.stdout} {done.stderr}")
        check(not breaks or "or set another PFX_SOVERSION" in done.stderr, f"{name}: {done.stderr}")
    finish()


if __name__ == "__main__":
    main()
