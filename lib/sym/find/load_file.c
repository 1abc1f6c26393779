/* SPDX-License-Identifier: MIT */
/*
 * Loads symbols of a user program or library, and of the vdso: chooses the files, checks their
 * build IDs, and adds their symbols. Addresses become offsets in the mapped file.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "base/str.h"
#include "sym/cache/debuginfod_internal.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/elf/unpack_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"
#include "sym/table/symtab_internal.h"

#define VDSO_MAX (64u << 10) /* larger than every vdso */

static struct pfx_build_id wanted_id(const struct pfx_sym_request *request)
{
	return pfx_build_id_make(request->build_id, request->build_id_size);
}

static bool is_wanted(const struct pfx_build_id *wanted, const struct pfx_build_id *have)
{
	return !wanted->size || pfx_build_id_same(wanted, have);
}

/* Opens the file if it is the wanted build. Takes ownership of @path. */
static bool open_wanted(char *path, const struct pfx_build_id *id, struct pfx_elf *ret)
{
	bool ok = path && !pfx_elf_open(path, ret, NULL);

	free(path);
	if (ok && !is_wanted(id, &ret->build_id)) {
		pfx_elf_close(ret);
		ok = false;
	}
	return ok;
}

/* Opens the runtime file: at its path, from the build-ID cache, or from a debuginfod server. */
static int open_runtime(const struct pfx_sym_request *request,
			const struct pfx_sym_options *options, const struct pfx_build_id *id,
			struct pfx_elf *ret, struct pfx_error *err)
{
	char *path = pfx_symfs_path(options, request->path);
	char shown[256];
	int rc = pfx_elf_open(path, ret, err);

	if (!rc && !is_wanted(id, &ret->build_id)) {
		pfx_elf_close(ret);
		rc = pfx_error_set(err, ESTALE, "'%s' is another build than the one that ran",
				   pfx_escape(shown, sizeof(shown), path));
		pfx_error_hint(err, "the build id differs; install the recorded version or keep "
				    "programs in the build-id cache");
	}
	if (rc && open_wanted(pfx_debugfile_cached(options, id, "elf"), id, ret))
		rc = 0;
	if (rc &&
	    open_wanted(pfx_debuginfod_fetch(options->fetch, PFX_FETCH_PROGRAM, id, request->path),
			id, ret))
		rc = 0;
	free(path);
	return rc;
}

/* .gnu_debugdata: an xz-compressed ELF image with symbols that .dynsym lacks. */
static void add_minidebug(struct pfx_symtab *tab, const struct pfx_elf *runtime)
{
	struct pfx_elf_place place = {.kind = PFX_PLACE_OFFSET, .runtime = runtime};
	struct pfx_elf mini;
	size_t packed_size, size;
	uint8_t *image = NULL;
	const uint8_t *packed =
		pfx_elf_bytes(runtime, pfx_elf_section(runtime, ".gnu_debugdata"), &packed_size);

	if (packed)
		image = pfx_unpack_xz(packed, packed_size, &size);
	if (image && !pfx_elf_open_image(image, size, &mini, NULL)) {
		pfx_elf_add_symbols(tab, &mini, &place);
		pfx_elf_close(&mini);
	}
	free(image);
}

/* One of @runtime and @debug may be NULL. */
static void add_all(struct pfx_symtab *tab, const struct pfx_elf *runtime,
		    const struct pfx_elf *debug)
{
	struct pfx_elf_place place = {.kind = PFX_PLACE_OFFSET};

	place.runtime = runtime ? runtime : debug;
	pfx_elf_add_symbols(tab, debug ? debug : runtime, &place);
	if (!runtime)
		return;
	if (!debug && !pfx_elf_has_symtab(runtime))
		add_minidebug(tab, runtime);
	pfx_elf_add_plt(tab, runtime);
}

/* For a stripped program without its debug file. @refused: a debug file of another build; NULL:
 * none. */
static void note_lack(struct pfx_symtab *tab, const struct pfx_elf *runtime, const char *refused)
{
	char shown[256], *text;

	if (pfx_elf_section(runtime, ".gnu_debugdata"))
		return;
	text = refused ? pfx_strfmt("it is stripped, and '%s' is of another build",
				    pfx_escape(shown, sizeof(shown), refused))
		       : pfx_strdup("it is stripped, and no debug file of it was found");
	tab->lack = pfx_arena_strdup(&tab->arena, text);
	free(text);
}

int pfx_symtab_load_file(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_build_id id = wanted_id(request);
	struct pfx_elf runtime = {0}, debug = {0};
	char *debug_path = NULL, shown[256];
	bool has_debug;
	int rc;

	if (!request->path || !*request->path)
		return pfx_error_set(err, ENOENT, "it is not a file that can have symbols");
	if (request->path[0] != '/')
		return pfx_error_set(err, ENOENT, "'%s' is not a file that can have symbols",
				     pfx_escape(shown, sizeof(shown), request->path));
	rc = open_runtime(request, options, &id, &runtime, err);
	if (!rc && !id.size)
		id = runtime.build_id;
	has_debug = pfx_debugfile_open(rc ? NULL : &runtime, request->path, &id, options, &debug,
				       &debug_path);
	if (!rc || has_debug) {
		add_all(tab, rc ? NULL : &runtime, has_debug ? &debug : NULL);
		pfx_symtab_set_source(tab, has_debug ? debug_path : request->path);
		rc = 0;
	}
	if (!rc && !has_debug && !*tab->lack && !pfx_elf_has_symtab(&runtime))
		note_lack(tab, &runtime, debug_path);
	if (!rc && !tab->syms.nr)
		rc = pfx_error_set(err, ENOENT, "'%s' has no symbols: %s",
				   pfx_escape(shown, sizeof(shown), request->path),
				   *tab->lack ? tab->lack : "its tables are empty");
	pfx_elf_close(&runtime);
	pfx_elf_close(&debug);
	free(debug_path);
	return rc;
}

/* --- the vdso --- */

/* The section headers are at the end of the image in every known kernel. */
static size_t image_size(const uint8_t *image)
{
	const Elf64_Ehdr *e64 = (const void *)image;
	const Elf32_Ehdr *e32 = (const void *)image;
	uint64_t size;

	if (image[EI_CLASS] == ELFCLASS64)
		size = e64->e_shoff + (uint64_t)e64->e_shnum * e64->e_shentsize;
	else
		size = e32->e_shoff + (uint64_t)e32->e_shnum * e32->e_shentsize;
	return size < VDSO_MAX ? size : VDSO_MAX;
}

static bool is_same_system(const struct pfx_sym_request *request)
{
	struct utsname uts;

	return !uname(&uts) && request->osrelease && !strcmp(request->osrelease, uts.release) &&
	       request->arch && !strcmp(request->arch, uts.machine);
}

/* Opens the vdso of this process. With a symfs, only a build ID proves that it is the recorded
 * one. */
static bool open_own_vdso(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, const struct pfx_build_id *id,
			  struct pfx_elf *ret)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	if (!image || pfx_elf_open_image(image, image_size(image), ret, NULL))
		return false;
	if (id->size ? is_wanted(id, &ret->build_id) : !options->symfs && is_same_system(request))
		return true;
	pfx_elf_close(ret);
	return false;
}

/* The path of the cached image goes into @ret_path, which the caller frees; NULL: this process's
 * vdso. */
static int open_vdso(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		     struct pfx_elf *ret, char **ret_path, struct pfx_error *err)
{
	struct pfx_build_id id = wanted_id(request);

	*ret_path = NULL;
	if (open_own_vdso(request, options, &id, ret))
		return 0;
	*ret_path = pfx_debugfile_cached(options, &id, "vdso");
	if (*ret_path && !pfx_elf_open(*ret_path, ret, NULL)) {
		if (is_wanted(&id, &ret->build_id))
			return 0;
		pfx_elf_close(ret);
	}
	free(*ret_path);
	*ret_path = NULL;
	return pfx_error_set(err, ENOENT,
			     "the [vdso] that was recorded is not that of this kernel");
}

int pfx_symtab_load_vdso(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_elf elf;
	char *path;
	int rc = open_vdso(request, options, &elf, &path, err);

	if (rc)
		return rc;
	add_all(tab, &elf, NULL);
	pfx_symtab_set_source(tab, path ? path : "[vdso]");
	pfx_elf_close(&elf);
	free(path);
	return 0;
}

int pfx_elf_open_runtime(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_elf *ret,
			 struct pfx_error *err)
{
	struct pfx_build_id id = wanted_id(request);
	char *path;
	int rc;

	if (request->kind != PFX_SYM_VDSO)
		return open_runtime(request, options, &id, ret, err);
	rc = open_vdso(request, options, ret, &path, err);
	free(path);
	return rc;
}
