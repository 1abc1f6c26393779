/* SPDX-License-Identifier: MIT */
/*
 * The symbol table: sorting, choosing one symbol per address, look-up, and demangling on first use
 * (a table has a hundred times more names than a profile shows). Does not load symbols.
 */
#include "sym/table/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "sym/table/demangle.h"
#include "sym/table/symtab_internal.h"

#define NO_PARENT  UINT32_MAX
#define PAGE       4096ull
#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)
#define PLT_SUFFIX "@plt"
#define NAME_REST  "..." /* ends a truncated name */

struct pfx_symtab *pfx_symtab_new(bool keep_names)
{
	struct pfx_symtab *tab = pfx_calloc(1, sizeof(*tab));

	pthread_mutex_init(&tab->lock, NULL);
	tab->keep_names = keep_names;
	tab->source = tab->lack = "";
	return tab;
}

void pfx_symtab_free(struct pfx_symtab *tab)
{
	size_t i;

	if (!tab)
		return;
	for (i = 0; i < tab->owned.nr; i++)
		free(tab->owned.at[i]);
	pfx_vec_free(&tab->owned);
	pfx_vec_free(&tab->syms);
	pfx_vec_free(&tab->runs);
	pfx_vec_free(&tab->slots);
	free(tab->parents);
	free(tab->is_final);
	pfx_arena_clear(&tab->arena);
	pthread_mutex_destroy(&tab->lock);
	free(tab);
}

void pfx_symtab_own(struct pfx_symtab *tab, void *memory)
{
	pfx_vec_push(&tab->owned, memory);
}

void pfx_symtab_set_source(struct pfx_symtab *tab, const char *path)
{
	tab->source = pfx_arena_strdup(&tab->arena, path);
}

void pfx_symtab_reset(struct pfx_symtab *tab)
{
	tab->syms.nr = tab->repeats_from = 0;
	tab->source = "";
}

uint64_t pfx_symtab_moved(const struct pfx_symtab *tab)
{
	return tab->moved;
}

const char *pfx_symtab_lack(const struct pfx_symtab *tab)
{
	return tab->lack;
}

const char *pfx_symtab_source(const struct pfx_symtab *tab)
{
	return tab->source;
}

/* --- demangled names --- */

static char *readable(const struct pfx_symtab *tab, const char *name)
{
	char *text = tab->full_names ? pfx_demangle_full(name) : pfx_demangle(name);

	return text ? text : pfx_demangle_ocaml(name);
}

/* The demangled form of a name, also of a PLT entry ("name@plt"), or NULL. */
static char *readable_or_plt(const struct pfx_symtab *tab, const char *name)
{
	size_t len = strlen(name), suffix = strlen(PLT_SUFFIX);
	char *bare, *text, *full = NULL;

	if (len <= suffix || strcmp(name + len - suffix, PLT_SUFFIX))
		return readable(tab, name);
	bare = pfx_strndup(name, len - suffix);
	text = readable(tab, bare);
	if (text)
		full = pfx_strfmt("%s%s", text, PLT_SUFFIX);
	free(text);
	free(bare);
	return full;
}

bool pfx_name_is_long(const char *name)
{
	return strnlen(name, PFX_NAME_LIMIT + 1) > PFX_NAME_LIMIT;
}

const char *pfx_name_cut(struct pfx_arena *arena, const char *name, const char *readable)
{
	const char *from = readable ? readable : name;
	char *cut;

	if (!pfx_name_is_long(from))
		return readable ? pfx_arena_strdup(arena, readable) : name;
	cut = pfx_arena_alloc(arena, PFX_NAME_LIMIT + sizeof(NAME_REST));
	memcpy(cut, from, PFX_NAME_LIMIT);
	memcpy(cut + PFX_NAME_LIMIT, NAME_REST, sizeof(NAME_REST));
	return cut;
}

static const struct pfx_symbol *final_symbol(const struct pfx_symtab *const_tab, size_t i)
{
	struct pfx_symtab *tab = (struct pfx_symtab *)const_tab;
	struct pfx_symbol *sym = &tab->syms.at[i];
	char *text = NULL;

	if (!tab->syms.at || !tab->is_final || __atomic_load_n(&tab->is_final[i], __ATOMIC_ACQUIRE))
		return sym;
	pthread_mutex_lock(&tab->lock);
	if (!tab->is_final[i]) {
		if (!tab->keep_names && !pfx_name_is_long(sym->name))
			text = readable_or_plt(tab, sym->name);
		sym->name = pfx_name_cut(&tab->arena, sym->name, text);
		free(text);
		__atomic_store_n(&tab->is_final[i], 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tab->lock);
	return sym;
}

const char *pfx_symtab_slot(const struct pfx_symtab *const_tab, uint64_t addr)
{
	struct pfx_symtab *tab = (struct pfx_symtab *)const_tab;
	size_t i = pfx_bisect(k, tab->slots.nr, tab->slots.at[k].addr < addr);
	const char *name;
	char *text = NULL;

	if (i == tab->slots.nr || tab->slots.at[i].addr != addr)
		return NULL;
	pthread_mutex_lock(&tab->lock);
	if (!tab->keep_names && !pfx_name_is_long(tab->slots.at[i].name))
		text = readable(tab, tab->slots.at[i].name);
	name = pfx_name_cut(&tab->arena, tab->slots.at[i].name, text);
	pthread_mutex_unlock(&tab->lock);
	free(text);
	return name;
}

/* --- sorting --- */

struct sort_key {
	uint64_t start;
	uint32_t index;
};

static void radix_pass(const struct sort_key *from, struct sort_key *to, size_t nr, unsigned shift)
{
	uint32_t counts[RADIX_SIZE] = {0}, sum = 0, n;
	size_t i;

	for (i = 0; i < nr; i++)
		counts[from[i].start >> shift & (RADIX_SIZE - 1)]++;
	for (i = 0; i < RADIX_SIZE; i++) {
		n = counts[i];
		counts[i] = sum;
		sum += n;
	}
	for (i = 0; i < nr; i++)
		to[counts[from[i].start >> shift & (RADIX_SIZE - 1)]++] = from[i];
}

/* By address; symbols with equal addresses keep their order. Returns keys that the caller frees.
 * Addresses are relative to the lowest, to need fewer radix passes. */
static struct sort_key *sorted_keys(const struct pfx_symbol *syms, size_t nr)
{
	struct sort_key *a = pfx_calloc(nr, sizeof(*a)), *b = pfx_calloc(nr, sizeof(*b)), *spare;
	uint64_t min = UINT64_MAX, max = 0;
	unsigned shift;
	size_t i;

	for (i = 0; i < nr; i++) {
		min = syms[i].start < min ? syms[i].start : min;
		max = syms[i].start > max ? syms[i].start : max;
	}
	for (i = 0; i < nr; i++)
		a[i] = (struct sort_key){syms[i].start - min, (uint32_t)i};
	for (shift = 0; shift < 64 && (max - min) >> shift; shift += RADIX_BITS) {
		radix_pass(a, b, nr, shift);
		spare = a;
		a = b;
		b = spare;
	}
	free(b);
	return a;
}

/* --- one symbol per address --- */

/* Names of a hostile file can all be parts of one long string: they are compared up to here. */
#define COMPARED_MAX 4096

static size_t underscores(const char *name)
{
	size_t nr = 0;

	while (nr < COMPARED_MAX && name[nr] == '_')
		nr++;
	return nr;
}

/* Whether two names demangle to the same text: constructors and destructors have variants (C1 and
 * C2, D1 and D2). */
static bool read_the_same(const char *a, const char *b)
{
	size_t i = 0;

	while (i < COMPARED_MAX && a[i] && a[i] == b[i])
		i++;
	if (i == COMPARED_MAX || a[i] == b[i])
		return true;
	return i > 2 && a[0] == '_' && a[1] == 'Z' && (a[i - 1] == 'C' || a[i - 1] == 'D') &&
	       a[i] && b[i] && !strncmp(a + i + 1, b + i + 1, COMPARED_MAX);
}

/* Prefers fewer leading underscores, then the longer name. */
static bool is_name_better(const struct pfx_symtab *tab, const char *a, const char *b)
{
	size_t len_a = strnlen(a, COMPARED_MAX), len_b = strnlen(b, COMPARED_MAX);
	char *text_a = tab->keep_names || len_a == COMPARED_MAX ? NULL : readable(tab, a);
	char *text_b = tab->keep_names || len_b == COMPARED_MAX ? NULL : readable(tab, b);
	const char *x = text_a ? text_a : a, *y = text_b ? text_b : b;
	bool better;

	len_a = text_a ? strlen(text_a) : len_a;
	len_b = text_b ? strlen(text_b) : len_b;
	if (underscores(x) != underscores(y))
		better = underscores(x) > underscores(y);
	else if (len_a != len_b)
		better = len_b > len_a;
	else
		better = !strncmp(x, "SyS", 3) || !strncmp(x, "compat_SyS", 10);
	free(text_a);
	free(text_b);
	return better;
}

/* Whether @b is the better symbol of two with the same address. */
static bool is_better(const struct pfx_symtab *tab, const struct pfx_symbol *a,
		      const struct pfx_symbol *b)
{
	bool empty_a = a->end == a->start, empty_b = b->end == b->start;

	if (empty_a)
		return true; /* any size is better than 0; of two symbols without a size the later
				wins */
	if (empty_b)
		return false;
	if ((a->binding == 'w') != (b->binding == 'w'))
		return a->binding == 'w';
	if ((a->binding == 'g') != (b->binding == 'g'))
		return b->binding == 'g';
	return !read_the_same(a->name, b->name) && is_name_better(tab, a->name, b->name);
}

/* Whether symbol @i is a duplicate of @kept; cheaper than comparing names. */
static bool is_repeated(const struct pfx_symtab *tab, size_t i, const struct pfx_symbol *kept)
{
	const struct pfx_symbol *sym = &tab->syms.at[i];

	return tab->repeats_from && i >= tab->repeats_from && sym->end == kept->end &&
	       sym->end > sym->start && sym->binding == kept->binding;
}

/* Appends symbol @i to the @kept symbols of @to, or replaces the last one if it is better for the
 * same address. @to may be the array of symbols itself. */
static size_t choose(const struct pfx_symtab *tab, size_t i, struct pfx_symbol *to, size_t kept)
{
	const struct pfx_symbol *sym = &tab->syms.at[i];

	if (!kept || to[kept - 1].start != sym->start)
		to[kept++] = *sym;
	else if (!is_repeated(tab, i, &to[kept - 1]) && is_better(tab, &to[kept - 1], sym))
		to[kept - 1] = *sym;
	return kept;
}

static bool is_sorted(const struct pfx_symtab *tab)
{
	size_t i;

	for (i = 1; i < tab->syms.nr; i++)
		if (tab->syms.at[i].start < tab->syms.at[i - 1].start)
			return false;
	return true;
}

/* Sorts the symbols and keeps the best one of each address. Those of a kernel are sorted
 * already. */
static void sort_and_choose(struct pfx_symtab *tab)
{
	size_t i, nr = tab->syms.nr, kept = 0;
	struct sort_key *keys;
	struct pfx_symbol *to;

	if (is_sorted(tab)) {
		for (i = 0; i < nr; i++)
			kept = choose(tab, i, tab->syms.at, kept);
		tab->syms.nr = kept;
		return;
	}
	keys = sorted_keys(tab->syms.at, nr);
	to = pfx_calloc(nr, sizeof(*to));
	for (i = 0; i < nr; i++)
		kept = choose(tab, keys[i].index, to, kept);
	free(keys);
	free(tab->syms.at);
	tab->syms.at = to;
	tab->syms.nr = kept;
	tab->syms.cap = nr;
}

/* A symbol without a size ends where the next one begins; the last one ends at the end of the next
 * page. */
static void give_ends(struct pfx_symtab *tab)
{
	struct pfx_symbol *sym = tab->syms.at;
	size_t i;

	for (i = 0; i + 1 < tab->syms.nr; i++)
		if (sym[i].end == sym[i].start)
			sym[i].end = sym[i + 1].start;
	if (sym[i].end == sym[i].start) {
		sym[i].end = (sym[i].start + PAGE - 1) / PAGE * PAGE + PAGE;
		if (sym[i].end < sym[i].start)
			sym[i].end = UINT64_MAX;
	}
}

static bool any_overlap(const struct pfx_symtab *tab)
{
	const struct pfx_symbol *sym = tab->syms.at;
	size_t i;

	for (i = 1; i < tab->syms.nr; i++)
		if (sym[i - 1].end > sym[i].start)
			return true;
	return false;
}

static void find_parents(struct pfx_symtab *tab)
{
	const struct pfx_symbol *sym = tab->syms.at;
	uint32_t i, p;

	if (!any_overlap(tab))
		return;
	tab->parents = pfx_calloc(tab->syms.nr, sizeof(*tab->parents));
	for (i = 0; i < tab->syms.nr; i++) {
		p = i ? i - 1 : NO_PARENT;
		while (p != NO_PARENT && sym[p].end <= sym[i].start)
			p = tab->parents[p];
		tab->parents[i] = p;
	}
}

void pfx_symtab_finish(struct pfx_symtab *tab)
{
	if (!tab->syms.nr)
		return;
	if (tab->last_wins) {
		pfx_symtab_let_last_win(tab);
	} else {
		sort_and_choose(tab);
		give_ends(tab);
		find_parents(tab);
	}
	tab->is_final = pfx_calloc(tab->syms.nr, 1);
}

/* --- look-up --- */

/* For tables with reused addresses (symtab_reuse.c). */
static const struct pfx_symbol *find_run(const struct pfx_symtab *tab, uint64_t addr)
{
	const struct pfx_symbol_run *runs = tab->runs.at;
	size_t behind = pfx_bisect(i, tab->runs.nr, runs[i].start <= addr);

	return behind && addr < runs[behind - 1].end ? final_symbol(tab, behind - 1) : NULL;
}

/* For a label inside a function: the function, if its size covers the address. */
static uint32_t function_around(const struct pfx_symtab *tab, uint32_t label, uint64_t addr)
{
	const struct pfx_symbol *syms = tab->syms.at;
	uint32_t i = tab->parents[label];

	while (i != NO_PARENT && (syms[i].is_label || !syms[i].is_func || addr >= syms[i].end))
		i = tab->parents[i];
	return i == NO_PARENT ? label : i;
}

const struct pfx_symbol *pfx_symtab_find(const struct pfx_symtab *tab, uint64_t addr)
{
	const struct pfx_symbol *syms = tab->syms.at;
	size_t behind;
	uint32_t i;

	if (tab->last_wins)
		return find_run(tab, addr);
	behind = pfx_bisect(at, tab->syms.nr, syms[at].start <= addr);
	i = behind ? (uint32_t)behind - 1 : NO_PARENT;
	while (i != NO_PARENT && addr >= syms[i].end)
		i = tab->parents ? tab->parents[i] : NO_PARENT;
	if (i == NO_PARENT)
		return NULL;
	if (syms[i].is_label && tab->parents)
		i = function_around(tab, i, addr);
	return final_symbol(tab, i);
}

size_t pfx_symtab_nr(const struct pfx_symtab *tab)
{
	return tab->syms.nr;
}

const struct pfx_symbol *pfx_symtab_at(const struct pfx_symtab *tab, size_t i)
{
	return final_symbol(tab, i);
}

bool pfx_symtab_has(const struct pfx_symtab *tab, const char *name)
{
	size_t i;

	for (i = 0; i < pfx_symtab_nr(tab); i++)
		if (!strcmp(pfx_symtab_at(tab, i)->name, name))
			return true;
	return false;
}
