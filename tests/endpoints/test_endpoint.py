import asyncio
import json

import pytest

from gym_imagetools.endpoints import PROFILES, Endpoint, EndpointFailure, EndpointRefusal, Sampling
from gym_imagetools.endpoints.profile import UNKNOWN, recognised
from gym_imagetools.endpoints.request import build_request
from gym_imagetools.rollout.replay import Replayer
from tests.endpoints.runs import run_over_loopback
from tests.endpoints.server import MODEL, Fault, Script, serving

HELLO = [{"role": "user", "content": "?"}]
TOOL = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}


def request(api="chat", server="vllm", tools=(), capture_tokens=False, **sampling):
    return build_request(
        HELLO,
        tools,
        model="m",
        api=api,
        profile=PROFILES[server],
        sampling=Sampling(**sampling),
        capture_tokens=capture_tokens,
    )


def ask(script, **settings):
    """Send one request to a server and return the reply."""

    async def once(base_url):
        endpoint = Endpoint(base_url, **{"model": MODEL, "api_key": "key", **settings})
        try:
            return await endpoint.complete(HELLO)
        finally:
            await endpoint.close()

    with serving(script) as server:
        return asyncio.run(once(settings.pop("base_url", server.base_url)))


def test_nothing_is_sent_that_was_not_set():
    assert request("chat", "transformers") == {"model": "m", "messages": HELLO, "stream": False}


SET = {"temperature": 0.0, "top_p": 0.5, "max_output_tokens": 7, "seed": 3}


@pytest.mark.parametrize(
    ("server", "limit", "seed"),
    [
        ("openai", "max_completion_tokens", 3),
        ("vllm", "max_tokens", 3),
        ("sglang", "max_tokens", 3),
        ("transformers", "max_tokens", None),
    ],
)
def test_sampling_is_sent_to_chat_as_each_server_takes_it(server, limit, seed):
    body = request("chat", server, **SET, extra_body={"min_p": 0.1})
    assert (body["temperature"], body["top_p"], body[limit]) == (0.0, 0.5, 7)
    assert (body.get("seed"), body["min_p"]) == (seed, 0.1)


@pytest.mark.parametrize(("server", "seed"), [("openai", None), ("vllm", 3), ("sglang", 3)])
def test_sampling_is_sent_to_responses_as_each_server_takes_it(server, seed):
    body = request("responses", server, **SET)
    assert body["max_output_tokens"] == 7
    assert body.get("seed") == seed


@pytest.mark.parametrize(
    ("server", "api", "extra"),
    [
        ("openai", "chat", {"stop": ["</tool_call>"]}),
        ("openai", "responses", {}),
        ("vllm", "chat", {"stop": ["</tool_call>"], "include_stop_str_in_output": True}),
        ("vllm", "responses", {"stop": ["</tool_call>"], "include_stop_str_in_output": True}),
        ("sglang", "chat", {"stop": ["</tool_call>"], "no_stop_trim": True}),
        ("transformers", "chat", {}),
    ],
)
def test_text_calls_stop_the_reply_and_native_calls_do_not(server, api, extra):
    keys = {"stop", "include_stop_str_in_output", "no_stop_trim"}
    body = request(api, server)
    assert {key: body[key] for key in keys & set(body)} == extra
    assert not keys & set(request(api, server, tools=[TOOL]))


def test_tools_have_the_form_of_the_api():
    assert request("responses", tools=[TOOL])["tools"] == [TOOL]
    (tool,) = request("chat", tools=[TOOL])["tools"]
    assert tool["type"] == "function"
    assert tool["function"] == {key: TOOL[key] for key in ("name", "description", "parameters")}


def test_a_key_of_the_extra_body_wins():
    assert request(temperature=0.5, extra_body={"temperature": 1.0})["temperature"] == 1.0


@pytest.mark.parametrize(
    ("listing", "host", "name"),
    [
        ([{"owned_by": "vllm", "created": 1}], "127.0.0.1", "vllm"),
        ([{"owned_by": "sglang", "created": 1}], "127.0.0.1", "sglang"),
        ([], "127.0.0.1", "transformers"),
        ([{"owned_by": "Qwen", "created": "2026-01-01T00:00:00"}], "127.0.0.1", "transformers"),
        ([{"owned_by": "me", "created": 1}], "127.0.0.1", "unknown"),
        ([{"owned_by": "system", "created": 1}], "api.openai.com", "openai"),
    ],
)
def test_a_server_is_known_by_what_it_lists(listing, host, name):
    assert recognised(listing, host).name == name


def test_an_unknown_server_is_sent_standard_keys_alone():
    assert not UNKNOWN.keep_stop
    assert not UNKNOWN.pictures_in_outputs


@pytest.mark.parametrize(
    ("sampling", "message"),
    [
        ({"temperature": -0.1}, "temperature >= 0"),
        ({"top_p": 0.0}, "top_p above 0"),
        ({"top_p": 1.1}, "top_p above 0"),
        ({"max_output_tokens": 0}, "max_output_tokens >= 1"),
    ],
)
def test_sampling_out_of_range_is_named(sampling, message):
    with pytest.raises(ValueError, match=message):
        Sampling(**sampling)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"timeout_s": 0}, "timeout_s > 0"),
        ({"max_retries": -1}, "max_retries >= 0"),
        ({"base_url": "127.0.0.1:8000"}, "base_url such as http"),
    ],
)
def test_settings_out_of_range_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        Endpoint(**{"base_url": None, "model": "m", "api_key": "key", **keywords})


def test_no_key_at_all_is_a_refusal(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EndpointRefusal, match="key for the endpoint"):
        Endpoint("http://127.0.0.1:1/v1", "m")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"api_key": "wrong"}, "key is refused"),
        ({"model": "another"}, "no such model"),
        ({"base_url": "http://127.0.0.1:9/v1", "max_retries": 0}, "Expected a server at"),
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_what_no_request_can_pass_is_a_refusal(settings, message, api):
    with pytest.raises(EndpointRefusal, match=message):
        ask(Script("vllm", {}, key="key"), api=api, **settings)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Fault("garbage"), "reply"), (Fault("status", 418), "status"), (Fault("hang"), "timeout")],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_reply_that_is_none_is_a_failure_with_its_kind(fault, kind, api):
    script = Script("vllm", {}, fault=lambda number, body: fault)
    with pytest.raises(EndpointFailure) as caught:
        ask(script, api=api, max_retries=0, timeout_s=0.5)
    assert caught.value.kind == kind
    assert not isinstance(caught.value, EndpointRefusal)


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_refusal_is_an_answer_that_scores_nothing_and_is_marked(api, tmp_path):
    script = {"fault": lambda number, body: Fault("refusal") if number == 1 else None}
    run = run_over_loopback(tmp_path, api=api, script=script)
    (record,) = run.records
    assert (record.ending, record.base_reward, record.is_refusal) == ("answered", 0.0, True)
    assert "I cannot help" in json.dumps(record.response.output[-1])
    assert [facts.is_refusal for facts in record.turn_facts] == [False, True]
    assert run.tally.num_refusals == 1


@pytest.mark.parametrize("prompt_format", ["xml", "native"])
@pytest.mark.parametrize("policy", ["reference", "strict"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_refusal_is_not_graded_by_its_words(api, policy, prompt_format, tmp_path):
    script = {"fault": lambda number, body: Fault("refused answer") if number == 2 else None}
    keywords = {"reward_policy": policy, "prompt_format": prompt_format}
    run = run_over_loopback(tmp_path, api=api, script=script, keywords=keywords)
    (record,) = run.records
    assert record.expected_answer in json.dumps(record.response.output[-1])
    assert (record.ending, record.base_reward, record.is_refusal) == ("answered", 0.0, True)
    assert record.extracted_answer == ""
    with Replayer() as replayer:
        assert replayer.replay(record).differences == ()


def test_usage_is_kept_turn_by_turn_and_as_a_sum(tmp_path):
    (record,) = run_over_loopback(tmp_path, api="responses").records
    one = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    assert [facts.usage for facts in record.turn_facts] == [one] * 3
    assert record.usage == record.response.usage == {key: 3 * value for key, value in one.items()}


@pytest.mark.parametrize(("server", "ids"), [("vllm", [7, 8, 9]), ("sglang", None)])
def test_tokens_are_captured_where_they_are_given(server, ids, tmp_path):
    (record,) = run_over_loopback(tmp_path, manners=server, capture_tokens=True).records
    said = [item for item in record.response.output if item["role"] == "assistant"]
    assert len(said) == 3
    for item in said:
        assert item.get("generation_token_ids") == ids
        assert item["generation_log_probs"] == [-0.5] * 3


def test_without_being_asked_no_tokens_are_captured(tmp_path):
    run = run_over_loopback(tmp_path, manners="vllm")
    assert "generation_log_probs" not in json.dumps(run.records[0].response.output)
    assert not any("logprobs" in body for body in run.script.requests)


def test_every_turn_of_every_rollout_samples_with_a_seed_of_its_own(tmp_path):
    seeds = []
    for name in ("one", "two"):
        run = run_over_loopback(
            tmp_path / name, manners="vllm", group_size=3, sampling=Sampling(seed=5)
        )
        seeds.append(sorted(body["seed"] for body in run.script.requests))
    assert len(set(seeds[0])) == 9
    assert seeds[0] == seeds[1]
    assert all(0 <= seed < 2**31 for seed in seeds[0])
