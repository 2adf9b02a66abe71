/** Languages of pages and mails. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

export const asLanguage = (text: string): Language | null => languages.find((language) => language === text) ?? null;

/** `zh` of `zh-Hans-CN`: a regional variant of one's language is better than another language. */
const baseOf = (tag: string): string => tag.split('-')[0]!.trim().toLowerCase();

/** Many times what browsers send. */
const mostTags = 50;

interface Wanted {
  base: string;
  quality: number;
}

function wantedOf(range: string): Wanted {
  const [tag, ...parameters] = range.split(';');
  const quality = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q=/i.test(parameter));
  return { base: baseOf(tag!), quality: quality === undefined ? 1 : Number(quality.slice(2)) };
}

/** The first supported language the caller accepts (RFC 9110 §12.5.4); null if there is none. */
export function acceptedLanguage(header: string | null): Language | null {
  const wanted = (header ?? '').split(',', mostTags).map(wantedOf);
  const best = wanted.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality);
  for (const { base } of best) {
    const found = languages.find((language) => baseOf(language) === base);
    if (found) return found;
  }
  return null;
}
