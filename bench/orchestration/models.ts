import { AppError } from '../../server/src/lib/errors.ts';
import { type ChatMessage, textOf } from '../../server/src/orchestra/messages.ts';
import type { CompleteAnswer, CompleteRequest } from '../../server/src/orchestra/ports.ts';
import { between, pickOf, randomOf } from '../kit/random.ts';
import { neighbour, type Piece, type Request } from './requests.ts';
import { chance, type SimulatedModel, skillOf, type World } from './world.ts';

/** Simulates a world's models: answers the engine's requests and records their cost. */
export interface Models {
  complete(request: CompleteRequest): Promise<CompleteAnswer>;
  /** USD. */
  cost: { total: number; planning: number };
  calls: number;
  /** Index of the current request; outages last for several in a row. */
  at: number;
}

/** With outages each model is independently down for this share of the time, several requests at a time. */
const downShare = 0.1;
const requestsPerOutage = 5;

const tokensOf = (text: string): number => Math.ceil(text.length / 4);
interface Reply {
  text: string;
  finishReason: string;
  tokens: number;
  /** Prompt tokens beyond the length of the simulated texts. */
  alsoRead?: number;
}

const perPlannedTask = 70;
/** A synthesis rewrites the tasks' results, and a weak model loses some of them. */
const synthesisToughness = 0.35;

export function modelsOf(world: World, requests: Request[], outages = false): Models {
  const pieces = new Map(requests.flatMap((request) => request.pieces.map((piece) => [piece.id, piece])));
  const attempts = new Map<string, number>();

  const answer = (request: CompleteRequest): Reply => {
    const model = world.models.find(({ info }) => info.id === request.model)!;
    const all = request.messages.map(textOf).join('\n');
    const last = textOf(request.messages.at(-1)!);
    if (all.includes('You split a request into tasks')) return plan(world, piecesIn(pieces, last), request);
    if (all.includes('Write the answer to it from their results'))
      return synthesis(world, model, pieces, request.messages);
    const asked = all.includes('worked on as several tasks')
      ? piecesIn(pieces, last.slice(last.indexOf('Your task:'))).slice(0, 1)
      : piecesIn(pieces, last);
    const key = `${request.model}|${asked.map(({ id }) => id).join()}`;
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    return work(world, model, asked, attempts.get(key)!);
  };

  const models: Models = {
    cost: { total: 0, planning: 0 },
    calls: 0,
    at: 0,
    async complete(request) {
      const time = Math.floor(models.at / requestsPerOutage);
      if (outages && randomOf(world.seed, 'outage', request.model, time)() < downShare)
        throw new AppError('provider_error', 'down');
      const { info } = world.models.find((model) => model.info.id === request.model)!;
      const { text, finishReason, tokens, alsoRead = 0 } = answer(request);
      const promptTokens = request.messages.reduce((sum, message) => sum + 4 + tokensOf(textOf(message)), alsoRead);
      const cost = (promptTokens * info.promptPrice + tokens * info.completionPrice) / 1e6;
      models.calls += 1;
      models.cost.total += cost;
      if (request.messages.some((message) => textOf(message).includes('You split a request'))) {
        models.cost.planning += cost;
      }
      return {
        message: { role: 'assistant', content: text },
        finishReason,
        usage: { promptTokens, completionTokens: tokens },
        model: info.id,
        provider: 'simulated',
      };
    },
  };
  return models;
}

const piecesIn = (pieces: Map<string, Piece>, text: string): Piece[] =>
  [...text.matchAll(/\((q\d{4}[a-e]?)\)/g)].flatMap(([, id]) => pieces.get(id!) ?? []);

/** The engine's checks cannot tell right from wrong answers; only the scoring reads `right` and `wrong`. */
const done = (piece: Piece, ok: boolean): string => `Here is what I found. <${piece.id} ${ok ? 'right' : 'wrong'}>`;

/** Drawn from seed, task, model and attempt, so that every strategy of choosing models sees the same outcomes. */
function work(world: World, model: SimulatedModel, asked: Piece[], attempt: number): Reply {
  const name = asked.map(({ id }) => id).join();
  const random = randomOf(world.seed, 'work', model.info.id, name, attempt);
  const glitch = random() < world.glitches;
  // A weakness is persistent: the same model mostly repeats its mistake.
  const results = asked.map((piece) => {
    const luck = randomOf(world.seed, 'luck', model.info.id, piece.id, attempt > 1 && random() < 0.3 ? attempt : 1)();
    return { piece, ok: luck < chance(skillOf(model, piece.kind), piece.toughness) };
  });
  const tokens = asked.reduce((sum, { answerTokens }) => sum + answerTokens, 0);
  const failed = results.some(({ ok }) => !ok);
  if (!glitch && !(failed && random() < world.visible)) {
    return { text: results.map(({ piece, ok }) => done(piece, ok)).join('\n'), finishReason: 'stop', tokens };
  }
  const cut = { text: 'The first part of it is', finishReason: 'length', tokens };
  const refused = { text: "I'm sorry, but I can't help with that.", finishReason: 'stop', tokens: 12 };
  return pickOf([cut, refused, { text: '', finishReason: 'stop', tokens: 2 }], random);
}

function plan(world: World, asked: Piece[], { model, messages }: CompleteRequest): Reply {
  const random = randomOf(world.seed, 'plan', model, asked.map(({ id }) => id).join(), messages.length);
  const tokens = 20 + perPlannedTask * asked.length;
  if (random() < world.plannerGarbage)
    return { text: 'I would begin with the first point.', finishReason: 'stop', tokens };
  const tasks = asked.map((piece, i) => ({
    id: `t${i + 1}`,
    title: `Part ${i + 1}`,
    instruction: piece.text,
    difficulty: random() < world.plannerError ? neighbour(piece.level, random) : piece.level,
    depends_on: [],
  }));
  return { text: JSON.stringify({ description: 'Each part on its own', tasks }), finishReason: 'stop', tokens };
}

function synthesis(world: World, model: SimulatedModel, pieces: Map<string, Piece>, messages: ChatMessage[]): Reply {
  const marks = [
    ...new Set(
      messages
        .map(textOf)
        .join('\n')
        .match(/<q\d{4}[a-e]? (?:right|wrong)>/g),
    ),
  ];
  const random = randomOf(world.seed, 'synthesis', model.info.id, marks.join());
  const results = marks.reduce((sum, mark) => sum + (pieces.get(mark.slice(1).split(' ')[0]!)?.answerTokens ?? 0), 0);
  const kept = marks.filter(() => random() < chance(skillOf(model, 'writing'), synthesisToughness));
  const tokens = Math.round(results * between(0.8, 1, random));
  return { text: `All together: ${kept.join(' ')}`, finishReason: 'stop', tokens, alsoRead: results };
}

/** The share of a request's pieces that its answer got right. */
export function mark(request: Request, answer: string): number {
  const right = request.pieces.filter(({ id }) => answer.includes(`<${id} right>`));
  return right.length / request.pieces.length;
}
