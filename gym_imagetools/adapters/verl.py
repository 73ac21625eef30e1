"""verl: the tools of its agent loop, the score of a rollout, and rows.

verl makes one tool object for all rollouts and another instance for each call, so the episode of a
rollout hangs on its ``agent_data``. The score is computed elsewhere, from what travels with the
rollout: the calls in its ``extra_fields``, which are played again, and the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from PIL import Image
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse

from gym_imagetools.adapters.hosted import HostedEpisode
from gym_imagetools.conversation import Conversation
from gym_imagetools.images.data_url import decode_data_url
from gym_imagetools.tools.schemas import FUNCTION_TOOLS

ROW_KEY = "gym_imagetools"
"""Where ``tools_kwargs`` of a row names the environment and the task, as JSON."""

CALLS_KEY = "gym_imagetools_calls"
"""Where the extra fields of a rollout list its calls: the name and the arguments of each."""

_END_OF_REPLY = "</tool_response>"
_OPENING_OF_TURN = re.compile(r"\A\s*(?:assistant\s*\n)?")
_PICTURE = "<image>"


class ImageTool(BaseTool):
    """One image tool for verl's ``tool_agent`` loop.

    Args:
        config: What stands under ``config`` in the tool file; ``name`` names the tool.
        tool_schema: The schema to show; None for the tool's own.
    """

    def __init__(
        self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None = None
    ) -> None:
        super().__init__(config, tool_schema or _schema(config["name"]))
        self._tool: str = config["name"]

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Play a call in the episode of its rollout.

        Args:
            instance_id: Unused: verl makes an instance a call.
            parameters: The arguments as the model wrote them.
            kwargs: Holds ``agent_data``, the state of the rollout.

        Returns:
            The result as text with the new picture, the pay of the call, and no metrics.
        """
        agent_data = kwargs["agent_data"]
        agent_data.extra_fields.setdefault(CALLS_KEY, []).append([self._tool, parameters])
        episode = _episode_of(agent_data)
        paid = episode.reward
        reply = episode.call(self._tool, parameters)
        # verl tells pictures from none by whether the field is given.
        pictures = {"image": [Image.fromarray(one) for one in reply.images]} if reply.images else {}
        return ToolResponse(text=reply.text, **pictures), episode.reward - paid, {}


def tool_config() -> str:
    """Return the text of a tool file, ``rollout.multi_turn.tool_config_path``, with every tool."""
    class_name = f"{ImageTool.__module__}.{ImageTool.__qualname__}"
    tools = [
        {"class_name": class_name, "config": {"type": "native", "name": tool["name"]}}
        for tool in FUNCTION_TOOLS
    ]
    return json.dumps({"tools": tools}, indent=2)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any],
    **kwargs: Any,
) -> dict[str, float]:
    """Score a rollout, as ``reward.custom_reward_function``.

    Args:
        data_source: Unused; the row names the environment.
        solution_str: The whole response as text, replies of tools included.
        ground_truth: Unused; the environment knows it.
        extra_info: That of a row of :func:`make_rows`, with the extra fields of the rollout.
        kwargs: Unused.

    Returns:
        ``score``, the reward of the episode; the score of each objective before the cap under its
        name, for ``algorithm.gdpo_reward_keys``; and its contribution under ``component/<name>``.

    Raises:
        ValueError: The row was not made by :func:`make_rows`.
    """
    episode = _started(extra_info.get("tools_kwargs") or {})
    for name, arguments in extra_info.get(CALLS_KEY) or ():
        episode.call(name, arguments)
    episode.finish(_last_words(solution_str))
    components = {f"component/{name}": paid for name, paid in episode.components.items()}
    return {"score": episode.reward, **episode.scores, **components}


def make_rows(env_id: str, tasks: Iterable[int | str], **keywords: Any) -> list[dict[str, Any]]:
    """Return rows for verl's data set, one a task, to be written to a parquet file.

    Args:
        env_id: An id of the package whose tools are the image tools.
        tasks: Numbers of rows or seeds of puzzles.
        keywords: Keywords of the id; JSON values.
    """
    episode = _original(env_id, json.dumps(keywords, sort_keys=True)).another()
    return [_row(episode, env_id, task, keywords, index) for index, task in enumerate(tasks)]


_EPISODES: WeakKeyDictionary[Any, HostedEpisode] = WeakKeyDictionary()
"""The episode of each rollout, as long as verl holds the rollout's state."""


def _episode_of(agent_data: Any) -> HostedEpisode:
    if agent_data not in _EPISODES:
        _EPISODES[agent_data] = _started(agent_data.tools_kwargs)
    return _EPISODES[agent_data]


def _started(tools_kwargs: Mapping[str, Any]) -> HostedEpisode:
    if ROW_KEY not in tools_kwargs:
        raise ValueError(
            f"Expected `extra_info.tools_kwargs` of the row to hold {ROW_KEY!r}, got "
            f"{sorted(tools_kwargs)}; make the rows with make_rows()."
        )
    row = json.loads(tools_kwargs[ROW_KEY])
    episode = _original(row["env_id"], json.dumps(row["keywords"], sort_keys=True)).another()
    episode.reset(row["task"])
    return episode


@cache
def _original(env_id: str, keywords: str) -> HostedEpisode:
    """Return an episode that is never played, for others to be made of."""
    return HostedEpisode(env_id, **json.loads(keywords))


def _schema(name: str) -> OpenAIFunctionToolSchema:
    """Return the schema of a tool as far as verl can hold it: type, description and choices."""
    (tool,) = (tool for tool in FUNCTION_TOOLS if tool["name"] == name)
    function = {key: tool[key] for key in ("name", "description", "parameters")}
    return OpenAIFunctionToolSchema.model_validate({"type": "function", "function": function})


def _last_words(response: str) -> str:
    """Return what the model said after the last reply of a tool.

    The text of a response holds the replies in the markup of the chat template. What the template
    writes after one, to open the next turn, is no word of the model.
    """
    _, reply, said = response.rpartition(_END_OF_REPLY)
    return _OPENING_OF_TURN.sub("", said) if reply else said


def _row(
    episode: HostedEpisode, env_id: str, task: int | str, keywords: Mapping[str, Any], index: int
) -> dict[str, Any]:
    episode.reset(task)
    messages = Conversation(episode.prompt, "chat").messages
    where = {"env_id": env_id, "task": task, "keywords": dict(keywords)}
    return {
        "data_source": env_id,
        "agent_name": "tool_agent",
        "prompt": [
            {"role": message["role"], "content": _text(message["content"])} for message in messages
        ],
        "images": [{"bytes": decode_data_url(url)} for url in episode.image_urls],
        "reward_model": {
            "style": "rule",
            "ground_truth": episode.env.get_wrapper_attr("task").expected_answer,
        },
        "extra_info": {
            "index": index,
            "need_tools_kwargs": True,
            "tools_kwargs": {ROW_KEY: json.dumps(where)},
        },
    }


def _text(content: str | Iterable[Mapping[str, Any]]) -> str:
    """Return the content of a message as text, with verl's mark where a picture stands."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", _PICTURE) for part in content)
