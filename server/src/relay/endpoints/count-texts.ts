import { loadTokens } from '../../lib/tokens.ts';
import { otherTokenizer } from '../prompt.ts';

/** Token counts of texts, for upstreams that report none. */
export async function countTexts(texts: Iterable<string>, unsure?: (text: string) => number): Promise<number> {
  const { countEach } = await loadTokens();
  return (await countEach([...texts], unsure)).reduce((total, count) => total + count, 0);
}

/** For holds: no text has more tokens than bytes. */
export function bytesOf(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Upper bound for other vendors, whose tokenizers differ slightly from ours. */
export async function countMost(texts: readonly string[]): Promise<number> {
  return Math.ceil((await countTexts(texts, Buffer.byteLength)) * otherTokenizer) + texts.length * frameTokens;
}

/** Framing tokens per text. */
const frameTokens = 4;
