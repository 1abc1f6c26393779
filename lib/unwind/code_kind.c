/* SPDX-License-Identifier: MIT */
/* How the code at a place is to be decoded: by its binary, else by the recording's machine. */
#include <string.h>

#include "sym/find/binary.h"
#include "sym/find/code_marks.h"
#include "unwind/resolve_internal.h"

static struct pfx_code_kind recorded_kind(const struct pfx_resolver *resolver,
					  const struct pfx_place *place)
{
	const struct pfx_dso *dso = place->dso;
	struct pfx_code_kind kind = {.machine = pfx_session_meta(resolver->session)->env.arch,
				     .size = UINT64_MAX};

	if (dso && (dso->kind == PFX_DSO_KERNEL || dso->kind == PFX_DSO_MODULE))
		kind.is_64bit = place->ip >> 32 != 0;
	else
		kind.is_64bit = dso && (dso->is_64bit || dso->kind == PFX_DSO_JITDUMP ||
					dso->kind == PFX_DSO_BPF);
	return kind;
}

/* As the ELF header has it; false for unknown machines. */
static bool set_machine(const struct pfx_binary *binary, struct pfx_code_kind *kind)
{
	bool is_little;
	const struct pfx_arch *arch = pfx_arch_of_elf(pfx_binary_machine(binary, &is_little));

	if (!arch)
		return false;
	kind->machine = arch->name;
	kind->is_64bit = arch->word == 8;
	kind->is_big = !is_little;
	if (is_little && !strcmp(arch->name, "ppc64"))
		kind->machine = "ppc64le";
	return true;
}

static void set_mark(struct pfx_dso_code *entry, const struct pfx_place *place,
		     struct pfx_code_kind *kind)
{
	uint64_t vaddr, end;
	enum pfx_code_mark mark;

	if (!entry->marks)
		entry->marks = pfx_code_marks_new(entry->binary);
	if (!pfx_binary_vaddr(entry->binary, place->addr, &vaddr))
		return;
	mark = pfx_code_mark_at(entry->marks, vaddr, &end);
	kind->is_thumb = mark == PFX_MARK_THUMB;
	kind->is_data = mark == PFX_MARK_DATA;
	if (end != UINT64_MAX)
		kind->size = end - vaddr;
}

struct pfx_code_kind pfx_place_code_kind(struct pfx_resolver *resolver,
					 const struct pfx_place *place)
{
	struct pfx_code_kind kind = recorded_kind(resolver, place);
	struct pfx_binary *binary = place->dso ? pfx_resolver_binary(resolver, place->dso) : NULL;

	if (binary && set_machine(binary, &kind)) {
		kind.is_fixed = place->dso->kind == PFX_DSO_FILE && pfx_binary_is_fixed(binary);
		set_mark(&resolver->codes.at[place->dso->id], place, &kind);
	}
	return kind;
}
