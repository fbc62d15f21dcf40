from __future__ import annotations

import itertools
import math
import platform
import re
import shutil
import struct
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import jinja2
import numpy as np
import pytest
from hand_graphs import (
    JOINTS,
    Q,
    V,
    constant,
    copied,
    everything,
    graph,
    hessian,
    no_joints,
    planar_pose,
)
from hypothesis import given
from hypothesis import strategies as st

from symkin.emit import CModule, emit_c
from symkin.emit.comments import WIDTH
from symkin.emit.names import LIMIT, RESERVED
from symkin.emit.scalars import SCALARS
from symkin.emit.templates import _folder, render
from symkin.errors import ArgumentError, EmitError, SymkinError
from symkin.graph import Graph, Node
from symkin.quantities import Port, identifier

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow"]
STRICT += ["-Wdouble-promotion", "-Wfloat-conversion", "-Wundef", "-Wcast-qual", "-Werror"]
LANGUAGES = {
    "gcc": ["-std=c99", "-Wmissing-prototypes"],
    "clang": ["-std=c99", "-Wmissing-prototypes"],
    "g++": ["-x", "c++"],
    "clang++": ["-x", "c++"],
}
OPTIONS = [
    {"real": real, "order": order, "zeros": zeros, "casadi": real == "double"}
    for real, order, zeros in itertools.product(
        ("double", "float"), ("row", "column"), ("dense", "nonzeros")
    )
]
NAMES = ["-".join(str(value) for value in options.values()) for options in OPTIONS]


def zoo() -> list[Graph]:
    """Graphs with every operation, no joints, three axes, and names that C does not take."""
    hostile = ("end */ of", "nested /* too", "what??/", "new\nline", "h\u202eidden", "손목_ä")
    port = Port("double", (6,), "rad", "positions", hostile)
    odd = copied("int -> 3.float", (port,), Port("double", (2, 3), "1", "entries"), range(6))
    return [everything(), planar_pose(), hessian(), no_joints(), odd]


def compiles(module: CModule, folder: Path, compiler: str, *flags: str) -> None:
    module.write(folder)
    for source in module.sources:
        command = [compiler, *LANGUAGES[compiler], *STRICT, *flags, "-c", source, "-o", "/dev/null"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", LANGUAGES)
@pytest.mark.parametrize("options", OPTIONS, ids=NAMES)
def test_compiles_without_a_word(options, compiler, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    compiles(emit_c(zoo(), name="2nd arm-v1.2 (left)", **options), tmp_path, compiler)


def test_a_static_analyser_finds_nothing(tmp_path):
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    compiles(emit_c(zoo(), name="zoo", casadi=True), tmp_path, "gcc", "-fanalyzer", "-O1")


@pytest.mark.parametrize("options", OPTIONS, ids=NAMES)
def test_lines_are_short_and_files_end_with_one_newline(options):
    for text in emit_c(zoo(), name="zoo", **options).files.values():
        assert max(map(len, text.splitlines())) <= WIDTH
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert not re.search(r"[ \t]$", text, re.MULTILINE)


def test_text_reads_like_code_written_by_hand():
    module = emit_c(planar_pose(), name="arm")
    assert module.files["arm.c"] == (
        '#include "arm.h"\n\n#include <math.h>\n\n'
        "void arm_position(const double q[2], double x[3])\n{\n"
        "    const double q0 = q[0];\n"
        "    const double q1 = q[1];\n\n"
        "    const double t1 = q0 + q1;\n"
        "    x[2] = t1;\n"
        "    const double cos_q0 = cos(q0);\n"
        "    const double cos_t1 = cos(t1);\n"
        "    const double t2 = 0.7 * cos_t1;\n"
        "    x[0] = cos_q0 + t2;\n"
        "    const double sin_q0 = sin(q0);\n"
        "    const double sin_t1 = sin(t1);\n"
        "    const double t3 = 0.7 * sin_t1;\n"
        "    x[1] = sin_q0 + t3;\n}\n"
    )


def test_dead_nodes_are_not_written():
    found = planar_pose()
    nodes = (*found.nodes, Node("input", (0, 0)), Node("unheard of", (0,)))
    longer = Graph(found.name, found.inputs, found.outputs, nodes, found.doc, origin=found.origin)
    assert emit_c(longer, name="arm").files["arm.c"] == emit_c(found, name="arm").files["arm.c"]


def test_the_header_says_what_a_caller_must_know():
    header = emit_c(everything(), name="arm", order="column").files["arm.h"]
    for said in (
        "Robot: hand.",
        f"Joint order: {', '.join(JOINTS)}.",
        "column by column",
        "All numbers are double",
        "in q[2]: joint positions; rad.",
        "out J[6]: every operation; 1 | m; 3 x 2.",
        "Frame: tool; relative to: base.",
        "7 operations (3 mul, 1 add, 1 sub, 1 div, 1 sqrt), 3 trig, 1 neg, 6 logic; depth 14.",
        "The book, equation 1.",
        "void arm_everything(const double q[2], const double v[2], double J[6], double c[3]);",
    ):
        assert said in header


def test_the_joint_order_of_two_robots_stands_at_each_function():
    other = Port("q", (2,), "rad", "joint positions", ("left", "right"))
    second = copied("second", (other,), Port("y", (2,), "rad", "the same"), (0, 1))
    header = emit_c([planar_pose(), second], name="both").files["both.h"]
    assert header.count("Joint order: ") == 2
    assert "Joint order: left, right." in header


def test_nonzeros_come_with_their_places():
    header = emit_c(everything(), name="arm", zeros="nonzeros").files["arm.h"]
    assert "double J[4], double c[3]" in header
    assert "#define arm_everything_J_NNZ 4" in header
    assert "static const int arm_everything_J_row[4] = {0, 1, 1, 2};" in header
    assert "static const int arm_everything_J_column[4] = {0, 0, 1, 1};" in header


@pytest.mark.parametrize("order", ["row", "column"])
def test_entries_of_three_axes_follow_the_order(order):
    (function,) = emit_c(hessian(), name="arm", order=order).functions
    (array,) = function.outputs
    numbers = np.arange(12).reshape(2, 2, 3)
    assert array.entries == tuple(numbers.ravel(order="C" if order == "row" else "F").tolist())
    assert set(array.nonzeros) == set(hessian().outputs[0].nonzeros)
    assert array.positions[-1] == (3, 2)


def test_no_path_host_or_date_is_written():
    text = "".join(emit_c(zoo(), name="zoo", casadi=True).files.values())
    for secret in (str(Path.cwd()), platform.node(), time.strftime("%Y")):
        assert secret not in text


# Constants


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_double_literals_read_back_bit_for_bit(value):
    literal = SCALARS["double"].literal(value)
    assert struct.pack("d", float(literal)) == struct.pack("d", value)
    assert re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", literal)
    assert "." in literal or "e" in literal


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float_literals_are_the_shortest_with_a_suffix(value):
    literal = SCALARS["float"].literal(value)
    assert literal.endswith("f")
    assert len(literal) <= len("-1.17549435e-38f")
    assert struct.pack("f", np.float32(literal[:-1])) == struct.pack("f", value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_constant_that_is_not_a_number(value):
    with pytest.raises(EmitError, match=r"broken: output x\[1, 0\].*no finite double"):
        emit_c(constant(value), name="arm")


def test_a_constant_beyond_float_is_an_error_in_float_only():
    emit_c(constant(1e39), name="arm")
    with pytest.raises(EmitError, match=r"x\[1, 0\].*1e\+39.*no finite float"):
        emit_c(constant(1e39), name="arm", real="float")


def test_float_modules_call_float_functions_and_suffix_every_literal():
    text = emit_c([everything(), hessian()], name="arm", real="float").files["arm.c"]
    assert "double" not in text
    assert not re.search(r"\b(sin|cos|sqrt|atan2)\(", text)
    assert all(
        number.endswith("f") for number in re.findall(r"[^\w\[]\d+\.\d+(?:e[+-]\d+)?f?", text)
    )


# Names


def test_unknown_operations_name_function_and_output():
    broken = graph(
        "lost",
        (Q,),
        {Port("x", (2,), "1", "none"): (-1, 1)},
        [Node("input", (0, 0)), Node("erf", (0,))],
    )
    with pytest.raises(EmitError, match=r"lost: output x\[1\] needs the operation 'erf'.*sqrt"):
        emit_c(broken, name="arm")


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("ur5", "ur5"),
        ("my robot-v1.2 (left)", "my_robot_v1_2_left"),
        ("2nd_axis", "n2nd_axis"),
        ("a__b", "a_b"),
        ("_lead", "lead"),
        ("gelenk_ä", "gelenk_a"),
        ("손", "uc190"),
        ("", "n"),
        ("---", "n"),
    ],
)
def test_identifiers(given_, expected):
    assert identifier(given_) == expected


def test_names_that_collide_are_told_apart_and_reported():
    graphs = [planar_pose(0.1, "tip:1"), planar_pose(0.2, "tip_1"), planar_pose(0.3, "tip_1")]
    module = emit_c(graphs, name="arm")
    assert [f.symbol for f in module.functions] == ["arm_tip_1", "arm_tip_1_2", "arm_tip_1_3"]
    assert [f.name for f in module.functions] == ["tip:1", "tip_1", "tip_1_2"]
    assert ("arm_tip:1", "arm_tip_1") in module.renamed
    assert ("tip_1", "tip_1_2") in module.renamed


@pytest.mark.parametrize(
    ("given_", "used"), [("math", "math_2"), ("Math", "Math_2"), ("stdint", "stdint_2")]
)
def test_no_module_hides_a_header_of_the_system(given_, used, tmp_path):
    module = emit_c(everything(), name=given_, casadi=True)
    assert module.name == used
    assert {path.split(".")[0] for path in module.files} == {used, f"{used}_casadi"}
    assert (given_, used) in module.renamed
    module.write(tmp_path)
    command = ["cc", "-std=c99", f"-I{tmp_path}", "-c", f"{used}.c", "-o", "module.o"]
    subprocess.run(command, cwd=tmp_path, check=True)


def test_names_that_fit_are_kept():
    assert emit_c(everything(), name="arm", casadi=True).renamed == ()


def test_parameters_are_no_keywords_and_no_locals():
    ports = [Port(name, (2,), "1", "hostile") for name in ("new", "t1", "sin", "REAL_PART", "q0")]
    nodes = [Node("input", (i, 0)) for i in range(5)] + [
        Node("add", (i, 5 + i - 1 if i else 4)) for i in range(5)
    ]
    hostile = graph("f", ports, {Port("t1", (1,), "1", "sum"): (9,)}, nodes)
    (function,) = emit_c(hostile, name="arm").functions
    parameters = [array.identifier for array in (*function.inputs, *function.outputs)]
    assert len(set(parameters)) == 6
    assert RESERVED.isdisjoint(parameters)


def test_long_symbols_differ_in_their_first_63_characters(tmp_path):
    frames = [f"{'tool_' * 30}{i}" for i in range(3)]
    module = emit_c(
        [planar_pose(name=name) for name in frames], name="arm", zeros="nonzeros", casadi=True
    )
    header = "".join(text for name, text in module.files.items() if name.endswith(".h"))
    words = set(re.findall(r"\barm_\w+", header))
    assert max(map(len, words)) <= LIMIT
    assert len({word[:LIMIT] for word in words}) == len(words)
    assert [f.name for f in module.functions] == frames
    compiles(module, tmp_path, "gcc" if shutil.which("gcc") else "clang")


# Arguments and files


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"real": "half"}, "real is one of double, float, not 'half'"),
        ({"order": "C"}, "order is one of row, column, not 'C'"),
        ({"zeros": "sparse"}, "zeros is one of dense, nonzeros, not 'sparse'"),
        ({"real": "float", "casadi": True}, "CasADi's calling convention is in double"),
    ],
)
def test_options_are_checked(options, said):
    with pytest.raises(ArgumentError, match=re.escape(said)):
        emit_c(everything(), name="arm", **options)


def test_nothing_to_emit():
    with pytest.raises(EmitError, match="arm: no graphs"):
        emit_c([], name="arm")


def test_files_appear_where_asked(tmp_path):
    module = emit_c(everything(), name="arm", casadi=True)
    written = module.write(tmp_path / "not" / "yet here")
    assert {path.name for path in written} == set(module.files)
    for path in written:
        assert path.parent == tmp_path / "not" / "yet here"
        assert path.read_bytes().decode() == module.files[path.name]


def test_files_may_lie_in_folders(tmp_path):
    module = replace(emit_c(everything(), name="arm"), files={"src/deep/arm.c": "int arm;\n"})
    assert module.write(tmp_path) == (tmp_path / "src" / "deep" / "arm.c",)
    assert sorted(tmp_path.rglob("*.c")) == [tmp_path / "src" / "deep" / "arm.c"]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "src"]


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmitError, match=f"arm: cannot write {str(tmp_path / 'file')!r}"):
        emit_c(everything(), name="arm").write(tmp_path / "file")


def test_the_digest_follows_the_text():
    base = emit_c(planar_pose(), name="arm")
    assert base.digest == emit_c(planar_pose(), name="arm").digest
    others = [
        emit_c(planar_pose(0.7000001), name="arm"),
        emit_c(planar_pose(), name="arm2"),
        emit_c(planar_pose(), name="arm", real="float"),
        emit_c(planar_pose(), name="arm", casadi=True),
    ]
    assert len({base.digest, *(m.digest for m in others)}) == 5


def test_templates_have_no_gaps():
    with pytest.raises(jinja2.UndefinedError):
        render("host/module.c.j2", module="arm")


def test_templates_that_are_missing_are_named(tmp_path):
    with pytest.raises(SymkinError, match=r"_templates.*reinstall symkin"):
        _folder(tmp_path / "symkin")


def test_inputs_may_be_matrices_in_either_order():
    port = Port("A", (2, 3), "1", "a matrix")
    transposed = copied("t", (port, V), Port("B", (6,), "1", "its entries"), range(6))
    text = emit_c(transposed, name="arm", order="column").files["arm.c"]
    assert "const double A1 = A[2];" in text  # row 0, column 1
