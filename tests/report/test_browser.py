"""Clicks through the page in a real Chromium."""

import json

import pytest

from gym_imagetools.report import write_report
from gym_imagetools.rollout.finished_run import FinishedRun
from tests.report.browser import CHROMIUM, DRIVER, Browser
from tests.report.runs import call, write_run

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver on the PATH"
)

ATTACK = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>'
ROW = "#episodes tbody tr"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    one = Browser(tmp_path_factory.mktemp("profile"))
    yield one
    one.close()


@pytest.fixture(autouse=True)
def _quiet_and_on_a_desk(browser):
    browser.resize(1280, 900)
    yield
    assert browser.complaints() == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    crop = call("image_crop_tool", bbox_2d=[100, 200, 500, 600])
    again = call("image_zoom_in_tool", bbox_2d=[0, 0, 500, 500], img_idx=1)
    write_report(
        write_run(
            folder,
            [crop, again, call("color_at_tool", point_2d=[300, 700]), "\\boxed{A}"],
            ["\\boxed{B}"],
            ["\\boxed{C}"],
            ["<think>hm</think>" + ATTACK],
            [call("shell", command=ATTACK)],
            num_tasks=2,
        )
    )
    return folder


@pytest.fixture
def page(browser, folder):
    url = (folder / "report.html").as_uri()
    return lambda fragment="": browser.open(url + fragment)


def test_the_table_lists_every_episode(page, browser):
    page()
    assert browser.count(ROW) == 10
    assert browser.text("#count") == "10 episodes"


def test_clicking_through_an_episode(page, browser):
    page()
    browser.click(f"{ROW}:first-child td[data-column=task] a")
    browser.until("return document.querySelector('#turn-0')")
    assert browser.count("article.assistant") == 4
    browser.until("return [...document.querySelectorAll('.turn img')].every((one) => one.complete)")
    widths = browser.run(
        "return [...document.querySelectorAll('.turn img')].map((one) => one.naturalWidth)"
    )
    assert len(widths) == 7
    assert all(widths)
    browser.click("a[data-key=ArrowRight]")
    browser.until("return document.querySelectorAll('article.assistant').length === 1")
    browser.press("\ue00c")
    browser.until("return !document.querySelector('#overview').hidden")


def test_boxes_lie_on_the_source_where_the_calls_looked(page, browser):
    page("#episode=0")
    boxes = browser.run(
        "return [...document.querySelectorAll('.environment .picture rect')].map((one) =>"
        " ['x', 'y', 'width', 'height'].map((name) => Number(one.getAttribute(name))))"
    )
    assert boxes == [[100, 200, 400, 400], [100, 200, 200, 200]]
    assert browser.count(".environment .picture path") == 1
    drawn = browser.run(
        "const image = document.querySelector('.environment img').getBoundingClientRect();"
        "const box = document.querySelector('.environment rect').getBoundingClientRect();"
        "return [(box.x - image.x) / image.width, box.width / image.width]"
    )
    assert drawn == pytest.approx([0.1, 0.4], abs=0.02)


def test_a_picture_is_enlarged_and_closed(page, browser):
    page("#episode=0")
    browser.click(".environment .picture button.open")
    assert browser.run("return document.querySelector('#zoom').open")
    assert browser.count("#zoom rect") == 2
    sides = "return [...document.querySelectorAll('{}')].map((one) => one.clientHeight)"
    (small,) = browser.run(sides.format(".environment .picture img"))
    (large,) = browser.until(
        "const sides = " + sides.format("#zoom img")[7:] + "; return sides[0] > 640 && sides"
    )
    assert small < large < 900
    browser.click("#zoom .close")
    assert not browser.run("return document.querySelector('#zoom').open")


def test_bars_of_lost_reward_hang_below_the_line(page, browser):
    page("#episode=4")
    (up, down) = browser.run(
        "return ['up', 'down'].map((kind) => {"
        " const bar = document.querySelector(`.bar.${kind}`).getBoundingClientRect();"
        " return [bar.top, bar.bottom]; })"
    )
    assert up[0] == up[1]
    assert down[1] - down[0] > 40
    assert down[0] >= up[1]


def test_an_episode_without_an_answer_says_so_and_what_was_expected(page, browser):
    page("#episode=4")
    expected = browser.run("return episodes[4].expected")
    assert f"Answer: no answer; expected: {expected}" in browser.text(".turn.end")


def test_filters_choose_and_stand_in_the_address(page, browser):
    page()
    browser.click("select[name=ending] option:nth-child(3)")
    browser.until("return document.querySelector('#count').innerText.includes(' of ')")
    kept = browser.count(ROW)
    assert 0 < kept < 10
    assert "ending=" in browser.run("return location.hash")
    browser.click(f"{ROW}:first-child td[data-column=task] a")
    browser.until("return document.querySelector('#turn-0')")
    browser.click("a[data-key=Escape]")
    browser.until("return !document.querySelector('#overview').hidden")
    assert browser.count(ROW) == kept
    browser.click("button[type=reset]")
    browser.until(f"return document.querySelectorAll('{ROW}').length === 10")


def test_an_address_opens_a_filtered_and_sorted_table(page, browser):
    page("#text=color_at&sort=-number")
    assert browser.texts(f"{ROW} td[data-column=number]") == ["5", "0"]
    page("#min=0.9")
    assert all(float(one) >= 0.9 for one in browser.texts(f"{ROW} td[data-column=reward]"))


def test_search_finds_what_was_said(page, browser):
    page()
    browser.type("input[name=text]", "ONERROR")
    browser.until(f"return document.querySelectorAll('{ROW}').length === 4")
    assert "text=ONERROR" in browser.run("return location.hash")


def test_a_click_on_a_heading_sorts_both_ways_and_back(page, browser):
    page()
    numbers = []
    for _ in range(3):
        browser.click("th[data-column=calls] a")
        numbers.append(browser.texts(f"{ROW} td[data-column=calls]"))
    assert numbers[0] == sorted(numbers[0])
    assert numbers[1] == sorted(numbers[1], reverse=True)
    assert numbers[2] not in (numbers[0], numbers[1])


def test_a_group_stands_side_by_side(page, browser):
    page("#episode=1")
    browser.click("a.beside")
    browser.until("return document.querySelector('.members')")
    assert browser.count(".member") == 5
    tops = browser.run(
        "return [...document.querySelectorAll('.member')]"
        ".map((one) => one.getBoundingClientRect().y)"
    )
    assert len(set(tops)) == 1
    browser.click(".member:nth-child(3) h3 a")
    browser.until("return document.querySelector('#turn-0')")
    assert "episode=2" in browser.run("return location.hash")


def test_what_a_model_writes_runs_nowhere(page, browser):
    for fragment in ("", "#episode=3", "#episode=4", "#group=3"):
        page(fragment)
        assert not browser.run("return Boolean(window.hacked)")
    page("#episode=3")
    assert ATTACK in browser.text("#turn-0")


@pytest.mark.parametrize("fragment", ["", "#episode=0", "#episode=3", "#group=0"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(page, browser, fragment, width):
    browser.resize(width, 800)
    page(fragment)
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "fragment", ["#episode=99", "#episode=x", "#group=-1", "#%E0%A4%A", "#family=none"]
)
def test_an_address_that_leads_nowhere_shows_the_table(page, browser, fragment):
    page(fragment)
    assert browser.run("return !document.querySelector('#overview').hidden")


def test_two_thousand_episodes_stay_usable(browser, folder, tmp_path_factory):
    """Rows are made on demand, and pictures of no episode but the open one are loaded."""
    run = tmp_path_factory.mktemp("many")
    (run / "images").symlink_to(folder / "images")
    rows = [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()]
    with (run / "rollouts.jsonl").open("w") as file:
        for task in range(400):
            for row in rows[:5]:
                changed = {"_ng_task_index": task, "group": f"g{task}", "task_id": f"Maze/1/{task}"}
                file.write(json.dumps({**row, **changed}) + "\n")
    path = write_report(FinishedRun.find(run))
    assert path.stat().st_size < 5_000_000
    browser.open(path.as_uri())
    assert browser.text("#count") == "2000 episodes"
    assert browser.count(ROW) < 400
    assert browser.count("img") == 0
    browser.run("document.querySelector('#more').scrollIntoView()")
    browser.until(f"return document.querySelectorAll('{ROW}').length >= 200")
    browser.type("input[name=text]", "maze/1/399")
    browser.until(f"return document.querySelectorAll('{ROW}').length === 5")
    browser.click(f"{ROW}:first-child td[data-column=task] a")
    browser.until("return document.querySelector('#turn-0 img')?.complete")
