# SPDX-License-Identifier: MIT
# Small things that scripts need again and again.
package Perf::Trace::Util;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_usecs print_nsecs nsecs_str clear_term);

use constant NSECS_PER_SEC => 1000000000;

sub avg { my ($total, $n) = @_; return $total / $n; }
sub nsecs { my ($secs, $nsecs) = @_; return $secs * NSECS_PER_SEC + $nsecs; }
sub nsecs_secs { return int($_[0] / NSECS_PER_SEC); }
sub nsecs_nsecs { return $_[0] % NSECS_PER_SEC; }
sub nsecs_usecs { return nsecs_nsecs($_[0]) / 1000; }
sub nsecs_str { return sprintf("%5u.%09u", nsecs_secs($_[0]), nsecs_nsecs($_[0])); }
sub print_nsecs { printf("%s", nsecs_str($_[0])); }
sub clear_term { print "\x1b[H\x1b[2J"; }

1;
