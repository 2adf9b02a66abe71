import type { Language } from '../lib/languages.ts';
import { escaped, plainPage } from '../platform/http/error-page.ts';

/** Runs while the page is parsed, so that the application replaces it in the history and Back posts nothing again. */
const script = 'document.forms[0].submit()';
const scriptHash = new Bun.CryptoHasher('sha256').update(script).digest('base64');

/**
 * No `form-action`: browsers also apply it to where the application redirects after the form, and the values are sealed
 * and escaped. With `no-referrer` they would send `Origin: null`, which applications that check it refuse.
 */
export const formPostHeaders = {
  'content-security-policy': `default-src 'none'; script-src 'sha256-${scriptHash}'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'strict-origin',
};

const words: Record<Language, { title: string; go: string; over: string }> = {
  en: {
    title: 'Going back to the application',
    go: 'Continue',
    over: 'This page has expired. Go back to the application and start again.',
  },
  'zh-CN': { title: '正在返回应用', go: '继续', over: '此页面已过期。请返回应用并重新开始。' },
};

/** Form Post Response Mode §2: the answer as a form that sends itself; without JavaScript the user presses the button. */
export function formPostPage(language: Language, action: string, fields: readonly [string, string][]): string {
  const { title, go } = words[language];
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const form = `<form method="post" action="${escaped(action)}">${inputs.join('')}<p>${title}</p><button type="submit">${go}</button></form>`;
  return plainPage(language, title, `${form}<script>${script}</script>`);
}

export const expiredPage = (language: Language): string =>
  plainPage(language, words[language].title, `<p>${words[language].over}</p>`);
