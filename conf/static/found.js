/* A link from the search names the sentence that answers: show it, unfolded and in sight. */
(() => {
  "use strict";

  const sought = new URLSearchParams(location.search).get("found");
  const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!sought || !section) return;
  const plain = (text) => text.replace(/\s+/g, " ").trim();
  // A term's explanation stands behind it.
  const place = section.matches("dt") ? section.parentElement : section;
  const holders = [...place.querySelectorAll("p, li, dd, dt, tr, td, pre")]
    .filter((one) => plain(one.textContent).includes(plain(sought)));
  const found = holders.pop(); // the innermost
  if (!found) return;
  for (let at = found.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  found.classList.add("found");
  found.tabIndex = -1;
  const show = () => {
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true }); // whoever hears the page goes on from here
  };
  show();
  addEventListener("load", () => setTimeout(show)); // after the browser has gone to the section
})();
