import type { ChatMessage } from './messages.ts';

export type CountText = (text: string) => number;

/** Tokens that role and separators of one message cost in the chat format. */
const perMessage = 4;
/** A picture or file of unknown size; about one tile at high detail. */
const perPart = 765;
/** A run of letters without a break is merged in quadratic time: 40,000 took 48 s whole, milliseconds in pieces. */
const longestRun = 64;
const hasLongRun = new RegExp(`\\S{${longestRun + 1}}`, 'u');
const pieces = new RegExp(`[\\s\\S]{1,${longestRun}}`, 'gu');

/** Counting megabytes would hold up every stream: beyond this the rest is taken to be like the beginning. */
const counted = 200_000;

let loading: Promise<CountText> | undefined;

/** Loads the vocabulary on first use (about a second), since many processes never need it. */
export function tokenCounter(): Promise<CountText> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    // Text that spells a special token is still only text.
    const plain = { disallowedSpecial: new Set<string>() };
    const count = (text: string) => countTokens(text, plain);
    const careful = (text: string) => (hasLongRun.test(text) ? sum(text.match(pieces) ?? [], count) : count(text));
    return (text) =>
      text.length <= counted ? careful(text) : Math.ceil((careful(text.slice(0, counted)) * text.length) / counted);
  });
  return loading;
}

const sum = (texts: string[], count: CountText): number => texts.reduce((total, text) => total + count(text), 0);

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
