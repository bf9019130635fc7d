// Charts that can be pointed at, zoomed and moved along.
//
// The server draws every chart; this script adds to them, and draws careers and comparisons again
// from their data: podiumCharts.career(figure, data) also fills an empty figure. Looks come from
// charts.css alone. Pictures are laid out as the server does it: across in percent, down in pixels.
// Numbers are written as the server writes them, also for other scripts: podiumCharts.number(value).
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NOTHING = "–";
  const HEIGHT = 300;
  const DAY = 86400;
  const MOST_LINKS = 120;
  const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const MARKERS = [
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.3l4.2 7.4h-8.4z",
    "M0-4.6l4.4 4.6-4.4 4.6-4.4-4.6z",
    "M-3.4-3.4l6.8 6.8M-3.4 3.4l6.8-6.8",
  ];
  const SPANS = [["1 month", 30.5 * DAY], ["3 months", 91.5 * DAY], ["1 year", 365.25 * DAY]];

  function fill(element, attributes, content) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== "") {
        element.setAttribute(name, typeof value === "number" ? short(value) : value);
      }
    }
    element.append(...content);
    return element;
  }

  const svg = (name, attributes = {}, ...content) =>
    fill(document.createElementNS(SVG, name), attributes, content);
  const html = (name, attributes = {}, ...content) =>
    fill(document.createElement(name), attributes, content);

  const short = (value) => String(Math.round(value * 10) / 10);
  const at = (share) => `${Math.round(share * 10000) / 100}%`;
  const path = (points) => `M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}`;
  const dots = (points) => points.map(([x, y]) => `M${short(x)} ${short(y)}h0`).join("");

  // The number without its sign, rounded as Python does it: a tie goes to the even digit, where
  // toFixed goes up. A tie is an odd multiple of a power of two, so that this finds it exactly.
  function fixed(value, digits) {
    const text = Math.abs(value).toFixed(digits);
    const isTie = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
    const last = Number(text.slice(-1));
    return isTie && last % 2 ? text.slice(0, -1) + (last - 1) : text;
  }

  const isZero = (text) => !/[1-9]/.test(text);

  // These are number, signed, percent and day of charts/lettering.py, and change_of of wording.py.
  function number(value, digits = 0) {
    if (value === null || value === undefined) return NOTHING;
    const text = fixed(value, digits);
    const [whole, rest] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return (value < 0 && !isZero(text) ? "−" : "") + grouped + (rest ? `.${rest}` : "");
  }

  function signed(value, digits = 0) {
    if (value === null || value === undefined) return NOTHING;
    if (isZero(fixed(value, digits))) return "0";
    return (value > 0 ? "+" : "") + number(value, digits);
  }

  function percent(share) {
    if (share === null || share === undefined) return NOTHING;
    if (share > 0 && share < 0.001) return "<0.1 %";
    if (share > 0.999 && share < 1) return ">99.9 %";
    const isExtreme = (share > 0 && share < 0.0995) || (share > 0.9005 && share < 1);
    return `${number(100 * share, isExtreme ? 1 : 0)} %`;
  }

  const rounded = (value, digits) => Math.sign(value) * Number(fixed(value, digits));
  const changeOf = (before, after, digits) =>
    rounded(rounded(after, digits) - rounded(before, digits), digits);

  function day(seconds) {
    const date = new Date(seconds * 1000);
    return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  }

  // A name in a sentence turns only itself around.
  const isolated = (text) => (/^[ -~→−]*$/.test(text) ? text : `\u2068${text}\u2069`);

  const step = (before, after, digits) =>
    `${number(before, digits)} → ${number(after, digits)} (${signed(changeOf(before, after, digits), digits)})`;

  // Scales and ticks are those of charts/axes.py, so that a chart that is drawn again stays the same.
  function scale(low, high) {
    const found = (value) => (value - low) / (high - low);
    found.low = low;
    found.high = high;
    found.holds = (value) => low <= value && value <= high;
    return found;
  }

  function around(values, margin, least) {
    let low = Infinity;
    let high = -Infinity;
    for (const each of values) {
      if (each < low) low = each;
      if (each > high) high = each;
    }
    const wide = high - low;
    const pad = Math.max(
      margin * wide, (least - wide) / 2, Math.abs(high) * 1e-9, Math.abs(low) * 1e-9,
    );
    return scale(low - pad, high + pad);
  }

  function numberTicks(axis, most) {
    const rough = (axis.high - axis.low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const size = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(size) + 1e-9));
    const ticks = [];
    for (let each = Math.ceil(axis.low / size); each <= Math.floor(axis.high / size); each += 1) {
      ticks.push([each * size, number(each * size, digits)]);
    }
    return ticks;
  }

  const EVEN = [60, 300, 900, 1800, 3600, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 14 * DAY];
  const MONTHLY = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24000];

  function dateTicks(axis, most) {
    const rough = (axis.high - axis.low) / most;
    const even = EVEN.find((each) => each >= rough);
    if (even) return evenTicks(axis, even);
    const months = MONTHLY.find((each) => each * 30.4369 * DAY >= rough * 0.999);
    return monthlyTicks(axis, months ?? MONTHLY[MONTHLY.length - 1]);
  }

  function evenTicks(axis, size) {
    const monday = size >= 7 * DAY ? 4 * DAY : 0; // 1970 began on a Thursday
    const ticks = [];
    let seen = null;
    const first = Math.ceil((axis.low - monday) / size);
    for (let count = first; count <= Math.floor((axis.high - monday) / size); count += 1) {
      const seconds = count * size + monday;
      const date = new Date(seconds * 1000);
      let label = date.toISOString().slice(-13, -8);
      if (size >= DAY || label === "00:00") {
        label = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
        if (seen !== date.getUTCFullYear()) {
          seen = date.getUTCFullYear();
          label += ` ${seen}`;
        }
      }
      ticks.push([seconds, label]);
    }
    return ticks;
  }

  function monthlyTicks(axis, months) {
    const begin = new Date(axis.low * 1000);
    const end = new Date(axis.high * 1000);
    const last = end.getUTCFullYear() * 12 + end.getUTCMonth();
    const first = Math.ceil((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months;
    const ticks = [];
    let seen = null;
    for (let count = first; count <= last; count += months) {
      const year = Math.floor(count / 12);
      const date = new Date(0);
      date.setUTCFullYear(year, count % 12, 1);
      const seconds = date.getTime() / 1000;
      if (!axis.holds(seconds)) continue;
      let label = months >= 12 ? String(year) : MONTHS[count % 12];
      if (months < 12 && seen !== year) {
        seen = year;
        label += ` ${year}`;
      }
      ticks.push([seconds, label]);
    }
    return ticks;
  }

  function grid(ticks, axis, height) {
    const group = svg("g", { class: "grid" });
    for (const [value, label] of ticks) {
      const y = height * (1 - axis(value));
      group.append(
        svg("line", { x2: "100%", y1: y, y2: y }),
        svg("text", { x: -8, y: y + 4, class: "end" }, label),
      );
    }
    return group;
  }

  function foot(ticks, axis, height, wide) {
    const group = svg("g", { class: "foot" }, svg("line", { x2: "100%", y1: height, y2: height }));
    for (const [value, label] of ticks) {
      const share = axis(value);
      const x = at(share);
      group.append(
        svg("line", { x1: x, x2: x, y1: height, y2: height + 4 }),
        svg("text", { x, y: height + 18, class: sideOf(share, label, wide) }, label),
      );
    }
    return group;
  }

  // A label near the right end must not reach beyond it; letters are about 7 pixels wide.
  const sideOf = (share, label, wide) =>
    ((1 - share) * wide + 6 < 3.5 * label.length ? "end" : null);

  function thinned(indices, most, keep) {
    if (indices.length <= most) return indices;
    const spacing = (indices.length - 1) / (most - 1);
    const chosen = new Set(keep);
    for (let each = 0; each < most; each += 1) chosen.add(indices[Math.round(each * spacing)]);
    return indices.filter((each) => chosen.has(each));
  }

  // The corner of a band that the curve leaves free: whether on the right, and how far down.
  function corner(wide, upper, lower, obstacles) {
    for (const down of [lower - 5, upper + 13]) {
      for (const right of [false, true]) {
        const left = right ? 1000 - wide : 0;
        if (!obstacles.some((each) => crosses(each, left, left + wide, down - 11, down + 4))) {
          return [right, down];
        }
      }
    }
    return [false, lower - 5];
  }

  function crosses([x1, y1, x2, y2], left, right, top, bottom) {
    if (x2 < left || x1 > right) return false;
    const slope = x2 > x1 ? (y2 - y1) / (x2 - x1) : 0;
    const begin = y1 + slope * (Math.max(left, x1) - x1);
    const end = y2 - slope * (x2 - Math.min(right, x2));
    return Math.min(begin, end) <= bottom && Math.max(begin, end) >= top;
  }

  // What is said of the point that is pointed at.
  class Tip {
    constructor(plot) {
      this.plot = plot;
      this.box = html("div", { class: "chart-tip", hidden: "hidden" });
      plot.append(this.box);
    }

    // Lines: the first is the heading. x and y are pixels from the corner of the plot.
    show(lines, x, y, href = null) {
      const [heading, ...rest] = lines;
      this.box.replaceChildren(html("strong", {}, heading));
      for (const line of rest) this.box.append(html("span", {}, line));
      if (href) this.box.append(html("a", { href, tabindex: "-1" }, "Open this contest"));
      this.box.classList.toggle("pinned", Boolean(href));
      this.box.hidden = false;
      const { offsetWidth: wide, offsetHeight: tall } = this.box;
      const left = Math.min(Math.max(0, x - wide / 2), this.plot.clientWidth - wide);
      const above = y - tall - 14;
      this.box.style.left = `${Math.max(0, left)}px`;
      this.box.style.top = `${above < -40 ? y + 16 : above}px`;
    }

    hide() {
      this.box.hidden = true;
    }
  }

  // Says by which keys a chart is read, to those who hear it.
  function hinted(picture, text) {
    hinted.count = (hinted.count ?? 0) + 1;
    const hint = html("p", { class: "chart-hint", id: `chart-hint-${hinted.count}` }, text);
    picture.setAttribute("aria-describedby", hint.id);
    return hint;
  }

  // One or several curves over time. A series has the columns time, rating, before, rank, of and
  // name, and base and href if there are links.
  class TimeChart {
    constructor(figure, data, series) {
      this.figure = figure;
      this.data = data;
      this.series = series;
      this.digits = data.digits;
      this.single = series.length === 1 && !data.series;
      this.plot = figure.querySelector(".chart-plot") ?? html("div", { class: "chart-plot" });
      const drawn = this.plot.querySelector(".chart-svg");
      this.height = Number(drawn?.getAttribute("height")) || HEIGHT;
      this.label = drawn?.getAttribute("aria-label") ?? this.summary();
      const times = series.flatMap((each) => each.time);
      const extent = around(times, 0, 0);
      this.whole = around(times, 0.015, extent.high - extent.low < 3600 ? 10 * DAY : 0);
      this.view = this.whole;
      this.chosen = [0, series[0].time.length - 1];
      this.build();
      this.draw();
      this.listen();
    }

    summary() {
      const said = this.series.map((each) => {
        const last = each.rating.length - 1;
        const rating = number(each.rating[last], this.digits);
        return `${isolated(each.player)}: ${rating} on ${day(each.time[last])}`;
      });
      return `Rating over time. ${said.join("; ")}.`;
    }

    build() {
      this.svg = svg("svg", {
        class: "chart-svg",
        width: "100%",
        height: this.height,
        role: "group",
        "aria-label": this.label,
      });
      const opens = this.series[0].href ? "Enter opens one, " : "";
      const keys = `Arrow keys move along the contests, ${opens}plus and minus zoom, Escape closes.`;
      this.plot.replaceChildren(this.svg, hinted(this.svg, keys));
      this.tip = new Tip(this.plot);
      if (!this.plot.isConnected) this.figure.prepend(this.plot);
      this.figure.classList.add("chart", "chart-live", "chart-zoomable");
      if (!this.figure.querySelector(".chart-legend")) this.figure.append(this.legend());
      this.figure.querySelector(".chart-tools")?.remove();
      this.plot.before(this.tools());
    }

    legend() {
      const keys = this.single
        ? [["key-line", "rating"], ["key-spread", "rating ± its uncertainty"],
           ["key-performance", "performance"]].filter(([name]) =>
            name === "key-line" || this.has(name === "key-spread" ? "sigma" : "performance"))
        : this.series.map((each, index) => [`key-series series-${index}`, each.player]);
      const spans = keys.map(([name, text]) => html("span", { class: `key ${name}` }, text));
      return html("figcaption", { class: "chart-legend" }, ...spans);
    }

    has(column) {
      return this.series[0][column]?.some((each) => each !== null) ?? false;
    }

    tools() {
      const button = (text, label, act) => {
        const made = html("button", { type: "button", "aria-label": label }, text);
        made.addEventListener("click", act);
        return made;
      };
      const group = html("div", { class: "chart-tools", role: "group", "aria-label": "Zoom" });
      this.spans = [];
      for (const [text, span] of SPANS) {
        if (span >= this.whole.high - this.whole.low) continue;
        const made = button(text, `${text}: the last part of the curve`, () => this.last(span));
        this.spans.push([made, span]);
        group.append(made);
      }
      this.all = button("all", "All contests", () => this.zoom(this.whole.low, this.whole.high));
      group.append(
        this.all,
        button("−", "Zoom out", () => this.magnify(2)),
        button("+", "Zoom in", () => this.magnify(0.5)),
      );
      return group;
    }

    // The last so many seconds of what there is.
    last(span) {
      const pad = 0.015 * span;
      const end = Math.max(...this.series.map((each) => each.time[each.time.length - 1]));
      this.zoom(end - span, end + pad);
    }

    // Narrower or wider, around the chosen contest if it is in view, or else the middle.
    magnify(factor, centre = null) {
      const { low, high } = this.view;
      let middle = centre ?? (low + high) / 2;
      const chosen = this.series[this.chosen[0]].time[this.chosen[1]];
      if (centre === null && !this.tip.box.hidden && this.view.holds(chosen)) middle = chosen;
      this.zoom(middle - (middle - low) * factor, middle + (high - middle) * factor);
    }

    zoom(low, high) {
      const wide = Math.min(Math.max(high - low, 3600), this.whole.high - this.whole.low);
      const middle = (low + high) / 2;
      const begin = Math.min(
        Math.max(middle - wide / 2, this.whole.low), this.whole.high - wide,
      );
      this.view = scale(begin, begin + wide);
      this.tip.hide();
      this.draw();
    }

    // Contests in view, and one beyond on either side, so that the curve reaches the edge.
    visible(each) {
      let first = each.time.findIndex((time) => time >= this.view.low);
      if (first < 0) first = each.time.length;
      let last = each.time.length - 1;
      while (last >= 0 && each.time[last] > this.view.high) last -= 1;
      return [Math.max(0, first - 1), Math.min(each.time.length - 1, last + 1), first, last];
    }

    yScale() {
      const ends = [];
      const values = [];
      for (const each of this.series) {
        const [first, last, inFirst, inLast] = this.visible(each);
        for (let index = first; index <= last; index += 1) {
          if (inFirst > inLast || (index >= inFirst && index <= inLast)) values.push(index);
        }
        if (this.single) return this.spreadScale(each, values);
        for (const index of values.splice(0)) ends.push(each.rating[index]);
      }
      const top = Math.max(...ends);
      return around(ends, 0.07, Math.max(Math.abs(top) * 0.04, 10 ** (1 - this.digits)));
    }

    spreadScale(each, indices) {
      const ratings = indices.map((index) => each.rating[index]);
      const sigmas = indices.map((index) => each.sigma?.[index] ?? 0);
      const low = Math.min(...ratings);
      const high = Math.max(...ratings);
      const median = [...sigmas].sort((a, b) => a - b)[Math.floor(sigmas.length / 2)];
      const reach = Math.max((high - low) * 0.6, median * 1.5);
      const ends = ratings.flatMap((rating, index) => [
        Math.max(rating - sigmas[index], low - reach),
        Math.min(rating + sigmas[index], high + reach),
      ]);
      return around(ends, 0.07, Math.max(Math.abs(high) * 0.04, 10 ** (1 - this.digits)));
    }

    draw() {
      const { height, view: x } = this;
      const y = this.yScale();
      this.y = y;
      const wide = this.svg.clientWidth || 600;
      this.svg.replaceChildren(svg("rect", { class: "catch", width: "100%", height }));
      if (this.single) this.svg.append(...this.bands(y, wide));
      this.svg.append(
        grid(numberTicks(y, 6), y, height),
        foot(dateTicks(x, wide < 420 ? 4 : wide < 700 ? 6 : 9), x, height, wide),
      );
      if (this.single) this.svg.append(...this.seasons(x, wide));
      const inner = svg("svg", {
        class: "stretch",
        viewBox: `0 0 1000 ${height}`,
        preserveAspectRatio: "none",
        width: "100%",
        height,
      });
      this.svg.append(inner);
      this.points = this.series.map(() => new Map());
      this.groups = this.series.map((each, index) =>
        svg("g", { class: this.single ? "points" : `series series-${index}` }));
      const names = this.single ? [] : this.namesAt();
      this.series.forEach((each, index) => {
        if (this.single) this.drawCareer(inner, each);
        else this.drawCurve(inner, each, index, names[index]);
      });
      this.crosshair = svg("line", { class: "crosshair", y1: 0, y2: height, visibility: "hidden" });
      this.svg.append(this.crosshair, ...this.groups);
      if (this.single) this.markBest();
      this.rove();
      const width = x.high - x.low;
      const isAll = width > 0.999 * (this.whole.high - this.whole.low);
      this.all.setAttribute("aria-pressed", String(isAll));
      for (const [button, span] of this.spans) {
        const isThis = !isAll && Math.abs(width / (1.015 * span) - 1) < 0.01;
        button.setAttribute("aria-pressed", String(isThis));
      }
    }

    place(each, index) {
      return [
        1000 * this.view(each.time[index]),
        this.height * (1 - this.y(each.rating[index])),
      ];
    }

    // What names of titles should not stand on: the curve, and the words beside its best point.
    obstacles(wide) {
      const each = this.series[0];
      const [first, last] = this.visible(each);
      const found = [];
      for (let index = first; index < last; index += 1) {
        found.push([...this.place(each, index), ...this.place(each, index + 1)]);
      }
      const [x, y] = this.place(each, this.best());
      const half = 40000 / wide;
      for (const below of [-18, -9, 14]) found.push([x - half, y + below, x + half, y + below]);
      return found;
    }

    bands(y, wide) {
      const parts = [];
      const obstacles = this.obstacles(wide);
      const titles = this.data.titles ?? [];
      titles.forEach(([lowest, title, tone], index) => {
        const begin = Math.max(lowest, y.low);
        const end = Math.min(titles[index + 1]?.[0] ?? Infinity, y.high);
        if (begin >= end) return;
        const upper = this.height * (1 - y(end));
        const lower = this.height * (1 - y(begin));
        const band = svg(
          "g",
          { class: `band ${tone}` },
          svg("rect", { y: upper, width: "100%", height: lower - upper }),
        );
        if (lower - upper >= 16) {
          const name = title.length > 26 ? `${title.slice(0, 25)}…` : title;
          const [end_, down] = corner((7 * name.length + 6) * 1000 / wide, upper, lower, obstacles);
          const place = end_ ? { x: "100%", dx: -6, y: down, class: "end" } : { x: 6, y: down };
          band.append(svg("text", place, name));
        }
        parts.push(band);
      });
      return parts.length ? [svg("g", { class: "bands", "aria-hidden": "true" }, ...parts)] : [];
    }

    // A thin line where a season begins, with its name as far as there is room.
    seasons(x, wide) {
      const parts = [];
      let free = 0;
      for (const [time, name] of this.data.seasons ?? []) {
        if (!x.holds(time)) continue;
        const share = x(time);
        const said = name.length > 14 ? `${name.slice(0, 13)}…` : name;
        const room = (7 * said.length + 8) / wide;
        parts.push(svg("line", { x1: at(share), x2: at(share), y2: this.height }));
        if (share >= free && share + room <= 1) {
          const place = { x: at(share), dx: 4, y: this.height - 6, class: "start" };
          parts.push(svg("text", place, said));
          free = share + room;
        }
      }
      return parts.length ? [svg("g", { class: "seasons", "aria-hidden": "true" }, ...parts)] : [];
    }

    drawCareer(inner, each) {
      const [first, last, inFirst, inLast] = this.visible(each);
      const { view: x, y, height } = this;
      const places = [];
      const above = [];
      const below = [];
      const performances = [];
      const beyond = [];
      for (let index = first; index <= last; index += 1) {
        const [across, down] = this.place(each, index);
        places.push([across, down]);
        const sigma = each.sigma?.[index] ?? null;
        if (sigma !== null) {
          above.push([across, height * (1 - y(each.rating[index] + sigma))]);
          below.unshift([across, height * (1 - y(each.rating[index] - sigma))]);
        }
        const performance = each.performance?.[index] ?? null;
        if (performance !== null && x.holds(each.time[index])) {
          if (y.holds(performance)) performances.push([across, height * (1 - y(performance))]);
          else beyond.push([across, performance > y.high ? 3 : height - 3]);
        }
      }
      if (above.length && above[above.length - 1][0] - above[0][0] < 1) {
        const ends = path([above[above.length - 1], below[0]]);
        inner.append(svg("path", { d: ends, class: "spread upright" }));
      } else if (above.length) {
        inner.append(svg("path", { d: `${path([...above, ...below])}z`, class: "spread" }));
      }
      if (performances.length) {
        const many = performances.length > 200 ? "performances many" : "performances";
        inner.append(svg("path", { d: dots(performances), class: many }));
      }
      if (beyond.length) {
        inner.append(svg("path", { d: dots(beyond), class: "performances beyond" }));
      }
      inner.append(svg("path", { d: path(places), class: "line" }));
      const wide = this.svg.clientWidth || 600;
      if (places.length <= Math.max(60, wide / 8)) {
        inner.append(svg("path", { d: dots(places), class: "dots" }));
      }
      this.addPoints(0, inFirst, inLast, MOST_LINKS);
    }

    drawCurve(inner, each, number_, nameAt) {
      const [first, last, inFirst, inLast] = this.visible(each);
      const places = [];
      for (let index = first; index <= last; index += 1) places.push(this.place(each, index));
      const end = places[places.length - 1];
      const group = svg("g", { class: `series-${number_}` });
      if (end[0] < 1000) {
        group.append(svg("path", { d: path([end, [1000, end[1]]]), class: "rest" }));
      }
      group.append(svg("path", { d: path(places), class: "line" }));
      inner.append(group);
      this.addPoints(number_, inFirst, inLast, Math.max(10, (this.svg.clientWidth || 600) / 30));
      const longest = Math.floor((parseFloat(getComputedStyle(this.plot).paddingRight) - 8) / 7);
      const { player } = each;
      const name = player.length > longest ? `${player.slice(0, longest - 1)}…` : player;
      this.groups[number_].append(
        svg("text", { x: "100%", dx: 8, y: nameAt + 4, "aria-hidden": "true" }, name),
      );
    }

    // Where names stand beside the curves, so that none covers another.
    namesAt() {
      const ends = this.series.map((each) => {
        const index = Math.max(0, this.visible(each)[1]);
        const down = this.height * (1 - this.y(each.rating[index]));
        return Math.min(Math.max(down, 4), this.height - 4);
      });
      const order = ends.map((_, index) => index).sort((a, b) => ends[a] - ends[b]);
      const found = [...ends];
      for (let round = 0; round < 50; round += 1) {
        for (let each = 1; each < order.length; each += 1) {
          const gap = found[order[each]] - found[order[each - 1]];
          if (gap < 15) {
            found[order[each]] += (15 - gap) / 2;
            found[order[each - 1]] -= (15 - gap) / 2;
          }
        }
      }
      return found;
    }

    addPoints(number_, first, last, most) {
      const all = [];
      for (let index = first; index <= last; index += 1) all.push(index);
      for (const index of thinned(all, most, this.single ? [this.best()] : [])) {
        this.point(number_, index);
      }
    }

    // Which contest led to the best rating: the data know it, as ratings are rounded here.
    best() {
      const { best, rating } = this.series[0];
      return best ?? rating.indexOf(Math.max(...rating));
    }

    // The link of a contest, made if it is not there.
    point(number_, index) {
      const made = this.points[number_].get(index);
      if (made) return made;
      const each = this.series[number_];
      const [across, down] = this.place(each, index);
      const x = at(across / 1000);
      const mark = this.single
        ? svg("circle", { cx: x, cy: down, r: 4 })
        : svg("svg", { x, y: down, class: "marker" }, svg("path", { d: MARKERS[number_] }));
      const said = this.said(number_, index).map(isolated).join(", ");
      const link = svg("a", { tabindex: "-1", "aria-label": said }, mark);
      if (each.href) link.setAttribute("href", this.address(each, index));
      else link.setAttribute("role", "img");
      link.addEventListener("focus", () => this.choose(number_, index, this.touched));
      const following = [...this.points[number_].keys()].find((other) => other > index);
      const before = following === undefined ? null : this.points[number_].get(following);
      this.groups[number_].insertBefore(link, before);
      this.points[number_].set(index, link);
      return link;
    }

    address(each, index) {
      return each.href ? (each.base ?? "") + each.href[index] : null;
    }

    // One point of all can be reached by the tab key; arrows lead to the others.
    rove() {
      const [number_, index] = this.chosen;
      let target = this.points[number_].get(index);
      if (!target) {
        const some = this.points.find((each) => each.size);
        target = some && [...some.values()].pop();
      }
      if (this.reachable) this.reachable.setAttribute("tabindex", "-1");
      this.reachable = target ?? null;
      target?.setAttribute("tabindex", "0");
    }

    said(number_, index) {
      const each = this.series[number_];
      const lines = [
        `${each.name[index]}`,
        day(each.time[index]),
        `rank ${number(each.rank[index])} of ${number(each.of[index])}`,
        step(each.before[index], each.rating[index], this.digits),
      ];
      if (!this.single) lines.unshift(each.player);
      const performance = each.performance?.[index] ?? null;
      if (performance !== null) lines.push(`performance ${number(performance, this.digits)}`);
      return lines;
    }

    markBest() {
      const each = this.series[0];
      const best = this.best();
      if (!this.view.holds(each.time[best])) return;
      const [across, down] = this.place(each, best);
      const share = across / 1000;
      const anchor = share < 0.2 ? "start" : share > 0.8 ? "end" : null;
      const above = down > 20 ? down - 10 : Math.min(down + 20, this.height - 4);
      this.svg.append(svg(
        "g",
        { class: "best", "aria-hidden": "true" },
        svg("circle", { cx: at(share), cy: down, r: 6 }),
        svg(
          "text",
          { x: at(share), y: above, class: anchor },
          (each.time.length > 1 ? "best " : "") + number(each.rating[best], this.digits),
        ),
      ));
    }

    choose(number_, index, pinned = false) {
      this.chosen = [number_, index];
      const link = this.point(number_, index);
      this.rove();
      for (const each of this.svg.querySelectorAll(".here")) each.classList.remove("here");
      link.classList.add("here");
      const each = this.series[number_];
      const [across, down] = this.place(each, index);
      const x = at(across / 1000);
      this.crosshair.setAttribute("x1", x);
      this.crosshair.setAttribute("x2", x);
      this.crosshair.setAttribute("visibility", "visible");
      const { offsetLeft: left, offsetTop: top } = this.corner();
      const wide = this.svg.clientWidth || this.svg.getBoundingClientRect().width;
      this.tip.show(
        this.said(number_, index),
        left + (across / 1000) * wide,
        top + down,
        pinned ? this.address(each, index) : null,
      );
    }

    // Where the picture begins in the plot.
    corner() {
      const outer = this.plot.getBoundingClientRect();
      const style = getComputedStyle(this.plot);
      return {
        offsetLeft: parseFloat(style.paddingLeft),
        offsetTop: parseFloat(style.paddingTop),
        outer,
      };
    }

    leave() {
      this.tip.hide();
      this.crosshair.setAttribute("visibility", "hidden");
      for (const each of this.svg.querySelectorAll(".here")) each.classList.remove("here");
    }

    where(event) {
      const { outer, offsetLeft, offsetTop } = this.corner();
      return [event.clientX - outer.left - offsetLeft, event.clientY - outer.top - offsetTop];
    }

    // The contest in view that is nearest to a place: across first, then down.
    nearest(x, y) {
      const wide = this.svg.clientWidth || this.svg.getBoundingClientRect().width;
      let found = null;
      let least = Infinity;
      this.series.forEach((each, number_) => {
        const [, , first, last] = this.visible(each);
        for (let index = first; index <= last; index += 1) {
          const [across, down] = this.place(each, index);
          const apart = Math.abs((across / 1000) * wide - x);
          const below = Math.abs(down - y);
          const distance = this.single ? apart + below / 1000 : Math.hypot(apart, below);
          if (distance < least) {
            least = distance;
            found = [number_, index];
          }
        }
      });
      return found;
    }

    listen() {
      let begin = null;
      let band = null;
      this.svg.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        const [x, y] = this.where(event);
        this.touched = event.pointerType !== "mouse";
        if (!this.touched) begin = x;
        else this.pointAt(x, y, true);
      });
      this.svg.addEventListener("pointermove", (event) => {
        const [x, y] = this.where(event);
        if (begin !== null && event.pointerType === "mouse") {
          if (!band && Math.abs(x - begin) < 6) return;
          if (!band) {
            band = svg("rect", { class: "selection", y: 0, height: this.height });
            this.svg.append(band);
            this.svg.setPointerCapture(event.pointerId);
            this.leave();
          }
          band.setAttribute("x", Math.max(0, Math.min(begin, x)));
          band.setAttribute("width", Math.abs(Math.max(0, x) - begin));
        } else {
          this.pointAt(x, y, event.pointerType !== "mouse");
        }
      });
      const end = (event, zooms) => {
        if (band && zooms) {
          const wide = this.svg.clientWidth || this.svg.getBoundingClientRect().width;
          const { low, high } = this.view;
          const [x] = this.where(event);
          const times = [begin, x].map((each) => low + (each / wide) * (high - low));
          this.suppress = true; // the click that ends the drag opens nothing
          this.zoom(Math.min(...times), Math.max(...times));
        }
        band?.remove();
        band = null;
        begin = null;
      };
      this.svg.addEventListener("pointerup", (event) => end(event, true));
      this.svg.addEventListener("pointercancel", (event) => end(event, false));
      this.svg.addEventListener("dragstart", (event) => event.preventDefault());
      this.svg.addEventListener("click", (event) => {
        if (this.suppress || event.pointerType === "touch") event.preventDefault();
        else this.open(event);
        this.suppress = false;
      });
      this.svg.addEventListener("dblclick", () => this.zoom(this.whole.low, this.whole.high));
      this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      this.plot.addEventListener("pointerleave", (event) => {
        const held = this.svg.contains(document.activeElement);
        if (event.pointerType === "mouse" && !held) this.leave();
      });
      // On the picture itself, a listener for focus would make it a stop of the tab key.
      this.plot.addEventListener("focusout", (event) => {
        if (!this.plot.contains(event.relatedTarget)) this.leave();
      });
      this.plot.addEventListener("keydown", (event) => this.key(event));
      document.addEventListener("pointerdown", (event) => {
        if (!this.plot.contains(event.target)) this.leave();
      });
      let wide = this.svg.clientWidth;
      new ResizeObserver(() => {
        if (Math.abs(this.svg.clientWidth - wide) < 2) return;
        wide = this.svg.clientWidth;
        const held = this.svg.contains(document.activeElement);
        this.tip.hide();
        this.draw();
        if (held) this.reachable?.focus({ preventScroll: true });
      }).observe(this.plot);
    }

    pointAt(x, y, pinned) {
      const found = this.nearest(x, y);
      if (found) this.choose(...found, pinned);
      else this.leave();
    }

    // A click near a point opens it; by touch, the tip has the link.
    open(event) {
      if (event.pointerType !== "mouse" || event.target.closest("a")) return;
      const [number_, index] = this.chosen;
      const each = this.series[number_];
      const [x, y] = this.where(event);
      const wide = this.svg.clientWidth || this.svg.getBoundingClientRect().width;
      const [across, down] = this.place(each, index);
      const address = this.address(each, index);
      if (address && Math.hypot((across / 1000) * wide - x, down - y) < 12) {
        window.location.assign(address);
      }
    }

    wheel(event) {
      if (!event.ctrlKey && !event.metaKey) return; // a wheel alone scrolls the page
      event.preventDefault();
      const wide = this.svg.clientWidth || 1;
      const share = this.where(event)[0] / wide;
      const { low, high } = this.view;
      this.magnify(event.deltaY > 0 ? 1.25 : 0.8, low + share * (high - low));
    }

    key(event) {
      const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
      const others = { ArrowUp: -1, ArrowDown: 1 };
      const [number_, index] = this.chosen;
      this.touched = false;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in moves) {
        const last = this.series[number_].time.length - 1;
        this.go(number_, Math.min(Math.max(index + moves[event.key], 0), last));
      } else if (event.key in others && this.series.length > 1) {
        const next = (number_ + others[event.key] + this.series.length) % this.series.length;
        this.go(next, this.closest(next, this.series[number_].time[index]));
      } else if (event.key === "Escape") {
        this.leave();
      } else if (event.key === "+" || event.key === "-") {
        this.magnify(event.key === "+" ? 0.5 : 2);
        this.go(number_, index);
      } else {
        return;
      }
      event.preventDefault();
    }

    closest(number_, time) {
      const apart = this.series[number_].time.map((each) => Math.abs(each - time));
      return apart.indexOf(Math.min(...apart));
    }

    // Focus a contest; what is shown moves along if it is out of view.
    go(number_, index) {
      const time = this.series[number_].time[index];
      if (!this.view.holds(time)) {
        const wide = this.view.high - this.view.low;
        this.chosen = [number_, index];
        this.zoom(time - wide / 2, time + wide / 2);
      }
      const link = this.point(number_, index);
      link.setAttribute("tabindex", "0");
      if (document.activeElement === link) this.choose(number_, index);
      else link.focus({ preventScroll: true });
    }
  }

  function career(figure, data) {
    if (!data.time?.length) return null;
    figure.dataset.chart ??= "career";
    figure.classList.add("chart-career");
    return new TimeChart(figure, data, [data]);
  }

  function compare(figure, data) {
    const series = data.series.filter((each) => each.time.length);
    if (!series.length) return null;
    figure.dataset.chart ??= "compare";
    figure.classList.add("chart-compare");
    return new TimeChart(figure, data, series);
  }

  // Lets the marks of a picture tell what their titles say, which only a mouse would reach.
  function telling(figure) {
    const picture = figure.querySelector(".chart-svg");
    const all = [...figure.querySelectorAll(".mark")];
    const marks = all.filter((each) => each.querySelector("title"));
    if (!picture || !marks.length) return;
    const plot = figure.querySelector(".chart-plot");
    const tip = new Tip(plot);
    const live = html("p", { class: "chart-hint", role: "status" });
    const linked = picture.querySelector("a") !== null;
    const opens = linked ? "Enter opens its contest, " : "";
    plot.append(hinted(picture, `Arrow keys move from mark to mark, ${opens}Escape closes.`), live);
    const texts = new Map();
    for (const mark of marks) {
      const title = mark.querySelector("title");
      texts.set(mark, title.textContent);
      title.remove(); // the browser's own tip would stand beside ours
    }
    let chosen = -1;
    const hide = () => {
      tip.hide();
      for (const mark of figure.querySelectorAll(".here")) mark.classList.remove("here");
    };
    const show = (mark, aloud = false) => {
      hide();
      chosen = marks.indexOf(mark);
      mark.classList.add("here");
      const outer = plot.getBoundingClientRect();
      const box = mark.getBoundingClientRect();
      const text = texts.get(mark);
      const cut = text.indexOf(": ");
      const lines = cut < 0 ? [text] : [text.slice(0, cut), text.slice(cut + 2)];
      tip.show(lines, box.left + box.width / 2 - outer.left, box.top - outer.top);
      if (aloud) live.textContent = text;
    };
    if (!linked) {
      picture.setAttribute("tabindex", "0");
      picture.setAttribute("role", "group");
      picture.addEventListener("blur", hide);
    }
    for (const mark of marks) {
      mark.parentElement.closest("a")?.addEventListener("focus", () => show(mark));
      mark.parentElement.closest("a")?.addEventListener("blur", hide);
    }
    // The mark that is nearest, if one is near.
    const under = (event) => {
      let [found, least] = [null, 16];
      for (const mark of marks) {
        const box = mark.getBoundingClientRect();
        const across = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const down = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        const distance = Math.hypot(across, down);
        if (distance < least) [found, least] = [mark, distance];
      }
      if (found) show(found);
      else hide();
    };
    picture.addEventListener("pointermove", under);
    picture.addEventListener("pointerdown", under);
    picture.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    figure.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (event.key === "Escape") hide();
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = marks[Math.min(Math.max(chosen + move, 0), marks.length - 1)];
      const link = next.parentElement.closest("a");
      if (link) link.focus({ preventScroll: true });
      else show(next, true);
    });
    figure.classList.add("chart-live");
  }

  // The rating of a rank: as it is known, or between its neighbours, and whether it is known.
  function ratingAt(data, rank) {
    let above = data.rank.findIndex((each) => each >= rank);
    if (above < 0) above = data.rank.length - 1;
    if (data.rank[above] === rank || above === 0) return [data.rating[above], true];
    const [low, high] = [data.rank[above - 1], data.rank[above]];
    const share = (rank - low) / (high - low);
    return [data.rating[above - 1] + share * (data.rating[above] - data.rating[above - 1]), false];
  }

  // The slider and the output of a page, or new ones.
  function sliderOf(figure, data) {
    const around_ = figure.closest("section, .what-if") ?? figure.parentElement;
    let slider = around_?.querySelector(".what-if-slider");
    if (!slider) {
      const id = `what-if-${(sliderOf.count = (sliderOf.count ?? 0) + 1)}`;
      slider = html("input", {
        type: "range",
        class: "what-if-slider",
        id,
        min: data.rank[0],
        max: data.rank[data.rank.length - 1],
        step: 1,
      });
      const label = html("label", { for: id }, "Final rank");
      const output = html("output", { for: id });
      figure.before(html("p", { class: "what-if-control" }, label, slider, output));
    }
    const output = (slider.id && document.querySelector(`output[for="${CSS.escape(slider.id)}"]`))
      || slider.parentElement.querySelector("output");
    return [slider, output];
  }

  function whatIf(figure, data) {
    const picture = figure.querySelector(".chart-svg");
    if (!picture || data.rank.length < 2) return;
    const [slider, output] = sliderOf(figure, data);
    const x = scale(data.low, data.high);
    const y = scale(data.bottom, data.top);
    const line = svg("line", { y2: data.height });
    const circle = svg("circle", { r: 6 });
    picture.append(svg("g", { class: "moved", "aria-hidden": "true" }, line, circle));
    const move = () => {
      const rank = Number(slider.value);
      let [rating, known] = ratingAt(data, rank);
      if (rank === data.actual && data.tied !== null) [rating, known] = [data.tied, true];
      const share = at(x(data.logarithmic ? Math.log(rank) : rank));
      const down = data.height * (1 - y(rating));
      for (const name of ["x1", "x2"]) line.setAttribute(name, share);
      line.setAttribute("y1", short(down));
      circle.setAttribute("cx", share);
      circle.setAttribute("cy", short(down));
      const change = signed(changeOf(data.before, rating, data.digits), data.digits);
      const about = known ? "" : "about ";
      const said = `rank ${number(rank)}: ${about}${number(rating, data.digits)} (${change})`;
      if (output) output.textContent = said;
      slider.setAttribute("aria-valuetext", said);
    };
    if (data.actual) slider.value = data.actual;
    slider.addEventListener("input", move);
    move();
  }

  const KINDS = { career, compare, "what-if": whatIf };

  function start(root = document) {
    for (const figure of root.querySelectorAll("figure[data-chart]")) {
      if (figure.classList.contains("chart-live")) continue;
      const block = figure.querySelector("script.chart-data");
      const draw = KINDS[figure.dataset.chart];
      if (draw && block) draw(figure, JSON.parse(block.textContent));
      else if (!draw) telling(figure);
      figure.classList.add("chart-live");
    }
  }

  window.podiumCharts = { career, compare, start, number, signed, percent, day, changeOf };
  if (document.readyState !== "loading") start();
  else document.addEventListener("DOMContentLoaded", () => start());
})();
