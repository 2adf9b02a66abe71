import { z } from 'zod';
import { limits } from './limits.ts';

/** Client-chosen ids of a chat and its entries. */
export const chosenId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 characters of A-Z a-z 0-9 _ -');
const whole = z.number().int();
/** Stored as is: only the page interprets it. */
const kept = z.record(z.string(), z.unknown());

const column = z.strictObject({ id: chosenId, model: z.string().max(300) });

/** Inline images only: a URL would be fetched by everyone who views the chat. */
const image = z.string().regex(/^data:image\/(png|jpeg|webp|gif);base64,/, 'must be a data URL of an image');

const said = z.strictObject({
  id: chosenId,
  role: z.literal('user'),
  content: z.string(),
  images: z.array(image).max(limits.images).optional(),
  /** Number of images that were too large to store. */
  images_left_out: whole.min(0).max(limits.images).optional(),
});

const result = z.strictObject({
  id: chosenId,
  role: z.literal('tool'),
  column: chosenId,
  tool_call_id: z.string(),
  name: z.string(),
  content: z.string(),
});

const answer = z.strictObject({
  id: chosenId,
  role: z.literal('assistant'),
  column: chosenId,
  model: z.string().max(300),
  content: z.string(),
  reasoning: z.string(),
  tool_calls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })).max(limits.entries),
  state: z.enum(['done', 'stopped', 'failed']),
  finish_reason: z.string().max(100).nullable(),
  error: z.strictObject({ status: whole, message: z.string(), request_id: z.string().max(300).nullable() }).nullable(),
  /** The orchestration model's report of its plan. */
  meta: kept.nullable(),
  stats: z.strictObject({
    latency_ms: whole.optional(),
    first_token_ms: whole.optional(),
    prompt_tokens: whole.optional(),
    completion_tokens: whole.optional(),
    /** In quota units. */
    cost: z.number().optional(),
    provider: z.string().max(300).optional(),
    request_id: z.string().max(300).optional(),
  }),
  /** The request that produced it, without its messages. */
  request: kept,
  /** The system prompt of that request. */
  system: z.string(),
});

/** A chat: models, settings, and all messages in order. Every column has all messages of the user. */
export const contentSchema = z
  .strictObject({
    columns: z.array(column).min(1).max(limits.columns),
    settings: kept,
    entries: z.array(z.discriminatedUnion('role', [said, result, answer])).max(limits.entries),
  })
  .meta({ id: 'PlaygroundChatContent' });

export type Content = z.infer<typeof contentSchema>;
