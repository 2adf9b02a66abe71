import { keptOf } from '../billing/store/kept-answers.ts';
import type { CallName } from '../billing/types.ts';
import type { KeyPrincipal } from '../identity/principals.ts';
import { errorShapes } from '../lib/error-shapes.ts';
import type { AppError } from '../lib/errors.ts';
import { parseExactly } from '../lib/exact-json.ts';
import { isUnavailable } from '../platform/durable/errors.ts';
import { OutOfMemoryBudget } from '../platform/http/memory-budget.ts';
import type { Call, Route } from '../platform/http/route.ts';
import { toAppError } from '../platform/http/to-app-error.ts';
import { chargeWithAnswer } from '../relay/charge-with-answer.ts';
import type { ChargeLater } from '../relay/deps.ts';
import type { BackgroundCall, KeyCall } from '../relay/request-context.ts';
import type { BatchesDeps } from './deps.ts';
import type { Outcome } from './store/requests.ts';
import type { BatchRow, RequestRow } from './store/tables.ts';

/** Attempts at a request that failed at its upstream, and the delays between them, doubled each time. */
const mostTries = 4;
const firstWaitMs = 1_000;
/** Delay until there may be memory for what a request grows to. */
const roomWaitMs = 250;
const mostWaitMs = 30_000;

export const callOf = (batch: Pick<BatchRow, 'id'>, { position }: Pick<RequestRow, 'position'>): CallName => ({
  ...{ work: batch.id, call: `${position}` },
});

/** Key under which a line that asks a built-in model stores the answers to its own calls. */
export const innerWorkOf = (batch: Pick<BatchRow, 'id'>, { position }: Pick<RequestRow, 'position'>): string =>
  `${batch.id}:${position}`;

/** Answers that a previous process paid for, but crashed before storing. */
export async function paidOutcomes({ db }: BatchesDeps, batch: BatchRow): Promise<Paid[]> {
  return (await keptOf(db, batch.id)).map(({ call, request_id: requestId, body: text }) => ({
    row: { position: Number(call) },
    outcome: { state: 'succeeded', requestId, statusCode: 200, text },
  }));
}

export interface Paid {
  row: Pick<RequestRow, 'position'>;
  outcome: Outcome;
}

/** A rate limit, of the model or of the owner, does not admit the request now. */
interface Limited {
  state: 'limited';
  /** The time to wait, if it was told. */
  toldMs: number;
}

/** Sends one request like a client's, with its owner's current rights. */
export async function askRequest(
  deps: BatchesDeps,
  batch: BatchRow,
  row: RequestRow,
  signal: AbortSignal,
): Promise<Outcome | Limited> {
  const route = deps.routes.find(({ method, path }) => method === 'post' && path === batch.endpoint);
  if (!route) throw new Error(`no such endpoint: ${batch.endpoint}`);
  const body = await bodyOf(deps, batch, row);
  for (let tried = 1; ; tried += 1) {
    // A call is billed once per id, so every attempt, also after a crash, has its own.
    const requestId = `${batch.id}-${row.position}-${batch.attempts}-${tried}`;
    try {
      const calls = { work: innerWorkOf(batch, row), attempt: `${tried}:`, again: batch.attempts > 1 };
      const ask = (chargeLater: ChargeLater) =>
        send(deps, route, batch, { body, requestId, behind: { chargeLater, calls } }, signal);
      const text = await chargeWithAnswer(deps.billing, callOf(batch, row), signal, ask, String);
      return { state: 'succeeded', requestId, statusCode: 200, text };
    } catch (thrown) {
      // Shutting down, or taken over: another process continues.
      signal.throwIfAborted();
      if (thrown instanceof OutOfMemoryBudget) {
        // Nothing was asked yet.
        tried -= 1;
        await pause(roomWaitMs, signal);
        continue;
      }
      // The charge is queued together with its answer; the next attempt finds both.
      if (isUnavailable(thrown)) throw thrown;
      const error = toAppError(thrown);
      if (error.code === 'internal_error') deps.log.warn({ error: thrown, requestId }, 'a batch request failed');
      if (error.status === 429) return { state: 'limited', toldMs: toldMs(error) };
      if (tried === mostTries || error.status < 500) {
        const text = JSON.stringify(errorShapes[route.errors](error, requestId));
        return { state: 'errored', requestId, statusCode: error.status, text };
      }
      await pause(waitMs(error, tried), signal);
    }
  }
}

function toldMs({ extras: { headers = {} } }: AppError): number {
  const told = Number(headers['retry-after-ms'] ?? Number(headers['retry-after']) * 1_000);
  return told > 0 ? told : 0;
}

const waitMs = (error: AppError, tried: number): number =>
  Math.min(mostWaitMs, toldMs(error) || firstWaitMs * 2 ** (tried - 1));

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

async function bodyOf({ blobs }: BatchesDeps, batch: BatchRow, row: RequestRow): Promise<string> {
  const content = await blobs.read(batch.input_blob, { start: row.first_byte, end: row.last_byte });
  if (!content) throw new Error(`the input file of ${batch.id} no longer exists`);
  const line = parseExactly(await new Response(content).text()) as { body?: unknown; params?: unknown };
  return JSON.stringify(line.body ?? line.params);
}

interface Sent {
  body: string;
  requestId: string;
  behind: Pick<BackgroundCall, 'chargeLater' | 'calls'>;
}

async function send(
  deps: BatchesDeps,
  route: Route,
  batch: BatchRow,
  { body, requestId, behind: left }: Sent,
  signal: AbortSignal,
): Promise<string> {
  const { user_id: userId, key_id: keyId } = batch;
  const { group, models, unlimited } = await deps.permit({ userId, keyId });
  let grown = 0;
  // All that endpoints read of a user.
  const user = { id: userId, group } as KeyPrincipal['user'];
  const behind: BackgroundCall = { ...left, parentRequestId: batch.id, priceFactor: deps.priceFactor() };
  const request = new Request(`http://batch.invalid${route.path}`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
  });
  const call: Call<'apiKey'> & Pick<KeyCall, 'behind'> = {
    ...{ request, requestId, ip: '127.0.0.1', body: undefined, query: undefined, params: undefined },
    ...{ signal, headers: {}, behind, principal: { user, keyId, models, unlimited, limitKey: '' } },
    grow: (bytes) => {
      deps.memoryBudget.take(`${userId}`, bytes);
      grown += bytes;
    },
  };
  try {
    return await (await route.handle(call as Call)).text();
  } finally {
    deps.memoryBudget.giveBack(`${userId}`, grown);
  }
}
