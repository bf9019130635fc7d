// What organisers' pages do better with a script: files that are dropped or pasted, and more rows.
"use strict";

(() => {
  const root = document.documentElement;
  root.classList.add("scripted");

  // Files: dropped anywhere on the page, pasted, or chosen; what is there is said.
  const takingFiles = (form) => {
    const input = form.querySelector("input[type=file]");
    const zone = form.querySelector("[data-drop]");
    const list = form.querySelector("[data-chosen]");
    const table = form.querySelector("[data-pasted]");
    if (!input || !zone || !list) return;

    const show = () => {
      list.replaceChildren(
        ...[...input.files].map((file) => {
          const item = document.createElement("li");
          const name = document.createElement("bdi");
          name.textContent = file.name;
          item.append(name, ` (${Math.max(1, Math.round(file.size / 1024)).toLocaleString("en")} kB)`);
          return item;
        }),
      );
    };
    const open = () => {
      for (let at = zone.parentElement; at && at !== form; at = at.parentElement) {
        if (at.tagName === "DETAILS") at.open = true;
      }
    };
    const take = (files) => {
      if (!files.length) return;
      const all = new DataTransfer();
      for (const file of input.multiple ? [...input.files, ...files] : [files[0]]) all.items.add(file);
      input.files = all.files;
      open();
      show();
      form.querySelector("[data-continue]")?.focus();
    };
    input.addEventListener("change", show);

    let inside = 0;
    const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const leave = () => {
      inside = 0;
      zone.classList.remove("over");
    };
    document.addEventListener("dragenter", (event) => {
      if (!carriesFiles(event)) return;
      inside += 1;
      open();
      zone.classList.add("over");
    });
    document.addEventListener("dragleave", (event) => {
      if (carriesFiles(event) && --inside <= 0) leave();
    });
    document.addEventListener("dragover", (event) => {
      if (carriesFiles(event)) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      leave();
      take([...event.dataTransfer.files]);
    });
    document.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length) {
        event.preventDefault();
        take(files);
        return;
      }
      const typing = event.target.closest?.("input, textarea, select");
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (typing || !table || !text.includes("\n")) return;
      event.preventDefault();
      table.value = text;
      open();
      table.closest("details").open = true;
      form.querySelector("[data-continue]")?.focus();
    });
  };

  // Rows: more of them without loading the page, and several lines at once.
  const growing = (rows) => {
    const button = rows.querySelector("[data-more]");
    const all = () => [...rows.querySelectorAll(".row")];
    const add = () => {
      const last = all().at(-1);
      const row = last.cloneNode(true);
      const number = all().length + 1;
      row.setAttribute("aria-label", row.getAttribute("aria-label").replace(/\d+/, number));
      for (const list of row.querySelectorAll(".suggestions")) list.remove();
      for (const input of row.querySelectorAll("input")) {
        input.value = "";
        input.setAttribute("aria-label", input.getAttribute("aria-label").replace(/\d+/, number));
        for (const name of ["role", "aria-autocomplete", "aria-expanded", "aria-controls", "aria-activedescendant"]) {
          input.removeAttribute(name);
        }
        if (input.dataset.suggest) window.podiumSuggest?.(input);
      }
      last.after(row);
      return row;
    };
    button?.addEventListener("click", (event) => {
      event.preventDefault();
      const first = add();
      for (let more = 0; more < 4; more += 1) add();
      first.querySelector("input").focus();
    });
    rows.addEventListener("paste", (event) => {
      const input = event.target;
      const lines = (event.clipboardData?.getData("text/plain") ?? "").split(/\r?\n/).filter((line) => line.trim());
      if (!(input instanceof HTMLInputElement) || lines.length < 2) return;
      event.preventDefault();
      event.stopPropagation();
      const start = all().findIndex((row) => row.contains(input));
      const columns = [...all()[start].querySelectorAll("input")];
      const from = columns.indexOf(input);
      lines.forEach((line, index) => {
        const row = all()[start + index] ?? add();
        const cells = [...row.querySelectorAll("input")];
        line.split("\t").forEach((text, at) => {
          if (cells[from + at]) cells[from + at].value = text.trim();
        });
      });
    });
  };

  // A choice of somebody else is made by naming them.
  const choosing = (other) => {
    const radio = other.querySelector("input[type=radio]");
    other.querySelector(".cell input").addEventListener("input", () => {
      radio.checked = true;
    });
  };

  const start = () => {
    for (const form of document.querySelectorAll("form[data-files]")) takingFiles(form);
    for (const rows of document.querySelectorAll("[data-rows]")) growing(rows);
    for (const other of document.querySelectorAll(".question .other")) choosing(other);
    const wrong = document.querySelector("[aria-invalid=true]") ?? document.getElementById("problem");
    (wrong ?? document.getElementById("done"))?.focus();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
