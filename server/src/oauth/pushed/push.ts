import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { type AuthorizeRequest, checkAuthorizeRequest } from '../authorize-checks.ts';
import type { ClientCredentials } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { authenticate } from '../grants/grant.ts';
import { requireEnabled } from '../status.ts';
import { insertPushed } from '../store/pushed-requests.ts';
import { newRequestUri, pushedSeconds } from './request-uri.ts';

/** RFC 9126 §2.1: authenticated as at the token endpoint, then checked as at the authorization endpoint. */
export async function pushRequest(
  deps: OAuthContext,
  credentials: ClientCredentials,
  request: AuthorizeRequest,
  { proofKey, ip }: { proofKey: string | null; ip: string },
): Promise<{ request_uri: string; expires_in: number }> {
  requireEnabled(deps.options);
  const { id } = authenticate(await deps.documents.presented(credentials.clientId, ip), credentials);
  if (request.request_uri)
    throw new AppError('invalid_request', 'A pushed request must not contain request_uri.', { param: 'request_uri' });
  // RFC 9449 §10.1: a proof binds the code like `dpop_jkt`, so both must name the same key.
  if (proofKey && request.dpop_jkt && request.dpop_jkt !== proofKey)
    throw new AppError('invalid_request', 'dpop_jkt does not match the key of the DPoP proof.', { param: 'dpop_jkt' });
  const whole = { ...request, client_id: credentials.clientId, dpop_jkt: proofKey ?? request.dpop_jkt };
  await checkPushed(deps, whole);
  const request_uri = newRequestUri();
  const now = nowSeconds(deps.clock);
  await insertPushed(deps.db, {
    uri_hash: sha256Hex(request_uri),
    application_id: id,
    request: JSON.stringify(whole),
    created_at: now,
    expires_at: now + pushedSeconds,
  });
  return { request_uri, expires_in: pushedSeconds };
}

/** §2.3: there is no browser to redirect, so errors are returned to the client. */
async function checkPushed(deps: OAuthContext, request: AuthorizeRequest): Promise<void> {
  try {
    await checkAuthorizeRequest(deps, request, { pushing: true, find: deps.documents.known });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { body: _, ...extras } = error.extras;
    throw new AppError(error.code, error.message, extras, error.detail);
  }
}
