"""The tables of unfairness: from the stores that audits write, statistics by hand, and folders without any."""

from __future__ import annotations

import json

import numpy as np

from consortium.experiments.unfairness_tables import CLAIMS, PUBLISHED, main, read_store, tables, verdict

LABELS = {label for claim in CLAIMS for label in claim}


def store(folder, name, unfairness):
    """A store as ``consortium audit --store`` writes it: a line about the audit, then a line per window, any order."""
    lines = [{"audit": name}]
    for index in reversed(range(len(unfairness))):
        rules = [{"label": label, "unfairness": unfairness[index].get(label, "1")} for label in sorted(LABELS)]
        lines.append({"index": index, "rules": rules})
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_tables_of_a_folder(tmp_path) -> None:
    store(tmp_path, "lpc-70-zipf-50000", [{"rand": "1/2"}, {"rand": "3/2"}, {"rand": "1"}])
    store(tmp_path, "lpc-70-equal-50000", [{"round-robin": "1500"}, {"round-robin": "2500"}])
    unfairness, orderings = tables(tmp_path)
    assert unfairness.columns == ("rule", "published", "lpc-70-zipf-50000", "lpc-70-equal-50000")
    rows = {row[0]: row[1:] for row in unfairness.rows}
    assert rows["rand"] == ("8 ± 21", f"1 ± {np.std([0.5, 1, 1.5]):.3g}", "1 ± 0")
    assert rows["round-robin"] == ("238 ± 353", "1 ± 0", "2,000 ± 500")
    assert rows["fifo"] == ("-", "-", "-")  # not among the rules of these audits
    assert {row[0]: row[1:] for row in orderings.rows}["fair-share < round-robin"] == ("open", "yes")


def test_verdicts_by_the_paired_difference() -> None:
    a = np.array([1.0, 5.0, 9.0])
    about_one = np.array([0.9, 1.0, 1.1])
    assert verdict(a, a + about_one) == "yes"
    assert verdict(a + about_one, a) == "no"
    assert verdict(a, a + np.array([1.0, -1.0, 0.5])) == "open"
    assert verdict(a[:1], a[:1] + 1) == "open"


def test_published_figures() -> None:
    assert PUBLISHED["ricc", "500000"]["current-fair-share"] == (5387, 9083)


def test_the_command(tmp_path, capsys) -> None:
    store(tmp_path, "ricc-zipf-500000", [{}, {}])
    assert main([str(tmp_path)]) == 0
    assert "ricc, 500000 s" in capsys.readouterr().out
    (tmp_path / "lpc-x-50000.jsonl").write_text("{}\n{}")
    assert main([str(tmp_path)]) == 2
    assert "lpc-x-50000.jsonl: not the store of an audit (KeyError('index'))" in capsys.readouterr().err
    assert main([str(tmp_path / "none")]) == 2
    assert "found no stores; expected files such as lpc-70-zipf-50000.jsonl" in capsys.readouterr().err


def test_a_store_is_read_in_the_order_of_its_windows(tmp_path) -> None:
    """Rules are compared window by window, and audits finish windows in any order."""
    store(tmp_path, "any", [{"rand": "1/2"}, {"rand": "3/2"}, {"rand": "4"}])
    assert read_store(tmp_path / "any.jsonl")["rand"].tolist() == [0.5, 1.5, 4.0]
