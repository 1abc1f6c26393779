/* SPDX-License-Identifier: MIT */
/*
 * Reads the code at a place from the binary that was mapped (never another build). Binaries stay
 * open until the resolver is freed.
 */
#include <string.h>

#include "sym/find/binary.h"
#include "sym/kernel/kernel_code.h"
#include "unwind/resolve_internal.h"

void pfx_codes_fini(struct pfx_resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->codes.nr; i++)
		pfx_binary_free(resolver->codes.at[i].binary);
	pfx_vec_free(&resolver->codes);
	pfx_kernel_code_free(resolver->kernel_code);
}

struct pfx_binary *pfx_resolver_binary(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	struct pfx_sym_request request;
	struct pfx_dso_code *entry;

	if (dso->kind != PFX_DSO_FILE && dso->kind != PFX_DSO_VDSO)
		return NULL;
	while (resolver->codes.nr <= dso->id)
		*pfx_vec_add(&resolver->codes) = (struct pfx_dso_code){0};
	entry = &resolver->codes.at[dso->id];
	if (!entry->looked_for) {
		entry->looked_for = true;
		request = pfx_resolver_request(resolver, dso);
		if (pfx_binary_open(&entry->binary, &request, &resolver->options.sym, NULL))
			entry->binary = NULL;
	}
	return entry->binary;
}

/* For the host's kernel and its modules, not for guests. */
static size_t kernel_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
			  size_t size)
{
	const struct pfx_map *map = pfx_session_kernel_map(resolver->session);
	struct pfx_sym_request request;

	if (place->cpumode != PFX_MODE_KERNEL || !map)
		return 0;
	if (!resolver->looked_for_kernel_code) {
		resolver->looked_for_kernel_code = true;
		request = pfx_resolver_request(resolver, map->dso);
		pfx_kernel_code_open(&resolver->kernel_code, &request, &resolver->options.sym,
				     pfx_resolver_symtab(resolver, map->dso), NULL);
	}
	return resolver->kernel_code
		       ? pfx_kernel_code_read(resolver->kernel_code, place->ip, to, size)
		       : 0;
}

size_t pfx_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
		      size_t size)
{
	struct pfx_binary *binary = place->dso ? pfx_resolver_binary(resolver, place->dso) : NULL;
	const uint8_t *bytes;
	size_t total;

	if (place->dso &&
	    (place->dso->kind == PFX_DSO_KERNEL || place->dso->kind == PFX_DSO_MODULE))
		return kernel_code(resolver, place, to, size);
	if (!binary)
		return 0;
	bytes = pfx_binary_bytes(binary, &total);
	if (!bytes || place->addr >= total)
		return 0;
	if (size > total - place->addr)
		size = (size_t)(total - place->addr);
	memcpy(to, bytes + place->addr, size);
	return size;
}

static bool is_moved(const struct pfx_dso *dso)
{
	return dso && (dso->kind == PFX_DSO_FILE || dso->kind == PFX_DSO_VDSO);
}

uint64_t pfx_place_address(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_binary *binary =
		is_moved(place->dso) ? pfx_resolver_binary(resolver, place->dso) : NULL;
	uint64_t address;

	if (!is_moved(place->dso))
		return place->ip;
	return binary && pfx_binary_vaddr(binary, place->addr, &address) ? address : place->addr;
}

bool pfx_place_offset(struct pfx_resolver *resolver, const struct pfx_place *place,
		      uint64_t address, uint64_t *ret)
{
	struct pfx_binary *binary;

	if (!is_moved(place->dso)) {
		*ret = address - place->ip + place->addr;
		return true;
	}
	binary = pfx_resolver_binary(resolver, place->dso);
	return binary && pfx_binary_offset(binary, address, ret);
}
