/* <vtj-landscape>: turn v, and see the lines of equal v·y turn, with x.grad uphill.

   What computes and draws stands first: the build runs it beside torch before it writes a page. */
(() => {
"use strict";

const REACH = 3, SIDE = 360, UNIT = SIDE / (2 * REACH); // the plane of x, and its pixels
const CELLS = 31; // of a grid: x itself, in tenths, is on none of its lines
const LONGEST = 90; // pixels of the largest gradient's larger element
const WAYS = 80; // v stands on the edge of a square, in tenths

const FUNCTIONS = {
  mix: { y: ([a, b]) => [2 * a + b, a - b], J: () => [[2, 1], [1, -1]] },
  bowl: { y: ([a, b]) => [a * a + b * b, a * b], J: ([a, b]) => [[2 * a, 2 * b], [b, a]] },
  softmax: {
    y: ([a, b]) => [1 / (1 + Math.exp(b - a)), 1 / (1 + Math.exp(a - b))],
    J: (x) => {
      const [p, q] = FUNCTIONS.softmax.y(x);
      return [[p * q, -p * q], [-p * q, p * q]];
    },
  },
};

const turned = (way) => [way, way + WAYS - WAYS / 4].map((at) => {
  const off = Math.min(at % WAYS, WAYS - (at % WAYS));
  return Math.max(-10, Math.min(10, WAYS / 4 - off)) / 10 + 0;
});
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
const plus = (a, b, times = 1) => [a[0] + times * b[0], a[1] + times * b[1]];
const up = (vector, scale) => [vector[0] * scale, -vector[1] * scale]; // pixels count downward

const compute = (f, x, v) => {
  const y = FUNCTIONS[f.name].y(x), J = FUNCTIONS[f.name].J(x);
  const rows = J.map((row, i) => row.map((slope) => v[i] * slope));
  return { y, J, rows, grad: [rows[0][0] + rows[1][0], rows[0][1] + rows[1][1]], loss: dot(v, y) };
};

/* Numbers whole or with up to five digits, and ≈ if they have more; what is left of
   0.1 + 0.2 − 0.3 is zero. */
const tidy = (n) => Math.round(n * 1e9) / 1e9 + 0;
const short = (n) => {
  const whole = tidy(n), five = whole % 1 ? Number(whole.toPrecision(5)) : whole;
  return `${five === whole ? "" : "≈"}${five}`.replace("-", "−");
};
const list = (numbers) => `[${numbers.map(short).join(", ")}]`;

/* Follow each line from crossing to crossing: first those that end at the border, then closed ones. */
const follow = (links, place) => {
  const all = [...links.keys()], open = all.filter((edge) => links.get(edge).length === 1);
  const lines = [];
  for (const start of [...open, ...all]) {
    const line = [place(start)];
    for (let edge = start; links.get(edge).length;) {
      const next = links.get(edge).pop(), back = links.get(next);
      back.splice(back.indexOf(edge), 1);
      line.push(place(next));
      edge = next;
    }
    if (line.length > 1) lines.push(line);
  }
  return lines;
};

/* The lines where v·y is by k steps more than at x, for each k: marching squares, if they are to be drawn. */
const contours = (f, v, loss, drawn) => {
  const count = CELLS + 1, { y } = FUNCTIONS[f.name];
  const place = (i) => (i / CELLS) * 2 * REACH - REACH;
  const height = (i, j) => (dot(v, y([place(i), place(j)])) - loss) / f.step;
  const heights = [];
  for (let i = 0; i < count; i += 1) for (let j = 0; j < count; j += 1) heights.push(height(i, j));
  const [low, high] = [Math.min(...heights) + 1e-6, Math.max(...heights) - 1e-6]; // a corner is no line
  const linked = new Map();
  for (let k = Math.ceil(low); k <= high; k += 1) linked.set(k, new Map());
  const link = (k, from, to) => {
    const links = linked.get(k);
    if (links.has(from)) links.get(from).push(to);
    else links.set(from, [to]);
  };
  for (let i = 0; drawn && i < CELLS; i += 1) {
    for (let j = 0; j < CELLS; j += 1) {
      const a = i * count + j, [b, c, d] = [a + count, a + count + 1, a + 1];
      const [p, q, r, s] = [heights[a], heights[b], heights[c], heights[d]];
      const last = Math.min(Math.max(p, q, r, s), high);
      for (let k = Math.ceil(Math.max(Math.min(p, q, r, s), low)); k <= last; k += 1) {
        // An edge is twice its lower corner, and one more if it goes upward.
        const edges = [];
        if (p < k !== q < k) edges.push(2 * a);
        if (q < k !== r < k) edges.push(2 * b + 1);
        if (r < k !== s < k) edges.push(2 * d);
        if (s < k !== p < k) edges.push(2 * a + 1);
        for (let e = 0; e < edges.length; e += 2) {
          link(k, edges[e], edges[e + 1]);
          link(k, edges[e + 1], edges[e]);
        }
      }
    }
  }
  const cross = (k) => (edge) => {
    const from = edge >> 1, to = from + (edge % 2 ? 1 : count);
    const start = [Math.floor(from / count), from % count];
    let [low, high, at] = [[0, heights[from]], [1, heights[to]]];
    for (let round = 0, off = 1; round < 12 && Math.abs(off) > 2e-4; round += 1) { // it may bend along an edge
      const part = round % 2 ? 0.5 : (k - low[1]) / (high[1] - low[1]);
      const share = low[0] + (high[0] - low[0]) * part;
      at = edge % 2 ? [start[0], start[1] + share] : [start[0] + share, start[1]];
      const there = height(...at);
      off = there - k;
      if (there < k === low[1] < k) low = [share, there];
      else high = [share, there];
    }
    return [(place(at[0]) + REACH) * UNIT, (REACH - place(at[1])) * UNIT];
  };
  const between = (a, b) => { // the line's own point beside the middle of two crossings
    const middle = plus(a, plus(b, a, -1), 0.5);
    const { grad, loss: there } = compute(f, up(plus(middle, [-SIDE / 2, -SIDE / 2]), 1 / UNIT), v);
    const off = up(grad, ((loss - there) / dot(grad, grad)) * UNIT);
    return Math.hypot(...off) < 2 ? plus(middle, off) : middle;
  };
  const smooth = (line) => line.flatMap((point, i) => (i ? [between(line[i - 1], point), point] : [point]));
  return [...linked].map(([k, links]) => {
    const lines = follow(links, cross(k));
    return { k, lines: k ? lines : lines.map(smooth) }; // the bold one shows its corners
  });
};

const px = (n) => Math.round(n * 10) / 10 + 0;
const arrow = (kind, tail, tip) => {
  const along = plus(tip, tail, -1), length = Math.hypot(...along);
  if (length < 0.05) return "";
  const u = along.map((part) => part / length), head = Math.min(12, 0.6 * length);
  const base = plus(tip, u, -head), side = [-u[1] * head * 0.45, u[0] * head * 0.45];
  const corners = [tip, plus(base, side), plus(base, side, -1)].map((corner) => corner.map(px).join(","));
  const [[x1, y1], [x2, y2]] = [tail.map(px), base.map(px)];
  return `<line class="landscape-${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>` +
    `<polygon class="landscape-${kind}" points="${corners.join(" ")}"/>`;
};
const text = (words, [x, y], kind = "") => `<text class="${kind}" x="${px(x)}" y="${px(y)}">${words}</text>`;
const within = (n, low, high) => Math.max(low, Math.min(high, n));

const drawLand = (f, x, { grad, loss }, found) => {
  const at = plus([SIDE / 2, SIDE / 2], up(x, UNIT));
  const to = plus(at, up(grad, LONGEST / f.most)), length = Math.hypot(...plus(to, at, -1));
  const paths = found.filter(({ lines }) => lines.length).map(({ k, lines }) =>
    `<path class="landscape-${["below", "level", "above"][Math.sign(k) + 1]}" data-k="${k}" d="` +
    `${lines.map((line) => `M${line.map((point) => point.map(px).join(" ")).join("L")}`).join("")}"/>`).join("");
  if (length < 0.05) return { at, svg: paths + (found.length ? "" : text(`flat: v·y = ${short(loss)}`, [90, 50])) };
  const u = plus(to, at, -1).map((part) => part / length), side = [-u[1], u[0]];
  const corner = [plus(at, u, 14), plus(plus(at, u, 14), side, 14), plus(at, side, 14)];
  const square = length < 30 ? "" : `<polyline class="landscape-square" points="${corner.map((p) => p.map(px).join(",")).join(" ")}"/>`;
  const label = plus(to, [u[0] * 32, u[1] * 16 + 5]);
  return {
    at,
    svg: paths + square + arrow("grad", at, to) +
      text("x.grad", [within(label[0], 30, SIDE - 30), within(label[1], 14, SIDE - 6)]),
  };
};

const drawTurn = (v) => {
  const center = [100, 100], at = plus(center, up(v, 70)), length = Math.hypot(...v);
  const beside = plus(plus(center, up(v, 35)), [-v[1] / length, -v[0] / length], 16);
  return { at, svg: arrow("v", center, at) + text("v", plus(beside, [0, 5]), "landscape-v") };
};

/* Rows that lie nearly on one line go side by side, or none but the longest could be seen. */
const drawSum = ({ J, rows, grad }) => {
  const most = Math.max(...[0, 1].map((j) => Math.abs(J[0][j]) + Math.abs(J[1][j]))); // whichever v
  const [a, b, sum] = [...rows, grad].map((vector) => up(vector, 84 / (most || 1)));
  const reach = Math.max(...[a, b, sum].map((side) => Math.hypot(...side)));
  if (reach < 0.05) return "";
  const longest = [a, b, sum].find((side) => Math.hypot(...side) > reach - 1e-6);
  const height = Math.abs(a[0] * b[1] - a[1] * b[0]) / reach; // of the triangle
  const lane = [-longest[1], longest[0]].map((part) => (part / reach) * 7 * Math.max(0, 1 - height / 14));
  const tails = [[0, 0], a, [0, 0]], kinds = ["row-1", "row-2", "grad"];
  return [a, b, sum].map((vector, i) => {
    const tail = plus(plus([100, 100], tails[i]), lane, i - 1);
    return arrow(kinds[i], tail, plus(tail, vector));
  }).join("");
};

/* All that is shown of one setting: texts, names of pictures, and what is drawn in them. */
const shown = (f, x, v, drawn = true) => {
  const all = compute(f, x, v), { y, J, grad, loss } = all;
  const found = contours(f, v, loss, drawn);
  const land = drawLand(f, x, all, found), turn = drawTurn(v);
  const zero = grad.every((slope) => tidy(slope) === 0);
  const numbers = `v = ${list(v)}, x = ${list(x)}, y = ${list(y)}: v·y = ${short(loss)}`;
  const sum = `x.grad = ${short(v[0])} × ${list(J[0])} ${v[1] < 0 ? "−" : "+"} ${short(Math.abs(v[1]))} × ${list(J[1])} = ${list(grad)}`;
  const apart = `The lines are ${short(f.step)} apart: solid ones lie higher than x, dashed ones lower.`;
  const words = !found.length
    ? `Flat: v·y is ${short(loss)} wherever x is. The weighted rows cancel, there is no line to draw, and no direction is up.`
    : zero
      ? `x.grad is zero: at this x the landscape is level. ${apart}`
      : `x.grad points uphill, at right angles to the line through x. ${apart}`;
  return {
    texts: { numbers, sum, words },
    names: {
      v: `v = ${list(v)} as an arrow`,
      land: `The plane of x, with v·y at ${found.length} heights as lines. ${words}`,
      sum: `The weighted rows, head to tail: ${sum}`,
    },
    drawn: { v: turn.svg, land: land.svg, sum: drawSum(all) },
    holds: { v: turn.at.map(px), land: land.at.map(px) },
  };
};

globalThis.VTJ_LANDSCAPE = { compute, turned, shown };
if (!globalThis.customElements || customElements.get("vtj-landscape")) return;

const MOST = 15; // tenths that x can be moved to either side
const CHOICES = { "v = e₁": 0, "v = ones": 10, "v = e₂": 20 };

class Landscape extends HTMLElement {
  connectedCallback() {
    if (this.functions) return;
    const { functions, name, way, x } = JSON.parse(this.dataset.given);
    Object.assign(this, { functions, name, way, x });
    this.svgs = Object.fromEntries([...this.querySelectorAll("svg")].map((svg) => [svg.dataset.of, svg]));
    const make = (tag, given, ...held) => {
      const made = Object.assign(document.createElement(tag), given);
      made.append(...held);
      return made;
    };
    this.select = make("select", { onchange: () => this.change({ name: this.select.value }) });
    for (const [key, { title }] of Object.entries(functions)) this.select.append(new Option(title, key));
    const slider = (min, max, set) =>
      make("input", { type: "range", min, max, oninput: ({ target }) => this.change(set(Number(target.value))) });
    this.turn = slider(0, WAYS, (to) => ({ way: to }));
    this.moves = [0, 1].map((i) => slider(-MOST, MOST, (to) => ({ x: this.x.map((old, j) => (i === j ? to : old)) })));
    const label = (words, input) => make("label", {}, words, input);
    const button = (words, onclick) => make("button", { type: "button", onclick }, words);
    this.prepend(
      make("div", { className: "landscape-bar" }, label("Function ", this.select),
        ...Object.entries(CHOICES).map(([words, to]) => button(words, () => this.change({ way: to }))),
        button("Turn v around", () => this.change({ way: (this.way + WAYS / 2) % WAYS }))),
      make("div", { className: "landscape-bar landscape-sliders" }, label("Turn v ", this.turn),
        ...this.moves.map((input, i) => label(`Move x${"₁₂"[i]} `, input))),
    );
    this.querySelector("[data-told]").role = "status";
    this.drag(this.svgs.v, ([a, b]) => {
      const along = (way) => dot(turned(way), [a - 100, 100 - b]) / Math.hypot(...turned(way));
      const ways = Array.from({ length: WAYS }, (_, way) => way);
      return { way: ways.reduce((best, way) => (along(way) > along(best) ? way : best), 0) };
    });
    this.drag(this.svgs.land, ([a, b]) => ({
      x: [a - SIDE / 2, SIDE / 2 - b].map((off) => within(Math.round((10 * off) / UNIT), -MOST, MOST) + 0),
    }));
    this.read();
    this.draw();
    addEventListener("hashchange", () => { this.read(); this.draw(); });
  }

  /* A mouse may press anywhere; a finger takes the dot, so that it can still scroll the page. */
  drag(svg, set) {
    const go = (event) => {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      this.change(set([x, y]));
    };
    let taken; // a finger is captured by itself, wherever it touches
    svg.onpointerdown = (event) => {
      if (event.pointerType !== "mouse" && !event.target.matches(".landscape-hold")) return;
      taken = event.pointerId;
      svg.setPointerCapture(taken);
      go(event);
    };
    svg.onpointermove = (event) => { if (event.pointerId === taken) go(event); };
    svg.onlostpointercapture = () => { taken = undefined; };
    /* Where a shape has touch-action: none, Chromium scrolls the page all the same. */
    svg.addEventListener("touchstart", (event) => {
      if (event.target.matches(".landscape-hold")) event.preventDefault();
    }, { passive: false });
  }

  change(part) {
    Object.assign(this, part);
    this.draw();
    const said = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    said.set("landscape", this.name);
    said.set("turn", this.way);
    said.set("x", this.x);
    history.replaceState(null, "", `#${said}`.replaceAll("%2C", ","));
  }

  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const whole = (key, most) => (said.get(key) || "").split(",").filter((n) => /^-?\d{1,2}$/.test(n) && Math.abs(n) <= most).map(Number);
    if (!Object.hasOwn(this.functions, said.get("landscape"))) return;
    this.name = said.get("landscape");
    const [[way], x] = [whole("turn", WAYS), whole("x", MOST)];
    if (way >= 0) this.way = way;
    if (x.length === 2) this.x = x;
  }

  draw() {
    const f = { name: this.name, ...this.functions[this.name] };
    const v = turned(this.way), x = this.x.map((tenths) => tenths / 10);
    const { texts, names, drawn, holds } = shown(f, x, v);
    for (const [of, svg] of Object.entries(this.svgs)) {
      svg.querySelector("g").innerHTML = drawn[of]; // numbers and our own words
      svg.ariaLabel = names[of];
      if (holds[of]) svg.querySelector(".landscape-hold").setAttribute("transform", `translate(${holds[of]})`);
    }
    for (const held of this.querySelectorAll("[data-line]")) held.textContent = texts[held.dataset.line];
    this.querySelector("[data-code]").textContent = `y = ${f.code}`;
    this.select.value = this.name;
    this.turn.value = this.way;
    this.turn.ariaValueText = names.v;
    this.moves.forEach((input, i) => {
      input.value = this.x[i];
      input.ariaValueText = `x${"₁₂"[i]} = ${short(x[i])}`;
    });
  }
}

customElements.define("vtj-landscape", Landscape);
})();
