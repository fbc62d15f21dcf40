"""Shared library file to checked callables: NumPy in, NumPy out. Needs no compiler."""

from __future__ import annotations

import contextlib
import ctypes
import difflib
import math
import os
import struct
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from symkin.build import Arithmetic, compile_module
from symkin.emit import CArray, CFunction, CModule
from symkin.errors import ArgumentError, BuildError
from symkin.evaluate import check_inputs
from symkin.quantities import normalised

Array = npt.NDArray[Any]

_TYPES: Mapping[tuple[str, str], type[np.inexact[Any]]] = {
    ("double", "real"): np.float64,
    ("float", "real"): np.float32,
    ("double", "complex"): np.complex128,
}


def build(
    module: CModule,
    *,
    compiler: str | PathLike[str] | Sequence[str] | None = None,
    flags: str | Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    arithmetic: Arithmetic = "real",
) -> Library:
    """Compile a module, or find it compiled, and load it. Arguments are those of `compile_module`.

    A file of the cache that cannot be loaded is damaged, and compiled again. Raises BuildError when
    the module cannot be compiled or loaded.
    """
    options: dict[str, Any] = {
        "compiler": compiler,
        "flags": flags,
        "cache": cache,
        "arithmetic": arithmetic,
    }
    again = partial(build, module, **options)
    path = compile_module(module, **options)
    try:
        return Library(path, module.functions, arithmetic=arithmetic, rebuild=again)
    except BuildError:
        with contextlib.suppress(OSError):
            path.unlink()
        path = compile_module(module, **options)
        return Library(path, module.functions, arithmetic=arithmetic, rebuild=again)


class Library:
    """A loaded shared library: ``library.jacobian_body(q)`` or ``library["jacobian_body"](q=q)``.

    Functions may be called from any number of threads; ctypes releases the interpreter meanwhile.
    A library pickles as its path, its functions and, if it was built here, the module to build it
    from again. Closing unloads it as soon as calls under way are done; it can be a context manager.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        functions: Iterable[CFunction],
        *,
        arithmetic: Arithmetic = "real",
        rebuild: Callable[[], Library] | None = None,
    ) -> None:
        self.path = Path(path).absolute()
        self.functions = tuple(functions)
        self._arithmetic: Arithmetic = arithmetic
        self._rebuild = rebuild
        self._loaded: _Loaded | None = _Loaded(self.path, self.functions)
        self._callables = {f.name: Function(self, f) for f in self.functions}

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        functions: Iterable[CFunction],
        *,
        arithmetic: Arithmetic = "real",
    ) -> Self:
        """Load a compiled file, whose functions are those of the module it was built from.

        Raises BuildError, naming the path, when it cannot be loaded or lacks one of them.
        """
        return cls(path, functions, arithmetic=arithmetic)

    def hold(self) -> _Loaded:
        """The loaded file, which stays loaded for as long as this is held."""
        if self._loaded is None:
            raise BuildError(f"the library {self.path.name} was closed; open or build it again")
        return self._loaded

    def dtype(self, function: CFunction) -> type[np.inexact[Any]]:
        """The type of the function's numbers."""
        kind = _TYPES.get((function.real, self._arithmetic))
        if kind is None:
            raise ArgumentError(
                f"{self.path.name}: no arithmetic {self._arithmetic!r} for {function.real}"
            )
        return kind

    def call(self, name: str, /, **inputs: Any) -> Any:
        """``library[name](**inputs)``."""
        return self[name](**inputs)

    def __getitem__(self, name: str) -> Function:
        """The function called ``name``; ArgumentError when there is none."""
        if name in self._callables:
            return self._callables[name]
        raise ArgumentError(self._unknown(name))

    def __getattr__(self, name: str) -> Function:
        known: dict[str, Function] = self.__dict__.get("_callables", {})
        if name in known:
            return known[name]
        raise AttributeError(self._unknown(name) if known else name)

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self._callables, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(self)}"
        return f"the library {self.path.name} has no function {name!r}; {hint}"

    def __contains__(self, name: object) -> bool:
        return name in self._callables

    def __iter__(self) -> Iterator[str]:
        return iter(self._callables)

    def __len__(self) -> int:
        return len(self._callables)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._callables]

    def __repr__(self) -> str:
        state = "closed" if self._loaded is None else f"{len(self)} functions"
        return f"<Library {self.path.name}: {state}>"

    def close(self) -> None:
        """Unload the library; its functions then raise BuildError. Closing twice is no error."""
        self._loaded = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._loaded is None:
            raise BuildError(f"the library {self.path.name} was closed and cannot be pickled")
        return _reopen, (self.path, self.functions, self._arithmetic, self._rebuild)


def _reopen(
    path: Path,
    functions: tuple[CFunction, ...],
    arithmetic: Arithmetic,
    rebuild: Callable[[], Library] | None,
) -> Library:
    """A pickled library: the file it had or, where that is gone or damaged, one built again."""
    try:
        return Library(path, functions, arithmetic=arithmetic, rebuild=rebuild)
    except BuildError:
        if rebuild is None:
            raise
    return rebuild()


class Function:
    """A function of a library. Its documentation is that of the C header.

    Inputs are arrays of the ports' shapes, given in order or by name, and may have leading axes:
    they are a batch, shared by broadcasting. A vector over joints may also be a mapping from their
    names. A single output is returned as an array, several as a dictionary of arrays. ``out`` takes
    them instead, in the same form; contiguous arrays in row-major order are written without a copy.

    Quaternions are scaled to length 1. Raises ArgumentError for wrong names, shapes and types, and
    for quaternions of no length. NaN passes through.
    """

    def __init__(self, library: Library, described: CFunction) -> None:
        self._library = library
        self.described = described
        self.dtype = library.dtype(described)
        self.__doc__ = described.doc

    def __call__(
        self, *positional: Any, out: Array | Mapping[str, Array] | None = None, **named: Any
    ) -> Any:
        arrays, batch = self._inputs(positional, named)
        results = self._results(batch, out)
        buffers = {
            array.port.name: results[array.port.name]
            if array.row_major and results[array.port.name].flags.carray
            else np.empty((*batch, len(array.entries)), self.dtype)
            for array in self.described.outputs
        }
        self._run(arrays, batch, buffers)
        for array in self.described.outputs:
            name = array.port.name
            if buffers[name] is not results[name]:
                results[name][...] = _dense(array, buffers[name])
        return self._single(results)

    def nonzeros(self, *positional: Any, **named: Any) -> Any:
        """The structural nonzeros of each output, shape (..., n), in the order that C stores them.

        Element k is entry ``described.outputs[...].nonzeros[k]`` of the output, counted row by row.
        """
        arrays, batch = self._inputs(positional, named)
        buffers = {
            array.port.name: np.empty((*batch, len(array.entries)), self.dtype)
            for array in self.described.outputs
        }
        self._run(arrays, batch, buffers)
        for array in self.described.outputs:
            place = {entry: k for k, entry in enumerate(array.entries)}
            kept = [place[entry] for entry in array.nonzeros]
            buffers[array.port.name] = buffers[array.port.name][..., kept]
        return self._single(buffers)

    def __repr__(self) -> str:
        ports = ", ".join(f"{a.port.name}{list(a.port.shape)}" for a in self.described.inputs)
        return f"<{self.described.name}({ports}) of {self._library.path.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Library.__getitem__, (self._library, self.described.name)

    def _inputs(
        self, positional: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[list[Array], tuple[int, ...]]:
        """One contiguous array per input, in C's layout, and the batch they share."""
        name, ports = self.described.name, tuple(a.port for a in self.described.inputs)
        if len(positional) > len(ports):
            raise ArgumentError(f"{name} takes {len(ports)} inputs, not {len(positional)}")
        ordered = dict(zip((port.name for port in ports), positional, strict=False))
        twice = [key for key in ordered if key in named]
        if twice:
            raise ArgumentError(f"{name}: {', '.join(twice)} is given twice")
        checked, batch = check_inputs(name, ports, {**ordered, **named})
        is_complex = np.issubdtype(self.dtype, np.complexfloating)
        laid_out = []
        for array, value in zip(self.described.inputs, checked, strict=True):
            if value.dtype.kind == "c" and not is_complex:
                raise ArgumentError(
                    f"{name}: {array.port.name} is complex; "
                    "build the module with arithmetic='complex' for that"
                )
            value = normalised(name, array.port, value)
            shape = (*batch, *array.port.shape)
            full = value if value.shape == shape else np.broadcast_to(value, shape)
            if not array.row_major:
                full = full.reshape((*batch, array.port.size))[..., list(array.entries)]
            laid_out.append(np.ascontiguousarray(full, dtype=self.dtype))
        return laid_out, batch

    def _results(
        self, batch: tuple[int, ...], out: Array | Mapping[str, Array] | None
    ) -> dict[str, Array]:
        """The arrays to return: fresh ones, or those given, checked."""
        described = self.described
        shapes = {a.port.name: (*batch, *a.port.shape) for a in described.outputs}
        if out is None:
            return {name: np.empty(shape, self.dtype) for name, shape in shapes.items()}
        given = out if isinstance(out, Mapping) else dict.fromkeys(list(shapes)[:1], out)
        if set(given) != set(shapes):
            raise ArgumentError(
                f"{described.name}: out is a mapping of {', '.join(shapes)} to arrays"
            )
        for name, shape in shapes.items():
            array = given[name]
            if not isinstance(array, np.ndarray) or array.shape != shape:
                received = getattr(array, "shape", type(array).__name__)
                raise ArgumentError(
                    f"{described.name}: out for {name} is {received}; expected an array of {shape}"
                )
            if array.dtype != self.dtype or not array.flags.writeable:
                writeable = "" if array.flags.writeable else "read-only "
                raise ArgumentError(
                    f"{described.name}: out for {name} is {writeable}{array.dtype}; "
                    f"expected writeable {np.dtype(self.dtype)}"
                )
        return dict(given)

    def _run(self, arrays: list[Array], batch: tuple[int, ...], buffers: dict[str, Array]) -> None:
        """Call C once per state of the batch."""
        loaded = self._library.hold()  # even if another thread closes the library meanwhile
        pointer = loaded.pointers[self.described.symbol]
        if not batch:
            pointer(*(array.ctypes.data for array in (*arrays, *buffers.values())))
            return
        states, written = math.prod(batch), tuple(buffers.values())
        # One state's output must not overwrite the next state's input.
        arrays = [
            array.copy() if any(np.may_share_memory(array, w) for w in written) else array
            for array in arrays
        ]
        starts = [(a.ctypes.data, a.nbytes // max(states, 1)) for a in (*arrays, *written)]
        for state in range(states):
            pointer(*(start + state * step for start, step in starts))

    def _single(self, results: dict[str, Array]) -> Any:
        return next(iter(results.values())) if len(results) == 1 else results


def _dense(array: CArray, buffer: Array) -> Array:
    """The port's shape with the stored entries in their places, zeros elsewhere."""
    batch = buffer.shape[:-1]
    flat = np.zeros((*batch, array.port.size), buffer.dtype)
    flat[..., list(array.entries)] = buffer
    return flat.reshape((*batch, *array.port.shape))


class _Loaded:
    """The C functions of a loaded file, which is unloaded when the last who holds this lets go."""

    def __init__(self, path: Path, functions: Iterable[CFunction]) -> None:
        if _is_cut_short(path):
            raise BuildError(f"cannot load the library {str(path)!r}: the file is cut short")
        try:
            file = ctypes.CDLL(str(path))
        except OSError as error:
            raise BuildError(f"cannot load the library {str(path)!r}: {error}") from error
        weakref.finalize(self, _unload, file._handle).atexit = False
        self.pointers: dict[str, Callable[..., None]] = {}
        for function in functions:
            try:
                pointer = file[function.symbol]
            except AttributeError:
                raise BuildError(f"{str(path)!r} has no function {function.symbol}") from None
            pointer.argtypes = [ctypes.c_void_p] * (len(function.inputs) + len(function.outputs))
            pointer.restype = None
            self.pointers[function.symbol] = pointer


def _is_cut_short(path: Path) -> bool:
    """Whether an ELF file ends before its section headers do, which linkers write last.

    The system would map what is not there, and the process would end by a signal.
    """
    with contextlib.suppress(OSError, struct.error):  # said better by those who load it
        with path.open("rb") as file:
            head = file.read(64)
            size = file.seek(0, os.SEEK_END)
        if head[:4] == b"\x7fELF":
            order = "<" if head[5] == 1 else ">"
            # e_shoff, then e_flags, e_ehsize, e_phentsize and e_phnum, then e_shentsize, e_shnum
            layout, at = ("Q10xHH", 0x28) if head[4] == 2 else ("I10xHH", 0x20)
            start, each, count = struct.unpack_from(order + layout, head, at)
            return bool(size < start + each * count)
    return False


def _unload(handle: int) -> None:
    if sys.platform == "win32":
        ctypes.windll.kernel32.FreeLibrary(ctypes.c_void_p(handle))
    else:
        import _ctypes

        _ctypes.dlclose(handle)
