"""Steps of an algorithm that compute the same for many columns: to be traced as one, not unrolled.

A *stack* is a matrix whose columns belong to the degrees of freedom. A kernel takes and returns
stacks. Run on numbers it computes; while a recorder is set it is noted instead, and the recorder
says what stands for its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeAlias

from symkin.algebra.matrix import Matrix


class Kernel(Protocol):
    """A computation on stacks, over any scalar."""

    @property
    def compute(self) -> Callable[..., tuple[Matrix, ...]]:
        """Its results, scalar by scalar."""


Recorder: TypeAlias = Callable[[Kernel, tuple[Matrix, ...]], tuple[Matrix, ...]]

_RECORDER: ContextVar[Recorder | None] = ContextVar("symkin_recorder", default=None)


def run(kernel: Kernel, *stacks: Matrix) -> tuple[Matrix, ...]:
    """The kernel's results, or what a recorder gives in their place."""
    recorder = _RECORDER.get()
    return kernel.compute(*stacks) if recorder is None else recorder(kernel, stacks)


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Kernels that run inside are handed to the recorder."""
    token = _RECORDER.set(recorder)
    try:
        yield
    finally:
        _RECORDER.reset(token)
