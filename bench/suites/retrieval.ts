import { dot, fromBlob, toUnit } from '../../server/src/orchestra/search/vectors.ts';
import { search } from '../../server/src/orchestra/turn/recall.ts';
import { openFile } from '../kit/engine.ts';
import { goal, type Row, report, round } from '../kit/report.ts';
import { type Conversations, conversationsOf } from '../retrieval/conversations.ts';
import { type Embedder, strongOf, weak } from '../retrieval/embedders.ts';
import { fill, model, type Shelf, userId } from '../retrieval/shelf.ts';

/** The weight of meaning beside words was settled with seeds 1-3; these had not been looked at then. */
const seeds = [21, 22, 23, 24];
const top = 10;

interface Found {
  words: number;
  vectors: number;
  fused: number;
}

/** Questions in other words about things said once: how often the message that answers is among the first ten. */
export async function retrieval(): Promise<void> {
  const rows: Row[] = [];
  const goals: string[] = [];
  for (const [name, embedderOf] of [
    ['built-in embedder', () => weak],
    ['simulated strong embedder', strongOf],
  ] as [string, (seed: number) => Embedder][]) {
    const found: Found[] = [];
    for (const seed of seeds) {
      const conversations = conversationsOf(seed);
      const one = await measure(conversations, embedderOf(seed));
      found.push(one);
      const messages = conversations.sessions.flat().length;
      const figures = { messages, questions: conversations.questions.length, ...percents(one) };
      rows.push({ what: `${name}, seed ${seed}`, figures });
    }
    // Every seed asks equally many questions, so this is the share of all of them.
    const of = (way: keyof Found) => found.reduce((sum, one) => sum + one[way], 0) / found.length;
    const atLeast = (one: Found) => one.fused >= Math.max(one.words, one.vectors);
    const all = { words: of('words'), vectors: of('vectors'), fused: of('fused') };
    const text = `${name}: fused at least as good as either over all questions (${percent(all.fused)}, BM25 ${percent(all.words)}, vectors ${percent(all.vectors)}); in ${found.filter(atLeast).length} of ${found.length} seeds alone`;
    goals.push(goal(text, atLeast(all)));
  }
  report('retrieval', rows, goals);
}

const percent = (share: number): string => `${round(share * 100, 1)} %`;
const percents = ({ words, vectors, fused }: Found) => ({
  'BM25 alone': percent(words),
  'vectors alone': percent(vectors),
  fused: percent(fused),
});

export async function measure({ sessions, questions }: Conversations, embed: Embedder): Promise<Found> {
  const shelf = await fill(await openFile(), sessions, embed);
  const vectors = await allVectors(shelf);
  const hits: Found = { words: 0, vectors: 0, fused: 0 };
  for (const { text, session, at } of questions) {
    const wanted = shelf.ids[session]![at]!;
    const vector = toUnit(embed(text));
    const searched = async (query: { model: string; vector: Float32Array } | null) =>
      (await search(shelf.orchestra, { userId }, text, query, top)).map(({ messageId }) => messageId);
    const nearest = vectors
      .map((one) => ({ id: one.id, score: dot(vector, one.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, top);
    if ((await searched(null)).includes(wanted)) hits.words += 1;
    if (nearest.some(({ id }) => id === wanted)) hits.vectors += 1;
    if ((await searched({ model, vector })).includes(wanted)) hits.fused += 1;
  }
  await shelf.close();
  const share = (count: number) => count / questions.length;
  return { words: share(hits.words), vectors: share(hits.vectors), fused: share(hits.fused) };
}

async function allVectors({ opened }: Shelf): Promise<{ id: number; vector: Float32Array }[]> {
  const rows = await opened.db
    .selectFrom('ms_vectors as v')
    .innerJoin('ms_documents as d', 'd.id', 'v.document_id')
    .select(['d.message_id', 'v.vector'])
    .execute();
  return rows.map(({ message_id, vector }) => ({ id: message_id!, vector: fromBlob(vector) }));
}
