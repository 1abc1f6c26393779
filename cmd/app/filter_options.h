/* SPDX-License-Identifier: MIT */
/* Options with lists of names or ids, for the filter of a command: rows of kind PFX_OPT_VALUE. */
#ifndef PFX_CMD_FILTER_OPTIONS_H
#define PFX_CMD_FILTER_OPTIONS_H

#include "cli/options.h"

/* The value is a struct pfx_names. */
int pfx_option_names(void *value, const char *arg, bool unset, struct pfx_error *err);
/* The value is a struct pfx_ids. */
int pfx_option_ids(void *value, const char *arg, bool unset, struct pfx_error *err);

/* Rows of a table of options. The struct pfx_filter is the member @filter of the options, whose
 * offsets AT() gives; the letter for commands differs. */
#define PFX_OPT_FILTER_NAMES(filter, comms_letter)                                                  \
	{PFX_OPT_VALUE,    comms_letter, "comms",                                                   \
	 AT(filter.comms), "list",       "only these command names",                                \
	 pfx_option_names},                                                                         \
		{PFX_OPT_VALUE,   'd', "dsos", AT(filter.dsos), "list", "only these binaries",      \
		 pfx_option_names},                                                                 \
		{PFX_OPT_VALUE,   'S', "symbols", AT(filter.symbols), "list", "only these symbols", \
		 pfx_option_names},                                                                 \
		{PFX_OPT_VALUE, 0, "pid", AT(filter.pids), "list", "only these processes",          \
		 pfx_option_ids},                                                                   \
	{                                                                                           \
		PFX_OPT_VALUE, 0, "tid", AT(filter.tids), "list", "only these threads",             \
			pfx_option_ids                                                              \
	}
#define PFX_OPT_TIME_SPAN(field)                                                           \
	{                                                                                  \
		PFX_OPT_STRING, 0, "time", AT(field), "span",                              \
			"only from start,stop in seconds, or a part like 10%-20% or 10%/2" \
	}
/* The member is a struct pfx_event_switch. */
#define PFX_OPT_EVENT_SWITCH(field)                                                       \
	{PFX_OPT_STRING, 0,       "switch-on",                                            \
	 AT(field.on),   "event", "start counting at the first sample of this event"},    \
		{PFX_OPT_STRING,                                                          \
		 0,                                                                       \
		 "switch-off",                                                            \
		 AT(field.off),                                                           \
		 "event",                                                                 \
		 "stop counting at a sample of this event; --switch-on starts it again"}, \
	{                                                                                 \
		PFX_OPT_BOOL, 0, "show-on-off-events", AT(field.shows), NULL,             \
			"count the samples of these two events, too"                      \
	}

#endif
