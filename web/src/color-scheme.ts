// Runs before the first paint, from a file of its own because the content security policy allows no inline script.
// Must agree with `colorSchemeKey` in theme.ts, which is not imported to keep this file tiny.
const stored = (() => {
  try {
    return localStorage.getItem('svc-color-scheme');
  } catch {
    return null;
  }
})();
const dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
