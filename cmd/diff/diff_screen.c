/* SPDX-License-Identifier: MIT */
/* `pfx diff --tui`: both recordings as one profile on the screen, with the noise of the comparison.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "browse/screen_files.h"
#include "cmd/app/commands.h"
#include "cmd/app/screen/screen_child.h"
#include "cmd/app/screen/screen_loop.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/diff/diff_command.h"
#include "diff/pair_noise.h"
#include "out/term/term.h"
#include "screen/curses/terminal.h"

struct showing {
	struct pfx_diff_command *command;
	struct pfx_joined joined;
	uint32_t *old_of;             /* by event of the joined profile */
	struct pfx_pair_noise *paths; /* NULL: noise is not shown */
	struct pfx_hash noise;        /* events with functions whose change is noise */
	struct pfx_screen_files files;
};

int pfx_diff_check_screen(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	const bool asks_for_text = o->json || o->markdown || o->tree || o->folded || o->cycles ||
				   o->dump || o->keep || o->separator;
	const struct pfx_screen_wish wish = {
		.command = PFX_DIFF_COMMAND,
		.tui = true,
		.text = asks_for_text ? "other options ask for text" : NULL,
		.quiet = o->quiet,
	};

	if (!o->tui)
		return 0;
	if (command->comparison.files.nr != 2 || command->baseline_name)
		return pfx_error_set(err, EINVAL,
				     "--tui compares two recordings, an old one and a new one");
	return pfx_screen_wanted(&wish, err) < 0 ? -EINVAL : 0;
}

static uint64_t noise_key(const char *event, const char *dso, const char *symbol)
{
	return pfx_hash_u64(pfx_hash_bytes(event, strlen(event)) ^
			    pfx_hash_u64(pfx_hash_bytes(dso, strlen(dso)) ^
					 pfx_hash_u64(pfx_hash_bytes(symbol, strlen(symbol)))));
}

/* Which rows of libraries and functions are within noise. */
static void collect_noise(struct showing *showing)
{
	const struct pfx_diff_command *command = showing->command;
	const struct pfx_diff_interval *interval;
	const struct pfx_diff_event *event;
	const struct pfx_diff_row *row;
	uint32_t i, k;

	if (!command->comparison.noise || command->comparison.model.nr_keys != 2 ||
	    command->comparison.model.keys[0] != PFX_DIFF_DSO ||
	    command->comparison.model.keys[1] != PFX_DIFF_SYM)
		return;
	for (i = 0; i < pfx_diff_nr_events(command->comparison.diff); i++) {
		event = pfx_diff_event_at(command->comparison.diff, i);
		for (k = 0; k < event->nr_rows; k++) {
			row = &event->rows[k];
			interval = pfx_diff_interval(command->comparison.noise, event, row, 1);
			if (interval->is_known && interval->is_within)
				pfx_hash_add(&showing->noise,
					     noise_key(event->name, row->texts[0], row->texts[1]),
					     NULL);
		}
	}
}

static bool is_noise(void *context, uint32_t event, uint32_t function)
{
	const struct showing *showing = context;
	const struct pfx_profile *profile = showing->joined.profile;
	const struct pfx_profile_function *of = &profile->functions[function];
	uint32_t old =
		event < showing->joined.nr_new_events ? showing->joined.old_of[event] : PFX_NO_ID;

	return old != PFX_NO_ID && of->dso != PFX_NO_ID &&
	       pfx_hash_get(&showing->noise,
			    noise_key(profile->events[old].name, profile->dsos[of->dso].short_name,
				      of->name));
}

static void find_noise(void *context, uint32_t event, enum pfx_measure measure,
		       const struct pfx_view_tree *tree, const struct pfx_tree_change *change,
		       bool *ret)
{
	const struct showing *showing = context;
	const struct pfx_pair_footing footing = {.measure = measure, .is_share = true};
	struct pfx_pair_finding *found;
	uint32_t i;

	if (!showing->paths || event >= showing->joined.nr_new_events ||
	    showing->joined.old_of[event] == PFX_NO_ID)
		return;
	found = pfx_pair_tree(showing->paths, event, &footing, tree, change->samples,
			      change->old_samples);
	for (i = 0; i < tree->nr_nodes; i++)
		ret[i] = found[i].verdict == PFX_PAIR_WITHIN;
	free(found);
}

/* The function in both builds, as `pfx annotate --diff` prints it. */
static int code_pair(void *context, uint32_t function, struct pfx_str *ret, struct pfx_error *err)
{
	const struct showing *showing = context;
	const struct pfx_cmd_diff_options *o = showing->command->options;
	const struct pfx_profile *profile = showing->joined.profile;
	const struct pfx_profile_function *of = &profile->functions[function];
	const char *words[12] = {"pfx",
				 "annotate",
				 "--stdio",
				 "--diff",
				 showing->command->comparison.files.at[0].path,
				 "-i",
				 showing->command->comparison.files.at[1].path,
				 "-s",
				 of->name};
	const char *folder = o->symbols.symfs_words;
	char *symfs = folder ? pfx_strfmt("--symfs=%s", folder) : NULL;
	int nr = 9, rc;
	size_t i;

	if (symfs)
		words[nr++] = symfs;
	if (o->force)
		words[nr++] = "-f";
	rc = pfx_screen_child(words, ret, err);
	for (i = 0; i < ret->len; i++)
		ret->at[i] = ret->at[i] == '\t' ? ' ' : ret->at[i];
	free(symfs);
	return rc;
}

static int save(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		struct pfx_error *err)
{
	return pfx_screen_files_save(&((struct showing *)context)->files, text, ret_name, err);
}

static void use_mouse(void *context, bool on)
{
	pfx_terminal_mouse(on);
}

/* By event of the joined profile; the caller frees it. */
static uint32_t *old_events(const struct pfx_joined *joined)
{
	uint32_t nr = joined->profile->nr_events, i;
	uint32_t *old_of = pfx_malloc((nr + 1ul) * sizeof(*old_of));

	for (i = 0; i < nr; i++)
		old_of[i] = i < joined->nr_new_events ? joined->old_of[i] : PFX_NO_ID;
	return old_of;
}

/* What was recorded where. */
static void describe(const struct pfx_diff_command *command, struct pfx_str *to)
{
	static const char *const sides[] = {"old", "new"};
	const struct pfx_compared_file *file;
	uint32_t k;
	size_t i;

	for (i = 0; i < command->comparison.files.nr; i++) {
		file = &command->comparison.files.at[i];
		pfx_str_addf(to, "# %s: ", sides[i]);
		pfx_str_add_foreign(to, file->path);
		if (file->machine) {
			pfx_str_add(to, ", ");
			pfx_str_add_foreign(to, file->machine);
		}
		pfx_str_addc(to, '\n');
		for (k = 0; k < file->profile->nr_events; k++) {
			pfx_str_add(to, "#   ");
			pfx_str_add_foreign(to, file->profile->events[k].name);
			pfx_str_addf(to, ": %llu samples\n",
				     (unsigned long long)file->profile->events[k].nr_samples);
		}
	}
}

static void show(struct showing *showing, const char *title, const char *header)
{
	const struct pfx_screen_options options = {
		.title = title,
		.header = header,
		.ascii = !pfx_terminal_has_utf8(),
		.levels = "",
		.relative = showing->command->options->relative,
		.old_of = showing->old_of,
		.host = {.context = showing,
			 .code_pair = code_pair,
			 .save = save,
			 .mouse = use_mouse,
			 .is_noise = is_noise,
			 .find_noise = find_noise},
	};
	struct pfx_screen *screen = pfx_screen_new(&options);
	struct pfx_grid grid = {0};

	pfx_screen_show(screen, showing->joined.profile);
	pfx_screen_loop(screen, &grid);
	pfx_screen_free(screen);
	pfx_grid_fini(&grid);
}

int pfx_diff_show_screen(struct pfx_diff_command *command, struct pfx_error *err)
{
	struct showing showing = {.command = command};
	struct pfx_str header = {0}, title = {0};
	int rc = pfx_screen_open(!pfx_term_colours(PFX_COLOUR_AUTO), err);

	if (rc)
		return rc;
	pfx_profiles_join(&showing.joined, command->comparison.files.at[1].profile,
			  command->comparison.files.at[0].profile,
			  pfx_diff_found_renames(command->comparison.diff));
	showing.old_of = old_events(&showing.joined);
	if (command->comparison.noise)
		showing.paths = pfx_pair_noise_new(
			&(struct pfx_pair){.old = command->comparison.files.at[0].profile,
					   .new = command->comparison.files.at[1].profile,
					   .joined = &showing.joined,
					   .functions = command->comparison.diff});
	collect_noise(&showing);
	describe(command, &header);
	pfx_str_addf(&title, "%s -> %s", command->comparison.files.at[0].path,
		     command->comparison.files.at[1].path);
	show(&showing, pfx_str_get(&title), pfx_str_get(&header));
	pfx_terminal_close();
	pfx_pair_noise_free(showing.paths);
	pfx_joined_fini(&showing.joined);
	pfx_hash_fini(&showing.noise);
	free(showing.old_of);
	pfx_screen_files_fini(&showing.files);
	pfx_str_fini(&header);
	pfx_str_fini(&title);
	return 0;
}
