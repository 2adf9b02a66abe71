import { z } from 'zod';

/**
 * A position in a growing list: where the last page ended. The next page starts after it, at any depth, regardless of
 * newer entries. Clients pass it back unchanged; it holds nothing confidential and is validated like any input.
 */
export const cursorOf = (place: readonly number[]): string => Buffer.from(place.join('.')).toString('base64url');

/** A cursor of `numbers` numbers; anything else is a 400. */
export const cursorField = (numbers: number) =>
  z
    .string()
    .max(200)
    .transform((text, { addIssue }) => {
      const place = Buffer.from(text, 'base64url').toString().split('.');
      if (place.length === numbers && place.every((part) => /^\d{1,16}$/.test(part))) return place.map(Number);
      addIssue({ code: 'custom', message: 'must be a next_cursor returned by this list' });
      return z.NEVER;
    })
    .meta({ type: 'string', description: '`next_cursor` of the previous page; `page` is then ignored' })
    .optional();

/** Returned beside the entries: null on the last page. */
export const nextCursor = { next_cursor: z.string().nullable() };
