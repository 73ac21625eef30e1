"""A recorded episode, played by verl's own agent loop and scored by its own reward manager.

The model is a script, and pictures of the prompt are collected without ``qwen_vl_utils``, which
needs torchvision. All else is verl's.
"""

from __future__ import annotations

import asyncio
import copy
import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from omegaconf import OmegaConf
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.tools.tool_registry import initialize_tools_from_config
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from gym_imagetools.adapters.verl import compute_score, make_rows, tool_config
from tests.hosts.rollouts import Outcome, Recording
from tests.hosts.tiny_vlm import CHAT_TEMPLATE, tiny_processor

SETTINGS = {
    "prompt_length": 8192,
    "response_length": 8192,
    "full_determinism": False,
    "multi_turn": {
        "max_user_turns": None,
        "max_assistant_turns": None,
        "max_parallel_calls": 1,
        "max_tool_response_length": 4096,
        "tool_response_truncate_side": "middle",
        "format": "hermes",
    },
}


class ScriptedServer:
    """Says the turns of a script, and keeps how many pictures it was sent with each."""

    def __init__(self, tokenizer: Any, turns: Iterator[str]) -> None:
        self.tokenizer, self.turns = tokenizer, turns
        self.num_images: list[int] = []

    async def generate(self, *_: Any, image_data: list[Any], **__: Any) -> TokenOutput:
        """Return the tokens of the next turn."""
        self.num_images.append(len(image_data))
        token_ids = self.tokenizer(next(self.turns, "") + "<|im_end|>")["input_ids"]
        return TokenOutput(token_ids=token_ids)


class PictureDataset(RLHFDataset):
    """verl's data set, which gives the pictures of messages as they are."""

    @classmethod
    async def process_multi_modal_info(cls, messages: list[dict], *_: Any, **__: Any) -> Any:
        """Return the pictures of the messages, and neither videos nor sounds."""
        lists = [message["content"] for message in messages if isinstance(message["content"], list)]
        parts = [part for parts in lists for part in parts if "image" in part]
        return [part["image"].convert("RGB") for part in parts], None, None


@cache
def processor() -> Any:
    """Return the processor of the tiny model."""
    return tiny_processor(CHAT_TEMPLATE)


@cache
def tools() -> list[Any]:
    """Return the tools, read from a tool file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tools.yaml"
        path.write_text(tool_config(), encoding="utf-8")
        return initialize_tools_from_config(str(path))


def as_text(turn: Any) -> str:
    """Return a turn as a model of the hermes format writes it."""
    return turn if isinstance(turn, str) else f"<tool_call>\n{json.dumps(turn)}\n</tool_call>"


def read_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as verl's data set gives them, from a parquet file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        Dataset.from_list(rows).to_parquet(path)
        config = OmegaConf.create({"cache_dir": folder, "filter_overlong_prompts": False})
        data = PictureDataset(path, processor().tokenizer, config, processor=processor())
        return [data[index] for index in range(len(data))]


async def roll_out(row: dict[str, Any], turns: list[Any], **multi_turn: Any) -> tuple[Any, Any]:
    """Play a row by ``tool_agent``; return the server and the output of the loop."""
    rollout = {**SETTINGS, "multi_turn": {**SETTINGS["multi_turn"], **multi_turn}}
    server = ScriptedServer(processor().tokenizer, map(as_text, turns))
    loop = ToolAgentLoop(
        trainer_config=DictConfigWrap(
            OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}})
        ),
        server_manager=server,
        tokenizer=processor().tokenizer,
        processor=processor(),
        dataset_cls=PictureDataset,
        data_config=DictConfigWrap(OmegaConf.create({})),
        hf_model_type="qwen3_vl",
        tools=ToolListWrap(tools()),
    )
    return server, await loop.run({}, **row)


async def score(row: dict[str, Any], output: Any) -> dict[str, float]:
    """Return what verl's reward manager has of our ``compute_score`` for a rollout."""
    response = torch.tensor([output.response_ids])
    fields = ("data_source", "reward_model", "extra_info")
    columns = {
        # As in verl, a rollout is scored in another process than it was played in.
        **{key: np.array([copy.deepcopy(row[key])], dtype=object) for key in fields},
        "__num_turns__": np.array([output.num_turns]),
        "tool_extra_fields": np.array([output.extra_fields], dtype=object),
    }
    tensors = {"responses": response, "attention_mask": torch.ones_like(response)}
    data = DataProto(batch=TensorDict(tensors, batch_size=1), non_tensor_batch=columns)
    manager = NaiveRewardManager(OmegaConf.create({}), processor().tokenizer, compute_score)
    scored = await manager.run_single(data)
    return {**scored["reward_extra_info"], "score": scored["reward_score"]}


def play(recording: Recording) -> Outcome:
    """Return what the episode paid."""
    (row,) = read_rows(make_rows(recording.env_id, [recording.task], **recording.keywords))

    async def played() -> dict[str, float]:
        _, output = await roll_out(row, list(recording.turns))
        return await score(row, output)

    scored = asyncio.run(played())
    components = {
        key.removeprefix("component/"): paid
        for key, paid in scored.items()
        if key.startswith("component/")
    }
    scores = {name: scored[name] for name in components}
    return Outcome(scored["score"], {"reward_components": components, "reward_scores": scores})
