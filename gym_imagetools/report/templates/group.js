/* The members of a group side by side. */

function drawGroup(episode, state) {
  const members = groups.get(episode.group);
  const columns = members.map((one) => make("section", { class: "member" },
    make("h3", {}, make("a", { href: address({ group: null, episode: one.number }) }, `Rollout ${one.member}`), " ",
      badge(figure(one.reward), rewardKind(one))),
    make("p", { class: "note" }, `${one.ending}, ${count(one.calls, "call")}`),
    make("p", {}, verdict(one)),
    conversation(one).map((turn) => { turn.removeAttribute("id"); return turn; })));
  return [
    make("nav", {}, make("a", { href: address({ group: null }), "data-key": "Escape" }, "← All episodes")),
    make("header", { class: "episode" }, make("h2", { class: "text" }, episode.task),
      make("p", { class: "badges" }, badge([episode.family, levelOf(episode)].filter(Boolean).join(", ")), badge(`${members.length} rollouts`),
        badge(spread(members)))),
    question({ ...episode, turns: [] }),
    make("div", { class: "members" }, columns),
  ];
}

function spread(members) {
  const rewards = members.map((one) => one.reward);
  const [low, high] = [Math.min(...rewards), Math.max(...rewards)];
  return low === high ? `all rewards ${figure(low)}` : `rewards ${figure(low)} to ${figure(high)}`;
}
