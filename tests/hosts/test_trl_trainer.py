"""A real ``GRPOTrainer`` with a tiny random vision-language model, on a CPU."""

import json

import numpy as np
import pytest

pytest.importorskip("trl", reason="the trl extra is missing")
torch = pytest.importorskip("torch")
from datasets import Dataset  # noqa: E402
from transformers.utils import get_json_schema  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402
from trl.chat_template_utils import qwen3_vl_chat_template  # noqa: E402

from gym_imagetools.adapters.trl import (  # noqa: E402
    make_environment,
    make_rows,
    reward_funcs,
    reward_weights,
)
from gym_imagetools.advantages import gdpo  # noqa: E402
from gym_imagetools.tools.schemas import FUNCTION_TOOLS  # noqa: E402
from tests.hosts.recipes import run_recipe  # noqa: E402
from tests.hosts.rollouts import RECORDINGS, expected, recording  # noqa: E402
from tests.hosts.tiny_vlm import picture_token_ids, tiny_model, tiny_processor  # noqa: E402


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")


@pytest.fixture(scope="module")
def processor():
    return tiny_processor(qwen3_vl_chat_template)


class ScriptedTrainer(GRPOTrainer):
    """A trainer whose model says what a script says, rollout by rollout; all else is TRL's own."""

    script: list[list[str]]

    def _generate_single_turn(self, prompt_ids, *_, **__):
        if len(prompt_ids) == len(self.script):
            self.left, self.live = [list(turns) for turns in self.script], range(len(self.script))
        said = [self.left[rollout].pop(0) if self.left[rollout] else "" for rollout in self.live]
        self.live = [r for r, text in zip(self.live, said, strict=True) if "<tool_call>" in text]
        return [self._tokenizer(text + "<|im_end|>")["input_ids"] for text in said], None


def config(folder, environment, **settings):
    return GRPOConfig(
        output_dir=str(folder),
        use_cpu=True,
        bf16=False,
        report_to=[],
        logging_steps=1,
        save_strategy="no",
        per_device_train_batch_size=2,
        num_generations=2,
        multi_objective_aggregation="normalize_then_sum",
        reward_weights=reward_weights(environment),
        **settings,
    )


def as_text(turn):
    return turn if isinstance(turn, str) else f"<tool_call>\n{json.dumps(turn)}\n</tool_call>"


def test_trl_reads_our_schema_from_the_methods():
    environment = make_environment("ImageTools/Maze-v0")()
    for tool in FUNCTION_TOOLS:
        read = get_json_schema(getattr(environment, tool["name"]))["function"]
        assert read["description"] == tool["description"]
        ours, theirs = tool["parameters"], read["parameters"]
        assert theirs.get("required", []) == ours["required"]
        assert list(theirs["properties"]) == list(ours["properties"])
        for name, field in theirs["properties"].items():
            assert field["type"] == ours["properties"][name]["type"]
            assert field["description"] == ours["properties"][name]["description"]
            assert field.get("enum") == ours["properties"][name].get("enum")


def test_a_random_model_trains_for_a_few_steps(processor, tmp_path):
    environment = make_environment("ImageTools/Maze-v0")
    trainer = GRPOTrainer(
        tiny_model(processor.tokenizer),
        reward_funcs=reward_funcs(environment),
        environment_factory=environment,
        processing_class=processor,
        train_dataset=Dataset.from_list(make_rows("ImageTools/Maze-v0", range(3))),
        args=config(
            tmp_path,
            environment,
            max_steps=3,
            max_completion_length=16,
            generation_kwargs={"suppress_tokens": picture_token_ids(processor.tokenizer)},
        ),
    )
    trainer.train()
    steps = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert len(steps) == 3
    assert all({"rewards/answer/mean", "rewards/tool_use/mean"} <= set(step) for step in steps)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_scripted_rollout_pays_what_plain_gymnasium_pays(processor, tmp_path, name):
    played, outcome = recording(name), expected(name)
    environment = make_environment(played.env_id, **played.keywords)
    model = tiny_model(processor.tokenizer)
    before = model.lm_head.weight.detach().clone()
    trainer = ScriptedTrainer(
        model,
        reward_funcs=reward_funcs(environment),
        environment_factory=environment,
        processing_class=processor,
        train_dataset=Dataset.from_list(make_rows(played.env_id, [played.task], **played.keywords)),
        args=config(
            tmp_path, environment, max_steps=1, max_completion_length=8192, learning_rate=1e-3
        ),
    )
    trainer.script = [[as_text(turn) for turn in played.turns], ["I do not know."]]
    trainer.train()
    step = trainer.state.log_history[0]
    for objective, score in outcome.scores.items():
        assert step[f"rewards/{objective}/mean"] == pytest.approx(score / 2, abs=1e-6)
    assert step["tools/call_frequency"] == len(played.calls) / 2
    assert step["tools/failure_frequency"] == 0.0
    scores = {key: np.array([score, 0.0]) for key, score in outcome.scores.items()}
    weights = dict(zip(scores, reward_weights(environment), strict=True))
    ours = gdpo(scores, np.zeros(2, dtype=int), weights)
    assert list(trainer._logs["advantages"]) == pytest.approx(ours.tolist(), abs=1e-3)
    assert not torch.equal(before, model.lm_head.weight)


def test_the_recipe_runs(processor, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    settings = {
        "use_cpu": True,
        "bf16": False,
        "per_device_train_batch_size": 2,
        "num_generations": 2,
        "max_steps": 1,
        "max_completion_length": 8,
        "generation_kwargs": {"suppress_tokens": picture_token_ids(processor.tokenizer)},
    }
    names = run_recipe(
        "TRL", model=tiny_model(processor.tokenizer), processor=processor, settings=settings
    )
    assert "rewards/tool_use/mean" in names["trainer"].state.log_history[0]
