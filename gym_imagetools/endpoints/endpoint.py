"""One model behind one address, asked over the ``openai`` client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pydantic_core import to_json

from gym_imagetools.endpoints.failure import EndpointFailure, EndpointRefusal, failure_of
from gym_imagetools.endpoints.profile import PROFILES, Api, ServerName, ServerProfile, recognised
from gym_imagetools.endpoints.reply import ModelReply, read_reply
from gym_imagetools.endpoints.request import Sampling, build_request
from gym_imagetools.types import Message

if TYPE_CHECKING:
    import openai

_REQUESTS_A_CLIENT = 16
"""The pool of a client looks at each of its connections for every request; many small pools keep
that short where hundreds of requests are in flight."""

_PATHS: dict[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}


class Endpoint:
    """Asks one model for its turns.

    Faults of the way (408, 409, 429, 5xx, time-outs, dropped connections) are tried again with
    growing pauses, or after what ``Retry-After`` says; that is the client's own doing. Requests
    and replies pass as the JSON they are: what a server sent can be sent back to the letter.

    Args:
        base_url: The address, such as ``http://127.0.0.1:8000/v1``; None for the client's own.
        model: The name of the model.
        api: ``responses`` or ``chat``.
        server: What kind of server it is; ``auto`` asks it.
        sampling: How the model samples.
        api_key: The key; None for the client's own way (``OPENAI_API_KEY``).
        timeout_s: Seconds a request may take, > 0.
        max_retries: How often a failed request is tried again, >= 0.
        capture_tokens: Whether token ids and log-probabilities are asked for.
        concurrency: About how many requests are in flight at a time, >= 1.

    Raises:
        EndpointRefusal: There is no key.
        ValueError: A number is out of its range, or the address is none.
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
        concurrency: int = 1,
    ) -> None:
        if timeout_s <= 0:
            raise ValueError(f"Expected timeout_s > 0, got {timeout_s!r}.")
        if max_retries < 0:
            raise ValueError(f"Expected max_retries >= 0, got {max_retries!r}.")
        if concurrency < 1:
            raise ValueError(f"Expected concurrency >= 1, got {concurrency!r}.")
        if base_url is not None and urlsplit(base_url).scheme not in ("http", "https"):
            raise ValueError(
                f"Expected a base_url such as http://127.0.0.1:8000/v1, got {base_url!r}."
            )
        self.model = model
        self.api = api
        self.sampling = sampling or Sampling()
        self._profile = None if server == "auto" else PROFILES[server]
        self._capture_tokens = capture_tokens
        self._clients = [
            _client(base_url, api_key, timeout_s, max_retries)
            for _ in range(ceil(concurrency / _REQUESTS_A_CLIENT))
        ]
        self._in_flight = [0] * len(self._clients)

    async def open(self) -> ServerProfile:
        """Ask the server who it is, so that a wrong address or key is told before any episode.

        Returns:
            What the server takes.

        Raises:
            EndpointRefusal: Nothing answers at the address, or it refuses the key.
            EndpointFailure: The server is there and has a fault of its own.
        """
        try:
            models = await self._models()
        except EndpointFailure as failure:
            if failure.kind != "connection":
                raise
            raise EndpointRefusal(
                f"Expected a server at {self._base_url}, got {failure}; start it or correct "
                "--base-url.",
                failure.kind,
            ) from failure
        if self._profile is None:
            self._profile = recognised(models, self._base_url.host)
        return self._profile

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        seed: int | None = None,
    ) -> ModelReply:
        """Return the model's next turn.

        Args:
            messages: Messages in the dialect of the API.
            tools: Function tools, for native calls.
            seed: Seeds this turn; None for the seed of the sampling.

        Raises:
            EndpointRefusal: Key, model or address is wrong.
            EndpointFailure: No usable reply came, after all retries.
        """
        profile = self._profile or await self.open()
        return await self.send(self.encode(profile, messages, tools, seed=seed))

    def encode(
        self,
        profile: ServerProfile,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        seed: int | None = None,
    ) -> bytes:
        """Return the body of a request; with pictures this takes milliseconds, so use a thread.

        Args:
            profile: What :meth:`open` returned.
            messages: As for :meth:`complete`.
            tools: As for :meth:`complete`.
            seed: As for :meth:`complete`.
        """
        sampling = self.sampling if seed is None else replace(self.sampling, seed=seed)
        body = build_request(
            messages,
            tools,
            model=self.model,
            api=self.api,
            profile=profile,
            sampling=sampling,
            capture_tokens=self._capture_tokens,
        )
        # Python's own encoder takes eight times as long, and holds up all threads meanwhile.
        return to_json(body)

    async def send(self, body: bytes) -> ModelReply:
        """Send the body of a request and read the reply.

        Raises:
            EndpointRefusal: As for :meth:`complete`.
            EndpointFailure: As for :meth:`complete`.
        """
        import openai

        try:
            return read_reply(await self._post(body), self.api)
        except openai.APIError as error:
            raise failure_of(error) from error
        except ValueError as error:
            raise EndpointFailure(f"the server's reply cannot be read: {error}", "reply") from error

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.close()

    @property
    def _base_url(self) -> Any:
        """The address as the client has understood it."""
        return self._clients[0].base_url

    async def _post(self, body: bytes) -> object:
        """Send a body over the client that has the least to do."""
        index = self._in_flight.index(min(self._in_flight))
        self._in_flight[index] += 1
        try:
            return await self._clients[index].post(_PATHS[self.api], cast_to=object, content=body)
        finally:
            self._in_flight[index] -= 1

    async def _models(self) -> list[Mapping[str, Any]]:
        """Return the models that the server lists; none where it has no list."""
        import openai

        try:
            listing = await self._clients[0].get("/models", cast_to=object)
        except openai.NotFoundError:
            return []
        except openai.APIError as error:
            raise failure_of(error) from error
        models = listing.get("data") if isinstance(listing, Mapping) else None
        return [one for one in cast("list[Any]", models or []) if isinstance(one, Mapping)]


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
            "Expected a key for the endpoint, got none: set OPENAI_API_KEY, or name another "
            "variable with --api-key-env (any text will do for a server of your own).",
            "status",
        ) from error
