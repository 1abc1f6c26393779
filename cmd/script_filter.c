/* SPDX-License-Identifier: MIT */
/*
 * Which samples `pfx script` shows: the words of -c, -S, --dsos, --pid, --tid and -C. A list may
 * also stand in a file, named as file://PATH.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cmd/options.h"
#include "cmd/script_internal.h"

#define LIST_FILE_MAX (16u << 20) /* bytes of a list in a file */

/* The text of a list: the word itself, or the content of the file that it names. */
static int list_text(const char *words, char **ret, struct pfx_error *err)
{
	if (!strncmp(words, "file://", 7))
		return pfx_read_file(words + 7, LIST_FILE_MAX, ret, NULL, err);
	*ret = pfx_strdup(words);
	return 0;
}

/* A list that names nothing takes nothing, so an empty word stays in. */
static int parse_strings(const char *words, struct pfx_script_strings *ret, struct pfx_error *err)
{
	char *text, *rest, *word;
	int rc;

	if (!words)
		return 0;
	rc = list_text(words, &text, err);
	if (rc < 0)
		return rc;
	rest = text;
	while ((word = strsep(&rest, ",\n")))
		if (*word || !ret->nr)
			pfx_vec_push(ret, pfx_strdup(word));
	free(text);
	return 0;
}

static bool parse_number(const char *text, size_t len, uint64_t *ret)
{
	char word[32];

	if (len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	return pfx_parse_u64(word, ret) && *ret <= INT32_MAX;
}

/* The error for a list in which the word at @at is no number. */
static int no_number(const char *list, size_t at, size_t len, const char *option,
		     struct pfx_error *err)
{
	char shown[64], word[64];

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word)),
		 list + at);
	pfx_error_set(err, EINVAL, "'%s' of option '%s' is not a number",
		      pfx_escape(shown, sizeof(shown), word), option);
	pfx_error_point(err, list, at, "for example: 4711,4712");
	return -EINVAL;
}

static int parse_numbers(const char *words, const char *option, struct pfx_script_numbers *ret,
			 struct pfx_error *err)
{
	size_t at, len;
	uint64_t value;
	char *text;
	int rc = 0;

	if (!words)
		return 0;
	rc = list_text(words, &text, err);
	if (rc < 0)
		return rc;
	for (at = 0; !rc && (text[at] || !at); at += len + !!text[at + len]) {
		len = strcspn(text + at, ",\n");
		if (!len && ret->nr)
			continue;
		if (parse_number(text + at, len, &value))
			pfx_vec_push(ret, (uint32_t)value);
		else
			rc = no_number(text, at, len, option, err);
	}
	free(text);
	return rc;
}

static int parse_cpus(struct pfx_script_filters *filters, const char *words, struct pfx_error *err)
{
	filters->has_cpus = words != NULL;
	return pfx_option_read_list(words, &filters->cpus, "a list of CPUs",
				    "for example: -C 0,4-7", err);
}

static bool has_string(const struct pfx_script_strings *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->at[i], text))
			return true;
	return false;
}

/* Words for symbols that are addresses ("0x...") are kept as such. */
static void take_addresses(struct pfx_script_filters *filters, uint64_t range)
{
	uint64_t addr;
	size_t i;

	filters->addr_range = range ? range : 1;
	for (i = 0; i < filters->symbols.nr; i++)
		if (!strncmp(filters->symbols.at[i], "0x", 2) &&
		    pfx_parse_u64(filters->symbols.at[i], &addr))
			pfx_vec_push(&filters->addresses, addr);
}

uint32_t pfx_script_filters_cut(const struct pfx_script_filters *filters,
				struct pfx_resolver *resolver, struct pfx_place **places,
				uint32_t nr)
{
	const struct pfx_symbol *sym;
	uint32_t i;

	for (i = 0; i < nr && filters->stop_symbols.nr; i++) {
		sym = pfx_place_symbol(resolver, places[i]);
		if (sym && has_string(&filters->stop_symbols, sym->name))
			return i + 1;
	}
	return nr;
}

int pfx_script_filters_init(struct pfx_script_filters *filters,
			    const struct pfx_script_filter *words, struct pfx_error *err)
{
	int rc = parse_strings(words->comms, &filters->comms, err);

	if (!rc)
		rc = parse_strings(words->symbols, &filters->symbols, err);
	if (!rc)
		take_addresses(filters, words->addr_range);
	if (!rc)
		rc = parse_strings(words->stop_symbols, &filters->stop_symbols, err);
	if (!rc)
		rc = parse_strings(words->dsos, &filters->dsos, err);
	if (!rc)
		rc = parse_numbers(words->pids, "--pid", &filters->pids, err);
	if (!rc)
		rc = parse_numbers(words->tids, "--tid", &filters->tids, err);
	if (!rc)
		rc = parse_cpus(filters, words->cpus, err);
	return rc;
}

static void free_strings(struct pfx_script_strings *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free(list->at[i]);
	pfx_vec_free(list);
}

void pfx_script_filters_fini(struct pfx_script_filters *filters)
{
	free_strings(&filters->comms);
	free_strings(&filters->symbols);
	free_strings(&filters->dsos);
	free_strings(&filters->stop_symbols);
	pfx_vec_free(&filters->addresses);
	pfx_vec_free(&filters->pids);
	pfx_vec_free(&filters->tids);
	pfx_list_fini(&filters->cpus);
	pfx_time_ranges_fini(&filters->times);
}

static bool has_number(const struct pfx_script_numbers *list, uint32_t number)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->at[i] == number)
			return true;
	return false;
}

bool pfx_script_filters_take_cpu(const struct pfx_script_filters *filters, uint32_t cpu)
{
	return !filters->has_cpus || cpu == (uint32_t)-1 || pfx_list_has(&filters->cpus, (int)cpu);
}

bool pfx_script_filters_take(const struct pfx_script_filters *filters,
			     const struct pfx_sample *sample, const struct pfx_thread *thread)
{
	if (!pfx_time_ranges_have(&filters->times, sample->time))
		return false;
	if (!pfx_script_filters_take_cpu(filters, sample->cpu))
		return false;
	if (filters->pids.nr && !has_number(&filters->pids, sample->pid))
		return false;
	if (filters->tids.nr && !has_number(&filters->tids, sample->tid))
		return false;
	return !filters->comms.nr ||
	       (thread->comm && has_string(&filters->comms, thread->comm->text));
}

static bool has_dso(const struct pfx_script_strings *list, const struct pfx_dso *dso)
{
	return dso && (has_string(list, dso->short_name) || has_string(list, dso->name));
}

static bool has_symbol(const struct pfx_script_filters *filters, const struct pfx_place *place)
{
	size_t i;

	for (i = 0; i < filters->addresses.nr; i++)
		if (place->ip - filters->addresses.at[i] < filters->addr_range)
			return true;
	return place->sym && has_string(&filters->symbols, place->sym->name);
}

bool pfx_script_filters_take_place(const struct pfx_script_filters *filters,
				   const struct pfx_place *place)
{
	if (filters->dsos.nr && !has_dso(&filters->dsos, place->dso))
		return false;
	return !filters->symbols.nr || has_symbol(filters, place);
}
