/* <vtj-explorer>: change x and v, and see the weighted rows of J add up to x.grad. */
(() => {
"use strict";

const FUNCTIONS = window.VTJ_FUNCTIONS || {};
const { read, compared, program, KNOWN, MOST } = VTJ_LANGUAGE;
const YOURS = "yours"; // in the address, the function that the reader writes
const EXAMPLE = "x[0] * sin(x[1]), x[0] ** 2";
const NOT_FINITE = "At this x, y or a slope is not finite. Choose another x.";
const LIMIT = 100; // of the boxes; far beyond it, softmax overflows
const LEGENDS = {
  x: "x, the point",
  v: "v, one weight for each output",
  u: "u, one weight for each input",
};

const sub = (name, i, shape = [1]) => (shape.length ? name + "₁₂₃₄"[i] : name);
const size = (shape) => (shape.length ? `(${shape[0]},)` : "()");
const add = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const most = (rows) => Math.max(...rows.flat().map(Math.abs)) || 1;
/* Whole numbers whole, others with five digits, and ≈ if they have more. Beyond 2⁵³ all seem whole. */
const five = (n) => (n % 1 || Math.abs(n) > 2 ** 53 ? Number(n.toPrecision(5)) : n);
const mark = (n) => (Math.abs(five(n) - n) > 1e-12 * Math.abs(n) ? "≈" : "");
const short = (n) => (mark(n) + five(n)).replace("-", "−");
const list = (numbers) => `[${numbers.map(short).join(", ")}]`;
const weights = (length) => [1, 10, 100, -10].slice(0, length);

/* Rounded to read, whole for whoever copies or checks it. */
const shown = (value) => `<data value="${value}">${short(value)}</data>`;
const cell = (value, top) =>
  `<td class="${value < 0 ? "vtj-below" : "vtj-above"}"` +
  ` style="--t:${(Math.abs(value) / top).toFixed(3)}">${shown(value)}</td>`;
const LATER = '<td class="vtj-later"><span class="visually-hidden">not added yet</span></td>';
const heading = (scope, text, kind = "") => `<th scope="${scope}" class="${kind}">${text}</th>`;
const table = (caption, head, rows, foot = "") =>
  `<table><caption>${caption}</caption><thead><tr>${head.join("")}</tr></thead><tbody>` +
  rows.map((row) => `<tr>${row.join("")}</tr>`).join("") +
  `</tbody>${foot && `<tfoot><tr>${foot.join("")}</tr></tfoot>`}</table>`;

/* An element: attributes by name, listeners by onname, then what it holds. */
const h = (tag, attributes = {}, ...held) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...held);
  return element;
};
const button = (text, onclick) => h("button", { type: "button", onclick }, text);

class Explorer extends HTMLElement {
  connectedCallback() {
    if (this.state || !Object.keys(FUNCTIONS).length) return;
    this.choose(this.getAttribute("function"));
    this.read();
    addEventListener("hashchange", () => this.read() && this.build());
    this.build();
  }

  choose(name) {
    const { forward = false, predict = false } = this.state || {};
    const { x, v } = name === YOURS ? { x: [1, 2], v: [] } : FUNCTIONS[name];
    const u = weights(x.length);
    // known: the prediction was right, or given up; taken: rows added so far, null for all
    this.state = { name, forward, predict, known: false, taken: null, x, v, u, text: EXAMPLE };
    this.own = { v, u }; // the weights it began with
    if (name !== this.getAttribute("function")) this.style.minHeight = "0";
  }

  get f() {
    return this.state.name === YOURS ? this.yours : FUNCTIONS[this.state.name];
  }

  get hidden() {
    return this.state.predict && !this.state.known;
  }

  get product() {
    return this.state.forward ? "J·u" : "x.grad";
  }

  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const name = said.get("f");
    if (name !== YOURS && !Object.hasOwn(FUNCTIONS, name)) return false;
    this.choose(name);
    const given = (key) => {
      const values = (said.get(key) || "").split(",").map(Number);
      return said.get(key) && values.every((n) => Math.abs(n) <= LIMIT) ? values : [];
    };
    if (name === YOURS) {
      this.state.text = said.get("y") ?? EXAMPLE;
      const { length } = given("x");
      if (length && length <= MOST) this.resize(length);
      this.compose();
    }
    for (const key of ["x", "v", "u"]) {
      if (given(key).length === this.state[key].length) this.state[key] = given(key);
    }
    this.state.forward = said.has("u");
    this.state.predict = said.has("predict");
    return true;
  }

  write() {
    const { name, text, x, u, v, forward, predict } = this.state;
    const y = name === YOURS ? `&${new URLSearchParams({ y: text })}` : "";
    const own = `#f=${name}${y}&x=${x}&${forward ? `u=${u}` : `v=${v}`}${predict ? "&predict" : ""}`;
    const graph = location.hash.match(/(step|graph)=\d+/g) || [];
    history.replaceState(null, "", [own, ...graph].join("&"));
  }

  /* What the reader wrote becomes a function, or is refused; v begins anew where y has another size. */
  compose() {
    const { text, x, v } = this.state;
    this.yours = read(text, x.length);
    const { refused, shape: [length = 1] = [] } = this.yours;
    if (!refused && length !== v.length) this.own.v = this.state.v = weights(length);
  }

  resize(length) {
    const x = Array.from({ length }, (_, j) => this.state.x[j] ?? j + 1);
    this.own.u = weights(length);
    Object.assign(this.state, { x, u: this.own.u });
  }

  /* y, J, the weighted rows (or columns) and what those that count add up to. */
  numbers() {
    const { x, v, u, forward, taken } = this.state;
    const at = this.f.at ? this.f.at(x) : { y: this.f.y(x), J: this.f.J(x) };
    const modes = this.f.at ? compared(at) : "";
    const { y, J } = at;
    const counts = (i, j) => taken === null || (forward ? j : i) < taken;
    const terms = J.map((row, i) => row.map((slope, j) => (forward ? u[j] : v[i]) * slope));
    const added = terms.map((row, i) => row.map((term, j) => (counts(i, j) ? term : 0)));
    const stacks = forward ? added : x.map((_, j) => added.map((row) => row[j]));
    return { y, J, modes, terms, counts, stacks, result: stacks.map(add) };
  }

  change(part, focus) {
    Object.assign(this.state, { known: false, taken: null }, part);
    if (focus) {
      this.build();
      this.querySelector(focus).focus();
    } else if ("text" in part) this.fill();
    else this.update();
    this.tell();
  }

  build() {
    const { name, forward, predict } = this.state;
    const mode = (value, to, text) => {
      const onchange = () => this.change({ forward: to }, `[value=${value}]`);
      return h("label", {}, h("input", { type: "radio", name: "vtj-mode", value, checked: forward === to, onchange }), text);
    };
    const menu = h("select", {
      onchange: () => {
        this.choose(menu.value);
        this.change({}, "select");
      },
    });
    const titles = Object.entries(FUNCTIONS).map(([value, { title }]) => [value, title]);
    menu.append(...[...titles, [YOURS, "your own"]].map(([value, title]) =>
      h("option", { value, selected: value === name }, title)));
    const first = h("input", {
      type: "checkbox", class: "vtj-predict", checked: predict,
      onchange: () => this.change({ predict: first.checked }),
    });
    const lower = h("div");
    const status = h("p", { role: "status" });
    const code = h("pre", { tabindex: "0", role: "group", "aria-label": "The same in torch" });
    const copy = button("Copy", () => this.copy(copy));
    copy.className = "vtj-copy";
    const torch = h("div", { class: "vtj-code" }, code, copy);
    this.parts = { lower, status, code, torch };
    this.replaceChildren(
      h("div", { class: "vtj-choices" },
        h("label", {}, "Function", menu),
        h("fieldset", { class: "vtj-mode" },
          h("legend", { class: "visually-hidden" }, "Product"),
          mode("v", false, "vᵀ·J (backward)"), mode("u", true, "J·u (forward)")),
        h("label", {}, first, "Predict first")),
      ...(name === YOURS ? [this.form()] : []),
      lower, status, torch,
    );
    this.fill();
  }

  /* Where the reader writes. What is written is shown as text, nowhere as markup. */
  form() {
    const { text, x } = this.state;
    const box = h("input", {
      value: text, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      "aria-describedby": "vtj-refused vtj-known",
      oninput: () => this.change({ text: box.value }),
    });
    const length = h("select", {
      onchange: () => {
        this.resize(+length.value);
        this.change({}, ".vtj-yours select");
      },
    });
    for (let n = 1; n <= MOST; n += 1) length.append(h("option", { selected: n === x.length }, n));
    const refused = h("p", { id: "vtj-refused" });
    Object.assign(this.parts, { box, refused });
    return h("div", { class: "vtj-yours" },
      h("label", {}, "y =", box), h("label", {}, "Elements of x", length), refused,
      h("p", { id: "vtj-known" }, `Known: ${KNOWN.join(", ")}; numbers; + - * / ** and @; lists, as in [[1, 2], [3, 4]] @ x.`));
  }

  /* All that depends on the function. */
  fill() {
    const { lower, status, torch, box, refused } = this.parts;
    if (box) {
      this.compose();
      refused.textContent = this.yours.refused || "";
      box.ariaInvalid = this.yours.refused ? "true" : null;
    }
    if (lower.hidden) status.textContent = ""; // it held a refusal
    lower.hidden = torch.hidden = Boolean(this.f.refused);
    status.className = `vtj-status${lower.hidden ? " visually-hidden" : ""}`;
    if (lower.hidden) return;
    for (const part of ["jacobian", "products", "guess", "bars", "steps", "modes", "shapes"]) {
      this.parts[part] = h("div", { class: `vtj-${part}` });
    }
    const { jacobian, products, guess, bars, steps, modes, shapes } = this.parts;
    bars.ariaHidden = "true";
    for (const part of [jacobian, products]) part.role = "group";
    jacobian.ariaLabel = "Jacobian";
    products.ariaLabel = "Weighted Jacobian";
    lower.replaceChildren(
      h("div", { class: "vtj-inputs" }, this.inputs("x"), this.inputs(this.state.forward ? "u" : "v")),
      h("div", { class: "vtj-tables" }, jacobian, products),
      guess, bars, steps, modes, shapes,
    );
    this.update();
  }

  inputs(key) {
    const values = this.state[key];
    const shape = key === "v" ? this.f.shape : [1];
    const [min, max, step] = key === "x" ? [-3, 3, 0.1] : [-10, 100, 1];
    const set = (i, value) =>
      this.change({ [key]: this.state[key].map((old, k) => (k === i ? value : old)) });
    const fields = values.map((value, i) => {
      const label = sub(key, i, shape);
      const slider = h("input", { type: "range", step, "aria-label": label });
      const slide = (to) => Object.assign(slider, { min: Math.min(min, to), max: Math.max(max, to), value: to });
      slide(value);
      const box = h("input", {
        type: "number", min: -LIMIT, max: LIMIT, step: "any", value, "aria-label": `${label}, exactly`,
      });
      slider.oninput = () => {
        box.value = slider.value;
        box.ariaInvalid = null;
        set(i, +slider.value);
      };
      box.oninput = () => {
        const fits = Math.abs(box.valueAsNumber) <= LIMIT;
        box.ariaInvalid = fits ? null : "true";
        if (!fits) return this.say(`${label} must be a number from −${LIMIT} to ${LIMIT}.`);
        slide(box.valueAsNumber);
        set(i, box.valueAsNumber);
      };
      return h("div", { class: "vtj-input" }, h("span", { "aria-hidden": "true" }, label), slider, box);
    });
    const choices = key === "x" ? [] : [
      ...(shape.length ? values : []).map((_, i) => [`${key} = ${sub("e", i)}`, values.map((_, k) => +(k === i))]),
      ["ones", values.map(() => 1)],
      [list(this.own[key]), this.own[key]],
    ];
    const buttons = choices.map(([text, next], i) =>
      button(text, () => this.change({ [key]: next }, `.vtj-buttons :nth-child(${i + 1})`)));
    return h("fieldset", {}, h("legend", {}, LEGENDS[key]), ...fields, h("div", { class: "vtj-buttons" }, ...buttons));
  }

  update() {
    if (this.f.refused) return;
    const { x, u, v, forward, taken } = this.state;
    const { shape } = this.f;
    const { jacobian, products, guess, bars, steps, modes, shapes, code } = this.parts;
    const { y, J, modes: said, terms, counts, stacks, result } = this.numbers();
    const columns = x.map((_, j) => heading("col", sub("x", j)));
    const weight = (key, of, scope) => of.map((value, i) =>
      heading(scope, `${sub(key, i, key === "v" ? shape : [1])} = ${shown(value)} ×`, "vtj-weight"));
    const total = (value) => `<td class="vtj-total">${shown(value)}</td>`;
    const row = (i) => terms[i].map((term, j) => (counts(i, j) ? cell(term, most(terms)) : LATER));

    jacobian.innerHTML = table("y and J(x)", [heading("col", "y"), ...columns],
      J.map((slopes, i) => [
        heading("row", `${sub("y", i, shape)} = ${shown(y[i])}`),
        ...slopes.map((slope) => cell(slope, most(J))),
      ]));
    products.innerHTML = forward
      ? table("Each column of J times its weight",
        ["<td></td>", ...weight("u", u, "col"), heading("col", "J·u")],
        J.map((_, i) => [heading("row", sub("y", i, shape)), ...row(i), total(result[i])]))
      : table("Each row of J times its weight", ["<td></td>", ...columns],
        weight("v", v, "row").map((head, i) => [head, ...row(i)]),
        [heading("row", "x.grad"), ...result.map(total)]);

    const all = forward ? u.length : v.length;
    const kind = forward ? "column" : "row";
    const done = taken === null || taken === all;
    const next = taken === null ? `Add ${kind} by ${kind}` : done ? "Start over" : `Add ${kind} ${taken + 1}`;
    steps.replaceChildren(
      button(next, () => this.step(done ? 0 : taken + 1)),
      taken === null ? "" : ` ${taken} of ${all} added`);
    const [ofX, ofY] = [`the shape of x, ${size([x.length])}`, `the shape of y, ${size(shape)}`];
    shapes.textContent = forward ? `u has ${ofX}; J·u has ${ofY}.` : `v has ${ofY}; x.grad has ${ofX}.`;
    this.draw(bars, stacks, terms);
    this.guess(result);
    modes.textContent = said ?? NOT_FINITE;
    for (const part of [jacobian, guess]) part.hidden = said === null;
    for (const part of [products, bars, steps]) part.hidden = this.hidden || said === null;
    for (const part of [jacobian, products]) part.tabIndex = part.scrollWidth > part.clientWidth ? 0 : -1;
    code.textContent = program(this.f, this.state);
  }

  /* A bar, on a scale of its own, for each element of the product: what each row adds. */
  draw(bars, stacks, terms) {
    const { forward } = this.state;
    const whole = forward ? terms : terms[0].map((_, j) => terms.map((row) => row[j]));
    bars.innerHTML = `<p>What each ${forward ? "column adds to an element of J·u" : "row adds to an element of x.grad"}. Each bar has a scale of its own.</p>` + stacks.map((stack, i) => {
      const reach = add(whole[i].map(Math.abs)) || 1;
      let [above, below] = [50, 50];
      const pieces = stack.map((value, k) => {
        const width = (Math.abs(value) / reach) * 50;
        const left = value < 0 ? (below -= width) : (above += width) - width;
        return `<i class="vtj-piece-${k + 1}" style="left:${left}%;width:${width}%"></i>`;
      });
      const name = forward ? sub("y", i, this.f.shape) : sub("x", i);
      return `<div class="vtj-bar"><span>${name}</span><b>${pieces.join("")}</b><span>${short(add(stack))}</span></div>`;
    }).join("");
  }

  step(taken) {
    this.state.taken = taken;
    this.update();
    this.tell();
    this.querySelector(".vtj-steps button").focus();
    if (!taken || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const which = this.state.forward ? `td:nth-child(${taken + 1})` : `tr:nth-child(${taken}) td`;
    this.querySelectorAll(`.vtj-products tbody ${which}, .vtj-piece-${taken}`).forEach((moved) =>
      moved.animate([{ opacity: 0, transform: "translateY(-0.75rem)" }, {}], 350));
  }

  guess(result) {
    const { guess } = this.parts;
    guess.replaceChildren();
    if (!this.hidden) return;
    const boxes = result.map((_, i) => h("input", {
      type: "number", step: "any", required: true, "aria-label": `${this.product}, element ${i + 1}`,
    }));
    const right = (box, i) => Math.abs(box.valueAsNumber - result[i]) <= 0.005 * (1 + Math.abs(result[i]));
    const reveal = (words) => {
      this.state.known = true;
      this.update();
      this.querySelector(".vtj-predict").focus();
      this.say(`${words} ${this.product} = ${list(result)}`);
    };
    const onsubmit = (event) => {
      event.preventDefault();
      boxes.forEach((box, i) => { box.ariaInvalid = right(box, i) ? null : "true"; });
      if (boxes.every(right)) reveal("Right:");
      else this.say("Not yet: look again at what is marked.");
    };
    guess.append(h("form", { onsubmit }, `What is ${this.product}?`, ...boxes, h("button", {}, "Check"),
      button("Show it", () => reveal("It is this:"))));
  }

  say(words) {
    clearTimeout(this.timer);
    this.parts.status.textContent = words;
  }

  heard() {
    const { modes, result } = this.numbers();
    if (modes === null) return NOT_FINITE;
    const so = this.state.taken === null ? "" : " so far";
    return this.hidden ? "" : `${this.product}${so} = ${list(result)}`;
  }

  /* Screen readers hear the product once, when the reader has stopped changing things. */
  tell() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.say(this.f.refused || this.heard());
      this.write();
    }, 500);
  }

  async copy(from) {
    try {
      await navigator.clipboard.writeText(this.parts.code.textContent);
    } catch {
      getSelection().selectAllChildren(this.parts.code);
      document.execCommand("copy");
    }
    from.textContent = "Copied";
    setTimeout(() => { from.textContent = "Copy"; }, 2000);
  }
}

customElements.define("vtj-explorer", Explorer);
})();
