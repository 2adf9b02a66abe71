import { decode, encode } from 'gpt-tokenizer/encoding/cl100k_base';

// Text that spells a special token is the caller's text, not a control token: without this the tokenizer throws.
const plain = { disallowedSpecial: new Set<string>() };

export const countTokens = (text: string): number => encode(text, plain).length;

/** The longest prefix of at most `limit` tokens, and whether anything was cut. */
export function cutToTokens(text: string, limit: number): { text: string; cut: boolean; tokens: number } {
  const tokens = encode(text, plain);
  if (tokens.length <= limit) return { text, cut: false, tokens: tokens.length };
  // A cut inside a multi-byte character would leave a replacement character at the end.
  return { text: decode(tokens.slice(0, limit)).replace(/\uFFFD+$/, ''), cut: true, tokens: limit };
}
