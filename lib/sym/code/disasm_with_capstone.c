/* SPDX-License-Identifier: MIT */
/*
 * Disassembly by capstone: selects the machine by name, and AT&T syntax for x86 as in other tools.
 * Loading the library's tables takes longer than most of pfx's start: it is loaded on first use.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86_vector.h"
#include "base/alloc.h"
#include "base/dl.h"
#include "sym/code/disasm.h"
#include "sym/code/disasm_internal.h"
#include "sym/code/insn_cache_internal.h"

static struct pfx_capstone library;
static bool is_loaded;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

#define LOOK_UP(handle, name) \
	pfx_dl_function(handle, "cs_" #name, (void *)&library.name, sizeof(library.name))

static void load(void)
{
	char name[32];
	void *handle;

	snprintf(name, sizeof(name), "libcapstone.so.%d", CS_API_MAJOR);
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	is_loaded = handle && LOOK_UP(handle, open) && LOOK_UP(handle, close) &&
		    LOOK_UP(handle, option) && LOOK_UP(handle, malloc) && LOOK_UP(handle, free) &&
		    LOOK_UP(handle, disasm_iter) && LOOK_UP(handle, insn_group) &&
		    LOOK_UP(handle, regs_access) && LOOK_UP(handle, reg_name);
}

const struct pfx_capstone *pfx_capstone(void)
{
	pthread_once(&library_once, load);
	return is_loaded ? &library : NULL;
}

void pfx_disasm_prepare(void)
{
	pfx_capstone();
}

struct pfx_disasm {
	csh handle;
	cs_insn *insn;
	cs_arch arch;
	bool is_x86, is_64bit;
	struct pfx_operand_state state;
	struct pfx_insn_cache cache; /* of x86 instructions with texts */
};

struct machine {
	const char *name; /* prefix of the machine's name */
	cs_arch arch;
	int mode32, mode64; /* -1: not supported */
};

static const struct machine machines[] = {
	{"x86", CS_ARCH_X86, CS_MODE_32, CS_MODE_64},
	{"i386", CS_ARCH_X86, CS_MODE_32, -1},
	{"i686", CS_ARCH_X86, CS_MODE_32, -1},
	{"aarch64", CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM},
	{"arm64", CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM},
	{"arm", CS_ARCH_ARM, CS_MODE_ARM, -1},
	{"s390", CS_ARCH_SYSZ, -1, (int)CS_MODE_BIG_ENDIAN},
	{"ppc64le", CS_ARCH_PPC, -1, CS_MODE_64 | CS_MODE_LITTLE_ENDIAN},
#if CS_API_MAJOR >= 5
	{"riscv", CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC,
	 CS_MODE_RISCV64 | CS_MODE_RISCVC},
#endif
	{"ppc", CS_ARCH_PPC, CS_MODE_32 | (int)CS_MODE_BIG_ENDIAN,
	 CS_MODE_64 | (int)CS_MODE_BIG_ENDIAN},
};

static const struct machine *find_machine(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strncmp(name, machines[i].name, strlen(machines[i].name)))
			return &machines[i];
	return NULL;
}

int pfx_disasm_new(struct pfx_disasm **ret, const char *machine, bool is_64bit,
		   struct pfx_error *err)
{
	const struct machine *found = find_machine(machine);
	int mode = found ? (is_64bit ? found->mode64 : found->mode32) : -1;
	struct pfx_disasm *disasm;
	char shown[64];
	csh handle;

	if (!pfx_capstone())
		return pfx_error_set(err, ENOTSUP,
				     "the library for disassembly (capstone %d) is "
				     "not installed",
				     CS_API_MAJOR);
	if (!found || mode == -1 || library.open(found->arch, (cs_mode)mode, &handle) != CS_ERR_OK)
		return pfx_error_set(err, ENOTSUP, "there is no disassembler for machine '%s'",
				     pfx_escape(shown, sizeof(shown), machine ? machine : ""));
	library.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (found->arch == CS_ARCH_X86)
		library.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	disasm = pfx_calloc(1, sizeof(*disasm));
	disasm->handle = handle;
	disasm->insn = library.malloc(handle);
	disasm->arch = found->arch;
	disasm->is_x86 = found->arch == CS_ARCH_X86;
	disasm->is_64bit = disasm->state.is_64bit = is_64bit;
	*ret = disasm;
	return 0;
}

void pfx_disasm_use_intel(struct pfx_disasm *disasm, bool intel)
{
	if (!disasm->is_x86)
		return;
	library.option(disasm->handle, CS_OPT_SYNTAX,
		       intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
	pfx_insn_cache_clear(&disasm->cache);
}

void pfx_disasm_use_thumb(struct pfx_disasm *disasm, bool thumb)
{
	disasm->state.is_thumb = thumb;
	if (disasm->arch == CS_ARCH_ARM)
		library.option(disasm->handle, CS_OPT_MODE, thumb ? CS_MODE_THUMB : CS_MODE_ARM);
}

void pfx_disasm_restart(struct pfx_disasm *disasm)
{
	disasm->state.known = 0;
}

void pfx_disasm_free(struct pfx_disasm *disasm)
{
	if (!disasm)
		return;
	library.free(disasm->insn, 1);
	library.close(&disasm->handle);
	pfx_insn_cache_clear(&disasm->cache);
	free(disasm);
}

/* Length of a vector instruction that the library does not support. None of these is a branch. */
static struct pfx_insn unknown_vector(const struct pfx_disasm *disasm, const uint8_t *code,
				      size_t size, struct pfx_str *text)
{
	struct pfx_insn insn = {0};
	unsigned i;

	if (disasm->is_x86)
		insn.len = pfx_x86_vector_length(code, size, disasm->is_64bit);
	for (i = 0; i < insn.len && text; i++)
		pfx_str_addf(text, i ? ", 0x%02x" : ".byte 0x%02x", code[i]);
	return insn;
}

/* --- where an instruction leads --- */

static bool in_group(const struct pfx_disasm *disasm, unsigned group)
{
	return library.insn_group(disasm->handle, disasm->insn, group);
}

/* The last operand that is a number: the target of direct branches and calls, which capstone gives
 * as an address. */
#define LAST_NUMBER(detail, type_of_number)                                    \
	do {                                                                   \
		unsigned i_;                                                   \
		for (i_ = 0; i_ < (detail)->op_count; i_++)                    \
			if ((detail)->operands[i_].type == (type_of_number)) { \
				*ret = (uint64_t)(detail)->operands[i_].imm;   \
				found = true;                                  \
			}                                                      \
	} while (0)

static bool last_number(const struct pfx_disasm *disasm, uint64_t *ret)
{
	const cs_detail *detail = disasm->insn->detail;
	bool found = false;

	switch (disasm->arch) {
	case CS_ARCH_X86:
		LAST_NUMBER(&detail->x86, X86_OP_IMM);
		break;
	case CS_ARCH_ARM64:
		LAST_NUMBER(&detail->arm64, ARM64_OP_IMM);
		break;
	case CS_ARCH_ARM:
		LAST_NUMBER(&detail->arm, ARM_OP_IMM);
		if (found)
			*ret &= UINT32_MAX;
		break;
	case CS_ARCH_SYSZ:
		LAST_NUMBER(&detail->sysz, SYSZ_OP_IMM);
		break;
	case CS_ARCH_PPC:
		LAST_NUMBER(&detail->ppc, PPC_OP_IMM);
		break;
#if CS_API_MAJOR >= 5
	case CS_ARCH_RISCV: /* as a distance */
		LAST_NUMBER(&detail->riscv, RISCV_OP_IMM);
		*ret += disasm->insn->address;
		found = found && !strstr(disasm->insn->mnemonic, "jalr");
		break;
#endif
	default:
		break;
	}
	return found;
}

/* Whether a jump never continues with the next instruction. x86 and arm64 have a mnemonic of their
 * own for unconditional jumps, arm a condition code; for other machines the mnemonic decides. */
static bool is_unconditional(const struct pfx_disasm *disasm)
{
	const cs_insn *insn = disasm->insn;

	switch (disasm->arch) {
	case CS_ARCH_X86:
		return insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
	case CS_ARCH_ARM64:
		return insn->id == ARM64_INS_BR ||
		       (insn->id == ARM64_INS_B && (insn->detail->arm64.cc == ARM64_CC_INVALID ||
						    insn->detail->arm64.cc == ARM64_CC_AL));
	case CS_ARCH_ARM:
		return insn->detail->arm.cc == ARM_CC_AL || insn->detail->arm.cc == ARM_CC_INVALID;
	default:
		return !strcmp(insn->mnemonic, "b") || !strcmp(insn->mnemonic, "j") ||
		       !strcmp(insn->mnemonic, "jg") || !strcmp(insn->mnemonic, "br");
	}
}

/* capstone 4 has branches of PowerPC in no group; their names are regular: b, a condition, where
 * the target is (lr, ctr), l for calls, a for absolute targets, + or - for predictions. */
static uint8_t ppc_flow(const char *name)
{
	static const char *const others[] = {"bperm", "bri", "brh", "brw", "brd", "bcd"};
	size_t i, len = strcspn(name, "+-");

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return PFX_FLOW_ON;
	if (*name != 'b')
		return PFX_FLOW_ON;
	len -= len > 1 && name[len - 1] == 'a';
	if (len == 1)
		return PFX_FLOW_JUMP;
	if (name[len - 1] == 'l' && strncmp(name, "bnl", len))
		return PFX_FLOW_CALL;
	if (len > 2 && !strncmp(name + len - 2, "lr", 2))
		return PFX_FLOW_RETURN;
	return len == 4 && !strncmp(name, "bctr", len) ? PFX_FLOW_JUMP : PFX_FLOW_BRANCH;
}

#if CS_API_MAJOR >= 5
/* The groups of capstone 5 lack compressed branches and calls; names begin with b or j. */
static uint8_t riscv_flow(const char *name)
{
	name += strncmp(name, "c.", 2) ? 0 : 2;
	if (!strcmp(name, "ret"))
		return PFX_FLOW_RETURN;
	if (!strcmp(name, "j") || !strcmp(name, "jr"))
		return PFX_FLOW_JUMP;
	if (*name == 'j')
		return PFX_FLOW_CALL;
	return *name == 'b' && strncmp(name, "bset", 4) && strncmp(name, "bclr", 4) &&
			       strncmp(name, "bext", 4) && strncmp(name, "binv", 4)
		       ? PFX_FLOW_BRANCH
		       : PFX_FLOW_ON;
}
#endif

/* capstone has most branches of s390 in no group. Those on a condition begin with j, b or a
 * comparison; calls and loops have names of their own. */
static uint8_t s390_flow(const cs_insn *insn)
{
	static const char *const calls[] = {"bras", "brasl", "bas", "basr", "bal", "balr", "bassm"};
	static const char *const others[] = {"bpp", "bprp", "jnop", "jgnop"};
	const char *name = insn->mnemonic;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(name, calls[i]))
			return PFX_FLOW_CALL;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return PFX_FLOW_ON;
	if (!strcmp(name, "br") && !strcmp(insn->op_str, "%r14"))
		return PFX_FLOW_RETURN;
	if (!strcmp(name, "j") || !strcmp(name, "jg") || !strcmp(name, "br") || !strcmp(name, "b"))
		return PFX_FLOW_JUMP;
	return *name == 'j' || *name == 'b' || (*name == 'c' && strchr(name, 'j')) ? PFX_FLOW_BRANCH
										   : PFX_FLOW_ON;
}

static bool is_x86_loop(const struct pfx_disasm *disasm)
{
	unsigned id = disasm->insn->id;

	return disasm->is_x86 &&
	       (id == X86_INS_LOOP || id == X86_INS_LOOPE || id == X86_INS_LOOPNE);
}

/* Where capstone's groups do not say it; -1: they do. */
static int flow_by_name(const struct pfx_disasm *disasm)
{
	if (is_x86_loop(disasm))
		return PFX_FLOW_BRANCH;
	if (disasm->arch == CS_ARCH_SYSZ)
		return s390_flow(disasm->insn);
#if CS_API_MAJOR >= 5
	if (disasm->arch == CS_ARCH_RISCV)
		return riscv_flow(disasm->insn->mnemonic);
#endif
	return disasm->arch == CS_ARCH_PPC ? ppc_flow(disasm->insn->mnemonic) : -1;
}

static uint8_t flow_of(const struct pfx_disasm *disasm)
{
	int by_name = flow_by_name(disasm);

	if (by_name >= 0)
		return (uint8_t)by_name;
	if (in_group(disasm, CS_GRP_RET) || in_group(disasm, CS_GRP_IRET))
		return PFX_FLOW_RETURN;
	if (in_group(disasm, CS_GRP_CALL))
		return PFX_FLOW_CALL;
	if (!in_group(disasm, CS_GRP_JUMP))
		return PFX_FLOW_ON;
	/* capstone takes arm64's call with a link register for a jump */
	if (disasm->arch == CS_ARCH_ARM64 &&
	    (disasm->insn->id == ARM64_INS_BL || disasm->insn->id == ARM64_INS_BLR))
		return PFX_FLOW_CALL;
	return is_unconditional(disasm) ? PFX_FLOW_JUMP : PFX_FLOW_BRANCH;
}

static void add_text(struct pfx_disasm *disasm, struct pfx_insn *insn, struct pfx_str *text)
{
	pfx_str_add(text, disasm->insn->mnemonic);
	insn->mnemonic = (unsigned)strlen(disasm->insn->mnemonic);
	if (*disasm->insn->op_str) {
		pfx_str_addc(text, ' ');
		pfx_str_add(text, disasm->insn->op_str);
	}
	insn->flow = flow_of(disasm);
	if (insn->flow != PFX_FLOW_ON && insn->flow != PFX_FLOW_RETURN)
		insn->has_target = last_number(disasm, &insn->target);
	insn->has_data = pfx_operand_data(disasm->insn, disasm->arch, &disasm->state, insn);
	if (insn->has_data && !insn->is_number)
		pfx_operand_value(disasm->insn, disasm->arch, insn);
}

/* The address of xbegin's handler is in its text, but it is not a jump. */
static bool is_same_elsewhere(const struct pfx_disasm *disasm)
{
	return disasm->is_x86 && disasm->insn->id != X86_INS_XBEGIN;
}

static struct pfx_insn decode(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			      uint64_t addr, struct pfx_str *text)
{
	static const uint8_t groups[] = {CS_GRP_JUMP, CS_GRP_CALL, CS_GRP_RET, CS_GRP_INT,
					 CS_GRP_IRET};
	const uint8_t *next = code;
	struct pfx_insn insn = {0};
	size_t i, before = text ? text->len : 0;
	uint64_t next_addr = addr;

	if (!library.disasm_iter(disasm->handle, &next, &size, &next_addr, disasm->insn))
		return unknown_vector(disasm, code, size, text);
	insn.len = disasm->insn->size;
	for (i = 0; i < sizeof(groups); i++)
		insn.is_branch |= library.insn_group(disasm->handle, disasm->insn, groups[i]);
	insn.is_branch |= flow_by_name(disasm) > PFX_FLOW_ON;
	if (!text)
		return insn;
	add_text(disasm, &insn, text);
	if (is_same_elsewhere(disasm))
		pfx_insn_cache_add(&disasm->cache, code, addr, disasm->is_64bit, &insn,
				   text->at + before);
	return insn;
}

struct pfx_insn pfx_disasm_one(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			       uint64_t addr, struct pfx_str *text)
{
	struct pfx_insn insn;

	if (text && pfx_insn_cache_find(&disasm->cache, code, size, addr, &insn, text))
		return insn;
	return decode(disasm, code, size, addr, text);
}
