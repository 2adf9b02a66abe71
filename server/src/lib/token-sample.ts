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
  // Two counted pieces are at most this far apart: longer texts have at least one.
  const shortChars = (2 * pieceChars) / share;
  return { pieces, counts: (counted) => scale(texts, { ends, chars, shortChars }, counted) };
}

interface Spread {
  ends: Uint32Array;
  chars: Uint32Array;
  shortChars: number;
}

/** A text without a piece is like the other short ones, not like a long one that has most of the pieces. */
function scale(texts: readonly string[], { ends, chars, shortChars }: Spread, counted: ArrayLike<number>): number[] {
  const own = new Float64Array(texts.length);
  const all = { tokens: 0, chars: 0 };
  const short = { tokens: 0, chars: 0 };
  for (let i = 0, at = 0; i < texts.length; i += 1) {
    for (; at < ends[i]!; at += 1) own[i]! += counted[at]!;
    for (const sum of texts[i]!.length <= shortChars ? [all, short] : [all]) {
      sum.tokens += own[i]!;
      sum.chars += chars[i]!;
    }
  }
  const alike = short.chars > 0 ? short : all;
  const density = alike.tokens / Math.max(1, alike.chars);
  return texts.map((text, i) => Math.ceil(text.length * (chars[i]! > 0 ? own[i]! / chars[i]! : density)));
}
