/** The translation files of a language: one with all messages, and one with those of the first pages. */
import pages from '../web/src/language/zh-CN/index.ts';
import service from '../web/src/language/zh-CN/service.ts';
import { wordsIn } from './check-words.ts';

const languages: Record<string, { pages: Record<string, string>; service: Record<string, string> }> = {
  'zh-CN': { pages, service },
};

/** Merges into an existing object, because words.ts keeps a reference to it. */
const script = (words: object): string =>
  `globalThis.svcWords=Object.assign(globalThis.svcWords??{},${JSON.stringify(words)});`;

async function askedFor(sources: string[]): Promise<Set<string>> {
  const found = await Promise.all(sources.map(async (path) => wordsIn(path, await Bun.file(path).text()).messages));
  return new Set(found.flat());
}

/**
 * `sources` are the files of the first pages. The service's messages are not included: they appear only after a user
 * action, when the rest is loaded.
 */
export async function webWords(sources: string[]): Promise<Map<string, { first: string; whole: string }>> {
  const asked = await askedFor(sources);
  return new Map(
    Object.entries(languages).map(([language, words]) => {
      const first = Object.fromEntries(Object.entries(words.pages).filter(([message]) => asked.has(message)));
      return [language, { first: script({ pages: first, service: {} }), whole: script(words) }];
    }),
  );
}
