"""The environments; the registered ids build them with their wrappers."""

from gym_imagetools.envs.image_tools import ImageToolsEnv
from gym_imagetools.envs.pivot import PivotEnv
from gym_imagetools.envs.weather import WeatherEnv

__all__ = ["ImageToolsEnv", "PivotEnv", "WeatherEnv"]
