import type { Origin } from '../../identity/audit/log.ts';
import { statuses } from '../../identity/user.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { ClientCredentials } from '../client-auth.ts';
import { isCode } from '../credentials.ts';
import { idTokenFor } from '../openid/id-token.ts';
import { checkVerifierForm, verifierMatches } from '../pkce.ts';
import { redirectUriMatches } from '../redirect-uri.ts';
import { narrowedResource } from '../resource-indicators.ts';
import { endStolen } from '../revoke.ts';
import { allowedNow, operatorScopes, within } from '../scopes.ts';
import type { Client, PresentedCode } from '../store/columns.ts';
import { authenticate, type GrantDeps, type Issued, invalidGrant, issuePair, requireProof } from './grant.ts';

export interface CodeExchange {
  credentials: ClientCredentials;
  code: string;
  redirectUri: string;
  verifier: string | undefined;
  /** The key the client proved possession of. */
  proofKey: string | null;
  /** Resources to narrow to; none for all of the code's. */
  resources: string[];
  origin: Origin;
}

/** RFC 6749 §4.1.3, RFC 7636 §4.5: exchanges a code, once, for an access and a refresh token. */
export async function exchangeCode(deps: GrantDeps, request: CodeExchange): Promise<Issued> {
  checkVerifierForm(request.verifier);
  const { clock, options, lookups } = deps;
  const found = await lookups.clientWithCode(request.credentials.clientId, sha256Hex(request.code));
  const client = authenticate(found?.client ?? null, request.credentials);
  requireProof(deps, client, request.proofKey);
  const code = found?.code ?? null;
  // §4.1.3: must be issued to this client; another client's code stays valid.
  if (!isCode(request.code) || !code || code.application_id !== client.id)
    throw invalidGrant('The code is not valid for this client.');
  if (code.used_at !== null) throw await replayed(deps, code, request);
  if (found?.user_status !== statuses.enabled) throw invalidGrant('The user of this code is disabled.');
  checkCode(client, code, request, nowSeconds(clock));
  const scopes = within(code.scope, allowedNow(client.allowed_scopes, operatorScopes(options)));
  const resource = narrowedResource(deps, code.resource, request.resources);
  const idToken = await idTokenFor(deps, client, code, found.person);
  const granted = { ...code, family: code.id, jkt: request.proofKey };
  const issued = await issuePair(deps, granted, { scopes, resource }, (row) =>
    deps.issuer.useCode(code.id, row.created_at, row),
  );
  if (!issued) throw await replayed(deps, code, request);
  return idToken ? { ...issued, idToken: await idToken(issued, scopes, { withNonce: true }) } : issued;
}

/** Checks that do not consume the code. */
function checkCode(client: Client, code: PresentedCode, request: CodeExchange, now: number): void {
  if (code.expires_at <= now || code.epoch !== client.epoch) throw invalidGrant('The code has expired.');
  // §4.1.3: identical to the authorization request's, and still registered, since changes apply at once.
  const registered: string[] = JSON.parse(client.redirect_uris);
  if (request.redirectUri !== code.redirect_uri || !redirectUriMatches(registered, code.redirect_uri))
    throw invalidGrant('redirect_uri differs from the redirect_uri of the authorization request.');
  const unprotected = client.app_type === 'public' && code.code_challenge === null;
  if (unprotected || !verifierMatches(code, request.verifier))
    throw invalidGrant('code_verifier does not match the code_challenge of the authorization request.');
  // RFC 9449 §10: a thief of the code does not have the key.
  if (code.dpop_jkt !== null && code.dpop_jkt !== request.proofKey)
    throw invalidGrant('The code is bound to another key.');
}

/** The first use's tokens are revoked. */
async function replayed(deps: GrantDeps, code: PresentedCode, { origin }: CodeExchange): Promise<Error> {
  await endStolen(deps, { ...code, family: code.id }, { reason: 'code_reused', origin });
  return invalidGrant('The code was used before.');
}
