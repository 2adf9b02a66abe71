import { AppError } from '../lib/errors.ts';
import { equalDigests, sha256Hex } from '../lib/hashing.ts';
import { formDecode } from '../platform/http/form.ts';
import type { ApplicationRow } from './store/tables.ts';

/** A request's client credentials; the secret is null if absent. */
export interface ClientCredentials {
  clientId: string;
  secret: string | null;
  /** The client authenticated by a signature. */
  signed?: true;
}

export interface CredentialSource {
  authorization: string | null;
  client_id?: string;
  client_secret?: string;
}

/** RFC 6749 §5.2: 401 names the scheme the client may use. */
export const invalidClient = (message = 'Client authentication failed.'): AppError =>
  new AppError('invalid_client', message, {
    headers: { 'www-authenticate': 'Basic realm="svc", charset="UTF-8"' },
  });

/** RFC 6749 §2.3: one authentication method per request. Null if it names no client. */
export function readCredentials(source: CredentialSource): ClientCredentials | null {
  // §2.3.1: empty parameters count as absent.
  const bodyId = source.client_id || undefined;
  const bodySecret = source.client_secret || undefined;
  const basic = source.authorization === null ? null : parseBasic(source.authorization);
  if (!basic) return bodyId === undefined ? null : { clientId: bodyId, secret: bodySecret ?? null };
  if (bodySecret !== undefined)
    throw new AppError('invalid_request', 'Send client credentials in the header or in the body, not both.');
  if (bodyId !== undefined && bodyId !== basic.clientId)
    throw new AppError('invalid_request', 'The header and the body identify different clients.');
  return basic;
}

/** Both halves are form-encoded before they are joined (RFC 6749 §2.3.1, appendix B). */
function parseBasic(header: string): ClientCredentials {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1];
  if (!encoded) throw invalidClient();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon < 0 ? null : formDecode(text.slice(0, colon));
  const secret = colon < 0 ? null : formDecode(text.slice(colon + 1));
  // PostgreSQL cannot search for NUL; in bodies it was refused before.
  if (!clientId || clientId.includes('\0') || secret === null) throw invalidClient();
  return { clientId, secret: secret === '' ? null : secret };
}

/** Compared for unknown clients, so that both answers take the same time. */
const decoyHash = sha256Hex('no client has this secret');

type Authenticating = Pick<ApplicationRow, 'app_type' | 'secret_hash' | 'signs_assertions'>;

/** A client's authentication method, by its RFC 7591 §2 name; a secret may also be in the body. */
export const ownAuthMethods = ['none', 'client_secret_basic', 'private_key_jwt'] as const;
type OwnAuthMethod = (typeof ownAuthMethods)[number];

export function authMethodOf({ app_type, signs_assertions }: Omit<Authenticating, 'secret_hash'>): OwnAuthMethod {
  if (app_type === 'public') return 'none';
  return signs_assertions === 1 ? 'private_key_jwt' : 'client_secret_basic';
}

/**
 * Whether the credentials authenticate the client: by secret, signature or, for public clients, the id alone (RFC 6749
 * §3.2.1).
 */
export function provesClient(
  application: Authenticating | null,
  { secret, signed }: Pick<ClientCredentials, 'secret' | 'signed'>,
): boolean {
  const method = application && authMethodOf(application);
  const known = method === 'client_secret_basic' && application!.secret_hash !== '';
  const matches = equalDigests(sha256Hex(secret ?? ''), known ? application!.secret_hash : decoyHash);
  if (method === 'none') return secret === null && !signed;
  if (method === 'private_key_jwt') return signed === true;
  return known && secret !== null && matches;
}
