/* SPDX-License-Identifier: MIT */
/* Names of the ABI's numbers: events, sample bits, flags. One table each is used for parsing and
 * printing. */
#ifndef PFX_EVENT_NAMES_H
#define PFX_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "event/attr.h"

struct pfx_event_name {
	const char *name;  /* printed name: "cpu-cycles" is printed as "cycles" */
	const char *alias; /* second accepted name, or NULL */
	uint32_t type;
	uint64_t config;
};
/* Hardware and software events; *@ret_nr is the number of elements. */
const struct pfx_event_name *pfx_event_names(size_t *ret_nr);

#define PFX_CACHE_TYPES   7
#define PFX_CACHE_OPS     3
#define PFX_CACHE_RESULTS 2
/* All names of a cache, operation or result; the first is printed; ends with NULL. */
const char *const *pfx_cache_type_names(unsigned type);
const char *const *pfx_cache_op_names(unsigned op);
const char *const *pfx_cache_result_names(unsigned result);
/* Whether the kernel supports the operation for this cache. */
bool pfx_cache_op_is_valid(unsigned type, unsigned op);
/* "L1-dcache-load-misses" for a config of type HW_CACHE into @out; false when out of range. */
bool pfx_cache_name(uint64_t config, char *out, size_t size);

/* A name made from an attr: "cycles", "cpu-clock", "L1-dcache-loads", "raw 0x1a8", "mem:0x10:rw",
 * "unknown attr type: 9", with modifiers according to its flags (":u"). */
void pfx_attr_name(const struct pfx_attr *attr, char *out, size_t size);

/* The attr as `key: value` pairs separated by ", " (evlist -v, report --header); the bits of a word
 * are separated by '|'. */
void pfx_attr_text(const struct pfx_attr *attr, struct pfx_str *to);

#endif
