// Shows a page again when what it shows has changed, and searches while somebody types.
"use strict";
(() => {
  const RESTS = 250;
  let asked = 0;
  let dirty = false;

  // Puts the main part of a page in the place of the one that is shown.
  async function show(url) {
    const number = ++asked;
    const response = await fetch(url, { headers: { accept: "text/html" }, redirect: "error" });
    if (!response.ok || number !== asked) return;
    const text = await response.text();
    if (number !== asked) return;
    const next = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    const main = document.getElementById("main");
    if (!next || !main) return;
    const open = new Set([...main.querySelectorAll("details[open]")].map((it) => it.id));
    for (const it of next.querySelectorAll("details")) {
      if (it.id && open.has(it.id)) it.open = true;
    }
    const focused = document.activeElement;
    const typed = focused && main.contains(focused) && focused.name === "q" ? focused : null;
    if (typed) {
      // The field stays, with what is in it and where the cursor is.
      const results = main.querySelector("#results");
      const found = next.querySelector("#results");
      if (results && found) results.replaceChildren(...found.childNodes);
      return;
    }
    const id = focused && main.contains(focused) ? focused.id : "";
    // What somebody is about to fill in stays as it is.
    for (const it of main.querySelectorAll("input[id],select[id]")) {
      next.querySelector(`#${CSS.escape(it.id)}`)?.replaceWith(it);
    }
    main.replaceChildren(...next.childNodes);
    if (id) document.getElementById(id)?.focus();
  }

  function search(field) {
    const url = new URL(field.form.action, location.href);
    url.search = new URLSearchParams(new FormData(field.form)).toString();
    history.replaceState(null, "", url);
    show(url).catch(() => {});
  }

  let waiting = 0;
  document.addEventListener("input", (event) => {
    if (event.target.name !== "q") return;
    clearTimeout(waiting);
    waiting = setTimeout(() => search(event.target), RESTS);
  });

  function again() {
    if (document.hidden) {
      dirty = true;
      return;
    }
    dirty = false;
    show(location.href).catch(() => {});
  }

  if (document.body.dataset.live !== undefined) {
    const changes = new EventSource("/changes");
    changes.addEventListener("changed", again);
    document.addEventListener("visibilitychange", () => {
      if (dirty) again();
    });
  }
})();
