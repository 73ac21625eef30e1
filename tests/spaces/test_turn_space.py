import copy
import pickle

import pytest

from gym_imagetools.errors import ToolError
from gym_imagetools.parsing import parse_turn
from gym_imagetools.spaces import TurnSpace
from gym_imagetools.tools.arguments import parse_arguments
from gym_imagetools.tools.schemas import PARAMETERS
from gym_imagetools.types import Turn

ODD_SCHEMA = {
    "odd": {
        "type": "object",
        "properties": {
            "flag": {"type": "boolean"},
            "part": {"anyOf": [{"type": "integer", "minimum": 5, "maximum": 5}, {"type": "null"}]},
            "level": {"type": "number", "exclusiveMinimum": 2.0, "maximum": 3.0},
            "words": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "kind": {"enum": ["a", "b"]},
            "inner": {"type": "object", "properties": {"x": {"type": "integer"}}},
        },
        "required": ["flag", "part", "level", "words", "kind", "inner"],
    }
}


@pytest.fixture
def space():
    return TurnSpace(PARAMETERS, seed=3)


def test_samples_are_calls_that_the_tools_take_and_now_and_then_an_answer(space):
    samples = [space.sample() for _ in range(400)]
    answers = [sample for sample in samples if isinstance(sample, str)]
    assert 10 < len(answers) < 90
    assert all(parse_turn(answer).is_answer for answer in answers)
    calls = [sample for sample in samples if isinstance(sample, dict)]
    assert {sample["name"] for sample in calls} == set(PARAMETERS)
    refused = [sample for sample in calls if not is_taken(sample)]
    assert len(refused) < len(calls) / 3


def is_taken(call):
    try:
        parse_arguments(call["name"], call["arguments"], 9)
    except ToolError:
        return False
    return True


def test_samples_follow_the_schema():
    space = TurnSpace(ODD_SCHEMA, seed=1)
    for _ in range(30):
        arguments = space.sample(mask=[1, 0])["arguments"]
        assert isinstance(arguments["flag"], bool)
        assert arguments["part"] == 5
        assert 2.0 < arguments["level"] <= 3.0
        assert len(arguments["words"]) == 2
        assert arguments["kind"] in ("a", "b")
        assert isinstance(arguments["inner"], dict)


def test_a_space_without_tools_samples_answers():
    assert TurnSpace({}, seed=1).sample().startswith(r"\boxed{")


@pytest.mark.parametrize("weights", [[1] * 10, [1] * 12, [0] * 11, [[1] * 11]])
@pytest.mark.parametrize("kind", ["mask", "probability"])
def test_weights_that_do_not_fit_are_refused(space, weights, kind):
    with pytest.raises(ValueError, match=r"Expected|shape"):
        space.sample(**{kind: weights})


def test_a_mask_and_a_probability_together_are_refused(space):
    with pytest.raises(ValueError, match="both"):
        space.sample(mask=[1] * 11, probability=[1] * 11)


def test_probabilities_choose_the_tool(space):
    weights = [0.0] * 11
    weights[3] = 1.0
    assert {space.sample(probability=weights)["name"] for _ in range(9)} == {list(PARAMETERS)[3]}


@pytest.mark.parametrize(
    "action", ["", "x", {}, [], (), {"name": 3}, [None], Turn("", ""), {1: 2}, "\ud800"]
)
def test_forms_of_a_turn_are_members_whatever_they_say(space, action):
    assert action in space


@pytest.mark.parametrize("thing", [None, 3, 2.0, b"x", {1}, object(), iter([])])
def test_other_things_are_no_members(space, thing):
    assert thing not in space


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_equal_and_sample_the_same(space, duplicate):
    space.sample()
    twin = duplicate(space)
    assert twin == space
    assert hash(twin) == hash(space)
    assert [twin.sample() for _ in range(5)] == [space.sample() for _ in range(5)]


def test_spaces_differ_by_their_schemas(space):
    assert space != TurnSpace(ODD_SCHEMA)
    assert space != "space"
    assert "odd" in repr(TurnSpace(ODD_SCHEMA))
    assert not space.is_np_flattenable
