# SPDX-License-Identifier: MIT
"""The manual pages of libpfx are made from its headers: a page for each exported function, all that man shows without a
warning, and what the check of the headers sees: a description, errors, ownership, meaning of the result, indexes, units,
shapes."""
import glob
import os
import re
import shutil

from checks import check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
MAKE = f"{SOURCE}/scripts/make_manual"
PLANTED = [  # header, what is taken away, what instead, what is missing then
    ("input", "/* Number of the CPU. */\n", "\n", "pfx_input_cpu(): has no description"),
    ("input", "1, 0 at the end, or a negative\n * errno and @err. Other", "1, 0 at the end. Other", "pfx_input_next(): does not name its errors"),
    ("input", "Lives as long as @input. */", "*/", "pfx_input_comm(): does not say whom the result belongs to"),
    ("input", "/* ns of the clock", "/* Time of the clock", "pfx_input_time(): does not name a unit"),
    ("input", "/* Thread @i, which must exist. */", "/* A thread. */", "pfx_input_thread_info(): does not say which indexes"),
    ("input", "/* Whether it is a sample, and could be decoded. */", "/* A sample. */",
     "pfx_input_is_sample(): does not say what its result (bool) means"),
    ("input", "size_t nr_bytes;   /* bytes */", "size_t nr_bytes;", "'size_t nr_bytes' does not name its unit"),
    ("input", "struct pfx_losses {\n\tsize_t size;", "struct pfx_losses {\n", "struct pfx_losses does not begin with its size"),
    ("input", "PFX_API void pfx_input_close(struct pfx_input *input);\n", "", "pfx_input_open(): nothing frees what it makes"),
]


def pages():
    shutil.rmtree("man", ignore_errors=True)
    done = run(MAKE, "man/man3")
    check(done.returncode == 0, f"make_manual: {done.stderr}")
    with open(f"{SOURCE}/lib/api/libpfx.map", encoding="utf-8") as file:
        functions = re.findall(r"^\t(pfx_\w+);", file.read(), re.M)
    missing = [name for name in functions if not os.path.exists(f"man/man3/{name}.3")]
    check(len(functions) > 60 and not missing, f"no pages for {missing}")
    doors = [path for path in glob.glob("man/man3/*.3") if os.path.getsize(path) > 500]
    check(len(doors) == 5, f"doors: {doors}")
    if shutil.which("man"):
        for path in doors:
            done = run("man", "--warnings", "-l", path, env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
            check(done.returncode == 0 and not done.stderr, f"{path}: {done.stderr[:500]}")
        text = run("man", "-M", os.path.abspath("man"), "3", "pfx_input_pid", env={"MANWIDTH": "100"}).stdout
        check("Its process and its thread" in text, f"the page of a function: {text[:300]}")


def headers():
    check(run(MAKE, "--check").stdout == "", "the headers are not complete")
    for name, old, new, missing in PLANTED:
        shutil.rmtree("tree", ignore_errors=True)
        shutil.copytree(f"{SOURCE}/lib/include", "tree/lib/include")
        with open(f"tree/lib/include/pfx/{name}.h", encoding="utf-8") as file:
            text = file.read()
        check(text.count(old) == 1, f"'{old}' is {text.count(old)} times in {name}.h")
        with open(f"tree/lib/include/pfx/{name}.h", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        done = run(MAKE, "--check", "--source", "tree")
        check(done.returncode == 1 and missing in done.stdout, f"{missing}: {done.stdout} {done.stderr}")


def options():
    """Each option of `pfx record` and each member of the door is in the table of the documentation."""
    with open(f"{SOURCE}/Documentation/libpfx.md", encoding="utf-8") as file:
        text = re.search(r"^## The options of `pfx record`$(.*?)^## ", file.read(), re.M | re.S).group(1)
    listed = re.findall(r"^ +(?:(-\w), +)?(--[a-z-]+)", run(os.environ["PFX"], "record", "-h").stdout, re.M)
    words = set(re.findall(r"`(-[\w-]+)", text))
    missing = [pair for pair in listed if not words & set(pair) - {""}]
    check(len(listed) > 70 and not missing, f"options that the table lacks: {missing}")
    known = {word for pair in listed for word in pair} | {"-g"}
    check(words <= known, f"the table has options that there are not: {words - known}")
    with open(f"{SOURCE}/lib/include/pfx/capture.h", encoding="utf-8") as file:
        struct = re.search(r"^struct pfx_capture_options {$(.*?)^};", file.read(), re.M | re.S).group(1)
    members = set(re.findall(r"\w+(?=[,;])", re.sub(r"/\*.*?\*/", "", struct, flags=re.S))) - {"size"}
    absent = sorted(name for name in members if f"`{name}`" not in text)
    check(len(members) > 70 and not absent, f"members that the table lacks: {absent}")


def main():
    options()
    pages()
    headers()
    finish()


if __name__ == "__main__":
    main()
