from __future__ import annotations

import copy
import ctypes
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import casadi
import numpy as np
import pytest
from hand_graphs import (
    Q,
    copied,
    everything,
    hessian,
    no_joints,
    planar_pose,
    planar_pose_by_hand,
)

from symkin import build
from symkin.emit import CModule, emit_c
from symkin.errors import ArgumentError, BuildError
from symkin.library import Library
from symkin.quantities import Port

STATE = [0.3, 0.4]
EXPECTED = planar_pose_by_hand(STATE)
LAYOUTS = [
    {"order": order, "zeros": zeros}
    for order in ("row", "column")
    for zeros in ("dense", "nonzeros")
]
IDS = [f"{layout['order']}-{layout['zeros']}" for layout in LAYOUTS]


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def arm(cache) -> Library:
    return build(emit_c(planar_pose(), name="arm"), cache=cache)


def close_to(value, expected=EXPECTED) -> bool:
    """Four operations on numbers below 2, each within 1 ulp."""
    return abs(np.asarray(value) - expected).max() <= 4 * 2 * np.finfo(float).eps


# Calling


def test_every_way_to_call(arm):
    assert close_to(arm.position(STATE))
    assert close_to(arm.position(q=STATE))
    assert close_to(arm["position"](q=STATE))
    assert close_to(arm.call("position", q=STATE))
    assert list(arm) == ["position"]
    assert "position" in arm
    assert "position" in dir(arm)
    assert len(arm) == 1
    assert [function.symbol for function in arm.functions] == ["arm_position"]
    assert "Pose of a planar arm." in arm.position.__doc__
    assert repr(arm.position) == f"<position(q[2]) of {arm.path.name}>"
    assert "1 functions" in repr(arm)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, bool, np.dtype(">f8")])
def test_numbers_of_other_types_are_converted(dtype, arm):
    value = arm.position(np.array([1, 0], dtype=dtype))
    assert value.dtype == np.float64
    assert close_to(value, planar_pose_by_hand([1, 0]))


def test_strided_and_read_only_inputs(arm):
    padded = np.array([0.3, 9.0, 0.4, 9.0])
    padded.flags.writeable = False
    assert close_to(arm.position(padded[::2]))


def test_a_vector_over_joints_may_be_given_by_name(arm):
    assert close_to(arm.position(q={"elbow": 0.4, "shoulder": 0.3}))
    batch = arm.position(q={"elbow": [0.4, 0.0], "shoulder": 0.3})
    assert batch.shape == (2, 3)
    assert close_to(batch[0])
    with pytest.raises(ArgumentError, match=r"missing 'elbow', unknown 'knee'.*shoulder, elbow"):
        arm.position(q={"shoulder": 0.3, "knee": 0.4})


def test_leading_axes_are_a_batch(arm):
    states = np.random.default_rng(0).normal(size=(4, 3, 2))
    values = arm.position(states)
    assert values.shape == (4, 3, 3)
    assert all((values[i] == arm.position(states[i])).all() for i in np.ndindex(4, 3))
    assert arm.position(np.zeros((0, 2))).shape == (0, 3)


def test_batches_broadcast(cache):
    library = build(emit_c(everything(), name="all"), cache=cache)
    q, v = np.ones((5, 1, 2)), np.zeros((3, 2))
    result = library.everything(q, v)
    assert result["J"].shape == (5, 3, 3, 2)
    assert (result["c"] == library.everything(q[0, 0], v[0])["c"]).all()


def test_nan_passes_through(arm):
    assert np.isnan(arm.position([np.nan, 0.0])).all()
    value = arm.position([0.0, np.inf])
    assert np.isnan(value[:2]).all()
    assert value[2] == np.inf


def test_several_outputs_are_a_dictionary(cache):
    graph = everything()
    library = build(emit_c(graph, name="all"), cache=cache)
    result = library.everything(STATE, [0, 0])
    expected = graph.evaluate({"q": STATE, "v": [0, 0]})
    assert list(result) == ["J", "c"]
    assert result["J"].shape == (3, 2)
    for name in result:
        np.testing.assert_allclose(result[name], expected[name], rtol=1e-14, atol=0)


def test_float_modules_take_and_give_single_precision(cache):
    library = build(emit_c(planar_pose(), name="arm", real="float"), cache=cache)
    value = library.position(STATE)
    assert value.dtype == np.float32
    assert abs(value - EXPECTED).max() <= 4 * 2 * np.finfo(np.float32).eps
    out = np.empty(3, np.float32)
    assert library.position(STATE, out=out) is out


def test_robots_without_joints(cache):
    for layout in LAYOUTS:
        library = build(emit_c(no_joints(), name="fixed", **layout), cache=cache)
        result = library.fixed([])
        assert result["J"].shape == (6, 0)
        assert (result["T"] == np.eye(2)).all()
        assert library.fixed(np.zeros((4, 0)))["T"].shape == (4, 2, 2)


# Layouts


@pytest.mark.parametrize("layout", LAYOUTS, ids=IDS)
def test_every_layout_gives_the_same_arrays(layout, cache):
    library = build(emit_c([everything(), hessian()], name="all", **layout), cache=cache)
    usual = build(emit_c([everything(), hessian()], name="all"), cache=cache)
    ours, theirs = library.everything(STATE, [0, 0]), usual.everything(STATE, [0, 0])
    assert all((ours[name] == theirs[name]).all() for name in ours)
    H = library.hessian()
    assert (usual.hessian() == H).all()
    assert H[1, 0, 1] == 101.0
    assert H[1, 1, 2] == 0.0  # structurally
    assert library.everything(np.zeros((7, 2)), [0, 0])["J"].shape == (7, 3, 2)


@pytest.mark.parametrize("layout", LAYOUTS, ids=IDS)
def test_every_stored_entry_is_written_and_nothing_beyond(layout, cache):
    module = emit_c([everything(), hessian()], name="all", **layout)
    loaded = ctypes.CDLL(str(build(module, cache=cache).path))
    for function in module.functions:
        inputs = [np.ones(len(array.entries)) for array in function.inputs]
        outputs = [np.full(len(array.entries) + 1, np.nan) for array in function.outputs]
        getattr(loaded, function.symbol)(
            *(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs))
        )
        for output in outputs:
            assert not np.isnan(output[:-1]).any()
            assert np.isnan(output[-1])


@pytest.mark.parametrize("layout", LAYOUTS, ids=IDS)
def test_nonzeros_are_what_is_not_structurally_zero(layout, cache):
    library = build(emit_c(hessian(), name="all", **layout), cache=cache)
    (output,) = library.functions[0].outputs
    flat = library.hessian().ravel()
    assert (library.hessian.nonzeros() == flat[list(output.nonzeros)]).all()
    assert len(output.nonzeros) == np.count_nonzero(flat) == 4


def test_matrices_as_inputs_follow_the_order(cache):
    port = Port("A", (2, 3), "1", "a matrix")
    graph = copied("entries", (port,), Port("x", (6,), "1", "row by row"), range(6))
    A = np.arange(6.0).reshape(2, 3)
    for order in ("row", "column"):
        library = build(emit_c(graph, name="arm", order=order), cache=cache)
        assert (library.entries(A) == A.ravel()).all()
        assert (library.entries(np.stack([A, -A])) == np.stack([A.ravel(), -A.ravel()])).all()


# Errors


@pytest.mark.parametrize(
    ("arguments", "named", "said"),
    [
        (([0.3],), {}, r"position: q \(joint positions\) has shape \(1,\).*expected \(2,\)"),
        ((), {"q": np.zeros((2, 3))}, r"has shape \(2, 3\).*expected \(2,\)"),
        ((), {"q": 1.0}, r"has shape \(\).*expected \(2,\)"),
        ((), {}, "position takes q; missing: q"),
        (([0, 0],), {"p": 1}, "position takes q; unknown: p"),
        (([0, 0], [0, 0]), {}, "position takes 1 inputs, not 2"),
        (([0, 0],), {"q": [0, 0]}, "position: q is given twice"),
        (([1j, 0],), {}, r"position: q is complex; build the module with arithmetic='complex'"),
        (("ab",), {}, "position: q is not an array of numbers"),
        (([0, 0],), {"out": np.zeros(2)}, r"out for x is \(2,\); expected an array of \(3,\)"),
        (([0, 0],), {"out": [0, 0, 0]}, r"out for x is list; expected an array of \(3,\)"),
        (([0, 0],), {"out": np.zeros(3, "f")}, "out for x is float32; expected writeable float64"),
        (([0, 0],), {"out": {"y": np.zeros(3)}}, "position: out is a mapping of x to arrays"),
    ],
)
def test_arguments_are_checked(arguments, named, said, arm):
    with pytest.raises(ArgumentError, match=said):
        arm.position(*arguments, **named)


def test_read_only_results_are_refused(arm):
    out = np.zeros(3)
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="out for x is read-only float64"):
        arm.position(STATE, out=out)


def test_batches_that_do_not_fit_are_named(cache):
    library = build(emit_c(everything(), name="all"), cache=cache)
    with pytest.raises(ArgumentError, match=r"batches do not fit together: q \(3,\), v \(4,\)"):
        library.everything(np.zeros((3, 2)), np.zeros((4, 2)))


def test_unknown_functions_are_helped_along(arm):
    with pytest.raises(ArgumentError, match=r"no function 'positon'; did you mean position\?"):
        arm["positon"]
    with pytest.raises(AttributeError, match=r"no function 'jacobian'; it has position"):
        arm.jacobian  # noqa: B018  (the access is the test)
    assert not hasattr(arm, "__array__")


def test_files_that_are_no_such_library_are_named(arm, tmp_path):
    with pytest.raises(BuildError, match=r"cannot load the library .*nowhere\.so"):
        Library.open(tmp_path / "nowhere.so", arm.functions)
    other = emit_c(planar_pose(), name="other").functions
    with pytest.raises(BuildError, match="has no function other_position"):
        Library.open(arm.path, other)
    single = emit_c(planar_pose(), name="arm", real="float").functions
    with pytest.raises(ArgumentError, match="no arithmetic 'complex' for float"):
        Library.open(arm.path, single, arithmetic="complex")


# Results in given memory


def test_out_is_written_in_place_and_returned(arm):
    out = np.empty(3)
    assert arm.position(STATE, out=out) is out
    assert close_to(out)
    part = np.zeros((2, 3, 2))
    arm.position(STATE, out=part[0, :, 1])  # not contiguous
    assert close_to(part[0, :, 1])
    assert np.count_nonzero(part) == 3


def test_out_of_several_outputs_is_a_mapping(cache):
    library = build(emit_c(everything(), name="all", order="column"), cache=cache)
    out = {"J": np.empty((3, 2)), "c": np.empty(3)}
    result = library.everything(STATE, [0, 0], out=out)
    assert result["J"] is out["J"]
    assert (out["J"] == library.everything(STATE, [0, 0])["J"]).all()
    with pytest.raises(ArgumentError, match="out is a mapping of J, c to arrays"):
        library.everything(STATE, [0, 0], out=out["J"])


def test_outputs_may_overlap_inputs(cache):
    swap = copied("swap", (Q,), Port("p", (2,), "rad", "the other way round"), (1, 0))
    library = build(emit_c(swap, name="arm"), cache=cache)
    x = np.array([1.0, 2.0])
    assert library.swap(x, out=x) is x
    assert x.tolist() == [2.0, 1.0]
    memory = np.arange(12.0)
    states, results = memory[:10].reshape(5, 2), memory[2:].reshape(5, 2)
    expected = states[:, ::-1].copy()
    library.swap(states, out=results)  # each result lies where the next state was
    assert (results == expected).all()


# Life of a library


def test_closing(cache):
    library = build(emit_c(planar_pose(0.1), name="arm"), cache=cache)
    function = library.position
    with library as same:
        assert same is library
        function(STATE)
    library.close()
    for use in (lambda: function(STATE), lambda: library.position(STATE)):
        with pytest.raises(BuildError, match=r"the library arm-.* was closed"):
            use()
    with pytest.raises(BuildError, match="was closed and cannot be pickled"):
        pickle.dumps(library)
    assert "closed" in repr(library)
    again = Library.open(library.path, library.functions)
    assert close_to(again.position(STATE), planar_pose_by_hand(STATE, 0.1))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_closed_library_leaves_the_process(cache):
    library = build(emit_c(planar_pose(0.2), name="arm"), cache=cache)
    twin = Library.open(library.path, library.functions)
    assert mapped(library.path)
    library.close()
    assert mapped(library.path)
    assert close_to(twin.position(STATE), planar_pose_by_hand(STATE, 0.2))
    twin.close()
    assert not mapped(library.path)


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_versions_of_one_name_live_side_by_side(cache):
    lengths = (0.5, 0.6, 0.7)
    modules = [emit_c(planar_pose(length), name="arm", casadi=True) for length in lengths]
    libraries = [build(module, cache=cache) for module in modules]
    for library in libraries:
        ctypes.CDLL(str(library.path), mode=ctypes.RTLD_GLOBAL)
    for library, length in zip(libraries, lengths, strict=True):
        expected = planar_pose_by_hand(STATE, length)
        assert close_to(library.position(STATE), expected)
        # CasADi's function calls the plain one, which each library defines under one name.
        F = casadi.external("arm_position_casadi", str(library.path))
        assert close_to(np.array(F(STATE)).ravel(), expected)


@pytest.mark.slow
def test_two_hundred_variants_in_one_process(cache):
    lengths = np.linspace(0.1, 1.0, 200)
    libraries = [
        build(emit_c(planar_pose(length), name="arm"), flags="-O0", cache=cache)
        for length in lengths.tolist()
    ]
    assert len({library.path for library in libraries}) == 200
    for library, length in zip(libraries, lengths, strict=True):
        assert close_to(library.position(STATE), planar_pose_by_hand(STATE, length))
    paths = [library.path for library in libraries]
    for library in libraries[::2]:
        library.close()
    del library, libraries
    gc.collect()
    if sys.platform == "linux":
        assert not any(map(mapped, paths))
    for path in paths:
        path.unlink()


def test_threads_do_not_disturb_one_another(arm):
    states = np.random.default_rng(3).normal(size=(8, 300, 2))
    expected = arm.position(states)
    wrong = []

    def work(i: int) -> None:
        for state, result in zip(states[i], expected[i], strict=True):
            if (arm.position(state) != result).any():
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_closing_waits_for_calls_under_way(cache):
    library = build(emit_c(planar_pose(0.3), name="arm"), cache=cache)
    states = np.zeros((20000, 2))
    results = []
    thread = threading.Thread(target=lambda: results.append(library.position(states)))
    thread.start()
    library.close()
    thread.join()  # it either came first or found the library closed; it never crashed
    assert all(len(result) == 20000 for result in results)


def test_pickles_reload_and_rebuild(arm, tmp_path):
    for twin in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm)):
        assert twin.path == arm.path
        assert close_to(twin.position(STATE))
    function = pickle.loads(pickle.dumps(arm.position))
    assert close_to(function(STATE))
    fresh = build(emit_c(planar_pose(0.4), name="arm"), cache=tmp_path / "cache")
    pickled = pickle.dumps(fresh)
    with Library.open(fresh.path, fresh.functions) as reader:
        opened = pickle.dumps(reader)
    fresh.path.unlink()
    fresh.close()
    again = pickle.loads(pickled)
    assert again.path == fresh.path
    assert close_to(again.position(STATE), planar_pose_by_hand(STATE, 0.4))
    again.path.unlink()
    again.close()
    with pytest.raises(BuildError, match="cannot load the library"):
        pickle.loads(opened)


def answer(library: Library) -> list[float]:
    return library.position(STATE).tolist()


def test_a_library_works_in_a_spawned_process(arm):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(answer, (arm,)) == answer(arm)


def test_a_library_needs_no_compiler(arm):
    script = (
        "import pickle, sys; library = pickle.loads(sys.stdin.buffer.read())\n"
        f"print(library.position({STATE})[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(arm),
        capture_output=True,
        env={**os.environ, "PATH": "", "CC": "/no/such/cc"},
    )
    assert (done.returncode, done.stdout.strip()) == (0, b"0.7")


# CasADi's calling convention


def external(module: CModule, cache: Path) -> tuple[Path, str]:
    (function,) = module.functions
    assert function.casadi is not None
    return build(module, cache=cache).path, function.casadi


@pytest.mark.parametrize("layout", LAYOUTS, ids=IDS)
@pytest.mark.parametrize("make", [everything, hessian, no_joints], ids=lambda make: make.__name__)
def test_casadi_sees_the_graph_itself(make, layout, cache):
    graph = make()
    path, name = external(emit_c(graph, name="arm", casadi=True, **layout), cache)
    theirs, ours = casadi.external(name, str(path)), graph.to_casadi()
    assert theirs.name_in() == ours.name_in()
    assert theirs.name_out() == ours.name_out()
    for i in range(ours.n_in()):
        assert theirs.sparsity_in(i) == ours.sparsity_in(i)
    for i in range(ours.n_out()):
        assert theirs.sparsity_out(i) == ours.sparsity_out(i)
    inputs = [np.linspace(0.3, 0.4, ours.numel_in(i)) for i in range(ours.n_in())]
    for value, expected in zip(theirs.call(inputs), ours.call(inputs), strict=True):
        assert np.allclose(np.array(value), np.array(expected), rtol=1e-14, atol=0)


def test_casadi_s_null_pointers(cache):
    path, name = external(emit_c(everything(), name="arm", casadi=True), cache)
    loaded = ctypes.CDLL(str(path))
    pointer = ctypes.POINTER(ctypes.c_double)
    c, w = (ctypes.c_double * 3)(), (ctypes.c_double * 13)()
    arguments = (pointer * 2)(), (pointer * 2)(None, ctypes.cast(c, pointer))
    assert getattr(loaded, name)(*arguments, None, w, 0) == 0
    expected = everything().evaluate({"q": [0, 0], "v": [0, 0]})["c"]
    assert list(c) == expected.tolist()


@pytest.mark.parametrize("layout", LAYOUTS, ids=IDS)
def test_casadi_s_work_vector_is_as_large_as_the_header_says(layout, cache):
    module = emit_c(everything(), name="arm", casadi=True, **layout)
    path, name = external(module, cache)
    loaded = ctypes.CDLL(str(path))
    sizes = [ctypes.c_longlong(-1) for _ in range(4)]
    assert getattr(loaded, f"{name}_work")(*map(ctypes.byref, sizes)) == 0
    header = module.files["arm_casadi.h"]
    for size, kind in zip(sizes, ("ARG", "RES", "IW", "W"), strict=True):
        assert f"#define {name}_SZ_{kind} {size.value}\n" in header
    n = sizes[3].value
    w = np.full(n + 1, np.nan)
    pointer = ctypes.POINTER(ctypes.c_double)
    getattr(loaded, name)((pointer * 2)(), (pointer * 2)(), None, ctypes.c_void_p(w.ctypes.data), 0)
    assert np.isnan(w[n])
    assert not np.isnan(w[:n]).any()
