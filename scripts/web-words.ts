/** The files of words of a language: one with all of them, and one with those that the first pages ask for. */
import pages from '../web/src/language/zh-CN/index.ts';
import service from '../web/src/language/zh-CN/service.ts';
import { wordsIn } from './check-words.ts';

const languages: Record<string, { pages: Record<string, string>; service: Record<string, string> }> = {
  'zh-CN': { pages, service },
};

/** Into what may be there already: words.ts holds on to it. */
const script = (words: object): string =>
  `globalThis.svcWords=Object.assign(globalThis.svcWords??{},${JSON.stringify(words)});`;

async function askedFor(sources: string[]): Promise<Set<string>> {
  const found = await Promise.all(sources.map(async (path) => wordsIn(path, await Bun.file(path).text()).messages));
  return new Set(found.flat());
}

/**
 * `sources` are the files that the first pages are made of. What the service says is not with them: it speaks when somebody
 * has done something, and by then the rest is here.
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
