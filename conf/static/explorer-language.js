/* A function of x that a reader writes: read, differentiated in both modes, and written in torch.

   A text becomes a list of operations on numbers, or a refusal: none of it runs, none of it is markup.
   The build runs this file beside torch before it writes a page. */
(() => {
"use strict";

const MOST = 4; // elements of x, of y, and of a list
const LONGEST = 300; // characters
const DEEPEST = 30; // brackets, signs and powers inside each other

/* Of each operation on numbers: its value, and the slope along each operand; at kinks as torch chooses. */
const RULES = {
  "+": [(a, b) => a + b, () => [1, 1]],
  "-": [(a, b) => a - b, () => [1, -1]],
  "*": [(a, b) => a * b, (a, b) => [b, a]],
  "/": [(a, b) => a / b, (a, b) => [1 / b, -a / b / b]],
  "**": [
    (a, b) => (a === 1 ? 1 : a ** b), // in JavaScript, 1 ** nan is nan
    (a, b, y) => [b === 0 ? 0 : b * a ** (b - 1), a === 0 && b >= 0 ? 0 : y * Math.log(a)],
  ],
  negative: [(a) => -a, () => [-1]],
  sin: [Math.sin, (a) => [Math.cos(a)]],
  cos: [Math.cos, (a) => [-Math.sin(a)]],
  exp: [Math.exp, (a, _, y) => [y]],
  log: [Math.log, (a) => [1 / a]],
  sqrt: [Math.sqrt, (a, _, y) => [1 / (2 * y)]],
  tanh: [Math.tanh, (a, _, y) => [1 - y * y]],
  sigmoid: [(a) => 1 / (1 + Math.exp(-a)), (a, _, y) => [(1 - y) * y]],
  relu: [(a) => Math.max(a, 0), (a) => [a <= 0 ? 0 : 1]],
  abs: [Math.abs, (a) => [(a > 0) - (a < 0)]],
};
const EACH = ["sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "relu", "abs"];
const METHODS = [...EACH, "sum", "mean"];
const FUNCTIONS = [...METHODS, "stack", "tensor"];
const KNOWN = ["x", "pi", ...FUNCTIONS];
const SIGNS = ["+", "-", "*", "/", "**", "@", "(", ")", "[", "]", ",", "."];
const NUMBER = /^(?!0\d)(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const TOKEN = /((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[\p{L}\p{N}_.]*)|([\p{L}_][\p{L}\p{N}_]*)|\*\*|\/\/|\S/giu;

class Refusal extends Error {}

const known = (entry) => typeof entry === "number";
const tuple = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
/* As a quotation: what cannot be seen is named by its number, what is long is cut. */
const quoted = (text) => {
  const named = (sign) => `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const seen = [...text].slice(0, 24).join("").replace(/[\p{C}\p{M}\p{Z}]/gu, named);
  return `\`${seen}${text.length > seen.length ? "…" : ""}\``;
};

/* A tensor of known numbers, as torch's code writes it. */
const python = (number) => (Number.isSafeInteger(number) ? number.toFixed(1) : String(number));
const list = (numbers) => `[${numbers.map(python).join(", ")}]`;
const tensor = (numbers, shape, more = "") => {
  const [rows, columns] = shape;
  const matrix = () => Array.from({ length: rows }, (_, i) => list(numbers.slice(i * columns, (i + 1) * columns)));
  const inner = columns ? `[${matrix().join(", ")}]` : rows ? list(numbers) : python(numbers[0]);
  return `torch.tensor(${inner}${more})`;
};

/* What binds how strongly in Python; a value's code is put in parentheses where more is asked for. */
const [SUM, PRODUCT, SIGN, POWER, ATOM] = [1, 2, 3, 4, 5];
const within = (value, level) => (value.level < level ? `(${value.code})` : value.code);

/* A value is a tensor: its shape, its entries, and the code that gives it. An entry is a number, where it does
   not depend on x, or [k], the result of operation k. */
const made = (shape, entries, code, level) => {
  if (!entries.every(known)) return { shape, entries, code, level };
  const literal = shape.length ? tensor(entries, shape) : String(entries[0]);
  return { shape, entries, code: literal, level: literal.startsWith("-") ? SIGN : ATOM };
};

class Reader {
  constructor(text, n) {
    this.text = text;
    this.n = n;
    this.operations = Array(n).fill(null); // the first are the elements of x
    this.depth = 0;
    const { length } = text;
    if (length > LONGEST) throw new Refusal(`The text has ${length} characters; at most ${LONGEST} are read.`);
    this.tokens = Array.from(text.matchAll(TOKEN), ({ 0: said, 1: number, 2: name, index }) => ({ said, number, name, index }));
    for (const token of this.tokens) {
      const { said, number, name } = token;
      if (number && !NUMBER.test(said)) this.refuse(token, "is no number");
      if (name && name !== "torch" && !KNOWN.includes(name)) {
        this.refuse(token, `is not known here; known are ${KNOWN.join(", ")}`);
      }
      if (!number && !name && !SIGNS.includes(said)) {
        this.refuse(token, `is not known here; known signs are \`${SIGNS.join(" ")}\``);
      }
    }
    this.tokens.push({ said: "", index: length });
  }

  refuse({ said, index }, why) {
    const place = [...this.text.slice(0, index)].length + 1;
    throw new Refusal(`${said ? quoted(said) : "The end"} at character ${place} ${why}.`);
  }

  get next() {
    return this.tokens[0];
  }

  take(...signs) {
    return signs.includes(this.next.said) && this.tokens.shift();
  }

  need(expected) {
    return this.take(expected) || this.refuse(this.next, `is not expected; expected is \`${expected}\``);
  }

  whole() {
    const first = this.next;
    if (!first.said) throw new Refusal("Nothing is written; write an expression of x, such as x[0] * sin(x[1]).");
    const y = this.listed("", first);
    if (y.shape.length > 1) throw new Refusal(`y has shape ${tuple(y.shape)}; shown is a number or a vector.`);
    if (y.entries.every(known)) this.refuse(first, "begins what does not depend on x");
    return y;
  }

  /* Values with commas between, up to a sign: one without a comma is itself, others are stacked. */
  listed(close, opening) {
    const values = [this.sum()];
    let comma = close === "]";
    while (this.take(",")) {
      comma = true;
      if (this.next.said === close) break;
      values.push(this.sum());
    }
    if (close) this.need(close);
    else if (this.next.said) this.refuse(this.next, "is not expected; expected is a sign or the end");
    return comma ? this.stack(values, opening) : values[0];
  }

  stack(values, opening) {
    const { shape } = values[0];
    if (values.length > MOST) this.refuse(opening, `begins a list of ${values.length} elements; at most ${MOST} fit`);
    const other = values.find((value) => String(value.shape) !== String(shape));
    if (other) this.refuse(opening, `begins a list of unlike shapes, ${tuple(shape)} and ${tuple(other.shape)}`);
    if (shape.length > 1) this.refuse(opening, "begins a list of matrices");
    const codes = values.map(({ entries, code }) => (shape.length || !known(entries[0]) ? code : tensor(entries, [])));
    const stacked = made([values.length, ...shape], values.flatMap(({ entries }) => entries), `torch.stack([${codes.join(", ")}])`, ATOM);
    return { ...stacked, isList: true };
  }

  sum() {
    return this.chain(() => this.chain(() => this.signed(), PRODUCT, "*", "/", "@"), SUM, "+", "-");
  }

  /* Operands of one level with signs between, from the left. */
  chain(operand, level, ...signs) {
    let value = operand();
    for (let sign = this.take(...signs); sign; sign = this.take(...signs)) {
      const right = operand();
      const code = `${within(value, level)} ${sign.said} ${within(right, level + 1)}`;
      value = this[sign.said === "@" ? "matmul" : "join"](sign, value, right, code, level);
    }
    return value;
  }

  signed() {
    if (++this.depth > DEEPEST) this.refuse(this.next, `is inside more than ${DEEPEST} brackets, signs or powers`);
    const sign = this.take("-", "+");
    let value = sign ? this.signed() : this.power();
    if (sign && sign.said === "-") value = this.each("negative", sign, value, `-${within(value, SIGN)}`, SIGN);
    this.depth -= 1;
    return value;
  }

  power() {
    const base = this.element();
    const sign = this.take("**");
    if (!sign) return base;
    const exponent = this.signed();
    return this.join(sign, base, exponent, `${within(base, ATOM)} ** ${within(exponent, SIGN)}`, POWER);
  }

  /* A value, and what is taken of it: an element, a row, the result of a method. */
  element() {
    let value = this.atom();
    for (let sign = this.take("[", "."); sign; sign = this.take("[", ".")) {
      if (sign.said === "[") {
        value = this.at(sign, value);
        continue;
      }
      const name = this.tokens.shift();
      if (!METHODS.includes(name.said)) this.refuse(name, `is no method here; known are ${METHODS.join(", ")}`);
      this.need("(");
      this.need(")");
      value = this.call(name, value);
    }
    return value;
  }

  at(bracket, value) {
    const { shape: [length, ...shape], entries } = value;
    if (!length) this.refuse(bracket, "takes an element of a number, which has none");
    const back = this.take("-");
    const number = this.tokens.shift();
    if (!/^\d+$/.test(number.said)) this.refuse(number, "is no index; expected is a whole number, such as 0");
    const index = back ? -number.said : +number.said;
    if (index < -length || index >= length) {
      this.refuse(number, `is no index of ${length} element${length > 1 ? "s" : ""}; the last is ${length - 1}`);
    }
    this.need("]");
    const [size, from] = [entries.length / length, index < 0 ? index + length : index];
    return made(shape, entries.slice(from * size, (from + 1) * size), `${within(value, ATOM)}[${index}]`, ATOM);
  }

  atom() {
    const token = this.tokens.shift();
    const { said, number, name } = token;
    if (number) {
      if (!Number.isFinite(+said)) this.refuse(token, "is too large");
      return made([], [+said]);
    }
    if (said === "(" || said === "[") return this.listed(said === "(" ? ")" : "]", token);
    if (said === "torch") this.need(".");
    const wanted = said === "torch" ? this.tokens.shift() : token;
    if (wanted.said === "pi") return made([], [Math.PI]);
    if (said === "x") return made([this.n], Array.from({ length: this.n }, (_, k) => [k]), "x", ATOM);
    if (!FUNCTIONS.includes(wanted.said)) {
      this.refuse(wanted, "is not expected; expected is a number, x, a function or a bracket");
    }
    this.need("(");
    const held = this.sum();
    if (this.take(",") && this.next.said !== ")") this.refuse(wanted, "takes one argument");
    this.need(")");
    if (said === "sum" && held.shape.length !== 1) {
      this.refuse(wanted, `adds up a vector; what stands here has shape ${tuple(held.shape)}`); // as Python's own
    }
    return this.call(wanted, held);
  }

  call(token, value) {
    const { said } = token;
    const { shape, entries } = value;
    const code = `torch.${said}(${value.code})`;
    if (EACH.includes(said)) return this.each(said, token, value, code, ATOM);
    if (said === "stack") return value.isList ? value : this.refuse(token, "takes a list, such as stack([x[0], x[1]])");
    if (said === "tensor") {
      return entries.every(known) ? value : this.refuse(token, "copies numbers, and cuts off x; write stack instead");
    }
    const total = entries.reduce((sum, entry) => this.operate("+", token, sum, entry));
    return made([], [said === "sum" ? total : this.operate("/", token, total, entries.length)], code, ATOM);
  }

  each(rule, token, { shape, entries }, code, level) {
    return made(shape, entries.map((entry) => this.operate(rule, token, entry)), code, level);
  }

  /* Element with element; of two shapes, 1 goes with any length. */
  join(sign, left, right, code, level) {
    const [a, b] = [left, right].map(({ shape }) => [1, 1, ...shape].slice(-2));
    const fits = a.every((length, i) => length === b[i] || length === 1 || b[i] === 1);
    if (!fits) this.unlike(sign, left, right);
    const [rows, columns] = a.map((length, i) => Math.max(length, b[i]));
    const entry = ({ entries }, shape, i, j) => entries[(shape[0] > 1 ? i : 0) * shape[1] + (shape[1] > 1 ? j : 0)];
    const entries = [];
    for (let i = 0; i < rows; i += 1) {
      for (let j = 0; j < columns; j += 1) {
        entries.push(this.operate(sign.said, sign, entry(left, a, i, j), entry(right, b, i, j)));
      }
    }
    const dimensions = Math.max(left.shape.length, right.shape.length);
    return made([rows, columns].slice(2 - dimensions), entries, code, level);
  }

  matmul(sign, left, right, code, level) {
    const inner = left.shape[left.shape.length - 1];
    if (!inner || inner !== right.shape[0]) this.unlike(sign, left, right);
    const [rows, columns] = [left.entries.length / inner, right.entries.length / inner];
    const entries = [];
    for (let i = 0; i < rows; i += 1) {
      for (let j = 0; j < columns; j += 1) {
        const products = Array.from({ length: inner }, (_, k) =>
          this.operate("*", sign, left.entries[i * inner + k], right.entries[k * columns + j]));
        entries.push(products.reduce((sum, product) => this.operate("+", sign, sum, product)));
      }
    }
    return made([...left.shape.slice(0, -1), ...right.shape.slice(1)], entries, code, level);
  }

  unlike(sign, left, right) {
    this.refuse(sign, `does not join shapes ${tuple(left.shape)} and ${tuple(right.shape)}`);
  }

  /* One operation on numbers: at once where they are known, else when x is. */
  operate(rule, token, ...operands) {
    if (!operands.every(known)) return [this.operations.push({ rule, operands }) - 1];
    const value = RULES[rule][0](...operands) + 0; // no −0: Python has none among whole numbers
    return Number.isFinite(value) ? value : this.refuse(token, "gives no finite number here");
  }
}

/* y at x, and J in both modes. */
const compute = (operations, entries, x) => {
  const [values, slopes] = [x.map((number) => number + 0), []];
  for (const { rule, operands } of operations.slice(x.length)) {
    const [a, b] = operands.map((entry) => (known(entry) ? entry : values[entry[0]]));
    const y = RULES[rule][0](a, b);
    const along = RULES[rule][1](a, b, y);
    slopes[values.length] = operands.flatMap((entry, side) => (known(entry) ? [] : [[entry[0], along[side]]]));
    values.push(y);
  }
  /* One pass back from an element of y sends to each operation what it gets times the slope. */
  const reverse = (entry) => {
    const sent = values.map((_, k) => +(!known(entry) && k === entry[0]));
    for (let k = values.length - 1; k >= x.length; k -= 1) {
      for (const [to, slope] of slopes[k]) sent[to] += sent[k] * slope;
    }
    return sent.slice(0, x.length);
  };
  /* One pass forward moves an element of x, and each operation as its operands move. */
  const forward = (_, j) => {
    const moved = x.map((_, k) => +(k === j));
    for (let k = x.length; k < values.length; k += 1) {
      moved[k] = slopes[k].reduce((sum, [from, slope]) => sum + moved[from] * slope, 0);
    }
    return entries.map((entry) => (known(entry) ? 0 : moved[entry[0]]));
  };
  const columns = x.map(forward);
  return {
    y: entries.map((entry) => (known(entry) ? entry : values[entry[0]])),
    J: entries.map(reverse),
    forward: entries.map((_, i) => columns.map((column) => column[i])),
  };
};

/* Whether the two modes agree, and how closely; null where y or a slope is not finite. */
const compared = ({ y, J, forward }) => {
  const [back, there] = [J.flat(), forward.flat()];
  if (![...y, ...back, ...there].every(Number.isFinite)) return null;
  const largest = Math.max(...back.map((slope, i) => Math.abs(slope - there[i])));
  const agree = largest <= 1e-10 * Math.max(1, ...back.map(Math.abs));
  const passes = (number) => `${number} pass${number > 1 ? "es" : ""}`;
  return `Reverse mode (${passes(J.length)}) and forward mode (${passes(J[0].length)}) ` +
    `${agree ? "agree" : "do not agree"}: in J they differ by ${largest ? `≈${largest.toPrecision(1)}` : 0} at most.`;
};

/* Read a text as a function of x with n elements: y's shape, its code in torch, what it computes; or why not. */
const read = (text, n) => {
  try {
    const reader = new Reader(text, n);
    const { shape, entries, code } = reader.whole();
    return { shape, code, at: (x) => compute(reader.operations, entries, x) };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
};

/* What a reader copies: a function's code at a point, with weights. */
const program = ({ code, shape }, { x, u, v, forward }) => `import torch\n\n${forward
  ? `def f(x):\n    return ${code}\n\nx = ${tensor(x, [x.length])}\nu = ${tensor(u, [x.length])}\n` +
    "y, Ju = torch.func.jvp(f, (x,), (u,))\nprint(Ju)"
  : `x = ${tensor(x, [x.length], ", requires_grad=True")}\ny = ${code}\n` +
    `v = ${tensor(v, shape)}\ny.backward(v)\nprint(x.grad)`}`;

globalThis.VTJ_LANGUAGE = { read, compared, program, KNOWN, MOST };
})();
