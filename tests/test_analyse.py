"""The analysis of sizes: attribution, growth, savings, limits, comparison, and its report."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import symkin
from symkin.analysis import Analysis, Function, Growth, analyse, usual
from symkin.analysis.attribution import WHOLE, by_output, by_place, links
from symkin.analysis.changes import KINDS
from symkin.analysis.savings import TOLERABLE, savings
from symkin.analysis.stages import stages
from symkin.cli import app
from symkin.errors import ArgumentError, ReportError
from symkin.graph import Graph, Node, Output, count
from symkin.graph.cones import demand, dependence
from symkin.graph.size import code_size, compile_seconds, features
from symkin.model.generated import random_chain
from symkin.plan import plan
from symkin.quantities import Port
from symkin.report import Report, describe_analysis, to_html
from symkin.report.pictures import Bars, Curves, Sparsity, svg

CASE = Path(__file__).parent / "cases" / "U54_rounded_half_pi" / "robot.urdf"
QUICK = ("--sizes", "none", "--no-savings")


@pytest.fixture(scope="module")
def planar() -> Analysis:
    return analyse(symkin.load("planar_2r"), ["inverse_dynamics", "mass_matrix"], sizes=(2, 3))


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["analyse", *words])


def shared_graph() -> Graph:
    """y = (x0 + x1, (x0 + x1) x2)."""
    nodes = (
        *(Node("input", (0, k)) for k in range(3)),
        Node("add", (0, 1)),
        Node("mul", (3, 2)),
    )
    return Graph("f", (Port("x", (3,), "", ""),), (Output(Port("y", (2,), "", ""), (3, 4)),), nodes)


def test_cones_are_the_sets_that_reach_a_node_and_are_reached() -> None:
    graph = shared_graph()
    assert dependence(graph, [[1, 2, 4]]) == [1, 2, 4, 3, 7]
    assert demand(graph, [[1, 2]]) == [3, 3, 2, 3, 2]


def test_an_output_needs_what_it_shares_too() -> None:
    first, second = by_output(shared_graph())
    assert (first.place, first.operations, first.needed) == ("y[0]", 0, 1)
    assert (second.place, second.operations, second.needed) == ("y[1]", 1, 2)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "forward_dynamics"])
def test_every_operation_has_one_link_and_one_stage(quantity: str) -> None:
    known = plan(symkin.load("tree12"), quantity)
    total = count(known.graph).operations
    for places in (links(known.graph, known.instances), stages(known.graph, known.instances)):
        assert sum(share.operations for share in by_place(known.graph, places)) == total


def test_stages_are_functions_of_the_algorithm_that_exist() -> None:
    known = plan(symkin.load("ur5"), "inverse_dynamics")
    found = {share.place for share in by_place(known.graph, stages(known.graph, known.instances))}
    assert {"rnea.outward", "rnea.inertial_wrench"} <= found
    for stage in found:
        module, _, name = stage.partition(".")
        thing: Any = sys.modules[f"symkin.algorithms.{module}"]
        for part in name.split("."):
            thing = getattr(thing, part)


def test_branches_are_told_apart() -> None:
    """Of a tree's inverse dynamics each link has its own; the arms' do not mix."""
    robot = symkin.load("tree12")
    known = plan(robot, "inverse_dynamics")
    places = links(known.graph, known.instances)
    assert {"left_forearm", "right_forearm", "head", "torso"} <= set(places)
    left = [k for k, link in enumerate(robot.link_names) if link.startswith("left_")]
    own = {robot.link_names[k] for k in left}
    velocities = [[0] * port.size for port in known.graph.inputs]
    for entry, name in enumerate(robot.velocity_names):
        velocities[1][entry] = int(name.startswith("right_"))
    reached = dependence(known.graph, velocities)
    assert not any(r for r, place in zip(reached, places, strict=True) if place in own)


def test_what_solving_mixes_is_everyones() -> None:
    known = plan(symkin.load("tree12"), "forward_dynamics")
    shares = by_place(known.graph, links(known.graph, known.instances))
    assert WHOLE in {share.place for share in shares}


def test_growth_finds_the_exponent() -> None:
    cubic = Growth("f", "chain", (2, 4, 8), (8, 64, 512))
    assert math.isclose(cubic.exponent, 3.0)
    assert math.isnan(Growth("f", "chain", (2, 4), (0, 1)).exponent)


def test_inverse_dynamics_grow_linearly_and_derivatives_faster() -> None:
    names = ["inverse_dynamics", "inverse_dynamics_dq"]
    found = analyse(symkin.load("planar_2r"), names, sizes=(4, 6), try_savings=False).growth
    linear, quadratic = (g.exponent for g in found if g.family == "chain")
    assert 0.9 < linear < 1.5 < quadratic < 2.5
    assert {growth.family for growth in found} == {"chain", "tree"}


def test_rounded_right_angles_are_found_out() -> None:
    """The case's file writes 1.5708: what it costs is what the tolerance saves."""
    rounded = symkin.load(CASE)
    known = [plan(rounded, "inverse_dynamics")]
    best = savings(known)[0]
    assert re.match(r"Snapping \d+ frames and axes within 1e-05 rad", str(best))
    exact = count(plan(symkin.load(CASE, snap=1e-5), "inverse_dynamics").graph).operations
    assert best.before == count(known[0].graph).operations
    assert best.after == pytest.approx(exact, rel=0.05)
    assert 0.0 < best.effect < 1e-3


def test_sharing_is_a_saving_that_changes_nothing() -> None:
    robot = symkin.load("planar_2r")
    found = savings([plan(robot, "mass_matrix"), plan(robot, "inverse_dynamics")])
    (shared,) = (s for s in found if "as one function" in s.change)
    assert shared.effect == 0.0
    assert str(shared).startswith("Computing mass_matrix and inverse_dynamics as one function")
    assert str(shared).endswith("and changes no value")


def test_no_saving_that_is_told_changes_much() -> None:
    robot = symkin.load("fr3")
    found = savings([plan(robot, "inverse_dynamics"), plan(robot, "mass_matrix")])
    assert found
    assert all(0.0 <= saving.effect <= 2 * TOLERABLE for saving in found)
    assert all(saving.after < saving.before for saving in found)
    assert [s.part for s in found] == sorted((s.part for s in found), reverse=True)


def test_no_change_is_tried_that_leaves_a_function_undefined() -> None:
    """Without its light last link a SCARA's flange turns no inertia."""
    scara = [plan(symkin.load("scara"), q) for q in ("forward_dynamics", "center_of_mass")]
    assert all(saving.effect <= TOLERABLE for saving in savings(scara))
    still = symkin.load("<robot name='r'><link name='a'/></robot>")
    assert savings([plan(still, "mass_matrix")]) == ()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.change.__name__)
def test_a_change_counts_what_it_makes_exact(kind: Any) -> None:
    robot = symkin.load(CASE) if kind.change.__name__ == "angles" else random_chain(3)
    same, none = kind.change(robot, 1e-12)
    assert (none, same.digest) == (0, robot.digest)
    tolerance = 0.1 if kind.change.__name__ != "bodies" else 0.4
    changed, number = kind.change(robot, tolerance)
    assert number > 0
    assert changed.digest != robot.digest
    assert changed.joint_names == robot.joint_names
    assert str(number) in kind.words(number, tolerance)


def test_sizes_are_those_that_compilers_make(tmp_path: Path) -> None:
    """The models' own errors, a third beyond which something is wrong with them."""
    sizes = []
    for quantity in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
        graph = plan(symkin.load("ur5"), quantity).graph
        module = symkin.emit_c(graph, name="sized")
        library = symkin.build(module, cache=tmp_path / quantity)
        sizes.append((code_size(graph), function_size(library.path, "sized_" + quantity)))
    for predicted, found in sizes:
        if found is not None:
            assert predicted == pytest.approx(found, rel=0.35)


def function_size(path: Path, symbol: str) -> int | None:
    """The bytes of a function in a shared library, where there is an nm for it."""
    import shutil
    import subprocess

    if sys.platform != "linux" or shutil.which("nm") is None:
        return None
    listed = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in listed.splitlines()]
    return next(int(line[1], 16) for line in lines if line[-1] == symbol)


def test_more_operations_take_more_code_and_time() -> None:
    robot = symkin.load("ur5")
    small, large = (plan(robot, q).graph for q in ("mass_matrix", "inverse_dynamics"))
    for target in ("x86-64", "cortex-m4"):
        assert 0.0 < code_size(small, target) < code_size(large, target)
    assert 0.0 < compile_seconds(small) < compile_seconds(large)
    assert features(small).zeros + features(small).stores == 36


def test_the_usual_functions_are_those_that_a_robot_has() -> None:
    assert "forward_dynamics" in usual(symkin.load("ur5"))
    text = (
        "<robot name='y'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/></joint></robot>"
    )
    assert "forward_dynamics" not in usual(symkin.load(text))
    assert "pose_and_jacobian" in usual(symkin.load(text))


def test_ways_hold_every_pass(planar: Analysis) -> None:
    for function in planar.functions:
        for way in function.ways:
            names = [name for name, _ in way.passes]
            assert names == list(function.plan.passes)
            assert way.passes[-1][1].operations <= way.traced.operations


def test_the_report_holds_all_of_it(planar: Analysis) -> None:
    report = describe_analysis(planar, against={"mass_matrix": 5, "other": 3})
    content = json.loads(report.to_json())
    for table in (
        "functions",
        "ways",
        "passes",
        "links",
        "stages",
        "outputs",
        "growth",
        "sparsity",
    ):
        assert content[table], table
    assert content["comparison"][0]["difference"] == planar.operations["mass_matrix"] - 5
    assert [row["name"] for row in content["comparison"]] == ["mass_matrix"]
    assert content["sparsity"][1]["pattern"] == ["11", "11"]
    assert "mass_matrix: M\n■■\n■■" in report.to_text()
    assert sum(row["percent"] for row in content["links"]) == pytest.approx(200.0)
    kinds = {type(picture) for picture in report.pictures}
    assert kinds == {Sparsity, Curves, Bars}


def test_a_page_shows_tables_and_pictures_and_takes_nothing_for_markup(planar: Analysis) -> None:
    pytest.importorskip("matplotlib")
    page = to_html(describe_analysis(planar, limits={"mass_matrix": 1}))
    assert page.count("<svg") == len(describe_analysis(planar).pictures)
    assert '<td class="fail">FAIL</td>' in page
    assert "<script" not in to_html(Report("<script>", {"a": "<script>"}))
    assert page == to_html(describe_analysis(planar, limits={"mass_matrix": 1}))


def test_pictures_need_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ReportError, match=r"pip install \"symkin\[report\]\""):
        svg(Bars("", "", {"a": 1.0}))


def test_growing_functions_fail_and_are_named(tmp_path: Path) -> None:
    words = ["planar_2r", "-q", "bias", *QUICK, "--max-operations", "inverse_dynamics=1"]
    result = run(*words, "--json")
    assert result.exit_code == 1
    assert re.search(r"inverse_dynamics has \d+ operations, more than 1", result.stderr)
    content = json.loads(result.stdout)
    assert content["passed"] is False
    assert [row["name"] for row in content["limits"]] == ["inverse_dynamics"]
    assert {row["name"] for row in content["functions"]} == {"bias", "inverse_dynamics"}
    assert run(*words[:-1], "inverse_dynamics=10000").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-operations", "bias"), "--max-operations bias: write FUNCTION=NUMBER"),
        (("--max-operations", "nothing=3"), "no function nothing was analysed: bias"),
        (("--sizes", "4,many"), "--sizes 4,many: write numbers"),
        (("--sizes", "4"), "growth needs two numbers of joints or more, not [4]"),
        (("--against", "no_robot"), "'no_robot' is neither a file"),
    ],
)
def test_wrong_questions_are_refused(words: tuple[str, ...], said: str) -> None:
    result = run("planar_2r", "-q", "bias", "--no-savings", "--sizes", "none", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_analysis_is_written_and_compared_with_later(tmp_path: Path) -> None:
    words = ["planar_2r", "-q", "bias", *QUICK]
    assert run(*words, "-o", str(tmp_path)).exit_code == 0
    written = {path.name for path in tmp_path.iterdir()}
    assert {"analysis.json", "analysis.md"} <= written
    earlier = tmp_path / "analysis.json"
    content = json.loads(run(*words, "--against", str(earlier), "--json").stdout)
    assert content["comparison"][0]["difference"] == 0
    content = json.loads(run(*words, "--against", "ur5", "--json").stdout)
    assert content["comparison"][0]["difference"] < 0


def test_without_matplotlib_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("planar_2r", "-q", "bias", *QUICK, "-o", str(tmp_path))
    assert result.exit_code == 0
    assert "analysis.html is not written" in result.stderr
    assert {p.name for p in tmp_path.iterdir()} == {"analysis.json", "analysis.md"}


def test_nothing_to_analyse_is_refused() -> None:
    with pytest.raises(ArgumentError, match="there is nothing to analyse"):
        analyse(symkin.load("planar_2r"), [])


def test_a_floating_robot_is_analysed() -> None:
    found = analyse(symkin.load("planar_2r", base="floating"), ["mass_matrix"], sizes=())
    (function,) = found.functions
    assert isinstance(function, Function)
    assert sum(share.operations for share in function.by_link) == function.operations
    assert np.isfinite(function.code_bytes)
