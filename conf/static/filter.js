// A choice above every table that names what its rows can be filtered by:
// <table data-filter="verdict"> with rows <tr data-value="…">. Without script all rows show.
(function () {
  "use strict";

  function choice(table) {
    var rows = Array.from(table.querySelectorAll("tr[data-value]"));
    var values = Array.from(new Set(rows.map(function (row) { return row.dataset.value; })));
    var label = document.createElement("label");
    var select = document.createElement("select");
    var count = document.createElement("output");
    var box = document.createElement("p");

    select.append(new Option("every " + table.dataset.filter, ""));
    values.forEach(function (value) { select.append(new Option(value, value)); });
    label.append("Show ", select);
    box.className = "table-filter";
    box.append(label, " ", count);

    function show() {
      var left = 0;
      rows.forEach(function (row) {
        row.hidden = select.value !== "" && row.dataset.value !== select.value;
        left += row.hidden ? 0 : 1;
      });
      count.textContent = left + " of " + rows.length + " rows";
    }

    function reveal() {
      var row = rows.find(function (row) { return "#" + row.id === location.hash; });
      if (row && row.hidden) {
        select.value = "";
        show();
        row.scrollIntoView();
      }
    }

    select.addEventListener("change", show);
    window.addEventListener("hashchange", reveal);
    (table.closest(".table-wrapper") || table).before(box);
    show();
  }

  document.querySelectorAll("table[data-filter]").forEach(choice);
})();
