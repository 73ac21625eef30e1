"""The two dialects: how text, pictures, calls and outputs are written in each."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gym_imagetools.conversation.calls import CALL_ITEMS, OUTPUT_ITEMS, OpenCall
from gym_imagetools.conversation.utterance import DialectName, Utterance
from gym_imagetools.types import Message

ImageDetail = Literal["auto", "low", "high", "original"]


@dataclass(frozen=True)
class Shown:
    """A picture as it is sent.

    Attributes:
        url: A ``data:`` URL.
        label: Text that stands before it; "" for none.
    """

    url: str
    label: str = ""


@dataclass(frozen=True)
class Dialect(ABC):
    """One dialect of the OpenAI interfaces.

    Attributes:
        image_detail: The detail that pictures are sent with.
    """

    image_detail: ImageDetail

    @abstractmethod
    def opening(self, prompt: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Return the opening messages, given as Responses input items."""

    @abstractmethod
    def said(self, utterance: Utterance) -> list[Message]:
        """Return an assistant turn, as it came where it came in this dialect."""

    @abstractmethod
    def output(self, call: OpenCall, text: str, shown: Sequence[Shown] = ()) -> Message:
        """Return the answer to one native call."""

    @abstractmethod
    def text_part(self, text: str) -> Message:
        """Return one content part of text."""

    @abstractmethod
    def image_part(self, url: str) -> Message:
        """Return one content part with a picture."""

    def user(self, text: str, shown: Sequence[Shown] = ()) -> Message:
        """Return one message of the user: the text, then each picture after its label."""
        return {"role": "user", "content": self.content(text, shown)}

    def content(self, text: str, shown: Sequence[Shown]) -> str | list[Message]:
        """Return plain text where there are no pictures, and content parts where there are."""
        if not shown:
            return text
        parts = [self.text_part(text)] if text else []
        for picture in shown:
            parts += [self.text_part(picture.label)] if picture.label else []
            parts.append(self.image_part(picture.url))
        return parts


class ResponsesDialect(Dialect):
    """Input items of the Responses interface."""

    def opening(self, prompt: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Return copies of the items, with the detail that pictures must have."""
        items = [copy.deepcopy(dict(item)) for item in prompt]
        for item in items:
            for part in parts_of(item):
                if part.get("type") == "input_image":
                    part.setdefault("detail", self.image_detail)
        return items

    def said(self, utterance: Utterance) -> list[Message]:
        """Return output items as they are; those of a chat message in their order."""
        if utterance.dialect == "responses":
            return [_with_content(item) if "role" in item else item for item in utterance.messages]
        return [item for message in utterance.messages for item in _items(message)]

    def output(self, call: OpenCall, text: str, shown: Sequence[Shown] = ()) -> Message:
        """Return the output item of a call; pictures make it a list of content parts."""
        return {
            "type": f"{call.item_type}_output",
            "call_id": call.call_id,
            "output": self.content(text, shown),
        }

    def text_part(self, text: str) -> Message:
        """Return one ``input_text`` part."""
        return {"type": "input_text", "text": text}

    def image_part(self, url: str) -> Message:
        """Return one ``input_image`` part."""
        return {"type": "input_image", "image_url": url, "detail": self.image_detail}


class ChatDialect(Dialect):
    """Messages of the Chat Completions interface."""

    def opening(self, prompt: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Return the items as chat messages."""
        return self._messages(prompt)

    def said(self, utterance: Utterance) -> list[Message]:
        """Return a chat message as it is; output items as one message.

        Reasoning items are left out: the dialect has no place for them.
        """
        if utterance.dialect == "responses":
            return self._messages(utterance.messages)
        return [_with_content(message) for message in utterance.messages]

    def output(self, call: OpenCall, text: str, shown: Sequence[Shown] = ()) -> Message:
        """Return the tool message of a call; pictures make its content a list of parts."""
        content = self.content(text, shown)
        return {"role": "tool", "tool_call_id": call.call_id, "content": content}

    def text_part(self, text: str) -> Message:
        """Return one ``text`` part."""
        return {"type": "text", "text": text}

    def image_part(self, url: str) -> Message:
        """Return one ``image_url`` part."""
        return {"type": "image_url", "image_url": {"url": url, "detail": self.image_detail}}

    def _messages(self, items: Iterable[Mapping[str, Any]]) -> list[Message]:
        messages: list[Message] = []
        for item in items:
            kind = item.get("type") or "message"
            if kind in CALL_ITEMS:
                _last_assistant(messages).setdefault("tool_calls", []).append(_chat_call(item))
            elif kind in OUTPUT_ITEMS:
                content = self._parts(item["output"])
                call_id = item["call_id"]
                messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
            elif kind == "message" and item["role"] == "assistant":
                _add_words(_last_assistant(messages), item["content"])
            elif kind == "message":
                messages.append({"role": item["role"], "content": self._parts(item["content"])})
        return [_with_content(message) for message in messages]

    def _parts(self, content: str | Iterable[Message]) -> str | list[Message]:
        return content if isinstance(content, str) else [self._part(part) for part in content]

    def _part(self, part: Message) -> Message:
        match part.get("type"):
            case "input_text" | "output_text" | "text":
                return self.text_part(part["text"])
            case "input_image" if part.get("image_url"):
                shown = self.image_part(part["image_url"])
                shown["image_url"]["detail"] = part.get("detail") or self.image_detail
                return shown
            case "image_url":
                return copy.deepcopy(part)
        raise ValueError(
            f"Expected a content part input_text, or input_image with an image_url, "
            f"got {part.get('type')!r}."
        )


DIALECTS: dict[DialectName, type[Dialect]] = {"responses": ResponsesDialect, "chat": ChatDialect}


def parts_of(message: Mapping[str, Any]) -> list[Message]:
    """Return the content parts of a message or an output; none where it is plain text."""
    content = message.get("content", message.get("output"))
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def count_images(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return how many pictures the messages of either dialect hold."""
    kinds = ("input_image", "image_url")
    return sum(part.get("type") in kinds for item in messages for part in parts_of(item))


def _last_assistant(messages: list[Message]) -> Message:
    """Return the assistant message that is being put together: the last one, or a new one."""
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    return messages[-1]


def _add_words(message: Message, content: str | list[Message] | None) -> None:
    """Add the text and the refusals of a content to those of an assistant message."""
    parts = [{"text": content}] if isinstance(content, str) else content or []
    for field, source in (("content", "text"), ("refusal", "refusal")):
        words = [part[source] for part in parts if isinstance(part.get(source), str)]
        if joined := "\n".join(filter(None, (message.get(field), "".join(words)))):
            message[field] = joined


def _with_content(message: Message) -> Message:
    """Return the message with a text where null stands and no call or refusal excuses it."""
    is_excused = message.get("tool_calls") or message.get("refusal")
    if message.get("content") is None and not is_excused:
        return {**message, "content": ""}
    return message


def _chat_call(item: Mapping[str, Any]) -> Message:
    if item["type"] == "custom_tool_call":
        custom = {"name": item["name"], "input": item["input"]}
        return {"id": item["call_id"], "type": "custom", "custom": custom}
    function = {"name": item["name"], "arguments": item["arguments"]}
    return {"id": item["call_id"], "type": "function", "function": function}


def _items(message: Message) -> list[Message]:
    """Return the items that say what a chat message says."""
    words: Message = {"content": None}
    _add_words(words, message.get("content"))
    said = [words["content"], message.get("refusal")]
    items: list[Message] = [{"role": "assistant", "content": text} for text in said if text]
    return items + [_call_item(call) for call in message.get("tool_calls") or ()]


def _call_item(call: Message) -> Message:
    fields = call[call["type"]]
    item: Message = {"call_id": call["id"], "name": fields["name"]}
    if call["type"] == "custom":
        return {"type": "custom_tool_call", **item, "input": fields["input"]}
    return {"type": "function_call", **item, "arguments": fields["arguments"]}
