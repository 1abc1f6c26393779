# SPDX-License-Identifier: MIT
"""Captures of libpfx in a program that has more to do: started by several threads at once, while others map files,
with closed standard streams, with more running mappings than a pipe holds; when they are freed their workloads end."""
import os
import signal
import subprocess

from live import check, finish, need_recording, run, times, wait_for

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
NR = 8
SECONDS = 60  # until something hangs
PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pfx/pfx.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR 8

static FILE *out;
static pthread_barrier_t together;
static atomic_int is_over;

static void *start_together(void *capture)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	static char *const command[] = {"/bin/sleep", "1000", NULL};
	struct pfx_error own;

	o.command = command;
	o.events = "dummy";
	pthread_barrier_wait(&together);
	if (pfx_capture_start(capture, &o, &own))
		fprintf(out, "FAIL: start: %s\n", own.text);
	return NULL;
}

/* Files are mapped and unmapped while the others fork. */
static void *map_files(void *path)
{
	struct pfx_symbols *symbols;

	while (!is_over)
		if (!pfx_symbols_of_file(&symbols, path, NULL, NULL)) {
			pfx_symbols_find(symbols, 0x1000);
			pfx_symbols_free(symbols);
		}
	return NULL;
}

static void at_once(char *self)
{
	struct pfx_capture *captures[NR] = {NULL};
	pthread_t threads[NR], mapper;
	unsigned i;

	pthread_barrier_init(&together, NULL, NR);
	pthread_create(&mapper, NULL, map_files, self);
	for (i = 0; i < NR; i++)
		pthread_create(&threads[i], NULL, start_together, &captures[i]);
	for (i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	is_over = 1;
	pthread_join(mapper, NULL);
	fprintf(out, "started\n");
	fflush(out);
	for (i = 0; access("go", F_OK); i++)
		usleep(10000);
	for (i = 0; i < NR; i++)
		pfx_capture_free(captures[i]);
	fprintf(out, "ended\n");
}

/* The capture has started although nobody reads its stream, and then all mappings are in that. */
static void many_mappings(const char *self)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture *capture;
	struct pfx_input *input;
	struct pfx_error err = {0};
	int fd = open(self, O_RDONLY), i, nr = 0;
	char pid[16];

	for (i = 0; i < 3000; i++)
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	o.pids = pid;
	o.events = "dummy";
	if (pfx_capture_start(&capture, &o, &err))
		fprintf(out, "FAIL: start: %s\n", err.text);
	fprintf(out, "started\n");
	pfx_capture_stop(capture);
	if (pfx_capture_input(capture, NULL, &input, &err))
		fprintf(out, "FAIL: input: %s\n", err.text);
	while (pfx_input_next(input, &err) > 0)
		nr += !strncmp(pfx_input_type_name(input), "MMAP", 4);
	if (pfx_capture_wait(capture, NULL, &err))
		fprintf(out, "FAIL: wait: %s\n", err.text);
	pfx_capture_free(capture);
	fprintf(out, "%s\n", nr > 3000 ? "ended" : "FAIL: mappings are missing");
}

int main(int argc, char **argv)
{
	const char *word;

	out = fopen("out.txt", "we");
	for (word = argv[2]; *word; word++)
		close(*word - '0');
	if (argv[1][0] == 'm')
		many_mappings(argv[0]);
	else
		at_once(argv[0]);
	fclose(out);
	return argc != 3;
}
"""


def tree(pid):
    """The processes below it, and whose child each of them is."""
    found, todo = {}, [pid]
    while todo:
        now = todo.pop()
        try:
            for task in os.listdir(f"/proc/{now}/task"):
                with open(f"/proc/{now}/task/{task}/children", encoding="ascii") as file:
                    for word in file.read().split():
                        found[int(word)] = now
                        todo.append(int(word))
        except OSError:
            pass
    return found


def pipes_of(pid):
    """Pipes and sockets that a process has, without the three standard streams."""
    folder, found = f"/proc/{pid}/fd", set()
    for fd in os.listdir(folder):
        target = os.readlink(f"{folder}/{fd}")
        if int(fd) > 2 and target.startswith(("pipe:", "socket:")):
            found.add(target)
    return found


def lives(pid):
    """Whether it runs; what waits for its parent has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def said():
    try:
        with open("out.txt", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def check_pipes(pid, recorders, what):
    """Recorders that were started at the same time have no descriptor in common."""
    check(len(recorders) == NR, f"{what}: recorders: {recorders}")
    seen = {}
    for recorder in recorders:
        for pipe in pipes_of(recorder):
            check(pipe not in seen, f"{what}: {pipe} is of {recorder} and of {seen.get(pipe)}")
            seen[pipe] = recorder
    check(len(seen) >= 4 * NR, f"{what}: pipes of {pid}: {seen}")


def end_of(child, workloads, what):
    """However it goes, nothing is left."""
    try:
        check(child.wait(timeout=SECONDS) == 0, f"{what}: {child.returncode}")
    except subprocess.TimeoutExpired:
        check(False, f"{what}: it hangs after: {said()}")
    left = [*tree(child.pid)]
    for pid in [*left, *([] if child.returncode is not None else [child.pid])]:
        os.kill(pid, signal.SIGKILL)
    child.wait()
    check(said() == "started\nended\n", f"{what}: {said()}")
    alive = [pid for pid in workloads if lives(pid)]
    if alive:  # the kernel may still be ending them
        wait_for(lambda: not any(lives(pid) for pid in alive), f"{what}: the end of the workloads {alive}", 30)
    for pid in alive:
        if lives(pid):
            os.kill(pid, signal.SIGKILL)


def start(mode, closed):
    for name in ("go", "out.txt"):
        if os.path.exists(name):
            os.remove(name)
    # no pipe: a workload that is left would keep it open
    return subprocess.Popen((os.path.abspath("program"), mode, closed), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def at_once(closed, looks):
    what = f"at once, without {closed or 'nothing'}"
    with start("a", closed) as child:
        wait_for(lambda: said() or child.poll() is not None, f"{what}: the start", SECONDS)
        below = tree(child.pid)
        recorders = [pid for pid, parent in below.items() if parent == child.pid]
        if looks:
            check_pipes(child.pid, recorders, what)
        with open("go", "w", encoding="ascii"):
            pass
        workloads = [pid for pid, parent in below.items() if parent in recorders]
        check(len(workloads) == NR, f"{what}: workloads: {below}")
        end_of(child, workloads, what)


def many_mappings():
    with start("m", "") as child:
        end_of(child, [], "many mappings")


def main():
    need_recording()
    with open("program.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    done = run("cc", "-std=gnu11", "-Wall", "-Wextra", "program.c", f"-I{SOURCE}/lib/include", f"-L{BUILD}/lib", "-lpfx",
               f"-Wl,-rpath,{BUILD}/lib", "-o", "program")
    check(done.returncode == 0, f"the program: {done.stderr}")
    many_mappings()
    for closed in ("0", "01", "012", "12"):
        at_once(closed, False)
    for _ in range(times(36)):
        at_once("", True)
    finish()


main()
