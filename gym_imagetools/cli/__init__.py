"""The command line ``gym-imagetools``: one module a command, heavy imports inside of each."""

from __future__ import annotations

import typer

from gym_imagetools.cli.bench import measure_costs
from gym_imagetools.cli.check import check_file
from gym_imagetools.cli.demo import play_demo
from gym_imagetools.cli.envs import list_envs
from gym_imagetools.cli.export import export_puzzles
from gym_imagetools.cli.gallery import draw_puzzles
from gym_imagetools.cli.mcp import serve_tools
from gym_imagetools.cli.metrics import show_metrics
from gym_imagetools.cli.report import make_report
from gym_imagetools.cli.rollout import play_rollouts
from gym_imagetools.cli.verify import verify_run

app = typer.Typer(
    name="gym-imagetools",
    help="Environments in which vision-language models answer questions with image tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("envs")(list_envs)
app.command("demo")(play_demo)
app.command("rollout")(play_rollouts)
app.command("verify")(verify_run)
app.command("metrics")(show_metrics)
app.command("report")(make_report)
app.command("check")(check_file)
app.command("export")(export_puzzles)
app.command("gallery")(draw_puzzles)
app.command("bench")(measure_costs)
app.command("mcp")(serve_tools)
