import type { ClipboardEvent } from 'react';
import { notifyError } from './components/notify.ts';
import { t } from './language/words.ts';

const plain = /^(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d*)?$/;

/**
 * Whether a text is one number as our fields write it: a point before the decimals, commas between thousands or none; words
 * around it are no part of it. `1.234,5` and `1,5` are something else where they come from than they would become here.
 */
export function isPlainNumber(text: string): boolean {
  const [number = '', ...more] = text.match(/[\d.,]+/g) ?? [];
  return more.length === 0 && plain.test(number);
}

/** Nothing is taken over rather than another number than was copied. */
export function refuseOddNumber(event: ClipboardEvent): void {
  const text = event.clipboardData.getData('text').trim();
  if (isPlainNumber(text)) return;
  event.preventDefault();
  event.stopPropagation();
  notifyError(new Error(t('Nothing was pasted. Write the number with a point before the decimals, such as 1,234.5.')));
}
