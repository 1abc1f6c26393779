/* SPDX-License-Identifier: MIT */
/*
 * Translates address filters to numbers for the kernel. Symbols of files become file offsets, as
 * the kernel requires; kernel symbols become addresses.
 */
#include "record/plan/address_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "sym/table/symtab.h"

static const struct action {
	const char *name, *kernel;
	bool is_region;
} actions[] = {
	{"filter", "filter", true},
	{"start", "start", false},
	{"stop", "stop", false},
	{"tracestop", "stop", true},
};
#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* One parsed filter. The strings are owned. */
struct part {
	const struct action *action;
	char *start, *end, *file; /* end: a size or the last function; NULL if not given */
};

static void part_fini(struct part *part)
{
	free(part->start);
	free(part->end);
	free(part->file);
}

static int fail(struct pfx_error *err, const char *what, const char *word)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "address filter: %s '%s'", what,
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "like --filter 'filter main @ /bin/ls', or 'start 0x1000 @ FILE, stop "
			    "0x2000 @ FILE'; actions are filter, start, stop and tracestop");
	return -EINVAL;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* The next word; a file's name may contain a '/'. */
static char *take_word(const char **at, const char *ends)
{
	const char *start = skip_blanks(*at);
	size_t len = strcspn(start, ends);

	*at = skip_blanks(start + len);
	return len ? pfx_strndup(start, len) : NULL;
}

static int find_action(const char *word, const struct action **ret, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < NR_ACTIONS; i++) {
		if (strcmp(word, actions[i].name) != 0)
			continue;
		*ret = &actions[i];
		return 0;
	}
	return fail(err, "there is no action", word);
}

static int parse_part(const char **at, struct part *part, struct pfx_error *err)
{
	char *word = take_word(at, " \t,/@");
	int rc = word ? find_action(word, &part->action, err) : fail(err, "nothing before", *at);

	free(word);
	if (rc < 0)
		return rc;
	part->start = take_word(at, " \t,/@");
	if (!part->start)
		return fail(err, "no address after", part->action->name);
	if (**at == '/') {
		++*at;
		part->end = take_word(at, " \t,@");
		if (!part->end || !part->action->is_region)
			return fail(err, "no size goes with", part->action->name);
	}
	if (**at == '@') {
		++*at;
		part->file = take_word(at, " \t,");
		if (!part->file)
			return fail(err, "no file after", "@");
	}
	return 0;
}

static int load_symbols(const struct part *part, struct pfx_symtab **ret, struct pfx_error *err)
{
	struct pfx_sym_request request = {
		.kind = part->file ? PFX_SYM_FILE : PFX_SYM_KERNEL,
		.path = part->file ? part->file : "[kernel.kallsyms]",
	};
	struct pfx_sym_options options = {.no_demangle = true};

	return pfx_symtab_load(ret, &request, &options, err);
}

/* NAME, or NAME#N for the N-th of several symbols of that name. */
static const struct pfx_symbol *find_symbol(const struct pfx_symtab *tab, const char *word)
{
	size_t len = strcspn(word, "#"), nr = 1, i;
	const struct pfx_symbol *symbol;

	if (word[len])
		nr = strtoul(word + len + 1, NULL, 10);
	for (i = 0; i < pfx_symtab_nr(tab); i++) {
		symbol = pfx_symtab_at(tab, i);
		if (strlen(symbol->name) == len && !memcmp(symbol->name, word, len) && !--nr)
			return symbol;
	}
	return NULL;
}

/* The region from the symbols of a part; numbers are used unchanged. */
static int find_region(const struct part *part, const struct pfx_symtab *tab, uint64_t *start,
		       uint64_t *size, struct pfx_error *err)
{
	const struct pfx_symbol *symbol = NULL;

	if (!pfx_parse_u64(part->start, start)) {
		symbol = find_symbol(tab, part->start);
		if (!symbol)
			return fail(err, "there is no function", part->start);
		*start = symbol->start;
	}
	*size = symbol ? symbol->end - symbol->start : 0;
	if (!part->end || pfx_parse_u64(part->end, size))
		return 0;
	symbol = find_symbol(tab, part->end);
	if (!symbol || symbol->end <= *start)
		return fail(err, "the region does not end at", part->end);
	*size = symbol->end - *start;
	return 0;
}

static int add_part(const struct part *part, struct pfx_str *to, struct pfx_error *err)
{
	struct pfx_symtab *tab = NULL;
	uint64_t start = 0, size = 0;
	char *file = part->file ? realpath(part->file, NULL) : NULL;
	int rc = 0;

	if (part->file && !file)
		return fail(err, "there is no file", part->file);
	if (!isdigit((unsigned char)*part->start) ||
	    (part->end && !isdigit((unsigned char)*part->end)))
		rc = load_symbols(part, &tab, err);
	if (rc >= 0)
		rc = find_region(part, tab, &start, &size, err);
	if (rc >= 0 && part->action->is_region && !size)
		rc = fail(err, "the region has no size:", part->start);
	if (rc >= 0) {
		pfx_str_addf(to, "%s%s 0x%llx", to->len ? "," : "", part->action->kernel,
			     (unsigned long long)start);
		if (part->action->is_region)
			pfx_str_addf(to, "/0x%llx", (unsigned long long)size);
		if (file)
			pfx_str_addf(to, "@%s", file);
	}
	pfx_symtab_free(tab);
	free(file);
	return rc;
}

int pfx_address_filter(const char *words, char **ret, struct pfx_error *err)
{
	struct pfx_str text = {0};
	const char *at = skip_blanks(words);
	int rc = *at ? 0 : fail(err, "it is empty:", words);

	while (rc >= 0 && *at) {
		struct part part = {0};

		rc = parse_part(&at, &part, err);
		if (rc >= 0)
			rc = add_part(&part, &text, err);
		part_fini(&part);
		at = skip_blanks(at);
		at = *at == ',' ? skip_blanks(at + 1) : at;
	}
	*ret = rc < 0 ? NULL : pfx_strdup(pfx_str_get(&text));
	pfx_str_fini(&text);
	return rc;
}
