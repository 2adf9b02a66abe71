import { loadTokens } from '../lib/tokens.ts';
import type { ChatMessage } from './messages.ts';

export type CountText = (text: string) => Promise<number>;

/** Tokens for the role and separators of one message in the chat format. */
const perMessage = 4;
/** An image or file of unknown size; about one tile at high detail. */
const perPart = 765;
export const countText: CountText = async (text) => (await loadTokens()).count(text);

/** Counts the tokens of each message. Counted in one batch, because a conversation may have thousands. */
export async function weigh(messages: readonly ChatMessage[]): Promise<number[]> {
  const texts: string[] = [];
  const ends: number[] = [];
  for (const message of messages) {
    texts.push(...textsOf(message));
    ends.push(texts.length);
  }
  const { countEach } = await loadTokens();
  const counts = await countEach(texts);
  let at = 0;
  return messages.map((message, i) => {
    let tokens = perMessage + frameTokens(message);
    for (; at < ends[i]!; at += 1) tokens += counts[at]!;
    return tokens;
  });
}

export const weighOne = async (message: ChatMessage): Promise<number> => (await weigh([message]))[0]!;

function textsOf({ content, tool_calls: calls = [] }: ChatMessage): string[] {
  const said = typeof content === 'string' ? [content] : (content ?? []).flatMap((part) => part.text ?? []);
  return [...said, ...calls.flatMap((call) => [call.function.name, call.function.arguments])];
}

/** Tokens of a message besides its texts. */
function frameTokens({ content, tool_calls: calls = [] }: ChatMessage): number {
  const silent = typeof content === 'string' ? 0 : (content ?? []).filter((part) => part.text === undefined).length;
  return silent * perPart + calls.length * perMessage;
}
