// The page of a contest that is not over: it brings itself up to date, and follows one player.
"use strict";

(() => {
  const live = document.getElementById("live");
  if (!live) return;

  const said = document.getElementById("live-said");
  const state = document.getElementById("live-state");
  const player = document.getElementById("player");
  const unfollow = document.getElementById("unfollow");
  const search = () => document.getElementById("q");
  const stored = `podium-live:${live.dataset.key}`;
  const asked = new URLSearchParams(location.search);
  let mark = live.dataset.mark;
  let following = asked.get("player") || "";
  let page = Number(live.dataset.page) || 1;
  let latest = 0;

  const remember = () => {
    try {
      if (following) localStorage.setItem(stored, following);
      else localStorage.removeItem(stored);
    } catch {
      // it holds for this page
    }
  };

  const remembered = () => {
    try {
      return localStorage.getItem(stored) || "";
    } catch {
      return "";
    }
  };

  const ago = (seconds) => {
    if (seconds < 5) return "just now";
    if (seconds < 90) return `${Math.round(seconds)} s ago`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
    return `${Math.round(seconds / 3600)} h ago`;
  };

  const age = () => {
    for (const each of live.querySelectorAll("[data-age]")) {
      const seconds = (Date.now() - Date.parse(each.dataset.age)) / 1000;
      const text = `(${ago(Math.max(0, seconds))})`;
      if (each.textContent !== text) each.textContent = text;
    }
  };

  // What had the focus has it again, and rows do not move under whoever reads them.
  const keeping = (change) => {
    const focused = document.activeElement;
    const inside = focused && focused.closest("[data-part]");
    const part = inside && inside.dataset.part;
    const href = focused && focused.getAttribute("href");
    const isTable = focused && focused.classList.contains("scroll");
    const across = live.querySelector(".scroll")?.scrollLeft ?? 0;
    const open = live.querySelector("[data-part] details")?.open ?? false;
    const { scrollX, scrollY } = window;
    change();
    const scroll = live.querySelector(".scroll");
    if (scroll) scroll.scrollLeft = across;
    const details = live.querySelector("[data-part] details");
    if (details) details.open = open;
    if (part) {
      const there = live.querySelector(`[data-part="${part}"]`);
      const same = there && (href
        ? [...there.querySelectorAll("a")].find((each) => each.getAttribute("href") === href)
        : isTable ? there.querySelector(".scroll") : null);
      if (same) same.focus({ preventScroll: true });
    }
    window.scrollTo(scrollX, scrollY);
  };

  const put = (text) => {
    const found = new DOMParser().parseFromString(text, "text/html");
    const isFirst = !live.querySelector("[data-part=summary]") && found.querySelector("[data-part=summary]");
    if (isFirst) {
      location.reload(); // the first standings have come, and with them all of the page
      return;
    }
    keeping(() => {
      for (const part of found.querySelectorAll("[data-part]")) {
        const here = live.querySelector(`[data-part="${part.dataset.part}"]`);
        if (here) here.replaceWith(document.adoptNode(part));
      }
    });
    age();
    window.podiumCharts?.start(live);
  };

  const address = () => {
    const found = new URL(live.dataset.rows, location.href);
    found.searchParams.set("mark", mark);
    const q = search()?.value.trim();
    if (q) found.searchParams.set("q", q);
    if (page > 1) found.searchParams.set("page", String(page));
    if (following) found.searchParams.set("player", following);
    if (following && asked.get("curve")) found.searchParams.set("curve", "1");
    return found;
  };

  const refresh = async () => {
    const number = ++latest;
    const answer = await fetch(address());
    if (number !== latest) return false;
    if (!answer.ok) throw new Error(String(answer.status));
    const text = await answer.text();
    if (number !== latest) return false;
    put(text);
    unfollow.hidden = !following;
    return true;
  };

  const tell = (text) => {
    said.textContent = text;
  };

  const followed = () => live.querySelector("[data-part=followed] [data-said]")?.dataset.said ?? "";

  const update = async (version) => {
    try {
      if (await refresh()) tell(`The standings have changed. ${followed()}`);
      state.textContent = "";
    } catch {
      state.textContent = "New standings could not be loaded; the next ones will be.";
    }
  };

  const follow = async (name) => {
    following = name;
    player.value = name;
    remember();
    try {
      if (await refresh()) tell(name ? followed() || `${name} does not take part.` : "Nobody is followed.");
    } catch {
      state.textContent = "That could not be loaded; reload the page.";
    }
  };

  live.querySelector("form.follow").addEventListener("submit", (event) => {
    event.preventDefault();
    follow(player.value.trim());
  });
  unfollow.addEventListener("click", () => {
    follow("");
    player.focus();
  });

  let timer = 0;
  const find = async () => {
    page = 1;
    const there = new URL(location.href);
    const q = search().value.trim();
    if (q) there.searchParams.set("q", q);
    else there.searchParams.delete("q");
    there.searchParams.delete("page");
    history.replaceState(null, "", there);
    try {
      await refresh();
    } catch {
      state.textContent = "That could not be loaded; reload the page.";
    }
  };
  search()?.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, 150);
  });
  live.querySelector("form.search")?.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    find();
  });

  const listen = () => {
    const events = new EventSource(live.dataset.stream);
    let lost = false;
    events.addEventListener("open", () => {
      if (lost) state.textContent = "";
      lost = false;
      live.dataset.listening = "yes";
    });
    events.addEventListener("version", (event) => {
      const news = JSON.parse(event.data);
      if (news.mark === mark) return;
      mark = news.mark;
      live.dataset.version = String(news.version);
      update(news.version);
    });
    events.addEventListener("recorded", () => {
      events.close();
      tell("The contest is over and recorded.");
      location.replace(live.dataset.contest);
    });
    events.addEventListener("ended", () => {
      events.close();
      state.textContent = "It is live no more.";
      tell("The contest is live no more.");
    });
    events.addEventListener("error", () => {
      lost = true;
      state.textContent = events.readyState === EventSource.CLOSED
        ? "This page is not up to date any more; reload it."
        : "The connection is lost; it is looked for again.";
    });
    window.addEventListener("pagehide", () => events.close());
  };

  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  age();
  setInterval(age, 1000);
  unfollow.hidden = !following;
  if (following) remember();
  else if (remembered()) follow(remembered());
  listen();
})();
