/* SPDX-License-Identifier: MIT */
/*
 * Messages for programs. The folders below speak of the options of the command line; here these
 * become what a caller of libpfx can do. A test reads these tables, and every sentence and hint of
 * these folders: none may speak of an option afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "api/for_program.h"

#define TEXT_MAX sizeof(((struct pfx_error *)NULL)->hint)
_Static_assert(sizeof(((struct pfx_error *)NULL)->text) == TEXT_MAX, "one size for both");

/* In this order; longer ones first. */
static const struct {
	const char *from, *to;
} words[] = {
	{"use -f to read it all the same", "PFX_INPUT_FORCE reads it all the same"},
	{"-f follows it all the same", "PFX_INPUT_FORCE follows it all the same"},
	{"-f takes it all the same", "PFX_INPUT_FORCE takes it all the same"},
	{"'pfx record' makes one, -i FILE names another", "a capture into a file makes one"},
	{"make one with 'pfx record', or name one with -i", "a capture into a file makes one"},
	{"'pfx record' makes recordings; name one with -i FILE", "a capture into a file makes one"},
	{"'pfx record' makes recordings", "a capture into a file makes one"},
	{"unpack it first: bzip2 -dc FILE | pfx ... -i -", "unpack it with bzip2 first"},
	{"record it first: pfx record -- FILE", "record it first: a capture runs it"},
	{"read it with -i ", "open "},
	{"name it with -o FILE", "name it in 'output'"},
	{"name a file on another disk with -o FILE", "name a file on another disk in 'output'"},
	{"name another file with -o FILE", "name another file in 'output'"},
	{"name a file with -o FILE", "name a file in 'output'"},
	{"leave '-o -' out", "name a file in 'output'"},
	{"-o names another place for the recording", "unpack it elsewhere, and open that"},
	{"'pfx evlist' shows those that are", "pfx_input_event_info() names those that are"},
	{"-C counts from 0", "'cpus' counts from 0"},
	{"give --time in seconds, as 'start,stop'", "'from' and 'to' are times in ns"},
	{"unpack it with 'pfx archive --unpack' and read", "unpack it and open"},
	{"like --filter 'filter main", "like 'filter main"},
	{"like -e sched:sched_switch", "like sched:sched_switch"},
	{"add the term period=, or -c", "add the term period=, or set 'period'"},
	{"-F max takes what is allowed", "set a lower 'freq'"},
	{"like -e '{intel_pt", "like '{intel_pt"},
	{"like --aux-sample -e '{intel_pt//,cycles}'",
	 "like '{intel_pt//,cycles/aux-sample-size=4096/}'"},
	{"add --per-thread", "name threads in 'tids'"},
	{"like --call-graph fp,32; or --call-graph fp,defer", "like fp,32; or fp,defer"},
	{"like --call-graph dwarf,16384", "like dwarf,16384"},
	{"record with --kcore, or name the image with --vmlinux", "name the image in 'vmlinux'"},
	{", or record with --kcore", ""},
	{"name its image with --vmlinux", "name its image in 'vmlinux'"},
	{"give its image with --vmlinux or its symbols with --kallsyms",
	 "give its image in 'vmlinux' or its symbols in 'kallsyms'"},
	{"'pfx record' and 'pfx report' of the program show it", "samples of the program show it"},
	{"give --control fd:N[,M] or --control fifo:PATH[,PATH], the second one for answers", ""},
	{"ask for less with -m,PAGES, ", ""},
	{"ask for less with -m, ", ""},
	{"ask for less with -m", "record fewer events, or on fewer CPUs"},
	{"ask for another size with -m,PAGES", ""},
	{"(without -a, your own", "(without 'all_cpus', your own"},
	{"with -c instead of -F", "with 'period' instead of 'freq'"},
	{"--symfs takes the files", "'symfs' takes the files"},
	{"node --perf-prof, recorded with -k mono", "for example of node --perf-prof"},
	{"--unwind-style rows works for every machine", ""},
	{"for callers, --call-graph fp and --call-graph dwarf work",
	 "for callers, fp and dwarf work"},
	{"leave -W out", "leave 'weights' out"},
	{"leave --transaction out", "leave 'transactions' out"},
	{"leave --phys-data out", "leave 'physical_addresses' out"},
	{"leave --all-cgroups out", "leave 'cgroups' out"},
	{"leave --namespaces out", "leave 'namespaces' out"},
	{"leave --data-page-size out", "record without the sizes of pages"},
	{"leave --code-page-size out", "record without the sizes of pages"},
	{"-I? lists those of this machine; --user-regs and -I=ip work with all events", ""},
	{"--user-regs=? lists them", ""},
	{"branch sampling (-b, -j)", "branch sampling"},
	{"the second size of -m", "'trace_bytes'"},
	{"give more with -m,SIZE", "give more 'trace_bytes'"},
	{"name one with -o", "name one in 'output'"},
	{"name a file with -o", "name a file in 'output'"},
	{"--aux-sample", "the term aux-sample-size="},
	{"leave --buildid-mmap out", "leave that out"},
};

/* Options and the members that they are here, where they are words of their own outside of quotes.
 */
static const struct {
	const char *option, *member;
} members[] = {
	{"-C", "'cpus'"},
	{"-G", "'cgroup'"},
	{"-I", "'intr_regs'"},
	{"-S", "'trace_snapshots'"},
	{"-W", "'weights'"},
	{"-a", "'all_cpus'"},
	{"-k", "'clock'"},
	{"--all-cgroups", "'cgroups'"},
	{"--call-graph", "'call_graph'"},
	{"--code-page-size", "'page_sizes'"},
	{"--control", "the control channel"},
	{"--data-page-size", "'page_sizes'"},
	{"--filter", "'filter'"},
	{"--kcore", "'kcore'"},
	{"--namespaces", "'namespaces'"},
	{"--phys-data", "'physical_addresses'"},
	{"--switch-events", "'switches'"},
	{"--threads", "writing by several threads"},
	{"--transaction", "'transactions'"},
	{"--user-regs", "'user_regs'"},
};

/* Put @to in place of @len bytes at @at in @text; what becomes too long is cut off. */
static void put(char *text, char *at, size_t len, const char *to)
{
	char rest[TEXT_MAX];

	memcpy(rest, at + len, strlen(at + len) + 1);
	snprintf(at, TEXT_MAX - (size_t)(at - text), "%s%s", to, rest);
}

static void replace(char *text, const char *from, const char *to)
{
	char *at = strstr(text, from);

	if (at)
		put(text, at, strlen(from), to);
}

/* The member that is the option at @at; NULL: none. */
static const char *member_at(const char *at, size_t *ret_len)
{
	size_t len = strcspn(at, " ,:;)"), i;

	*ret_len = len;
	for (i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strlen(members[i].option) == len && !strncmp(members[i].option, at, len))
			return members[i].member;
	return NULL;
}

static void replace_options(char *text)
{
	bool is_quoted = false;
	const char *member;
	size_t len;
	char *at;

	for (at = text; *at; at++) {
		is_quoted ^= *at == '\'';
		if (is_quoted || *at != '-' || (at > text && !strchr(" (", at[-1])))
			continue;
		member = member_at(at, &len);
		if (!member)
			continue;
		put(text, at, len, member);
		at += strlen(member) - 1;
	}
}

static void translate(char *text)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		replace(text, words[i].from, words[i].to);
	replace_options(text);
}

static bool keeps_options; /* of the program, from its start on */

void pfx_api_use_options(void)
{
	keeps_options = true;
}

int pfx_api_rc(int rc, struct pfx_error *err)
{
	if (rc < 0 && err && !keeps_options) {
		translate(err->text);
		translate(err->hint);
	}
	return rc;
}
