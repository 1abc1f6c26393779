/* SPDX-License-Identifier: MIT */
/*
 * Shared by the readers of vendor events from a directory: objects of JSON files as pairs of texts,
 * and the rows made from them. All text is owned by the load's arena.
 */
#ifndef PFX_PMU_VENDOR_INTERNAL_H
#define PFX_PMU_VENDOR_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "pmu/vendor/vendor.h"
#include "pmu/vendor/vendor_table.h"

/* Much larger than the largest sets of vendors. */
#define PFX_VENDOR_FILE_LIMIT (64u << 20)  /* bytes of one file */
#define PFX_VENDOR_ALL_LIMIT  (256u << 20) /* bytes of all files */
#define PFX_VENDOR_FILES_MAX  4096
#define PFX_VENDOR_ROWS_MAX   400000
#define PFX_VENDOR_KEYS_MAX   128 /* of one object */
#define PFX_VENDOR_JSON_DEPTH 8   /* an object in a list in an object, with some reserve */
#define PFX_VENDOR_DIR_DEPTH  3

struct pfx_vendor_pair {
	const char *key, *value;
};

struct pfx_vendor_object {
	const struct pfx_vendor_pair *pairs;
	size_t nr;
	size_t line; /* where it begins in its file; 0: unknown */
};

struct pfx_vendor_objects {
	PFX_VEC(struct pfx_vendor_object) list;
};

/* The objects of the text of a file: of a list, or of the list "Events" of an object; other objects
 * have none. @path is for messages. ENOTSUP where pfx is built without a reader of JSON. */
int pfx_vendor_parse_json(const char *text, size_t size, const char *path, struct pfx_arena *arena,
			  struct pfx_vendor_objects *ret, struct pfx_error *err);

/* Events and metrics of a CPU, sorted by name. */
struct pfx_vendor_rows {
	PFX_VEC(struct pfx_vendor_event) events;
	PFX_VEC(struct pfx_vendor_metric) metrics;
	const char *counters; /* "=4,3;cpu_atom=8,3": generic and fixed ones by PMU; or NULL */
};

/* The state of reading a directory. */
struct pfx_vendor_load {
	struct pfx_arena arena;
	struct pfx_vendor_rows rows;
	struct pfx_vendor_objects standard; /* objects for "ArchStdEvent" */
	const char *model; /* only objects whose "Models" have this word; NULL: all */
	size_t nr_files, bytes;
	const char *path; /* the file that is read */
	/* What was left out: how many objects, and the first of them. */
	size_t nr_mistakes;
	struct pfx_error mistake;
};

/* Count an object that is left out. @what: "event 'A.B': ..." */
void pfx_vendor_mistake(struct pfx_vendor_load *load, size_t line, const char *what);

/* Add the rows of one object. @pmu: for objects without a PMU, "" for the core's; an object
 * with a mistake is left out. */
void pfx_vendor_add_object(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			   const char *topic, const char *pmu);

#endif
