# SPDX-License-Identifier: MIT
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal

__version__: str

class Error(OSError):
    """A recording cannot be read, or a question cannot be answered."""

    hint: str
    code: int

class Frame:
    symbol: str | None
    dso: str | None
    file: str | None
    line: int
    ip: int
    address: int
    offset: int
    is_inlined: bool
    is_kernel: bool

class Sample:
    comm: str
    event: str
    frames: tuple[Frame, ...]
    stack: int
    level: str
    time: int
    pid: int
    tid: int
    cpu: int
    ip: int
    addr: int
    period: int
    weight: int
    data_src: int
    phys_addr: int
    cgroup: int
    fields: dict[str, int | str | bytes] | None
    raw: bytes | None
    branches: list[tuple[int, int, int, bool]] | None

    def __getattr__(self, name: str) -> int | str | bytes: ...

class Recording:
    header: dict[str, str]
    events: list[dict[str, Any]]
    threads: list[dict[str, Any]]
    losses: dict[str, int | bool]

    def samples(self) -> Iterator[Sample]: ...
    def binaries(self, *, with_samples: bool = False) -> list[tuple[str, str | None]]: ...
    def close(self) -> None: ...
    def __iter__(self) -> Iterator[Sample]: ...
    def __enter__(self) -> Recording: ...
    def __exit__(self, *exc: object) -> None: ...

class Row:
    name: str
    dso: str | None
    file: str | None
    line: int
    is_inlined: bool
    self: int
    total: int
    samples: int
    self_share: float
    total_share: float
    parent: int
    depth: int
    first_child: int
    nr_children: int
    x: int
    state: Literal["both", "new", "vanished", "renamed"]
    old_name: str | None
    old_self: int
    old_samples: int
    old_share: float

class Column:
    """Numbers; also a buffer: memoryview(column), numpy.asarray(column)."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Profile:
    events: list[str]
    nr_samples: int

    def table(
        self,
        by: Literal["function", "dso", "line", "process", "thread", "comm", "cpu"] = "function",
        *,
        order: Literal["self", "total", "samples", "name"] = "self",
        event: str | None = None,
        comm: str | None = None,
        process: str | None = None,
        thread: str | None = None,
        cpu: str | None = None,
        dso: str | None = None,
        function: str | None = None,
        focus: str | None = None,
        ignore: str | None = None,
        from_ns: int = 0,
        to_ns: int = 0,
        hide: str | None = None,
        show: str | None = None,
        show_from: str | None = None,
        named_only: bool = False,
    ) -> list[Row]: ...
    def tree(self, **query: Any) -> list[Row]: ...
    def flame(self, **query: Any) -> list[Row]: ...
    def timeline(
        self,
        by: Literal["function", "process", "thread", "comm", "cpu"] = "function",
        *,
        cells: int = 100,
        **query: Any,
    ) -> tuple[int, int, dict[str, list[int]]]: ...
    def diff(self, old: Profile, *, event: str | None = None) -> list[Row]: ...
    def column(
        self, name: Literal["time", "period", "count", "event", "pid", "tid", "cpu", "stack"]
    ) -> Column: ...
    def stack(self, number: int) -> tuple[str, ...]: ...

def open(
    path: str | os.PathLike[str],
    *,
    inlines: bool = True,
    lines: bool = False,
    symbols: bool = True,
    force: bool = False,
    strict: bool = False,
    max_stack: int = 127,
    from_ns: int = 0,
    to_ns: int = 0,
    comms: str | None = None,
    pids: str | None = None,
    tids: str | None = None,
    cpus: str | None = None,
    symfs: str | os.PathLike[str] | None = None,
    vmlinux: str | os.PathLike[str] | None = None,
    kallsyms: str | os.PathLike[str] | None = None,
    build_id_dir: str | os.PathLike[str] | None = None,
) -> Recording: ...
def load(
    path: str | os.PathLike[str],
    *,
    inlines: bool = True,
    lines: bool = False,
    symbols: bool = True,
    force: bool = False,
    strict: bool = False,
    max_stack: int = 127,
    from_ns: int = 0,
    to_ns: int = 0,
    comms: str | None = None,
    pids: str | None = None,
    tids: str | None = None,
    cpus: str | None = None,
    symfs: str | os.PathLike[str] | None = None,
    vmlinux: str | os.PathLike[str] | None = None,
    kallsyms: str | os.PathLike[str] | None = None,
    build_id_dir: str | os.PathLike[str] | None = None,
    times: bool = False,
    chains: bool = True,
) -> Profile: ...
def record(
    command: Sequence[str | os.PathLike[str]] | None = None,
    *,
    output: str | os.PathLike[str] = "perf.data",
    events: str | None = None,
    freq: int = 0,
    period: int = 0,
    call_graph: str | None = None,
    pids: str | None = None,
    tids: str | None = None,
    user: str | None = None,
    cpus: str | None = None,
    all_cpus: bool = False,
    no_inherit: bool = False,
    branches: bool = False,
    branch_filter: str | None = None,
    data_addresses: bool = False,
    compression: int = 0,
    max_size: int = 0,
    filter: str | None = None,
    cgroup: str | None = None,
    clock: int | None = None,
    buffer_bytes: int = 0,
    one_group: bool = False,
    all_user: bool = False,
    all_kernel: bool = False,
    physical_addresses: bool = False,
    weights: bool = False,
    transactions: bool = False,
    switches: bool = False,
    namespaces: bool = False,
    cgroups: bool = False,
    overwrite: bool = False,
    trace_bytes: int = 0,
    user_regs: str | None = None,
    intr_regs: str | None = None,
    user_callers: bool = False,
    kernel_callers: bool = False,
    data_mappings: bool = False,
    page_sizes: bool = False,
    thread_counts: bool = False,
    off_cpu: bool = False,
    off_cpu_ms: int = 0,
    per_thread: bool = False,
    strict_freq: bool = False,
    all_build_ids: bool = False,
    keep_binaries: bool = False,
    kcore: bool = False,
    switch_bytes: int = 0,
    switch_ms: int = 0,
    switch_events: str | None = None,
    switch_max_files: int = 0,
    no_samples: bool = False,
    raw: bool = False,
    data_sources: bool = False,
    running_times: bool = False,
    no_bpf: bool = False,
    no_running_tasks: bool = False,
    no_running_maps: bool = False,
    no_build_ids: bool = False,
    build_ids_in_mappings: bool = False,
    stop_when_full: bool = False,
    flush_bytes: int = 0,
    priority: int = 0,
    trace_in_sample: int = 0,
    trace_snapshot: int = 0,
    trace_snapshots: bool = False,
    trace_at_end: bool = False,
    pfm_events: str | None = None,
    exclude_recorder: bool = False,
    sample_identifiers: bool = False,
    sample_cpus: bool = False,
    sample_periods: bool = False,
    no_periods: bool = False,
    no_times: bool = False,
    max_freq: bool = False,
    latency: bool = False,
    delay: str | None = None,
    threads: str | None = None,
    affinity: str | None = None,
    write_shares: int = 0,
    no_buffering: bool = False,
    running_tasks_last: bool = False,
    running_threads: int = 0,
    running_map_ms: int = 0,
    no_running_cgroups: bool = False,
    debuginfod: str | None = None,
) -> dict[str, int]: ...
