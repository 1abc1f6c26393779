/* SPDX-License-Identifier: MIT */
/* The text of a baseline as profiles. Every number in it is checked: the file may be from anyone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff/baseline/baseline.h"
#include "view/profile/make_profile.h"

#define DEPTH_MAX 4096 /* frames: many times what recorders write */

struct parsing {
	struct pfx_baseline *ret;
	struct pfx_error *err;
	struct pfx_profile_maker *maker; /* of the run; NULL: none has begun */
	char *rest;                      /* of the line */
	size_t line;
	uint64_t span, nr_samples; /* nr_samples: of all runs */
	uint32_t nr_events, nr_comms, nr_dsos, nr_functions, nr_nodes, nr_stacks;
	PFX_VEC(char *) comms;
	PFX_VEC(uint32_t) frames; /* by function */
	PFX_VEC(uint32_t) nodes;  /* by number in the file, from 1 */
	PFX_VEC(uint32_t) depths; /* the same: callers of the node */
	PFX_VEC(uint32_t) stacks;
};

static int refuse(const struct parsing *parsing, const char *what)
{
	pfx_error_set(parsing->err, EBADMSG, "line %zu of the baseline: %s", parsing->line, what);
	return -EBADMSG;
}

/* The next number of the line, which is at most @max. */
static bool take_number(struct parsing *parsing, uint64_t max, uint64_t *ret)
{
	char *at = parsing->rest, *end;

	if (*at < '0' || *at > '9')
		return false;
	errno = 0;
	*ret = strtoull(at, &end, 10);
	if (errno || *ret > max || (*end && *end != ' '))
		return false;
	parsing->rest = *end ? end + 1 : end;
	return true;
}

/* The next number, below @nr. */
static bool take_index(struct parsing *parsing, uint32_t nr, uint32_t *ret)
{
	uint64_t number;

	if (!nr || !take_number(parsing, nr - 1, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* The next word has one printable character. */
static bool take_letter(struct parsing *parsing, char *ret)
{
	*ret = parsing->rest[0];
	if (*ret <= ' ' || *ret > '~' || (parsing->rest[1] && parsing->rest[1] != ' '))
		return false;
	parsing->rest += parsing->rest[1] ? 2 : 1;
	return true;
}

/* --- runs --- */

static void end_run(struct parsing *parsing)
{
	size_t i;

	if (parsing->maker)
		pfx_vec_push(&parsing->ret->runs, pfx_profile_maker_finish(parsing->maker));
	parsing->maker = NULL;
	for (i = 0; i < parsing->comms.nr; i++)
		free(parsing->comms.at[i]);
	parsing->comms.nr = parsing->frames.nr = parsing->nodes.nr = parsing->stacks.nr = 0;
	parsing->depths.nr = 0;
	parsing->nr_events = parsing->nr_dsos = 0;
}

static int begin_run(struct parsing *parsing)
{
	end_run(parsing);
	if (!take_number(parsing, UINT64_MAX / 2, &parsing->span))
		return refuse(parsing, "the time of the run is missing");
	parsing->maker = pfx_profile_maker_new(PFX_FRAMES_BY_FUNCTION, true);
	pfx_profile_add_process(parsing->maker, &(struct pfx_profile_process){.comm = "baseline"});
	pfx_profile_add_thread(parsing->maker, &(struct pfx_profile_thread){.comm = "baseline"});
	pfx_vec_push(&parsing->nodes, 0);
	pfx_vec_push(&parsing->depths, 0);
	return 0;
}

static int add_function(struct parsing *parsing)
{
	struct pfx_profile_function function = {.dso = PFX_NO_ID};
	uint32_t id;

	if (!strncmp(parsing->rest, "-1 ", 3))
		parsing->rest += 3;
	else if (!take_index(parsing, parsing->nr_dsos, &function.dso))
		return refuse(parsing, "not the number of a library");
	if (!take_letter(parsing, &function.level))
		return refuse(parsing, "not a level");
	for (; *parsing->rest && *parsing->rest != ' '; parsing->rest++) {
		function.is_named |= *parsing->rest == 'n';
		function.is_inlined |= *parsing->rest == 'i';
	}
	parsing->rest += *parsing->rest != '\0';
	if (!take_number(parsing, UINT64_MAX / 2, &function.end))
		return refuse(parsing, "not the size of a function");
	function.name = parsing->rest;
	id = pfx_profile_add_function(parsing->maker, &function);
	pfx_vec_push(&parsing->frames,
		     pfx_profile_add_frame(
			     parsing->maker,
			     &(struct pfx_profile_frame){.function = id, .dso = function.dso}));
	return 0;
}

static int add_node(struct parsing *parsing)
{
	uint32_t parent, function;

	if (!take_index(parsing, (uint32_t)parsing->nodes.nr, &parent) ||
	    !take_index(parsing, (uint32_t)parsing->frames.nr, &function))
		return refuse(parsing, "not the number of a frame and of a function");
	if (parsing->depths.at[parent] >= DEPTH_MAX)
		return refuse(parsing, "a call chain is too long");
	pfx_vec_push(&parsing->depths, parsing->depths.at[parent] + 1);
	pfx_vec_push(&parsing->nodes,
		     pfx_profile_add_node(parsing->maker, parsing->nodes.at[parent],
					  parsing->frames.at[function]));
	return 0;
}

static int add_stack(struct parsing *parsing)
{
	uint32_t node, own;
	char level;

	if (!take_index(parsing, (uint32_t)parsing->nodes.nr, &node) ||
	    !take_index(parsing, (uint32_t)parsing->frames.nr, &own) ||
	    !take_letter(parsing, &level) || !node)
		return refuse(parsing, "not a frame, a function and a level");
	pfx_vec_push(&parsing->stacks,
		     pfx_profile_add_stack(parsing->maker, parsing->nodes.at[node],
					   parsing->frames.at[own], level));
	return 0;
}

/* Samples are in the middle of their slices; the first and the last keep the time of the run. */
static uint64_t time_of(const struct parsing *parsing, uint32_t slice)
{
	uint64_t width = parsing->span / PFX_BASELINE_SLICES + 1;

	if (!slice)
		return 1;
	return 1 + (slice + 1 == PFX_BASELINE_SLICES ? parsing->span : slice * width + width / 2);
}

static int add_samples(struct parsing *parsing)
{
	struct pfx_profile_sample sample = {0};
	uint32_t slice, comm, stack;
	uint64_t nr, period, i;

	if (!take_index(parsing, parsing->nr_events, &sample.event) ||
	    !take_index(parsing, (uint32_t)parsing->comms.nr, &comm) ||
	    !take_index(parsing, (uint32_t)parsing->stacks.nr, &stack) ||
	    !take_index(parsing, PFX_BASELINE_SLICES, &slice) ||
	    !take_number(parsing, PFX_BASELINE_SAMPLES, &nr) || !nr ||
	    !take_number(parsing, UINT64_MAX / 2, &period))
		return refuse(parsing, "not an event, a thread, a stack, a slice and samples");
	parsing->nr_samples += nr;
	if (parsing->nr_samples > PFX_BASELINE_SAMPLES)
		return refuse(parsing, "too many samples");
	sample.task = pfx_profile_add_task(parsing->maker, 0, parsing->comms.at[comm]);
	sample.stack = parsing->stacks.at[stack];
	sample.time = time_of(parsing, slice);
	for (i = 0; i < nr; i++) {
		sample.period = period / nr + (i < period % nr);
		pfx_profile_add_sample(parsing->maker, &sample);
	}
	return 0;
}

/* --- lines --- */

static int take_line(struct parsing *parsing, char kind)
{
	if (kind == 'r')
		return begin_run(parsing);
	if (kind == 'm' && !parsing->ret->machine) {
		parsing->ret->machine = pfx_strdup(parsing->rest);
		return 0;
	}
	if (!parsing->maker)
		return refuse(parsing, "no run has begun");
	switch (kind) {
	case 'e':
		pfx_profile_add_event(parsing->maker,
				      &(struct pfx_profile_event){.name = parsing->rest,
								  .leader = parsing->nr_events,
								  .nr_members = 1});
		parsing->nr_events++;
		return 0;
	case 'c':
		pfx_vec_push(&parsing->comms, pfx_strdup(parsing->rest));
		return 0;
	case 'd':
		pfx_profile_add_dso(parsing->maker,
				    &(struct pfx_profile_dso){.name = parsing->rest,
							      .short_name = parsing->rest,
							      .kind = PFX_DSO_OTHER});
		parsing->nr_dsos++;
		return 0;
	case 'f':
		return add_function(parsing);
	case 'n':
		return add_node(parsing);
	case 's':
		return add_stack(parsing);
	case 'x':
		return add_samples(parsing);
	default:
		return refuse(parsing, "an unknown kind of line");
	}
}

static int parse_lines(struct parsing *parsing, char *text)
{
	char *line;
	int rc = 0;

	line = strsep(&text, "\n");
	if (!line || strcmp(line, "pfx-baseline 1"))
		return refuse(parsing, "it is not 'pfx-baseline 1'");
	while (!rc && (line = strsep(&text, "\n"))) {
		parsing->line++;
		if (!*line)
			continue;
		if (line[1] != ' ')
			return refuse(parsing, "a letter and a blank are missing");
		parsing->rest = line + 2;
		rc = take_line(parsing, line[0]);
	}
	if (!rc && !parsing->maker)
		rc = refuse(parsing, "no run follows");
	return rc;
}

int pfx_baseline_parse(struct pfx_baseline *ret, const char *text, struct pfx_error *err)
{
	struct parsing parsing = {.ret = ret, .err = err, .line = 1};
	char *own = pfx_strdup(text);
	int rc;

	*ret = (struct pfx_baseline){0};
	rc = parse_lines(&parsing, own);
	end_run(&parsing);
	if (rc)
		pfx_baseline_fini(ret);
	pfx_vec_free(&parsing.comms);
	pfx_vec_free(&parsing.frames);
	pfx_vec_free(&parsing.nodes);
	pfx_vec_free(&parsing.depths);
	pfx_vec_free(&parsing.stacks);
	free(own);
	return rc;
}

void pfx_baseline_fini(struct pfx_baseline *baseline)
{
	size_t i;

	for (i = 0; i < baseline->runs.nr; i++)
		pfx_profile_free(baseline->runs.at[i]);
	pfx_vec_free(&baseline->runs);
	free(baseline->machine);
	*baseline = (struct pfx_baseline){0};
}
