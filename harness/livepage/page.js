"use strict";
// The page asks whether there is news, and takes over what is new. Without this script, the link
// "Look again" does the same.
(() => {
  const wait = 1500;
  const status = document.getElementById("status");
  const say = (text) => { if (status.textContent !== text) status.textContent = text; };
  let lost = false;
  async function refresh() {
    const answer = await fetch("./", { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = document.getElementById("live"), next = page.getElementById("live");
    const focused = document.activeElement && document.activeElement.id;
    now.replaceChildren(...next.childNodes);
    now.dataset.version = next.dataset.version;
    document.title = page.title;
    say(page.getElementById("status").textContent);
    if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  }
  async function look() {
    try {
      const answer = await fetch("version", { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.status);
      if (lost || String((await answer.json()).version) !== document.getElementById("live").dataset.version) await refresh();
      lost = false;
    } catch {
      lost = true;
      say("a2a-conform does not answer any more: the run has ended.");
    }
    setTimeout(look, lost ? 4 * wait : wait);
  }
  setTimeout(look, wait);
})();
