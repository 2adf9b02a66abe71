import { AppError } from '../../lib/errors.ts';
import { type OutgoingAnswer, OutgoingError, type sendGuarded } from '../../platform/http/outgoing.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { type Metadata, readMetadata } from './metadata.ts';

/** As long as a client id may be where else we take one. */
const mostCharacters = 200;
/** Documents have some hundred bytes; the draft suggests this bound (§6.6). */
const mostBytes = 5 * 1024;
const timeoutMs = 5_000;

/** However short its author says: the document is not read for each of a user's steps. However long: a change counts within a day. */
const leastSeconds = 300;
const mostSeconds = 86_400;

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The address of a client id that is one (draft-ietf-oauth-client-id-metadata-document §3), in the one way of writing it;
 * null for any other. Where private addresses may be called, as on a laptop, http on loopback will do.
 */
export function documentUrl(clientId: string, allowPrivate: boolean): URL | null {
  if (clientId.length > mostCharacters || !/^https?:/.test(clientId) || clientId.includes('#')) return null;
  const url = URL.parse(clientId);
  // What the parser writes otherwise has dots for segments, capitals, or spaces; a document has one name.
  if (!url || url.href !== clientId || url.pathname === '/' || url.username !== '' || url.password !== '') return null;
  return url.protocol === 'https:' || (allowPrivate && loopback.test(url.hostname)) ? url : null;
}

/** Whose word an application is: the host of its document, where there is one. */
export const documentHost = ({
  source,
  client_id,
}: Pick<ApplicationRow, 'source' | 'client_id'>): string | undefined =>
  source === 'document' ? new URL(client_id).host : undefined;

export interface ClientDocument {
  metadata: Metadata;
  /** How long it is believed. */
  seconds: number;
}

interface Deps {
  allowPrivate: boolean;
  send: typeof sendGuarded;
}

const wrong = (what: string): AppError =>
  new AppError('invalid_request', `The document at client_id ${what}.`, { param: 'client_id' });

/** Reads the document and checks that it may be believed; throws `invalid_request` with what is wrong with it. */
export async function readDocument({ allowPrivate, send }: Deps, url: URL): Promise<ClientDocument> {
  const answer = await send(
    {
      url: url.href,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'svc-client-metadata/1.0',
      },
      timeoutMs,
      maxAnswerBytes: mostBytes,
    },
    { allowPrivate },
  ).catch((error: unknown) => {
    throw error instanceof OutgoingError ? wrong(faults[error.fault]) : error;
  });
  return { metadata: checked(documentIn(answer), url), seconds: secondsOf(answer.headers) };
}

/** Told apart no further: where an address leads is not to be found out here. */
const faults: Record<OutgoingError['fault'], string> = {
  invalid_url: 'has an address that may not be called',
  address_refused: 'has an address that may not be called',
  timeout: `did not come within ${timeoutMs / 1000} s`,
  aborted: 'did not come',
  network: 'could not be reached',
};

/** §5: a plain 200 with JSON; a redirect is not followed, since the address is the name. */
function documentIn({ status, headers, body, truncated }: OutgoingAnswer): Record<string, unknown> {
  if (status >= 300 && status < 400) throw wrong('redirects elsewhere, which is not followed');
  if (status !== 200) throw wrong(`is answered with status ${status}`);
  if (truncated) throw wrong(`has more than ${mostBytes / 1024} KiB`);
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) throw wrong('is not JSON');
  const parsed = parseOrNull(body);
  if (!isObject(parsed)) throw wrong('is not a JSON object');
  return parsed;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

/** §4.1: it names itself, and holds no secret, since everybody can read it. */
function checked(document: Record<string, unknown>, url: URL): Metadata {
  if (document.client_id !== url.href) throw wrong('names another client_id');
  if ('client_secret' in document || 'client_secret_expires_at' in document || holdsPrivateKey(document.jwks))
    throw wrong('must not hold a secret');
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none') throw wrong('must have none as token_endpoint_auth_method');
  try {
    return readMetadata({ ...document, token_endpoint_auth_method: method });
  } catch (error) {
    throw error instanceof AppError ? wrong(`is wrong: ${error.message.replace(/\.$/, '')}`) : error;
  }
}

/** RFC 7518 §6.2.2, §6.3.2, §6.4.1: what of a key is for its owner alone. We need no keys, but their author must hear of it. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function holdsPrivateKey(jwks: unknown): boolean {
  const keys: unknown = isObject(jwks) ? jwks.keys : undefined;
  return Array.isArray(keys) && keys.some((key) => isObject(key) && privateMembers.some((name) => name in key));
}

/** RFC 9111 §5.2.2, as far as a document needs it. */
function secondsOf(headers: Record<string, string>): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(?:store|cache)\b/i.test(control)) return leastSeconds;
  const [, given] = /\bmax-age\s*=\s*"?(\d{1,10})/i.exec(control) ?? [];
  return Math.min(mostSeconds, Math.max(leastSeconds, Number(given ?? 0)));
}
