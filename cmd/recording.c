/* SPDX-License-Identifier: MIT */
/*
 * Opening a recording for a command, and the one sentence about what was lost or damaged in it.
 * Only the counts of the library are read here; nothing is decided by them.
 */
#include "cmd/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/archive.h"
#include "cmd/commands.h"
#include "file/tar.h"

#define DEFAULT_RECORDING "perf.data"
#define READER_LEFT_CODE  141 /* as if SIGPIPE had ended us */

const char *pfx_recording_path(const char *input)
{
	struct stat st;

	if (input)
		return input;
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return DEFAULT_RECORDING;
}

static int open_with(struct pfx_reader **ret, const char *input,
		     const struct pfx_reader_options *options, struct pfx_error *err)
{
	const char *path = pfx_recording_path(input);
	int rc = 0;

	if (pfx_tar_is_archive(path))
		rc = pfx_archive_use(path, &path, err);
	if (!rc)
		rc = pfx_reader_open(ret, path, options, err);
	if (rc == -ENOENT && !strcmp(path, DEFAULT_RECORDING))
		pfx_error_hint(err, "make one with 'pfx record', or name one with -i");
	return rc;
}

int pfx_recording_open(struct pfx_reader **ret, const char *input, unsigned how,
		       struct pfx_error *err)
{
	const struct pfx_reader_options options = {
		.force = how & PFX_OPEN_FORCE,
		.strict = how & PFX_OPEN_STRICT,
	};

	return open_with(ret, input, &options, err);
}

int pfx_recording_open_all(struct pfx_reader **ret, const char *input, unsigned how,
			   struct pfx_error *err)
{
	const struct pfx_reader_options options = {
		.force = how & PFX_OPEN_FORCE,
		.strict = how & PFX_OPEN_STRICT,
		.keep_meta_records = true,
		.keep_payload = how & PFX_OPEN_PAYLOAD,
	};

	return open_with(ret, input, &options, err);
}

/* A plain file only: a pipe that somebody put there would be waited for, a device has no end. */
static const char *kcore_file(struct pfx_reader *reader, const char *name)
{
	const struct pfx_file_info *info = pfx_reader_info(reader);
	const char *found = NULL;
	struct stat st;
	char *path;

	if (info->form != PFX_FORM_DIRECTORY)
		return NULL;
	path = pfx_strfmt("%s/kcore_dir/%s", info->path, name);
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK))
		found = pfx_arena_strdup(&pfx_reader_meta(reader)->arena, path);
	free(path);
	return found;
}

const char *pfx_recording_kallsyms(struct pfx_reader *reader)
{
	return kcore_file(reader, "kallsyms");
}

const char *pfx_recording_kcore(struct pfx_reader *reader)
{
	return kcore_file(reader, "kcore");
}

static void __attribute__((format(printf, 3, 4)))
add_part(struct pfx_str *to, uint64_t nr, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!nr)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pfx_str_addf(to, "%s%s", to->len ? ", " : "", text);
}

#define ULL(x) ((unsigned long long)(x))
#define S(nr)  ((nr) == 1 ? "" : "s")

static void add_losses(const struct pfx_session_stats *stats, struct pfx_str *to)
{
	add_part(to, stats->nr_lost, "%llu record%s lost in %llu place%s", ULL(stats->nr_lost),
		 S(stats->nr_lost), ULL(stats->nr_lost_chunks), S(stats->nr_lost_chunks));
	add_part(to, stats->nr_lost_samples, "%llu sample%s lost", ULL(stats->nr_lost_samples),
		 S(stats->nr_lost_samples));
}

static void add_damage(const struct pfx_reader_damage *damage, bool header_only, uint64_t nr_bad,
		       struct pfx_str *to)
{
	nr_bad += damage->nr_bad;
	add_part(to, damage->no_size, "the recorder was killed");
	add_part(to, damage->cut_short,
		 header_only ? "the recording is cut short"
			     : "the recording ends in the middle of a record");
	add_part(to, damage->nr_places, "the recording is damaged in %llu place%s",
		 ULL(damage->nr_places), S(damage->nr_places));
	if (!header_only &&
	    (damage->no_size || damage->cut_short || damage->nr_places || damage->bytes_skipped))
		pfx_str_addf(to, ": %llu record%s, %llu byte%s after the damage skipped",
			     ULL(damage->nr_records), S(damage->nr_records),
			     ULL(damage->bytes_skipped), S(damage->bytes_skipped));
	add_part(to, damage->nr_unknown, "%llu record%s of unknown types (the first is %u)",
		 ULL(damage->nr_unknown), S(damage->nr_unknown), damage->first_unknown);
	add_part(to, nr_bad, "%llu malformed record%s", ULL(nr_bad), S(nr_bad));
}

/* All that was lost or skipped, as parts of a sentence. */
static void add_note(const struct pfx_recording_state *state, struct pfx_str *to)
{
	uint64_t nr_bad = state->nr_bad_samples, late;

	uint64_t unknown = 0;

	if (state->session) {
		add_losses(pfx_session_stats(state->session), to);
		nr_bad += pfx_session_stats(state->session)->nr_bad;
		unknown = pfx_session_stats(state->session)->nr_unknown_ids;
	}
	if (state->reader)
		add_damage(pfx_reader_damage(state->reader), state->header_only, nr_bad, to);
	if (state->order) {
		late = pfx_order_stats(state->order)->nr_out_of_order;
		add_part(to, late, "%llu record%s out of order", ULL(late), S(late));
		unknown += pfx_order_stats(state->order)->nr_unknown_ids;
	}
	add_part(to, unknown, "%llu record%s with an id that no event has", ULL(unknown),
		 S(unknown));
}

void pfx_recording_note(const char *command, const struct pfx_recording_state *state)
{
	struct pfx_str text = {0};

	add_note(state, &text);
	if (text.len)
		pfx_print_note(command, "%s", text.at);
	pfx_str_fini(&text);
}

/* @shown: its name. */
static void note_dso(const char *command, const struct pfx_resolver *resolver,
		     const struct pfx_dso *dso, const char *shown)
{
	const char *why = pfx_resolver_symtab_error(resolver, dso), *lack;

	if (*why) {
		pfx_print_note(command, "no symbols for '%s': %s", shown, why);
		return;
	}
	lack = pfx_resolver_symtab_lack(resolver, dso);
	if (*lack && pfx_resolver_has_unnamed(resolver, dso))
		pfx_print_note(command, "only exported names of '%s': %s", shown, lack);
}

void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver)
{
	uint32_t i, nr = pfx_session_nr_dsos(session);
	const struct pfx_dso *dso;
	char shown[512];

	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(session, i);
		pfx_escape(shown, sizeof(shown), dso->name);
		note_dso(command, resolver, dso, shown);
	}
}

/* @shown: the binary's name. */
static void note_gaps(const char *command, const struct pfx_split_gaps *gaps, const char *shown)
{
	char file[512];

	if (gaps->refused)
		pfx_print_note(command,
			       "'%s' is split debug information of another build than '%s': "
			       "functions inlined in %u of its units are not shown",
			       pfx_escape(file, sizeof(file), gaps->refused), shown,
			       gaps->nr_refused);
	if (gaps->missing)
		pfx_print_note(command,
			       "split debug information of '%s' is missing, such as '%s': "
			       "functions inlined in %u of its units are not shown",
			       shown, pfx_escape(file, sizeof(file), gaps->missing),
			       gaps->nr_missing);
}

void pfx_recording_note_lines(const char *command, const struct pfx_session *session,
			      const struct pfx_resolver *resolver)
{
	uint32_t i, nr = pfx_session_nr_dsos(session);
	struct pfx_split_gaps gaps;
	const struct pfx_dso *dso;
	char shown[512];

	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(session, i);
		pfx_escape(shown, sizeof(shown), dso->name);
		gaps = pfx_resolver_split_gaps(resolver, dso);
		note_gaps(command, &gaps, shown);
		if (*pfx_resolver_lines_error(resolver, dso))
			pfx_print_note(command, "no source lines of '%s': %s", shown,
				       pfx_resolver_lines_error(resolver, dso));
	}
}

#define COPY_MAX 65528 /* bytes of a stack that the kernel copies at most */

static void add_short_copies(const struct pfx_unwind_stats *stats, struct pfx_str *to)
{
	uint64_t nr = stats->nr_ends[PFX_UNWIND_SHORT_DUMP], twice = stats->dump_size * 2;

	if (stats->dump_size >= COPY_MAX)
		add_part(to, nr, "%llu need more of the stack than can be copied", ULL(nr));
	else
		add_part(to, nr,
			 "%llu need more of the stack (record with --call-graph dwarf,%llu)",
			 ULL(nr), ULL(twice > COPY_MAX ? COPY_MAX : twice));
}

static void add_missing_files(const struct pfx_unwind_stats *stats, struct pfx_str *to)
{
	uint64_t nr = stats->nr_ends[PFX_UNWIND_NO_DSO];
	char shown[160];

	if (!nr || !stats->missing)
		return;
	add_part(to, nr,
		 "%llu pass through programs whose recorded build is not at hand, such as '%s' "
		 "(see --symfs)",
		 ULL(nr), pfx_escape(shown, sizeof(shown), stats->missing->name));
}

void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver)
{
	const struct pfx_unwind_stats *stats = pfx_resolver_unwind_stats(resolver);
	uint64_t nr = stats->nr_chains - stats->nr_ends[PFX_UNWIND_COMPLETE];
	uint64_t nr_no_cfi = stats->nr_ends[PFX_UNWIND_NO_CFI];
	uint64_t nr_made = stats->nr_ends[PFX_UNWIND_MADE_CODE];
	uint64_t nr_bad = stats->nr_ends[PFX_UNWIND_BAD_CFI];
	struct pfx_str text = {0};

	if (nr * 100 <= stats->nr_chains)
		return;
	add_short_copies(stats, &text);
	add_missing_files(stats, &text);
	add_part(&text, nr_no_cfi, "%llu pass through code without unwind information (%s)",
		 ULL(nr_no_cfi),
		 stats->cannot_read_cfi ? "this build cannot read any: it has no libdw"
					: "build it with -fasynchronous-unwind-tables or with "
					  "frame pointers, or add its debug file");
	add_part(&text, nr_made,
		 "%llu pass through code made at run time that says nothing about its frames (have "
		 "its compiler keep frame pointers, or write unwind information to a jitdump)",
		 ULL(nr_made));
	add_part(&text, nr_bad, "%llu lead nowhere (see whether --unwind-style libdw gets further)",
		 ULL(nr_bad));
	pfx_print_note(command, "%llu of %llu call chains are incomplete: %s", ULL(nr),
		       ULL(stats->nr_chains), text.at);
	pfx_str_fini(&text);
}

void pfx_recording_note_jit(const char *command, const struct pfx_resolver *resolver)
{
	const char *note;
	uint32_t i;

	for (i = 0; (note = pfx_resolver_jit_note(resolver, i)); i++)
		pfx_print_note(command, "%s", note);
}

int pfx_recording_check_cpus(const struct pfx_meta *meta, const struct pfx_list *cpus,
			     struct pfx_error *err)
{
	uint32_t nr_cpus = meta->env.nr_cpus_avail, i;
	char shown[128];

	for (i = 0; i < meta->nr_events; i++)
		if (!(meta->events[i]->attr.sample_type & PFX_SAMPLE_CPU))
			return pfx_error_set(
				err, EINVAL,
				"-C cannot choose: the samples of event '%s' were "
				"recorded without their CPU",
				pfx_escape(shown, sizeof(shown), meta->events[i]->name));
	if (!nr_cpus || !cpus->nr || (uint32_t)cpus->at[0] < nr_cpus)
		return 0;
	pfx_error_set(err, EINVAL, "the recorded machine has no CPU %d", cpus->at[0]);
	pfx_error_hint(err, "it has %" PRIu32 ", and -C counts from 0", nr_cpus);
	return -EINVAL;
}

void pfx_recording_note_empty(const char *command, const struct pfx_reader *reader, bool has_some)
{
	char shown[256];

	pfx_print_note(command, "'%s' has no samples%s",
		       pfx_escape(shown, sizeof(shown), pfx_reader_info(reader)->path),
		       has_some ? " that the options let pass" : "");
}

int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err)
{
	char shown[128];

	if (!word)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not expected here",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "the recording is named with -i; see 'pfx %s -h'", command);
	return -EINVAL;
}

int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err)
{
	if (rc >= 0)
		return 0;
	return rc == -EPIPE ? READER_LEFT_CODE : pfx_print_error(command, err);
}
