/* Pictures with the places that calls looked at drawn over them. */

const HUES = 8;

/** A picture of an episode's store. Marks: [{box: [x1, y1, x2, y2] in thousandths, label, kind}]. */
function picture(episode, index, marks = [], caption = "") {
  const url = data.pictures[episode.store[index]];
  const title = `picture ${index}`;
  if (!url) return make("figure", { class: "picture missing" }, make("p", {}, `${title} is not there`));
  const frame = make("div", { class: "frame" },
    make("img", { src: url, alt: title, loading: "lazy", onerror: gone }),
    overlay(marks));
  for (const mark of marks) if (mark.label) frame.append(tag(mark));
  const open = () => zoom(episode, index, marks);
  const button = make("button", { type: "button", class: "open", "aria-label": `enlarge ${title}`, title: "click to enlarge", onclick: open }, frame);
  return make("figure", { class: "picture" }, button, make("figcaption", {}, `#${index}${caption && " "}${caption}`));
}

function gone() {
  this.closest(".frame").replaceChildren(make("p", {}, "This picture is not beside the page."));
}

function overlay(marks) {
  const svg = makeSvg("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const mark of marks) {
    const [x1, y1, x2, y2] = mark.box;
    const shape = { class: `mark ${mark.kind}`, "data-hue": mark.hue % HUES, "vector-effect": "non-scaling-stroke" };
    const isPoint = x1 === x2 && y1 === y2;
    if (isPoint) svg.append(makeSvg("path", { ...shape, d: `M${x1 - 18} ${y1}H${x1 + 18}M${x1} ${y1 - 18}V${y1 + 18}` }));
    else svg.append(makeSvg("rect", { ...shape, x: x1, y: y1, width: x2 - x1, height: y2 - y1 }));
  }
  return svg;
}

function tag(mark) {
  const label = make("span", { class: "tag", "data-hue": mark.hue % HUES, "aria-hidden": "true" }, mark.label);
  label.style.left = `${mark.box[0] / 10}%`;
  label.style.top = `${mark.box[1] / 10}%`;
  return label;
}

function zoom(episode, index, marks) {
  const dialog = document.getElementById("zoom");
  const large = picture(episode, index, marks);
  large.querySelector("button").replaceWith(large.querySelector(".frame"));
  dialog.replaceChildren(make("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"), large);
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.showModal();
  const image = large.querySelector("img");
  if (image.complete) enlarge(image);
  else image.onload = () => enlarge(image);
}

/** Makes a picture as large as the window has room for; of one that grows much the pixels show. */
function enlarge(image) {
  const factor = Math.min(0.9 * innerWidth / image.naturalWidth, 0.78 * innerHeight / image.naturalHeight);
  image.style.width = `${image.naturalWidth * factor}px`;
  image.classList.toggle("pixels", factor >= 3);
}

/** The marks of one call on one picture of the store. */
function marksOf(call, number, index) {
  return call.marks
    .filter(([on]) => on === index)
    .map(([, ...box]) => ({ box, label: String(number), hue: number - 1, kind: call.outcome === "ran" ? "" : "refused" }));
}
