/* SPDX-License-Identifier: MIT */
/*
 * Names of addresses without a recording: of a process that runs, or of a binary; and the frames of
 * a stack dump.
 *
 *	struct pfx_symbols *symbols;
 *	uint32_t i, nr;
 *
 *	rc = pfx_symbols_of_file(&symbols, "/bin/ls", NULL, &err);
 *	nr = pfx_symbols_find(symbols, 0x4a10);
 *	for (i = 0; i < nr; i++) {
 *		struct pfx_frame frame = PFX_INIT(struct pfx_frame);
 *
 *		pfx_symbols_frame(symbols, i, &frame);
 *		printf("%s %s:%u\n", frame.symbol, frame.file, frame.line);
 *	}
 *	pfx_symbols_free(symbols);
 */
#ifndef PFX_SYMBOLS_H
#define PFX_SYMBOLS_H

#include <pfx/common.h>
#include <pfx/input.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pfx_symbols;

/* Strings are borrowed until pfx_symbols_free(). */
struct pfx_symbols_options {
	size_t size;
	uint32_t flags; /* PFX_INPUT_INLINES, PFX_INPUT_LINES, PFX_INPUT_FORCE */
	uint32_t max_stack;
	const char *symfs;        /* directory that is put before every path */
	const char *build_id_dir; /* cache of binaries by build ID */
};

/* The mappings of a process as they are now, also of JIT code with a perf map or jitdump. 0, or
 * -ESRCH: there is no such process; -EACCES: it may not be read; @err has the sentence. The caller
 * frees *@ret with pfx_symbols_free(), which accepts NULL. */
PFX_API int pfx_symbols_of_process(struct pfx_symbols **ret, int32_t pid,
				   const struct pfx_symbols_options *options,
				   struct pfx_error *err);
/* A program or library: addresses are virtual addresses of its ELF file, as nm and addr2line show
 * them. 0, or -EBADMSG: it is not an ELF file, or what the system said. The caller frees *@ret,
 * too. */
PFX_API int pfx_symbols_of_file(struct pfx_symbols **ret, const char *path,
				const struct pfx_symbols_options *options, struct pfx_error *err);
PFX_API void pfx_symbols_free(struct pfx_symbols *symbols);

/* Look up an address. Returns the number of its frames: functions inlined there, innermost first,
 * then the function that contains them; 1 without a symbol (symbol NULL), 0 outside of all
 * mappings. */
PFX_API uint32_t pfx_symbols_find(struct pfx_symbols *symbols, uint64_t address);

/* The state of a thread: registers, and a copy of the stack from the stack pointer up. */
struct pfx_stack_state {
	size_t size;
	uint64_t regs_mask; /* bit n: register n of perf_regs.h of the kernel's ABI is in `regs` */
	const uint64_t *regs; /* in the order of these numbers */
	const void *stack;
	size_t stack_size; /* bytes */
};
/* Unwind a stack dump of the process, by its unwind information. Returns the number of frames, the
 * innermost first; 0 for binaries, and if there is no stack pointer or no instruction pointer. */
PFX_API uint32_t pfx_symbols_unwind(struct pfx_symbols *symbols,
				    const struct pfx_stack_state *state);

/* Frame @i of the last result, which must exist. Its strings live as long as @symbols. */
PFX_API void pfx_symbols_frame(struct pfx_symbols *symbols, uint32_t i, struct pfx_frame *ret);

#ifdef __cplusplus
}
#endif

#endif
