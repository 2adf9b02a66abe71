import { loadTokens } from '../lib/tokens.ts';
import type { ChatMessage } from './messages.ts';

export type CountText = (text: string) => number;

/** Tokens that role and separators of one message cost in the chat format. */
const perMessage = 4;
/** A picture or file of unknown size; about one tile at high detail. */
const perPart = 765;
/** Counting megabytes would hold up every stream: beyond this the rest is taken to be like the beginning. */
const counted = 200_000;

/** The vocabulary is loaded on first use; afterwards counting needs no waiting. */
export async function tokenCounter(): Promise<CountText> {
  const { count } = await loadTokens();
  return (text) =>
    text.length <= counted ? count(text) : Math.ceil((count(text.slice(0, counted)) * text.length) / counted);
}

/** Counts whole messages and remembers each by identity: a message object is never changed in place. */
export function messageCounter(count: CountText): (message: ChatMessage) => number {
  const known = new WeakMap<ChatMessage, number>();
  return (message) => {
    let tokens = known.get(message);
    if (tokens === undefined) {
      tokens = perMessage + contentTokens(message, count) + callTokens(message, count);
      known.set(message, tokens);
    }
    return tokens;
  };
}

function contentTokens({ content }: ChatMessage, count: CountText): number {
  if (content === null) return 0;
  if (typeof content === 'string') return count(content);
  return content.reduce((total, part) => total + (part.text === undefined ? perPart : count(part.text)), 0);
}

const callTokens = (message: ChatMessage, count: CountText): number =>
  (message.tool_calls ?? []).reduce(
    (total, call) => total + count(call.function.name) + count(call.function.arguments) + perMessage,
    0,
  );
