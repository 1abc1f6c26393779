/* SPDX-License-Identifier: MIT */
/*
 * Symbols of the kernel that was recorded and of its modules: from a kernel image that is it, or
 * from /proc/kallsyms when it still runs. Nothing is taken from another kernel: it would give names
 * that look right and are wrong. Addresses become those of the recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/str.h"
#include "sym/kernel_internal.h"

#define KALLSYMS    "/proc/kallsyms"
#define MODULES_MAX (4u << 20)

static struct pfx_build_id wanted_id(const struct pfx_sym_request *request)
{
	struct pfx_build_id id = {0};

	if (request->build_id && request->build_id_size <= PFX_BUILD_ID_SIZE) {
		id.size = request->build_id_size;
		memcpy(id.data, request->build_id, id.size);
	}
	return id;
}

static bool same_id(const struct pfx_build_id *a, const struct pfx_build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/* Whether the kernel below us is the recorded one: by build id, else by release and machine. */
static bool is_running(const struct pfx_sym_request *request, const struct pfx_build_id *wanted,
		       const struct pfx_build_id *own)
{
	struct utsname uts;

	if (wanted->size && own->size)
		return same_id(wanted, own);
	return !uname(&uts) && request->osrelease && !strcmp(request->osrelease, uts.release) &&
	       (!request->arch || !strcmp(request->arch, uts.machine));
}

static int not_running(const struct pfx_sym_request *request, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, ENOENT,
		      request->osrelease || request->build_id_size
			      ? "the recorded kernel%s%s is not the one that runs here, and no "
				"image of it was found"
			      : "nothing tells which kernel%s%s was recorded",
		      request->osrelease ? " " : "",
		      request->osrelease ? pfx_escape(shown, sizeof(shown), request->osrelease)
					 : "");
	pfx_error_hint(err, "give its image with --vmlinux or its symbols with --kallsyms");
	return -ENOENT;
}

/* --- the kernel --- */

/* Add the symbols of a kernel image. With @id it must be that build; @must_match asks for one. */
static int add_image(struct pfx_symtab *tab, const char *path, const struct pfx_build_id *id,
		     bool must_match, struct pfx_error *err)
{
	struct pfx_elf_place place = {.kind = PFX_PLACE_SHIFT};
	struct pfx_elf elf;
	char shown[256];
	int rc = pfx_elf_open(path, &elf, err);

	if (rc)
		return rc;
	pfx_escape(shown, sizeof(shown), path);
	if (id->size ? !same_id(id, &elf.build_id) : must_match)
		rc = pfx_error_set(err, ESTALE, "'%s' is another build than the recorded kernel",
				   shown);
	else if (!pfx_elf_has_symtab(&elf) || !pfx_elf_add_symbols(tab, &elf, &place))
		rc = pfx_error_set(err, ENOENT, "'%s' has no symbols", shown);
	else
		pfx_symtab_set_source(tab, path);
	pfx_elf_close(&elf);
	return rc;
}

/* Images where distributions and kernel developers have them. The release in a path is worth as
 * much as a build id that is not known; a path without one is not. */
static bool find_image(struct pfx_symtab *tab, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, const struct pfx_build_id *id)
{
	static const char *const paths[] = {
		"vmlinux",
		"/boot/vmlinux",
		"/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	const char *release = request->osrelease, *percent;
	bool found = false;
	size_t i;
	char *path;

	for (i = 0; i < sizeof(paths) / sizeof(*paths) && !found; i++) {
		percent = strstr(paths[i], "%s");
		if (percent && (!release || strchr(release, '/')))
			continue;
		path = pfx_strfmt("%s%.*s%s%s", options->symfs ? options->symfs : "",
				  (int)(percent ? percent - paths[i] : (long)strlen(paths[i])),
				  paths[i], percent ? release : "", percent ? percent + 2 : "");
		found = !add_image(tab, path, id, !percent, NULL);
		free(path);
	}
	return found;
}

static bool find_cached_image(struct pfx_symtab *tab, const struct pfx_sym_options *options,
			      const struct pfx_build_id *id)
{
	static const char *const names[] = {"elf", "vmlinux"};
	bool found = false;
	size_t i;
	char *path;

	for (i = 0; i < 2 && !found; i++) {
		path = pfx_debugfile_cached(options, id, names[i]);
		found = path && !add_image(tab, path, id, true, NULL);
		free(path);
	}
	return found;
}

static bool find_cached_kallsyms(struct pfx_symtab *tab, const struct pfx_sym_options *options,
				 const struct pfx_build_id *id, const char *module)
{
	char *path = pfx_debugfile_cached(options, id, "kallsyms");
	bool found = path && !pfx_kallsyms_read(tab, path, module, NULL);

	if (found)
		pfx_symtab_set_source(tab, path);
	free(path);
	return found;
}

static int read_kallsyms(struct pfx_symtab *tab, const char *path, const char *module,
			 struct pfx_error *err)
{
	int rc = pfx_kallsyms_read(tab, path, module, err);

	if (!rc)
		pfx_symtab_set_source(tab, path);
	return rc;
}

static int find_kernel(struct pfx_symtab *tab, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_build_id wanted = wanted_id(request), own = {0};

	if (options->kallsyms)
		return read_kallsyms(tab, options->kallsyms, NULL, err);
	if (options->vmlinux)
		return add_image(tab, options->vmlinux, &wanted, false, err);
	if (find_cached_image(tab, options, &wanted))
		return 0;
	if (!options->ignore_vmlinux && find_image(tab, request, options, &wanted))
		return 0;
	pfx_symtab_reset(tab);
	pfx_build_id_of_kernel(&own);
	if (!options->symfs && is_running(request, &wanted, &own))
		return read_kallsyms(tab, KALLSYMS, NULL, err);
	if (find_cached_kallsyms(tab, options, &wanted, NULL))
		return 0;
	return not_running(request, err);
}

int pfx_symtab_load_kernel(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err)
{
	int rc = find_kernel(tab, request, options, err);

	if (!rc)
		pfx_kernel_relocate(tab, request->kernel_ref_name, request->kernel_ref_addr);
	return rc;
}

/* --- modules --- */

/* Where a module is loaded now: "name size refcount users state 0xaddress"; 0 unknown. */
static uint64_t running_base(const char *name, size_t len)
{
	char *text, *line;
	unsigned long long addr = 0;

	if (pfx_read_file("/proc/modules", MODULES_MAX, &text, NULL, NULL))
		return 0;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) || line[len] != ' ')
			continue;
		if (sscanf(line + len, " %*s %*s %*s %*s 0x%llx", &addr) != 1)
			addr = 0;
		break;
	}
	free(text);
	return addr;
}

/* From the running kernel, when it is the recorded one and has the module loaded. */
static int add_running_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			      const struct pfx_build_id *wanted, struct pfx_error *err)
{
	size_t len = strlen(request->module);
	char *name = len > 2 ? pfx_strndup(request->module + 1, len - 2) : pfx_strdup("");
	struct pfx_build_id own = {0};
	uint64_t base;
	int rc;

	pfx_build_id_of_module(name, &own);
	base = running_base(name, strlen(name));
	free(name);
	if (!is_running(request, wanted, &own))
		return not_running(request, err);
	rc = read_kallsyms(tab, KALLSYMS, request->module, err);
	if (!rc && base && request->module_addr)
		pfx_kernel_shift(tab, request->module_addr - base);
	return rc;
}

/* The kernel puts the code sections of a module one behind the other, as they come in the file. */
static uint64_t *lay_out(const struct pfx_elf *elf, uint64_t base)
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

/* From the module's own file, which says how the code lies but not where it was loaded. */
static int add_module_file(struct pfx_symtab *tab, const char *path,
			   const struct pfx_sym_request *request, const struct pfx_build_id *wanted,
			   struct pfx_error *err)
{
	struct pfx_elf_place place = {.kind = PFX_PLACE_SECTIONS};
	struct pfx_elf elf;
	uint64_t *sections;
	char shown[256];
	int rc = pfx_elf_open(path, &elf, err);

	if (rc)
		return rc;
	pfx_escape(shown, sizeof(shown), path);
	if (elf.ehdr.e_type != ET_REL) {
		rc = pfx_error_set(err, EBADMSG, "'%s' is no kernel module", shown);
	} else if (wanted->size && !same_id(wanted, &elf.build_id)) {
		rc = pfx_error_set(err, ESTALE, "'%s' is another build than the one that ran",
				   shown);
	} else {
		sections = lay_out(&elf, request->module_addr);
		place.sections = sections;
		if (pfx_elf_add_symbols(tab, &elf, &place))
			pfx_symtab_set_source(tab, path);
		else
			rc = pfx_error_set(err, ENOENT, "'%s' has no symbols", shown);
		free(sections);
	}
	pfx_elf_close(&elf);
	return rc;
}

static bool find_module_file(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options,
			     const struct pfx_build_id *wanted)
{
	char *cached = pfx_debugfile_cached(options, wanted, "elf"), *path = NULL;
	bool found = false;

	if (!request->module_addr)
		goto out;
	if (request->path && request->path[0] == '/') {
		path = pfx_strfmt("%s%s", options->symfs ? options->symfs : "", request->path);
		found = !add_module_file(tab, path, request, wanted, NULL);
	}
	if (!found && cached)
		found = !add_module_file(tab, cached, request, wanted, NULL);
out:
	free(path);
	free(cached);
	return found;
}

int pfx_symtab_load_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_build_id wanted = wanted_id(request);
	int rc = -ENOENT;

	if (!request->module)
		return pfx_error_set(err, ENOENT, "a kernel module without a name");
	if (options->kallsyms)
		return read_kallsyms(tab, options->kallsyms, request->module, err);
	if (!options->symfs)
		rc = add_running_module(tab, request, &wanted, err);
	else
		pfx_error_set(err, ENOENT, "no file of module '%s' was found", request->module);
	if (rc) {
		pfx_symtab_reset(tab);
		if (find_module_file(tab, request, options, &wanted))
			rc = 0;
	}
	return rc;
}
