import { z } from 'zod';

const count = z.number().int();

/** Settings shared by the routes of the management API. */
export const management = { errors: 'management', limit: { option: 'RateLimitApi', by: 'principal' } } as const;

/** The envelopes of the management API: data, a page of a list, or just success. */
export const answered = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });
export const listed = <T extends z.ZodRawShape>(shape: T) =>
  answered(z.object({ ...shape, total: count, page: count, page_size: count }));
export const done = z.object({ success: z.literal(true), message: z.string() });

/** Answers of other media types that several routes give, beside JSON. */
export const asCsv = { type: 'text/csv', description: 'With `format=csv`, a CSV file' };
export const asEvents = { type: 'text/event-stream', description: 'With `stream`, server-sent events' };
