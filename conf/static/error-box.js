/* <vtj-error-box>: paste an error message, get the page that explains it. */
(() => {
"use strict";

const ERRORS = window.VTJ_ERRORS || [];
const MOST = 3;
const FEW = 4; // words of three letters and more: "why is my gradient zero" has three
const HOLE = 200; // characters; the longest part that varies names a tensor and its version: 90
// Of a message's words, rare ones counting more. Of the messages that records/changes.json holds, which
// are about other things, two in a hundred pass; at 0.7 twice as many, and at 0.8 misspelt ones do not.
const ENOUGH = 0.75;
const root = document.documentElement.dataset.content_root || "";

// What stands before a line without being part of it: a rank, a container, a quotation, pytest, a frame.
const PREFIX = /^\s*(?:(?:\[[^\]\n]*\]:|[\w.-]+\s+\||[>│|]|E {2,})\s*)+|\s*│\s*$/gm;
// Colors of a terminal make no difference, nor the ends of lines, nor typographic quotation marks.
const plain = (text) =>
  text.replace(/\u001b?\[[0-9;]*m/g, "").replace(PREFIX, "").replace(/&(#39|quot);/g, "").toLowerCase();
const squeezed = (text) => text.replace(/[\s'"`‘’“”]+/g, "");
const words = (text) => (text.match(/\w{3,}/g) || []).filter((word, i, all) => all.indexOf(word) === i);

const known = [].concat(...ERRORS.map(([url, title, shown, ...messages]) => messages.map(([pattern, elsewhere]) => {
  const message = plain(pattern).replace(/^[\w.]*(error|warning|exception): /, "");
  const parts = message.split("{…}").map(squeezed).filter((part) => part);
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const fixed = new RegExp(escaped.join(`.{0,${HOLE}}?`));
  const error = { url, title, shown, elsewhere };
  return { error, fixed, length: parts.join("").length, told: words(message) };
})));

/* How much a word says: the fewer messages have it, the more. */
const counts = {};
known.forEach(({ told }) => told.forEach((word) => { counts[word] = (counts[word] || 0) + 1; }));
const weight = (all) => all.reduce((sum, word) => sum + Math.log(1 + known.length / (counts[word] || 1)), 0);

/* Say whether two words differ by one letter, or by two that changed places. */
const close = (a, b) => {
  let [start, end] = [0, 0];
  const most = Math.min(a.length, b.length);
  while (start < most && a[start] === b[start]) start += 1;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (left.length < 2 && right.length < 2) || (left.length === 2 && left[1] + left[0] === right);
};
const alike = (a, b) => a === b || (Math.min(a.length, b.length) > 3 && close(a, b));

/* The messages with most words in common, of a text in which no message stands whole. */
const near = (text) => {
  const said = words(text.split(/\w*(?:error|warning|exception): /).pop());
  const given = Object.keys(counts).filter((word) => said.some((other) => alike(word, other)));
  return known.map((one) => {
    const common = one.told.filter((word) => given.indexOf(word) >= 0);
    const rest = said.filter((word) => !common.some((other) => alike(word, other)));
    const part = weight(common);
    const share = part / Math.min(weight(one.told), part + weight(rest));
    return { error: one.error, common, share, part };
  }).filter(({ common, share }) => common.length > 2 && share >= ENOUGH)
    .sort((a, b) => b.part - a.part);
};

/* What explains a text: the sections for messages it holds, else those with most words in common. */
const find = (typed) => {
  const text = squeezed(plain(typed));
  const all = known.map((one) => ({ ...one, found: one.fixed.exec(text) })).filter(({ found }) => found)
    .map((one) => ({ ...one, from: one.found.index, to: one.found.index + one.found[0].length }));
  // An old wording may stand inside a new message that means something else.
  const within = (one, other) => one.from > other.from && one.to <= other.to;
  const whole = all.filter((one) => !all.some((other) => within(one, other)));
  // Of two errors the second is the one that stopped the program.
  whole.sort((a, b) => (a.to <= b.from ? 1 : b.to <= a.from ? -1 : b.length - a.length));
  const ways = [
    ["Explained here:", whole.filter(({ error }) => !error.shown && !error.elsewhere.length)],
    ["Shown here:", whole.filter(({ error }) => error.shown && !error.elsewhere.length)],
    ["Perhaps:", whole.length ? whole : near(plain(typed))],
  ];
  const [said, entries] = ways.find(([, some]) => some.length) || ways[2];
  const found = entries.map(({ error }) => error)
    .filter(({ url }, i, list) => list.findIndex((error) => error.url === url) === i).slice(0, MOST);
  const raised = whole.length && said === "Perhaps:" ? found[0].elsewhere : [];
  const [line] = raised.find(([, told]) => text.indexOf(squeezed(told.toLowerCase())) >= 0) || raised[0] || [""];
  return { found, said, plainly: line };
};

/* What the search knows of the sections is loaded when somebody has asked something; without it the
   links stand alone. */
let searching;
const ofTheSearch = (use) => {
  searching ||= new Promise((done, fail) => {
    if (window.vtjSearch) return done();
    const script = document.createElement("script");
    Object.assign(script, { src: `${root}_static/search.js`, onload: done, onerror: fail });
    document.head.append(script);
  }).then(() => window.vtjSearch());
  return searching.then(use).catch(() => {});
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
    if (found.length) {
      const list = this.links(found);
      this.answer.append(said, list);
      this.answered = ofTheSearch(({ beginning }) => this.tellBeside(list, found.map(({ url }) => beginning(url))));
    }
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
      const none = found.length ? "" : "No page explains this message. ";
      this.answer.append(none, search);
      if (none && words(typed).length <= FEW) this.ask(typed, search);
    }
  }

  /* A few words are no message: what the search finds for them stands at once. */
  ask(typed, search) {
    const asked = this.box.value;
    this.answered = ofTheSearch(({ find: results, sentence }) => {
      const found = results(typed).slice(0, MOST);
      if (!found.length || this.box.value !== asked) return;
      const list = this.links(found.map(({ title, url }) => ({ title, url })));
      this.answer.replaceChildren("The search finds:", list, search);
      this.tellBeside(list, found.map(sentence));
    });
  }

  links(found) {
    const list = document.createElement("ul");
    for (const { title, url } of found) {
      const item = document.createElement("li");
      item.append(this.link(title, root + url));
      list.append(item);
    }
    return list;
  }

  /* Put under each link what its section answers first. */
  tellBeside(list, texts) {
    texts.forEach((text, i) => {
      if (!text) return;
      const line = document.createElement("p");
      line.textContent = text;
      list.children[i].append(line);
    });
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
