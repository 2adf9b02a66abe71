import { loadTokens } from '../../lib/tokens.ts';
import { otherTokenizer } from '../prompt.ts';

/** Tokens of many texts, for upstreams that count none themselves. */
export async function countTexts(texts: Iterable<string>): Promise<number> {
  const { countEach } = await loadTokens();
  return (await countEach([...texts])).reduce((total, count) => total + count, 0);
}

/** For holds: no tokenizer makes more tokens of a text than it has bytes. */
export function bytesOf(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

/** The most that vendors, whose tokenizers differ a little from ours, make of texts. */
export async function countMost(texts: readonly string[]): Promise<number> {
  return Math.ceil((await countTexts(texts)) * otherTokenizer) + texts.length * frameTokens;
}

/** Marks around each text. */
const frameTokens = 4;
