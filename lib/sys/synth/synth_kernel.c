/* SPDX-License-Identifier: MIT */
/*
 * The kernel and its modules as maps. The range of the text is from symbols in /proc/kallsyms,
 * which is read only as far as necessary, since it is long and slow. Modules are in /proc/modules,
 * their files in modules.dep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sys/synth/synth_internal.h"

#define KERNEL_PREFIX "[kernel.kallsyms]"
#define MODULES_MAX   100000 /* lines of modules.dep */

struct kernel_range {
	uint64_t text, stext, etext, edata;
};

/* Split "ffffffff81000000 T _text" in place; *@ret_name ends at a blank or tab. */
static bool parse_symbol(char *line, uint64_t *ret_addr, char **ret_name)
{
	char *at;

	*ret_addr = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return false;
	*ret_name = at + 3;
	return true;
}

/*
 * The size of the text, from "01000000-022099ff : Kernel code" of /proc/iomem: addresses there are
 * physical, but the size is the same. 0 if unknown; then symbols are read up to the end of the
 * text, which takes a hundred times as long.
 */
static uint64_t code_size(const char *root)
{
	struct pfx_proc_lines lines;
	uint64_t start, end, size = 0;
	char *line, *at;

	if (!pfx_proc_lines_open(&lines, root, "/proc/iomem"))
		while (!size && (line = pfx_proc_lines_next(&lines))) {
			start = strtoull(line, &at, 16);
			end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
			if (end > start && !strcmp(at, " : Kernel code"))
				size = end - start + 1;
		}
	pfx_proc_lines_close(&lines);
	return size;
}

/* Symbols are in order of address, the kernel's own first. */
static int read_range(const struct pfx_synth_options *options, struct kernel_range *ret)
{
	const char *root = options->root;
	bool want_data = options->mmap_data;
	uint64_t size = want_data || options->exact ? 0 : code_size(root);
	struct pfx_proc_lines lines;
	uint64_t addr;
	char *line, *name;
	int rc = pfx_proc_lines_open(&lines, root, "/proc/kallsyms");

	*ret = (struct kernel_range){0};
	while (!rc && (line = pfx_proc_lines_next(&lines))) {
		if (!parse_symbol(line, &addr, &name))
			continue;
		if (strchr(name, '\t'))
			break; /* of a module */
		if (name[0] != '_')
			continue;
		if (!strcmp(name, "_text"))
			ret->text = addr;
		else if (!strcmp(name, "_stext"))
			ret->stext = addr;
		else if (!strcmp(name, "_edata"))
			ret->edata = addr;
		else if (!strcmp(name, "_etext"))
			ret->etext = addr;
		if (size && ret->text)
			ret->etext = ret->text + size;
		if ((want_data ? ret->edata : ret->etext) && (ret->text || ret->stext))
			break;
	}
	pfx_proc_lines_close(&lines);
	return rc;
}

static int hidden(struct pfx_error *err)
{
	pfx_error_set(err, EACCES, "kernel addresses are hidden, so kernel symbols stay unknown");
	pfx_error_hint(err, "run as root, or set kernel.kptr_restrict and "
			    "kernel.perf_event_paranoid lower");
	return -EACCES;
}

int pfx_synth_kernel(const struct pfx_synth_options *options, struct pfx_buffer *to,
		     struct pfx_error *err)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP, .misc = PFX_MODE_KERNEL};
	struct kernel_range range;
	uint64_t start, end;
	int rc = read_range(options, &range);

	if (rc)
		return pfx_error_sys(err, -rc, "cannot read '/proc/kallsyms'");
	start = range.text ? range.text : range.stext;
	end = range.edata > range.etext ? range.edata : range.etext;
	if (!start)
		return hidden(err);
	body.mmap.pid = (uint32_t)-1;
	body.mmap.addr = body.mmap.pgoff = start;
	body.mmap.len = end > start ? end - start : UINT64_MAX - start;
	body.mmap.filename = range.text ? KERNEL_PREFIX "_text" : KERNEL_PREFIX "_stext";
	pfx_synth_put(options, &body, to);
	return 0;
}

/* Module names use '_' where file names may have '-'. The name of the path's last part without
 * ".ko" and what follows, into @out. */
static bool module_name(const char *path, size_t len, char *out, size_t size)
{
	const char *base = memrchr(path, '/', len);
	const char *ko;
	size_t n, i;

	base = base ? base + 1 : path;
	n = len - (size_t)(base - path);
	ko = memmem(base, n, ".ko", 3);
	if (!ko || ko == base || (size_t)(ko - base) >= size)
		return false;
	n = (size_t)(ko - base);
	for (i = 0; i < n; i++)
		out[i] = base[i] == '-' ? '_' : base[i];
	out[n] = '\0';
	return true;
}

/* Paths of the running kernel's modules, by interned name. */
struct module_files {
	struct pfx_intern names;
	PFX_VEC(char *) paths;
};

static void add_module_file(struct module_files *files, const char *dir, const char *line)
{
	size_t len = strcspn(line, ":");
	char name[256];
	uint32_t id;

	if (!module_name(line, len, name, sizeof(name)))
		return;
	id = pfx_intern_str(&files->names, name);
	if (id < files->paths.nr)
		return;
	if (line[0] == '/')
		pfx_vec_push(&files->paths, pfx_strndup(line, len));
	else
		pfx_vec_push(&files->paths, pfx_strfmt("%s/%.*s", dir, (int)len, line));
}

static void read_module_files(const char *root, struct module_files *files)
{
	char dir[PFX_PROC_PATH_MAX], path[PFX_PROC_PATH_MAX + 16], *line;
	struct pfx_proc_lines lines;
	struct utsname uts;

	if (uname(&uts))
		return;
	snprintf(dir, sizeof(dir), "/lib/modules/%s", uts.release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	if (!pfx_proc_lines_open(&lines, root, path))
		while (files->paths.nr < MODULES_MAX && (line = pfx_proc_lines_next(&lines)))
			add_module_file(files, dir, line);
	pfx_proc_lines_close(&lines);
}

static void free_module_files(struct module_files *files)
{
	size_t i;

	for (i = 0; i < files->paths.nr; i++)
		free(files->paths.at[i]);
	pfx_vec_free(&files->paths);
	pfx_intern_fini(&files->names);
}

/* "name size refcount users state 0xaddress ..." */
static void put_module(const struct pfx_synth_options *options, char *line,
		       struct module_files *files, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP, .misc = PFX_MODE_KERNEL};
	unsigned long long size, addr;
	char name[128], shown[160];
	uint32_t id;

	if (sscanf(line, "%127s %llu %*s %*s %*s 0x%llx", name, &size, &addr) != 3 || !addr)
		return;
	id = pfx_intern_str(&files->names, name);
	snprintf(shown, sizeof(shown), "[%s]", name);
	body.mmap.pid = (uint32_t)-1;
	body.mmap.addr = addr;
	body.mmap.len = size;
	body.mmap.filename = id < files->paths.nr ? files->paths.at[id] : shown;
	pfx_synth_put(options, &body, to);
}

int pfx_synth_modules(const struct pfx_synth_options *options, struct pfx_buffer *to,
		      struct pfx_error *err)
{
	struct module_files files = {0};
	struct pfx_proc_lines lines;
	char *line;
	int rc = pfx_proc_lines_open(&lines, options->root, "/proc/modules");

	if (!rc)
		read_module_files(options->root, &files);
	while (!rc && (line = pfx_proc_lines_next(&lines)))
		put_module(options, line, &files, to);
	pfx_proc_lines_close(&lines);
	free_module_files(&files);
	if (rc == -ENOENT)
		return 0; /* a kernel without modules */
	return rc ? pfx_error_sys(err, -rc, "cannot read '/proc/modules'") : 0;
}
