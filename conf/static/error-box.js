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

/* From where to where the fixed pieces of a message stand in the text, in order. */
const span = (text, parts) => {
  let [start, from] = [-1, 0];
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return null;
    if (start < 0) start = at;
    from = at + part.length;
  }
  return [start, from];
};

/* What explains a text: the pages for messages it holds, else those with most words in common. */
const find = (typed) => {
  const text = plain(typed);
  const given = words(text);
  const known = ERRORS.map((error) => {
    const parts = pieces(error.pattern);
    const told = [...words(parts.join(" "))];
    const common = told.filter((word) => given.has(word)).length;
    return { error, length: parts.join("").length, at: span(text, parts), share: common / told.length, common };
  });
  const all = known.filter((one) => one.at);
  // An old wording may stand inside a new message that means something else.
  const within = (one, other) => one.at[0] > other.at[0] && one.at[1] <= other.at[1];
  const whole = all.filter((one) => !all.some((other) => within(one, other)));
  const ways = [
    ["Explained here:", whole.filter(({ error }) => !error.shown && !error.elsewhere.length)],
    ["Shown here:", whole.filter(({ error }) => error.shown && !error.elsewhere.length)],
    ["Perhaps:", whole],
  ].filter(([, found]) => found.length);
  const near = known.filter((one) => one.common > 1 && one.share >= 0.4)
    .sort((a, b) => b.common - a.common || b.share - a.share);
  const [said, entries] = ways.length
    ? [ways[0][0], ways[0][1].sort((a, b) => b.length - a.length)] : ["Perhaps:", near];
  const seen = new Set();
  const found = entries.map(({ error }) => error)
    .filter(({ url }) => !seen.has(url) && seen.add(url)).slice(0, MOST);
  return { found, said, plainly: whole.length && said === "Perhaps:" ? found[0].elsewhere[0] : "" };
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
    const { found, said, plainly } = find(typed);
    const list = document.createElement("ul");
    for (const { title, url } of found) {
      const item = document.createElement("li");
      item.append(this.link(title, root + url));
      list.append(item);
    }
    if (found.length) this.answer.append(said, list);
    if (plainly) {
      const line = document.createElement("code");
      line.textContent = plainly;
      const note = document.createElement("p");
      note.append(line, " raises this message too, without any backward.");
      this.answer.append(note);
    }
    if (said === "Perhaps:") {
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
