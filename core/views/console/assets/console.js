// Shows a page again when what it shows has changed, searches while somebody types, and copies commands.
"use strict";
(() => {
  const RESTS = 250;
  // The pause before what has failed is tried again: twice as long each time, from the first to the longest.
  const FIRST = 1000;
  const LONGEST = 60000;
  const isLive = document.body.dataset.live !== undefined;
  // What passes: a service that fails for a moment has a page not found, and one that is asked often says to wait.
  const PASSES = [404, 429];
  let asked = 0;
  let dirty = false;
  let follows = false;

  // Adds a button to each command of a page. The buttons have ids, so that the focus stays when the page is shown again.
  function offerCopies(root) {
    root.querySelectorAll(".command").forEach((command, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `copy-${at}`;
      button.textContent = "Copy";
      button.setAttribute("aria-live", "polite");
      command.append(button);
    });
  }

  // Copies the lines of a command. Without access to the clipboard, selects the lines, so that the user can copy them.
  async function copy(button) {
    const lines = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(lines.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(lines);
      button.textContent = "Selected";
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".command button");
    if (button) copy(button);
  });
  offerCopies(document);

  // Puts the main part of a page in the place of the one that is shown. Says whether it is worth another try.
  async function show(url, number) {
    const signal = AbortSignal.timeout(LONGEST);
    const options = { headers: { accept: "text/html" }, redirect: "manual", signal };
    const response = await fetch(url, options).catch(() => null);
    if (number !== asked) return false;
    if (!response?.ok) return !response || response.status >= 500 || PASSES.includes(response.status);
    const text = await response.text().catch(() => null);
    if (number !== asked) return false;
    if (text === null) return true;
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("main");
    const main = document.getElementById("main");
    if (!next || !main) return false;
    offerCopies(next);
    if (isLive) {
      document.body.dataset.live = page.body.dataset.live;
      if (!follows) follow();
    }
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
      return false;
    }
    const id = focused && main.contains(focused) ? focused.id : "";
    // What somebody is about to fill in stays as it is.
    for (const it of main.querySelectorAll("input[id],select[id]")) {
      next.querySelector(`#${CSS.escape(it.id)}`)?.replaceWith(it);
    }
    main.replaceChildren(...next.childNodes);
    if (id) document.getElementById(id)?.focus();
    return false;
  }

  function search(field) {
    const url = new URL(field.form.action, location.href);
    url.search = new URLSearchParams(new FormData(field.form)).toString();
    history.replaceState(null, "", url);
    // What is loaded already is of another text.
    again(true);
  }

  let waiting = 0;
  document.addEventListener("input", (event) => {
    if (event.target.name !== "q") return;
    clearTimeout(waiting);
    waiting = setTimeout(() => search(event.target), RESTS);
  });

  let trying = 0;
  let pause = FIRST;
  let loads = false;
  let due = false;
  // Loads the page now, or once what is being loaded is there: a service that is slower than changes come would have
  // none of them shown.
  async function again(supersedes = false) {
    clearTimeout(trying);
    trying = 0;
    if (document.hidden) {
      dirty = true;
      return;
    }
    dirty = false;
    if (loads && !supersedes) {
      due = true;
      return;
    }
    loads = true;
    due = false;
    const number = ++asked;
    let fails = false;
    try {
      fails = await show(location.href, number);
    } finally {
      if (number === asked) loads = false;
    }
    if (number !== asked) return;
    if (fails) {
      clearTimeout(trying);
      trying = setTimeout(again, pause);
      pause = Math.min(2 * pause, LONGEST);
      return;
    }
    pause = FIRST;
    if (due) again();
  }

  // A browser comes again by itself where the connection is lost, but not where it is refused: then a page that can be
  // loaded follows again.
  function follow() {
    follows = true;
    const changes = new EventSource(`/changes?since=${document.body.dataset.live}`);
    changes.addEventListener("changed", () => again());
    changes.addEventListener("error", () => {
      if (changes.readyState !== EventSource.CLOSED) return;
      follows = false;
      // What is tried again soon anyway follows then.
      trying ||= setTimeout(again, LONGEST);
    });
  }

  if (isLive) {
    follow();
    document.addEventListener("visibilitychange", () => {
      if (dirty) again();
    });
  }
})();
