/* SPDX-License-Identifier: MIT */
/*
 * "sys:event" to the ids of tracefs, with globs on either side. Only directories of tracefs are
 * read here, not the formats of events.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "pmu/parse/parse_internal.h"
#include "pmu/sysfs/tracefs.h"

#define PATH_SIZE 512

static void id_path(char path[PATH_SIZE], const char *tracefs, const char *sys, const char *event)
{
	snprintf(path, PATH_SIZE, "%s/events/%s/%s/id", tracefs, sys, event);
}

static int add_one(struct pfx_parser *p, const char *tracefs, const char *sys, const char *event)
{
	struct pfx_event_spec *spec;
	char path[PATH_SIZE];
	uint64_t id;
	int err;

	id_path(path, tracefs, sys, event);
	err = pfx_read_u64(path, &id);
	if (err)
		return err;
	spec = pfx_event_add(p, PFX_TYPE_TRACEPOINT, id);
	spec->name = pfx_strfmt("%s:%s", sys, event);
	return 0;
}

static void names_below(struct pfx_name_list *to, struct pfx_parser *p, const char *tracefs,
			const char *sys)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/events%s%s", tracefs, *sys ? "/" : "", sys);
	pfx_names_of_dir(to, &p->pmus.arena, path);
}

static bool is_dir_below(const char *tracefs, const char *sys)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/events/%s/", tracefs, sys);
	return !access(path, F_OK);
}

/* Suggest the most similar event of an existing system. */
static void propose_event(struct pfx_parser *p, const char *tracefs, const char *sys,
			  const char *event)
{
	struct pfx_name_list names = {0};
	char text[PATH_SIZE];
	size_t i;

	names_below(&names, p, tracefs, sys);
	for (i = 0; i < names.names.nr; i++) {
		snprintf(text, sizeof(text), "%s:%s", sys, names.names.at[i]);
		names.names.at[i] = pfx_arena_strdup(&p->pmus.arena, text);
	}
	snprintf(text, sizeof(text), "%s:%s", sys, event);
	pfx_parse_near(p, text, &names);
	pfx_vec_free(&names.names);
}

/* Suggest the system: one that has the event, else the most similar name. */
static void propose_system(struct pfx_parser *p, const char *tracefs, const char *sys,
			   const char *event)
{
	const char *found = pfx_tracepoint_find(p, event);
	struct pfx_name_list names = {0};

	if (found) {
		pfx_parse_advise(p, "did you mean '%s'?", found);
		return;
	}
	names_below(&names, p, tracefs, "");
	pfx_parse_near(p, sys, &names);
	pfx_vec_free(&names.names);
}

static int unknown(struct pfx_parser *p, const struct pfx_token *where, const char *tracefs,
		   const char *sys, const char *event)
{
	char shown_sys[PFX_SHOWN_SIZE], shown[PFX_SHOWN_SIZE];

	pfx_escape(shown_sys, sizeof(shown_sys), sys);
	pfx_escape(shown, sizeof(shown), event);
	if (is_dir_below(tracefs, sys)) {
		pfx_parse_fail(p, where, "tracepoint system '%s' has no event '%s'", shown_sys,
			       shown);
		propose_event(p, tracefs, sys, event);
	} else {
		pfx_parse_fail(p, where, "no tracepoint system is called '%s'", shown_sys);
		propose_system(p, tracefs, sys, event);
	}
	pfx_parse_reason(p, where, "unknown tracepoint: %s", p->err ? p->err->text : "");
	if (!strncmp(sys, "sdt_", 4) || !strncmp(sys, "probe", 5))
		pfx_parse_advise(p, "a probe has to be made before it can be recorded");
	return -EINVAL;
}

/* All events of one system that match. */
static void add_matching(struct pfx_parser *p, const char *tracefs, const char *sys,
			 const char *pattern)
{
	struct pfx_name_list events = {0};
	size_t i;

	names_below(&events, p, tracefs, sys);
	for (i = 0; i < events.names.nr; i++)
		if (!fnmatch(pattern, events.names.at[i], 0))
			add_one(p, tracefs, sys, events.names.at[i]);
	pfx_vec_free(&events.names);
}

static void add_glob(struct pfx_parser *p, const char *tracefs, const char *sys, const char *event)
{
	struct pfx_name_list systems = {0};
	size_t i;

	names_below(&systems, p, tracefs, "");
	for (i = 0; i < systems.names.nr; i++)
		if (!fnmatch(sys, systems.names.at[i], 0))
			add_matching(p, tracefs, systems.names.at[i], event);
	pfx_vec_free(&systems.names);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static int add_all(struct pfx_parser *p, const struct pfx_token *where, const char *sys,
		   const char *event)
{
	const char *tracefs = pfx_tracefs(p->roots, p->err);
	char shown[PFX_SHOWN_SIZE], path[PATH_SIZE];
	size_t first = p->list->specs.nr;
	int err;

	if (!tracefs)
		return -p->err->code;
	if (is_glob(sys) || is_glob(event)) {
		add_glob(p, tracefs, sys, event);
		if (p->list->specs.nr == first)
			return pfx_parse_fail(p, where, "no tracepoint matches '%s'",
					      pfx_parse_show(shown, where));
		return 0;
	}
	err = add_one(p, tracefs, sys, event);
	id_path(path, tracefs, sys, event);
	if (err == -EACCES || err == -EPERM)
		return pfx_tracefs_fail(p->err, -err, path);
	return err ? unknown(p, where, tracefs, sys, event) : 0;
}

int pfx_tracepoint_add(struct pfx_parser *p, const struct pfx_token *sys,
		       const struct pfx_token *event)
{
	struct pfx_token where = *sys;
	char *s, *e;
	int ret;

	where.end = event->end;
	where.len = event->end - sys->col;
	if (*where.at == '%') { /* the mark of an SDT event */
		where.at++;
		where.len--;
	}
	s = pfx_strndup(where.at, sys->len - (size_t)(where.at - sys->at));
	e = pfx_strndup(event->at, event->len);
	ret = add_all(p, &where, s, e);
	free(s);
	free(e);
	return ret;
}

bool pfx_tracepoint_exists(struct pfx_parser *p, const struct pfx_token *sys,
			   const struct pfx_token *event)
{
	const char *tracefs = pfx_tracefs_now(p->roots);
	char path[PATH_SIZE];

	if (!tracefs)
		return false;
	snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/id", tracefs, (int)sys->len, sys->at,
		 (int)event->len, event->at);
	return !access(path, F_OK);
}

const char *pfx_tracepoint_find(struct pfx_parser *p, const char *event)
{
	const char *tracefs = pfx_tracefs_now(p->roots), *found = NULL;
	struct pfx_name_list systems = {0};
	char path[PATH_SIZE];
	size_t i;

	if (!tracefs || !*event || event[0] == '.' || is_glob(event))
		return NULL;
	names_below(&systems, p, tracefs, "");
	for (i = 0; i < systems.names.nr && !found; i++) {
		id_path(path, tracefs, systems.names.at[i], event);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s:%s", systems.names.at[i], event);
		found = pfx_arena_strdup(&p->pmus.arena, path);
	}
	pfx_vec_free(&systems.names);
	return found;
}
