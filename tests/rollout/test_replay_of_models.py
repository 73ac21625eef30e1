"""What a model behind an endpoint played comes out again."""

import pytest

from gym_imagetools.monitor import read_figures
from gym_imagetools.rollout.replay import Replayer
from tests.endpoints.runs import run_over_loopback
from tests.endpoints.server import Fault


def differences_of(run):
    with Replayer() as replayer:
        replays = list(replayer.replay_all(run.records))
    assert replays
    return [replay.differences for replay in replays if replay.differences]


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("prompt_format", ["xml", "json", "native"])
@pytest.mark.parametrize("manners", ["openai", "vllm"])
def test_every_dialect_is_replayed(manners, prompt_format, api, tmp_path):
    keywords = {"prompt_format": prompt_format}
    run = run_over_loopback(tmp_path, manners=manners, keywords=keywords, api=api)
    assert differences_of(run) == []
    (record,) = run.records
    assert read_figures(record).num_calls == 2
    assert read_figures(record).usage


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("prompt_format", ["xml", "native"])
@pytest.mark.parametrize("kind", ["cut", "refusal", "two_calls"])
@pytest.mark.parametrize("turn", [0, 1])
def test_odd_replies_are_replayed(kind, turn, prompt_format, api, tmp_path):
    run = run_over_loopback(
        tmp_path,
        manners="vllm",
        api=api,
        keywords={"prompt_format": prompt_format},
        script={"fault": lambda number, body: Fault(kind) if number == turn else None},
    )
    assert differences_of(run) == []
