
const inWords = new Intl.Collator(undefined, { numeric: true });
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.onclick = () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      const rows = [...table.tBodies[0].rows].map((row) => {
        const text = row.cells[place].textContent;
        const last = text.split("→").pop();
        const number = parseFloat(last.replace(/[,±*\s]/g, "").replace("−", "-"));
        return { row, text, number: head.className === "number" ? number : 0 };
      });
      rows.sort((a, b) =>
        isNaN(a.number) - isNaN(b.number) ||
        sign * (a.number - b.number || inWords.compare(a.text, b.text)));
      table.tBodies[0].append(...rows.map((each) => each.row));
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    };
    head.replaceChildren(button);
  });
}
