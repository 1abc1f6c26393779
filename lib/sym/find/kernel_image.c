/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of the kernel and its modules, and which of them have debug information. A file
 * is used only if it is the recorded build. Does not decode the files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"
#include "sym/table/symtab.h"
#include "sym/table/symtab_internal.h"

#define DEBUG_DIR "/usr/lib/debug"
#define LIST_MAX  (16u << 20) /* of modules.dep; a distribution's has less than 1 MiB */

char *pfx_kernel_image_path(const struct pfx_sym_request *request,
			    const struct pfx_sym_options *options, size_t i, bool *ret_by_release)
{
	static const char *const paths[] = {
		"vmlinux",
		"/boot/vmlinux",
		"/boot/vmlinux-%s",
		DEBUG_DIR "/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux",
		DEBUG_DIR "/lib/modules/%s/vmlinux",
		DEBUG_DIR "/boot/vmlinux-%s.debug",
	};
	const char *release = request->osrelease, *percent;
	char *plain, *path;

	if (i >= sizeof(paths) / sizeof(*paths))
		return NULL;
	percent = strstr(paths[i], "%s");
	*ret_by_release = percent != NULL;
	if (percent && (!release || strchr(release, '/')))
		return pfx_strdup("");
	plain = pfx_strfmt("%.*s%s%s", (int)(percent ? percent - paths[i] : (long)strlen(paths[i])),
			   paths[i], percent ? release : "", percent ? percent + 2 : "");
	path = pfx_symfs_path(options, plain);
	free(plain);
	return path;
}

/* Assumes that the kernel places the code sections of a module one after another in file order. */
uint64_t *pfx_module_layout(const struct pfx_elf *elf, uint64_t base)
{
	uint64_t *to = pfx_calloc(elf->nr_sections + 1, sizeof(*to)), at = base, align;
	size_t i;

	for (i = 0; i < elf->nr_sections; i++) {
		const struct pfx_elf_section *section = &elf->sections[i];

		to[i] = UINT64_MAX;
		if (!(section->flags & SHF_ALLOC) || !(section->flags & SHF_EXECINSTR) ||
		    !strncmp(section->name, ".init", 5))
			continue;
		align = section->align ? section->align : 1;
		if (!(align & (align - 1)))
			at = (at + align - 1) & ~(align - 1);
		to[i] = at;
		at += section->size;
	}
	return to;
}

/* --- modules by name --- */

/* Whether @path is that of module @name; the name has `_` where the file may have `-`. */
static bool is_module(const char *path, size_t len, const char *name, size_t name_len)
{
	size_t i, from = len;

	while (from && path[from - 1] != '/')
		from--;
	for (i = 0; i < name_len && from + i < len; i++)
		if (path[from + i] != name[i] && !(path[from + i] == '-' && name[i] == '_'))
			return false;
	return i == name_len && len - from - i >= 3 && !strncmp(path + from + i, ".ko", 3);
}

/* Lines of modules.dep: "kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz ...", relative to its
 * directory. */
static char *find_listed(const char *text, const char *folder, const char *name, size_t name_len)
{
	const char *line, *next;
	size_t len;

	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		len = strcspn(line, ":\n");
		if (line[len] == ':' && is_module(line, len, name, name_len))
			return *line == '/' ? pfx_strndup(line, len)
					    : pfx_strfmt("%s/%.*s", folder, (int)len, line);
	}
	return NULL;
}

static char *path_by_list(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, const char *modules)
{
	size_t len = strlen(request->module);
	char *folder = pfx_strfmt("%s/%s", modules, request->osrelease);
	char *list = pfx_strfmt("%s%s/modules.dep", pfx_symfs_dir(options), folder);
	char *text = NULL, *found = NULL;

	if (!pfx_read_plain_file(list, LIST_MAX, &text, NULL, NULL))
		found = find_listed(text, folder, request->module + 1, len - 2);
	free(text);
	free(list);
	free(folder);
	return found;
}

char *pfx_module_recorded_path(const struct pfx_sym_request *request,
			       const struct pfx_sym_options *options)
{
	size_t len = request->module ? strlen(request->module) : 0;
	char *found;

	if (request->path && *request->path == '/')
		return pfx_strdup(request->path);
	if (len < 3 || strchr(request->module, '/'))
		return NULL;
	if (options->symfs && options->symfs_flat)
		return pfx_strfmt("/%.*s.ko", (int)len - 2, request->module + 1);
	if (!request->osrelease || strchr(request->osrelease, '/'))
		return NULL;
	found = path_by_list(request, options, "/lib/modules");
	return found ? found : path_by_list(request, options, "/usr/lib/modules");
}

/* --- with debug information --- */

struct search {
	const struct pfx_sym_request *request;
	const struct pfx_sym_options *options;
	struct pfx_build_id id;
	struct pfx_elf *found;
};

static bool is_wanted(const struct search *s, const struct pfx_elf *elf, bool must_match)
{
	if (!pfx_elf_section(elf, ".debug_info") && !pfx_elf_section(elf, ".zdebug_info"))
		return false;
	if (!s->id.size)
		return !must_match;
	return pfx_build_id_same(&s->id, &elf->build_id);
}

/* Takes ownership of @path, which may be NULL. */
static bool try_file(const struct search *s, char *path, bool must_match)
{
	bool ok = path && *path && !pfx_elf_open(path, s->found, NULL);

	free(path);
	if (ok && !is_wanted(s, s->found, must_match)) {
		pfx_elf_close(s->found);
		ok = false;
	}
	return ok;
}

static void begin(struct search *s, const struct pfx_sym_request *request,
		  const struct pfx_sym_options *options, struct pfx_elf *found)
{
	*s = (struct search){
		.request = request,
		.options = options,
		.id = pfx_build_id_make(request->build_id, request->build_id_size),
		.found = found,
	};
	*found = (struct pfx_elf){0};
}

/* Tries the build-ID cache, and the distribution's files by build ID. */
static bool try_by_id(const struct search *s)
{
	static const char *const names[] = {"debug", "elf", "vmlinux"};
	char text[2 * PFX_BUILD_ID_SIZE + 1];
	size_t i;

	if (s->id.size < 2)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (try_file(s, pfx_debugfile_cached(s->options, &s->id, names[i]), true))
			return true;
	pfx_build_id_text(&s->id, text);
	return try_file(s,
			pfx_strfmt("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug",
				   pfx_symfs_dir(s->options), text, text + 2),
			true);
}

static bool try_images(const struct search *s)
{
	bool found = false, by_release;
	size_t i = 0;
	char *path;

	while (!found && (path = pfx_kernel_image_path(s->request, s->options, i++, &by_release)))
		found = try_file(s, path, !by_release);
	return found;
}

/* The distance between the recorded and the linked address (KASLR). */
static uint64_t shift_of(const struct pfx_elf *elf, const struct pfx_sym_request *request)
{
	struct pfx_elf_place place = {.kind = PFX_PLACE_SHIFT};
	struct pfx_symtab *tab;
	uint64_t shift = 0;
	size_t i;

	if (!request->kernel_ref_name || !request->kernel_ref_addr)
		return 0;
	tab = pfx_symtab_new(true);
	pfx_elf_add_symbols(tab, elf, &place);
	for (i = 0; i < tab->syms.nr && !shift; i++)
		if (!strcmp(tab->syms.at[i].name, request->kernel_ref_name))
			shift = request->kernel_ref_addr - tab->syms.at[i].start;
	pfx_symtab_free(tab);
	return shift;
}

int pfx_kernel_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  uint64_t *ret_shift, struct pfx_error *err)
{
	struct search s;
	bool found;

	begin(&s, request, options, ret);
	if (options->vmlinux)
		found = try_file(&s, pfx_strdup(options->vmlinux), false);
	else
		found = try_by_id(&s) || (!options->ignore_vmlinux && try_images(&s));
	if (!found)
		return pfx_error_set(err, ENOENT,
				     "no image of the recorded kernel with debug information");
	*ret_shift = shift_of(ret, request);
	return 0;
}

/* Length without the suffix of a compressed file. */
static size_t plain_length(const char *path)
{
	static const char *const ends[] = {".xz", ".gz", ".zst"};
	size_t len = strlen(path), i, end;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		end = strlen(ends[i]);
		if (len > end && !strcmp(path + len - end, ends[i]))
			return len - end;
	}
	return len;
}

static bool try_module_files(const struct search *s)
{
	char *recorded = pfx_module_recorded_path(s->request, s->options);
	const char *symfs = pfx_symfs_dir(s->options), *path;
	bool found = false;
	int len;

	if (recorded) {
		path = pfx_symfs_part(s->options, recorded);
		len = (int)plain_length(path);
		found = try_file(s, pfx_strfmt("%s%s", symfs, path), false) ||
			try_file(s, pfx_strfmt("%s" DEBUG_DIR "%.*s", symfs, len, path), false) ||
			try_file(s, pfx_strfmt("%s" DEBUG_DIR "%.*s.debug", symfs, len, path),
				 false);
	}
	free(recorded);
	return found;
}

int pfx_module_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  struct pfx_error *err)
{
	bool wanted = !options->no_modules && request->module_addr, found;
	struct search s;

	begin(&s, request, options, ret);
	found = wanted && (try_by_id(&s) || try_module_files(&s));
	if (found)
		return 0;
	return pfx_error_set(err, ENOENT, "no file of the module with debug information");
}
