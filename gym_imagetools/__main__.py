"""``python -m gym_imagetools``: the command line, where its script is not on the path."""

from gym_imagetools.cli import app

if __name__ == "__main__":
    app(prog_name="gym-imagetools")
