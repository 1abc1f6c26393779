/* SPDX-License-Identifier: MIT */
/* The words of --call-graph as numbers. */
#include "record/plan/stack_words.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"
#include "sys/host/perm.h"

static int set_dwarf(struct pfx_stack_options *graph, const char *size, struct pfx_error *err)
{
	uint64_t bytes = PFX_STACK_DEFAULT;
	char shown[128];

	if (size && (!pfx_parse_u64(size, &bytes) || bytes == 0 || bytes > PFX_STACK_MAX)) {
		pfx_error_set(err, EINVAL, "'%s' is not a valid stack dump size",
			      pfx_escape(shown, sizeof(shown), size));
		pfx_error_hint(err, "give bytes up to %d, like --call-graph dwarf,16384",
			       PFX_STACK_MAX);
		return -EINVAL;
	}
	graph->stack_bytes = (uint32_t)((bytes + 7) & ~7ull);
	return 0;
}

/* A number of frames, limited to the kernel's maximum, or "defer". */
static int set_fp(struct pfx_stack_options *graph, const char *arg, struct pfx_error *err)
{
	struct pfx_perm perm;
	char shown[128];
	uint64_t frames;

	if (!arg)
		return 0;
	if (strcmp(arg, "defer") == 0) {
		graph->defer = true;
		return 0;
	}
	if (!pfx_parse_u64(arg, &frames)) {
		pfx_error_set(err, EINVAL, "'%s' is not a number of frames",
			      pfx_escape(shown, sizeof(shown), arg));
		pfx_error_hint(err, "like --call-graph fp,32; or --call-graph fp,defer");
		return -EINVAL;
	}
	pfx_perm_read(&perm, NULL);
	graph->max_frames = frames < perm.max_stack ? (uint16_t)frames : 0;
	return 0;
}

int pfx_stack_words_parse(const char *word, const char *dump_size, struct pfx_stack_options *graph,
			  struct pfx_error *err)
{
	const char *comma = strchr(word, ','), *arg = comma ? comma + 1 : NULL;
	char shown[128];

	if (!pfx_callgraph_mode_parse(word, strcspn(word, ","), &graph->mode)) {
		pfx_error_set(err, EINVAL, "there is no call graph mode '%s'",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(err, "modes are fp[,FRAMES] (frame pointers), dwarf[,BYTES] (stack "
				    "dumps), lbr (the CPU's record of calls) and no");
		return -EINVAL;
	}
	if (graph->mode == PFX_CALLGRAPH_DWARF)
		return set_dwarf(graph, arg && *arg ? arg : dump_size, err);
	if (graph->mode == PFX_CALLGRAPH_FP)
		return set_fp(graph, arg, err);
	if (!arg)
		return 0;
	return pfx_error_set(err, EINVAL, "call graph mode '%.*s' takes no number",
			     (int)strcspn(word, ","), word);
}
