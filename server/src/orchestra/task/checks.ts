import { fitsSchema } from '../json-schema.ts';
import { squeeze } from '../messages.ts';
import { looksRefused } from './refusals.ts';

export type Fault = 'empty' | 'refused' | 'cut_off' | 'wrong_format' | 'no_tool_call';

export interface Checked {
  text: string;
  finishReason: string;
  /** Something to do instead of something to read. */
  hasToolCalls: boolean;
  /** The caller asked for a call of a tool, and there is none, or of another. */
  lacksCall?: boolean;
  /** The caller asked for JSON. */
  wantsJson: boolean;
  /** And for JSON of this shape. */
  schema?: unknown;
  /** The caller set the limit that cut it off, so that is no fault. */
  limited: boolean;
}

/** Faults that can be seen without asking another model; null when there is none. */
export function findFault(answer: Checked): Fault | null {
  const { text, finishReason, hasToolCalls, lacksCall, wantsJson, schema, limited } = answer;
  if (lacksCall) return 'no_tool_call';
  if (hasToolCalls) return null;
  const words = squeeze(text);
  // A model that thinks may use up a small limit before it says a word, as it would for whoever asks it directly.
  if (words === '') return finishReason === 'length' && limited ? null : 'empty';
  if (finishReason === 'content_filter') return 'refused';
  if (looksRefused(words)) return 'refused';
  if (finishReason === 'length' && !limited) return 'cut_off';
  return wantsJson && !isJson(text, schema) ? 'wrong_format' : null;
}

function isJson(text: string, schema: unknown): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && fitsSchema(value, schema);
  } catch {
    return false;
  }
}
