/* SPDX-License-Identifier: MIT */
#include "export/samples/redact.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* "command1"; names of no thing stay. */
static void add_word(struct pfx_intern *words, const char *kind, const char *name, size_t len,
		     struct pfx_str *to)
{
	if (len)
		pfx_str_addf(to, "%s%u", kind, pfx_intern_add(words, name, len) + 1);
}

/* Folders and files of all systems: programs run in emulators, too. */
static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* ":10:5" behind a file; @len: of the name without it. */
static const char *line_numbers(const char *name, size_t *len)
{
	size_t end = strlen(name), at = end;

	while (at && (isdigit((unsigned char)name[at - 1]) || name[at - 1] == ':'))
		if (name[--at] == ':')
			end = at;
	*len = end;
	return name + end;
}

/* The suffix that says what a file is, ".c"; "": none. */
static const char *source_suffix(const char *name, size_t len)
{
	static const char *const known[] = {".c",   ".cc",  ".cpp", ".cxx", ".h",   ".hh",  ".hpp",
					    ".rs",  ".go",  ".py",  ".js",  ".mjs", ".ts",  ".rb",
					    ".php", ".lua", ".cjs", ".jsx", ".tsx", ".mts", ".cts",
					    ".pl",  ".s",   ".S",   ".so",  ".ko",  ".java"};
	size_t i, l;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		l = strlen(known[i]);
		if (len > l && !memcmp(name + len - l, known[i], l))
			return known[i];
	}
	return "";
}

static const char *binary_suffix(const char *name)
{
	return strstr(name, ".so.") ? ".so" : source_suffix(name, strlen(name));
}

/* Each folder and the file itself: "/dir1/dir2/binary1", "/dir1/file1.js:10". */
static void add_path(struct pfx_redact *r, const char *path, bool is_source, struct pfx_str *to)
{
	const char *at, *lines;
	size_t len;

	for (at = path; *at; at++)
		if (is_separator(*at)) {
			add_word(&r->dirs, "dir", path, (size_t)(at - path), to);
			pfx_str_addc(to, *at);
			path = at + 1;
		}
	if (!is_source) {
		add_word(&r->binaries, "binary", path, strlen(path), to);
		pfx_str_add(to, binary_suffix(path));
		return;
	}
	lines = line_numbers(path, &len);
	add_word(&r->files, "file", path, len, to);
	pfx_str_add(to, source_suffix(path, len));
	pfx_str_add(to, lines);
}

/* "[kernel.kallsyms]", "[vdso]" and "[unknown]" say nothing. */
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

/* The names of modules and of BPF programs are those of functions; paths to them are not. */
void pfx_redact_binary(struct pfx_redact *r, enum pfx_dso_kind kind, const char *name,
		       struct pfx_str *to)
{
	const bool is_code = kind == PFX_DSO_MODULE || kind == PFX_DSO_BPF;

	if (is_public(name) || (is_code && !strpbrk(name, "/\\")))
		pfx_str_add(to, name);
	else
		add_path(r, name, false, to);
}

/* "operator/(A const&)", "operator/=", but not "operator/app.js". */
static bool is_operator(const char *name, const char *slash)
{
	static const char word[] = "operator";
	const size_t len = sizeof(word) - 1, at = (size_t)(slash - name);

	if (*slash != '/' || at < len || memcmp(slash - len, word, len))
		return false;
	return (at == len || strchr(":( ", slash[-1 - (ptrdiff_t)len])) &&
	       (!slash[1] || strchr("(<= ", slash[1]));
}

/* Where a path begins whose first separator is @at: there, or for a relative path behind the first
 * colon, as signs and blanks are parts of paths. */
static const char *path_start(const char *name, const char *at)
{
	const char *colon = memchr(name, ':', (size_t)(at - name));

	if (at == name || strchr(" :(,;<>[]{}=\"'|@", at[-1]))
		return at;
	return colon ? colon + 1 : name;
}

static bool is_script(const char *suffix)
{
	static const char *const compiled[] = {".c",  ".cc", ".cpp", ".cxx", ".h",    ".hh", ".hpp",
					       ".rs", ".go", ".s",   ".S",   ".java", ".so", ".ko"};
	size_t i;

	for (i = 0; i < sizeof(compiled) / sizeof(*compiled); i++)
		if (!strcmp(suffix, compiled[i]))
			return false;
	return *suffix != '\0';
}

/* A file without a folder: "LazyCompile:~a app.js:10", "app.py", "app.vue:10"; NULL: none. */
static const char *bare_file(const char *name)
{
	const char *start = name, *at, *suffix, *lines;
	size_t len;

	lines = line_numbers(name, &len);
	for (at = name; at < name + len; at++)
		if (strchr(" :(", *at))
			start = at + 1;
	if (*lines && memchr(start, '.', (size_t)(lines - start)))
		return start;
	suffix = source_suffix(start, len - (size_t)(start - name));
	return *suffix && (start > name || is_script(suffix)) ? start : NULL;
}

/* Where the path in a name of a function begins; NULL: it has none. Names by Python's own perf maps
 * end in a file. */
static const char *find_path(const char *name)
{
	const char *at;

	if (!strncmp(name, "py::", 4) && (at = strchr(name + 4, ':')))
		return at + 1;
	for (at = name; *at; at++)
		if (is_separator(*at) && !is_operator(name, at))
			return path_start(name, at);
	return bare_file(name);
}

/* Names of JIT code contain files: "py::run:/home/me/app.py". */
void pfx_redact_function(struct pfx_redact *r, const char *name, struct pfx_str *to)
{
	const char *path = find_path(name);

	pfx_str_addn(to, name, path ? (size_t)(path - name) : strlen(name));
	if (path)
		add_path(r, path, true, to);
}

/* "cpu/event=0x3c/u", "mem:0x1000/8:w": their slashes separate no folders. */
static bool is_event_syntax(const char *name)
{
	const char *slash = strchr(name, '/'), *last = strrchr(name, '/'), *at;

	if (!strncmp(name, "mem:0x", 6))
		return !name[6 + strspn(name + 6, "0123456789abcdefABCDEF/:rwxukhpGHP")];
	if (!slash || last == slash || memchr(slash + 1, '/', (size_t)(last - slash - 1)))
		return false;
	for (at = name; at < slash; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	for (at = last + 1; isalpha((unsigned char)*at); at++)
		;
	return slash > name && !*at && memchr(slash, '=', (size_t)(last - slash));
}

/* perf names the group of a uprobe for its binary: "probe_prog:main". */
void pfx_redact_event(struct pfx_redact *r, const char *name, struct pfx_str *to)
{
	static const char probe[] = "probe_";
	const char *colon = strchr(name, ':');

	if (is_event_syntax(name)) {
		pfx_str_add(to, name);
		return;
	}
	if (!strncmp(name, probe, sizeof(probe) - 1) && colon) {
		name += sizeof(probe) - 1;
		pfx_str_add(to, probe);
		add_word(&r->binaries, "binary", name, (size_t)(colon - name), to);
		name = colon;
	}
	pfx_redact_function(r, name, to);
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
	if (!find_path(function->name))
		return;
	pfx_redact_function(r, function->name, &text);
	function->name = keep(profile, &text);
}

static const char *new_event(struct pfx_redact *r, const char *name, struct pfx_arena *arena)
{
	struct pfx_str text = {0};
	const char *kept;

	pfx_redact_event(r, name, &text);
	kept = pfx_arena_strdup(arena, pfx_str_get(&text));
	pfx_str_fini(&text);
	return kept;
}

void pfx_redact_profile(struct pfx_redact *r, struct pfx_profile *profile)
{
	uint32_t i;

	for (i = 0; i < profile->nr_events; i++)
		profile->events[i].name = new_event(r, profile->events[i].name, &profile->texts);
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

static struct pfx_event **new_events(struct pfx_redact *r, const struct pfx_meta *meta,
				     struct pfx_arena *arena)
{
	struct pfx_event *copies = pfx_arena_array(arena, struct pfx_event, meta->nr_events + 1);
	struct pfx_event **events = pfx_arena_array(arena, struct pfx_event *, meta->nr_events + 1);
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		copies[i] = *meta->events[i];
		copies[i].name = new_event(r, copies[i].name, arena);
		events[i] = &copies[i];
	}
	return events;
}

/* What no format writes, and has names in it. */
static void drop_lists(struct pfx_env *env)
{
	env->cmdline = (struct pfx_env_strings){0};
	env->nr_groups = 0;
	env->nr_build_ids = 0;
	env->nr_bpf_progs = 0;
	env->nr_btfs = 0;
	env->tracing_data = (struct pfx_env_blob){0};
	memset(env->raw, 0, sizeof(env->raw));
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
	drop_lists(&copy.env);
	copy.events = new_events(r, meta, arena);
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
