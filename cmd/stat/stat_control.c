/* SPDX-License-Identifier: MIT */
/* Enabling and disabling counters during counting by --control. */
#include <string.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/control_words.h"
#include "cmd/stat/stat_internal.h"

int pfx_stat_control_open(struct pfx_stat_view *view, struct pfx_error *err)
{
	int rc = pfx_control_channel_open(&view->control, view->options->control, err);

	if (rc < 0 || !view->options->control)
		return rc;
	return pfx_watch_fd(&view->run->watch, view->control.fd, 0, err);
}

void pfx_stat_control_close(struct pfx_stat_view *view)
{
	pfx_control_channel_close(&view->control);
}

static void enable(struct pfx_stat_view *view, const char *name, bool on)
{
	char shown[128];

	if (!*name) {
		pfx_stat_switch(view->run, on);
		return;
	}
	pfx_escape(shown, sizeof(shown), name);
	if (!pfx_stat_switch_event(view->run, name, on))
		pfx_print_note("stat", "--control: there is no event '%s'", shown);
	else if (!view->options->quiet)
		pfx_print_line("Event %s %s", shown, on ? "enabled" : "disabled");
}

static void list_events(const struct pfx_stat_view *view, const char *form)
{
	struct pfx_str text = {0};

	pfx_stat_events_text(view->run, form, &text);
	pfx_print_line("%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* False for an unknown command. */
static bool obey(void *context, const char *line)
{
	struct pfx_stat_view *view = context;
	const char *words;

	if ((words = pfx_control_words(line, "enable")))
		enable(view, words, true);
	else if ((words = pfx_control_words(line, "disable")))
		enable(view, words, false);
	else if ((words = pfx_control_words(line, "evlist")) && pfx_control_is_list_form(words))
		list_events(view, words);
	else if (!strcmp(line, "stop"))
		view->run->stops = true;
	else if (strcmp(line, "ping") != 0)
		return false;
	return true;
}

static void tell(void *context, enum pfx_control_trouble trouble, const char *line)
{
	(void)context;
	pfx_control_say("stat", trouble, line);
}

void pfx_stat_control_read(struct pfx_stat_view *view)
{
	const struct pfx_control_listener listener = {obey, tell, view};

	/* The other end was closed: there will be no more commands. */
	if (!pfx_control_channel_read(&view->control, &listener))
		pfx_watch_forget(&view->run->watch, view->control.fd);
}
