// Runs before the first paint and before the app. It stands in the page itself, and the content security policy names it by its hash.
import { languageFor, languageKey } from './language/languages.ts';

interface Editions {
  /** With what the first page and those before the door need. */
  first: string;
  whole: string;
}

/** Addresses of files, which the build fills in. English needs no file of words: its words are the app's own. */
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

/** A page that is not named here gets everything; one that is named and needs more, brings the rest itself (rest.ts). */
const isFirst = /^\/(login|register|forgot-password|reset-password|verify-email|goodbye|oauth2\/logout)?$/.test(
  location.pathname,
);
if (isFirst) globalThis.svcRest = { styles: allStyles, words: words?.whole };
else document.write(`<link rel="stylesheet" href="${allStyles}">`);
// The one way to have words before the app, whose tables of choices, columns and titles are made of them as they are read.
if (words) document.write(`<script src="${isFirst ? words.first : words.whole}"></script>`);

/** Without the app nothing else would say so, and the page would stay empty. */
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

// The first number takes a browser long, and now, with scripts on their way, it has the time.
setTimeout(() => new Intl.NumberFormat(navigator.language, { style: 'currency', currency: 'USD' }).format(0));
