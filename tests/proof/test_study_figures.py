"""What the pages say about studies follows from the kept figures."""

from __future__ import annotations

from typing import Any

from pushpoint.proof.study_figures import billion_worlds, study_on_a_gpu, what_studies_withstand

MACHINE = {"machine": {"cores": 2, "processor": "Some Processor", "load_before": 0.5}}
KINDS = ("short", "sidewinding")
FOUND: dict[str, Any] = {
    "overhead": {"key_row_transport_ms": 0.036, "sidewinding": {"overhead_of_medians": 0.0123}} | MACHINE,
    "memory": {"by_rows": {"10000": {"largest_MB": 280.2}, "1000000": {"largest_MB": 281.7}}} | MACHINE,
    "speedup": {
        "worlds": 4000,
        "wall_s": {"1": [90.0, 100.0, 120.0], "2": [50.0, 52.0, 60.0]},
        "speedup_of_medians": 100.0 / 52.0,
        "cores_used_by_others": {"1": [-0.01, 0.0, 0.8], "2": [0.0, 0.01, 0.02]},
        "steady_worlds_per_s": {"1": [40.0, 50.0, 60.0], "2": [80.0, 90.0, 110.0]},
    }
    | MACHINE,
    "interrupted": {
        "worlds": 10_000,
        "sent_again_by_the_driver": 750,
        "measured_more_than_once": 0,
        "allowed": 1500,
        "a_second_driver_said": "STORE: another process works on this store",
        "tables_equal": True,
        "table_bytes_per_world": 61.0,
        "batch_bytes_per_world": 120.0,
    }
    | MACHINE,
    "kills": {
        "kills": 30,
        "worlds": 30_000,
        "finished_batches_lost": 0,
        "half_files_under_a_final_name": 0,
        "tables_equal": True,
    }
    | MACHINE,
}


def test_what_was_not_tried_yet_names_the_command() -> None:
    for write in (what_studies_withstand, billion_worlds):
        assert "make documents" in write({}) and "docs/results/studies.json" in write({})
        assert write({"studies": {"kills": FOUND["kills"]}}) == write({})


def test_kills_overhead_memory_and_speedup() -> None:
    made = what_studies_withstand({"studies": FOUND})
    for words in (
        "10,000 worlds over two workers; 750 that were on their way",
        "equal bit for bit",
        "30,000 worlds; 0 finished batches lost, 0 half files",
        "0.036 ms; a study of sidewinding worlds of 5 s takes 1.2 % longer",
        "280 MB for 10,000 rows, 282 MB for 1,000,000 rows",
        "1.92 times as fast: 52 s instead of 100 s for 4,000",
        "other programs used 0.01 cores in the median run, 0.80 at most",
        "2 cores (Some Processor)",
    ):
        assert words in made
    otherwise = FOUND | {"kills": FOUND["kills"] | {"tables_equal": False}}
    assert "**not equal**" in what_studies_withstand({"studies": otherwise})


def test_the_plan_multiplies_by_a_billion() -> None:
    made = billion_worlds({"studies": FOUND})
    # 1e9 worlds at 50 per second: 2e7 s of a core, 231 days, 5556 hours; on a thousand cores 5.6 hours.
    assert "| 50 worlds per second | 231 core-days; 1,000 cores need 5.6 hours |" in made
    assert "| 0.036 ms per world | 10 hours of one driver |" in made  # 3.6e4 s
    assert "61 GB" in made and "120 GB in 4 million files" in made
    assert "5,556 core-hours: 111 to 278 dollars" in made


def test_a_gpu_is_named_with_both_rates() -> None:
    rate = {"worlds": 100_000, "failed": 0, "wall_s": 100.0}
    kinds = {name: {"cuda:0": rate | {"worlds_per_s": 1000.0}, "cpu": rate | {"worlds_per_s": 40.0}} for name in KINDS}
    found = FOUND | {"gpu": {"gpu": "Some GPU", "host_cores": 8, "cores_used_by_others": 2} | kinds}
    made = what_studies_withstand({"studies": found})
    assert "1,000 worlds per second (40 on the processor) of 5 s sidewinding, on one Some GPU beside 8 cores" in made
    assert f"{1e9 / 1000.0 / 86_400:.0f} GPU-days" in billion_worlds({"studies": found})
    assert "GPU" not in what_studies_withstand({"studies": FOUND})


def test_the_page_about_gpus_has_the_hosts_work_and_all_rates() -> None:
    parts = {"packing": 0.06, "making worlds": 0.11, "table": 0.03}
    host = {kind: {"worlds": 4000, "ms_per_world": 0.2, "parts_ms": parts} for kind in ("planar", "spatial")}
    table = study_on_a_gpu({"studies": FOUND | {"host": host | MACHINE}})
    assert "| 0.20 ms | making worlds 0.11, packing 0.06, table 0.03 ms |" in table
    assert "4,000 worlds in one batch" in table and "No study was run on a GPU since" in table
    rates = {"worlds": 100_000, "worlds_per_s": 1000.0, "host_ms_per_world": 0.8, "physics_steps_per_s": 2.5e7}
    kind = {"on_device": rates, "one_core": {"worlds_per_s": 40.0}, "all_cores": {"worlds_per_s": 300.0}}
    there = {"device": "Some GPU", "cores": 8, "planar": kind, "spatial": kind}
    table = study_on_a_gpu({"studies": FOUND | {"on_a_gpu": there}})
    assert "| worlds | Some GPU | one core | 8 cores |" in table and "No study" not in table
    assert (
        "| 1,000 per second | 40 per second | 300 per second | 0.80 ms per world | 25 million steps per second |"
        in table
    )
