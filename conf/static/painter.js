/* <vtj-painter>: paint v on the result of an operation, and see x.grad as an image.

   What computes stands first: the build runs it beside torch before it writes a page. */
(() => {
"use strict";

const planes = (count, rows, columns) =>
  Array.from({ length: count }, () => Array.from({ length: rows }, () => Array(columns).fill(0)));
const each = (pictures, change) =>
  pictures.map((rows, c) => rows.map((row, i) => row.map((pixel, j) => change(pixel, c, i, j))));

/* Visit every pixel of y with each pixel of x that it is computed from, and the weight between them. */
const visit = ({ weight, border }, [rows, columns], does) => {
  weight.forEach((inputs, o) => inputs.forEach((kernel, c) => kernel.forEach((line, a) => line.forEach((w, b) => {
    for (let i = 0; i < rows + 2 * border - 2; i += 1) {
      for (let j = 0; j < columns + 2 * border - 2; j += 1) {
        const [above, left] = [i + a - border, j + b - border];
        if (above >= 0 && above < rows && left >= 0 && left < columns) does(o, i, j, c, above, left, w);
      }
    }
  }))));
};

/* What each kind of layer makes of its input, and of the v that comes back to it. */
const LAYERS = {
  square: {
    forward: (x) => each(x, (pixel) => pixel * pixel),
    backward: (x, v) => each(x, (pixel, c, i, j) => 2 * pixel * v[c][i][j]),
  },
  relu: {
    forward: (x) => each(x, (pixel) => Math.max(pixel, 0)),
    backward: (x, v) => each(x, (pixel, c, i, j) => (pixel > 0 ? v[c][i][j] : 0)),
  },
  filter: {
    forward(x, layer) {
      const size = [x[0].length, x[0][0].length];
      const y = planes(layer.weight.length, ...size.map((length) => length + 2 * layer.border - 2));
      visit(layer, size, (o, i, j, c, above, left, w) => { y[o][i][j] += w * x[c][above][left]; });
      return y;
    },
    backward(x, v, layer) {
      const size = [x[0].length, x[0][0].length];
      const grad = planes(x.length, ...size);
      visit(layer, size, (o, i, j, c, above, left, w) => { grad[c][above][left] += w * v[o][i][j]; });
      return grad;
    },
  },
};

/* y and x.grad of one image. */
const compute = (layers, x, v) => {
  const passed = [[x]];
  for (const layer of layers) passed.push(LAYERS[layer.kind].forward(passed[passed.length - 1], layer));
  let back = [v];
  for (let k = layers.length - 1; k >= 0; k -= 1) {
    back = LAYERS[layers[k].kind].backward(passed[k], back, layers[k]);
  }
  return { y: passed[layers.length][0], grad: back[0] };
};

/* No number is rounded: pixels and weights are whole, or sixteenths. */
const written = (number) => String(number + 0).replace("-", "−");
const sentence = ({ x, y, v, grad }, i, j) =>
  `At [${i}, ${j}]: x = ${written(x[i][j])}, y = ${written(y[i][j])}, ` +
  `v = ${written(v[i][j])}, x.grad = ${written(grad[i][j])}.`;
const largest = (rows) => Math.max(...rows.flat().map(Math.abs)) || 1;
const ABOVE = [13, 148, 136], BELOW = [147, 80, 200]; // as in a heat map
const tint = (value, top) => [...(value < 0 ? BELOW : ABOVE), Math.round((255 * Math.abs(value)) / top)];

globalThis.VTJ_PAINTER = { compute, sentence, largest, tint };
if (!globalThis.customElements || customElements.get("vtj-painter")) return;

const SIGNS = "0+-"; // of v in the address
const BRUSHES = { "Paint 1": 1, "Paint −1": -1, "Erase": 0 };

class Painter extends HTMLElement {
  connectedCallback() {
    if (this.x) return;
    const { x, start, functions } = JSON.parse(this.dataset.given);
    Object.assign(this, { x, functions, start, brush: 1, at: start.at });
    this.pictures = Object.fromEntries([...this.querySelectorAll("img")].map((img) => {
      const canvas = document.createElement("canvas");
      canvas.role = "img";
      img.replaceWith(canvas);
      return [img.dataset.of, canvas];
    }));
    this.captions = Object.fromEntries([...this.querySelectorAll("[data-size]")].map((held) => [held.dataset.size, held]));
    this.build();
    this.choose(start.name, start.v);
    this.read();
    addEventListener("hashchange", () => this.read());
  }

  build() {
    const make = (tag, given, ...held) => {
      const made = Object.assign(document.createElement(tag), given);
      made.append(...held);
      return made;
    };
    const button = (text, onclick) => make("button", { type: "button", onclick }, text);
    this.select = make("select", { onchange: () => { this.choose(this.select.value, []); this.write(); } });
    for (const [name, { title }] of Object.entries(this.functions)) this.select.append(new Option(title, name));
    this.brushes = Object.entries(BRUSHES).map(([text, value]) => button(text, () => { this.brush = value; this.press(); }));
    const fill = (value) => () => { this.v = this.v.map((row) => row.map(() => value)); this.draw(); this.write(); };
    this.heard = make("p", { className: "painter-heard", role: "status" });
    this.prepend(
      make("div", { className: "painter-bar" }, make("label", {}, "Operation ", this.select)),
      make("div", { className: "painter-bar" }, ...this.brushes, button("All ones", fill(1)), button("Clear", fill(0))),
    );
    this.append(this.heard);
    const v = this.pictures.v;
    v.tabIndex = 0;
    v.role = "application";
    v.onpointerdown = (event) => { v.setPointerCapture(event.pointerId); this.point(event); };
    v.onpointermove = (event) => { if (event.buttons) this.point(event); };
    v.onpointerup = () => this.write();
    v.onkeydown = (event) => this.key(event);
    this.press();
  }

  press() {
    this.brushes.forEach((button) => { button.ariaPressed = String(BRUSHES[button.textContent] === this.brush); });
  }

  get f() {
    return this.functions[this.name];
  }

  choose(name, painted) {
    this.name = name;
    this.select.value = name;
    const { y } = compute(this.f.layers, this.x, planes(1, ...this.f.shape)[0]);
    this.v = y.map((row, i) => row.map((_, j) => (painted[i] || [])[j] || 0));
    this.at = this.at.map((place, k) => Math.min(place, this.f.shape[k] - 1));
    this.draw();
  }

  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const name = said.get("image");
    if (!Object.hasOwn(this.functions, name)) return;
    const signs = [...(said.get("v") || "")].map((sign) => [0, 1, -1][SIGNS.indexOf(sign)]);
    const [rows, columns] = this.functions[name].shape;
    this.choose(name, Array.from({ length: rows }, (_, i) => signs.slice(i * columns, (i + 1) * columns)));
  }

  write() {
    const signs = this.v.flat().map((value) => SIGNS[value < 0 ? 2 : value]).join("").replace(/0+$/, "");
    history.replaceState(null, "", `#${new URLSearchParams({ image: this.name, v: signs })}`);
  }

  point(event) {
    const box = this.pictures.v.getBoundingClientRect();
    const place = (share, length) => Math.max(0, Math.min(length - 1, Math.floor(share * length)));
    const [rows, columns] = this.f.shape;
    this.at = [place((event.clientY - box.top) / box.height, rows), place((event.clientX - box.left) / box.width, columns)];
    this.paint(this.brush);
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (moves[event.key]) {
      this.at = this.at.map((place, k) => Math.max(0, Math.min(this.f.shape[k] - 1, place + moves[event.key][k])));
      this.draw();
    } else if (event.key === " " || event.key === "Enter") {
      this.paint(this.v[this.at[0]][this.at[1]] === this.brush ? 0 : this.brush);
      this.write();
    } else return;
    event.preventDefault();
  }

  paint(value) {
    this.v[this.at[0]][this.at[1]] = value;
    this.draw();
  }

  draw() {
    const shown = { x: this.x, v: this.v, ...compute(this.f.layers, this.x, this.v) };
    for (const [name, canvas] of Object.entries(this.pictures)) {
      const rows = shown[name], top = largest(rows);
      Object.assign(canvas, { height: rows.length, width: rows[0].length });
      const context = canvas.getContext("2d");
      context.putImageData(new ImageData(new Uint8ClampedArray(rows.flat().flatMap((value) => tint(value, top))), canvas.width), 0, 0);
      canvas.ariaLabel = name === "v" ? "v: arrow keys move, space paints" : canvas.closest("figure").textContent.trim();
      if (this.captions[name]) this.captions[name].textContent = `${rows.length} × ${rows[0].length}`;
    }
    this.style.setProperty("--row", this.at[0] / this.f.shape[0]);
    this.style.setProperty("--column", this.at[1] / this.f.shape[1]);
    this.style.setProperty("--pixel", 1 / this.f.shape[0]);
    const [rows, columns] = this.f.shape;
    const entries = rows * columns * this.x.length * this.x[0].length;
    this.querySelector("[data-code]").textContent = `y = ${this.f.code}`;
    this.querySelector("[data-entries]").textContent = entries.toLocaleString("en-US");
    this.heard.textContent = sentence(shown, ...this.at);
  }
}

customElements.define("vtj-painter", Painter);
})();
