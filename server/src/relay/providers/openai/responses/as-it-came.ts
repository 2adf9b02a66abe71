import { isObject, type Json } from '../../../wire/conversation.ts';
import { limitNames } from '../../../wire/limit-names.ts';
import { opened, type Seals, sealMark, unsealed } from '../../../wire/responses/thoughts.ts';
import { reasoningItem } from './items.ts';

/**
 * Ours: parameters of this service, and state that is kept here. What a request builds on is already among its items, so
 * that nothing depends on what the vendor remembers.
 */
const keptHere = new Set([
  'svc_ms',
  'provider',
  'models',
  'previous_response_id',
  'conversation',
  'background',
  'store',
  'include',
]);

/** What Codex tells of itself with every request. OpenAI's public endpoint knows no such member, and refuses the request. */
const ofCodex = 'client_metadata';

const sealedThoughts = 'reasoning.encrypted_content';

interface RewriteOptions {
  modelName: string;
  stream: boolean;
  limit: number | undefined;
  /** Whether the model seals its thoughts: others refuse the question. */
  reasons: boolean;
  /** Of the caller, for thoughts that were closed here. */
  seals: Seals | undefined;
}

/** A responses body for an upstream of the same format: what the client sent, with only what must change. */
export function rewriteResponsesRequest(body: Json, options: RewriteOptions): Json {
  const { modelName, stream, limit, reasons, seals = unsealed } = options;
  const out: Json = { model: modelName };
  for (const field in body) {
    if (field === 'model' || field === 'stream' || field === ofCodex) continue;
    if (limitNames.has(field) || keptHere.has(field)) continue;
    out[field] = body[field];
  }
  if (limit !== undefined) out.max_output_tokens = limit;
  if (Array.isArray(body.input))
    out.input = body.input.flatMap((item) => (isObject(item) ? backItem(item, seals) : [item]));
  const include = new Set(Array.isArray(body.include) ? body.include : []);
  // Nothing is stored there, and so thoughts come back with the next request or not at all.
  if (reasons) include.add(sealedThoughts);
  if (include.size > 0) out.include = [...include];
  return { ...out, stream, store: false };
}

/** Thoughts that the vendor did not seal mean nothing to it: it looks for them in its own store, and refuses the request. */
function backItem(item: Json, seals: Seals): Json[] {
  if (item.type === 'custom_tool_call' && 'status' in item) {
    const { status: _, ...known } = item;
    return [known];
  }
  if (item.type !== 'reasoning') return [item];
  const sealed = item.encrypted_content;
  if (typeof sealed !== 'string' || sealed === '') return [];
  const thoughts = opened(seals, sealed, 'input');
  // The vendor's own; or sealed here for somebody else, which nobody can read.
  if (!thoughts) return sealed.startsWith(sealMark) ? [] : [item];
  return thoughts.flatMap((thought) =>
    thought.type === 'thinking' ? reasoningItem(thought.text, thought.signature) : [],
  );
}
