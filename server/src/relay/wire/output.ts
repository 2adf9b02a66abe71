import { isObject, type Json, type WireFormat } from './conversation.ts';

/** Receives every piece of output: its text, or an empty string for data that cannot be counted as words. */
export type SeeOutput = (text: string) => void;

/**
 * Decides what counts as output, in an answer or a stream event. Works by exclusion: vendors put output into ever new
 * members, so everything that is not known metadata counts as output.
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

/** Where each format keeps the model's output. */
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

/** Their text was streamed before. */
const toldInPieces = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call', 'mcp_call']);

/** Output that only the end of a streamed item contains. */
function walkDone(item: Json, see: SeeOutput): void {
  if (!toldInPieces.has(item.type as string)) walk(item, see, 0);
  else if (typeof item.encrypted_content === 'string') see('');
}

/** Metadata of a choice; the rest is output, such as `text` of older endpoints. */
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

/** Metadata of a message; some vendors add a name or id beside the role. */
const aboutMessage = new Set(['role', 'name', 'id', 'object', 'model', 'status', 'index', 'type', 'created']);

/** Names of the same reasoning; the first non-empty one counts. */
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

/** Whether it contained anything. */
function walkThought(value: unknown, see: SeeOutput): boolean {
  let said = false;
  const hear = (text: string): void => {
    said = true;
    see(text);
  };
  walk(value, hear, 0);
  return said;
}

/** Metadata in any object. */
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

/** Encoded bytes, URLs and signatures: output, but not words. */
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

/** Protects the stack; real answers are not nested deeper. */
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
