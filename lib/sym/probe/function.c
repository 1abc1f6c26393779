/* SPDX-License-Identifier: MIT */
/*
 * Finds a function by name. Searches all symbols, not a finished table, which keeps one name for
 * each address: an alias is a valid name, too. Only symbols that contain the words are demangled.
 */
#include "sym/probe/function.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/kernel/kernel_internal.h"
#include "sym/table/demangle.h"
#include "sym/table/symtab.h"
#include "sym/table/symtab_internal.h"

#define LISTED_MAX 6   /* functions with an ambiguous name that the hint lists */
#define WORD_MAX   256 /* of the part of a name that is searched in mangled names */

struct search {
	const struct pfx_symtab *tab;
	const char *name;
	const struct pfx_symbol *found[LISTED_MAX];
	size_t nr; /* different addresses; beyond LISTED_MAX they are only counted */
};

static void meet(struct search *s, const struct pfx_symbol *sym)
{
	size_t i;

	for (i = 0; i < s->nr && i < LISTED_MAX; i++)
		if (s->found[i]->start == sym->start)
			return;
	if (s->nr < LISTED_MAX)
		s->found[s->nr] = sym;
	s->nr++;
}

static void search_plain(struct search *s)
{
	size_t i;

	for (i = 0; i < s->tab->syms.nr; i++)
		if (s->tab->syms.at[i].is_func && !strcmp(s->tab->syms.at[i].name, s->name))
			meet(s, &s->tab->syms.at[i]);
}

/* Searches for the name followed by @mark and a version: "@@" marks the default version. */
static void search_version(struct search *s, const char *mark)
{
	size_t len = strlen(s->name), i;

	for (i = 0; i < s->tab->syms.nr; i++) {
		const struct pfx_symbol *sym = &s->tab->syms.at[i];

		if (sym->is_func && !strncmp(sym->name, s->name, len) &&
		    !strncmp(sym->name + len, mark, strlen(mark)) &&
		    strcmp(sym->name + len, "@plt"))
			meet(s, sym);
	}
}

/* Where the parameters begin in a demangled name; the name may contain parentheses, too. */
static size_t end_of_name(const char *text)
{
	size_t i = strlen(text);
	int depth = 0;

	while (i > 0) {
		i--;
		depth += text[i] == ')';
		depth -= text[i] == '(';
		if (text[i] == '(' && depth == 0)
			return i;
	}
	return strlen(text);
}

/* Equal except for blanks; compares only the first @len characters of @text. */
static bool same_words(const char *text, size_t len, const char *name)
{
	size_t i = 0;

	for (;;) {
		while (i < len && isspace((unsigned char)text[i]))
			i++;
		while (isspace((unsigned char)*name))
			name++;
		if (i == len || !*name)
			return i == len && !*name;
		if (text[i++] != *name++)
			return false;
	}
}

/* The last identifier of a demangled name: mangled names contain it unchanged. */
static void last_word(const char *name, char out[WORD_MAX])
{
	size_t end = end_of_name(name), start, depth = 0;

	while (end > 0 && !isalnum((unsigned char)name[end - 1]) && name[end - 1] != '_') {
		depth += name[end - 1] == '>';
		end--;
		while (depth && end > 0)
			depth -= name[--end] == '<';
	}
	start = end;
	while (start > 0 && (isalnum((unsigned char)name[start - 1]) || name[start - 1] == '_'))
		start--;
	if (end - start >= WORD_MAX)
		start = end - WORD_MAX + 1;
	memcpy(out, name + start, end - start);
	out[end - start] = '\0';
}

static void search_readable(struct search *s)
{
	char word[WORD_MAX], *text;
	size_t i;

	last_word(s->name, word);
	for (i = 0; i < s->tab->syms.nr; i++) {
		const struct pfx_symbol *sym = &s->tab->syms.at[i];

		if (!sym->is_func || !strstr(sym->name, word))
			continue;
		text = pfx_demangle_full(sym->name);
		if (text && (same_words(text, strlen(text), s->name) ||
			     same_words(text, end_of_name(text), s->name)))
			meet(s, sym);
		free(text);
	}
}

/* The name that is nearest without the suffix of a clone: "hash.constprop.0" for "hasch". */
static const char *nearest_clone(const char *word, const char *const *names, size_t nr)
{
	const char **bare = pfx_calloc(nr + 1, sizeof(*bare)), *near, *found = NULL;
	size_t i;

	for (i = 0; i < nr; i++)
		bare[i] = pfx_strndup(names[i], strcspn(names[i] + !!*names[i], ".") + !!*names[i]);
	near = pfx_nearest(word, bare, nr);
	for (i = 0; i < nr; i++) {
		if (bare[i] == near)
			found = names[i];
		free((char *)bare[i]);
	}
	free(bare);
	return found;
}

static const char *nearest(const struct search *s)
{
	PFX_VEC(const char *) names = {0};
	const char *near = NULL;
	size_t len = strlen(s->name), i;

	for (i = 0; i < s->tab->syms.nr && !near; i++) {
		const char *name = s->tab->syms.at[i].name;

		if (!s->tab->syms.at[i].is_func)
			continue;
		/* All that the compiler left may be a part or a clone: "hash.constprop.0". */
		if (!strncmp(name, s->name, len) && name[len] == '.')
			near = name;
		pfx_vec_push(&names, name);
	}
	if (!near)
		near = pfx_nearest(s->name, names.at, names.nr);
	if (!near)
		near = nearest_clone(s->name, names.at, names.nr);
	pfx_vec_free(&names);
	return near;
}

static int not_found(const struct search *s, const char *where, struct pfx_error *err)
{
	char name[128], shown[128];
	const char *near = nearest(s);

	pfx_error_set(err, ENOENT, "%s has no function '%s'", where,
		      pfx_escape(name, sizeof(name), s->name));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	return -ENOENT;
}

static int ambiguous(const struct search *s, const char *where, struct pfx_error *err)
{
	struct pfx_str list = {0};
	char name[128], *text;
	size_t i;

	for (i = 0; i < s->nr && i < LISTED_MAX; i++) {
		text = pfx_demangle_full(s->found[i]->name);
		pfx_str_addf(&list, "\n  0x%llx  ", (unsigned long long)s->found[i]->start);
		pfx_str_add_foreign(&list, text ? text : s->found[i]->name);
		free(text);
	}
	if (s->nr > LISTED_MAX)
		pfx_str_addf(&list, "\n  and %zu more", s->nr - LISTED_MAX);
	pfx_error_set(err, ENOTUNIQ, "%s has %zu functions '%s'", where, s->nr,
		      pfx_escape(name, sizeof(name), s->name));
	pfx_error_hint(err, "name one by its parameters or its place:%s", pfx_str_get(&list));
	pfx_str_fini(&list);
	return -ENOTUNIQ;
}

static int search(const struct pfx_symtab *tab, const char *name, const char *where,
		  struct pfx_function *ret, struct pfx_error *err)
{
	struct search s = {.tab = tab, .name = name};

	search_plain(&s);
	if (!s.nr)
		search_version(&s, "@@");
	if (!s.nr)
		search_version(&s, "@");
	if (!s.nr)
		search_readable(&s);
	if (!s.nr)
		return not_found(&s, where, err);
	if (s.nr > 1)
		return ambiguous(&s, where, err);
	ret->at = s.found[0]->start;
	ret->size = s.found[0]->end - s.found[0]->start;
	return 0;
}

/* Whether the symbol is an IFUNC resolver: it selects an implementation at run time. */
static bool is_chooser(const struct pfx_elf *elf, uint32_t type, uint64_t vaddr)
{
	const struct pfx_elf_section *section = pfx_elf_section_of_type(elf, type);
	Elf_Data *data = section ? pfx_elf_data(elf, section) : NULL;
	GElf_Sym sym;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &sym); i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC && sym.st_value == vaddr)
			return true;
	return false;
}

static int check_chooser(const char *path, const char *name, const struct pfx_function *found,
			 struct pfx_error *err)
{
	struct pfx_elf elf = {0};
	char shown[128];
	uint64_t vaddr = 0;
	bool is_one;
	size_t i;

	if (pfx_elf_open(path, &elf, NULL) < 0)
		return 0;
	for (i = 0; i < elf.nr_segments; i++)
		if (found->at - elf.segments[i].offset < elf.segments[i].filesz)
			vaddr = found->at - elf.segments[i].offset + elf.segments[i].vaddr;
	is_one = is_chooser(&elf, SHT_DYNSYM, vaddr) || is_chooser(&elf, SHT_SYMTAB, vaddr);
	pfx_elf_close(&elf);
	if (!is_one)
		return 0;
	pfx_escape(shown, sizeof(shown), name);
	pfx_error_set(err, EINVAL,
		      "function '%s' is one of several, chosen for this CPU when a program starts",
		      shown);
	pfx_error_hint(err,
		       "name the one that is used: 'pfx record' and 'pfx report' of the program "
		       "show it, like __memcpy_avx_unaligned_erms");
	return -EINVAL;
}

int pfx_function_find(const char *path, const char *name, struct pfx_function *ret,
		      struct pfx_error *err)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};
	struct pfx_sym_options options = {.no_demangle = true};
	struct pfx_symtab *tab = pfx_symtab_new(true);
	char shown[256], *where;
	int rc = pfx_symtab_load_file(tab, &request, &options, err);

	pfx_escape(shown, sizeof(shown), path);
	where = pfx_strfmt("'%s'", shown);
	if (rc == -ENOENT && tab->syms.nr == 0)
		pfx_error_hint(err, "its symbols were stripped: install them, or name the place by "
				    "its offset in the file, like 0x1234");
	if (rc >= 0)
		rc = search(tab, name, where, ret, err);
	if (rc >= 0)
		rc = check_chooser(path, name, ret, err);
	free(where);
	pfx_symtab_free(tab);
	return rc;
}

int pfx_function_find_kernel(const char *kallsyms, const char *name, struct pfx_function *ret,
			     struct pfx_error *err)
{
	struct pfx_symtab *tab = pfx_symtab_new(true);
	int rc = pfx_kallsyms_read(tab, kallsyms ? kallsyms : "/proc/kallsyms", NULL, err);

	if (rc >= 0)
		rc = search(tab, name, "the kernel", ret, err);
	if (rc >= 0 && !ret->at) {
		rc = pfx_error_set(err, EACCES, "the kernel hides the addresses of its functions");
		pfx_error_hint(err, "run as root, or: sudo sysctl -w kernel.kptr_restrict=0");
	}
	pfx_symtab_free(tab);
	return rc;
}
