/** Characters of one request that are counted exactly: a tenth of a second of the counting thread. */
const countedChars = 1024 * 1024;
/** Size of the samples of longer texts. */
const pieceChars = 2048;

export interface Sample {
  /** What has to be counted. */
  pieces: string[];
  /** The counts of the texts, from those of the pieces. */
  counts(ofPieces: ArrayLike<number>): number[];
}

/**
 * Ordinary texts are counted whole, very long ones by samples: 32 MiB must not block the counting thread for seconds.
 * Samples are spread over the text, since a beginning that is easy to count would misrepresent the rest, and at random
 * within each stretch, since a text could be easy to count in known places only.
 */
export function sampleOf(texts: readonly string[], mostChars = countedChars): Sample {
  let total = 0;
  for (const text of texts) total += text.length;
  if (total <= mostChars) return { pieces: texts as string[], counts: (counted) => Array.from(counted) };
  return spread(texts, mostChars / total);
}

function spread(texts: readonly string[], share: number): Sample {
  const pieces: string[] = [];
  /** For each text: where its pieces end, and how many characters they have. */
  const ends = new Uint32Array(texts.length);
  const chars = new Uint32Array(texts.length);
  let seen = 0;
  let next = Math.random();
  for (let i = 0; i < texts.length; i += 1) {
    const text = texts[i]!;
    for (let at = 0; at < text.length; at += pieceChars) {
      seen += share;
      if (seen <= next) continue;
      next = Math.floor(next) + 1 + Math.random();
      const piece = text.slice(at, at + pieceChars);
      pieces.push(piece);
      chars[i]! += piece.length;
    }
    ends[i] = pieces.length;
  }
  return { pieces, counts: (counted) => scale(texts, { ends, chars }, counted) };
}

function sum(of: Iterable<number>): number {
  let all = 0;
  for (const one of of) all += one;
  return all;
}

function scale(
  texts: readonly string[],
  { ends, chars }: { ends: Uint32Array; chars: Uint32Array },
  counted: ArrayLike<number>,
): number[] {
  const tokens = new Float64Array(texts.length);
  let at = 0;
  for (let i = 0; i < texts.length; i += 1) for (; at < ends[i]!; at += 1) tokens[i]! += counted[at]!;
  const inAll = (sum(tokens) / Math.max(1, sum(chars))) * sum(texts.map(({ length }) => length));
  const scaled = texts.map(({ length }, i) => (chars[i]! > 0 ? (length * tokens[i]!) / chars[i]! : 0));
  // Short texts without a sample are not like the others: they get what those leave of the whole.
  const unseen = sum(texts.map(({ length }, i) => (chars[i]! > 0 ? 0 : length)));
  const left = Math.max(0, inAll - sum(scaled)) / Math.max(1, unseen);
  return texts.map(({ length }, i) => Math.ceil(chars[i]! > 0 ? scaled[i]! : length * left));
}
