/** What a page in Chinese still says in English. */
import type { Page } from 'playwright-core';
import pageWords from '../web/src/language/zh-CN/index.ts';
import referenceWords from '../web/src/language/zh-CN/reference/index.ts';
import serviceWords from '../web/src/language/zh-CN/service.ts';

/** What the service says, without the names of options, which stay beside their words. */
const sentences = Object.fromEntries(
  Object.entries({ ...serviceWords, ...referenceWords }).filter(([text]) => text.includes(' ')),
);

/** Messages as they would stand in English, where their Chinese differs. Of those with values, which stand filled in, none. */
const english = new Set(
  Object.entries({ ...pageWords, ...sentences })
    .filter(([text, translation]) => text !== translation && !text.includes('{') && /[a-z]{3}/.test(text))
    .map(([text]) => text.replace(/##.*$/s, '')),
);

/** Texts and names of elements; what is code, or says of itself that it is English, is left out. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>([document.title]);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const elsewhere = (element: Element) => element.closest('code, pre, kbd, noscript, [lang=en]') !== null;
    // A name that may go on in the next line is one text to whoever reads it.
    const wholeOf = (node: Node) => (node.parentElement!.querySelector(':scope > wbr') ? node.parentElement! : node);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!elsewhere(node.parentElement!)) found.add(wholeOf(node).textContent!.trim());
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (!elsewhere(element)) found.add(element.getAttribute(name)!.trim());
    return [...found];
  });

/** Data that reads as a sentence: names of built-in models, examples. */
const data = /built-in|Mozilla\/5\.0|:\/\/|openid email profile/;
const isSentence = (text: string): boolean => /[A-Za-z]+ [a-z]+ [a-z]+ [a-z]+/.test(text) && !data.test(text);

/** Messages alone, where people and models have written English sentences of their own. */
export const messagesInEnglish = async (page: Page): Promise<string[]> =>
  (await textsOf(page)).filter((text) => english.has(text));

export const leftInEnglish = async (page: Page): Promise<string[]> =>
  (await textsOf(page)).filter((text) => english.has(text) || isSentence(text));
