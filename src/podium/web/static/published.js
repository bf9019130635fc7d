// What pages of a published site do with a script: find names, draw players, show long standings.
//
// There is no server to ask, and pages may lie in a folder, where nothing can be fetched. So data are
// scripts that call podiumData, and are loaded when they are needed.
"use strict";

(() => {
  const top = new URL("../", document.currentScript.src);
  const ROWS = 100;
  const NOTHING = "–";
  const waiting = new Map();

  // ---- Data ------------------------------------------------------------------------------------

  window.podiumPublished = true;
  window.podiumData = (key, value) => waiting.get(key)?.resolve(value);

  function load(key) {
    if (!waiting.has(key)) {
      const entry = {};
      entry.promise = new Promise((resolve, reject) => {
        entry.resolve = resolve;
        const script = document.createElement("script");
        script.src = new URL(`data/${key}.js`, top);
        script.addEventListener("load", () => {
          script.remove();
          reject(new Error(`${key} holds no data`)); // unless it has called podiumData before
        });
        script.addEventListener("error", () => {
          script.remove();
          waiting.delete(key);
          reject(new Error(`${key} cannot be loaded`));
        });
        document.head.append(script);
      });
      waiting.set(key, entry);
    }
    return waiting.get(key).promise;
  }

  // ---- Words and numbers, as the other pages have them -------------------------------------------

  function number(value, digits = 0) {
    if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
    const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    const text = value.toLocaleString("en-US", form);
    return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "");
  }

  function signed(value, digits) {
    if (value === null) return NOTHING;
    const text = number(value, digits);
    if (!/[1-9]/.test(text)) return `±${text}`;
    return value < 0 ? text : `+${text}`;
  }

  function percent(share) {
    const value = 100 * share;
    if (value > 0 && value < 1) return "< 1 %";
    if (value > 99 && value < 100) return "> 99 %";
    return `${value.toFixed(0)} %`;
  }

  const readable = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu, "\ufffd");
  const day = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 10);

  // ---- Elements ----------------------------------------------------------------------------------

  function make(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== "" && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...content);
    return element;
  }

  const name = (text) => make("bdi", {}, readable(text));
  const faint = (text) => make("span", { class: "faint" }, text);
  const cell = (kind, ...content) => make("td", { class: kind }, ...content);

  function time(seconds) {
    const exact = new Date(1000 * seconds).toISOString();
    const shown = `${exact.slice(0, 10)} ${exact.slice(11, 16)} UTC`;
    return make("time", { datetime: `${exact.slice(0, 19)}Z`, title: shown }, exact.slice(0, 10));
  }

  function change(value, digits) {
    const kind = value > 0 ? "up" : value < 0 ? "down" : "level";
    return make("span", { class: `change ${kind}` }, signed(value, digits));
  }

  function table(label, heads, rows) {
    const row = make("tr", {}, ...heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)));
    const body = make("tbody", {}, ...rows);
    const shown = make("table", {}, make("thead", {}, row), body);
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, shown);
  }

  // ---- Names ---------------------------------------------------------------------------------------

  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  // The file that has all names with a word that begins so, or the best of them.
  async function namesLike(text) {
    const index = await load("names/index");
    for (let length = text.length; length >= 0; length--) {
      const found = index.prefix.indexOf(text.slice(0, length));
      if (found >= 0) {
        const names = await load(`names/${index.file[found]}`);
        return names.whole || length === text.length ? names : { name: [] };
      }
    }
    return { name: [] };
  }

  window.podiumNames = async (_, given) => {
    const text = folded(given.trim());
    if (!text) return [];
    const ranked = [[], [], []];
    for (const each of (await namesLike(text)).name) {
      const name_ = folded(each);
      const place = name_.indexOf(text);
      if (place >= 0) ranked[name_ === text ? 0 : place === 0 ? 1 : 2].push(each);
    }
    return ranked.flat().slice(0, 10);
  };

  function searching(form, input) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const [found] = await window.podiumNames("", input.value);
      if (found === undefined) return;
      const address = new URL(input.dataset.player, location.href);
      address.searchParams.set("name", found);
      location.assign(address);
    });
  }

  // ---- A player --------------------------------------------------------------------------------------

  function hashed(text) {
    let found = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) {
      found = Math.imul(found ^ byte, 0x01000193) >>> 0;
    }
    return found;
  }

  function titleOf(site, rating) {
    const earned = site.titles.filter(([lowest]) => rating !== null && rating >= lowest);
    return earned.length ? earned[earned.length - 1] : null;
  }
  const toneOf = (site, rating) => titleOf(site, rating)?.[2] ?? "";

  // The columns of one player out of a file of many.
  async function historyOf(site, player) {
    const file = await load(`players/${hashed(player) % site.shards}`);
    const index = file.player.indexOf(player);
    if (index < 0) return null;
    const first = file.count.slice(0, index).reduce((sum, each) => sum + each, 0);
    const last = first + file.count[index];
    const unit = 10 ** site.digits;
    const part = (column) => (file[column] === null ? new Array(last - first).fill(null) : file[column].slice(first, last));
    const [steps, moves, gaps] = [part("contest"), part("rating"), part("before")];
    const found = { place: file.place[index], rank: part("rank"), number: [], before: [], rating: [] };
    const explained = site.explained.filter(([, who]) => who === player);
    found.why = new Map(explained.map(([contest, , address]) => [contest, address]));
    let contest = 0;
    let rating = 0;
    steps.forEach((step, each) => {
      contest += step;
      found.number.push(contest);
      found.before.push((rating + gaps[each]) / unit);
      rating += moves[each];
      found.rating.push(rating / unit);
    });
    found.sigma = part("sigma").map((each) => (each === null ? null : each / unit));
    found.performance = part("performance").map((each, row) =>
      each === null ? null : Math.round(each + found.before[row] * unit) / unit);
    return found;
  }

  async function contestsOf(site, numbers) {
    const files = [...new Set(numbers.map((each) => Math.floor(each / site.contests)))];
    const loaded = new Map();
    await Promise.all(files.map(async (each) => loaded.set(each, await load(`contests/${each}`))));
    return numbers.map((each) => {
      const file = loaded.get(Math.floor(each / site.contests));
      const place = each % site.contests;
      return {
        name: file.name[place],
        file: file.file[place],
        time: file.time[place],
        players: file.players[place],
      };
    });
  }

  const contestAddress = (contest) => `contest/${encodeURIComponent(contest.file)}.html`;

  function fact(term, ...content) {
    return make("div", {}, make("dt", {}, term), make("dd", {}, ...content));
  }

  // The change by a contest, which leads to its explanation if there is one.
  function because(site, found, contests, each) {
    const shown = change(found.rating[each] - found.before[each], site.digits);
    const file = found.why.get(found.number[each]);
    if (file === undefined) return shown;
    const address = `why/${file.split("/").map(encodeURIComponent).join("/")}.html`;
    const label = `why ${shown.textContent} in ${readable(contests[each].name)}`;
    return make("a", { href: address, "aria-label": label }, shown);
  }

  function facts(site, found, contests) {
    const { digits } = site;
    const last = found.rating.length - 1;
    const best = found.rating.indexOf(Math.max(...found.rating));
    const wins = found.rank.filter((each) => each === 1).length;
    const next = site.titles.find(([lowest]) => lowest > found.rating[last]);
    const sigma = found.sigma[last] === null ? [] : [" ", faint(`± ${number(found.sigma[last], digits)}`)];
    const shown = [
      fact("Rating", number(found.rating[last], digits), ...sigma),
      found.place === null
        ? fact("Place", faint("not on the leaderboard yet"))
        : fact("Place", `${number(found.place)} `, faint(`of ${number(site.players)}`)),
    ];
    if (found.place !== null && site.players > 1) {
      shown.push(fact("Better than", percent((site.players - found.place) / (site.players - 1))));
    }
    shown.push(fact("Best", `${number(found.rating[best], digits)} `, faint(day(contests[best].time))));
    shown.push(fact("Contests", number(last + 1), ...(wins ? [" ", faint(`${number(wins)} won`)] : [])));
    shown.push(fact("Last change", because(site, found, contests, last)));
    if (next) shown.push(fact("Next title", `${readable(next[1])} `, faint(`at ${number(next[0], digits)}`)));
    return make("dl", { class: "numbers" }, ...shown);
  }

  function historyTable(site, player, found, contests) {
    const { digits } = site;
    const heads = [
      ["Date", ""],
      ["Contest", ""],
      ["Rank", "n"],
      ["Performance", "n opt"],
      ["Before", "n"],
      ["After", "n"],
      ["Change", "n"],
    ];
    const row = (each) => {
      const contest = contests[each];
      const link = make("a", { href: contestAddress(contest) }, name(contest.name));
      return make(
        "tr",
        {},
        cell("", time(contest.time)),
        make("th", { scope: "row" }, link),
        cell("n", number(found.rank[each]), faint(` of ${number(contest.players)}`)),
        cell("n opt", number(found.performance[each], digits)),
        cell("n", number(found.before[each], digits)),
        cell(`n rating ${toneOf(site, found.rating[each])}`, number(found.rating[each], digits)),
        cell("n", because(site, found, contests, each)),
      );
    };
    const latest = contests.map((_, each) => contests.length - 1 - each);
    const shown = table(`Contests of ${readable(player)}`, heads, latest.slice(0, ROWS).map(row));
    if (latest.length <= ROWS) return [shown];
    const more = make("button", { type: "button" }, `Show all ${number(latest.length)} contests`);
    const holder = make("p", { class: "actions" }, more);
    more.addEventListener("click", () => {
      shown.querySelector("tbody").append(...latest.slice(ROWS).map(row));
      holder.remove();
      shown.focus();
    });
    return [shown, holder];
  }

  async function showPlayer(place, player) {
    const site = await load("site");
    if (site.pages) return forward(place, player);
    const found = await historyOf(site, player);
    if (found === null) return missing(place, player);
    const contests = await contestsOf(site, found.number);
    const now = found.rating[found.rating.length - 1];
    const title = titleOf(site, now);
    const heading = make("h1", { class: title?.[2] ?? "" }, name(player));
    const row = make("div", { class: "title-row" }, heading);
    if (title) row.append(make("p", {}, make("span", { class: `title ${title[2]}` }, readable(title[1]))));
    const figure = make("figure", { class: "chart" });
    document.title = document.title.replace(/^Player/, () => readable(player));
    place.replaceChildren(
      row,
      facts(site, found, contests),
      figure,
      make("h2", {}, "Contests"),
      ...historyTable(site, player, found, contests),
    );
    window.podiumCharts?.career(figure, {
      player: `\u2068${readable(player)}\u2069`,
      digits: site.digits,
      titles: site.titles,
      time: contests.map((each) => each.time),
      name: contests.map((each) => `\u2068${readable(each.name)}\u2069`),
      rank: found.rank,
      of: contests.map((each) => each.players),
      before: found.before,
      rating: found.rating,
      sigma: found.sigma,
      performance: found.performance,
      base: "",
      href: contests.map(contestAddress),
    });
  }

  // Where every player has a page, go there.
  async function forward(place, player) {
    const names = await namesLike(folded(player));
    const index = names.name.indexOf(player);
    if (index < 0) return missing(place, player);
    location.replace(new URL(`player/${encodeURIComponent(names.file[index])}.html`, top));
  }

  function missing(place, player) {
    const board = make("a", { href: new URL("index.html", top) }, "leaderboard");
    place.replaceChildren(
      make("h1", {}, name(player)),
      make("p", { class: "empty" }, "There is no such player, or none with a rated contest; look for another on the ", board, "."),
    );
  }

  // ---- Long standings --------------------------------------------------------------------------------

  function standing(place) {
    const standings = document.getElementById("standings");
    const body = standings.tBodies[0];
    const first = [...body.rows];
    const rows = Number(place.dataset.rows);
    let columns = null;
    let sought = "";
    let chosen = null; // which rows are looked for; null for all
    let page = 0;

    const rowOf = (each) => {
      const { site, file, unit } = columns;
      const { digits } = site;
      const value = (column) => (file[column]?.[each] ?? null);
      const scaled = (column) => (value(column) === null ? null : value(column) / unit);
      const before = scaled("before");
      const moved = scaled("rating");
      const after = moved === null ? null : before + moved;
      const address = `${place.dataset.base}?${new URLSearchParams({ name: file.player[each] })}`;
      const link = make("a", { class: `player ${toneOf(site, before)}`, href: address }, name(file.player[each]));
      const cells = [cell("n place", number(columns.rank[each])), make("th", { scope: "row" }, link)];
      if (file.team) cells.push(cell("", name(value("team") ?? NOTHING)));
      if (file.score) cells.push(cell("n", name(value("score") ?? NOTHING)));
      if (file.status) cells.push(cell("", name(value("status") ?? NOTHING)));
      if (file.expected) cells.push(cell("n opt", number(value("expected"))));
      if (file.performance) cells.push(cell("n opt", number(scaled("performance"), digits)));
      if (file.before) {
        cells.push(cell("n", number(before, digits)));
        cells.push(cell(`n rating ${toneOf(site, after)}`, number(after, digits)));
        cells.push(cell("n", moved === null ? faint("not rated") : change(moved, digits)));
      }
      return make("tr", {}, ...cells);
    };

    const label = make("label", { for: "sought" }, "Find a player in it");
    const input = make("input", { type: "search", id: "sought", maxlength: "100", autocomplete: "off" });
    const field = make("p", { class: "wide" }, label, input);
    const filters = make("form", { class: "filters" }, field);
    const previous = make("button", { type: "button" }, "← Previous");
    const said = make("span", { role: "status" });
    const next = make("button", { type: "button" }, "Next →");
    const pager = make("nav", { class: "pager", "aria-label": "Pages of the standings" }, previous, said, next);

    const show = () => {
      const count = chosen === null ? rows : chosen.length;
      const start = page * ROWS;
      const end = Math.min(count, start + ROWS);
      previous.hidden = page === 0;
      next.hidden = end >= count;
      said.textContent = count ? `${number(start + 1)}–${number(end)} of ${number(count)}` : "Nobody of that name took part.";
      if (chosen === null && page === 0) return body.replaceChildren(...first);
      const shown = Array.from({ length: end - start }, (_, each) => start + each);
      body.replaceChildren(...shown.map((each) => rowOf(chosen === null ? each : chosen[each])));
    };

    const ready = async () => {
      if (columns) return;
      const [site, file] = await Promise.all([load("site"), load(place.dataset.file)]);
      let rank = 0;
      columns = { site, file, unit: 10 ** site.digits, rank: file.rank.map((step) => (rank += step)) };
      columns.folded = file.player.map(folded);
    };
    const failed = () => {
      said.textContent = "The other rows cannot be loaded.";
    };
    const turn = (step) => async () => {
      try {
        await ready();
        page += step;
        show();
        standings.closest(".scroll").scrollIntoView({ block: "start" });
      } catch {
        failed();
      }
    };
    previous.addEventListener("click", turn(-1));
    next.addEventListener("click", turn(1));
    const seek = async () => {
      const text = folded(input.value.trim());
      sought = text;
      try {
        await ready();
        if (text !== sought) return; // more was typed meanwhile
        chosen = text ? columns.folded.flatMap((each, row) => (each.includes(text) ? [row] : [])) : null;
        page = 0;
        show();
      } catch {
        failed();
      }
    };
    input.addEventListener("input", seek);
    filters.addEventListener("submit", (event) => event.preventDefault());
    standings.closest(".scroll").before(make("search", {}, filters));
    place.replaceChildren(pager);
    show();
  }

  // ---- All of a page -----------------------------------------------------------------------------------

  document.addEventListener("DOMContentLoaded", () => {
    const input = document.querySelector("input[data-suggest][data-player]");
    if (input?.form) searching(input.form, input);
    const further = document.getElementById("further");
    if (further) standing(further);
    const place = document.getElementById("published-player");
    const player = new URLSearchParams(location.search).get("name");
    if (place && player !== null) {
      showPlayer(place, player).catch(() => {
        place.querySelector("p").textContent = "What is known of the player cannot be loaded.";
      });
    }
  });
})();
