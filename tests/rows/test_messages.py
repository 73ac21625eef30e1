from __future__ import annotations

import json

import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.rows import read_prompt


def prompt_of(source, root=None, **params):
    return read_prompt({"responses_create_params": {"input": source, **params}}, root)


def test_a_text_is_one_user_message():
    prompt = prompt_of("How many?")
    assert prompt.messages == ({"role": "user", "content": "How many?"},)
    assert (prompt.question, prompt.pictures) == ("How many?", ())


def test_pictures_leave_numbered_places_in_the_order_of_the_messages(picture_url):
    first, second, third = (picture_url(width, 20) for width in (21, 22, 23))
    prompt = prompt_of(
        [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "input_image", "image_url": first, "detail": "auto"},
                    {"type": "input_text", "text": "One"},
                    {"type": "input_image", "image_url": second},
                ],
            },
            {"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "Two"},
                    {"type": "input_image", "image_url": third},
                    {"type": "input_text", "text": "Three"},
                ],
            },
        ]
    )
    assert [picture.size for picture in prompt.pictures] == [(21, 20), (22, 20), (23, 20)]
    assert prompt.messages[1]["content"] == [
        {"type": "input_image", "picture": 0},
        {"type": "input_text", "text": "One"},
        {"type": "input_image", "picture": 1},
    ]
    assert prompt.messages[3]["content"][1] == {"type": "input_image", "picture": 2}
    assert prompt.question == "Two\nThree"
    assert "base64" not in json.dumps(prompt.messages)


@pytest.mark.parametrize(
    "part",
    [
        lambda url: {"type": "input_image", "image_url": url},
        lambda url: {"type": "input_image", "image_url": {"url": url}},
        lambda url: {"type": "image_url", "image_url": {"url": url, "detail": "high"}},
        lambda url: {"type": "image_url", "image_url": url},
        lambda url: {"type": "image", "image": url},
        lambda url: {"type": "image", "image": url, "image_url": None, "text": None},
    ],
)
def test_pictures_of_every_notation_are_read(picture_url, part):
    prompt = prompt_of([{"role": "user", "content": [part(picture_url(33, 44))]}])
    assert [picture.size for picture in prompt.pictures] == [(33, 44)]
    assert prompt.messages[0]["content"] == [{"type": "input_image", "picture": 0}]
    assert prompt.question == ""


def test_chat_texts_become_texts_of_the_responses_dialect():
    prompt = prompt_of(
        [
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
        ]
    )
    assert [message["content"][0]["type"] for message in prompt.messages] == [
        "input_text",
        "output_text",
    ]


def test_empty_keys_of_a_part_are_left_out():
    part = {"type": "text", "text": "Q", "image": None, "image_url": None}
    assert prompt_of([{"role": "user", "content": [part]}]).messages[0]["content"] == [
        {"type": "input_text", "text": "Q"}
    ]


def test_calls_and_their_outputs_pass_with_their_pictures_read(picture_url):
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    output = {
        "type": "function_call_output",
        "call_id": "c",
        "output": [{"type": "input_image", "image_url": picture_url(50, 60)}],
    }
    prompt = prompt_of([{"role": "user", "content": "Q"}, call, output])
    assert prompt.messages[1] == call
    assert prompt.messages[2]["output"] == [{"type": "input_image", "picture": 0}]
    assert prompt.pictures[0].size == (50, 60)


def test_instructions_become_the_system_message():
    prompt = prompt_of("Q", instructions="Be brief.")
    assert prompt.messages[0] == {"role": "system", "content": "Be brief."}


def test_the_row_is_not_changed(picture_url):
    source = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": picture_url()}}]}
    ]
    before = json.dumps(source)
    prompt_of(source)
    assert json.dumps(source) == before


def test_pictures_are_read_from_the_folder(write_rows, tmp_path):
    write_rows({})
    part = {"type": "input_image", "image_url": "a.png"}
    assert prompt_of([{"role": "user", "content": [part]}], tmp_path).pictures[0].size == (40, 30)


@pytest.mark.parametrize(
    "source",
    [
        "missing.png",
        "../a.png",
        "/etc/hostname",
        "file:///etc/hostname",
        "http://127.0.0.1:9/x.png",
        "https://example.org/x.png",
        "rows.jsonl",
        ".",
        "",
        "a\0.png",
        "data:image/png;base64,",
        "data:image/png;base64,AAAA",
        "data:text/plain,hello",
    ],
)
def test_an_unusable_picture_is_refused_and_its_place_named(write_rows, tmp_path, source):
    write_rows({})
    content = [{"type": "input_text", "text": "Q"}, {"type": "input_image", "image_url": source}]
    with pytest.raises(
        DataError, match=r"`responses_create_params\.input\[1\]\.content\[1\]\.image_url`"
    ):
        prompt_of(
            [{"role": "system", "content": "s"}, {"role": "user", "content": content}], tmp_path
        )


def test_a_picture_file_without_a_folder_asks_for_data_root():
    part = {"type": "input_image", "image_url": "a.png"}
    with pytest.raises(DataError, match="data_root"):
        prompt_of([{"role": "user", "content": [part]}], None)


def test_a_blob_is_not_echoed():
    part = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 100_000}
    with pytest.raises(DataError) as caught:
        prompt_of([{"role": "user", "content": [part]}])
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (None, "input`"),
        (5, "input`"),
        ({}, "input`"),
        ([], "input`"),
        (["text"], r"input\[0\]`"),
        ([None], r"input\[0\]`"),
        ([{}], r"input\[0\]\.role`"),
        ([{"role": "robot", "content": "x"}], r"input\[0\]\.role`"),
        ([{"role": "tool", "content": "x"}], r"input\[0\]\.role`"),
        ([{"role": ["user"], "content": "x"}], r"input\[0\]\.role`"),
        ([{"type": "message", "content": "x"}], r"input\[0\]\.role`"),
        ([{"role": "user"}], r"input\[0\]\.content`"),
        ([{"role": "user", "content": None}], r"input\[0\]\.content`"),
        ([{"role": "user", "content": {"text": "x"}}], r"input\[0\]\.content`"),
        ([{"role": "user", "content": ["x"]}], r"input\[0\]\.content\[0\]`"),
        ([{"role": "user", "content": [{"text": "x"}]}], r"content\[0\]`"),
        ([{"role": "user", "content": [{"type": "input_text"}]}], r"content\[0\]`"),
        ([{"role": "user", "content": [{"type": "input_text", "text": 5}]}], r"content\[0\]`"),
        ([{"role": "user", "content": [{"type": ["input_text"], "text": "x"}]}], r"content\[0\]`"),
        ([{"role": "user", "content": [{"type": "input_audio"}]}], r"content\[0\]`"),
        ([{"role": "user", "content": [{"type": "input_image"}]}], r"content\[0\]\.image_url`"),
        (
            [{"role": "user", "content": [{"type": "input_image", "image_url": {"u": 1}}]}],
            r"content\[0\]\.image_url`",
        ),
        ("", "question"),
        ([{"role": "user", "content": []}], "question"),
        ([{"role": "system", "content": "x"}], "question"),
    ],
)
def test_a_faulty_message_is_refused_and_its_place_named(source, place):
    with pytest.raises(DataError, match=place):
        prompt_of(source)


@pytest.mark.parametrize(
    "row", [{}, {"responses_create_params": None}, {"responses_create_params": {}}]
)
def test_a_row_without_messages_is_refused(row):
    with pytest.raises(DataError, match=r"`responses_create_params\.input`"):
        read_prompt(row, None)
