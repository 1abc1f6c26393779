/* SPDX-License-Identifier: MIT */
/* Shared by the loading of filters and the functions that they call. */
#ifndef PFX_SCRIPT_SCRIPT_DLFILTER_INTERNAL_H
#define PFX_SCRIPT_SCRIPT_DLFILTER_INTERNAL_H

#include "base/alloc.h"
#include "base/buffer.h"
#include "script/perf_dlfilter.h"
#include "script/script_dlfilter.h"
#include "script/script_engine.h"

/* The functions of a filter; NULL: it has none. */
struct pfx_dlfilter_functions {
	int (*start)(void **data, void *ctx);
	int (*stop)(void *data, void *ctx);
	int (*filter_event)(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
	int (*filter_event_early)(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
	const char *(*describe)(const char **long_description);
};

struct pfx_dlfilter {
	char *path;
	void *handle;
	struct pfx_dlfilter_functions does;
	void *data; /* the filter's */
	bool is_started;
	char **args;
	int nr_args;
	const struct pfx_script_view *view;
	const struct pfx_script_sample *now; /* while a filter runs; NULL: outside */
	struct perf_dlfilter_al ip, addr;    /* results of its calls */
	struct pfx_script_insn insn;
	struct pfx_buffer attr;
	const struct pfx_event *attr_of; /* the event whose attr it is */
	PFX_VEC(struct perf_branch_entry) branches;
	PFX_VEC(__u64) chain;
};

/* The functions that filters call. */
void pfx_dlfilter_fill(struct perf_dlfilter_fns *fns);

#endif
