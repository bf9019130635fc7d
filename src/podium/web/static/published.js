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

  // chart.js writes numbers. It runs after this script, but before anything is shown.
  const number = (...given) => window.podiumCharts.number(...given);

  const readable = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu, "\ufffd");

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
  const marked = (text, isProvisional) =>
    isProvisional ? [text, make("abbr", { title: "provisional" }, "?")] : [text];
  const cell = (kind, ...content) => make("td", { class: kind }, ...content);

  function time(seconds) {
    const exact = new Date(1000 * seconds).toISOString();
    const shown = `${exact.slice(0, 10)} ${exact.slice(11, 16)} UTC`;
    return make("time", { datetime: `${exact.slice(0, 19)}Z`, title: shown }, exact.slice(0, 10));
  }

  // The difference of the numbers that are shown, so that they add up.
  function change(before, after, digits) {
    const value = window.podiumCharts.changeOf(before, after, digits);
    const kind = value > 0 ? "up" : value < 0 ? "down" : "level";
    return make("span", { class: `change ${kind}` }, window.podiumCharts.signed(value, digits));
  }

  function table(label, heads, rows) {
    const row = make("tr", {}, ...heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)));
    const body = make("tbody", {}, ...rows);
    const shown = make("table", {}, make("thead", {}, row), body);
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, shown);
  }

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

  // Enter leads to whoever fits best; if nobody does, that is said, and read aloud.
  function searching(form, input) {
    const said = make("p", { role: "status" });
    form.after(said);
    input.addEventListener("input", () => said.replaceChildren());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text) return;
      try {
        const [found] = await window.podiumNames("", text);
        if (found === undefined) {
          said.replaceChildren("No player has a name with a word that begins with ", name(text), ".");
          return;
        }
        const address = new URL(input.dataset.player, location.href);
        address.searchParams.set("name", found);
        location.assign(address);
      } catch {
        said.replaceChildren("The names cannot be loaded.");
      }
    });
  }

  function hashed(text) {
    let found = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) {
      found = Math.imul(found ^ byte, 0x01000193) >>> 0;
    }
    return found;
  }

  // How many titles a rating has reached. As it is rounded, the data know better where that matters.
  const earned = (site, rating, known) =>
    known ?? site.titles.filter(([lowest]) => rating !== null && rating >= lowest).length;

  // The colour of the last of so many titles; of the highest, if several bear the same name.
  function toneOf(site, count) {
    const title = site.titles[count - 1]?.[1];
    return site.titles.filter(([, each]) => each === title).pop()?.[2] ?? "";
  }

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
    const [forecast, spread] = [file.forecast, file.spread].map((each) => each && each[index] / unit);
    Object.assign(found, { forecast, spread });
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
    found.earned = found.rating.map((each, row) => earned(site, each, file.earned[first + row]));
    found.provisional = part("provisional");
    found.isProvisional = file.provisional_now.includes(index);
    found.best = file.best[index] ?? found.rating.indexOf(Math.max(...found.rating));
    found.sigma = part("sigma").map((each) => (each === null ? null : each / unit));
    const [now, sigma, held] = file.now[index] ?? [];
    found.now = now === undefined ? found.rating.at(-1) : now / unit;
    found.sigmaNow = now === undefined ? found.sigma.at(-1) : sigma === null ? null : sigma / unit;
    const last_ = held ?? found.earned.at(-1);
    found.held = site.kept ? Math.max(last_, ...found.earned) : last_;
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

  // The address of the explanation of a result, if there is one.
  function whyAddress(found, each) {
    const file = found.why.get(found.number[each]);
    return file && `why/${file.split("/").map(encodeURIComponent).join("/")}.html`;
  }

  // The change by a contest, which leads to its explanation.
  function because(site, found, contests, each) {
    const shown = change(found.before[each], found.rating[each], site.digits);
    const label = `why ${shown.textContent} in ${readable(contests[each].name)}`;
    const told = each === 0 ? "new" : shown;
    const address = whyAddress(found, each);
    return address ? make("a", { href: address, "aria-label": label }, told) : told;
  }

  function lastChange(site, found, contests) {
    const last = contests.length - 1;
    const address = whyAddress(found, last) ?? contestAddress(contests[last]);
    return make("a", { href: address }, change(found.before[last], found.rating[last], site.digits));
  }

  function expected(found, digits) {
    const give = faint(`± ${number(found.spread, digits)}`);
    return fact("Expected in the next contest", `${number(found.forecast, digits)} `, give);
  }

  function facts(site, found, contests) {
    const { digits } = site;
    const { best } = found;
    const last = found.rating.length - 1;
    const wins = found.rank.filter((each) => each === 1).length;
    const next = found.isProvisional ? undefined : site.titles[found.held];
    const sigma = found.sigmaNow === null ? [] : [" ", faint(`± ${number(found.sigmaNow, digits)}`)];
    const shown = [
      fact("Rating", ...marked(number(found.now, digits), found.isProvisional), ...sigma),
      ...(found.forecast === undefined ? [] : [expected(found, digits)]),
      found.place === null
        ? fact("Place", faint("not on the leaderboard yet"))
        : fact("Place", `${number(found.place)} `, faint(`of ${number(site.players)}`)),
    ];
    if (found.place !== null && site.players > 1) {
      const share = (site.players - found.place) / (site.players - 1);
      shown.push(fact("Better than", `${window.podiumCharts.percent(share)} `, faint("of the others")));
    }
    if (last >= 0) {
      const when = faint(time(contests[best].time));
      shown.push(fact("Best", `${number(found.rating[best], digits)} `, when));
    }
    shown.push(fact("Contests", number(last + 1), ...(wins ? [" ", faint(`${number(wins)} won`)] : [])));
    if (last >= 0) shown.push(fact("Last change", lastChange(site, found, contests)));
    if (next) {
      const gap = window.podiumCharts.changeOf(found.now, next[0], digits);
      const away = number(gap, digits);
      const goal = faint(`at ${number(next[0], digits)}, ${away} to go`);
      shown.push(fact("Next title", `${readable(next[1])} `, goal));
    }
    return make("dl", { class: "numbers" }, ...shown);
  }

  function historyTable(site, player, found, contests) {
    const { digits } = site;
    const heads = [
      ["Date", "opt"],
      ["Contest", ""],
      ["Rank", "n"],
      ["Performance", "n opt"],
      ["Before", "n opt"],
      ["After", "n"],
      ["Change", "n"],
    ];
    const row = (each) => {
      const contest = contests[each];
      const link = make("a", { href: contestAddress(contest) }, name(contest.name));
      const among = ` of ${number(contest.players)}`;
      return make(
        "tr",
        {},
        cell("opt", time(contest.time)),
        make("th", { scope: "row" }, link, make("span", { class: "narrow faint" }, time(contest.time))),
        cell("n", number(found.rank[each]), make("span", { class: "faint opt-inline" }, among)),
        cell("n opt", number(found.performance[each], digits)),
        cell("n opt", each === 0 ? faint("new") : number(found.before[each], digits)),
        cell(
          `n rating ${toneOf(site, found.earned[each])}`,
          ...marked(number(found.rating[each], digits), found.provisional[each]),
        ),
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
    const count = found.held;
    const tone = toneOf(site, count);
    const row = make("div", { class: "title-row" }, make("h1", { class: tone }, name(player)));
    if (count) {
      const title = make("span", { class: `title ${tone}` }, readable(site.titles[count - 1][1]));
      row.append(make("p", {}, title));
    }
    if (found.isProvisional) row.append(make("p", { class: "facts" }, "provisional"));
    const figure = make("figure", { class: "chart" });
    document.title = document.title.replace(/^Player/, () => readable(player));
    if (!contests.length) {
      const given = make("p", { class: "note" }, "This comes from a starting rating; no contest was rated yet.");
      place.replaceChildren(row, facts(site, found, contests), given);
      return;
    }
    place.replaceChildren(
      row,
      facts(site, found, contests),
      figure,
      make("h2", {}, "Contests"),
      ...historyTable(site, player, found, contests),
    );
    window.podiumCharts.career(figure, {
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
      best: found.best,
      seasons: site.seasons
        .filter(([start]) => start > contests[0].time)
        .map(([start, called]) => [start, readable(called)]),
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

  // Of long standings, a page has the first rows; the others are shown and searched here.
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
      const isRated = value("rating") !== null;
      const after = isRated ? (value("before") + value("rating")) / unit : null;
      const address = `${place.dataset.base}?${new URLSearchParams({ name: file.player[each] })}`;
      const tones = [toneOf(site, earned(site, before, file.earned_before[each]))];
      tones.push(toneOf(site, earned(site, after, file.earned[each])));
      const hidden = /^hidden player( \d+)?$/.test(file.player[each]);
      const link = hidden
        ? make("span", { class: "player faint" }, name(file.player[each]))
        : make("a", { class: `player ${tones[0]}`, href: address }, name(file.player[each]));
      const cells = [cell("n place", number(columns.rank[each])), make("th", { scope: "row" }, link)];
      if (file.team) cells.push(cell("opt", name(value("team") ?? NOTHING)));
      if (file.score) cells.push(cell("n opt", name(value("score") ?? NOTHING)));
      if (file.status) cells.push(cell("opt", name(value("status") ?? NOTHING)));
      if (file.expected) cells.push(cell("n opt", number(value("expected"))));
      if (file.performance) cells.push(cell("n opt", number(scaled("performance"), digits)));
      if (file.before) {
        cells.push(cell("n opt", number(before, digits)));
        cells.push(cell(`n rating ${tones[1]}`, ...marked(number(after, digits), value("provisional"))));
        const unrated = faint(file.guests.includes(each) ? "guest" : "not rated");
        cells.push(cell("n", isRated ? change(before, after, digits) : unrated));
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
