/* SPDX-License-Identifier: MIT */
/* All of libpfx: pfx/common.h has the rules. */
#ifndef PFX_PFX_H
#define PFX_PFX_H

#include <pfx/capture.h>
#include <pfx/common.h>
#include <pfx/input.h>
#include <pfx/query.h>
#include <pfx/symbols.h>

#endif
