"""A learned blind guess: which option is right, by how the options look beside one another.

Each option is a vector: a thumbnail of 32x32, the mean and spread of its colours, the strength of
its finest grain. A linear score of them is learned so that the right option of a task scores
highest (multinomial logistic regression over the options), by five folds.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from scipy.optimize import minimize

from gym_imagetools.types import Pixels

THUMBNAIL = 32
FOLDS = 5
_PENALTY = 3.0
_MAX_ROUNDS = 60


def look(crops: Sequence[Pixels]) -> np.ndarray:
    """What the options of a task look like, less what they have in common: (options, features)."""
    seen = np.array([_features(crop) for crop in crops])
    return seen - seen.mean(axis=0)


def _features(crop: Pixels) -> np.ndarray:
    gray = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_RGB2GRAY)
    small = cv2.resize(gray, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA)
    channels = crop.reshape(-1, 3).astype(np.float32)
    grain = cv2.Laplacian(gray, cv2.CV_32F)
    figures = [*channels.mean(axis=0), *channels.std(axis=0), abs(grain).mean(), grain.std()]
    return np.concatenate([small.ravel(), figures]).astype(np.float32)


def guesses(looks: Sequence[np.ndarray], right: Sequence[int]) -> list[int]:
    """Guess each task's option by what the other folds teach.

    Args:
        looks: The options of each task, shape (options, features); as many for each.
        right: The index of the right option of each.
    """
    options, true = np.array(looks, dtype=np.float32), np.array(right)
    spread = options.std(axis=(0, 1))
    options = options[:, :, spread > 1e-3] / spread[spread > 1e-3]
    options /= max(1.0, options.shape[2] ** 0.5)
    found = np.zeros(len(true), dtype=int)
    fold = np.arange(len(true)) % FOLDS
    for index in range(FOLDS):
        weights = _learn(options[fold != index], true[fold != index])
        found[fold == index] = (options[fold == index] @ weights).argmax(axis=1)
    return found.tolist()


def _learn(options: np.ndarray, true: np.ndarray) -> np.ndarray:
    rows = np.arange(len(true))

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = options @ weights.astype(np.float32)
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(axis=1, keepdims=True)
        missed = -np.log(shares[rows, true] + 1e-12).sum()
        shares[rows, true] -= 1
        slope = np.einsum("to,tof->f", shares, options)
        return missed + _PENALTY * weights @ weights / 2, slope + _PENALTY * weights

    start = np.zeros(options.shape[2])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _MAX_ROUNDS}).x
