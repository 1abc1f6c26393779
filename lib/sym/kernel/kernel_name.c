/* SPDX-License-Identifier: MIT */
/*
 * Whether a name may be that of a function of the kernel, without loading its symbols: the kernel
 * takes long to write them, and most functions that are asked for are not its own. Where the
 * symbols come from is decided as in load_kernel.c.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "sym/kernel/kernel_internal.h"

/* The names of C and those that compilers derive from them. */
static bool is_plain(const char *name)
{
	return !name[strspn(name,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@")];
}

static bool is_there(char *path)
{
	bool is_there = path && *path && !access(path, R_OK);

	free(path);
	return is_there;
}

static bool has_image(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      const struct pfx_build_id *id)
{
	bool by_release, found = is_there(pfx_debugfile_cached(options, id, "elf")) ||
				 is_there(pfx_debugfile_cached(options, id, "vmlinux"));
	size_t i = 0;
	char *path;

	while (!found && !options->ignore_vmlinux &&
	       (path = pfx_kernel_image_path(request, options, i++, &by_release)))
		found = is_there(path);
	return found;
}

/* The end of the name in a line: a module follows it after a tab. */
static const char *name_end(const char *line, const char *end)
{
	const char *tab;

	if (end == line || end[-1] != ']')
		return end;
	tab = memrchr(line, '\t', (size_t)(end - line));
	return tab ? tab : end;
}

/* Whether a line of the text ends with this name, as its third word. */
static bool has_name(const char *text, size_t size, const char *name)
{
	const char *line, *end, *stop = text + size, *at;
	size_t len = strlen(name);

	for (line = text; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		at = name_end(line, end);
		if ((size_t)(at - line) > len && at[-1 - (ptrdiff_t)len] == ' ' &&
		    !memcmp(at - len, name, len))
			return true;
	}
	return false;
}

/* Only a copy of kallsyms is read: it belongs to one build, whose names do not change. */
static bool copy_has_name(const char *path, const char *name)
{
	struct pfx_mapping text;
	bool found;

	if (pfx_map_file(path, &text, NULL))
		return true;
	found = !text.size || has_name((const char *)text.data, text.size, name);
	found |= pfx_mapping_was_cut(&text);
	pfx_unmap(&text);
	return found;
}

bool pfx_kernel_may_have(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const char *name)
{
	struct pfx_build_id id = pfx_build_id_make(request->build_id, request->build_id_size);
	char *path;
	bool may;

	if (options->demangle_kernel) /* the copy has no such names */
		return true;
	if (!is_plain(name))
		return false;
	if (request->kind != PFX_SYM_KERNEL || options->kallsyms || options->vmlinux ||
	    options->symfs || !request->kernel_ref_name || !request->kernel_ref_addr ||
	    has_image(request, options, &id))
		return true;
	path = pfx_debugfile_cached(options, &id, "kallsyms");
	may = !path || copy_has_name(path, name);
	free(path);
	return may;
}
