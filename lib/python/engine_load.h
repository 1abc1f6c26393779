/* SPDX-License-Identifier: MIT */
/*
 * The Python engine. The interpreter is in a library of its own (python_*.c), which
 * script_engine_with_python.c loads when a program is run; without Python, its counterpart returns
 * an error.
 */
#ifndef PFX_PYTHON_ENGINE_LOAD_H
#define PFX_PYTHON_ENGINE_LOAD_H

#include "base/error.h"
#include "script/script_engine.h"

/* The symbol of the library. */
extern const struct pfx_script_engine_ops pfx_script_engine_python
	__attribute__((visibility("default")));

/* The engine for the script at @path, loaded at the first call; NULL with an error. */
const struct pfx_script_engine_ops *pfx_script_engine_load(const char *path, struct pfx_error *err);

#endif
