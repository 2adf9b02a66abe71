import { z } from 'zod';
import type { Range } from '../db/list-page.ts';

const clamped = (fallback: number, most: number) =>
  z
    .string()
    .optional()
    .transform((text) => {
      const n = Math.trunc(Number(text?.trim() || fallback));
      return Number.isFinite(n) ? Math.min(Math.max(n, 1), most) : fallback;
    });

/** Query of every list: pages start at 1, out-of-range values are clamped. */
export const pageFields = {
  page: clamped(1, 1_000_000).meta({ type: 'integer', example: 1 }),
  page_size: clamped(20, 100).meta({ type: 'integer', example: 20 }),
};
/** Unknown parameters are refused, so that a misspelt one is not ignored. */
export const nothingAsked = z.strictObject({});
export const pageQuery = z.strictObject(pageFields);

export interface Page {
  page: number;
  page_size: number;
}
export const offsetOf = (page: Page): number => (page.page - 1) * page.page_size;
export const rangeOf = (page: Page): Range => ({ limit: page.page_size, offset: offsetOf(page) });

/** An integer id in a query or path; anything else does not exist. */
export const idText = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .meta({ type: 'integer' });

/** A number in an address is decimal digits: `1e0`, `+1` and ` 1` would be further names of the same thing. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .meta({ type: 'integer', minimum: least, maximum: most });

/** Larger ids are not exact integers. */
export const idParams = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) });
