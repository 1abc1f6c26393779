/* SPDX-License-Identifier: MIT */
/*
 * `pfx script --per-event-dump`: the text of each event's samples in a file of its own, next to the
 * recording. The output of a sample is moved from the common buffer to its file.
 */
#include <stdlib.h>
#include <unistd.h>

#include "script/script_internal.h"

#define FLUSH_SIZE (64u << 10)

/* "perf.data.cycles.dump"; characters of an event's name that are unsafe in paths or terminals are
 * replaced. */
static char *make_path(const char *input, const char *event)
{
	struct pfx_str path = {0};
	size_t start, i;

	pfx_str_add(&path, input);
	pfx_str_addc(&path, '.');
	start = path.len;
	pfx_str_add(&path, event);
	for (i = start; i < path.len; i++)
		if (path.at[i] == '/' || (unsigned char)path.at[i] < ' ' || path.at[i] == 0x7f)
			path.at[i] = '_';
	pfx_str_add(&path, ".dump");
	return path.at;
}

static int open_file(struct pfx_script *s, struct pfx_script_file *file,
		     const struct pfx_event *event, struct pfx_error *err)
{
	const char *input = pfx_reader_info(s->reader)->path;

	file->path = make_path(s->view.meta->is_pipe ? "pipe" : input, event->name);
	file->to.fd = s->host.open_output(s->host.ctx, file->path, err);
	return file->to.fd < 0 ? file->to.fd : 0;
}

static struct pfx_script_file *file_of(struct pfx_script *s, const struct pfx_event *event)
{
	while (s->files.nr <= event->idx)
		*pfx_vec_add(&s->files) = (struct pfx_script_file){.to.fd = -1};
	return &s->files.at[event->idx];
}

int pfx_script_file_take(struct pfx_script *s, const struct pfx_event *event, bool is_sample,
			 struct pfx_error *err)
{
	struct pfx_script_file *file = file_of(s, event);
	int rc = file->path ? 0 : open_file(s, file, event, err);

	if (rc < 0)
		return rc;
	file->nr_samples += is_sample;
	pfx_str_addn(&file->to.text, pfx_str_get(&s->out), s->out.len);
	pfx_str_clear(&s->out);
	return pfx_text_file_flush(&file->to, FLUSH_SIZE, file->path, err);
}

int pfx_script_files_finish(struct pfx_script *s, struct pfx_error *err)
{
	const struct pfx_meta *meta = s->view.meta;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < meta->nr_events && !rc; i++) {
		struct pfx_script_file *file = file_of(s, meta->events[i]);

		if (!file->path)
			rc = open_file(s, file, meta->events[i], err);
		if (!rc)
			rc = pfx_text_file_flush(&file->to, 0, file->path, err);
		if (rc)
			break;
		pfx_str_add(&s->out, "[ pfx script: Wrote ");
		pfx_str_addf(&s->out, "%.3f MB ", (double)file->to.size / 1024 / 1024);
		pfx_str_add_foreign(&s->out, file->path);
		pfx_str_addf(&s->out, " (%llu samples) ]\n", (unsigned long long)file->nr_samples);
	}
	return rc;
}

void pfx_script_files_fini(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < s->files.nr; i++) {
		if (s->files.at[i].to.fd >= 0)
			close(s->files.at[i].to.fd);
		free(s->files.at[i].path);
		pfx_text_file_fini(&s->files.at[i].to);
	}
	pfx_vec_free(&s->files);
}
