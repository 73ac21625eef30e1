/* Draws what the address asks for, and writes the filters into the address. */

const overview = document.getElementById("overview"), detail = document.getElementById("detail");
const form = document.getElementById("filters");
let shown = null, heightBefore = 0, typing = 0;

function fillChoices() {
  const choices = {
    family: [...new Set(episodes.map((one) => one.family))].sort(),
    level: [...new Set(episodes.map((one) => one.level).filter(Boolean))].sort(),
    ending: [...new Set(episodes.map((one) => one.ending))].sort(),
    right: ["right", "wrong"],
  };
  for (const [name, values] of Object.entries(choices)) {
    const options = values.map((value) => make("option", { value }, value));
    form.elements[name].replaceChildren(make("option", { value: "" }, "all"), ...options);
    form.elements[name].closest("label").hidden = values.length < 2;
  }
}

function draw() {
  const state = readState();
  const episode = episodes[state.episode], group = episodes[state.group];
  const isList = !episode && !group;
  if (isList && shown !== "list") {
    overview.hidden = false;
    detail.hidden = true;
    detail.replaceChildren();
  } else if (!isList && shown === "list") heightBefore = scrollY;
  if (isList) {
    const filters = JSON.stringify([...FILTERS, "sort"].map((name) => state[name]));
    if (overview.dataset.drawn !== filters) drawTable(state);
    overview.dataset.drawn = filters;
    for (const name of FILTERS) if (document.activeElement !== form.elements[name]) form.elements[name].value = state[name] || "";
    if (shown && shown !== "list") scrollTo(0, heightBefore);
  } else {
    overview.hidden = true;
    detail.hidden = false;
    detail.replaceChildren(...(episode ? drawEpisode(episode, state) : drawGroup(group, state)));
    scrollTo(0, 0);
  }
  shown = isList ? "list" : "detail";
}

function writeFilters() {
  location.replace(address(Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value]))));
}

function onFilter(event) {
  clearTimeout(typing);
  typing = setTimeout(writeFilters, event.target.name === "text" ? 200 : 0);
}

/* Not every way to choose an option sends both. */
form.addEventListener("input", onFilter);
form.addEventListener("change", onFilter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(writeFilters, 0));
document.getElementById("more").addEventListener("click", showMore);
new IntersectionObserver((entries) => { if (entries.some((one) => one.isIntersecting) && waiting.length) showMore(); }, { rootMargin: "600px" })
  .observe(document.getElementById("more"));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const link = detail.hidden ? null : detail.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
  if (link) { event.preventDefault(); location.hash = link.getAttribute("href"); }
});
addEventListener("hashchange", draw);
fillChoices();
draw();
