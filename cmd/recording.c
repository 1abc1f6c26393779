/* SPDX-License-Identifier: MIT */
/*
 * Opening a recording for a command, and the one sentence about what was lost or damaged in it.
 * Only the counts of the library are read here; nothing is decided by them.
 */
#include "cmd/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"

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
	int rc = pfx_reader_open(ret, path, options, err);

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
	};

	return open_with(ret, input, &options, err);
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

static void add_damage(const struct pfx_reader_damage *damage, uint64_t nr_bad, struct pfx_str *to)
{
	nr_bad += damage->nr_bad;
	add_part(to, damage->no_size, "the recorder was killed");
	add_part(to, damage->cut_short, "the recording ends in the middle of a record");
	add_part(to, damage->nr_places, "the recording is damaged in %llu place%s",
		 ULL(damage->nr_places), S(damage->nr_places));
	if (damage->no_size || damage->cut_short || damage->nr_places || damage->bytes_skipped)
		pfx_str_addf(to, ": %llu record%s, %llu byte%s after the damage skipped",
			     ULL(damage->nr_records), S(damage->nr_records),
			     ULL(damage->bytes_skipped), S(damage->bytes_skipped));
	add_part(to, damage->nr_unknown, "%llu record%s of unknown types (the first is %u)",
		 ULL(damage->nr_unknown), S(damage->nr_unknown), damage->first_unknown);
	add_part(to, nr_bad, "%llu malformed record%s", ULL(nr_bad), S(nr_bad));
}

void pfx_recording_note_text(const struct pfx_recording_state *state, struct pfx_str *to)
{
	uint64_t nr_bad = state->nr_bad_samples, late;

	if (state->session) {
		add_losses(pfx_session_stats(state->session), to);
		nr_bad += pfx_session_stats(state->session)->nr_bad;
	}
	if (state->reader)
		add_damage(pfx_reader_damage(state->reader), nr_bad, to);
	if (state->order) {
		late = pfx_order_stats(state->order)->nr_out_of_order;
		add_part(to, late, "%llu record%s out of order", ULL(late), S(late));
	}
}

void pfx_recording_note(const char *command, const struct pfx_recording_state *state)
{
	struct pfx_str text = {0};

	pfx_recording_note_text(state, &text);
	if (text.len)
		pfx_print_note(command, "%s", text.at);
	pfx_str_fini(&text);
}

void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver)
{
	uint32_t i, nr = pfx_session_nr_dsos(session);

	for (i = 0; i < nr; i++) {
		const struct pfx_dso *dso = pfx_session_dso_at(session, i);
		const char *why = pfx_resolver_symtab_error(resolver, dso);

		if (*why)
			pfx_print_note(command, "%s", why);
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
		 "%llu pass through programs that are not at hand, such as '%s' (see "
		 "--symfs)",
		 ULL(nr), pfx_escape(shown, sizeof(shown), stats->missing->name));
}

void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver)
{
	const struct pfx_unwind_stats *stats = pfx_resolver_unwind_stats(resolver);
	uint64_t nr = stats->nr_chains - stats->nr_ends[PFX_UNWIND_COMPLETE];
	uint64_t nr_no_cfi = stats->nr_ends[PFX_UNWIND_NO_CFI];
	uint64_t nr_bad = stats->nr_ends[PFX_UNWIND_BAD_CFI];
	struct pfx_str text = {0};

	if (nr * 100 <= stats->nr_chains)
		return;
	add_short_copies(stats, &text);
	add_missing_files(stats, &text);
	add_part(&text, nr_no_cfi, "%llu pass through code without unwind information%s",
		 ULL(nr_no_cfi),
		 stats->cannot_read_cfi ? " (this build cannot read any: it has no libdw)" : "");
	add_part(&text, nr_bad, "%llu lead nowhere", ULL(nr_bad));
	pfx_print_note(command, "%llu of %llu call chains are incomplete: %s", ULL(nr),
		       ULL(stats->nr_chains), text.at);
	pfx_str_fini(&text);
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
