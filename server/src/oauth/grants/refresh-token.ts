import type { Origin } from '../../identity/audit/log.ts';
import { statuses } from '../../identity/user.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { ClientCredentials } from '../client-auth.ts';
import { readToken } from '../credentials.ts';
import { idTokenFor } from '../openid/id-token.ts';
import { narrowedResource } from '../resource-indicators.ts';
import { announceGrantChange, endStolen } from '../revoke.ts';
import {
  allowedNow,
  keepingTools,
  operatorScopes,
  type Scope,
  scopesOf,
  splitScopes,
  within,
  withOpenid,
  withoutOffline,
} from '../scopes.ts';
import type { PresentedToken } from '../store/columns.ts';
import { authenticate, type GrantDeps, type Issued, invalidGrant, issuePair, requireProof } from './grant.ts';

export interface Refresh {
  credentials: ClientCredentials;
  refreshToken: string;
  scope: string | undefined;
  /** The key the client proved possession of. */
  proofKey: string | null;
  /** Resources to narrow to; none for all of the grant's. */
  resources: string[];
  origin: Origin;
}

/** A client that lost the answer, or two tabs, may retry within this time without it counting as theft. */
const graceMs = 10_000;

/** RFC 6749 §6 with rotation (RFC 9700 §4.14.2): a refresh token works once, and its access token ends with it. */
export async function refresh(deps: GrantDeps, request: Refresh): Promise<Issued> {
  const { clock, options, lookups } = deps;
  const { proofKey } = request;
  const key = readToken(request.refreshToken);
  const found = await lookups.clientWithToken(request.credentials.clientId, key);
  const client = authenticate(found?.client ?? null, request.credentials);
  const token = found?.token ?? null;
  // §6: bound to its client.
  if (key?.kind !== 'refresh' || !token || token.application_id !== client.id)
    throw invalidGrant('The refresh token is not valid for this client.');
  if (token.rotated_at_ms !== null) throw await reused(deps, token, token.rotated_at_ms, request);
  if (token.revoked === 1 || token.expires_at <= nowSeconds(clock) || token.epoch !== client.epoch)
    throw invalidGrant('The refresh token has expired or was revoked.');
  if (found?.user_status !== statuses.enabled) throw invalidGrant('The user of this refresh token is disabled.');
  requireProof(deps, client, proofKey, token.jkt !== null);
  // RFC 9449 §5: a public client is only known by its key; a confidential one may change it.
  if (client.app_type === 'public' && token.jkt !== null && token.jkt !== proofKey)
    throw invalidGrant('The refresh token is bound to another key.');
  const allowed = allowedNow(client.allowed_scopes, operatorScopes(options));
  const scopes = narrowed(token.scope, withoutOffline(options, request.scope)).filter((name) => allowed.has(name));
  const access = { scopes, resource: narrowedResource(deps, token.resource, request.resources) };
  const idToken = await idTokenFor(deps, client, token, found.person);
  // The grant keeps its scope: a narrower access token does not narrow the refresh token (§6; RFC 8707 §2.2).
  const issued = await issuePair(deps, { ...token, jkt: proofKey }, access, (row) =>
    deps.issuer.rotate(token.id, clock.nowMs(), row),
  );
  lookups.forget(token.id);
  await announceGrantChange(deps, token);
  if (!issued) throw invalidGrant('The refresh token was used before.');
  // OpenID Connect Core §12.2: without the nonce, which belongs to the first answer.
  return idToken ? { ...issued, idToken: await idToken(issued, scopes, { withNonce: false }) } : issued;
}

/** §6: `scope` must not include any scope not originally granted. */
function narrowed(granted: string, asked: string | undefined): readonly Scope[] {
  if (!asked) return scopesOf(granted);
  const names = splitScopes(asked);
  const most = new Set<string>(scopesOf(granted));
  const beyond = names.find((name) => !most.has(name));
  if (beyond !== undefined)
    throw new AppError('invalid_scope', `The scope ${JSON.stringify(beyond)} was not granted by the user.`);
  return withOpenid(keepingTools(within(names.join(' '), most as Set<Scope>), scopesOf(granted)));
}

async function reused(
  deps: GrantDeps,
  token: PresentedToken,
  rotatedAtMs: number,
  { origin }: Refresh,
): Promise<Error> {
  if (deps.clock.nowMs() - rotatedAtMs > graceMs)
    await endStolen(deps, token, { reason: 'refresh_token_reused', origin });
  return invalidGrant('The refresh token was used before.');
}
