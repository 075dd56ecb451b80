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

  const offerCopy = code => {
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
  };
  all(".copy").forEach(offerCopy);

  // Each failure has a prompt for a coding agent, made of what the page shows of it when it is opened.
  const task = document.getElementById("prompt"), again = task && task.querySelector("code");
  // The text of an element in one line, with names in backticks, and without labels and buttons.
  const line = e => {
    if (!e) return "";
    const copy = e.cloneNode(true);
    for (const x of all("b, button", copy)) x.remove();
    for (const c of all("code", copy)) c.textContent = "`" + c.textContent + "`";
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  // Text of the server is in a span or a fence that it cannot close.
  const ticks = (s, least) => "`".repeat(Math.max(least, ...(s.match(/`+/g) || []).map(m => m.length + 1)));
  const span = s => {
    s = (s || "").replace(/\s+/g, " ").trim().slice(0, 400);
    const t = ticks(s, 1);
    return s && (t.length > 1 ? `${t} ${s} ${t}` : t + s + t);
  };
  const fence = (title, s) => {
    const t = ticks(s, 3);
    return s.trim() && `\n${title}:\n${t}\n${s.trim()}\n${t}`;
  };
  // So much of a text, with what is marked in it.
  const cut = (e, size) => {
    if (!e || !size) return "";
    const mark = e.querySelector("mark"), s = e.textContent;
    let from = 0;
    if (mark) {
      const before = document.createRange();
      before.setStart(e, 0);
      before.setEndBefore(mark);
      from = Math.max(0, before.toString().length - Math.floor(size / 3));
    }
    return (from ? "…" : "") + s.slice(from, from + size) + (s.length > from + size ? "…" : "");
  };
  const describe = (row, card, size) => {
    const id = row.id.slice(2), out = [];
    const part = (name, s) => { if (s) out.push(`- ${name}: ${s}`); };
    const own = (s, of) => of ? all(":scope > " + s, of) : [];
    const box = card && card.matches("details") ? card.querySelector(":scope > div") : card;
    const cause = card && card.parentElement.closest(".card");
    const call = own(".call", box)[0], panes = call ? all(".pane", call) : [];
    const at = row.querySelector(".section"), link = at && at.querySelector("a[href]");
    out.push(`## ${id} (${row.dataset.l})`, "");
    part("rule", line(row.querySelector(".statement")));
    part("text", line(at) + (link ? ", " + link.href : ""));
    for (const p of [...own(".due", box), ...own(".general", box)]) {
      const name = p.querySelector("b").textContent;
      part(name, name === "in general" ? span(line(p)) : line(p));
    }
    if (cause && !own(".fix", box).length) part("fix", line(cause.querySelector(":scope > .fix .copy")));
    part("binding", line(row.querySelector(".cells")));
    const says = panes.map(p => [p.querySelector("h4").textContent, p.querySelector(".says")]).filter(([, e]) => e);
    for (const [name, e] of says) part(name, span(e.textContent));
    if (!says.length) part("got", span(((box && own(".reason", box)[0]) || row.querySelector(".reason") || row.querySelector(".short") || {}).textContent));
    if (call) {
      part("expected", span(line(own(".due", call)[0]).replaceAll("`", "")));
      part("where", span(line(own(".short", call)[0]).replaceAll("`", "")));
    }
    const same = own(".follow", box).flatMap(f => own(".card", f));
    if (same.length) {
      out.push("- same cause:", ...same.slice(0, 8).map(c => `  - ${c.id.slice(2)}: ${line(c.querySelector("summary .rule"))}`));
      if (same.length > 8) out.push(`  - and ${same.length - 8} more`);
    }
    if (cause) part("same cause as", `${cause.id.slice(2)}, which is to be fixed first`);
    if (again) part("check", span(`${again.textContent} --run ${id}`));
    const script = box && own(".more", box).map(p => p.querySelector("code.copy")).find(c => c && c.textContent.startsWith("sh "));
    if (script) part("reproduce", span(script.textContent) + " in the folder of the report");
    for (const p of panes) {
      const parts = [cut(p.querySelector("pre.head"), Math.floor(size / 2)), cut(p.querySelector("pre.body"), size)];
      out.push(fence(p.querySelector("h4").textContent, parts.filter(Boolean).join("\n\n")));
    }
    return task.querySelector("p").textContent + "\n" + out.filter((s, i) => s || i === 1).join("\n") + "\n";
  };
  const promptOf = (row, card) => {
    let s = "";
    for (const size of [900, 500, 250, 100, 0]) if ((s = describe(row, card, size)).length <= 2500) break;
    return s;
  };
  if (task) for (const row of rows.filter(r => ["fail", "warning", "note"].includes(r.dataset.k))) {
    const card = document.getElementById("c-" + row.id.slice(2));
    const home = !card ? row : card.matches("details") ? card.querySelector(":scope > div") : card;
    const d = document.createElement("details"), name = document.createElement("summary"), pre = document.createElement("pre");
    d.className = "again";
    name.textContent = "Prompt for a coding agent";
    pre.className = "prompt";
    pre.tabIndex = 0;
    pre.setAttribute("role", "group");
    pre.setAttribute("aria-label", "prompt on " + row.id.slice(2));
    d.append(name, pre);
    d.addEventListener("toggle", () => {
      if (pre.textContent) return;
      pre.textContent = promptOf(row, card);
      offerCopy(pre);
    });
    home.insertBefore(d, home.querySelector(":scope > .follow"));
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
