/* SPDX-License-Identifier: MIT */
/*
 * Tables of the HTML page that are not made of its samples, where they are recorded: accesses to
 * memory, and branches. They count samples while a recording is read as a profile, before the
 * filters of views.
 *
 *	tables = pfx_page_tables_new(&setup);
 *	reading.take = pfx_page_tables_take, reading.take_context = tables;
 */
#ifndef PFX_EXPORT_PAGE_TABLES_H
#define PFX_EXPORT_PAGE_TABLES_H

#include "read/filter.h"
#include "read/samples.h"
#include "unwind/resolve.h"

struct pfx_page_tables;

/* All borrowed, until the tables are freed. */
struct pfx_page_tables_setup {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_filter *filter;
	bool guest; /* with the samples of guests */
};

/* Those that the events of the recording have data for; the caller frees it. */
struct pfx_page_tables *pfx_page_tables_new(const struct pfx_page_tables_setup *setup);
/* @tables may be NULL. */
void pfx_page_tables_free(struct pfx_page_tables *tables);
/* Count a sample; @context: the tables. */
void pfx_page_tables_take(void *context, const struct pfx_event *event,
			  const struct pfx_sample *sample, struct pfx_thread *thread);

#endif
