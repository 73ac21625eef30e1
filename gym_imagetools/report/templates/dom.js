"use strict";

/* Elements are made of attributes and text nodes alone: nothing a model wrote is read as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element; `class` and other attributes by name, `on…` handlers, children as given. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node[name] = value;
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
  return node;
}

function badge(text, kind = "") {
  return make("span", { class: `badge ${kind}` }, text);
}

/** A reward with its sign where it is a change. */
function figure(value, signed = false) {
  const text = String(Math.round(value * 1e4) / 1e4);
  return signed && value > 0 ? `+${text}` : text;
}

function count(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function rewardKind(episode) {
  return episode.right ? "good" : "bad";
}

function levelOf(episode) {
  return episode.level ? `level ${episode.level}` : "";
}
