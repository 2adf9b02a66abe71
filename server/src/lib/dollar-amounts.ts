import { quotaPerUsd } from './money.ts';

const centsPerUsd = 100;
export const quotaPerCent = quotaPerUsd / centsPerUsd;

/** Stripe's minimum is half a dollar; above the maximum it is likely a typing error. */
const least = 1;
const most = 10_000;
const mostAmounts = 20;

const numbersIn = (text: string): string[] =>
  text
    .trim()
    .split(/[\s,]+/, mostAmounts + 1)
    .filter(Boolean);

/** What is wrong with the option `TopUpAmounts`; null if nothing is. */
export function amountsFault(text: string): string | null {
  const numbers = numbersIn(text);
  const good = numbers.every((number) => /^\d{1,5}$/.test(number) && Number(number) >= least && Number(number) <= most);
  return good && numbers.length <= mostAmounts
    ? null
    : `must be up to ${mostAmounts} whole dollar amounts from ${least} to ${most.toLocaleString('en')}, separated by spaces`;
}

/** In dollars, without duplicates, ascending. */
export const amountsIn = (text: string): number[] => [...new Set(numbersIn(text).map(Number))].sort((a, b) => a - b);
