import { others } from '../slices.ts';
import { bm25, type Corpus, type LexicalDocument, type LexicalScore } from './bm25.ts';
import { datesIn, isOn, type NamedDate } from './dates.ts';
import { type Noise, noiseOf, relevanceOf, standsOut } from './noise.ts';
import { terms } from './terms.ts';
import { dot } from './vectors.ts';

export interface Candidate {
  text: string;
  /** What was said around it, the nearest first on either side. */
  around?: { before: Spoken[]; after: Spoken[] };
  /** Of length one; null while it is not embedded. */
  vector: Float32Array | null;
  /** In milliseconds since 1970; knowledge was said at no time. */
  saidAtMs?: number | null;
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
  /** Terms by text, kept from one ranking of the same search to the next. */
  known?: Map<string, string[]>;
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
 * What a word counts that stands one, two and three messages away, beside one of the message itself, and so for meaning. A
 * question lends far more to what follows: its answer may share no word with it, while what follows a statement is mostly a
 * remark, which must not be found in its place. Settled with one half of a public benchmark (`npm run bench -- locomo`)
 * and the development seeds of talks and retrieval.
 */
const lent = [0.35, 0.15, 0.1];
/** Messages on either side that lend. */
export const lenders = lent.length;
const lentByQuestion = 0.75;
const question = /[?？؟]/u;
/**
 * What it counts to have been said on the day, or in the month, that the query names: as much as a word that one message in
 * 150, or in 20, holds. Settled with one half of a public benchmark.
 */
const onThatDay = 5;
const inThatMonth = 3;
/** Of each candidate; there may be a thousand, and all are read in one go. */
const candidateChars = 4_000;

/** What was said around one candidate is mostly a candidate too: its terms are found once. */
function newReader(wanted: Set<string>, known: Map<string, string[]>): (candidate: Candidate) => LexicalDocument {
  const read = (text: string): string[] => {
    const found = known.get(text) ?? terms(text.slice(0, candidateChars));
    known.set(text, found);
    return found;
  };
  // A message lends to as many as six others, and of its words only those that are asked for.
  const shared = new Map<string, string[]>();
  const lend = (text: string): string[] => {
    const found = shared.get(text) ?? read(text).filter((term) => wanted.has(term));
    shared.set(text, found);
    return found;
  };
  return ({ text, around }) => ({
    terms: read(text),
    lent: lendersOf(around).map(([{ text }, weight]) => ({ terms: lend(text), weight })),
  });
}

function lendersOf(around: Candidate['around']): [Spoken, number][] {
  if (!around) return [];
  const side = (spoken: Spoken[]) => spoken.slice(0, lent.length).map((one, i): [Spoken, number] => [one, lent[i]!]);
  const [asked, ...before] = side(around.before);
  if (asked && question.test(asked[0].text)) asked[1] = lentByQuestion;
  return [...(asked ? [asked] : []), ...before, ...side(around.after)];
}

/** Characters read before others get their turn: a few milliseconds. */
const sliceChars = 32_000;

async function readAll(
  asked: string[],
  candidates: Candidate[],
  known: Map<string, string[]> = new Map(),
): Promise<LexicalDocument[]> {
  const read = newReader(new Set(asked), known);
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
  const asked = terms(query.text);
  const lexical = bm25(asked, await readAll(asked, candidates, background?.known), background?.corpus);
  const cosines = candidates.map(({ vector }) => (vector && query.vector ? dot(query.vector, vector) : null));
  const noise = background?.noise ?? noiseOf(cosines.filter((cosine) => cosine !== null));
  const lentMeaning = newLender(query, noise);
  const out = candidates.map(({ around }, i) => {
    const own = cosines[i] === null ? 0 : standsOut(cosines[i]!, noise) ** 2;
    return Math.sqrt(own + lentMeaning(around));
  });
  const dates = datesIn(query.text);
  const evidence = lexical.map(
    ({ bm25: words }, i) => words + meaningWeight * out[i]! ** 2 + byDate(dates, candidates[i]!.saidAtMs),
  );
  const most = evidence.reduce((best, one) => Math.max(best, one), 0);
  return candidates
    .map((candidate, i) => ({
      ...candidate,
      score: most > 0 ? evidence[i]! / most : 0,
      relevance: relevance(lexical[i]!, out[i]!, cosines[i]!, noise),
    }))
    .sort((a, b) => b.score - a.score);
}

/** Orders what was found; by itself a day makes nothing relevant. */
function byDate(dates: NamedDate[], saidAtMs: number | null | undefined): number {
  if (saidAtMs === undefined || saidAtMs === null) return 0;
  return Math.max(
    0,
    ...dates.filter((date) => isOn(saidAtMs, date)).map(({ day }) => (day === null ? inThatMonth : onThatDay)),
  );
}

/** What those said around a message add to the square of how far it stands out; each is compared with the query once. */
function newLender({ vector: asked }: Query, noise: Noise): (around: Candidate['around']) => number {
  const known = new Map<Float32Array, number>();
  return (around) => {
    let squares = 0;
    if (!asked) return squares;
    for (const [{ vector }, weight] of lendersOf(around)) {
      if (!vector) continue;
      const square = known.get(vector) ?? standsOut(dot(asked, vector), noise) ** 2;
      known.set(vector, square);
      squares += weight * square;
    }
    return squares;
  };
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
