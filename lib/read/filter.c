/* SPDX-License-Identifier: MIT */
/* Sets of words and numbers, and the checks of samples against them. */
#include "read/filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"

#define FILE_PREFIX "file://"
/* limit for the size of a file with a list */
#define LIST_FILE_LIMIT (16u << 20)

void pfx_filter_fini(struct pfx_filter *filter)
{
	pfx_intern_fini(&filter->comms.words);
	pfx_intern_fini(&filter->dsos.words);
	pfx_intern_fini(&filter->symbols.words);
	pfx_hash_fini(&filter->pids.at);
	pfx_hash_fini(&filter->tids.at);
	pfx_list_fini(&filter->cpus);
	pfx_list_fini(&filter->parallelism);
	memset(filter, 0, sizeof(*filter));
}

/* The words of a list and their separator: the list itself, or the contents of the file that it
 * names. The caller frees the text. */
static int list_text(const char *list, char **ret, const char **ret_ends, struct pfx_error *err)
{
	*ret_ends = ",";
	if (strncmp(list, FILE_PREFIX, strlen(FILE_PREFIX))) {
		*ret = pfx_strdup(list);
		return 0;
	}
	*ret_ends = "\n";
	return pfx_read_file(list + strlen(FILE_PREFIX), LIST_FILE_LIMIT, ret, NULL, err);
}

int pfx_names_parse(struct pfx_names *names, const char *list, struct pfx_error *err)
{
	const char *ends, *at;
	char *text;
	size_t len;
	int rc = list_text(list, &text, &ends, err);

	names->given = true;
	if (rc)
		return rc;
	for (at = text; *at; at += len + !!at[len]) {
		len = strcspn(at, ends);
		if (len)
			pfx_intern_add(&names->words, at, len);
	}
	free(text);
	return 0;
}

void pfx_names_of(struct pfx_names *ret, const char *word)
{
	*ret = (struct pfx_names){.given = true};
	pfx_intern_add(&ret->words, word, strlen(word));
}

void pfx_names_fini(struct pfx_names *names)
{
	pfx_intern_fini(&names->words);
	*names = (struct pfx_names){0};
}

bool pfx_names_has(const struct pfx_names *names, const char *word)
{
	size_t len = strlen(word);
	uint32_t i;

	/* A linear search is enough: lists are short, and each distinct name is checked once. */
	for (i = 0; i < names->words.nr; i++)
		if (names->words.entries[i].len == len &&
		    !memcmp(names->words.entries[i].data, word, len))
			return true;
	return false;
}

const char *pfx_names_only(const struct pfx_names *names)
{
	return names->words.nr == 1 ? pfx_intern_get(&names->words, 0) : NULL;
}

static bool parse_id(const char *text, size_t len, uint64_t *ret)
{
	char word[24] = "";

	if (len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	return pfx_parse_u64(word, ret) && *ret <= INT32_MAX;
}

/* False if there is no number, or *@at is not one; empty words are skipped. */
static bool add_ids(struct pfx_ids *ids, const char **at, const char *ends)
{
	bool any = false;
	uint64_t id;
	size_t len;

	for (; **at; *at += len + !!(*at)[len]) {
		len = strcspn(*at, ends);
		if (!len)
			continue;
		if (!parse_id(*at, len, &id))
			return false;
		*pfx_hash_add(&ids->at, id, NULL) = 1;
		any = true;
	}
	return any;
}

int pfx_ids_parse(struct pfx_ids *ids, const char *list, struct pfx_error *err)
{
	const char *ends, *at;
	char *text, shown[128];
	int rc = list_text(list, &text, &ends, err);

	ids->given = true;
	if (rc)
		return rc;
	at = text;
	if (!add_ids(ids, &at, ends)) {
		rc = pfx_error_set(err, EINVAL, "'%s' is not a list of numbers separated by %s",
				   pfx_escape(shown, sizeof(shown), list),
				   *ends == ',' ? "commas" : "newlines");
		pfx_error_point(err, text, (size_t)(at - text),
				*ends == ',' ? "for example: 4711,4712" : "one number a line");
	}
	free(text);
	return rc;
}

bool pfx_ids_has(const struct pfx_ids *ids, uint32_t id)
{
	return pfx_hash_get(&ids->at, id) != NULL;
}

int pfx_filter_check_cpus(const struct pfx_filter *filter, const struct pfx_meta *meta,
			  struct pfx_error *err)
{
	uint32_t nr_cpus = meta->env.nr_cpus_avail, i;
	const struct pfx_list *cpus = &filter->cpus;
	char shown[128];

	for (i = 0; filter->cpus_given && i < meta->nr_events; i++)
		if (!(meta->events[i]->attr.sample_type & PFX_SAMPLE_CPU))
			return pfx_error_set(
				err, EINVAL,
				"-C cannot choose: the samples of event '%s' were "
				"recorded without their CPU",
				pfx_escape(shown, sizeof(shown), meta->events[i]->name));
	if (!nr_cpus || !cpus->nr || (uint32_t)cpus->at[0] < nr_cpus)
		return 0;
	pfx_error_set(err, EINVAL, "the recorded machine has no CPU %d", cpus->at[0]);
	pfx_error_hint(err, "it has %" PRIu32 ", and -C counts from 0", nr_cpus);
	return -EINVAL;
}

bool pfx_filter_cpu(const struct pfx_filter *filter, uint32_t cpu)
{
	return !filter->cpus_given || pfx_list_has(&filter->cpus, (int)cpu);
}

bool pfx_filter_thread(const struct pfx_filter *filter, const struct pfx_thread *thread)
{
	if (filter->pids.given && !pfx_ids_has(&filter->pids, thread->pid))
		return false;
	return !filter->tids.given || pfx_ids_has(&filter->tids, thread->tid);
}

bool pfx_filter_comm(const struct pfx_filter *filter, const char *comm)
{
	return !filter->comms.given || pfx_names_has(&filter->comms, comm);
}

bool pfx_filter_dso(const struct pfx_filter *filter, const struct pfx_dso *dso)
{
	return !filter->dsos.given || (dso && (pfx_names_has(&filter->dsos, dso->short_name) ||
					       pfx_names_has(&filter->dsos, dso->name)));
}

bool pfx_filter_symbol(const struct pfx_filter *filter, const struct pfx_symbol *sym)
{
	return !filter->symbols.given || (sym && pfx_names_has(&filter->symbols, sym->name));
}

bool pfx_filter_symbol_part(const struct pfx_filter *filter, const struct pfx_symbol *sym)
{
	return !filter->symbol_part || (sym && strstr(sym->name, filter->symbol_part));
}

bool pfx_filter_place(const struct pfx_filter *filter, const struct pfx_place *place)
{
	return pfx_filter_dso(filter, place->dso) && pfx_filter_symbol(filter, place->sym) &&
	       pfx_filter_symbol_part(filter, place->sym);
}
