/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's domains of each CPU: the CPUs with which it balances load, nearest first. Input
 * is /proc/schedstat, where a line for each CPU is followed by a line for each of its domains:
 *
 *	version 17
 *	cpu0 0 0 ...
 *	domain0 SMT 00000003 ...	the name from version 17 on, then the mask of CPUs
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sys/host/host_internal.h"

#define SCHEDSTAT_MAX (64u << 20) /* thousands of CPUs with some domains each */
#define NAMES_SINCE   17          /* version of the file */

static void add_range(struct pfx_str *to, unsigned from, unsigned end)
{
	if (from == end)
		return;
	pfx_str_addf(to, "%s%u", pfx_str_get(to)[0] ? "," : "", from);
	if (end - from > 1)
		pfx_str_addf(to, "-%u", end - 1);
}

static unsigned hex_value(char digit)
{
	return (unsigned)(isdigit((unsigned char)digit) ? digit - '0' : (digit | 0x20) - 'a' + 10);
}

/* "0000000c" is "2-3". */
static const char *list_of_mask(const struct host *host, const char *mask)
{
	struct pfx_str list = {0};
	unsigned cpu = 0, from = 0, bit;
	bool in_range = false, is_set;
	const char *at, *ret;

	for (at = mask + strlen(mask); at-- > mask;) {
		for (bit = 0; *at != ',' && bit < 4; bit++, cpu++) {
			is_set = hex_value(*at) >> bit & 1;
			if (in_range && !is_set)
				add_range(&list, from, cpu);
			if (!in_range)
				from = cpu;
			in_range = is_set;
		}
	}
	add_range(&list, from, in_range ? cpu : from);
	ret = pfx_arena_strdup(host->arena, pfx_str_get(&list));
	pfx_str_fini(&list);
	return ret;
}

/* The word at @*at, which is advanced; NULL at the end of the line. */
static const char *next_word(const struct host *host, const char **at)
{
	const char *word = *at + strspn(*at, " \t");
	size_t len = strcspn(word, " \t\n");

	*at = word + len;
	return len ? pfx_arena_strndup(host->arena, word, len) : NULL;
}

/* The number after @word at the start of a line, -1 for other lines. */
static long number_behind(const char *line, const char *word)
{
	size_t len = strlen(word);
	char *end;
	long value;

	if (strncmp(line, word, len) != 0 || !isdigit((unsigned char)line[len]))
		return -1;
	value = strtol(line + len, &end, 10);
	return value <= INT32_MAX && isspace((unsigned char)*end) ? value : -1;
}

static bool read_domain(const struct host *host, const char *line, struct pfx_env_domain *ret)
{
	long number = number_behind(line, "domain");

	*ret = (struct pfx_env_domain){.domain = (uint32_t)number};
	line += strcspn(line, " \t\n");
	if (number >= 0 && host->env->schedstat_version >= NAMES_SINCE)
		ret->name = next_word(host, &line);
	ret->cpumask = number >= 0 ? next_word(host, &line) : NULL;
	if (!ret->cpumask || ret->cpumask[strspn(ret->cpumask, "0123456789abcdefABCDEF,")])
		return false;
	ret->cpulist = list_of_mask(host, ret->cpumask);
	return true;
}

/* The domain lines after the line of a CPU. */
static void read_domains(const struct host *host, const char *line, struct pfx_env_cpu_domains *cpu)
{
	PFX_VEC(struct pfx_env_domain) domains = {0};
	struct pfx_env_domain domain;

	while ((line = strchr(line, '\n')) && read_domain(host, ++line, &domain))
		pfx_vec_push(&domains, domain);
	cpu->nr = (uint32_t)domains.nr;
	cpu->domains = pfx_arena_memdup(host->arena, domains.at, domains.nr * sizeof(*domains.at));
	pfx_vec_free(&domains);
}

static void read_cpus(const struct host *host, const char *text)
{
	struct pfx_env *env = host->env;
	PFX_VEC(struct pfx_env_cpu_domains) cpus = {0};
	const char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		struct pfx_env_cpu_domains cpu = {0};
		long number;

		line += *line == '\n';
		number = number_behind(line, "cpu");
		if (number < 0)
			continue;
		cpu.cpu = (uint32_t)number;
		read_domains(host, line, &cpu);
		if (cpu.nr > env->max_sched_domains)
			env->max_sched_domains = cpu.nr;
		pfx_vec_push(&cpus, cpu);
	}
	env->nr_cpu_domains = (uint32_t)cpus.nr;
	env->cpu_domains = pfx_arena_memdup(host->arena, cpus.at, cpus.nr * sizeof(*cpus.at));
	pfx_vec_free(&cpus);
}

void pfx_host_sched(const struct host *host)
{
	char path[HOST_PATH_MAX], *text = NULL;
	long version;

	if (pfx_read_file(pfx_host_path(host, path, "/proc/schedstat"), SCHEDSTAT_MAX, &text, NULL,
			  NULL))
		return;
	version = number_behind(text, "version ");
	if (version >= 0) {
		host->env->schedstat_version = (uint32_t)version;
		read_cpus(host, text);
	}
	if (host->env->nr_cpu_domains)
		pfx_env_set(host->env, PFX_FEAT_CPU_DOMAIN_INFO);
	free(text);
}
