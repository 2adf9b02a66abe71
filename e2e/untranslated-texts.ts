/** Finds English texts left on a page in Chinese. */
import type { Page } from 'playwright-core';
import pageWords from '../web/src/language/zh-CN/index.ts';
import referenceWords from '../web/src/language/zh-CN/reference/index.ts';
import serviceWords from '../web/src/language/zh-CN/service.ts';

/** Texts of the service, without option names, which are shown next to their translations. */
const sentences = Object.fromEntries(
  Object.entries({ ...serviceWords, ...referenceWords }).filter(([text]) => text.includes(' ')),
);

/** English messages whose translation differs. Excludes messages with placeholders, since pages show them filled in. */
const english = new Set(
  Object.entries({ ...pageWords, ...sentences })
    .filter(([text, translation]) => text !== translation && !text.includes('{') && /[a-z]{3}/.test(text))
    .map(([text]) => text.replace(/##.*$/s, '')),
);

/** Text content and accessible names, except code and elements marked as English. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>([document.title]);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const elsewhere = (element: Element) => element.closest('code, pre, kbd, noscript, [lang=en]') !== null;
    // A name split by `wbr` is one text for the reader.
    const wholeOf = (node: Node) => (node.parentElement!.querySelector(':scope > wbr') ? node.parentElement! : node);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!elsewhere(node.parentElement!)) found.add(wholeOf(node).textContent!.trim());
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (!elsewhere(element)) found.add(element.getAttribute(name)!.trim());
    return [...found];
  });

/** Data that looks like a sentence: names of built-in models, examples. */
const data = /built-in|Mozilla\/5\.0|:\/\/|openid email profile/;
const isSentence = (text: string): boolean => /[A-Za-z]+ [a-z]+ [a-z]+ [a-z]+/.test(text) && !data.test(text);

/** Only known messages, for pages with English sentences written by users and models. */
export const untranslatedMessages = async (page: Page): Promise<string[]> =>
  (await textsOf(page)).filter((text) => english.has(text));

export const untranslatedTexts = async (page: Page): Promise<string[]> =>
  (await textsOf(page)).filter((text) => english.has(text) || isSentence(text));
