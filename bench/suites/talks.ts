import { goal, percent, type Row, report } from '../kit/report.ts';
import { type Embedder, strongOf, weak } from '../retrieval/embedders.ts';
import { type Answered, alone, askAll, share } from '../retrieval/evidence.ts';
import { pursuits } from '../retrieval/talk-lexicon.ts';
import { kinds, type Talks, talksOf } from '../retrieval/talks.ts';

/** Weights were tuned on seeds 1-20; these are run only to report. */
const seeds = [201, 202];

/**
 * Conversations of two people over months: for how many questions all evidence is in the top ten, for single messages
 * and with their neighbours.
 */
export async function talks(): Promise<void> {
  const rows: Row[] = [];
  const goals: string[] = [];
  for (const [name, embedderOf] of embedders) {
    const single = await pooled(embedderOf, alone);
    const together = await pooled(embedderOf, (talks) => talks);
    for (const kind of [...kinds, 'all'] as const) {
      const of = (answered: Answered[]) => answered.filter((one) => kind === 'all' || one.kind === kind);
      const figures = {
        'single messages': percent(share(of(single), 'all')),
        'with surroundings': percent(share(of(together), 'all')),
      };
      rows.push({ what: `${name}, ${kind}`, figures });
    }
    const more = share(together, 'all') > share(single, 'all');
    goals.push(goal(`${name}: surroundings find more than single messages`, more));
  }
  report('talks', rows, goals);
}

const embedders: [string, (seed: number) => Embedder | null][] = [
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

/** The questions of all seeds. */
async function pooled(
  embedderOf: (seed: number) => Embedder | null,
  arranged: (talks: Talks) => Talks,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const seed of seeds) answered.push(...(await askAll(arranged(talksOf(seed)), embedderOf(seed))));
  return answered;
}
