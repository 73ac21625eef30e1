/* One episode as a conversation. */

const THINK = ["<think>", "</think>"], CALL = ["<tool_call>", "</tool_call>"];

function drawEpisode(episode, state) {
  const list = chosen(state), place = list.indexOf(episode);
  const step = (offset, text, key) => {
    const other = list[place + offset];
    return place < 0 || !other ? make("span", { class: "off" }, text)
      : make("a", { href: address({ episode: other.number }), "data-key": key }, text);
  };
  return [
    make("nav", {}, make("a", { href: address({ episode: null }), "data-key": "Escape" }, "← All episodes"),
      make("span", { class: "steps" }, step(-1, "← Previous", "ArrowLeft"), step(1, "Next →", "ArrowRight"))),
    heading(episode),
    groupStrip(episode),
    rewardChart(episode),
    question(episode),
    ...conversation(episode),
    ending(episode),
  ];
}

function heading(episode) {
  return make("header", { class: "episode" },
    make("h2", { class: "text" }, episode.task),
    make("p", { class: "badges" },
      badge(`reward ${figure(episode.reward)}`, rewardKind(episode)),
      badge([episode.family, levelOf(episode)].filter(Boolean).join(", ")),
      badge(episode.ending),
      badge(count(episode.calls, "call")),
      episode.errors ? badge(count(episode.errors, "error"), "bad") : null,
      episode.refusal ? badge("refusal", "bad") : null,
      episode.policy ? badge(episode.policy) : null));
}

function groupStrip(episode) {
  const members = groups.get(episode.group);
  if (members.length < 2) return make("span");
  return make("p", { class: "group" }, `Group of ${members.length}: `,
    members.map((one) => make("a", {
      href: address({ episode: one.number }), class: `badge ${rewardKind(one)}`,
      "aria-current": one === episode ? "page" : null,
    }, figure(one.reward))),
    " ", make("a", { href: address({ episode: null, group: episode.number }), class: "beside" }, "Side by side"));
}

/** The pay of each turn as a bar, up or down from one line, and the parts of the whole. */
function rewardChart(episode) {
  const rewards = episode.turns.map((turn) => turn.reward);
  const [highest, lowest] = [Math.max(...rewards, 0), Math.max(...rewards.map((one) => -one), 0)];
  const length = (reward) => Math.max(2, 44 * reward / Math.max(highest, lowest, 0.01));
  const half = (kind, reward, most) => {
    const [room, bar] = [make("span", { class: `half ${kind}` }), make("span", { class: `bar ${kind}` })];
    room.style.height = `${most > 0 ? length(most) : 0}px`;
    bar.style.height = `${reward > 0 ? length(reward) : 0}px`;
    room.append(bar);
    return room;
  };
  const bars = episode.turns.map((turn, index) => {
    const jump = () => document.getElementById(`turn-${index}`).scrollIntoView({ block: "start" });
    return make("button", { type: "button", class: "step", title: `turn ${index + 1}: ${figure(turn.reward, true)}`, onclick: jump },
      half("up", turn.reward, highest), half("down", -turn.reward, lowest), make("small", {}, figure(turn.reward, true)));
  });
  const parts = Object.entries(episode.components).map(([name, value]) => `${name} ${figure(value)}`).join(", ");
  return make("figure", { class: "rewards" }, make("div", { class: "bars" }, bars),
    make("figcaption", {}, `Reward turn by turn; in all ${figure(episode.reward)} (${parts})`));
}

/** The messages of the prompt, and the sources with every place that a call looked at. */
function question(episode) {
  const places = new Map();
  let number = 0;
  for (const call of episode.turns.flatMap((turn) => turn.calls)) {
    number += 1;
    for (const [index] of call.marks) {
      if (index < episode.sources) places.set(index, [...(places.get(index) || []), ...marksOf(call, number, index)]);
    }
  }
  const shown = Array.from({ length: episode.sources }, (_, index) => picture(episode, index, unique(places.get(index) || [])));
  const messages = episode.prompt.map((message, index) => {
    const texts = message.texts.map((text) => make("p", { class: "text" }, data.texts[text]));
    const isOpen = index === episode.prompt.length - 1;
    return isOpen ? make("div", {}, texts)
      : make("details", {}, make("summary", {}, message.who), texts);
  });
  return make("article", { class: "turn environment" }, make("h3", {}, "Question"), messages, make("div", { class: "pictures" }, shown));
}

function unique(marks) {
  const seen = new Set();
  return marks.filter((mark) => {
    const key = `${mark.label} ${mark.box}`;
    return !seen.has(key) && seen.add(key);
  });
}

function conversation(episode) {
  let number = 0;
  return episode.turns.map((turn, index) => {
    const calls = turn.calls.map((call) => callCard(episode, call, ++number));
    const known = new Set(turn.calls.map((call) => call.made));
    const others = turn.pictures
      .map((one) => episode.store.indexOf(one, episode.sources))
      .filter((one) => one >= 0 && !known.has(one));
    return make("article", { class: "turn assistant", id: `turn-${index}` },
      make("h3", {}, `Turn ${index + 1} `, badge(figure(turn.reward, true), turn.reward < 0 ? "bad" : turn.reward > 0 ? "good" : "")),
      turn.thought && !turn.said.some((piece) => piece.text.includes(turn.thought)) ? fold("Reasoning", turn.thought) : "",
      turn.said.flatMap(said),
      turn.said.length || calls.length ? "" : make("p", { class: "note" }, "Nothing was said."),
      turn.malformed ? make("p", { class: "fault text" }, `Malformed: ${turn.malformed}`) : "",
      calls,
      others.length ? make("div", { class: "pictures" }, others.map((one) => picture(episode, one))) : "",
      turn.answer ? make("details", { class: "answered" }, make("summary", {}, "What the environment answered"), make("p", { class: "text mono" }, turn.answer)) : "");
  });
}

/** What was said: prose as it is, reasoning and the markup of calls folded. */
function said(piece) {
  if (piece.kind === "reasoning") return [fold("Reasoning", piece.text)];
  const parts = [];
  let rest = piece.text;
  while (rest) {
    const next = [THINK, CALL].map(([open, close]) => ({ open, close, at: rest.indexOf(open) }))
      .filter((one) => one.at >= 0).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    const end = rest.indexOf(next.close, next.at);
    const stop = end < 0 ? rest.length : end + next.close.length;
    parts.push(prose(rest.slice(0, next.at)), fold(next.open === THINK[0] ? "Reasoning" : "Call as written", rest.slice(next.at, stop)));
    rest = rest.slice(stop);
  }
  return [...parts, prose(rest)].filter(Boolean);
}

function prose(text) {
  return text.trim() ? make("p", { class: "text" }, text.trim()) : null;
}

function fold(title, text) {
  return make("details", {}, make("summary", {}, title), make("p", { class: "text mono" }, text));
}

function callCard(episode, call, number) {
  const name = call.name.replace(/^image_/, "").replace(/_tool$/, "").replaceAll("_", " ");
  const hue = (number - 1) % HUES;
  return make("section", { class: `call ${call.outcome === "ran" || call.outcome === "scored" ? "" : "refused"}`, "data-hue": hue },
    make("h4", {}, make("span", { class: "tag still", "data-hue": hue }, String(number)), ` ${name || "no name"} `,
      call.outcome === "ran" ? "" : badge(call.outcome, call.outcome === "refused" ? "bad" : ""),
      call.repeat ? badge(`${call.repeat} duplicate`, "bad") : ""),
    make("p", { class: "text mono" }, call.arguments),
    call.error ? make("p", { class: "fault text" }, call.error) : "",
    make("div", { class: "pictures" },
      call.on.filter((index) => index < episode.store.length).map((index) => picture(episode, index, marksOf(call, number, index), "looked at")),
      call.made !== null && call.made < episode.store.length ? [make("span", { class: "arrow", "aria-hidden": "true" }, "→"), picture(episode, call.made, [], "made")] : ""),
    call.reply ? fold("Result", call.reply) : "");
}

function ending(episode) {
  return make("article", { class: `turn end ${rewardKind(episode)}` },
    make("h3", {}, episode.ending),
    make("p", {}, "Answer: ", verdict(episode)),
    make("p", { class: "note" }, `base reward ${figure(episode.base)}, tool use ${figure(episode.aux, true)}, paid ${figure(episode.reward)}`));
}
