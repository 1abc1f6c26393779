/* SPDX-License-Identifier: MIT */
/*
 * The options of `pfx record` with special parsers. Uses only the arguments, the configuration, and
 * the sysctl for `-F max`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/words.h"
#include "cmd/app/commands.h"
#include "cmd/app/sampling/record_options.h"
#include "pmu/pfm.h"
#include "record/plan/area_size.h"
#include "sys/host/perm.h"

int pfx_record_opt_events(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;

	(void)unset;
	o->last_events = o->rec.events.specs.nr;
	return pfx_events_parse(&o->rec.events, arg, pfx_cmd_pmu_roots(), err);
}

int pfx_record_opt_pfm(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;

	(void)unset;
	o->last_events = o->rec.events.specs.nr;
	return pfx_pfm_parse(&o->rec.events, arg, err);
}

int pfx_record_once(const char **said, const char *word, const char *option, struct pfx_error *err)
{
	if (*said && word && strcmp(*said, word))
		return pfx_error_set(err, EINVAL, "'%s' is given twice, with different values",
				     option);
	*said = word;
	return 0;
}

int pfx_record_opt_freq(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	char shown[128];

	o->rec.freq = 0;
	o->freq_max = !unset && strcmp(arg, "max") == 0;
	if (unset)
		return 0;
	if (o->freq_max) {
		struct pfx_perm perm;

		pfx_perm_read(&perm, NULL);
		o->rec.freq = perm.max_rate;
		return 0;
	}
	if (pfx_parse_u64(arg, &o->rec.freq) && o->rec.freq > 0)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a number of samples per second",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "give samples per second, like -F 99, or -F max");
	return -EINVAL;
}

/* A number of pages, or a size with a unit; both are rounded up to a power of two. */
static bool parse_area(const char *word, uint64_t *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size;

	if (pfx_parse_u64(word, &size))
		size = size > PFX_AREA_BYTES_MAX / page ? 0 : size * page;
	else if (!pfx_parse_size(word, &size))
		size = 0;
	return pfx_area_size(size, ret);
}

/* Size of the ring buffer, and after a comma the size of the AUX area; each is optional. */
int pfx_record_opt_ring(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	char *ring, *area, shown[128];
	bool good;

	if (unset) {
		o->rec.ring_bytes = o->rec.trace.bytes = 0;
		return 0;
	}
	ring = pfx_strdup(arg);
	area = strchr(ring, ',');
	if (area)
		*area++ = '\0';
	good = (area && !*ring) || parse_area(ring, &o->rec.ring_bytes);
	if (area)
		good = good && parse_area(area, &o->rec.trace.bytes);
	free(ring);
	if (good)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a valid ring buffer size",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "give a number of pages, like -m 128, or a size up to 2G, like "
			    "-m 4M");
	return -EINVAL;
}

int pfx_record_configure(struct pfx_record_options *o, struct pfx_error *err)
{
	const char *build_id = pfx_config_get("record.build-id");
	char shown[128], wanted[128];

	o->rec.timestamp = true;
	if (!build_id)
		return 0;
	if (pfx_config_is_valid("record.build-id", build_id, wanted, sizeof(wanted))) {
		o->rec.no_copies = strcmp(build_id, "no-cache") == 0;
		o->rec.no_buildid = strcmp(build_id, "skip") == 0;
		o->rec.buildid_mmap = strcmp(build_id, "mmap") == 0;
		return 0;
	}
	pfx_error_set(err, EINVAL, "'%s' is not a choice of build IDs",
		      pfx_escape(shown, sizeof(shown), build_id));
	pfx_error_hint(err, "it takes %s", wanted);
	return pfx_config_check("record.build-id", -EINVAL, err);
}
