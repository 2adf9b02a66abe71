import { z } from '@hono/zod-openapi';
import type { ZodType } from 'zod';

/** What every route of this room has in common. */
export const routing = {
  tag: 'Routing',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;

export const enveloped = <T extends ZodType>(data: T) => z.object({ success: z.literal(true), data });

/** `{<plural>, total, page, page_size}` (contract §3 "pagination"). */
export const listed = <N extends string, T extends ZodType>(name: N, item: T) =>
  enveloped(
    z
      .object({ total: z.int(), page: z.int(), page_size: z.int() })
      .extend({ [name]: z.array(item) } as Record<N, z.ZodArray<T>>),
  );
