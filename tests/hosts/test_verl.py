"""verl's own agent loop and reward manager on our tools; only the model is a script."""

import asyncio
import gc
import pickle
import re
from importlib.resources import files

import pytest

pytest.importorskip("verl", reason="the verl extra is missing")

from gym_imagetools.adapters import verl as adapter
from gym_imagetools.adapters.verl import compute_score, make_rows
from gym_imagetools.tools.schemas import FUNCTION_TOOLS
from tests.hosts.play_verl import as_text, read_rows, roll_out, score, tools
from tests.hosts.recipes import run_recipe, section

MAZE = "ImageTools/Maze-v0"


def zoom(x, **arguments):
    return {
        "name": "image_zoom_in_tool",
        "arguments": {"bbox_2d": [x, x, x + 200, x + 200], **arguments},
    }


def play(turns, env_id=MAZE, task=3, keywords=None, **multi_turn):
    """Return the server, the output of the loop, and the score."""
    (row,) = read_rows(make_rows(env_id, [task], **(keywords or {})))

    async def played():
        server, output = await roll_out(row, turns, **multi_turn)
        return server, output, await score(row, output)

    return asyncio.run(played())


def gold(task=3):
    (row,) = make_rows(MAZE, [task])
    return row["reward_model"]["ground_truth"]


def test_the_tool_file_holds_every_tool_with_its_schema():
    for tool, ours in zip(tools(), FUNCTION_TOOLS, strict=True):
        function = tool.tool_schema.function
        assert (tool.name, function.description) == (ours["name"], ours["description"])
        assert function.parameters.required == ours["parameters"]["required"]
        for name, field in function.parameters.properties.items():
            assert field.type == ours["parameters"]["properties"][name]["type"]
            assert field.enum == ours["parameters"]["properties"][name].get("enum")


def test_rows_show_question_and_pictures():
    (row,) = read_rows(make_rows("ImageTools/Dataset-v0", [0]))
    system, user = row["raw_prompt"]
    assert system["role"] == "system"
    assert [part["type"] for part in user["content"]] == ["text", "image"]
    assert user["content"][1]["image"].size[0] > 100


def test_pictures_of_tools_reach_the_model():
    server, output, _ = play([zoom(100), zoom(600, img_idx=0), "A"])
    assert server.num_images == [1, 2, 3]
    assert len(output.multi_modal_data["images"]) == 3


def test_every_call_reports_its_pay():
    _, output, _ = play([zoom(100), zoom(100), "A"])
    assert output.extra_fields["tool_rewards"] == pytest.approx([0.01, -0.02])


def test_a_rollout_without_calls_is_scored():
    _, _, scored = play([rf"\boxed{{{gold()}}}"])
    assert scored["score"] == 1.0
    assert (scored["answer"], scored["tool_use"]) == (1.0, 0.0)


def test_rollouts_at_the_same_time_keep_their_pictures_apart():
    (row,) = read_rows(make_rows(MAZE, [3], difficulty=2))
    scripts = [[zoom(100), zoom(400, img_idx=1), "A"], [zoom(100, img_idx=1), "A"], ["A"]]

    async def group():
        played = await asyncio.gather(*(roll_out(row, turns) for turns in scripts))
        return [await score(row, output) for _, output in played]

    good, bad, none = asyncio.run(group())
    assert good["tool_use"] == pytest.approx(0.02)
    assert bad["tool_use"] == pytest.approx(-0.01)
    assert none["tool_use"] == 0.0


def test_calls_of_one_message_are_turns_of_their_own():
    both = "\n".join(
        as_text({"name": "image_rotate_tool", "arguments": {"degrees": degrees}})
        for degrees in (90, 180)
    )
    server, _, scored = play([both, "A"], max_parallel_calls=2)
    assert server.num_images == [1, 3]
    assert scored["tool_use"] == pytest.approx(0.02)


def test_a_rollout_that_is_stopped_at_a_call_is_no_answer():
    _, output, scored = play([zoom(100), zoom(500)], max_assistant_turns=2)
    assert len(output.extra_fields[adapter.CALLS_KEY]) == 1
    assert (scored["answer"], scored["tool_use"]) == (0.0, pytest.approx(0.01))


def test_markup_that_verl_could_not_read_is_refused():
    _, _, scored = play([zoom(100), '<tool_call>{"name": </tool_call>'])
    assert scored["score"] == pytest.approx(0.0)
    assert scored["tool_use"] == pytest.approx(0.0)  # 0.01 for the zoom, -0.01 for the markup


def test_what_a_model_writes_wrong_is_answered_by_the_environment():
    _, output, scored = play(
        [zoom(100, img_idx=7), rf"\boxed{{{gold()}}}"],
        keywords={"terminate_on_invalid_tool_call": False},
    )
    assert output.extra_fields["tool_rewards"] == pytest.approx([-0.01])
    assert scored["score"] == pytest.approx(0.99)


def test_a_tool_that_does_not_exist_is_refused_by_verl_and_not_fined():
    _, output, scored = play([{"name": "look", "arguments": {}}, rf"\boxed{{{gold()}}}"])
    assert adapter.CALLS_KEY not in output.extra_fields
    assert scored["score"] == 1.0


def test_a_reply_that_verl_shortens_changes_no_score():
    _, _, scored = play([zoom(100), rf"\boxed{{{gold()}}}"], max_tool_response_length=10)
    assert scored["score"] == 1.0
    assert scored["tool_use"] == pytest.approx(0.01)
    assert scored["component/tool_use"] == 0.0


def test_the_answer_is_what_stands_after_the_last_reply():
    glued = f"user\n<tool_response>\n{{}}\n</tool_response>\nassistant\n{gold()}"
    assert adapter._last_words(glued) == gold()
    assert adapter._last_words("assistant\n") == "assistant\n"


def test_what_travels_with_a_rollout_is_plain_data():
    _, output, _ = play([zoom(100), "A"])
    fields = output.extra_fields
    assert fields[adapter.CALLS_KEY] == [["image_zoom_in_tool", zoom(100)["arguments"]]]
    assert pickle.loads(pickle.dumps(fields)) == fields


def test_an_episode_is_forgotten_with_its_rollout():
    play([zoom(100), "A"])
    gc.collect()
    assert not list(adapter._EPISODES)


def test_a_row_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="make_rows"):
        compute_score("other", "A", "A", {"tools_kwargs": {"calculator": {}}})


def test_after_the_end_nothing_is_run():
    server, _, scored = play([zoom(100, img_idx=9), zoom(100), rf"\boxed{{{gold()}}}"])
    assert server.num_images == [1, 1, 1]
    assert scored["score"] == pytest.approx(-0.01)


def test_a_score_has_the_same_keys_on_every_rollout():
    keys = [set(play(turns)[2]) for turns in (["A"], [zoom(100), "A"], [zoom(1, img_idx=9)])]
    assert keys[0] == keys[1] == keys[2]
    assert keys[0] == {"score", "answer", "tool_use", "component/answer", "component/tool_use"}


def test_the_settings_of_the_recipe_are_settings_of_verl():
    from omegaconf import OmegaConf
    from verl.trainer.config import AlgoConfig
    from verl.utils.import_utils import load_extern_object

    written = re.findall(r"^(?:[a-z_]+\.\S+ ?)+$", section("verl"), re.MULTILINE)
    settings = dict(part.split("=", 1) for line in written for part in line.split())
    assert len(settings) > 5
    config = OmegaConf.load(str(files("verl.trainer.config") / "_generated_ppo_trainer.yaml"))
    # The reward keys have no default; verl declares them beside it.
    known = AlgoConfig.__dataclass_fields__
    for key in settings:
        group, _, name = key.partition(".")
        assert (group == "algorithm" and name in known) or exists(config, key), key
    path, name = (settings[f"reward.custom_reward_function.{key}"] for key in ("path", "name"))
    assert load_extern_object(path, name) is compute_score


def exists(config, key):
    """Return whether a configuration has a setting, whatever its value."""
    for part in key.split("."):
        if part not in config:
            return False
        config = config[part]
    return True


def test_the_recipe_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_recipe("verl")
    assert (tmp_path / "train.parquet").exists()
