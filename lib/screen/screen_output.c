/* SPDX-License-Identifier: MIT */
/* What leaves the screen, by its host: reports, exports, scripts; and other recordings. */
#include "screen/screen_internal.h"

/* The function whose code is shown; NULL: another view. */
static const char *function_of_code(const struct pfx_screen *s)
{
	return s->place.view == PFX_SCREEN_CODE ? pfx_screen_code_name(s) : NULL;
}

static void save(struct pfx_screen *s)
{
	const struct pfx_screen_host *host = &s->options.host;
	const char *function = host->save_code ? function_of_code(s) : NULL;
	struct pfx_str text = {0}, name = {0};
	struct pfx_error err = {0};
	int rc;

	if (!host->save) {
		pfx_screen_say(s, "nothing can be written here");
		return;
	}
	pfx_screen_text(s, &text);
	if (function)
		rc = host->save_code(host->context, function, &text, &name, &err);
	else
		rc = host->save(host->context, &text, &name, &err);
	if (rc < 0)
		pfx_screen_say(s, err.text);
	else
		pfx_screen_sayf(s, "written to '%s'", pfx_str_get(&name));
	pfx_str_fini(&text);
	pfx_str_fini(&name);
}

static void choose_export(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	struct pfx_str name = {0};
	struct pfx_error err = {0};
	struct pfx_selection picture = {0};
	const struct pfx_selection *selection = pfx_screen_select(s);
	int rc;

	if (!strcmp(entry->name, "html"))
		selection = pfx_screen_select_picture(s, &picture);
	rc = s->options.host.export(s->options.host.context, selection, entry->name, &name, &err);
	pfx_selection_fini(&picture);
	if (rc < 0)
		pfx_screen_say(s, err.text);
	else
		pfx_screen_sayf(s, "written to '%s'", pfx_str_get(&name));
	pfx_str_fini(&name);
}

static void open_exports(struct pfx_screen *s)
{
	static const char *const formats[][2] = {
		{"html", "html    a page for any browser"},
		{"folded", "folded  a line for each stack, for flame graphs"},
		{"pprof", "pprof   a profile for pprof"},
	};
	size_t i;

	if (!s->options.host.export) {
		pfx_screen_say(s, "nothing can be written here");
		return;
	}
	pfx_menu_open(s, "Export what is shown as");
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		pfx_menu_add(s, formats[i][1], choose_export);
		pfx_menu_last(s)->name = formats[i][0];
	}
}

static void choose_recording(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	s->opened = entry->name;
	s->answer = PFX_SCREEN_OPEN;
}

static void open_recordings(struct pfx_screen *s)
{
	const char *path;
	uint32_t n;

	pfx_menu_open(s, "Open another recording");
	for (n = 0; s->options.host.recording &&
		    (path = s->options.host.recording(s->options.host.context, n));
	     n++) {
		pfx_menu_add(s, path, choose_recording);
		pfx_menu_last(s)->name = pfx_screen_intern(s, path);
	}
	pfx_menu_ready(s, "the folder has no other recordings");
}

static void choose_script(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	struct pfx_error err = {0};

	if (s->options.host.run_script(s->options.host.context, (uint32_t)entry->number, &err) < 0)
		pfx_screen_say(s, err.text);
}

static void open_scripts(struct pfx_screen *s)
{
	const struct pfx_screen_host *host = &s->options.host;
	const char *name;
	uint32_t n;

	pfx_menu_open(s, "Run with all samples");
	for (n = 0; host->script && (name = host->script(host->context, n)); n++) {
		pfx_menu_add(s, name, choose_script);
		pfx_menu_last(s)->number = n;
	}
	pfx_menu_ready(s, "there are no scripts");
}

bool pfx_screen_act_output(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_RECORDINGS:
		open_recordings(s);
		return true;
	case PFX_ACT_SCRIPTS:
		open_scripts(s);
		return true;
	case PFX_ACT_SAVE:
		save(s);
		return true;
	case PFX_ACT_EXPORT:
		open_exports(s);
		return true;
	default:
		return false;
	}
}
