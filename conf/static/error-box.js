/* <vtj-error-box>: paste an error message, get the page that explains it. */
(() => {
"use strict";

const ERRORS = window.VTJ_ERRORS || [];
const MOST = 3;
const root = document.documentElement.dataset.content_root || "";

// Case, white space, terminal colors and the exception's own name make no difference.
const plain = (text) =>
  text.replace(/\u001b\[[0-9;]*m/g, "").toLowerCase().replace(/\s+/g, " ").trim();
const pieces = (pattern) =>
  plain(pattern).replace(/^[\w.]*(error|warning|exception): /, "").split("{…}")
    .map((piece) => piece.trim()).filter((piece) => piece);
const words = (text) => new Set(text.match(/[\p{L}\p{N}_]{3,}/gu) || []);

/* Whether the fixed pieces of a message stand in the text, in order. */
const holds = (text, parts) => {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
};

/* Whether a message stands inside another, behind its beginning: then it was the other that was raised. */
const inside = (one, other) => {
  const text = other.parts.join(" ");
  return text.indexOf(one.parts[0]) > 0 && holds(text, one.parts);
};

/* What explains a text: the pages for messages it holds, else those with most words in common. */
const find = (typed) => {
  const text = plain(typed);
  const known = ERRORS.map((error) => {
    const parts = pieces(error.pattern);
    const told = [...words(parts.join(" "))];
    const given = words(text);
    const common = told.filter((word) => given.has(word)).length;
    return { error, parts, length: parts.join("").length, whole: holds(text, parts), share: common / told.length, common };
  });
  const held = known.filter((one) => one.whole);
  const whole = held.filter((one) => !held.some((other) => inside(one, other)))
    .sort((a, b) => b.length - a.length);
  const near = known.filter((one) => one.common > 1 && one.share >= 0.4)
    .sort((a, b) => b.common - a.common || b.share - a.share);
  const seen = new Set();
  const found = (whole.length ? whole : near).map(({ error }) => error)
    .filter(({ url }) => !seen.has(url) && seen.add(url)).slice(0, MOST);
  return { found, sure: whole.length > 0 };
};

class ErrorBox extends HTMLElement {
  connectedCallback() {
    if (this.box) return;
    const label = document.createElement("label");
    label.textContent = "Paste an error message";
    this.box = document.createElement("textarea");
    Object.assign(this.box, { rows: 2, spellcheck: false, autocomplete: "off" });
    this.box.placeholder = "RuntimeError: …";
    this.answer = document.createElement("div");
    this.answer.setAttribute("role", "status");
    label.append(this.box);
    this.replaceChildren(label, this.answer);
    this.box.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.tell(), 200);
    });
  }

  tell() {
    const typed = this.box.value.trim();
    this.answer.replaceChildren();
    if (typed.length < 8) return;
    const { found, sure } = find(typed);
    const list = document.createElement("ul");
    for (const { title, url } of found) {
      const item = document.createElement("li");
      item.append(this.link(title, root + url));
      list.append(item);
    }
    if (found.length) this.answer.append(sure ? "Explained here:" : "Perhaps:", list);
    if (!sure) {
      const query = encodeURIComponent(typed.split("\n").pop().slice(0, 200));
      const search = this.link("Search the site", `${root}search.html?q=${query}`);
      this.answer.append(found.length ? "" : "No page explains this message. ", search);
    }
  }

  link(text, href) {
    const link = document.createElement("a");
    link.textContent = text;
    link.href = href;
    return link;
  }
}

customElements.define("vtj-error-box", ErrorBox);
})();
