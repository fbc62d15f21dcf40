"""Laws of the time steps: what defines each scheme, and what its matrices are derivatives of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import Bounded
from symkin.algorithms.integrators import IMPLICIT, SCHEMES
from symkin.verify.arrays import exactly, exponential, joined
from symkin.verify.laws.law import Law, Sides
from symkin.verify.scene import Scene
from symkin.verify.subject import tangent_basis

Array = npt.NDArray[np.float64]


def _moved(scene: Scene, d: Bounded) -> Bounded:
    """integrate(q, d): what moves d by an error moves the end by as much, turns aside."""
    end = scene.at({**scene.states, "d": d.value}).value("integrate")
    off = 2.0 * np.max(d.bound, axis=-1, keepdims=True, initial=0.0)
    return Bounded(end.value, end.bound + off)


def _acceleration(scene: Scene, q: Bounded, v: Bounded) -> Bounded:
    """forward_dynamics at a state that is known up to its bound."""
    there = scene.at({**scene.states, "q": q.value, "v": v.value})
    a, slope = there.value("forward_dynamics"), there.derivative("forward_dynamics", "dual")
    nv = scene.robot.nv
    off = np.concatenate(
        [
            np.full_like(v.bound, 2.0) * np.max(q.bound, axis=-1, keepdims=True, initial=0.0),
            v.bound,
        ],
        axis=-1,
    )
    brought = np.abs(slope.value[..., : 2 * nv]) @ off[:, :, None]
    return Bounded(a.value, a.bound + 2.0 * brought[..., 0])


def _euler(scene: Scene) -> tuple[Bounded, Bounded]:
    q, v, h = exactly(scene.q), exactly(scene.v), scene.states["h"]
    return _moved(scene, v * h), v + _acceleration(scene, q, v) * h


def _semi_implicit(scene: Scene) -> tuple[Bounded, Bounded]:
    v_end = _euler(scene)[1]
    return _moved(scene, v_end * scene.states["h"]), v_end


def _rk4(scene: Scene) -> tuple[Bounded, Bounded]:
    """Of coordinates whose rates are v."""
    h = scene.states["h"]
    q, v = exactly(scene.q), exactly(scene.v)
    slopes = []
    q_k, v_k = q, v
    for weight in (0.5, 0.5, 1.0, 0.0):
        slopes.append((v_k, _acceleration(scene, q_k, v_k)))
        q_k, v_k = (x + slope * (h * weight) for x, slope in zip((q, v), slopes[-1], strict=True))
    (a, b), (c, d), (e, f), (g, k) = slopes
    return q + (a + c * 2.0 + e * 2.0 + g) * (h / 6.0), v + (b + d * 2.0 + f * 2.0 + k) * (h / 6.0)


def _implicit_euler(scene: Scene) -> tuple[Bounded, Bounded]:
    q_end, v_end = _parts(scene, scene.value("step_implicit_euler"))
    h = scene.states["h"]
    a = _acceleration(scene, q_end, v_end)
    return _moved(scene, v_end * h), exactly(scene.v) + a * h


def _implicit_midpoint(scene: Scene) -> tuple[Bounded, Bounded]:
    _, v_end = _parts(scene, scene.value("step_implicit_midpoint"))
    h = scene.states["h"]
    middle = (v_end + scene.v) * 0.5
    a = _acceleration(scene, _moved(scene, middle * (0.5 * h)), middle)
    return _moved(scene, middle * h), exactly(scene.v) + a * h


_DEFINITIONS: Mapping[str, tuple[str, Callable[[Scene], tuple[Bounded, Bounded]]]] = {
    "euler": ("(q + h v, v + h a)", _euler),
    "semi_implicit_euler": ("v+ = v + h a, q+ = q + h v+", _semi_implicit),
    "rk4": ("four stages, weights 1 2 2 1", _rk4),
    "implicit_euler": ("v+ = v + h a(q+, v+), q+ = q + h v+", _implicit_euler),
    "implicit_midpoint": ("v+ = v + h a in the middle", _implicit_midpoint),
}


def _parts(scene: Scene, x: Bounded) -> tuple[Bounded, Bounded]:
    nq = scene.robot.nq
    return x[:, :nq], x[:, nq:]


def _defined(scheme: str) -> Law:
    text, definition = _DEFINITIONS[scheme]

    def sides(scene: Scene) -> Sides:
        step = scene.value(f"step_{scheme}")
        if scheme == "rk4" and scene.robot.nq != scene.robot.nv:
            return step, step.value
        return step, joined(definition(scene))

    return Law(text, sides)


def _derivative(scheme: str, suffix: str) -> Law:
    """N(q+) takes the tangent rows of the matrices to the rates of q+."""
    whole = f"step_{scheme}"

    def sides(scene: Scene, lane: str) -> Sides:
        nv = scene.robot.nv
        columns = {"dx": slice(0, 2 * nv), "dtau": slice(2 * nv, 3 * nv), "dh": slice(3 * nv, None)}
        expected = scene.derivative(whole, lane)[..., columns[suffix]]
        matrix = scene.value(f"{whole}_{suffix}")
        if suffix == "dh":
            matrix = matrix[..., None]
        q_end, _ = _parts(scene, scene.value(whole))
        N = exactly(np.moveaxis(tangent_basis(scene.robot, q_end.value), -1, -2))
        off = np.max(q_end.bound, axis=-1, initial=0.0)[:, None, None]
        N = Bounded(N.value, np.where(N.value == 0.0, 0.0, 2.0 * off))
        return joined([N @ matrix[:, :nv], matrix[:, nv:]], axis=-2), expected

    return Law(f"d/d{suffix[1:]} {whole}", sides, (whole,))


def _solved(scheme: str) -> Law:
    def sides(scene: Scene) -> Sides:
        return scene.value(f"step_{scheme}_residual"), 0.0

    return Law("residual = 0", sides)


def _rate(scene: Scene) -> Sides:
    return scene.value("linearised_rate"), joined(
        [exactly(scene.v), scene.value("forward_dynamics")]
    )


def _slopes(scene: Scene) -> Sides:
    nv = scene.robot.nv
    blocks = [scene.value("forward_dynamics_dq"), scene.value("forward_dynamics_dv")]
    return scene.value("linearised_dx")[:, nv:], joined(blocks)


def _forces(scene: Scene) -> Sides:
    below = scene.value("inverse_mass_matrix")
    zero = exactly(np.zeros(below.value.shape))
    return scene.value("linearised_dtau"), joined([zero, below], axis=-2)


def _held(name: str) -> Law:
    """exp of [[A, B, c], [0, 0, 0], [0, 0, 0]] h."""

    def sides(scene: Scene) -> Sides:
        nv = scene.robot.nv
        A, B = scene.value("linearised_dx"), scene.value("linearised_dtau")
        c = scene.value("linearised_rate")[..., None]
        upper = joined([A, B, c])
        lower = exactly(np.zeros((scene.count, nv + 1, 3 * nv + 1)))
        E = exponential(joined([upper, lower], axis=-2) * scene.states["h"][..., None])[:, : 2 * nv]
        block = {"dx": E[..., : 2 * nv], "dtau": E[..., 2 * nv : 3 * nv], "rate": E[..., -1]}
        return scene.value(f"held_{name}"), block[name]

    return Law("exp of the linear system", sides)


LAWS: Mapping[str, tuple[Law, ...]] = {
    **{f"step_{scheme}": (_defined(scheme),) for scheme in SCHEMES},
    **{
        f"step_{scheme}_{suffix}": (_derivative(scheme, suffix),)
        for scheme in SCHEMES
        for suffix in ("dx", "dtau", "dh")
    },
    **{f"step_{scheme}_residual": (_solved(scheme),) for scheme in IMPLICIT},
    "linearised_rate": (Law("(v, forward_dynamics)", _rate),),
    "linearised_dx": (Law("lower half: forward_dynamics_dq, _dv", _slopes),),
    "linearised_dtau": (Law("(0, M^-1)", _forces),),
    **{f"held_{name}": (_held(name),) for name in ("dx", "dtau", "rate")},
}
