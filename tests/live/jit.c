/* SPDX-License-Identifier: MIT */
/*
 * A small JIT compiler for tests: it writes machine code and a jitdump about it, runs the code for
 * a while, moves one function, and runs that. Arguments: the directory for the jitdump, seconds;
 * with the third one "frames" (x86_64) also a function that calls another one, has no frame pointer
 * and unwind tables in the jitdump; with "python" nothing but trampolines between C functions, as
 * CPython writes them: without a machine in the header, tables that take a rounded size of memory;
 * with "again" one function that is compiled twice, to other code at the same address.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_FUNCTIONS 3
#define STRIDE       64
#define MOVED        4096
#define CALLER       1024
#define CALLEE       2048
#define ROUNDS       1000000
#define NR_NESTED    5
#define PADDED       0x110 /* from one trampoline to the next */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
/* loop: dec %rdi; jne loop; ret */
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#define LINE_STEP 3
/* push %rbp; xor %ebp,%ebp; sub $16,%rsp; call *%rsi; add $16,%rsp; pop %rbp; ret */
static const uint8_t caller[] = {0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 0x10, 0xff,
				 0xd6, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3};
/* .eh_frame: CFA is rsp+8, the return address below it; then what the code above does to it. The
 * code stands 16 bytes before. */
static const uint8_t tables[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
				 0x0c, 7, 8, 0x90, 1, 0, 0, 28, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff,
				 0xff, 0xff, 15, 0, 0, 0, 0, 0x41, 0x0e, 16, 0x86, 2, 0x46, 0x0e,
				 32, 0x46, 0x0e, 16, 0x41, 0x0e, 8, 0, 0, 0, 0, 0,
				 /* .eh_frame_hdr */
				 1, 0x1b, 0x03, 0x3b, 0xc0, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xb4,
				 0xff, 0xff, 0xff, 0xdc, 0xff, 0xff, 0xff};
#define TABLE_SIZE 20
/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret */
static const uint8_t trampoline[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};
/* .eh_frame without an end, for 11 bytes of code that are 16 bytes before; .eh_frame_hdr */
static const uint8_t trampoline_tables[] = {
	20,   0,  0,    0,    0,    0,    0,    0,    1,    'z',  'R',  0,    1,    0x78,
	16,   1,  0x1b, 0x0c, 7,    8,    0x90, 1,    0,    0,    20,   0,    0,    0,
	28,   0,  0,    0,    0xd0, 0xff, 0xff, 0xff, 11,   0,    0,    0,    0,    0x44,
	0x0e, 16, 0x46, 0x0e, 8,    0,    1,    0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff,
	1,    0,  0,    0,    0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff, 0xff, 0xff};
#elif defined(__aarch64__)
static const uint8_t caller[] = {0};
static const uint8_t tables[] = {0};
static const uint8_t trampoline[] = {0};
static const uint8_t trampoline_tables[] = {0};
#define TABLE_SIZE 0
#define MACHINE    EM_AARCH64
/* loop: subs x0, x0, #1; b.ne loop; ret */
static const uint8_t code[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
			       0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#define LINE_STEP  4
#else
#define MACHINE    EM_NONE
static const uint8_t code[] = {0};
#define LINE_STEP  1
static const uint8_t caller[] = {0};
static const uint8_t tables[] = {0};
static const uint8_t trampoline[] = {0};
static const uint8_t trampoline_tables[] = {0};
#define TABLE_SIZE 0
#endif

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t type, size;
	uint64_t time;
};

struct load {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};

struct move {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};

struct debug {
	struct prefix prefix;
	uint64_t addr, nr;
};

struct unwinding {
	struct prefix prefix;
	uint64_t size, header_size, mapped_size;
};

struct line {
	uint64_t addr;
	uint32_t line, discriminator;
};

static int dump;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* How long it ran: the same on a busy machine. */
static uint64_t used(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static uint32_t tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void put(const void *data, size_t size)
{
	if (write(dump, data, size) != (ssize_t)size)
		exit(1);
}

static uint64_t address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static void put_lines(const uint8_t *at)
{
	static const char file[] = "script.js";
	const struct debug debug = {
		{2, (uint32_t)(sizeof(debug) + 2 * (sizeof(struct line) + sizeof(file))), now()},
		address(at),
		2};
	uint32_t i;

	put(&debug, sizeof(debug));
	for (i = 0; i < 2; i++) {
		const struct line line = {address(at) + i * LINE_STEP, 10 + i, 0};

		put(&line, sizeof(line));
		put(file, sizeof(file));
	}
}

static void put_load(const uint8_t *at, size_t size, uint64_t index)
{
	char name[32];
	size_t len = (size_t)snprintf(name, sizeof(name), "jit_function_%u", (unsigned)index) + 1;
	const struct load load = {{0, (uint32_t)(sizeof(load) + len + size), now()},
				  (uint32_t)getpid(),
				  tid(),
				  address(at),
				  address(at),
				  size,
				  index};

	put(&load, sizeof(load));
	put(name, len);
	put(at, size);
}

static void put_move(const uint8_t *from, const uint8_t *to)
{
	const struct move move = {{1, sizeof(move), now()},
				  (uint32_t)getpid(),
				  tid(),
				  address(to),
				  address(from),
				  address(to),
				  sizeof(code),
				  0};

	put(&move, sizeof(move));
}

static void begin_dump(const char *dir, uint32_t machine)
{
	const struct header header = {0x4a695444, 1, sizeof(header), machine, 0, (uint32_t)getpid(),
				      now(),      0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	dump = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (dump < 0)
		exit(1);
	put(&header, sizeof(header));
	/* the mark by which a profiler finds the file */
	if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, dump,
		 0) == MAP_FAILED)
		exit(1);
}

static void write_code(uint8_t *at)
{
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
}

static void run(const uint8_t *at, uint64_t rounds)
{
	void (*function)(uint64_t);

	memcpy(&function, &at, sizeof(function));
	function(rounds);
}

static void patch(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Put a function there, with tables that say its size; a leaf does nothing to its frame. */
static void put_framed(uint8_t *at, const uint8_t *function, uint32_t size, uint64_t index)
{
	const struct unwinding unwinding = {
		{4, sizeof(unwinding) + sizeof(tables), now()}, sizeof(tables), TABLE_SIZE, 0};
	uint8_t copy[sizeof(tables)];

	memcpy(at, function, size);
	memcpy(copy, tables, sizeof(tables));
	if (function == code && sizeof(tables) > 72) {
		patch(copy + 32, -8u - 32);
		patch(copy + 36, size);
		patch(copy + 72, -8u - 60);
		memset(copy + 41, 0, 15);
	}
	put(&unwinding, sizeof(unwinding));
	put(copy, sizeof(copy));
	put_load(at, size, index);
}

static void run_caller(const uint8_t *at, const uint8_t *callee, double seconds)
{
	uint64_t end = used() + (uint64_t)(seconds * 1e9);
	void (*function)(uint64_t, const void *);

	memcpy(&function, &at, sizeof(function));
	while (used() < end)
		function(ROUNDS, callee);
}

static void run_all(const uint8_t *memory, double seconds)
{
	uint64_t end = used() + (uint64_t)(seconds * 1e9);
	unsigned i;

	while (used() < end)
		for (i = 0; i < NR_FUNCTIONS; i++)
			run(memory + i * STRIDE, ROUNDS * (i + 1));
}

static void run_moved(const uint8_t *at, double seconds)
{
	uint64_t end = used() + (uint64_t)(seconds * 1e9);

	while (used() < end)
		run(at, ROUNDS);
}

/* --- trampolines --- */

static uint8_t *trampolines;
static uint64_t spin_until;

typedef void (*evaluator)(uint64_t depth);
typedef void (*entry)(uint64_t depth, const void *unused1, const void *unused2, evaluator evaluate);

static void evaluate(uint64_t depth)
{
	const uint8_t *at = trampolines + (size_t)depth * PADDED;
	entry next;

	if (depth == NR_NESTED) {
		while (used() < spin_until)
			;
	} else {
		memcpy(&next, &at, sizeof(next));
		next(depth + 1, NULL, NULL, evaluate);
	}
	__asm__ volatile(""); /* the call is no tail call */
}

static void run_trampolines(double seconds)
{
	const struct unwinding unwinding = {
		{4, sizeof(unwinding) + 72, 0}, sizeof(trampoline_tables), TABLE_SIZE, 80};
	static const uint8_t padding[4];
	unsigned i;

	for (i = 0; i < NR_NESTED; i++) {
		memcpy(trampolines + i * PADDED, trampoline, sizeof(trampoline));
		put(&unwinding, sizeof(unwinding));
		put(trampoline_tables, sizeof(trampoline_tables));
		put(padding, sizeof(padding));
		put_load(trampolines + i * PADDED, sizeof(trampoline), i);
	}
	spin_until = used() + (uint64_t)(seconds * 1e9);
	evaluate(0);
}

/* The same name and address, but an instruction more. */
static void run_versions(uint8_t *memory, double seconds)
{
	uint8_t second[2 * sizeof(code)];
	size_t size = LINE_STEP + sizeof(code);

	write_code(memory);
	put_lines(memory);
	put_load(memory, sizeof(code), 0);
	run_moved(memory, seconds);
	memcpy(second, code, LINE_STEP);
	memcpy(second + LINE_STEP, code, sizeof(code));
	memcpy(memory, second, size);
	__builtin___clear_cache((char *)memory, (char *)memory + size);
	put_lines(memory);
	put_load(memory, size, 0);
	run_moved(memory, seconds / 2);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.2;
	const struct prefix close_record = {3, sizeof(close_record), 0};
	bool is_python = argc > 3 && !strcmp(argv[3], "python");
	uint8_t *memory;
	unsigned i;

	if (argc < 2 || MACHINE == EM_NONE || (is_python && sizeof(trampoline) == 1))
		return 77;
	begin_dump(argv[1], is_python ? EM_NONE : MACHINE);
	memory = mmap(NULL, 2 * MOVED, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 77;
	trampolines = memory;
	if (is_python) {
		run_trampolines(seconds);
		return 0;
	}
	if (argc > 3 && !strcmp(argv[3], "again")) {
		run_versions(memory, seconds);
		return 0;
	}
	for (i = 0; i < NR_FUNCTIONS; i++) {
		write_code(memory + i * STRIDE);
		put_lines(memory + i * STRIDE);
		put_load(memory + i * STRIDE, sizeof(code), i);
	}
	run_all(memory, seconds);
	write_code(memory + MOVED);
	put_move(memory, memory + MOVED);
	run_moved(memory + MOVED, seconds / 2);
	if (argc > 3 && sizeof(tables) > 72) {
		put_framed(memory + CALLER, caller, sizeof(caller), NR_FUNCTIONS);
		put_framed(memory + CALLEE, code, sizeof(code), NR_FUNCTIONS + 1);
		run_caller(memory + CALLER, memory + CALLEE, seconds / 2);
	}
	put(&close_record, sizeof(close_record));
	return 0;
}
