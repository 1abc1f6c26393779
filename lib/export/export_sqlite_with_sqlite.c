/* SPDX-License-Identifier: MIT */
/*
 * A SQLite database with perf's export schema, written sample by sample. What samples refer to gets
 * its row, with the next number, at its first use; only the numbers are kept. Rows 0 are "unknown".
 * The database is made in the output file itself if that can be read and sought in, else in a
 * temporary file that is copied.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/output/sqlite_rows.h"
#include "export/samples/export_frames.h"
#include "export/samples/redact.h"
#include "export/sqlite_file_internal.h"
#include "export/sqlite_schema_internal.h"

#define PLACE(name, nr, columns) TABLE_##name,
enum table { PFX_SQLITE_TABLES(PLACE) NR_TABLES };

struct table_words {
	const char *name, *columns;
	int nr_columns;
};
#define WORDS(name, nr, columns) {#name, columns, nr},
static const struct table_words tables[] = {PFX_SQLITE_TABLES(WORDS)};

#define HOST_MACHINE   1
#define HOST_PID       (-1)
#define ROOT_PATH      1
#define NO_DATA_SRC    0x5080021 /* "not available" in each part */
#define MAX_COLUMNS    25
#define SWITCH_OUT     1
#define SWITCH_PREEMPT 2

struct cell {
	int64_t number;
	const char *text; /* NULL: the number */
};

/* Where an address is. */
struct place_rows {
	uint32_t dso, symbol;
	uint64_t offset;
	bool is_known;
};

/* When a thread got its last name; time 0: unknown. */
struct naming {
	uint64_t time;
	bool is_exec;
};

struct database {
	struct pfx_export_output *out;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	bool no_chains, with_switches;
	struct pfx_redact *redact; /* NULL: names stay */
	sqlite3 *db;
	sqlite3_stmt *inserts[NR_TABLES];
	int64_t nr_rows[NR_TABLES];
	struct pfx_sqlite_rows samples; /* the rows of that table */
	int64_t bound[NR_TABLES][MAX_COLUMNS];
	uint32_t is_bound[NR_TABLES]; /* a bit for each column with a number */
	int code;                     /* of SQLite: the first failure */
	struct pfx_str text, name;
	PFX_VEC(uint32_t) events, threads, dsos, chains; /* rows by id, 0: none yet */
	PFX_VEC(struct place_rows) places;               /* by id */
	PFX_VEC(struct naming) namings;                  /* by thread */
	struct pfx_hash comms, comm_threads, symbols, unnamed, paths, unnamed_paths;
};

/* --- rows --- */

static void check(struct database *b, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE && !b->code)
		b->code = code;
}

static void execute(struct database *b, const char *statement)
{
	if (!b->code)
		check(b, sqlite3_exec(b->db, statement, NULL, NULL, NULL));
}

/* Numbers stay bound: those of the row before are not bound again. */
static void bind_row(struct database *b, enum table table, const struct cell *cells)
{
	sqlite3_stmt *insert = b->inserts[table];
	int64_t *last = b->bound[table];
	int i;

	for (i = 0; i < tables[table].nr_columns; i++) {
		if (cells[i].text)
			sqlite3_bind_text(insert, i + 1, cells[i].text, -1, SQLITE_TRANSIENT);
		else if (!(b->is_bound[table] >> i & 1) || last[i] != cells[i].number)
			sqlite3_bind_int64(insert, i + 1, cells[i].number);
		last[i] = cells[i].number;
		if (cells[i].text)
			b->is_bound[table] &= ~(1u << i);
		else
			b->is_bound[table] |= 1u << i;
	}
}

/* Returns the number of the row, which is in the first cell. */
static uint32_t add_row(struct database *b, enum table table, struct cell *cells)
{
	sqlite3_stmt *insert = b->inserts[table];

	cells[0].number = b->nr_rows[table]++;
	if (b->code)
		return 0;
	bind_row(b, table, cells);
	check(b, sqlite3_step(insert));
	sqlite3_reset(insert);
	return (uint32_t)cells[0].number;
}

/* Most rows are samples: they do not go through SQLite. */
static void add_sample_row(struct database *b, const struct cell *cells)
{
	int64_t values[MAX_COLUMNS];
	unsigned i, nr = (unsigned)tables[TABLE_samples].nr_columns - 1;

	for (i = 0; i < nr; i++)
		values[i] = cells[i + 1].number;
	pfx_sqlite_rows_add(&b->samples, values, nr);
}

static struct cell number(uint64_t value)
{
	return (struct cell){.number = (int64_t)value};
}

static struct cell text(const char *value)
{
	return (struct cell){.text = value};
}

/* A name from the recording; valid until the next one. */
static struct cell foreign(struct database *b, const char *name)
{
	pfx_str_clear(&b->text);
	pfx_str_add_foreign(&b->text, name);
	return text(pfx_str_get(&b->text));
}

/* Names of commands, binaries, functions and events, or what --redact leaves of them. */
static struct cell command_cell(struct database *b, const char *name)
{
	if (!b->redact)
		return foreign(b, name);
	pfx_str_clear(&b->name);
	pfx_redact_command(b->redact, name, &b->name);
	return foreign(b, pfx_str_get(&b->name));
}

static struct cell binary_cell(struct database *b, const struct pfx_dso *dso, const char *name)
{
	if (!b->redact)
		return foreign(b, name);
	pfx_str_clear(&b->name);
	pfx_redact_binary(b->redact, dso->kind, name, &b->name);
	return foreign(b, pfx_str_get(&b->name));
}

static struct cell function_cell(struct database *b, const char *name)
{
	if (!b->redact)
		return foreign(b, name);
	pfx_str_clear(&b->name);
	pfx_redact_function(b->redact, name, &b->name);
	return foreign(b, pfx_str_get(&b->name));
}

static struct cell event_cell(struct database *b, const char *name)
{
	if (!b->redact)
		return foreign(b, name);
	pfx_str_clear(&b->name);
	pfx_redact_event(b->redact, name, &b->name);
	return foreign(b, pfx_str_get(&b->name));
}

/* --- what samples refer to --- */

static uint32_t event_row(struct database *b, const struct pfx_event *event)
{
	uint32_t *row = pfx_vec_slot(&b->events, event->idx);

	if (!*row)
		*row = add_row(b, TABLE_selected_events,
			       (struct cell[]){{0}, event_cell(b, event->name)});
	return *row;
}

static uint32_t thread_row(struct database *b, struct pfx_thread *thread)
{
	uint32_t *row = pfx_vec_slot(&b->threads, thread->id), process = 0;

	if (*row)
		return *row;
	if (thread->pid != thread->tid)
		process = thread_row(b, pfx_session_thread(b->session, thread->pid, thread->pid));
	else
		process = (uint32_t)b->nr_rows[TABLE_threads];
	row = pfx_vec_slot(&b->threads, thread->id);
	*row = add_row(b, TABLE_threads,
		       (struct cell[]){{0},
				       number(HOST_MACHINE),
				       number(process),
				       number((uint64_t)(int32_t)thread->pid),
				       number((uint64_t)(int32_t)thread->tid)});
	return *row;
}

static void add_comm_thread(struct database *b, uint32_t comm, uint32_t thread)
{
	bool is_new;

	pfx_hash_add(&b->comm_threads, (uint64_t)comm << 32 | thread, &is_new);
	if (is_new)
		add_row(b, TABLE_comm_threads, (struct cell[]){{0}, number(comm), number(thread)});
}

static struct naming naming_of(const struct database *b, const struct pfx_thread *thread)
{
	struct naming naming = {.time = thread->start_time};

	if (thread->id < b->namings.nr && b->namings.at[thread->id].time)
		naming = b->namings.at[thread->id];
	return naming;
}

/* A name of a process, of all its threads that have it. */
static uint32_t comm_row(struct database *b, struct pfx_thread *thread)
{
	struct pfx_thread *process = pfx_session_thread(b->session, thread->pid, thread->pid);
	const struct pfx_thread *named = process->comm->id == thread->comm->id ? process : thread;
	uint32_t process_row = thread_row(b, process), own_row = thread_row(b, thread);
	bool is_new;
	uint64_t *row =
		pfx_hash_add(&b->comms, (uint64_t)process_row << 32 | thread->comm->id, &is_new);

	if (is_new)
		*row = add_row(b, TABLE_comms,
			       (struct cell[]){{0},
					       command_cell(b, thread->comm->text),
					       number(named == process ? process_row : own_row),
					       number(naming_of(b, named).time),
					       number(naming_of(b, named).is_exec),
					       number(0)});
	add_comm_thread(b, (uint32_t)*row, own_row);
	return (uint32_t)*row;
}

static uint32_t dso_row(struct database *b, const struct pfx_dso *dso)
{
	uint32_t *row;
	struct pfx_str id = {0}, short_name = {0};
	unsigned i;

	if (!dso)
		return 0;
	row = pfx_vec_slot(&b->dsos, dso->id);
	if (*row)
		return *row;
	for (i = 0; i < dso->build_id_size; i++)
		pfx_str_hex0(&id, dso->build_id[i], 2);
	pfx_str_add(&short_name, binary_cell(b, dso, dso->short_name).text);
	*row = add_row(b, TABLE_dsos,
		       (struct cell[]){{0},
				       number(HOST_MACHINE),
				       text(pfx_str_get(&short_name)),
				       binary_cell(b, dso, dso->name),
				       text(pfx_str_get(&id))});
	pfx_str_fini(&id);
	pfx_str_fini(&short_name);
	return *row;
}

static uint64_t binding_of(const struct pfx_symbol *sym)
{
	return sym->binding == 'l' ? 0 : sym->binding == 'w' ? 2 : 1;
}

static uint32_t symbol_row(struct database *b, const struct pfx_symbol *sym, uint32_t dso)
{
	bool is_new;
	uint64_t *row = pfx_hash_add(&b->symbols, (uint64_t)(uintptr_t)sym, &is_new);

	if (is_new)
		*row = add_row(b, TABLE_symbols,
			       (struct cell[]){{0},
					       number(dso),
					       number(sym->start),
					       number(sym->end),
					       number(binding_of(sym)),
					       function_cell(b, sym->name)});
	return (uint32_t)*row;
}

/* A symbol for each address of a binary that has none. */
static uint32_t unnamed_row(struct database *b, const struct pfx_place *place, uint32_t dso)
{
	bool is_new;
	uint64_t *row;

	if (!dso)
		return 0;
	row = pfx_hash_add(&b->unnamed, (uint64_t)place->frame_id, &is_new);
	if (is_new)
		*row = add_row(b, TABLE_symbols,
			       (struct cell[]){{0},
					       number(dso),
					       number(place->addr),
					       number(place->addr),
					       {0},
					       text("unknown")});
	return (uint32_t)*row;
}

static const struct place_rows *place_rows(struct database *b, struct pfx_place *place)
{
	struct place_rows *rows = pfx_vec_slot(&b->places, place->id);
	const struct pfx_symbol *sym;

	if (rows->is_known)
		return rows;
	pfx_place_symbol(b->resolver, place);
	sym = pfx_place_has_name(place) ? place->sym : NULL;
	*rows = (struct place_rows){.dso = dso_row(b, place->dso), .is_known = true};
	if (sym) {
		rows->symbol = symbol_row(b, sym, rows->dso);
		rows->offset = place->addr - sym->start;
	} else {
		rows->symbol = unnamed_row(b, place, rows->dso);
	}
	return rows;
}

/* --- call paths --- */

static uint32_t path_row(struct database *b, uint32_t parent, struct pfx_place *place)
{
	const struct place_rows *rows = place_rows(b, place);
	uint64_t ip = rows->symbol ? 0 : place->ip, *row;
	bool is_new;

	if (rows->symbol)
		row = pfx_hash_add(&b->paths, (uint64_t)parent << 32 | rows->symbol, &is_new);
	else
		row = pfx_hash_add(&b->unnamed_paths, (uint64_t)parent << 32 | place->id, &is_new);
	if (is_new)
		*row = add_row(
			b, TABLE_call_paths,
			(struct cell[]){{0}, number(parent), number(rows->symbol), number(ip)});
	return (uint32_t)*row;
}

/* Chains share their outer parts; those are looked up once. */
static uint32_t chain_row(struct database *b, uint32_t chain)
{
	struct pfx_place **places;
	uint32_t *row, path, nr;

	if (!chain)
		return ROOT_PATH;
	row = pfx_vec_slot(&b->chains, chain);
	if (*row)
		return *row;
	path = chain_row(b, pfx_chain_outer(b->resolver, chain));
	for (nr = pfx_chain_inner_frames(b->resolver, chain, &places); nr; nr--)
		path = path_row(b, path, places[nr - 1]);
	*pfx_vec_slot(&b->chains, chain) = path;
	return path;
}

/* --- samples --- */

/* The address of events whose address is one of code or data in a map. */
static const struct place_rows *target_rows(struct database *b, struct pfx_thread *thread,
					    const struct pfx_event *event,
					    const struct pfx_sample *sample)
{
	struct pfx_location found;

	if (!(sample->type & PFX_SAMPLE_ADDR) || !sample->addr)
		return NULL;
	if (event->attr.type != PFX_TYPE_HARDWARE ||
	    event->attr.config != PFX_HW_BRANCH_INSTRUCTIONS)
		return NULL;
	pfx_session_locate(b->session, thread, sample->cpumode, sample->addr, &found);
	return place_rows(b, pfx_resolve(b->resolver, thread, found.cpumode, sample->addr));
}

static uint32_t sample_path(struct database *b, struct pfx_thread *thread,
			    const struct pfx_sample *sample)
{
	uint32_t chain = 0;

	if (!b->no_chains && (sample->chain.nr || sample->stack.size))
		chain = pfx_resolve_chain_id(b->resolver, thread, sample);
	return chain ? chain_row(b, chain) : 0;
}

static int take_sample(void *context, const struct pfx_event *event,
		       const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct database *b = context;
	const struct place_rows *target, *own;
	struct place_rows to = {0}, at;
	struct cell cells[MAX_COLUMNS] = {{0}};

	cells[1] = number(event_row(b, event));
	cells[2] = number(HOST_MACHINE);
	cells[3] = number(thread_row(b, thread));
	cells[4] = number(comm_row(b, thread));
	own = place_rows(b, pfx_resolve(b->resolver, thread, sample->cpumode, sample->ip));
	at = *own;
	target = target_rows(b, thread, event, sample);
	if (target)
		to = *target;
	cells[5] = number(at.dso);
	cells[6] = number(at.symbol);
	cells[7] = number(at.offset);
	cells[8] = number(sample->ip);
	cells[9] = number(sample->time);
	cells[10] = number((uint64_t)(int32_t)sample->cpu);
	cells[11] = number(to.dso);
	cells[12] = number(to.symbol);
	cells[13] = number(to.offset);
	cells[14] = number(target ? sample->addr : 0);
	cells[15] = number(sample->period);
	cells[16] = number(sample->weight);
	cells[17] = number(sample->transaction);
	cells[18] = number(sample->type & PFX_SAMPLE_DATA_SRC ? sample->data_src : NO_DATA_SRC);
	cells[21] = number(sample_path(b, thread, sample));
	add_sample_row(b, cells);
	return b->code ? -EIO : 0;
}

/* --- other records --- */

static void take_name(struct database *b, const struct pfx_record *rec, const struct pfx_comm *comm)
{
	const struct pfx_thread *thread = pfx_session_thread(b->session, comm->pid, comm->tid);

	*pfx_vec_slot(&b->namings, thread->id) =
		(struct naming){rec->time, rec->misc & PFX_MISC_COMM_EXEC};
}

static void take_switch(struct database *b, const struct pfx_body *body)
{
	struct pfx_thread *own = pfx_session_thread(b->session, body->id.pid, body->id.tid), *other;
	bool out = body->misc & PFX_MISC_SWITCH_OUT;
	struct cell cells[MAX_COLUMNS] = {{0}};
	unsigned from = out ? 4 : 6, to = out ? 6 : 4;

	cells[1] = number(HOST_MACHINE);
	cells[2] = number(body->id.time);
	cells[3] = number((uint64_t)(int32_t)body->id.cpu);
	cells[from] = number(thread_row(b, own));
	cells[from + 1] = number(comm_row(b, own));
	if (body->type == PFX_RECORD_SWITCH_CPU_WIDE) {
		other = pfx_session_thread(b->session, body->next_prev.pid, body->next_prev.tid);
		cells[to] = number(thread_row(b, other));
		cells[to + 1] = number(comm_row(b, other));
	}
	cells[8] = number((out ? SWITCH_OUT : 0) |
			  (body->misc & PFX_MISC_SWITCH_OUT_PREEMPT ? SWITCH_PREEMPT : 0));
	add_row(b, TABLE_context_switches, cells);
}

static bool is_switch(const struct pfx_record *rec)
{
	return rec->type == PFX_RECORD_SWITCH || rec->type == PFX_RECORD_SWITCH_CPU_WIDE;
}

static void take_record(void *context, const struct pfx_record *rec)
{
	struct database *b = context;
	struct pfx_body body;

	if (rec->type != PFX_RECORD_COMM && (!b->with_switches || !is_switch(rec)))
		return;
	if (pfx_record_decode(rec, rec->event ? &rec->event->attr : NULL, &body, NULL))
		return;
	if (rec->type == PFX_RECORD_COMM)
		take_name(b, rec, &body.comm);
	else
		take_switch(b, &body);
}

/* --- the database --- */

static void add_insert(struct database *b, enum table table)
{
	struct pfx_str statement = {0};
	int i;

	pfx_str_addf(&statement, "INSERT INTO %s VALUES (", tables[table].name);
	for (i = 0; i < tables[table].nr_columns; i++)
		pfx_str_add(&statement, i ? ", ?" : "?");
	pfx_str_addc(&statement, ')');
	check(b, sqlite3_prepare_v2(b->db, statement.at, -1, &b->inserts[table], NULL));
	pfx_str_fini(&statement);
}

static void add_tables(struct database *b)
{
	struct pfx_str statement = {0};
	enum table table;

	execute(b, "BEGIN");
	for (table = 0; table < NR_TABLES; table++) {
		pfx_str_clear(&statement);
		pfx_str_addf(&statement, "CREATE TABLE %s (%s)", tables[table].name,
			     tables[table].columns);
		execute(b, statement.at);
		if (!b->code)
			add_insert(b, table);
	}
	execute(b, PFX_SQLITE_VIEWS);
	pfx_str_fini(&statement);
}

/* What is unknown, the host, and the root of all call paths. */
static void add_first_rows(struct database *b)
{
	struct cell none[MAX_COLUMNS] = {{0}};

	add_row(b, TABLE_selected_events, (struct cell[]){{0}, text("unknown")});
	add_row(b, TABLE_machines, (struct cell[]){{0}, {0}, text("unknown")});
	add_row(b, TABLE_machines, (struct cell[]){{0}, {HOST_PID, NULL}, text("")});
	add_row(b, TABLE_threads, (struct cell[]){{0}, {0}, {0}, {-1, NULL}, {-1, NULL}});
	add_row(b, TABLE_comms, (struct cell[]){{0}, text("unknown"), {0}, {0}, {0}, {0}});
	b->nr_rows[TABLE_comm_threads] = 1;
	add_row(b, TABLE_dsos,
		(struct cell[]){{0}, {0}, text("unknown"), text("unknown"), text("")});
	add_row(b, TABLE_symbols, (struct cell[]){{0}, {0}, {0}, {0}, {0}, text("unknown")});
	add_row(b, TABLE_branch_types, (struct cell[]){{0}, text("no branch")});
	add_sample_row(b, none);
	add_row(b, TABLE_call_paths, none);
	add_row(b, TABLE_call_paths, none); /* ROOT_PATH */
	add_row(b, TABLE_calls, none);
	b->nr_rows[TABLE_context_switches] = 1;
}

static void add_clock(struct database *b, const struct pfx_env *env)
{
	struct pfx_str statement = {0};

	if (!pfx_env_has(env, PFX_FEAT_CLOCK_DATA))
		return;
	pfx_str_addf(&statement, PFX_SQLITE_CLOCK "; INSERT INTO wall_clock VALUES (%lld, %lld)",
		     (long long)env->clockid_ns, (long long)env->wall_clock_ns);
	execute(b, statement.at);
	pfx_str_fini(&statement);
}

static void finish_tables(struct database *b)
{
	enum table table;

	for (table = 0; table < NR_TABLES; table++)
		sqlite3_finalize(b->inserts[table]);
	if (b->nr_rows[TABLE_context_switches] == 1)
		execute(b, "DROP VIEW context_switches_view; DROP TABLE context_switches");
	execute(b, PFX_SQLITE_INDEXES);
	execute(b, "COMMIT");
}

/* The first page of the table of samples; 0 after a failure. */
static uint32_t root_of_samples(struct database *b)
{
	sqlite3_stmt *query = NULL;
	uint32_t root = 0;

	if (!b->code)
		check(b, sqlite3_prepare_v2(b->db,
					    "SELECT rootpage FROM sqlite_master "
					    "WHERE name = 'samples'",
					    -1, &query, NULL));
	if (query && sqlite3_step(query) == SQLITE_ROW)
		root = (uint32_t)sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	return root;
}

static int write_samples(struct database *b, int fd)
{
	uint32_t root = root_of_samples(b);

	sqlite3_close(b->db);
	b->db = NULL;
	return b->code || !root ? 0 : pfx_sqlite_rows_write(&b->samples, fd, root);
}

static void database_fini(struct database *b)
{
	sqlite3_close(b->db);
	pfx_sqlite_rows_fini(&b->samples);
	pfx_str_fini(&b->text);
	pfx_str_fini(&b->name);
	pfx_vec_free(&b->events);
	pfx_vec_free(&b->threads);
	pfx_vec_free(&b->dsos);
	pfx_vec_free(&b->chains);
	pfx_vec_free(&b->places);
	pfx_vec_free(&b->namings);
	pfx_hash_fini(&b->comms);
	pfx_hash_fini(&b->comm_threads);
	pfx_hash_fini(&b->symbols);
	pfx_hash_fini(&b->unnamed);
	pfx_hash_fini(&b->paths);
	pfx_hash_fini(&b->unnamed_paths);
}

static void fail(struct database *b, struct pfx_export_output *out)
{
	struct pfx_error err = {0};

	if (pfx_sqlite_errno()) {
		pfx_export_fail(out, -pfx_sqlite_errno(), &err);
		return;
	}
	pfx_error_set(&err, EIO, "cannot make the database: %s", sqlite3_errstr(b->code));
	pfx_export_fail(out, -EIO, &err);
}

/* The rows of threads that filters drop would be in the switches of others. */
static bool takes_all(const struct pfx_export_stream *stream)
{
	const struct pfx_filter *filter = stream->reading.filter;

	return !stream->reading.times && !(filter->comms.given || filter->pids.given ||
					   filter->tids.given || filter->cpus_given);
}

static void write_database(const struct pfx_export_input *in, struct pfx_export_output *out, int fd)
{
	struct pfx_recording *recording = in->stream->reading.recording;
	struct database b = {
		.session = pfx_recording_session(recording),
		.resolver = pfx_recording_resolver(recording),
		.no_chains = in->stream->no_chains,
		.redact = in->stream->redact,
		.with_switches = takes_all(in->stream),
	};
	struct pfx_error err = {0};
	int rc;

	check(&b, pfx_sqlite_open(&b.db, fd));
	add_tables(&b);
	add_first_rows(&b);
	rc = pfx_export_stream_read(in->stream, take_sample, take_record, &b, &err);
	add_clock(&b, &in->meta->env);
	finish_tables(&b);
	if (!rc)
		rc = write_samples(&b, fd);
	if (b.code)
		fail(&b, out);
	else if (rc)
		pfx_export_fail(out, rc, &err);
	database_fini(&b);
}

/* --- the file --- */

static void copy_file(struct pfx_export_output *out, int fd)
{
	char data[1 << 16];
	struct pfx_error none = {0};
	off_t at = 0;
	ssize_t nr;

	while ((nr = pread(fd, data, sizeof(data), at)) > 0) {
		pfx_str_addn(&out->text, data, (size_t)nr);
		at += nr;
		if (pfx_export_flush(out))
			return;
	}
	if (nr < 0)
		pfx_export_fail(out, -errno, &none);
}

void pfx_export_sqlite(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_error err = {0};
	int fd = pfx_export_file(out);
	FILE *copied;

	if (fd >= 0) {
		write_database(in, out, fd);
		return;
	}
	copied = tmpfile();
	if (!copied) {
		pfx_error_sys(&err, errno, "cannot make a temporary file");
		pfx_export_fail(out, -err.code, &err);
		return;
	}
	write_database(in, out, fileno(copied));
	if (!out->failure)
		copy_file(out, fileno(copied));
	fclose(copied);
}
