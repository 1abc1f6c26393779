# SPDX-License-Identifier: MIT
"""NULL is accepted everywhere in libpfx: a program that is made from the headers calls each function with nothing, and
each function of a handle without anything else. What returns errors gives -EINVAL with a sentence, other functions
nothing."""
import glob
import os
import re

from checks import KIT, check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
FLAGS = (f"-I{SOURCE}/lib/include", f"-L{BUILD}/lib", "-lpfx", f"-Wl,-rpath,{BUILD}/lib")
RECORDING = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu,callchain
feature arch str=x86_64
comm pid=7 tid=7 time=1 prog
sample ip=0x10 pid=7 tid=7 cpu=1 time=100 period=30 misc=2 chain=user,0x10,0x20
sample ip=0x10 pid=7 tid=7 cpu=1 time=101 period=30 misc=2 chain=user,0x10,0x20
sample ip=0x10 pid=7 tid=7 cpu=1 time=102 period=30 misc=2 chain=user,0x10,0x20
sample ip=0x10 pid=7 tid=7 cpu=1 time=103 period=30 misc=2 chain=user,0x10,0x20
round
"""
PROGRAM = r"""
#include <errno.h>
#include <pfx/pfx.h>
#include <stdio.h>

static struct pfx_error err;

static void expect(int good, const char *what)
{
	if (!good)
		printf("FAIL: %%s: %%s\n", what, err.text);
}

static void with_nothing(void)
{
%(nothing)s}

static void with_handles(const char *path)
{
	struct pfx_input *input = NULL;
	struct pfx_samples *samples = NULL;
	struct pfx_answer *answer = NULL;
	struct pfx_symbols *symbols = NULL;

	expect(!pfx_input_open(&input, path, NULL, NULL), "open");
	expect(pfx_input_next_sample(input, NULL) == 1, "sample");
	expect(pfx_input_nr_frames(input, pfx_input_stack(input)) == 2, "frames");
	expect(!pfx_symbols_of_file(&symbols, "/proc/self/exe", NULL, NULL), "symbols");
	pfx_input_frame(input, pfx_input_stack(input), 0, NULL);
%(input)s	expect(!pfx_samples_load(&samples, input, PFX_LOAD_TIMES, NULL), "load");
	expect(!pfx_samples_timeline(samples, NULL, 1, &answer, NULL), "timeline");
%(samples)s%(answer)s%(symbols)s	pfx_answer_free(answer);
	pfx_samples_free(samples);
	expect(!pfx_input_find_binaries(input, 0, NULL, NULL), "binaries");
	pfx_input_close(input);
	pfx_symbols_free(symbols);
}

int main(int argc, char **argv)
{
	with_nothing();
	with_handles(argv[argc - 1]);
	return 0;
}
"""
# These end a handle, or need one that exists at an index.
FREES = {"pfx_input_close", "pfx_samples_free", "pfx_answer_free", "pfx_symbols_free"}
AT_INDEX = {"pfx_input_branch", "pfx_input_field", "pfx_input_frame", "pfx_input_frame_id", "pfx_symbols_frame",
            "pfx_input_nr_frames", "pfx_samples_stack", "pfx_samples_timeline", "pfx_input_find_binaries", "pfx_input_binary"}


def functions():
    """The name, the type and the parameters of each function."""
    found = {}
    for path in sorted(glob.glob(f"{SOURCE}/lib/include/pfx/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for kind, name, words in re.findall(r"^PFX_API\s+([^;()]*?)\b(pfx_\w+)\(([^;]*)\);", text, re.M):
            found[name] = kind.strip(), [] if words == "void" else [word.strip() for word in words.split(",")]
    return found


def call(kind, name, words, handle=None):
    """A call with zeros, but for the handle and the error; and what it returns."""
    values = []
    for word in words:
        is_handle = handle and re.match(rf"(const )?struct {handle[0]} \*\w+$", word)
        values.append(handle[1] if is_handle else "&err" if "struct pfx_error *" in word else "0")
    done = f"{name}({', '.join(values)})"
    can_fail = kind == "int" and "&err" in values
    if handle:
        return f"\t(void){done};\n" if kind != "void" else f"\t{done};\n"
    if can_fail:
        return f"\terr.text[0] = 0;\n\texpect({done} == -EINVAL && err.text[0], \"{name}\");\n"
    if kind == "void":
        return f"\t{done};\n"
    none = {"const char *": "1", "uint64_t": "1"}.get(kind) if name in (
        "pfx_version", "pfx_input_type_name", "pfx_input_comm", "pfx_input_time") else None
    expected = f"{done} != 0" if none else f"{done} <= 0" if kind == "int32_t" else f"{done} == '?'" if kind == "char" else f"!{done}"
    return f"\texpect({expected}, \"{name}\");\n" if name != "pfx_version_number" else ""


def of_handle(all_of, kind, name):
    return "".join(call(result, function, words, (kind, name)) for function, (result, words) in all_of.items()
                   if any(re.match(rf"(const )?struct {kind} \*\w+$", word) for word in words)
                   and function not in FREES | AT_INDEX)


def main():
    all_of = functions()
    check(len(all_of) > 75, f"{len(all_of)} functions")
    parts = {name: of_handle(all_of, f"pfx_{name}", name) for name in ("input", "samples", "answer", "symbols")}
    parts["nothing"] = "".join(call(kind, name, words) for name, (kind, words) in all_of.items())
    with open("null.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM % parts)
    with open("null.txt", "w", encoding="utf-8") as file:
        file.write(RECORDING)
    check(run(KIT, "null.txt", "null.data").returncode == 0, "the recording")
    done = run("cc", "-std=c11", "-Wall", "-Werror", "-g", "null.c", *FLAGS, "-o", "null")
    check(done.returncode == 0, f"the program: {done.stderr[:2000]}")
    done = run("./null", "null.data")
    check(done.returncode == 0 and not done.stdout, f"NULL: {done.returncode} {done.stdout} {done.stderr}")
    finish()


main()
