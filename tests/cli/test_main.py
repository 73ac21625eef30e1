"""The command line where its script is not on the path."""

import subprocess
import sys


def test_the_module_is_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "gym_imagetools", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Usage: gym-imagetools" in done.stdout
