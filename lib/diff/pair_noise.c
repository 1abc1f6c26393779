/* SPDX-License-Identifier: MIT */
/*
 * The comparisons are made when they are first asked for, as `pfx diff` makes them: of functions,
 * of functions with callees for rules about total, of call paths for --tree. Their rows are found
 * by the numbers of their texts. Functions are found by their exact names first, then by what all
 * builds share of them: a joined function has the new name of a library that the row of a vanished
 * function does not have.
 */
#include "diff/pair_noise.h"

#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"
#include "diff/names/build_names.h"
#include "diff/tree.h"

#define SEVERAL UINT64_MAX

/* --- rows --- */

struct finder {
	const struct pfx_diff *diff;
	const struct pfx_diff_event *event;
	struct pfx_hash rows;   /* two texts -> the row */
	struct pfx_hash shared; /* two names of all builds -> the row, SEVERAL */
	struct pfx_intern names;
};

static uint64_t key_of(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

/* Where a text of the comparison is; 0, the empty text, if it has none like it. */
static uint32_t find_text(const struct pfx_diff *diff, const char *text)
{
	uint32_t id;

	return pfx_intern_find(&diff->texts, text, strlen(text), &id) ? id : 0;
}

/* The number of what all builds share of two names. */
static uint64_t shared_key(struct pfx_intern *names, const char *dso, const char *name)
{
	struct pfx_str library = {0}, function = {0};
	uint64_t key;

	pfx_build_library_name(dso, &library);
	pfx_build_function_name(name, &function);
	key = key_of(pfx_intern_str(names, pfx_str_get(&library)),
		     pfx_intern_str(names, pfx_str_get(&function)));
	pfx_str_fini(&library);
	pfx_str_fini(&function);
	return key;
}

static void add_shared(struct finder *finder, const struct pfx_diff_identity *of, uint32_t row)
{
	const struct pfx_diff *diff = finder->diff;
	const uint64_t *now = pfx_hash_get(&diff->libraries, of->texts[PFX_DIFF_DSO]);
	uint32_t library = now ? (uint32_t)*now : of->texts[PFX_DIFF_DSO];
	bool is_new;
	uint64_t *at =
		pfx_hash_add(&finder->shared,
			     shared_key(&finder->names, pfx_intern_get(&diff->texts, library),
					pfx_intern_get(&diff->texts, of->texts[PFX_DIFF_SYM])),
			     &is_new);

	*at = is_new ? row : SEVERAL;
}

static struct finder *finder_new(const struct pfx_diff *diff, const struct pfx_diff_event *event)
{
	struct finder *finder = pfx_calloc(1, sizeof(*finder));
	const struct pfx_diff_identity *of;
	uint32_t i;

	finder->diff = diff;
	finder->event = event;
	for (i = 0; i < event->nr_rows; i++) {
		of = pfx_diff_identity_at(diff, event->rows[i].id);
		if (of->texts[PFX_DIFF_SYM]) {
			*pfx_hash_add(&finder->rows,
				      key_of(of->texts[PFX_DIFF_DSO], of->texts[PFX_DIFF_SYM]),
				      NULL) = i;
			add_shared(finder, of, i);
		} else {
			*pfx_hash_add(&finder->rows,
				      key_of(of->texts[PFX_DIFF_PATH], of->texts[PFX_DIFF_COMM]),
				      NULL) = i;
		}
	}
	return finder;
}

static void finder_free(struct finder *finder)
{
	if (!finder)
		return;
	pfx_hash_fini(&finder->rows);
	pfx_hash_fini(&finder->shared);
	pfx_intern_fini(&finder->names);
	free(finder);
}

static const struct pfx_diff_row *row_at(const struct finder *finder, const uint64_t *at)
{
	return at && *at != SEVERAL ? &finder->event->rows[*at] : NULL;
}

static const struct pfx_diff_row *find_function(struct finder *finder, const char *dso,
						const char *name)
{
	uint32_t library = find_text(finder->diff, dso), function = find_text(finder->diff, name);
	const uint64_t *at =
		library && function ? pfx_hash_get(&finder->rows, key_of(library, function)) : NULL;

	if (!at)
		at = pfx_hash_get(&finder->shared, shared_key(&finder->names, dso, name));
	return row_at(finder, at);
}

static uint32_t find_path_text(const struct finder *finder, uint32_t callers, const char *name)
{
	struct pfx_str text = {0};
	uint32_t id;

	pfx_str_addf(&text, "%x;", callers);
	pfx_build_function_name(name, &text);
	id = find_text(finder->diff, pfx_str_get(&text));
	pfx_str_fini(&text);
	return id ? id : PFX_NO_ID;
}

static const struct pfx_diff_row *find_path_row(const struct finder *finder, uint32_t path,
						const char *comm)
{
	uint32_t text = comm ? find_text(finder->diff, comm) : 0;

	return row_at(finder, pfx_hash_get(&finder->rows, key_of(path, text)));
}

static const struct pfx_diff_row *find_comm(const struct finder *finder, const char *comm)
{
	return row_at(finder,
		      pfx_hash_get(&finder->rows, key_of(0, find_text(finder->diff, comm))));
}

/* --- comparisons --- */

struct compared {
	struct pfx_diff *diff;                             /* NULL: not made yet */
	struct pfx_diff_noise *noise[PFX_DIFF_NR_WEIGHTS]; /* the same */
};

struct pfx_pair_noise {
	struct pfx_pair pair;
	bool has_equal_periods;
	struct compared compared[2][PFX_PAIR_NR_ROWS]; /* by measure */
};

/* Whether the samples of each event have equal periods: shares of the numbers of samples are those
 * of periods. */
static bool has_equal_periods(const struct pfx_profile *profile)
{
	uint64_t *periods = pfx_calloc(profile->nr_events + 1ul, sizeof(*periods)), *of;
	bool are_equal = true;
	uint32_t i;

	for (i = 0; i < profile->nr_rows && are_equal; i++) {
		pfx_profile_pass(profile, i);
		of = &periods[profile->row_event[i]];
		if (!*of)
			*of = profile->row_period[i] / pfx_profile_count(profile, i);
		are_equal = profile->row_period[i] == *of * pfx_profile_count(profile, i);
	}
	free(periods);
	return are_equal;
}

struct pfx_pair_noise *pfx_pair_noise_new(const struct pfx_pair *pair)
{
	struct pfx_pair_noise *noise = pfx_calloc(1, sizeof(*noise));

	noise->pair = *pair;
	noise->has_equal_periods = has_equal_periods(pair->old) && has_equal_periods(pair->new);
	return noise;
}

static void compared_fini(struct compared *of)
{
	unsigned i;

	for (i = 0; i < PFX_DIFF_NR_WEIGHTS; i++)
		pfx_diff_noise_free(of->noise[i]);
	pfx_diff_free(of->diff);
}

void pfx_pair_noise_free(struct pfx_pair_noise *noise)
{
	unsigned i, k;

	for (i = 0; noise && i < 2; i++)
		for (k = 0; k < PFX_PAIR_NR_ROWS; k++)
			compared_fini(&noise->compared[i][k]);
	free(noise);
}

static struct pfx_diff_options options_of(const struct pfx_pair_noise *noise,
					  enum pfx_pair_rows rows)
{
	struct pfx_diff_options options = *pfx_diff_options(noise->pair.functions);

	options.binaries = NULL;
	options.renames = pfx_diff_found_renames(noise->pair.functions);
	options.inclusive = rows == PFX_PAIR_TOTAL;
	if (rows == PFX_PAIR_PATHS) {
		options = pfx_diff_tree_options(&options);
		if (noise->pair.by_comm)
			options.keys[options.nr_keys++] = PFX_DIFF_COMM;
	} else if (rows == PFX_PAIR_COMMS) {
		options.keys[0] = PFX_DIFF_COMM;
		options.nr_keys = 1;
	}
	return options;
}

static const struct pfx_diff *diff_of(struct pfx_pair_noise *noise, enum pfx_pair_rows rows,
				      bool by_samples)
{
	struct compared *of = &noise->compared[by_samples][rows];
	struct pfx_diff_options options = options_of(noise, rows);

	if (rows == PFX_PAIR_SELF && !by_samples)
		return noise->pair.functions;
	if (of->diff)
		return of->diff;
	options.by_samples = by_samples;
	of->diff = pfx_diff_new(&options);
	pfx_diff_add_run(of->diff, 0, noise->pair.old);
	pfx_diff_add_run(of->diff, 1, noise->pair.new);
	pfx_diff_finish(of->diff);
	return of->diff;
}

/* One kind of rows of one event, under a footing. */
struct finding {
	struct pfx_pair_noise *of;
	const struct pfx_diff *diff;
	const struct pfx_diff_event *event;
	const struct pfx_diff_noise *noise;
	struct finder *finder;
};

static const struct pfx_diff_event *event_of(const struct pfx_pair_noise *noise,
					     const struct pfx_diff *diff, uint32_t event)
{
	const struct pfx_joined *joined = noise->pair.joined;
	uint32_t old = joined->old_of[event], i;
	const struct pfx_diff_event *at;

	for (i = 0; old != PFX_NO_ID && i < pfx_diff_nr_events(diff); i++) {
		at = pfx_diff_event_at(diff, i);
		if (at->is_in_side[1] && !strcmp(at->name, joined->profile->events[old].name))
			return at;
	}
	return NULL;
}

static void finding_init(struct finding *finding, struct pfx_pair_noise *noise, uint32_t event,
			 enum pfx_pair_rows rows, const struct pfx_pair_footing *footing)
{
	bool counts = footing->measure == PFX_MEASURE_SAMPLES;
	bool by_samples = counts && footing->is_share && !noise->has_equal_periods;
	enum pfx_diff_footing weight = footing->is_share ? PFX_DIFF_SHARE
				       : counts          ? PFX_DIFF_SAMPLES
							 : PFX_DIFF_PERIOD;
	struct pfx_diff_noise **at = &noise->compared[by_samples][rows].noise[weight];

	*finding = (struct finding){.of = noise, .diff = diff_of(noise, rows, by_samples)};
	finding->event = event_of(noise, finding->diff, event);
	if (!finding->event)
		return;
	if (!*at)
		*at = pfx_diff_noise_new(finding->diff, weight, PFX_DIFF_CONFIDENCE);
	finding->noise = *at;
	finding->finder = finder_new(finding->diff, finding->event);
}

static void finding_fini(struct finding *finding)
{
	finder_free(finding->finder);
}

/* What is found of a row that has as many samples as the place has. */
static struct pfx_pair_finding find(const struct finding *finding, const struct pfx_diff_row *row,
				    uint64_t samples, uint64_t old_samples)
{
	const struct pfx_diff_interval *interval;

	if (!row || row->values[0].samples != old_samples || row->values[1].samples != samples)
		return (struct pfx_pair_finding){PFX_PAIR_UNKNOWN, 0};
	interval = pfx_diff_interval(finding->noise, finding->event, row, 1);
	if (!interval->is_known)
		return (struct pfx_pair_finding){PFX_PAIR_UNKNOWN, 0};
	return (struct pfx_pair_finding){interval->is_within ? PFX_PAIR_WITHIN : PFX_PAIR_BEYOND,
					 interval->half};
}

/* --- functions --- */

/* The samples of each function: of stacks that end in it, or that it is in. */
static uint64_t *function_samples(const struct pfx_selection *selection, uint32_t column,
				  bool inclusive)
{
	const uint64_t *weights = pfx_selection_weights(selection, column, PFX_MEASURE_SAMPLES);
	const struct pfx_profile *profile = selection->profile;
	uint64_t *samples = pfx_calloc(profile->nr_functions + 1ul, sizeof(*samples));
	uint32_t *last = pfx_calloc(profile->nr_functions + 1ul, sizeof(*last));
	uint32_t i, node, function;

	for (i = 0; i < selection->nr_stacks; i++) {
		node = inclusive ? selection->stack_node[i] : 0;
		if (!node)
			samples[profile->frames[selection->stack_own[i]].function] += weights[i];
		for (; node && weights[i]; node = selection->nodes.parent[node]) {
			function = profile->frames[selection->nodes.frame[node]].function;
			if (last[function] != i + 1)
				samples[function] += weights[i];
			last[function] = i + 1;
		}
	}
	free(last);
	return samples;
}

static uint32_t old_column(const struct pfx_pair_noise *noise, uint32_t event)
{
	return pfx_selection_column(noise->pair.selection, noise->pair.joined->old_of[event]);
}

static const char *name_of(const struct pfx_profile_function *function)
{
	return function->is_named ? function->name : "[unresolved]";
}

struct pfx_pair_finding *pfx_pair_functions(struct pfx_pair_noise *noise, uint32_t event,
					    enum pfx_pair_rows rows,
					    const struct pfx_pair_footing *footing)
{
	const struct pfx_selection *selection = noise->pair.selection;
	const struct pfx_profile *profile = selection->profile;
	struct pfx_pair_finding *ret = pfx_calloc(profile->nr_functions + 1ul, sizeof(*ret));
	const struct pfx_profile_function *of;
	struct finding finding;
	uint64_t *now, *before;
	uint32_t i;

	finding_init(&finding, noise, event, rows, footing);
	if (!finding.event)
		return ret;
	now = function_samples(selection, pfx_selection_column(selection, event),
			       rows == PFX_PAIR_TOTAL);
	before = function_samples(selection, old_column(noise, event), rows == PFX_PAIR_TOTAL);
	for (i = 0; i < profile->nr_functions; i++) {
		of = &profile->functions[i];
		if (now[i] || before[i])
			ret[i] = find(&finding,
				      find_function(finding.finder,
						    of->dso == PFX_NO_ID
							    ? "[unknown]"
							    : profile->dsos[of->dso].short_name,
						    name_of(of)),
				      now[i], before[i]);
	}
	free(now);
	free(before);
	finding_fini(&finding);
	return ret;
}

/* --- call paths --- */

static uint32_t find_path(const struct finding *finding, uint32_t callers, uint32_t frame)
{
	const struct pfx_profile *profile = finding->of->pair.joined->profile;

	return callers == PFX_NO_ID
		       ? PFX_NO_ID
		       : find_path_text(
				 finding->finder, callers,
				 name_of(&profile->functions[profile->frames[frame].function]));
}

static uint64_t *node_samples(const struct pfx_selection *selection, uint32_t column)
{
	uint64_t *sums = pfx_malloc((selection->nodes.nr + 1ul) * sizeof(*sums));

	pfx_selection_sum(selection, pfx_selection_weights(selection, column, PFX_MEASURE_SAMPLES),
			  sums);
	return sums;
}

struct pfx_pair_finding *pfx_pair_nodes(struct pfx_pair_noise *noise, uint32_t event,
					const struct pfx_pair_footing *footing)
{
	const struct pfx_selection *selection = noise->pair.selection;
	const struct pfx_nodes *nodes = &selection->nodes;
	struct pfx_pair_finding *ret = pfx_calloc(nodes->nr + 1ul, sizeof(*ret));
	uint64_t *now, *before;
	uint32_t i, *paths;
	struct finding finding;

	finding_init(&finding, noise, event, PFX_PAIR_PATHS, footing);
	if (!finding.event)
		return ret;
	now = node_samples(selection, pfx_selection_column(selection, event));
	before = node_samples(selection, old_column(noise, event));
	paths = pfx_calloc(nodes->nr + 1ul, sizeof(*paths));
	for (i = 1; i < nodes->nr; i++) {
		paths[i] = find_path(&finding, paths[nodes->parent[i]], nodes->frame[i]);
		if (paths[i] != PFX_NO_ID && (now[i] || before[i]))
			ret[i] = find(&finding, find_path_row(finding.finder, paths[i], NULL),
				      now[i], before[i]);
	}
	free(paths);
	free(now);
	free(before);
	finding_fini(&finding);
	return ret;
}

/* The places of a tree, and what is found of them. */
struct walking {
	struct finding paths, comms;
	const struct pfx_view_tree *tree;
	uint32_t *path_of;     /* by node */
	const char **comms_of; /* the same: the name of its threads; NULL: any */
};

static struct pfx_pair_finding find_node(struct walking *walking, uint32_t i, uint64_t samples,
					 uint64_t old_samples)
{
	const struct pfx_view_node *node = &walking->tree->nodes[i];
	const struct pfx_profile *profile = walking->paths.of->pair.joined->profile;

	walking->comms_of[i] = walking->comms_of[node->parent];
	if (node->group != PFX_NO_ID) {
		walking->comms_of[i] = profile->comms[node->group];
		return find(&walking->comms, find_comm(walking->comms.finder, walking->comms_of[i]),
			    samples, old_samples);
	}
	walking->path_of[i] =
		find_path(&walking->paths, walking->path_of[node->parent], node->frame);
	if (walking->path_of[i] == PFX_NO_ID)
		return (struct pfx_pair_finding){PFX_PAIR_UNKNOWN, 0};
	return find(&walking->paths,
		    find_path_row(walking->paths.finder, walking->path_of[i], walking->comms_of[i]),
		    samples, old_samples);
}

struct pfx_pair_finding *pfx_pair_tree(struct pfx_pair_noise *noise, uint32_t event,
				       const struct pfx_pair_footing *footing,
				       const struct pfx_view_tree *tree, const uint64_t *samples,
				       const uint64_t *old_samples)
{
	struct pfx_pair_finding *ret = pfx_calloc(tree->nr_nodes + 1ul, sizeof(*ret));
	struct walking walking = {.tree = tree};
	uint32_t i;

	finding_init(&walking.paths, noise, event, PFX_PAIR_PATHS, footing);
	if (noise->pair.by_comm)
		finding_init(&walking.comms, noise, event, PFX_PAIR_COMMS, footing);
	walking.path_of = pfx_calloc(tree->nr_nodes + 1ul, sizeof(*walking.path_of));
	walking.comms_of = pfx_calloc(tree->nr_nodes + 1ul, sizeof(*walking.comms_of));
	for (i = 1; i < tree->nr_nodes && walking.paths.event; i++)
		ret[i] = find_node(&walking, i, samples[i], old_samples[i]);
	free(walking.path_of);
	free(walking.comms_of);
	finding_fini(&walking.paths);
	finding_fini(&walking.comms);
	return ret;
}
