/* SPDX-License-Identifier: MIT */
/*
 * The unwind rows of each DSO, opened once: from its call frame information, or from a jitdump.
 * Does not use samples.
 */
#include <elf.h>

#include "sym/find/request.h"
#include "unwind/resolve_internal.h"
#include "unwind/walk_internal.h"

const struct pfx_unwind_row pfx_unwind_row_none = {.kind = PFX_ROW_NONE};
static const struct pfx_unwind_row row_missing = {.kind = PFX_ROW_MISSING};

/* Word size of a binary. The available vdso is this process's own: a vdso of another word size is
 * ignored. */
static unsigned word_of(const struct pfx_binary *binary)
{
	size_t size;
	const uint8_t *bytes = pfx_binary_bytes(binary, &size);

	return size > EI_CLASS && bytes[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

static struct pfx_rows *open_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				  const struct pfx_unwind_arch *arch)
{
	struct pfx_sym_request request = pfx_resolver_request(resolver, dso);
	struct pfx_binary *binary;

	if (pfx_binary_open(&binary, &request, &resolver->options.sym, NULL))
		return NULL;
	if (!arch)
		arch = pfx_unwind_arch_find(resolver->unwinder.machine, word_of(binary) / 4);
	if (arch && word_of(binary) == arch->word)
		return pfx_rows_new(binary, arch);
	pfx_binary_free(binary);
	return NULL;
}

bool pfx_dso_has_rows(const struct pfx_dso *dso)
{
	return dso->kind == PFX_DSO_FILE || dso->kind == PFX_DSO_VDSO;
}

static struct pfx_dso_rows *rows_at(struct pfx_unwinder *unwinder, const struct pfx_dso *dso)
{
	while (unwinder->rows.nr <= dso->id)
		*pfx_vec_add(&unwinder->rows) = (struct pfx_dso_rows){0};
	return &unwinder->rows.at[dso->id];
}

struct pfx_rows *pfx_resolver_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				   const struct pfx_unwind_arch *arch)
{
	struct pfx_dso_rows *rows = rows_at(&resolver->unwinder, dso);

	if (!rows->looked_for) {
		rows->rows = open_rows(resolver, dso, arch);
		rows->looked_for = true;
	}
	return rows->rows;
}

struct pfx_jit_rows *pfx_dso_jit_rows(struct pfx_resolver *resolver, const struct pfx_dso *dso,
				      const struct pfx_unwind_arch *arch)
{
	struct pfx_dso_rows *rows = rows_at(&resolver->unwinder, dso);
	struct pfx_sym_request request;

	if (!rows->looked_for) {
		request = pfx_resolver_request(resolver, dso);
		rows->jit = pfx_jit_rows_new(&request, &resolver->options.sym, arch);
		rows->looked_for = true;
	}
	return rows->jit;
}

static const struct pfx_unwind_row *row_in_jitdump(struct pfx_resolver *resolver,
						   const struct pfx_dso *dso,
						   const struct pfx_unwind_arch *arch,
						   uint64_t addr)
{
	struct pfx_jit_rows *rows = pfx_dso_jit_rows(resolver, dso, arch);

	return rows ? pfx_jit_rows_find(rows, addr) : &pfx_unwind_row_none;
}

const struct pfx_unwind_row *pfx_dso_row(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					 const struct pfx_unwind_arch *arch, uint64_t addr)
{
	struct pfx_rows *rows;

	if (dso->kind == PFX_DSO_JITDUMP)
		return row_in_jitdump(resolver, dso, arch, addr);
	if (!pfx_dso_has_rows(dso))
		return &pfx_unwind_row_none;
	rows = pfx_resolver_rows(resolver, dso, arch);
	return rows ? pfx_rows_find(rows, addr) : &row_missing;
}

void pfx_dso_rows_fini(struct pfx_unwinder *unwinder)
{
	size_t i;

	for (i = 0; i < unwinder->rows.nr; i++) {
		pfx_rows_free(unwinder->rows.at[i].rows);
		pfx_jit_rows_free(unwinder->rows.at[i].jit);
	}
	pfx_vec_free(&unwinder->rows);
}
