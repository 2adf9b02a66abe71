import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Idempotency, KeptAnswer } from '../idempotency/open.ts';
import type { Log } from '../log.ts';
import { readBody } from './body.ts';
import { defaultMaxBytes } from './parse.ts';
import type { Call, Route } from './route.ts';
import { targetOf } from './router.ts';

export interface IdempotencyDeps {
  idempotency: Idempotency;
  log: Log;
  /** The account that idempotency keys belong to; null for anonymous callers. */
  userIdOf(call: Call): number | null;
  /** The application that calls for the user, with keys of its own; undefined for the user. */
  applicationOf?(call: Call): number | undefined;
}

type Handle = Route['handle'];
type Fail = (error: unknown, call: Call) => Response;

const header = 'idempotency-key';

/**
 * Idempotency-Key: the same request of the same user is executed once; repetitions within a day get the first answer
 * again. Without the header nothing changes.
 */
export function idempotent(route: Route, handle: Handle, deps: IdempotencyDeps, fail: Fail): Handle {
  if (!route.idempotent) return handle;
  return (call) => {
    const key = call.request.headers.get(header);
    return key === null ? handle(call) : answerOnce(route, handle, deps, fail, call, key);
  };
}

async function answerOnce(
  route: Route,
  handle: Handle,
  deps: IdempotencyDeps,
  fail: Fail,
  call: Call,
  key: string,
): Promise<Response> {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new AppError('invalid_value', 'Idempotency-Key must be 1-255 printable ASCII characters.', { param: header });
  const userId = deps.userIdOf(call);
  if (userId === null) return handle(call);
  const application = deps.applicationOf?.(call);
  // What one application got, its user and other applications must not get. No key contains a line break.
  const ownKey = application === undefined ? key : `application ${application}\n${key}`;
  const begun = await deps.idempotency.begin(userId, ownKey, await fingerprintOf(route, call));
  if (begun === 'other_request')
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another request.', {
      param: header,
    });
  if (begun === 'running')
    throw new AppError('idempotency_key_in_use', 'The request with this Idempotency-Key is still running.', {
      param: header,
      headers: { 'retry-after': '1' },
    });
  if ('kept' in begun) return replay(begun.kept, call);

  call.idempotencyId = begun.attempt.id;
  // A repetition must find an answer, so the request is completed even if its client disconnects.
  call.signal = new AbortController().signal;
  let response: Response;
  try {
    response = await handle(call);
  } catch (error) {
    response = fail(error, call);
  }
  try {
    if (!isFinal(response.status)) {
      await begun.attempt.release();
      return response;
    }
    const body = await response.clone().text();
    const type = response.headers.get('content-type') ?? '';
    await begun.attempt.keep({ status: response.status, type, body });
  } catch (error) {
    // The act has succeeded, so its answer stands.
    deps.log.error({ error, requestId: call.requestId }, 'a response could not be stored for its Idempotency-Key');
  }
  return response;
}

/** Server errors, temporary refusals and lost access may not be there on the next attempt, so they are not stored. */
const isFinal = (status: number): boolean => status < 500 && status !== 429 && status !== 401;

function replay({ status, type, body }: KeptAnswer, call: Call): Response {
  const headers = { ...call.headers, 'content-type': type, 'idempotency-replayed': 'true' };
  return new Response(body, { status, headers });
}

/** A second copy of the body for the handler. */
const copyOf = (call: Call) => ({
  request: call.request.clone() as Request,
  grow: (bytes: number) => call.grow?.(bytes),
});

/** Fingerprint of the request, ignoring JSON white space; of raw bodies, the bytes. */
async function fingerprintOf(route: Route, call: Call): Promise<string> {
  const { method, url } = call.request;
  const body =
    route.bodyAs === 'raw'
      ? Buffer.from(await readBody(copyOf(call), route.maxBytes ?? defaultMaxBytes)).toString('base64')
      : JSON.stringify(call.body ?? null);
  return sha256Hex(`${method} ${targetOf(url)}\n${body}`);
}
