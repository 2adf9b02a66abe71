import { AppError } from '../../lib/errors.ts';
import { holdsPrivateKey } from '../assertion/key-set.ts';
import { type FetchJsonDeps, fetchJson } from '../fetch-json.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { type Metadata, readMetadata } from './metadata.ts';

/** The maximum length of client ids. */
const mostCharacters = 200;
/** Documents have some hundred bytes; the draft suggests this limit (§6.6). */
const mostBytes = 5 * 1024;
/** Maximum cache time: a change applies within a day. */
const mostSeconds = 86_400;

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The URL of a client id that is one (draft-ietf-oauth-client-id-metadata-document §3), in canonical form; null for
 * others. Where private addresses are allowed, http on loopback is accepted for development.
 */
export function documentUrl(clientId: string, allowPrivate: boolean): URL | null {
  if (clientId.length > mostCharacters || !/^https?:/.test(clientId) || clientId.includes('#')) return null;
  const url = URL.parse(clientId);
  // The parser would normalise dot segments, capitals or spaces; a document has exactly one name.
  if (!url || url.href !== clientId || url.pathname === '/' || url.username !== '' || url.password !== '') return null;
  return url.protocol === 'https:' || (allowPrivate && loopback.test(url.hostname)) ? url : null;
}

/** The host vouching for an application, if it is described by a document. */
export const documentHost = ({
  source,
  client_id,
}: Pick<ApplicationRow, 'source' | 'client_id'>): string | undefined =>
  source === 'document' ? new URL(client_id).host : undefined;

export interface ClientDocument {
  metadata: Metadata;
  /** How long it may be cached. */
  seconds: number;
}

const wrong = (what: string): AppError =>
  new AppError('invalid_request', `The document at client_id ${what}.`, { param: 'client_id' });

/** Reads the document and validates it; throws `invalid_request` with the reason. */
export async function readDocument(deps: FetchJsonDeps, url: URL): Promise<ClientDocument> {
  const wanted = { mostBytes, userAgent: 'svc-client-metadata/1.0', wrong };
  const { object, seconds } = await fetchJson(deps, url.href, wanted);
  return { metadata: checked(object, url), seconds: Math.min(mostSeconds, seconds) };
}

/** §4.1: it must name itself, and contain no secret, since it is public. */
function checked(document: Record<string, unknown>, url: URL): Metadata {
  if (document.client_id !== url.href) throw wrong('has a different client_id');
  if ('client_secret' in document || 'client_secret_expires_at' in document || holdsPrivateKey(document.jwks))
    throw wrong('must not contain a secret');
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none' && method !== 'private_key_jwt')
    throw wrong('must have none or private_key_jwt as token_endpoint_auth_method');
  try {
    return readMetadata({ ...document, token_endpoint_auth_method: method });
  } catch (error) {
    throw error instanceof AppError ? wrong(`is invalid: ${error.message.replace(/\.$/, '')}`) : error;
  }
}
