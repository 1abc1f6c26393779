# SPDX-License-Identifier: MIT
"""libpfx records (pfx/capture.h): the example of the documentation, into the program and into a file, commands to the
recorder, its end, errors; and pfx.record() of Python."""
import os
import re
import subprocess
import sys

from live import PFX, check, finish, need_recording, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
FLAGS = (f"-I{SOURCE}/lib/include", f"-L{BUILD}/lib", "-lpfx", f"-Wl,-rpath,{BUILD}/lib")
WORK = "n=0; while [ $n -lt 60000 ]; do n=$((n+1)); done; exit 3"
REFUSED = [
    "'threads' and 'affinity' exclude each other | ",
    "'moon' is not a valid 'affinity' | give cpu, node or sys",
    "'moon' is not a valid choice of threads | say cpu, core, package, numa, or CPUs of rings and threads like 0-1/0:2-3/2",
    "'threads' makes a directory, which needs a name: 'output' is NULL | ",
    "'sample_periods' and 'no_periods' exclude each other | ",
    "'latency' is about one program, not about the whole system | ",
    "'20-10' is not a valid 'delay' | give milliseconds, or ascending ranges like 100-200,500-600",
    "event 'cpu-clock' takes no 'exclude_recorder' | only tracepoints have fields that can be compared, and only PMUs "
    "that trace programs take addresses",
    "'debuginfod' puts debug files beside copies of binaries, of which there are none | "
    "set 'keep_binaries', and record build IDs into one file",
    "'write_shares' is larger than 4 | ",
]
PROGRAM = r"""
#include <errno.h>
#include <pfx/pfx.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct pfx_error err;

static void expect(int good, const char *what)
{
	if (!good)
		printf("FAIL: %s: %s\n", what, err.text);
}

/* Into a file: the status of the workload comes back, and the caller's signals are as before. */
static void to_file(char **command)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	struct pfx_capture *capture;
	struct pfx_input *input;
	struct sigaction before, after;

	sigaction(SIGINT, NULL, &before);
	o.command = command;
	o.events = "cpu-clock:u";
	o.call_graph = "fp";
	o.freq = 5000;
	o.output = "capture.data";
	expect(!pfx_capture_start(&capture, &o, &err), "start");
	expect(pfx_capture_input(capture, NULL, &input, &err) == -EINVAL && !input, "input of a file");
	expect(!pfx_capture_wait(capture, &result, &err), "wait");
	expect(!pfx_capture_wait(capture, &result, &err), "wait again");
	expect(result.has_status && WIFEXITED(result.status) && WEXITSTATUS(result.status) == 3, "status");
	expect(result.nr_samples > 0 && result.bytes > 0, "samples");
	expect(pfx_capture_control(capture, "ping", &err) == -EPIPE, "control after the end");
	pfx_capture_free(capture);
	sigaction(SIGINT, NULL, &after);
	expect(before.sa_handler == after.sa_handler && waitpid(-1, NULL, WNOHANG) == -1, "traces of it");
}

/* Commands, and an end by the caller. */
static void with_control(void)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	struct pfx_capture *capture;
	char *const command[] = {"/bin/sleep", "1000", NULL};

	o.command = command;
	o.events = "dummy";
	o.is_disabled = true;
	o.output = "control.data";
	expect(!pfx_capture_start(&capture, &o, &err), "start");
	expect(!pfx_capture_control(capture, "enable", &err), "enable");
	expect(!pfx_capture_control(capture, "disable", &err), "disable");
	expect(pfx_capture_control(capture, "dance", &err) == -EINVAL, "an unknown command");
	expect(!strcmp(err.text, "'dance' is not a command to a recorder"), "its sentence");
	expect(!pfx_capture_control(capture, "enable dummy", &err), "enable dummy");
	expect(pfx_capture_control(capture, "enable cycels", &err) == -ENOENT, "an event that is not recorded");
	expect(!strcmp(err.text, "'enable cycels': the recording has no such event"), "its sentence");
	expect(!pfx_capture_control(capture, "ping ", &err), "a command after it");
	expect(pfx_capture_control(capture, "ping me", &err) == -EINVAL, "a word that no command takes");
	expect(pfx_capture_control(capture, "snapshot all", &err) == -EINVAL, "a word that no command takes");
	pfx_capture_stop(capture);
	expect(!pfx_capture_wait(capture, &result, &err), "wait");
	pfx_capture_free(capture);
	/* freed while it records, with and without a reader */
	expect(!pfx_capture_start(&capture, &o, &err), "start");
	pfx_capture_free(capture);
	o.output = NULL;
	expect(!pfx_capture_start(&capture, &o, &err), "start");
	pfx_capture_free(capture);
}

/* Commands while records wait for their reader, and when the recording has ended before they are read. */
static void with_unread_records(void)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture *capture;
	struct pfx_input *input;
	char *const command[] = {"/bin/sh", "-c", "while :; do :; done", NULL};
	int i, rc;

	o.command = command;
	o.events = "cpu-clock";
	o.period = 50000;
	o.call_graph = "dwarf";
	alarm(300); /* instead of waiting for ever */
	expect(!pfx_capture_start(&capture, &o, &err), "start");
	expect(!pfx_capture_input(capture, NULL, &input, &err), "input");
	for (i = 0; i < 10; i++) {
		usleep(200000);
		expect(!pfx_capture_control(capture, "ping", &err), "ping with unread records");
	}
	expect(!pfx_capture_control(capture, "disable", &err), "disable with unread records");
	pfx_capture_stop(capture);
	while (!(rc = pfx_capture_control(capture, "ping", &err)))
		;
	expect(rc == -EPIPE, "ping after the end");
	for (i = 0; (rc = pfx_input_next(input, &err)) > 0; i++)
		;
	expect(!rc && i > 1000, "what was not read before");
	expect(!pfx_capture_wait(capture, NULL, &err), "wait");
	pfx_capture_free(capture);
	alarm(0);
}

static void refused(void)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture *capture;
	char *const command[] = {"/no/such/program", NULL}, *const nothing[] = {NULL};

	o.command = command;
	expect(pfx_capture_start(&capture, &o, &err) == -ENOENT && !capture, "no program");
	printf("%s\n", err.text);
	o.events = "no-such-event";
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && !capture, "no event");
	printf("%s\n", err.text);
	o.events = NULL;
	o.call_graph = "magic";
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "no such mode");
	printf("%s\n", err.text);
	o.command = nothing;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && !strcmp(err.text, "the command is empty"), "no command");
	o.size = 0;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "no size");
}

/* What only some recordings need. */
static void with_more(char **command)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_event_info event = PFX_INIT(struct pfx_event_info);
	struct pfx_capture *capture;
	struct pfx_input *input;
	struct timespec before;
	int rc, nr = 0, switches = 0, kernel = 0;

	clock_gettime(CLOCK_MONOTONIC, &before);
	o.command = command;
	o.events = "cpu-clock,page-faults";
	o.one_group = o.all_user = o.switches = o.namespaces = true;
	o.has_clock = true;
	o.clock = CLOCK_MONOTONIC;
	o.buffer_bytes = 65536;
	expect(!pfx_capture_start(&capture, &o, &err), "start with more");
	expect(!pfx_capture_input(capture, NULL, &input, &err), "input");
	while ((rc = pfx_input_next(input, &err)) > 0) {
		switches += pfx_input_type(input) == 14 || pfx_input_type(input) == 15;
		if (!pfx_input_is_sample(input))
			continue;
		nr++;
		kernel += pfx_input_level(input) != 'u';
		expect(pfx_input_time(input) / 1000000000 >= (uint64_t)before.tv_sec, "clock");
	}
	expect(!rc && nr > 0 && !kernel && switches > 0, "samples of user space, and switches");
	pfx_input_event_info(input, 1, &event);
	expect(event.leader == 0, "one group");
	expect(!pfx_capture_wait(capture, NULL, &err), "wait");
	pfx_capture_free(capture);
	o.filter = "a == 1";
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "a filter without a tracepoint");
	printf("%s\n", err.text);
	o.filter = NULL;
	o.branch_filter = "any,dance";
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "branches");
	printf("%s\n", err.text);
	o.branch_filter = NULL;
	o.clock = 99;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "clock");
	printf("%s\n", err.text);
	o.has_clock = false;
	o.cgroup = "no-such-cgroup";
	o.all_cpus = true;
	expect(pfx_capture_start(&capture, &o, &err) < 0, "cgroup");
	printf("%s\n", err.text);
}

/* Sizes that the kernel does not take as they are. */
static void with_odd_buffers(void)
{
	static const uint64_t sizes[] = {1, 4097, 10000, 1 << 20};
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	char *const command[] = {"/bin/true", NULL};
	struct pfx_capture *capture;
	struct pfx_input *input;
	uint64_t nr;
	size_t i;

	o.command = command;
	o.events = "page-faults";
	o.period = 1;
	o.output = "odd.data";
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		o.buffer_bytes = sizes[i];
		expect(!pfx_capture_start(&capture, &o, &err), "start with an odd buffer");
		expect(!pfx_capture_wait(capture, &result, &err), "wait");
		pfx_capture_free(capture);
		expect(!pfx_input_open(&input, "odd.data", NULL, &err), "odd.data");
		for (nr = 0; pfx_input_next_sample(input, &err) > 0; nr++)
			expect(pfx_input_period(input) == 1, "periods of an odd buffer");
		pfx_input_close(input);
		expect(nr > 0 && nr == result.nr_samples, "samples of an odd buffer");
	}
}

/* Registers, off-CPU time and mappings of data, as the program records them. */
static void with_registers(void)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	struct pfx_capture *capture;
	char *const command[] = {"/bin/sh", "-c", "sleep 0.02; n=0; while [ $n -lt 30000 ]; do n=$((n+1)); done", NULL};

	o.command = command;
	o.events = "cpu-clock:u";
	o.user_regs = "ip,sp";
	o.off_cpu = o.data_mappings = o.thread_counts = true;
	o.off_cpu_ms = 1;
	o.output = "more.data";
	expect(!pfx_capture_start(&capture, &o, &err), "start with registers");
	expect(!pfx_capture_wait(capture, NULL, &err), "wait");
	pfx_capture_free(capture);
	o.user_regs = NULL;
	o.off_cpu = false;
	o.no_samples = o.raw = o.running_times = o.no_bpf = o.no_running_tasks = o.no_build_ids = o.stop_when_full = true;
	o.flush_bytes = 4096;
	o.priority = 1;
	o.output = "counts.data";
	expect(!pfx_capture_start(&capture, &o, &err), "start without samples");
	expect(!pfx_capture_wait(capture, &result, &err) && !result.nr_samples, "counts");
	pfx_capture_free(capture);
	o.no_samples = false;
	o.trace_in_sample = 1 << 20;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && strstr(err.text, "'trace_in_sample'"), "pieces of traces");
	o.trace_in_sample = 0;
	o.priority = 1000;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && strstr(err.text, "'priority'"), "priority");
	o.priority = 0;
	o.buffer_bytes = UINT64_MAX;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && strstr(err.text, "'buffer_bytes'"), "a large ring buffer");
	o.buffer_bytes = 0;
	o.compression = 23;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL && strstr(err.text, "'compression'"), "compression");
	o.compression = 0;
	o.user_regs = "ip,dance";
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "registers");
	printf("%s\n", err.text);
	o.user_regs = NULL;
	o.kcore = true;
	o.output = "kcore.data";
	if (!pfx_capture_start(&capture, &o, &err))
		pfx_capture_wait(capture, NULL, &err);
	printf("kcore %d\n", -err.code);
	pfx_capture_free(capture);
}

/* Files that begin with each command "snapshot"; the oldest are removed. */
static void with_files(void)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture *capture;
	char *const command[] = {"/bin/sleep", "1000", NULL};
	int i;

	o.command = command;
	o.events = "dummy";
	o.switch_on_snapshot = true;
	o.switch_max_files = 3;
	o.output = "files/data";
	mkdir("files", 0700);
	expect(!pfx_capture_start(&capture, &o, &err), "start of several files");
	for (i = 0; i < 5; i++)
		expect(!pfx_capture_control(capture, "snapshot", &err), "snapshot");
	pfx_capture_stop(capture);
	expect(!pfx_capture_wait(capture, NULL, &err), "wait");
	pfx_capture_free(capture);
	o.output = NULL;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "files without a name");
	printf("%s\n", err.text);
	o.output = "files/data";
	o.switch_on_snapshot = false;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "the number of files");
	printf("%s\n", err.text);
	o.switch_max_files = 0;
	o.freq = o.period = 1;
	expect(pfx_capture_start(&capture, &o, &err) == -EINVAL, "freq and period");
	printf("%s\n", err.text);
}

/* The samples of a file, -1 if it cannot be read, and the time between the first and the last one in ms. */
static long samples_of(const char *path, uint64_t *ret_ms)
{
	struct pfx_input *input;
	uint64_t first = 0, last = 0;
	long nr = 0;

	if (pfx_input_open(&input, path, NULL, &err))
		return -1;
	for (; pfx_input_next_sample(input, &err) > 0; nr++) {
		last = pfx_input_time(input);
		first = nr ? first : last;
	}
	pfx_input_close(input);
	*ret_ms = (last - first) / 1000000;
	return nr;
}

static long record_one(struct pfx_capture_options *o, uint64_t *ret_ms)
{
	struct pfx_capture *capture;
	int rc = pfx_capture_start(&capture, o, &err);

	expect(!rc, "start of a recording with words");
	if (rc)
		return -1;
	expect(!pfx_capture_wait(capture, NULL, &err), "wait");
	pfx_capture_free(capture);
	return samples_of(o->output, ret_ms);
}

static void refuse(struct pfx_capture_options *o)
{
	struct pfx_capture *capture;

	expect(pfx_capture_start(&capture, o, &err) == -EINVAL && !capture, "something to refuse");
	printf("%s | %s\n", err.text, err.hint);
}

/* Threads, places, delays, and what else is given as a word. */
static void with_words(char **command)
{
	char *const asleep[] = {"/bin/sleep", "0.7", NULL};
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct stat st;
	uint64_t ms;

	o.command = command;
	o.events = "cpu-clock";
	o.output = "threads.data";
	o.threads = "numa";
	expect(record_one(&o, &ms) > 0 && !stat("threads.data", &st) && S_ISDIR(st.st_mode), "threads");
	o.affinity = "node";
	refuse(&o);
	o.threads = NULL;
	o.output = "words.data";
	o.write_shares = 1;
	o.latency = o.sample_identifiers = o.sample_cpus = o.sample_periods = true;
	o.running_tasks_last = o.no_running_cgroups = o.max_freq = true;
	o.running_threads = o.running_map_ms = 2;
	o.events = "page-faults"; /* a clock at this rate can take all of a virtual CPU */
	expect(record_one(&o, &ms) > 0, "places");
	o.events = "cpu-clock";
	o.affinity = "moon";
	refuse(&o);
	o.affinity = NULL;
	o.threads = "moon";
	refuse(&o);
	o.output = NULL;
	o.threads = "cpu";
	refuse(&o);
	o.threads = NULL;
	o.output = "words.data";
	o.no_periods = true;
	refuse(&o);
	o.no_periods = false;
	o.all_cpus = true;
	refuse(&o);
	o = (struct pfx_capture_options)PFX_INIT(struct pfx_capture_options);
	o.output = "delay.data";
	o.command = asleep;
	o.events = "cpu-clock";
	o.cpus = "0";
	o.freq = 100;
	o.delay = "1-300";
	o.no_buffering = true;
	expect(record_one(&o, &ms) > 0 && ms < 600, "a range");
	o.delay = "86400000";
	expect(!record_one(&o, &ms), "a delay");
	o.delay = "20-10";
	refuse(&o);
	o.delay = NULL;
	o.exclude_recorder = true;
	refuse(&o);
	o.exclude_recorder = false;
	o.debuginfod = "http://127.0.0.1:1/";
	refuse(&o);
	o.debuginfod = NULL;
	o.pfm_events = "no-such-event";
	expect(pfx_capture_start(&(struct pfx_capture *){NULL}, &o, &err) < 0, "an event of libpfm4");
	o.pfm_events = NULL;
	o.write_shares = 5;
	refuse(&o);
}

static struct pfx_capture *in_thread;

static void *start_in_thread(void *command)
{
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);

	o.command = command;
	o.events = "dummy";
	o.output = "thread.data";
	expect(!pfx_capture_start(&in_thread, &o, &err), "start in a thread");
	return NULL;
}

/* The thread that has started it ends before the recording does. */
static void by_thread(char **command)
{
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	pthread_t thread;

	pthread_create(&thread, NULL, start_in_thread, command);
	pthread_join(thread, NULL);
	expect(!pfx_capture_wait(in_thread, &result, &err), "wait");
	expect(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 3, "status of the workload");
	pfx_capture_free(in_thread);
}

int main(int argc, char **argv)
{
	by_thread(argv + 1);
	to_file(argv + 1);
	with_control();
	with_unread_records();
	refused();
	with_more(argv + 1);
	with_registers();
	with_odd_buffers();
	with_words(argv + 1);
	with_files();
	return argc < 2;
}
"""


def build(source, out):
    done = run("cc", "-std=gnu11", "-Wall", "-Wextra", source, *FLAGS, "-o", out)
    check(done.returncode == 0, f"{source}: {done.stderr}")


def check_program():
    with open("program.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    build("program.c", "./program")
    done = run("./program", "/bin/sh", "-c", WORK)
    check(done.returncode == 0 and "FAIL" not in done.stdout, f"the program: {done.returncode} {done.stdout} {done.stderr}")
    lines = [line for line in done.stdout.splitlines() if " | " not in line]
    refused = [line for line in done.stdout.splitlines() if " | " in line]
    check(refused == REFUSED, f"refused: {refused}")
    check(lines[0] == "there is no command '/no/such/program'" and "'no-such-event'" in lines[1] and
          lines[2] == "there is no call graph mode 'magic'", f"sentences: {lines}")
    check(lines[3] == "event 'cpu-clock' takes no 'filter'" and lines[4] == "'dance' is not a kind of branch" and
          lines[5] == "this system has no clock 99" and "no-such-cgroup" in lines[6], f"sentences: {lines}")
    check(lines[7] == "there is no register 'dance'" and lines[9:] == [
        "several files need a name: 'output' is NULL", "'switch_max_files' is for several files",
        "'freq' and 'period' exclude each other"], f"sentences: {lines[7:]}")
    theirs = run(PFX, "record", "--kcore", "-e", "dummy", "-o", "theirs.data", "--", "true")
    check(lines[8].startswith("kcore ") and (lines[8] == "kcore 0") == (theirs.returncode == 0), f"kcore: {lines[8]} {theirs}")
    check(theirs.returncode or "kallsyms" in os.listdir("kcore.data/kcore_dir"), "kcore: the directory")
    # requests that come before the next file has begun are one
    check(2 <= len(os.listdir("files")) <= 3, f"files: {os.listdir('files')}")
    shown = run(PFX, "script", "-i", "more.data", "--show-mmap-events", "-F", "comm,event,uregs").stdout
    check(re.search(r"cpu-clock:u: .*\bIP:0x[0-9a-f]+ +SP:0x|cpu-clock:u: .*\bSP:0x[0-9a-f]+ +IP:0x", shown) and
          "offcpu-time" in shown and re.search(r"MMAP2? .* (rw|r-)-p", shown), f"registers: {shown[:2000]}")
    report = run(os.environ["PFX"], "report", "--stdio", "-i", "capture.data")
    check(report.returncode == 0 and "cpu-clock:u" in report.stdout, f"report: {report.stderr}")


def check_example():
    build(f"{SOURCE}/Documentation/examples/count_records.c", "./count_records")
    done = run("./count_records", "/bin/sh", "-c", WORK)
    counts = re.search(r"^(\d+) samples, 0 lost$", done.stderr, re.M)
    check(done.returncode == 0 and counts and int(counts.group(1)) > 0, f"count_records: {done}")
    done = run("./count_records", "/no/such")
    check(done.returncode == 1 and "there is no command '/no/such'" in done.stderr, f"count_records: {done}")


def check_python():
    if not os.path.exists(f"{BUILD}/lib/python/pfx/_pfx.abi3.so"):
        return
    script = ("import pfx\n"
              f"done = pfx.record(['/bin/sh', '-c', {WORK!r}], output='python.data', events='cpu-clock', freq=5000)\n"
              "assert done['status'] == 3 << 8 and done['samples'] > 0, done\n"
              "assert sum(1 for _ in pfx.open('python.data')) == done['samples']\n"
              "try:\n    pfx.record(['/no/such'])\n"
              "except pfx.Error as error:\n    print(error, error.hint)\n"
              "try:\n    pfx.record([5])\nexcept TypeError as error:\n    print(error)\n")
    done = subprocess.run((sys.executable, "-B", "-c", script), capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": f"{BUILD}/lib/python"})
    check(done.returncode == 0 and "there is no command '/no/such' check the path" in done.stdout,
          f"python: {done.stderr} {done.stdout}")


need_recording()
check_program()
check_example()
check_python()
finish()
