import { z } from 'zod';
import { table } from '../../lib/table.ts';

/** `0.9`, `0,9`, `9/10`, `90%`. */
const written = /^(\d+(?:[.,]\d+)?)\s*(%|\/\s*100|\/\s*10)?$/;
const scales = table({ '%': 100, '/100': 100, '/10': 10 });

/**
 * A rating as a number from 0 to 1; null if it is none. Models that are asked for one sometimes answer out of ten, or in
 * percent.
 */
function readShare(value: number | string): number | null {
  const [, digits, unit = ''] = typeof value === 'string' ? (written.exec(value.trim()) ?? []) : ['', `${value}`];
  if (digits === undefined) return null;
  const number = Number(digits.replace(',', '.'));
  const scale = scales[unit.replace(/\s/g, '')] ?? (number > 10 ? 100 : number > 1 ? 10 : 1);
  return number >= 0 && number <= scale ? number / scale : null;
}

export const share = z.union([z.number(), z.string()]).transform((value, context) => {
  const read = readShare(value);
  if (read !== null) return read;
  context.addIssue({ code: 'custom', message: 'must be a number from 0 to 1' });
  return z.NEVER;
});
