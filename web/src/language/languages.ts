/** Each under its own name, so that whoever reads it finds it. */
export const languages = [
  { code: 'en', name: 'English' },
  { code: 'zh-CN', name: '简体中文' },
] as const;

export type Language = (typeof languages)[number]['code'];

export const languageKey = 'svc-language';

const baseOf = (tag: string): string => tag.toLowerCase().split('-')[0]!;

/** The one that was chosen here; else the first of the browser's that there is; else English. */
export function languageFor(chosen: string | null, wanted: readonly string[]): Language {
  const tags = chosen === null ? wanted : [chosen, ...wanted];
  for (const tag of tags) {
    const found = languages.find(({ code }) => baseOf(code) === baseOf(tag));
    if (found) return found.code;
  }
  return 'en';
}

/** How dates and numbers are written: as the browser's own kind of the language does, `en-GB` for English. */
export const localeFor = (language: Language, wanted: readonly string[]): string =>
  wanted.find((tag) => baseOf(tag) === baseOf(language)) ?? (language === 'en' ? 'en-US' : language);
