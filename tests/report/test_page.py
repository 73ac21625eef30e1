import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gym_imagetools.cli import app
from gym_imagetools.report import write_report
from gym_imagetools.report.episodes import MAX_TEXT_CHARS, bounded
from gym_imagetools.report.page import SCRIPTS, TEMPLATES, script_safe_json
from gym_imagetools.rollout.finished_run import FinishedRun
from tests.report.runs import call, write_run

CROP = call("image_crop_tool", bbox_2d=[0, 0, 500, 500])
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "\u2028\u2029 \u202e \x00 \ud7ff",
    "javascript:alert(1)",
    "' \" & &lt; \\u003c \\",
]


class Page(HTMLParser):
    """The elements of a page, and the text of each script."""

    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.scripts = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data

    def addresses(self):
        names = ("src", "href", "action", "data", "poster", "srcset")
        return [attrs[name] for _, attrs in self.elements for name in names if name in attrs]


def page_of(run, **keywords):
    return Page(write_report(run, **keywords).read_text(encoding="utf-8"))


def data_of(page):
    return json.loads(page.scripts[0])


def test_the_page_has_two_scripts_and_refers_to_nothing(tmp_path):
    page = page_of(write_run(tmp_path, [CROP, "A"]))
    assert len(page.scripts) == 2
    assert page.addresses() == ["#"]
    assert not re.search(r"https?://(?!www\.w3\.org)", "".join(page.scripts))


def test_nothing_but_the_own_script_may_run():
    for script in SCRIPTS:
        source = (TEMPLATES / f"{script}.js").read_text()
        for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert danger not in source
    assert "script-src '{{ script_hash }}'" in (TEMPLATES / "page.html.j2").read_text()


def test_the_data_tells_the_episode(tmp_path):
    run = write_run(tmp_path, [CROP, "I say \\boxed{A}"])
    data = data_of(page_of(run))
    (episode,) = data["episodes"]
    (record,) = run.records()
    assert (episode["answer"], episode["ending"]) == (record.extracted_answer, "answered")
    assert episode["right"] == (record.base_reward == 1.0)
    first, last = episode["turns"]
    assert [one["name"] for one in first["calls"]] == ["image_crop_tool"]
    assert last["said"] == [{"kind": "text", "text": "I say \\boxed{A}"}]
    assert sum(turn["reward"] for turn in episode["turns"]) == pytest.approx(episode["reward"])
    shown = [data["pictures"][number] for number in episode["store"]]
    assert len(shown) == 2
    assert all((tmp_path / reference).is_file() for reference in shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_model_writes_stays_text(tmp_path, text):
    plain = page_of(write_run(tmp_path / "plain", ["x"], ["x"], ["x"]))
    hostile = page_of(
        write_run(
            tmp_path / "hostile",
            [
                call("image_crop_tool", bbox_2d=[0, 0, 500, 500], label=text),
                f"{text} \\boxed{{{text}}}",
            ],
            [call(text, **{text: text})],
            [f"<tool_call>{text}"],
        )
    )
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    first, second, third = data_of(hostile)["episodes"]
    assert text in first["turns"][-1]["said"][0]["text"]
    assert text in json.loads(first["turns"][0]["calls"][0]["arguments"])["label"]
    assert second["turns"]
    assert third["turns"][0]["malformed"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_record_holds_stays_text(tmp_path, text):
    run = write_run(tmp_path / "run", ["x"])
    plain = page_of(run)
    row = json.loads(run.rollouts_path.read_text())
    row.update(family=text, task_id=text, expected_answer=text, group=text)
    row["response"]["model"] = text
    run.rollouts_path.write_text(json.dumps(row) + "\n")
    (run.folder / "run.json").write_text(json.dumps({text: text}))
    page = page_of(run)
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert data_of(page)["episodes"][0]["family"] == text


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a.png",
        "//example.org/a.png",
        "javascript:alert(1)",
        "../secret.png",
        "images/../../secret.png",
        "images/0123456789abcdef.svg",
        "data:image/svg+xml;base64,PHN2Zy8+",
        "data:text/html,<b>",
        "file:///etc/passwd",
    ],
)
@pytest.mark.parametrize("inline", [False, True])
def test_only_pictures_of_the_run_are_referred_to(tmp_path, url, inline):
    run = write_run(tmp_path, [CROP, "A"])
    (tmp_path.parent / "secret.png").write_bytes(b"secret")
    row = json.loads(run.rollouts_path.read_text())
    row["image_tools_output_paths"] = [url]
    run.rollouts_path.write_text(json.dumps(row) + "\n")
    data = data_of(page_of(run, inline=inline))
    assert data["pictures"][data["episodes"][0]["store"][1]] == ""
    assert url not in json.dumps(data["pictures"])


@given(st.text(), st.text(alphabet="</>!-scriptSCRIPT&\u2028"))
def test_json_in_a_script_ends_nothing_and_reads_back(one, other):
    text = script_safe_json({"a": one, other: [other]})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"a": one, other: [other]}


def test_half_a_character_does_not_stop_the_page(tmp_path):
    run = write_run(tmp_path, ["x"])
    row = json.loads(run.rollouts_path.read_text())
    line = json.dumps({**row, "family": "MARK"}).replace("MARK", "\\ud800")
    run.rollouts_path.write_text(line + "\n")
    try:
        page = page_of(run)
    except ValueError:
        # Refused where records are read; the page itself writes whatever it is given.
        return
    assert data_of(page)["episodes"]


def test_inside_the_run_references_are_relative_and_elsewhere_they_lead_there(tmp_path):
    run = write_run(tmp_path / "the run", [CROP, "A"])
    inside = data_of(page_of(run))["pictures"]
    assert all(url.startswith("images/") for url in inside)
    out = tmp_path / "pages" / "page.html"
    out.parent.mkdir()
    outside = data_of(page_of(run, out=out))["pictures"]
    assert outside == [f"../the%20run/{url}" for url in inside]


def test_what_a_model_thought_and_refused_is_shown(tmp_path):
    run = write_run(tmp_path, [CROP, "A"])
    row = json.loads(run.rollouts_path.read_text())
    facts = {"usage": {}, "incomplete": "", "is_refusal": False, "reasoning": "Hm."}
    row.update(turn_facts=[facts, {**facts, "reasoning": ""}], is_refusal=True)
    run.rollouts_path.write_text(json.dumps(row) + "\n")
    (episode,) = data_of(page_of(run))["episodes"]
    assert [turn["thought"] for turn in episode["turns"]] == ["Hm.", ""]
    assert episode["refusal"]


def test_inline_holds_the_pictures_and_tolerates_lost_ones(tmp_path):
    run = write_run(tmp_path, [CROP, "A"])
    lost, *kept = sorted((tmp_path / "images").iterdir())
    lost.unlink()
    pictures = data_of(page_of(run, inline=True))["pictures"]
    assert pictures.count("") == 1
    assert sum(url.startswith("data:image/") for url in pictures) == len(kept)


def test_prompts_are_held_once(tmp_path):
    data = data_of(page_of(write_run(tmp_path, ["a"], ["b"], ["c"])))
    assert len(data["episodes"]) == 3
    assert len(data["texts"]) == 2
    assert len(data["pictures"]) == 1


def test_long_texts_are_cut_and_say_so(tmp_path):
    text = "a" * MAX_TEXT_CHARS + "b" * 1_000
    assert "1,000 characters left out" in bounded(text)
    assert bounded("a" * MAX_TEXT_CHARS) == "a" * MAX_TEXT_CHARS
    run = write_run(tmp_path, ["x" * 1_000_000])
    assert write_report(run).stat().st_size < 200_000


def test_the_same_run_gives_the_same_page(tmp_path):
    run = write_run(tmp_path, [CROP, "A"])
    assert write_report(run).read_bytes() == write_report(run).read_bytes()


def test_the_cards_show_the_headline_figures(tmp_path):
    run = write_run(tmp_path, [CROP, "A"], ["B"])
    (tmp_path / "failures.jsonl").write_text("{}\n")
    html = write_report(run).read_text()
    for words in (
        "1 task x 2, 1 failed",
        "pass@2",
        "majority@2",
        "Equal rewards",
        "1 of 2 episodes",
    ):
        assert words in html


@pytest.mark.parametrize(
    ("env_id", "turn"),
    [
        ("ImageTools/Weather-v0", call("get_weather", city="Rome")),
        ("ImageTools/Pivot-v0", CROP),
        ("ImageTools/Dataset-v0", "A"),
    ],
)
def test_every_kind_of_environment_has_a_page(tmp_path, env_id, turn):
    data = data_of(page_of(write_run(tmp_path, [turn], env_id=env_id)))
    assert len(data["episodes"]) == 1


def test_the_command_writes_where_it_is_told(tmp_path):
    write_run(tmp_path / "run", ["A"])
    result = CliRunner().invoke(app, ["report", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "run" / "report.html").is_file()
    words = ["report", str(tmp_path / "run"), "--out", str(tmp_path / "page.html"), "--inline"]
    assert "page.html" in CliRunner().invoke(app, words).stdout
    assert "data:image/" in (tmp_path / "page.html").read_text()


def test_what_cannot_be_reported_is_one_line(tmp_path):
    write_run(tmp_path / "run", ["A"])
    (tmp_path / "run.jsonl").write_text("no record\n")
    for words in (
        [tmp_path / "nothing"],
        [tmp_path / "run.jsonl"],
        [tmp_path / "run", "--out", tmp_path / "no folder" / "page.html"],
    ):
        result = CliRunner().invoke(app, ["report", *map(str, words)])
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1


def test_a_run_without_settings_has_a_page(tmp_path):
    run = write_run(tmp_path, ["A"])
    (tmp_path / "run.json").unlink()
    assert data_of(page_of(FinishedRun.find(run.rollouts_path)))["episodes"]
