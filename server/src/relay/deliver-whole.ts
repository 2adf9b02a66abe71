import { readText } from '../lib/byte-source.ts';
import { YieldTimer } from '../lib/map-yielding.ts';
import type { Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type Delivery, type ReadAnswer, type Settled, successfulEnd } from './answer-chat.ts';
import { type ChatCall, DispatchFault } from './dispatch.ts';
import { OutputCounter } from './output-counter.ts';
import type { ProviderKind } from './providers/kind.ts';
import { type UnusedIds, unusedIds, withUnusedIds } from './wire/chat/call-places.ts';
import { type Answer, isObject, type Json } from './wire/conversation.ts';
import { parseLargeBody, parserOf } from './wire/exact-arguments.ts';
import { eachOutput } from './wire/output.ts';
import { type AnswerSummary, summarizeAnswer } from './wire/watch.ts';

export interface Completed extends Settled {
  answer: Answer;
  /** The upstream's body as it was received. */
  text: string;
  candidate: Candidate;
  /** The model's public name. */
  modelId: string;
  /** The model name shown in the answer. */
  model: string;
}

export class WholeAnswer implements ReadAnswer {
  readonly streamed = false;
  readonly answer: Answer;

  constructor(
    readonly text: string,
    /** Parsed, in the upstream's own format. */
    readonly body: Json,
    readonly kind: ProviderKind,
    readonly expectsJson: boolean,
  ) {
    this.answer = kind.fromUpstream(body);
  }

  summary(): AnswerSummary {
    return summarizeAnswer(this.answer, this.kind.wire, this.body, this.expectsJson);
  }

  countOutput(): Promise<number> {
    const output = new OutputCounter();
    eachOutput(this.kind.wire, this.body, output.add);
    return output.count();
  }

  recount(usage: Usage): Pick<Completed, 'answer'> {
    const { source, ...answer } = this.answer;
    if (!source) return { answer: { ...answer, usage } };
    const { usage: _, usageMetadata: __, ...body } = source.body;
    return { answer: { ...answer, usage, source: { ...source, body } } };
  }
}

/** Reads the whole answer, charges it and returns one value. */
export const whole: Delivery<WholeAnswer, Completed> = {
  read: ({ conversation }, body, kind, sent) => {
    const expectsJson = conversation.params.responseFormat !== undefined;
    const ids = kind.wire === 'chat' ? unusedIds(conversation.turns) : undefined;
    const how = { kind, sent, expectsJson, ids };
    const text = readText(body);
    return typeof text === 'string' ? wholeOf(text, how) : text.then((read) => wholeOf(read, how));
  },
  handOn: (opened, model) => {
    opened.sent.done();
    const { candidate, modelId } = opened;
    const { answer, text } = opened.read;
    return opened.settle(successfulEnd, { answer, text, candidate, modelId, model });
  },
};

interface Reading {
  kind: ProviderKind;
  sent: ChatCall;
  expectsJson: boolean;
  ids: UnusedIds | undefined;
}

function wholeOf(text: string, how: Reading): WholeAnswer | Promise<WholeAnswer> {
  const body = bodyIn(text, how.kind, how.sent);
  return body instanceof Promise ? body.then((read) => answerOf(text, read, how)) : answerOf(text, body, how);
}

function answerOf(text: string, body: Json, { kind, expectsJson, ids }: Reading): WholeAnswer {
  const own = ids && isObject(body) ? withUnusedIds(body, ids) : null;
  return own
    ? new WholeAnswer(JSON.stringify(own), own, kind, expectsJson)
    : new WholeAnswer(text, body, kind, expectsJson);
}

/** Longer answers (log probabilities, images) are parsed and written in slices that yield to the event loop. */
export const largeLetters = 256 * 1024;

/** The body of an answer, parsed; a format's own reader rejects one that is not an object. */
export const bodyIn = (text: string, kind: ProviderKind, sent: ChatCall): Json | Promise<Json> =>
  text.length > largeLetters ? parseLarge(text, kind).catch(() => notJson(sent)) : parse(text, kind, sent);

function parse(text: string, { wire }: ProviderKind, sent: ChatCall): Json {
  try {
    return parserOf(wire)(text) as Json;
  } catch {
    return notJson(sent);
  }
}

function notJson({ startedMs }: ChatCall): never {
  throw new DispatchFault('malformed', startedMs, 'the upstream response is not JSON');
}

async function parseLarge(text: string, { wire }: ProviderKind): Promise<Json> {
  const turns = new YieldTimer();
  // Decoding the text has just taken a while: yield first.
  await turns.give();
  const bytes = Buffer.from(text);
  await turns.give();
  return (await parseLargeBody(wire, bytes)) as Json;
}
