/* SPDX-License-Identifier: MIT */
/* Sets of words and numbers, and the questions that are asked of them. */
#include "hist/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"

#define FILE_PREFIX "file://"
/* A list of names that somebody wrote by hand or with a script. */
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

/* Adds the words of @text, which any byte of @separators ends. */
static void add_names(struct pfx_names *names, const char *text, const char *separators)
{
	size_t len;

	for (; *text; text += len + !!text[len]) {
		len = strcspn(text, separators);
		if (len)
			pfx_intern_add(&names->words, text, len);
	}
}

int pfx_names_parse(struct pfx_names *names, const char *text, struct pfx_error *err)
{
	char *content;
	int rc;

	names->given = true;
	if (strncmp(text, FILE_PREFIX, strlen(FILE_PREFIX))) {
		add_names(names, text, ",");
		return 0;
	}
	rc = pfx_read_file(text + strlen(FILE_PREFIX), LIST_FILE_LIMIT, &content, NULL, err);
	if (rc)
		return rc;
	add_names(names, content, "\n");
	free(content);
	return 0;
}

bool pfx_names_has(const struct pfx_names *names, const char *word)
{
	size_t len = strlen(word);
	uint32_t i;

	/* Lists are short, and each distinct name is asked for once. */
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

int pfx_ids_parse(struct pfx_ids *ids, const char *text, struct pfx_error *err)
{
	const char *all = text;
	char word[24], safe[128];
	uint64_t id;
	size_t len;

	ids->given = true;
	for (; *text; text += len + !!text[len]) {
		len = strcspn(text, ",");
		if (!len)
			continue;
		memset(word, 0, sizeof(word));
		memcpy(word, text, len < sizeof(word) ? len : sizeof(word) - 1);
		if (!pfx_parse_u64(word, &id) || id > INT32_MAX) {
			pfx_error_set(err, EINVAL, "'%s' is no list of numbers separated by commas",
				      pfx_escape(safe, sizeof(safe), all));
			pfx_error_point(err, all, (size_t)(text - all), "for example: 4711,4712");
			return -EINVAL;
		}
		*pfx_hash_add(&ids->at, id, NULL) = 1;
	}
	return 0;
}

bool pfx_ids_has(const struct pfx_ids *ids, uint32_t id)
{
	return pfx_hash_get(&ids->at, id) != NULL;
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

static bool dso_passes(const struct pfx_names *dsos, const struct pfx_dso *dso)
{
	return dso && (pfx_names_has(dsos, dso->short_name) || pfx_names_has(dsos, dso->name));
}

bool pfx_filter_place(const struct pfx_filter *filter, const struct pfx_place *place)
{
	if (filter->dsos.given && !dso_passes(&filter->dsos, place->dso))
		return false;
	if (filter->symbol_part && (!place->sym || !strstr(place->sym->name, filter->symbol_part)))
		return false;
	return !filter->symbols.given ||
	       (place->sym && pfx_names_has(&filter->symbols, place->sym->name));
}
