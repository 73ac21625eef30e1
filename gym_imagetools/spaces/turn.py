"""The action space: one assistant turn, in any of the forms that models and clients produce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from gym_imagetools.parsing import is_action

Schemas = Mapping[str, Mapping[str, Any]]
"""JSON schema of the parameters by the tool's name."""

_SAMPLE_WORDS = ("centre", "left", "A", "7", "red")
_ANSWER_SHARE = 0.1


class TurnSpace(spaces.Space[Any]):
    r"""Assistant turns: text, one call, a list of output items, a client's reply, or a ``Turn``.

    Samples are schema-valid calls ``{"name", "arguments"}`` and now and then an answer
    ``\boxed{...}``.

    Args:
        schemas: The parameters' JSON schema by tool name.
        seed: Seeds the random samples.
    """

    def __init__(self, schemas: Schemas, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)
        self.schemas = dict(schemas)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random turn.

        Args:
            mask: Weights 0 or 1, one a tool in the order of the schemas and a last one for an
                answer; None lets everything through.
            probability: Probabilities in the same order; None for one answer in ten.

        Raises:
            ValueError: Both are given, one has a wrong length, or the mask forbids everything.
        """
        choice = int(
            self.np_random.choice(len(self.schemas) + 1, p=self._weights(mask, probability))
        )
        if choice == len(self.schemas):
            return rf"\boxed{{{self.np_random.choice(_SAMPLE_WORDS)}}}"
        name = list(self.schemas)[choice]
        return {"name": name, "arguments": self._sample_value(self.schemas[name])}

    def _weights(self, mask: Any, probability: Any) -> NDArray[np.float64]:
        if mask is not None and probability is not None:
            raise ValueError("Expected either a mask or a probability, got both.")
        tools = len(self.schemas)
        default = np.full(tools + 1, (1 - _ANSWER_SHARE) / max(tools, 1))
        default[tools] = _ANSWER_SHARE if tools else 1.0
        weights = default if probability is None else np.asarray(probability, dtype=float)
        if mask is not None:
            weights = default * np.asarray(mask, dtype=float)
        if weights.shape != (tools + 1,) or weights.sum() <= 0:
            raise ValueError(
                f"Expected {tools + 1} weights, not all 0 (one a tool, the last for an answer), "
                f"got {mask if probability is None else probability!r}."
            )
        normalised: NDArray[np.float64] = weights / weights.sum()
        return normalised

    def _sample_value(self, schema: Mapping[str, Any]) -> Any:
        if "anyOf" in schema:
            return self._sample_value(schema["anyOf"][0])
        if "enum" in schema:
            return schema["enum"][int(self.np_random.integers(len(schema["enum"])))]
        match schema.get("type"):
            case "object":
                return self._sample_object(schema)
            case "array":
                return self._sample_array(schema)
            case "integer":
                low = int(schema.get("minimum", 0))
                return int(self.np_random.integers(low, int(schema.get("maximum", low + 2)) + 1))
            case "number":
                return self._sample_number(schema)
            case "boolean":
                return bool(self.np_random.integers(2))
            case _:
                return str(self.np_random.choice(_SAMPLE_WORDS))

    def _sample_object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self._sample_value(part)
            for name, part in schema.get("properties", {}).items()
            if name in required or self.np_random.random() < 0.5
        }

    def _sample_array(self, schema: Mapping[str, Any]) -> list[Any]:
        low = int(schema.get("minItems", 0))
        length = int(self.np_random.integers(low, int(schema.get("maxItems", low + 2)) + 1))
        return [self._sample_value(schema.get("items", {})) for _ in range(length)]

    def _sample_number(self, schema: Mapping[str, Any]) -> float:
        low = float(schema.get("minimum", schema.get("exclusiveMinimum", 0.0)))
        high = float(schema.get("maximum", schema.get("exclusiveMaximum", low + 8.0)))
        # 1 - random() is in (0, 1]: an exclusive minimum is never drawn.
        return round(low + (high - low) * (1.0 - float(self.np_random.random())), 3)

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` has one of the forms of a turn, whatever it says."""
        return is_action(x)

    @property
    def is_np_flattenable(self) -> bool:
        """Turns have no fixed-size array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return type(other) is TurnSpace and other.schemas == self.schemas

    def __hash__(self) -> int:
        return hash((TurnSpace, tuple(self.schemas)))

    def __repr__(self) -> str:
        return f"TurnSpace({', '.join(self.schemas)})"
