import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseData } from '../../../lib/sse.ts';
import { isObject, type Json } from '../conversation.ts';
import { ModelRewriter } from '../rewrite-model.ts';
import { readChatUsage, renderChatUsage } from '../usage.ts';
import type { RenderOptions } from './answer.ts';
import { functionCallChunks } from './legacy-functions.ts';
import { chatUsageChunk } from './stream.ts';

/** Edits the frames of a stream that is already in the client's format; null drops one. */
export interface FrameEditor {
  edit(frame: Uint8Array, json: Json): Uint8Array | null;
  /** What is put before the upstream's own end mark. */
  beforeEnd(): string;
  /** The last bytes with our own count, for an upstream without. */
  withUsage?(last: Uint8Array, usage: Usage): Uint8Array;
  /** How a stream that has passed so far fails; undefined where it is told as in a stream of ours. */
  fail?(error: AppError): string | undefined;
}

const encoder = new TextEncoder();

/**
 * Chat to chat: frames pass as they are but for the model's name. Usage is held back and given once, as a last chunk
 * without choices, to clients that asked; nulls that break validators are left out.
 */
export function chatPassthrough(options: RenderOptions & { includeUsage: boolean }): FrameEditor {
  const model = new ModelRewriter(options.model);
  let usage: Json | undefined;
  let identity = options;
  const toOld = options.oldFunctions ? functionCallChunks() : undefined;
  return {
    edit(frame, json) {
      if (typeof json.id === 'string' && json.id !== '') identity = { ...identity, id: json.id };
      const hasUsage = isObject(json.usage);
      if (hasUsage) {
        usage = json.usage as Json;
        if (!Array.isArray(json.choices) || json.choices.length === 0) return null;
      }
      const dropUsage = hasUsage || (json.usage === null && !options.includeUsage);
      if (!dropUsage && !toOld && !hasNulls(json)) return model.apply(frame);
      const clean = withoutNulls(json, dropUsage);
      return model.apply(encoder.encode(sseData(JSON.stringify(toOld ? toOld(clean) : clean))));
    },
    beforeEnd() {
      if (!options.includeUsage || usage === undefined) return '';
      const read = readChatUsage(usage);
      return chatUsageChunk(read ? { ...usage, ...renderTotal(read) } : usage, identity);
    },
  };
}

/** Vendors leave the total out now and then; clients read it. */
const renderTotal = (usage: NonNullable<ReturnType<typeof readChatUsage>>): Json => ({
  total_tokens: renderChatUsage(usage).total_tokens,
});

function* deltas(json: Json): Generator<Json> {
  if (!Array.isArray(json.choices)) return;
  for (const choice of json.choices) if (isObject(choice) && isObject(choice.delta)) yield choice.delta;
}

function hasNulls(json: Json): boolean {
  for (const delta of deltas(json)) {
    if (delta.tool_calls === null || delta.function_call === null) return true;
    if (Array.isArray(delta.tool_calls) && delta.tool_calls.some(callHasNulls)) return true;
  }
  return false;
}

function callHasNulls(call: unknown): boolean {
  if (!isObject(call)) return false;
  if (call.id === null || call.type === null) return true;
  return isObject(call.function) && (call.function.name === null || call.function.arguments === null);
}

const dropNulls = (value: Json): Json => Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));

/** Works on the parsed chunk, which nobody else keeps. */
function withoutNulls(json: Json, dropUsage: boolean): Json {
  for (const delta of deltas(json)) {
    if (delta.tool_calls === null) delete delta.tool_calls;
    if (delta.function_call === null) delete delta.function_call;
    if (!Array.isArray(delta.tool_calls)) continue;
    delta.tool_calls = delta.tool_calls.map((call) =>
      isObject(call)
        ? { ...dropNulls(call), ...(isObject(call.function) && { function: dropNulls(call.function) }) }
        : call,
    );
  }
  if (dropUsage) delete json.usage;
  return json;
}
