import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { invalidClient } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { isProofAlgorithm, type ProofAlgorithm, proofAlgorithms } from '../dpop/key.ts';
import { findApplication } from '../store/applications.ts';
import { takeProof } from '../store/proofs.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { keysIn } from './client-keys.ts';
import { type KeySet, keysThatFit } from './key-set.ts';

type Deps = Pick<OAuthContext, 'db' | 'clock' | 'baseUrl' | 'documents' | 'keyAddresses'>;

/** The endpoint, and the client it is for. */
export interface Asked {
  request: Pick<Request, 'url'>;
  ip: string;
  /** The `client_id` beside the assertion, if given. */
  clientId?: string;
}

/** A typical assertion has about 1,000; some include certificates. */
const mostCharacters = 8_192;
const mostJtiCharacters = 256;
/** How long an assertion may be usable by a thief; its id is remembered as long. */
const longestSeconds = 600;
/** Some libraries, Authlib among them, use an hour. With `iat` it is still only accepted for the shorter time. */
const furthestSeconds = 3600;
/** Allowed clock skew of the client. */
const aheadSeconds = 30;
/**
 * RFC 7523bis has its own type; before, it was the generic JWT type or none. Others were signed for another purpose.
 */
const types: unknown[] = [undefined, 'jwt', 'client-authentication+jwt'];

const fault = (what: string) => invalidClient(`The client assertion ${what}.`);

interface Header {
  alg: ProofAlgorithm;
  kid: string | undefined;
}

/**
 * The client that an assertion authenticates (RFC 7523 §3, OpenID Connect Core §9); throws `invalid_client` with what
 * to do otherwise.
 */
export async function assertedClient(deps: Deps, assertion: string, asked: Asked): Promise<string> {
  const { header, claims } = parsed(assertion);
  const { iss, sub, aud, jti } = claims;
  // A name with NUL cannot exist, and PostgreSQL cannot search for it.
  if (typeof sub !== 'string' || sub === '' || sub.includes('\0') || iss !== sub)
    throw fault('must have the client_id as iss and as sub');
  if (asked.clientId && asked.clientId !== sub)
    throw new AppError('invalid_request', 'The assertion and the body identify different clients.', {
      param: 'client_id',
    });
  checkAudience(deps, asked, aud);
  const expiresAt = checkTimes(claims, nowSeconds(deps.clock));
  if (typeof jti !== 'string' || jti === '' || jti.length > mostJtiCharacters)
    throw fault(`must have a unique jti of 1 to ${mostJtiCharacters} characters`);
  const client = await signerOf(deps, sub, asked.ip);
  await verify(deps, client, assertion, header);
  // §3: last, so that only the client itself can use up its ids.
  const hash = sha256Hex(`client assertion ${client.id} ${jti}`);
  if (!(await takeProof(deps.db, hash, expiresAt + 1)))
    throw fault('was used before; sign a new one with a different jti for each request');
  return client.client_id;
}

/** Unverified claims; none of them count before the signature is verified. */
function parsed(assertion: string): { header: Header; claims: Record<string, unknown> } {
  if (assertion.length > mostCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion))
    throw fault('is not a signed JWT');
  const { alg, kid, typ, crit } = read(() => decodeProtectedHeader(assertion));
  if (!isProofAlgorithm(alg)) throw fault(`must be signed with one of ${proofAlgorithms.join(', ')}`);
  if (!types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw fault('must have JWT or client-authentication+jwt as typ');
  // RFC 7515 §4.1.11: no critical extensions are supported.
  if (crit !== undefined) throw fault('must not have crit in its header');
  if (kid !== undefined && typeof kid !== 'string') throw fault('must have the ID of a key as kid');
  return { header: { alg, kid }, claims: read(() => decodeJwt<Record<string, unknown>>(assertion)) };
}

function read<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw fault('is not a signed JWT');
  }
}

/**
 * RFC 7523bis: the issuer; before, also the token endpoint (RFC 7523 §3) and the called endpoint (RFC 9126 §2). No
 * other audience, which could replay it here.
 */
function checkAudience({ baseUrl }: Deps, { request }: Asked, aud: unknown): void {
  const called = new URL(request.url, baseUrl).pathname;
  const ours: unknown[] = [baseUrl, `${baseUrl}/api/oauth2/token`, `${baseUrl}${called}`];
  const given: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (given.length === 0 || !given.every((one) => ours.includes(one)))
    throw fault(`must have ${baseUrl} as aud, and no other server`);
}

/** Returns when it expires. §3: `exp` is required; `nbf` and `iat` are optional, but must be valid. */
function checkTimes({ exp, nbf, iat }: Record<string, unknown>, now: number): number {
  if (typeof exp !== 'number' || !(exp > now)) throw fault('has expired, or has no exp');
  const mostSeconds = iat === undefined ? longestSeconds : furthestSeconds;
  if (!(exp <= now + mostSeconds + aheadSeconds)) throw fault(`must expire within ${mostSeconds} seconds`);
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + aheadSeconds)) throw fault('is not valid yet');
  if (iat !== undefined && !(typeof iat === 'number' && iat <= now + aheadSeconds))
    throw fault('was issued in the future');
  if (iat === undefined) return Math.ceil(exp);
  const takenUntil = iat + longestSeconds + aheadSeconds;
  if (takenUntil < now) throw fault('is too old; sign one for each request');
  return Math.ceil(Math.min(exp, takenUntil));
}

/**
 * The same answer for an unknown client and one with another authentication method. An expired client document is read
 * again first.
 */
async function signerOf({ db, documents }: Deps, clientId: string, ip: string): Promise<ApplicationRow> {
  const known = await findApplication(db, { client_id: clientId });
  const isKnown = known !== null && known.source !== 'document';
  const client = isKnown ? known : ((await documents.presented(clientId, ip)) ?? known);
  if (client?.signs_assertions !== 1)
    throw invalidClient('No client with this client_id is registered for private_key_jwt.');
  return client;
}

async function verify(deps: Deps, client: ApplicationRow, assertion: string, { alg, kid }: Header): Promise<void> {
  const verifiedBy = async (set: KeySet): Promise<boolean> => {
    for (const key of keysThatFit(set, alg, kid)) if (await isSignedBy(key, alg, assertion)) return true;
    return false;
  };
  const own = keysIn(client);
  if (await verifiedBy(own ?? (await deps.keyAddresses.keysAt(client.jwks_uri)))) return;
  // The client may have changed its keys since they were read.
  if (!own && (await verifiedBy(await deps.keyAddresses.keysAt(client.jwks_uri, 'anew')))) return;
  throw fault(
    kid === undefined
      ? `is not signed with any of the client's ${alg} keys`
      : `is not signed with the client's ${alg} key ${JSON.stringify(kid.slice(0, 100))}`,
  );
}

async function isSignedBy(key: KeySet['keys'][number], alg: ProofAlgorithm, assertion: string): Promise<boolean> {
  try {
    await compactVerify(assertion, await importJWK(key, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}
