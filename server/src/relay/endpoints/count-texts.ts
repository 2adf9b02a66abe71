import { loadTokens } from '../../lib/tokens.ts';

/** Counting is synchronous; after this much text every other request gets a turn. */
const pieceChars = 65_536;

/** Tokens of many texts, for upstreams that count none themselves. */
export async function countTexts(texts: Iterable<string>): Promise<number> {
  const { count } = await loadTokens();
  let tokens = 0;
  let since = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += pieceChars) {
      const piece = text.slice(at, at + pieceChars);
      tokens += count(piece);
      since += piece.length;
      if (since >= pieceChars) {
        since = 0;
        await new Promise((next) => setImmediate(next));
      }
    }
  }
  return tokens;
}

/** For holds: three bytes a token is more than almost any text has, in any script. */
export function estimateTexts(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return Math.ceil(bytes / 3);
}
