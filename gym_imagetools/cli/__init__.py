"""The command line ``gym-imagetools``: one module a command, heavy imports inside of each."""

from __future__ import annotations

import typer

from gym_imagetools.cli.check import check
from gym_imagetools.cli.demo import demo
from gym_imagetools.cli.envs import envs
from gym_imagetools.cli.export import export
from gym_imagetools.cli.rollout import rollout

app = typer.Typer(
    name="gym-imagetools",
    help="Environments in which vision-language models answer questions with image tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for command in (envs, demo, rollout, check, export):
    app.command()(command)
