import type { Usage } from '../../lib/money.ts';
import type { Answer, WireFormat } from '../wire/conversation.ts';

/** An answer that may be given again. */
export interface KeptAnswer {
  answer: Answer;
  /** The format that it came in, which tells whose thoughts are in it. */
  upstream: WireFormat;
  provider: string;
  usage: Usage;
  /** What it cost whoever asked first, in quota. */
  cost: number;
  /** Unix seconds. */
  at: number;
}

/** Parts that can be written in every format, whole and streamed. */
const plain = new Set(['text', 'thinking', 'redacted_thinking']);

/**
 * Null for an answer that is not given again: one that calls a tool would make its client act twice upon one decision, one that
 * a filter cut says more about the filter, and pictures, sound and vendors' own blocks cannot be streamed from what is kept.
 */
export function keepable(answer: Answer): Answer | null {
  const { finish, parts, source, ...rest } = answer;
  if (finish !== 'stop' && finish !== 'length') return null;
  if (!parts.some((part) => part.type === 'text' && part.text !== '')) return null;
  if (!parts.every((part) => plain.has(part.type) && !('citations' in part && part.citations) && !('cited' in part)))
    return null;
  // A response is written anew with an id of its own, by which it is kept for those that build on it.
  const own = source && source.format !== 'responses' ? { source } : {};
  return { ...rest, finish, parts, ...own };
}
