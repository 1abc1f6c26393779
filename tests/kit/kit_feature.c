/* SPDX-License-Identifier: MIT */
/* `feature` and `dso`: the header features. The description contains their bytes, so the library's
 * feature code is not used. */
#include <ctype.h>
#include <string.h>

#include "kit/kit_internal.h"

/* "hostname" or a number. */
static bool feature_of(const char *word, uint64_t *ret)
{
	unsigned i;

	for (i = 0; i < PFX_FEAT_MAX; i++) {
		const char *name = pfx_feature_name(i);

		if (name && !strcasecmp(name, word)) {
			*ret = i;
			return true;
		}
	}
	return pfx_kit_number(word, ret) && *ret < PFX_FEAT_BITS;
}

int pfx_kit_feature(struct kit *kit, struct kit_line *line)
{
	struct kit_word *name = pfx_kit_plain(line);
	struct kit_feature *feature;
	uint64_t number;

	if (!name || !feature_of(name->value, &number))
		return pfx_kit_error(kit, line, "unknown feature");
	feature = pfx_vec_add(&kit->features);
	*feature = (struct kit_feature){.feature = (unsigned)number};
	feature->bytes.swap = kit->swap;
	if (number == PFX_FEAT_EVENT_DESC && line->nr == 1) {
		pfx_kit_event_desc(kit, &feature->bytes);
		return 0;
	}
	return pfx_kit_typed(kit, line, &feature->bytes);
}

/* An entry of the BUILD_ID feature, or a HEADER_BUILD_ID record in a stream. The feature's entries
 * have a record header with type 0. */
int pfx_kit_dso(struct kit *kit, struct kit_line *line)
{
	struct kit_word *name = pfx_kit_plain(line), *id = pfx_kit_find(line, "build_id");
	struct kit_word *mode = pfx_kit_find(line, "mode");
	struct pfx_body body = {.type = PFX_RECORD_HEADER_BUILD_ID};
	uint64_t misc = PFX_MODE_USER, pid = (uint64_t)-1, as_record = kit->options.pipe;
	struct pfx_buffer *to;
	struct pfx_bytes bytes;
	size_t start;

	if (!name || !id || pfx_kit_hex(kit, line, id, &bytes) || bytes.size > PFX_BUILD_ID_MAX)
		return pfx_kit_error(kit, line, "dso NAME build_id=HEX");
	if (mode && !pfx_kit_mode(mode->value, &misc))
		return pfx_kit_error(kit, line, "unknown mode '%s'", mode->value);
	if (pfx_kit_u64(kit, line, "pid", &pid) || pfx_kit_u64(kit, line, "record", &as_record))
		return -1;
	to = as_record ? &kit->data : &kit->build_ids;
	start = to->len;
	body.misc = (uint16_t)misc | PFX_MISC_BUILD_ID_SIZE;
	body.header_build_id.pid = (int32_t)pid;
	body.header_build_id.filename = name->value;
	body.header_build_id.build_id_size = (uint8_t)bytes.size;
	memcpy(body.header_build_id.build_id, bytes.at, bytes.size);
	to->swap = kit->swap;
	pfx_record_encode(&body, NULL, to);
	if (!as_record)
		pfx_buffer_patch32(to, start, 0);
	return 0;
}
