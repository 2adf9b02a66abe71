// Runs before the first paint and before the app. It is inlined into the page, and the content security policy allows
// it by hash.
import { languageFor, languageKey } from './language/languages.ts';

interface Editions {
  /** Covers the home page and the pages before login. */
  first: string;
  whole: string;
}

/** File URLs, filled in by the build. English needs no translation file: its texts are in the code. */
declare const allStyles: string;
declare const wordFiles: Record<string, Editions | undefined>;

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const root = document.documentElement;

// Must agree with `colorSchemeKey` in theme.ts, which is not imported to keep this tiny.
const scheme = kept('svc-color-scheme');
const dark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
root.dataset.mantineColorScheme = dark ? 'dark' : 'light';

root.lang = languageFor(kept(languageKey), navigator.languages);
const words = wordFiles[root.lang];

/** These pages load the reduced files, and the rest later if needed (load-page-group.ts). All others load everything. */
const isFirst = /^\/(login|register|forgot-password|reset-password|verify-email|goodbye|oauth2\/logout)?$/.test(
  location.pathname,
);
if (isFirst) globalThis.svcRest = { styles: allStyles, words: words?.whole };
else document.write(`<link rel="stylesheet" href="${allStyles}">`);
// A blocking script: the app's modules translate options, columns and titles while they load.
if (words) document.write(`<script src="${isFirst ? words.first : words.whole}"></script>`);

/** If the app does not load, nothing else can report it and the page would stay blank. */
function tellMissing(): void {
  const [text, again] =
    root.lang === 'zh-CN'
      ? ['应用未能加载。请检查网络连接后重试。', '重试']
      : ['The app could not be loaded. Check the connection and try again.', 'Try again'];
  document.body.innerHTML = `<main class="svc-bare" role="alert"><p>${text}</p><button>${again}</button></main>`;
  document.querySelector('button')!.onclick = () => location.reload();
}

addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement) || target.type !== 'module') return;
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', tellMissing);
    else tellMissing();
  },
  true,
);

// The first number format is slow to create; do it now, while the scripts are still downloading.
setTimeout(() => new Intl.NumberFormat(navigator.language, { style: 'currency', currency: 'USD' }).format(0));
