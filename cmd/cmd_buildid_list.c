/* SPDX-License-Identifier: MIT */
/*
 * `pfx buildid-list`: build ids and what they belong to: of a recording, of one ELF file, of the
 * running kernel. A recording's own table is printed as it stands; where there is none, or only
 * binaries with samples are wanted, all records are read and each sample's address is looked up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/system_buildid.h"
#include "out/term.h"
#include "sym/buildid.h"
#include "sys/synth.h"

#define ID_WIDTH (2 * PFX_BUILD_ID_SIZE) /* digits */

struct buildid_options {
	const char *input;
	bool force, strict, with_hits, kernel, kernel_maps;
	int verbose;
};

#define AT(field) offsetof(struct buildid_options, field)
static const struct pfx_option buildid_options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file",
	 "recording or ELF file to read, - is a recording on standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'H', "with-hits", AT(with_hits), NULL, "only binaries that samples are in"},
	{PFX_OPT_BOOL, 'k', "kernel", AT(kernel), NULL, "show the running kernel's build id"},
	{PFX_OPT_BOOL, 'm', "kernel-maps", AT(kernel_maps), NULL,
	 "show build ids and addresses of the running kernel and its modules"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "say what was read"},
	{.kind = PFX_OPT_END},
};

static void add_id(struct pfx_str *to, const uint8_t *id, uint8_t size)
{
	uint8_t i;

	for (i = 0; i < size; i++)
		pfx_str_hex0(to, id[i], 2);
	if (!size)
		pfx_str_pad(to, ' ', ID_WIDTH);
}

static void add_line(struct pfx_str *to, const uint8_t *id, uint8_t size, const char *name)
{
	add_id(to, id, size);
	pfx_str_addc(to, ' ');
	pfx_str_add_foreign(to, name);
	pfx_str_addc(to, '\n');
}

static int flush(struct pfx_str *out, struct pfx_error *err)
{
	int rc = pfx_out_write(out, 0, err);

	pfx_str_fini(out);
	return rc;
}

/* --- this machine --- */

static int show_id(const struct pfx_build_id *id, struct pfx_error *err)
{
	struct pfx_str out = {0};

	add_id(&out, id->data, id->size);
	pfx_str_addc(&out, '\n');
	return flush(&out, err);
}

static int show_kernel(struct pfx_error *err)
{
	struct pfx_build_id id;
	int rc = pfx_build_id_of_kernel(&id);

	if (rc < 0)
		return pfx_error_sys(err, -rc, "the running kernel does not tell its build id");
	return show_id(&id, err);
}

static void add_kernel_map(struct pfx_str *to, const struct pfx_mmap *map)
{
	bool is_kernel = !strncmp(map->filename, PFX_KERNEL_NAME, strlen(PFX_KERNEL_NAME));
	struct pfx_build_id id;

	pfx_system_build_id(map->filename, &id);
	add_id(to, id.data, id.size);
	pfx_str_addc(to, ' ');
	pfx_str_hex(to, map->addr, 16);
	pfx_str_addc(to, ' ');
	pfx_str_hex(to, map->addr + map->len, 16);
	pfx_str_addc(to, ' ');
	if (is_kernel)
		pfx_str_add(to, PFX_KERNEL_NAME);
	else
		pfx_str_add_foreign(to, map->filename);
	pfx_str_addc(to, '\n');
}

/* The maps come as the records that a recorder would write; the kernel's is the first. */
static int show_kernel_maps(struct pfx_error *err)
{
	const struct pfx_synth_options exact = {.exact = true};
	struct pfx_buffer records = {0};
	struct pfx_record rec;
	struct pfx_str out = {0};
	struct pfx_body body;
	size_t at;

	if (pfx_synth_kernel(&exact, &records, err) < 0) {
		const struct pfx_mmap unknown = {.len = UINT64_MAX, .filename = PFX_KERNEL_NAME};

		pfx_print_note("buildid-list", "%s", err->text);
		add_kernel_map(&out, &unknown);
	}
	pfx_synth_modules(&exact, &records, NULL);
	for (at = 0; at < records.len; at += rec.size) {
		pfx_record_init(&rec, records.at + at, false, at);
		if (!pfx_record_decode(&rec, NULL, &body, NULL))
			add_kernel_map(&out, &body.mmap);
	}
	pfx_buffer_fini(&records);
	return flush(&out, err);
}

/* --- a recording --- */

struct listing {
	const struct buildid_options *options;
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_session *session;
	uint64_t nr_bad_samples, nr_samples;
	struct pfx_str out;
};

/* The table may name a binary twice; the later id is the one that counts. */
static void list_table(struct listing *list)
{
	const struct pfx_env *env = &pfx_reader_meta(list->reader)->env;
	struct pfx_intern names = {0};
	PFX_VEC(const struct pfx_env_build_id *) lines = {0};
	uint32_t i, id;

	for (i = 0; i < env->nr_build_ids; i++) {
		id = pfx_intern_str(&names, env->build_ids[i].filename);
		if (!lines.at || id == lines.nr)
			pfx_vec_push(&lines, &env->build_ids[i]);
		else
			lines.at[id] = &env->build_ids[i];
	}
	for (i = 0; i < lines.nr; i++)
		add_line(&list->out, lines.at[i]->id, lines.at[i]->size, lines.at[i]->filename);
	if (list->options->verbose)
		pfx_print_note("buildid-list", "%u build ids in the recording's table",
			       (unsigned)lines.nr);
	pfx_vec_free(&lines);
	pfx_intern_fini(&names);
}

static void take_record(struct listing *list, const struct pfx_record *rec)
{
	struct pfx_location where;
	struct pfx_sample sample;
	struct pfx_thread *thread;

	if (rec->type != PFX_RECORD_SAMPLE) {
		pfx_session_apply(list->session, rec);
		return;
	}
	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample)) {
		list->nr_bad_samples++;
		return;
	}
	list->nr_samples++;
	thread = pfx_session_thread(list->session, sample.pid, sample.tid);
	pfx_session_locate(list->session, thread, sample.cpumode, sample.ip, &where);
}

/* Binaries of the table come first, in its order; then the others as they appeared. */
struct hit {
	const struct pfx_dso *dso;
	uint32_t rank;
};

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->dso->id < b->dso->id ? -1 : a->dso->id > b->dso->id;
}

/* One file may be several binaries: maps of what ran already tell no generation of its inode. */
static bool is_same(const struct pfx_dso *a, const struct pfx_dso *b)
{
	return !strcmp(a->name, b->name) && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

static void list_hits(struct listing *list)
{
	const struct pfx_env *env = &pfx_reader_meta(list->reader)->env;
	uint32_t i, rank, nr_ranks, nr = pfx_session_nr_dsos(list->session);
	struct pfx_intern names = {0};
	PFX_VEC(struct hit) hits = {0};
	const struct pfx_dso *dso;

	for (i = 0, nr_ranks = 0; i < env->nr_build_ids; i++) {
		rank = pfx_intern_str(&names, env->build_ids[i].filename);
		nr_ranks = rank >= nr_ranks ? rank + 1 : nr_ranks;
	}
	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(list->session, i);
		if (!dso->hit)
			continue;
		rank = pfx_intern_str(&names, dso->name);
		pfx_vec_push(&hits, ((struct hit){dso, rank < nr_ranks ? rank : nr_ranks}));
	}
	if (hits.nr)
		qsort(hits.at, hits.nr, sizeof(*hits.at), compare_hits);
	for (i = 0; i < hits.nr; i++) {
		dso = hits.at[i].dso;
		if (i && hits.at[i].rank < nr_ranks && is_same(dso, hits.at[i - 1].dso))
			continue;
		add_line(&list->out, dso->build_id, dso->build_id_size,
			 dso->anon_pid >= 0 ? dso->script_name : dso->name);
	}
	if (list->options->verbose)
		pfx_print_note("buildid-list", "%llu samples are in %u of %u binaries",
			       (unsigned long long)list->nr_samples, (unsigned)hits.nr, nr);
	pfx_vec_free(&hits);
	pfx_intern_fini(&names);
}

static int read_hits(struct listing *list, struct pfx_error *err)
{
	struct pfx_record rec;
	int rc;

	list->order = pfx_order_new(list->reader, false);
	list->session = pfx_session_new(pfx_reader_meta(list->reader));
	while ((rc = pfx_order_next(list->order, &rec, err)) > 0)
		take_record(list, &rec);
	pfx_session_update(list->session);
	if (!rc)
		list_hits(list);
	return rc;
}

/* Nothing is needed of the records but that all of them are whole. */
static int read_whole(struct listing *list, struct pfx_error *err)
{
	struct pfx_record rec;
	int rc;

	while ((rc = pfx_reader_next(list->reader, &rec, err)) > 0)
		pfx_reader_release(list->reader, pfx_reader_mark(list->reader));
	return rc;
}

static int list_recording(struct listing *list, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_reader_meta(list->reader);
	bool with_hits = list->options->with_hits && !pfx_env_has(&meta->env, PFX_FEAT_AUXTRACE);
	int rc = 0;

	/* What AUX area data says is not decoded: the binaries in it could not be told. */
	if (meta->is_pipe || with_hits || !pfx_env_has(&meta->env, PFX_FEAT_BUILD_ID))
		rc = read_hits(list, err);
	else if (list->options->strict)
		rc = read_whole(list, err);
	if (!rc && !list->session)
		list_table(list);
	return rc < 0 ? rc : flush(&list->out, err);
}

static int show_recording(struct listing *list, struct pfx_error *err)
{
	int rc = pfx_recording_open(&list->reader, list->options->input,
				    pfx_open_how(list->options->force, list->options->strict), err);

	if (rc < 0)
		return rc;
	pfx_pager_for("buildid-list");
	return list_recording(list, err);
}

/* A regular file that is ELF and has a build id; anything else is a recording, or nothing. */
static bool is_elf_with_id(const char *path, struct pfx_build_id *ret)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return !pfx_build_id_of_file(path, ret, NULL);
}

static int run_checked(const struct buildid_options *options)
{
	struct listing list = {.options = options};
	struct pfx_build_id id;
	struct pfx_error err = {0};
	int code, rc;

	if (options->kernel)
		rc = show_kernel(&err);
	else if (options->kernel_maps)
		rc = show_kernel_maps(&err);
	else if (is_elf_with_id(options->input, &id))
		rc = show_id(&id, &err);
	else
		rc = show_recording(&list, &err);
	code = pfx_recording_exit_code("buildid-list", rc, &err);
	pfx_recording_note("buildid-list",
			   &(struct pfx_recording_state){list.reader, list.session, list.order,
							 list.nr_bad_samples,
							 .header_only = !list.session});
	pfx_str_fini(&list.out);
	pfx_session_free(list.session);
	pfx_order_free(list.order);
	pfx_reader_free(list.reader);
	return code;
}

static int run_buildid_list(int argc, char **argv)
{
	struct buildid_options options = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_buildid_list, argc, argv, &options, &code);

	if (at < 0)
		return code;
	if (pfx_recording_check_word("buildid-list", at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error("buildid-list", &err);
		return PFX_USAGE_ERROR;
	}
	return run_checked(&options);
}

const struct pfx_command pfx_cmd_buildid_list = {
	.name = "buildid-list",
	.args = "",
	.summary = "list the build ids of a recording, a file or the kernel",
	.options = buildid_options,
	.run = run_buildid_list,
};
