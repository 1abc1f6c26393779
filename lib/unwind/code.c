/* SPDX-License-Identifier: MIT */
/*
 * Reads the code at a place, by the kind of its DSO: from the binary that was mapped (never another
 * build), the kernel, a jitdump. Files stay open until the resolver is freed. When there is no
 * code, the reason is kept.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "sym/find/binary.h"
#include "sym/find/code_marks.h"
#include "sym/kernel/kernel_code.h"
#include "sym/kernel/module_code.h"
#include "unwind/resolve_internal.h"

void pfx_codes_fini(struct pfx_resolver *resolver)
{
	struct pfx_dso_code *entry;
	size_t i;

	for (i = 0; i < resolver->codes.nr; i++) {
		entry = &resolver->codes.at[i];
		pfx_code_marks_free(entry->marks);
		pfx_binary_free(entry->binary);
		pfx_jit_file_free(&entry->jitdump);
		pfx_process_code_free(entry->process);
		pfx_module_code_free(entry->module);
	}
	pfx_vec_free(&resolver->codes);
	pfx_kernel_code_free(resolver->kernel_code);
	pfx_bpf_codes_free(resolver->bpf_codes);
}

/* Keeps the reason why there is no code. */
static void set_lack(struct pfx_resolver *resolver, const struct pfx_dso *dso,
		     const struct pfx_error *err)
{
	struct pfx_dso_code *entry = pfx_vec_slot(&resolver->codes, dso->id);

	if (entry->lack && !strcmp(entry->lack, err->text))
		return;
	entry->lack = pfx_arena_strdup(&resolver->arena, err->text);
	entry->hint = *err->hint ? pfx_arena_strdup(&resolver->arena, err->hint) : NULL;
}

struct pfx_binary *pfx_resolver_binary(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	struct pfx_sym_request request;
	struct pfx_dso_code *entry;
	struct pfx_error err = {0};

	if (dso->kind != PFX_DSO_FILE && dso->kind != PFX_DSO_VDSO)
		return NULL;
	entry = pfx_vec_slot(&resolver->codes, dso->id);
	if (!entry->looked_for) {
		entry->looked_for = true;
		request = pfx_resolver_request(resolver, dso);
		if (pfx_binary_open(&entry->binary, &request, &resolver->options.sym, &err)) {
			entry->binary = NULL;
			set_lack(resolver, dso, &err);
		}
	}
	return entry->binary;
}

/* --- by kind: each sets to->got, or an error --- */

static int copy(struct pfx_code_bytes *to, const uint8_t *from, size_t total, uint64_t at)
{
	if (!from || at >= total)
		return -ENOENT;
	to->got = to->size < total - at ? to->size : (size_t)(total - at);
	memcpy(to->at, from + at, to->got);
	return 0;
}

static int file_code(struct pfx_resolver *resolver, const struct pfx_place *place,
		     struct pfx_code_bytes *to, struct pfx_error *err)
{
	struct pfx_binary *binary = pfx_resolver_binary(resolver, place->dso);
	const uint8_t *bytes;
	size_t total;

	if (!binary)
		return -ENOENT;
	bytes = pfx_binary_bytes(binary, &total);
	return copy(to, bytes, total, place->addr)
		       ? pfx_error_set(err, ENODATA, "it is damaged: the file ends before its code")
		       : 0;
}

/* For the host's kernel and its modules, not for guests. */
static int kernel_code(struct pfx_resolver *resolver, const struct pfx_place *place,
		       struct pfx_code_bytes *to, struct pfx_error *err)
{
	const struct pfx_map *map = pfx_session_kernel_map(resolver->session);
	struct pfx_sym_request request;

	if (place->cpumode != PFX_MODE_KERNEL || !map)
		return pfx_error_set(err, ENOENT, "the code of guests is not read");
	if (!resolver->looked_for_kernel_code) {
		resolver->looked_for_kernel_code = true;
		request = pfx_resolver_request(resolver, map->dso);
		pfx_kernel_code_open(&resolver->kernel_code, &request, &resolver->options.sym,
				     pfx_resolver_symtab(resolver, map->dso),
				     &resolver->kernel_error);
	}
	if (!resolver->kernel_code) {
		*err = resolver->kernel_error;
		return -ENOENT;
	}
	to->got = pfx_kernel_code_read(resolver->kernel_code, place->ip, to->at, to->size);
	if (to->got)
		return 0;
	return pfx_error_set(err, ENOENT, "'%s' has no code at that address",
			     pfx_kernel_code_path(resolver->kernel_code));
}

/* From the kernel's memory, else from the module's file. */
static int module_code(struct pfx_resolver *resolver, const struct pfx_place *place,
		       struct pfx_code_bytes *to, struct pfx_error *err)
{
	const struct pfx_symtab *kernel;
	struct pfx_sym_request request;
	struct pfx_dso_code *entry;

	if (!kernel_code(resolver, place, to, err))
		return 0;
	if (place->cpumode != PFX_MODE_KERNEL)
		return -ENOENT;
	kernel = pfx_resolver_kernel_symtab(resolver);
	entry = pfx_vec_slot(&resolver->codes, place->dso->id);
	if (!entry->looked_for) {
		entry->looked_for = true;
		request = pfx_resolver_request(resolver, place->dso);
		pfx_module_code_open(&entry->module, &request, &resolver->options.sym, kernel,
				     NULL);
	}
	if (entry->module)
		to->got = pfx_module_code_read(entry->module, place->ip, to->at, to->size);
	return to->got ? 0 : -ENOENT;
}

/* A place in a jitdump is an offset in the file, which has each version of a function. */
static int jitdump_code(struct pfx_resolver *resolver, const struct pfx_place *place,
			struct pfx_code_bytes *to, struct pfx_error *err)
{
	struct pfx_dso_code *entry = pfx_vec_slot(&resolver->codes, place->dso->id);
	struct pfx_sym_request request;

	if (!entry->looked_for) {
		entry->looked_for = true;
		request = pfx_resolver_request(resolver, place->dso);
		if (pfx_jit_file_read(&request, &resolver->options.sym, &entry->jitdump, err))
			return -ENOENT;
	}
	return copy(to, entry->jitdump.data, entry->jitdump.size, place->addr)
		       ? pfx_error_set(err, ENODATA, "it is damaged: the file ends before its code")
		       : 0;
}

static int bpf_code(struct pfx_resolver *resolver, const struct pfx_place *place,
		    struct pfx_code_bytes *to, struct pfx_error *err)
{
	to->got = pfx_bpf_place_code(resolver, place, to->at, to->size);
	return to->got ? 0 : pfx_error_set(err, ENOENT, "%s", pfx_bpf_no_code(resolver));
}

static int process_code(struct pfx_resolver *resolver, const struct pfx_place *place,
			struct pfx_code_bytes *to, struct pfx_error *err)
{
	struct pfx_dso_code *entry = pfx_vec_slot(&resolver->codes, place->dso->id);

	if (!entry->looked_for) {
		entry->looked_for = true;
		if (pfx_process_code_new(&entry->process, resolver, place->dso, err))
			return -ENOENT;
	}
	return entry->process ? pfx_process_place_code(resolver, entry->process, place, to, err)
			      : -ENOENT;
}

static int no_code(struct pfx_resolver *resolver, const struct pfx_place *place,
		   struct pfx_code_bytes *to, struct pfx_error *err)
{
	return pfx_error_set(err, ENOENT, "it is not a file that has code");
}

size_t pfx_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
		      size_t size)
{
	static int (*const readers[])(struct pfx_resolver *, const struct pfx_place *,
				      struct pfx_code_bytes *, struct pfx_error *) = {
		[PFX_DSO_FILE] = file_code,       [PFX_DSO_VDSO] = file_code,
		[PFX_DSO_KERNEL] = kernel_code,   [PFX_DSO_MODULE] = module_code,
		[PFX_DSO_JITDUMP] = jitdump_code, [PFX_DSO_BPF] = bpf_code,
		[PFX_DSO_ANON] = process_code,    [PFX_DSO_OTHER] = no_code,
	};
	struct pfx_code_bytes bytes = {to, size, 0};
	struct pfx_error err;

	if (!place->dso)
		return 0;
	err.text[0] = err.hint[0] = '\0';
	if (!readers[place->dso->kind](resolver, place, &bytes, &err))
		return bytes.got;
	if (*err.text)
		set_lack(resolver, place->dso, &err);
	return 0;
}

const struct pfx_unlinked *pfx_place_unlinked(const struct pfx_resolver *resolver,
					      const struct pfx_place *place, size_t size)
{
	const struct pfx_dso_code *entry = place->dso && place->dso->id < resolver->codes.nr
						   ? &resolver->codes.at[place->dso->id]
						   : NULL;

	return entry && entry->module ? pfx_module_code_unlinked(entry->module, place->ip, size)
				      : NULL;
}

const char *pfx_resolver_no_code(const struct pfx_resolver *resolver, const struct pfx_dso *dso,
				 const char **ret_hint)
{
	const struct pfx_dso_code *entry =
		dso->id < resolver->codes.nr ? &resolver->codes.at[dso->id] : NULL;

	*ret_hint = entry ? entry->hint : NULL;
	return entry ? entry->lack : NULL;
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

const uint8_t *pfx_place_constant(struct pfx_resolver *resolver, const struct pfx_place *place,
				  uint64_t address, size_t *ret_size)
{
	struct pfx_binary *binary = pfx_resolver_binary(resolver, place->dso);
	struct pfx_binary_part part;

	if (!binary || !pfx_binary_constant(binary, address, &part))
		return NULL;
	*ret_size = part.size;
	return part.at;
}

const struct pfx_symtab *pfx_resolver_kernel_symtab(struct pfx_resolver *resolver)
{
	const struct pfx_map *map = pfx_session_kernel_map(resolver->session);

	return map ? pfx_resolver_symtab(resolver, map->dso) : NULL;
}

bool pfx_resolver_was_changed(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	int64_t until = resolver->options.recorded_until;
	struct pfx_error err = {0};
	char shown[256];
	struct stat st;

	if (dso->kind != PFX_DSO_FILE || dso->build_id_size || !until ||
	    resolver->options.sym.symfs || stat(dso->name, &st) || st.st_mtime <= until)
		return false;
	pfx_error_set(&err, ESTALE,
		      "'%s' was changed after the recording, which has no build ID of it",
		      pfx_escape(shown, sizeof(shown), dso->name));
	pfx_error_hint(&err, "--symfs takes the files of a directory as they are");
	set_lack(resolver, dso, &err);
	return true;
}
