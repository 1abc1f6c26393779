/* SPDX-License-Identifier: MIT */
/*
 * The only loop over records. Each call of pfx_recording_next() returns one item: from the batch of
 * samples whose stacks were unwound together, the record that ended the batch, or the next one of
 * the input.
 */
#include "read/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "file/pack/tar.h"
#include "read/archive.h"
#include "read/deferred.h"
#include "unwind/stack_batch.h"

#define DEFAULT_PATH "perf.data"
#define RELEASE_STEP 256 /* records of a stream that are kept in memory at most */

struct pfx_recording {
	struct pfx_recording_options options;
	struct pfx_unpacked *unpacked; /* NULL: not an archive */
	char *sources;                 /* NULL: none */
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_deferred deferred;
	struct pfx_recording_stats stats;
	struct pfx_sample sample;
	struct pfx_sample_last last;
	bool expects_code;          /* that the resolver adds at its time */
	struct pfx_record to_apply; /* was returned but not applied yet */
	bool has_to_apply;
	/* State of batches. */
	struct pfx_stack_batch *batch;
	pfx_wants_frames_fn wants;
	void *context;
	bool is_waiting;              /* the batch is not empty */
	struct pfx_stack_wait *waits; /* of the finished batch; returned up to `next_wait` */
	uint32_t nr_waits, next_wait;
	/* The end of the batch: a record, the end of input, or an error. */
	bool has_ended;
	int end_rc;
	struct pfx_record end_rec;
	struct pfx_error end_err;
	uint64_t nr_as_they_lie;
};

const char *pfx_recording_path(const char *input)
{
	struct stat st;

	if (input)
		return input;
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return DEFAULT_PATH;
}

static int open_reader(struct pfx_recording *r, const char *path, struct pfx_error *err)
{
	const char *inside = path;
	int rc = 0;

	if (pfx_tar_is_archive(path))
		rc = pfx_unpacked_open(&r->unpacked, path, err);
	if (r->unpacked)
		inside = pfx_unpacked_recording(r->unpacked);
	if (!rc)
		rc = pfx_reader_open(&r->reader, inside, &r->options.reader, err);
	if (rc >= 0 && strcmp(path, "-"))
		r->sources = pfx_archive_sources_of(inside);
	if (rc == -ENOENT && !strcmp(path, DEFAULT_PATH))
		pfx_error_hint(err, "make one with 'pfx record', or name one with -i");
	return rc;
}

int pfx_recording_open(struct pfx_recording **ret, const char *path,
		       const struct pfx_recording_options *options, struct pfx_error *err)
{
	struct pfx_recording *r = pfx_calloc(1, sizeof(*r));
	int rc;

	if (options)
		r->options = *options;
	r->stats.nothing_read = true;
	rc = open_reader(r, pfx_recording_path(path), err);
	if (rc < 0) {
		pfx_unpacked_free(r->unpacked);
		free(r);
		return rc;
	}
	if (!r->options.as_it_lies) {
		r->order = pfx_order_new(r->reader, r->options.unsorted);
		r->session = pfx_session_new(pfx_reader_meta(r->reader));
		r->deferred.order = r->order;
		r->deferred.off = r->options.late_frames_apart;
	}
	if (r->session && r->options.guest_code)
		pfx_session_guest_code(r->session);
	*ret = r;
	return 0;
}

void pfx_recording_free(struct pfx_recording *r)
{
	if (!r)
		return;
	pfx_stack_batch_free(r->batch);
	pfx_resolver_free(r->resolver);
	pfx_session_free(r->session);
	pfx_deferred_fini(&r->deferred);
	pfx_order_free(r->order);
	pfx_reader_free(r->reader);
	pfx_unpacked_free(r->unpacked);
	free(r->sources);
	free(r);
}

/* Accepts only a regular file: a FIFO would block, and a device may be endless. */
static const char *kcore_file(struct pfx_reader *reader, const char *name)
{
	const struct pfx_file_info *info = pfx_reader_info(reader);
	const char *found = NULL;
	struct stat st;
	char *path;

	if (info->form != PFX_READER_DIRECTORY)
		return NULL;
	path = pfx_strfmt("%s/kcore_dir/%s", info->path, name);
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK))
		found = pfx_arena_strdup(&pfx_reader_meta(reader)->arena, path);
	free(path);
	return found;
}

void pfx_recording_resolve(struct pfx_recording *r, const struct pfx_resolve_options *options)
{
	struct pfx_resolve_options all = *options;

	if (r->unpacked)
		all.sym.buildid_dir = pfx_unpacked_cache(r->unpacked);
	if (!all.sym.kcore)
		all.sym.kcore = kcore_file(r->reader, "kcore");
	if (!all.sym.kallsyms && !all.sym.vmlinux)
		all.sym.kallsyms = kcore_file(r->reader, "kallsyms");
	if (pfx_reader_info(r->reader)->form == PFX_READER_PIPE)
		all.opens_ahead = false;
	if (!r->unpacked)
		all.recorded_until = pfx_reader_info(r->reader)->mtime;
	r->resolver = pfx_resolver_new(r->session, &all);
}

void pfx_recording_batch(struct pfx_recording *r, pfx_wants_frames_fn wants, void *context)
{
	pfx_stack_batch_free(r->batch); /* of an earlier call */
	r->batch = pfx_stack_batch_new(r->resolver);
	r->wants = wants;
	r->context = context;
}

void pfx_recording_batch_forget(struct pfx_recording *r)
{
	r->wants = NULL;
	r->context = NULL;
}

void pfx_recording_apply(struct pfx_recording *r)
{
	if (r->has_to_apply)
		pfx_session_apply(r->session, &r->to_apply);
	r->has_to_apply = false;
}

void pfx_recording_drop(struct pfx_recording *r)
{
	r->has_to_apply = false;
}

static void decode(struct pfx_recording *r, struct pfx_item *item)
{
	const struct pfx_record *rec = &item->rec;

	if (rec->event && pfx_sample_decode_next(rec, &rec->event->attr, &r->last, &r->sample)) {
		item->sample = &r->sample;
		r->stats.nr_samples++;
	} else {
		r->stats.nr_bad_samples++;
	}
}

static void hand_out(struct pfx_recording *r, struct pfx_item *item)
{
	bool is_sample = item->rec.type == PFX_RECORD_SAMPLE;

	if (r->resolver && (!is_sample || r->expects_code)) {
		pfx_resolver_follow(r->resolver, &item->rec);
		r->expects_code = pfx_resolver_expects_code(r->resolver);
	}
	item->sample = NULL;
	if (is_sample) {
		decode(r, item);
		return;
	}
	r->to_apply = item->rec;
	r->has_to_apply = true;
}

/* True: the record was added to the batch. */
static bool waits(struct pfx_recording *r, const struct pfx_record *rec)
{
	const struct pfx_sample *sample;

	if (!pfx_stack_batch_put(r->batch, rec, pfx_reader_keeps(r->reader, rec), &sample))
		return false;
	if (r->wants && r->wants(r->context, rec->event, sample))
		pfx_stack_batch_want(r->batch, pfx_recording_thread(r, sample));
	r->is_waiting = true;
	return true;
}

/* Adds records to the batch until one cannot be added, then unwinds the stacks. */
static void fill_batch(struct pfx_recording *r)
{
	do {
		r->end_rc = pfx_deferred_next(&r->deferred, &r->end_rec, &r->end_err);
	} while (r->end_rc > 0 && waits(r, &r->end_rec));
	r->has_ended = true;
	r->nr_waits = pfx_stack_batch_walk(r->batch, &r->waits);
	r->next_wait = 0;
}

static void empty_batch(struct pfx_recording *r)
{
	pfx_stack_batch_empty(r->batch);
	r->is_waiting = false;
	r->nr_waits = r->next_wait = 0;
}

/* Returns the record that ended the last batch, or begins a new batch with it. */
static int next_after_batch(struct pfx_recording *r, struct pfx_item *ret, struct pfx_error *err)
{
	r->has_ended = false;
	if (r->end_rc < 0 && err)
		*err = r->end_err;
	ret->rec = r->end_rec;
	return r->end_rc;
}

static void hand_out_waiting(struct pfx_recording *r, struct pfx_item *ret)
{
	ret->rec = r->waits[r->next_wait].rec;
	ret->sample = &r->waits[r->next_wait++].sample;
	r->stats.nr_samples++;
}

/* Only samples with stack dumps are batched. */
static inline bool may_wait(const struct pfx_recording *r, const struct pfx_record *rec)
{
	return r->batch && rec->type == PFX_RECORD_SAMPLE && rec->event &&
	       rec->event->attr.sample_type & PFX_SAMPLE_STACK_USER;
}

/* True: @rc is the result. */
static __attribute__((noinline)) bool next_of_batch(struct pfx_recording *r, struct pfx_item *ret,
						    int *rc, struct pfx_error *err)
{
	*rc = 1;
	if (r->next_wait < r->nr_waits) {
		hand_out_waiting(r, ret);
		return true;
	}
	if (r->is_waiting)
		empty_batch(r);
	*rc = r->has_ended ? next_after_batch(r, ret, err)
			   : pfx_deferred_next(&r->deferred, &ret->rec, err);
	return *rc <= 0;
}

static int next_in_order(struct pfx_recording *r, struct pfx_item *ret, struct pfx_error *err)
{
	int rc;

	if (r->batch) {
		if (next_of_batch(r, ret, &rc, err))
			return rc;
	} else {
		rc = pfx_deferred_next(&r->deferred, &ret->rec, err);
		if (rc <= 0)
			return rc;
	}
	if (may_wait(r, &ret->rec) && waits(r, &ret->rec)) {
		fill_batch(r);
		hand_out_waiting(r, ret);
		return 1;
	}
	hand_out(r, ret);
	return 1;
}

static int next_as_it_lies(struct pfx_recording *r, struct pfx_item *ret, struct pfx_error *err)
{
	if (!(++r->nr_as_they_lie % RELEASE_STEP))
		pfx_reader_release(r->reader, pfx_reader_mark(r->reader));
	ret->sample = NULL;
	return pfx_reader_next(r->reader, &ret->rec, err);
}

int pfx_recording_next(struct pfx_recording *r, struct pfx_item *ret, struct pfx_error *err)
{
	r->stats.nothing_read = false;
	if (!r->order)
		return next_as_it_lies(r, ret, err);
	pfx_recording_apply(r);
	return next_in_order(r, ret, err);
}

int pfx_recording_finish(struct pfx_recording *r, struct pfx_error *err)
{
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(r, &item, err)) > 0)
		;
	if (r->session)
		pfx_session_update(r->session);
	return rc;
}

const struct pfx_recording_stats *pfx_recording_stats(const struct pfx_recording *r)
{
	return &r->stats;
}

struct pfx_meta *pfx_recording_meta(const struct pfx_recording *r)
{
	return pfx_reader_meta(r->reader);
}

struct pfx_reader *pfx_recording_reader(const struct pfx_recording *r)
{
	return r->reader;
}

struct pfx_session *pfx_recording_session(const struct pfx_recording *r)
{
	return r->session;
}

struct pfx_resolver *pfx_recording_resolver(const struct pfx_recording *r)
{
	return r->resolver;
}

const char *pfx_recording_sources(const struct pfx_recording *r)
{
	return r->sources;
}

const struct pfx_archive_counts *pfx_recording_archive(const struct pfx_recording *r)
{
	return r->unpacked ? pfx_unpacked_counts(r->unpacked) : NULL;
}

const struct pfx_order_stats *pfx_recording_order_stats(const struct pfx_recording *r)
{
	return r->order ? pfx_order_stats(r->order) : NULL;
}

struct pfx_thread *pfx_recording_thread(const struct pfx_recording *r,
					const struct pfx_sample *sample)
{
	return pfx_session_thread(r->session, sample->pid, sample->tid);
}
