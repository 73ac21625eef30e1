"""``gym-imagetools rollout``: play episodes and keep their records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_NUM_TASKS = 10
"""Tasks of a run on endless tasks; of data all rows are played."""

_MODEL = "The model"
_CLUSTER = "Many machines"


def play_rollouts(
    env_id: Annotated[
        str, typer.Option("--env", help="Id of the environment, such as ImageTools/Maze-v0.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the records; new or empty.")],
    policy: Annotated[
        str | None,
        typer.Option(
            help="Who plays: oracle, random, demonstration, or model (implied by --model).",
            show_default="oracle",
        ),
    ] = None,
    num_tasks: Annotated[
        int | None, typer.Option(help="Tasks to play. By default all rows, or 10 puzzles.")
    ] = None,
    group_size: Annotated[int, typer.Option(help="Rollouts of each task.")] = 1,
    seed: Annotated[int, typer.Option(help="Fixes tasks and scripted policies.")] = 0,
    env_kwargs: Annotated[str, typer.Option(help="Keywords as a JSON object.")] = "{}",
    keyword: Annotated[
        list[str] | None, typer.Option("-k", help="One keyword, key=value; may be repeated.")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Episodes in flight.")] = 16,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out; failures are retried.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Print JSON lines in place of bar and table.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(help="Name of the model.", rich_help_panel=_MODEL)
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Such as http://127.0.0.1:8000/v1.", rich_help_panel=_MODEL),
    ] = None,
    api: Annotated[str, typer.Option(help="chat or responses.", rich_help_panel=_MODEL)] = "chat",
    server: Annotated[
        str,
        typer.Option(
            help="openai, vllm, sglang, transformers, or auto to ask it.", rich_help_panel=_MODEL
        ),
    ] = "auto",
    api_key_env: Annotated[
        str | None,
        typer.Option(
            help="Environment variable that holds the key.",
            show_default="OPENAI_API_KEY",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    temperature: Annotated[float | None, typer.Option(rich_help_panel=_MODEL)] = None,
    top_p: Annotated[float | None, typer.Option(rich_help_panel=_MODEL)] = None,
    max_output_tokens: Annotated[
        int | None, typer.Option(help="Tokens a turn.", rich_help_panel=_MODEL)
    ] = None,
    sampling_seed: Annotated[
        int | None,
        typer.Option(
            help="Seeds every turn differently, where the server takes seeds.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    extra_body: Annotated[
        str, typer.Option(help="Further keys of each request, as JSON.", rich_help_panel=_MODEL)
    ] = "{}",
    timeout_s: Annotated[
        float, typer.Option(help="Seconds a request may take.", rich_help_panel=_MODEL)
    ] = 600.0,
    max_retries: Annotated[
        int, typer.Option(help="Further attempts of a request.", rich_help_panel=_MODEL)
    ] = 4,
    capture: Annotated[
        str | None,
        typer.Option(
            help="tokens: keep token ids and log-probabilities, where the server gives them.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            help="Address of a Ray cluster to play on: auto, HOST:PORT, or local.",
            rich_help_panel=_CLUSTER,
        ),
    ] = None,
    ray_workers: Annotated[
        int | None,
        typer.Option(
            help="Workers, each with --concurrency episodes in flight.",
            show_default="one a processor",
            rich_help_panel=_CLUSTER,
        ),
    ] = None,
) -> None:
    """Play episodes with a model or a scripted policy; write rollouts.jsonl, run.json and images/.

    With --resume the same command goes on where a run was stopped.
    """
    from functools import partial

    from gym_imagetools.cli.contenders import contestant_of, endpoint_settings
    from gym_imagetools.cli.fanning import play_on_ray
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.cli.making import make_env, read_keywords
    from gym_imagetools.cli.running import Manner, run_in_folder
    from gym_imagetools.endpoints import EndpointFailure
    from gym_imagetools.rollout import RunSettings, plan, play_plan

    with told_to_the_user(ValueError, EndpointFailure):
        if concurrency < 1:
            raise ValueError(f"Expected --concurrency >= 1, got {concurrency}.")
        if ray_workers is not None and not ray:
            raise ValueError("Expected --ray ADDRESS with --ray-workers, got none.")
        keywords = read_keywords(env_kwargs, keyword or [])
        endpoint = endpoint_settings(
            policy,
            model=model,
            base_url=base_url,
            api=api,
            server=server,
            sampling={
                "temperature": temperature,
                "top_p": top_p,
                "max_output_tokens": max_output_tokens,
                "seed": sampling_seed,
                "extra_body": extra_body,
            },
            timeout_s=timeout_s,
            max_retries=max_retries,
            capture=capture,
        )
        make_contestant = partial(contestant_of, policy, endpoint, api_key_env, concurrency)
        contestant = make_contestant()
    env = make_env(env_id, keywords)
    available: int | None = env.get_wrapper_attr("num_tasks")
    count = num_tasks if num_tasks is not None else available or DEFAULT_NUM_TASKS
    with told_to_the_user(ValueError):
        assignments = plan(seed, num_tasks=count, group_size=group_size, available=available)
        settings = RunSettings(
            env_id=env_id,
            env_kwargs=keywords,
            policy=contestant.name if endpoint is None else "model",
            num_tasks=count,
            group_size=group_size,
            seed=seed,
            concurrency=concurrency,
            endpoint=endpoint and endpoint.without_credentials(),
        )
    manner = Manner(resume=resume, quiet=quiet, log_json=log_json)
    play = (
        play_on_ray(ray, env_id, keywords, make_contestant, concurrency, ray_workers)
        if ray
        else partial(play_plan, env, contestant, concurrency=concurrency)
    )
    run_in_folder(play, contestant.name, assignments, settings, out, manner)
