import { yieldToEventLoop } from '../work-slices.ts';
import { bm25, type Corpus, type LexicalDocument, type LexicalScore } from './bm25.ts';
import { datesIn, isOn, type NamedDate } from './dates.ts';
import { queryTerms } from './query-terms.ts';
import { baselineOf, deviationsAbove, relevanceOf, type SimilarityBaseline } from './similarity-baseline.ts';
import { isLetter, terms } from './terms.ts';
import { dot } from './vectors.ts';

export interface Candidate {
  text: string;
  /** The surrounding messages, nearest first on either side. */
  around?: { before: NeighbourMessage[]; after: NeighbourMessage[] };
  /** Normalized to length one; null until it is embedded. */
  vector: Float32Array | null;
  /** Milliseconds since 1970; null for knowledge entries. */
  saidAtMs?: number | null;
}

export interface NeighbourMessage {
  text: string;
  vector: Float32Array | null;
}

export interface Query {
  text: string;
  vector: Float32Array | null;
}

export type Ranked<C> = C & {
  /** Order of the results: lexical and semantic evidence on a common scale, summed and normalized to 0-1. */
  score: number;
  /** 0-1, independent of the other results; compared with the threshold. */
  relevance: number;
};

/** Baseline for lexical and semantic scores; without it, the candidates themselves are the baseline. */
export interface Background {
  corpus: Corpus;
  noise: SimilarityBaseline | null;
  /** Cache of terms by text, shared between the rankings of one search. */
  known?: Map<string, string[]>;
}

/**
 * Lexical and semantic scores on one scale: how unlikely it is that a text is unrelated to the query. BM25 already is
 * such a sum of logarithms; a cosine becomes one as the square of its deviations from the noise (half of it, if the
 * noise were exactly normal). So a weak embedder, whose nearest texts hardly stand out, does no harm, and a strong one
 * helps, without configuring which it is. Min-max scaling over the candidates made the best of a hopeless list count as
 * much as a perfect match. The weight was tuned on the retrieval benchmark's development seeds.
 */
const meaningWeight = 0.25;
/**
 * Weight of a word one, two and three messages away, relative to a word of the message itself; the same for meaning. A
 * question lends far more to the message after it: its answer may share no word with it. What follows a statement is
 * mostly a remark, which must not be found in its place. Tuned on one half of a public benchmark (`npm run bench --
 * locomo`) and the development seeds of talks and retrieval.
 */
const lent = [0.35, 0.15, 0.1];
/** Number of messages on either side that are taken into account. */
export const neighbourCount = lent.length;
const lentByQuestion = 0.75;
const question = /[?？؟]/u;
/**
 * Bonus for a message written on the day, or in the month, that the query names: as much as a word that occurs in one
 * of 150, or one of 20, messages. Tuned on one half of a public benchmark.
 */
const onThatDay = 5;
const inThatMonth = 3;
/** Characters read of all candidates together; there may be a thousand, but most are short. */
const allChars = 2_000_000;
/** Characters read of each if they are longer: words further on may be what it was found by. */
const candidateChars = 4_000;

/** Surrounding messages are mostly candidates too, so their terms are computed once. */
function newReader(
  wanted: Set<string>,
  known: Map<string, string[]>,
  longest: number,
): (candidate: Candidate) => LexicalDocument {
  const letters = new Set([...wanted].filter(isLetter));
  const read = (text: string): string[] => {
    const found = known.get(text) ?? terms(text.slice(0, longest), (letter) => letters.has(letter));
    known.set(text, found);
    return found;
  };
  // A message lends to up to six others, and only the query's words: filter them once.
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

function lendersOf(around: Candidate['around']): [NeighbourMessage, number][] {
  if (!around) return [];
  const side = (spoken: NeighbourMessage[]) =>
    spoken.slice(0, lent.length).map((one, i): [NeighbourMessage, number] => [one, lent[i]!]);
  const [asked, ...before] = side(around.before);
  if (asked && question.test(asked[0].text)) asked[1] = lentByQuestion;
  return [...(asked ? [asked] : []), ...before, ...side(around.after)];
}

/** Characters of the candidate and its neighbours, of each up to a length. */
const lengthOf = ({ text, around }: Candidate, most = Number.POSITIVE_INFINITY): number =>
  lendersOf(around).reduce((total, [{ text }]) => total + Math.min(most, text.length), Math.min(most, text.length));

/** Characters read before yielding to other requests: a few milliseconds. */
const sliceChars = 32_000;

async function readAll(
  asked: string[],
  candidates: Candidate[],
  known: Map<string, string[]> = new Map(),
): Promise<LexicalDocument[]> {
  const inAll = candidates.reduce((total, candidate) => total + lengthOf(candidate), 0);
  const longest = inAll > allChars ? candidateChars : allChars;
  const read = newReader(new Set(asked), known, longest);
  const documents: LexicalDocument[] = [];
  let chars = 0;
  for (const candidate of candidates) {
    documents.push(read(candidate));
    chars += lengthOf(candidate, longest);
    if (chars < sliceChars) continue;
    chars = 0;
    await yieldToEventLoop();
  }
  return documents;
}

/** Best first. Adds normalized scores, because with a weak embedder rank fusion does worse than BM25 alone. */
export async function rank<C extends Candidate>(
  query: Query,
  candidates: C[],
  background?: Background,
): Promise<Ranked<C>[]> {
  const asked = queryTerms(query.text);
  const lexical = bm25(asked, await readAll(asked, candidates, background?.known), background?.corpus);
  const cosines = candidates.map(({ vector }) => (vector && query.vector ? dot(query.vector, vector) : null));
  const noise = background?.noise ?? baselineOf(cosines.filter((cosine) => cosine !== null));
  const lentMeaning = newLender(query, noise);
  const out = candidates.map(({ around }, i) => {
    const own = cosines[i] === null ? 0 : deviationsAbove(cosines[i]!, noise) ** 2;
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

/** Affects only the order: a matching date alone does not make a text relevant. */
function byDate(dates: NamedDate[], saidAtMs: number | null | undefined): number {
  if (saidAtMs === undefined || saidAtMs === null) return 0;
  return Math.max(
    0,
    ...dates.filter((date) => isOn(saidAtMs, date)).map(({ day }) => (day === null ? inThatMonth : onThatDay)),
  );
}

/**
 * What the surrounding messages add to the squared deviations of a message; each one is compared with the query once.
 */
function newLender({ vector: asked }: Query, noise: SimilarityBaseline): (around: Candidate['around']) => number {
  const known = new Map<Float32Array, number>();
  return (around) => {
    let squares = 0;
    if (!asked) return squares;
    for (const [{ vector }, weight] of lendersOf(around)) {
      if (!vector) continue;
      const square = known.get(vector) ?? deviationsAbove(dot(asked, vector), noise) ** 2;
      known.set(vector, square);
      squares += weight * square;
    }
    return squares;
  };
}

/**
 * The strongest of four signals: the query's words occur; more of them than by chance; the text is more similar than by
 * chance; or so similar to the query, relative to unrelated texts, that it says the same.
 */
function relevance(lexical: LexicalScore, meaning: number, cosine: number | null, noise: SimilarityBaseline): number {
  const sameness = cosine === null ? 0 : (cosine - noise.mean) / Math.max(1 - noise.mean, Number.EPSILON);
  const [byWords, byMeaning] = [lexical.standsOut, meaning].map((out) => (out > 0 ? relevanceOf(out) : 0));
  return Math.min(1, Math.max(lexical.coverage, byWords!, byMeaning!, sameness));
}

export interface RerankScore {
  index: number;
  relevance_score: number;
}

/** Applies a reranker's order. Texts that it left out are dropped, and invalid indexes are ignored. */
export function applyRerank<C>(ranked: Ranked<C>[], scores: RerankScore[]): Ranked<C>[] {
  const usable = scores.filter(
    ({ index, relevance_score }) => ranked[index] !== undefined && Number.isFinite(relevance_score),
  );
  // Some models return log odds, which are unbounded.
  const odds = usable.some(({ relevance_score }) => relevance_score < 0 || relevance_score > 1);
  return usable
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .map(({ index, relevance_score }) => {
      const relevance = odds ? 1 / (1 + Math.exp(-relevance_score)) : relevance_score;
      return { ...ranked[index]!, score: relevance, relevance };
    });
}

/** Drops results below the threshold: unrelated memories do more harm than none. */
export const dropBelow = <C>(ranked: Ranked<C>[], threshold: number): Ranked<C>[] =>
  ranked.filter(({ relevance }) => relevance >= threshold);
