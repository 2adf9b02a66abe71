import type { Usage } from '../../lib/money.ts';
import type { Answer, WireFormat } from '../wire/conversation.ts';

/** A cached answer. */
export interface KeptAnswer {
  answer: Answer;
  /** The upstream's format, which tells whose reasoning it contains. */
  upstream: WireFormat;
  provider: string;
  usage: Usage;
  /** What the first caller paid, in quota. */
  cost: number;
  /** Unix seconds. */
  at: number;
}

/** Parts that every format can render, whole and streamed. */
const plain = new Set(['text', 'thinking', 'redacted_thinking']);

/**
 * Null for answers that are not cached: a tool call would make its client act twice on one decision, a filtered answer
 * says more about the filter, and images, audio and vendor blocks cannot be streamed from the cache.
 */
export function keepable(answer: Answer): Answer | null {
  const { finish, parts, source, ...rest } = answer;
  if (finish !== 'stop' && finish !== 'length') return null;
  if (!parts.some((part) => part.type === 'text' && part.text !== '')) return null;
  if (!parts.every((part) => plain.has(part.type) && !('citations' in part && part.citations) && !('cited' in part)))
    return null;
  // A response gets a new id, under which it is stored for follow-up requests.
  const own = source && source.format !== 'responses' ? { source } : {};
  return { ...rest, finish, parts, ...own };
}
