"""What studies cost and withstand, as Markdown for the documents: from what benchmarks/studies.py kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import paragraphs, short

Results = Mapping[str, Mapping[str, Any]]
MISSING = (
    "Not tried yet: `python -m benchmarks.studies NAME --keep docs/results/studies.json`, then `make documents`; the "
    "names are overhead, memory, speedup, interrupted and kills."
)
PARTS = ("overhead", "memory", "speedup", "interrupted", "kills")
BILLION = 1e9
CORES = 1000
DOLLARS = (0.02, 0.05)
"""What a core costs in an hour [dollars], an estimate."""
HOUR, DAY = 3600.0, 86_400.0


def _ready(results: Results) -> bool:
    return "studies" in results and all(name in results["studies"] for name in PARTS)


def what_studies_withstand(results: Results) -> str:
    """Kills, overhead, memory and speed-up as a table."""
    if not _ready(results):
        return MISSING
    found = results["studies"]
    rows = [
        ["driver killed at a third, a worker at two thirds", _interrupted(found["interrupted"])],
        ["a second driver on the store meanwhile", f'"{found["interrupted"]["a_second_driver_said"]}"'],
        [f"{found['kills']['kills']} kills at random moments", _killed(found["kills"])],
        ["key, row and transport of a world", _overhead(found["overhead"])],
        ["memory of the driver", _memory(found["memory"])],
        ["two workers beside one", _speedup(found["speedup"])],
        *([["a GPU", _on_gpu(found["gpu"])]] if "gpu" in found else []),
    ]
    machine = found["interrupted"]["machine"]
    loads = ", ".join(f"{name} {found[name]['machine']['load_before']:g}" for name in PARTS)
    how = (
        f"*`python -m benchmarks.studies` on {machine['cores']} cores ({machine['processor']}) of a machine that was "
        f"not idle; its load before each: {loads}.*"
    )
    return paragraphs(markdown_table(("tried", "found"), rows), how)


def _interrupted(one: Mapping[str, Any]) -> str:
    tables = "equal bit for bit" if one["tables_equal"] else "**not equal**"
    return (
        f"{one['worlds']:,} worlds over two workers; {one['sent_again_by_the_driver']:,} that were on their way at the "
        f"kill were sent out again ({one['allowed']:,} allowed), {one['measured_more_than_once']:,} were measured "
        f"twice; the table and that of an uninterrupted run are {tables}"
    )


def _killed(one: Mapping[str, Any]) -> str:
    tables = "equal bit for bit" if one["tables_equal"] else "**not equal**"
    return (
        f"{one['worlds']:,} worlds; {one['finished_batches_lost']} finished batches lost, "
        f"{one['half_files_under_a_final_name']} half files under a final name, tables {tables}"
    )


def _overhead(one: Mapping[str, Any]) -> str:
    share = 100.0 * one["sidewinding"]["overhead_of_medians"]
    return (
        f"{one['key_row_transport_ms']:.2g} ms; a study of sidewinding worlds of 5 s takes {share:.1f} % longer than "
        f"plain calls of `pp.simulate` with the same measure"
    )


def _memory(one: Mapping[str, Any]) -> str:
    sizes = [f"{each['largest_MB']:.0f} MB for {int(rows):,} rows" for rows, each in one["by_rows"].items()]
    return ", ".join(sizes)


def _speedup(one: Mapping[str, Any]) -> str:
    walls = {int(workers): median(times) for workers, times in one["wall_s"].items()}
    others = [cores for runs in one["cores_used_by_others"].values() for cores in runs]
    busy = f"; other programs used {max(0.0, median(others)):.2f} cores in the median run, {max(others):.2f} at most"
    return (
        f"{one['speedup_of_medians']:.2f} times as fast: {walls[2]:.0f} s instead of {walls[1]:.0f} s for "
        f"{one['worlds']:,} sidewinding worlds, start and end included; medians of {len(one['wall_s']['1'])}, by turns"
        f"{busy}"
    )


def _on_gpu(one: Mapping[str, Any]) -> str:
    def rates(name: str) -> str:
        there, here = one[name]["cuda:0"], one[name]["cpu"]
        return f"{there['worlds_per_s']:,.0f} worlds per second ({here['worlds_per_s']:,.0f} on the processor)"

    count, cores = one["short"]["cuda:0"]["worlds"], one["host_cores"]
    return (
        f"{count:,} worlds each in one process, table included: {rates('short')} of 2 s in the plane, "
        f"{rates('sidewinding')} of 5 s sidewinding, on one {one['gpu']} beside {cores} cores, of which other programs "
        f"used {one['cores_used_by_others']}; one core described, packed and measured the worlds, which took most of "
        f"the time. [That work has become less](run-on-a-gpu.md#a-study) since; the rates were not measured again"
    )


NOT_ON_A_GPU = (
    "No study was run on a GPU since this work became less; the rates "
    "[before](run-a-study.md#what-the-store-promises) were limited by it. `python -m benchmarks.gpu_studies --keep "
    "docs/results/studies.json` measures 100,000 worlds of both kinds on a GPU, on one core and on all."
)
LEAST_TOLD = 0.005
"""Parts of the host's work that are named [ms]."""
KINDS = {"planar": "2 s of undulation in the plane", "spatial": "5 s of sidewinding in space"}
"""The studies that benchmarks/gpu_studies.py runs."""


def study_on_a_gpu(results: Results) -> str:
    """What the host does for each world, and how fast the same studies are on a GPU, on a core and on all cores."""
    found = results.get("studies", {})
    host, there = found.get("host"), found.get("on_a_gpu")
    return paragraphs(*([_host(host)] if host else []), _rates(there) if there else NOT_ON_A_GPU)


def _host(one: Mapping[str, Any]) -> str:
    rows = []
    for kind, words in KINDS.items():
        parts = sorted(one[kind]["parts_ms"].items(), key=lambda each: -each[1])
        told = ", ".join(f"{part} {ms:.2f}" for part, ms in parts if ms >= LEAST_TOLD)
        rows.append([words, f"{one[kind]['ms_per_world']:.2f} ms", f"{told} ms"])
    machine, count = one["machine"], one["planar"]["worlds"]
    how = (
        f"*`python -m benchmarks.studies host`: processor time for each of {count:,} worlds in one batch, without the "
        f"physics, on one core ({machine['processor']}).*"
    )
    return paragraphs(markdown_table(("worlds", "on the host, each", "of which"), rows), how)


def _rates(one: Mapping[str, Any]) -> str:
    head = ("worlds", one["device"], "one core", f"{one['cores']} cores", "on the host", "physics alone")
    rows = []
    for kind, words in KINDS.items():
        there, alone, every = (one[kind][name] for name in ("on_device", "one_core", "all_cores"))
        rates = [f"{each['worlds_per_s']:,.0f} per second" for each in (there, alone, every)]
        host = f"{there['host_ms_per_world']:.2f} ms per world"
        steps = f"{there['physics_steps_per_s'] / 1e6:.0f} million steps per second"
        rows.append([f"{there['worlds']:,}, {words}", *rates, host, steps])
    return paragraphs(markdown_table(head, rows), "*`python -m benchmarks.gpu_studies`, tables included.*")


def billion_worlds(results: Results) -> str:
    """A plan on paper for a billion sidewinding worlds."""
    if not _ready(results):
        return MISSING
    found = results["studies"]
    rate = median(found["speedup"]["steady_worlds_per_s"]["1"])
    cost, taken = found["overhead"]["key_row_transport_ms"], found["interrupted"]
    memory = max(each["largest_MB"] for each in found["memory"]["by_rows"].values())
    work = BILLION / rate
    rows = [
        [
            "sidewinding of 5 s, one core",
            f"{short(rate)} worlds per second",
            f"{work / DAY:.0f} core-days; {CORES:,} cores need {work / CORES / HOUR:.1f} hours",
        ],
        *([_by_gpu(found["gpu"])] if "gpu" in found else []),
        [
            "key, row and transport, on the driver",
            f"{cost:.2g} ms per world",
            f"{BILLION * cost / 1e3 / HOUR:.0f} hours of one driver",
        ],
        [
            "memory of the driver, rows made",
            f"{memory:.0f} MB for a million rows",
            f"{memory:.0f} MB, and 32 bytes for each finished world when it goes on",
        ],
        [
            "table, Parquet with one measure",
            f"{taken['table_bytes_per_world']:.0f} bytes per world",
            f"{taken['table_bytes_per_world']:.0f} GB",
        ],
        [
            "batches in the store, uncompressed",
            f"{taken['batch_bytes_per_world']:.0f} bytes per world",
            f"{taken['batch_bytes_per_world']:.0f} GB in 4 million files of 250 worlds",
        ],
        ["Dask, per batch", "3 to 6 ms, an estimate", "with 5,000 worlds in a batch 200,000 tasks, 20 minutes"],
        ["price of the cores, an estimate", "2 to 5 cents per core-hour", _price(work / HOUR)],
    ]
    return markdown_table(("what", "measured", "for 10⁹ worlds"), rows)


def _price(hours: float) -> str:
    low, high = (each * hours for each in DOLLARS)
    return f"{hours:,.0f} core-hours: {low:,.0f} to {high:,.0f} dollars"


IN_RUN_A_STUDY: Mapping[str, Callable[[Results], str]] = {"what studies withstand": what_studies_withstand}
"""Blocks of docs/how-to/run-a-study.md by their names."""


def _by_gpu(one: Mapping[str, Any]) -> list[str]:
    rate = one["sidewinding"]["cuda:0"]["worlds_per_s"]
    return [f"the same, one {one['gpu']}", f"{rate:,.0f} worlds per second", f"{BILLION / rate / DAY:.0f} GPU-days"]


IN_RUN_ON_A_GPU: Mapping[str, Callable[[Results], str]] = {"a study on a GPU": study_on_a_gpu}
"""Blocks of docs/how-to/run-on-a-gpu.md by their names."""
IN_USE_A_CLUSTER: Mapping[str, Callable[[Results], str]] = {"a billion worlds": billion_worlds}
"""Blocks of docs/how-to/use-a-cluster.md by their names."""
