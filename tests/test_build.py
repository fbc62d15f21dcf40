from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from hand_graphs import constant, everything, planar_pose, planar_pose_by_hand, roundings

from symkin import build as load
from symkin.build import compile_module, find_compiler
from symkin.emit import emit_c
from symkin.errors import ArgumentError, BuildError
from symkin.library import Library

BUILD = sys.modules["symkin.build"]  # not the function of that name


@pytest.fixture
def module():
    return emit_c(planar_pose(), name="arm")


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    """A machine with no compiler at all."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(BUILD, "find_spec", lambda name: None)


def counting_compiler(folder: Path) -> tuple[Path, Path]:
    """A compiler that notes each time it is asked to compile, at a path with a blank in it."""
    folder.mkdir(parents=True)
    log, script = folder / "log", folder / "my cc"
    script.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *-dM*|*--version*) ;; *) echo compiled >> "{log}" ;; esac\n'
        'exec cc "$@"\n'
    )
    script.chmod(0o755)
    return script, log


# Finding a compiler


def test_the_argument_comes_before_cc_and_cc_before_path(monkeypatch, tmp_path):
    first, second = (counting_compiler(tmp_path / name)[0] for name in ("a", "b"))
    monkeypatch.setenv("CC", str(second))
    assert find_compiler(first) == (str(first),)
    assert find_compiler(f"'{first}' -m64") == (str(first), "-m64")
    assert find_compiler([first, "-m64"]) == (str(first), "-m64")
    assert find_compiler() == (str(second),)
    monkeypatch.setenv("CC", "")
    assert find_compiler() in (("cc",), ("gcc",), ("clang",))


def test_without_any_compiler_the_error_says_what_was_tried(no_compiler, module, tmp_path):
    with pytest.raises(BuildError) as caught:
        compile_module(module, cache=tmp_path / "cache")
    for said in ("$CC is not set", "cc, gcc, clang", "ziglang", "apt install gcc", "compiler="):
        assert said in str(caught.value)


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_a_compiler_that_is_not_there_is_named(how, module, monkeypatch, tmp_path):
    argument = "/no/such/cc" if how == "argument" else None
    monkeypatch.setenv("CC", "/no/such/cc" if how == "environment" else "")
    said = r"compiler='/no/such/cc'" if how == "argument" else r"\$CC is '/no/such/cc'"
    with pytest.raises(BuildError, match=f"{said}.*not on PATH"):
        compile_module(module, compiler=argument, cache=tmp_path)


def test_a_compiler_that_cannot_run_is_named(module, tmp_path):
    script = tmp_path / "broken"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(BuildError, match=r"cannot run the C compiler .*broken"):
        compile_module(module, compiler=script, cache=tmp_path)


@pytest.mark.parametrize("how", ["argument", "environment", "flags"])
def test_quotes_left_open_are_refused(how, module, monkeypatch, tmp_path):
    text = 'cc "unterminated'
    monkeypatch.setenv("CC", text if how == "environment" else "")
    arguments = {"argument": {"compiler": text}, "flags": {"flags": text}}.get(how, {})
    said = {"argument": "compiler=", "environment": r"\$CC is ", "flags": "flags="}[how]
    with pytest.raises(BuildError, match=f"{said}'cc \"unterminated'.*No closing quotation"):
        compile_module(module, cache=tmp_path, **arguments)


def test_a_compiler_that_writes_nothing_is_named(module, tmp_path):
    idle = shutil.which("true")
    with pytest.raises(BuildError, match="reported success, but wrote no arm-") as caught:
        compile_module(module, compiler=idle, cache=tmp_path)
    assert idle in str(caught.value)
    assert not list(tmp_path.glob("*"))


def test_ziglang_is_the_last_resort(monkeypatch, tmp_path, module):
    """Stood in for by a package of that name that hands on to cc."""
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__init__.py").write_text("")
    cc = shutil.which("cc")
    (tmp_path / "ziglang" / "__main__.py").write_text(
        f"import os, sys\nassert sys.argv[1] == 'cc'\nos.execv({cc!r}, [{cc!r}, *sys.argv[2:]])\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(BUILD, "_COMPILERS", ())
    assert find_compiler() == (sys.executable, "-m", "ziglang", "cc")
    assert compile_module(module, cache=tmp_path / "cache").exists()


def test_a_refused_source_shows_the_compiler_s_first_words(tmp_path):
    module = emit_c(everything(), name="arm")
    with pytest.raises(BuildError) as caught:
        compile_module(module, flags=["-include", "/no/such/header.h"], cache=tmp_path)
    assert "refused arm" in str(caught.value)
    assert "/no/such/header.h" in str(caught.value)
    noisy = emit_c(everything(), name="arm")
    noisy.files["arm.c"] = "\n".join(f"unknown_{i} f{i};" for i in range(100))
    with pytest.raises(BuildError, match=r"and \d+ lines more$") as caught:
        compile_module(noisy, cache=tmp_path)
    assert len(str(caught.value).splitlines()) == 22
    assert not list(tmp_path.glob("*"))


def test_arithmetic_is_real_or_complex(module, tmp_path):
    with pytest.raises(ArgumentError, match="arithmetic is real or complex, not 'dual'"):
        compile_module(module, arithmetic="dual", cache=tmp_path)
    single = emit_c(planar_pose(), name="arm", real="float")
    with pytest.raises(ArgumentError, match="only a module in double"):
        compile_module(single, arithmetic="complex", cache=tmp_path)


# The cache


def test_the_second_build_compiles_nothing(module, tmp_path):
    compiler, log = counting_compiler(tmp_path / "bin")
    paths = {compile_module(module, compiler=compiler, cache=tmp_path) for _ in range(3)}
    assert len(paths) == 1
    assert log.read_text().count("compiled") == 1


def test_whatever_shapes_the_file_shapes_its_name(module, tmp_path):
    other = emit_c(planar_pose(0.6), name="arm")
    compiler, _ = counting_compiler(tmp_path / "bin")
    builds = [
        {"module": module},
        {"module": other},
        {"module": module, "flags": "-O1"},
        {"module": module, "flags": ()},
        {"module": module, "compiler": compiler},
        {"module": module, "arithmetic": "complex"},
    ]
    paths = [compile_module(cache=tmp_path, **arguments) for arguments in builds]
    assert len(set(paths)) == len(builds)
    assert all(path.name.startswith("arm-") for path in paths)
    assert {path.parent for path in paths} == {tmp_path}


def test_nothing_but_the_library_is_left(module, tmp_path):
    path = compile_module(module, cache=tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_no_path_ends_up_in_the_library(module, tmp_path):
    first = compile_module(module, cache=tmp_path / "one")
    second = compile_module(module, cache=tmp_path / "two")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "name", ["with blank", "quo'te\"s", "한글-ä", "-dash", "semi;colon", "$HOME", "back\\slash"]
)
def test_odd_paths(name, module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    library = load(module, cache=name)
    assert library.path.is_absolute()
    assert library.path.parent == tmp_path / name
    np.testing.assert_allclose(
        library.position([0.3, 0.4]), planar_pose_by_hand([0.3, 0.4]), rtol=1e-15
    )


def test_eight_processes_build_at_once(module, tmp_path):
    (tmp_path / "module").write_bytes(pickle.dumps(module))
    script = (
        "import pickle, sys; from pathlib import Path; from symkin import build\n"
        "module = pickle.loads(Path(sys.argv[1]).read_bytes())\n"
        "print(build(module, cache=sys.argv[2]).position([0.3, 0.4])[2])"
    )
    command = [sys.executable, "-c", script, tmp_path / "module", tmp_path / "new" / "cache"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    assert [(p.communicate()[0].strip(), p.returncode) for p in running] == [("0.7", 0)] * 8
    assert len(list((tmp_path / "new" / "cache").iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_named(module, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BuildError, match=f"cannot write into the cache '{tmp_path / 'file'}'"):
        compile_module(module, cache=tmp_path / "file")


def test_where_the_user_s_cache_cannot_be_written_a_temporary_one_serves(
    module, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_: tmp_path / "file")
    paths = [compile_module(module) for _ in range(2)]
    assert paths[0] == paths[1]
    assert paths[0].exists()
    assert "symkin-" in paths[0].parent.name


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_read_only_cache_still_gives_what_it_holds(module, tmp_path):
    path = compile_module(module, cache=tmp_path / "cache")
    (tmp_path / "cache").chmod(0o555)
    try:
        assert compile_module(module, cache=tmp_path / "cache") == path
    finally:
        (tmp_path / "cache").chmod(0o755)


def test_the_default_cache_is_the_user_s(module, tmp_path, monkeypatch):
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_: tmp_path / "home")
    assert compile_module(module).parent == tmp_path / "home"


DAMAGE = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "one page": lambda content: content[:4096],
    "one byte short": lambda content: content[:-1],
    "something else": lambda content: b"no library",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_in_the_cache_is_built_again(damage, module, tmp_path):
    compiler, log = counting_compiler(tmp_path / "bin")
    path = compile_module(module, compiler=compiler, cache=tmp_path / "cache")
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.raises(BuildError, match="cannot load the library"):
        Library.open(path, module.functions)
    library = load(module, compiler=compiler, cache=tmp_path / "cache")
    assert library.path == path
    assert library.position([0.3, 0.4])[2] == 0.7
    assert log.read_text().count("compiled") == 2


def test_a_pickled_library_whose_file_is_damaged_is_built_again(module, tmp_path):
    library = load(module, cache=tmp_path)
    pickled = pickle.dumps(library)
    library.close()
    library.path.write_bytes(b"")
    assert pickle.loads(pickled).position([0.3, 0.4])[2] == 0.7


def test_what_builds_that_were_killed_have_left_is_removed_after_a_day(module, tmp_path):
    left = {name: tmp_path / f".building-{name}" for name in ("old", "new")}
    for folder in left.values():
        folder.mkdir()
        (folder / "arm.c").write_text("")
    yesterday = time.time() - 25 * 3600
    os.utime(left["old"], (yesterday, yesterday))
    path = compile_module(module, cache=tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([left["new"], path])


# What the compiler makes of it


@pytest.mark.parametrize("flags", ["-O0", "-O2", "-O3 -march=native"])
def test_c_rounds_where_the_graph_does(flags, tmp_path):
    """No fused multiply-adds, no other order: the same bits whatever the flags."""
    graph = roundings()
    library = load(emit_c(graph, name="arm"), flags=flags, cache=tmp_path)
    numbers = np.random.default_rng(1).uniform(-2, 2, (1000, 2))
    assert (library.roundings(numbers) == graph.evaluate({"q": numbers})["x"]).all()


def test_complex_builds_differentiate_the_generated_source_itself(tmp_path):
    graph = everything()
    library = load(emit_c(graph, name="arm"), arithmetic="complex", cache=tmp_path)
    h, rng = 1e-40, np.random.default_rng(2)
    inputs = {"q": rng.uniform(-2, 2, (40, 2)) + 1j * h * rng.normal(size=2), "v": np.zeros(2)}
    stepped, expected = library.everything(**inputs), graph.evaluate(inputs)
    # A dozen operations one after another, each within 2 ulp of numbers near 1.
    tolerance = 12 * 2 * np.finfo(float).eps
    for name, value in stepped.items():
        assert value.dtype == np.complex128
        assert abs(value.real - expected[name].real).max() < tolerance * abs(expected[name]).max()
        slopes, ours = value.imag / h, np.imag(expected[name]) / h
        assert abs(slopes - ours).max() < tolerance * abs(ours).max()
    assert abs(stepped["J"].imag).max() > h


def test_a_complex_build_of_what_never_compares_and_of_constants(tmp_path):
    library = load(emit_c(constant(2.5), name="arm"), arithmetic="complex", cache=tmp_path)
    assert library.broken([2 + 1j, 0])[1, 0] == 5 + 2.5j
