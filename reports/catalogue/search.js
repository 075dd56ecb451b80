// Searches the requirements of search-data.js: each row has id, level, area, dialect and statement.
(() => {
  "use strict";
  const most = 50;
  const q = document.getElementById("q"), found = document.getElementById("found"), results = document.getElementById("results");
  const texts = requirements.map(row => row.join(" ").toLowerCase());

  // A statement has names and values between backticks.
  const fill = (p, statement) => statement.split("`").forEach((part, i) => {
    if (i % 2 === 0) return p.append(part);
    const code = document.createElement("code");
    code.textContent = part;
    p.append(code);
  });
  const show = ([id, level, area, dialect, statement]) => {
    const item = document.createElement("li"), a = document.createElement("a"), about = document.createElement("span"), p = document.createElement("p");
    a.className = "id";
    a.href = encodeURIComponent(id) + ".html";
    a.textContent = id;
    about.className = "level";
    about.textContent = ` ${level}, ${dialect}, ${area}`;
    fill(p, statement);
    item.append(a, about, p);
    return item;
  };
  const search = () => {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = words.length ? requirements.filter((_, i) => words.every(w => texts[i].includes(w))) : [];
    // Whoever types an id wants that requirement first.
    rows.sort((a, b) => (b[0].toLowerCase() === words[0]) - (a[0].toLowerCase() === words[0]));
    results.replaceChildren(...rows.slice(0, most).map(show));
    const shown = rows.length > most ? `, the first ${most} are shown` : "";
    found.textContent = words.length ? `${rows.length} of ${requirements.length} requirements${shown}` : "";
  };
  // What is searched is in the address: index.html#q=stream.
  const read = () => {
    const typed = new URLSearchParams(location.hash.slice(1)).get("q");
    if (typed === null || typed === q.value) return;
    q.value = typed;
    search();
  };
  q.addEventListener("input", () => {
    search();
    history.replaceState(null, "", q.value ? "#" + new URLSearchParams({q: q.value}) : location.pathname);
  });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && e.target !== q) { e.preventDefault(); q.focus(); }
  });
  window.addEventListener("hashchange", read);
  document.getElementById("search").hidden = false;
  read();
})();
