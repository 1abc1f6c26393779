/* SPDX-License-Identifier: MIT */
/* The engine for Perl scripts; see script_engine.h. */
#ifndef PFX_SCRIPT_SCRIPT_PERL_H
#define PFX_SCRIPT_SCRIPT_PERL_H

#include "script/script_engine.h"

/* Runs perl as another process; an error if it is not installed. */
extern const struct pfx_script_engine_ops pfx_script_engine_perl;

#endif
