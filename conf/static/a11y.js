/* What furo leaves to the mouse, for the keyboard and for screen readers. */
(() => {
  "use strict";

  // A box that scrolls must be reachable without a mouse, but only while it has something to scroll.
  const NAMES = { "math-scroll": "Formula", "table-wrapper": "Table", "vtj-figure": "Figure" };
  const boxes = document.querySelectorAll(
    "pre, .math-scroll, .table-wrapper, .vtj-figure, .output.text_html"
  );
  const reach = (box) => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    if (wide && !box.hasAttribute("tabindex")) {
      const kind = Object.keys(NAMES).find((name) => box.classList.contains(name));
      const output = box.closest(".cell_output");
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", NAMES[kind] || (output ? "Output" : "Code"));
    } else if (!wide && box.getAttribute("role") === "group") {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  };
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => reach(entry.target)));
  boxes.forEach((box) => watcher.observe(box));

  // The drawers of the phone layout: their handles are labels, which only a mouse can press.
  const drawers = [
    ["__navigation", ".sidebar-drawer", "Site navigation"],
    ["__toc", ".toc-drawer", "On this page"],
  ];
  for (const [id, selector, name] of drawers) {
    const state = document.getElementById(id);
    const drawer = document.querySelector(selector);
    const buttons = [...document.querySelectorAll(`label[for="${id}"]:not(.overlay)`)].map((label) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = label.className;
      button.setAttribute("aria-label", name);
      button.append(...label.childNodes);
      label.replaceWith(button);
      return button;
    });
    let opener = null;
    const show = () => buttons.forEach((button) => button.setAttribute("aria-expanded", state.checked));
    const set = (open) => {
      state.checked = open;
      show();
      const target = open ? drawer.querySelector("a, input") : opener;
      if (target) requestAnimationFrame(() => target.focus());
    };
    buttons.forEach((button) => {
      button.addEventListener("click", () => {
        opener = button;
        set(!state.checked);
      });
    });
    drawer.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && state.checked) set(false);
    });
    state.addEventListener("change", show);
    show();
  }
})();
