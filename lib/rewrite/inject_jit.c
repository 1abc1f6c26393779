/* SPDX-License-Identifier: MIT */
/*
 * Adds JIT code. The map of a file jit-PID.dump marks a process that writes a jitdump. The file is
 * read at that record; each function in it becomes an ELF file next to it, and a map that is
 * written when the time of the records reaches the time of the function.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/io.h"
#include "base/str.h"
#include "rewrite/inject_internal.h"
#include "sym/jit/jit_elf.h"

/* Code that exists from some time on. */
struct place {
	uint64_t time, order; /* in the recording's clock; order of equal times */
	uint64_t addr, len;
	uint32_t pid, tid;
	uint32_t file; /* index in files */
};

/* An ELF file that was written. */
struct file {
	char *path;
	struct pfx_build_id id;
	uint64_t len; /* of its map */
};

struct pfx_inject_jit {
	PFX_VEC(struct place) places; /* ordered by time; not written from `next` on */
	size_t next;
	PFX_VEC(struct file) files;
	struct pfx_hash pids;    /* processes with a jitdump */
	struct pfx_intern dumps; /* names of jitdumps that were read */
	bool has_conv;
	struct pfx_time_conv conv;     /* from the TSC */
	const struct pfx_event *event; /* that the trailers of new records follow */
};

/* State of reading a jitdump. */
struct dump {
	struct pfx_inject *inject;
	struct pfx_inject_jit *jit;
	const char *path;
	char *dir;
	struct pfx_jitdump jitdump;
	uint32_t pid;             /* as in the recording */
	uint32_t machine;         /* EM_* */
	struct pfx_hash by_index; /* code index of a function -> 1 + index in files */
	struct pfx_jit_debug debug;
	struct pfx_jit_unwinding unwinding;
	bool has_debug, has_unwinding;
	uint64_t nr_functions, nr_lost;
};

struct pfx_inject_jit *pfx_inject_jit_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_inject_jit));
}

void pfx_inject_jit_free(struct pfx_inject_jit *jit)
{
	size_t i;

	if (!jit)
		return;
	for (i = 0; i < jit->files.nr; i++)
		free(jit->files.at[i].path);
	pfx_vec_free(&jit->files);
	pfx_vec_free(&jit->places);
	pfx_hash_fini(&jit->pids);
	pfx_intern_fini(&jit->dumps);
	free(jit);
}

/* "/tmp/jit-123.dump" */
static bool is_dump_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t digits;

	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

/* Anonymous memory: its map would hide the functions in it. */
static bool is_own_memory(const char *name)
{
	static const char *const starts[] = {"//anon", "[anon:", "/memfd:", "/anon_hugepage"};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* --- clocks --- */

static int check_clock(const struct dump *d, struct pfx_error *err)
{
	const struct pfx_attr *attr = &d->inject->meta->events[0]->attr;
	bool is_arch = d->jitdump.flags & PFX_JITDUMP_ARCH_TIME;
	char shown[256];

	pfx_escape(shown, sizeof(shown), d->path);
	if (is_arch && d->jit->has_conv)
		return 0;
	if (is_arch) {
		pfx_error_set(err, EINVAL,
			      "'%s' has times of the CPU's counter, and the recording does not "
			      "tell how to convert them",
			      shown);
		pfx_error_hint(err, "let the JIT compiler write times of CLOCK_MONOTONIC and "
				    "record with -k mono");
		return -EINVAL;
	}
	if (attr->flags & PFX_ATTR_USE_CLOCKID && attr->clockid == CLOCK_MONOTONIC)
		return 0;
	pfx_error_set(err, EINVAL,
		      "'%s' has times of CLOCK_MONOTONIC, and the recording those of another clock",
		      shown);
	pfx_error_hint(err, "record with -k mono");
	return -EINVAL;
}

/* time = zero + counter * mult / 2^shift, without losing high bits on the way */
static uint64_t convert(const struct dump *d, uint64_t time)
{
	const struct pfx_time_conv *conv = &d->jit->conv;
	unsigned shift = conv->time_shift & 63;
	uint64_t rest = time & ((1ull << shift) - 1);

	if (!(d->jitdump.flags & PFX_JITDUMP_ARCH_TIME))
		return time;
	return conv->time_zero + (time >> shift) * conv->time_mult +
	       (rest * conv->time_mult >> shift);
}

static void take_conv(struct pfx_inject_jit *jit, const struct pfx_record *rec)
{
	struct pfx_error ignored;
	struct pfx_body body;

	if (pfx_record_decode(rec, NULL, &body, &ignored) < 0 || !body.time_conv.time_mult)
		return;
	jit->conv = body.time_conv;
	jit->has_conv = true;
}

/* --- reading a jitdump --- */

/* Processes in a container have other tids inside than outside. */
static uint32_t outer_tid(const struct dump *d, uint32_t tid)
{
	return d->jitdump.pid == d->pid ? tid : d->pid;
}

static void add_place(struct dump *d, const struct pfx_jit_record *record, uint64_t addr,
		      uint32_t file)
{
	struct pfx_inject_jit *jit = d->jit;
	uint32_t tid = record->type == PFX_JIT_LOAD ? record->load.tid : record->move.tid;

	*pfx_vec_add(&jit->places) = (struct place){
		.time = convert(d, record->time),
		.order = jit->places.nr,
		.addr = addr,
		.len = jit->files.at[file].len,
		.pid = d->pid,
		.tid = outer_tid(d, tid),
		.file = file,
	};
}

static int write_function(struct dump *d, const struct pfx_jit_load *load, struct file *ret,
			  struct pfx_error *err)
{
	const struct pfx_jit_function function = {
		.load = load,
		.debug = d->has_debug ? &d->debug : NULL,
		.unwinding = d->has_unwinding ? &d->unwinding : NULL,
		.machine = d->machine,
		.big_endian = d->jitdump.rest.swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
	};
	int rc;

	*ret = (struct file){.len = pfx_jit_mapped_size(&function)};
	ret->path = pfx_strfmt("%s/jitted-%u-%llu.so", d->dir, d->jitdump.pid,
			       (unsigned long long)load->index);
	rc = pfx_jit_elf_write(ret->path, &function, &ret->id, err);
	if (rc < 0)
		free(ret->path);
	return rc;
}

static int take_load(struct dump *d, const struct pfx_jit_record *record, struct pfx_error *err)
{
	const struct pfx_jit_load *load = &record->load;
	struct file file;
	int rc;

	if (!load->size || load->addr + load->size < load->addr) {
		d->nr_lost++;
		return 0;
	}
	rc = write_function(d, load, &file, err);
	if (rc < 0)
		return rc;
	pfx_vec_push(&d->jit->files, file);
	*pfx_hash_add(&d->by_index, load->index, NULL) = d->jit->files.nr;
	add_place(d, record, load->addr, (uint32_t)d->jit->files.nr - 1);
	d->has_debug = d->has_unwinding = false;
	d->nr_functions++;
	return 0;
}

static void take_move(struct dump *d, const struct pfx_jit_record *record)
{
	const uint64_t *file = pfx_hash_get(&d->by_index, record->move.index);

	if (file)
		add_place(d, record, record->move.new_addr, (uint32_t)*file - 1);
	else
		d->nr_lost++;
}

static int take_dump_record(struct dump *d, const struct pfx_jit_record *record,
			    struct pfx_error *err)
{
	switch (record->type) {
	case PFX_JIT_LOAD:
		return take_load(d, record, err);
	case PFX_JIT_MOVE:
		take_move(d, record);
		return 0;
	case PFX_JIT_DEBUG_INFO:
		d->debug = record->debug;
		d->has_debug = true;
		return 0;
	case PFX_JIT_UNWINDING:
		d->unwinding = record->unwinding;
		d->has_unwinding = true;
		return 0;
	default:
		return 0;
	}
}

static void keep_result(const struct dump *d)
{
	const struct pfx_inject_dump result = {
		.path = pfx_strdup(d->path),
		.nr_functions = d->nr_functions,
		.nr_bad = d->jitdump.nr_bad + d->nr_lost,
		.cut_short = d->jitdump.cut_short,
	};

	pfx_vec_push(&d->inject->result.dumps, result);
}

static int read_records(struct dump *d, struct pfx_error *err)
{
	struct pfx_jit_record record;
	int rc = 0;

	while (!rc && pfx_jitdump_next(&d->jitdump, &record))
		rc = take_dump_record(d, &record, err);
	if (!rc)
		keep_result(d);
	return rc;
}

/* Some writers do not set the machine: uses the recorded one. */
static uint32_t machine_of(const struct dump *d)
{
	const struct pfx_env *env = &d->inject->meta->env;
	uint32_t recorded = pfx_unwind_machine_number(env->arch);

	if (d->jitdump.machine)
		return d->jitdump.machine;
	return recorded ? recorded : env->e_machine;
}

static int read_dump(struct dump *d, const struct pfx_mapping *map, struct pfx_error *err)
{
	const char *slash = strrchr(d->path, '/');
	struct pfx_error why = {0};
	char shown[256];
	int rc = pfx_jitdump_init(&d->jitdump, map->data, map->size, &why);

	if (rc < 0)
		return pfx_error_set(err, -rc, "'%s' cannot be used: %s",
				     pfx_escape(shown, sizeof(shown), d->path), why.text);
	rc = check_clock(d, err);
	if (rc < 0)
		return rc;
	d->machine = machine_of(d);
	d->dir = slash ? pfx_strndup(d->path, (size_t)(slash - d->path)) : pfx_strdup(".");
	rc = read_records(d, err);
	free(d->dir);
	pfx_hash_fini(&d->by_index);
	return rc;
}

/* The name comes from the recording: opens only a regular file of the user or of root. */
static int open_dump(const struct pfx_inject *inject, const char *path, struct pfx_mapping *ret,
		     struct pfx_error *err)
{
	struct stat st;
	int fd = pfx_open_plain(path, O_NOFOLLOW, &st), rc = 0;
	char shown[256];

	pfx_escape(shown, sizeof(shown), path);
	if (fd == -EINVAL)
		return pfx_error_set(err, EINVAL, "'%s' is not a regular file", shown);
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s'", shown);
	if (st.st_uid && st.st_uid != geteuid() && !inject->options.force) {
		rc = pfx_error_set(err, EPERM, "'%s' belongs to another user", shown);
		pfx_error_hint(err, "use -f to read it all the same");
	} else {
		rc = pfx_map_fd(fd, (size_t)st.st_size, path, ret);
		if (rc < 0)
			pfx_error_sys(err, -rc, "cannot read '%s'", shown);
	}
	close(fd);
	return rc;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_places(struct pfx_inject_jit *jit)
{
	size_t nr = jit->places.nr - jit->next;

	if (nr)
		qsort(jit->places.at + jit->next, nr, sizeof(struct place), compare_places);
}

/* An unreadable jitdump does not end inject. */
static int missing_dump(struct pfx_inject *inject, const char *path, const struct pfx_error *err)
{
	const struct pfx_inject_dump result = {.path = pfx_strdup(path), .refused = *err};

	pfx_vec_push(&inject->result.dumps, result);
	return PFX_INJECT_KEEP;
}

static int take_marker(struct pfx_inject *inject, const struct pfx_record *rec,
		       const struct pfx_mmap *mmap, struct pfx_error *err)
{
	struct pfx_inject_jit *jit = inject->jit;
	struct dump d = {.inject = inject, .jit = jit, .path = mmap->filename};
	struct pfx_mapping map = {0};
	uint32_t known = jit->dumps.nr;
	int rc;

	pfx_intern_str(&jit->dumps, mmap->filename);
	if (jit->dumps.nr == known)
		return PFX_INJECT_DROP;
	rc = open_dump(inject, mmap->filename, &map, err);
	if (rc < 0)
		return missing_dump(inject, mmap->filename, err);
	d.pid = mmap->pid;
	jit->event = rec->event;
	pfx_hash_add(&jit->pids, mmap->pid, NULL);
	rc = read_dump(&d, &map, err);
	if (rc < 0 && pfx_mapping_was_cut(&map))
		rc = missing_dump(inject, mmap->filename, err);
	pfx_unmap(&map);
	sort_places(jit);
	return rc < 0 ? rc : PFX_INJECT_DROP;
}

/* --- writing maps --- */

static void make_map(const struct pfx_inject_jit *jit, const struct place *place,
		     struct pfx_body *body)
{
	const struct file *file = &jit->files.at[place->file];

	*body = (struct pfx_body){.type = PFX_RECORD_MMAP2};
	body->misc = PFX_MODE_USER | PFX_MISC_MMAP_BUILD_ID;
	body->mmap = (struct pfx_mmap){
		.pid = place->pid,
		.tid = place->tid,
		.addr = place->addr,
		.len = place->len,
		.pgoff = PFX_JIT_TEXT_OFFSET,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.build_id_size = file->id.size,
		.filename = file->path,
	};
	memcpy(body->mmap.build_id, file->id.data, sizeof(body->mmap.build_id));
	body->id.pid = place->pid;
	body->id.tid = place->tid;
	body->id.time = place->time;
	body->id.id = body->id.identifier = jit->event->nr_ids ? jit->event->ids[0] : 0;
}

static int put_place(struct pfx_inject *inject, const struct place *place, struct pfx_error *err)
{
	struct pfx_inject_jit *jit = inject->jit;
	struct pfx_buffer bytes = {.swap = inject->meta->swap};
	struct pfx_record rec;
	struct pfx_body body;
	int rc = 0;

	make_map(jit, place, &body);
	if (pfx_record_encode(&body, &jit->event->attr, &bytes)) {
		pfx_record_init(&rec, bytes.at, inject->meta->swap, 0);
		pfx_meta_identify(inject->meta, &rec);
		rc = pfx_inject_take(inject, &rec, err);
		if (inject->session)
			pfx_session_apply(inject->session, &rec);
	}
	pfx_buffer_fini(&bytes);
	return rc;
}

int pfx_inject_jit_until(struct pfx_inject *inject, uint64_t time, struct pfx_error *err)
{
	struct pfx_inject_jit *jit = inject->jit;
	int rc = 0;

	while (!rc && jit->next < jit->places.nr && jit->places.at[jit->next].time <= time)
		rc = put_place(inject, &jit->places.at[jit->next++], err);
	return rc;
}

static int take_map(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_error ignored;
	struct pfx_body body;

	if (!rec->event || pfx_record_decode(rec, &rec->event->attr, &body, &ignored) < 0 ||
	    (rec->type == PFX_RECORD_MMAP && rec->misc & PFX_MISC_MMAP_DATA))
		return PFX_INJECT_KEEP;
	if (is_dump_name(body.mmap.filename))
		return take_marker(inject, rec, &body.mmap, err);
	if (is_own_memory(body.mmap.filename) && pfx_hash_get(&inject->jit->pids, body.mmap.pid))
		return PFX_INJECT_DROP;
	return PFX_INJECT_KEEP;
}

int pfx_inject_jit_take(struct pfx_inject *inject, const struct pfx_record *rec,
			struct pfx_error *err)
{
	if (rec->type == PFX_RECORD_TIME_CONV)
		take_conv(inject->jit, rec);
	if (rec->type == PFX_RECORD_MMAP || rec->type == PFX_RECORD_MMAP2)
		return take_map(inject, rec, err);
	return PFX_INJECT_KEEP;
}
