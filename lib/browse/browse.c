/* SPDX-License-Identifier: MIT */
#include "browse/browse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/find_inlined.h"
#include "code/read_costs.h"
#include "sys/host/bpf_programs.h"
#include "view/read_profile.h"

const char *pfx_browse_path(const struct pfx_browse *browse)
{
	return pfx_reader_info(pfx_recording_reader(browse->task->recording))->path;
}

static void say_now(struct pfx_browse *browse, const char *text)
{
	pfx_screen_say(browse->screen, text);
	if (browse->task->draw)
		browse->task->draw(browse->task->context);
}

/* --- the profile --- */

int pfx_browse_read(struct pfx_browse *browse, const struct pfx_browse_task *task,
		    struct pfx_error *err)
{
	const struct pfx_profile_reading reading = {
		.recording = task->recording,
		.filter = task->filter,
		.times = task->times,
		.event_switch = task->event_switch,
		.counts = task->counts,
		.hists = task->hists,
		.running = task->running,
		.frames_by = task->frames_by,
		.keep_times = true,
		.offer_broken = true,
		.step = task->step,
		.step_context = task->context,
	};
	int rc;

	browse->task = task;
	browse->files.recording = task->recording;
	browse->sources = pfx_sources_new();
	rc = pfx_profile_read(&reading, &browse->profile, err);
	if (!rc && task->hists)
		pfx_hists_finish(task->hists);
	return rc;
}

void pfx_browse_show(struct pfx_browse *browse, struct pfx_screen *screen)
{
	browse->screen = screen;
	pfx_screen_show(screen, browse->profile);
}

static int read_again(const struct pfx_browse_task *task, struct pfx_profile_reading *reading,
		      const char *path, struct pfx_profile **ret, struct pfx_error *err)
{
	int rc = pfx_recording_open(&reading->recording, path, task->how, err);

	if (rc < 0)
		return rc;
	pfx_recording_resolve(reading->recording, task->resolving);
	rc = pfx_profile_read(reading, ret, err);
	pfx_recording_free(reading->recording);
	return rc;
}

/* The same samples with frames of another kind. */
static int read_frames(void *context, enum pfx_profile_frames by, struct pfx_error *err)
{
	struct pfx_browse *browse = context;
	const struct pfx_browse_task *task = browse->task;
	struct pfx_profile_reading reading = {
		.filter = task->filter,
		.times = task->times,
		.frames_by = by,
		.keep_times = true,
	};
	struct pfx_profile *profile;
	int rc;

	if (task->event_switch && (task->event_switch->on || task->event_switch->off))
		return pfx_error_set(err, ENOTSUP,
				     "not with --switch-on and --switch-off: use -s srcline");
	say_now(browse, "reading the recording again ...");
	rc = read_again(task, &reading, pfx_browse_path(browse), &profile, err);
	if (rc < 0)
		return rc;
	pfx_screen_show(browse->screen, profile);
	pfx_profile_free(browse->profile);
	browse->profile = profile;
	pfx_screen_say(browse->screen, "");
	return 0;
}

/* --- code --- */

static void free_code(struct pfx_browse *browse)
{
	pfx_costs_free(browse->costs);
	pfx_recording_free(browse->recording);
	browse->costs = NULL;
	browse->recording = NULL;
}

static int read_costs(struct pfx_browse *browse, struct pfx_error *err)
{
	const struct pfx_browse_task *task = browse->task;
	struct pfx_resolve_options resolving = *task->resolving;
	int rc = pfx_recording_open(&browse->recording, pfx_browse_path(browse), task->how, err);

	if (rc < 0)
		return rc;
	resolving.inlines = true;
	resolving.read_bpf = pfx_bpf_programs_read;
	pfx_recording_resolve(browse->recording, &resolving);
	browse->costs = pfx_costs_new(pfx_recording_resolver(browse->recording));
	return pfx_costs_read(
		browse->costs,
		&(struct pfx_costs_reading){.recording = browse->recording, .filter = task->filter},
		err);
}

/* What was read. */
static void give_code(struct pfx_browse *browse, struct pfx_screen_code *ret)
{
	*ret = (struct pfx_screen_code){
		.resolver = pfx_recording_resolver(browse->recording),
		.costs = browse->costs,
		.options = browse->task->code,
	};
	if (!ret->options.sources)
		ret->options.sources = browse->sources;
	pfx_sources_archived(ret->options.sources, pfx_recording_sources(browse->recording));
	pfx_sources_fetch(ret->options.sources, pfx_resolver_fetch(ret->resolver));
	ret->nr_functions = pfx_costs_functions(
		browse->costs, pfx_recording_meta(browse->recording)->nr_events, &ret->functions);
}

static int read_code(void *context, struct pfx_screen_code *ret, struct pfx_error *err)
{
	struct pfx_browse *browse = context;
	int rc;

	say_now(browse, "reading what the instructions cost ...");
	free_code(browse);
	rc = read_costs(browse, err);
	if (rc < 0)
		return rc;
	give_code(browse, ret);
	pfx_screen_say(browse->screen, "");
	return 0;
}

/* The function with the most samples that fits; else the one that such a function is inlined in.
 * NULL: none. */
static const char *fitting_function(const struct pfx_browse *browse,
				    const struct pfx_screen_code *code,
				    const struct pfx_asked_name *asked, bool *ret_inlined)
{
	const struct pfx_filter *filter = browse->task->filter;
	struct pfx_inlined_at at;
	uint32_t i;

	*ret_inlined = false;
	for (i = 0; i < code->nr_functions; i++)
		if (pfx_filter_dso(filter, code->functions[i].dso) &&
		    pfx_asked_name_fits(asked, code->functions[i].symbol->name))
			return code->functions[i].symbol->name;
	*ret_inlined = pfx_costs_find_inlined(browse->costs, code->resolver, filter, asked, &at);
	return *ret_inlined ? at.outer->symbol->name : NULL;
}

/* What to show for a symbol that is no function with samples; the caller frees the name. If nothing
 * was read for code yet, the screen will have it read again. */
static char *function_for(struct pfx_browse *browse, const char *symbol, bool *ret_inlined)
{
	struct pfx_asked_name asked = {.word = symbol};
	struct pfx_screen_code code;
	struct pfx_error err = {0};
	const char *name;
	char *ret;

	if (browse->costs)
		give_code(browse, &code);
	else if (read_code(browse, &code, &err))
		return NULL;
	name = fitting_function(browse, &code, &asked, ret_inlined);
	if (!name) {
		pfx_asked_name_loosen(&asked);
		name = fitting_function(browse, &code, &asked, ret_inlined);
	}
	ret = name ? pfx_strdup(name) : NULL;
	pfx_asked_name_fini(&asked);
	return ret;
}

void pfx_browse_go(struct pfx_browse *browse, const char *symbol)
{
	char shown[128], in[128], text[512], *name;
	bool is_inlined, is_shown;

	if (pfx_screen_go(browse->screen, symbol, true) || !symbol)
		return;
	name = function_for(browse, symbol, &is_inlined);
	is_shown = name && pfx_screen_go(browse->screen, name, true);
	pfx_escape(shown, sizeof(shown), symbol);
	if (!is_shown)
		snprintf(text, sizeof(text), "'%s' has no samples, or no code to show", shown);
	else if (is_inlined)
		snprintf(text, sizeof(text), "'%s' is inlined in '%s'", shown,
			 pfx_escape(in, sizeof(in), name));
	if (!is_shown || is_inlined)
		pfx_screen_say(browse->screen, text);
	free(name);
}

/* --- tables that profiles do not have --- */

static int make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		      struct pfx_screen_sheet *ret, struct pfx_error *err)
{
	struct pfx_browse *browse = context;
	const struct pfx_browse_task *task = browse->task;

	return task->sheet(task->sheet_context, wish, browse->profile, ret, err);
}

static int check_keys(void *context, const char *keys, struct pfx_error *err)
{
	const struct pfx_browse_task *task = ((struct pfx_browse *)context)->task;

	return task->sheet_keys(task->sheet_context, keys, err);
}

/* --- files --- */

static const char *nth_recording(void *context, uint32_t n)
{
	return pfx_screen_files_recording(&((struct pfx_browse *)context)->files, n);
}

static int save(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		struct pfx_error *err)
{
	return pfx_screen_files_save(&((struct pfx_browse *)context)->files, text, ret_name, err);
}

static int save_code(void *context, const char *function, const struct pfx_str *text,
		     struct pfx_str *ret_name, struct pfx_error *err)
{
	return pfx_screen_files_save_code(&((struct pfx_browse *)context)->files, function, text,
					  ret_name, err);
}

static int export_format(void *context, const struct pfx_selection *selection, const char *format,
			 struct pfx_str *ret_name, struct pfx_error *err)
{
	return pfx_screen_files_export(&((struct pfx_browse *)context)->files, selection, format,
				       ret_name, err);
}

void pfx_browse_host(struct pfx_browse *browse, struct pfx_screen_host *ret)
{
	ret->context = browse;
	ret->code = read_code;
	ret->frames = read_frames;
	ret->recording = nth_recording;
	ret->save = save;
	ret->save_code = save_code;
	ret->export = export_format;
	ret->sheet = browse->task->sheet ? make_sheet : NULL;
	ret->sheet_keys = browse->task->sheet_keys ? check_keys : NULL;
}

void pfx_browse_fini(struct pfx_browse *browse)
{
	free_code(browse);
	pfx_screen_files_fini(&browse->files);
	pfx_sources_free(browse->sources);
	pfx_profile_free(browse->profile);
	*browse = (struct pfx_browse){0};
}
