// The choice of colours, before anything is drawn. Not a module: those run after the first paint.
'use strict';
(() => {
  const root = document.documentElement;
  const kept = () => {
    try {
      return localStorage.getItem('theme');
    } catch {
      return null;  // storage may be forbidden
    }
  };
  const use = (name) => {
    if (name === 'light' || name === 'dark')
      root.dataset.theme = name;
    else
      delete root.dataset.theme;
  };
  use(kept());
  document.addEventListener('DOMContentLoaded', () => {
    const select = document.getElementById('theme');
    select.value = root.dataset.theme ?? 'auto';
    select.addEventListener('change', () => {
      use(select.value);
      try {
        localStorage.setItem('theme', select.value);
      } catch {
        // It then lasts until the page is closed.
      }
    });
  });
})();
