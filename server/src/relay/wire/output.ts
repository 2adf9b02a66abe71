import { isObject, type Json, type WireFormat } from './conversation.ts';

/** Gets every piece of output: its text, or nothing where it is data that cannot be counted as words. */
export type SeeOutput = (text: string) => void;

/**
 * The one place that says what in an answer, or in one event of a streamed one, is output. It goes by exclusion: vendors
 * put what a model makes into ever new members, and what is not known to be a mere label is something the caller got.
 */
export function eachOutput(wire: WireFormat, json: Json, see: SeeOutput): void {
  roots[wire](json, see);
}

export function hasOutput(wire: WireFormat, json: Json): boolean {
  let seen = false;
  eachOutput(wire, json, () => {
    seen = true;
  });
  return seen;
}

/** Where each format keeps what the model made. */
const roots: Record<WireFormat, (json: Json, see: SeeOutput) => void> = {
  chat: (json, see) => {
    if (Array.isArray(json.choices)) for (const choice of json.choices) if (isObject(choice)) walkChoice(choice, see);
  },
  messages: (json, see) => {
    walk(json.content, see, 0);
    walk(json.content_block, see, 0);
    if (json.type === 'content_block_delta') walk(json.delta, see, 0);
  },
  responses: (json, see) => {
    walk(json.output, see, 0);
    if (typeof json.type === 'string' && json.type.endsWith('.delta')) walk(json.delta, see, 0);
    else if (json.type === 'response.output_item.done' && isObject(json.item)) walkDone(json.item, see);
  },
  gemini: (json, see) => {
    if (!Array.isArray(json.candidates)) return;
    for (const candidate of json.candidates)
      if (isObject(candidate) && isObject(candidate.content)) walk(candidate.content.parts, see, 0);
  },
};

/** Their words came piece by piece before. */
const toldInPieces = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call', 'mcp_call']);

/** Of an item that a stream has told, what only its end tells. */
function walkDone(item: Json, see: SeeOutput): void {
  if (!toldInPieces.has(item.type as string)) walk(item, see, 0);
  else if (typeof item.encrypted_content === 'string') see('');
}

/** Says how a choice ended or was judged; the rest of it is what was made, such as `text` of older endpoints. */
const aboutChoice = new Set([
  'index',
  'finish_reason',
  'native_finish_reason',
  'finish_details',
  'stop_reason',
  'matched_stop',
  'logprobs',
  'content_filter_results',
  'content_filter_result',
  'content_filter_offsets',
  'error',
  'seed',
]);

/** Says who speaks; some vendors put a name or an id of their own beside the role. */
const aboutMessage = new Set(['role', 'name', 'id', 'object', 'model', 'status', 'index', 'type', 'created']);

/** The same thoughts under several names: the first that says something counts. */
const thoughts = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'];

function walkChoice(choice: Json, see: SeeOutput): void {
  for (const field in choice) {
    const value = choice[field];
    if (field === 'message' || field === 'delta') {
      if (isObject(value)) walkMessage(value, see);
    } else if (!aboutChoice.has(field)) walk(value, see, 0);
  }
}

function walkMessage(message: Json, see: SeeOutput): void {
  for (const field in message) {
    if (!aboutMessage.has(field) && !thoughts.includes(field)) walk(message[field], see, 0);
  }
  for (const field of thoughts) if (message[field] != null && walkThought(message[field], see)) return;
}

/** Whether it said something. */
function walkThought(value: unknown, see: SeeOutput): boolean {
  let said = false;
  const hear = (text: string): void => {
    said = true;
    see(text);
  };
  walk(value, hear, 0);
  return said;
}

/** Says what something is, whatever it stands in. */
const labels = new Set([
  'type',
  'id',
  'index',
  'role',
  'object',
  'status',
  'format',
  'mime_type',
  'mimeType',
  'media_type',
  'language',
  'tool_use_id',
  'call_id',
  'caller',
]);

/** Bytes written as text, addresses, and proofs of where thoughts came from: output, but no words. */
const data = new Set([
  'data',
  'b64_json',
  'url',
  'file_uri',
  'fileUri',
  'encrypted_content',
  'encrypted_index',
  'signature',
  'thoughtSignature',
  'thought_signature',
]);

/** Nobody writes deeper; a guard for the stack. */
const deepest = 64;

function walk(value: unknown, see: SeeOutput, depth: number): void {
  if (typeof value === 'string') {
    if (value !== '') see(value);
  } else if (typeof value !== 'object' || value === null) return;
  else if (depth > deepest) see('');
  else if (Array.isArray(value)) for (const item of value) walk(item, see, depth + 1);
  else walkObject(value as Json, see, depth);
}

function walkObject(object: Json, see: SeeOutput, depth: number): void {
  for (const field in object) {
    if (labels.has(field)) continue;
    const value = object[field];
    if (!data.has(field)) walk(value, see, depth + 1);
    else if (typeof value === 'string' && value !== '') see('');
    else walk(value, see, depth + 1);
  }
}
