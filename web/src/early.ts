// Runs before the first paint and before the app. It stands in the page itself, and the content security policy names it by its hash.
import { languageFor, languageKey } from './language/languages.ts';

interface Editions {
  /** With what the first page and those before the door need. */
  first: string;
  whole: string;
}

/** Addresses of files, which the build fills in. English needs no file of words: its words are the app's own. */
declare const styleFiles: Editions;
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
const edition = isFirst ? 'first' : 'whole';
if (isFirst) globalThis.svcRest = { styles: styleFiles.whole, words: words?.whole };
// The one way to have words before the app, whose tables of choices, columns and titles are made of them as they are read.
document.write(`<link rel="stylesheet" href="${styleFiles[edition]}">`);
if (words) document.write(`<script src="${words[edition]}"></script>`);
