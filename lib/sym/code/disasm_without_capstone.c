/* SPDX-License-Identifier: MIT */
/* Used when capstone is not built in: returns an error. */
#include <errno.h>

#include "sym/code/disasm.h"

int pfx_disasm_new(struct pfx_disasm **ret, const char *machine, bool is_64bit,
		   struct pfx_error *err)
{
	(void)machine;
	(void)is_64bit;
	*ret = NULL;
	pfx_error_set(err, ENOTSUP, "pfx was built without a disassembler");
	pfx_error_hint(err, "install libcapstone-dev and build again");
	return -ENOTSUP;
}

void pfx_disasm_prepare(void)
{
}

void pfx_disasm_free(struct pfx_disasm *disasm)
{
	(void)disasm;
}

void pfx_disasm_use_intel(struct pfx_disasm *disasm, bool intel)
{
	(void)disasm;
	(void)intel;
}

void pfx_disasm_use_thumb(struct pfx_disasm *disasm, bool thumb)
{
	(void)disasm;
	(void)thumb;
}

void pfx_disasm_restart(struct pfx_disasm *disasm)
{
	(void)disasm;
}

struct pfx_insn pfx_disasm_one(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			       uint64_t addr, struct pfx_str *text)
{
	(void)disasm;
	(void)code;
	(void)size;
	(void)addr;
	(void)text;
	return (struct pfx_insn){0};
}
