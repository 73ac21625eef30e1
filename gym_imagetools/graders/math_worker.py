"""The process that runs math-verify: one JSON request a line in, one JSON reply a line out.

Started by :mod:`gym_imagetools.graders.math` and ended by it, or by the end of its input. Symbolic
algebra may take for ever and cannot be interrupted from inside, so it has a process to itself.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import sys
from typing import Any, TextIO

_FLOAT_ROUNDING = 6
_MAX_EXTRACTED = 200


def main() -> None:
    """Answer requests until the input ends.

    The first reply says that the libraries are loaded. Whatever they print goes nowhere.
    """
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        logging.disable(logging.CRITICAL)
        _send(replies, {"ready": check("1", "1")["equal"]})
        os.dup2(nowhere.fileno(), 2)
        for line in sys.stdin:
            request = json.loads(line)
            # A parent that died cannot kill this process: then this ends it.
            faulthandler.dump_traceback_later(request["limit_s"], exit=True, file=nowhere)
            _send(replies, check(request["gold"], request["answer"]))
            faulthandler.cancel_dump_traceback_later()


def check(gold: str, answer: str) -> dict[str, Any]:
    """Compare two answers symbolically.

    Args:
        gold: The expected answer, TeX or plain, without delimiters.
        answer: The content of the answer's box.

    Returns:
        ``equal``, and ``extracted``: the answer as SymPy writes it.
    """
    from math_verify.grader import verify
    from math_verify.parser import ExprExtractionConfig, LatexExtractionConfig, parse

    latex = LatexExtractionConfig()
    try:
        golds = parse(f"\\boxed{{{gold}}}", [latex], parsing_timeout=None)
        answers = parse(
            f"\\boxed{{{answer}}}", [ExprExtractionConfig(), latex], parsing_timeout=None
        )
        equal = verify(golds, answers, _FLOAT_ROUNDING, timeout_seconds=None)
        names = {str(value).strip() for value in golds}
        written = [str(value) for value in answers]
    except (RecursionError, MemoryError, ArithmeticError, ValueError, TypeError):
        return {"equal": False, "extracted": ""}
    extracted = next((text for text in written if text.strip() in names), (written or [""])[0])
    return {"equal": bool(equal), "extracted": extracted[:_MAX_EXTRACTED]}


def _send(replies: TextIO, reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


if __name__ == "__main__":
    main()
