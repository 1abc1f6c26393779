/* SPDX-License-Identifier: MIT */
/*
 * What the reading of vendor events from a directory shares: objects of JSON files as pairs of
 * texts, and the rows that become of them. All text is owned by the load's arena.
 */
#ifndef PFX_PMU_VENDOR_INTERNAL_H
#define PFX_PMU_VENDOR_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "pmu/vendor/vendor.h"
#include "pmu/vendor/vendor_table.h"

/* The largest sets of vendors stay well below these. */
#define PFX_VENDOR_FILE_LIMIT (64u << 20)  /* bytes of one file */
#define PFX_VENDOR_ALL_LIMIT  (256u << 20) /* bytes of all files */
#define PFX_VENDOR_FILES_MAX  4096
#define PFX_VENDOR_ROWS_MAX   400000
#define PFX_VENDOR_KEYS_MAX   128 /* of one object */
#define PFX_VENDOR_JSON_DEPTH 8   /* an object in a list in an object, and some room */
#define PFX_VENDOR_DIR_DEPTH  3

struct pfx_vendor_pair {
	const char *key, *value;
};

struct pfx_vendor_object {
	const struct pfx_vendor_pair *pairs;
	size_t nr;
};

struct pfx_vendor_objects {
	PFX_VEC(struct pfx_vendor_object) list;
};

/* As pfx_read_file(), which waits for the writer of a FIFO: only plain files are read. */
int pfx_vendor_read_text(const char *path, size_t limit, char **ret, size_t *ret_size,
			 struct pfx_error *err);
/* The objects of a file: of a list, or of the list "Events" of an object; other objects have none.
 * ENOTSUP where pfx is built without a reader of JSON. */
int pfx_vendor_read_json(const char *path, struct pfx_arena *arena, size_t *ret_bytes,
			 struct pfx_vendor_objects *ret, struct pfx_error *err);

/* Events and metrics that were read, and where they go. */
struct pfx_vendor_load {
	struct pfx_arena arena;
	PFX_VEC(struct pfx_vendor_event) events;
	PFX_VEC(struct pfx_vendor_metric) metrics;
	struct pfx_vendor_objects standard; /* that "ArchStdEvent" names */
	size_t nr_files, bytes;
};

/* Add the rows of one object. @pmu: of objects that name none, "" for the core's; what cannot be
 * understood is left out. */
void pfx_vendor_add_object(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			   const char *topic, const char *pmu);

/* The set that was read by pfx_vendor_use_dir(), or NULL. */
struct pfx_vendor_set {
	struct pfx_vendor_cpu_row row; /* only its address is used: it stands for the CPU */
	const char *cpuid;
	struct pfx_vendor_load load; /* sorted */
};
const struct pfx_vendor_set *pfx_vendor_loaded(void);

#endif
