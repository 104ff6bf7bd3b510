/* The search page: sections of pages, by their words, and the sentence that answers.

   The words of the site load when somebody searches, as scripts: from disk a browser reads no other
   files. They are packed, for unpacked they weigh more than a page may. */
(() => {
"use strict";

const MOST = 20;
const root = document.documentElement.dataset.content_root || "";
const SCRIPTS = ["minisearch/minisearch.min.js", "stemmer.js", "search-data.js"];

/* What a section is worth by where a word of the question stands: a title is what it answers. */
const FIELDS = { title: 6, asked: 6, around: 1.5, text: 1 };
const MESSAGE = 4; // words that stand so in an error's message are that message
const READ = 80; // sections that are looked at more closely than by their words
const PART = 0.3; // what "grad" counts where somebody asks for retain_grad, which is known
const ROOM = 200; // letters of an answer that a result shows, if its first sentence is not longer
const ASIDE = 0.5; // what a word counts that no title and no question has: "confusion", "executed"
/* A release, or a name with its dots and hyphens. */
const TOKEN = /\p{N}+(?:\.\p{N}+)+|[\p{L}\p{N}_]+(?:[.-][\p{L}_][\p{L}\p{N}_]*)*/gu;

/* Names as they are written, each with its parts: retain_graph and GradScaler hold "grad" too. */
const names = (text) => (text.replace(/['’]/g, "").match(TOKEN) || []).map((name) => {
  if (/^[\d.]+$/.test(name)) return [name];
  const parts = name.replace(/(\p{Ll})(\p{Lu}\p{Ll})/gu, "$1_$2").toLowerCase().split(/[._-]+/)
    .filter((part) => part);
  return parts.length > 1 ? [name.toLowerCase().replace(/-/g, ""), ...parts] : parts;
});
const tokens = (text) => names(text).flat();

/* A message as its words, with and without its numbers, which differ from reader to reader. */
const wordings = (text) => [tokens(text), tokens(text).filter((token) => !/^[\d.]+$/.test(token))]
  .map((words) => words.join(" "));

const sentences = (block) => block.split(/(?<=[.!?])\s+(?=\S)/);

/* How many letters one word lacks, has too many, has wrong or in each other's place. */
const distance = (a, b) => {
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const wrong = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(row[j - 1] + 1, last[j] + 1, wrong);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    [before, last] = [last, row];
  }
  return last[b.length];
};

const prepared = ({ sections, synonyms, idle }) => {
  const stemmer = new EnglishStemmer();
  const stems = new Map();
  const stem = (token) => {
    if (!stems.has(token)) stems.set(token, token === "functional" ? token : stemmer.stemWord(token));
    return stems.get(token);
  };
  const saysNothing = new Set(idle);
  const known = new Map(); // a stem: the number of sections that hold it
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    tokenize: tokens,
    processTerm: stem,
    extractField: (section, field) => section[field],
  });
  const documents = sections.map((section, id) => ({
    ...section, id,
    prose: section.text,
    blocks: [...section.text, ...section.messages],
    title: section.titles[section.titles.length - 1],
    around: section.titles.slice(0, -1).join(" "),
    text: [...section.text, ...section.messages].join(" "),
  }));
  for (const one of documents) {
    one.stems = new Set(tokens(one.title).map(stem));
    const all = [one.title, one.asked, one.around, one.text].join(" ");
    for (const word of new Set(tokens(all).map(stem))) known.set(word, 1 + (known.get(word) || 0));
  }
  index.addAll(documents);
  const rarity = (word) => Math.log(1 + documents.length / (1 + (known.get(word) || 0)));
  const worth = (words, weights) => [...new Set(words)]
    .reduce((sum, word) => sum + rarity(word) * (weights ? weights.get(word) || 0 : 1), 0);

  // Words that a title or a reader's question has used: the others say less of what is asked.
  const subject = new Set(documents.flatMap((one) => tokens(`${one.title} ${one.asked}`).map(stem)));
  const phrases = synonyms.map((group) => group.map((name) => names(name).map((name) => name.map(stem))));
  const named = new Set(phrases.flat(3));

  /* The stem of a word, or of the commonest of the words that the fewest slips make of it. More
     slips than one or two are another word: "permitted" is no "printed". */
  const corrected = (token) => {
    const own = stem(token);
    if (known.has(own) || named.has(own) || token.length < 4) return own;
    let [best, fewest] = [own, token.length < 8 ? 2 : 3];
    for (const [word, to] of stems) {
      if (!known.has(to) || Math.abs(word.length - token.length) > fewest) continue;
      const slips = distance(token, word);
      if (slips < fewest || (slips === fewest && known.get(to) > (known.get(best) || 0))) {
        [best, fewest] = [to, slips];
      }
    }
    return best;
  };

  /* The names of a question that say something, as far as they are known. */
  const telling = (question) => {
    const all = names(question);
    const some = all.map((name) => name.filter((word) => !saysNothing.has(word))).filter((name) => name.length);
    return (some.length ? some : all).map((name) => name.map(corrected));
  };
  const holds = (words, phrase) => phrase.every(([whole, ...parts]) =>
    words.has(whole) || (parts.length && parts.every((part) => words.has(part))));

  /* The words to look for, and how much each counts: those asked, and others for the same. */
  const asked = (question) => {
    const weights = new Map();
    const count = (word, weight) => weights.set(word, Math.max(weight, weights.get(word) || 0));
    const all = telling(question);
    for (const [whole, ...parts] of all) {
      const about = (word) => (subject.has(word) || named.has(word) ? 1 : ASIDE);
      count(whole, about(whole));
      for (const part of parts) count(part, (known.has(whole) ? PART : 1) * about(part));
    }
    const own = new Set(weights.keys());
    for (const group of phrases) {
      const said = group.filter((phrase) => holds(own, phrase));
      // What titles say in the reader's own words needs the others less.
      const titled = said.some((phrase) => documents.some(({ stems }) => holds(stems, phrase)));
      for (const words of said.length ? group.map((phrase) => phrase.flat()) : []) {
        for (const word of words) {
          if (!own.has(word)) count(word, (titled ? 0.2 : 0.7) / words.length);
        }
      }
    }
    return { all: all.flat(), own, weights };
  };

  /* Words beside each other, in their order. */
  const pairs = (words) => words.slice(1).map((word, i) => [words[i], word]).filter(([a, b]) => a !== b);
  const plain = (text) => tokens(text).filter((word) => !saysNothing.has(word)).map(stem);

  /* What people ask of a section, its messages, and the pairs in each sentence: when it comes near. */
  const read = (one) => {
    one.questions ||= [one.title, ...one.asked.split(",")].map(plain).map((words) => [words, worth(words)]);
    one.wordings ||= one.messages.map(wordings);
    one.pairs ||= one.blocks.flatMap(sentences)
      .map((text) => new Set(pairs(plain(text)).map((pair) => pair.join(" "))));
    return one;
  };

  const find = (question) => {
    const { all, own, weights } = asked(question);
    if (!own.size) return [];
    const said = pairs(all);
    const asTitle = tokens(question).map(stem).join(" ");
    const pasted = wordings(question);
    const isMessage = pasted[1].split(" ").length >= MESSAGE;
    const total = worth(own, weights);
    const results = index.search([...weights.keys()].join(" "), {
      tokenize: (text) => text.split(" "),
      processTerm: (word) => word,
      boost: FIELDS,
      boostTerm: (word) => weights.get(word),
      bm25: { k: 2, b: 0.3, d: 0.5 },
      prefix: (word) => !known.has(word) && word.length > 2,
    });
    const likely = results.map((result) => {
      const one = documents[result.id];
      const matched = new Set(Object.keys(result.match));
      const share = worth(result.queryTerms.filter((word) => own.has(word)), weights) / total;
      return { one, matched, score: result.score * (0.5 + share) };
    }).sort((a, b) => b.score * b.one.weight - a.score * a.one.weight).slice(0, READ);
    const found = likely.map(({ one, matched, score }) => {
      const { questions, wordings: held, pairs: there } = read(one);
      const alike = Math.max(0, ...questions.map(([words, whole]) =>
        (2 * Math.min(total, worth(words, weights))) / (total + whole))) ** 2;
      const inOrder = there.map((beside) =>
        worth(said.filter((pair) => beside.has(pair.join(" "))).flat()) / (worth(said.flat()) || 1));
      const exact = isMessage
        ? held.map((message) => pasted.filter((as, i) => message[i].includes(as)).length) : [];
      // A section that counts less counts in full for a question that is its own.
      const better = (one.weight + (1 - one.weight) * alike) * (1 + 5 * alike)
        * 4 ** Math.max(0, ...exact) * (1 + Math.max(0, ...inOrder) / 2);
      const titled = asTitle.includes(" ") && tokens(one.title).map(stem).join(" ") === asTitle;
      return { ...one, score: score * better, matched, titled, told: Math.max(0, ...exact) > 0 };
    });
    // Who asks in the words of a title means that section; of a message, what explains it. One word
    // is a name, which many sections are about: the entry of a glossary is not always the best.
    const told = found.some((one) => one.told);
    return found.sort((a, b) => (told ? 0 : b.titled - a.titled) || b.score - a.score).slice(0, MOST);
  };

  /* What of a section answers: its first words where the reader brought its message, and otherwise
     the sentence that holds most of what was found, with those before and behind it in its
     paragraph, as far as a result has room. A page answers first, so its first paragraph counts
     twice. A message would say again what its title says. */
  const sentence = ({ prose, blocks, matched, told }) => {
    const found = (text) => worth(tokens(text).map(stem).filter((word) => matched.has(word)));
    const rated = (prose.length ? prose : blocks).map(sentences).flatMap((block, i) =>
      block.map((text, at) => ({ block, at, worth: told ? 0 : found(text) * (i ? 1 : 2) })));
    if (!rated.length) return "";
    const { block, at } = rated.reduce((best, next) => (next.worth > best.worth ? next : best));
    const fits = (from, to) => block.slice(from, to).join(" ").length <= ROOM;
    let [from, to] = [at, at + 1];
    while (from > 0 && fits(from - 1, to)) from -= 1;
    while (to < block.length && fits(from, to + 1)) to += 1;
    return block.slice(from, to).join(" ");
  };
  const beginning = (url) => {
    const one = documents.find((section) => section.url === url);
    return one ? sentence({ ...one, matched: new Set(), told: true }) : "";
  };
  const marks = (word, matched) => plain(word).some((part) => matched.has(part));
  return { find, sections, sentence, beginning, marks };
};

/* Seven letters hold six bytes, and fewer hold one byte less than they are: the digits of a number,
   in the letters that a string of JavaScript needs no escape for. */
const DIGITS = new Map([...Array(128).keys()]
  .filter((code) => !'\0\n\r"\\'.includes(String.fromCharCode(code))).map((code, i) => [code, i]));
const decoded = (text) => {
  const bytes = new Uint8Array(text.length - Math.ceil(text.length / 7));
  for (let from = 0, to = 0; from < text.length; from += 7) {
    let number = 0;
    const end = Math.min(from + 7, text.length);
    for (let i = from; i < end; i += 1) number = number * DIGITS.size + DIGITS.get(text.charCodeAt(i));
    for (let i = end - from - 2; i >= 0; i -= 1, number = Math.floor(number / 256)) bytes[to + i] = number % 256;
    to += end - from - 1;
  }
  return bytes;
};

const unpacked = async (packed) => {
  const bytes = decoded(packed);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { sections: columns, ...words } = JSON.parse(await new Response(stream).text());
  let before = []; // titles stand as how many of the section before they share, and the others
  columns.titles = columns.titles.map(([shared, ...own]) => (before = [...before.slice(0, shared), ...own]));
  const section = (i) => Object.fromEntries(Object.entries(columns).map(([name, all]) => [name, all[i]]));
  return { sections: columns.url.map((_, i) => section(i)), ...words };
};

const loaded = (name) => new Promise((done, fail) => {
  const script = document.createElement("script");
  Object.assign(script, { src: `${root}_static/${name}`, onload: done });
  script.onerror = () => fail(new Error(`${name} did not load`));
  document.head.append(script);
});

let ready;
const search = () => {
  ready ||= Promise.all(SCRIPTS.map(loaded))
    .then(() => unpacked(window.VTJ_SECTIONS)).then(prepared);
  return ready;
};

const element = (name, text = "", more = {}) =>
  Object.assign(document.createElement(name), { textContent: text }, more);

/* A text with the words that were found in it marked. */
const marked = (text, matched, marks) => {
  const holder = element("p", "", { className: "search-sentence" });
  for (const part of text.split(/(\s+)/)) {
    holder.append(part.trim() && marks(part, matched) ? element("mark", part) : part);
  }
  return holder;
};

const tell = async (question, status, list, help) => {
  const { find, sentence, marks } = await search();
  const found = question.trim() ? find(question) : [];
  list.replaceChildren(...found.map((one) => {
    const said = sentence(one);
    const [page, anchor] = one.url.split("#");
    const item = element("li");
    const sought = said ? `?found=${encodeURIComponent(said.slice(0, 100))}` : "";
    item.append(element("a", one.title, { href: `${root}${page}${sought}#${anchor}` }));
    if (one.titles.length > 1) {
      item.append(element("p", one.titles.slice(0, -1).join(" › "), { className: "search-around" }));
    }
    if (said) item.append(marked(said, one.matched, marks));
    return item;
  }));
  const count = found.length === MOST ? `the ${MOST} best` : found.length;
  status.textContent = found.length
    ? `Sections found: ${count}.`
    : "No section holds these words. Try fewer of them, or the name of a function or an argument.";
  help.hidden = found.length > 0;
};

/* Who comes back from a result finds the question again, and can pass its address on. */
const keep = (question) => {
  const asked = question ? `?q=${encodeURIComponent(question)}` : "";
  try {
    history.replaceState(null, "", `${location.pathname}${asked}`);
  } catch { /* a browser that refuses it from disk */ }
};

const start = (box) => {
  const [input, status, list, help] =
    ["input", "[role=status]", "ol", ".search-help"].map((part) => box.querySelector(part));
  let timer;
  const show = () => {
    if (!input.value.trim()) {
      list.replaceChildren();
      status.textContent = "";
      help.hidden = false;
      keep("");
      return;
    }
    const question = input.value;
    tell(question, status, list, help).then(() => keep(question))
      .catch((error) => { status.textContent = error.message; });
  };
  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 200);
  });
  show();
};

const box = document.getElementById("site-search");
if (box) start(box);
window.vtjSearch = search; // what scores the search asks it directly
})();
