from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.conversation import Conversation
from gym_imagetools.conversation.dialects import count_images
from tests.conversation.episodes import PROMPT, called_ids, outputs, reply, result
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import (
    BROKEN,
    CALL,
    CUT_TURNS,
    DIALECTS,
    MARKUP,
    MESSAGE,
    NATIVE_TURNS,
    REASONING,
    listed_reply,
)

OPTIONS = list(
    product(DIALECTS, ["text", "native"], ["user", "tool"], ["pictures", "text"], [True, False])
)
turns = st.sampled_from(
    [
        MARKUP,
        CALL,
        *NATIVE_TURNS.values(),
        *CUT_TURNS.values(),
        [REASONING, MESSAGE],
        "B",
        "<image>",
    ]
) | st.text(max_size=20)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options)))
@settings(max_examples=15)
@given(data=st.data())
def test_in_every_setting_messages_are_accepted_and_pictures_are_counted(options, data):
    dialect, tool_calls, image_role, listed, defuses = options
    conversation = Conversation(
        PROMPT,
        dialect=dialect,
        tool_calls=tool_calls,
        image_role=image_role,
        tool_output_images=listed,
        defuse_placeholders=defuses,
    )
    num_shown = 2
    for action in data.draw(st.lists(turns, max_size=3)):
        conversation.add_turn(action)
        greys = data.draw(st.sampled_from([(), (9,), (8, 9)]))
        entries = data.draw(
            st.sampled_from(
                [(), (result("call_a", images=(2,)),), (result("call_b"), listed_reply())]
            )
        )
        conversation.add_reply(*reply(*entries, text="t", notice="n", greys=greys))
        num_shown += len(greys) + 2 * (listed == "pictures" and len(entries) == 2)
    assert conversation.num_images == count_images(conversation.messages) == num_shown
    if (dialect, image_role) != ("chat", "tool"):
        assert_accepted(dialect, conversation.messages)


junk = st.recursive(
    st.none() | st.integers(0, 9) | st.sampled_from(["", "a", BROKEN, "assistant", "incomplete"]),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("role", "content", "tool_calls", "function", "custom", "name", "arguments"),
                    *("call_id", "id", "status", "text", "refusal", "output", "choices"),
                )
            ),
            parts,
            max_size=5,
        )
        | st.builds(
            lambda kind, item: {"type": kind, **item},
            st.sampled_from(["message", "function_call", "custom_tool_call", "reasoning", "text"]),
            st.dictionaries(st.sampled_from(["role", "content", "name", "call_id"]), parts),
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("tool_calls", ["text", "native"])
@pytest.mark.parametrize("dialect", DIALECTS)
@given(action=junk)
def test_a_junk_reply_of_a_server_is_refused_clearly_or_answered(dialect, tool_calls, action):
    conversation = Conversation(PROMPT, dialect=dialect, tool_calls=tool_calls)
    try:
        conversation.add_turn(action)
    except (TypeError, ValueError) as error:
        refusal = str(error)
    else:
        refusal = ""
        conversation.add_reply(*reply(result("call_1_0"), text="t", notice="n"))
    assert refusal.startswith("Expected") or not refusal
    messages = conversation.messages
    json.dumps(messages, allow_nan=False).encode()
    assert called_ids(messages) == list(outputs(messages))
