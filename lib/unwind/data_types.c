/* SPDX-License-Identifier: MIT */
/*
 * The data types that instructions at places access. Each distinct place is analyzed once. Without
 * debug information, only stack accesses are detected.
 */
#include <errno.h>

#include "base/str.h"
#include "unwind/resolve_internal.h"

#define INSN_MAX 16 /* maximum length in bytes */

void pfx_data_types_fini(struct pfx_resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->types.nr; i++)
		pfx_types_free(resolver->types.at[i].types);
	pfx_vec_free(&resolver->types);
	pfx_decoder_free(resolver->decoder);
}

static const struct pfx_data_arch *arch_of(const struct pfx_resolver *resolver,
					   const struct pfx_dso *dso)
{
	const struct pfx_arch *arch = pfx_arch_find(pfx_session_meta(resolver->session)->env.arch);
	bool is_kernel = dso->kind == PFX_DSO_KERNEL || dso->kind == PFX_DSO_MODULE;

	if (arch && arch->narrow && !is_kernel && !dso->is_64bit)
		arch = arch->narrow;
	return arch ? arch->data : NULL;
}

/* The types of a dso, opened on first use; NULL: no types. */
static struct pfx_types *types_of(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	struct pfx_dso_types *entry = pfx_vec_slot(&resolver->types, dso->id);
	struct pfx_lines *lines;

	if (!entry->looked_for) {
		entry->looked_for = true;
		lines = pfx_resolver_lines(resolver, dso);
		if (!lines || pfx_types_new(&entry->types, lines, NULL))
			entry->types = NULL;
	}
	return entry->types;
}

int pfx_resolver_check_types(const struct pfx_resolver *resolver, struct pfx_error *err)
{
	const char *machine = pfx_session_meta(resolver->session)->env.arch;
	const struct pfx_data_arch *arch = pfx_data_arch_find(machine);
	struct pfx_decoder *decoder;
	char shown[64];
	int rc;

	if (!machine) /* not yet known when reading a pipe */
		arch = pfx_data_arch_find("x86_64");
	if (!arch) {
		pfx_error_set(err, ENOTSUP, "types of data are not known for code of machine '%s'",
			      pfx_escape(shown, sizeof(shown), machine));
		pfx_error_hint(err, "they are for x86 and arm64");
		return -ENOTSUP;
	}
	rc = pfx_decoder_new(&decoder, arch, err);
	if (!rc)
		pfx_decoder_free(decoder);
	return rc;
}

/* Decodes the instruction at the place: its machine, NULL if that is not supported. @ret->len is 0
 * if the instruction is invalid. */
static const struct pfx_data_arch *decode(struct pfx_resolver *resolver,
					  const struct pfx_place *place, struct pfx_op *ret)
{
	const struct pfx_data_arch *arch = arch_of(resolver, place->dso);
	uint8_t code[INSN_MAX];
	size_t size;

	if (arch && resolver->decoder_arch != arch) {
		pfx_decoder_free(resolver->decoder);
		resolver->decoder_arch = arch;
		if (pfx_decoder_new(&resolver->decoder, arch, NULL))
			resolver->decoder = NULL;
	}
	if (!arch || !resolver->decoder)
		return NULL;
	size = pfx_place_code(resolver, place, code, sizeof(code));
	pfx_decode(resolver->decoder, code, size, place->ip, ret);
	return arch;
}

/* The kind of access as far as it follows from the instruction alone. */
static enum pfx_data_kind kind_alone(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_op op;
	const struct pfx_data_arch *arch = decode(resolver, place, &op);

	return arch && op.len ? pfx_types_of_op(arch, &op) : PFX_DATA_UNKNOWN;
}

struct pfx_data pfx_place_data(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_data data = {.kind = PFX_DATA_UNKNOWN, .type = "", .member = ""};
	struct pfx_types *types = place->dso ? types_of(resolver, place->dso) : NULL;

	if (types)
		return pfx_types_find(types, place->addr);
	if (place->dso)
		data.kind = kind_alone(resolver, place);
	return data;
}

enum pfx_data_lack pfx_place_data_lack(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_types *types;
	struct pfx_op op;
	uint8_t byte;

	if (!place->dso || !pfx_place_code(resolver, place, &byte, 1))
		return PFX_LACK_CODE;
	if (!decode(resolver, place, &op) || !op.len)
		return PFX_LACK_DECODER;
	if (!op.has_memory)
		return PFX_LACK_MEMORY;
	types = types_of(resolver, place->dso);
	return types && pfx_types_cover(types, place->addr) ? PFX_LACK_TYPE : PFX_LACK_DEBUG;
}

uint32_t pfx_place_data_layout(struct pfx_resolver *resolver, const struct pfx_place *place,
			       const struct pfx_data *data, const struct pfx_data_member **ret)
{
	struct pfx_types *types = place->dso ? types_of(resolver, place->dso) : NULL;

	*ret = NULL;
	return types && data->type_id ? pfx_types_layout(types, data->type_id, ret) : 0;
}
