/* A link to a folded section, or to something in it, opens it; to one that has moved, leads there. */
(() => {
  "use strict";

  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const moved = target.matches(".elsewhere span") && target.parentElement.querySelector("a");
    if (moved) { location.replace(moved.href); return; }
    const inside = target.closest("details.fold");
    const own = target.matches("section, section > span")
      && target.closest("section").querySelector(":scope > details.fold");
    for (const fold of [inside, own]) if (fold) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
})();
