"""One quantity of one frame, held against every lane, its laws and every oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from symkin.algebra import constant
from symkin.algebra.bounded import DOUBLE, Bounded
from symkin.errors import BuildError
from symkin.quantities import Instance
from symkin.quantities.demands import separation
from symkin.verify.checks import Check, is_decided, judge, skipped
from symkin.verify.lanes import COMPILED_LANES, COSTLY_LANES, DERIVATIVE_LANES, value_lanes
from symkin.verify.laws import LAWS, Law
from symkin.verify.oracles import ORACLES, Oracle
from symkin.verify.scene import Scene
from symkin.verify.states import CONTACT_MARGIN, GIMBAL_MARGIN
from symkin.verify.traced import LARGE

REFERENCE = "dual"
"""The derivative lane that the others are compared with."""

REDUCED = f"more than {LARGE:,} operations: only in a thorough verification"
"""Why lanes are left out of a quick one."""

OTHER_OPERATIONS = 8.0
"""Another library performs other operations than ours: it is allowed this many times our bound."""


SOLVED = {
    "forward_dynamics": "bias",
    "forward_dynamics_dq": "inverse_dynamics_dq",
    "forward_dynamics_dv": "inverse_dynamics_dv",
}
"""Quantities that others find by solving M x = b, and what b is made of."""


@dataclass(frozen=True, eq=False)
class Examination:
    """The checks of a quantity in a scene, by the lanes ``wanted``."""

    instance: Instance
    scene: Scene
    wanted: frozenset[str]

    @property
    def quantity(self) -> str:
        """The row's name."""
        return self.instance.quantity.name

    def checks(self, oracles: bool) -> Iterator[Check]:
        """All of them, of states at which the quantity is regular."""
        regular, note = self._regular()
        if not regular.count:
            yield self._skipped("all lanes", note)
            return
        here = replace(self, scene=regular)
        yield from here._values(note)
        yield from here._derivatives(note)
        for law in LAWS.get(self.quantity, ()):
            yield from here._law(law, note)
        if oracles:
            for oracle in ORACLES.values():
                yield from here._oracle(oracle, note)

    def _regular(self) -> tuple[Scene, str]:
        """The scene without the states near the gimbal, or where contacts cannot be told apart."""
        robot, contacts = self.scene.robot, self.instance.contacts
        if "zyx" in self.quantity:
            regular = self.scene.value("zyx_condition").value[:, 0] >= GIMBAL_MARGIN
            condition = f"cos(theta) >= {GIMBAL_MARGIN}"
        elif contacts:
            apart = [separation(robot, contacts, constant(q)) for q in self.scene.q]
            regular = np.array(apart) >= CONTACT_MARGIN
            condition = "contacts can be told apart"
        else:
            return self.scene, ""
        if regular.all():
            return self.scene, ""
        states = {name: array[regular] for name, array in self.scene.states.items()}
        note = f"{condition} at {regular.sum()} of {len(regular)} states"
        return self.scene.at(states), note

    def _values(self, note: str) -> Iterator[Check]:
        reference = self.scene.value(self.quantity)
        for lane in value_lanes(self.instance):
            if lane in self.wanted:
                missing = self._missing(lane)
                if missing:
                    yield self._skipped(lane, missing)
                    continue
                yield self._judged(lane, self.scene.value(self.quantity, lane), reference, note)
        if self.scene.subject(self.quantity).traced.reduced:
            yield self._skipped("the graph as planned", REDUCED)

    def _derivatives(self, note: str) -> Iterator[Check]:
        for lane in DERIVATIVE_LANES:
            if lane in self.wanted and lane != REFERENCE:
                missing = self._missing(lane)
                if missing:
                    yield self._skipped(lane, missing)
                    continue
                reference = self.scene.full_derivative(self.quantity, REFERENCE)
                ours = self.scene.full_derivative(self.quantity, lane)
                yield self._judged(lane, ours, reference, note)

    def _law(self, law: Law, note: str) -> Iterator[Check]:
        if not law.differentiates:
            yield self._judged(f"law: {law.text}", *law.sides(self.scene), note)
            return
        for lane in DERIVATIVE_LANES:
            if lane not in self.wanted:
                continue
            missing = {self._missing(lane, quantity) for quantity in law.differentiates} - {""}
            if REDUCED in missing:
                yield self._skipped(f"law: {law.text}, by {lane}", REDUCED)
            elif not missing:
                sides = law.sides(self.scene, lane)
                yield self._judged(f"law: {law.text}, by {lane}", *sides, note)

    def _oracle(self, oracle: type[Oracle], note: str) -> Iterator[Check]:
        if self.quantity not in oracle.conventions:
            return
        lane = f"{oracle.name}: {oracle.conventions[self.quantity]}"
        root = self.scene.robot.links[0].name
        if not oracle.installed():
            yield self._skipped(lane, f"not installed: pip install {oracle.package}")
        elif oracle.refusal(self.instance):
            yield self._skipped(lane, oracle.refusal(self.instance))
        elif self.scene.relative_to != root:
            yield self._skipped(lane, f"asked only for frames relative to the root, {root!r}")
        else:
            model = self.scene.kept(
                oracle, lambda: oracle(self.scene.robot, self.scene.frame or root)
            )
            states = (
                {name: array[k] for name, array in self.scene.states.items()}
                for k in range(self.scene.count)
            )
            answers = np.array([model.measure(self.instance, state) for state in states])
            theirs = Bounded(answers, self._other_bound())
            yield self._judged(lane, self.scene.value(self.quantity), theirs, note)

    def _other_bound(self) -> np.ndarray:
        """That of another library's answer: `_others`; where it takes solving M x = b, what M and b
        may be off by, |M^-1| (e_b + e_M |x|), if that is more."""
        scene = self.scene
        ours = scene.value(self.quantity)
        bound = _others(ours)
        if self.quantity in SOLVED and scene.robot.nv:
            there = scene.at({**scene.states, "a": scene.value("forward_dynamics").value})
            b, M = _others(there.value(SOLVED[self.quantity])), _others(there.value("mass_matrix"))
            x = ours.value.reshape((scene.count, scene.robot.nv, -1))
            inverse = np.abs(scene.value("inverse_mass_matrix").value)
            solved = inverse @ (b.reshape(x.shape) + M @ np.abs(x))
            bound = np.maximum(bound, solved.reshape(bound.shape))
        return bound

    def _missing(self, lane: str, quantity: str | None = None) -> str:
        """Why a lane is not carried out for this quantity, or for another of the same frame."""
        subject = self.scene.subject(quantity or self.quantity)
        if lane in COSTLY_LANES and subject.traced.reduced:
            return REDUCED
        if lane in COMPILED_LANES:
            try:
                subject.compiled(lane, subject.traced)
            except BuildError as error:
                return str(error)
        return ""

    def _judged(self, lane: str, left: object, right: object, note: str) -> Check:
        return judge(self.instance.name, lane, left, right, note)

    def _skipped(self, lane: str, reason: str) -> Check:
        return skipped(self.instance.name, lane, reason)


def _others(ours: Bounded) -> np.ndarray:
    """That of another library's answer: of each state, `OTHER_OPERATIONS` times our largest."""
    axes = tuple(range(1, ours.value.ndim))
    bounds = np.where(is_decided(ours.bound, ours.value), ours.bound, 0.0)
    size = np.maximum(1.0, np.abs(ours.value))
    largest = np.max(bounds + DOUBLE.unit * size, axis=axes, keepdims=True, initial=0.0)
    return np.broadcast_to(OTHER_OPERATIONS * largest, ours.value.shape)
