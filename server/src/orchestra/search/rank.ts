import { others } from '../slices.ts';
import { bm25, type Corpus, type LexicalDocument, type LexicalScore } from './bm25.ts';
import { type Noise, noiseOf, relevanceOf, standsOut } from './noise.ts';
import { terms } from './terms.ts';
import { dot } from './vectors.ts';

export interface Candidate {
  text: string;
  /** What was said around it, the nearest first on either side. */
  around?: { before: Spoken[]; after: Spoken[] };
  /** Of length one; null while it is not embedded. */
  vector: Float32Array | null;
}

export interface Spoken {
  text: string;
  vector: Float32Array | null;
}

export interface Query {
  text: string;
  vector: Float32Array | null;
}

export type Ranked<C> = C & {
  /** Orders the results: words and meaning, each brought to the same scale, added and brought to 0-1. */
  score: number;
  /** 0-1 on its own, whatever else was found: what a threshold is held against. */
  relevance: number;
};

/** What words and nearness are held against; without it the candidates themselves. */
export interface Background {
  corpus: Corpus;
  noise: Noise | null;
}

/**
 * Words and meaning on one scale: how unlikely it is that a text has nothing to do with the query. BM25 is such a sum of
 * logarithms already; a cosine becomes one as the square of how far it stands out of the noise (half of it, were noise
 * quite normal). So a weak embedder, whose nearest texts hardly stand out, does not harm, and a strong one helps, without
 * anybody saying which it is. Stretching both to the range of the candidates instead made the best of a hopeless list
 * count as much as a perfect match. The weight was settled with the retrieval benchmark's development seeds.
 */
const meaningWeight = 0.25;
/**
 * What a word counts that stands one and two messages away, beside one of the message itself, and so for meaning. A question
 * lends far more to what follows: its answer may share no word with it, while what follows a statement is mostly a
 * remark, which must not be found in its place. Settled with the talks and retrieval benchmarks' development seeds.
 */
const lent = [0.2, 0.07];
const lentByQuestion = 0.75;
const question = /[?？؟]/u;
/** Of each candidate; there may be a thousand, and all are read in one go. */
const candidateChars = 4_000;

/** What was said around one candidate is mostly a candidate too: its terms are found once. */
function newReader(): (candidate: Candidate) => LexicalDocument {
  const known = new Map<string, string[]>();
  const read = (text: string): string[] => {
    const found = known.get(text) ?? terms(text.slice(0, candidateChars));
    known.set(text, found);
    return found;
  };
  return ({ text, around }) => ({
    terms: read(text),
    lent: lenders(around).map(([{ text }, weight]) => ({ terms: read(text), weight })),
  });
}

function lenders(around: Candidate['around']): [Spoken, number][] {
  if (!around) return [];
  const side = (spoken: Spoken[]) => spoken.slice(0, lent.length).map((one, i): [Spoken, number] => [one, lent[i]!]);
  const [asked, ...before] = side(around.before);
  if (asked && question.test(asked[0].text)) asked[1] = lentByQuestion;
  return [...(asked ? [asked] : []), ...before, ...side(around.after)];
}

/** Characters read before others get their turn: a few milliseconds. */
const sliceChars = 32_000;

async function readAll(candidates: Candidate[]): Promise<LexicalDocument[]> {
  const read = newReader();
  const documents: LexicalDocument[] = [];
  let chars = 0;
  for (const candidate of candidates) {
    documents.push(read(candidate));
    chars += Math.min(candidateChars, candidate.text.length);
    if (chars < sliceChars) continue;
    chars = 0;
    await others();
  }
  return documents;
}

/** Best first. Adding normalised scores, since with a weak embedder rank fusion does worse than BM25 alone. */
export async function rank<C extends Candidate>(
  query: Query,
  candidates: C[],
  background?: Background,
): Promise<Ranked<C>[]> {
  const lexical = bm25(terms(query.text), await readAll(candidates), background?.corpus);
  const cosines = candidates.map(({ vector }) => (vector && query.vector ? dot(query.vector, vector) : null));
  const noise = background?.noise ?? noiseOf(cosines.filter((cosine) => cosine !== null));
  const out = candidates.map((candidate, i) => meaningOf(query, candidate, cosines[i]!, noise));
  const evidence = lexical.map(({ bm25: words }, i) => words + meaningWeight * out[i]! ** 2);
  const most = evidence.reduce((best, one) => Math.max(best, one), 0);
  return candidates
    .map((candidate, i) => ({
      ...candidate,
      score: most > 0 ? evidence[i]! / most : 0,
      relevance: relevance(lexical[i]!, out[i]!, cosines[i]!, noise),
    }))
    .sort((a, b) => b.score - a.score);
}

/** By how many deviations a message stands out, those said around it adding their part. */
function meaningOf({ vector }: Query, { around }: Candidate, cosine: number | null, noise: Noise): number {
  if (!vector) return 0;
  let squares = cosine === null ? 0 : standsOut(cosine, noise) ** 2;
  for (const [spoken, weight] of lenders(around))
    if (spoken.vector) squares += weight * standsOut(dot(vector, spoken.vector), noise) ** 2;
  return Math.sqrt(squares);
}

/**
 * The surest of four signs: the query's words are there; more of them than by chance; the text lies nearer than by chance;
 * or so near to the query itself, seen from where unrelated texts lie, that it says the same.
 */
function relevance(lexical: LexicalScore, meaning: number, cosine: number | null, noise: Noise): number {
  const sameness = cosine === null ? 0 : (cosine - noise.mean) / Math.max(1 - noise.mean, Number.EPSILON);
  const [byWords, byMeaning] = [lexical.standsOut, meaning].map((out) => (out > 0 ? relevanceOf(out) : 0));
  return Math.min(1, Math.max(lexical.coverage, byWords!, byMeaning!, sameness));
}

export interface RerankScore {
  index: number;
  relevance_score: number;
}

/** Puts a reranker's order in force; what it left out is dropped, and an index it made up is ignored. */
export function applyRerank<C>(ranked: Ranked<C>[], scores: RerankScore[]): Ranked<C>[] {
  const usable = scores.filter(
    ({ index, relevance_score }) => ranked[index] !== undefined && Number.isFinite(relevance_score),
  );
  // Some models answer with the logarithm of the odds, which has no bounds.
  const odds = usable.some(({ relevance_score }) => relevance_score < 0 || relevance_score > 1);
  return usable
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .map(({ index, relevance_score }) => {
      const relevance = odds ? 1 / (1 + Math.exp(-relevance_score)) : relevance_score;
      return { ...ranked[index]!, score: relevance, relevance };
    });
}

/** What is relevant enough: unrelated memories do more harm than none. */
export const cut = <C>(ranked: Ranked<C>[], threshold: number): Ranked<C>[] =>
  ranked.filter(({ relevance }) => relevance >= threshold);
