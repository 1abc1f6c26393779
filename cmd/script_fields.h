/* SPDX-License-Identifier: MIT */
/* The fields of a line of `pfx script`, and the words of -F that choose them. */
#ifndef PFX_CMD_SCRIPT_FIELDS_H
#define PFX_CMD_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/meta.h"

/* The fields of a line, in the order in which they are printed. */
#define PFX_SCRIPT_COMM           (1u << 0)
#define PFX_SCRIPT_TID            (1u << 1)
#define PFX_SCRIPT_PID            (1u << 2)
#define PFX_SCRIPT_TIME           (1u << 3)
#define PFX_SCRIPT_CPU            (1u << 4)
#define PFX_SCRIPT_EVENT          (1u << 5)
#define PFX_SCRIPT_TRACE          (1u << 6)
#define PFX_SCRIPT_IP             (1u << 7)
#define PFX_SCRIPT_SYM            (1u << 8)
#define PFX_SCRIPT_DSO            (1u << 9)
#define PFX_SCRIPT_ADDR           (1u << 10)
#define PFX_SCRIPT_SYMOFF         (1u << 11)
#define PFX_SCRIPT_PERIOD         (1u << 12)
#define PFX_SCRIPT_MISC           (1u << 13)
#define PFX_SCRIPT_WEIGHT         (1u << 14)
#define PFX_SCRIPT_INS_LAT        (1u << 15)
#define PFX_SCRIPT_PHYS_ADDR      (1u << 16)
#define PFX_SCRIPT_DATA_PAGE_SIZE (1u << 17)
#define PFX_SCRIPT_CODE_PAGE_SIZE (1u << 18)
#define PFX_SCRIPT_BPF_OUTPUT     (1u << 19)
#define PFX_SCRIPT_CGROUP         (1u << 20)
#define PFX_SCRIPT_DSOFF          (1u << 21)
#define PFX_SCRIPT_PLACE          (PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO | PFX_SCRIPT_DSOFF)

/* Kinds of events that have fields of their own. */
enum pfx_script_type {
	PFX_SCRIPT_TYPE_HW,
	PFX_SCRIPT_TYPE_SW,
	PFX_SCRIPT_TYPE_TRACE,
	PFX_SCRIPT_TYPE_CACHE,
	PFX_SCRIPT_TYPE_RAW,
	PFX_SCRIPT_TYPE_BREAK,
	PFX_SCRIPT_TYPE_OTHER,
	PFX_SCRIPT_NR_TYPES,
};

/* What -F asked for. */
struct pfx_script_fields {
	uint32_t by_type[PFX_SCRIPT_NR_TYPES];
	uint32_t asked[PFX_SCRIPT_NR_TYPES]; /* named by the user, not by default */
	bool is_set[PFX_SCRIPT_NR_TYPES];
};

enum pfx_script_type pfx_script_type_of(const struct pfx_attr *attr);
void pfx_script_fields_init(struct pfx_script_fields *fields);
/* Apply the words of one -F. */
int pfx_script_fields_parse(struct pfx_script_fields *fields, const char *words,
			    struct pfx_error *err);
/* The fields of an event: defaults that it lacks are left out, and their bits put into
 * *@ret_lacking; fields that were asked for and are not recorded are an error. */
int pfx_script_fields_for(const struct pfx_script_fields *fields, const struct pfx_event *event,
			  uint32_t *ret, uint32_t *ret_lacking, struct pfx_error *err);
const char *pfx_script_field_name(uint32_t bit);

#endif
