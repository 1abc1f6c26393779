/* SPDX-License-Identifier: MIT */
/* Notes about a recording that was read, from the library's counts of losses, damage and missing
 * symbols. */
#include "out/notes_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "out/term/term.h"

void pfx_note_tell(const struct pfx_note_to *to, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		to->add(to->context, text);
	va_end(ap);
	free(text);
}

/* A part after one with its remedy on a separate line also begins a line. */
static void __attribute__((format(printf, 3, 4)))
add_part(struct pfx_str *to, uint64_t nr, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!nr)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (to->len)
		pfx_str_addf(to, ",%s",
			     strstr(to->at, PFX_MESSAGE_BREAK) ? PFX_MESSAGE_BREAK : " ");
	pfx_str_add(to, text);
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
	    (damage->no_size || damage->cut_short || damage->nr_places || damage->bytes_skipped)) {
		pfx_str_addf(to, ": %llu record%s could be read", ULL(damage->nr_records),
			     S(damage->nr_records));
		add_part(to, damage->bytes_skipped, "%llu byte%s after the damage skipped",
			 ULL(damage->bytes_skipped), S(damage->bytes_skipped));
	}
	add_part(to, damage->nr_unknown, "%llu record%s of unknown types (the first is %u)",
		 ULL(damage->nr_unknown), S(damage->nr_unknown), damage->first_unknown);
	add_part(to, nr_bad, "%llu malformed record%s", ULL(nr_bad), S(nr_bad));
	add_part(to, damage->nr_bad_features, "%llu malformed header feature%s",
		 ULL(damage->nr_bad_features), S(damage->nr_bad_features));
}

/* Everything that was lost or skipped, as parts of a sentence. */
static void add_note(const struct pfx_recording *recording, struct pfx_str *to)
{
	const struct pfx_recording_stats *stats = pfx_recording_stats(recording);
	const struct pfx_session *session = pfx_recording_session(recording);
	const struct pfx_order_stats *order = pfx_recording_order_stats(recording);
	uint64_t nr_bad = stats->nr_bad_samples, unknown = 0;

	if (session) {
		add_losses(pfx_session_stats(session), to);
		nr_bad += pfx_session_stats(session)->nr_bad;
		unknown = pfx_session_stats(session)->nr_unknown_ids;
	}
	add_part(to, pfx_reader_check_cut(pfx_recording_reader(recording), NULL) < 0,
		 "the recording became shorter while it was read");
	add_damage(pfx_reader_damage(pfx_recording_reader(recording)), stats->nothing_read, nr_bad,
		   to);
	if (order) {
		add_part(to, order->nr_out_of_order, "%llu record%s out of order",
			 ULL(order->nr_out_of_order), S(order->nr_out_of_order));
		unknown += order->nr_unknown_ids;
	}
	add_part(to, unknown, "%llu record%s with an id that no event has", ULL(unknown),
		 S(unknown));
}

void pfx_archive_notes(const struct pfx_note_to *to, const struct pfx_archive_counts *counts)
{
	if (counts->nr_wrong)
		pfx_note_tell(to,
			      "left out what is not the build that it is named as: %llu of the "
			      "archive's files, the first is '%s'",
			      ULL(counts->nr_wrong), counts->wrong);
	if (counts->nr_replaced)
		pfx_note_tell(to,
			      "replaced what was not the build that it was named as: %llu of the "
			      "build-id cache's files, the first is '%s'",
			      ULL(counts->nr_replaced), counts->replaced);
}

void pfx_recording_loss_note(const struct pfx_note_to *to, const struct pfx_recording *recording)
{
	const struct pfx_archive_counts *archive = pfx_recording_archive(recording);
	struct pfx_str text = {0};

	if (archive)
		pfx_archive_notes(to, archive);
	add_note(recording, &text);
	if (text.len)
		pfx_note_tell(to, "%s", text.at);
	pfx_str_fini(&text);
}

/* Whether the path is one where packages of a distribution install files. */
static bool is_packaged(const char *path)
{
	static const char *const roots[] = {"/usr/", "/lib", "/bin/", "/sbin/", "/opt/", "/snap/"};
	size_t i;

	if (!strncmp(path, "/usr/local/", 11) || !strncmp(path, "/usr/src/", 9))
		return false;
	for (i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (!strncmp(path, roots[i], strlen(roots[i])))
			return true;
	return false;
}

static const char *stripped_remedy(const struct pfx_dso *dso)
{
	if (!is_packaged(dso->name))
		return "build it without -s, or keep the file before it is stripped";
	return "install its debug symbols (Debian: the package's -dbgsym or -dbg; Fedora: dnf "
	       "debuginfo-install), or fetch them with --debuginfod";
}

/* @why: the reason for the missing symbols. Root only helps if /proc/kallsyms was tried. */
static const char *kernel_remedy(const struct pfx_dso *dso, const char *why)
{
	if (!strncmp(dso->short_name, "[guest", 6))
		return "name the guest's files with --guestkallsyms, --guestvmlinux or "
		       "--guestmount";
	if (!strstr(why, "/proc/kallsyms"))
		return "name its image with --vmlinux or its symbols with --kallsyms";
	return "name its image with --vmlinux or its symbols with --kallsyms; those of the "
	       "running kernel are for root, or with kernel.kptr_restrict=0";
}

const char *pfx_recording_symbols_remedy(const struct pfx_resolver *resolver,
					 const struct pfx_dso *dso)
{
	switch (dso->kind) {
	case PFX_DSO_FILE:
		if (*pfx_resolver_symtab_lack(resolver, dso))
			return stripped_remedy(dso);
		return "point --symfs to the files of the recorded machine, or record them with "
		       "'pfx archive'";
	case PFX_DSO_ANON:
		return "have its compiler write down names: node --perf-basic-prof, python -X "
		       "perf, a JVM agent such as perf-map-agent";
	case PFX_DSO_KERNEL:
	case PFX_DSO_MODULE:
		return kernel_remedy(dso, pfx_resolver_no_symbols(resolver, dso));
	default:
		return NULL;
	}
}

void pfx_symbol_note(const struct pfx_note_to *to, const struct pfx_resolver *resolver,
		     const struct pfx_dso *dso)
{
	const char *why = pfx_resolver_symtab_error(resolver, dso);
	const char *lack = pfx_resolver_symtab_lack(resolver, dso);
	char shown[512];

	if ((!*why && !*lack) || !pfx_resolver_has_unnamed(resolver, dso))
		return;
	pfx_escape(shown, sizeof(shown), dso->name);
	if (*why)
		pfx_note_tell(to, "no symbols for '%s': %s", shown, why);
	else
		pfx_note_tell(to, "only exported names of '%s': %s", shown, lack);
}

void pfx_symbol_notes(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver)
{
	uint32_t i, nr = pfx_session_nr_dsos(session);

	for (i = 0; i < nr; i++)
		pfx_symbol_note(to, resolver, pfx_session_dso_at(session, i));
}

/* @shown: the binary's name. */
static void note_gaps(const struct pfx_note_to *to, const struct pfx_split_gaps *gaps,
		      const char *shown)
{
	char file[512];

	if (gaps->refused)
		pfx_note_tell(to,
			      "'%s' is split debug information of another build than '%s': "
			      "functions inlined in %u of its units are not shown",
			      pfx_escape(file, sizeof(file), gaps->refused), shown,
			      gaps->nr_refused);
	if (gaps->missing)
		pfx_note_tell(to,
			      "split debug information of '%s' is missing, such as '%s': "
			      "functions inlined in %u of its units are not shown",
			      shown, pfx_escape(file, sizeof(file), gaps->missing),
			      gaps->nr_missing);
}

void pfx_line_notes(const struct pfx_note_to *to, const struct pfx_session *session,
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
		note_gaps(to, &gaps, shown);
		if (*pfx_resolver_lines_error(resolver, dso))
			pfx_note_tell(to, "no source lines of '%s': %s", shown,
				      pfx_resolver_lines_error(resolver, dso));
	}
}

#define COPY_MAX 65528 /* the kernel's limit for a stack dump */

static void add_short_copies(const struct pfx_unwind_stats *stats, struct pfx_str *to)
{
	uint64_t nr = stats->nr_ends[PFX_UNWIND_SHORT_DUMP], twice = stats->dump_size * 2;

	if (stats->dump_size >= COPY_MAX)
		add_part(to, nr, "%llu need more of the stack than can be copied", ULL(nr));
	else
		add_part(to, nr,
			 "%llu need more of the stack" PFX_MESSAGE_BREAK
			 "(record with --call-graph dwarf,%llu)",
			 ULL(nr), ULL(twice > COPY_MAX ? COPY_MAX : twice));
}

static void add_missing_files(const struct pfx_unwind_stats *stats, struct pfx_str *to)
{
	uint64_t nr = stats->nr_ends[PFX_UNWIND_NO_DSO];
	char shown[160];

	if (!nr || !stats->missing)
		return;
	add_part(to, nr,
		 "%llu pass through programs whose recorded build is not available, such "
		 "as '%s'" PFX_MESSAGE_BREAK "(see --symfs)",
		 ULL(nr), pfx_escape(shown, sizeof(shown), stats->missing->name));
}

void pfx_unwinding_note(const struct pfx_note_to *to, const struct pfx_resolver *resolver)
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
	add_part(&text, nr_no_cfi,
		 "%llu pass through code without unwind information" PFX_MESSAGE_BREAK "(%s)",
		 ULL(nr_no_cfi),
		 stats->cannot_read_cfi ? "this build cannot read any: it has no libdw"
					: "build it with -fasynchronous-unwind-tables or with "
					  "frame pointers, or add its debug file");
	add_part(
		&text, nr_made,
		"%llu pass through code made at run time that says nothing about its "
		"frames" PFX_MESSAGE_BREAK
		"(have its compiler keep frame pointers, or write unwind information to a jitdump)",
		ULL(nr_made));
	add_part(&text, nr_bad,
		 "%llu lead nowhere" PFX_MESSAGE_BREAK
		 "(see whether --unwind-style libdw gets further)",
		 ULL(nr_bad));
	pfx_note_tell(to, "%llu of %llu call chains are incomplete: %s", ULL(nr),
		      ULL(stats->nr_chains), text.at);
	pfx_str_fini(&text);
}

void pfx_jit_notes(const struct pfx_note_to *to, const struct pfx_resolver *resolver)
{
	const char *note;
	uint32_t i;

	for (i = 0; (note = pfx_resolver_jit_note(resolver, i)); i++)
		pfx_note_tell(to, "%s", note);
}
