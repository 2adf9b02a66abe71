import { loadTokens } from '../lib/tokens.ts';
import { type Conversation, promptTexts } from './wire/conversation.ts';

/** About four characters make a token; the hold is an estimate and the settlement exact, so counting would be waste. */
export const charsPerToken = 4;
/** What a picture costs at most with common vendors. */
const tokensPerImage = 1_600;

/** The size of a prompt. An open stream keeps this instead of the request, whose pictures may take megabytes. */
export class Prompt {
  /** Tokens, roughly and at once. */
  readonly estimate: number;

  constructor(
    readonly texts: readonly string[],
    images: number,
  ) {
    let chars = 0;
    for (const text of texts) chars += text.length + 8;
    this.estimate = Math.ceil(chars / charsPerToken) + images * tokensPerImage;
  }

  /** By tokenizer. */
  async count(): Promise<number> {
    const { count } = await loadTokens();
    return this.texts.reduce((tokens, text) => tokens + count(text) + 4, 3);
  }
}

export function promptOf(conversation: Conversation): Prompt {
  let images = 0;
  for (const turn of conversation.turns) for (const part of turn.parts) if (part.type === 'image') images += 1;
  return new Prompt(promptTexts(conversation), images);
}
