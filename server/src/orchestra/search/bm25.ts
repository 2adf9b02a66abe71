import { isUnspaced } from './terms.ts';

/**
 * Lower than the usual values for articles (1.2 and 0.75): in a message one occurrence of a word is enough, and a
 * message's length says little about its topic; a higher `b` would only shuffle messages with the same words.
 */
const k1 = 0.5;
const b = 0.2;

export interface LexicalDocument {
  terms: string[];
  /** Terms of the surrounding messages, each list with the weight of a word that occurs only there. */
  lent: { terms: string[]; weight: number }[];
}

export interface LexicalScore {
  bm25: number;
  /** Share of the query's weight that the document covers, 0-1: comparable between queries, unlike the score. */
  coverage: number;
  /**
   * By how many standard deviations its coverage exceeds that of a document that contains the query's words by chance.
   */
  standsOut: number;
}

/** The documents in which a term's rarity is counted. */
export interface Corpus {
  documents: number;
  /** Number of documents that contain each term. */
  holders: ReadonlyMap<string, number>;
}

/**
 * BM25 over the message; words that it lacks are looked up in the surrounding messages. Without a corpus, rarity is
 * counted among the candidates. Those were found by the query's words, so words that are rare elsewhere look common
 * among them.
 */
export function bm25(query: string[], documents: LexicalDocument[], corpus: Corpus | null = null): LexicalScore[] {
  const wanted = new Set(query);
  const counted = documents.map((document) => count(document, wanted));
  const averageLength = counted.reduce((total, { length }) => total + length, 0) / Math.max(1, counted.length);
  const idf = new Map<string, number>();
  // Without the surroundings: how many other candidates there are, as with an embedder, must not matter to a threshold.
  const ownIdf = new Map<string, number>();
  const chance = { mean: 0, variance: 0 };
  let [whole, squares] = [0, 0];
  for (const term of wanted) {
    const own = counted.filter(({ frequency }) => frequency.has(term)).length;
    const beside = counted.filter(({ lent }) => lent.has(term)).length;
    const known = corpus?.holders.get(term) ?? 0;
    const all = Math.max(own + beside, known, corpus?.documents ?? counted.length);
    const holders = Math.max(own, known);
    const weight = rarity(holders, all);
    const share = all > 0 ? holders / all : 0;
    idf.set(term, rarity(Math.max(own + beside, known), all));
    ownIdf.set(term, weight);
    whole += weight;
    squares += weight ** 2;
    chance.mean += share * weight;
    chance.variance += share * (1 - share) * weight ** 2;
  }
  // Words are not independent: a single shared word may always be chance, however rare it is.
  const deviation = Math.sqrt(chance.variance + squares / Math.max(1, wanted.size));
  return counted.map(({ frequency, lent, length }) => {
    let score = 0;
    let covered = 0;
    for (const [term, times] of frequency) {
      const weight = idf.get(term)!;
      score += (weight * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / (averageLength || 1)));
      covered += ownIdf.get(term)!;
    }
    // Counted as one occurrence: how often a word occurs around a message says nothing about the message.
    for (const [term, share] of lent) {
      score += idf.get(term)! * share;
      covered += ownIdf.get(term)! * share;
    }
    if (whole === 0) return { bm25: score, coverage: 0, standsOut: 0 };
    const asked = whole - spelled(frequency, wanted, ownIdf);
    return { bm25: score, coverage: covered / asked, standsOut: Math.max(0, (covered - chance.mean) / deviation) };
  });
}

const rarity = (holders: number, all: number): number => Math.log(1 + (all - holders + 0.5) / (holders + 0.5));

/**
 * What a document lacks only because letter pairs span words: 无线网密码 has two pairs that 无线密码 lacks, for one letter.
 * A missing pair counts by its letters that no pair of the document has.
 */
function spelled(frequency: Map<string, number>, wanted: Set<string>, weights: Map<string, number>): number {
  const letters = new Set([...frequency.keys()].filter(isUnspaced).flatMap((term) => [...term]));
  if (letters.size === 0) return 0;
  let sum = 0;
  for (const term of wanted) {
    const all = [...term];
    if (!frequency.has(term)) sum += (weights.get(term)! * all.filter((one) => letters.has(one)).length) / all.length;
  }
  return sum;
}

function count({ terms, lent: lenders }: LexicalDocument, wanted: Set<string>) {
  const frequency = new Map<string, number>();
  for (const term of terms) if (wanted.has(term)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const lent = new Map<string, number>();
  for (const { terms: around, weight } of lenders) {
    for (const term of around)
      if (wanted.has(term) && !frequency.has(term)) lent.set(term, Math.max(weight, lent.get(term) ?? 0));
  }
  return { frequency, lent, length: terms.length };
}
