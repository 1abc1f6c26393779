/* SPDX-License-Identifier: MIT */
/*
 * The filters of `pfx script`: -c, -S, --dsos, --pid, --tid and -C, and the time. -S also accepts
 * addresses.
 */
#include <string.h>

#include "script/script_internal.h"

/* An empty list selects nothing. */
static int parse_names(const char *list, struct pfx_names *ret, struct pfx_error *err)
{
	return list ? pfx_names_parse(ret, list, err) : 0;
}

static int parse_ids(const char *list, struct pfx_ids *ret, struct pfx_error *err)
{
	return list ? pfx_ids_parse(ret, list, err) : 0;
}

static int parse_cpus(struct pfx_filter *filter, const char *list, struct pfx_error *err)
{
	filter->cpus_given = list != NULL;
	return pfx_list_read(list, &filter->cpus, "a list of CPUs", "for example: -C 0,4-7", err);
}

/* Addresses ("0x...") among the symbols are stored separately. */
static void take_addresses(struct pfx_script_filters *filters, uint64_t range)
{
	const struct pfx_intern *words = &filters->of.symbols.words;
	const char *word;
	uint64_t addr;
	uint32_t i;

	filters->addr_range = range ? range : 1;
	for (i = 0; i < words->nr; i++) {
		word = pfx_intern_get(words, i);
		if (!strncmp(word, "0x", 2) && pfx_parse_u64(word, &addr))
			pfx_vec_push(&filters->addresses, addr);
	}
}

uint32_t pfx_script_filters_cut(const struct pfx_script_filters *filters,
				struct pfx_resolver *resolver, struct pfx_place **places,
				uint32_t nr)
{
	const struct pfx_symbol *sym;
	uint32_t i;

	for (i = 0; i < nr && filters->stop_symbols.given; i++) {
		sym = pfx_place_symbol(resolver, places[i]);
		if (sym && pfx_names_has(&filters->stop_symbols, sym->name))
			return i + 1;
	}
	return nr;
}

int pfx_script_filters_init(struct pfx_script_filters *filters,
			    const struct pfx_script_filter *words, struct pfx_error *err)
{
	int rc = parse_names(words->comms, &filters->of.comms, err);

	if (!rc)
		rc = parse_names(words->symbols, &filters->of.symbols, err);
	if (!rc)
		take_addresses(filters, words->addr_range);
	if (!rc)
		rc = parse_names(words->stop_symbols, &filters->stop_symbols, err);
	if (!rc)
		rc = parse_names(words->dsos, &filters->of.dsos, err);
	if (!rc)
		rc = parse_ids(words->pids, &filters->of.pids, err);
	if (!rc)
		rc = parse_ids(words->tids, &filters->of.tids, err);
	if (!rc)
		rc = parse_cpus(&filters->of, words->cpus, err);
	return rc;
}

void pfx_script_filters_fini(struct pfx_script_filters *filters)
{
	pfx_filter_fini(&filters->of);
	pfx_intern_fini(&filters->stop_symbols.words);
	pfx_vec_free(&filters->addresses);
	pfx_time_ranges_fini(&filters->times);
}

static bool takes_cpu(const struct pfx_filter *filter, uint32_t cpu)
{
	return cpu == (uint32_t)-1 || pfx_filter_cpu(filter, cpu);
}

bool pfx_script_takes_cpu(const struct pfx_script *s, uint32_t cpu)
{
	return takes_cpu(&s->filters.of, cpu);
}

bool pfx_script_filters_take(const struct pfx_script_filters *filters,
			     const struct pfx_sample *sample, const struct pfx_thread *thread)
{
	const struct pfx_filter *filter = &filters->of;

	if (!pfx_time_ranges_have(&filters->times, sample->time))
		return false;
	if (!takes_cpu(filter, sample->cpu))
		return false;
	if (filter->pids.given && !pfx_ids_has(&filter->pids, sample->pid))
		return false;
	if (filter->tids.given && !pfx_ids_has(&filter->tids, sample->tid))
		return false;
	return !filter->comms.given ||
	       (thread->comm && pfx_filter_comm(filter, thread->comm->text));
}

static bool has_address(const struct pfx_script_filters *filters, uint64_t ip)
{
	size_t i;

	for (i = 0; i < filters->addresses.nr; i++)
		if (ip - filters->addresses.at[i] < filters->addr_range)
			return true;
	return false;
}

bool pfx_script_filters_take_place(const struct pfx_script_filters *filters,
				   const struct pfx_place *place)
{
	return pfx_filter_dso(&filters->of, place->dso) &&
	       (has_address(filters, place->ip) || pfx_filter_symbol(&filters->of, place->sym));
}
