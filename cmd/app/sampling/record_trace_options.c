/* SPDX-License-Identifier: MIT */
/* The options of `pfx record` about AUX area traces. Only parses arguments. */
#include <errno.h>

#include "base/str.h"
#include "base/words.h"
#include "cmd/app/sampling/record_options.h"
#include "event/attr.h"

#define AUX_SAMPLE 4096 /* default for the bytes of a trace in a sample */

/* "e" and a size, in this order, both optional. */
int pfx_record_opt_snapshot(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_trace_options *aux = &((struct pfx_record_options *)options)->rec.trace;
	char shown[128];

	aux->snapshot = !unset;
	aux->snapshot_at_end = arg && *arg == 'e';
	aux->snapshot_bytes = 0;
	arg = arg && *arg == 'e' ? arg + 1 : arg;
	if (unset || !arg || !*arg ||
	    (pfx_parse_size(arg, &aux->snapshot_bytes) && aux->snapshot_bytes))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a valid snapshot size",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "give bytes, like -S1M, and e in front for one at the end, like -Se1M");
	return -EINVAL;
}

int pfx_record_opt_aux_sample(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_recorder_trace_options *aux = &((struct pfx_record_options *)options)->rec.trace;
	char shown[128];

	aux->sample_bytes = unset ? 0 : AUX_SAMPLE;
	if (unset || !arg ||
	    (pfx_parse_size(arg, &aux->sample_bytes) && aux->sample_bytes <= PFX_AUX_SAMPLE_MAX))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a valid size of AUX samples",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "give bytes up to 60K, like --aux-sample=8K");
	return -EINVAL;
}
