import { z } from 'zod';
import type { Call } from '../../platform/http/route.ts';
import '../../identity/principals.ts';
import { limits } from '../limits.ts';

export const base = {
  tag: 'Batches',
  auth: 'apiKey',
  limit: { option: 'RateLimitV1', by: 'principal' },
  errors: 'openai',
} as const;

export const userOf = ({ principal }: Pick<Call<'apiKey'>, 'principal'>): number => principal.user.id;

export const limitOf = (most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(most))
    .meta({ type: 'integer', minimum: 1, maximum: most })
    .optional();

export const idQuery = z.string().min(1).max(200).optional();
/** Always sent by Azure's clients. */
export const apiVersion = { 'api-version': z.string().max(100).optional() };

/** Sent by Anthropic's clients from `client.beta`. */
export const betaQuery = { beta: z.string().max(10).optional() };

export const expirySeconds = z.int().min(limits.leastExpirySeconds).max(limits.mostExpirySeconds);

export const expiresAfter = z.strictObject({ anchor: z.literal('created_at'), seconds: expirySeconds });

/** A form field, which is text. */
export const secondsField = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(limits.leastExpirySeconds).max(most))
    .meta({ type: 'integer' })
    .optional();

/** From one row more than requested. */
export function listOf<R extends { id: string }>(rows: R[], limit: number, render: (row: R) => unknown) {
  const shown = rows.slice(0, limit);
  return {
    object: 'list',
    data: shown.map(render),
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  };
}
