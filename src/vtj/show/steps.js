/* <vtj-steps>: goes through the list of steps beneath a graph, and marks in the graph what each says. */
(() => {
"use strict";

if (customElements.get("vtj-steps")) return;

const REST = 1600; // milliseconds between two steps, when it plays

class Steps extends HTMLElement {
  connectedCallback() {
    if (this.items) return;
    this.items = [...this.querySelectorAll("li")];
    this.parts = [...this.parentElement.querySelectorAll("[data-at], [data-since], [data-until]")];
    this.place = [...document.querySelectorAll("vtj-steps")].indexOf(this) + 1;
    const button = (text, does) => {
      const made = document.createElement("button");
      Object.assign(made, { type: "button", textContent: text, onclick: does });
      return made;
    };
    this.back = button("Back", () => this.show(this.step - 1));
    this.next = button("Next", () => this.show(this.step + 1, true));
    this.next.className = "steps-next";
    this.player = button("Play", () => (this.timer ? this.stop() : this.play()));
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: 0, max: this.items.length - 1, ariaLabel: "Step" });
    this.slider.oninput = () => this.show(Number(this.slider.value));
    this.heard = document.createElement("div");
    this.heard.className = "steps-heard";
    this.heard.role = "status";
    const bar = document.createElement("div");
    bar.className = "steps-bar";
    bar.append(this.back, this.next, this.player, this.slider);
    this.prepend(bar, this.heard);
    for (const part of this.parts) {
      if (part.dataset.at) part.onclick = () => this.show(Number(part.dataset.at), true);
    }
    addEventListener("hashchange", () => this.read());
    this.measure();
    addEventListener("resize", () => this.measure());
    this.draw(1); // v arrives
    this.read();
  }

  /* The step, and which figure of the page, stand in the address. */
  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const step = Number(said.get("step"));
    if (!said.has("step") || (said.get("graph") || 1) != this.place || !this.items[step]) return;
    this.draw(step);
    if (!location.hash.startsWith("#step")) return; // another device was used last
    this.active.scrollIntoView({ block: "center", behavior: "instant" });
    this.reveal("instant");
  }

  /* All steps take the room of the highest: on a phone the words stand over the graph, and are not to jump. */
  measure() {
    this.items.forEach((item) => item.classList.remove("steps-off"));
    this.style.setProperty("--steps-room", `${Math.max(...this.items.map((item) => item.offsetHeight))}px`);
    this.draw(this.step ?? 1);
  }

  /* The box of this step, or v; forward is about all of them. */
  get active() {
    const on = (kind) => this.parts.find((part) => part.matches(`${kind}.steps-on`));
    return on("rect") || on("text") || this; // what it sends stands before it among the parts
  }

  /* On a phone the graph is higher than what the words beneath it leave of the screen. */
  reveal(behavior) {
    const [box, words] = [this.active.getBoundingClientRect(), this.getBoundingClientRect()];
    const end = words.left < box.right ? words.top : innerHeight;
    const above = 120; // the boxes that it sends to
    if (box.top < above) scrollBy({ top: box.top - above, behavior });
    else if (box.bottom > end) scrollBy({ top: box.bottom - end + 12, behavior });
  }

  show(step, moving = false) {
    if (!this.items[step]) return;
    this.stop();
    this.go(step, moving);
  }

  go(step, moving) {
    this.draw(step);
    this.reveal("auto");
    this.heard.textContent = `${step + 1} of ${this.items.length}: ${this.items[step].firstChild.textContent}`;
    const graph = this.place > 1 ? [`graph=${this.place}`] : [];
    const said = location.hash.includes("=") ? location.hash.slice(1).split("&") : []; // no heading
    const others = said.filter((part) => !/^(step|graph)=/.test(part));
    history.replaceState(null, "", `#${[`step=${step}`, ...graph, ...others].join("&")}`);
    if (moving && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.move();
  }

  draw(step) {
    this.step = step;
    this.items.forEach((item, i) => item.classList.toggle("steps-off", i !== step));
    for (const part of this.parts) {
      const { at, since, until } = part.dataset;
      part.classList.toggle("steps-on", Number(at) === step);
      part.classList.toggle("steps-off", since > step || until < step);
    }
    this.slider.value = step;
    this.slider.ariaValueText = `${step + 1} of ${this.items.length}`;
    this.back.disabled = step === 0;
    this.next.disabled = step === this.items.length - 1;
  }

  /* What is sent runs up its way. */
  move() {
    for (const part of this.parts) {
      if (!part.matches("path.steps-on")) continue;
      const length = part.getTotalLength();
      part.animate([{ strokeDasharray: length, strokeDashoffset: -length }, { strokeDasharray: length, strokeDashoffset: 0 }], 600);
    }
  }

  play() {
    if (this.next.disabled) this.go(0, false);
    this.player.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.step + 1, true);
      if (this.next.disabled) this.stop();
    }, REST);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.player.textContent = "Play";
  }
}

customElements.define("vtj-steps", Steps);
})();
