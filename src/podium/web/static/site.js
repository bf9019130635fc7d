// What pages do better with a script: names as you type, and the choice of light or dark.
"use strict";

(() => {
  const root = document.documentElement;

  const addThemeButton = () => {
    const place = document.querySelector(".head .wrap");
    if (!place) return;
    const holder = document.createElement("div");
    holder.className = "theme";
    const button = document.createElement("button");
    button.type = "button";
    const isDark = () =>
      root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const show = () => {
      button.textContent = isDark() ? "☀" : "☾";
      button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    };
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      root.dataset.theme = theme;
      try {
        localStorage.setItem("podium-theme", theme);
      } catch {
        // it holds for this page
      }
      show();
    });
    show();
    holder.append(button);
    place.append(holder);
  };

  // Names as you type: a combobox with a list.
  let count = 0;
  const suggesting = (input) => {
    const list = document.createElement("ul");
    list.className = "suggestions";
    list.id = `suggestions-${++count}`;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Players");
    list.hidden = true;
    input.after(list);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", list.id);

    let chosen = -1;
    let asked = 0;
    let timer = 0;
    const options = () => [...list.children];
    const close = () => {
      list.hidden = true;
      chosen = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const choose = (index) => {
      const all = options();
      chosen = all.length ? (index + all.length) % all.length : -1;
      all.forEach((each, at) => each.setAttribute("aria-selected", String(at === chosen)));
      if (chosen >= 0) {
        input.setAttribute("aria-activedescendant", all[chosen].id);
        all[chosen].scrollIntoView({ block: "nearest" });
      }
    };
    const take = (name) => {
      close();
      if (input.dataset.player) {
        const address = new URL(input.dataset.player, location.href);
        address.searchParams.set("name", name);
        const at = new URLSearchParams(location.search).get("at");
        if (at) address.searchParams.set("at", at);
        location.assign(address);
      } else {
        input.value = name;
        input.focus();
      }
    };
    const show = (names) => {
      list.replaceChildren(
        ...names.map((name, index) => {
          const item = document.createElement("li");
          item.id = `${list.id}-${index}`;
          item.setAttribute("role", "option");
          item.setAttribute("aria-selected", "false");
          const text = document.createElement("bdi");
          text.textContent = name;
          item.append(text);
          item.addEventListener("mousedown", (event) => event.preventDefault());
          item.addEventListener("click", () => take(name));
          return item;
        }),
      );
      chosen = -1;
      list.hidden = names.length === 0;
      input.setAttribute("aria-expanded", String(names.length > 0));
    };
    const ask = async () => {
      const text = input.value.trim();
      const number = ++asked;
      if (!text) return close();
      try {
        const names = await podiumNames(input.dataset.suggest, text);
        if (number === asked && document.activeElement === input) show(names);
      } catch {
        close(); // the form works all the same
      }
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 120);
    });
    input.addEventListener("blur", () => setTimeout(close, 150));
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" && !list.hidden) choose(chosen + 1);
      else if (event.key === "ArrowUp" && !list.hidden) choose(chosen - 1);
      else if (event.key === "Escape" && !list.hidden) close();
      else if (event.key === "Enter" && chosen >= 0) take(options()[chosen].textContent);
      else return;
      event.preventDefault();
    });
  };

  window.podiumSuggest = suggesting; // for fields that come later

  // A published site finds names in its own files instead.
  window.podiumNames ??= async (address, text) => {
    const url = new URL(address, location.href);
    url.searchParams.set("q", text);
    url.searchParams.set("n", "10");
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    if (!answer.ok) return [];
    return (await answer.json()).map((each) => each.player ?? each);
  };

  const start = () => {
    addThemeButton();
    for (const input of document.querySelectorAll("input[data-suggest]")) {
      if (input.dataset.suggest || window.podiumPublished) suggesting(input);
    }
    for (const input of document.querySelectorAll("input[data-address]")) {
      input.value = new URL(input.value, location.href).href; // other sites need the whole of it
    }
    for (const input of document.querySelectorAll("input[readonly]")) {
      input.addEventListener("focus", () => input.select());
    }
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
