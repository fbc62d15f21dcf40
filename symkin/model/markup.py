"""XML as URDF files use it: read safely, and complained about by file, line and element."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lxml import etree

from symkin.errors import ModelError

# Python's float() also takes "1_000", "inf" and digits of other scripts; a robot's numbers are
# plain decimals, whatever the locale.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECLARATION = re.compile(r"^\ufeff?\s*(<\?xml[^>]*\?>)?")
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
_FIRST_BYTES = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"<\x00": "utf-16-le",
    b"\x00<": "utf-16-be",
}
_XACRO_HINT = (
    "this is xacro source: expand it (`xacro robot.urdf.xacro > robot.urdf`), or load the path of "
    'the .xacro file with the xacro package installed (pip install "symkin[xacro]")'
)
_OTHER_FORMATS = {
    "sdf": "this is SDF, convert it to URDF",
    "mujoco": "this is MJCF, convert it to URDF",
    "html": "this is a web page, download the file itself",
    "COLLADA": "this is a mesh",
}


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """An element: what it holds as text and numbers, or a ModelError that says where it fails.

    ``owner`` is the link or joint it belongs to, for messages.
    """

    element: etree._Element
    file: str
    owner: str = ""

    @property
    def name(self) -> str:
        """The tag without its namespace."""
        return etree.QName(self.element).localname

    @property
    def where(self) -> str:
        """File, line and owner."""
        place = f"{self.file}:{self.element.sourceline}"
        return f"{place}: {self.owner}" if self.owner else place

    def error(self, problem: str, attribute: str | None = None) -> ModelError:
        """A ModelError about the element or one attribute of it."""
        value = self.element.get(attribute) if attribute else None
        shown = f" {attribute}={_shortened(value)!r}" if value is not None else ""
        return ModelError(f"{self.where}: <{self.name}{shown}>: {problem}")

    def children(self, name: str | None = None) -> list[Tag]:
        """The elements directly inside, of the file's own namespace; those called ``name``."""
        return [
            Tag(child, self.file, self.owner)
            for child in self.element
            if isinstance(child.tag, str)
            and is_plain(child)
            and name in (None, etree.QName(child).localname)
        ]

    def child(self, name: str) -> Tag | None:
        """The only element called ``name`` directly inside, if there is one."""
        found = self.children(name)
        if len(found) > 1:
            raise found[1].error(f"there is a second <{name}>; keep one")
        return found[0] if found else None

    def required(self, name: str) -> Tag:
        """The only element called ``name`` directly inside."""
        found = self.child(name)
        if found is None:
            raise self.error(f"has no <{name}>; add it")
        return found

    def text(self, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.element.get(attribute)
        if not value:
            state = "is empty" if value == "" else "is missing"
            raise self.error(f"attribute {attribute!r} {state}; give it")
        if "${" in value or "$(" in value:
            raise self.error(_XACRO_HINT, attribute)
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """An attribute with one number; without ``default`` it must be there."""
        if default is not None and self.element.get(attribute) is None:
            return default
        return self.numbers(attribute, 1)[0]

    def numbers(self, attribute: str, count: int) -> tuple[float, ...]:
        """An attribute with ``count`` numbers, which must be there."""
        words = self.text(attribute).split()
        if len(words) != count:
            raise self.error(f"{count} numbers expected, {len(words)} found", attribute)
        return tuple(self._number(word, attribute) for word in words)

    def _number(self, word: str, attribute: str) -> float:
        if not _NUMBER.fullmatch(word):
            hint = "; write a point as the decimal mark" if "," in word else ""
            if self.name == "limit" and "inf" in word.lower():
                hint = f"; where there is no bound, leave {attribute!r} out"
            raise self.error(f"{_shortened(word)!r} is not a finite number{hint}", attribute)
        value = float(word)
        if not math.isfinite(value):
            raise self.error(f"{word!r} is too large", attribute)
        return value


def parse(data: str | bytes, file: str) -> Tag:
    """The <robot> element of URDF text or bytes; ModelError for anything else.

    Entities are never expanded, nothing is fetched, comments are skipped.
    """
    text = decoded(data, file) if isinstance(data, bytes) else data
    # Here the text is Unicode whatever its declaration says; its lines stay, so that numbers do.
    text = _DECLARATION.sub(lambda match: "\n" * match[0].count("\n"), text)
    if not text.strip():
        raise ModelError(f"{file}: is empty; a URDF holds a <robot> element")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    except etree.XMLSyntaxError as error:
        hint = f"; {_XACRO_HINT}" if "prefix xacro" in str(error) else ""
        raise ModelError(
            f"{file}:{error.lineno}: not well-formed XML: {error.msg}{hint}"
        ) from error
    tag = Tag(root, file)
    if tag.name != "robot":
        hint = _OTHER_FORMATS.get(tag.name, "symkin reads URDF")
        raise tag.error(f"the outermost element must be <robot>: {hint}")
    if root.getroottree().docinfo.internalDTD is not None:
        raise tag.error("document type declarations (entities) are not read; expand and delete it")
    for element in root.iter("{*}*"):
        if "xacro" in (etree.QName(element).namespace or ""):
            raise Tag(element, file).error(_XACRO_HINT)
    return tag


def is_plain(element: etree._Element) -> bool:
    """Whether an element is in the namespace of the whole file, or in none."""
    namespace = etree.QName(element).namespace
    root = element.getroottree().getroot()
    return namespace is None or namespace == etree.QName(root).namespace


def decoded(data: bytes, file: str) -> str:
    """The text of a file: by its byte order mark, else its declared encoding, else UTF-8."""
    declared = _ENCODING.match(data)
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    implied = (name for start, name in _FIRST_BYTES.items() if data.startswith(start))
    encoding = next(implied, encoding)
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ModelError(
            f"{file}: cannot be read as {encoding}: {error}; declare the file's encoding"
        ) from error


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
