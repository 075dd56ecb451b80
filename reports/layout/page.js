(() => {
  "use strict";
  const all = (s, of = document) => [...of.querySelectorAll(s)];
  const rows = all(".row"), areas = all(".area"), tools = document.getElementById("tools");
  const q = document.getElementById("q"), found = document.getElementById("found");
  const chips = all(".chip");
  const texts = new Map();
  // Chips choose by the kind, level and subject of a row; by result and level of a requirement in which servers differ.
  const names = ["k", "l", "s", "r", "v"];
  const listed = rows.filter(row => !("r" in row.dataset));

  // What the list is narrowed by stands behind the anchor: #r-ID?k=fail&q=stream.
  const split = () => {
    const [id, query] = location.hash.slice(1).split("?");
    return [id, new URLSearchParams(query || "")];
  };
  const on = name => chips.filter(c => name in c.dataset && c.getAttribute("aria-pressed") === "true").map(c => c.dataset[name]);
  const keep = id => {
    const p = new URLSearchParams();
    for (const name of names) if (on(name).length) p.set(name, on(name).join(","));
    if (q.value) p.set("q", q.value);
    const query = p.toString(), hash = (id || "") + (query ? "?" + query : "");
    if (location.hash.slice(1) !== hash) history.replaceState(null, "", "#" + hash);
  };

  const text = row => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  const narrow = () => {
    const kinds = new Set(on("k")), levels = new Set(on("l")), subjects = on("s");
    const results = new Set(on("r")), ranks = new Set(on("v"));
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    // A row may have several of them, such as the verdicts by several protocols.
    const among = (set, of) => set.has(of) || of.split(" ").some(one => set.has(one));
    const is = row => {
      if ("r" in row.dataset) return (!results.size || among(results, row.dataset.r)) && (!ranks.size || ranks.has(row.dataset.v));
      if (levels.size && !among(levels, row.dataset.l)) return false;
      if (subjects.length) {
        const cells = subjects.flatMap(s => all(`[data-s="${s}"]`, row));
        if (!cells.some(c => !kinds.size || kinds.has(c.dataset.k || c.className))) return false;
      } else if (kinds.size && !among(kinds, row.dataset.k)) return false;
      return words.every(w => text(row).includes(w));
    };
    rows.map(is).forEach((show, i) => { rows[i].hidden = !show; });
    const n = listed.filter(row => !row.hidden).length;
    for (const a of areas) a.hidden = !a.querySelector(".row:not([hidden])");
    found.textContent = n === listed.length ? "" : `${n} of ${listed.length} ${tools.dataset.of || "requirements"}`;
  };
  const changed = () => { narrow(); keep(split()[0]); };

  if (tools) {
    for (const e of [tools, ...all(".narrow")]) e.hidden = false;
    for (const c of chips) c.addEventListener("click", () => {
      c.setAttribute("aria-pressed", c.getAttribute("aria-pressed") === "true" ? "false" : "true");
      changed();
    });
    q.addEventListener("input", changed);
    document.addEventListener("keydown", e => {
      if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && e.target !== q) { e.preventDefault(); q.focus(); }
      if (e.key === "Escape" && e.target === q) { q.value = ""; changed(); }
    });
  }

  // Where an anchor leads, all is opened and nothing is hidden.
  const clear = () => { q.value = ""; chips.forEach(c => c.setAttribute("aria-pressed", "false")); narrow(); };
  const reveal = id => {
    const at = id && document.getElementById(id);
    if (!at) return;
    if (at.closest("[hidden]")) clear();
    for (let e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    at.scrollIntoView();
    // What comes into sight is laid out only then, and may be of another height.
    requestAnimationFrame(() => at.scrollIntoView());
    for (const r of all(".here")) r.classList.remove("here");
    at.classList.add("here");
  };
  const read = () => {
    const [id, p] = split();
    if (location.hash.includes("?") || !id) {
      for (const c of chips) for (const name of names) if (name in c.dataset)
        c.setAttribute("aria-pressed", (p.get(name) || "").split(",").includes(c.dataset[name]) ? "true" : "false");
      q.value = p.get("q") || "";
      narrow();
    }
    reveal(id);
    if (id) keep(id);
  };
  if (tools) {
    if (location.hash) read();
    window.addEventListener("hashchange", read);
  }
  // A link to where one is already changes no address.
  document.addEventListener("click", e => {
    const a = e.target.closest && e.target.closest("a");
    const to = a && a.getAttribute("href");
    if (to && to[0] === "#") reveal(to.slice(1));
  });

  for (const code of all(".copy")) {
    const b = document.createElement("button");
    b.type = "button";
    b.className = "copy-it";
    b.textContent = "copy";
    b.setAttribute("aria-label", "copy " + code.textContent.slice(0, 60));
    b.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      b.textContent = "copied";
      setTimeout(() => { b.textContent = "copy"; }, 1500);
    });
    code.after(b);
  }

  // What is marked is in sight, without moving the page itself.
  requestAnimationFrame(() => {
    const at = all("pre").map(box => [box, box.querySelector("mark")]).filter(([, mark]) => mark)
      .map(([box, mark]) => [box, mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3]);
    for (const [box, top] of at) if (top > 0) box.scrollTop = top;
  });

  const says = document.getElementById("says");
  const tell = e => {
    const r = e.target.closest && e.target.closest("svg.calls rect, svg.calls a");
    if (r) says.textContent = r.querySelector("title").textContent;
  };
  if (says) for (const kind of ["focusin", "mouseover"]) document.addEventListener(kind, tell);

  // On paper all that is folded is read too: the failures, and what follows from them.
  window.addEventListener("beforeprint", () => all("details.sub, details.open, details.head").forEach(d => { d.open = true; }));
})();
