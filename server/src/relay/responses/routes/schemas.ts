import { z } from 'zod';
import type { Call } from '../../../platform/http/route.ts';
import '../../../identity/principals.ts';
import { includable } from '../items.ts';
import type { Owner } from '../keeper.ts';

export const base = {
  tag: 'Responses',
  auth: 'apiKey',
  limit: { option: 'RateLimitV1', by: 'principal' },
  errors: 'openai',
} as const;

export const ownerOf = ({ principal }: Pick<Call<'apiKey'>, 'principal'>): Owner => ({
  userId: principal.user.id,
  keyId: principal.keyId,
});

const include = z
  .string()
  .max(1_000)
  .transform((text, { addIssue }) => {
    const names = text.split(',');
    const unknown = names.find((name) => !includable.includes(name));
    if (unknown === undefined) return names;
    addIssue({ code: 'custom', message: `must contain only: ${includable.join(', ')}` });
    return z.NEVER;
  })
  .meta({ type: 'string', example: 'reasoning.encrypted_content' })
  .optional();

/** Accepted in every query: lists in OpenAI's form or plain, and what Azure's clients always send. */
export const queryFields = { include, 'include[]': include, 'api-version': z.string().max(100).optional() };

export const includedIn = (query: { include?: string[] | undefined; 'include[]'?: string[] | undefined }): string[] => [
  ...(query.include ?? []),
  ...(query['include[]'] ?? []),
];

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });

export const truth = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });

export const startingAfter = whole(0, Number.MAX_SAFE_INTEGER).optional();

export const listQuery = z.strictObject({
  ...queryFields,
  after: z.string().max(200).optional(),
  limit: whole(1, 100).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

export const item = z
  .looseObject({ type: z.string().optional(), id: z.string().optional() })
  .meta({ id: 'ResponseItem' });

/** OpenAI's limits: 16 pairs, of 64 and 512 characters. */
export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'must have at most 16 members');

export const responseAnswer = z
  .looseObject({ id: z.string(), object: z.literal('response'), status: z.string(), output: z.array(item) })
  .meta({ id: 'KeptResponse' });

/** A page of a list as OpenAI has them. */
export const pageOf = <T extends z.ZodType>(one: T) =>
  z.object({
    object: z.literal('list'),
    data: z.array(one),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
export const listAnswer = pageOf(item).meta({ id: 'ResponseItemList' });

export const conversationAnswer = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: z.int(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Conversation' });

export const usageAnswer = z
  .object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() })
  .loose()
  .meta({ id: 'ResponseUsage' });
