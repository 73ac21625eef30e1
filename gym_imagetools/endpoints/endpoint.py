"""One model behind one address, asked over the ``openai`` client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gym_imagetools.endpoints.profile import PROFILES, ServerName, ServerProfile, profile_of_owner
from gym_imagetools.endpoints.reply import ModelReply, read_reply
from gym_imagetools.endpoints.request import Api, Sampling, build_request
from gym_imagetools.types import Message

if TYPE_CHECKING:
    import openai

_FATAL_STATUSES = {
    401: "the key is refused; give the right one",
    403: "the key may not use this model",
    404: "there is no such model or path; check --model and --base-url (it often ends in /v1)",
}


class EndpointFailure(Exception):
    """A request that got no usable reply, after all retries: a fault of no model.

    Attributes:
        kind: ``timeout``, ``connection``, ``status`` or ``reply``.
        status: The HTTP status, 0 where there was none.
    """

    def __init__(self, message: str, kind: str, status: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status


class EndpointRefusal(EndpointFailure):
    """A failure that every further request would meet, too: a wrong key, model or address."""


class Endpoint:
    """Asks one model for its turns.

    Faults of the way (408, 409, 429, 5xx, time-outs, dropped connections) are tried again with
    growing pauses, or after what ``Retry-After`` says; that is the client's own doing.

    Args:
        base_url: The address, such as ``http://127.0.0.1:8000/v1``; None for the client's own.
        model: The name of the model.
        api: ``responses`` or ``chat``.
        server: What kind of server it is; ``auto`` asks it.
        sampling: How the model samples.
        api_key: The key; None for the client's own way (``OPENAI_API_KEY``).
        timeout_s: Seconds a request may take.
        max_retries: How often a failed request is tried again.
        capture_tokens: Whether token ids and log-probabilities are asked for.
    """

    def __init__(
        self,
        base_url: str | None,
        model: str,
        *,
        api: Api = "chat",
        server: ServerName = "auto",
        sampling: Sampling | None = None,
        api_key: str | None = None,
        timeout_s: float = 600.0,
        max_retries: int = 4,
        capture_tokens: bool = False,
    ) -> None:
        self.model = model
        self.api = api
        self._profile = None if server == "auto" else PROFILES[server]
        self._sampling = sampling or Sampling()
        self._capture_tokens = capture_tokens
        self._client = _client(base_url, api_key, timeout_s, max_retries)

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
    ) -> ModelReply:
        """Return the model's next turn.

        Args:
            messages: Messages in the dialect of the API.
            tools: Function tools, for native calls.

        Raises:
            EndpointRefusal: Key, model or address is wrong.
            EndpointFailure: No usable reply came, after all retries.
        """
        import openai

        request = build_request(
            messages,
            tools,
            model=self.model,
            api=self.api,
            profile=await self.profile(),
            sampling=self._sampling,
            capture_tokens=self._capture_tokens,
        )
        resource = self._client.chat.completions if self.api == "chat" else self._client.responses
        try:
            reply = await resource.create(**request)
            return read_reply(reply.model_dump(exclude_unset=True, warnings=False), self.api)
        except openai.APIError as error:
            raise _failure(error) from error
        except (ValueError, AttributeError) as error:
            raise EndpointFailure(f"the server's reply cannot be read: {error}", "reply") from error

    async def profile(self) -> ServerProfile:
        """Return what the server takes, asking it once where it was not named."""
        if self._profile is None:
            self._profile = profile_of_owner(await self._owner(), self._host)
        return self._profile

    async def close(self) -> None:
        """Close the client's connections."""
        await self._client.close()

    @property
    def _host(self) -> str:
        return urlsplit(str(self._client.base_url)).hostname or ""

    async def _owner(self) -> str:
        """Return who owns the first model that the server lists; "" when it lists none."""
        import openai

        try:
            models = (await self._client.models.list()).data
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                raise _failure(error) from error
            return ""
        except openai.APIError as error:
            raise _failure(error) from error
        return str(getattr(models[0], "owned_by", "")) if models else ""


def _client(
    base_url: str | None, api_key: str | None, timeout_s: float, max_retries: int
) -> openai.AsyncOpenAI:
    import openai

    try:
        return openai.AsyncOpenAI(
            base_url=base_url, api_key=api_key, timeout=timeout_s, max_retries=max_retries
        )
    except openai.OpenAIError as error:
        raise EndpointRefusal(
            "Expected a key for the endpoint, got none: set OPENAI_API_KEY (any text will do for "
            "a server of your own).",
            "status",
        ) from error


def _failure(error: openai.APIError) -> EndpointFailure:
    import openai

    if isinstance(error, openai.APITimeoutError):
        return EndpointFailure("no reply in time", "timeout")
    if isinstance(error, openai.APIStatusError):
        status, message = error.status_code, _first_line(error.message)
        if status in _FATAL_STATUSES:
            return EndpointRefusal(
                f"{status} {message} ({_FATAL_STATUSES[status]})", "status", status
            )
        return EndpointFailure(f"{status} {message}", "status", status)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return EndpointFailure(f"no connection: {_first_line(str(cause))}", "connection")
    return EndpointFailure(_first_line(str(error)), "reply")


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:300]
