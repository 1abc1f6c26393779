/* SPDX-License-Identifier: MIT */
/*
 * Reads the recordings that are named after the number of rounds, each in a thread of its own and
 * all at once, through every door that reads: samples with frames, all samples in memory with
 * questions, the symbols of this process. Prints what each found; equal arguments give equal lines.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pfx/pfx.h"

struct job {
	pthread_t thread;
	const char *path;
	int rounds, index;
	uint64_t samples, frames, named, rows, total;
	int failed;
};

static pthread_barrier_t begin;

static void read_frames(struct job *job, struct pfx_input *input)
{
	struct pfx_frame frame = PFX_INIT(struct pfx_frame);
	uint32_t stack, i, nr;
	int rc;

	while ((rc = pfx_input_next_sample(input, NULL)) > 0) {
		stack = pfx_input_stack(input);
		nr = pfx_input_nr_frames(input, stack);
		job->samples++;
		for (i = 0; i < nr; i++) {
			pfx_input_frame(input, stack, i, &frame);
			job->frames++;
			job->named += frame.symbol != NULL;
		}
	}
	job->failed |= rc < 0;
}

static void ask(struct job *job, struct pfx_input *input)
{
	struct pfx_query query = PFX_INIT(struct pfx_query);
	struct pfx_answer *table, *tree, *diff;
	struct pfx_samples *samples;

	if (pfx_samples_load(&samples, input, PFX_LOAD_TIMES, NULL)) {
		job->failed = 1;
		return;
	}
	if (!pfx_samples_table(samples, &query, &table, NULL))
		job->rows += pfx_answer_nr_rows(table);
	if (!pfx_samples_tree(samples, &query, &tree, NULL))
		job->total += pfx_answer_total(tree, NULL);
	if (!pfx_samples_diff(samples, samples, &query, &diff, NULL))
		job->rows += pfx_answer_nr_rows(diff);
	pfx_answer_free(table);
	pfx_answer_free(tree);
	pfx_answer_free(diff);
	pfx_samples_free(samples);
}

static struct pfx_input *open_recording(struct job *job)
{
	struct pfx_input_options options = PFX_INIT(struct pfx_input_options);
	struct pfx_input *input;

	options.flags = PFX_INPUT_FORCE | PFX_INPUT_INLINES | PFX_INPUT_LINES;
	job->failed |= pfx_input_open(&input, job->path, &options, NULL) < 0;
	return input;
}

static void look_up(struct job *job)
{
	struct pfx_symbols *symbols;

	if (pfx_symbols_of_process(&symbols, getpid(), NULL, NULL)) {
		job->failed = 1;
		return;
	}
	job->named += pfx_symbols_find(symbols, (uint64_t)(uintptr_t)look_up);
	pfx_symbols_free(symbols);
}

static void *run(void *context)
{
	struct job *job = context;
	struct pfx_input *input;
	int i;

	pthread_barrier_wait(&begin);
	for (i = 0; i < job->rounds; i++) {
		input = open_recording(job);
		if (input)
			read_frames(job, input);
		pfx_input_close(input);
		input = open_recording(job);
		if (input)
			ask(job, input);
		pfx_input_close(input);
		look_up(job);
	}
	return NULL;
}

/* What ThreadSanitizer must see: two threads that count without a lock. */
static void *count(void *context)
{
	int i;

	for (i = 0; i < 1000; i++)
		++*(int *)context;
	return NULL;
}

static int race(void)
{
	pthread_t other;
	int number = 0;

	if (pthread_create(&other, NULL, count, &number))
		return 2;
	count(&number);
	pthread_join(other, NULL);
	return number < 1000;
}

int main(int argc, char **argv)
{
	struct job *jobs = calloc((size_t)argc + 1, sizeof(*jobs));
	int nr = argc - 2, i;

	if (argc == 2 && !strcmp(argv[1], "race"))
		return race();
	if (!jobs || nr < 1)
		return 2;
	pthread_barrier_init(&begin, NULL, (unsigned)nr);
	for (i = 0; i < nr; i++) {
		jobs[i] = (struct job){.path = argv[i + 2], .rounds = atoi(argv[1]), .index = i};
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]))
			return 2;
	}
	for (i = 0; i < nr; i++)
		pthread_join(jobs[i].thread, NULL);
	for (i = 0; i < nr; i++)
		printf("%d %llu %llu %llu %llu %llu\n", jobs[i].failed,
		       (unsigned long long)jobs[i].samples, (unsigned long long)jobs[i].frames,
		       (unsigned long long)jobs[i].named, (unsigned long long)jobs[i].rows,
		       (unsigned long long)jobs[i].total);
	free(jobs);
	return 0;
}
