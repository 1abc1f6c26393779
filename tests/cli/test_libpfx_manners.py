# SPDX-License-Identifier: MIT
"""The manners of libpfx: it does not end the process, print, install signal handlers or read the environment, by the
functions that the library calls and by what programs see; out of memory calls the handler of the program, wherever an
allocation fails; and it has no data that two users in a process share, but what is listed here."""
import os
import re
import shutil
import sys
from collections import defaultdict

from checks import KIT, check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
LIBRARY = f"{BUILD}/lib/libpfx.so"
FLAGS = (f"-I{SOURCE}/lib/include", f"-L{BUILD}/lib", "-lpfx", f"-Wl,-rpath,{BUILD}/lib")
NEVER = ("exit|quick_exit|_Exit|atexit|on_exit|stdout|stderr|v?f?printf|__v?f?printf_chk|puts|fputs|putchar|putc|fputc|"
         "fwrite|perror|v?warnx?|v?errx?|syslog|psignal|system|popen|putenv|unsetenv|clearenv|setlocale|chdir|fchdir|"
         "umask|alarm|setitimer|setrlimit|sigwait|secure_getenv|clearerr|getopt\\w*")
CHILD = "in the process of the recorder or of a workload"
ALLOWED = {  # function of libc: who may call it, and why
    "_exit": {"pfx_capture_child": CHILD, "pfx_workload_fork": CHILD, "run_guard": CHILD,
              "pfx_temp_dir_new": "in a process that removes files when the caller is gone"},
    "setenv": {"take_servers": CHILD, "pfx_capture_take_words": CHILD},
    "abort": {"out_of_memory": "the default of pfx_set_out_of_memory()"},
    "getenv": {"pfx_environment": "after pfx_use_environment(true)", "pfx_home": "the same"},
    "signal": {"pfx_temp_dir_new": "in that process", "pfx_writer_open_wait": CHILD, "end_both": CHILD},
    "sigaction": {"pfx_signals_take": CHILD, "pfx_signals_give_back": CHILD, "pfx_signals_raise": CHILD,
                  "pfx_recorder_start": CHILD, "keep_copy": CHILD, "pfx_recorder_stop": CHILD,
                  "pfx_capture_child": CHILD, "reset_signals": CHILD, "pfx_guard_install": CHILD, "on_bus_error": CHILD},
    "signalfd": {"pfx_watch_init": CHILD},
    "raise": {"pfx_signals_raise": CHILD, "end_both": CHILD, "on_bus_error": CHILD},
    "execvp": {"pfx_workload_fork": CHILD},
}
# Data that is written: secrets and settings of the process (pfx/common.h), libraries that are loaded once, the
# captures whose descriptors a child must not keep, the end of the heap, which only pfx's own commands let grow in its way,
# and what only the process of a recorder has.
STATE = {
    "pfx_hash_secret", "handler", "handler_context", "threads_set", "decision", "library", "library_once", "is_loaded",
    "heap_end", "lock", "cut_paths", "current", "is_out_of_reach", "failures", "nr_failures", "page_mask", "child", "control_fd",
    "found", "captures", "keeps_options", "bus_before", "workload_to_end", "names", "no_trace", "name", "argv", "accessors",
    # of the C runtime and of libiberty
    "completed", "first_break", "first_block", "_xexit_cleanup",
}
RECORDING = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu,callchain
feature arch str=x86_64
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 prog
sample ip=0xffffffff81000110 pid=7 tid=7 cpu=1 time=100 period=30 misc=1 chain=kernel,0xffffffff81000110,0xffffffff81000010
round
"""
# malloc() that fails at the Nth call and from then on; prints how many calls there were.
MEMORY = r"""
#define _GNU_SOURCE
#include <pfx/pfx.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static atomic_long calls, limit;
static atomic_bool handled;

static int fails(void)
{
	long call = atomic_fetch_add(&calls, 1) + 1;

	if (!limit || call < limit)
		return 0;
	errno = ENOMEM;
	return 1;
}
void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t nr, size_t size) { return fails() ? NULL : __libc_calloc(nr, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

static void out_of_memory(void *context)
{
	_exit(*(int *)context);
}

static void work(void)
{
	struct pfx_input_options options = PFX_INIT(struct pfx_input_options);
	struct pfx_samples *samples = NULL;
	struct pfx_answer *answer = NULL;
	struct pfx_input *input;
	struct pfx_error err;

	options.flags = PFX_INPUT_INLINES;
	if (pfx_input_open(&input, "made.data", &options, &err))
		return;
	while (pfx_input_next_sample(input, &err) > 0)
		pfx_input_nr_frames(input, pfx_input_stack(input));
	pfx_input_close(input);
	if (pfx_input_open(&input, "made.data", &options, &err))
		return;
	if (!pfx_samples_load(&samples, input, PFX_LOAD_TIMES, &err))
		pfx_samples_table(samples, NULL, &answer, &err);
	pfx_answer_free(answer);
	pfx_samples_free(samples);
	pfx_input_close(input);
}

/* The status of a process in which the Nth allocation fails. */
static int try(long n, int has_handler)
{
	static int code = 42;
	int status;
	pid_t child = fork();

	if (!child) {
		if (has_handler)
			pfx_set_out_of_memory(out_of_memory, &code);
		pfx_set_threads(1);
		calls = 0;
		limit = n;
		work();
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

int main(void)
{
	long total, n, handled = 0, step;
	int status;

	pfx_set_threads(1);
	work();
	total = calls;
	step = total / 150 + 1;
	for (n = 1; n <= total; n += n < 60 ? 1 : step) {
		status = try(n, 1);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 42)
			handled++;
		else if (!WIFEXITED(status) || WEXITSTATUS(status))
			printf("FAIL: allocation %ld: status %d\n", n, status);
	}
	status = try(total / 2, 0);
	printf("%ld %ld %d\n", total, handled, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return 0;
}
"""
QUIET = r"""
#include <pfx/pfx.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	struct sigaction before[65], after;
	struct pfx_symbols *symbols;
	struct pfx_samples *samples = NULL;
	struct pfx_input *input;
	char here[4096], there[4096];
	sigset_t mask, now;
	int i, rc = 0;

	memset(before, 0, sizeof(before));
	for (i = 1; i < 65; i++)
		sigaction(i, NULL, &before[i]);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (!getcwd(here, sizeof(here)))
		return 1;
	for (i = 0; i < 3; i++) {
		const char *const paths[] = {"made.data", "/no/such", "broken.data"};

		if (!pfx_input_open(&input, paths[i], NULL, NULL))
			pfx_samples_load(&samples, input, 0, NULL);
		pfx_samples_free(samples);
		samples = NULL;
		pfx_input_close(input);
	}
	if (!pfx_symbols_of_process(&symbols, getpid(), NULL, NULL))
		pfx_symbols_find(symbols, 1);
	pfx_symbols_free(symbols);
	for (i = 1; i < 65; i++)
		if (!sigaction(i, NULL, &after) && after.sa_handler != before[i].sa_handler)
			rc = 2;
	sigprocmask(SIG_BLOCK, NULL, &now);
	if (memcmp(&mask, &now, sizeof(mask)))
		rc = 3;
	if (!getcwd(there, sizeof(there)) || strcmp(here, there) || strcmp(setlocale(LC_ALL, NULL), "C"))
		rc = 4;
	return rc;
}
"""


def build(name, text, *flags):
    with open(f"{name}.c", "w", encoding="utf-8") as file:
        file.write(text)
    done = run("cc", "-std=gnu11", "-g", "-w", f"{name}.c", *flags, *FLAGS, "-pthread", "-o", name)
    check(done.returncode == 0, f"{name}: {done.stderr[:2000]}")


def callers():
    """Of each function of libc: which functions of the library call it."""
    found, function = defaultdict(set), None
    for line in run("objdump", "-d", "--no-show-raw-insn", LIBRARY).stdout.splitlines():
        begin = re.match(r"[0-9a-f]+ <(.+)>:", line)
        if begin:
            function = re.sub(r"\.(part|isra|constprop|localalias|cold)\b.*", "", begin.group(1))
            continue
        call = re.search(r"\s(?:call|jmp|bl|b)\s.*<(\w+)@plt>", line)
        if call:
            found[call.group(1)].add(function)
    return found


def check_calls():
    listed = run("nm", "-D", "--undefined-only", LIBRARY).stdout
    wanted = {re.sub("@.*", "", line.split()[-1]) for line in listed.splitlines()}
    check({"malloc", "fork"} <= wanted, f"nm: {sorted(wanted)[:50]}")
    bad = sorted(name for name in wanted if re.fullmatch(NEVER, name))
    check(not bad, f"the library calls {bad}")
    check(re.fullmatch(NEVER, "__fprintf_chk") and re.fullmatch(NEVER, "exit"), "the rule sees nothing")
    calls = callers()
    check("pfx_capture_child" in calls["_exit"], f"objdump: {calls['_exit']}")
    for name, allowed in ALLOWED.items():
        check(calls[name] <= set(allowed), f"{name}() is called by {sorted(calls[name] - set(allowed))}")


def check_state():
    rows = [line.split() for line in run("nm", LIBRARY).stdout.splitlines()]
    written = {re.sub(r"\.\d+$", "", row[2]) for row in rows if len(row) == 3 and row[1] in "bBD"}
    check("threads_set" in written, f"nm: {written}")
    check(written <= STATE, f"data of the process that is not listed: {sorted(written - STATE)}")


def check_memory():
    build("memory", MEMORY, "-rdynamic")
    done = run("./memory")
    check("FAIL" not in done.stdout and done.returncode == 0, f"out of memory: {done.stdout[:2000]} {done.stderr[:500]}")
    total, handled, signal = (int(word) for word in done.stdout.split()[-3:])
    check(total > 100 and handled > 50, f"{total} allocations, the handler was called {handled} times")
    check(signal == 6, f"without a handler: signal {signal}")
    check(not done.stderr, f"printed: {done.stderr}")


def check_quiet():
    build("quiet", QUIET)
    with open("made.data", "rb") as file, open("broken.data", "wb") as broken:
        broken.write(file.read()[:300])
    done = run("./quiet")
    check(done.returncode == 0 and not done.stdout and not done.stderr, f"quiet: {done}")
    if shutil.which("strace"):
        traced = run("strace", "-f", "-e", "trace=rt_sigaction", "./quiet")
        handlers = [line for line in traced.stderr.splitlines() if re.search(r"sa_handler=0x", line)
                    and "SIGRT_1" not in line]  # libc's own, of the first thread
        check(not handlers, f"handlers were installed: {handlers}")


def main():
    for tool in ("objdump", "nm", "cc"):
        if not shutil.which(tool):
            print(f"SKIP: no {tool}")
            sys.exit(77)
    with open("made.txt", "w", encoding="utf-8") as file:
        file.write(RECORDING)
    made = run(KIT, "made.txt", "made.data")
    check(made.returncode == 0, made.stderr)
    check_calls()
    check_state()
    check_memory()
    check_quiet()
    finish()


if __name__ == "__main__":
    main()
