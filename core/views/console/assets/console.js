// Reloads a page when its content changes, shows if the page is current, searches while the user types, copies
// commands, and zooms and moves drawings.
"use strict";
(() => {
  const RESTS = 250;
  // The pause before a failed request is repeated. It doubles each time, from the first to the longest.
  const FIRST = 1000;
  const LONGEST = 60000;
  const isLive = document.body.dataset.live !== undefined;
  // The codes of temporary failures: a service that fails for a moment may cause a 404, and a busy service a 429.
  const PASSES = [404, 429];
  // The zoom of drawings: the smallest, the largest, and one step.
  const SMALLEST = 0.1;
  const LARGEST = 4;
  const STEP = 1.25;
  // The pixels that an arrow key moves a drawing, and that a mouse moves before it drags a drawing.
  const MOVE = 60;
  const TREMBLE = 4;
  let asked = 0;
  let dirty = false;
  let follows = false;
  // True if the last load of the page failed.
  let isOutdated = false;

  function now() {
    return `${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }

  // Shows if the page is current. Screen readers announce each new text.
  function tell(kind, text) {
    const it = document.getElementById("freshness");
    if (!it || it.textContent === text) return;
    it.className = `state ${kind}`;
    it.textContent = text;
  }

  function tellCurrent() {
    const isStale = document.getElementById("freshness")?.dataset.stale !== undefined;
    if (isStale || isOutdated) tell("waiting", "Stale");
    else tell("well", "Live");
  }

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

  // Adds buttons for the zoom to each drawing. Without them, a drawing scrolls.
  function offerZoom(root) {
    const buttons = [["+", "Zoom in", STEP], ["-", "Zoom out", 1 / STEP], ["1:1", "Original size", 0]];
    root.querySelectorAll(".drawing").forEach((drawing, at) => {
      drawing.id = `drawing-${at}`;
      const bar = document.createElement("div");
      bar.className = "zoom";
      buttons.forEach(([sign, name, factor], place) => {
        const button = document.createElement("button");
        button.type = "button";
        button.id = `zoom-${at}-${place}`;
        button.textContent = sign;
        button.title = `${name} (key ${factor === 0 ? "0" : sign})`;
        button.setAttribute("aria-label", `${sign} ${name}`);
        button.dataset.factor = factor;
        bar.append(button);
      });
      drawing.prepend(bar);
    });
  }

  // Sets the zoom of a drawing. The middle of the visible part stays there.
  function setZoom(drawing, after) {
    const view = drawing.querySelector(".scroll");
    const svg = drawing.querySelector("svg");
    const { width, height } = svg.viewBox.baseVal;
    const before = Number(drawing.dataset.zoom ?? 1);
    const x = (view.scrollLeft + view.clientWidth / 2) / before;
    const y = (view.scrollTop + view.clientHeight / 2) / before;
    svg.setAttribute("width", width * after);
    svg.setAttribute("height", height * after);
    drawing.dataset.zoom = after;
    view.scrollTo(x * after - view.clientWidth / 2, y * after - view.clientHeight / 2);
  }

  function zoom(drawing, factor) {
    const before = Number(drawing.dataset.zoom ?? 1);
    setZoom(drawing, factor === 0 ? 1 : Math.min(Math.max(before * factor, SMALLEST), LARGEST));
  }

  // Shows the drawings as they were before the page was reloaded. A new drawing begins at the installed bundle, or at
  // the newest one.
  function showDrawings(root, earlier) {
    for (const drawing of root.querySelectorAll(".drawing")) {
      const view = drawing.querySelector(".scroll");
      const was = earlier.get(drawing.id);
      if (was) {
        setZoom(drawing, was.zoom);
        view.scrollTo(was.left, was.top);
        continue;
      }
      const first = drawing.querySelector(".installed") ?? drawing.querySelector(".bundle");
      if (!first) continue;
      const [box, frame] = [first, view].map((it) => it.getBoundingClientRect());
      view.scrollBy(box.left + box.width / 2 - frame.left - frame.width / 2, box.top - frame.top - frame.height / 2);
    }
  }

  function views(root) {
    const all = [...root.querySelectorAll(".drawing")].map((it) => {
      const { scrollLeft: left, scrollTop: top } = it.querySelector(".scroll");
      return [it.id, { zoom: Number(it.dataset.zoom ?? 1), left, top }];
    });
    return new Map(all);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".drawing .zoom button");
    if (button) zoom(button.closest(".drawing"), Number(button.dataset.factor));
  });
  document.addEventListener("keydown", (event) => {
    const drawing = event.target.closest?.(".drawing");
    if (!drawing || event.ctrlKey || event.metaKey || event.altKey) return;
    const zooms = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 0 };
    const moves = { ArrowLeft: [-MOVE, 0], ArrowRight: [MOVE, 0], ArrowUp: [0, -MOVE], ArrowDown: [0, MOVE] };
    if (event.key in zooms) zoom(drawing, zooms[event.key]);
    else if (event.key in moves) drawing.querySelector(".scroll").scrollBy(...moves[event.key]);
    else return;
    event.preventDefault();
  });
  document.addEventListener(
    "wheel",
    (event) => {
      const drawing = event.target.closest?.(".drawing");
      if (!drawing || !event.ctrlKey) return;
      event.preventDefault();
      zoom(drawing, event.deltaY < 0 ? STEP : 1 / STEP);
    },
    { passive: false },
  );
  // A mouse drags a drawing. Fingers scroll it.
  let drag = null;
  document.addEventListener("pointerdown", (event) => {
    const view = event.target.closest?.(".drawing .scroll");
    const isDrag = view && event.button === 0 && event.pointerType === "mouse";
    const { clientX: x, clientY: y } = event;
    drag = isDrag ? { view, x, y, left: view.scrollLeft, top: view.scrollTop, moves: false } : null;
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag || event.buttons === 0) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moves ||= Math.hypot(x, y) > TREMBLE;
    if (drag.moves) drag.view.scrollTo(drag.left - x, drag.top - y);
  });
  document.addEventListener("dragstart", (event) => {
    if (event.target.closest?.(".drawing")) event.preventDefault();
  });
  // The end of a drag is not a click on a bundle.
  document.addEventListener(
    "click",
    (event) => {
      if (drag?.moves && event.detail > 0) event.preventDefault();
      drag = null;
    },
    true,
  );
  offerZoom(document);
  showDrawings(document, new Map());

  // Loads a page and replaces the main part of the current page. Returns true if a retry may help.
  async function show(url, number) {
    const signal = AbortSignal.timeout(LONGEST);
    const options = { headers: { accept: "text/html" }, redirect: "manual", signal };
    const response = await fetch(url, options).catch(() => null);
    if (number !== asked) return false;
    isOutdated = !response?.ok;
    if (isOutdated) return !response || response.status >= 500 || PASSES.includes(response.status);
    const text = await response.text().catch(() => null);
    if (number !== asked) return false;
    if (text === null) return true;
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("main");
    const main = document.getElementById("main");
    if (!next || !main) return false;
    offerCopies(next);
    offerZoom(next);
    const [older, newer] = [document, page].map((it) => it.querySelector(".context"));
    if (older && newer) {
      // The element of the state stays, so that screen readers announce its next text.
      older.querySelector("#read-at").replaceWith(newer.querySelector("#read-at"));
      const isStale = newer.querySelector("#freshness").dataset.stale !== undefined;
      older.querySelector("#freshness").toggleAttribute("data-stale", isStale);
    }
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
      // The field keeps its text and its cursor.
      const results = main.querySelector("#results");
      const found = next.querySelector("#results");
      if (results && found) results.replaceChildren(...found.childNodes);
      return false;
    }
    const id = focused && main.contains(focused) ? focused.id : "";
    // Fields keep the input of the user.
    for (const it of main.querySelectorAll("input[id],select[id]")) {
      next.querySelector(`#${CSS.escape(it.id)}`)?.replaceWith(it);
    }
    const drawings = views(main);
    main.replaceChildren(...next.childNodes);
    showDrawings(main, drawings);
    if (id) document.getElementById(id)?.focus();
    return false;
  }

  function search(field) {
    const url = new URL(field.form.action, location.href);
    url.search = new URLSearchParams(new FormData(field.form)).toString();
    history.replaceState(null, "", url);
    // A page that is being loaded is for another text.
    again(true);
  }

  let waiting = 0;
  document.addEventListener("input", (event) => {
    if (event.target.name !== "q") return;
    clearTimeout(waiting);
    waiting = setTimeout(() => search(event.target), RESTS);
  });
  document.addEventListener("change", (event) => {
    if (event.target.form?.matches("form.search")) search(event.target);
  });

  let trying = 0;
  let pause = FIRST;
  let loads = false;
  let due = false;
  // Loads the page now, or after the current load. Otherwise, a service that is slower than the changes would never
  // show a change.
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
    if (isConnected) tellCurrent();
    if (fails) {
      clearTimeout(trying);
      trying = setTimeout(again, pause);
      pause = Math.min(2 * pause, LONGEST);
      return;
    }
    pause = FIRST;
    if (due) again();
  }

  let isConnected = false;
  // A browser reconnects by itself after a lost connection, but not after a rejected one. The next reload of the page
  // then connects again.
  function follow() {
    follows = true;
    const changes = new EventSource(`/changes?since=${document.body.dataset.live}`);
    changes.addEventListener("changed", () => again());
    changes.addEventListener("open", () => {
      isConnected = true;
      tellCurrent();
    });
    changes.addEventListener("error", () => {
      if (changes.readyState !== EventSource.CLOSED) {
        if (isConnected) tell("broken", `Disconnected since ${now()}`);
        isConnected = false;
        return;
      }
      isConnected = false;
      follows = false;
      tell("waiting", "Reloaded each minute");
      // If a reload is due already, it also connects.
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
