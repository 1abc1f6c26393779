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

static int parse_numbers(const char *words, const char *option, struct pfx_script_numbers *ret,
			 struct pfx_error *err)
{
	struct pfx_script_strings list = {0};
	uint64_t value;
	char shown[64];
	size_t i;
	int rc = parse_strings(words, &list, err);

	for (i = 0; i < list.nr; i++) {
		if (!rc && (!pfx_parse_u64(list.at[i], &value) || value > INT32_MAX))
			rc = pfx_error_set(err, EINVAL, "'%s' of option '%s' is not a number",
					   pfx_escape(shown, sizeof(shown), list.at[i]), option);
		if (!rc)
			pfx_vec_push(ret, (uint32_t)value);
		free(list.at[i]);
	}
	pfx_vec_free(&list);
	return rc;
}

static int parse_cpus(struct pfx_script_filters *filters, const char *words, struct pfx_error *err)
{
	char shown[64];

	if (!words)
		return 0;
	filters->has_cpus = true;
	if (pfx_list_parse(words, &filters->cpus))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a list of CPUs",
		      pfx_escape(shown, sizeof(shown), words));
	pfx_error_hint(err, "for example: -C 0,4-7");
	return -EINVAL;
}

int pfx_script_filters_init(struct pfx_script_filters *filters,
			    const struct pfx_script_filter *words, struct pfx_error *err)
{
	int rc = parse_strings(words->comms, &filters->comms, err);

	if (!rc)
		rc = parse_strings(words->symbols, &filters->symbols, err);
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
	pfx_vec_free(&filters->pids);
	pfx_vec_free(&filters->tids);
	pfx_list_fini(&filters->cpus);
	pfx_time_ranges_fini(&filters->times);
}

static bool has_string(const struct pfx_script_strings *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->at[i], text))
			return true;
	return false;
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

/* A symbol by its name or by the address where it starts ("0x..."). */
static bool has_symbol(const struct pfx_script_strings *list, const struct pfx_place *place)
{
	char start[32];

	if (!place->sym)
		return false;
	if (has_string(list, place->sym->name))
		return true;
	snprintf(start, sizeof(start), "0x%llx",
		 (unsigned long long)(place->ip - (place->addr - place->sym->start)));
	return has_string(list, start);
}

bool pfx_script_filters_take_place(const struct pfx_script_filters *filters,
				   const struct pfx_place *place)
{
	if (filters->dsos.nr && !has_dso(&filters->dsos, place->dso))
		return false;
	return !filters->symbols.nr || has_symbol(&filters->symbols, place);
}
