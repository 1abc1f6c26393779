/* SPDX-License-Identifier: MIT */
/* Tables and views of pfx export sqlite. Names and columns are those of the databases that perf's
 * export-to-sqlite.py makes, so that its viewer and people's queries work. */
#ifndef PFX_EXPORT_SQLITE_SCHEMA_INTERNAL_H
#define PFX_EXPORT_SQLITE_SCHEMA_INTERNAL_H

/* name, number of columns, columns. Row 0 of each table stands for what is unknown. */
#define PFX_SQLITE_TABLES(TABLE)                                                                   \
	TABLE(selected_events, 2, "id integer NOT NULL PRIMARY KEY, name varchar(80)")             \
	TABLE(machines, 3, "id integer NOT NULL PRIMARY KEY, pid integer, root_dir varchar(4096)") \
	TABLE(threads, 5,                                                                          \
	      "id integer NOT NULL PRIMARY KEY, machine_id bigint, process_id bigint, "            \
	      "pid integer, tid integer")                                                          \
	TABLE(comms, 6,                                                                            \
	      "id integer NOT NULL PRIMARY KEY, comm varchar(16), c_thread_id bigint, "            \
	      "c_time bigint, exec_flag boolean, has_calls boolean")                               \
	TABLE(comm_threads, 3,                                                                     \
	      "id integer NOT NULL PRIMARY KEY, comm_id bigint, thread_id bigint")                 \
	TABLE(dsos, 5,                                                                             \
	      "id integer NOT NULL PRIMARY KEY, machine_id bigint, short_name varchar(256), "      \
	      "long_name varchar(4096), build_id varchar(64)")                                     \
	TABLE(symbols, 6,                                                                          \
	      "id integer NOT NULL PRIMARY KEY, dso_id bigint, sym_start bigint, "                 \
	      "sym_end bigint, binding integer, name varchar(2048)")                               \
	TABLE(branch_types, 2, "id integer NOT NULL PRIMARY KEY, name varchar(80)")                \
	TABLE(samples, 25,                                                                         \
	      "id integer NOT NULL PRIMARY KEY, evsel_id bigint, machine_id bigint, "              \
	      "thread_id bigint, comm_id bigint, dso_id bigint, symbol_id bigint, "                \
	      "sym_offset bigint, ip bigint, time bigint, cpu integer, to_dso_id bigint, "         \
	      "to_symbol_id bigint, to_sym_offset bigint, to_ip bigint, period bigint, "           \
	      "weight bigint, transaction_ bigint, data_src bigint, branch_type integer, "         \
	      "in_tx boolean, call_path_id bigint, insn_count bigint, cyc_count bigint, "          \
	      "flags integer")                                                                     \
	TABLE(call_paths, 4,                                                                       \
	      "id integer NOT NULL PRIMARY KEY, parent_id bigint, symbol_id bigint, ip bigint")    \
	TABLE(calls, 14,                                                                           \
	      "id integer NOT NULL PRIMARY KEY, thread_id bigint, comm_id bigint, "                \
	      "call_path_id bigint, call_time bigint, return_time bigint, branch_count bigint, "   \
	      "call_id bigint, return_id bigint, parent_call_path_id bigint, flags integer, "      \
	      "parent_id bigint, insn_count bigint, cyc_count bigint")                             \
	TABLE(context_switches, 9,                                                                 \
	      "id integer NOT NULL PRIMARY KEY, machine_id bigint, time bigint, cpu integer, "     \
	      "thread_out_id bigint, comm_out_id bigint, thread_in_id bigint, "                    \
	      "comm_in_id bigint, flags integer")

#define PFX_SQLITE_VIEWS                                                                          \
	"CREATE VIEW machines_view AS SELECT *, iif(id = 0, 'unknown', "                          \
	"iif(pid = -1, 'host', 'guest')) AS host_or_guest FROM machines;"                         \
	"CREATE VIEW dsos_view AS SELECT d.id, d.machine_id, m.host_or_guest, d.short_name, "     \
	"d.long_name, d.build_id FROM dsos d LEFT JOIN machines_view m ON m.id = d.machine_id;"   \
	"CREATE VIEW symbols_view AS SELECT s.id, s.name, d.short_name AS dso, s.dso_id, "        \
	"s.sym_start, s.sym_end, CASE s.binding WHEN 0 THEN 'local' WHEN 1 THEN 'global' "        \
	"ELSE 'weak' END AS binding FROM symbols s LEFT JOIN dsos d ON d.id = s.dso_id;"          \
	"CREATE VIEW threads_view AS SELECT t.id, t.machine_id, m.host_or_guest, t.process_id, "  \
	"t.pid, t.tid FROM threads t LEFT JOIN machines_view m ON m.id = t.machine_id;"           \
	"CREATE VIEW comm_threads_view AS SELECT c.comm_id, n.comm AS command, c.thread_id, "     \
	"t.pid, t.tid FROM comm_threads c LEFT JOIN comms n ON n.id = c.comm_id "                 \
	"LEFT JOIN threads t ON t.id = c.thread_id;"                                              \
	"CREATE VIEW call_paths_view AS SELECT c.id, printf('%x', c.ip) AS ip, c.symbol_id, "     \
	"s.name AS symbol, s.dso_id AS dso_id, s.dso AS dso_short_name, c.parent_id, "            \
	"printf('%x', p.ip) AS parent_ip, p.symbol_id AS parent_symbol_id, "                      \
	"q.name AS parent_symbol, q.dso_id AS parent_dso_id, q.dso AS parent_dso_short_name "     \
	"FROM call_paths c JOIN call_paths p ON p.id = c.parent_id "                              \
	"LEFT JOIN symbols_view s ON s.id = c.symbol_id "                                         \
	"LEFT JOIN symbols_view q ON q.id = p.symbol_id;"                                         \
	"CREATE VIEW samples_view AS SELECT s.id, s.time, s.cpu, t.pid, t.tid, "                  \
	"c.comm AS command, e.name AS event, printf('%x', s.ip) AS ip_hex, y.name AS symbol, "    \
	"s.sym_offset, d.short_name AS dso_short_name, printf('%x', s.to_ip) AS to_ip_hex, "      \
	"z.name AS to_symbol, s.to_sym_offset, f.short_name AS to_dso_short_name, "               \
	"b.name AS branch_type_name, s.in_tx, s.insn_count, s.cyc_count, "                        \
	"iif(s.cyc_count = 0, 0.0, round(1.0 * s.insn_count / s.cyc_count, 2)) AS IPC, "          \
	"s.flags FROM samples s LEFT JOIN threads t ON t.id = s.thread_id "                       \
	"LEFT JOIN comms c ON c.id = s.comm_id LEFT JOIN selected_events e ON e.id = s.evsel_id " \
	"LEFT JOIN symbols y ON y.id = s.symbol_id LEFT JOIN dsos d ON d.id = s.dso_id "          \
	"LEFT JOIN symbols z ON z.id = s.to_symbol_id LEFT JOIN dsos f ON f.id = s.to_dso_id "    \
	"LEFT JOIN branch_types b ON b.id = s.branch_type;"                                       \
	"CREATE VIEW calls_view AS SELECT c.id, c.thread_id, t.pid, t.tid, n.comm AS command, "   \
	"c.call_path_id, printf('%x', p.ip) AS ip, p.symbol_id, y.name AS symbol, c.call_time, "  \
	"c.return_time, c.return_time - c.call_time AS elapsed_time, c.branch_count, "            \
	"c.insn_count, c.cyc_count, "                                                             \
	"iif(c.cyc_count = 0, 0.0, round(1.0 * c.insn_count / c.cyc_count, 2)) AS IPC, "          \
	"c.call_id, c.return_id, c.flags, c.parent_call_path_id, c.parent_id FROM calls c "       \
	"JOIN call_paths p ON p.id = c.call_path_id LEFT JOIN threads t ON t.id = c.thread_id "   \
	"LEFT JOIN comms n ON n.id = c.comm_id LEFT JOIN symbols y ON y.id = p.symbol_id;"        \
	"CREATE VIEW context_switches_view AS SELECT s.id, s.machine_id, s.time, s.cpu, "         \
	"a.pid AS pid_out, a.tid AS tid_out, c.comm AS comm_out, b.pid AS pid_in, "               \
	"b.tid AS tid_in, d.comm AS comm_in, CASE s.flags WHEN 0 THEN 'in' WHEN 1 THEN 'out' "    \
	"WHEN 3 THEN 'out preempt' ELSE s.flags END AS flags FROM context_switches s "            \
	"JOIN threads a ON a.id = s.thread_out_id JOIN threads b ON b.id = s.thread_in_id "       \
	"JOIN comms c ON c.id = s.comm_out_id JOIN comms d ON d.id = s.comm_in_id;"

/* A moment by the clock of the recording and by the wall clock (ns since 1970), where both are
 * known. perf has no such table. */
#define PFX_SQLITE_CLOCK "CREATE TABLE wall_clock (time bigint, wall_time bigint)"

/* After the rows. */
#define PFX_SQLITE_INDEXES                                       \
	"CREATE INDEX pcpid_idx ON calls (parent_call_path_id);" \
	"CREATE INDEX pid_idx ON calls (parent_id);"

#endif
