import { type Language, languageFor, languageKey, localeFor } from './languages.ts';
import { language, speak } from './words.ts';

function chosen(): string | null {
  try {
    return localStorage.getItem(languageKey);
  } catch {
    return null;
  }
}

const wordsOf = {
  en: async () => ({}),
  'zh-CN': async () => (await import('./zh-CN/index.ts')).default,
} satisfies Record<Language, () => Promise<object>>;

export async function loadLanguage(): Promise<void> {
  const wanted = navigator.languages;
  const found = languageFor(chosen(), wanted);
  // Without its words a page in English is better than none.
  const words = await wordsOf[found]().catch(() => undefined);
  if (words) speak(found, localeFor(found, wanted), words);
  document.documentElement.lang = language();
}

/** Opens the page anew, since words stand in it from its first moment. Pages with unsaved work ask before they are left. */
export function choose(wanted: Language): void {
  localStorage.setItem(languageKey, wanted);
  location.reload();
}
