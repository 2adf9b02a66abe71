import { AppError } from '../lib/errors.ts';
import { isObject } from '../lib/is-object.ts';
import { type OutgoingAnswer, OutgoingError, type sendGuarded } from '../platform/http/outgoing.ts';
import type { Shared } from '../platform/shared/port.ts';

/* Reads JSON that clients publish, through the SSRF guard. */

export interface FetchJsonDeps {
  allowPrivate: boolean;
  send: typeof sendGuarded;
}

interface Wanted {
  mostBytes: number;
  userAgent: string;
  /** Creates the error for invalid content. */
  wrong: (what: string) => AppError;
}

const timeoutMs = 5_000;

/** Minimum cache time, whatever the server says, so that it is not fetched for each step of a flow. */
const leastSeconds = 300;

/** The object at an address, and how many seconds it may be cached, at least some minutes. */
export async function fetchJson(
  { allowPrivate, send }: FetchJsonDeps,
  url: string,
  { mostBytes, userAgent, wrong }: Wanted,
): Promise<{ object: Record<string, unknown>; seconds: number }> {
  const answer = await send(
    {
      url,
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent },
      timeoutMs,
      maxAnswerBytes: mostBytes,
    },
    { allowPrivate },
  ).catch((error: unknown) => {
    throw error instanceof OutgoingError ? wrong(faults[error.fault]) : error;
  });
  const fault = faultOf(answer, mostBytes);
  if (fault !== null) throw wrong(fault);
  const object = parseOrNull(answer.body);
  if (!isObject(object)) throw wrong('is not a JSON object');
  return { object, seconds: secondsOf(answer.headers) };
}

/** Deliberately vague, so that internal addresses cannot be probed. */
const faults: Record<OutgoingError['fault'], string> = {
  invalid_url: 'has an address that is not allowed',
  address_refused: 'has an address that is not allowed',
  timeout: `did not load within ${timeoutMs / 1000} s`,
  aborted: 'did not load',
  network: 'could not be reached',
};

/** Requires status 200 and JSON; redirects are not followed, since the address itself is the identity. */
function faultOf({ status, headers, truncated }: OutgoingAnswer, mostBytes: number): string | null {
  if (status >= 300 && status < 400) return 'redirects elsewhere, and redirects are not followed';
  if (status !== 200) return `returned status ${status}`;
  if (truncated) return `is larger than ${mostBytes / 1024} KiB`;
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '') ? null : 'is not JSON';
}

function parseOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

/** RFC 9111 §5.2.2, as far as needed. */
function secondsOf(headers: Record<string, string>): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(?:store|cache)\b/i.test(control)) return leastSeconds;
  const [, given] = /\bmax-age\s*=\s*"?(\d{1,10})/i.exec(control) ?? [];
  return Math.max(leastSeconds, Number(given ?? 0));
}

/** How many of a kind are fetched per minute. */
export interface Budget {
  key: string;
  most: number;
}

const minuteMs = 60_000;

export async function countFetch({ shared }: { shared: Shared }, { key, most }: Budget): Promise<void> {
  const { allowed, resetMs } = await shared.hit(key, most, minuteMs);
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new AppError(
    'rate_limit_exceeded',
    `Too many client documents are being requested. Try again in ${seconds} s.`,
    {
      headers: { 'retry-after': `${seconds}` },
    },
  );
}
