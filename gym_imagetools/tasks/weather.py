"""Unlimited questions about the weather of a city, with the one call that answers each."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from gym_imagetools.rows.weather import WeatherTask
from gym_imagetools.tasks.split import Split, check_split, draw_seed, seed_of_split

_INSTRUCTION = (
    "You help with questions about the weather. Answer each with exactly one get_weather tool "
    "call and no other text."
)

_CITY_NAMES = (
    "Accra, Adelaide, Almaty, Amsterdam, Ankara, Antananarivo, Asunción, Athens, Auckland, "
    "Baku, Bamako, Bangkok, Barcelona, Beirut, Bergen, Bogotá, Bordeaux, Brașov, Bratislava, "
    "Brisbane, Brno, Bucharest, Busan, Cairo, Calgary, Caracas, Casablanca, Chennai, Chicago, "
    "Cologne, Colombo, Córdoba, Curitiba, Dakar, Denver, Dhaka, Dublin, Durban, Düsseldorf, "
    "Edinburgh, Florence, Fukuoka, Gdańsk, Geneva, Ghent, Göteborg, Graz, Hanoi, Harare, "
    "Helsinki, Hobart, Istanbul, İzmir, Jakarta, Kampala, Kathmandu, Kigali, Kraków, Kyiv, "
    "Kyoto, Lagos, Lima, Lisbon, Ljubljana, Lusaka, Lyon, Málaga, Malmö, Manila, Medellín, "
    "Melbourne, Montréal, Mumbai, Nairobi, Nantes, Naples, Oaxaca, Osaka, Oslo, Ottawa, Porto, "
    "Prague, Quito, Reykjavík, Riga, Rome, Rosario, Sapporo, Seoul, Sofia, Stuttgart, Tallinn, "
    "Tbilisi, Toronto, Tromsø, Tunis, Turin, Ulaanbaatar, Utrecht, València, Vienna, Vilnius, "
    "Warsaw, Wellington, Zagreb, Zürich, Addis Ababa, Buenos Aires, Cape Town, Ho Chi Minh "
    "City, Kuala Lumpur, La Paz, Mexico City, New Delhi, Rio de Janeiro, São Paulo, Tel Aviv"
)
_CITIES = tuple(_CITY_NAMES.split(", "))

_PHRASINGS = (
    "What is the weather like in {city}?",
    "How is the weather in {city} right now?",
    "Do I need an umbrella in {city} today?",
    "Is it cold in {city} at the moment?",
    "I land in {city} in an hour. What is it like outside?",
    "weather {city}",
    "Tell me today's weather for {city}, please.",
    "Could you check whether the sun is out in {city}?",
    "My sister lives in {city}. Is it raining there?",
    "{city}: sun or clouds?",
    "Should I wear a coat in {city} today?",
    "How windy is {city} just now?",
)
_UNITS = {
    "celsius": " Give it in degrees Celsius.",
    "fahrenheit": " Give it in degrees Fahrenheit.",
}


def _function(
    name: str, description: str, properties: dict[str, Any], required: list[str]
) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        "strict": False,
    }


_CITY = {"type": "string", "description": "Name of the city."}
_UNIT = {"type": "string", "enum": list(_UNITS), "description": "Unit of the temperature."}
_GET_WEATHER = _function(
    "get_weather", "Tell the present weather of a city.", {"city": _CITY}, ["city"]
)
_GET_WEATHER_IN_UNIT = _function(
    "get_weather",
    "Tell the present weather of a city.",
    {"city": _CITY, "unit": _UNIT},
    ["city", "unit"],
)
_OTHER_TOOLS = (
    _function("get_local_time", "Tell the local time of a city.", {"city": _CITY}, ["city"]),
    _function("get_population", "Tell how many people live in a city.", {"city": _CITY}, ["city"]),
    _function(
        "get_tides",
        "Tell the next high and low water at a harbour.",
        {"harbour": {"type": "string", "description": "Name of the harbour."}},
        ["harbour"],
    ),
    _function(
        "convert_temperature",
        "Convert a temperature to another unit.",
        {"degrees": {"type": "number", "description": "The temperature."}, "to": _UNIT},
        ["degrees", "to"],
    ),
)


def generate_weather(seed: int) -> WeatherTask:
    """Return the weather question of a seed: the same seed, the same question.

    Args:
        seed: Any integer from 0 on.
    """
    rng = np.random.default_rng([crc32(b"Weather"), seed])
    city = _CITIES[int(rng.integers(len(_CITIES)))]
    question = _PHRASINGS[int(rng.integers(len(_PHRASINGS)))].format(city=city)
    arguments = {"city": city}
    tool = _GET_WEATHER
    if rng.random() < 0.4:
        unit = list(_UNITS)[int(rng.integers(len(_UNITS)))]
        question, tool = question + _UNITS[unit], _GET_WEATHER_IN_UNIT
        arguments["unit"] = unit
    others = rng.permutation(len(_OTHER_TOOLS))[: int(rng.integers(len(_OTHER_TOOLS) + 1))]
    tools = [tool, *(_OTHER_TOOLS[int(other)] for other in others)]
    return WeatherTask(
        task_id=f"Weather/{seed}",
        question=question,
        messages=(
            {"role": "developer", "content": _INSTRUCTION},
            {"role": "user", "content": question},
        ),
        tools=tuple(tools[int(place)] for place in rng.permutation(len(tools))),
        expected_call={"name": "get_weather", "arguments": arguments},
    )


class WeatherSource:
    """Generated weather questions.

    Args:
        split: ``train``, ``eval``, or None for all seeds; the halves never meet.

    Raises:
        ValueError: Unknown split.
    """

    num_tasks: int | None = None

    def __init__(self, split: Split | None = "train") -> None:
        check_split(split)
        self._split = split

    def reset(self, rng: np.random.Generator) -> None:
        """Do nothing: every question is drawn by itself."""

    def next(self, rng: np.random.Generator) -> WeatherTask:
        """Return a random question."""
        return generate_weather(draw_seed(rng, self._split))

    def task(self, index: int | str) -> WeatherTask:
        """Return the question of a seed, or the one that a task id names.

        Raises:
            ValueError: The seed is no integer from 0 on, or the id is of another kind.
        """
        if isinstance(index, str):
            kind, _, seed = index.partition("/")
            if kind != "Weather" or not seed.isdecimal():
                raise ValueError(f"Expected a task id as Weather/seed, got {index!r}.")
            return generate_weather(int(seed))
        return generate_weather(seed_of_split(index, self._split))
