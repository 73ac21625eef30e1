"""One turn in every form of a reply plays the same step."""

import json

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response

from gym_imagetools.parsing import parse_turn
from gym_imagetools.types import ToolCall, Turn
from tests.envs.play import MAZE, RIGHT, frozen, make, make_rows, zoom

NAME, ARGUMENTS = "image_zoom_in_tool", {"bbox_2d": [100, 200, 500, 600], "label": "the top"}
XML = """<tool_call>
<function=image_zoom_in_tool>
<parameter=bbox_2d>
[100, 200, 500, 600]
</parameter>
<parameter=label>
the top
</parameter>
</function>
</tool_call>"""
CALL = {"name": NAME, "arguments": ARGUMENTS}
AS_TEXT = {"name": NAME, "arguments": json.dumps(ARGUMENTS)}
ITEM = {"type": "function_call", "call_id": "call_1_0", **AS_TEXT}
TOOL_CALL = {"id": "call_1_0", "type": "function", "function": AS_TEXT}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}
COMPLETION = ChatCompletion.model_validate(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": MESSAGE}],
    }
)
RESPONSE = Response.model_validate(
    {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": [ITEM],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
)
FORMS = {
    "xml": XML,
    "hermes": f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>",
    "text in a message": {"role": "assistant", "content": XML},
    "call": CALL,
    "call with arguments as text": AS_TEXT,
    "function_call item": ITEM,
    "list of items": [ITEM],
    "tuple of items": (ITEM,),
    "items with reasoning": [{"type": "reasoning", "summary": []}, ITEM],
    "chat tool call": TOOL_CALL,
    "list of tool calls": [TOOL_CALL],
    "chat message": MESSAGE,
    "message object": ChatCompletionMessage.model_validate(MESSAGE),
    "completion object": COMPLETION,
    "completion dump": COMPLETION.model_dump(),
    "response object": RESPONSE,
    "response dump": RESPONSE.model_dump(),
    "turn": Turn(XML, "", (ToolCall(NAME, ARGUMENTS),)),
    "parsed turn": parse_turn(XML),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_a_call_plays_the_same_step(form):
    env = make_rows()
    env.reset(seed=1)
    expected = frozen(env.step(CALL))
    env.reset(seed=1)
    assert env.action_space.contains(form)
    assert frozen(env.step(form)) == expected


ANSWERS = {
    "text": RIGHT,
    "message": {"role": "assistant", "content": RIGHT},
    "parts": {"role": "assistant", "content": [{"type": "output_text", "text": RIGHT}]},
    "items": [{"type": "message", "content": [{"type": "output_text", "text": RIGHT}]}],
    "turn": Turn(RIGHT, RIGHT),
}


@pytest.mark.parametrize("form", ANSWERS.values(), ids=ANSWERS)
def test_every_form_of_an_answer_ends_the_episode(form):
    env = make_rows()
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(form)
    assert (reward, terminated, info["ending"]) == (1.0, True, "answered")


@pytest.mark.parametrize("index", range(11))
def test_a_mask_of_one_samples_only_that(index):
    space = make(MAZE).action_space
    space.seed(index)
    mask = [int(place == index) for place in range(11)]
    samples = [space.sample(mask=mask) for _ in range(10)]
    if index == 10:
        assert all(sample.startswith(r"\boxed{") for sample in samples)
    else:
        assert {sample["name"] for sample in samples} == {list(space.schemas)[index]}


def test_most_samples_run():
    env = make_rows(max_tool_calls=99, force_final_after_duplicate=False)
    env.action_space.seed(4)
    env.reset(seed=4)
    ok = []
    for _ in range(60):
        action = env.action_space.sample(mask=[1] * 10 + [0])
        *_, info = env.step(action)
        ok.append(not info["ending"])
        if info["ending"]:
            env.reset()
    assert sum(ok) > 30


def test_the_id_of_a_native_call_comes_back():
    env = make_rows()
    env.reset(seed=1)
    *_, info = env.step({**ITEM, "call_id": "call_abc"})
    assert info["tool_results"][0]["call_id"] == "call_abc"
    *_, info = env.step(zoom(500, 500, 900, 900))
    assert info["tool_results"][0]["call_id"] == "call_2_0"
