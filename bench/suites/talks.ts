import { toUnit } from '../../server/src/orchestra/search/vectors.ts';
import { search } from '../../server/src/orchestra/turn/recall.ts';
import { openFile } from '../kit/engine.ts';
import { goal, type Row, report, round } from '../kit/report.ts';
import type { Said } from '../retrieval/conversations.ts';
import { type Embedder, strongOf, weak } from '../retrieval/embedders.ts';
import { fill, model, userId } from '../retrieval/shelf.ts';
import { pursuits } from '../retrieval/talk-lexicon.ts';
import { kinds, type Place, type Talks, talksOf } from '../retrieval/talks.ts';

/** Weights were settled on seeds 1-20; these are run only to report. */
const seeds = [201, 202];
const top = 10;

/** Two people's talks over months: of how many questions all the evidence is among ten, message by message and in company. */
export async function talks(): Promise<void> {
  const rows: Row[] = [];
  const goals: string[] = [];
  for (const [name, embedderOf] of embedders) {
    const single = await pooled(seeds, embedderOf, alone);
    const together = await pooled(seeds, embedderOf, (talks) => talks);
    for (const kind of [...kinds, 'all'] as const)
      rows.push({
        what: `${name}, ${kind}`,
        figures: { 'single messages': percent(single[kind]!), 'with surroundings': percent(together[kind]!) },
      });
    goals.push(goal(`${name}: surroundings find more than single messages`, together.all! > single.all!));
  }
  report('talks', rows, goals);
}

export const embedders: [string, (seed: number) => Embedder | null][] = [
  ['words alone', () => null],
  ['built-in embedder', () => weak],
  [
    'simulated strong embedder',
    (seed) =>
      strongOf(
        seed,
        pursuits.map(({ names }) => names),
      ),
  ],
];

const percent = (share: number): string => `${round(share * 100, 1)} %`;

/** The same messages, each a conversation of its own. */
export function alone({ sessions, questions }: Talks): Talks {
  const starts = sessions.map((_, i) => sessions.slice(0, i).flat().length);
  const moved = ([session, at]: Place): Place => [starts[session]! + at, 0];
  return {
    sessions: sessions.flat().map((said): Said[] => [said]),
    questions: questions.map((question) => ({ ...question, evidence: question.evidence.map(moved) })),
  };
}

/** Shares over the questions of all seeds, by kind and all together. */
export async function pooled(
  seeds: number[],
  embedderOf: (seed: number) => Embedder | null,
  arranged: (talks: Talks) => Talks,
): Promise<Record<string, number>> {
  const counts = new Map<string, { hits: number; asked: number }>();
  for (const seed of seeds) {
    const { sessions, questions } = arranged(talksOf(seed));
    const embed = embedderOf(seed);
    const shelf = await fill(await openFile(), sessions, embed ?? (() => new Float32Array(1)));
    for (const { kind, text, evidence } of questions) {
      const query = embed && { model, vector: toUnit(embed(text)) };
      const found = await search(shelf.orchestra, { userId }, text, query, top);
      const ids = new Set(found.map(({ messageId }) => messageId));
      const hit = evidence.every(([session, at]) => ids.has(shelf.ids[session]![at]!));
      for (const name of [kind, 'all']) {
        const count = counts.get(name) ?? { hits: 0, asked: 0 };
        counts.set(name, { hits: count.hits + Number(hit), asked: count.asked + 1 });
      }
    }
    await shelf.close();
  }
  return Object.fromEntries([...counts].map(([name, { hits, asked }]) => [name, hits / asked]));
}
