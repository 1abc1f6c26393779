/* SPDX-License-Identifier: MIT */
/* The settings of call graphs that report and top have in common. */
#ifndef PFX_CMD_GRAPH_CONFIG_H
#define PFX_CMD_GRAPH_CONFIG_H

#include "base/error.h"
#include "hist/callgraph.h"

/* Apply the keys of section "call-graph". -EINVAL for a wrong value; the error names the key and
 * its file. */
int pfx_config_take_graph(struct pfx_callgraph *graph, struct pfx_error *err);

#endif
