import { goal, percent, type Row, report } from '../kit/report.ts';
import { type Embedder, weak } from '../retrieval/embedders.ts';
import { type Answered, alone, askAll, misses, share } from '../retrieval/evidence.ts';
import { type Sample, samplesOf } from '../retrieval/locomo.ts';
import { servedBy } from '../retrieval/served-embedder.ts';
import { kinds } from '../retrieval/talks.ts';

/**
 * Weights were tuned on the conversations at even indexes (the first, the third, …); the others are only for reporting.
 */
const heldOut = (_: Sample, place: number): boolean => place % 2 === 1;

/**
 * A public benchmark of long conversations: for how many questions the evidence is in the top ten, for single messages
 * and with their neighbours. LOCOMO is the path of its file, LOCOMO_EMBEDDINGS an OpenAI-compatible `/v1/embeddings`
 * endpoint, LOCOMO_MODEL the model there.
 */
export async function locomo(): Promise<void> {
  const { LOCOMO: path, LOCOMO_EMBEDDINGS: address, LOCOMO_MODEL: model = 'default' } = process.env;
  if (!path) return console.log("locomo: LOCOMO is not set to the benchmark's file; skipped");
  const samples = samplesOf(await Bun.file(path).json()).filter(heldOut);
  const texts = samples.flatMap(({ sessions, questions }) =>
    [...sessions.flat(), ...questions].map(({ text }) => text),
  );
  const embedders: [string, Embedder | null][] = [
    ['words alone', null],
    ['built-in embedder', weak],
    ...(address ? [[model, await servedBy(address, model, texts)] as [string, Embedder]] : []),
  ];
  const rows: Row[] = [];
  const goals: string[] = [];
  for (const [name, embed] of embedders) {
    const [single, together]: [Answered[], Answered[]] = [[], []];
    for (const sample of samples) {
      single.push(...(await askAll(alone(sample), embed)));
      together.push(...(await askAll(sample, embed)));
    }
    for (const kind of [...kinds, 'all'] as const) rows.push(rowOf(`${name}, ${kind}`, kind, single, together));
    const more = share(together, 'all') > share(single, 'all');
    goals.push(goal(`${name}: surroundings find more than single messages`, more));
  }
  const unusable = samples.reduce((sum, sample) => sum + sample.unusable, 0);
  console.log(`locomo: skipped ${unusable} questions without a message, and questions about things never said`);
  report('locomo', rows, goals);
}

function rowOf(what: string, kind: Answered['kind'] | 'all', single: Answered[], together: Answered[]): Row {
  const of = (answered: Answered[]) => answered.filter((one) => kind === 'all' || one.kind === kind);
  const missed = of(together).flatMap((one) => one.missed);
  return {
    what,
    figures: {
      questions: of(together).length,
      'all evidence, single messages': percent(share(of(single), 'all')),
      'all evidence, with surroundings': percent(share(of(together), 'all')),
      'any evidence, single messages': percent(share(of(single), 'any')),
      'any evidence, with surroundings': percent(share(of(together), 'any')),
      ...Object.fromEntries(misses.map((miss) => [`missed: ${miss}`, missed.filter((one) => one === miss).length])),
    },
  };
}
