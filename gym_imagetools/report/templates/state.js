/* What is shown stands in the address after the #: filters, order, and the open episode or group. */

const data = JSON.parse(document.getElementById("data").textContent);
const episodes = data.episodes;
const groups = new Map();
episodes.forEach((episode, number) => {
  episode.number = number;
  if (!groups.has(episode.group)) groups.set(episode.group, []);
  groups.get(episode.group).push(episode);
});

const FILTERS = ["family", "level", "ending", "right", "min", "max", "text"];

function readState() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Returns an address that differs from the present one by some keys; null drops a key. */
function address(changes) {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") parameters.delete(key);
    else parameters.set(key, value);
  }
  return "#" + parameters.toString();
}

/** Everything that was said in an episode, in lower case; made when a search first asks for it. */
function haystack(episode) {
  episode.haystack ??= [
    episode.task, episode.family, episode.answer, episode.expected,
    ...episode.prompt.flatMap((message) => message.texts.slice(-1).map((text) => message.who === "user" ? data.texts[text] : "")),
    ...episode.turns.flatMap((turn) => [
      turn.thought,
      ...turn.said.map((piece) => piece.text),
      ...turn.calls.map((call) => `${call.name} ${call.arguments}`),
      turn.answer,
    ]),
  ].join("\n").toLowerCase();
  return episode.haystack;
}

function passes(episode, state) {
  if (state.family && episode.family !== state.family) return false;
  if (state.level && episode.level !== state.level) return false;
  if (state.ending && episode.ending !== state.ending) return false;
  if (state.right && episode.right !== (state.right === "right")) return false;
  if (state.min && episode.reward < Number(state.min)) return false;
  if (state.max && episode.reward > Number(state.max)) return false;
  return !state.text || haystack(episode).includes(state.text.toLowerCase());
}

const COLUMNS = [
  { key: "number", title: "#", kind: "num", value: (episode) => episode.number },
  { key: "task", title: "task", kind: "", value: (episode) => episode.task },
  { key: "family", title: "family", kind: "", value: (episode) => `${episode.family} ${episode.level}` },
  { key: "reward", title: "reward", kind: "num", value: (episode) => episode.reward },
  { key: "calls", title: "calls", kind: "num", value: (episode) => episode.calls },
  { key: "errors", title: "errors", kind: "num", value: (episode) => episode.errors },
  { key: "ending", title: "ending", kind: "", value: (episode) => episode.ending },
  { key: "answer", title: "answer", kind: "", value: (episode) => episode.answer },
];

/** The episodes that pass the filters, in the order that is asked for. */
function chosen(state) {
  const list = episodes.filter((episode) => passes(episode, state));
  const down = (state.sort || "").startsWith("-");
  const column = COLUMNS.find((one) => one.key === (state.sort || "").replace("-", ""));
  if (!column) return list;
  const sign = down ? -1 : 1;
  return list.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return (x < y ? -1 : x > y ? 1 : 0) * sign || a.number - b.number;
  });
}
