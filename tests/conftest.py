"""Settings every test runs with."""

from hypothesis import settings

# The same examples in every run, so that a change that is green stays green, and no deadline, so
# that a slow machine is no failure. `pytest --hypothesis-profile=default` searches afresh.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
