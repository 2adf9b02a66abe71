/**
 * As on the pages, the English text is the key of a message, in ICU format, and zh-cn.ts has the translations: a
 * missing one, or missing values, do not compile.
 */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import IntlMessageFormat from 'intl-messageformat';
import type { Language } from '../../lib/languages.ts';
import { quotaToUsd } from '../../lib/money.ts';
import chinese from './zh-cn.ts';

export type Message = keyof typeof chinese;

type Value = string | number;
type ValuesOf<M extends string> = GetICUArgs<M, { ICUNumberArgument: number; ICUArgument: Value }>;
type Values<M extends Message> = M extends `${string}{${string}` ? [values: ValuesOf<M>] : [];

/** Formatting in one language. */
export interface Words {
  t<M extends Message>(message: M, ...values: Values<M>): string;
  /** An amount of quota in dollars, exact. */
  money(quota: number): string;
  /** "30 minutes", "24 hours", "7 days". */
  time(seconds: number): string;
}

const spoken: Record<Language, { locale: string; translations: { readonly [M in Message]?: string } }> = {
  en: { locale: 'en-US', translations: {} },
  'zh-CN': { locale: 'zh-CN', translations: chinese },
};

const unitOf = (seconds: number): [unit: string, length: number] => {
  if (seconds > 86_400) return ['day', 86_400];
  return seconds >= 3_600 ? ['hour', 3_600] : ['minute', 60];
};

export function wordsOf(language: Language): Words {
  const { locale, translations } = spoken[language];
  const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  return {
    t: (message, ...[values]) => {
      const text = translations[message] ?? message;
      return values ? String(new IntlMessageFormat(text, locale).format(values as Record<string, Value>)) : text;
    },
    money: (quota) => new Intl.NumberFormat(locale, { ...dollars, maximumFractionDigits: 6 }).format(quotaToUsd(quota)),
    time: (seconds) => {
      const [unit, length] = unitOf(seconds);
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
    },
  };
}
