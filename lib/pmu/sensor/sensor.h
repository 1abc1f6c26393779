/* SPDX-License-Identifier: MIT */
/*
 * Sensors: numbers that the kernel shows in files, which count nothing but can be named as events
 * are. Temperatures, voltages and fans (/sys/class/hwmon), and what graphics drivers say of each
 * process that uses them (/proc/PID/fdinfo). A list of sensors owns its texts, a reading too.
 */
#ifndef PFX_PMU_SENSOR_H
#define PFX_PMU_SENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"

/* Where the number of a sensor is. Zero is none. */
struct pfx_reading {
	char *path;   /* a file that holds just the number */
	char *driver; /* or: of all users of this graphics driver, */
	char *key;    /* the sum of what stands behind this word */
	bool grows;   /* a total since some start: what matters is by how much it grew */
};

struct pfx_sensor {
	const char *pmu;   /* "hwmon_coretemp", "drm_i915" */
	const char *name;  /* "temp2", "drm-engine-render" */
	const char *label; /* "temp_core_0", another name for it; NULL: none */
	const char *text;  /* a line about it */
	const char *unit;  /* of the number times `scale`; "" where it has none */
	double scale;
	struct pfx_reading where; /* its texts are the list's */
};

struct pfx_sensors {
	PFX_VEC(struct pfx_sensor) list;
	struct pfx_arena arena;
};

/* Append the sensors of the machine whose sysfs is there, one chip after the other. */
void pfx_sensors_hwmon(struct pfx_sensors *sensors, const char *sysfs);
/* Append what graphics drivers tell now of the processes below @proc. */
void pfx_sensors_drm(struct pfx_sensors *sensors, const char *proc);
void pfx_sensors_fini(struct pfx_sensors *sensors);

/* Whether it is one, not the zero. */
bool pfx_reading_is_one(const struct pfx_reading *reading);
struct pfx_reading pfx_reading_copy(const struct pfx_reading *reading);
void pfx_reading_fini(struct pfx_reading *reading);
/* The number now, without its scale; false: it cannot be read. Of a graphics driver: of @nr
 * processes or threads, with 0 of all that are below @proc. */
bool pfx_reading_take(const struct pfx_reading *reading, const char *proc, const int *tids,
		      size_t nr, double *ret);

#endif
