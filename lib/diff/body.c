/* SPDX-License-Identifier: MIT */
/* Bodies of functions: read, cut to pieces, compared. */
#include "diff/body.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sym/find/binary.h"

#define BODY_MAX   16384 /* bytes of a function that are compared */
#define PIECE_SIZE 3

static int compare_pieces(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void pfx_code_body_make(struct pfx_code_body *ret, const uint8_t *code, size_t size)
{
	size_t i;

	size = size < BODY_MAX ? size : BODY_MAX;
	*ret = (struct pfx_code_body){0};
	if (size < PIECE_SIZE)
		return;
	ret->nr = size - PIECE_SIZE + 1;
	ret->pieces = pfx_malloc(ret->nr * sizeof(*ret->pieces));
	for (i = 0; i < ret->nr; i++)
		ret->pieces[i] = (uint32_t)code[i] << 16 | (uint32_t)code[i + 1] << 8 | code[i + 2];
	qsort(ret->pieces, ret->nr, sizeof(*ret->pieces), compare_pieces);
}

void pfx_code_body_read(struct pfx_code_body *ret, const struct pfx_profile *profile, uint32_t id,
			const struct pfx_sym_options *binaries)
{
	const struct pfx_profile_function *function = &profile->functions[id];
	const struct pfx_profile_dso *dso =
		function->dso == PFX_NO_ID ? NULL : &profile->dsos[function->dso];
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE};
	struct pfx_binary *binary;
	const uint8_t *bytes;
	uint64_t offset;
	size_t size;

	*ret = (struct pfx_code_body){0};
	if (!dso || dso->kind != PFX_DSO_FILE || !function->is_named)
		return;
	request.path = dso->name;
	request.build_id = dso->build_id_size ? dso->build_id : NULL;
	request.build_id_size = dso->build_id_size;
	if (pfx_binary_open(&binary, &request, binaries, NULL))
		return;
	bytes = pfx_binary_bytes(binary, &size);
	if (pfx_binary_offset(binary, function->start, &offset) && offset < size &&
	    function->end > function->start) {
		size -= offset;
		if (function->end - function->start < size)
			size = function->end - function->start;
		pfx_code_body_make(ret, bytes + offset, size);
	}
	pfx_binary_free(binary);
}

void pfx_code_body_fini(struct pfx_code_body *body)
{
	free(body->pieces);
	*body = (struct pfx_code_body){0};
}

double pfx_code_body_similarity(const struct pfx_code_body *a, const struct pfx_code_body *b)
{
	size_t i = 0, k = 0, common = 0;

	while (i < a->nr && k < b->nr) {
		common += a->pieces[i] == b->pieces[k];
		if (a->pieces[i] == b->pieces[k]) {
			i++;
			k++;
		} else if (a->pieces[i] < b->pieces[k]) {
			i++;
		} else {
			k++;
		}
	}
	return a->nr + b->nr ? 2 * (double)common / (double)(a->nr + b->nr) : 0;
}
