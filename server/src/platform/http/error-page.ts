import type { AppError } from '../../lib/errors.ts';
import { acceptedLanguage, type Language } from '../../lib/languages.ts';
import type { Call } from './route.ts';

const words: Record<Language, { title: string; advice: string; home: string }> = {
  en: {
    title: 'This request cannot be processed',
    advice: 'Go back and try again. If that does not help, tell whoever runs the application.',
    home: 'Go home',
  },
  'zh-CN': {
    title: '无法处理此请求',
    advice: '请返回并重试。如果问题仍然存在，请告知应用的运营者。',
    home: '返回首页',
  },
};

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere}h1{font-size:1.5rem}';
const styleHash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

/** Whether a page is asked for, as browsers do when they navigate. */
export const wantsPage = ({ headers }: Request): boolean => /\btext\/html\b/i.test(headers.get('accept') ?? '');

/** An error where browsers are sent by other sites: people see it, not programs. */
export function errorPage(
  { status, message, extras }: AppError,
  { request, headers }: Pick<Call, 'request' | 'headers'>,
) {
  const language = acceptedLanguage(request.headers.get('accept-language')) ?? 'en';
  const { title, advice, home } = words[language];
  const body = `<style>${style}</style><h1>${title}</h1><p lang="en">${escaped(message)}</p><p>${advice}</p><p><a href="/">${home}</a></p>`;
  return new Response(plainPage(language, title, body), {
    status,
    headers: {
      ...{ ...headers, ...extras.headers, 'content-type': 'text/html; charset=utf-8' },
      ...{ 'content-security-policy': policy, vary: 'accept, accept-language' },
    },
  });
}

/** A page without the web app. */
export const plainPage = (language: Language, title: string, body: string): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title></head><body>${body}</body></html>`;

/** Line breaks too: parsers change them in markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"'\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
