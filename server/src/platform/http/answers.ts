import { z } from 'zod';

const count = z.number().int();

/** What routes of the management API have in common. */
export const management = { errors: 'management', limit: { option: 'RateLimitApi', by: 'principal' } } as const;

/** How the management API answers: with data, with a page of a list, or that something is done. */
export const answered = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });
export const listed = <T extends z.ZodRawShape>(shape: T) =>
  answered(z.object({ ...shape, total: count, page: count, page_size: count }));
export const done = z.object({ success: z.literal(true), message: z.string() });
