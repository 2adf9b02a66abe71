// Runs before the first paint and before the app, from a file of its own because the content security policy allows no inline script.
import { languageFor, languageKey } from './language/languages.ts';

/** The file with the words of each language but English, whose words are the app's own; the build fills it in. */
declare const wordFiles: Record<string, string | undefined>;

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const root = document.documentElement;

// Must agree with `colorSchemeKey` in theme.ts, which is not imported to keep this file tiny.
const scheme = kept('svc-color-scheme');
const dark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
root.dataset.mantineColorScheme = dark ? 'dark' : 'light';

root.lang = languageFor(kept(languageKey), navigator.languages);
const words = wordFiles[root.lang];
// The one way to have it before the app, whose tables of choices, columns and titles are made of words as they are read.
if (words) document.write(`<script src="${words}"></script>`);
