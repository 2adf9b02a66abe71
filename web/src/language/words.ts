/**
 * Every word that people read goes through here. The English text is the name of the message:
 *   t('Add a key'), t('{count, plural, one {# key} other {# keys}}', { count })
 * and `zh-CN/` has its translation, which the type of `Message` asks for. Messages with values are in ICU's format.
 * Where one English word needs two translations, `##` and a note follow it: t('Run##verb').
 */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import IntlMessageFormat from 'intl-messageformat';
import { Children, type ReactNode } from 'react';
import { type Language, localeFor } from './languages.ts';

export type Message = string;
type Translations = { readonly [M in Message]?: string };

type Value = string | number;
type Tag = (children: ReactNode) => ReactNode;
type ValuesOf<M extends string> = GetICUArgs<M, { ICUNumberArgument: number; ICUArgument: Value }>;
type Values<M extends Message> = Message extends M
  ? [values?: Record<string, Value>]
  : Record<never, never> extends ValuesOf<M>
    ? []
    : [values: ValuesOf<M>];

/** Of the language of the page, put there before the app by early.ts. Without them a page in English is better than none. */
const { svcWords } = globalThis as { svcWords?: Translations };
const translations: Translations = svcWords ?? {};

export const language: Language = svcWords ? (document.documentElement.lang as Language) : 'en';
/** For dates and numbers. */
export const locale: string = localeFor(language, globalThis.navigator?.languages ?? []);

const formats = new Map<string, IntlMessageFormat>();

function textOf(message: Message): string {
  const translated = translations[message];
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

export function t<M extends Message>(message: M, ...[values]: Values<M>): string {
  return values === undefined ? textOf(message) : String(formatOf(message).format(values as Record<string, Value>));
}

/** With elements: rich('Delete <b>{name}</b>?', { name, b: (text) => <b>{text}</b> }), or an element as a value. */
export function rich(message: Message, values: Record<string, ReactNode | Tag>): ReactNode {
  // Tags are functions of what stands between them, which the library hands over in parts.
  const given = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (parts: ReactNode[]) => value(Children.toArray(parts)) : value,
    ]),
  );
  return Children.toArray(formatOf(message).format<ReactNode>(given as Record<string, ReactNode>) as ReactNode);
}

/** The translation of a text that came from elsewhere, if there is one. */
export const known = (text: string): string | undefined => translations[text];
