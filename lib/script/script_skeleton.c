/* SPDX-License-Identifier: MIT */
/*
 * `pfx script -g python` and `-g perl`: a skeleton script, with a function for each tracepoint of
 * the recording with all its fields as arguments, and one for the samples of all other events.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/hash.h"
#include "script/script.h"
#include "trace/format.h"

#define PYTHON_FILE "perf-script.py"
#define PERL_FILE   "perf-script.pl"

static const char python_head[] =
	"# Functions that are called for the samples of a recording:\n"
	"#\n"
	"#\tpfx script -s " PYTHON_FILE "\n"
	"#\n"
	"# `context` is for the functions of perf_trace_context, as common_pc(context).\n"
	"# `perf_sample_dict` holds all of the sample; leave the argument out if you do not\n"
	"# need it: the script runs faster then.\n"
	"\n"
	"from perf_trace_context import *\n"
	"from Core import *\n"
	"\n"
	"\n"
	"def trace_begin():\n"
	"\tpass\n"
	"\n"
	"\n"
	"def trace_end():\n"
	"\tpass\n"
	"\n"
	"\n"
	"# Names are what strangers gave them: what would steer a terminal is shown, not done.\n"
	"def text(value):\n"
	"\treturn \"\".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))\n"
	"\n"
	"\n"
	"def print_head(name, cpu, secs, nsecs, pid, comm):\n"
	"\tprint(\"%-28s [%03d] %5d.%09d %7d %-16s\" % (text(name), cpu, secs, nsecs, pid,\n"
	"\t\ttext(comm)), end=\" \")\n"
	"\n"
	"\n"
	"def print_chain(chain):\n"
	"\tfor frame in chain:\n"
	"\t\tname = frame[\"sym\"][\"name\"] if \"sym\" in frame else \"[unknown]\"\n"
	"\t\tprint(\"\\t%16x %s (%s)\" % (frame[\"ip\"], text(name),\n"
	"\t\t\ttext(frame.get(\"dso\", \"[unknown]\"))))\n"
	"\n"
	"\n";

static const char python_tail[] =
	"# Tracepoints that have no function of their own.\n"
	"def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n"
	"\tprint(text(event_name), text(event_fields_dict))\n"
	"\n"
	"\n"
	"# All events other than tracepoints.\n"
	"def process_event(param_dict):\n"
	"\tsample = param_dict[\"sample\"]\n"
	"\tprint(\"%-16s %7d %16d %s %x %s\" % (text(param_dict[\"comm\"]), sample[\"pid\"],\n"
	"\t\tsample[\"time\"], text(param_dict[\"ev_name\"]), sample[\"ip\"],\n"
	"\t\ttext(param_dict.get(\"symbol\", \"[unknown]\"))))\n"
	"\tprint_chain(param_dict[\"callchain\"])\n";

static const char perl_head[] =
	"# Functions that are called for the tracepoints of a recording:\n"
	"#\n"
	"#\tpfx script -s " PERL_FILE "\n"
	"#\n"
	"# $context is for the functions of Perf::Trace::Context, as common_pc($context).\n"
	"\n"
	"use strict;\n"
	"use warnings;\n"
	"use Perf::Trace::Core;\n"
	"use Perf::Trace::Context;\n"
	"use Perf::Trace::Util;\n"
	"\n"
	"sub trace_begin\n{\n}\n"
	"\n"
	"sub trace_end\n{\n}\n"
	"\n"
	"# Names are what strangers gave them: what would steer a terminal is shown, not done.\n"
	"sub text\n{\n\tmy ($value) = @_;\n\n"
	"\t$value =~ s/([^[:print:]])/sprintf(\"\\\\x%02x\", ord($1))/ge;\n"
	"\treturn $value;\n}\n"
	"\n"
	"sub print_head\n{\n\tmy ($name, $cpu, $secs, $nsecs, $pid, $comm) = @_;\n\n"
	"\tprintf(\"%-28s [%03d] %5d.%09d %7d %-16s \", text($name), $cpu, $secs, $nsecs, $pid,\n"
	"\t\ttext($comm));\n}\n"
	"\n"
	"sub print_chain\n{\n\tfor my $frame (@{$_[0]}) {\n"
	"\t\tprintf(\"\\t%16x %s (%s)\\n\", $frame->{ip}, text($frame->{sym}{name} // "
	"\"[unknown]\"),\n"
	"\t\t\ttext($frame->{dso} // \"[unknown]\"));\n\t}\n}\n"
	"\n";

static const char perl_tail[] =
	"# Tracepoints that have no function of their own.\n"
	"sub trace_unhandled\n{\n"
	"\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid,\n"
	"\t\t$common_comm, $common_callchain) = @_;\n\n"
	"\tprint_head($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid,\n"
	"\t\t$common_comm);\n\tprint \"\\n\";\n}\n";

static bool is_name(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
			    text[i]) ||
		    (!i && text[i] >= '0' && text[i] <= '9'))
			return false;
	return i > 0;
}

/* Reserved words of the language and names in the script, which cannot be arguments. */
static bool is_reserved(const char *text)
{
	static const char *const words[] = {
		"False",   "None",     "True",     "and",    "as",   "assert", "async",  "await",
		"break",   "class",    "continue", "def",    "del",  "elif",   "else",   "except",
		"finally", "for",      "from",     "global", "if",   "import", "in",     "is",
		"lambda",  "nonlocal", "not",      "or",     "pass", "raise",  "return", "text",
		"try",     "while",    "with",     "yield"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], text))
			return true;
	return false;
}

/* An argument for field @i: its name, if valid. */
static void add_argument(struct pfx_trace *trace, uint64_t id, size_t i, struct pfx_str *to)
{
	struct pfx_trace_field field;

	pfx_trace_field_at(trace, id, i, &field);
	if (is_name(field.name) && !is_reserved(field.name))
		pfx_str_add(to, field.name);
	else
		pfx_str_addf(to, "field_%zu", i);
}

static void add_python_event(struct pfx_trace *trace, uint64_t id, struct pfx_str *to)
{
	const char *name = pfx_trace_event_name(trace, id), *colon = strchr(name, ':');
	size_t i, nr = pfx_trace_nr_fields(trace, id);
	struct pfx_str full = {0};

	pfx_str_addf(&full, "%.*s__%s", (int)(colon - name), name, colon + 1);
	if (is_name(full.at)) {
		pfx_str_addf(to, "def %s(event_name, context, common_cpu,\n", full.at);
		pfx_str_add(to, "\t\tcommon_secs, common_nsecs, common_pid, common_comm,\n");
		pfx_str_add(to, "\t\tcommon_callchain");
		for (i = 0; i < nr; i++) {
			pfx_str_add(to, i % 5 ? ", " : ",\n\t\t");
			add_argument(trace, id, i, to);
		}
		pfx_str_add(to, ",\n\t\tperf_sample_dict):\n");
		pfx_str_add(to, "\tprint_head(event_name, common_cpu, common_secs, common_nsecs,\n"
				"\t\tcommon_pid, common_comm)\n\tprint(*map(text, [");
		for (i = 0; i < nr; i++) {
			pfx_str_add(to, !i ? "" : i % 5 ? ", " : ",\n\t\t");
			add_argument(trace, id, i, to);
		}
		pfx_str_add(to, "]))\n\tprint_chain(common_callchain)\n\n\n");
	}
	pfx_str_fini(&full);
}

static void add_perl_arguments(struct pfx_trace *trace, uint64_t id, struct pfx_str *to)
{
	size_t i, nr = pfx_trace_nr_fields(trace, id);

	for (i = 0; i < nr; i++) {
		pfx_str_add(to, i % 5 ? ", $" : ",\n\t\t$");
		add_argument(trace, id, i, to);
	}
}

static void add_perl_event(struct pfx_trace *trace, uint64_t id, struct pfx_str *to)
{
	const char *name = pfx_trace_event_name(trace, id), *colon = strchr(name, ':');
	struct pfx_str system = {0};

	pfx_str_addn(&system, name, (size_t)(colon - name));
	if (is_name(system.at) && is_name(colon + 1)) {
		pfx_str_addf(to, "sub %s::%s\n{\n", system.at, colon + 1);
		pfx_str_add(to, "\tmy ($event_name, $context, $common_cpu, $common_secs,\n"
				"\t\t$common_nsecs, $common_pid, $common_comm, $common_callchain");
		add_perl_arguments(trace, id, to);
		pfx_str_add(to,
			    ") = @_;\n\n\tmain::print_head($event_name, $common_cpu, "
			    "$common_secs, $common_nsecs,\n\t\t$common_pid, $common_comm);\n"
			    "\tprint join(\" \", map { main::text($_) } @_[8 .. $#_]), \"\\n\";\n"
			    "\tmain::print_chain($common_callchain);\n}\n\n");
	}
	pfx_str_fini(&system);
}

static const struct language {
	const char *names[2], *file, *what, *head, *tail;
	void (*add_event)(struct pfx_trace *trace, uint64_t id, struct pfx_str *to);
} languages[] = {
	{{"python", "py"},
	 PYTHON_FILE,
	 "Python script: " PYTHON_FILE,
	 python_head,
	 python_tail,
	 add_python_event},
	{{"perl", "pl"},
	 PERL_FILE,
	 "Perl script: " PERL_FILE,
	 perl_head,
	 perl_tail,
	 add_perl_event},
};

static void add_events(const struct pfx_meta *meta, const struct language *language,
		       struct pfx_str *to)
{
	const struct pfx_env_blob *blob = &meta->env.tracing_data;
	struct pfx_trace *trace = NULL;
	struct pfx_hash seen = {0};
	uint64_t id;
	uint32_t i;
	bool is_new;

	if (!blob->size || pfx_trace_open(&trace, blob->at, blob->size, NULL) < 0)
		return;
	for (i = 0; i < meta->nr_events; i++) {
		id = meta->events[i]->attr.config;
		if (meta->events[i]->attr.type != PFX_TYPE_TRACEPOINT ||
		    !pfx_trace_event_name(trace, id))
			continue;
		pfx_hash_add(&seen, id, &is_new);
		if (is_new)
			language->add_event(trace, id, to);
	}
	pfx_hash_fini(&seen);
	pfx_trace_free(trace);
}

static int write_new(const char *file, const struct pfx_str *text, struct pfx_error *err)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	ssize_t done;

	if (fd < 0 && errno == EEXIST)
		return pfx_error_set(err, EEXIST, "'%s' is there already: it is not overwritten",
				     file);
	if (fd < 0)
		return pfx_error_sys(err, errno, "cannot write '%s'", file);
	done = write(fd, text->at, text->len);
	if (close(fd) < 0 || done != (ssize_t)text->len)
		return pfx_error_set(err, EIO, "cannot write '%s'", file);
	return 0;
}

/* The events of a stream are between its records. */
static int read_all(struct pfx_recording *recording, struct pfx_error *err)
{
	if (!pfx_recording_meta(recording)->is_pipe)
		return 0;
	return pfx_recording_finish(recording, err);
}

static const struct language *find_language(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (!strcasecmp(word, languages[i].names[0]) ||
		    !strcasecmp(word, languages[i].names[1]))
			return &languages[i];
	return NULL;
}

int pfx_script_skeleton(struct pfx_recording *recording, const char *word, const char **ret_what,
			struct pfx_error *err)
{
	const struct language *language = find_language(word);
	struct pfx_str text = {0};
	int rc;

	if (!language)
		return pfx_error_set(err, EINVAL,
				     "a script can be generated in Python or Perl, not in '%s'",
				     word);
	rc = read_all(recording, err);
	if (rc < 0)
		return rc;
	*ret_what = language->what;
	pfx_str_add(&text, language->head);
	add_events(pfx_recording_meta(recording), language, &text);
	pfx_str_add(&text, language->tail);
	rc = write_new(language->file, &text, err);
	pfx_str_fini(&text);
	return rc;
}
