import { isObject, type Json } from '../../../wire/conversation.ts';
import { limitNames } from '../../../wire/limit-names.ts';
import { opened, type Seals, sealMark, unsealed } from '../../../wire/responses/thoughts.ts';
import { reasoningItem } from './items.ts';

/**
 * Our own parameters, and state that is stored here. What a request builds on is already among its items, so nothing
 * depends on the vendor's storage.
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
  // No parameter of anybody's: assigned, it would set what the body inherits.
  '__proto__',
]);

/** Sent by Codex with every request. OpenAI's public endpoint does not know it, and refuses the request. */
const ofCodex = 'client_metadata';

const sealedThoughts = 'reasoning.encrypted_content';

interface RewriteOptions {
  modelName: string;
  stream: boolean;
  limit: number | undefined;
  /** Whether the model encrypts its reasoning; others refuse the option. */
  reasons: boolean;
  /** The caller's seals, for reasoning encrypted here. */
  seals: Seals | undefined;
}

/** A Responses body for an upstream of the same format, with minimal changes. */
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
  // Nothing is stored there, so reasoning must be returned with the next request.
  if (reasons) include.add(sealedThoughts);
  if (include.size > 0) out.include = [...include];
  return { ...out, stream, store: false };
}

/** Reasoning that OpenAI did not encrypt is refused: it would look it up in its own store. */
function backItem(item: Json, seals: Seals): Json[] {
  if (item.type === 'custom_tool_call' && 'status' in item) {
    const { status: _, ...known } = item;
    return [known];
  }
  if (item.type !== 'reasoning') return [item];
  const sealed = item.encrypted_content;
  if (typeof sealed !== 'string' || sealed === '') return [];
  const thoughts = opened(seals, sealed, 'input');
  // OpenAI's own; or encrypted here for another caller, and unreadable.
  if (!thoughts) return sealed.startsWith(sealMark) ? [] : [item];
  return thoughts.flatMap((thought) =>
    thought.type === 'thinking' ? reasoningItem(thought.text, thought.signature) : [],
  );
}
