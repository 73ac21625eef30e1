"""How the pay for tool use adds up over an episode: the reference's running cap, and ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

RewardPolicy = Literal["reference", "strict"]
"""Which pair of rules an environment follows: as published, or the ungameable ones."""

_STRICT_FLOOR = -1.0


class Ledger(Protocol):
    """An immutable account of the pay for tool use."""

    @property
    def total(self) -> float:
        """The auxiliary reward so far."""

    def after(self, bonus: float, penalty: float, *, made_picture: bool) -> Self:
        """Return the account after one more turn.

        Args:
            bonus: What the turn earned, >= 0.
            penalty: What it lost, <= 0.
            made_picture: Whether the turn made a picture, duplicates included.
        """


@dataclass(frozen=True, slots=True)
class RunningCap:
    """The reference's rule: one running sum, cut to the cap after turns that made a picture.

    The order of calls matters: a penalty before the cap is reached can be earned back.
    """

    cap: float
    total: float = 0.0

    def after(self, bonus: float, penalty: float, *, made_picture: bool) -> Self:
        """Add the turn's pay, then cut to the cap if the turn made a picture."""
        total = self.total + (bonus + penalty)
        return replace(self, total=min(total, self.cap) if made_picture else total)


@dataclass(frozen=True, slots=True)
class CappedApart:
    """The strict rule: bonuses within 0..cap, penalties not below -1, whatever the order."""

    cap: float
    bonuses: float = 0.0
    penalties: float = 0.0

    @property
    def total(self) -> float:
        """Bonuses and penalties, each within its own bound."""
        return min(self.bonuses, self.cap) + max(self.penalties, _STRICT_FLOOR)

    def after(self, bonus: float, penalty: float, *, made_picture: bool) -> Self:
        """Add bonus and penalty to their own sums."""
        return replace(self, bonuses=self.bonuses + bonus, penalties=self.penalties + penalty)


LEDGERS: dict[RewardPolicy, type[RunningCap] | type[CappedApart]] = {
    "reference": RunningCap,
    "strict": CappedApart,
}
