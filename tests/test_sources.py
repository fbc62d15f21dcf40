"""Whatever is handed to `load`: encodings, xacro, and what is no robot at all."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from urdf_text import messages, one_joint

from symkin.errors import ArgumentError, ModelError
from symkin.model import bundled_names, load

# Text, bytes, encodings, namespaces


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "iso-8859-15", "utf-16", "utf-16-be"])
def test_declared_encodings(encoding: str, tmp_path: Path) -> None:
    text = one_joint().replace('"a"', '"ärm"')
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'
    path = tmp_path / "r.urdf"
    path.write_bytes(declared.encode(encoding))
    for source in (path, str(path), path.read_bytes(), declared):
        assert load(source).link_names == ("base", "ärm")


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_without_declaration(mark: str) -> None:
    text = one_joint().replace('"a"', '"ärm"')
    assert load(text.encode(mark)).link_names == ("base", "ärm")
    assert load("\ufeff" + text).link_names == ("base", "ärm")


def test_space_before_the_declaration_keeps_line_numbers() -> None:
    text = '\n\n <?xml version="1.0"\nencoding="latin-1"?>\n' + one_joint('<axis xyz="0 0 0"/>')
    for source in (text, text.encode("latin-1"), text.replace("\n", "\r\n")):
        with pytest.raises(ModelError, match=r":8: joint 'j'"):
            load(source)


def test_undecodable_bytes_are_refused() -> None:
    with pytest.raises(ModelError, match="cannot be read as utf-8"):
        load(one_joint().replace('"a"', '"ä"').encode("latin-1"))
    with pytest.raises(ModelError, match="klingon"):
        load(f'<?xml version="1.0" encoding="klingon"?>{one_joint()}'.encode())


def test_namespaces() -> None:
    default = one_joint().replace("<robot", '<robot xmlns="http://www.ros.org"')
    assert load(default).joint_names == ("j",)
    foreign = (
        one_joint()
        .replace("<robot", '<robot xmlns:s="urn:sensor"', 1)
        .replace("</robot>", '<s:link name="ghost"/></robot>')
    )
    robot = load(foreign)
    assert robot.link_names == ("base", "a")
    assert messages(robot, "ignored") == ["<text>:5: unknown element <link>"]


# Hostile and mistaken sources


def laughs(where: str) -> str:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    return f'<!DOCTYPE robot [<!ENTITY l0 "lol">{entities}]><robot name="r">{where}</robot>'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (laughs("<link name='&l11;'/>"), "amplification|entit"),
        (laughs("&l11;"), "amplification|entit"),
        (laughs("<link name='&l0;'/>"), "document type declarations"),
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r">&x;</robot>',
         "document type declarations"),
        ('<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/robot.dtd"><robot name="r"/>',
         "document type declarations"),
        ("<robot>" * 5000, "not well-formed|depth"),
        ("<" + "x" * 10_000_000, "not well-formed"),
        (b"<" + bytes(range(256)) * 40_000, "cannot be read|not well-formed"),
        (b"\x00" * 10_000, "not well-formed"),
        ("<", "<text>:1: not well-formed"),
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (one_joint()[:-9], "<text>:4: not well-formed|<text>:5: not well-formed"),
        (one_joint('<axis xyz="\x01"/>'), "not well-formed"),
        (one_joint('<axis xyz="1 0 0" xyz="0 1 0"/>'), "redefined"),
        ("<robot name='\ud800'/>", "not well-formed"),
        ("<html><body>404</body></html>", "this is a web page"),
        ("<!DOCTYPE html><html></html>", "this is a web page"),
        ("<sdf/>", "this is SDF"),
        ("<mujoco/>", "this is MJCF"),
        ("<robots/>", "outermost element must be <robot>"),
        ('<robot name="r"><xacro:macro name="m"/></robot>', "xacro.*expand"),
        ('<robot xmlns:x="http://www.ros.org/wiki/xacro"><x:if/></robot>', "xacro.*expand"),
        ("[" * 100, "neither a file, nor URDF text"),
        ('{"links": ' + "[" * 100_000, "nested too deeply|not JSON"),
        ("no_such_robot", "nor a bundled robot: .*ur5"),
        ("x" * 5000, "neither a file"),
        ("a\x00b", "neither a file"),
        ("", "neither a file"),
    ],
)  # fmt: skip
def test_hostile_sources_are_refused_quickly(source: str | bytes, message: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ModelError, match=message) as caught:
        load(source)
    assert time.perf_counter() - start < 5.0
    assert len(str(caught.value)) < 1000


def test_sources_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a directory; give the file"):
        load(tmp_path)
    with pytest.raises(ModelError, match=r"no\.urdf.*neither a file"):
        load(tmp_path / "no.urdf")
    empty = tmp_path / "empty.urdf"
    empty.touch()
    with pytest.raises(ModelError, match=r"empty\.urdf: is empty"):
        load(empty)
    with pytest.raises(ArgumentError, match="from a path, text or bytes, not <class 'int'>"):
        load(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="not for URDF"):
        load(one_joint(), convention="standard")


def test_names_of_bundled_robots_do_not_hide_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ur5").mkdir()
    assert load("ur5").nq == 6
    (tmp_path / "scara").write_text(one_joint(), encoding="utf-8")
    assert load("scara").name == "r"
    assert set(bundled_names()) >= {"planar_2r", "scara", "ur5", "fr3", "tree12"}


# xacro

XACRO = (
    '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="h" default="1"/>'
    '<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
    '<child link="b"/><origin xyz="0 0 $(arg h)" rpy="0 0 ${pi/2}"/></joint></robot>'
)


def test_xacro_files_are_expanded(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "x.urdf.xacro"
    path.write_text(XACRO, encoding="utf-8")
    joint = load(path).links[1].joint
    assert tuple(joint.origin.p) == (0.0, 0.0, 1.0)
    assert joint.origin.R.rows == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert tuple(load(path, xacro_arguments={"h": "2"}).links[1].joint.origin.p)[2] == 2.0
    path.write_text(XACRO.replace("pi/2", "no_such_name"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"x\.urdf\.xacro: xacro cannot expand it: .*no_such_name"):
        load(path)


def test_xacro_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = tmp_path / "x.xacro"
    path.write_text(XACRO, encoding="utf-8")
    with pytest.raises(ModelError, match=r'pip install "symkin\[xacro\]"'):
        load(path)
