/* SPDX-License-Identifier: MIT */
/*
 * Chooses stacks and frames: marks what patterns match on the way from the root down, and, if
 * frames are removed, makes the tree of those that are left.
 */
#include "view/select/select_nodes_internal.h"

#include <stdlib.h>
#include <string.h>

/* On the way from the root to a node, with the node. */
enum {
	HAS_FOCUS = 1 << 0,
	HAS_IGNORED = 1 << 1,
	HAS_FROM = 1 << 2,
	HAS_START = 1 << 3,
};

struct choosing {
	const struct pfx_view_filter *filter;
	const struct pfx_profile *profile;
	uint8_t *marks;         /* by function: those that it matches */
	uint8_t *found;         /* by node; NULL: no such pattern */
	uint32_t *first_frames; /* by function, with by_function; else NULL */
	uint32_t broken;        /* the frame for broken chains; PFX_NO_ID: they are as recorded */
};

static bool matches(const struct pfx_view_filter *filter, enum pfx_view_pattern which,
		    uint32_t function)
{
	return filter->matches[which] && filter->matches[which][function];
}

/* Whether frames of the function are removed. */
static bool is_hidden(const struct choosing *choosing, uint32_t function)
{
	const struct pfx_view_filter *filter = choosing->filter;

	if (filter->drop_unresolved && !choosing->profile->functions[function].is_named)
		return true;
	return matches(filter, PFX_VIEW_HIDE, function) ||
	       (filter->matches[PFX_VIEW_SHOW] && !filter->matches[PFX_VIEW_SHOW][function]);
}

static enum pfx_profile_role role_of(const struct choosing *choosing, uint32_t frame)
{
	return choosing->profile->functions[choosing->profile->frames[frame].function].role;
}

static uint32_t find_broken(const struct choosing *choosing)
{
	const struct pfx_view_filter *filter = choosing->filter;
	uint32_t i = choosing->profile->nr_frames;

	while (filter->join_broken && !filter->drop_unresolved && i--)
		if (role_of(choosing, i) == PFX_ROLE_BROKEN)
			return i;
	return PFX_NO_ID;
}

static bool removes_frames(const struct choosing *choosing)
{
	const struct pfx_view_filter *filter = choosing->filter;

	return choosing->broken != PFX_NO_ID || filter->matches[PFX_VIEW_HIDE] ||
	       filter->matches[PFX_VIEW_SHOW] || filter->matches[PFX_VIEW_SHOW_FROM] ||
	       filter->drop_unresolved ||
	       (filter->by_function && filter->profile->frames_by != PFX_FRAMES_BY_FUNCTION);
}

static void mark_functions(struct choosing *choosing)
{
	const struct pfx_view_filter *filter = choosing->filter;
	uint32_t i, nr = choosing->profile->nr_functions;

	choosing->marks = pfx_calloc(nr + 1ul, 1);
	for (i = 0; i < nr; i++) {
		if (matches(filter, PFX_VIEW_FOCUS, i))
			choosing->marks[i] |= HAS_FOCUS;
		if (matches(filter, PFX_VIEW_IGNORE, i))
			choosing->marks[i] |= HAS_IGNORED;
		if (matches(filter, PFX_VIEW_SHOW_FROM, i) && !is_hidden(choosing, i))
			choosing->marks[i] |= HAS_FROM;
		if (choosing->profile->functions[i].role == PFX_ROLE_START)
			choosing->marks[i] |= HAS_START;
	}
}

static void mark_nodes(struct choosing *choosing)
{
	const struct pfx_profile *profile = choosing->profile;
	const struct pfx_nodes *nodes = &profile->nodes;
	uint32_t i;

	mark_functions(choosing);
	choosing->found = pfx_calloc(nodes->nr, 1);
	for (i = 1; i < nodes->nr; i++)
		choosing->found[i] = choosing->found[nodes->parent[i]] |
				     choosing->marks[profile->frames[nodes->frame[i]].function];
}

static void find_first_frames(struct choosing *choosing)
{
	const struct pfx_profile *profile = choosing->profile;
	uint32_t i, *first;

	choosing->first_frames = first = pfx_malloc((profile->nr_functions + 1ul) * sizeof(*first));
	memset(first, 0xff, (profile->nr_functions + 1ul) * sizeof(*first));
	for (i = 0; i < profile->nr_frames; i++)
		if (first[profile->frames[i].function] == PFX_NO_ID)
			first[profile->frames[i].function] = i;
}

/* The frame that stands for @frame. */
static uint32_t shown_frame(const struct choosing *choosing, uint32_t frame)
{
	if (!choosing->first_frames)
		return frame;
	return choosing->first_frames[choosing->profile->frames[frame].function];
}

/* --- which stacks pass --- */

static bool own_passes(const struct choosing *choosing, uint32_t stack)
{
	const struct pfx_view_filter *filter = choosing->filter;
	const struct pfx_profile *profile = choosing->profile;
	uint32_t own = profile->stack_own[stack];
	const struct pfx_profile_frame *frame = &profile->frames[own];

	if (*filter->levels && !strchr(filter->levels, profile->stack_level[stack]))
		return false;
	if (filter->drop_unresolved && !profile->functions[frame->function].is_named)
		return false;
	return pfx_view_filter_has(filter, PFX_VIEW_FUNCTION, frame->function) &&
	       pfx_view_filter_has(filter, PFX_VIEW_DSO, frame->dso) &&
	       pfx_view_filter_has(filter, PFX_VIEW_LINE, own);
}

static bool stack_passes(const struct choosing *choosing, uint32_t stack)
{
	const struct pfx_view_filter *filter = choosing->filter;
	const struct pfx_profile *profile = choosing->profile;
	uint8_t found;

	if (!own_passes(choosing, stack))
		return false;
	if (!choosing->found)
		return true;
	found = choosing->found[profile->stack_node[stack]] |
		choosing->marks[profile->frames[profile->stack_own[stack]].function];
	return (found & HAS_FOCUS || !filter->matches[PFX_VIEW_FOCUS]) && !(found & HAS_IGNORED) &&
	       (found & HAS_FROM || !filter->matches[PFX_VIEW_SHOW_FROM]);
}

/* --- the frames that are left --- */

/* Whether frames stay, by frame. */
static uint8_t *find_kept(const struct choosing *choosing)
{
	const struct pfx_profile *profile = choosing->profile;
	uint8_t *kept = pfx_malloc(profile->nr_frames + 1ul);
	uint32_t i;

	for (i = 0; i < profile->nr_frames; i++)
		kept[i] = !is_hidden(choosing, profile->frames[i].function);
	return kept;
}

/* Whether the chain is broken at a node: an address in no map, with no start of a thread before it.
 */
static bool is_broken(const struct choosing *choosing, uint32_t node)
{
	const struct pfx_nodes *nodes = &choosing->profile->nodes;

	return choosing->broken != PFX_NO_ID &&
	       !(choosing->found[nodes->parent[node]] & HAS_START) &&
	       role_of(choosing, nodes->frame[node]) == PFX_ROLE_NOWHERE;
}

/* The caller of a node in the tree that is made: what lies beyond a start is none. */
static uint32_t caller_of(const struct choosing *choosing, const struct pfx_made_nodes *made,
			  const uint32_t *map, uint32_t node)
{
	uint32_t parent = choosing->profile->nodes.parent[node], caller = map[parent];

	if (!caller || made->at.at[caller].frame != choosing->broken)
		return caller;
	return choosing->found[node] & HAS_START && !(choosing->found[parent] & HAS_START) ? 0
											   : caller;
}

/* Returns the new node of each old one: its own, or that of its nearest caller that is left. */
static uint32_t *map_nodes(const struct choosing *choosing, struct pfx_made_nodes *made)
{
	const struct pfx_nodes *nodes = &choosing->profile->nodes;
	uint32_t *map = pfx_calloc(nodes->nr, sizeof(*map)), i;
	bool from = choosing->filter->matches[PFX_VIEW_SHOW_FROM];
	uint8_t *kept = find_kept(choosing);

	pfx_made_nodes_init(made, nodes->nr);
	for (i = 1; i < nodes->nr; i++) {
		map[i] = caller_of(choosing, made, map, i);
		if (is_broken(choosing, i))
			map[i] = pfx_made_nodes_add(made, 0, choosing->broken);
		else if (kept[nodes->frame[i]] && (!from || choosing->found[i] & HAS_FROM))
			map[i] = pfx_made_nodes_add(made, map[i],
						    shown_frame(choosing, nodes->frame[i]));
	}
	free(kept);
	return map;
}

/* The node and the own frame of a stack that passes, in the tree that is left. */
static void place_stack(const struct choosing *choosing, struct pfx_made_nodes *made,
			const uint32_t *map, uint32_t stack, struct pfx_stack_choice *ret)
{
	const struct pfx_profile *profile = choosing->profile;
	uint32_t own = profile->stack_own[stack], node = map[profile->stack_node[stack]];
	bool own_stays = !is_hidden(choosing, profile->frames[own].function);

	own = shown_frame(choosing, own);
	if (own_stays &&
	    (!node || (made->at.at[node].frame == choosing->broken && own != choosing->broken)))
		node = pfx_made_nodes_add(made, node, own);
	ret->node[stack] = node ? node : PFX_NO_ID;
	ret->own[stack] = own_stays ? own : made->at.at[node].frame;
}

static void place_stacks(const struct choosing *choosing, struct pfx_stack_choice *ret)
{
	uint32_t nr = choosing->profile->nr_stacks, i, *map;
	struct pfx_made_nodes made;

	map = map_nodes(choosing, &made);
	for (i = 0; i < nr; i++)
		if (stack_passes(choosing, i))
			place_stack(choosing, &made, map, i, ret);
		else
			ret->node[i] = PFX_NO_ID;
	pfx_made_nodes_sort(&made, &ret->nodes);
	ret->owns_nodes = true;
	for (i = 0; i < nr; i++)
		if (ret->node[i] != PFX_NO_ID)
			ret->node[i] = pfx_made_nodes_now(&made, ret->node[i]);
	free(map);
	pfx_made_nodes_fini(&made);
}

void pfx_stacks_choose(const struct pfx_view_filter *filter, struct pfx_stack_choice *ret)
{
	const struct pfx_profile *profile = filter->profile;
	struct choosing choosing = {.filter = filter, .profile = profile};
	size_t size = (profile->nr_stacks + 1ul) * sizeof(uint32_t);
	uint32_t i;

	*ret = (struct pfx_stack_choice){.node = pfx_malloc(size), .own = pfx_malloc(size)};
	choosing.broken = find_broken(&choosing);
	if (filter->matches[PFX_VIEW_FOCUS] || filter->matches[PFX_VIEW_IGNORE] ||
	    filter->matches[PFX_VIEW_SHOW_FROM] || choosing.broken != PFX_NO_ID)
		mark_nodes(&choosing);
	if (filter->by_function && profile->frames_by != PFX_FRAMES_BY_FUNCTION)
		find_first_frames(&choosing);
	if (removes_frames(&choosing)) {
		place_stacks(&choosing, ret);
	} else {
		ret->nodes = profile->nodes;
		for (i = 0; i < profile->nr_stacks; i++) {
			ret->own[i] = profile->stack_own[i];
			ret->node[i] =
				stack_passes(&choosing, i) ? profile->stack_node[i] : PFX_NO_ID;
		}
	}
	free(choosing.marks);
	free(choosing.found);
	free(choosing.first_frames);
}
