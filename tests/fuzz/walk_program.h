/* SPDX-License-Identifier: MIT */
/*
 * Walks that begin all over a program's code. The words of the stack point back into the program,
 * so that walks go on for as long as its information lets them.
 */
#ifndef PFX_TESTS_FUZZ_WALK_PROGRAM_H
#define PFX_TESTS_FUZZ_WALK_PROGRAM_H

#include "unwind/resolve.h"

#define PID   1
#define BASE  0x400000ull
#define STACK 0x7fff0000ull
#define WORDS 512

static inline void add_map(struct pfx_session *session, uint64_t size, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	body.mmap = (struct pfx_mmap){
		.pid = PID, .tid = PID, .addr = BASE, .len = size, .prot = 5, .filename = name};
	if (pfx_record_encode(&body, NULL, &buffer)) {
		pfx_record_init(&rec, buffer.at, false, 0);
		pfx_session_apply(session, &rec);
	}
	pfx_buffer_fini(&buffer);
}

/* One walk: all registers point to the stack, the stack's words to code or to the stack. */
static inline void walk(struct pfx_resolver *resolver, struct pfx_thread *thread, uint64_t pc,
			uint64_t size, uint64_t abi)
{
	uint64_t regs[45], stack[WORDS];
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER, .pid = PID, .tid = PID};
	struct pfx_place **places;
	unsigned i;

	for (i = 0; i < 45; i++)
		regs[i] = STACK + (i & 3) * 8;
	regs[0] = regs[8] = regs[15] = regs[32] = regs[33] =
		pc; /* the program counter of each machine */
	for (i = 0; i < WORDS; i++)
		stack[i] = i % 3 ? BASE + (pc + i * 24) % size : STACK + i * 8 + 16;
	sample.regs_user.abi = abi;
	sample.regs_user.mask = (1ull << 45) - 1;
	sample.regs_user.values = (struct pfx_words){(const uint8_t *)regs, 45, false};
	sample.stack = (struct pfx_bytes){(const uint8_t *)stack, sizeof(stack)};
	sample.stack_dyn_size = sizeof(stack);
	pfx_resolve_chain(resolver, thread, &sample, &places);
}

static inline void walk_all(const char *machine, uint64_t abi, enum pfx_unwind_style style,
			    const char *path, uint64_t size)
{
	struct pfx_resolve_options options = {.unwind = style};
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_resolver *resolver;
	struct pfx_session *session;
	struct pfx_thread *thread;
	uint64_t offset;

	meta->env.arch = machine;
	pfx_meta_add_event(meta, &attr, "cycles");
	pfx_meta_update(meta);
	session = pfx_session_new(meta);
	resolver = pfx_resolver_new(session, &options);
	thread = pfx_session_thread(session, PID, PID);
	add_map(session, size, path);
	for (offset = 0; offset < size; offset += size / 64 + 1)
		walk(resolver, thread, BASE + offset, size, abi);
	for (offset = 0x1100; offset < size && offset < 0x1800; offset += 0x40)
		walk(resolver, thread, BASE + offset, size, abi);
	pfx_resolver_free(resolver);
	pfx_session_free(session);
	pfx_meta_free(meta);
}

#endif
