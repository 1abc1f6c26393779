/* SPDX-License-Identifier: MIT */
/*
 * A flame graph as a picture: one for each event with samples, the root on top, below it the names
 * of threads if there are several, then the functions. Colours are of libraries, the heaviest have
 * one each. Frames narrower than half a pixel are left out. A frame is a nested svg, so that its
 * name is cut off at its edge; its place is in percent, so that the script of export/svg changes
 * nothing but places. Names are untrusted: they occur as text only. With an old recording, widths
 * are of the new one, and colours show the change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/names/fitting_name.h"
#include "base/ns.h"
#include "export/export_internal.h"
#include "export/export_pair.h"
#include "export/samples/export_frames.h"
#include "export/svg_bytes_internal.h"
#include "view/tree_change.h"
#include "view/view_tree.h"

#define WIDTH        1200 /* pixels, unless in->width is given */
#define MARGIN       10
#define HEAD         58 /* pixels above the first graph: title, facts */
#define ROW          18
#define GAP          14   /* between graphs */
#define CHAR_WIDTH   7.23 /* of the font of svg.css */
#define NR_COLOURS   8
#define OTHERS       NR_COLOURS /* the colour of all other libraries */
#define NAME_LONGEST 400        /* characters of a name; templates can have 64 kB */
#define LEGEND_NAME  40
#define CHANGE_NAME  160 /* pixels of a name in the legend of a difference */

struct svg {
	const struct pfx_export_input *in;
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to;
	double width;                           /* of a graph, in pixels */
	uint8_t *colours;                       /* by dso */
	uint32_t ranked[NR_COLOURS], nr_ranked; /* the dsos that have a colour */
	bool has_comms;
	uint32_t nr_columns, *columns;
	struct pfx_view_tree *trees;     /* by column */
	const struct pfx_joined *joined; /* of two recordings; NULL: one */
	struct pfx_tree_change *changes; /* by column, of two recordings */
	struct pfx_pair_noise *noise;    /* the same */
	struct pfx_pair_finding **found; /* the same, then by node */
	struct pfx_str title, text;      /* escaped; scratch */
};

/* --- text --- */

/* Text of XML, of which U+FFFE and U+FFFF are not a part. */
static void add_xml(struct pfx_str *to, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '<')
			pfx_str_add(to, "&lt;");
		else if (text[i] == '>')
			pfx_str_add(to, "&gt;");
		else if (text[i] == '&')
			pfx_str_add(to, "&amp;");
		else if (text[i] == '"')
			pfx_str_add(to, "&quot;");
		else if (i + 2 < len && !memcmp(text + i, "\xef\xbf", 2) &&
			 (unsigned char)text[i + 2] >= 0xbe)
			pfx_str_add(to, "\xef\xbf\xbd"), i += 2;
		else
			pfx_str_addc(to, text[i]);
	}
}

/* As much of a text as there is room for. */
static void add_short(struct svg *s, const char *text, size_t room)
{
	size_t len = pfx_chars_length(text, room);
	bool is_cut = text[len] != '\0';

	if (is_cut)
		len = pfx_chars_length(text, room - 1);
	add_xml(s->to, text, len);
	if (is_cut)
		pfx_str_add(s->to, PFX_ELLIPSIS);
}

/* Digits in groups of three. */
static void add_number(struct pfx_str *to, uint64_t number)
{
	if (number >= 1000) {
		add_number(to, number / 1000);
		pfx_str_addf(to, ",%03u", (unsigned)(number % 1000));
	} else {
		pfx_str_u64(to, number, 0);
	}
}

/* "2.293 s", "12,345 samples" or "12,345". */
static void add_weight(const struct svg *s, uint32_t column, uint64_t weight, struct pfx_str *to)
{
	if (s->in->measure == PFX_MEASURE_SAMPLES) {
		add_number(to, weight);
		pfx_str_add(to, weight == 1 ? " sample" : " samples");
	} else if (!pfx_export_counts_ns(s->in, column)) {
		add_number(to, weight);
	} else if (weight < PFX_NS_PER_SECOND) {
		pfx_str_addf(to, "%.3f ms", (double)weight * 1e3 / PFX_NS_PER_SECOND);
	} else {
		pfx_str_addf(to, "%.3f s", (double)weight / PFX_NS_PER_SECOND);
	}
}

/* At most five decimals, none that are zero. */
static void add_share(struct pfx_str *to, uint64_t part, uint64_t whole)
{
	char text[32];
	size_t len = (size_t)snprintf(text, sizeof(text), "%.5f",
				      100.0 * (double)part / (double)(whole ? whole : 1));

	while (text[len - 1] == '0')
		len--;
	pfx_str_addn(to, text, len - (text[len - 1] == '.'));
	pfx_str_addc(to, '%');
}

/* --- colours --- */

/* The libraries with the most samples of their own. */
static void rank_libraries(struct svg *s)
{
	const struct pfx_selection *selection = s->selection;
	uint64_t *counts = pfx_calloc(s->profile->nr_dsos + 1ul, sizeof(*counts));
	uint32_t i, column, dso, most;

	s->colours = pfx_malloc(s->profile->nr_dsos + 1ul);
	memset(s->colours, OTHERS, s->profile->nr_dsos + 1ul);
	for (column = 0; column < selection->nr_events; column++) {
		const uint64_t *samples =
			pfx_selection_weights(selection, column, PFX_MEASURE_SAMPLES);

		for (i = 0; i < selection->nr_stacks; i++) {
			dso = s->profile->frames[selection->stack_own[i]].dso;
			if (dso != PFX_NO_ID)
				counts[dso] += samples[i];
		}
	}
	while (s->nr_ranked < NR_COLOURS) {
		for (most = s->profile->nr_dsos, i = 0; i < s->profile->nr_dsos; i++)
			if (counts[i] > counts[most])
				most = i;
		if (most == s->profile->nr_dsos)
			break;
		s->colours[most] = (uint8_t)s->nr_ranked;
		s->ranked[s->nr_ranked++] = most;
		counts[most] = 0;
	}
	free(counts);
}

static enum pfx_pair_verdict verdict_of(const struct svg *s, uint32_t column,
					const struct pfx_view_node *node)
{
	return s->found[column][node - s->trees[column].nodes].verdict;
}

/* The change, unless it is noise. Where that is not known, it is shown as the least. */
static int step_of(const struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	const struct pfx_view_tree *tree = &s->trees[column];
	int step = pfx_tree_change_step(&s->changes[column], tree, (uint32_t)(node - tree->nodes));
	enum pfx_pair_verdict verdict = verdict_of(s, column, node);

	if (verdict == PFX_PAIR_WITHIN)
		return 0;
	return verdict == PFX_PAIR_BEYOND ? step : (step > 0) - (step < 0);
}

static void add_change_colour(struct svg *s, int step)
{
	if (step)
		pfx_str_addf(s->to, "%c%d", step > 0 ? 'm' : 'l', abs(step));
	else
		pfx_str_add(s->to, "d0");
}

/* Neighbours differ a little: by their function. */
static void add_colour(struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	const struct pfx_profile_frame *frame;

	if (s->joined) {
		add_change_colour(s, step_of(s, column, node));
		return;
	}
	if (node->frame == PFX_NO_ID) {
		pfx_str_addf(s->to, "c%d", OTHERS);
		return;
	}
	frame = &s->profile->frames[node->frame];
	pfx_str_addf(s->to, "c%u", frame->dso == PFX_NO_ID ? OTHERS : s->colours[frame->dso]);
	if ((frame->function * 0x9e3779b1u >> 16) % 3)
		pfx_str_addf(s->to, " s%u", (frame->function * 0x9e3779b1u >> 16) % 3);
}

/* --- frames --- */

/* The name of a frame into s->text: of a function, a thread or the event. */
static void name_frame(struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	struct pfx_str shown = {0};
	const char *name;

	pfx_str_clear(&s->text);
	if (node->group != PFX_NO_ID)
		name = s->profile->comms[node->group];
	else if (node->frame == PFX_NO_ID)
		name = s->profile->events[s->selection->events[column]].name;
	else
		name = s->profile->functions[s->profile->frames[node->frame].function].name;
	pfx_fitting_name(&shown, name, NAME_LONGEST);
	pfx_str_add_foreign(&s->text, pfx_str_get(&shown));
	pfx_str_fini(&shown);
	if (node->parent == PFX_NO_ID) {
		pfx_str_add(&s->text, ", ");
		add_weight(s, column, node->total, &s->text);
	}
}

/* Signs before names and words in facts, so that no colour is needed. */
static const char *sign_of(const struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	int step = s->joined && verdict_of(s, column, node) == PFX_PAIR_BEYOND
			   ? step_of(s, column, node)
			   : 0;

	if (!step)
		return "";
	if (!s->changes[column].other[node - s->trees[column].nodes])
		return "+ ";
	return step > 0 ? "\xe2\x96\xb2 " : "\xe2\x96\xbc ";
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)(whole ? whole : 1);
}

/* A line: what the frame took before, and the change. */
static void add_change(struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	const struct pfx_tree_change *change = &s->changes[column];
	uint64_t before = change->other[node - s->trees[column].nodes];
	double share = percent(before, change->other[0]);
	const struct pfx_pair_finding *found = &s->found[column][node - s->trees[column].nodes];
	int step = step_of(s, column, node);

	pfx_str_add(s->to, "\nbefore ");
	add_weight(s, column, before, s->to);
	pfx_str_addf(s->to, ", %.2f %%, change %+.2f points", share,
		     percent(node->total, s->trees[column].nodes->total) - share);
	if (!node->depth)
		return;
	if (found->verdict == PFX_PAIR_UNKNOWN) {
		pfx_str_add(s->to, ", noise not known");
		return;
	}
	pfx_str_addf(s->to, " \xc2\xb1%.2f", found->half);
	if (found->verdict == PFX_PAIR_WITHIN)
		pfx_str_add(s->to, ", within noise");
	else
		pfx_str_add(s->to, !before ? ", new" : step > 0 ? ", more" : ", less");
}

/* Its name, library and weight, in lines. */
static void add_facts(struct svg *s, uint32_t column, const struct pfx_view_node *node)
{
	uint64_t whole = s->trees[column].nodes->total;
	const struct pfx_profile_frame *frame =
		node->frame == PFX_NO_ID ? NULL : &s->profile->frames[node->frame];

	add_xml(s->to, pfx_str_get(&s->text), s->text.len);
	pfx_str_addc(s->to, '\n');
	if (frame && frame->dso != PFX_NO_ID) {
		pfx_str_clear(&s->text);
		pfx_str_add_foreign(&s->text, s->profile->dsos[frame->dso].short_name);
		add_xml(s->to, pfx_str_get(&s->text), s->text.len);
		pfx_str_add(s->to, s->profile->functions[frame->function].is_inlined ? ", inlined\n"
										     : "\n");
	}
	add_weight(s, column, node->total, s->to);
	pfx_str_addf(s->to, ", %.2f %%", 100.0 * (double)node->total / (double)(whole ? whole : 1));
	if (node->self && node->self != node->total)
		pfx_str_addf(s->to, ", self %.2f %%", 100.0 * (double)node->self / (double)whole);
	if (s->joined)
		add_change(s, column, node);
}

/* As much of its name as it has room for. */
static void add_label(struct svg *s, double width, const char *sign)
{
	double room = (width - 7) / CHAR_WIDTH - (*sign ? 2 : 0);
	struct pfx_str shown = {0};

	if (room < 3)
		return;
	pfx_str_addf(s->to, "<text x=\"4\" y=\"13\">%s", sign);
	pfx_fitting_name(&shown, pfx_str_get(&s->text), (size_t)room);
	add_xml(s->to, pfx_str_get(&shown), shown.len);
	pfx_str_add(s->to, "</text>");
	pfx_str_fini(&shown);
}

static void add_frame(struct svg *s, uint32_t column, const struct pfx_view_node *node,
		      uint32_t top)
{
	uint64_t whole = s->trees[column].nodes->total;
	const char *sign = sign_of(s, column, node);

	pfx_str_add(s->to, "<svg class=\"f\"");
	if (*sign)
		pfx_str_addf(s->to, " data-sign=\"%s\"", sign);
	pfx_str_add(s->to, " x=\"");
	add_share(s->to, node->x, whole);
	pfx_str_addf(s->to, "\" y=\"%u\" width=\"", top + node->depth * ROW);
	add_share(s->to, node->total, whole);
	pfx_str_addf(s->to,
		     "\" height=\"%d\"><rect width=\"100%%\" height=\"%d\" rx=\"1\" class=\"",
		     ROW - 1, ROW - 1);
	add_colour(s, column, node);
	pfx_str_add(s->to, "\"/>");
	name_frame(s, column, node);
	add_label(s, s->width * (double)node->total / (double)(whole ? whole : 1), sign);
	pfx_str_add(s->to, "<title>");
	add_facts(s, column, node);
	pfx_str_add(s->to, "</title></svg>\n");
}

/* --- graphs --- */

static bool has_several_comms(const struct pfx_selection *selection)
{
	const struct pfx_profile *profile = selection->profile;
	uint32_t i, comm, first = PFX_NO_ID;

	for (i = 0; i < selection->nr_rows; i++) {
		comm = profile->tasks[profile->row_task[selection->rows[i]]].comm;
		if (first == PFX_NO_ID)
			first = comm;
		if (comm != first)
			return true;
	}
	return false;
}

/* The column of the old event that an event is compared with. */
static uint32_t old_column(const struct svg *s, uint32_t column)
{
	return pfx_selection_column(s->selection, s->joined->old_of[s->selection->events[column]]);
}

static void compare_trees(struct svg *s, const struct pfx_view_tree_options *options)
{
	const struct pfx_pair_footing footing = {s->in->measure, true};
	const struct pfx_view_tree *tree = &s->trees[options->column];
	struct pfx_tree_change *change = &s->changes[options->column];

	pfx_tree_change_make(change, s->selection, options, old_column(s, options->column), tree);
	s->found[options->column] =
		pfx_pair_tree(s->noise, s->selection->events[options->column], &footing, tree,
			      change->samples, change->old_samples);
}

static void make_trees(struct svg *s)
{
	struct pfx_view_tree_options options = {
		.measure = s->in->measure,
		.order = PFX_TREE_BY_NAME,
		.function = PFX_NO_ID,
		.grouped = s->has_comms,
		.groups = PFX_VIEW_COMM,
		.min_share = 0.5 / s->width,
	};
	uint32_t i;

	s->trees = pfx_calloc(s->selection->nr_events + 1ul, sizeof(*s->trees));
	s->changes = pfx_calloc(s->selection->nr_events + 1ul, sizeof(*s->changes));
	s->found = pfx_calloc(s->selection->nr_events + 1ul, sizeof(*s->found));
	for (i = 0; i < s->nr_columns; i++) {
		options.column = s->columns[i];
		pfx_view_tree_make(&s->trees[s->columns[i]], s->selection, &options);
		if (s->joined)
			compare_trees(s, &options);
	}
}

static uint32_t height_of(const struct pfx_view_tree *tree)
{
	return (tree->max_depth + 1) * ROW + GAP;
}

static void add_graph(struct svg *s, uint32_t column, uint32_t top)
{
	const struct pfx_view_tree *tree = &s->trees[column];
	uint32_t i;

	pfx_str_addf(s->to, "<g class=\"graph\" data-weight=\"%" PRIu64 "\" data-event=\"",
		     tree->nodes->total);
	pfx_str_clear(&s->text);
	pfx_str_add_foreign(&s->text, s->profile->events[s->selection->events[column]].name);
	add_xml(s->to, pfx_str_get(&s->text), s->text.len);
	pfx_str_add(s->to, "\">\n");
	for (i = 0; i < tree->nr_nodes && !pfx_export_flush(s->out); i++)
		add_frame(s, column, &tree->nodes[i], top);
	pfx_str_add(s->to, "</g>\n");
}

/* --- around them --- */

/* A square and the name of a library. */
static void add_colour_name(struct svg *s, uint32_t colour, double x, uint32_t y)
{
	pfx_str_addf(s->to,
		     "<rect x=\"%.0f\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\" "
		     "class=\"c%u\"/><text x=\"%.0f\" y=\"%u\" class=\"note\">",
		     x, y, colour, x + 18, y + 11);
	add_short(s, pfx_str_get(&s->text), LEGEND_NAME);
	pfx_str_add(s->to, "</text>\n");
}

static uint32_t add_change_legend(struct svg *s, uint32_t top, bool draws)
{
	static const struct {
		const char *name;
		int step;
	} rows[] = {{"+ new", PFX_CHANGE_STEPS},
		    {"\xe2\x96\xb2 more", 2},
		    {"within noise", 0},
		    {"\xe2\x96\xbc less", -2}};
	double x = 0;
	size_t i;

	for (i = 0; draws && i < sizeof(rows) / sizeof(*rows); i++, x += CHANGE_NAME) {
		pfx_str_addf(s->to,
			     "<rect x=\"%.0f\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\" "
			     "class=\"",
			     x, top);
		add_change_colour(s, rows[i].step);
		pfx_str_addf(s->to, "\"/><text x=\"%.0f\" y=\"%u\" class=\"note\">%s</text>\n",
			     x + 18, top + 11, rows[i].name);
	}
	return ROW;
}

/* The libraries that have a colour. Returns the height; draws nothing without @draws. */
static uint32_t add_legend(struct svg *s, uint32_t top, bool draws)
{
	double x = 0, wide;
	uint32_t i, y = top;

	if (s->joined)
		return add_change_legend(s, top, draws);
	for (i = 0; i < s->nr_ranked; i++) {
		pfx_str_clear(&s->text);
		pfx_str_add_foreign(&s->text, s->profile->dsos[s->ranked[i]].short_name);
		wide = 36 +
		       CHAR_WIDTH * (double)pfx_chars_length(pfx_str_get(&s->text), LEGEND_NAME);
		if (x + wide > s->width && x > 0) {
			x = 0;
			y += ROW;
		}
		if (draws)
			add_colour_name(s, i, x, y);
		x += wide;
	}
	return y + ROW - top;
}

/* The total of the old recording, and what of it is not in the picture. */
static void add_old_facts(struct svg *s)
{
	uint64_t nr = 0, gone = 0, whole = 0;
	uint32_t i;

	for (i = 0; i < s->nr_columns; i++) {
		nr += s->changes[s->columns[i]].old_samples[0];
		whole += s->changes[s->columns[i]].other[0];
		gone += s->changes[s->columns[i]].gone;
	}
	pfx_str_add(s->to, "; before: ");
	add_number(s->to, nr);
	pfx_str_add(s->to, nr == 1 ? " sample" : " samples");
	if (s->nr_columns == 1)
		pfx_str_addf(s->to, ", %.2f %% of them in places that are gone",
			     percent(gone, whole));
}

/* The line below the title, until a frame is pointed at. */
static void add_first_facts(struct svg *s)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; i < s->nr_columns; i++)
		nr += s->selection->total_samples[s->columns[i]];
	add_number(s->to, nr);
	pfx_str_add(s->to, nr == 1 ? " sample" : " samples");
	if (s->profile->nr_lost) {
		pfx_str_add(s->to, ", ");
		add_number(s->to, s->profile->nr_lost);
		pfx_str_add(s->to, " lost");
	}
	if (s->joined)
		add_old_facts(s);
}

static void add_head(struct svg *s, uint32_t height)
{
	struct pfx_str title = {0};
	double width = s->width + 2 * MARGIN;

	pfx_str_clear(&s->text);
	pfx_export_title(s->in, &s->text);
	pfx_str_add_foreign(&title, pfx_str_get(&s->text));
	pfx_str_addf(s->to,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
		     "viewBox=\"0 0 %.0f %u\">\n<title>",
		     width, height, width, height);
	add_xml(s->to, pfx_str_get(&title), title.len);
	pfx_str_add(s->to, "</title>\n<style>");
	pfx_str_addn(s->to, (const char *)pfx_svg_style, pfx_svg_style_size);
	pfx_str_addf(s->to,
		     "</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n"
		     "<svg class=\"plot\" x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%u\">\n",
		     MARGIN, HEAD, s->width, height - HEAD);
	s->title = title;
}

/* After the graphs: it covers them where the page is scrolled. */
static void add_tail(struct svg *s)
{
	pfx_str_addf(s->to,
		     "</svg>\n<g class=\"head\"><rect class=\"ground\" width=\"100%%\" "
		     "height=\"%d\"/>\n<text class=\"title\" x=\"%d\" y=\"25\">",
		     HEAD - 4, MARGIN);
	add_short(s, pfx_str_get(&s->title), (size_t)((s->width - 420) / 8));
	pfx_str_addf(s->to, "</text>\n<text class=\"note facts\" x=\"%d\" y=\"48\">", MARGIN);
	add_first_facts(s);
	pfx_str_add(s->to, "</text></g>\n<script><![CDATA[");
	pfx_str_addn(s->to, (const char *)pfx_svg_script, pfx_svg_script_size);
	pfx_str_add(s->to, "]]></script>\n</svg>\n");
}

static void write_picture(struct svg *s)
{
	uint32_t i, top = 0, height = HEAD;

	for (i = 0; i < s->nr_columns; i++)
		height += height_of(&s->trees[s->columns[i]]);
	add_head(s, height + add_legend(s, 0, false));
	for (i = 0; i < s->nr_columns; i++) {
		add_graph(s, s->columns[i], top);
		top += height_of(&s->trees[s->columns[i]]);
	}
	add_legend(s, top, true);
	add_tail(s);
}

static void fini(struct svg *s)
{
	uint32_t i;

	for (i = 0; i < s->nr_columns; i++) {
		pfx_view_tree_fini(&s->trees[s->columns[i]]);
		pfx_tree_change_fini(&s->changes[s->columns[i]]);
		free(s->found[s->columns[i]]);
	}
	free(s->found);
	pfx_pair_noise_free(s->noise);
	free(s->trees);
	free(s->changes);
	free(s->columns);
	free(s->colours);
	pfx_str_fini(&s->text);
	pfx_str_fini(&s->title);
}

static struct svg new_svg(const struct pfx_export_input *in, struct pfx_export_output *out,
			  const struct pfx_selection *selection)
{
	return (struct svg){
		.in = in,
		.selection = selection,
		.profile = selection->profile,
		.out = out,
		.to = &out->text,
		.width = (double)(in->width ? in->width : WIDTH) - 2 * MARGIN,
		.has_comms = has_several_comms(in->selection),
	};
}

static void write_svg(struct svg *s)
{
	rank_libraries(s);
	make_trees(s);
	write_picture(s);
	fini(s);
}

/* The columns of events that both recordings have: with samples in either, or all. */
static void choose_columns(struct svg *s)
{
	uint32_t i, nr_all = 0, nr = s->selection->nr_events, *all;

	all = pfx_malloc((nr + 1ul) * sizeof(*all));
	s->columns = pfx_malloc((nr + 1ul) * sizeof(*s->columns));
	for (i = 0; i < nr; i++) {
		if (s->selection->events[i] >= s->joined->nr_new_events ||
		    s->joined->old_of[s->selection->events[i]] == PFX_NO_ID ||
		    old_column(s, i) == PFX_NO_ID)
			continue;
		all[nr_all++] = i;
		if (s->selection->total_samples[i] || s->selection->total_samples[old_column(s, i)])
			s->columns[s->nr_columns++] = i;
	}
	if (!s->nr_columns) {
		memcpy(s->columns, all, nr_all * sizeof(*all));
		s->nr_columns = nr_all;
	}
	free(all);
}

static void export_both(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_export_pair pair;
	struct pfx_error err = {0};
	int rc = pfx_export_pair_make(&pair, in, &err);
	struct svg s;

	if (rc) {
		pfx_export_fail(out, rc, &err);
		pfx_export_pair_fini(&pair);
		return;
	}
	s = new_svg(in, out, &pair.selection);
	s.joined = &pair.joined;
	s.has_comms |= has_several_comms(in->old->selection);
	s.noise = pfx_export_pair_noise(&pair, in, s.has_comms);
	choose_columns(&s);
	write_svg(&s);
	pfx_export_pair_fini(&pair);
}

void pfx_export_svg(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct svg s;

	if (in->old) {
		export_both(in, out);
		return;
	}
	s = new_svg(in, out, in->selection);
	s.nr_columns = pfx_export_columns(in->selection, &s.columns);
	write_svg(&s);
}
