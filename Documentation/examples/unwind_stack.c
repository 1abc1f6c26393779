/* SPDX-License-Identifier: MIT */
/* Unwinds its own stack, from registers and memory (x86_64). */
#define _GNU_SOURCE
#include <pfx/pfx.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

/* rbx, rbp, rsp, rip, r12 to r15: numbers in the kernel's ABI, and places in ucontext. */
static const int numbers[] = {1, 6, 7, 8, 20, 21, 22, 23};
static const int places[] = {REG_RBX, REG_RBP, REG_RSP, REG_RIP,
			     REG_R12, REG_R13, REG_R14, REG_R15};

int main(void)
{
	struct pfx_stack_state state = PFX_INIT(struct pfx_stack_state);
	struct pfx_symbols *symbols;
	uint64_t regs[8];
	uint32_t i, nr;
	ucontext_t here;

	getcontext(&here);
	for (i = 0; i < 8; i++) {
		state.regs_mask |= 1ull << numbers[i];
		regs[i] = (uint64_t)here.uc_mcontext.gregs[places[i]];
	}
	state.regs = regs;
	state.stack = (const void *)regs[2]; /* of another thread, a copy of its stack */
	state.stack_size = 4096;
	if (pfx_symbols_of_process(&symbols, getpid(), NULL, NULL))
		return 1;
	nr = pfx_symbols_unwind(symbols, &state);
	for (i = 0; i < nr; i++) {
		struct pfx_frame frame = PFX_INIT(struct pfx_frame);

		pfx_symbols_frame(symbols, i, &frame);
		printf("%s+%#lx\n", frame.symbol ? frame.symbol : "?", (unsigned long)frame.offset);
	}
	pfx_symbols_free(symbols);
}
