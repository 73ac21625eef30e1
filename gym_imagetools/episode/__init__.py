"""The mechanics of an episode: its pictures, the running of a call, and what repeats."""

from gym_imagetools.episode.duplicates import JUDGES
from gym_imagetools.episode.episode import Episode, Exchange, Reply
from gym_imagetools.episode.record import CallRecord, Repeat, SourceRegion
from gym_imagetools.episode.store import DerivedPicture, Frame, PictureStore
from gym_imagetools.episode.workbench import Workbench

__all__ = [
    "JUDGES",
    "CallRecord",
    "DerivedPicture",
    "Episode",
    "Exchange",
    "Frame",
    "PictureStore",
    "Repeat",
    "Reply",
    "SourceRegion",
    "Workbench",
]
