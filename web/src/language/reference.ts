/** What the service says in its OpenAPI document, in the language of the page. */
import { language } from './words.ts';

let words: Record<string, string> = {};

/** Before the reference is shown. A reference in English is better than none. */
export async function bringReferenceWords(): Promise<void> {
  if (language !== 'zh-CN') return;
  words = await import('./zh-CN/reference/index.ts').then(
    (file) => file.default,
    () => ({}),
  );
}

/** What has no translation is read out as the English that it is. */
export const told = (english: string): { text: string; lang?: 'en' } =>
  Object.hasOwn(words, english) ? { text: words[english]! } : { text: english, lang: 'en' };
