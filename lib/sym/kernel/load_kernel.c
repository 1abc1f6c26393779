/* SPDX-License-Identifier: MIT */
/*
 * Loads the symbols of the recorded kernel and its modules: from a matching kernel image, or from
 * /proc/kallsyms if that kernel still runs. Another kernel is never used: its names would look
 * plausible but be wrong. Addresses are converted to those of the recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"
#include "sym/kernel/kernel_internal.h"
#include "sym/table/symtab_internal.h"

#define KALLSYMS    "/proc/kallsyms"
#define MODULES_MAX (4u << 20)

static struct pfx_build_id wanted_id(const struct pfx_sym_request *request)
{
	return pfx_build_id_make(request->build_id, request->build_id_size);
}

/* Whether the running kernel is the recorded one: by build ID, else by release and machine. */
static bool is_running(const struct pfx_sym_request *request, const struct pfx_build_id *wanted,
		       const struct pfx_build_id *own)
{
	struct utsname uts;

	if (wanted->size && own->size)
		return pfx_build_id_same(wanted, own);
	return !uname(&uts) && request->osrelease && !strcmp(request->osrelease, uts.release) &&
	       (!request->arch || !strcmp(request->arch, uts.machine));
}

bool pfx_kernel_is_running(const struct pfx_sym_request *request)
{
	struct pfx_build_id wanted = wanted_id(request), own = {0};

	pfx_build_id_of_kernel(&own);
	return is_running(request, &wanted, &own);
}

static int not_running(const struct pfx_sym_request *request, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, ENOENT,
		      request->osrelease || request->build_id_size
			      ? "the recorded kernel%s%s is not the one that runs here, and no "
				"image of it was found"
			      : "the recording does not identify its kernel%s%s",
		      request->osrelease ? " " : "",
		      request->osrelease ? pfx_escape(shown, sizeof(shown), request->osrelease)
					 : "");
	pfx_error_hint(err, "give its image with --vmlinux or its symbols with --kallsyms");
	return -ENOENT;
}

/* --- the kernel --- */

/* Adds the symbols of a kernel image. With @id it must be that build; @must_match: refuse it
 * without @id. */
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
	if (id->size ? !pfx_build_id_same(id, &elf.build_id) : must_match)
		rc = pfx_error_set(err, ESTALE, "'%s' is another build than the recorded kernel",
				   shown);
	else if (!pfx_elf_has_symtab(&elf) || !pfx_elf_add_symbols(tab, &elf, &place))
		rc = pfx_error_set(err, ENOENT, "'%s' has no symbols", shown);
	else
		pfx_symtab_set_source(tab, path);
	pfx_elf_close(&elf);
	return rc;
}

static bool find_image(struct pfx_symtab *tab, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, const struct pfx_build_id *id)
{
	bool found = false, by_release;
	size_t i = 0;
	char *path;

	while (!found && (path = pfx_kernel_image_path(request, options, i++, &by_release))) {
		found = !add_image(tab, path, id, !by_release, NULL);
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
	/* reading a cached copy takes a tenth of the time that the kernel needs to generate
	 * kallsyms */
	if (!options->symfs && request->kernel_ref_name && request->kernel_ref_addr &&
	    find_cached_kallsyms(tab, options, &wanted, NULL))
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

/* The present load address of a module: "name size refcount users state 0xaddress"; 0 unknown. */
static uint64_t running_base(const char *name, size_t len)
{
	char *text, *line;
	unsigned long long addr = 0;

	if (pfx_read_plain_file("/proc/modules", MODULES_MAX, &text, NULL, NULL))
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

/* From the running kernel, if it is the recorded one and has loaded the module. */
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

/* From the module's file, which has the layout of the code but not the load address. */
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
		rc = pfx_error_set(err, EBADMSG, "'%s' is not a kernel module", shown);
	} else if (wanted->size && !pfx_build_id_same(wanted, &elf.build_id)) {
		rc = pfx_error_set(err, ESTALE, "'%s' is another build than the one that ran",
				   shown);
	} else {
		sections = pfx_module_layout(&elf, request->module_addr);
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
	char *cached = pfx_debugfile_cached(options, wanted, "elf"), *path = NULL, *recorded;
	bool found = false;

	recorded = request->module_addr ? pfx_module_recorded_path(request, options) : NULL;
	if (recorded) {
		path = pfx_symfs_path(options, recorded);
		found = !add_module_file(tab, path, request, wanted, NULL);
	}
	if (!found && cached && request->module_addr)
		found = !add_module_file(tab, cached, request, wanted, NULL);
	free(recorded);
	free(path);
	free(cached);
	return found;
}

/* From the recorded copy of kallsyms, which includes modules at their addresses of that time: it
 * must be from the same boot. */
static bool find_kept_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options)
{
	struct pfx_build_id id =
		pfx_build_id_make(request->kernel_build_id, request->kernel_build_id_size);
	bool found = false;
	char *path;

	if (!id.size || !request->kernel_ref_name || !request->kernel_ref_addr)
		return false;
	path = pfx_debugfile_cached(options, &id, "kallsyms");
	if (path &&
	    pfx_kallsyms_address(path, request->kernel_ref_name) == request->kernel_ref_addr)
		found = find_cached_kallsyms(tab, options, &id, request->module);
	free(path);
	return found;
}

int pfx_symtab_load_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_build_id wanted = wanted_id(request);
	int rc = -ENOENT;

	if (!request->module)
		return pfx_error_set(err, ENOENT, "a kernel module without a name");
	if (options->no_modules)
		return pfx_error_set(err, ENOENT, "symbols of modules are not wanted");
	if (options->kallsyms)
		return read_kallsyms(tab, options->kallsyms, request->module, err);
	if (!options->symfs)
		rc = add_running_module(tab, request, &wanted, err);
	else
		pfx_error_set(err, ENOENT, "no file of module '%s' was found", request->module);
	if (rc) {
		pfx_symtab_reset(tab);
		if (find_kept_module(tab, request, options))
			return 0;
		pfx_symtab_reset(tab);
		if (find_module_file(tab, request, options, &wanted))
			rc = 0;
	}
	return rc;
}
