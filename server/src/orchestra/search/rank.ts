import { bm25 } from './bm25.ts';
import { terms } from './terms.ts';
import { dot } from './vectors.ts';

export interface Candidate {
  text: string;
  /** The message before it, where there is one. */
  before?: string;
  /** Of length one; null while it is not embedded. */
  vector: Float32Array | null;
}

export interface Query {
  text: string;
  vector: Float32Array | null;
}

export type Ranked<C> = C & {
  /** Orders the results: words and meaning, each brought to 0-1, added and brought to 0-1 again. */
  score: number;
  /** 0-1 on its own, whatever else was found: what a threshold is held against. */
  relevance: number;
};

/**
 * Meaning beside words, on scales that mean the same for every query: BM25 as the share of what the query could reach,
 * and the bare cosine. Stretching each to the range of the candidates instead made the best of a hopeless list of word
 * matches count as much as a perfect one, and a good embedder lost by it. Weight and root were settled with the
 * retrieval benchmark (seeds 1-3), where a weak embedder does not harm and a strong one helps.
 */
const meaningWeight = 1.25;
/** Orders what is equal otherwise. */
const tieBreak = 0.001;

/** Best first. Adding normalised scores, since with a weak embedder rank fusion does worse than BM25 alone. */
export function rank<C extends Candidate>(query: Query, candidates: C[]): Ranked<C>[] {
  const lexical = bm25(
    terms(query.text),
    candidates.map(({ text, before }) => ({ terms: terms(text), before: terms(before ?? '') })),
  );
  const cosines = candidates.map(({ vector }) => (vector && query.vector ? dot(query.vector, vector) : null));
  const words = normalise(lexical.map(({ bm25: score }) => score));
  const wordsAlone = cosines.every((cosine) => cosine === null);
  return candidates
    .map((candidate, i) => ({
      ...candidate,
      score: wordsAlone ? words[i]! : fused(lexical[i]!.coverage, cosines[i] ?? 0, words[i]!),
      relevance: Math.min(1, Math.max(lexical[i]!.coverage, cosines[i] ?? 0)),
    }))
    .sort((a, b) => b.score - a.score);
}

const fused = (coverage: number, cosine: number, order: number): number =>
  (Math.sqrt(coverage) + meaningWeight * Math.max(0, cosine) + tieBreak * order) / (1 + meaningWeight + tieBreak);

/** Brings scores to 0-1 by their range; what has no score gets 0. All alike and above nothing: all 1. */
export function normalise(scores: (number | null)[]): number[] {
  const known = scores.filter((score) => score !== null);
  const low = known.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
  const high = known.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  return scores.map((score) => {
    if (score === null) return 0;
    return high > low ? (score - low) / (high - low) : high > 0 ? 1 : 0;
  });
}

export interface RerankScore {
  index: number;
  relevance_score: number;
}

/** Puts a reranker's order in force; what it left out is dropped, and an index it made up is ignored. */
export function applyRerank<C>(ranked: Ranked<C>[], scores: RerankScore[]): Ranked<C>[] {
  return scores
    .filter(({ index, relevance_score }) => ranked[index] !== undefined && Number.isFinite(relevance_score))
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .map(({ index, relevance_score }) => ({ ...ranked[index]!, score: relevance_score, relevance: relevance_score }));
}

/** What is relevant enough: unrelated memories do more harm than none. */
export const cut = <C>(ranked: Ranked<C>[], threshold: number): Ranked<C>[] =>
  ranked.filter(({ relevance }) => relevance >= threshold);
