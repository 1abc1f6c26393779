/* SPDX-License-Identifier: MIT */
/* Which builds of binaries a recording needs. */
#ifndef PFX_CMD_RECORDING_IDS_H
#define PFX_CMD_RECORDING_IDS_H

#include "file/reader.h"
#include "sym/keep.h"

/* The recording's table of build ids or, where it has none, the binaries that its records of maps
 * know the build ids of, for which all of it is read. The reader is of no use afterwards. Free the
 * list with pfx_keep_list_free(). */
int pfx_recording_ids(struct pfx_reader *reader, struct pfx_kept_list *ret, struct pfx_error *err);

#endif
