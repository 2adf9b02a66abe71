/**
 * Every word that people read goes through here. The English text is the name of the message:
 *   t('Add a key'), t('{count, plural, one {# key} other {# keys}}', { count })
 * and `zh-CN/` has its translation, which the type of `Message` asks for. Messages with values are in ICU's format.
 * Where one English word needs two translations, `##` and a note follow it: t('Run##verb').
 */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import IntlMessageFormat from 'intl-messageformat';
import { createElement, Fragment, type ReactNode } from 'react';
import { type Language, localeFor } from './languages.ts';
import type { Catalog } from './zh-CN/index.ts';

export type Message = keyof Catalog;
type Translations = { readonly [M in Message]?: string };

type Value = string | number;
type Tag = (children: ReactNode) => ReactNode;
type ValuesOf<M extends string> = GetICUArgs<M, { ICUNumberArgument: number; ICUArgument: Value }>;
/** Asked only of those that have any: with the types of all others the compiler takes half as long again. */
type Values<M extends Message> = M extends `${string}{${string}` ? [values: ValuesOf<M>] : [];

/** What the file of a language has: words of pages, and what the service says. */
export interface Words {
  pages: Translations;
  service: Record<string, string>;
}

/** Of the language of the page, put there before the app by before-paint.ts. Without them a page in English is better than none. */
const { svcWords } = globalThis as { svcWords?: Words };
let words: Words = svcWords ?? { pages: {}, service: {} };

export const language: Language = svcWords ? (document.documentElement.lang as Language) : 'en';
/** For dates and numbers. */
export const locale: string = localeFor(language, globalThis.navigator?.languages ?? []);

const formats = new Map<string, IntlMessageFormat>();

/** Other words from here on, for tests; pages have theirs from the beginning. */
export function speak(other: Words): void {
  words = other;
  formats.clear();
}

function textOf(message: Message): string {
  const translated = words.pages[message];
  if (translated !== undefined) return translated;
  const note = message.indexOf('##');
  return note === -1 ? message : message.slice(0, note);
}

function formatOf(message: Message): IntlMessageFormat {
  let format = formats.get(message);
  if (!format) {
    format = new IntlMessageFormat(textOf(message), locale);
    formats.set(message, format);
  }
  return format;
}

export function t<M extends Message>(message: M, ...values: Values<M>): string;
// Apart from what callers see, or the compiler works out the values of every message there is for these two lines.
export function t(message: Message, values?: Record<string, Value>): string {
  return values === undefined ? textOf(message) : String(formatOf(message).format(values));
}

const together = (parts: ReactNode): ReactNode =>
  Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts;

/** With elements: rich('Delete <b>{name}</b>?', { name, b: (text) => <b>{text}</b> }), or an element as a value. */
export function rich(message: Message, values: Record<string, ReactNode | Tag>): ReactNode {
  // Tags are functions of what stands between them, which the library hands over in parts.
  const given = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (parts: ReactNode[]) => value(together(parts)) : value,
    ]),
  );
  return together(formatOf(message).format<ReactNode>(given as Record<string, ReactNode>) as ReactNode);
}

/** What the service says in English, and its translations; `{name}` stands for what differs each time. */
export const serviceWords = (): Record<string, string> => words.service;
