/* The table of episodes: rows are made as they come into sight. */

const ROWS = 100;
let waiting = [];

function drawTable(state) {
  const list = chosen(state);
  drawHead(state);
  document.querySelector("#episodes tbody").replaceChildren();
  waiting = list;
  document.getElementById("count").textContent =
    `${list.length === episodes.length ? "" : `${list.length} of `}${count(episodes.length, "episode")}`;
  showMore();
}

function drawHead(state) {
  const cells = COLUMNS.map((column) => {
    const isUp = state.sort === column.key, isDown = state.sort === `-${column.key}`;
    const next = isUp ? `-${column.key}` : isDown ? null : column.key;
    const order = isUp ? "ascending" : isDown ? "descending" : "none";
    return make("th", { class: column.kind, "aria-sort": order, scope: "col", "data-column": column.key },
      make("a", { href: address({ sort: next }), title: `sort by ${column.title}` }, column.title, isUp ? " ▲" : isDown ? " ▼" : ""));
  });
  document.querySelector("#episodes thead").replaceChildren(make("tr", {}, cells));
}

function showMore() {
  const rows = waiting.slice(0, ROWS).map(row);
  waiting = waiting.slice(ROWS);
  document.querySelector("#episodes tbody").append(...rows);
  document.getElementById("more").hidden = waiting.length === 0;
}

function row(episode) {
  const link = address({ episode: episode.number });
  const open = (event) => { if (!event.target.closest("a")) location.hash = link; };
  const cell = (key, ...children) => make("td", { "data-column": key, class: COLUMNS.find((one) => one.key === key).kind }, children);
  return make("tr", { class: rewardKind(episode), onclick: open },
    cell("number", make("a", { href: link }, String(episode.number))),
    cell("task", make("a", { href: link, class: "text" }, episode.task), groups.get(episode.group).length > 1 ? make("span", { class: "note" }, ` rollout ${episode.member}`) : ""),
    cell("family", episode.family, make("span", { class: "note" }, ` ${levelOf(episode)}`)),
    cell("reward", badge(figure(episode.reward), rewardKind(episode))),
    cell("calls", String(episode.calls)),
    cell("errors", episode.errors ? String(episode.errors) : ""),
    cell("ending", episode.ending),
    cell("answer", verdict(episode)));
}

/** The answer, and beside a wrong one what was expected. */
function verdict(episode) {
  const said = episode.answer ? make("span", { class: "text answer" }, episode.answer) : make("span", { class: "note" }, episode.refusal ? "refused" : "no answer");
  if (episode.right) return [said];
  return [said, make("span", { class: "note" }, "; expected: "), make("span", { class: "text answer" }, episode.expected)];
}
