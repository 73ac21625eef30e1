"""The messages of one episode, as an endpoint wants them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from gym_imagetools.conversation.calls import OpenCall, open_calls
from gym_imagetools.conversation.dialects import DIALECTS, ImageDetail, Shown, count_images
from gym_imagetools.conversation.echo import Echo
from gym_imagetools.conversation.placeholders import defuse
from gym_imagetools.conversation.replies import Result, answer_calls, read_results
from gym_imagetools.conversation.utterance import DialectName, ToolCallForm, read_utterance
from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.encode import MEDIA_TYPES, PictureFormat, encode
from gym_imagetools.types import Message, Pixels

ImageRole = Literal["user", "tool"]
ListedImages = Literal["pictures", "text"]


class Conversation:
    """Turns the prompt, the model's turns and the observations into messages to send.

    Messages are only ever appended, so the messages of one turn are a prefix of the next, and
    nothing is sent here and no client is imported. What the model said goes back as it came:
    items keep their order, ids and empty fields. Only what an endpoint would refuse or misread
    is changed: null fields that must be absent, arguments that are no JSON object (``{}``),
    placeholder tokens, and what is beyond ``max_echo_chars``.

    A call that came with an id, or as an item of the dialect, is answered natively: every id of
    the turn gets an output, whether the call ran or not, before anything else is said. A turn
    without native calls is answered by one message of the user.

    Args:
        prompt: The opening messages, ``env.get_wrapper_attr("prompt")``.
        dialect: ``responses`` (input items) or ``chat`` (Chat Completions messages).
        tool_calls: How calls without an id (bare dicts, demonstrations) are written:
            ``text`` as ``<tool_call>`` markup, ``native`` as calls of the dialect.
        image_role: Who shows the pictures of native calls: ``user``, in a message after all
            outputs, or ``tool``, inside of each output. Many servers, and Chat Completions by
            its types, take pictures only from the user.
        tool_output_images: ``pictures`` shows the pictures that a tool's JSON reply lists;
            ``text`` passes the whole reply on as text.
        image_detail: The detail that pictures are sent with.
        image_format: How pictures that come as arrays are encoded.
        defuse_placeholders: Whether placeholder tokens in what a model or tool wrote get a
            mark: ``<~|image_pad|>`` (see ``placeholders``; the prompt is never touched).
        max_echo_chars: The longest text of the model that is sent back whole, >= 1.

    Raises:
        ValueError: A keyword has none of its values, or the prompt cannot be written.
    """

    def __init__(
        self,
        prompt: Iterable[Mapping[str, Any]],
        dialect: DialectName = "responses",
        *,
        tool_calls: ToolCallForm = "text",
        image_role: ImageRole = "user",
        tool_output_images: ListedImages = "pictures",
        image_detail: ImageDetail = "auto",
        image_format: PictureFormat = "png",
        defuse_placeholders: bool = True,
        max_echo_chars: int = 200_000,
    ) -> None:
        _expect_one_of("dialect", dialect, DialectName)
        _expect_one_of("tool_calls", tool_calls, ToolCallForm)
        _expect_one_of("image_role", image_role, ImageRole)
        _expect_one_of("tool_output_images", tool_output_images, ListedImages)
        _expect_one_of("image_detail", image_detail, ImageDetail)
        _expect_one_of("image_format", image_format, PictureFormat)
        if max_echo_chars < 1:
            raise ValueError(f"Expected max_echo_chars >= 1, got {max_echo_chars}.")
        self._dialect = DIALECTS[dialect](image_detail)
        self._tool_calls: ToolCallForm = tool_calls
        self._shows_in_output = image_role == "tool"
        self._takes_listed = tool_output_images == "pictures"
        self._image_format: PictureFormat = image_format
        self._defuses = defuse_placeholders
        self._echo = Echo(max_echo_chars, defuse_placeholders)
        self._messages = self._dialect.opening(prompt)
        self._num_turns = 0
        self._open_calls: tuple[OpenCall, ...] | None = None

    @property
    def messages(self) -> list[Message]:
        """The messages to send next: fresh copies, JSON-serialisable."""
        return copy.deepcopy(self._messages)

    @property
    def num_images(self) -> int:
        """How many pictures the messages hold: those of the prompt and all shown since."""
        return count_images(self._messages)

    def add_turn(self, action: Any) -> None:
        """Add what the model said.

        Args:
            action: One assistant turn: text, a ``Turn``, a call, an output item, a chat
                message, a list of items or tool calls, or a client's whole reply (an object
                or its ``model_dump()``). It is copied.

        Raises:
            TypeError: It is none of these.
            ValueError: Calls of the turn before wait for their outputs, a message is not the
                assistant's, or it holds pictures, which no assistant can say.
        """
        if self._open_calls:
            raise ValueError("Expected add_reply() for the calls of the last turn, got a turn.")
        utterance = read_utterance(action, self._tool_calls)
        if count_images(utterance.messages):
            raise ValueError(
                "Expected an assistant turn without pictures, got one that holds some."
            )
        self._num_turns += 1
        self._open_calls = open_calls(utterance, self._num_turns)
        self._messages += self._echo.item(self._dialect.said(utterance))

    def add_reply(
        self,
        observation: Mapping[str, Any],
        info: Mapping[str, Any],
        image_urls: Sequence[str] | None = None,
    ) -> None:
        """Add what the environment answered to the last turn.

        Args:
            observation: ``{"text", "images"}`` as ``env.step`` returned it.
            info: The info of the same step.
            image_urls: ``data:`` URLs of the observation's pictures, one each, where they are
                encoded already; None encodes the arrays.

        Raises:
            ValueError: No turn waits for a reply, or the URLs are not one a picture.
            pydantic.ValidationError: A tool listed pictures in a malformed way.
        """
        if self._open_calls is None:
            raise ValueError("Expected add_turn() before add_reply(), got a reply to nothing.")
        urls = self._urls(observation["images"], image_urls)
        results = read_results(info["tool_results"], urls, take_listed=self._takes_listed)
        if self._open_calls:
            self._answer_natively(self._open_calls, results, info["notice"], urls)
        else:
            self._answer_in_text(observation["text"], results, urls)
        self._open_calls = None

    def _answer_in_text(self, text: str, results: Sequence[Result], urls: Sequence[str]) -> None:
        for result in results:
            if result.text != result.output:
                text = text.replace(result.output, result.text, 1)
        # The text itself says which indices the pictures of the observation have.
        shown = [Shown(url) for url in urls]
        shown += [picture for result in results for picture in result.listed]
        self._say(self._safe(text, reply_tags=False), shown)

    def _answer_natively(
        self,
        calls: Sequence[OpenCall],
        results: Sequence[Result],
        notice: str,
        urls: Sequence[str],
    ) -> None:
        answers, left = answer_calls(calls, results)
        later = [] if any(result.made for result in results) else [Shown(url) for url in urls]
        for call, result in answers:
            shown = [*result.made, *result.listed]
            if not self._shows_in_output:
                later += shown
                shown = []
            output = self._dialect.output(call, self._safe(result.text), self._safe_labels(shown))
            self._messages.append(output)
        later += [picture for result in left for picture in (*result.made, *result.listed)]
        texts = [*(result.text for result in left), notice]
        self._say(self._safe("\n".join(text for text in texts if text)), later)

    def _say(self, text: str, shown: Sequence[Shown]) -> None:
        """Add a message of the user, if there is anything to say."""
        if text or shown:
            self._messages.append(self._dialect.user(text, self._safe_labels(shown)))

    def _safe(self, text: str, *, reply_tags: bool = True) -> str:
        return defuse(text, reply_tags=reply_tags) if self._defuses else text

    def _safe_labels(self, shown: Sequence[Shown]) -> list[Shown]:
        return [Shown(picture.url, self._safe(picture.label)) for picture in shown]

    def _urls(self, images: Sequence[Pixels], image_urls: Sequence[str] | None) -> Sequence[str]:
        if image_urls is None:
            media_type = MEDIA_TYPES[self._image_format]
            return [encode_data_url(encode(one, self._image_format), media_type) for one in images]
        if len(image_urls) != len(images):
            raise ValueError(
                f"Expected one URL for each of {len(images)} pictures, got {len(image_urls)}."
            )
        return image_urls


def _expect_one_of(keyword: str, value: str, choices: Any) -> None:
    if value not in get_args(choices):
        raise ValueError(f"Expected {keyword} to be one of {get_args(choices)}, got {value!r}.")
