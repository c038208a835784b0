"use strict";
// Sorting of tables, copying, and texts of figures by keyboard; without it everything is there to read.
(() => {
  const plain = (text) => text.replace(/[~,\s]/g, "").replace(/(%|s)$/, "");
  const number = (text) => {
    if (/^[-+]?inf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
    const parts = /^([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\/(\d+))?$/.exec(text);
    return parts ? Number(parts[1]) / Number(parts[2] || 1) : NaN;
  };
  const fraction = (text) => {
    const parts = /^([-+]?\d+)(?:\/(\d+))?$/.exec(text);
    return parts && [BigInt(parts[1]), BigInt(parts[2] || 1)];
  };
  const compare = (x, y) => (x === y ? 0 : x < y ? -1 : 1);
  const order = (a, b) => {
    const [p, q] = [fraction(plain(a)), fraction(plain(b))];
    if (p && q) return compare(p[0] * q[1], q[0] * p[1]); // exact, however long the numbers are
    const [x, y] = [number(plain(a)), number(plain(b))];
    if (Number.isNaN(x) && Number.isNaN(y)) return a.localeCompare(b, "en");
    return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : compare(x, y);
  };
  const sort = (head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    const body = head.closest("table").tBodies[0];
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => (row.cells[head.cellIndex]?.textContent ?? "").trim();
    const missing = (text) => text === "" || text === "-";
    const rows = Array.from(body.rows).sort((a, b) => {
      const x = value(a), y = value(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      return down ? order(y, x) : order(x, y);
    });
    body.append(...rows);
  };
  for (const head of document.querySelectorAll("thead th")) {
    if (!head.textContent.trim() || head.closest("table").tBodies[0].rows.length < 2) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    getSelection().selectAllChildren(source);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }

  const tip = document.getElementById("tip");
  const show = (mark) => {
    tip.textContent = mark ? mark.querySelector("title").textContent : "";
    tip.hidden = !mark;
  };
  for (const figure of document.querySelectorAll("figure svg")) {
    const marks = Array.from(figure.querySelectorAll(".hover"));
    marks.forEach((mark, at) => {
      mark.setAttribute("tabindex", at ? "-1" : "0"); // one stop for Tab; arrows go on from there
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", mark.querySelector("title").textContent);
      mark.addEventListener("focus", () => show(mark));
      mark.addEventListener("blur", () => show(null));
      mark.addEventListener("mouseenter", () => show(mark));
      mark.addEventListener("mouseleave", () => show(null));
      mark.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const next = step && marks[at + step];
        if (step) event.preventDefault();
        if (event.key === "Escape") show(null);
        if (!next) return;
        mark.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      });
    });
    if (marks.length) figure.setAttribute("role", "group");
  }
})();
