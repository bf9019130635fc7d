// The colours that the reader chose, before anything is drawn.
"use strict";

(() => {
  try {
    const theme = localStorage.getItem("podium-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // without storage, the reader's preference holds
  }
})();
