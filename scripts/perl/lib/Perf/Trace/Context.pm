# SPDX-License-Identifier: MIT
# The common fields of the current tracepoint; a context is what driver.pl passes to functions.
package Perf::Trace::Context;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(common_pc common_flags common_lock_depth);

sub common_pc { return $_[0][0]; }
sub common_flags { return $_[0][1]; }
sub common_lock_depth { return $_[0][2]; }

1;
