/* SPDX-License-Identifier: MIT */
/* Used when capstone is not built in. */
#include <errno.h>

#include "sym/code/decode.h"

int pfx_decoder_new(struct pfx_decoder **ret, const struct pfx_data_arch *arch,
		    struct pfx_error *err)
{
	(void)arch;
	*ret = NULL;
	pfx_error_set(err, ENOTSUP, "pfx was built without a disassembler");
	pfx_error_hint(err, "install libcapstone-dev and build again");
	return -ENOTSUP;
}

void pfx_decoder_free(struct pfx_decoder *decoder)
{
	(void)decoder;
}

void pfx_decode(struct pfx_decoder *decoder, const uint8_t *code, size_t size, uint64_t addr,
		struct pfx_op *ret)
{
	(void)decoder;
	(void)code;
	(void)size;
	*ret = (struct pfx_op){.addr = addr};
}
