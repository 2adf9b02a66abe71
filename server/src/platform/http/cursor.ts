import { z } from 'zod';

/**
 * A place in a list that grows: where its last page ended. The next one begins behind it, however deep, and whatever came
 * before it meanwhile. Callers hand it back as it is; it says nothing that they may not know, and nothing is trusted in it.
 */
export const cursorOf = (place: readonly number[]): string => Buffer.from(place.join('.')).toString('base64url');

/** A cursor made of `numbers` numbers, or a 400 like any other wrong value. */
export const cursorField = (numbers: number) =>
  z
    .string()
    .max(200)
    .transform((text, { addIssue }) => {
      const place = Buffer.from(text, 'base64url').toString().split('.');
      if (place.length === numbers && place.every((part) => /^\d{1,16}$/.test(part))) return place.map(Number);
      addIssue({ code: 'custom', message: 'must be the next_cursor of a page of this list' });
      return z.NEVER;
    })
    .meta({ type: 'string', description: '`next_cursor` of the page before; `page` does not count then' })
    .optional();

/** Beside the entries of such a list: null on its last page. */
export const nextCursor = { next_cursor: z.string().nullable() };
