"""Installs NeMo Gym for its test into the environment whose Python runs this.

It asks for a patch release of Python 3.13 that few machines have, and runs on 3.11. So its wheel
is installed first, without a look at that, and then what it requires.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import requires

PACKAGE, VERSION = "nemo-gym", "0.7.0"


def install(*words: str) -> None:
    """Run pip.

    Args:
        words: Requirements and options of ``pip install``.

    Raises:
        subprocess.CalledProcessError: Something could not be installed.
    """
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *words], check=True)


if __name__ == "__main__":
    install("--no-deps", "--ignore-requires-python", f"{PACKAGE}=={VERSION}")
    install(*(line for line in requires(PACKAGE) or () if "extra ==" not in line))
