"""One rollout pays the same in every host as in plain Gymnasium."""

from importlib import import_module

import pytest

from tests.hosts.rollouts import RECORDINGS, expected, recording

HOSTS = {
    "inspect_ai": "inspect_ai",
    "mo_gymnasium": "mo_gymnasium",
    "nemo_gym": "itsdangerous",
    "openenv": "openenv.core",
    "ray": "ray.data",
    "trl": "",
    "verl": "verl",
}
"""The hosts whose ``play_<host>`` plays a recording, and the package that each needs, if any."""


@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("host", HOSTS)
def test_a_rollout_pays_what_plain_gymnasium_pays(host, name):
    if HOSTS[host]:
        pytest.importorskip(HOSTS[host], reason=f"{host} has an environment of its own")
    played = import_module(f"tests.hosts.play_{host}").play(recording(name))
    outcome = expected(name)
    assert played.reward == pytest.approx(outcome.reward, abs=1e-6)
    assert played.components == pytest.approx(outcome.components, abs=1e-6)
    assert played.scores == pytest.approx(outcome.scores, abs=1e-6)


def test_the_recordings_differ_in_what_they_pay():
    components = [tuple(expected(name).components.values()) for name in RECORDINGS]
    assert len(set(components)) >= len(RECORDINGS) - 1
