import { isObject } from '../../lib/is-object.ts';
import { fitsSchema } from '../json-schema.ts';
import { normalizeWhitespace } from '../messages.ts';
import { looksRefused } from './refusals.ts';

export type Fault = 'empty' | 'refused' | 'cut_off' | 'wrong_format' | 'no_tool_call';

export interface Checked {
  text: string;
  finishReason: string;
  /** The answer calls tools instead of being text. */
  hasToolCalls: boolean;
  /** The caller required a tool call, and the answer has none, or one of another tool. */
  lacksCall?: boolean;
  /** The caller asked for JSON. */
  wantsJson: boolean;
  /** The JSON schema the caller asked for. */
  schema?: unknown;
  /** The caller set the token limit, so a truncated answer is not a fault. */
  limited: boolean;
}

/** Finds faults that can be detected without asking another model; null if there are none. */
export function findFault(answer: Checked): Fault | null {
  const { text, finishReason, hasToolCalls, lacksCall, wantsJson, schema, limited } = answer;
  if (lacksCall) return 'no_tool_call';
  if (hasToolCalls) return null;
  const words = normalizeWhitespace(text);
  // A reasoning model may use up a small limit before its first word; a direct call would have the same result.
  if (words === '') return finishReason === 'length' && limited ? null : 'empty';
  if (finishReason === 'content_filter') return 'refused';
  if (looksRefused(words)) return 'refused';
  if (finishReason === 'length' && !limited) return 'cut_off';
  return wantsJson && !isJson(text, schema) ? 'wrong_format' : null;
}

function isJson(text: string, schema: unknown): boolean {
  try {
    const value = JSON.parse(text);
    const isWhole = typeof value === 'object' && value !== null;
    return (isWhole || namesOthers(schema)) && fitsSchema(value, schema);
  } catch {
    return false;
  }
}

/** A schema may ask for a number or one of several words, as Gemini's format allows; without one, JSON is an object. */
const namesOthers = (schema: unknown): boolean =>
  isObject(schema) && ['type', 'enum', 'const', 'anyOf'].some((keyword) => schema[keyword] !== undefined);
