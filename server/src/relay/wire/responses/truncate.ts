import { AppError } from '../../../lib/errors.ts';
import { isObject, type Json, type Sourced, type Turn } from '../conversation.ts';
import { weigh } from '../read.ts';

/** Whether a conversation may start here: a user turn that does not answer dropped calls. */
const mayBegin = ({ role, parts }: Turn): boolean =>
  role === 'user' && parts.every(({ type }) => type !== 'tool_result');

/** Without about half of its oldest turns; null if nothing can be dropped. */
function shortened(conversation: Sourced): Sourced | null {
  const { turns, bytes = 0 } = conversation;
  const half = Math.ceil(turns.length / 2);
  const after = turns.findIndex((turn, i) => i >= half && mayBegin(turn));
  const start = after === -1 ? turns.findLastIndex((turn, i) => i > 0 && mayBegin(turn)) : after;
  if (start <= 0) return null;
  const left = turns.slice(0, start).reduce((sum, { parts }) => sum + weigh(parts), 0);
  const kept = turns.slice(start);
  const source = { ...conversation.source, body: shorterBody(conversation.source.body, kept.filter(mayBegin).length) };
  return { ...conversation, turns: kept, source, bytes: Math.max(0, bytes - left) };
}

/** Each of these is a user turn. */
const begins = (item: unknown): boolean =>
  isObject(item) &&
  (item.role === 'user' || (item.type === 'image_generation_call' && typeof item.result === 'string'));

/** The body for upstreams that get it unchanged: the last so many user turns, and all instructions. */
function shorterBody(body: Json, beginnings: number): Json {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const starts = input.flatMap((item, i) => (begins(item) ? [i] : []));
  const start = starts.at(-beginnings) ?? 0;
  const instructs = (item: unknown) => isObject(item) && (item.role === 'system' || item.role === 'developer');
  return { ...body, input: [...input.slice(0, start).filter(instructs), ...input.slice(start)] };
}

/** With `truncation: "auto"`, drops the oldest turns until the rest fits. */
export async function untilFitting<T>(conversation: Sourced, ask: (asked: Sourced) => Promise<T>): Promise<T> {
  for (let asked = conversation; ; ) {
    try {
      return await ask(asked);
    } catch (error) {
      const tooLong = error instanceof AppError && error.code === 'context_length_exceeded';
      const shorter = tooLong && conversation.source.body.truncation === 'auto' ? shortened(asked) : null;
      if (!shorter) throw error;
      asked = shorter;
    }
  }
}
