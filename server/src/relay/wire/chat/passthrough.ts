import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseData } from '../../../lib/sse.ts';
import { isObject, type Json } from '../conversation.ts';
import { ModelRewriter } from '../rewrite-model.ts';
import { chatUsageIn, readChatUsage, renderChatUsage } from '../usage.ts';
import type { RenderOptions } from './answer.ts';
import type { UnusedIds } from './call-places.ts';
import { customCallChunks } from './custom-calls.ts';
import { functionCallChunks } from './legacy-functions.ts';
import { ChunkNormalizer } from './normalize-choice.ts';
import { chatErrorChunk, chatUsageChunk, withChatUsage } from './stream.ts';

/** Edits frames of a stream that is already in the client's format; null drops one. */
export interface FrameEditor {
  edit(frame: Uint8Array, json: Json): Uint8Array | null;
  /** Frames lack more than the model's name, so that each must be edited. */
  readonly completes?: boolean;
  /** Inserted before the upstream's end marker. */
  beforeEnd(): string;
  /** The last bytes with our own usage, for an upstream that sends none. */
  withUsage?(last: Uint8Array, usage: Usage): Uint8Array;
  /** How this stream reports an error; undefined for the format's default. */
  fail?(error: AppError): string | undefined;
}

type PassthroughOptions = RenderOptions & { includeUsage: boolean; unusedIds?: UnusedIds | undefined };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Chat to chat: frames are forwarded with only the model name replaced. Usage is held back and sent once, as a last
 * chunk without choices, to clients that asked for it; unreadable chunks are tidied.
 */
export function chatPassthrough(options: PassthroughOptions): FrameEditor {
  const model = new ModelRewriter(options.model);
  let usage: Json | undefined;
  let identity: RenderOptions = options;
  const asAsked = chunksAsAsked(options);
  const tidier = new ChunkNormalizer(options.unusedIds);
  let completes = false;
  return {
    get completes() {
      return completes;
    },
    edit(frame, json) {
      if (identity === options) identity = identityOf(json, options);
      usage = chatUsageIn(json) ?? usage;
      const hasUsage = isObject(json.usage);
      if (hasUsage) {
        if (!Array.isArray(json.choices) || json.choices.length === 0) return null;
      }
      const dropUsage = hasUsage || (json.usage === null && !options.includeUsage);
      const tidied = tidier.tidy(json);
      const whole = isWhole(json);
      completes ||= !whole;
      if (!dropUsage && !asAsked && !tidied && whole) return model.apply(frame);
      if (dropUsage) delete json.usage;
      const own = asAsked ? asAsked(json) : json;
      return model.apply(encoder.encode(sseData(JSON.stringify(whole ? own : { ...own, ...headOf(own, identity) }))));
    },
    beforeEnd() {
      if (!options.includeUsage || usage === undefined) return '';
      const read = readChatUsage(usage);
      return chatUsageChunk(read ? { ...usage, ...renderTotal(read) } : usage, identity);
    },
    fail: (error) => chatErrorChunk(error, identity),
    withUsage: (last, counted) => encoder.encode(withChatUsage(decoder.decode(last), counted, identity)),
  };
}

const chunksAsAsked = ({ oldFunctions, customTools }: RenderOptions): ((json: Json) => Json) | undefined =>
  customTools ? customCallChunks(customTools) : oldFunctions && functionCallChunks();

const isWhole = ({ id, object, created, model }: Json): boolean =>
  typeof id === 'string' && typeof object === 'string' && typeof created === 'number' && typeof model === 'string';

/** What strict clients need of each chunk, and some servers leave out. */
const headOf = ({ object }: Json, { id, created, model }: RenderOptions): Json => ({
  ...{ id, object: typeof object === 'string' ? object : 'chat.completion.chunk', created, model },
});

/** All chunks of an answer share one id and time, including those we add. */
const identityOf = ({ id, created }: Json, options: RenderOptions): RenderOptions => ({
  ...options,
  ...(typeof id === 'string' && id !== '' && { id }),
  ...(Number.isInteger(created) && { created: created as number }),
});

/** Vendors sometimes omit the total, which clients read. */
const renderTotal = (usage: NonNullable<ReturnType<typeof readChatUsage>>): Json => ({
  total_tokens: renderChatUsage(usage).total_tokens,
});
