import { beginningOf, endOf } from '../../lib/cut-text.ts';
import { normalizeWhitespace } from '../messages.ts';
import { chooseEmbeddingModel, chooseRerankModel } from '../models.ts';
import type { Preferences } from '../preferences.ts';
import { datesIn } from '../search/dates.ts';
import { queryTerms } from '../search/query-terms.ts';
import { applyRerank, dropBelow, type Ranked, rank } from '../search/rank.ts';
import { dot, toUnit } from '../search/vectors.ts';
import { countTerms, documentsWithTerms, type FoundDocument, loadDocuments, sourceName } from '../store/documents.ts';
import { comparedIn, type Scope, withinScope } from '../store/scope.ts';
import { vectorsOf } from '../store/vectors.ts';
import type { CountText } from '../tokens.ts';
import { kindOf } from '../triage.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { embeddable, halved, isRefused } from './embeddable.ts';
import { type WithNeighbours, withNeighbours } from './neighbours.ts';
import type { Turn } from './turn.ts';

type Searching = Pick<Turn, 'deps' | 'caller' | 'choosing' | 'signal' | 'meter'>;

export interface QueryVector {
  model: string;
  vector: Float32Array;
}

/** Characters of a long request that are searched for, before and after what is left out of a text that was pasted. */
const [askedBefore, askedAfter] = [5_900, 2_000];
const askedIn = (text: string): string =>
  text.length <= askedBefore + askedAfter ? text : `${beginningOf(text, askedBefore)}\n${endOf(text, askedAfter)}`;

/** The request as a vector; null if there is no embedding model, or the call fails: then search by words only. */
export async function embedQuery(turn: Searching, text: string): Promise<QueryVector | null> {
  const choice = chooseEmbeddingModel(turn.choosing, kindOf(text));
  if (!choice || text.trim() === '') return null;
  const { model } = choice;
  for (let asked: string | null = embeddable(turn.choosing, model, askedIn(text)); asked !== null; ) {
    try {
      const call = { ...turn.caller, model, texts: [asked], signal: turn.signal };
      const { vectors, usage, cost } = await turn.deps.embed(call);
      turn.meter.note(model, usage, cost);
      return vectors[0] ? { model, vector: toUnit(vectors[0]) } : null;
    } catch (error) {
      turn.signal.throwIfAborted();
      asked = isRefused(error) ? halved(asked) : null;
      if (asked === null) turn.deps.warn('the query could not be embedded', error);
    }
  }
  return null;
}

/** Sign bits are only an approximation: fetch this many times more candidates, then rank them by exact cosine. */
const rough = 4;

/**
 * Finds candidates by words and by vectors and ranks them together, best first. Limits the concurrent searches per
 * user.
 */
export const search = (
  turn: Pick<Searching, 'deps'> & Partial<Pick<Searching, 'signal'>>,
  scope: Scope,
  text: string,
  query: QueryVector | null,
  limit: number,
): Promise<Ranked<FoundDocument>[]> =>
  turn.deps.searches(scope.userId, async () => {
    // Skip the search if the client disconnected while it was queued.
    turn.signal?.throwIfAborted();
    return searchNow(turn, scope, text, query, limit);
  });

async function searchNow(
  turn: Pick<Searching, 'deps'>,
  scope: Scope,
  text: string,
  query: QueryVector | null,
  limit: number,
): Promise<Ranked<FoundDocument>[]> {
  const { db } = turn.deps;
  // Fetch more than requested: ranking reorders them, and some are outside the scope. The index does not know dates.
  const wide = Math.max(datesIn(text).length > 0 ? 300 : 100, limit * 2);
  const asked = queryTerms(text);
  const corpus = await countTerms(db, scope.userId, asked);
  await yieldToEventLoop();
  const byWords = await documentsWithTerms(db, scope, asked, wide, corpus);
  await yieldToEventLoop();
  const { nearest, noise } = query ? await byMeaning(turn, scope, query, wide) : { nearest: [], noise: null };
  const found = await loadDocuments(db, scope, [...new Set([...byWords, ...nearest])], query?.model ?? null);
  const asking = { text, vector: query?.vector ?? null };
  const background = { corpus, noise, known: new Map<string, string[]>() };
  const first = await rank(asking, found.map(byBefore), background);
  // Loading the neighbours of all candidates would take several times as long; the answer is among the top ones or next
  // to them.
  const likely = await withNeighbours(
    db,
    scope,
    first.slice(0, Math.max(likelyAtLeast, 2 * limit)),
    query?.model ?? null,
  );
  await yieldToEventLoop();
  return withoutRepeats(await rank(asking, likely, background)).slice(0, limit);
}

const likelyAtLeast = 40;

/** Uses the one preceding message that is stored with each document. */
const byBefore = (document: FoundDocument): WithNeighbours => {
  const before = document.before === undefined ? [] : [{ text: document.before, vector: null }];
  return { ...document, around: { before, after: [] } };
};

async function byMeaning({ deps }: Pick<Searching, 'deps'>, scope: Scope, query: QueryVector, wide: number) {
  const { db, near } = deps;
  const { model, vector } = query;
  const { userId } = scope;
  const { isWanted, exact } = await comparedIn(db, scope);
  // A scope with too many documents to list them: fetch many more and filter them before loading.
  const most = exact ? wide * rough : Math.max(wide * rough, 2000);
  const found = await near.near(db, userId, model, vector, most, isWanted);
  const noise = await near.noise(db, userId, model, vector);
  const roughly = exact ? found : (await withinScope(db, scope, found)).slice(0, wide * rough);
  const vectors = await vectorsOf(db, userId, model, roughly);
  const cosines = new Map([...vectors].map(([id, one]) => [id, dot(vector, one)]));
  const exactly = roughly.toSorted((a, b) => (cosines.get(b) ?? -1) - (cosines.get(a) ?? -1));
  return { nearest: exactly.slice(0, wide), noise };
}

/** Clients without a session id store the same history repeatedly. */
function withoutRepeats<D extends { text: string }>(documents: D[]): D[] {
  const seen = new Set<string>();
  return documents.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** What to search for, where, and with which threshold. */
export interface Wanted {
  text: string;
  query: QueryVector | null;
  scope: Scope;
  most: number;
  threshold: number;
  /** Whether and how to rerank with a model; without it, results are not reranked. */
  preferences?: Pick<Preferences, 'enable_rerank' | 'rerank_top_n'>;
}

/**
 * Searches sessions and knowledge together, for turns, runs and searches: ranked, each with its source, above the
 * threshold.
 */
export async function recall(turn: Searching, wanted: Wanted): Promise<Ranked<FoundDocument>[]> {
  const { query, scope, most, threshold } = wanted;
  const text = askedIn(wanted.text);
  const found = await search(turn, scope, text, query, most + 1);
  // An identical earlier question is useless; the answer that it led to is not.
  const asked = normalizeWhitespace(wanted.text);
  const told = found.filter(({ messageId, text }) => messageId === null || normalizeWhitespace(text) !== asked);
  return dropBelow(await reranked(turn, { ...wanted, text }, told.slice(0, most)), threshold);
}

export interface Recalled {
  source: string;
  text: string;
  tokens: number;
}

/** The results that fit in the room, best first. */
export async function within(found: FoundDocument[], room: number, count: CountText): Promise<Recalled[]> {
  const kept: Recalled[] = [];
  let left = room;
  for (const document of found) {
    const { text } = document;
    const tokens = await count(text);
    if (tokens > left) continue;
    left -= tokens;
    kept.push({ source: sourceName(document), text, tokens });
  }
  return kept;
}

async function reranked(
  turn: Searching,
  { text, preferences }: Wanted,
  ranked: Ranked<FoundDocument>[],
): Promise<Ranked<FoundDocument>[]> {
  const choice = preferences?.enable_rerank && ranked.length > 0 ? chooseRerankModel(turn.choosing) : null;
  if (!preferences || !choice) return ranked;
  const { model } = choice;
  const documents = ranked.map((document) => document.text);
  const topN = Math.min(preferences.rerank_top_n, documents.length);
  try {
    const call = { ...turn.caller, model, query: text, documents, topN, signal: turn.signal };
    const { results, usage, cost } = await turn.deps.rerank(call);
    turn.meter.note(model, usage, cost);
    return applyRerank(ranked, results).slice(0, topN);
  } catch (error) {
    turn.signal.throwIfAborted();
    turn.deps.warn('recalled text could not be reranked', error);
    return ranked;
  }
}
