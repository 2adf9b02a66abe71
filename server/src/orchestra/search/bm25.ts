/** How much the message before counts beside the message itself: an answer is often found by its question. */
const contextWeight = 0.5;
const k1 = 1.2;
const b = 0.75;

export interface LexicalDocument {
  terms: string[];
  /** Terms of the message before it. */
  before: string[];
}

export interface LexicalScore {
  bm25: number;
  /** Share of the query's weight that the document covers, 0-1: comparable between queries, unlike the score. */
  coverage: number;
}

/** BM25 over the message and the one before it; rarity is counted among the candidates. */
export function bm25(query: string[], documents: LexicalDocument[]): LexicalScore[] {
  const wanted = new Set(query);
  const counted = documents.map((document) => count(document, wanted));
  const averageLength = counted.reduce((total, { length }) => total + length, 0) / Math.max(1, counted.length);
  const idf = new Map<string, number>();
  for (const term of wanted) {
    const holders = counted.filter(({ frequency }) => frequency.has(term)).length;
    idf.set(term, Math.log(1 + (counted.length - holders + 0.5) / (holders + 0.5)));
  }
  const whole = [...idf.values()].reduce((total, weight) => total + weight, 0);
  return counted.map(({ frequency, length }) => {
    let score = 0;
    let covered = 0;
    for (const [term, times] of frequency) {
      const weight = idf.get(term)!;
      score += (weight * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / (averageLength || 1)));
      covered += weight * Math.min(1, times);
    }
    return { bm25: score, coverage: whole > 0 ? covered / whole : 0 };
  });
}

function count({ terms, before }: LexicalDocument, wanted: Set<string>) {
  const frequency = new Map<string, number>();
  const add = (term: string, weight: number) => {
    if (wanted.has(term)) frequency.set(term, (frequency.get(term) ?? 0) + weight);
  };
  for (const term of terms) add(term, 1);
  for (const term of before) add(term, contextWeight);
  return { frequency, length: terms.length + contextWeight * before.length };
}
