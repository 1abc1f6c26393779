/* SPDX-License-Identifier: MIT */
#include "export/samples/redact.h"

#include <string.h>

#include "base/str.h"

/* "command1"; names of no thing stay. */
static void add_word(struct pfx_intern *words, const char *kind, const char *name, size_t len,
		     struct pfx_str *to)
{
	if (len)
		pfx_str_addf(to, "%s%u", kind, pfx_intern_add(words, name, len) + 1);
}

/* A short suffix that says what a file is: ".c", ".so". */
static void add_suffix(const char *name, struct pfx_str *to)
{
	static const char *const known[] = {".c",   ".cc", ".cpp", ".cxx", ".h",  ".hh",
					    ".hpp", ".rs", ".go",  ".py",  ".js", ".s",
					    ".S",   ".so", ".ko",  ".java"};
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(dot, known[i]))
			pfx_str_add(to, dot);
	if (!strstr(name, ".so."))
		return;
	pfx_str_add(to, ".so");
}

/* Each folder and the file itself: "/dir1/dir2/binary1". */
static void add_path(struct pfx_redact *r, const char *path, bool is_source, struct pfx_str *to)
{
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		add_word(&r->dirs, "dir", path, (size_t)(slash - path), to);
		pfx_str_addc(to, '/');
	}
	add_word(is_source ? &r->files : &r->binaries, is_source ? "file" : "binary", path,
		 strlen(path), to);
	add_suffix(path, to);
}

/* "[kernel.kallsyms]", "[vdso]", "[unknown]" and modules of the kernel say nothing. */
static bool is_public(const char *name)
{
	static const char *const known[] = {"[kernel.kallsyms]",
					    "[guest.kernel.kallsyms]",
					    "[vdso]",
					    "[vdso32]",
					    "[vdsox32]",
					    "[vsyscall]",
					    "[heap]",
					    "[stack]",
					    "[unknown]",
					    "//anon",
					    "[kernel.vmlinux]",
					    "[other-kernel]"};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

void pfx_redact_command(struct pfx_redact *r, const char *name, struct pfx_str *to)
{
	add_word(&r->commands, "command", name, strlen(name), to);
}

void pfx_redact_binary(struct pfx_redact *r, enum pfx_dso_kind kind, const char *name,
		       struct pfx_str *to)
{
	if (kind == PFX_DSO_MODULE || kind == PFX_DSO_BPF || is_public(name))
		pfx_str_add(to, name);
	else
		add_path(r, name, false, to);
}

/* Names of JIT code contain files: "py::run:/home/me/app.py". */
void pfx_redact_function(struct pfx_redact *r, const char *name, struct pfx_str *to)
{
	const char *slash = strchr(name, '/');

	if (!slash || strstr(name, "operator/")) {
		pfx_str_add(to, name);
		return;
	}
	pfx_str_addn(to, name, (size_t)(slash - name));
	add_path(r, slash, true, to);
}

/* --- profiles --- */

static const char *keep(struct pfx_profile *profile, struct pfx_str *text)
{
	const char *kept = pfx_arena_strdup(&profile->texts, pfx_str_get(text));

	pfx_str_fini(text);
	return kept;
}

static const char *new_file(struct pfx_redact *r, struct pfx_profile *profile, const char *path)
{
	struct pfx_str text = {0};

	if (!path)
		return NULL;
	add_path(r, path, true, &text);
	return keep(profile, &text);
}

static const char *new_command(struct pfx_redact *r, struct pfx_profile *profile, const char *name)
{
	struct pfx_str text = {0};

	pfx_redact_command(r, name, &text);
	return keep(profile, &text);
}

static const char *new_binary(struct pfx_redact *r, struct pfx_profile *profile,
			      enum pfx_dso_kind kind, const char *name)
{
	struct pfx_str text = {0};

	pfx_redact_binary(r, kind, name, &text);
	return keep(profile, &text);
}

static void redact_dso(struct pfx_redact *r, struct pfx_profile *profile,
		       struct pfx_profile_dso *dso)
{
	dso->name = new_binary(r, profile, dso->kind, dso->name);
	dso->short_name = new_binary(r, profile, dso->kind, dso->short_name);
}

static void redact_function(struct pfx_redact *r, struct pfx_profile *profile,
			    struct pfx_profile_function *function)
{
	struct pfx_str text = {0};

	function->file = new_file(r, profile, function->file);
	if (!strchr(function->name, '/'))
		return;
	pfx_redact_function(r, function->name, &text);
	function->name = keep(profile, &text);
}

void pfx_redact_profile(struct pfx_redact *r, struct pfx_profile *profile)
{
	uint32_t i;

	for (i = 0; i < profile->nr_processes; i++)
		profile->processes[i].comm = new_command(r, profile, profile->processes[i].comm);
	for (i = 0; i < profile->nr_threads; i++)
		profile->threads[i].comm = new_command(r, profile, profile->threads[i].comm);
	for (i = 0; i < profile->nr_comms; i++)
		profile->comms[i] = new_command(r, profile, profile->comms[i]);
	for (i = 0; i < profile->nr_dsos; i++)
		redact_dso(r, profile, &profile->dsos[i]);
	for (i = 0; i < profile->nr_functions; i++)
		redact_function(r, profile, &profile->functions[i]);
	for (i = 0; i < profile->nr_frames; i++)
		profile->frames[i].file = new_file(r, profile, profile->frames[i].file);
}

struct pfx_meta pfx_redact_meta(struct pfx_redact *r, const struct pfx_meta *meta,
				struct pfx_arena *arena)
{
	struct pfx_meta copy = *meta;
	struct pfx_str text = {0};

	if (copy.env.hostname) {
		add_word(&r->hosts, "host", copy.env.hostname, strlen(copy.env.hostname), &text);
		copy.env.hostname = pfx_arena_strdup(arena, pfx_str_get(&text));
	}
	copy.env.cmdline = (struct pfx_env_strings){0};
	pfx_str_fini(&text);
	return copy;
}

void pfx_redact_fini(struct pfx_redact *r)
{
	pfx_intern_fini(&r->commands);
	pfx_intern_fini(&r->dirs);
	pfx_intern_fini(&r->binaries);
	pfx_intern_fini(&r->files);
	pfx_intern_fini(&r->hosts);
}
