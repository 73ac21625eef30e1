"""Why a request got no usable reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import openai

FailureKind = Literal["timeout", "connection", "status", "reply"]

_FATAL_STATUSES = {
    401: "the key is refused; give the right one",
    403: "the key may not use this model",
    404: "there is no such model or path; check --model and --base-url (it often ends in /v1)",
}
_MAX_CHARS = 300


class EndpointFailure(Exception):
    """A request that got no usable reply, after all retries: a fault of no model.

    Attributes:
        kind: What went wrong.
        status: The HTTP status, 0 where there was none.
    """

    def __init__(self, message: str, kind: FailureKind, status: int = 0) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.status = status

    def __reduce__(self) -> tuple[type[EndpointFailure], tuple[str, FailureKind, int]]:
        """Pickle the message with what was given beside it."""
        return type(self), (str(self), self.kind, self.status)


class EndpointRefusal(EndpointFailure):
    """A failure that every further request would meet, too: a wrong key, model or address."""


def failure_of(error: openai.APIError) -> EndpointFailure:
    """Return an error of the client as a failure of the package.

    Args:
        error: What the client raised, its retries used up.
    """
    import openai

    if isinstance(error, openai.APITimeoutError):
        return EndpointFailure("no reply in time", "timeout")
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return EndpointFailure(f"no connection ({_first_line(str(cause))})", "connection")
    return EndpointFailure(_first_line(str(error)), "reply")


def _of_status(error: openai.APIStatusError) -> EndpointFailure:
    status, message = error.status_code, _first_line(error.message)
    # Some servers know no 404 for models.
    status_of_cause = 404 if error.code == "model_not_found" else status
    if status_of_cause in _FATAL_STATUSES:
        hint = _FATAL_STATUSES[status_of_cause]
        return EndpointRefusal(f"{message} ({hint})", "status", status)
    return EndpointFailure(message, "status", status)


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[0][:_MAX_CHARS]
