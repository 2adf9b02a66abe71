import { AppError } from '../../server/src/lib/errors.ts';
import { textOf } from '../../server/src/orchestra/messages.ts';
import { orchestraModel } from '../../server/src/orchestra/models.ts';
import { respond } from '../../server/src/orchestra/respond.ts';
import { triage } from '../../server/src/orchestra/triage.ts';
import { parseChatRequest } from '../../server/src/relay/wire/chat/request.ts';
import { openEngine, openFile } from '../kit/engine.ts';
import { mark, modelsOf } from './models.ts';
import type { Request } from './requests.ts';
import { hardest, type World } from './world.ts';

export interface Outcome {
  /** Share of the work done right. */
  quality: number;
  /** USD for all requests. */
  cost: number;
  planning: number;
  calls: number;
  /** The same over the second half of the requests, when there was something to learn from. */
  later: { quality: number; cost: number };
}

/** Sends every request to the strongest model in one call: the most expensive strategy, without the engine. */
export async function alwaysHard(world: World, requests: Request[]): Promise<Outcome> {
  const models = modelsOf(world, requests);
  const { signal } = new AbortController();
  return measure(requests, models, async ({ text }) => {
    const messages = [{ role: 'user' as const, content: text }];
    const call = { model: hardest, messages, params: {}, stream: false, signal, userId: 1, keyId: null };
    return textOf((await models.complete(call)).message);
  });
}

/** Sends every request through the engine. Without learning each comes from a new user. */
export async function engine(world: World, requests: Request[], learning: boolean, outages = false): Promise<Outcome> {
  const models = modelsOf(world, requests, outages);
  const infos = world.models.map(({ info }) => info);
  const bench = await openEngine(await openFile(), { models: infos, complete: models.complete });
  const { deps, settled } = bench.orchestra;
  const { signal } = new AbortController();
  let user = 1;
  try {
    return await measure(requests, models, async ({ text }) => {
      if (!learning) user += 1;
      const conversation = parseChatRequest({ model: orchestraModel, messages: [{ role: 'user', content: text }] });
      const turn = { caller: { userId: user, keyId: null }, conversation, signal };
      const answer = await respond(deps, turn).then(({ message }) => textOf(message), unanswered);
      await settled();
      return answer;
    });
  } finally {
    await bench.close();
  }
}

/**
 * This error means that no model returned anything usable, so the request counts as failed. Any other error is a bug of
 * the benchmark.
 */
function unanswered(error: unknown): string {
  if (error instanceof AppError && error.code === 'provider_error') return '';
  throw error;
}

async function measure(
  requests: Request[],
  models: ReturnType<typeof modelsOf>,
  answer: (request: Request) => Promise<string>,
): Promise<Outcome> {
  const marks: number[] = [];
  const half = requests.length >> 1;
  let atHalf = 0;
  for (const [i, request] of requests.entries()) {
    models.at = i;
    if (i === half) atHalf = models.cost.total;
    marks.push(mark(request, await answer(request)));
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    quality: mean(marks),
    cost: models.cost.total,
    planning: models.cost.planning,
    calls: models.calls,
    later: { quality: mean(marks.slice(half)), cost: models.cost.total - atHalf },
  };
}

/** How often the rules classify the difficulty and kind of a single piece correctly. */
export function triageAccuracy(requests: Request[]): { difficulty: number; kind: number } {
  const pieces = requests.flatMap((request) => request.pieces);
  const judged = pieces.map((piece) => ({ piece, ...triage(piece.text) }));
  const share = (holds: (item: (typeof judged)[number]) => boolean) => judged.filter(holds).length / judged.length;
  return {
    difficulty: share(({ piece, difficulty }) => difficulty === piece.level),
    kind: share(({ piece, kind }) => kind === piece.kind),
  };
}
