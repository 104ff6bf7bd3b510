/* <vtj-shapes>: from the shapes of x, y and v, what backward needs and what torch answers.

   What computes stands first: the build runs it beside torch before it writes a page. */
(() => {
"use strict";

const MOST = 2 ** 53 / 8; // entries: up to here their bytes are exact in JavaScript
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

/* A shape as people write it: 2, 3 or (2, 3) or torch.Size([2, 3]); nothing is a 0-d one. */
const read = (text) => {
  const inner = text.replace(/^\s*(?:torch\.Size)?[\s([]*/, "").replace(/[\s,)\]]*$/, "");
  const lengths = inner === "" ? [] : inner.split(",").map((length) => length.trim());
  if (!lengths.every((length) => /^\d{1,15}$/.test(length))) {
    throw new RangeError(`${text.trim()} is no shape: write whole numbers with commas between, such as 32, 10`);
  }
  return lengths.map(Number);
};

const product = (shape) => shape.reduce((size, length) => size * length, 1);
const tuple = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
const size = (shape) => `torch.Size([${shape.join(", ")}])`;
const whole = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

const memory = (bytes) => {
  let [short, unit] = [bytes, 0];
  for (; short >= 1024 && unit < UNITS.length - 1; unit += 1) short /= 1024;
  const rounded = unit ? Number(short.toPrecision(4)) : short;
  return `${rounded === short ? "" : "≈ "}${rounded} ${UNITS[unit]}`;
};

const ones = (shape, dtype) => `torch.ones(${shape.length ? shape.join(", ") : "()"}${dtype})`;
const COMPLEX = ", dtype=torch.complex64";
const PASSED = {
  nothing: { title: "nothing", code: () => "" },
  tensor: { title: "a tensor", code: (v) => ones(v, ""), shaped: true },
  complex: { title: "a complex tensor", code: (v) => ones(v, COMPLEX), shaped: true },
  number: { title: "a number", code: () => "1.0" },
  list: { title: "a list of numbers", code: (v) => `${ones(v, "")}.tolist()`, shaped: true },
  array: { title: "a NumPy array", code: (v) => `${ones(v, "")}.numpy()`, shaped: true },
};

/* Which refusal of torch a setting meets, or null. */
const refusal = ({ y, complex, pass, v }) => {
  if (pass === "nothing") return product(y) !== 1 ? "several" : complex ? "omitted, complex" : null;
  if (pass === "number") return "number";
  if (pass === "list" || pass === "array") {
    if (!v.length) return pass === "list" ? "number" : "array, 0-d";
    if (!v[0]) return "empty";
    return `${pass}, ${v.length === 1 ? "1-d" : "more"}`;
  }
  if (String(v) !== String(y)) return "shape";
  return (pass === "complex") === complex ? null : complex ? "real v" : "complex v";
};

/* All that is shown of a setting; the texts are torch's own, with {v} and {y} for the two shapes. */
const told = (given, texts) => {
  const { x, y, complex, pass, v } = given;
  const entries = product(y) * product(x);
  if (entries > MOST || product(v) > MOST) {
    throw new RangeError(`J would have more than ${whole(MOST)} entries: write a smaller shape`);
  }
  const refused = refusal(given);
  const many = product(y);
  const reason = many > 1 ? `y has ${whole(many)} elements` : many ? "y is complex" : "y has no element";
  const omit = refusal({ ...given, pass: "nothing" }) === null;
  return {
    shapes: `x ${tuple(x)}, y ${tuple(y)}${complex ? ", complex" : ""}`,
    code: `y.backward(${PASSED[pass].code(v)})`,
    answer: refused
      ? texts[refused].replace("{v}", size(v)).replace("{y}", size(y))
      : `x.grad has the shape of x: ${tuple(x)}`,
    refused: refused !== null,
    instead: `y.backward(${ones(y, complex ? COMPLEX : "")})`,
    v: `a tensor of the shape of y: ${tuple(y)}`,
    omit: omit ? "yes: y has one element and is real" : `no: ${reason}`,
    J: `${tuple([...y, ...x])}: ${whole(entries)} ${entries === 1 ? "entry" : "entries"}, ` +
      `${memory(entries * (complex ? 8 : 4))} as ${complex ? "complex64" : "float32"}`,
  };
};

globalThis.VTJ_SHAPES = { read, told };
if (!globalThis.customElements || customElements.get("vtj-shapes")) return;

const BOXES = { x: "Shape of x", y: "Shape of y", v: "of shape" };
const NAMES = { x: "shape-x", y: "shape-y", v: "shape-v", pass: "pass", kind: "y-is" }; // in the address

class Shapes extends HTMLElement {
  connectedCallback() {
    if (this.texts) return;
    const { texts, start } = JSON.parse(this.dataset.given);
    this.texts = texts;
    const make = (tag, given, ...held) => {
      const made = Object.assign(document.createElement(tag), given);
      made.append(...held);
      return made;
    };
    const changed = () => { this.draw(); this.write(); };
    this.fields = {};
    for (const [name, title] of Object.entries(BOXES)) {
      this.fields[name] = make("input", { value: start[name], oninput: changed, autocomplete: "off", spellcheck: false });
      this.fields[name].label = make("label", {}, `${title} `, this.fields[name]);
    }
    const select = (name, title, options) => {
      this.fields[name] = make("select", { onchange: changed });
      for (const [value, text] of options) this.fields[name].append(new Option(text, value));
      this.fields[name].value = start[name];
      this.fields[name].label = make("label", {}, `${title} `, this.fields[name]);
    };
    select("kind", "y is", [["real", "real"], ["complex", "complex"]]);
    select("pass", "You pass", Object.entries(PASSED).map(([value, { title }]) => [value, title]));
    this.refused = make("p", { className: "shapes-refused", role: "alert" });
    const order = ["x", "y", "kind", "pass", "v"].map((name) => this.fields[name].label);
    this.prepend(make("div", { className: "shapes-bar" }, ...order), this.refused);
    this.querySelector('[data-of="answer"]').role = "status";
    this.read();
    addEventListener("hashchange", () => this.read());
  }

  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    for (const [name, key] of Object.entries(NAMES)) {
      const field = this.fields[name], value = said.get(key);
      const there = field.options ? [...field.options].some((option) => option.value === value) : value !== null;
      if (there) field.value = value;
    }
    this.draw();
  }

  write() {
    const said = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    for (const [name, key] of Object.entries(NAMES)) said.set(key, this.fields[name].value);
    history.replaceState(null, "", `#${said}`);
  }

  draw() {
    const { x, y, v, kind, pass } = this.fields;
    v.label.hidden = !PASSED[pass.value].shaped;
    const shapes = {};
    let wrong = "";
    for (const [name, field] of Object.entries({ x, y, v })) {
      try {
        shapes[name] = name === "v" && v.label.hidden ? [] : read(field.value);
        field.ariaInvalid = "false";
      } catch (error) {
        field.ariaInvalid = "true";
        wrong = wrong || error.message;
      }
    }
    let shown = null;
    if (!wrong) {
      try {
        shown = told({ ...shapes, complex: kind.value === "complex", pass: pass.value }, this.texts);
      } catch (error) {
        wrong = error.message;
      }
    }
    this.refused.textContent = wrong;
    this.querySelector("dl").hidden = !shown;
    if (!shown) return;
    for (const held of this.querySelectorAll("[data-of]")) held.textContent = shown[held.dataset.of];
    this.classList.toggle("shapes-error", shown.refused);
  }
}

customElements.define("vtj-shapes", Shapes);
})();
