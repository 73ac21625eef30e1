import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts.calls import xml_call

NAMES = st.text(string.ascii_letters + "_0123456789", min_size=1, max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def reads_back(name, arguments, schemas=None):
    turn = parse_turn(xml_call(name, arguments), schemas=schemas)
    assert turn.error == ""
    assert [(call.name, call.arguments) for call in turn.calls] == [(name, arguments)]


@given(NAMES, st.dictionaries(NAMES, VALUES, max_size=4))
def test_every_call_is_read_back_as_it_was(name, arguments):
    reads_back(name, arguments, schemas={})


@given(st.text(max_size=60))
def test_a_label_of_any_text_is_read_back_as_it_was(label):
    reads_back("image_flip_tool", {"axis": "vertical", "label": label, "img_idx": 0})


@pytest.mark.parametrize(
    "label",
    ["null", "1e3", '"quoted"', "[1, 2]", "", " a ", "</parameter>", "<think>", "True", "'x'"],
)
def test_a_text_that_could_be_taken_for_something_else_is_read_back(label):
    reads_back("image_flip_tool", {"axis": "vertical", "label": label})


def test_plain_text_and_numbers_stay_readable():
    text = xml_call("image_zoom_in_tool", {"bbox_2d": [0, 0, 500, 500], "label": "the dot"})
    assert text == (
        "<tool_call>\n<function=image_zoom_in_tool>\n<parameter=bbox_2d>\n[0, 0, 500, 500]\n"
        "</parameter>\n<parameter=label>\nthe dot\n</parameter>\n</function>\n</tool_call>"
    )


@pytest.mark.parametrize("name", ["", "a b", "a>b", "a<b", "a\nb"])
def test_a_name_that_the_notation_cannot_say_is_refused(name):
    with pytest.raises(ValueError, match="without blanks"):
        xml_call(name, {})
    with pytest.raises(ValueError, match="without blanks"):
        xml_call("image_flip_tool", {name: 1})
