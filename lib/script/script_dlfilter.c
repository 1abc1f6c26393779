/* SPDX-License-Identifier: MIT */
/*
 * Loads a filter and asks it about each sample. What the filter calls back is in
 * script_dlfilter_calls.c.
 */
#include "script/script_dlfilter.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dl.h"
#include "base/str.h"
#include "script/script_catalog.h"
#include "script/script_dlfilter_internal.h"
#include "script/script_internal.h"

#define FOLDER      "dlfilters"  /* below the directory that has scripts/ */
#define NO_DATA_SRC 0x5080021ull /* "not available" in every field */
#define LIST_COLUMN 36

/* --- loading --- */

static char *find_filter(const char *file)
{
	char *root, *path;

	if (strchr(file, '/'))
		return pfx_strdup(file);
	path = pfx_strfmt("./%s", file);
	if (!access(path, R_OK))
		return path;
	free(path);
	root = pfx_script_root();
	path = pfx_strfmt("%s/" FOLDER "/%s", root, file);
	free(root);
	return path;
}

static bool find_functions(struct pfx_dlfilter *filter)
{
	struct pfx_dlfilter_functions *does = &filter->does;

#define FIND(name, field) pfx_dl_function(filter->handle, name, &does->field, sizeof(does->field))
	FIND("start", start);
	FIND("stop", stop);
	FIND("filter_description", describe);
	FIND("filter_event", filter_event);
	FIND("filter_event_early", filter_event_early);
#undef FIND
	return does->filter_event || does->filter_event_early;
}

static int open_filter(struct pfx_dlfilter **ret, char *path, struct pfx_error *err)
{
	struct pfx_dlfilter *filter = pfx_calloc(1, sizeof(*filter));
	struct perf_dlfilter_fns *fns;
	char shown[256], why[512];

	*ret = filter;
	filter->path = path;
	filter->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!filter->handle)
		return pfx_error_set(err, ELIBACC, "cannot load the filter '%s': %s",
				     pfx_escape(shown, sizeof(shown), path),
				     pfx_escape(why, sizeof(why), dlerror()));
	if (!find_functions(filter))
		return pfx_error_set(err, ELIBBAD,
				     "'%s' is not a filter: it has neither filter_event nor "
				     "filter_event_early",
				     pfx_escape(shown, sizeof(shown), path));
	fns = dlsym(filter->handle, "perf_dlfilter_fns");
	if (fns)
		pfx_dlfilter_fill(fns);
	return 0;
}

int pfx_dlfilter_load(struct pfx_dlfilter **ret, const char *file, char **args, int nr_args,
		      struct pfx_error *err)
{
	int rc = open_filter(ret, find_filter(file), err);

	if (rc < 0) {
		pfx_dlfilter_free(*ret);
		*ret = NULL;
		return rc;
	}
	(*ret)->args = args;
	(*ret)->nr_args = nr_args;
	return 0;
}

void pfx_dlfilter_free(struct pfx_dlfilter *filter)
{
	if (!filter)
		return;
	if (filter->handle)
		dlclose(filter->handle);
	pfx_buffer_fini(&filter->attr);
	pfx_vec_free(&filter->branches);
	pfx_vec_free(&filter->chain);
	free(filter->path);
	free(filter);
}

/* --- listing --- */

static void add_row(const char *folder, const char *name, bool is_long, struct pfx_str *to)
{
	struct pfx_dlfilter *filter;
	const char *more = NULL, *text;

	if (open_filter(&filter, pfx_strfmt("%s/%s", folder, name), NULL) >= 0) {
		text = filter->does.describe ? filter->does.describe(&more) : NULL;
		pfx_str_addf(to, "  %-*s ", LIST_COLUMN, name);
		pfx_str_add_escaped(to, text ? text : "", text ? strlen(text) : 0);
		pfx_str_addc(to, '\n');
		if (is_long && more)
			pfx_str_addf(to, "%s\n", more);
	}
	pfx_dlfilter_free(filter);
}

static int is_library(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 3 && !strcmp(entry->d_name + len - 3, ".so");
}

static void add_folder(const char *folder, bool is_long, struct pfx_str *to)
{
	struct dirent **entries;
	int i, nr = scandir(folder, &entries, is_library, alphasort);

	for (i = 0; i < nr; i++) {
		add_row(folder, entries[i]->d_name, is_long, to);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

void pfx_dlfilter_list(bool is_long, struct pfx_str *to)
{
	char *root = pfx_script_root(), *folder = pfx_strfmt("%s/" FOLDER, root);

	add_folder(".", is_long, to);
	add_folder(folder, is_long, to);
	free(folder);
	free(root);
}

/* --- samples --- */

static void fill_branches(struct pfx_dlfilter *filter, const struct pfx_branch_stack *stack)
{
	struct pfx_branch branch;
	uint64_t i;

	filter->branches.nr = 0;
	for (i = 0; i < stack->nr; i++) {
		branch = pfx_branch_at(stack, i);
		memcpy(pfx_vec_add(&filter->branches), &branch, sizeof(branch));
	}
}

static void fill_chain(struct pfx_dlfilter *filter, const struct pfx_words *words)
{
	uint64_t i;

	filter->chain.nr = 0;
	for (i = 0; i < words->nr; i++)
		pfx_vec_push(&filter->chain, pfx_word(words, i));
}

/* What was not recorded is all ones for identifiers, as in perf. */
static void fill_ids(const struct pfx_script_view *view, const struct pfx_sample *s,
		     struct perf_dlfilter_sample *to)
{
	const uint64_t with_id = PFX_SAMPLE_ID | PFX_SAMPLE_IDENTIFIER;
	uint32_t pid, vcpu;

	to->id = s->type & with_id ? s->id : UINT64_MAX;
	to->stream_id = s->type & PFX_SAMPLE_STREAM_ID ? s->stream_id : UINT64_MAX;
	to->vcpu = -1;
	if (pfx_session_guest(view->session, s->id, &pid, &vcpu)) {
		to->machine_pid = (__s32)pid;
		to->vcpu = (__s32)vcpu;
	}
}

static void fill_sample(struct pfx_dlfilter *filter, struct perf_dlfilter_sample *to)
{
	const struct pfx_script_sample *now = filter->now;
	const struct pfx_sample *s = now->sample;

	fill_branches(filter, &s->branch);
	fill_chain(filter, &s->chain);
	*to = (struct perf_dlfilter_sample){
		.size = sizeof(*to),
		.ins_lat = s->weight2,
		.p_stage_cyc = s->weight3,
		.ip = s->ip,
		.pid = (__s32)s->pid,
		.tid = (__s32)s->tid,
		.time = s->time,
		.addr = s->addr,
		.period = s->period,
		.weight = s->weight,
		.transaction = s->transaction,
		.cpu = (__s32)s->cpu,
		.data_src = s->type & PFX_SAMPLE_DATA_SRC ? s->data_src : NO_DATA_SRC,
		.phys_addr = s->phys_addr,
		.data_page_size = s->data_page_size,
		.code_page_size = s->code_page_size,
		.cgroup = s->cgroup,
		.cpumode = (__u8)s->cpumode,
		.addr_correlates_sym = (s->type & PFX_SAMPLE_ADDR) &&
				       pfx_script_addr_has_symbol(&now->event->attr),
		.misc = s->misc,
		.raw_size = (__u32)s->raw.size,
		.raw_data = s->raw.at,
		.brstack_nr = filter->branches.nr,
		.brstack = filter->branches.at,
		.raw_callchain_nr = filter->chain.nr,
		.raw_callchain = filter->chain.at,
		.event = now->event->name,
	};
	fill_ids(filter->view, s, to);
}

int pfx_script_ask_filter(struct pfx_script *s, const struct pfx_script_sample *sample,
			  bool is_early, struct pfx_error *err)
{
	struct pfx_dlfilter *filter = s->how.dlfilter;
	struct perf_dlfilter_sample told;
	int rc;

	if (!filter || !(is_early ? filter->does.filter_event_early : filter->does.filter_event))
		return 0;
	/* what the filter prints is in the order of the lines */
	rc = pfx_script_flush(s, 0, err);
	if (rc < 0)
		return rc;
	filter->now = sample;
	fill_sample(filter, &told);
	rc = (is_early ? filter->does.filter_event_early
		       : filter->does.filter_event)(filter->data, &told, filter);
	filter->now = NULL;
	fflush(stdout);
	if (rc >= 0)
		return rc > 0;
	return pfx_error_set(err, ECANCELED, "the filter '%s' failed with %d", filter->path, rc);
}

int pfx_script_start_filter(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_dlfilter *filter = s->how.dlfilter;
	int rc;

	if (!filter)
		return 0;
	filter->view = &s->view;
	rc = filter->does.start ? filter->does.start(&filter->data, filter) : 0;
	if (rc)
		return pfx_error_set(err, ECANCELED, "the filter '%s' did not start: %d",
				     filter->path, rc);
	filter->is_started = true;
	return 0;
}

int pfx_script_stop_filter(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_dlfilter *filter = s->how.dlfilter;
	int rc = 0;

	if (filter && filter->is_started && filter->does.stop)
		rc = filter->does.stop(filter->data, filter);
	if (!rc)
		return 0;
	return pfx_error_set(err, ECANCELED, "the filter '%s' failed with %d at its end",
			     filter->path, rc);
}
