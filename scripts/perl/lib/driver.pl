# SPDX-License-Identifier: MIT
# Runs a Perl script over tracepoints that pfx writes to standard input: see lib/script/script_perl.c for
# the lines. The script's functions are those that perf calls: trace_begin, trace_end, trace_unhandled,
# SYSTEM::EVENT, and process_event for all samples.
use strict;
use warnings;
use File::Basename qw(dirname);

my $script;
BEGIN {
	# our context, whatever other folder the script adds; the other modules may be perf's
	unshift @INC, dirname(__FILE__);
	require Perf::Trace::Context;
	$script = shift @ARGV;
}

open(my $events, '<&', \*STDIN) or die "cannot read events: $!\n";
open(STDIN, '<', '/dev/null') or die "cannot open /dev/null: $!\n";
my %escaped = ('t' => "\t", 'n' => "\n", '\\' => '\\');

sub call_optional
{
	my ($name, @words) = @_;

	no strict 'refs';
	return defined &{"main::$name"} ? &{"main::$name"}(@words) : undef;
}

# ip, symbol, dso
sub frame_of
{
	my ($ip, $symbol, $dso) = @_;
	my %frame = (ip => $ip);

	$frame{sym} = {name => $symbol} if $symbol ne '';
	$frame{dso} = $dso if $dso ne '';
	return \%frame;
}

sub handle_event
{
	my ($name, $cpu, $secs, $nsecs, $pid, $comm, $pc, $flags, $depth, $nr, @rest) = @_;
	my $context = [$pc, $flags, $depth];
	my @chain = map { frame_of(splice(@rest, 0, 3)) } 1 .. $nr;
	my @common = ($name, $context, $cpu, $secs, $nsecs, $pid, $comm, \@chain);

	no strict 'refs';
	if (defined &{$name}) {
		&{$name}(@common, @rest);
	} else {
		call_optional('trace_unhandled', @common);
	}
}

my %handlers = (
	E => \&handle_event,
	F => sub { call_optional('define_flag_field', @_) },
	S => sub { call_optional('define_symbolic_field', @_) },
	f => sub { call_optional('define_flag_value', @_) },
	s => sub { call_optional('define_symbolic_value', @_) },
	P => sub { call_optional('process_event', map { pack('H*', $_) } @_) },
);

# Ctrl-C ends the events, not the script, as in perf.
my $stopped;
$SIG{INT} = sub { $stopped = 1 };
# Perl takes handlers away before it exits.
END { $SIG{INT} = 'IGNORE' }

sub run_events
{
	while (!$stopped) {
		my $line = <$events>;
		last unless defined $line;
		chomp $line;
		my ($kind, @words) = split(/\t/, $line, -1);
		s/\\(.)/$escaped{$1}/g for @words;
		$handlers{$kind}->(@words);
	}
}

sub run_script
{
	my $path = $script =~ m{^/} ? $script : "./$script";

	unless (defined do $path) {
		die $@ if $@;
		die "cannot read '$script': $!\n" if $! && !-r $path;
	}
	call_optional('trace_begin');
	run_events();
	call_optional('trace_end');
}

# "\x1b" for each byte of a character
sub hex_of
{
	my ($char) = @_;

	utf8::encode($char);
	return join('', map { sprintf('\\x%02x', $_) } unpack('C*', $char));
}

# Messages may have names from the recording in them: what changes a terminal, or is not UTF-8, is escaped.
sub escaped_message
{
	my ($text) = @_;

	if (utf8::is_utf8($text) || utf8::decode($text)) {
		$text =~ s/((?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/hex_of($1)/ge;
		utf8::encode($text);
	} else {
		$text =~ s/([^\n\t\x20-\x7e])/sprintf('\\x%02x', ord($1))/ge;
	}
	return $text;
}

local $SIG{__WARN__} = sub { print STDERR escaped_message(@_) };
unless (eval { run_script(); 1 }) {
	print STDERR escaped_message("$@");
	exit 255;
}
