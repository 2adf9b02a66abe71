export interface Tokens {
  count(text: string): number;
  /** The longest prefix of at most `limit` tokens, and whether anything was cut. */
  cut(text: string, limit: number): { text: string; cut: boolean; tokens: number };
}

/** A run of letters, or of blanks, without a break is merged in quadratic time, so a long one is counted in pieces. */
const longestRun = 64;
const hasLongRun = new RegExp(`\\S{${longestRun + 1}}|\\s{${longestRun + 1}}`, 'u');
const pieces = new RegExp(`[\\s\\S]{1,${longestRun}}`, 'gu');

let loading: Promise<Tokens> | undefined;

/** Loads the vocabulary on first use: it takes about a second and many processes never need it. */
export function loadTokens(): Promise<Tokens> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ encode, decode }) => {
    // Text that spells a special token is the caller's text, not a control token: without this the tokenizer throws.
    const plain = { disallowedSpecial: new Set<string>() };
    const split = (text: string): number[] =>
      hasLongRun.test(text) ? (text.match(pieces) ?? []).flatMap((piece) => encode(piece, plain)) : encode(text, plain);
    return {
      count: (text) => split(text).length,
      cut(text, limit) {
        const tokens = split(text);
        if (tokens.length <= limit) return { text, cut: false, tokens: tokens.length };
        // A cut inside a multi-byte character would leave a replacement character at the end.
        return { text: decode(tokens.slice(0, limit)).replace(/\uFFFD+$/, ''), cut: true, tokens: limit };
      },
    };
  });
  return loading;
}
