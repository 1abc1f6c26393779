/* SPDX-License-Identifier: MIT */
/*
 * Recording into a directory: the records of each ring go into a file of their own, compressed and
 * written by a thread of their own that may be bound to CPUs near the ring. The file `data` beside
 * them has the header and what was known at the start, and gets the time asleep (--off-cpu), which
 * is made of the records of several rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/record_internal.h"

/* What the words of --threads mean, and where the kernel lists the CPUs that belong together. */
static const struct {
	const char *word, *file;
} kinds[] = {
	{"cpu", NULL},
	{"core", "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"},
	{"package", "/sys/devices/system/cpu/cpu%d/topology/package_cpus_list"},
	{"numa", NULL},
};

static void add_list(const char *text, cpu_set_t *set)
{
	struct pfx_list list = {0};
	size_t i;

	if (!pfx_list_parse(text, &list))
		return;
	for (i = 0; i < list.nr; i++)
		if (list.at[i] < CPU_SETSIZE)
			CPU_SET(list.at[i], set);
	pfx_list_fini(&list);
}

static void add_node(int cpu, cpu_set_t *set)
{
	char path[128], line[4096];
	int node;

	for (node = 0; node < CPU_SETSIZE; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		if (pfx_read_line(path, line, sizeof(line)) >= 0)
			add_list(line, set);
		return;
	}
}

/* "0-1/0:2-3/2": rings of the CPUs in front of a slash are written on those behind it. */
static void add_masks(const char *spec, int cpu, cpu_set_t *set)
{
	char *copy = pfx_strdup(spec), *save = NULL, *pair, *slash;
	struct pfx_list from = {0};

	for (pair = strtok_r(copy, ":", &save); pair; pair = strtok_r(NULL, ":", &save)) {
		slash = strchr(pair, '/');
		if (!slash)
			continue;
		*slash = '\0';
		if (pfx_list_parse(pair, &from) && pfx_list_has(&from, cpu))
			add_list(slash + 1, set);
		pfx_list_fini(&from);
	}
	free(copy);
}

/* Whether the CPUs are there, and those of rings stand in one pair only. */
static int check_pair(const char *rings, const char *threads, cpu_set_t *seen,
		      struct pfx_error *err)
{
	struct pfx_target target = {0};
	int rc = pfx_target_cpus(&target, threads, NULL, err);
	size_t i;

	if (rc >= 0)
		rc = pfx_target_cpus(&target, rings, NULL, err);
	for (i = 0; i < target.cpus.nr && rc >= 0; i++) {
		if (CPU_ISSET(target.cpus.at[i], seen)) {
			rc = pfx_error_set(err, EINVAL, "the ring of CPU %d has two places",
					   target.cpus.at[i]);
			pfx_error_hint(err, "name each CPU in front of one '/' only");
		}
		CPU_SET(target.cpus.at[i], seen);
	}
	pfx_target_fini(&target);
	return rc;
}

static int no_choice(const char *spec, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is no choice of threads",
		      pfx_escape(shown, sizeof(shown), spec));
	pfx_error_hint(err, "say cpu, core, package, numa, or CPUs of rings and threads like "
			    "0-1/0:2-3/2");
	return -EINVAL;
}

/* Whether it is what add_masks() reads. */
static int check_masks(const char *spec, struct pfx_error *err)
{
	char *copy = pfx_strdup(spec), *save = NULL, *pair, *slash;
	int rc = spec[strspn(spec, ":")] ? 0 : no_choice(spec, err);
	cpu_set_t seen;

	CPU_ZERO(&seen);
	for (pair = strtok_r(copy, ":", &save); pair && rc >= 0;
	     pair = strtok_r(NULL, ":", &save)) {
		slash = strchr(pair, '/');
		if (slash)
			*slash = '\0';
		rc = slash ? check_pair(pair, slash + 1, &seen, err) : no_choice(spec, err);
	}
	free(copy);
	return rc;
}

int pfx_record_opt_threads(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	size_t i;

	o->output_side.threads = unset ? NULL : arg ? arg : kinds[0].word;
	if (!arg || unset)
		return 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(arg, kinds[i].word) == 0)
			return 0;
	return check_masks(arg, err);
}

void pfx_record_place(const char *spec, int cpu, cpu_set_t *set)
{
	char path[128], line[4096];
	size_t i;

	CPU_ZERO(set);
	if (cpu < 0)
		return;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(spec, kinds[i].word) || !kinds[i].file)
			continue;
		snprintf(path, sizeof(path), kinds[i].file, cpu);
		if (pfx_read_line(path, line, sizeof(line)) >= 0)
			add_list(line, set);
	}
	if (strcmp(spec, "cpu") == 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, set);
	else if (strcmp(spec, "numa") == 0)
		add_node(cpu, set);
	else if (strchr(spec, '/'))
		add_masks(spec, cpu, set);
}

/* --- on the lane's thread --- */

/* The write stopped somewhere: keep the whole records of what was written. */
static void cut_off(struct pfx_record_lane *lane, const uint8_t *data)
{
	off_t end = lseek(lane->fd, 0, SEEK_CUR);
	uint64_t size = end > (off_t)lane->bytes ? (uint64_t)end - lane->bytes : 0, at = 0;
	uint16_t next;

	while (size - at >= PFX_RECORD_HEADER_SIZE) {
		memcpy(&next, data + at + 6, sizeof(next));
		if (next < PFX_RECORD_HEADER_SIZE || next > size - at)
			break;
		at += next;
	}
	lane->bytes += at;
	if (ftruncate(lane->fd, (off_t)lane->bytes) == 0)
		lseek(lane->fd, (off_t)lane->bytes, SEEK_SET);
}

static int write_bytes(struct pfx_record_lane *lane, const uint8_t *data, size_t size,
		       struct pfx_error *err)
{
	char shown[256];
	int rc = pfx_write_full(lane->fd, data, size);

	if (rc < 0)
		cut_off(lane, data);
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot write '%s/data.%u'",
				     pfx_escape(shown, sizeof(shown), lane->rec->output),
				     lane->number);
	lane->bytes += size;
	return 0;
}

static int put_packed(struct pfx_record_lane *lane, const uint8_t *data, size_t size,
		      struct pfx_error *err)
{
	int rc;

	pfx_buffer_clear(&lane->packed);
	rc = pfx_pack_bytes(lane->pack, data, size, &lane->packed, err);
	return rc < 0 ? rc : write_bytes(lane, lane->packed.at, lane->packed.len, err);
}

/* Its file, in the directory as it is named now. */
static int open_file(struct pfx_record_lane *lane, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/data.%u", lane->rec->output, lane->number), shown[256];
	int rc = 0;

	if (lane->fd >= 0)
		close(lane->fd);
	lane->bytes = 0;
	lane->fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	if (lane->fd < 0)
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), path));
	free(path);
	return rc;
}

/* What the sizes say once @size more bytes were written. */
static void check_sizes(struct pfx_recorder *rec, uint64_t size)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	struct pfx_record_output *out = &rec->out;
	uint64_t bytes;

	out->lane_bytes += size;
	bytes = pfx_writer_offset(rec->writer) + out->lane_bytes;
	if (pfx_record_output_limit(rec, bytes))
		return;
	if (!o->switch_bytes || bytes < o->switch_bytes || pfx_rings_overwrite(&rec->rings))
		return;
	__atomic_store_n(&out->full, true, __ATOMIC_RELEASE);
	pfx_record_output_wake(rec);
}

/* The tally is one for all. @written: to the file, which may be packed. */
static void count(struct pfx_record_lane *lane, const uint8_t *data, size_t size, uint64_t written)
{
	struct pfx_record_output *out = &lane->rec->out;

	pthread_mutex_lock(&out->lock);
	pfx_tally_take(&lane->rec->tally, data, UINT64_MAX, 0, size);
	check_sizes(lane->rec, written);
	pthread_mutex_unlock(&out->lock);
}

static bool is_over(struct pfx_record_output *out)
{
	bool over;

	pthread_mutex_lock(&out->lock);
	over = out->is_over;
	pthread_mutex_unlock(&out->lock);
	return over;
}

/* Records of the rings apart, or with @data NULL a request about them. */
static int make_offcpu(struct pfx_record_lane *lane, const uint8_t *data, size_t size,
		       struct pfx_error *err)
{
	struct pfx_recorder *rec = lane->rec;
	int rc;

	pthread_mutex_lock(&rec->out.lock);
	if (data)
		rc = pfx_record_offcpu_take(rec, data, size, err);
	else if (size == PFX_RECORD_ASK_PAUSE)
		rc = pfx_record_offcpu_pause(rec, err);
	else
		rc = pfx_record_offcpu_round(rec, err);
	if (rc >= 0)
		check_sizes(rec, 0);
	pthread_mutex_unlock(&rec->out.lock);
	return rc;
}

static int write_out(struct pfx_record_lane *lane, const uint8_t *data, size_t size,
		     struct pfx_error *err)
{
	uint64_t before = lane->bytes;
	int rc;

	if (is_over(&lane->rec->out))
		return 0;
	if (lane->is_offcpu)
		return make_offcpu(lane, data, size, err);
	rc = lane->pack ? put_packed(lane, data, size, err) : write_bytes(lane, data, size, err);
	if (rc >= 0)
		count(lane, data, size, lane->bytes - before);
	else if (!lane->pack)
		count(lane, data, lane->bytes - before, 0);
	return rc;
}

/* All lanes wait: end the directory, begin the next one. */
static int switch_all(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_record_output *out = &rec->out;
	int rc = pfx_record_switch(rec, err);
	size_t i;

	for (i = 0; i < out->nr_lanes && rc >= 0; i++) {
		rc = out->lanes[i].is_offcpu ? 0 : open_file(&out->lanes[i], err);
		if (rc >= 0 && out->lanes[i].pack)
			rc = pfx_pack_restart(out->lanes[i].pack, err);
	}
	out->lane_bytes = 0;
	__atomic_store_n(&out->full, false, __ATOMIC_RELEASE);
	__atomic_store_n(&out->switching, false, __ATOMIC_RELEASE);
	return rc;
}

/* The lanes meet; the last one that comes does the work. */
static int meet(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_record_output *out = &rec->out;
	uint64_t before;
	int rc = 0;

	pthread_mutex_lock(&out->lock);
	before = out->nr_switches;
	if (++out->nr_met < out->nr_lanes) {
		while (out->nr_switches == before && !out->lane_failed)
			pthread_cond_wait(&out->switched, &out->lock);
	} else {
		if (!out->is_over)
			rc = switch_all(rec, err);
		out->nr_met = 0;
		out->nr_switches++;
		pthread_cond_broadcast(&out->switched);
	}
	pthread_mutex_unlock(&out->lock);
	return rc;
}

/* It takes part in nothing any more: the others need not wait for it. */
static void give_up(struct pfx_recorder *rec)
{
	pthread_mutex_lock(&rec->out.lock);
	rec->out.lane_failed = true;
	pthread_cond_broadcast(&rec->out.switched);
	pthread_mutex_unlock(&rec->out.lock);
	pfx_record_output_wake(rec);
}

static int work(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct pfx_record_lane *lane = context;
	int rc = 0;

	if (!lane->is_placed && CPU_COUNT(&lane->place))
		sched_setaffinity(0, sizeof(lane->place), &lane->place);
	lane->is_placed = true;
	if (data)
		rc = write_out(lane, data, size, err);
	else if (size == PFX_RECORD_ASK_SWITCH)
		rc = meet(lane->rec, err);
	else if (lane->is_offcpu && !is_over(&lane->rec->out))
		rc = make_offcpu(lane, NULL, size, err);
	if (rc < 0)
		give_up(lane->rec);
	return rc;
}

/* --- begin and end --- */

static int open_lane(struct pfx_record_lane *lane, size_t bytes, struct pfx_error *err)
{
	const struct pfx_record_output_options *o = &lane->rec->options->output_side;
	int rc = lane->is_offcpu ? 0 : open_file(lane, err);

	if (rc >= 0 && o->level && !lane->is_offcpu)
		rc = pfx_pack_new(&lane->pack, o->level, err);
	return rc < 0 ? rc : pfx_queue_new(&lane->queue, bytes, work, lane, err);
}

int pfx_record_lanes_start(struct pfx_recorder *rec, size_t bytes, struct pfx_error *err)
{
	const char *spec = rec->options->output_side.threads;
	size_t nr = rec->rings.list.nr, apart = 0, i;
	int rc = 0;

	for (i = 0; i < nr; i++)
		apart += rec->rings.list.at[i].is_apart;
	if (apart)
		nr -= apart - 1;
	pthread_mutex_init(&rec->out.lock, NULL);
	pthread_cond_init(&rec->out.switched, NULL);
	rec->out.lanes = pfx_calloc(nr, sizeof(*rec->out.lanes));
	rec->out.nr_lanes = nr;
	for (i = 0; i < nr; i++)
		rec->out.lanes[i].fd = -1;
	for (i = 0; i < nr && rc >= 0; i++) {
		struct pfx_record_lane *lane = &rec->out.lanes[i];

		lane->rec = rec;
		lane->number = (unsigned)i;
		lane->is_offcpu = apart && i == nr - 1;
		if (!lane->is_offcpu)
			pfx_record_place(spec, rec->rings.list.at[i].cpu, &lane->place);
		rc = open_lane(lane, bytes / nr, err);
	}
	return rc;
}

void pfx_record_lanes_ask_switch(struct pfx_recorder *rec)
{
	size_t i;

	for (i = 0; i < rec->out.nr_lanes; i++)
		pfx_queue_ask(rec->out.lanes[i].queue, PFX_RECORD_ASK_SWITCH, NULL);
}

int pfx_record_lanes_flush(struct pfx_recorder *rec, struct pfx_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < rec->out.nr_lanes && rc >= 0; i++)
		rc = pfx_queue_flush(rec->out.lanes[i].queue, err);
	return rc;
}

int pfx_record_lanes_stop(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t full, high;
	size_t i;
	int rc = 0, one;

	for (i = 0; i < rec->out.nr_lanes; i++) {
		struct pfx_record_lane *lane = &rec->out.lanes[i];

		if (!lane->queue)
			continue;
		pfx_queue_stats(lane->queue, &full, &high);
		rec->out.queue_full += full;
		rec->out.queue_high += high;
		one = pfx_queue_finish(lane->queue, rc < 0 ? NULL : err);
		lane->queue = NULL;
		rc = rc < 0 ? rc : one;
	}
	return rc;
}

void pfx_record_lanes_fini(struct pfx_recorder *rec)
{
	size_t i;

	for (i = 0; i < rec->out.nr_lanes; i++) {
		if (rec->out.lanes[i].fd >= 0)
			close(rec->out.lanes[i].fd);
		pfx_pack_free(rec->out.lanes[i].pack);
		pfx_buffer_fini(&rec->out.lanes[i].packed);
	}
	if (rec->out.lanes) {
		pthread_cond_destroy(&rec->out.switched);
		pthread_mutex_destroy(&rec->out.lock);
	}
	free(rec->out.lanes);
	rec->out.lanes = NULL;
	rec->out.nr_lanes = 0;
}
