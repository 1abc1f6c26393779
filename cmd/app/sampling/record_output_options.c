/* SPDX-License-Identifier: MIT */
/*
 * Parsers for the options of `pfx record` about its output and about switching recording on and
 * off. They only check arguments and store values.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

#include "base/ns.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/app/fetch.h"
#include "cmd/app/sampling/record_options.h"
#include "file/pack/pack.h"
#include "record/output/places.h"
#include "record/plan/delay_words.h"
#include "record/sink/offcpu.h"
#include "sys/control/control_channel.h"

static struct pfx_recorder_output_options *side(void *options)
{
	return &((struct pfx_record_options *)options)->rec.out;
}

static int wrong(const char *arg, const char *what, const char *hint, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a %s", pfx_escape(shown, sizeof(shown), arg), what);
	pfx_error_hint(err, "%s", hint);
	return -EINVAL;
}

int pfx_record_opt_level(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	uint64_t level = 1;

	if (arg && (!pfx_parse_u64(arg, &level) || level < 1 || level > PFX_PACK_LEVEL_MAX))
		return wrong(arg, "level of compression", "levels are 1 (fast) to 22 (small)", err);
	side(options)->level = unset ? 0 : (int)level;
	return 0;
}

/* A size with a unit. perf requires the unit, too: a number alone could mean another unit. */
static bool parse_sized(const char *arg, uint64_t *ret)
{
	uint64_t value;

	if (pfx_parse_u64(arg, &value) || !pfx_parse_size(arg, &value) || !value)
		return false;
	*ret = value;
	return true;
}

int pfx_record_opt_max_size(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	side(options)->max_size = 0;
	if (unset || parse_sized(arg, &side(options)->max_size))
		return 0;
	return wrong(arg, "size of a file", "give a number with B, K, M or G, like --max-size 100M",
		     err);
}

/* "10s", "5m", "2h", "1d" */
static bool parse_time(const char *arg, uint64_t *ret_ms)
{
	static const struct {
		char letter;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	size_t len = strlen(arg), i;
	char digits[16];
	uint64_t value;

	if (len < 2 || len > sizeof(digits))
		return false;
	memcpy(digits, arg, len - 1);
	digits[len - 1] = '\0';
	if (!pfx_parse_u64(digits, &value) || !value || value >= INT_MAX)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (arg[len - 1] != units[i].letter)
			continue;
		*ret_ms = value * units[i].seconds * 1000;
		return true;
	}
	return false;
}

int pfx_record_opt_switch(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_output_options *o = side(options);

	o->switch_on_signal = false;
	o->switch_bytes = o->switch_ms = 0;
	o->switches = !unset;
	if (unset)
		return 0;
	if (!arg || strcmp(arg, "signal") == 0)
		o->switch_on_signal = true;
	else if (!parse_sized(arg, &o->switch_bytes) && !parse_time(arg, &o->switch_ms))
		return wrong(arg, "moment to switch the output",
			     "say signal (SIGUSR2), a size like 100M or a time like 30s, 10m, 1h",
			     err);
	return 0;
}

int pfx_record_opt_switch_event(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_output_options *o = side(options);

	if (unset) {
		pfx_event_list_fini(&o->switch_events);
		memset(&o->switch_events, 0, sizeof(o->switch_events));
		return 0;
	}
	o->switches = o->switch_on_signal = true;
	return pfx_events_parse(&o->switch_events, arg, NULL, err);
}

/* Milliseconds, "-1" for never, or ranges. */
int pfx_record_opt_delay(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	const char **said = &((struct pfx_record_options *)options)->delay_said;
	struct pfx_recorder_output_options *o = side(options);

	/* "-1" (disabled until a command) may be combined with a delay, in either order. */
	if (arg && strcmp(arg, "-1") == 0)
		*said = NULL;
	else if (pfx_record_once(said, arg, "-D", err) < 0) {
		pfx_error_hint(err, "commas join ranges, like -D 100-200,500-600");
		return -EINVAL;
	}
	pfx_vec_free(&o->ranges);
	o->delayed = !unset;
	if (unset || strcmp(arg, "-1") == 0)
		return 0;
	if (pfx_delay_parse(arg, o))
		return 0;
	return wrong(arg, "delay",
		     "give milliseconds, -1 (only on command), or ascending ranges like "
		     "-D 100-200,500-600",
		     err);
}

int pfx_record_opt_control(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	side(options)->control = unset ? NULL : arg;
	return unset ? 0 : pfx_control_channel_check(arg, err);
}

int pfx_record_opt_realtime(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	uint64_t most = (uint64_t)sched_get_priority_max(SCHED_FIFO);

	side(options)->priority = 0;
	if (unset || (pfx_parse_u64(arg, &side(options)->priority) &&
		      side(options)->priority >= 1 && side(options)->priority <= most))
		return 0;
	return wrong(arg, "real-time priority", "priorities are 1 (low) to 99 (high)", err);
}

int pfx_record_opt_flush(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	side(options)->flush_bytes = 0;
	if (unset || (pfx_parse_size(arg, &side(options)->flush_bytes) &&
		      side(options)->flush_bytes && side(options)->flush_bytes < INT_MAX))
		return 0;
	return wrong(arg, "size", "give bytes, like --mmap-flush 64K", err);
}

/* The side-band records to synthesize for running processes: "no", "all", or some of task, mmap,
 * cgroup. */
int pfx_record_opt_synth(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_output_options *o = side(options);
	bool task = false, mmap = false, cgroup = false;
	const char *word;
	size_t len;

	for (word = unset ? "no" : arg;; word += len + 1) {
		len = strcspn(word, ",");
		if (len == 3 && strncmp(word, "all", 3) == 0)
			task = mmap = cgroup = true;
		else if (len == 4 && strncmp(word, "task", 4) == 0)
			task = true;
		else if (len == 4 && strncmp(word, "mmap", 4) == 0)
			mmap = true;
		else if (len == 6 && strncmp(word, "cgroup", 6) == 0)
			cgroup = true;
		else if (!(len == 2 && strncmp(word, "no", 2) == 0))
			return wrong(word, "kind of record",
				     "say no, all, or some of task,mmap,cgroup", err);
		if (!word[len])
			break;
	}
	/* Mappings need the process: mmap includes task. */
	o->no_synth_tasks = !task && !mmap;
	o->no_synth_maps = !mmap;
	o->no_synth_cgroups = !cgroup;
	return 0;
}

int pfx_record_opt_on_full(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	side(options)->on_full_stop = !unset && strcmp(arg, "stop") == 0;
	if (unset || side(options)->on_full_stop || strcmp(arg, "continue") == 0)
		return 0;
	return wrong(arg, "thing to do when the disk is full",
		     "stop ends the command too, continue leaves it running", err);
}

int pfx_record_opt_affinity(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_output_options *o = side(options);

	if (pfx_places_of_affinity(unset ? "sys" : arg, &o->affinity))
		return 0;
	return wrong(arg, "affinity",
		     "say cpu or node, to empty a ring on its own CPU or near it, or sys", err);
}

int pfx_record_opt_aio(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	uint64_t nr = 1;

	if (arg && (!pfx_parse_u64(arg, &nr) || nr < 1 || nr > PFX_RECORDER_SHARES_MAX))
		return wrong(arg, "number of writes at a time",
			     "give 1 to 4; each is 64 MiB of what may wait for the disk", err);
	side(options)->shares = unset ? 0 : nr;
	return 0;
}

/* "system" is perf's word for the servers in the environment. */
int pfx_record_opt_debuginfod(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	((struct pfx_record_options *)options)->debuginfod = !unset;
	return pfx_fetch_on_option(options, arg && strcmp(arg, "system") ? arg : NULL, unset, err);
}

int pfx_record_opt_threads(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;

	o->rec.out.threads = unset ? NULL : arg ? arg : PFX_PLACES_DEFAULT;
	return !arg || unset ? 0 : pfx_places_check(arg, err);
}

int pfx_record_opt_thresh(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	char shown[64];

	o->rec.out.thresh_ms = PFX_OFFCPU_THRESH_DEFAULT_MS;
	if (unset)
		return 0;
	if (pfx_parse_u64(arg, &o->rec.out.thresh_ms) &&
	    o->rec.out.thresh_ms < UINT64_MAX / PFX_NS_PER_MS)
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is not a number of milliseconds",
			     pfx_escape(shown, sizeof(shown), arg));
}
