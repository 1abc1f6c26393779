/* SPDX-License-Identifier: MIT */
/* The fields of a line of `pfx script`, and the words of -F that choose them. */
#ifndef PFX_CMD_SCRIPT_FIELDS_H
#define PFX_CMD_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/meta.h"

/* The fields of a line, in the order in which they are printed. */
#define SCRIPT_COMM           (1u << 0)
#define SCRIPT_TID            (1u << 1)
#define SCRIPT_PID            (1u << 2)
#define SCRIPT_TIME           (1u << 3)
#define SCRIPT_CPU            (1u << 4)
#define SCRIPT_EVENT          (1u << 5)
#define SCRIPT_TRACE          (1u << 6)
#define SCRIPT_IP             (1u << 7)
#define SCRIPT_SYM            (1u << 8)
#define SCRIPT_DSO            (1u << 9)
#define SCRIPT_ADDR           (1u << 10)
#define SCRIPT_SYMOFF         (1u << 11)
#define SCRIPT_PERIOD         (1u << 12)
#define SCRIPT_MISC           (1u << 13)
#define SCRIPT_WEIGHT         (1u << 14)
#define SCRIPT_INS_LAT        (1u << 15)
#define SCRIPT_PHYS_ADDR      (1u << 16)
#define SCRIPT_DATA_PAGE_SIZE (1u << 17)
#define SCRIPT_CODE_PAGE_SIZE (1u << 18)
#define SCRIPT_BPF_OUTPUT     (1u << 19)
#define SCRIPT_CGROUP         (1u << 20)
#define SCRIPT_DSOFF          (1u << 21)
#define SCRIPT_PLACE          (SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | SCRIPT_DSOFF)

/* Kinds of events that have fields of their own. */
enum script_type {
	SCRIPT_TYPE_HW,
	SCRIPT_TYPE_SW,
	SCRIPT_TYPE_TRACE,
	SCRIPT_TYPE_CACHE,
	SCRIPT_TYPE_RAW,
	SCRIPT_TYPE_BREAK,
	SCRIPT_TYPE_OTHER,
	SCRIPT_NR_TYPES,
};

/* What -F asked for. */
struct script_fields {
	uint32_t by_type[SCRIPT_NR_TYPES];
	uint32_t asked[SCRIPT_NR_TYPES]; /* named by the user, not by default */
	bool is_set[SCRIPT_NR_TYPES];
};

enum script_type script_type_of(const struct pfx_attr *attr);
void script_fields_init(struct script_fields *fields);
/* Apply the words of one -F. */
int script_fields_parse(struct script_fields *fields, const char *words, struct pfx_error *err);
/* The fields of an event: defaults that it lacks are left out, and their bits put into
 * *@ret_lacking; fields that were asked for and are not recorded are an error. */
int script_fields_for(const struct script_fields *fields, const struct pfx_event *event,
		      uint32_t *ret, uint32_t *ret_lacking, struct pfx_error *err);
const char *script_field_name(uint32_t bit);

#endif
