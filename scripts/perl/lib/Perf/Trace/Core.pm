# SPDX-License-Identifier: MIT
# Names of flags and values of tracepoints. The functions define_...() are called by driver.pl; the
# others are for scripts.
package Perf::Trace::Core;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(define_flag_field define_flag_value flag_str dump_flag_fields
	define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields trace_flag_str);

my (%flags, %symbols);
my %trace_flags = (0x00 => 'NONE', 0x01 => 'IRQS_OFF', 0x02 => 'IRQS_NOSUPPORT', 0x04 => 'NEED_RESCHED',
	0x08 => 'HARDIRQ', 0x10 => 'SOFTIRQ');

sub names_of
{
	my ($value, $delim, $names) = @_;
	my @found;

	return $names->{0} // '' unless $value;
	for my $bits (sort { $a <=> $b } keys %$names) {
		next if !$bits || ($value & $bits) != $bits;
		push @found, $names->{$bits};
		$value &= ~$bits;
	}
	return join($delim, @found);
}

sub trace_flag_str { return names_of($_[0], ' | ', \%trace_flags); }
sub define_flag_field { my ($event, $field, $delim) = @_; $flags{$event}{$field}{delim} = $delim; }
sub define_flag_value { my ($event, $field, $value, $text) = @_; $flags{$event}{$field}{values}{$value} = $text; }
sub define_symbolic_field { my ($event, $field) = @_; $symbols{$event}{$field} //= {}; }
sub define_symbolic_value { my ($event, $field, $value, $text) = @_; $symbols{$event}{$field}{$value} = $text; }

sub flag_str
{
	my ($event, $field, $value) = @_;
	my $known = $flags{$event}{$field} or return '';

	return names_of($value, $known->{delim} ne '' ? " $known->{delim} " : '', $known->{values} // {});
}

sub symbol_str
{
	my ($event, $field, $value) = @_;

	return $symbols{$event}{$field}{$value} // '';
}

sub dump_flag_fields { print_table(\%flags, sub { $_[0]{values} }); }
sub dump_symbolic_fields { print_table(\%symbols, sub { $_[0] }); }

sub print_table
{
	my ($table, $values_of) = @_;

	for my $event (sort keys %$table) {
		for my $field (sort keys %{$table->{$event}}) {
			my $values = $values_of->($table->{$event}{$field});
			print "event $event, field $field\n";
			print "  $_: $values->{$_}\n" for sort { $a <=> $b } keys %$values;
		}
	}
}

1;
