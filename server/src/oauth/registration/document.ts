import { AppError } from '../../lib/errors.ts';
import { holdsPrivateKey } from '../assertion/key-set.ts';
import { type JsonAtDeps, readJsonAt } from '../json-at.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { type Metadata, readMetadata } from './metadata.ts';

/** As long as a client id may be where else we take one. */
const mostCharacters = 200;
/** Documents have some hundred bytes; the draft suggests this bound (§6.6). */
const mostBytes = 5 * 1024;
/** However long its author says: a change counts within a day. */
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

const wrong = (what: string): AppError =>
  new AppError('invalid_request', `The document at client_id ${what}.`, { param: 'client_id' });

/** Reads the document and checks that it may be believed; throws `invalid_request` with what is wrong with it. */
export async function readDocument(deps: JsonAtDeps, url: URL): Promise<ClientDocument> {
  const wanted = { mostBytes, userAgent: 'svc-client-metadata/1.0', wrong };
  const { object, seconds } = await readJsonAt(deps, url.href, wanted);
  return { metadata: checked(object, url), seconds: Math.min(mostSeconds, seconds) };
}

/** §4.1: it names itself, and holds no secret, since everybody can read it. */
function checked(document: Record<string, unknown>, url: URL): Metadata {
  if (document.client_id !== url.href) throw wrong('names another client_id');
  if ('client_secret' in document || 'client_secret_expires_at' in document || holdsPrivateKey(document.jwks))
    throw wrong('must not hold a secret');
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none' && method !== 'private_key_jwt')
    throw wrong('must have none or private_key_jwt as token_endpoint_auth_method');
  try {
    return readMetadata({ ...document, token_endpoint_auth_method: method });
  } catch (error) {
    throw error instanceof AppError ? wrong(`is wrong: ${error.message.replace(/\.$/, '')}`) : error;
  }
}
